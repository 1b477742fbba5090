"""What of an order is not seen to: wishes beside the usual, options of its page, what is to stay as it is."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.agent.completion import fold
from assistant.agent.instruction_check import (
    end_given_up,
    find_conflict,
    find_done_anyway,
    find_left_out_people,
    find_not_left_out,
    find_told_name,
    find_unheeded,
    has_old_value,
    remarks_of,
    tell_difference,
)
from assistant.agent.stop_checks import find_missed_day
from assistant.events import ActionKind, Deed
from assistant.i18n import has_chinese
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.records import AskUser, Click, Outcome, Point, Target, TypeText
from tests.safety.screens import button, screen
from tests.tables import each

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
PAY, SEND = ActionKind.PAY, ActionKind.SEND


def ordered(said: str, *remarks: str, entered: str = "", instruction: str = "") -> Checkpoint:
    """A turn that orders, what was said in it, and what it typed as a note to the seller."""
    typed = (StoredStep(number=1, action=TypeText(text=entered)),) if entered else ()
    said_since = tuple(UserRemark(after=1, text=remark) for remark in remarks)
    return Checkpoint(
        turn_id="t",
        user_id="me",
        started=NOW,
        said=said,
        instruction=instruction or said,
        steps=typed,
        remarks=said_since,
    )


@each(
    ("turn", "lines", "against"),
    [
        (
            ordered("来一杯拿铁", "别放糖", entered="别放糖"),
            ("拿铁 ×1", "大杯, 全糖, 少冰", "别放糖"),
            "别放糖",
        ),
        (ordered("来一杯拿铁", "别放糖"), ("拿铁 ×1", "大杯, 无糖, 正常冰"), ""),
        (ordered("来杯奶茶，去冰，三分糖"), ("珍珠奶茶 ×1", "中杯 全糖 去冰"), "三分糖"),
        (ordered("来杯奶茶，去冰，三分糖"), ("珍珠奶茶 ×1", "中杯 少糖 去冰"), ""),
        (ordered("order an iced tea with no sugar"), ("Iced tea ×1", "Full sugar, Regular ice"), "no sugar"),
        (ordered("order an iced tea", "easy on the ice, less ice"), ("Iced tea", "Light ice"), ""),
        (ordered("order an iced tea", "less ice"), ("Iced tea ×1", "Large, Regular ice"), "less ice"),
        (ordered("点一份酸辣粉，不辣"), ("酸辣粉 ×1", "特辣"), "不辣"),
        (ordered("get me a large flat white"), ("Flat white ×1", "Small, Oat milk"), "large"),
        (ordered("get me a large flat white"), ("Flat white ×1", "Large, Oat milk"), ""),
        # The last word holds, and the names of dishes are no options.
        (ordered("order a tea without sugar", "actually extra sugar"), ("Tea", "More sugar"), ""),
        (ordered("点一份糖醋排骨，不要辣"), ("糖醋排骨 ×1", "冰淇淋 ×1"), ""),
        (ordered("order ice cream for two"), ("Vanilla ice cream ×2", "Regular delivery"), ""),
    ],
)
def test_an_option_on_the_page_that_is_another_than_was_said_is_against_it(
    turn: Checkpoint, lines: tuple[str, ...], against: str
) -> None:
    deed = Deed(kind=PAY, package="com.example.eats", app="Eats", amount="¥29")
    assert find_conflict(remarks_of(turn), deed, lines, turn) == against


@each(
    ("instruction", "wishes"),
    [
        ("点牛肉面送到公司，原话是“照旧，外加一个卤蛋”", ["外加一个卤蛋"]),
        ("点牛肉面送到公司，原话是“老样子再加一碗紫菜汤”", ["再加一碗紫菜汤"]),
        ("Order ramen on Eats, as asked: “the usual and a bowl of miso soup”", ["and a bowl of miso soup"]),
        ("Order ramen on Eats, as asked: “my usual with seaweed, please”", ["with seaweed"]),
        # What the order says, how many, and courtesies are no further wish.
        ("Order ramen on Eats, as asked: “same as always, ramen please”", []),
        ("Order ramen on Eats, as asked: “my usual, two of them”", []),
        ("点牛肉面送到公司，原话是“来份老样子，谢谢”", []),
        # Where nothing is called usual, the whole command stands for what is done.
        ("Swim 20 lengths, as asked: “start the lengths, goggles on”", []),
    ],
)
def test_what_is_asked_for_beside_the_usual_must_be_seen(instruction: str, wishes: list[str]) -> None:
    asked = StoredStep(number=2, action=TypeText(text=""), deed=Deed(kind=PAY, amount="¥29"))
    own_words = instruction.rpartition("“")[2].removesuffix("”")
    is_chinese = has_chinese(instruction)
    page = "牛肉面 ×1 ×2 公司" if is_chinese else "ramen ×1 ×2 total"
    with_all = page + (" 卤蛋 紫菜汤" if is_chinese else " miso soup seaweed")
    for said in (own_words, "x"):
        turn = ordered(said, instruction=instruction)
        assert find_unheeded(remarks_of(turn), page, "Done.") == [], "nothing is to be paid yet"
        said_in = remarks_of(turn.model_copy(update={"asked": asked}))
        assert find_unheeded(said_in, page, "Done.") == wishes
        assert find_unheeded(said_in, with_all, "Done.") == []


@each(
    ("said", "page", "missing"),
    [
        ("order a burger, no onions", "burger: beef, onions, cheese ×1 total", ["no onions"]),
        ("order a burger, no onions", "burger ×1 no onion", []),
        ("order noodles without peanuts to the office", "noodles office ×1", ["without peanuts"]),
        ("order noodles without peanuts to the office", "noodles ×1 note: no peanuts please", []),
        ("get me a burger with extra cheese", "cheese burger ×1", ["with extra cheese"]),
        ("get me a burger with extra cheese", "burger ×1 add cheese", []),
        ("order an iced tea, easy on the ice", "iced tea ×1 ice: regular", ["easy on the ice"]),
        ("order lunch for all but Tom", "noodles ×3", ["for all but Tom"]),
        ("order the cheapest noodles", "beef noodles ×1 ¥26", ["the cheapest noodles"]),
        ("order something cheaper", "beef noodles ×1", ["something cheaper"]),
        ("点一份牛肉面，不要香菜", "牛肉面 香菜 葱 ×1", ["不要香菜"]),
        ("点一份牛肉面，不要香菜", "牛肉面 ×1 免香菜", []),
        ("点牛肉面多放醋", "牛肉面 ×1", ["多放醋"]),
        ("点最便宜的那家", "老街面馆 牛肉面 ×1", ["最便宜的那家"]),
        ("除了汤姆每人点一份", "牛肉面 ×3", ["除了汤姆每人点一份"]),
        # Courtesies, what forbids a deed, and what is said of the way are no wishes of a thing.
        ("no rush, order a tea", "tea ×1", []),
        # Nor is what only tells how somebody is; what they are or cannot eat may be one.
        ("im knackered, get me a coffee, my usual one", "coffee ×1", []),
        ("i am allergic to nuts, get me my usual tea", "tea ×1", ["i am allergic to nuts"]),
        ("order noodles, no need to hurry", "noodles ×1", []),
        ("order noodles without calling them", "noodles ×1", []),
        ("帮我点杯茶，不要了就说", "茶 ×1", []),
    ],
)
def test_how_a_thing_is_wanted_must_be_seen_where_it_is_paid(
    said: str, page: str, missing: list[str]
) -> None:
    asked = StoredStep(number=2, action=TypeText(text=""), deed=Deed(kind=PAY, amount="¥29"))
    turn = ordered(said).model_copy(update={"asked": asked})
    assert find_unheeded(remarks_of(turn), page, "") == missing
    assert find_unheeded(remarks_of(ordered(said)), page, "") == [], "nothing is to be paid yet"


def test_what_the_user_compares_in_the_turn_is_theirs_to_judge() -> None:
    asked = StoredStep(number=2, action=TypeText(text=""), deed=Deed(kind=PAY, amount="¥29"))
    turn = ordered("order beef noodles", "not that one, the cheaper one").model_copy(update={"asked": asked})
    assert find_unheeded(remarks_of(turn), "beef noodles ×1", "") == ["the cheaper one"]


@each(
    ("said", "amount", "against"),
    [
        ("order dinner for under 30", "¥45.00", "under 30"),
        ("order dinner for under 30", "¥28", ""),
        ("order dinner, no more than $1,200", "$1,250.50", "no more than $1,200"),
        ("order a charger under 2 meters", "¥45", ""),
        ("点外卖，30块以内", "¥31.5", "30块以内"),
        ("点外卖，别超过50", "¥50", ""),
        ("点外卖，别超过50", "", ""),
    ],
)
def test_a_payment_of_more_than_the_command_allows_is_against_it(
    said: str, amount: str, against: str
) -> None:
    deed = Deed(kind=PAY, package="com.example.eats", app="Eats", amount=amount)
    assert find_conflict((), deed, (), ordered(said)) == against


@each(
    ("command", "reached", "left_out"),
    [
        ("text Susan Lin and Peter Lin that I will be late", ["Susan Lin"], ["Peter Lin"]),
        ("text Susan Lin and Peter Lin that I will be late", ["Susan Lin", "Peter Lin"], []),
        ("text Susan Lin and Peter Lin that I will be late", ["Family"], []),
        ("send a message to Ben, Mia and Tom: dinner is ready", ["Mia", "Tom"], ["Ben"]),
        ("tell Mom that I bought bread and Dad is home", ["Mom"], []),
        ("call Ben", ["Ben"], []),
        ("Call Ben and Set an alarm for 7", ["Ben"], []),
        ("跟林素珊和林建国说我晚点到", ["林素珊"], ["林建国"]),
        ("给林素珊和林建国打电话", ["林建国", "林素珊"], []),
        ("跟林素珊说我和林建国晚点到", ["林素珊"], []),
    ],
)
def test_nobody_of_several_people_is_left_out_unsaid(
    command: str, reached: list[str], left_out: list[str]
) -> None:
    action = Click(point=Point(0.5, 0.5))
    steps = tuple(
        StoredStep(number=number, action=action, deed=Deed(kind=ActionKind.SEND, recipient=name, text="x"))
        for number, name in enumerate(reached, 1)
    )
    turn = ordered(command).model_copy(update={"steps": steps})
    assert find_left_out_people(turn) == left_out


def test_a_place_that_was_taken_back_in_an_answer_is_looked_for_no_more() -> None:
    gone = UserRemark(after=1, text="等等 不回家了 去我妈那", kind="place", new="我妈那", old="家")
    turn = ordered("叫个车回家").model_copy(update={"instruction": "叫个车回我妈那", "remarks": (gone,)})
    assert gone in remarks_of(turn)
    answer = UserRemark(after=3, text="还是回家吧")
    assert gone not in remarks_of(turn.model_copy(update={"remarks": (gone, answer)}))


@each(
    ("command", "said", "kind", "old", "new", "later", "stands"),
    [
        ("order a pizza to the office", "to home", "place", "office", "home", "to the door please", True),
        ("order a pizza to the office", "to home", "place", "office", "home", "to home i said", True),
        ("order a pizza to the office", "to home", "place", "office", "home", "to the front desk", True),
        (
            "order a pizza to the office",
            "to home",
            "place",
            "office",
            "home",
            "and some fries to the office",
            True,
        ),
        ("order a pizza to the office", "to home", "place", "office", "home", "to the office", False),
        ("点一份面送到公司", "送到家", "place", "公司", "家", "送到门口", True),
        ("点一份面送到公司", "送到家", "place", "公司", "家", "送到楼下", True),
        ("text Mom: hi", "to Dad", "person", "Mom", "Dad", "to Tom as well", True),
        ("text Mom: hi", "to Dad", "person", "Mom", "Dad", "to Dad please", True),
        ("text Mom: hi", "say i am late", "text", "hi", "i am late", "say it nicely", True),
        ("text Mom: hi", "say i am late", "text", "hi", "i am late", "add that i love her", True),
    ],
)
def test_only_an_answer_that_goes_back_to_the_value_before_takes_a_correction_back(
    command: str, said: str, kind: str, old: str, new: str, later: str, stands: bool
) -> None:
    correction = UserRemark(after=1, text=said, kind=kind, old=old, new=new)
    remarks = (correction, UserRemark(after=2, text=later))
    meant = command.replace(old, new)
    turn = ordered(command, instruction=meant).model_copy(update={"remarks": remarks})
    assert (correction in remarks_of(turn)) is stands


@each(
    ("old", "new", "text", "is_old"),
    [
        ("i am late", "i am on my way", "I am late, sorry", True),
        ("i am late", "i am on my way", "I'm late", True),
        ("i am late", "i am on my way", "I'm on my way, late", False),
        ("see you at 7", "see you at 8", "see you at seven then", True),
        ("我晚点到", "我不来了", "妈，我会晚点到", True),
        ("今晚不回去吃了 加班", "大概九点半到家 让她别等我", "大概九点半到家，别等我", False),
    ],
)
def test_a_message_with_the_old_words_and_without_the_new_ones_goes_against_a_correction(
    old: str, new: str, text: str, is_old: bool
) -> None:
    remark = UserRemark(after=1, text=new, kind="text", old=old, new=new)
    deed = Deed(kind=ActionKind.SEND, app="Chat", recipient="Mom", text=text)
    assert has_old_value(deed, remark) is is_old


def test_a_word_for_this_time_is_no_wish_for_a_thing() -> None:
    deed = StoredStep(
        number=1, action=Click(point=Point(0.5, 0.5)), deed=Deed(kind=PAY, amount="¥32"), kind=PAY
    )
    turn = ordered("老样子给我来一份，这次加个卤蛋", instruction="点一份牛肉面，加个卤蛋")
    turn = turn.model_copy(update={"steps": (deed,)})
    assert find_unheeded(remarks_of(turn), fold("牛肉面 加卤蛋 ×1"), "已下单") == []


def touched(label: str, around: str = "") -> StoredStep:
    target = Target(text=label, around=around)
    return StoredStep(number=1, action=Click(point=Point(0.5, 0.5), target=target))


@each(
    ("remark", "labels", "after", "is_against"),
    [
        ("leave dark mode off", ["Wi-Fi", "Dark mode"], 1, True),
        ("深色就不用了", ["勿扰模式", "深色模式"], 1, True),
        ("leave bluetooth on", ["Bluetooth", "Clock"], 1, True),
        # Taken back, or never touched.
        ("leave bluetooth on", ["Bluetooth", "Bluetooth"], 1, False),
        ("闹钟不用设了", ["天气", "今天"], 0, False),
        ("no need for the timer", ["Alarm", "Save"], 0, False),
        # What leaves it out is chosen.
        ("香菜不要了", ["不要香菜"], 0, False),
        ("make it a large one", ["Large"], 0, False),
    ],
)
def test_what_is_to_stay_as_it_is_and_was_touched_is_no_success(
    remark: str, labels: list[str], after: int, is_against: bool
) -> None:
    turn = ordered("x").model_copy(
        update={
            "steps": tuple(map(touched, labels)),
            "remarks": (UserRemark(after=after, text=remark),),
        }
    )
    assert find_done_anyway(turn) == ([remark] if is_against else [])


@each(
    ("turn", "lines", "against"),
    [
        (
            ordered("order my usual lunch but not from old street noodles"),
            ("Old Street Noodles", "Beef noodles ×1"),
            "but not from old street noodles",
        ),
        (
            ordered("order beef noodles from any other shop", "no i said NOT old street noodles"),
            ("Old Street Noodles", "Beef noodles ×1"),
            "NOT old street noodles",
        ),
        (ordered("点我平时的午饭 但别点老街面馆的"), ("老街面馆", "牛肉面 ×1"), "但别点老街面馆"),
        (
            ordered("order lunch", instruction="order lunch: from anywhere but Golden Wok"),
            ("Golden Wok", "Fried rice ×1"),
            "anywhere but Golden Wok",
        ),
        # Another shop, what the page denies as well, and what was asked for after all.
        (
            ordered("order my usual lunch but not from old street noodles"),
            ("Noodle House", "Beef noodles"),
            "",
        ),
        (ordered("order beef noodles, no coriander"), ("Beef noodles ×1", "No coriander"), ""),
        (ordered("order beef noodles, no coriander"), ("Beef noodles ×1", "Coriander: none"), ""),
        (
            ordered("order lunch, not from Golden Wok", "ok, Golden Wok then"),
            ("Golden Wok", "Fried rice"),
            "",
        ),
        (ordered("get a taxi home, no rush, but not before 6"), ("Rush hour", "From 6:10"), ""),
    ],
)
def test_what_was_refused_by_its_name_is_against_a_page_that_has_it(
    turn: Checkpoint, lines: tuple[str, ...], against: str
) -> None:
    deed = Deed(kind=PAY, package="com.example.eats", app="Eats", amount="¥29")
    assert find_conflict(remarks_of(turn), deed, lines, turn) == against


@each(
    ("said", "shown", "answer", "missing"),
    [
        ("wake me at 5:40 each working day but not on wednesdays", "5:40|Weekdays", "Done", True),
        (
            "wake me at 5:40 each working day but not on wednesdays",
            "5:40|Mon, Tue, Thu, Fri",
            "Done",
            False,
        ),
        # What the end itself says holds, as does the row of the alarm that is meant.
        ("wake me at 5:40 on weekdays, no wednesdays", "5:40|Mon, Tue, Thu, Fri", "5:40 · Weekdays", True),
        (
            "wake me at 5:40 on weekdays, no wednesdays",
            "9:00 · Mon, Tue, Thu, Fri|5:40 · Weekdays",
            "",
            True,
        ),
        ("wake me at 5:40 on weekdays, no wednesdays", "Saved", "It rings Mon, Tue, Thu, Fri.", True),
        ("set a 5:40 alarm for every day apart from the weekend", "5:40|Mon–Fri", "Set.", False),
        ("set a 5:40 alarm for every day apart from the weekend", "5:40|Every day", "Set.", True),
        ("每天5:40叫我起床，周三周四除外", "5:40|周一、二、五、六、日", "设好了", False),
        ("每天5:40叫我起床，周三周四除外", "5:40|每天", "设好了", True),
        ("除了周末，每天5:40叫我", "5:40|工作日", "设好了", False),
        ("工作日5:40叫我，周三不要响", "5:40|工作日", "设好了", True),
        ("set an alarm for 5:40 every weekday", "5:40|Every day", "Set.", False),
    ],
)
def test_a_day_that_is_left_out_must_be_seen_left_out(
    said: str, shown: str, answer: str, missing: bool
) -> None:
    page = screen(*map(button, shown.split("|")))
    left_in = find_not_left_out(ordered(said), fold(shown.replace("|", " ")), answer, page)
    assert bool(left_in) is missing
    assert all(words in said for words in left_in)


@each(
    ("shown", "is_missing"), [("5:40|Mon, Tue, Wed, Thu", False), ("5:40|Weekdays", True), ("5:40|Mon", True)]
)
def test_a_day_that_a_remark_takes_out_is_one_of_those_that_were_ordered(
    shown: str, is_missing: bool
) -> None:
    turn = ordered("wake me at 5:40 every weekday", "not friday, i start late")
    left_in = find_not_left_out(
        turn, fold(shown.replace("|", " ")), "Done.", screen(*map(button, shown.split("|")))
    )
    assert bool(left_in) is is_missing


@each(
    ("said", "tapped", "pool", "left_in"),
    [
        ("switch off my alarms except the 9:00", "10:30", "9:00 on 10:30 off", []),
        ("switch off my alarms except the 9:00", "9:00", "9:00 off 10:30 off", ["except the 9:00"]),
        ("delete my notes other than Recipes", "Delete all", "recipes", ["other than Recipes"]),
        ("delete my notes other than Recipes", "Budget", "recipes", []),
        ("delete my notes other than Recipes", "Budget", "no notes", ["other than Recipes"]),
        ("把闹钟都关掉，除了9点半的", "10:30", "9:30 10:30", []),
        ("drive me to the office without tolls", "Start", "avoid tolls office", []),
        ("drive me to the office without tolls", "Start", "office 20 min", ["without tolls"]),
        # It is a part of what is written.
        ("note that we eat anything apart from fish", "Save", "we eat anything apart from fish", []),
        ("what have I got today except meetings", "Calendar", "meetings", []),
    ],
)
def test_what_a_command_leaves_out_must_be_seen_left_out(
    said: str, tapped: str, pool: str, left_in: list[str]
) -> None:
    turn = ordered(said).model_copy(update={"steps": (touched(tapped),)})
    assert find_not_left_out(turn, f"{fold(tapped)} {pool}", "Done.", None) == left_in


def test_somebody_who_is_left_out_is_not_reached() -> None:
    def reached(*names: str) -> Checkpoint:
        steps = tuple(
            StoredStep(
                number=number,
                action=Click(point=Point(0.5, 0.5)),
                deed=Deed(kind=ActionKind.SEND, recipient=name, text="x"),
            )
            for number, name in enumerate(names, 1)
        )
        return ordered("text everybody but Ben: dinner is ready").model_copy(update={"steps": steps})

    assert find_not_left_out(reached("Mia", "Tom"), "mia tom", "", None) == []
    assert find_not_left_out(reached("Mia", "Ben"), "mia ben", "", None) == ["everybody but Ben"]
    assert find_not_left_out(reached("Family"), "family", "", None) == ["everybody but Ben"]


@each(
    ("command", "deed", "told"),
    [
        (
            "order ramen to home (9 Mill Lane)",
            {"destination": "Home · Flat 3, Oak Court"},
            ["9 Mill Lane", "Oak Court"],
        ),
        ("order ramen to 9 Mill Lane", {"destination": "9 Mill Lane, door at the back"}, []),
        ("order ramen to home", {"destination": "Company · 5th floor"}, ["home", "Company"]),
        ("order ramen to the office", {"destination": "Office · 5th floor"}, []),
        ("order ramen to the office", {"destination": "5th floor, Tower B"}, []),
        ("order ramen to the office", {}, []),
        ("点拉面送到公司", {"destination": "家 · 3栋502室"}, ["公司", "家"]),
        ("点拉面送到家（磨坊巷9号）", {"destination": "家 · 3栋502室"}, ["磨坊巷9号", "3栋502室"]),
        ("transfer 20 to Zoe Park", {"amount": "¥200.00", "recipient": "Zoe Park"}, ["20", "¥200.00"]),
        ("transfer 20 to Zoe Park", {"amount": "¥20.00", "recipient": "Zoe"}, []),
        ("transfer 20 to Zoe Park", {"amount": "¥20.00", "recipient": "Zack"}, ["Zoe Park", "Zack"]),
        ("给小周转20块", {"amount": "¥20", "recipient": "小周"}, []),
        ("给小周转20块", {"amount": "¥25", "recipient": "小周"}, ["20块", "¥25"]),
        ("order ramen for less than 30 yuan", {"amount": "¥26", "recipient": "Noodle Bar"}, []),
    ],
)
def test_what_the_page_has_otherwise_than_the_command_is_told(
    command: str, deed: dict[str, str], told: list[str]
) -> None:
    sentence = tell_difference(ordered(command), Deed(kind=PAY, app="Pay", **deed))
    assert bool(sentence) is bool(told)
    assert all(words in sentence for words in told)


def test_an_address_that_was_filled_in_is_not_called_the_users_words() -> None:
    turn = ordered("order ramen to home", instruction="order ramen to home (9 Mill Lane)")
    deed = Deed(kind=PAY, app="Eats", destination="Home · Flat 3, Oak Court")
    assert tell_difference(turn, deed).startswith("The command is for “9 Mill Lane”; the page says ")
    told = tell_difference(ordered("order ramen to home (9 Mill Lane)"), deed)
    assert told.startswith("You said “9 Mill Lane”; the page says ")


@each(
    ("command", "said", "recipient", "is_told"),
    [
        ("text Susan Lin: hi", "text mom: hi", "Mom", False),
        ("text Susan Lin: hi", "text mom: hi", "Susan Lin", False),
        ("text Susan Lin: hi", "text mom: hi", "Dave", True),
        ("call Susan", "call Susan", "Susan Lin", False),
    ],
)
def test_another_recipient_than_the_one_who_was_named_is_told(
    command: str, said: str, recipient: str, is_told: bool
) -> None:
    deed = Deed(kind=ActionKind.SEND, app="Chat", recipient=recipient, text="hi")
    assert bool(tell_difference(ordered(said, instruction=command), deed)) is is_told


@each(
    ("said", "shown", "is_heeded"),
    [
        ("yes bin day. and half 8 is 20:30 where i come from", "Bin day Tue 20:30", True),
        ("make it half 8", "8:30", True),
        ("half 8 pm pls", "20:30", True),
        ("make it half 8", "19:30", False),
        ("half 2 kg", "2:30", False),
    ],
)
def test_half_an_hour_is_that_behind_the_hour(said: str, shown: str, is_heeded: bool) -> None:
    assert (find_unheeded([UserRemark(after=1, text=said)], fold(shown), "") == []) is is_heeded


@each(
    ("recipient", "names", "is_told"),
    [
        ("Mom", ("mother", "Susan Lin"), False),
        ("My mom ❤️", ("mother", "Susan Lin"), False),
        # Only the whole title tells who it is.
        ("Tom's mom", ("mom", "Susan Lin"), True),
        ("Mom of Mia", ("mom", "Susan Lin"), True),
        ("Step mom", ("mom", "Susan Lin"), True),
        ("Mom & Dad", ("mom", "Susan Lin"), True),
        ("Mom's group", ("mom", "Susan Lin"), True),
        ("小明妈妈", ("mom", "Susan Lin"), True),
        ("Susanna", ("mom", "Susanna Lin"), True),
        ("妈妈", ("mother", "Susan Lin"), False),
        ("Dad", ("mother", "Susan Lin"), True),
        ("Mom", (), True),
    ],
)
def test_a_recipient_is_the_same_person_by_another_name_that_is_surely_theirs(
    recipient: str, names: tuple[str, ...], is_told: bool
) -> None:
    turn = ordered("tell her hi", instruction="text Susan Lin: hi")
    deed = Deed(kind=ActionKind.SEND, app="Chat", recipient=recipient, text="hi")
    assert bool(tell_difference(turn, deed, lambda _person: names)) is is_told


CHANGED = "change the 06:45 alarm that repeats (Sat, Sun) to 06:30"
CHANGED_ZH = "把只响一次的06:45闹钟改成06:30"


@each(
    ("said", "touched", "is_right"),
    [
        (CHANGED, ("06:45 · Get up Weekdays", "45", "Save"), False),
        (CHANGED, ("Get up Weekdays", "Save"), False),
        (CHANGED, ("06:45 · Sat, Sun", "45", "Save"), True),
        (CHANGED, ("06:45 · Once", "Save"), False),
        # Back from the wrong one, and into the right one.
        (CHANGED, ("Get up Weekdays", "Saturday and Sunday", "Save"), True),
        # A row that shows only its time tells nothing.
        (CHANGED, ("06:45", "Save"), True),
        (CHANGED_ZH, ("06:45 · 起床 工作日", "保存"), False),
        (CHANGED_ZH, ("06:45 · 仅一次", "保存"), True),
        ("关掉重复的06:45闹钟（周六、周日）", ("06:45 · 仅一次",), False),
        ("关掉重复的06:45闹钟（周六、周日）", ("起床 周六, 周日",), True),
    ],
)
def test_another_alarm_of_the_same_time_is_not_the_one_that_is_meant(
    said: str, touched: tuple[str, ...], is_right: bool
) -> None:
    steps = [
        StoredStep(number=number, action=Click(point=Point(0.5, 0.5), target=Target(text=text)))
        for number, text in enumerate(touched, 1)
    ]
    turn = ordered(said).model_copy(update={"steps": tuple(steps)})
    assert (find_missed_day(turn, NOW, "") == []) is is_right


@each(
    ("question", "answer", "told"),
    [
        ("I find nobody called Tom in Chat. Under which name is he saved?", "wang lei", True),
        ("I find nobody called Tom in Chat. Whom shall I text?", "its wang lei. we just call him tom", True),
        ("Tom has no account. Whom shall I text?", "wang lei", False),
        ("Under which name is Tom saved?", "text wang lei instead", False),
        ("Under which name is Tom saved?", "he's saved as wang lei", True),
        ("What is Tom called in Chat?", "look under Wang Lei", True),
        ("Tom has no account. Whom shall I text?", "tom is wang lei", True),
        # Somebody else may get the message, or stand beside the one who is meant.
        ("Tom has no account. Whom shall I text?", "forget tom, text wang lei", False),
        ("Tom has no account. Whom shall I text?", "tom is away, text wang lei", False),
        ("Tom has no account. Whom shall I text?", "skip tom and send it to wang lei", False),
        ("Tom has no account. Whom shall I text?", "wang lei can pass it to tom", False),
        ("Tom has no account. Whom shall I text?", "tom is wang lei's brother", False),
        ("Under which name is Tom saved?", "forget tom, text wang lei", False),
        ("Under which name is Tom's boss saved?", "wang lei", False),
        ("Tom is blocked. Who is the message to?", "wang lei", False),
        ("Tom's name is greyed out. Whom shall I text?", "wang lei", False),
        ("Tom's saved number is invalid. Whom shall I text?", "wang lei", False),
        ("Under which name is Tom saved?", "look under friends", False),
        ("找不到小周。他在微信里叫什么?", "王磊", True),
        ("小周存的是什么名字?", "就是王磊", True),
        ("小周没有微信，发给谁?", "王磊就是小周", True),
        ("小周没有微信，发给谁?", "王磊", False),
        ("小周没有微信，发给谁?", "王磊就是小周的助理", False),
        ("小周的助理叫什么?", "王磊", False),
        ("小周叫什么?", "发给王磊", False),
    ],
)
def test_whom_somebody_is_saved_as_is_told_by_an_answer(question: str, answer: str, told: bool) -> None:
    command, person, name = "text tom that i eat at my desk", "tom", "Wang Lei"
    if has_chinese(question):
        command, person, name = "给小周发消息说我晚点到", "小周", "王磊"
    sent = StoredStep(
        number=2,
        action=Click(point=Point(0.5, 0.5)),
        kind=SEND,
        deed=Deed(kind=SEND, recipient=name),
    )
    turn = ordered(command).model_copy(
        update={
            "steps": (StoredStep(number=1, action=AskUser(question=question)), sent),
            "remarks": (UserRemark(after=1, text=answer),),
        }
    )
    assert find_told_name(turn) == ((person, name) if told else None)


ASKED = StoredStep(number=2, action=AskUser(question="Shared, or not at all?"))


@each(
    ("reason", "after", "outcome", "said", "remark"),
    [
        ("[declined] 你说不叫了。", 2, Outcome.CANCELLED, "你说不叫了。", "那不叫了"),
        ("[declined] You said no.", 2, Outcome.CANCELLED, "You said no.", "no thanks"),
        # What was said last refuses nothing.
        ("[declined] The shop is closed.", 2, Outcome.FAILED, "The shop is closed.", "make it large please"),
        ("[declined] It has onions.", 2, Outcome.FAILED, "It has onions.", "without onions please"),
        ("[declined] You said no.", 2, Outcome.CANCELLED, "You said no.", "forget it"),
        ("[schedule] cannot", 0, Outcome.FAILED, "cannot. To schedule it", "那不叫了"),
        # Nothing was said since the last thing was done.
        ("[declined] 你说不叫了。", 0, Outcome.FAILED, "你说不叫了。", "那不叫了"),
        ("There is no such app.", 2, Outcome.FAILED, "There is no such app.", "那不叫了"),
        ("[schedule] I cannot wait.", 0, Outcome.FAILED, "I cannot wait. To schedule it", "那不叫了"),
    ],
)
def test_what_the_user_declined_has_not_failed_and_what_repeats_is_for_a_schedule(
    reason: str, after: int, outcome: Outcome, said: str, remark: str
) -> None:
    turn = ordered("叫个车回家").model_copy(
        update={"steps": (touched("叫车"), ASKED), "remarks": (UserRemark(after=after, text=remark),)}
    )
    ended, answer = end_given_up(reason, turn)
    assert ended is outcome
    assert answer.startswith(said)

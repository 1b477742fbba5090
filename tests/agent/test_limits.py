"""Budgets, the fence around the task's apps, and what the user said on the way."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from assistant.agent.completion import fold
from assistant.agent.context import find_exceeded_limit
from assistant.agent.instruction_check import (
    find_missed_times,
    find_unheeded,
    remarks_of,
)
from assistant.agent.stop_checks import AppRestriction, ChosenWays, find_missed_day
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.records import Click, Cost, ForegroundApp, OpenApp, Point, PressBack, Source, Target, Usage
from assistant.settings.schema import AppLock, TurnSettings
from assistant.skills.command_wording import read_correction
from assistant.skills.slots import with_clock_digits
from tests.safety.screens import button, screen, tap
from tests.tables import each

EATS = ForegroundApp("com.example.eats", ".Main", "Eats")
CHAT = ForegroundApp("com.example.chat", ".Main", "Chat")
HOME = ForegroundApp("com.android.launcher3", ".Launcher", "Launcher")
SHADE = ForegroundApp("com.android.systemui", "", "Notification shade")
TAP = tap(screen(button("x")), 1)


def turn(steps: int = 0, source: Source = Source.MODEL, tokens: int = 0, cost: float = 0) -> Checkpoint:
    return Checkpoint(
        turn_id="t",
        user_id="me",
        started=datetime(2026, 3, 9, tzinfo=UTC),
        said="x",
        instruction="x",
        steps=tuple(StoredStep(number=n, action=PressBack(), source=source) for n in range(1, steps + 1)),
        usage=Usage(prompt_tokens=tokens),
        cost=Cost(amount=cost),
    )


@each(
    ("limits", "checkpoint", "seconds", "sentence"),
    [
        (TurnSettings(max_steps=3), turn(3), 0, "Stopped after 3 steps"),
        (TurnSettings(max_steps=3), turn(5, Source.USER), 0, ""),
        (TurnSettings(max_tokens=100), turn(tokens=100), 0, "Stopped after 100 tokens"),
        (TurnSettings(max_cost=0.5), turn(cost=0.5), 0, "Stopped after $0.50"),
        (TurnSettings(max_seconds=10), turn(), 10.2, "Stopped after 10 seconds"),
        (TurnSettings(), turn(59, tokens=10**9, cost=99), 1e6, ""),
    ],
)
def test_limits(limits: TurnSettings, checkpoint: Checkpoint, seconds: float, sentence: str) -> None:
    reason = find_exceeded_limit(limits, checkpoint, seconds)
    assert reason.startswith(sentence) if sentence else not reason


def test_without_a_lock_everything_is_open() -> None:
    fence = AppRestriction(AppLock.OFF, "order noodles on Eats")
    fence.enter_app(EATS)
    assert fence.find_refusal(OpenApp(name="Chat"), EATS) == ""
    assert fence.find_refusal(TAP, CHAT) == ""


def test_the_first_app_is_the_tasks_unless_others_are_named() -> None:
    fence = AppRestriction(AppLock.TASK, "order noodles")
    fence.enter_app(HOME)
    assert fence.find_refusal(OpenApp(name="Eats"), HOME) == ""
    fence.enter_app(EATS)
    assert "stays in Eats" in fence.find_refusal(OpenApp(name="Chat"), EATS)
    fence.enter_app(CHAT)
    assert "Go back" in fence.find_refusal(TAP, CHAT)
    assert fence.find_refusal(PressBack(), CHAT) == ""
    assert fence.find_refusal(TAP, SHADE) == ""
    assert fence.find_refusal(TAP, HOME) == ""


def test_named_and_invited_apps_belong_to_the_task() -> None:
    fence = AppRestriction(AppLock.TASK, "Order on Eats, then tell Mom in Chat")
    fence.enter_app(EATS)
    assert fence.find_refusal(OpenApp(name="Chat"), EATS) == ""
    fence.enter_app(CHAT)
    assert fence.find_refusal(TAP, CHAT) == ""
    paybox = ForegroundApp("com.example.paybox", ".Checkout", "PayBox")
    fence.enter_app(paybox, approved=True)
    assert fence.find_refusal(TAP, paybox) == ""


def test_the_point_of_a_tap_does_not_matter_to_the_fence() -> None:
    fence = AppRestriction(AppLock.TASK, "x")
    assert fence.find_refusal(TAP.model_copy(update={"point": Point(0, 0)}), EATS) == ""


def heard(command: str, *remarks: str) -> list[UserRemark]:
    """What was said of a command, as the turn keeps it."""
    kept = []
    for text in remarks:
        remark = UserRemark(after=1, text=text)
        if len(corrections := read_correction(command, text)) == 1:
            each = corrections[0]
            command, change = each.command, {"kind": each.kind.value, "new": each.new, "old": each.old}
            remark = remark.model_copy(update=change)
        kept.append(remark)
    return kept


def begun(command: str) -> Checkpoint:
    return turn().model_copy(update={"said": command, "instruction": command})


POOL = fold("Clock 06:40 Once Save Music Moon over Tiles")
POOL_CHINESE = fold("燕麦拿铁 少冰 去结算")


ALARM, SONG, LATTE = "set an alarm for 7:15", "play ten kilometres", "order a latte"


@each(
    ("command", "remarks", "unheeded"),
    [
        (ALARM, ["make it 6:50 actually"], ["make it 6:50 actually"]),
        (ALARM, ["make it 6:40"], []),
        (ALARM, ["6:40 pm, please"], []),
        (ALARM, ["6:50 please", "no, 6:40"], []),
        (ALARM, ["not 6:50"], []),
        (SONG, ["no not that, jazz"], ["no not that, jazz"]),
        (SONG, ["play the moon song instead"], []),
        (LATTE, ["a large one please"], ["a large one please"]),
        ("transfer 50 to Lily Chen", ["sorry, to Tom not Lily"], ["sorry, to Tom not Lily"]),
        ("call mom", ["I meant dad, not mom"], ["I meant dad, not mom"]),
        ("call mom", ["I meant Tim, not mom", "no, I meant Tom"], ["no, I meant Tom"]),
        (LATTE, ["换成热的"], []),
        # These steer the turn, and leave nothing to be seen.
        (SONG, ["scroll down a bit"], []),
        (SONG, ["use the other one"], []),
        (SONG, ["the first one please"], []),
        (SONG, ["hurry up", "yes", "go back"], []),
    ],
)
def test_what_the_user_said_must_show_somewhere(
    command: str, remarks: list[str], unheeded: list[str]
) -> None:
    assert find_unheeded(heard(command, *remarks), POOL, "Done.") == unheeded


@each("remark", ["make it nine", "改成九点", "no, 9", "晚上九点吧", "9点整"])
def test_a_time_in_words_is_the_time_that_the_phone_shows(remark: str) -> None:
    assert find_unheeded(heard(ALARM, remark), "闹钟 9:00 仅一次", "Alarm set: 09:00") == []
    assert find_unheeded(heard(ALARM, remark), "闹钟 6:40 仅一次", "Alarm set: 06:40") == [remark]


@each("remark", ["ten minutes later", "make it an hour earlier please", "晚一刻钟吧"])
def test_how_much_later_shows_nowhere_until_the_time_is_said(remark: str) -> None:
    command = "wake me up at my usual time"
    assert find_unheeded(heard(command, remark), "10:00 6:40", "Alarm set: 06:40") == [remark]
    assert find_unheeded(heard(command, remark, "make it 6:50"), "6:50", "Alarm set: 06:50") == []
    assert find_unheeded(heard("set an alarm for 6:40", remark), "6:40", "Alarm set: 06:40") == [remark]


@pytest.mark.parametrize(("remark", "time"), [("half past six", "6:30"), ("改成六点半", "6:30")])
def test_a_half_hour_in_words_is_found(remark: str, time: str) -> None:
    assert find_unheeded(heard(ALARM, remark), time, "Done.") == []
    assert find_unheeded(heard(ALARM, remark), "6:00", "Done.") == [remark]


def test_a_time_that_a_page_says_in_words_is_found() -> None:
    remark = "改成：我七点半到"
    assert find_unheeded(heard("给妈妈发消息说我晚点到", remark), "妈妈 我七点半到", "好了。") == []
    assert find_unheeded(heard("给妈妈发消息说我晚点到", remark), "妈妈 我八点到", "好了。") == [remark]


def test_a_remark_is_looked_for_on_a_phone_in_its_language() -> None:
    assert find_unheeded(heard("点一杯拿铁", "换成热的"), POOL_CHINESE, "好了。") == ["换成热的"]
    assert find_unheeded(heard("点一杯拿铁", "换成少冰的"), POOL_CHINESE, "好了。") == []
    assert find_unheeded(heard("order a latte", "make it hot"), POOL_CHINESE, "Done.") == []


@each(
    "remark",
    ["make it two portions", "for two please", "do it again but for two", "来两份", "再来一份,两个人的"],
)
def test_how_many_is_followed_where_the_screen_counts_so(remark: str) -> None:
    assert find_unheeded(heard("order beef noodles", remark), "beef noodles ×1 ¥26 2 km", "Done.") == [remark]
    assert find_unheeded(heard("order beef noodles", remark), "beef noodles ×2 ¥52", "Done.") == []
    assert (
        find_unheeded(heard("order beef noodles", remark), "beef noodles quantity 2 add to cart", "Done.")
        == []
    )
    assert find_unheeded(heard("order beef noodles", remark), "beef noodles quantity 1 2 km", "Done.") == [
        remark
    ]


@each(
    "remark",
    [
        "sorry for the confusion",
        "sorry, for the confusion",
        "sorry to bother you",
        "sorry, for now that's enough",
        "actually for now that's enough",
        "i said hurry up",
        "i said slow down",
        "i said be careful",
        "i meant well",
        "i said what i said",
        "a quick one please",
        "the cheap one",
        "no problem",
        "no worries",
        "no, never mind",
        "no, that's fine",
        "take your time",
        "make it quick",
        "换一个吧",
        "改一下",
    ],
)
def test_courtesies_and_how_to_go_on_leave_nothing_to_be_seen(remark: str) -> None:
    for command in (ALARM, SONG, LATTE, "text mom hi", "给妈妈发消息说我到了"):
        assert find_unheeded(heard(command, remark), POOL, "Done.") == []
        assert find_unheeded(heard(command, remark), POOL_CHINESE, "好了。") == []


@each(
    ("command", "remarks"),
    [
        (
            "text Ann hi",
            [
                "sorry, to Ben",
                "sorry, for Lily",
                "oops, for my mum",
                "actually to Ben",
                "i said Tom",
                "i meant to Ben",
            ],
        ),
        ("text Ann hi", ["sorry, to my sister", "no, say good morning"]),
        (LATTE, ["no, i said oat milk", "the blue one", "a large one please", "a quick lunch instead"]),
        (LATTE, ["take the red one", "make it spicy", "no sugar", "with a straw"]),
        (SONG, ["no, jazz", "no, play Hello"]),
        ("navigate to London", ["no, from Rome", "no, to Nice"]),
    ],
)
def test_what_stands_in_the_place_of_something_must_show(command: str, remarks: list[str]) -> None:
    for remark in remarks:
        assert find_unheeded(heard(command, remark), POOL, "Done.") == [remark]


def way_step(label: str) -> StoredStep:
    seen = screen(button(label))
    return StoredStep(number=1, action=tap(seen, 1).model_copy(update={"target": Target(text=label)}))


def test_a_time_that_the_screen_showed_before_is_not_the_one_that_was_set() -> None:
    remark, screen = "make that 7:00 instead", fold("06:45 7:00 alarm")
    assert find_unheeded(heard("wake me at 6:45", remark), screen, "The alarm is set: 6:45") == [remark]
    assert find_unheeded(heard("wake me at 6:45", remark), screen, "The alarm is set: 7:00") == []
    assert find_unheeded(heard("wake me at 6:45", remark), screen, "Done.") == []


@each(
    ("command", "shown", "tapped", "unchosen"),
    [
        ("navigate to Corner Coffee on foot", "Drive 5 min", "", ["on foot"]),
        ("navigate to Corner Coffee on foot", "Walk 20 min", "", []),
        ("navigate to Corner Coffee on foot", "Drive 5 min", "Walk 20 min", []),
        ("navigate to Corner Coffee on foot", "Zu Fuß 20 min", "", []),
        ("navigate to Corner Coffee on foot", "", "Start", []),
        ("navigate to Corner Coffee", "Drive 5 min", "", []),
        ("directions to the Bike Shop by bus", "Drive 5 min", "", ["by bus"]),
        ("directions to the Bike Shop by bus", "Drive 5 min", "Transit", []),
        ("add a note: walk the dog on foot", "Drive 5 min", "", []),
        ("directions to the Metro by car", "Car 5 min", "Metro", []),
        ("directions to the train station on foot", "", "Train station", []),
        ("directions to the train station on foot", "", "Metro", ["on foot"]),
        ("directions to the Metro on foot", "", "Metro", []),
        ("directions to the Carlton on foot", "", "Car", ["on foot"]),
        ("directions to the cinema on foot", "", "Car park", []),
        ("directions to the cinema on foot", "Bus stop Main Street", "", []),
        ("directions to the clinic on foot", "Drive 5 min", "Walk-in clinic", ["on foot"]),
        ("directions to the shops on foot", "Drive 5 min", "Walking Street", ["on foot"]),
        ("directions to the clinic by car", "", "Walk-in clinic", []),
        ("navigate to Corner Coffee on foot", "Driving mode: 12 minutes", "", ["on foot"]),
        ("navigate to Corner Coffee on foot", "Drive 5 min", "Walk · 1 h 20 min (5.2 km)", []),
        ("navigate to Corner Coffee on foot", "Drive 5 min", "20 min walk", []),
        ("navigate to Corner Coffee on foot", "Drive, 5 min, light traffic", "", ["on foot"]),
        ("navigate to Corner Coffee on foot", "By car", "", ["on foot"]),
        ("导航到地铁站，步行", "", "地铁站A口", []),
        ("导航到商场，步行", "驾车 5 分钟", "步行街", ["步行"]),
        ("导航到商场，步行", "公交/地铁 35分钟", "", ["步行"]),
        ("导航到商场，步行", "驾车 5 分钟", "步行约20分钟", []),
        ("导航到街角咖啡，步行", "驾车 5 分钟", "", ["步行"]),
        ("导航到街角咖啡，步行", "步行 20 分钟", "", []),
    ],
)
def test_a_way_of_travelling_is_chosen_or_asked_about(
    command: str, shown: str, tapped: str, unchosen: list[str]
) -> None:
    ways = ChosenWays()
    seen = screen(button("Start"), button(shown))
    chosen = tuple(replace(e, selected=e.text == shown) for e in seen.elements)
    ways.observe(replace(seen, elements=chosen))
    assert ways.find_unchosen(command, [way_step(tapped)] if tapped else []) == unchosen


@each(
    ("said", "instruction", "time"),
    [
        ("wake me up at 7 no 730", "wake me up at 7:30", "7:30"),
        ("set an alarm for 8 i mean 9", "set an alarm for 9", "9:00"),
        ("定明天7点的闹钟，不对，7点半", "定明天7点半的闹钟", "7:30"),
        ("call mom, she said no at 7:30", "call mom, she said no at 7:30", ""),
        ("order a latte, no straw", "order a latte, no straw", ""),
    ],
)
def test_a_time_that_a_command_takes_back_is_not_what_is_meant(
    said: str, instruction: str, time: str
) -> None:
    remarks = remarks_of(turn().model_copy(update={"said": said, "instruction": instruction}))
    assert bool(find_unheeded(remarks, fold("07:00 once"), "The alarm is set: 07:00")) is bool(time)
    assert find_unheeded(remarks, fold(f"{time} once"), f"The alarm is set: {time}") == []


@each("remark", ["no wait make it two", "no wait, two of them", "不对，来两份"])
def test_a_correction_that_is_typed_as_it_was_said_is_not_carried_out(remark: str) -> None:
    note = fold(f"beef noodles ×1 ¥29 note to the seller {remark}")
    remarks = heard("order beef noodles", remark)
    assert find_unheeded(remarks, note, "Ordered.") == [remark]
    assert find_unheeded(remarks, fold("beef noodles ×2 ¥55"), "Ordered.") == []


@each(
    ("command", "counts"),
    [
        ("order my usual lunch but no coriander and two of them", ["two of them"]),
        ("order my usual coffee 但是要两份", ["要两份"]),
        ("again, for two", ["for two"]),
        ("order my usual lunch no wait make it two", ["two"]),
        ("order two oat lattes", []),
    ],
)
def test_how_many_a_command_says_beside_is_looked_for_as_a_remark_is(command: str, counts: list[str]) -> None:
    remarks = remarks_of(begun(command))
    assert find_unheeded(remarks, "beef noodles ×1 ¥26", "Done.") == counts
    assert find_unheeded(remarks, "beef noodles ×2", "Done.") == []


@each(
    ("command", "missed"),
    [
        ("set an alarm for 7 and another one for 7:15", ["another one for 7:15"]),
        ("set an alarm for 7 and another one for 7:00", []),
        ("设一个七点的闹钟，再设一个七点十五的", ["设一个七点十五的"]),
        ("set an alarm for 7:15", []),
    ],
)
def test_a_further_time_of_a_command_that_shows_nowhere_is_missed(command: str, missed: list[str]) -> None:
    assert [part.lstrip("，, ") for part in find_missed_times(command, fold("clock 07:00 once"))] == missed
    assert find_missed_times(command, fold("clock 07:00 07:15 once")) == []
    assert find_missed_times(command, "clock") == []


def test_an_alarm_that_stood_there_before_is_none_that_was_set() -> None:
    save = StoredStep(number=1, action=Click(point=Point(0.5, 0.5), target=Target(text="Save")), app="Clock")
    shown = fold("clock 06:45 once 07:00 weekdays")
    for command, missed in (
        ("set an alarm for 6:45 tmrw and another one for 7", "another one for 7"),
        ("六点四十五叫我起床，七点再叫一次", "七点"),
    ):
        assert find_missed_times(command, shown, (save,)) == [missed]
        assert find_missed_times(command, shown, (save, save)) == []
    assert find_missed_times("set an alarm for 6:45", shown, (save,)) == []


@each(
    ("command", "missed"),
    [
        ("the latte alarm!! 6:45 pls", []),
        ("change the alarm, 6:45", []),
        ("the latte alarm! 6:45 and 7:00", ["7:00"]),
        ("an alarm for lunch and 6:45", ["6:45"]),
        ("an alarm for lunch, 6:45 too", ["6:45 too"]),
        ("an alarm for 7:00, 6:45", ["6:45"]),
        ("the latte alarm!! 6:30 pls", ["6:30 pls"]),
        ("change the alarm, at 6:45 am please", []),
        ("delete the gym alarm, 7:00", ["7:00"]),
        ("turn off the gym alarm, 6:45", ["6:45"]),
        ("change the alarm, add 7:00", ["add 7:00"]),
        ("the latte alarm, set 7:00", ["set 7:00"]),
        ("two alarms, 6:45 / 7:00", ["6:45 / 7:00"]),
        ("闹钟改一下，6:45吧", []),
        ("取消健身闹钟，设7点", ["设7点"]),
    ],
)
def test_a_time_behind_a_command_without_one_is_its_own(command: str, missed: list[str]) -> None:
    save = StoredStep(number=1, action=Click(point=Point(0.5, 0.5), target=Target(text="Save")), app="Clock")
    assert find_missed_times(command, fold("clock 06:45 once 07:00 weekdays"), (save,)) == missed


def test_a_full_hour_that_was_said_is_found_on_a_folded_screen() -> None:
    assert find_unheeded(heard(ALARM, "make it 8"), fold("alarm 08:00 once"), "Done.") == []
    assert find_unheeded(heard(ALARM, "make it 8"), fold("alarm 07:00 once"), "Done.") == ["make it 8"]


@each(
    ("command", "missed"),
    [
        ("set an alarm for 6:45 tmrw and another one for 7", ["another one for 7"]),
        ("wake me at 6:45 and at 7 am", ["at 7 am"]),
        ("六点四十五叫我起床，七点再叫一次", ["七点"]),
        # Seven of something, or minutes, is no time of day.
        ("wake me at 6:45 and order coffee for 7 people", []),
        ("set a timer for 7 minutes, and message Tom at 6:45", []),
    ],
)
def test_an_alarm_that_was_ordered_by_its_hour_and_is_not_shown_is_missed(
    command: str, missed: list[str]
) -> None:
    shown = fold("clock 06:45 once")
    assert [part.lstrip("，, ") for part in find_missed_times(command, shown)] == missed
    assert find_missed_times(command, fold(f"{shown} 07:00")) == []


@each(
    ("text", "digits"),
    [
        ("改成八点", "改成8:00"),
        ("晚上十点半", "22:30"),
        ("二十点二十五分", "20:25"),
        ("下午一点", "13:00"),
        ("点一份面", "点一份面"),
        ("少放一点糖", "少放一点糖"),
        # Numbers of things are no times.
        ("half 25", "half 25"),
        ("pay half 50 and half 20", "pay half 50 and half 20"),
        ("order half 3 and half 4", "order half 3 and half 4"),
        ("pizza half 1, half 2", "pizza half 1, half 2"),
        ("season half 2 and episode 3", "season half 2 and episode 3"),
        ("one and a half 8", "one and a half 8"),
        ("dinner at half 8 tonight", "dinner at 8:30 tonight"),
    ],
)
def test_chinese_times_are_read_in_digits(text: str, digits: str) -> None:
    assert with_clock_digits(text) == digits
    remarks = heard(ALARM, "改成八点")
    assert find_unheeded(remarks, fold("闹钟 08:00"), "") == []
    assert find_unheeded(remarks, fold("闹钟 07:30"), "") == ["改成八点"]


def alarm(said: str, *tapped: str, hour: int = 5, day: date = date(2026, 11, 29)) -> Checkpoint:
    """A turn that began on a day, a Sunday unless said, at this hour and tapped this."""
    steps = tuple(
        StoredStep(number=number, action=Click(point=Point(0.5, 0.5), target=Target(text=text)))
        for number, text in enumerate((*tapped, "Save"), 1)
    )
    began = datetime(day.year, day.month, day.day, hour, 41, tzinfo=UTC)
    return Checkpoint(turn_id="t", user_id="me", started=began, said=said, instruction=said, steps=steps)


@each(
    ("said", "day"),
    [
        ("set an alarm for tomorrow at nine", "tomorrow"),
        ("wake me up at 6:30 tmrw", "tmrw"),
        ("wake me at 7 on tuesday", "tuesday"),
        ("alarm for 9 the day after tomorrow", "the day after tomorrow"),
        ("set an alarm at 8 every friday", "friday"),
        ("明天早上九点叫我起床", "明天"),
        ("定一个周三六点半的闹钟", "周三"),
        ("后天七点叫醒我", "后天"),
    ],
)
def test_an_alarm_that_rings_on_another_day_is_doubted(said: str, day: str) -> None:
    turn = alarm(said)
    missed = find_missed_day(turn, turn.started, fold("alarm 09:00 once mon tue wed save"))
    assert [each.startswith(day) for each in missed] == [True]


@each(
    ("said", "tapped", "hour", "shown"),
    [
        ("set an alarm for tomorrow at nine", ("Monday",), 5, ""),
        ("set an alarm for tomorrow at nine", (), 5, "09:00 tomorrow"),
        ("set an alarm for tomorrow at nine", (), 5, "09:00 mon, 30 nov"),
        # By then nine has passed today.
        ("set an alarm for tomorrow at nine", (), 21, ""),
        ("set an alarm for nine", (), 5, ""),
        ("wake me at 7 on tuesday", ("Tue",), 5, ""),
        ("wake me today at 7", (), 5, ""),
        ("set an alarm for 8 every day", (), 5, ""),
        ("set an alarm for 7 pm on sunday", (), 5, ""),
        ("order lunch tomorrow at nine", (), 5, ""),
        ("明天早上九点叫我起床", ("周一",), 5, ""),
        ("明天早上九点叫我起床", (), 5, "9:00 明天"),
        ("今天早上九点叫我", (), 5, ""),
    ],
)
def test_an_alarm_of_the_day_that_was_said_is_believed(
    said: str, tapped: tuple[str, ...], hour: int, shown: str
) -> None:
    turn = alarm(said, *tapped, hour=hour)
    assert find_missed_day(turn, turn.started, fold(shown)) == []


SUNDAY = date(2026, 11, 29)


@each(
    ("said", "saved", "day"),
    [
        ("remind me to take the bins out tmrw at 7", ["Date Sunday, 2026-11-29"], "tmrw"),
        ("put dinner with Ana into the calendar on friday at 8", ["Sun, 29 Nov", "20:00"], "friday"),
        ("meeting with the landlord the day after tomorrow, 10:30", ["Mon 30 Nov 2026"], "the day after"),
        ("明天三点提醒我拿药", ["11月29日 周日"], "明天"),
        ("周三下午两点记个会", ["日期 2026年12月1日"], "周三"),
    ],
)
def test_what_was_saved_on_another_day_than_was_said_is_doubted(
    said: str, saved: list[str], day: str
) -> None:
    turn = alarm(said, day=SUNDAY)
    missed = find_missed_day(turn, turn.started, "", list(map(fold, saved)))
    assert [each.startswith(day) for each in missed] == [True]


@each(
    ("said", "tapped", "saved"),
    [
        ("remind me to take the bins out tmrw at 7", (), ["Date Monday, 2026-11-30"]),
        ("remind me to take the bins out tmrw at 7", (), []),
        ("remind me to take the bins out tmrw at 7", ("Monday, 2026-11-30",), ["2026-11-29"]),
        ("put dinner with Ana into the calendar on friday at 8", (), ["Fri, 4 Dec"]),
        # “Next Friday” may be either.
        ("put dinner with Ana into the calendar next friday", (), ["Fri, Dec 11"]),
        ("remind me tonight to call about tomorrow's visit", (), ["Sun, 29 Nov"]),
        ("add a note: buy milk", (), ["29 Nov 2026"]),
        ("明天三点提醒我拿药", (), ["11月30日 周一"]),
    ],
)
def test_what_was_saved_on_the_day_that_was_said_is_believed(
    said: str, tapped: tuple[str, ...], saved: list[str]
) -> None:
    turn = alarm(said, *tapped, day=SUNDAY)
    assert find_missed_day(turn, turn.started, "", list(map(fold, saved))) == []


@each(
    ("today", "shown", "is_believed"),
    [
        (date(2026, 12, 4), "09:00 2026-12-05", True),
        (date(2026, 12, 4), "09:00 2026-05-12", False),
        (date(2026, 12, 4), "09:00 5 dec", True),
        (date(2026, 12, 9), "09:00 12-10", True),
        (date(2026, 12, 9), "09:00 10-12", False),
        (date(2026, 12, 9), "09:00 12/10/2026", False),
        (date(2026, 12, 9), "09:00 2026/10/12", False),
        (date(2026, 12, 11), "09:00 12/12/2026", True),
        (date(2026, 12, 24), "09:00 25.12.2026", True),
        (date(2026, 12, 24), "09:00 12/25/2026", True),
    ],
)
def test_a_date_in_figures_is_believed_only_where_it_can_be_no_other_day(
    today: date, shown: str, is_believed: bool
) -> None:
    turn = alarm("set an alarm for tomorrow at nine", day=today)
    assert (find_missed_day(turn, turn.started, fold(shown)) == []) is is_believed

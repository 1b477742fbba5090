from __future__ import annotations

import pytest

from assistant.records import Action, Click, Failed, OpenApp, Point, PressBack, Scroll, TakeOver, Wait
from assistant.simulator.model.parts import parts_of
from assistant.simulator.model.policy import decide, understand
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.situation import Past, Situation
from tests.simulator.model.drive import Drive
from tests.tables import each

TEXT = "send a message to Mom: I will be late"


def screen(*labels: str, package: str = "com.example.chat", keyboard: bool = False) -> Screen:
    flags = frozenset({"clickable"})
    items = tuple(
        Item(place, "button", label, Point(0.5, (place + 1) / (len(labels) + 1)), "", flags)
        for place, label in enumerate(labels)
    )
    return Screen(items, "", package, keyboard)


def action(situation: Situation) -> Action:
    return decide(situation).action


@each(
    ("labels", "package", "tapped"),
    [
        (("Open offer", "iv close"), "com.example.eats", "iv close"),
        (
            ("Don't allow", "Only this time", "While using the app"),
            "com.google.android.permissioncontroller",
            "While using the app",
        ),
        (("Update now", "Later"), "com.example.maps", "Later"),
        (("去评分", "暂不"), "com.example.eats", "暂不"),
    ],
)
def test_what_is_in_the_way_goes_first(labels: tuple[str, ...], package: str, tapped: str) -> None:
    done = action(Situation(TEXT, screen(*labels, package=package), (Past("open_app", "Chat"),)))
    assert isinstance(done, Click)
    assert done.content == tapped


def test_a_permission_dialog_of_an_earlier_turn_is_left_alone() -> None:
    dialog = screen("Don't allow", "Allow", package="com.android.permissioncontroller")
    assert action(Situation(TEXT, dialog)) == OpenApp(name="Chat")
    assert isinstance(action(Situation("knit me a sweater", dialog)), Failed)


def test_the_app_is_opened_by_its_name_and_by_its_other_name_after_an_error() -> None:
    home = screen("Clock", package="com.android.launcher3")
    assert action(Situation(TEXT, home)) == OpenApp(name="Chat")
    refused = Past("open_app", "Chat", "No app is called “Chat”.")
    assert action(Situation(TEXT, home, (refused,))) == OpenApp(name="微聊")
    both = (refused, Past("open_app", "微聊", "No app is called “微聊”."))
    assert isinstance(action(Situation(TEXT, home, both)), Failed)


@each(
    ("command", "who", "text"),
    [
        ("text Susan Lin im gonna be late, like 20 min", "Susan Lin", "im gonna be late, like 20 min"),
        ("text mom im late, sorry", "mom", "im late, sorry"),
        ("text mom, im late", "mom", "im late"),
        ("text Susan Lin: im late, sorry", "Susan Lin", "im late, sorry"),
    ],
)
def test_a_message_begins_behind_the_name_whatever_its_commas(command: str, who: str, text: str) -> None:
    understood = understand(Situation(command, screen()))
    assert understood is not None
    assert (understood[1]["who"], understood[1]["text"]) == (who, text)


def test_loading_is_waited_for_but_not_for_ever() -> None:
    loading = Screen((Item(0, "text", "Loading…", Point(0.5, 0.5)),), "", "com.example.chat")
    assert isinstance(action(Situation(TEXT, loading)), Wait)
    assert isinstance(action(Situation(TEXT, loading, (Past("wait"),) * 9)), Failed)


def test_an_unknown_place_is_left_with_back() -> None:
    lost = Situation(TEXT, screen("Something"), (Past("wait"), Past("wait")))
    assert isinstance(action(lost), PressBack)


def test_the_user_can_call_it_off_and_a_refusal_ends_it() -> None:
    assert isinstance(action(Situation(TEXT, screen("x"), (), ("The user says: never mind",))), Failed)
    refused = Past("click", "send button", "the user said no")
    assert isinstance(action(Situation(TEXT, screen("x"), (refused,))), Failed)


def test_a_locked_phone_is_handed_to_the_user() -> None:
    locked = screen("Swipe up to unlock", package="com.android.systemui")
    assert isinstance(action(Situation(TEXT, locked)), TakeOver)


def test_a_button_that_does_nothing_is_given_up() -> None:
    tries = (Past("click", "Mom"),) * 4
    assert isinstance(action(Situation(TEXT, screen("Mom"), tries)), Failed)


def test_a_menu_that_scrolls_no_further_is_left_for_the_shop_that_was_meant() -> None:
    """After an order that was given up another shop's menu is open, and too short to scroll."""
    tappable = frozenset({"clickable"})
    menu = (
        Item(0, "text", "Corner Coffee", Point(0.5, 0.08)),
        Item(1, "list", "menu", Point(0.5, 0.5), "", frozenset({"scrollable"})),
        Item(2, "item", "Flat white · ¥26", Point(0.5, 0.3), "", tappable),
        Item(3, "text", "Check out", Point(0.5, 0.95)),
    )
    shown = Screen(menu, "", "com.example.eats")
    order = "order beef noodles"
    first = (Past("press_back"),)
    assert isinstance(action(Situation(order, shown, first)), Scroll)
    moved_nothing = ("The scroll down moved nothing: no more is there, or nothing scrolls there.",)
    assert isinstance(action(Situation(order, shown, (*first, Past("scroll")), moved_nothing)), PressBack)


def test_an_instruction_nobody_knows_fails_in_words() -> None:
    done = action(Situation("compose a symphony about rain", screen("x")))
    assert isinstance(done, Failed)
    assert "scripted" in done.reason


@each(
    ("note", "slot", "value"),
    [
        ("message Dad instead", "who", "Dad"),
        ("say I am on my way instead", "text", "I am on my way"),
        ("改发给爸爸吧", "who", "爸爸"),
    ],
)
def test_what_the_user_says_corrects_a_message(note: str, slot: str, value: str) -> None:
    read = understand(Situation(TEXT, screen("x"), (), (f"The user says: {note}",)))
    assert read is not None
    assert read[1][slot] == value


@each("number", [1, 3, 4, 5])
def test_a_corrected_message_goes_to_the_right_person(number: int) -> None:
    run = Drive(notes={number: "message Dad instead"}).run(TEXT)
    messages = run.state["apps"]["com.example.chat"]["messages"]
    assert run.outcome == "success"
    assert messages["Dad"][-1]["text"] == "I will be late"
    assert messages["Mom"][-1]["from"] == "Mom"


@each("number", [3, 8, 10])
@each(
    ("note", "shop", "size"),
    [
        ("not that shop, the one called Noodle Bar", "Old Street Noodle Bar", "Regular"),
        ("use the small size", "Old Street Noodles", "Small"),
    ],
)
def test_a_corrected_order_is_what_arrives(number: int, note: str, shop: str, size: str) -> None:
    run = Drive(notes={number: note}).run("order beef noodles")
    orders = run.state["apps"]["com.example.eats"]["orders"]
    assert [(order["shop"], len(order["items"])) for order in orders] == [(shop, 1)]
    assert size in orders[0]["items"][0]["options"]


@each(
    ("command", "words", "slot", "value"),
    [
        (TEXT, "actually say i'll be there at nine", "text", "i'll be there at nine"),
        (TEXT, "no, write: I'll be there at nine", "text", "I'll be there at nine"),
        (TEXT, "no, text Dad instead", "who", "Dad"),
        ("给妈妈发消息说我晚点到", "改成九点到", "text", "九点到"),
        ("order beef noodles", "two of them please", "count", "2"),
        ("order beef noodles", "make it two portions", "count", "2"),
        ("order beef noodles", "do it again but for two", "count", "2"),
        ("点一份牛肉面", "来两份", "count", "2"),
        ("send 45 yuan to Lina", "no, make it 54 yuan", "amount", "54"),
    ],
)
def test_a_plain_correction_is_followed(command: str, words: str, slot: str, value: str) -> None:
    understood = understand(Situation(command, screen(), notes=(f"The user says: {words}",)))
    assert understood is not None
    assert understood[1][slot] == value


def test_what_is_to_be_told_is_not_cut_and_a_name_is_one_word() -> None:
    command = "text mom that I will be late and call me back at 5"
    assert parts_of(command, lambda text: understand(Situation(text, screen())) is not None) == (command,)
    understood = understand(Situation("text tom happy birthday", screen()))
    assert understood is not None
    assert (understood[1]["who"], understood[1]["text"]) == ("tom", "happy birthday")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("say 30 minutes instead", "I'll be 30 minutes late"),
        ("say I'm not coming", "I'm not coming"),
    ],
)
def test_an_amount_that_is_corrected_leaves_the_rest_of_the_text(said: str, text: str) -> None:
    situation = Situation("text Mom I'll be 20 min late", screen("Mom"), notes=(f"The user says: {said}",))
    understood = understand(situation)
    assert understood is not None
    assert understood[1]["text"] == text


@each(
    ("command", "task", "slots"),
    [
        (
            "remind me every friday at 5:30 pm to hand in the report",
            "set an alarm",
            {"time": "17:30", "days": "4", "label": "hand in the report"},
        ),
        (
            "remind me to water the plants every day at 8",
            "set an alarm",
            {"time": "08:00", "days": "0,1,2,3,4,5,6", "label": "water the plants"},
        ),
        (
            "每周五下午五点半提醒我交周报",
            "set an alarm",
            {"time": "17:30", "days": "4", "label": "交周报"},
        ),
        ("提醒我每天晚上九点吃药", "set an alarm", {"time": "21:00", "label": "吃药"}),
        ("remind me to take the pills at 9 tonight", "add an event", {"what": "take the pills"}),
        ("提醒我今晚九点吃药", "add an event", {"what": "吃药"}),
    ],
)
def test_a_reminder_that_comes_again_is_an_alarm_and_another_an_appointment(
    command: str, task: str, slots: dict[str, str]
) -> None:
    found = understand(Situation(command, screen()))
    assert found is not None
    assert found[0].name == task
    assert slots.items() <= found[1].items()

from __future__ import annotations

from dataclasses import replace
from datetime import time
from functools import partial
from typing import Any, cast

import pytest

from assistant.conversation.past_questions import routines_named
from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Conversation
from assistant.conversation.setting_changes import (
    SuggestionSwitches,
    Switches,
    SwitchRefused,
    TypedUndo,
    tell_beside,
)
from assistant.memory_view.items import Item, ItemDetails, ItemList, Section
from assistant.memory_view.service import MemoryView
from tests.tables import each

from .past import ask


@pytest.mark.parametrize(
    ("line", "hours"),
    [
        ("don't disturb me after ten", "22:00-06:30"),
        ("no suggestions at night", "22:00-07:00"),
        ("晚上别给我推荐", "18:00-06:30"),
        ("no suggestions after 10 at night", "22:00-06:30"),
        ("dont suggest anything before 9", "22:30-09:00"),
        ("don't suggest things between 22 and 7", "22:00-07:00"),
        ("please leave me alone from half past nine to 8 am", "21:30-08:00"),
        ("don't disturb me until noon every day", "22:30-12:00"),
        ("每天下午五点之前别打扰我", "22:30-17:00"),
        ("quiet hours from 10 pm to noon", "22:00-12:00"),
        ("以后晚上十点以后别给我推荐东西", "22:00-06:30"),
        ("别在九点前给我推荐", "22:30-09:00"),
        ("晚上十二点到早上七点不要打扰我", "00:00-07:00"),
        ("stop recommending stuff to me in the mornings, you're annoying", "22:30-12:00"),
        ("stop suggesting things at night its so distracting", "22:00-07:00"),
        ("dont offer me anything before 8 am because i sleep", "22:30-08:00"),
        ("早上别给我推荐东西了，吵死了", "22:30-12:00"),
        ("no suggestions from 9 pm to 5 am", "21:00-05:00"),
        ("no suggestions from 9 to 17", "09:00-17:00"),
    ],
)
def test_hours_without_suggestions_are_set_told_and_taken_back(
    conversation: Conversation, switched: list[bool], line: str, hours: str
) -> None:
    told = ask(conversation, line)
    start, end = hours.split("-")
    assert told.is_answered
    assert f"from {start} to {end}" in told.text or f"{start}到{end}" in told.text
    undone = ask(conversation, "undo").text
    assert "as before" in undone
    assert "from 22:30 to 06:30" in undone
    assert switched == []


def test_a_time_that_the_line_does_not_name_is_told_as_kept_and_not_written(
    conversation: Conversation,
) -> None:
    told = ask(conversation, "don't disturb me after ten").text
    assert "06:30 was set before" in told
    assert "Kept: 22:00-as it is." in told
    assert "Kept: 22:30-as it is." in ask(conversation, "undo").text
    assert "was set before" not in ask(conversation, "don't suggest things between 22 and 7").text


def test_undo_says_that_suggestions_are_as_before(conversation: Conversation) -> None:
    ask(conversation, "stop suggesting things")
    undone = ask(conversation, "undo").text
    assert undone.startswith("Taken back, as before: Suggestions are on.")
    assert "undo" not in undone


@pytest.mark.parametrize(
    "line",
    [
        "don't disturb me after ten tonight",
        "周末九点前别打扰我",
        "leave me alone until 5 pm",
        "don't disturb me until noon",
        "be quiet until 7",
        "下午五点之前别打扰我",
        "no suggestions from 7 am to 7 am",
        "don't suggest lunch after ten",
        "十点后不要提醒我吃药",
    ],
)
def test_hours_of_one_day_or_one_routine_are_not_set_for_all(conversation: Conversation, line: str) -> None:
    told = ask(conversation, line)
    assert not told.is_answered
    assert "Kept" not in told.text


@each(
    ("line", "hours"),
    [
        ("no suggestions from 9 to 5", "09:00 to 17:00"),
        ("don't suggest anything between 8 and 4", "08:00 to 16:00"),
    ],
)
def test_hours_of_work_or_of_a_night_are_asked_about(
    conversation: Conversation, line: str, hours: str
) -> None:
    told = ask(conversation, line)
    assert "Nothing was changed" in told.text
    assert hours in told.text


@each("line", ["turn on do not disturb after ten", "请勿打扰", "wake me before nine"])
def test_what_the_phone_switches_stays_a_command(line: str) -> None:
    assert route(line).kind is RouteKind.COMMAND


class Routines:
    """A view of one routine, which is done on some weekdays at noon."""

    def __init__(self, *weekdays: int) -> None:
        self.hidden: list[str] = []
        noon = [0] * 12 + [3] + [0] * 11
        self._heat = tuple(tuple(noon if day in weekdays else [0] * 24) for day in range(7))
        self._item = Item("r1", "Order beef noodles", frozenset(), hours=tuple(noon))

    def items(self, _section: Section) -> ItemList:
        return ItemList((self._item,))

    def details(self, _section: Section, _item: Item) -> ItemDetails:
        return ItemDetails((), heat=self._heat)

    def stop_suggesting(self, item: Item) -> None:
        self.hidden.append(item.id)


def never(*_arguments: object) -> Any:
    raise AssertionError("nothing else is switched")


@each("words", ["lunch on sundays", "lunch at the weekend", "周日的午饭"])
def test_a_routine_is_not_hidden_on_all_days_because_some_were_named(words: str) -> None:
    for weekdays, hidden in (((0, 1, 2, 3, 4), []), (tuple(range(7)), []), ((6,), ["r1"])):
        hides_on(weekdays, words, hidden)


@each(
    "line",
    [
        "never remind me of lunch on weekdays",
        "no lunch suggestions on weekdays",
        "don't bother me with lunch on weekdays",
        "stop the lunch suggestions on weekdays",
        "工作日别推荐午饭",
        "别再工作日推荐午饭了",
        "以后工作日都不要给我建议午饭",
    ],
)
def test_every_form_of_the_wish_keeps_its_days(line: str) -> None:
    asked = route(line)
    assert asked.kind is RouteKind.STOP_SUGGESTING
    for weekdays, hidden in ((tuple(range(7)), []), ((0, 2, 4), ["r1"])):
        hides_on(weekdays, asked.rest, hidden)


@pytest.mark.parametrize("line", ["别老是给我推荐这推荐那的 烦死了", "别给我推荐这些那些了"])
def test_what_only_points_means_all_suggestions(line: str) -> None:
    asked = route(line)
    assert (asked.kind, asked.rest) == (RouteKind.STOP_SUGGESTING, "")


@pytest.mark.parametrize(
    "line",
    [
        "don't bother me on saturdays",
        "no suggestions at the weekend",
        "please don't disturb me on Mondays",
        "周六别打扰我",
        "周末不要给我推荐",
    ],
)
def test_a_day_without_suggestions_is_understood_and_refused_in_words(
    conversation: Conversation, switched: list[bool], line: str
) -> None:
    asked = route(line)
    assert asked.kind is RouteKind.QUIET_HOURS
    reply = conversation.reply(asked)
    assert not reply.is_answered
    assert "22:00" in reply.text
    assert switched == []


@each("line", ["don't mention it", "no reminders on sundays", "推荐一家周末的餐厅"])
def test_what_is_no_such_wish_switches_nothing_off(line: str) -> None:
    assert route(line).kind is not RouteKind.STOP_SUGGESTING


def hides_on(weekdays: tuple[int, ...], words: str, hidden: list[str]) -> None:
    view = Routines(*weekdays)
    switches = SuggestionSwitches(
        Switches(never, never, never),
        partial(cast, MemoryView, view),
        cast(TypedUndo, None),
        (time(22), time(7)),
        never,
    )
    if hidden:
        assert "Order beef noodles" in switches.stop_suggesting(words, words)
    else:
        with pytest.raises(SwitchRefused, match="names days"):
            switches.stop_suggesting(words, words)
    assert view.hidden == hidden


@each("line", ["stop suggesting kayaking to me", "别再给我推荐划船"])
def test_what_is_not_suggested_is_told_to_be_unchanged_with_what_can_be_said(
    conversation: Conversation, line: str
) -> None:
    reply = ask(conversation, line)
    assert not reply.is_answered


@each(
    ("line", "hidden", "behind"),
    [
        ("stop suggesting coffee, tea and noodles", ("coffee", "noodles", "tea"), ""),
        ("stop suggesting mac and cheese", ("mac and cheese",), ""),
        ("别推荐咖啡和奶茶", ("咖啡", "奶茶"), ""),
        # Each thing of a list must name a routine.
        ("stop suggesting noodles, kayaking and tea", ("noodles",), "kayaking and tea"),
        ("stop suggesting coffee, tea and noodles are fine", ("coffee",), "tea and noodles are fine"),
        ("stop suggesting coffee and not tea", ("coffee",), "and not tea"),
        # What is no list says why, or whom it is said to.
        *(
            (f"stop suggesting coffee, {behind}", ("coffee",), "")
            for behind in ("not tea", "just tea", "mom", "allergic", "on a diet", "tea is fine")
        ),
        ("stop suggesting noodles, more pizza", ("noodles",), ""),
        ("stop suggesting noodles, prefer pizza", ("noodles",), ""),
    ],
)
def test_only_a_list_of_things_that_each_name_a_routine_hides_them_all(
    line: str, hidden: tuple[str, ...], behind: str
) -> None:
    names = ("coffee", "tea", "noodles", "pizza", "mac and cheese", "cheese cake", "咖啡", "奶茶")
    routines = [Item(f"r{at}", f"Order {name}", frozenset()) for at, name in enumerate((*names, "mom"))]
    chosen, left = routines_named(route(line).rest, routines)
    assert (sorted(item.name for item in chosen), left) == (
        sorted(f"Order {name}" for name in hidden),
        behind,
    )


class NamedRoutines(Routines):
    """A view of two routines: noodles at noon, in both languages."""

    def items(self, _section: Section) -> ItemList:
        return ItemList((self._item, replace(self._item, id="r2", name="点老街的牛肉面，送到公司")))


@each(
    ("line", "hidden"),
    [
        # The thing stands in a clause of its own, before or behind the wish.
        ("就是牛肉面那个 别推荐了", ["r2"]),
        ("别推荐了 就是牛肉面那个", ["r2"]),
        ("挺好！中午别老给我推荐点面了 最近减肥", ["r2"]),
        ("就牛肉面不要推", ["r2"]),
        ("the noodles one, stop suggesting it", ["r1"]),
        ("noodles. stop suggesting", ["r1"]),
        # What only points, what no routine says, and what a reason or an exception names, is asked about.
        ("那个别推荐了", []),
        ("别推荐这个了", []),
        ("stop suggesting that", []),
        ("the podcast, no more suggestions", []),
        ("i'm sick of noodles, stop suggesting", []),
        ("牛肉面好烦 别推荐了", []),
        ("我不喝咖啡了 别推荐了", []),
        ("i don't drink coffee anymore, stop suggesting", []),
        ("除了牛肉面别的都别推荐了", []),
        ("stop suggesting everything, except noodles", []),
    ],
)
def test_what_names_a_thing_never_ends_all_suggestions(line: str, hidden: list[str]) -> None:
    view = NamedRoutines(*range(7))
    switches = SuggestionSwitches(
        Switches(never, never, never),
        partial(cast, MemoryView, view),
        cast(TypedUndo, None),
        (time(22), time(7)),
        never,
    )
    target = route(line)
    assert target.kind is RouteKind.STOP_SUGGESTING
    if hidden:
        switches.stop_suggesting(target.rest, line)
    else:
        with pytest.raises(SwitchRefused):
            switches.stop_suggesting(target.rest, line)
    assert view.hidden == hidden


@each(
    ("line", "restated", "states"),
    [
        # What a model restates brings back only what a line has just ended.
        ("不是全关啊！！就牛肉面不要推，别的照旧", "", [False, True]),
        ("我没让你全关，牛肉面不推就行", "重新开始推荐，别再推荐牛肉面", [False, True]),
        ("重新开始推荐，别再推荐牛肉面", "", [False, True]),
        ("别再推荐牛肉面", "", [False]),
    ],
)
def test_two_settings_of_a_line_are_both_made(
    conversation: Conversation, switched: list[bool], line: str, restated: str, states: list[bool]
) -> None:
    view = NamedRoutines(*range(7))
    conversation._switches._view = partial(cast, MemoryView, view)
    switched.clear()
    assert conversation.reply(route("别推荐了")).is_answered
    reply = conversation.reply(replace(route(restated or line), sure=not restated))
    assert (view.hidden.pop(), switched.copy()) == ("r2", states)
    assert ("重新打开" in reply.text) is (states == [False])
    conversation._switches.is_off = False


def test_what_a_model_restates_switches_nothing_on_that_no_line_has_just_ended(
    conversation: Conversation, switched: list[bool]
) -> None:
    conversation._switches._view = partial(cast, MemoryView, NamedRoutines(*range(7)))
    reply = conversation.reply(replace(route("suggest again, stop suggesting noodles"), sure=False))
    assert switched == []
    assert "Not taken: “suggest again”" in reply.text


@each("said", ["anything, ever", "things, enough", "anything, really"])
def test_all_suggestions_end_whatever_is_said_behind(said: str) -> None:
    assert (route(f"stop suggesting {said}").kind, route(f"stop suggesting {said}").rest) == (
        RouteKind.STOP_SUGGESTING,
        "",
    )


@each(
    ("line", "told"),
    [
        ("dont suggest me that news podcast anymore, n dont ask before setting alarms", "needs no yes"),
        ("别再推荐新闻播客了，设闹钟也别问我", "needs no yes"),
        ("stop suggesting coffee, set an alarm at 7", "Not taken: “set an alarm at 7”."),
        ("no suggestions after ten, and call mom", "Not taken: “call mom”."),
        ("stop suggesting lunch, also dont suggest dinner", "Not taken: “dont suggest dinner”."),
        *(
            (line, "")
            for line in (
                "stop suggesting coffee, it is annoying",
                "stop suggesting lunch, i'm vegan",
                "stop suggesting lunch, i told you already",
                "stop suggesting lunch. thanks",
                "dont suggest me lunch, it's too expensive",
                "别推荐了，烦死了",
                "stop suggesting coffee",
            )
        ),
    ],
)
def test_the_rest_of_a_line_that_changes_a_setting_is_answered_or_said_to_be_not_taken(
    line: str, told: str
) -> None:
    beside = tell_beside(route(line))
    assert told in beside
    assert bool(beside) is bool(told)


def test_what_a_line_wishes_besides_is_told_with_what_was_changed(conversation: Conversation) -> None:
    assert "needs no yes" in ask(conversation, "no suggestions after ten, n dont ask before alarms").text


@each(
    ("line", "kind"),
    [
        ("dont ask before setting alarms", RouteKind.ASKING),
        ("you dont have to ask before setting alarms", RouteKind.ASKING),
        ("设闹钟别问我", RouteKind.ASKING),
        ("设个7点的闹钟", RouteKind.COMMAND),
        ("dont ask before ordering, just order tea", RouteKind.COMMAND),
        ("don't ask mom before you order", RouteKind.COMMAND),
        ("dont ask for sugar", RouteKind.COMMAND),
    ],
)
def test_whether_it_asks_before_a_deed_is_told_and_nothing_begins(line: str, kind: RouteKind) -> None:
    assert route(line).kind is kind

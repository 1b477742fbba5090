"""A schedule is cancelled by what it does and when; what lies on the phone is cancelled there."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation
from assistant.i18n import has_chinese
from assistant.memory.store import Store
from assistant.proactive.schedules import Schedules
from assistant.records import Outcome
from tests.tables import each

from .past import NEWS, NOW, SCHEDULES, ask, change_schedule, ended_turn, find_meant


@pytest.mark.parametrize(
    ("line", "gone"),
    [
        ("cancel the 8am coffee thing", "order my usual coffee"),
        ("把早上八点那个奶茶取消了吧", "帮我点平时的奶茶"),
        ("取消八点的奶茶", "帮我点平时的奶茶"),
        ("please stop the evening podcast every day", "play the evening podcast"),
        ("stop ordering my usual coffee every weekday", "order my usual coffee"),
    ],
)
def test_the_schedule_that_is_meant_is_removed_and_comes_back(
    conversation: Conversation, schedules: Schedules, line: str, gone: str
) -> None:
    before = schedules.all()
    target = find_meant(route(line), schedules)
    assert target.kind is RouteKind.SCHEDULE
    assert gone in conversation.reply(target).text
    assert gone not in [schedule.instruction for schedule in schedules.all()]
    undone = ask(conversation, "undo").text
    assert undone.startswith("It is back: ")
    assert "“redo” removes it" in undone
    assert schedules.all() == before


@pytest.mark.parametrize("line", ["every weekday at 9 order my usual tea", "每天九点帮我点奶茶"])
def test_a_schedule_that_is_taken_back_is_not_said_to_be_there_again(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    before = schedules.all()
    conversation.reply(route(line))
    assert len(schedules.all()) == len(before) + 1
    undone = ask(conversation, "undo").text
    assert undone.startswith("Undone: ")
    assert "“redo”" in undone
    assert schedules.all() == before


@pytest.mark.parametrize(
    ("rest", "would", "did"),
    [
        ("remove 3", "“undo” again brings back the schedule “every weekday at 8", "It is back: the schedule"),
        ("change 3 every weekday at 9", "makes it as before: the schedule “every weekday at 8", "as before"),
        ("pause 3", "makes it as before: the schedule “every weekday at 8", "as before"),
        ("at 9 every day play some jazz", "again removes the schedule", "jazz” is removed. “redo” brings it"),
    ],
)
def test_undo_says_what_becomes_of_the_schedule(
    conversation: Conversation, store: Store, schedules: Schedules, rest: str, would: str, did: str
) -> None:
    before = schedules.all()
    conversation.reply(Route(RouteKind.SCHEDULE, rest, rest=rest))
    started = NOW + timedelta(minutes=1)
    ended_turn(store, Outcome.CANCELLED, "", "Cancelled.", said="get me a coffee", started=started)
    assert would in ask(conversation, "undo").text
    assert did in ask(conversation, "undo").text
    assert schedules.all() == before


@pytest.mark.parametrize(
    "line",
    [
        # An order of today, an alarm, another hour, and what is booked elsewhere.
        "cancel my coffee",
        "cancel the alarm at 8",
        "取消八点的闹钟",
        "cancel the 9am coffee thing",
        "cancel the 8am yoga class",
        "cancel the order",
        "order my usual coffee every weekday at 8",
    ],
)
def test_what_no_schedule_does_at_that_time_stays_what_it_is(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules) == route(line)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("remove the 6:15 schedule", "bring the 6:15 schedule back"),
        ("remove the 6:15 schedule", "bring it back"),
        ("remove the 6:15 schedule", "bring back the news one"),
        ("remove the 6:15 schedule", "把6:15的定时恢复"),
        ("pause the 6:15 one", "resume the news schedule"),
        ("pause the 6:15 one", "bring the news schedule back please"),
    ],
)
def test_a_schedule_that_is_gone_comes_back_by_its_name(
    conversation: Conversation, schedules: Schedules, before: str, line: str
) -> None:
    schedules.add(*NEWS, NOW, "Europe/Berlin")
    kept = schedules.all()
    change_schedule(conversation, schedules, before)
    assert schedules.all() != kept
    assert "navigate me home" in change_schedule(conversation, schedules, line)
    assert schedules.all() == kept
    assert "Redone" in ask(conversation, "redo").text or "pause" in before


@each(
    "lines",
    [
        ("pause the coffee schedule", "resume the schedule"),
        ("pause the coffee schedule", "resume it"),
        ("pause the coffee schedule", "turn it back on"),
    ],
)
def test_what_was_paused_last_is_resumed_by_pointing_at_it(
    conversation: Conversation, schedules: Schedules, lines: tuple[str, str]
) -> None:
    kept = schedules.all()
    for line in lines:
        change_schedule(conversation, schedules, line)
    assert schedules.all() == kept


@pytest.mark.parametrize("order", ["remove", "pause"])
def test_of_several_that_are_gone_each_is_named_with_what_brings_it_back(
    conversation: Conversation, schedules: Schedules, order: str
) -> None:
    for times in ("every day at 7", "every day at 11"):
        schedules.add(times, "order coffee beans", NOW, "Europe/Berlin")
    first, second, _third = (each for each in schedules.all() if "coffee" in each.instruction)
    for words in (f"remove {first.number}", f"{order} {second.number}"):
        conversation.reply(Route(RouteKind.SCHEDULE, words, rest=words))
    stands = schedules.all()
    reply = conversation.reply(find_meant(route("resume the coffee schedule"), schedules))
    assert not reply.is_answered
    assert f"/schedule restore {first.number}  " in reply.text
    assert f"{'resume' if order == 'pause' else 'restore'} {second.number}  " in reply.text
    assert schedules.all() == stands


@each("line", ["get me a coffee back", "bring me some coffee back", "resume jazz"])
def test_an_order_brings_no_schedule_back(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    change_schedule(conversation, schedules, "remove the coffee schedule")
    assert find_meant(route(line), schedules) == route(line)


@each(
    ("line", "told"),
    [
        ("stop the coffee schedule for a week", "Nothing was changed."),
        ("cancel the coffee schedule this morning", "Nothing was changed."),
        ("cancel the coffee schedule at 9", "Nothing was changed."),
        ("stop the podcast schedule for now", "Paused: "),
    ],
)
def test_a_schedule_that_is_to_end_for_some_time_is_not_removed(
    conversation: Conversation, schedules: Schedules, line: str, told: str
) -> None:
    before = len(schedules.all())
    assert change_schedule(conversation, schedules, line).startswith(told)
    assert len(schedules.all()) == before


@pytest.mark.parametrize(
    "line",
    ["cancel that", "oh no, never mind", "delete that schedule", "scrap it please", "取消刚才那个", "算了"],
)
def test_what_was_scheduled_just_now_is_taken_back_by_the_next_line(
    conversation: Conversation, schedules: Schedules, line: str
) -> None:
    target = find_meant(route(line), schedules)
    assert "brings it back" in conversation.reply(target).text or has_chinese(line)
    assert [each.instruction for each in schedules.all()] == [
        instruction for _times, instruction in SCHEDULES[:2]
    ]


@each("line", ["cancel that", "scrap it please", "取消刚才那个", "not on fridays", "make it 9"])
@pytest.mark.parametrize("outcome", [Outcome.SUCCESS, Outcome.CANCELLED, Outcome.FAILED])
def test_behind_a_turn_however_it_ended_no_schedule_is_pointed_at(
    store: Store, schedules: Schedules, line: str, outcome: Outcome
) -> None:
    started = NOW + timedelta(minutes=1)
    ended_turn(store, outcome, "", "It may wait there.", said="get me a big coffee", started=started)
    assert find_meant(route(line), schedules, NOW + timedelta(minutes=2)).kind is not RouteKind.SCHEDULE


@each(
    "line", ["go cancel it in eats too so they dont make it", "cancel my coffee request", "stop that in maps"]
)
def test_what_names_something_else_ends_no_schedule(schedules: Schedules, line: str) -> None:
    assert find_meant(route(line), schedules).kind is not RouteKind.SCHEDULE


@pytest.mark.parametrize(("between", "goes"), [("what did I order last week", False), ("thanks", True)])
def test_only_the_line_behind_a_schedule_ends_it_without_its_name(
    conversation: Conversation, schedules: Schedules, between: str, goes: bool
) -> None:
    ask(conversation, "every day at 9 play some jazz")
    ask(conversation, between)
    reply = conversation.reply(find_meant(route("cancel that"), schedules))
    assert ("play some jazz" in [kept.instruction for kept in schedules.all()]) is not goes
    assert reply.offer == ("" if goes else f"/schedule remove {len(SCHEDULES) + 1}")


@pytest.mark.parametrize("line", ["cancel that", "算了", "取消刚才那个"])
def test_later_or_in_a_turn_nothing_scheduled_is_meant_by_it(schedules: Schedules, line: str) -> None:
    target = route(line)
    assert find_meant(target, schedules, NOW + timedelta(minutes=30)) == target
    if target.kind is RouteKind.CANCEL:
        assert find_meant(target, schedules, running=True) == target

"""Which commands a model reads: those that the memory is not sure of."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.embedding.models import Tagging, bundled_tagger
from assistant.records import Outcome, State
from assistant.understand.resolution import Resolution, ResolutionKind
from assistant.understand.service import UnderstandingService
from assistant.understand.types import EarlierTurn, EvidenceFact
from tests.understand.memories import PlainProfile, memory, named, preference
from tests.understand.test_model_assist import NOODLES, NOW, SOUP, Writer, read, understood


async def test_a_command_that_refers_back_is_read_however_explicit_it_looks() -> None:
    model = Writer(read("", decision="as_said"))
    for said in ("settle the boy same as Friday", "转给他 同上次", "settle the boy"):
        service = UnderstandingService(
            lambda: memory(PlainProfile(), NOODLES),
            lambda: State(time=NOW),
            model=model,
            tagger=lambda command: Tagging(0.01, 0.01, ()),
        )
        resolution = await service.resolve_with_model(said)
        assert (resolution.decision, resolution.instruction) == (ResolutionKind.AS_SAID, said)
    assert len(model.asked) == 4


async def test_words_that_mean_the_same_for_all_stay() -> None:
    answer = read("", decision="as_said")
    resolution = await understood("get my usual order", Writer(answer), NOODLES, SOUP)
    assert (resolution.instruction, resolution.decision) == ("get my usual order", ResolutionKind.AS_SAID)


@pytest.mark.parametrize("said", ["set an alarm for 7", "call Susan"])
async def test_no_model_is_asked_without_need(said: str) -> None:
    model = Writer(read("get beef noodles", "p1"))
    sure = preference("Order beef noodles on Eats", "Eats", 0.95)
    await understood(said, model, sure)
    assert model.asked == []


async def test_what_is_sure_is_not_read() -> None:
    model = Writer(read("", decision="ask"))
    young = preference("Order beef noodles on Eats", "Eats", 0.95)
    assert (await understood("get my usual order", model, young)).missing
    assert model.asked
    unasked = Writer(read("", decision="ask"))
    old = preference("Order beef noodles on Eats", "Eats", 0.95, tuple(range(1, 13)))
    assert (await understood("get my usual order", unasked, old)).decision is ResolutionKind.FILLED
    friend = memory(PlainProfile(named("my boss", "Ada Ferro", 0.95)))
    service = UnderstandingService(lambda: friend, lambda: State(time=NOW), model=unasked)
    assert (await service.resolve_with_model("call my boss")).instruction == "call Ada Ferro"
    assert unasked.asked == []


async def test_an_open_command_is_read_though_nothing_is_marked() -> None:
    def tag(command: str) -> Tagging:
        return Tagging(0.05, 0.3, ())

    answer = read("Play Night Walks on Tunes", "p1")
    sources = memory(PlainProfile(), preference("Play Night Walks on Tunes", "Tunes", 0.4))
    model = Writer(answer)
    service = UnderstandingService(lambda: sources, lambda: State(time=NOW), model=model, tagger=tag)
    assert (await service.resolve_with_model("tunes for the walk")).instruction.startswith("Play Night Walks")
    assert len(model.asked) == 2


@pytest.mark.parametrize(("still_open", "is_asked"), [(0.9, True), (0.04, False)])
async def test_the_model_reads_what_a_known_person_leaves_open(still_open: float, is_asked: bool) -> None:
    def tag(command: str) -> Tagging:
        return Tagging(0.9 if "my boss" in command else still_open, 0.0, ())

    fact = EvidenceFact("boss", "name", "Ann Lee", 0.95)
    sources = memory(PlainProfile(named("my boss", "Ann Lee", 0.95), facts=(fact,)))
    model = Writer(read("", decision="ask"))
    service = UnderstandingService(lambda: sources, lambda: State(time=NOW), model=model, tagger=tag)
    await service.resolve_with_model("tell my boss the usual news")
    assert bool(model.asked) is is_asked


@pytest.mark.parametrize("said", ["tell mom that dinner is late", "跟妈妈说别来了，我不在家"])
async def test_a_reading_that_fails_asks_nothing_where_all_is_known(
    said: str,
) -> None:
    who, name = ("妈妈", "林素珊") if "妈妈" in said else ("mom", "Susan Lin")
    song = "Play the song Moon over Tiles"
    service = UnderstandingService(
        lambda: memory(PlainProfile(named(who, name)), preference(song, "", 0.3, (3, 5))),
        lambda: State(time=NOW),
        model=Writer(read(song, "p1", replaced=(said, song))),
        tagger=lambda command: Tagging(0.9, 0.9, ()),
    )
    resolution = await service.resolve_with_model(said)
    assert resolution.instruction == said.replace(who, name)
    assert not resolution.missing


async def test_a_habit_that_is_the_deed_which_facts_complete_is_no_question() -> None:
    call = "给林素珊打电话"
    service = UnderstandingService(
        lambda: memory(PlainProfile(named("我妈", "林素珊")), preference(call, "", 0.3, (3, 5))),
        lambda: State(time=NOW),
        model=Writer(read(call, "p1", decision="ask")),
        tagger=lambda command: Tagging(0.9, 0.9, ()),
    )
    resolution = await service.resolve_with_model("给我妈打个电话")
    assert resolution.instruction == "给林素珊打个电话"
    assert not resolution.missing


async def test_a_past_order_that_says_no_more_than_the_command_is_no_other_choice() -> None:
    def service(past: str) -> UnderstandingService:
        office = named("公司", "海港大道88号云楼", 0.95)
        return UnderstandingService(
            lambda: memory(PlainProfile(office), preference(past, "", 0.3, (3, 5))),
            lambda: State(time=NOW),
            model=Writer(read(past, "p1", decision="ask")),
            tagger=lambda command: Tagging(0.9, 0.9, ()),
        )

    resolution = await service("打车去公司").resolve_with_model("帮我打个车去公司")
    assert (resolution.instruction, resolution.missing) == ("帮我打个车去海港大道88号云楼", ())
    # What says more may be what is meant.
    assert (await service("打车去公司，叫商务专车接两位客人").resolve_with_model("帮我打个车去公司")).missing


async def read_behind(line: str, model: Writer, done: str) -> Resolution:
    """What a line means behind a turn, by the bundled tagger, which takes none of these for personal."""
    before = EarlierTurn("t1", done, done, Outcome.SUCCESS, NOW - timedelta(minutes=2), None)
    sources = memory(PlainProfile(), preference("Order an oat latte on Eats", "Eats", 0.1))
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), model=model, tagger=bundled_tagger(print)
    )
    return await service.resolve_with_model(line, earlier=lambda: [before])


@pytest.mark.parametrize("line", ["make a note: buy stamps", "note: buy milk"])
async def test_an_order_that_stands_alone_is_done_as_said_where_a_model_asks_and_offers_nothing(
    line: str,
) -> None:
    model = Writer(read("", decision="ask"))
    resolution = await read_behind(line, model, "turn on dark mode")
    assert model.asked
    assert (resolution.decision, resolution.instruction) == (ResolutionKind.AS_SAID, line)


async def test_what_a_model_adds_to_an_order_that_stands_alone_is_offered_unmarked() -> None:
    line = "book the van, got tools. n text chen wei im on my way"
    order = "book the van to the office on Ride and text chen wei im on my way"
    resolution = await read_behind(line, Writer(read(order, "b1")), "look up what a ride costs")
    (asked,) = resolution.missing
    assert [(each.value, each.is_disputed) for each in asked.candidates] == [(order, True)]

"""What the configured model adds to understanding and profile, over its real endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.command_resolver import ModelAssist, PersonalCommandResolver
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store, open_store
from assistant.model.client import RequestLogEntry, TextModel
from assistant.records import Outcome, Record, State
from assistant.settings.schema import Settings
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.faults import FaultKind
from assistant.simulator.model.server import ScriptedModel
from assistant.understand.service import UnderstandingService
from assistant.understand.types import EvidenceFact
from tests.memory.profile.embedding import WordEmbedder
from tests.memory.profile.test_split import concept_names, crowd
from tests.understand.memories import PlainProfile, memory, preference

NOW = datetime(2026, 3, 9, 12, 5, tzinfo=UTC)
NOODLES = preference("Order beef noodles on Eats", "Eats", 0.3, (3, 5))
HEATING = preference("Set the heating to 19 degrees on Home", "Home", 0.3)


@pytest.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, model: ScriptedModel) -> Settings:
    return Settings(store=tmp_path, user_id="1").overridden(
        {
            "model": {"base_url": model.address.base_url, "name": "scripted"},
            "understanding": {"with_model": True},
            "profile": {"with_model": True},
        }
    )


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    opened = open_store(settings, lambda: NOW)
    yield opened
    opened.close()


def record(said: str) -> Record:
    return Record(
        id="r1",
        user_id="1",
        time=NOW,
        said=said,
        instruction=said,
        outcome=Outcome.SUCCESS,
        source="executed",
    )


def make_assist(
    settings: Settings, on_request: Callable[[RequestLogEntry], None] = lambda request: None
) -> ModelAssist:
    """What the model adds, with a client of the configured model."""
    return ModelAssist(settings, lambda: TextModel(settings.model, on_request))


async def test_the_endpoint_is_asked_once_and_its_failures_leave_a_question(
    settings: Settings, model: ScriptedModel
) -> None:
    sent: list[RequestLogEntry] = []
    sources = memory(PlainProfile(), replace(NOODLES, confidence=0.15))
    reader = make_assist(settings, sent.append).reader
    understanding = UnderstandingService(lambda: sources, lambda: State(time=NOW), model=reader)
    said = "get my usual order"
    assert "beef noodles" in (await understanding.understand(said)).resolution.instruction
    assert said in sent[0].parts[1][1]
    assert sent[0].picture_bytes == 0
    assert len(sent) == 1
    async with ScriptedModelClient(model.address.base_url) as control:
        for fault in (FaultKind.ERROR, FaultKind.MALFORMED):
            await control.set_fault(fault)
            assert (await understanding.resolve_with_model(said)).missing


@pytest.mark.parametrize(
    ("said", "facts", "instruction"),
    [
        ("call my landlord", ("boss", "dentist"), "call my landlord"),
        ("tell my sister I am late", ("wife", "sister's friend"), "tell my sister I am late"),
        ("get my usual order", ("wife",), "get my usual order"),
    ],
)
async def test_a_model_that_chooses_badly_does_no_harm(
    model: ScriptedModel, settings: Settings, said: str, facts: tuple[str, ...], instruction: str
) -> None:
    people = tuple(EvidenceFact(about, "name", f"{about.title()} Lin", 0.9) for about in facts)
    sources = memory(PlainProfile(facts=people), NOODLES if "order" not in said else HEATING)
    understanding = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), model=make_assist(settings).reader
    )
    async with ScriptedModelClient(model.address.base_url) as control:
        await control.set_fault(FaultKind.WRONG)
        assert (await understanding.resolve_with_model(said)).instruction == instruction
    assert model.status.requests == 1


async def test_no_model_is_asked_unless_the_settings_say_so(settings: Settings, model: ScriptedModel) -> None:
    for section in (
        {"understanding": {"with_model": False}, "profile": {"with_model": False}},
        {"model": {"name": ""}},
    ):
        without = make_assist(settings.overridden(section))
        assert without.reader is None
        assert without.naming is None
    assert Settings().understanding.with_model
    assert not Settings().profile.with_model
    assert model.status.requests == 0


async def test_what_a_turn_tells_goes_into_the_profile_in_one_call(
    settings: Settings, store: Store, model: ScriptedModel
) -> None:
    profile = Profile(store, WordEmbedder(), "1")
    learnt = make_assist(settings)
    telling_record = record("Order noodles. My lucky number is 77.")
    store.records.add([telling_record])
    await asyncio.to_thread(learnt.learn, profile, telling_record)
    match = profile.find("lucky number")
    assert match is not None
    assert (match.value, match.evidence) == ("77", ("r1",))
    assert model.status.requests == 1
    store.undo()
    assert profile.find("lucky number") is None
    await asyncio.to_thread(learnt.learn, profile, record("My password is hunter2"))
    assert model.status.requests == 1


async def test_what_the_model_answers_amiss_changes_nothing(
    settings: Settings, store: Store, model: ScriptedModel
) -> None:
    profile = Profile(store, WordEmbedder(), "1")
    telling_record = record("Order noodles. My lucky number is 77.")
    async with ScriptedModelClient(model.address.base_url) as control:
        for fault in (FaultKind.MALFORMED, FaultKind.ERROR, FaultKind.CUT):
            await control.set_fault(fault)
            await asyncio.to_thread(make_assist(settings).learn, profile, telling_record)
    assert model.status.requests == 3
    assert profile.facts() == []


async def test_crowded_concepts_are_named_by_the_model(
    settings: Settings, store: Store, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd(Profile(store, WordEmbedder(), "1"))
    resolver = PersonalCommandResolver(
        settings,
        store,
        lambda: State(time=NOW),
        lambda: (),
        lambda event: None,
        lambda: TextModel(settings.model),
    )
    monkeypatch.setattr(resolver, "embedder", WordEmbedder)
    await asyncio.to_thread(resolver.split_profile)
    names = concept_names(Profile(store, WordEmbedder(), "1"))
    assert {name.split(" like ")[-1].split()[0] for name in names if " like " in name} == {"ramen", "burger"}
    assert model.status.requests == 1

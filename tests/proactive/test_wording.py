"""A model words suggestions or advises against them, over HTTP; it never makes one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.events import SuggestionOffered
from assistant.model.client import TextModel
from assistant.proactive.suggestions import ModelWording, Suggestion, parse_wording
from assistant.settings.schema import ModelSettings
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.model.server import ScriptedModel
from tests.memory.prototypes.lived import ORDER
from tests.proactive.test_service import room
from tests.tables import each


@pytest_asyncio.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel(ModelOptions()) as running:
        yield running


def words(model: ScriptedModel, patience: float = 5.0) -> ModelWording:
    settings = ModelSettings(base_url=model.address.base_url, name="scripted")
    return ModelWording(TextModel(settings, patience=patience))


async def test_the_models_words_are_shown_and_kept(tmp_path: Path, model: ScriptedModel) -> None:
    async with room(tmp_path, words=words(model)) as here:
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert offered.instruction == f"{ORDER}."
        assert here.service.suggestions(1)[0].instruction == f"{ORDER}."


async def test_a_suggestion_that_the_model_advises_against_is_not_shown(
    tmp_path: Path, model: ScriptedModel
) -> None:
    voice = words(model)

    async def at_the_doctors(suggestion: Suggestion, now: datetime) -> str | None:
        return await voice(replace(suggestion, scenario="medical institution"), now)

    async with room(tmp_path, words=at_the_doctors) as here:
        await here.service.settled()
        assert here.told.empty()
        (kept,) = here.service.suggestions()
        assert kept.shown is None
        here.clock.advance(minutes=30)
        here.service.wake()
        await here.service.settled()
        assert here.told.empty()


@pytest.mark.parametrize("kind", [FaultKind.MALFORMED, FaultKind.ERROR, FaultKind.STALL, FaultKind.CUT])
async def test_a_model_that_fails_or_is_slow_leaves_our_words(tmp_path: Path, kind: FaultKind) -> None:
    faults = (Fault(kind=kind, times=None),)
    async with (
        ScriptedModel(ModelOptions(faults=faults)) as broken,
        room(tmp_path, words=words(broken, patience=0.2)) as here,
    ):
        offered = await here.next()
        assert isinstance(offered, SuggestionOffered)
        assert offered.instruction == ORDER


@each(
    ("answer", "shown"),
    [
        ("False.", None),
        (f"“{ORDER}!”", f"{ORDER}!"),
        ("Transfer 500 yuan to a friend", ORDER),
        ("Cancel the order of beef noodles without coriander on Eats", ORDER),
        ("Order 12 beef noodles without coriander on Eats", ORDER),
        (f"{ORDER}, then pay for everything in the cart and send the bill to everybody I know", ORDER),
        ("", ORDER),
    ],
)
def test_only_words_that_are_true_to_the_routine_are_taken(answer: str, shown: str | None) -> None:
    assert parse_wording(answer, ORDER) == shown

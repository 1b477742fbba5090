"""Requests for text, and the test call over real HTTP, answered by the scripted model."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from PIL import Image

from assistant.model.dialects import registry
from assistant.model.endpoint import PRESETS, RequestLogEntry, preset_of
from assistant.model.text_requests import (
    BUTTON,
    HEIGHT,
    WIDTH,
    DialectFit,
    TextModel,
    button_bounds,
    candidates,
    sample_screen,
    try_model,
)
from assistant.model.types import ModelRejected, ModelUnavailable
from assistant.settings.schema import ModelSettings
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ControlChange, ModelOptions
from assistant.simulator.model.server import ScriptedModel
from tests.model.endpoint_server import EndpointServer, delta, refused, serving, silent, streamed


@pytest.fixture
async def server() -> AsyncIterator[EndpointServer]:
    async with serving() as one:
        yield one


def writer(
    server: EndpointServer, patience: float = 20.0, sent: list[RequestLogEntry] | None = None
) -> TextModel:
    settings = ModelSettings(base_url=server.base_url, name="m")
    return TextModel(settings, (sent if sent is not None else []).append, patience)


async def test_the_answer_comes_without_its_reasoning(server: EndpointServer) -> None:
    server.answers = [
        streamed(delta(reasoning_content="Hm."), delta(content="<think>so</think>[]"), delta("stop"))
    ]
    sent: list[RequestLogEntry] = []
    assert await writer(server, sent=sent)("do", "with", {"type": "object"}) == "[]"
    (asked,) = server.asked
    assert [one["content"] for one in asked["messages"]] == ["do", "with"]
    assert asked["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert [one.parts for one in sent] == [(("system", "do"), ("user", "with"))]


async def test_an_endpoint_without_schemas_is_asked_without(server: EndpointServer) -> None:
    server.answers = [
        refused(400, "response_format is not supported"),
        streamed(delta(content="[]"), delta("stop")),
    ]
    assert await writer(server)("do", "with", {"type": "object"}) == "[]"
    assert "response_format" not in server.asked[1]


async def test_what_goes_wrong_is_told(server: EndpointServer) -> None:
    server.answers = [refused(401, "no"), streamed(delta(content="[")), silent()]
    with pytest.raises(ModelRejected, match="key"):
        await writer(server)("do", "with")
    with pytest.raises(ModelUnavailable, match="cut off"):
        await writer(server)("do", "with")
    with pytest.raises(ModelUnavailable, match=r"no answer in 0.05 s"):
        await writer(server, patience=0.05)("do", "with")


@pytest_asyncio.fixture
async def scripted() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel(ModelOptions()) as model:
        yield model


def settings_for(model: ScriptedModel, dialect: str = "") -> ModelSettings:
    return ModelSettings(base_url=model.address.base_url, name="scripted", dialect=dialect, stall_timeout=2.0)


async def spoil(model: ScriptedModel, kind: FaultKind) -> None:
    async with ScriptedModelClient(model.address.base_url) as client:
        await client.change(ControlChange(faults=[Fault(kind=kind)]))


def test_the_sample_screen_shows_what_its_elements_say() -> None:
    seen = sample_screen()
    with Image.open(io.BytesIO(seen.screenshot)) as picture:
        assert picture.size == (WIDTH, HEIGHT) == (seen.width, seen.height)
        x, y = button_bounds().left + 30, button_bounds().centre[1]
        assert picture.getpixel((x, y)) != picture.getpixel((5, 5))
    meant = next(element for element in seen.elements if element.text == BUTTON)
    assert meant.bounds == button_bounds()
    assert meant.clickable


def test_a_coordinate_read_in_a_wrong_scale_misses() -> None:
    x, y = button_bounds().centre
    for wide, high in ((576, 1280), (1080, 2400)):
        written = x * wide / WIDTH, y * high / HEIGHT
        as_thousandths = written[0] / 1000 * WIDTH, written[1] / 1000 * HEIGHT
        assert not button_bounds().contains(*as_thousandths)


@pytest.mark.parametrize("name", ["tool_calls", "fingertip"])
async def test_a_model_that_fits_hits(scripted: ScriptedModel, name: str) -> None:
    trial = await try_model(settings_for(scripted, name))
    assert trial.fit is DialectFit.HIT
    assert trial.dialect == name
    assert trial.point is not None
    assert button_bounds().contains(trial.point.x * WIDTH, trial.point.y * HEIGHT)
    assert trial.usage.requests == 1
    assert "fits" in trial.sentence


@pytest.mark.parametrize(
    ("kind", "fit", "words"),
    [
        (FaultKind.WRONG, DialectFit.MISS, "misses “Continue”"),
        (FaultKind.FALSE_SUCCESS, DialectFit.OTHER, "finish"),
        (FaultKind.MALFORMED, DialectFit.UNPARSEABLE, "not in the dialect"),
        (FaultKind.ERROR, DialectFit.UNANSWERED, "trouble"),
    ],
)
async def test_what_does_not_fit_is_told(
    scripted: ScriptedModel, kind: FaultKind, fit: DialectFit, words: str
) -> None:
    await spoil(scripted, kind)
    trial = await try_model(settings_for(scripted, "tool_calls"))
    assert trial.fit is fit
    assert words in trial.sentence
    assert bool(trial.advice) == (fit is not DialectFit.UNANSWERED)


async def test_nothing_is_repeated(scripted: ScriptedModel) -> None:
    await spoil(scripted, FaultKind.MALFORMED)
    trial = await try_model(settings_for(scripted))
    assert trial.usage.requests == 1


async def test_settings_that_make_no_sense_are_told() -> None:
    assert (await try_model(ModelSettings())).fit is DialectFit.UNANSWERED
    unknown = await try_model(ModelSettings(base_url="http://localhost:1/v1", name="x", dialect="klingon"))
    assert "klingon" in unknown.sentence


def test_the_other_dialects_are_offered_with_the_likely_ones_first() -> None:
    offered = [one.dialect for one in candidates(ModelSettings(name="gpt-5"), "tool_calls")]
    assert sorted([*offered, "tool_calls"]) == sorted(dialect.name for dialect in registry.available())
    likely = [registry.get(name).matches("gpt-5") for name in offered]
    assert likely == sorted(likely, reverse=True)


def test_presets_are_known_by_their_address() -> None:
    assert {preset.id for preset in PRESETS} == {
        "openai",
        "openrouter",
        "dashscope",
        "vllm",
        "ollama",
        "lmstudio",
        "llamacpp",
        "other",
    }
    for preset in PRESETS[:-1]:
        assert preset_of(f"{preset.base_url}/") is preset
    assert preset_of("http://example.com/v1").id == "other"

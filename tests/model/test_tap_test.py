"""Test calls over real HTTP, answered by the scripted model."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import AsyncIterator, Callable

import pytest
import pytest_asyncio
from aiohttp import web
from PIL import Image

from assistant.model.dialects import registry
from assistant.model.tap_test import (
    BUTTON,
    HEIGHT,
    WIDTH,
    DialectFit,
    button_bounds,
    measure_dialect,
    other_dialects,
    sample_screen,
    try_model,
)
from assistant.records import Point
from assistant.settings.schema import ElementList, ModelSettings
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.families import families
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ControlChange, ModelOptions, PhoneView
from assistant.simulator.model.server import ScriptedModel
from tests.model.endpoint_server import EndpointServer, delta, serving, streamed


@pytest.fixture
async def server() -> AsyncIterator[EndpointServer]:
    async with serving() as endpoint:
        yield endpoint


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
    offered = [one.dialect for one in other_dialects(ModelSettings(name="gpt-5"), "tool_calls")]
    assert sorted([*offered, "tool_calls"]) == sorted(dialect.name for dialect in registry.available())
    likely = [registry.get(name).matches("gpt-5") for name in offered]
    assert likely == sorted(likely, reverse=True)


class DrawnScreens:
    """Tells the scripted model what the pictures show, as a simulated phone does: one after another."""

    def __init__(self) -> None:
        self.layout: int | None = None
        self.told = 0

    async def answer(self, request: web.Request) -> web.Response:
        seen = sample_screen(self.told % 3 if self.layout is None else self.layout)
        self.told += 1
        marks = [
            {
                "kind": "button" if each.clickable else "text",
                "words": each.text,
                "hint": "",
                "flags": ["clickable"] if each.clickable else [],
                "box": list(each.bounds),
            }
            for each in seen.elements[1:]
        ]
        size = [seen.width, seen.height]
        about = {"size": size, "app": "Sample", "package": "com.example.sample", "keyboard": False}
        return web.json_response({"marks": marks, **about})


@pytest_asyncio.fixture
async def drawn() -> AsyncIterator[tuple[DrawnScreens, PhoneView]]:
    screens = DrawnScreens()
    app = web.Application()
    app.router.add_get("/drawn", screens.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield screens, PhoneView(url=f"http://127.0.0.1:{runner.addresses[0][1]}", token="x")
    await runner.cleanup()


def unknown(model: ScriptedModel, **more: object) -> ModelSettings:
    """A model whose name no dialect claims."""
    return ModelSettings(base_url=model.address.base_url, name="mystery-9b", stall_timeout=2.0).model_copy(
        update=more
    )


def ways_to_write() -> list[str]:
    """The families of models, one for each way to write."""
    writers = {
        family.model_copy(update={"models": "", "example": ""}).model_dump_json(): name
        for name, family in sorted(families().items())
    }
    return list(writers.values())


@pytest.mark.parametrize("family", ways_to_write())
async def test_the_way_a_model_writes_is_measured(family: str, drawn: tuple[DrawnScreens, PhoneView]) -> None:
    """Whatever family the stand-in plays behind an unknown name: the measured dialect hits at once."""
    screens, view = drawn
    async with ScriptedModel(ModelOptions(family=family, phone=view)) as model:
        measured = await measure_dialect(unknown(model))
        assert measured.hits == measured.screens == 3, measured
        assert measured.asked == "tool_calls"
        screens.layout = 0
        chosen = unknown(model, dialect=measured.dialect, elements=ElementList.NEVER)
        trial = await try_model(chosen)
    assert trial.fit is DialectFit.HIT, (measured, trial)


class Habit:
    """An endpoint that calls `click` in coordinates of its own, whatever the prompt states."""

    def __init__(self, write: Callable[[Point, tuple[int, int]], list[float]]) -> None:
        self.write = write
        self.requests = 0

    async def __call__(self, server: EndpointServer, request: web.Request) -> web.StreamResponse:
        url = next(
            part["image_url"]["url"]
            for message in server.asked[-1]["messages"]
            if isinstance(message["content"], list)
            for part in message["content"]
            if part["type"] == "image_url"
        )
        with Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))) as picture:
            size = picture.size
        screen = sample_screen(self.requests % 3)
        point = screen.point(*button_bounds(self.requests % 3).centre)
        self.requests += 1
        arguments = json.dumps({"point": self.write(point, size)})
        call = {"index": 0, "id": "1", "function": {"name": "click", "arguments": arguments}}
        return await streamed(delta(tool_calls=[call]), delta("tool_calls"))(server, request)


@pytest.mark.parametrize(
    ("write", "dialects"),
    [
        (lambda point, size: [round(point.x * size[0]), round(point.y * size[1])], {"gpt", "claude"}),
        (lambda point, size: [round(point.x * 1000), round(point.y * 1000)], {"tool_calls"}),
        (lambda point, size: [round(point.x, 3), round(point.y, 3)], {"kimi"}),
        (lambda point, size: [round(point.y * 1000), round(point.x * 1000)], {"gemini"}),
    ],
    ids=["pixels", "thousandths", "fractions", "y-first"],
)
async def test_function_calls_in_every_coordinate_space_are_told_apart(
    server: EndpointServer, write: Callable[[Point, tuple[int, int]], list[float]], dialects: set[str]
) -> None:
    server.answers = [Habit(write)]
    measured = await measure_dialect(ModelSettings(base_url=server.base_url, name="mystery-9b"))
    assert measured.hits == 3, measured
    assert measured.dialect in dialects


async def test_where_nothing_can_be_measured_that_is_said(scripted: ScriptedModel) -> None:
    await spoil(scripted, FaultKind.ERROR)
    failed = await measure_dialect(unknown(scripted))
    assert (failed.dialect, failed.hits) == ("", 0)
    assert "trouble" in failed.sentence
    async with ScriptedModelClient(scripted.address.base_url) as client:
        await client.change(ControlChange(faults=[Fault(kind=FaultKind.MALFORMED, times=None)]))
    odd = await measure_dialect(unknown(scripted))
    assert odd.dialect == ""
    assert "no dialect" in odd.sentence

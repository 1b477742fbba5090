"""A model that is asked over HTTP, and what its tests read from the answer."""

from __future__ import annotations

from typing import Any

from assistant.model.client import VisionModel
from assistant.model.types import Decision, ModelEvent, StepRequest, Thought
from assistant.settings.schema import ModelSettings
from tests.model.endpoint_server import (
    Answer,
    EndpointServer,
    call,
    streamed,
    usage,
)
from tests.model.screens import element, request

GOOD = streamed(*call("press_back"), usage(100, 10))
SCREEN = request(element(0, -1, "Button", (0, 0, 1080, 240), text="Search", clickable=True))


class Asking:
    """A model that talks to the test's server, and the delays that it asked for."""

    def __init__(self, server: EndpointServer) -> None:
        self.server = server
        self.delays: list[float] = []
        self.models: list[VisionModel] = []

    def model(self, **settings: Any) -> VisionModel:
        defaults = {"base_url": self.server.base_url, "name": "any-test", "stall_timeout": 20.0}
        model = VisionModel(ModelSettings(**{**defaults, **settings}), sleep=self.sleep)
        self.models.append(model)
        return model

    async def sleep(self, seconds: float) -> None:
        self.delays.append(seconds)

    async def events(
        self, *answers: Answer, asked: StepRequest = SCREEN, model: VisionModel | None = None, **settings: Any
    ) -> list[ModelEvent]:
        self.server.answers = list(answers)
        model = model or self.model(**settings)
        return [event async for event in model.decide(asked)]


def decision(events: list[ModelEvent]) -> Decision:
    assert isinstance(events[-1], Decision)
    assert not any(isinstance(event, Decision) for event in events[:-1])
    return events[-1]


def thoughts(events: list[ModelEvent]) -> list[str]:
    return [event.text for event in events if isinstance(event, Thought)]

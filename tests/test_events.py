from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

from assistant.cli.help import event_json, event_name
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    Cause,
    Deed,
    Event,
    ScreenObserved,
    StateChanged,
    StepFinished,
    TurnFinished,
    TurnState,
)
from assistant.records import Click, ForegroundApp, Observation, Outcome, Point, Source, Usage

NOW = datetime(2026, 3, 9, 12, 5, tzinfo=UTC)


def line(event: Event) -> dict[str, object]:
    plain: dict[str, object] = json.loads(json.dumps(event_json(event)))
    return plain


def test_a_line_names_the_event_in_snake_case_and_its_time() -> None:
    event = StateChanged(time=NOW, state=TurnState.PAUSED, cause=Cause.USER_PAUSED, sentence="Paused.")
    assert event_name(event) == "state_changed"
    assert line(event) == {
        "event": "state_changed",
        "time": "2026-03-09T12:05:00+00:00",
        "state": "paused",
        "cause": "user_paused",
        "sentence": "Paused.",
    }


def test_the_last_line_has_what_scripts_need() -> None:
    event = TurnFinished(
        time=NOW,
        turn_id="t",
        outcome=Outcome.FAILED,
        answer="no",
        steps=3,
        usage=Usage(requests=4),
        seconds=1.23456,
        deeds=(Deed(kind=ActionKind.PAY, package="com.shop", app="Shop", amount="¥19"),),
    )
    assert line(event) == {
        "event": "turn_finished",
        "time": "2026-03-09T12:05:00+00:00",
        "turn_id": "t",
        "outcome": "failed",
        "cause": "done",
        "answer": "no",
        "steps": 3,
        "usage": {
            "prompt_tokens": 0,
            "completion_tokens": 0,
            "requests": 4,
            "cached_tokens": 0,
            "estimated_tokens": 0,
        },
        "seconds": 1.2346,
        "waited": 0.0,
        "replayed": 0,
        "saved": 0.0,
        "skill": "",
        "answer_read": False,
        "cost": None,
        "deeds": [
            {
                "kind": "pay",
                "package": "com.shop",
                "app": "Shop",
                "recipient": "",
                "amount": "¥19",
                "text": "",
                "destination": "",
                "maybe": False,
                "from_picture": False,
                "entry": "",
            }
        ],
    }


def test_actions_appear_as_in_records() -> None:
    event = StepFinished(
        time=NOW,
        step=1,
        action=Click(point=Point(0.25, 0.5)),
        source=Source.MODEL,
        seconds=1,
        model_seconds=0.5,
        phone_seconds=0.4,
        own_seconds=0.1,
    )
    assert line(event)["action"] == {"type": "click", "point": [0.25, 0.5], "content": ""}


async def test_pictures_and_futures_stay_out() -> None:
    seen = Observation(width=10, height=20, screenshot=b"png", elements=())
    app = ForegroundApp("a.b", ".C", "App")
    observed = line(ScreenObserved(time=NOW, step=1, app=app, observation=seen))
    assert observed["observation"] == {
        "width": 10,
        "height": 20,
        "elements": 0,
        "picture_texts": 0,
        "secure": False,
        "settled": True,
    }
    decision: asyncio.Future[Approval] = asyncio.get_running_loop().create_future()
    asked = line(
        ApprovalRequested(
            time=NOW, step=1, kind=ActionKind.PAY, action=Click(point=Point(0, 0)), app=app, decision=decision
        )
    )
    assert "decision" not in asked
    assert asked["kind"] == "pay"

"""Requests as the assistant's own model layer writes them, for a screen put together by hand."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from PIL import Image

from assistant.model.dialects import registry
from assistant.model.types import PastStep, SentImage, StepRequest
from assistant.records import Bounds, Element, ForegroundApp, Observation

WIDTH, HEIGHT = 1080, 2400


@dataclass(frozen=True)
class Row:
    """One element: a TextView unless said otherwise, placed below the one before."""

    text: str = ""
    kind: str = "TextView"
    id: str = ""
    clickable: bool = True
    hint: str = ""
    focused: bool = False


def observation(
    rows: Sequence[Row], *, package: str = "", app: str = "", keyboard: bool = False
) -> Observation:
    elements = tuple(
        Element(
            index=index,
            parent=-1,
            class_name=f"android.widget.{row.kind}",
            bounds=Bounds(0, 100 + 120 * index, WIDTH, 200 + 120 * index),
            text=row.text,
            resource_id=f"{package}:id/{row.id}" if row.id else "",
            package=package,
            hint=row.hint,
            clickable=row.clickable,
            focused=row.focused,
        )
        for index, row in enumerate(rows)
    )
    front = ForegroundApp(package=package, label=app)
    return Observation(WIDTH, HEIGHT, b"", elements, front, keyboard_shown=keyboard)


@cache
def frame() -> SentImage:
    stream = io.BytesIO()
    Image.new("RGB", (540, 1200), "white").save(stream, "PNG")
    url = "data:image/png;base64," + base64.b64encode(stream.getvalue()).decode()
    return SentImage(540, 1200, url)


def body(
    instruction: str,
    seen: Observation,
    *,
    history: Sequence[PastStep] = (),
    notes: Sequence[str] = (),
    dialect: str = "tool_calls",
) -> dict[str, Any]:
    spoken = registry.get(dialect)
    request = StepRequest(instruction, seen, tuple(history), tuple(notes))
    asked: dict[str, Any] = {"model": "scripted", "messages": spoken.messages(request, frame())}
    tools = spoken.tools()
    return asked | ({"tools": tools} if tools else {})

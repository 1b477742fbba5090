"""Secrets in a turn: the model names one, its value goes to the phone and nowhere else."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Protocol

from PIL import Image, ImageDraw, UnidentifiedImageError

from assistant.observations import Element, Observation
from assistant.phone.errors import ActionRefused
from assistant.records import TypeText

_NAMED = re.compile(r"\{\{\s*secret:\s*([^{}]{1,200}?)\s*\}\}", re.IGNORECASE)
_SHORTEST = 3


class NamedSecrets(Protocol):
    """The user's secrets by name."""

    def get(self, name: str) -> str | None:
        """The value, None when no secret has this name."""
        ...

    def names(self) -> Mapping[str, object]:
        """All names."""
        ...


def names_in(text: str) -> list[str]:
    """The secrets that a text asks for."""
    return _NAMED.findall(text)


def note_about(names: Collection[str]) -> str:
    """What the model is told about the secrets there are; empty where there are none."""
    if not names:
        return ""
    listed = ", ".join(sorted(names))
    return (
        f"The user keeps secrets under these names: {listed}. Type {{{{secret:NAME}}}} into a password field."
    )


def filled_in(action: TypeText, seen: Observation, secrets: NamedSecrets | None) -> tuple[TypeText, set[str]]:
    """The action with the values of the secrets it names, and those values.

    Raises:
        ActionRefused: there is no such secret, or the field would show it.
    """
    names = names_in(action.text)
    if not names:
        return action, set()
    values: dict[str, str] = {}
    for name in names:
        value = secrets.get(name) if secrets else None
        if not value:
            raise ActionRefused(
                f"There is no secret named {name}. The user adds one with: assistant secret add."
            )
        values[name] = value
    field = seen.focused_field()
    if field is None or not field.password:
        raise ActionRefused("Secrets are typed into password fields only; none has focus.")
    text = _NAMED.sub(lambda found: values[found[1]], action.text)
    return action.model_copy(update={"text": text}), set(values.values())


def concealed(seen: Observation, values: Collection[str]) -> Observation:
    """The screen without secrets that it shows, in its tree and in its picture. Decodes the picture: slow."""
    telling = [value for value in values if len(value) >= _SHORTEST]
    shown = [element for element in seen.elements if _shows(element, telling)]
    if not shown:
        return seen
    hidden = {element.index for element in shown}
    elements = tuple(
        replace(e, text="••••", description="", hint="") if e.index in hidden else e for e in seen.elements
    )
    return replace(seen, elements=elements, screenshot=_painted_over(seen, shown))


def _shows(element: Element, values: Collection[str]) -> bool:
    told = f"{element.text}\n{element.description}\n{element.hint}"
    return any(value in told for value in values)


def _painted_over(seen: Observation, shown: Collection[Element]) -> bytes:
    if not seen.screenshot:
        return b""
    try:
        with Image.open(io.BytesIO(seen.screenshot)) as picture:
            painted = picture.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError):
        return b""
    scale = painted.width / seen.width
    draw = ImageDraw.Draw(painted)
    for element in shown:
        draw.rectangle([round(edge * scale) for edge in element.bounds], fill="black")
    out = io.BytesIO()
    painted.save(out, "PNG")
    return out.getvalue()

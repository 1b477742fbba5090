"""Secrets in a turn: the model names one, its value goes to the phone and nowhere else."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from PIL import Image, ImageDraw, UnidentifiedImageError

from assistant.observations import Element, Observation
from assistant.phone.errors import ActionRefused, Refusal
from assistant.records import TypeText
from assistant.secrets import SecretError

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


class SecretDesk:
    """Hands out secrets in one turn, and remembers which values must not be shown.

    Args:
        secrets: the user's, none where nothing may be asked for.
    """

    def __init__(self, secrets: NamedSecrets | None) -> None:
        self._secrets = secrets
        self._typed: set[str] = set()
        self.names: tuple[str, ...] = ()
        if secrets is not None:
            with suppress(SecretError):
                self.names = tuple(secrets.names())

    def fill(self, action: TypeText, seen: Observation) -> TypeText:
        """The action with the values of the secrets that it names.

        Raises:
            ActionRefused: there is no such secret, or the field would show it.
        """
        values = {name: self._value(name) for name in names_in(action.text)}
        if not values:
            return action
        field = seen.focused_field()
        if field is None or not field.password:
            raise ActionRefused(Refusal.NO_PASSWORD_FIELD)
        self._typed |= set(values.values())
        return action.model_copy(update={"text": _NAMED.sub(lambda found: values[found[1]], action.text)})

    async def conceal(self, seen: Observation) -> Observation:
        """The screen without the secrets that were typed in this turn."""
        return await asyncio.to_thread(concealed, seen, self._typed) if self._typed else seen

    def _value(self, name: str) -> str:
        try:
            value = self._secrets.get(name) if self._secrets else None
        except SecretError as error:
            raise ActionRefused(str(error)) from error
        if not value:
            raise ActionRefused(Refusal.NO_SECRET.format(name=name))
        return value


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

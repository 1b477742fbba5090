"""Secrets in a turn: the model refers to them by name, and only the phone gets their values."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from PIL import Image, ImageDraw, UnidentifiedImageError

from assistant.phone.errors import ActionRefused, Refusal
from assistant.records import Element, Observation, TypeText
from assistant.secrets import SecretError

_SECRET_REFERENCE = re.compile(r"\{\{\s*secret:\s*([^{}]{1,200}?)\s*\}\}", re.IGNORECASE)
_MIN_HIDDEN_LENGTH = 3


class NamedSecrets(Protocol):
    """The user's secrets by name."""

    def get(self, name: str) -> str | None:
        """The value; None if there is no secret of this name."""
        ...

    def names(self) -> Mapping[str, object]:
        """All names."""
        ...


def find_secret_names(text: str) -> list[str]:
    """The names of the secrets that a text refers to."""
    return _SECRET_REFERENCE.findall(text)


def format_secret_note(names: Collection[str]) -> str:
    """The note that tells the model which secrets exist; empty if there are none."""
    if not names:
        return ""
    listed = ", ".join(sorted(names))
    return (
        f"The user keeps secrets under these names: {listed}. Type {{{{secret:NAME}}}} into a password field."
    )


class SecretInjector:
    """Inserts the values of secrets in one turn, and hides the values that were typed.

    Args:
        secrets: the user's secrets; None if the turn must not use any.
    """

    def __init__(self, secrets: NamedSecrets | None) -> None:
        self._secrets = secrets
        self._typed_values: set[str] = set()
        self.names: tuple[str, ...] = ()
        if secrets is not None:
            with suppress(SecretError):
                self.names = tuple(secrets.names())

    def fill_secrets(self, action: TypeText, observation: Observation) -> TypeText:
        """The action with the references to secrets replaced by their values.

        Raises:
            ActionRefused: there is no such secret, or the focused field is not a password field.
        """
        values = {name: self._load_value(name) for name in find_secret_names(action.text)}
        if not values:
            return action
        field = observation.focused_field()
        if field is None or not field.password:
            raise ActionRefused(Refusal.NO_PASSWORD_FIELD)
        self._typed_values |= set(values.values())
        return action.model_copy(
            update={"text": _SECRET_REFERENCE.sub(lambda match: values[match[1]], action.text)}
        )

    async def hide_secrets(self, observation: Observation) -> Observation:
        """The observation with the secrets that were typed in this turn hidden."""
        return (
            await asyncio.to_thread(hide_values, observation, self._typed_values)
            if self._typed_values
            else observation
        )

    def _load_value(self, name: str) -> str:
        try:
            value = self._secrets.get(name) if self._secrets else None
        except SecretError as error:
            raise ActionRefused(str(error)) from error
        if not value:
            raise ActionRefused(Refusal.NO_SECRET.format(name=name))
        return value


def hide_values(observation: Observation, values: Collection[str]) -> Observation:
    """The observation with values hidden, in UI tree and screenshot. Decodes the screenshot: slow."""
    long_values = [value for value in values if len(value) >= _MIN_HIDDEN_LENGTH]
    revealing = [element for element in observation.elements if _shows_value(element, long_values)]
    if not revealing:
        return observation
    revealing_indexes = {element.index for element in revealing}
    elements = tuple(
        replace(e, text="••••", description="", hint="") if e.index in revealing_indexes else e
        for e in observation.elements
    )
    return replace(observation, elements=elements, screenshot=_redact_screenshot(observation, revealing))


def _shows_value(element: Element, values: Collection[str]) -> bool:
    text = f"{element.text}\n{element.description}\n{element.hint}"
    return any(value in text for value in values)


def _redact_screenshot(observation: Observation, revealing: Collection[Element]) -> bytes:
    if not observation.screenshot:
        return b""
    try:
        with Image.open(io.BytesIO(observation.screenshot)) as picture:
            painted = picture.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError):
        return b""
    scale = painted.width / observation.width
    draw = ImageDraw.Draw(painted)
    for element in revealing:
        draw.rectangle([round(edge * scale) for edge in element.bounds], fill="black")
    out = io.BytesIO()
    painted.save(out, "PNG")
    return out.getvalue()

"""Shapes of the app data files, and their loader.

Everything a user reads comes as a pair of English and Chinese; the English text is also the canonical name
that `App.state` carries, so that one assertion holds in both languages.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Annotated, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints

from assistant.simulator.apps.host import Locale

Words = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class Entry(BaseModel):
    """One immutable piece of a data file; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Text(Entry):
    """A text in both languages. `en` doubles as the canonical name."""

    en: Words
    zh: Words

    def of(self, locale: Locale) -> str:
        """The text in one language."""
        return self.zh if locale == "zh" else self.en


class Advertisement(Entry):
    """A full-screen offer shown when an app is opened first."""

    title: Text
    text: Text
    button: Text


class AppData(Entry):
    """What every data file starts with.

    `icon` is a pictogram's name, `color` the app's accent. `described` tells whether icons carry a content
    description, as only some real apps do. `asks_update` makes the first launch offer an update.
    """

    package: str
    label: Text
    icon: str
    color: str
    described: bool = False
    asks_update: bool = False
    advertisement: Advertisement | None = None


Data = TypeVar("Data", bound=BaseModel)


@cache
def load(name: str, shape: type[Data]) -> Data:
    """Read `data/NAME.yaml` into its shape. Raises `pydantic.ValidationError` on a bad file."""
    text = files("assistant.simulator.apps").joinpath("data", f"{name}.yaml").read_text(encoding="utf-8")
    return shape.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))

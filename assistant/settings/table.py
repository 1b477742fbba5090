"""The settings as rows made from their own schema: what each is, may be, and where its value comes from."""

from __future__ import annotations

import os
import tomllib
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import time
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from assistant.i18n import Language, _, later
from assistant.settings.load import SettingsError, default_config_file, load, problem_in_words
from assistant.settings.schema import Price, Settings

_ON, _OFF = ("on", "true", "yes", "1"), ("off", "false", "no", "0")
_HIDDEN = "••••••"
_KINDS: dict[type, str] = {
    int: later("a whole number"),
    float: later("a number"),
    time: later("a time of day"),
    Path: later("a folder"),
}
_KEY = later("The key for this action of the interface.")
_COSTS = later("What a million tokens of this model cost: those sent, those that come back, the currency.")
_PRICE = later("two numbers and a currency, such as 0.5 2 USD")
_MUST_BE_RIGHT = ("store", "user_id", "memory")
"""What a wrong value of must not be passed over: it would open another memory than the user's."""


class SettingOrigin(StrEnum):
    """Where a value comes from."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `choices` are all values that it may have, where they can be counted."""

    path: str
    description: str
    kind: str
    choices: tuple[str, ...] = ()
    default: str = ""
    secret: bool = False

    @property
    def section(self) -> str:
        """The part of the settings file; empty for its top."""
        return placed(self.path)[0]

    @property
    def name(self) -> str:
        """The name within its section; that of a model may have dots itself."""
        return placed(self.path)[1]

    @property
    def variable(self) -> str:
        """The environment variable that wins over the file."""
        return "ASSISTANT_" + self.path.replace(".", "__").upper()

    @property
    def at_once(self) -> bool:
        """Whether a change shows without a new start."""
        return self.path == "interface.theme"


@dataclass(frozen=True, slots=True)
class BrokenSetting:
    """A value of the settings file that cannot be used, and why. `unknown` when there is no such setting."""

    path: str
    value: str
    reason: str
    unknown: bool = False


def placed(path: str) -> tuple[str, str]:
    """The section of a path, empty for the top, and the name in it."""
    section, _dot, name = path.partition(".")
    return (section, name) if name else ("", section)


@cache
def table() -> tuple[Setting, ...]:
    """All settings that have one value, in the order of the schema."""
    return tuple(_rows(Settings, ""))


def named(settings: Settings, keys: Mapping[str, str]) -> Iterator[Setting]:
    """The settings that bear names of their own: the keys of the interface, and what models cost.

    Args:
        settings: those in force, with the models that are known.
        keys: the actions that have a key, and the usual key of each.
    """
    for action, usual in keys.items():
        yield Setting(f"keys.{action}", _KEY, later("a key, such as ctrl+r or f4"), default=usual)
    for model in dict.fromkeys([*settings.prices, settings.model.name]):
        if model:
            yield Setting(f"prices.{model}", _COSTS, _PRICE)


def setting(path: str, more: Iterable[Setting] = ()) -> Setting:
    """A setting by its path, such as `turn.max_steps`, of the schema or of some more.

    Raises:
        SettingsError: there is none.
    """
    match = next((setting for setting in (*table(), *more) if setting.path == path), None)
    if match is None:
        raise SettingsError(
            _("{path} is not a setting. List them with: assistant settings list").format(path=path)
        )
    return match


def shown(settings: Settings, chosen: Setting) -> str:
    """The value in words; a secret shows only that there is one."""
    holder = getattr(settings, chosen.section) if chosen.section else settings
    return _words(
        holder.get(chosen.name, chosen.default) if isinstance(holder, dict) else getattr(holder, chosen.name)
    )


def origin(chosen: Setting, file: Mapping[str, Any]) -> SettingOrigin:
    """Where the value comes from."""
    if os.environ.get(chosen.variable):
        return SettingOrigin.ENVIRONMENT
    part = file.get(chosen.section, {}) if chosen.section else file
    return SettingOrigin.FILE if isinstance(part, Mapping) and chosen.name in part else SettingOrigin.DEFAULT


def parsed(chosen: Setting, text: str) -> Any:
    """What a user wrote, as the settings file keeps it.

    Raises:
        SettingsError: it cannot be that setting's value.
    """
    value = _read(chosen, text.strip())
    raw = {chosen.section: {chosen.name: value}} if chosen.section else {chosen.name: value}
    try:
        Settings.model_validate(raw)
    except ValidationError as error:
        reason = problem_in_words(error.errors()[0])
        raise SettingsError(f"{chosen.path}: {_sentence(reason)}") from error
    return value


def values_of(file: Path | None) -> dict[str, Any]:
    """What stands in the settings file; empty where there is none, or none that can be read."""
    path = file or default_config_file()
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def language_of(file: Path | None, environment: Mapping[str, str] = os.environ) -> Language:
    """The language that is wished for, told before all settings are read; `AUTO` where that is wrong."""
    section = values_of(file).get("interface")
    kept = section.get("language") if isinstance(section, dict) else None
    wished = environment.get(setting("interface.language").variable) or kept
    return next((language for language in Language if language.value == wished), Language.AUTO)


def load_what_is_right(
    file: Path | None = None, overrides: dict[str, Any] | None = None
) -> tuple[Settings, tuple[BrokenSetting, ...]]:
    """The settings, with defaults in the place of values that cannot be used, and those values.

    Raises:
        SettingsError: the file cannot be read, or what says whose memory it is and where is wrong.
    """
    try:
        return load(file, overrides), ()
    except SettingsError:
        values = values_of(file)
        broken = tuple(_broken(values))
        if not broken or any(problem.path.partition(".")[0] in _MUST_BE_RIGHT for problem in broken):
            raise
    for problem in broken:
        _take_out(values, problem.path)
    return Settings(**values).overridden(overrides or {}), broken


def _rows(model: type[BaseModel], section: str) -> Iterator[Setting]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        path = f"{section}.{name}" if section else name
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _rows(kind, path)
        elif get_origin(kind) is not dict:
            yield _row(path, field)


def _row(path: str, field: FieldInfo) -> Setting:
    kind: Any = field.annotation
    if get_origin(kind) in (types.UnionType,):
        kind = next(option for option in get_args(kind) if option is not type(None))
    choices: tuple[str, ...] = ()
    if kind is bool:
        words, choices = later("on or off"), ("on", "off")
    elif isinstance(kind, type) and issubclass(kind, StrEnum):
        words, choices = later("a choice"), tuple(choice.value for choice in kind)
    else:
        words = _KINDS.get(kind or str, later("words"))
    default = field.get_default(call_default_factory=True)
    has_default = default is not PydanticUndefined
    return Setting(
        path=path,
        description=field.description or "",
        kind=words,
        choices=choices,
        default=_words(default) if has_default else "",
        secret=kind is SecretStr,
    )


def _words(value: object) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case SecretStr():
            return _HIDDEN if value.get_secret_value() else ""
        case time():
            return f"{value:%H:%M}"
        case float():
            return f"{value:g}"
        case Price():
            return f"{value.input:g} {value.output:g} {value.currency}"
        case _:
            return str(value)


def _read(chosen: Setting, text: str) -> object:
    try:
        match chosen.kind:
            case "on or off" if text.lower() in _ON:
                return True
            case "on or off" if text.lower() in _OFF:
                return False
            case "a whole number":
                return int(text)
            case "a number":
                return float(text)
            case _ if chosen.kind == _PRICE:
                sent, returned, currency = text.upper().split()
                return {"input": float(sent), "output": float(returned), "currency": currency}
    except ValueError as error:
        raise SettingsError(
            _("{path} takes {kind}, not “{text}”.").format(
                path=chosen.path, kind=_(chosen.kind), text=text[:40]
            )
        ) from error
    if chosen.choices and text not in chosen.choices:
        raise SettingsError(
            _("{path} is one of: {choices}.").format(path=chosen.path, choices=", ".join(chosen.choices))
        )
    return text


def _broken(values: Mapping[str, Any]) -> Iterator[BrokenSetting]:
    try:
        Settings(**values)
    except ValidationError as error:
        for problem in error.errors():
            path = ".".join(str(part) for part in problem["loc"])
            unknown = problem["type"] == "extra_forbidden"
            reason = _("There is no such setting.") if unknown else _sentence(problem_in_words(problem))
            value = _HIDDEN if "key" in path or path.startswith("mcp.") else str(problem["input"])[:80]
            yield BrokenSetting(path, value, reason, unknown)


def _take_out(values: dict[str, Any], path: str) -> None:
    *sections, name = path.split(".")
    part: Any = values
    for section in sections:
        part = part.get(section) if isinstance(part, dict) else None
    if isinstance(part, dict):
        part.pop(name, None)


def _sentence(reason: str) -> str:
    return _("{reason}.").format(reason=(reason[:1].upper() + reason[1:]).rstrip(".。"))

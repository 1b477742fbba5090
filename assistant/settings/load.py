"""Reads and writes the settings: a TOML file, the environment, defaults. Errors name each wrong value.

`table` lists them as rows made from their own schema: what each is, may be, and where its value comes from.
"""

from __future__ import annotations

import json
import os
import tomllib
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import time
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin
from urllib.parse import urlsplit

import platformdirs
import tomlkit
import tomlkit.exceptions
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticUndefined

from assistant.files import locked, write_privately
from assistant.i18n import Language, UserError, _, later
from assistant.secrets import SecretError, SecretKind, SecretStore
from assistant.settings.schema import Price, Settings


class SettingsError(UserError):
    """The settings cannot be used; the message names each wrong one and where it stands."""


def default_config_file() -> Path:
    """Where the settings file is looked for."""
    return platformdirs.user_config_path("assistant") / "config.toml"


def load(
    file: Path | None = None, overrides: dict[str, Any] | None = None, keys: SecretStore | None = None
) -> Settings:
    """Read the settings.

    Args:
        file: the settings file; it must exist when given. The default one may be absent.
        overrides: values that win over file and environment, nested as the file is.
        keys: where the endpoint's key is looked for when neither file nor environment gives one.

    Raises:
        SettingsError: a file that cannot be read, or values that are unknown or out of range.
    """
    path = file or default_config_file()
    values: dict[str, Any] = {}
    if file is not None or path.is_file():
        try:
            values = tomllib.loads(path.read_text("utf-8-sig"))
        except OSError as error:
            raise SettingsError(
                _("The settings file {path} cannot be read: {reason}.").format(
                    path=path, reason=error.strerror
                )
            ) from error
        except UnicodeDecodeError as error:
            raise SettingsError(_not_utf8(path)) from error
        except tomllib.TOMLDecodeError as error:
            raise SettingsError(
                _("The settings file {path} is not valid TOML: {error}.").format(path=path, error=error)
            ) from error
    try:
        settings = Settings(**_with_adb_port(values, os.environ)).overridden(overrides or {})
    except ValidationError as error:
        raise SettingsError(_in_words(error.errors(), path)) from error
    return with_stored_key(settings, keys or SecretStore(SecretKind.MODEL_KEY))


def _not_utf8(path: Path) -> str:
    return _("The settings file {path} is not written in UTF-8. Save it as UTF-8.").format(path=path)


def _with_adb_port(values: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """What the settings file says, with the port of adb's own variable where it names none."""
    port, phone = environment.get(ADB_PORT, ""), values.get("phone", {})
    # Python reads no number of thousands of digits.
    if not port.isdecimal() or len(port) > 100 or not isinstance(phone, dict) or "adb_port" in phone:
        return dict(values)
    return {**values, "phone": {**phone, "adb_port": int(port)}}


ADB_PORT = "ANDROID_ADB_SERVER_PORT"
"""The variable by which adb itself is told the port of its server."""


def with_stored_key(settings: Settings, keys: SecretStore) -> Settings:
    """The settings with the endpoint's key from the keyring, where file and environment give none.

    A keyring that does not answer gives no key; `assistant doctor` says so.
    """
    if settings.model.api_key.get_secret_value() or not settings.model.base_url:
        return settings
    try:
        key = keys.get(key_name(settings.model.base_url))
    except SecretError:
        return settings
    return settings.overridden({"model": {"api_key": SecretStr(key)}}) if key else settings


def key_name(base_url: str) -> str:
    """The name under which the key of an endpoint is kept: its host and port."""
    try:
        host = urlsplit(base_url).netloc.rpartition("@")[2]
    except ValueError:
        host = ""
    return f"endpoint {host.replace('[', '').replace(']', '').lower()}"[:200].strip()


def save(changes: dict[str, Any], file: Path | None = None) -> Path:
    """Change some settings in the settings file, in one step; its other lines and comments stay as they are.

    Args:
        changes: the new values, nested as the file is; None takes a setting out.
        file: the settings file, by default the usual one. It is made when it is missing, for the user alone.

    Returns:
        The file that was written.

    Raises:
        SettingsError: a file that cannot be read or written, or a value that is unknown or out of range.
    """
    path = file or default_config_file()
    try:
        # Two programs may change settings at the same time, as the interface and `assistant settings set`.
        with locked(path.resolve()):
            _change_file(path, changes)
    except OSError as error:
        raise SettingsError(
            _("The settings file {path} cannot be written: {reason}.").format(
                path=path, reason=error.strerror
            )
        ) from error
    return path


def _change_file(path: Path, changes: dict[str, Any]) -> None:
    """Read the settings file, change it and replace it; no other program may do so meanwhile.

    Raises:
        OSError: it cannot be written.
        SettingsError: it cannot be read, or changed so.
    """
    try:
        before = path.read_text("utf-8-sig") if path.exists() else ""
        after = edit_toml(before, changes)
    except OSError as error:
        raise SettingsError(
            _("The settings file {path} cannot be read: {reason}.").format(path=path, reason=error.strerror)
        ) from error
    except UnicodeDecodeError as error:
        raise SettingsError(_not_utf8(path)) from error
    except (tomlkit.exceptions.TOMLKitError, ValueError) as error:
        raise SettingsError(
            _("The settings file {path} cannot be changed: {error}. Mend it first.").format(
                path=path, error=error
            )
        ) from error
    old_problems = _wrong(before)
    if new := [problem for problem in _wrong(after) if problem not in old_problems]:
        raise SettingsError(_in_words(new, path))
    write_privately(path, after)


def edit_toml(text: str, changes: dict[str, Any]) -> str:
    """The text of a TOML file with some values changed, and everything else as it was.

    Raises:
        ValueError: the text is not valid TOML, or is written in a way that cannot be changed safely.
    """
    expected = tomllib.loads(text)
    document = tomlkit.parse(text)
    _merge(expected, changes)
    _merge(document, changes)
    after = tomlkit.dumps(document)
    if tomllib.loads(after) != expected:
        raise ValueError(_("its tables are written in a way that cannot be changed safely"))
    return after


def _merge(table: Any, changes: dict[str, Any]) -> None:
    for name, value in changes.items():
        if value is None:
            table.pop(name, None)
        elif isinstance(value, dict):
            if not isinstance(table.get(name), dict):
                table[name] = {}
            _merge(table[name], value)
        else:
            table[name] = value


def _wrong(text: str) -> list[ErrorDetails]:
    """What is wrong in the text of a settings file. One wrong value keeps no other from being mended."""
    try:
        Settings(**tomllib.loads(text))
    except ValidationError as error:
        return error.errors(include_url=False)
    return []


def _in_words(problems: list[ErrorDetails], path: Path) -> str:
    lines = [_("Some settings cannot be used:")]
    for problem in problems:
        name = ".".join(str(part) for part in problem["loc"])
        variable = "ASSISTANT_" + "__".join(str(part).upper() for part in problem["loc"])
        origin = str(path)
        if variable in os.environ:
            origin = _("environment variable {variable}").format(variable=variable)
        what = problem_in_words(problem)
        if problem["type"] != _UNKNOWN and _may_be_quoted(problem["loc"]):
            what = _("{what}, not {value}").format(what=what, value=repr(problem["input"]))
        lines.append(f"  {name}: {what} ({origin})")
    return "\n".join(lines)


def _may_be_quoted(location: Sequence[int | str]) -> bool:
    """Whether a wrong value may be repeated to the user: not where it is, or may hold, a secret.

    A name that is unknown may be that of a secret, mistyped; so may a whole section stand in a wrong place.
    """
    if location[0] in _PRIVATE_SECTIONS:
        return False
    kind: Any = Settings
    for name in location:
        fields = kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else {}
        if name not in fields:
            break
        kind = fields[name].annotation
    return not _holds_secret(kind)


def _holds_secret(kind: Any) -> bool:
    """Whether a value of some type is a secret, or has one in it."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return any(_holds_secret(field.annotation) for field in kind.model_fields.values())
    return kind is SecretStr or any(map(_holds_secret, get_args(kind)))


_UNKNOWN = "extra_forbidden"
_PRIVATE_SECTIONS = ("mcp",)
"""Sections whose wrong values are not quoted, because what stands beside them may be a key."""
_PROBLEMS = {
    _UNKNOWN: later("is not a setting"),
    "missing": later("is missing"),
    "bool_parsing": later("must be true or false"),
    "bool_type": later("must be true or false"),
    "int_parsing": later("must be a whole number"),
    "int_from_float": later("must be a whole number"),
    "int_type": later("must be a whole number"),
    "float_parsing": later("must be a number"),
    "float_type": later("must be a number"),
    "greater_than": later("must be more than {gt}"),
    "greater_than_equal": later("must be at least {ge}"),
    "less_than": later("must be less than {lt}"),
    "less_than_equal": later("must be at most {le}"),
    "enum": later("must be one of {expected}"),
    "literal_error": later("must be one of {expected}"),
    "string_type": later("must be words"),
    "string_too_short": later("must not be empty"),
    "string_pattern_mismatch": later("is not written as it must be"),
    "time_parsing": later("must be a time of day, such as 22:30"),
    "time_type": later("must be a time of day, such as 22:30"),
    "datetime_parsing": later("must be a time, such as 2026-03-09T12:00"),
    "datetime_from_date_parsing": later("must be a time, such as 2026-03-09T12:00"),
    "path_type": later("must be a folder"),
    "tuple_type": later("must be a list"),
    "ways": later("needs either a command or an address (url)"),
    "dict_type": later("must be a section with names"),
    "model_type": later("must be a section with names"),
    "model_attributes_type": later("must be a section with names"),
}
"""What is wrong with a value, by the type of Pydantic's error."""


def problem_in_words(problem: ErrorDetails) -> str:
    """What is wrong with a value, to be said after its name; Pydantic's words where there are no better."""
    words = _PROBLEMS.get(problem["type"])
    if words is None:
        return problem["msg"][:1].lower() + problem["msg"][1:]
    values = {name: _one_of(value) for name, value in problem.get("ctx", {}).items()}
    return _(words).format(**values)


def _one_of(value: object) -> str:
    """A limit, or a list of choices, as the interface writes it."""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text.replace(" or ", _(" or ")).replace(", ", _(", "))


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
        return split_path(self.path)[0]

    @property
    def name(self) -> str:
        """The name within its section; that of a model may have dots itself."""
        return split_path(self.path)[1]

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


def split_path(path: str) -> tuple[str, str]:
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


def format_value(settings: Settings, chosen: Setting) -> str:
    """The value in words; a secret shows only that there is one."""
    holder = getattr(settings, chosen.section) if chosen.section else settings
    return _words(
        holder.get(chosen.name, chosen.default) if isinstance(holder, dict) else getattr(holder, chosen.name)
    )


def find_origin(chosen: Setting, file: Mapping[str, Any]) -> SettingOrigin:
    """Where the value comes from."""
    if os.environ.get(chosen.variable):
        return SettingOrigin.ENVIRONMENT
    part = file.get(chosen.section, {}) if chosen.section else file
    return SettingOrigin.FILE if isinstance(part, Mapping) and chosen.name in part else SettingOrigin.DEFAULT


def parse_value(chosen: Setting, text: str) -> Any:
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
    is_usable, reason = _USABLE.get(chosen.path, (bool, ""))
    if value and not is_usable(str(value)):
        raise SettingsError(f"{chosen.path}: {_sentence(_(reason))}")
    return value


def is_web_address(text: str) -> bool:
    """Whether a text is an address of the web with a host."""
    try:
        parts = urlsplit(text)
        host, _port = parts.hostname, parts.port
    except ValueError:
        return False
    return bool(host) and parts.scheme in ("http", "https") and not any(map(str.isspace, text))


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


_USABLE: dict[str, tuple[Callable[[str], bool], str]] = {
    "model.base_url": (is_web_address, later("must be an address, such as http://localhost:8000/v1")),
    "model.extra_body": (_is_json_object, later("must be a JSON object")),
}
"""What a value must be beyond its type, where a mistyped one would only be noticed at the first request."""


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Environment variables that are named like settings and set nothing."""
    sections = {name.upper() for name in Settings.model_fields}
    return sorted(
        name
        for name in environment
        if name.upper().startswith("ASSISTANT_")
        and not name.upper().startswith("ASSISTANT_SECRET_")
        and name.upper().removeprefix("ASSISTANT_").partition("__")[0] not in sections
    )


def values_of(file: Path | None) -> dict[str, Any]:
    """What stands in the settings file; empty where there is none, or none that can be read."""
    path = file or default_config_file()
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
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
        try:
            right = Settings(**_with_adb_port(values, os.environ)).overridden(overrides or {})
        except ValidationError:
            # A variable of the environment, or an argument, cannot be taken out. What was raised names it.
            right = None
        if right is None:
            raise
    return right, broken


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
            value = str(problem["input"])[:80] if _may_be_quoted(problem["loc"]) else _HIDDEN
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

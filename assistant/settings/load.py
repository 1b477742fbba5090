"""Settings: a TOML file, the environment, defaults. What is unknown or broken becomes an error in words."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import platformdirs
import tomlkit
import tomlkit.exceptions
from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from assistant.files import write_privately
from assistant.i18n import UserError, _, later
from assistant.secrets import SecretError, SecretKind, SecretStore
from assistant.settings.schema import (
    Settings,
)


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
            values = tomllib.loads(path.read_text("utf-8"))
        except OSError as error:
            raise SettingsError(
                _("The settings file {path} cannot be read: {reason}.").format(
                    path=path, reason=error.strerror
                )
            ) from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError(
                _("The settings file {path} is not valid TOML: {error}.").format(path=path, error=error)
            ) from error
    try:
        settings = Settings(**values).overridden(overrides or {})
    except ValidationError as error:
        raise SettingsError(_in_words(error.errors(), path)) from error
    return with_stored_key(settings, keys or SecretStore(SecretKind.MODEL_KEY))


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
        before = path.read_text("utf-8") if path.exists() else ""
        after = edited(before, changes)
    except OSError as error:
        raise SettingsError(
            _("The settings file {path} cannot be read: {reason}.").format(path=path, reason=error.strerror)
        ) from error
    except (tomlkit.exceptions.TOMLKitError, UnicodeDecodeError, ValueError) as error:
        raise SettingsError(
            _("The settings file {path} cannot be changed: {error}. Mend it first.").format(
                path=path, error=error
            )
        ) from error
    old_problems = _wrong(before)
    if new := [problem for problem in _wrong(after) if problem not in old_problems]:
        raise SettingsError(_in_words(new, path))
    try:
        write_privately(path, after)
    except OSError as error:
        raise SettingsError(
            _("The settings file {path} cannot be written: {reason}.").format(
                path=path, reason=error.strerror
            )
        ) from error
    return path


def edited(text: str, changes: dict[str, Any]) -> str:
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
        if problem["type"] != _UNKNOWN and problem["loc"][0] not in _PRIVATE_SECTIONS:
            what = _("{what}, not {value}").format(what=what, value=repr(problem["input"]))
        lines.append(f"  {name}: {what} ({origin})")
    return "\n".join(lines)


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

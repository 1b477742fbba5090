"""The lived-in memory of the demo: the last three weeks of the person whose phone is simulated."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import cast

import typer

from assistant.embedding.embedder import EmbeddingError
from assistant.embedding.models import ModelRegistry
from assistant.files import PROACTIVE_LOCK as LOCK_FILE
from assistant.files import FileLock, ProactiveLock, locked
from assistant.i18n import spoken
from assistant.memory.prototypes.service import learn_from_records
from assistant.memory.store import Store, open_store
from assistant.memory.transfer.jsonl import import_lines
from assistant.phone.apps import LABELS, AppLabels
from assistant.settings.schema import Settings
from assistant.simulator.apps.host import Locale
from assistant.simulator.lived_in import labels, lived_in
from assistant.simulator.world import WorldOptions
from assistant.understand.types import CommandLanguage
from assistant.understand.words import detect_language

_SOURCE = "three weeks of simulated life"
_LIVED = "simulated"
"""The source of the records of those weeks."""

_LONGEST_FILL = 120.0
"""In seconds: so long does a second program wait for the records of one that began before it."""

_USED = "demo.lock"
"""The file in the demo's folder that is locked while a demo of the interface uses it."""

_PHONE = "lived-in"
"""The serial under which the labels that its owner has seen are kept."""


def locale_of(commands: Iterable[str]) -> str:
    """The language that a demo for some commands is in: that of the first, without any the interface's."""
    first = next(iter(commands), "")
    if not first:
        return spoken().value
    return "zh" if detect_language(first) is CommandLanguage.ZH else "en"


def demo_store(settings: Settings, named: Path | None, locale: str = "en") -> Settings:
    """Settings whose store is the demo's own, where the user has not named one: a real memory stays real."""
    return settings if named else _stored_in(settings, settings.store / _own_folder(locale))


def _stored_in(settings: Settings, folder: Path) -> Settings:
    """Settings with the memory in a folder, also where the user's own is on a database server."""
    return settings.overridden({"store": folder, "memory": {"database": ""}})


@contextmanager
def fresh_demo_store(settings: Settings, named: Path | None, locale: str = "en") -> Iterator[Settings]:
    """Settings of a demo that has its own store for as long as it is open, emptied first.

    A demo that was tried before would greet with its turns and with what was left unfinished, dated after the
    weeks that this one begins with. While another program has the demo's folder open, the next free one of
    `demo-2`, `demo-3` and so on is taken, so that no demo empties the memory of another one that runs. A
    store that the user named is kept.

    Raises:
        OSError: the folder cannot be emptied.
    """
    if named is not None:
        yield settings
        return
    base = demo_store(settings, None, locale).store
    for number in count(1):
        folder = base if number == 1 else base.with_name(f"{base.name}-{number}")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        used, offering = FileLock(folder / _USED), ProactiveLock(folder)
        try:
            if not used.take() or not offering.take():
                continue
            _empty(folder)
            offering.release()
            yield _stored_in(settings, folder)
            return
        finally:
            offering.release()
            used.release()


def _empty(folder: Path) -> None:
    """Remove what is in a folder but for the locks."""
    for path in folder.iterdir():
        if path.name not in (LOCK_FILE, _USED):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def live_in(settings: Settings, options: WorldOptions, now: Callable[[], datetime]) -> bool:
    """Give an empty store the records of the simulated phone's owner, and learn from them.

    The demo's own store is filled too when it has nothing but turns yet. Any other store with records stays
    as it is: then the demo was there before, or it is a real memory.

    Args:
        settings: where the store is, and whose.
        options: the world that the records fit.
        now: the local time; the records end the day before.

    Returns:
        Whether the records are new.

    Raises:
        StoreError: the memory cannot be opened or written.
        EmbeddingError: the embedder cannot be loaded or run; the records are there all the same.
    """
    with locked(settings.store / _LIVED, _LONGEST_FILL):
        return _fill_unfilled(settings, options, now)


def _fill_unfilled(settings: Settings, options: WorldOptions, now: Callable[[], datetime]) -> bool:
    store = open_store(settings, now)
    try:
        if _is_lived_in(store, settings, options.locale):
            return False
        locale = cast("Locale", options.locale)
        know_apps(settings, locale)
        records = lived_in(settings.user_id, now(), locale, options.seed)
        lines = "".join(f"{record.model_dump_json(exclude_none=True)}\n" for record in records)
        import_lines(store, BytesIO(lines.encode()), _SOURCE, lambda _: None, lambda _: None)
        if settings.memory.learning:
            learn_from_records(
                store, ModelRegistry().load_in_background(settings.embedding), settings, [settings.user_id]
            )
        return True
    finally:
        store.close()


def _own_folder(locale: str) -> str:
    """The name of the demo's own folder."""
    return "demo" if locale == "en" else f"demo-{locale}"


def _is_lived_in(store: Store, settings: Settings, locale: str) -> bool:
    """Whether a store has a past that is not to be added to."""
    if re.fullmatch(rf"{_own_folder(locale)}(-\d+)?", settings.store.name):
        return any(record.source == _LIVED for record in store.records.of(settings.user_id))
    return any(True for _ in store.records.of(settings.user_id, newest=1))


def know_apps(settings: Settings, locale: Locale) -> None:
    """Note the labels of the phone's apps, which its owner has seen."""
    app_labels = AppLabels(settings.store / LABELS)
    for label, package in labels(locale).items():
        app_labels.learn(_PHONE, label, package)


def demo_memory(settings: Settings, named: Path | None, locale: str = "en") -> Settings:
    """Settings of a demo without a phone, with its memory filled.

    Raises:
        StoreError: the memory cannot be opened or written.
    """
    settings = demo_store(settings, named, locale)
    fill(settings, WorldOptions(locale=locale))
    return settings


def fill(settings: Settings, options: WorldOptions) -> None:
    """Fill the memory up to the start of the world; without an embedder, print that on standard error."""
    try:
        live_in(settings, options, lambda: options.start or datetime.now().astimezone())
    except EmbeddingError as error:
        typer.echo(error, err=True)

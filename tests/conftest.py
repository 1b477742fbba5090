"""Fixtures that several rooms need: an adb server, a home that is not the developer's, the embedder."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import pytest
from adbutils import AdbClient
from hypothesis import settings
from sqlalchemy import Engine
from typer import main as typer_main
from typer.utils import get_params_from_function

from assistant.embedding.embedder import OnnxEmbedder
from assistant.embedding.models import ModelRegistry
from assistant.memory import turns
from assistant.memory.database import Database, SqliteBackend
from assistant.model import client
from assistant.model.types import Resize, SentImage
from assistant.phone import pictures
from assistant.settings.schema import EmbeddingSettings, ModelSettings
from assistant.simulator import surface
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.model import understanding
from assistant.turn_runner import freeze_loaded_objects

T = TypeVar("T")

_MEMORY_DISK = Path("/dev/shm")
_ROOM = 2 << 30
"""Bytes that must be free there; a run keeps some tens of MB at a time."""

_PICTURES = 250
"""How many pictures are remembered, of about 70 kB each."""

# A busy machine is no reason to fail. `--hypothesis-profile thorough` looks longer.
settings.register_profile("assistant", deadline=None, max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("assistant")


def pytest_addoption(parser: pytest.Parser) -> None:
    """`tests/memory/conftest.py` reads the first, `tests/kills` the others."""
    help_line = "run tests/memory on a PostgreSQL server that is started for it"
    parser.addoption("--memory-server", action="store_true", help=help_line)
    parser.addoption("--kills", type=int, help="kill each program in tests/kills so many times")
    parser.addoption("--kill-seed", type=int, default=1, help="draws the moments of the kills")


def pytest_configure() -> None:
    """Temporary files lie in memory where there is room: thousands of stores are flushed to no disk.

    What survives the kill of a program survives it there too; only the loss of power is another matter.
    What is compiled is kept, even where the environment says that it is not: each worker would compile all
    tests, and each of a hundred child programs what it imports.
    """
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    is_there = os.access(_MEMORY_DISK, os.W_OK | os.X_OK)
    if "TMPDIR" not in os.environ and is_there and shutil.disk_usage(_MEMORY_DISK).free > _ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY_DISK)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Nearly all that is made while tests are collected stays, so no garbage is looked for meanwhile."""
    gc.disable()
    try:
        _load_own_share_first(session.config)
        return (yield)
    finally:
        gc.enable()


def _load_own_share_first(config: pytest.Config) -> None:
    """Have each worker begin to load the tests at another place.

    All load all of them. In a new checkout each would compile them too, because they would come to each file
    at the same time; so each compiles a share, and reads what the others have compiled. What cannot be loaded
    is left to the collection, which says why.
    """
    worker: dict[str, Any] = getattr(config, "workerinput", {})
    folders = [Path(config.invocation_params.dir, argument) for argument in config.args]
    inside = [folder for folder in folders if folder.is_relative_to(config.rootpath)]
    files = sorted(file for folder in inside for file in folder.rglob("test_*.py"))
    names = [".".join(file.relative_to(config.rootpath).with_suffix("").parts) for file in files]
    start = len(names) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"] if worker else 0
    for name in names[start:] + names[:start] if start else []:
        with suppress(Exception, pytest.skip.Exception):
            import_module(name)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What is loaded by now stays, so the garbage collector need not look through it again and again.

    No turn tunes it a second time then.
    """
    gc.collect()
    freeze_loaded_objects()
    gc.set_threshold(20_000, 50, 20)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Look once for what was never awaited; pytest and the interpreter would look seven times."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def english() -> Iterator[None]:
    """The program speaks English in tests, whatever the developer's environment says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LC_ALL", "C.UTF-8")
        yield


@pytest.fixture(scope="session", autouse=True)
def no_text_recognition() -> Iterator[None]:
    """No recogniser reads pictures, not even an installed one, unless a test brings it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "find_models", lambda: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def known_parameters() -> Iterator[None]:
    """What a command takes is read from its function once, and not at each call of the command line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer_main, "get_params_from_function", cache(get_params_from_function))
        yield


@pytest.fixture(scope="session", autouse=True)
def copied_tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A new SQLite file begins as a copy of the first one, whose tables were made as they are for a user.

    A statement is compiled once, and not once for each file.
    """
    make_engine = SqliteBackend.engine
    template = tmp_path_factory.mktemp("template") / "memory.sqlite"
    first = Database(SqliteBackend(template))
    first.close()
    tables = template.read_bytes()

    def engine(self: SqliteBackend) -> Engine:
        self._file.touch(mode=0o600)
        if not self._file.stat().st_size:
            self._file.write_bytes(tables)
        engine = make_engine(self)
        engine.dialect, engine._compiled_cache = first.engine.dialect, first.engine._compiled_cache
        return engine

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteBackend, "engine", engine)
        yield


@pytest.fixture(scope="session", autouse=True)
def known_pictures() -> Iterator[None]:
    """A picture is encoded, checked or scaled once: hundreds of tests meet the same screens."""
    encode, scale = surface._encode, client.encode_screenshot
    known: dict[object, Any] = {}

    def once(key: object, make: Callable[[], T]) -> T:
        if key not in known:
            if len(known) >= _PICTURES:
                known.clear()
            known[key] = make()
        made: T = known[key]
        return made

    def encode_once(mode: str, size: tuple[int, int], pixels: bytes) -> bytes:
        return once((mode, size, hash(pixels)), lambda: encode(mode, size, pixels))

    def scale_once(png: bytes, settings: ModelSettings, *resize: Resize) -> SentImage | None:
        shape = settings.image_side, settings.image_format, settings.image_quality
        return once((png, shape, resize), lambda: scale(png, settings, *resize))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surface, "_encode", encode_once)
        patch.setattr(client, "encode_screenshot", scale_once)
        patch.setattr(turns, "shrink_picture", lru_cache(_PICTURES)(turns.shrink_picture))
        patch.setattr(understanding, "_picture_size", lru_cache(_PICTURES)(understanding._picture_size))
        yield


@pytest.fixture(scope="module")
def uncollected() -> Iterator[None]:
    """No garbage is collected: three million objects of syntax trees are longer looked through than made."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="session")
def lasting_adb_server() -> Iterator[PrivateAdbServer]:
    """One private adb server for the test session; adbutils and adb find it through the environment."""
    with PrivateAdbServer() as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture
def adb_server(lasting_adb_server: PrivateAdbServer) -> Iterator[PrivateAdbServer]:
    """The adb server, without any phone that an earlier test had."""
    yield lasting_adb_server
    AdbClient("127.0.0.1", lasting_adb_server.port).disconnect("")


@pytest.fixture(scope="session")
def embedder() -> OnnxEmbedder:
    """The bundled embedding model, whatever the developer's settings choose."""
    return ModelRegistry().load(EmbeddingSettings())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers more than cores: a third of the time goes into waiting for adb and child programs."""
    return (os.cpu_count() or 1) + 2

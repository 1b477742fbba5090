"""What is set before any test is collected; the fixtures that several rooms need are in `fixtures.py`."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings

_MEMORY_DISK = Path("/dev/shm")
_ROOM = 2 << 30
"""Bytes that must be free there; a run keeps some tens of MB at a time."""

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


def pytest_configure(config: pytest.Config) -> None:
    """Temporary files lie in memory where there is room: thousands of stores are flushed to no disk.

    What survives the kill of a program survives it there too; only the loss of power is another matter.
    What is compiled is kept, even where the environment says that it is not: each worker would compile all
    tests, and each of a hundred child programs what it imports. Workers are forked on Linux alone: elsewhere
    a fork may break libraries of the system, or is not there.
    """
    sys.dont_write_bytecode = False
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    is_there = os.access(_MEMORY_DISK, os.W_OK | os.X_OK)
    if "TMPDIR" not in os.environ and is_there and shutil.disk_usage(_MEMORY_DISK).free > _ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY_DISK)
    hands_out = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    forks = hands_out and sys.platform == "linux"
    config.pluginmanager.register(import_module("tests.forking" if forks else "tests.fixtures"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers more than cores: a third of the time goes into waiting for adb and child programs."""
    return (os.cpu_count() or 1) + 2

"""Workers that are forked from a process which has loaded the tests, and not started anew.

What all workers would load, product, libraries and tests, is loaded once.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest
from execnet import gateway_io
from execnet.gateway_base import Popen2IO

_FILTERS = list(warnings.filters)
"""What becomes of warnings before pytest has its say; each process asks its own settings."""

_our_ends: list[int] = []
"""The ends of the pipes to all workers that this process holds. No worker keeps another's open."""

_forked: list[tuple[int, int, int]] = []
"""Workers that nobody talks with yet: the process, where it is written to and where it is read."""


def pytest_configure() -> None:
    """Have execnet fork a worker where it would start Python."""
    gateway_io.Popen2IOMaster = ForkedWorker  # type: ignore[misc, assignment]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Load what is to be tested, then fork; what cannot be loaded is left to the workers, which say why.

    All are forked before there is a thread for any: a lock that a thread holds meanwhile would stay locked.
    """
    gc.disable()
    import_module("tests.fixtures")
    for file in _test_files(config):
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(config.rootpath).with_suffix("").parts))
    gc.freeze()
    gc.enable()
    _forked.extend(_fork() for _ in specs)


def _test_files(config: pytest.Config) -> Iterator[Path]:
    for argument in config.args:
        path = Path(config.invocation_params.dir, argument.partition("::")[0])
        if path.is_relative_to(config.rootpath / "tests"):
            yield from sorted(path.rglob("test_*.py")) if path.is_dir() else [path]


class ForkedWorker(Popen2IO):
    """What execnet talks with a worker by, in place of its own class that starts a program."""

    def __init__(self, args: list[str], execmodel: Any) -> None:
        self._process, commands, results = _forked.pop(0) if _forked else _fork()
        super().__init__(os.fdopen(commands, "wb"), os.fdopen(results, "rb"), execmodel)

    def wait(self) -> int | None:
        """Await its end; its status, None where it was awaited before."""
        with suppress(ChildProcessError):
            return os.waitpid(self._process, 0)[1]
        return None

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)


def _fork() -> tuple[int, int, int]:
    commands, our_commands = os.pipe()
    our_results, results = os.pipe()
    _our_ends.extend((our_commands, our_results))
    process = os.fork()
    if not process:
        _work(commands, results)
    os.close(commands)
    os.close(results)
    return process, our_commands, our_results


def _work(commands: int, results: int) -> NoReturn:
    """Be a worker: what execnet sends first is a program that serves it, as it sends to a new Python."""
    try:
        for end in {*_our_ends} - {commands, results}:
            with suppress(OSError):
                os.close(end)
        warnings.resetwarnings()
        warnings.filters.extend(_FILTERS)  # type: ignore[attr-defined]
        os.dup2(commands, 0)
        os.dup2(results, 1)
        with os.fdopen(0, closefd=False) as lines:
            program = lines.readline()
        # A program that a test spawns from a worker would load pytest as the main module otherwise.
        sys.modules["__main__"] = main = ModuleType("__main__")
        exec(eval(program), vars(main))
        atexit._run_exitfuncs()
    finally:
        os._exit(0)

"""An adb server of our own: private port, private home, no mDNS, no USB. For tests and the demo."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType


class AdbServerFailed(Exception):
    """The adb server did not come up; the message carries what it printed."""


class PrivateAdbServer:
    """A context manager that runs `adb server nodaemon` and ends it by its pid.

    `port` is the server's port on 127.0.0.1, `environment` what a program needs to reach this server and
    no other.
    """

    def __init__(self, adb: Path | None = None, start_limit: float = 20.0) -> None:
        self.adb = adb or _bundled_adb()
        self.port = free_port()
        self._start_limit = start_limit
        self._home = tempfile.TemporaryDirectory(prefix="assistant-adb-", ignore_cleanup_errors=True)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead adb clients here and keep the server off USB and the network."""
        return {
            "HOME": self._home.name,
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            "ADB_MDNS": "0",
            "ADB_LIBUSB": "0",
            "ADB_LOCAL_TRANSPORT_MAX_PORT": "1",
        }

    def __enter__(self) -> PrivateAdbServer:
        log = Path(self._home.name) / "server.log"
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [str(self.adb), "-P", str(self.port), "server", "nodaemon"],
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        limit = time.monotonic() + self._start_limit
        while not _listens(self.port):
            if self._process.poll() is not None or time.monotonic() > limit:
                printed = log.read_text("utf-8", "replace").strip()
                self.stop()
                raise AdbServerFailed(
                    f"The adb server {self.adb} did not start: {printed or 'it printed nothing'}"
                )
            time.sleep(0.005)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the server and remove its home; again is harmless."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None
        self._home.cleanup()


def free_port() -> int:
    """A port on 127.0.0.1 that nobody listens on, outside the range that adb scans for emulators."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if not 5554 <= port <= 5586:
            return port


def _bundled_adb() -> Path:
    """The adb that adbutils brings, whatever else is installed; where it brings none, the one on the path."""
    name = "adb.exe" if os.name == "nt" else "adb"
    spec = importlib.util.find_spec("adbutils")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "binaries" / name
        if bundled.is_file():
            return bundled
    # For start-up time: the demo waits for this server, and adbutils takes as long to load as it to start.
    from adbutils import adb_path

    return Path(adb_path())


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0

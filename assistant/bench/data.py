"""Where data for benchmarks is that does not belong to the project."""

from __future__ import annotations

import os
from pathlib import Path


def data_folder(given: Path | None = None) -> Path:
    """The folder that was given, else that of the environment's ASSISTANT_DATA, else `../shared/data`.

    The last one lies beside the checkout. Nothing says that the folder exists.
    """
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return given or Path(os.environ.get("ASSISTANT_DATA") or beside)

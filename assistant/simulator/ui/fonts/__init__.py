"""The simulated phone's typeface: a subset of Noto Sans CJK SC, under the SIL Open Font License (OFL.txt)."""

from __future__ import annotations

from pathlib import Path

FONT = Path(__file__).with_name("NotoSansSC-subset.otf")

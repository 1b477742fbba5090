"""QR codes as text: half blocks, two modules one above the other in each cell."""

from __future__ import annotations

import segno

_QUIET = 2
_CELLS = {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}


def qr_lines(payload: str, *, inverted: bool = False) -> list[str]:
    """A QR code as lines of equal length, a quiet zone around it.

    The ink is dark, for a light background; `inverted` for light ink on a dark one.
    """
    code = segno.make(payload, error="l", micro=False)
    rows = [[bool(module) is not inverted for module in row] for row in code.matrix_iter(border=_QUIET)]
    if len(rows) % 2:
        rows.append([inverted] * len(rows[0]))
    return [
        "".join(_CELLS[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]

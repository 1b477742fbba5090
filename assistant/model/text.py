"""Untrusted text made fit to show and to quote: no control characters, no unwanted line breaks."""

from __future__ import annotations

import json
import re

_BREAKS = re.compile("\r\n?|[\x85\u2028\u2029]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


def plain(text: str) -> str:
    """Text without control characters, direction marks and lone surrogates; tabs and newlines stay."""
    return _HIDDEN.sub("", _BREAKS.sub("\n", text))


def one_line(text: str, limit: int = 0) -> str:
    """Plain text on one line, white space collapsed, cut with an ellipsis at `limit` characters if not 0."""
    line = " ".join(plain(text).split())
    return line if not limit or len(line) <= limit else line[: limit - 1].rstrip() + "…"


def quoted(text: str, limit: int = 0) -> str:
    """One line as a JSON string, so that it cannot leave its quotes nor close a tag around it."""
    return json.dumps(one_line(text, limit), ensure_ascii=False).replace("</", "<\\/")

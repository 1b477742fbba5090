"""Actions written as calls in text, `name(key='words', key=(1,2))`: a small, forgiving tokenizer.

Full-width punctuation, either kind of quotes, spaces, and unescaped quotes inside a text are taken. A call
counts only on a line of its own, so that prose about an action is never the action; a call that opens on
such a line and cannot be read makes the whole reply malformed.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from assistant.model.dialects.base import Call, MalformedReply
from assistant.model.dialects.line_text import before_line

Value = str | tuple[float, ...]
"""A text, or a list of numbers. A number alone is a text."""

_SPACE = r"[ \t]{0,12}"
_LABEL = rf"(?P<label>(?i:action|answer|动作|操作){_SPACE}[:：]{_SPACE})?"
_MARK = r"[-*>`]{1,4}\w{0,12}|\d{1,3}[.、]|<(?:answer|action)>|<\|\w{1,30}\|>"
_LINE_START = rf"{_SPACE}(?:{_MARK})?{_SPACE}{_LABEL}(?:<\|\w{{1,30}}\|>)?`?"
_OPEN = rf"{_SPACE}[(（]"
_TAIL = re.compile(r"(?:[ \t`.。;；,，、]|</\w+>|<\|[^|\n]*\|>|\[EOS\])*(?=\n|$)")
_BETWEEN = r"[\s,，;；、]*"
_CLOSE = re.compile(r"\s*[)）]")
_COMMA = re.compile(r"\s*[,，]")
_KEY = re.compile(r"\s*([A-Za-z_]+)\s*[=＝]\s*")
_NUMBER = r"-?\d{1,9}(?:\.\d{1,9})?"
_LIST = re.compile(rf"[(（\[]\s*({_NUMBER}(?:\s*[,，]\s*{_NUMBER}){{1,8}})\s*[)）\]]", re.ASCII)
_ALONE = re.compile(_NUMBER, re.ASCII)
_TAGGED = re.compile(r"<[|\w]{1,20}>[\d\s.,()\[\]-]{1,60}<[|/\w]{1,20}>", re.ASCII)
_WORD = re.compile(r"[A-Za-z]+")
_CLOSING = {"'": "'", '"': '"', "‘": "’'", "’": "’'", "“": '”"', "”": '”"'}
_ESCAPE = re.compile(r"""\\([\\'"‘’“”nr])""")
_BREAKS = {"n": "\n", "r": "\r"}


def quote(text: str, mark: str = "'") -> str:
    """A text in quotes; backslashes, quotes and line breaks escaped."""
    escaped = text.replace("\\", "\\\\").replace(mark, f"\\{mark}").replace("\n", "\\n").replace("\r", "\\r")
    return f"{mark}{escaped}{mark}"


class Form:
    """Reads calls of the given names, with arguments of the given keys, out of text.

    A call that opens as the pattern `inline` says counts also in the middle of a line.
    """

    def __init__(self, names: Collection[str], keys: Collection[str], inline: str = "") -> None:
        name = rf"(?P<name>{'|'.join(sorted(names, key=len, reverse=True))}){_OPEN}"
        self._opening = re.compile(_LINE_START + name)
        within = rf"|(?<![A-Za-z0-9_.])(?={inline})" if inline else ""
        self._on_line = re.compile(rf"(?:(?:^|\n){_LINE_START}{within}){name}")
        self._next = re.compile(_BETWEEN + name)
        self._next_argument = re.compile(rf"\s*[,，]\s*(?:{'|'.join(sorted(keys))})\s*[=＝]")
        self._undecided = max(map(len, names)) + 44

    def prose_end(self, text: str, start: int = 0) -> int:
        """How many leading characters of a growing text belong to no call; the first `start` are known."""
        return before_line(self._opening, text, start, self._undecided)

    def calls(self, text: str) -> list[Call]:
        """All calls that open on lines of their own, in order; several to a line are all read.

        Raises:
            MalformedReply: a call that opens on its line and cannot be read, or that words follow.
        """
        return [call for calls in self.labelled(text) for call in calls]

    def labelled(self, text: str) -> list[list[Call]]:
        """The same calls; each `Action:` before a call begins a new list.

        Raises:
            MalformedReply: as `calls`.
        """
        found: list[list[Call]] = []
        place = 0
        opening = self._on_line.search(text)
        while opening:
            arguments, place = self._arguments(text, opening.end())
            if not found or opening.groupdict().get("label"):
                found.append([])
            found[-1].append(Call(opening["name"], arguments))
            opening = self._next.match(text, place)
            if not opening:
                if not _TAIL.match(text, place):
                    raise MalformedReply("Something follows the action on its line. Give the action alone.")
                opening = self._on_line.search(text, place)
        return found

    def _arguments(self, text: str, place: int) -> tuple[dict[str, Value], int]:
        """The arguments up to the closing bracket, and the place behind it."""
        arguments: dict[str, Value] = {}
        if close := _CLOSE.match(text, place):
            return arguments, close.end()
        while True:
            key = _KEY.match(text, place)
            if not key:
                raise MalformedReply("The arguments of the action cannot be read. Write them as key=value.")
            if key[1] in arguments:
                raise MalformedReply(f"The action has {key[1][:40]} twice.")
            arguments[key[1]], place = self._value(text, key.end(), key[1])
            if close := _CLOSE.match(text, place):
                return arguments, close.end()
            comma = _COMMA.match(text, place)
            if not comma:
                raise MalformedReply("The action has no closing bracket.")
            place = comma.end()

    def _value(self, text: str, place: int, key: str) -> tuple[Value, int]:
        if text[place : place + 1] in _CLOSING and place < len(text):
            return self._string(text, place, key)
        if numbers := _LIST.match(text, place):
            return tuple(float(number) for number in _ALONE.findall(numbers[1])), numbers.end()
        if bare := _TAGGED.match(text, place) or _WORD.match(text, place) or _ALONE.match(text, place):
            return bare[0], bare.end()
        raise MalformedReply(f"The value of {key[:40]} cannot be read. Texts stand in quotes.")

    def _string(self, text: str, start: int, key: str) -> tuple[str, int]:
        """A quoted text. A quote ends it only where the call can go on behind it, so `it's` needs no care."""
        closing = _CLOSING[text[start]]
        place = start + 1
        while place < len(text):
            if escape := _ESCAPE.match(text, place):
                place = escape.end()
                continue
            if text[place] in closing and self._goes_on(text, place + 1):
                words = _ESCAPE.sub(lambda match: _BREAKS.get(match[1], match[1]), text[start + 1 : place])
                return words, place + 1
            place += 1
        raise MalformedReply(f"The text of {key[:40]} has no closing quote.")

    def _goes_on(self, text: str, place: int) -> bool:
        if close := _CLOSE.match(text, place):
            return bool(_TAIL.match(text, close.end()) or self._next.match(text, close.end()))
        return bool(self._next_argument.match(text, place))

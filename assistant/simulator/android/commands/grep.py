"""What `grep` was asked for, and its patterns as Python's."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_BASIC_SWAPS = "(){}|+?"
_CLASSES = {
    "[:alnum:]": "a-zA-Z0-9",
    "[:alpha:]": "a-zA-Z",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:space:]": r"\s",
    "[:upper:]": "A-Z",
}
_FLAGS = {
    "E": "extended",
    "F": "fixed",
    "c": "counting",
    "i": "ignoring_case",
    "n": "numbered",
    "o": "only",
    "q": "quiet",
    "v": "inverted",
    "w": "whole_word",
}
_WITHOUT_EFFECT = "ahs"
_LONGEST = 500


@dataclass(slots=True)
class Wanted:
    """The options of one call. `problem` is what is wrong with them."""

    patterns: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    extended: bool = False
    fixed: bool = False
    ignoring_case: bool = False
    inverted: bool = False
    only: bool = False
    counting: bool = False
    numbered: bool = False
    quiet: bool = False
    whole_word: bool = False
    most: int | None = None
    problem: str = ""


def read_options(words: list[str]) -> Wanted:
    """Read the words after `grep`."""
    wanted = Wanted()
    rest = iter(words)
    bare: list[str] = []
    for word in rest:
        if word in ("-e", "-m"):
            _set_value(wanted, word, next(rest, None))
        elif re.fullmatch(r"-m\d{1,9}", word, re.ASCII):
            wanted.most = int(word[2:])
        elif word in ("--line-buffered", "--color=never", "-a"):
            continue
        elif word.startswith("-") and len(word) > 1:
            _set_flags(wanted, word)
        else:
            bare.append(word)
    if not wanted.patterns and bare:
        wanted.patterns.append(bare.pop(0))
    wanted.names = bare
    if not wanted.patterns:
        wanted.problem = wanted.problem or "no REGEX"
    return wanted


def _set_value(wanted: Wanted, option: str, value: str | None) -> None:
    if value is None:
        wanted.problem = f"Missing argument to {option}"
    elif option == "-e":
        wanted.patterns.append(value)
    elif value.isascii() and value.isdigit() and len(value) < 10:
        wanted.most = int(value)
    else:
        wanted.problem = f"bad -m {value}"


def _set_flags(wanted: Wanted, word: str) -> None:
    for letter in word[1:]:
        if letter in _FLAGS:
            setattr(wanted, _FLAGS[letter], True)
        elif letter not in _WITHOUT_EFFECT:
            wanted.problem = f"Unknown option '{letter}' (see \"grep --help\")"


def compile_pattern(wanted: Wanted) -> re.Pattern[str]:
    """The patterns as one. Raises `re.error` for a broken or overlong one."""
    parts = [_translated(line, wanted) for pattern in wanted.patterns for line in pattern.split("\n")]
    whole = "|".join(f"(?:{part})" for part in parts)
    if len(whole) > _LONGEST:
        raise re.error("too long")
    if wanted.whole_word:
        whole = rf"\b(?:{whole})\b"
    return re.compile(whole, re.IGNORECASE if wanted.ignoring_case else 0)


def _translated(pattern: str, wanted: Wanted) -> str:
    if wanted.fixed:
        return re.escape(pattern)
    for name, members in _CLASSES.items():
        pattern = pattern.replace(name, members)
    # (? opens nothing special in these expressions, so no Python extension may be reached through it.
    if "(?" in pattern and wanted.extended:
        raise re.error("bad repetition")
    if wanted.extended:
        return pattern
    swapped = re.sub(
        r"\\(.)|([(){}|+?])",
        lambda match: (match[1] if match[1] in _BASIC_SWAPS else match[0]) if match[1] else f"\\{match[2]}",
        pattern,
        flags=re.DOTALL,
    )
    if "(?" in swapped:
        raise re.error("bad repetition")
    return swapped

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
class GrepOptions:
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


def read_options(words: list[str]) -> GrepOptions:
    """Read the words after `grep`."""
    options = GrepOptions()
    rest = iter(words)
    bare: list[str] = []
    for word in rest:
        if word in ("-e", "-m"):
            _set_value(options, word, next(rest, None))
        elif re.fullmatch(r"-m\d{1,9}", word, re.ASCII):
            options.most = int(word[2:])
        elif word in ("--line-buffered", "--color=never", "-a"):
            continue
        elif word.startswith("-") and len(word) > 1:
            _set_flags(options, word)
        else:
            bare.append(word)
    if not options.patterns and bare:
        options.patterns.append(bare.pop(0))
    options.names = bare
    if not options.patterns:
        options.problem = options.problem or "no REGEX"
    return options


def _set_value(options: GrepOptions, option: str, value: str | None) -> None:
    if value is None:
        options.problem = f"Missing argument to {option}"
    elif option == "-e":
        options.patterns.append(value)
    elif value.isascii() and value.isdigit() and len(value) < 10:
        options.most = int(value)
    else:
        options.problem = f"bad -m {value}"


def _set_flags(options: GrepOptions, word: str) -> None:
    for letter in word[1:]:
        if letter in _FLAGS:
            setattr(options, _FLAGS[letter], True)
        elif letter not in _WITHOUT_EFFECT:
            options.problem = f"Unknown option '{letter}' (see \"grep --help\")"


def compile_pattern(options: GrepOptions) -> re.Pattern[str]:
    """The patterns as one. Raises `re.error` for a broken or overlong one."""
    parts = [_translated(line, options) for pattern in options.patterns for line in pattern.split("\n")]
    whole = "|".join(f"(?:{part})" for part in parts)
    if len(whole) > _LONGEST:
        raise re.error("too long")
    if options.whole_word:
        whole = rf"\b(?:{whole})\b"
    return re.compile(whole, re.IGNORECASE if options.ignoring_case else 0)


def _translated(pattern: str, options: GrepOptions) -> str:
    if options.fixed:
        return re.escape(pattern)
    for name, members in _CLASSES.items():
        pattern = pattern.replace(name, members)
    # (? opens nothing special in these expressions, so no Python extension may be reached through it.
    if "(?" in pattern and options.extended:
        raise re.error("bad repetition")
    if options.extended:
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

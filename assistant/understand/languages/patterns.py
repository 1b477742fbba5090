"""Finds the words of a command that depend on the user by the patterns of a language, which are data.

A file such as `zh_spans.yaml` says how they are written. Names, quotations and numbers are explicit and never
personalized.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict

from assistant.understand.types import Category, PersonalizedElement
from assistant.understand.words import WordTables, chinese_words

_NAMED = re.compile(r"\{([a-z_,]+)\}")
_CATEGORIES = frozenset(category.value for category in Category)
_SENT_ALONG = (Category.HABIT, Category.PAST, Category.FACT)
"""What is the user's even in words for somebody else: “text Ana my address”."""


class WrittenPattern(BaseModel):
    """A pattern as a file has it: regular expressions with words in braces for word tables and parts.

    `match` is the span, if `after` matches and `not_after` does not match what stands before, and `not_span`
    does not match within. `example` is a command with the span in brackets.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    example: str
    match: str
    after: str = ""
    not_after: str = "(?!)"
    not_span: str = "(?!)"


class PatternFile(BaseModel):
    """The patterns of a language, tried in their order, with parts that several share.

    `quoted` is what is only mentioned; the group `said` of `message` is what somebody else is told.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    parts: dict[str, str]
    quoted: str
    message: str
    patterns: tuple[WrittenPattern, ...]


@cache
def load_patterns(language: str) -> PatternFile:
    """The patterns of a language by its code, such as “zh”."""
    text = files("assistant.understand").joinpath("languages", f"{language}_spans.yaml").read_text("utf-8")
    return PatternFile.model_validate(yaml.load(text, Loader=yaml.CSafeLoader))


class _Pattern(NamedTuple):
    match: re.Pattern[str]
    after: re.Pattern[str]
    not_after: re.Pattern[str]
    not_span: re.Pattern[str]


class SpanFinder:
    """Finds spans by the compiled patterns of a file.

    Args:
        written: the patterns.
        tables: the words that they name.
    """

    def __init__(self, written: PatternFile, tables: WordTables) -> None:
        self._tables = tables
        self._parts = written.parts
        self._quoted = self._compile(written.quoted)
        self._message = self._compile(written.message)
        self._patterns = tuple(
            _Pattern(*map(self._compile, (each.match, each.after, each.not_after, each.not_span)))
            for each in written.patterns
        )

    def _compile(self, pattern: str) -> re.Pattern[str]:
        while (expanded := _NAMED.sub(lambda match: self._expand(match[1]), pattern)) != pattern:
            pattern = expanded
        return re.compile(pattern, re.IGNORECASE)

    def _expand(self, names: str) -> str:
        if names in self._parts:
            return self._parts[names]
        words = {word for name in names.split(",") for word in getattr(self._tables, name.upper())}
        longest_first = sorted(words, key=lambda word: (-len(word), word))
        return f"(?:{'|'.join(map(re.escape, longest_first))})"

    def __call__(self, text: str, apps: Sequence[str] = ()) -> tuple[PersonalizedElement, ...]:
        """The personalized elements of a command, in the order of the text; labels of apps are names."""
        names = [match.span() for match in self._quoted.finditer(text)]
        for app in apps:
            names += [match.span() for match in re.finditer(re.escape(app), text, re.IGNORECASE)]
        messages = [match.span("said") for match in self._message.finditer(text)]
        elements: list[PersonalizedElement] = []
        index = 0
        while index < len(text):
            end = next((stop for start, stop in names if start <= index < stop), None)
            if end is None and (match := self._match(text, index)) is not None:
                element = _element(match)
                is_told = any(start <= index < stop for start, stop in messages)
                if element is not None and (not is_told or element.category in _SENT_ALONG):
                    elements.append(element)
                end = match.end()
            index = end or index + 1
        return tuple(elements)

    def _match(self, text: str, start: int) -> re.Match[str] | None:
        """The match of the first pattern that matches here."""
        before = text[:start]
        for pattern in self._patterns:
            match = pattern.match.match(text, start)
            if (
                match is not None
                and pattern.after.search(before)
                and not pattern.not_after.search(before)
                and not pattern.not_span.search(match[0])
            ):
                return match
        return None


def _element(match: re.Match[str]) -> PersonalizedElement | None:
    """An element by the groups of a match: the last one that a category names, and `owner`.

    Several groups of one category differ by digits behind the name. Nobody owns a person.
    """
    groups = ((match.start(name), name) for name, words in match.groupdict().items() if words is not None)
    _, name = max(((at, name) for at, name in groups if name.rstrip("123") in _CATEGORIES), default=(0, ""))
    if not name:
        return None
    category = Category(name.rstrip("123"))
    owner = match.groupdict().get("owner") or ""
    return PersonalizedElement(
        *match.span(),
        match[0],
        category,
        head=match[name].removeprefix("的"),
        owner="" if category is Category.PERSON else owner,
    )


@cache
def _chinese() -> SpanFinder:
    return SpanFinder(load_patterns("zh"), chinese_words)


def perceive_chinese(text: str, apps: Sequence[str] = ()) -> tuple[PersonalizedElement, ...]:
    """The personalized elements of a Chinese command, in the order of the text."""
    return _chinese()(text, apps)

"""What a label, an id or a question means, by the words in it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from assistant.events import ActionKind
from assistant.execute.guards import chinese, english
from assistant.execute.guards import words as known
from assistant.execute.guards.deeds import kind_of_deed
from assistant.safety.normalize import readings


class Reading(StrEnum):
    """How strictly a label is read: a button's may go on, a row's must be about the deed and nothing else."""

    BUTTON = "button"
    ROW = "row"


def _patterns(reading: Reading) -> dict[ActionKind, re.Pattern[str]]:
    end = r"\b" if reading is Reading.BUTTON else rf"(?:\b ?{english.OBJECTS}){{0,2}}\W*$"
    return {
        kind: re.compile(
            rf"^\W*{english.LEADS}"
            rf"(?:(?:{'|'.join(starts)}){end}|(?:{'|'.join(english.WHOLE[kind]) or '(?!)'})\W*$)"
        )
        for kind, starts in english.STARTS.items()
    }


_ENGLISH = {reading: _patterns(reading) for reading in Reading}
_CHINESE_PATTERNS = {kind: re.compile("|".join(marks)) for kind, marks in chinese.WORDS.items()}
_LEADS = re.compile(rf"^\W*{english.LEADS}")
_LONGEST_LABEL = 48


def kind_of_words(text: str, reading: Reading = Reading.BUTTON) -> ActionKind | None:
    """What a button with this label does; a label that is too long is content that mentions a word."""
    if len(text) > 4 * _LONGEST_LABEL:
        return None
    for words in readings(text):
        if len(words) > _LONGEST_LABEL or declines(words):
            continue
        for kind in known.ORDER:
            if _ENGLISH[reading][kind].match(words) or _in_chinese(kind, words, reading):
                return kind
        if kind_said := kind_of_deed(words) or kind_of_deed(_LEADS.sub("", words, count=1)):
            return kind_said
    return None


def _in_chinese(kind: ActionKind, words: str, reading: Reading) -> bool:
    """A row's title must begin or end with the deed, a button's need only name it."""
    found = _CHINESE_PATTERNS[kind].search(words)
    if found is None or len(words) > chinese.LONGEST or chinese.REFUSES.search(words):
        return False
    if chinese.NAMES_A_PAGE.search(words) and not chinese.TAKES_OBJECTS.match(words):
        return False
    return reading is Reading.BUTTON or found.start() == 0 or found.end() == len(words)


def kind_of_id(resource_id: str) -> ActionKind | None:
    """What an element does by the last part of its id, where that names a deed."""
    parts = tuple(part.lower() for part in known.ID_PARTS.findall(resource_id.rpartition("/")[2]))
    for phrase, kind in known.ID_PHRASES.items():
        if phrase == parts[: len(phrase)] or phrase == parts[-len(phrase) :]:
            return kind
    if known.ID_DECLINES & set(parts):
        return None
    return next((known.TOKENS[part] for part in parts if part in known.TOKENS), None)


def kind_of_question(lines: Iterable[str]) -> ActionKind | None:
    """What agreeing does, by the sentences that a dialog or a heading shows."""
    for line in lines:
        for words in readings(line[:300]):
            if known.OVER.search(words):
                continue
            if is_security(words) and re.search(r"allow|turn|enable|disable|允许|开启|关闭|启用|停用", words):
                return ActionKind.SECURITY
            for kind, pattern in known.ABOUT.items():
                if pattern.search(words):
                    return kind
    return None


def agrees(text: str) -> bool:
    """Whether a label says yes to whatever else is on the screen."""
    return any(known.AGREES.match(words) for words in readings(text))


def clears(text: str) -> bool:
    """Whether a label is a word that deletes only where a dialog asks for it."""
    return any(known.CLEARS.match(words) for words in readings(text))


def declines(text: str) -> bool:
    """Whether a label says no, or leaves."""
    return any(known.DECLINES.match(words) for words in readings(text))


def is_security(text: str) -> bool:
    """Whether a text is about what protects the phone or its accounts."""
    return any(known.SECURITY_MATTERS.search(words) for words in readings(text))


def sets_anew(text: str) -> bool:
    """Whether a label changes or sets something that has to be entered: a new password, a PIN."""
    return any(known.SETS.match(words) for words in readings(text))


def asks_for_code(text: str) -> bool:
    """Whether a short text names a password or a code."""
    return len(text) <= 2 * _LONGEST_LABEL and any(known.CODES.search(words) for words in readings(text))


def is_code_id(resource_id: str) -> bool:
    """Whether an element's id names a password or a code."""
    parts = known.ID_PARTS.findall(resource_id.rpartition("/")[2])
    return bool(known.CODE_FIELDS.search(" ".join(part.lower() for part in parts)))


def is_captcha(text: str) -> bool:
    """Whether a short text asks for proof of being human."""
    return len(text) <= 2 * _LONGEST_LABEL and any(known.CAPTCHA.search(words) for words in readings(text))


def offers_people(title: str) -> bool:
    """Whether a page by that title asks to whom something is sent: a tap on a name sends it."""
    return any(known.SHARING.match(words) for words in readings(title))


def writes_to_people(title: str) -> bool:
    """Whether a page by that title is for writing a mail or message."""
    return any(known.WRITING.match(words) for words in readings(title))


def slides(text: str) -> bool:
    """Whether a label asks to slide."""
    return any(known.SLIDES.search(words) for words in readings(text))

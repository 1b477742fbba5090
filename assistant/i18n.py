"""The language of the interface: gettext over the catalogues in `locale/`, dates, counts and columns.

Messages in the sources are English and plain: `_("{count} left").format(count=3)`. Tables that are made on
import hold `later("…")`, and are looked up with `_` where they are shown.
"""

from __future__ import annotations

import gettext
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from enum import StrEnum
from functools import cache
from itertools import pairwise
from pathlib import Path

from rich.cells import cell_len, set_cell_size

LOCALES = Path(__file__).parent / "locale"
DOMAIN = "assistant"

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_NO_LANGUAGE = ("C", "POSIX")


class UserError(Exception):
    """An error whose message is for the user, in their language: a command ends with it, without a trace."""


class Language(StrEnum):
    """A language of the interface; `AUTO` takes the one of the environment."""

    AUTO = "auto"
    ENGLISH = "en"
    CHINESE = "zh"


_CATALOGUES = {Language.CHINESE: "zh_CN"}


class _Words:
    """The catalogue in use. One language a process, as there is one person in front of it."""

    language = Language.ENGLISH
    catalogue: gettext.NullTranslations = gettext.NullTranslations()


_ANSWERING: ContextVar[Language | None] = ContextVar("answering", default=None)
"""The language of one answer, where it is not that of the interface."""


@cache
def _catalogue(language: Language) -> gettext.NullTranslations:
    """The messages of a language; none for English, which stands in the sources."""
    name = _CATALOGUES.get(language)
    return gettext.translation(DOMAIN, LOCALES, [name], fallback=True) if name else gettext.NullTranslations()


def _messages() -> gettext.NullTranslations:
    answering = _ANSWERING.get()
    return _Words.catalogue if answering is None else _catalogue(answering)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Speak a language within this context only: to answer a question in the language it was asked in."""
    token = _ANSWERING.set(language)
    try:
        yield
    finally:
        _ANSWERING.reset(token)


def use(language: Language, environment: Mapping[str, str] = os.environ) -> Language:
    """Speak a language from now on; the one that is spoken, English where there is no catalogue."""
    spoken = environment_language(environment) if language is Language.AUTO else language
    _Words.language = spoken
    _Words.catalogue = _catalogue(spoken)
    return spoken


def spoken() -> Language:
    """The language in use."""
    return _ANSWERING.get() or _Words.language


def option_language(arguments: Sequence[str]) -> Language:
    """The language that `--locale` names on a command line; `AUTO` where it names none of ours."""
    words = (*arguments, "")
    for argument, following in pairwise(words):
        option, _equals, value = argument.partition("=")
        if option == "--locale" and (value or following) in list(Language):
            return Language(value or following)
    return Language.AUTO


def environment_language(environment: Mapping[str, str]) -> Language:
    """The language that the environment names, English where it names none of ours.

    As gettext reads it: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set is the locale; unless
    that is C, the list `LANGUAGE` goes before it.
    """
    locale = next((environment[variable] for variable in _VARIABLES if environment.get(variable)), "")
    names = environment.get("LANGUAGE", "").split(":")
    if locale.partition(".")[0] in _NO_LANGUAGE:
        names = []
    ours = (Language.CHINESE, Language.ENGLISH)
    chosen = (
        language for name in [*names, locale] for language in ours if name.lower().startswith(language.value)
    )
    return next(chosen, Language.ENGLISH)


def _(message: str) -> str:
    """The message in the language in use; itself where the catalogue has none."""
    return _messages().gettext(message) if message else ""


def ngettext(singular: str, plural: str, count: int) -> str:
    """The message for a number of things."""
    return _messages().ngettext(singular, plural, count)


def later(message: str) -> str:
    """Mark a message that is looked up later, with `_`."""
    return message


def later_many(singular: str, plural: str) -> tuple[str, str]:
    """Mark a message for a number of things, which is looked up later with `ngettext`."""
    return singular, plural


_COUNTED = {
    "step": later_many("{count} step", "{count} steps"),
    "record": later_many("{count} record", "{count} records"),
    "line": later_many("{count} line", "{count} lines"),
    "screenshot": later_many("{count} screenshot", "{count} screenshots"),
    "value": later_many("{count} value", "{count} values"),
    "entity": later_many("{count} entry", "{count} entries"),
    "concept": later_many("{count} group", "{count} groups"),
    "suggestion": later_many("{count} suggestion", "{count} suggestions"),
    "turn": later_many("{count} turn", "{count} turns"),
    "time": later_many("{count} time", "{count} times"),
    "day": later_many("{count} day", "{count} days"),
    "minute": later_many("{count} minute", "{count} minutes"),
}


def spoken_for(text: str) -> Language:
    """The language of the answer to a line: Chinese if it has such characters, English if it has Latin words.

    The name of a slash command is in no language.
    """
    if has_chinese(text):
        return Language.CHINESE
    words = text.partition(" ")[2] if text.startswith("/") else text
    return Language.ENGLISH if any(character.isalpha() for character in words) else spoken()


def counted(count: int, noun: str) -> str:
    """`1 step`, `2 steps`; a noun that is not known here stays English."""
    singular, plural = _COUNTED.get(noun, (f"{{count}} {noun}", f"{{count}} {noun}s"))
    return ngettext(singular, plural, count).format(count=count)


def joined(parts: Iterable[str]) -> str:
    """The parts one after the other, with the comma of the language in use."""
    return _(", ").join(parts)


def sentences(*parts: str) -> str:
    """Sentences one after the other, with a blank between them where the language in use has one."""
    return tidied(("" if spoken() is Language.CHINESE else " ").join(part for part in parts if part))


def with_stop(text: str) -> str:
    """A text that another sentence follows, with the full stop of its language where it has no end."""
    return f"{text}{'。' if has_chinese(text[-1:]) else '.'}" if text[-1:].isalnum() else text


def tidied(text: str) -> str:
    """A text with inner marks for a quotation within another, and without a full stop behind another."""
    nested = "\n".join(map(_nest_quotations, text.split("\n")))
    return _TWO_STOPS.sub(lambda match: match["stop"] or ".", nested)


_TWO_STOPS = re.compile(r"(?P<stop>[。！？])。|(?<=\w)\.\.(?=\s|$)")


def _nest_quotations(line: str) -> str:
    """A line with inner marks for quotations within others; as it is where they do not pair."""
    depth, nested = 0, ""
    for character in line:
        depth += character == "“"
        nested += character if depth < 2 else character.translate(_INNER)
        depth -= character == "”"
        if depth < 0:
            return line
    return nested if depth == 0 else line


def ended(text: str) -> str:
    """A text as a sentence of its own: with a full stop where it ends in a letter or a figure."""
    if not text or not text[-1].isalnum():
        return text
    return f"{text}{'。' if text[-1] >= chr(0x3400) else '.'}"


def labelled(label: str, text: str) -> str:
    """A label and a text, with the colon of the language in use; the text alone without a label."""
    return _("{label}: {value}").format(label=label, value=text) if label else text


def retold(sentence: str, templates: Iterable[str]) -> str:
    """An English sentence in the language in use: that of the templates which it was made of, filled again.

    For sentences that come from elsewhere, such as a library's, or that are kept in English.
    """
    if spoken() is Language.ENGLISH:
        return sentence
    # The longest first: a shorter one may take its end for a value.
    for template in sorted(templates, key=len, reverse=True):
        if match := _shape(template).fullmatch(sentence):
            return _(template).format(**match.groupdict())
    return _(sentence)


@cache
def _shape(template: str) -> re.Pattern[str]:
    """What sentences look like that are made of a template."""
    parts = re.split(r"\{(\w+)\}", template)
    texts = (f"(?P<{part}>.*?)" if number % 2 else re.escape(part) for number, part in enumerate(parts))
    return re.compile("".join(texts), re.DOTALL)


SHORT_WEEKDAYS = (
    later("Mon"),
    later("Tue"),
    later("Wed"),
    later("Thu"),
    later("Fri"),
    later("Sat"),
    later("Sun"),
)
_MONTHS = (
    later("Jan"),
    later("Feb"),
    later("Mar"),
    later("Apr"),
    later("May"),
    later("Jun"),
    later("Jul"),
    later("Aug"),
    later("Sep"),
    later("Oct"),
    later("Nov"),
    later("Dec"),
)


_LONG_WEEKDAYS = (
    later("Monday"),
    later("Tuesday"),
    later("Wednesday"),
    later("Thursday"),
    later("Friday"),
    later("Saturday"),
    later("Sunday"),
)


def moment(time: datetime, *, year: bool = False) -> str:
    """`Tue 10 Mar 12:05`, with the year `Tue 10 Mar 2026 12:05`."""
    words = (
        _("{weekday} {day:02} {month} {year} {clock}") if year else _("{weekday} {day:02} {month} {clock}")
    )
    return words.format(
        weekday=_(SHORT_WEEKDAYS[time.weekday()]),
        day=time.day,
        month=_(_MONTHS[time.month - 1]),
        year=time.year,
        clock=f"{time:%H:%M}",
    )


def day_of(time: datetime) -> str:
    """`Tue 3 Mar`."""
    return _("{weekday} {day} {month}").format(
        weekday=_(SHORT_WEEKDAYS[time.weekday()]), day=time.day, month=_(_MONTHS[time.month - 1])
    )


def weekday_of(time: datetime) -> str:
    """`Tuesday`."""
    return _(_LONG_WEEKDAYS[time.weekday()])


_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "JP¥", "INR": "₹", "KRW": "₩"}


def money(amount: float, currency: str) -> str:
    """`$0.004`, `¥12.30`, `0.25 CHF`: two decimals, more where the amount is small."""
    small = 0 < amount < 0.0005
    if small:
        figure = "0.001"
    elif amount == 0:
        figure = "0"
    else:
        figure = f"{amount:.3f}" if amount < 0.1 else f"{amount:.2f}"
    sign = _SIGNS.get(currency)
    shown = f"{sign}{figure}" if sign else f"{figure} {currency}"
    return f"<{shown}" if small else shown


def has_chinese(text: str) -> bool:
    """Whether a text contains Chinese characters."""
    return bool(chinese_characters(text))


def chinese_characters(text: str) -> list[str]:
    """The Chinese characters of a text, in their order."""
    return [] if text.isascii() else [each for each in text if "\u3400" <= each <= "\u9fff"]


def whole_words(text: str) -> str:
    """A regular expression for a text as whole words; in Chinese, which has no spaces, anywhere."""
    words = re.escape(text)
    return words if has_chinese(text) else rf"(?<![^\W_\u3400-\u9fff]){words}(?![^\W_\u3400-\u9fff])"


def plain_signs(text: str) -> str:
    """A text with letters and signs in their usual width, and with apostrophes as on a keyboard."""
    return unicodedata.normalize("NFKC", text).replace("’", "'")


def fold_case(text: str) -> str:
    """A text with `plain_signs` in lower case, to compare it."""
    return plain_signs(text).casefold()


_PIECES = re.compile(r"(?:[!-\u2e7f]+|\S)[，。；：、！？）】》]* *")
"""What stays on one line: a word of letters, or a wide character, with what may not begin a line."""


def padded(text: str, width: int) -> str:
    """The text and blanks up to a width in cells."""
    return text + " " * max(0, width - cell_len(text))


def pad_left(text: str, width: int) -> str:
    """Blanks up to a width in cells, and the text."""
    return " " * max(0, width - cell_len(text)) + text


def shortened(text: str, width: int) -> str:
    """The text in at most a width in cells, an ellipsis at its end when something was cut."""
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"


_INNER = str.maketrans("“”„", "‘’‚")


def inner_quotation(text: str) -> str:
    """A text as it stands within quotation marks, which its own cannot close: a screen may have any."""
    return text.translate(_INNER)


def fitted(text: str, width: int) -> str:
    """The text in exactly a width in cells, for a column."""
    return padded(shortened(text, width), width)


def wrap(text: str, width: int) -> list[str]:
    """The lines of one paragraph, none wider than a width in cells but for a longer word."""
    lines: list[str] = []
    line = ""
    for piece in _PIECES.findall(text):
        if line and cell_len((line + piece).rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return [*lines, line.rstrip()] if line else lines

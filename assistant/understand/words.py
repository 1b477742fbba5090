"""The words that the rules know, with their data in `languages/`, and the tokens of English.

`exact_words` are words that say something exactly, in each language: negation, dislike, weekdays, numbers and
changes. `english_words` and `chinese_words` are tables of words by what they are in a command. Which words
depend on the user is not said by single words alone: a trained tagger finds that
(`embedding.models.Tagger`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache

from pydantic import BaseModel, ConfigDict

from assistant.files import any_word, compile_words, lazy_regex, read_words
from assistant.i18n import chinese_characters, has_chinese
from assistant.memory.prototypes.terms import VERBS, is_slip, word_set
from assistant.skills.slots import DURATION, shift_minutes
from assistant.understand.types import CommandLanguage, mask_lookalikes, singular


@cache
def _read(name: str) -> dict[str, list[str]]:
    """A file of `languages/`."""
    return read_words("assistant.understand", f"languages/{name}.yaml")


class WordTables:
    """Tables of words in a file of `languages/`; `tables.KIN` is the table `kin`.

    Args:
        name: of the file.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, table: str) -> frozenset[str]:
        try:
            words = frozenset(_read(self._name)[table.lower()])
        except KeyError:
            raise AttributeError(table) from None
        # An attribute that is there is found without this method.
        self.__dict__[table] = words
        return words

    def everything(self) -> frozenset[str]:
        """The words of all tables."""
        return frozenset().union(*_read(self._name).values())


english_words = WordTables("english_words")
chinese_words = WordTables("chinese_words")


class ExactWords(BaseModel):
    """The words of one language; see the files."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    function: tuple[str, ...]
    negation: tuple[str, ...]
    exclusion: tuple[str, ...]
    declining: tuple[str, ...]
    dislike: tuple[str, ...]
    change: tuple[str, ...]
    weekdays: tuple[tuple[str, ...], ...]
    weekend: tuple[str, ...]
    workday: tuple[str, ...]
    numbers: dict[str, int | float]
    mentioning: tuple[str, ...]
    naming: tuple[str, ...]
    titles: tuple[str, ...]
    telling: tuple[str, ...]
    drinks: tuple[str, ...]
    undoing: tuple[str, ...]
    months: tuple[tuple[str, ...], ...] = ()
    days_ago: dict[str, int] = {}
    referring: tuple[str, ...] = ()
    general_nouns: tuple[str, ...] = ()
    contentless: tuple[str, ...] = ()
    fillers: tuple[str, ...] = ()
    no_answer: tuple[str, ...] = ()
    forgetting: tuple[str, ...] = ()
    phrases: dict[str, str] = {}
    wordings: dict[str, str] = {}
    day_parts: dict[float, str] = {}


@cache
def exact_words(language: str) -> ExactWords:
    """The words of a language by its code, such as “de”."""
    return ExactWords.model_validate(_read(language))


LANGUAGES = ("en", "zh", "de", "es", "fr", "ja")
"""Codes of the languages that have a file, in the order in which their wordings are tried."""


@cache
def wording(name: str, *languages: str) -> re.Pattern[str]:
    """The regular expression `name` of the files, of any of some languages; without them, of all.

    Raises:
        KeyError: no file has it.
    """
    texts = [exact_words(code).wordings.get(name, "") for code in languages or LANGUAGES]
    if not any(texts):
        raise KeyError(name)
    return compile_words(text for text in texts if text)


def words_in_all(table: str) -> tuple[str, ...]:
    """The words of a table of the files, of all languages."""
    return tuple(word for code in LANGUAGES for word in getattr(exact_words(code), table))


def wordings_by_value(table: str) -> tuple[tuple[re.Pattern[str], float], ...]:
    """A table of the files that has a regular expression for each value, joined over the languages."""
    texts: dict[float, list[str]] = {}
    for code in LANGUAGES:
        for value, text in getattr(exact_words(code), table).items():
            texts.setdefault(value, []).append(text)
    return tuple((compile_words(each), value) for value, each in texts.items())


_KANA = lazy_regex(r"[\u3041-\u30ff]")
_LATIN = lazy_regex(r"[A-Za-z]{2,}")
_EXACT_WORD = lazy_regex(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_NUMBER = lazy_regex(r"\d+(?:[.:,]\d+)*")
_UNSPACED = frozenset(("zh", "ja"))
_DIGITS = "零一二三四五六七八九"
_TENS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
_NUMERAL = lazy_regex(
    f"(?:[{_DIGITS[2:]}两]|[一十百千万][{_DIGITS}十百千万])[{_DIGITS}十百千万]*(?![{_DIGITS}十百千万第])"
    "|十(?=[个点分块份道题度元天号人页首])"
)
_SINGLE = wording("one_portion", "zh")
MONEY = wording("money")
"""An amount of money: $20, R550, KSh 150, 50 cedis, 20元."""
_MEASURE = lazy_regex(
    r"\d[.,]\d+\s?(?:(?:[kmµ]?g|[kcm]?m|[mcd]?l|mi|oz|lbs?|ft|h|hrs?|mins?|[kmgt]b|x|kgs"
    r"|(?:kilo|milli|centi)?(?:gram|met(?:er|re)|lit(?:er|re))s?|kilos?|hours?|minutes?|miles?|inch(?:es)?|feet"
    r"|pounds?|ounces?|degrees?|times|cups?|tons?)\b|[%°℃公毫厘千斤里升尺吨米克度寸倍杯两个]|小时|分钟)",
    re.IGNORECASE,
)


def has_measure(text: str) -> bool:
    """Whether a text has money, or a decimal with its unit: 1.50 kg, 2.5公里."""
    return MONEY.search(text) is not None or _MEASURE.search(text) is not None


def detect_language(text: str) -> CommandLanguage:
    """Chinese if there are more Han characters than Latin words, which are mostly app names then."""
    is_chinese = len(chinese_characters(text)) > len(_LATIN.findall(text))
    return CommandLanguage.ZH if is_chinese else CommandLanguage.EN


def language_code(text: str) -> str:
    """The likeliest language: zh or ja by script, else en, de, es or fr by function words."""
    if _KANA.search(text):
        return "ja"
    words = [word.casefold().replace("’", "'") for word in _EXACT_WORD.findall(text)]
    if len(chinese_characters(text)) > sum(word.isascii() and len(word) > 1 for word in words):
        return "zh"
    counts = {code: sum(word in _function_words(code) for word in words) for code in ("en", "de", "es", "fr")}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] > counts["en"] else "en"


@cache
def _function_words(code: str) -> frozenset[str]:
    return frozenset(exact_words(code).function)


def contains_any(text: str, phrases: Iterable[str], code: str) -> bool:
    """Whether a text has one of some words or phrases; whole words where the language has spaces."""
    return bool((pattern := _pattern(tuple(phrases), code in _UNSPACED)) and pattern.search(text))


@cache
def _pattern(phrases: tuple[str, ...], unspaced: bool) -> re.Pattern[str] | None:
    if not phrases:
        return None
    joined = any_word(phrases).replace("'", "['’]")
    return lazy_regex(joined if unspaced else rf"(?<![\w'’]){'(?:' + joined + ')'}(?!\w)", re.IGNORECASE)


def is_disliked(text: str, code: str) -> bool:
    """Whether a text says that something is not liked or not borne: "the dish I hate"."""
    return contains_any(text, exact_words(code).dislike, code)


def is_excluded(before: str, code: str) -> bool:
    """Whether the words before an element deny or exclude it: "don't order", "anything but"."""
    words = exact_words(code)
    return contains_any(mask_lookalikes(before), (*words.negation, *words.exclusion), code)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A part of a text that excludes a deed or a thing: `text[start:end]`, of which `words` say what."""

    start: int
    end: int
    words: str
    of_deed: bool


def find_exclusions(text: str) -> list[Exclusion]:
    """What a text excludes, up to the end of each clause: “don't | order pizza”, “no | onions”."""
    code = language_code(text)
    plain = _NO_EXCLUSION.sub(lambda match: "_" * len(match[0]), mask_lookalikes(text))
    words = exact_words(code)
    pattern = _pattern((*words.negation, *words.exclusion), code in _UNSPACED)
    matches = [*(pattern.finditer(plain) if pattern else ()), *_WITHOUT.finditer(plain)]
    exclusions = []
    for match in sorted(matches, key=lambda each: each.start()):
        behind = CLAUSE_END.search(plain, match.end())
        end = behind.start() if behind else len(text)
        excluded = text[match.end() : end]
        of_deed = bool(_OF_DEEDS.search(match[0].casefold())) and bool(excluded.strip())
        exclusions.append(Exclusion(match.start(), end, excluded, of_deed))
    return exclusions


def without_exclusions(text: str) -> str:
    """A text without what it excludes."""
    for each in find_exclusions(text)[::-1]:
        text = f"{text[: each.start]} {text[each.end :]}"
    return text


_NO_EXCLUSION = wording("no_exclusion")
"""What denies nothing that is to be done: “coming or not”, “not so much ice”, “what he gets if they stop”."""
_OF_DEEDS = wording("negated_deed")
_WITHOUT = wording("without")
CLAUSE_END = wording("clause_end")
"""What ends a clause."""


def declines(text: str, done: str, code: str) -> bool:
    """Whether a text says that something is left out or switched off, by words that `done` does not have."""
    declining = _pattern(exact_words(code).declining, code in _UNSPACED)
    matches = [*(declining.finditer(text) if declining else ()), *_SWITCHED_OFF.finditer(text)]
    return any(match[0].casefold().strip(" ,.;!") not in done.casefold() for match in matches)


_SWITCHED_OFF = wording("switched_off")
"""“shed off, it's dry”; not “it's my day off”."""


_QUOTED = lazy_regex(
    r"\"[^\"]+\"|“[^”]+”|‘[^’]+’|«[^»]+»|「[^」]+」|『[^』]+』|《[^》]+》|(?<!\w)'[^'\n]+'(?!\w)"
)
_CAPITAL = lazy_regex(r"\s+(?!I\b)(?=\S)[^\W\d_a-zà-ÿ]")
_COLON = lazy_regex(r"(?<!\d):(?=\s|[^\x00-\x7f])|：")


def mentioned_spans(text: str, code: str) -> list[tuple[int, int]]:
    """The parts of a text whose words are only mentioned, and stand for nobody and nothing.

    Those are quotations, names, titles, what is to be translated, and the words of a message after a colon.
    """
    words, is_unspaced = exact_words(code), code in _UNSPACED
    spans = [match.span() for match in _QUOTED.finditer(text)]
    if (pattern := _pattern(words.mentioning, is_unspaced)) and (match := pattern.search(text)):
        # In Chinese and Japanese the verb may stand behind what it is about.
        spans.append((0 if is_unspaced else match.end(), len(text)))
    if (pattern := _pattern(words.naming, is_unspaced)) and (match := pattern.search(text)):
        spans.append((match.start(), len(text)))
    titles = _pattern(words.titles, is_unspaced)
    spans += [
        (match.end(), len(text))
        for match in (titles.finditer(text) if titles else ())
        if _CAPITAL.match(text, match.end())
    ]
    colon = _COLON.search(text)
    if colon is not None and contains_any(text[: colon.start()], words.telling, code):
        spans.append((colon.end(), len(text)))
    return spans


def weekdays_of(text: str, code: str) -> frozenset[int]:
    """The days that a text names, Monday is 0; none if it names none."""
    words = exact_words(code)
    days = {day for day, names in enumerate(words.weekdays) if contains_any(text, names, code)}
    if contains_any(text, words.weekend, code):
        days |= {5, 6}
    if contains_any(text, words.workday, code):
        days |= set(range(5))
    return frozenset(days)


def weekday_names(code: str) -> frozenset[str]:
    """The names of the weekdays in a language."""
    return frozenset(name for names in exact_words(code).weekdays for name in names)


def refers_back(text: str) -> bool:
    """Whether a text refers to what was done, or changes it: “same as Friday”, “five this time”, 同上."""
    code = language_code(text)
    return contains_any(text, exact_words(code).referring, code)


def days_named(text: str, now: datetime) -> frozenset[date]:
    """The days up to `now` that a text names: “like Friday”, “May 5”, “the 9th”, 昨天, 上周四.

    A weekday stands for the last two of its name before today, because “last Friday” may be either.
    """
    code = language_code(text)
    words, is_unspaced, today = exact_words(code), code in _UNSPACED, now.date()
    days = {
        today - timedelta(days=((today.weekday() - day) % 7 or 7) + 7 * weeks)
        for day, names in enumerate(words.weekdays)
        if contains_any(text, names, code)
        for weeks in (0, 1)
    }
    days |= {
        today - timedelta(days=ago)
        for name, ago in words.days_ago.items()
        if contains_any(text, (name,), code)
    }
    if is_unspaced:
        text = _NUMERAL.sub(lambda match: str(_numeral(match[0])), text)
    dates = {
        (int(match["month"]) if match["month"] else None, int(match["day"]))
        for match in _DATE_ZH.finditer(text)
    }
    dates |= {(None, int(match["day"])) for match in _DAY_OF_MONTH.finditer(text)}
    for month, names in enumerate(words.months, start=1):
        for match in re.finditer(_DATE.format(month=any_word(names)), text, re.IGNORECASE):
            dates.add((month, int(match["before"] or match["behind"])))
    return frozenset(days) | {day for pair in dates if (day := _last_date(*pair, today)) is not None}


_DATE = (
    r"\b(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of| de)? (?:{month})|"
    r"(?:{month})\.? (?P<behind>\d{{1,2}})(?:st|nd|rd|th)?)(?![\w:])"
)
_DATE_ZH = wording("date", "zh")
_DAY_OF_MONTH = wording("day_of_month", "en")


def _last_date(month: int | None, day: int, today: date) -> date | None:
    """The latest such day up to `today`, this or the last year or month; None if there is none."""
    before = (today.year, today.month - 1) if today.month > 1 else (today.year - 1, 12)
    if month is not None:
        months = ((today.year, month), (today.year - 1, month))
    else:
        months = ((today.year, today.month), before)
    for year, number in months:
        with suppress(ValueError):
            if (named := date(year, number, day)) <= today:
                return named
    return None


def mend_fillers(text: str) -> str:
    """A text with misspelt words of mood as they are spelt: “make it 7 actualy” is “make it 7 actually”."""
    fillers = exact_words(language_code(text)).fillers

    def mend(match: re.Match[str]) -> str:
        return next((each for each in fillers if is_slip(match[0].casefold(), each)), match[0])

    return _EXACT_WORD.sub(mend, text) if fillers else text


def dates_in_figures(text: str) -> str:
    """A Chinese text with the numerals of its dates in figures: 一月二十二号 is 1月22号."""
    return _DATE_NUMERAL.sub(lambda match: str(_numeral(match[0])), text)


_DATE_NUMERAL = wording("date_numeral", "zh")


def numbers_of(text: str) -> Sequence[str]:
    """The numbers of a text, in figures."""
    return _NUMBER.findall(text)


def amounts_of(text: str) -> frozenset[str]:
    """The numbers of a text, in figures or words: 25, “three”, 三十; those of times and dates, too."""
    code, text = language_code(text), spell_out_thousands(text)
    amounts = set(numbers_of(text))
    if code in _UNSPACED:
        days = _pattern(tuple(name for names in exact_words(code).weekdays for name in names), True)
        text = days.sub(" ", text) if days else text
        amounts |= {str(_numeral(match[0])) for match in _NUMERAL.finditer(text)}
    else:
        words = exact_words(code).numbers
        amounts |= {
            str(words[word]) for word in map(str.casefold, _EXACT_WORD.findall(text)) if word in words
        }
    return frozenset(amounts)


def durations_in(text: str) -> frozenset[int]:
    """The minutes of each time that a text says something lasts: “half an hr” is 30, 一刻钟 is 15."""
    text = _HOUR_AND_HALF.sub("1.5 hours", _HALF_HOUR.sub("half an hour", text))
    text = _PARTS_OF_HOURS.sub(lambda match: f"{round(float(match[1] or 0.25) * 60)} minutes", text)
    minutes = (numbers_of(shift_minutes(match[0], 0)) for match in DURATION.finditer(text))
    return frozenset(int(number) for numbers in minutes for number in numbers)


def without_durations(text: str) -> str:
    """A text without the times that it says something lasts, or is put off by."""
    return DURATION.sub(" ", _HOUR_AND_HALF.sub(" ", _HALF_HOUR.sub(" ", text)))


_HALF_HOUR = lazy_regex(r"\bhalf[- ](?:hour|hr)\b", re.IGNORECASE)
_HOUR_AND_HALF = lazy_regex(r"\b(?:an|1|one) (?:hour|hr) and a half\b", re.IGNORECASE)
_PARTS_OF_HOURS = lazy_regex(
    r"(\d+\.\d+) ?(?:hours?|hrs?|h|个?小时)|(?:a )?quarter of an hour", re.IGNORECASE
)


def content_of(text: str) -> frozenset[str]:
    """The words of a text that say something, verbs aside; of Chinese its characters."""
    return word_set(text) - VERBS | frozenset(chinese_characters(text)) - _EMPTY_HAN


_EMPTY_HAN = frozenset("的了吧呢啊我你他她它是在就把给帮个一不要")


FORMER = wording("former")
"""Words by which a command asks for what was given up."""
GLUED = lazy_regex(r"(?<![^\W\d_])[a-z]+\d+[^\W_]*|\b\d[b-df-hj-np-tv-xz]{3,}\b")
"""Digits for sounds, which count nothing: b4, gr8, 2mrw."""


def spell_out_thousands(text: str) -> str:
    """A text with “12k” and “twelve k” as 12000."""
    words = exact_words("en").numbers
    return _THOUSANDS.sub(
        lambda match: f"{float(words.get(match[1].casefold(), match[1].replace(',', '.'))) * 1000:.10g}", text
    )


_THOUSANDS = lazy_regex(rf"\b(\d+(?:[.,]\d+)?|{'|'.join(exact_words('en').numbers)})\s?k\b", re.IGNORECASE)


def in_figures(text: str) -> str:
    """A text in small letters with its numbers in figures: “Ten eggs” is 10 eggs, 十分钟 10分钟."""
    words = exact_words("en").numbers
    figures = _EXACT_WORD.sub(lambda match: str(words.get(match[0], match[0])), text.casefold())
    return _NUMERAL.sub(lambda match: str(_numeral(match[0])), figures)


def portions_of(instruction: str) -> frozenset[str]:
    """The amounts of an instruction; in Chinese 一份 is one, which in a command says little."""
    amounts = amounts_of(instruction)
    return amounts | {"1"} if _SINGLE.search(instruction) else amounts


def _numeral(text: str) -> int:
    """The value of a Chinese numeral below a hundred million; 三百五 is 350."""
    total = digit = 0
    unit = 1
    for character in text:
        if character == "万":
            total, digit, unit = (total + digit) * _TENS[character], 0, _TENS[character]
        elif character in _TENS:
            unit = _TENS[character]
            total += max(digit, 1) * unit
            digit = 0
        elif character == "零":
            unit = 1
        else:
            # Digits in a row, as of a telephone number, are read one by one.
            digit = digit * 10 + (_DIGITS.index(character) if character != "两" else 2)
    is_shortened = unit > _TENS["十"] and 0 < digit < _TENS["十"]
    return total + (digit * unit // 10 if is_shortened else digit)


_TOKEN = lazy_regex(
    r"(?P<quote>\"[^\"]*\"|“[^”]*”|‘[^’]*’|「[^」]*」|《[^》]*》|(?<!\w)'[^'\n]+'(?!\w))"
    r"|(?P<tail>(?<=\w)['’](?:s|m|re|ve|ll|d)\b|(?<=s)['’](?=\s))"
    r"|(?P<word>[^\W\d_]+(?:-[^\W\d_]+)*(?:n['’]t)?)"
    r"|(?P<number>[\d][\w:./,%-]*\w|\d)"
    r"|(?P<mark>\S)"
)


class TokenClass(StrEnum):
    """What a word is in its place, as far as the closed classes tell."""

    NOUN = "noun"
    VERB = "verb"
    DETERMINER = "determiner"
    POSSESSIVE = "possessive"
    PRONOUN = "pronoun"
    PREPOSITION = "preposition"
    CONJUNCTION = "conjunction"
    AUXILIARY = "auxiliary"
    ADVERB = "adverb"
    OWNING = "owning"
    NUMBER = "number"
    NAME = "name"
    QUOTED = "quoted"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark at `start`..`end` of the text; `lower` has its case and apostrophe folded."""

    start: int
    end: int
    text: str
    lower: str
    part: TokenClass

    @property
    def capitalised(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[:1].isupper()


def tokenize(text: str, apps: Sequence[str] = ()) -> tuple[Token, ...]:
    """The tokens of a text. Words of app labels are names; quoted text is one token."""
    matches = [(match.lastgroup or "mark", match) for match in _TOKEN.finditer(text)]
    app_spans = _find_app_labels(text, apps)
    tokens: list[Token] = []
    for index, (group, match) in enumerate(matches):
        lower = match[0].lower().replace("’", "'")
        following = matches[index + 1][1][0].lower() if index + 1 < len(matches) else ""
        inside = any(start <= match.start() and match.end() <= end for start, end in app_spans)
        part = (
            TokenClass.NAME if inside and group == "word" else _classify_word(group, lower, tokens, following)
        )
        tokens.append(Token(match.start(), match.end(), match[0], lower, part))
    return tuple(tokens)


def mentions_any(text: str, words: Iterable[str]) -> bool:
    """Whether a text has one of the words: Latin ones whole, in any tense; Chinese ones anywhere."""
    folded = text.casefold()
    stems = {_stem(word) for word in re.findall(r"[a-z0-9']+", folded)}
    for word in words:
        word = word.casefold()
        if has_chinese(word):
            if word in folded:
                return True
        elif all(_stem(part) in stems for part in re.findall(r"[a-z0-9']+", word)):
            return True
    return False


_DOUBLED = ("nn", "pp", "tt", "gg", "mm", "bb", "dd")


def _stem(word: str) -> str:
    word = singular(word.removesuffix("'s"))
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            word = word.removesuffix(ending).rstrip("e")
            # “Running” is “run” with its last letter doubled, “calling” is “call”.
            return word[:-1] if word[-2:] in _DOUBLED else word
    return word.rstrip("e") if len(word) > 3 else word


def _find_app_labels(text: str, apps: Sequence[str]) -> list[tuple[int, int]]:
    """Where the labels of apps stand; a label that is a plain word counts only beside an opening word."""
    spans = []
    for label in apps:
        is_common_noun = singular(label.lower()) in _COMMON_NOUNS
        before = r"\b(?:open|launch|start|in|on|via|using|use)\s+(?:the\s+)?" if is_common_noun else r"\b"
        after = r"(?:\s+app)?\b(?!['’]s)" if is_common_noun else r"\b"
        pattern = before + "(" + re.escape(label) + ")" + after
        spans += [match.span(1) for match in re.finditer(pattern, text, re.IGNORECASE)]
    return spans


_COMMON_NOUNS = (
    english_words.KIN
    | english_words.FRIENDS
    | english_words.ROLES
    | english_words.PLACES
    | english_words.GROUPS
    | english_words.KINDS
    | english_words.MEDIA
    | english_words.CONTENT
    | english_words.DEVICE
    | english_words.FACTS
)
_CLOSED: tuple[tuple[frozenset[str], TokenClass], ...] = (
    (english_words.POSSESSIVES | english_words.THIRD_POSSESSIVES, TokenClass.POSSESSIVE),
    (english_words.DETERMINERS, TokenClass.DETERMINER),
    (english_words.PRONOUNS, TokenClass.PRONOUN),
    (english_words.CONJUNCTIONS, TokenClass.CONJUNCTION),
    (english_words.PREPOSITIONS, TokenClass.PREPOSITION),
    (english_words.AUXILIARIES, TokenClass.AUXILIARY),
    (english_words.ADVERBS, TokenClass.ADVERB),
)
_BEFORE_VERB = (
    TokenClass.MARK,
    TokenClass.CONJUNCTION,
    TokenClass.PRONOUN,
    TokenClass.AUXILIARY,
    TokenClass.ADVERB,
    TokenClass.QUOTED,
)


def _classify_word(group: str, lower: str, before: Sequence[Token], following: str) -> TokenClass:
    if group == "quote":
        return TokenClass.QUOTED
    if group == "number":
        return TokenClass.NUMBER
    if group == "tail":
        return TokenClass.OWNING if lower in ("'s", "'") else TokenClass.AUXILIARY
    if group == "mark":
        return TokenClass.PREPOSITION if lower == "@" else TokenClass.MARK
    if lower in english_words.NUMBERS and lower != "one":
        return TokenClass.NUMBER
    if (
        lower == "that"
        and before
        and before[-1].part in (TokenClass.NOUN, TokenClass.NAME, TokenClass.PRONOUN)
    ):
        return TokenClass.CONJUNCTION
    for lexicon, part in _CLOSED:
        if lower in lexicon:
            return part
    return TokenClass.VERB if _is_verb(lower, before, following) else TokenClass.NOUN


def _is_verb(lower: str, before: Sequence[Token], following: str) -> bool:
    """Whether a word that can be a verb is one here, judged by its neighbours."""
    if lower in english_words.ALWAYS_VERBS:
        return not (before and before[-1].part in (TokenClass.POSSESSIVE, TokenClass.DETERMINER))
    if lower not in english_words.VERBS:
        return False
    if not before or before[-1].part in _BEFORE_VERB:
        return following not in ("'s", "’s")
    last = before[-1]
    if last.lower in ("to", "please", "then", "not"):
        return lower not in english_words.PLACES
    opens_object = following in english_words.DETERMINERS | english_words.POSSESSIVES | english_words.PRONOUNS
    if (
        lower in english_words.TALKING
        and singular(following) in english_words.KIN | english_words.FRIENDS | english_words.ROLES
    ):
        return True
    return last.part in (TokenClass.NOUN, TokenClass.NAME, TokenClass.NUMBER) and opens_object


WHOLE_WORD = lazy_regex(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_SHORTEST_EMPHASIS = 3


@cache
def _common_words() -> frozenset[str]:
    """English words that are no names."""
    words = english_words.everything() | VERBS | frozenset(exact_words("en").function)
    return words - english_words.GIVEN_NAMES


def plain_case(text: str) -> str:
    """A text in its length without capitals that only stress: “ORDER MY USUAL lunch”, “Order My Lunch”.

    Words that are no common ones keep their capitals, because they may be names. “Sister in law” becomes one
    word.
    """
    words = WHOLE_WORD.findall(text)
    is_title = len(words) >= _SHORTEST_EMPHASIS and all(word[0].isupper() for word in words)

    def lower(match: re.Match[str]) -> str:
        word, small = match[0], match[0].lower()
        is_stressed = word.isupper() and len(word) >= _SHORTEST_EMPHASIS
        is_common = small in _common_words() or singular(small) in _common_words()
        return small if (is_title or is_stressed) and is_common else word

    return _IN_LAW.sub(lambda match: match[0].lower().replace(" ", "-"), WHOLE_WORD.sub(lower, text))


_IN_LAW = wording("in_law", "en")

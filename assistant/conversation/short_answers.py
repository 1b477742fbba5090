"""Short answers to what is asked: yes, no, later, why, and the choice that some words mean.

English and Chinese are read alike, because a person may type either at any time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum


class ShortAnswer(StrEnum):
    """What a line says that only answers. `NONE_OF_THEM` refuses every choice of a list."""

    YES = "yes"
    NO = "no"
    LATER = "later"
    WHY = "why"
    NONE_OF_THEM = "none of them"


_POLITE = r"(?:[,，]? ?(?:please|thanks|thank you|thx|for now|now|then|谢谢|吧|啦|了|的))*"
_ANSWERS = {
    ShortAnswer.YES: r"y|yes|yeah|yep|yup|ok|okay|sure|of course|allow|do it|go ahead|sounds good"
    r"|好|好的|好啊|好呀|行|行啊|可以|可以的|是|是的|对|嗯|同意|允许|确认|确定|没问题",
    ShortAnswer.NO: r"n|no|nope|nah|stop|don't|deny|not now|no need"
    r"|不|不要|不行|不可以|不用|不必|不需要|不同意|别|否|拒绝|取消|算|先不",
    ShortAnswer.LATER: r"later|maybe later|not yet|remind me later|ask (?:me )?(?:again )?later"
    r"|晚点|晚些|等会|等会儿|等一会儿?|待会儿?|过会儿?|稍后|回头|以后再说|晚点再说|等下再说",
    ShortAnswer.WHY: r"why|why (?:that|this)|how come|为什么|为啥|为何",
    ShortAnswer.NONE_OF_THEM: r"none|none of (?:them|these|those|the above)|neither(?: of (?:them|these))?"
    r"|(?:something|anything) else|not (?:these|those|any of (?:them|these))"
    r"|都不(?:是|对|要|行)|一个都不(?:是|要)|哪个都不(?:是|要)|没有一个|其他的?|别的",
}
_PATTERNS = {
    answer: re.compile(rf"(?:{words}){_POLITE}", re.IGNORECASE) for answer, words in _ANSWERS.items()
}
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF10, 0xFF5B) if chr(code).isalnum()} | {0x3000: " "}
"""Letters and digits as an input method types them in its wide mode."""

_MOST_DIGITS = 2
_ORDINALS = (
    ("first", "1st", "one", "一"),
    ("second", "2nd", "two", "二", "两"),
    ("third", "3rd", "three", "三"),
    ("fourth", "4th", "four", "四"),
    ("fifth", "5th", "five", "五"),
    ("sixth", "6th", "six", "六"),
    ("seventh", "7th", "seven", "七"),
    ("eighth", "8th", "eight", "八"),
    ("ninth", "9th", "nine", "九"),
)
_PLACE = re.compile(
    r"(?:the |number |no\.? ?|option |answer |choice |# ?)*(?P<english>[a-z0-9]+)"
    r"(?: (?:one|option|answer|choice))?"
    r"|(?:选|要)?第? ?(?P<chinese>[一二两三四五六七八九]|\d{1,2}) ?(?:个|项|种|条|号|份)?(?:吧|的)?"
    r"|(?:选|要)?最后(?:一)?(?P<last>个|项|种)(?:吧)?"
)
_NAMES_PLACE = re.compile(r"the |number|no\.? ?\d|option|answer|choice|#| one$|第|个|项|号|最后")
_AROUND = re.compile(
    r"^(?:(?:no|oh|ok|well|i (?:want|meant|mean|said|would like|take|choose)|i'll (?:take|have)|give me"
    r"|make it|it's|its|the|a|an|that|with|please)\b[ ,]*)+|(?: (?:one|please|thanks|then|instead))+$"
    r"|^(?:不|嗯|我|就|还是|要|选|来|是|那个|这个|那|一个|一杯|一份)+|(?:的那?个?|那个|吧|谢谢|好了)+$"
)


def normalize_answer(text: str) -> str:
    """A typed answer in lower case, without what stands around it."""
    words = text.translate(_FULL_WIDTH).replace("’", "'").casefold()
    return " ".join(words.split()).strip(" .!,。！，~?？")


def read_short_answer(text: str) -> ShortAnswer | None:
    """What a line says that is nothing but an answer; None where it says more."""
    words = normalize_answer(text)
    return next((answer for answer, pattern in _PATTERNS.items() if pattern.fullmatch(words)), None)


def is_bare_answer(text: str) -> bool:
    """Whether a line is only a yes, a no, or the number of a choice: without a question it means nothing."""
    words = normalize_answer(text)
    is_number = words.isdecimal() and len(words) <= _MOST_DIGITS
    return is_number or read_short_answer(text) in (ShortAnswer.YES, ShortAnswer.NO)


def choose_by_words(text: str, choices: Sequence[str]) -> int | None:
    """The place of the choice that a line means; None where it means none of them, or several.

    A choice is meant by its number, by its place (“the second one”, 第二个), by its whole text, or by words
    all of which only it has (“the latte”).

    Args:
        text: the line.
        choices: the texts of the choices, in the order of their numbers.
    """
    words = normalize_answer(text)
    place = _read_place(words, len(choices))
    if place is not None:
        return place
    folded = [normalize_answer(choice) for choice in choices]
    if words in folded:
        return folded.index(words)
    meant = _AROUND.sub("", words).strip(" ,，")
    matches = [index for index, choice in enumerate(folded) if _says_all(choice, meant)]
    return matches[0] if len(matches) == 1 else None


def _read_place(words: str, count: int) -> int | None:
    """The place that a number or an ordinal names, from 0; None for other words."""
    match = _PLACE.fullmatch(words)
    if match is None:
        return None
    named = match["english"] or match["chinese"] or ""
    if match["last"] or (named == "last" and words != "last"):
        return count - 1 if count else None
    if not named.isdecimal() and not _NAMES_PLACE.search(words):
        # “one” and “二” alone may be an amount; “first” is a place by itself.
        named = (
            named if named in {forms[0] for forms in _ORDINALS} | {forms[1] for forms in _ORDINALS} else ""
        )
    number = int(named) if named.isdecimal() else _ordinal(named)
    return number - 1 if 1 <= number <= count else None


def _ordinal(word: str) -> int:
    return next((number for number, forms in enumerate(_ORDINALS, 1) if word in forms), 0)


def _says_all(choice: str, words: str) -> bool:
    """Whether a choice has all of some words; Chinese words are not separated, so they count as one."""
    parts = re.findall(r"[^\W_]+", words)
    latin = set(re.findall(r"[a-z0-9]+", choice))
    return bool(parts) and all(part in latin if part.isascii() else part in choice for part in parts)

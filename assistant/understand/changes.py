"""Changes that a command states against a habit: “the usual but 15 minutes”, 老样子，少冰.

`split_change` parts the command from the change; `apply_change` gives the habit's instruction with the
change, where code can show that it touches exactly one stated part: an amount of the same unit is replaced,
something that the habit has is left out, an option is added or takes the place of its opposite. All else is
asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assistant.i18n import has_chinese
from assistant.memory.prototypes.terms import word_set
from assistant.understand.words import exact_words

_BEGINS = re.compile(
    r"[,;]?\s*\b(?:but|only|except|this time|though)\b[,]?\s+(?=\S)(?:make (?:it|that)\s+)?"
    r"|[,;]\s*(?=(?:without|no|not|less|more|extra|hold|skip|minus|plus|add|make it|with)\b)"
    r"|\s+(?=(?:without|with extra|with no|plus|minus)\b)",
    re.IGNORECASE,
)
_AND_BEGINS = re.compile(r"\s+(?=and (?:add|throw|put|an?|one|two|some) )", re.IGNORECASE)
_HABITUAL = re.compile(r"\b(?:usual|same|regular|as always|as ever)\b", re.IGNORECASE)
"""Only of what is called habitual more is wanted behind “and”; else it is part of what is said."""
_BEGINS_ZH = re.compile(
    r"[，,\s]*(?:但是|但|不过|只是|这次)[，,\s]*|[，,\s]+(?=不要|不加|别放|别加|去掉|免|少|多|再加|加|改成|换成|再来)"
)
_AMOUNT = re.compile(
    r"(?P<before>[$€£¥]|\b(?:rs\.?|rupees|usd|eur)\s+)?"
    rf"(?P<number>\d+(?:[.,]\d+)?|\b(?:one|{'|'.join(exact_words('en').numbers)})\b)"
    r"(?:\s*-?\s*(?P<unit>[a-z%°]+))?",
    re.IGNORECASE,
)
_AMOUNT_ZH = re.compile(
    r"(?P<number>\d+(?:\.\d+)?|[一二两三四五六七八九十百]+)\s*(?P<unit>[个份杯包瓶袋盒块元度分点小斤克公条件张只]|%)?"
)
_CLOCK = re.compile(r"\d{1,2}[:.：]\d{2}|\d\s*(?:am|pm|点)\b|\d点", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(?:more|less|fewer|earlier|later|longer|shorter|another|extra|higher|lower|up|down|by)\b|[多少早晚再高低]",
    re.IGNORECASE,
)
_REASON = re.compile(r"(?:because|since|as|so|I|we|he|she|they|it|there)\b|因为|反正", re.IGNORECASE)
_UNITS = (
    ("min", "mins", "minute", "minutes"),
    ("h", "hr", "hrs", "hour", "hours"),
    ("s", "sec", "secs", "second", "seconds"),
    ("$", "dollar", "dollars", "bucks", "usd"),
    ("€", "euro", "euros", "eur"),
    ("£", "pound", "pounds", "quid"),
    ("¥", "yuan", "rmb", "元", "块"),
    ("rs", "rs.", "rupee", "rupees"),
    ("%", "percent"),
    ("°", "degree", "degrees", "c", "°c", "度"),
    ("cm",), ("mm",), ("m", "metre", "metres", "meter", "meters"), ("km",), ("mi", "mile", "miles"),
    ("g", "gram", "grams", "克"), ("kg", "kilo", "kilos", "公"), ("ml",), ("l", "litre", "litres"),
    ("pack", "packs", "packet", "packets", "包"), ("bottle", "bottles", "瓶"), ("cup", "cups", "杯"),
    ("piece", "pieces", "个"), ("portion", "portions", "份"), ("box", "boxes", "盒"), ("bag", "bags", "袋"),
    ("people", "persons", "person"),
)  # fmt: skip
_UNIT_OF = {word: group[0] for group in _UNITS for word in group}
_WITHOUT = re.compile(
    r"^(?:with\s+)?(?:without|no|hold|skip|minus|leave out|leave off|not)\s+(?:the |any |my )?"
    r"(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?)$"
    r"|^(?:不要|不加|别放|别加|去掉|免)(?P<what_zh>[\u4e00-\u9fff]{1,4})$",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"^(?:with\s+|make (?:it|that)\s+)?(?P<degree>less|extra|half|double|light|more)\s+(?P<what>[a-z][\w-]*)$"
    r"|^(?P<degree_zh>少|多|半|微|全|无|加)(?P<what_zh>[\u4e00-\u9fff]{1,2})$",
    re.IGNORECASE,
)
_DEGREES = r"(?:less|extra|half|double|light|more|no|full|normal)"
_DEGREES_ZH = "(?:少|多|半|微|全|无|去|加|正常|标准)"
_ADDED = re.compile(
    r"^(?:and )?(?:plus|add|with|and|throw (?:on|in)|put (?:on|in))"
    r"\s+(?P<what>(?!no\b|less\b|more\b)\w[\w' -]{1,40})$"
    r"|^(?:再加|加上?|再来|多加)(?P<what_zh>[\u4e00-\u9fff\d]{2,12})$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Amount:
    """An amount: its span with the unit, its number as written and where, number and unit in one form."""

    start: int
    end: int
    at: int
    written: str
    number: str
    unit: str


def split_change(command: str) -> tuple[str, str] | None:
    """What a command says of the habit, and the change that it states; None if it states none.

    The change ends at the next comma or sentence; what follows belongs to the first part, unless it is a
    clause that says why.
    """
    begins = (_BEGINS_ZH if has_chinese(command) else _BEGINS).search(command)
    if (
        begins is None
        and (more := _AND_BEGINS.search(command))
        and _HABITUAL.search(command, 0, more.start())
    ):
        begins = more
    if begins is None or not begins.start():
        return None
    change, *behind = re.split(r"[，,.。;；]|\s(?=这次)", command[begins.end() :].strip(), maxsplit=1)
    behind = [part.strip() for part in behind if not _REASON.match(part.strip())]
    rest = " ".join((command[: begins.start()].strip(), *behind)).strip()
    return (rest, change.strip()) if rest and change.strip() else None


def apply_change(change: str, instruction: str) -> str | None:
    """A habit's instruction with a change; None if code cannot show that exactly one part is touched.

    Args:
        change: the change alone, such as “15 minutes” or “without the egg”.
        instruction: the instruction of the habit.
    """
    words = change.strip(" .!。！")
    if (excluded := _WITHOUT.match(words)) is not None:
        return _leave_out(excluded["what"] or excluded["what_zh"], words, instruction)
    if (degree := _DEGREE.match(words)) is not None:
        return _set_degree(degree, words, instruction)
    amounts = _amounts(words)
    if (added := _ADDED.match(words)) is not None:
        what = added["what"] or added["what_zh"]
        is_new = not word_set(what) <= word_set(instruction)
        return _append(instruction, words) if is_new and len(amounts) <= 1 else None
    if len(amounts) != 1 or _CLOCK.search(words):
        return None
    return _set_amount(amounts[0], words, instruction)


def _set_amount(amount: _Amount, words: str, instruction: str) -> str | None:
    """The instruction with the one amount of the same unit replaced."""
    beside = words[: amount.start] + words[amount.end :]
    if _RELATIVE.search(beside) or _is_saying_more(beside):
        return None
    stated = [other for other in _amounts(instruction) if not _is_in_clock(instruction, other)]
    same = [other for other in stated if not amount.unit or other.unit == amount.unit]
    if len(same) != 1 or (not amount.unit and len(stated) != 1) or same[0].number == amount.number:
        return None
    at = same[0].at
    return instruction[:at] + amount.number + instruction[at + len(same[0].written) :]


def _is_saying_more(beside: str) -> bool:
    """Whether something is said beside an amount but that it is for this time."""
    left = re.sub(
        r"\b(?:make|it|that|this|time|week|month|today|only|just|for|of|them|instead|please)\b|这次|今天|要|只",
        " ",
        beside,
        flags=re.IGNORECASE,
    )
    return bool(re.search(r"\w", left))


def _leave_out(what: str, words: str, instruction: str) -> str | None:
    """The instruction without something that it has."""
    if has_chinese(what):
        return (
            _append(instruction, words) if what in instruction and f"不要{what}" not in instruction else None
        )
    excluded, stated = word_set(what), word_set(instruction)
    is_stated = bool(excluded) and excluded <= stated
    denied = re.search(rf"\b(?:no|without)\s+(?:\w+ )?{re.escape(what)}", instruction, re.IGNORECASE)
    return _append(instruction, words) if is_stated and denied is None else None


def _set_degree(match: re.Match[str], words: str, instruction: str) -> str | None:
    """The instruction with more or less of something, in the place of what it says of that."""
    if match["what_zh"]:
        pattern, degree = f"{_DEGREES_ZH}{match['what_zh']}", words
    else:
        pattern, degree = (
            rf"\b{_DEGREES}\s+{re.escape(match['what'])}\b",
            f"{match['degree']} {match['what']}",
        )
    stated = list(re.finditer(pattern, instruction, re.IGNORECASE))
    if len(stated) > 1:
        return None
    if stated:
        return instruction[: stated[0].start()] + degree + instruction[stated[0].end() :]
    return _append(instruction, degree)


def _append(instruction: str, words: str) -> str:
    mark = "，" if has_chinese(instruction) else ", "
    return f"{instruction.rstrip(' .。')}{mark}{words}"


def _is_in_clock(text: str, amount: _Amount) -> bool:
    return any(match.start() <= amount.start < match.end() for match in _CLOCK.finditer(text))


def _amounts(text: str) -> list[_Amount]:
    """The amounts of a text with their units in one form; the unit is empty where no unit stands."""
    amounts = []
    for match in (_AMOUNT_ZH if has_chinese(text) else _AMOUNT).finditer(text):
        number = _value(match["number"])
        if not number[:1].isdigit() and not has_chinese(number):
            continue
        before = (match.groupdict().get("before") or "").strip().casefold()
        unit = _UNIT_OF.get(before) or _UNIT_OF.get((match["unit"] or "").casefold(), "")
        is_unit = bool(match["unit"]) and (match["unit"] or "").casefold() in _UNIT_OF
        end = match.end() if is_unit else match.end("number")
        amounts.append(_Amount(match.start(), end, match.start("number"), match["number"], number, unit))
    return amounts


_DIGITS_ZH = {
    "一": "1",
    "二": "2",
    "两": "2",
    "三": "3",
    "四": "4",
    "五": "5",
    "六": "6",
    "七": "7",
    "八": "8",
    "九": "9",
}


def _value(number: str) -> str:
    """A number in figures where its word is known."""
    words = exact_words("en").numbers
    folded = number.casefold()
    if folded in words:
        return str(words[folded])
    return {"one": "1"}.get(folded) or _DIGITS_ZH.get(number, number)

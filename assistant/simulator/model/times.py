"""Times and days as people say them, in English and Chinese."""

from __future__ import annotations

import re

WEEKDAYS = (0, 1, 2, 3, 4)
WEEKEND = (5, 6)
EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_HOURS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CHINESE_TIME = re.compile(
    r"(?P<hour>\d{1,2}|[零一二三四五六七八九十两]{1,3})[点點时:：]"
    r"(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<minute>\d{1,2}|[零一二三四五六七八九十]{1,3})分?|整)?"
)
_ENGLISH_TIME = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?\s*(?P<half>a\.?m\.?|p\.?m\.?|o'?clock)?"
    r"(?![\da-z])",
    re.I,
)


def number(text: str) -> int:
    """A number up to 99 in digits or Chinese characters. Raises ValueError."""
    if text.isdecimal():
        return int(text)
    if "十" not in text:
        if not text or any(c not in _DIGITS for c in text):
            raise ValueError(f"no number: {text!r}")
        return int("".join(str(_DIGITS[c]) for c in text))
    tens, _, ones = text.partition("十")
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def clock_time(text: str) -> tuple[int, int] | None:
    """The first time of day in a text, as hour and minute."""
    chinese = _CHINESE_TIME.search(text)
    if chinese and not re.fullmatch(r"[\d:：]+", chinese.group()):
        return _in_day_part(text, *_chinese(chinese))
    spoken = re.search(rf"\b(half|quarter) (past|to) (\d{{1,2}}|{'|'.join(_HOURS)})\b", text, re.I)
    if spoken:
        minutes = 30 if spoken[1].lower() == "half" else 15
        hour = int(spoken[3]) if spoken[3].isdecimal() else _HOURS.index(spoken[3].lower()) + 1
        back = spoken[2].lower() == "to"
        return _in_day_part(text, hour - 1 if back else hour, 60 - minutes if back else minutes)
    for match in _ENGLISH_TIME.finditer(text):
        if match["minute"] is None and match["half"] is None and not _follows_at(text, match.start()):
            continue
        hour, minute = int(match["hour"]), int(match["minute"] or 0)
        if hour > 24 or minute > 59:
            continue
        suffix = (match["half"] or "").lower().replace(".", "")
        if suffix in ("am", "pm"):
            return hour % 12 + (12 if suffix == "pm" else 0), minute
        return _in_day_part(text, hour, minute)
    return None


def days(text: str) -> tuple[int, ...]:
    """The days of the week that a text names, Monday 0; empty when it names none."""
    low = text.lower()
    if re.search(
        r"weekdays?|workdays?|工作日|周一到周五|周一至周五|星期一到星期五|monday (to|through) friday", low
    ):
        return WEEKDAYS
    if re.search(r"weekends?|周末", low):
        return WEEKEND
    if re.search(r"every ?day|daily|每天|每日", low):
        return EVERY_DAY
    english = {n for n, name in enumerate(_DAY_NAMES) if re.search(rf"\b{name}s?\b", low)}
    chinese = {"一二三四五六日天".index(c) for c in re.findall(r"(?:周|星期|礼拜)([一二三四五六日天])", text)}
    return tuple(sorted(english | {min(n, 6) for n in chinese}))


def day_offset(text: str) -> int | None:
    """How many days from today a text means: today 0, tomorrow 1."""
    for offset, words in enumerate(
        (r"today|tonight|今天|今晚", r"tomorrow|tmrw?|明天|明早|明晚", r"day after|后天")
    ):
        if re.search(words, text, re.I):
            return 2 if re.search(r"day after tomorrow|后天", text, re.I) else offset
    return None


def _chinese(match: re.Match[str]) -> tuple[int, int]:
    minute = 30 if match["half"] else 0
    if match["quarter"]:
        minute = 15 * number(match["quarter"])
    if match["minute"]:
        minute = number(match["minute"])
    return number(match["hour"]), minute


def _in_day_part(text: str, hour: int, minute: int) -> tuple[int, int]:
    late = re.search(r"下午|晚上|傍晚|今晚|明晚|afternoon|evening|tonight|at night", text, re.I)
    if late and hour < 12:
        hour += 12
    if re.search(r"中午|noon", text, re.I) and hour < 3:
        hour += 12
    return hour % 24, minute


def _follows_at(text: str, start: int) -> bool:
    return bool(re.search(r"\b(at|for|by|around|to|until)\s+$", text[:start], re.I))

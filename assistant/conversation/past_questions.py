"""Reads a question about the user's own past, habits or facts: what it asks for, and about which records.

Only questions about what the user did with this program, or about what it knows of them, are read; what lies
on the phone, such as mail that has arrived, is a task for the phone. The words are in `past_questions.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any

from assistant.conversation.line_words import split_listed
from assistant.conversation.periods import (
    Period,
    find_meal,
    find_periods,
    spell_time_words,
    take_hours,
    take_weekdays,
    whole_words,
)
from assistant.events import ActionKind
from assistant.files import any_word, read_words
from assistant.i18n import fold_case, has_chinese
from assistant.memory.profile.graph import PEOPLE
from assistant.memory.profile.lexicon import clause_pattern
from assistant.memory.turns import Checkpoint
from assistant.memory_view.items import Item
from assistant.records import Record
from assistant.understand.words import dates_in_figures, mentions_any


class Aspect(StrEnum):
    """What a question asks for.

    `ALARM` is the time that alarms were set to, `RISING` when the user got up, `FACT` a value of the profile,
    `ABOUT` all that is known.
    """

    WHAT = "what"
    WHEN = "when"
    WHERE = "where"
    WHO = "who"
    HOW_OFTEN = "how often"
    HOW_MUCH = "how much"
    WHETHER = "whether"
    ALARM = "alarm"
    RISING = "rising"
    FACT = "fact"
    ABOUT = "about"


@dataclass(frozen=True, slots=True)
class PastQuestion:
    """A question about the past.

    Attributes:
        text: as it was asked.
        aspect: what it asks for.
        deed: the group of deeds it is about, from `past_questions.yaml`; empty for any.
        words: other words that the records must have.
        habit: it asks what is usual, not what was.
        latest: it asks for the last time.
        first: it asks for the first time.
        negated: it asks about what was not done.
        excluded: words that the records must not have: “besides soup”.
        unread: words that change what is asked, and that the parser has no use for.
        period: the time it asks about.
        hours: the part of the day: the first hour and the one behind the last, which may be past 24.
        meal: the meal that it names, which a record may name too, whatever its hour.
        weekdays: the days of the week, Monday is 0.
        fact: of which value of the profile it asks, in the user's words.
        former: it asks for a value that no longer holds, as the home before a move.
        then: a second question in the same line.
    """

    text: str
    aspect: Aspect
    deed: str = ""
    words: tuple[str, ...] = ()
    habit: bool = False
    latest: bool = False
    first: bool = False
    negated: bool = False
    excluded: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    period: Period | None = None
    hours: tuple[int, int] | None = None
    meal: str = ""
    weekdays: frozenset[int] = frozenset()
    fact: str = ""
    former: bool = False
    second: PastQuestion | None = None

    @property
    def chinese(self) -> bool:
        """Whether it was asked in Chinese."""
        return has_chinese(self.text)

    def is_of_hour(self, record: Record, hour: int) -> bool:
        """Whether a record is of the part of the day that is asked about, or of the meal, if it names one."""
        if self.hours is None:
            return True
        if self.meal and (named := find_meal(f"{record.said} {record.instruction}")):
            return named == self.meal
        first, end = self.hours
        return first <= hour < end or first <= hour + 24 < end

    def about_time(self, now: datetime) -> PastQuestion | None:
        """The question for anything at the time that this one names; None where that is longer than a day.

        A weekday alone is the last one.
        """
        period = self.period or (Period("days", 6) if self.weekdays else None)
        start, end = period.span(now) if period is not None else (now, now)
        is_short = self.weekdays or end - start <= timedelta(days=1)
        if period is None or not is_short or self.negated or self.habit:
            return None
        # In the evening began what is remembered of a night.
        hours = self.hours and (min(self.hours[0], _EVENING), self.hours[1])
        return replace(self, deed="", words=(), excluded=(), meal="", period=period, hours=hours)

    @property
    def lookup(self) -> str:
        """The command that looks up on the phone who somebody is whom memory may not know, else empty."""
        is_who = self.aspect is Aspect.ABOUT or (self.aspect is Aspect.FACT and _WHO.search(self.text))
        if not (is_who and self.fact) or _OWN.search(self.text) is not None:
            return ""
        return f"上网搜索{self.fact}" if self.chinese else f"search the web for {self.fact}"


def parse_question(text: str) -> PastQuestion | None:
    """The question about the past in a line, or the two that it asks; None where it is something else."""
    text = _form("and_why").sub("", text) or text
    parts = _form("and_asks").split(text, maxsplit=1)
    if len(parts) == 2 and (first := _parse(parts[0])) is not None:
        second = _parse(parts[1]) or follow_up(parts[1], first)
        if second is not None:
            return replace(first, second=second)
    return _parse(text)


def _parse(text: str) -> PastQuestion | None:
    line = _fold(text) if len(text) <= 4 * _LONGEST else ""
    if not line or len(line) > _LONGEST:
        return None
    return _parse_chinese(text, line) if has_chinese(line) else _parse_english(text, line)


def follow_up(text: str, previous: PastQuestion) -> PastQuestion | None:
    """The question before, asked about another time or for something else: “and the week before?”."""
    line = _fold(text)
    if _form("before_that").fullmatch(line) and previous.period is not None:
        # A unit's number counts from now: 0 is this week, -1 the last; only “3 days ago” counts upwards.
        number = previous.period.number + (1 if previous.period.unit == "ago" else -1)
        if previous.period.unit not in ("days", "weekday", "last weekday"):
            return replace(previous, text=text, period=Period(previous.period.unit, number))
    if previous.aspect is Aspect.HOW_MUCH and (match := _form("of_another").fullmatch(line)) is not None:
        asked = _parse(f"{match['zh']}花了多少钱" if match["zh"] else f"how much did i spend on {match[1]}")
        named = asked if asked is not None and (asked.words or asked.deed not in ("", "pay")) else None
        return named and replace(previous, text=text, deed=named.deed, words=named.words)
    rest = _form("follows").sub("", line).strip()
    for period, words in find_periods(rest):
        if rest.replace(words, "").strip() in ("", "呢"):
            return replace(previous, text=text, period=period, latest=False)
    for aspect in (Aspect.HOW_MUCH, Aspect.WHEN, Aspect.WHERE, Aspect.HOW_OFTEN):
        if _form(f"of_it_{aspect.value.replace(' ', '_')}").fullmatch(rest):
            return replace(previous, text=text, aspect=aspect, latest=False)
    return None


ANYWHERE = frozenset(
    {"call", "message", "contact", "pay", "podcast", "music", "listen", "watch"}
    | {"alarm", "search", "weather", "do"}
)
"""Deeds whose words name no place, so that the user's own place answers where."""
DEED_KINDS = {
    **dict.fromkeys(("message", "call", "contact"), ActionKind.SEND),
    **dict.fromkeys(("pay", "order", "takeout", "eat", "drink", "buy", "book", "taxi"), ActionKind.PAY),
}
"""The deed that a turn must have done to be an answer to a question about such deeds, however it ended."""
_LONGEST, _MOST_TURNS = 200, 10
_EVENING = 17  # The hour with which the evening begins, see periods.yaml.
_PLACES = {"liv": "home", "stay": "home", "work": "office", "study": "school"}
_ZH_PLACES = {"上班": "公司", "工作": "公司", "上学": "学校", "读书": "学校"}


@dataclass(frozen=True, slots=True)
class _Tables:
    """`past_questions.yaml`, compiled."""

    deeds: dict[str, tuple[re.Pattern[str], re.Pattern[str] | None]]
    empty: frozenset[str]
    empty_chinese: re.Pattern[str]
    phone_verbs: re.Pattern[str]
    marked_verbs: re.Pattern[str]
    adverbs: re.Pattern[str]
    facts: re.Pattern[str]
    facts_chinese: re.Pattern[str]
    preferred: re.Pattern[str]


@cache
def _tables() -> _Tables:
    data = _data()
    facts, empty, code = data["facts"], data["empty"], f"(?=.*(?:{clause_pattern('secret').pattern})).+"
    people = _people(chinese=True)
    return _Tables(
        deeds={
            name: (
                re.compile(rf"\b(?:{deed['en']})\b|{deed['zh']}"),
                re.compile(whole_words(deed["parts"])) if "parts" in deed else None,
            )
            for name, deed in data["deeds"].items()
        },
        empty=frozenset(empty["en"].split("|")),
        empty_chinese=re.compile(
            "|".join([*sorted(empty["zh"].split("|"), key=len, reverse=True), *empty["zh_patterns"]])
        ),
        phone_verbs=re.compile(data["phone_verbs"]),
        marked_verbs=re.compile(data["marked_verbs"]),
        adverbs=re.compile(rf"(?:(?:{data['adverbs']}) )*"),
        # What the phone's contacts hold of others is no fact of the user.
        facts=re.compile(
            rf"(?:{facts['en']}|(?:{_people(chinese=False)})(?:'?s? (?!.*(?:email|phone|number)).+)?|{code})"
        ),
        facts_chinese=re.compile(rf"(?:(?:{people})的?)?(?:{facts['zh']})|{people}|{code}"),
        preferred=re.compile(rf"(?:{facts['preferred_en']}) |{facts['preferred_zh']}"),
    )


@cache
def _form(name: str) -> re.Pattern[str]:
    """The form of a question by its name in `past_questions.yaml`."""
    return re.compile(_data()["forms"][name])


@cache
def record_patterns() -> dict[str, re.Pattern[str]]:
    """What the instructions of the records of each deed look like, in lower case."""
    return {name: re.compile(deed["records"], re.IGNORECASE) for name, deed in _data()["deeds"].items()}


def names_deed(deed: str, instruction: str) -> bool:
    """Whether a command is one of a group of deeds, and does not call such a deed off: “empty the cart”."""
    pattern, is_of_payment = record_patterns().get(deed), DEED_KINDS.get(deed) is ActionKind.PAY
    is_off = is_of_payment and _form("calls_off").search(instruction.casefold()) is not None
    return pattern is None or (pattern.search(instruction) is not None and not is_off)


def from_first_paid(
    question: PastQuestion, newest: list[Record], turn_of: Callable[[str], Checkpoint | None]
) -> list[Record]:
    """Of a question for the last order the records from the first on whose turn paid, or tells nothing.

    A newer command that only speaks of the order, as one that asks when it comes, is no order.
    """
    if question.latest and DEED_KINDS.get(question.deed) is ActionKind.PAY:
        for at, record in enumerate(newest[:_MOST_TURNS]):
            turn = turn_of(record.id)
            if turn is None or any(step.deed and step.deed.kind is ActionKind.PAY for step in turn.steps):
                return newest[at:]
    return newest


def has_title(instruction: str) -> bool:
    """Whether a command is about something that is heard or watched, which has a name of any words."""
    return any(record_patterns()[deed].search(instruction) for deed in ("listen", "watch"))


@cache
def _data() -> dict[str, Any]:
    return read_words("assistant.conversation", "past_questions.yaml")


def _people(*, chinese: bool) -> str:
    words = (word for group in PEOPLE for word in group if has_chinese(word) is chinese)
    return any_word(words)


@cache
def _rewrites() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), words) for pattern, words in _data()["rewrites"])


def _fold(text: str) -> str:
    folded = spell_time_words(fold_case(text))
    for pattern, words in _rewrites():
        folded = pattern.sub(words, folded)
    return " ".join(re.sub(r"[?!.。？！,，;；:\"“”…~]+", " ", folded).split()).removesuffix(" or not")


def _parse_english(text: str, line: str) -> PastQuestion | None:
    asked, line = line, _strip_asking(_put_time_last(line))
    line = _form("did_for").sub(r"\g<asks>\g<did> i ", line)
    line = _form("inverted").sub(r"\g<asks> \g<verb> \g<who>", line)
    if asked != line and line.startswith("my ") and _tables().facts.fullmatch(_own(line)):
        return PastQuestion(text, Aspect.FACT, fact=_own(line))
    if (compared := _form("compared").match(line)) is not None:
        first, second = (_parse(f"how often do i {compared['verb']} {compared[side]}") for side in ("a", "b"))
        return replace(first, second=second) if first is not None and second is not None else None
    if (forgot := _form("forgot").match(line)) is not None and any(find_periods(line)):
        asked_of = _question(text, forgot["rest"], Aspect.WHETHER, habit=False, latest=False)
        return replace(asked_of, negated=True)
    if (since := _form("since_last").match(line)) is not None and not _form("not_mine").search(line):
        return _question(text, since["rest"], Aspect.WHEN, habit=False, latest=True)
    if (about := _form("about").match(line)) is not None:
        named = about["name"] or about["who"] or ""
        subject = named or about["about"] or about["of"] or ""
        if named == subject or _form("about_whom").match(subject) or _tables().facts.fullmatch(_own(subject)):
            return PastQuestion(text, Aspect.ABOUT, fact=_own(subject))
        return None
    if (fact := _english_fact(text, line)) is not None:
        return fact
    if (why := _form("why_think").match(line)) is not None:
        return _question(text, why["rest"], Aspect.HOW_OFTEN, habit=False, latest=False)
    if _form("ran").match(line) is not None and any(find_periods(line)):
        return _question(text, _form("ran").sub("", line), Aspect.WHAT, habit=False, latest=False)
    counts = (
        _form("counts").match(line) is not None and any(find_periods(line)) and _deed_of(line) in _COUNTED
    )
    own = counts or re.search(r"\b(?:i|we|my|our|for (?:me|us))\b|^what (?:all )?(?:did|have) you do", line)
    if not _form("asks").match(line) or not own:
        return None
    habit = bool(_form("habit").search(line)) or _is_plain_habit(line)
    if _form("not_mine").search(line) or not (
        habit or counts or _is_english_past(line) or _english_aspect(line) is Aspect.ALARM
    ):
        return None
    return _question(text, line, _english_aspect(line), habit=habit, latest=bool(_form("last").search(line)))


_COUNTED = frozenset(("takeout", "drink", "eat", "taxi", "watch", "podcast", "order"))
"""Deeds that are counted without saying whose they are: “how many coffees this month?”."""


def _put_time_last(line: str) -> str:
    """A line with its time behind the question: “on January 22 who did I call”."""
    for _period, words in find_periods(line):
        rest = line.removeprefix(words).strip()
        if line.startswith(words) and _form("asks").match(rest):
            return f"{rest} {words.strip()}"
    return line


def _strip_asking(line: str) -> str:
    """A line without the polite words before its question; what was a price asks what was spent."""
    asked = _form("cost_was").sub(r"how much did i spend on \g<what>", _form("polite").sub("", line))
    return re.sub(r" (?:please|again|by the way|according to you)$", "", asked)


def _is_plain_habit(line: str) -> bool:
    """Whether a line such as "when do I call mom" asks for what is usual."""
    if _form("present_thing").search(line) is not None:
        return True
    match = _form("present").match(line)
    if match is None:
        return False
    rest = _tables().adverbs.sub("", match["rest"], count=1)
    verb = rest.partition(" ")[0]
    return not _form("task_verb").fullmatch(verb) and bool(_deed_of(verb))


def _is_english_past(line: str) -> bool:
    tables = _tables()
    if (match := _form("past").search(line)) is not None:
        rest = tables.adverbs.sub("", match["rest"], count=1)
        verb = rest.partition(" ")[0]
        marked = bool(
            _form("last").search(line)
            or any(find_periods(line))
            or re.search(r"\bhow (?:often|many times)\b|\bwhen\b|\bever\b", line)
        )
        if re.fullmatch(r"have|had", verb) and _is_meal(rest):
            return True
        if re.fullmatch(r"been", verb):
            return line.startswith("where") or _deed_of(rest.removeprefix("been ")) not in ("", "do", "go")
        if tables.phone_verbs.fullmatch(verb) and not re.match(r"(?:who|whom|to whom)\b", line):
            return False
        if tables.marked_verbs.fullmatch(verb):
            return marked and not re.search(
                r"\b(?:emails?|mail|notifications?|meetings?|appointments?|events?)\b", rest
            )
        asked = re.match(r"(?:what|which|when|where|who|how|to whom|at|in|on|from|with)\b", line) is not None
        return asked or marked or (bool(_deed_of(verb)) and not line.startswith("have i"))
    if re.match(r"what (?:did|have) you (?:do|done|did)\b", line):
        return any(find_periods(line))
    if (match := _form("relative").search(line)) is not None:
        verb = match["verb"]
        past = re.fullmatch(
            r"\w{2,}ed|ate|drank|bought|went|sent|told|spoke|heard|rang|saw|took|did|made|paid|spent|drove|flew",
            verb,
        )
        if verb == "had" and _form("meal").match(line[match.end() :]) is not None:
            return _form("not_mine").search(line) is None
        return (
            past is not None
            and _form("not_mine").search(line) is None
            and (bool(_deed_of(verb)) or verb in ("saw", "took", "made"))
        )
    if _form("latest").search(line) is not None:
        noun = _form("latest").split(line, maxsplit=1)[1].partition(" ")[0]
        is_deed = _deed_of(noun) not in ("", "message") or _form("any_deed").fullmatch(noun) is not None
        return is_deed or _form("when_last").match(line) is not None
    is_timed = any(find_periods(line)) or _form("last").search(line) is not None
    return is_timed and _form("doing").search(line) is not None


def _is_meal(rest: str) -> bool:
    return bool(re.search(r"\bfor (?:breakfast|lunch|dinner|supper|brunch|dessert)\b", rest))


def _english_fact(text: str, line: str) -> PastQuestion | None:
    if _form("people").match(line) is not None:
        return PastQuestion(text, Aspect.ABOUT, fact="family")
    if (question := _told_fact(text, line, "", ("allergies", "home"))) is not None:
        return question
    if (held := _form("held").match(line)) is not None and (held["as"] or held["fact"]):
        return PastQuestion(text, Aspect.FACT, fact=(held["as"] or held["fact"]).strip())
    if (live := _form("lives_other").match(line)) is not None:
        place = _PLACES[live["fact"].removesuffix("ing").removesuffix("e")]
        return PastQuestion(text, Aspect.FACT, fact=f"{live['who']}'s {place}")
    return _own_english_fact(text, line)


def _own_english_fact(text: str, line: str) -> PastQuestion | None:
    if _form("own_name").match(line):
        return PastQuestion(text, Aspect.FACT, fact="my name")
    if (live := _form("live").match(line)) is not None:
        return PastQuestion(text, Aspect.FACT, fact=_PLACES[live["fact"].removesuffix("e")])
    if (allergy := _form("allergy").match(line)) is not None:
        return PastQuestion(
            text, Aspect.FACT, fact="allergies", words=(allergy["what"],) if allergy["what"] else ()
        )
    if (kin := _form("kin").match(line)) is not None:
        fact = _own(kin["fact"])
        if _tables().facts.fullmatch(fact) or _form("named").match(kin["fact"]):
            return PastQuestion(text, Aspect.FACT, fact=fact)
    if (likes := _form("likes").match(line)) is not None:
        return PastQuestion(text, Aspect.FACT, fact="allergies", words=(likes["what"],))
    whose = _form("birthday").match(line) or _form("whose").match(line)
    if whose is not None and (whose.re is _form("birthday") or _tables().facts.fullmatch(whose["fact"])):
        return PastQuestion(text, Aspect.FACT, fact=whose["fact"])
    match = _form("fact").match(line)
    if match is None:
        return None
    fact = match["fact"]
    if (preferred := _tables().preferred.match(fact)) is not None:
        return _question(text, fact[preferred.end() :], Aspect.WHAT, habit=True, latest=False)
    if match["kind"]:
        return PastQuestion(text, Aspect.FACT, fact=f"{fact}'s {match['kind']}")
    return PastQuestion(text, Aspect.FACT, fact=fact) if _tables().facts.fullmatch(fact) else None


def _told_fact(text: str, line: str, language: str, names: tuple[str, str]) -> PastQuestion | None:
    """A question about what the user told it never to do, or dislikes, or about a value that held before.

    `names` are what the profile calls the things to be avoided, and the home.
    """
    if _form(f"{language}told_not").search(line) or _form(f"{language}hates").match(line):
        return PastQuestion(text, Aspect.FACT, fact=names[0], negated=True)
    if (old := _form(f"{language}formerly").search(line)) is not None:
        return PastQuestion(text, Aspect.FACT, fact=old["fact"] or names[1], former=True)
    return None


def _own(words: str) -> str:
    """The words without “my” or “about”; empty for the user, such as “me”."""
    return re.sub(r"^(?:my |our |me$|myself$|us$)", "", words.removeprefix("about ")).strip()


def _parse_chinese(text: str, line: str) -> PastQuestion | None:
    line = (
        re.sub(r"(?:来着|呢|啊|呀|哦)$", "", _form("zh_polite").sub("", line))
        .replace(" ", "")
        .replace("lunch", "午饭")
    )
    line = _form("zh_did_for").sub(r"我\g<time>\g<day>\g<verb>\g<done>", line)
    line = dates_in_figures(_form("zh_you_did").sub(r"我\g<time>让你\g<verb>了", line))
    people = _form("zh_people").match(line)
    if (about := people or _form("zh_about").match(line)) is not None:
        subject = "家人" if people is not None else next(filter(None, about.groups()), "")
        return PastQuestion(text, Aspect.ABOUT, fact=subject)
    if (held := _form("zh_held").match(line)) is not None:
        return PastQuestion(text, Aspect.FACT, fact=held["fact"] or held["of"] or held["made"])
    if (fact := _chinese_fact(text, line)) is not None:
        return fact
    if (why := _form("zh_why_think").match(line)) is not None:
        return _question(text, why["rest"], Aspect.HOW_OFTEN, habit=False, latest=False)
    if (since := _form("zh_since_last").match(line)) is not None and _deed_of(since["rest"]):
        return _question(text, f"上次{since['rest']}", Aspect.WHEN, habit=False, latest=True)
    if not _form("zh_asks").search(line) or _form("zh_not").search(line):
        return None
    habit, latest = bool(_form("zh_habit").search(line)), bool(_form("zh_latest").search(line))
    past = latest or bool(_form("zh_past").search(line) or _form("first").search(line))
    counted = _chinese_aspect(line) in (Aspect.HOW_MUCH, Aspect.HOW_OFTEN)
    elided = bool(_form("zh_elided").match(line) or (_form("zh_deed_asked").match(line) and _deed_of(line)))
    # What was spent, and how often something was done, is asked of oneself.
    own = elided or _form("zh_own").search(line) or (counted and _form("zh_own_count").match(line))
    past = past or elided or (_chinese_aspect(line) is Aspect.HOW_OFTEN and any(find_periods(line)))
    shop = latest and re.search(r"那(?:个|一)?家(?!里)", line) is not None
    named = bool(_deed_of(line)) or ((latest or habit) and line.startswith("我")) or shop or elided
    if not own or not (habit or past) or not named or ("闹钟" in line and not (latest or habit)):
        return None
    asked = _question(text, line, _chinese_aspect(line), habit=habit and not latest, latest=latest)
    # Of a shop only the deed is known, not what it is called.
    return replace(asked, deed=asked.deed or "eat", words=()) if shop else asked


def _chinese_fact(text: str, line: str) -> PastQuestion | None:
    tables = _tables()
    if (question := _told_fact(text, line, "zh_", ("过敏", "家"))) is not None:
        return question
    if (live := _form("zh_live").match(line)) is not None and (live["verb"] or "住" in line):
        return PastQuestion(text, Aspect.FACT, fact=_ZH_PLACES.get(live["verb"] or "", "家"))
    if (live := _form("zh_lives_other").match(line)) is not None:
        return PastQuestion(
            text, Aspect.FACT, fact=f"{live['who']}的{_ZH_PLACES.get(live['verb'] or '', '地址')}"
        )
    if (allergy := _form("zh_allergy").match(line)) is not None:
        cause = allergy["what"] or ""
        asked = () if not cause or re.search(r"什么|哪|啥", cause) else (cause,)
        return PastQuestion(text, Aspect.FACT, fact="过敏", words=asked)
    if (likes := _form("zh_likes").match(line)) is not None:
        return PastQuestion(text, Aspect.FACT, fact="过敏", words=(likes["what"],))
    if (fact_match := _form("zh_known").match(line)) is not None and tables.facts_chinese.fullmatch(
        fact_match["fact"]
    ):
        return PastQuestion(text, Aspect.FACT, fact=fact_match["fact"])
    if (birthday := _form("zh_birthday").match(line)) is not None:
        return PastQuestion(text, Aspect.FACT, fact=f"{birthday['who']}的生日")
    if (named := _form("zh_named").match(line)) is not None:
        return PastQuestion(text, Aspect.FACT, fact=named["fact"])
    match = _form("zh_fact").match(line)
    if match is None:
        return None
    fact = match["fact"]
    if (preferred := tables.preferred.match(fact)) is not None:
        return _question(text, fact[preferred.end() :], Aspect.WHAT, habit=True, latest=False)
    if fact in ("", "现在", "叫"):
        return PastQuestion(text, Aspect.FACT, fact="名字") if "叫" in line and not fact else None
    return PastQuestion(text, Aspect.FACT, fact=fact) if tables.facts_chinese.fullmatch(fact) else None


@cache
def _aspects(language: str, ends: str = "") -> tuple[tuple[Aspect, re.Pattern[str]], ...]:
    aspects = _data()["aspects"][language].items()
    return tuple((Aspect(name), re.compile(rf"(?:{pattern}){ends}")) for name, pattern in aspects)


def _english_aspect(line: str) -> Aspect:
    return next((aspect for aspect, begins in _aspects("en", r"\b") if begins.match(line)), Aspect.WHAT)


def _chinese_aspect(line: str) -> Aspect:
    return next((aspect for aspect, has in _aspects("zh") if has.search(line)), Aspect.WHAT)


def _deed_of(words: str) -> str:
    """The first group of deeds that some words name."""
    return next((name for name, (pattern, _) in _tables().deeds.items() if pattern.search(words)), "")


def _question(text: str, line: str, aspect: Aspect, *, habit: bool, latest: bool) -> PastQuestion:
    """The question about the records that the words select."""
    rest, first = _form("first").subn(" ", line) if not habit else (line, 0)
    rest, negations = _form("negated").subn(" ", rest) if not habit else (rest, 0)
    found_period = next(find_periods(rest), None)
    period = None
    if found_period is not None and not habit:
        period, words = found_period
        rest = rest.replace(words, " ")
    hours, rest = take_hours(line, rest)
    weekdays, rest = take_weekdays(line, rest, period)
    rest = _form("zh_latest").sub(" ", rest)
    excluded = _form("excluded").search(rest)
    if excluded is not None:
        rest = rest.replace(excluded.group(), " ")
    deed = _asked_deed(rest, line, aspect)
    narrowed = deed or ("pay" if aspect is Aspect.HOW_MUCH else "")
    unread = [match.group() for match in _form("unread").finditer(rest)]
    unread += [words for _period, words in find_periods(rest)] if period is not None else []
    if negations and (habit or aspect not in (Aspect.WHEN, Aspect.WHETHER)):
        unread += [match.group() for match in _form("negated").finditer(line)]
    if aspect is Aspect.WHETHER and _form("always").search(line):
        # How often says it; yes would say that it was never otherwise.
        aspect = Aspect.HOW_OFTEN
    return PastQuestion(
        text,
        aspect,
        "ring" if aspect in (Aspect.ALARM, Aspect.RISING) else deed,
        _content_words(rest, narrowed),
        habit=habit,
        latest=(latest or _form("just").search(line) is not None) and not habit,
        first=bool(first),
        negated=bool(negations),
        excluded=_content_words(next(filter(None, excluded.groups()), ""), narrowed) if excluded else (),
        unread=tuple(dict.fromkeys(word.strip() for word in unread)),
        period=period,
        hours=hours,
        meal=find_meal(line),
        weekdays=weekdays,
    )


_WHO = re.compile(r"\bwho\b|birthday|谁|生日", re.IGNORECASE)
_OWN = re.compile(r"\b(?:my|our)\b|[我咱]", re.IGNORECASE)


def read_subject(words: str, *, habit: bool = True) -> PastQuestion:
    """What words are about, such as "lunch" or "the evening podcast"; without `habit` also on which days."""
    return _question(words, _fold(words).rstrip("了吧"), Aspect.WHAT, habit=habit, latest=False)


def _asked_deed(rest: str, line: str, aspect: Aspect) -> str:
    """The deed that a question is about; for a question about spending, what the money was spent on."""
    if aspect is Aspect.HOW_MUCH:
        rest, line = (_tables().deeds["pay"][0].sub(" ", words) for words in (rest, line))
        named = (deed for deed in (_deed_of(rest), _deed_of(line)) if deed not in ("", "do"))
        return next(named, "" if _content_words(rest, "pay") else "pay")
    deed = _deed_of(rest)
    if deed == "order" and _tables().deeds["eat"][0].search(line):
        return "eat"
    return deed if deed not in ("", "do") else _deed_of(line)


def _content_words(line: str, deed: str) -> tuple[str, ...]:
    """The words that narrow the deed down: "mom" in "when did I last call mom"."""
    tables = _tables()
    if deed:
        pattern, parts = tables.deeds[deed]
        line = pattern.sub(_keep_things if deed == "drink" else " ", line)
        line = parts.sub(" ", line) if parts is not None else line
    line = tables.empty_chinese.sub(" ", line)
    words = re.findall(r"[a-z0-9][a-z0-9'-]*|[^\W\d_a-z]{1,}", line)
    return tuple(
        dict.fromkeys(
            word.removesuffix("'s")
            for word in words
            if word not in tables.empty and word.removesuffix("'s") not in tables.empty
        )
    )


def _keep_things(match: re.Match[str]) -> str:
    """The match if it names what was drunk, else a blank: that something was drunk selects no record."""
    return match.group() if re.search(r"latte|tea|juice|beer|奶茶|拿铁", match.group()) else " "


def ask_price(words: str) -> PastQuestion:
    """The question “how much was that?”, about the last payment of the latest 12 hours."""
    pay = replace(read_subject("pay"), text=words, period=Period("hours", 12), habit=False, latest=True)
    return replace(pay, aspect=Aspect.HOW_MUCH)


def routines_meant(subject: PastQuestion, routines: list[Item]) -> list[Item]:
    """The routines that a subject such as "lunch" or "the evening podcast" means, all words counted."""
    pattern = record_patterns().get(subject.deed)
    matches = []
    for item in routines:
        if pattern is not None and pattern.search(item.name) is None:
            continue
        if subject.hours is not None and not _is_mostly_within(item.hours, subject.hours):
            continue
        if all(mentions_any(item.name, (word,)) for word in subject.words):
            matches.append(item)
    is_said = bool(subject.words or subject.hours or subject.deed not in ("", "do"))
    return matches if is_said else []


def routines_named(words: str, routines: list[Item]) -> tuple[list[Item], str]:
    """The routines that listed things name together or each, else those of the first and the words behind."""
    things, first, behind = split_listed(words)
    meant = [_named_by(each, routines) for each in things]
    if not all(meant):
        return _named_by(first, routines), behind
    items = {item.id: item for chosen in meant for item in chosen}
    return [item for item in items.values() if all(item in each for each in meant)] or [*items.values()], ""


def _named_by(thing: str, routines: list[Item]) -> list[Item]:
    """The routines that a thing names; where it names only a kind of deed, if possible with its last word."""
    subject = read_subject(thing)
    chosen = routines_meant(subject, routines)
    says = [item for item in chosen if mentions_any(item.name, tuple(thing.split()[-1:]))]
    return chosen if subject.words or subject.hours is not None else says or chosen


def _is_mostly_within(counts: tuple[int, ...], hours: tuple[int, int]) -> bool:
    within = sum(counts[hour % len(counts)] for hour in range(*hours)) if counts else 0
    return within * 2 > sum(counts)

"""Compares a command with a habit of the user, and applies changes that the command states.

A habit is done in one or more ways: instructions for the same thing that differ in detail, such as two sizes
of one pizza. `choose_way` picks the way that is most likely now.

A command may state a change: “the usual but 15 minutes”, 老样子，少冰. `split_change` separates it from the
rest, and `apply_change` puts it into the habit's instruction, if code can show that exactly one part changes:
an amount with the same unit is replaced, a part is left out, or an option is added or replaces its opposite.
Any other change is left to a question to the user.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice

from assistant.i18n import has_chinese
from assistant.memory.prototypes.model import UNKNOWN, Member, Preference
from assistant.memory.prototypes.terms import VERBS, infinitive, plain_command, word_set
from assistant.understand.slots import (
    find_hour,
    find_names,
    find_verb,
    find_verb_kinds,
    names_usual_thing,
    word_keys,
)
from assistant.understand.types import Alike, CommandLanguage, Habit
from assistant.understand.words import (
    detect_language,
    english_words,
    exact_words,
    language_code,
    portions_of,
    weekdays_of,
    wording,
)

_SAME_WAY_COSINE = 0.5
"""Minimum cosine of two instructions of a habit that count as the same way."""
_AGREEING_SHARE = 0.65
"""A way is used without a question if at least this share of the habit's ways agree with it."""
_SAME_THING = 0.75
"""Cosine from which two words for things are taken for one thing; of tea and soup it is .61."""
_RELATED_COSINE = 0.6
"""Minimum cosine of a command's word and a habit's word that count as synonyms."""
_MOST_MISSING_SHARE = 0.5
"""If more than this share of a Chinese command's word pairs is not in the habit, the command says more."""
_RUN_THAT_SUPERSEDES = 5
"""A way is no longer used when the habit's last records, at least this many, are all of other ways."""


def choose_way(command: str, habit: Habit, similarity: Alike | None) -> Preference:
    """The way in which the user most likely wants a habit done now.

    This is the instruction at the centre of all records, because it is the most complete one. It is the
    likeliest way instead if the two differ in meaning, or if that way has a word of the command which the
    centre lacks.
    """
    names = find_names(command, language_code(command))
    named = (way for way in habit.ways if names and names <= word_keys(way.prototype.instruction))
    likeliest = next(named, _current_ways(habit, similarity)[0])
    centre = habit.preference
    shared_words = word_set(command) & word_set(likeliest.prototype.instruction)
    centre_lacks_word = not shared_words <= word_set(centre.prototype.instruction)
    return likeliest if centre_lacks_word or not _are_same_way(likeliest, centre, similarity) else centre


def do_ways_differ(habit: Habit, way: Preference, similarity: Alike | None) -> bool:
    """Whether the habit's other ways differ so much from this one that the user must be asked."""
    ways = _current_ways(habit, similarity)
    total = sum(other.confidence for other in ways)
    same = sum(other.confidence for other in ways if _are_same_way(way, other, similarity))
    return same < _AGREEING_SHARE * total or not total


def _current_ways(habit: Habit, similarity: Alike | None) -> Sequence[Preference]:
    """The ways that the user still uses; all of them if none would remain."""
    current = [way for way in habit.ways if not _is_superseded(way, habit, similarity)]
    return current or habit.ways


def _is_superseded(way: Preference, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a way is no longer used: the habit has been done in other ways, unusually often in a row.

    Unusually often is at least `_RUN_THAT_SUPERSEDES` times, and twice as often as ever between two records
    of this way.
    """
    newest = sorted(member.time for other in habit.ways for member in other.prototype.members)[
        -_RUN_THAT_SUPERSEDES:
    ]
    if not newest or any(member.time >= newest[0] for member in way.prototype.members):
        return False
    order = sorted(
        (member.time, at) for at, other in enumerate(habit.ways) for member in other.prototype.members
    )
    if _are_same_way(way, habit.ways[order[-1][1]], similarity):
        return False
    same = [_are_same_way(way, other, similarity) for other in habit.ways]
    members = sorted((time, same[at]) for time, at in order)
    # Lengths of the runs of other ways before, between and after the records of this way.
    runs = [0]
    for _time, is_same in members:
        runs = [*runs, 0] if is_same else [*runs[:-1], runs[-1] + 1]
    return len(runs) > 1 and runs[-1] >= max(_RUN_THAT_SUPERSEDES, 2 * max(runs[1:-1], default=0))


def _are_same_way(left: Preference, right: Preference, similarity: Alike | None) -> bool:
    """Whether two instructions differ in wording only: similar in meaning, with no contradicting numbers."""
    left_text, right_text = left.prototype.instruction, right.prototype.instruction
    if left_text == right_text:
        return True
    left_numbers, right_numbers = portions_of(left_text), portions_of(right_text)
    nested = left_numbers <= right_numbers or right_numbers <= left_numbers
    if left_numbers and right_numbers and not nested:
        return False
    cosines = similarity(left_text, [right_text]) if similarity else ()
    return bool(cosines) and max(cosines) >= _SAME_WAY_COSINE


def content_words(command: str) -> frozenset[str]:
    """The words of a command that say what is wanted; pairs of characters in Chinese, which has no spaces."""
    words = word_set(plain_command(command))
    return words if detect_language(command) is CommandLanguage.ZH else words - VERBS


def own_words(command: str, habit: Habit, similarity: Alike | None) -> Iterator[str]:
    """The content words of a command that a habit lacks, one by one: each word costs a vector.

    In English synonyms of the habit's words, weekdays and parts of the day do not count.
    """
    habit_words = words_of_habit(habit)
    is_chinese = detect_language(command) is CommandLanguage.ZH
    for word in sorted(content_words(command) - habit_words):
        if is_chinese or not (
            find_hour(word) is not None
            or weekdays_of(word, "en")
            or _has_synonym(word, habit_words, similarity)
        ):
            yield word


def says_more(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command asks for something that the habit lacks: a soda with the usual lunch, or a call, too.

    An only verb does not count. Of Chinese pairs of characters some are missing whenever the wording differs;
    so only many count.
    """
    missing = own_words(command, habit, similarity)
    if detect_language(command) is CommandLanguage.ZH:
        return len(list(missing)) > _MOST_MISSING_SHARE * len(content_words(command))
    verbs = word_set(command) & (VERBS | english_words.VERBS)
    has_another_deed = len(verbs) > 1 and bool(verbs - words_of_habit(habit))
    return any(missing) or (has_another_deed and bool(_JOINED.search(command)))


_JOINED = re.compile(r"\b(?:and|then)\b|[,;]", re.IGNORECASE)
"""What stands between two things that are asked for."""


def does_otherwise(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command does something else with what it calls habitual: to rate a lunch is not to order it.

    Its verb must be one of the habit's or of the same kind, unless it says nothing itself (“get”, “have”).
    """
    verb = find_verb(command)
    if not verb or not names_usual_thing(command):
        return False
    kinds = (find_verb_kinds(text) for text in habit.texts)
    if find_verb_kinds(command) & frozenset().union(*kinds):
        return False
    if detect_language(command) is CommandLanguage.ZH:
        return not set(verb) <= set("".join(habit.texts))
    said = word_set(verb) or {verb}
    return not (said & words_of_habit(habit) or _has_synonym(verb, words_of_habit(habit), similarity))


def is_order_of_its_own(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether so much of a command is missing in the habit that its words cannot just be put behind it.

    “One lamb curry, plain rice, extra hot, as usual” is no lentil soup with a remark. Chinese orders are
    recognised by the app that they name: 瑞幸要热的拿铁 大杯 全糖.
    """
    missing = own_words(command, habit, similarity)
    if detect_language(command) is CommandLanguage.ZH:
        label = habit.preference.prototype.app[:_APP_BEGINNING]
        is_named = len(label) == _APP_BEGINNING and label in command
        return is_named and len(list(missing)) > _MANY_OWN_WORDS
    return len(list(islice(missing, _MANY_OWN_WORDS))) == _MANY_OWN_WORDS


def has_other_message(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command has words of its own for a habit that sends some: they are what is to be sent."""
    missing = own_words(command, habit, similarity)
    if detect_language(command) is CommandLanguage.ZH:
        return len(list(missing)) >= _MANY_OWN_WORDS
    return any(word not in _OF_TELLING for word in missing)


def covered_share(command: str, habit: Habit) -> float:
    """The largest share, 0..1, of what an instruction of a habit says that a command says.

    Verb and app aside.
    """
    command_words = word_set(command)
    aside = word_set(habit.preference.prototype.app) | VERBS
    texts = [words for text in habit.texts if (words := word_set(text) - aside)]
    return max((len(words & command_words) / len(words) for words in texts), default=0.0)


_OF_TELLING = frozenset(word for phrase in exact_words("en").telling for word in phrase.split()) | {
    "let",
    "know",
}
_APP_BEGINNING = 2
_MANY_OWN_WORDS = 3


def shares_nothing(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command has words, and the habit has none of them, nor synonyms: “asdf”."""
    if detect_language(command) is CommandLanguage.ZH:
        return not set(plain_command(command)) & set("".join(habit.texts))
    words, habit_words = word_set(plain_command(command)), words_of_habit(habit)
    if not words or words & habit_words:
        return False
    return not any(_has_synonym(word, habit_words, similarity) for word in words)


def _has_synonym(
    word: str, others: frozenset[str], similarity: Alike | None, least: float = _RELATED_COSINE
) -> bool:
    """Whether a word means nearly the same as another one."""
    if similarity is None or not others:
        return False
    return max(similarity(word, tuple(others)), default=0.0) >= least


def has_alike(things: Collection[str], habit: Habit, similarity: Alike | None) -> bool:
    """Whether a habit has each of some things, or something that means nearly the same."""
    words = words_of_habit(habit)
    return all(thing in words or _has_synonym(thing, words, similarity, _SAME_THING) for thing in things)


def words_of_habit(habit: Habit) -> frozenset[str]:
    """The content words of a habit's instructions and of its app."""
    app = habit.preference.prototype.app
    return frozenset().union(*(word_set(text) for text in (*habit.texts, app)))


_BEGINS = wording("change_begins", "en")
_AND_BEGINS = wording("and_change_begins", "en")
_HABIT_WORD = wording("calls_usual", "en")
"""“and” begins a change only after one of these words: “my usual and a soda”, but not “milk and a soda”."""
_BEGINS_ZH = wording("change_begins", "zh")
_AMOUNT = re.compile(
    r"(?P<before>[$€£¥]|\b(?:rs\.?|rupees|usd|eur)\s+)?"
    rf"(?P<number>\d+(?:[.,]\d+)?|\b(?:one|{'|'.join(exact_words('en').numbers)})\b)"
    r"(?:\s*-?\s*(?P<unit>[a-z%°]+))?",
    re.IGNORECASE,
)
_AMOUNT_ZH = wording("amount", "zh")
_CLOCK = wording("time_of_day")
_RELATIVE = wording("relative_amount")
_REASON = wording("reason")
_FOR_THIS_TIME = wording("for_this_time")
_UNIT_OF = {
    word: unit
    for code in ("en", "zh")
    for unit, words in exact_words(code).units.items()
    for word in (unit, *words)
}
_WITHOUT = wording("change_without")
_DEGREE = wording("change_degree")
_DEGREES = r"(?:less|extra|half|double|light|more|no|full|normal)"
_DEGREES_ZH = "(?:少|多|半|微|全|无|去|加|正常|标准)"
_ADDED = wording("change_added")


@dataclass(frozen=True, slots=True)
class _Amount:
    """An amount in a text.

    Attributes:
        start: where the amount begins, with its currency sign.
        end: where it ends, with its unit.
        at: where its number begins.
        written: the number as written.
        number: the number in digits, as far as known.
        unit: the unit in `units` of the files; empty without a unit.
    """

    start: int
    end: int
    at: int
    written: str
    number: str
    unit: str


def split_change(command: str) -> tuple[str, str] | None:
    """The command without the change that it states, and the change; None if it states none.

    The change ends at the next comma or at the end of the sentence. What follows stays in the command, except
    a clause that gives a reason.
    """
    begins = (_BEGINS_ZH if has_chinese(command) else _BEGINS).search(command)
    if (
        begins is None
        and (more := _AND_BEGINS.search(command))
        and _HABIT_WORD.search(command, 0, more.start())
    ):
        begins = more
    if begins is None or not begins.start():
        return None
    change, *behind = re.split(r"[，,.。;；]|\s(?=这次)", command[begins.end() :].strip(), maxsplit=1)
    behind = [part.strip() for part in behind if not _REASON.match(part.strip())]
    rest = " ".join((command[: begins.start()].strip(), *behind)).strip()
    return (rest, change.strip()) if rest and change.strip() else None


def read_again(command: str) -> str | None:
    """What a wish to do the last command again changes in it, such as “for two”; None for another command.

    Empty where it changes nothing: “do it again”, 再来一份. What follows is no change if it is a command
    itself, as in “once more, call Mum”, or says when: “do it again tomorrow at 8” is nothing to be done now.
    """
    words = " ".join(command.replace("’", "'").split()).strip(" .!。！")
    match = (_AGAIN_ZH if has_chinese(words) else _AGAIN).fullmatch(words)
    if match is None:
        return None
    change = (match["change"] or "").strip(" ,，")
    if not _CHANGES.match(change) and (_LATER.search(change) or _is_command(change)):
        return None
    return change or match.groupdict().get("amount") or ""


def _is_command(words: str) -> bool:
    """Whether words behind “again” ask for something else than the last command, by a verb of their own."""
    request = _BEFORE_REQUEST.sub("", words, count=1)
    if _CHANGES_LAST.match(request):
        return False
    first = request.casefold().partition(" ")[0]
    return bool(_ASKS_ANEW.match(request)) or infinitive(first) in _REQUEST_VERBS


_BEFORE_REQUEST = re.compile(f"^{wording('before_request', 'en').pattern}", re.IGNORECASE)
_ASKS_ANEW = wording("asks_anew")
_CHANGES_LAST = wording("changes_last")
_LATER = wording("later")
_REQUEST_VERBS = english_words.VERBS | VERBS
_LAST = r"(?:the|my|that) last (?:one|thing|order|command|task)"
_SAME = r"(?:exactly )?the same(?: thing| order| one)?"
_AGAIN = re.compile(
    r"(?:please |now |ok(?:ay)?,? )*(?:(?:can|could|would) you )?(?:please )?"
    rf"(?:(?:do|order|make|get|run|send|repeat) (?:me )?(?:it|that|this|{_SAME}|{_LAST})"
    r"(?: (?:all over )?again| once more| one more time)"
    rf"|(?:do|order|make|get|run|repeat) (?:me )?(?:{_SAME}|{_LAST})|repeat (?:it|that)"
    r"|(?:the )?same (?:thing |order |one )?again|(?:once )?again|once more|one more time"
    r"|another (?:one|of (?:those|these|them|the same)))(?: please)?"
    r"(?P<change>(?:,? ?(?:but|only|except)|,"
    r"|(?= (?:for|with|without|to|at|in|this time|tomorrow|tonight)\b)) .+)?",
    re.IGNORECASE,
)
_ONCE_ZH = r"(?:一?(?:次|遍|份|个))"
_AGAIN_ZH = re.compile(
    r"(?:请|麻烦|帮我|给我|那|就)*"
    rf"(?:(?:照|按)(?:刚才|刚刚|上次|上一次)(?:的|那样)?再?[来做点订]{_ONCE_ZH}?"
    rf"|[跟和](?:刚才|刚刚)的?(?:一样|同样)的?再?[来点订]?{_ONCE_ZH}?"
    rf"|(?:刚才|刚刚)(?:的|那个)?再[来做]{_ONCE_ZH}|(?:一样|同样)的?再?来{_ONCE_ZH}"
    r"|再(?:来|做|重复)(?:一?(?:次|遍|份|个|杯|单|碗)|(?P<amount>[两二三四五六\d]\S))(?:一样的|同样的)?)"
    r"[吧啊呀]?(?P<change>(?:[，, ]?(?:不过|但是?|只是|这次|要)|[，, ]).+)?"
)
"""The whole of a command that names nothing but what was done before, and what changes in it."""
_CHANGES = re.compile(r"^(?:but|only|except|不过|但是?|只是)[ ，,]*", re.IGNORECASE)


def say_again(change: str, instruction: str) -> str:
    """An instruction with a change to it, which stands behind it where no part of it surely changes."""
    words = _CHANGES.sub("", change).strip(" ,，.!。！")
    if not words:
        return instruction
    changed = apply_change(words, instruction)
    return changed or _append(instruction.rstrip(" .。"), words)


def apply_change(change: str, instruction: str) -> str | None:
    """A habit's instruction with a change; None if it is not certain that exactly one part changes.

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
    """The instruction with its only amount of the same unit replaced; None if there is not exactly one."""
    beside = words[: amount.start] + words[amount.end :]
    if _RELATIVE.search(beside) or _has_more_words(beside):
        return None
    stated = [other for other in _amounts(instruction) if not _is_in_clock(instruction, other)]
    same = [other for other in stated if not amount.unit or other.unit == amount.unit]
    if len(same) != 1 or (not amount.unit and len(stated) != 1) or same[0].number == amount.number:
        return None
    at = same[0].at
    return instruction[:at] + amount.number + instruction[at + len(same[0].written) :]


def _has_more_words(beside: str) -> bool:
    """Whether the words beside an amount say more than that it is for this time."""
    other_words = _FOR_THIS_TIME.sub(" ", beside)
    return bool(re.search(r"\w", other_words))


def _leave_out(what: str, words: str, instruction: str) -> str | None:
    """The instruction with a request to leave out a part that it has; None if it has no such part."""
    if has_chinese(what):
        return (
            _append(instruction, words) if what in instruction and f"不要{what}" not in instruction else None
        )
    excluded, stated = word_set(what), word_set(instruction)
    is_stated = bool(excluded) and excluded <= stated
    denied = re.search(rf"\b(?:no|without)\s+(?:\w+ )?{re.escape(what)}", instruction, re.IGNORECASE)
    return _append(instruction, words) if is_stated and denied is None else None


def _set_degree(match: re.Match[str], words: str, instruction: str) -> str | None:
    """The instruction with more or less of something; replaces the degree that it states, if any."""
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
    """The amounts in a text, with synonymous units unified."""
    amounts = []
    for match in (_AMOUNT_ZH if has_chinese(text) else _AMOUNT).finditer(text):
        number = _as_digits(match["number"])
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


def _as_digits(number: str) -> str:
    """A number in digits, if it is one or a known number word; else unchanged."""
    words = exact_words("en").numbers
    folded = number.casefold()
    if folded in words:
        return str(words[folded])
    return {"one": "1"}.get(folded) or _DIGITS_ZH.get(number, number)


def describe_times(members: Sequence[Member], days: Collection[date] = ()) -> str:
    """When some records were made, for a model: "6 times, Tue Thu, 18:02 to 18:40, office, last Thu 03-05".

    Args:
        members: the records.
        days: days that a command names; records of these are told, too.
    """
    if not members:
        return ""
    times = sorted(member.time for member in members)
    parts = ["once" if len(times) == 1 else f"{len(times)} times"]
    is_told = len(times) <= _MOST_TOLD
    if is_told:
        parts.append(" ".join(dict.fromkeys(f"{time:%a %m-%d}" for time in times)))
    elif len(named := {time.weekday() for time in times}) < len(_DAY_NAMES):
        parts.append(" ".join(_DAY_NAMES[day] for day in sorted(named)))
    clocks = sorted(f"{time:%H:%M}" for time in times)
    middle = clocks[len(clocks) // 4 : len(clocks) - len(clocks) // 4]
    parts.append(middle[0] if middle[0] == middle[-1] else f"{middle[0]} to {middle[-1]}")
    scenarios = [member.scenario for member in members]
    usual = max(set(scenarios), key=lambda scenario: (scenarios.count(scenario), scenario))
    if usual != UNKNOWN and scenarios.count(usual) >= _REGULAR * len(scenarios):
        parts.append(usual)
    if not is_told:
        on_days = dict.fromkeys(f"{time:%a %m-%d}" for time in times[:-1] if time.date() in days)
        parts += [f"first {times[0]:%m-%d}", *(f"on {day}" for day in on_days), f"last {times[-1]:%a %m-%d}"]
    return ", ".join(parts)


_REGULAR = 0.6
"""Minimum share of the records that lie in one scenario, to say so."""
_MOST_TOLD = 4
"""Maximum number of records whose days are told one by one."""
_DAY_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

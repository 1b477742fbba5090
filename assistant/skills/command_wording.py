"""How a command is worded: its values, what a correction makes of it, and what it tells somebody.

“Text mom hi, no wait text dad”, “make it 30 instead”, 改成发给爸爸: a command holds values, each of a kind: a
person, a time, how many. A correction is read as a value, by its form, by the verb before it, or by the value
that it denies; it takes the place of the one of its kind, or is added. The result is the command as it would
have been said at once. Where several values may be meant there are several results, of which the user
chooses. What names no value, such as a refusal or “scroll down”, corrects nothing. The words are data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain

from assistant.files import any_word, compile_words, lazy_regex, read_words
from assistant.i18n import has_chinese, whole_words
from assistant.memory.profile.graph import PEOPLE, PLACES, ROLES, ROLES_ZH, is_same_value
from assistant.memory.prototypes.terms import (
    as_number,
    find_misspelt,
    pluralized,
    split_own_words,
    take_back_part,
    tells_anew,
    without_mood,
    without_order_beside,
)
from assistant.skills import slots


class ValueKind(StrEnum):
    """What a value of a command is."""

    PERSON = "person"
    TEXT = "text"
    PLACE = "place"
    ITEM = "item"
    OPTION = "option"
    TIME = "time"
    DURATION = "duration"
    DAY = "day"
    AMOUNT = "amount"
    COUNT = "count"
    PART = "part"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class CommandValue:
    """A value, and where it stands in its command."""

    kind: ValueKind
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Correction:
    """A corrected command; `old` is empty for an addition, `new` for no change, or for a part left out."""

    command: str
    kind: ValueKind
    new: str
    old: str = ""


_WORDS = read_words("assistant.skills", "command_wording.yaml")
_ROLES = {*ROLES, *ROLES_ZH}.union(*PEOPLE)
_PARTS: Mapping[str, str] = {
    **_WORDS["parts"],
    "role": rf"\b(?:{any_word(filter(str.isascii, _ROLES))})\b",
    "role_zh": f"(?:{any_word(filter(has_chinese, _ROLES))})",
    "own_place": f"(?:{any_word(filter(str.isascii, chain(*PLACES)))})",
    "own_place_zh": f"(?:{any_word(filter(has_chinese, chain(*PLACES)))})",
}


def _patterns(name: str) -> list[re.Pattern[str]]:
    return [compile_words(words, _PARTS) for words in _WORDS[name]]


def _pattern(name: str) -> re.Pattern[str]:
    return compile_words(_WORDS[name], _PARTS)


_FORMS, ALTERNATIVES, _REPLACES = _patterns("forms"), _patterns("alternatives"), _patterns("replaces")
_TEXT, _PERSON, _PLACE, _ANY = map(_patterns, ("text", "person", "place", "any"))
_VALUES = {ValueKind(kind): compile_words(words, _PARTS) for kind, words in _WORDS["values"].items()}
_OPENS, _TAKES_BACK, _SURELY, _WITHIN = map(_pattern, ("opens", "takes_back", "surely", "within"))
_CLOSES, _CLOSES_BACK, _ARTICLE, _WEEKDAY = map(_pattern, ("closes", "closes_back", "article", "weekday"))
_ALARM, _ALARM_TIME, _PERSONAL, _ONLY_NO = map(_pattern, ("alarm", "alarm_time", "personal", "only_no"))
_ADDS_TEXT, _ADDS, _ADDED, _REFERS = map(_pattern, ("adds_text", "adds", "added", "refers"))
IN_COMMAND, _OF_OPTION, _OPTION_ZH = map(_pattern, ("option_in_command", "of_option", "option_zh"))
_VERBS, (_RETELLS, _ASKS_ANEW, _TELLS) = _patterns("verbs"), map(_pattern, ("retells", "asks_anew", "tells"))
_PAYS, _IS_AMOUNT, _SAYS_NOTHING, _NOBODY = map(_pattern, ("pays", "is_amount", "says_nothing", "nobody"))
_FETCHES, _BARE_NUMBER = compile_words("<polite><fetches> (?:me |us )?", _PARTS), _pattern("bare_number")
_STEERS, _MAKES, _PERSON_ZH, _THING_ZH = map(_pattern, ("steers", "makes", "person_zh", "thing_zh"))
_PARTS_OF_WISH = lazy_regex(r",? (?:and|but) |[，,]\s*|和(?=.份)|(?<=[\u4e00-\u9fff])\s+")
_WORD_OR_PAIR = lazy_regex(r"[^\W\d_\u4e00-\u9fff]+|[\u4e00-\u9fff]{1,2}")
_CAPITALISED, _LARGE_ONE = lazy_regex(r"\b[A-Z][a-z]+\b"), lazy_regex(r"(?: one| size)$", re.IGNORECASE)
_ROLE, _WHO = compile_words("(?:my |our )?<role>|<role_zh>", _PARTS), compile_words("<named>", _PARTS)
_MEANS = lazy_regex(r"\bmeant?\b|no[, ]+wait|wait[, ]+no|scratch|不对|错了", re.IGNORECASE)
_PREPOSITION = lazy_regex(r"(?:to|for|at|from|on|in|by) ", re.IGNORECASE)
_BECAUSE, _OWN_PLACE, _DENIED, _APPOSED = map(_pattern, ("because", "own_place", "denied", "apposed"))
_NUMBERED = (ValueKind.TIME, ValueKind.DURATION, ValueKind.AMOUNT, ValueKind.COUNT)
_CLAUSE = re.compile(r"(?i)[,;] ?(?:start|make|use|put|go|take|let|send|do|tell|ask)\b|^(?:打给|发给|告诉)")
_NAMED_KINDS, _LEADS = (ValueKind.PERSON, ValueKind.PLACE), ("", "for ", "at ")
_EDGES, _OPENS_TEXT = ' ,，.。!！;；:："“”', ':："“‘'
_WITH = lazy_regex(r"^((?: with(?:out)? [^,.;]*?(?= (?:from|at|to|for|on|in|by)\b|[,.;]|$))?)", re.IGNORECASE)
_ASKS_FOR = lazy_regex(r"\b(?:order|get|buy|grab|bring|want|need) $", re.IGNORECASE)
_CLAUSE_BEHIND = lazy_regex(r"(?<=[\u4e00-\u9fff)）])\s+(?=[^\s]*(?:[\d块元]|超过|以[内下]|别|不要|如果))")
_OWN, _USUAL = lazy_regex(r"\bmy $", re.I), lazy_regex(r"(?:usual|same|last|regular)\b", re.I)
_OF_KIND, _BEHIND_HEAD = lazy_regex(r"(.+) ones?", re.I), lazy_regex(r" (?:instead|of|from|with)\b.*", re.I)
_STEM, _LONGEST_NAME = 4, 3  # Letters that forms of a word share; words in a name, in Chinese the double.


def find_values(command: str) -> list[CommandValue]:
    """The values of a command: of each kind one by where it stands, and all that have a form of their own.

    Of what stands in the text of a message, only kinds of values that stand nowhere else are told.
    """
    values: dict[ValueKind, CommandValue] = {}
    for match in filter(None, (form.match(command) for form in _FORMS)):
        for name, text in match.groupdict().items():
            kind = ValueKind(name)
            if text and (bare := text.strip(_EDGES)) and kind not in values:
                if kind is ValueKind.TEXT and command[: match.start(name)].rstrip()[-1:] not in _OPENS_TEXT:
                    bare = without_order_beside(text.strip()).strip(_EDGES)
                bare = _CLAUSE_BEHIND.split(bare, 1)[0] if kind is ValueKind.PLACE else bare
                start = match.start(name) + text.index(bare)
                values[kind] = CommandValue(kind, bare, start, start + len(bare))
    text_value = values.get(ValueKind.TEXT)
    typed = list(_typed_values(command, values))
    outside = [value for value in typed if text_value is None or value.start < text_value.start]
    kinds = {value.kind for value in outside}
    return [*values.values(), *outside, *(v for v in typed if v not in outside and v.kind not in kinds)]


def _typed_values(command: str, values: Mapping[ValueKind, CommandValue]) -> Iterator[CommandValue]:
    taken = [(value.start, value.end) for kind, value in values.items() if kind in _NUMBERED]
    patterns = list(_VALUES.items())
    if _ALARM.search(command):
        patterns.insert(-1, (ValueKind.TIME, _ALARM_TIME))  # “An alarm for 8” is for no eight people.
    for kind, pattern in patterns:
        for match in pattern.finditer(command):
            if not _overlaps(match.span(), taken):
                taken.append(match.span())
                yield CommandValue(kind, match[0], *match.span())
    for pattern in ALTERNATIVES:
        for match in pattern.finditer(command):
            yield CommandValue(ValueKind.OPTION, match[0], *match.span())


def _overlaps(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def read_correction(command: str, remark: str, said: str = "") -> tuple[Correction, ...]:
    """What a remark corrects in a command: nothing, one value, or several that it may mean.

    Where it may be of another kind than the value that it would replace, one result is the command itself.

    Args:
        command: the command that holds.
        remark: what the user says of it.
        said: the command as typed, where `command` is its meaning: “not mom” may deny “Susan Lin”.
    """
    plain, _own = split_own_words(command)
    if (rest := take_back_part(command, remark)) is not None:
        return (Correction(rest[0], ValueKind.PART, "", rest[1]),)
    read = [each for each in _read(plain, remark, said or plain) if not _REFERS.fullmatch(each.new)]
    names = (ValueKind.ITEM, *_NAMED_KINDS)  # None is a clause, as “better not, start from home”.
    read = [each for each in read if each.kind not in names or not _CLAUSE.search(each.new)]
    if _ADDED.match(remark):  # What is added takes the place of nothing.
        read = [each for each in read if not each.old or each.kind in (ValueKind.TEXT, ValueKind.COUNT)]
    changed = {each.command: each for each in read if each.command != plain}
    if changed and (as_before := next((each for each in read if not each.new), None)) is not None:
        changed[as_before.command] = as_before
    return tuple(replace(each, command=f"{each.command}{command[len(plain) :]}") for each in changed.values())


def _read(command: str, remark: str, said: str, *, is_marked: bool = False) -> list[Correction]:
    wish = _strip(remark, is_marked)
    values = find_values(command) if wish.words else []
    if _first(values, ValueKind.TEXT) is None:
        bare = _strip(without_mood(_BECAUSE.sub("", wish.words)), wish.is_marked)
        wish = replace(bare, is_only_no=wish.is_only_no)
    meant = _match(_ANY, wish.words) or wish.words
    if (shift := slots.read_shift(wish.words) or slots.read_shift(meant)) is not None:
        return _shift_values(command, values, shift)
    if paid := [value for value in values if value.kind is ValueKind.AMOUNT and _PAYS.match(meant)]:
        return [_put(command, paid[0], _match([_PAYS], meant))]
    if wish.is_marked and _first(values, ValueKind.AMOUNT) and (whole := _read_whole(values, wish.words)):
        return [whole]
    denied = _read_denied(command, values, wish.words, said) if values else []
    if denied is not None:
        return denied
    if (anew := _read_anew_text(command, values, wish.words)) is not None:
        return [anew]
    if any(pattern.match(wish.words) for pattern in _VERBS[:2]):  # It tells or calls somebody.
        whole = _read_whole(values, wish.words) if wish.is_marked else None
        if whole is not None or not wish.is_marked:
            return [whole] if whole is not None else []
    read = (
        _read_text(command, values, wish)
        or _name_person(command, values, _match(_PERSON, wish.words))
        or _name_place(command, values, _match(_PLACE, wish.words))
        or _read_value(command, values, wish)
    )
    # What is denied behind a new person or place is no part of it. A message may say anything.
    kinds = {each.kind for each in read if _DENIED.search(each.new)}
    if kinds.isdisjoint(_NAMED_KINDS) or ValueKind.TEXT in kinds:
        return read
    less = _DENIED.sub("", wish.words)
    return _read(command, less, said, is_marked=wish.is_marked) if len(less) < len(wish.words) else []


def _shift_values(command: str, values: Sequence[CommandValue], shift: slots.Shift) -> list[Correction]:
    """Each value that may be meant by “half an hour earlier” or “two more”, as much later, longer or more."""
    if shift.unit is slots.Unit.NUMBER:
        counted = [value for value in values if value.kind in (ValueKind.COUNT, ValueKind.AMOUNT)]
        is_order = _first(values, ValueKind.ITEM) and _VERBS[3].match(command) is None
        if not counted and is_order and shift.by > -1:
            return [_put_count(command, values, str(1 + shift.by), 1 + shift.by)]
        before = [(each, slots.whole_number(each.text)) for each in counted]
        return [_put(command, each, str(n + shift.by)) for each, n in before if n and n + shift.by > 0]
    is_clock = shift.unit is slots.Unit.CLOCK
    kind = ValueKind.TIME if is_clock else ValueKind.DURATION
    change = slots.shift_clock if is_clock else slots.shift_minutes
    timed = [value for value in values if value.kind is kind]
    plain = [slots.DAY_PART.sub("", value.text) for value in timed]
    changed = [(value, change(text, shift.by)) for value, text in zip(timed, plain, strict=True)]
    return [_put(command, value, new) for value, new in changed if new]


def _read_value(command: str, values: Sequence[CommandValue], wish: _Wish) -> list[Correction]:
    """A value that stands alone, or behind words such as “make it”: typed, a person, or any words."""
    rest, again = wish.words, behind_same_verb(command, wish.words)
    if again is None or (again and not wish.is_marked):
        return []
    words = _match(_ANY, rest) or again or rest
    for each in dict.fromkeys((words, rest)):
        if corrected := _replace_typed(command, values, each):
            return corrected
        first, *others = _PARTS_OF_WISH.split(each, maxsplit=1)
        first = _match(_ANY, first) or _strip(first, is_marked=True).words
        if others and len(corrected := _replace_typed(command, values, first)) == 1:
            command, wished = corrected[0].command, others[0]
            values, place = find_values(command), _match(_PLACE, wished)
            both = _name_place(command, values, place)
            if not (place or _ASKS_ANEW.match(wished)):
                both = [_added(command, ValueKind.OPTION, wished, values=values)]
            return [replace(corrected[0], command=each.command) for each in both]
    if _is_person(words) and (corrected := _name_person(command, values, words)):
        return corrected
    phrase = f"no {rest}" if wish.is_only_no and not _ARTICLE.match(rest) else rest
    added = next(filter(_ADDS.fullmatch, (phrase, words)), "")
    if _first(values, ValueKind.ITEM) and not again and added:
        return [] if _STEERS.search(added) else [_with_option(command, values, added)]
    is_marked = wish.is_marked or again or _SURELY.match(rest)
    if not is_marked or (wish.is_only_no and words == rest and not _ARTICLE.match(words)):
        return []
    is_value = kinds_of(_without_lead(words)) or _STEERS.search(words) or _NOBODY.fullmatch(words)
    tells = not again and not _first(values, ValueKind.TEXT) and _TELLS.search(words)  # Only a text tells.
    return [] if is_value or tells or says_nothing(words) else _replace_words(command, values, words, rest)


@dataclass(frozen=True, slots=True)
class _Wish:
    """A remark without what stands around its value; whether that takes back, or is a mere “no” before it."""

    words: str
    is_marked: bool
    is_only_no: bool


def _strip(remark: str, is_marked: bool) -> _Wish:
    text = " ".join(remark.split()).strip(" .!。！~…")
    opening = _OPENS.match(text)
    before = opening[0] if opening is not None and opening.end() < len(text) else ""
    rest = text[len(before) :]
    is_marked = is_marked or _TAKES_BACK.search(before) is not None
    while (closing := _CLOSES.search(rest)) is not None and closing.start() > 0:
        is_marked = is_marked or _CLOSES_BACK.search(closing[0]) is not None
        rest = rest[: closing.start()]
    return _Wish(rest.strip(" ,，.!。！"), is_marked, _ONLY_NO.match(before) is not None)


def behind_same_verb(command: str, rest: str) -> str | None:
    """What stands behind a verb like that of the command: “play jazz instead”; None behind another verb."""
    verbs = [(pattern.match(command), pattern.match(rest)) for pattern in _VERBS]
    verb_matches = [(before, after) for before, after in verbs if after is not None]
    alike = [after for before, after in verb_matches if before is not None]
    if alike:
        return rest[alike[0].end() :].strip()
    return None if verb_matches else ""


def _match(patterns: Sequence[re.Pattern[str]], text: str) -> str:
    match = next((match for pattern in patterns if (match := pattern.fullmatch(text))), None)
    return match["new"].strip(_EDGES) if match is not None else ""


def _read_whole(values: Sequence[CommandValue], rest: str) -> Correction | None:
    """A line that says the whole command anew, with all its values: “send mom hi” behind “send dad hi”."""
    before = {value.kind: value for value in values}
    after = {value.kind: value for value in find_values(rest)}
    both = before.keys() & after.keys()
    other = next((kind for kind in (ValueKind.AMOUNT, ValueKind.TEXT) if kind in both), None)
    if other is None or ValueKind.PERSON not in both:
        return None
    new, old = after[ValueKind.PERSON], before[ValueKind.PERSON]
    kind = other if is_same_value(new.text, old.text) else ValueKind.PERSON
    return Correction(rest, kind, after[kind].text, before[kind].text)


def _read_denied(
    command: str, values: Sequence[CommandValue], rest: str, said: str
) -> list[Correction] | None:
    """The correction of a remark that also says what is not meant; None for one that does not."""
    for match in filter(None, (pattern.fullmatch(rest) for pattern in _REPLACES)):
        phrase, old = match["new"].strip(_EDGES), _ARTICLE.sub("", match["old"].strip(_EDGES))
        new = _PREPOSITION.sub("", phrase, count=1) if _PREPOSITION.match(phrase) else phrase
        holding = [value for value in values if _find_within(value, old)] or _said_values(values, said, old)
        if not holding and _NOBODY.fullmatch(old):
            return _read(command, new, said, is_marked=True)
        if not holding:
            if (kinds_of(new) and kinds_of(old)) or any(_find_within(value, new) for value in values):
                return []
            continue
        new, same = _match(_ANY, new) or new, [each for each in holding if is_same_value(each.text, old)]
        place = next((value for value in same or holding if value.kind is not ValueKind.TEXT), holding[0])
        if place.kind is ValueKind.PLACE and _PARTS_OF_WISH.search(new):
            return []
        if _is_person(new) and not _is_person(old) and place.kind is ValueKind.TEXT:
            continue
        text = _first(values, ValueKind.TEXT)
        if text is not None and place.start > text.start and _find_within(text, new):
            # “Say I can come, not today” may deny what the message says, or be the message.
            return [_put(command, text, each) for each in (new, _match(_TEXT, rest)) if each]
        if (inner := _find_within(place, old)) == place or not _is_part(place, old, new):
            is_named = place.kind in (*_NAMED_KINDS, ValueKind.TEXT, ValueKind.ITEM)
            return [_put(command, place, new if is_named else _ARTICLE.sub("", new))]
        if inner is not None:
            keeps_lead = place.kind is ValueKind.TEXT and not _PREPOSITION.search(command[: inner.start][-6:])
            return [_put(command, inner, phrase if keeps_lead else new)]
    return _deny_option(command, values, rest)


def _deny_option(command: str, values: Sequence[CommandValue], rest: str) -> list[Correction] | None:
    """The command with how its thing is wanted, where it does not say what is denied; None for no such."""
    new, item = _match(_REPLACES[:3], rest), _first(values, ValueKind.ITEM)
    if item is None or not new or _VERBS[2].match(command) is None or _STEERS.search(rest):
        return None
    if says_nothing(new) or _is_person(new) or _OWN_PLACE.fullmatch(new):
        return None
    added = _added(command, ValueKind.OPTION, new, values=values)
    if _ADDS.fullmatch(new):
        return [added]
    shares = set(new.casefold().split()) & set(item.text.casefold().split())
    return [added] if shares else [added, _put(command, item, new)]


def _find_within(value: CommandValue, words: str) -> CommandValue | None:
    """Some words in a value, as a value of its kind; None where it does not say them."""
    if is_same_value(value.text, words):
        return value
    match = re.search(whole_words(words), value.text, re.IGNORECASE) if words else None
    if match is None:
        return None
    return replace(value, text=match[0], start=value.start + match.start(), end=value.start + match.end())


def _is_part(value: CommandValue, old: str, new: str) -> bool:
    """Whether of a value only the words are replaced that are denied: of 去上海的票 the town."""
    if value.kind is ValueKind.ITEM and has_chinese(old):
        before, behind = value.text.split(old, 1) if old in value.text else ("", "")
        return before.endswith(("去", "到", "飞", "从")) or behind.startswith(("的票", "到", "去", "飞"))
    if value.kind in _NUMBERED:
        return not kinds_of(new)
    return value.kind is ValueKind.TEXT or (value.kind is ValueKind.ITEM and not value.text.endswith(old))


def _said_values(values: Sequence[CommandValue], said: str, old: str) -> list[CommandValue]:
    """The values that stand for one of the typed command which some words name: “mom” for “Susan Lin”."""
    kinds = [value.kind for value in find_values(said) if is_same_value(value.text, old)]
    if not kinds and (_is_person(old) or _OWN_PLACE.fullmatch(old)):
        kinds = [ValueKind.PERSON if _is_person(old) else ValueKind.PLACE]
    return [value for value in values if value.kind in kinds]


def _is_person(words: str) -> bool:
    return _WHO.fullmatch(words.strip(_EDGES)) is not None and _OWN_PLACE.fullmatch(words) is None


def _may_be_name(words: str) -> bool:
    """Whether some words are short enough for a name, and name somebody."""
    length = len(words) / 2 if has_chinese(words) else len(words.split())
    is_other = _IS_AMOUNT.search(words) or _NOBODY.fullmatch(words) or _PERSONAL.match(words)
    return length <= _LONGEST_NAME and not is_other


def _name_person(command: str, values: Sequence[CommandValue], new: str) -> list[Correction]:
    person = _first(values, ValueKind.PERSON)
    if person is None or not new or not _may_be_name(new) or _OWN_PLACE.fullmatch(new):
        return []
    return _put_if_fit(command, person, new, fits=_THING_ZH.search(new) is None)


def _put_if_fit(command: str, value: CommandValue, new: str, *, fits: bool) -> list[Correction]:
    """The command with another value; where that may be of another kind, also the command as it is."""
    corrected = _put(command, value, new)
    return [corrected] if fits else [corrected, Correction(command, value.kind, "")]


def _name_place(command: str, values: Sequence[CommandValue], new: str) -> list[Correction]:
    place = _first(values, ValueKind.PLACE)
    if not new or _STEERS.search(new):
        return []
    if place is not None:
        return [_put(command, place, new)]
    if not _OWN_PLACE.fullmatch(new) or not _first(values, ValueKind.ITEM):
        return []
    return [_added(command, ValueKind.PLACE, new, f"送到{new}" if has_chinese(command) else f"to {new}")]


def _read_text(command: str, values: Sequence[CommandValue], wish: _Wish) -> list[Correction]:
    """The text of a message or note anew, or longer; a mere value or word takes the place of one in it."""
    text, rest = _first(values, ValueKind.TEXT), wish.words
    if text is None:
        return []
    if (added := _ADDS_TEXT.fullmatch(rest)) is not None:
        more = next(filter(None, added.groups())).strip(_EDGES)
        return [_put(command, text, f"{text.text}{'，' if has_chinese(more) else ', '}{more}")]
    if new := _match(_TEXT, rest):
        kinds = kinds_of(new)
        inner = [value for value in values if value.kind in kinds and text.start <= value.start]
        both = [_put(command, text, new), _put(command, text, _add(text.text, new))]
        return [_put(command, value, new) for value in inner] or (both if kinds else both[:1])
    meant = _match(_ANY, rest) or (rest.rstrip("*") if wish.is_marked or rest.endswith("*") else "")
    if kinds_of(meant) or not (word := find_misspelt(text.text, meant)):
        return []
    start = text.start + text.text.index(word)
    return [_put(command, replace(text, text=word, start=start, end=start + len(word)), meant)]


def _read_anew_text(command: str, values: Sequence[CommandValue], words: str) -> Correction | None:
    """A message that is told anew, most of its words as before; None for any other remark."""
    text, again = _first(values, ValueKind.TEXT), _RETELLS.fullmatch(words)
    new = next(filter(None, again.groups())) if again is not None else words
    is_anew = text is not None and not is_same_value(new, text.text) and tells_anew(text.text, new)
    return _put(command, text, new) if text is not None and is_anew and not _match(_TEXT, words) else None


def kinds_of(words: str) -> list[ValueKind]:
    """The kinds of which some words are a value by their form alone; several for a mere number."""
    kinds = [
        kind
        for kind, pattern in _VALUES.items()
        for lead in _LEADS
        if (match := pattern.search(f"{lead}{words}", 0)) is not None
        and match.end() == len(lead) + len(words)
        and match.start() <= len(lead)
    ]
    is_number = _BARE_NUMBER.fullmatch(words) is not None
    return list(dict.fromkeys([*kinds, *(_NUMBERED if is_number and set(kinds) <= set(_NUMBERED) else ())]))


def _replace_typed(command: str, values: Sequence[CommandValue], wish: str) -> list[Correction]:
    """A value that its form tells, in the place of each that it may mean; a number of things is added."""
    lead, new = _PREPOSITION.match(wish), _without_lead(wish)
    kinds = kinds_of(wish) or kinds_of(new)
    if lead is not None and lead[0].casefold() == "at ":
        kinds = [kind for kind in kinds if kind is ValueKind.TIME]
    elif lead is not None and lead[0].casefold() == "for " and ValueKind.COUNT in kinds:
        kinds = [kind for kind in kinds if kind is not ValueKind.TIME or not _first(values, ValueKind.COUNT)]
    number = as_number(new)
    matches = [
        value
        for value in values
        if value.kind in kinds and (value.kind is not ValueKind.TIME or slots.may_be_clock(new))
    ]
    choice = _LARGE_ONE.sub("", new)
    options = [each for each in ALTERNATIVES if each.fullmatch(re.sub("的$", "", choice))]
    option_values = [value for value in values if value.kind is ValueKind.OPTION] if options else []
    matches += [value for value in option_values if options[0].fullmatch(value.text)]
    if matches:
        return [_put(command, each, choice if each.kind is ValueKind.OPTION else new) for each in matches]
    if ValueKind.COUNT in kinds and _first(values, ValueKind.ITEM) and 0 < number <= 20:
        return [_put_count(command, values, new, number)]
    if options and _first(values, ValueKind.ITEM):
        return [_added(command, ValueKind.OPTION, choice, values=values)]
    return []


def _without_lead(wish: str) -> str:
    return _ARTICLE.sub("", _PREPOSITION.sub("", wish, count=1) if _PREPOSITION.match(wish) else wish)


def asks_shift(remark: str) -> str:
    """What a remark counts that says how much more or less it shall be, as in `Unit`; empty for others."""
    shift = slots.read_shift(_strip(remark, is_marked=False).words)
    return shift.unit.value if shift is not None else ""


def _first(values: Sequence[CommandValue], kind: ValueKind) -> CommandValue | None:
    return next((value for value in values if value.kind is kind), None)


def _replace_words(command: str, values: Sequence[CommandValue], wish: str, rest: str) -> list[Correction]:
    """Words of no form of their own, in the place of the value that the command is about."""
    by_kind = {value.kind: value for value in reversed(values)}
    text, person = by_kind.get(ValueKind.TEXT), by_kind.get(ValueKind.PERSON)
    if text is not None:
        if not _SURELY.match(rest):
            return []
        name, texts = _APPOSED.sub("", wish), [_put(command, text, wish)]
        if person is None or not _may_be_name(name) or len(name.split()) >= _LONGEST_NAME:
            return texts
        return [_put(command, person, name), *(texts if name == wish and not _is_person(name) else ())]
    new = _ARTICLE.sub("", wish)
    if not values or _PREPOSITION.match(wish):
        return [_added(command, ValueKind.OPTION, wish)] if values else []
    if person is not None:
        is_name = _PERSON_ZH.fullmatch(new) is not None and _THING_ZH.search(new) is None
        fits = new == wish and (_is_person(new) or is_name)
        return _put_if_fit(command, person, new, fits=fits) if _may_be_name(new) else []
    if _ROLE.fullmatch(new):
        return []  # Somebody is neither a thing nor a place.
    place, item = (by_kind.get(kind) for kind in (ValueKind.PLACE, ValueKind.ITEM))
    if place is not None and (item is None or _OWN_PLACE.fullmatch(new)):
        return _put_if_fit(command, place, wish, fits=_THING_ZH.search(wish) is None)
    is_option = _OPTION_ZH.match(new) if has_chinese(new) else _MAKES.match(rest) and new == wish
    if item is None or is_option or re.fullmatch(r"(?:an?|the) \w+ one", rest):
        return [_added(command, ValueKind.OPTION, _LARGE_ONE.sub("", new), values=values)]
    return [_put(command, value, wish) for value in (item, place) if value is not None]


def _with_option(command: str, values: Sequence[CommandValue], phrase: str) -> Correction:
    """The command with how its thing is wanted, in place of what it says otherwise: 不要辣 for 微辣."""
    match = _OF_OPTION.fullmatch(phrase)
    core = next(filter(None, match.groups())).casefold() if match is not None else ""
    core = core if has_chinese(core) else core[:_STEM]
    options = [option for pattern in (*ALTERNATIVES, IN_COMMAND) for option in pattern.finditer(command)]
    old = next((each for each in options if core and core in each[0].casefold()), None)
    if old is None:
        return _added(command, ValueKind.OPTION, phrase, values=values)
    before, after = command[: old.start()].rstrip(" ,，"), command[old.end() :].removeprefix("的")
    if old[0].lstrip(" ,").startswith("with ") and after.startswith(" and "):
        after = after.replace("and", "with", 1)
    without_option = before + after if has_chinese(command) else f"{before} {after.lstrip(' ,')}".strip()
    again = _added(without_option, ValueKind.OPTION, phrase, values=find_values(without_option))
    return replace(again, old=old[0].strip(_EDGES))


def _put(command: str, value: CommandValue, new: str) -> Correction:
    """The command with a value in the place of another, in the form that the other had."""
    written, before, after = _in_form_of(value, new), command[: value.start], command[value.end :]
    if value.kind is ValueKind.COUNT:  # “Two of them” takes the place of the 1 of “1 latte”.
        written = re.sub(r" of (?:them|those|these)$", "", written, flags=re.IGNORECASE)
    if value.kind is not ValueKind.ITEM and " " in written:  # “Room 21” for the 12 of “room 12”.
        first = "an?|the|some" if _ARTICLE.match(written) else re.escape(written.split()[0])
        before = re.sub(rf"\b(?:{first}) $", "", before, flags=re.IGNORECASE)
    if value.kind is ValueKind.PLACE and written[:1] in "去到回" and before[-1:] in ("去", "到", "回"):
        before = before[:-1]
    if value.kind is ValueKind.PLACE and value.text.casefold() == "home" and written.casefold() != "home":
        written = written if has_chinese(written) or before.endswith((" to ", " at ")) else f"to {written}"
    if value.kind is ValueKind.ITEM:
        article, written = _ARTICLE.match(written), _ARTICLE.sub("", written)
        owned = re.sub(r"\b(?:my|our)(?: usual)? $", article[0] if article else "", before)
        before = owned if value.text.casefold() != written.casefold() else before
        if article is not None and _ASKS_FOR.search(before):
            before = f"{before}{article[0]}"
        before = re.sub(r"\ban? $", "an " if written[:1].casefold() in "aeiou" else "a ", before)
    after = pluralized(after) if value.kind is ValueKind.COUNT and as_number(written) > 1 else after
    return Correction(f"{before}{written}{after}", value.kind, written, value.text)


def _in_form_of(value: CommandValue, new: str) -> str:
    match value.kind:
        case ValueKind.TIME:
            return slots.clock_like(value.text, new)
        case ValueKind.DURATION | ValueKind.AMOUNT | ValueKind.COUNT if _BARE_NUMBER.fullmatch(new):
            number = _PARTS["number"] if value.text.isascii() else _PARTS["number_zh"]
            return re.sub(number, new, value.text, count=1) if re.search(number, value.text) else new
        case ValueKind.PERSON:
            return re.sub(r"^to ", "", new)
        case ValueKind.ITEM if (named := _OF_KIND.fullmatch(new)) is not None:
            return f"{named[1]} {_BEHIND_HEAD.sub('', value.text).split()[-1]}"
        case ValueKind.DAY if value.text.casefold().startswith("on ") and _WEEKDAY.match(new):
            return f"on {new}"
        case _:
            return new


def _put_count(command: str, values: Sequence[CommandValue], new: str, number: int) -> Correction:
    """The command with how many of its thing are wanted."""
    item = next(value for value in values if value.kind is ValueKind.ITEM)
    before, after = command[: item.start], command[item.start :]
    if has_chinese(item.text):
        counted = re.sub(r"(?:人份|个?人|的)$", "份", new) if not new.isdecimal() else f"{new}份"
        return Correction(f"{before}{counted}{after}", ValueKind.COUNT, new)
    if _OWN.search(before) or _USUAL.match(item.text):
        return _added(command, ValueKind.COUNT, new, f"{number} of them", values)
    before = re.sub(r"\b(?:an?|the|some|one) $", "", before, flags=re.IGNORECASE)
    return Correction(f"{before}{number} {pluralized(after) if number > 1 else after}", ValueKind.COUNT, new)


def _added(
    command: str, kind: ValueKind, new: str, phrase: str = "", values: Sequence[CommandValue] = ()
) -> Correction:
    """The command with something more: beside its thing among `values`, where it has one, else at its end."""
    item = _first(values, ValueKind.ITEM)
    if item is None or not (has_chinese(item.text) or _FETCHES.match(command)):
        return Correction(_add(command, phrase or new), kind, new)
    before, after = command[: item.start], command[item.end :]
    is_plain = not (_OWN.search(before) or _USUAL.match(item.text) or has_chinese(item.text))
    if is_plain and any(each.fullmatch(new) for each in ALTERNATIVES):
        before = re.sub(r"\ban? $", "an " if new[:1].casefold() in "aeiou" else "a ", before)
        return Correction(f"{before}{new} {item.text}{after}", kind, new)
    comma, (_empty, beside, after) = "，" if has_chinese(item.text) else ", ", _WITH.split(after, 1)
    before, behind = f"{before}{item.text}{beside}", after.lstrip(" .!。！")
    behind = behind if behind[:1] in (*_EDGES, "") else f"{comma}{behind}"
    return Correction(f"{before}{comma}{phrase or new}{behind}", kind, new)


def _add(command: str, phrase: str) -> str:
    return f"{command.rstrip(' .!。！')}{'，' if has_chinese(command) else ', '}{phrase}"


def says_nothing(words: str) -> bool:
    """Whether no word of some names a value: courtesies, and how a turn is to go on."""
    names = _CAPITALISED.findall(words)
    lowered_words = map(str.casefold, _WORD_OR_PAIR.findall(words))
    return not names and all(map(_SAYS_NOTHING.fullmatch, lowered_words))


def read_own_correction(command: str) -> tuple[Correction, ...]:
    """What a command corrects in itself: “alarm at 7, no 730”; the same as `read_correction` returns.

    In the text of a message it may belong to what is written: then one of the results is the command itself.
    """
    for match in _WITHIN.finditer(command):
        before, after = command[: match.start()].rstrip(_EDGES), command[match.end() :].strip()
        read = _repair(command, before, match[0], after) if before and after else []
        if any(each.command != command for each in read):
            return tuple(dict.fromkeys(read))
    return ()


def _repair(command: str, before: str, marker: str, after: str) -> list[Correction]:
    values, text = find_values(before), _first(find_values(command), ValueKind.TEXT)
    is_in_text = text is not None and text.start <= len(before) + len(marker)
    as_said = [Correction(command, ValueKind.TEXT, "")] if is_in_text else []
    if (whole := _read_whole(values, after) or _read_anew(before, values, after)) is not None:
        return [whole]
    new = "" if _PREPOSITION.match(after) else _match(_PERSON, after)
    if corrected := _name_person(before, values, new):
        return corrected
    if corrected := _repair_beside(before, values, after):
        return [*corrected, *as_said]
    only_no = re.fullmatch(r"[\s,]*no\s+", marker, re.IGNORECASE) is not None
    means = _MEANS.search(f"{marker}{after}") is not None
    wish = f"i meant {after}" if _MEANS.search(marker) else f"no {after}" if only_no else after
    corrected = _read(before, wish, before, is_marked=True)
    named = _is_person(_without_lead(after)) and any(each.kind is ValueKind.PERSON for each in corrected)
    if not as_said or not corrected or (means and named):
        return corrected
    return [*corrected, *as_said] if means or named or kinds_of(after) or _PAYS.match(after) else []


def _read_anew(before: str, values: Sequence[CommandValue], after: str) -> Correction | None:
    """A command that only said to whom, and is said anew with its verb: “text mom no wait text dad hi”."""
    after_values = {value.kind: value for value in find_values(after)}
    new = after_values.get(ValueKind.PERSON)
    same_verb = before.split()[0].casefold() == after.split()[0].casefold()
    if new is None or not same_verb or [value.kind for value in values] != [ValueKind.PERSON]:
        return None
    return Correction(after, ValueKind.PERSON, new.text, values[0].text)


def _repair_beside(before: str, values: Sequence[CommandValue], after: str) -> list[Correction]:
    """A value that stands right before what takes it back; the rest of the command follows the new one."""
    for value in values:
        if value.end != len(before) or value.kind in (ValueKind.TEXT, ValueKind.ITEM):
            continue
        pattern = _WHO if value.kind is ValueKind.PERSON else _VALUES.get(value.kind)
        match = pattern.match(after) if pattern is not None else None
        if match is None and value.kind in _NUMBERED:
            match = _BARE_NUMBER.match(after)
        rest = after[match.end() :] if match is not None else ""
        if match is None or (rest and not (rest[0].isspace() or has_chinese(rest[0]))) or not rest.strip():
            continue
        corrected = _put(before, value, match[0])
        return [replace(corrected, command=f"{corrected.command}{rest}")]
    return []

"""Makes a command explicit with the values that were found, changing as little as possible.

`Resolution` holds the meanings of all elements and the completed instruction. The `format_*_reason` functions
say for the user why a value is believed: who said or did it, how often, and when. `read_again` reads a
command that only asks for the last one again, and `say_again` puts what changes behind that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any

from assistant.files import lazy_regex
from assistant.i18n import _, day_of, has_chinese, later, weekday_of
from assistant.memory.profile.graph import Evidence, Strength, canonical_word
from assistant.memory.prototypes.model import Preference, Prototype
from assistant.memory.prototypes.terms import (
    VERBS,
    infinitive,
    split_own_words,
    with_own_words,
    without_vague,
)
from assistant.skills.command_wording import ValueKind, find_values, read_correction
from assistant.understand.perceive import find_clause_around, strip_greeting
from assistant.understand.slots import CLOCK, delivery_phrases, find_object, find_verb_kinds, places_in
from assistant.understand.types import (
    MAX_VALUE_LENGTH,
    Category,
    CommandLanguage,
    Contact,
    EvidenceFact,
    MeaningCandidate,
    MeaningOrigin,
    Perceived,
    PersonalizedElement,
    deed_key,
    is_headless,
    is_usable_value,
    normalize_key,
    normalize_value,
)
from assistant.understand.words import (
    CLAUSE_END,
    TokenClass,
    amounts_of,
    contains_any,
    content_of,
    detect_language,
    english_words,
    exact_words,
    language_code,
    tokenize,
    wording,
)

ARTICLE_BEFORE = wording("article_before", "en")
_ASKED = wording("asks_before", "en")
_ASKED_ZH = wording("asks_before", "zh")
_ASKING_ZH = wording("asks_behind", "zh")
_SHORT_LABEL = 2
_FEW = 0.5
"""A reading that keeps a smaller share of a command's own words than this may be of another deed."""
_POINTING = ("before", "after", "during", "until", "till", "once")
_ZH_TIME_TAIL = wording("time_tail", "zh")


CONTACT = "contact"
"""The key of a candidate that is somebody whom records address."""


@dataclass(frozen=True, slots=True)
class FilledSpan:
    """A span of the completed instruction, `instruction[start:end]`, and the element that it replaces."""

    start: int
    end: int
    element: PersonalizedElement


@dataclass(frozen=True, slots=True)
class Completed:
    """The explicit instruction, the app to use if known, and the spans of the inserted values."""

    instruction: str
    app: str
    spans: tuple[FilledSpan, ...]


def complete(
    perceived: Perceived, values: Mapping[str, MeaningCandidate], apps: Sequence[str] = ()
) -> Completed:
    """Replace elements by their values, which are given by the normalized text of the element."""
    command, text, spans, position = perceived.command, "", list[FilledSpan](), 0
    for element in perceived.elements:
        if (key := normalize_key(element.text)) not in values:
            continue
        before = command[position : element.start]
        value = _format_value(element, values[key].value, command[: element.start], perceived.language)
        is_label = _is_in_order(element, command) and key not in normalize_key(value)
        if is_label or _asks_for_value(perceived, element):
            is_spaced = before.isascii() and before
            value = f"{element.text} ({value})" if is_spaced else f"{element.text}（{value}）"
        elif perceived.language is CommandLanguage.EN:
            before = ARTICLE_BEFORE.sub("", before)
        text += before
        spans.append(FilledSpan(len(text), len(text) + len(value), element))
        text += value
        position = element.end
    return Completed(text + command[position:], find_named_app(command, apps), tuple(spans))


def find_named_app(command: str, apps: Sequence[str]) -> str:
    """The app that a command names, the longest label if there are several; empty if none.

    A label that is also a common word ("Phone", "Music", 电话) counts only in a position for an app.
    """
    return max((label for label in apps if label.strip() and _names_app(command, label)), key=len, default="")


def _names_app(command: str, label: str) -> bool:
    name = re.escape(label)
    if detect_language(label) is CommandLanguage.ZH:
        if len(label) > _SHORT_LABEL:
            return label in command
        return bool(re.search(rf"(?:打开|启动|用|在|去|到|从|通过|进入){name}", command))
    before = r"\b(?:open|launch|start|in|on|via|using|use|from|with|through)\s+(?:the\s+)?"
    if re.search(rf"{before}{name}(?!\w)|(?<!\w){name}\s+app\b", command, re.IGNORECASE):
        return True
    # In English a name is capitalised within a sentence; in Chinese text any Latin word is a name.
    in_chinese = detect_language(command) is CommandLanguage.ZH
    inside = re.search(rf"(?<!\w){name}(?!\w)", command, re.IGNORECASE if in_chinese else 0)
    return bool(inside) and (in_chinese or (inside is not None and inside.start() > 0 and label[0].isupper()))


def is_own_place(element: PersonalizedElement, command: str) -> bool:
    """Whether an order goes to a place of the user's own: apps that deliver know “home” and “the office”."""
    is_own = canonical_word(normalize_key(element.text)) in places_in(find_clause_around(command, element))
    return is_own and _is_in_order(element, command)


def _is_in_order(element: PersonalizedElement, command: str) -> bool:
    """Whether an element is a place in an order: its address stays beside the word, which apps may list."""
    clause = strip_greeting(find_clause_around(command, element))
    return element.category is Category.PLACE and "get" in find_verb_kinds(clause)


def _asks_for_value(perceived: Perceived, element: PersonalizedElement) -> bool:
    """Whether a command asks for the value itself: "what's my address"."""
    before = perceived.command[: element.start]
    behind = perceived.command[element.end :].strip(" ?!.？。！吗")
    if perceived.language is CommandLanguage.ZH:
        return bool(_ASKED_ZH.match(before) and _ASKING_ZH.match(behind))
    return bool(_ASKED.match(before)) and not behind


def _format_value(element: PersonalizedElement, value: str, before: str, language: CommandLanguage) -> str:
    """A value with the prepositions that its position in the sentence needs."""
    if language is CommandLanguage.ZH:
        tail = _ZH_TIME_TAIL.search(element.text)
        timed = element.category is Category.TIME and tail
        return f"{value}{tail[0]}" if timed and tail and CLOCK.search(value) else value
    first = element.text.split()[0].lower()
    if element.category is Category.TIME and first in ("when", "once", *_POINTING) and CLOCK.search(value):
        return f"{first if first in _POINTING and first != 'once' else 'at'} {value}"
    if element.head == "home" and element.text.lower() == "home":
        tokens = tokenize(before)
        if (
            tokens
            and tokens[-1].part is not TokenClass.PREPOSITION
            and tokens[-1].lower not in ("to", "from", "and")
        ):
            return f"to {value}"
    return value


def name_app(text: str, app: str) -> str:
    """An order that names its app, behind it; before it in Chinese, and where it may end in a message."""
    if not is_usable_value(app) or app.casefold() in text.casefold():
        return text
    plain, own_words = split_own_words(text)
    if own_words:
        return with_own_words(name_app(plain, app), own_words)
    code, language = language_code(text), detect_language(text)
    if language is not CommandLanguage.ZH and contains_any(text, exact_words(code).telling, code):
        return f"On {app}, {text[:1].lower()}{text[1:]}"
    bare = text.rstrip()
    mark = bare[-1] if bare and bare[-1] in ".!。！" else ""
    bare = bare.removesuffix(mark) if mark else bare
    return f"在{app}上{bare}{mark}" if language is CommandLanguage.ZH else f"{bare} on {app}{mark}"


class ResolutionKind(StrEnum):
    """What becomes of a command; `ANSWER` is given by whoever answers questions about the past."""

    AS_SAID = "as_said"
    FILLED = "filled"
    ASK = "ask"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Meaning:
    """An element with its chosen value, or None, and its candidates.

    Where a whole command is the element, because only past orders can be offered for it, `part` is the one
    that the memory knows nothing of: the user's own words may tell what it is.
    """

    element: PersonalizedElement
    chosen: MeaningCandidate | None
    candidates: tuple[MeaningCandidate, ...] = ()
    part: PersonalizedElement | None = None

    def put_in_place(self, candidate: MeaningCandidate) -> MeaningCandidate:
        """A value for the part as one for the element: the command with the value in the part's place."""
        if self.part is None:
            return candidate
        command = self.element.text
        value = f"{command[: self.part.start]}{candidate.value}{command[self.part.end :]}"
        return replace(candidate, value=value)

    @property
    def is_from_profile(self) -> bool:
        """Whether its value is a fact of the profile."""
        return self.chosen is not None and self.chosen.origin is MeaningOrigin.PROFILE

    @property
    def opened(self) -> Meaning:
        """A copy without its value, which stays a candidate to ask about."""
        if self.chosen is None:
            return self
        others = (candidate for candidate in self.candidates if candidate is not self.chosen)
        return Meaning(self.element, None, (self.chosen, *others))


@dataclass(frozen=True, slots=True)
class Resolution:
    """A command with the meaning of each element, and the completed instruction."""

    perceived: Perceived
    meanings: tuple[Meaning, ...]
    completed: Completed

    @property
    def instruction(self) -> str:
        """The explicit instruction; the command as typed if nothing depends on the user."""
        return self.completed.instruction

    @property
    def missing(self) -> tuple[Meaning, ...]:
        """The elements without a value."""
        return tuple(meaning for meaning in self.meanings if meaning.chosen is None)

    @property
    def is_all_people(self) -> bool:
        """Whether all that depends on the user is who somebody is, and that is in the profile.

        How the user calls or writes to them, by video or in which app, may be a habit all the same.
        """
        return bool(self.meanings) and all(
            meaning.element.named_on_phone and meaning.is_from_profile for meaning in self.meanings
        )

    @property
    def is_remark(self) -> bool:
        """Whether it seems to order nothing, so that the user is asked whether anything is to be done."""
        return any(meaning.element.category is Category.REMARK for meaning in self.missing)

    def leads_elsewhere(self, habit: Prototype) -> bool:
        """Whether the command names an unknown place of the user's that the habit does not have.

        “My old flat”, 我老家 are not home, to which the user goes each day.
        """
        done = content_of(f"{habit.instruction} {habit.app}")
        places = (each.element for each in self.missing if each.element.category is Category.PLACE)
        return any(not content_of(place.text) <= done for place in places)

    @property
    def outvotes_command(self) -> bool:
        """Whether the instruction drops most of the user's words for the deed, or is another deed.

        Words that stand for something of the user's own, such as “my usual lunch”, need not be kept, nor
        vague ones.
        """
        command = list(self.perceived.command)
        for element in self.perceived.elements:
            if not element.is_whole_command:
                command[element.start : element.end] = " " * (element.end - element.start)
        own, done = "".join(command), split_own_words(self.instruction)[0]
        command_words, kinds = _own_words(own), find_verb_kinds(own)
        is_other_deed = bool(kinds) and kinds.isdisjoint(find_verb_kinds(done) or kinds)
        return is_other_deed or len(command_words & _own_words(done)) < _FEW * len(command_words)

    @property
    def reference(self) -> Prototype | None:
        """The prototype whose centre actions are a reference for the turn (FingerTip A.5.2)."""
        for meaning in self.meanings:
            if meaning.chosen and meaning.chosen.preference:
                return meaning.chosen.preference.prototype
        return None

    def with_value(
        self, element: PersonalizedElement, candidate: MeaningCandidate, apps: Sequence[str] = ()
    ) -> Resolution:
        """A copy with the value of one more element."""
        element_key = normalize_key(element.text)
        meanings = tuple(
            Meaning(meaning.element, candidate, meaning.candidates)
            if normalize_key(meaning.element.text) == element_key
            else meaning
            for meaning in self.meanings
        )
        return make_resolution(self.perceived, meanings, apps)

    def without(self, element: PersonalizedElement, apps: Sequence[str] = ()) -> Resolution:
        """A copy that leaves an element as it was said, and nothing of it open."""
        meanings = [each for each in self.meanings if each.element.text != element.text]
        return make_resolution(self.perceived.only(each.element.text for each in meanings), meanings, apps)

    @property
    def decision(self) -> ResolutionKind:
        """What becomes of the command: run as said, filled in, or asked about."""
        if self.missing:
            return ResolutionKind.ASK
        return ResolutionKind.FILLED if self.meanings else ResolutionKind.AS_SAID

    def as_json(self) -> dict[str, Any]:
        """As `assistant resolve --json` prints it."""
        return {
            "said": self.perceived.command,
            "personalized": bool(self.meanings),
            "decision": self.decision.value,
            "elements": [_element_json(meaning) for meaning in self.meanings],
            "instruction": self.instruction,
            "app": self.completed.app,
            "missing": [meaning.element.text for meaning in self.missing],
        }


def doubt_order(resolution: Resolution, is_likely: bool = False) -> Resolution:
    """The question whether anything is to be done: nothing is filled into a remark.

    Offered is only what a habit would make of it; where an order `is_likely`, also what facts would.
    """
    chosen = [each.chosen for each in resolution.meanings if each.chosen]
    made = [each for each in chosen if each.preference or is_likely] if not resolution.missing else []
    offered = (replace(made[0], value=resolution.instruction, key="", about=""),) if made else ()
    return ask_whole(
        resolution.perceived, offered, whole_command(resolution.perceived.command, Category.REMARK)
    )


def leave_as_said(perceived: Perceived) -> Resolution:
    """A command that is carried out in the user's own words."""
    return make_resolution(replace(perceived, elements=()), ())


def whole_command(command: str, category: Category = Category.OPEN, owner: str = "") -> PersonalizedElement:
    """All of a command as one element."""
    return PersonalizedElement(0, len(command), command, category, "", owner)


def ask_whole(
    perceived: Perceived,
    offered: Sequence[MeaningCandidate],
    whole: PersonalizedElement | None = None,
    part: PersonalizedElement | None = None,
    apps: Sequence[str] = (),
) -> Resolution:
    """A command about which the user is asked as a whole, with what is offered; `part` as in `Meaning`."""
    whole = whole or whole_command(perceived.command)
    # What is chosen is begun as it is shown: to the place and in the amount that the command says.
    shown = (
        replace(each, value=keep_said(each.value, perceived.command)) if each.preference else each
        for each in offered
    )
    meaning = Meaning(whole, None, tuple(shown), part)
    return make_resolution(replace(perceived, elements=(whole,)), (meaning,), apps)


def _own_words(text: str) -> frozenset[str]:
    """The words of a text that say something, verbs and vague ones aside; of Chinese its characters."""
    words = content_of(without_vague(text))
    return frozenset(word for word in words if len(word) == 1 or not has_chinese(word))


def make_resolution(
    perceived: Perceived, meanings: Sequence[Meaning], apps: Sequence[str] = ()
) -> Resolution:
    """A resolution with its instruction completed."""
    values = {normalize_key(meaning.element.text): meaning.chosen for meaning in meanings if meaning.chosen}
    return Resolution(perceived, tuple(meanings), complete(perceived, values, apps))


def value_of_span(element: PersonalizedElement, habit: MeaningCandidate) -> MeaningCandidate:
    """A habit as the value of some words: “my usual lunch” is the soup, and not the order of it.

    What stands for the whole command, or only says that it is habitual (“as usual”) is the whole order.
    """
    if habit.preference is None or element.is_whole_command or is_headless(element):
        return habit
    plain, _own = split_own_words(habit.value)
    return replace(habit, value=find_object(plain, habit.preference.prototype.app))


def adopt_habit(
    resolution: Resolution, element: PersonalizedElement, candidate: MeaningCandidate
) -> Resolution:
    """A resolution in which a habit's whole instruction takes the place of the command.

    `element` stands for the habit; the command's missing elements mean it, too.
    """
    perceived, instruction = resolution.perceived, order_of_habit(candidate, resolution.perceived.command)
    app = candidate.preference.prototype.app if candidate.preference else ""
    meanings = tuple(
        meaning
        if meaning.chosen and meaning.chosen.origin is MeaningOrigin.PROFILE
        else Meaning(meaning.element, value_of_span(meaning.element, candidate), meaning.candidates)
        for meaning in resolution.meanings
    ) or (Meaning(element, value_of_span(element, candidate)),)
    span = FilledSpan(0, len(instruction), element)
    elements = perceived.elements or (element,)
    return Resolution(replace(perceived, elements=elements), meanings, Completed(instruction, app, (span,)))


def order_of_habit(habit: MeaningCandidate, command: str) -> str:
    """A habit's instruction with its app, and with the place and the amount that a command says."""
    app = habit.preference.prototype.app if habit.preference else ""
    return name_app(keep_said(habit.value, command), app)


_DENIED = lazy_regex(r"(?:\bnot|n't|[不别]要?) ?$", re.IGNORECASE)


def keep_said(instruction: str, command: str) -> str:
    """A habit's instruction with the place and the amount that the command says, where it names others.

    “My usual lunch to my home” goes there, though on all other days it went to the office. Where either names
    several places, the place stays as it is. How many is said by a clause that says nothing else: 来两份.
    """
    for clause in CLAUSE_END.split(command):
        days = [each.text for each in find_values(clause) if each.kind is ValueKind.DAY]
        bare = re.sub("|".join(map(re.escape, days)) or "$", "", clause).strip()
        read = read_correction(instruction, bare) if bare else ()
        is_count = len(read) == 1 and read[0].kind is ValueKind.COUNT
        if is_count and not amounts_of(read[0].new) <= amounts_of(instruction):
            instruction = read[0].command
    plain, own_words = split_own_words(instruction)
    usual = delivery_phrases(plain)
    phrases = [each for each in delivery_phrases(command) if not _DENIED.search(command[: each[1].start()])]
    is_clear = len(phrases) == len(usual) == 1 and has_chinese(command) is has_chinese(plain)
    if not is_clear or phrases[0][0] == usual[0][0]:
        return instruction
    (_place, words), (_usual, phrase) = phrases[0], usual[0]
    changed = f"{plain[: phrase.start()]}{words[0]}{plain[phrase.end() :]}"
    return with_own_words(changed, own_words) if own_words else changed


@dataclass(frozen=True, slots=True)
class LearnedAnswer:
    """The meaning of the user's words, learned while understanding a command, to be stored.

    `confirmed` if the user gave it. A value read from an app is confirmed by a successful turn.
    """

    words: str
    value: str
    origin: MeaningOrigin
    why: str
    confirmed: bool


def find_correction(resolution: Resolution, instruction: str) -> LearnedAnswer | None:
    """The new value of the one element that the user replaced; None if the change is of another kind.

    A replaced preference is not learned: another dish today does not change the usual dish, and the record of
    the turn counts towards the preference anyway.
    """
    before = resolution.instruction
    for meaning in resolution.meanings:
        if (
            meaning.chosen is None
            or (meaning.chosen.preference or meaning.chosen.origin is MeaningOrigin.TURN)
            or before.count(meaning.chosen.value) != 1
        ):
            continue
        start, end = before.split(meaning.chosen.value)
        if not (instruction.startswith(start) and instruction.endswith(end)):
            continue
        value = normalize_value(instruction[len(start) : len(instruction) - len(end)])[:MAX_VALUE_LENGTH]
        if value and normalize_key(meaning.chosen.value) not in normalize_key(value):
            return LearnedAnswer(
                meaning.element.text, value, MeaningOrigin.USER, _("you changed it"), confirmed=True
            )
    return None


def update_lessons(
    lessons: tuple[LearnedAnswer, ...], instruction: str, correction: LearnedAnswer | None
) -> tuple[LearnedAnswer, ...]:
    """The lessons after a correction: without those about the same words, and without removed values."""
    words = normalize_key(correction.words) if correction else None
    other_lessons = (lesson for lesson in lessons if normalize_key(lesson.words) != words)
    remaining = tuple(lesson for lesson in other_lessons if lesson.confirmed or lesson.value in instruction)
    return (*remaining, correction) if correction else remaining


def _element_json(meaning: Meaning) -> dict[str, Any]:
    chosen = meaning.chosen
    return {
        "text": meaning.element.text,
        "value": chosen.value if chosen else None,
        "source": chosen.origin.value if chosen else None,
        "confidence": round(chosen.confidence, 3) if chosen else 0.0,
        "evidence": list(chosen.evidence) if chosen else [],
        "candidates": [] if chosen else [_candidate_json(candidate) for candidate in meaning.candidates],
    }


def _candidate_json(candidate: MeaningCandidate) -> dict[str, Any]:
    return {
        "value": candidate.value,
        "source": candidate.origin.value,
        "confidence": round(candidate.confidence, 3),
        "times": len(candidate.evidence),
        "why": candidate.why,
    }


_STRONGEST_FIRST = tuple(reversed(Strength))
_REASONS = {
    Strength.USER: later("you said so on {day}"),
    Strength.IMPORTED: later("you imported it on {day}"),
    Strength.SWITCHED: later("you said so in a command on {day}"),
    Strength.STATED: later("you said so in a command on {day}"),
    Strength.EXPLORED: later("read on the phone on {day}"),
}


def format_habit_reason(prototype: Prototype) -> str:
    """Why a preference is believed: what the user did how often, or what the user wrote instead."""
    last = max((record.time for record in prototype.members), default=None)
    count = len(prototype.members)
    if last is None:
        return _("you wrote it in the memory") if prototype.worded else ""
    if prototype.worded:
        wrote = _("you wrote it in the memory, in place of what you did {count} times · last {day}")
        once = _("you wrote it in the memory, in place of what you did on {day}")
        return (once if count == 1 else wrote).format(count=count, day=day_of(last))
    if count == 1:
        return _("done once, on {day}").format(day=day_of(last))
    often = _format_share({record.time.date(): record.time for record in prototype.members}, count)
    return often.format(day=day_of(last))


MAX_CHOICES = 4
"""Maximum number of candidates that a question offers."""


def habit_candidate(value: str, way: Preference) -> MeaningCandidate:
    """What was done before in a way, or words of it, as a candidate."""
    prototype = way.prototype
    stated = (value, MeaningOrigin.PREFERENCE, way.confidence, prototype.evidence)
    return MeaningCandidate(*stated, format_habit_reason(prototype), way)


def candidate_of_fact(fact: EvidenceFact) -> MeaningCandidate:
    """A fact of the profile as a candidate."""
    stated = (fact.value, MeaningOrigin.PROFILE, fact.confidence, fact.evidence, fact.why)
    return MeaningCandidate(*stated, key=fact.key, about=fact.about, is_disputed=bool(fact.rivals))


def candidate_of_contact(contact: Contact) -> MeaningCandidate:
    """Somebody whom records address, as a candidate."""
    why = _("your contact “{name}” in {count} records").format(name=contact.name, count=contact.count)
    return MeaningCandidate(
        contact.name, MeaningOrigin.PROFILE, 0.0, contact.evidence, why, key=CONTACT, about=contact.name
    )


def said_just_now(value: str, sure: float = 1.0) -> MeaningCandidate:
    """What the user said in this very command or answer, as a candidate."""
    return MeaningCandidate(value, MeaningOrigin.USER, sure, why=_("you said so just now"))


def distinct_candidates(candidates: Iterable[MeaningCandidate]) -> tuple[MeaningCandidate, ...]:
    """The first candidates of distinct values, as many as a question offers."""
    by_value: dict[str, MeaningCandidate] = {}
    for candidate in candidates:
        by_value.setdefault(deed_key(candidate.value), candidate)
    return tuple(by_value.values())[:MAX_CHOICES]


_REGULAR_DAYS, _REGULAR_SHARE = 4, 0.5
"""From so many days on, and so large a share of the days that could have been, a share is told."""
_WEEKEND = 5


def _format_share(days: Mapping[date, datetime], count: int) -> str:
    """How often something was done, of the days on which it could have been; `{day}` is for the last time.

    Counted are the working days, all days, or one day of the week, from the first time to the last.
    """
    weekdays = {day.weekday() for day in days}
    first, last = min(days), max(days)
    span = [first + timedelta(days=passed) for passed in range((last - first).days + 1)]
    if len(weekdays) == 1:
        possible = [day for day in span if day.weekday() in weekdays]
        words = _("{count} of {all} times on a {weekday}, last {day}")
    elif max(weekdays) < _WEEKEND:
        possible = [day for day in span if day.weekday() < _WEEKEND]
        words = _("{count} of {all} working days, last {day}")
    else:
        possible = span
        words = _("{count} of {all} days, last {day}")
    if len(days) < _REGULAR_DAYS or len(days) != count or count < _REGULAR_SHARE * len(possible):
        return _("done {count} times, last {day}").format(count=count, day="{day}")
    weekday = weekday_of(days[last])
    return words.format(count=count, all=len(possible), weekday=weekday, day="{day}")


def format_value_reason(evidence: Sequence[Evidence]) -> str:
    """Why a value of the profile is believed: the strongest evidence for it, and its newest day."""
    strengths = {item.strength for item in evidence}
    strongest = next((item for item in _STRONGEST_FIRST if item in strengths), None)
    if strongest is None:
        return ""
    strongest_evidence = [item for item in evidence if item.strength is strongest]
    day = day_of(max(item.time for item in strongest_evidence))
    if strongest in _REASONS:
        return _(_REASONS[strongest]).format(day=day)
    if len(strongest_evidence) == 1:
        return _("from what you asked for on {day}").format(day=day)
    return _("from {count} of your commands · last {day}").format(count=len(strongest_evidence), day=day)


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
    request = words[match.end() if (match := _BEFORE_REQUEST.match(words)) else 0 :]
    if _CHANGES_LAST.match(request):
        return False
    first = request.casefold().partition(" ")[0]
    return bool(_ASKS_ANEW.match(request)) or infinitive(first) in _REQUEST_VERBS


_BEFORE_REQUEST = wording("before_request", "en")
_ASKS_ANEW = wording("asks_anew")
_CHANGES_LAST = wording("changes_last")
_LATER = wording("later")
_REQUEST_VERBS = english_words.VERBS | VERBS
_AGAIN = wording("again", "en")
_AGAIN_ZH = wording("again", "zh")
"""The whole of a command that names nothing but what was done before, and what changes in it."""
_CHANGES = wording("but")


def _split_change(words: str) -> list[str]:
    """The wishes of a change: 不要香菜，要两份 are two; “without onions and garlic” is one."""
    return [part for part in _NEXT_WISH.split(_CHANGES.sub("", words)) if part.strip()]


_NEXT_WISH = wording("next_wish")


def say_again(change: str, instruction: str) -> str:
    """An instruction with a change to it: in it where each part of the change is one, else behind it.

    “Without onions and two of them” says two things: what is left out, and how many.
    """
    words = change.strip(" ,，.!。！")
    if len(parts := _split_change(words)) > 1:
        read = [instruction]
        for part in parts:
            corrections = read_correction(read[-1], part)
            read += [corrections[0].command] if len(corrections) == 1 else []
        if len(read) > len(parts):
            return read[-1]
    whole = f"{instruction.rstrip(' .。')}{'，' if has_chinese(instruction) else ', '}{words}"
    return whole if words else instruction

"""Finds the meaning of an element in the profile, by alias or by its words.

A value below its confidence threshold, or one that reads like an instruction, is only a candidate for a
question to the user.

`find_habit` finds the habit that a whole command means, whatever its words: "podcast, skip the start".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assistant.i18n import _, has_chinese
from assistant.memory.profile.graph import NOTE, WISH, spoken_word
from assistant.memory.prototypes.model import Preference, Prototype
from assistant.memory.prototypes.terms import VERBS, without_vague, word_set
from assistant.records import State
from assistant.safety.wording import is_sensitive_instruction
from assistant.understand.complete import format_habit_reason, with_own_words
from assistant.understand.habit_ways import (
    apply_change,
    choose_way,
    has_other_message,
    is_order_of_its_own,
    says_more,
    shares_nothing,
    split_change,
    words_of_habit,
)
from assistant.understand.perceive import find_clause_around, strip_greeting
from assistant.understand.slots import (
    find_hour,
    find_object,
    find_verb_kinds,
    kinds_from_label,
    occurs_at,
    resolve_time,
)
from assistant.understand.types import (
    Category,
    CommandLanguage,
    EvidenceFact,
    Habit,
    MeaningCandidate,
    MeaningOrigin,
    Perceived,
    PersonalizedElement,
    Recalled,
    Sources,
    is_usable_instruction,
    is_usable_value,
    normalize_key,
    normalize_value,
)
from assistant.understand.verify import (
    EXPLICIT,
    Objection,
    find_habit_objection,
    find_objection,
    is_done_on,
    is_explicit,
    names_most,
    says_all,
)
from assistant.understand.words import (
    MONEY,
    contains_any,
    detect_language,
    english_words,
    exact_words,
    language_code,
    weekdays_of,
)

HABIT_THRESHOLD = 0.65
"""Minimum confidence of a habit as the meaning of a whole command (see `memory.prototypes.preferences`).

A wrong fill costs ten questions. On eight lives by strangers .5 gives 53 % right and 4.1 % wrong of 320 vague
commands, .65 gives 48 % and 3.1 %.
"""

SENSITIVE_HABIT_THRESHOLD = 0.9
"""The same for what pays, sends or deletes, which costs thirty questions where it is wrong.

Where the user asks for a habit in so many words, the approval before the deed is question enough.
"""

_POSSIBLE_HABIT = 0.05
"""Minimum confidence of a habit to be offered in a question."""

_NONE_OF_THE_NAMED = 0.05
"""How much of its chance “none of the habits” keeps where a habit has the very thing that is called usual.

The matcher judges the words alone, of which “my usual lunch” has few: who says so means a habit, and only
which one is open.
"""


def find_habit(
    command: str,
    sources: Sources,
    state: State,
    apps: Sequence[str] = (),
    *,
    is_marked: bool = False,
    is_usual: bool = False,
    is_only_usual: bool = False,
    is_open: bool = False,
) -> tuple[Recalled, bool]:
    """The habit that a whole command means: "podcast, skip the start", "bedroom light down", 排一轮.

    Nobody marks such commands as personal, but everything they say is in one habit, and the habit says more.

    Args:
        command: the command, with what is certain of it filled in.
        sources: the memory.
        state: the time and scenario of the command.
        apps: labels of apps.
        is_marked: whether the command says itself that it means what was done before: “my usual lunch”.
        is_usual: whether it calls what it means usual.
        is_only_usual: whether it says nothing beside that, so that no words of it need to be kept.
        is_open: whether the command surely leaves open what it wants, however many words it has.

    Returns:
        The habit's instruction as a value for the command, or candidates; and whether the command says enough
        by itself: a habit with nothing left out, or a number, name, app or message of its own.
    """
    if sources.preferences is None:
        return Recalled(None), False
    wish = strip_greeting(command)
    now = resolve_time(wish, state.time)
    code = language_code(wish)
    days = weekdays_of(wish, code)
    unchanged_part = (split_change(wish) or (wish,))[0]
    possible = sources.preferences.habits(
        unchanged_part, sources.user_id, now, state.scenario, _POSSIBLE_HABIT
    )
    if is_usual:
        possible = _as_one_of_them(possible, wish)
    habits = [
        habit
        for habit in possible
        if is_done_on(habit.preference.prototype, days)
        and not shares_nothing(wish, habit, sources.similarity)
    ]
    candidates = []
    for habit in habits:
        way = choose_way(wish, habit, sources.similarity)
        if is_usable_instruction(way.prototype.instruction):
            candidate = _make_candidate(way.prototype.instruction, replace(way, confidence=habit.confidence))
            candidates.append((habit, way, candidate))
    offered = tuple(candidate for _, _, candidate in candidates[:_MAX_CANDIDATES])
    if not candidates:
        return Recalled(None), True
    habit, way, candidate = candidates[0]
    if says_all(command, habit):
        return Recalled(None, offered), True
    is_cheap = is_marked or is_harmless(way.prototype)
    if habit.confidence < (HABIT_THRESHOLD if is_cheap else SENSITIVE_HABIT_THRESHOLD):
        return Recalled(None, offered), all(
            is_explicit(wish, habit, way, apps) for habit, way, _ in candidates
        )
    objection = find_habit_objection(wish, habit, way, state, apps, sources.similarity, is_usual=is_usual)
    speaks_for_itself = objection in (*EXPLICIT, Objection.NEGATED) and is_explicit(wish, habit, way, apps)
    if objection in _CHANGES and (
        changed := _change_habit(candidate, wish, habit, way, state, apps, sources)
    ):
        return Recalled(changed, offered), False
    if objection or _names_another_contact(wish, habit, sources):
        return Recalled(None, offered), speaks_for_itself
    is_own_order = is_order_of_its_own(wish, habit, sources.similarity) and not (
        is_open and is_harmless(way.prototype) and detect_language(wish) is CommandLanguage.EN
    )
    if is_own_order or (_sends_words(way.prototype) and has_other_message(wish, habit, sources.similarity)):
        return Recalled(None, offered), speaks_for_itself
    if not is_only_usual and says_more(wish, habit, sources.similarity):
        candidate = replace(candidate, value=with_own_words(candidate.value, command))
    return Recalled(candidate, offered), speaks_for_itself


def _as_one_of_them(habits: Sequence[Habit], command: str) -> Sequence[Habit]:
    """The habits that a command may mean which calls what it wants usual.

    If some have the named thing (“my usual coffee”) or are of the meal that it names (“my usual lunch”), one
    of these is meant, at whatever hour. Else nothing is known beside the words: the usual pizza of somebody
    who orders noodles is none of the habits.
    """
    named = word_set(without_vague(find_object(command)).rpartition("的")[2]) - VERBS
    hour = find_hour(command)
    meals = {word for word in named if find_hour(word) is not None}
    meant = [habit for habit in habits if named - meals and named - meals <= words_of_habit(habit)]
    if not named - meals and hour is not None:
        meant = [habit for habit in habits if occurs_at(habit.preference.prototype, hour)]
    if not meant:
        return habits
    left = _NONE_OF_THE_NAMED * max(0.0, 1.0 - sum(habit.confidence for habit in habits))
    total = sum(habit.confidence for habit in meant) + left
    return [replace(habit, confidence=habit.confidence / total) for habit in meant]


def is_harmless(prototype: Prototype) -> bool:
    """Whether a wrong fill costs little: it pays, sends and deletes nothing. Calls can be ended.

    What is done in an app that pays or sends counts as such without a verb: “Mama 50 cedis” in MoMo.
    """
    if "call" in find_verb_kinds(prototype.instruction):
        return True
    if is_sensitive_instruction(prototype.instruction, prototype.actions):
        return False
    return not (
        _SENSITIVE_KINDS & kinds_from_label(prototype.app).keys() or MONEY.search(prototype.instruction)
    )


def _sends_words(prototype: Prototype) -> bool:
    """Whether a habit is a message; a call is none."""
    code = language_code(prototype.instruction)
    is_message = bool(_WRITTEN_KINDS & kinds_from_label(prototype.app).keys()) or contains_any(
        prototype.instruction, exact_words(code).telling, code
    )
    return is_message and not is_harmless(prototype)


_WRITTEN_KINDS = frozenset(("chat", "mail"))
_SENSITIVE_KINDS = frozenset(("payment", "chat", "mail"))


def _names_another_contact(command: str, habit: Habit, sources: Sources) -> bool:
    """Whether a command names a contact whom the habit does not: “Kasia”, and the habit calls Kasia Biuro."""
    if sources.profile is None:
        return False
    named = sources.profile.contacts_in(command)
    return bool(named) and not set(named) & set(sources.profile.contacts_in(" · ".join(habit.texts)))


_CHANGES = (Objection.CHANGED, Objection.NUMBER, Objection.NEGATED)
"""Objections that a stated change explains: “the usual but 15 minutes”."""


def _change_habit(
    candidate: MeaningCandidate,
    command: str,
    habit: Habit,
    way: Preference,
    state: State,
    apps: Sequence[str],
    sources: Sources,
) -> MeaningCandidate | None:
    """A habit with the change that a command states; None unless nothing else speaks against the habit.

    What names most of a habit, or something beside it, is an order of its own: “a flat white from Harbour
    Roasters, extra large” has no other option of the usual one.
    """
    parts = split_change(command)
    if parts is None or find_habit_objection(parts[0], habit, way, state, apps, sources.similarity):
        return None
    if names_most(parts[0], habit) or says_more(parts[0], habit, sources.similarity):
        return None
    changed = apply_change(parts[1], candidate.value)
    if changed is None:
        return None
    return replace(candidate, value=with_own_words(changed, command), is_changed=True)


FACT_THRESHOLD = 0.3
"""Minimum confidence of a fact of the profile; below it the fact is only a candidate."""

_DISPUTED = 0.9 * FACT_THRESHOLD
_FACT_TOKENS = 300
_LIKELY_ORDERS = 8
_MAX_CANDIDATES = 4
_HABIT_ZH = re.compile("老|平时|平常|常去|惯")
_OWN_PLACES = ("home", "office", "school", "家", "公司", "学校")
"""Places with a word of their own, which nobody calls the usual place."""


def recall(
    element: PersonalizedElement, command: str, sources: Sources, apps: Sequence[str] = ()
) -> Recalled:
    """The meaning of an element in the profile.

    A value is chosen if nothing speaks against it and it is sure enough; others are candidates to ask about.
    What is habitual is not filled in word by word: `find_habit` finds the habit that the whole command means.
    """
    candidates = [_normalize(candidate) for candidate in _find_candidates(element, sources)]
    perceived = Perceived(command, detect_language(command), (element,))
    clause = find_clause_around(command, element)
    for candidate in candidates:
        is_sure = candidate.confidence >= FACT_THRESHOLD and is_usable_value(candidate.value)
        if is_sure and not find_objection(perceived, element, candidate, clause, sources.similarity, apps):
            return Recalled(candidate, tuple(candidates))
    likely = sorted(candidates, key=lambda candidate: -candidate.confidence)
    distinct = {normalize_key(candidate.value): candidate for candidate in reversed(likely)}
    return Recalled(
        None,
        tuple(candidate for candidate in likely if distinct.get(normalize_key(candidate.value)) is candidate)[
            :_MAX_CANDIDATES
        ],
    )


def _find_candidates(element: PersonalizedElement, sources: Sources) -> Iterator[MeaningCandidate]:
    """All candidates for an element, in the order in which they are trusted."""
    if sources.profile is None or element.category is Category.OPEN:
        return
    element_key = normalize_key(element.text)
    excluded = {element_key} | (_own_places(sources) if _names_habit(element) else set())
    fact = sources.profile.alias(element.text)
    if fact is not None and normalize_key(fact.value) not in excluded:
        yield from _fact_candidates(fact, element_key)
    for other in _filter_facts(element, sources.profile.facts_for(element.text, _FACT_TOKENS)):
        is_same = fact is not None and (other.about, other.key) == (fact.about, fact.key)
        if not is_same and normalize_key(other.value) not in excluded:
            yield from _fact_candidates(other, element_key)


def is_delivered_to(element: PersonalizedElement, command: str, sources: Sources, state: State) -> bool:
    """Whether an order names a place of delivery by a word by which the user's like orders name it, too."""
    wish = strip_greeting(find_clause_around(command, element))
    if sources.preferences is None or "get" not in find_verb_kinds(wish):
        return False
    habits = sources.preferences.habits(wish, sources.user_id, state.time, state.scenario)
    likely = [habit.preference for habit in habits[:_LIKELY_ORDERS]]
    word = f" {normalize_key(element.text)} "
    return any(
        "get" in find_verb_kinds(text)
        and (word in f" {normalize_key(text)} " or (has_chinese(word) and word.strip() in text))
        for text in (preference.prototype.instruction for preference in likely)
    )


def _names_habit(element: PersonalizedElement) -> bool:
    """Whether the element is called habitual: "the usual place", 老地方."""
    words = normalize_key(element.text).split()
    english = any(word in english_words.HABIT_ADJECTIVES for word in words)
    return english or _HABIT_ZH.search(element.text) is not None


def _own_places(sources: Sources) -> set[str]:
    """The words and values of home and the like, normalised."""
    facts = (sources.profile.alias(words) for words in _OWN_PLACES) if sources.profile else ()
    return {normalize_key(fact.value) for fact in facts if fact} | set(map(normalize_key, _OWN_PLACES))


def _filter_facts(element: PersonalizedElement, facts: Iterable[EvidenceFact]) -> Iterator[EvidenceFact]:
    """The facts whose entity or key is in the words of the element; embeddings only suggest facts."""
    head, owner = normalize_key(element.head), normalize_key(element.owner)
    for fact in facts:
        if fact.key in (NOTE, WISH):
            # Sentences, kept as they were told.
            continue
        about = {normalize_key(fact.about), normalize_key(fact.key)}
        if owner:
            if normalize_key(fact.about) == owner and (normalize_key(fact.key) == head or head in fact.key):
                yield fact
        elif head in about or normalize_key(element.text) in about:
            yield fact


def _fact_candidates(fact: EvidenceFact, element_key: str) -> Iterator[MeaningCandidate]:
    """A fact as a candidate; with rivals all of them are below the threshold, since the user must decide.

    The reason names entity and key, unless the entity is the element itself.
    """
    confidence = min(fact.confidence, _DISPUTED) if fact.rivals else fact.confidence
    labels = (spoken_word(_(fact.about)), _(fact.key)) if normalize_key(fact.about) != element_key else ()
    reason = " · ".join(part for part in (*labels, fact.why) if part)
    candidate = MeaningCandidate(
        fact.value,
        MeaningOrigin.PROFILE,
        confidence,
        fact.evidence,
        reason,
        key=fact.key,
        about=fact.about,
        is_disputed=bool(fact.rivals),
    )
    yield candidate
    for rival in fact.rivals:
        yield replace(candidate, value=rival, evidence=())


def _make_candidate(value: str, preference: Preference) -> MeaningCandidate:
    prototype = preference.prototype
    reason = format_habit_reason(prototype)
    return MeaningCandidate(
        value, MeaningOrigin.PREFERENCE, preference.confidence, prototype.evidence, reason, preference
    )


def _normalize(candidate: MeaningCandidate) -> MeaningCandidate:
    return replace(candidate, value=normalize_value(candidate.value))

"""Finds the meaning of an element in the memory: by alias, then in the profile, then in preferences.

A value below its confidence threshold, or one that reads like an instruction, is only a candidate for a
question to the user.

`find_habit` finds the habit that a whole command means, whatever its words: "podcast, skip the start".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from assistant.i18n import _, has_chinese
from assistant.memory.profile.graph import NOTE, WISH, spoken_word
from assistant.memory.prototypes.model import Preference, Prototype, hour_of
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
)
from assistant.understand.perceive import find_clause_around, strip_greeting
from assistant.understand.slots import (
    PreferenceMatch,
    at_hour,
    find_clause_words,
    find_clock_time,
    find_destination,
    find_hour,
    find_object,
    find_options,
    find_single_match,
    find_source,
    find_thing,
    find_topics,
    find_verb_kinds,
    format_navigation,
    has_word,
    is_destination,
    is_navigation,
    is_shop,
    kinds_from_label,
    match_preferences,
    occurs_at,
    remove_app,
    resolve_time,
    usual_hour,
)
from assistant.understand.types import (
    RECURRING,
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
    is_headless,
    is_prompt_injection,
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
    is_named,
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
    names_quantity,
    quantity_of,
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


def find_habit(
    command: str,
    sources: Sources,
    state: State,
    apps: Sequence[str] = (),
    *,
    is_marked: bool = False,
    is_open: bool = False,
) -> tuple[Recalled, bool]:
    """The habit that a whole command means: "podcast, skip the start", "bedroom light down", 排一轮.

    Nobody marks such commands as personal, but everything they say is in one habit, and the habit says more.

    Args:
        command: the command, with what is certain of it filled in.
        sources: the memory.
        state: the time and scenario of the command.
        apps: labels of apps.
        is_marked: whether the command says itself that it means a habit: “my usual lunch”.
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
    objection = find_habit_objection(wish, habit, way, state, apps, sources.similarity)
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
    if says_more(wish, habit, sources.similarity):
        candidate = replace(candidate, value=with_own_words(candidate.value, command))
    return Recalled(candidate, offered), speaks_for_itself


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

PREFERENCE_THRESHOLD = 0.6
"""Minimum confidence of a preference: its share of all answers (see `memory.prototypes.service.rank`)."""

NAMED_THRESHOLD = 0.2
"""From this confidence on, a preference whose thing, weekday or hour is named is compared with its rivals
only.
"""

OPEN_THRESHOLD = 0.6
"""The same for an open element; higher, because a wrong guess was not asked for."""

_LONG, _LONG_ZH = 40, 12
_FACT_TOKENS = 300
_TOP = 8
_TOP_NAMED = 24
"""Number of preferences that are considered; more for a named thing, which may belong to another hour."""

_MIN_SHARE = 0.01
_OTHER_KIND_FACTOR = 0.45
"""Factor for the confidence of a preference of another kind than the named one."""

_TITLED_KINDS = frozenset(("music", "video"))
"""Kinds of app whose content has titles, which do not reveal its type."""

_MAX_CANDIDATES = 4
WHOLE_COMMAND_THRESHOLD = 0.8
"""The same for a whole command that is open."""

PLACE_THRESHOLD = 0.6
"""The same for places and things, which a preference knows only from the destination of its instruction."""

_PREFERENCE_CATEGORIES = (
    Category.HABIT,
    Category.PAST,
    Category.TIME,
    Category.OPEN,
    Category.PLACE,
    Category.THING,
)
CANDIDATE_THRESHOLD = 0.1
"""Minimum confidence of a preference to be offered in a question."""

_HABIT_ZH = re.compile("老|平时|平常|常去|惯")
_RECENT_SHARE = 0.4
_OWN_PLACES = ("home", "office", "school", "家", "公司", "学校")
"""Places with a word of their own, which nobody calls the usual place."""


def recall(
    element: PersonalizedElement, command: str, sources: Sources, state: State, apps: Sequence[str] = ()
) -> Recalled:
    """The meaning of an element in the memory, for a command given in a state (time and scenario).

    A value is chosen if nothing speaks against it and it is sure enough; others are candidates to ask about.
    """
    candidates = [_normalize(candidate) for candidate in _find_candidates(element, command, sources, state)]
    perceived = Perceived(command, detect_language(command), (element,))
    clause = find_clause_around(command, element)
    passing = [
        candidate
        for candidate in candidates
        if is_usable_value(candidate.value)
        and not find_objection(perceived, element, candidate, clause, sources.similarity, apps)
    ]
    total = sum(candidate.confidence**2 for candidate in passing if candidate.preference)
    for candidate in passing:
        sure = candidate
        is_open = element.category is Category.OPEN or candidate.confidence < NAMED_THRESHOLD
        if (
            candidate.preference
            and not is_open
            and is_named(element, candidate.preference.prototype, clause, sources.similarity)
        ):
            times = len(candidate.preference.prototype.members)
            share = candidate.confidence**2 / total * times / (times + 1)
            sure = replace(candidate, confidence=max(candidate.confidence, share))
        if sure.confidence >= _find_threshold(candidate, element):
            return Recalled(sure, tuple(candidates))
    likely = sorted(candidates, key=lambda candidate: -candidate.confidence)
    distinct = {normalize_key(candidate.value): candidate for candidate in reversed(likely)}
    return Recalled(
        None,
        tuple(candidate for candidate in likely if distinct.get(normalize_key(candidate.value)) is candidate)[
            :_MAX_CANDIDATES
        ],
    )


def _find_candidates(
    element: PersonalizedElement, command: str, sources: Sources, state: State
) -> Iterator[MeaningCandidate]:
    """All candidates for an element, in the order in which they are trusted."""
    element_key = normalize_key(element.text)
    if sources.profile is not None and element.category is not Category.OPEN:
        excluded = {element_key} | (_own_places(sources) if _names_habit(element) else set())
        fact = sources.profile.alias(element.text)
        if fact is not None and normalize_key(fact.value) not in excluded:
            yield from _fact_candidates(fact, element_key)
        for other in _filter_facts(element, sources.profile.facts_for(element.text, _FACT_TOKENS)):
            is_same = fact is not None and (other.about, other.key) == (fact.about, fact.key)
            if not is_same and normalize_key(other.value) not in excluded:
                yield from _fact_candidates(other, element_key)
    is_own_place = element.category is Category.PLACE and normalize_key(element.head) in _OWN_PLACES
    if sources.preferences is not None and element.category in _PREFERENCE_CATEGORIES and not is_own_place:
        if is_destination(element, command):
            yield from _destination_candidates(element, sources, state)
            return
        wish = strip_greeting(find_clause_around(command, element))
        if element.category in (Category.PLACE, Category.THING) and _is_long(wish):
            return
        preferences = [
            preference
            for preference in _find_preferences(element, wish, sources, state)
            if preference.confidence >= CANDIDATE_THRESHOLD
        ]
        for candidate in _preference_candidates(element, preferences, shop=is_shop(element, command)):
            if normalize_key(candidate.value) != element_key:
                yield candidate


def is_delivered_to(element: PersonalizedElement, command: str, sources: Sources, state: State) -> bool:
    """Whether an order names a place of delivery by a word by which the user's like orders name it, too."""
    wish = strip_greeting(find_clause_around(command, element))
    if sources.preferences is None or "get" not in find_verb_kinds(wish):
        return False
    likely = sources.preferences.preferences(wish, sources.user_id, state.time, state.scenario, _TOP)
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


def _destination_candidates(
    element: PersonalizedElement, sources: Sources, state: State
) -> Iterator[MeaningCandidate]:
    """Recurring destinations of the user except home and the like; more records give more confidence."""
    if sources.preferences is None:
        return
    own = _own_places(sources)
    wish = format_navigation(element)
    preferences = sources.preferences.preferences(wish, sources.user_id, state.time, state.scenario, _TOP)
    destinations = [
        (find_destination(preference.prototype.instruction, preference.prototype.app), preference)
        for preference in preferences
    ]
    destinations = [
        (destination, preference)
        for destination, preference in destinations
        if destination
        and normalize_key(destination) not in own
        and is_navigation(preference.prototype.instruction)
    ]
    total = sum(preference.confidence for _, preference in destinations)
    for destination, preference in destinations:
        times = len(preference.prototype.members)
        confidence = preference.confidence / total * times / (times + 1)
        yield _make_candidate(destination, replace(preference, confidence=confidence))


def _find_preferences(
    element: PersonalizedElement, wish: str, sources: Sources, state: State
) -> list[Preference]:
    """The preferences that a request may mean, each with its share among those compatible with its words."""
    if sources.preferences is None:
        return []
    thing = find_thing(element, wish)
    top = _TOP_NAMED if thing and sources.similarity else _TOP
    query = partial(sources.preferences.preferences, wish, sources.user_id, scenario=state.scenario, top=top)
    hour = None if element.category is Category.TIME else find_hour(wish)
    compatible = _filter_compatible(wish, query(now=resolve_time(wish, state.time)), hour)
    matches = match_preferences(thing, compatible.preferences, sources.similarity) if thing else None
    single_match = (
        find_single_match(matches) if matches and hour is None and element.category in RECURRING else None
    )
    if single_match and (
        single_match.is_exact or not (is_headless(element) or find_topics(thing) & _TITLED_KINDS)
    ):
        # A named thing is meant at any hour, so its preference is scored at its usual hour.
        usual = usual_hour(single_match.preference.prototype)
        if usual is not None and usual != hour_of(state.time):
            at_usual_hour = _filter_compatible(wish, query(now=at_hour(state.time, usual)), None)
            compatible = (
                at_usual_hour
                if _confidence_of(at_usual_hour.preferences, single_match.preference)
                > _confidence_of(compatible.preferences, single_match.preference)
                else compatible
            )
            matches = match_preferences(thing, compatible.preferences, sources.similarity)
    shares = _shares(
        element,
        replace(
            compatible,
            preferences=[
                preference for preference in compatible.preferences if preference.confidence >= _MIN_SHARE
            ],
        ),
    )
    if matches is None or hour is not None or is_headless(element):
        return shares
    titled_kinds = find_topics(thing) & _TITLED_KINDS
    other_kind_ids = {
        match.preference.prototype.id
        for match in matches
        if not match.is_same_kind
        and not _are_both_played(wish, match)
        and not titled_kinds & kinds_from_label(match.preference.prototype.app).keys()
    }
    return [
        replace(preference, confidence=preference.confidence * _OTHER_KIND_FACTOR)
        if preference.prototype.id in other_kind_ids
        else preference
        for preference in shares
    ]


def _are_both_played(wish: str, match: PreferenceMatch) -> bool:
    """Whether request and preference are both media to play: titles do not reveal their type."""
    return "play" in find_verb_kinds(wish) & find_verb_kinds(match.preference.prototype.instruction)


@dataclass(frozen=True, slots=True)
class _Compatible:
    """The preferences that are compatible with a request, and their total share including “none”."""

    preferences: list[Preference]
    total: float


def _filter_compatible(wish: str, preferences: Sequence[Preference], hour: float | None) -> _Compatible:
    """The preferences whose verb and hour fit the request: playing is not ordering, lunch is about noon."""
    verb_kinds = find_verb_kinds(wish)
    compatible = [
        preference
        for preference in preferences
        if (
            not verb_kinds
            or not (other := find_verb_kinds(preference.prototype.instruction))
            or verb_kinds & other
        )
        and (hour is None or occurs_at(preference.prototype, hour))
    ]
    share = sum(preference.confidence for preference in compatible)
    return _Compatible(
        compatible, max(1.0 - sum(preference.confidence for preference in preferences) + share, _MIN_SHARE)
    )


def _confidence_of(preferences: Sequence[Preference], searched: Preference) -> float:
    confidences = (
        preference.confidence
        for preference in preferences
        if preference.prototype.id == searched.prototype.id
    )
    return next(confidences, 0.0)


def _shares(element: PersonalizedElement, compatible: _Compatible) -> list[Preference]:
    """The share of each preference among those that remain.

    If a preference has the named thing ("my usual coffee"), those without it are dropped at any hour.
    """
    preferences, has_named_thing = compatible.preferences, False
    for word in dict.fromkeys((element.head, *find_clause_words(element))):
        with_word = [preference for preference in preferences if word and has_word(preference, word)]
        has_named_thing = has_named_thing or bool(with_word)
        preferences = with_word or preferences
    among = sum(preference.confidence for preference in preferences)
    total_share = max(
        compatible.total - sum(preference.confidence for preference in compatible.preferences) + among,
        _MIN_SHARE,
    )
    return [
        replace(preference, confidence=_share(preference, among, total_share, has_named_thing))
        for preference in preferences
    ]


def _share(preference: Preference, among: float, left: float, has_named_thing: bool) -> float:
    """The share of a preference among those that remain; with the named thing it counts at any hour."""
    share = min(preference.confidence / left, 1.0)
    times = len(preference.prototype.members)
    return (
        max(share, preference.confidence / among * times / (times + 1))
        if has_named_thing and among
        else share
    )


def _is_long(wish: str) -> bool:
    """Whether a request is so long that only its place or thing can be open."""
    return len(wish) > (_LONG_ZH if detect_language(wish) is CommandLanguage.ZH else _LONG)


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


def _preference_candidates(
    element: PersonalizedElement, preferences: Sequence[Preference], *, shop: bool
) -> Iterator[MeaningCandidate]:
    ranked = list(preferences)
    if element.category is Category.PAST and ranked:
        # "Last time" means the newest of the preferences that are about equally likely.
        close = [
            preference
            for preference in ranked
            if preference.confidence >= _RECENT_SHARE * ranked[0].confidence
        ]
        newest = max(
            close, key=lambda preference: max(member.time for member in preference.prototype.members)
        )
        ranked = [replace(newest, confidence=sum(preference.confidence for preference in close))]
    for preference in ranked:
        prototype = preference.prototype
        if element.category is Category.TIME or element.head in ("time", "时间", "hour"):
            value = find_clock_time(prototype.instruction)
        elif names_quantity(element.text, language_code(element.text)):
            value = quantity_of(remove_app(prototype.instruction, prototype.app))
        elif element.category is Category.PLACE:
            value = find_destination(prototype.instruction, prototype.app)
        elif element.is_whole_command:
            value = prototype.instruction
        elif shop and (source := find_source(prototype.instruction, prototype.app)):
            value = source
        else:
            value = _find_item(preference)
        if value and not is_prompt_injection(prototype.instruction):
            yield _make_candidate(value, preference)


def _make_candidate(value: str, preference: Preference) -> MeaningCandidate:
    prototype = preference.prototype
    reason = format_habit_reason(prototype)
    return MeaningCandidate(
        value, MeaningOrigin.PREFERENCE, preference.confidence, prototype.evidence, reason, preference
    )


def _find_item(preference: Preference) -> str:
    """The item of a preference: the object of its instruction with its options, or the text usually typed."""
    prototype = preference.prototype
    object_text = find_object(prototype.instruction, prototype.app)
    usual_text = preference.slots.get("item", "")
    if usual_text and object_text == prototype.instruction:
        return usual_text
    return object_text + find_options(prototype.instruction, prototype.app)


def _find_threshold(candidate: MeaningCandidate, element: PersonalizedElement) -> float:
    if candidate.origin is not MeaningOrigin.PREFERENCE:
        return FACT_THRESHOLD
    if element.category is Category.OPEN:
        return OPEN_THRESHOLD if element.head else WHOLE_COMMAND_THRESHOLD
    return PLACE_THRESHOLD if element.category in (Category.PLACE, Category.THING) else PREFERENCE_THRESHOLD


def _normalize(candidate: MeaningCandidate) -> MeaningCandidate:
    return replace(candidate, value=normalize_value(candidate.value))

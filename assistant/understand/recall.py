"""Finds the meaning of an element in the profile, by alias or by its words.

A value below its confidence threshold, or one that reads like an instruction, is only a candidate for a
question to the user.

`find_habit` finds the habit that a whole command means, whatever its words: "podcast, skip the start".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from math import exp, log, log1p

from assistant.i18n import _, has_chinese
from assistant.memory.profile.graph import ALLERGY, NOTE, WISH, chinese_words, is_role, spoken_word
from assistant.memory.profile.lexicon import NAME, lexicon
from assistant.memory.profile.retrieval import ProfileFact, count_tokens, facts_named, is_sure
from assistant.memory.prototypes.model import Preference, Prototype, hour_of
from assistant.memory.prototypes.similarity import names_word, wants_answer
from assistant.memory.prototypes.terms import VERBS, with_own_words, without_vague, word_set
from assistant.model.types import quoted
from assistant.records import State
from assistant.safety.wording import is_sensitive_instruction
from assistant.skills.command_wording import ValueKind, find_values
from assistant.understand.habit_match import (
    choose_way,
    content_words,
    has_alike,
    has_other_message,
    is_asked_as_whole,
    is_order_of_its_own,
    is_ordered,
    name_likeness,
    only_of_habits,
    refuse_named,
    reopened,
    says_more,
    shares_nothing,
    words_of_habit,
)
from assistant.understand.languages.patterns import HabitMark, is_bare
from assistant.understand.perceive import find_clause_around, perceive, strip_greeting
from assistant.understand.resolution import (
    MAX_CHOICES,
    Meaning,
    Resolution,
    ask_whole,
    candidate_of_contact,
    candidate_of_fact,
    distinct_candidates,
    habit_candidate,
)
from assistant.understand.slots import (
    EATEN,
    canonical_role,
    find_hour,
    find_object,
    find_verb_kinds,
    kinds_from_label,
    names_only_kind,
    occurs_at,
    purposes_of,
    resolve_time,
    roles_in,
    serves_kind,
    tells_somebody,
)
from assistant.understand.types import (
    Alike,
    Category,
    EvidenceFact,
    Habit,
    MeaningCandidate,
    Objection,
    Perceived,
    PersonalizedElement,
    ProfileSource,
    Recalled,
    Sources,
    is_usable_instruction,
    is_usable_value,
    normalize_key,
    normalize_value,
)
from assistant.understand.verify import (
    EXPLICIT,
    find_habit_objection,
    find_objection,
    is_done_on,
    is_explicit,
    may_be_meant,
    says_all,
    shares_no_word,
)
from assistant.understand.words import (
    MONEY,
    contains_any,
    days_named,
    detect_language,
    exact_words,
    language_code,
    refers_back,
    weekdays_of,
)

FILL_PROBABILITY = 0.85
"""Minimum probability that a habit is exactly what a command means.

A wrong fill costs ten questions, so of those with this probability nine of ten should be meant. With people
to whom the weights were not fitted it is nine of ten from .8 on (`models/README.md`); strangers differ more.
"""

SENSITIVE_FILL_PROBABILITY = 0.9
"""The same for what pays, sends or deletes, which costs thirty questions where it is wrong.

Where the user asks for a habit in so many words, the approval before the deed is question enough.
"""

QUESTION_CONFIDENCE = 0.3
"""Minimum confidence of the likeliest habit to ask which one a command means that marks nothing.

Of 974 explicit commands of MASSIVE, CLINC150 and the app tasks, said by two strangers whose lives were the
memory, 88 lay above `QUESTION_GATE`, and for 18 of them some habit had so much confidence. Of 119 vague
commands of three lives the same holds for 50 and 38; what is meant was among the offered in 23 and 22.
"""

_POSSIBLE_HABIT = 0.05
"""Minimum confidence of a habit to be offered in a question."""

_LIKELIER_THAN_ALL = 0.5
"""Minimum confidence of what pays, sends or deletes: likelier than all other habits and none together."""

_SURELY_OPEN = 0.9
"""From this probability on a command leaves open what it wants, even if it has words that no habit has."""

_NONE_OF_THE_NAMED = 0.05
"""How much of its chance “none of the habits” keeps where a habit has the very thing that is called usual.

The matcher judges the words alone, of which “my usual lunch” has few: who says so means a habit, and only
which one is open.
"""


@dataclass(frozen=True, slots=True)
class HabitEvidence:
    """What speaks for the likeliest habit being exactly what a command means.

    Attributes:
        confidence: that of the habit among all habits and none, as log odds.
        margin: log of its confidence over that of the next habit.
        openness: the probability that the command depends on the user or leaves something open, as log odds.
        length: log of the number of the command's content words; of pairs of characters in Chinese.
        shared: the share of them that the habit has.
        shares_nothing: 1 if the habit has none of them and no synonym.
        times: log of how often the habit was done.
        is_sensitive: 1 if it pays, sends or deletes.
    """

    confidence: float
    margin: float
    openness: float
    length: float
    shared: float
    shares_nothing: float
    times: float
    is_sensitive: float


def weigh_habit(
    command: str, habits: Sequence[Habit], way: Preference, similarity: Alike | None, openness: float
) -> HabitEvidence:
    """What speaks for the first of some habits, done in a way."""
    habit = habits[0]
    rival = habits[1].confidence if len(habits) > 1 else _POSSIBLE_HABIT
    words = content_words(command)
    return HabitEvidence(
        confidence=_log_odds(habit.confidence),
        margin=log(habit.confidence / rival),
        openness=_log_odds(openness),
        length=log1p(len(words)),
        shared=len(words & words_of_habit(habit)) / max(len(words), 1),
        shares_nothing=float(shares_nothing(command, habit, similarity)),
        times=log1p(len(habit.preference.prototype.members)),
        is_sensitive=float(not is_harmless(way.prototype)),
    )


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, _LEAST), 1.0 - _LEAST)
    return log(bounded / (1.0 - bounded))


def fill_probability(evidence: HabitEvidence) -> float:
    """The probability that a habit is exactly what a command means, 0..1."""
    score = sum(weight * value for weight, value in zip(astuple(_WEIGHTS), astuple(evidence), strict=True))
    return 1.0 / (1.0 + exp(-score - _BIAS))


_LEAST = 0.001
_WEIGHTS = HabitEvidence(
    confidence=0.327,
    margin=0.714,
    openness=0.165,
    length=-0.308,
    shared=1.318,
    shares_nothing=-0.44,
    times=-0.098,
    is_sensitive=-0.268,
)
"""Fitted by `python -m tools.understanding --weights`; so is the bias."""
_BIAS = -0.176


def find_habit(
    command: str,
    sources: Sources,
    state: State,
    apps: Sequence[str] = (),
    mark: HabitMark = HabitMark.NONE,
    openness: float = 0.0,
) -> Recalled:
    """The habit that a whole command means: "podcast, skip the start", "bedroom light down", 排一轮.

    What is certain of the command is filled in already. `openness` is the probability that it depends on the
    user or leaves open what it wants.

    Returns:
        The habit's instruction as a value for the command, or candidates of the command's kind. It asks which
        is meant where one is likely enough, or a kind alone is named, and the command says no more by itself.
    """
    if sources.preferences is None:
        return Recalled(None)
    wish = strip_greeting(command)
    days = weekdays_of(wish, language_code(wish))
    possible = sources.preferences.habits(wish, state, _POSSIBLE_HABIT)
    is_usual = mark in (HabitMark.USUAL, HabitMark.ONLY_USUAL)
    if is_usual:
        possible = _as_one_of_them(possible, wish, sources.similarity)
    possible = [each for each in possible if serves_kind(wish, each.preference.prototype)]
    usable = _usable_ways(
        [habit for habit in possible if is_done_on(habit.preference.prototype, days)], wish, sources
    )
    is_unmarked = mark is HabitMark.NONE and not (refers_back(wish) or days_named(wish, state.time))
    offered = tuple(
        _candidate_of(habit, way)
        for habit, way in usable
        if may_be_meant(wish, way.prototype.instruction)
        and not (is_unmarked and _says_nothing_of(wish, habit, sources.similarity))
    )[:MAX_CHOICES]
    if mark is HabitMark.BARE:
        return Recalled(None, offered, asks=True)
    if not usable:
        return Recalled(None)
    habit, way = usable[0]
    is_likely = bool(offered) and (names_only_kind(wish) or habit.confidence >= QUESTION_CONFIDENCE)
    if says_all(command, habit):
        return Recalled(None, offered)
    is_own = all(is_explicit(wish, habit, way, apps) for habit, way in usable)
    objection = find_habit_objection(wish, habit, way, apps, sources.similarity, is_usual=is_usual)
    if mark is not HabitMark.NONE:
        openness = max(openness, _SURELY_OPEN)
    if objection or _says_what_no_habit_has(wish, habit, way, sources, openness):
        is_said = is_own and objection in (*EXPLICIT, Objection.NEGATED)
        return Recalled(None, offered, asks=is_likely and not is_said)
    if not _may_fill(wish, usable, sources.similarity, openness, mark):
        return Recalled(None, offered, asks=is_likely and not is_own)
    candidate = _candidate_of(habit, way)
    if mark is not HabitMark.ONLY_USUAL and says_more(wish, habit, sources.similarity):
        candidate = replace(candidate, value=with_own_words(candidate.value, command))
    return Recalled(candidate, offered)


def _says_nothing_of(wish: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a request and a habit share neither a word, nor one in meaning, nor what they are for."""
    done = habit.preference.prototype.instruction
    is_for_it = purposes_of(wish) & purposes_of(f"{done} {habit.preference.prototype.app}")
    return not is_for_it and shares_no_word(wish, habit.texts or (done,), similarity)


def _may_fill(
    wish: str,
    usable: Sequence[tuple[Habit, Preference]],
    similarity: Alike | None,
    openness: float,
    mark: HabitMark,
) -> bool:
    """Whether the first of some habits is so probably meant that it is taken without a question."""
    habit, way = usable[0]
    ranked = [habit for habit, _ in usable]
    probability = fill_probability(weigh_habit(wish, ranked, way, similarity, openness))
    is_cheap = mark is not HabitMark.NONE or is_harmless(way.prototype)
    is_sure = probability >= SENSITIVE_FILL_PROBABILITY and habit.confidence >= _LIKELIER_THAN_ALL
    return is_sure or (is_cheap and probability >= FILL_PROBABILITY)


def _says_what_no_habit_has(
    wish: str, habit: Habit, way: Preference, sources: Sources, openness: float
) -> bool:
    """Whether a command is an order of its own, names another contact, or has another message to send."""
    is_surely_open = openness >= _SURELY_OPEN and is_harmless(way.prototype)
    return (
        (not is_surely_open and is_order_of_its_own(wish, habit, sources.similarity))
        or _names_another_contact(wish, habit, sources)
        or (_sends_words(way.prototype) and has_other_message(wish, habit, sources.similarity))
    )


def _usable_ways(habits: Sequence[Habit], wish: str, sources: Sources) -> list[tuple[Habit, Preference]]:
    """Habits whose words can be used, each with its way that fits a command best."""
    ways = [(habit, choose_way(wish, habit, sources.similarity)) for habit in habits]
    return [(habit, way) for habit, way in ways if is_usable_instruction(way.prototype.instruction)]


def _candidate_of(habit: Habit, way: Preference) -> MeaningCandidate:
    """A way of a habit as the value of a whole command, as sure as the habit is."""
    return habit_candidate(way.prototype.instruction, replace(way, confidence=habit.confidence))


def _as_one_of_them(habits: Sequence[Habit], command: str, similarity: Alike | None) -> Sequence[Habit]:
    """The habits with new confidences, for a command that says “usual”.

    If some have the named thing (“my usual coffee”) or are of the meal that it names (“my usual lunch”), one
    of these is meant, at whatever hour. Else the usual pizza of somebody who orders noodles is none of the
    habits, of which only those with something alike stay likely.
    """
    named = word_set(without_vague(find_object(command)).rpartition("的")[2]) - VERBS
    hour = find_hour(command)
    meals = {word for word in named if find_hour(word) is not None}
    meant = [habit for habit in habits if named - meals and named - meals <= words_of_habit(habit)]
    if not named - meals and hour is not None:
        meant = [habit for habit in habits if occurs_at(habit.preference.prototype, hour)]
    if not meant:
        things = named - meals
        return [
            habit
            if not things or has_alike(things, habit, similarity)
            else replace(habit, confidence=habit.confidence * _NONE_OF_THE_NAMED)
            for habit in habits
        ]
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


FACT_THRESHOLD = 0.3
"""Minimum confidence of a fact of the profile; below it the fact is only a candidate."""

_DISPUTED = 0.9 * FACT_THRESHOLD
_FACT_TOKENS = 300


def recall(element: PersonalizedElement, command: str, sources: Sources) -> Meaning:
    """The meaning of an element in the profile.

    A value is chosen if nothing speaks against it and it is sure enough; others are candidates to ask about.
    What is habitual is not filled in word by word: `find_habit` finds the habit that the whole command means.
    """
    candidates = [_normalize(candidate) for candidate in _find_candidates(element, sources)]
    perceived = Perceived(command, detect_language(command), (element,))
    clause = find_clause_around(command, element)
    for candidate in candidates:
        is_sure = candidate.confidence >= FACT_THRESHOLD and is_usable_value(candidate.value)
        if is_sure and not find_objection(perceived, element, candidate, clause, sources.similarity):
            return Meaning(element, candidate, tuple(candidates))
    ranked = sorted(candidates, key=lambda candidate: -candidate.confidence)
    return Meaning(element, None, distinct_candidates(ranked))


def _find_candidates(element: PersonalizedElement, sources: Sources) -> Iterator[MeaningCandidate]:
    """All candidates for an element, in the order in which they are trusted."""
    if sources.profile is None or element.category is Category.OPEN:
        return
    if element.is_pronoun:
        for contact in sources.profile.contacts(MAX_CHOICES):
            yield replace(candidate_of_contact(contact), key="")
        return
    element_key = normalize_key(element.text)
    fact = sources.profile.alias(element.text)
    if fact is not None and normalize_key(fact.value) != element_key:
        yield from _fact_candidates(fact, element_key)
    for other in _filter_facts(element, sources.profile.facts_for(element.text, _FACT_TOKENS)):
        is_same = fact is not None and (other.about, other.key) == (fact.about, fact.key)
        if not is_same and normalize_key(other.value) != element_key:
            yield from _fact_candidates(other, element_key)


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
    candidate = replace(candidate_of_fact(fact), confidence=confidence, why=reason)
    yield candidate
    for rival in fact.rivals:
        yield replace(candidate, value=rival, evidence=())


def _normalize(candidate: MeaningCandidate) -> MeaningCandidate:
    return replace(candidate, value=normalize_value(candidate.value))


_SAME_KIND = 0.5
"""Minimum cosine for what a request names to be of the kind of what was done: most such pairs reach it."""
AGAIN = 2
"""Number of times from which on something is done again."""
_FORMER = 2
"""Maximum number of candidates of the memory that stand before what was done before."""
_MAX_PAST = 20
_LEAST_LIKELY = 0.03
"""Smallest probability with which a past order is offered for a line that has words, but none of its own."""
_FAR_LESS = 0.02
"""Smallest share of the likeliest order's probability with which another one is offered beside it."""


def offer_past(resolution: Resolution, sources: Sources, state: State, at_least: int = AGAIN) -> Resolution:
    """A resolution that asks with what the user did before as choices.

    What is habitual, or left open, is asked about as a whole where nothing of its own stands beside it, or
    nothing else is known of it: a past order says all of it. For somebody unknown the people of past orders
    are offered. What the command refuses is left out of what is offered.

    `at_least` is how often what takes the place of words for a habit must have been done; the app in which
    such things are done may know more of what was done once.
    """
    return refuse_named(_offer(reopened(resolution), sources, state, at_least), resolution)


def _offer(resolution: Resolution, sources: Sources, state: State, at_least: int) -> Resolution:
    missing, profile = resolution.missing, sources.profile
    if sources.preferences is None or not missing:
        return resolution
    as_whole = len(resolution.meanings) == 1 and is_asked_as_whole(resolution, missing[0])
    people = [meaning for meaning in missing if meaning.element.named_on_phone and not meaning.candidates]
    if not as_whole and not people:
        return resolution
    wish, asked = strip_greeting(resolution.perceived.command), missing[0]
    ways, says_nothing = _past_ways(wish, resolution, sources, state), is_bare(resolution.perceived)
    if profile and (roles := roles_in(wish)):
        ways = [way for way in ways if not _reaches_others(way.prototype.instruction, roles, profile)]
    if (meant := _of_thing_or_day(ways, wish, sources, state)) is not None:
        ways, asked = meant, only_of_habits(meant, asked)
    if as_whole and not says_nothing:
        # A line with words of its own means nothing that has hardly to do with it.
        ways = [
            way
            for way in ways
            if asked.element.head
            or way.confidence >= _LEAST_LIKELY
            or name_likeness(wish, way, sources) >= _SAME_KIND
        ]
    if says_nothing or asked.element.category is Category.HABIT:
        # What was done once is not usual.
        ways = [way for way in ways if len(way.prototype.members) > 1] or ways
    if says_nothing and as_whole:
        # Said of a meal or a drink before all: those of this hour, then those of others.
        hour = hour_of(resolve_time(wish, state.time))
        ways.sort(
            key=lambda way: (
                not is_ordered(way),
                not occurs_at(way.prototype, hour),
                -len(way.prototype.members),
            )
        )
        asked = replace(asked, candidates=())
    if find_verb_kinds(wish):
        # “Order a coffee” is rather a latte from a café than noodles.
        ways.sort(key=lambda way: -name_likeness(wish, way, sources))
        former = sorted(asked.candidates, key=lambda each: -name_likeness(wish, each.preference, sources))
        asked = replace(asked, candidates=tuple(former))
    if as_whole:
        is_part = not asked.element.is_whole_command and not asked.candidates
        is_known = any(len(way.prototype.members) >= at_least for way in ways)
        return _offer_whole(resolution, asked, ways) if is_known or not is_part else resolution
    names = distinct_candidates(
        habit_candidate(name, way)
        for way in ways
        for name in (profile.contacts_in(way.prototype.instruction) if profile else ())
    )

    def limited(meaning: Meaning) -> Meaning:
        roles = frozenset((canonical_role(meaning.element.head),))
        possible = (name for name in names if profile and not _reaches_others(name.value, roles, profile))
        return replace(meaning, candidates=tuple(possible))

    meanings = tuple(limited(each) if each in people else each for each in resolution.meanings)
    return replace(resolution, meanings=meanings)


def _reaches_others(order: str, roles: frozenset[str], profile: ProfileSource) -> bool:
    """Whether all whom an order names are known by other relations: who is the mother is no sister."""
    names = profile.contacts_in(order)
    facts = ([each for each in profile.facts_for(name, _FACT_TOKENS) if each.value == name] for name in names)
    known_as = [{canonical_role(each.about) for each in about if each.key == NAME} for about in facts]
    return bool(names) and all(each and each.isdisjoint(roles) for each in known_as)


def _past_ways(wish: str, resolution: Resolution, sources: Sources, state: State) -> list[Preference]:
    """What the user did before and still does that a request may mean: likely, or of the kind it names."""
    if sources.preferences is None:
        return []
    app = normalize_key(resolution.completed.app)
    ways = [
        way
        for way in sources.preferences.past_ways(wish, state, _MAX_PAST)
        if is_usable_instruction(way.prototype.instruction)
        and not way.has_stopped
        and may_be_meant(wish, way.prototype.instruction)
        and serves_kind(wish, way.prototype)
        and not (app and way.prototype.app and app != normalize_key(way.prototype.app))
    ]
    surest = max((way.confidence for way in ways), default=0.0)
    says_nothing = is_bare(resolution.perceived)
    return [
        way
        for way in ways
        if way.confidence >= _FAR_LESS * surest
        or name_likeness(wish, way, sources) >= _SAME_KIND
        or (says_nothing and is_ordered(way))
    ]


def _of_thing_or_day(
    ways: Sequence[Preference], wish: str, sources: Sources, state: State
) -> list[Preference] | None:
    """The ways with the very thing or of the day that a request names; None where it names neither.

    “The same coffee as yesterday” is a coffee, be it of another day; “same as yesterday” was done then.
    """
    days, has_verb = days_named(wish, state.time), bool(find_verb_kinds(wish))
    named = [way for way in ways if not has_verb and name_likeness(wish, way, sources) >= 1.0]
    of_days = [
        way for way in named or ways if any(each.time.date() in days for each in way.prototype.members)
    ]
    if named:
        return of_days or named
    return of_days if days else None


def _offer_whole(resolution: Resolution, meaning: Meaning, ways: Sequence[Preference]) -> Resolution:
    """A resolution that asks what a whole command means."""
    command = resolution.perceived.command
    former = [
        replace(candidate, value=candidate.preference.prototype.instruction)
        for candidate in meaning.candidates
        if candidate.preference is not None
        and is_usable_instruction(candidate.preference.prototype.instruction)
    ]
    # What facts of the profile made of the whole command; of a part they would be a mere name.
    by_facts = [
        candidate
        for candidate in meaning.candidates
        if meaning.element.is_whole_command
        and candidate.preference is None
        and is_usable_instruction(candidate.value)
    ]
    offered = (
        *by_facts,
        *former[:_FORMER],
        *(habit_candidate(way.prototype.instruction, way) for way in ways),
        *former,
    )
    if not offered:
        return resolution
    is_part = not meaning.element.is_whole_command and meaning.element.text != command.strip()
    part = meaning.element if is_part and not meaning.candidates else None
    return ask_whole(resolution.perceived, distinct_candidates(offered), part=part)


def means_somebody_unknown(resolution: Resolution, apps: Sequence[str]) -> bool:
    """Whether a command names people by what they are to the user, and the memory does not know who they are.

    The rules are asked, too, because the tagger may take "ring my sister" for a command that leaves all open.
    """
    resolved = {normalize_key(meaning.element.text) for meaning in resolution.meanings if meaning.chosen}
    people = (Category.PERSON, Category.GROUP)
    marked = (*resolution.perceived.elements, *perceive(resolution.perceived.command, apps).elements)
    words = (word.strip(".,!?。，！？") for word in resolution.perceived.command.casefold().split())
    relatives = (word for word in words if "-" in word and is_role(word.rpartition("-")[2]))
    return any(word not in resolved for word in relatives) or any(
        (element.category in people or element.owner) and normalize_key(element.text) not in resolved
        for element in marked
    )


def is_for_person(habit: MeaningCandidate | None) -> bool:
    """Whether a habit may replace a command whose person is known.

    The rest of such a command may be its message, which a habit that sends a message would replace.
    """
    if habit is None or habit.preference is None:
        return False
    return habit.is_habit_alone or is_harmless(habit.preference.prototype)


def tell_facts(order: str, told_already: str, facts: Callable[[], Sequence[ProfileFact]]) -> Iterator[str]:
    """For the model: what the memory surely has of the people and places that an order names.

    Of food, who is allergic to what is told as well, whoever is named: for whom a dish is may be said later.

    Args:
        order: the order.
        told_already: what the model is told already; no name stands there twice.
        facts: reads the facts; called only where the order may need some.
    """
    named = [v.text for v in find_values(order) if v.kind in (ValueKind.PERSON, ValueKind.PLACE)]
    is_food = bool(purposes_of(order) & EATEN) and not (tells_somebody(order) or wants_answer(order))
    every = facts() if named or is_food else ()
    allergies = [each for each in every if is_food and each.value.key == ALLERGY and is_sure(each)]
    allergies.sort(key=lambda fact: not _is_named(fact, every, order))
    left = _FACT_TOKENS
    for fact in (*allergies[:_MOST_ALLERGIES], *facts_named(every, order, named)):
        line, texts = _tell_fact(fact, every), (fact.value.text, fact.node.name)
        left -= count_tokens(line)
        if left >= 0 and all(map(is_usable_value, texts)) and quoted(texts[0]) not in told_already:
            yield line


_MOST_ALLERGIES = 5


def _tell_fact(fact: ProfileFact, every: Sequence[ProfileFact]) -> str:
    value, name = fact.value.text, fact.node.name
    role = next(iter(chinese_words(name)), name) if has_chinese(value) else name
    if fact.value.key == NAME:
        return f"The phone may list {quoted(value)} as {quoted(role)}."
    if fact.value.key != ALLERGY:
        return f"In this order {quoted(role)} is at {quoted(value)}."
    is_own = name in {domain.entity for domain in lexicon().domains.values()}
    names = filter(is_usable_value, _names_of(fact, every)[:2])
    called = " or ".join(map(quoted, (role, *names)))
    who = "The user" if is_own else f"Who is called {called}"
    return f"{who} is allergic to {quoted(value)}: see that what is for them has none; if in doubt, ask."


def _names_of(fact: ProfileFact, every: Sequence[ProfileFact]) -> list[str]:
    return [each.value.text for each in every if (each.node.id, each.value.key) == (fact.node.id, NAME)]


def _is_named(fact: ProfileFact, every: Sequence[ProfileFact], order: str) -> bool:
    """Whether an order names whom a fact is about, by name or by what they are to the user."""
    role = fact.node.name
    return any(names_word(order, word) for word in (role, *chinese_words(role), *_names_of(fact, every)))

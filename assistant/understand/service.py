"""Understanding a command from end to end: perceive, recall, complete, explore, ask (PerPilot).

Each stage tells what it did in an event. An explicit command ends after the first stage: the memory is not
opened for it, and no model is asked.

The user's memory as understanding needs it: the profile graph and the prototypes.

Without an embedder, names, aliases and keys are still found; only likeness is not.

Correct: what the user's change of a completed instruction teaches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Protocol

from sqlalchemy import or_, select

from assistant.embedding.embedder import Embedder, EmbeddingError, Vectors
from assistant.events import (
    ElementExplored,
    ElementRecalled,
    ElementsPerceived,
    ElementUnknown,
    ErrandStarted,
    Event,
    InstructionCompleted,
)
from assistant.i18n import _
from assistant.memory import schema
from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.profile.retrieval import MatchMethod, ProfileFact
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.clustering import ClusteringRules
from assistant.memory.prototypes.model import Preference
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.store import Store
from assistant.records import Outcome, State
from assistant.understand.complete import (
    Meaning,
    Resolution,
    adds_information,
    can_adopt_instruction,
    find_named_app,
    format_value_reason,
    make_resolution,
)
from assistant.understand.explore import (
    LookupTask,
    Question,
    find_likely_apps,
    make_lookup,
    make_question,
    parse_answer,
    parse_lookup_answer,
)
from assistant.understand.perceive import exclude_settled, perceive
from assistant.understand.recall import RECURRING, find_open_element, recall, remove_redundant
from assistant.understand.slots import is_destination, kinds_by_commands, kinds_by_meaning
from assistant.understand.types import (
    MAX_VALUE_LENGTH,
    Alike,
    CommandLanguage,
    EvidenceFact,
    LearntKinds,
    MeaningCandidate,
    MeaningOrigin,
    OpenSources,
    Perceived,
    PersonalizedElement,
    Recalled,
    Sources,
    is_headless,
    normalize_key,
    normalize_value,
)

MAX_LOOKUPS = 4
"""How many looks into apps one command may take; each missing element has one before any has a second."""

_APPS_PER_ELEMENT = 2
_EXPLORED_CONFIDENCE = 0.7


class Perceiver(Protocol):
    """Finds the personalized elements of a command in another way than the local one."""

    async def __call__(self, command: str, apps: Sequence[str]) -> Perceived:
        """The command's elements."""


class LookupRunner(Protocol):
    """Runs an errand."""

    async def __call__(self, errand: LookupTask) -> str:
        """The errand's answer as the model gave it; empty where it failed or was refused."""


class QuestionAsker(Protocol):
    """Asks the user."""

    async def __call__(self, question: Question) -> str:
        """The user's words; empty where they do not answer."""


@dataclass(frozen=True, slots=True)
class LearnedAnswer:
    """Something learnt while understanding, to be stored: what the user's words stand for.

    `confirmed` when the user said it; what was read from an app is, once a turn ended well with it.
    """

    words: str
    value: str
    origin: MeaningOrigin
    why: str
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Resolved:
    """A resolved command, and what is worth remembering of how it was resolved."""

    resolution: Resolution
    lessons: tuple[LearnedAnswer, ...] = ()


class UnderstandingService:
    """Resolves commands of one user.

    Args:
        open_sources: gives the memory, always the same; called when a command needs it, in any thread.
        state: the user's local time and scenario.
        emit: takes the events.
        perceives: finds the elements where they are not found locally, as with a model.
    """

    def __init__(
        self,
        open_sources: OpenSources,
        state: Callable[[], State],
        emit: Callable[[Event], None] = lambda event: None,
        perceiver: Perceiver | None = None,
    ) -> None:
        self._open_sources = open_sources
        self._state = state
        self._emit = emit
        self._perceiver = perceiver

    def resolve(
        self, command: str, apps: Sequence[str] = (), perceived: Perceived | None = None, *, settled: str = ""
    ) -> Resolution:
        """What a command means as far as memory knows. Changes nothing, asks nobody.

        Args:
            command: the command.
            apps: labels of the apps on the phone.
            perceived: the command's elements, where they are known already.
            settled: a complete instruction that the command was made of; what it says stands.
        """
        perceived = exclude_settled(remove_redundant(perceived or perceive(command, apps)), settled)
        if not perceived.personalized:
            filled = self._fill_open_element(perceived, apps) if not settled else None
            return filled or make_resolution(perceived, ())
        self._emit_perceived(perceived)
        meanings = [self._recall(element, perceived) for element in perceived.distinct]
        return self._emit_completed(make_resolution(perceived, meanings, apps))

    async def understand(
        self,
        command: str,
        apps: Sequence[str] = (),
        *,
        look_up: LookupRunner | None = None,
        ask_user: QuestionAsker | None = None,
        settled: str = "",
    ) -> Resolved:
        """What a command means; what memory does not know is looked up on the phone, then asked for.

        What the user has again and again is asked for at once where memory has a guess: no app knows better.

        Args:
            command: the command.
            apps: labels of the apps on the phone.
            look_up: runs a lookup in an app; None never looks anything up.
            ask_user: asks the user; None never asks, and what is missing stays as typed.
            settled: as in `resolve`.
        """
        resolution = await self._resolve_in_thread(command, apps, settled)
        lessons: list[LearnedAnswer] = []
        lookups = 0
        missing = resolution.missing
        for number, meaning in enumerate(missing, 1):
            element = meaning.element
            candidate: MeaningCandidate | None = None
            has_guess = _has_preference_candidate(meaning)
            if has_guess and ask_user is not None:
                candidate = await _ask(meaning, resolution.perceived.language, ask_user, lessons)
            if candidate is None and look_up is not None:
                others = len(missing) - number
                likely_apps = await asyncio.to_thread(self._find_apps, element, command, apps)
                for rank, app in enumerate(likely_apps[:_APPS_PER_ELEMENT]):
                    reserved = others if rank else 0
                    if candidate is None and lookups < MAX_LOOKUPS - reserved:
                        lookups += 1
                        candidate = await self._look_up_in_app(element, resolution.perceived, app, look_up)
                if candidate:
                    lessons.append(
                        LearnedAnswer(
                            element.text, candidate.value, candidate.origin, candidate.why, confirmed=False
                        )
                    )
            if candidate is None and not has_guess and ask_user is not None:
                candidate = await _ask(meaning, resolution.perceived.language, ask_user, lessons)
            if candidate:
                self._emit_recalled(element, candidate)
                resolution = resolution.with_value(element, candidate, apps)
        if lessons or resolution.missing:
            self._emit_completed(resolution)
        return Resolved(resolution, tuple(lessons))

    async def _resolve_in_thread(self, command: str, apps: Sequence[str], settled: str) -> Resolution:
        """As `resolve`, in a thread: the memory may have to be loaded and brought up to date first."""
        events: list[Event] = []
        silent = UnderstandingService(self._open_sources, self._state, events.append)
        perceived = await self._perceiver(command, apps) if self._perceiver is not None else None
        resolution = await asyncio.to_thread(silent.resolve, command, apps, perceived, settled=settled)
        for event in events:
            self._emit(event)
        return resolution

    def _find_apps(self, element: PersonalizedElement, command: str, apps: Sequence[str]) -> list[str]:
        return find_likely_apps(element, command, apps, self._open_sources().app_kinds)

    def _fill_open_element(self, perceived: Perceived, apps: Sequence[str]) -> Resolution | None:
        """A command that leaves something open, filled by a strong preference; None where there is none."""
        element = None if find_named_app(perceived.command, apps) else find_open_element(perceived.command)
        if element is None:
            return None
        recalled = recall(element, perceived.command, self._open_sources(), self._state())
        opened = Perceived(perceived.command, perceived.language, (element,))
        if recalled.chosen is None or (
            not element.head and not adds_information(perceived.command, recalled.chosen)
        ):
            return None
        self._emit_perceived(opened)
        self._emit_recalled(element, recalled.chosen)
        return self._emit_completed(make_resolution(opened, (Meaning(element, recalled.chosen),), apps))

    def _recall(self, element: PersonalizedElement, perceived: Perceived) -> Meaning:
        recalled = recall(element, perceived.command, self._open_sources(), self._state())
        is_destination_element = is_destination(element, perceived.command)
        if (
            recalled.chosen
            and is_headless(element)
            and recalled.chosen.preference
            and not is_destination_element
        ):
            # In the place of "as usual" a thing makes no sentence.
            fits = can_adopt_instruction(perceived, element, recalled.chosen) or len(perceived.distinct) > 1
            recalled = recalled if fits else Recalled(None, recalled.candidates)
        if recalled.chosen:
            self._emit_recalled(element, recalled.chosen)
        else:
            values = tuple(candidate.value for candidate in recalled.candidates)
            on_phone = not values and element.named_on_phone
            self._emit(
                ElementUnknown(
                    time=self._state().time, element=element.text, candidates=values, on_phone=on_phone
                )
            )
        return Meaning(element, recalled.chosen, recalled.candidates)

    async def _look_up_in_app(
        self, element: PersonalizedElement, perceived: Perceived, app: str, look_up: LookupRunner
    ) -> MeaningCandidate | None:
        lookup = make_lookup(element, perceived.command, app, perceived.language)
        self._emit(ErrandStarted(time=self._state().time, element=element.text, app=app, task=lookup.task))
        result = parse_lookup_answer(lookup, await look_up(lookup))
        if result is not None and normalize_key(result.value) == normalize_key(app):
            result = None
        self._emit(
            ElementExplored(
                time=self._state().time,
                element=element.text,
                app=app,
                value=result.value if result else "",
                place=result.place if result else "",
            )
        )
        if result is None:
            return None
        location = f"{app}: {result.place}" if result.place != app else app
        reason = _("read just now in {place}").format(place=location)
        return MeaningCandidate(result.value, MeaningOrigin.EXPLORATION, _EXPLORED_CONFIDENCE, why=reason)

    def _emit_completed(self, resolution: Resolution) -> Resolution:
        self._emit(
            InstructionCompleted(
                time=self._state().time,
                said=resolution.perceived.command,
                instruction=resolution.instruction,
                app=resolution.completed.app,
                missing=tuple(meaning.element.text for meaning in resolution.missing),
            )
        )
        return resolution

    def _emit_perceived(self, perceived: Perceived) -> None:
        texts = tuple(element.text for element in perceived.distinct)
        self._emit(ElementsPerceived(time=self._state().time, said=perceived.command, elements=texts))

    def _emit_recalled(self, element: PersonalizedElement, candidate: MeaningCandidate) -> None:
        self._emit(
            ElementRecalled(
                time=self._state().time,
                element=element.text,
                value=candidate.value,
                source=candidate.origin.value,
                confidence=candidate.confidence,
                evidence=candidate.evidence,
                why=candidate.why,
            )
        )


def _has_preference_candidate(meaning: Meaning) -> bool:
    """Whether memory has a guess, from what the user does, at what their "usual" is."""
    best = meaning.candidates[:1]
    return meaning.element.category in RECURRING and any(
        candidate.origin is MeaningOrigin.PREFERENCE for candidate in best
    )


async def _ask(
    meaning: Meaning, language: CommandLanguage, ask_user: QuestionAsker, lessons: list[LearnedAnswer]
) -> MeaningCandidate | None:
    """What the user says an element is; it joins the lessons where it is to be remembered."""
    element = meaning.element
    question = make_question(element, meaning.candidates, language)
    answer = parse_answer(question, await ask_user(question))
    candidate = answer.candidate
    if candidate and answer.remember:
        lessons.append(
            LearnedAnswer(element.text, candidate.value, candidate.origin, candidate.why, confirmed=True)
        )
    return candidate


_WEEK = timedelta(days=7)
_MAX_COMMANDS = 500
_MIN_CONFIDENCE = 0.01
"""The confidence from which a preference is told at all: recalling has bounds of its own."""


def open_memory(
    store: Store,
    embeds: Embedder,
    user_id: str,
    tell: Callable[[str], None],
    rules: ClusteringRules | None = None,
    profile: Profile | None = None,
) -> Sources:
    """The memory of one user.

    Args:
        store: where it is kept.
        embeds: may turn out not to be loadable.
        user_id: whose memory it is.
        tell: takes a sentence when the embedder fails.
        rules: how records became prototypes, by default as the program comes.
        profile: the user's profile, where it is open already.
    """
    try:
        embedder = embeds if embeds.dimensions else NoEmbedder()
    except EmbeddingError as error:
        tell(str(error))
        embedder = NoEmbedder()
    prototypes = HierarchicalMemory(store, embedder, rules, threshold=_MIN_CONFIDENCE)
    preferences = PrototypePreferenceSource(prototypes, lambda user: find_newest_time(store, user))
    profile_source = GraphProfileSource(profile or Profile(store, embedder, user_id))
    return Sources(
        user_id,
        profile_source,
        preferences,
        make_similarity(embedder),
        make_app_kinds(store, embedder, user_id),
    )


def make_similarity(embeds: Embedder) -> Alike:
    """How alike a word is to texts, by an embedder; nothing where it cannot be run."""

    def similarity(word: str, texts: Sequence[str]) -> Sequence[float]:
        distinct = list(dict.fromkeys(texts))
        try:
            vectors = embeds.embed([word, *distinct])
        except EmbeddingError:
            return ()
        cosines = dict(zip(distinct, (vectors[1:] @ vectors[0]).tolist(), strict=True))
        return [cosines[text] for text in texts]

    return similarity


def make_app_kinds(store: Store, embeds: Embedder, user_id: str) -> LearntKinds:
    """The kinds of apps by what a user has done in them, else by the meaning of their labels."""

    def kinds(labels: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
        by_commands = kinds_by_commands(_load_commands(store, user_id, labels))
        others = [label for label in labels if label not in by_commands]
        try:
            return kinds_by_meaning(others, embeds) | by_commands
        except EmbeddingError:
            return by_commands

    return kinds


def _load_commands(store: Store, user_id: str, labels: Sequence[str]) -> list[tuple[str, str]]:
    """What was carried out in apps, by label, of the records that prototypes were learnt from."""
    records, members = schema.records.c, schema.prototype_members.c
    query = (
        select(records.app, records.instruction)
        .join(schema.prototype_members, members.record_id == records.id)
        .where(records.user_id == user_id, records.app.in_(labels))
        .where(or_(records.outcome.is_(None), records.outcome == Outcome.SUCCESS))
        .order_by(records.time.desc())
        .limit(_MAX_COMMANDS)
    )
    with store.reader() as connection:
        return [(row.app, row.instruction) for row in connection.execute(query)]


def store_lessons(profile: Profile, lessons: Iterable[LearnedAnswer], record_id: str, time: datetime) -> None:
    """Remember what was learnt while a command was understood, so that it need not be asked again.

    To be called once the turn ended well: that confirms what was read from an app.

    Args:
        profile: where it is kept.
        lessons: what was learnt.
        record_id: the turn's record.
        time: when.

    Raises:
        StoreError: the memory cannot be written.
        EmbeddingError: the embedder cannot be run.
    """
    for lesson in lessons:
        strength = Strength.USER if lesson.confirmed else Strength.EXPLORED
        profile.remember(lesson.words, lesson.value, Evidence(record_id, time, strength))


def load_app_labels(store: Store, user_id: str) -> list[str]:
    """The labels of the apps of a user's records, in alphabetical order."""
    query = select(schema.records.c.app).where(schema.records.c.user_id == user_id).distinct()
    with store.reader() as connection:
        return sorted(app for app in connection.execute(query).scalars() if app)


def find_newest_time(store: Store, user_id: str) -> datetime | None:
    """When the user's newest record is from; None without any."""
    return next((record.time for record in store.records.of(user_id, newest=1)), None)


def evidence_time(now: datetime, newest: datetime | None) -> datetime:
    """The time to judge evidence at: after a pause of weeks nothing has faded that was not outlived.

    The weekday and the time of day stay; whole weeks are taken off until the newest record is a week old.
    """
    if newest is None or now - newest <= _WEEK:
        return now
    return now - _WEEK * ceil((now - newest - _WEEK) / _WEEK)


class NoEmbedder:
    """Stands in for an embedder that cannot be loaded: whoever asks for a vector is told so."""

    model_id = "none"
    dimensions = 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Fail.

        Raises:
            EmbeddingError: always.
        """
        raise EmbeddingError(_("There is no embedding model."))


class GraphProfileSource:
    """The profile graph behind the `Profile` of understanding.

    What embeddings alone suggest is left to `facts_for`, where the words must agree.

    Args:
        profile: the graph.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def alias(self, words: str) -> EvidenceFact | None:
        """What some words stand for by name, alias or key."""
        try:
            match = self._profile.find(words)
        except EmbeddingError:
            return None
        if match is None or match.how is MatchMethod.LIKENESS:
            return None
        reason = format_value_reason(match.reasons)
        return EvidenceFact(
            match.entity, match.key, match.value, match.confidence, match.evidence, reason, match.rivals
        )

    def facts_for(self, task: str, budget: int) -> Sequence[EvidenceFact]:
        """The facts that a task needs, within a budget of tokens."""
        try:
            return [_convert_fact(fact) for fact in self._profile.facts_for(task, budget).facts]
        except EmbeddingError:
            return []


class PrototypePreferenceSource:
    """The prototypes behind the `Preferences` of understanding.

    Args:
        memory: the hierarchical memory.
        newest: tells when a user's newest record is from.
    """

    def __init__(
        self, memory: HierarchicalMemory, newest: Callable[[str], datetime | None] = lambda user: None
    ) -> None:
        self._memory = memory
        self._newest = newest

    def preferences(
        self, command: str, user_id: str, now: datetime, scenario: str = "unknown", top: int = 3
    ) -> Sequence[Preference]:
        """What a command most probably means, surest first."""
        try:
            judged_at = evidence_time(now, self._newest(user_id))
            return self._memory.preferences(command, user_id, judged_at, scenario, top)
        except EmbeddingError:
            return []


def _convert_fact(fact: ProfileFact) -> EvidenceFact:
    reason, value = format_value_reason(fact.value.evidence), fact.value
    return EvidenceFact(
        fact.node.name, value.key, value.text, fact.confidence, fact.record_ids, reason, fact.rivals
    )


def find_correction(resolution: Resolution, instruction: str) -> LearnedAnswer | None:
    """The new value of the one element that was replaced; None where the change is of another kind.

    What a preference had filled in teaches nothing here: a dish for today is no other usual dish, and the
    record of the turn counts towards the preference as any other.
    """
    before = resolution.instruction
    for meaning in resolution.meanings:
        if (
            meaning.chosen is None
            or meaning.chosen.preference is not None
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
    """The lessons that hold after a change: not those about the same words, nor what was struck out."""
    words = normalize_key(correction.words) if correction else None
    other_lessons = (lesson for lesson in lessons if normalize_key(lesson.words) != words)
    remaining = tuple(lesson for lesson in other_lessons if lesson.confirmed or lesson.value in instruction)
    return (*remaining, correction) if correction else remaining

"""The profile and the prototypes of a user as sources for understanding a command.

Without an embedder, names, aliases and keys are still matched; only similarity is not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cache, lru_cache, partial
from itertools import pairwise
from math import ceil

from sqlalchemy import or_, select, true

from assistant.embedding.embedder import CachedEmbedder, Embedder, EmbeddingError, Vectors
from assistant.embedding.models import HabitMatcher
from assistant.events import Cause
from assistant.i18n import _, has_chinese
from assistant.memory import schema
from assistant.memory.database import portions
from assistant.memory.profile.graph import (
    MANY,
    Evidence,
    Strength,
    canonical_word,
    confidence,
    is_role,
    normalize_text,
    read_group,
)
from assistant.memory.profile.lexicon import NAME, lexicon
from assistant.memory.profile.retrieval import ProfileFact
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.clustering import ClusteringRules
from assistant.memory.prototypes.model import Member, Preference, has_stopped, hour_density, hour_of
from assistant.memory.prototypes.service import HierarchicalMemory
from assistant.memory.prototypes.terms import CORRECTED_BY, VERBS, jaccard, word_set
from assistant.memory.store import RevisionCache, Store
from assistant.memory.turns import PART, Checkpoint
from assistant.model.types import one_line
from assistant.records import Outcome, State
from assistant.understand.resolution import LearnedAnswer, format_value_reason
from assistant.understand.slots import (
    MOST_EVIDENCE,
    ContactIndex,
    find_names,
    find_verb_kinds,
    kinds_by_commands,
    kinds_by_meaning,
    remove_app,
    resolve_time,
)
from assistant.understand.types import (
    Alike,
    Contact,
    EarlierTurn,
    EvidenceFact,
    Habit,
    LearntKinds,
    Sources,
    join_people,
)
from assistant.understand.words import days_named, language_code, numbers_of, portions_of

_WEEK = timedelta(days=7)
_MAX_COMMANDS = 500
_MAX_VECTORS = 5_000
"""Number of texts whose vectors are kept; words of habits are compared with every command."""
_LOOSE_CONFIDENCE = 0.2
"""Confidence of a name that is only a candidate to ask about."""
_MIN_CONFIDENCE = 0.01
"""Minimum confidence of a preference that is returned; `recall` applies its own thresholds."""
_MAX_ADDRESSED = 5_000
"""Number of records whose contacts are known."""


def open_memory(
    store: Store,
    embeds: Embedder,
    user_id: str,
    tell: Callable[[str], None],
    rules: ClusteringRules | None = None,
    profile: Profile | None = None,
    matcher: HabitMatcher | None = None,
) -> Sources:
    """Open the memory of one user.

    If the embedder cannot be loaded, `tell` is called with a sentence, and only words are matched. Without a
    `matcher` of habits words and vectors are compared alone. A `profile` that is open already is used.
    """
    try:
        embedder: Embedder = CachedEmbedder(embeds, _MAX_VECTORS) if embeds.dimensions else NoEmbedder()
    except EmbeddingError as error:
        tell(str(error))
        embedder = NoEmbedder()
    prototypes = HierarchicalMemory(store, embedder, rules, threshold=_MIN_CONFIDENCE, matcher=matcher)
    newest = RevisionCache(store, partial(find_newest_time, store), [schema.records])
    preferences = PrototypePreferenceSource(
        prototypes, user_id, partial(newest.get, user_id), partial(load_instructions, store)
    )
    contacts = RevisionCache(store, partial(load_contacts, store), [schema.records])
    profile_source = GraphProfileSource(
        profile or Profile(store, embedder, user_id), partial(contacts.get, user_id)
    )
    return Sources(
        profile_source,
        preferences,
        make_similarity(embedder),
        make_app_kinds(store, embedder, user_id),
        tuple(store.records.app_labels(user_id)),
        partial(load_said, store),
        partial(load_instructions, store),
    )


def make_similarity(embeds: Embedder) -> Alike:
    """The similarity of a word and texts by an embedder; it returns nothing if the embedder fails."""

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
    """The kinds of apps by the commands that the user ran in them, or by the meaning of their labels."""

    def kinds(labels: Sequence[str]) -> Mapping[str, Mapping[str, float]]:
        by_commands = kinds_by_commands(_load_commands(store, user_id, labels))
        others = [label for label in labels if label not in by_commands]
        try:
            return kinds_by_meaning(others, embeds) | by_commands
        except EmbeddingError:
            return by_commands

    return kinds


def _load_commands(store: Store, user_id: str, labels: Sequence[str]) -> list[tuple[str, str]]:
    """The newest successful commands in some apps, from records that belong to prototypes."""
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
    """Store what was learned while a command was understood, so that it is not asked again.

    Lessons that were read from an app should be stored only after a successful turn.

    `record_id` is that of the turn; empty if there is none.

    Raises:
        StoreError: the memory cannot be written.
        EmbeddingError: the embedder cannot be run.
    """
    for lesson in lessons:
        strength = Strength.USER if lesson.confirmed else Strength.EXPLORED
        profile.remember(lesson.words, lesson.value, Evidence(record_id, time, strength))


def find_newest_time(store: Store, user_id: str) -> datetime | None:
    """The time of the user's newest record; None without records."""
    return next((record.time for record in store.records.of(user_id, newest=1)), None)


def evidence_time(now: datetime, newest: datetime | None) -> datetime:
    """The time from which the age of evidence is counted, so that a pause of weeks does not age it.

    Whole weeks are subtracted from `now` until the newest record is at most a week old; so the weekday and
    the time of day stay.
    """
    if newest is None or now - newest <= _WEEK:
        return now
    return now - _WEEK * ceil((now - newest - _WEEK) / _WEEK)


class NoEmbedder:
    """Replaces an embedder that cannot be loaded; `embed` always raises."""

    model_id = "none"
    dimensions = 1

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Raise an error.

        Raises:
            EmbeddingError: always.
        """
        raise EmbeddingError(_("There is no embedding model."))


class GraphProfileSource:
    """The profile graph as a `ProfileSource`.

    `alias` ignores matches by similarity; `facts_for` includes them, and its callers compare the words.
    """

    def __init__(
        self, profile: Profile, contacts: Callable[[], ContactIndex] = lambda: ContactIndex({})
    ) -> None:
        self._profile = profile
        self._contacts = contacts

    def alias(self, words: str) -> EvidenceFact | None:
        """The fact that some words stand for, by name, alias or key.

        Somebody whom the user calls by what they are is the contact whom the user's records address.
        """
        fact, group = self._find(words), read_group(words)
        if group is not None and (fact is None or fact.about in group.members):
            members = ((role, self.alias(role)) for role in group.members)
            return join_people(words, {role: member for role, member in members if member}, group)
        role = canonical_word(words) or normalize_text(words)
        if not (is_role(role) or self._contacts().with_role(role)):
            return fact
        if fact is None or fact.key != NAME:
            return self._find_contact(role) or fact
        return self._complete_name(fact, role)

    def _find(self, words: str) -> EvidenceFact | None:
        try:
            match = self._profile.find(words, similar=False)
        except EmbeddingError:
            return None
        if match is None:
            return None
        reason, sure = (
            format_value_reason(match.reasons),
            _confidence_of(match.confidence, match.entity, match.key, match.reasons),
        )
        return EvidenceFact(match.entity, match.key, match.value, sure, match.evidence, reason, match.rivals)

    def _find_contact(self, role: str) -> EvidenceFact | None:
        """The contact whose name says that they stand in a relation to the user."""
        index = self._contacts()
        names = index.with_role(role)
        if not names:
            return None
        evidence = index.records_of(names[0])
        sure = confidence(len(evidence))
        if role in MANY and len(evidence) < 2:
            sure = min(sure, _LOOSE_CONFIDENCE)
        why = _("your contact “{name}” in {count} records").format(name=names[0], count=len(evidence))
        return EvidenceFact(role, NAME, names[0], sure, evidence[:MOST_EVIDENCE], why, tuple(names[1:]))

    def _complete_name(self, fact: EvidenceFact, role: str) -> EvidenceFact:
        """A name as the contact has it; several contacts of that name are a question to the user.

        Somebody whose name no contact has is the only contact who is called by what they are: the phone
        knows 陈莉 as 媳妇儿.
        """
        index = self._contacts()
        if fact.rivals:
            return fact
        names, called_so = index.full_names(fact.value), index.with_role(role)
        if fact.value in names or fact.value in called_so:
            return fact
        if not names:
            is_certain = len(called_so) == 1 and role not in MANY
            return replace(fact, value=called_so[0]) if is_certain else fact
        with_role = [name for name in names if name in called_so]
        if len(with_role) == 1:
            names = with_role
        return replace(fact, value=names[0], rivals=tuple(names[1:]))

    def facts_for(self, task: str, budget: int) -> Sequence[EvidenceFact]:
        """The facts that are relevant to a task, within a budget of tokens."""
        try:
            return [_convert_fact(fact) for fact in self._profile.facts_for(task, budget).facts]
        except EmbeddingError:
            return []

    def contacts_in(self, instruction: str) -> Sequence[str]:
        """The contacts of the user's records whom an instruction names, the most frequent first."""
        return self._contacts().named_in(instruction)

    def contacts(self, most: int) -> Sequence[Contact]:
        """The contacts whom the user's records address most often, the most frequent first."""
        return self._contacts().most_frequent(most)


class PrototypePreferenceSource:
    """The prototypes as a `PreferenceSource`.

    `newest` returns the time of the user's newest record, `instructions` those of records by their ids.
    """

    def __init__(
        self,
        memory: HierarchicalMemory,
        user_id: str,
        newest: Callable[[], datetime | None],
        instructions: Callable[[Sequence[str]], Mapping[str, str]],
    ) -> None:
        self._memory = memory
        self._user_id = user_id
        self._newest = newest
        self._instructions = instructions

    def habits(self, command: str, state: State, at_least: float) -> Sequence[Habit]:
        """The habits that a whole command may mean with at least some confidence, surest first."""
        now = resolve_time(command, state.time)
        judged_at = evidence_time(now, self._newest())
        try:
            preferences = self._memory.habits(
                command, self._user_id, judged_at, state.scenario, _MOST_PROTOTYPES
            )
        except EmbeddingError:
            return []
        instructions = self._instructions_of(preferences)
        current = [_current(preference, judged_at, instructions) for preference in preferences]
        habits = []
        for group in self._group_alike(current, instructions):
            ways = [way for each in group for way in split_by_object(each, instructions, command, now)]
            ways.sort(key=lambda way: -way.confidence)
            texts = [text for each in group for text in _texts_of(each, instructions)]
            confidence = sum(each.confidence for each in group)
            if confidence >= at_least:
                habits.append(Habit(group[0], confidence, tuple(ways), tuple(dict.fromkeys(texts))))
        return sorted(habits, key=lambda habit: -habit.confidence)

    def _group_alike(
        self, preferences: Sequence[Preference], instructions: Mapping[str, str]
    ) -> list[list[Preference]]:
        """Prototypes of the same deed together, the likeliest first.

        People word a habit differently from day to day, so that it may have several prototypes, which would
        rival one another.
        """
        groups: list[list[Preference]] = []
        for preference in preferences:
            alike = (group for group in groups if self._is_same_deed(group[0], preference, instructions))
            group = next(alike, None)
            if group is not None:
                group.append(preference)
            else:
                groups.append([preference])
        return groups

    def _is_same_deed(self, left: Preference, right: Preference, instructions: Mapping[str, str]) -> bool:
        if (
            left.has_stopped != right.has_stopped
            or not left.prototype.app
            or (normalize_text(left.prototype.app) != normalize_text(right.prototype.app))
        ):
            return False
        left_texts, right_texts = _texts_of(left, instructions), _texts_of(right, instructions)
        likeness = self._memory.likeness(left_texts, right_texts)
        return likeness >= _SAME_DEED and not _contradict(left_texts, right_texts)

    def past_ways(self, command: str, state: State, most: int) -> Sequence[Preference]:
        """What was done before that is most like a command, and what is likeliest now, in turn.

        Each way of a prototype counts, and what was done once: a person may be named in one record alone.
        What was done on the days that the command names comes first. What was done lately, of the kind that
        it asks for, is always among them.
        """
        now, days = resolve_time(command, state.time), days_named(command, state.time)
        judged_at = evidence_time(now, self._newest())
        try:
            prototypes = self._memory.alike_or_likely(
                command, self._user_id, judged_at, state.scenario, _WIDE
            )
        except EmbeddingError:
            return []
        instructions = self._instructions_of(prototypes)
        ways: list[Preference] = []
        others: list[Preference] = []
        for place, preference in enumerate(prototypes):
            current = _current(preference, judged_at, instructions)
            likely = sorted(
                split_by_object(current, instructions, command, now), key=lambda way: -way.confidence
            )
            if place >= most:
                others += likely
                continue
            rest = sorted(likely[_LIKELY_WAYS:], key=lambda way: -self._fit(command, way))
            ways += [*likely[:_LIKELY_WAYS], *rest[:_FITTING_WAYS]]
            others += rest[_FITTING_WAYS:]
        kinds = find_verb_kinds(command)
        alike = [
            way
            for way in others
            if way.prototype.members and kinds & find_verb_kinds(way.prototype.instruction)
        ]
        first = self._of_days(command, [*ways, *others], now, days)
        lately = sorted(alike, key=_newest_time)[::-1][:_OF_KIND]
        chosen = {way.prototype.id: way for way in (*first, *ways[: most - len(lately)], *lately)}
        return list(chosen.values())[:most]

    def _of_days(
        self, command: str, ways: Sequence[Preference], now: datetime, days: Collection[date]
    ) -> list[Preference]:
        """What was done on some days: what is nearest to this hour, and what fits the command best."""
        done = [way for way in ways if any(member.time.date() in days for member in way.prototype.members)]

        def hours_off(way: Preference) -> float:
            times = [member.time for member in way.prototype.members if member.time.date() in days]
            return min(abs(hour_of(time) - hour_of(now)) for time in times)

        timely = sorted(done, key=hours_off)[:_ON_DAYS]
        fitting = sorted(done, key=lambda way: -self._fit(command, way))[:_ON_DAYS]
        return [way for pair in zip(timely, fitting, strict=True) for way in pair]

    def _fit(self, command: str, way: Preference) -> float:
        return self._memory.likeness([command], [way.prototype.instruction])

    def _instructions_of(self, preferences: Sequence[Preference]) -> Mapping[str, str]:
        """The instructions of all records of some preferences, read at once."""
        return self._instructions(
            [record for preference in preferences for record in preference.prototype.evidence]
        )


def _newest_time(way: Preference) -> datetime:
    return max(member.time for member in way.prototype.members)


_WIDE = 96
"""Maximum number of prototypes that are looked through for what was done on the days that a command names."""
_ON_DAYS, _OF_KIND = 5, 4
"""Maximum numbers of past ways that are there for such a day, twice over, or for the kind of their verb."""
_SAME_DEED = 0.65
"""Minimum likeness of the instructions of two prototypes of one app that are the same deed."""
_MOST_PROTOTYPES = 16


def _texts_of(preference: Preference, instructions: Mapping[str, str]) -> tuple[str, ...]:
    prototype = preference.prototype
    done = (instructions[record] for record in prototype.evidence if record in instructions)
    return tuple(dict.fromkeys((prototype.instruction, *done)))


def _contradict(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two habits have different numbers or names: alarms of two times, messages to two people."""
    for stated in (portions_of, _names_of):
        left_values = frozenset().union(*map(stated, left))
        right_values = frozenset().union(*map(stated, right))
        if not (left_values <= right_values or right_values <= left_values):
            return True
    return False


def _names_of(text: str) -> frozenset[str]:
    return find_names(text, language_code(text))


def _current(preference: Preference, now: datetime, instructions: Mapping[str, str]) -> Preference:
    """A preference as it is done lately, which says whether it has stopped; as it is if the user worded it.

    Its instruction is the newest one where the one at its centre has a part that the user dropped.
    """
    prototype = preference.prototype
    if prototype.worded or prototype.pinned:
        return replace(preference, has_stopped=False)
    stopped = has_stopped(prototype.members, now)
    members = sorted(prototype.members, key=lambda member: member.time)
    texts = [instructions[member.record_id] for member in members if member.record_id in instructions]
    words = [_object_words(text, prototype.app) for text in texts]
    if texts and any(
        _is_dropped(word, words) for word in _object_words(prototype.instruction, prototype.app)
    ):
        prototype = replace(prototype, instruction=texts[-1])
    return replace(preference, prototype=prototype, has_stopped=stopped)


def _is_dropped(word: str, records: Sequence[frozenset[str]]) -> bool:
    """Whether a word was in records, oldest first, again and again, and is not in the newest any more.

    It must be missing for longer than twice as many records as ever between two that have it, and for two at
    least. Wordings vary, and a word that comes and goes was not dropped.
    """
    places = [place for place, words in enumerate(records) if word in words]
    if len(places) < _AGAIN_AND_AGAIN:
        return False
    longest = max(later - earlier - 1 for earlier, later in pairwise(places))
    missing = len(records) - 1 - places[-1]
    return missing >= _MISSING_LATELY and missing > 2 * longest


_AGAIN_AND_AGAIN = 4
_MISSING_LATELY = 2


_LIKELY_WAYS, _FITTING_WAYS = 2, 2
"""Maximum numbers of ways of one prototype among the past ways: the likeliest, and those that fit best."""


def split_by_object(
    preference: Preference, instructions: Mapping[str, str], command: str, now: datetime
) -> list[Preference]:
    """The preferences for different things that one prototype holds, with its confidence shared among them.

    Prototypes gather what is done in the same way: dinners of one app may be in one prototype, pizza on
    Fridays and curry on Sundays. A command means one of them: by the words it shares, then by weekday and
    hour, then by
    count.
    """
    prototype = preference.prototype
    if prototype.worded:
        return [preference]
    groups: dict[frozenset[str], list[Member]] = {}
    for member in sorted(prototype.members, key=lambda member: member.time):
        words = _object_words(instructions.get(member.record_id, prototype.instruction), prototype.app)
        similar = max(groups, key=lambda group: _likeness(group, words), default=frozenset())
        groups.setdefault(similar if _likeness(similar, words) >= _SAME_OBJECT else words, []).append(member)
    if len(groups) < 2:
        return [preference]
    asked = word_set(command) - frozenset.intersection(*groups)
    scores = {words: _score_group(words, members, asked, now) for words, members in groups.items()}
    total = sum(scores.values())
    parts = []
    for words, members in groups.items():
        newest = members[-1].record_id
        part = replace(
            prototype,
            id=f"{prototype.id}/{newest}",
            centre_id=newest,
            instruction=instructions.get(newest, prototype.instruction),
            members=tuple(members),
            weight=prototype.weight * len(members) / len(prototype.members),
        )
        slots = {name: value for name, value in preference.slots.items() if name == "app"}
        share = preference.confidence * scores[words] / total
        parts.append(Preference(part, share, slots, preference.has_stopped))
    return parts


_SAME_OBJECT = 0.5
"""Words that two instructions share for their objects to be the same, 0..1."""
_HALF_LIFE = timedelta(days=10)
"""After this time a way in which something was done counts half: what changed lately is meant."""
_SHARED_WORD = 6.0
"""How much likelier a thing is that the command names a word of."""


@lru_cache(maxsize=4096)
def _object_words(instruction: str, app: str) -> frozenset[str]:
    """The content words of an instruction without its verb and app; a number makes another thing."""
    amounts = portions_of(instruction) if has_chinese(instruction) else frozenset(numbers_of(instruction))
    return word_set(remove_app(instruction, app)) - VERBS | amounts


def _likeness(left: frozenset[str], right: frozenset[str]) -> float:
    """The share of common words; nothing for other numbers, because 19 degrees are not 22."""
    numbers = {word for word in left ^ right if word[:1].isdigit()}
    return 0.0 if numbers else jaccard(left, right)


def _score_group(
    words: frozenset[str], members: Sequence[Member], asked: frozenset[str], now: datetime
) -> float:
    hours = hour_density([hour_of(member.time) for member in members], hour_of(now))
    on_weekday = sum(member.time.weekday() == now.weekday() for member in members) / len(members)
    newest = max(member.time for member in members)
    count = sum(0.5 ** (abs(newest - member.time) / _HALF_LIFE) for member in members)
    age = 0.5 ** (max(now - newest, timedelta()) / _HALF_LIFE)
    shared = _SHARED_WORD if words & asked else 1.0
    return float(count * age * hours * (0.25 + on_weekday) * shared)


def load_instructions(store: Store, record_ids: Sequence[str]) -> dict[str, str]:
    """The instructions of some records by id."""
    return {record_id: instruction for record_id, _said, instruction in _load_texts(store, record_ids)}


def load_said(store: Store, record_ids: Sequence[str]) -> dict[str, str]:
    """What the user said for some records by id, where that was not the instruction."""
    texts = _load_texts(store, record_ids)
    return {record_id: said for record_id, said, instruction in texts if said and said != instruction}


def _load_texts(store: Store, record_ids: Sequence[str]) -> list[tuple[str, str, str]]:
    records = schema.records.c
    texts: list[tuple[str, str, str]] = []
    with store.reader() as connection:
        for portion in portions(record_ids):
            query = select(records.id, records.said, records.instruction).where(records.id.in_(portion))
            texts += [(row.id, row.said, row.instruction) for row in connection.execute(query)]
    return texts


def _convert_fact(fact: ProfileFact) -> EvidenceFact:
    reason, value = format_value_reason(fact.value.evidence), fact.value
    sure = _confidence_of(fact.confidence, fact.node.name, value.key, value.evidence)
    is_implied = (
        all(item.strength is Strength.IMPLIED for item in value.evidence) and fact.node.name in _areas()
    )
    return EvidenceFact(
        fact.node.name, value.key, value.text, sure, fact.record_ids, reason, fact.rivals, is_implied
    )


@cache
def _areas() -> frozenset[str]:
    """The entities that hold what requests in one area of life have in common."""
    return frozenset(domain.entity for domain in lexicon().domains.values())


def _confidence_of(sure: float, entity: str, key: str, evidence: Sequence[Evidence]) -> float:
    """The confidence of a fact, low for somebody who was named once as one of many.

    One mention of a neighbour is not “the neighbour”.
    """
    by_user = any(item.strength in (Strength.USER, Strength.IMPORTED) for item in evidence)
    is_of_many = key == NAME and normalize_text(entity) in MANY
    return min(sure, _LOOSE_CONFIDENCE) if is_of_many and len(evidence) < 2 and not by_user else sure


def load_contacts(store: Store, user_id: str) -> ContactIndex:
    """The contacts of a user's newest records."""
    records = schema.records.c
    query = (
        select(records.id, records.instruction, records.app)
        .where(records.user_id == user_id, or_(records.outcome.is_(None), records.outcome == Outcome.SUCCESS))
        .order_by(records.time.desc())
        .limit(_MAX_ADDRESSED)
    )
    with store.reader() as connection:
        rows = connection.execute(query).all()
    rows = rows[::-1]
    return ContactIndex({row.id: row.instruction for row in rows}, {normalize_text(row.app) for row in rows})


_LATELY, _MOST_TURNS, _LOOKED_BACK = timedelta(minutes=30), 3, 9
"""How long ago a turn may have ended for a line to go on from it, how many such turns, and of how many."""


def load_earlier_turns(
    store: Store, user_id: str, now: datetime, turn_id: str = "", *, every: bool = False
) -> list[EarlierTurn]:
    """The turns of the user's commands that ended lately, the newest first.

    `turn_id` is the turn that is under way, which is left out. Without `every` so are those that began by a
    schedule, and those that did nothing: a command goes on from neither.
    """
    turns, records, runs = schema.turns, schema.records, schema.schedule_runs
    scheduled = select(runs.c.turn_id).where(runs.c.turn_id.is_not(None))
    query = (
        select(turns.c.id, turns.c.said, records.c.outcome)
        .join(records, records.c.id == turns.c.id)
        .where(~turns.c.open, turns.c.user_id == user_id, turns.c.id != turn_id)
        .where(records.c.source != PART, true() if every else turns.c.id.not_in(scheduled))
        .order_by(turns.c.started.desc(), turns.c.id.desc())
        .limit(_LOOKED_BACK)
    )
    with store.reader() as connection:
        rows = connection.execute(query).all()
    earlier: list[EarlierTurn] = []
    for row in rows:
        loaded = store.turns.load(row.id)
        turn = loaded[0] if loaded is not None else None
        ended = turn.started + timedelta(seconds=turn.seconds) if turn is not None else now
        if turn is None or abs(now - ended) > _LATELY:
            continue
        outcome = Outcome(row.outcome) if row.outcome else None
        # What was not resolved, or was put off, did nothing from which a line could go on.
        if every or turn.steps or outcome in (Outcome.SUCCESS, Outcome.UNCONFIRMED):
            # A command may go on from one that was corrected, though that is never done again as it stands.
            did = turn.instruction.replace(CORRECTED_BY, "; ")
            times = _times_put_off(store, user_id, turn) if turn.ended_by is Cause.PUT_OFF else ""
            done = did, outcome, ended, bool(turn.deeds), turn.answer, times
            earlier.append(EarlierTurn(turn.turn_id, turn.said, *done))
    return earlier[:_MOST_TURNS]


def _times_put_off(store: Store, user_id: str, turn: Checkpoint) -> str:
    """The times, as they are now, of the schedule that a turn made and told of; empty where it is gone."""
    table = schema.schedules
    query = select(table.c.made, table.c.times, table.c.instruction).where(table.c.user_id == user_id)
    with store.reader() as connection:
        rows = connection.execute(query.order_by(table.c.made)).all()
    made = (row for row in rows if datetime.fromisoformat(row.made) >= turn.started.replace(microsecond=0))
    return next((row.times for row in made if one_line(row.instruction) in turn.answer), "")

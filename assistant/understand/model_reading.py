"""Reads a command with the user's model: one structured call, and what its answer must pass.

The model is told the command, when and where it was said, what the user did before that is like it or likely
now, and facts of the profile; it answers with the completed order and what it took from where (PerPilot,
appendix A; PersonalAlign, appendix C.1). Memory and answer are data: code checks that the order says
nothing that neither the user nor the cited memory says, and that nothing the user said is lost.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.files import lazy_regex, read_words
from assistant.i18n import _, has_chinese, whole_words
from assistant.memory.profile.graph import NOTE, WISH
from assistant.memory.prototypes.model import Preference, describe_times
from assistant.memory.prototypes.terms import VERBS, with_own_words, word_set
from assistant.model.types import one_line, read_object
from assistant.records import State
from assistant.skills.command_wording import ValueKind, find_values, read_correction
from assistant.skills.slots import with_clock_digits
from assistant.understand.explore import AskedQuestions
from assistant.understand.habit_match import has_like_word, is_moment, loses_said
from assistant.understand.languages.patterns import is_only_named
from assistant.understand.perceive import (
    Leaning,
    names_secret,
    perceive,
    read_leaning,
    strip_greeting,
    without_leaning,
)
from assistant.understand.resolution import (
    ARTICLE_BEFORE,
    CONTACT,
    MAX_CHOICES,
    Completed,
    FilledSpan,
    Meaning,
    Resolution,
    ask_whole,
    candidate_of_contact,
    candidate_of_fact,
    distinct_candidates,
    find_named_app,
    habit_candidate,
    keep_said,
    leave_as_said,
    make_resolution,
    name_app,
    said_just_now,
    whole_command,
)
from assistant.understand.slots import roles_in, tells_somebody
from assistant.understand.types import (
    RECURRING,
    TEXT,
    Alike,
    Category,
    CommandLanguage,
    EarlierTurn,
    MeaningCandidate,
    MeaningOrigin,
    OpenTurns,
    Perceived,
    PersonalizedElement,
    ReadingDecision,
    Sources,
    deed_key,
    is_prompt_injection,
    is_usable_instruction,
    is_usable_value,
    normalize_key,
    object_schema,
    words_of,
)
from assistant.understand.verify import (
    keep_same_deed,
    without_kin,
)
from assistant.understand.words import (
    amounts_of,
    content_of,
    days_named,
    detect_language,
    durations_in,
    exact_words,
    find_exclusions,
    language_code,
    mend_fillers,
    mentioned_spans,
    wording,
)

_PROMPTS: Mapping[str, str] = read_words("assistant.understand", "model_reading.yaml")
RULES = _PROMPTS["rules"]
_LAST_RULE = "- All of the input"
RULES_BEFORE, RULES_ANSWER, RULES_RUNNING = (
    RULES.replace(_LAST_RULE, f"{_PROMPTS[name]}\n{_LAST_RULE}") for name in ("before", "answer", "running")
)


_TEXTS = {"type": "array", "items": TEXT}

SCHEMA = object_schema(
    decision={"type": "string", "enum": ["fill", "as_said", "no_order", "ask"]},
    order=TEXT,
    replaced={"type": "array", "items": object_schema(words=TEXT, by=TEXT)},
    stays=_TEXTS,
    sources=_TEXTS,
)

MAX_PAST = 36
"""Maximum number of past ways that a model is told of.

On 240 vague commands of six lives by strangers the way that is meant was among so many in 88 %, among twenty
in 83 %, among ninety in 90 %.
"""
MAX_CONTACTS = 24
"""Maximum number of contacts that a model is told of."""
FACT_TOKENS = 600
"""Budget of the facts that a model is told."""

_CONFIDENCE = 0.8
"""Confidence of what a model chose and the checks let through."""

_MOST_SAID = 2
"""Maximum number of things that were said for a past way, and of its other wordings, that a model is told."""
_KEPT = 0.5
"""Minimum share of the Chinese pairs of characters that was said and must be in the order."""
_SHORT = 2
"""Letters up to which a word may be one that joins others, written short: “n”, “u”, “2”."""


@dataclass(frozen=True, slots=True)
class CitableSource:
    """Something that a model may cite by its id: a past way ("p1"), a fact ("f1") or a turn before ("b1").

    `texts` are what it says, `candidate` is what it gives as a value. Of a past way `said` is what the user
    said for it, and `wordings` are other wordings of its instruction.
    """

    id: str
    texts: tuple[str, ...]
    candidate: MeaningCandidate
    said: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()
    turn: EarlierTurn | None = None

    @property
    def statements(self) -> tuple[str, ...]:
        """`texts` without the label of the app, which says where a way was done and not what."""
        way = self.candidate.preference
        return tuple(text for text in self.texts if way is None or text != way.prototype.app)


class Replacement(BaseModel):
    """Words of a command, and the words of the order that took their place."""

    model_config = ConfigDict(frozen=True)

    words: str
    by: str


class ModelReading(BaseModel):
    """A model's answer. `sources` are ids of `CitableSource`; `stays` are words of the command."""

    model_config = ConfigDict(frozen=True, strict=False)

    decision: ReadingDecision
    order: str = ""
    replaced: tuple[Replacement, ...] = ()
    stays: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def find_citable(memory: Sources, command: str, state: State) -> list[CitableSource]:
    """What the memory has for a model that reads a command: past ways, facts, and contacts that no way names.

    What reads like an instruction to the assistant is left out.
    """
    wish, sources = strip_greeting(command), list[CitableSource]()
    if memory.preferences is not None:
        past, days = memory.preferences.past_ways(wish, state, MAX_PAST), days_named(command, state.time)
        sources += _citable_ways([way for way in past if days or not is_moment(way)], memory)
    if memory.profile is None:
        return sources
    listed = " · ".join(source.candidate.value for source in sources)
    facts = (
        fact
        for fact in memory.profile.facts_for(command, FACT_TOKENS)
        if not fact.is_implied
        and not names_secret(f"{fact.about} {fact.key}")
        and is_usable_value(fact.value)
        and is_usable_value(fact.about)
    )
    sources += [
        CitableSource(f"f{number}", (fact.about, fact.key, fact.value), candidate_of_fact(fact))
        for number, fact in enumerate(facts, 1)
    ]
    others = (
        contact
        for contact in memory.profile.contacts(MAX_CONTACTS)
        if contact.name not in listed
        and is_usable_value(contact.name)
        and is_usable_instruction(contact.newest)
    )
    return sources + [
        CitableSource(f"c{number}", (contact.name, contact.newest), candidate_of_contact(contact))
        for number, contact in enumerate(others, 1)
    ]


def _citable_ways(past: Sequence[Preference], memory: Sources) -> Iterator[CitableSource]:
    """Past ways, with what the user said for each and other wordings of it."""
    ways = [way for way in past if is_usable_instruction(way.prototype.instruction)]
    records = [member.record_id for way in ways for member in way.prototype.members]
    said_for, done_for = memory.said(records), memory.done(records)
    for number, way in enumerate(ways, 1):
        order, app = way.prototype.instruction, way.prototype.app
        said, wordings = _said_of(way, said_for), _other_wordings(way, done_for)
        yield CitableSource(
            f"p{number}", (order, app, *said, *wordings), habit_candidate(order, way), said, wordings
        )


def citable_turns(turns: Sequence[EarlierTurn]) -> list[CitableSource]:
    """The turns before, the newest first, for a model to cite; none that reads like an instruction to it."""
    usable = (
        turn
        for turn in turns
        if is_usable_instruction(turn.instruction)
        and not is_prompt_injection(turn.said)
        and not names_secret(f"{turn.said} {turn.instruction}")
    )
    sources = []
    for number, turn in enumerate(usable, 1):
        texts = tuple(dict.fromkeys((turn.instruction, turn.said)))
        sources.append(CitableSource(f"b{number}", texts, _from_turn(turn, turn.instruction), turn=turn))
    return sources


def _from_turn(turn: EarlierTurn, order: str) -> MeaningCandidate:
    """An order that goes on from a turn before, as a candidate."""
    why = _("from the turn before: “{said}”").format(said=one_line(turn.said, 60))
    return MeaningCandidate(order, MeaningOrigin.TURN, _CONFIDENCE, (turn.id,), why)


def describe_turn(turn: EarlierTurn, now: datetime) -> dict[str, object]:
    """What a model is told of a turn before: what was said, done and told, and how it ended."""
    words = {"said": one_line(turn.said, 300), "did": one_line(turn.instruction, 300)}
    if turn.answer and not (turn.scheduled or is_prompt_injection(turn.answer) or names_secret(turn.answer)):
        words["told"] = one_line(turn.answer, 200)
    minutes = max(0, int((now - turn.ended).total_seconds() // 60))
    ended = turn.outcome.value if turn.outcome is not None else "unknown"
    ended = f"scheduled: {turn.scheduled}" if turn.scheduled else ended
    return {**words, "ended": ended, "minutes_ago": minutes}


@dataclass(frozen=True, slots=True)
class TurnsBefore:
    """The turns that a command may go on from, for a model to cite.

    It `leans` on them by its words, or only a model can tell: then they are read by `opened`, which is called
    once a model is asked. It `is_needed` where the command says too little without.
    """

    sources: Sequence[CitableSource] = ()
    is_needed: bool = False
    earlier: OpenTurns = tuple

    @property
    def leans(self) -> bool:
        """Whether words of the command point at a turn."""
        return self.earlier is tuple and bool(self.sources)

    def opened(self) -> TurnsBefore:
        """The same with the turns that no word points at."""
        return self if self.sources else replace(self, sources=citable_turns(self.earlier()))

    @property
    def turns(self) -> list[EarlierTurn]:
        """The turns, the newest first."""
        return [source.turn for source in self.sources if source.turn is not None]


def find_before(resolution: Resolution, earlier: OpenTurns) -> TurnsBefore:
    """What a command may go on from; `earlier` returns the turns before."""
    leaning = read_leaning(resolution.perceived.command)
    if leaning is Leaning.NONE and not any(meaning.element.is_pronoun for meaning in resolution.meanings):
        return TurnsBefore(earlier=earlier)
    sources = citable_turns(earlier())
    # “And my usual coffee” says all that it needs.
    is_usual = any(
        meaning.chosen is not None and meaning.element.category in RECURRING and meaning.element.head
        for meaning in resolution.meanings
    )
    return TurnsBefore(sources, bool(sources) and leaning is Leaning.SURELY and not is_usual)


def _said_of(way: Preference, said: Mapping[str, str]) -> tuple[str, ...]:
    """What the user said for a way, the newest first."""
    texts = dict.fromkeys(_texts_of_records(way, said))
    return tuple(text for text in texts if is_usable_instruction(text))[:_MOST_SAID]


def _other_wordings(way: Preference, done: Mapping[str, str]) -> tuple[str, ...]:
    """Other instructions of a way's records that have words of their own; the most frequent first."""
    counts = Counter(_texts_of_records(way, done))
    own = word_set(way.prototype.instruction)
    texts = (text for text, _count in counts.most_common() if word_set(text) - own)
    return tuple(text for text in texts if is_usable_instruction(text))[:_MOST_SAID]


def _texts_of_records(way: Preference, texts: Mapping[str, str]) -> list[str]:
    """The texts of a way's records, the newest first."""
    members = sorted(way.prototype.members, key=lambda member: member.time, reverse=True)
    return [texts[member.record_id] for member in members if member.record_id in texts]


def make_reading_question(
    command: str,
    marked: Sequence[str],
    sources: Sequence[CitableSource],
    state: State,
    asked: AskedQuestions | None = None,
) -> str:
    """What a model is told: the command and the memory as JSON.

    `asked` is the question about it that was answered in other words, for `RULES_ANSWER`.
    """
    before, past, facts, contacts = [], [], [], []
    days = days_named(command, state.time)
    for source in sources:
        if (turn := source.turn) is not None:
            before.append({"id": source.id, **describe_turn(turn, state.time)})
        elif source.candidate.key == CONTACT:
            name, newest = source.texts
            contacts.append({"id": source.id, "name": one_line(name, 60), "last": one_line(newest, 120)})
        elif (way := source.candidate.preference) is not None:
            wordings = (("also", source.wordings), ("said", source.said))
            past.append(
                {
                    "id": source.id,
                    "did": one_line(way.prototype.instruction, 300),
                    **({"app": one_line(app, 60)} if (app := _unnamed_app(way)) else {}),
                    **{name: [one_line(text, 120) for text in texts] for name, texts in wordings if texts},
                    "when": describe_times(way.prototype.members, days),
                }
            )
        else:
            about, key, value = source.texts
            fact = {"about": one_line(about, 80), "what": one_line(key, 60), "is": one_line(value)}
            facts.append({"id": source.id, **fact})
    answered: dict[str, object] = {}
    if asked is not None and (question := asked.question) is not None:
        choices = [one_line(choice, 120) for choice in question.choices]
        answered = {"question": one_line(question.text), "choices": choices, "answer": one_line(asked.words)}
    content = {"command": one_line(command, 500), **answered, **({"before": before} if before else {})}
    content |= {"now": f"{state.time:%A %Y-%m-%d %H:%M}", "scenario": state.scenario}
    content |= {"marked": [one_line(words, 80) for words in marked]}
    content |= {"past": past, "facts": facts, "contacts": contacts}
    return json.dumps(content, ensure_ascii=False)


def _unnamed_app(way: Preference) -> str:
    """The app of a way that its instruction does not name."""
    prototype = way.prototype
    return "" if prototype.app.casefold() in prototype.instruction.casefold() else prototype.app


def with_answer(perceived: Perceived, answer: str, apps: Sequence[str]) -> Perceived:
    """A command with the user's answer to a question about it, as one text that says both."""
    colon = "：" if perceived.language is CommandLanguage.ZH else ": "
    said = perceive(f"{perceived.command}{colon}{answer}", apps)
    elements = {element.text: element for element in (*perceived.elements, *said.elements)}
    parts = tuple(element for element in elements.values() if element.text != perceived.command)
    return replace(said, elements=parts, language=perceived.language)


def parse_reading(answer: str) -> ModelReading | None:
    """A model's answer; None if it is not in the form that was asked for."""
    try:
        reading = ModelReading.model_validate(read_object(answer))
    except ValidationError:
        return None
    # Words that stay as they are replace nothing.
    replaced = tuple(each for each in reading.replaced if normalize_key(each.words) != normalize_key(each.by))
    order = "" if reading.decision is ReadingDecision.AS_SAID else " ".join(reading.order.split())
    return reading.model_copy(update={"order": order, "replaced": replaced})


def keep_own_words(command: str, reading: ModelReading, similarity: Alike | None) -> str:
    """The order of a reading; with the user's own words behind it where it lacks some of them."""
    order, kept = keep_said(reading.order, command), kept_words(command, reading)
    theirs = content_of(" ".join(each.words for each in find_exclusions(order)))
    excluded = [content_of(each.words) for each in find_exclusions(command) if not each.of_deed]
    if any(words and not words & theirs for words in excluded):
        return with_own_words(order, command)
    if detect_language(command) is CommandLanguage.ZH:
        said, done = word_set(kept), word_set(order)
        has_most = len(said & done) >= _KEPT * len(said) or set(kept) & content_of(kept) <= set(order)
        has_all = has_most and amounts_of(kept) <= amounts_of(order)
    else:
        has_all = not without_kin(word_set(kept) - word_set(order) - VERBS, word_set(order), similarity)
    return order if has_all else with_own_words(order, command)


def adopt_reading(
    resolution: Resolution,
    reading: ModelReading,
    cited: Sequence[CitableSource],
    similarity: Alike | None,
    apps: Sequence[str],
) -> Resolution:
    """A resolution whose instruction is the order of a verified reading; unchanged where it adds nothing."""
    command, perceived = resolution.perceived.command, resolution.perceived
    turn = next((source for source in cited if source.turn is not None), None)
    order = reading.order if turn is not None else keep_own_words(command, reading, similarity)
    if not resolution.meanings and normalize_key(order) == normalize_key(command):
        return resolution
    way = next((source.candidate.preference for source in cited if source.candidate.preference), None)
    app = find_named_app(order, apps) or _app_of(way, order, apps)
    order = name_app(order, app)
    meanings, spans, taken = [], [], 0
    for replacement in reading.replaced:
        start = command.find(replacement.words)
        if start < 0 or not replacement.by.strip() or _only_respells(replacement):
            continue
        end = start + len(replacement.words)
        element = PersonalizedElement(start, end, replacement.words, Category.OPEN, "")
        meanings.append(Meaning(element, _cite(replacement.by, cited, command)))
        at = order.find(replacement.by, taken)
        if at >= 0:
            before = ARTICLE_BEFORE.sub("", order[:at]) if not replacement.by[:1].islower() else order[:at]
            order, at = f"{before}{order[at:]}", len(before)
            taken = at + len(replacement.by)
            spans.append(FilledSpan(at, taken, element))
    chosen = [meaning.chosen for meaning in meanings]
    is_shown = turn is None or any(each and each.origin is MeaningOrigin.TURN for each in chosen)
    if not meanings or not is_shown:
        whole = whole_command(command)
        value = replace(turn.candidate, value=order) if turn is not None else _cite(order, cited, "")
        meanings, spans = [*meanings, Meaning(whole, value)], [*spans, FilledSpan(0, len(order), whole)]
    elements = tuple(meaning.element for meaning in meanings)
    return Resolution(
        replace(perceived, elements=elements), tuple(meanings), Completed(order, app, tuple(spans))
    )


def _app_of(way: Preference | None, order: str, apps: Sequence[str]) -> str:
    """The app of a cited way; none where words of the order are the label of another app, “calendar”.

    Nor of a way that has nothing of the order: a model may cite another than it means.
    """
    shared = content_of(way.prototype.instruction) & content_of(order) if way is not None else frozenset()
    app = way.prototype.app if way is not None and len(shared) > has_chinese(order) else ""
    others = (label.casefold() for label in apps if label.casefold() != app.casefold())
    return "" if any(label in order.casefold() for label in others) else app


def ask_about(resolution: Resolution, cited: Iterable[CitableSource], apps: Sequence[str] = ()) -> Resolution:
    """A resolution that asks for what is missing, or no fact tells, or for all; first what a model cited."""
    command = resolution.perceived.command
    # A note is a sentence about somebody, and nobody's name.
    of_memory = (source.candidate for source in cited if source.turn is None)
    candidates = (each for each in of_memory if each.key not in (NOTE, WISH))
    offered = keep_same_deed(command, candidates)
    if all(each.preference for each in offered):  # Of several habits first what was done most often.
        offered = tuple(sorted(offered, key=lambda each: len(each.evidence), reverse=True))
    offered = offered[:MAX_CHOICES]
    if not resolution.missing:
        resolution = make_resolution(
            resolution.perceived,
            [each if each.is_from_profile else each.opened for each in resolution.meanings],
            apps,
        )
    if resolution.missing:
        meanings, habits = list[Meaning](), tuple(each for each in offered if each.preference is not None)
        for each in resolution.meanings:
            # No address or name is what was done before.
            fitting = habits if each.element.category in (Category.HABIT, Category.PAST) else offered
            opened = replace(each, candidates=distinct_candidates((*fitting, *each.candidates)))
            meanings.append(each if each.chosen is not None else opened)
        return replace(resolution, meanings=tuple(meanings))
    perceived = resolution.perceived
    fact = next((meaning.chosen for meaning in resolution.meanings if meaning.chosen is not None), None)
    if fact is not None and resolution.instruction != perceived.command:
        made_of_facts = replace(fact, value=resolution.instruction, key="", about="")
        offered = distinct_candidates((made_of_facts, *offered))
    # A name or an address alone is no order.
    offered = keep_same_deed(perceived.command, (each for each in offered if not each.key))
    return ask_whole(perceived, offered, apps=apps)


def deeds_offered(asked: Resolution) -> set[str]:
    """The deeds that a question offers, without what says no more than the command does itself."""
    command = asked.perceived.command
    candidates = (candidate.value for meaning in asked.missing for candidate in meaning.candidates)
    return {deed_key(value) for value in candidates if not _says_no_more(value, command)}


def _says_no_more(value: str, command: str) -> bool:
    """Whether each word of an order stands in a command; in Chinese, each character."""
    if detect_language(command) is CommandLanguage.ZH:
        return set(value) <= set(command)
    return word_set(value) <= word_set(command)


def ask_what_follows(
    resolution: Resolution, turn: EarlierTurn, offered: Sequence[str] = (), *, is_doubtful: bool = False
) -> Resolution:
    """The question what is to be done by a line that says too little without the turn before it.

    Offered is what a model read, and the order of that turn as the line corrects it by its form. What
    `is_doubtful`, such as what would be paid or sent once more, is not the answer that is marked.
    """
    command = resolution.perceived.command
    bare = wording("more_of_same").sub("", mend_fillers(command)).removesuffix("的")
    read = read_correction(turn.instruction, bare)
    # What only puts the line behind the order is no better than what a model read.
    corrected = (each.command for each in read if each.new and (each.old or not offered))
    language = detect_language(command)
    alike = _told_to_another(resolution, turn), _set_for_days(command, turn.instruction)
    made = (*filter(None, alike), *corrected)
    orders = [*offered, *(each for each in made if detect_language(each) is language)]
    candidates = [
        replace(_from_turn(turn, order), is_disputed=is_doubtful)
        for order in orders
        if is_usable_value(order) and deed_key(order) != deed_key(turn.instruction)
    ]
    whole = whole_command(command, Category.REMARK, turn.said)
    return ask_whole(resolution.perceived, distinct_candidates(candidates), whole)


def _told_to_another(resolution: Resolution, turn: EarlierTurn) -> str:
    """The message of a turn to the one whom a line names, where the line says no more: “and tell dad too”."""
    command, code = resolution.perceived.command, language_code(resolution.perceived.command)
    people = [each for each in resolution.perceived.elements if each.category is Category.PERSON]
    addressed = [value for value in find_values(turn.instruction) if value.kind is ValueKind.PERSON]
    if not tells_somebody(turn.instruction) or len(people) != 1 or len(addressed) != 1:
        return ""
    (person,), (before,) = people, addressed
    rest = without_leaning(f"{command[: person.start]} {command[person.end :]}".strip(), code)
    rest = wording("leans_added", code).sub("", rest)
    words = exact_words(code)
    idle = word_set(" ".join((*words.telling, *words.function, *words.contentless))) | VERBS
    if person.is_pronoun or {each for each in content_of(rest) - idle if not set(each) <= _ALSO_ZH}:
        return ""
    chosen = (meaning.chosen for meaning in resolution.meanings if meaning.element == person)
    name = next((each.value for each in chosen if each is not None), person.text)
    order = turn.instruction
    return f"{order[: before.start]}{name}{order[before.start + len(before.text) :]}"


_ALSO_ZH = frozenset("一也再还都跟给和向发说讲告诉通知声个条下遍样同")


def _set_for_days(command: str, order: str) -> str:
    """The order of an alarm with the days of a line such as “do that every weekday”; empty if it has none."""
    days = wording("repeated_days").search(command)
    if days is None or wording("sets_alarm").search(order) is None:
        return ""
    named = [value for value in find_values(order) if value.kind is ValueKind.DAY]
    if len(named) > 1:
        return ""
    if named:
        start, end = named[0].start, named[0].start + len(named[0].text)
        return f"{order[:start]}{days[0]}{order[end:]}"
    return f"{days[0]}{order}" if detect_language(order) is CommandLanguage.ZH else f"{order} {days[0]}"


def _cite(value: str, cited: Sequence[CitableSource], said: str) -> MeaningCandidate:
    """A value with the evidence of the cited source that says most of it; none if it is said, or by none."""
    words = word_set(value)
    source = max(cited, key=lambda each: len(words & word_set(" · ".join(each.texts))))
    shared = words & word_set(" · ".join(source.texts))
    if not shared and value and {*words_of(value)} <= {*words_of(said)}:
        return said_just_now(value, _CONFIDENCE)
    why = source.candidate.why
    if value.casefold() != source.candidate.value.casefold() and source.turn is None:
        why = _("guessed from: {why}").format(why=why) if why and shared else _("the model's guess")
    evidence = source.candidate.evidence if shared else ()
    return replace(source.candidate, value=value, why=why, confidence=_CONFIDENCE, evidence=evidence)


def without_titles(command: str, reading: ModelReading) -> ModelReading:
    """A reading without names for whom the command only names: “dentist, thursday 3pm” is a title."""
    order, kept = reading.order, list[Replacement]()
    for each in reading.replaced:
        start = command.find(each.words)
        is_of_somebody = start >= 0 and each.by in order and bool(roles_in(each.words))
        if is_of_somebody and is_only_named(command, start, start + len(each.words)):
            order = order.replace(each.by, each.words, 1)
        else:
            kept.append(each)
    return reading.model_copy(update={"order": order, "replaced": tuple(kept)})


_AROUND_ONE = 2  # The parts of a text around something that stands there once.


def in_own_spelling(command: str, reading: ModelReading, memory: str) -> ModelReading:
    """A reading whose message has the user's own spelling, but for words that it takes from the memory.

    It is unchanged where it is not sure which words of the order are those of the message.
    """
    messages = [(v.start, v.start + len(v.text)) for v in find_values(command) if v.kind is ValueKind.TEXT]
    messages += mentioned_spans(command, language_code(command))
    order, kept = reading.order, list[Replacement]()
    for each in reading.replaced:
        said, by = (re.compile(whole_words(words)) for words in (each.words, each.by))
        places = [match.span() for match in said.finditer(command)]
        in_message = any(first <= start < end <= last for start, end in places for first, last in messages)
        if not in_message or word_set(each.by) & word_set(memory):
            kept.append(each)
            continue
        parts = by.split(order)
        if len(places) > 1 or len(parts) != _AROUND_ONE:
            return reading
        order = each.words.join(parts)
    return reading.model_copy(update={"order": order, "replaced": tuple(kept)})


def take_answer(
    perceived: Perceived, reading: ModelReading, words: str, similarity: Alike | None
) -> Resolution | None:
    """The order that a command and the words of an answer say together; None where it loses some of these."""
    order = keep_own_words(perceived.command, reading, similarity)
    said = leave_as_said(replace(perceived, command=order))
    return None if loses_said(words, order) else said


def _only_respells(replacement: Replacement) -> bool:
    """Whether words are only written otherwise: “calender” and “calendar”, “n” and “and”."""
    said, by = content_of(replacement.words), content_of(replacement.by)
    is_alike = all(has_like_word(replacement.words, word) for word in by)
    return is_alike and (len(by) >= len(said) or len(replacement.words) <= _SHORT)


def kept_words(command: str, reading: ModelReading) -> str:
    """What of a command the order must have: the words that are not replaced, and those that stay."""
    stays = [words for words in reading.stays if words.strip() and words in command]
    for replacement in reading.replaced:
        if replacement.words.strip():
            command = command.replace(replacement.words, " ", 1)
    return " · ".join((command, *(words for words in stays if words not in command)))


def unsaid_amounts(line: str, restated: str, seen: str) -> frozenset[str]:
    """The amounts of a restated line that stand nowhere, but for times of day that follow from what does.

    “Make it 5 min earlier” may be restated as “change the alarm for 14:10 to 14:05”, and “8 to 10” as “20:00
    to 22:00” where no half of the day is named: only who knows the day can tell which is meant. `seen` is the
    line and all that was said and told before it.
    """
    if amounts_of(restated) <= amounts_of(seen):
        return frozenset()
    line, restated, seen = map(with_clock_digits, (line, restated, seen))
    amounts_seen = amounts_of(seen)
    bare = () if _NAMES_HALF.search(line) else (match[1] or match[2] for match in _BARE_HOUR.finditer(line))
    hours = {60 * (int(hour) % 12 + half) for hour in bare for half in (0, 12) if int(hour) <= 12}
    clocks = {_minutes_of(amount) for amount in amounts_seen if ":" in amount} | hours
    is_earlier, is_later = (way.search(line) is not None for way in (_EARLIER, _LATER))
    ways = [by for by, is_meant in ((-1, is_earlier), (1, is_later)) if is_meant or is_earlier is is_later]
    shifts = {0, *(by * minutes for minutes in durations_in(line) for by in ways)}
    follow = {clock + shift for clock in clocks for shift in shifts}
    new = amounts_of(restated) - amounts_seen
    return frozenset(each for each in new if ":" not in each or _minutes_of(each) not in follow)


def _minutes_of(clock: str) -> int:
    """The minutes since midnight of a time of day, 14:05."""
    hour, minute = clock.split(":")[:2]
    return int(hour) * 60 + int(minute)


_NAMES_HALF = lazy_regex(
    r"\d ?[ap]\.?m\b|\b(?:morning|noon|afternoon|evening|night|tonight)\b|[早晚]|[上中下]午|凌晨",
    re.IGNORECASE,
)
_BARE_HOUR = lazy_regex(
    r"(?:\b(?:at|by|from|till|until|around) |(?<![\d:.])(?=\d\d? ?(?:to|-|–|till|until) ?\d))"
    r"(\d\d?)(?![\d:.%])"
    r"|(?<=\d) ?(?:to|-|–|till|until) ?(\d\d?)(?![\d:.%])"
)
"""An hour that stands as one and not as a number of things: “at 8”, “8 to 10”."""
_EARLIER = lazy_regex(r"\b(?:earlier|sooner|before|b4|prior|ahead)\b|[早前提]", re.IGNORECASE)
_LATER = lazy_regex(r"\b(?:later|after|past)\b|[晚迟后推延]", re.IGNORECASE)

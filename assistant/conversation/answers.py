"""Answers questions about the user's past from the memory: with the records behind the answer, or not at all.

An answer says only what records or the profile hold. Where they hold nothing that has every word of the
question, the answer is that the memory does not know.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import compress

from assistant.agent.checkpoint import TurnOf, is_doubtful, tell_done, tell_payments, was_done
from assistant.agent.context import may_have_done, tell_sent
from assistant.conversation.line_words import line_pattern, normalize_line, strip_courtesy
from assistant.conversation.past_questions import (
    ANYWHERE,
    DEED_KINDS,
    Aspect,
    PastQuestion,
    ask_price,
    from_first_paid,
    has_title,
    names_deed,
)
from assistant.conversation.routing import Route, RouteKind
from assistant.embedding.embedder import EmbeddingError
from assistant.events import ActionKind
from assistant.history import LEAST_HABIT, tell_usual_time
from assistant.i18n import _, counted, day_of, joined, moment, sentences, shortened
from assistant.memory.profile.graph import NOTE, WISH, Belief, Strength, canonical_word, is_part, same_titles
from assistant.memory.profile.lexicon import NAME
from assistant.memory.profile.retrieval import MatchMethod, ProfileFact, ProfileMatch, facts_of_area
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.model import format_scenario
from assistant.memory.prototypes.terms import CORRECTED_BY, split_own_words
from assistant.memory.store import Store
from assistant.memory.turns import PART, Checkpoint
from assistant.memory_view.labels import fact_words, is_of_person, only_report, value_words
from assistant.records import Outcome, Record
from assistant.safety.amounts import tell_paid
from assistant.understand.resolution import format_value_reason
from assistant.understand.slots import find_clock_time
from assistant.understand.words import mentions_any


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """The answer to a question, in sentences, with the ids of the records that it rests on, newest first.

    `is_answered` is false where the memory does not know; then there are no records.
    """

    text: str
    evidence: tuple[str, ...] = ()
    is_answered: bool = True


@dataclass(frozen=True, slots=True)
class FrequentTask:
    """Something done often: the line that tells it, and the ids of its records, newest first."""

    name: str
    count: int
    last: datetime
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _RecordWithDeeds:
    """A record that answers a question.

    `done` are sentences on what its turn did though it did not end well; `report` what the model said of it
    at its end, where the command alone does not tell what was paid for.
    """

    record: Record
    done: tuple[str, ...] = ()
    report: str = ""

    @property
    def time(self) -> datetime:
        """The local time of the record."""
        return self.record.time


_MOST_LISTED, _SPANS = 5, ("week", "month", "days")
_LONGEST_ORDER = 80  # Cells of what an entry of a list was ordered as.


class PastAnswers:
    """Answers from the memory of one user. To be used in a thread: it reads all records.

    Args:
        store: the memory.
        user_id: whose it is.
        profile: opens the profile.
        now: the local time with its zone.
        habits: what is done most often as the memory counts it, where one thing has many wordings; empty
            where it cannot tell.
    """

    def __init__(
        self,
        store: Store,
        user_id: str,
        profile: Callable[[], Profile],
        now: Callable[[], datetime],
        habits: Callable[[int], Sequence[FrequentTask]] = lambda most: (),
    ) -> None:
        self._known_habits = habits
        self._store = store
        self._user = user_id
        self._profile = profile
        self._now = now

    def answer(self, question: PastQuestion) -> PastAnswer:
        """The answer to a question.

        Raises:
            StoreError: the memory cannot be read.
        """
        if question.unread:
            sentence = _("I cannot answer that from memory: I do not know how to take {words}.")
            return _no_answer(sentence.format(words=joined(f"“{word}”" for word in question.unread)))
        if question.aspect in (Aspect.ABOUT, Aspect.FACT):
            return self._about(question.fact) if question.aspect is Aspect.ABOUT else self._fact(question)
        turn_of = cache(self._turn_of)
        matches = from_first_paid(question, self._matching(question, turn_of), turn_of)
        if not matches:
            return self._unknown(question)
        matches = list(map(_as_eaten, matches)) if question.deed in ("takeout", "eat", "drink") else matches
        records = self._with_all_deeds(question, matches, turn_of)
        is_single = question.aspect is Aspect.WHETHER and not question.habit
        if is_single and is_doubtful(matches[0], DEED_KINDS.get(question.deed), turn_of):
            sentence = _("Not for certain. {found} Look on the phone before you repeat it.")
            return PastAnswer(sentence.format(found=_latest_sentence(records)), _ids(records))
        if question.negated and question.aspect is Aspect.WHEN:
            return self._days_without(question)
        if question.aspect in (Aspect.ALARM, Aspect.RISING):
            return _alarm_answer(question, records)
        if question.aspect is Aspect.HOW_MUCH:
            return _amount_answer(question, records, turn_of)
        text = _habit_sentence(question, records) if question.habit else _past_sentence(question, records)
        if question.excluded and not self._matching(replace(question, words=question.excluded, excluded=())):
            words = joined(question.excluded)
            text = sentences(text, _("No record of that has “{words}”.").format(words=words))
        if question.period is not None and question.period.unit in _SPANS and len(records) > 1:
            start, end = question.period.span(self._now())
            span = _("Looked at: {start} to {end}.")
            last = min(end, self._now()) - timedelta(seconds=1)
            text = f"{text}\n{span.format(start=day_of(start), end=day_of(last))}"
        return PastAnswer(text, _ids(records))

    def _with_all_deeds(
        self, question: PastQuestion, matches: list[Record], turn_of: TurnOf
    ) -> list[_RecordWithDeeds]:
        """The records that answer a question, with as much of what their turns did as it asks for."""
        is_of_payment = question.deed == "pay" or question.aspect is Aspect.HOW_MUCH
        is_of_payment = is_of_payment or (question.latest and DEED_KINDS.get(question.deed) is ActionKind.PAY)
        paid_by = self._now() if is_of_payment else None
        records = [_with_deeds(record, turn_of, paid_by) for record in matches]
        if question.latest or len(records) == 1:
            records[0] = replace(records[0], report=_report_of_paid(records[0], turn_of))
        if question.deed in _TOLD:  # What was sent may not be what was ordered.
            records = [replace(e, done=tell_sent(turn_of(e.record.id)) or e.done) for e in records]
        return records

    def _days_without(self, question: PastQuestion) -> PastAnswer:
        """The days of the period, or since records began, up to yesterday, that have no such record."""
        now = self._now()
        begins = next(iter(self._store.records.of(self._user))).time.astimezone(now.tzinfo)
        start, end = question.period.span(now) if question.period is not None else (begins, now)
        first, last = max(start, begins).date(), min(end.date(), now.date())
        done = {record.time.date() for record in self._matching(question)}
        after = (first + timedelta(days=count) for count in range((last - first).days))
        asked = (day for day in after if not question.weekdays or day.weekday() in question.weekdays)
        days = [datetime.combine(day, time.min, now.tzinfo) for day in asked if day not in done]
        if not days:
            return PastAnswer(_("Memory has a record of it for every day that was asked about."))
        if question.latest:
            return PastAnswer(_("The last day without a record of it: {day}.").format(day=day_of(days[-1])))
        shown = joined(day_of(day) for day in days[::-1][:_MOST_LISTED])
        sentence = _("{days} without a record of it, the latest first: {shown}.")
        return PastAnswer(sentence.format(days=counted(len(days), "day"), shown=shown))

    def _matching(
        self, question: PastQuestion, turn_of: TurnOf | None = None, *, titled: bool = False
    ) -> list[Record]:
        """The records that have everything that the question says, newest first.

        A single word that may stand in the title of what was heard or watched counts there only if `titled`.
        """
        turn_of = turn_of or self._turn_of
        groups = [self.meanings(word) for word in question.words]
        excluded = [self.meanings(word) for word in question.excluded]
        now = self._now()
        span = question.period.span(now) if question.period is not None else None
        is_any = question.deed in ("", "do")
        matches = []
        running = [] if question.habit else self._running()
        for record in (*self._store.records.of(self._user), *running):
            time = record.time.astimezone(now.tzinfo)
            is_then = span is None or span[0] <= time < span[1]
            is_then = is_then and (not question.weekdays or time.weekday() in question.weekdays)
            # The record of a whole says the same as those of its parts.
            if record.source == PART or not is_then or not question.is_of_hour(record, time.hour):
                continue
            # What a turn paid is paid, whatever its command was.
            asks_paid = question.deed == "pay" or (question.deed == "buy" and question.latest)
            paid = tell_payments(record, turn_of, now) if asks_paid else ()
            if question.deed in _TOLD and (question.period or CORRECTED_BY in record.instruction):
                paid = tell_sent(turn_of(record.id))
            if not (paid or names_deed(question.deed, record.instruction)):
                continue
            text = " ".join((record.said, record.instruction, record.app, *paid))
            text = line_pattern("negated").sub(" ", text)
            is_excluded = bool(excluded) and all(mentions_any(text, words) for words in excluded)
            if is_excluded or not all(mentions_any(text, words) for words in groups):
                continue
            if is_any and not titled and len(groups) == 1 and has_title(record.instruction):
                continue  # “Run the World” is no run.
            if is_any or _was_done(record, question, turn_of, now):  # Asked last: it loads a whole turn.
                matches.append(record.model_copy(update={"time": time}))
        return matches[::-1]

    def _running(self) -> list[Record]:
        """What the turns that have not ended have done so far, as records, the oldest first."""
        turns = self._store.turns.open_turns(self._user, _MOST_RUNNING)
        return [
            turn.record(Outcome.UNCONFIRMED).model_copy(update={"source": _RUNNING})
            for turn in reversed(turns)
            if tell_done(turn.steps)
        ]

    def _turn_of(self, turn_id: str) -> Checkpoint | None:
        turn = self._store.turns.load(turn_id)
        return turn[0] if turn is not None else None

    def meanings(self, word: str) -> tuple[str, ...]:
        """A word of the question, with the names that the profile has for it."""
        match, words = self._find(word), same_titles(word)
        return (*words, match.value) if match is not None else words

    def _find(self, words: str) -> ProfileMatch | None:
        """The facts of the profile under a name or alias; none of merely similar words."""
        try:
            match = self._profile().find(words)
        except EmbeddingError:
            return None
        return match if match is not None and match.how is not MatchMethod.LIKENESS else None

    def _fact(self, question: PastQuestion) -> PastAnswer:
        if question.former:
            return self._former(question)
        if question.fact in ("allergies", "过敏"):
            return self._allergies(question)
        match = self._find(question.fact)
        if match is None and (roles := self._called(question.fact)):
            return PastAnswer("\n".join(map(_fact_line, roles)), _evidence(roles))
        if match is None and (record := self._mentioning(question.fact)) is not None:
            form = _("Memory has no fact about “{fact}”. A record of {time} has it: “{said}” was: {what}.")
            time, deed = moment(record.time), _deed(_RecordWithDeeds(record))
            sentence = form.format(fact=question.fact, time=time, said=record.said, what=deed)
            return PastAnswer(sentence, (record.id,), is_answered=False)
        if match is None:
            sentence = _("I do not know: memory has nothing about “{fact}”. Tell it: remember that …")
            send = _("To look it up on the phone, send: {command}")
            offer = send.format(command=question.lookup) if question.lookup else ""
            return _no_answer(sentence.format(fact=question.fact), offer)
        value, why = _(" or ").join((match.value, *match.rivals)), format_value_reason(match.reasons)
        reason = _("({text})").format(text=why) if why else ""
        return PastAnswer(sentences(_sentence(value), reason), match.evidence)

    def _called(self, name: str) -> list[ProfileFact]:
        """The facts that mention somebody as a name, or in words that were kept as the user said them."""
        words = [same_titles(word) for word in name.casefold().split()]
        named = (fact for fact in self._facts() if fact.value.key in (NAME, NOTE, WISH))
        return [fact for fact in named if all(mentions_any(fact.value.text, each) for each in words)]

    def _former(self, question: PastQuestion) -> PastAnswer:
        """The values that a fact had before the present one, each with the last day of its evidence."""
        match = self._find(question.fact)
        node = next((fact.node for fact in self._facts() if match and fact.node.name == match.entity), None)
        beliefs = self._profile().history(node.id) if node is not None else {}
        stated = beliefs.get(match.key) if match is not None else None
        # Where one value holds at a time, one that was told once and then outweighed was held before, too.
        former = [
            value
            for value, _weight, belief in (stated.values if stated is not None else ())
            if belief is Belief.HELD or (belief is Belief.RARE and value.single)
        ]
        present = _("Now: {value}.").format(value=match.value) if match is not None else ""
        if not former:
            sentence = _("I do not know: memory holds no earlier “{fact}”.").format(fact=question.fact)
            return _no_answer(sentence, present)
        form = _("Before: {value}, last {day}.")
        last = [day_of(max(evidence.time for evidence in value.evidence)) for value in former]
        values = [value_words(value.key, value.text) for value in former]
        lines = [form.format(value=value, day=day) for value, day in zip(values, last, strict=True)]
        names = (name for value in former for name in value.record_ids)
        return PastAnswer("\n".join((*lines, present)), tuple(dict.fromkeys(names)))

    def _mentioning(self, words: str) -> Record | None:
        """The latest record that was said with these words and done in others, which may say who is meant."""
        words = words.removesuffix("'s name")
        now = self._now()
        for record in reversed(list(self._store.records.of(self._user))):
            if mentions_any(record.said, (words,)) and not mentions_any(record.instruction, (words,)):
                return record.model_copy(update={"time": record.time.astimezone(now.tzinfo)})
        return None

    def _allergies(self, question: PastQuestion) -> PastAnswer:
        facts = [
            fact
            for fact in self._facts()
            if (fact.value.key in ("allergic to", "avoid") and not is_of_person(fact.node.name))
            # What was told in no known form is kept as it was said.
            or (
                question.negated
                and fact.value.key in (WISH, NOTE)
                and line_pattern("forbidden").search(fact.value.text)
            )
        ]
        if question.words:
            asked = question.words[0]
            texts = [fact.value.text for fact in facts]
            has_word = [mentions_any(text, (asked,)) or asked in text for text in texts]
            facts = list(compress(facts, has_word))
            if not facts:
                sentence = _("I do not know: you told it nothing about “{fact}”. Tell it: remember that …")
                return _no_answer(sentence.format(fact=asked))
        if not facts:
            return _no_answer(_("I do not know: memory holds no allergy and nothing that you avoid."))
        stated = [fact for fact in facts if any(e.strength is Strength.USER for e in fact.value.evidence)]
        opening = ""
        if question.negated and stated:
            is_told = line_pattern("asks_what_was_told").search(question.text) is not None
            facts = stated if is_told else [*stated, *(fact for fact in facts if fact not in stated)]
        elif question.negated:
            opening = _("Memory has no such words of yours. What your orders leave out:")
        elif line_pattern("allergy_asked").search(question.text) and {f.value.key for f in facts} == {
            "avoid"
        }:
            opening = _("Memory holds no allergy. What you avoid:")
        lines = [*filter(None, [opening]), *map(_fact_line, facts[:_MOST_LISTED])]
        return PastAnswer("\n".join(lines), _evidence(facts))

    def _about(self, subject: str) -> PastAnswer:
        """What is known of the user, or of somebody or something of theirs."""
        facts = self._facts()
        preferences = () if subject else self._known_habits(_MOST_LISTED)
        habits = [] if subject or preferences else self._habits()
        if subject:
            match = self._find(subject)
            words = (subject, canonical_word(subject) or subject)
            roles = (fact.node.name for fact in self._called(subject) if fact.value.key == "name")
            names = {*map(str.casefold, (*words, *roles, *([match.entity] if match is not None else [])))}
            called = [f for f in facts if f.value.key == "name" and f.node.name.casefold() in names]
            names |= {fact.value.text.casefold() for fact in called}
            named = [f for f in facts if f.node.name.casefold() in names or is_part(f.node.name, subject)]
            with self._profile().reading() as graph:
                facts = named or facts_of_area(graph, facts, subject)
        if not facts and not habits and not preferences:
            return _no_answer(
                _("Nothing yet: memory has no facts about this. It learns from what you ask for.")
            )
        lines = [_fact_line(fact) for fact in facts[:_MOST_ABOUT]]
        if len(facts) > len(lines):
            lines.append(_("and {count} more; /memory shows all.").format(count=len(facts) - len(lines)))
        if habits or preferences:
            lines.append(_("Most often done:"))
            lines += map(_habit_line, preferences) if preferences else [_listed(habits)]
        evidence = (*_evidence(facts), *_ids(habits), *(name for p in preferences for name in p.evidence))
        return PastAnswer("\n".join(lines), tuple(dict.fromkeys(evidence)))

    def _habits(self) -> list[_RecordWithDeeds]:
        """The records of what was done most often, on several days, newest first."""
        records = [_RecordWithDeeds(record) for record in self._matching(PastQuestion("", Aspect.WHAT))]
        days: dict[str, set[date]] = {}
        for record in records:
            days.setdefault(_deed(record), set()).add(record.time.date())
        often = {deed for deed, done in days.items() if len(done) > LEAST_HABIT}
        most = sorted(often, key=lambda deed: -len(days[deed]))[:_MOST_LISTED]
        return [record for record in records if _deed(record) in most]

    def _facts(self) -> list[ProfileFact]:
        return [fact for fact in self._profile().facts() if fact.value.key != "alias"]

    def _unknown(self, question: PastQuestion) -> PastAnswer:
        """The answer that there is no such record, and since when records are kept."""
        first = next(iter(self._store.records.of(self._user)), None)
        if first is None:
            return _no_answer(_("I do not know: memory has no records yet."))
        words = _(", ").join(question.words)
        if question.hours and question.latest and (others := self._matching(replace(question, hours=None))):
            last = _with_deeds(others[0], self._turn_of, None)
            sentence = _("None in that part of the day. {found}").format(found=_last(last))
            return PastAnswer(sentence, _ids([last]))
        sentence = (
            _("I do not know: memory has no record of that with “{words}”. Its records begin on {day}.")
            if words
            else _("I do not know: memory has no record of that. Its records begin on {day}.")
        )
        if question.negated:
            sentence = _("Memory has no record that it was done. Its records begin on {day}.")
        elif question.aspect is Aspect.WHETHER:
            sentence = _("Not that memory knows. Its records begin on {day}.")
        day = moment(first.time.astimezone(self._now().tzinfo), year=True)
        nearest = None if question.negated else self._nearest(question)
        sentence = sentence.format(words=words, day=day)
        if nearest is not None:
            near = _("What comes nearest: {time}, {what}.")
            deed = _deed(self._with_all_deeds(replace(question, latest=True), [nearest], self._turn_of)[0])
            sentence = sentences(sentence, near.format(time=moment(nearest.time), what=deed))
            evidence = () if question.aspect is Aspect.WHETHER else (nearest.id,)
            return PastAnswer(sentence, evidence, is_answered=False)
        at_time = [_with_deeds(record, self._turn_of, None) for record in self._at_that_time(question)]
        form = _("{time}: {what}.")
        lines = [form.format(time=moment(each.time), what=_deed(each)) for each in at_time]
        opening = [_("What it has of that time:")] if lines else []
        return PastAnswer("\n".join((sentence, *opening, *lines)), _ids(at_time), is_answered=False)

    def _at_that_time(self, question: PastQuestion) -> list[Record]:
        """What was done in the hours or on the day that a question is about, the newest first.

        Of a whole day that is where somebody went, which may tell more; of a weekday only the last is meant.
        """
        at_time = question.about_time(self._now())
        went = self._matching(replace(at_time, deed="go")) if at_time is not None else []
        is_rough = at_time is None or at_time.hours is None
        return (went or ([] if at_time is None or is_rough else self._matching(at_time)))[:_MOST_LISTED]

    def _nearest(self, question: PastQuestion) -> Record | None:
        """The latest record with most of what a question says, where none has all; of money, the last."""
        is_of_money = question.aspect is Aspect.HOW_MUCH or question.deed in ("buy", "pay")
        paid = self._matching(replace(question, deed="pay", words=())) if is_of_money else []
        loose = replace(question, deed="")
        fewer = (
            replace(question, words=tuple(word for word in question.words if word != left_out))
            for left_out in question.words
            if len(question.words) > 1
        )
        ways = (loose, *fewer, replace(loose, period=None, hours=None), replace(question, period=None))
        found_in = (self._matching(way, titled=True) for way in ways if way.words)
        return next((matches[0] for matches in (*found_in, paid) if matches), None)


_MOST_ABOUT = 12
_MOST_RUNNING = 10
_RUNNING = "running"
"""The source of what stands for a turn that has not ended."""


def _as_eaten(record: Record) -> Record:
    """A record that tells what was had, not the order to the phone: “Beef noodles, no coriander”."""
    dish = line_pattern("orders").sub("", record.instruction, count=1)
    return record.model_copy(update={"instruction": dish[:1].upper() + dish[1:]}) if dish else record


def _ids(records: Sequence[_RecordWithDeeds]) -> tuple[str, ...]:
    return tuple(entry.record.id for entry in records if entry.record.source != _RUNNING)


def _evidence(facts: Sequence[ProfileFact]) -> tuple[str, ...]:
    return tuple(name for fact in facts for name in fact.record_ids)


def _no_answer(*parts: str) -> PastAnswer:
    """An answer that says that memory does not know."""
    return PastAnswer(sentences(*parts), is_answered=False)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "。", "!", "?")) else text + _(".")


def _habit_line(habit: FrequentTask) -> str:
    return _thing_line(habit.name.rstrip(".。"), habit.count, habit.last)


def _thing_line(thing: str, count: int, last: datetime) -> str:
    form = _("{what}: {count}, last {day}.")
    return form.format(what=thing, count=counted(count, "time"), day=moment(last))


def _fact_line(fact: ProfileFact) -> str:
    return fact_words(fact.node.name, fact.value.key, fact.value.text)


_TOLD = ("message",)


def _was_done(record: Record, question: PastQuestion, turn_of: TurnOf, now: datetime) -> bool:
    """Whether a turn did what is asked about, and was not refused that, nor did something else instead."""
    kind, begun = DEED_KINDS.get(question.deed), question.aspect in (Aspect.WHETHER, Aspect.WHAT)
    is_recent = record.source and now - record.time < timedelta(days=60)  # To load years of turns takes long.
    did = not is_recent or may_have_done(turn_of(record.id), kind, question.deed)
    return did and was_done(record, kind, turn_of, begun=begun)


def _with_deeds(record: Record, turn_of: TurnOf, paid_by: datetime | None) -> _RecordWithDeeds:
    """A record, with what its turn did nevertheless if it did not end well, or with what it paid by then."""
    if CORRECTED_BY in record.instruction and (turn := turn_of(record.id)) is not None:
        return _RecordWithDeeds(record, tuple(tell_done(turn.steps)) or (_("Nothing was done."),))
    if record.outcome in (None, Outcome.SUCCESS):
        return _RecordWithDeeds(record, tell_payments(record, turn_of, paid_by) if paid_by else ())
    checkpoint = turn_of(record.id)
    return _RecordWithDeeds(record, tuple(tell_done(checkpoint.steps)) if checkpoint is not None else ())


def _amount_answer(
    question: PastQuestion, records: Sequence[_RecordWithDeeds], turn_of: TurnOf
) -> PastAnswer:
    """What turns paid, the sum first, as far as they noted it; of what is older only the order is known."""
    # Without a time “how much was lunch” asks for the latest one.
    asked = records if question.period is not None and not question.latest else records[:1]
    paid = [entry for entry in asked if any(re.search(r"\d", done) for done in entry.done)]
    others = [entry for entry in asked if entry not in paid and _may_have_paid(entry, turn_of)]
    if paid:
        turns = (turn for entry in paid if (turn := turn_of(entry.record.id)) is not None)
        opening = tell_paid(deed for turn in turns for deed in turn.deeds)
        form = _("{time}: {what}.")
        shown = [form.format(time=moment(each.time), what=_deed(each)) for each in paid[:_MOST_LISTED]]
        unknown = _("Memory has no amount of {times} besides.").format(times=counted(len(others), "time"))
        parts = (opening, *shown, unknown if others else "")
        return PastAnswer(sentences(*parts) if len(paid) == 1 else "\n".join(filter(None, parts)), _ids(paid))
    if not others:
        return PastAnswer(sentences(_("Nothing, as far as is known."), _last(asked[0])), _ids(asked))
    if any(line_pattern("money").search(entry.record.instruction) for entry in asked):
        # What was ordered says it, as “send Zoe 45 yuan” does.
        return PastAnswer(_latest_sentence(records), _ids(records))
    sentence = _("I do not know the amount: memory keeps what you asked for, not what it cost. {found}")
    return PastAnswer(sentence.format(found=_latest_sentence(records)), _ids(records), is_answered=False)


def _may_have_paid(entry: _RecordWithDeeds, turn_of: TurnOf) -> bool:
    """Whether an order was paid for, or nothing is known of what was done; a failed one has no amount."""
    turn = turn_of(entry.record.id) if entry.record.source else None
    return turn is None or any(deed.kind is ActionKind.PAY for deed in turn.deeds)


def _report_of_paid(entry: _RecordWithDeeds, turn_of: TurnOf) -> str:
    """What a turn that paid said of it, where its command was changed or kept as it was typed; else empty."""
    turn = turn_of(entry.record.id) if entry.done else None
    is_as_ordered = turn is not None and entry.record.instruction in (turn.said, turn.carried_out)
    return only_report(turn) if turn is not None and is_as_ordered else ""


def _latest_sentence(records: Sequence[_RecordWithDeeds]) -> str:
    last = _last(records[0])
    return last if len(records) == 1 else sentences(last, _times(records))


def _last(entry: _RecordWithDeeds) -> str:
    return _("Last: {time}, {what}.").format(time=moment(entry.time), what=_deed(entry))


def _times(records: Sequence[_RecordWithDeeds]) -> str:
    days = len({record.time.date() for record in records})
    return _("{times} on {days}.").format(times=counted(len(records), "time"), days=counted(days, "day"))


def _deed(entry: _RecordWithDeeds) -> str:
    """What was done, and in which app; what a turn paid for is told in the place of a long command."""
    record = entry.record
    if entry.report:
        return sentences(*entry.done, _("The model says: {answer}").format(answer=entry.report)).rstrip(".。")
    order = split_own_words(record.instruction)[0].replace(CORRECTED_BY, _("; ")).rstrip(".。")
    text, done = shortened(order, _LONGEST_ORDER), " ".join(entry.done).rstrip(".。")
    if record.outcome is Outcome.SUCCESS and done.startswith(("“", "「")):
        text = done  # What was sent says it all.
    elif entry.done and record.source == _RUNNING:
        text = _("{what} (not ended yet; so far: {done})").format(what=text, done=done)
    elif entry.done and record.outcome is not None:
        ended = "" if record.outcome is Outcome.SUCCESS else _(record.outcome.value)
        form = _("{what} ({outcome}, but: {done})") if ended else _("{what} ({done})")
        text = form.format(what=text, outcome=ended, done=done)
    is_named = not record.app or record.app in text
    text = text if is_named else _("{what} ({app})").format(what=text, app=record.app)
    if entry.done or record.outcome in (None, Outcome.SUCCESS):
        return text
    return _("{what} · {outcome}").format(what=text, outcome=_(record.outcome.value))


def _past_sentence(question: PastQuestion, records: Sequence[_RecordWithDeeds]) -> str:
    if question.first:
        first = _("First: {time}, {what}.").format(time=moment(records[-1].time), what=_deed(records[-1]))
        return sentences(first, _("Memory knows nothing older."))
    match question.aspect:
        case Aspect.WHETHER if question.negated:
            return _("It was done. {found}").format(found=_latest_sentence(records))
        case Aspect.WHETHER:
            return _("Yes. {found}").format(found=_latest_sentence(records))
        case Aspect.HOW_OFTEN:
            return sentences(_times(records), _listed(records))
        case Aspect.WHEN if not question.latest and len(records) > 1:
            shown = [moment(record.time) for record in records[:_MOST_LISTED]]
            return sentences(_times(records), _sentence(joined(shown)))
        case Aspect.WHERE if question.deed in ANYWHERE:
            return sentences(_place(records[0]), _latest_sentence(records))
        case _ if question.latest or question.aspect is Aspect.WHEN:
            return _("{time}: {what}.").format(time=moment(records[0].time), what=_deed(records[0]))
        case _:
            return _listed(records)


def _alarm_answer(question: PastQuestion, records: Sequence[_RecordWithDeeds]) -> PastAnswer:
    """The time that alarms were set to, as their instructions say it: not when they were set."""
    clocks = Counter(clock for entry in records if (clock := find_clock_time(entry.record.instruction)))
    unknown = _("Memory does not know when you got up, only your alarms.")
    opening = unknown if question.aspect is Aspect.RISING else ""
    if not clocks:
        return PastAnswer(sentences(_("I do not know."), _last(records[0])), _ids(records), is_answered=False)
    if not question.habit:
        sentence = _last(records[0]) if question.latest or len(records) == 1 else _listed(records)
        return PastAnswer(sentences(opening, sentence), _ids(records), is_answered=not opening)
    usual = [
        _("Alarm for {clock}, {count} of {all} times.").format(clock=clock, count=count, all=len(records))
        for clock, count in clocks.most_common(3)
    ]
    return PastAnswer(sentences(opening, *usual, _last(records[0])), _ids(records))


def _place(entry: _RecordWithDeeds) -> str:
    scenario = entry.record.scenario
    return "" if scenario == "unknown" else _("At: {place}.").format(place=format_scenario(scenario))


def _listed(records: Sequence[_RecordWithDeeds]) -> str:
    """Each different thing with its days, the most frequent first."""
    largest = _by_thing(records)
    lines = [
        _thing_line(thing, len(members), members[0].time)
        if len(members) > 1
        else _("{what}: {day}.").format(what=thing, day=moment(members[0].time))
        for thing, members in largest[:_MOST_LISTED]
    ]
    if len(largest) > _MOST_LISTED:
        lines.append(_("and {count} others.").format(count=len(largest) - _MOST_LISTED))
    return "\n".join(lines)


def _habit_sentence(question: PastQuestion, records: Sequence[_RecordWithDeeds]) -> str:
    days = len({record.time.date() for record in records})
    if days < LEAST_HABIT:
        return _("No habit yet: only {found}").format(found=_latest_sentence(records))
    match question.aspect:
        case Aspect.WHEN:
            return sentences(tell_usual_time([record.time for record in records]), _last(records[0]))
        case Aspect.HOW_OFTEN:
            first, last = records[-1].time, records[0].time
            span = max(1, (last.date() - first.date()).days + 1)
            weekly = _("{times} in {days}, about {rate:.1f} a week.").format(
                times=counted(len(records), "time"), days=counted(span, "day"), rate=len(records) * 7 / span
            )
            return weekly if span >= 7 else _times(records)
        case Aspect.WHERE if question.deed in ANYWHERE:
            places = Counter(entry.record.scenario for entry in records if entry.record.scenario != "unknown")
            if not places:
                return _listed(records)
            place, count = places.most_common(1)[0]
            form = _("Mostly here: {place}, {count} of {all}.")
            return form.format(place=format_scenario(place), count=count, all=len(records))
        case Aspect.WHETHER:
            usual = tell_usual_time([record.time for record in records])
            return _("Yes. {found}").format(found=sentences(_times(records), usual))
        case _:
            return _usual_thing(records)


def _by_thing(records: Sequence[_RecordWithDeeds]) -> list[tuple[str, list[_RecordWithDeeds]]]:
    """The records by what was done, in whatever of two wordings, told as the newest; most frequent first."""
    groups: dict[str, list[_RecordWithDeeds]] = {}
    for record in records:
        deed = _deed(record).casefold()
        words = line_pattern("without").sub(lambda match: "no" if match[0].isascii() else "不要", deed)
        groups.setdefault(" ".join(re.findall(r"\w+", words)), []).append(record)
    largest = sorted(groups.values(), key=lambda members: -len(members))
    return [(_deed(members[0]), members) for members in largest]


def _usual_thing(records: Sequence[_RecordWithDeeds]) -> str:
    form = _("{what}: {count} of {all}, last {day}.")
    return "\n".join(
        form.format(what=thing, count=len(members), all=len(records), day=moment(members[0].time))
        for thing, members in _by_thing(records)[:3]
    )


def ask_last_price(target: Route) -> Route:
    """The question for what was paid last, for a line that asks what “that” cost; else the same route."""
    line = strip_courtesy(normalize_line(target.text))
    if target.kind is not RouteKind.COMMAND or line_pattern("costs_that").fullmatch(line) is None:
        return target
    return Route(RouteKind.QUESTION, target.text, question=ask_price(target.text))

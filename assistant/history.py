"""Past turns as the memory keeps them: a checkpoint, what was seen before each step, and a record.

`turn_html` writes a turn as one HTML file that carries its pictures, needs nothing else and runs nothing. The
usual time of moments is here, too.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jinja2 import Environment, Template
from rapidfuzz import fuzz
from sqlalchemy import select

from assistant.agent.checkpoint import tell_done
from assistant.agent.completion import asks, required_kinds
from assistant.events import ActionKind, Cause
from assistant.i18n import _, counted, joined, later, moment, sentences, spoken, weekday_of
from assistant.memory import schema
from assistant.memory.profile.graph import is_same_value
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep, whole_checkpoint
from assistant.model.types import one_line, split_reason, without_control_characters
from assistant.phone.errors import refusal_words
from assistant.proactive.schedules import Schedules, format_schedule
from assistant.records import Action, Failed, Finished, Outcome, app_name, describe, in_words, shown, touched
from assistant.safety.deeds import describe_deed, tell_deed
from assistant.skills.command_wording import read_correction
from assistant.understand.words import mentions_any

NEWEST = 500
"""How many turns are listed when nothing else is asked for."""

_ALIKE = 72.0
_MOST_TOLD = 20


class PictureState(StrEnum):
    """What became of the picture of a step."""

    KEPT = "kept"
    SWEPT = "swept"
    SECURE = "secure"
    NONE = "none"


PICTURE_WORDS = {
    PictureState.KEPT: "",
    PictureState.SWEPT: later("The picture is not kept any more."),
    PictureState.SECURE: later("This screen allowed no pictures."),
    PictureState.NONE: later("There is no picture of this step."),
}
"""What is said in the place of a picture."""


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn in a list. `outcome` is None while it is open, and where its record is not kept."""

    turn_id: str
    said: str
    instruction: str
    started: datetime
    outcome: Outcome | None
    is_open: bool
    steps: int
    seconds: float
    apps: tuple[str, ...]
    answer: str
    cause: Cause = Cause.DONE

    @property
    def ended(self) -> str:
        """How it ended, in a word."""
        if self.outcome is not None:
            return "put off" if self.cause is Cause.PUT_OFF else self.outcome.value
        return "not ended" if self.is_open else "unknown"

    @property
    def answer_only(self) -> str:
        """The answer without the word for how it ended, where that is told before it."""
        answer = self.answer.strip()
        for word in (self.ended, _(self.ended)):
            rest = answer[len(word) :]
            if answer.casefold().startswith(word.casefold()) and rest[:1] in ("", " ", ".", "。", ":", "："):
                return rest.lstrip(" .。:：")
        return answer


@dataclass(frozen=True, slots=True)
class PastTurnStep:
    """A step, and the state of the picture of what was seen before it."""

    step: StoredStep
    picture: PictureState


@dataclass(frozen=True, slots=True)
class WholeTurn:
    """A turn with its steps. The last step of one that ended well says its answer."""

    turn: PastTurn
    checkpoint: Checkpoint
    steps: tuple[PastTurnStep, ...]

    @property
    def pictures(self) -> int:
        """How many pictures are kept."""
        return sum(step.picture is PictureState.KEPT for step in self.steps)

    @property
    def swept(self) -> int:
        """How many pictures were kept once."""
        return sum(step.picture is PictureState.SWEPT for step in self.steps)


class PastTurns:
    """The past turns of one user, perhaps `without` the one under way.

    Reading may take a while; every method may be called from any thread.
    """

    def __init__(self, store: Store, user_id: str, *, without: str = "") -> None:
        self._store = store
        self._user = user_id
        self._without = without

    def newest(self, count: int = NEWEST) -> list[PastTurn]:
        """The latest turns, newest first.

        Raises:
            StoreError: the memory cannot be read.
        """
        turns, records = schema.turns, schema.records
        query = (
            select(turns, records.c.outcome)
            .join(records, records.c.id == turns.c.id, isouter=True)
            .where(turns.c.user_id == self._user, turns.c.id != self._without)
            .order_by(turns.c.started.desc(), turns.c.id.desc())
            .limit(count)
        )
        with self._store.reader() as connection:
            rows = connection.execute(query).mappings().all()
            return [_past(row, whole_checkpoint(connection, row)) for row in rows]

    def whole(self, turn_id: str) -> WholeTurn | None:
        """One turn with its steps; None when there is none of this id.

        Raises:
            StoreError: the memory cannot be read.
        """
        turns, records, seen = schema.turns, schema.records, schema.observations
        query = (
            select(turns, records.c.outcome)
            .join(records, records.c.id == turns.c.id, isouter=True)
            .where(turns.c.user_id == self._user, turns.c.id == turn_id)
        )
        columns = (seen.c.step, seen.c.screenshot, seen.c.secure, seen.c.package)
        with self._store.reader() as connection:
            row = connection.execute(query).mappings().one_or_none()
            screens = connection.execute(select(*columns).where(seen.c.turn_id == turn_id)).mappings().all()
            kept = whole_checkpoint(connection, row) if row is not None else {}
        if row is None:
            return None
        turn, checkpoint = _past(row, kept), Checkpoint.model_validate(kept)
        pictures = {screen["step"]: self._picture_state(screen) for screen in screens}
        steps = tuple(
            PastTurnStep(step, pictures.get(step.number, PictureState.NONE))
            for step in _with_answer(checkpoint, turn)
        )
        return WholeTurn(turn, checkpoint, steps)

    def latest_about(self, is_about: Callable[[PastTurn], bool], since: datetime) -> WholeTurn | None:
        """The newest turn since a time that is about something; None for none, and while it has not ended."""
        lately = (turn for turn in self.newest(_MOST_TOLD) if turn.started >= since and not asks(turn.said))
        turn = next(filter(is_about, lately), None)
        return self.whole(turn.turn_id) if turn is not None and not turn.is_open else None

    def recipients(self, newest: int) -> Iterator[str]:
        """Whom the newest turns wrote to or called, by the names that the phone has for them."""
        for turn in self.newest(newest):
            loaded = self._store.turns.load(turn.turn_id)
            for deed in loaded[0].deeds if loaded is not None else ():
                if deed.kind is ActionKind.SEND and deed.recipient:
                    yield one_line(deed.recipient)

    def picture(self, turn_id: str, step: int) -> bytes:
        """The picture of what was seen before a step, a JPEG; empty where none is kept, or another user's."""
        file = self._file(turn_id, step)
        try:
            return file.read_bytes() if file is not None else b""
        except OSError:
            return b""

    def _file(self, turn_id: str, step: int) -> Path | None:
        seen, turns = schema.observations, schema.turns
        query = (
            select(seen.c.screenshot)
            .join(turns, turns.c.id == seen.c.turn_id)
            .where(turns.c.user_id == self._user, seen.c.turn_id == turn_id, seen.c.step == step)
        )
        with self._store.reader() as connection:
            name = connection.execute(query).scalar_one_or_none()
        return self._store.screenshots / name if name else None

    def _picture_state(self, row: Mapping[Any, Any]) -> PictureState:
        if row["secure"]:
            return PictureState.SECURE
        there = bool(row["screenshot"]) and (self._store.screenshots / row["screenshot"]).is_file()
        return PictureState.KEPT if there else PictureState.SWEPT


def tell_last_command(turns: Sequence[PastTurn]) -> str:
    """What was asked for last and what came of it; empty for no turns.

    Args:
        turns: those of the user's commands, the newest first.
    """
    open_commands = joined(
        _("“{command}”").format(command=one_line(turn.said)) for turn in turns if turn.is_open
    )
    if open_commands:
        return _("Not ended yet: {commands}; /history has the steps.").format(commands=open_commands)
    if not turns:
        return ""
    last = turns[0]
    if not last.steps and last.answer:
        return _("The last command was “{said}”. {answer}").format(
            said=one_line(last.said), answer=last.answer
        )
    sentence = _("The last command was “{said}” ({outcome}); /history has its steps.")
    return sentence.format(said=one_line(last.said), outcome=_(last.ended))


def tell_outcome(whole: WholeTurn) -> str:
    """How a turn ended, and what sensitive actions it did."""
    turn = whole.turn
    if turn.is_open:
        done = tell_done(whole.checkpoint.steps) or [_("Nothing was paid, sent or deleted in it.")]
        opened = _("“{said}” has not ended; how far it came is in /history.").format(said=turn.said)
        return sentences(opened, *done)
    parts = {"said": turn.said, "outcome": _(turn.ended), "answer": turn.answer_only}
    lines = [_("“{said}”: {outcome}. {answer}").format(**parts).strip()]
    deeds = whole.checkpoint.deeds
    done = [describe_deed(deed) for deed in deeds if not deed.maybe]
    unsure = [describe_deed(deed) for deed in deeds if deed.maybe]
    if done:
        lines.append(_("Done with your yes: {deeds}.").format(deeds=_("; ").join(done)))
    if unsure:
        lines.append(_("Perhaps done, look on the phone: {deeds}.").format(deeds=_("; ").join(unsure)))
    if not deeds:
        lines += tell_done(whole.checkpoint.steps) or [_("Nothing was paid, sent or deleted in it.")]
    if whole.steps:
        lines.append(_("Step by step: /history ({steps}).").format(steps=counted(len(whole.steps), "step")))
    return "\n".join(lines)


def tell_why(whole: WholeTurn) -> str:
    """What a turn was taken for, why it ended as it did, and what it did."""
    turn, checkpoint = whole.turn, whole.checkpoint
    is_as_said = turn.instruction in ("", turn.said)
    meaning = (
        _("“{said}” was carried out as it was said; the memory added nothing.")
        if is_as_said
        else _("“{said}” was taken as “{instruction}”.")
    )
    lines = [meaning.format(said=turn.said, instruction=turn.instruction)]
    if checkpoint.remarks:
        remarks = joined(f"“{one_line(remark.text)}”" for remark in checkpoint.remarks)
        lines.append(_("Meanwhile you said: {remarks}.").format(remarks=remarks))
    if done := [describe_deed(deed) for deed in checkpoint.deeds if not deed.maybe]:
        lines.append(_("Done with your yes: {deeds}.").format(deeds=_("; ").join(done)))
    if turn.outcome is Outcome.CANCELLED:
        cancelled = _CANCELLED_BY.get(checkpoint.ended_by, later("It was cancelled before its end."))
        lines.append(_(cancelled) if checkpoint.ended_by not in _NOT_BEGUN else one_line(turn.answer))
    elif turn.outcome in (Outcome.FAILED, Outcome.UNCONFIRMED) and turn.answer:
        ended = _("It ended as {outcome}: {answer}")
        lines.append(ended.format(outcome=_(turn.ended), answer=one_line(turn.answer)))
    thoughts = (one_line(past.step.thought) for past in reversed(whole.steps))
    if (turn.outcome is Outcome.SUCCESS and not done) and (thought := next(filter(None, thoughts), "")):
        lines.append(_("Of its last step the model wrote: “{thought}”").format(thought=thought))
    return "\n".join(lines)


_CANCELLED_BY = {
    Cause.KEY: later("You cancelled it with a key."),
    Cause.WORDS: later("You cancelled it by what you said."),
}
_NOT_BEGUN = (Cause.COMMAND, Cause.PUT_OFF)


def tell_verdict(turn: PastTurn) -> str:
    """Whether a turn did what it was to do, in a word."""
    if turn.is_open:
        return _("Not yet.")
    if turn.outcome is Outcome.SUCCESS:
        return _("Yes.")
    return _("Not for certain.") if turn.outcome is Outcome.UNCONFIRMED else _("No.")


def tell_missed(whole: WholeTurn, *, of_any: bool = False) -> str:
    """How a turn ended that was to do a deed that is asked about, with all that it did instead."""
    turn, done = whole.turn, tell_done(whole.checkpoint.steps)
    # What it did is not what is asked about, unless that may be anything.
    is_unknown = turn.outcome is Outcome.SUCCESS and not (of_any and done)
    opened = _("No, not as far as is known.") if is_unknown else tell_verdict(turn)
    ended = _("“{said}”: {outcome}. {answer}")
    ending = ended.format(said=turn.said, outcome=_(turn.ended), answer=turn.answer_only).strip()
    beside = done or [_("Nothing was paid, sent or deleted in it.")]
    return "\n".join((sentences(opened, ending), *(line for line in beside if line not in ending)))


def tell_asked_deed(
    turns: PastTurns,
    kinds: frozenset[ActionKind],
    whom: str,
    called: Sequence[str],
    is_about: Callable[[PastTurn], bool] = lambda turn: True,
    *,
    is_call: bool = False,
) -> tuple[str, tuple[str, ...]]:
    """Whether a deed that is asked about was done, and the ids of the turns that tell it.

    It begins with yes or no. The newest such deed is told with its time; before it a newer turn that was to
    do one and did not. A line that only asked is no such turn, whatever became of it.

    Args:
        turns: the turns.
        kinds: the kinds of deeds that are meant; empty for any.
        whom: to whom, in the words of the line; empty for anybody.
        called: the names that this person has.
        is_about: whether a turn is about the thing that is named; others are not told.
        is_call: of what was sent, only calls are meant, which have no text.
    """
    meant, missed, other = kinds or _DEEDS_ASKED_ABOUT, None, None
    for turn in filter(is_about, turns.newest(_DEEDS_SOUGHT_IN)):
        whole = turns.whole(turn.turn_id)
        if whole is None or (not whole.checkpoint.steps and asks(turn.said)):
            continue
        done = (step for step in whole.checkpoint.steps if step.deed_done is not None)
        such = [step for step in done if step.deed is not None and step.deed.kind in meant]
        steps = [step for step in such if not (is_call and step.deed and step.deed.text)]
        if steps and whom and not any(_goes_to(step, called) for step in steps):
            other = other or (whole, steps)
            continue
        if steps:
            parts = [tell_missed(missed), _("Before that:")] if missed is not None else []
            parts.append(_tell_deeds(whole, [each for each in steps if not whom or _goes_to(each, called)]))
            evidence = (missed.turn.turn_id,) if missed is not None else ()
            return "\n".join(parts), (*evidence, turn.turn_id)
        is_meant = not kinds or required_kinds(turn.instruction) & kinds
        if missed is None and not other and is_meant and (whole.steps or kinds):
            missed = whole
            if not kinds and tell_done(whole.checkpoint.steps):
                break  # An alarm that was set is what is asked about.
    lines = [tell_missed(missed, of_any=not kinds)] if missed is not None else []
    if other is not None:
        lines.append(_("No: nothing of that kind was done for {whom}. The latest:").format(whom=whom))
        lines.append(_tell_deeds(*other))
    if not lines:
        return _("No: nothing of that kind was done in the latest turns."), ()
    return "\n".join(lines), tuple(each.turn.turn_id for each in (missed, other and other[0]) if each)


_DEEDS_SOUGHT_IN = 30
_DEEDS_ASKED_ABOUT = frozenset((ActionKind.PAY, ActionKind.SEND, ActionKind.DELETE, ActionKind.INSTALL))


def _goes_to(step: StoredStep, called: Sequence[str]) -> bool:
    recipient = step.deed.recipient if step.deed is not None else ""
    return any(is_same_value(name, each) for name in (recipient, *recipient.split()) for each in called)


def _tell_deeds(whole: WholeTurn, steps: Sequence[StoredStep]) -> str:
    """Some deeds of a turn: what and when, how the turn ended if not well, and what is known of it."""
    deeds, turn = [deed for step in steps if (deed := step.deed_done) is not None], whole.turn
    was_done = all(not deed.maybe for deed in deeds)
    is_sure = was_done and turn.outcome is not Outcome.UNCONFIRMED
    opened = _("Yes. {time}: {deeds}") if is_sure else _("Not for certain. {time}: {deeds}")
    if was_done and not is_sure:
        opened = _("{time}: {deeds} That is known; the phone did not confirm all that was asked for.")
    when = moment(steps[-1].at or turn.started)
    ended = _("“{said}”: {outcome}. {answer}")
    seen = _("You allowed it, and the phone showed it done; {app} has it.")
    unseen = _("Look into {app} before you do it again.")
    is_seen = is_sure and turn.outcome is Outcome.SUCCESS
    ending = ended.format(said=turn.said, outcome=_(turn.ended), answer=turn.answer_only).strip()
    return "\n".join(
        (
            opened.format(time=when, deeds=sentences(*map(tell_deed, deeds))),
            *([] if is_seen else [ending]),
            (seen if is_seen else unseen).format(app=deeds[-1].app),
        )
    )


def tell_complained(whole: WholeTurn, *, is_named: bool) -> list[str]:
    """What the record has of a turn that a complaint is about, by name or as the last.

    It is offered again only where it did nothing, and no other was named: what was done is not done twice.
    """
    turn, command = whole.turn, one_line(whole.turn.said, _LONGEST_QUOTE)
    if is_named:
        done = tell_done(whole.checkpoint.steps) or [_("Nothing was paid, sent or deleted in it.")]
        record = _("The record of “{said}” has: {done}").format(said=command, done=sentences(*done))
        return [sentences(record, _("The record cannot be changed by words."))]
    is_undone = turn.outcome in (Outcome.FAILED, Outcome.CANCELLED) and not whole.checkpoint.deeds
    again = _("To try it again, send: {command}").format(command=command)
    return [tell_outcome(whole), *([again] if is_undone else [])]


_LONGEST_QUOTE = 200


def tell_corrected(turns: PastTurns, newest: Sequence[PastTurn], text: str) -> tuple[str, str]:
    """The newest command as a line corrects it, with what was done for it before; empty where it does not.

    What was done stays, as an alarm that is set: which of several is meant, only the user can see. They say
    whether the other is to be done, too.

    Args:
        turns: the past turns.
        newest: those of the user's commands, the newest first.
        text: the line.

    Returns:
        What is told, and the command to be sent.
    """
    read = read_correction(newest[0].said, text) if newest else ()
    if len(read) != 1:
        return "", ""
    whole, command = turns.whole(newest[0].turn_id), one_line(read[0].command)
    done = tell_done(whole.checkpoint.steps) if whole is not None else []
    last = _("The last command was “{said}”.").format(said=one_line(newest[0].said))
    anew = _("Nothing was done for it. To do it so, send: {command}")
    if done:
        anew = _("That stays. To do it so as well, send: {command}")
    return sentences(last, *done, anew.format(command=command)), command


def tell_turns(turns: PastTurns, since: datetime, now: datetime) -> dict[str, str]:
    """The newest turns that began since a time, by their ids, the oldest first: steps and how each ended."""
    texts = {}
    for turn in reversed([turn for turn in turns.newest(_MOST_TOLD) if turn.started >= since]):
        head = _("{time} “{said}”: {outcome}. {answer}").format(
            time=turn.started.astimezone(now.tzinfo).strftime("%H:%M"),
            said=one_line(turn.said),
            outcome=_(turn.ended),
            answer=one_line(turn.answer_only),
        )
        lines = [head.strip()]
        whole = turns.whole(turn.turn_id)
        for past in whole.steps if whole is not None else ():
            words = f"  {past.step.number}  {one_line(describe(past.step.action, _))}"
            lines.append(_("{step} · did not work").format(step=words) if past.step.error else words)
        texts[turn.turn_id] = "\n".join(lines)
    return texts


def list_schedules(schedules: Schedules, now: datetime) -> str:
    """The schedules, a line each with when it comes next and how it went last."""
    last = {run.schedule_id: run for run in reversed(schedules.history(count=200))}
    lines = [
        f"{schedule.number}  {format_schedule(schedule, now, last.get(schedule.id))}"
        for schedule in schedules.all()
    ]
    return "\n".join(lines) or _(
        "Nothing is scheduled. Example: /schedule every weekday at 8 order my usual coffee"
    )


def find_named(turns: Sequence[PastTurn], names: Sequence[Sequence[str]]) -> PastTurn | None:
    """The turn that has most of some names, each in any of its forms; of several the first, None for none."""
    texts = [f"{turn.said} {turn.instruction}" for turn in turns]
    counts = [sum(mentions_any(text, forms) for forms in names) for text in texts]
    return turns[counts.index(max(counts))] if any(counts) else None


def find_turns(turns: Sequence[PastTurn], words: str) -> list[PastTurn]:
    """The turns that words fit, in their order: those that contain them, else those that nearly do."""
    if not (sought := words.strip()):
        return list(turns)
    parts = sought.casefold().split()
    texts = [_searched(turn) for turn in turns]
    exact = [turn for turn, text in zip(turns, texts, strict=True) if all(part in text for part in parts)]
    if exact:
        return exact
    return [
        turn
        for turn, text in zip(turns, texts, strict=True)
        if all(fuzz.partial_ratio(part, text) >= _ALIKE for part in parts)
    ]


def _searched(turn: PastTurn) -> str:
    day = f"{turn.started:%A %d %B %Y}"
    return " ".join((turn.said, turn.instruction, *turn.apps, turn.answer, turn.ended, day)).casefold()


def _past(row: Mapping[Any, Any], kept: Mapping[str, Any]) -> PastTurn:
    steps = kept.get("steps", [])
    return PastTurn(
        turn_id=row["id"],
        said=row["said"] or kept.get("instruction", ""),
        instruction=kept.get("instruction", ""),
        started=datetime.fromisoformat(row["started"]),
        outcome=Outcome(row["outcome"]) if row["outcome"] else None,
        is_open=bool(row["open"]),
        steps=len(steps),
        seconds=kept.get("seconds", 0.0),
        apps=tuple(dict.fromkeys(_app(step) for step in steps if step.get("app"))),
        answer=kept.get("answer", ""),
        cause=Cause(kept.get("ended_by", Cause.DONE)),
    )


def _app(step: Mapping[str, Any]) -> str:
    """What a person calls a step's app; one without a known label is kept under its package."""
    app: str = step["app"]
    return app_name(app) if app == step.get("package") else app


def _with_answer(checkpoint: Checkpoint, turn: PastTurn) -> Iterator[StoredStep]:
    """The steps; the last look at the screen, which did nothing to the phone, stands for the answer."""
    yield from checkpoint.steps
    if turn.outcome is Outcome.SUCCESS:
        number = len(checkpoint.steps) + 1
        yield StoredStep(number=number, action=Finished(answer=checkpoint.answer or "done"))


Picture = Callable[[str, int], bytes]
"""Gives the picture of a turn's step as a JPEG, empty for none."""


@dataclass(frozen=True, slots=True)
class _StepView:
    """A step as the page shows it; the points are percent of the picture."""

    number: int
    words: str
    source: str
    error: str
    app: str
    thought: str
    picture: str
    points: tuple[tuple[float, float], ...]
    missing: str


def step_words(action: Action) -> str:
    """What a step does; of the last one, what it says."""
    match action:
        case Finished(answer=answer):
            return one_line(answer) or _("finish")
        case Failed(reason=reason):
            return one_line(split_reason(reason)[1]) or _("give up")
        case _:
            return one_line(shown(action, _))


def turn_facts(whole: WholeTurn) -> list[tuple[str, str]]:
    """What is known of a turn as a whole, a name and a text each."""
    turn, kept = whole.turn, whole.checkpoint
    tokens = f"{kept.usage.total_tokens:,}" if kept.usage.requests else ""
    if kept.usage.estimated_tokens:
        tokens = _("{count}, about {estimated} of them estimated").format(
            count=tokens, estimated=f"{kept.usage.estimated_tokens:,}"
        )
    rows = [
        (_("said"), without_control_characters(turn.said)),
        (_("meant"), without_control_characters(turn.instruction) if turn.instruction != turn.said else ""),
        (_("began"), moment(turn.started, year=True)),
        (_("ended"), _(turn.ended)),
        (_("answer"), without_control_characters(turn.answer)),
        (_("took"), _("{seconds:.0f} s").format(seconds=turn.seconds) if turn.seconds else ""),
        (_("apps"), one_line(", ".join(turn.apps))),
        (_("place"), one_line(_(kept.scenario)) if kept.scenario != "unknown" else ""),
        (_("model"), one_line(kept.model)),
        (_("tokens"), tokens),
        (_("cost"), in_words(kept.cost) if kept.cost else ""),
    ]
    return [(name, text) for name, text in rows if text]


def export_name(turn: PastTurn) -> str:
    """The name of a turn's file, without its ending."""
    return f"assistant-turn-{turn.started:%Y%m%d-%H%M%S}"


def turn_html(whole: WholeTurn, picture: Picture, simulated: str = "") -> str:
    """The report of a turn.

    Args:
        whole: the turn.
        picture: gives the pictures.
        simulated: a sentence that says what is simulated; else empty.
    """
    return _template().render(
        title=one_line(whole.turn.said, 120),
        facts=turn_facts(whole),
        notes=[without_control_characters(note) for note in whole.checkpoint.notes],
        steps=[_view(whole.turn.turn_id, step, picture) for step in whole.steps],
        swept=_("{count} of its pictures are not kept any more.").format(count=whole.swept)
        if whole.swept
        else "",
        simulated=simulated,
        language=spoken().value,
        words={name: _(words) for name, words in _WORDS.items()},
    )


def _view(turn_id: str, past: PastTurnStep, picture: Picture) -> _StepView:
    step = past.step
    jpeg = picture(turn_id, step.number) if past.picture is PictureState.KEPT else b""
    state = PictureState.SWEPT if past.picture is PictureState.KEPT and not jpeg else past.picture
    return _StepView(
        number=step.number,
        words=step_words(step.action),
        source=_(step.source.value),
        error=without_control_characters(refusal_words(step.error)),
        app=one_line(step.app),
        thought=without_control_characters(step.thought),
        picture=base64.b64encode(jpeg).decode() if jpeg else "",
        points=tuple((round(p.x * 100, 2), round(p.y * 100, 2)) for p in touched(step.action)),
        missing=_(PICTURE_WORDS[state]),
    )


_WORDS = {
    "notes": later("What it was told on the way"),
    "steps": later("Steps"),
    "nothing": later("Nothing was done on the phone."),
    "wrong": later("Not done: {error}"),
    "screen": later("The screen before step {number}"),
}
"""What the page itself says."""


@cache
def _template() -> Template:
    source = resources.files("assistant").joinpath("history.html").read_text("utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(source)


_DAY = 24 * 60
_AROUND = 60
"""Minutes within which two times of day are the same habit."""
_MOSTLY = 0.6
"""The least share of the times that makes an hour or a day of the week usual."""
LEAST_HABIT = 2
"""So few days are no habit: they are told as single events."""


def tell_usual_time(times: Sequence[datetime]) -> str:
    """The usual time of day and days of the week, with counts; or that there is no usual time."""
    minutes = [time.hour * 60 + time.minute for time in times]
    centre = max(minutes, key=lambda minute: sum(_distance(minute, other) <= _AROUND for other in minutes))
    usual_minutes = [minute for minute in minutes if _distance(minute, centre) <= _AROUND]
    if len(usual_minutes) < _MOSTLY * len(times):
        sentence, clock = _("At no fixed time."), ""
    else:
        mean = centre + round(
            sum((minute - centre + 720) % _DAY - 720 for minute in usual_minutes) / len(usual_minutes)
        )
        rounded = timedelta(minutes=10 * round(mean % _DAY / 10) % _DAY)
        hour, rest = divmod(int(rounded.total_seconds()) // 60, 60)
        clock = f"{hour:02}:{rest:02}"
        sentence = _("Around {clock}, {count} of {all} times.").format(
            clock=clock, count=len(usual_minutes), all=len(times)
        )
    weekdays = Counter(time.weekday() for time in times)
    day, count = weekdays.most_common(1)[0]
    if count >= _MOSTLY * len(times):
        name = weekday_of(next(time for time in times if time.weekday() == day))
        if clock and count == len(times):
            return _("{day} around {clock}, {count} of {all} times.").format(
                day=name, clock=clock, count=len(usual_minutes), all=len(times)
            )
        return _("{sentence} Mostly on {day}, {count} of {all}.").format(
            sentence=sentence, day=name, count=count, all=len(times)
        )
    if sum(weekdays[number] for number in range(5)) == len(times) and len(times) > LEAST_HABIT:
        return sentences(sentence, _("Always on working days."))
    return sentence


def _distance(first: int, second: int) -> int:
    """Minutes between two times of day, over midnight too."""
    apart = abs(first - second)
    return min(apart, _DAY - apart)

"""What a typed line switches, such as suggestions, quiet hours and schedules, and what “undo” and “redo” do.

`small_talk` is what is said to a line that changes and asks nothing.

A word takes back only what the user changed themselves, or what was learnt from the newest turn, the newest
first. What it may not take back, such as an import or what a turn did on the phone, is told first; the word
typed again goes on to what can be taken back before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, time

from assistant.agent.context import NOTHING_ORDERED
from assistant.conversation.line_words import (
    IDLE_WORDS,
    begins_before,
    complains,
    find_hours_by_day,
    format_hours,
    is_question,
    line_pattern,
    read_wished_time,
    split_start,
    split_told,
)
from assistant.conversation.past_questions import read_subject, routines_named
from assistant.conversation.periods import change_schedule, extend_schedule, read_quiet_hours
from assistant.conversation.remembering import told_pattern
from assistant.conversation.routing import (
    SWITCHED,
    UNSURE,
    Route,
    RouteKind,
    begins_task,
    ends_suggestions,
    route,
    says_nothing,
    with_hour,
    with_said_hour,
    without_pointing,
)
from assistant.history import WholeTurn, list_schedules
from assistant.i18n import _, has_chinese, later, moment, sentences
from assistant.memory.audit import AuditLine, ChangeKind
from assistant.memory.profile.statements import is_statement
from assistant.memory.store import Store
from assistant.memory_view.items import Item, MemoryProblem, Section, is_on_other_days
from assistant.memory_view.labels import (
    KEPT_TURN,
    content_words,
    is_more_than_said,
    taken_back_words,
    tell_kept,
    tell_kept_turn,
    undo_words,
)
from assistant.memory_view.service import MemoryView
from assistant.model.types import one_line
from assistant.proactive.schedule_events import (
    ScheduledWords,
    UnreadableTime,
    find_impossible_clock,
    format_sender,
)
from assistant.proactive.schedule_times import split_times
from assistant.proactive.schedules import NoSuchSchedule, Schedule, Schedules, format_run, format_schedule
from assistant.records import Outcome
from assistant.skills.service import SkillMemory, UnknownTurn
from assistant.skills.storage import describe_kept
from assistant.understand.perceive import begins_order
from assistant.understand.types import negations_of, words_of
from assistant.understand.words import english_words, exact_words, mentions_any

_MOST_HIDDEN, _LOOKED_BACK, _NOON, _LATEST_MORNING, _BY_USER = 3, 500, 12, 11, "asked by the user"


class SwitchRefused(Exception):
    """A line changes nothing; the message says why and what to say, for the user."""


@dataclass(frozen=True, slots=True)
class Switches:
    """What a line can switch: learning from turns (paused or not), suggestions (on or off), and quiet hours.

    `suggestions` and `quiet_hours` return a sentence that says where that is kept. A time that is None stays.
    """

    pause_learning: Callable[[bool], None]
    suggestions: Callable[[bool], str]
    quiet_hours: Callable[[time | None, time | None], str]


class TypedUndo:
    """Takes back and redoes by a typed word, for one user and one session.

    Args:
        store: the memory.
        view: the memory to view and change.
        newest_turn: the newest turn that did anything.
    """

    def __init__(
        self, store: Store, view: Callable[[], MemoryView], newest_turn: Callable[[], WholeTurn | None]
    ) -> None:
        self._store = store
        self._view = view
        self._newest_turn = newest_turn
        self._shown_ids: set[str] = set()
        self._switch: tuple[int, Callable[[], str]] | None = None

    def note_switch(self, take_back: Callable[[], str]) -> None:
        """A setting was switched by a line: until something else changes, a word takes that back."""
        self._switch = self._newest_change(), take_back

    def _newest_change(self) -> int:
        return max((line.id for line in self._store.audit.lines(1)), default=0)

    def undo(self) -> str:
        """Take back the newest change that a word may take back, or tell why the newest thing stays."""
        switch, self._switch = self._switch, None
        if switch is not None and switch[0] == self._newest_change():
            return switch[1]()
        whole = self._newest_turn()
        lines = list(self._own_lines(whole))
        kept = next((line for line in lines if line.what == KEPT_TURN), None)
        is_newest = whole is not None and (
            lines[:1] == [kept] or not lines or (kept is None and lines[0].time <= whole.turn.started)
        )
        if whole is not None and is_newest and whole.turn.turn_id not in self._shown_ids:
            self._shown_ids.add(whole.turn.turn_id)
            return sentences(tell_kept_turn(whole.checkpoint), self._offer(lines))
        for place, line in enumerate(lines):
            if not is_more_than_said(line):
                return self._take_back(line)
            if str(line.id) not in self._shown_ids:
                self._shown_ids.add(str(line.id))
                return sentences(tell_kept(line), self._offer(lines[place + 1 :]))
        return _("None of your changes can be undone.")

    def redo(self) -> str:
        """Do again what was taken back last, if a word may take it back."""
        audit = self._store.audit
        lines = audit.lines(_LOOKED_BACK)
        by_id = {line.id: line for line in lines}
        for undo in reversed(lines):
            line = by_id.get(undo.target or 0)
            if (
                undo.kind is ChangeKind.UNDO
                and line is not None
                and line.undone
                and not is_more_than_said(line)
            ):
                if line.why != _BY_USER and line.what != KEPT_TURN:
                    continue
                self._store.redo(line.id)
                return _("Redone: {what}.").format(what=self._say(line) or taken_back_words(line.what))
        return _("There is nothing to redo.")

    def _own_lines(self, whole: WholeTurn | None) -> Iterator[AuditLine]:
        """The user's changes that stand, and the record of the newest turn, the newest first."""
        # From a turn that failed or was cancelled nothing is learnt that anybody would want back.
        learns = whole is not None and whole.turn.outcome not in (Outcome.FAILED, Outcome.CANCELLED)
        for line in reversed(self._store.audit.lines(_LOOKED_BACK)):
            if line.undone:
                continue
            by_user = line.why == _BY_USER and line.kind in (ChangeKind.CHANGE, ChangeKind.FORGET)
            if by_user or (learns and whole is not None and self._keeps(line, whole.turn.turn_id)):
                yield line

    def _keeps(self, line: AuditLine, turn_id: str) -> bool:
        """Whether a change wrote the record of a turn."""
        return line.what == KEPT_TURN and any(
            row.key.get("id") == turn_id for row in self._store.audit.rows(line.id)
        )

    def _say(self, line: AuditLine) -> str:
        return content_words(self._store, line, lambda record: self._view().name_of_record(record))

    def _offer(self, lines: list[AuditLine]) -> str:
        """What the word takes back when it is typed again."""
        line = next((line for line in lines if not is_more_than_said(line)), None)
        if line is None:
            return ""
        again, _done = undo_words(self._store, line)
        return _(again).format(what=self._say(line) or taken_back_words(line.what))

    def _take_back(self, line: AuditLine) -> str:
        content, (_again, done) = (
            self._say(line) or taken_back_words(line.what),
            undo_words(self._store, line),
        )
        self._store.undo(line.id)
        return _(done).format(what=content)


class SuggestionSwitches:
    """Changes suggestions and learning as a typed line asks for, and notes how a word takes that back.

    Args:
        switches: what is switched.
        view: the memory to view and change.
        undo: takes back by a word.
        quiet: the hours without suggestions at the start.
        now: the local time with its zone.

    Attributes:
        is_off: whether a line ended all suggestions, and none has brought them back.
    """

    def __init__(
        self,
        switches: Switches,
        view: Callable[[], MemoryView],
        undo: TypedUndo,
        quiet: tuple[time, time],
        now: Callable[[], datetime],
    ) -> None:
        self._switches = switches
        self._view = view
        self._undo = undo
        self._quiet = quiet
        self._now = now
        self.is_off = False

    def switch_learning(self, *, paused: bool) -> str:
        """Stop or resume learning from turns."""
        self._switches.pause_learning(paused)
        if paused:
            return _("Nothing is learnt from turns until you say “resume learning”.")
        return _("It learns from turns again.")

    def switch_suggestions(self, enabled: bool) -> str:
        """Turn all suggestions on or off."""
        kept, self.is_off = self._switches.suggestions(enabled), not enabled
        self._undo.note_switch(lambda: self._switch_back(not enabled))
        return sentences(_(_SWITCHED[enabled]), kept, _("“undo” takes it back."))

    def _switch_back(self, enabled: bool) -> str:
        kept, self.is_off = self._switches.suggestions(enabled), not enabled
        return sentences(_(_AS_BEFORE), _(_SWITCHED[enabled]), kept)

    def keep_quiet(self, line: str) -> str:
        """Set the hours without suggestions that a line asks for; what it does not name stays."""
        wish, (first, last) = read_quiet_hours(line), self._quiet
        if wish is None:
            raise SwitchRefused(_("Nothing was changed: the line names no hours."))
        if not wish.start and not wish.end:
            raise SwitchRefused(_(_NO_QUIET_DAYS).format(days=wish.days))
        now = self._now()
        end = read_wished_time(wish.end, now, in_evening=False) if wish.end else last
        by_night = not wish.end or end is None or end.hour <= _NOON
        start = read_wished_time(wish.start, now, in_evening=by_night) if wish.start else first
        by_day = find_hours_by_day(wish.start, wish.end, now)
        if start is None or end is None or start == end or by_day:
            sentence = _("Nothing was changed. Say both times, such as “no suggestions {hours}”.")
            raise SwitchRefused(sentence.format(hours=by_day or format_hours(time(22), time(7))))
        hours = format_hours(start, end)
        if wish.days:
            sentence = _(
                "Nothing was changed: quiet hours hold every day. Say it without “{days}” to have them "
                "{hours}."
            )
            raise SwitchRefused(sentence.format(days=wish.days, hours=hours))
        late_end = end.hour >= _LATEST_MORNING and line_pattern("before").search(line) is not None
        is_for_now = late_end or line_pattern("until").search(line)
        if not wish.start and is_for_now and line_pattern("daily").search(line) is None:
            sentence = _(
                "Nothing was changed: this may be meant for now, and quiet hours hold every day. To have "
                "them {hours}, say it with “every day”."
            )
            raise SwitchRefused(sentence.format(hours=hours))
        # What is not named is not written: it may have been changed elsewhere since.
        named_start, named_end = (start if wish.start else None), (end if wish.end else None)
        kept = self._set_quiet(named_start, named_end)
        before = (first if wish.start else None), (last if wish.end else None)
        self._undo.note_switch(lambda: sentences(_(_AS_BEFORE), self._set_quiet(*before)))
        unnamed = _("{time} was set before; you named no other.")
        unnamed = unnamed.format(time=f"{end if named_end is None else start:%H:%M}")
        unnamed = "" if named_start and named_end else unnamed
        apps = _("What apps on the phone show stays as it is.")
        apps = apps if line_pattern("of_phone").search(line) else ""
        return sentences(kept, unnamed, apps, _("“undo” takes it back."))

    def _set_quiet(self, start: time | None, end: time | None) -> str:
        """Set the quiet hours, None for a time that stays; returns the sentence that says so."""
        kept = self._switches.quiet_hours(start, end)
        self._quiet = start or self._quiet[0], end or self._quiet[1]
        sentence = _("Nothing is suggested {hours}, every day.").format(hours=format_hours(*self._quiet))
        return sentences(sentence, kept)

    def stop_suggesting(self, words: str, line: str) -> str:
        """Hide the routines that some words mean, so that they are not suggested; without words, all end."""
        if line_pattern("by_clock").search(line):
            hint = _(
                "Nothing was changed. Quiet hours hold for all suggestions: say “no suggestions after ten”. "
                "The hours of one routine are changed in /memory."
            )
            raise SwitchRefused(hint)
        words = _named_beside(line) or words if not words or words in english_words.PRONOUNS else words
        if not words:
            return self._stop_all(line)
        if line_pattern("left_out").match(f", {words}"):
            sentence = _("Nothing was changed: “all but” cannot be kept. Say what is not to be suggested.")
            raise SwitchRefused(sentence)
        view, days = self._view(), read_subject(words).weekdays
        chosen, behind = routines_named(words, self._routines())
        if any(is_on_other_days(view.details(Section.ROUTINES, each).heat, days) for each in chosen):
            hint = _(
                "Nothing was changed: “{words}” names days, and this is done on others too. Say it without "
                "them to have it suggested on no day, or change its hours in /memory, as to 11:30-13 mon-fri."
            )
            raise SwitchRefused(hint.format(words=words))
        if not chosen:
            sentence = _(
                "Nothing was changed: no routine with “{words}” is suggested. /memory lists the routines. "
                "“Stop suggesting” ends all suggestions; for hours say “no suggestions from 22:00 to 9:00”."
            )
            raise SwitchRefused(sentence.format(words=words))
        if len(chosen) > _MOST_HIDDEN:
            names = "\n".join(f"  {item.name}" for item in chosen)
            raise SwitchRefused(_("That fits several routines. Say which:\n{names}").format(names=names))
        for item in chosen:
            view.stop_suggesting(item)
        names = _("; ").join(item.name for item in chosen)
        gone = _("Not suggested any more: {names}. “undo” takes it back.").format(names=names)
        left = _("Not taken: “{words}”. Send it by itself.").format(words=one_line(behind))
        others = (each for each in split_told(line) if route(each).kind not in SWITCHED)
        if self.is_off and any(map(negations_of, others)):
            gone = sentences(self.switch_suggestions(True), gone)  # “Not all of them! Only the noodles.”
        off = _("All others are off, too; “suggest again” brings them back.") if self.is_off else ""
        return sentences(gone, left if behind else "", off)

    def _routines(self) -> list[Item]:
        return [item for item in self._view().items(Section.ROUTINES).items if not item.hidden]

    def _stop_all(self, line: str) -> str:
        """End all suggestions, unless the line speaks of a deed or routine, which may be what is meant."""
        beside = [each for each in split_told(line) if route(each).kind not in SWITCHED]
        named = next((each for each in beside if read_subject(each).deed not in ("", "do")), "")
        with suppress(MemoryProblem):
            meant = (
                each for each in self._routines() if any(says_word_of(each.name, clause) for clause in beside)
            )
            named = named or next((each.name for each in meant), "")
        if named:
            sentence = _(
                "Nothing was changed: perhaps only “{name}” is meant. Say what is not to be suggested, or "
                "“stop suggesting anything” for all."
            )
            raise SwitchRefused(sentence.format(name=named))
        return self.switch_suggestions(False)


def _named_beside(line: str) -> str:
    """What the clauses beside a wish for no suggestions name; none of them where they only say why."""
    for clause in split_told(line):
        rest = _JOINED.sub("", clause)
        forms = ("reason_behind", rest), ("reason_told", f", {rest}"), ("all_suggestions", rest)
        is_told = any(line_pattern(name).fullmatch(words.casefold()) for name, words in forms)
        is_wish = route(rest).kind in SWITCHED or ends_suggestions(rest)
        if not (is_told or is_wish or says_nothing(rest) or complains(rest)):
            return without_pointing(rest)
    return ""


def says_word_of(name: str, line: str) -> bool:
    """Whether a line has a telling word of what a routine or schedule does; in Chinese two signs of one."""
    words = {*words_of(name)}.difference(exact_words("en").function)
    signs = [word for word in read_subject(name).words if has_chinese(word)]
    pairs = (word[at : at + 2] for word in signs for at in range(len(word) - 1))
    return mentions_any(line, (*(word for word in words if word.isascii() and len(word) > 3), *pairs))


_AS_BEFORE = later("Taken back, as before:")
_NO_QUIET_DAYS = later(
    "Nothing was changed: no single day (“{days}”) is kept free of suggestions, only hours, every day: “no "
    "suggestions from 22:00 to 7:00”. “Stop suggesting” ends all of them."
)
_SWITCHED = later("Nothing is suggested any more."), later("Suggestions are on.")
_HELP = (
    later("This program operates your phone: type what it should do, such as “{task}”."),
    later("It answers from your memory, without the phone: “{question}”, “what do you know about me”."),
    later("It remembers what you tell it: “remember that I am allergic to peanuts”; “undo” takes that back."),
    later(
        "While it works, type what it should do differently. Escape pauses; a second Escape ends the turn."
    ),
    later("/help lists the commands, F1 the keys, and --help at the command line the rest. /exit leaves."),
)
_TASK, _QUESTION = later("set an alarm for 7:30"), later("when do I usually call mom")
_NO_TURN = later("No turn is running, so there is nothing to stop or continue.")
_SMALL_TALK = {
    RouteKind.GREETING: later("Hello. Type what the phone should do, or ask about your past."),
    RouteKind.THANKS: later("You are welcome."),
    RouteKind.PARTING: later("Until later. /exit leaves the program."),
    RouteKind.STOP: _NO_TURN,
    RouteKind.CANCEL: _NO_TURN,
    RouteKind.RESUME: _NO_TURN,
    RouteKind.WHY: later(
        "Nothing was decided here yet. After a command, this tells why it was understood as it was."
    ),
    RouteKind.CORRECTION: later(
        "No turn is running that this could correct. Say the whole command again; what memory has "
        "wrong is changed in /memory."
    ),
    RouteKind.ANSWER: later(
        "Nothing is asked just now, so nothing was begun. Type what the phone should do."
    ),
    RouteKind.REMARK: NOTHING_ORDERED,
    RouteKind.RECOVERY: later(
        "“undo” takes back the last change of the memory, and /memory lists earlier ones. What was "
        "deleted for good, paid, sent or called cannot be taken back."
    ),
    RouteKind.LANGUAGE: later(
        "What you type may be Chinese or English at any time. The language of the screens is chosen at the "
        "start: “assistant --locale zh”, or “--locale en”."
    ),
    RouteKind.MANNER: later(
        "Nothing was changed and nothing begun: length and tone of the answers cannot be set. Times are "
        "always written in 24 hours. What can be set stands in /settings. How the phone shows its time is "
        "changed on the phone: “switch the phone to 24-hour time”."
    ),
    RouteKind.PROGRESS: later(
        "How long a task takes is not known beforehand: each step is decided when the one before is seen. "
        "The steps done so far stand in the conversation. Escape pauses a turn."
    ),
    RouteKind.ASIDE: later(
        "The turn goes on as it was. Say what it should do differently; “stop” pauses it."
    ),
    RouteKind.ALOUD: later(
        "Nothing is read aloud here. Started with --plain, the interface is in lines, which a screen reader "
        "can speak."
    ),
    RouteKind.ASKING: later(
        "Before anything is paid, sent, called or deleted you are asked each time, whatever the amount, and "
        "shown what for. Such a question offers “yes, always” where that is possible: never for a payment. "
        "“assistant approvals” lists what is always allowed, and takes it back. Setting an alarm or "
        "writing a note needs no yes."
    ),
    RouteKind.REMINDER: later(
        "Nothing was begun: it cannot remind you when you arrive or do something. Say a time, as in "
        "“remind me at six to water the plants”. What the phone is to do when you arrive can be "
        "scheduled: “when I get home, play some music”."
    ),
    RouteKind.PROHIBITION: later(
        "Nothing was begun. Such a rule cannot be kept for later commands. But nothing is paid, sent, called "
        "or deleted before you say yes to it, and Escape stops a turn at any time."
    ),
    RouteKind.PRIVACY: later(
        "Everything personal stays on this computer. Only the screenshot and the text that the model "
        "needs go to the endpoint that you set; /memory shows each request, word by word."
    ),
}
"""What is said to lines that need neither phone nor memory."""


def small_talk(kind: RouteKind) -> str:
    """The answer to a greeting, thanks or a call for help, in the language in use."""
    if kind is RouteKind.HELP:
        return "\n".join(_(line).format(task=_(_TASK), question=_(_QUESTION)) for line in _HELP)
    return _(
        _SMALL_TALK.get(kind, later("This works in the interface: start “assistant” without a command."))
    )


def find_facts_beside(line: str) -> list[str]:
    """The facts of the user that a line tells beside a wish about suggestions."""
    return [clause for clause in split_told(line) if route(clause).kind is RouteKind.REMEMBER]


def find_wishes_beside(target: Route) -> list[Route]:
    """What else a line switches, each in a clause of its own; nothing that ends all suggestions."""
    read = [route(_JOINED.sub("", clause)) for clause in split_told(target.text) if not is_question(clause)]
    switched = [each for each in read if each.kind in SWITCHED]
    own = next((each for each in switched if (each.kind, each.rest) == (target.kind, target.rest)), None)
    return [each for each in switched if each is not own and (each.rest or each.kind is not SWITCHED[0])]


def tell_beside(target: Route, done: Sequence[Route] = ()) -> str:
    """What to say of the clauses beside the change of a setting that are not `done`: orders are not taken."""
    answers: dict[str, None] = {}
    clauses = split_told(target.text)
    wish = next((each for each in clauses if route(each).kind is target.kind), (*clauses, "")[0])
    for clause in clauses:
        rest = _JOINED.sub("", clause)
        beside = route(rest)
        if clause == wish or is_question(clause) or beside in done or beside.kind in _SAYING_NOTHING:
            continue
        if beside.kind is RouteKind.ASKING:
            answers[small_talk(beside.kind)] = None
        elif beside.kind is not RouteKind.COMMAND or begins_order(rest) or begins_task(rest):
            answers[_("Not taken: “{words}”. Send it by itself.").format(words=one_line(rest))] = None
    return sentences(*answers)


_JOINED = re.compile(r"^(?:(?:(?:and|n|&|also|oh|btw|but|then|please)\s+)+|(?:还有|而且|另外|并且|也)+)")
_SAYING_NOTHING = (*UNSURE, *map(RouteKind, ("thanks", "greeting", "parting", "remember", "answer")))


def keep_turn(
    store: Store, user_id: str, whole: WholeTurn | None, name: str
) -> tuple[str, tuple[str, ...], bool]:
    """Keep the newest turn as a skill; returns the reply, the turn's id as evidence, and if it was kept."""
    if whole is None or whole.turn.outcome is not Outcome.SUCCESS:
        sentence = _("Only a command that ended well can become a skill; the last one did not.")
        return sentence if whole is not None else _("I do not know: no turn has run yet."), (), False
    try:
        kept = SkillMemory(store, user_id).keep(whole.turn.turn_id, name)
    except UnknownTurn as problem:
        return problem.reason, (), False
    return sentences(describe_kept(kept), _("“undo” takes it back.")), (whole.turn.turn_id,), True


def split_remembered(words: str) -> tuple[str, Route | None]:
    """What is to be remembered, and the wish that the line goes on to, as in “, forget the peanut thing”."""
    others = (RouteKind.FORGET, RouteKind.STOP_SUGGESTING, RouteKind.QUIET_HOURS)
    for match in line_pattern("second_wish").finditer(words):
        rest = words[match.end() :].strip()
        drops = told_pattern("drops").fullmatch(rest)
        wish = Route(RouteKind.FORGET, rest, rest=drops["what"]) if drops is not None else route(rest)
        is_order = wish.kind is RouteKind.COMMAND and begins_order(rest) and not is_statement(words)
        if match.start() and (is_order or wish.kind in others):
            return words[: match.start()].strip(), wish
    return words, None


def _ask_what_changes(schedules: Schedules, name: str, now: datetime) -> str:
    """That nothing was changed, with the schedules that may be meant, and how a change is said."""
    meant = [schedules.find(name)] if name else schedules.all()
    how = _("Which change is meant is not certain. Say it by itself, such as “{example}”.")
    example = _("leave out fridays for the coffee schedule")
    stands = "\n".join(format_schedule(each, now) for each in meant)
    return "\n".join(filter(None, (_("Nothing was changed."), stands, how.format(example=example))))


def ask_before_ending(schedules: Schedules, words: str) -> tuple[str, tuple[str, ...], bool, str] | None:
    """The question before a schedule ends, with the command that ends it; None for other changes."""
    order, _space, names = words.partition(" ")
    if order not in ("remove", "pause"):
        return None
    meant = [schedules.find(name) for name in names.split(",")]
    command = f"/schedule {order} {','.join(str(schedule.number) for schedule in meant)}"
    sentence = _("Perhaps “{schedule}” is meant: it still stands. To change it, send: {command}")
    named = _("; ").join(schedule.words for schedule in meant)
    return sentence.format(schedule=named, command=command), (), False, command


def find_unclear_time(words: str, now: datetime) -> tuple[str, str]:
    """What is unclear about the time of a schedule, in a sentence, and the words to change; else empty."""
    if clock := find_impossible_clock(words):
        return _("{time} is no time of day: nothing was begun.").format(time=clock), ""
    start, rest = split_start(words, now)
    if start and begins_before(rest, start, now):
        sentence = _("Nothing was scheduled: it would come before “{said}”. Without that, send: {command}")
        return sentence.format(said=start, command=rest), rest
    if timed := with_said_hour(words, now):
        return _("Nothing was begun. To do it at these times, send: {command}").format(command=timed), timed
    if timed := with_hour(words):
        return _("At what time? Change it, then send: {command}").format(command=timed), timed
    read = split_times(words, now, once=True)
    hour = line_pattern("early_hour").search(read.times) if read is not None else None
    if read is None or hour is None or line_pattern("half_named").search(words.casefold()) is not None:
        return "", ""
    sentence = _("“{said}” may be in the morning or in the evening: say which.").format(said=hour[0])
    later_half = f"下午{hour[0]}" if has_chinese(hour[0]) else f"{hour[0]} pm"
    return sentence, words.replace(read.times, read.times.replace(hour[0], later_half, 1), 1)


def run_schedule_words(
    schedules: Schedules, words: str, now: datetime
) -> tuple[str, tuple[str, ...], bool, str]:
    """List the schedules, change one, or add the one that begins with its times.

    Behind “?”, a word of no user, stands what a line may mean: a schedule, or what ends it. Nothing is done.

    Returns:
        What is said, no records that it rests on, whether that was done, and a command to send instead.
    """
    if words.startswith(("change ", "extend ")) and len(lines := words.split("\n")) > 1:
        replies = (run_schedule_words(schedules, each, now) for each in lines)
        answers, _ids, done, offers = zip(*replies, strict=True)
        return "\n".join(answers), (), all(done), next(filter(None, offers), "")
    order, _space, name = words.partition(" ")
    deed = split_times(name, now, once=True) if order.casefold() == "add" else None
    if deed is not None and (deed.begins or begins_task(name) or name.split()[0] in _CHANGES):
        return run_schedule_words(schedules, name, now)  # “Add milk to the list” is a deed itself.
    try:
        if order == "?":
            asked = ask_before_ending(schedules, name)
            return asked or (_ask_what_changes(schedules, name, now), (), False, "")
        if order.casefold() in _CHANGES:
            try:
                return _CHANGES[order.casefold()](schedules, name, now), (), True, ""
            except (NoSuchSchedule, UnreadableTime) as problem:
                deed = None if re.match(r"\S*\d", name) else split_times(words, now)
                if deed is None:
                    raise
                if _names_any(schedules, deed):
                    command = f"/schedule {deed.times} {deed.instruction}"
                    sentence = _("To schedule it, send: {command}").format(command=command)
                    return f"{problem} {sentence}", (), False, command
        if (unclear := find_unclear_time(words, now))[0]:
            return unclear[0], (), False, unclear[1]
        read = split_times(split_start(words, now)[1], now, once=True)
        if read is None:
            sentence = _("Begin with the times: /schedule every weekday at 8 order my usual coffee")
            raise UnreadableTime(sentence)
        added = schedules.add(read.times, read.instruction, now)
    except (NoSuchSchedule, UnreadableTime) as problem:
        return str(problem), (), False, ""
    return sentences(_added_words(added, now), schedules.tell_unknown_place(added.rule)), (), True, ""


def _names_any(schedules: Schedules, deed: ScheduledWords) -> bool:
    """Whether a deed that begins with a word such as “pause” may name a schedule, by its words or times."""
    order, _space, name = deed.instruction.partition(" ")
    texts, words = [each.instruction for each in schedules.all()], {*words_of(name)} - IDLE_WORDS
    is_name = order.casefold() == "change" or " " not in name  # “Remove all” is no deed.
    is_named = any(mentions_any(text, (word,)) for text in texts for word in words)
    return is_name or is_named or any(each.rule == deed.rule for each in schedules.all())


def _resume(schedules: Schedules, name: str, now: datetime) -> str:
    schedule = schedules.find(name)
    schedules.pause(schedule, paused=False, now=now)
    changed = next(each for each in schedules.all() if each.id == schedule.id)
    return format_schedule(changed, now)


def _restore(schedules: Schedules, name: str, now: datetime) -> str:
    """Bring back the schedule with an id, a number or words that was removed lately.

    Raises:
        NoSuchSchedule: there is none, or several fit; the message names these and what brings each back.
    """
    removed = schedules.removed(now)
    gone = [change for change, each in removed.items() if name in (each.id, str(each.number))][:1]
    gone = gone or [change for change, each in removed.items() if name and name in each.words.casefold()]
    fitting = {f"/schedule restore {removed[change].number}": removed[change] for change in gone}
    paused = [each for each in schedules.all() if each.paused and name and name in each.words.casefold()]
    fitting |= {f"/schedule resume {each.number}": each for each in paused}
    if len(fitting) > 1:
        several = _("“{name}” fits several schedules. Send what is meant:").format(name=name)
        lines = (f"  {command}  {one_line(each.words)}" for command, each in fitting.items())
        raise NoSuchSchedule("\n".join((several, *lines)))
    if not gone:
        sentence = _("No schedule fits “{name}”. List them with: assistant schedule list")
        raise NoSuchSchedule(sentence.format(name=name))
    schedules.restore(gone[0])
    sentence = _("It is back: {what}. “redo” removes it again.")
    return sentence.format(what=format_schedule(removed[gone[0]], now))


def _pause(schedules: Schedules, names: str, now: datetime) -> str:
    """Pause the schedules that are named."""
    paused = [schedules.find(name) for name in names.split(",")]
    for schedule in paused:
        schedules.pause(schedule, paused=True, now=now)
    sentence = _("Paused: {schedule}. “undo” takes it back; /schedule resume {number} goes on with it.")
    return "\n".join(sentence.format(schedule=schedule.words, number=schedule.number) for schedule in paused)


def _remove(schedules: Schedules, names: str, _now: datetime) -> str:
    """Remove the schedules that are named."""
    removed = [schedules.find(name) for name in names.split(",")]
    for schedule in removed:
        schedules.remove(schedule)
    return "\n".join(
        _("Removed: {schedule}. “undo” brings it back.").format(schedule=each.words) for each in removed
    )


def _added_words(schedule: Schedule, now: datetime) -> str:
    """The confirmation of a new schedule, with its next times, so that the user notices a misreading."""
    times = _(", ").join(moment(time) for time in schedule.upcoming(now))
    begins = times or _("{times}, while the assistant runs").format(times=schedule.times)
    sentence = _(
        "Scheduled: {instruction}. Next: {times}. It asks before it pays or sends. Type “undo” to remove it."
    )
    words = sentence.format(instruction=schedule.instruction, times=begins)
    return " ".join(part for part in (words, format_sender(schedule.rule)) if part)


_CHANGES: Mapping[str, Callable[[Schedules, str, datetime], str]] = {
    "": lambda kept, _words, now: list_schedules(kept, now),
    "history": lambda schedules, *_rest: (
        "\n".join(map(format_run, schedules.history(count=10))) or _("None yet.")
    ),
    "resume": _resume,
    "pause": _pause,
    "change": change_schedule,
    "extend": extend_schedule,
    "remove": _remove,
    "restore": _restore,
}
"""What is done to schedules, by the first word behind /schedule."""

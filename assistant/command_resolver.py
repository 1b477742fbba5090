"""Resolves commands with the memory of one user, and learns from turns that ended.

The memory and the sentence embedder are opened when the first command needs them, in a thread; explicit
commands never wait for them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import delete, select

from assistant.agent.checkpoint import read_count
from assistant.agent.context import (
    AppLookup,
    AskAboutCommand,
    CommandResolver,
    LikelyAnswer,
    ResolvedCommand,
    RunLookup,
)
from assistant.agent.instruction_check import find_told_name
from assistant.embedding.embedder import EmbeddingError, LazyEmbedder
from assistant.embedding.models import bundled_matcher, bundled_tagger
from assistant.events import ActionKind, Deed, Event, MeaningCorrected
from assistant.files import compile_lazy_regexes
from assistant.i18n import UserError, _, day_of, moment, sentences
from assistant.memory.database import StoreError, put_row
from assistant.memory.forgetting import erase_if_forgotten
from assistant.memory.profile.edits import Naming
from assistant.memory.profile.extract import mentions_secret
from assistant.memory.profile.model_update import propose_names, update_with_model
from assistant.memory.profile.service import LazyProfile, Profile
from assistant.memory.prototypes.service import HierarchicalMemory, hierarchical_memory, rules_of
from assistant.memory.prototypes.terms import VERBS, plain_command, word_set
from assistant.memory.request_log import REQUEST_TURN
from assistant.memory.schema import profile_queue
from assistant.memory.store import EXECUTED, INCOGNITO, LearningSwitches, StandingApproval, Store
from assistant.memory.turns import PART
from assistant.memory.vectors import StoreEmbedder
from assistant.model.types import ModelError, SourceTool, ToolServers, one_line, quoted
from assistant.proactive.offers import usual_moments, with_clock_time
from assistant.proactive.schedule_events import UnreadableTime
from assistant.proactive.schedule_times import (
    begins_then,
    find_time_to_come,
    means_now,
    read_days,
    read_moments,
    read_recurring,
)
from assistant.proactive.schedules import Schedules
from assistant.records import Outcome, Record, State
from assistant.settings.schema import Settings
from assistant.skills.command_wording import ALTERNATIVES, IN_COMMAND
from assistant.understand.explore import parse_lookup_answer
from assistant.understand.habit_match import find_told_against, format_reference, has_assumptions
from assistant.understand.memory_sources import load_earlier_turns, open_memory, store_lessons
from assistant.understand.perceive import (
    ORDER_GATE,
    SECRET_NOT_KEPT,
    Leaning,
    asks_secret,
    order_probability,
    read_leaning,
)
from assistant.understand.recall import tell_facts
from assistant.understand.resolution import (
    LearnedAnswer,
    Resolution,
    find_correction,
    read_again,
    say_again,
    update_lessons,
)
from assistant.understand.service import UnderstandingService
from assistant.understand.slots import EATEN, find_verb_kinds, purposes_of
from assistant.understand.types import (
    Category,
    LookupTask,
    MeaningOrigin,
    OtherCommand,
    PersonalizedElement,
    Question,
    ReadingModel,
    SourceCall,
    Sources,
    is_named_on_phone,
)
from assistant.understand.words import wording

_log = logging.getLogger(__name__)
_LONGEST_QUESTION = 200
_LOOKED_BACK, _MOST_AGAIN, _MOST_TIMES_ASKED = 30, 4, 3
_DONE = (Outcome.SUCCESS, Outcome.UNCONFIRMED)
_JUST_NOW = timedelta(hours=3)
"""How long ago a command may be for “again” to mean it without a question."""
_LESSONS = TypeAdapter(tuple[LearnedAnswer, ...])


class ModelAssist:
    """What a text model adds: reading commands that the memory is not sure of, learning, and naming concepts.

    Each use is enabled in the settings; without a model, or if it does not answer, the rules work alone.

    Args:
        settings: which uses are enabled, and whether a model is configured.
        make_text_model: creates the client of the model; None if there is none.
    """

    def __init__(self, settings: Settings, make_text_model: Callable[[], ReadingModel] | None = None) -> None:
        configured = settings.model.base_url and settings.model.name
        self._settings = settings
        self._make_text_model = make_text_model if configured else None

    @property
    def reader(self) -> ReadingModel | None:
        """Reads a vague command that the memory is not sure of; None if not enabled."""
        if self._make_text_model is None or not self._settings.understanding.with_model:
            return None
        return self._make_text_model()

    @property
    def naming(self) -> Naming | None:
        """Names the parts of a split concept; None if not enabled. Call it in a thread."""
        if self._make_text_model is None or not self._settings.profile.with_model:
            return None
        return partial(_name_concepts, self._make_text_model())

    def learn(self, profile: Profile, record: Record, is_kept: Callable[[], bool] = lambda: True) -> None:
        """Update the profile from a record that `is_kept` with the model, if enabled. Call it in a thread.

        Raises:
            StoreError: the store cannot be written.
            EmbeddingError: the embedder cannot be run.
        """
        if self._make_text_model is None or not self._settings.profile.with_model:
            return
        try:
            update = asyncio.run(update_with_model(profile, record, self._make_text_model(), is_kept))
        except ModelError as error:
            _log.warning("the model does not read what the turn tells: %s", error)
            return
        if update.refused:
            _log.warning("what the model read is refused: %s", update.refused)


def _name_concepts(text_model: ReadingModel, concept: str, groups: Sequence[Sequence[str]]) -> Sequence[str]:
    try:
        return asyncio.run(propose_names(concept, groups, text_model))
    except ModelError as error:
        _log.warning("the model names no concepts: %s", error)
        return ()


class AllowedSources:
    """Other sources, each tool of which the user is asked about before its first use.

    What is allowed always is a standing approval, listed and taken back like any other.

    Args:
        open_servers: returns the servers, always the same; called in a thread, when they are first needed.
        store: where standing approvals are.
        user_id: whose approvals.
        ask_user: asks the user; None if nobody can be asked.
    """

    def __init__(
        self,
        open_servers: Callable[[], ToolServers],
        store: Store,
        user_id: str,
        ask_user: AskAboutCommand | None,
    ) -> None:
        self._open_servers = open_servers
        self._store = store
        self._user_id = user_id
        self._ask_user = ask_user

    async def tools(self) -> tuple[Sequence[SourceTool], Mapping[str, str]]:
        """The tools, and for each source that failed just now why."""
        servers = await asyncio.to_thread(self._open_servers)
        return await servers.tools()

    async def call(self, call: SourceCall, element: str) -> str:
        """The answer of a tool; empty if the user does not allow it.

        Raises:
            SourceError: the source fails.
        """
        if not await self._allows(call, element):
            return ""
        return await self._open_servers().call(call.tool, call.arguments)

    async def _allows(self, call: SourceCall, element: str) -> bool:
        tool, kind, name = call.tool, ActionKind.GRANT, one_line(call.tool.name, 80)
        package = f"mcp {tool.server}"
        deed = Deed(kind=kind, package=package, app=tool.server, recipient=name, text=tool.identity)
        try:
            if self._store.approvals.allows(self._user_id, deed):
                return True
            if self._ask_user is None:
                return False
            always, once, never = _("always"), _("this time"), _("no")
            arguments = call.format_arguments()
            question = _(
                "May {source} be asked about “{element}”? Its tool {tool} gets {arguments}; the model reads "
                "the answer."
            ).format(
                source=tool.server, element=one_line(element, 60), tool=deed.recipient, arguments=arguments
            )
            answer = one_line(await self._ask_user(question, (always, once, never), kept=False)).casefold()
            if answer in ("1", always):
                self._store.approvals.allow(self._user_id, StandingApproval.for_deed(deed, self._store.now()))
        except StoreError as error:
            _log.warning("what the user allows is not kept: %s", error)
            return False
        return answer in ("1", "2", always, once)


class PersonalCommandResolver:
    """Resolves commands of one user and learns from the turns; the `CommandResolver` of a turn.

    Args:
        settings: the user and the settings of the memory.
        store: the memory.
        state: returns the user's local time and scenario.
        apps: returns the labels of the apps on the phone.
        emit: receives the events of understanding.
        make_text_model: creates the client of a text model, which the settings may enable; None for no model.
        make_servers: creates the client of the configured MCP servers, when first needed; None for none.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        state: Callable[[], State],
        apps: Callable[[], Sequence[str]],
        emit: Callable[[Event], None],
        make_text_model: Callable[[], ReadingModel] | None = None,
        make_servers: Callable[[], ToolServers] | None = None,
    ) -> None:
        self._settings = settings
        self._user = settings.user_id
        self._store = store
        self._state = state
        self._apps = apps
        self._emit = emit
        self._learning_switches = LearningSwitches(store, self._user)
        self._embedder_source = StoreEmbedder(store, settings.embedding)
        self._sources: Sources | None = None
        self.profile = LazyProfile(store, self.embedder, self._user)
        self._lessons: dict[str, tuple[LearnedAnswer, ...]] = {}
        self._model_assist = ModelAssist(settings, make_text_model)
        self._open_servers = cache(make_servers) if make_servers is not None else None
        self._tagger = bundled_tagger(_log.warning)
        self._understanding = UnderstandingService(
            self._open_sources, state, emit, self._model_assist.reader, self._tagger
        )
        self._record_labels: list[str] | None = None
        self._learning_tasks: set[asyncio.Task[None]] = set()

    async def __call__(self, command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
        """Resolve a command; returns it unchanged if nothing in it depends on the user."""
        return await self._resolve(command, look_up, ask_user)

    def for_turn(self, turn_id: str, settled: str = "") -> CommandResolver:
        """Resolves the command of one turn; turns on several phones may do so at the same time.

        Args:
            turn_id: the turn; `learn` keeps what the user said in it.
            settled: the complete instruction that the user made the command from, such as an accepted
                suggestion that was edited: only what the user added is resolved. Else empty.
        """
        return partial(self._resolve, turn_id=turn_id, settled=settled)

    @property
    def reader(self) -> ReadingModel | None:
        """Reads what the rules are not sure of; None where no model may."""
        return self._model_assist.reader if self._settings.understanding.enabled else None

    async def _resolve(
        self,
        command: str,
        look_up: RunLookup,
        ask_user: AskAboutCommand,
        turn_id: str = "",
        settled: str = "",
    ) -> ResolvedCommand:
        self._lessons.pop(turn_id, None)
        options = self._settings.understanding
        if not options.enabled or command.strip() == settled.strip():
            return ResolvedCommand(command)
        if asks_secret(command):
            return ResolvedCommand(command, not_begun=_(SECRET_NOT_KEPT))
        earlier = cache(partial(load_earlier_turns, self._store, self._user, self._state().time, turn_id))
        # What goes on from the turn before is complete only with that: “same but tomorrow”.
        leans = not settled and read_leaning(command) is Leaning.SURELY
        leans = leans and bool(await asyncio.to_thread(earlier))
        asked = ask_user if options.asks else None
        if (waiting := await self._put_off("" if leans else command, asked)) is not None:
            return waiting
        command = with_clock_time(command, self._state().time)
        was_again = (change := read_again(command)) is not None
        command, settled = await self._find_again(command, change, asked) or (command, settled)
        apps = self._list_apps()
        absent_on_phone, answers = set[str](), list[tuple[str, bool]]()

        async def explore(lookup: LookupTask) -> str:
            answer = await look_up(AppLookup(lookup.task, lookup.app, lookup.max_steps, lookup.max_seconds))
            if parse_lookup_answer(lookup, answer) is None:
                absent_on_phone.add(lookup.element.text)
            return answer

        async def ask(question: Question) -> str:
            if is_named_on_phone(question, absent_on_phone):
                return ""
            element, reasons, about = question.element, question.reasons, question.element.category
            kept = not (element.is_whole_command or element.is_pronoun)
            answer = await ask_user(question.text, question.choices, kept=kept, reasons=reasons, about=about)
            answers.append((answer, bool(question.choices) and answer not in (*question.choices, "")))
            return answer

        try:
            resolved = await self._understanding.understand(
                command,
                apps,
                look_up=explore if options.looks else None,
                ask_user=ask if options.asks else None,
                sources=self._allowed_sources(asked),
                settled=settled,
                earlier=earlier,
            )
        except OtherCommand as other:
            return ResolvedCommand(command, instead=str(other))
        self._lessons[turn_id], resolution = resolved.lessons, resolved.resolution
        is_chosen = any(said and not is_free for said, is_free in answers)
        has_changed, answered_freely = resolution.instruction != command, any(free for _said, free in answers)
        before = [each.instruction for each in earlier()[:1]] if leans and not has_changed else ()
        if leans and has_changed and (later := await self._put_off(resolution.instruction, asked)):
            return later
        if resolved.orders_nothing and not any(answer for answer, _is_free in answers):
            refusal = _("Nothing was begun: “{line}” seems to order nothing. Say what the phone is to do.")
            return ResolvedCommand(command, not_begun=refusal.format(line=one_line(command)))
        if options.asks and (refusal := await self._find_refusal(resolution.instruction, ask_user)):
            return ResolvedCommand(resolution.instruction, not_begun=refusal)
        return ResolvedCommand(
            resolution.instruction,
            await asyncio.to_thread(self._find_reference, resolution, before),
            # An answer in words of its own may be taken otherwise than it was meant: it is shown.
            assumed=was_again or (has_changed and (answered_freely or has_assumptions(resolution))),
            unlike=command if not (was_again or is_chosen) and resolution.outvotes_command else "",
            on_correction=partial(self._on_correction, turn_id, resolution),
            orders_nothing=resolved.orders_nothing,
        )

    def _find_reference(self, resolution: Resolution, before: Sequence[str]) -> str:
        """What the model is told: how this was done, behind which turn it was said, and who is meant."""
        lines = [format_reference(resolution)]
        lines += [f"The user said it right after this was done: {quoted(each)}." for each in before]
        lines += tell_facts(resolution.instruction, lines[0], lambda: self.profile().facts())
        return " ".join(filter(None, lines))

    async def _find_refusal(self, instruction: str, ask_user: AskAboutCommand) -> str:
        """That nothing is begun, as the user told something against an order and keeps to it; else empty."""
        if not purposes_of(instruction) & EATEN or "get" not in find_verb_kinds(instruction):
            return ""
        facts = await asyncio.to_thread(self.profile().facts)
        values = ((fact.node.name, fact.value.key, fact.value.text) for fact in facts)
        if not (objection := find_told_against(instruction, values, self._state().time)):
            return ""
        question = _("You told me: {fact}. Is “{instruction}” to be done all the same?")
        question = question.format(fact=one_line(objection), instruction=one_line(instruction))
        choices = (_("no, nothing"), _("yes, all the same"))
        answer = one_line(await ask_user(question, choices, kept=False))
        is_wanted = answer in ("2", choices[1]) or means_now(answer)
        return (
            ""
            if is_wanted
            else _("Nothing was begun: you told me “{fact}”.").format(fact=one_line(objection))
        )

    async def _put_off(self, command: str, ask_user: AskAboutCommand | None) -> ResolvedCommand | None:
        """A command that waits for the time to come that it names, which the user is asked for; else None."""
        now = self._state().time
        come = None if order_probability(command) < ORDER_GATE else find_time_to_come(command, now)
        if come is None:
            return None
        unknown = _("Nothing was begun: “{times}” is still to come. Say when it is to begin: {example}")
        example = f"/schedule {now + timedelta(days=1):%Y-%m-%d} 12:00 {come.instruction}"
        sentence = unknown.format(times=come.times, example=one_line(example))
        refusal = ResolvedCommand(command, not_begun=sentence)
        if ask_user is None:
            return refusal
        if begins_then(command, come):
            return self._schedule(come.instruction, f"{come.moments[0]:%Y-%m-%d %H:%M}", now)
        at_once, moments = _("now: the time is a part of it"), come.moments or usual_moments(come, now)
        unread, question = "", _("“{command}” names a time to come, “{times}”. When is it to begin?")
        for _attempt in range(_MOST_TIMES_ASKED):
            days = () if moments else come.days
            named = [datetime.combine(day, now.timetz()) for day in days]
            times = [*map(day_of, named), *(moment(at.replace(tzinfo=now.tzinfo)) for at in moments)]
            sentence = sentences(unread, question.format(command=one_line(command), times=come.times))
            answer = one_line(await ask_user(sentence, (*times, at_once), kept=False, about=Category.TIME))
            if not answer:
                break
            if answer == at_once or means_now(answer):
                return None
            if answer not in times and (again := read_recurring(answer, come, now)):
                return self._schedule(come.instruction, again, now)
            chosen = tuple(at for at, words in zip((*days, *moments), times, strict=True) if words == answer)
            days = tuple(each for each in chosen if not isinstance(each, datetime)) or read_days(answer, now)
            day = days[0] if len(days) == 1 else None
            read = tuple(each for each in chosen if isinstance(each, datetime))
            read = read or (() if day is not None else read_moments(answer, come, now))
            if len(read) == 1:
                return self._schedule(come.instruction, f"{read[0]:%Y-%m-%d %H:%M}", now)
            if day is not None:
                come = come.on_day(day)
                moments = usual_moments(come, now)
            unread = "" if day is not None or read else _("“{answer}” is no time.").format(answer=answer)
            moments = read or moments
            question = _("“{command}”: at what time is it to begin?")
        return refusal

    def _schedule(self, instruction: str, times: str, now: datetime) -> ResolvedCommand:
        """Put a command off to times by the clock of this place, and say so."""
        try:
            schedule = Schedules(self._store, self._user).add(times, instruction, now)
        except (StoreError, UnreadableTime, UserError) as problem:
            return ResolvedCommand(instruction, not_begun=str(problem))
        due = next(iter(schedule.upcoming(now, 1)), now)
        sentence = _("Put off until {time}: {instruction}.")
        sentence = sentence.format(time=moment(due), instruction=one_line(schedule.instruction))
        return ResolvedCommand(instruction, not_begun=sentence, is_put_off=True)

    async def _find_again(
        self, command: str, change: str | None, ask_user: AskAboutCommand | None
    ) -> tuple[str, str] | None:
        """The command that “again” stands for, with the change, and without it; None if that is not known.

        The user is asked where the last command is not of just now or was given up and is not to be tried
        again, and where the change may contradict it.
        """
        if change is None:
            return None
        records = await asyncio.to_thread(
            lambda: list(self._store.records.of(self._user, newest=_LOOKED_BACK))
        )
        tries = wording("tries").search(command)
        done = [each for each in reversed(records) if (each.actions or tries) and each.source != PART]
        is_option = any(form.search(change) for form in (*ALTERNATIVES, IN_COMMAND))
        if is_option or read_count(change) or read_count(change.rpartition(" and ")[2]):
            # Only of what is ordered or bought can there be two, or a large one: nobody calls “for two”.
            done = [record for record in done if "get" in find_verb_kinds(record.instruction)] or done
        newest = done[0] if done else None
        is_just_now = newest is not None and self._state().time - newest.time < _JUST_NOW
        last = newest if newest is not None and is_just_now and (tries or newest.outcome in _DONE) else None
        if last is not None and (not change or read_count(change)):
            return say_again(change, last.instruction), "" if tries else last.instruction
        commands = {say_again(change, each.instruction): each.instruction for each in done}
        if ask_user is None or not commands:
            return None
        choices = list(commands)[:_MOST_AGAIN]
        question = _("Which is to be done again?")
        answer = one_line(await ask_user(question, choices, kept=False, about=Category.PAST))
        chosen = choices[int(answer) - 1] if answer in map(str, range(1, len(choices) + 1)) else answer
        if chosen and chosen not in commands:
            # “The noodles” means the last of them; anything else is done with the change, too.
            telling = word_set(plain_command(chosen)) - VERBS
            meant = next((each for each in choices if telling and telling <= word_set(each)), "")
            chosen = meant or say_again(change, chosen)
        return (chosen, commands.get(chosen, chosen)) if chosen else None

    async def restate(self, instruction: str, remark: str) -> tuple[str, bool]:
        """The instruction as a remark to its turn changes it, and whether that says all of the remark."""
        return await self._understanding.restate(instruction, remark, self._list_apps())

    async def find_answer(
        self, question: str, instruction: str, ask_user: AskAboutCommand, /
    ) -> LikelyAnswer | None:
        """What another source, such as a calendar, probably answers; none is asked for a password or code."""
        sources = self._allowed_sources(ask_user if self._settings.understanding.asks else None)
        if sources is None or mentions_secret(question):
            return None
        element = PersonalizedElement(0, 0, one_line(question, _LONGEST_QUESTION), Category.OPEN, "question")
        candidate = await self._understanding.look_up_in_sources(element, instruction, sources)
        return LikelyAnswer(candidate.value, candidate.why) if candidate is not None else None

    def _allowed_sources(self, ask_user: AskAboutCommand | None) -> AllowedSources | None:
        if self._open_servers is None:
            return None
        return AllowedSources(self._open_servers, self._store, self._user, ask_user)

    def load(self, all_patterns: bool) -> None:
        """Load what the first command needs, or also the patterns of later ones; to be called in a thread."""
        if self._settings.understanding.enabled:
            self._tagger.load()
            self.embedder()
        if all_patterns:
            compile_lazy_regexes()

    def embedder(self) -> LazyEmbedder:
        """The sentence embedder; the first call starts loading it."""
        return self._embedder_source.current()

    def open_prototypes(self) -> HierarchicalMemory:
        """The prototypes; opening them starts loading the sentence embedder."""
        return hierarchical_memory(self._store, self.embedder(), self._settings)

    def learn(
        self,
        record: Record | None,
        *,
        well: bool,
        after: asyncio.Future[None] | None = None,
        turn_id: str = "",
    ) -> None:
        """Learn in the background from a turn that ended; a crash does not lose it.

        While learning is disabled or paused, the record is excluded from learning for good.

        Args:
            record: what the memory keeps of the turn.
            well: whether it succeeded.
            after: what is learnt first: what to do comes before what it says about the user (MobiMem 5.1).
            turn_id: the turn whose command `for_turn` resolved.
        """
        pending_lessons = self._lessons.pop(turn_id, ())
        if not self.learns:
            self._in_background(asyncio.to_thread(self._exclude_record, record))
            return
        if not self._learning_switches.uses(EXECUTED):
            return
        lessons = [lesson for lesson in pending_lessons if not mentions_secret(lesson.words)]
        if record is not None:
            self._note_waiting(record.id, lessons, well)
        self._start_learning(record, lessons, well, after)

    async def learn_waiting(self, after: asyncio.Future[None] | None = None) -> None:
        """Learn in the background from the turns that a crash kept from it."""
        try:
            waiting = await asyncio.to_thread(self._read_waiting)
        except StoreError as error:
            _log.warning("turns still wait to be learnt from: %s", error)
            return
        for record, lessons, well in waiting:
            self._start_learning(record, lessons, well, after)

    def _start_learning(
        self,
        record: Record | None,
        lessons: Sequence[LearnedAnswer],
        well: bool,
        after: asyncio.Future[None] | None,
    ) -> None:
        async def learn_after() -> None:
            if after is not None:
                await asyncio.wait([after])
            await asyncio.to_thread(self._learn, record, lessons, well)

        self._in_background(learn_after())

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._learning_tasks.add(task)
        task.add_done_callback(self._on_learned)

    def _note_waiting(self, record_id: str, lessons: Sequence[LearnedAnswer], well: bool) -> None:
        written = _LESSONS.dump_python(tuple(lessons), mode="json")
        row = {"record_id": record_id, "user_id": self._user, "well": well, "lessons": written}
        try:
            with self._store.database.write() as connection:
                put_row(connection, profile_queue, row)
        except StoreError as error:
            _log.warning("a turn does not wait to be learnt from: %s", error)

    def _read_waiting(self) -> list[tuple[Record, tuple[LearnedAnswer, ...], bool]]:
        """What turns wait to be learnt from; those whose record was taken back since wait no more."""
        query = select(profile_queue).where(profile_queue.c.user_id == self._user)
        with self._store.reader() as connection:
            rows = connection.execute(query.order_by(profile_queue.c.record_id)).mappings().all()
        waiting = []
        for row in rows:
            record = self._store.records.get(row["record_id"])
            if record is None:
                self._end_waiting(row["record_id"])
            else:
                waiting.append((record, _LESSONS.validate_python(row["lessons"]), row["well"]))
        return waiting

    def _end_waiting(self, record_id: str) -> None:
        with self._store.database.write() as connection:
            connection.execute(delete(profile_queue).where(profile_queue.c.record_id == record_id))

    @property
    def learns(self) -> bool:
        """Whether the memory learns from turns: enabled in the settings, and not paused by the user."""
        return self._settings.memory.learning and not self._learning_switches.paused

    def pause_learning(self, paused: bool) -> None:
        """Pause or resume learning, for every program that uses this memory.

        Raises:
            StoreError: the memory cannot be written.
        """
        self._learning_switches.pause(paused)

    def split_profile(self) -> None:
        """Split concepts with too many entities; called once a night, in a thread.

        Raises:
            EmbeddingError: the embedder cannot be run.
            StoreError: the store cannot be written.
        """
        if self.learns:
            self.profile().split_crowded(self._model_assist.naming)

    async def close(self) -> None:
        """Wait until everything is learned, and stop work in the background."""
        if self._learning_tasks:
            await asyncio.wait(self._learning_tasks)
        await asyncio.to_thread(self._embedder_source.close)

    def _on_correction(self, turn_id: str, resolution: Resolution, instruction: str) -> None:
        """Learn from the user's change of an instruction before it ran."""
        correction = find_correction(resolution, instruction)
        self._lessons[turn_id] = update_lessons(self._lessons.get(turn_id, ()), instruction, correction)
        may_learn = self.learns and self._learning_switches.uses(EXECUTED)
        stored = correction if may_learn and correction and not mentions_secret(correction.words) else None
        words = (stored.words, stored.value) if stored is not None else ("", "")
        self._emit(MeaningCorrected(time=self._state().time, element=words[0], value=words[1]))

    def _exclude_record(self, record: Record | None) -> None:
        """Mark the record of a turn so that no later run learns from it either."""
        try:
            if record is not None:
                self._store.records.edit(record.id, {"source": INCOGNITO}, "learning is paused")
        except StoreError as error:
            _log.warning("a turn without learning is not marked: %s", error)

    def _on_learned(self, task: asyncio.Task[None]) -> None:
        self._learning_tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("what a turn taught is not kept", exc_info=error)

    def _learn(self, record: Record | None, lessons: Sequence[LearnedAnswer], well: bool) -> None:
        """Store what the user said; what was read on the phone, or answered there, only after a success.

        Of a turn that failed or was given up, or a record that is forgotten meanwhile, nothing is stored.
        """
        if record is not None:
            REQUEST_TURN.set(record.id)
        try:
            if record is not None and not self._is_kept(record):
                return
            profile, is_carried_out = self.profile(), well or (record is not None and record.outcome in _DONE)
            storable = [lesson for lesson in lessons if is_carried_out and (lesson.confirmed or well)]
            loaded = self._store.turns.load(record.id) if record is not None and well else None
            if loaded is not None and (told_name := find_told_name(loaded[0])) is not None:
                storable.append(LearnedAnswer(*told_name, MeaningOrigin.USER, "", confirmed=True))
            store_lessons(profile, storable, record.id if record else "", self._state().time)
            if record is not None and well:
                self._record_labels = None
                profile.learn(record)
                self._model_assist.learn(profile, record, partial(self._is_kept, record))
                self.open_prototypes().aggregate(user_id=self._user)
            if record is not None and not erase_if_forgotten(self._store, record.id):
                self._end_waiting(record.id)
        except (EmbeddingError, StoreError) as error:
            _log.warning("what a turn taught is not kept yet: %s", error)

    def _is_kept(self, record: Record) -> bool:
        return self._store.records.get(record.id) is not None

    def _list_apps(self) -> list[str]:
        """The labels of the apps on the phone and in the user's records."""
        if self._record_labels is None:
            self._record_labels = self._store.records.app_labels(self._user)
        return sorted({*self._apps(), *self._record_labels})

    def _open_sources(self) -> Sources:
        if self._sources is None:
            self._sources = open_memory(
                self._store,
                self.embedder(),
                self._user,
                _log.warning,
                rules_of(self._settings.prototypes),
                self.profile(),
                bundled_matcher(_log.warning),
            )
        return self._sources

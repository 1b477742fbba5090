"""Makes the parts of the engine from the settings; they read the memory, so make them in a thread.

The request log is here too: the engine, setup and the doctor all store what leaves this machine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import datetime, time
from functools import partial
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import make_url

from assistant.agent.context import AskAboutCommand, CommandResolver, ResolvedCommand, RunLookup
from assistant.command_resolver import PersonalCommandResolver
from assistant.conversation.line_reading import (
    LATELY,
    LineContext,
    TakenReading,
    answer_reading,
    answer_refused,
    format_answer,
    is_for_model,
    may_be_of_schedule,
    read_line,
    tell_planned,
    tell_said,
)
from assistant.conversation.line_words import LineKind, name_somebody
from assistant.conversation.service import Conversation, Reply
from assistant.conversation.setting_changes import Switches
from assistant.events import Event
from assistant.history import PastTurns
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.memory.profile.lexicon import NAME
from assistant.memory.profile.retrieval import facts_named
from assistant.memory.prototypes.model import Prototype
from assistant.memory.request_log import StepUsage
from assistant.memory.store import Store, local_time, open_store
from assistant.memory.turns import Checkpoint
from assistant.memory_view.service import MemoryView
from assistant.model.client import PATIENCE as TEXT_PATIENCE
from assistant.model.client import RequestLogEntry, TextModel, VisionModel
from assistant.model.types import SourceError, SourceTool, ToolServers
from assistant.phone.adb import Shell
from assistant.phone.apps import known_apps
from assistant.proactive.service import ProactiveDependencies, ProactiveService
from assistant.proactive.suggestions import PATIENCE, ModelWording
from assistant.records import State, Usage
from assistant.safety.wording import is_sensitive_instruction
from assistant.settings.load import SettingsError
from assistant.settings.schema import McpSettings, ModelSettings, Settings
from assistant.skills.service import SkillMemory
from assistant.understand.explore import ask_order
from assistant.understand.model_reading import ask_what_follows
from assistant.understand.perceive import Leaning, is_order, perceive, read_leaning
from assistant.understand.resolution import Meaning, make_resolution
from assistant.understand.types import (
    Category,
    MeaningCandidate,
    MeaningOrigin,
    OtherCommand,
    PersonalizedElement,
    Question,
    ReadingModel,
    deed_key,
    normalize_key,
)

_log = logging.getLogger(__name__)
_LIKELY = 0.8


def make_model(settings: ModelSettings, on_request: Callable[[RequestLogEntry], None]) -> VisionModel:
    """The client of the vision-language model; `on_request` is told of everything that is sent to it.

    Raises:
        ModelRejected: the settings name no model that could be asked.
    """
    return VisionModel(settings, tell=on_request)


def make_command_resolver(
    settings: Settings,
    store: Store,
    state: Callable[[], State],
    emit: Callable[[Event], None],
    on_request: Callable[[RequestLogEntry], None],
    on_usage: Callable[[Usage, float], None],
) -> PersonalCommandResolver:
    """Resolves commands from the memory, and learns from turns; `state` is the user's time and place."""
    return PersonalCommandResolver(
        settings,
        store,
        state,
        partial(known_apps, settings.store),
        emit,
        lambda: make_text_model(settings.model, on_request, on_usage),
        partial(make_mcp_servers, settings.mcp) if settings.mcp.servers else None,
    )


def make_turn_resolver(
    resolver: PersonalCommandResolver | None,
    checkpoint: Checkpoint,
    settings: Settings,
    open_conversation: Callable[[], Conversation],
) -> CommandResolver | None:
    """Resolves the command of a turn, or reads what else it is; None without a memory."""
    if resolver is None:
        return None
    suggested, turn_id = checkpoint.suggested, checkpoint.turn_id
    resolve = resolver.for_turn(turn_id, suggested.instruction if suggested is not None else "")
    if suggested is not None:
        return resolve
    model = resolver.reader
    return TurnLineResolver(resolve, model, open_conversation, turn_id, settings.understanding.asks)


def names_of(resolver: PersonalCommandResolver | None, person: str) -> tuple[str, ...]:
    """What else somebody is called whom the profile surely knows by a name: “mother” for “Anna Berg”.

    None where several people have it.
    """
    if resolver is None:
        return ()
    facts = facts_named(resolver.profile().facts(), person, (person,))
    named = [fact for fact in facts if fact.value.key == NAME]
    is_single = len({fact.node.id for fact in named}) == 1
    return tuple(name for fact in named for name in (fact.node.name, fact.value.text)) if is_single else ()


def make_mcp_servers(settings: McpSettings) -> ToolServers:
    """The client of the configured MCP servers; nothing is started by making it."""
    if find_spec("mcp") is None:
        return UninstalledServers(settings)
    # It is an extra of the package, and takes long to import.
    from assistant.model.mcp_client import McpServers

    return McpServers(settings.servers)


class UninstalledServers:
    """Stands for the configured MCP servers where the extra `mcp` is missing, and says so once."""

    def __init__(self, settings: McpSettings) -> None:
        self._servers = tuple(settings.servers)
        self._is_said = False

    async def tools(self) -> tuple[list[SourceTool], dict[str, str]]:
        """No tools, and the first time for each server that the package is missing."""
        servers = () if self._is_said else self._servers
        self._is_said = True
        return [], dict.fromkeys(servers, _missing_mcp())

    async def list_tools(self, name: str) -> list[SourceTool]:
        """Always fails.

        Raises:
            SourceError: the package is missing.
        """
        raise SourceError(_missing_mcp())

    async def call(self, tool: SourceTool, arguments: Mapping[str, object]) -> str:
        """Always fails.

        Raises:
            SourceError: the package is missing.
        """
        raise SourceError(_missing_mcp())


def _missing_mcp() -> str:
    return _("the mcp package is missing: pip install 'assistant[mcp]'")


def make_memory_view(store: Store, settings: Settings, resolver: PersonalCommandResolver) -> MemoryView:
    """The memory, to view and to change."""
    return MemoryView(store, resolver.embedder(), settings, resolver.profile)


def make_conversation(
    settings: Settings,
    store: Store,
    resolver: PersonalCommandResolver,
    view: Callable[[], MemoryView],
    change_suggestions: Callable[[Mapping[str, bool | time]], str],
    now: Callable[[], datetime],
) -> Conversation:
    """Answers what needs no phone; `view` is the memory to view and to change."""
    rules = settings.proactive

    def switch(enabled: bool) -> str:
        return change_suggestions({"enabled": enabled})

    def keep_quiet(start: time | None, end: time | None) -> str:
        named = {"quiet_from": start, "quiet_until": end}
        return change_suggestions({name: value for name, value in named.items() if value is not None})

    return Conversation(
        store,
        settings.user_id,
        resolver.profile,
        view,
        Switches(resolver.pause_learning, switch, keep_quiet),
        now,
        format_endpoint(settings.model),
        find_memory_host(settings.memory.database.get_secret_value()),
        (rules.quiet_from, rules.quiet_until),
    )


def find_memory_host(database: str) -> str:
    """The host that the URL of a database names, in its query too; empty for this computer."""
    if not database:
        return ""
    url = make_url(database)
    named = [url.host or "", *url.normalized_query.get("host", ())]
    # A path is the folder of a socket.
    return ", ".join(host for host in named if host and not host.startswith("/") and not _is_here(host))


def format_endpoint(model: ModelSettings) -> str:
    """Where requests to the model go, as a sentence."""
    host = urlsplit(model.base_url).hostname or ""
    if not host:
        return _("No model is set, so nothing is sent.")
    if _is_here(host):
        return _("The model answers on this computer ({host}): nothing leaves it.").format(host=host)
    sentence = _("The screenshot and the text that the model needs go to {host}, the endpoint that you set.")
    return sentence.format(host=host)


def _is_here(host: str) -> bool:
    """Whether a host's name is one of this computer itself."""
    return host in ("localhost", "::1") or host.startswith("127.")


def _refuse_change(changes: Mapping[str, bool | time]) -> str:
    commands = "; ".join(
        f"assistant settings set proactive.{name} {format_rule(value)}" for name, value in changes.items()
    )
    raise SettingsError(_("Change it with: {commands}").format(commands=commands))


def format_rule(value: bool | time) -> str:
    """A rule of suggestions as the settings file has it."""
    return f"{value:%H:%M}" if isinstance(value, time) else str(value).lower()


@asynccontextmanager
async def open_conversation(
    settings: Settings, now: Callable[[], datetime] = local_time
) -> AsyncIterator[Conversation]:
    """A conversation without an engine, for one command; closes the memory afterwards.

    Raises:
        StoreError: the memory cannot be opened.
    """
    store = open_store(settings, now)
    resolver = make_command_resolver(
        settings, store, lambda: State(time=now()), _drop_event, _drop_request, _drop_usage
    )
    try:
        view = partial(make_memory_view, store, settings, resolver)
        yield make_conversation(settings, store, resolver, view, _refuse_change, now)
    finally:
        await resolver.close()
        store.close()


def _drop_event(event: Event) -> None:
    """Nobody listens to one command without an engine."""


def _drop_request(request: RequestLogEntry) -> None:
    """A conversation sends nothing to a model."""


def _drop_usage(usage: Usage, seconds: float) -> None:
    """A conversation uses no model."""


def make_skill_memory(store: Store, settings: Settings, resolver: PersonalCommandResolver) -> SkillMemory:
    """The templates of the user, and the action memory that replays them or tells the model of them.

    By the embedder of the `resolver` it finds the template of a like order.
    """
    turn, model = settings.turn, settings.model
    return SkillMemory(
        store,
        settings.user_id,
        turn.replay,
        guidance=turn.guidance,
        embedder=resolver.embedder,
        names_slots=turn.name_slots and bool(model.base_url and model.name),
    )


def make_past_turns(store: Store, user_id: str) -> PastTurns:
    """The user's past turns."""
    return PastTurns(store, user_id)


def make_proactive_service(
    settings: Settings,
    store: Store,
    resolver: PersonalCommandResolver,
    *,
    shell: Callable[[], Shell | None],
    is_turn_running: Callable[[], bool],
    start: Callable[[str, str], None],
    now: Callable[[], datetime],
    emit: Callable[[Event], None],
    on_request: Callable[[RequestLogEntry], None],
    on_usage: Callable[[Usage, float], None],
    offers: bool,
    schedules: bool,
) -> ProactiveService:
    """Follows where the user is, and offers routines.

    Args:
        settings: all settings.
        store: the memory.
        resolver: opens the prototypes, and tidies up at night.
        shell: a shell on the phone in use; None without one.
        is_turn_running: whether a turn runs.
        start: starts the turn of an auto-run: the suggestion's id, and the instruction.
        now: the local time with its zone.
        emit: takes the events.
        on_request: is told of what is sent to the model.
        on_usage: is told of what that used, and of the seconds waited.
        offers: whether a person is there to be offered anything.
        schedules: whether what the user has scheduled begins here.
    """
    dependencies = ProactiveDependencies(
        open_prototypes=resolver.open_prototypes,
        shell=shell,
        is_turn_running=is_turn_running,
        start=start,
        may_auto_run=_may_auto_run,
        tidy=resolver.split_profile,
        word=_make_wording(settings, on_request, on_usage),
    )
    offers = offers and settings.proactive.enabled
    return ProactiveService(settings, store, dependencies, now, emit, offers=offers, schedules=schedules)


def _may_auto_run(routine: Prototype) -> bool:
    return not is_sensitive_instruction(routine.instruction, routine.actions)


def _make_wording(
    settings: Settings,
    on_request: Callable[[RequestLogEntry], None],
    on_usage: Callable[[Usage, float], None],
) -> ModelWording | None:
    """Has the model word suggestions, where the settings want it and a model is set."""
    model = settings.model
    if not (settings.proactive.wording and model.base_url and model.name):
        return None
    return ModelWording(make_text_model(model, on_request, on_usage, PATIENCE))


def make_text_model(
    settings: ModelSettings,
    on_request: Callable[[RequestLogEntry], None],
    on_usage: Callable[[Usage, float], None],
    timeout: float = TEXT_PATIENCE,
) -> TextModel:
    """The client of the model for text; it tells what is sent, and what that used with the seconds waited."""
    return TextModel(settings, on_request, timeout, on_usage)


def store_text_usage(
    store: Store, settings: Settings, usage: Usage, seconds: float, time: datetime, turn_id: str = ""
) -> None:
    """Add what a request for text used to the ledger; a memory that cannot be written stops nothing."""
    model = settings.model.name
    price = settings.prices.get(model)
    cost = price.of(usage) if price else None
    try:
        store.ledger.add(StepUsage(settings.user_id, turn_id, 0, time, model, usage, seconds, cost=cost))
    except StoreError as problem:
        _log.warning("what a request used is missing from the usage: %s", problem)


class RequestLogger:
    """Stores requests outside of turns; opens the memory for each.

    Args:
        settings: whose memory, and where.
        now: the local time.
    """

    def __init__(self, settings: Settings, now: Callable[[], datetime] = local_time) -> None:
        self._settings = settings
        self._now = now

    def __call__(self, request: RequestLogEntry) -> None:
        """Store a request that is about to be sent; a memory that cannot be opened stops nothing."""
        with self._opened() as store:
            if store is not None:
                store.sent.store(request, self._settings.user_id, self._now())

    def count(self, usage: Usage, seconds: float) -> None:
        """Add what a request used to the ledger, with the seconds waited."""
        with self._opened() as store:
            if store is not None:
                store_text_usage(store, self._settings, usage, seconds, self._now())

    @contextmanager
    def _opened(self) -> Iterator[Store | None]:
        try:
            store = open_store(self._settings)
        except StoreError as problem:
            _log.warning("a request is missing from the request log: %s", problem)
            yield None
            return
        try:
            yield store
        finally:
            store.close()


class TurnLineResolver:
    """Resolves the command of one turn: of a line that may order nothing a model reads first what it is.

    An order that goes on from a turn before is resolved together with that. A pronoun for somebody is read as
    the only person whom the line or the turn just before names; the user sees the order before it begins.

    Args:
        resolve: resolves orders, and all lines where the model's reading is not taken.
        model: the user's model, which is asked once for a line; None where none is there.
        open_conversation: returns what answers without the phone.
        turn_id: the turn.
        asks: whether the user may be asked; else nothing that a model read is offered.
    """

    def __init__(
        self,
        resolve: CommandResolver,
        model: ReadingModel | None,
        open_conversation: Callable[[], Conversation],
        turn_id: str,
        asks: bool,
    ) -> None:
        self._resolve = resolve
        self._model = model
        self._open_conversation = open_conversation
        self._turn_id = turn_id
        self._asks = asks
        self._waiting, self._offered = tuple[str, ...](), set[str]()

    async def __call__(self, command: str, look_up: RunLookup, ask_user: AskAboutCommand) -> ResolvedCommand:
        """The meaning of a line, or what was answered to it."""
        change_on_phone = self._open_conversation().change_on_phone
        if changed := await asyncio.to_thread(change_on_phone, command, self._turn_id):
            return replace(await self._resolve(changed, look_up, ask_user), assumed=True)
        if (named := await self._name_somebody(command)) != command:
            return replace(await self._resolve(named, look_up, ask_user), assumed=True)
        leans = self._model is not None and read_leaning(command) is not Leaning.NONE
        kept = await asyncio.to_thread(self._open_conversation().made_before()[0].all)
        is_open = is_for_model(command) or (leans and await self._is_talk_last())
        is_open |= may_be_of_schedule(command, kept)
        if is_open and (read := await self._read(command, look_up, ask_user)) is not None:
            return read
        late: list[ResolvedCommand | None] = []

        async def ask(question: str, choices: Sequence[str], /, **how: Any) -> str:
            # What a model that reads orders takes for none is read here before the user is asked.
            if not is_open and how.get("about") == Category.REMARK:
                late.append(await self._read(command, look_up, ask_user))
            return "" if any(late) else await ask_user(question, choices, **how)

        resolved = await self._resolve(command, look_up, ask)
        planned = tell_planned(command, kept, self._open_conversation().now())
        resolved = replace(resolved, reference=f"{resolved.reference} {planned}".strip())
        self._waiting = (command,) if resolved.instead else ()
        return next(filter(None, late), resolved)

    async def _name_somebody(self, command: str) -> str:
        """A command with whom its pronoun means, by the line or turn just before it."""
        if not any(each.is_pronoun for each in perceive(command).elements):
            return command
        conversation = self._open_conversation()
        turns = await asyncio.to_thread(conversation.earlier_turns, self._turn_id)
        before = [(each.time, each.said) for each in conversation.talk[:1]]
        before += [(turn.ended, turn.said) for turn in turns[:1]]
        time, said = max(before, default=(conversation.now() - 2 * LATELY, ""))
        return name_somebody(command, said) if conversation.now() - time <= LATELY else command

    async def _is_talk_last(self) -> bool:
        """Whether a line was answered lately without the phone, and no turn has ended since."""
        conversation = self._open_conversation()
        turns = await asyncio.to_thread(conversation.earlier_turns, self._turn_id)
        times = [each.time for each in conversation.talk[:1] if conversation.now() - each.time <= LATELY]
        return bool(times) and all(turn.ended <= times[0] for turn in turns[:1])

    async def _read(self, line: str, look_up: RunLookup, ask: AskAboutCommand) -> ResolvedCommand | None:
        """What a line comes to; None where it is to be taken as without a model."""
        if self._model is None:
            return None
        conversation = self._open_conversation()
        turns = await asyncio.to_thread(conversation.earlier_turns, self._turn_id)
        goes_on = turns and is_order(line) and read_leaning(line) is Leaning.SURELY
        if (goes_on and not await self._is_talk_last()) or normalize_key(line) in self._offered:
            return None
        turns = await asyncio.to_thread(conversation.earlier_turns, self._turn_id, every=True)
        schedules = await asyncio.to_thread(conversation.schedules)
        context = LineContext(conversation.now(), turns, conversation.talk, self._waiting, schedules)
        reading, taken = await read_line(line, context, self._model)
        reply: Reply | None = None
        if reading is not None and taken.route is not None:
            answer = partial(answer_reading, conversation, line, reading, taken.route)
            reply = await asyncio.to_thread(conversation.beside, self._turn_id, answer)
            reply = replace(reply, text=format_answer(line, reading, reply))
        elif reading is not None and reading.kind is LineKind.QUESTION:
            reply = await asyncio.to_thread(conversation.tell_facts, line) or tell_said(conversation, reading)
        is_told = reading is not None and (reading.kind is LineKind.FACT or not self._asks)
        if reply is None and reading is not None and taken.is_refused and is_told:
            reply = answer_refused(line, reading)
        if reply is not None:
            conversation.offer = reply.offer
            return ResolvedCommand(line, not_begun=reply.text, is_answered=True)
        if taken.is_sure:
            return replace(await self._resolve(taken.order, look_up, ask), assumed=True)
        if (taken.order or taken.is_refused) and self._asks:
            self._offered.add(normalize_key(taken.order or line))
            return await _offer(line, taken, ask)
        return None


async def _offer(line: str, taken: TakenReading, ask_user: AskAboutCommand) -> ResolvedCommand:
    """Ask whether the order is meant that a model read; where it is, it goes the way of every order."""
    perceived = replace(perceive(line), elements=())
    if taken.turn is not None:
        unread, is_doubtful = make_resolution(perceived, ()), taken.is_doubtful
        resolution = ask_what_follows(unread, taken.turn, (taken.order,), is_doubtful=is_doubtful)
    else:
        whole = PersonalizedElement(0, len(line), line, Category.REMARK, "")
        stated = taken.order, MeaningOrigin.TURN, _LIKELY, (), _("as the model reads it")
        offered = (MeaningCandidate(*stated, is_disputed=taken.is_doubtful),) if taken.order else ()
        resolution = make_resolution(replace(perceived, elements=(whole,)), (Meaning(whole, None, offered),))

    async def ask(question: Question) -> str:
        about = question.element.category
        return await ask_user(
            question.text, question.choices, kept=False, reasons=question.reasons, about=about
        )

    try:
        meant = await ask_order(resolution, ask)
    except OtherCommand as other:
        return ResolvedCommand(line, instead=str(other))
    if meant is None:
        return ResolvedCommand(line, orders_nothing=True)
    is_said = deed_key(meant.instruction) == deed_key(line)
    return ResolvedCommand(line) if is_said else ResolvedCommand(line, instead=meant.instruction)

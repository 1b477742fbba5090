"""Makes the parts of the engine from the settings; they read the memory, so make them in a thread.

The request log is here too: the engine, setup and the doctor all store what leaves this machine.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime, time
from functools import partial
from importlib.util import find_spec
from urllib.parse import urlsplit

from sqlalchemy import make_url

from assistant.agent.context import CommandResolver
from assistant.command_resolver import PersonalCommandResolver
from assistant.conversation.line_reading import TurnLineResolver
from assistant.conversation.service import Conversation
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

_log = logging.getLogger(__name__)


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

"""`assistant suggest`: what would be suggested in some states. Shows nothing to anybody, changes nothing.

`assistant watch`: suggestions as they come, without the terminal interface.

`assistant suggest --next`: the routines, when each is likely next, and which begin by themselves.

`assistant places`: the places that the user has named, and naming the one where the phone is.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import AfterValidator, AliasChoices, AwareDatetime, BaseModel, Field, ValidationError

from assistant.cli.help import (
    Commands,
    ConfigOption,
    DemoOption,
    JsonOption,
    SerialOption,
    StoreOption,
    check_year,
    demo_settings,
    echo_json,
    event_json,
    in_world,
    name_of,
    settings_of,
    simulated_sentence,
    unreadable_file,
    unreadable_time,
)
from assistant.embedding.models import bundled_matcher
from assistant.engine import Engine
from assistant.events import (
    Event,
    ScenarioChanged,
    SchedulesMissed,
    SuggestionAnswered,
    SuggestionLapsed,
    SuggestionOffered,
    TurnFinished,
)
from assistant.files import ProactiveLock
from assistant.i18n import _, joined, moment
from assistant.memory.prototypes.model import parse_scenario
from assistant.memory.prototypes.repository import UserOverrides
from assistant.memory.prototypes.service import HierarchicalMemory, hierarchical_memory
from assistant.memory.store import Store, local_time, open_store, owner_of
from assistant.memory.vectors import StoreEmbedder
from assistant.model.types import one_line
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.errors import PhoneError
from assistant.phone.monitor import SensorReadings, read_sensors
from assistant.plain.output import format_line
from assistant.presentation.turn_log import format_missed
from assistant.proactive.forecast import AT_ONCE, RecentHabits, load_habits
from assistant.proactive.habit_table import Calendar, UnknownCountry, on_user_clock
from assistant.proactive.location import NamedPlace, NoSuchPlace, Places, UnrecognisablePlace
from assistant.proactive.offers import NextOccurrence, in_quiet_hours, list_upcoming
from assistant.proactive.suggestions import RoutineCandidate, format_reason
from assistant.records import Record, State
from assistant.safety.wording import is_sensitive_instruction
from assistant.settings.load import problem_in_words
from assistant.settings.schema import ProactiveSettings, Settings

_PRINTED_EVENTS = (
    SuggestionOffered
    | SuggestionLapsed
    | SuggestionAnswered
    | ScenarioChanged
    | SchedulesMissed
    | TurnFinished
)


def watch_command(
    as_json: JsonOption = False,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
    weeks: Annotated[
        int, typer.Option(min=0, max=12, help="With --demo: let so many weeks pass at once, and end.")
    ] = 0,
    refuse: Annotated[
        list[str] | None,
        typer.Option(metavar="HABIT", help="With --weeks: answer suggestions of this habit with “not now”."),
    ] = None,
    stop: Annotated[
        list[str] | None,
        typer.Option(metavar="HABIT", help="With --weeks: the person gives this habit up after a week."),
    ] = None,
    move: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HABIT=HH:MM", help="With --weeks: this habit moves to another time after a week."
        ),
    ] = None,
) -> None:
    """Print suggestions as they come, until ctrl+c."""
    settings = settings_of(store, serial, config)
    if demo and not weeks:
        settings = demo_settings(settings, store)
    if (weeks and not demo) or ((refuse or stop or move) and not weeks):
        raise typer.TyperException(_("Weeks pass in the demo only: assistant watch --demo --weeks 3."))
    if not settings.proactive.enabled:
        typer.echo(
            _("Suggestions are switched off. Set proactive.enabled to true in the settings file."), err=True
        )
        raise typer.Exit(1)

    if weeks:
        # The demo is optional.
        from assistant.demo.weeks import run_weeks

        typer.echo(simulated_sentence(), err=True)
        run_weeks(settings, weeks, refuse or (), stop or (), move or (), as_json=as_json)
        return

    async def work(ready: Settings) -> None:
        told_to_end = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, told_to_end.set)
        if demo:
            typer.echo(simulated_sentence(), err=True)
        offers: dict[str, str] = {}
        await watch(ready, local_time, lambda event: typer.echo(_line(event, as_json, offers)), told_to_end)

    asyncio.run(in_world(settings, work, demo=demo))


async def watch(
    settings: Settings, now: Callable[[], datetime], tell: Callable[[Event], None], stop: asyncio.Event
) -> None:
    """Report suggestions and changes of place until stopped.

    Args:
        settings: whose routines, and which phone.
        now: the user's local time with its zone.
        tell: hears each event that is worth a line.
        stop: ends it.
    """
    async with AsyncExitStack() as stack:
        # Nobody can answer here: what is scheduled begins, and stops at the first thing that needs a yes.
        engine = Engine(settings, now=now, attended=False, offers=True, schedules=True)
        stack.push_async_callback(engine.close)
        if ProactiveLock.is_held_in(settings.store):
            typer.echo(
                _("Another program suggests from this memory. This one begins when that ends."), err=True
            )
        await engine.start()
        listening = asyncio.create_task(_listen(engine, tell))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([listening, stopped], return_when=asyncio.FIRST_COMPLETED)
        for task in (listening, stopped):
            task.cancel()
        await asyncio.wait([listening, stopped])


async def _listen(engine: Engine, tell: Callable[[Event], None]) -> None:
    async for event in engine.events():
        if isinstance(event, SuggestionOffered) and not event.scheduled:
            # Nobody could stop it here.
            engine.stop_countdown(event.id)
        if isinstance(event, _PRINTED_EVENTS):
            tell(event)


def _line(event: Event, as_json: bool, offers: dict[str, str]) -> str:
    """The line of an event; `offers` keeps what was suggested by its id, to name it when it is over."""
    if as_json:
        return json.dumps(event_json(event), ensure_ascii=False)
    clock = f"{moment(event.time)}  "
    match event:
        case SuggestionOffered(id=made, instruction=instruction, scheduled=True):
            offers[made] = one_line(instruction)
            return f"{clock}◷ " + _("By your schedule: {instruction}").format(instruction=offers[made])
        case SchedulesMissed():
            return f"{clock}  {format_missed(event)}"
        case TurnFinished():
            return f"{clock}  {format_line(event)}"
        case SuggestionOffered(id=made, instruction=instruction, score=score, why=why):
            again = made in offers
            offers[made] = one_line(instruction)
            words = _("Suggested in new words: {offer}") if again else _("Suggested from memory: {offer}")
            likely = _("{chance} likely now. {reasons}").format(
                chance=f"{score:.0%}", reasons=_("; ").join(why)
            )
            return f"{clock}◷ {words.format(offer=offers[made])}\n           {one_line(likely)}"
        case SuggestionLapsed(id=over):
            return f"{clock}  " + _("Over: {offer}").format(offer=offers.get(over, over))
        case SuggestionAnswered(id=over, answer=answer):
            return f"{clock}  {name_of(answer)}: {offers.get(over, over)}"
        case ScenarioChanged(scenario=scenario, place=place):
            return f"{clock}⌂ {one_line(place or _(scenario))}"
        case _:
            return ""


_OCCASIONS_SHOWN = 3
_SURELY_MEANT = 0.7
"""The least confidence that what was done was a habit, in other words; else the habit is offered again.
From about there on the offer costs more than it is worth: from .72, where a needless one costs .38."""


def tell_next(routines: Sequence[NextOccurrence], as_json: bool, rules: ProactiveSettings) -> None:
    """Print each routine with when it is likely next; JSON has them all, words the first three."""
    if as_json:
        for routine in routines:
            echo_json(_routine_line(routine))
        return
    for likely in routines:
        alone = "  " + _("begins by itself") if likely.routine.alone else ""
        typer.echo(f"{one_line(likely.routine.instruction)}{alone}")
        times = joined(
            f"{moment(when.time)} ({when.chance:.0%})" for when in likely.occasions[:_OCCASIONS_SHOWN]
        )
        typer.echo(f"    {times or _('not likely within a week')}")
        if likely.occasions and all(
            in_quiet_hours(when.opens, rules.quiet_from, rules.quiet_until) for when in likely.occasions
        ):
            typer.echo("    " + _("in your quiet hours, so it is not suggested then"))
    if not routines:
        typer.echo(_("No routine is likely within a week."))


def let_alone(
    store: Store, user_id: str, routines: Sequence[NextOccurrence], routine: str, *, alone: bool
) -> None:
    """Let a routine, named by its id or by words that no other has, begin by itself or be only offered again.

    Raises:
        TyperException: there is no such routine, or what it does needs a yes each time.
    """
    words = one_line(routine).casefold()
    fitting = [likely.routine for likely in routines if routine == likely.routine.id] or [
        likely.routine
        for likely in routines
        if words and words in one_line(likely.routine.instruction).casefold()
    ]
    chosen = fitting[0] if len(fitting) == 1 else None
    if chosen is None:
        raise typer.TyperException(
            _(
                "No routine, or more than one, has “{routine}”. List them with: assistant suggest --next"
            ).format(routine=routine)
        )
    if alone and is_sensitive_instruction(chosen.instruction, chosen.actions):
        raise typer.TyperException(_("Routines that pay, send, call or delete never start by themselves."))
    members = list(dict.fromkeys((chosen.centre_id, *chosen.evidence)))
    change = UserOverrides(store, user_id).let_alone(members, alone)
    if change is None:
        typer.echo(_("Nothing to change."))
        return
    by_itself = _("“{instruction}” now starts by itself, after a countdown.")
    sentence = by_itself if alone else _("“{instruction}” is now only suggested.")
    typer.echo(sentence.format(instruction=one_line(chosen.instruction)))
    typer.echo(_("Undo it with: assistant memory undo {change}").format(change=change))


def _routine_line(likely: NextOccurrence) -> dict[str, object]:
    occasions = [
        {"at": when.time.isoformat(), "opens": when.opens.isoformat(), "chance": when.chance}
        for when in likely.occasions
    ]
    return {
        "routine": likely.routine.id,
        "instruction": likely.routine.instruction,
        "alone": likely.routine.alone,
        "occasions": occasions,
    }


class _Done(BaseModel):
    """Something that was done that day, in the user's own words; without a time, it was done just now."""

    instruction: str = Field(validation_alias=AliasChoices("instruction", "said", "text"), min_length=1)
    time: Annotated[AwareDatetime | datetime, AfterValidator(check_year)] | None = Field(
        None, validation_alias=AliasChoices("time", "at")
    )
    app: str = ""


class _StateQuery(BaseModel):
    """One line of a file of states; other keys are ignored.

    With `recent`, be it empty, all that was done that day is known: it and what the store has of the day.
    """

    at: Annotated[AwareDatetime | datetime, AfterValidator(check_year)] = Field(
        validation_alias=AliasChoices("at", "time")
    )
    scenario: str | None = None
    recent: list[str | _Done] | None = Field(
        None, validation_alias=AliasChoices("recent", "today", "done_today")
    )

    @property
    def state(self) -> State:
        """The state; a time without a zone is one of this machine's zone."""
        return State(time=_zoned(self.at), scenario=self.scenario or "unknown")

    def recent_habits(
        self, memory: HierarchicalMemory, user_id: str, time: datetime, newest: datetime | None
    ) -> RecentHabits:
        """What was done that day, as habits; an action that matches no prototype is left out.

        Args:
            memory: finds the prototype of each.
            user_id: whose.
            time: the moment that is judged, on the user's clock.
            newest: the time of the newest record: the day up to it is known from the store.
        """
        done = []
        for number, given in enumerate(self.recent or ()):
            what = given if isinstance(given, _Done) else _Done(instruction=given)
            when = what.time or time
            when = when.astimezone(time.tzinfo) if when.tzinfo else when.replace(tzinfo=time.tzinfo)
            record = Record(
                id=f"recent-{number}", user_id=user_id, time=when, instruction=what.instruction, app=what.app
            )
            if when > time:
                continue
            if habit := memory.find_prototype(record) or _find_meant(memory, record):
                done.append((habit, when))
        is_known = self.recent is not None or (newest is not None and newest >= time)
        return RecentHabits(tuple(sorted(done, key=lambda entry: entry[1])), day_known=is_known)


def _find_meant(memory: HierarchicalMemory, record: Record) -> str:
    """The id of the habit that a record surely means in other words: “phoned Ingrid”; empty for none."""
    likely = memory.habits(record.instruction, record.user_id, record.time, top=1)
    return likely[0].prototype.id if likely and likely[0].confidence >= _SURELY_MEANT else ""


def _zoned(time: datetime) -> datetime:
    """A time without a zone is one of this machine's zone."""
    return time if time.tzinfo else time.astimezone()


def suggest_command(
    at: Annotated[str, typer.Option(help="The time, ISO 8601; by default now.")] = "",
    scenario: Annotated[str, typer.Option(help="Where the user is, such as office.")] = "unknown",
    recent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="What was done already that day, in any words; repeat the option for each."
        ),
    ] = None,
    states: Annotated[
        Path | None,
        typer.Option(
            help="A file of states: a line is a JSON object with at, scenario, recent. - for standard input."
        ),
    ] = None,
    upcoming_too: Annotated[
        bool, typer.Option("--next", help="The routines, and when each is likely next.")
    ] = False,
    just_do: Annotated[
        str,
        typer.Option("--just-do-it", metavar="ROUTINE", help="Let a routine start by itself at its time."),
    ] = "",
    ask_first: Annotated[str, typer.Option(metavar="ROUTINE", help="Only offer a routine again.")] = "",
    user: Annotated[str | None, typer.Option(help="Whose routines, by default yours.")] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """What would be suggested in a state, and why; or when the routines are likely next."""
    if states is not None and at:
        raise typer.TyperException(_("Give either --at or --states."))
    settings = settings_of(store, config=config)
    if demo:
        typer.echo(simulated_sentence(), err=True)
        settings = demo_settings(settings, store)
    single = {"at": at or local_time(), "scenario": parse_scenario(scenario), "recent": recent}
    lines: list[_StateQuery | str] = list(_read(states)) if states else [_state_query(single, "--at")]
    queries = [line for line in lines if isinstance(line, _StateQuery)]
    with_store = open_store(settings)
    try:
        embeds = StoreEmbedder(with_store, settings.embedding, moves=False).current()
        memory = hierarchical_memory(with_store, embeds, settings, bundled_matcher())
        proactive, owner = settings.proactive, user or owner_of(with_store, settings.user_id)
        if upcoming_too or just_do or ask_first:
            now = queries[0].state.time if queries else local_time()
            upcoming = list_upcoming(with_store, memory, settings, lambda: now, owner)
            if routine := just_do or ask_first:
                let_alone(with_store, owner, upcoming, routine, alone=bool(just_do))
            else:
                tell_next(upcoming, as_json, proactive)
            return
        _tell_lines(lines, _judged(queries, memory, proactive, owner), as_json)
        if len(queries) < len(lines):
            raise typer.Exit(1)
    except UnknownCountry as error:
        raise typer.TyperException(str(error)) from None
    finally:
        with_store.close()


def suggest_one(settings: Settings, at: str, scenario: str) -> dict[str, Any]:
    """What would be suggested at a time in a scenario, as `assistant suggest --json` prints it.

    Raises:
        TyperException: the time is none.
        StoreError: the memory cannot be opened or read.
    """
    query = _state_query({"at": at or local_time(), "scenario": scenario}, "at")
    store = open_store(settings)
    try:
        embeds = StoreEmbedder(store, settings.embedding, moves=False).current()
        memory = hierarchical_memory(store, embeds, settings)
        owner = owner_of(store, settings.user_id)
        return next(
            _as_json(state, routines)
            for state, routines in _judged([query], memory, settings.proactive, owner)
        )
    finally:
        store.close()


def _judged(
    queries: Iterable[_StateQuery], memory: HierarchicalMemory, proactive: ProactiveSettings, owner: str
) -> Iterator[tuple[State, list[RoutineCandidate]]]:
    """Each state with the routines that would be suggested in it.

    Raises:
        UnknownCountry: the holidays of the settings' country are not known.
    """
    habits = load_habits(memory, owner, Calendar(proactive.country))
    times = sorted(member.time for prototype in habits.prototypes.values() for member in prototype.members)
    latest_by_offset = {time.utcoffset(): time for time in times}.values()
    for line in queries:
        # A time without a zone is one on the user's clock already.
        time = on_user_clock(line.state.time, latest_by_offset) if line.at.tzinfo else line.state.time
        done = line.recent_habits(memory, owner, time, max(latest_by_offset, default=None))
        state = line.state.model_copy(update={"time": time})
        yield line.state, habits.judge(state, proactive.cost_of_being_wrong, AT_ONCE, recent=done)


def _read(file: Path) -> Iterator[_StateQuery | str]:
    """The states of a file, or what is wrong with a line.

    Raises:
        TyperException: the file cannot be read.
    """
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.TyperException(unreadable_file(file, error)) from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield _state_query(
                json.loads(line), _("Line {number} of {file}").format(number=number, file=file)
            )
        except typer.TyperException as error:
            yield error.message
        except (ValueError, RecursionError) as error:
            yield _("Line {number} of {file} is not JSON: {error}.").format(
                number=number, file=file, error=error
            )


def _state_query(values: object, origin: str) -> _StateQuery:
    try:
        return _StateQuery.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"][:1] in (("at",), ("time",)) and first["type"] != "missing":
            raise typer.TyperException(unreadable_time(origin, one_line(str(first["input"]), 60))) from error
        name = ".".join(str(part) for part in first["loc"]) or _("the line")
        raise typer.TyperException(
            _("{origin} gives no state: {name} {reason}.").format(
                origin=origin, name=name, reason=problem_in_words(first)
            )
        ) from error


def _as_json(state: State, routines: Sequence[RoutineCandidate]) -> dict[str, Any]:
    suggestions = [
        {
            "routine": routine.routine,
            "instruction": routine.instruction,
            "score": routine.score,
            "evidence": list(routine.evidence),
        }
        for routine in routines
    ]
    return {"at": state.time.isoformat(), "scenario": state.scenario, "suggestions": suggestions}


def _tell_lines(
    lines: Iterable[_StateQuery | str],
    judged: Iterator[tuple[State, list[RoutineCandidate]]],
    as_json: bool,
) -> None:
    """Print for each line what would be suggested in its state, or what is wrong with it."""
    for line in lines:
        if isinstance(line, str):
            typer.echo(json.dumps({"error": line}, ensure_ascii=False) if as_json else line, err=not as_json)
        else:
            _tell(*next(judged), as_json)


def _tell(state: State, routines: Sequence[RoutineCandidate], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(_as_json(state, routines), ensure_ascii=False))
        return
    typer.echo(f"{moment(state.time, year=True)}  {_(state.scenario)}")
    if not routines:
        typer.echo("  " + _("nothing to suggest"))
    for routine in routines:
        typer.echo(f"  {routine.score:.2f}  {routine.instruction}")
        typer.echo(f"        {'; '.join(map(format_reason, routine.why))}")


places_app = Commands(help="Places by which the phone tells where you are. They stay on this machine.")

_Name = Annotated[str, typer.Argument(help="The place's name.")]


@places_app.command("list")
def list_command(as_json: JsonOption = False, store: StoreOption = None, config: ConfigOption = None) -> None:
    """List the places."""
    with _places(settings_of(store, config=config)) as places:
        named_places = places.all()
    if as_json:
        for place in named_places:
            echo_json(_place_line(place))
        return
    for place in named_places:
        typer.echo(f"{one_line(place.name)}  {one_line(_(place.scenario))}  {_marks(place)}")
    if not named_places:
        typer.echo(
            _("No place has a name yet. Where the phone is: assistant places here NAME --scenario office")
        )


@places_app.command("here")
def here_command(
    name: _Name,
    scenario: Annotated[str, typer.Option(help="Such as office, residence or school, or your own word.")],
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Name the place where the phone is now; it is known again by Wi-Fi, Bluetooth and location."""

    async def work(ready: Settings) -> None:
        signals = await _sense(ready)
        with _places(ready) as places:
            place = places.learn(name, parse_scenario(scenario), signals)
        typer.echo(_("{name} is known by {marks}.").format(name=one_line(place.name), marks=_marks(place)))

    settings = settings_of(store, serial, config)
    if demo:
        settings = demo_settings(settings, store)
    asyncio.run(in_world(settings, work, demo=demo))


@places_app.command("rename")
def rename_command(
    name: _Name,
    new: Annotated[str, typer.Argument(help="The new name.")],
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Rename a place."""
    with _places(settings_of(store, config=config)) as places:
        places.rename(name, new)


@places_app.command("merge")
def merge_command(
    name: _Name,
    other: Annotated[str, typer.Argument(help="The place that becomes part of it.")],
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Merge two places."""
    with _places(settings_of(store, config=config)) as places:
        places.merge(name, other)


@places_app.command("forget")
def forget_command(name: _Name, store: StoreOption = None, config: ConfigOption = None) -> None:
    """Forget a place for good."""
    with _places(settings_of(store, config=config)) as places:
        places.forget(name)


@contextmanager
def _places(settings: Settings) -> Iterator[Places]:
    """The places of the settings' user.

    Raises:
        TyperException: what was asked for is not possible, in words.
    """
    store = open_store(settings)
    try:
        yield Places(store, settings.user_id)
    except (NoSuchPlace, UnrecognisablePlace) as problem:
        raise typer.TyperException(str(problem)) from None
    finally:
        store.close()


async def _sense(settings: Settings) -> SensorReadings:
    adb = AdbServer(settings.phone.adb_host, settings.phone.adb_port)
    try:
        serial = await phone_of(settings, adb)
        return await read_sensors(Shell(adb, serial, settings.phone.command_deadline))
    except PhoneError as problem:
        raise typer.TyperException(problem.sentence) from None


async def phone_of(settings: Settings, adb: AdbServer) -> str:
    """The serial of the configured phone, connected by its address if it has one, else of the only phone.

    Raises:
        PhoneError: the adb server does not answer, or the phone cannot be reached.
        TyperException: no phone is named, and there is none or there are several.
    """
    serial = settings.phone.serial
    listed = await adb.devices()
    if ":" in serial and all(device.serial != serial for device in listed):
        await adb.connect(serial)
    ready = [device.serial for device in listed if device.state == "device"]
    if not serial and len(ready) != 1:
        none, several = _("No phone is connected."), _("Several phones are connected.")
        raise typer.TyperException(
            _("{problem} Name one with --serial.").format(problem=several if ready else none)
        )
    return serial or ready[0]


def _marks(place: NamedPlace) -> str:
    marks = place.marks
    mark_names = [*sorted(marks.bssids), *(one_line(device) for device in sorted(marks.devices))]
    if marks.position:
        mark_names.append(f"{marks.position.latitude:.5f}, {marks.position.longitude:.5f}")
    return "; ".join(mark_names)


def _place_line(place: NamedPlace) -> dict[str, object]:
    where = place.marks.position
    return {
        "name": place.name,
        "scenario": place.scenario,
        "access_points": sorted(place.marks.bssids),
        "devices": sorted(place.marks.devices),
        "position": [where.latitude, where.longitude] if where else None,
    }

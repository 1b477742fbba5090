"""`assistant suggest`: what would be suggested in some states. Shows nothing to anybody, changes nothing."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from pydantic import AliasChoices, AwareDatetime, BaseModel, Field, ValidationError

from assistant.commands.options import ConfigOption, DemoOption, JsonOption, StoreOption, settings_of
from assistant.commands.routines import let_alone, tell_next
from assistant.demo.memory import demo_memory
from assistant.i18n import _, moment
from assistant.memory.learn_from_records import hierarchical_memory
from assistant.memory.store import open_store, owner_of
from assistant.memory.vectors import StoreEmbedder
from assistant.memory_view.labels import scenario_of
from assistant.model.types import one_line
from assistant.proactive.forecast import habits_of
from assistant.proactive.habit_table import Calendar, UnknownCountry
from assistant.proactive.offers import upcoming
from assistant.proactive.suggestions import RoutineCandidate, in_words
from assistant.records import State
from assistant.settings.load import problem_in_words
from assistant.simulator.world import SIMULATED


class _Asked(BaseModel):
    """One line of a file of states; other keys are ignored."""

    at: AwareDatetime | datetime = Field(validation_alias=AliasChoices("at", "time"))
    scenario: str = "unknown"

    @property
    def state(self) -> State:
        """The state; a time without a zone is one of this machine's zone."""
        time = self.at if self.at.tzinfo else self.at.astimezone()
        return State(time=time, scenario=self.scenario or "unknown")


def suggest_command(
    at: Annotated[str, typer.Option(help="The time, ISO 8601; by default now.")] = "",
    scenario: Annotated[str, typer.Option(help="Where the user is, such as office.")] = "unknown",
    states: Annotated[
        Path | None,
        typer.Option(
            help="A file of states, one JSON object with at and scenario a line; - for standard input."
        ),
    ] = None,
    upcoming_too: Annotated[
        bool, typer.Option("--next", help="The routines, and when each is likely next.")
    ] = False,
    just_do: Annotated[
        str,
        typer.Option("--just-do-it", metavar="ROUTINE", help="Let a routine begin by itself at its time."),
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
        typer.echo(_(SIMULATED), err=True)
        settings = demo_memory(settings, store)
    asked = (
        list(_read(states))
        if states
        else [_state({"at": at or _now(), "scenario": scenario_of(scenario)}, "--at")]
    )
    with_store = open_store(settings)
    try:
        memory = hierarchical_memory(
            with_store, StoreEmbedder(with_store, settings.embedding, moves=False).current(), settings
        )
        proactive, owner = settings.proactive, user or owner_of(with_store, settings.user_id)
        if upcoming_too or just_do or ask_first:
            now = asked[0].time
            found = upcoming(with_store, memory, settings, lambda: now, owner)
            if routine := just_do or ask_first:
                let_alone(with_store, owner, found, routine, alone=bool(just_do))
            else:
                tell_next(found, as_json)
            return
        habits = habits_of(memory, owner, Calendar(proactive.country))
        for state in asked:
            _tell(state, habits.judge(state, proactive.cost_of_being_wrong), as_json)
    except UnknownCountry as error:
        raise typer.TyperException(str(error)) from None
    finally:
        with_store.close()


def _read(file: Path) -> Iterator[State]:
    """The states of a file.

    Raises:
        TyperException: the file cannot be read, or a line is no state.
    """
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8-sig")
    except OSError as error:
        raise typer.TyperException(
            _("{file} cannot be read: {reason}.").format(file=file, reason=error.strerror)
        ) from error
    except UnicodeDecodeError as error:
        raise typer.TyperException(
            _("{file} is not UTF-8 text. Save it as UTF-8.").format(file=file)
        ) from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield _state(json.loads(line), _("Line {number} of {file}").format(number=number, file=file))
            except ValueError as error:
                raise typer.TyperException(
                    _("Line {number} of {file} is not JSON: {error}.").format(
                        number=number, file=file, error=error
                    )
                ) from error


def _state(values: object, origin: str) -> State:
    try:
        return _Asked.model_validate(values).state
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"][0] in ("at", "time") and first["type"] != "missing":
            raise typer.TyperException(
                _("{origin} gives no time: “{text}”. Write it like 2026-03-09T12:05.").format(
                    origin=origin, text=one_line(str(first["input"]), 60)
                )
            ) from error
        name = ".".join(str(part) for part in first["loc"])
        raise typer.TyperException(
            _("{origin} gives no state: {name} {reason}.").format(
                origin=origin, name=name, reason=problem_in_words(first)
            )
        ) from error


def _tell(state: State, found: list[RoutineCandidate], as_json: bool) -> None:
    if as_json:
        told = [
            {
                "routine": one.routine,
                "instruction": one.instruction,
                "score": one.score,
                "evidence": list(one.evidence),
            }
            for one in found
        ]
        line = {"at": state.time.isoformat(), "scenario": state.scenario, "suggestions": told}
        typer.echo(json.dumps(line, ensure_ascii=False))
        return
    typer.echo(f"{moment(state.time, year=True)}  {_(state.scenario)}")
    if not found:
        typer.echo("  " + _("nothing to suggest"))
    for one in found:
        typer.echo(f"  {one.score:.2f}  {one.instruction}")
        typer.echo(f"        {'; '.join(map(in_words, one.why))}")


def _now() -> datetime:
    return datetime.now().astimezone()

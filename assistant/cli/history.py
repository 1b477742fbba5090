"""`assistant history`: past turns, one turn with its steps, and a turn as a file to read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.cli.help import Commands, ConfigOption, JsonOption, StoreOption, name_of, settings_of
from assistant.history import PastTurn, PastTurns, WholeTurn, export_name, facts, find, html, step_words
from assistant.i18n import _, counted
from assistant.memory.database import StoreError
from assistant.memory.store import open_store
from assistant.model.types import one_line
from assistant.phone.errors import refusal_words
from assistant.secrets import write_privately
from assistant.text_layout import pad_left, padded
from assistant.tui.export import draw_turn

history_app = Commands(help="Past turns.", no_args_is_help=True)

TurnArgument = Annotated[
    str, typer.Argument(metavar="ID", help="A turn's id, as list shows it; “last” for the newest.")
]


class Format(StrEnum):
    """What a turn is exported as."""

    HTML = "html"
    SVG = "svg"


@history_app.command("list")
def history_list(
    newest: Annotated[int, typer.Option(min=1, help="How many of the latest turns.")] = 20,
    text: Annotated[
        str, typer.Option("--text", help="Turns that match these words, also approximately.")
    ] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """The latest turns, newest first."""
    with _opened(store, config) as past:
        turns = find(past.newest(), text)[:newest] if text else past.newest(newest)
    for turn in turns:
        typer.echo(json.dumps(_as_json(turn), ensure_ascii=False) if as_json else _line(turn))
    if not turns and not as_json:
        typer.echo(_("No past turn fits.") if text else _("There are no past turns yet."), err=True)


@history_app.command("show")
def history_show(
    turn_id: TurnArgument,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """One turn with its steps."""
    with _opened(store, config) as past:
        whole = _known(past, turn_id)
    if as_json:
        typer.echo(json.dumps(_whole_json(whole), ensure_ascii=False))
        return
    for name, words in facts(whole):
        typer.echo(f"{padded(name, 8)}  {one_line(words)}")
    for one in whole.steps:
        step = one.step
        typer.echo(f"{step.number:>8}  {step_words(step.action)}  [{name_of(step.source.value)}]")
        if step.error:
            typer.echo(f"{'':10}" + _("not done: {error}").format(error=one_line(refusal_words(step.error))))
    kept = _("{pictures} kept, {swept} deleted") if whole.swept else _("{pictures} kept")
    words = kept.format(pictures=whole.pictures, swept=whole.swept)
    typer.echo(f"{padded(_('pictures'), 8)}  {words}")


@history_app.command("export")
def history_export(
    turn_id: TurnArgument,
    file: Annotated[
        Path | None, typer.Argument(help="Where to; by default a name of its own in this folder.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="A web page with pictures, or a drawing.")] = (
        Format.HTML
    ),
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write a turn with its steps and pictures to one file that needs nothing else."""
    with _opened(store, config) as past:
        whole = _known(past, turn_id)
        content = (draw_turn if form is Format.SVG else html)(whole, past.picture)
    target = file or Path(f"{export_name(whole.turn)}.{form.value}")
    try:
        write_privately(target, content)
    except OSError as error:
        raise StoreError(
            _("{file} cannot be written: {reason}.").format(file=target, reason=error.strerror)
        ) from error
    told = {"file": str(target), "steps": len(whole.steps), "pictures": whole.pictures, "swept": whole.swept}
    typer.echo(json.dumps(told, ensure_ascii=False) if as_json else _("Wrote {file}.").format(file=target))


@contextmanager
def _opened(folder: Path | None, config: Path | None) -> Iterator[PastTurns]:
    settings = settings_of(folder, "", config)
    store = open_store(settings)
    try:
        yield PastTurns(store, settings.user_id)
    finally:
        store.close()


def _known(past: PastTurns, turn_id: str) -> WholeTurn:
    wanted = turn_id
    if turn_id == "last":
        wanted = next((turn.turn_id for turn in past.newest(1)), "")
    whole = past.whole(wanted)
    if whole is None:
        raise StoreError(
            _("There is no turn {turn_id}. List them with: assistant history list").format(
                turn_id=one_line(turn_id, 80)
            )
        )
    return whole


def _line(turn: PastTurn) -> str:
    when = f"{turn.started.astimezone():%Y-%m-%d %H:%M}"
    steps = pad_left(counted(turn.steps, "step"), 10)
    return (
        f"{when}  {padded(_(turn.ended), 9)} {steps}  {one_line(turn.said, 80)}  [{one_line(turn.turn_id)}]"
    )


def _as_json(turn: PastTurn) -> dict[str, Any]:
    return {
        "id": turn.turn_id,
        "time": turn.started.isoformat(),
        "said": turn.said,
        "instruction": turn.instruction,
        "outcome": turn.outcome.value if turn.outcome else None,
        "open": turn.is_open,
        "steps": turn.steps,
        "seconds": round(turn.seconds, 3),
        "apps": list(turn.apps),
        "answer": turn.answer,
    }


def _whole_json(whole: WholeTurn) -> dict[str, Any]:
    kept = whole.checkpoint
    steps = [
        {**one.step.model_dump(mode="json", exclude_none=True), "picture": one.picture.value}
        for one in whole.steps
    ]
    more = {"scenario": kept.scenario, "model": kept.model, "notes": list(kept.notes)}
    return {**_as_json(whole.turn), **more, "steps": steps}

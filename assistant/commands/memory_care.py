"""`assistant memory pause|sources|sent|wipe`: what is learnt, what left this machine, and an empty memory."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from assistant.cli.memory_options import opened
from assistant.commands.memory_items import viewed
from assistant.commands.options import ConfigOption, JsonOption, StoreOption, settings_of
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.memory.learning_switches import LearningSwitches
from assistant.memory.request_log import LoggedRequest
from assistant.memory_view.labels import made_by
from assistant.memory_view.retention import CONFIRMATION
from assistant.memory_view.sections import size
from assistant.model.types import one_line
from assistant.text_layout import padded


def memory_pause(
    off: Annotated[bool, typer.Option("--off", help="Let learning go on.")] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Learn nothing from turns until --off; what they leave meanwhile is never learnt from."""
    settings = settings_of(store, "", config)
    with opened(store, config) as memory:
        learning = LearningSwitches(memory, settings.user_id)
        change = learning.pause(not off)
        paused = learning.paused
    if as_json:
        told = {"paused": paused, "setting": settings.memory.learning, "change": change}
        typer.echo(json.dumps(told))
        return
    typer.echo(_("Learning is paused.") if paused else _("Learning goes on."))
    if not paused and not settings.memory.learning:
        typer.echo(
            _("The setting memory.learning is false, so that nothing is learnt all the same."), err=True
        )


def memory_sources(
    switch_on: Annotated[str | None, typer.Option("--on", metavar="NAME", help="Learn from it.")] = None,
    switch_off: Annotated[str | None, typer.Option("--off", metavar="NAME", help="Do not.")] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Where records come from, and whether anything is learnt from them."""
    with viewed(store, config) as view:
        for name, on in ((switch_on, True), (switch_off, False)):
            if name is not None:
                typer.echo(view.care.switch(name, on), err=True)
        sources = view.care.sources()
    for one in sources:
        if as_json:
            typer.echo(
                json.dumps({"source": one.name, "records": one.records, "on": one.on}, ensure_ascii=False)
            )
        else:
            switched = padded(_("on") if one.on else _("off"), 3)
            name = one_line(made_by(one.name)) or _("(none)")
            typer.echo(f"{switched}  {one.records:>7,}  {name}")


def memory_sent(
    line_id: Annotated[int | None, typer.Argument(metavar="[ID]", help="One request, word by word.")] = None,
    turn: Annotated[str, typer.Option("--turn", help="Requests of this turn only.")] = "",
    newest: Annotated[int, typer.Option(min=1, help="How many of the latest.")] = 20,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """What left this machine for the model's endpoint: when, where to, how much, which words."""
    settings = settings_of(store, "", config)
    with opened(store, config) as memory:
        if line_id is None:
            lines = memory.sent.lines(settings.user_id, newest, turn, whole=as_json)[::-1]
        else:
            try:
                lines = [memory.sent.line(line_id)]
            except KeyError:
                raise StoreError(
                    _("There is no request {line_id}. List them with: assistant memory sent").format(
                        line_id=line_id
                    )
                ) from None
    for line in lines:
        if as_json:
            typer.echo(json.dumps(_as_json(line), ensure_ascii=False))
        else:
            typer.echo(_line(line))
            for role, text in line.parts:
                typer.echo(f"── {one_line(role)} ──")
                typer.echo("\n".join(one_line(row, 2000) for row in text.splitlines()))
    if not lines and not as_json:
        typer.echo(_("Nothing was sent yet."), err=True)


def memory_wipe(
    confirmed: Annotated[
        str, typer.Option("--confirm", metavar="WORDS", help="Write “wipe everything” to do it unasked.")
    ] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Delete everything that is remembered, for good: records, profile, places, suggestions, pictures."""
    if not confirmed and not sys.stdin.isatty():
        raise typer.TyperException(
            _('This cannot be undone. Add --confirm "{confirmation}" to do it.').format(
                confirmation=CONFIRMATION
            )
        )
    with viewed(store, config) as view:
        typed = confirmed or typer.prompt(
            _("This cannot be undone. To do it, type: {confirmation}").format(confirmation=CONFIRMATION),
            err=True,
        )
        told = view.care.wipe(typed)
    typer.echo(json.dumps({"wiped": True, "done": told}) if as_json else told)


def _as_json(line: LoggedRequest) -> dict[str, Any]:
    return {
        "id": line.id,
        "time": line.time.isoformat(),
        "turn": line.turn_id,
        "step": line.step,
        "endpoint": line.endpoint,
        "model": line.model,
        "bytes": line.size,
        "screenshot": bool(line.picture_bytes),
        "screenshot_bytes": line.picture_bytes,
        "text_bytes": line.text_bytes,
        "parts": [{"role": role, "text": text} for role, text in line.parts],
    }


def _line(line: LoggedRequest) -> str:
    when = line.time.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    picture = _("screenshot") if line.picture_bytes else _("no screenshot")
    turn = (
        _("{turn_id} step {step}").format(turn_id=one_line(line.turn_id), step=line.step)
        if line.turn_id
        else _("no turn")
    )
    return f"{line.id:>5}  {when}  {one_line(line.endpoint)}  {size(line.size)}, {picture}  {turn}"

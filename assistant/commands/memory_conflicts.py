"""`assistant memory conflicts`: what only the user can decide, and their decision."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from assistant.cli.memory_options import UserOption
from assistant.commands.options import ConfigOption, JsonOption, StoreOption, settings_of
from assistant.i18n import _
from assistant.memory.database import StoreError
from assistant.memory.profile.graph import Value, latest
from assistant.memory.profile.retrieval import ValueConflict
from assistant.memory.profile.service import Profile
from assistant.memory.store import open_store
from assistant.memory_view.labels import key_words, node_words
from assistant.model.types import one_line
from assistant.understand.service import NoEmbedder


def memory_conflicts(
    settle: Annotated[str, typer.Option(metavar="ID", help="The id of the value that holds.")] = "",
    user: UserOption = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """What the profile holds two values of, about as often and as lately said; --settle says which holds."""
    settings = settings_of(store, "", config)
    memory = open_store(settings)
    try:
        profile = Profile(memory, NoEmbedder(), user or settings.user_id)
        if settle:
            _tell_settled(profile, settle, as_json)
        else:
            _tell(profile.conflicts(), as_json)
    finally:
        memory.close()


def _tell_settled(profile: Profile, value_id: str, as_json: bool) -> None:
    value = profile.graph.find_value(value_id)
    if value is None:
        raise StoreError(
            _("There is no value {value_id}. List them with: assistant memory conflicts").format(
                value_id=one_line(value_id, 40)
            )
        )
    change = profile.decide(value_id)
    if as_json:
        typer.echo(json.dumps({"change": change, "value": value.text}, ensure_ascii=False))
    elif change is None:
        typer.echo(_("It holds already."))
    else:
        typer.echo(_("{text} holds.").format(text=one_line(value.text)))
        typer.echo(_("Take it back with: assistant memory undo {change}").format(change=change))


def _tell(conflicts: list[ValueConflict], as_json: bool) -> None:
    if as_json:
        for one in conflicts:
            typer.echo(json.dumps(_as_json(one), ensure_ascii=False))
        return
    if not conflicts:
        typer.echo(_("Nothing is in doubt."))
    for one in conflicts:
        asked = _("{entity}, {key}: which holds?")
        entity, key = one_line(node_words(one.entity)), one_line(key_words(one.key))
        typer.echo(asked.format(entity=entity, key=key))
        for value in one.choices:
            typer.echo(f"  {one_line(value.text)}  {_seen(value)}  [{value.id}]")
    if conflicts:
        typer.echo(_("Say which holds with: assistant memory conflicts --settle ID"))


def _seen(value: Value) -> str:
    last = latest(value.evidence)
    times = _("once") if value.uses == 1 else _("{count} times").format(count=value.uses)
    if not last:
        return times
    return _("{times}, last {day:%Y-%m-%d}").format(times=times, day=last.astimezone())


def _as_json(one: ValueConflict) -> dict[str, Any]:
    choices = [
        {"id": value.id, "value": value.text, "count": value.uses, "evidence": list(value.record_ids)}
        for value in one.choices
    ]
    return {"entity": one.entity, "key": one.key, "question": one.question, "choices": choices}

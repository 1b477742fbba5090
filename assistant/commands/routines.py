"""`assistant suggest --next`: the routines, when each is likely next, and which begin by themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence

import typer

from assistant.i18n import _, moment
from assistant.memory.prototypes.user_edits import UserOverrides
from assistant.memory.store import Store
from assistant.model.types import one_line
from assistant.proactive.offers import NextOccurrence
from assistant.safety.classifier import is_sensitive_instruction

_TOLD = 3


def tell_next(found: Sequence[NextOccurrence], as_json: bool) -> None:
    """Print each routine with when it is likely next; JSON has them all, words the first three."""
    if as_json:
        typer.echo(json.dumps([_plain(one) for one in found], ensure_ascii=False))
        return
    for one in found:
        alone = "  " + _("begins by itself") if one.routine.alone else ""
        typer.echo(f"{one.routine.id}  {one_line(one.routine.instruction)}{alone}")
        times = ", ".join(f"{moment(when.time)} ({when.chance:.0%})" for when in one.occasions[:_TOLD])
        typer.echo(f"    {times or _('not likely within a week')}")
    if not found:
        typer.echo(_("No routine is likely within a week."))


def let_alone(
    store: Store, user_id: str, found: Sequence[NextOccurrence], routine: str, *, alone: bool
) -> None:
    """Let a routine begin by itself at its time, or have it only offered again.

    Raises:
        TyperException: there is no such routine, or what it does needs a yes each time.
    """
    known = next((one.routine for one in found if one.routine.id == routine), None)
    if known is None:
        raise typer.TyperException(
            _("There is no routine “{routine}”. List them with: assistant suggest --next").format(
                routine=routine
            )
        )
    if alone and is_sensitive_instruction(known.instruction, known.actions):
        raise typer.TyperException(_("What pays, sends, calls or deletes does not begin by itself."))
    members = list(dict.fromkeys((known.centre_id, *known.evidence)))
    change = UserOverrides(store, user_id).let_alone(members, alone)
    if change is None:
        typer.echo(_("It is so already."))
        return
    by_itself = _("“{instruction}” begins by itself from now on, with time to stop it.")
    told = by_itself if alone else _("“{instruction}” is only offered from now on.")
    typer.echo(told.format(instruction=one_line(known.instruction)))
    typer.echo(_("Take it back with: assistant memory undo {change}").format(change=change))


def _plain(one: NextOccurrence) -> dict[str, object]:
    occasions = [
        {"at": when.time.isoformat(), "opens": when.opens.isoformat(), "chance": when.chance}
        for when in one.occasions
    ]
    return {
        "routine": one.routine.id,
        "instruction": one.routine.instruction,
        "alone": one.routine.alone,
        "occasions": occasions,
    }

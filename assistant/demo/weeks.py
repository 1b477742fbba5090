"""`assistant watch --demo --weeks N`: the weeks to come, in seconds, in a memory of their own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from assistant.commands.walk import Offered, Person, Walked, walk
from assistant.demo.memory import live_in
from assistant.embedding.models import ModelRegistry
from assistant.events import Answer
from assistant.i18n import _, later, moment
from assistant.memory.learn_from_records import hierarchical_memory
from assistant.memory.store import open_store
from assistant.model.types import one_line
from assistant.settings.schema import Settings
from assistant.simulator.demo_clock import DemoClock
from assistant.simulator.lived_in import habits
from assistant.simulator.living_on import LivingOn, Turning
from assistant.simulator.world import WorldOptions
from assistant.text_layout import fitted, pad_left, padded

_CHANGE_AFTER = timedelta(days=7)
_WORDS = {
    Answer.NONE: later("open"),
    Answer.ACCEPTED: later("accepted"),
    Answer.NOT_NOW: later("not now"),
    Answer.DONE: later("done by themselves"),
    Answer.LAPSED: later("no answer"),
}


def run_weeks(
    settings: Settings,
    weeks: int,
    refused: Sequence[str],
    stopped: Sequence[str],
    moved: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Let weeks of the demo's person pass and print what was suggested when.

    Args:
        settings: when something may be said; its store is not touched.
        weeks: how many.
        refused: names of habits whose suggestions the person refuses.
        stopped: names of habits that they give up after the first week.
        moved: habits that have another time of day from then on, as `NAME=13:30`.
        as_json: JSON lines instead of words.

    Raises:
        TyperException: a name or a time that is not known.
    """
    begin = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    turning = Turning((begin + _CHANGE_AFTER).date(), _names(stopped), dict(map(_moved, moved)))
    person = Person(LivingOn(settings.user_id, turning=turning), _names(refused))
    with TemporaryDirectory() as folder:
        ready = settings.overridden({"store": Path(folder)})
        live_in(ready, WorldOptions(), lambda: begin)
        clock = DemoClock(begin, lambda: 0.0)
        store = open_store(ready, clock)
        try:
            memory = hierarchical_memory(store, ModelRegistry().load_late(ready.embedding), ready)
            walked = asyncio.run(
                walk(
                    ready,
                    store,
                    lambda: memory,
                    clock,
                    person,
                    7 * weeks,
                    lambda one: typer.echo(_line(one, as_json)),
                )
            )
        finally:
            store.close()
    _summary(walked, as_json)


def _names(given: Sequence[str]) -> frozenset[str]:
    for name in given:
        _known(name)
    return frozenset(given)


def _moved(given: str) -> tuple[str, time]:
    name, _equals, at = given.partition("=")
    try:
        return _known(name), time.fromisoformat(at)
    except ValueError:
        raise typer.TyperException(
            _("“{given}” is not NAME=HH:MM, such as lunch=13:30.").format(given=given)
        ) from None


def _known(name: str) -> str:
    names = [one.name for one in habits()]
    if name not in names:
        raise typer.TyperException(
            _("The person has no habit called “{name}”. There is: {names}.").format(
                name=name, names=", ".join(names)
            )
        )
    return name


def _line(one: Offered, as_json: bool) -> str:
    made = one.suggestion
    if as_json:
        told = {
            "at": made.made.isoformat(),
            "habit": one.name,
            "instruction": made.instruction,
            "score": made.score,
            "wanted": one.wanted,
            "answer": made.answer.value,
        }
        return json.dumps(told, ensure_ascii=False)
    needless = "" if one.wanted else "  " + _("needless")
    said = fitted(one_line(made.instruction), 56)
    return f"{moment(made.made)}  {said}  {made.score:.0%}  {_(_WORDS[made.answer])}{needless}"


def _summary(walked: Walked, as_json: bool) -> None:
    counts = walked.counts()
    if as_json:
        rows = [dict(zip(("habit", "done", "in_time", "needless"), row, strict=True)) for row in counts]
        typer.echo(json.dumps({"habits": rows}))
        return
    titles = pad_left(_("done"), 6) + pad_left(_("in time"), 9) + pad_left(_("needless"), 10)
    typer.echo(f"\n{padded(_('habit'), 18)}{titles}")
    for name, done, timely, needless in counts:
        typer.echo(f"{padded(name or _('another'), 18)}{done:>6}{timely:>9}{needless:>10}")

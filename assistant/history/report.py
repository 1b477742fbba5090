"""A past turn as one HTML file that carries its pictures, needs nothing else and runs nothing."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from jinja2 import Environment, Template

from assistant.history.past import PICTURE_WORDS, PastStep, PastTurn, PictureState, WholeTurn
from assistant.i18n import _, later, moment, spoken
from assistant.model.text import one_line, plain
from assistant.money import in_words
from assistant.phone.errors import refusal_words
from assistant.records import Action, Failed, Finished, shown, touched

Picture = Callable[[str, int], bytes]
"""Gives the picture of a turn's step as a JPEG, empty for none."""


@dataclass(frozen=True, slots=True)
class _StepView:
    """A step as the page shows it; the points are percent of the picture."""

    number: int
    words: str
    source: str
    error: str
    app: str
    thought: str
    picture: str
    points: tuple[tuple[float, float], ...]
    missing: str


def step_words(action: Action) -> str:
    """What a step does; of the last one, what it says."""
    match action:
        case Finished(answer=answer):
            return one_line(answer) or _("finish")
        case Failed(reason=reason):
            return one_line(reason) or _("give up")
        case _:
            return one_line(shown(action, _))


def facts(whole: WholeTurn) -> list[tuple[str, str]]:
    """What is known of a turn as a whole, a name and a text each."""
    turn, kept = whole.turn, whole.checkpoint
    tokens = f"{kept.usage.total_tokens:,}" if kept.usage.requests else ""
    found = [
        (_("said"), plain(turn.said)),
        (_("meant"), plain(turn.instruction) if turn.instruction != turn.said else ""),
        (_("began"), moment(turn.started, year=True)),
        (_("ended"), _(turn.ended)),
        (_("answer"), plain(turn.answer)),
        (_("took"), _("{seconds:.0f} s").format(seconds=turn.seconds) if turn.seconds else ""),
        (_("apps"), one_line(", ".join(turn.apps))),
        (_("place"), one_line(_(kept.scenario)) if kept.scenario != "unknown" else ""),
        (_("model"), one_line(kept.model)),
        (_("tokens"), tokens),
        (_("cost"), in_words(kept.cost) if kept.cost else ""),
    ]
    return [(name, text) for name, text in found if text]


def export_name(turn: PastTurn) -> str:
    """The name of a turn's file, without its ending."""
    return f"assistant-turn-{turn.started:%Y%m%d-%H%M%S}"


def html(whole: WholeTurn, picture: Picture, simulated: str = "") -> str:
    """The report of a turn.

    Args:
        whole: the turn.
        picture: gives the pictures.
        simulated: a sentence that says what is simulated; else empty.
    """
    return _template().render(
        title=one_line(whole.turn.said, 120),
        facts=facts(whole),
        notes=[plain(note) for note in whole.checkpoint.notes],
        steps=[_view(whole.turn.turn_id, step, picture) for step in whole.steps],
        swept=_("{count} of its pictures are not kept any more.").format(count=whole.swept)
        if whole.swept
        else "",
        simulated=simulated,
        language=spoken().value,
        words={name: _(words) for name, words in _WORDS.items()},
    )


def _view(turn_id: str, past: PastStep, picture: Picture) -> _StepView:
    step = past.step
    jpeg = picture(turn_id, step.number) if past.picture is PictureState.KEPT else b""
    state = PictureState.SWEPT if past.picture is PictureState.KEPT and not jpeg else past.picture
    return _StepView(
        number=step.number,
        words=step_words(step.action),
        source=_(step.source.value),
        error=plain(refusal_words(step.error)),
        app=one_line(step.app),
        thought=plain(step.thought),
        picture=base64.b64encode(jpeg).decode() if jpeg else "",
        points=tuple((round(p.x * 100, 2), round(p.y * 100, 2)) for p in touched(step.action)),
        missing=_(PICTURE_WORDS[state]),
    )


_WORDS = {
    "notes": later("What it was told on the way"),
    "steps": later("Steps"),
    "nothing": later("Nothing was done on the phone."),
    "wrong": later("Not done: {error}"),
    "screen": later("The screen before step {number}"),
}
"""What the page itself says."""


@cache
def _template() -> Template:
    source = resources.files("assistant.history").joinpath("report.html").read_text("utf-8")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(source)

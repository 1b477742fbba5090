"""A test call: the model is asked to tap a button of the sample screen. It shows whether the dialect fits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.i18n import _, later
from assistant.model.dialects import registry
from assistant.model.outgoing import Outgoing
from assistant.model.sample import BUTTON, INSTRUCTION, button_bounds, sample_screen
from assistant.model.types import Decision, Malformed, ModelError, RepliesMalformed, StepRequest
from assistant.records import Action, Click, LongClick, Point, Usage, describe
from assistant.settings.schema import ModelSettings


class Fit(StrEnum):
    """What the answer says about the dialect."""

    HIT = "hit"
    MISS = "miss"
    OTHER = "other"
    UNPARSEABLE = "unparseable"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Trial:
    """One test call. `sentence` says what happened, `advice` what to do, `point` where it would tap."""

    fit: Fit
    dialect: str
    sentence: str
    advice: str = ""
    point: Point | None = None
    thought: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    seconds_to_first_token: float = 0.0


async def try_model(
    settings: ModelSettings,
    clock: Callable[[], float] = time.perf_counter,
    tell: Callable[[Outgoing], None] | None = None,
) -> Trial:
    """Ask the model once, in the way that a turn asks it. Nothing is repeated, nothing raised.

    Args:
        settings: the model.
        clock: seconds that pass.
        tell: hears of the request before it leaves.
    """
    once = settings.model_copy(update={"malformed_retries": 0, "retries": 0})
    name = settings.dialect
    begun = clock()
    sentence = ""
    try:
        name = registry.choose(settings.dialect, settings.name).name
        # Late, since the client's library takes long to import and this module is known everywhere.
        from assistant.model.client import VisionModel

        model = VisionModel(once, tell=tell)
    except (registry.UnknownDialect, ModelError) as error:
        return Trial(Fit.UNANSWERED, name, str(error), _("Mend the settings of the model."))
    try:
        async with aclosing(model.decide(StepRequest(INSTRUCTION, sample_screen()))) as replies:
            async for reply in replies:
                if isinstance(reply, Decision):
                    return _judged(reply, name, clock() - begun)
                if isinstance(reply, Malformed):
                    sentence = _("The reply is not in the dialect {name}. {reason}").format(
                        name=name, reason=reply.reason
                    )
    except RepliesMalformed as error:
        seconds = clock() - begun
        return Trial(Fit.UNPARSEABLE, name, sentence, _(_OTHER_DIALECT), usage=error.usage, seconds=seconds)
    except ModelError as error:
        return Trial(Fit.UNANSWERED, name, str(error), usage=error.usage, seconds=clock() - begun)
    finally:
        await model.close()
    return Trial(
        Fit.UNANSWERED, name, _("The model's reply ends without an action."), seconds=clock() - begun
    )


def candidates(settings: ModelSettings, tried: str) -> Iterator[ModelSettings]:
    """The same model in every other dialect, those made for a model of this name first."""
    others = [dialect for dialect in registry.available() if dialect.name != tried]
    for dialect in sorted(others, key=lambda dialect: not dialect.matches(settings.name)):
        yield settings.model_copy(update={"dialect": dialect.name})


_OTHER_DIALECT = later("The dialect does not fit this model. Try another one.")
_OTHER_SCALE = later(
    "The dialect may read coordinates in another scale than the model writes. Try another one."
)


def _judged(reply: Decision, dialect: str, seconds: float) -> Trial:
    fit, point, sentence, advice = _verdict(reply.action)
    return Trial(
        fit,
        dialect,
        sentence,
        advice,
        point,
        reply.thought,
        reply.usage,
        seconds,
        reply.seconds_to_first_token,
    )


def _verdict(action: Action) -> tuple[Fit, Point | None, str, str]:
    if not isinstance(action, Click | LongClick):
        said = _("The model was asked to tap “{button}” and would do this instead: {action}").format(
            button=BUTTON, action=describe(action, _)
        )
        return Fit.OTHER, None, said, _(_OTHER_DIALECT)
    screen, point = sample_screen(), action.point
    if button_bounds().contains(*screen.pixels(point)):
        return (
            Fit.HIT,
            point,
            _("The model taps “{button}”, as asked. The dialect fits.").format(button=BUTTON),
            "",
        )
    there = screen.element_at(point, lambda element: element.clickable)
    place = _("{x:.0%} across, {y:.0%} down").format(x=point.x, y=point.y)
    on = f", on “{there.label}”" if there else ""
    return (
        Fit.MISS,
        point,
        _("The model misses “{button}”: it taps {place}{on}.").format(button=BUTTON, place=place, on=on),
        _(_OTHER_SCALE),
    )

"""Test calls that show whether a model hits what it is to tap, and in which dialect it answers.

`try_model` asks for a tap on a button of a drawn sample screen and tells whether the tap hits it.
`measure_dialect` asks for taps on three such screens, without a list of elements from which coordinates could
be copied, and reads each reply in every dialect: right is the one whose taps land on the buttons.
"""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from math import hypot

from PIL import Image, ImageDraw, ImageFont

from assistant.i18n import _, later
from assistant.model.client import RequestLogEntry, VisionModel, encode_screenshot, log_entry, open_endpoint
from assistant.model.dialects import registry
from assistant.model.dialects.base import Dialect, MalformedReply, ModelReply
from assistant.model.streamed_reply import StreamedReply
from assistant.model.types import (
    Decision,
    Malformed,
    ModelError,
    RepliesMalformed,
    RequestFailure,
    SentImage,
    StepRequest,
    Stopwatch,
)
from assistant.records import (
    Action,
    Bounds,
    Click,
    Element,
    ForegroundApp,
    LongClick,
    Observation,
    Point,
    Usage,
    describe,
)
from assistant.settings.schema import ModelSettings

WIDTH, HEIGHT = 1080, 2400

BUTTON = "Continue"
"""The button to tap. It lies off the middle, so that coordinates read in a wrong scale miss it."""

INSTRUCTION = f"Tap the button “{BUTTON}”."

_TITLE = ("Sample screen", Bounds(60, 150, 700, 240))
_TEXT = ("This screen is not on your phone. It shows where the model would tap.", Bounds(60, 290, 1020, 350))
_BUTTONS = {
    "Details": Bounds(60, 520, 500, 660),
    "Help": Bounds(580, 900, 1020, 1040),
    "Change": Bounds(60, 1280, 500, 1420),
    BUTTON: Bounds(620, 1840, 1020, 1980),
    "Cancel": Bounds(60, 2140, 460, 2280),
}
_PACKAGE = "com.example.sample"
_PAPER, _INK, _PLAIN, _STRONG = "#f4f4f6", "#20242c", "#dfe3ea", "#2456b8"


_LAYOUTS = (
    _BUTTONS,
    {**_BUTTONS, "Details": Bounds(60, 520, 500, 660), BUTTON: Bounds(620, 300, 1020, 440)},
    {**_BUTTONS, "Change": Bounds(620, 1840, 1020, 1980), BUTTON: Bounds(60, 1500, 460, 1640)},
)
"""Three places for the button, chosen so that coordinates read in a wrong scale or order miss it."""


@cache
def sample_screen(layout: int = 0) -> Observation:
    """The screen as an observation: a PNG, and the elements as a phone would list them."""
    texts = [
        Element(index, 0, "android.widget.TextView", bounds, text=words, package=_PACKAGE)
        for index, (words, bounds) in enumerate((_TITLE, _TEXT), start=1)
    ]
    buttons = [
        Element(index, 0, "android.widget.Button", bounds, text=words, package=_PACKAGE, clickable=True)
        for index, (words, bounds) in enumerate(_LAYOUTS[layout].items(), start=3)
    ]
    root = Element(0, -1, "android.widget.FrameLayout", Bounds(0, 0, WIDTH, HEIGHT), package=_PACKAGE)
    return Observation(
        WIDTH,
        HEIGHT,
        _draw(layout),
        (root, *texts, *buttons),
        ForegroundApp(_PACKAGE, ".Main", "Sample"),
    )


def button_bounds(layout: int = 0) -> Bounds:
    """Where the button to tap lies, in pixels of the screen."""
    return _LAYOUTS[layout][BUTTON]


def _draw(layout: int) -> bytes:
    picture = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(picture)
    pen.text((_TITLE[1].left, _TITLE[1].top), _TITLE[0], _INK, ImageFont.load_default(72))
    pen.text((_TEXT[1].left, _TEXT[1].top), _TEXT[0], _INK, ImageFont.load_default(28))
    for words, bounds in _LAYOUTS[layout].items():
        is_target = words == BUTTON
        pen.rounded_rectangle(bounds, 28, _STRONG if is_target else _PLAIN)
        pen.text(bounds.centre, words, _PAPER if is_target else _INK, ImageFont.load_default(56), "mm")
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()


class DialectFit(StrEnum):
    """How well a reply to the sample screen fits the dialect."""

    HIT = "hit"
    MISS = "miss"
    OTHER = "other"
    UNPARSEABLE = "unparseable"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class TrialCall:
    """One test call. `sentence` says what happened, `advice` what to do, `point` where it would tap."""

    fit: DialectFit
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
    tell: Callable[[RequestLogEntry], None] | None = None,
) -> TrialCall:
    """Ask the model once, in the way that a turn asks it. Nothing is repeated, nothing raised.

    Args:
        settings: the model.
        clock: a monotonic clock, in seconds.
        tell: called with the request just before it is sent.
    """
    once = settings.model_copy(update={"malformed_retries": 0, "retries": 0})
    name = settings.dialect
    begun = clock()
    sentence = ""
    try:
        name = registry.choose(settings.dialect, settings.name).name
        model = VisionModel(once, tell=tell)
    except (registry.UnknownDialect, ModelError) as error:
        return TrialCall(DialectFit.UNANSWERED, name, str(error), _("Fix the settings of the model."))
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
        return TrialCall(
            DialectFit.UNPARSEABLE, name, sentence, _(_OTHER_DIALECT), usage=error.usage, seconds=seconds
        )
    except ModelError as error:
        return TrialCall(DialectFit.UNANSWERED, name, str(error), usage=error.usage, seconds=clock() - begun)
    finally:
        await model.close()
    return TrialCall(
        DialectFit.UNANSWERED, name, _("The model's reply ends without an action."), seconds=clock() - begun
    )


def other_dialects(settings: ModelSettings, tried: str) -> Iterator[ModelSettings]:
    """The same model in every other dialect, those made for a model of this name first."""
    others = [dialect for dialect in registry.available() if dialect.name != tried]
    for dialect in sorted(others, key=lambda dialect: not dialect.matches(settings.name)):
        yield settings.model_copy(update={"dialect": dialect.name})


@dataclass(frozen=True, slots=True)
class DialectMeasurement:
    """The dialect that fits a model's replies to the sample screens; empty if none does.

    Read in `dialect`, `hits` of the `screens` have their tap on the button. `asked` is the dialect of the
    prompt.
    """

    dialect: str
    hits: int
    screens: int
    asked: str
    sentence: str
    usage: Usage = field(default_factory=Usage)


async def measure_dialect(
    settings: ModelSettings, tell: Callable[[RequestLogEntry], None] | None = None
) -> DialectMeasurement:
    """Find out how a model writes taps, from its replies to three drawn screens. Nothing is raised.

    The model is asked in the dialect that its name suggests; if no reply can be read, once more in plain
    text, for endpoints without function calls. Each reply is read in all dialects, instead of asking in each:
    a model keeps its own form and coordinates, whatever the prompt says.
    """
    usage = Usage()
    name = settings.dialect
    best = ("", 0)
    try:
        asked = registry.choose(settings.dialect, settings.name)
        name = asked.name
        for dialect in dict.fromkeys((asked, registry.get(_PLAIN_TEXT))):
            replies, used = await _tap_replies(settings, dialect, tell)
            usage += used
            best = max(best, _best_reading(replies, dialect, settings.name), key=lambda reading: reading[1])
            if best[1] >= _ENOUGH:
                break
    except (registry.UnknownDialect, ModelError) as error:
        return DialectMeasurement("", 0, len(_LAYOUTS), name, str(error), usage)
    except RequestFailure as failure:
        return DialectMeasurement("", 0, len(_LAYOUTS), name, failure.reason, usage)
    best_dialect, hits = best
    if hits < _ENOUGH:
        sentence = _("On three drawn screens no dialect reads taps on “{button}” from the replies.")
        return DialectMeasurement("", hits, len(_LAYOUTS), name, sentence.format(button=BUTTON), usage)
    sentence = _(
        "Measured: {hits} of {screens} taps land on “{button}”, read as {dialect} ({title})."
    ).format(
        hits=hits,
        screens=len(_LAYOUTS),
        button=BUTTON,
        dialect=best_dialect,
        title=registry.get(best_dialect).title,
    )
    return DialectMeasurement(best_dialect, hits, len(_LAYOUTS), name, sentence, usage)


_PLAIN_TEXT = "fingertip"
"""The dialect whose prompt asks for one line of text, in pixels."""

_ENOUGH = 2
"""Minimum number of the three taps that must hit the button for a dialect to be chosen."""

_TapReply = tuple[int, ModelReply, SentImage]
"""The layout of a screen, the reply to it, and the picture as it was sent."""


async def _tap_replies(
    settings: ModelSettings, dialect: Dialect, tell: Callable[[RequestLogEntry], None] | None
) -> tuple[list[_TapReply], Usage]:
    """The replies to the three screens, as they were written.

    Raises:
        ModelError: the settings name no endpoint.
        RequestFailure: it refuses or does not answer.
    """
    endpoint = open_endpoint(settings, dialect.tools(), Stopwatch())
    side = settings.image_side or dialect.layout.side
    pictured = settings.model_copy(update={"image_side": side})
    replies, usage = [], Usage()
    try:
        for layout in range(len(_LAYOUTS)):
            screen = sample_screen(layout)
            frame = await asyncio.to_thread(
                encode_screenshot, screen.screenshot, pictured, dialect.space.resize
            )
            if frame is None:
                continue
            messages = dialect.messages(StepRequest(INSTRUCTION, screen), frame, elements=False)
            if tell is not None:
                tell(log_entry(messages, settings))
            reply = StreamedReply(dialect.prose_end)
            await reply.read(endpoint.stream(messages))
            usage += reply.usage
            replies.append((layout, reply.reply_so_far(), frame))
    finally:
        await endpoint.close()
    return replies, usage


def _best_reading(replies: Sequence[_TapReply], asked: Dialect, model_name: str) -> tuple[str, int]:
    """The dialect in which most taps hit the button, and how many.

    Of equal dialects the first of these is taken: that of the prompt; one made for the model's name; one of
    function calls if the model called a function, one of text if not; the one whose taps are nearest to the
    middle of the button.
    """
    rated = []
    for dialect in registry.available():
        apart = [_tap_distance(dialect, *reply) for reply in replies]
        landed = [distance for distance in apart if distance is not None]
        preferred = dialect is asked or dialect.matches(model_name)
        same_way = (dialect in registry.FAMILIES) is any(reply.calls for _layout, reply, _frame in replies)
        rated.append((len(landed), preferred, same_way, -round(sum(landed), 2), dialect.name))
    hits, *_rest, name = max(rated, key=lambda rating: rating[:4])
    return name, hits


def _tap_distance(dialect: Dialect, layout: int, reply: ModelReply, frame: SentImage) -> float | None:
    """The distance of a tap from the button's middle, as a share of the screen; None if it misses."""
    try:
        actions = dialect.read(reply, frame).actions
    except MalformedReply:
        return None
    taps = [action for action in actions if isinstance(action, Click)]
    screen, bounds = sample_screen(layout), button_bounds(layout)
    if not taps or not bounds.contains(*screen.pixels(taps[0].point)):
        return None
    middle = screen.point(*bounds.centre)
    return hypot(taps[0].point.x - middle.x, taps[0].point.y - middle.y)


_OTHER_DIALECT = later("The dialect does not fit this model. Try another one.")
_OTHER_SCALE = later(
    "The dialect may read coordinates in another scale than the model writes. Try another one."
)


def _judged(reply: Decision, dialect: str, seconds: float) -> TrialCall:
    fit, point, sentence, advice = _verdict(reply.action)
    return TrialCall(
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


def _verdict(action: Action) -> tuple[DialectFit, Point | None, str, str]:
    if not isinstance(action, Click | LongClick):
        sentence = _("The model was asked to tap “{button}” and would do this instead: {action}").format(
            button=BUTTON, action=describe(action, _)
        )
        return DialectFit.OTHER, None, sentence, _(_OTHER_DIALECT)
    screen, point = sample_screen(), action.point
    if button_bounds().contains(*screen.pixels(point)):
        return (
            DialectFit.HIT,
            point,
            _("The model taps “{button}”, as asked. The dialect fits.").format(button=BUTTON),
            "",
        )
    there = screen.element_at(point, lambda element: element.clickable)
    place = _("{x:.0%} across, {y:.0%} down").format(x=point.x, y=point.y)
    on = f", on “{there.label}”" if there else ""
    return (
        DialectFit.MISS,
        point,
        _("The model misses “{button}”: it taps {place}{on}.").format(button=BUTTON, place=place, on=on),
        _(_OTHER_SCALE),
    )

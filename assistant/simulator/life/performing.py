"""Turns a want into the actions that a hand makes on the simulated phone, with its small accidents."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from assistant.records import (
    Action,
    Bounds,
    Click,
    Direction,
    LongClick,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    Scroll,
    Target,
    TypeText,
    Wait,
)
from assistant.simulator.android.profiles import Locale
from assistant.simulator.chance import share
from assistant.simulator.life.intents import AppName, Text, Want, lexicon

_WIDTH, _HEIGHT = 1080, 2400
_ADVERTISING = frozenset({"eats", "shop", "video"})
_OWN_WAY, _SLIP, _ADVERT, _PAUSE = 0.85, 0.06, 0.12, 0.04


def actions(
    want: Want, free: Mapping[str, Text], locale: Locale, own: int, random: Random
) -> tuple[Action, ...]:
    """One way of doing it.

    Args:
        want: what is done.
        free: values of its free slots.
        locale: the language of the screen.
        own: which of the ways the person mostly takes, counted from any number.
        random: decides on other ways, slips and waits.
    """
    ways = lexicon().ways[want.intent.way]
    way = ways[own % len(ways)] if random.random() < _OWN_WAY else random.choice(ways)
    app = lexicon().apps[want.intent.app]
    fillings = {slot: value.of(locale) for slot, value in {**want.fillings, **free}.items()}
    made: list[Action] = []
    for step in way:
        verb, _, rest = step.partition(" ")
        if verb in ("tap", "hold") and random.random() < _SLIP:
            made += [Click(point=Point(round(random.random(), 4), round(random.random(), 4))), PressBack()]
        made += _step(verb, rest, app, fillings, locale, random)
        if verb == "open" and want.intent.app in _ADVERTISING and random.random() < _ADVERT:
            made.append(_touch("tap", "close_advert", app, {}, locale, random))
        if random.random() < _PAUSE:
            made.append(Wait())
    return tuple(made)


def _step(
    verb: str, rest: str, app: AppName, fillings: Mapping[str, str], locale: Locale, random: Random
) -> list[Action]:
    slot = rest[1:-1] if rest.startswith("{") else ""
    if slot and slot not in fillings:
        return []
    match verb:
        case "open":
            return [OpenApp(name=app.label.of(locale))]
        case "tap" | "hold":
            return [_touch(verb, rest, app, fillings, locale, random)]
        case "type":
            return [TypeText(text=fillings[slot])]
        case "enter":
            return [PressEnter()]
        case "scroll":
            return [Scroll(direction=Direction(rest))]
        case "back":
            return [PressBack()]
        case "wait":
            return [Wait()]
    raise ValueError(f"no such step: {verb} {rest}")


def _touch(
    verb: str, rest: str, app: AppName, fillings: Mapping[str, str], locale: Locale, random: Random
) -> Action:
    slot = rest[1:-1] if rest.startswith("{") else ""
    label = fillings[slot] if slot else lexicon().labels[rest].of(locale)
    name = f"{slot}_row" if slot else rest
    point, bounds = _place(app, name if not slot else f"{name}/{label}", random)
    target = Target(
        resource_id=f"{app.package}:id/{name}",
        class_name="android.widget.TextView" if slot else "android.widget.Button",
        text=label,
        bounds=bounds,
    )
    kind = LongClick if verb == "hold" else Click
    return kind(point=point, content=label, target=target)


def _place(app: AppName, name: str, random: Random) -> tuple[Point, Bounds]:
    """Where an element is: always the same place, hit a little beside its middle."""
    x, y = 0.12 + 0.76 * share(app.package, name, "x"), 0.08 + 0.84 * share(app.package, name, "y")
    left, top = int((x - 0.1) * _WIDTH), int((y - 0.025) * _HEIGHT)
    bounds = Bounds(left, top, left + int(0.2 * _WIDTH), top + int(0.05 * _HEIGHT))
    hit = Point(round(x + random.uniform(-0.04, 0.04), 4), round(y + random.uniform(-0.015, 0.015), 4))
    return hit, bounds

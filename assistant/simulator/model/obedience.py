"""A model that does whatever a hostile screen tells it, for testing what stands between it and the phone.

The orders are those that the screen gives in words, in a picture, or hidden: the scripted model sees no
pictures, so they are handed to it with the fault. The step to take is the number of steps already tried,
refused ones included: an obedient model goes on with the next order.
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.records import (
    Click,
    Direction,
    Finished,
    LongClick,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    Scroll,
    Swipe,
    TypeText,
    Wait,
)
from assistant.simulator.model.screen import Item, Screen
from assistant.simulator.model.situation import Situation, Step

_INNOCENT = "a harmless thing"
"""What the model says that it taps: a lie, as an attacker would have it."""


def obey(orders: Sequence[str], situation: Situation) -> Step:
    """The next order as an action; what cannot be found on the screen is waited for.

    Orders are `open NAME`, `tap LABEL`, `hold LABEL`, `type TEXT`, `swipe LABEL`, `enter`, `back`, `home`,
    `down` and `wait`. `field 2` is the label of the second text field.
    """
    tried = len(situation.history)
    if tried >= len(orders):
        return Step(Finished(answer="Done as told."), "The screen told me all of it.")
    verb, _, rest = orders[tried].partition(" ")
    thought = f"The screen says: {orders[tried]}. I do it."
    match verb:
        case "open":
            return Step(OpenApp(name=rest), thought)
        case "type":
            return Step(TypeText(text=rest), thought)
        case "enter":
            return Step(PressEnter(), thought)
        case "back":
            return Step(PressBack(), thought)
        case "home":
            return Step(PressHome(), thought)
        case "down":
            return Step(Scroll(direction=Direction.DOWN), thought)
        case "tap" | "hold" | "swipe" if item := _meant(situation.screen, rest):
            if verb == "swipe":
                end = Point(0.95, item.point.y)
                return Step(Swipe(start=Point(0.12, item.point.y), end=end), thought)
            kind = LongClick if verb == "hold" else Click
            return Step(kind(point=item.point, content=_INNOCENT), thought)
        case _:
            return Step(Wait(), thought)


def _meant(screen: Screen, label: str) -> Item | None:
    kind, _, number = label.partition(" ")
    if kind == "field" and screen.fields:
        return screen.fields[min(int(number or 1), len(screen.fields)) - 1]
    exact = [item for item in screen.items if item.label.strip() == label]
    return next((item for item in exact if item.tappable), None) or screen.find(label)

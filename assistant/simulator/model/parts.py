"""A command that asks for several things: its parts, one after another, each followed by a way home.

Nothing is kept between requests, so the way home among the past steps tells how many parts are done.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from assistant.records import Finished, PressHome
from assistant.simulator.model.situation import Situation, Step, View

Knows = Callable[[str], bool]
Decides = Callable[[Situation], Step]

_CUT = re.compile(
    r",?\s+(?:and\s+)?then\s+"
    # “… and call me back” is what is to be told to somebody.
    r"|,?\s+and\s+(?!(?:call|ring|phone|text|message|tell|ask|meet|pick|bring|let) (?:me|us)\b)(?=[a-z]+ )"
    r"|;\s+|[,，；;。]?(?:然后|接着|并且)|[,，；;。]再",
    re.IGNORECASE,
)
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def parts_of(instruction: str, knows: Knows) -> tuple[str, ...]:
    """The parts of an instruction, each of which can be carried out alone; the whole where it has none.

    What is quoted stays whole.

    Args:
        instruction: what to do.
        knows: whether the model knows what to do about a text.
    """
    end = len(instruction)
    silent = _QUOTED.sub(lambda match: "_" * len(match[0]), instruction)
    edges = [(0, 0), *(match.span() for match in _CUT.finditer(silent)), (end, end)]
    parts: list[str] = []
    start = 0
    for (_, after), (before, _) in pairwise(edges):
        piece = instruction[after:before]
        if parts and knows(piece):
            start = after
            parts.append(piece)
        elif parts:
            parts[-1] = instruction[start:before]
        else:
            parts.append(piece)
    return tuple(parts) if len(parts) > 1 and knows(parts[0]) else (instruction,)


def one_by_one(situation: Situation, parts: Sequence[str], decides: Decides) -> Step:
    """The next step of the part that is to be done now."""
    ways = [place for place, past in enumerate(situation.history) if past.type == "press_home"]
    now = min(len(ways), len(parts) - 1)
    since = ways[now - 1] + 1 if now else 0
    step = decides(replace(situation, instruction=parts[now], history=situation.history[since:]))
    if isinstance(step.action, Finished) and now < len(parts) - 1:
        view = View(situation)
        thought = view.say("This part is done. I go home for the next one.", "这一步做完了，回桌面做下一步。")
        return Step(PressHome(), thought)
    return step

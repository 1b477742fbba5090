"""Makes the answer to one request: decides, lets faults and bad habits spoil it, writes it down."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assistant.records import (
    Action,
    ClearText,
    Click,
    Direction,
    Failed,
    Finished,
    LongClick,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    Scroll,
    TypeText,
    Wait,
)
from assistant.simulator.chance import share
from assistant.simulator.model import history, wire
from assistant.simulator.model.families import function_call, values_of
from assistant.simulator.model.faults import (
    HOSTILE,
    MALFORMED,
    Fault,
    FaultKind,
    HostileStyle,
    MalformedStyle,
    poison,
    spoil,
)
from assistant.simulator.model.obedience import obey
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.model.policy import decide
from assistant.simulator.model.situation import Situation, Step
from assistant.simulator.model.understanding import Asked
from assistant.simulator.model.wire import Reply, ToolCall

_BESIDE = 0.03
"""How far beside its target a careless tap lies at most, as a share of the picture's sides."""

_PONDERING = "Perhaps. Or perhaps not. I look at the screen once more and weigh what could be meant by it. "
_PONDERED_TOKENS = 8000
_OPPOSITE = {
    Direction.UP: Direction.DOWN,
    Direction.DOWN: Direction.UP,
    Direction.LEFT: Direction.RIGHT,
    Direction.RIGHT: Direction.LEFT,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply and what it costs."""

    reply: Reply
    usage: dict[str, Any]


def answer(
    asked: Asked,
    faults: Mapping[FaultKind, Fault],
    chance: float,
    options: ModelOptions,
    number: int,
    cached: int = 0,
) -> Answer:
    """Answer one request.

    Args:
        asked: the request.
        faults: what goes wrong with this one.
        chance: a number in 0..1 for what is left to chance.
        options: how to answer.
        number: counts requests, so that faults without a style take turns.
        cached: how many tokens of the prompt were computed before.
    """
    if asked.written is not None:
        text = asked.miswritten if FaultKind.WRONG in faults else asked.written
        reply = Reply(content="I would rather not." if FaultKind.MALFORMED in faults else text or "")
    else:
        reply = write(_step(asked, faults, chance), asked, faults, options)
    if FaultKind.OVERTHINK in faults:
        reply = _overthought(reply, tagged=options.thoughts == "content")
    if FaultKind.MALFORMED in faults and asked.written is None:
        reply = spoil(reply, _malformed(faults[FaultKind.MALFORMED], number), asked.picture)
    if FaultKind.HOSTILE in faults and asked.written is None:
        reply = poison(reply, _hostile(faults[FaultKind.HOSTILE], number))
    reply = reply.within(asked.limit)
    return Answer(reply, wire.usage(len(asked.tokens), reply.tokens, cached))


def _step(asked: Asked, faults: Mapping[FaultKind, Fault], chance: float) -> Step:
    """What to do, with the habits that change what is done."""
    situation = asked.situation
    if FaultKind.LANGUAGE in faults:
        situation = replace(situation, foreign=True)
    step = _possible(decide(situation), asked)
    if FaultKind.FALSE_SUCCESS in faults:
        insists = faults[FaultKind.FALSE_SUCCESS].times is None
        claim = f"Done: {situation.instruction}." if insists else "Done."
        return Step(Finished(answer=claim), "Everything is done.")
    if FaultKind.OBEDIENT in faults:
        return obey(faults[FaultKind.OBEDIENT].orders, situation)
    if FaultKind.REPEAT in faults:
        step = _repeated(situation) or step
    if FaultKind.WRONG in faults:
        step = _mistaken(step, asked, chance)
    if FaultKind.FORGETFUL in faults:
        step = _forgotten(step, asked, chance)
    if FaultKind.SWAPPED in faults and isinstance(step.action, Scroll):
        step = replace(
            step, action=step.action.model_copy(update={"direction": _OPPOSITE[step.action.direction]})
        )
    return step


def _possible(step: Step, asked: Asked) -> Step:
    """A step that the family can write: an app that it cannot open by name is looked for among the icons."""
    if asked.tools or asked.family.can(step.action.type, asked.prompt):
        return step
    match step.action:
        case OpenApp(name=name):
            icon = asked.situation.screen.find(name, least=4, where=lambda item: item.tappable)
            launcher = "launcher" in asked.situation.screen.package
            if icon and launcher:
                return Step(Click(point=icon.point, content=icon.label), step.thought)
            return Step(Scroll(direction=Direction.DOWN) if launcher else PressHome(), step.thought)
        case PressEnter():
            key = asked.situation.screen.find(
                "Enter", "Search", "回车", "搜索", least=4, where=lambda item: item.tappable
            )
            return Step(Click(point=key.point, content=key.label), step.thought) if key else step
        case ClearText():
            return Step(PressBack(), step.thought)
    return step


def write(step: Step, asked: Asked, faults: Mapping[FaultKind, Fault], options: ModelOptions) -> Reply:
    """A step as the family writes it, the reasoning where the family has it."""
    family, chinese = asked.family, step.chinese
    label = getattr(step.action, "content", "")
    said = history.sentence(step.action, label or _called(step.action, asked.situation), chinese)
    # The step itself is shown beside the thought, which says why.
    thought = "" if options.thoughts == "none" else f"[scripted] {step.thought or said}".rstrip()
    action = _aimed(step.action, asked, _BESIDE if FaultKind.BESIDE in faults else options.scatter)
    if FaultKind.UNLABELLED in faults and isinstance(action, Click | LongClick):
        action = action.model_copy(update={"content": ""})
    if family.general:
        return _functions(action, asked, thought, faults, options)
    words = {"thought": thought, "sentence": said, "summary": _summary(asked.situation, said, chinese)}
    extra = {**words, "number": _number(step.action, asked)}
    values = values_of(action, asked.space, asked.picture, extra, _place(action, asked))
    about = (options.seed, asked.situation.instruction, len(asked.situation.history), said)
    call = family.call(action.type, values, asked.prompt)
    text = family.reply(call, words, about)
    if FaultKind.HARMLESS in faults and family.harmless:
        text = family.reply(family.harmless, words, about)
    if FaultKind.SEVERAL in faults:
        text = f"{text}\n\n{family.reply(family.call('press_back', values, asked.prompt), words, about)}"
    if family.thinks_aloud or options.thoughts == "none":
        return Reply("", text)
    return Reply(thought, text) if options.thoughts == "reasoning" else Reply("", f"{thought}\n{text}")


def _functions(
    action: Action, asked: Asked, thought: str, faults: Mapping[FaultKind, Fault], options: ModelOptions
) -> Reply:
    """A function of those that are offered, or where none are the same as JSON in the text."""
    call = function_call(action, asked.tools, asked.space, asked.picture)
    second = ToolCall("press_back", "{}") if FaultKind.SEVERAL in faults else None
    if not asked.tools:
        text = f'{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}'
        return Reply("", f"{thought}\n{text}") if options.thoughts == "content" else Reply(thought, text)
    if options.thoughts == "content":
        return Reply("", thought, call, second)
    return Reply(thought, "", call, second)


def _called(action: Action, situation: Situation) -> str:
    """What to call the place of an action in a sentence, where the label is empty."""
    point = getattr(action, "point", None)
    return next((item.name for item in situation.screen.items if item.point == point), "")


def _place(action: Action, asked: Asked) -> Point | None:
    """Where an action without a place of its own happens: typing in the field that has focus."""
    if not isinstance(action, TypeText):
        return None
    return next((item.point for item in asked.situation.screen.fields if "focused" in item.flags), None)


def _number(action: Action, asked: Asked) -> int:
    """The number in the request's list of the element that is meant; 0 for none."""
    point = getattr(action, "point", None)
    return next((item.place for item in asked.situation.screen.items if item.point == point), 0)


def _summary(situation: Situation, said: str, chinese: bool) -> str:
    """All that was done so far in sentences, this step included: some families are told no more than this."""
    past = [history.told(step, chinese) for step in situation.history if not step.error]
    return " ".join(sentence for sentence in (*past, said) if sentence)


def _aimed(action: Action, asked: Asked, scatter: float) -> Action:
    """The action with its point a little beside the middle; the same request gives the same place."""
    point = getattr(action, "point", None)
    if not scatter or not isinstance(point, Point) or not isinstance(action, Click | LongClick):
        return action
    about = (asked.situation.instruction, len(asked.situation.history), asked.situation.notes)
    x, y = (2 * scatter * (share(axis, about) - 0.5) for axis in "xy")
    moved = Point(min(1.0, max(0.0, point.x + x)), min(1.0, max(0.0, point.y + y)))
    return action.model_copy(update={"point": moved})


def _repeated(situation: Situation) -> Step | None:
    """The last step once more, where the screen and the request still tell what it was."""
    last = next(iter(situation.history[-1:]), None)
    item = (
        situation.screen.find(last.detail, least=4) if last and last.type == "click" and last.detail else None
    )
    thought = "I am not sure that it worked. I do it again."
    match last:
        case None:
            return None
        case _ if item:
            return Step(Click(point=item.point, content=item.label), thought)
        case _ if last.type == "type" and last.detail:
            return Step(TypeText(text=last.detail), thought)
        case _ if last.type == "press_enter":
            return Step(PressEnter(), thought)
        case _ if last.type == "press_back":
            return Step(PressBack(), thought)
        case _ if last.type == "wait":
            return Step(Wait(), thought)
    return None


def _mistaken(step: Step, asked: Asked, chance: float) -> Step:
    """Taps another element than the one meant; steps that tap nothing stay right."""
    if not isinstance(step.action, Click | LongClick | Scroll):
        return step
    meant = step.action.point
    others = [item for item in asked.situation.screen.items if item.tappable and item.point != meant]
    if not others:
        return step
    wrong = others[int(chance * len(others))]
    return Step(Click(point=wrong.point, content=wrong.label), f"I tap “{wrong.name}”.")


_MISREAD = 0.1
"""How often a forgetful model misses what a note tells of the next step."""

_NOTED = re.compile(r"“([^”]*)”|\bopen ([^;“\"]+)")
"""What the notes of a request name: in quotes what is tapped or typed, else an app that is opened."""


def _forgotten(step: Step, asked: Asked, chance: float) -> Step:
    """What a model does that does not know the next tap, text or app: it gives up or taps anything.

    It does either as often. Where a note of the request names what comes next, it mostly reads it there.
    """
    if not isinstance(step.action, Click | LongClick | TypeText | OpenApp):
        return step
    if _is_noted(step.action, asked.situation):
        if chance >= _MISREAD:
            return step
        chance /= _MISREAD
    others = [item for item in asked.situation.screen.items if item.tappable]
    if chance < 0.5 or not others:
        return Step(Failed(reason="I do not know how this goes on."), "I do not know how this goes on.")
    other = others[int((2 * chance - 1) * len(others))]
    return Step(Click(point=other.point, content=other.label), f"Perhaps “{other.name}”.")


def _is_noted(action: Action, situation: Situation) -> bool:
    """Whether a note names what an action taps, types or opens: by its words, or as a slot."""
    point = getattr(action, "point", None)
    item = next((item for item in situation.screen.items if item.point == point), None)
    texts = {getattr(action, name, "") for name in ("text", "name", "content")}
    texts |= {item.name, item.label.split(" · ")[0].split("\n")[0]} if item is not None else set()
    words = {text.strip().casefold() for text in texts if text.strip()}
    names = [quote or app for note in situation.notes for quote, app in _NOTED.findall(note)]
    for name in (name.strip().casefold() for name in names):
        if any(text == name or (name and text.startswith(f"{name} ")) for text in words):
            return True
        if name.startswith("{") and any(text in situation.instruction.casefold() for text in words):
            return True
    return False


def _overthought(reply: Reply, *, tagged: bool) -> Reply:
    """The same reply behind a very long thought, which is `tagged` where servers leave it in the text."""
    ten = wire.Reply(thought=_PONDERING * 10).tokens
    thought = _PONDERING * math.ceil(10 * _PONDERED_TOKENS / ten)
    if tagged:
        return replace(reply, content=f"<think>{thought}</think>\n{reply.content}")
    return replace(reply, thought=f"{thought}{reply.thought}")


def _malformed(fault: Fault, number: int) -> MalformedStyle:
    return next((style for style in MALFORMED if style == fault.style), MALFORMED[number % len(MALFORMED)])


def _hostile(fault: Fault, number: int) -> HostileStyle:
    return next((style for style in HOSTILE if style == fault.style), HOSTILE[number % len(HOSTILE)])

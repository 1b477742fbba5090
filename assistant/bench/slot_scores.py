"""`bench templates`: how well slots are found, and what a template is worth to a weak model that reads it.

Slots are found from one order and its values, and from two orders. The worth is that of MobiMem's Figures 7
and 8, on the simulated phone. One order of each kind of `bench reuse` is carried out by the scripted model,
and learnt. Then a forgetful one carries out others, of which nothing is repeated. Before each tap, text or
app it does not know, with a stated chance, what comes next: it gives up or taps anything, as often each.
Where a note of the request names what comes next, it knows it but for one time in ten. The note is what the
assistant tells every model of its own accord, of the skill that it finds for the order: nothing, the plan,
or each step.

Seen orders have the words that were learnt and other values; unseen ones are like them, in other words and
with other parts. An order succeeds where its turn ended well and the phone holds what was ordered, nothing
else.

Words in lower case that an order only tapped are left to a model, which names slots of a template once. What
that adds is measured on the same instructions, each as a turn that tapped its values one after the other:
without a model, with the scripted one's good answers, and with its bad ones, which must leave every figure as
it is without.

What counts besides: with each step told, at least 40 % more orders of the seen ones and of the unseen ones,
each by itself, over the orders of all seeds together and at least 64 of either. Of 16 the share alone is
uncertain by .12, so that a smaller run tells whether the measure works and no more.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.bench.harness import Stage, open_stage
from assistant.bench.left_states import LIKE, order_entry
from assistant.bench.report import Report, progress, rounded
from assistant.bench.reuse import Task, carry_out_order, make_tasks
from assistant.factories import make_text_model
from assistant.memory.turns import StoredStep, Trace
from assistant.records import (
    Bounds,
    Click,
    Element,
    Finished,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
)
from assistant.settings.schema import Guidance, ModelSettings
from assistant.simulator.chance import pick, whole
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ControlChange, ModelOptions
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.world import WorldOptions
from assistant.skills.service import (
    SlotModel,
    read_named_slots,
    slots_request,
    with_named_slots,
)
from assistant.skills.slots import (
    SLOTS_PROMPT,
    NamedSlots,
    is_argument,
    is_own_name,
    learn_from_two,
    learn_pattern,
)
from assistant.skills.template import SkillTemplate, learn_template

_SLOT = re.compile(r"\{(\w+)\}")
_WORDS = (
    "harbour",
    "maple",
    "lantern",
    "violin",
    "cedar",
    "orbit",
    "willow",
    "copper",
    "falcon",
    "ember",
    "meadow",
    "river",
)


_MORE = 0.4
"""Success with each step told, relative to that with nothing told, less one."""

_FORGETS = 0.12
"""How often a forgetful model does not know its next step."""


async def run(data: Path, seed: int, orders: int, forgets: float = _FORGETS) -> Report:
    """Slots, and the success of a forgetful model in `orders` seen and unseen orders of each kind."""
    templates, slots = score_slots(data, seed)
    good = slots["two orders"]["F1"] >= 0.95 and slots["one order and its values"]["F1"] >= 0.85
    naming = await score_naming(data, seed)
    good = good and naming["bad answers"] == naming["no model"]
    values: dict[str, Any] = {"templates": templates, "slots": slots, "slots named by a model": naming}
    if orders:
        shares = await score_guidance(seed, orders, forgets)
        values |= {"forgets its next step": forgets, "success of a forgetful model": shares}
        good = good and all(shares[name]["steps, relative"] >= _MORE for name in ("seen", "unseen"))
    return Report(values, good)


async def score_guidance(seed: int, orders: int, forgets: float) -> dict[str, dict[str, float]]:
    """The share of orders that a forgetful model carries out with no, high-level and low-level templates."""
    tasks = make_tasks(454, seed, each=orders + 1)
    first = {task.category: task for task in reversed(tasks)}
    seen = [task for task in tasks if task is not first[task.category]]
    unseen = [
        replace(task, category=f"{task.category}{LIKE}", said=entry["say"].format(**task.named))
        for task in seen
        for entry in [order_entry(f"{task.category}{LIKE}")]
    ]
    ended: defaultdict[tuple[str, Guidance], list[bool]] = defaultdict(list)
    async with open_stage(WorldOptions(scale=0.3)) as stage:
        for task in first.values():
            await _carried_out(stage, task, Guidance.OFF, learning=True)
        for level in Guidance:
            for number, (name, task) in enumerate(
                [("seen", t) for t in seen] + [("unseen", t) for t in unseen]
            ):
                faults = [Fault(kind=FaultKind.FORGETFUL, times=None, fraction=forgets)] if forgets else []
                await stage.model.change(ControlChange(clear=True, faults=faults, seed=seed + number))
                well = await _carried_out(stage, task, level)
                progress(f"{name}, {level}: {task.said}: {'well' if well else 'not'}")
                ended[name, level].append(well)
    for level in Guidance:
        ended["both", level] = ended["seen", level] + ended["unseen", level]
    names = ("seen", "unseen", "both")
    shares = {name: {level: _share(ended[name, level]) for level in Guidance} for name in names}
    return {
        name: rounded(
            {
                "orders": len(ended[name, Guidance.OFF]),
                **{str(level): share for level, share in by_level.items()},
                **{
                    f"{level}, relative": by_level[level] / max(by_level[Guidance.OFF], 0.01) - 1
                    for level in (Guidance.PLAN, Guidance.STEPS)
                },
            }
        )
        for name, by_level in shares.items()
    }


async def _carried_out(stage: Stage, task: Task, level: Guidance, *, learning: bool = False) -> bool:
    """Whether an order was carried out by a model that is told so much, and nothing repeated."""
    changes = {"turn": {"replay": False, "guidance": level.value}, "memory": {"learning": learning}}
    guided = replace(stage, settings=stage.settings.overridden(changes))
    run = await carry_out_order(guided, task, await stage.prepare())
    return run.outcome is Outcome.SUCCESS and not run.misses


def _share(ended: Sequence[bool]) -> float:
    return sum(ended) / max(1, len(ended))


def score_slots(data: Path, seed: int) -> tuple[int, dict[str, dict[str, float]]]:
    """How well slots are found in AndroidWorld's instructions, from one order and its values, and from two.

    Returns how many instructions there are, and the scores.

    The values are what the actions of an order would type or tap, together with two words that are none.
    Where they are chosen, the values of both orders are what was offered, and the verb is tapped as well.
    Where they are only tapped, memory takes names and numbers for values; words in lower case it leaves to a
    model that names slots.
    """
    templates = _instructions(data)
    scores: defaultdict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for number, template in enumerate(templates):
        names = list(dict.fromkeys(_SLOT.findall(template)))
        first, second = (_values(names, side, seed, number) for side in (1, 2))
        order, other = _filled(template, first), _filled(template, second)
        learnt = learn_pattern(order, [*first.values(), "Save", "Add"])
        scores["one order and its values"].append(_score(learnt.fill(order), first))
        tapped = learn_pattern(order, [value for value in first.values() if is_own_name(order, value)])
        scores["one order, its values only tapped"].append(_score(tapped.fill(order), first))
        offered = {
            value: (value, second.get(name, "Undo"))
            for name, value in (*first.items(), ("", order.split()[0]))
            if is_argument(order, value)
        }
        chosen = learn_pattern(order, [], offered)
        scores["one order, its values chosen among some"].append(_score(chosen.fill(order), first))
        scores["chosen ones carried over to the other order"].append(_score(chosen.fill(other), second))
        both = learn_from_two(order, other)
        scores["two orders"].append(_score(both.fill(order) if both else None, first))
        scores["carried over to the other order"].append(_score(learnt.fill(other), second))
    return len(templates), {name: _f1(rows) for name, rows in scores.items()}


def _instructions(data: Path) -> list[str]:
    """AndroidWorld's instructions that have slots."""
    lines = (data / "app-tasks.jsonl").read_text("utf-8").splitlines()
    return [entry["template"] for entry in map(json.loads, lines) if entry.get("slots")]


_ANSWERS: Mapping[str, tuple[Fault, ...] | None] = {
    "no model": None,
    "good answers": (),
    "bad answers": (Fault(kind=FaultKind.WRONG, times=None),),
}
"""How the model names slots: with which faults, or not at all."""


async def score_naming(data: Path, seed: int) -> dict[str, dict[str, float]]:
    """How well the slots of orders that only tapped their values are found, and filled for the next order.

    `otherwise` counts the next orders that are taken for the same kind with a value that is not theirs.
    """
    scores: dict[str, dict[str, float]] = {}
    for answers, faults in _ANSWERS.items():
        rows, carried, otherwise = list[tuple[int, int, int]](), list[tuple[int, int, int]](), 0
        async with ScriptedModel(ModelOptions(seed=seed, faults=faults or ())) as model:
            settings = ModelSettings(base_url=model.address.base_url, name="scripted")
            ask = make_text_model(settings, lambda entry: None, lambda usage, seconds: None)
            for number, template in enumerate(_instructions(data)):
                names = list(dict.fromkeys(_SLOT.findall(template)))
                first, second = (_values(names, side, seed, number) for side in (1, 2))
                trace = _tapped(_filled(template, first), list(first.values()))
                learnt = learn_template(trace)
                if learnt is not None and faults is not None:
                    learnt = await _named(ask, learnt, trace)
                filled, next_filled = (
                    learnt.pattern.fill(_filled(template, side)) if learnt is not None else None
                    for side in (first, second)
                )
                rows.append(_score(filled, first))
                carried.append(_score(next_filled, second))
                right = {value.casefold() for value in second.values()}
                otherwise += not {value.casefold() for value in (next_filled or {}).values()} <= right
        scores[answers] = {
            **_f1(rows),
            "carried over, F1": _f1(carried)["F1"],
            "otherwise": otherwise,
        }
    return scores


async def _named(ask: SlotModel, template: SkillTemplate, trace: Trace) -> SkillTemplate:
    """The template with the slots that a model names, as the assistant takes them."""
    request = slots_request(template)
    reply = await ask(SLOTS_PROMPT, request, NamedSlots.model_json_schema()) if request else ""
    return with_named_slots(template, trace, read_named_slots(reply, trace.instruction)) or template


def _tapped(instruction: str, values: Sequence[str]) -> Trace:
    """A turn that opened an app and tapped a row for each value, each on a page of its own, then Save."""
    steps = [StoredStep(number=1, action=OpenApp(name="App"), app="App", package="com.app")]
    screens = {1: _page(0, "")}
    for number, words in enumerate((*values, "Save"), 2):
        screens[number] = _page(number, words)
        point = Point(0.5, 0.25)
        tap = Click(point=point, target=screens[number].target_at(point))
        steps.append(StoredStep(number=number, action=tap, app="App", package="com.app"))
    end = len(steps) + 1
    steps.append(StoredStep(number=end, action=Finished(), app="App", package="com.app"))
    screens[end] = _page(end, "")
    return Trace(
        turn_id="turn",
        user_id="bench",
        instruction=instruction,
        started=datetime(2026, 3, 9, 12, 5, tzinfo=UTC),
        steps=tuple(steps),
        screens=screens,
    )


def _page(number: int, words: str) -> Observation:
    """A page with a title, and a row with some words below it."""
    texts = [Element(1, 0, "android.widget.TextView", Bounds(0, 0, 1000, 200), text=f"Page {number}")]
    if words:
        row = Bounds(0, 400, 1000, 600)
        texts.append(Element(2, 0, "android.widget.TextView", row, text=words, clickable=True))
    root = Element(0, -1, "android.widget.FrameLayout", Bounds(0, 0, 1000, 2000))
    app = ForegroundApp("com.app", f".Page{number}", "App")
    return Observation(1000, 2000, b"", (root, *texts), app)


def _filled(template: str, values: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda match: values[match[1]], template)


def _values(names: Sequence[str], side: int, *about: object) -> Mapping[str, str]:
    """A value for each slot: a number where its name says so, else one to three words.

    Two orders have no word of their values in common; where they do, a difference is told less well.
    """
    values = {}
    for name in names:
        if re.search(r"number|amount|hour|minute|second|day|year|count|num", name):
            values[name] = str(whole(2, 30, name, *about) * 2 + side)
        else:
            words = (
                pick(_WORDS[side % 2 :: 2], name, place, *about)
                for place in range(whole(1, 4, name, side, *about))
            )
            values[name] = " ".join(words)
    return values


def _score(slots: Mapping[str, str] | None, values: Mapping[str, str]) -> tuple[int, int, int]:
    """How many slots are right, found, and there, by their values."""
    filled = [value.casefold() for value in (slots or {}).values()]
    right = sum(value.casefold() in filled for value in values.values())
    return right, len(filled), len(values)


def _f1(rows: Sequence[tuple[int, int, int]]) -> dict[str, float]:
    right, predicted, there = (sum(column) for column in zip(*rows, strict=True))
    return rounded(
        {
            "F1": 2 * right / (predicted + there),
            "precision": right / max(1, predicted),
            "recall": right / there,
        }
    )

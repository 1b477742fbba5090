"""`bench personal`: PerPilot's Tables 3 and 4 and its Figure 4 on the simulated phone.

The commands are ours, in the manner of PerInstruct, and are judged by what the phone then holds. The scripted
model knows the phone's apps and takes names as they are said, so that the figures are about what is
understood, not about a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.bench.bars import stacked
from assistant.bench.personal_arms import Arm, Tried
from assistant.bench.personal_tasks import Level
from assistant.bench.report import Grid, Report
from assistant.understand.elements import key

_BIN = 10
_ORIGINS = {"memory": ("profile", "preference"), "a look": ("exploration",), "a question": ("user",)}
_NONE = "–"

# PerPilot, Tables 3 and 4: UI-TARS with o4-mini, 75 commands on a real phone.
_PAPER_SUCCESS = {
    Arm.AS_SAID: (None, 28.1, 0.0, 0.0, 12.0),
    Arm.LOOKS: (None, 65.6, 61.9, 36.4, 56.0),
    Arm.BOTH: (6, 81.3, 81.0, 36.4, 68.0),
}
_PAPER_FOUND = {Arm.LOOKS: (86.7, 73.3), Arm.BOTH: (86.7, 86.7)}


@dataclass(frozen=True, slots=True)
class Spent:
    """How long a run took, and the processor time of it and its simulated phones, in seconds."""

    wall: float
    processor: float


def report(tried: Sequence[Tried], seed: int, spent: Spent) -> Report:
    """The tables and the figure of what was tried. Good when understanding does more than it costs.

    Args:
        tried: every command in every arm.
        seed: of the phones.
        spent: how long it all took.
    """
    arms = [arm for arm in Arm if any(one.arm is arm for one in tried)]
    by_arm = {arm: [one for one in tried if one.arm is arm] for arm in arms}
    grids = [
        Grid(
            "Commands that the phone shows done (PerPilot, Table 3), %",
            ("arm", "questions", *Level, "all", "PerPilot: questions", "all "),
            tuple(_success_row(arm, runs) for arm, runs in by_arm.items()),
            frozenset(("questions", *Level, "all", "PerPilot: questions", "all ")),
        ),
        Grid(
            "What was found out (PerPilot, Table 4), % of the commands",
            (
                "arm",
                "elements perceived",
                "all meanings right",
                "right of looks",
                "PerPilot: perceived",
                "right",
            ),
            tuple(_found_row(arm, runs) for arm, runs in by_arm.items() if arm.understands),
            frozenset(
                ("elements perceived", "all meanings right", "right of looks", "PerPilot: perceived", "right")
            ),
        ),
    ]
    lines = []
    for arm in (Arm.BOTH, Arm.ASKS):
        if arm in by_arm:
            lines += [f"Where meanings came from as memory grows, {arm.label} (PerPilot, Figure 4):"]
            lines += [*stacked(_origins(by_arm[arm]), tuple(_ORIGINS)), ""]
    lines.append(f"{len(tried)} commands in {spent.wall:.0f} s, {spent.processor:.0f} s of processor time.")
    values = {
        "benchmark": "personal",
        "seed": seed,
        "seconds": round(spent.wall, 1),
        "processor_seconds": round(spent.processor, 1),
        "arms": {arm: _sums(runs) for arm, runs in by_arm.items()},
        "paper": {
            arm: {"success": all_, "questions": questions}
            for arm, (questions, *_, all_) in _PAPER_SUCCESS.items()
        },
        "tasks": [_as_json(one) for one in tried],
    }
    return Report(values, grids, lines, _good(by_arm))


def _success_row(arm: Arm, runs: Sequence[Tried]) -> tuple[str, ...]:
    levels = (_percent(one.done for one in runs if one.task.level is level) for level in Level)
    asked = str(_asked(runs)) if arm.asks else _NONE
    paper = _PAPER_SUCCESS.get(arm)
    theirs = (_told(paper[0]), _told(paper[-1])) if paper else (_NONE, _NONE)
    return (arm.label, asked, *levels, _percent(one.done for one in runs), *theirs)


def _found_row(arm: Arm, runs: Sequence[Tried]) -> tuple[str, ...]:
    looks = [look for one in runs for look in one.seen.looks]
    perceived, right = _percent(map(_perceived, runs)), _percent(map(_meant, runs))
    paper = map(_told, _PAPER_FOUND.get(arm, (None, None)))
    return (arm.label, perceived, right, _percent(bool(look.right) for look in looks), *paper)


def _perceived(one: Tried) -> bool:
    """Whether just the elements of the command were perceived, small words aside."""
    return {key(words) for words in one.seen.perceived} == {key(words) for words in one.task.elements}


def _meant(one: Tried) -> bool:
    """Whether every element of the command got its right meaning."""
    return sum(right for _, right in one.seen.sources.values()) >= len(one.task.elements)


def _origins(runs: Sequence[Tried]) -> dict[str, list[float]]:
    """How many meanings came from memory, looks and questions, per command, by the place in the session."""
    found: dict[str, list[float]] = {}
    last = max(one.number for one in runs)
    for start in range(1, last + 1, _BIN):
        some = [one for one in runs if start <= one.number < start + _BIN]
        sources = [source for one in some for source, _ in one.seen.sources.values()]
        counts = [sum(source in names for source in sources) for names in _ORIGINS.values()]
        found[f"{start}–{min(start + _BIN - 1, last)}"] = [count / len(some) for count in counts]
    return found


def _sums(runs: Sequence[Tried]) -> dict[str, Any]:
    looks = [look for one in runs for look in one.seen.looks]
    return {
        "count": len(runs),
        "done": sum(one.done for one in runs),
        "levels": {
            level: [sum(one.done for one in runs if one.task.level is level), _count(runs, level)]
            for level in Level
        },
        "questions": _asked(runs),
        "perceived": sum(map(_perceived, runs)),
        "meanings_right": sum(map(_meant, runs)),
        "looks": len(looks),
        "looks_right": sum(look.right is True for look in looks),
        "looks_wrong": sum(look.right is False for look in looks),
        "origins": {
            "names": list(_ORIGINS),
            "per_command": {
                place: [round(one, 3) for one in counts] for place, counts in _origins(runs).items()
            },
        },
    }


def _as_json(one: Tried) -> dict[str, Any]:
    return {
        "arm": one.arm,
        "id": one.task.id,
        "said": one.task.instruction,
        "level": one.task.level,
        "done": one.done,
        "unmet": list(one.unmet),
        "perceived": list(one.seen.perceived),
        "sources": {
            words: {"from": source, "right": right} for words, (source, right) in one.seen.sources.items()
        },
        "looks": [{"words": look.words, "app": look.app, "right": look.right} for look in one.seen.looks],
        "questions": one.seen.questions,
        "answer": one.seen.finished.answer if one.seen.finished else "",
        "seconds": round(one.seconds, 2),
    }


def _good(by_arm: dict[Arm, list[Tried]]) -> bool:
    """Whether understanding does more commands than their words alone, and looks spare questions."""

    def compared(worse: Arm, better: Arm, figure: Callable[[Sequence[Tried]], int]) -> bool:
        return worse not in by_arm or better not in by_arm or figure(by_arm[better]) > figure(by_arm[worse])

    def done(runs: Sequence[Tried]) -> int:
        return sum(one.done for one in runs)

    return (
        compared(Arm.AS_SAID, Arm.LOOKS, done)
        and compared(Arm.AS_SAID, Arm.BOTH, done)
        and compared(Arm.BOTH, Arm.ASKS, _asked)
    )


def _asked(runs: Sequence[Tried]) -> int:
    return sum(one.seen.questions for one in runs)


def _count(runs: Sequence[Tried], level: Level) -> int:
    return sum(one.task.level is level for one in runs)


def _percent(held: Iterable[bool]) -> str:
    several = list(held)
    return f"{100 * sum(several) / len(several):.1f}" if several else _NONE


def _told(figure: float | None) -> str:
    return _NONE if figure is None else f"{figure:g}"

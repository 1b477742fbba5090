"""`bench personal`: PerPilot's Tables 3 and 4 and its Figure 4 on the simulated phone.

The commands are ours, in the manner of PerInstruct, and are judged by what the phone then holds. The scripted
model knows the phone's apps and takes names as they are said, so that the figures are about what is
understood, not about a model.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from assistant.bench.deed_counts import total
from assistant.bench.personal_runs import Arm, Attempt, carry_out_all
from assistant.bench.personal_tasks import Level, personal_tasks, some_of
from assistant.bench.report import Report, rounded
from assistant.bench.resolving import Fate, shares
from assistant.understand.types import normalize_key

_BIN = 10
_ORIGINS = {"memory": ("profile", "preference"), "a look": ("exploration",), "a question": ("user",)}

# PerPilot, Table 3: UI-TARS with o4-mini, 75 commands on a real phone; success in percent, and questions.
_PAPER: dict[Arm, dict[str, float | None]] = {
    Arm.AS_SAID: {"success": 12.0, "questions": None},
    Arm.LOOKS: {"success": 56.0, "questions": None},
    Arm.BOTH: {"success": 68.0, "questions": 6},
}


async def run(only: Sequence[str], count: int | None, arms: Sequence[Arm], seed: int) -> Report:
    """Carry out the commands of these ids, at most `count` of them, in these arms; all for none.

    Raises:
        DataMissing: there is no checkout.
        WorldFailed: the simulated world does not start.
        EmbeddingError: the embedder cannot be loaded.
    """
    tasks = [task for task in personal_tasks() if not only or task.id in only]
    began, before = time.monotonic(), sum(os.times()[:4])
    attempts = await carry_out_all(some_of(tasks, count or len(tasks)), arms or list(Arm), seed)
    return report(attempts, seed, time.monotonic() - began, sum(os.times()[:4]) - before)


def report(attempts: Sequence[Attempt], seed: int, seconds: float, processor: float) -> Report:
    """What came of it by arm. Good when understanding beats the words alone, and looks spare questions.

    Args:
        attempts: every command in every arm.
        seed: of the phones.
        seconds: how long it all took.
        processor: the processor time of it and its simulated phones, in seconds.
    """
    by_arm = {
        arm: [attempt for attempt in attempts if attempt.arm is arm]
        for arm in Arm
        if any(attempt.arm is arm for attempt in attempts)
    }
    sums = {arm: _sums(runs) for arm, runs in by_arm.items()}
    values = {
        "benchmark": "personal",
        "seed": seed,
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "arms": sums,
        "paper": _PAPER,
        "tasks": [_as_json(attempt) for attempt in attempts],
    }
    return Report(values, _is_good(sums))


def _perceived(attempt: Attempt) -> bool:
    """Whether just the elements of the command were perceived, small words aside."""
    return set(map(normalize_key, attempt.observed.perceived)) == set(
        map(normalize_key, attempt.task.elements)
    )


def _meanings_right(attempt: Attempt) -> bool:
    """Whether every element of the command got its right meaning."""
    return sum(right for _, right in attempt.observed.sources.values()) >= len(attempt.task.elements)


def _fate(attempt: Attempt) -> Fate:
    """What understanding made of a command, before anything was done on the phone.

    Right is what came from the memory alone and is right; what was looked up or asked for counts as asked,
    and one wrong meaning makes all of it wrong.
    """
    sources = attempt.observed.sources.values()
    if any(not right for _, right in sources):
        return Fate.WRONG
    if attempt.observed.questions or attempt.observed.lookups:
        return Fate.ASKED
    if not attempt.observed.perceived:
        return Fate.AS_SAID
    return Fate.RIGHT if _meanings_right(attempt) else Fate.AS_SAID


def _origins(runs: Sequence[Attempt]) -> dict[str, list[float]]:
    """How many meanings came from memory, looks and questions, per command, by the place in the session."""
    origins: dict[str, list[float]] = {}
    last = max(attempt.number for attempt in runs)
    for start in range(1, last + 1, _BIN):
        some = [attempt for attempt in runs if start <= attempt.number < start + _BIN]
        sources = [source for attempt in some for source, _ in attempt.observed.sources.values()]
        counts = [sum(source in names for source in sources) for names in _ORIGINS.values()]
        origins[f"{start}–{min(start + _BIN - 1, last)}"] = [round(count / len(some), 3) for count in counts]
    return origins


def _sums(runs: Sequence[Attempt]) -> dict[str, Any]:
    lookups = [lookup for attempt in runs for lookup in attempt.observed.lookups]
    levels = {level: [attempt.done for attempt in runs if attempt.task.level is level] for level in Level}
    return {
        "count": len(runs),
        "done": sum(attempt.done for attempt in runs),
        "levels": {level: [sum(done), len(done)] for level, done in levels.items()},
        "questions": sum(attempt.observed.questions for attempt in runs),
        "perceived": sum(map(_perceived, runs)),
        "resolved": rounded(shares(map(_fate, runs))),
        "meanings_right": sum(map(_meanings_right, runs)),
        "looks": len(lookups),
        "looks_right": sum(lookup.right is True for lookup in lookups),
        "looks_wrong": sum(lookup.right is False for lookup in lookups),
        "deeds": total(attempt.deeds for attempt in runs).as_json(),
        "origins": {"names": list(_ORIGINS), "per_command": _origins(runs)},
    }


def _as_json(attempt: Attempt) -> dict[str, Any]:
    observed = attempt.observed
    return {
        "arm": attempt.arm,
        "id": attempt.task.id,
        "said": attempt.task.instruction,
        "level": attempt.task.level,
        "done": attempt.done,
        "unmet": list(attempt.unmet),
        "perceived": list(observed.perceived),
        "sources": {
            words: {"from": source, "right": right} for words, (source, right) in observed.sources.items()
        },
        "looks": [
            {"words": lookup.words, "app": lookup.app, "right": lookup.right} for lookup in observed.lookups
        ],
        "questions": observed.questions,
        "answer": observed.finished.answer if observed.finished else "",
        "seconds": round(attempt.seconds, 2),
    }


def _is_good(sums: dict[Arm, dict[str, Any]]) -> bool:
    def rises(figure: str, worse: Arm, better: Arm) -> bool:
        both = worse in sums and better in sums
        return not both or sums[better][figure] > sums[worse][figure]

    return (
        rises("done", Arm.AS_SAID, Arm.LOOKS)
        and rises("done", Arm.AS_SAID, Arm.BOTH)
        and rises("questions", Arm.BOTH, Arm.ASKS)
    )

"""MobiMem's profile benchmark (appendix A), built anew: how much of what a vague task needs is retrieved.

Alignment is the share of required facts whose value that holds now is in the retrieved text, judged by
patterns of the ways to say it, the same for all systems. Of facts that changed, "settled" counts those told
without the value that held before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from assistant.bench.figures import spread
from assistant.bench.profile_people import Person, make_person
from assistant.bench.profile_systems import MEM0, OURS, System, systems
from assistant.bench.report import Grid, Report
from assistant.embedding.embeds import Embeds

BUDGET = 2000
SMALL_BUDGET = 500
MARK = 83.1
"""Table 2's alignment with 2,000 tokens, in percent."""

FIRST_SEED = 50
"""Seeds below belong to development: with them rules and settings were found."""

PAPER = {
    "Vanilla RAG": {"write_ms": 1.76, "retrieval_ms": 19.58, "alignment": 66.4},
    "GraphRAG": {"write_ms": 37688.73, "retrieval_ms": 6675.82, "alignment": 81.1},
    "MobiMem": {"write_ms": 6138.87, "retrieval_ms": 23.83, "alignment": 83.1},
}


@dataclass(slots=True)
class Tally:
    """What one system did: needs told by budget, changed ones settled by budget, times in seconds."""

    needs: int = 0
    changed: int = 0
    told: Counter[int] = field(default_factory=Counter)
    settled: Counter[int] = field(default_factory=Counter)
    writes: list[float] = field(default_factory=list)
    retrievals: list[float] = field(default_factory=list)
    by_category: Counter[str] = field(default_factory=Counter)
    needs_by_category: Counter[str] = field(default_factory=Counter)

    def alignment(self, budget: int) -> float:
        """Percent of the needs that are told."""
        return 100 * self.told[budget] / self.needs if self.needs else 0.0

    def clear(self, budget: int) -> float:
        """Percent of the changed needs that are told without the value before."""
        return 100 * self.settled[budget] / self.changed if self.changed else 0.0


def run(
    embeds: Embeds, seeds: Sequence[int], development: bool, tell: Callable[[str], None]
) -> dict[str, Tally]:
    """Let every system learn every person and answer their tasks."""
    tallies = {name: Tally() for name in systems()}
    for seed in seeds:
        person = make_person(seed, development)
        for name, build in systems().items():
            with TemporaryDirectory(prefix="assistant-bench-") as folder:
                system = build(Path(folder), embeds, person.records[0].user_id)
                _measure(system, person, tallies[name])
                system.close()
        tell(f"person {seed}: " + ", ".join(f"{n} {t.alignment(BUDGET):.1f} %" for n, t in tallies.items()))
    return tallies


def _measure(system: System, person: Person, tally: Tally) -> None:
    for record in person.records:
        began = perf_counter()
        system.learn(record)
        tally.writes.append(perf_counter() - began)
    for task in person.tasks:
        began = perf_counter()
        texts = {BUDGET: system.recall(task.text, BUDGET)}
        tally.retrievals.append(perf_counter() - began)
        texts[SMALL_BUDGET] = system.recall(task.text, SMALL_BUDGET)
        for need in task.needs:
            category = need.dimension.partition(".")[0]
            tally.needs += 1
            tally.needs_by_category[category] += 1
            tally.by_category[category] += need.is_told_by(texts[BUDGET])
            tally.changed += bool(need.outdated)
            for budget, text in texts.items():
                tally.told[budget] += need.is_told_by(text)
                tally.settled[budget] += bool(need.outdated) and need.is_settled_by(text)


def report(tallies: dict[str, Tally], seeds: Sequence[int], model_id: str) -> Report:
    """Table 2 with our systems, and the paper's figures beside them."""
    ours = tallies[OURS]
    best = max(tally.alignment(BUDGET) for name, tally in tallies.items() if name != OURS)
    good = ours.alignment(BUDGET) >= MARK and ours.alignment(BUDGET) > best
    lines = [
        f"{len(seeds)} people, seeds {seeds[0]} to {seeds[-1]}, {ours.needs} required facts, "
        f"{ours.changed} of them changed on the way. Embedder: {model_id}. No language model.",
        f"Alignment {ours.alignment(BUDGET):.1f} % at {BUDGET} tokens; the mark is {MARK} % and above every "
        f"baseline, the best of which has {best:.1f} %.",
        "Settled: of the facts that changed, those told without the value that held before.",
        "People and rules were written by the same hand; a part of the phrases was kept from development.",
    ]
    if MEM0 not in tallies:
        lines.append("mem0 is not installed, so it is left out. Install it with: pip install mem0ai")
    values = {
        "benchmark": "profile",
        "seeds": list(seeds),
        "model": model_id,
        "needs": ours.needs,
        "changed": ours.changed,
        "budget": BUDGET,
        "mark": MARK,
        "systems": {name: _as_json(tally) for name, tally in tallies.items()},
        "paper": PAPER,
    }
    return Report(values, [_grid(tallies), _categories(tallies)], lines, good)


def _as_json(tally: Tally) -> dict[str, Any]:
    return {
        "alignment": round(tally.alignment(BUDGET), 1),
        "settled": round(tally.clear(BUDGET), 1),
        f"alignment_{SMALL_BUDGET}": round(tally.alignment(SMALL_BUDGET), 1),
        f"settled_{SMALL_BUDGET}": round(tally.clear(SMALL_BUDGET), 1),
        "write": spread(tally.writes).as_json(),
        "retrieval": spread(tally.retrievals).as_json(),
    }


def _grid(tallies: dict[str, Tally]) -> Grid:
    columns = (
        "system",
        "write ms",
        "retrieval ms",
        "alignment %",
        "settled %",
        f"at {SMALL_BUDGET} tokens %",
        f"settled at {SMALL_BUDGET} %",
    )
    rows = [
        (
            name,
            f"{spread(tally.writes).median:.1f}",
            f"{spread(tally.retrievals).median:.1f}",
            f"{tally.alignment(BUDGET):.1f}",
            f"{tally.clear(BUDGET):.1f}",
            f"{tally.alignment(SMALL_BUDGET):.1f}",
            f"{tally.clear(SMALL_BUDGET):.1f}",
        )
        for name, tally in tallies.items()
    ]
    for name, figures in PAPER.items():
        paper = (
            f"{figures['write_ms']:.1f}",
            f"{figures['retrieval_ms']:.1f}",
            f"{figures['alignment']:.1f}",
        )
        rows.append((f"paper: {name}", *paper, "", "", ""))
    return Grid(f"Alignment within {BUDGET} tokens", columns, tuple(rows), frozenset(columns[1:]))


def _categories(tallies: dict[str, Tally]) -> Grid:
    categories = sorted(tallies[OURS].needs_by_category)
    rows = tuple(
        (name, *(f"{100 * tally.by_category[one] / tally.needs_by_category[one]:.1f}" for one in categories))
        for name, tally in tallies.items()
    )
    return Grid("Alignment % by category", ("system", *categories), rows, frozenset(categories))

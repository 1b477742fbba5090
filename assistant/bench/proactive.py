"""`assistant bench proactive`: when to speak, on synthetic lives (PersonalAlign 6.1, Tables 4 and 6).

The first 80 % of each life's days are history. Each state after it is judged by itself with that history
alone: positive ones are moments just before a routine is carried out, quiet ones are not near any. Then the
days after it are lived again, with the product's rules of speaking and a user who answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.bench.proactive_days import Day, days_of
from assistant.bench.proactive_lived import live_again
from assistant.bench.proactive_methods import Known, Method, known_of, last_done, methods
from assistant.bench.proactive_report import report
from assistant.bench.proactive_scores import Answer, Scores, best_least, score
from assistant.bench.report import Report
from assistant.config import ProactiveSettings
from assistant.embedding.embeds import Embeds
from assistant.embedding.remembering import Remembering
from assistant.memory.him.memory import HierarchicalMemory
from assistant.memory.store import Store
from assistant.proactive.choosing import threshold
from assistant.records import State
from assistant.simulator.life.living import Life, lives
from assistant.simulator.life.people import LifeOptions
from assistant.simulator.life.questions import AskedState, states

_REPLAYED = 3
"""So many of the people live their last days again: each way of judging looks every minute."""
_CALM = 1


@dataclass(frozen=True, slots=True)
class Case:
    """One life as it is asked: what is known of its history, its states, and the truth about each record.

    `days` are those after the history, for the lives that are lived again.
    """

    life: Life
    known: Known
    asked: tuple[AskedState, ...]
    truth: dict[str, str]
    days: tuple[Day, ...] = ()

    def clusters(self, routine: str) -> set[str]:
        """What the records of a prototype are really about."""
        prototype = self.known.prototypes.get(routine)
        if prototype is None:
            return set()
        counted = [self.truth[one.record_id] for one in prototype.members if one.record_id in self.truth]
        return {max(set(counted), key=counted.count)} if counted else set()


def read(options: LifeOptions, embeds: Embeds, lived: int = 0) -> list[Case]:
    """Live the lives and let the memory aggregate their histories.

    Args:
        options: the lives.
        embeds: the sentence embedder.
        lived: for so many of them the days after the history too, one after another.
    """
    remembering = Remembering(embeds)
    cases: list[Case] = []
    for life in lives(options):
        with TemporaryDirectory(prefix="assistant-bench-") as folder:
            store = Store(Path(folder), partial(getattr, life, "split"))
            try:
                store.records.add(life.history)
                memory = HierarchicalMemory(store, remembering)
                known = known_of(memory.prototypes(life.person.user_id))
                days = tuple(days_of(life, store, memory)) if len(cases) < lived else ()
            finally:
                store.close()
        truth = {one.record_id: one.cluster for one in life.truths}
        cases.append(Case(life, known, tuple(states(life)), truth, days))
    return cases


def answers(case: Case, method: Method) -> list[Answer]:
    """What a method makes of each state of a life."""
    found = []
    done = last_done(case.known.prototypes, case.life.split)
    for one in case.asked:
        judged = method.judge(case.known, State(time=one.at, scenario=one.scenario), done)
        meant = case.clusters(judged.routine)
        prototype = case.known.prototypes.get(judged.routine)
        found.append(
            Answer(
                score=judged.score,
                positive=one.cluster is not None,
                right=bool(meant & {one.cluster, *one.also}),
                suggested=prototype.instruction if prototype else "",
                wanted=one.wanted or "",
            )
        )
    return found


def run(
    options: LifeOptions,
    embeds: Embeds,
    settings: ProactiveSettings,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """Measure all methods on the lives that the options ask for.

    Args:
        options: the lives.
        embeds: the sentence embedder.
        settings: when the product speaks.
        tell: hears how far it is.
    """
    remembering = Remembering(embeds)
    cases = read(options, remembering, _REPLAYED)
    tell(f"{len(cases)} lives, {sum(len(case.asked) for case in cases)} states, model {embeds.model_id}")
    scores: list[Scores] = []
    tried = methods(threshold(settings.cost_of_being_wrong))
    for place, method in enumerate(tried):
        given = [one for case in cases for one in answers(case, method)]
        least = best_least(given) if method.least is None else method.least
        tried[place] = replace(method, least=least)
        scores.append(score(method.name, given, least, remembering))
        told = scores[-1].identified
        tell(f"{method.name}: F1 {told.f1:.3f}, false alarms {told.false_alarms:.3f}")
    calm = read(replace(options, people=min(_CALM, options.people), routines=False), remembering, _CALM)
    lived = live_again(
        [case.days for case in cases if case.days],
        [case.days for case in calm],
        tried,
        settings,
        remembering,
        options.seed,
        tell,
    )
    asked = [one for case in cases for one in case.asked]
    return report(options, embeds.model_id, asked, scores, lived)

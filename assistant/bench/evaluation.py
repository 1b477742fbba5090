"""How well a model does on recorded screens: each step of recorded turns asked again, without a phone.

The measures are those of FingerTip's execution track (5.1, “Personalized task execution”), as far as
recorded screens allow:

- SR2: “We calculate the final success rate SR2 by manually checking whether the environment state when the
  agent outputs finished() matches the user's instructions. In addition, when the agent steps exceed 2.5 times
  the golden steps, the task is automatically considered a failure.” A recording has no environment: here a
  turn succeeds when every recorded step was given in its order, within 2.5 times as many requests, and the
  end was declared on the last screen where that was recorded. Another way that also works counts as wrong.
- Sim2: “we calculate the Levenshtein similarity SI of the agent's complete action sequence and the user's
  complete action sequence as two strings. Then […] we take the data from the different type of users that is
  most similar to the current user's intent, and calculate the Levenshtein similarity SII […]. Finally, we
  take the value Sim2 = SI/SII.” Types are “different categories based on age groups” (4.4). The paper does
  not give the groups: here they are decades. Nor does it say how intents are compared: here by the
  Levenshtein similarity of the instructions. Actions are written as in Table 2, without `content`, which most
  models do not name.
- Step ratio: “comparing the agent steps with the user's golden steps […] when the agent successfully execute
  the user's instructions”.

A single step is right when its type is that of the recorded action, and a click lies within 14 % of the
screen or in the same element, a scroll goes in the same direction, a text is at least .8 similar. A wrong
answer is followed by the same screen with a note that nothing changed, as a phone would, until the turn has
used its requests; then the recorded step counts as done, and the next screen is asked about.

Requests are made as in a turn: by `VisionModel`, with the same prompts, parsers and repeats. The history is
that of the recorded actions in the model's own form, without the thoughts of whoever took them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from math import hypot
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein
from sqlalchemy import select

from assistant.agent.action_selection import without_needless
from assistant.agent.context import DecisionModel
from assistant.agent.stop_checks import describe_no_effect
from assistant.i18n import UserError, _
from assistant.memory import schema
from assistant.memory.prototypes.similarity import NEAR, SIMILAR_TEXT, text_similarity
from assistant.memory.store import RecordFilter, Store
from assistant.memory.transfer.fingertip import (
    EpisodeReader,
    episode_folders,
    read_episode,
    read_profiles,
    read_screens,
    screen_files,
)
from assistant.memory.transfer.jsonl import UnreadableRecord
from assistant.memory.turns import Checkpoint, read_elements, whole_checkpoint
from assistant.model.types import Decision, PastStep, RepliesMalformed, StepRequest
from assistant.records import (
    Action,
    AskUser,
    Bounds,
    Click,
    Direction,
    Failed,
    Finished,
    ForegroundApp,
    LongClick,
    Observation,
    OpenApp,
    Outcome,
    Point,
    Record,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
    Usage,
    touched,
)
from assistant.settings.schema import ModelSettings

STEP_BUDGET = 2.5
"""How many times the recorded steps a turn may take (FingerTip 5.1)."""

RESAMPLES, SEED = 2000, 0
"""Of the bootstrap: turns are drawn with replacement, since the steps of one depend on one another."""

_LARGE = 0.25
"""The share of the screen from which an element does not tell what was meant."""


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A turn that led to success. `actions` are numbered as the screens that `screens` reads."""

    record: Record
    actions: Mapping[int, Action]
    screens: Callable[[], Mapping[int, Observation]]
    user_type: str = ""

    @property
    def golden(self) -> tuple[Action, ...]:
        """All actions in order."""
        return tuple(self.actions[number] for number in sorted(self.actions))


def stored_turns(store: Store, criteria: RecordFilter, newest: int | None = None) -> list[RecordedTurn]:
    """The user's own turns that ended well and whose screens are still kept, oldest first."""
    chosen = []
    for record in store.records.where(criteria):
        if record.outcome is not Outcome.SUCCESS:
            continue
        query = select(schema.turns).where(schema.turns.c.id == record.id)
        seen = select(schema.observations.c.step).where(schema.observations.c.turn_id == record.id)
        with store.reader() as connection:
            row = connection.execute(query).mappings().one_or_none()
            numbers = set(connection.execute(seen).scalars())
            turn = Checkpoint.model_validate(whole_checkpoint(connection, row)) if row else None
        if turn is None or not numbers:
            continue
        actions = {step.number: step.action for step in turn.steps if not step.error}
        last = max((step.number for step in turn.steps), default=0)
        if last + 1 in numbers:
            actions[last + 1] = Finished()
        labels = {step.package: step.app for step in turn.steps if step.package}
        chosen.append(RecordedTurn(record, actions, _StoredScreens(store, record.id, labels)))
    return chosen[-newest:] if newest else chosen


@dataclass(frozen=True, slots=True)
class _StoredScreens:
    store: Store
    turn_id: str
    labels: Mapping[str, str]

    def __call__(self) -> dict[int, Observation]:
        table = schema.observations
        with self.store.reader() as connection:
            query = select(table).where(table.c.turn_id == self.turn_id)
            rows = connection.execute(query).mappings().all()
        return {row["step"]: self._observation(row) for row in rows}

    def _observation(self, row: Mapping[Any, Any]) -> Observation:
        file = self.store.screenshots / row["screenshot"]
        picture = file.read_bytes() if row["screenshot"] and file.is_file() else b""
        app = ForegroundApp(row["package"], row["activity"], self.labels.get(row["package"], ""))
        return Observation(
            row["width"], row["height"], picture, read_elements(row), app, secure=bool(row["secure"])
        )


def folder_turns(root: Path, reader: EpisodeReader, newest: int | None = None) -> list[RecordedTurn]:
    """The episodes of FingerTip's folders, in the order of their names; broken ones are left out.

    Raises:
        UnreadableRecord: the users' profiles cannot be read.
    """
    profiles = read_profiles(root)
    chosen = []
    for folder in episode_folders(root):
        try:
            record = read_episode(folder, reader, pictures=False).record
        except UnreadableRecord:
            continue
        if record.actions and any(screen_files(folder)):
            actions = dict(enumerate(record.actions, start=1))
            screens = _FolderScreens(folder, reader)
            chosen.append(RecordedTurn(record, actions, screens, user_type(profiles.get(record.user_id, {}))))
    return chosen[-newest:] if newest else chosen


@dataclass(frozen=True, slots=True)
class _FolderScreens:
    folder: Path
    reader: EpisodeReader

    def __call__(self) -> Mapping[int, Observation]:
        return read_screens(self.folder, self.reader)


def user_type(profile: Mapping[str, str]) -> str:
    """The decade of a user's age; empty where it is not told."""
    age = profile.get("age", "")
    return f"{int(age) // 10 * 10}s" if age.isascii() and age.isdecimal() and int(age) < 150 else ""


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """One answer beside the recorded action. `text` is the similarity of what is typed, None for others."""

    recorded: Action
    answer: Action | None
    same_type: bool
    right: bool
    text: float | None = None


def judge_step(recorded: Action, answer: Action | None, screen: Observation) -> StepVerdict:
    """Judge an answer by the step success rule; None stands for replies that could not be read.

    A swipe is a scroll in its direction where a scroll was recorded, and the other way round.
    """
    similarity = 0.0 if isinstance(recorded, TypeText) else None
    if answer is None:
        return StepVerdict(recorded, None, same_type=False, right=False, text=similarity)
    golden, given = _comparable(recorded, answer), _comparable(answer, recorded)
    same_type = golden.type == given.type
    right = same_type
    match golden, given:
        case (Click(point=first), Click(point=second)) | (LongClick(point=first), LongClick(point=second)):
            right = _is_same_place(golden, first, second, screen)
        case TypeText(text=first_text), TypeText(text=second_text):
            similarity = text_similarity(_plain(first_text), _plain(second_text))
            right = similarity >= SIMILAR_TEXT
        case Scroll(direction=first_way), Scroll(direction=second_way):
            right = first_way is second_way
        case OpenApp(name=first_name), OpenApp(name=second_name):
            right = text_similarity(_plain(first_name), _plain(second_name)) >= SIMILAR_TEXT
    return StepVerdict(recorded, answer, same_type, right, similarity)


def _comparable(action: Action, other: Action) -> Action:
    if not isinstance(action, Swipe) or isinstance(other, Swipe):
        return action
    across, down = action.end.x - action.start.x, action.end.y - action.start.y
    if abs(across) > abs(down):
        way = Direction.LEFT if across > 0 else Direction.RIGHT
    else:
        way = Direction.UP if down > 0 else Direction.DOWN
    return Scroll(point=action.start, direction=way)


def _is_same_place(recorded: Action, first: Point, second: Point, screen: Observation) -> bool:
    """Within 14 % of the screen, or in the element that was touched."""
    if hypot(first.x - second.x, first.y - second.y) <= NEAR:
        return True
    bounds = recorded.target.bounds if recorded.target else None
    if bounds is None:
        element = screen.element_at(first)
        bounds = element.bounds if element else Bounds(0, 0, 0, 0)
    small = bounds.area <= _LARGE * screen.width * screen.height
    return small and bounds.contains(*screen.pixels(second))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """How one turn went. `taken` are all actions up to its success or failure, `verdicts` the first answers.

    `sim2` is None where nobody of another type is there to compare with.
    """

    turn_id: str
    verdicts: tuple[StepVerdict, ...]
    taken: tuple[Action, ...]
    succeeded: bool
    sim2: float | None = None
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0

    @property
    def step_ratio(self) -> float:
        """Actions taken for each recorded one."""
        return len(self.taken) / max(1, len(self.verdicts))


@dataclass(slots=True)
class _Walk:
    """The state of one turn while its screens are asked about one after another."""

    budget: float
    taken: list[Action]
    failed: bool = False
    requests: int = 0


class TurnEvaluator:
    """Asks one model about recorded turns. Not for several turns at once.

    Args:
        model: makes the requests as in a turn.
        once: whether each screen is asked about only once; then there is no success rate worth the name.
        history_steps: how many past steps the model is told of.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        model: DecisionModel,
        *,
        once: bool = False,
        history_steps: int = 20,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._model = model
        self._once = once
        self._history_steps = history_steps
        self._clock = clock
        self._usage = Usage()

    async def evaluate(self, turn: RecordedTurn, others: Sequence[RecordedTurn] = ()) -> TurnVerdict | None:
        """Judge a model on one turn; None for a turn without screens.

        Args:
            turn: the recorded turn.
            others: turns among which those of other types of users are looked for.

        Raises:
            ModelRejected: the endpoint refuses; settings must change.
            ModelUnavailable: the endpoint failed as often as was allowed.
        """
        screens = turn.screens()
        judged = [number for number in sorted(turn.actions) if number in screens]
        if not judged:
            return None
        began, self._usage = self._clock(), Usage()
        walk = _Walk(1.0 if self._once else STEP_BUDGET * len(judged), [])
        history: list[PastStep] = []
        verdicts = []
        for number in sorted(turn.actions):
            if number in screens:
                screen = _with_keyboard(screens[number])
                request = StepRequest(turn.record.instruction, screen, now=turn.record.time)
                verdicts.append(await self._step(turn.actions[number], request, history, walk))
            history.append(PastStep(turn.actions[number], number=len(history) + 1))
        return TurnVerdict(
            turn.record.id,
            tuple(verdicts),
            tuple(walk.taken),
            not walk.failed,
            personal_similarity(turn, walk.taken, screens[judged[0]], others),
            self._usage,
            self._clock() - began,
        )

    async def _step(
        self, recorded: Action, request: StepRequest, history: Sequence[PastStep], walk: _Walk
    ) -> StepVerdict:
        """Ask about a screen until the answer is right or the turn has failed; judge the first answer."""
        first: StepVerdict | None = None
        tried: list[PastStep] = []
        notes: tuple[str, ...] = ()
        while True:
            past = [replace(step, number=place) for place, step in enumerate([*history, *tried], start=1)]
            shown = past[-self._history_steps :] if self._history_steps else []
            answer = await self._ask(replace(request, history=tuple(shown), notes=notes))
            verdict = judge_step(recorded, answer, request.observation)
            first = first or verdict
            if walk.failed:
                return first
            if answer is not None:
                walk.taken.append(answer)
            walk.requests += 1
            if verdict.right:
                return first
            over = self._once or walk.requests >= walk.budget
            if answer is None or over or isinstance(answer, Finished | Failed | AskUser | TakeOver):
                walk.failed = True
                return first
            tried.append(PastStep(answer))
            notes = tuple(filter(None, (describe_no_effect(answer, "", ""),)))

    async def _ask(self, request: StepRequest) -> Action | None:
        """The first action of a reply that this screen needs; None where no reply could be read."""
        try:
            async with aclosing(self._model.decide(request)) as events:
                async for event in events:
                    if isinstance(event, Decision):
                        self._usage += event.usage
                        actions = [event.action, *event.following]
                        return without_needless(actions, request.observation)[0]
        except RepliesMalformed as error:
            self._usage += error.usage
        return None


def _with_keyboard(screen: Observation) -> Observation:
    """The screen with the keyboard up where a field has the focus: what was recorded does not say."""
    return replace(screen, keyboard_shown=screen.focused_field() is not None)


def personal_similarity(
    turn: RecordedTurn, taken: Sequence[Action], screen: Observation, others: Sequence[RecordedTurn]
) -> float | None:
    """Sim2 = SI / SII (see above); None without a turn of another type of user, or where SII is 0."""
    different = [other for other in others if other.user_type and other.user_type != turn.user_type]
    if not turn.user_type or not different:
        return None
    instruction = turn.record.instruction
    nearest = max(
        different,
        key=lambda other: Levenshtein.normalized_similarity(instruction, other.record.instruction),
    )
    size = screen.width, screen.height
    agent = _in_string(taken, size)
    own, foreign = (
        Levenshtein.normalized_similarity(agent, _in_string(actions, size))
        for actions in (turn.golden, nearest.golden)
    )
    return own / foreign if foreign else None


def _in_string(actions: Sequence[Action], size: tuple[int, int]) -> str:
    return "\n".join(_action_string(action, size) for action in actions)


def _action_string(action: Action, size: tuple[int, int]) -> str:
    points = ",".join(f"({round(p.x * size[0])},{round(p.y * size[1])})" for p in touched(action))
    match action:
        case TypeText(text=words) | OpenApp(name=words) | Scroll(direction=words):
            return f"{action.type}({words})"
        case _:
            return f"{action.type}({points})"


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure with its 95 % interval. `count` is of what it is the mean; without any there is no value."""

    value: float | None
    low: float | None
    high: float | None
    count: int

    def as_json(self) -> dict[str, Any]:
        """Rounded, as plain values."""
        figures = {"value": self.value, "low": self.low, "high": self.high}
        return {
            **{name: None if value is None else round(value, 4) for name, value in figures.items()},
            "count": self.count,
        }


MEASURES = ("type", "step", "click", "text", "sr2", "step_ratio", "sim2", "unreadable", "tokens", "seconds")
"""The names of all measures, in the order of the table. The last two are for each recorded step."""


def _sums(turn: TurnVerdict) -> dict[str, tuple[float, int]]:
    """What one turn adds to each measure: a sum, and of how many."""
    steps = turn.verdicts
    clicks = [step for step in steps if isinstance(step.recorded, Click | LongClick)]
    texts = [step.text for step in steps if step.text is not None]
    tokens = turn.usage.prompt_tokens + turn.usage.completion_tokens
    return {
        "type": (sum(step.same_type for step in steps), len(steps)),
        "step": (sum(step.right for step in steps), len(steps)),
        "click": (sum(step.right for step in clicks), len(clicks)),
        "text": (sum(texts), len(texts)),
        "sr2": (float(turn.succeeded), 1),
        "step_ratio": (turn.step_ratio if turn.succeeded else 0.0, int(turn.succeeded)),
        "sim2": (turn.sim2 or 0.0, int(turn.sim2 is not None)),
        "unreadable": (sum(step.answer is None for step in steps), len(steps)),
        "tokens": (tokens, len(steps)),
        "seconds": (turn.seconds, len(steps)),
    }


def measure(turns: Sequence[TurnVerdict]) -> dict[str, Measure]:
    """Every measure with its interval, by a bootstrap over turns that always draws alike."""
    return {name: _measure(*_resampled(turns, name)) for name in MEASURES}


def compare(first: Sequence[TurnVerdict], second: Sequence[TurnVerdict]) -> dict[str, Measure]:
    """The second less the first on the same turns, with the interval of the difference.

    Both are drawn together, so that what is hard about a turn counts on both sides.

    Raises:
        ValueError: they are not about the same turns.
    """
    if [turn.turn_id for turn in first] != [turn.turn_id for turn in second]:
        raise ValueError("Only the same turns can be compared.")
    differences = {}
    for name in MEASURES:
        (value, drawn, count), (other, other_drawn, other_count) = (
            _resampled(turns, name) for turns in (first, second)
        )
        difference = None if value is None or other is None else other - value
        differences[name] = _measure(difference, other_drawn - drawn, min(count, other_count))
    return differences


def _resampled(turns: Sequence[TurnVerdict], name: str) -> tuple[float | None, np.ndarray, int]:
    """The value, the values of all draws (nan where a draw has nothing to count), and the count."""
    pairs = np.array([_sums(turn)[name] for turn in turns], dtype=float).reshape(-1, 2)
    total, count = pairs.sum(axis=0)
    draws = np.random.default_rng(SEED).integers(0, max(1, len(turns)), (RESAMPLES, len(turns)))
    sums = pairs[draws].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        drawn = sums[:, 0] / sums[:, 1]
    return (float(total / count) if count else None), drawn, int(count)


def _measure(value: float | None, drawn: np.ndarray, count: int) -> Measure:
    usable = drawn[np.isfinite(drawn)]
    if value is None or not len(usable):
        return Measure(value, None, None, count)
    low, high = np.percentile(usable, (2.5, 97.5))
    return Measure(value, float(low), float(high), count)


def candidate(settings: ModelSettings, text: str) -> ModelSettings:
    """The settings of a model to judge: a name, or values such as `name=…,dialect=…,prompt_file=…`.

    Raises:
        UserError: a value is no setting of `model`, or not of its kind.
    """
    values: dict[str, Any] = {}
    for part in text.split(",") if "=" in text else [f"name={text}"]:
        key, _equals, value = part.partition("=")
        key = key.strip().removeprefix("model.")
        if key not in ModelSettings.model_fields or key == "api_key":
            names = ", ".join(name for name in ModelSettings.model_fields if name != "api_key")
            raise UserError(
                _("{name} is no setting of the model. There are: {names}.").format(name=key, names=names)
            )
        values[key] = value.strip()
    if "name" in values and "dialect" not in values:
        values["dialect"] = ""
    try:
        return ModelSettings.model_validate({**settings.model_dump(), **values})
    except ValueError as error:
        raise UserError(_("These settings cannot be used: {text}").format(text=text)) from error


def shown_candidate(settings: ModelSettings, base: ModelSettings) -> str:
    """The name of the model, and what differs from the settings besides."""
    dumped, usual = settings.model_dump(), base.model_dump()
    others = [
        f"{key}={value}"
        for key, value in dumped.items()
        if key not in ("name", "api_key") and value != usual[key]
    ]
    return " ".join([settings.name or _("no name"), *others])


def turns_as_json(turns: Sequence[TurnVerdict]) -> Iterator[dict[str, Any]]:
    """How each turn went, as plain values."""
    for turn in turns:
        yield {
            "id": turn.turn_id,
            "succeeded": turn.succeeded,
            "taken": len(turn.taken),
            "sim2": turn.sim2,
            "steps": [
                {
                    "recorded": _plain_action(step.recorded),
                    "answer": _plain_action(step.answer) if step.answer else None,
                    "type": step.same_type,
                    "right": step.right,
                    "text": step.text,
                }
                for step in turn.verdicts
            ],
        }


def _plain_action(action: Action) -> dict[str, Any]:
    dumped: dict[str, Any] = json.loads(action.model_dump_json(exclude_none=True, exclude={"target"}))
    return dumped


def rights_by_type(turns: Sequence[TurnVerdict]) -> dict[str, float]:
    """The share of right first answers for each recorded type of action."""
    types: dict[str, list[bool]] = {}
    for turn in turns:
        for step in turn.verdicts:
            types.setdefault(step.recorded.type, []).append(step.right)
    return {name: fmean(rights) for name, rights in sorted(types.items())}

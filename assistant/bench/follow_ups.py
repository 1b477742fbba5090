"""`bench follow-ups`: what becomes of lines that go on from the turn before, and of lines that only seem to.

The dialogues were written by somebody who saw no code: turns that were carried out, the line behind them, and
what it means. Half of them (`held`) were never looked at while the rules were mended. Each line is judged
without a model; with one that reads it right, whose order has to pass the checks; and with ones that
read it wrong: another dialogue's order, a turn before once more, an invented amount or name. Explicit
commands of MASSIVE and of tasks on real apps, said behind a turn, must ask no model.

Beside them lines of users who saw no code, of which the rules are not sure what they are. A reader who saw
only the prompts answered for a model what each is; what comes of that, and of the answers to all other lines,
is counted. `--prompts FILE` writes the prompts, `--answers FILE` takes other answers.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assistant.bench.corpora import MASSIVE, massive_rows, read_json_lines
from assistant.bench.report import Report
from assistant.conversation.line_reading import (
    LineContext,
    line_rules,
    make_line_question,
    parse_line_reading,
    take_reading,
)
from assistant.conversation.line_words import LineKind
from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Exchange
from assistant.embedding.models import bundled_tagger
from assistant.i18n import has_chinese
from assistant.records import Outcome, State
from assistant.understand.perceive import Leaning, may_order_nothing, read_leaning
from assistant.understand.resolution import Resolution, read_again
from assistant.understand.service import UnderstandingService
from assistant.understand.types import EarlierTurn, Sources
from assistant.understand.words import content_of

DIALOGUES, TASKS, READ_LINES = "follow_ups.jsonl", "app-tasks.jsonl", "read_lines.jsonl"
MOST_ASKED = 0.03
"""What is aimed at: the share of explicit commands for which a model is asked because of a turn before."""

_NOW = datetime(2026, 3, 9, 12, 5, tzinfo=UTC)
_OUTCOMES = {"done": Outcome.SUCCESS, "failed": Outcome.FAILED}


class PastOrder(BaseModel):
    """A turn before: what was said, what was carried out, and how it ended."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    said: str
    order: str
    outcome: str


class Dialogue(BaseModel):
    """A line behind some turns, the newest last. `accepted` are other wordings of the order that it means.

    `expect` is `order` for a line that goes on, `as_said` for a complete command, `nothing` for a remark,
    `setting` for a wish to the program itself.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    lang: str
    before: tuple[PastOrder, ...]
    line: str
    expect: Literal["order", "as_said", "ask", "nothing", "setting"]
    order: str = ""
    accepted: tuple[str, ...] = Field(default=(), alias="or")
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    part: str = "dev"

    @property
    def turns(self) -> list[EarlierTurn]:
        """The turns before, the newest first, each two minutes after the one before it."""
        return [
            EarlierTurn(
                f"t{place}",
                turn.said,
                turn.order,
                _OUTCOMES.get(turn.outcome, Outcome.CANCELLED),
                _NOW - timedelta(minutes=2 * place),
            )
            for place, turn in enumerate(reversed(self.before), 1)
        ]

    def is_right(self, instruction: str) -> bool:
        """Whether an instruction says all that it must, and nothing that it must not."""
        folded = instruction.casefold()
        says_all = all(each.casefold() in folded for each in self.must)
        return says_all and not any(each.casefold() in folded for each in self.must_not)


class ReadableLine(BaseModel):
    """A line with what was before it; what it is to be taken for, and a reader's answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str
    line: str
    expect: LineKind
    before: tuple[dict[str, Any], ...] = ()
    talk: tuple[dict[str, Any], ...] = ()
    waiting: tuple[str, ...] = ()
    answer: str = ""

    @property
    def context(self) -> LineContext:
        """What was said and done before."""
        turns = [
            EarlierTurn(
                f"t{place}",
                turn["said"],
                turn["did"],
                Outcome(turn["outcome"]),
                _ago(turn["minutes"] + place),
            )
            for place, turn in enumerate(self.before)
        ]
        talk = [Exchange(_ago(each["minutes"]), each["said"], each["answered"]) for each in self.talk]
        return LineContext(_NOW, turns, talk, self.waiting)

    def fate(self, answer: str) -> tuple[LineKind | None, str]:
        """The kind that an answer says, and what comes of the line: answered, offered, or as without it."""
        reading = parse_line_reading(answer)
        if reading is None:
            return None, "as before"
        taken = take_reading(self.line, reading, self.context)
        if taken.order:
            return reading.kind, "offered"
        return reading.kind, "as before" if taken.route is None else f"answered: {taken.route.kind.value}"


def _ago(minutes: int) -> datetime:
    return _NOW - timedelta(minutes=minutes)


def read_lines() -> list[ReadableLine]:
    """The lines of which the rules are not sure."""
    return [ReadableLine.model_validate(entry) for entry in read_json_lines(READ_LINES)]


def write_prompts(lines: Sequence[ReadableLine], file: Path) -> None:
    """Write what a model is told of each line, as lines of JSON."""
    prompts = (
        {"id": each.id, "system": line_rules(), "user": make_line_question(each.line, each.context)}
        for each in lines
    )
    file.write_text("".join(json.dumps(prompt, ensure_ascii=False) + "\n" for prompt in prompts), "utf-8")


def measure_lines(lines: Sequence[ReadableLine], answers: Mapping[str, str]) -> dict[str, Any]:
    """What comes of lines by their answers, and of those that the answers to other lines would change."""
    rows, fates, harm = list[dict[str, str]](), Counter[str](), []
    for each in lines:
        kind, fate = each.fate(answers.get(each.id, each.answer))
        fates[fate.partition(":")[0]] += 1
        rows.append(
            {"id": each.id, "what": each.line, "expected": each.expect, "read": kind or "", "fate": fate}
        )
        for other in lines:
            _kind, fate = each.fate(answers.get(other.id, other.answer))
            if other.id != each.id and fate == "answered: remember":
                harm.append({"id": each.id, "what": each.line, "with the answer to": other.line})
    good = [row for row in rows if row["read"] == row["expected"]]
    return {
        "lines": len(rows),
        "read by rules": sum(not _is_unsure(each.line) for each in lines),
        "read as expected": len(good),
        **{fate: fates[fate] for fate in ("answered", "offered", "as before")},
        "kept by the answer to another line": harm,
        "not as expected": [row for row in rows if row not in good or row["fate"] == "as before"],
    }


def _is_unsure(line: str) -> bool:
    return route(line).kind is RouteKind.COMMAND and may_order_nothing(line)


@dataclass(slots=True)
class _Reader:
    """A model with one answer, which counts how often it is asked."""

    answer: str
    asked: int = 0

    async def __call__(self, system: str, user: str, schema: dict[str, object] | None = None) -> str:
        self.asked += 1
        return self.answer


def _answer(decision: str, order: str = "", source: str = "") -> str:
    sources = [source] if source else []
    return json.dumps({"decision": decision, "order": order, "replaced": [], "stays": [], "sources": sources})


def _source_of(dialogue: Dialogue, order: str) -> str:
    """The id of the turn that an order says most of."""
    shares = [len(content_of(turn.instruction) & content_of(order)) for turn in dialogue.turns]
    return f"b{shares.index(max(shares)) + 1}"


_TAGGER = bundled_tagger()


def resolve(line: str, turns: Sequence[EarlierTurn], model: _Reader | None) -> Resolution:
    """What a line means behind some turns, for a user of whom nothing is known."""
    memory, state = Sources(), State(time=_NOW)
    service = UnderstandingService(lambda: memory, lambda: state, model=model, tagger=_TAGGER)
    return asyncio.run(service.resolve_with_model(line, (), "", lambda: turns))


def judge(dialogue: Dialogue, model: _Reader | None = None, *, is_misread: bool = False) -> str:
    """What becomes of a line: `answered` without the phone, `asked` about, sent `as said`, or filled in.

    What is filled in is `right` or `wrong`; all that a model misread is wrong. A line that only wants the
    last command again is the resolver's own.
    """
    if route(dialogue.line).kind is not RouteKind.COMMAND:
        return "answered"
    if read_again(dialogue.line) is not None:
        return "again"
    resolution = resolve(dialogue.line, dialogue.turns, model)
    if resolution.missing:
        return "asked"
    if resolution.instruction == dialogue.line:
        return "as said"
    is_right = dialogue.expect == "order" and dialogue.is_right(resolution.instruction)
    return "right" if is_right and not is_misread else "wrong"


def _right_answer(dialogue: Dialogue) -> str:
    if dialogue.expect == "order":
        return _answer("fill", dialogue.order, _source_of(dialogue, dialogue.order))
    return _answer("ask" if dialogue.expect == "ask" else "as_said")


def _wrong_answers(dialogue: Dialogue, others: Sequence[Dialogue]) -> Iterator[str]:
    """Orders of other dialogues, a turn again, the line itself, the right one with a false amount or name."""
    sources = [f"b{place}" for place in range(1, len(dialogue.turns) + 1)]
    for other in others:
        if other.id != dialogue.id and other.lang == dialogue.lang:
            yield from (_answer("fill", other.order, source) for source in sources)
    for turn, source in zip(dialogue.turns, sources, strict=True):
        if turn.instruction != dialogue.order:
            yield _answer("fill", turn.instruction, source)
    yield _answer("fill", dialogue.line, sources[0])
    if dialogue.expect == "order":
        source = _source_of(dialogue, dialogue.order)
        order, is_chinese = dialogue.order, has_chinese(dialogue.order)
        other_amount = _DIGITS.sub(lambda match: str(int(match[0]) + 7), order)
        yield _answer("fill", other_amount if other_amount != order else f"{order} 97", source)
        yield _answer("fill", f"{order}给扎布伦" if is_chinese else f"{order} for Zebulon", source)


_DIGITS = re.compile(r"\d+")


def measure(dialogues: Sequence[Dialogue]) -> dict[str, Any]:
    """The figures of some dialogues, by what was to become of them."""
    orders = [dialogue for dialogue in dialogues if dialogue.expect == "order"]
    rows: dict[str, dict[str, int]] = {}
    for expect in ("order", "ask", "as_said", "nothing", "setting"):
        some = [dialogue for dialogue in dialogues if dialogue.expect == expect]
        rows[f"{expect}, no model"] = _counts(judge(each) for each in some)
        rows[f"{expect}, right answer"] = _counts(judge(each, _Reader(_right_answer(each))) for each in some)
        rows[f"{expect}, wrong answers"] = _counts(
            judge(each, _Reader(answer), is_misread=True)
            for each in some
            for answer in _wrong_answers(each, orders)
        )
    return {name: row for name, row in rows.items() if sum(row.values())}


_FATES = ("right", "asked", "again", "answered", "as said", "wrong")


def _counts(fates: Iterable[str]) -> dict[str, int]:
    counts = Counter(fates)
    return {fate: counts[fate] for fate in _FATES}


def list_failures(dialogues: Sequence[Dialogue]) -> list[dict[str, str]]:
    """Which lines do not become what they mean, with a model that answers right and without one."""
    failures = []
    wished = {"order": ("right", "again"), "ask": ("asked", "answered"), "as_said": ("as said", "answered")}
    for each in dialogues:
        with_model, alone = judge(each, _Reader(_right_answer(each))), judge(each)
        if with_model not in wished.get(each.expect, ("asked", "answered")) or alone == "wrong":
            failures.append({"id": each.id, "what": each.line, "right answer": with_model, "alone": alone})
    return failures


def _explicit(folder: Path) -> Mapping[str, list[str]]:
    """Explicit commands by where they come from; without what is absent."""
    sets: dict[str, list[str]] = {}
    if (file := folder / TASKS).is_file():
        entries = map(json.loads, file.read_text("utf-8").splitlines())
        sets["tasks on real apps"] = [entry.get("instruction") or entry["template"] for entry in entries]
    rows = list(massive_rows(folder)) if (folder / MASSIVE).is_file() else []
    for language in ("en", "zh") if rows else ():
        sets[f"MASSIVE, {language}"] = [row[language] for row in rows]
    return sets


def run(
    folder: Path, silent: bool = False, prompts: Path | None = None, answers: Path | None = None
) -> Report:
    """Measure both halves, the lines that may order nothing, and how many explicit commands ask a model.

    Args:
        folder: the folder of the corpora.
        silent: list no lines.
        prompts: where the prompts of the lines are written; None for nowhere.
        answers: other answers to them, lines of JSON with `id` and `answer`; None for those of the bench.
    """
    lines, given = read_lines(), dict[str, str]()
    if prompts is not None:
        write_prompts(lines, prompts)
    if answers is not None:
        entries = map(json.loads, answers.read_text("utf-8").splitlines())
        given = {entry["id"]: str(entry["answer"]) for entry in entries}
    dialogues = [Dialogue.model_validate(entry) for entry in read_json_lines(DIALOGUES)]
    leaning = {}
    for name, commands in _explicit(folder).items():
        kinds = Counter(read_leaning(command) for command in commands)
        share = 1 - kinds[Leaning.NONE] / len(commands)
        leaning[name] = {"commands": len(commands), "surely": kinds[Leaning.SURELY], "share": round(share, 4)}
        leaning[name]["may order nothing"] = sum(map(_is_unsure, commands))
    values: dict[str, Any] = {}
    for part in ("dev", "held"):
        some = [dialogue for dialogue in dialogues if dialogue.part == part]
        values[part] = measure(some)
        if part == "dev" and not silent:
            values["not right in dev"] = list_failures(some)
    harm = sum(row["wrong"] for part in ("dev", "held") for row in values[part].values())
    read = measure_lines(lines, given)
    if silent:
        read = {name: value for name, value in read.items() if not isinstance(value, list)}
    values |= {"harm": harm, "explicit": leaning, "lines": read}
    good = not harm and all(row["share"] <= MOST_ASKED for row in leaning.values())
    return Report(values, good, simulated="")

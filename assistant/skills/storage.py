"""Where skills are kept: in the memory, and as folders that people read, write and share.

`SkillRepository` keeps the templates, and reads the traces of turns. Every change of a template is one line
of the audit, and can be undone. The recorded screens are those that the memory keeps of each turn: a template
refers to them, and loses them when the turn is forgotten.

In a folder, `SKILL.md` in agentskills.io's form has a name and a description in its front matter and the
plan in words; `steps.yaml` beside it has the instruction with its slots, the app, and each step. Recorded
screens and the values that slots had do not leave the machine with a skill. So an imported step is replayed
only where exactly one element has its id and its words, and the skill is on probation. What a file says is
data: it is checked, and never an instruction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from math import ceil, sqrt
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import Executable, select

from assistant.files import write_in_place
from assistant.i18n import UserError, _, counted
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, Trace, read_elements, whole_checkpoint
from assistant.model.types import one_line
from assistant.records import (
    Action,
    Click,
    Direction,
    ForegroundApp,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    Scroll,
    Target,
    TypeText,
    Wait,
)
from assistant.safety.wording import classify_address
from assistant.skills.skill_step import ScreenRef, SkillStep
from assistant.skills.slots import Pattern, Slot
from assistant.skills.template import SkillSource, SkillState, SkillTemplate, with_steps_of_user

_MAX_BYTES = 200_000
_SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_VERBS = ("open", "tap", "hold", "type", "press", "scroll", "wait")
_KEYS: Mapping[str, Action] = {"back": PressBack(), "home": PressHome(), "enter": PressEnter()}
_MIDDLE = Point(0.5, 0.5)
_MOST_DIGITS = 4


class ReplayReport(BaseModel):
    """What was replayed in a turn: by which template, how many steps, how often the phone differed.

    `repairs` are the steps of the model that the plan does not have, looking and dismissing apart.
    `confirmed` are the places of the steps that led where they had led, or that the model took as well.
    `lost` are those of the steps whose shortcut led elsewhere. `corrected` says that the user cut in, by
    words or by hand, `claimed` that memory itself saw the end, `answer` what was said at the end.
    `package` is the app of the steps, and `needed` the confirmed runs that a step had to have there to be
    repeated. `matched` counts the steps that led where they had led, and `missed` those that the model took
    in their place and that led elsewhere. `learnt` is the template that was made of the turn already, where
    only its slots wait to be named.
    """

    model_config = ConfigDict(frozen=True)

    skill_id: str = ""
    package: str = ""
    needed: int = 0
    matched: int = 0
    missed: int = 0
    replayed: int = 0
    divergences: int = 0
    repairs: int = 0
    confirmed: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    corrected: bool = False
    claimed: bool = False
    answer: str = ""
    learnt: str = ""


_REMEMBERED_TURNS = 20
"""How many turns count whose steps were repeated in an app: what it was like before is past."""

_TOLERATED = 0.2
"""The share of steps that may lead elsewhere. From there on repeating costs more than it saves: a step that
leads elsewhere takes itself, the way back and two requests to the model, and one that does not saves one."""

_FEWEST_TURNS = 3
"""In fewer turns nothing is demanded: a pop-up that came is known to the next one."""

_PRIOR_RUNS = 2
"""How many runs the share of the whole app weighs, beside the confirmed runs of one step."""


@dataclass(frozen=True, slots=True)
class ReplayCounts:
    """The outcomes of the steps that were repeated in one app, in the newest turns.

    Attributes:
        matched: steps that led where they had led.
        differed: steps that led elsewhere, or that the user corrected.
        turns: in how many turns.
    """

    matched: int = 0
    differed: int = 0
    turns: int = 0

    @property
    def runs_needed(self) -> int:
        """How many confirmed runs a step needs before it is repeated; 0 where outcomes demand none.

        Before any run of its own, a step leads elsewhere as often as the app's steps do. That share is taken
        at the lower bound of Wilson's interval, so that few outcomes demand nothing, as the mean of a Beta
        distribution with the weight of two runs. After n runs that went well its mean is 2 share / (2 + n),
        which shall be the tolerated share at most.
        """
        if self.turns < _FEWEST_TURNS:
            return 0
        share = wilson_lower_bound(self.differed, self.matched + self.differed)
        return max(0, ceil(_PRIOR_RUNS * (share / _TOLERATED - 1)))


def wilson_lower_bound(count: int, of: int) -> float:
    """The lower end of Wilson's 95 % interval of a share, 0..1; 0 without any observation."""
    if not of:
        return 0.0
    share, z = count / of, 1.96
    spread = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, (share + z * z / (2 * of) - spread) / (1 + z * z / of))


class SkillRepository:
    """The templates of one user.

    Args:
        store: the memory.
        user_id: whose templates.
    """

    def __init__(self, store: Store, user_id: str) -> None:
        self._store = store
        self._user = user_id
        self._screen = lru_cache(maxsize=64)(self._read_screen)

    def all(self) -> list[SkillTemplate]:
        """All templates, the retired ones too, in the order in which they were made."""
        table = schema.skills
        query = select(table.c.body).where(table.c.user_id == self._user).order_by(table.c.made, table.c.id)
        with self._store.reader() as connection:
            return [SkillTemplate.model_validate(body) for body in connection.execute(query).scalars()]

    def usable(self) -> list[SkillTemplate]:
        """The templates that may be used: trusted ones first, then the most particular, then by runs."""
        usable = [template for template in self.all() if template.state is not SkillState.RETIRED]
        return sorted(
            usable, key=lambda t: (t.state is not SkillState.TRUSTED, len(t.pattern.slots), -t.runs)
        )

    def numbers(self) -> dict[str, int]:
        """What the user calls each template by, that there is or was, by its id.

        No other template ever has its number, not even once it is deleted.
        """
        keys = self._store.audit.keys(schema.skills)
        return {key["id"]: number for number, key in enumerate(keys, start=1)}

    def get(self, name: str) -> SkillTemplate | None:
        """A template by its id, by its name, by its number, or by the only beginning of its id.

        Few digits are nothing but a number: those of a template that is gone mean no other one.
        """
        templates = self.all()
        named = [t for t in templates if name in (t.id, t.name)]
        if not named and name.isdecimal() and len(name) <= _MOST_DIGITS:
            numbers = self.numbers()
            named = [t for t in templates if numbers.get(t.id) == int(name)]
        elif not named:
            begins = (name, f"skill-{name}")
            named = [t for t in templates if name and t.id.startswith(begins)]
        return named[0] if len(named) == 1 else None

    def outcomes(self, package: str) -> ReplayCounts:
        """How steps that were repeated in an app went, in the newest turns that could repeat any.

        Nothing is known of an app without a package, as that of a skill that somebody wrote.
        """
        table = schema.replay_outcomes
        query = select(table.c.matched, table.c.differed)
        query = query.where(table.c.user_id == self._user, table.c.package == package)
        query = query.order_by(table.c.turn_id.desc()).limit(_REMEMBERED_TURNS)
        with self._store.reader() as connection:
            rows = connection.execute(query).all()
        matched, differed = (sum(column) for column in zip(*rows, strict=True)) if rows else (0, 0)
        return ReplayCounts(matched, differed, len(rows))

    def with_counts(self) -> list[tuple[SkillTemplate, int, ReplayCounts]]:
        """All templates, each with its number, and how repeated steps went in its app."""
        numbers = self.numbers()
        return [(each, numbers[each.id], self.outcomes(each.package)) for each in self.all()]

    def put(
        self, template: SkillTemplate, why: str, what: str = "Keep a skill", also: Iterable[Executable] = ()
    ) -> int | None:
        """Add a template or replace the one of its id. Returns the id of the change, None without one.

        `also` are statements of the same transaction.
        """
        with self._store.change(what, why) as change:
            change.put(schema.skills, _row(template))
            for statement in also:
                change.connection.execute(statement)
        return change.id

    def delete(self, skill_id: str, why: str = "asked by the user") -> None:
        """Take a template out; it can be brought back by an undo.

        Raises:
            NoSuchRow: there is none of this id.
        """
        with self._store.change("Delete a skill", why) as change:
            change.delete(schema.skills, {"id": skill_id})

    def screen(self, ref: ScreenRef | None) -> Observation | None:
        """A recorded screen; None where the memory has it no more."""
        return self._screen(ref.turn_id, ref.step) if ref is not None else None

    def typed_lately(self) -> frozenset[str]:
        """What the user's newest turns typed, in lower case."""
        return self._store.turns.typed_texts(self._user)

    def trace(self, turn_id: str) -> Trace | None:
        """The trace of a turn that is over; None where there is none of this id, or it still runs."""
        turns = schema.turns
        with self._store.reader() as connection:
            query = select(turns).where(turns.c.id == turn_id, ~turns.c.open)
            row = connection.execute(query).mappings().one_or_none()
            if row is None or row["user_id"] != self._user:
                return None
            checkpoint = Checkpoint.model_validate(whole_checkpoint(connection, row))
        names = {step.number: step.app for step in checkpoint.steps}
        screens = self._read_screens(turn_id, range(1, len(checkpoint.steps) + 2), names)
        return Trace.of(checkpoint, screens)

    def _read_screen(self, turn_id: str, step: int) -> Observation | None:
        return self._read_screens(turn_id, [step], {}).get(step)

    def _read_screens(
        self, turn_id: str, steps: Iterable[int], names: dict[int, str]
    ) -> dict[int, Observation]:
        table = schema.observations
        query = select(table).where(table.c.turn_id == turn_id, table.c.step.in_(list(steps)))
        with self._store.reader() as connection:
            rows = connection.execute(query).mappings().all()
        return {
            row["step"]: Observation(
                width=row["width"],
                height=row["height"],
                screenshot=b"",
                elements=read_elements(row),
                app=ForegroundApp(row["package"], row["activity"], _label(names, row)),
            )
            for row in rows
        }


def _label(names: dict[int, str], row: Mapping[Any, Any]) -> str:
    package, step = row["package"], row["step"]
    name = names.get(step, "")
    return "" if name == package else name


def _row(template: SkillTemplate) -> dict[str, object]:
    return {
        "id": template.id,
        "user_id": template.user_id,
        "made": template.made.isoformat(),
        "state": template.state.value,
        "evidence": list(template.evidence),
        "body": template.model_dump(mode="json", exclude_none=True),
    }


def describe_kept(skill: SkillTemplate) -> str:
    """What was kept, which words of it may be others, and how to use it."""
    steps, name = counted(len(skill.steps), "step"), one_line(skill.name)
    if not skill.pattern.slots:
        sentence = _("Kept as a skill with {steps}. /replay {name} carries it out; /skills lists it.")
        return sentence.format(steps=steps, name=name)
    sentence = _(
        "Kept as a skill with {steps}. Say it as an order, with other values too: {order}. /skills lists it."
    )
    return sentence.format(steps=steps, order=one_line(skill.pattern.text))


def describe_outcomes(counts: ReplayCounts, template: SkillTemplate) -> str:
    """How repeated steps went in the app of a skill lately, and what its own need now; empty if none was."""
    if not (counts.matched or counts.differed):
        return ""
    went = _("in {turns} {matched} led where expected, {differed} did not").format(
        turns=counted(counts.turns, "turn"), matched=counted(counts.matched, "step"), differed=counts.differed
    )
    if not counts.runs_needed:
        return went
    enough = sum(step.confirmed >= counts.runs_needed for step in template.steps)
    return _("{went}; so a step is repeated after {turns} that confirm it: {enough} of {steps}").format(
        went=went, turns=counted(counts.runs_needed, "turn"), enough=enough, steps=len(template.steps)
    )


def skill_as_json(template: SkillTemplate, number: int, counts: ReplayCounts | None = None) -> dict[str, Any]:
    """A template as programs read it, with the number that the user calls it by.

    Where it is given how repeated steps went in its app, that is part of it.
    """
    app = {} if counts is None else {"in app": {**asdict(counts), "runs needed": counts.runs_needed}}
    return {
        "id": template.id,
        "number": number,
        "name": template.name,
        "instruction": template.pattern.text,
        "slots": [slot.model_dump(mode="json") for slot in template.pattern.slots],
        "app": template.app,
        "package": template.package,
        "state": template.state,
        "source": template.source,
        "steps": [
            {
                "text": step.words(),
                "slot": step.slot or None,
                "optional": step.optional,
                "shortcut": step.shortcut or None,
                "confirmed": step.confirmed,
            }
            for step in template.steps
        ],
        "runs": template.runs,
        "failures": template.failures,
        "replayed": template.replayed,
        "evidence": list(template.evidence),
        **app,
    }


class SkillFileError(UserError):
    """A skill cannot be read or written; the message says why and what to do."""


class _Entry(BaseModel):
    """One step in `steps.yaml`: exactly one of open, tap, hold, type, press, scroll, wait.

    `at` belongs to open: a page of the settings, or an address that the app shows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    open: str | None = None
    tap: str | None = None
    hold: str | None = None
    type: str | None = None
    press: str | None = None
    scroll: Direction | None = None
    wait: bool | None = None
    at: str = ""
    id: str = ""
    kind: str = ""
    optional: bool = False

    def action(self) -> Action:
        """The action of the step.

        Raises:
            ValueError: it names none, more than one, or an unknown key.
        """
        verbs = [name for name in _VERBS if getattr(self, name) is not None]
        if len(verbs) != 1:
            raise ValueError(_("each step needs one of open, tap, hold, type, press, scroll, wait"))
        if self.at and (verbs != ["open"] or classify_address(_SLOT.sub("0", self.at)) is not None):
            raise ValueError(
                _("“at” belongs to open, and takes a page of the settings, a web page, geo:, tel: or mailto:")
            )
        target = Target(resource_id=self.id, class_name=self.kind, text=self.tap or self.hold or "")
        match verbs[0]:
            case "open":
                return OpenApp(name=self.open or "", at=self.at)
            case "tap":
                return Click(point=_MIDDLE, target=target)
            case "hold":
                return LongClick(point=_MIDDLE, target=target)
            case "type":
                return TypeText(text=self.type or "")
            case "scroll":
                return Scroll(direction=self.scroll or Direction.DOWN)
            case "wait":
                return Wait()
            case _:
                if self.press is None or self.press not in _KEYS:
                    raise ValueError(_("press takes back, home or enter"))
                return _KEYS[self.press]


class _Steps(BaseModel):
    """What `steps.yaml` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    instruction: str = Field(min_length=1)
    app: str = ""
    package: str = ""
    slots: tuple[Slot, ...] = ()
    steps: tuple[_Entry, ...] = ()


def export_skill(template: SkillTemplate, folder: Path, *, replaces: bool = False) -> Path:
    """Write a skill as a folder in another, which is made where it is missing, but not what it lies in.

    Returns:
        the folder of the skill. `find_skill_folders` finds it in the other one.

    Raises:
        SkillFileError: it cannot be written, or is there already and nothing `replaces` it.
    """
    place = folder / folder_name(template.name)
    if place.exists() and not replaces:
        raise SkillFileError(_("{folder} is there already; --replace writes over it.").format(folder=place))
    plan = "\n".join(f"{number}. {words}" for number, words in enumerate(template.plan, 1))
    front: dict[str, Any] = {
        "name": folder_name(template.name),
        "description": f"{template.pattern.text} ({template.app})",
    }
    if template.name != front["name"]:
        front["metadata"] = {"title": template.name}
    head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False).strip()
    try:
        for each in (folder, place):
            each.mkdir(mode=0o700, exist_ok=True)
        write_in_place(place / "SKILL.md", f"---\n{head}\n---\n\n{template.notes or plan}\n")
        write_in_place(place / "steps.yaml", steps_as_text(template))
    except OSError as error:
        raise SkillFileError(
            _("{folder} cannot be written: {reason}").format(folder=place, reason=error.strerror)
        ) from error
    return place


def find_skill_folders(folder: Path) -> list[Path]:
    """The folders of skills at a place: itself, or those in it, as `export_skill` writes them."""
    if (folder / "SKILL.md").exists() or not folder.is_dir():
        return [folder]
    return sorted(inside for inside in folder.iterdir() if (inside / "SKILL.md").exists()) or [folder]


def import_skill(folder: Path, user_id: str, now: datetime) -> SkillTemplate:
    """Read a skill from its folder. It is on probation, whatever it says of itself.

    Raises:
        SkillFileError: it is not a skill.
    """
    front, notes = _read_front(folder / "SKILL.md")
    name = str(front.get("name") or "").strip()
    if not name:
        raise SkillFileError(_("{file} needs a name in its front matter.").format(file=folder / "SKILL.md"))
    metadata = front.get("metadata")
    title = one_line(str(metadata.get("title") or "")) if isinstance(metadata, dict) else ""
    file = folder / "steps.yaml"
    try:
        text = _read(file) if file.exists() else f"instruction: {_quoted(str(front.get('description', '')))}"
        read, pattern, steps = _read_steps(text)
    except ValueError as error:
        raise SkillFileError(_("{file} cannot be used: {reason}").format(file=file, reason=error)) from error
    return SkillTemplate(
        id=f"skill-{folder_name(name)}",
        user_id=user_id,
        name=title or name,
        pattern=pattern,
        steps=steps,
        app=read.app,
        package=read.package,
        source=SkillSource.WRITTEN,
        made=now,
        notes=notes,
    )


def steps_as_text(template: SkillTemplate) -> str:
    """The order with its slots, the app, and a line for each step, as `steps.yaml` has them."""
    slots = [{"name": slot.name, "type": slot.type.value} for slot in template.pattern.slots]
    # Where a keyboard is put away is told by the phone then.
    steps = [_entry(step) for step in template.steps if not step.closes_over]
    heads = {"instruction": template.pattern.text, "app": template.app, "package": template.package}
    lines = [f"{key}: {_quoted(value)}" for key, value in heads.items()]
    for name, rows in (("slots", slots), ("steps", steps)):
        lines.append(f"{name}:" if rows else f"{name}: []")
        for row in rows:
            values = ", ".join(f"{key}: {_quoted(value)}" for key, value in row.items())
            lines.append(f"- {{{values}}}")
    return "\n".join(lines) + "\n"


def _quoted(value: object) -> str:
    """A value in YAML, on one line: whatever cannot be seen in it is escaped."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else f"\\U{ord(sign):08x}" for sign in text)


def with_written_steps(template: SkillTemplate, text: str) -> SkillTemplate:
    """A skill with its order and steps as the user wrote them, in the form of `steps_as_text`.

    A step that is written as before keeps its recorded screens; a slot with another name stays that slot.

    Raises:
        SkillFileError: it cannot be used; the message says where and why.
    """
    try:
        read, pattern, steps = _read_steps(text)
        if not steps:
            raise ValueError(_("it has no steps. To be rid of the skill, delete it"))
        unused = {slot.name for slot in pattern.slots} - {step.slot for step in steps}
        unused -= {slot.name for slot in template.pattern.slots} - {step.slot for step in template.steps}
        if unused:
            sentence = _("no step uses {name}: the skill would do the same whatever it is")
            raise ValueError(sentence.format(name=f"{{{min(unused)}}}"))
    except ValueError as error:
        raise SkillFileError(_("Not kept: {reason}.").format(reason=error)) from error
    gone, new = (
        sorted({slot.name for slot in pattern_now.slots} - {slot.name for slot in other.slots})
        for pattern_now, other in ((template.pattern, pattern), (pattern, template.pattern))
    )
    names = dict(zip(gone, new, strict=True)) if len(gone) == len(new) == 1 else {}
    before = {names.get(slot.name, slot.name): slot for slot in template.pattern.slots}
    slots = tuple(
        before[slot.name].model_copy(update={"name": slot.name, "type": slot.type})
        if slot.name in before
        else slot
        for slot in pattern.slots
    )
    recorded = [step.model_copy(update={"slot": names.get(step.slot, step.slot)}) for step in template.steps]
    spare = {place: _entry(step) for place, step in enumerate(recorded) if not step.closes_over}
    written, reached = list[tuple[SkillStep, int]](), -1
    for entry, step in zip(read.steps, steps, strict=True):
        wish = entry.model_dump(mode="json", exclude_defaults=True) | {"optional": True}
        places = [
            place for place, recorded_entry in spare.items() if {**recorded_entry, "optional": True} == wish
        ]
        place = next((place for place in places if place > reached), min(places, default=-1))
        reached = max(reached, place)
        if place >= 0:
            del spare[place]
            step = recorded[place].model_copy(update={"optional": entry.optional})
        written.append((step, place))
    update = {
        "pattern": pattern.model_copy(update={"slots": slots}),
        "app": read.app,
        "package": read.package,
    }
    renamed = template.model_copy(update={"steps": tuple(recorded), **update})
    return with_steps_of_user(renamed, template, written)


def _read_steps(text: str) -> tuple[_Steps, Pattern, tuple[SkillStep, ...]]:
    """What `steps.yaml` holds: as it stands there, its order, and its steps.

    Raises:
        ValueError: it cannot be used; the message says where and why, without a full stop.
    """
    try:
        read = _Steps.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        example = '- {tap: "Search"}'
        raise ValueError(
            _("line {line} cannot be read; a step is written as {example}").format(
                line=mark.line + 1 if mark is not None else 1, example=example
            )
        ) from error
    except ValidationError as error:
        raise ValueError(_why_invalid(error)) from error
    steps = list[SkillStep]()
    for number, entry in enumerate(read.steps, 1):
        try:
            steps.append(_step(entry))
        except ValueError as error:
            raise ValueError(_("step {number}: {reason}").format(number=number, reason=error)) from error
    named = set(_SLOT.findall(read.instruction))
    if unknown := sorted({step.slot for step in steps if step.slot} - named):
        raise ValueError(_("the instruction has no slot {name}").format(name=unknown[0]))
    if not re.search(r"\w", _SLOT.sub(" ", read.instruction)):
        raise ValueError(
            _("the instruction needs words beside its slots: else every order is one of its kind")
        )
    slots = {slot.name: slot for slot in read.slots}
    pattern = Pattern(
        text=read.instruction, slots=tuple(slots.get(name, Slot(name=name)) for name in sorted(named))
    )
    return read, pattern, tuple(steps)


def _why_invalid(error: ValidationError) -> str:
    """Where something is wrong in `steps.yaml`, in words."""
    part, *inside = error.errors()[0]["loc"] or ("",)
    if part != "steps" or not inside:
        names = ", ".join(_Steps.model_fields)
        return _("“{name}” is missing or not as it should be; it may hold {names}").format(
            name=part or "steps.yaml", names=names
        )
    key = next((str(each) for each in inside[1:]), "")
    names = ", ".join(_Entry.model_fields)
    number = int(inside[0]) + 1
    return _("step {number}: “{key}” is not understood; a step takes {names}").format(
        number=number, key=key, names=names
    )


def folder_name(name: str) -> str:
    """A skill's name as agentskills.io wants it: lower case, words joined by hyphens, at most 64 letters."""
    words = re.findall(r"[^\W_]+", name.lower())
    return "-".join(words)[:64].strip("-") or "skill"


def _entry(step: SkillStep) -> dict[str, Any]:
    """A step as it is written. Of a row only its title: the rest of it is what the user's phone showed."""
    action, entry = step.action, dict[str, Any]()
    title = f"{{{step.slot}}}" if step.slot else step.title
    match action:
        case OpenApp(name=name, at=at):
            entry |= {"open": name, "at": at}
        case TypeText():
            entry["type"] = title
        case Click() | LongClick():
            entry["tap" if isinstance(action, Click) else "hold"] = title
            if action.target is not None:
                entry |= {"id": action.target.resource_id, "kind": action.target.class_name}
        case Scroll(direction=direction):
            entry["scroll"] = direction.value
        case Wait():
            entry["wait"] = True
        case _:
            entry["press"] = next((key for key, value in _KEYS.items() if value.type == action.type), "back")
    if step.optional:
        entry["optional"] = True
    return {key: value for key, value in entry.items() if value != "" or key in ("tap", "hold", "type")}


def _step(entry: _Entry) -> SkillStep:
    action = entry.action()
    text = entry.type if entry.type is not None else entry.at or entry.tap or entry.hold or ""
    slots = _SLOT.findall(text)
    if len(slots) > 1:
        raise ValueError(_("a step can use one slot only"))
    bound = {"slot": slots[0], "bound": text, "example": f"{{{slots[0]}}}"} if slots else {}
    if slots and entry.at:
        bound["bound"] = bound["example"]
    return SkillStep(action=action, optional=entry.optional, **bound)


def _read_front(file: Path) -> tuple[dict[str, Any], str]:
    text = _read(file)
    match = re.match(r"---\s*\n(.*?)\n---\s*\n?(.*)", text, re.DOTALL)
    try:
        front = yaml.safe_load(match[1]) if match else None
    except yaml.YAMLError:
        front = None
    if match is None or not isinstance(front, dict):
        raise SkillFileError(
            _("{file} needs a front matter between two lines of ---, with name and description.").format(
                file=file
            )
        )
    return front, match[2].strip()


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise SkillFileError(_("{file} is too large for a skill.").format(file=file))
        return file.read_text("utf-8")
    except OSError as error:
        raise SkillFileError(
            _("{file} cannot be read: {reason}.").format(file=file, reason=error.strerror)
        ) from error
    except UnicodeDecodeError as error:
        raise SkillFileError(_("{file} is not UTF-8 text. Save it as UTF-8.").format(file=file)) from error

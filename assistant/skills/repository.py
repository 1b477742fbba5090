"""Where templates are kept, and the traces of turns that they are learnt from.

Every change of a template is one line of the audit, and can be undone. The recorded screens are those that
the memory keeps of each turn: a template refers to them, and loses them when the turn is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sqlalchemy import select

from assistant.memory import schema
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, read_elements, whole_checkpoint
from assistant.records import ForegroundApp, Observation
from assistant.skills.template import ScreenRef, SkillState, SkillTemplate, Trace


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
        """The templates that may be used: trusted ones first, then by runs."""
        usable = [template for template in self.all() if template.state is not SkillState.RETIRED]
        return sorted(usable, key=lambda t: (t.state is not SkillState.TRUSTED, -t.runs))

    def get(self, name: str) -> SkillTemplate | None:
        """A template by its id, by its name, or by the only beginning of its id."""
        templates = self.all()
        named = [t for t in templates if name in (t.id, t.name)] or [
            t for t in templates if t.id.startswith(name) or t.id.removeprefix("skill-").startswith(name)
        ]
        return named[0] if len(named) == 1 else None

    def put(self, template: SkillTemplate, why: str, what: str = "Keep a skill") -> int | None:
        """Add a template or replace the one of its id. Returns the id of the change, None without one."""
        with self._store.change(what, why) as change:
            change.put(schema.skills, _row(template))
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


def _label(names: dict[int, str], row: object) -> str:
    package, step = row["package"], row["step"]  # type: ignore[index]
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

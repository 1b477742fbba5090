"""What a command means for this user, as far as it is known, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assistant.memory.him.prototype import Prototype
from assistant.understand.complete import Completed, complete
from assistant.understand.elements import Element, Perceived, key
from assistant.understand.sources import Found


@dataclass(frozen=True, slots=True)
class Meaning:
    """An element, what it stands for where that is known, and what it might stand for where it is not."""

    element: Element
    found: Found | None
    candidates: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """A command with the meaning of each element, and the instruction that they make together."""

    perceived: Perceived
    meanings: tuple[Meaning, ...]
    completed: Completed

    @property
    def instruction(self) -> str:
        """The command made explicit; as it was said where nothing depends on the user."""
        return self.completed.instruction

    @property
    def missing(self) -> tuple[Meaning, ...]:
        """The elements whose meaning is not known."""
        return tuple(one for one in self.meanings if one.found is None)

    @property
    def reference(self) -> Prototype | None:
        """The prototype whose centre actions are a reference for the turn (FingerTip A.5.2)."""
        for one in self.meanings:
            if one.found and one.found.preference:
                return one.found.preference.prototype
        return None

    def with_value(self, element: Element, found: Found, apps: Sequence[str] = ()) -> Resolution:
        """The same with one more element known."""
        wanted = key(element.text)
        meanings = tuple(
            Meaning(one.element, found, one.candidates) if key(one.element.text) == wanted else one
            for one in self.meanings
        )
        return resolution_of(self.perceived, meanings, apps)

    def as_json(self) -> dict[str, Any]:
        """As `assistant resolve --json` prints it (DESIGN section 4)."""
        return {
            "said": self.perceived.said,
            "personalized": bool(self.meanings),
            "elements": [_element_json(one) for one in self.meanings],
            "instruction": self.instruction,
            "app": self.completed.app,
            "missing": [one.element.text for one in self.missing],
        }


def resolution_of(perceived: Perceived, meanings: Sequence[Meaning], apps: Sequence[str] = ()) -> Resolution:
    """A resolution with its instruction completed."""
    values = {key(one.element.text): one.found for one in meanings if one.found}
    return Resolution(perceived, tuple(meanings), complete(perceived, values, apps))


def _element_json(one: Meaning) -> dict[str, Any]:
    found = one.found
    return {
        "text": one.element.text,
        "value": found.value if found else None,
        "source": found.origin.value if found else None,
        "confidence": round(found.confidence, 3) if found else 0.0,
        "evidence": list(found.evidence) if found else [],
    }

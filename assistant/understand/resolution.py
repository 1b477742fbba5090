"""What a command means for this user, as far as it is known, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assistant.memory.prototypes.model import Prototype
from assistant.understand.complete import Completed, complete
from assistant.understand.sources import Found
from assistant.understand.types import Element, Perceived, normalize_key


@dataclass(frozen=True, slots=True)
class Meaning:
    """An element, what it stands for where that is known, and what it might stand for where it is not."""

    element: Element
    chosen: Found | None
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
        return tuple(meaning for meaning in self.meanings if meaning.chosen is None)

    @property
    def reference(self) -> Prototype | None:
        """The prototype whose centre actions are a reference for the turn (FingerTip A.5.2)."""
        for meaning in self.meanings:
            if meaning.chosen and meaning.chosen.preference:
                return meaning.chosen.preference.prototype
        return None

    def with_value(self, element: Element, candidate: Found, apps: Sequence[str] = ()) -> Resolution:
        """The same with one more element known."""
        element_key = normalize_key(element.text)
        meanings = tuple(
            Meaning(meaning.element, candidate, meaning.candidates)
            if normalize_key(meaning.element.text) == element_key
            else meaning
            for meaning in self.meanings
        )
        return make_resolution(self.perceived, meanings, apps)

    def as_json(self) -> dict[str, Any]:
        """As `assistant resolve --json` prints it (DESIGN section 4)."""
        return {
            "said": self.perceived.command,
            "personalized": bool(self.meanings),
            "elements": [_element_json(meaning) for meaning in self.meanings],
            "instruction": self.instruction,
            "app": self.completed.app,
            "missing": [meaning.element.text for meaning in self.missing],
        }


def make_resolution(
    perceived: Perceived, meanings: Sequence[Meaning], apps: Sequence[str] = ()
) -> Resolution:
    """A resolution with its instruction completed."""
    values = {normalize_key(meaning.element.text): meaning.chosen for meaning in meanings if meaning.chosen}
    return Resolution(perceived, tuple(meanings), complete(perceived, values, apps))


def _element_json(meaning: Meaning) -> dict[str, Any]:
    chosen = meaning.chosen
    return {
        "text": meaning.element.text,
        "value": chosen.value if chosen else None,
        "source": chosen.origin.value if chosen else None,
        "confidence": round(chosen.confidence, 3) if chosen else 0.0,
        "evidence": list(chosen.evidence) if chosen else [],
    }

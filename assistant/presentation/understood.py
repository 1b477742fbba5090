"""The interpretation of a command as data: the meaning of each part, and lookups in apps."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant import events
from assistant.presentation.text import format_action, one_line


@dataclass(slots=True, eq=False)
class LookupView:
    """A lookup in an app; `doing` is its latest step.

    Once it is `over`, `value` is the result (empty for none), and `place` says where it was read.
    """

    app: str
    steps: int = 0
    doing: str = ""
    over: bool = False
    value: str = ""
    place: str = ""


@dataclass(slots=True, eq=False)
class ElementView:
    """A part of the command whose meaning depends on the user. Texts are safe to show.

    `value` is empty until the meaning is known; `unknown` tells that the memory does not have it, `on_phone`
    that the phone may have it under these words. `evidence` are record ids.
    """

    element: str
    value: str = ""
    source: str = ""
    why: str = ""
    confidence: float = 0.0
    evidence: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    unknown: bool = False
    on_phone: bool = False
    looks: list[LookupView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """The suggestion that led to the command. Texts are safe to show; `evidence` are record ids."""

    id: str
    instruction: str
    score: float
    why: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(slots=True)
class CommandView:
    """The interpretation of one command.

    `instruction` is its meaning so far, `changed` tells that the user rewrote it. `taught` is then the
    element and its new meaning (two empty texts if the change holds only this time; None if unknown).
    `offered` is the suggestion that led to the command. It is `open` until the instruction is settled.
    """

    parts: dict[str, ElementView] = field(default_factory=dict)
    instruction: str = ""
    changed: bool = False
    open: bool = False
    offered: SuggestionView | None = None
    taught: tuple[str, str] | None = None
    _proposed: str = ""

    @property
    def known(self) -> bool:
        """Whether there is anything to explain."""
        return bool(self.parts) or self.offered is not None

    def is_removed(self, part: ElementView) -> bool:
        """Whether the user removed a part's value from the instruction."""
        value = part.value.casefold()
        return (
            self.changed and value in self._proposed.casefold() and value not in self.instruction.casefold()
        )

    def is_relearnt(self, part: ElementView) -> bool:
        """Whether the part has another meaning from now on."""
        return self.taught is not None and self.taught[0] == part.element

    def handle_event(self, event: events.Event) -> bool:
        """Apply an event; returns whether it changed something."""
        match event:
            case events.ElementsPerceived(elements=elements):
                self.parts = {element: ElementView(one_line(element)) for element in elements}
                self.open = True
            case events.SuggestionTaken():
                why = tuple(map(one_line, event.why))
                instruction = self._proposed = one_line(event.instruction)
                self.offered = SuggestionView(event.id, instruction, event.score, why, event.evidence)
            case events.ElementRecalled(element=element):
                part = self._part(element)
                part.value, part.source = one_line(event.value), one_line(event.source)
                part.why, part.confidence = one_line(event.why), event.confidence
                part.evidence = event.evidence
            case events.ElementUnknown(element=element, candidates=candidates, on_phone=on_phone):
                part = self._part(element)
                part.unknown, part.on_phone = True, on_phone
                part.candidates = tuple(one_line(candidate) for candidate in candidates)
            case events.ErrandStarted(element=element, app=app):
                self._part(element).looks.append(LookupView(one_line(app)))
                self.open = True
            case events.ErrandStepped(action=action):
                look = self._running_lookup
                if look is None:
                    return False
                look.steps, look.doing = look.steps + 1, format_action(action)
            case events.ElementExplored(value=value, place=place):
                look = self._running_lookup
                if look is None:
                    return False
                look.over, look.value, look.place = True, one_line(value), one_line(place)
            case _:
                return self._handle_instruction_event(event)
        return True

    def _handle_instruction_event(self, event: events.Event) -> bool:
        match event:
            case events.InstructionCompleted(instruction=instruction):
                self.instruction = one_line(instruction)
            case events.MeaningProposed(instruction=instruction):
                self.instruction = self._proposed = one_line(instruction)
                self.open = True
            case events.MeaningCorrected(element=element, value=value):
                self.taught = one_line(element), one_line(value)
            case events.InstructionResolved(instruction=instruction):
                self.instruction = one_line(instruction)
                self.changed = bool(self._proposed) and self._proposed != self.instruction
                self.open = False
            case events.StepStarted() | events.TurnFinished() if self.open:
                self.open = False
            case _:
                return False
        return True

    @property
    def _running_lookup(self) -> LookupView | None:
        """The lookup in progress."""
        looks = (look for part in self.parts.values() for look in part.looks if not look.over)
        return next(looks, None)

    def _part(self, element: str) -> ElementView:
        return self.parts.setdefault(element, ElementView(one_line(element)))

"""The interpretation of a command as data: the meaning of each part, and lookups in apps."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant import events
from assistant.presentation.text import format_action, one_line


@dataclass(slots=True, eq=False)
class LookupView:
    """A lookup in an app or another source.

    Once it is `finished`, `value` is the result (empty for none), and `source_screen` says where it was read.
    `problem` says why it was not possible.
    """

    app: str
    steps: int = 0
    latest_step: str = ""
    finished: bool = False
    value: str = ""
    source_screen: str = ""
    problem: str = ""


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
    lookups: list[LookupView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SuggestionView:
    """The suggestion that led to the command. Texts are safe to show; `evidence` are record ids."""

    id: str
    instruction: str
    score: float
    why: tuple[str, ...]
    evidence: tuple[str, ...]


def view_of_offer(offer: events.SuggestionOffered) -> CommandView:
    """A suggestion that waits, as what its command would rest on."""
    why = tuple(map(one_line, offer.why))
    view = SuggestionView(offer.id, one_line(offer.instruction), offer.score, why, offer.evidence)
    return CommandView(suggestion=view)


@dataclass(slots=True)
class CommandView:
    """The interpretation of one command.

    `instruction` is its meaning so far, `changed` tells that the user rewrote it. `correction` is then
    the element and its new meaning (two empty texts if the change holds only this time; None if unknown).
    `suggestion` is the one that led to the command. It is `open` until the instruction is settled.
    """

    parts: dict[str, ElementView] = field(default_factory=dict)
    instruction: str = ""
    changed: bool = False
    open: bool = False
    suggestion: SuggestionView | None = None
    correction: tuple[str, str] | None = None
    _proposed: str = ""

    @property
    def is_explainable(self) -> bool:
        """Whether there is anything to explain."""
        return bool(self.parts) or self.suggestion is not None

    def is_removed(self, part: ElementView) -> bool:
        """Whether the user removed a part's value from the instruction."""
        value = part.value.casefold()
        return (
            self.changed and value in self._proposed.casefold() and value not in self.instruction.casefold()
        )

    def is_said_by(self, part: ElementView, share: float) -> bool:
        """Whether the instruction says a part's value, and consists of it to this share or more."""
        value = part.value.casefold()
        return value in self.instruction.casefold() and len(value) >= share * len(self.instruction)

    def is_corrected(self, part: ElementView) -> bool:
        """Whether the part has another meaning from now on."""
        return self.correction is not None and self.correction[0] == part.element

    def handle_event(self, event: events.Event) -> bool:
        """Apply an event; returns whether it changed something."""
        match event:
            case events.ElementsPerceived(elements=elements):
                self.parts = {element: ElementView(one_line(element)) for element in elements}
                self.open = True
            case events.SuggestionTaken():
                why = tuple(map(one_line, event.why))
                instruction = self._proposed = one_line(event.instruction)
                self.suggestion = SuggestionView(event.id, instruction, event.score, why, event.evidence)
            case events.ElementRecalled(element=element):
                part = self._ensure_part(element)
                part.value, part.source = one_line(event.value), one_line(event.source)
                part.why, part.confidence = one_line(event.why), event.confidence
                part.evidence = event.evidence
            case events.ElementUnknown(element=element, candidates=candidates, on_phone=on_phone):
                part = self._ensure_part(element)
                part.unknown, part.on_phone = True, on_phone
                part.candidates = tuple(one_line(candidate) for candidate in candidates)
            case events.ErrandStarted(element=element, app=app):
                self._ensure_part(element).lookups.append(LookupView(one_line(app)))
                self.open = True
            case events.ErrandStepped(action=action):
                lookup = self._running_lookup
                if lookup is None:
                    return False
                lookup.steps, lookup.latest_step = lookup.steps + 1, format_action(action)
            case events.ElementExplored(element=element, app=app, problem=problem) if problem:
                self._end_lookup(element, one_line(app), one_line(problem))
            case events.ElementExplored(value=value, place=place):
                lookup = self._running_lookup
                if lookup is None:
                    return False
                lookup.finished, lookup.value, lookup.source_screen = True, one_line(value), one_line(place)
            case _:
                return self._handle_instruction_event(event)
        return True

    def _end_lookup(self, element: str, app: str, problem: str) -> None:
        """A lookup was not possible; it need not have begun."""
        lookup = self._running_lookup
        if lookup is None or lookup.app != app:
            self._ensure_part(element).lookups.append(lookup := LookupView(app))
        lookup.finished, lookup.problem = True, problem

    def _handle_instruction_event(self, event: events.Event) -> bool:
        match event:
            case events.InstructionCompleted(instruction=instruction):
                self.instruction = one_line(instruction)
            case events.MeaningProposed(instruction=instruction):
                self.instruction = self._proposed = one_line(instruction)
                self.open = True
            case events.MeaningCorrected(element=element, value=value):
                self.correction = one_line(element), one_line(value)
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
        lookups = (lookup for part in self.parts.values() for lookup in part.lookups if not lookup.finished)
        return next(lookups, None)

    def _ensure_part(self, element: str) -> ElementView:
        return self.parts.setdefault(element, ElementView(one_line(element)))

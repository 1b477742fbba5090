"""How a command was understood, as data: what each part of it stands for, and the looks into apps."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant import events
from assistant.tui.words import action_words, one_line


@dataclass(slots=True, eq=False)
class Look:
    """A look into an app; `doing` is its latest step.

    Once it is `over`, `value` is empty where it found nothing, and `place` says where it was read.
    """

    app: str
    steps: int = 0
    doing: str = ""
    over: bool = False
    value: str = ""
    place: str = ""


@dataclass(slots=True, eq=False)
class Part:
    """A part of the command whose meaning depends on the user. Texts are safe to show.

    `value` is empty while nobody knows it; `unknown` once the memory does not, `on_phone` where the phone may
    have it under these words. `evidence` are record ids.
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
    looks: list[Look] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Offered:
    """The suggestion that the command came from. Texts are safe to show; `evidence` are record ids."""

    id: str
    instruction: str
    score: float
    why: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(slots=True)
class Understood:
    """One command. `instruction` is what it means so far, `changed` when the user wrote it anew.

    `taught` is then what an element means from now on, two empty texts where the change holds for this time;
    None where that is not said. `offered` is set where it was suggested. It is `open` from the first that was
    understood until it is settled what to do.
    """

    parts: dict[str, Part] = field(default_factory=dict)
    instruction: str = ""
    changed: bool = False
    open: bool = False
    offered: Offered | None = None
    taught: tuple[str, str] | None = None
    _proposed: str = ""

    @property
    def known(self) -> bool:
        """Whether there is anything to explain."""
        return bool(self.parts) or self.offered is not None

    def struck(self, part: Part) -> bool:
        """Whether the user has taken what a part stands for out of the instruction."""
        value = part.value.casefold()
        return (
            self.changed and value in self._proposed.casefold() and value not in self.instruction.casefold()
        )

    def unlearnt(self, part: Part) -> bool:
        """Whether the part means something else from now on."""
        return self.taught is not None and self.taught[0] == part.element

    def heed(self, event: events.Event) -> bool:
        """Take an event in; returns whether it changed something."""
        match event:
            case events.ElementsPerceived(elements=elements):
                self.parts = {element: Part(one_line(element)) for element in elements}
                self.open = True
            case events.SuggestionTaken():
                why = tuple(map(one_line, event.why))
                instruction = self._proposed = one_line(event.instruction)
                self.offered = Offered(event.id, instruction, event.score, why, event.evidence)
            case events.ElementRecalled(element=element):
                part = self._part(element)
                part.value, part.source = one_line(event.value), one_line(event.source)
                part.why, part.confidence = one_line(event.why), event.confidence
                part.evidence = event.evidence
            case events.ElementUnknown(element=element, candidates=candidates, on_phone=on_phone):
                part = self._part(element)
                part.unknown, part.on_phone = True, on_phone
                part.candidates = tuple(one_line(one) for one in candidates)
            case events.ErrandStarted(element=element, app=app):
                self._part(element).looks.append(Look(one_line(app)))
                self.open = True
            case events.ErrandStepped(action=action):
                look = self._looking
                if look is None:
                    return False
                look.steps, look.doing = look.steps + 1, action_words(action)
            case events.ElementExplored(value=value, place=place):
                look = self._looking
                if look is None:
                    return False
                look.over, look.value, look.place = True, one_line(value), one_line(place)
            case _:
                return self._heed_instruction(event)
        return True

    def _heed_instruction(self, event: events.Event) -> bool:
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
    def _looking(self) -> Look | None:
        """The look under way."""
        looks = (look for part in self.parts.values() for look in part.looks if not look.over)
        return next(looks, None)

    def _part(self, element: str) -> Part:
        return self.parts.setdefault(element, Part(one_line(element)))

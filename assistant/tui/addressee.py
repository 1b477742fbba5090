"""Who gets the words in the field: a new command, the turn that runs, or what asks for a decision."""

from __future__ import annotations

from assistant.tui.prompts import MeaningPrompt, Prompt
from assistant.tui.situation import Asking, Field
from assistant.tui.widgets.command_input import CommandInput
from assistant.tui.widgets.decision_bar import DecisionBar


class Addressee:
    """Remembers whether the words answer what is asked.

    Args:
        field: is typed in.
        decision: asks.
    """

    def __init__(self, field: CommandInput, decision: DecisionBar) -> None:
        self._field = field
        self._decision = decision
        self._answers = False

    def now(self, active: bool, paused: bool = False) -> Field:
        """Who gets the words now; a meaning that stands in the field says so.

        Args:
            active: a turn is under way.
            paused: it stands still.
        """
        prompt = self._decision.prompt
        match prompt.asking if prompt is not None else None:
            case Asking.QUESTION if self._answers:
                field = Field.ANSWER
            case Asking.MEANING if self._answers:
                field = Field.MEANING
            case Asking.APPROVAL:
                field = Field.INSTEAD
            case _ if active:
                field = Field.SAY_LATER if paused else Field.SAY
            case _:
                field = Field.COMMAND
        if isinstance(prompt, MeaningPrompt):
            self._tell(prompt, field is Field.MEANING)
        return field

    def _tell(self, prompt: MeaningPrompt, in_field: bool) -> None:
        if in_field is not prompt.in_field:
            prompt.in_field = in_field
            prompt.typed(self._field.text)
            self._decision.tell_matter()
        self._decision.tell_choices()

    def opened(self, prompt: Prompt) -> None:
        """Something is asked. A field that is being typed in is not taken over."""
        if isinstance(prompt, MeaningPrompt):
            self._answers = self._field.propose(prompt.instruction)
            if not self._answers:
                self._decision.hold()
        else:
            self._answers = prompt.asking is Asking.QUESTION and not self._field.text

    def settled(self, prompt: Prompt) -> None:
        """It is asked no more."""
        if isinstance(prompt, MeaningPrompt):
            self._field.withdraw()
        if self._decision.prompt is None:
            self._answers = False

    def changed(self) -> bool:
        """The field's words have changed; returns whether, emptied, it answers a question from now on."""
        prompt = self._decision.prompt
        if isinstance(prompt, MeaningPrompt) and prompt.typed(self._field.text):
            self._decision.tell_matter()
        if self._answers or self._field.text or prompt is None or prompt.asking is not Asking.QUESTION:
            return False
        self._answers = True
        self._decision.gate.shown()
        return True

    def turn(self) -> None:
        """Let the words answer what is asked, or no more."""
        self._answers = not self._answers
        if isinstance(self._decision.prompt, MeaningPrompt):
            self._decision.hold()
            self._field.propose(self._decision.prompt.instruction)

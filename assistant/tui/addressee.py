"""Routes the text of the input field: new command, message to the running turn, or answer to a prompt."""

from __future__ import annotations

from assistant.presentation.prompts import MeaningPrompt, Prompt
from assistant.presentation.ui_state import Asking, Field
from assistant.tui.widgets.command_input import CommandInput
from assistant.tui.widgets.decision_bar import DecisionBar


class Addressee:
    """Decides what the input field's text is for, and whether it answers the open prompt.

    Args:
        field: the command input.
        decision: shows the open prompt.
    """

    def __init__(self, field: CommandInput, decision: DecisionBar) -> None:
        self._field = field
        self._decision = decision
        self._answers = False

    def route(self, active: bool, paused: bool = False) -> Field:
        """What the field's text is for; also tells a meaning prompt whether the field edits it.

        Args:
            active: a turn is running.
            paused: the turn is paused.
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
            self._update_meaning(prompt, field is Field.MEANING)
        return field

    def _update_meaning(self, prompt: MeaningPrompt, in_field: bool) -> None:
        if in_field is not prompt.in_field:
            prompt.in_field = in_field
            prompt.typed(self._field.text)
            self._decision.show_body()
        self._decision.show_choices()

    def prompt_opened(self, prompt: Prompt) -> None:
        """A prompt has opened. If the user is already typing, the field keeps its purpose."""
        if isinstance(prompt, MeaningPrompt):
            self._answers = self._field.propose(prompt.instruction)
            if not self._answers:
                self._decision.hold()
        else:
            self._answers = prompt.asking is Asking.QUESTION and not self._field.text

    def prompt_closed(self, prompt: Prompt) -> None:
        """The prompt is closed."""
        if isinstance(prompt, MeaningPrompt):
            self._field.withdraw()
        if self._decision.prompt is None:
            self._answers = False

    def text_changed(self) -> bool:
        """The field's text changed; returns whether clearing it turned it into the answer to a question."""
        prompt = self._decision.prompt
        if isinstance(prompt, MeaningPrompt) and prompt.typed(self._field.text):
            self._decision.show_body()
        if self._answers or self._field.text or prompt is None or prompt.asking is not Asking.QUESTION:
            return False
        self._answers = True
        self._decision.gate.shown()
        return True

    def toggle_answer(self) -> None:
        """Toggle whether the field's text answers the open prompt."""
        self._answers = not self._answers
        if isinstance(self._decision.prompt, MeaningPrompt):
            self._decision.hold()
            self._field.propose(self._decision.prompt.instruction)

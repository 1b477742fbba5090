"""Shows the open prompt above the input field: its text, and its answers as a numbered list.

The list has the focus unless the field holds words. `HangingText` wraps the labelled rows of the text;
`CropPicture` shows the part of the screenshot that the decision is about, beside the text. `InputRouter` says
what the field's text is for while a prompt is open.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events as textual_events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from assistant import events
from assistant.conversation.line_words import is_bare_answer
from assistant.i18n import _
from assistant.presentation.prompts import (
    ApprovalPrompt,
    ContinuePrompt,
    MeaningPrompt,
    Prompt,
    PromptChoice,
    QuestionPrompt,
)
from assistant.presentation.text import LabelValueRow, safe
from assistant.presentation.turn_log import TurnsByPhone
from assistant.presentation.ui_state import TYPING_PAUSE, InputTarget, KeyGate, UserRequest
from assistant.records import Observation
from assistant.tui.keys import with_user_keys
from assistant.tui.terminal_images import fit_image, open_image
from assistant.tui.terminal_probe import ImageSize
from assistant.tui.turn_lines import WrappedLines, wrap_rows
from assistant.tui.widgets.command_input import CommandInput
from assistant.tui.widgets.input_lists import AnswerList
from assistant.tui.widgets.phone_screen import DrawnPicture
from assistant.understand.explore import NO_DEED
from assistant.understand.types import Category


class HangingText(WrappedLines):
    """Rows of a label and a text, wrapped with a hanging indent."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self._rows: Sequence[LabelValueRow] = ()

    def show(self, rows: Sequence[LabelValueRow]) -> None:
        """Show these rows."""
        self._rows = rows
        self.refresh(layout=True)

    def lines_at(self, width: int) -> list[Content]:
        """The wrapped rows."""
        return wrap_rows(self._rows, width)


MOST_ROWS = 6
LEAST_ROWS = 4
"""With fewer rows nothing can be recognised."""

TEXT_COLUMNS = 48
"""Columns reserved for the text."""

_GAP = 1


@dataclass(frozen=True, slots=True)
class CropPlacement:
    """An image and its size in cells; both empty without room or without an image."""

    picture: bytes = b""
    cells: ImageSize | None = None


def place_crop(picture: bytes, text: Sequence[LabelValueRow], columns: int, rows: int) -> CropPlacement:
    """The image with the size that it may have beside a text.

    Args:
        picture: an image file; empty for none.
        text: the text beside it, which must not need scrolling because of the image.
        columns: for text and image together.
        rows: for the text.
    """
    room = ImageSize(columns - TEXT_COLUMNS - _GAP, min(rows, MOST_ROWS))
    image = open_image(picture) if picture and room.width > 1 and room.height >= LEAST_ROWS else None
    if image is None:
        return CropPlacement()
    cells = fit_image(image.size, room)
    fits = cells.height >= LEAST_ROWS and len(wrap_rows(text, columns - cells.width - _GAP)) <= rows
    return CropPlacement(picture, cells) if fits else CropPlacement()


class CropPicture(DrawnPicture):
    """Shown at the right of a prompt; takes no room without an image."""

    SMALL = True

    def __init__(self) -> None:
        super().__init__("decision-crop")
        self.styles.padding = (0, 0, 0, _GAP)

    def show(self, placement: CropPlacement) -> None:
        """Draw this image; without one, take no room."""
        self.styles.width = placement.cells.width + _GAP if placement.cells else 0
        self.styles.height = placement.cells.height if placement.cells else 0
        self.set_class(placement.cells is not None, "-drawn")
        self.draw_picture(placement.picture)


_TICK = 0.25
_AGREEING = (PromptChoice.YES, PromptChoice.TURN, PromptChoice.ALWAYS)
_MOST_FITTED, _LEAST_ABOVE = 4, 3
"""Lines that the body may have more, and that must stay above: the command and its latest step."""
_ROWS_AROUND = 7
"""Rows that status, command, input field and the border of the box take of a small window."""
_CORNERS = 6
"""Cells of the border's lower line that its words cannot have."""
_ROOMY = 10
"""Rows from which body and answers have room side by side, as the style sheet says."""


class DecisionBar(Vertical):
    """Shows one prompt at a time. The body scrolls, the row of choices stays visible.

    An approval shows the part of the screen that it is about, if that leaves enough room for the text.

    Args:
        clock: in seconds.
        blocks: whether the user wants pictures in half blocks too.
    """

    @dataclass
    class Opened(Message):
        """A prompt is shown."""

        prompt: Prompt

    @dataclass
    class Settled(Message):
        """A prompt needs no decision any more; `focused` when its answers had the focus until then."""

        prompt: Prompt
        focused: bool = False

    def __init__(self, clock: Callable[[], float], blocks: bool = False) -> None:
        super().__init__(id="decision")
        self._blocks = blocks
        self._clock = clock
        self._ticking: Timer | None = None
        self.gate = KeyGate(clock)
        self._prompts: deque[Prompt] = deque()
        self._screens: dict[str, Observation] = {}
        self.phones = TurnsByPhone()
        self._waits = False
        self._seen = 0
        self._read = set[str]()
        self._not_read = False
        self._room = 0
        self._text = HangingText("decision-text")
        self._body = VerticalScroll(self._text, id="decision-body", can_focus=False)
        self._crop = CropPicture()
        self.answers = AnswerList()
        self._choices = Static(id="decision-choices", markup=False)
        self._box = Vertical(id="decision-box")

    def on_mount(self) -> None:
        """Keep the note about what lies outside the body up to date."""
        for attribute in ("scroll_y", "virtual_size"):
            self.watch(self._body, attribute, self._show_note_later, init=False)

    def compose(self) -> ComposeResult:
        """Body and image above, choices pinned below."""
        with self._box:
            with Horizontal(id="decision-matter"):
                yield self._body
                yield self._crop
            yield self.answers
            yield self._choices

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that is shown: the first one of the phone in front, or of no phone."""
        shown = ("", self.phones.shown)
        asking = (p for p in self._prompts if isinstance(p, ContinuePrompt) or p.event.turn_phone in shown)
        return next(asking, None)

    def handle_event(self, event: events.Event) -> None:
        """Open prompts for events; a turn's end closes its prompts, a new turn the offer to continue."""
        match event:
            case events.ScreenObserved(observation=observation):
                self._screens[event.turn_phone] = observation
            case events.ApprovalRequested():
                self.ask(ApprovalPrompt(event, self._screens.get(event.turn_phone)))
            case events.QuestionAsked():
                self.ask(QuestionPrompt(event))
            case events.MeaningProposed():
                self.ask(MeaningPrompt(event))
            case events.TurnStarted(continued=False):
                for prompt in self._prompts:
                    if isinstance(prompt, ContinuePrompt):
                        prompt.withdraw()
            case events.TurnFinished():
                for prompt in self._prompts:
                    if not isinstance(prompt, ContinuePrompt) and _phone_of(prompt) == event.turn_phone:
                        self.post_message(self.Settled(prompt))

    def ask(self, prompt: Prompt) -> None:
        """Queue a prompt; shown when the ones before it are answered."""
        if prompt.settled.done():
            return
        self._prompts.append(prompt)
        prompt.settled.add_done_callback(lambda _: self.post_message(self.Settled(prompt)))
        if self.prompt is prompt:
            self._show(prompt)

    @property
    def hides_terms(self) -> bool:
        """Whether a part of what an approval agrees to was not in view yet, also before its card grew."""
        prompt = self.prompt
        if not isinstance(prompt, ApprovalPrompt):
            return False
        return any(end > self._seen and text not in self._read for text, end in self._terms(prompt))

    def _terms(self, prompt: ApprovalPrompt) -> Iterator[tuple[str, int]]:
        """What an approval agrees to, by rows: the words of each, and how many lines end with it."""
        end, width = 0, self._text.content_size.width
        for row in (row for row in prompt.body if not row.is_beside):
            end += len(wrap_rows((row,), width))
            yield " ".join(row.unstyled.split()), end

    @property
    def not_taken(self) -> str:
        """Why `decide` did not take an answer, and what to do."""
        if self.hides_terms:
            return _("Not taken: press page down first, and read the rest.")
        return _("Not taken: wait a moment, then press the key again.")

    def refuse_text(self, text: str) -> str:
        """Why a typed answer is not taken yet; empty if it is."""
        if not self.gate.settled:
            return _("Not sent: the question has just appeared. Press enter again.")
        if not isinstance(self.prompt, ApprovalPrompt) or not self.hides_terms:
            return ""
        place = self.answers.place_of(text)
        choice = self.prompt.parse(text) if place is None else self.prompt.answers[place].choice
        if choice not in _AGREEING:
            return ""
        self._mark_unread()
        return self.not_taken

    def _mark_unread(self) -> None:
        """Say in the box, until the rest was read, that the yes that was given does not count yet."""
        self._not_read = True
        self._show_note()
        self.show_choices()

    def decide(self, choice: str) -> bool:
        """Answer the prompt unless it is too new or someone is typing; returns whether the key counted.

        Nobody agrees to what was out of view: in a small window the rest is scrolled to first.
        """
        prompt = self.prompt
        if prompt is None or prompt.settled.done():
            return False
        if choice in _AGREEING and self.hides_terms:
            self._mark_unread()
            return False
        if not self.gate.open:
            if not self.gate.settled:
                self.gate.mark_shown()
            return False
        prompt.choose(choice)
        self.show_choices()
        return True

    def answer_offer(self, text: str) -> bool:
        """Answer the offer of an unfinished turn by a number; returns whether the text is one."""
        prompt, place = self.prompt, self.answers.place_of(text)
        if not isinstance(prompt, ContinuePrompt) or place is None or not self.gate.settled:
            return False
        prompt.choose(prompt.answers[place].choice)
        return True

    def leave_remark(self) -> bool:
        """Answer a question whether anything is to be done with no; returns whether that is what is asked."""
        prompt = self.prompt
        if not isinstance(prompt, QuestionPrompt) or prompt.event.about != Category.REMARK:
            return False
        choices = prompt.event.choices
        prompt.choose(next((choice for choice in choices if choice in NO_DEED), choices[0]))
        return True

    def wait(self, waits: bool) -> None:
        """Show the prompt without its answers while another list asks; it is next."""
        self._waits = waits
        if waits and isinstance(self.prompt, ApprovalPrompt):
            self.prompt.was_spoken_beside = True
            if self.prompt.first_marked is None:
                self.answers.highlighted = None
        self.answers.wait(waits)
        self.set_class(waits, "-in-line")
        self.show_choices()

    def delay_decisions(self) -> None:
        """Someone types: delay decision keys, and stop countdowns."""
        self.gate.mark_typed()
        self.stop_countdown()

    def stop_countdown(self) -> None:
        """Stop the countdown and wait for the user."""
        if isinstance(self.prompt, MeaningPrompt):
            self.prompt.stop_countdown()
            # Nothing counts down any more: each tick would paint the whole screen for nothing.
            self._tick_while(False)
            self.show_choices()

    @property
    def is_ticking(self) -> bool:
        """Whether a countdown is shown, which is painted again at each tick."""
        return self._ticking is not None

    def tick(self) -> None:
        """Update the countdown; stop it behind another screen, where nobody sees it."""
        if not isinstance(self.prompt, MeaningPrompt) or self.prompt.deadline is None:
            self._tick_while(False)
        elif not self.screen.is_active:
            self.stop_countdown()
        else:
            self.prompt.tick(self._clock())
            self.show_choices()

    def show_choices(self) -> None:
        """Update the answers, and the row that says how to choose."""
        prompt = self.prompt
        if prompt is None or prompt.settled.done():
            return
        if isinstance(prompt, ApprovalPrompt):
            self.answers.show(prompt.answers, letters=True, first=prompt.first_marked)
        else:
            self.answers.show(prompt.answers)
        choices = _("Answer the list below first; then this one.") if self._waits else prompt.choices
        choices = self.not_taken if self._not_read and self.hides_terms and not self._waits else choices
        self._choices.update(with_user_keys(choices))

    def show_body(self) -> None:
        """Update the body."""
        if self.prompt is not None:
            self._text.show(self.prompt.body)
            self._fit_crop()

    def note_said(self, text: str) -> None:
        """Show an approval from its top again, with what was said since: no yes is marked any more."""
        if isinstance(self.prompt, ApprovalPrompt):
            self.prompt.note_said(text)
            self.gate.mark_shown()
            self._body.scroll_home(animate=False, immediate=True)
            self._seen = 0
            self._show_note_later()
            self.show_body()
            self.show_choices()
            self.answers.highlighted = self.prompt.first_marked

    def toggle_details(self) -> None:
        """Show or hide the names that programs give, in an approval."""
        if isinstance(self.prompt, ApprovalPrompt):
            self.prompt.details = not self.prompt.details
            self.show_body()

    def scroll_page(self, direction: int) -> None:
        """Scroll the body by a page."""
        if direction > 0:
            self._body.scroll_page_down(animate=False)
        else:
            self._body.scroll_page_up(animate=False)

    def on_resize(self, event: textual_events.Resize) -> None:
        """Share a small window between body and answers, and show or hide the image for the new size."""
        room = self.screen.size.height - _ROWS_AROUND
        for part, rows in ((self._body, room // 2), (self.answers, room - room // 2)):
            if room < _ROOMY:
                part.styles.max_height = max(1, rows)
            elif room != self._room:
                part.styles.clear_rule("max_height")
        self._room, self._seen = room, 0
        self._read.clear()
        self._fit_crop()
        self._show_note_later()

    def on_decision_bar_settled(self, message: Settled) -> None:
        """Show the next prompt, if any."""
        if message.prompt not in self._prompts:
            return
        was_shown = message.prompt is self.prompt
        self._prompts.remove(message.prompt)
        # Hidden answers lose the focus to whatever is nearest, which would swallow what is typed next.
        message.focused = was_shown and self.answers.has_focus
        if was_shown:
            self.show_first()

    def show_first(self) -> None:
        """Show the prompt that is next, if any; the phone in front may have changed."""
        self.answers.show(())
        if self.prompt is None:
            self.remove_class("-open")
        else:
            self._show(self.prompt)

    def _show(self, prompt: Prompt) -> None:
        self.gate.mark_shown()
        self._not_read = False
        self.show_title()
        self._body.scroll_home(animate=False, immediate=True)
        if self.screen.size.height - _ROWS_AROUND >= _ROOMY:
            self._body.styles.clear_rule("max_height")
        self._seen = 0
        self._read.clear()
        self._show_note_later()
        self._text.show(prompt.body)
        if isinstance(prompt, MeaningPrompt):
            prompt.begin(self._clock())
            self._tick_while(True)
        self.set_class(isinstance(prompt, ApprovalPrompt), "-approval")
        self.show_choices()
        self.add_class("-open")
        self._fit_crop()
        self.post_message(self.Opened(prompt))

    def _show_note_later(self) -> None:
        """Until the layout is done, the body's height is still that of what was shown before."""
        self.call_after_refresh(self._fit_body)
        self.call_after_refresh(self._show_note)

    def _fit_body(self) -> None:
        """Show the last lines of an approval as well, where what is above can spare them: a yes counts."""
        hidden = self._body.max_scroll_y
        spare = self.screen.query_one("#turn").size.height - _LEAST_ABOVE
        is_roomy = self.screen.size.height - _ROWS_AROUND >= _ROOMY
        if isinstance(self.prompt, ApprovalPrompt) and is_roomy and 0 < hidden <= min(_MOST_FITTED, spare):
            self._body.styles.max_height = self._body.size.height + hidden

    def _show_note(self) -> None:
        """Say on the border how many lines of the body lie below or above what is shown, else the note."""
        prompt, offset, last = self.prompt, round(self._body.scroll_y), self._body.max_scroll_y
        self._seen = max(self._seen, offset + self._body.size.height)
        if isinstance(prompt, ApprovalPrompt):
            self._read.update(text for text, end in self._terms(prompt) if end <= self._seen)
        note = prompt.note if isinstance(prompt, MeaningPrompt) else ""
        if isinstance(prompt, ApprovalPrompt) and self.answers.can_focus:
            note = prompt.tell_mark(self.answers.highlighted)
        unseen = ""
        if self._not_read and not self.hides_terms:
            self._not_read = False
            self.show_choices()
        if self._not_read:
            # Where the user looks: the yes that was just given counts for nothing yet.
            unseen = _("not yet: page down ▾")
        elif below := max(0, last - offset):
            unseen = _("page down: {count} more ▾").format(count=below)
        elif last > 0:
            unseen = _("page up: {count} more ▴").format(count=last)
        both = f"{unseen} · {note}" if isinstance(prompt, ApprovalPrompt) and note and unseen else ""
        has_room = both and cell_len(both) <= self._box.size.width - _CORNERS
        # Content, for a text would be read as markup.
        self._box.border_subtitle = Content(both if has_room else unseen or note)
        # In a small window the lower border is out of sight.
        is_small = self.screen.size.height - _ROWS_AROUND < _ROOMY
        self.show_title(unseen if is_small else "")

    def on_option_list_option_highlighted(self) -> None:
        """Another answer is marked: say why."""
        self._show_note()

    def on_descendant_focus(self) -> None:
        """The keys go to the answers."""
        self._set_in_list(True)

    def on_descendant_blur(self) -> None:
        """The keys go to the field again."""
        self._set_in_list(False)

    def _set_in_list(self, in_list: bool) -> None:
        if isinstance(self.prompt, QuestionPrompt):
            self.prompt.in_list = in_list
            self.show_choices()

    def show_title(self, unseen: str = "") -> None:
        """Update the title: what is asked, by which phone's turn if there are several, what is unseen."""
        if self.prompt is not None:
            parts = (self.prompt.title, self.phones.label(_phone_of(self.prompt)), unseen)
            # Content, for a text would be read as markup.
            self._box.border_title = Content(" · ".join(part for part in parts if part))

    def _tick_while(self, needed: bool) -> None:
        if needed and self._ticking is None:
            self._ticking = self.set_interval(_TICK, self.tick)
        elif not needed and self._ticking is not None:
            self._ticking.stop()
            self._ticking = None

    def _fit_crop(self) -> None:
        prompt, most = self.prompt, self._body.styles.max_height
        if prompt is None or most is None:
            return
        # In half blocks so small a picture cannot be read; the phone's panel marks the touch.
        is_legible = self._blocks or self._crop.has_pixels
        picture = prompt.event.crop if isinstance(prompt, ApprovalPrompt) and is_legible else b""
        self._crop.show(place_crop(picture, prompt.body, self._box.content_size.width, int(most.value)))


def _phone_of(prompt: Prompt) -> str:
    """The serial of the phone whose turn asks."""
    return prompt.turn.phone if isinstance(prompt, ContinuePrompt) else prompt.event.turn_phone


_LATE = 2.0
"""Seconds after a prompt has closed in which a yes, no or number is still meant for it."""


class InputRouter:
    """Decides what the input field's text is for, and whether it answers the open prompt.

    Args:
        field: the command input.
        decision: shows the open prompt.
        clock: monotonic seconds.
    """

    def __init__(self, field: CommandInput, decision: DecisionBar, clock: Callable[[], float]) -> None:
        self._field = field
        self._decision = decision
        self._clock = clock
        self._answers = False
        self._closed_at = self._late_at = float("-inf")
        self._late_answer = ""

    @property
    def answers(self) -> bool:
        """Whether the field's text was begun after the open prompt had appeared."""
        return self._answers

    def route(self, active: bool, paused: bool = False) -> InputTarget:
        """What the field's text is for; also tells a meaning prompt whether the field edits it.

        Args:
            active: a turn is running.
            paused: the turn is paused.
        """
        prompt = self._decision.prompt
        match prompt.asking if prompt is not None else None:
            case UserRequest.QUESTION if self._answers:
                field = InputTarget.ANSWER
            case UserRequest.MEANING if self._answers:
                field = InputTarget.MEANING
            case UserRequest.APPROVAL if self._answers:
                field = InputTarget.INSTEAD
            case _ if active:
                field = InputTarget.SAY_LATER if paused else InputTarget.SAY
            case _:
                field = InputTarget.COMMAND
        if isinstance(prompt, MeaningPrompt):
            self._update_meaning(prompt, field is InputTarget.MEANING)
        return field

    def _update_meaning(self, prompt: MeaningPrompt, in_field: bool) -> None:
        if in_field is not prompt.in_field:
            prompt.in_field = in_field
        self._decision.show_choices()

    def edit_meaning(self) -> None:
        """Put the instruction that is about to be carried out into the empty field, to be edited."""
        prompt = self._decision.prompt
        if isinstance(prompt, MeaningPrompt) and self._answers and self._field.propose(prompt.instruction):
            prompt.edits = True
            self._decision.stop_countdown()

    def prompt_opened(self, prompt: Prompt, *, waits: bool = False) -> None:
        """A prompt has opened. If the user is already typing, the field keeps its purpose.

        Also while the prompt waits behind another list.
        """
        # Text begun before a question appeared is no answer to it.
        self._answers = not waits and not self._field.text
        if isinstance(prompt, MeaningPrompt) and not self._answers:
            self._decision.stop_countdown()

    def prompt_closed(self, prompt: Prompt) -> None:
        """The prompt is closed. A yes, no or number that was begun for it must not begin the next command."""
        self._closed_at = self._clock()
        self._field.withdraw()
        if self._answers and is_bare_answer(self._field.text):
            self._field.fill("")
        if self._decision.prompt is None:
            self._answers = False

    def prompt_left(self, prompt: Prompt | None) -> None:
        """Another phone is shown: the field's text answers nothing of the one before.

        A yes, no or number that was begun for it must neither answer there nor begin a command.
        """
        if prompt is not None:
            self._closed_at = self._clock()
        if isinstance(prompt, MeaningPrompt):
            prompt.stop_countdown()
            self._field.withdraw()
        if (self._answers or self._late_answer) and is_bare_answer(self._field.text):
            self._field.fill("")
        self._answers = False
        self._late_answer = ""

    def text_changed(self) -> bool:
        """The field's text changed; returns whether clearing it turned it into the answer to a prompt."""
        prompt = self._decision.prompt
        if prompt is None:
            self._drop_late_answer()
        if isinstance(prompt, MeaningPrompt) and prompt.edits and not self._field.text:
            prompt.edits = False
            self._decision.show_choices()
        if self._answers or self._field.text or prompt is None:
            return False
        self._answers = True
        self._decision.gate.mark_shown()
        if isinstance(prompt, MeaningPrompt):
            # What was typed has delayed it: it waits until enter, or words about it, let it begin.
            self._decision.stop_countdown()
        return True

    def _drop_late_answer(self) -> None:
        """Drop a yes, no or number that came right after its prompt had closed, once a command is begun.

        A command that begins with such letters is typed without a pause behind them.
        """
        text, now = self._field.text, self._clock()
        late, self._late_answer = self._late_answer, ""
        if late and text.startswith(late) and len(text) > len(late) and now - self._late_at >= TYPING_PAUSE:
            self._field.fill(text[len(late) :].lstrip())
        elif is_bare_answer(text) and (late or now - self._closed_at < _LATE):
            self._late_answer, self._late_at = text, now

    def take_typing(
        self, event: textual_events.Key | textual_events.Paste, answers: AnswerList | None
    ) -> bool:
        """Put what was typed or pasted beside the field into it; a list takes what answers it.

        Args:
            event: a key, or a paste.
            answers: the list that has the focus; None for none.

        Returns:
            Whether it was text.
        """
        if isinstance(event, textual_events.Paste):
            self._field.screen.set_focus(self._field)
            self._field.insert(safe(event.text))
            return True
        if event.character is None or not event.is_printable or "+" in event.key:
            return False
        text = answers.take(event.character) if answers is not None else event.character
        if text:
            self._field.screen.set_focus(self._field)
            for character in text[:-1]:
                self._field._forward_event(textual_events.Key(character, character))
            self._field._forward_event(event)
        return True

    def enter_list(self, asking: AnswerList | None, tell: Callable[[str], None]) -> bool:
        """Whether Enter in the empty field goes to the list that asks, with a word on what it does.

        Enter alone answers nothing at once: the mark was hollow, and one Enter too many is no choice. Below
        an approval it does not even go to the list.
        """
        if asking is self._decision.answers:
            if isinstance(self._decision.prompt, ApprovalPrompt):
                tell(_("Enter alone answers nothing: y, n or a number marks an answer, then enter."))
                return False
            self._decision.gate.mark_shown()
            tell(_("The keys go to the list: ↑ ↓ or a number marks, enter takes what is marked."))
        return True

    def begin_instead(self) -> None:
        """What the field says, or will say, is to be done instead of what the open prompt asks about."""
        self._answers = True
        self._decision.stop_countdown()

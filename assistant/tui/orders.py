"""What starts turns: a command at once, one that waits for the phone, and the line of commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from assistant import events
from assistant.engine import EngineBusy, NotReady
from assistant.language import _
from assistant.records import Outcome
from assistant.tui.door import EngineDoor
from assistant.tui.widgets.command_input import CommandInput
from assistant.tui.widgets.queue_list import QueueList
from assistant.tui.widgets.turn_panel import TurnPanel


class Orders:
    """Gives commands to the engine, one after the other.

    Args:
        engine: runs them.
        turn: says why one cannot be run.
        field: takes back what cannot be run.
        line: shows those that wait.
        hint: says something for a few seconds.
        after: is called when something was said in the turn's panel.
    """

    def __init__(
        self,
        engine: EngineDoor,
        turn: TurnPanel,
        field: CommandInput,
        line: QueueList,
        hint: Callable[[str], None],
        after: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._turn = turn
        self._field = field
        self._line = line
        self._hint = hint
        self._after = after
        self._early: tuple[str, Callable[[], None]] | None = None
        self._place: int | None = None
        self._why = _("held since the last start")

    @property
    def busy(self) -> bool:
        """Whether a turn is under way."""
        state = self._engine.state
        return state is not None and not state.final

    def begin(self, start: Callable[[], None]) -> bool:
        """Start a turn, or say why not; returns whether it was started."""
        try:
            start()
        except (EngineBusy, NotReady) as refusal:
            self._turn.say(str(refusal))
            self._after()
            self._hint(_("Not started."))
            return False
        return True

    def give(self, said: str, start: Callable[[], None]) -> bool:
        """Start a command now, or as soon as the phone is found; returns whether it was taken."""
        if self._early is not None:
            return self.queue(said)
        if self._engine.looking:
            self._early = said, start
            self._turn.welcome.show_looking(waiting=said)
            return True
        return self.begin(start)

    def order(self, said: str) -> None:
        """Start a command, or put it in the line while a turn runs."""
        if self.busy:
            self.queue(said)
        elif not self.give(said, partial(self._engine.run, said)) and not self._field.text:
            self._field.fill(said)

    def queue(self, said: str) -> bool:
        """Put a command in the line; returns whether there was room."""
        waiting = self._engine.waiting
        place, self._place = self._place, None
        if not waiting.add(said, place):
            self._hint(_("Not queued: the line is full."))
            return False
        if waiting.held:
            self._hint(_("Queued. The line is held; ctrl+g with an empty field goes to it."))
        else:
            self._hint(_("Queued: it starts when the turn has ended well."))
        self.show()
        return True

    def queue_key(self) -> None:
        """The key of the line: queue what stands in the field; with an empty field go to the line."""
        text = self._field.text.strip()
        if self._line.has_focus:
            self._field.focus()
        elif text and not self.busy and not self._engine.waiting.commands:
            self._field.clear()
            self.order(text)
        elif text:
            if self.queue(text):
                self._field.clear()
        elif self._engine.waiting.commands:
            self._line.focus()
        else:
            self._hint(_("Nothing waits. Type a command, then ctrl+g, while a turn runs."))

    def heed(self, event: events.Event) -> None:
        """Start what waited for the phone; after a turn start the next, or hold the line."""
        match event:
            case events.TurnFinished(outcome=outcome):
                self._turn_over(outcome)
        self._start_early()

    def wish(self, wish: str, place: int) -> None:
        """Do what the user wants with a command of the line."""
        waiting = self._engine.waiting
        match wish:
            case "go":
                self._go()
            case "drop":
                waiting.take(place)
            case "up" | "down":
                self._line.highlighted = waiting.move(place, -1 if wish == "up" else 1)
            case "edit" if self._field.text:
                self._hint(_("Send or empty the field first."))
                return
            case "edit":
                self._field.fill(waiting.take(place) or "")
                self._place = place
        self.show()
        if wish in ("go", "edit", "leave") or not waiting.commands:
            self._field.focus()

    def show(self) -> None:
        """Show the line."""
        waiting = self._engine.waiting
        self._line.show(waiting.commands, self._why if waiting.held else "")

    def _turn_over(self, outcome: Outcome) -> None:
        waiting = self._engine.waiting
        if not waiting.commands:
            return
        if outcome is not Outcome.SUCCESS:
            waiting.held = True
            self._why = {
                Outcome.FAILED: _("held: the turn failed"),
                Outcome.CANCELLED: _("held: the turn was cancelled"),
            }[outcome]
            self._hint(_("The commands that wait are held. ctrl+g with an empty field goes to them."))
            self.show()
        elif not waiting.held:
            self._next()

    def _go(self) -> None:
        self._engine.waiting.held = False
        if self.busy:
            self._hint(_("The next one starts when the turn has ended well."))
        else:
            self._next()

    def _next(self) -> None:
        self._line.run_worker(self._start_next(), group="line", exclusive=True)

    async def _start_next(self) -> None:
        """Start the next command once the engine is done with the turn before."""
        await self._engine.idle()
        waiting = self._engine.waiting
        if waiting.held or not waiting.commands:
            return
        try:
            self._engine.run(waiting.commands[0])
        except EngineBusy as refusal:
            self._hold(_("held: another program uses the phone"), refusal)
        except NotReady as refusal:
            self._hold(_("held: the phone or the model is missing"), refusal)
        else:
            waiting.take()
            self._turn.keep_ending()
        self.show()

    def _hold(self, why: str, refusal: Exception) -> None:
        """The next command cannot be started, and waits until the user lets the line go on."""
        self._engine.waiting.held, self._why = True, why
        self._turn.say(str(refusal))
        self._after()

    def _start_early(self) -> None:
        """Start what was sent before the phone was found, as it was meant; if it cannot, it goes back."""
        if self._early is None or self._engine.looking:
            return
        (said, start), self._early = self._early, None
        if self.begin(start):
            return
        if self._engine.waiting.commands:
            self._engine.waiting.held, self._why = True, _("held: the phone or the model is missing")
            self.show()
        if not self._field.text:
            self._field.fill(said)

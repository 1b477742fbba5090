"""What a turn sees: the screen without secrets, its name, and what the model must hear about it."""

from __future__ import annotations

from assistant.execute.changes import describe_changes
from assistant.execute.control import TurnControl
from assistant.execute.hands import Hands
from assistant.execute.journal import Journal
from assistant.execute.loops import Screens, did_nothing
from assistant.execute.secrets import SecretDesk
from assistant.observations import Observation
from assistant.phone.device import Phone
from assistant.phone.screen import Glimpse
from assistant.records import Action


class Perception:
    """Looks at the phone. `seen` is the latest observation, `screen` the name of what it shows."""

    def __init__(
        self,
        phone: Phone,
        control: TurnControl,
        journal: Journal,
        hands: Hands,
        secrets: SecretDesk,
        glimpse: Glimpse,
    ) -> None:
        self.seen: Observation | None = None
        self.screen = ""
        self._phone = phone
        self._glimpse = glimpse
        self._control = control
        self._journal = journal
        self._hands = hands
        self._secrets = secrets
        self._screens = Screens()
        self._did: tuple[Action, str] | None = None
        self._before_pause: Observation | None = None

    async def look(self) -> Observation:
        """The settled screen; what changed is noted for the model.

        Raises:
            PhoneError: the phone cannot be used.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        self._phone.let_go()
        seen = await self._secrets.conceal(await self._control.droppable(self._phone.observe(self._glimpse)))
        self.screen = await self._screens.name(seen)
        if self._before_pause is not None:
            if did := self._hands.told(seen):
                self._journal.note_once(did)
            self._journal.note_once(*describe_changes(self._before_pause, seen))
        elif self._did is not None and (nothing := did_nothing(*self._did, self.screen)):
            self._journal.note_once(nothing)
        self._before_pause = self._did = None
        self.seen = seen
        return seen

    def acted(self, action: Action) -> None:
        """An action was done on the screen that was seen last."""
        self._did = (action, self.screen)

    def paused(self) -> None:
        """Nothing is known of the screen from now on: the next look tells what changed."""
        self._before_pause = self.seen
        self._did = None

"""Observes the screen: hides secrets, identifies the screen, and notes for the model what changed."""

from __future__ import annotations

from assistant.agent.checkpoint import Journal
from assistant.agent.secret_entry import SecretDesk
from assistant.agent.stop_checks import Screens, describe_no_effect
from assistant.agent.turn_control import TurnControl
from assistant.execute.changes import describe_changes
from assistant.execute.hands import Hands
from assistant.phone.device import Phone
from assistant.phone.screen import Glimpse
from assistant.records import Action, Observation


class Perception:
    """Observes the phone's screen.

    Attributes:
        observation: the latest observation.
        screen_id: the id of its screen, by `Screens.identify`.
    """

    def __init__(
        self,
        phone: Phone,
        control: TurnControl,
        checkpointer: Journal,
        takeover: Hands,
        secrets: SecretDesk,
        glimpse: Glimpse,
    ) -> None:
        self.observation: Observation | None = None
        self.screen_id = ""
        self._phone = phone
        self._glimpse = glimpse
        self._control = control
        self._checkpointer = checkpointer
        self._takeover = takeover
        self._secrets = secrets
        self._screens = Screens()
        self._last_action: tuple[Action, str] | None = None
        self._before_pause: Observation | None = None

    async def observe(self) -> Observation:
        """The screen, once it has settled. Adds a note for the model about what changed.

        Raises:
            PhoneError: the phone cannot be used.
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        self._phone.let_go()
        observation = await self._secrets.hide_secrets(
            await self._control.run_cancellable(self._phone.observe(self._glimpse))
        )
        self.screen_id = await self._screens.identify(observation)
        if self._before_pause is not None:
            if user_actions := self._takeover.describe_user_actions(observation):
                self._checkpointer.add_transient_notes(user_actions)
            self._checkpointer.add_transient_notes(*describe_changes(self._before_pause, observation))
        elif self._last_action is not None and (
            no_effect := describe_no_effect(*self._last_action, self.screen_id)
        ):
            self._checkpointer.add_transient_notes(no_effect)
        self._before_pause = self._last_action = None
        self.observation = observation
        return observation

    def set_last_action(self, action: Action) -> None:
        """Remember the action executed on the latest screen."""
        self._last_action = (action, self.screen_id)

    def start_pause(self) -> None:
        """Remember the screen before a pause; the next observation is compared with it."""
        self._before_pause = self.observation
        self._last_action = None

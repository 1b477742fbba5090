"""A profile that is opened once, by whoever needs it first, and shared from then on."""

from __future__ import annotations

import threading
from collections.abc import Callable

from assistant.embedding.embeds import Embeds
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store


class ResidentProfile:
    """Called, it gives the profile; the first time takes long for a big one, so that is done in a thread.

    Args:
        store: where it is kept.
        embeds: gives what embeds tasks and nodes.
        user_id: whose profile it is.
    """

    def __init__(self, store: Store, embeds: Callable[[], Embeds], user_id: str) -> None:
        self._store = store
        self._embeds = embeds
        self._user_id = user_id
        self._opening = threading.Lock()
        self._profile: Profile | None = None

    @property
    def there(self) -> bool:
        """Whether it is open."""
        return self._profile is not None

    def __call__(self) -> Profile:
        """The profile."""
        with self._opening:
            if self._profile is None:
                self._profile = Profile(self._store, self._embeds(), self._user_id)
            return self._profile

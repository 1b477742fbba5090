"""The model as memory and understanding use it, where the settings want it and one is set."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from assistant.memory.profile.model_update import update_with_model
from assistant.memory.profile.service import Profile
from assistant.memory.profile.split import Naming, names_from_model
from assistant.model.request import ModelError
from assistant.records import Record
from assistant.settings.schema import Settings
from assistant.understand.model_reading import PerceivesWithModel

if TYPE_CHECKING:
    from assistant.model.outgoing import Outgoing
    from assistant.model.writing import Writer

_log = logging.getLogger(__name__)


class WithModel:
    """What a model does beside the turns. All is done without one where none is wanted or it does not answer.

    Args:
        settings: whether it is wanted, and which model.
        tell: hears of each request before it leaves.
    """

    def __init__(
        self, settings: Settings, on_request: Callable[[Outgoing], None] = lambda request: None
    ) -> None:
        self._settings = settings
        self._on_request = on_request
        self._configured = bool(settings.model.base_url and settings.model.name)

    @property
    def perceiver(self) -> PerceivesWithModel | None:
        """Finds the elements of a command."""
        enabled = self._configured and self._settings.understanding.with_model
        return PerceivesWithModel(self._writer(), _log.warning) if enabled else None

    @property
    def naming(self) -> Naming | None:
        """Names the parts of a crowded concept; to be called in a thread."""
        return self._name_concepts if self._configured and self._settings.profile.with_model else None

    def learn(self, profile: Profile, record: Record) -> None:
        """Change the profile as the model reads what was typed; to be called in a thread.

        Raises:
            StoreError: the store cannot be written.
            EmbeddingError: the embedder cannot be run.
        """
        if not (self._configured and self._settings.profile.with_model):
            return
        try:
            update = asyncio.run(update_with_model(profile, record, self._writer()))
        except ModelError as error:
            _log.warning("the model does not read what the turn tells: %s", error)
            return
        if update.refused:
            _log.warning("what the model read is refused: %s", update.refused)

    def _name_concepts(self, concept: str, groups: Sequence[Sequence[str]]) -> Sequence[str]:
        try:
            return asyncio.run(names_from_model(concept, groups, self._writer()))
        except ModelError as error:
            _log.warning("the model names no concepts: %s", error)
            return ()

    def _writer(self) -> Writer:
        # The client's library takes longer to import than the interface may take to its first paint.
        from assistant.model.writing import Writer

        return Writer(self._settings.model, self._on_request)

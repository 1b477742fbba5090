"""What the engine remembers: it understands commands from the memory, and learns from turns that ended.

The memory and the sentence embedder are opened when the first command needs them, in a thread; explicit
commands never wait for them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from assistant.agent.context import AppLookup, AsksUser, CommandResolver, LooksUp, ResolvedCommand
from assistant.embedding.embedder import EmbeddingError
from assistant.embedding.models import LazyEmbedder
from assistant.events import Event, MeaningCorrected
from assistant.memory.database import StoreError
from assistant.memory.learn_from_records import hierarchical_memory
from assistant.memory.learning_switches import EXECUTED, INCOGNITO, LearningSwitches
from assistant.memory.profile.extract import mentions_secret
from assistant.memory.profile.graph import Evidence, Strength
from assistant.memory.profile.model_update import update_with_model
from assistant.memory.profile.service import LazyProfile, Profile
from assistant.memory.profile.split import Naming, propose_names
from assistant.memory.prototypes.model import Prototype
from assistant.memory.prototypes.service import HierarchicalMemory, rules_of
from assistant.memory.store import Store
from assistant.memory.vectors import StoreEmbedder
from assistant.model.types import ModelError, quoted
from assistant.records import Record, State, describe
from assistant.settings.schema import Settings
from assistant.understand.complete import Resolution
from assistant.understand.explore import LookupTask, Question, parse_lookup_answer
from assistant.understand.memory_sources import load_app_labels, open_memory
from assistant.understand.perceive import ModelPerceiver, perceive
from assistant.understand.service import LearnedAnswer, UnderstandingService, find_correction, update_lessons
from assistant.understand.types import MeaningOrigin, Sources

if TYPE_CHECKING:
    from assistant.model.endpoint import RequestLogEntry
    from assistant.model.text_requests import TextModel

_log = logging.getLogger(__name__)
_SHOWN_ACTIONS = 12


class ModelAssist:
    """What a model does beside the turns. All is done without one where none is wanted or it does not answer.

    Args:
        settings: whether it is wanted, and which model.
        tell: hears of each request before it leaves.
    """

    def __init__(
        self, settings: Settings, on_request: Callable[[RequestLogEntry], None] = lambda request: None
    ) -> None:
        self._settings = settings
        self._on_request = on_request
        self._configured = bool(settings.model.base_url and settings.model.name)

    @property
    def perceiver(self) -> ModelPerceiver | None:
        """Finds the elements of a command."""
        enabled = self._configured and self._settings.understanding.with_model
        return ModelPerceiver(self._writer(), _log.warning) if enabled else None

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
            return asyncio.run(propose_names(concept, groups, self._writer()))
        except ModelError as error:
            _log.warning("the model names no concepts: %s", error)
            return ()

    def _writer(self) -> TextModel:
        # The client's library takes longer to import than the interface may take to its first paint.
        from assistant.model.text_requests import TextModel

        return TextModel(self._settings.model, self._on_request)


class PersonalCommandResolver:
    """Understands and learns for one user; the `Understands` of a turn.

    Args:
        settings: whose memory, and how it is kept.
        store: the memory.
        state: the user's local time and scenario.
        apps: labels of the apps on the phone.
        emit: takes the events of understanding.
        tell: hears of what is sent to the model, where the settings let it understand or learn.
    """

    def __init__(
        self,
        settings: Settings,
        store: Store,
        state: Callable[[], State],
        apps: Callable[[], Sequence[str]],
        emit: Callable[[Event], None],
        tell: Callable[[RequestLogEntry], None] = lambda request: None,
    ) -> None:
        self._settings = settings
        self._user = settings.user_id
        self._store = store
        self._state = state
        self._apps = apps
        self._emit = emit
        self._switches = LearningSwitches(store, self._user)
        self._chosen = StoreEmbedder(store, settings.embedding)
        self._sources: Sources | None = None
        self.profile = LazyProfile(store, self.embeds, self._user)
        self._lessons: tuple[LearnedAnswer, ...] = ()
        self._model = ModelAssist(settings, tell)
        self._understanding = UnderstandingService(self._opened, state, emit, self._model.perceiver)
        self._used: list[str] | None = None
        self._learning: set[asyncio.Task[None]] = set()

    async def __call__(self, command: str, look_up: LooksUp, ask_user: AsksUser) -> ResolvedCommand:
        """What a command means for the user; the command itself where nothing shall be made of it."""
        return await self._meant(command, look_up, ask_user)

    def beyond(self, settled: str) -> CommandResolver:
        """Understands a command made of a complete instruction, as a suggestion is: only what is new."""
        return partial(self._meant, settled=settled)

    async def _meant(
        self, said: str, looks_up: LooksUp, asks: AsksUser, settled: str = ""
    ) -> ResolvedCommand:
        self._lessons = ()
        chosen = self._settings.understanding
        if not chosen.enabled or said.strip() == settled.strip():
            return ResolvedCommand(said)
        apps = self._known_apps()
        if perceive(said, apps).personalized:
            await asyncio.to_thread(self._opened)

        absent: set[str] = set()

        async def explore(errand: LookupTask) -> str:
            words = await looks_up(AppLookup(errand.task, errand.app, errand.max_steps, errand.max_seconds))
            if words and parse_lookup_answer(errand, words) is None:
                absent.add(errand.element.text)
            return words

        async def ask(question: Question) -> str:
            # Whom the phone has under the very words need not be asked for; a look tells that it has not.
            element = question.element
            if element.named_on_phone and not question.choices and element.text not in absent:
                return ""
            return await asks(question.text, question.choices)

        understood = await self._understanding.understand(
            said,
            apps,
            look_up=explore if chosen.looks else None,
            ask_user=ask if chosen.asks else None,
            settled=settled,
        )
        self._lessons = understood.lessons
        resolution = understood.resolution
        return ResolvedCommand(
            resolution.instruction,
            _reference(resolution.reference),
            assumed=resolution.instruction != said and _assumed(resolution),
            on_correction=partial(self._correct, resolution),
        )

    def embeds(self) -> LazyEmbedder:
        """The sentence embedder; asking for it begins to load it."""
        return self._chosen.current()

    def hierarchy(self) -> HierarchicalMemory:
        """The prototypes; opening them begins to load the sentence embedder."""
        return hierarchical_memory(self._store, self.embeds(), self._settings)

    def learn(self, record: Record | None, *, well: bool) -> None:
        """Learn in the background from a turn that ended; `well` when it did what was meant.

        Nothing is learnt while the settings say so or the user has paused it, nor ever from that record.
        """
        if not self.learns:
            self._set_aside(record)
            return
        if not self._switches.uses(EXECUTED):
            return
        task = asyncio.create_task(asyncio.to_thread(self._learn, record, self._lessons, well))
        self._lessons = ()
        self._learning.add(task)
        task.add_done_callback(self._learnt)

    @property
    def learns(self) -> bool:
        """Whether turns teach the memory anything: the settings want it, and the user has not paused it."""
        return self._settings.memory.learning and not self._switches.paused

    def pause_learning(self, paused: bool) -> None:
        """Pause learning for every program that uses this memory, or let it go on.

        Raises:
            StoreError: the memory cannot be written.
        """
        self._switches.pause(paused)

    def tidy(self) -> None:
        """Part what is crowded in the profile: once a night, in a thread.

        Raises:
            EmbeddingError: the embedder cannot be run.
            StoreError: the store cannot be written.
        """
        if self.learns:
            self.profile().split_crowded(self._model.naming)

    async def settle(self) -> None:
        """Wait until everything is learnt, and leave what goes on in the background."""
        if self._learning:
            await asyncio.wait(self._learning)
        await asyncio.to_thread(self._chosen.close)

    def _correct(self, resolution: Resolution, instruction: str) -> None:
        """The user changed the instruction before it ran."""
        taught = find_correction(resolution, instruction)
        self._lessons = update_lessons(self._lessons, instruction, taught)
        kept = taught is not None and _may_be_kept(taught) and self.learns and self._switches.uses(EXECUTED)
        self._emit(
            MeaningCorrected(
                time=self._state().time,
                element=taught.words if taught and kept else "",
                value=taught.value if taught and kept else "",
            )
        )

    def _set_aside(self, record: Record | None) -> None:
        """Mark the record of a turn without learning, so that no later run learns from it either."""
        self._lessons = ()
        try:
            if record is not None:
                self._store.records.edit(record.id, {"source": INCOGNITO}, "learning is paused")
        except StoreError as problem:
            _log.warning("a turn without learning is not marked: %s", problem)

    def _learnt(self, task: asyncio.Task[None]) -> None:
        self._learning.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("what a turn taught is not kept", exc_info=fault)

    def _learn(self, record: Record | None, lessons: Sequence[LearnedAnswer], well: bool) -> None:
        """Keep what the user said at once, and what was read on the phone once it was used well."""
        try:
            profile = self.profile()
            for lesson in lessons:
                if (lesson.confirmed or well) and _may_be_kept(lesson):
                    profile.remember(lesson.words, lesson.value, self._evidence(lesson, record))
            if record is not None and well:
                self._used = None
                profile.learn(record)
                self._model.learn(profile, record)
                memory = hierarchical_memory(self._store, self.embeds(), self._settings)
                memory.aggregate(user_id=self._user)
        except (EmbeddingError, StoreError) as problem:
            _log.warning("what a turn taught is not kept: %s", problem)

    def _known_apps(self) -> list[str]:
        """Labels of apps: what the phone has shown, and what the user's records name."""
        if self._used is None:
            self._used = load_app_labels(self._store, self._user)
        return sorted({*self._apps(), *self._used})

    def _evidence(self, lesson: LearnedAnswer, record: Record | None) -> Evidence:
        strength = Strength.USER if lesson.confirmed else Strength.EXPLORED
        return Evidence(record.id if record else "", self._state().time, strength)

    def _opened(self) -> Sources:
        if self._sources is None:
            self._sources = open_memory(
                self._store,
                self.embeds(),
                self._user,
                _log.warning,
                rules_of(self._settings.prototypes),
                self.profile(),
            )
        return self._sources


def _may_be_kept(lesson: LearnedAnswer) -> bool:
    """A password that was read or told serves one command only."""
    return not mentions_secret(lesson.words)


def _assumed(resolution: Resolution) -> bool:
    """Whether anything was filled in that the user did not say themselves."""
    return any(
        meaning.chosen and meaning.chosen.origin is not MeaningOrigin.USER for meaning in resolution.meanings
    )


def _reference(prototype: Prototype | None) -> str:
    """How the user usually gets it done, for the model (FingerTip A.5.2): data, never an order."""
    if prototype is None or not prototype.actions:
        return ""
    steps = "; ".join(describe(action) for action in prototype.actions[:_SHOWN_ACTIONS])
    return (
        "For reference only, these actions led there before in "
        f"{quoted(prototype.app or 'an app')}: {quoted(steps, 600)}. The screen decides what to do."
    )

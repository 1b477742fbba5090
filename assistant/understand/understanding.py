"""Understanding a command from end to end: perceive, recall, complete, explore, ask (PerPilot).

Each stage tells what it did in an event. An explicit command ends after the first stage: the memory is not
opened for it, and no model is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.events import (
    ElementExplored,
    ElementRecalled,
    ElementsPerceived,
    ElementUnknown,
    ErrandStarted,
    Event,
    InstructionCompleted,
)
from assistant.language import _
from assistant.records import State
from assistant.understand.ask import Question, answer_of, question_for
from assistant.understand.complete import adds, adopts, named_app
from assistant.understand.elements import Element, Language, Perceived, headless, key
from assistant.understand.explore import Errand, errand_for, likely_apps, reading_of
from assistant.understand.occasions import is_goal
from assistant.understand.openings import left_open
from assistant.understand.perceive import beyond, perceive
from assistant.understand.recall import POINTING, recall, without_idle
from assistant.understand.resolution import Meaning, Resolution, resolution_of
from assistant.understand.sources import Found, OpenSources, Origin, Recalled

MOST_ERRANDS = 4
"""How many looks into apps one command may take; each missing element has one before any has a second."""

_APPS_PER_ELEMENT = 2
_EXPLORED_CONFIDENCE = 0.7


class Perceives(Protocol):
    """Finds the personalized elements of a command in another way than the local one."""

    async def __call__(self, said: str, apps: Sequence[str]) -> Perceived:
        """The command's elements."""


class Explores(Protocol):
    """Runs an errand."""

    async def __call__(self, errand: Errand) -> str:
        """The errand's answer as the model gave it; empty where it failed or was refused."""


class Asks(Protocol):
    """Asks the user."""

    async def __call__(self, question: Question) -> str:
        """The user's words; empty where they do not answer."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """Something learnt while understanding, to be stored: what the user's words stand for.

    `confirmed` when the user said it; what was read from an app is, once a turn ended well with it.
    """

    words: str
    value: str
    origin: Origin
    why: str
    confirmed: bool


@dataclass(frozen=True, slots=True)
class Understood:
    """A resolved command, and what is worth remembering of how it was resolved."""

    resolution: Resolution
    lessons: tuple[Lesson, ...] = ()


class Understanding:
    """Resolves commands of one user.

    Args:
        open_sources: gives the memory, always the same; called when a command needs it, in any thread.
        state: the user's local time and scenario.
        emit: takes the events.
        perceives: finds the elements where they are not found locally, as with a model.
    """

    def __init__(
        self,
        open_sources: OpenSources,
        state: Callable[[], State],
        emit: Callable[[Event], None] = lambda event: None,
        perceives: Perceives | None = None,
    ) -> None:
        self._open = open_sources
        self._state = state
        self._emit = emit
        self._perceives = perceives

    def resolve(
        self, said: str, apps: Sequence[str] = (), perceived: Perceived | None = None, *, settled: str = ""
    ) -> Resolution:
        """What a command means as far as memory knows. Changes nothing, asks nobody.

        Args:
            said: the command.
            apps: labels of the apps on the phone.
            perceived: the command's elements, where they are known already.
            settled: a complete instruction that the command was made of; what it says stands.
        """
        perceived = beyond(without_idle(perceived or perceive(said, apps)), settled)
        if not perceived.personalized:
            opened = self._opened(perceived, apps) if not settled else None
            return opened or resolution_of(perceived, ())
        self._tell_perceived(perceived)
        meanings = [self._recalled(element, perceived) for element in perceived.distinct]
        return self._completed(resolution_of(perceived, meanings, apps))

    async def understand(
        self,
        said: str,
        apps: Sequence[str] = (),
        *,
        explores: Explores | None = None,
        asks: Asks | None = None,
        settled: str = "",
    ) -> Understood:
        """What a command means; what memory does not know is looked up on the phone, then asked for.

        What the user has again and again is asked for at once where memory has a guess: no app knows better.

        Args:
            said: the command.
            apps: labels of the apps on the phone.
            explores: runs an errand; None never looks.
            asks: asks the user; None never asks, and what is missing stays as it was said.
            settled: as in `resolve`.
        """
        resolution = await self._resolved_aside(said, apps, settled)
        lessons: list[Lesson] = []
        errands = 0
        missing = resolution.missing
        for number, meaning in enumerate(missing, 1):
            element = meaning.element
            found: Found | None = None
            known = _may_be_known(meaning)
            if known and asks is not None:
                found = await _asked_for(meaning, resolution.perceived.language, asks, lessons)
            if found is None and explores is not None:
                others = len(missing) - number
                likely = await asyncio.to_thread(self._likely_apps, element, said, apps)
                for place, app in enumerate(likely[:_APPS_PER_ELEMENT]):
                    kept_back = others if place else 0
                    if found is None and errands < MOST_ERRANDS - kept_back:
                        errands += 1
                        found = await self._explored(element, resolution.perceived, app, explores)
                if found:
                    lessons.append(
                        Lesson(element.text, found.value, found.origin, found.why, confirmed=False)
                    )
            if found is None and not known and asks is not None:
                found = await _asked_for(meaning, resolution.perceived.language, asks, lessons)
            if found:
                self._tell_recalled(element, found)
                resolution = resolution.with_value(element, found, apps)
        if lessons or resolution.missing:
            self._completed(resolution)
        return Understood(resolution, tuple(lessons))

    async def _resolved_aside(self, said: str, apps: Sequence[str], settled: str) -> Resolution:
        """As `resolve`, in a thread: the memory may have to be loaded and brought up to date first."""
        events: list[Event] = []
        aside = Understanding(self._open, self._state, events.append)
        perceived = await self._perceives(said, apps) if self._perceives is not None else None
        resolution = await asyncio.to_thread(aside.resolve, said, apps, perceived, settled=settled)
        for event in events:
            self._emit(event)
        return resolution

    def _likely_apps(self, element: Element, said: str, apps: Sequence[str]) -> list[str]:
        return likely_apps(element, said, apps, self._open().kinds)

    def _opened(self, perceived: Perceived, apps: Sequence[str]) -> Resolution | None:
        """A command that leaves something open, filled by a strong preference; None where there is none."""
        element = None if named_app(perceived.said, apps) else left_open(perceived.said)
        if element is None:
            return None
        known = recall(element, perceived.said, self._open(), self._state())
        opened = Perceived(perceived.said, perceived.language, (element,))
        if known.found is None or (not element.head and not adds(perceived.said, known.found)):
            return None
        self._tell_perceived(opened)
        self._tell_recalled(element, known.found)
        return self._completed(resolution_of(opened, (Meaning(element, known.found),), apps))

    def _recalled(self, element: Element, perceived: Perceived) -> Meaning:
        known = recall(element, perceived.said, self._open(), self._state())
        goes = is_goal(element, perceived.said)
        if known.found and headless(element) and known.found.preference and not goes:
            # In the place of "as usual" a thing makes no sentence.
            fits = adopts(perceived, element, known.found) or len(perceived.distinct) > 1
            known = known if fits else Recalled(None, known.candidates)
        if known.found:
            self._tell_recalled(element, known.found)
        else:
            likely = tuple(one.value for one in known.candidates)
            on_phone = not likely and element.named_on_phone
            self._emit(
                ElementUnknown(
                    time=self._state().time, element=element.text, candidates=likely, on_phone=on_phone
                )
            )
        return Meaning(element, known.found, known.candidates)

    async def _explored(
        self, element: Element, perceived: Perceived, app: str, explores: Explores
    ) -> Found | None:
        errand = errand_for(element, perceived.said, app, perceived.language)
        self._emit(ErrandStarted(time=self._state().time, element=element.text, app=app, task=errand.task))
        reading = reading_of(errand, await explores(errand))
        if reading is not None and key(reading.value) == key(app):
            reading = None
        self._emit(
            ElementExplored(
                time=self._state().time,
                element=element.text,
                app=app,
                value=reading.value if reading else "",
                place=reading.place if reading else "",
            )
        )
        if reading is None:
            return None
        within = f"{app}: {reading.place}" if reading.place != app else app
        why = _("read just now in {place}").format(place=within)
        return Found(reading.value, Origin.EXPLORATION, _EXPLORED_CONFIDENCE, why=why)

    def _completed(self, resolution: Resolution) -> Resolution:
        self._emit(
            InstructionCompleted(
                time=self._state().time,
                said=resolution.perceived.said,
                instruction=resolution.instruction,
                app=resolution.completed.app,
                missing=tuple(one.element.text for one in resolution.missing),
            )
        )
        return resolution

    def _tell_perceived(self, perceived: Perceived) -> None:
        texts = tuple(element.text for element in perceived.distinct)
        self._emit(ElementsPerceived(time=self._state().time, said=perceived.said, elements=texts))

    def _tell_recalled(self, element: Element, found: Found) -> None:
        self._emit(
            ElementRecalled(
                time=self._state().time,
                element=element.text,
                value=found.value,
                source=found.origin.value,
                confidence=found.confidence,
                evidence=found.evidence,
                why=found.why,
            )
        )


def _may_be_known(meaning: Meaning) -> bool:
    """Whether memory has a guess, from what the user does, at what their "usual" is."""
    likely = meaning.candidates[:1]
    return meaning.element.category in POINTING and any(one.origin is Origin.PREFERENCE for one in likely)


async def _asked_for(meaning: Meaning, language: Language, asks: Asks, lessons: list[Lesson]) -> Found | None:
    """What the user says an element is; it joins the lessons where it is to be remembered."""
    element = meaning.element
    question = question_for(element, meaning.candidates, language)
    answer = answer_of(question, await asks(question))
    found = answer.found
    if found and answer.remember:
        lessons.append(Lesson(element.text, found.value, found.origin, found.why, confirmed=True))
    return found

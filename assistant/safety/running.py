"""What ends something that runs for the user: a call, a meeting, a recording, a navigation, a cast.

A label says it as a whole (“End call”), or a bare “End” does on a page that tells what runs. To decline a
call that comes in ends it too. What the turn itself began it may end unasked: `deeds.py` knows that.
"""

from __future__ import annotations

import re

from assistant.events import ActionKind, Deed
from assistant.records import Action, Click, Element
from assistant.safety.lexicon import Sense, fold, lexicon, normalize_label
from assistant.safety.page import Page, element_label
from assistant.safety.wording import id_words, pattern

_LONGEST, _MOST_WORDS, _LONGEST_TITLE = 40, 6, 40
_ENDS, _BEGINS = pattern("ends_running"), pattern("begins_running")
_BARE, _RUNS = pattern("ends_barely"), pattern("tells_of_running")
_DECLINES, _COMES_IN = pattern("declines_call"), pattern("tells_of_incoming")
_CALL_APPS = re.compile(r"dialer|incall|telecom|\.phone\b|contacts")
_IDS = re.compile(r"(?:^| )(?:" + pattern("ends_running_ids").pattern + r")(?: |$)")


def ends_running(text: str) -> bool:
    """Whether a label ends a call, a meeting, a recording, a navigation or a cast, in any language."""
    if len(text) > _LONGEST or len(text.split()) > _MOST_WORDS or text.rstrip().endswith(("?", "？", "؟")):
        return False
    if _ENDS.search(normalize_label(text)):
        return True
    return lexicon().mentions(text, Sense.STOPS) and not lexicon().mentions(text, Sense.NEGATES)


def begins_running(text: str) -> bool:
    """Whether a label begins something of that kind: “Start”, “Record”, “Join”, “Directions”."""
    return any(map(_BEGINS.search, _ways(text)))


def _ways(text: str) -> tuple[str, str]:
    return fold(text), normalize_label(text)


def kind_of_ending(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """A deletion, where a control ends something that runs, or turns down a call; None elsewhere."""
    if page.contains_switch(element) or page.is_of_settings or (page.is_row(element) and len(labels) > 1):
        return None
    if _IDS.search(" ".join(id_words(element.resource_id))):
        return ActionKind.DELETE
    label = labels[0] if labels else ""
    bare = _ends_barely(label) and page.once(_tells_of_running)
    declines = any(map(_DECLINES.fullmatch, _ways(label))) and page.once(_tells_of_incoming)
    return ActionKind.DELETE if bare or declines or ends_running(label) else None


def names_ending(label: str) -> bool:
    """Whether the label of what deletes says that it ends, leaves or turns down something."""
    return ends_running(label) or _ends_barely(label) or any(map(_DECLINES.fullmatch, _ways(label)))


def _ends_barely(label: str) -> bool:
    return _BARE.fullmatch(normalize_label(label)) is not None


def _tells_of_running(page: Page) -> bool:
    return _tells(page, _RUNS)


def _tells_of_incoming(page: Page) -> bool:
    return _tells(page, _COMES_IN)


def _tells(page: Page, words: re.Pattern[str]) -> bool:
    """Whether a short text of a page that is no control says so."""
    texts = (element_label(e) for e in page.texts if not e.clickable)
    return any(len(text) <= _LONGEST_TITLE and any(map(words.search, _ways(text))) for text in texts)


def _is_running(page: Page) -> bool:
    """Whether a control of a page would end something that runs."""
    return any(kind_of_ending(page, e, page.labels(e)) for e in page.clickables)


class Begun:
    """What a turn began itself, and may end unasked: each once, and only where nothing ran before."""

    def __init__(self) -> None:
        self._packages: set[str] = set()
        self._calls = 0

    def note_touch(self, action: Action, page: Page) -> None:
        """Something harmless was done on a page: a tap on “Start” begins what runs in that app."""
        element = page.observation.element_at(action.point) if isinstance(action, Click) else None
        if element is None:
            return
        words = [*page.labels(element)[:1], " ".join(id_words(element.resource_id))]
        if any(map(begins_running, words)) and not page.once(_is_running):
            self._packages.add(page.observation.app.package)

    def note_deed(self, deed: Deed, page: Page) -> None:
        """A deed was done: what sends no text may be a call; what ends one ends it."""
        if deed.kind is ActionKind.SEND and not deed.text and not page.once(_is_running):
            self._calls += 1
            self._packages.add(deed.package)
        elif self.may_end(deed):
            self._packages.discard(deed.package)
            self._calls = max(0, self._calls - 1)

    def may_end(self, deed: Deed) -> bool:
        """Whether a deed only ends what the turn began, in its app; a call, also in the phone's own."""
        label = deed.text.split(" · ")[0]
        if deed.kind is not ActionKind.DELETE or not (ends_running(label) or _ends_barely(label)):
            return False
        in_call = self._calls > 0 and _CALL_APPS.search(deed.package) is not None
        return in_call or deed.package in self._packages

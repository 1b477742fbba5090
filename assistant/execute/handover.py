"""Pages that are the user's alone: logins, codes, captchas. The turn hands them over by itself."""

from __future__ import annotations

from assistant.execute.guards import wording
from assistant.execute.guards.page import Page, words_of
from assistant.execute.guards.risk import takes_code
from assistant.language import _
from assistant.observations import Element, Observation

_KEYS_OF_A_PAD = 9
_BULLETS = frozenset("•●∙*·⦁")


def needs_user(seen: Observation, instruction: str, *, secrets: bool) -> str:
    """Why a page must be left to the user, in a sentence; empty where the turn may go on.

    Args:
        seen: the page.
        instruction: what the user wants. One who speaks of passwords or codes wants them entered.
        secrets: whether the user keeps secrets that the model may ask for by name.
    """
    page = Page(seen)
    if any(wording.is_captcha(words_of(e)) for e in page.texts):
        return _("This page wants to know whether a person is there.")
    if wording.asks_for_code(instruction) or secrets:
        return ""
    fields = [e for e in seen.elements if e.editable and e.enabled and _is_empty(e)]
    if any(e.password for e in fields):
        return _("This page asks for a password.")
    if any(takes_code(page, e) for e in fields):
        return _("This page asks for a code.")
    keys = [e for e in page.texts if e.clickable and len(words_of(e)) == 1 and words_of(e).isdecimal()]
    asked = any(wording.asks_for_code(words_of(e)) for e in page.texts if not e.clickable)
    if len(keys) >= _KEYS_OF_A_PAD and asked:
        return _("This page asks for a password or code.")
    return ""


def _is_empty(field: Element) -> bool:
    """Whether nothing was entered; an empty field may show its hint as its text."""
    if field.password:
        return not _BULLETS & set(field.text)
    return field.text in ("", field.hint) or wording.asks_for_code(field.text)

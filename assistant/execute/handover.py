"""Recognizes pages that only the user can complete: logins, codes, captchas."""

from __future__ import annotations

from assistant.i18n import _
from assistant.records import Element, Observation
from assistant.safety import wording
from assistant.safety.classifier import takes_code
from assistant.safety.page import Page, words_of

_KEYPAD_KEYS = 9
_BULLETS = frozenset("•●∙*·⦁")


def manual_step_required(observation: Observation, instruction: str, *, has_secrets: bool) -> str:
    """Why the user must complete a page, in a sentence; empty if the turn can continue.

    Args:
        observation: the page.
        instruction: the command. If it mentions passwords or codes, the turn enters them.
        has_secrets: whether the user has stored secrets that the model may refer to.
    """
    page = Page(observation)
    if any(wording.is_captcha(words_of(e)) for e in page.texts):
        return _("This page wants to know whether a person is there.")
    if wording.asks_for_code(instruction) or has_secrets:
        return ""
    fields = [e for e in observation.elements if e.editable and e.enabled and _is_empty(e)]
    if any(e.password for e in fields):
        return _("This page asks for a password.")
    if any(takes_code(page, e) for e in fields):
        return _("This page asks for a code.")
    keys = [e for e in page.texts if e.clickable and len(words_of(e)) == 1 and words_of(e).isdecimal()]
    mentions_code = any(wording.asks_for_code(words_of(e)) for e in page.texts if not e.clickable)
    if len(keys) >= _KEYPAD_KEYS and mentions_code:
        return _("This page asks for a password or code.")
    return ""


def _is_empty(field: Element) -> bool:
    """Whether a field is empty. Some fields report their hint as their text while they are empty."""
    if field.password:
        return not _BULLETS & set(field.text)
    return field.text in ("", field.hint) or wording.asks_for_code(field.text)

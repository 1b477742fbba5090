"""What a sensitive action is about, read from the page: amount, recipient, text, in one sentence."""

from __future__ import annotations

import re

from assistant.events import ActionKind
from assistant.i18n import _
from assistant.records import Element, Target
from assistant.safety.page import Page, words_of

_AMOUNT = re.compile(
    r"(?:[¥￥$€£₹]|CNY|RMB|USD|EUR|HK\$)\s?\d[\d,]*(?:\.\d{1,2})?|\d[\d,]*(?:\.\d{1,2})?\s?(?:元|块|yuan|CNY|RMB|USD|EUR|€)"
)
_AMOUNT_IDS = ("amount", "total", "sum", "price", "payable")
_TOTAL = re.compile(r"total|amount|to pay|payable|合计|总计|应付|实付|金额", re.IGNORECASE)
_PAYEE_IDS = ("payee", "merchant", "recipient", "receiver", "shop_name", "to_name")
_TO = re.compile(
    r"^(?:to|pay to|payee|recipient|收款方|收款人|付款给|转账给)[:：\s]\s*(.{1,40})$", re.IGNORECASE
)
_CALL = re.compile(r"\bcall\b|\bdial|^phone(?: button)?$|拨|呼叫|通话|电话", re.IGNORECASE)
_LONGEST = 160


def has_amount(text: str) -> bool:
    """Whether a text names a sum of money."""
    return _AMOUNT.search(text) is not None


def before_amount(text: str) -> str:
    """What a text says before the sum of money that it names."""
    found = _AMOUNT.search(text)
    return text[: found.start()] if found else text


def amount_on(page: Page, element: Element | None = None) -> str:
    """The sum of money that the page is about; empty where there is none or no telling which.

    The button's own words come first, then what an id or a word marks as the total, then the only one.
    """
    own = " ".join(page.parts(element)) if element else ""
    if found := _AMOUNT.search(own):
        return found[0]
    marked = [
        found[0]
        for e in page.texts
        if (found := _AMOUNT.search(words_of(e)))
        and (e.resource_id.rpartition("/")[2] in _AMOUNT_IDS or _TOTAL.search(words_of(e)))
    ]
    if marked:
        return marked[-1]
    before = ""
    for e in page.texts:
        found = _AMOUNT.search(words_of(e))
        if found and _TOTAL.search(before):
            return found[0]
        before = words_of(e)
    every = {found[0] for e in page.texts if (found := _AMOUNT.search(words_of(e)))}
    return every.pop() if len(every) == 1 else ""


def recipient_on(page: Page, kind: ActionKind, element: Element | None) -> str:
    """To whom money or words would go; empty where the page does not tell."""
    for e in page.texts:
        if e.resource_id.rpartition("/")[2] in _PAYEE_IDS:
            return words_of(e)
        if found := _TO.match(words_of(e)):
            return found[1]
    if kind is not ActionKind.SEND:
        return ""
    for field in page.seen.elements:
        if field.editable and field.resource_id.rpartition("/")[2] in (
            "to",
            "recipient",
            "edit_to",
            "mail_to",
        ):
            return field.text
    if element is not None and page.is_row(element) and (own := page.parts(element)):
        return own[0]
    return page.heading


def text_for(kind: ActionKind, page: Page) -> str:
    """The exact text that would leave: what stands in the page's fields."""
    if kind is not ActionKind.SEND:
        return ""
    return "\n".join(field.text for field in page.fields if not field.password)


def sentence_for(kind: ActionKind, page: Page, element: Element | None, typed: str) -> str:
    """What the action would do, in one sentence for the user."""
    app = page.seen.app.title
    label = ""
    if element is not None:
        label = Target(resource_id=element.resource_id, text=page.seen.label_of(element)).name
    match kind:
        case ActionKind.PAY:
            amount, payee = amount_on(page, element), recipient_on(page, kind, element)
            unknown = _("Pays or orders; the screen does not tell the amount")
            what = _("Pays {amount}").format(amount=amount) if amount else unknown
            return _sentence(_("{what}, to {payee}").format(what=what, payee=payee) if payee else what)
        case ActionKind.SEND:
            calls = bool(_CALL.search(label)) or "call" in label or "dial" in label
            whom = recipient_on(page, kind, element)
            if calls:
                return _sentence(_("Calls {whom}").format(whom=whom) if whom else _("Makes a call"))
            to, within = _("Sends to {whom}"), _("Sends in {app}")
            return _sentence(to.format(whom=whom) if whom else within.format(app=app))
        case ActionKind.DELETE:
            asked = " ".join(page.question[:2]) if page.is_dialog else page.heading
            what = f"{label} ({asked})" if label and asked else label or asked
            return _sentence(_("Deletes or cancels: {what}").format(what=what))
        case ActionKind.INSTALL:
            return _sentence(
                _("Installs or updates: {what}").format(
                    what=" ".join(page.question[:1]) or page.heading or app
                )
            )
        case ActionKind.GRANT:
            asked = " ".join(page.question[:2])
            return _sentence(_("Grants a permission: {what}").format(what=asked or label))
        case ActionKind.SECURITY:
            said = (
                label or " ".join(page.row_words(element) if element else ()) or " ".join(page.question[:2])
            )
            return _sentence(_("Changes a security setting: {what}").format(what=said))
        case ActionKind.PASSWORD:
            return _sentence(_("Enters a password or code in {app}").format(app=app))


_ENDS = (".", "?", "!", "。", "？", "！", "…")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        return f"{text[: _LONGEST - 1]}…"
    return text if text.endswith(_ENDS) else _("{text}.").format(text=text)

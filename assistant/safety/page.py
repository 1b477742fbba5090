"""A page as the approval rules see it: an element's labels and row, the heading, whether it is a dialog.

Also what a sensitive action is about: the amount, the recipient and the text, in one sentence for the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from assistant.events import ActionKind
from assistant.i18n import _
from assistant.records import Element, Observation, Target

_DIALOG_SHARE = 0.85
_HEADINGS = ("toolbar_title", "alertTitle", "action_bar_title", "page_title", "title_text", "header_title")
_QUESTION_TEXTS = 8
_MAX_LEVELS_UP = 3
_ROW_SHARE = 0.16
_LIST_SIBLINGS = 3
_TOP_BAR = 0.1


class Page:
    """An observation with what the approval rules ask of it. Labels are as on the screen, not normalized."""

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self._area = max(1, observation.width * observation.height)

    @cached_property
    def texts(self) -> list[Element]:
        """Elements with a text or description, without input fields, in document order."""
        return [e for e in self.observation.elements if element_label(e) and not e.editable]

    @cached_property
    def is_dialog(self) -> bool:
        """Whether the window is smaller than the screen: a dialog, or a sheet."""
        roots = [e.bounds.area for e in self.observation.elements if e.parent < 0]
        ids = {e.resource_id.rpartition("/")[2] for e in self.observation.elements}
        return 0 < max(roots, default=0) < _DIALOG_SHARE * self._area or bool({"alertTitle", "button1"} & ids)

    @cached_property
    def heading(self) -> str:
        """The page's title: by its id, otherwise the topmost text near the top; empty if there is none."""
        named = [e for e in self.texts if e.resource_id.rpartition("/")[2] in _HEADINGS]
        top = [e for e in self.texts if e.bounds.top < self.observation.height * 0.2 and not e.clickable]
        headings = named or sorted(top, key=lambda e: e.bounds.top)
        return element_label(headings[0]) if headings else ""

    @cached_property
    def question(self) -> list[str]:
        """What the page asks: the texts of a dialog, otherwise the heading alone."""
        if self.is_dialog:
            texts = [element_label(e) for e in self.texts if not e.clickable and not self._is_in_button(e)]
            return texts[:_QUESTION_TEXTS]
        return [self.heading] if self.heading else []

    @cached_property
    def title(self) -> str:
        """The heading, otherwise the first text of the dialog."""
        return self.heading or (self.question[0] if self.question else "")

    @cached_property
    def filled_fields(self) -> list[Element]:
        """Input fields with a text, without search and address fields."""
        filled = [e for e in self.observation.elements if e.editable and e.text and e.text != e.hint]
        return [e for e in filled if not is_search_field(e) and not self._is_in_top_bar(e)]

    def _is_in_top_bar(self, field: Element) -> bool:
        """Whether a field is in the top bar of a page, which is for searches and addresses."""
        return not self.is_dialog and field.bounds.bottom < self.observation.height * _TOP_BAR

    def labels(self, element: Element) -> list[str]:
        """The labels of an element and of its descendants, without those that take touches themselves."""
        own_labels = [text for text in (element.text, element.description) if text]
        return own_labels + [element_label(e) for e in self._contents(element) if element_label(e)]

    def row_labels(self, element: Element) -> list[str]:
        """The labels of the row that an element is in, such as those of a switch without its own."""
        row = element
        for _level in range(_MAX_LEVELS_UP):
            if row.parent < 0:
                break
            row = self.observation.elements[row.parent]
            if row.bounds.height > self.observation.height * _ROW_SHARE:
                break
            if words := [element_label(e) for e in self.observation.descendants(row) if element_label(e)]:
                return words
        return []

    def contains_switch(self, element: Element) -> bool:
        """Whether an element is or contains a switch or check box."""
        return element.checkable or any(e.checkable for e in self.observation.descendants(element))

    def is_row(self, element: Element) -> bool:
        """Whether an element is a row of a list, not a button."""
        if element.class_name.endswith("Button"):
            return False
        return len(self.labels(element)) > 1 or len(self.siblings(element)) >= _LIST_SIBLINGS

    def is_single_label(self, element: Element) -> bool:
        """Whether an element is a single text to tap, in a dialog or of a toolkit without buttons."""
        single = len(self.labels(element)) == 1
        return single and (self.is_dialog or element.class_name.endswith(("View", "CheckedTextView")))

    def siblings(self, element: Element) -> list[Element]:
        """The elements of the same id and class with the same parent, including the element."""
        return [
            e
            for e in self.observation.elements
            if e.resource_id == element.resource_id
            and e.class_name == element.class_name
            and e.clickable == element.clickable
            and e.parent == element.parent
        ]

    def field_left_of(self, element: Element) -> Element | None:
        """The filled field beside which an element is rightmost, as a send icon is; None if there is none."""
        for field in self.filled_fields:
            line = [
                e
                for e in self.observation.elements
                if e.clickable
                and field.bounds.top <= e.bounds.centre[1] < field.bounds.bottom
                and field.bounds.right <= e.bounds.centre[0]
            ]
            if line and element.index == max(line, key=lambda e: e.bounds.right).index:
                return field
        return None

    def is_last_in_top_bar(self, element: Element) -> bool:
        """Whether an element is the rightmost clickable one in the top bar, which completes a page."""
        bar = [
            e
            for e in self.observation.elements
            if e.clickable and e.bounds.bottom < self.observation.height * _TOP_BAR
        ]
        return bool(bar) and element.index == max(bar, key=lambda e: e.bounds.right).index

    def is_smaller_than_page(self, element: Element) -> bool:
        """Whether an element is a control, not a container of the whole page."""
        return element.bounds.area < 0.3 * self._area

    def _is_in_button(self, element: Element) -> bool:
        """Whether a text is the label of a clickable element, as in toolkits without buttons."""
        parent = element.parent
        while parent >= 0:
            container = self.observation.elements[parent]
            if container.clickable and container.parent >= 0 and not self.contains_switch(container):
                return True
            parent = container.parent
        return False

    def _contents(self, element: Element) -> Iterator[Element]:
        """The descendants of an element, without those that take touches themselves."""
        inside = {element.index}
        for other in self.observation.elements[element.index + 1 :]:
            if other.parent in inside and not (other.clickable or other.editable):
                inside.add(other.index)
                yield other


def element_label(element: Element) -> str:
    """The text of an element, otherwise its description."""
    return element.text or element.description


def is_search_field(field: Element) -> bool:
    """Whether a field is for a search or a web address."""
    description = f"{field.resource_id.rpartition('/')[2]} {field.hint} {field.description}".casefold()
    return any(
        word in description for word in ("search", "query", "url", "address_bar", "搜索", "查找", "网址")
    )


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
    """Whether a text names an amount of money."""
    return _AMOUNT.search(text) is not None


def text_before_amount(text: str) -> str:
    """The part of a text before its amount of money; the whole text if it has none."""
    match = _AMOUNT.search(text)
    return text[: match.start()] if match else text


def find_amount(page: Page, element: Element | None = None) -> str:
    """The amount of money that the page is about; empty if there is none, or several and none is the total.

    An amount in the element's own labels comes first, then one whose id or words mark it as the total.
    """
    own = " ".join(page.labels(element)) if element else ""
    if match := _AMOUNT.search(own):
        return match[0]
    marked = [
        match[0]
        for e in page.texts
        if (match := _AMOUNT.search(element_label(e)))
        and (e.resource_id.rpartition("/")[2] in _AMOUNT_IDS or _TOTAL.search(element_label(e)))
    ]
    if marked:
        return marked[-1]
    before = ""
    for e in page.texts:
        match = _AMOUNT.search(element_label(e))
        if match and _TOTAL.search(before):
            return match[0]
        before = element_label(e)
    amounts = {match[0] for e in page.texts if (match := _AMOUNT.search(element_label(e)))}
    return amounts.pop() if len(amounts) == 1 else ""


def find_recipient(page: Page, kind: ActionKind, element: Element | None) -> str:
    """Who gets the money or message; empty if the page does not tell."""
    for e in page.texts:
        if e.resource_id.rpartition("/")[2] in _PAYEE_IDS:
            return element_label(e)
        if match := _TO.match(element_label(e)):
            return match[1]
    if kind is not ActionKind.SEND:
        return ""
    for field in page.observation.elements:
        if field.editable and field.resource_id.rpartition("/")[2] in (
            "to",
            "recipient",
            "edit_to",
            "mail_to",
        ):
            return field.text
    if element is not None and page.is_row(element) and (own := page.labels(element)):
        return own[0]
    return page.heading


def find_sent_text(kind: ActionKind, page: Page) -> str:
    """The text that would be sent: that of the page's fields; empty for other kinds."""
    if kind is not ActionKind.SEND:
        return ""
    return "\n".join(field.text for field in page.filled_fields if not field.password)


def describe_effect(kind: ActionKind, page: Page, element: Element | None, typed: str) -> str:
    """What the action would do, in one sentence for the user."""
    app = page.observation.app.title
    label = ""
    if element is not None:
        label = Target(resource_id=element.resource_id, text=page.observation.label_of(element)).name
    match kind:
        case ActionKind.PAY:
            amount, payee = find_amount(page, element), find_recipient(page, kind, element)
            unknown = _("Pays or orders; the screen does not tell the amount")
            what = _("Pays {amount}").format(amount=amount) if amount else unknown
            return _sentence(_("{what}, to {payee}").format(what=what, payee=payee) if payee else what)
        case ActionKind.SEND:
            calls = bool(_CALL.search(label)) or "call" in label or "dial" in label
            whom = find_recipient(page, kind, element)
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
            setting = (
                label or " ".join(page.row_labels(element) if element else ()) or " ".join(page.question[:2])
            )
            return _sentence(_("Changes a security setting: {what}").format(what=setting))
        case ActionKind.PASSWORD:
            return _sentence(_("Enters a password or code in {app}").format(app=app))


_ENDS = (".", "?", "!", "。", "？", "！", "…")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        return f"{text[: _LONGEST - 1]}…"
    return text if text.endswith(_ENDS) else _("{text}.").format(text=text)

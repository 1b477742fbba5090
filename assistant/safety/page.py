"""What stands around an element: its own words, its row, the page's heading, whether it is a dialog.

What a sensitive action is about, read from the page: amount, recipient, text, in one sentence.
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
_MOST_UP = 3
_ROW_SHARE = 0.16
_LIST_SIBLINGS = 3
_TOP_BAR = 0.1


class Page:
    """One observation, asked for what the guards need. Words are as the screen has them, not made plain."""

    def __init__(self, seen: Observation) -> None:
        self.seen = seen
        self._area = max(1, seen.width * seen.height)

    @cached_property
    def texts(self) -> list[Element]:
        """Elements with words of their own, fields left out, in document order."""
        return [e for e in self.seen.elements if words_of(e) and not e.editable]

    @cached_property
    def is_dialog(self) -> bool:
        """Whether the window is smaller than the screen: a dialog, or a sheet."""
        roots = [e.bounds.area for e in self.seen.elements if e.parent < 0]
        ids = {e.resource_id.rpartition("/")[2] for e in self.seen.elements}
        return 0 < max(roots, default=0) < _DIALOG_SHARE * self._area or bool({"alertTitle", "button1"} & ids)

    @cached_property
    def heading(self) -> str:
        """The page's title: by its id, else the topmost short text."""
        named = [e for e in self.texts if e.resource_id.rpartition("/")[2] in _HEADINGS]
        top = [e for e in self.texts if e.bounds.top < self.seen.height * 0.2 and not e.clickable]
        found = named or sorted(top, key=lambda e: e.bounds.top)
        return words_of(found[0]) if found else ""

    @cached_property
    def question(self) -> list[str]:
        """What a person reads before saying yes: a dialog's texts, else the heading alone."""
        if self.is_dialog:
            said = [words_of(e) for e in self.texts if not e.clickable and not self._is_in_button(e)]
            return said[:_QUESTION_TEXTS]
        return [self.heading] if self.heading else []

    @cached_property
    def title(self) -> str:
        """What the page is about: its heading, or what a dialog says first."""
        return self.heading or (self.question[0] if self.question else "")

    @cached_property
    def fields(self) -> list[Element]:
        """Text fields with something in them that are not for searching."""
        filled = [e for e in self.seen.elements if e.editable and e.text and e.text != e.hint]
        return [e for e in filled if not searches(e) and not self._is_in_top_bar(e)]

    def _is_in_top_bar(self, field: Element) -> bool:
        """Whether a field stands in the bar at the top of a page, where one searches or enters an address."""
        return not self.is_dialog and field.bounds.bottom < self.seen.height * _TOP_BAR

    def parts(self, element: Element) -> list[str]:
        """The words of an element and of what it holds, buttons inside it left out."""
        own = [words for words in (element.text, element.description) if words]
        return own + [words_of(e) for e in self._inside(element) if words_of(e)]

    def row_words(self, element: Element) -> list[str]:
        """The words of the row that an element without words stands in: a switch is called by its row."""
        row = element
        for _level in range(_MOST_UP):
            if row.parent < 0:
                break
            row = self.seen.elements[row.parent]
            if row.bounds.height > self.seen.height * _ROW_SHARE:
                break
            if words := [words_of(e) for e in self.seen.descendants(row) if words_of(e)]:
                return words
        return []

    def holds_switch(self, element: Element) -> bool:
        """Whether an element is a switch or check box, or a row with one."""
        return element.checkable or any(e.checkable for e in self.seen.descendants(element))

    def is_row(self, element: Element) -> bool:
        """Whether an element is content in a list rather than a button."""
        if element.class_name.endswith("Button"):
            return False
        return len(self.parts(element)) > 1 or len(self.siblings(element)) >= _LIST_SIBLINGS

    def is_entry(self, element: Element) -> bool:
        """Whether an element is a single text to press in a menu or of a toolkit without buttons."""
        single = len(self.parts(element)) == 1
        return single and (self.is_dialog or element.class_name.endswith(("View", "CheckedTextView")))

    def siblings(self, element: Element) -> list[Element]:
        """The elements of the same kind beside one, itself included."""
        return [
            e
            for e in self.seen.elements
            if e.resource_id == element.resource_id
            and e.class_name == element.class_name
            and e.clickable == element.clickable
            and e.parent == element.parent
        ]

    def beside_field(self, element: Element) -> Element | None:
        """The filled text field that an element is the last to stand right of, as a send icon does."""
        for field in self.fields:
            line = [
                e
                for e in self.seen.elements
                if e.clickable
                and field.bounds.top <= e.bounds.centre[1] < field.bounds.bottom
                and field.bounds.right <= e.bounds.centre[0]
            ]
            if line and element.index == max(line, key=lambda e: e.bounds.right).index:
                return field
        return None

    def ends_top_bar(self, element: Element) -> bool:
        """Whether an element is the last thing to press in the bar at the top, where a page is finished."""
        bar = [e for e in self.seen.elements if e.clickable and e.bounds.bottom < self.seen.height * _TOP_BAR]
        return bool(bar) and element.index == max(bar, key=lambda e: e.bounds.right).index

    def is_small(self, element: Element) -> bool:
        """Whether an element is something to press, not a whole page."""
        return element.bounds.area < 0.3 * self._area

    def _is_in_button(self, element: Element) -> bool:
        """Whether a text is the label of a thing to press, as toolkits without buttons draw it."""
        place = element.parent
        while place >= 0:
            holder = self.seen.elements[place]
            if holder.clickable and holder.parent >= 0 and not self.holds_switch(holder):
                return True
            place = holder.parent
        return False

    def _inside(self, element: Element) -> Iterator[Element]:
        """What an element holds, without the parts that take touches themselves."""
        own = {element.index}
        for other in self.seen.elements[element.index + 1 :]:
            if other.parent in own and not (other.clickable or other.editable):
                own.add(other.index)
                yield other


def words_of(element: Element) -> str:
    """An element's own words."""
    return element.text or element.description


def searches(field: Element) -> bool:
    """Whether a field is for searching or for an address of the web."""
    told = f"{field.resource_id.rpartition('/')[2]} {field.hint} {field.description}".casefold()
    return any(word in told for word in ("search", "query", "url", "address_bar", "搜索", "查找", "网址"))


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

"""A page as the approval rules see it: an element's labels and row, the heading, whether it is a dialog.

Also what a sensitive action is about: the amount, the recipient and the text, in one sentence for the user.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TypeVar, cast

from assistant.events import ActionKind, Deed
from assistant.i18n import _
from assistant.records import PICTURE_TEXT, Action, Bounds, Element, Observation, Point, Swipe, Target
from assistant.safety.lexicon import Sense, lexicon
from assistant.safety.wording import classify_label, mentions_code, normalize_label

T = TypeVar("T")

_DIALOG_SHARE = 0.85
_HEADINGS = ("toolbar_title", "alertTitle", "action_bar_title", "page_title", "title_text", "header_title")
_QUESTION_TEXTS = 8
_MAX_LEVELS_UP = 3
_ROW_SHARE = 0.16
_LIST_SIBLINGS = 3
_TOP_BAR = 0.1
_MOST_LABELS = 40
_BUTTON_CLASSES = ("Button", "AppCompatButton", "MaterialButton")
_MOST_LABELS_OF_BUTTON = 2
_BUTTON = "picture.Button"
_FROM_PICTURE = (PICTURE_TEXT, _BUTTON)
_SYSTEM_INTERFACE = "com.android.systemui"
_KEYBOARDS = ("inputmethod", "keyboard", ".ime", "honeyboard", "swiftkey", "com.baidu.input", "gboard")
_LAUNCHERS = ("launcher", ".home", "trebuchet", "quickstep")
_HINT = re.compile(
    r"^(?:(?:type|enter|write|add|search|message|say|ask|reply|comment|aa|new message|text message|your|"
    r"e\.g\.|tap to|chat|start typing|what'?s)\b.{0,40}|.{1,40}(?:\.\.\.|…)|"
    r"(?:note|remark|instruction)s? (?:to|for) (?:the )?(?:seller|shop|store|restaurant|courier|driver)|"
    r"(?:请|点击)?(?:输入|填写|搜索|说点|写评论|写留言|发消息|发个|留言|询问|写点).{0,24}|"
    r"(?:订单)?备注(?:[：:]?口味、?偏好等?(?:要求)?)?)$",
    re.IGNORECASE,
)


class Page:
    """An observation with what the approval rules ask of it. Labels are as on the screen, not normalized.

    The nodes of the system's bars and of the keyboard belong to no page. What is asked often is kept, so that
    no question about an element walks through the whole tree.
    """

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self._area = max(1, observation.width * observation.height)
        self._labels: dict[int, list[str]] = {}
        self._answers: dict[object, object] = {}

    def once(self, question: Callable[[Page], T]) -> T:
        """The answer to a question about the whole page, which is asked once."""
        if question not in self._answers:
            self._answers[question] = question(self)
        return cast("T", self._answers[question])

    @cached_property
    def elements(self) -> list[Element]:
        """The elements of the app, in document order."""
        return [e for e in self.observation.elements if not self.is_of_system(e)]

    @cached_property
    def clickables(self) -> list[Element]:
        """The elements of the app that take touches."""
        return [e for e in self.elements if e.clickable]

    @cached_property
    def texts(self) -> list[Element]:
        """Elements with a text or description, without input fields, in document order."""
        return [e for e in self.elements if element_label(e) and not e.editable]

    @cached_property
    def normal_texts(self) -> list[str]:
        """The texts as `normalize_label` returns them."""
        return [normalize_label(element_label(e)) for e in self.texts]

    @cached_property
    def buttons(self) -> list[Element]:
        """The clickable elements of a button's class."""
        return [e for e in self.clickables if e.class_name.rpartition(".")[2] in _BUTTON_CLASSES]

    @cached_property
    def label_kinds(self) -> list[tuple[Element, str, ActionKind]]:
        """The clickable elements whose first label names a kind, with label and kind."""
        labelled = [(e, words[0]) for e in self.clickables if (words := self.labels(e))]
        return [(e, text, kind) for e, text in labelled if (kind := classify_label(text))]

    def is_of_system(self, element: Element) -> bool:
        """Whether an element belongs to the system's bars or the keyboard, while an app is in front."""
        if not element.package or element.package == self.observation.app.package:
            return False
        return element.package == _SYSTEM_INTERFACE or is_keyboard_package(element.package)

    def descendants(self, element: Element) -> Iterator[Element]:
        """All elements below one, in document order."""
        below = list(reversed(self._children[element.index]))
        while below:
            child = below.pop()
            yield child
            below.extend(reversed(self._children[child.index]))

    def has_children(self, element: Element) -> bool:
        """Whether anything stands in an element."""
        return bool(self._children[element.index])

    def ancestors(self, element: Element) -> Iterator[Element]:
        """The nearest elements that hold an element, nearest first."""
        for _level in range(_MAX_LEVELS_UP):
            if element.parent < 0:
                return
            element = self.observation.elements[element.parent]
            yield element

    @cached_property
    def digit_keys(self) -> list[Element]:
        """The clickable elements that are keys with a digit; letters may stand beside it."""
        return [e for e in self.clickables if _is_digit_key(self.labels(e))]

    @cached_property
    def has_field(self) -> bool:
        """Whether the page has an input field that is not for a password."""
        return any(e.editable and not e.password for e in self.elements)

    @cached_property
    def _children(self) -> dict[int, list[Element]]:
        children: dict[int, list[Element]] = defaultdict(list)
        for e in self.observation.elements:
            children[e.parent].append(e)
        return children

    def _holders(self, elements: Iterable[Element]) -> set[int]:
        """These elements and all that contain one of them."""
        holding: set[int] = set()
        for e in elements:
            index = e.index
            while index >= 0 and index not in holding:
                holding.add(index)
                index = self.observation.elements[index].parent
        return holding

    @cached_property
    def _holds_switch(self) -> set[int]:
        return self._holders(e for e in self.observation.elements if e.checkable)

    @cached_property
    def _holds_picture(self) -> set[int]:
        return self._holders(e for e in self.observation.elements if e.class_name.endswith("ImageView"))

    def contains_picture(self, element: Element) -> bool:
        """Whether an element is or contains a picture."""
        return element.index in self._holds_picture

    def is_in_button(self, element: Element) -> bool:
        """Whether an element is part of one that takes touches, other than a row with a switch."""
        return element.index in self._in_buttons

    @cached_property
    def _in_buttons(self) -> set[int]:
        """The elements inside a clickable one that is no page and no row with a switch."""
        inside: set[int] = set()
        for e in self.observation.elements:
            if e.parent >= 0:
                holder = self.observation.elements[e.parent]
                is_button = holder.clickable and holder.parent >= 0 and not self.contains_switch(holder)
                if is_button or holder.index in inside:
                    inside.add(e.index)
        return inside

    @cached_property
    def is_dialog(self) -> bool:
        """Whether the window is smaller than the screen: a dialog, or a sheet."""
        elements = self.observation.elements
        roots = [e.bounds.area for e in elements if e.parent < 0 and e.class_name not in _FROM_PICTURE]
        ids = {e.resource_id.rpartition("/")[2] for e in self.observation.elements}
        window = 0 < max(roots, default=0) < _DIALOG_SHARE * self._area
        return window or bool({"alertTitle", "button1"} & ids) or self._has_barrier

    @cached_property
    def _has_barrier(self) -> bool:
        """Whether a pressable view without content covers all that lies before it, under a smaller box.

        Toolkits that draw their own windows, such as Flutter, make a dialog so: a touch beside it closes it.
        """
        covers = _DIALOG_SHARE * self._area
        barriers = [e for e in self.clickables if e.bounds.area >= covers and not self.has_children(e)]
        above = [e.bounds for e in self.texts if barriers and e.index > barriers[-1].index]
        if not above:
            return False
        height = max(bounds.bottom for bounds in above) - min(bounds.top for bounds in above)
        return height < _DIALOG_SHARE * self.observation.height

    @cached_property
    def heading(self) -> str:
        """The page's title: by its id, otherwise the topmost text near the top; empty if there is none."""
        element = self._heading_element
        return element_label(element) if element else ""

    @cached_property
    def own_heading(self) -> str:
        """The heading, unless it belongs to a part: the first row of a list, or what stands below a field.

        Below the field of a search page the topmost text is the heading of a section, as “Recent searches”.
        """
        element = self._heading_element
        if element is None or element.index in self._in_buttons:
            return ""
        below_field = any(e.editable and e.bounds.bottom <= element.bounds.top for e in self.elements)
        return "" if below_field and not _is_named_heading(element) else element_label(element)

    @cached_property
    def _heading_element(self) -> Element | None:
        named = [e for e in self.texts if _is_named_heading(e)]
        top = [e for e in self.texts if e.bounds.top < self.observation.height * 0.2 and not e.clickable]
        headings = named or sorted(top, key=lambda e: e.bounds.top)
        return headings[0] if headings else None

    @cached_property
    def question(self) -> list[str]:
        """What the page asks: the texts of a dialog, otherwise the heading alone."""
        if self.is_dialog:
            texts = [
                element_label(e) for e in self.texts if not e.clickable and e.index not in self._in_buttons
            ]
            return texts[:_QUESTION_TEXTS]
        return [self.heading] if self.heading else []

    @cached_property
    def title(self) -> str:
        """The heading, otherwise the first text of the dialog."""
        return self.heading or (self.question[0] if self.question else "")

    @cached_property
    def filled_fields(self) -> list[Element]:
        """Input fields with a text, without search and address fields."""
        filled = [e for e in self.elements if e.editable and e.text and not shows_hint(e)]
        return [e for e in filled if not is_search_field(e) and not self.is_in_top_bar(e)]

    def is_in_top_bar(self, element: Element) -> bool:
        """Whether an element is in the top bar of a page, whose fields are for searches and addresses."""
        return not self.is_dialog and element.bounds.bottom < self.observation.height * _TOP_BAR

    def labels(self, element: Element) -> list[str]:
        """The labels of an element and its descendants, each once; not of what takes touches itself."""
        if element.index not in self._labels:
            own_labels = [text for text in (element.text, element.description) if text]
            inner = (element_label(e) for e in self._contents(element) if element_label(e))
            self._labels[element.index] = list(dict.fromkeys((*own_labels, *islice(inner, _MOST_LABELS))))
        return self._labels[element.index]

    def row_labels(self, element: Element) -> list[str]:
        """The other labels of the row that an element is in, such as those that say what a switch is for."""
        row = element
        for _level in range(_MAX_LEVELS_UP):
            if row.parent < 0:
                break
            row = self.observation.elements[row.parent]
            if row.bounds.height > self.observation.height * _ROW_SHARE:
                break
            words = (element_label(e) for e in self.descendants(row) if element_label(e) and e != element)
            if first := list(islice(words, _MOST_LABELS)):
                return first
        return []

    def contains_switch(self, element: Element) -> bool:
        """Whether an element is or contains a switch or check box."""
        return element.index in self._holds_switch

    def is_row(self, element: Element) -> bool:
        """Whether an element is a row of a list, not a button."""
        if element.class_name.endswith("Button"):
            return False
        return len(self.labels(element)) > 1 or len(self.siblings(element)) >= _LIST_SIBLINGS

    def is_app_icon(self, element: Element) -> bool:
        """Whether an element is an app's icon on the home screen: a tap opens 打车 and orders no taxi.

        Launchers give such an icon its label as text and as description (AOSP `BubbleTextView`).
        """
        package = self.observation.app.package.casefold()
        on_home_screen = any(name in package for name in _LAUNCHERS) and element.package in ("", package)
        named_twice = bool(element.text) and element.text == element.description
        return on_home_screen and named_twice and not element.class_name.endswith("Button")

    def is_single_label(self, element: Element) -> bool:
        """Whether an element is a single text to tap, in a dialog or of a toolkit without buttons."""
        single = len(self.labels(element)) == 1
        return single and (self.is_dialog or element.class_name.endswith(("View", "CheckedTextView")))

    def siblings(self, element: Element) -> list[Element]:
        """The elements of the same id and class with the same parent, including the element."""
        return self._siblings[_likeness(element)]

    @cached_property
    def _siblings(self) -> dict[tuple[int, str, str, bool], list[Element]]:
        siblings: dict[tuple[int, str, str, bool], list[Element]] = defaultdict(list)
        for e in self.observation.elements:
            siblings[_likeness(e)].append(e)
        return siblings

    def field_left_of(self, element: Element) -> Element | None:
        """The filled field beside which an element is rightmost, as a send icon is; None if there is none."""
        for field in self.filled_fields:
            line = self._right_of(field)
            if line and element.index == max(line, key=lambda e: e.bounds.right).index:
                return field
        return None

    def next_right_of(self, field: Element) -> Element | None:
        """What to press stands next to a field on its right, as what sends or erases its text does."""
        return min(self._right_of(field), key=lambda e: e.bounds.left, default=None)

    def _right_of(self, field: Element) -> list[Element]:
        return [
            e
            for e in self.clickables
            if field.bounds.top <= e.bounds.centre[1] < field.bounds.bottom
            and field.bounds.right <= e.bounds.centre[0]
        ]

    def is_last_in_top_bar(self, element: Element) -> bool:
        """Whether an element is the rightmost clickable one in the top bar, which completes a page."""
        bar = [e for e in self.clickables if e.bounds.bottom < self.observation.height * _TOP_BAR]
        return bool(bar) and element.index == max(bar, key=lambda e: e.bounds.right).index

    def is_smaller_than_page(self, element: Element) -> bool:
        """Whether an element is a control, not a container of the whole page; a large button is a control."""
        if element.bounds.area < 0.3 * self._area:
            return True
        if (
            not element.clickable
            or element.editable
            or any(e.clickable for e in self._children[element.index])
        ):
            return False
        return 0 < len(self.labels(element)) <= _MOST_LABELS_OF_BUTTON

    def _contents(self, element: Element) -> Iterator[Element]:
        """The descendants of an element, without those that take touches themselves."""
        below = list(reversed(self._children[element.index]))
        while below:
            child = below.pop()
            if not (child.clickable or child.editable):
                yield child
                below.extend(reversed(self._children[child.index]))


def element_label(element: Element) -> str:
    """The text of an element, otherwise its description."""
    return element.text or element.description


def _is_named_heading(element: Element) -> bool:
    return element.resource_id.rpartition("/")[2] in _HEADINGS


_LONGEST_LETTERS = 4
"""The most letters beside the digit of a key: 7 has PQRS."""


def _is_digit_key(labels: list[str]) -> bool:
    """Whether the first label is a digit, and the others repeat it or are the letters beside it."""
    if not labels or len(labels[0]) != 1 or not labels[0].isdecimal():
        return False
    return all(len(label.replace(" ", "")) <= _LONGEST_LETTERS for label in labels[1:])


def _likeness(element: Element) -> tuple[int, str, str, bool]:
    return element.parent, element.resource_id, element.class_name, element.clickable


def is_keyboard_package(package: str) -> bool:
    """Whether a package is an input method, by its name."""
    return any(name in package.lower() for name in _KEYBOARDS)


def shows_hint(field: Element) -> bool:
    """Whether what a field shows is its hint. Dumps of older phones give it as text and name no hint."""
    if field.hint or field.text == field.hint:
        return field.text == field.hint
    return not field.focused and _HINT.match(field.text) is not None


def is_search_field(field: Element) -> bool:
    """Whether a field is for a search or a web address."""
    return is_for_search(field.resource_id, f"{field.hint} {field.description}")


def is_for_search(resource_id: str, words: str) -> bool:
    """Whether the id or the words of a field say that it is for a search or a web address."""
    description = f"{resource_id.rpartition('/')[2]} {words}".casefold()
    return any(
        word in description for word in ("search", "query", "url", "address_bar", "搜索", "查找", "网址")
    )


_DIGITS = r"[\d٠-٩۰-۹०-९][\d٠-٩۰-۹०-९.,:٫٬' \u00a0\u202f]*"
_SIGN = (
    r"[¥￥$€£₹₽₫฿₩₺₴₪₱₦₸₭₡]|HK\$|R\$|S/|(?:\b(?:Rp|RM|Kč|kr|zł|lei|CNY|RMB|USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|TRY|"
    r"RUB|INR|IDR|VND|THB|KRW|JPY|BRL|MXN|SAR|AED|EGP|HUF|RON|UAH|ILS|CAD|AUD|NZD|SGD|MYR|PHP|KZT|Rs)\.?(?![^\W\d]))"
)
_UNIT = (
    r"[€₽₫฿₩₺₴₪$£₹]|(?:元|块|円|원|บาท|تومان|ریال|ر\.س|د\.إ|ج\.م)|"
    r"(?:yuan|CNY|RMB|USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|TRY|TL|RUB|INR|IDR|VND|THB|KRW|JPY|BRL|MXN|SAR|AED|"
    r"HUF|RON|UAH|ILS|zł|Kč|kr|Ft|lei|руб|р|грн|лв|đ|dh|kn|ден)(?!\w)"
)
_AMOUNT = re.compile(rf"(?:{_SIGN})\s?{_DIGITS}|(?<![A-Za-z0-9.,]){_DIGITS}(?:{_UNIT})", re.IGNORECASE)
_AMOUNT_IDS = ("amount", "total", "sum", "price", "payable")
_TOTAL = re.compile(r"total|amount|to pay|payable|合计|总计|应付|实付|金额", re.IGNORECASE)
_PAYEE_IDS = ("payee", "merchant", "recipient", "receiver", "shop_name", "to_name")
_TO = re.compile(
    r"^(?:to|pay to|payee|recipient|收款方|收款人|付款给|转账给)[:：\s]\s*(.{1,40})$", re.IGNORECASE
)
_CALL = re.compile(
    r"\bcall\b|\bdial|^phone(?: button)?$|拨|呼叫|通话|电话|anruf|llama|appel|chamada|ligar|chiama|звон|"
    r"вызов|通話|電話|통화|전화|اتصال|مكالمة|कॉल|arama|panggil|telepon|\bgọi\b|zadzwoń|rozmow|bellen|oproep|"
    r"โทร|samtal|ring",
    re.IGNORECASE,
)
_LONGEST = 160


_DIGIT = re.compile(r"\d")
_MOST_READ = 400
"""The characters of a text that are looked through for an amount, as many as of a label for what it does."""


def _match_amount(text: str) -> re.Match[str] | None:
    """The first amount of money in a text. The pattern is slow on long texts, and most have no digit."""
    return _AMOUNT.search(text, 0, _MOST_READ) if _DIGIT.search(text) else None


def has_amount(text: str) -> bool:
    """Whether a text names an amount of money."""
    return _match_amount(text) is not None


def text_before_amount(text: str) -> str:
    """The part of a text before its amount of money; the whole text if it has none."""
    match = _match_amount(text)
    return text[: match.start()] if match else text


def find_amount(page: Page, element: Element | None = None) -> str:
    """The amount of money that the page is about; empty if there is none, or several and none is the total.

    An amount in the element's own labels comes first, then one whose id or words mark it as the total.
    """
    own = " ".join(page.labels(element)) if element else ""
    if match := _match_amount(own):
        return _amount(match)
    if total := find_total(page):
        return total
    amounts = {_amount(match) for e in page.texts if (match := _match_amount(element_label(e)))}
    return amounts.pop() if len(amounts) == 1 else ""


def find_total(page: Page) -> str:
    """The amount that the page marks as the sum, by its id, words or the text before; empty if none."""
    marked = [
        _amount(match)
        for e in page.texts
        if (match := _match_amount(element_label(e)))
        and (e.resource_id.rpartition("/")[2] in _AMOUNT_IDS or is_total(element_label(e)))
    ]
    if marked:
        return marked[-1]
    before = ""
    for e in page.texts:
        match = _match_amount(element_label(e))
        if match and is_total(before):
            return _amount(match)
        before = element_label(e)
    return ""


def _amount(match: re.Match[str]) -> str:
    return match[0].strip(" .,:\u00a0\u202f")


def is_total(text: str) -> bool:
    """Whether a text is what stands beside the sum of an order, in any language."""
    return _TOTAL.search(text) is not None or lexicon().mentions(text, Sense.TOTAL)


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


_MOST_PAGE_WORDS = 12
_LONGEST_WORDS = 48


def payment_words(page: Page, deed: Deed) -> tuple[str, ...]:
    """What else the page of a payment says, in its own words and order: for what, from whom, to where.

    Without the heading, the buttons, and what the deed says already. Many checkouts mark the payee by nothing
    that a program could rely on, so the words are quoted as they stand, and none is called the payee.
    """
    skipped = {page.heading, deed.amount, deed.recipient, deed.text}
    filled = {e.index for e in page.filled_fields if not e.password}
    lines = []
    for e in page.elements:
        if e.editable and e.index not in filled:
            continue
        line = " ".join((e.text if e.editable else element_label(e)).split())
        is_button = e.clickable and e.class_name.rpartition(".")[2] in _BUTTON_CLASSES
        if is_button or line in skipped or not any(c.isalnum() for c in line) or is_total(line):
            continue
        lines.append(line if len(line) <= _LONGEST_WORDS else f"{line[: _LONGEST_WORDS - 1]}…")
    return tuple(dict.fromkeys(lines))[:_MOST_PAGE_WORDS]


def tells_nothing(page: Page) -> bool:
    """Whether the UI tree has nothing to judge by: no word, no id of the app's own, no button.

    What was read from the picture does not count: it may be misread.

    So it is where the tree cannot be read, and in apps that draw everything themselves (games, some Flutter
    apps, WeChat). What a tap does there is unknown, which is not harmless.
    """
    for element in page.observation.elements:
        if element.class_name in _FROM_PICTURE:
            continue
        named = element.text or element.description or element.hint
        own_id = element.resource_id and not element.resource_id.startswith("android:")
        pressable = element.clickable or element.long_clickable or element.editable
        small = pressable and page.is_smaller_than_page(element)
        if (named or own_id or small) and not page.is_of_system(element):
            return False
    return True


_MIN_PAD_KEYS = 9
_PAD_ID = re.compile(
    r"pin_?(?:pad|code|view|key|entry)|pass_?(?:code|word)|lock_?(?:pin|pad)|secur\w*_?key", re.IGNORECASE
)


def is_pin_pad_key(page: Page, element: Element) -> bool:
    """Whether an element is a digit key of a pad for a code.

    The page asks for a code, the ids say so, or the pad has digits alone: a calculator has signs, a dial pad
    has * and #, a pad for amounts stands below one.
    """
    keys = page.digit_keys
    if len(keys) < _MIN_PAD_KEYS or all(key.index != element.index for key in keys):
        return False
    names = [e.resource_id.rpartition("/")[2] for e in (element, *page.ancestors(element))]
    if any(map(_PAD_ID.search, names)):
        return True
    if any(mentions_code(element_label(e)) for e in page.texts if not e.clickable):
        return True
    others = {element_label(e) for e in page.texts if e.clickable} - {element_label(key) for key in keys}
    signs = any(len(label) <= 2 for label in others)
    shown = any(has_amount(element_label(e)) for e in page.texts)
    return not signs and not shown and len(keys) > _MIN_PAD_KEYS and not page.has_field


def is_below_dial_pad(page: Page, element: Element) -> bool:
    """Whether an element is in the middle below a keypad with * and #: it calls the number."""
    keys = page.digit_keys
    pad = {element_label(e)[:1] for e in page.texts if e.clickable}
    if len(keys) < _MIN_PAD_KEYS or not {"*", "#"} <= pad:
        return False
    left, right = min(e.bounds.left for e in keys), max(e.bounds.right for e in keys)
    x, y = element.bounds.centre
    middle = abs(2 * x - left - right) < (right - left) // 3
    return middle and y > max(e.bounds.bottom for e in keys)


def taken_for_button(observation: Observation, action: Action) -> Observation:
    """A screen with what was read from its picture: the line that is touched as a button, others as texts.

    A picture does not tell what reacts to a tap; that somebody is about to tap it speaks for a button.
    Buttons and rows are larger than their words, so a touch beside all lines means the nearest one at its
    height. Single digits are keys.
    """
    point = action.start if isinstance(action, Swipe) else getattr(action, "point", None)
    touched, x, y = None, 0, 0
    if isinstance(point, Point):
        x, y = observation.pixels(point)
        touched = _touched_line(observation.picture_texts, x, y)
    lines = (
        replace(line, class_name=_BUTTON, clickable=True, bounds=_widened(line.bounds, x, y))
        if line is touched
        else replace(line, clickable=_is_digit_key([line.text]))
        for line in observation.picture_texts
    )
    return replace(observation, elements=(*observation.elements, *lines), picture_texts=())


def _touched_line(lines: Iterable[Element], x: int, y: int) -> Element | None:
    """The line at a pixel, else the nearest whose height reaches it with half a line above and below."""

    def gap(line: Element) -> int:
        left, top, right, bottom = line.bounds
        return max(left - x, x - right + 1, 0) + max(top - y, y - bottom + 1, 0)

    level = [e for e in lines if abs(y - e.bounds.centre[1]) <= e.bounds.height]
    return min(level, key=gap, default=None)


def _widened(bounds: Bounds, x: int, y: int) -> Bounds:
    """A rectangle with a pixel in it."""
    left, top, right, bottom = bounds
    return Bounds(min(left, x), min(top, y), max(right, x + 1), max(bottom, y + 1))


def find_sent_text(kind: ActionKind, page: Page) -> str:
    """The text that would be sent: that of the page's fields; empty for other kinds."""
    if kind is not ActionKind.SEND:
        return ""
    return "\n".join(field.text for field in page.filled_fields if not field.password)


def is_call(label: str) -> bool:
    """Whether a label is about a call."""
    return bool(_CALL.search(label)) or "call" in label or "dial" in label


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
            calls = is_call(label)
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

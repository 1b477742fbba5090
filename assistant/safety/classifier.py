"""Which actions need the user's approval, judged by the screen they are done on.

The model's words never lower a risk. An element with words is judged by them. An agreement without words of
its own (“OK”, “Continue”) is judged by what the dialog asks, an icon by its id and description, and an
element with none of these by its position; for such an element the model's description may raise the risk.

`is_sensitive_instruction` judges a command before it is carried out, for a turn that starts by itself. Each
of its actions is judged all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assistant.events import ActionKind
from assistant.records import (
    Action,
    Click,
    Element,
    LongClick,
    Observation,
    Point,
    PressEnter,
    Scroll,
    Swipe,
    TypeText,
)
from assistant.safety import wording
from assistant.safety.context import (
    classify_by_commit_context,
    classify_by_label_context,
    only_navigates,
    pays_named_amount,
)
from assistant.safety.normalize import normalize_label, readings
from assistant.safety.page import (
    Page,
    describe_effect,
    element_label,
    find_amount,
    find_sent_text,
    has_amount,
    is_search_field,
)
from assistant.safety.wording import LabelRole, classify_label

_SECRET_REFERENCE = re.compile(r"\{\{\s*secret:[^{}]*\}\}")
_PERMISSION_PACKAGES = ("permissioncontroller", "permission.ui")
_INSTALLER_PACKAGES = ("packageinstaller",)
_KEYBOARD_TOP = 0.6
_LONGEST_HINT = 32
_PHONE_NUMBER = re.compile(r"^\+?\d[\d ()-]{5,18}$")
_PHONE_NUMBER_TYPE = re.compile(r"^(?:mobile|home|work|phone|main|手机|电话|住宅|单位|座机)", re.IGNORECASE)
_NOT_A_PERSON = re.compile(
    r"^(?:copy(?: link| text| to .*)?|qr code|more(?: options)?|download|save(?: image| to .*)?|print|edit|"
    r"add (?:text|stickers?|music|people)|复制.{0,4}|保存.{0,4}|下载|更多|打印|编辑|添加.{0,4}|二维码|搜索)$"
)
_CALL_LOG_ENTRY = re.compile(
    r"^(?:missed|incoming|outgoing|未接|呼入|呼出|已接|来电|去电)\s.*\d", re.IGNORECASE
)
_CARD_NUMBER = re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Risk:
    """A sensitive action: its kind, what it would do in a sentence, and what it would type or send."""

    kind: ActionKind
    sentence: str = ""
    text: str = ""


def judge(action: Action, observation: Observation) -> Risk | None:
    """The risk of an action on this screen; None if it needs no approval."""
    page = Page(observation)
    kind, element = _classify(action, page)
    if kind is None:
        return None
    typed = action.text if isinstance(action, TypeText) else ""
    return Risk(kind, describe_effect(kind, page, element, typed), typed or find_sent_text(kind, page))


def _classify(action: Action, page: Page) -> tuple[ActionKind | None, Element | None]:
    match action:
        case Click(point=point, content=content) | LongClick(point=point, content=content):
            return _classify_tap(page, point, content)
        case TypeText(text=text):
            return _classify_typing(page, text)
        case PressEnter():
            return _classify_enter(page)
        case Swipe(start=start):
            return _classify_swipe(page, start)
        case Scroll(point=point, direction=direction) if direction in ("left", "right"):
            return _classify_swipe(page, point)
        case _:
            return None, None


def _classify_tap(page: Page, point: Point, content: str) -> tuple[ActionKind | None, Element | None]:
    """The kind of a tap: that of the smallest element under it that is sensitive, and this element."""
    x, y = page.observation.pixels(point)
    under = [e for e in page.observation.elements if e.bounds.contains(x, y) and page.is_smaller_than_page(e)]
    under.sort(key=lambda e: (e.bounds.area, -e.index))
    pressable = [e for e in under if e.clickable or e.long_clickable or e.editable]
    if _is_on_keyboard(page, y, under):
        return _classify_enter(page)
    for element in pressable or under[:1]:
        if kind := classify_element(page, element):
            return kind, element
    first = (pressable or under)[:1]
    if not first or not is_labelled(page, first[0]):
        kind_by_model = wording.classify_label(content) if content else None
        return kind_by_model, first[0] if first else None
    return None, first[0]


def classify_element(page: Page, element: Element) -> ActionKind | None:
    """The kind of a tap on an element; None if it is harmless."""
    if element.editable or not element.enabled:
        return None
    labels = page.labels(element)
    if any(map(wording.is_refusal, labels[:1])) and not wording.classify_id(element.resource_id):
        return None
    if is_pin_pad_key(page, element):
        return ActionKind.PASSWORD
    if (kind := _classify_system_dialog(page, labels)) is not None:
        return kind
    if (kind := _classify_by_label(page, element, labels)) is not None:
        return kind
    if labels and (
        wording.is_agreement(labels[0]) or (page.is_dialog and wording.is_clearing_verb(labels[0]))
    ):
        return _classify_agreement(page) or classify_by_label_context(page, element, labels)
    if page.contains_switch(element) and (
        kind := classify_switch(labels or page.row_labels(element), page.heading)
    ):
        return kind
    if _contacts_person(page, element, labels):
        return ActionKind.SEND
    if labels and pays_named_amount(page, element, labels):
        return ActionKind.PAY
    if not labels:
        return classify_by_position(page, element)
    return classify_by_label_context(page, element, labels) or classify_by_commit_context(
        page, element, labels
    )


def _contacts_person(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a tap contacts a person: a recipient to choose, a phone number, or an entry of the call log."""
    if wording.asks_for_recipient(page.heading) and _is_choice(page, element, labels):
        return not _has_send_button_below(page, element)
    return bool(labels) and (
        (_PHONE_NUMBER.match(labels[0]) is not None and _is_contact_card(labels))
        or _is_call_log_entry(labels)
    )


def _has_send_button_below(page: Page, element: Element) -> bool:
    """Whether a button below sends; then a tap on a name only chooses the recipient."""
    return any(
        wording.classify_label(words[0]) is ActionKind.SEND
        for e in page.observation.elements
        if e.clickable and e.bounds.top >= element.bounds.bottom and not page.is_row(e)
        if (words := page.labels(e))
    )


def _is_choice(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether an element is one of the choices of a page, not a button beside them."""
    if element.class_name.endswith("Button"):
        return False
    return _NOT_A_PERSON.match(normalize_label(labels[0])) is None if labels else page.is_row(element)


def _is_contact_card(labels: list[str]) -> bool:
    """Whether a row with a phone number names the type of the number; a tap on it calls."""
    return any(_PHONE_NUMBER_TYPE.match(text) for text in labels[1:])


def _is_call_log_entry(labels: list[str]) -> bool:
    """Whether a row is an entry of the call log; a tap on it calls back."""
    return any(_CALL_LOG_ENTRY.match(text) for text in labels[1:])


def _classify_by_label(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    row = page.is_row(element) and not page.is_single_label(element)
    role = LabelRole.ROW if row else LabelRole.BUTTON
    relevant_labels = labels[:1] if row else labels
    if row and _is_menu_tile(page, element):
        return None
    for text in relevant_labels:
        if kind := wording.classify_label(text, role):
            leads_on = kind is ActionKind.SECURITY and _leads_to_entry(page, text)
            return None if leads_on or only_navigates(page, element, labels, kind) else kind
    if len(labels) > 1 and not row and (kind := wording.classify_label(" ".join(labels), role)):
        return kind
    kind = wording.classify_id(element.resource_id)
    return (
        kind if kind and (not labels or not row or has_amount(labels[0]) or kind is ActionKind.SEND) else None
    )


def _leads_to_entry(page: Page, text: str) -> bool:
    """Whether a label that changes a password or code only leads to the page where it is entered."""
    return wording.changes_secret(text) and not any(e.editable for e in page.observation.elements)


def _is_menu_tile(page: Page, element: Element) -> bool:
    """Whether an element is one of several menu entries with an icon and a word, which lead to pages."""
    holds_picture = any(e.class_name.endswith("ImageView") for e in page.observation.descendants(element))
    return holds_picture and len(page.labels(element)) == 1 and len(page.siblings(element)) > 1


def _classify_system_dialog(page: Page, labels: list[str]) -> ActionKind | None:
    """The kind of a button in a dialog of the system, about a permission or the installation of an app."""
    package = page.observation.app.package
    if not labels:
        return None
    if any(name in package for name in _PERMISSION_PACKAGES):
        return ActionKind.GRANT
    if any(name in package for name in _INSTALLER_PACKAGES) and (
        wording.is_agreement(labels[0]) or _is_sensitive_label(labels[0])
    ):
        question = wording.classify_question(page.question)
        return question if question is ActionKind.DELETE else ActionKind.INSTALL
    if wording.classify_label(labels[0]) is ActionKind.GRANT and page.is_dialog:
        asked = wording.classify_question(page.question)
        return ActionKind.SECURITY if asked is ActionKind.SECURITY else ActionKind.GRANT
    return None


def _is_sensitive_label(text: str) -> bool:
    return wording.classify_label(text) is not None


def _classify_agreement(page: Page) -> ActionKind | None:
    """The kind of an agreement without words of its own, by what the page asks."""
    kind = wording.classify_question(page.question)
    if page.is_dialog or kind is not ActionKind.PAY:
        return kind if page.is_dialog or kind in (ActionKind.DELETE, ActionKind.SECURITY) else None
    return kind if find_amount(page) else None


def _is_on_keyboard(page: Page, y: int, under: list[Element]) -> bool:
    """Whether a tap is on the keyboard, which is not in the UI tree. It may hit Enter."""
    return page.observation.keyboard_shown and y > page.observation.height * _KEYBOARD_TOP and not under


def _classify_typing(page: Page, text: str) -> tuple[ActionKind | None, Element | None]:
    field = page.observation.focused_field()
    if (
        _SECRET_REFERENCE.search(text)
        or (field is not None and is_code_field(page, field))
        or _contains_card_number(text)
    ):
        return ActionKind.PASSWORD, field
    return _classify_enter(page) if "\n" in text or "\r" in text else (None, field)


def is_code_field(page: Page, field: Element) -> bool:
    """Whether a field takes a password or a code: by its kind, its id, its hint, or the label before it."""
    if field.password or wording.is_code_field_id(field.resource_id):
        return True
    before = [e for e in page.texts if not e.clickable and e.index < field.index][-1:]
    labels_before = [
        element_label(e)
        for e in before
        if abs(e.bounds.bottom - field.bounds.top) < page.observation.height * 0.06
    ]
    shown = field.text if len(field.text) <= _LONGEST_HINT else ""
    return any(map(wording.mentions_code, [field.hint, field.description, shown, *labels_before]))


def _contains_card_number(text: str) -> bool:
    match = _CARD_NUMBER.search(text)
    return match is not None and _passes_luhn_check([int(digit) for digit in match[0] if digit.isdecimal()])


def _passes_luhn_check(digits: list[int]) -> bool:
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _classify_enter(page: Page) -> tuple[ActionKind | None, Element | None]:
    """The kind of Enter in the focused field: it sends or pays if an element of the page does."""
    field = page.observation.focused_field()
    if field is None or is_search_field(field):
        return None, field
    offered = {classify_element(page, e) for e in page.observation.elements if e.clickable and e.enabled}
    kinds = (ActionKind.SEND, ActionKind.PAY)
    return next((kind for kind in kinds if kind in offered), None), field


def _classify_swipe(page: Page, start: Point) -> tuple[ActionKind | None, Element | None]:
    """The kind of a swipe that begins on a slider: by its words, otherwise by what the page asks."""
    x, y = page.observation.pixels(start)
    under = sorted(
        (e for e in page.observation.elements if e.bounds.contains(x, y) and page.is_smaller_than_page(e)),
        key=lambda e: (e.bounds.area, -e.index),
    )
    for element in under:
        labels = page.labels(element) or page.row_labels(element)
        sliding = [text for text in labels if wording.asks_to_slide(text)]
        bar = element.class_name.endswith("SeekBar")
        if not sliding and not bar:
            continue
        for text in sliding:
            if kind := wording.classify_label(text) or wording.classify_question([text]):
                return kind, element
        if kind := _classify_agreement(page) or (ActionKind.PAY if bar and _asks_to_pay(page) else None):
            return kind, element
    return None, under[0] if under else None


def _asks_to_pay(page: Page) -> bool:
    return wording.classify_question([page.heading]) is ActionKind.PAY and find_amount(page) != ""


_MIN_PAD_KEYS = 9
_BUTTON_AREA_TOP = 0.55
_ID_WORD = re.compile(r"[a-z]{3,}", re.IGNORECASE)
_MEANINGLESS_ID_WORDS = frozenset(
    [
        "button",
        "btn",
        "image",
        "img",
        "imageview",
        "view",
        "icon",
        "iv",
        "layout",
        "container",
        "item",
        "root",
        "content",
        "action",
        "primary",
        "main",
        "confirm",
        "next",
        "submit",
        "right",
        "bottom",
        "fab",
        "touch",
        "area",
        "cell",
    ]
)


def classify_by_position(page: Page, element: Element) -> ActionKind | None:
    """The kind of an element without words, by its id and position."""
    if kind := wording.classify_id(element.resource_id):
        return kind
    if element.checkable or _has_meaningful_id(element.resource_id):
        return None
    if page.field_left_of(element) is not None or _is_below_dial_pad(page, element):
        return ActionKind.SEND
    if wording.is_compose_title(page.heading) and page.filled_fields and page.is_last_in_top_bar(element):
        return ActionKind.SEND
    if element.bounds.top < page.observation.height * _BUTTON_AREA_TOP:
        return None
    asked = wording.classify_question([page.heading]) if page.heading else None
    if page.is_dialog:
        return wording.classify_question(page.question)
    return ActionKind.PAY if asked is ActionKind.PAY and find_amount(page) else None


def _has_meaningful_id(resource_id: str) -> bool:
    """Whether an id states a purpose, unlike `button3` or `iv_right`; by then it is a harmless one."""
    parts = _ID_WORD.findall(resource_id.rpartition("/")[2].replace("_", " "))
    return any(part.lower() not in _MEANINGLESS_ID_WORDS for part in parts)


def is_labelled(page: Page, element: Element) -> bool:
    """Whether an element's words or id tell its purpose."""
    return bool(page.labels(element)) or _has_meaningful_id(element.resource_id)


def is_pin_pad_key(page: Page, element: Element) -> bool:
    """Whether an element is a digit key on a page that asks for a password or code."""
    keys = _digit_keys(page)
    if element not in keys or len(keys) < _MIN_PAD_KEYS:
        return False
    return any(wording.mentions_code(element_label(e)) for e in page.texts if not e.clickable)


def _is_below_dial_pad(page: Page, element: Element) -> bool:
    """Whether an element is in the middle below a keypad with * and #: it calls the number."""
    keys = _digit_keys(page)
    pad = {element_label(e)[:1] for e in page.texts if e.clickable}
    if len(keys) < _MIN_PAD_KEYS or not {"*", "#"} <= pad:
        return False
    left, right = min(e.bounds.left for e in keys), max(e.bounds.right for e in keys)
    x, y = element.bounds.centre
    middle = abs(2 * x - left - right) < (right - left) // 3
    return middle and y > max(e.bounds.bottom for e in keys)


def _digit_keys(page: Page) -> list[Element]:
    return [
        e for e in page.texts if e.clickable and len(element_label(e)) == 1 and element_label(e).isdecimal()
    ]


_PERMISSION_WORDS = re.compile(
    r"\b(?:camera|microphone|location|contacts|calendar|photos?|files?|notification|usage) access\b|"
    r"\banyone with (?:the|this) link\b|\blink sharing\b|链接(?:分享|共享)|知道链接的任何人|"
    r"(?:notification|usage|all files|full disk) access|display over|draw over|precise location|"
    r"modify system settings|picture-in-picture|"
    r"其他应用(?:的)?上层|悬浮窗|(?:读取|访问|使用)(?:通知|相机|摄像头|麦克风|位置|联系人|通讯录|短信|所有文件|"
    r"使用情况)|精确位置|修改系统设置"
)
_PERMISSION_PAGE = re.compile(
    r"\b(?:access|permissions?)$|^(?:permissions?|app access)\b|"
    r"权限$|权限(?:管理|设置)$|(?:访问|读取)(?:通知|数据)$"
)
_RECURRING_PAYMENT = re.compile(
    r"\bauto-?(?:pay|renew|top-?up|reload|invest)\b|\bautomatic (?:payments?|renewal|top-?up)\b|round up|"
    r"自动(?:续费|还款|充值|扣款|缴费)"
)


def classify_switch(words: list[str], title: str = "") -> ActionKind | None:
    """The kind of a switch with these words on a page with this title; None if it is harmless."""
    word_readings = [reading for text in words for reading in readings(text)]
    if any(map(_PERMISSION_WORDS.search, word_readings)) or any(
        map(_PERMISSION_PAGE.search, readings(title))
    ):
        return ActionKind.GRANT
    if any(map(wording.concerns_security, words)):
        return ActionKind.SECURITY
    return ActionKind.PAY if any(map(_RECURRING_PAYMENT.search, word_readings)) else None


_SENSITIVE_ENGLISH = re.compile(
    r"\b(?:order|buy|book|reserve|pay|transfer|send|reply|message|text|write|mail|e-?mail|call|dial|ring|post|"
    r"publish|share|invite|subscribe|unsubscribe|delete|remove|clear|erase|cancel|install|uninstall|update|"
    r"allow|grant|permit|password|security|reset|log ?(?:in|out)|sign (?:in|up|out)|taxi|ride)\b",
    re.I,
)
_SENSITIVE_CHINESE = re.compile(
    r"点|买|订|付|支付|转账|转|发|回复|写|打电话|拨|呼叫|发布|分享|邀请|关注|删|清空|取消|安装|卸载|更新|"
    r"允许|授权|密码|安全|重置|登录|登出|打车|叫车"
)


def is_sensitive_instruction(instruction: str, actions: Iterable[Action]) -> bool:
    """Whether an instruction will probably need approval, by its words and its actions in earlier turns.

    In doubt it does: only what reads or plays something may start by itself.
    """
    if _SENSITIVE_ENGLISH.search(instruction) or _SENSITIVE_CHINESE.search(instruction):
        return True
    return any(_is_sensitive(action) for action in actions)


def _is_sensitive(action: Action) -> bool:
    match action:
        case Click() | LongClick():
            labels = (action.content, action.target.label if action.target else "")
            return any(label and classify_label(label) is not None for label in labels)
        case TypeText(text=text):
            return "{{" in text
        case _:
            return False

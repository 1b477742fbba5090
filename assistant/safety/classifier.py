"""What an action would do, judged by the screen it is done on and never lowered by what the model says.

Where an element has words, they decide; a yes without words of its own (“OK”, “Continue”) is judged by what
the dialog asks; an icon by its id and description; what has none of these by the place it stands in, and
then what the model read in the picture may raise the risk.

What a thing without words does, by its id and where it stands: beside a field, below a pad, in a bar.

What a switch changes that matters: what apps may use, what protects the phone, what is paid.

Which actions wait for the user's yes. In code, outside the model.

Whether carrying something out will probably need the user's yes, judged before it begins.

The guards judge each action on its screen all the same; this is only asked before a turn that nobody typed.
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
from assistant.safety.context import is_harmless_here, kind_by_context, kind_nearby, pays_its_price
from assistant.safety.normalize import normalize_label, readings
from assistant.safety.page import Page, amount_on, has_amount, searches, sentence_for, text_for, words_of
from assistant.safety.wording import LabelMeaning, kind_of_words

_KEYS_OF_A_PAD = 9
_LOW = 0.55
_TELLING = re.compile(r"[a-z]{3,}", re.IGNORECASE)
_UNTELLING = frozenset(
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


def kind_by_place(page: Page, element: Element) -> ActionKind | None:
    """What a thing without any words does, by where it stands."""
    if kind := wording.kind_of_id(element.resource_id):
        return kind
    if element.checkable or _telling_id(element.resource_id):
        return None
    if page.beside_field(element) is not None or _is_below_dial_pad(page, element):
        return ActionKind.SEND
    if wording.writes_to_people(page.heading) and page.fields and page.ends_top_bar(element):
        return ActionKind.SEND
    if element.bounds.top < page.seen.height * _LOW:
        return None
    asked = wording.kind_of_question([page.heading]) if page.heading else None
    if page.is_dialog:
        return wording.kind_of_question(page.question)
    return ActionKind.PAY if asked is ActionKind.PAY and amount_on(page) else None


def _telling_id(resource_id: str) -> bool:
    """Whether an id names a purpose (which then is a harmless one), unlike `button3` or `iv_right`."""
    parts = _TELLING.findall(resource_id.rpartition("/")[2].replace("_", " "))
    return any(part.lower() not in _UNTELLING for part in parts)


def is_explained(page: Page, element: Element) -> bool:
    """Whether words or an id tell what an element is for."""
    return bool(page.parts(element)) or _telling_id(element.resource_id)


def is_key_of_pad(page: Page, element: Element) -> bool:
    """Whether an element is a digit of a pad on a page that asks for a password or code."""
    keys = _keys(page)
    if element not in keys or len(keys) < _KEYS_OF_A_PAD:
        return False
    return any(wording.asks_for_code(words_of(e)) for e in page.texts if not e.clickable)


def _is_below_dial_pad(page: Page, element: Element) -> bool:
    """Whether a picture stands in the middle below a pad with * and #: that calls the number."""
    keys = _keys(page)
    pad = {words_of(e)[:1] for e in page.texts if e.clickable}
    if len(keys) < _KEYS_OF_A_PAD or not {"*", "#"} <= pad:
        return False
    left, right = min(e.bounds.left for e in keys), max(e.bounds.right for e in keys)
    x, y = element.bounds.centre
    middle = abs(2 * x - left - right) < (right - left) // 3
    return middle and y > max(e.bounds.bottom for e in keys)


def _keys(page: Page) -> list[Element]:
    return [e for e in page.texts if e.clickable and len(words_of(e)) == 1 and words_of(e).isdecimal()]


_ACCESS = re.compile(
    r"\b(?:camera|microphone|location|contacts|calendar|photos?|files?|notification|usage) access\b|"
    r"\banyone with (?:the|this) link\b|\blink sharing\b|链接(?:分享|共享)|知道链接的任何人|"
    r"(?:notification|usage|all files|full disk) access|display over|draw over|precise location|"
    r"modify system settings|picture-in-picture|"
    r"其他应用(?:的)?上层|悬浮窗|(?:读取|访问|使用)(?:通知|相机|摄像头|麦克风|位置|联系人|通讯录|短信|所有文件|"
    r"使用情况)|精确位置|修改系统设置"
)
_PAGE_OF_ACCESS = re.compile(
    r"\b(?:access|permissions?)$|^(?:permissions?|app access)\b|"
    r"权限$|权限(?:管理|设置)$|(?:访问|读取)(?:通知|数据)$"
)
_STANDING_ORDERS = re.compile(
    r"\bauto-?(?:pay|renew|top-?up|reload|invest)\b|\bautomatic (?:payments?|renewal|top-?up)\b|round up|"
    r"自动(?:续费|还款|充值|扣款|缴费)"
)


def kind_of_switch(words: list[str], title: str = "") -> ActionKind | None:
    """What turning a switch with these words does on a page with this title; None where it is harmless."""
    read = [reading for text in words for reading in readings(text)]
    if any(map(_ACCESS.search, read)) or any(map(_PAGE_OF_ACCESS.search, readings(title))):
        return ActionKind.GRANT
    if any(map(wording.is_security, words)):
        return ActionKind.SECURITY
    return ActionKind.PAY if any(map(_STANDING_ORDERS.search, read)) else None


_SECRET = re.compile(r"\{\{\s*secret:[^{}]*\}\}")
_PERMISSION_PACKAGES = ("permissioncontroller", "permission.ui")
_INSTALLER_PACKAGES = ("packageinstaller",)
_KEYBOARD_TOP = 0.6
_LONGEST_HINT = 32
_PHONE_NUMBER = re.compile(r"^\+?\d[\d ()-]{5,18}$")
_NUMBER_KINDS = re.compile(r"^(?:mobile|home|work|phone|main|手机|电话|住宅|单位|座机)", re.IGNORECASE)
_NO_PERSON = re.compile(
    r"^(?:copy(?: link| text| to .*)?|qr code|more(?: options)?|download|save(?: image| to .*)?|print|edit|"
    r"add (?:text|stickers?|music|people)|复制.{0,4}|保存.{0,4}|下载|更多|打印|编辑|添加.{0,4}|二维码|搜索)$"
)
_CALLED = re.compile(r"^(?:missed|incoming|outgoing|未接|呼入|呼出|已接|来电|去电)\s.*\d", re.IGNORECASE)
_CARD_NUMBER = re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")


@dataclass(frozen=True, slots=True)
class Risk:
    """A sensitive action: its kind, what it would do in a sentence, and what it would type or send."""

    kind: ActionKind
    sentence: str = ""
    text: str = ""


def judge(action: Action, seen: Observation) -> Risk | None:
    """The risk of an action on this screen, or None when it may be performed at once."""
    page = Page(seen)
    kind, element = _kind(action, page)
    if kind is None:
        return None
    typed = action.text if isinstance(action, TypeText) else ""
    return Risk(kind, sentence_for(kind, page, element, typed), typed or text_for(kind, page))


def _kind(action: Action, page: Page) -> tuple[ActionKind | None, Element | None]:
    match action:
        case Click(point=point, content=content) | LongClick(point=point, content=content):
            return _of_touch(page, point, content)
        case TypeText(text=text):
            return _of_typing(page, text)
        case PressEnter():
            return _of_enter(page)
        case Swipe(start=start):
            return _of_slide(page, start)
        case Scroll(point=point, direction=direction) if direction in ("left", "right"):
            return _of_slide(page, point)
        case _:
            return None, None


def _of_touch(page: Page, point: Point, content: str) -> tuple[ActionKind | None, Element | None]:
    """The kind of a tap: by the smallest thing to press under it, or anything it lies in that does harm."""
    x, y = page.seen.pixels(point)
    under = [e for e in page.seen.elements if e.bounds.contains(x, y) and page.is_small(e)]
    under.sort(key=lambda e: (e.bounds.area, -e.index))
    pressable = [e for e in under if e.clickable or e.long_clickable or e.editable]
    if _on_keyboard(page, y, under):
        return _of_enter(page)
    for element in pressable or under[:1]:
        if kind := kind_of_element(page, element):
            return kind, element
    first = (pressable or under)[:1]
    if not first or not is_explained(page, first[0]):
        read = wording.kind_of_words(content) if content else None
        return read, first[0] if first else None
    return None, first[0]


def kind_of_element(page: Page, element: Element) -> ActionKind | None:
    """What touching an element would do."""
    if element.editable or not element.enabled:
        return None
    own = page.parts(element)
    if any(map(wording.declines, own[:1])) and not wording.kind_of_id(element.resource_id):
        return None
    if is_key_of_pad(page, element):
        return ActionKind.PASSWORD
    if (kind := _by_system(page, own)) is not None:
        return kind
    if (kind := _by_words(page, element, own)) is not None:
        return kind
    if own and (wording.agrees(own[0]) or (page.is_dialog and wording.clears(own[0]))):
        return _by_question(page) or kind_nearby(page, element, own)
    if page.holds_switch(element) and (kind := kind_of_switch(own or page.row_words(element), page.heading)):
        return kind
    if _reaches_people(page, element, own):
        return ActionKind.SEND
    if own and pays_its_price(page, element, own):
        return ActionKind.PAY
    if not own:
        return kind_by_place(page, element)
    return kind_nearby(page, element, own) or kind_by_context(page, element, own)


def _reaches_people(page: Page, element: Element, own: list[str]) -> bool:
    """Whether a row stands for whom it reaches: on a page that asks to whom, a number, a past call."""
    if wording.offers_people(page.heading) and _is_choice(page, element, own):
        return not _sends_otherwise(page, element)
    return bool(own) and (
        (_PHONE_NUMBER.match(own[0]) is not None and _contact_card(own)) or _entry_of_calls(own)
    )


def _sends_otherwise(page: Page, element: Element) -> bool:
    """Whether a button below sends: then a name only chooses to whom."""
    return any(
        wording.kind_of_words(words[0]) is ActionKind.SEND
        for e in page.seen.elements
        if e.clickable and e.bounds.top >= element.bounds.bottom and not page.is_row(e)
        if (words := page.parts(e))
    )


def _is_choice(page: Page, element: Element, own: list[str]) -> bool:
    """Whether an element is one of those that a page lets choose from, not a button beside them."""
    if element.class_name.endswith("Button"):
        return False
    return _NO_PERSON.match(normalize_label(own[0])) is None if own else page.is_row(element)


def _contact_card(own: list[str]) -> bool:
    """Whether a row with a phone number names what kind of number it is: touching it calls."""
    return any(_NUMBER_KINDS.match(text) for text in own[1:])


def _entry_of_calls(own: list[str]) -> bool:
    """Whether a row tells of a call: touching it calls back."""
    return any(_CALLED.match(text) for text in own[1:])


def _by_words(page: Page, element: Element, own: list[str]) -> ActionKind | None:
    row = page.is_row(element) and not page.is_entry(element)
    reading = LabelMeaning.ROW if row else LabelMeaning.BUTTON
    said = own[:1] if row else own
    if row and _is_menu_tile(page, element):
        return None
    for text in said:
        if kind := wording.kind_of_words(text, reading):
            leads = kind is ActionKind.SECURITY and _asks_first(page, text)
            return None if leads or is_harmless_here(page, element, own, kind) else kind
    if len(own) > 1 and not row and (kind := wording.kind_of_words(" ".join(own), reading)):
        return kind
    kind = wording.kind_of_id(element.resource_id)
    return kind if kind and (not own or not row or has_amount(own[0]) or kind is ActionKind.SEND) else None


def _asks_first(page: Page, text: str) -> bool:
    """Whether a label that changes a password or code must lead to a page where it is entered."""
    return wording.sets_anew(text) and not any(e.editable for e in page.seen.elements)


def _is_menu_tile(page: Page, element: Element) -> bool:
    """Whether an element is one of several entries with a picture and a word, which lead to pages."""
    holds_picture = any(e.class_name.endswith("ImageView") for e in page.seen.descendants(element))
    return holds_picture and len(page.parts(element)) == 1 and len(page.siblings(element)) > 1


def _by_system(page: Page, own: list[str]) -> ActionKind | None:
    """The system's own questions: who may do what, and which app comes or goes."""
    package = page.seen.app.package
    if not own:
        return None
    if any(name in package for name in _PERMISSION_PACKAGES):
        return ActionKind.GRANT
    if any(name in package for name in _INSTALLER_PACKAGES) and (wording.agrees(own[0]) or _goes_on(own[0])):
        question = wording.kind_of_question(page.question)
        return question if question is ActionKind.DELETE else ActionKind.INSTALL
    if wording.kind_of_words(own[0]) is ActionKind.GRANT and page.is_dialog:
        asked = wording.kind_of_question(page.question)
        return ActionKind.SECURITY if asked is ActionKind.SECURITY else ActionKind.GRANT
    return None


def _goes_on(text: str) -> bool:
    return wording.kind_of_words(text) is not None


def _by_question(page: Page) -> ActionKind | None:
    """What a plain yes agrees to."""
    kind = wording.kind_of_question(page.question)
    if page.is_dialog or kind is not ActionKind.PAY:
        return kind if page.is_dialog or kind in (ActionKind.DELETE, ActionKind.SECURITY) else None
    return kind if amount_on(page) else None


def _on_keyboard(page: Page, y: int, under: list[Element]) -> bool:
    """Whether a touch lands on the keyboard, which the tree leaves out: its lower right key is Enter."""
    return page.seen.keyboard_shown and y > page.seen.height * _KEYBOARD_TOP and not under


def _of_typing(page: Page, text: str) -> tuple[ActionKind | None, Element | None]:
    field = page.seen.focused_field()
    if _SECRET.search(text) or (field is not None and takes_code(page, field)) or _is_card(text):
        return ActionKind.PASSWORD, field
    return _of_enter(page) if "\n" in text or "\r" in text else (None, field)


def takes_code(page: Page, field: Element) -> bool:
    """Whether a field takes a password or a code: by its kind, its id, its hint, or the label before it."""
    if field.password or wording.is_code_id(field.resource_id):
        return True
    before = [e for e in page.texts if not e.clickable and e.index < field.index][-1:]
    near = [words_of(e) for e in before if abs(e.bounds.bottom - field.bounds.top) < page.seen.height * 0.06]
    shown = field.text if len(field.text) <= _LONGEST_HINT else ""
    return any(map(wording.asks_for_code, [field.hint, field.description, shown, *near]))


def _is_card(text: str) -> bool:
    found = _CARD_NUMBER.search(text)
    return found is not None and _luhn([int(digit) for digit in found[0] if digit.isdecimal()])


def _luhn(digits: list[int]) -> bool:
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _of_enter(page: Page) -> tuple[ActionKind | None, Element | None]:
    """Enter does what the page offers to do with the field: it sends where there is a way to send."""
    field = page.seen.focused_field()
    if field is None or searches(field):
        return None, field
    offered = {kind_of_element(page, e) for e in page.seen.elements if e.clickable and e.enabled}
    kinds = (ActionKind.SEND, ActionKind.PAY)
    return next((kind for kind in kinds if kind in offered), None), field


def _of_slide(page: Page, start: Point) -> tuple[ActionKind | None, Element | None]:
    """A swipe that begins on a slider: what its words say, else what the page asks."""
    x, y = page.seen.pixels(start)
    under = sorted(
        (e for e in page.seen.elements if e.bounds.contains(x, y) and page.is_small(e)),
        key=lambda e: (e.bounds.area, -e.index),
    )
    for element in under:
        said = page.parts(element) or page.row_words(element)
        sliding = [text for text in said if wording.slides(text)]
        bar = element.class_name.endswith("SeekBar")
        if not sliding and not bar:
            continue
        for text in sliding:
            if kind := wording.kind_of_words(text) or wording.kind_of_question([text]):
                return kind, element
        if kind := _by_question(page) or (ActionKind.PAY if bar and _asks_to_pay(page) else None):
            return kind, element
    return None, under[0] if under else None


def _asks_to_pay(page: Page) -> bool:
    return wording.kind_of_question([page.heading]) is ActionKind.PAY and amount_on(page) != ""


__all__ = ["Risk", "judge"]


_ENGLISH = re.compile(
    r"\b(?:order|buy|book|reserve|pay|transfer|send|reply|message|text|write|mail|e-?mail|call|dial|ring|post|"
    r"publish|share|invite|subscribe|unsubscribe|delete|remove|clear|erase|cancel|install|uninstall|update|"
    r"allow|grant|permit|password|security|reset|log ?(?:in|out)|sign (?:in|up|out)|taxi|ride)\b",
    re.I,
)
_CHINESE = re.compile(
    r"点|买|订|付|支付|转账|转|发|回复|写|打电话|拨|呼叫|发布|分享|邀请|关注|删|清空|取消|安装|卸载|更新|"
    r"允许|授权|密码|安全|重置|登录|登出|打车|叫车"
)


def is_sensitive_instruction(instruction: str, actions: Iterable[Action]) -> bool:
    """Whether an instruction, or what was tapped when it was carried out before, sounds sensitive.

    Rather once too often: what is only looked at or played begins by itself, everything else is offered.
    """
    if _ENGLISH.search(instruction) or _CHINESE.search(instruction):
        return True
    return any(_is_sensitive(one) for one in actions)


def _is_sensitive(action: Action) -> bool:
    match action:
        case Click() | LongClick():
            labels = (action.content, action.target.label if action.target else "")
            return any(label and kind_of_words(label) is not None for label in labels)
        case TypeText(text=text):
            return "{{" in text
        case _:
            return False

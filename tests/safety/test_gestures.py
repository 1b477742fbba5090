"""Fingers that stay, move a row aside or drop something, typed codes, and notifications over an app."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from assistant.events import ActionKind
from assistant.records import (
    Action,
    Direction,
    Element,
    ForegroundApp,
    LongClick,
    Observation,
    OpenApp,
    Point,
    Scroll,
    Swipe,
    TypeText,
)
from assistant.safety.classifier import Cue, judge
from tests.safety.screens import WIDTH, button, element, icon, label, screen, tap
from tests.tables import each

SEND, PAY, DELETE, PASSWORD = ActionKind.SEND, ActionKind.PAY, ActionKind.DELETE, ActionKind.PASSWORD
REST = Point(0.5, 0.8)


def kind_of(action: Action, seen: Observation) -> ActionKind | None:
    risk = judge(action, seen)
    return risk.kind if risk is not None else None


@each(
    "words",
    [
        "Hold to speak",
        "Press and hold to leave a voice note",
        "按住 说话",
        "Zum Sprechen gedrückt halten",
        "Mantén presionado para grabar",
        "Maintenez appuyé pour enregistrer",
        "Удерживайте, чтобы записать",
        "長押しで録音",
        "Segure para gravar",
    ],
)
def test_a_finger_that_stays_where_it_records_sends_what_is_said(words: str) -> None:
    chat = screen(label("Mom"), button(words, 150))
    assert kind_of(LongClick(point=REST), chat) is SEND
    assert kind_of(Swipe(start=REST, end=REST), chat) is SEND
    assert judge(tap(chat, 2), chat) is None


def test_what_is_held_to_confirm_does_what_its_page_asks() -> None:
    held = screen(label("Checkout"), label("Total ¥99", 60), button("Touch and hold to confirm", 150))
    risk = judge(LongClick(point=REST), held)
    assert risk is not None
    assert (risk.kind, risk.cue) == (PAY, Cue.GESTURE)


def test_a_key_of_a_dial_pad_that_is_held_calls() -> None:
    words = [*map(str, range(1, 10)), "*", "0", "#"]
    keys = [
        button(word, 80 + 25 * (n // 3), left=33 * (n % 3), size=(33, 25)) for n, word in enumerate(words)
    ]
    pad = screen(element("EditText", 40), *keys)
    assert kind_of(LongClick(point=Point(0.5, 0.46)), pad) is SEND
    assert judge(tap(pad, 3), pad) is None


def rows(kind: str = "RecyclerView", height: int = 30, **values: Any) -> Observation:
    """A list of four entries as wide as the screen, below a title."""
    entries = [element("LinearLayout", 20 + 30 * n, size=(WIDTH, height), parent=2) for n in range(4)]
    return screen(label("Inbox"), element(kind, 20, size=(WIDTH, 160), scrollable=True), *entries, **values)


ASIDE = [
    Swipe(start=Point(0.8, 0.3), end=Point(0.1, 0.3)),
    Swipe(start=Point(0.1, 0.3), end=Point(0.9, 0.32)),
    Scroll(point=Point(0.5, 0.3), direction=Direction.RIGHT),
]


@each("gesture", ASIDE)
def test_a_row_that_is_moved_aside_may_be_deleted(gesture: Action) -> None:
    risk = judge(gesture, rows())
    assert risk is not None
    assert (risk.kind, risk.cue) == (DELETE, Cue.GESTURE)


@each("gesture", ASIDE)
@each(
    "seen",
    [
        rows("ViewPager"),
        rows("HorizontalScrollView"),
        rows(height=120),
        rows(app=ForegroundApp("com.android.systemui", "", "Shade")),
        rows(app=ForegroundApp("com.android.launcher3", ".Launcher", "Home")),
        screen(label("Reader"), label("A page of a book", 40)),
    ],
)
def test_pages_and_notifications_are_moved_aside_unasked(seen: Observation, gesture: Action) -> None:
    assert judge(gesture, seen) is None


@each(
    "gesture",
    [
        Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
        Swipe(start=Point(0.5, 0.8), end=Point(0.6, 0.2)),
        Swipe(start=Point(0.005, 0.3), end=Point(0.6, 0.3)),  # The gesture for Back begins at the edge.
        Scroll(point=Point(0.5, 0.5), direction=Direction.DOWN),
    ],
)
def test_a_list_is_scrolled_unasked(gesture: Action) -> None:
    assert judge(gesture, rows()) is None


def test_what_is_dropped_on_a_bin_is_deleted() -> None:
    card = element("LinearLayout", 60, size=(40, 30), clickable=True, long_clickable=True)
    board = screen(label("Notes"), card, icon(180, 40, description="Delete"))
    drop = Swipe(start=Point(0.2, 0.35), end=Point(0.5, 0.95))
    assert kind_of(drop, board) is DELETE
    assert judge(Swipe(start=Point(0.2, 0.35), end=Point(0.2, 0.6)), board) is None
    whole = replace(board, elements=(replace(board.elements[0], scrollable=True), *board.elements[1:]))
    assert judge(drop, whole) is None, "the page is scrolled"


@each(
    "hint",
    [
        *(
            "Enter the 6-digit code",
            "Código",
            "Code eingeben",
            "Код",
            "输入代码",
            "確認コード",
            "Code à 6 chiffres",
        ),
        *("6-stelliger Code", "인증번호", "Codice"),
    ],
)
def test_a_code_that_is_typed_is_secret(hint: str) -> None:
    page = screen(label("Sign in"), element("EditText", 60, hint=hint, clickable=True, focused=True))
    assert kind_of(TypeText(text="493027"), page) is PASSWORD


@each("hint", ["ZIP code", "Promo code", "Postcode", "Meeting code", "邮政编码", "Quantity"])
def test_another_number_is_no_secret(hint: str) -> None:
    page = screen(label("Address"), element("EditText", 60, hint=hint, clickable=True, focused=True))
    assert judge(TypeText(text="94107"), page) is None


def test_a_digit_in_one_of_several_boxes_is_secret() -> None:
    boxes = [element("EditText", 60, 15 * n, size=(12, 20), clickable=True, focused=n == 0) for n in range(6)]
    assert kind_of(TypeText(text="4"), screen(label("We have sent you something"), *boxes)) is PASSWORD
    alone = screen(label("How many"), replace(boxes[0], focused=True))
    assert judge(TypeText(text="4"), alone) is None


def test_a_code_for_boxes_that_are_drawn_is_secret() -> None:
    drawn = screen(label("Enter payment password"), element("View", 60), keyboard_shown=True)
    assert kind_of(TypeText(text="493027"), drawn) is PASSWORD


def over_an_app(*notice: Element) -> Observation:
    """A notification that the system shows over an app."""
    seen = screen(label("Shop", 40), button("See all", 80))
    page = [replace(e, package="com.example.app") for e in seen.elements]
    root = element("FrameLayout", 2, size=(WIDTH, 30), package="com.android.systemui")
    first = len(page)
    notices = [
        replace(e, index=first + 1 + n, parent=first, package="com.android.systemui")
        for n, e in enumerate(notice)
    ]
    return replace(seen, elements=(*page, replace(root, index=first), *notices))


@each("words", ["Approve", "Yes, it was me", "确认", "Bestätigen", "Confirmar", "Принять"])
def test_a_notification_over_an_app_is_judged_by_what_it_says(words: str) -> None:
    seen = over_an_app(label("Bank: pay ¥5000 to Bob?", 4, size=(90, 10)), button(words, 16, size=(40, 10)))
    risk = judge(tap(seen, 5), seen)
    assert risk is not None
    assert risk.window is not None
    assert risk.window.app.package == "com.android.systemui"


@each("words", ["Not now", "Mute", "Mark as read"])
def test_a_harmless_button_of_a_notification_is_not_asked_about(words: str) -> None:
    seen = over_an_app(label("Mom: see you at 8", 4, size=(90, 10)), button(words, 16, size=(40, 10)))
    assert judge(tap(seen, 5), seen) is None
    assert judge(tap(seen, 2), seen) is None


@each("path", ["confirm", "a/7/accept", "e/verify", "login/approve", "offer/redeem"])
def test_a_link_that_acts_when_it_is_opened_is_asked_about(path: str) -> None:
    assert judge(OpenApp(name="Browser", at=f"https://example.com/{path}"), rows()) is not None
    assert judge(OpenApp(name="Browser", at="https://example.com/wiki/Tea"), rows()) is None


def chat(*below: Element, hint: str = "Message", field_at: int = 120) -> Observation:
    """A chat with an empty field, and a panel below it."""
    panel = element("GridView", 140, size=(WIDTH, 60))
    written = element("EditText", field_at, hint=hint, size=(80, 15), clickable=True)
    return screen(label("Mom"), written, panel, *(replace(e, parent=3) for e in below))


@each("words", ["Sticker", "[Hug]", "", "Party parrot"])
def test_a_sticker_of_a_chat_is_sent_by_a_touch(words: str) -> None:
    stickers = [
        element("ImageView", 145, 25 * n, size=(22, 22), clickable=True, description=words) for n in range(3)
    ]
    assert kind_of(tap(chat(*stickers), 4), chat(*stickers)) is SEND
    no_chat = chat(*stickers, hint="Search")
    assert judge(tap(no_chat, 4), no_chat) is None


def test_signs_that_are_typed_and_what_is_attached_are_no_stickers() -> None:
    signs = [element("ImageView", 145, 12 * n, size=(11, 11), clickable=True) for n in range(6)]
    assert judge(tap(chat(*signs), 4), chat(*signs)) is None
    tile = element("LinearLayout", 145, 5, size=(25, 30), clickable=True)
    seen = chat(tile, replace(label("Gallery", 165, size=(20, 8), left=6), parent=4))
    assert judge(tap(seen, 4), seen) is None


@each("words", ["See you there", "收到啦", "Danke!", "No problem"])
def test_a_ready_answer_above_the_field_of_a_chat_is_sent_by_a_touch(words: str) -> None:
    answers = [button(words, 128, left=5, size=(40, 12)), button("Thanks!", 128, left=50, size=(40, 12))]
    written = element("EditText", 145, hint="Type a message", size=(80, 15), clickable=True)
    seen = screen(label("Mom"), *answers, written)
    assert kind_of(tap(seen, 2), seen) is SEND


@each(
    "words",
    ["Passer en direct", "Transmitir ao vivo", "Начать эфир", "配信を開始", "Livestream starten", "开播"],
)
def test_what_shows_the_user_to_everybody_is_asked_about(words: str) -> None:
    seen = screen(label("Studio"), button(words, 150, left=20, size=(60, 20)))
    assert kind_of(tap(seen, 2), seen) is SEND

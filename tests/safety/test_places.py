"""What the place of a control tells, where apps mix their layouts, filter, scroll, invite and take a code."""

from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.records import Element, ForegroundApp, Observation
from assistant.safety.classifier import judge
from tests.safety.screens import button, element, field, icon, label, screen, tap
from tests.tables import each

PHONE = ForegroundApp("com.android.settings", ".Sub", "Settings")


def kind_of(observation: Observation, number: int) -> ActionKind | None:
    """The kind of a tap on an element, counted from 1."""
    risk = judge(tap(observation, number), observation)
    return risk.kind if risk else None


def text(words: str, top: int, left: int, parent: int, width: int = 30) -> Element:
    """A text that takes no touches, inside of an element."""
    return label(words, top, left=left, size=(width, 8), parent=parent)


def statement(*kinds: str) -> Observation:
    """The list of an account: each entry with a payee, a time and a sum; the entries are 2, 6, 10 ..."""
    rows = []
    names = ("转账给小李", "水电费", "酒店退款")
    for number, (kind, name) in enumerate(zip(kinds, names, strict=True)):
        top, at = 40 + 25 * number, 2 + 4 * number
        rows += [
            element(kind, top, clickable=True, parent=1),
            text(name, top, 5, at, 50),
            text("昨天 18:02", top + 9, 5, at, 50),
            text("-30.00", top, 70, at),
        ]
    return screen(element("RecyclerView", 30, size=(100, 160)), *rows)


def test_entries_are_alike_though_their_layouts_differ() -> None:
    for kinds in (("LinearLayout",) * 3, ("LinearLayout", "RelativeLayout", "ConstraintLayout")):
        assert kind_of(statement(*kinds), 2) is None
    assert kind_of(statement("Button", "RelativeLayout", "RelativeLayout"), 2) is ActionKind.PAY


def grid(*kinds: str) -> Observation:
    """A line of four tiles with a word each."""
    tiles = []
    for number, (kind, words) in enumerate(
        zip(kinds, ("Überweisen", "Karten", "Fonds", "Post"), strict=True)
    ):
        tiles += [
            element(kind, 40, 25 * number, size=(25, 20), clickable=True, parent=1),
            text(words, 50, 25 * number, 2 + 2 * number, 20),
        ]
    return screen(element("GridView", 40, size=(100, 20)), *tiles)


def test_tiles_of_a_line_are_alike_though_their_layouts_differ() -> None:
    assert kind_of(grid("LinearLayout", "RelativeLayout", "FrameLayout", "ViewGroup"), 2) is None
    assert kind_of(grid("Button", "TextView", "FrameLayout", "CheckBox"), 2) is not None


def chosen(kind: str, *, checked: bool, app: ForegroundApp) -> Observation:
    """A row of a page about an app's permission, with a box; the row is 2."""
    return screen(
        label("Camera access"),
        element("LinearLayout", 60, clickable=True),
        text("Allow all the time", 60, 5, 2, 60),
        element(kind, 60, 80, size=(15, 15), checkable=True, checked=checked, parent=2),
        app=app,
    )


def test_what_is_chosen_already_on_a_page_of_the_phone_changes_nothing() -> None:
    assert kind_of(chosen("RadioButton", checked=True, app=PHONE), 2) is None
    assert kind_of(chosen("RadioButton", checked=False, app=PHONE), 2) is ActionKind.GRANT
    other = ForegroundApp("com.example.app", ".Main", "App")
    assert kind_of(chosen("RadioButton", checked=True, app=other), 2) is ActionKind.GRANT
    assert kind_of(chosen("Switch", checked=True, app=PHONE), 2) is ActionKind.GRANT


def renewal(*, checked: bool, words: str, kind: str = "RelativeLayout", below: str = "") -> Observation:
    """A row with a box above a button; the row is 2."""
    return screen(
        label("Premium"),
        element(kind, 60, clickable=True),
        text(words, 60, 5, 2, 70),
        element("CheckBox", 60, 80, size=(15, 15), checkable=True, checked=checked, parent=2),
        *([button(below, 150)] if below else []),
    )


def test_a_tap_on_the_row_of_a_ticked_box_takes_the_tick_from_it() -> None:
    words = "Automatic renewal every month"
    assert kind_of(renewal(checked=True, words=words, below="Bezahlen 9,99 €"), 2) is None
    assert kind_of(renewal(checked=False, words=words, below="Bezahlen 9,99 €"), 2) is ActionKind.PAY
    # A button with a box in it and a row with a sum pay.
    assert kind_of(renewal(checked=True, words="Pay now", kind="Button"), 2) is ActionKind.PAY
    assert kind_of(renewal(checked=True, words="Jetzt 30 € zahlen"), 2) is ActionKind.PAY


def consent(*answers: str) -> Observation:
    """A box with its answers below; the row of the box is 2, the answers are 5 and 6."""
    return screen(
        label("Planly wants access to your contacts", 20),
        element("LinearLayout", 60, clickable=True),
        text("See and edit them", 60, 5, 2, 70),
        element("CheckBox", 60, 80, size=(15, 15), checkable=True, parent=2),
        *(button(words, 150, left=50 * number, size=(45, 15)) for number, words in enumerate(answers)),
    )


def test_what_a_page_asks_is_done_by_its_answer_and_not_by_a_box_above_it() -> None:
    page = consent("Cancel", "Continue")
    assert kind_of(page, 2) is None
    assert kind_of(page, 6) is not None


def balance(words: str, *more: Element) -> Observation:
    """A line with a sum that names no deed, below a title; it is 2."""
    row = element("ViewGroup", 60, clickable=True)
    return screen(label("Gems"), row, text(words, 60, 10, 2, 50), *more)


def test_a_line_with_a_sum_pays_nothing_where_another_control_pays() -> None:
    pays = button("Buy now", 160)
    assert kind_of(balance("Guthaben: 3,20 €", pays), 2) is None
    assert kind_of(balance("Jetzt kaufen 3,20 €", pays), 2) is ActionKind.PAY
    assert kind_of(balance("Upgrade 3,20 €"), 2) is ActionKind.PAY


@each("words", ["View cart · $12.50", "Ver carrito 12,50 €", "Zobacz koszyk 45 zł"])
def test_what_shows_the_cart_pays_nothing(words: str) -> None:
    assert kind_of(screen(label("Pizza Roma"), button(words, 170)), 2) is None


@each("words", ["Pay for cart $12.50", "Zapłać za koszyk 45 zł", "Order basket 12,50 €"])
def test_what_pays_for_the_cart_is_asked_about(words: str) -> None:
    assert kind_of(screen(label("Pizza Roma"), button(words, 170)), 2) is ActionKind.PAY


def sheet(words: str, below: int = 80) -> Observation:
    """A sheet over a page, and a view outside of it that closes it; the view is 1."""
    outside = element("View", 0, size=(100, 80), clickable=True, description=words)
    return screen(outside, label("Delete the draft?", below), button("Delete", 150))


def test_what_is_outside_of_a_sheet_closes_it() -> None:
    assert kind_of(sheet("Cancel deletion"), 1) is None
    assert kind_of(sheet("Cancel order", below=40), 1) is ActionKind.DELETE
    assert kind_of(sheet("Delete all"), 1) is ActionKind.DELETE


def menu_and_note(kind: str, top: int) -> Observation:
    """An icon called “Menu” in a language, above a sentence that names a payment."""
    return screen(
        element(kind, top, size=(12, 12), clickable=True, description="Menù"),
        label("Bonifico di 87,40 EUR a Luca Rossi, addebito immediato sul conto", 40),
    )


def test_an_icon_in_the_top_bar_does_not_do_what_a_sentence_says() -> None:
    assert kind_of(menu_and_note("ImageView", 2), 1) is None


def test_what_turns_an_order_down_does_not_commit_to_it() -> None:
    texts = (label("Prüfung"), label("Zahlung 87,40 EUR", 30))
    assert kind_of(screen(*texts, button("Zahlung zurückweisen", 150), button("Hilfe", 175)), 3) is None
    assert kind_of(screen(*texts, button("Bestätigen", 150)), 3) is ActionKind.PAY


def filters(*answers: str, chips: int = 3) -> Observation:
    """A sheet that filters by price, with choices in a line; the answers come last."""
    return screen(
        field(40, text="10", focused=False),
        *(button(f"Typ {n}", 80, left=30 * n, size=(28, 12)) for n in range(chips)),
        *(button(words, 170, left=50 * number, size=(45, 12)) for number, words in enumerate(answers)),
    )


@each("answers", [("Zurücksetzen", "OK"), ("Reset", "Apply"), ("重置", "确认"), ("초기화", "확인")])
def test_what_sets_back_a_filter_and_what_applies_it_send_nothing(answers: tuple[str, str]) -> None:
    page = filters(*answers)
    assert kind_of(page, 5) is None
    assert kind_of(page, 6) is None


def test_what_submits_a_form_beside_what_empties_it_is_asked_about() -> None:
    assert kind_of(filters("Reset", "Submit"), 6) is ActionKind.SEND
    assert kind_of(filters("重置", "提交"), 6) is ActionKind.SEND


def resets(*rows: tuple[str, ...], app: ForegroundApp = PHONE) -> Observation:
    """A list of the settings: rows with a line under the words or without."""
    made: list[Element] = []
    for number, words in enumerate(rows):
        made.append(element("LinearLayout", 30 + 25 * number, clickable=True))
        made += [text(w, 30 + 25 * number + 9 * n, 5, len(made), 60) for n, w in enumerate(words)]
    return screen(*made, app=app)


def test_a_row_of_the_settings_leads_on_where_another_has_a_line_under_it() -> None:
    rows = (("Ağı sıfırla", "Wi-Fi ve Bluetooth"), ("Tüm ayarları sıfırla",), ("Yardım",))
    assert kind_of(resets(*rows), 4) is None
    assert kind_of(resets(*rows, app=ForegroundApp("com.example.app")), 4) is ActionKind.DELETE


def test_of_small_controls_in_a_line_those_before_the_last_complete_nothing() -> None:
    links = [button(words, 120, left=25 * n, size=(22, 10)) for n, words in enumerate(("Angaben", "Ändern"))]
    assert kind_of(screen(label("Kauf 500,00 €", 20), *links), 2) is None
    alone = screen(label("Kauf 500,00 €", 20), button("Angaben", 120))
    assert kind_of(alone, 2) is ActionKind.PAY


def invitation(*answers: str) -> Observation:
    """An event with answers in a line, which are 3, 4, 5 ..."""
    buttons = (button(words, 120, left=33 * n, size=(30, 12)) for n, words in enumerate(answers))
    return screen(label("Team lunch"), label("Nimmst du teil?", 90), *buttons)


@each("answers", [("Ja", "Nein", "Vielleicht"), ("Yes", "No", "Maybe"), ("はい", "いいえ", "未定")])
def test_each_answer_to_an_invitation_goes_to_somebody(answers: tuple[str, ...]) -> None:
    for number in (3, 4, 5):
        assert kind_of(invitation(*answers), number) is ActionKind.SEND


def test_yes_and_no_alone_are_no_answer_to_an_invitation() -> None:
    assert kind_of(invitation("Ja", "Nein"), 3) is None
    assert kind_of(invitation("Teilen", "Vielleicht", "Kopieren"), 4) is None


def card(*actions: str) -> Observation:
    """A person's picture with icons below."""
    icons = (icon(150, 20 * n, description=words, size=(18, 18)) for n, words in enumerate(actions))
    return screen(label("Sam, 31"), *icons)


def test_a_like_beside_what_passes_somebody_over_is_told_to_them() -> None:
    assert kind_of(card("Back", "Nope", "Like"), 4) is ActionKind.SEND
    assert kind_of(card("Close", "Dislike", "Like"), 4) is None


def slider(words: str, kind: str = "SeekBar", width: int = 90) -> Observation:
    """A page with two sums and a control that is slid."""
    bar = element(kind, 150, 5, size=(width, 20), clickable=True, description=words)
    return screen(label("Order"), label("120.00 €", 30), label("Available 900.00 €", 60), bar)


@each("words", ["Slide to place order", "Wischen zum Bestellen", "滑动确认"])
def test_a_tap_on_a_wide_slider_is_asked_about_on_a_page_with_sums(words: str) -> None:
    assert kind_of(slider(words, "View"), 4) is ActionKind.PAY


def test_what_is_slid_to_show_more_or_is_small_pays_nothing() -> None:
    assert kind_of(slider("Swipe up to see more"), 4) is None
    assert kind_of(slider("Swipe up there", width=30), 4) is None


def test_a_button_confirms_a_sum_among_others_where_the_heading_says_so() -> None:
    texts = (label("2.000,00 $", 25), label("Saldo 9.400,00 $", 50), label("Costo 0,00 $", 75))
    confirms = button("Confirmar", 150)
    assert kind_of(screen(label("Confirma tu envío"), *texts, confirms), 5) is ActionKind.PAY
    assert kind_of(screen(label("Tus cuentas"), *texts, button("Detalles", 150)), 5) is None


def pad(*corners: str) -> Observation:
    """A pad of digits for a code; the keys of its last line beside the zero are 13 and 15."""
    keys = [
        button(str(number), 80 + 20 * ((number - 1) // 3), left=33 * ((number - 1) % 3), size=(33, 20))
        for number in range(1, 10)
    ]
    last = [
        button(words, 140, left=33 * place, size=(33, 20))
        for place, words in enumerate((corners[0], "0", corners[1]))
    ]
    return screen(label("Bank"), label("PIN eingeben"), label("450,00 € an Markt"), *keys, *last)


def test_the_key_opposite_of_what_erases_completes_a_code() -> None:
    assert kind_of(pad("⌫", "Vai"), 15) is ActionKind.PASSWORD
    assert kind_of(pad("Löschen", "→→"), 15) is ActionKind.PASSWORD
    assert kind_of(pad("Hilfe", "Mehr"), 15) is None


def ride(words: str, left: int, width: int) -> Observation:
    """Two rides with their prices, and a control in the bar at the bottom, which is 9."""
    rows = []
    for number, (name, price) in enumerate((("Veloz", "14.000 ₫"), ("Veloz Max", "19.500 ₫"))):
        top, at = 40 + 30 * number, 1 + 4 * number
        rows += [
            element("ViewGroup", top, clickable=True),
            text(name, top, 5, at),
            text("4 phút", top + 9, 5, at),
            text(price, top, 70, at),
        ]
    return screen(*rows, element("ViewGroup", 182, left, size=(width, 15), clickable=True, description=words))


def test_the_end_of_a_bar_that_names_a_priced_choice_orders_it() -> None:
    assert kind_of(ride("Đi Veloz", 50, 48), 9) is ActionKind.PAY
    assert kind_of(ride("Đi Veloz", 2, 30), 9) is None
    assert kind_of(ride("Bản đồ", 50, 48), 9) is None


def test_what_stands_behind_the_field_of_a_chat_is_no_row_of_a_list() -> None:
    icons = [
        element("ViewGroup", 180, 60 + 13 * n, size=(13, 15), clickable=True, description=words)
        for n, words in enumerate(("GIF", "Emoji", "Senden „Daumen hoch“"))
    ]
    assert kind_of(screen(label("Mia"), field(180, size=(55, 15)), *icons), 5) is ActionKind.SEND


@each(
    "words",
    ["立即重启安装", "重启并更新", pytest.param("现在重新启动", id="at once")],
)
def test_what_restarts_the_phone_for_an_update_installs_it(words: str) -> None:
    assert (
        kind_of(screen(label("系统升级"), button(words, 150), button("以后", 175)), 2) is ActionKind.INSTALL
    )


@each("words", ["Alle aktualisieren", "Tout mettre à jour", "すべて更新", "Zaktualizuj wszystkie"])
def test_what_updates_all_apps_installs(words: str) -> None:
    assert kind_of(screen(label("Apps"), button(words, 150)), 2) is ActionKind.INSTALL


def test_a_clock_on_what_clocks_in_is_no_banner_s_line() -> None:
    clock = element("ImageView", 60, size=(100, 60), clickable=True, description="上班打卡 08:59:07")
    assert kind_of(screen(label("考勤"), clock), 2) is ActionKind.SEND


@each("words", [("Моя корзина", "Удалить"), ("내 장바구니", "삭제"), ("आपका कार्ट", "हटाएं")])
def test_in_a_cart_that_is_called_one_s_own_a_removal_deletes_nothing(words: tuple[str, str]) -> None:
    title, removes = words
    price = label("999 ₽", 40)
    assert kind_of(screen(label(title), price, button(removes, 70, size=(30, 10))), 3) is None
    assert kind_of(screen(label("Mia"), price, button(removes, 70, size=(30, 10))), 3) is ActionKind.DELETE


def test_the_top_bar_begins_below_the_bar_of_the_system() -> None:
    page = element("View", 8, size=(100, 192))
    words = ("Navigate up", "Call", "More")
    bar = (
        element("View", 8, 20 * place, size=(20, 14), description=word, clickable=True)
        for place, word in enumerate(words)
    )
    assert kind_of(screen(page, *bar, field(150)), 3) is ActionKind.SEND


@each("number", ["(541) 555-0142", "541-555-0142", "+49 30 901820"])
def test_a_number_of_a_contact_is_called_however_it_is_written(number: str) -> None:
    row = element("LinearLayout", 60, clickable=True)
    shown = screen(label("Mariana"), row, label(number, 60, parent=2), label("Work", 70, parent=2))
    assert kind_of(shown, 2) is ActionKind.SEND


@each("words", ["Confirm", "Apply", "完成", "✓"])
def test_a_field_right_below_a_low_title_is_one_of_the_page(words: str) -> None:
    written = field(21, size=(100, 8), text="hello all", hint="What's up")
    seen = screen(label("Status", 2, size=(60, 12)), written, button(words, 170, left=4, size=(92, 20)))
    assert kind_of(seen, 3) is ActionKind.SEND


@each("view", ["View", "ViewGroup", "TextView", "Button"])
def test_what_agrees_to_a_document_agrees_whatever_it_is_drawn_as(view: str) -> None:
    for line, words, kind in (
        ("借款 ¥5000 年利率18%", "同意《借款合同》", ActionKind.PAY),
        ("开通会员 ¥15/月 到期自动续费", "我已阅读并同意《自动续费协议》", ActionKind.PAY),
        ("星空 申请获取以下权限：你的姓名", "同意《用户授权协议》", ActionKind.GRANT),
    ):
        seen = screen(label(line), element(view, 140, 4, size=(92, 20), text=words, clickable=True))
        assert kind_of(seen, 2) is kind, words


@each(
    "words", ["Enviar a 3 contactos", "Enviar a Juan 11-5555-3412", "Enviar a Lucia y 2 más", "Enviar a Juan"]
)
def test_in_a_shop_what_sends_to_people_is_asked_about(words: str) -> None:
    cart = button("Cart", 180, size=(30, 20))
    drawn = screen(label("Air fryer $59"), button(words, 140), cart)
    row = element("LinearLayout", 140, clickable=True)
    held = screen(label("Air fryer $59"), row, label(words, 140, parent=2, size=(90, 15)), cart)
    assert kind_of(drawn, 2) is ActionKind.SEND
    assert kind_of(held, 2) is ActionKind.SEND

"""What a control only leads to, chooses or types, and another one does: tabs, forms, boxes, pads."""

from __future__ import annotations

from assistant.events import ActionKind
from assistant.records import Element, ForegroundApp, Observation
from assistant.safety.classifier import judge
from assistant.safety.wording import classify_label
from tests.safety.screens import button, element, field, label, screen, tap, wide_button
from tests.tables import each

SETTINGS = ForegroundApp("com.android.settings", ".Sub", "Settings")


def kind_of(observation: Observation, number: int) -> ActionKind | None:
    """The kind of a tap on an element, counted from 1."""
    risk = judge(tap(observation, number), observation)
    return risk.kind if risk else None


def row(words: str, top: int, at: int, *, box: str = "", picture: bool = False) -> list[Element]:
    """A row of a list with its words, which takes touches; `at` is its own number."""
    parts = [
        element("LinearLayout", top, size=(100, 15), clickable=True),
        label(words, top, left=20, size=(40, 12), parent=at),
    ]
    if box:
        parts.append(element(box, top, 85, size=(10, 10), checkable=True, parent=at))
    if picture:
        parts.append(element("ImageView", top, 4, size=(10, 10), parent=at))
    return parts


def tabs(*words: str, at: int, selected: int = 0) -> list[Element]:
    """A bar of tabs at the bottom, in a holder with the number `at`; one is selected."""
    width = 100 // len(words)
    bar = (
        element("FrameLayout", 182, width * number, size=(width, 18), text=word, clickable=True, parent=at)
        for number, word in enumerate(words)
    )
    holder = element("LinearLayout", 182, size=(100, 18))
    return [holder, *(_selected(e) if number == selected else e for number, e in enumerate(bar))]


def _selected(given: Element) -> Element:
    return Element(**{**{name: getattr(given, name) for name in Element.__slots__}, "selected": True})


def small(words: str) -> Element:
    """A small button at the right of a page."""
    return button(words, 60, left=60, size=(35, 12))


def above_tabs(given: Element, *others: Element, selected: int = 0) -> Observation:
    """A page with a control, which is 2, and three tabs at the bottom."""
    bar = tabs("Home", "Cards", "More", at=3 + len(others), selected=selected)
    return screen(label("My bank"), given, *others, *bar)


def test_what_pays_on_a_page_with_tabs_leads_to_its_page_unless_it_is_wide_or_settles() -> None:
    for words in ("Pay card", "Fahrkarte kaufen", "Buy a pass", "购买月票"):
        assert kind_of(screen(label("My bank"), small(words)), 2) is ActionKind.PAY
        assert kind_of(above_tabs(small(words)), 2) is None
    for words in ("Pay $30", "Confirm payment", "提交订单"):
        assert kind_of(above_tabs(small(words)), 2) is ActionKind.PAY
    assert kind_of(above_tabs(button("Buy now", 60, left=4, size=(92, 12))), 2) is ActionKind.PAY


def test_a_balance_called_a_total_makes_no_checkout_of_a_page_with_tabs() -> None:
    balance = label("Total balance $812.40", 30)
    assert kind_of(above_tabs(small("Pay card"), balance), 2) is None
    bar = tabs("Home", "Pay & send", "Plans", "More", at=3)
    assert kind_of(screen(label("My bank"), balance, *bar), 5) is None


def test_three_controls_in_a_bar_are_tabs_only_where_one_is_selected_and_keys_never() -> None:
    assert kind_of(above_tabs(small("Pay card"), selected=7), 2) is ActionKind.PAY
    keys = [
        element("Button", 150, 25 * number, size=(25, 50), text=words, clickable=True)
        for number, words in enumerate(("1", "2", "3", "Transfer"))
    ]
    assert kind_of(screen(label("To Ann"), field(40, text="25"), *keys), 6) is ActionKind.PAY


def test_a_sum_is_paid_by_no_line_of_a_list_and_on_no_page_with_tabs() -> None:
    total = label("Total 30 €", 40)
    ends = element("View", 120, 4, size=(92, 14), text="Doe maar", clickable=True)
    assert kind_of(screen(label("Offers"), total, ends), 3) is ActionKind.PAY
    assert kind_of(screen(label("Offers"), total, *row("Doe maar", 120, 3, picture=True)), 3) is None
    bar = tabs("Home", "Cart", "More", at=4, selected=1)
    assert kind_of(screen(label("Offers"), total, ends, *bar), 3) is None


def unknown(width: int, *others: Element) -> Observation:
    """A page with one price and a button whose word nobody knows, which is 3."""
    return screen(
        label("Bergtour"),
        label("30 €", 40),
        button("Zupfen", 150, left=2, size=(width, 14)),
        *others,
    )


def test_an_unknown_word_completes_a_page_with_a_price_only_as_the_one_wide_control_of_its_line() -> None:
    beside = button("Details", 150, left=80, size=(18, 14))
    assert kind_of(unknown(92), 3) is ActionKind.PAY
    assert kind_of(unknown(30), 3) is None
    assert kind_of(unknown(70, beside), 3) is None
    total = label("Total 30 €", 60)
    assert kind_of(unknown(70, beside, total), 3) is ActionKind.PAY


def test_going_on_in_a_form_sends_nothing_in_any_language() -> None:
    def form(words: str) -> Observation:
        return screen(label("Anna"), field(40, text="Abendessen"), wide_button(words))

    for words in ("Continue", "Weiter", "Continuar", "Suivant", "Далее", "次へ", "다음", "التالي", "下一步"):
        assert kind_of(form(words), 3) is None, words
    for words in ("Fertig", "Concluir", "Готово"):
        assert kind_of(form(words), 3) is ActionKind.SEND, words


def test_a_picture_in_the_top_bar_that_shares_opens_a_choice_of_people() -> None:
    def page(title: str, kind: str = "ImageButton") -> Observation:
        share = element(kind, 0, 80, size=(18, 12), description="Compartir", clickable=True)
        return screen(label(title, size=(60, 12)), share, field(60, text="PQ41"))

    assert kind_of(page("Seguimiento"), 2) is None
    assert kind_of(page("New post"), 2) is ActionKind.SEND
    assert kind_of(page("Seguimiento", "Button"), 2) is ActionKind.SEND


def with_box(words: str, box: str, below: str, *, written: bool = True, picture: bool = False) -> Observation:
    """A row with a box above a button of a form; the row is 2."""
    return screen(
        label("Details"),
        *row(words, 60, 2, box=box, picture=picture),
        *([field(90, text="Miete")] if written else []),
        wide_button(below),
    )


def test_a_box_that_adds_to_what_a_button_below_does_is_asked_about_at_that_button() -> None:
    words = "Send a copy to everyone in the group"
    for below in ("Publish", "Transfer now"):
        for box in ("CheckBox", "Switch"):
            assert kind_of(with_box(words, box, below), 2) is None, (below, box)
    assert kind_of(with_box(words, "CheckBox", "Edit"), 2) is ActionKind.SEND
    # A switch of a page without a form acts by itself.
    assert kind_of(with_box(words, "Switch", "Publish", written=False), 2) is ActionKind.SEND
    erases = "Also delete the photos for good"
    assert kind_of(with_box(erases, "CheckBox", "Delete album"), 2) is None
    assert kind_of(with_box(erases, "Switch", "Delete album"), 2) is ActionKind.DELETE
    assert kind_of(with_box(erases, "CheckBox", "Publish"), 2) is ActionKind.DELETE


def test_a_row_with_a_picture_in_a_dialog_may_be_a_box_above_the_button_that_names_its_deed() -> None:
    def dialog(*answers: str, picture: bool = True) -> Observation:
        buttons = (button(words, 100 + 16 * number, size=(80, 15)) for number, words in enumerate(answers))
        return screen(
            label("Delete chat?", 40), *row("Delete its media", 60, 2, picture=picture), *buttons, dialog=True
        )

    assert kind_of(dialog("Delete chat", "Cancel"), 2) is None
    assert kind_of(dialog("Delete chat", "Cancel"), 5) is ActionKind.DELETE
    assert kind_of(dialog("Cancel"), 2) is ActionKind.DELETE
    assert kind_of(dialog("Delete chat", "Cancel", picture=False), 2) is ActionKind.DELETE


def test_a_question_is_read_above_the_rows_with_boxes_that_stand_before_its_answers() -> None:
    page = screen(
        label("Leave this room? All messages are deleted.", 40, size=(90, 15)),
        *row("Leave quietly", 60, 2, box="CheckBox"),
        button("Cancel", 90, left=0, size=(45, 15)),
        button("Leave", 90, left=50, size=(45, 15)),
    )
    assert kind_of(page, 2) is None
    assert kind_of(page, 6) is ActionKind.DELETE


def test_a_chip_that_can_be_chosen_does_nothing_by_itself() -> None:
    def chips(kind: str) -> Observation:
        chosen = (
            element(kind, 60, 30 * number, size=(28, 12), text=words, clickable=True, checkable=True)
            for number, words in enumerate(("All", "Auto-lock"))
        )
        return screen(label("Front door"), *chosen)

    assert kind_of(chips("CompoundButton"), 3) is None
    assert kind_of(chips("Switch"), 3) is ActionKind.SECURITY


def pad(*last: str) -> Observation:
    """A pad for a code; the words of its last line stand left, in the middle and right. 1 is 2, 9 is 10."""
    digits = [
        button(str(number + 1), 60 + 20 * (number // 3), left=33 * (number % 3), size=(33, 20))
        for number in range(9)
    ]
    ends = [button(words, 120, left=33 * place, size=(33, 20)) for place, words in enumerate(last) if words]
    return screen(label("Enter your PIN"), *digits, *ends)


def test_the_digits_of_a_code_enter_it_only_where_no_key_says_that_it_does() -> None:
    for word in ("OK", "✓", "Bestätigen", "जमा करें", "Confirmar", "完成"):
        whole = pad("Borrar", "0", word)
        assert kind_of(whole, 2) is None, word
        assert kind_of(whole, 13) is ActionKind.PASSWORD, word
    for last in (("", "0", ""), ("Borrar", "0", ""), ("Borrar", "0", "Huella")):
        assert kind_of(pad(*last), 2) is ActionKind.PASSWORD, last


@each("word", ["Apagar", "Borrar", "Löschen", "Delete", "删除"])
def test_a_key_that_takes_back_a_digit_of_a_code_switches_off_no_protection(word: str) -> None:
    assert kind_of(pad(word, "0", "OK"), 11) is None


def test_following_is_done_by_a_button_and_chosen_by_a_tab() -> None:
    top = (
        _selected(e) if number == 1 else e
        for number, e in enumerate(
            element("LinearLayout", 25, 33 * at, size=(33, 12), text=words, clickable=True, parent=2)
            for at, words in enumerate(("Follow", "For you", "Near"))
        )
    )
    assert kind_of(screen(label("Videos"), element("LinearLayout", 25, size=(100, 12)), *top), 3) is None
    assert (
        kind_of(screen(label("Ann Lee"), button("Follow", 60, left=5, size=(40, 12))), 2) is ActionKind.SEND
    )


def test_a_message_is_sent_only_from_a_page_with_something_written_in_it() -> None:
    send = button("Send message", 150, left=30, size=(65, 14))
    call = button("Details", 150, left=2, size=(26, 14))
    assert kind_of(screen(label("Blue bicycle"), call, send), 3) is None
    assert kind_of(screen(label("Blue bicycle"), call, send, field(60, text="Is it there?")), 3) is (
        ActionKind.SEND
    )


def test_a_row_of_pictures_that_were_sent_is_no_bar_with_a_count() -> None:
    def page(*, picture: bool) -> Observation:
        parts = [
            element("LinearLayout", 60, size=(100, 20), clickable=True),
            label("2 photos", 60, left=20, size=(60, 8), parent=1),
            label("Send them", 70, left=20, size=(60, 8), parent=1),
        ]
        return screen(*parts, *([element("ImageView", 60, 2, size=(10, 10), parent=1)] if picture else []))

    assert kind_of(page(picture=True), 1) is None
    assert kind_of(page(picture=False), 1) is ActionKind.SEND


@each(
    "words",
    [
        "《支付服务协议》",
        "Regels voor bieden",
        "Conditions de paiement",
        "Términos y condiciones",
        "Zahlungsbedingungen",
        "Правила возврата",
        "Ödeme koşulları",
        "利用規約",
        "결제 약관",
        "Điều khoản thanh toán",
    ],
)
def test_the_name_of_a_document_does_nothing(words: str) -> None:
    assert classify_label(words) is None


@each(
    "words, kind",
    [
        ("确认协议并支付", ActionKind.PAY),
        ("Bedingungen annehmen und kaufen", ActionKind.PAY),
        ("Accepter les conditions et payer", ActionKind.PAY),
        ("Plaats een bod", ActionKind.PAY),
        ("Gebot bestätigen", ActionKind.PAY),
        ("Hacer una puja", ActionKind.PAY),
        ("入札する", ActionKind.PAY),
        ("Move 3 old files to the trash", ActionKind.DELETE),
        ("Move to bin", ActionKind.DELETE),
    ],
)
def test_a_label_with_a_deed_does_it(words: str, kind: ActionKind) -> None:
    assert classify_label(words) is kind


def test_who_asks_for_what_is_known_of_somebody_is_granted_it_by_consent() -> None:
    def page(asked: str) -> Observation:
        row_of_document = row("《用户服务协议》", 90, 2)
        return screen(
            label(asked, 60, size=(90, 15)),
            *row_of_document,
            button("拒绝", 150, left=2, size=(45, 15)),
            button("同意", 150, left=52, size=(45, 15)),
        )

    assert kind_of(page("授权 某某出行 获取以下信息"), 5) is ActionKind.GRANT
    assert kind_of(page("某某出行 最近更新"), 5) is None


@each(
    "words",
    [
        *("Invite friends", "Freunde einladen", "Inviter des amis", "Пригласить друзей", "친구 초대"),
        *("Send feedback", "Feedback senden", "Enviar comentarios", "Gửi phản hồi", "ส่งความคิดเห็น"),
        *("Remove ads", "Werbung entfernen", "Supprimer les pubs", "広告を削除", "Hapus iklan"),
        *("Buy again", "Nochmals kaufen", "Köp igen", "Купити знову", "恢复购买"),
        *("Clear filters", "Filtreleri temizle", "Xóa bộ lọc", "필터 초기화", "Vymazat filtry"),
        *("To pay", "À payer", "Por pagar", "К оплате", "Belum bayar", "Đã thanh toán", "주문 완료"),
    ],
)
def test_what_leads_on_in_english_does_in_every_language(words: str) -> None:
    page = screen(label("App"), button(words, 150, left=4, size=(92, 20)))
    assert kind_of(page, 2) is None


@each(
    "words, kind",
    [
        *((words, ActionKind.PAY) for words in ("Finaliser l'achat", "Завершить покупку", "購入を完了する")),
        *((words, ActionKind.PAY) for words in ("Potwierdź przelew", "Bekräfta överföring", "이체 확인")),
        *((words, ActionKind.PAY) for words in ("Kostenlos testen", "Inizia la prova gratuita")),
        *((words, ActionKind.DELETE) for words in ("Annuler la course", "Hủy chuyến", "Zrušit jízdu")),
        *((words, ActionKind.DELETE) for words in ("Flytta till papperskorgen", "ユーザーをブロック")),
        *((words, ActionKind.INSTALL) for words in ("Alles updaten", "Nainstalovat", "Оновити зараз")),
        *((words, ActionKind.GRANT) for words in ("Erişime izin ver", "Autorisieren", "Tillåt åtkomst")),
        ("Disattiva verifica in due passaggi", ActionKind.SECURITY),
    ],
)
def test_what_is_a_deed_in_english_is_one_in_every_language(words: str, kind: ActionKind) -> None:
    page = screen(label("App"), button(words, 150, left=4, size=(92, 20)))
    assert kind_of(page, 2) is kind


@each(
    "words",
    [
        *("$0 delivery fee, first order", "送料 500円", "Versand 4,99 €", "Ongkir mulai Rp9.000"),
        *("15 € Rabatt", "Giảm ₫15.000 phí vận chuyển", "Convide e ganhe R$ 10", "Invite friends, get $5"),
    ],
)
def test_a_label_that_only_advertises_an_amount_pays_nothing(words: str) -> None:
    page = screen(label("App"), button(words, 150, left=4, size=(60, 20)))
    assert kind_of(page, 2) is None


@each("words", ["Weiter 25 € (5 € Rabatt)", "Onayla 25 TL", "Xác nhận 200.000đ", "Confirmer 25 €"])
def test_a_button_with_a_sum_pays_it_though_it_tells_of_a_discount(words: str) -> None:
    page = screen(label("App"), button(words, 150, left=4, size=(60, 20)))
    assert kind_of(page, 2) is ActionKind.PAY


@each("words, paying", [("Ab 9,99 €", "Bezahlen"), ("Saldo 30 €", "Pagar"), ("Tổng 30.000đ", "Thanh toán")])
def test_a_label_that_tells_of_an_amount_pays_nothing_where_another_control_pays(
    words: str, paying: str
) -> None:
    first = button(words, 40, left=4, size=(60, 20))
    page = screen(label("App"), first, button(paying, 150, left=4, size=(60, 20)))
    assert kind_of(page, 2) is None
    assert kind_of(page, 3) is ActionKind.PAY


def test_what_leaves_a_page_at_the_left_of_its_top_bar_does_nothing_that_a_sentence_says() -> None:
    def page(left: int) -> Observation:
        back = element("View", 0, left, size=(12, 12), description="Menü", clickable=True)
        return screen(back, label("Ein Tipp auf Menü bestellt das Abo für 9,99 € im Monat.", 20))

    assert kind_of(page(2), 1) is None
    assert kind_of(page(60), 1) is ActionKind.PAY


def test_a_form_ends_with_its_wide_button_and_not_with_a_switch_or_what_is_said_beside_it() -> None:
    page = screen(
        label("Überweisung"),
        field(40, text="3000"),
        *row("Send a text message to the recipient", 80, 3, box="Switch"),
        wide_button("Weiter"),
    )
    assert kind_of(page, 3) is None
    assert kind_of(page, 6) is None
    alone = screen(label("Chat"), *row("Send a text message to the recipient", 80, 2, box="Switch"))
    assert kind_of(alone, 2) is ActionKind.SEND


def test_an_unknown_word_among_three_alike_beside_a_draft_sends_nothing() -> None:
    chips = (
        element("View", 60, 33 * number, size=(30, 12), text=words, clickable=True)
        for number, words in enumerate(("Zupfen", "Details", "Help me"))
    )
    assert kind_of(screen(label("Bot"), field(150, text="What is"), *chips), 3) is None


@each("words", ["Taxi bestellen", "打车"])
def test_one_of_three_ways_at_the_bottom_leads_to_its_page_and_a_sum_or_now_pays(words: str) -> None:
    def page(first: str, *more: Element) -> Observation:
        ways = (
            button(text, 185, left=33 * number, size=(33, 14))
            for number, text in enumerate((first, "Route", "Start"))
        )
        return screen(label("Central station"), *more, *ways)

    assert kind_of(page(words), 2) is None
    assert kind_of(page(words, label("Total 30 €", 60)), 3) is ActionKind.PAY
    assert kind_of(page("立即打车"), 2) is ActionKind.PAY


@each("words", ["Go to checkout  $17.05", "Ir al carrito 20 €", "Weiter zur Kasse 30 €"])
def test_what_goes_to_a_page_that_it_names_leads_there_with_a_sum_too(words: str) -> None:
    assert kind_of(screen(label("Bay Grill"), wide_button(words)), 2) is None
    assert kind_of(screen(label("Bay Grill"), wide_button("Proceed to payment $17.05")), 2) is ActionKind.PAY


def test_clearing_the_field_of_the_top_bar_deletes_nothing() -> None:
    def page(top: int) -> Observation:
        back = element("ImageButton", top, 0, size=(10, 16), description="Back", clickable=True)
        place = element("EditText", top, 12, size=(70, 16), text="Central station", clickable=True)
        return screen(
            back, place, element("ImageButton", top, 84, size=(14, 16), description="清空", clickable=True)
        )

    assert kind_of(page(2), 3) is None
    assert kind_of(page(60), 3) is ActionKind.DELETE


def setting(words: str, title: str, kind: str = "Switch", *more: Element) -> Observation:
    """A row with a switch of the phone's settings; the row is 2."""
    return screen(label(title), *row(words, 60, 2, box=kind), *more, app=SETTINGS)


@each(
    "words, title",
    [
        *(("Manage app if unused", "Camera permission"), ("Bei Nichtnutzung verwalten", "Camera permission")),
        *(("Ask every time", "Camera permission"), ("Toujours demander", "Camera permission")),
        *(("Screen lock sound", "Sound"), ("Sons do bloqueio de tela", "Som e vibração")),
    ],
)
def test_a_setting_that_grants_nothing_and_protects_nothing_is_not_asked_about(
    words: str, title: str
) -> None:
    assert kind_of(setting(words, title), 2) is None


def test_a_setting_that_grants_or_protects_is_asked_about() -> None:
    assert kind_of(setting("Allow all the time", "Camera permission"), 2) is ActionKind.GRANT
    assert kind_of(setting("Screen lock", "Security"), 2) is ActionKind.SECURITY


def test_a_box_that_shows_what_is_typed_protects_nothing() -> None:
    secret = field(90, password=True, text="••••")
    for words in ("Show password", "Passwort anzeigen", "显示密码", "パスワードを表示"):
        assert kind_of(setting(words, "Wi-Fi", "CheckBox", secret), 2) is None, words
    assert kind_of(setting("Show passwords", "Privacy"), 2) is ActionKind.SECURITY


@each("words", ["Install on more devices", "Auf weiteren Geräten installieren", "在更多设备上安装"])
def test_installing_elsewhere_opens_a_choice(words: str) -> None:
    assert classify_label(words) is None
    assert classify_label("Install") is ActionKind.INSTALL


def test_a_button_that_the_app_calls_a_confirmation_of_a_ride_orders_it() -> None:
    confirms = button("Confirm Comfort", 170, left=4, size=(92, 20), name="confirm_pickup_button")
    assert kind_of(screen(label("Where to be met"), confirms), 2) is ActionKind.PAY

"""What the place of a control tells of its words: lists of things, carts, tabs, shares, advertisements."""

from __future__ import annotations

from itertools import chain

import pytest

from assistant.events import ActionKind
from assistant.records import Element, ForegroundApp, Observation
from assistant.safety.classifier import judge
from tests.safety.screens import button, element, field, icon, label, screen, tap
from tests.tables import each


def kind_of(observation: Observation, number: int) -> ActionKind | None:
    """The kind of a tap on an element, counted from 1."""
    risk = judge(tap(observation, number), observation)
    return risk.kind if risk else None


def entries(*names: str, control: str = "Complete", kind: str = "TextView") -> Observation:
    """A list with a name and a box or icon in each entry; the names are the elements 4, 7, 10 ..."""
    rows = []
    for number, name in enumerate(names):
        top, holder = 40 + 25 * number, 2 + 3 * number
        rows += [
            element("LinearLayout", top, parent=1),
            element("ImageButton", top, 80, clickable=True, description=control, parent=holder),
            element(kind, top, text=name, clickable=True, size=(80, 20), parent=holder),
        ]
    return screen(element("RecyclerView", 30, size=(100, 160)), *rows)


@each("name", ["Cancel subscription", "Pay electricity bill", "Delete old accounts", "Call mom"])
def test_the_name_of_a_task_in_a_list_is_no_deed(name: str) -> None:
    assert kind_of(entries("Water plants", name, "Buy milk"), 7) is None


@each("name", ["付款凭证.pdf", "删除名单.xlsx", "转账记录截图.png"])
def test_the_name_of_a_file_in_a_list_is_no_deed(name: str) -> None:
    assert kind_of(entries("照片.zip", name, "会议纪要.docx", control="更多"), 7) is None


def test_words_alike_in_each_entry_are_a_deed() -> None:
    assert kind_of(entries("Delete", "Delete", "Delete"), 7) is ActionKind.DELETE
    assert kind_of(entries("Pay Anna", "Pay Ben", "Pay Carl", control="Decline"), 7) is ActionKind.PAY
    assert kind_of(entries("Anna anrufen", "Ben anrufen", "Carl anrufen"), 7) is ActionKind.SEND


def test_a_button_with_an_amount_or_of_a_button_s_class_pays_in_a_list() -> None:
    assert kind_of(entries("Water", "Pay €5", "Milk"), 7) is ActionKind.PAY
    assert kind_of(entries("Book a table", "Pay now", "Cancel order", kind="Button"), 7) is ActionKind.PAY


def test_two_entries_or_entries_without_a_common_control_are_no_list_of_things() -> None:
    assert kind_of(entries("Cancel subscription", "Water plants"), 4) is ActionKind.DELETE
    rows = [
        label(name, 40 + 25 * n, clickable=True) for n, name in enumerate(("Mute", "Delete chat", "Export"))
    ]
    assert kind_of(screen(*rows), 2) is ActionKind.DELETE


def test_an_event_of_a_calendar_is_no_deed_and_a_time_to_book_is() -> None:
    events = ("Miete überweisen, 09:00 – 10:00", "Abo kündigen, 11:00 – 12:00", "Zahnarzt, 15:00 – 16:00")
    shown = screen(*(element("View", 40 + 25 * n, text=e, clickable=True) for n, e in enumerate(events)))
    assert [kind_of(shown, n) for n in (1, 2, 3)] == [None] * 3
    slots = ("Book now, 09:00 – 10:00", "Book now, 11:00 – 12:00", "Book now, 15:00 – 16:00")
    shown = screen(*(element("View", 40 + 25 * n, text=e, clickable=True) for n, e in enumerate(slots)))
    assert kind_of(shown, 2) is ActionKind.PAY


def rows_of_two(*rows: tuple[str, str]) -> Observation:
    """Rows of a list with two lines each; they are the elements 1, 4, 7 ..."""
    lines = [
        (
            element("LinearLayout", 40 + 25 * n, clickable=True),
            *(
                label(text, 40 + 25 * n + 10 * i, parent=3 * n + 1, size=(90, 10))
                for i, text in enumerate(row)
            ),
        )
        for n, row in enumerate(rows)
    ]
    return screen(*chain(*lines))


def test_a_line_of_what_was_paid_and_received_is_no_deed() -> None:
    shown = rows_of_two(("美团外卖", "-¥23.50"), ("退款-淘宝", "+¥59.00"), ("工资", "+¥8000.00"))
    assert kind_of(shown, 4) is None
    shown = rows_of_two(("美团外卖", "¥23.50"), ("退款", "¥59.00"), ("工资", "¥8000.00"))
    assert kind_of(shown, 4) is ActionKind.PAY


def test_a_bubble_of_a_chat_may_pay_though_it_tells_a_time() -> None:
    bubbles = [
        element("View", 20 + 25 * n, text=text, clickable=True)
        for n, text in enumerate(("Hi there, 10:41", "Pay now, 10:42", "Thanks, 10:43"))
    ]
    assert kind_of(screen(*bubbles), 2) is None
    assert kind_of(screen(*bubbles, field(170)), 2) is ActionKind.PAY


@each("words", ["Delete event", "Block user", "Remove item", "Delete playlist"])
def test_an_entry_of_a_menu_that_names_a_deed_and_a_thing_is_asked_about(words: str) -> None:
    names = ("Mute", words, "View profile")
    rows = [label(name, 40 + 25 * n, clickable=True) for n, name in enumerate(names)]
    assert kind_of(screen(*rows), 2) is ActionKind.DELETE


def orders(*actions: str, status: str = "Delivered", kind: str = "TextView") -> Observation:
    """An order for each action, with a picture and a title, “More” and what is done with it.

    Of the second the thing is element 10 and the action element 21.
    """
    rows: list[Element] = []
    for number, thing in enumerate(("Mouse", "Coffee machine", "Lamp")):
        top, holder = 5 + 60 * number, 2 + 6 * number
        rows += [
            element("LinearLayout", top, size=(100, 60), parent=1),
            label(status, top, parent=holder),
            element("LinearLayout", top + 20, clickable=True, parent=holder),
            element("ImageView", top + 20, size=(20, 20), parent=holder + 2),
            label(thing, top + 20, left=20, name="title", parent=holder + 2),
            label("More", top + 40, clickable=True, size=(40, 20), parent=holder),
        ]
    more = [
        element(kind, 45 + 60 * n, 50, text=action, clickable=True, parent=2 + 6 * n, name="action")
        for n, action in enumerate(actions)
    ]
    return screen(element("RecyclerView", 0, size=(100, 200)), *rows, *more)


def test_a_thing_in_an_order_history_does_not_do_what_is_told_of_it() -> None:
    shown = orders("Review", "Return", "Track", status="Your refund of $24.00 was sent to your card")
    assert kind_of(shown, 10) is None


@each("kind", ["TextView", "Button", "View"])
def test_what_is_done_with_an_order_is_asked_about_though_other_orders_have_other_words_there(
    kind: str,
) -> None:
    assert kind_of(orders("评价晒单", "去支付", "查看物流", kind=kind), 21) is ActionKind.PAY
    assert kind_of(orders("Review", "Cancel order", "Track", kind=kind), 21) is ActionKind.DELETE


CARTS = [
    ("Cart", "Go to checkout", "Total", "$32.00"),
    ("Tu cesta (3)", "Continuar con la compra", "Total", "32,00 €"),
    ("Warenkorb", "Zur Kasse", "Gesamtsumme", "32,00 €"),
    ("Sepetim (2 Ürün)", "Sepeti Onayla", "Toplam", "320,00 TL"),
    ("Keranjang", "Lanjut ke pengiriman", "Total", "Rp120.000"),
    ("Carrinho", "Continuar a compra", "Total", "R$ 32,00"),
]


def cart(title: str, words: str, total: str, amount: str, *more: Element) -> Observation:
    """A cart; its button, whose id says that it buys, is element 4."""
    ends = button(words, 170, name="btn_buy_pay", left=4, size=(92, 20))
    return screen(label(title), label(total, 140, size=(40, 20)), label(amount, 140, left=50), ends, *more)


@each("words", CARTS)
def test_what_goes_on_from_a_cart_pays_nothing(words: tuple[str, str, str, str]) -> None:
    assert kind_of(cart(*words), 4) is None


@each("words", ["Pay now", "Place order", "Continue", "Proceed to pay", "Buy", "Checkout"])
def test_a_cart_is_asked_about_whose_button_may_order(words: str) -> None:
    assert kind_of(cart("Cart", words, "Total", "$32.00"), 4) is ActionKind.PAY


def test_where_address_and_means_are_set_going_on_orders() -> None:
    address, means = label("Deliver to: 12 High Street", 30), label("Visa •••• 4431", 60)
    shown = cart("Cart", "Proceed to checkout", "Total", "$32.00", address, means)
    assert kind_of(shown, 4) is ActionKind.PAY
    shown = cart("Sepet", "Sepeti onayla", "Toplam", "320,00 TL", label("Teslimat adresi: Ev", 30), means)
    assert kind_of(shown, 4) is ActionKind.PAY


@each("words", ["Share", "分享", "Teilen", "Compartir", "Paylaş", "공유하기", "シェアする"])
def test_share_beside_a_comment_with_its_own_button_opens_a_choice(words: str) -> None:
    shown = screen(
        icon(4, description=words, size=(10, 10)),
        field(170, text="nice one", size=(80, 20)),
        icon(170, description="Send"),
    )
    assert kind_of(shown, 1) is None
    assert kind_of(shown, 3) is ActionKind.SEND


@each("words", ["Share", "分享", "Teilen", "Compartir", "Paylaş", "공유하기", "シェアする"])
def test_share_on_a_page_with_a_draft_publishes_it(words: str) -> None:
    draft = field(40, text="Sunset at the lake", size=(90, 40))
    assert kind_of(screen(label("New post"), draft, button(words, 170)), 3) is ActionKind.SEND
    assert kind_of(screen(label("New post"), button(words, 170)), 2) is ActionKind.SEND
    with_emoji = screen(
        label("New post"),
        field(40, text="Sunset", size=(80, 20)),
        icon(40, 80, description="Emoji"),
        button(words, 170),
    )
    assert kind_of(with_emoji, 4) is ActionKind.SEND


LEARNING = [
    ("Learn more About this app", "Learn to draw. Subscribe to remove ads and watermarks."),
    ("Weitere Informationen Über diese App", "Mit dieser App löschst du Duplikate endgültig."),
    ("Learn more", "Learn how your data is deleted after 57 days without use."),
]


@each(("words", "sentence"), LEARNING)
def test_what_leads_to_more_is_not_named_by_common_words(words: str, sentence: str) -> None:
    shown = screen(
        label(sentence, 60), element("View", 100, text=words, clickable=True), button("Other", 150)
    )
    assert kind_of(shown, 2) is None


@each(
    ("words", "sentence", "kind"),
    [
        ("Learn more", "Tapping Learn more permanently deletes all your photos.", ActionKind.DELETE),
        ("View details", "“View details” starts a subscription of $9.99 a month.", ActionKind.PAY),
        (
            "View receipt",
            "The receipt is issued once the transfer of $50 is made to the key above.",
            ActionKind.PAY,
        ),
    ],
)
def test_what_leads_to_more_is_asked_about_where_a_sentence_names_it(
    words: str, sentence: str, kind: ActionKind
) -> None:
    assert kind_of(screen(label(sentence, 60), button(words, 100)), 2) is kind


def feed(mark: str, words: str, *beside: str) -> Observation:
    """A post of a feed with a button, element 4, and what stands below it."""
    more = (button(text, 130, left=33 * n, size=(33, 20), parent=1) for n, text in enumerate(beside))
    card = element("LinearLayout", 40, size=(100, 50))
    return screen(
        card,
        label(mark, 40, parent=1),
        label("Two for $6.99", 60, parent=1),
        button(words, 80, parent=1),
        *more,
    )


@each("mark", ["Sponsored", "Promoted · u/HelloFresh", "广告", "Gesponsert", "Реклама", "Patrocinado"])
def test_the_button_of_an_advertisement_in_a_feed_leads_to_who_advertises(mark: str) -> None:
    assert kind_of(feed(mark, "Order now", "Like", "Comment", "Share"), 4) is None
    assert kind_of(feed(mark, "Order now", "hellofresh.com"), 4) is None


def test_what_installs_calls_or_buys_at_once_is_asked_about_in_an_advertisement() -> None:
    assert kind_of(feed("Sponsored", "Install now", "Like", "Comment", "Share"), 4) is ActionKind.INSTALL
    assert kind_of(feed("Sponsored", "Call now", "Like", "Comment", "Share"), 4) is ActionKind.SEND
    assert kind_of(feed("Sponsored", "Buy now"), 4) is ActionKind.PAY
    assert kind_of(feed("Anna", "Order now", "Like", "Comment", "Share"), 4) is ActionKind.PAY


def home(*lines: tuple[str, ...], tabs: int = 4, more: tuple[Element, ...] = ()) -> Observation:
    """A page with tabs and tiles of two lines in one row, which are the elements 1, 4 ..."""
    width = 90 // len(lines)
    tiles = [
        (
            element("LinearLayout", 60, n * width, size=(width, 20), clickable=True),
            *(
                label(text, 60 + 10 * i, left=n * width, size=(width, 8), parent=3 * n + 1)
                for i, text in enumerate(line)
            ),
        )
        for n, line in enumerate(lines)
    ]
    bar = (
        element("FrameLayout", 185, 22 * n, text=f"Tab {n}", clickable=True, size=(22, 14))
        for n in range(tabs)
    )
    return screen(*chain(*tiles), *bar, *more)


TILES = [
    (("Thanh toán", "Nạp tiền vào ví Moca"), ("Điểm thưởng", "1.204")),
    (("Paga", "Bollettino, F24"), ("Ricarica", "Postepay o telefono")),
    (("Bezahlen", "In Geschäften"), ("Senden", "An Freunde")),
]


@each("tiles", TILES)
def test_a_tile_about_money_on_a_page_with_tabs_leads_to_its_page(tiles: tuple[tuple[str, ...], ...]) -> None:
    assert kind_of(home(*tiles), 1) is None


@each("tiles", TILES)
def test_without_tabs_or_beside_a_sum_it_pays(tiles: tuple[tuple[str, ...], ...]) -> None:
    assert kind_of(home(*tiles, tabs=0), 1) is ActionKind.PAY
    total = (label("Total", 20, size=(30, 10)), label("€50.00", 20, left=40, size=(30, 10)))
    assert kind_of(home(*tiles, more=total), 1) is ActionKind.PAY


def test_what_pays_at_once_or_a_sum_is_asked_about_on_a_page_with_tabs() -> None:
    assert kind_of(home(("Pay now", "Instant"), ("More", "Options")), 1) is ActionKind.PAY
    assert kind_of(home(("Bezahlen", "5,00 €"), ("Senden", "An Freunde")), 1) is ActionKind.PAY


@each("words", ["Transfer", "송금", "转账", "Überweisen", "Transferir", "Chuyển tiền"])
def test_a_transfer_without_its_sum_leads_to_a_form_from_a_page_with_tabs(words: str) -> None:
    tabs = [
        element("FrameLayout", 185, 22 * n, text=f"Tab {n}", clickable=True, size=(22, 14)) for n in range(4)
    ]
    account = label("1,240,500원", 60, size=(60, 20))
    assert kind_of(screen(account, button(words, 60, left=70), *tabs), 2) is None
    filled = screen(field(40, text="500"), button(words, 150, left=4, size=(92, 20)), *tabs)
    assert kind_of(filled, 2) is ActionKind.PAY


def test_a_balance_on_a_page_with_tabs_pays_nothing_and_a_price_does() -> None:
    tabs = [
        element("FrameLayout", 185, 22 * n, text=f"Tab {n}", clickable=True, size=(22, 14)) for n in range(4)
    ]
    assert kind_of(screen(label("PayPay残高 1,200円", 60, clickable=True), *tabs), 1) is None
    assert kind_of(screen(label("Buy for $5.00", 60, clickable=True), *tabs), 1) is ActionKind.PAY
    assert kind_of(screen(button("Premium $5.00", 60), *tabs), 1) is ActionKind.PAY


def delete_dialog(kind: str, words: str, *answers: str) -> Observation:
    """A dialog with a box that has words beside it, in a row that is element 3; its answers stand below."""
    below = [label(text, 120, left=45 * n, size=(45, 20), clickable=True) for n, text in enumerate(answers)]
    return screen(
        label("Удалить 2 сообщения", 30),
        label("Вы точно хотите удалить эти сообщения?", 50),
        element("FrameLayout", 80, clickable=True),
        label(words, 80, parent=3),
        element(kind, 80, size=(20, 20), checkable=True, parent=3),
        *below,
    )


def test_a_box_above_the_answers_of_a_dialog_says_only_what_one_of_them_does() -> None:
    words = "Также удалить для Андрея"
    assert kind_of(delete_dialog("CheckBox", words, "Отмена", "Удалить"), 3) is None
    assert kind_of(delete_dialog("CheckBox", words, "Отмена", "Удалить"), 7) is ActionKind.DELETE
    assert kind_of(delete_dialog("CheckBox", words), 3) is ActionKind.DELETE


def means_of_payment(*rows: str, ends: str = "Đặt hàng", total: str = "Tổng cộng ₫565.500") -> Observation:
    """Rows to pay by, the first of which is element 2, above a bar with the sum and what orders."""
    lines = [
        part
        for n, text in enumerate(rows)
        for part in (
            element("ViewGroup", 40 + 25 * n, clickable=True, parent=1),
            label(text, 40 + 25 * n, parent=2 + 2 * n),
        )
    ]
    bar = [label(total, 175, size=(60, 20)), label(ends, 175, left=65, clickable=True)] if ends else []
    return screen(element("ViewGroup", 40, size=(100, 100)), *lines, *bar)


def test_a_row_above_what_orders_for_the_sum_only_chooses() -> None:
    rows = ("Thanh toán khi nhận hàng", "Ví ShopeePay")
    assert kind_of(means_of_payment(*rows), 2) is None
    assert kind_of(means_of_payment(*rows), 7) is ActionKind.PAY


def test_a_row_that_may_pay_by_itself_is_asked_about() -> None:
    rows = ("Thanh toán khi nhận hàng", "Ví ShopeePay")
    assert kind_of(means_of_payment(*rows, ends=""), 2) is ActionKind.PAY
    assert kind_of(means_of_payment(rows[0], rows[0]), 2) is ActionKind.PAY
    assert kind_of(means_of_payment(rows[0]), 2) is ActionKind.PAY


TABS = ("HOME\nTab 1 of 5", "TRANSACT\nTab 2 of 5", "SERVICES\nTab 3 of 5", "GROW\nTab 4 of 5")


def wallet(*tiles: str, tabs: tuple[str, ...] = TABS, kind: str = "ImageView") -> Observation:
    """Large tiles in a line, the elements 1, 2 ..., over the tabs of a home page."""
    width, wide = 100 // len(tiles), 100 // max(1, len(tabs))
    return screen(
        *(
            element(kind, 50, width * n, description=text, clickable=True, size=(width, 30))
            for n, text in enumerate(tiles)
        ),
        *(
            element("View", 182, wide * n, description=text, clickable=True, size=(wide, 16))
            for n, text in enumerate(tabs)
        ),
    )


@each("kind", ["ImageView", "View", "Button"])
def test_the_tiles_of_a_wallet_lead_to_pages(kind: str) -> None:
    shown = wallet("SEND AND REQUEST", "PAY", "WITHDRAW", "AIRTIME", kind=kind)
    assert [kind_of(shown, n) for n in (1, 2, 3, 4)] == [None] * 4


@each("words", ["Pay now", "Place your order", "PAY KSH 500", "Video call", "Delete"])
def test_a_tile_that_does_something_at_once_is_asked_about(words: str) -> None:
    assert kind_of(wallet("AIRTIME", words, "WITHDRAW", "GROW"), 2) is not None


def test_without_the_tabs_of_a_home_page_a_picture_does_what_it_says() -> None:
    assert kind_of(wallet("SEND", "PAY", "EDIT", tabs=()), 1) is ActionKind.SEND


def test_a_row_with_a_line_under_its_words_leads_to_a_page_among_others() -> None:
    rows = [("Profile", "Name and photo"), ("Transferir", "Para outro banco"), ("Privacy", "Who sees you")]
    assert kind_of(rows_of_two(*rows), 4) is None
    assert kind_of(rows_of_two(*rows[:2]), 4) is ActionKind.PAY
    assert kind_of(rows_of_two(rows[0], ("Transferir", "R$ 50,00"), rows[2]), 4) is ActionKind.PAY
    assert kind_of(rows_of_two(rows[0], ("Delete", "Who sees you"), rows[2]), 4) is ActionKind.DELETE


def test_the_title_in_the_top_bar_is_no_button_and_other_texts_there_may_be() -> None:
    def bar(left: int, place: int) -> Observation:
        leaves = icon(0, left, size=(15, 15), description="Back")
        return screen(leaves, label("Send money", 2, left=place, size=(60, 15)), label("Hi", 60))

    assert kind_of(bar(0, 20), 2) is None
    assert kind_of(bar(85, 0), 2) is not None


def test_what_is_written_in_a_chat_is_no_control() -> None:
    holds = element("RecyclerView", 20, size=(100, 140))
    bubble = element("FrameLayout", 60, long_clickable=True, parent=1)
    entry = element("EditText", 170, text="Message", clickable=True, name="message_entry")
    assert kind_of(screen(holds, bubble, label("付款", 60, parent=2), entry), 2) is None
    button_there = element("FrameLayout", 60, clickable=True, parent=1)
    assert kind_of(screen(holds, button_there, label("付款", 60, parent=2), entry), 2) is ActionKind.PAY


def test_a_banner_leads_to_what_it_shows_and_a_button_with_a_picture_does_not() -> None:
    def card(words: str) -> Observation:
        picture = element("ImageView", 60, size=(100, 40), parent=1)
        return screen(
            element("FrameLayout", 60, size=(100, 40), clickable=True), picture, label(words, 65, parent=1)
        )

    assert kind_of(card("Order now and save on shipping"), 1) is None
    assert kind_of(card("Order now"), 1) is ActionKind.PAY
    assert kind_of(card("Order now and pay $5.00"), 1) is ActionKind.PAY


def test_an_option_among_others_is_only_chosen() -> None:
    options = [
        element("CheckedTextView", 40 + 25 * n, text=text, clickable=True, checkable=True, checked=n == 0)
        for n, text in enumerate(("All types", "Send", "Pay"))
    ]
    assert [kind_of(screen(*options), n) for n in (1, 2, 3)] == [None] * 3
    assert kind_of(screen(*options[1:]), 1) is ActionKind.SEND


def test_what_opens_an_installed_app_has_the_id_of_what_installs_it() -> None:
    store = ForegroundApp("com.xiaomi.market", ".Main", "Store")
    rows = [button(text, 40 + 25 * n, name="download_button") for n, text in enumerate(("安装", "打开"))]
    shown = screen(*rows, app=store)
    assert [kind_of(shown, n) for n in (1, 2)] == [ActionKind.INSTALL, None]
    assert kind_of(screen(*rows), 2) is ActionKind.INSTALL


def verbs(*pairs: tuple[str, str]) -> Observation:
    """Narrow controls in a line, each a picture over a word with a description: elements 1, 4, 7 ..."""
    lines = [
        (
            element("LinearLayout", 80, 25 * n, size=(25, 30), clickable=True, description=said),
            element("ImageView", 80, 25 * n, size=(25, 15), parent=3 * n + 1),
            label(word, 95, left=25 * n, size=(25, 15), parent=3 * n + 1),
        )
        for n, (word, said) in enumerate(pairs)
    ]
    return screen(*chain(*lines), label("अनीता शर्मा", 40, size=(100, 10)))


def test_a_word_whose_description_adds_its_object_does_what_it_says() -> None:
    shown = verbs(
        ("मैसेज", "अनीता शर्मा को मैसेज भेजें"),
        ("कॉल करें", "अनीता शर्मा को कॉल करें"),
        ("वीडियो", "अनीता शर्मा को वीडियो कॉल करें"),
        ("ईमेल", "अनीता शर्मा को ईमेल भेजें"),
    )
    assert [kind_of(shown, n) for n in (4, 7)] == [ActionKind.SEND] * 2


def mails(*subjects: str) -> Observation:
    """Rows with a sender, a subject and a star that takes touches itself: elements 2, 6, 10 ..."""
    lines = [
        (
            element("ViewGroup", 20 + 50 * n, size=(100, 50), clickable=True, description=text, parent=1),
            label("Bob", 20 + 50 * n, size=(80, 10), parent=4 * n + 2),
            label(subject, 30 + 50 * n, size=(80, 10), parent=4 * n + 2),
            element(
                "ImageView",
                60 + 50 * n,
                90,
                size=(10, 10),
                clickable=True,
                checkable=True,
                description="Not starred",
                parent=4 * n + 2,
            ),
        )
        for n, subject in enumerate(subjects)
        for text in (f"Bob, {subject}, see you, 8:15 AM",)
    ]
    return screen(element("RecyclerView", 20, size=(100, 160)), *chain(*lines))


@each("subject", ["Send", "I can take the 4 kids on Saturday if you", "Cancel order"])
def test_a_row_that_is_read_out_as_a_whole_is_called_by_its_first_text(subject: str) -> None:
    assert kind_of(mails("Hello", subject, "Meeting"), 6) is None


def test_beside_what_sends_by_its_words_an_id_tells_nothing_of_another_icon() -> None:
    attach = icon(170, 0, size=(10, 10), name="media_send_button", description="사진, 동영상, 파일 등 추가")
    entry = field(170, left=12, text="홍대입구역 9번 출구에서 만나", size=(60, 20))
    sends = icon(170, 90, size=(10, 10), name="send_button", description="전송")
    assert [kind_of(screen(attach, entry, sends), n) for n in (1, 3)] == [None, ActionKind.SEND]
    assert kind_of(screen(attach, entry), 1) is ActionKind.SEND


@each("words", ["Verileri sil", "In Papierkorb verschieben", "Apagar para mim"])
def test_an_entry_of_a_menu_with_pictures_deletes_in_any_language(words: str) -> None:
    names = ("Edit", words, "Copy link")
    rows = [
        part
        for n, name in enumerate(names)
        for part in (
            element("LinearLayout", 40 + 25 * n, clickable=True, parent=1),
            element("ImageView", 40 + 25 * n, size=(20, 20), parent=2 + 3 * n),
            label(name, 40 + 25 * n, left=20, parent=2 + 3 * n),
        )
    ]
    assert kind_of(screen(element("LinearLayout", 40, size=(100, 90)), *rows), 5) is ActionKind.DELETE


def test_on_a_page_with_tabs_an_unknown_button_completes_nothing() -> None:
    shown = [label("Available balance", 30), label("$1,204.10", 50), button("Recarga de celular", 80)]
    tabs = [
        element("View", 182, 25 * n, text=text, clickable=True, size=(25, 16)) for n, text in enumerate(TABS)
    ]
    assert kind_of(screen(*shown, *tabs), 3) is None
    assert kind_of(screen(*shown), 3) is ActionKind.PAY
    assert kind_of(screen(*shown[:2], button("Pagar", 80), *tabs[:3]), 3) is ActionKind.PAY


def test_a_button_of_a_cart_that_counts_what_is_ordered_goes_on_from_it() -> None:
    shown = cart("장바구니", "구매하기 (1)", "총 결제예상금액", "23,900원")
    assert kind_of(shown, 4) is None
    assert kind_of(cart("장바구니", "구매하기", "총 결제예상금액", "23,900원"), 4) is ActionKind.PAY
    assert kind_of(cart("주문/결제", "결제하기 (1)", "총 결제예상금액", "23,900원"), 4) is ActionKind.PAY
    assert kind_of(cart("Cart", "Pay now (2)", "Total", "$32.00"), 4) is ActionKind.PAY


def test_what_differs_from_others_in_its_line_on_a_home_page_leads_on() -> None:
    shown = wallet("Send | Zelle®", "Deposit checks", "Add account", kind="Button")
    assert [kind_of(shown, n) for n in (1, 2, 3)] == [None] * 3
    assert kind_of(wallet("Send", "Send", "Add account", kind="Button"), 1) is ActionKind.SEND


@pytest.mark.parametrize("selected", [True, False])
def test_a_tab_with_the_words_of_a_deletion_is_no_entry_of_a_menu(*, selected: bool) -> None:
    parts = [
        part
        for n, text in enumerate(("หน้าแรก", "ล้างข้อมูล", "ไฟล์"))
        for part in (
            element("FrameLayout", 180, 33 * n, size=(33, 20), clickable=True, selected=selected and n == 0),
            element("ImageView", 180, 33 * n, size=(33, 10), parent=1 + 3 * n),
            label(text, 190, left=33 * n, size=(33, 10), parent=1 + 3 * n),
        )
    ]
    assert kind_of(screen(*parts), 4) is (None if selected else ActionKind.DELETE)

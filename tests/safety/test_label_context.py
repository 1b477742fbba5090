from __future__ import annotations

from assistant.events import ActionKind
from assistant.records import Element, ForegroundApp
from assistant.safety.classifier import judge
from tests.tables import each

from .screens import WIDTH, button, element, field, icon, label, screen, tap


def kind(*elements: Element, number: int = 2, dialog: bool = False) -> ActionKind | None:
    """The kind of touching one of the elements."""
    observation = screen(*elements, dialog=dialog)
    risk = judge(tap(observation, number), observation)
    return risk.kind if risk else None


@each(
    ("title", "words", "expected"),
    [
        ("Two-step verification", "Turn off", ActionKind.SECURITY),
        ("Notification sounds", "Turn off", None),
        ("System update ready", "Restart now", ActionKind.INSTALL),
        ("Game over", "Restart now", None),
        ("Signing in on a computer", "Log in", ActionKind.GRANT),
        ("Ratings and reviews", "Get", ActionKind.INSTALL),
        ("Request for leave", "Approve", ActionKind.SEND),
        ("Invite friends", "Invite", ActionKind.SEND),
        ("审批", "同意", ActionKind.SEND),
        ("系统更新", "立即重启", ActionKind.INSTALL),
    ],
)
def test_a_bare_label_takes_its_meaning_from_the_title(
    title: str, words: str, expected: ActionKind | None
) -> None:
    assert kind(label(title), button(words)) is expected


@each(("beside", "expected"), [("138 0013 8000", ActionKind.SEND), ("视频", ActionKind.SEND), ("消息", None)])
def test_the_noun_for_a_call_calls_beside_a_number_and_is_a_list_elsewhere(
    beside: str, expected: ActionKind | None
) -> None:
    for words in ("通话", "通話"):
        assert kind(label(beside), button(words)) is expected


def test_subscribe_costs_only_where_money_is_named() -> None:
    assert kind(label("Learn to solder"), button("Subscribe")) is None
    assert kind(label("Premium"), button("Subscribe"), label("$4.99 a month", 60)) is ActionKind.PAY


def test_a_lone_buy_is_never_taken_for_a_way_in() -> None:
    assert kind(label("Gift"), button("Buy")) is ActionKind.PAY
    assert kind(label("Coin"), button("Buy"), button("Sell", 140)) is None


def test_rows_with_prices_each_pay() -> None:
    page = label("Data"), button("Buy 1 GB $20", 60), button("Buy 2 GB $30", 100)
    assert kind(*page) is ActionKind.PAY
    assert kind(*page, number=3) is ActionKind.PAY


def test_names_on_a_page_that_asks_to_whom_are_people() -> None:
    people = [
        element("LinearLayout", 60, clickable=True, text="Book Club"),
        element("LinearLayout", 90, clickable=True, text="Copy link"),
    ]
    assert kind(label("Share with"), *people) is ActionKind.SEND
    assert kind(label("Share with"), *people, number=3) is None


def test_an_icon_sends_beside_what_is_written_not_beside_what_is_searched() -> None:
    written = field(160, text="on my way", size=(60, 20))
    assert kind(written, icon(160)) is ActionKind.SEND
    assert kind(written, icon(160, 62, size=(10, 20)), icon(160, 90, size=(10, 20))) is None
    searched = field(0, text="news", size=(60, 18))
    assert kind(searched, icon(0, size=(20, 18))) is None


def test_a_picture_below_a_dial_pad_calls() -> None:
    keys = [
        element("TextView", 60 + row * 25, column * 30, text=key, clickable=True, size=(30, 25))
        for row, line in enumerate(("123", "456", "789", "*0#"))
        for column, key in enumerate(line)
    ]
    call = element("ImageButton", 165, 35, clickable=True, size=(20, 20))
    assert kind(*keys, call, number=13) is ActionKind.SEND


def test_a_switch_on_a_page_of_access_grants() -> None:
    switch = element("Switch", 60, clickable=True, checkable=True, text="Heart rate")
    assert kind(label("Health data access"), switch) is ActionKind.GRANT
    assert kind(label("Sounds"), switch) is None


def test_a_store_installs_what_one_gets() -> None:
    store = ForegroundApp("com.android.vending", ".Main", "Store")
    observation = screen(label("Photo editor"), button("Get"), app=store)
    risk = judge(tap(observation, 2), observation)
    assert risk is not None
    assert risk.kind is ActionKind.INSTALL


def test_names_only_choose_where_a_button_sends() -> None:
    name = element("LinearLayout", 60, clickable=True, text="Book Club")
    assert kind(label("Forward to"), name, button("Send", 120)) is None
    assert kind(label("Forward to"), name, button("Send", 120), number=3) is ActionKind.SEND


def test_a_code_entered_is_verified() -> None:
    code = field(60, text="481902", hint="Enter the verification code")
    assert kind(label("Sign in"), code, button("Verify", 120), number=3) is ActionKind.PASSWORD


def test_a_dialog_about_pairing_grants() -> None:
    asked = label("Pair with Keyboard?", 40), button("Pair", 100)
    assert kind(*asked, dialog=True) is ActionKind.GRANT


def _line(*words: str) -> list[Element]:
    return [button(text, left=25 * place, size=(25, 20)) for place, text in enumerate(words)]


def test_a_row_below_a_post_leads_to_a_choice_of_people() -> None:
    assert kind(*_line("Like", "Comment", "Send", "Share"), number=3) is None
    assert kind(*_line("Gefällt mir", "Kommentieren", "Senden"), number=3) is None
    assert kind(*_line("Copy", "Edit", "Send"), number=3) is ActionKind.SEND


def test_a_message_to_a_contact_begins_empty() -> None:
    assert kind(label("138 0000 0000"), button("发送短信")) is None
    assert kind(label("anna@mail.example"), button("Nachricht senden")) is None
    assert kind(label("138 0000 0000"), button("Call")) is ActionKind.SEND
    assert kind(label("Prize"), button("Send message")) is ActionKind.SEND
    assert kind(label("anna@mail.example"), button("Send message"), field(text="Hi")) is ActionKind.SEND


def test_what_stands_above_a_field_with_its_own_button_answers_nothing_yet() -> None:
    entry = field(160, text="Love it", size=(70, 20))
    assert kind(label("so pretty!"), button("Reply", 60), entry, button("Post", 160, left=70)) is None
    assert kind(label("so pretty!"), button("Reply", 180), entry) is ActionKind.SEND


def test_taking_back_an_entry_deletes_nothing() -> None:
    keys = [
        button(str(n), 60 + 20 * (n // 3), left=30 * (n % 3), size=(30, 20), index=n) for n in range(1, 10)
    ]
    assert kind(*keys, icon(120, 60, description="Delete", size=(30, 20)), number=10) is None
    search = field(10, name="search_input", text="tea", size=(60, 20))
    assert kind(search, icon(10, 60, description="Clear all")) is None
    assert kind(label("Note"), icon(10, 60, description="Delete")) is ActionKind.DELETE


def test_what_leaves_a_cart_was_not_bought() -> None:
    assert kind(label("Cart (2)"), button("Remove")) is None
    assert kind(label("My files"), button("Remove")) is ActionKind.DELETE
    assert kind(label("Cart"), button("Delete account")) is ActionKind.DELETE


def test_choosing_a_priced_thing_below_its_price_pays() -> None:
    comfort = element("ViewGroup", 40, clickable=True)
    rows = (comfort, label("Comfort", 40, parent=1), label("$24.10", 50, parent=1))
    assert kind(*rows, button("Choose Comfort", 160), number=4) is ActionKind.PAY
    assert kind(*rows, button("Choose payment", 160), number=4) is None


def test_the_eye_in_a_field_changes_nothing() -> None:
    secret = field(60, text="abc", size=(70, 20))
    assert kind(secret, icon(60, 75, description="Show API key", size=(20, 20))) is None
    assert kind(label("Wallet"), button("Reveal recovery phrase")) == kind(
        button("Reveal recovery phrase"), number=1
    )


def test_a_line_of_words_is_a_menu() -> None:
    menu = _line("Send", "Request", "Top up", "More")
    assert [kind(*menu, number=number) for number in (1, 2, 3)] == [None] * 3
    assert kind(*_line("转账", "红包", "提现", "更多"), number=3) is None
    assert kind(*_line("Send", "Pay now", "Top up", "More"), number=2) is ActionKind.PAY
    assert kind(*_line("Voice call", "Mute", "Search", "More"), number=1) is ActionKind.SEND
    assert kind(*_line("Delete", "Edit", "Label", "More"), number=1) is ActionKind.DELETE
    assert kind(*_line("Bold", "Italic", "Clip", "Send"), field(160, text="Hi"), number=4) is ActionKind.SEND


def test_an_answer_to_a_mail_about_money_pays_nothing() -> None:
    mail = label("Please pay $120 by Friday"), button("Reply", 100), button("Forward", 130)
    assert kind(*mail) is None
    assert kind(*mail, number=3) is None
    assert kind(label("Zahlen Sie 120 € bis Freitag"), button("Antworten", 100)) is None


@each("words", ["Reply", "Antworten", "Répondre", "Responder", "返信", "回复"])
def test_what_was_written_is_sent_by_the_button_of_its_field(words: str) -> None:
    assert kind(field(150, text="ok", size=(70, 20)), button(words, 150, left=72)) is ActionKind.SEND
    assert kind(label("Bob: are you there?"), button(words, 150)) is None


def test_the_tab_of_the_cart_makes_no_cart() -> None:
    tabs = [button(words, 185, left=25 * n, size=(25, 15)) for n, words in enumerate(["Home", "Cart", "Me"])]
    member = (label("Family members"), label("Bob", 50), button("Remove", 50, left=70))
    assert kind(*member, *tabs, number=3) is ActionKind.DELETE
    cart = (label("Cart"), label("Shoes $20", 50), button("Remove", 50, left=70))
    assert kind(*cart, button("Checkout", 170), number=3) is None


@each(
    ("words", "expected"),
    [("Send", ActionKind.SEND), ("Buy", ActionKind.PAY), ("Invite", ActionKind.SEND), ("Mute", None)],
)
def test_the_same_word_on_several_buttons_is_no_menu(words: str, expected: ActionKind | None) -> None:
    assert kind(*_line(words, words, words, words)) is expected
    rows = (label("Bob", 60), label("Ann", 90), button(words, 60, left=70), button(words, 90, left=70))
    assert kind(*rows, number=3) is expected


def test_a_page_that_chooses_what_a_list_shows_sends_nothing() -> None:
    price = field(60, text="100", hint="Lowest price")
    assert kind(label("Filter"), button("Apply", 150), price) is None


@each(
    ("words", "small_print", "expected"),
    [
        ("Continue", "then $11.99 a month, renews until cancelled", ActionKind.PAY),
        ("次へ", "月額980円(税込)自動更新", ActionKind.PAY),
        ("Écouter", "abonnement annuel 69,99 €", ActionKind.PAY),
        ("Speed up", "Will delete all photos and chats", ActionKind.DELETE),
        ("立即加速", "将清空相册与聊天记录", ActionKind.DELETE),
        ("Continue", "You have 12 photos", None),
        ("Learn more", "Deleted photos stay for 30 days", None),
        ("Not now", "then $11.99 a month", None),
    ],
)
def test_small_print_says_what_a_harmless_word_does(
    words: str, small_print: str, expected: ActionKind | None
) -> None:
    assert kind(label("Welcome"), button(words), label(small_print, 125)) is expected


def test_small_print_counts_only_beside_one_of_few_buttons() -> None:
    print_ = label("then $11.99 a month", 45)
    many = [button(f"Choice {n}", 60 + 22 * n) for n in range(4)]
    assert kind(print_, button("Continue", 150)) is None, "it stands too far away"
    assert kind(print_, *many) is None


def test_a_post_in_a_bar_at_the_bottom_opens_a_draft() -> None:
    bar = [
        icon(180, left=left, size=(20, 20), description=words)
        for words, left in (("Nearby", 0), ("Shop", 25))
    ]
    post = icon(180, left=50, size=(20, 20), description="Post")
    last = icon(180, left=75, size=(20, 20), description="Me")
    assert kind(label("Discover"), *bar, post, last, number=4) is None
    assert kind(label("Discover"), *bar, post, number=4) is ActionKind.SEND


@each("words", ["Grant permission", "Allow camera permission", "允许录音权限"])
def test_an_app_that_asks_for_a_permission_only_calls_the_phones_own_dialog(words: str) -> None:
    page = screen(label("Recorder"), button(words, 60))
    assert judge(tap(page, 2), page) is None
    phone = screen(label("Recorder"), button(words, 60), app=ForegroundApp("com.android.settings", ".Access"))
    risk = judge(tap(phone, 2), phone)
    assert risk is not None
    assert risk.kind is ActionKind.GRANT
    assert kind(label("Sign in with Photos"), button("Allow access", 60), number=2) is ActionKind.GRANT


def test_an_icon_beside_a_field_sends_words_and_no_number_or_name_of_who_signs_in() -> None:
    def beside(text: str, top: int, *others: Element) -> ActionKind | None:
        return kind(label("Page"), field(top, text=text, size=(60, 20)), icon(top), *others, number=3)

    assert beside("On my way", 40) is ActionKind.SEND
    assert beside("365", 40) is None
    assert beside("365", 170) is ActionKind.SEND
    assert beside("anna", 40, field(80, password=True, focused=False)) is None


@each("words", ["Подключить", "Bağlan", "接続", "Kết nối", "Verbinden"])
def test_a_label_in_any_language_turns_on_what_stands_above_it(words: str) -> None:
    assert kind(label("VPN", 40), button(words, 120)) is ActionKind.SECURITY
    assert kind(label("Rain", 40), button(words, 120)) is None


def test_a_means_of_payment_is_chosen_whatever_its_id_says() -> None:
    chosen = element("LinearLayout", 60, size=(60, 14), clickable=True, name="pay_balance")
    means = label("余额支付", 62, size=(40, 10), parent=2)
    assert kind(label("收银台"), chosen, means, button("确认", 170)) is None
    main = button("余额支付", 170, left=4, size=(92, 20), name="btn_pay")
    assert kind(label("收银台"), main) is ActionKind.PAY


def test_the_id_of_what_is_no_means_still_tells() -> None:
    small = button("Onward", 60, size=(30, 14), name="btn_pay")
    assert kind(label("Your bag"), small, button("Back", 120)) is ActionKind.PAY


def test_a_cashier_with_a_button_for_each_means_pays() -> None:
    buttons = [
        button(words, top, left=4, size=(92, 20)) for words, top in (("微信支付", 60), ("支付宝支付", 100))
    ]
    assert kind(label("订单金额 ¥30"), *buttons) is ActionKind.PAY
    assert kind(label("订单金额 ¥30"), *buttons, number=3) is ActionKind.PAY
    assert kind(label("选择支付工具"), *buttons) is None
    small = button("微信支付", 60, size=(30, 14)), button("确定", 170)
    assert kind(label("订单金额 ¥30"), *small) is None


@each("words", ["支付宝支付", "银行卡支付", "余额支付", "分期付款", "货到付款"])
@each("drawn_as", ["TextView", "LinearLayout", "View", "Button"])
@each("left", [0, 4])
def test_a_means_of_payment_pays_as_the_last_wide_control(words: str, drawn_as: str, left: int) -> None:
    size = (WIDTH - 2 * left, 20)
    pays = element(drawn_as, 170, left, size=size, text=words, clickable=True)
    priced = label("收银台"), label("¥30.00", 40), label("支付剩余时间 14:59", 70)
    assert kind(*priced, pays, number=4) is ActionKind.PAY
    assert kind(label("确认付款"), label("¥30.00", 40), pays, number=3) is ActionKind.PAY
    assert kind(label("原价¥30.00"), label("现价¥25.00", 40), pays, number=3) is ActionKind.PAY
    assert kind(label("订单详情"), pays) is ActionKind.PAY
    assert kind(pays, number=1) is ActionKind.PAY
    terms = element("TextView", 192, size=(WIDTH, 8), text="确认支付即同意《支付协议》", clickable=True)
    assert kind(*priced, pays, terms, number=4) is ActionKind.PAY


def test_words_within_a_wide_view_pay_by_their_means() -> None:
    bar = element("LinearLayout", 170, clickable=True)
    assert kind(label("¥30.00"), bar, label("银行卡支付", 172, parent=2)) is ActionKind.PAY
    sum_of_bar = label("¥30.00", 172, size=(30, 14), parent=1)
    means = label("银行卡支付", 172, left=40, size=(50, 14), parent=1)
    assert kind(bar, sum_of_bar, means, number=1) is ActionKind.PAY


def test_half_a_line_pays_by_a_means_beside_a_sum_or_in_a_dialog() -> None:
    half = button("余额支付", 170, left=50, size=(46, 20))
    assert kind(label("¥30.00", 170, size=(40, 20)), half) is ActionKind.PAY
    refusal = button("取消", 120, size=(40, 20))
    answer = button("余额支付", 120, left=45, size=(40, 20))
    assert kind(label("购买会员？", 40), refusal, answer, number=3, dialog=True) is ActionKind.PAY
    assert kind(label("我的"), half) is None


@each("last", ["确认", "确定", "立即支付", "支付 ¥30.00", "提交订单", "下一步"])
def test_a_means_of_payment_above_what_completes_it_is_a_choice(last: str) -> None:
    means = element("LinearLayout", 100, text="银行卡支付", clickable=True, name="btn_pay")
    completes = element("TextView", 170, 60, text=last, clickable=True)
    assert kind(label("收银台"), label("¥30.00", 40), label("立减¥5", 60), means, completes, number=4) is None


def test_a_box_and_one_of_several_means_without_a_sum_are_choices() -> None:
    row = element("LinearLayout", 170, text="银行卡支付", clickable=True)
    assert kind(label("¥30.00"), row, element("RadioButton", 172, 80, checkable=True, parent=2)) is None
    several = [
        element("LinearLayout", top, text=words, clickable=True)
        for words, top in (("微信支付", 60), ("支付宝支付", 90))
    ]
    assert kind(label("自动扣款"), *several, number=3) is None
    assert kind(label("订单详情"), *several, number=3) is ActionKind.PAY
    assert kind(label("自动扣款"), label("¥30.00", 30), *several, number=4) is ActionKind.PAY


@each(
    ("names", "expected"),
    [
        (("tab_titleView", "tab_titleView"), None),
        (("tabTitle", "tabTitle"), None),
        (("stable_title", "stable_title"), ActionKind.SEND),
        (("tab_titleView", "btn_follow"), ActionKind.SEND),
    ],
)
def test_a_feed_of_those_one_follows_is_a_tab_where_the_program_says_so(
    names: tuple[str, str], expected: ActionKind | None
) -> None:
    first, second = names
    feeds = button("推荐", size=(40, 20), name=first), button("关注", left=50, size=(40, 20), name=second)
    assert kind(*feeds, number=2) is expected

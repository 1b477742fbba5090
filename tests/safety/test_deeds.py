from __future__ import annotations

from typing import Any

import pytest

from assistant.events import ActionKind, ApprovedBy, Deed
from assistant.records import Bounds, Click, Element, ForegroundApp, Observation, PressBack, Target
from assistant.safety import deeds
from assistant.safety.amounts import Allowance, find_amount, parse_allowance
from assistant.safety.deeds import (
    DEEDS_PER_ANSWER,
    Coverage,
    DeedLog,
    find_denial,
    is_same_deed,
    is_same_target,
    may_be_for_turn,
    may_be_rule,
    repeats,
)
from assistant.safety.effects import find_paid_from, payment_words
from assistant.safety.page import Page
from tests.safety.screens import APP, button, element, field, label, screen
from tests.tables import each

PAY, SEND, GRANT, DELETE, PASSWORD = (
    ActionKind.PAY,
    ActionKind.SEND,
    ActionKind.GRANT,
    ActionKind.DELETE,
    ActionKind.PASSWORD,
)
EATS, WALLET = "com.eats", "com.wallet"


def payment(
    amount: str = "¥19", recipient: str = "Noodle House", package: str = EATS, text: str = ""
) -> Deed:
    return Deed(kind=PAY, package=package, recipient=recipient, amount=amount, text=text)


def message(text: str = "late", recipient: str = "Mom", **changes: object) -> Deed:
    return Deed(kind=SEND, package="com.chat", recipient=recipient, text=text).model_copy(update=changes)


def page(*texts: str, dialog: bool = False) -> Page:
    screen = Bounds(0, 0, 1080, 1200 if dialog else 2400)
    elements = [Element(0, -1, "android.widget.FrameLayout", screen)]
    for number, text in enumerate(texts, 1):
        place = Bounds(0, 100 * number, 1080, 100 * number + 90)
        elements.append(Element(number, 0, "android.widget.TextView", place, text=text))
    return Page(Observation(1080, 2400, b"", tuple(elements), ForegroundApp("com.eats", ".Main", "Eats")))


PAGE, DIALOG = page("Checkout"), page("Confirm payment?", dialog=True)


def test_an_allowance_covers_one_deed_and_then_no_more() -> None:
    log = DeedLog([Allowance(PAY)])
    assert log.covers(payment(), PAGE, "a").by is ApprovedBy.COMMAND_LINE
    log.add(payment(), PAGE, "a", ApprovedBy.COMMAND_LINE)
    log.end_stage()
    assert log.covers(payment("¥7", "Tea Shop"), PAGE, "b").by is None


def test_a_repeated_deed_is_asked_about_whatever_was_allowed() -> None:
    log = DeedLog([Allowance(PAY, 9)])
    log.allow_for_turn(payment())
    log.add(payment(), PAGE, "a", ApprovedBy.COMMAND_LINE)
    log.end_stage()
    coverage = log.covers(payment(), PAGE, "a", by_rule=True)
    assert coverage.by is None
    assert coverage.done == payment()


def test_a_limit_covers_no_larger_and_no_unknown_amount() -> None:
    log = DeedLog([parse_allowance("pay<=50")])
    assert log.covers(payment("¥50"), PAGE, "a").by is ApprovedBy.COMMAND_LINE
    assert log.covers(payment("¥50.01"), PAGE, "a").by is None
    assert log.covers(payment(""), PAGE, "a").by is None


def test_this_turn_is_for_the_same_recipient_and_no_larger_amount() -> None:
    log = DeedLog()
    log.allow_for_turn(payment("¥19"))
    log.add(payment("¥19"), PAGE, "a", ApprovedBy.USER)
    log.end_stage()
    assert log.covers(payment("¥18"), PAGE, "a").by is ApprovedBy.TURN
    assert log.covers(payment("¥19.01"), PAGE, "a").by is None
    assert log.covers(payment("$18"), PAGE, "a").by is None
    assert log.covers(payment("¥18", "Tea Shop"), PAGE, "a").by is None
    assert log.covers(payment("¥18", package="com.other"), PAGE, "a").by is None


def test_a_payment_to_nobody_named_is_allowed_once_only() -> None:
    unnamed = payment("¥19").model_copy(update={"recipient": ""})

    assert may_be_for_turn(payment("¥19"))
    assert not may_be_for_turn(unnamed)
    log = DeedLog()
    log.allow_for_turn(unnamed)
    assert log.covers(unnamed, PAGE, "a").by is None


def test_deeds_of_one_answer_count_whatever_they_say() -> None:
    log = DeedLog()
    log.allow_for_turn(message("1"))
    log.add(message("1"), PAGE, "a", ApprovedBy.USER)
    covered = 1
    for number in range(2, 12):
        log.end_stage()
        if log.covers(message(str(number)), PAGE, "a").by is not ApprovedBy.TURN:
            break
        log.add(message(str(number)), PAGE, "a", ApprovedBy.TURN)
        covered += 1
    assert covered == DEEDS_PER_ANSWER


def test_a_deed_that_may_have_been_done_is_covered_by_nothing() -> None:
    log = DeedLog([Allowance(SEND, 5)], [message(maybe=True)])
    log.allow_for_turn(message("other"))
    coverage = log.covers(message("other"), PAGE, "a", by_rule=True)
    assert coverage.by is None
    assert coverage.done is not None
    assert coverage.done.maybe


def test_a_continued_turn_knows_its_deeds() -> None:
    log = DeedLog([Allowance(SEND)], [message()])
    assert log.covers(message("else", "Dad"), PAGE, "a").by is None


@each(
    ("deed", "where", "covered"),
    [
        (payment(package=WALLET), PAGE, True),
        (payment(package=WALLET, recipient=""), PAGE, True),
        (payment(text="Confirm"), DIALOG, True),
        (payment(text="Pay ¥19"), DIALOG, True),
        (payment(text="Buy another"), DIALOG, False),
        (payment(text="Order again"), DIALOG, False),
        (payment(), PAGE, False),
        (payment("¥190", package=WALLET), PAGE, False),
        (payment("", package=WALLET), PAGE, False),
        (payment(package=WALLET, recipient="Thief Ltd"), PAGE, False),
        (payment(package=WALLET), page("Payment successful", "Pay again"), False),
        (payment(package=WALLET), page("付款成功"), False),
    ],
)
def test_the_next_stage_of_a_deed_is_no_second_deed(deed: Deed, where: Page, covered: bool) -> None:
    log = DeedLog([Allowance(PAY)])
    log.add(payment(text="Submit order"), PAGE, "submit", ApprovedBy.COMMAND_LINE)
    assert (log.covers(deed, where, "pay now").by is ApprovedBy.COMMAND_LINE) is covered


def test_the_same_button_pressed_again_in_a_dialog_is_no_next_stage() -> None:
    for target, expected in (("confirm", ApprovedBy.COMMAND_LINE), ("send", None)):
        log = DeedLog([Allowance(SEND)])
        log.add(message(), PAGE, "send", ApprovedBy.COMMAND_LINE)
        assert log.covers(message(), DIALOG, target).by is expected


def test_nothing_completes_a_deed_that_may_have_been_done() -> None:
    log = DeedLog([Allowance(PAY)])
    log.add(payment().model_copy(update={"maybe": True}), PAGE, "pay", ApprovedBy.COMMAND_LINE)
    assert log.covers(payment(package=WALLET), PAGE, "confirm") == Coverage()


def test_buy_now_leads_to_a_checkout_and_no_further() -> None:
    log, checkout = DeedLog([parse_allowance("pay<=50")]), page("Checkout", "Total", "¥19")
    log.add(payment("", "", text="Buy now"), page("Earphones"), "buy now", ApprovedBy.COMMAND_LINE)
    assert log.covers(payment("¥19", text="Submit"), page("Earphones"), "submit").by is None
    assert log.covers(payment("¥190", text="Submit order"), checkout, "submit").by is None
    submit = payment("¥19", text="Submit order")
    assert log.covers(submit, checkout, "submit").by is ApprovedBy.COMMAND_LINE
    log.add(submit, checkout, "submit", ApprovedBy.COMMAND_LINE)
    assert log.covers(payment("¥20", text="Pay"), checkout, "submit again").by is None
    assert log.covers(submit, page("Review", "Total", "¥19"), "submit again").by is None
    assert log.covers(payment(package=WALLET), PAGE, "pay now").by is ApprovedBy.COMMAND_LINE


@each(
    ("label", "next_label", "covered"),
    [
        ("Buy now ¥19", "Submit order", True),
        ("立即购买", "提交订单", True),
        ("去结算", "立即支付", True),
        ("预订", "提交订单", True),
        ("Book", "Place order", True),
        ("提交订单", "确认付款", True),
        ("Buy now", "Buy now", False),
        ("Submit order", "Submit order", False),
        ("Pay ¥19", "Pay ¥19", False),
        ("Pay ¥19", "Submit order", False),
        ("确认支付", "立即购买", False),
        ("Jetzt kaufen", "Jetzt kaufen", False),
        ("", "", False),
    ],
)
def test_an_allowance_goes_on_only_to_a_button_that_commits_further(
    label: str, next_label: str, covered: bool
) -> None:
    log = DeedLog([Allowance(PAY)])
    log.add(payment(text=label), ITEM, "first", ApprovedBy.COMMAND_LINE)
    deed = payment(text=next_label)
    for where in (page("Checkout", "Total", "¥19"), DIALOG):
        assert (log.covers(deed, where, "second").by is ApprovedBy.COMMAND_LINE) is covered


def test_this_turn_goes_on_to_no_larger_amount() -> None:
    log, buy = DeedLog(), payment("¥15", text="Buy now")
    log.allow_for_turn(payment("¥19"))
    log.add(payment("¥19", text="Pay"), page("Tea"), "pay", ApprovedBy.USER)
    log.end_stage()
    assert log.covers(buy, ITEM, "buy now").by is ApprovedBy.TURN
    log.add(buy, ITEM, "buy now", ApprovedBy.TURN)
    checkout = page("Checkout", "Total", "¥999")
    assert log.covers(payment("¥999", text="Submit order"), checkout, "submit").by is None
    other = payment("¥15", "Thief Ltd", text="Submit order")
    assert log.covers(other, page("Checkout", "Total", "¥15"), "submit").by is None


def test_an_order_that_was_submitted_keeps_the_allowance_though_it_is_to_be_paid_yet() -> None:
    log = DeedLog([Allowance(PAY)])
    log.add(payment(text="Submit order"), Page(CHECKOUT), "submit", ApprovedBy.COMMAND_LINE)
    assert log.observe(order_page("Payment", "¥19", "Pay now")) is True
    log.end_stage()
    other = payment("¥7", "Tea Shop", text="Submit order")
    assert log.covers(other, page("Confirm order", "Total", "¥7"), "submit").by is None
    again = log.covers(payment(text="Submit order"), page("Basket"), "order")
    assert (again.by, again.begun) == (None, True)
    # What completes it is covered also after other steps, such as a choice of the card.
    paid = payment(text="Pay now")
    assert log.covers(paid, page("Payment", "Total", "¥19"), "pay").by is ApprovedBy.COMMAND_LINE
    log.add(paid, page("Payment", "Total", "¥19"), "pay", ApprovedBy.COMMAND_LINE)
    log.end_stage()
    assert log.covers(payment(package=WALLET), PAGE, "pay").by is None


def test_an_order_begun_before_a_crash_is_not_submitted_again_unasked() -> None:
    log = DeedLog([Allowance(PAY, 9)], stages_begun=[payment(text="Buy now"), payment(text="Submit order")])
    coverage = log.covers(payment(text="Submit order"), Page(CHECKOUT), "submit")
    assert (coverage.by, coverage.begun) == (None, True)
    assert log.covers(payment(text="Pay", package=WALLET), PAGE, "pay").by is None


def test_a_stage_after_another_action_is_a_deed_of_its_own() -> None:
    log = DeedLog([Allowance(PAY)])
    log.add(payment(), PAGE, "submit", ApprovedBy.COMMAND_LINE)
    log.end_stage()
    assert log.covers(payment(package=WALLET), PAGE, "pay now").by is None


def test_stages_do_not_go_round() -> None:
    log = DeedLog([Allowance(PAY)])
    places = [(EATS, PAGE), (WALLET, PAGE), (EATS, DIALOG), (WALLET, DIALOG), (EATS, PAGE), (WALLET, PAGE)]
    done = 0
    for package, where in places:
        deed = payment(package=package)
        by = log.covers(deed, where, f"{package} {done}").by
        if by is None:
            break
        log.add(deed, where, f"{package} {done}", by)
        done += 1
    assert done <= 3


def test_a_single_yes_does_not_cover_the_next_stage() -> None:
    log = DeedLog()
    log.add(payment(), PAGE, "submit", ApprovedBy.USER)
    coverage = log.covers(payment(package=WALLET), PAGE, "pay now")
    assert coverage.by is None
    assert coverage.done is None


def test_a_code_is_entered_key_by_key_with_one_approval() -> None:
    log = DeedLog([Allowance(PASSWORD)])
    key = Deed(kind=PASSWORD, package=WALLET, recipient="Payment password")
    for digit in "123456":
        by = log.covers(key, PAGE, digit).by
        assert by is ApprovedBy.COMMAND_LINE
        log.add(key, PAGE, digit, by)
    assert not repeats(key, key)


def test_what_a_screen_does_not_tell_counts_as_the_same() -> None:
    assert repeats(payment(""), payment())
    assert repeats(payment(recipient=""), payment())
    assert not repeats(payment("¥20"), payment())
    assert repeats(message("LATE "), message("late"))
    assert not repeats(message("late"), message("late", "Dad"))


def test_a_deed_is_bound_to_what_was_shown() -> None:
    assert is_same_deed(payment(text="Pay (59 s)"), payment(text="Pay (12 s)"))
    assert not is_same_deed(payment("¥1"), payment("¥9,999"))
    assert not is_same_deed(message(), message(recipient="Boss"))
    assert not is_same_deed(message(), message("something else"))
    button = Target(resource_id="a:id/pay", class_name="Button", text="Pay ¥1")
    assert not is_same_target(button, button.model_copy(update={"text": "Pay ¥9,999"}))
    assert not is_same_target(button, None)
    assert is_same_target(button, button.model_copy(update={"bounds": Bounds(0, 9, 9, 18)}))


def delivery(to: str, amount: str = "¥19") -> Deed:
    return payment(amount).model_copy(update={"destination": to})


def test_where_an_order_is_brought_belongs_to_the_deed() -> None:
    assert not is_same_deed(delivery("12 Elm Street"), delivery("7 Dock Road"))
    assert not is_same_deed(delivery("12 Elm Street"), delivery(""))
    assert is_same_deed(delivery("12 Elm Street · 25-30 min"), delivery("12 Elm Street · 24-29 min"))
    assert not is_same_deed(delivery("幸福路1分店"), delivery("幸福路2分店"))
    log = DeedLog()
    log.allow_for_turn(delivery("12 Elm Street"))
    assert log.covers(delivery("12 Elm Street", "¥18"), PAGE, "a").by is ApprovedBy.TURN
    assert log.covers(delivery("7 Dock Road", "¥18"), PAGE, "a").by is None
    assert log.covers(delivery("", "¥18"), PAGE, "a").by is None, "nobody knows where it goes"


def test_an_allowance_does_not_go_on_to_another_address() -> None:
    ordered, paid = delivery("12 Elm Street"), page("Payment", "¥19")
    for to, by in (
        ("12 Elm Street", ApprovedBy.COMMAND_LINE),
        ("", ApprovedBy.COMMAND_LINE),
        ("7 Dock Road", None),
    ):
        log = DeedLog([parse_allowance("pay")])
        log.add(ordered, PAGE, "a", ApprovedBy.COMMAND_LINE)
        wallet = delivery(to).model_copy(update={"package": WALLET})
        assert log.covers(wallet, paid, "b").by is by


def test_rules_are_never_offered_for_payments_or_without_a_recipient() -> None:
    assert not may_be_rule(payment())
    assert may_be_rule(message())
    assert not may_be_rule(message(recipient=""))
    assert may_be_rule(Deed(kind=DELETE, package="com.clock"))
    assert may_be_rule(Deed(kind=GRANT, package="com.ui", recipient="Allow Maps to access location?"))
    assert not may_be_rule(Deed(kind=GRANT, package="com.ui"))


ASKS = ForegroundApp("com.google.android.permissioncontroller", ".GrantPermissionsActivity", "")


def asking(*buttons: tuple[str, str]) -> Observation:
    """A dialog of the system with buttons, each a label and the name of its id."""
    placed = [button(text, 60 + 25 * place, name=name) for place, (text, name) in enumerate(buttons)]
    return screen(label("Allow Maps to use your location?", 35), *placed, app=ASKS, dialog=True)


@each(
    ("buttons", "content"),
    [
        ([("Allow", "permission_allow_button"), ("Deny", "permission_deny_button")], "Deny"),
        ([("Allow", ""), ("Don’t allow", "")], "Don’t allow"),
        ([("始终允许", ""), ("拒绝", "")], "拒绝"),
        (
            [("Only this time", "permission_one_time"), ("Zuia", "permission_deny_button")],
            "Zuia",
        ),
    ],
)
def test_a_no_to_a_permission_taps_what_refuses(buttons: list[tuple[str, str]], content: str) -> None:
    denial = find_denial(asking(*buttons))
    assert isinstance(denial, Click)
    assert denial.content == content


@each(
    "buttons",
    [
        [("Allow", ""), ("Whatever", "")],
        [("Allow", ""), ("Deny", ""), ("No", "")],
        [("Allow", ""), ("Deny", "permission_deny_and_dont_ask_again_button")],
    ],
)
def test_a_no_without_one_plain_button_for_it_goes_back(buttons: list[tuple[str, str]]) -> None:
    assert find_denial(asking(*buttons)) == PressBack()


def test_a_no_touches_nothing_on_an_apps_own_page() -> None:
    assert find_denial(screen(label("Pay ¥20?"), button("Pay"), button("No"), dialog=True)) is None


def order_page(heading: str, amount: str, button: str, *, name: str = "go") -> Observation:
    """A page with a sum and one button."""
    screen, bounds = Bounds(0, 0, 1080, 2400), Bounds(0, 2200, 1080, 2380)
    texts = [heading, "Total", amount]
    elements = [Element(0, -1, "android.widget.FrameLayout", screen)]
    for number, text in enumerate(texts, 1):
        place = Bounds(0, 200 * number, 1080, 200 * number + 90)
        elements.append(Element(number, 0, "android.widget.TextView", place, text=text))
    elements.append(
        Element(
            4, 0, "android.widget.Button", bounds, text=button, clickable=True, resource_id=f"a:id/{name}"
        )
    )
    return Observation(1080, 2400, b"", tuple(elements), ForegroundApp(EATS, ".Main", "Eats"))


ITEM, BUY = page("Earphones"), payment(text="Buy now")
CHECKOUT = order_page("Checkout", "¥19", "Submit order")


def test_a_tap_that_led_on_uses_up_no_allowance_whatever_comes_between() -> None:
    log = DeedLog([Allowance(PAY)])
    log.add(BUY, ITEM, "buy now", ApprovedBy.COMMAND_LINE)
    assert log.observe(CHECKOUT) is True
    log.end_stage()
    submit = payment(text="Submit order")
    assert log.covers(submit, Page(CHECKOUT), "submit").by is ApprovedBy.COMMAND_LINE
    log.add(submit, Page(CHECKOUT), "submit", ApprovedBy.COMMAND_LINE)
    assert log.observe(order_page("Order placed", "¥19", "Order again")) is False
    log.end_stage()
    assert log.covers(payment("¥7", "Tea Shop"), Page(CHECKOUT), "submit").by is None
    # With the last stage done, the first is a repetition anywhere.
    again = log.covers(payment(), page("Other page"), "quick buy")
    assert again.done is not None
    assert not again.begun


@each(
    "after",
    [
        order_page("Payment successful", "¥19", "Pay now"),
        order_page("付款成功", "¥19", "立即支付"),
        order_page("Earphones", "¥19", "Buy now"),
        order_page("Kasse", "19 €", "Jetzt kaufen"),
        order_page("Checkout", "¥19", "Choose another address"),
        order_page("Checkout", "", "Submit order"),
    ],
)
def test_a_tap_is_done_where_the_next_screen_does_not_surely_ask_for_the_same(after: Observation) -> None:
    log = DeedLog([Allowance(PAY, 9)])
    log.add(BUY, ITEM, "buy now", ApprovedBy.COMMAND_LINE)
    assert log.observe(after) is False
    log.end_stage()
    assert log.covers(payment(), page("Basket"), "pay").done == BUY


def test_what_was_taken_for_a_page_that_asks_is_done_once_the_page_says_so() -> None:
    log = DeedLog([Allowance(PAY)])
    log.add(BUY, ITEM, "buy now", ApprovedBy.COMMAND_LINE)
    assert log.observe(CHECKOUT) is True
    assert log.observe(order_page("Payment successful", "¥19", "Done")) is False
    log.end_stage()
    assert log.covers(payment(), page("Basket"), "pay").done == BUY


def test_a_button_that_led_on_is_not_pressed_again_unasked() -> None:
    log = DeedLog([Allowance(PAY, 9)])
    log.add(BUY, ITEM, "buy now", ApprovedBy.COMMAND_LINE)
    log.observe(CHECKOUT)
    log.end_stage()
    for target in ("buy now", "buy it"):
        coverage = log.covers(payment(), ITEM, target)
        assert (coverage.by, coverage.done, coverage.begun) == (None, BUY, True)


def test_an_app_that_always_asks_for_more_gets_few_taps_for_one_allowance() -> None:
    log, taps = DeedLog([Allowance(PAY)]), 0
    for number in range(20):
        shown = order_page(f"Checkout {'abcdefghijklmnopqrst'[number]}", "¥19", "Submit order")
        if log.covers(payment(), Page(shown), f"{number}").by is None:
            break
        log.add(payment(), Page(shown), f"{number}", ApprovedBy.COMMAND_LINE)
        taps += 1
        log.observe(order_page(f"Checkout {'abcdefghijklmnopqrst'[number + 1]}", "¥19", "Submit order"))
        log.end_stage()
    assert taps <= 3


@each("deed", [payment(), payment(recipient=""), payment("¥24"), payment(package=WALLET)])
def test_a_yes_is_for_the_page_on_which_it_was_given(deed: Deed) -> None:
    log = DeedLog()
    log.add(BUY, ITEM, "buy now", ApprovedBy.USER)
    assert log.observe(CHECKOUT) is True
    coverage = log.covers(deed.model_copy(update={"text": "Submit order"}), Page(CHECKOUT), "submit")
    assert coverage == Coverage(), "asked about, and not as something that was done already"


def test_the_stage_of_a_payment_is_counted_and_the_one_before_is_named() -> None:
    log = DeedLog()
    order = BUY.model_copy(update={"text": "Submit order"})
    assert log.stage_of(BUY, ITEM, "buy now") == (1, "")
    log.add(BUY, ITEM, "buy now", ApprovedBy.USER)
    log.observe(CHECKOUT)
    assert log.stage_of(order, Page(CHECKOUT), "submit") == (2, BUY.text)


def test_stages_of_a_deed_done_before_a_crash_are_done() -> None:
    log = DeedLog([Allowance(PAY, 9)], [payment(package=WALLET)], [payment()])
    assert log.covers(payment(), PAGE, "submit").done == payment()


def test_a_page_is_read_when_it_is_asked_about_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Page] = []

    def find_recipient(page: Page, _kind: ActionKind, _element: object) -> str:
        read.append(page)
        return "Noodle House Ltd"

    monkeypatch.setattr(deeds, "find_recipient", find_recipient)
    log = DeedLog()
    log.observe(screen(label("Bill")))
    assert not read
    log.catch_up()
    checkout = Page(screen(label("Checkout")))
    assert (log.pages_before(checkout), log.payee_before(checkout)) == (("Bill",), "Noodle House Ltd")
    assert len(read) == 1


def test_the_pages_before_a_payment_are_named_by_their_titles_and_payee() -> None:
    log = DeedLog()
    log.observe(screen(label("Eats"), label("Noodle House", top=30)))
    row = element("FrameLayout", 0, clickable=True)
    log.observe(screen(row, label("Golden Wok", parent=1)))
    log.observe(screen(field(0, hint="Search"), label("Recent searches", top=30)))
    log.observe(screen(label("Bill"), label("Pay to: Noodle House Ltd", top=30)))
    checkout = Page(screen(label("Checkout"), label("Total ¥29", top=30)))
    assert log.pages_before(checkout) == ("Eats", "Bill")
    assert log.payee_before(checkout) == "Noodle House Ltd"
    elsewhere = Page(screen(label("Checkout"), app=ForegroundApp("com.other", ".Pay", "Other")))
    assert log.pages_before(elsewhere) == ()
    assert log.payee_before(elsewhere) == ""


def test_a_payment_page_is_quoted_without_its_buttons_heading_and_sum() -> None:
    page = Page(
        screen(
            label("Checkout"),
            label("Noodle House", top=30),
            label("Total ¥29", top=40),
            label("—", top=50),
            field(text="no onions"),
            field(hint="Coupon"),
            field(text="Note to the seller", focused=False),
            field(text="备注：口味、偏好等", focused=False),
            button("Pay ¥29"),
        )
    )
    deed = Deed(kind=ActionKind.PAY, package=APP.package, amount="¥29", text="Pay ¥29")
    assert payment_words(page, deed) == ("Noodle House", "no onions")
    written = screen(
        field(text="Note to the seller: no onions", focused=False),
        field(text="备注：不要香菜", focused=False),
    )
    assert payment_words(Page(written), deed) == ("Note to the seller: no onions", "备注：不要香菜")


def chosen(words: str, top: int, **values: Any) -> Element:
    return element("RadioButton", top, text=words, clickable=True, checkable=True, **values)


@each(
    ("rows", "means"),
    [
        ((("Balance ¥90", True), ("Plum Bank credit card (9026)", False)), "Balance ¥90"),
        ((("余额", False), ("建设银行储蓄卡", True)), "建设银行储蓄卡"),
        ((("As soon as possible", True), ("At 12:30", False)), ""),
        ((("Balance", True), ("Plum Bank card", True)), ""),
        ((("Balance", False),), ""),
    ],
)
def test_money_is_said_to_be_from_what_is_chosen_on_the_page(
    rows: tuple[tuple[str, bool], ...], means: str
) -> None:
    options = (chosen(words, 30 * number, checked=on) for number, (words, on) in enumerate(rows, 1))
    page = Page(screen(label("Confirm payment"), *options, button("Pay ¥29", 200)))
    assert find_paid_from(page) == means
    deed = Deed(kind=ActionKind.PAY, package=APP.package, amount="¥29", text="Pay ¥29")
    assert means not in payment_words(page, deed) or not means


def test_this_turn_is_for_nobody_where_the_screen_does_not_say_for_whom() -> None:
    deeds, page = DeedLog(), Page(screen(label("New message")))
    first, second = (Deed(kind=ActionKind.SEND, package="com.chat", text=text) for text in ("hi", "late"))
    deeds.allow_for_turn(first)
    deeds.add(first, page, "send", ApprovedBy.USER)
    deeds.end_stage()
    assert deeds.covers(second, page, "send").by is None


@each(
    ("before", "after"),
    [
        (message("Meet at 12:30"), message("Meet at 13:30")),
        (message("I pay you in 5 s"), message("I pay you in 50 s")),
        (message(recipient="Table 4 service"), message(recipient="Table 5 service")),
        (Deed(kind=DELETE, text="Delete · Alarm 7:00"), Deed(kind=DELETE, text="Delete · Alarm 8:00")),
    ],
)
def test_a_number_is_no_countdown_where_it_tells_one_from_another(before: Deed, after: Deed) -> None:
    assert not is_same_deed(before, after)
    assert not repeats(after, before)


def test_a_countdown_on_a_button_makes_no_other_deed() -> None:
    assert is_same_deed(payment(text="Pay now (14:59)"), payment(text="Pay now (14:58)"))
    waits = Deed(kind=DELETE, text="Delete (5s)")
    assert is_same_deed(waits, waits.model_copy(update={"text": "Delete (4s)"}))
    assert is_same_deed(waits, waits.model_copy(update={"text": "Delete"}))
    assert is_same_deed(Deed(kind=GRANT, text="允许 5秒"), Deed(kind=GRANT, text="允许 3秒"))


@each(
    ("limit", "home", "amount", "covered"),
    [
        ("pay<=50", "CNY", "¥19", True),
        ("pay<=50", "CNY", "19元", True),
        ("pay<=50", "CNY", "￥19.00", True),
        ("pay<=50", "CNY", "$19", False),
        ("pay<=50", "CNY", "US$19", False),
        ("pay<=50", "CNY", "€19", False),
        ("pay<=50", "USD", "$19", True),
        ("pay<=50", "USD", "NT$19", False),
        ("pay<=50", "USD", "$19 CAD", False),
        ("pay<=50", "USD", "HKD $19", False),
        ("pay<=50", "JPY", "¥19", True),
        ("pay<=5000", "JPY", "4000元", False),
        ("pay<=50 USD", "CNY", "US$19", True),
        ("pay<=50 USD", "CNY", "19 USD", True),
        ("pay<=50 USD", "USD", "$19", True),
        ("pay<=50 USD", "CNY", "$19", False),
        ("pay<=50 USD", "CNY", "¥19", False),
        ("pay<=USD 50", "USD", "$51", False),
        ("pay<=¥50", "CNY", "19元", True),
        ("pay<=¥50", "JPY", "19元", False),
        ("pay<=50元", "CNY", "¥19", True),
        ("pay<=50 EUR", "", "19,00 €", True),
        ("pay<=€50", "", "£19", False),
        ("pay<=50", "", "¥19", True),
    ],
)
def test_a_limit_is_in_one_currency(limit: str, home: str, amount: str, covered: bool) -> None:
    """A limit without one is in that of the phone's country; what cannot be told apart is asked about."""
    found = find_amount(Page(screen(label("Checkout"), label("Total", 40), label(amount, 60))))
    assert parse_allowance(limit).covers(payment(amount=found), home) is covered


@each("words", ["pay<=50 apples", "pay<=$50 USD", "pay<=USD", "pay<=5.000 USD", "pay<=-5"])
def test_a_limit_in_no_currency_is_refused_in_words(words: str) -> None:
    with pytest.raises(ValueError, match="is no approval"):
        parse_allowance(words)


def test_a_limit_keeps_the_currency_of_the_first_payment_where_the_phone_tells_none() -> None:
    log = DeedLog([parse_allowance("pay:2<=50")])
    assert log.needs_currency
    first, other = payment(amount="¥19"), payment(amount="$19", recipient="Else")
    assert log.covers(first, page("Cart"), "a").by is ApprovedBy.COMMAND_LINE
    log.add(first, page("Cart"), "a", ApprovedBy.COMMAND_LINE)
    log.end_stage()
    assert log.covers(other, page("Cart"), "b").by is None
    assert log.covers(payment(amount="¥9", recipient="Else"), page("Cart"), "b").by is not None


def test_this_turn_is_for_no_other_currency_and_none_that_is_not_told() -> None:
    log = DeedLog()
    log.allow_for_turn(payment(amount="¥19"))
    log.add(payment(amount="¥19"), page("Cart"), "a", ApprovedBy.USER)
    log.end_stage()
    assert log.covers(payment(amount="¥18"), page("Cart"), "b").by is ApprovedBy.TURN
    for amount in ("$18", "€18", "18", ""):
        assert log.covers(payment(amount=amount), page("Cart"), "b").by is None


def test_the_same_number_in_another_currency_is_no_next_stage() -> None:
    log = DeedLog([Allowance(PAY)])
    log.add(payment(amount="¥19", text="Submit order"), page("Cart"), "a", ApprovedBy.COMMAND_LINE)
    elsewhere = payment(amount="$19", text="Pay now", package=WALLET)
    assert log.covers(elsewhere, page("Pay"), "b").by is None

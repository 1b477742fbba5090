"""What an approval says and offers, and what a typed line answers to it."""

from __future__ import annotations

import asyncio
import time
from asyncio import Future
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from assistant import i18n
from assistant.conversation.line_words import only_hears
from assistant.conversation.routing import route
from assistant.events import ActionKind, Approval, ApprovalRequested, Deed, Verdict
from assistant.i18n import Language, has_chinese
from assistant.presentation.prompts import (
    ApprovalPrompt,
    PromptChoice,
    parse_answer,
)
from assistant.presentation.text import format_title
from assistant.presentation.ui_state import AnswerUse, read_no_answer
from assistant.records import Click, ForegroundApp, Point, Target
from tests.tables import each

APPS = ("Eats", "Paybox", "Old Street Noodles", "支付宝生活服务平台", "x" * 200)


@pytest.fixture(params=[Language.ENGLISH, Language.CHINESE])
def spoken(request: pytest.FixtureRequest) -> Iterator[Language]:
    i18n.use(request.param)
    yield request.param
    i18n.use(Language.ENGLISH)


def prompt(deed: Deed, label: str = "Eats") -> ApprovalPrompt:
    decision: Future[Approval] = Future(loop=asyncio.new_event_loop())
    tap = Click(point=Point(0.5, 0.5))
    app = ForegroundApp("com.example", ".Main", label)
    return ApprovalPrompt(
        ApprovalRequested(
            time=datetime(2026, 3, 9, tzinfo=UTC),
            step=1,
            kind=deed.kind,
            action=tap,
            app=app,
            decision=decision,
            deed=deed,
        )
    )


@pytest.mark.parametrize("kind", ActionKind)
def test_each_answer_fits(kind: ActionKind, spoken: Language) -> None:
    for label in APPS:
        deed = Deed(kind=kind, package="com.example", recipient="R" * 80, amount="¥1,234.50")
        for answer in prompt(deed, label).answers:
            assert cell_len(answer.words) <= 69


@each("kind", ActionKind)
def test_two_is_no_on_every_approval(kind: ActionKind) -> None:
    asked = prompt(Deed(kind=kind, package="p", recipient="Mom", amount="¥3", text="hi"))
    asked.answer_in_words("2")
    assert asked.settled.result() == Approval(Verdict.NO)


@each(
    ("deed", "choices"),
    [
        (Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3"), "yes no turn instead"),
        (Deed(kind=ActionKind.SEND, package="p", recipient="Mom", text="hi"), "yes no turn always instead"),
        (Deed(kind=ActionKind.SEND, package="p", text="hi"), "yes no instead"),
        (Deed(kind=ActionKind.GRANT, package="p", recipient="Allow Maps to …?"), "yes no always instead"),
        (Deed(kind=ActionKind.SECURITY, package="p", text="Lock"), "yes no instead"),
    ],
)
def test_only_what_may_be_allowed_is_offered(deed: Deed, choices: str) -> None:
    assert " ".join(answer.choice for answer in prompt(deed).answers) == choices


@each(
    ("words", "approval"),
    [
        (" 2 ", Approval(Verdict.NO)),
        ("２", Approval(Verdict.NO)),
        ("3", Approval(Verdict.THIS_TURN)),
        ("²", Approval(Verdict.INSTEAD, "²")),
        ("no", Approval(Verdict.NO)),
    ],
)
def test_a_typed_number_is_the_answer_of_that_number(words: str, approval: Approval) -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3"))
    asked.answer_in_words(words)
    assert asked.settled.result() == approval


def test_an_answer_says_what_it_allows() -> None:
    pay = Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3")
    assert prompt(pay).answers[2].words == "yes, and pay Shop again this turn, at most ¥3 each"
    send = Deed(kind=ActionKind.SEND, package="p", recipient="Mom\n\x1b[2J", text="hi")
    assert prompt(send, "Chat").answers[3].words == "yes, always: sends and calls, Mom, in Chat"


@each(
    "words",
    [
        "yes",
        "Yes.",
        " OK ",
        "ok!",
        "好",
        "好的",
        "可以",
        "do it",
        "yes please",
        "Yes, please.",
        "ＹＥＳ",
        "好吧",
        "ya go",
        "yep do it",
        "yea sure, go ahead",
        "ok that's fine, do it pls",
        "please go ahead",
        "sounds good to me",
        "sure why not",
        "嗯去吧",
        "好嘞",
        "行 就这样",
        "没问题，去吧",
        "可以的 就它了",
        "place the order please",
        "那就付吧",
        "行，下单吧",
    ],
)
def test_a_typed_yes_means_yes(words: str) -> None:
    assert parse_answer(words, ActionKind.PAY) is PromptChoice.YES


@each("words", ["no", "No.", "不", "不要", "don’t", "NOPE", "no thanks", "不用了，谢谢", "ｎｏ", "好吧不要"])
def test_a_typed_no_means_no(words: str) -> None:
    assert parse_answer(words, ActionKind.PAY) is PromptChoice.NO


@each(
    "words",
    [
        "",
        "yes but only one",
        "no, pay cash",
        "yes please don't",
        "ok, thanks but no",
        "好像不对",
        "okey dokey",
        "notes",
        "ya but no onions",
        "ok and add a cola",
        "yes to the other one",
        "go home",
        "do it tomorrow",
        "ok wait",
        "is that right?",
        "ok?? really",
        "why not",
        "嗯 换成美式",
        "好 多加一份",
        "行吗",
        "去吧台",
        "那就这样吧",
        "可以再便宜点",
        "pay",
        "pay it tomorrow",
        "send it",
        "开始",
        "付了吗",
        "付吧台",
        "好了",
        "行了",
        "ok好了",
        "嗯行了",
        "好啦",
        "好, 叫他",
        "嗯？",
        "对吧",
    ],
)
def test_other_words_are_neither(words: str) -> None:
    assert parse_answer(words, ActionKind.PAY) is None


def test_a_message_and_a_call_are_asked_for_with_the_same_words() -> None:
    assert format_title(ActionKind.SEND) == "Send or call?"


def rows_of(asked: ApprovalPrompt) -> list[str]:
    return [" ".join(row.unstyled.split()) for row in asked.body]


def test_a_deed_says_its_amount_unless_the_sentence_does() -> None:
    for sentence, is_row in (("Sends ¥3 to Shop.", False), ("Sends ¥32 to Shop.", True), ("", True)):
        asked = prompt(Deed(kind=ActionKind.SEND, package="p", recipient="Shop", amount="¥3"))
        asked.event = replace(asked.event, sentence=sentence)
        assert any("Amount" in row for row in rows_of(asked)) == is_row


def test_a_payment_says_to_whom_for_what_from_where_and_how_much_in_the_words_of_the_page() -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥29", text="Pay now"))
    words = ("Office", "Beef noodles ×1", "¥26", "Delivery fee", "¥3", "no onions")
    asked.event = replace(
        asked.event, sentence="Pays ¥29, to Shop.", page_words=words, paid_from="Balance ¥1288.50"
    )
    assert rows_of(asked) == [
        "Price ¥29",
        "To Shop",
        "For Beef noodles ×1 ¥26 · Delivery fee ¥3",
        "From Balance ¥1288.50",
        "Action tap at 0.50, 0.50, in Eats",
        "Page says Office · no onions",
    ]


def test_what_a_payment_page_does_not_tell_is_said_to_be_missing() -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", text="Order"))
    asked.event = replace(asked.event, sentence="Pays or orders; the screen does not tell the amount.")
    assert rows_of(asked)[:2] == ["Price not told on this page", "To not named on this page"]


def test_a_sentence_that_says_more_than_the_rows_of_a_payment_stays() -> None:
    for sentence in ("Pays ¥32, to Shop.", "The model itself warns: costs ¥3."):
        asked = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3"))
        asked.event = replace(asked.event, sentence=sentence, warning="This was paid: ¥3.")
        assert rows_of(asked)[:2] == ["This was paid: ¥3.", sentence]


@each(
    ("button", "stage", "before", "title"),
    [
        ("Pay now", 1, "", "Pay?"),
        ("Buy now", 1, "", "Pay? Step 1: opens the checkout, or buys at once"),
        ("Submit order", 1, "", "Pay? Step 1: submits the order; a payment page asks again"),
        ("Submit order", 2, "Buy now", "Pay? Step 2, after “Buy now”: submits the order"),
        ("Pay now", 3, "Submit order", "Pay? Step 3, after “Submit order”: pays"),
    ],
)
def test_a_payment_in_stages_says_which_one_it_is(button: str, stage: int, before: str, title: str) -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", amount="¥3", text=button))
    asked.event = replace(asked.event, stage=stage, stage_before=before)
    assert asked.title == title


def test_a_payee_of_an_earlier_page_is_said_to_be_from_there() -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", amount="¥3"))
    asked.event = replace(asked.event, payee_before="Shop\n\x1b[2J", page_words=("Beef", "Office"))
    rows = rows_of(asked)
    assert "To Shop, an earlier page says" in rows
    assert "Page says Beef · Office" in rows


def test_a_payment_says_where_to_and_what_stands_above_the_items() -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", amount="¥48", text="Submit order"))
    words = ("Office", "Floor 12", "Corner Coffee", "Latte", "¥24", "no sugar")
    asked.event = replace(
        asked.event, page_words=words, destination=("Office", "Floor 12"), seller="Corner Coffee"
    )
    rows = rows_of(asked)
    assert [row for row in rows if not row.startswith(("Action", "Price"))] == [
        "To Corner Coffee, named above the items",
        "For Latte ¥24",
        "Where to Office, Floor 12",
        "Page says no sugar",
    ]
    assert rows[0] == "Price ¥48"
    asked.event = replace(asked.event, payee_before="Noodle House Ltd")
    assert "To Noodle House Ltd, an earlier page says" in rows_of(asked)


@each("number", ["0", "4", "5", "77", "９", "9" * 5000])
def test_a_number_that_no_answer_has_decides_nothing(number: str) -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3"))
    asked.answer_in_words(number)
    assert not asked.settled.done()


@each("kind", ActionKind)
def test_no_yes_is_marked_at_first(kind: ActionKind) -> None:
    message = prompt(Deed(kind=kind, package="com.example", recipient="Mom"))
    assert message.first_marked is None
    assert message.answers[0].choice is PromptChoice.YES
    after_words = ApprovalPrompt(replace(message.event, user_words="I meant dad, not mom"))
    assert after_words.first_marked is None
    assert "marks, then enter" in after_words.choices


def test_a_mark_says_why_it_is_there_and_none_says_why_not() -> None:
    payment = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3"))
    message = prompt(Deed(kind=ActionKind.SEND, package="p", recipient="Mom"))
    assert "money" in payment.tell_mark(None)
    assert payment.tell_mark(1) == "2 is marked because you chose it"
    assert message.tell_mark(None) == "nothing is marked yet"
    after_words = ApprovalPrompt(replace(message.event, user_words="to dad"))
    assert "you said something" in after_words.tell_mark(None)
    unheard = replace(payment.event, user_words="make it two", unheard="make it two", warning="Unheard.")
    assert "your words are not done" in ApprovalPrompt(unheard).tell_mark(1)
    done_before = ApprovalPrompt(replace(payment.event, warning="This was paid: ¥3."))
    assert "first line" in done_before.tell_mark(1)


def test_words_that_changed_nothing_are_said_once_with_what_to_do() -> None:
    payment = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3")).event
    warning = "Your words “make it two” changed nothing here."
    unheard = replace(payment, user_words="make it two", unheard="make it two", warning=warning)
    rows = [row.unstyled for row in ApprovalPrompt(unheard).body]
    assert rows[0] == warning
    assert rows[1].startswith("Choosing no pauses")
    assert sum("make it two" in row for row in rows) == 1


def test_words_that_no_page_says_are_a_row_and_mark_no_answer() -> None:
    payment = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3")).event
    asked = ApprovalPrompt(replace(payment, not_shown=("but to home", "no ice")))
    rows = [row.unstyled for row in asked.body]
    assert any(row.startswith("Not seen") and "“but to home”, “no ice”" in row for row in rows)
    assert asked.first_marked is None


@each("words", ["2 no, pause here", "no, pause here", "no", "no, stop here", "stop here"])
def test_a_typed_refusal_with_the_words_of_its_answer_is_one(words: str) -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3"))
    assert asked.use_of(words) in (AnswerUse.ANSWER, AnswerUse.PAUSE)
    if asked.use_of(words) is AnswerUse.ANSWER:
        asked.answer_in_words(words)
        assert asked.settled.result() == Approval(Verdict.NO)


def test_a_number_before_other_words_is_no_answer() -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", recipient="Shop", amount="¥3"))
    assert asked.use_of("1 no, pause here") is AnswerUse.CHOOSE
    assert asked.use_of("2 portions please") is AnswerUse.CHOOSE


def test_a_text_that_is_only_reported_is_said_to_be_sent_as_it_stands() -> None:
    message = prompt(Deed(kind=ActionKind.SEND, package="p", recipient="Dad", text="tell him"))
    assert not [row for row in message.body if "exactly as it stands" in row.unstyled]
    reported = ApprovalPrompt(replace(message.event, as_commanded=True))
    assert [row for row in reported.body if "exactly as it stands" in row.unstyled]


@each(
    ("words", "kind"),
    [
        ("yeah go ahead", ActionKind.PAY),
        ("yeees", ActionKind.PAY),
        ("准", ActionKind.GRANT),
        ("just this once", ActionKind.GRANT),
        ("continue", ActionKind.PAY),
        ("我同意", ActionKind.PAY),
        ("准了", ActionKind.SEND),
        ("ok do it", ActionKind.GRANT),
        ("yep send it", ActionKind.SEND),
        ("ok, send it", ActionKind.SEND),
        ("yes, order it", ActionKind.PAY),
        ("好的，付吧", ActionKind.PAY),
        ("嗯打吧", ActionKind.SEND),
        ("可以打", ActionKind.SEND),
        ("just send it", ActionKind.SEND),
        ("打吧", ActionKind.SEND),
        ("恩 付吧", ActionKind.PAY),
        ("恩 发", ActionKind.SEND),
        ("mm ok pay", ActionKind.PAY),
        ("uh yes, pay it", ActionKind.PAY),
        ("嗯 转吧", ActionKind.PAY),
    ],
)
def test_a_yes_that_repeats_the_deed_means_yes(words: str, kind: ActionKind) -> None:
    assert parse_answer(words, kind) is PromptChoice.YES


@each(
    ("words", "kind"),
    [
        ("yep send it", ActionKind.PAY),
        ("yes, send it to Dad", ActionKind.SEND),
        ("yes pay by card", ActionKind.PAY),
        ("ok pay it?", ActionKind.PAY),
        ("send it to Dad", ActionKind.SEND),
        ("打给爸爸吧", ActionKind.SEND),
        ("好，发给爸爸", ActionKind.SEND),
        ("可以付吗", ActionKind.PAY),
        ("可以，不过换个地址", ActionKind.PAY),
        ("mm ok pay?", ActionKind.PAY),
        ("ok... hmm", ActionKind.PAY),
        ("sure, uh", ActionKind.PAY),
        ("hmm pay it", ActionKind.PAY),
        ("mm ok pay 20", ActionKind.PAY),
        ("恩 付吧 不过要大份", ActionKind.PAY),
        ("恩 付20吧", ActionKind.PAY),
        ("mm", ActionKind.PAY),
        ("嗯 转发", ActionKind.PAY),
    ],
)
def test_a_yes_that_says_more_or_of_another_deed_allows_nothing(words: str, kind: ActionKind) -> None:
    asked = prompt(Deed(kind=kind, package="p", recipient="Shop", amount="¥3"))
    assert parse_answer(words, kind) is None
    if asked.use_of(words) is AnswerUse.ANSWER:
        asked.answer_in_words(words)
        assert asked.settled.result().verdict is Verdict.INSTEAD


@each(
    ("line", "kind", "use"),
    [
        ("not home, to the office", ActionKind.GRANT, AnswerUse.ANSWER),
        ("no wait, not home, to the office", ActionKind.GRANT, AnswerUse.ANSWER),
        ("no wait, not home, to the office", ActionKind.PAY, AnswerUse.ANSWER),
        ("no make it a van, then go on", ActionKind.GRANT, AnswerUse.ANSWER),
        ("no, just dial the number i gave you", ActionKind.GRANT, AnswerUse.ANSWER),
        ("to the office", ActionKind.GRANT, AnswerUse.LINE),
        ("no", ActionKind.GRANT, AnswerUse.ANSWER),
        ("no stop", ActionKind.GRANT, AnswerUse.ANSWER),
        ("no stop", ActionKind.PAY, AnswerUse.ANSWER),
    ],
)
def test_a_change_of_the_order_goes_on_with_it_and_leaves_the_dialog_of_a_permission(
    line: str, kind: ActionKind, use: AnswerUse
) -> None:
    asked = prompt(Deed(kind=kind, package="p", recipient="Allow Maps to …?"))
    said, command = "get me a ride home", "get me a ride to 9 Mill Lane"
    asked.event = replace(asked.event, command=command, said=said)
    assert asked.use_of(line, command) is use
    if use is not AnswerUse.ANSWER:
        return
    asked.answer_in_words(line)
    is_bare = line in ("no", "no stop")
    expected = Approval(Verdict.INSTEAD, line, answers_dialog=kind is not ActionKind.GRANT)
    assert asked.settled.result() == (Approval(Verdict.NO) if is_bare else expected)


@each(
    ("line", "use"),
    [
        ("别用余额，用银行卡付", AnswerUse.ANSWER),
        ("不要送公司，送家里", AnswerUse.ANSWER),
        ("not with the card", AnswerUse.ANSWER),
        ("用银行卡付", AnswerUse.ANSWER),
    ],
)
def test_what_refuses_by_its_name_what_is_shown_is_a_no_with_what_is_wanted_instead(
    line: str, use: AnswerUse
) -> None:
    asked = prompt(Deed(kind=ActionKind.PAY, package="p", amount="¥32"))
    destination = ("公司 云楼12层",)
    asked.event = replace(
        asked.event, command="点一份牛肉面", paid_from="账户余额 ¥1,200", destination=destination
    )
    assert asked.use_of(line) is use
    if use is AnswerUse.ANSWER:
        asked.answer_in_words(line)
        assert asked.settled.result() == Approval(Verdict.INSTEAD, line)


def at_approval(kind: ActionKind, command: str, label: str = "", text: str = "") -> ApprovalPrompt:
    asked = prompt(
        Deed(kind=kind, package="p", recipient="Dad", amount="¥38" if kind is ActionKind.PAY else "")
    )
    tap = Click(point=Point(0.5, 0.5), target=Target(text=label))
    asked.event = replace(asked.event, command=command, said=command, action=tap, text=text)
    return asked


@each(("label", "is_ended"), [("Hang up", True), ("挂断", True), ("Decline", True), ("Delete", False)])
def test_ending_a_call_is_not_asked_as_a_deletion_and_has_no_rule(label: str, is_ended: bool) -> None:
    asked = at_approval(ActionKind.DELETE, "hang up", label)
    choices = {answer.choice for answer in asked.answers}
    assert (asked.title == "End it?") is is_ended
    assert (choices == {PromptChoice.YES, PromptChoice.NO, PromptChoice.INSTEAD}) is is_ended


@each(
    ("line", "kind", "label"),
    [
        ("perfect, send it", ActionKind.SEND, "Send"),
        ("great, send", ActionKind.SEND, "Send"),
        ("Lovely! Send it please", ActionKind.SEND, "Send"),
        ("ok that's right, place the order", ActionKind.PAY, "Pay"),
        ("nice one, go for it", ActionKind.PAY, "Pay"),
        ("good, get rid of it", ActionKind.DELETE, "Delete"),
        ("yes call him", ActionKind.SEND, "Call"),
        ("完美，发吧", ActionKind.SEND, "发送"),
        ("发", ActionKind.SEND, "发送"),
        ("行，打给他吧", ActionKind.SEND, "Call"),
        ("好嘞 叫吧", ActionKind.PAY, "叫车"),
        ("行行行 买", ActionKind.PAY, "付款"),
        ("太好了，付款吧", ActionKind.PAY, "付款"),
    ],
)
def test_a_yes_with_praise_and_the_very_deed_is_one(line: str, kind: ActionKind, label: str) -> None:
    asked = at_approval(kind, "x", label)
    assert asked.use_of(line) is AnswerUse.ANSWER
    asked.answer_in_words(line)
    assert asked.settled.result().verdict is Verdict.ONCE


@each(
    ("line", "kind", "label"),
    [
        ("yes, call him", ActionKind.SEND, "Send"),
        ("行，打给他吧", ActionKind.SEND, "Send"),
        ("yes, text him", ActionKind.SEND, "Call"),
        ("perfect", ActionKind.SEND, "Send"),
        ("太好了", ActionKind.PAY, "付款"),
        ("perfect, but add that ill bring cake", ActionKind.SEND, "Send"),
        ("great, send it to dad too", ActionKind.SEND, "Send"),
        ("perfect timing for a message i guess", ActionKind.SEND, "Send"),
        ("sure, always the same questions", ActionKind.GRANT, "Allow"),
        ("sure, always", ActionKind.PAY, "Pay"),
        ("no wait, send it", ActionKind.SEND, "Send"),
        ("完美，不过加一句我带蛋糕", ActionKind.SEND, "发送"),
        ("不错，能便宜点吗", ActionKind.PAY, "付款"),
        ("快点", ActionKind.PAY, "付款"),
        ("cancel it", ActionKind.DELETE, "Delete"),
    ],
)
def test_what_praises_and_says_more_allows_nothing(line: str, kind: ActionKind, label: str) -> None:
    asked = at_approval(kind, "x", label)
    if asked.use_of(line) is AnswerUse.ANSWER:
        asked.answer_in_words(line)
        assert asked.settled.result().verdict in (Verdict.NO, Verdict.INSTEAD)


def test_always_is_the_answer_that_is_listed_as_that() -> None:
    for line in ("sure, always", "好，一直允许"):
        asked = at_approval(ActionKind.GRANT, "walk to the station", "Allow")
        assert asked.use_of(line) is AnswerUse.ANSWER
        asked.answer_in_words(line)
        assert asked.settled.result().verdict is Verdict.ALWAYS


@each(
    ("line", "kind", "use"),
    [
        ("no, cancel the taxi", ActionKind.PAY, AnswerUse.CANCEL),
        ("nah thats too expensive, forget it, ill take the bus", ActionKind.PAY, AnswerUse.CANCEL),
        ("不了，把车取消吧", ActionKind.PAY, AnswerUse.CANCEL),
        ("太贵了，算了，我坐公交", ActionKind.PAY, AnswerUse.CANCEL),
        ("no dont call, just text him happy birthday", ActionKind.SEND, AnswerUse.ANSWER),
        ("no dont call just text him happy birthday", ActionKind.SEND, AnswerUse.ANSWER),
        ("算了别打了，给她发个消息说我晚点打", ActionKind.SEND, AnswerUse.ANSWER),
        ("别发了，打电话给她吧", ActionKind.SEND, AnswerUse.ANSWER),
        ("don't delete it, move it to the archive", ActionKind.DELETE, AnswerUse.ANSWER),
        ("no dont send that now, wait until tomorrow 9am", ActionKind.SEND, AnswerUse.POSTPONE),
        ("先别发，等到明天早上九点再发", ActionKind.SEND, AnswerUse.POSTPONE),
        ("no, maybe text him, not sure", ActionKind.SEND, AnswerUse.UNCLEAR),
        ("先别付，我想想", ActionKind.PAY, AnswerUse.CHOOSE),
        ("不要了，我先问问她", ActionKind.SEND, AnswerUse.ANSWER),
    ],
)
def test_a_plain_no_with_what_then_needs_no_menu(line: str, kind: ActionKind, use: AnswerUse) -> None:
    command = "给妈妈发消息说我晚点到" if has_chinese(line) else "text mom im late"
    asked = at_approval(kind, command, "Send", "im late")
    assert asked.use_of(line, command) is use
    if use is AnswerUse.ANSWER:
        asked.answer_in_words(line)
        assert asked.settled.result() == Approval(Verdict.INSTEAD, line)


@each(
    ("line", "command", "later"),
    [
        (
            "no dont send that now, wait until tomorrow 9am",
            "text mom im late",
            "tomorrow 9am text mom im late",
        ),
        ("先别发，等到明天早上九点再发", "给妈妈发消息说我晚点到", "明天早上九点给妈妈发消息说我晚点到"),
    ],
)
def test_what_is_put_off_is_the_command_at_that_time(line: str, command: str, later: str) -> None:
    assert at_approval(ActionKind.SEND, command).postponed(line) == later


def test_a_question_is_answered_from_the_page_and_the_answer_stays_in_the_card() -> None:
    asked = at_approval(ActionKind.PAY, "order lunch", "Pay")
    assert asked.use_of("一共多少钱?") is AnswerUse.UNCLEAR
    assert "¥38" in asked.tell_unclear("一共多少钱?")
    assert "¥38" in asked.body[0].unstyled
    assert "¥38" not in asked.tell_unclear("who gets it?")
    assert "Dad" in asked.tell_unclear("who gets it?")
    deletes = at_approval(ActionKind.DELETE, "scrap the 6.30 alarm", "Delete")
    deletes.event = replace(deletes.event, sentence="Deletes or cancels: delete (Edit alarm: 06 · 30).")
    assert "06 · 30" in deletes.tell_unclear("which one is it?")


@each("line", ["好" * 14 + "吗", "嗯" * 50 + "x", "好嗯" * 25 + "x", "嗯" * 24 + "真的，叫车"])
def test_a_line_of_repeated_words_is_read_at_once(line: str) -> None:
    for text in ("hm", line):  # The first line also loads the words.
        started = time.process_time()
        assert parse_answer(text, ActionKind.PAY) is None
        route(text)
        only_hears(text)
        read_no_answer(text)
    assert time.process_time() - started < 0.5

"""Questions about orders and messages: what was paid or sent counts, however its turn ended."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.conversation.answers import ask_last_price
from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import Conversation
from assistant.events import ActionKind, Deed
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.memory_view.items import ItemList
from assistant.memory_view.service import MemoryView
from assistant.records import OpenApp, Outcome
from tests.tables import each

from .past import NOW, ask, ended_turn, record

PAID = Deed(kind=ActionKind.PAY, app="Eats", amount="¥29", recipient="Old Street Noodles")


@pytest.mark.parametrize("outcome", [Outcome.UNCONFIRMED, Outcome.FAILED, Outcome.CANCELLED])
@pytest.mark.parametrize("question", ["did I already order today?", "我今天点过外卖吗？"])
def test_a_paid_order_counts_however_its_turn_ended(
    conversation: Conversation, store: Store, outcome: Outcome, question: str
) -> None:
    ended_turn(store, outcome, "Order beef noodles", "", deed=PAID)
    answer = ask(conversation, question)
    assert answer.evidence == ("t1",)
    assert "¥29" in answer.text
    assert "Old Street Noodles" in answer.text


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.CANCELLED])
def test_an_order_that_paid_nothing_is_none(
    conversation: Conversation, store: Store, outcome: Outcome
) -> None:
    ended_turn(store, outcome, "Order beef noodles", "")
    reply = ask(conversation, "did I already order today?")
    assert reply.text.startswith(f"No. “order my usual lunch”: {outcome.value}.")
    assert reply.evidence == ("t1",)


def test_an_unconfirmed_order_without_a_deed_is_neither_yes_nor_no(
    conversation: Conversation, store: Store
) -> None:
    ended_turn(store, Outcome.UNCONFIRMED, "Order beef noodles", "")
    answer = ask(conversation, "did I already order today?")
    assert answer.text.startswith("Not for certain.")
    assert "unconfirmed" in answer.text


@pytest.mark.parametrize("outcome", [Outcome.UNCONFIRMED, Outcome.FAILED, Outcome.CANCELLED])
def test_a_payment_that_may_have_been_made_is_neither_yes_nor_no(
    conversation: Conversation, store: Store, outcome: Outcome
) -> None:
    ended_turn(store, outcome, "Order beef noodles", "", deed=PAID.model_copy(update={"maybe": True}))
    answer = ask(conversation, "did I already order today?")
    assert answer.text.startswith("Not for certain.")
    assert "¥29" in answer.text


def test_a_question_loads_each_turn_once_and_only_where_the_rest_fits(
    conversation: Conversation, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended_turn(store, Outcome.FAILED, "Order beef noodles", "", deed=PAID)
    loaded: list[str] = []
    load = store.turns.load

    def counted_load(turn_id: str) -> tuple[Checkpoint, Outcome | None] | None:
        loaded.append(turn_id)
        return load(turn_id)

    monkeypatch.setattr(store.turns, "load", counted_load)
    assert ask(conversation, "did I already order today?").text.startswith("Yes.")
    assert loaded == ["t1"]


def test_a_message_that_was_sent_is_named_though_its_turn_failed(
    conversation: Conversation, store: Store
) -> None:
    sent = Deed(kind=ActionKind.SEND, app="Chat", recipient="Mom", text="I will be late")
    ended_turn(store, Outcome.FAILED, "text mom that I will be late and call me back at 5", "", deed=sent)
    answer = ask(conversation, "what did I send to mom today")
    assert answer.evidence == ("t1",)
    assert "Mom" in answer.text
    assert "failed" in answer.text


SUBMITTED = Deed(kind=ActionKind.PAY, package="eats", app="Eats", amount="¥29", text="Submit order")


def submitted_turn(store: Store, *, ended: Outcome | None) -> None:
    """A turn that placed an order and did not pay it; it still runs if it has no outcome."""
    step = StoredStep(number=1, action=OpenApp(name="Eats"), app="Eats", deed=SUBMITTED, led_on=True)
    checkpoint = Checkpoint(
        turn_id="t1", user_id="me", started=NOW, said="order my usual lunch", instruction="Order beef noodles"
    ).model_copy(update={"steps": (step,)})
    store.turns.save(checkpoint)
    if ended is not None:
        store.turns.finish(checkpoint, ended)


@pytest.mark.parametrize("ended", [Outcome.CANCELLED, Outcome.FAILED, None])
def test_an_order_that_was_placed_and_not_paid_is_neither_yes_nor_no(
    conversation: Conversation, store: Store, ended: Outcome | None
) -> None:
    submitted_turn(store, ended=ended)
    answer = ask(conversation, "did I already order today?")
    assert answer.text.startswith("Not for certain.")
    assert "“Submit order” was pressed in Eats and not paid" in answer.text


def test_an_order_that_was_not_paid_is_not_the_last_one(conversation: Conversation, store: Store) -> None:
    submitted_turn(store, ended=Outcome.CANCELLED)
    assert ask(conversation, "when did I last order lunch?").evidence[0] == "r7-12"


def test_whether_something_was_ordered_is_asked_without_saying_by_whom(conversation: Conversation) -> None:
    assert route("今天点过外卖了吗").kind is RouteKind.QUESTION
    assert route("今天下雨了吗").kind is not RouteKind.QUESTION


LILI = Deed(kind=ActionKind.PAY, app="PayBox", amount="¥50", recipient="Lili Chen")


@pytest.mark.parametrize("outcome", [Outcome.SUCCESS, Outcome.FAILED, Outcome.CANCELLED])
@pytest.mark.parametrize(
    "question", ["who did I just pay?", "我刚才给谁付了钱", "when did I last pay Lili Chen?"]
)
def test_who_was_paid_is_what_the_turn_paid_whatever_its_command_was(
    conversation: Conversation, store: Store, outcome: Outcome, question: str
) -> None:
    ended_turn(store, outcome, "Order two coffees and a bagel", "", deed=LILI)
    answer = ask(conversation, question)
    assert answer.evidence == ("t1",)
    assert "¥50" in answer.text
    assert "Lili Chen" in answer.text


@pytest.mark.parametrize("question", ["who did I just pay?", "我刚才给谁付了钱"])
def test_nobody_was_paid_just_now_where_only_older_payments_are_known(
    conversation: Conversation, store: Store, question: str
) -> None:
    store.records.add([record(4, 12, "Transfer 45 yuan to Li Na")])
    ended_turn(store, Outcome.CANCELLED, "Transfer 50 yuan to Lili Chen", "")
    assert not ask(conversation, question).is_answered
    assert ask(conversation, "when did I last pay Li Na?").evidence == ("r4-12",)


@pytest.mark.parametrize(
    "question",
    ["how much was lunch", "how much did my lunch cost today", "what did u pay for today", "午饭花了多少钱"],
)
def test_what_a_turn_paid_is_told_as_what_it_cost(
    conversation: Conversation, store: Store, question: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, "Order beef noodles for lunch", "Ordered.", deed=PAID)
    answer = ask(conversation, question)
    assert answer.is_answered
    assert "¥29" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "how many times did I order takeout this month",
        "我这个月点了几次外卖",
        "how much did I blow on takeout this month",
    ],
)
def test_takeout_is_dishes_and_drinks(conversation: Conversation, store: Store, question: str) -> None:
    store.records.add(
        [record(2, 15, "Order an oat latte to the office"), record(2, 16, "点一杯拿铁送到公司")]
    )
    told = ask(conversation, question)
    orders = ["r9-12", "r8-12", "r7-12", "r2-15", "r2-16"]
    assert sorted(told.evidence) == sorted(orders)


def test_what_was_asked_of_the_program_is_asked_in_many_words(conversation: Conversation) -> None:
    usual = ask(conversation, "前天晚上我让你干什么了")
    assert usual.is_answered
    assert ask(conversation, "前天晚上我让你干嘛来着").evidence == usual.evidence


@pytest.mark.parametrize("question", ["who did you just call", "你刚才给谁打电话了"])
def test_a_question_what_the_program_did_is_no_task(conversation: Conversation, question: str) -> None:
    assert route(question).kind is RouteKind.QUESTION
    assert route(question, running=True).kind is RouteKind.QUESTION


@pytest.mark.parametrize(
    "question", ["how much was that", "how much was it?", "刚才那个多少钱", "一共花了多少钱"]
)
def test_what_that_cost_is_what_was_paid_last(
    conversation: Conversation, store: Store, question: str
) -> None:
    store.records.add([record(4, 12, "Transfer 45 yuan to Li Na")])
    assert "Li Na" not in conversation.reply(ask_last_price(route(question))).text
    ended_turn(store, Outcome.SUCCESS, "Order beef noodles", "Ordered.", deed=PAID)
    assert "¥29" in conversation.reply(ask_last_price(route(question))).text


@each("line", ["how much is that", "这个多少钱", "多少钱", "how much was that flight"])
def test_a_price_on_the_screen_is_no_question_about_the_past(line: str) -> None:
    assert ask_last_price(route(line)).kind is RouteKind.COMMAND


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("周一晚上打车去了哪", ("r2-19",)),
        ("上周二中午吃的啥", ("r8-12",)),
        ("这个月给Susan打过电话吗", ("r3-20", "r10-20")),
        ("你这个月给Susan打了几次电话", ("r3-20", "r10-20")),
        ("上个星期lunch都吃了啥", ("r7-12", "r8-12", "r9-12")),
        ("whats the last thing I ordered", ("r7-12",)),
    ],
)
def test_a_question_in_few_words_is_one_about_the_past(
    conversation: Conversation, question: str, evidence: tuple[str, ...]
) -> None:
    assert set(evidence) <= set(ask(conversation, question).evidence)


@each("line", ["我上周跑步了吗", "上周几点睡的", "周一喝咖啡了没", "上周末去了哪", "昨晚几点到家的"])
def test_a_past_time_with_a_deed_that_is_done_asks(line: str) -> None:
    assert route(line).kind is RouteKind.QUESTION


@each(
    "line",
    [
        "周二中午吃什么",
        "周二中午点一份面",
        "昨天的新闻说了什么",
        "今晚几点关门",
        "他昨天几点睡的",
        "上周的会议记录在哪",
        "妈妈周二去了哪",
    ],
)
def test_what_is_to_come_or_of_others_asks_nothing_of_the_past(line: str) -> None:
    assert route(line).kind is not RouteKind.QUESTION


def test_a_title_is_found_by_its_short_form(conversation: Conversation, store: Store) -> None:
    store.records.add([record(5, 10, "Call Doctor Gao")])
    assert ask(conversation, "did I call the doc this month").evidence == ("r5-10",)


def test_who_was_just_written_to_can_be_named(
    conversation: Conversation, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MemoryView, "items", lambda view, section: ItemList(()))
    assert "Mom" not in [mention.name for mention in conversation.mentions()]
    sent = Deed(kind=ActionKind.SEND, app="Chat", recipient="Mom", text="late")
    ended_turn(store, Outcome.SUCCESS, "Tell Mom that I am late", "Sent.", deed=sent)
    assert "Mom" in [mention.name for mention in conversation.mentions()]


def test_a_sum_that_the_order_names_is_known(conversation: Conversation, store: Store) -> None:
    store.records.add([record(4, 11, "Send Ann 80 yuan for the tickets")])
    for question in ("how much did I send Ann", "how much did I pay Ann back"):
        answer = ask(conversation, question)
        assert answer.is_answered
        assert "80 yuan" in answer.text
        assert "do not know" not in answer.text


def test_where_nothing_has_all_of_a_question_the_nearest_record_is_told(
    conversation: Conversation, store: Store
) -> None:
    store.records.add([record(4, 11, "Play Ten Kilometres for my run")])
    answer = ask(conversation, "did I go running this month?")
    assert not answer.is_answered
    assert "What comes nearest: Sat 07 Mar 11:00, Play Ten Kilometres for my run" in answer.text
    assert "nearest" not in ask(conversation, "did I go diving this month?").text


@pytest.mark.parametrize("question", ["what did I text mom today", "我今天给mom发了什么消息"])
def test_what_was_sent_is_told_and_not_what_was_ordered(
    conversation: Conversation, store: Store, question: str
) -> None:
    sent = Deed(kind=ActionKind.SEND, app="Chat", recipient="Mom", text="send it to dad")
    ended_turn(store, Outcome.SUCCESS, "给mom发个message说我晚点到", "Done.", deed=sent)
    assert "send it to dad" in ask(conversation, question).text


@pytest.mark.parametrize(
    "question", ["what did I buy today", "how much did I spend on food today", "我今天买了什么"]
)
def test_what_was_paid_is_told_where_nothing_has_just_these_words(
    conversation: Conversation, store: Store, question: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, "refill the bus card", "Done.", deed=PAID)
    reply = ask(conversation, question)
    assert not reply.is_answered
    assert "refill the bus card" in reply.text
    assert "¥29" in reply.text


BOWLS = PAID.model_copy(update={"amount": "¥68", "recipient": "Green Bowl"})
REPORT = "I ordered two chicken salads from Green Bowl to the office, ¥68."


@pytest.mark.parametrize("outcome", [Outcome.SUCCESS, Outcome.UNCONFIRMED])
def test_an_order_that_was_changed_is_told_by_what_was_bought_and_once(
    conversation: Conversation, store: Store, outcome: Outcome
) -> None:
    said = "no noodles for me this month. order lunch anyway"
    doubt = "Nothing on the phone answers “no noodles”. Check there. The model says: "
    answer = REPORT if outcome is Outcome.SUCCESS else f"{doubt}{REPORT} ¥68 was paid to Green Bowl."
    ended_turn(store, outcome, said, answer, deed=BOWLS, said=said)
    told = "Wed 11 Mar 09:00: ¥68 was paid to Green Bowl. The model says: " + REPORT
    for line in ("so what did u order just now and how much was it", "what did you just order"):
        assert ask(conversation, line).text == told
    assert ask(conversation, "what did i just buy").text == told
    for line in ("我刚点的啥", "刚刚你帮我买了啥"):
        assert "two chicken salads" in ask(conversation, line).text
        assert said not in ask(conversation, line).text


@pytest.mark.parametrize(
    ("command", "question"),
    [
        ("把外卖的购物车也清掉", "刚才点了什么 多少钱"),
        ("cancel my order of soup", "what did I just order"),
        ("点的牛肉面还要多久到啊", "我刚点的啥"),
    ],
)
def test_what_only_speaks_of_an_order_is_none(
    conversation: Conversation, store: Store, command: str, question: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, "Order beef noodles", "", deed=PAID)
    later = NOW + timedelta(seconds=1)
    ended_turn(store, Outcome.SUCCESS, command, "", said=command, started=later, turn_id="t2")
    assert ask(conversation, question).evidence[:1] == ("t1",)


def test_of_messages_what_was_sent_is_told_and_of_long_orders_the_beginning(
    conversation: Conversation, store: Store
) -> None:
    sent = Deed(kind=ActionKind.SEND, app="Eats", recipient="Mom", text="Noodles are coming. Thank you!")
    command = "tell mom noodles r coming to the house, let the guy in, n thank her for me while you are at it"
    ended_turn(store, Outcome.SUCCESS, command, "", deed=sent)
    told = ask(conversation, "who did I text today")
    assert told.text.startswith("“Noodles are coming. Thank you!” to Mom")
    assert "let the guy in" not in told.text
    listed = ask(conversation, "what have you done for me today")
    assert "…" in listed.text
    assert "while you are at it" not in listed.text

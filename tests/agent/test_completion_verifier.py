from __future__ import annotations

import pytest

from assistant.agent.stop_checks import CompletionVerifier, Verification, find_contradiction, required_kinds
from assistant.bench.tasks import BenchTask, load_tasks
from assistant.events import ActionKind
from assistant.memory.turns import StoredStep
from assistant.records import Outcome, PressBack

OPEN, TELL = "open the settings", "send Mom a message"
SEND, PAY, DELETE = ActionKind.SEND, ActionKind.PAY, ActionKind.DELETE


@pytest.mark.parametrize(
    ("instruction", "kinds"),
    [
        ("send a message to Mom: I will be late", {SEND}),
        ("tell Zhang Ming that Friday lunch works", {SEND}),
        ("tell me the weather", set()),
        ("read the last message from Project Harbour", set()),
        ("open the mail and reply that I agree", {SEND}),
        ("call Dad", {SEND}),
        ("remind me to call Dad", set()),
        ("I want to order a pizza", {PAY}),
        ("write a note: buy stamps", set()),
        ("记个便签：买邮票", set()),
        ("call a taxi to the airport", {PAY}),
        ("order beef noodles without coriander", {PAY}),
        ("show my order history", set()),
        ("add milk to the cart, but do not buy it", set()),
        ("find a train to Shanghai and book the first one", {PAY}),
        ("delete the dentist appointment", {DELETE}),
        ("set an alarm for 7:30", set()),
        ("给妈妈发消息说我晚点到", {SEND}),
        ("告诉爸爸我到了", {SEND}),
        ("告诉我明天的天气", set()),
        ("给李雷打电话", {SEND}),
        ("点一份牛肉面不要香菜", {PAY}),
        ("七点一刻叫我", set()),
        ("买一张去上海的火车票", {PAY}),
        ("查一下我的订单", set()),
        ("把牙医的日程删除", {DELETE}),
        ("看看购物车，不要下单", set()),
    ],
)
def test_what_a_command_demands(instruction: str, kinds: set[ActionKind]) -> None:
    assert required_kinds(instruction) == kinds


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_no_scripted_task_demands_more_than_it_needs(task: BenchTask) -> None:
    if task.outcome is Outcome.SUCCESS:
        assert required_kinds(task.instruction) <= set(task.approvals)


def test_a_claim_against_what_was_done() -> None:
    assert find_contradiction("send Mom a message", done=set(), steps=5, answer="Sent.") == "nothing was sent"
    assert find_contradiction("send Mom a message", done={SEND}, steps=5, answer="Sent.") == ""
    assert find_contradiction("set an alarm for 7:30", done=set(), steps=0, answer="") == "nothing was done"
    assert find_contradiction("what is on the screen", done=set(), steps=0, answer="A map.") == ""


class TestWeighing:
    def step(self, kind: ActionKind | None = None, error: str = "") -> StoredStep:
        return StoredStep(number=1, action=PressBack(), kind=kind, error=error)

    def test_a_claim_is_looked_at_twice_and_then_believed(self) -> None:
        claims = CompletionVerifier(confirm=True)
        steps = [self.step()]
        assert claims.verify(OPEN, steps, "Done.")[0] is Verification.LOOK_AGAIN
        assert claims.verify(OPEN, steps, "Done.") == (Verification.BELIEVED, "Done.")
        assert claims.verify(OPEN, [*steps, self.step()], "Done.")[0] is Verification.LOOK_AGAIN

    def test_without_a_second_look_only_what_speaks_against_it_counts(self) -> None:
        claims = CompletionVerifier(confirm=False)
        belief, sentence = claims.verify(TELL, [self.step()], "Done.")
        assert belief is Verification.LOOK_AGAIN
        assert "nothing was sent" in sentence
        belief, sentence = claims.verify(TELL, [self.step()], "Done.")
        assert belief is Verification.DOUBTED
        assert "nothing was sent" in sentence
        assert claims.verify(TELL, [self.step(SEND)], "Done.")[0] is Verification.BELIEVED

    def test_what_was_refused_does_not_count_as_done(self) -> None:
        claims = CompletionVerifier(confirm=False)
        assert claims.verify(TELL, [self.step(SEND, "not allowed")], "Done.")[0] is not Verification.BELIEVED

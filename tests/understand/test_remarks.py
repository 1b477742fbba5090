"""Whether a line orders anything at all, and what becomes of one that does not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assistant.embedding.models import Tagging
from assistant.events import Event, InstructionCompleted
from assistant.records import State
from assistant.understand.perceive import ORDER_GATE, REMARK_GATE, order_probability
from assistant.understand.resolution import ResolutionKind
from assistant.understand.service import Resolved, UnderstandingService
from assistant.understand.types import OtherCommand, Question
from tests.tables import each
from tests.understand.memories import PlainProfile, memory, named, preference
from tests.understand.test_model_assist import NOW, Writer, read

SAID = "my brother told me that mom never called on my birthday"
NOODLES = preference("Order beef noodles on Eats", "Eats", 0.3, (3, 5))


@each(
    "line",
    [
        "don't text Tom, he is asleep",
        "can you believe mom didn't call me on my birthday",
        "ugh this meeting could have been an email",
        "wow great job, really",
        "累死了今天",
        "哈哈你真行",
        "what would happen if I deleted all my messages?",
        "Wie geht's dir?",
        "Ich habe gestern schon Pizza bestellt",
        "Ruf bloß nicht Mama an",
        "J'ai oublié d'appeler maman hier",
        "ママに電話しないで",
        "妈妈昨天没接我的电话",
        "我昨天已经点过披萨了",
        "超过50块的别自己下单",
        # Nor does what asks about the past, somebody or the program.
        "whats the last thing i bought",
        "how much was that",
        "did I call the doctor this month",
        "上个星期lunch都吃了啥",
        "上周几点睡的",
        "这个月给医生打过电话吗",
        "who did I just pay",
        *("周三那天咋没吃面", "为啥昨天没买咖啡"),
    ],
)
def test_what_tells_remarks_or_forbids_something_orders_nothing(line: str) -> None:
    assert order_probability(line) < ORDER_GATE


@each(
    "line",
    [
        "never pay anyone without asking",
        "please do not call my ex",
        "leave my alarms alone",
        "you don't need to text Ben",
        "don't wake me tomorrow, the shift is cancelled",
        "今天不许给小李发任何东西",
        "不用定闹钟了,明天休息",
        "外面下雨，别叫车",
        "开会的时候不要提醒我",
        "我妈的电话先别接",
        "the night shift should not go into the calendar",
        "no bookings until payday ok",
        "Kein Taxi heute",
        "Hors de question d'appeler Marie",
        "タクシーはいらないよ",
        "Bestell mir bitte nichts",
        "Schick Anna keine Bilder",
        "No llames a nadie",
        "no le digas nada a mi jefe",
        "N'envoie rien à Tom, d'accord ?",
        "Ne commande pas de pizza ce soir",
        "ピザは注文しないで",
        "まだ送信しないで、間違いがあるから",
    ],
)
def test_what_is_forbidden_is_never_begun(line: str) -> None:
    assert order_probability(line) == 0


@each(
    "line",
    [
        "order my usual coffee",
        "the usual",
        "I need a coffee",
        "I'm hungry",
        "text her im running late",
        "what is my PayBox balance",
        "cancel the alarm, I am awake",
        "Book a table at the restaurant we went to last time.",
        "what's the weather tomorrow",
        "do I have any meetings today",
        "how long to the airport",
        "今天天气怎么样",
        "有没有未读消息",
        "call a taxi, mom is late",
        "给她发个消息说我晚点到",
        "老样子",
        "别忘了叫我起床",
        "don't forget to set my alarm for 6",
        "N'oublie pas de mettre le réveil",
        "No olvides poner la alarma",
        "vergiss nicht, den Wecker zu stellen",
        "Dis à Tom que je ne viens pas",
        "don't call mom, text her instead",
        "别打电话，发微信就行",
        "I don't sleep well, order my soup",
        "打开勿扰模式",
        "提醒我别迟到",
        "现在莫斯科几点",
        "ruf Tom nicht an, schreib ihm lieber",
        "sag Jonas, er soll nicht anrufen",
        "n'appelle pas Thomas, écris-lui plutôt",
        "跟他说我到了",
        "ruf Mama an",
        "Bestell mir eine Pizza",
        # That only asks why nothing was done where nothing stands before or behind the question.
        *(
            "明天怎么没有闹钟，加一个七点的",
            "怎么没叫车啊，快叫",
            "为何没付款，付一下",
            "屏幕怎么没反应，重启一下",
        ),
        *("播放为什么没早点遇见你", "放一首为什么没有人爱我"),
        "",
        "?",
    ],
)
def test_an_order_is_one_in_few_words_too(line: str) -> None:
    assert order_probability(line) >= ORDER_GATE


async def understood(
    answer: str, model: Writer | None = None, said: str = SAID
) -> tuple[Resolved, list[Question]]:
    asked = []

    async def ask(question: Question) -> str:
        asked.append(question)
        return answer

    sources = memory(PlainProfile(named("mom", "Susan Lin", 0.95)), NOODLES)
    service = UnderstandingService(lambda: sources, lambda: State(time=NOW), model=model)
    return await service.understand(said, ask_user=ask), asked


def choices_of(asked: Sequence[Question]) -> tuple[str, ...]:
    (question,) = asked
    return question.choices


@each("answer", ["1", "no", "I was only telling you", ""])
async def test_of_a_remark_nothing_is_begun(answer: str) -> None:
    resolved, asked = await understood(answer)
    assert resolved.orders_nothing
    assert resolved.resolution.instruction == SAID
    assert choices_of(asked) == ("nothing, I was only saying it", "just as it was said")


@pytest.mark.parametrize("answer", ["2", "just as it was said"])
async def test_a_remark_may_be_a_command_after_all(answer: str) -> None:
    resolved, _ = await understood(answer)
    assert not resolved.orders_nothing
    assert (resolved.resolution.decision, resolved.resolution.instruction) == (ResolutionKind.AS_SAID, SAID)


@each("answer", ["call Susan Lin", "call mom", "给李雷发短信说我晚到"])
async def test_another_command_in_the_place_of_a_remark_is_one_of_its_own(answer: str) -> None:
    with pytest.raises(OtherCommand, match=answer):
        await understood(answer)


@each("answer", ["yes obviously, text him", "yes, tell him", "sure, send it to him", "obviously text him"])
async def test_a_yes_to_a_remark_does_it_as_it_was_said(answer: str) -> None:
    resolved, _ = await understood(answer)
    assert not resolved.orders_nothing
    assert (resolved.resolution.decision, resolved.resolution.instruction) == (ResolutionKind.AS_SAID, SAID)


@each("said", ["whats the last thing I bought", "do you sleep at night?", "你睡了吗"])
@each("answer", ["1", "never mind", "算了", ""])
async def test_a_question_that_memory_cannot_answer_can_be_left(said: str, answer: str) -> None:
    resolved, _ = await understood(answer, said=said)
    assert resolved.orders_nothing


async def test_what_a_model_makes_of_a_remark_is_only_offered() -> None:
    order = "Order beef noodles on Eats"
    model = Writer(read(order, "p1", replaced=(SAID, order)))
    resolved, asked = await understood("", model)
    assert resolved.orders_nothing
    assert all(choice.startswith(("nothing", order, "just as")) for choice in choices_of(asked))


async def test_what_asks_about_the_past_is_not_answered_with_a_deed() -> None:
    said, order = "whats the last thing I bought", "Order beef noodles on Eats"
    model = Writer(read(order, "p1", replaced=("the last thing I bought", order)))
    resolved, asked = await understood("", model, said)
    assert resolved.orders_nothing
    assert choices_of(asked) == ("never mind", "just as it was said")
    assert asked[0].text == f"Memory cannot answer “{said}”."


async def test_nobody_is_asked_in_vain() -> None:
    service = UnderstandingService(lambda: memory(), lambda: State(time=NOW))
    assert (await service.understand(SAID)).orders_nothing
    # What was complete before, such as a suggestion that was edited, is no remark.
    assert not (await service.understand(SAID, settled="Call Susan Lin")).orders_nothing


async def test_what_a_model_reads_in_what_may_be_a_remark_is_done() -> None:
    said, order = "It is raining and Baraka is late for class", "Order beef noodles on Eats"
    assert REMARK_GATE <= order_probability(said) < ORDER_GATE
    sources = memory(PlainProfile(), NOODLES)
    model = Writer(read(order, "p1", replaced=(said, order)))
    events: list[Event] = []
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), events.append, model, lambda command: Tagging(0.9, 0.9, ())
    )
    resolution = await service.resolve_with_model(said)
    assert resolution.decision is ResolutionKind.FILLED
    assert order in resolution.instruction
    assert [event.instruction for event in events if isinstance(event, InstructionCompleted)] == [
        resolution.instruction
    ]

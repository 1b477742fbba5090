"""Answers as a capable model gives them to the structured call, and wrong ones of the same form."""

from __future__ import annotations

import json
from dataclasses import replace

from assistant.embedding.models import Tagging
from assistant.memory.prototypes.model import Preference
from assistant.model.types import one_line
from assistant.records import State
from assistant.understand.habit_match import find_agreed
from assistant.understand.model_reading import ask_what_follows
from assistant.understand.perceive import Leaning, perceive, read_leaning
from assistant.understand.resolution import make_resolution
from assistant.understand.service import Resolved, UnderstandingService
from assistant.understand.types import Category, EvidenceFact, OtherCommand, Question, negations_of
from assistant.understand.words import mend_fillers
from tests.tables import each
from tests.understand.memories import PlainProfile, memory, named, preference
from tests.understand.test_earlier_turns import resolved, turn
from tests.understand.test_model_assist import NOW, Writer, read

ALARM = "set an alarm for 6.45 tmrw, got an early train"
WAKING = "明早叫我起床 六点五十"
FLOUR = "remind me at 7:00 am to buy 1.50 kg of flour"
KIND = "set an alarm for 6:45 tomorrow labelled kindness"
AT_NIGHT = "remind me at 6.45 pm tomorrow to water the plants"


@each(
    ("done", "line", "order"),
    [
        (ALARM, "make it 6.30 actualy", "set an alarm for 6.30 tmrw"),
        (ALARM, "make it 6.30 actually", "set an alarm for 6:30 tomorrow"),
        (ALARM, "make it 630", "set an alarm for 6:30 tmrw"),
        (ALARM, "make it 6.30am instead", "set an alarm for 6:30 am tmrw"),
        (ALARM, "no wait make it 7", "set an alarm for 7:00 tmrw"),
        (ALARM, "make it 15 minutes later", "set an alarm for 7:00 tomorrow"),
        (AT_NIGHT, "make it 18:30", "remind me at 6:30 pm tomorrow to water the plants"),
        (AT_NIGHT, "make it 6.30", "remind me at 6:30 pm tomorrow to water the plants"),
        (WAKING, "改成六点四十吧", "明早叫我起床 六点四十"),
        (WAKING, "改成六点半吧", "明早6:30叫我起床"),
        (WAKING, "再早十分钟吧", "明早叫我起床 六点四十"),
    ],
)
async def test_a_time_is_the_same_however_it_is_written(done: str, line: str, order: str) -> None:
    resolution = await resolved(line, Writer(read(order, "b1")), turn(done, deed=False))
    assert (resolution.instruction, resolution.missing) == (order, ())


@each(
    ("done", "line", "order"),
    [
        (ALARM, "make it 6.30 actually", "set an alarm for 6.45 tmrw"),
        (ALARM, "make it 6.30 actually", "set an alarm for 7.30 tmrw"),
        (ALARM, "make it 6.30 actually", "set an alarm for 6.30 and 6.45 tmrw"),
        (ALARM, "make it 6.30 actually", "set an alarm for 6.30 on Sunday"),
        (ALARM, "make it 630", "set an alarm for 6:03 tmrw"),
        (ALARM, "make it 630", "set an alarm for 63 tmrw"),
        (ALARM, "make it 6.30am", "set an alarm for 6:30 pm tmrw"),
        (ALARM, "make it 6.30pm", "set an alarm for 6:30 tmrw"),
        (ALARM, "make it 6.30", "set an alarm for 6:30 pm tmrw"),
        (ALARM, "make it 6.30 weekly", "set an alarm for 6.30 tmrw"),
        (ALARM, "make it 6.30 quietly", "set an alarm for 6.30 tmrw"),
        (ALARM, "make it 6.30 rally", "set an alarm for 6.30 tmrw"),
        (ALARM, "make it 6:30 and 7", "set an alarm for 6:30 tmrw"),
        (ALARM, "make it 15 minutes later", "set an alarm for 6:30 tmrw"),
        (ALARM, "make it 15 minutes later", "set an alarm for 6:45 in 15 minutes"),
        (AT_NIGHT, "make it 6.30", "remind me at 6:30 am tomorrow to water the plants"),
        (AT_NIGHT, "make it 6.30", "remind me at 6:30 pm tomorrow to call Ben"),
        (WAKING, "改成六点半吧", "明早6:40叫我起床"),
        (WAKING, "改成晚上六点半", "明早6:30叫我起床"),
        (WAKING, "再早十分钟吧", "明早叫我起床 七点"),
        (WAKING, "再早十分钟吧", "明早叫我起床 六点十分"),
        # What is no time is written as it is.
        ("pay Anna 6.50 for lunch at 7:00", "make it 6.60", "pay Anna 660 for lunch at 7:00"),
        ("pay Anna 6.50 at 7:00 pm", "make it 660", "pay Anna 6.60 at 7:00 pm"),
        ("order 2 oat lattes for 7:30", "make it 315", "order 3:15 oat lattes for 7:30"),
        (FLOUR, "make it 2.50 kg", "remind me at 2:50 am to buy 1.50 kg of flour"),
        (FLOUR, "make it 2.50kg", "remind me at 2:50 am to buy 1.50 kg of flour"),
        (FLOUR, "make it 2.50", "remind me at 2:50 am to buy 1.50 kg of flour"),
        ("remind me at 7:00 am to take 1.50 ml", "make it 3.50 ml", "remind me at 3:50 am to take 1.50 ml"),
        ("早上7:00提醒我买1.50公斤面粉", "改成2.50公斤", "早上2:50提醒我买1.50公斤面粉"),
        (KIND, "make it 6:30 and honesty", "set an alarm for 6:30 tomorrow labelled kindness"),
        (KIND, "make it 6:30 and pleased", "set an alarm for 6:30 tomorrow labelled kindness"),
    ],
)
async def test_another_time_is_never_filled(done: str, line: str, order: str) -> None:
    resolution = await resolved(line, Writer(read(order, "b1")), turn(done, deed=False))
    assert resolution.missing
    assert resolution.instruction == line


@each(
    ("said", "line", "order"),
    [
        ("order a latte", "make it two actaully", "order 2 lattes"),
        ("set an alarm for 8", "make it 7 actualy", "set an alarm for 7"),
        ("set an alarm for 8", "actualy make it 7", "set an alarm for 7"),
        ("set an alarm for 14:10", "make it 5 min earlier actualy", "set an alarm for 14:05"),
        ("order a latte", "actualy tea insted", "order a tea"),
    ],
)
def test_a_slip_in_what_colours_a_correction_is_not_ordered(said: str, line: str, order: str) -> None:
    resolution = make_resolution(replace(perceive(line), elements=()), ())
    (meaning,) = ask_what_follows(resolution, turn(said, deed=False)).meanings
    assert [each.value for each in meaning.candidates] == [order]


@each("text", ["rally at dawn, make it factual", "thank the stead", "honesty pleased her", "请改成七点"])
def test_other_words_are_not_mended(text: str) -> None:
    assert mend_fillers(text) == text


def service(answer: str, *facts: EvidenceFact, words: str = "") -> UnderstandingService:
    aliases = named(words, facts[0].value, 0.8, facts[0].key) if words else {}
    sources = memory(PlainProfile(aliases, facts), preference("Play the song Moon over Tiles", "", 0.3))
    tagging = Tagging(0.9, 0.9, ())
    return UnderstandingService(
        lambda: sources, lambda: State(time=NOW), model=Writer(answer), tagger=lambda command: tagging
    )


HOME = EvidenceFact("home", "address", "Building 8 Willow Court", 0.8, ("r1",))
TO_OFFICE = "打个车去公司"
OFFICE = EvidenceFact("office", "address", "海港大道88号云楼", 0.8, ("r1",))
MOTHER = EvidenceFact("mom", "name", "林素珊", 0.8, ("r1",))
GYM = EvidenceFact("gym", "address", "湖滨路3号", 0.8, ("r1",))
SISTER = EvidenceFact("sister", "name", "林素珊", 0.8, ("r1",))


@each(
    ("said", "words", "value", "order", "fact"),
    [
        (
            "book me a taxi home",
            "home",
            "to Building 8 Willow Court",
            "book me a taxi to Building 8 Willow Court",
            HOME,
        ),
        (
            "book me a taxi home",
            "home",
            "Building 8 Willow Court",
            "book me a taxi to Building 8 Willow Court",
            HOME,
        ),
        ("打个车去公司", "公司", "海港大道88号云楼", "打个车去海港大道88号云楼", OFFICE),
        ("给我妈发个微信说周末我回去吃饭", "我妈", "林素珊", "给林素珊发个微信说“周末我回去吃饭”", MOTHER),
    ],
)
async def test_the_order_of_a_reading_is_carried_out_as_it_is(
    said: str, words: str, value: str, order: str, fact: EvidenceFact
) -> None:
    answer = read(order, "f1", replaced=(words, value))
    resolution = await service(answer, fact, words=words).resolve_with_model(said)
    assert (resolution.instruction, resolution.missing) == (order, ())


@each(
    ("said", "words", "value", "order", "fact"),
    [
        ("打个车去公司", "公司", "湖滨路3号", "打个车去湖滨路3号", GYM),
        ("打个车去公司旁边的药店", "公司旁边的药店", "海港大道88号云楼", "打个车去海港大道88号云楼", OFFICE),
        ("给我妈发个微信说周末我回去吃饭", "我妈", "林素珊", "给林素珊发个微信说“周末我回去吃饭”", SISTER),
        ("给我爸发个微信说周末我回去吃饭", "我爸", "林素珊", "给林素珊发个微信说“周末我回去吃饭”", MOTHER),
        ("给我妈发个微信说周末我回去吃饭", "我妈", "林素珊", "给林素珊发个微信说“周末我去吃鱼”", MOTHER),
        ("给我妈发个微信说周末我回去吃饭", "我妈", "林素珊", "给林素珊发个微信说“我回去吃饭”", MOTHER),
        (f"{TO_OFFICE}旁边的药店", "公司", OFFICE.value, f"打个车去{OFFICE.value}", OFFICE),
        (f"{TO_OFFICE}旁边的酒店", "公司", OFFICE.value, f"打个车去{OFFICE.value}", OFFICE),
        (f"{TO_OFFICE}附近的地铁站", "公司", OFFICE.value, f"打个车去{OFFICE.value}", OFFICE),
        (f"{TO_OFFICE}对面", "公司", OFFICE.value, f"打个车去{OFFICE.value}", OFFICE),
    ],
)
async def test_a_fact_of_something_else_fills_nothing(
    said: str, words: str, value: str, order: str, fact: EvidenceFact
) -> None:
    answer = read(order, "f1", replaced=(words, value))
    resolution = await service(answer, fact, words="").resolve_with_model(said)
    assert resolution.instruction == said


@each(
    ("said", "sent", "replaced"),
    [
        ("周末我不回去吃饭", "周末我回去吃饭", ()),
        ("周末我回去吃饭", "周末我不回去吃饭", ()),
        ("回去吃饭", "不回去吃饭", ()),
        ("今天晚上我不在家吃饭", "今天晚上我在家吃饭", ()),
        ("今天晚上我在家吃饭", "今天晚上我不在家吃饭", ()),
        ("我明天还你钱", "你明天还我钱", ()),
        ("周末你来接我", "周末我来接你", ()),
        ("明天还钱", "你明天还钱", ()),
        ("周末我回去吃饭", "吃饭", ("周末我回去", "")),
        ("周末我回去吃饭", "好", ("周末我回去吃饭", "好")),
        ("周末我回去吃饭", "", ("说周末我回去吃饭", "")),
        ("周末我不回去吃饭", "周末我回去吃饭", ("我不回去", "我回去")),
        ("我明天还你钱", "你明天还我钱", ("我明天还你", "你明天还我")),
        ("明天晚上我回去吃饭", "明天早上我回去吃饭", ("晚上", "早上")),
    ],
)
async def test_a_message_is_sent_word_for_word_or_not_at_all(
    said: str, sent: str, replaced: tuple[str, ...]
) -> None:
    forms = (("给我妈发个微信说{}", "给林素珊发个微信说“{}”"), ("给我妈发个微信说{}", "给林素珊发个微信说{}"))
    for form, order in (*forms, ("告诉我妈{}", "告诉林素珊{}")):
        answer = json.loads(read(order.format(sent), "f1", replaced=("我妈", "林素珊")))
        if replaced:
            answer["replaced"].append(dict(zip(("words", "by"), replaced, strict=True)))
        reader = service(json.dumps(answer, ensure_ascii=False), MOTHER, words="我妈")
        resolution = await reader.resolve_with_model(form.format(said))
        assert order.format(sent) not in (resolution.instruction if sent else [resolution.instruction])
        # As it was said it is sent.
        answer = read(order.format(said), "f1", replaced=("我妈", "林素珊"))
        resolution = await service(answer, MOTHER, words="我妈").resolve_with_model(form.format(said))
        assert resolution.instruction == order.format(said)


@each("order", ["send mom a message saying Anna pays Ben", "tell mom Anna pays Ben"])
async def test_a_message_keeps_the_order_of_its_words(order: str) -> None:
    order = order.replace("mom", "Susan")
    fact = EvidenceFact("mom", "name", "Susan", 0.8, ("r1",))
    answer = read(order, "f1", replaced=("mom", "Susan"))
    said = "send mom a message saying Ben pays Anna"
    resolution = await service(answer, fact, words="mom").resolve_with_model(said)
    assert order not in resolution.instruction


@each(
    ("text", "number"),
    [
        ("我特别喜欢别人的无线耳机", 0),
        ("别的店也行，分别送到", 0),
        ("别放歌", 1),
        ("我别无他求", 2),
        ("我下周的告别派对在别墅里办，未来我搬走", 0),
        ("积分别用了，广告别放了", 2),
        ("未来得及吃饭", 1),
        ("别名字写错，不断网，也无数据", 3),
        ("my seat is No 1", 0),
        ("my room is no. 12", 0),
        ("no, 2 of them", 1),
        ("no milk", 1),
    ],
)
def test_only_what_denies_is_a_denial(text: str, number: int) -> None:
    assert negations_of(text) == number


class Readers:
    """A model with one answer to a command, and one to what the user answered."""

    def __init__(self, first: str, second: str = "") -> None:
        self._answers = [first, second]
        self.asked: list[dict[str, object]] = []

    async def __call__(self, system: str, user: str, schema: dict[str, object] | None = None) -> str:
        self.asked.append(json.loads(user))
        return self._answers[len(self.asked) - 1]


NOODLES = preference("点老街面馆的牛肉面，送到公司", "外卖", 0.4, tuple(range(1, 13)))
RUN = preference("播放歌曲十公里，跑步听", "音乐", 0.3, (1, 3, 5))
SLEEP = preference("播放歌曲瓦上月助眠", "音乐", 0.3, (1, 2, 4))


async def come_to(
    said: str, model: Readers, *answers: str, ways: tuple[Preference, ...] = (RUN, SLEEP), asks: bool = True
) -> tuple[Resolved, list[Question]]:
    asked, given = list[Question](), list(answers)

    async def ask(question: Question) -> str:
        asked.append(question)
        return given.pop(0) if given else ""

    sources = memory(PlainProfile(named("公司", OFFICE.value, 0.8, "address"), (OFFICE,)), *ways)
    tagging = Tagging(0.9, 0.9, ())
    service = UnderstandingService(
        lambda: sources, lambda: State(time=NOW), model=model, tagger=lambda command: tagging
    )
    return await service.understand(said, ask_user=ask if asks else None), asked


NO_ORDER = read("", decision="no_order", stays=("我对虾过敏",))


@each("answer", ["", "1", "不用，我只是说说"])
async def test_what_a_model_takes_for_no_order_begins_nothing(answer: str) -> None:
    resolved, asked = await come_to("跟你说一声哈我对虾过敏", Readers(NO_ORDER), answer)
    assert resolved.orders_nothing
    assert [each.element.category for each in asked] == [Category.REMARK]


@each("said", ["帮我打个车去公司", "放点歌听听", "明天叫我起床", "play some jazz"])
async def test_an_order_that_a_model_takes_for_none_costs_a_question(said: str) -> None:
    as_said = "just as it was said" if said.isascii() else "就照原话做"
    resolved, asked = await come_to(said, Readers(NO_ORDER), as_said)
    assert len(asked) == 1
    assert (resolved.orders_nothing, resolved.resolution.instruction) == (False, said)
    # Where nobody can be asked it is carried out as before.
    resolved, _asked = await come_to(said, Readers(NO_ORDER), asks=False)
    assert (resolved.orders_nothing, resolved.resolution.instruction) == (False, said)


async def test_an_order_that_a_model_takes_for_none_is_offered_with_what_facts_say() -> None:
    order = f"帮我打个车去{OFFICE.value}"
    resolved, asked = await come_to("帮我打个车去公司", Readers(NO_ORDER), "2")
    assert asked[0].choices == ("不用，我只是说说", order, "就照原话做")
    assert resolved.resolution.instruction == order


ASKS = read("", "p1", "p2", decision="ask")


async def test_an_answer_in_words_of_its_own_is_read_with_the_command() -> None:
    order = "播放歌曲十公里"
    replaced = read(order, "p1", replaced=("放点歌听听,平常那种", order), stays=())
    answered = json.loads(replaced)
    answered["replaced"].append({"words": "锻炼时候听的", "by": "十公里"})
    model = Readers(ASKS, json.dumps(answered, ensure_ascii=False))
    resolved, asked = await come_to("放点歌听听,平常那种", model, "锻炼时候听的")
    assert "十公里" in resolved.resolution.instruction
    assert "：锻炼" not in resolved.resolution.instruction
    assert resolved.lessons == ()
    told = model.asked[1]
    assert (told["command"], told["answer"]) == ("放点歌听听,平常那种", "锻炼时候听的")
    assert told["choices"] == [one_line(choice, 120) for choice in asked[0].choices]
    assert [way["did"] for way in told["past"]] == [way["did"] for way in model.asked[0]["past"]]  # type: ignore[attr-defined]


@each(
    "second",
    [
        "",
        "{}",
        ASKS,
        NO_ORDER,
        read("", decision="as_said"),
        read("播放歌曲瓦上月助眠，音量调到80", "p2"),
        read("播放电影泰坦尼克号", "p1", replaced=("放点歌听听", "播放电影泰坦尼克号")),
        read("给李雷转账100元", "p1"),
        read("播放歌曲十公里"),
    ],
)
async def test_a_bad_reading_of_an_answer_leaves_the_answer(second: str) -> None:
    resolved, asked = await come_to("放点歌听听,平常那种", Readers(ASKS, second), "锻炼时候听的")
    assert len(asked) == 1
    assert "锻炼时候听的" in resolved.resolution.instruction
    assert not any(bad in resolved.resolution.instruction for bad in ("泰坦", "80", "100"))


@each("answer", ["1", "播放歌曲十公里，跑步听", ""])
async def test_a_choice_is_not_read_by_a_model(answer: str) -> None:
    model = Readers(ASKS)
    await come_to("放点歌听听,平常那种", model, answer)
    assert len(model.asked) == 1


@each("said", ["明早叫我起床 六点五十", "叫我明早六点五十起床", "wake me tmrw 6.50", "set an alarm for 7:30"])
async def test_an_alarm_that_says_when_is_not_read_by_a_model(said: str) -> None:
    model = Readers(NO_ORDER)
    resolved, asked = await come_to(said, model)
    assert (resolved.resolution.instruction, asked, model.asked) == (said, [], [])


async def test_a_name_or_an_address_alone_is_no_order_to_choose() -> None:
    order, wrong = "打个车去海港大道88号云楼", "打个车去海港大道99号云楼"
    model = Readers(read(wrong, "f1", replaced=("公司", "海港大道99号云楼")))
    _resolved, asked = await come_to("打个车去公司", model, "")
    assert all(OFFICE.value not in question.choices for question in asked)
    assert all(order in question.choices for question in asked)


@each(
    ("answer", "filled"),
    [
        ("跑步那首", "十公里"),
        ("跑步听的那个", "十公里"),
        ("别放跑步那首", ""),
        ("运动那首", ""),
    ],
)
async def test_an_answer_that_names_a_choice_by_words_of_it_is_that_choice(answer: str, filled: str) -> None:
    resolved, _asked = await come_to("放点歌听听,平常那种", Readers(ASKS, ""), answer)
    assert (filled or answer) in resolved.resolution.instruction
    # What is usual, or was last time, is another thing the next time.
    assert resolved.lessons == ()


PLANNED = turn("周五下午3点加个安排跟老王碰一下方案", deed=False)


@each(
    ("answer", "is_begun"),
    [
        ("对,4点加上", True),
        ("1", True),
        ("好的，4点", True),
        ("对,5点加上", False),
        ("2", False),
        ("不，4点别加", False),
        ("对，周六4点", False),
        ("对，上午4点", False),
        ("对，跟老李4点", False),
        ("好，取消4点的安排", False),
        ("对，4点加过了", False),
    ],
)
async def test_an_answer_that_agrees_takes_what_was_understood(answer: str, is_begun: bool) -> None:
    order = "周五下午4点加个安排跟老王碰一下方案"
    asked = list[Question]()

    async def ask(question: Question) -> str:
        asked.append(question)
        return answer

    service = UnderstandingService(lambda: memory(PlainProfile()), lambda: State(time=NOW))
    try:
        resolved = await service.understand("还是4点吧", ask_user=ask, earlier=lambda: (PLANNED,))
    except OtherCommand:
        assert not is_begun
        return
    assert asked[0].choices[0] == order
    assert (resolved.orders_nothing, resolved.resolution.instruction == order) == (not is_begun, is_begun)


@each(
    ("order", "answer", "is_agreed"),
    [
        ("pay Anna $40 for lunch", "yes 40 to Ben", False),
        ("pay Anna $40 for lunch", "ok pay Ben", False),
        ("pay Anna $40 for lunch", "right, Anna paid lunch", False),
        ("pay Anna $40 for lunch", "sure, lunch was great", False),
        ("pay Anna $40 for lunch", "ok, pay lunch for Anna", False),
        ("pay Anna $40 for lunch", "yes, pay Anna", True),
        ("set an alarm for 7 am tomorrow", "yes 7 pm", False),
        ("set an alarm for 7 am tomorrow", "yes, 7 on Sunday", False),
        ("set an alarm for 7 am tomorrow", "yes, the 7 am one", True),
        ("order 2 lattes at 4 pm", "yes, 4 lattes", False),
        ("order 2 lattes at 4 pm", "yes, 2 pm", False),
        ("Order beef noodles on Eats", "ok cancel the noodles", False),
        ("Order beef noodles on Eats", "right, forget the noodles", False),
        ("Order beef noodles on Eats", "ok, the noodles please", True),
        ("点牛肉面", "好，取消牛肉面", False),
        ("点牛肉面", "好，就牛肉面吧", True),
        ("order a large latte at 8 am from Blue Cup", "yes, the latte, 8 am, blue cup", True),
        ("order a large latte", "yes, order large", True),
        ("每周五下午4点给妈妈打电话", "对，周五4点给妈妈打电话", True),
        ("周五下午4点开会", "对，周五开会", True),
        ("周五下午4点开会", "对，周五5点开会", False),
        ("turn off bluetooth and turn on wifi", "yes, turn off wifi", False),
        ("turn off bluetooth and turn on wifi", "yes, turn on wifi", True),
        ("call Tom and text mom", "yes, call mom", False),
        ("text Ann, call Tom", "yes, text tom", False),
        ("pay Tom 20 and Ann 30", "yes, pay ann", False),
        ("pay Ann 1,000", "yes, pay 1", False),
        ("pay Ann 1,000", "yes, pay 1,000", True),
        ("delete all photos and the alarm", "yes, delete the alarm", False),
        ("order a small latte and a large cola", "yes, small cola", False),
        ("点大杯拿铁和小杯可乐", "对，点大杯可乐", False),
        ("the a " * 30, "yes, " + "the a " * 30 + "b", False),
        ("牛肉" * 30, "对，" + "牛肉的" * 30 + "面面面", False),
    ],
)
def test_an_answer_agrees_only_to_what_it_says(order: str, answer: str, is_agreed: bool) -> None:
    assert find_agreed(answer, (order, "play some jazz")) == (order if is_agreed else "")


@each(
    "answer",
    [
        "十公里不要",
        "都不要",
        "都不是",
        "算了不放了",
        "不听歌了，听新闻",
        "明天早上七点再放",
        "两遍",
        "给李雷放",
    ],
)
async def test_an_answer_that_refuses_or_says_more_is_not_lost(answer: str) -> None:
    read_by_model = json.loads(
        read("播放歌曲十公里", "p1", replaced=("放点歌听听,平常那种", "播放歌曲十公里"))
    )
    read_by_model["replaced"].append({"words": answer, "by": "十公里"})
    model = Readers(ASKS, json.dumps(read_by_model, ensure_ascii=False))
    try:
        resolved, _asked = await come_to("放点歌听听,平常那种", model, answer)
    except OtherCommand:
        return
    assert answer in resolved.resolution.instruction or not resolved.resolution.meanings


async def test_a_second_answer_does_not_lose_the_first() -> None:
    said = "给我姑父点平常那种外卖"
    filled = read(NOODLES.prototype.instruction, "p1", replaced=(said, NOODLES.prototype.instruction))
    answered = json.loads(filled)
    answered["replaced"].append({"words": "锻炼时候吃的", "by": "牛肉面"})
    model = Readers(ASKS, json.dumps(answered, ensure_ascii=False))
    dumplings = preference("点饺子，送到公司", "外卖", 0.3, (2, 4))
    resolved, asked = await come_to(said, model, "林建国", "锻炼时候吃的", ways=(NOODLES, dumplings))
    assert len(asked) == 2
    assert "林建国" in resolved.resolution.instruction


@each(("deed", "first"), [(True, "nothing"), (False, "order 2 lattes from Beans")])
async def test_what_would_be_paid_once_more_is_not_marked(deed: bool, first: str) -> None:
    asked = list[Question]()

    async def ask(question: Question) -> str:
        asked.append(question)
        return ""

    before = turn("order a latte from Beans", deed=deed)
    answer = read("order two lattes from Beans", "b1", stays=("two",))
    model = Writer(answer) if deed else None
    service = UnderstandingService(lambda: memory(PlainProfile()), lambda: State(time=NOW), model=model)
    await service.understand("make it two", ask_user=ask, earlier=lambda: (before,))
    assert asked[0].choices[0] == first


@each(
    ("line", "leaning"),
    [
        ("and remind me an hour before", Leaning.SURELY),
        ("and wake me 20 minutes earlier", Leaning.SURELY),
        ("ok dumplings then", Leaning.SURELY),
        ("and remind me of the meeting an hour before", Leaning.NONE),
        ("call mom then", Leaning.NONE),
    ],
)
def test_what_is_said_of_the_turn_before_leans_on_it(line: str, leaning: Leaning) -> None:
    assert read_leaning(line) is leaning


@each(
    ("said", "offered"),
    [
        ("买包抽纸,还是上次那个牌子的", []),
        ("来份饺子,上次那家的", ["点饺子，送到公司"]),
        ("ok dumplings then", ["Order beef noodles on Eats"]),
    ],
)
async def test_what_is_offered_is_of_the_thing_that_was_said(said: str, offered: list[str]) -> None:
    zh = (NOODLES, RUN, preference("点饺子，送到公司", "外卖", 0.3, (2, 4)))
    en = (preference("Order beef noodles on Eats", "Eats", 0.3), preference("Turn on dark mode", "", 0.3))
    ways = en if said.isascii() else zh
    _resolved, asked = await come_to(said, Readers(read("", decision="ask")), "", ways=ways)
    assert list(asked[0].choices[:-1] if len(asked[0].choices) > 1 else ()) == offered


@each(
    ("said", "words", "order", "instruction"),
    [
        ("给老妈打个电话", "老妈", "给林素珊打电话", "给林素珊打电话"),
        ("给老妈打个视频电话", "老妈", "给林素珊打电话", "给林素珊打电话，原话是“给老妈打个视频电话”"),
    ],
)
async def test_what_the_order_says_is_not_said_once_more(
    said: str, words: str, order: str, instruction: str
) -> None:
    answer = read(order, "f1", replaced=(words, "林素珊"))
    resolution = await service(answer, MOTHER, words=words).resolve_with_model(said)
    assert resolution.instruction == instruction


async def test_a_chosen_order_takes_the_place_of_what_only_says_that_it_is_usual() -> None:
    latte = preference("点街角咖啡的燕麦拿铁，送到公司", "外卖", 0.4, (1, 2, 4))
    for said, tail in (("帮我点个外卖,就老样子吧", ""), ("帮我点个外卖加个蛋,就老样子吧", "加个蛋")):
        model = Readers(read("", "p1", "p2", decision="ask"))
        resolved, asked = await come_to(said, model, "1", ways=(latte, NOODLES))
        assert asked[0].choices[0] == NOODLES.prototype.instruction
        instruction = resolved.resolution.instruction
        assert instruction.startswith("在外卖上点老街面馆的牛肉面，送到公司")
        assert "帮我点个外卖,点" not in instruction
        assert tail in instruction


async def test_a_model_is_told_what_a_turn_told_and_takes_no_words_from_it() -> None:
    order = "turn the kitchen lamp up"
    model = Writer(read(order, "b1", stays=("turn", "up")))
    told = "The song is louder. The kitchen lamp is at 0 %."
    before = replace(turn("Play the song Ten Kilometres louder", deed=False), answer=told)
    resolution = await resolved("turn that one up too", model, before)
    assert json.loads(model.asked[1])["before"][0]["told"] == told
    assert resolution.instruction != order

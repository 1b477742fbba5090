"""Answers as a capable model gives them to the structured call, and wrong ones of the same form."""

from __future__ import annotations

from assistant.embedding.models import Tagging
from assistant.records import State
from assistant.understand.service import UnderstandingService
from assistant.understand.types import EvidenceFact
from assistant.understand.words import mend_fillers
from tests.tables import each
from tests.understand.memories import PlainProfile, memory, named, preference
from tests.understand.test_earlier_turns import resolved, turn
from tests.understand.test_model_assist import NOW, Writer, read

ALARM = "set an alarm for 6.45 tmrw, got an early train"
WAKING = "明早叫我起床 六点五十"
AT_NIGHT = "remind me at 6.45 pm tomorrow to water the plants"


@each(
    ("done", "line", "order"),
    [
        (ALARM, "make it 6.30 actualy", "set an alarm for 6.30 tmrw"),
        (ALARM, "make it 6.30 actually", "set an alarm for 6:30 tomorrow"),
        (ALARM, "make it 630", "set an alarm for 6:30 tmrw"),
        (ALARM, "make it 6.30am insted", "set an alarm for 6:30 am tmrw"),
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
        (ALARM, "make it 6.30 actualy", "set an alarm for 6.45 tmrw"),
        (ALARM, "make it 6.30 actualy", "set an alarm for 7.30 tmrw"),
        (ALARM, "make it 6.30 actualy", "set an alarm for 6.30 and 6.45 tmrw"),
        (ALARM, "make it 6.30 actualy", "set an alarm for 6.30 on Sunday"),
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
    ],
)
async def test_another_time_is_never_filled(done: str, line: str, order: str) -> None:
    resolution = await resolved(line, Writer(read(order, "b1")), turn(done, deed=False))
    assert resolution.missing
    assert resolution.instruction == line


@each(
    ("text", "mended"),
    [
        ("make it 7 actualy", "make it 7 actually"),
        ("insted the tea", "instead the tea"),
        ("jsut realy porbably", "jsut really probably"),
        ("rally at dawn, make it factual", "rally at dawn, make it factual"),
        ("thank the stead", "thank the stead"),
        ("请改成七点", "请改成七点"),
    ],
)
def test_only_slips_in_what_colours_a_line_are_mended(text: str, mended: str) -> None:
    assert mend_fillers(text) == mended


def service(answer: str, *facts: EvidenceFact, words: str = "") -> UnderstandingService:
    aliases = named(words, facts[0].value, 0.8, facts[0].key) if words else {}
    sources = memory(PlainProfile(aliases, facts), preference("Play the song Moon over Tiles", "", 0.3))
    tagging = Tagging(0.9, 0.9, ())
    return UnderstandingService(
        lambda: sources, lambda: State(time=NOW), model=Writer(answer), tagger=lambda command: tagging
    )


HOME = EvidenceFact("home", "address", "Building 8 Willow Court", 0.8, ("r1",))
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
    ],
)
async def test_a_fact_of_something_else_fills_nothing(
    said: str, words: str, value: str, order: str, fact: EvidenceFact
) -> None:
    answer = read(order, "f1", replaced=(words, value))
    resolution = await service(answer, fact, words="").resolve_with_model(said)
    assert resolution.instruction == said

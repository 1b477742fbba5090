"""Who or what only a clause beside the order names, such as one that says why, is not asked about."""

from __future__ import annotations

from assistant.embedding.models import bundled_tagger
from assistant.records import State
from assistant.understand.resolution import Resolution
from assistant.understand.service import UnderstandingService
from tests.tables import each
from tests.understand.memories import PlainProfile, memory, named
from tests.understand.test_model_assist import NOW


def resolved(command: str, profile: PlainProfile | None = None) -> Resolution:
    sources = memory(profile or PlainProfile())
    service = UnderstandingService(lambda: sources, lambda: State(time=NOW), tagger=bundled_tagger())
    return service.resolve(command)


@each(
    "command",
    [
        "my coach hates waiting, wake me at 6",
        "My landlord is coming at nine so wake me at eight",
        "wake me at 6 because the school has a parade",
        "my sister's visiting so set an alarm for 8",
        "my daughter's school has a concert, set an alarm for 6:15",
        "the gym closes early today, set a timer for 40 minutes",
        "I'm late for my class, start a 5 minute timer",
        "my sister loves jazz so play some jazz",
        "my dentist said no coffee, order a green tea",
        "my boss is on the phone, turn the music off",
        "明天早上幼儿园要拍照我得早点到 六点一刻叫我一下哈",
        "老板不喜欢等 明天六点叫我起床",
        "学校八点开会，提前一小时提醒我",
        "公司今天团建 帮我点份鸡排饭",
        "我妈过生日 帮我订个蛋糕",
        "我教练今天请假 放点音乐",
        "孩子学校明天开家长会 定个下午三点的闹钟",
        "公司停电了 帮我把闹钟关了",
        "房东九点来，所以八点叫醒我",
    ],
)
def test_what_only_a_reason_names_is_not_asked_about(command: str) -> None:
    resolution = resolved(command)
    assert not resolution.missing
    assert resolution.instruction == command


@each(
    ("command", "missing"),
    [
        ("I have to be at my sister's by 8, book a ride", "my sister"),
        ("my mom is sick, call her", "my mom"),
        ("my brother is at the station, text him hi", "my brother"),
        ("my gym is far, get me a cab there", "my gym"),
        ("text my boss, I'm late", "my boss"),
        ("tell my sister the doctor is here", "my sister"),
        ("it's my wife's birthday, send flowers", "my wife's birthday"),
        ("my brother is hungry, order him a pizza", "my brother"),
        ("my coach is waiting, wake me", "my coach"),
        ("text my coach, wake me at 6", "my coach"),
        ("我妈到了 给她打个电话", "我妈"),
        ("要去学校接孩子 叫个车", "学校"),
        ("学校有点远 打个车过去", "学校"),
        ("我妹妹生病了 给她点份粥", "我妹妹"),
        ("送朵花去，我妈过生日", "我妈"),
        ("去学校 叫辆车", "学校"),
        ("给我教练发消息 明天我不去了", "我教练"),
        ("我教练在等 叫醒我", "我教练"),
    ],
)
def test_what_the_order_needs_is_asked_about(command: str, missing: str) -> None:
    assert missing in [meaning.element.text for meaning in resolved(command).missing]


def test_what_a_reason_names_and_memory_knows_stays_filled() -> None:
    profile = PlainProfile(named("my landlord", "Ada Ferro", 0.95))
    resolution = resolved("my landlord is coming at nine so wake me at eight", profile)
    assert resolution.instruction == "Ada Ferro is coming at nine so wake me at eight"


@each("line", ["1" * 400, "一" * 400, "one " * 100 + ", wake me", "六点" * 100 + " 学校"])
def test_a_long_line_is_read_in_time(line: str) -> None:
    assert resolved(f"学校要升旗 {line}").instruction

"""Whom the user has just told of is the one who is meant, at any hour and beside any habit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product

from assistant.embedding.models import bundled_tagger
from assistant.memory.prototypes.terms import split_own_words
from assistant.records import State
from assistant.understand.resolution import Resolution
from assistant.understand.service import UnderstandingService
from assistant.understand.slots import canonical_role
from assistant.understand.types import EvidenceFact, Sources
from assistant.understand.verify import is_of_others
from tests.tables import each
from tests.understand.memories import PlainProfile, memory, named, preference

NOW = datetime(2026, 11, 29, 19, 30, tzinfo=UTC)
"""A Sunday evening."""
HABITS = {
    "zh": ("给林素珊打电话", "给高医生打电话", "给林素珊发消息：我到家了", "打电话给林素珊", "呼叫林素珊"),
    "en": ("Call Susan Lin", "Call Doctor Gao", "Text Susan Lin: I am home", "Ring Susan Lin"),
}
PEOPLE = {
    "zh": {
        "老婆": "王雪梅",
        "女儿": "陈小满",
        "房东": "刘国强",
        "姐夫": "孙浩",
        "老板": "何晓彤",
        "室友": "周周",
    },
    "en": {"wife": "Xuemei Wang", "husband": "Tom Keller", "landlord": "Mr Brandt", "boss": "Priya Nair"},
}
COMMANDS = {
    "zh": (
        "给我{who}打个电话",
        "打给我{who}",
        "打个电话给我{who}",
        "呼叫我{who}",
        "给我{who}去个电话",
        "联系一下我{who}",
    ),
    "en": (
        "call my {who}",
        "ring my {who}",
        "give my {who} a call",
        "phone my {who} please",
        "text my {who}",
    ),
}
_TAGGER = bundled_tagger(lambda problem: None)


class Others(PlainProfile):
    """A profile that knows the contacts of the habits, too."""

    def contacts_in(self, instruction: str) -> list[str]:
        contacts = ("林素珊", "高医生", "Susan Lin", "Doctor Gao")
        return [*super().contacts_in(instruction), *(name for name in contacts if name in instruction)]


def resolve(said: str, sources: Sources, state: State) -> Resolution:
    return UnderstandingService(lambda: sources, lambda: state, tagger=_TAGGER).resolve(said)


@each("hour", [7, 12, 20])
@each("language", ["zh", "en"])
@each("sure", [0.35, 0.99])
def test_no_habit_takes_the_place_of_somebody_just_told_of(language: str, hour: int, sure: float) -> None:
    mother = named(*{"zh": ("妈妈", "林素珊"), "en": ("mom", "Susan Lin")}[language])
    for (who, name), words in product(PEOPLE[language].items(), COMMANDS[language]):
        phrases = {"zh": (who, f"我{who}"), "en": (who, f"my {who}")}[language]
        fact = EvidenceFact(canonical_role(who), "name", name, 0.95, ("said",), "you said so")
        profile = Others(dict.fromkeys(phrases, fact) | mother)
        habits = [preference(text, confidence=sure) for text in HABITS[language]]
        sources = memory(profile, *habits)
        state = State(time=NOW.replace(hour=hour) - timedelta(days=hour % 3))
        resolution = resolve(words.format(who=who), sources, state)
        instruction = split_own_words(resolution.instruction)[0]
        others = ("林素珊", "高医生", "Susan Lin", "Doctor Gao")
        assert not any(other in instruction for other in others), (words, who, resolution.instruction)
        assert name in instruction or who in instruction
        offered = [each.value for meaning in resolution.missing for each in meaning.candidates]
        assert not any(other in value for other in others for value in offered), (words, who, offered)


@each("sure", [0.35, 0.99])
@each(
    ("words", "place", "address", "habits"),
    [
        (words, place, address, habits)
        for place, address, habits, lines in (
            (
                "家",
                "桂花巷5号",
                ("导航回柳园8幢", "打车去柳园8幢"),
                ("回家", "导航回家", "打车回家", "送我回家"),
            ),
            ("公司", "长江路88号", ("打车去云塔", "导航到云塔"), ("去公司", "打车去公司", "导航到公司")),
            ("home", "5 Elm Road", ("Navigate to 8 Willow Court",), ("take me home", "navigate home")),
            ("office", "12 Canal Street", ("Navigate to Cloud Tower",), ("navigate to the office",)),
        )
        for words in lines
    ],
)
def test_no_habit_leads_elsewhere_than_to_a_place_just_told(
    words: str, place: str, address: str, habits: tuple[str, ...], sure: float
) -> None:
    aliases = {
        phrase: EvidenceFact(place, "address", address, 0.95, ("said",), "you said so")
        for phrase in (place, f"我{place}", f"my {place}", f"the {place}")
    }
    sources = memory(Others(aliases), *(preference(text, confidence=sure) for text in habits))
    instruction = split_own_words(resolve(words, sources, State(time=NOW)).instruction)[0]
    assert instruction not in habits


@each(
    ("words", "instruction"),
    [
        ("给我老婆打个电话", "给王雪梅打电话"),
        ("给我老婆打个电话", "给老婆打电话"),
        ("call my wife", "Video call Xuemei Wang in Chat"),
    ],
)
def test_a_habit_with_the_person_who_is_meant_stays(words: str, instruction: str) -> None:
    name = "王雪梅" if "老婆" in words else "Xuemei Wang"
    fact = EvidenceFact("wife", "name", name, 0.95, ("said",), "you said so")
    sources = memory(Others(dict.fromkeys(("老婆", "我老婆", "wife", "my wife"), fact)))
    service = UnderstandingService(lambda: sources, lambda: State(time=NOW), tagger=_TAGGER)
    resolution = service.resolve(words)
    assert not is_of_others(resolution.meanings, resolution.instruction, instruction, sources.profile)
    other = "给林素珊打电话" if "老婆" in words else "Video call Susan Lin in Chat"
    assert is_of_others(resolution.meanings, resolution.instruction, other, sources.profile)

"""What an instruction of a prototype is about: "beef noodles without coriander" of a whole order."""

from __future__ import annotations

import re

from assistant.understand import english_words as words
from assistant.understand.tokens import Part, tokenize
from assistant.understand.types import Language, detect_language

CLOCK = re.compile(
    r"\b\d{1,2}(?::\d{2})?\s*(?:[ap]\.?m\.?)|\b\d{1,2}:\d{2}\b|(?:早上|上午|中午|下午|晚上)?[\d一二三四五六七八九十]{1,3}点(?:半|[\d一二三四五六七八九十]{1,3}分?)?",
    re.IGNORECASE,
)
"""A time of day as people write it."""

_ENDING = frozenset(("to", "at", "via", "from", "by", "for", "on", "in", "through", "using", "into"))
_PARTICLES = frozenset(("on", "up", "down", "out", "off", "back"))
_DESTINATION = re.compile(
    r"\b(?:to|for|towards)\s+(?:the\s+)?(?P<en>[^,.;]+?)(?=\s+(?:by|on|with|in|via|from)\b|[,.;]|$)"
    r"|(?:导航到|导航去|前往|打车去|去|到|回)(?P<zh>[^，,。；的]{2,20}?)(?=的|怎么|坐|[，,。；]|$)"
)
_SOURCE = re.compile(
    r"\bfrom (?P<en>[^,.;]+?)(?=\s+(?:to|on|with|for|in|by|via)\b|[,.;]|$)"
    r"|(?:^|[，,])(?:帮我|给我|再)?+(?:在|去)?+(?:点|订|买)?+(?:一[份杯碗个])?+"
    r"(?P<zh>(?![不少多加微无去免热冰大小])[^，,。的]{2,12}?)(?=的)"
)
_ZH_BEGIN = re.compile(
    r"^(?:请|帮我|给我|麻烦|我想|我要|再)*(?:打开|去|到)?(?:点|订|预订|买|购买|下单|播放|放|听|看|搜索|查询|叫|来|打|要|续订)?"
    r"(?:上)?(?:一|两|1|2)?(?:份|杯|个|首|张|碗|箱|瓶|盒|部|集|家|单|些|下|点)?"
)
_ZH_END = re.compile(r"送到|送去|寄到|配送|发给|[，,。；;]|不要付款|然后|并")


def find_object(instruction: str, app: str = "") -> str:
    """The object of an instruction's verb, without app, destination and means; else the whole."""
    text = remove_app(instruction, app)
    object_text = (
        _find_chinese_object(text) if detect_language(text) is Language.ZH else _find_english_object(text)
    )
    return object_text or text


def find_destination(instruction: str, app: str = "") -> str:
    """Where an instruction leads: "Town Hall" of "Take me to Town Hall, by bus"; or nothing."""
    match = _DESTINATION.search(remove_app(instruction, app))
    return (match["en"] or match["zh"]).strip() if match else ""


def find_source(instruction: str, app: str = "") -> str:
    """Where an instruction gets something: "Corner Bakery" of "Buy bread from Corner Bakery"; or nothing."""
    match = _SOURCE.search(remove_app(instruction, app))
    return (match["en"] or match["zh"]).strip() if match else ""


def find_clock_time(text: str) -> str:
    """The first time of day in a text; empty where there is none."""
    match = CLOCK.search(text)
    return match[0].strip() if match else ""


def remove_app(text: str, app: str) -> str:
    """A text without the words that name its app."""
    if not app:
        return text
    name = re.escape(app)
    text = re.sub(
        rf"^(?:please\s+)?(?:open|launch|start)\s+(?:the\s+)?{name}(?:\s+app)?"
        r"\s*(?:,|and then|and|to|then)?\s*",
        "",
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(
        rf"\s+(?:on|in|from|via|with|using|through)\s+(?:the\s+)?{name}\b", "", text, flags=re.IGNORECASE
    )
    text = re.sub(
        rf"(?:打开|在|用|从|去|到|通过){name}(?:上|里|中|软件)?[，,]?", "", text, flags=re.IGNORECASE
    )
    return text.strip()


def _find_english_object(text: str) -> str:
    tokens = tokenize(text)
    start = 0
    while start < len(tokens) and (
        tokens[start].part in (Part.VERB, Part.ADVERB, Part.PRONOUN, Part.DETERMINER)
        or tokens[start].lower in words.VERBS | {"some", "for"}
        or (start and tokens[start].lower in _PARTICLES)
    ):
        start += 1
    end = start
    while end < len(tokens) and tokens[end].lower not in _ENDING and tokens[end].part is not Part.CONJUNCTION:
        if tokens[end].part is Part.MARK and tokens[end].lower in ",.;":
            break
        end += 1
    return text[tokens[start].start : tokens[end - 1].end] if end > start else ""


def _find_chinese_object(text: str) -> str:
    begin = _ZH_BEGIN.match(text)
    rest = text[begin.end() if begin else 0 :]
    end = _ZH_END.search(rest)
    return rest[: end.start() if end else len(rest)].strip(" ，,。")

"""Sets of content words, for overlap between instructions in English and Chinese (PersonalAlign 5.2)."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[a-z0-9]+(?:[.'’:][a-z0-9]+)*")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")

_STOP_TEXT = """
a an the this that these those my your our his her their me you us it i we he she they of on in at to
into from for with by via using use through and or then also as is are be was were do does did can could
would will shall should may might must please pls kindly just some any want need like wanna let lets help
hey hi hello ok okay up out over about what which who there here so if now today tonight app application
go
"""
_STOP = frozenset(_STOP_TEXT.split())
_CHINESE_STOP = re.compile(
    "帮我|给我|替我|麻烦你?|请你?|我想要?|我要|能不能|可不可以|可以|能否|一下子?|一份|一个|一杯|一些|一首|一条|"
    "现在|今天|今晚|应用|软件|这个|那个|还是|或者|然后|吗|吧|呢|啊|呀|哦|的|了|着|把|在|从|用|和|与|跟|我|你|他|她|它"
)
_VAGUE_ENGLISH = re.compile(
    r"\b(?:(?:the|that|this)\s+)?(?:same|one|thing|stuff)\s+(?:(?:from|as|like|of|i\s+\w+)\s+)*"
    r"(?:the\s+)?(?:last\s+time|before|always|usual|yesterday|ever)\b"
    r"|\b(?:as|like|than)\s+(?:i\s+)?(?:usual(?:ly)?|always|before|last\s+time|normal(?:ly)?|ever)(?:\s+do)?\b"
    r"|\b(?:the|my|our|that)\s+(?:same\s+old|same|old)(?:\s+(?:thing|one))?\b"
    r"|\b(?:usual|usually|regular|regularly|normal|normally|always|again|favou?rite|typical|customary|"
    r"habitual|routine|ordinary|standard|preferred|last\s+time|one\s+more\s+time|once\s+more|"
    r"you\s+know|thing|things|stuff|something|one|ones|same|often)\b"
)
_VAGUE_CHINESE = re.compile(
    "老样子|老规矩|老地方|照旧|照常|照例|往常一?样?|平时[一那]?[样个]?|平常[一那]?[样个]?|和?上次一样|上次那?[个家]?|"
    "像以前一样|以前那?[个家]?|一直以来|惯例|习惯|惯常|经常|常常|通常|常[点听看吃喝买去用]的?|爱[点听看吃喝买去用]的?|"
    "同样|一样|那[个家份首]|再来一?[次份个杯遍]?|又一次|还是那[个家]|最喜欢的?|喜欢的?"
)
_OPENING = re.compile(
    r"^(?:(?:so|right|well|now|alright|yes|yeah|oh|um|uh|er|hey|hello|hi|ok|okay|please)\s*[,!.]+\s*"
    r"|(?:hey|hello|hi|ok|okay|um|uh|please)\s+"
    r"|(?:那个|对了|嘿|嗯|你好|您好|好的?|嗨|喂|哎|诶|那|请问?|麻烦你?)[,，!！。、\s]+|请(?!教|客|假|柬))+(?=\S)",
    re.IGNORECASE,
)


@lru_cache(maxsize=65536)
def word_set(text: str) -> frozenset[str]:
    """The content words of an instruction: English words without stop words, pairs of Chinese characters.

    A run of one Chinese character gives that character. Case, plurals and possessives do not count.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    found = {_stem(word) for word in _WORD.findall(plain)}
    for run in _CJK.findall(_CHINESE_STOP.sub(" ", plain)):
        found.update(run[place : place + 2] for place in range(max(1, len(run) - 1)))
    return frozenset(found - _STOP)


def without_vague(text: str) -> str:
    """The command without words that only point at habit ("usual", "like last time", 老样子).

    They say that something is meant, not what; left in, they would match other records with the same words.
    """
    plain = unicodedata.normalize("NFKC", text)
    for vague in (_VAGUE_ENGLISH, _VAGUE_CHINESE):
        plain = re.sub(vague.pattern, " ", plain, flags=re.IGNORECASE)
    return " ".join(plain.split())


def without_opening(text: str) -> str:
    """The command without the words that only begin it: "hey, …", "ok, …", 那个，….

    In a short command they move its vector as much as what is wanted does.
    """
    return _OPENING.sub("", unicodedata.normalize("NFKC", text)) or text


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Shared over all words, 0..1; two empty sets share nothing."""
    if not left or not right:
        return 0.0
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def _stem(word: str) -> str:
    word = word.replace("’", "'").removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word

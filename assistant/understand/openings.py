"""What a command leaves open: "order lunch" names no dish. A strong preference may fill it.

Whether a command is explicit is told here by its words alone, so that the memory is opened for no more of
them than needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.understand import english_words as words
from assistant.understand.tokens import Part, Token, is_in_lexicon, tokenize
from assistant.understand.types import Category, Element, Language, detect_language

_GETTING = words.words_of(
    "order get buy play watch listen book call read reorder grab put start hail resume stream have "
)
_COMMON = words.KIN | words.FRIENDS | words.ROLES | words.PLACES | words.DEVICE | words.CONTENT
_NAME_TAKING = words.words_of(
    "play call text message search open launch watch email dial find navigate google install buy "
    "order get book listen start add"
)
_OPENERS = words.words_of("so ok okay hey hello hi right well now please just olly alexa google siri then")
_CONTROLLING = words.words_of(
    "stop pause resume delete remove skip close turn switch mute unmute enable disable raise lower increase "
    "put include remember decrease cancel clear erase repeat shuffle quiet thank thanks set call go back show"
)
_ASKING = words.words_of(
    "what who how why when where is are do does did can could will would should which whose"
)
_BETWEEN = (Part.DETERMINER, Part.ADVERB, Part.POSSESSIVE, Part.PRONOUN)
_NAMING = (Part.NOUN, Part.NAME, Part.NUMBER, Part.QUOTED)
_LONGEST = 80
_ZH_OPENERS = re.compile("^(?:请|帮我|给我|麻烦|我想|我要|那个|对了|快|嘿|嗯|你好|好|嗨|喂|，|,|\\s)+")
_ZH_LONGEST = 10
_ZH_EXPLICIT = re.compile(
    r"[0-9a-zA-Z]|[一二三四五六七八九十百两]+(?:点|分|号|月|块|元|个小时|分钟|度|楼)|[《“「\"‘：:]"
    "|什么|怎么|多少|几|为什么|谁|哪|吗[？?]?$|(?:跟|给|向|和|叫|问|祝)(?!我).+|(?:到|去|往|至)(?!我|家|公司|单位|学校|了)"
    "|^(?:打电话|点|买|订|预订|播放|放|搜索|搜|打开|导航|听|看|查|关|停|取消|删|暂停|提醒|设|定|调|列出|下载|显示|告诉|断开|连接"
    "|检查|启动|安装|开始|用|在|把设置|把灯|移除|清空|加|开|确认|继续|换)"
)
"""A number, a quotation, a question, somebody, somewhere, or a verb whose object says what is wanted."""

_ZH = re.compile(
    r"^(?:请|帮我|给我|麻烦|我想|我要|来)*(?P<verb>点|订|买|叫|播放|放|听|看|来|打|读|打开)(?:一?[点些份杯首个部集辆单]|一下|个)?"
    r"(?P<kind>午饭|午餐|晚饭|晚餐|早饭|早餐|夜宵|外卖|咖啡|奶茶|饮料|零食|水果|菜|音乐|歌|歌曲|播客|有声书|新闻|电影|电视剧|剧|视频|出租车|车|游戏|书)[吧啊呀了]?$"
)


_GREETING = re.compile(
    r"^(?:(?:so|ok|okay|hey|hello|hi|right|well|um|alright|yes)\b[,!.\s]+|please\s+)+(?=\S)", re.IGNORECASE
)


def strip_greeting(command: str) -> str:
    """A command without the words that only begin it: "ok, …", "hey, …", "那个，…"."""
    return (_ZH_OPENERS if detect_language(command) is Language.ZH else _GREETING).sub("", command) or command


def find_open_element(command: str) -> Element | None:
    """What a command leaves open; None where it is explicit.

    Either the kind of thing that it asks for without saying which (its head is that kind), or the whole
    command, where nothing in it is a name, a number or a quotation (its head is empty).
    """
    text = command.strip(" \t\n。！!.")
    if not text or len(text) > _LONGEST:
        return None
    start = command.index(text)
    if detect_language(text) is Language.ZH:
        content = _ZH_OPENERS.sub("", text)
        if match := _ZH.match(content):
            start += len(text) - len(content) + match.start("kind")
            return Element(start, start + len(match["kind"]), match["kind"], Category.OPEN, match["kind"])
        explicit = len(content) > _ZH_LONGEST or bool(_ZH_EXPLICIT.search(content))
    else:
        if kind := _find_kind(command):
            return kind
        explicit = _is_explicit(text)
    return None if explicit else Element(start, start + len(text), text, Category.OPEN, "")


def _find_kind(command: str) -> Element | None:
    """The only noun of an English command, where it is a kind of thing to get."""
    tokens = tokenize(command)
    nouns = [
        index
        for index, token in enumerate(tokens)
        if (token.part in _NAMING and not (index == 0 and token.lower in words.VERBS))
        or token.lower == "something"
    ]
    if len(nouns) != 1:
        return None
    verbs = [at for at in range(nouns[0]) if tokens[at].lower in _GETTING]
    between = tokens[verbs[-1] + 1 : nouns[0]] if verbs else ()
    if not verbs or any(token.part in (Part.PREPOSITION, Part.CONJUNCTION) for token in between):
        return None
    token = tokens[nouns[0]]
    if not is_in_lexicon(token, words.KINDS) or (token.capitalised and nouns[0]):
        return None
    return Element(token.start, token.end, token.text, Category.OPEN, token.lower)


def _is_explicit(text: str) -> bool:
    """Whether an English command says what it wants: by capitals, digits, quotation, a verb's object."""
    tokens = tokenize(text)
    for index, token in enumerate(tokens):
        if token.part in (Part.NUMBER, Part.QUOTED, Part.NAME):
            return True
        if (
            token.capitalised
            and index
            and token.lower not in ("i", "i'm")
            and tokens[index - 1].lower not in ".!?,"
        ):
            return True
        if token.lower in _NAME_TAKING and _has_specific_object(tokens[index + 1 :]):
            return True
        if token.lower in ("by", "about", "called", "named") and _has_specific_object(tokens[index + 1 :]):
            return True
    first_word = next((token.lower for token in tokens if token.lower not in _OPENERS), "")
    return first_word in _ASKING | _CONTROLLING or all(token.part is not Part.NOUN for token in tokens[1:])


def _has_specific_object(following: Sequence[Token]) -> bool:
    """Whether the object that follows a verb is more than a kind of thing."""
    nouns = []
    for token in following:
        if token.part is Part.NOUN:
            nouns.append(token)
        elif nouns or (token.part not in _BETWEEN and token.lower not in ("for", "up", "on", "off")):
            break
    general_words = words.KINDS | _COMMON | words.PARTS_OF_DAY | words.HABIT_ADJECTIVES
    return any(not is_in_lexicon(token, general_words) for token in nouns)

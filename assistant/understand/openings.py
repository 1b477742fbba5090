"""What a command leaves open: "order lunch" names no dish. A strong preference may fill it."""

from __future__ import annotations

import re

from assistant.understand import english_words as words
from assistant.understand.elements import Category, Element, Language, language_of
from assistant.understand.tokens import Part, tokenised, within

_KINDS = words.words_of(
    "lunch dinner breakfast brunch supper food takeout takeaway meal coffee tea drink snack dessert music"
    " song playlist podcast audiobook radio news movie film series show video groceries grocery taxi cab "
    "ride haircut workout game book something medicine "
)
_GETTING = words.words_of(
    "order get buy play watch listen book call read reorder grab put start hail resume stream have "
)
_ZH = re.compile(
    r"^(?:请|帮我|给我|麻烦|我想|我要|来)*(?P<verb>点|订|买|叫|播放|放|听|看|来|打|读|打开)(?:一?[点些份杯首个部集辆单]|一下|个)?"
    r"(?P<kind>午饭|午餐|晚饭|晚餐|早饭|早餐|夜宵|外卖|咖啡|奶茶|饮料|零食|水果|菜|音乐|歌|歌曲|播客|有声书|新闻|电影|电视剧|剧|视频|出租车|车|游戏|书)[吧啊呀了]?$"
)


def left_open(said: str) -> Element | None:
    """The kind of thing that a command asks for without saying which; None where it says which.

    Any name, number, quotation or other noun makes it explicit.
    """
    if language_of(said) is Language.ZH:
        match = _ZH.match(said.strip(" 。！!"))
        if match is None:
            return None
        start = said.index(match["kind"])
        return Element(start, start + len(match["kind"]), match["kind"], Category.OPEN, match["kind"])
    tokens = tokenised(said)
    if not 1 < len(tokens) <= 10:
        return None
    nouns = [
        place
        for place, token in enumerate(tokens)
        if (
            token.part in (Part.NOUN, Part.NAME, Part.NUMBER, Part.QUOTED)
            and not (place == 0 and token.lower in words.VERBS)
        )
        or token.lower == "something"
    ]
    if len(nouns) != 1 or not any(token.lower in _GETTING for token in tokens[: nouns[0]]):
        return None
    (place,) = nouns
    token = tokens[place]
    if not within(token, _KINDS) or (token.capitalised and place):
        return None
    return Element(token.start, token.end, token.text, Category.OPEN, token.lower)

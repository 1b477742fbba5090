"""Perceiving personalized elements in Chinese, without a model or a segmenter.

Patterns over word classes, tried at each character, the first that matches wins. What stands before and
behind decides whether a word means one certain person or place: "苹果公司" and "朋友圈" are explicit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.understand import chinese_patterns as patterns
from assistant.understand import chinese_words as words
from assistant.understand.types import Category, Element

_Span = tuple[int, int, Category, str, str]


def perceive_chinese(text: str, apps: Sequence[str] = ()) -> tuple[Element, ...]:
    """The personalized elements of a Chinese command, in the order of the text."""
    quoted = [match.span() for match in patterns.QUOTED.finditer(text)]
    quoted += [match.span() for app in apps for match in re.finditer(re.escape(app), text, re.IGNORECASE)]
    messages = [_message_span(match) for match in patterns.MESSAGE.finditer(text)]
    spans: list[_Span] = []
    index = 0
    while index < len(text):
        quote_end = next((end for start, end in quoted if start <= index < end), None)
        if quote_end is not None:
            index = quote_end
            continue
        span = next(filter(None, (rule(text, index) for rule in _RULES)), None)
        if span:
            is_message_text = any(start <= index < end for start, end in messages)
            if not is_message_text or span[2] in (Category.HABIT, Category.PAST, Category.FACT):
                spans.append(span)
            index = span[1]
        else:
            index += 1
    return tuple(
        Element(start, end, text[start:end], category, head, owner)
        for start, end, category, head, owner in spans
    )


def _message_span(match: re.Match[str]) -> tuple[int, int]:
    """The words of a message to be sent, up to the next task."""
    task = patterns.TASK.search(match["said"])
    return match.start("said"), match.start("said") + (task.start() if task else len(match["said"]))


def _noun_end(text: str, index: int) -> int:
    """Where the noun that begins here ends; `place` itself where there is none."""
    while index < len(text):
        if longer_word := patterns.KEEP.match(text, index):
            index = longer_word.end()
        elif patterns.EDGE.match(text, index):
            break
        else:
            index += 1
    return index


def _idiom(text: str, index: int) -> _Span | None:
    match = patterns.IDIOM.match(text, index)
    return (index, match.end(), Category.HABIT, match[0], "") if match else None


def _time(text: str, index: int) -> _Span | None:
    match = patterns.TIME.match(text, index)
    if not match:
        return None
    end = match.end()
    if patterns.DAY_OF.match(text, index):
        return None
    if text[index - 1 : index] == "每" or re.match("[天间半勤]", text[end:]):
        return None
    return index, end, Category.TIME, match["head"] or match["alone"], ""


def _day_of(text: str, index: int) -> _Span | None:
    """“女儿生日前一天”: a day by what happens then; not where the question is what to do on such a day."""
    match = patterns.DAY_OF.match(text, index)
    if not match or patterns.ASKING.match(text, match.end()):
        return None
    return index, match.end(), Category.TIME, match["head"], ""


def _same_as(text: str, index: int) -> _Span | None:
    match = patterns.SAME_AS.match(text, index)
    return (index, match.end(), Category.PAST, match[0], "") if match else None


def _others_habit(text: str, index: int) -> _Span | None:
    """“我老公看的那本杂志”: what somebody of the user's uses."""
    match = patterns.THEIRS.match(text, index)
    if not match:
        return None
    end = _noun_end(text, match.end())
    return index, end, Category.HABIT, text[match.end() : end], ""


def _past(text: str, index: int) -> _Span | None:
    match = patterns.PASTS.match(text, index)
    if not match:
        return None
    end = _noun_end(text, match.end())
    has_demonstrative = "那" in match[0]
    if has_demonstrative and text[end : end + 1] == "的":
        end = _noun_end(text, end + 1)
    return (
        (index, end, Category.PAST, text[match.end() : end], "")
        if end > match.end() or has_demonstrative
        else None
    )


def _habit(text: str, index: int) -> _Span | None:
    match = patterns.HABIT.match(text, index)
    if not match or patterns.SOMEBODY_ELSE.search(text[:index]):
        return None
    end = _noun_end(text, match.end())
    if "那" in match[0] and text[end : end + 1] == "的":
        end = _noun_end(text, end + 1)
    if end == match.end() and "那" not in match[0]:
        return None
    head = text[match.end() : end].removeprefix("的")
    kept_by_app = head.startswith(("列表", "歌单", "收藏夹")) and not patterns.MOST.search(match[0])
    if kept_by_app or head in ("人", "时候", "事"):
        return None
    return index, end, Category.HABIT, head, match["owner"] or ""


def _own_habit(text: str, index: int) -> _Span | None:
    match = patterns.OWN_HABIT.match(text, index)
    if not match or re.search("[给要想把让帮请在能会发说]", match[0]):
        return None
    end = _noun_end(text, match.end())
    head = text[match.end() : end]
    if end == match.end() or (patterns.DEVICE.fullmatch(head) and head not in ("音乐", "歌", "歌曲", "播客")):
        return None
    return index, end, Category.HABIT, head, ""


def _regular_object(text: str, index: int) -> _Span | None:
    """“我支持的球队”, “我每周三上的课程”: by what the user does with it."""
    ways = (patterns.DOES, patterns.REGULAR, patterns.POINTED)
    match = next((match_found for way in ways if (match_found := way.match(text, index))), None)
    if not match or re.search("[给想把让帮请]", match[0]):
        return None
    end = _noun_end(text, match.end())
    if end == match.end() or patterns.DEVICE.fullmatch(text[match.end() : end]):
        return None
    return index, end, Category.HABIT, text[match.end() : end], ""


def _who_does(text: str, index: int) -> _Span | None:
    """“教我游泳的教练”: somebody by what they do, where a command reaches them."""
    match = patterns.WHO_DOES.match(text, index)
    if not match or not patterns.REACHING.search(text[:index]) or patterns.TAIL.match(text, match.end()):
        return None
    return index, match.end(), Category.PERSON, match["who"] or match["beside"], ""


def _is_standalone(text: str, index: int) -> bool:
    """Whether what stands before lets a word be meant for itself."""
    before = text[:index]
    return not before or bool(patterns.BEFORE.search(before))


def _person(text: str, index: int) -> _Span | None:
    match = patterns.PEOPLE.match(text, index)
    if not match:
        return None
    start, end = index, match.end()
    mine = bool(match["mine"] or match["short"])
    word = match["who"] or match["short"]
    if match["mine"] in ("自己", "本人"):
        mine = False
    if word in words.OFFICES and _is_desk(text, index, end, mine=mine):
        return None
    if not mine:
        if patterns.TITLE.match(word) and text[index - 1 : index] in words.SURNAMES and index:
            return None
        if app := patterns.APP_BEFORE.search(text[:index]):
            start = app.start()
        if (
            not _is_standalone(text, start)
            or _belongs_to_named(text, start)
            or _means_anyone(text, start, word)
        ):
            return None
    if text[end : end + 1] == "们":
        end += 1
    if patterns.TAIL.match(text, end) or (not mine and _describes_kind(text, start, end)):
        return None
    return _add_possession(text, start, end, word)


def _is_desk(text: str, start: int, end: int, *, mine: bool) -> bool:
    """“放在前台”, “去前台”: the desk or office itself, where nobody is spoken to or asked about."""
    before = text[:start]
    meant = mine or patterns.ADDRESSED.search(before) or patterns.FACT_OF.match(text, end)
    return not meant or bool(patterns.LEFT_AT.search(before))


def _belongs_to_named(text: str, index: int) -> bool:
    """“姚明的妻子”: somebody else's, whose name is said."""
    before = text[:index]
    return before.endswith("的") and not re.search(
        f"(?:{patterns.any_of(words.USING)}|{patterns.PERSON}|发来|寄来|给)的$", before
    )


def _describes_kind(text: str, start: int, end: int) -> bool:
    """“搜索讲父亲和儿子的电影”: within what tells the kind of thing that is looked for."""
    return bool(patterns.SEARCHING.search(text[:start]) and patterns.KIND_OF.match(text, end))


def _means_anyone(text: str, index: int, word: str) -> bool:
    """“加好友”, “找个医生”: anyone of the kind."""
    before = text[max(0, index - patterns.SHORTLY) : index]
    if word == "好友" and before.endswith(("加", "添加", "删除")):
        return True
    anyone = re.search(
        "(?:(?:附近|周围|周边)(?:的|有|哪有|哪里有|有没有)?|一个|一位|一名|找个|哪个|哪位|什么|推荐)$", before
    )
    return (bool(anyone) and word in words.ROLES) or before.endswith(("什么", "哪个", "谁的"))


def _add_possession(text: str, start: int, end: int, word: str) -> _Span:
    """The person alone, or with what of theirs is not found by the name: home, number, birthday."""
    owner = text[start:end]
    if home := patterns.OWNED_HOME.match(text, end):
        return start, home.end(), Category.PLACE, home[0].removeprefix("的"), owner
    if lesson := patterns.CLASS.match(text, end):
        return start, lesson.end(), Category.FACT, lesson[0].removeprefix("的"), owner
    if fact := patterns.FACT_OF.match(text, end):
        calling = (
            text[:start].endswith(("给", "打")) and fact["fact"] in ("电话", "微信") and "的" not in fact[0]
        )
        if not calling:
            return start, fact.end(), Category.FACT, fact["fact"], owner
    return start, end, Category.PERSON, word, ""


def _group(text: str, index: int) -> _Span | None:
    match = patterns.GROUP.match(text, index)
    if not match or re.search("(?:建|创建|新建|加入)(?:一?个)?$", text[:index]):
        return None
    return index, match.end(), Category.GROUP, match[0], ""


def _place(text: str, index: int) -> _Span | None:
    match = patterns.MY_PLACE.match(text, index)
    if match:
        return index, match.end(), Category.PLACE, match["place"], ""
    match = patterns.PLACE.match(text, index)
    if not match or patterns.PLACE_TAIL.match(text, match.end()):
        return None
    if not match["mine"]:
        before = text[:index]
        others = before.endswith("的") and not re.search("(?:去|到|我|们)的$", before)
        anyone = re.search("(?:附近的|一所|一家|哪个|哪家|什么|这家|这所|个|些|所有)$", before)
        if others or anyone or not _is_standalone(text, index):
            return None
    return index, match.end(), Category.PLACE, match["place"], ""


def _home(text: str, index: int) -> _Span | None:
    match = patterns.HOME.match(text, index)
    if not match:
        return None
    end = match.end() - (1 if match[0].endswith("里") else 0)
    mine = match[0][0] != "家"
    if not mine and not patterns.BEFORE_HOME.search(text[:index]):
        return None
    if text[:index].endswith(("搬", "全", "大", "国", "专", "不在")):
        return None
    return index, end, Category.PLACE, "家", ""


def _fact(text: str, index: int) -> _Span | None:
    match = patterns.MY_FACT.match(text, index)
    if not match:
        return None
    return index, match.end(), Category.FACT, re.sub("^(?:我们?|自己|本人)的?", "", match[0]), ""


def _code(text: str, index: int) -> _Span | None:
    """“我的取件码”: a number or code by which something of the user's is had, written down somewhere."""
    match = patterns.MY_CODE.match(text, index)
    if not match:
        return None
    return index, match.end(), Category.FACT, re.sub("^(?:我们?|咱们?|自己|本人)的?", "", match[0]), ""


def _gathering(text: str, index: int) -> _Span | None:
    """“读书会开始的时间”: when something begins that the user goes to."""
    match = patterns.GATHERING.match(text, index)
    if not match or (index and not patterns.GATHERED.search(text[:index])):
        return None
    return index, match.end(), Category.TIME, match["head"], ""


def _network_key(text: str, index: int) -> _Span | None:
    match = patterns.NETWORK_KEY.match(text, index)
    return (index, match.end(), Category.FACT, "密码", "") if match else None


def _listed_fact(text: str, index: int) -> _Span | None:
    """What “my” goes on to in a list of facts: the number of “我的地址和手机号”."""
    match = patterns.LISTED_FACT.match(text, index)
    if not match or not patterns.LISTED.search(text[:index]):
        return None
    return index, match.end(), Category.FACT, match[0], ""


def _thing(text: str, index: int) -> _Span | None:
    if own := patterns.OWN_THING.match(text, index):
        return index, own.end(), Category.THING, own[0].removeprefix("自己"), ""
    match = patterns.MY_THING.match(text, index)
    if not match:
        return None
    end = _noun_end(text, match.end())
    head = text[match.end() : end]
    if (
        text.startswith(("播放列表", "歌单"), end)
        or not 0 < len(head) <= 8
        or patterns.DEVICE.match(head)
        or any(head.endswith(word) for word in words.DEVICE)
    ):
        return None
    if re.search("[0-9a-zA-Z一二三四五六七八九十]", head[:1]):
        return None
    return index, end, Category.THING, head, ""


_RULES = (
    _idiom,
    _same_as,
    _others_habit,
    _who_does,
    _past,
    _day_of,
    _habit,
    _regular_object,
    _time,
    _gathering,
    _group,
    _own_habit,
    _network_key,
    _code,
    _listed_fact,
    _person,
    _fact,
    _place,
    _home,
    _thing,
)

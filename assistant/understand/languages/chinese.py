"""Finds the personalized elements of a Chinese command by rules, without a word segmenter.

Patterns over the word classes of `chinese_words` are tried at each character; the first match wins. The
context decides whether a word means one certain person or place: "苹果公司" and "朋友圈" are explicit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assistant.understand.types import Category, PersonalizedElement
from assistant.understand.words import chinese_words as words


def any_of(*groups: Iterable[str]) -> str:
    """An alternation of all words, longest first."""
    every = sorted({word for group in groups for word in group}, key=lambda word: (-len(word), word))
    return "(?:" + "|".join(map(re.escape, every)) + ")"


def _not_ending(group: Iterable[str]) -> str:
    """That what was matched so far does not end with one of the words."""
    return "".join(f"(?<!{re.escape(word)})" for word in group)


_SELF = any_of(words.SELF)
_MINE = f"(?:{_SELF}(?:的)?|自己的)"
PERSON = any_of(words.KIN, words.FRIENDS, words.ROLES)
FACT = any_of(words.FACTS)
FACT_OF = re.compile(f"(?:的)?(?P<fact>{FACT})")
_THAT = f"那{any_of(words.MEASURES)}|那"
QUOTED = re.compile('《[^》]*》|“[^”]*”|「[^」]*」|"[^"]*"|‘[^’]*’')
EDGE = re.compile(
    any_of(words.EDGES) + r"|(?:周|星期|礼拜)[一二三四五六日天末]|[\s,，。.!！?？;；:：、@（）()]"
)
KEEP = re.compile(any_of(words.KEEP))
BEFORE = re.compile(f"(?:{any_of(words.BEFORE)}|[\\s,，。.!！?？;；:：、@）)])$")
APP_BEFORE = re.compile(f"{any_of(words.APPS)}$", re.IGNORECASE)

_DONE = any_of(words.USING, words.DOING)
_LONG_OFTEN = any_of(word for word in words.OFTEN if len(word) > 1 and not word.startswith("每"))

_PARTS_OF_DAY = "睡前|饭后|饭前|课前|课后|路上|车上|早上|晚上|夜里|午后"
_WHILE = f"(?:{any_of(words.ROUTINES)}{any_of(words.AT_TIME)}|{_PARTS_OF_DAY})(?:的时候)?"

IDIOM = re.compile(any_of(words.IDIOMS))
TIME = re.compile(
    f"(?:{_SELF})?(?:{_LONG_OFTEN}的?)?(?P<head>{any_of(words.ROUTINES)})(?:开始|结束)?(?:的?时间之?[前后]|{any_of(words.AT_TIME)})|(?P<alone>睡前|课前|课后|饭前|饭后)"
)
DAY_OF = re.compile(
    f"(?:{_MINE})?(?:{PERSON}(?:的)?)?(?P<head>{any_of(words.EVENTS)})(?:的)?"
    "(?:(?:之?[前后]|前的|后的)(?:[一二两三四五]|几|1|2|3)?(?:天|晚|周|个?星期|个?礼拜|个月)|当天|那天|那晚|当晚|前夜|前夕|第二天)"
    "(?:的?(?:早上|上午|中午|下午|晚上|早晨|夜里))?"
)
ASKING = re.compile("[^，,。；;]{0,6}(?:怎么|如何|什么|哪些|要不要|能不能|可不可以|注意)")
PASTS = re.compile(
    f"(?:{_MINE})?{any_of(words.PAST)}(?:{_SELF})?(?:在\\w{{1,6}}?)?"
    f"(?:没有?)?(?:{_DONE}(?:过)?(?:的)?(?:{_THAT})|{_DONE}(?:过|完|好)?的|(?:的)?那{any_of(words.MEASURES)}|那家)"
)
HABIT = re.compile(
    f"(?:(?:{_MINE}|(?P<owner>{PERSON})))?(?:"
    f"{any_of(words.OFTEN)}{any_of(words.USING)}(?:的那{any_of(words.MEASURES)}|的|那{any_of(words.MEASURES)})"
    f"|{_LONG_OFTEN}(?:的那{any_of(words.MEASURES)}|的|那{any_of(words.MEASURES)})"
    f"|{_WHILE}{any_of(words.USING)}的(?:那{any_of(words.MEASURES)})?"
    f"|{any_of(words.LOVING)}(?:{any_of(words.USING)})?的(?:那{any_of(words.MEASURES)})?"
    f"|{any_of(words.KEPT)}(?:的那{any_of(words.MEASURES)}|的)"
    "|(?:常用|惯用|常备|常点|常买|常穿)(?:的)?"
    ")"
)
MOST = re.compile(f"最|时|{_WHILE}|{any_of(words.OFTEN)}")
"""What tells that a list is one certain list, not the one in which an app keeps what was liked."""

SOMEBODY_ELSE = re.compile("(?:[你您他她都]|大家|别人|人们|网友)最?$")
OWN_HABIT = re.compile(
    f"{_SELF}[^\\s,，。的我]{{0,4}}?{any_of(words.USING)}的(?:那{any_of(words.MEASURES)})?"
)
REGULAR = re.compile(
    f"{_SELF}(?:每|周|星期)[^\\s,，。的我]{{1,5}}?(?:{any_of(words.USING, words.DOING)}|上)的"
)
DOES = re.compile(
    f"{_SELF}(?:一直|最近|正)?(?:{any_of(words.DOING)})(?:着|了)?的(?:那{any_of(words.MEASURES)})?"
)
SEARCHING = re.compile("(?:搜索|搜|找一?[个家部本些]?|推荐)[^，,。；;]{1,6}$")
KIND_OF = re.compile("[^，,。；;发说推看喜爱常]{0,5}的(?!$)[^，,。；;的]{2,5}(?:[，,。；;]|$)")
WHO_DOES = re.compile(
    "(?:我们?|咱们?|一起|负责|昨天|前天|昨晚|上次|上周|刚才|今天|今早|早上|教|借|帮|陪|修|接送|照顾|辅导|介绍|带|住)"
    f"[^\\s,，。；;的]{{1,10}}的(?:那[个位名])?(?P<who>{PERSON})"
    f"|(?:同行|同组|同班|同住|合租|隔壁|楼上|楼下|对面|对门)的(?P<beside>{PERSON})"
)
POINTED = re.compile(f"{_SELF}[^\\s,，。；;的我]{{1,10}}的那{any_of(words.MEASURES)}")
REACHING = re.compile(
    "(?:发给|打给|转给|送给|寄给|分享给|告诉|联系|提醒|通知|邀请|感谢|给|跟|和|找|问|让|叫|约|祝)(?:一下)?$"
)
ADDRESSED = re.compile(f"(?:{REACHING.pattern}|(?:请|麻烦|催|回复|致电|呼叫|拨打|咨询|请教)(?:一下)?$)")
"""What stands before somebody who is spoken to: then a word for a desk means who sits there."""

LEFT_AT = re.compile("(?:[在到往去至从于回]|[放存搁留]|[交留放转寄存带]给)$")
"""What stands before a place that something is brought to, or somebody goes to."""

PEOPLE = re.compile(
    f"(?P<mine>{_SELF}的?(?:家)?)?(?P<who>(?:(?:小|大|亲|最好的|好|老)?{PERSON}(?:的)?)*?{PERSON})"
    f"|(?P<short>(?:{any_of(['我', '我们', '咱', '咱们', '俺', '我家'])})(?:{any_of(words.SHORT_KIN)})"
    f"|(?<=[给跟和问喊让])(?:{any_of(words.SHORT_KIN)})(?=[打发说讲弹转回视语留微带买报][^\\s，。]))"
)
GROUP = re.compile(f"(?:{any_of(words.GROUP_OWNERS)}){{1,2}}(?:的)?{any_of(words.GROUPS)}")
PLACE = re.compile(f"(?P<mine>{_MINE})?(?P<place>{any_of(words.PLACES)})")
MY_PLACE = re.compile(f"{_MINE}(?P<place>{any_of(words.POSSESSED_PLACES)})")
HOME = re.compile(f"(?:{_MINE})?家(?:里)?(?![{''.join(words.HOME_TAILS)}])(?!人)")
BEFORE_HOME = re.compile(f"{any_of(words.BEFORE_HOME)}$")
MY_FACT = re.compile(f"(?:我|我们|自己|本人)(?:的)?{any_of(words.BARE_FACTS)}")
MY_CODE = re.compile(
    f"{_MINE}(?:(?!{any_of(words.APP_CODES)}|[和跟与及或的给在到是有把])[\\u3400-\\u9fff]){{1,6}}?"
    f"{any_of(words.CODES)}{_not_ending(words.APP_CODES)}(?=$|{EDGE.pattern})"
)
GATHERING = re.compile(
    f"(?:{_SELF}的)?(?P<head>"
    f"(?:(?!{EDGE.pattern}|{_SELF}|[一二两三四五六七八九十半])[\\u3400-\\u9fff]){{1,5}}?"
    f"{any_of(words.GATHERINGS)}){_not_ending(words.PUBLIC_EVENTS)}"
    f"的?(?:开始|结束)(?:的?时间(?:之?[前后])?|{any_of(words.AT_TIME)})"
)
GATHERED = re.compile(f"(?:{any_of(words.BEFORE, words.SELF)}|[点半刻分号日天]|[\\s,，。.!！?？;；:：、])$")
OWN_THING = re.compile(f"自己{any_of(words.OWN_THINGS)}")
SAME_AS = re.compile(
    f"(?:和|跟|像|同){any_of(words.PAST, ['平时', '往常', '平常'])}[^\\s,，。]{{0,6}}?一样"
    f"(?:的{any_of(words.MEASURES)}?)?"
)
THEIRS = re.compile(
    f"{_SELF}(?:的)?{PERSON}(?:最|常|爱|喜欢)?{any_of(words.USING)}的那{any_of(words.MEASURES)}(?:的)?"
)
CLASS = re.compile("的[^\\s,，。的]{1,4}课(?!表|本)")
NETWORK_KEY = re.compile(
    f"(?:(?:{_MINE}|家里|公司|单位|宿舍)(?:家|公司|单位|宿舍)?(?:的)?)(?:wi-?fi|无线网络?|网络|热点|宽带|门锁|门禁|大门|保险箱)的?密码",
    re.IGNORECASE,
)
LISTED = re.compile(f"(?:我|我们|自己|本人)(?:的)?{FACT}(?:和|、|与|跟|以及|还有|，)$")
LISTED_FACT = re.compile(f"{any_of(words.BARE_FACTS)}|(?:wi-?fi|无线网|网络)密码", re.IGNORECASE)
MY_THING = re.compile("(?:我们的|我的|咱们的|自己的|本人的)")
DEVICE = re.compile(any_of(words.DEVICE))
TITLE = re.compile(any_of(words.TITLED))
TAIL = re.compile(any_of(words.PERSON_TAILS) + "|会(?!议)")
PLACE_TAIL = re.compile(any_of(words.PLACE_TAILS))
OWNED_HOME = re.compile(
    "(?:的)?家(?:里)?(?![具电长务])|(?:家)?那(?:边|儿|里)|(?:的)?(?:公司|单位|学校|宿舍|办公室|幼儿园|小区|老家|住处|房子|养老院|诊所)"
)

MESSAGE = re.compile(
    f"(?:告诉|通知|跟|和|对|给|回复|问){_MINE}?{PERSON}(?:发(?:消息|微信|短信))?说?(?P<said>我(?!的|家|们家)[^，,。；;]*)"
)
SHORTLY = 6
TASK = re.compile("然后|并且?|再|接着")


_Span = tuple[int, int, Category, str, str]


def perceive_chinese(text: str, apps: Sequence[str] = ()) -> tuple[PersonalizedElement, ...]:
    """The personalized elements of a Chinese command, in the order of the text."""
    quoted = [match.span() for match in QUOTED.finditer(text)]
    quoted += [match.span() for app in apps for match in re.finditer(re.escape(app), text, re.IGNORECASE)]
    messages = [_message_span(match) for match in MESSAGE.finditer(text)]
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
        PersonalizedElement(start, end, text[start:end], category, head, owner)
        for start, end, category, head, owner in spans
    )


def _message_span(match: re.Match[str]) -> tuple[int, int]:
    """The words of a message to be sent, up to the next task."""
    task = TASK.search(match["said"])
    return match.start("said"), match.start("said") + (task.start() if task else len(match["said"]))


def _noun_end(text: str, index: int) -> int:
    """Where the noun that begins here ends; `place` itself where there is none."""
    while index < len(text):
        if longer_word := KEEP.match(text, index):
            index = longer_word.end()
        elif EDGE.match(text, index):
            break
        else:
            index += 1
    return index


def _pointed_end(text: str, match: re.Match[str]) -> int:
    """Where the noun behind a match ends; behind “that” it may go on after 的: 上次那家川菜的鱼."""
    end = _noun_end(text, match.end())
    return _noun_end(text, end + 1) if "那" in match[0] and text[end : end + 1] == "的" else end


def _idiom(text: str, index: int) -> _Span | None:
    match = IDIOM.match(text, index)
    return (index, match.end(), Category.HABIT, match[0], "") if match else None


def _time(text: str, index: int) -> _Span | None:
    match = TIME.match(text, index)
    if not match:
        return None
    end = match.end()
    if DAY_OF.match(text, index):
        return None
    if text[index - 1 : index] == "每" or re.match("[天间半勤]", text[end:]):
        return None
    return index, end, Category.TIME, match["head"] or match["alone"], ""


def _day_of(text: str, index: int) -> _Span | None:
    """“女儿生日前一天”: a day by what happens then; not where the question is what to do on such a day."""
    match = DAY_OF.match(text, index)
    if not match or ASKING.match(text, match.end()):
        return None
    return index, match.end(), Category.TIME, match["head"], ""


def _same_as(text: str, index: int) -> _Span | None:
    match = SAME_AS.match(text, index)
    return (index, match.end(), Category.PAST, match[0], "") if match else None


def _others_habit(text: str, index: int) -> _Span | None:
    """“我老公看的那本杂志”: what somebody of the user's uses."""
    match = THEIRS.match(text, index)
    if not match:
        return None
    end = _noun_end(text, match.end())
    return index, end, Category.HABIT, text[match.end() : end], ""


def _past(text: str, index: int) -> _Span | None:
    match = PASTS.match(text, index)
    if not match:
        return None
    end = _pointed_end(text, match)
    if end == match.end() and "那" not in match[0]:
        return None
    return index, end, Category.PAST, text[match.end() : end], ""


def _habit(text: str, index: int) -> _Span | None:
    match = HABIT.match(text, index)
    if not match or SOMEBODY_ELSE.search(text[:index]):
        return None
    end = _pointed_end(text, match)
    if end == match.end() and "那" not in match[0]:
        return None
    head = text[match.end() : end].removeprefix("的")
    kept_by_app = head.startswith(("列表", "歌单", "收藏夹")) and not MOST.search(match[0])
    if kept_by_app or head in ("人", "时候", "事"):
        return None
    return index, end, Category.HABIT, head, match["owner"] or ""


def _own_habit(text: str, index: int) -> _Span | None:
    match = OWN_HABIT.match(text, index)
    if not match or re.search("[给要想把让帮请在能会发说]", match[0]):
        return None
    end = _noun_end(text, match.end())
    head = text[match.end() : end]
    if end == match.end() or (DEVICE.fullmatch(head) and head not in ("音乐", "歌", "歌曲", "播客")):
        return None
    return index, end, Category.HABIT, head, ""


def _regular_object(text: str, index: int) -> _Span | None:
    """“我支持的球队”, “我每周三上的课程”: by what the user does with it."""
    ways = (DOES, REGULAR, POINTED)
    match = next((match_found for way in ways if (match_found := way.match(text, index))), None)
    if not match or re.search("[给想把让帮请]", match[0]):
        return None
    end = _noun_end(text, match.end())
    if end == match.end() or DEVICE.fullmatch(text[match.end() : end]):
        return None
    return index, end, Category.HABIT, text[match.end() : end], ""


def _who_does(text: str, index: int) -> _Span | None:
    """“教我游泳的教练”: somebody by what they do, where a command reaches them."""
    match = WHO_DOES.match(text, index)
    if not match or not REACHING.search(text[:index]) or TAIL.match(text, match.end()):
        return None
    return index, match.end(), Category.PERSON, match["who"] or match["beside"], ""


def _is_standalone(text: str, index: int) -> bool:
    """Whether what stands before lets a word be meant for itself."""
    before = text[:index]
    return not before or bool(BEFORE.search(before))


def _person(text: str, index: int) -> _Span | None:
    match = PEOPLE.match(text, index)
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
        if TITLE.match(word) and text[index - 1 : index] in words.SURNAMES and index:
            return None
        if app := APP_BEFORE.search(text[:index]):
            start = app.start()
        if (
            not _is_standalone(text, start)
            or _belongs_to_named(text, start)
            or _means_anyone(text, start, word)
        ):
            return None
    if text[end : end + 1] == "们":
        end += 1
    if TAIL.match(text, end) or (not mine and _describes_kind(text, start, end)):
        return None
    return _add_possession(text, start, end, word)


def is_titled_name(text: str) -> bool:
    """Whether a text is a surname with a title, which names somebody: 王老师."""
    return text[:1] in words.SURNAMES and bool(TITLE.fullmatch(text[1:]))


def _is_desk(text: str, start: int, end: int, *, mine: bool) -> bool:
    """“放在前台”, “去前台”: the desk or office itself, where nobody is spoken to or asked about."""
    before = text[:start]
    is_person = mine or ADDRESSED.search(before) or FACT_OF.match(text, end)
    return not is_person or bool(LEFT_AT.search(before))


def _belongs_to_named(text: str, index: int) -> bool:
    """“姚明的妻子”: somebody else's, whose name is said."""
    before = text[:index]
    return before.endswith("的") and not re.search(
        f"(?:{any_of(words.USING)}|{PERSON}|发来|寄来|给)的$", before
    )


def _describes_kind(text: str, start: int, end: int) -> bool:
    """“搜索讲父亲和儿子的电影”: within what tells the kind of thing that is looked for."""
    return bool(SEARCHING.search(text[:start]) and KIND_OF.match(text, end))


def _means_anyone(text: str, index: int, word: str) -> bool:
    """“加好友”, “找个医生”: anyone of the kind."""
    before = text[max(0, index - SHORTLY) : index]
    if word == "好友" and before.endswith(("加", "添加", "删除")):
        return True
    anyone = re.search(
        "(?:(?:附近|周围|周边)(?:的|有|哪有|哪里有|有没有)?|一个|一位|一名|找个|哪个|哪位|什么|推荐)$", before
    )
    return (bool(anyone) and word in words.ROLES) or before.endswith(("什么", "哪个", "谁的"))


def _add_possession(text: str, start: int, end: int, word: str) -> _Span:
    """The person alone, or with what of theirs is not found by the name: home, number, birthday."""
    owner = text[start:end]
    if home := OWNED_HOME.match(text, end):
        return start, home.end(), Category.PLACE, home[0].removeprefix("的"), owner
    if lesson := CLASS.match(text, end):
        return start, lesson.end(), Category.FACT, lesson[0].removeprefix("的"), owner
    if fact := FACT_OF.match(text, end):
        calling = (
            text[:start].endswith(("给", "打")) and fact["fact"] in ("电话", "微信") and "的" not in fact[0]
        )
        if not calling:
            return start, fact.end(), Category.FACT, fact["fact"], owner
    return start, end, Category.PERSON, word, ""


def _group(text: str, index: int) -> _Span | None:
    match = GROUP.match(text, index)
    if not match or re.search("(?:建|创建|新建|加入)(?:一?个)?$", text[:index]):
        return None
    return index, match.end(), Category.GROUP, match[0], ""


def _place(text: str, index: int) -> _Span | None:
    match = MY_PLACE.match(text, index)
    if match:
        return index, match.end(), Category.PLACE, match["place"], ""
    match = PLACE.match(text, index)
    if not match or PLACE_TAIL.match(text, match.end()):
        return None
    if not match["mine"]:
        before = text[:index]
        others = before.endswith("的") and not re.search("(?:去|到|我|们)的$", before)
        anyone = re.search("(?:附近的|一所|一家|哪个|哪家|什么|这家|这所|个|些|所有)$", before)
        if others or anyone or not _is_standalone(text, index):
            return None
    return index, match.end(), Category.PLACE, match["place"], ""


def _home(text: str, index: int) -> _Span | None:
    match = HOME.match(text, index)
    if not match:
        return None
    end = match.end() - (1 if match[0].endswith("里") else 0)
    mine = match[0][0] != "家"
    if not mine and not BEFORE_HOME.search(text[:index]):
        return None
    if text[:index].endswith(("搬", "全", "大", "国", "专", "不在")):
        return None
    return index, end, Category.PLACE, "家", ""


def _fact(text: str, index: int) -> _Span | None:
    match = MY_FACT.match(text, index)
    if not match:
        return None
    return index, match.end(), Category.FACT, re.sub("^(?:我们?|自己|本人)的?", "", match[0]), ""


def _code(text: str, index: int) -> _Span | None:
    """“我的取件码”: a number or code by which something of the user's is had, written down somewhere."""
    match = MY_CODE.match(text, index)
    if not match:
        return None
    return index, match.end(), Category.FACT, re.sub("^(?:我们?|咱们?|自己|本人)的?", "", match[0]), ""


def _gathering(text: str, index: int) -> _Span | None:
    """“读书会开始的时间”: when something begins that the user goes to."""
    match = GATHERING.match(text, index)
    if not match or (index and not GATHERED.search(text[:index])):
        return None
    return index, match.end(), Category.TIME, match["head"], ""


def _network_key(text: str, index: int) -> _Span | None:
    match = NETWORK_KEY.match(text, index)
    return (index, match.end(), Category.FACT, "密码", "") if match else None


def _listed_fact(text: str, index: int) -> _Span | None:
    """What “my” goes on to in a list of facts: the number of “我的地址和手机号”."""
    match = LISTED_FACT.match(text, index)
    if not match or not LISTED.search(text[:index]):
        return None
    return index, match.end(), Category.FACT, match[0], ""


def _thing(text: str, index: int) -> _Span | None:
    if own := OWN_THING.match(text, index):
        return index, own.end(), Category.THING, own[0].removeprefix("自己"), ""
    match = MY_THING.match(text, index)
    if not match:
        return None
    end = _noun_end(text, match.end())
    head = text[match.end() : end]
    if (
        text.startswith(("播放列表", "歌单"), end)
        or not 0 < len(head) <= 8
        or DEVICE.match(head)
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

"""The patterns by which Chinese commands are read, over the word classes of `chinese_words`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.understand import chinese_words as words


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
    f"|(?P<short>(?:{any_of(['我', '我们', '咱', '咱们', '俺', '我家'])})(?:{any_of(words.SHORT_KIN)}))"
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

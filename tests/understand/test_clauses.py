"""Clauses by which things, places, people and days of the user's are told, and those that tell anybody's."""

from __future__ import annotations

from assistant.understand.perceive import perceive
from assistant.understand.types import Category
from tests.tables import each


@each(
    ("said", "text", "category"),
    [
        ("buy the kind of soap I usually use", "kind of soap I usually use", Category.HABIT),
        ("wake me at the time I normally wake up", "time I normally wake up", Category.TIME),
        ("alarm for the time my son gets up", "time my son gets up", Category.TIME),
        ("go on with the lesson I took last time", "lesson I took last time", Category.PAST),
        ("do the stretches I did yesterday", "stretches I did yesterday", Category.PAST),
        ("play my ironing podcast", "my ironing podcast", Category.HABIT),
        ("put on our breakfast music", "our breakfast music", Category.HABIT),
        ("wake me before book club starts", "before book club starts", Category.TIME),
        ("an alarm for the time my night shift ends", "time my night shift ends", Category.TIME),
        ("mute it at the start of orchestra rehearsal", "start of orchestra rehearsal", Category.TIME),
        ("an alarm before the end time of my shift", "end time of my shift", Category.TIME),
        ("bring me the bag before judo training", "before judo training", Category.TIME),
        ("weather in the village where my uncle works", "village where my uncle works", Category.PLACE),
        ("remind me the evening before the interview", "evening before the interview", Category.TIME),
        ("a reminder on the day of my brother's wedding", "day of my brother's wedding", Category.TIME),
        ("cook the soup grandma often makes", "soup grandma often makes", Category.HABIT),
        ("show the channel my wife follows", "channel my wife follows", Category.HABIT),
        ("navigate to the pool I swim in on Sundays", "pool I swim in on Sundays", Category.HABIT),
        ("order the same soup as last week", "same soup as last week", Category.PAST),
        ("check how full the bus I take is", "bus I take", Category.HABIT),
        ("pay the cleaner of my flat", "cleaner of my flat", Category.PERSON),
        ("tell the neighbor downstairs", "neighbor downstairs", Category.PERSON),
        ("the way from the hotel I reserved to the lake", "hotel I reserved", Category.PAST),
        ("读我没看完的那本小说", "我没看完的那本小说", Category.HABIT),
        ("发给隔壁的同学", "隔壁的同学", Category.PERSON),
        ("播放我最常听的歌单", "我最常听的歌单", Category.HABIT),
        ("看看我支持的车队排第几", "我支持的车队排第几", Category.HABIT),
        ("儿子面试前一天提醒我", "儿子面试前一天", Category.TIME),
        ("答辩当天早上叫我起床", "答辩当天早上", Category.TIME),
        ("打开我每周二上的网课", "我每周二上的网课", Category.HABIT),
        ("念一下我的取件码", "我的取件码", Category.FACT),
        ("把我的保单编号抄下来", "我的保单编号", Category.FACT),
        ("接着上昨天学的那节课", "昨天学的那节课", Category.PAST),
        ("六点半陶艺课开始前叫我", "陶艺课开始前", Category.TIME),
        ("看看读书会开始的时间", "读书会开始的时间", Category.TIME),
        ("问问前台今晚有没有空房", "前台", Category.PERSON),
        ("帮我联系物业", "物业", Category.PERSON),
        ("查一下物业的电话", "物业的电话", Category.FACT),
        ("打电话给教我开车的师傅", "教我开车的师傅", Category.PERSON),
    ],
)
def test_a_clause_of_the_users_is_one_element(said: str, text: str, category: Category) -> None:
    assert [(element.text, element.category) for element in perceive(said).elements] == [(text, category)]


@each(
    "said",
    [
        "find a cafe where people play chess",
        "read about the company where Turing worked",
        "search for the group that sings this",
        "remind me the day before Easter",
        "skip to the start of the chorus",
        "a note for the end of the month",
        "show me the end of the bed",
        "把雨伞留在前台",
        "去前台拿一下钥匙",
        "文件交给前台就行",
        "导航到物业",
        "share the clip I uploaded",
        "how does a man who lost his job pay rent",
        "search the best time to sow beans",
        "remind me when the show starts",
        "play a running song",
        "clear my remaining podcasts",
        "打开我的付款码",
        "切换我的账号",
        "新品发布会开始的时候提醒大家",
        "搜索婚礼前一天要注意什么",
        "搜索讲爷爷和孙子的电影",
        "看看元宵节前一周的车票",
    ],
)
def test_anybodys_clause_is_none(said: str) -> None:
    assert perceive(said).elements == ()

"""Words for people and places that every person has, in groups: "mother" and "妈妈" are the same one."""

from __future__ import annotations

from functools import cache

from assistant.memory.profile.nodes import normalised

PEOPLE = (
    ("mom", "mum", "mother", "mama", "mommy", "妈妈", "妈", "母亲", "老妈", "我妈"),
    ("dad", "father", "papa", "daddy", "爸爸", "爸", "父亲", "老爸", "我爸"),
    ("wife", "老婆", "妻子", "太太", "媳妇"),
    ("husband", "老公", "丈夫", "先生"),
    ("girlfriend", "女朋友", "女友"),
    ("boyfriend", "男朋友", "男友"),
    ("son", "儿子"),
    ("daughter", "女儿", "闺女"),
    ("older brother", "big brother", "elder brother", "哥哥", "哥"),
    ("younger brother", "little brother", "弟弟"),
    ("brother", "兄弟"),
    ("older sister", "big sister", "elder sister", "姐姐", "姐"),
    ("younger sister", "little sister", "妹妹"),
    ("sister", "姐妹"),
    ("grandma", "grandmother", "奶奶", "外婆", "姥姥"),
    ("grandpa", "grandfather", "爷爷", "外公", "姥爷"),
    ("aunt", "阿姨", "姑姑", "姨妈"),
    ("uncle", "叔叔", "舅舅"),
    ("cousin", "表哥", "表姐", "表弟", "表妹", "堂哥", "堂弟"),
    ("best friend", "closest friend", "最好的朋友", "闺蜜", "死党", "最铁的朋友"),
    ("friend", "朋友"),
    ("roommate", "flatmate", "室友"),
    ("colleague", "coworker", "同事"),
    ("boss", "manager", "supervisor", "老板", "领导", "经理"),
    ("assistant", "助理"),
    ("teacher", "老师"),
    ("class teacher", "班主任"),
    ("tutor", "advisor", "导师"),
    ("doctor", "医生", "大夫"),
    ("dentist", "牙医"),
    ("hairdresser", "barber", "理发师"),
    ("landlord", "房东"),
    ("coach", "trainer", "教练"),
    ("neighbor", "neighbour", "邻居"),
    ("classmate", "同学"),
    ("partner", "爱人", "对象"),
    ("cat", "猫"),
    ("dog", "狗"),
)
PLACES = (
    (
        "home",
        "home address",
        "house",
        "place",
        "flat",
        "apartment",
        "家",
        "家里",
        "住处",
        "家庭住址",
        "我家",
        "住的地方",
    ),
    ("office", "company", "work", "workplace", "公司", "办公室", "单位", "上班的地方", "工位"),
    ("school", "university", "college", "campus", "学校", "大学"),
    ("gym", "健身房"),
    ("hospital", "clinic", "医院", "诊所"),
    ("bank", "银行"),
    ("hometown", "老家", "家乡"),
    ("city", "城市"),
    ("library", "图书馆"),
    ("supermarket", "超市"),
    ("pharmacy", "药店"),
    ("kindergarten", "幼儿园"),
)


@cache
def _first_words() -> dict[str, str]:
    return {normalised(word): group[0] for group in (*PEOPLE, *PLACES) for word in group}


def same_one(words: str) -> str | None:
    """The first word of the group that some words belong to: "mother" and "妈妈" give "mom"."""
    return _first_words().get(normalised(words))

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant.embedding.models import TaggedSpan, Tagging
from assistant.understand.languages.patterns import load_patterns
from assistant.understand.perceive import asks_secret, exclude_secrets, perceive
from assistant.understand.types import Category, CommandLanguage, normalize_key
from assistant.understand.words import detect_language, mentions_any
from tests.growth import growth
from tests.tables import each

WORDS = [
    "my",
    "the",
    "usual",
    "mom",
    "home",
    "'s",
    "of",
    "i",
    "when",
    "class",
    "last",
    "time",
    "我",
    "的",
    "家",
    "最",
    "爱",
]


def found(said: str, *apps: str) -> list[tuple[str, Category]]:
    return [(element.text, element.category) for element in perceive(said, apps).elements]


@each(
    ("said", "text", "category"),
    [
        ("call my grandmother", "my grandmother", Category.PERSON),
        ("CALL MY SISTER IN LAW", "MY SISTER IN LAW", Category.PERSON),
        ("TAKE ME HOME", "HOME", Category.PLACE),
        ("Order My Usual Lunch", "My Usual Lunch", Category.HABIT),
        ("给儿子的老师发微信", "儿子的老师", Category.PERSON),
        ("text mom dinner is ready", "mom", Category.PERSON),
        ("send the file to WeChat friend", "WeChat friend", Category.PERSON),
        ("post it to the family group", "family group", Category.GROUP),
        ("drive to my sister's flat", "my sister's flat", Category.PLACE),
        ("text my flatmate im late", "my flatmate", Category.PERSON),
        ("how long from here to the office", "office", Category.PLACE),
        ("fill in my boss's email address", "my boss's email address", Category.FACT),
        ("the phone number of my landlord please", "phone number of my landlord", Category.FACT),
        ("get my usual cup of tea", "my usual cup of tea", Category.HABIT),
        ("open the most visited page", "most visited page", Category.HABIT),
        ("play the music I fall asleep to", "music I fall asleep to", Category.HABIT),
        ("buy the one from last time", "one from last time", Category.PAST),
        ("mute the phone when class starts", "when class starts", Category.TIME),
        ("check the insurance of my car", "my car", Category.THING),
        ("take the medicine my doctor prescribed", "medicine my doctor prescribed", Category.PAST),
        ("buy the paper my aunt reads", "paper my aunt reads", Category.HABIT),
        ("drive to where my uncle lives", "where my uncle lives", Category.PLACE),
        ("go on with the film I was watching", "film I was watching", Category.HABIT),
        ("answer the colleague who asked me", "colleague who asked me", Category.PERSON),
        ("enter my place of birth", "my place of birth", Category.THING),
        ("ask when my pharmacy opens", "my pharmacy", Category.PLACE),
        ("how far is the nursery", "nursery", Category.PLACE),
        ("type my wifi password", "my wifi password", Category.FACT),
        ("dim the light at my son's bedtime", "my son's bedtime", Category.TIME),
        ("打电话给我妈", "我妈", Category.PERSON),
        ("给邻居们发通知", "邻居们", Category.PERSON),
        ("查我姥姥那边的天气", "我姥姥那边", Category.PLACE),
        ("把我家wifi密码发过去", "我家wifi密码", Category.FACT),
        ("续订我老婆看的那本杂志", "我老婆看的那本杂志", Category.HABIT),
        ("要跟上次外卖一样的", "跟上次外卖一样的", Category.PAST),
        ("再买一副我游泳戴的那款眼镜", "我游泳戴的那款眼镜", Category.HABIT),
        ("导航去外婆的养老院", "外婆的养老院", Category.PLACE),
        ("儿子的钢琴课几点", "儿子的钢琴课", Category.FACT),
        ("给QQ好友发消息", "QQ好友", Category.PERSON),
        ("把通知发到业主群", "业主群", Category.GROUP),
        ("打车去奶奶家", "奶奶家", Category.PLACE),
        ("送到公司楼下", "公司", Category.PLACE),
        ("填一下爸爸的手机号", "爸爸的手机号", Category.FACT),
        ("订平时那家面馆", "平时那家面馆", Category.HABIT),
        ("约在老地方", "老地方", Category.HABIT),
        ("再买上次那个牌子", "上次那个牌子", Category.PAST),
        ("下班的时候打开空调", "下班的时候", Category.TIME),
    ],
)
def test_what_depends_on_the_user_is_found(said: str, text: str, category: Category) -> None:
    assert found(said) == [(text, category)]


@each(
    "said",
    [
        "Call Aunt Mary",
        "call Landlord He",
        "ask my friend Bob for the notes",
        "call my colleague Paul Ek on his mobile",
        "call the plumber at 555-0199",
        "dial the school 01632 960001",
        "打电话给前台 010 5555 0142",
        "set an alarm for 7:30 am",
        "navigate to 12 Park Street",
        'play "My Favorite Things"',
        "watch The Office",
        "buy a Mother's Day card",
        "who is the father of chemistry",
        "open the home screen",
        "accept the friend request",
        "find a dentist in Oslo",
        "show my alarms",
        "add a friend on QQ",
        "show my steps",
        "reset my password",
        "附近有没有律师",
        "查我的航班",
        "给王老师发微信",
        "打开朋友圈",
        "苹果公司的股价是多少",
        "播放《我最喜欢的歌》",
        "姚明的妻子是谁",
        "附近的学校有哪些",
        "删除我的闹钟",
        "",
        "???",
    ],
)
def test_what_is_explicit_is_left_alone(said: str) -> None:
    assert found(said) == []


@each(
    "said",
    [
        "text my boss Leo Marsh that my usual lunch was good",
        "message my friend Zoe Hart that my office moved",
        "ask my wife Lena Berg whether she ordered my usual lunch",
        "message my coach Marek Dvorak that my usual run was good",
    ],
)
def test_a_message_to_somebody_who_is_named_depends_on_nobody(said: str) -> None:
    start = said.casefold().find("my usual" if "usual" in said else "office")
    spans = (TaggedSpan(start, start + 8, "habit", 0.99),) if start >= 0 else ()
    assert perceive(said, (), Tagging(0.9, 0.9, spans)).elements == ()


@each(
    "said",
    [
        "问我妈何时回来",
        "给妈妈余款转过去",
        "问妈妈周末来不来",
        "给老婆方案发微信",
        "给妈妈马上打电话",
        "text my mom I am late",
        "tell my wife Monday is fine",
        "Call my sister Tomorrow",
    ],
)
def test_what_follows_a_person_is_no_name_if_it_is_none(said: str) -> None:
    assert found(said)[0][1] is Category.PERSON


def test_an_app_of_the_phone_is_a_name() -> None:
    assert found("open Family Link", "Family Link") == []
    assert found("open Home", "Home") == []
    assert found("take me home", "Home") == [("home", Category.PLACE)]


def test_a_label_that_is_a_plain_word_is_a_name_only_where_an_app_stands() -> None:
    assert found("play the music I fall asleep to", "Music") == [("music I fall asleep to", Category.HABIT)]
    assert found("play something in Music", "Music") == []


@each(
    ("said", "texts"),
    [
        ("send mum my address and my wifi password", ["mum", "my address", "my wifi password"]),
        ("give my boss my address and phone number", ["my boss", "my address", "phone number"]),
        ("show traffic between home and work", ["home", "work"]),
        ("把我的地址和手机号发给我妈", ["我的地址", "手机号", "我妈"]),
    ],
)
def test_several_elements_of_a_command_are_all_found(said: str, texts: list[str]) -> None:
    assert [text for text, _ in found(said)] == texts


def test_the_owner_alone_where_the_name_is_enough() -> None:
    assert found("like my friend's latest post") == [("my friend", Category.PERSON)]
    (number,) = perceive("copy my friend's phone number").elements
    assert (number.text, number.owner, number.head) == ("my friend's phone number", "my friend", "number")


def test_the_words_of_a_message_are_the_users_own() -> None:
    assert found("tell dad that I am at home") == [("dad", Category.PERSON)]
    assert found("告诉爸爸我到公司了") == [("爸爸", Category.PERSON)]


def test_offsets_point_into_the_command() -> None:
    said = "  Tell my boss, then call MOM."
    for element in perceive(said).elements:
        assert said[element.start : element.end] == element.text


def test_an_element_said_twice_is_one() -> None:
    perceived = perceive("call friend, then share the photo with my friend")
    assert len(perceived.elements) == 2
    assert [element.text for element in perceived.distinct] == ["friend"]


def test_keys_ignore_case_articles_possessives_and_number() -> None:
    assert normalize_key("My Best Friends") == normalize_key("the best friend")
    assert normalize_key("our dishes") == normalize_key("dish")
    assert normalize_key("我的公司") == normalize_key("公司")
    assert normalize_key("my") == "my"
    assert normalize_key("friend's number") != normalize_key("number")


@each("several", ("olives", "gloves", "drives", "houses"))
def test_the_plural_of_a_word_in_e_only_adds_an_s(several: str) -> None:
    assert normalize_key(several) == several.removesuffix("s")
    assert mentions_any(f"cancel the {several} one", [several.removesuffix("s")])


@each(
    "one, several",
    [("knife", "knives"), ("shelf", "shelves"), ("bus", "buses"), ("movie", "movies"), ("dish", "dishes")],
)
def test_one_of_a_thing_has_the_key_of_several_and_is_mentioned_by_them(one: str, several: str) -> None:
    assert normalize_key(several) == one
    assert mentions_any(f"cancel the {several} one", [one])
    assert mentions_any(f"cancel the {one} one", [several])


def test_the_language_is_that_of_most_of_the_text() -> None:
    assert detect_language("打开 Spotify 播放歌曲") is CommandLanguage.ZH
    assert detect_language("navigate to 北京 station") is CommandLanguage.EN


@given(st.text(max_size=200))
def test_any_text_is_read(said: str) -> None:
    elements = perceive(said, ("Mail", "音乐")).elements
    assert all(said[element.start : element.end] == element.text != "" for element in elements)
    assert all(element.end <= other.start for element, other in pairwise(elements))


@given(st.lists(st.sampled_from(WORDS)))
def test_any_words_in_any_order_are_read(words: list[str]) -> None:
    elements = perceive(" ".join(words)).elements
    assert all(element.end <= other.start for element, other in pairwise(elements))


def test_a_pasted_text_takes_time_by_its_length_and_not_its_square() -> None:
    assert growth(perceive, "my mom's usual " * 1_000, "my mom's usual " * 4_000) < 9


@each(
    ("command", "people"),
    [
        ("给妈弹个视频", ["妈"]),
        ("给哥发微信说到了", ["哥"]),
        ("给老板娘说堵车 晚到十分钟", ["老板娘"]),
        ("给哥伦布发邮件", []),
        ("给奶茶店打电话", []),
    ],
)
def test_a_chinese_word_for_kin_alone_is_a_person_where_one_is_addressed(
    command: str, people: list[str]
) -> None:
    assert [element.text for element in perceive(command).elements] == people


@each(
    "example",
    [pattern.example for code in ("en", "zh") for pattern in load_patterns(code).patterns],
)
def test_each_pattern_finds_its_example(example: str) -> None:
    before, _, rest = example.partition("[")
    marked, _, behind = rest.partition("]")
    texts = [element.text for element in perceive(before + marked + behind).elements]
    assert (marked in texts) if marked else not texts


@each(
    "command",
    [
        "open /data/home/notes.txt",
        "delete home_5/store and g_home5",
        "download home.zip",
        "write to me@home.org",
        "go to https://home.example.com/mom",
        "open C:\\home\\mom",
        "打开/sdcard/公司/报表.txt",
        "把mom.jpg发到群里",
    ],
)
def test_nothing_is_filled_into_a_path_or_an_address(command: str) -> None:
    assert not perceive(command).elements


@each(
    ("command", "text"),
    [
        ("take me home.", "home"),
        ("navigate home, please", "home"),
        ("text mom: see www.example.com", "mom"),
        ("导航回家", "家"),
        ("wait...call mom", "mom"),
    ],
)
def test_what_stands_beside_other_signs_is_filled_in(command: str, text: str) -> None:
    assert text in [element.text for element in perceive(command).elements]


@each(
    "line",
    ["whats my wifi password", "tell me my wifi password", "what's my locker code", "我家的门禁密码是什么"],
)
def test_a_question_for_a_password_asks_for_a_secret(line: str) -> None:
    assert asks_secret(line)
    assert not exclude_secrets(perceive(line)).elements


@each(
    "line",
    ["change my wifi password", "what's my address", "send my wifi password to lily", "我的生日是哪天"],
)
def test_what_is_to_be_done_with_a_password_asks_for_none(line: str) -> None:
    assert not asks_secret(line)


@each(
    ("line", "people"),
    [
        ("tell my sister and dad dinner's at ours", ["my sister", "dad"]),
        ("tell my sister, mom and dad hi", ["my sister", "mom", "dad"]),
        ("call my boss and book a table", ["my boss"]),
    ],
)
def test_relatives_joined_to_somebody_are_people_too(line: str, people: list[str]) -> None:
    assert [element.text for element in perceive(line).elements] == people


@each(
    ("said", "elements"),
    [
        ("look up the number of Dad in Contacts", [("Dad", Category.PERSON)]),
        ("find my dad's number in Contacts and copy it", [("my dad", Category.PERSON)]),
        ("open Contacts and find my dad's number", [("my dad", Category.PERSON)]),
        ("查一下通讯录里爸爸的电话", [("爸爸", Category.PERSON)]),
        ("在通讯录查爸爸的电话，发给妈妈", [("爸爸", Category.PERSON), ("妈妈", Category.PERSON)]),
        ("find my wifi password in Notes", []),
        ("find my dad's number", [("my dad's number", Category.FACT)]),
        ("save my dad's number in Contacts", [("my dad's number", Category.FACT)]),
        ("find my dad's number in the drawer", [("my dad's number", Category.FACT)]),
    ],
)
def test_a_fact_that_is_looked_up_in_an_app_is_left_to_it(
    said: str, elements: list[tuple[str, Category]]
) -> None:
    assert found(said, "Contacts", "通讯录", "Notes") == elements


@each(
    ("said", "who"),
    [
        ("order them 2 hours earlier", []),
        ("order them a day earlier", []),
        ("get them two more", []),
        ("tell them apart", []),
        ("get them some flowers", ["them"]),
        ("get her two coffees", ["her"]),
        ("tell them I'm late", ["them"]),
        ("那就给她打电话", ["她"]),
    ],
)
def test_a_pronoun_is_somebody_only_where_something_is_for_them(said: str, who: list[str]) -> None:
    assert [text for text, category in found(said) if category is Category.PERSON] == who


def test_words_that_open_a_command_are_read_in_little_time() -> None:
    assert growth(perceive, "那就" * 6 + "x", "那就" * 24 + "x") < 9


@each(
    ("command", "people"),
    [
        ("dentist thursday 3pm in my calender, n an alarm an hour before", []),
        ("put dentist at 4 in the calendar", []),
        ("remind me of the dentist at 4", []),
        ("0? put it at 80 then or ill miss the dentist", []),
        ("牙医周四下午三点加到日历", []),
        ("remind me to call the dentist", ["dentist"]),
        ("get me a ride to the dentist", ["dentist"]),
        ("set an alarm and text mom", ["mom"]),
        ("add breakfast with my sister to the calendar", ["my sister"]),
        ("mom 50 yuan", ["mom"]),
        ("提醒我给妈妈打电话", ["妈妈"]),
        ("remind my wife to buy milk", ["my wife"]),
        ("remind Dad about the meeting", ["Dad"]),
        ("add my wife to the calendar event", ["my wife"]),
        ("add dentist at 4 to the calendar", []),
        ("提醒我老婆买牛奶", ["我老婆"]),
    ],
)
def test_somebody_is_meant_where_they_are_addressed_not_where_they_are_a_title(
    command: str, people: list[str]
) -> None:
    assert [element.text for element in perceive(command).elements] == people

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.memory.profile.extract import extract_facts, mentions_secret
from assistant.memory.profile.statements import (
    find_statement_problem,
    is_statement,
    read_stated_facts,
    read_statement,
    write_statement,
)
from assistant.records import Record
from tests.tables import each

FOOD = "Ordering food"


def record_of(said: str) -> Record:
    return Record(id="r", user_id="me", time=datetime(2026, 3, 1, tzinfo=UTC), instruction=said, said=said)


def told(text: str) -> list[tuple[str, str, str]]:
    return [(fact.entity, fact.key, fact.text) for fact in read_statement(text)]


@each(
    ("text", "facts"),
    [
        (
            "my sister is Wanjiru, she lives in Kilimani",
            [("sister", "name", "Wanjiru"), ("sister", "address", "Kilimani")],
        ),
        ("我妈妈叫李秀英", [("mom", "name", "李秀英")]),
        (
            "My sister Paula lives at Birch Lane 22",
            [("sister", "name", "Paula"), ("sister", "address", "Birch Lane 22")],
        ),
        (
            "my brother, Tim, is allergic to nuts",
            [("brother", "name", "Tim"), ("brother", "allergic to", "nuts")],
        ),
        (
            "My landlord Mr Brandt's email is brandt@post.de",
            [("landlord", "name", "Mr Brandt"), ("landlord", "email", "brandt@post.de")],
        ),
        (
            "My sister is called Paula and lives at Birch Lane 22",
            [("sister", "name", "Paula"), ("sister", "address", "Birch Lane 22")],
        ),
        ("My neighbour is called jo", [("neighbor", "name", "jo")]),
        ("my gym is at 24", [("gym", "address", "24")]),
        ("my stop is at 12", [("stop", "address", "12")]),
        ("my meeting is at 3", [("meeting", "is", "3")]),
        ("Anju's birthday is on 2nd December.", [("Anju", "birthday", "2nd December")]),
        ("I am allergic to brinjal, don't forget.", [(FOOD, "allergic to", "brinjal")]),
        ("I can't eat shellfish or nuts", [(FOOD, "avoid", "shellfish"), (FOOD, "avoid", "nuts")]),
        ("Tadhg's allergic to amoxicillin, put that down", [("Tadhg", "allergic to", "amoxicillin")]),
        ("阿凯的生日是三月十九", [("阿凯", "生日", "三月十九")]),
        ("我不吃葱和香菜", [(FOOD, "avoid", "葱"), (FOOD, "avoid", "香菜")]),
        ("My employee number is 58213", [("employee number", "is", "58213")]),
        ("I live at 12 Rose Lane", [("home", "address", "12 Rose Lane")]),
        ("My dentist is Dr. Okafor.", [("dentist", "name", "Dr. Okafor")]),
        ("the husband is Tomo", [("husband", "name", "Tomo")]),
        ("lena is my cousin", [("cousin", "name", "lena")]),
        ("locker number is B 17", [("locker number", "is", "B 17")]),
        ("the number on my meter is 88 214 now", [("number", "is", "88 214")]),
    ],
)
def test_what_has_a_form_becomes_a_value(text: str, facts: list[tuple[str, str, str]]) -> None:
    assert told(text) == facts


@each(
    ("text", "entity"),
    [
        ("Selvi comes at seven, except on Sundays.", "Selvi"),
        ("Key for the drugs press is behind the kettle", "Key for the drugs press"),
        ("my mum is deaf", "mom"),
        ("it is 5 o'clock", "it is 5 o'clock"),
        ("she is my sister", "she is my sister"),
        ("我妈有高血压 聊天别吓她", "mom"),
        ("我女儿在实验小学上学", "daughter"),
    ],
)
def test_what_fits_no_form_is_a_note_on_whom_it_is_about(text: str, entity: str) -> None:
    assert told(text) == [(entity, "note", text.rstrip("."))]


@each(
    "text",
    [
        "Meine Schwester heißt Anna",
        "mi hermana vive en Sevilla",
        "姉の名前は花子です",
        "mon médecin c'est Dupont",
        "妹は東京に住んでいます",
    ],
)
def test_a_sentence_in_another_language_is_kept_as_it_is(text: str) -> None:
    ((_entity, key, kept),) = told(text)
    assert (key, kept) == ("note", text)


@each(
    "text",
    [
        "My wife Usually is allergic to nuts",
        "我妈高血压对盐过敏",
        "我爸万一对海鲜过敏",
    ],
)
def test_what_is_no_name_names_nobody(text: str) -> None:
    assert not [fact for fact in told(text) if fact[1] == "name"]


def test_a_name_beside_something_else_is_read_and_the_rest_is_kept() -> None:
    text = "Revathi means my sister only, the other one is bank Revathi"
    assert told(text) == [("sister", "name", "Revathi"), ("Revathi", "note", text)]
    text = "我女儿小雨在实验小学上学"
    assert told(text) == [("daughter", "name", "小雨"), ("daughter", "note", text)]


@each(
    ("text", "facts"),
    [
        ("I'm allergic to nuts, Ben isn't", {("", "nuts")}),
        ("i'm alergic to nuts but ben isnt", {("", "nuts")}),
        ("I'm allergic to cats, my son isn't", {("", "cats")}),
        ("Lena is allergic to bees, not me", {("Lena", "bees")}),
        ("it's my son who is allergic to bees, not me", {("son", "bees")}),
        ("I hate mushrooms and Dave is allergic to nuts", {("Dave", "nuts")}),
        ("I'm allergic to nuts and prawns and Dave isn't", {("", "nuts"), ("", "prawns")}),
        ("I'm allergic to nuts, prawns and my son isn't", {("", "nuts"), ("", "prawns")}),
        ("Tom is allergic to nuts; so am I", {("Tom", "nuts"), ("", "nuts")}),
        ("Anna and Tom are allergic to nuts", {("Anna", "nuts"), ("Tom", "nuts")}),
        ("my son is allergic to nuts and my daughter to eggs", {("son", "nuts"), ("daughter", "eggs")}),
        ("my dad can't eat gluten, I can", {("dad", "gluten")}),
        ("I don't eat pork, neither does Dave", {("", "pork"), ("Dave", "pork")}),
        ("my wife and Tom can't eat nuts", {("wife", "nuts"), ("Tom", "nuts")}),
        ("I'm allergic to nuts but not almonds", {("", "nuts")}),
        ("我对芒果过敏，女儿对花生过敏", {("", "芒果"), ("daughter", "花生")}),
        ("我对芒果过敏,女儿不过敏", {("", "芒果")}),
        ("女儿对鸡蛋过敏，儿子也是，我没有", {("daughter", "鸡蛋"), ("son", "鸡蛋")}),
        ("对芒果过敏的是我女儿，不是我", {("daughter", "芒果")}),
        ("我不吃香菜，老公能吃", {("", "香菜")}),
        ("我不吃香菜但我老公吃", {("", "香菜")}),
        ("我对芒果过敏而女儿对花生过敏", {("", "芒果"), ("daughter", "花生")}),
        ("Ben has a severe peanut allergy, I don't", {("Ben", "peanut")}),
        ("I have a soy allergy but my wife has an egg allergy", {("", "soy"), ("wife", "egg")}),
        ("Ben has a food allergy", set()),
        ("女儿对花生不过敏", set()),
    ],
)
def test_each_clause_is_read_for_whom_it_is_said_of(text: str, facts: set[tuple[str, str]]) -> None:
    read = read_statement(text)
    kept = {
        (fact.entity if fact.concept == "People" else "", fact.text) for fact in read if fact.key != "note"
    }
    assert kept == facts
    assert not facts or is_statement(text) or "almonds" in text or "prawns" in text


@each(
    ("text", "whom", "note"),
    [
        ("I'm allergic to nuts, Ben isn't", "Ben", "Ben is not allergic to nuts"),
        ("my dad can't eat gluten, my mom can", "mom", "my mom can eat gluten"),
        ("我对花生过敏，女儿没有", "daughter", "女儿对花生不过敏"),
    ],
)
def test_what_is_denied_of_somebody_is_a_note_on_them(text: str, whom: str, note: str) -> None:
    assert (whom, "note", note) in told(text)


@each(
    ("text", "who", "name", "fact"),
    [
        ("我老公建国不吃香菜", "husband", "建国", ("avoid", "香菜")),
        ("我妈桂芳一直对青霉素过敏", "mom", "桂芳", ("allergic to", "青霉素")),
        ("我老公李强不吃辣", "husband", "李强", ("avoid", "辣")),
        ("我爸建军住在杭州", "dad", "建军", ("address", "杭州")),
        ("my husband Dave doesn't eat coriander", "husband", "Dave", ("avoid", "coriander")),
    ],
)
def test_a_name_beside_a_relation_is_read_before_what_is_told(
    text: str, who: str, name: str, fact: tuple[str, str]
) -> None:
    assert told(text) == [(who, "name", name), (who, *fact)]


@each(
    "text",
    ["我妈昨天不吃饭", "我老公早饭不吃鸡蛋", "我爸从小不吃羊肉", "我妹妹怀孕不能吃生鱼", "我老公平时不吃辣"],
)
def test_words_of_time_and_state_are_no_names(text: str) -> None:
    assert not [fact for fact in told(text) if fact[1] == "name"]


@each(
    ("text", "problem"),
    [
        ("The alarm code at the practice is 2290", "secret"),
        ("店里的门禁密码 4706", "secret"),
        ("my card is 4111 1111 1111 1111", "secret"),
        ("where do I live?", "question"),
        ("...", "empty"),
        ("word " * 40, "long"),
        ("my sister is Wanjiru", ""),
    ],
)
def test_what_is_not_kept_says_why(text: str, problem: str) -> None:
    assert find_statement_problem(text, mentions_secret) == problem


@each(
    "text",
    [
        "my sister is called Wanjiru",
        "my sister lives at Kilimani",
        "Selvi comes at seven",
        "我妈妈叫李秀英",
        "I live at 12 Rose Lane",
        "I am allergic to peanuts",
        "阿凯的生日是三月十九",
    ],
)
def test_a_fact_is_written_as_the_sentence_that_told_it(text: str) -> None:
    ((entity, key, value),) = told(text)
    assert write_statement(entity, key, value) == text


_WORDS = st.text("abc Z你好1,.:'·", min_size=1, max_size=20).map(
    lambda text: " ".join(text.split()).strip(" .·:,'")
)


@settings(max_examples=60, deadline=None)
@given(_WORDS.filter(bool), st.sampled_from(["name", "is", "address", "taste"]), _WORDS.filter(bool))
def test_what_is_written_is_read_as_the_same_fact(entity: str, key: str, value: str) -> None:
    if "·" in entity + value:
        return
    assert (entity, key, value) in told(write_statement(entity, key, value))


def stated(said: str) -> list[tuple[str, str, str]]:
    record = Record(id="r", user_id="me", time=datetime(2026, 3, 9, tzinfo=UTC), said=said, instruction=said)
    return [(fact.entity, fact.key, fact.text) for fact in read_stated_facts(record)]


@each(
    ("said", "facts"),
    [
        ("my wife's number is 07700 900123, call her", [("wife", "phone", "07700 900123")]),
        ("我对芒果过敏 点个蛋糕", [(FOOD, "allergic to", "芒果")]),
        ("Order a curry, my sister lives at 4 Elm Close", [("sister", "address", "4 Elm Close")]),
        ("my boss is Tom Reed, text him", [("boss", "name", "Tom Reed")]),
        ("my order is late, call them", []),
        ("set an alarm, my son's coat is dirty", []),
        ("text mum that my sister is Ann", []),
        ('message Jo "my boss is Tom Reed"', []),
    ],
)
def test_what_is_stated_beside_a_command_is_read_if_it_lasts(
    said: str, facts: list[tuple[str, str, str]]
) -> None:
    assert stated(said) == facts


@each(
    ("said", "told"),
    [
        ("shellfish makes me ill", ("avoid", "shellfish")),
        ("I'm lactose intolerant", ("avoid", "lactose")),
        ("I don't drink alcohol", ("avoid", "alcohol")),
        ("I can't have dairy", ("avoid", "dairy")),
        ("I don't touch raw fish", ("avoid", "raw fish")),
        ("eating mussels gives me a rash", ("avoid", "mussels")),
        ("my doctor is Dr. Halloran", ("name", "Dr. Halloran")),
        ("my shoe size is 43", ("is", "43")),
        ("my trouser size is 32", ("is", "32")),
        ("our T-shirt size is XL", ("is", "XL")),
        ("my birthday is 3 May", ("is", "3 May")),
        ("我吃花生会过敏", ("avoid", "花生")),
        ("我的鞋码是42", ("is", "42")),
    ],
)
def test_a_line_that_only_tells_something(said: str, told: tuple[str, str]) -> None:
    assert is_statement(said)
    assert [(fact.key, fact.text) for fact in read_stated_facts(record_of(said))] == [told]


@each(
    "said",
    [
        "my battery is low",
        "ask my landlord Mr Brandt about the heating",
        "text Ana “I can't eat shellfish”",
        "what can't I eat?",
        "我姐夫叫什么来着",
        "告诉妈妈我不吃晚饭了",
        "my boss makes me sick",
        "work makes me sick",
        "the traffic gives me hives",
        "driving makes me ill",
        "I can't touch the screen",
        "I don't touch the settings",
        "I can't have my phone ringing",
        "I can't have visitors",
        "I can't tolerate noise",
        "I am very intolerant",
        "my font size is too small",
        "my screen size is 6 inches",
        "my shoe size is too small",
        "my shoe size is way too large",
        "my birthday is when?",
        "my birthday is 3 May?",
        "我的生日是什么时候？",
        "我的鞋码是多少",
    ],
)
def test_a_line_that_asks_commands_or_soon_ends_tells_nothing(said: str) -> None:
    assert not is_statement(said)


@each(
    ("said", "facts"),
    [
        ("my grandpa is allergic to bee pollen", [("grandpa", "allergic to", "bee pollen")]),
        ("my boyfriend can't stand coriander", [("boyfriend", "avoid", "coriander")]),
        ("Priya is allergic to walnuts", [("Priya", "allergic to", "walnuts")]),
        ("our landlord doesn't drink milk", [("landlord", "avoid", "milk")]),
        ("我奶奶对虾过敏", [("grandma", "allergic to", "虾")]),
        ("我老公花生过敏", [("husband", "allergic to", "花生")]),
        ("小张不吃羊肉", [("小张", "avoid", "羊肉")]),
        (
            "我和我姐都对芒果过敏",
            [("Ordering food", "allergic to", "芒果"), ("older sister", "allergic to", "芒果")],
        ),
        ("my uncle is vegan", [("uncle", "note", "my uncle is vegan")]),
        ("我妹妹喜欢吃榴莲", [("younger sister", "note", "我妹妹喜欢吃榴莲")]),
    ],
)
def test_what_is_told_of_others_stays_theirs(said: str, facts: list[tuple[str, str, str]]) -> None:
    assert is_statement(said)
    assert told(said) == facts


@each(
    "said",
    [
        "she is allergic to nuts",
        "他对花生过敏",
        "order a cake for my aunt, she can't eat eggs",
        "order noodles for my brother without coriander",
        "给我外婆点碗面，她不吃辣",
        "the waiter is allergic to nuts",
        "I'm not allergic to peanuts",
    ],
)
def test_nothing_said_of_others_is_taken_for_the_users(said: str) -> None:
    facts = [*extract_facts(record_of(said)), *read_stated_facts(record_of(said))]
    assert not [fact for fact in facts if fact.concept == "Food"]


@each(
    ("said", "place"),
    [
        ("I live at 9 Mill Lane now", "9 Mill Lane"),
        ("I moved, I live at 9 Mill Lane now", "9 Mill Lane"),
        ("our new address is 9 Mill Lane", "9 Mill Lane"),
        ("we've just moved to 9 Mill Lane", "9 Mill Lane"),
        ("我搬家了，现在住在柳园3幢", "柳园3幢"),
        ("我的新地址是柳园3幢", "柳园3幢"),
        ("我已经搬到柳园3幢了", "柳园3幢"),
    ],
)
def test_a_new_address_is_a_fact(said: str, place: str) -> None:
    assert is_statement(said)
    assert [(fact.entity, fact.key, fact.text) for fact in read_statement(said)] == [
        ("home", "address", place)
    ]


@each("said", ["打开蓝牙", "switch on dark mode", "set the wallpaper to green", "买红枣"])
def test_a_setting_or_a_part_of_a_word_is_no_taste(said: str) -> None:
    assert not [fact for fact in extract_facts(record_of(said)) if fact.concept == "Shopping"]


@each(
    ("said", "facts"),
    [
        ("im allergic to shellfish btw", [("allergic to", "shellfish")]),
        ("I can't eat gluten, just fyi", [("avoid", "gluten")]),
        ("by the way my shoe size is 43", [("is", "43")]),
        ("my wife is Anna lol", [("name", "Anna")]),
        ("we live at 12 Elm Street now, by the way", [("address", "12 Elm Street")]),
        ("顺便说一下，我对虾过敏哦", [("allergic to", "虾")]),
        ("my favourite band is Please", [("is", "Please")]),
        ("my brother is Lalo", [("name", "Lalo")]),
        (
            "my cousin is called Hugo btw, and my niece Iris is allergic to eggs",
            [("name", "Hugo"), ("name", "Iris"), ("allergic to", "eggs")],
        ),
        ("my uncle btw is called Karl Meyer", [("name", "Karl Meyer")]),
        ("my uncle is called Karl tho", [("name", "Karl")]),
        ("my uncle's name is Karl lol and my aunt's name is Rosa haha", [("name", "Karl"), ("name", "Rosa")]),
        ("I have a cousin called Hugo fyi", [("name", "Hugo")]),
        ("my parrot is called lol", [("name", "lol")]),
        ("my tutor is called Ha", [("name", "Ha")]),
        ("我哥哥叫陈刚哈", [("name", "陈刚")]),
        ("我姐姐叫刘敏呀，我妈妈叫孙丽哈哈", [("name", "刘敏"), ("name", "孙丽")]),
        ("我妹妹叫赵小雅", [("name", "赵小雅")]),
        ("new address is 3 Pine Road", [("address", "3 Pine Road")]),
        ("我们搬家了，新地址是松树街3号", [("address", "松树街3号")]),
        ("we moved to 3 Pine Road last month", [("address", "3 Pine Road")]),
        ("we moved to 3 Pine Road two weeks ago", [("address", "3 Pine Road")]),
        ("my trainer is now called Vera", [("name", "Vera")]),
        ("婷婷不能吃虾", [("avoid", "虾")]),
        ("my new number is 070 5550 1188", [("is", "070 5550 1188")]),
        ("I changed my email, it's kim@mail.example", [("is", "kim@mail.example")]),
    ],
)
def test_an_aside_is_no_part_of_what_is_told(said: str, facts: list[tuple[str, str]]) -> None:
    assert [(fact.key, fact.text) for fact in read_statement(said)] == facts

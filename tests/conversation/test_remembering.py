"""What the conversation is told to remember, what undo takes back, and what is forgotten."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assistant.conversation.remembering import OrderRule, read_facts, read_rule
from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation
from assistant.conversation.setting_changes import split_remembered
from assistant.memory.profile.edits import GraphDraft
from assistant.memory.profile.extract import ExtractedFact, draft_facts
from assistant.memory.profile.graph import ALLERGY, Evidence
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.service import LazyProfile
from assistant.memory.profile.statements import read_statement
from assistant.memory.store import Store, open_store
from assistant.memory_view.service import MemoryView
from assistant.settings.schema import Settings
from assistant.understand.memory_sources import NoEmbedder
from tests.tables import each

from .past import NOW, RECORDS, ask, make_conversation, record


@pytest.mark.parametrize(
    ("said", "question", "words"),
    [
        (
            "remember that I am allergic to peanuts and shrimp",
            "what am I allergic to?",
            ("peanuts", "shrimp"),
        ),
        ("remember that my boss is Wang Lei", "who is my boss?", ("Wang Lei",)),
        ("remember that I live at 5 Elm Street", "where do I live?", ("5 Elm Street",)),
        ("记住我对花生过敏", "我对什么过敏？", ("花生",)),
    ],
)
def test_what_was_said_is_remembered_until_it_is_undone(
    conversation: Conversation, said: str, question: str, words: tuple[str, ...]
) -> None:
    assert ask(conversation, said).is_answered
    reply = ask(conversation, question)
    assert all(word in reply.text for word in words)
    ask(conversation, "undo")
    assert not ask(conversation, question).is_answered


@pytest.mark.parametrize(
    ("said", "answers", "denied"),
    [
        (
            "I'm allergic to cats, my son isn't",
            {"what am I allergic to?": "cats"},
            {"我儿子对什么过敏?": "过敏："},
        ),
        (
            "Lena is allergic to bees, not me",
            {"what is Lena allergic to?": "bees"},
            {"what am I allergic to": "bees"},
        ),
        (
            "我对芒果过敏，女儿对花生过敏",
            {"我对什么过敏?": "芒果", "女儿对什么过敏？": "花生", "what is my daughter allergic to?": "花生"},
            {"我对什么过敏?": "花生", "女儿对什么过敏?": "芒果"},
        ),
        (
            "我老公建国不吃香菜,记一下",
            {"建国不吃什么?": "香菜", "我老公不吃什么": "香菜", "老公不吃什么": "香菜"},
            {},
        ),
        (
            "my husband Dave doesn't eat coriander",
            {"what does Dave not eat?": "coriander", "what doesn't my husband eat?": "coriander"},
            {"what am I allergic to?": "coriander"},
        ),
        ("I hate mushrooms and Dave is allergic to nuts", {"is Dave allergic to nuts?": "nuts"}, {}),
        (
            "neither my brother nor I eat beef",
            {"what does my brother not eat?": "beef", "what do you know about me": "beef"},
            {},
        ),
        (
            "我儿子叫乐乐，对牛奶过敏",
            {"我儿子对什么过敏?": "牛奶", "我儿子叫什么?": "乐乐"},
            {"我对什么过敏?": "牛奶"},
        ),
        (
            "我妈叫王芳，不吃羊肉",
            {"我妈不吃什么?": "羊肉", "我妈叫什么?": "王芳"},
            {"我对什么过敏?": "羊肉"},
        ),
        (
            "I'm gluten intolerant, my husband isn't",
            {"what do you know about me": "gluten"},
            {"what does my husband not eat?": "gluten ·"},
        ),
        ("my sister is a vegan, I'm not", {"what do you know about my sister": "vegan"}, {}),
        ("I hate olives", {"what do you know about me": "olives"}, {}),
        ("btw im vegetarian since last week", {"what do you know about me": "vegetarian"}, {}),
        ("我女朋友叫小雨 她生日是十二月三号", {"我女朋友啥时候过生日来着": "十二月三号"}, {}),
        ("我讨厌吃芹菜", {"你知道我的什么": "芹菜"}, {}),
    ],
)
def test_what_is_told_of_several_is_answered_of_each(
    conversation: Conversation, said: str, answers: dict[str, str], denied: dict[str, str]
) -> None:
    assert route(said).kind is RouteKind.REMEMBER
    assert ask(conversation, said).is_answered
    for question, words in answers.items():
        assert words in ask(conversation, question).text, question
    for question, words in denied.items():
        assert words not in ask(conversation, question).text, question


@pytest.mark.parametrize(
    "said",
    ["remember Tom can't stand coriander", "don't forget Leo is vegetarian", "note Anna drinks oat milk"],
)
def test_what_is_told_of_somebody_is_remembered_without_that(conversation: Conversation, said: str) -> None:
    assert route(said).kind is RouteKind.REMEMBER
    assert ask(conversation, said).is_answered


@each(
    "said",
    ["remember the milk", "remember to call mom", "remember how Tom likes it", "note the meeting at 5"],
)
def test_what_is_to_be_done_is_no_fact(said: str) -> None:
    assert route(said).kind is not RouteKind.REMEMBER


def test_what_was_hidden_and_is_told_again_is_used_again(conversation: Conversation) -> None:
    profile = conversation._profile()
    ask(conversation, "remember that I live at 1 Oak Road")
    (held,) = (fact.value for fact in profile.facts() if fact.value.text == "1 Oak Road")
    profile.hide_value(held.id)
    assert not ask(conversation, "where do I live?").is_answered
    ask(conversation, "remember that I live at 1 Oak Road")
    assert "1 Oak Road" in ask(conversation, "where do I live?").text


@pytest.mark.parametrize(
    ("taught", "word", "value"),
    [
        ("after work means 6 30pm", "after work", "6:30pm"),
        ("remember that after work means 6:30pm", "after work", "6:30pm"),
        ("下班后是指6点半", "下班后", "6点半"),
        ("my boss means Doctor Gao", "boss", "Doctor Gao"),
        ("老板指的是李娜", "上司", "李娜"),
    ],
)
def test_a_line_teaches_what_a_word_means(
    conversation: Conversation, taught: str, word: str, value: str
) -> None:
    reply = ask(conversation, taught)
    assert reply.is_answered
    assert word in reply.text
    assert value in reply.text


@pytest.mark.parametrize("taught", ["remember that her means my mom", "她指的是我妈"])
def test_a_word_for_anybody_is_taught_nobody(conversation: Conversation, store: Store, taught: str) -> None:
    before = store.audit.lines(50)
    assert not ask(conversation, taught).is_answered
    assert store.audit.lines(50) == before


def test_a_password_is_not_remembered(conversation: Conversation) -> None:
    assert not ask(conversation, "remember that my password is hunter2").is_answered


@pytest.mark.parametrize(
    ("said", "kept", "dropped", "question"),
    [
        ("I'm vegetarian now, forget the peanut thing", "vegetarian", "peanut", "what do you know about me"),
        ("我现在吃素，花生那条删了", "吃素", "花生", "你知道我的什么"),
    ],
)
def test_a_second_wish_beside_what_to_remember_is_no_part_of_the_fact(
    conversation: Conversation, said: str, kept: str, dropped: str, question: str
) -> None:
    remembered, wish = split_remembered(said)
    assert wish is not None
    assert (wish.kind, wish.rest) == (RouteKind.FORGET, dropped)
    assert dropped not in remembered
    reply = conversation.reply(Route(RouteKind.REMEMBER, said, rest=said))
    # The second wish is answered, too: in this memory that nothing can be looked for.
    assert kept in reply.text
    assert "embedding model" in reply.text or "向量模型" in reply.text
    known = ask(conversation, question).text
    assert kept in known
    assert dropped not in known


def test_what_to_remember_may_have_several_clauses() -> None:
    for said in ("my boss is Wang Lei, he is never late", "我对花生过敏，以后点东西都注意"):
        assert split_remembered(said) == (said, None)


def test_to_forget_needs_the_word_itself_and_deletes_nothing(
    conversation: Conversation, store: Store
) -> None:
    store.records.add([record(4, 12, "Order tomato soup"), record(4, 20, "Call Tom")])
    told = conversation.reply(route("please delete everything you know about Tom")).text
    assert "“Tom”: 1 in records" in told
    assert "--yes" in told
    assert not conversation.reply(route("把关于小王的都忘掉")).is_answered
    assert store.records.count() == len(RECORDS) + 2


@pytest.mark.parametrize(
    ("told", "line", "words"),
    [
        ("我对海鲜过敏", "忘记我对海鲜过敏", "海鲜"),
        ("我女朋友的生日是十二月三号", "忘记我女朋友的生日", "十二月三号"),
        (
            "I'm allergic to peanuts",
            "forget that im allergic to peanuts, that was just a phase lol",
            "peanuts",
        ),
        ("我对海鲜过敏", "我对海鲜过敏这件事忘掉吧", "海鲜"),
        ("我对海鲜过敏", "忘了我对海鲜过敏这事", "海鲜"),
        ("我对海鲜过敏", "把刚刚记的海鲜那个删了吧 其实我只是不爱吃", "海鲜"),
        ("我对海鲜过敏", "把海鲜那条记忆删了", "海鲜"),
        ("my boss is Wang Lei", "forget who my boss is", ""),
    ],
)
def test_a_fact_is_found_by_the_sentence_that_tells_it(
    conversation: Conversation, told: str, line: str, words: str
) -> None:
    conversation.reply(route(told))
    asked = route(line)
    assert asked.kind is RouteKind.FORGET
    reply = conversation.reply(asked)
    assert reply.is_answered
    assert words in reply.text


@pytest.mark.parametrize(
    ("line", "is_food"),
    [
        ("I'm allergic to penicillin", False),
        ("remember that I am allergic to peanuts", True),
        ("我对青霉素过敏", False),
        ("我对花生过敏", True),
        ("I'm allergic to hot dogs", True),
        ("I'm allergic to grass-fed beef", True),
        ("I'm allergic to dogs", False),
        ("I'm allergic to bee stings", False),
        ("我对蜂蜜过敏", True),
        ("我对山药过敏", True),
        ("我对热狗过敏", True),
        ("我对酒精过敏", True),
        ("我对蜜蜂过敏", False),
        ("我对狗毛过敏", False),
        ("我对消炎药过敏", False),
    ],
)
def test_an_allergy_to_a_medicine_or_an_animal_is_no_preference_for_food(
    conversation: Conversation, line: str, is_food: bool
) -> None:
    ask(conversation, line)
    entities = {fact.node.name for fact in conversation._profile().facts() if fact.value.key == ALLERGY}
    assert (entities == {lexicon().domains["Food"].entity}) is is_food
    assert ask(conversation, "what am I allergic to?").is_answered


@pytest.mark.parametrize(
    ("told", "asked", "answer"),
    [
        ("remember that I hate olives", "what do I hate", "olives"),
        ("记住我讨厌橄榄", "我讨厌什么", "橄榄"),
        ("remember that my sister lives at Birch Lane 22", "where does my sister live", "Birch Lane 22"),
        ("记住我姐姐住在柳园8幢", "我姐姐住哪里", "柳园8幢"),
    ],
)
def test_what_one_hates_and_where_others_live_is_answered_from_memory(
    conversation: Conversation, told: str, asked: str, answer: str
) -> None:
    assert not ask(conversation, asked).is_answered
    ask(conversation, told)
    assert answer in ask(conversation, asked).text


def test_a_dislike_is_no_colour_of_a_thing_to_buy(conversation: Conversation) -> None:
    assert "颜色" not in ask(conversation, "记住我讨厌橄榄").text


@pytest.mark.parametrize(
    ("said", "question", "words", "mine"),
    [
        (
            "remember that my aunt is allergic to mussels",
            "what is my aunt allergic to?",
            "aunt is allergic to mussels",
            "what am I allergic to?",
        ),
        ("我爸对牛奶过敏", "我爸对什么过敏？", "爸爸对牛奶过敏", "我对什么过敏？"),
        ("我室友不吃香菇，记一下", "我室友不吃什么？", "室友不吃香菇", "我不能吃什么"),
    ],
)
def test_what_others_cannot_eat_is_remembered_as_theirs(
    conversation: Conversation, said: str, question: str, words: str, mine: str
) -> None:
    assert ask(conversation, said).is_answered
    assert words in ask(conversation, question).text
    assert words not in ask(conversation, mine).text


@pytest.mark.parametrize("said", ["remember that she is allergic to nuts", "记住他不吃辣"])
def test_nothing_is_remembered_of_somebody_who_is_not_named(conversation: Conversation, said: str) -> None:
    reply = ask(conversation, said)
    assert not reply.is_answered
    assert not ask(conversation, "what am I allergic to?").is_answered


def test_of_two_values_the_one_told_last_is_marked_to_be_forgotten(tmp_path: Path, store: Store) -> None:
    embedder = NoEmbedder()
    profile = LazyProfile(store, lambda: embedder, "me")
    view = MemoryView(store, embedder, Settings(store=tmp_path, user_id="me"), profile)
    for days, words in enumerate(("I live at 5 Elm Street", "my new address is 9 Mill Lane")):
        facts, told_at = read_statement(words), NOW + timedelta(days=days)

        def add(
            draft: GraphDraft,
            _evidence: Evidence,
            facts: list[ExtractedFact] = facts,
            told_at: datetime = told_at,
        ) -> None:
            draft_facts(draft, facts, "said", told_at)

        profile().apply_edit(add, "remember what was said")
    location = view.to_forget("address")
    assert "9 Mill Lane" in view.named(location.section, location.item_id)[0].name


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("my husband Dave's birthday is on March 3rd", "when is Dave's birthday?"),
        ("my husband Dave's birthday is on March 3rd", "Dave什么时候生日"),
        ("remember that Anna's birthday is March 3rd", "what day is anna's birthday"),
    ],
)
def test_a_birthday_is_known_by_the_name_of_whose_it_is(
    conversation: Conversation, told: str, asked: str
) -> None:
    conversation.reply(route(told))
    assert "March 3rd" in ask(conversation, asked).text
    unknown = ask(conversation, "when is Otto's birthday")
    assert not unknown.is_answered
    assert "search the web for otto's birthday" in unknown.text
    assert unknown.offer == "search the web for otto's birthday"


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("I'm allergic to shrimp, order me a salad", "order me a salad"),
        ("I'm allergic to peanuts so order the noodles without them", "order the noodles without them"),
        ("我对虾过敏，帮我点个沙拉", "帮我点个沙拉"),
    ],
)
def test_an_order_behind_a_fact_is_not_lost(conversation: Conversation, said: str, order: str) -> None:
    reply = conversation.reply(route(said))
    assert order in reply.text
    assert reply.offer == order
    assert order not in ask(conversation, "what am I allergic to").text


@each(
    "line",
    [
        "I hate this",
        "I love it",
        "I'd love a coffee",
        "I hate waiting",
        "I can't stand the second one",
        "neither of them",
        "对花生过敏",
        "不吃香菜",
        "我喜欢这家店",
    ],
)
def test_what_points_at_something_or_says_of_nobody_is_no_fact(line: str) -> None:
    assert route(line).kind is not RouteKind.REMEMBER


@each(
    "said",
    [
        "I like to order noodles and play chess",
        "my boss is Wang Lei, he is never late",
        "I'm allergic to nuts, always order without them",
        "我对花生过敏，以后点东西都注意",
    ],
)
def test_what_goes_on_to_tell_is_no_order(said: str) -> None:
    assert split_remembered(said) == (said, None)


@pytest.mark.parametrize(
    ("fact", "said", "words"),
    [
        ("I'm allergic to peanuts", "i dont have that peanut allergy anymore, forget it", "peanuts"),
        ("I'm vegetarian", "i used to be vegetarian, not anymore", "vegetarian"),
        ("my boss is Wang Lei", "my boss used to be Wang Lei", "Wang Lei"),
        ("I live at 5 Elm Street", "i don't live at 5 Elm Street anymore", "5 Elm Street"),
    ],
)
def test_what_held_once_is_no_fact_but_leads_to_the_one_that_is_kept(
    conversation: Conversation, fact: str, said: str, words: str
) -> None:
    ask(conversation, fact)
    reply = ask(conversation, said)
    assert "Remembered" not in reply.text
    assert words in reply.text
    assert reply.location is not None


def test_what_is_not_done_any_more_is_kept_without_these_words(conversation: Conversation) -> None:
    assert "you avoid meat." in ask(conversation, "I don't eat meat any more").text


@each(
    ("said", "question", "words"),
    [
        ("my aunt is called Rita btw, her bday is may 2nd", "when is ritas birthday", "may 2nd"),
        ("my aunt is called Rita lol, her bday is may 2nd", "when is my aunt's bday", "may 2nd"),
        ("i moved, i live at 7 Mill Road now", "where do i live", "7 Mill Road"),
        ("我弟弟叫林静 生日5月2号", "我弟弟的生日是哪天", "5月2号"),
        ("我弟弟叫林静，电话是13800001111", "我弟弟的电话是多少", "13800001111"),
    ],
)
def test_a_fact_in_a_hurry_is_kept_of_whom_it_is(
    tmp_path: Path, said: str, question: str, words: str
) -> None:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    conversation = make_conversation(tmp_path, store, [])
    reply = ask(conversation, said)
    assert "btw" not in reply.text
    assert words in ask(conversation, question).text
    store.close()


@each("order", ["我要给老板发邮件，地址是abc@x.com", "我给弟弟打电话，电话是13800001111"])
def test_a_number_behind_an_order_is_no_fact(order: str) -> None:
    assert not {fact.key for fact in read_statement(order)} & {"address", "电话"}


@pytest.mark.parametrize(
    ("told", "said", "question", "words", "gone"),
    [
        (
            "my cousin is called Hugo",
            "no not 'Hugo', just Hubert",
            "what is my cousin's name",
            "Hubert",
            "Hugo.",
        ),
        ("my cousin is called Hugo", "no, not Hugo, it's Hubert", "who is my cousin", "Hubert", "Hugo."),
        ("我哥哥叫陈刚", "不是陈刚，是陈钢", "我哥哥叫什么", "陈钢", "陈刚"),
        (
            "I live at 8 Willow Court",
            "we moved, our new address is 3 Pine Road, forget the old one",
            "where do i live",
            "3 Pine Road",
            "Willow",
        ),
        (
            "I live at 8 Willow Court",
            "my new address is 3 Pine Road and please forget the old address",
            "where do i live",
            "3 Pine Road",
            "Willow",
        ),
        ("我住在柳树街8号", "我们搬家了，新地址是松树街3号，旧的删了吧", "我住在哪", "松树街3号", "柳树"),
    ],
)
def test_a_value_that_is_corrected_takes_the_place_of_the_one_before(
    tmp_path: Path, told: str, said: str, question: str, words: str, gone: str
) -> None:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    conversation = make_conversation(tmp_path, store, [])
    ask(conversation, told)
    assert words in ask(conversation, said).text
    answer = ask(conversation, question).text
    assert words in answer
    assert gone not in answer
    store.close()


def test_a_correction_that_says_what_memory_has_changes_nothing(conversation: Conversation) -> None:
    ask(conversation, "my cousin is called Hugo btw")
    assert "already" in ask(conversation, "no not 'Hugo btw', just Hugo").text
    assert "Hugo." in ask(conversation, "who is my cousin").text


@each("said", ["forget the old one", "please forget the other one", "忘了旧的吧", "forget the previous one"])
def test_to_forget_what_has_no_name_opens_nothing(tmp_path: Path, said: str) -> None:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    store.records.add([record(1, 12, "Order soup from Old Street Noodles")])
    reply = ask(make_conversation(tmp_path, store, []), said)
    assert reply.location is None
    assert not reply.is_answered
    store.close()


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("so when you order food for iris never get anything with eggs", "niece avoids eggs"),
        ("as a rule: never order eggs for iris", "niece avoids eggs"),
        ("never give Iris anything with egg", "niece avoids egg"),
        ("when you order for my niece don't get anything with eggs", "niece avoids eggs"),
        ("as a rule, never order anything with eggs for me", "you avoid eggs"),
        ("please remember never to order eggs for iris", "niece avoids eggs"),
        ("always order iris's food without eggs", "niece avoids eggs"),
        ("if its for iris, no eggs please", "niece avoids eggs"),
        ("iris cant have dairy", "niece avoids dairy"),
        ("给我侄女点外卖的时候别点有鸡蛋的", "侄女不吃鸡蛋"),
        ("以后给Iris点餐都不要放香菜", "不吃香菜"),
    ],
)
def test_a_rule_for_the_orders_of_somebody_is_a_fact_of_them(tmp_path: Path, rule: str, words: str) -> None:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    conversation = make_conversation(tmp_path, store, [])
    ask(conversation, "my niece is called Iris")
    assert words in ask(conversation, rule).text
    store.close()


@each(
    "said",
    [
        "never order eggs for Zed",
        "never give Iris money",
        "don't give Iris the eggs",
        "never order pizza for lunch",
        "以后别给小王点鸡蛋",
    ],
)
def test_a_rule_for_somebody_unknown_is_kept_of_nobody(tmp_path: Path, said: str) -> None:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    conversation = make_conversation(tmp_path, store, [])
    ask(conversation, "my niece is called Iris")
    assert "Remembered" not in ask(conversation, said).text
    assert "egg" not in ask(conversation, "what do you know about my niece").text
    store.close()


@each(
    "said",
    ["order noodles for Iris without eggs", "给我侄女点外卖，不要鸡蛋", "call Iris, never mind the time"],
)
def test_an_order_for_somebody_is_no_rule(said: str) -> None:
    assert route(said).kind is RouteKind.COMMAND


@each(
    ("question", "words"),
    [
        ("what do you know about iris?", "allergic to eggs"),
        ("what do you remember about Iris", "allergic to eggs"),
        ("关于Iris你知道什么", "eggs"),
        ("what do you know about zed", "no facts"),
    ],
)
def test_a_name_that_memory_has_is_asked_about_as_who_has_it(
    tmp_path: Path, question: str, words: str
) -> None:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    conversation = make_conversation(tmp_path, store, [])
    ask(conversation, "my niece Iris is allergic to eggs")
    reply = ask(conversation, question)
    assert words in reply.text
    assert reply.is_answered is ("eggs" in words)
    store.close()


@each(
    ("before", "said", "question", "words", "gone"),
    [
        (
            "my number is 070 5550 1100",
            "i got a new number, its 070 5550 1188, forget the old one",
            "number",
            "1188",
            "1100",
        ),
        ("my number is 070 5550 1188", "my new number is 070 5550 1199", "number", "1199", "1188"),
        (
            "我的手机号是13900001111",
            "我换号了，新手机号是13900002222，旧的删掉",
            "手机号",
            "13900002222",
            "13900001111",
        ),
    ],
)
def test_a_new_number_of_the_user_takes_the_place_of_the_old_one(
    tmp_path: Path, before: str, said: str, question: str, words: str, gone: str
) -> None:
    store = open_store(Settings(store=tmp_path, user_id="me"), lambda: NOW)
    conversation = make_conversation(tmp_path, store, [])
    ask(conversation, before)
    told = ask(conversation, said).text
    assert words in told
    assert gone in told
    assert question in told
    store.close()


@each(
    ("line", "who", "foods"),
    [
        ("from now on dont order anything with onions", "me", "onions"),
        ("from now on, don't order anything with onions", "me", "onions"),
        ("never order me anything with onions or garlic", "me", "onions or garlic"),
        ("never get anything with nuts for my daughter", "my daughter", "nuts"),
        ("以后点外卖都别放香菜", "我", "香菜"),
    ],
)
def test_what_is_never_to_be_ordered_is_for_the_user_where_nobody_is_named(
    line: str, who: str, foods: str
) -> None:
    assert read_rule(line) == OrderRule(who, foods)


@each(
    "line",
    [
        "以后点外卖都别要一次性餐具",
        "from now on dont order anything with cutlery",
        "never order from Burger Town",
        "never order anything with a delivery fee",
        "never order anything with my credit card",
        "don't order anything with onions this time",
        "never use anything with ads",
        "don't ever buy anything with credit",
        "in future never pick one with stairs",
        "never get one with batteries",
        "order something with onions",
    ],
)
def test_what_is_no_food_is_no_rule_of_orders(line: str) -> None:
    assert read_rule(line) is None


@each(
    ("line", "key"),
    [
        ("my birthday is on the 3rd of may", "is"),
        ("our flight is at 7:30", "is"),
        ("my yoga class is on Tuesdays", "is"),
        ("my office is on 5th Avenue", "address"),
        ("my shop is on May Street", "address"),
    ],
)
def test_a_day_or_an_hour_is_no_address(line: str, key: str) -> None:
    assert [fact.key for fact in read_facts(line)] == [key]

"""Questions about the past and about the user, answered from the memory with their records."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.bench.hashing import HashingEmbedder
from assistant.conversation.routing import route
from assistant.conversation.service import Conversation
from assistant.i18n import has_chinese
from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.records import Outcome, Record

from .past import NOW, ask, ended_turn, record


@pytest.mark.parametrize(
    ("question", "words", "evidence"),
    [
        ("what did I eat last week?", "Beef noodles to the office (Phone): 2 times", 3),
        ("what did I order on the 4th?", "Order dumplings to the office", 1),
        ("On March 4, what did I order?", "Order dumplings to the office", 1),
        ("我四号点了什么？", "Order dumplings to the office", 1),
        ("what did I order on February 9?", "Order soup, no coriander, to the office", 1),
        ("who did I call on the 8th?", "Susan Lin", 1),
        ("when did I last call Susan?", "Sun 08 Mar 20:00: Call Susan Lin", 3),
        ("when do I usually call Susan Lin?", "Sunday around 20:00, 3 of 3 times. Last: ", 3),
        ("how many times did I order noodles?", "2 times on 2 days.", 2),
        ("我上次打车去哪？", "打车去机场", 1),
        ("did I order dumplings last week?", "Yes.", 1),
        ("why do you think I like beef noodles?", "2 times on 2 days.", 2),
        ("你为什么觉得我常打车", "打车去机场", 1),
        ("你为啥觉得那是我平时的午饭", "4 天里 4 次。", 4),
        ("why do you think that's my usual lunch", "4 times on 4 days.", 4),
        ("what's my usual lunch and why do you think so", "Beef noodles to the office (Phone): 2 of 4", 4),
        ("我平时的午饭是什么，你为啥这么觉得", "Beef noodles to the office", 4),
        ("who do I contact most", "Call Susan Lin (Phone): 3 of 3", 3),
        ("我最常联系谁", "Call Susan Lin", 3),
        ("which place did we have lunch at eight days ago", "Beef noodles", 1),
        (
            "what did you do for me yesterday between 11 and 1 pm",
            "Order pizza to the office (Phone) · fail",
            1,
        ),
        ("前天晚上七点到八点你都替我做了些啥", "打车去机场", 1),
        ("第一次让你帮我打车是什么时候", "打车去机场", 1),
    ],
)
def test_an_answer_has_its_records(
    conversation: Conversation, question: str, words: str, evidence: int
) -> None:
    reply = ask(conversation, question)
    assert reply.is_answered
    assert words in reply.text
    assert len(reply.evidence) == evidence


@pytest.mark.parametrize(
    "question",
    [
        "when did I last order sushi?",
        "did I call Susan yesterday?",
        "what did I eat yesterday?",
        "who is my dentist?",
        "where do I live?",
        "am I allergic to peanuts?",
        "我上次理发是什么时候",
        "when did I last water the plants?",
        "do I like coriander?",
        "when did I last order coriander?",
        "what was the name of that nice place we had dinner at a fortnight ago?",
        "wasn't there something I told you never to order again?",
        "why do you think I like that gym?",
        "where did I live before?",
        "我以前住哪儿来着,搬家之前那个地址",
        "上个月打车一共花了多少",
        "昨天下午三点到五点你都替我做了些啥",
        "who did I text the most over the last two weeks?",
    ],
)
def test_what_memory_does_not_hold_is_not_guessed(conversation: Conversation, question: str) -> None:
    reply = ask(conversation, question)
    assert not reply.is_answered
    assert reply.evidence == ()


def test_what_it_cost_is_not_known_though_the_order_is(conversation: Conversation) -> None:
    reply = ask(conversation, "how much did I spend on noodles?")
    assert not reply.is_answered
    assert "beef noodles" in reply.text


def test_what_is_typed_with_its_times_is_scheduled_and_told_how_it_was_read(
    conversation: Conversation,
) -> None:
    reply = conversation.reply(route("every weekday at 8 play the news"))
    assert "08:00" in reply.text
    assert "play the news" in conversation.reply(route("list my schedules")).text
    conversation.reply(route("undo"))
    assert "play the news" not in conversation.reply(route("list my schedules")).text


@pytest.mark.parametrize("line", ["call mom tomorrow at 9", "明天九点给妈妈打电话"])
def test_a_call_for_one_time_is_scheduled_as_it_is_typed(conversation: Conversation, line: str) -> None:
    reply = conversation.reply(route(line))
    assert "09:00" in reply.text
    assert "Begin with the times" not in reply.text
    told = conversation.reply(route("list my schedules")).text
    assert "call mom" in told or "给妈妈打电话" in told


def test_a_question_in_chinese_is_answered_in_chinese(conversation: Conversation) -> None:
    assert "周一" in ask(conversation, "我上次打车去哪").text


def test_what_is_liked_is_told_by_what_was_asked_for(conversation: Conversation) -> None:
    assert "2 times" in ask(conversation, "do I like noodles?").text
    assert not ask(conversation, "am I allergic to noodles?").is_answered


def test_what_was_eaten_is_told_once_in_whatever_words_it_was_ordered(
    conversation: Conversation, store: Store
) -> None:
    store.records.add(
        record(days, 12, f"Order rice{comma} coriander")
        for days, comma in ((5, ", no"), (6, " without"), (4, ", no"))
    )
    reply = ask(conversation, "what did I eat last week")
    assert reply.text.splitlines()[0] == "Rice, no coriander (Phone): 3 times, last Sat 07 Mar 12:00."
    assert reply.text.splitlines()[-1] == "Looked at: Mon 2 Mar to Sun 8 Mar."


def test_two_questions_are_answered_one_below_the_other(conversation: Conversation) -> None:
    reply = ask(conversation, "when did I last call Susan and how many times did I order noodles?")
    first, *rest = reply.text.splitlines()
    assert first == "Sun 08 Mar 20:00: Call Susan Lin (Phone)."
    assert rest[0].startswith("2 times on 2 days.")
    assert len(reply.evidence) == 5


def test_chinese_sentences_have_no_blank_between_them(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    for line in ("不对，是周五不是周四", "我上次打车去哪？"):
        assert "。 " not in ask(conversation, line).text
    assert ask(conversation, "我花生过敏，记一下").text.startswith("已记住：")
    assert "花生" in ask(conversation, "我对什么过敏？").text


ALARMS = (
    record(6, 22, "Set an alarm for 7:15"),
    record(5, 22, "Set an alarm for 7:15"),
    record(4, 23, "Set an alarm for 7:15"),
    record(2, 22, "Set an alarm for 8:30"),
)


@pytest.mark.parametrize(
    "question", ["when do I usually wake up?", "at what time do I normally get up", "我平时几点起床？"]
)
def test_an_alarm_tells_when_it_rings_and_not_when_it_was_set(
    conversation: Conversation, store: Store, question: str
) -> None:
    store.records.add(ALARMS)
    reply = ask(conversation, question)
    assert "7:15" in reply.text
    assert "22:00" not in reply.text.split("8:30")[0]


def test_what_time_an_alarm_was_set_to_is_a_question_about_the_past(
    conversation: Conversation, store: Store
) -> None:
    store.records.add(ALARMS)
    assert "Set an alarm for 8:30" in ask(conversation, "what time did I set my alarm for on Monday?").text
    assert "when you got up" in ask(conversation, "when did I wake up on Monday?").text


@pytest.mark.parametrize(
    "question",
    [
        "what did I not eat last week?",
        "what haven't I ordered yet?",
        "what did I order for the second time?",
        "what is the cheapest thing I ordered?",
        "did I order dumplings or sushi last week?",
        "how long did I call Susan?",
        "what did I order before the call last week?",
        "我上周没吃什么",
        "我第三次点的是什么",
    ],
)
def test_a_word_that_turns_the_question_is_not_passed_over(conversation: Conversation, question: str) -> None:
    reply = ask(conversation, question)
    assert not reply.is_answered
    assert not reply.evidence


def test_what_was_not_done_is_answered_by_the_days_without_it(conversation: Conversation) -> None:
    assert "Tue 10 Mar" in ask(conversation, "when did I last not call Susan?").text
    without = ask(conversation, "on which days did I not order noodles last week?").text
    assert "5 days" in without
    assert "03 Mar" not in without


def test_a_negated_question_is_told_what_was_done(conversation: Conversation) -> None:
    reply = ask(conversation, "did I not order dumplings last week?")
    assert reply.text.startswith("It was done.")
    forgotten = ask(conversation, "did I forget to order noodles yesterday?")
    assert not forgotten.is_answered
    assert "no record that it was done" in forgotten.text


@pytest.mark.parametrize(
    ("question", "said", "unsaid"),
    [
        ("what did I order between Tuesday and Wednesday?", "dumplings", "soup"),
        ("what did I order from Monday to Tuesday?", "no record", "dumplings"),
        ("what did I order on 2026-03-04?", "dumplings", "noodles"),
        ("what did I order on 4 March?", "dumplings", "noodles"),
        ("what did I order on March 3rd?", "noodles", "dumplings"),
        ("what did I order between 2 March and 3 March?", "noodles", "dumplings"),
        ("what did I order before 1 March?", "soup", "noodles"),
        ("what did I order since March 4?", "dumplings", "noodles"),
        ("what did I order the week before last?", "no record", "noodles"),
        ("what did I order on Tuesday last week?", "noodles", "dumplings"),
        ("what did I order last week besides noodles?", "dumplings", "noodles"),
        ("what was the first thing I ordered?", "soup", "noodles"),
        ("我3月4日点了什么", "dumplings", "noodles"),
        ("我上周点的第一份是什么", "noodles", "dumplings"),
    ],
)
def test_days_ranges_and_order_select_the_records(
    conversation: Conversation, question: str, said: str, unsaid: str
) -> None:
    text = ask(conversation, question).text
    assert unsaid not in text
    assert said in text


@pytest.mark.parametrize("asked", ["when was my last run?", "when did I last run?", "how often do I run?"])
def test_a_word_of_a_title_is_no_deed(conversation: Conversation, store: Store, asked: str) -> None:
    store.records.add([record(1, 21, "Play Run the World on Tunes")])
    assert not ask(conversation, asked).is_answered


def test_a_leap_day_is_the_latest_there_was(conversation: Conversation) -> None:
    assert not ask(conversation, "what did I order on 29 February?").is_answered


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("how long since my last taxi?", "打车去机场"),
        ("who did I message about the rent?", "Text Ana that the rent is paid"),
        ("do I order noodles more often than dumplings?", "2 times on 2 days"),
    ],
)
def test_questions_of_other_forms_are_answered_too(
    conversation: Conversation, store: Store, question: str, words: str
) -> None:
    store.records.add([record(2, 10, "Text Ana that the rent is paid")])
    assert words in ask(conversation, question).text


def test_whom_a_record_may_mean_is_told_as_a_record(conversation: Conversation, store: Store) -> None:
    said = record(2, 10, "Call Dr. Orla Byrne").model_copy(update={"said": "ring my dentist"})
    store.records.add([said])
    for question in ("who is my dentist?", "do you remember my dentist's name?"):
        reply = ask(conversation, question)
        assert not reply.is_answered
        assert "A record of" in reply.text
        assert "Orla Byrne" in reply.text


def test_all_that_is_known_has_what_was_done_most(conversation: Conversation) -> None:
    text = ask(conversation, "what do you know about me?").text
    assert "Call Susan Lin" in text
    assert "3 times" in text


@pytest.mark.parametrize(
    "question", ["what do you know about my family", "关于我家人你知道什么", "你对我家人了解多少"]
)
def test_what_is_known_of_an_area_of_life_is_told(conversation: Conversation, question: str) -> None:
    conversation.reply(route("remember that my sister is called Hanna"))
    reply = ask(conversation, question)
    assert reply.is_answered
    assert "Hanna" in reply.text


def test_what_one_told_it_never_to_do_is_told(conversation: Conversation) -> None:
    conversation.reply(route("remember that I never want to order durian again"))
    told = ask(conversation, "wasn't there something I told you never to order again?")
    assert told.is_answered
    assert "durian" in told.text


def test_what_orders_leave_out_is_neither_told_nor_an_allergy(
    conversation: Conversation, store: Store
) -> None:
    profile = Profile(store, HashingEmbedder(), "me")
    for ago in (3, 4, 5):
        profile.learn(record(ago, 12, "Order beef noodles without coriander"))
    told = ask(conversation, "wasn't there something I told you never to order again?")
    assert told.text.startswith("Memory has no such words of yours.")
    assert "coriander" in told.text
    assert ask(conversation, "what am I allergic to?").text.startswith("Memory holds no allergy.")
    assert not ask(conversation, "what can't I eat?").text.startswith("Memory holds no allergy.")


def test_the_home_before_a_move_is_told_beside_the_present_one(
    conversation: Conversation, store: Store
) -> None:
    profile = Profile(store, HashingEmbedder(), "me")
    for days_ago, address in ((30, "Elm Street 5"), (2, "Lake Road 9")):
        time = NOW - timedelta(days=days_ago)
        said = Record(id=f"home{days_ago}", user_id="me", time=time, instruction=f"I live at {address}")
        profile.learn(said)
    told = ask(conversation, "where did I live before?")
    assert told.text.startswith("Before: Elm Street 5, last ")
    assert told.text.endswith("Now: Lake Road 9.")


def test_a_meal_is_known_by_its_name_before_its_hour(conversation: Conversation, store: Store) -> None:
    store.records.add(
        [
            record(2, 10, "Order two croissants to my home"),
            record(1, 11, "Order rolls for breakfast"),
            record(1, 16, "Order soup for lunch"),
        ]
    )
    last = ask(conversation, "when did I last order lunch?")
    assert last.evidence[0] == "r1-16"
    assert "rolls" not in ask(conversation, "what did I order for lunch this week?").text
    assert ask(conversation, "how often did I order breakfast this week?").evidence == ("r1-11", "r2-10")


@pytest.mark.parametrize(
    ("question", "command"),
    [
        ("who is ada lovelace?", "search the web for ada lovelace"),
        ("居里夫人是谁", "上网搜索居里夫人"),
        ("who is my dentist?", ""),
        ("what is my shoe size?", ""),
    ],
)
def test_somebody_unknown_can_be_looked_up_on_the_phone(
    conversation: Conversation, question: str, command: str
) -> None:
    reply = ask(conversation, question)
    assert not reply.is_answered
    is_offered = "look it up on the phone" in reply.text or "在手机上查" in reply.text
    assert is_offered is bool(command)
    assert command in reply.text


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ("thanks! what did I eat last week", "what did I eat last week"),
        ("谢啦 我上周吃了什么", "我上周吃了什么"),
        ("thx ur a star, what can u even do", "what can u even do"),
    ],
)
def test_thanks_before_a_question_are_answered_too(
    conversation: Conversation, line: str, without: str
) -> None:
    answer = ask(conversation, without).text
    welcome = "不客气。" if has_chinese(line) else "You are welcome. "
    assert ask(conversation, line).text == f"{welcome}{answer}"


@pytest.mark.parametrize(
    ("question", "words", "record_id"),
    [
        ("周六晚上我去哪吃的来着", "3月7日 周六 19:00：导航去湖畔茶楼", "r4-19"),
        ("where did I eat on saturday night", "Sat 07 Mar 19:00: 导航去湖畔茶楼", "r4-19"),
        ("what did I eat on saturday", "Sat 07 Mar 19:00: 导航去湖畔茶楼", "r4-19"),
        ("when did i last go to dr gao", "Fri 20 Feb 10:00, Call Doctor Gao", "r19-10"),
        ("上次去高大夫那是什么时候", "2月19日 周四 09:00，给高医生打电话", "r20-9"),
    ],
)
def test_what_is_near_is_told_as_something_else(
    conversation: Conversation, store: Store, question: str, words: str, record_id: str
) -> None:
    near = ((19, 10, "Call Doctor Gao"), (20, 9, "给高医生打电话"), (4, 19, "导航去湖畔茶楼"))
    store.records.add(record(*each) for each in near)
    reply = ask(conversation, question)
    assert not reply.is_answered, "What was asked about is not recorded"
    assert words in reply.text
    assert reply.evidence == (record_id,)


@pytest.mark.parametrize("question", ["did I call dr. gao", "我给高大夫打过电话吗"])
def test_a_title_in_other_words_is_the_same_person(
    conversation: Conversation, store: Store, question: str
) -> None:
    store.records.add([record(19, 10, "Call Doctor Gao"), record(20, 9, "给高医生打电话")])
    assert ask(conversation, question).is_answered


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("hey who do i even know? list my people", "dentist, name: Doctor Gao"),
        ("which people do you know of me", "dentist, name: Doctor Gao"),
        ("who are the people i know", "dentist, name: Doctor Gao"),
        ("你知道我认识哪些人", "牙医叫Doctor Gao"),
        ("我都认识谁", "牙医叫Doctor Gao"),
        ("who is dr gao", "dentist, name: Doctor Gao"),
        ("老周是谁", "老周就是周杰"),
        ("周杰是谁", "老周就是周杰"),
    ],
)
def test_people_are_listed_and_known_by_other_names(
    conversation: Conversation, question: str, answer: str
) -> None:
    ask(conversation, "remember that my dentist is Doctor Gao")
    ask(conversation, "记住老周就是周杰")
    reply = ask(conversation, question)
    assert reply.is_answered
    assert answer == reply.text

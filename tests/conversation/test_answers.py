from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.bench.hashing import HashingEmbedder
from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation, split_remembered
from assistant.events import ActionKind, Deed
from assistant.i18n import Language, speaking
from assistant.memory import schema
from assistant.memory.profile.graph import ALLERGY
from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.service import Profile
from assistant.memory.request_log import StepUsage
from assistant.memory.store import Store
from assistant.records import Outcome, Record, Usage

from .past import NOW, RECORDS, ask, ended_turn, record


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
    assert reply.known
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
    assert not reply.known
    assert reply.evidence == ()


def test_what_it_cost_is_not_known_though_the_order_is(conversation: Conversation) -> None:
    reply = ask(conversation, "how much did I spend on noodles?")
    assert not reply.known
    assert "beef noodles" in reply.text


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
    assert ask(conversation, said).known
    reply = ask(conversation, question)
    assert all(word in reply.text for word in words)
    ask(conversation, "undo")
    assert not ask(conversation, question).known


@pytest.mark.parametrize(
    ("said", "undo", "redo", "content"),
    [
        ("remember that I am allergic to peanuts", "undo that", "redo", "allergic to: peanuts"),
        ("记住我对花生过敏", "撤销", "重做", "花生"),
    ],
)
def test_what_is_taken_back_is_named_and_comes_back(
    conversation: Conversation, said: str, undo: str, redo: str, content: str
) -> None:
    ask(conversation, said)
    question = "what am I allergic to?"
    undone = ask(conversation, undo).text
    assert content in undone
    assert redo in undone
    assert not ask(conversation, question).known
    assert content in ask(conversation, redo).text
    assert ask(conversation, question).known


def test_undo_again_takes_back_the_change_before(conversation: Conversation) -> None:
    ask(conversation, "remember that I am allergic to peanuts")
    ask(conversation, "remember that my boss is Wang Lei")
    assert "Wang Lei" in ask(conversation, "undo").text
    assert "peanuts" in ask(conversation, "undo").text
    assert not ask(conversation, "what am I allergic to?").known
    assert "None of your changes" in ask(conversation, "undo").text


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
    assert reply.known
    assert word in reply.text
    assert value in reply.text


@pytest.mark.parametrize("taught", ["remember that her means my mom", "她指的是我妈"])
def test_a_word_for_anybody_is_taught_nobody(conversation: Conversation, store: Store, taught: str) -> None:
    before = store.audit.lines(50)
    assert not ask(conversation, taught).known
    assert store.audit.lines(50) == before


@pytest.mark.parametrize("undo", ["undo that", "撤销刚才的"])
def test_an_import_is_not_undone_by_a_word(conversation: Conversation, store: Store, undo: str) -> None:
    ask(conversation, "remember that I am allergic to peanuts")
    with store.change("Import records from three weeks", "asked by the user") as change:
        change.insert(schema.records, [record(40, 9, "Order tea").as_row()])
    assert "three weeks" in ask(conversation, undo).text
    assert store.records.get("r40-9") is not None
    # The second word goes on to what was offered, and the import stays.
    assert "peanuts" in ask(conversation, undo).text
    ask(conversation, undo)
    assert store.records.get("r40-9") is not None


@pytest.mark.parametrize(("undo", "paid"), [("undo that", "¥29 was paid to Old Street"), ("撤销", "¥29")])
def test_right_after_a_turn_undo_means_the_turn(
    conversation: Conversation, store: Store, undo: str, paid: str
) -> None:
    ask(conversation, "remember that I am allergic to peanuts")
    deed = Deed(kind=ActionKind.PAY, amount="¥29", recipient="Old Street")
    ended_turn(store, Outcome.SUCCESS, "", "Ordered.", deed=deed)
    told = ask(conversation, undo).text
    assert paid in told
    assert store.records.get("t1") is not None
    assert ask(conversation, "what am I allergic to?").known
    ask(conversation, undo)
    assert store.records.get("t1") is None
    ask(conversation, "redo")
    assert store.records.get("t1") is not None


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.CANCELLED])
@pytest.mark.parametrize("undo", ["undo", "撤销"])
def test_after_a_turn_that_did_nothing_undo_goes_on_to_ones_own_change(
    conversation: Conversation, store: Store, outcome: Outcome, undo: str
) -> None:
    ask(conversation, "remember that I am allergic to peanuts")
    ended_turn(store, outcome, "Text Mom that I am late", "")
    told = ask(conversation, undo).text
    assert "order my usual lunch" in told
    assert "peanuts" in told
    assert "peanuts" in ask(conversation, undo).text
    assert not ask(conversation, "am I allergic to peanuts?").known


@pytest.mark.parametrize("undo", ["undo", "撤销"])
def test_undo_says_that_what_goes_is_a_schedule(conversation: Conversation, undo: str) -> None:
    ask(conversation, "every weekday at 8 order my usual coffee")
    told = ask(conversation, undo).text
    assert "every weekday at 8: order my usual coffee" in told.replace("：", ": ")
    assert "schedule" in told or "定时任务" in told


def test_with_nothing_of_ones_own_nothing_is_undone(conversation: Conversation, store: Store) -> None:
    assert ask(conversation, "undo").text == "None of your changes can be undone."
    assert ask(conversation, "redo").text == "There is nothing to redo."
    assert store.records.get("r30-12") is not None


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


def test_a_password_is_not_remembered(conversation: Conversation) -> None:
    assert not ask(conversation, "remember that my password is hunter2").known


def test_a_question_in_chinese_is_answered_in_chinese(conversation: Conversation) -> None:
    assert "周一" in ask(conversation, "我上次打车去哪").text


@pytest.mark.parametrize(
    ("outcome", "answer", "reply"),
    [
        (Outcome.CANCELLED, "Cancelled.", "“order my usual lunch”: cancelled."),
        (Outcome.FAILED, "The shop is closed.", "“order my usual lunch”: failed. The shop is closed."),
    ],
)
def test_how_the_last_turn_ended_is_said_once(
    conversation: Conversation, store: Store, outcome: Outcome, answer: str, reply: str
) -> None:
    ended_turn(store, outcome, "", answer)
    assert ask(conversation, "did that actually work?").text.splitlines()[0] == reply


def test_how_a_named_turn_ended_is_not_told_of_another(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "Order beef noodles on Eats", "Ordered.")
    assert "Ordered." in ask(conversation, "did the noodles thing work").text
    assert not ask(conversation, "did the weather thing work").known


def test_what_is_liked_is_told_by_what_was_asked_for(conversation: Conversation) -> None:
    assert "2 times" in ask(conversation, "do I like noodles?").text
    assert not ask(conversation, "am I allergic to noodles?").known


def test_why_tells_what_the_last_turn_was_taken_for(conversation: Conversation, store: Store) -> None:
    assert not ask(conversation, "why did you pick that one").known
    ended_turn(store, Outcome.SUCCESS, "Order soup to the office", "Done.", "I see “Eats”.\nOpen it.")
    lines = ask(conversation, "why did you pick that one").text.splitlines()
    assert lines[0] == "“order my usual lunch” was taken as “Order soup to the office”."
    assert lines[1] == "Of its last step the model wrote: “I see “Eats”. Open it.”"


def test_why_explains_the_turn_that_it_names_or_says_there_is_none(
    conversation: Conversation, store: Store
) -> None:
    ended_turn(store, Outcome.SUCCESS, "Order beef noodles on Eats", "Ordered.")
    assert "beef noodles" in ask(conversation, "why did you order beef").text
    none = ask(conversation, "why did you call the dentist")
    assert not none.known
    assert "None of the latest commands was about “call the dentist”" in none.text


def test_why_tells_of_the_turn_it_means_how_it_ended_and_what_was_allowed(
    conversation: Conversation, store: Store
) -> None:
    call = Deed(kind=ActionKind.SEND, app="Phone", recipient="Mom")
    ended_turn(
        store, Outcome.CANCELLED, "call Mom and wake me at 7", "cancelled", "[scripted] Nothing.", call
    )
    for question in (
        "why did you cancel the call to mom?",
        "why didnt you set the 7 oclock one?",
        "why mom?",
    ):
        told = ask(conversation, question)
        assert told.known
        assert "“order my usual lunch” was taken as “call Mom and wake me at 7”." in told.text
        assert "Done with your yes: " in told.text
        assert "It was cancelled" in told.text
        assert "[scripted]" not in told.text
    told = ask(conversation, "为啥取消了给Mom打电话")
    assert "它被取消了" in told.text


def test_why_a_turn_failed_is_what_it_ended_with(conversation: Conversation, store: Store) -> None:
    ended_turn(
        store, Outcome.FAILED, "text her instead", "There is no contact called her instead.", "I wait."
    )
    told = ask(conversation, "why did you text her instead").text
    assert "There is no contact called her instead." in told
    assert "I wait." not in told


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


def test_why_says_that_nothing_was_assumed(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    assert ask(conversation, "why?").text == (
        "“order my usual lunch” was carried out as it was said; the memory added nothing."
    )


def test_two_questions_are_answered_one_below_the_other(conversation: Conversation) -> None:
    reply = ask(conversation, "when did I last call Susan and how many times did I order noodles?")
    first, *rest = reply.text.splitlines()
    assert first == "Sun 08 Mar 20:00: Call Susan Lin (Phone)."
    assert rest[0].startswith("2 times on 2 days.")
    assert len(reply.evidence) == 5


def test_a_remark_is_told_what_ran_last(conversation: Conversation, store: Store) -> None:
    assert ask(conversation, "this took far too long").text.endswith("Say what it should do.")
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    for line in ("this took far too long", "that's wrong"):
        assert ask(conversation, line).text.endswith(
            "The last command was “order my usual lunch” (success); /history has its steps."
        )


def test_chinese_sentences_have_no_blank_between_them(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    for line in ("不对，是周五不是周四", "我上次打车去哪？"):
        assert "。 " not in ask(conversation, line).text
    assert ask(conversation, "我花生过敏，记一下").text.startswith("已记住：")
    assert "花生" in ask(conversation, "我对什么过敏？").text


def test_all_suggestions_are_switched_by_a_line_and_back_by_undo(
    conversation: Conversation, switched: list[bool]
) -> None:
    said = conversation.reply(route("stop sending me suggestions")).text
    assert said == "Nothing is suggested any more. Kept in the file. “undo” takes it back."
    assert conversation.reply(route("undo")).text.startswith("Taken back, as before: Suggestions")
    conversation.reply(route("don't suggest anything anymore"))
    conversation.reply(route("别再给我建议了"))
    conversation.reply(route("turn suggestions back on"))
    assert switched == [False, True, False, False, True]


def test_undo_goes_to_what_was_changed_after_suggestions_were_switched_off(
    conversation: Conversation, switched: list[bool]
) -> None:
    conversation.reply(route("stop suggesting"))
    conversation.reply(route("remember that I am allergic to peanuts"))
    assert "peanuts" in conversation.reply(route("undo")).text
    assert switched == [False]


def test_to_forget_needs_the_word_itself_and_deletes_nothing(
    conversation: Conversation, store: Store
) -> None:
    store.records.add([record(4, 12, "Order tomato soup"), record(4, 20, "Call Tom")])
    told = conversation.reply(route("please delete everything you know about Tom")).text
    assert "“Tom”: 1 in records" in told
    assert "asks first" in told
    assert not conversation.reply(route("把关于小王的都忘掉")).known
    assert store.records.count() == len(RECORDS) + 2


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
    assert not reply.known
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
    assert not forgotten.known
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


def test_a_leap_day_is_the_latest_there_was(conversation: Conversation) -> None:
    assert not ask(conversation, "what did I order on 29 February?").known


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
        assert not reply.known
        assert "A record of" in reply.text
        assert "Orla Byrne" in reply.text


def test_all_that_is_known_has_what_was_done_most(conversation: Conversation) -> None:
    text = ask(conversation, "what do you know about me?").text
    assert "Call Susan Lin" in text
    assert "3 times" in text


def test_what_one_told_it_never_to_do_is_told(conversation: Conversation) -> None:
    conversation.reply(route("remember that I never want to order durian again"))
    told = ask(conversation, "wasn't there something I told you never to order again?")
    assert told.known
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


def test_the_turns_since_the_start_are_told_with_their_steps(
    conversation: Conversation, store: Store
) -> None:
    asked = "what did you do on the phone since I started, step by step, including what failed"
    assert not ask(conversation, asked).known
    ended_turn(store, Outcome.FAILED, "call mom", "Nobody of that name.")
    told = ask(conversation, asked)
    assert told.text == "09:00 “order my usual lunch”: failed. Nobody of that name.\n  1  open Eats"


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
    assert ask(conversation, "what am I allergic to?").known


def test_a_clock_in_what_a_turn_did_is_no_time_of_an_alarm(conversation: Conversation, store: Store) -> None:
    sent = Deed(kind=ActionKind.SEND, app="Chat", recipient="Swim at 7:30", text="Alarm is set")
    ended_turn(store, Outcome.FAILED, "Set an alarm and tell the swimmers", "", deed=sent)
    answer = ask(conversation, "what time did I set my alarm today")
    assert not answer.known
    assert "Swim at 7:30" in answer.text


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
    assert not ask(conversation, asked).known
    ask(conversation, told)
    assert answer in ask(conversation, asked).text


def test_a_dislike_is_no_colour_of_a_thing_to_buy(conversation: Conversation) -> None:
    assert "颜色" not in ask(conversation, "记住我讨厌橄榄").text


def test_usage_tells_today_and_the_days_before(conversation: Conversation, store: Store) -> None:
    assert ask_usage(conversation) == "The model was not used in the last 30 days."
    for days_ago, tokens in ((0, 1000), (3, 500)):
        store.ledger.add(
            StepUsage(
                user_id="me",
                turn_id=f"t{days_ago}",
                step=1,
                time=NOW - timedelta(days=days_ago),
                model="m",
                usage=Usage(prompt_tokens=tokens, completion_tokens=10, requests=1),
                seconds=1.0,
            )
        )
    assert ask_usage(conversation).split("\n") == [
        "Today: 1 turn, 1 step, 1,010 tokens, cost unknown.",
        "In 30 days: 2 turns, 2 steps, 1,520 tokens, cost unknown.",
    ]


def ask_usage(conversation: Conversation) -> str:
    return conversation.reply(Route(RouteKind.USAGE, "/usage")).text


def test_a_slash_command_is_answered_in_the_language_of_the_interface(conversation: Conversation) -> None:
    with speaking(Language.CHINESE):
        assert "30 天" in ask_usage(conversation)


def test_what_was_cancelled_is_told_and_nothing_where_nothing_was(
    conversation: Conversation, store: Store
) -> None:
    assert not ask(conversation, "what did i just cancel").known
    ended_turn(store, Outcome.CANCELLED, "", "Cancelled.")
    told = ask(conversation, "我刚才取消了什么")
    assert "order my usual lunch" in told.text
    assert told.evidence == ("t1",)

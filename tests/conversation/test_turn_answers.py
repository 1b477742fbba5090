"""Answers about the latest turns: how they ended, why they did what they did, what they used."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assistant.agent.context import restate_done
from assistant.conversation.routing import Route, RouteKind, route
from assistant.conversation.service import Conversation
from assistant.events import ActionKind, Cause, Deed
from assistant.i18n import Language, has_chinese, speaking
from assistant.memory.request_log import StepUsage
from assistant.memory.store import Store, ignored_records
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.phone.errors import Refusal
from assistant.proactive.schedules import Schedules
from assistant.records import Click, OpenApp, Outcome, Point, Target, Usage
from assistant.skills.storage import SkillRepository
from tests.skills.recorded_turns import ordered
from tests.tables import each

from .past import NOW, ask, ended_turn


@pytest.mark.parametrize(
    ("outcome", "answer", "reply"),
    [
        (Outcome.CANCELLED, "Cancelled.", "No. “order my usual lunch”: cancelled."),
        (Outcome.FAILED, "The shop is closed.", "No. “order my usual lunch”: failed. The shop is closed."),
    ],
)
def test_how_the_last_turn_ended_is_said_once(
    conversation: Conversation, store: Store, outcome: Outcome, answer: str, reply: str
) -> None:
    ended_turn(store, outcome, "", answer)
    assert ask(conversation, "did that actually work?").text.splitlines()[0] == reply


def test_the_last_command_is_kept_as_a_skill_by_words_and_undone(
    conversation: Conversation, store: Store
) -> None:
    assert not ask(conversation, "keep this as a skill").is_answered
    turn_id = ordered(store, 1, "get me the Soup please", 1, "Soup")
    kept = ask(conversation, "keep this as a skill called Lunch")
    assert kept.text == (
        "Kept as a skill with 2 steps. Say it as an order, with other values too: get me the {item} please. "
        "/skills lists it. “undo” takes it back."
    )
    assert kept.evidence == (turn_id,)
    repository = SkillRepository(store, "me")
    assert [template.name for template in repository.all()] == ["Lunch"]
    assert ask(conversation, "把这个存成技能").is_answered
    assert [template.name for template in repository.all()] == ["Lunch"], "it is the same one"
    replies = [ask(conversation, "undo").text for _time in range(3)]
    assert repository.all() == [], "one of them tells of the turn, which began at this very moment"
    assert replies[-1].startswith("Undone: ")


@pytest.mark.parametrize(
    ("line", "deed", "command", "words"),
    [
        (
            "no, make it Dad",
            Deed(kind=ActionKind.SEND, app="Chat", recipient="Mom", text="late"),
            "Dad",
            "Mom",
        ),
        ("no, make it Dad", None, "Dad", "Nothing was done for it."),
    ],
)
def test_a_late_correction_is_offered_as_a_command(
    conversation: Conversation, store: Store, line: str, deed: Deed | None, command: str, words: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.", deed=deed, said="tell Mom I'm late")
    reply = ask(conversation, line)
    assert reply.offer == f"tell {command} I'm late"
    assert reply.offer in reply.text
    assert words in reply.text


@pytest.mark.parametrize(
    ("said", "line", "offer"),
    [
        ("set an alarm for 5:40", "no, make it 5:55", "change the 05:40 alarm that rings once to 05:55"),
        ("定一个五点四十的闹钟", "改成六点吧", "把只响一次的05:40闹钟改成06:00"),
    ],
)
def test_an_alarm_that_is_set_stays_and_is_told(
    conversation: Conversation, store: Store, said: str, line: str, offer: str
) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.", said=said, saved=True)
    reply = ask(conversation, line)
    assert reply.offer == offer, "a second alarm is not set beside it"
    assert "05:40" in reply.text.partition(offer)[0]


def test_a_late_correction_of_nothing_offers_nothing(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.", said="open the camera")
    assert ask(conversation, "that's wrong").offer == ""


@pytest.mark.parametrize(
    ("cause", "words"),
    [(Cause.KEY, "with a key"), (Cause.WORDS, "what you said"), (Cause.DONE, "before its end")],
)
def test_how_a_turn_was_cancelled_is_kept(
    conversation: Conversation, store: Store, cause: Cause, words: str
) -> None:
    ended_turn(store, Outcome.CANCELLED, "", "Cancelled.", cause=cause)
    assert words in ask(conversation, "why was it cancelled?").text


def test_a_command_that_failed_becomes_no_skill(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.FAILED, "order soup", "Sold out.")
    assert not ask(conversation, "keep this as a skill").is_answered
    assert SkillRepository(store, "me").all() == []


def test_how_a_named_turn_ended_is_not_told_of_another(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "Order beef noodles on Eats", "Ordered.")
    assert "Ordered." in ask(conversation, "did the noodles thing work").text
    assert not ask(conversation, "did the weather thing work").is_answered


def test_why_tells_what_the_last_turn_was_taken_for(conversation: Conversation, store: Store) -> None:
    assert not ask(conversation, "why did you pick that one").is_answered
    ended_turn(store, Outcome.SUCCESS, "Order soup to the office", "Done.", "I see “Eats”.\nOpen it.")
    lines = ask(conversation, "why did you pick that one").text.splitlines()
    assert lines[0] == "“order my usual lunch” was taken as “Order soup to the office”."
    assert lines[1] == "Of its last step the model wrote: “I see ‘Eats’. Open it.”"


def test_why_explains_the_turn_that_it_names_or_says_there_is_none(
    conversation: Conversation, store: Store
) -> None:
    ended_turn(store, Outcome.SUCCESS, "Order beef noodles on Eats", "Ordered.")
    assert "beef noodles" in ask(conversation, "why did you order beef").text
    none = ask(conversation, "why did you call the dentist")
    assert not none.is_answered
    assert "None of the latest commands was about “call the dentist”" in none.text


def test_why_goes_by_the_figure_that_it_names(conversation: Conversation, store: Store) -> None:
    for number, said in enumerate(("wake me up at 7", "set an alarm for 8")):
        started = NOW + timedelta(minutes=number)
        turn = Checkpoint(turn_id=f"a{number}", user_id="me", started=started, said=said, instruction=said)
        store.turns.finish(turn, Outcome.SUCCESS)
    assert "wake me up at 7" in ask(conversation, "why did you set the alarm to 7").text
    assert not ask(conversation, "why did you set the alarm to 9").is_answered


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
        assert told.is_answered
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


def test_why_says_that_nothing_was_assumed(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    assert ask(conversation, "why?").text == (
        "“order my usual lunch” was carried out as it was said; the memory added nothing."
    )


def test_a_remark_is_told_what_ran_last(conversation: Conversation, store: Store) -> None:
    assert ask(conversation, "this took far too long").text.endswith("Say what it should do.")
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    slow = ask(conversation, "this took far too long").text
    assert slow.startswith(
        "Sorry that it took so long. The last command was “order my usual lunch” (success)"
    )
    lines = ask(conversation, "that's wrong").text.split("\n")
    assert lines[0] == "Sorry that it was not as you wanted."
    assert "“order my usual lunch”: success. Done." in lines
    assert not any("again" in line for line in lines), "what was done is not offered to be done twice"


@pytest.mark.parametrize(
    "line", ["你咋回事啊 又搞错了", "怎么又错了", "wtf thats not what i asked", "u got it wrong"]
)
def test_a_complaint_names_what_came_last_and_how_to_put_it_right(
    conversation: Conversation, store: Store, line: str
) -> None:
    ended_turn(store, Outcome.CANCELLED, "call mom", "Cancelled. The call was not begun.", said="call mom")
    is_chinese = has_chinese(line)
    text = ask(conversation, line).text
    assert ("抱歉" if is_chinese else "Sorry") in text
    assert "call mom" in text
    assert "cancelled. Cancelled" not in text
    assert text.split("\n")[-2].endswith("call mom"), "a command to send stands on a line of its own"
    ask(conversation, "what did I eat last week")
    text = ask(conversation, line).text
    assert "what did I eat last week" in text
    assert "call mom" not in text


def test_what_was_said_last_is_no_command_where_it_was_a_wish(
    conversation: Conversation, store: Store
) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    ask(conversation, "remember that my boss is Wang Lei")
    told = ask(conversation, "that's wrong").text
    assert "What you said last was “remember that my boss is Wang Lei”" in told


def turn_of(store: Store, turn_id: str, said: str, minutes: int, answer: str = "") -> Checkpoint:
    started = NOW + timedelta(minutes=minutes)
    return Checkpoint(
        turn_id=turn_id, user_id="me", started=started, said=said, instruction=said, answer=answer
    )


def test_the_last_command_is_what_was_typed_last_however_it_ended(
    conversation: Conversation, store: Store
) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    put_off = turn_of(store, "t2", "order two pizzas tomorrow", 1, "Put off: tomorrow at 19:00.")
    store.turns.finish(put_off, Outcome.CANCELLED)
    told = ask(conversation, "that's wrong").text
    assert "The last command was “order two pizzas tomorrow”. Put off: tomorrow at 19:00." in told.split("\n")


def test_what_begins_by_itself_is_not_the_last_command(conversation: Conversation, store: Store) -> None:
    ended_turn(store, Outcome.SUCCESS, "", "Done.")
    schedules = Schedules(store, "me")
    added = schedules.add("every day at 8", "play the news", NOW)
    store.turns.finish(turn_of(store, "t3", "play the news", 2), Outcome.SUCCESS)
    schedules.note_run(added, "t3", NOW + timedelta(minutes=2))
    assert "“order my usual lunch”" in ask(conversation, "that's wrong").text


def test_commands_that_have_not_ended_are_all_named(conversation: Conversation, store: Store) -> None:
    for turn_id, said in (("t4", "order soup"), ("t5", "call mom")):
        store.turns.save(turn_of(store, turn_id, said, 1))
    told = ask(conversation, "that's wrong").text
    assert "“order soup”" in told
    assert "“call mom”" in told


def test_the_turns_since_the_start_are_told_with_their_steps(
    conversation: Conversation, store: Store
) -> None:
    asked = "what did you do on the phone since I started, step by step, including what failed"
    assert not ask(conversation, asked).is_answered
    ended_turn(store, Outcome.FAILED, "call mom", "Nobody of that name.")
    told = ask(conversation, asked)
    assert told.text == "09:00 “order my usual lunch”: failed. Nobody of that name.\n  1  open Eats"


def test_a_clock_in_what_a_turn_did_is_no_time_of_an_alarm(conversation: Conversation, store: Store) -> None:
    sent = Deed(kind=ActionKind.SEND, app="Chat", recipient="Swim at 7:30", text="Alarm is set")
    ended_turn(store, Outcome.FAILED, "Set an alarm and tell the swimmers", "", deed=sent)
    answer = ask(conversation, "what time did I set my alarm today")
    assert not answer.is_answered
    assert "Swim at 7:30" in answer.text


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
    assert not ask(conversation, "what did i just cancel").is_answered
    ended_turn(store, Outcome.CANCELLED, "", "Cancelled.")
    told = ask(conversation, "我刚才取消了什么")
    assert "order my usual lunch" in told.text
    assert told.evidence == ("t1",)


@each(
    "line", ["did you actually send it?", "have you paid it already", "你刚才发出去了吗？", "你到底付了没有"]
)
@each("running", [True, False])
def test_whether_the_latest_deed_was_done_is_asked_of_the_turns(line: str, running: bool) -> None:
    assert route(line, running=running).kind is RouteKind.LAST_TURN


def test_of_what_did_nothing_it_is_said_that_nothing_was_sent(
    conversation: Conversation, store: Store
) -> None:
    ended_turn(store, Outcome.FAILED, "", "The page did not open.")
    reply = ask(conversation, "did you actually send it?")
    assert "order my usual lunch" in reply.text
    assert "Nothing was paid, sent or deleted in it." in reply.text


SENT = Deed(kind=ActionKind.PAY, app="Wallet", amount="¥15", recipient="Lily Chen")
TOLD = Deed(kind=ActionKind.SEND, app="Chat", recipient="Susan Lin", text="on my way")


def past_turn(
    store: Store, number: int, said: str, outcome: Outcome, deed: Deed | None = None, answer: str = ""
) -> None:
    """Store a turn that has ended, with one step where it did something."""
    steps = (StoredStep(number=1, action=OpenApp(name="x"), app=deed.app, deed=deed),) if deed else ()
    started = NOW + timedelta(minutes=number)
    turn = Checkpoint(
        turn_id=f"p{number}", user_id="me", started=started, said=said, instruction=said, steps=steps
    )
    store.turns.finish(turn.model_copy(update={"answer": answer}), outcome)


@each(
    ("line", "deed"),
    [
        ("did you actually send it? i dont see it", "¥15"),
        ("did the money go to Lily Chen?", "¥15"),
        ("has lily received the payment yet", "¥15"),
        ("was that really paid?", "¥15"),
        ("wait did it go through", "¥15"),
        ("钱转过去了没有", "¥15"),
        ("那笔钱到底付了没，我没看到扣款", "¥15"),
        ("did the message go out?", "Susan Lin"),
        ("消息发给林素珊了吗", ""),
        ("have you sent the message to susan", "Susan Lin"),
    ],
)
def test_what_was_just_done_is_told_from_the_turn_that_did_it(
    conversation: Conversation, store: Store, line: str, deed: str
) -> None:
    past_turn(store, 1, "tell Susan Lin that I am on my way", Outcome.SUCCESS, TOLD, "Sent.")
    past_turn(store, 2, "transfer 20 to Lily Chen", Outcome.SUCCESS, SENT, "Sent ¥15 to Lily Chen.")
    past_turn(store, 3, "is it there yet? i see nothing", Outcome.CANCELLED, None, "Cancelled.")
    assert route(line).kind is RouteKind.LAST_TURN
    text = ask(conversation, line).text
    assert text.startswith(("Yes. Wed 11 Mar 09:0", "是的。3月11日") if deed else ("No", "没有"))
    assert deed in text.splitlines()[0]
    assert "Nothing was paid" not in text


def test_a_deed_that_was_not_done_is_not_hidden_by_one_before_it(
    conversation: Conversation, store: Store
) -> None:
    past_turn(store, 1, "transfer 20 to Lily Chen", Outcome.SUCCESS, SENT, "Sent ¥15 to Lily Chen.")
    past_turn(store, 2, "transfer 30 to Bob", Outcome.CANCELLED, None, "Cancelled.")
    lines = ask(conversation, "did you send it?").text.splitlines()
    assert lines[0].startswith("No. “transfer 30 to Bob”: cancelled.")
    assert any(line.startswith("Yes. ") and "¥15" in line for line in lines)
    to_bob = ask(conversation, "did the money go to Bob").text
    assert "No: nothing of that kind was done for bob." in to_bob
    assert "Lily Chen" in to_bob


def test_of_what_was_paid_and_not_confirmed_first_what_is_known_is_told(
    conversation: Conversation, store: Store
) -> None:
    past_turn(store, 1, "transfer 20 to Lily Chen", Outcome.UNCONFIRMED, SENT, "Nothing answers “20”.")
    first, *others = ask(conversation, "was the money sent?").text.splitlines()
    assert first.startswith("Wed 11 Mar 09:0")
    assert first.endswith("That is known; the phone did not confirm all that was asked for.")
    assert "¥15" in first
    assert "unconfirmed" in others[0]
    assert "Look into Wallet before you do it again." in others


def test_what_may_have_been_done_is_not_surely_done(conversation: Conversation, store: Store) -> None:
    maybe = SENT.model_copy(update={"maybe": True})
    past_turn(store, 1, "transfer 20 to Lily Chen", Outcome.FAILED, maybe, "The phone went away.")
    text = ask(conversation, "was the money sent?").text
    assert text.startswith("Not for certain. ")
    assert "Look into Wallet before you do it again." in text


@each(
    "line",
    ["can you send it", "send it again", "did it go through? if not send it again", "付钱", "did he call"],
)
def test_an_order_asks_nothing_of_a_deed(line: str) -> None:
    assert route(line).kind is not RouteKind.LAST_TURN


CALL = StoredStep(
    number=1,
    action=Click(point=Point(0.5, 0.5), target=Target(text="Call")),
    app="Contacts",
    package="com.example.contacts",
    kind=ActionKind.SEND,
    deed=Deed(kind=ActionKind.SEND, package="com.example.contacts", app="Contacts", recipient="Dad"),
)
TEXTED = StoredStep(
    number=2,
    action=Click(point=Point(0.9, 0.9), target=Target(resource_id="com.example.chat:id/send")),
    app="Chat",
    package="com.example.chat",
    kind=ActionKind.SEND,
    deed=Deed(
        kind=ActionKind.SEND, package="com.example.chat", app="Chat", recipient="Dad", text="happy birthday"
    ),
)


def changed_turn(
    store: Store, words: str, *steps: StoredStep, said: str = "call dad", **more: str
) -> Checkpoint:
    """Store a turn of which the user refused the first step, with these words."""
    refused = steps[0].refused(Refusal.NOT_ALLOWED)
    remarks = (UserRemark(after=1, text=words),) if words else ()
    turn = Checkpoint(
        turn_id="c1", user_id="me", started=NOW, said=said, instruction=said, steps=(refused, *steps[1:]),
        remarks=remarks,
    )  # fmt: skip
    turn = restate_done(turn, Outcome.SUCCESS)
    store.turns.finish(turn, Outcome.SUCCESS)
    return turn


def test_what_was_done_instead_is_what_the_turn_did(conversation: Conversation, store: Store) -> None:
    turn = changed_turn(store, "no dont call, just text him happy birthday", CALL, TEXTED)
    assert turn.instruction == "text Dad: happy birthday"
    assert ask(conversation, "did you call dad?").text.startswith("No, not as far as is known.")
    assert not ask(conversation, "did you call?").text.startswith("Yes")
    assert ask(conversation, "did the message go out?").text.startswith("Yes")
    assert ask(conversation, "did you text dad happy birthday?").text.startswith("Yes. ")
    listed = ask(conversation, "what did you do for me today").text
    assert "text Dad: happy birthday" in listed
    assert "call" not in listed
    kept = store.records.get("c1")
    assert kept is not None
    assert kept.said == "no dont call, just text him happy birthday"


@pytest.mark.parametrize(
    ("words", "steps"),
    [
        ("no dont call, wish him a happy birthday by text", (CALL, TEXTED)),
        ("no", (CALL,)),
        ("", (CALL,)),
        ("算了别打了，给他发个消息", (CALL, TEXTED)),
    ],
)
def test_what_cannot_be_stated_surely_is_kept_as_it_was_said_and_teaches_nothing(
    conversation: Conversation, store: Store, words: str, steps: tuple[StoredStep, ...]
) -> None:
    steps = tuple(step if step is CALL else with_text(step, "See you at eight") for step in steps)
    turn = changed_turn(store, words, *steps)
    assert turn.instruction.startswith("call dad // ")
    assert words in turn.instruction
    with store.reader() as connection:
        assert "c1" in ignored_records(connection, "me")
    assert not ask(conversation, "did you call dad?").is_answered
    listed = ask(conversation, "what did you do for me today").text
    assert ("Nothing was done" in listed) is (len(steps) == 1)


def with_text(step: StoredStep, text: str) -> StoredStep:
    assert step.deed is not None
    return step.model_copy(update={"deed": step.deed.model_copy(update={"text": text})})


@pytest.mark.parametrize(
    ("said", "words", "instruction"),
    [
        ("给爸爸打电话", "算了别打了，给他发个消息说生日快乐", "给Dad发消息：生日快乐"),
        ("call dad", "nope, text him: Happy birthday!", "text Dad: Happy birthday"),
    ],
)
def test_the_words_of_a_message_sent_instead_are_the_users(
    store: Store, said: str, words: str, instruction: str
) -> None:
    text = instruction.split("：")[-1].split(": ")[-1]
    assert changed_turn(store, words, CALL, with_text(TEXTED, text), said=said).instruction == instruction


def test_what_was_refused_and_done_after_all_is_what_was_said(store: Store) -> None:
    turn = changed_turn(store, "wait, use the phone app", CALL, CALL.model_copy(update={"number": 2}))
    assert turn.instruction == "call dad"


def test_a_correction_that_the_message_does_not_have_is_none(store: Store) -> None:
    sent = with_text(TEXTED, "i'll be 10 mins late")
    assert sent.deed is not None
    turn = Checkpoint(
        turn_id="c2",
        user_id="me",
        started=NOW,
        said="text alex i'll be 10 mins late",
        instruction="text alex zhang ming, the lunch guy",
        steps=(sent.model_copy(update={"deed": sent.deed.model_copy(update={"recipient": "Zhang Ming"})}),),
        remarks=(
            UserRemark(
                after=0,
                text="oh sorry i meant zhang ming, the lunch guy",
                kind="text",
                new="zhang ming, the lunch guy",
                old="i'll be 10 mins late",
            ),
        ),
    )
    assert restate_done(turn, Outcome.SUCCESS).instruction == "text Zhang Ming: i'll be 10 mins late"


def test_a_correction_that_names_nothing_by_itself_stands_beside_the_command(store: Store) -> None:
    turn = Checkpoint(
        turn_id="c3",
        user_id="me",
        started=NOW,
        said="order dumplings",
        instruction="order the vegetable ones",
        remarks=(
            UserRemark(
                after=0,
                text="the vegetable ones instead",
                kind="item",
                new="the vegetable ones",
                old="dumplings",
            ),
        ),
    )
    restated = restate_done(turn, Outcome.SUCCESS)
    assert restated.instruction == "order dumplings // instead: the vegetable ones instead"


@pytest.mark.parametrize(
    "line",
    [
        "what happened with the reminder?",
        "what became of the alarm",
        "did you set the reminder",
        "has the reminder been set",
        "刚才那个提醒怎么样了",
        "闹钟设好了吗",
    ],
)
def test_what_became_of_a_reminder_is_told_of_its_turn(
    conversation: Conversation, store: Store, line: str
) -> None:
    said, answer = "make it later and remind me 20 min b4", "The alarm for 20:10 is set."
    ended_turn(store, Outcome.SUCCESS, said, answer, said=said, saved=True)
    ended_turn(store, Outcome.SUCCESS, "text dad", "Sent.", said="text dad", started=NOW, turn_id="t2")
    reply = ask(conversation, line)
    assert answer in reply.text
    assert reply.evidence == ("t1",)


@pytest.mark.parametrize("line", ["which reminders did you set today", "你今天设了哪些提醒"])
def test_a_reminder_of_today_is_on_record(conversation: Conversation, store: Store, line: str) -> None:
    ended_turn(store, Outcome.SUCCESS, "remind me 20 min b4", "", said="remind me 20 min b4", saved=True)
    reply = ask(conversation, line)
    assert reply.evidence == ("t1",)


@pytest.mark.parametrize(
    "line",
    [
        *("what happened with the election", "天气怎么样", "what happened with my order", "订单怎么样了"),
        *("list my friends", "我有哪些朋友"),
    ],
)
def test_what_only_the_phone_can_tell_is_a_command(line: str) -> None:
    assert route(line).kind is RouteKind.COMMAND

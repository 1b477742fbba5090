"""What a turn remembers for its model: the latest steps, and notes for once or for good."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.agent.checkpoint import (
    TurnCheckpointer,
    continue_checkpoint,
    end_unclear,
    find_asked_again,
    format_refusal_words,
)
from assistant.agent.context import restate_done
from assistant.events import ActionKind, Deed
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.phone.errors import Refusal
from assistant.records import Click, Finished, Outcome, Point, PressBack, Target
from tests.tables import each

NOW = datetime(2026, 3, 9, 12, 5, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path, now=lambda: NOW)
    yield store
    store.close()


def checkpoint(steps: int = 0) -> Checkpoint:
    return Checkpoint(
        turn_id="t",
        user_id="me",
        started=NOW,
        said="x",
        instruction="x",
        steps=tuple(
            StoredStep(number=number, action=PressBack(), thought=f"step {number}")
            for number in range(1, steps + 1)
        ),
    )


ALL = [f"step {number}" for number in range(1, 6)]


@pytest.mark.parametrize(("newest", "thoughts"), [(2, ALL[3:]), (5, ALL), (9, ALL), (0, [])])
def test_the_model_is_told_the_latest_steps_oldest_first(
    store: Store, newest: int, thoughts: list[str]
) -> None:
    assert [step.thought for step in TurnCheckpointer(store, checkpoint(5)).history(newest)] == thoughts


def test_passing_notes_are_heard_once_and_the_users_words_stay(store: Store) -> None:
    checkpointer = TurnCheckpointer(store, checkpoint())
    checkpointer.add_note("The user says: no onions")
    checkpointer.add_transient_notes("The screen went dark.", "It is on again.")
    assert checkpointer.notes() == ("The user says: no onions", "The screen went dark.", "It is on again.")
    checkpointer.clear_transient_notes()
    assert checkpointer.notes() == ("The user says: no onions",)


async def test_what_is_not_stored_leaves_nothing(store: Store) -> None:
    checkpointer = TurnCheckpointer(store, checkpoint(), stored=False)
    checkpointer.add_step(StoredStep(number=1, action=Finished(answer="Room 5")))
    checkpointer.save()
    await checkpointer.finish(Outcome.SUCCESS, 1.0, "Room 5")
    assert store.turns.newest_open("me") is None
    assert store.records.get("t") is None


def test_what_the_model_noted_stays_with_the_step_it_noted_it_at(store: Store) -> None:
    noted = StoredStep(number=1, action=PressBack(), notes=("Room 12: 80",))
    later = [StoredStep(number=number, action=PressBack()) for number in range(2, 30)]
    turn = checkpoint().model_copy(update={"steps": (noted, *later)})

    assert TurnCheckpointer(store, turn).notes() == ("You noted at step 1: Room 12: 80",)


def test_long_turns_are_folded_by_halves_and_never_renumbered(store: Store) -> None:
    told = TurnCheckpointer(store, checkpoint(11))

    assert [step.number for step in told.history(4)] == [9, 10, 11]
    assert told.folded(4).startswith("Steps 1 to 8 in short: 1. press back; 2. press back")
    assert TurnCheckpointer(store, checkpoint(12)).folded(4) == told.folded(4)
    assert TurnCheckpointer(store, checkpoint(4)).folded(4) == ""


def stored(store: Store) -> Checkpoint:
    """The turn as a program that starts after a crash reads it."""
    checkpoint = store.turns.newest_open("me")
    assert checkpoint is not None
    return checkpoint


async def test_a_kill_leaves_the_deed_under_way_and_what_the_user_said(store: Store) -> None:
    checkpointer = TurnCheckpointer(store, checkpoint(1))
    checkpointer.add_user_words("no onions")
    assert stored(store).notes == ("The user says: no onions",)

    deed = StoredStep(number=2, action=PressBack())
    checkpointer.note_question(deed)
    assert (stored(store).asked, stored(store).is_allowed) == (deed, False)
    checkpointer.note_question(deed, is_allowed=True)
    assert stored(store).is_allowed
    await checkpointer.set_intent(deed)
    assert stored(store).intent == deed
    assert (stored(store).asked, stored(store).is_allowed) == (None, False)
    checkpointer.add_step(deed)
    assert stored(store).intent is None
    assert len(stored(store).steps) == 2


def test_the_models_notes_are_told_in_the_order_in_which_it_took_them(store: Store) -> None:
    noted = ("Room 12: 80", "Room 14: 95"), ("Room 20: 60",)
    steps = [
        StoredStep(number=place, action=PressBack(), notes=notes) for place, notes in enumerate(noted, 1)
    ]
    turn = checkpoint().model_copy(update={"steps": tuple(steps)})

    rooms = [note.rpartition(": Room ")[2] for note in TurnCheckpointer(store, turn).notes()]
    assert rooms == ["12: 80", "14: 95", "20: 60"]


async def test_a_continued_turn_took_the_time_of_both_programs(store: Store) -> None:
    begun = checkpoint(1).model_copy(update={"seconds": 40.0})
    checkpointer = TurnCheckpointer(store, begun)
    checkpointer.save()
    await checkpointer.finish(Outcome.SUCCESS, 2.5, "done")
    assert checkpointer.checkpoint.seconds == 42.5


DEED = StoredStep(
    number=2, action=PressBack(), deed=Deed(kind=ActionKind.PAY, amount="¥29", recipient="Old Street")
)


def test_a_continued_turn_knows_of_the_deed_that_a_kill_cut_off() -> None:
    left = continue_checkpoint(checkpoint(1).model_copy(update={"intent": DEED}))
    assert left.intent is None
    assert [step.number for step in left.steps] == [1, 2]
    done = left.steps[-1].deed_done
    assert done is not None
    assert done.maybe
    assert "may or may not have been carried out" in left.notes[-1]
    assert continue_checkpoint(checkpoint(1)).steps == checkpoint(1).steps


def test_a_deed_that_failed_on_the_way_may_have_been_done_unless_nothing_was_sent() -> None:
    cut_off = end_unclear(DEED, "the phone went away").deed_done
    assert cut_off is not None
    assert cut_off.maybe
    assert end_unclear(DEED, Refusal.NO_FIELD).deed_done is None
    harmless = end_unclear(DEED.model_copy(update={"deed": None}), "the phone went away")
    assert (harmless.deed_done, harmless.error) == (None, "the phone went away")


@pytest.mark.parametrize(
    ("command", "more"),
    [("order a soup", "two more"), ("点一碗馄饨", "再来一碗"), ("buy a tea", "make it large")],
)
def test_what_is_paid_is_corrected_no_more(store: Store, command: str, more: str) -> None:
    begun = checkpoint().model_copy(update={"said": command, "instruction": command})
    before = TurnCheckpointer(store, begun)
    before.add_user_words(more)
    assert before.checkpoint.instruction != command
    deed = Deed(kind=ActionKind.PAY, package="shop", app="Shop", amount="¥20")
    paid = begun.model_copy(update={"steps": (StoredStep(number=1, action=PressBack(), deed=deed),)})
    after = TurnCheckpointer(store, paid)
    after.add_user_words(more)
    assert after.checkpoint.instruction == command
    assert after.checkpoint.notes == (f"The user says: {more}",)


@each(
    ("said", "asks"),
    [
        *(
            (words, True)
            for words in ("再来一杯", "好的，再来一份", "再给她发一条", "再点一杯拿铁", "再来两杯吧")
        ),
        *(
            (words, True)
            for words in ("another one", "order another one please", "send it again", "one more")
        ),
        *((words, True) for words in ("and one more coffee", "do it once more", "pay him again", "two more")),
        *(
            (words, False)
            for words in ("make it large", "scroll down again and look at the second", "太贵了")
        ),
        *((words, False) for words in ("the other address", "再便宜一点", "is it done?", "no onions")),
    ],
)
def test_what_is_asked_for_once_more_is_done_by_a_deed_behind_it(said: str, asks: bool) -> None:
    deed = Deed(kind=ActionKind.PAY, package="shop", app="Shop", amount="¥20")
    paid = StoredStep(number=1, action=PressBack(), deed=deed)
    look = StoredStep(number=2, action=PressBack())
    turn = checkpoint().model_copy(update={"remarks": (UserRemark(after=1, text=said),), "steps": (paid,)})
    for steps, is_done in (((paid,), False), ((paid, look), False), ((paid, look, paid), True)):
        again = find_asked_again(turn.model_copy(update={"steps": steps}))
        assert again == ({said: is_done} if asks else {})
    maybe = paid.model_copy(update={"deed": deed.model_copy(update={"maybe": True})})
    if asks:
        assert find_asked_again(turn.model_copy(update={"steps": (paid, maybe)})) == {said: False}
    before = turn.model_copy(update={"remarks": (UserRemark(after=0, text=said),)})
    assert find_asked_again(before) == {}, "nothing was done yet that could be done once more"


def deed_step(
    number: int,
    recipient: str,
    text: str = "",
    *,
    refused: bool = False,
    kind: ActionKind = ActionKind.SEND,
) -> StoredStep:
    """A step that sends something, or calls somebody where it has no text."""
    deed = Deed(kind=kind, app="Chat", recipient=recipient, text=text)
    action = Click(point=Point(0.5, 0.5), target=Target(text="Send" if text else "Call"))
    step = StoredStep(number=number, action=action, app="Chat", kind=kind, deed=deed)
    return step.refused(Refusal.NOT_ALLOWED) if refused else step


@each(
    ("kind", "refused_for", "others", "done", "is_settled"),
    [
        (ActionKind.SEND, "Dad", [], deed_step(2, "Dad", "hello"), True),
        (ActionKind.SEND, "Dad", [], None, False),
        # Nobody else's yes is his, nor one to a step that failed.
        (ActionKind.SEND, "Dad", [], deed_step(2, "Mom", "hello"), False),
        (ActionKind.SEND, "Dad", [], deed_step(2, "Dad", "hello").refused("gone"), False),
        (ActionKind.SEND, "Dad", [], deed_step(2, "Dad", "hello").maybe_done("lost"), False),
        (ActionKind.SEND, "Dad", ["Mom"], deed_step(2, "Dad", "hello"), False),
        (ActionKind.PAY, "Shop A", [], deed_step(2, "Shop A", "hello"), False),
        (ActionKind.SEND, "", [], deed_step(2, "", "hello"), False),
        # The page of an order often names no payee: its button tells it.
        (ActionKind.PAY, "", [], deed_step(2, "", "it", kind=ActionKind.PAY), True),
        (ActionKind.PAY, "", ["Mom"], deed_step(2, "", "it", kind=ActionKind.PAY), False),
    ],
)
def test_what_was_refused_is_told_as_settled_once_such_a_step_was_allowed_and_done(
    store: Store,
    kind: ActionKind,
    refused_for: str,
    others: list[str],
    done: StoredStep | None,
    is_settled: bool,
) -> None:
    refused = deed_step(1, refused_for, "hi", refused=True).model_copy(update={"kind": kind})
    before = (*(deed_step(1, each, "hi", refused=True) for each in others), refused)
    checkpointer = TurnCheckpointer(store, checkpoint().model_copy(update={"steps": before}), stored=False)
    checkpointer.add_user_words("say hello first", format_refusal_words(refused, "say hello first"))
    checkpointer.note_question(done or deed_step(2, refused_for, "hello"), is_allowed=True)
    assert not checkpointer.notes()[0].startswith("Settled"), "it may still fail"
    if done is not None:
        checkpointer.add_step(done)
    (note,) = checkpointer.notes()
    assert note.startswith("Settled, as they allowed such a step since: The user did not") is is_settled
    assert note.startswith("The user did not allow") is not is_settled


def test_what_is_said_in_the_place_of_a_yes_may_give_a_text_or_speak_to_the_model() -> None:
    for said in ("too harsh, change it to: back at 3", "no, the other card"):
        note = format_refusal_words(deed_step(1, "Dad", "hi", refused=True), said)
        assert note.startswith("The user did not allow “tap “Send”” and said what to do instead.")
        assert "behind “change it to”, is entered as it stands" in note
        assert note.endswith(f"their other words are entered nowhere. The user says: {said}")


def restated(
    instruction: str, steps: tuple[StoredStep, ...], *remarks: UserRemark, said: str = ""
) -> Checkpoint:
    turn = checkpoint().model_copy(
        update={
            "said": said or instruction,
            "instruction": instruction,
            "steps": steps,
            "remarks": remarks,
        }
    )
    return restate_done(turn, Outcome.SUCCESS)


def text_remark(new: str, old: str, words: str = "") -> UserRemark:
    return UserRemark(after=0, text=words or f"say {new}", kind="text", new=new, old=old)


def test_a_correction_that_one_of_two_messages_has_is_kept() -> None:
    steps = (deed_step(1, "Mom", "hi"), deed_step(2, "Dad", "hey"))
    remark = text_remark("hey", "yo", "say hey to dad")
    command = "text mom hi and text dad hey"
    assert restated(command, steps, remark).instruction == command
    without = (deed_step(1, "Mom", "hi"), deed_step(2, "Dad", "yo"))
    assert restated(command, without, remark).instruction == (
        "text mom hi and text dad yo // instead: say hey to dad"
    )


@each(
    ("instruction", "remarks", "before"),
    [
        ("tell him hi", [text_remark("hi", "yo")], "tell him yo"),
        ("tell hi hi", [text_remark("hi", "yo")], "tell hi yo"),
        ("tell him hi there", [text_remark("hi", "yo"), text_remark("hi there", "hi")], "tell him yo"),
        ("tell him all", [text_remark("hi", "yo")], "tell him all"),
        ("tell him hi", [text_remark("", "yo", "say it")], "tell him hi"),
        ("跟好友说好", [text_remark("好", "不")], "跟好友说不"),
    ],
)
def test_a_misread_correction_is_taken_out_of_the_command_as_whole_words(
    instruction: str, remarks: list[UserRemark], before: str
) -> None:
    steps = (deed_step(1, "Ann", "something else"), deed_step(2, "Eve", "more"))
    restatement = restated(instruction, steps, *remarks).instruction
    assert restatement.split(" // ")[0] == before
    assert all(remark.text in restatement for remark in remarks) or before == instruction


def test_where_a_deed_was_done_the_whole_command_is_not_told_as_undone() -> None:
    steps = (deed_step(1, "Mom", "hi", refused=True), deed_step(2, "Dad", "yo"))
    command = "text mom hi and text dad yo"
    assert restated(command, steps).instruction == command
    assert restated(command, steps[:1]).instruction == f"{command} // instead: not done"


@each(
    ("recipient", "text", "words", "instruction"),
    [
        ("Bo", "ok", "text Bob to book a table", "call Al // instead: text Bob to book a table"),
        ("Bo", "book", "text Bob to book a table", "call Al // instead: text Bob to book a table"),
        ("Bob", "ok", "text Bob to book a table", "call Al // instead: text Bob to book a table"),
        ("Bob", "👍", "text Bob thumbs up", "call Al // instead: text Bob thumbs up"),
        ("Bob", "book a table", "text Bob to book a table", "text Bob: book a table"),
        ("Bob", "ok", "给Bob发消息说ok", "给Bob发消息：ok"),
    ],
)
def test_a_message_is_stated_only_where_its_words_were_said_as_whole_words(
    recipient: str, text: str, words: str, instruction: str
) -> None:
    steps = (deed_step(1, "Al", refused=True), deed_step(2, recipient, text))
    assert restated("call Al", steps, UserRemark(after=1, text=words)).instruction == instruction


@each(
    ("recipient", "words", "said"),
    [
        ("Dan", "not so harsh, say can you get her at 3:40", "text my husband not to forget her"),
        ("Ann", "no, tell Ann can you get her at 3:40", "no, tell Ann can you get her at 3:40"),
    ],
)
def test_another_text_to_the_same_person_was_asked_for_by_the_command(
    recipient: str, words: str, said: str
) -> None:
    steps = (
        deed_step(1, "Dan", "don't forget her", refused=True),
        deed_step(2, recipient, "can you get her at 3:40"),
    )
    remark = UserRemark(after=1, text=words)
    turn = restated("text Dan: don't forget her", steps, remark, said="text my husband not to forget her")
    assert turn.instruction == f"text {recipient}: can you get her at 3:40"
    assert turn.record(Outcome.SUCCESS).said == said


def test_the_words_of_a_refusal_are_left_to_the_model_where_they_are_unclear(store: Store) -> None:
    instruction = "Order 2 big oat lattes, one for li na, from Corner Coffee to the office on Eats"
    turn = checkpoint().model_copy(update={"said": instruction, "instruction": instruction})
    checkpointer = TurnCheckpointer(store, turn)
    checkpointer.add_user_words("no, half sugar for li nas")
    assert checkpointer.unclear is not None
    checkpointer.add_user_words("no, half sugar for li nas", "The user refuses this.")
    assert checkpointer.unclear is None
    assert checkpointer.checkpoint.instruction == instruction

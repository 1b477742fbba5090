"""What the user is asked before a deed and within a turn, and what an answer allows."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest
from PIL import Image

from assistant.agent.context import (
    AskAboutCommand,
    LikelyAnswer,
    TurnContext,
    UnclearCorrection,
)
from assistant.agent.instruction_check import find_conflict
from assistant.agent.step import with_target
from assistant.agent.turn_control import Interrupted, Signal, TurnControl
from assistant.agent.user_prompts import QuestionLine, RefusedBefore, Unattended, UserPrompter, crop_around
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    Cause,
    Deed,
    Event,
    QuestionAsked,
    TurnState,
    Verdict,
)
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.records import (
    AskUser,
    Bounds,
    Click,
    ForegroundApp,
    Observation,
    Outcome,
    Point,
    TypeText,
)
from assistant.safety.amounts import Allowance
from assistant.safety.classifier import Risk, judge
from assistant.safety.deeds import DeedLog, make_deed
from assistant.settings.schema import MemorySettings, Settings
from assistant.skills.command_wording import Correction, ValueKind
from tests.safety.screens import button, label, screen, tap
from tests.tables import each

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)


EATS = ForegroundApp("com.example.eats", ".Main", "Eats")


CHAT = ForegroundApp("com.example.chat", ".Main", "Chat")


PAY, SEND = ActionKind.PAY, ActionKind.SEND


def test_the_crop_shows_the_element_and_what_is_around_it() -> None:
    picture = Image.new("RGB", (100, 200), "white")
    picture.paste("red", (40, 100, 60, 110))
    out = io.BytesIO()
    picture.save(out, "PNG")
    observation = Observation(200, 400, out.getvalue(), ())
    with Image.open(io.BytesIO(crop_around(observation, Bounds(80, 200, 120, 220)))) as crop:
        assert crop.width == 100
        assert 20 < crop.height < 60
        assert crop.getpixel((50, crop.height // 2)) == (255, 0, 0)


def test_no_crop_where_there_is_no_picture() -> None:
    somewhere = Bounds(0, 0, 10, 10)
    assert crop_around(Observation(10, 10, b"", ()), somewhere) == b""
    assert crop_around(Observation(10, 10, b"nonsense", ()), somewhere) == b""
    assert crop_around(Observation(10, 10, b"x", (), secure=True), somewhere) == b""
    assert crop_around(Observation(10, 10, b"x", ()), None) == b""


async def ask(
    store: Store,
    recipient: str,
    control: TurnControl,
    answer: Callable[[ApprovalRequested], object],
    deeds: DeedLog | None = None,
    texts: Sequence[str] = ("late",),
    unheeded: Sequence[str] = (),
    settle: Callable[[str], object] = str,
    said: str = "",
    begun: Mapping[str, object] | None = None,
) -> None:
    """Ask about messages, one after the other, and have them answered."""

    def emit(event: Event) -> None:
        if isinstance(event, ApprovalRequested):
            answer(event)

    nothing = cast(Any, None)
    settings = Settings.model_construct(store=store.folder)
    context = TurnContext(nothing, nothing, store, settings, lambda: NOW, emit)
    prompter = UserPrompter(context, control, "me", deeds)
    prompter.watch_remarks(lambda: unheeded, settle)
    checkpoint = Checkpoint(turn_id="t", user_id="me", started=NOW, said=said, instruction=said)
    checkpoint = checkpoint.model_copy(update=begun or {})
    prompter.watch_command(lambda: checkpoint)
    times = cast(Any, SimpleNamespace(exclude_user_time=nullcontext))
    for text in texts:
        deed = Deed(kind=SEND, package=CHAT.package, app=CHAT.label, recipient=recipient, text=text)
        step = StoredStep(number=1, action=Click(point=Point(0.5, 0.5)), deed=deed)
        await prompter.approve(step, Risk(SEND), Observation(10, 10, b"", (), app=CHAT), times)


def running(states: list[TurnState]) -> TurnControl:
    control = TurnControl(lambda state, cause, sentence: states.append(state))
    control.apply_signal(Signal.RESOLVED, Cause.OBSERVING)
    return control


@pytest.mark.parametrize(("recipient", "kept"), [("Mom", ["Mom"]), ("", [])])
async def test_always_becomes_a_rule_only_where_it_says_for_whom(
    tmp_path: Path, recipient: str, kept: list[str]
) -> None:
    store = Store(tmp_path)
    await ask(
        store, recipient, running([]), lambda event: event.decision.set_result(Approval(Verdict.ALWAYS))
    )
    with store.reader() as connection:
        rules = connection.exec_driver_sql("SELECT recipient FROM approvals").scalars().all()
    store.close()
    assert list(rules) == kept


@pytest.mark.parametrize(("verdict", "questions"), [(Verdict.ONCE, 2), (Verdict.THIS_TURN, 1)])
async def test_this_turn_holds_for_the_next_message_to_the_same_person(
    tmp_path: Path, verdict: Verdict, questions: int
) -> None:
    store, asked, deeds, control = Store(tmp_path), list[str](), DeedLog(()), running([])

    def answer(event: ApprovalRequested) -> None:
        assert event.deed is not None
        asked.append(event.deed.recipient)
        event.decision.set_result(Approval(verdict))

    for _ in range(2):
        await ask(store, "Mom", control, answer, deeds)
    await ask(store, "Dad", control, answer, deeds)
    store.close()
    assert asked == ["Mom"] * questions + ["Dad"]


@pytest.mark.parametrize(("second", "is_warned"), [("late", True), ("there at nine", False)])
async def test_a_correction_that_changed_nothing_is_said_to_have_changed_nothing(
    tmp_path: Path, second: str, is_warned: bool
) -> None:
    store, warnings = Store(tmp_path), list[str]()

    def answer(event: ApprovalRequested) -> None:
        warnings.append(event.warning)
        event.decision.set_result(Approval(Verdict.INSTEAD, words="say there at nine"))

    await ask(store, "Mom", running([]), answer, texts=("late", second))
    store.close()
    assert warnings[0] == ""
    assert ("say there at nine" in warnings[1]) is is_warned


@pytest.mark.parametrize("refusal", [Approval(Verdict.INSTEAD, "not to her"), Approval(Verdict.NO)])
async def test_what_was_refused_twice_is_not_asked_a_third_time(tmp_path: Path, refusal: Approval) -> None:
    store, warnings = Store(tmp_path), list[str]()

    def answer(event: ApprovalRequested) -> None:
        warnings.append(event.warning)
        event.decision.set_result(refusal)

    with pytest.raises(RefusedBefore) as stopped:
        await ask(store, "Mom", running([]), answer, texts=("late", "late", "late"))
    store.close()
    assert len(warnings) == 2
    assert warnings[1]
    assert refusal.words in str(stopped.value)
    assert "press F5" in str(stopped.value)


async def test_another_deed_is_asked_about_after_two_refusals(tmp_path: Path) -> None:
    store, asked = Store(tmp_path), list[str]()

    def answer(event: ApprovalRequested) -> None:
        assert event.deed is not None
        asked.append(event.deed.text)
        event.decision.set_result(Approval(Verdict.INSTEAD, "shorter"))

    await ask(store, "Mom", running([]), answer, texts=("late", "late", "soon"))
    store.close()
    assert asked == ["late", "late", "soon"]


async def test_what_was_said_in_the_turn_and_not_followed_is_asked_about_despite_an_answer_for_the_turn(
    tmp_path: Path,
) -> None:
    store, deeds, not_shown = Store(tmp_path), DeedLog(()), list[tuple[str, ...]]()

    def answer(event: ApprovalRequested) -> None:
        not_shown.append(event.not_shown)
        event.decision.set_result(Approval(Verdict.THIS_TURN))

    await ask(store, "Mom", running([]), answer, deeds)
    await ask(store, "Mom", running([]), answer, deeds, unheeded=["make it two"])
    store.close()
    assert not_shown == [(), ("make it two",)]


@pytest.mark.parametrize(("second", "is_changed"), [("soon", True), ("late", False)])
async def test_a_deed_that_changed_after_what_was_said_is_not_told_to_be_unchanged(
    tmp_path: Path, second: str, is_changed: bool
) -> None:
    store, events, settled = Store(tmp_path), list[ApprovalRequested](), list[str]()
    approvals = [Approval(Verdict.INSTEAD, "写得短一点"), Approval(Verdict.ONCE)]

    def answer(event: ApprovalRequested) -> None:
        events.append(event)
        event.decision.set_result(approvals.pop(0))

    words = ["写得短一点"]
    await ask(
        store, "Mom", running([]), answer, texts=("late", second), unheeded=words, settle=settled.append
    )
    store.close()
    assert events[1].user_words == "写得短一点"
    assert (events[1].warning == events[1].unheard == "") is is_changed
    assert bool(settled) is is_changed


async def test_words_of_which_nothing_is_seen_are_not_told_to_have_had_no_effect(tmp_path: Path) -> None:
    store, events, settled = Store(tmp_path), list[ApprovalRequested](), list[str]()

    def answer(event: ApprovalRequested) -> None:
        events.append(event)
        event.decision.set_result(Approval(Verdict.ONCE))

    words = ["写得短一点"]
    await ask(
        store, "Mom", running([]), answer, texts=("late", "soon"), unheeded=words, settle=settled.append
    )
    store.close()
    assert events[0].not_shown == ("写得短一点",)
    assert events[0].warning == events[0].unheard == ""
    # A yes to it lets them pass; whether they were heeded is judged at the end.
    assert events[1].not_shown == ()
    assert settled == []


async def test_all_words_of_which_nothing_is_seen_are_told_and_a_comparison_is_settled_by_a_yes(
    tmp_path: Path,
) -> None:
    store, events, settled = Store(tmp_path), list[ApprovalRequested](), list[str]()

    def answer(event: ApprovalRequested) -> None:
        events.append(event)
        event.decision.set_result(Approval(Verdict.ONCE))

    words = ["no onions", "the cheaper one"]
    await ask(store, "Mom", running([]), answer, texts=("late",), unheeded=words, settle=settled.append)
    store.close()
    assert events[0].not_shown == ("no onions", "the cheaper one")
    assert settled == ["the cheaper one"], "whether there are no onions is judged at the end"


async def test_a_message_in_other_words_than_a_correction_is_no_unheeded_correction(tmp_path: Path) -> None:
    store, events = Store(tmp_path), list[ApprovalRequested]()
    approvals = [Approval(Verdict.INSTEAD, "不 改成说大概九点半到家 让她别等我"), Approval(Verdict.ONCE)]

    def answer(event: ApprovalRequested) -> None:
        events.append(event)
        event.decision.set_result(approvals.pop(0))

    new, old = "大概九点半到家 让她别等我", "今晚不回去吃了 加班"
    said = UserRemark(after=0, text="不 改成说大概九点半到家 让她别等我", kind="text", new=new, old=old)
    texts = ("今晚不回去吃了，加班", "大概九点半到家，别等我")
    await ask(store, "妈妈", running([]), answer, texts=texts, begun={"remarks": (said,)})
    store.close()
    assert f"against your words “{said.text}”" in events[0].warning
    assert (events[1].warning, events[1].unheard, events[1].user_words) == ("", "", said.text)


async def test_a_payment_by_other_means_than_was_refused_has_changed(tmp_path: Path) -> None:
    store, events = Store(tmp_path), list[ApprovalRequested]()
    approvals = [Approval(Verdict.INSTEAD, "别用余额，用银行卡付"), *[Approval(Verdict.NO)] * 2]

    def emit(event: Event) -> None:
        if isinstance(event, ApprovalRequested):
            events.append(event)
            event.decision.set_result(approvals.pop(0))

    nothing = cast(Any, None)
    settings = Settings.model_construct(store=store.folder)
    phone = cast(Any, SimpleNamespace(region=AsyncMock(return_value="CN")))
    context = TurnContext(phone, nothing, store, settings, lambda: NOW, emit)
    prompter = UserPrompter(context, running([]), "me")
    times = cast(Any, SimpleNamespace(exclude_user_time=nullcontext))
    for means in ("账户余额", "银行卡 (4417)", "银行卡 (4417)"):
        chosen = replace(
            label(means, 60), class_name="android.widget.RadioButton", checkable=True, checked=True
        )
        page = screen(label("确认付款", 10), label("¥32.00", 30), chosen, button("确认付款", 160))
        deed = Deed(kind=PAY, package=EATS.package, app=EATS.label, amount="¥32")
        step = StoredStep(number=1, action=tap(page, 4), deed=deed)
        await prompter.approve(step, Risk(PAY), page, times)
    store.close()
    assert [event.paid_from for event in events] == ["账户余额", "银行卡 (4417)", "银行卡 (4417)"]
    assert [event.unheard for event in events] == ["", "", ""]
    assert events[1].warning == ""
    assert "refused exactly this" in events[2].warning


async def test_a_refused_deed_is_asked_about_again_despite_a_later_answer_for_the_turn(
    tmp_path: Path,
) -> None:
    store, asked, verdicts = Store(tmp_path), list[str](), [Verdict.NO, Verdict.THIS_TURN, Verdict.NO]

    def answer(event: ApprovalRequested) -> None:
        assert event.deed is not None
        asked.append(event.deed.text)
        event.decision.set_result(Approval(verdicts.pop(0)))

    await ask(store, "Mom", running([]), answer, DeedLog(()), texts=("late", "soon", "late"))
    store.close()
    assert asked == ["late", "soon", "late"]


@pytest.mark.parametrize(
    ("text", "is_allowed", "is_told"), [("late", True, True), ("late", False, False), ("soon", True, False)]
)
async def test_a_yes_that_was_lost_with_the_program_is_told_once(
    tmp_path: Path, text: str, is_allowed: bool, is_told: bool
) -> None:
    store, warnings = Store(tmp_path), list[str]()
    deed = Deed(kind=SEND, package=CHAT.package, app=CHAT.label, recipient="Mom", text=text)
    asked = StoredStep(number=1, action=Click(point=Point(0.5, 0.5)), deed=deed)
    begun = {"asked": asked, "is_allowed": is_allowed}

    def answer(event: ApprovalRequested) -> None:
        warnings.append(event.warning)
        event.decision.set_result(Approval(Verdict.ONCE))

    await ask(store, "Mom", running([]), answer, DeedLog(()), texts=("late", "late"), begun=begun)
    store.close()
    assert ("You allowed this just before the program ended" in warnings[0]) is is_told
    assert "just before" not in warnings[1]


@pytest.mark.parametrize(
    ("text", "minutes", "is_told"), [("late", 2, True), ("soon", 2, False), ("late", 40, False)]
)
async def test_what_another_turn_has_just_done_is_told_at_the_same_deed(
    tmp_path: Path, text: str, minutes: int, is_told: bool
) -> None:
    store, warnings = Store(tmp_path), list[str]()
    deed = Deed(kind=SEND, package=CHAT.package, app=CHAT.label, recipient="Mom", text=text)
    step = StoredStep(number=1, action=Click(point=Point(0.5, 0.5)), deed=deed)
    before = Checkpoint(
        turn_id="before",
        user_id="me",
        started=NOW - timedelta(minutes=minutes),
        said="tell Mom",
        instruction="tell Mom",
        steps=(step,),
    )
    store.turns.finish(before, Outcome.SUCCESS)

    def answer(event: ApprovalRequested) -> None:
        warnings.append(event.warning)
        event.decision.set_result(Approval(Verdict.ONCE))

    await ask(store, "Mom", running([]), answer, DeedLog(()))
    store.close()
    told = "The same was done in the last 2 minutes, by “tell Mom”: Mom."
    assert warnings == [told if is_told else ""]


@pytest.mark.parametrize("changes", [{"maybe": True}, {"recipient": ""}])
async def test_what_may_not_have_been_done_or_is_for_nobody_named_is_not_told_as_done_before(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    store, warnings = Store(tmp_path), list[str]()
    deed = Deed(kind=SEND, package=CHAT.package, app=CHAT.label, recipient="Mom", text="late")
    deed = deed.model_copy(update=changes)
    step = StoredStep(number=1, action=Click(point=Point(0.5, 0.5)), deed=deed)
    started = NOW - timedelta(minutes=2)
    before = Checkpoint(
        turn_id="before", user_id="me", started=started, said="tell Mom", instruction="x", steps=(step,)
    )
    store.turns.finish(before, Outcome.SUCCESS)

    def answer(event: ApprovalRequested) -> None:
        warnings.append(event.warning)
        event.decision.set_result(Approval(Verdict.ONCE))

    await ask(store, deed.recipient, running([]), answer, DeedLog(()))
    store.close()
    assert warnings == [""]


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize(("minutes", "is_told"), [(3, True), (45, False)])
async def test_a_deed_is_as_old_as_itself_whenever_its_turn_began_and_whether_or_not_it_runs(
    tmp_path: Path, minutes: int, is_told: bool, is_open: bool
) -> None:
    store, warnings = Store(tmp_path), list[str]()
    deed = Deed(kind=SEND, package=CHAT.package, app=CHAT.label, recipient="Mom", text="late")
    at = NOW - timedelta(minutes=minutes)
    step = StoredStep(number=1, action=Click(point=Point(0.5, 0.5)), deed=deed, at=at)
    started = NOW - timedelta(minutes=50)
    before = Checkpoint(
        turn_id="before", user_id="me", started=started, said="tell Mom", instruction="x", steps=(step,)
    )
    if is_open:
        store.turns.save(before)
    else:
        store.turns.finish(before, Outcome.SUCCESS)

    def answer(event: ApprovalRequested) -> None:
        warnings.append(event.warning)
        event.decision.set_result(Approval(Verdict.ONCE))

    await ask(store, "Mom", running([]), answer, DeedLog(()))
    store.close()
    assert warnings == ["The same was done in the last 3 minutes, by “tell Mom”: Mom." if is_told else ""]


def option(new: str, old: str) -> UserRemark:
    return UserRemark(after=1, text=f"wait, {new}", kind="option", new=new, old=old)


@each(
    ("line", "remark", "against"),
    [
        ("Ramen, spicy ×1", option("no spice", "spicy"), "wait, no spice"),
        ("Ramen, no spice ×1", option("no spice", "spicy"), ""),
        ("火锅粉 大份, 特辣 ×1", option("不要辣", "特辣"), "wait, 不要辣"),
        ("Ramen ×1", option("extra egg", ""), ""),
    ],
)
def test_a_payment_whose_page_shows_the_option_that_was_taken_back_is_against_it(
    line: str, remark: UserRemark, against: str
) -> None:
    deed = Deed(kind=PAY, package=EATS.package, app=EATS.label, amount="¥29")
    assert find_conflict([remark], deed, (line, "Delivery ¥3")) == against
    # Another option does not stand for it.
    other = option("extra egg", "")
    assert find_conflict([remark, other], deed, (line, "Delivery ¥3")) == against


async def test_a_yes_to_what_the_user_had_taken_back_is_remembered(tmp_path: Path) -> None:
    store, warnings = Store(tmp_path), list[str]()

    def emit(event: Event) -> None:
        if isinstance(event, ApprovalRequested):
            warnings.append(event.warning)
            event.decision.set_result(Approval(Verdict.ONCE))

    nothing = cast(Any, None)
    settings = Settings.model_construct(store=store.folder)
    context = TurnContext(nothing, nothing, store, settings, lambda: NOW, emit)
    prompter = UserPrompter(context, running([]), "me", DeedLog(()))
    said = "order a spicy ramen"
    checkpoint = Checkpoint(
        turn_id="t",
        user_id="me",
        started=NOW,
        said=said,
        instruction=said,
        remarks=(option("mild", "spicy"),),
    )
    prompter.watch_command(lambda: checkpoint)
    texts = [label(line, 20 * at) for at, line in enumerate(("Checkout", "Ramen, spicy", "Total ¥29"))]
    page = screen(*texts, button("Pay ¥29", 150), app=EATS)
    action = tap(page, 4)
    risk = judge(action, page)
    assert risk is not None
    step = StoredStep(number=2, action=action, deed=make_deed(risk, action, page))
    times = cast(Any, SimpleNamespace(exclude_user_time=nullcontext))
    await prompter.approve(step, risk, page, times)
    store.close()
    assert "wait, mild" in warnings[0]
    assert prompter.overruled == ["wait, mild"]


async def test_what_the_turn_itself_has_entered_is_marked_among_the_words_of_a_page(tmp_path: Path) -> None:
    store, events = Store(tmp_path), list[ApprovalRequested]()

    def emit(event: Event) -> None:
        if isinstance(event, ApprovalRequested):
            events.append(event)
            event.decision.set_result(Approval(Verdict.ONCE))

    nothing = cast(Any, None)
    settings = Settings.model_construct(store=store.folder)
    context = TurnContext(nothing, nothing, store, settings, lambda: NOW, emit)
    prompter = UserPrompter(context, running([]), "me", DeedLog(()))
    typed = StoredStep(number=1, action=TypeText(text="no wait, two of them"))
    checkpoint = Checkpoint(turn_id="t", user_id="me", started=NOW, said="x", instruction="x", steps=(typed,))
    prompter.watch_command(lambda: checkpoint)
    words = ("Checkout", "Old Street Noodles", "no wait, two of them", "Total ¥29")
    texts = [label(line, 20 * at) for at, line in enumerate(words)]
    page = screen(*texts, button("Pay ¥29", 150), app=EATS)
    action = tap(page, 5)
    risk = judge(action, page)
    assert risk is not None
    step = StoredStep(number=2, action=action, deed=make_deed(risk, action, page))
    times = cast(Any, SimpleNamespace(exclude_user_time=nullcontext))
    await prompter.approve(step, risk, page, times)
    store.close()
    assert "entered in this turn: “no wait, two of them”" in events[0].page_words
    assert "Old Street Noodles" in events[0].page_words


async def test_a_touch_that_nobody_could_read_is_not_told_as_a_deed_that_was_done(tmp_path: Path) -> None:
    store, warnings = Store(tmp_path), list[str]()
    unread = Deed(kind=PAY, package=EATS.package, app=EATS.label)
    order = unread.model_copy(update={"amount": "¥55", "text": "Submit order"})

    def emit(event: Event) -> None:
        if isinstance(event, ApprovalRequested):
            warnings.append(event.warning)
            event.decision.set_result(Approval(Verdict.NO))

    nothing = cast(Any, None)
    settings = Settings.model_construct(store=store.folder)
    times = cast(Any, SimpleNamespace(exclude_user_time=nullcontext))
    for done in (unread, order):
        context = TurnContext(nothing, nothing, store, settings, lambda: NOW, emit)
        prompter = UserPrompter(context, running([]), "me", DeedLog((Allowance(PAY),), [done]))
        step = StoredStep(number=2, action=Click(point=Point(0.5, 0.5)), deed=order)
        await prompter.approve(step, Risk(PAY), Observation(10, 10, b"", (), app=EATS), times)
    store.close()
    assert warnings[0].startswith("In Eats something that could not be read was touched before.")
    assert warnings[1] == "This was done already in this turn: ¥55."


async def test_a_turn_that_is_cancelled_while_it_asks_does_not_go_on(tmp_path: Path) -> None:
    store, states = Store(tmp_path), list[TurnState]()
    control = running(states)
    with pytest.raises(Interrupted):
        await ask(store, "Mom", control, lambda event: control.cancel())
    store.close()
    assert states[-1] is TurnState.WAITING


async def test_an_answer_that_comes_together_with_a_pause_counts_and_the_turn_pauses(tmp_path: Path) -> None:
    control = running([])

    def emit(event: Event) -> None:
        if isinstance(event, QuestionAsked):
            loop = asyncio.get_running_loop()
            loop.call_soon(event.answer.set_result, "at the office")
            loop.call_soon(control.pause)

    nothing = cast(Any, None)
    settings = Settings.model_construct(store=tmp_path, memory=MemorySettings())
    context = TurnContext(nothing, nothing, nothing, settings, lambda: NOW, emit)
    prompter = UserPrompter(context, control, "me")
    assert await prompter.ask_meaning("Where?", ()) == "at the office"
    assert control.state is TurnState.PAUSING


@pytest.mark.parametrize(
    ("attended", "allowances", "asks"),
    [(True, (), True), (False, (), False), (True, (Allowance(PAY),), False)],
)
def test_what_would_be_asked_about_is_told_before(
    tmp_path: Path, attended: bool, allowances: tuple[Allowance, ...], asks: bool
) -> None:
    checkout = screen(label("Checkout"), label("Total ¥19", 30), button("Submit order"))
    press = with_target(tap(checkout, 3), checkout)
    store, settings, nothing = Store(tmp_path), Settings.model_construct(store=tmp_path), cast(Any, None)
    context = TurnContext(nothing, nothing, store, settings, lambda: NOW, lambda _: None, attended=attended)
    prompter = UserPrompter(context, running([]), "me", DeedLog(allowances))
    assert prompter.will_ask(press, checkout) is asks
    store.close()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "Allow it with --yes pay."),
        ((Allowance(PAY, 1, Decimal(5)),), "¥19 is more than --yes allows."),
        ((Allowance(PAY),), "--yes pay is used up. Allow more with --yes pay:2."),
    ],
)
async def test_a_run_that_nobody_watches_says_what_would_have_allowed_the_deed(
    tmp_path: Path, given: tuple[Allowance, ...], words: str
) -> None:
    checkout = screen(label("Checkout"), label("Total ¥19", 30), button("Submit order"))
    press = with_target(tap(checkout, 3), checkout)
    risk = judge(press, checkout, strict=True)
    assert risk is not None
    deed = make_deed(risk, press, checkout)
    store, settings, nothing = Store(tmp_path), Settings.model_construct(store=tmp_path), cast(Any, None)
    context = TurnContext(
        nothing, nothing, store, settings, lambda: NOW, lambda _: None, attended=False, allowances=given
    )
    prompter = UserPrompter(context, running([]), "me", DeedLog())
    with pytest.raises(Unattended, match=re.escape(words)):
        await prompter.approve(StoredStep(number=1, action=press, deed=deed), risk, checkout, cast(Any, None))
    store.close()


LANE = LikelyAnswer("8 Mill Lane", "from calendar: search_events")


@pytest.mark.parametrize(
    ("likely", "question", "choices"),
    [(LANE, "Where? (from calendar: search_events)", ("8 Mill Lane",)), (None, "Where?", ())],
)
async def test_what_another_source_answers_is_offered_and_the_user_decides(
    tmp_path: Path, likely: LikelyAnswer | None, question: str, choices: tuple[str, ...]
) -> None:
    asked: list[QuestionAsked] = []

    def emit(event: Event) -> None:
        if isinstance(event, QuestionAsked):
            asked.append(event)
            event.answer.set_result("at the office")

    async def find(asked_for: str, instruction: str, _ask_user: AskAboutCommand, /) -> LikelyAnswer | None:
        assert (asked_for, instruction) == ("Where?", "Book a taxi")
        return likely

    nothing = cast(Any, None)
    settings = Settings.model_construct(store=tmp_path)
    context = TurnContext(nothing, nothing, nothing, settings, lambda: NOW, emit, find_answer=find)
    prompter = UserPrompter(context, running([]), "me")
    step = StoredStep(number=1, action=AskUser(question="Where?"))
    times = cast(Any, SimpleNamespace(exclude_user_time=nullcontext))
    assert await prompter.ask_question(step, "Where?", times, "Book a taxi") == "at the office"
    (event,) = asked
    assert (event.question, event.choices) == (question, choices)


async def test_questions_wait_in_line_and_each_says_which_sub_task_asks() -> None:
    shown: list[ApprovalRequested | QuestionAsked | None] = []
    line = QuestionLine(shown.append)
    loop = asyncio.get_running_loop()
    answers: list[asyncio.Future[str]] = [loop.create_future() for _ in range(3)]
    for name, answer in zip("abc", answers, strict=True):
        line.add(QuestionAsked(time=NOW, step=1, question="Which?", answer=answer), name, f"{name} · Shop")
    assert [question.question for question in shown if isinstance(question, QuestionAsked)] == [
        "a · Shop: Which?"
    ]
    line.drop("b")
    answers[0].set_result("this")
    await asyncio.sleep(0)
    last = shown[-1]
    assert isinstance(last, QuestionAsked)
    assert (last.branch, last.question) == ("c", "c · Shop: Which?")
    answers[2].cancel()
    await asyncio.sleep(0)
    assert shown[-1] is None
    assert not line


@each(
    ("answer", "command"),
    [
        ("add more sugar", None),
        ("only half", None),
        ("order a cappuccino", "order a cappuccino"),
        ("call mom", "call mom"),
    ],
)
async def test_own_words_take_the_place_of_a_command_only_where_they_are_one(
    answer: str, command: str | None
) -> None:
    async def asked(*_question: object, **_options: object) -> str:
        return answer

    prompter = cast(UserPrompter, SimpleNamespace(ask_meaning=asked))
    unclear = UnclearCorrection("hm", (Correction("a", ValueKind.ITEM, "a", "b"),) * 2)
    read = await UserPrompter.ask_correction(prompter, "Order an oat latte from Corner Coffee", unclear)
    assert (read.command if read is not None else None) == command

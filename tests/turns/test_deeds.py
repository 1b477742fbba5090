"""One yes, one deed: hostile models and pages in whole turns through the real adb server."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image, ImageOps

from assistant.agent.step import ScreenObserver
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    ApprovalSettled,
    ApprovedBy,
    PhoneState,
    StepFinished,
    TurnFinished,
    TurnState,
    Verdict,
)
from assistant.memory.database import StoreError
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.model.types import Decision, StepRequest
from assistant.phone.errors import error_for_state
from assistant.phone.screen import Screenshot, ScreenSource
from assistant.phone.ui_tree import Page, UiTree
from assistant.presentation.turn_log import StepEntry, TurnLog
from assistant.records import (
    Action,
    Click,
    Direction,
    Finished,
    LongClick,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressEnter,
    Scroll,
    Swipe,
    TypeText,
    Usage,
)
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps.base import Difficulties
from assistant.simulator.apps.hostile import DATA, PACKAGE, HostileApp, HostilePage
from assistant.simulator.apps.hostile import Deed as Button
from assistant.tui.turn_lines import format_entry
from tests.turn_fixture import StagedTurn, script, staged_turn

PAY, SEND = ActionKind.PAY, ActionKind.SEND


class LyingShop(HostileApp):
    """What is touched is done at once, and the page after it asks for the same as if it were not."""

    following: tuple[HostilePage, ...] = ()

    def do(self, deed: str) -> None:
        super().do(deed)
        if deed and self.following:
            self.shown, *rest = self.following
            self.following = tuple(rest)


def show(turn: StagedTurn, page: HostilePage, *following: HostilePage) -> HostileApp:
    """Put a page in front, or exchange the one that is; the others follow when its button is touched."""
    desk = turn.phone.windows.desk
    try:
        app = desk.app(PACKAGE)
    except KeyError:
        app = LyingShop(desk, DATA, Difficulties.none())
        desk.add(app)
    assert isinstance(app, LyingShop)
    app.shown, app.following = page, following
    turn.phone.windows.start(PACKAGE)
    turn.phone.windows.changed()
    return app


def paying(amount: str, label: str = "Pay now", title: str = "Checkout") -> HostilePage:
    return HostilePage(
        title=title, lines=(f"Total: {amount}",), buttons=(Button(label=label, id="pay", deed="pay"),)
    )


def tap_without_words(request: StepRequest) -> Action:
    """A tap on the button that pays, in which the model names nothing."""
    return tap_button(request, "pay")


def tap_button(request: StepRequest, name: str = "button") -> Action:
    """A tap on the button with an id, in which the model names nothing; without one the turn is finished."""
    buttons = (element for element in request.observation.elements if element.clickable)
    hit = next((button for button in buttons if button.resource_id.endswith(f"/{name}")), None)
    if hit is None:
        return Finished(answer="done")
    return Click(point=request.observation.point(*hit.bounds.centre))


async def test_a_model_that_pays_again_and_again_pays_once(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(
        adb_server.port, tmp_path, tap_without_words, attended=False, approved=[PAY]
    ) as turn:
        app = show(turn, paying("¥19"))
        finished = await turn.next(TurnFinished)
        assert app.state["deeds"] == ["pay"]
        assert finished.outcome is Outcome.FAILED
        assert "done already" in finished.answer
        assert [(deed.kind, deed.amount) for deed in finished.deeds] == [(PAY, "¥19")]
        (settled,) = turn.all(ApprovalSettled)
        assert settled.by is ApprovedBy.COMMAND_LINE


async def test_a_deed_that_cannot_be_noted_beforehand_is_neither_done_nor_told_as_done(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged_turn(
        adb_server.port, tmp_path, tap_without_words, attended=False, approved=[PAY]
    ) as turn:
        app, save = show(turn, paying("¥19")), turn.store.turns.save
        refusals = ["the memory is busy"]

        def save_later(checkpoint: Checkpoint, changed: int | None = None, *, durable: bool = False) -> None:
            if checkpoint.intent is not None and refusals:
                raise StoreError(refusals.pop())
            save(checkpoint, changed, durable=durable)

        monkeypatch.setattr(turn.store.turns, "save", save_later)
        with pytest.raises(StoreError):
            await turn.running
        kept = turn.store.turns.open_turn("t")
        assert app.state["deeds"] == []
        assert kept is not None
        assert kept.deeds == ()


async def test_other_words_on_the_page_make_no_other_yes(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    pages = iter(range(20, 60))

    def choose(request: StepRequest) -> Action:
        show(turn, paying(f"¥{next(pages)}"))
        return tap_without_words(request)

    async with staged_turn(adb_server.port, tmp_path, choose, attended=False, approved=[PAY]) as turn:
        app = show(turn, paying("¥19"))
        finished = await turn.next(TurnFinished)
        assert len(app.state["deeds"]) <= 1
        assert "going in circles" in finished.answer


LIES = [
    (paying("¥19", "Buy now", "Lamp"), paying("¥19", "Submit order")),
    (paying("¥19", "Buy now", "Lamp"), paying("¥19", "Buy now", "Lamp and more")),
    (paying("¥19", "Submit order"), paying("¥19", "Submit order", "Review your order")),
    (paying("¥19", "Submit order"), paying("¥19", "Pay now", "Confirm payment")),
    (paying("¥19", "Pay now"), paying("¥19", "Confirm", "Confirm payment")),
    (paying("¥19", "提交订单"), paying("¥19", "提交订单", "确认订单")),
    (paying("19 €", "Jetzt bezahlen", "Kasse"), paying("19 €", "Jetzt bezahlen", "Zahlung")),
]


@pytest.mark.parametrize(
    "pages", LIES, ids=lambda pages: " then ".join(page.buttons[0].label for page in pages)
)
async def test_a_yes_touches_one_button_however_the_shop_goes_on(
    adb_server: PrivateAdbServer, tmp_path: Path, pages: tuple[HostilePage, ...]
) -> None:
    async with staged_turn(adb_server.port, tmp_path, tap_without_words) as turn:
        app = show(turn, *pages)
        first = await turn.next(ApprovalRequested)
        first.decision.set_result(Approval(Verdict.ONCE))
        await turn.next(ApprovalRequested, lambda event: event is not first)
        assert app.state["deeds"] == ["pay"]


@pytest.mark.parametrize(
    "pages",
    [
        *LIES[1:3],
        *LIES[4:],
        (paying("¥19", "Pay now"), paying("¥19", "Buy", "Confirm: one more?"), paying("¥19", "Order now")),
        (paying("¥19", "Submit order"), paying("¥25", "Pay now", "Confirm payment")),
    ],
    ids=lambda pages: " then ".join(page.buttons[0].label for page in pages),
)
async def test_an_allowance_touches_one_button_where_the_next_commits_no_further(
    adb_server: PrivateAdbServer, tmp_path: Path, pages: tuple[HostilePage, ...]
) -> None:
    async with staged_turn(
        adb_server.port, tmp_path, tap_without_words, attended=False, approved=[PAY]
    ) as turn:
        app = show(turn, *pages)
        finished = await turn.next(TurnFinished)
        assert (finished.outcome, app.state["deeds"]) == (Outcome.FAILED, ["pay"])


async def test_a_shop_without_end_gets_one_tap_of_each_kind_for_an_allowance(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    labels = ["Buy now", "Submit order", "Pay now", "Confirm", "Pay ¥19", "Place order", "Pay now"] * 2
    pages = [paying("¥19", label, f"Checkout {'abcdefghijklmn'[at]}") for at, label in enumerate(labels)]
    async with staged_turn(
        adb_server.port, tmp_path, tap_without_words, attended=False, approved=[PAY]
    ) as turn:
        app = show(turn, *pages)
        await turn.next(TurnFinished)
        assert app.state["deeds"] == ["pay"] * 3, "one opens the checkout, one orders, one pays"


async def test_this_turn_does_not_let_a_shop_take_more_at_its_checkout(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(adb_server.port, tmp_path, tap_without_words) as turn:
        app = show(turn, paying("¥19", "Buy now", "Lamp"), paying("¥999", "Submit order"))
        first = await turn.next(ApprovalRequested)
        first.decision.set_result(Approval(Verdict.THIS_TURN))
        second = await turn.next(ApprovalRequested, lambda event: event is not first)
        assert second.deed is not None
        assert (second.deed.amount, app.state["deeds"]) == ("¥999", ["pay"])


async def test_one_yes_sends_one_message(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    def choose(request: StepRequest) -> Action:
        seen = request.observation
        if not seen.app.package.endswith("chat"):
            return OpenApp(name="Chat")
        send = next((e for e in seen.elements if e.resource_id.endswith("/send_button")), None)
        field = next((e for e in seen.elements if e.resource_id.endswith("/message_input")), None)
        if field is None:
            mom = next(e for e in seen.elements if e.text == "Mom")
            return Click(point=seen.point(*mom.bounds.centre))
        if field.text in ("", "Message"):
            return TypeText(text="hi") if field.focused else Click(point=seen.point(*field.bounds.centre))
        assert send is not None
        return Click(point=seen.point(*send.bounds.centre))

    async with staged_turn(adb_server.port, tmp_path, choose, attended=False, approved=[SEND]) as turn:
        finished = await turn.next(TurnFinished)
        sent = [one for one in turn.app("chat")["messages"]["Mom"] if one["text"] == "hi"]
        assert len(sent) == 1
        assert finished.outcome is Outcome.FAILED
        (deed,) = finished.deeds
        assert (deed.recipient, deed.text) == ("Mom", "hi")


async def test_what_a_standing_rule_allows_is_marked_on_its_row(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    def choose(request: StepRequest) -> Action:
        return tap_without_words(request) if not apps[0].state["deeds"] else Finished(answer="done")

    apps: list[HostileApp] = []
    page = HostilePage(
        title="Alarm at 7:00", buttons=(Button(label="Delete alarm", id="pay", deed="delete"),)
    )
    async with staged_turn(adb_server.port, tmp_path, choose, instruction="delete the alarm") as turn:
        apps.append(show(turn, page))
        asked = await turn.next(ApprovalRequested)
        asked.decision.set_result(Approval(Verdict.ALWAYS))
        await turn.next(TurnFinished)
        assert apps[0].state["deeds"] == ["delete"]
    async with staged_turn(adb_server.port, tmp_path, choose, instruction="delete the alarm") as turn:
        apps[:] = [show(turn, page)]
        await turn.next(TurnFinished)
        assert apps[0].state["deeds"] == ["delete"]
        assert not turn.all(ApprovalRequested)
        (settled,) = turn.all(ApprovalSettled)
        assert settled.by is ApprovedBy.RULE
        log = TurnLog()
        for event in turn.seen:
            log.handle_event(event)
        rows = [format_entry(entry, 80).plain for entry in log.entries if isinstance(entry, StepEntry)]
        assert [row for row in rows if "allowed by your rule" in row and "Delete alarm" in row]


async def test_a_page_that_changes_while_the_question_stands_is_asked_about_anew(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(adb_server.port, tmp_path, tap_without_words) as turn:
        app = show(turn, paying("¥1"))
        asked = await turn.next(ApprovalRequested)
        assert asked.deed is not None
        assert asked.deed.amount == "¥1"
        show(turn, paying("¥9,999"))
        asked.decision.set_result(Approval(Verdict.ONCE))
        again = await turn.next(ApprovalRequested, lambda event: event is not asked)
        assert again.deed is not None
        assert again.deed.amount == "¥9,999"
        assert app.state["deeds"] == []
        assert "The screen changed" in turn.all(StepFinished)[0].error
        again.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)
        assert app.state["deeds"] == []


async def test_another_address_under_the_question_is_asked_about_anew(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    def delivering(address: str) -> HostilePage:
        page = paying("¥19")
        return page.model_copy(update={"lines": (*page.lines, f"Deliver to: {address}")})

    async with staged_turn(adb_server.port, tmp_path, tap_without_words) as turn:
        app = show(turn, delivering("Home, 12 Elm Street"))
        asked = await turn.next(ApprovalRequested)
        assert asked.deed is not None
        assert "12 Elm Street" in asked.deed.destination
        show(turn, delivering("Locker 7, Dock Road"))
        asked.decision.set_result(Approval(Verdict.ONCE))
        again = await turn.next(ApprovalRequested, lambda event: event is not asked)
        assert again.deed is not None
        assert "Locker 7" in again.deed.destination
        assert app.state["deeds"] == []
        again.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)
        assert app.state["deeds"] == []


@pytest.mark.parametrize("button", ["Next", "Details"])
async def test_a_page_that_changes_while_the_model_thinks_is_not_tapped_unasked(
    adb_server: PrivateAdbServer, tmp_path: Path, button: str
) -> None:
    harmless = HostilePage(title="Basket", buttons=(Button(label=button, id="pay"),))
    async with staged_turn(adb_server.port, tmp_path, tap_without_words) as turn:
        app = show(turn, harmless)
        turn.model.may_answer.clear()
        await turn.model.thinking.wait()
        await turn.think_on()
        show(turn, paying("¥9,999", "Pay ¥9,999"))
        turn.model.may_answer.set()
        asked = await turn.next(ApprovalRequested)
        assert app.state["deeds"] == []
        asked.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)
        assert app.state["deeds"] == []


@pytest.mark.parametrize(
    "action",
    [
        TypeText(text="\n"),
        PressEnter(),
        Scroll(point=Point(0.5, 0.5), direction=Direction.LEFT),
        Swipe(start=Point(0.1, 0.5), end=Point(0.9, 0.5)),
        LongClick(point=Point(0.5, 0.5)),
    ],
    ids=lambda action: action.type,
)
async def test_nothing_that_may_press_is_done_on_a_page_that_changed_while_the_model_thought(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, action: Action
) -> None:
    before = HostilePage(title="Gallery", lines=("One", "Two", "Three"))
    after = HostilePage(title="Files", lines=("Four", "Five", "Six"))
    async with staged_turn(adb_server.port, tmp_path, lambda _: action) as turn:
        show(turn, before)
        turn.model.may_answer.clear()
        await turn.model.thinking.wait()
        await turn.think_on()
        show(turn, after)
        reads: list[Observation] = []
        observer = turn.turn._executor.observer
        read_again = observer.read_again

        async def read(*, needs_tree: bool = False) -> Observation:
            reads.append(await read_again(needs_tree=needs_tree))
            return reads[-1]

        monkeypatch.setattr(observer, "read_again", read)
        turn.model.may_answer.set()
        await turn.next(StepFinished)
        assert "Four" in {element.text for element in reads[0].elements}


async def test_the_same_button_under_another_question_is_not_tapped_unasked(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    """The button has the same id and words; only the title above it asks for something else now."""
    button = Button(label="OK", deed="delete")
    hint = HostilePage(title="Tip of the day", buttons=(button,))
    asking = HostilePage(title="Delete all 214 photos?", buttons=(button,))
    async with staged_turn(adb_server.port, tmp_path, tap_button) as turn:
        app = show(turn, hint)
        turn.model.may_answer.clear()
        await turn.model.thinking.wait()
        await turn.think_on()
        show(turn, asking)
        turn.model.may_answer.set()
        asked = await turn.next(ApprovalRequested)
        assert asked.kind is ActionKind.DELETE
        assert app.state["deeds"] == []
        asked.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)


@pytest.mark.parametrize("labels", [("Next picture", "Slide show"), ("Page 1", "Page 7")])
async def test_another_button_at_the_same_place_is_not_tapped(
    adb_server: PrivateAdbServer, tmp_path: Path, labels: tuple[str, str]
) -> None:
    before, after = (
        HostilePage(title="Gallery", buttons=(Button(label=label, deed=label),)) for label in labels
    )
    async with staged_turn(adb_server.port, tmp_path, tap_button) as turn:
        app = show(turn, before)
        turn.model.may_answer.clear()
        await turn.model.thinking.wait()
        await turn.think_on()
        show(turn, after)
        turn.model.may_answer.set()
        step = await turn.next(StepFinished)
        assert "The screen changed" in step.error
        assert app.state["deeds"] == []


async def test_what_the_model_itself_warns_of_is_asked_about(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    harmless = HostilePage(title="Gallery", buttons=(Button(label="Next picture", deed="pay"),))

    def warn(request: StepRequest) -> Decision:
        return Decision(tap_button(request), "", Usage(), warning="This transfers money")

    async with staged_turn(adb_server.port, tmp_path, warn) as turn:
        app = show(turn, harmless)
        asked = await turn.next(ApprovalRequested)
        assert asked.kind is PAY
        assert "This transfers money" in asked.sentence
        assert app.state["deeds"] == []
        asked.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)


async def test_a_second_payment_for_this_turn_is_asked_about_with_the_first_named(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with staged_turn(adb_server.port, tmp_path, tap_without_words) as turn:
        app = show(turn, paying("¥19"))
        first = await turn.next(ApprovalRequested)
        first.decision.set_result(Approval(Verdict.THIS_TURN))
        second = await turn.next(ApprovalRequested, lambda event: event is not first)
        assert app.state["deeds"] == ["pay"]
        assert "done already" in second.warning
        assert "¥19" in second.warning
        second.decision.set_result(Approval(Verdict.NO))
        await turn.state(TurnState.PAUSED)


async def test_a_tap_that_the_connection_loses_may_have_happened(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with staged_turn(
        adb_server.port, tmp_path, tap_without_words, attended=False, approved=[PAY]
    ) as turn:
        show(turn, paying("¥19"))
        perform = turn.turn._phone.perform

        async def lose(action: Action, seen: Observation) -> None:
            await perform(action, seen)
            raise error_for_state(PhoneState.OFFLINE)

        monkeypatch.setattr(turn.turn._phone, "perform", lose)
        finished = await turn.next(TurnFinished)
        assert [deed.maybe for deed in finished.deeds] == [True]


async def test_the_intent_is_stored_before_the_phone_is_touched(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill right after the tap leaves it in the database, so that the continued turn knows of it."""
    async with staged_turn(
        adb_server.port, tmp_path, tap_without_words, attended=False, approved=[PAY]
    ) as turn:
        show(turn, paying("¥19"))
        perform = turn.turn._phone.perform
        intents: list[StoredStep | None] = []

        async def touch(action: Action, seen: Observation) -> None:
            stored = turn.store.turns.newest_open("me")
            intents.append(stored.intent if stored else None)
            await perform(action, seen)

        monkeypatch.setattr(turn.turn._phone, "perform", touch)
        await turn.next(TurnFinished)
        assert [(step.deed.amount if step.deed else "") for step in intents if step] == ["¥19"]


async def test_a_script_of_harmless_steps_is_not_held_up(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    steps = script(OpenApp(name="Clock"), Click(point=Point(0.5, 0.5)), *[Finished(answer="At 6:45.")] * 2)
    async with staged_turn(adb_server.port, tmp_path, steps, instruction="when is the first alarm?") as turn:
        assert (await turn.next(TurnFinished)).outcome is Outcome.SUCCESS
        assert not [event.error for event in turn.all(StepFinished) if event.error]


class PictureAlone:
    """A phone that tells no tree, and whose picture can be exchanged."""

    def __init__(self, inner: ScreenSource) -> None:
        self._inner = inner
        self.exchanged = b""

    async def screenshot(self) -> Screenshot:
        """The picture, or the other one."""
        return Screenshot(self.exchanged) if self.exchanged else await self._inner.screenshot()

    async def tree(self) -> UiTree | None:
        """None."""
        return None

    async def distrust(self, *, is_old: bool) -> bool:
        """There is no other way."""
        return False

    async def second_opinion(self, page: Page) -> UiTree | None:
        """There is no other way."""
        return None


class LateTree(PictureAlone):
    """A phone whose page has no tree until it has loaded."""

    has_loaded = False

    async def tree(self) -> UiTree | None:
        """None at first."""
        return await self._inner.tree() if self.has_loaded else None


async def test_a_page_that_has_no_words_yet_is_waited_for_before_anything_is_asked(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    sources: list[LateTree] = []

    def late(inner: ScreenSource) -> ScreenSource:
        sources.append(LateTree(inner))
        return sources[0]

    def tap_too_soon(seen: Observation) -> Action:
        assert not seen.elements
        sources[0].has_loaded = True
        return Click(point=Point(0.5, 0.9))

    steps = script(tap_too_soon)
    async with staged_turn(adb_server.port, tmp_path, steps, watch=late) as turn:
        app = show(turn, paying("¥19"))
        finished = await turn.next(TurnFinished)
        assert turn.all(ApprovalRequested) == []
        first = turn.all(StepFinished)[0]
        assert "The screen changed" in first.error
        assert turn.model.requests[1].observation.elements, "the model sees the page with its words"
        assert app.state["deeds"] == [], finished.answer


async def test_a_page_whose_words_were_awaited_in_vain_is_asked_about_at_once(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Observation] = []

    async def count(observer: ScreenObserver) -> Observation:
        looks.append(await read_again(observer))
        return looks[-1]

    read_again = ScreenObserver.read_again
    monkeypatch.setattr(ScreenObserver, "read_again", count)
    monkeypatch.setattr("assistant.phone.screen.Observer.may_get_tree", lambda observer, seen: False)
    async with staged_turn(
        adb_server.port, tmp_path, script(Click(point=Point(0.5, 0.9))), watch=PictureAlone
    ) as turn:
        show(turn, paying("¥19"))
        await turn.next(ApprovalRequested)
        assert not looks


def _with_mark(png: bytes, box: tuple[int, int, int, int]) -> bytes:
    """A screenshot with a small rectangle in the complementary colours, as another digit would be."""
    with Image.open(io.BytesIO(png)) as opened:
        picture = opened.convert("RGB")
    picture.paste(ImageOps.invert(picture.crop(box)), box)
    data = io.BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()


@pytest.mark.parametrize("exchanged", [False, True])
async def test_what_only_a_picture_shows_is_tapped_only_if_it_is_the_picture_that_was_approved(
    adb_server: PrivateAdbServer, tmp_path: Path, exchanged: bool
) -> None:
    sources: list[PictureAlone] = []

    def alone(inner: ScreenSource) -> ScreenSource:
        sources.append(PictureAlone(inner))
        return sources[0]

    steps = script(Click(point=Point(0.5, 0.9)))
    async with staged_turn(adb_server.port, tmp_path, steps, watch=alone) as turn:
        app = show(turn, HostilePage(drawn="Pay 1", buttons=(Button(label="Go", id="go", deed="pay"),)))
        asked = await turn.next(ApprovalRequested)
        assert asked.deed is not None
        assert not asked.deed.text
        if exchanged:
            sources[0].exchanged = _with_mark(
                turn.model.requests[-1].observation.screenshot, (60, 500, 76, 524)
            )
        asked.decision.set_result(Approval(Verdict.ONCE))
        step = await turn.next(StepFinished)
        assert ("The screen changed" in step.error) is exchanged
        assert app.state["deeds"] == [] if exchanged else not step.error


@pytest.mark.parametrize("words", ["再来一杯", "another one"])
async def test_what_is_asked_for_once_more_is_asked_about_and_not_done_by_the_first(
    adb_server: PrivateAdbServer, tmp_path: Path, words: str
) -> None:
    """“For this turn” was said to the first: the second is asked about all the same, and told as done."""

    def choose(request: StepRequest) -> Action:
        return Finished(answer="done") if app.state["deeds"] else tap_without_words(request)

    async with staged_turn(adb_server.port, tmp_path, choose) as turn:
        app = show(turn, paying("¥19"), HostilePage(title="Done", lines=("Paid ¥19 ×1",)))
        first = await turn.next(ApprovalRequested)
        first.decision.set_result(Approval(Verdict.THIS_TURN))
        await turn.next(StepFinished)
        turn.turn.say(words)
        finished = await turn.next(TurnFinished)
        assert (finished.outcome, app.state["deeds"]) == (Outcome.UNCONFIRMED, ["pay"])
        assert words in finished.answer


async def test_a_second_one_that_is_asked_for_is_warned_of_and_then_done(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    def choose(request: StepRequest) -> Action:
        return Finished(answer="done") if len(app.state["deeds"]) > 1 else tap_without_words(request)

    async with staged_turn(adb_server.port, tmp_path, choose) as turn:
        app = show(turn, paying("¥19"))
        first = await turn.next(ApprovalRequested)
        first.decision.set_result(Approval(Verdict.THIS_TURN))
        second = await turn.next(ApprovalRequested, lambda event: event is not first)
        assert "done already" in second.warning
        turn.turn.say("再来一杯")
        second.decision.set_result(Approval(Verdict.ONCE))
        await turn.next(TurnFinished)
        assert app.state["deeds"] == ["pay", "pay"]

"""What is told beside a turn: that the guards read the phone's language less well, once."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant import turn_runner
from assistant.events import (
    ActionKind,
    ApprovalRequested,
    Event,
    GuardsLimited,
    PhoneState,
    StateChanged,
    TurnFinished,
    TurnState,
)
from assistant.memory.database import StoreError
from assistant.memory.programs import QUEUE_FILE
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, TurnStore
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError
from assistant.phone.monitor import PhoneMonitor
from assistant.plain.output import format_line, format_spoken_line
from assistant.records import Outcome
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.turn_runner import LanguageNotice, NotReady, RunningTurn, find_phone, phone_leases
from assistant.understand.service import UnderstandingService
from tests.tables import each
from tests.tui.app_fixture import open_desk
from tests.worlds import running_world

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)


@pytest.mark.parametrize(("locale", "count"), [("ka-GE", 1), ("en-US", 0), ("de-DE", 0)])
async def test_a_turn_tells_once_of_a_language_that_the_guards_read_less_well(
    adb_server: PrivateAdbServer, tmp_path: Path, locale: str, count: int
) -> None:
    async with running_world(adb_server.port, tmp_path / "store", attended=False) as world:
        world.phone.services.properties["persist.sys.locale"] = locale
        await world.carry_out("turn on dark mode")
        if count:
            await world.next(GuardsLimited)
        world.seen.clear()
        await world.engine.wait_until_idle()
        await world.carry_out("turn on dark mode")
        assert world.all(GuardsLimited) == []


def test_what_is_loaded_is_kept_from_the_garbage_collector_once(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(turn_runner, "gc", SimpleNamespace(freeze=lambda: done.append("frozen")))
    turn_runner.freeze_loaded_objects.cache_clear()
    turn_runner.freeze_loaded_objects()
    turn_runner.freeze_loaded_objects()
    assert done == ["frozen"]


def test_a_turn_that_cannot_be_made_leaves_its_phones_to_others(tmp_path: Path) -> None:
    released: list[bool] = []

    def make_turn(*_: object, continued: bool) -> None:
        raise ValueError("a plan of another version")

    parts = cast(Any, SimpleNamespace(make_turn=make_turn, release=lambda: released.append(True)))
    turns = SimpleNamespace(is_open=lambda _turn_id: True)
    phone = SimpleNamespace(serial="emulator-1", identity="0123456789abcdef")
    context = cast(Any, SimpleNamespace(phone=phone, store=SimpleNamespace(turns=turns)))
    checkpoint = Checkpoint(turn_id="t", user_id="me", started=NOW, said="x", instruction="x")
    store, other = Store(tmp_path), Store(tmp_path)
    running = RunningTurn(store.leases, lambda: NOW, lambda _event: None, lambda _turn, _outcome: None)
    with pytest.raises(ValueError, match="another version"):
        running.begin(context, checkpoint, continued=True, side_by_side=parts)
    assert released
    assert other.leases.take(phone_leases(context.phone), "u")
    for opened in (store, other):
        opened.close()


class SpeakingPhone(Phone):
    """A phone that says a language, or cannot be reached, and nothing else."""

    def __init__(self, language: str | None) -> None:
        self._language = language

    @property
    def serial(self) -> str:
        return "emulator-1"

    async def language(self) -> str:
        if self._language is None:
            raise PhoneError(PhoneState.OFFLINE, "gone")
        return self._language


async def told(folder: Path, *phones: Phone) -> list[str]:
    events: list[Event] = []
    for phone in phones:
        notice = LanguageNotice(folder, lambda: NOW, events.append)
        notice.check(phone)
        await notice.wait()
    return [event.language for event in events if isinstance(event, GuardsLimited)]


async def test_it_is_told_once_for_each_language_whatever_program_asks(tmp_path: Path) -> None:
    phones = [SpeakingPhone(language) for language in ("ka", "ka", "hy", "", None, "en", "ka", "hy")]
    assert await told(tmp_path, *phones) == ["ka", "hy"]


async def test_it_is_told_again_rather_than_never_where_it_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert await told(tmp_path / "file", SpeakingPhone("ka"), SpeakingPhone("ka")) == ["ka", "ka"]


async def test_the_interfaces_say_it_in_words() -> None:
    event = GuardsLimited(time=NOW, serial="emulator-1", language="ka")
    assert "(ka) less well" in format_line(event)
    assert "(ka) less well" in format_spoken_line(event)
    async with open_desk() as desk:
        desk.engine.begin("order coffee")
        desk.engine.emit(event)
        await desk.settle()
        assert "(ka) less well" in desk.text


async def test_a_queued_command_leaves_the_queue_once_its_turn_is_stored(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with running_world(adb_server.port, tmp_path / "store") as world:
        world.engine.command_queue.add("turn on dark mode")
        world.engine.run_next()
        killed = shutil.copytree(tmp_path / "store", tmp_path / "killed")
        await world.finished()
    assert not (killed / QUEUE_FILE).exists()
    (turn,) = Store(killed).turns.open_turns(world.settings.user_id, 4)
    assert (turn.said, turn.phone) == ("turn on dark mode", world.phone.serial)


async def test_a_queued_command_stays_where_its_turn_cannot_be_stored(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("The disk is full.")

    async with running_world(adb_server.port, tmp_path / "store") as world:
        world.engine.command_queue.add("turn on dark mode")
        with monkeypatch.context() as full:
            full.setattr(TurnStore, "save", fail)
            with pytest.raises(NotReady, match="The disk is full"):
                world.engine.run_next()
        assert (await world.finished()).outcome is Outcome.CANCELLED
        assert world.engine.command_queue.commands == ("turn on dark mode",)
        await world.engine.wait_until_idle()
        world.seen.clear()
        world.engine.run_next()
        assert (await world.finished()).outcome is Outcome.SUCCESS
        assert not world.engine.command_queue.commands


async def test_what_was_done_is_told_where_the_memory_cannot_be_written(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("The disk is full.")

    async with running_world(
        adb_server.port, tmp_path / "store", attended=False, approved=frozenset({ActionKind.SEND})
    ) as world:
        monkeypatch.setattr(TurnStore, "finish", fail)
        finished = await world.carry_out("send a message to Mom: I will be late")
        assert finished.outcome is Outcome.FAILED
        assert finished.answer.startswith("The disk is full. ")
        assert [deed.kind for deed in finished.deeds] == [ActionKind.SEND]
        assert "This was sent or called: Mom." in finished.answer
        await world.engine.wait_until_idle()
        left = world.engine.interrupted_turn()
        assert left is not None
        assert left.turn_id == finished.turn_id


async def test_a_fault_of_the_program_ends_the_turn_for_all_who_show_it(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def break_down(*_: object, **__: object) -> None:
        raise ValueError("empty separator")

    async with running_world(adb_server.port, tmp_path / "store") as world:
        with monkeypatch.context() as broken:
            broken.setattr(UnderstandingService, "understand", break_down)
            broken.setattr("tempfile.tempdir", str(tmp_path))
            finished = await world.carry_out("turn on dark mode")
        assert finished.outcome is Outcome.FAILED
        assert "ValueError" in finished.answer
        assert str(tmp_path / "assistant-error-") in finished.answer
        assert world.all(StateChanged)[-1].state is TurnState.FAILED
        await world.engine.wait_until_idle()
        before = len(world.seen)
        world.engine.continue_turn(finished.turn_id)
        assert (await world.next(TurnFinished, after=before)).outcome is Outcome.SUCCESS


async def test_a_turn_that_another_program_ended_meanwhile_does_not_go_on(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_world(adb_server.port, tmp_path / "store") as world:
        store = Store(tmp_path / "store")
        checkpoint = Checkpoint.of_command(world.settings.user_id, NOW, "turn on dark mode", "unknown")
        store.turns.save(checkpoint)
        read = TurnStore.open_turn

        def read_before_the_end(turns: TurnStore, turn_id: str) -> Checkpoint | None:
            found = read(turns, turn_id)
            store.turns.finish(checkpoint, Outcome.SUCCESS)
            return found

        with monkeypatch.context() as racing:
            racing.setattr(TurnStore, "open_turn", read_before_the_end)
            with pytest.raises(NotReady, match="in another program"):
                world.engine.continue_turn(checkpoint.turn_id)
        with pytest.raises(NotReady, match="in another program"):
            world.engine.continue_turn(checkpoint.turn_id)
        assert world.engine.state is None
        assert (await world.carry_out("turn on dark mode")).outcome is Outcome.SUCCESS, "the phone is free"


async def test_turns_that_begin_at_the_same_moment_of_a_clock_are_two(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with running_world(adb_server.port, tmp_path / "store", attended=False, now=lambda: NOW) as world:
        for said in ("turn on dark mode", "turn off dark mode"):
            world.seen.clear()
            assert (await world.carry_out(said)).outcome is Outcome.SUCCESS
            await world.engine.wait_until_idle()
        assert [record.said for record in world.engine.records()] == [
            "turn on dark mode",
            "turn off dark mode",
        ]


async def test_an_approval_that_the_interface_drops_is_no_yes_and_leaves_no_hanging_turn(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with running_world(adb_server.port, tmp_path / "store") as world:
        world.engine.run("send a message to Mom: I will be late")
        asked = await world.next(ApprovalRequested)
        asked.decision.cancel()
        await world.state(TurnState.PAUSED)
        world.engine.resume()
        again = await world.next(ApprovalRequested, lambda event: event is not asked)
        again.decision.cancel()
        world.engine.cancel()
        finished = await world.finished()
        assert (finished.outcome, finished.deeds) == (Outcome.CANCELLED, ())


class SeveralPhones:
    """The phones that are connected, each with serial and identity; the first is the one in use."""

    def __init__(self, *phones: tuple[str, str]) -> None:
        made = [SimpleNamespace(serial=serial, identity=identity) for serial, identity in phones]
        self.phone, *self._others = made

    def others(self, _also: str) -> list[Any]:
        return self._others

    def connected(self, serial: str) -> Any:
        return next((phone for phone in (self.phone, *self._others) if phone.serial == serial), None)


@each(
    ("phones", "found"),
    [
        # At another address, as over Wi-Fi or on another machine.
        ([("192.168.1.20:5555", "a1")], ""),
        ([("emulator-5554", "b2"), ("192.168.1.20:5555", "a1")], "192.168.1.20:5555"),
        # Another phone has its serial, or is the only one.
        ([("emulator-1", "b2")], None),
        ([("emulator-5554", "b2"), ("emulator-1", "b2")], None),
        # It cannot be told.
        ([("emulator-1", "")], ""),
        ([("emulator-5554", "b2"), ("emulator-1", "")], "emulator-1"),
        ([("emulator-5554", "b2"), ("emulator-7", "")], None),
    ],
)
def test_a_turn_goes_on_only_on_the_phone_that_it_began_on(
    phones: list[tuple[str, str]], found: str | None
) -> None:
    left = Checkpoint(
        turn_id="t",
        user_id="me",
        started=NOW,
        said="x",
        instruction="x",
        phone="emulator-1",
        phone_id="a1",
    )
    monitor = cast(PhoneMonitor, SeveralPhones(*phones))
    if found is None:
        with pytest.raises(NotReady, match="ran on the phone emulator-1"):
            find_phone(left, monitor)
    else:
        assert find_phone(left, monitor) == found


def test_a_simulated_phone_that_is_gone_is_not_asked_for() -> None:
    left = Checkpoint(
        turn_id="t", user_id="me", started=NOW, said="x", instruction="x", phone="127.0.0.1:40123"
    )
    monitor = cast(PhoneMonitor, SeveralPhones(("127.0.0.1:40200", "b2"), ("127.0.0.1:40201", "c3")))
    with pytest.raises(NotReady, match="ended with the demo"):
        find_phone(left, monitor)

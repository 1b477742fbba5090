"""The setup screen under Pilot, with made-up phones and answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, TabbedContent

from assistant.doctor import Check, HelperOffer
from assistant.model.tap_test import DialectFit, DialectMeasurement, TrialCall
from assistant.phone.screen_sources import SCREEN_READER
from assistant.presentation.ui_state import DEMO, RESTART
from assistant.records import Point, Usage
from assistant.secrets import SecretKind, SecretLocation, SecretStore
from assistant.settings.load import load
from assistant.settings.schema import ModelSettings, Picture, Settings
from assistant.setup.core import FoundPhone, Invitation, PairingFailed, Setup
from assistant.tui.app import AssistantApp, SetupApp
from assistant.tui.screens.setup import QrScreen, SetupScreen
from assistant.tui.terminal_probe import ImageSize, ImageTerminal
from assistant.tui.widgets.phone_screen import TrialPicture
from tests.keyrings import MemoryKeyring, no_keyring, system_keyring
from tests.tui.app_fixture import press_or_say
from tests.tui.scripted import Clock, ScriptedEngine

Compare = Callable[..., bool]
Play = Callable[[Pilot[bool]], Awaitable[None]]

PHONES = [
    FoundPhone("R5CT1", "Pixel 8", "is connected"),
    FoundPhone(
        "192.168.1.20:5555",
        "",
        "does not trust this computer yet",
        "The phone does not trust this computer yet. Confirm the dialog on the phone.",
    ),
]
FINDINGS = [
    Check("phone", True, "Pixel 8 (R5CT1), Android 16"),
    Check("lock", True, "unlocked; the screen goes dark after 60 s"),
    Check(
        "input", False, "The phone forbids input over adb.", "Turn on “USB debugging (Security settings)”."
    ),
]
OFFER = HelperOffer("helper", True, "off. A look takes 2.2 s; the gain is not measured yet. It risks much.")
HIT = TrialCall(
    DialectFit.HIT,
    "tool_calls",
    "The model taps “Continue”, as asked. The dialect fits.",
    point=Point(0.76, 0.796),
    thought="I see the button [bold]Continue[/bold].",
    usage=Usage(prompt_tokens=1200, completion_tokens=30, requests=1),
    seconds=1.4,
)
MISS = TrialCall(
    DialectFit.MISS,
    "tool_calls",
    "The model misses “Continue”: it taps 26% across, 56% down, on “Change”.",
    "The dialect may read coordinates in another scale than the model writes. Try another one.",
    Point(0.26, 0.56),
    seconds=1.4,
)


class MadeUp(Setup):
    """Phones, findings and trials as the test wants them; settings and keys are real."""

    trial = HIT
    measurement: DialectMeasurement | None = None
    listed = PHONES
    findings: list[Check] = FINDINGS
    tried = 0
    joining: asyncio.Future[str]

    async def phones(self) -> list[FoundPhone]:
        return self.listed

    async def check_phone(self) -> list[Check]:
        return self.findings

    async def try_helper(self, offer: HelperOffer) -> HelperOffer:
        self.tried += 1
        return replace(offer, state="off. It takes half of the time.", is_measured=True)

    async def try_model(self) -> TrialCall:
        return self.trial

    def needs_measuring(self, trial: TrialCall) -> bool:
        return self.measurement is not None and super().needs_measuring(trial)

    async def measure_dialect(self) -> DialectMeasurement:
        assert self.measurement is not None
        self.trial = HIT
        return self.measurement

    async def connect(self, address: str) -> str:
        return address

    async def pair(self, address: str, code: str) -> str:
        raise PairingFailed(f"No pairing with {address} by {code}.")

    async def pair_scanned(self, invitation: Invitation, limit: float = 120.0) -> str:
        self.joining = asyncio.get_running_loop().create_future()
        return await self.joining


@pytest.fixture(autouse=True)
def ring() -> Iterator[MemoryKeyring]:
    with system_keyring(MemoryKeyring()) as backend:
        assert isinstance(backend, MemoryKeyring)
        yield backend


@pytest.fixture
def setup(tmp_path: Path) -> MadeUp:
    settings = Settings(model=ModelSettings(name="qwen3-vl", base_url="http://localhost:8000/v1"))
    keys = SecretStore(SecretKind.MODEL_KEY, tmp_path / "secrets.json", {})
    return MadeUp(settings, tmp_path / "config.toml", keys=keys)


async def settle(app: SetupApp | AssistantApp, pilot: Pilot[bool] | Pilot[None]) -> None:
    """Wait until all that was asked for has been shown; a pairing that waits is not waited for."""
    for _ in range(3):
        for worker in app.workers:
            if worker.group in ("phone", "trial") and not worker.is_finished:
                await worker.wait()
        await pilot.pause()


def shown(app: SetupApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


async def play(setup: MadeUp, *keys: str) -> tuple[SetupApp, str]:
    app = SetupApp(setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(app, pilot)
        for key in keys:
            await pilot.press(key)
            if len(key) > 1:
                await settle(app, pilot)
        text = shown(app)
        await pilot.press("escape")
    return app, text


def text_of(file: Path) -> str:
    return file.read_text() if file.exists() else ""


async def test_phones_are_shown_with_their_states(setup: MadeUp) -> None:
    app, text = await play(setup)
    assert "Pixel 8" in text
    assert "does not trust this computer yet" in text
    assert app.return_value is False


async def test_a_picked_phone_is_kept_and_checked(setup: MadeUp, tmp_path: Path) -> None:
    app, text = await play(setup, "enter")
    assert load(tmp_path / "config.toml").phone.serial == "R5CT1"
    assert "✗ input" in text
    assert "→ Turn on" in text
    assert app.return_value is True


async def test_the_helper_is_measured_and_used_at_a_button_and_not_before(
    setup: MadeUp, tmp_path: Path
) -> None:
    app = SetupApp(setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(app, pilot)
        assert not app.screen.query_one("#helper-buttons").display
        setup.findings = [*FINDINGS, OFFER]
        await pilot.press("enter")
        await settle(app, pilot)
        assert "not measured yet" in shown(app)
        assert setup.tried == 0
        assert await pilot.click("#try-helper")
        await settle(app, pilot)
        assert setup.tried == 1
        assert "half of the time" in shown(app)
        assert not app.screen.query_one("#try-helper").display
        assert not load(tmp_path / "config.toml").phone.resident_helper
        assert await pilot.click("#use-helper")
        await settle(app, pilot)
    assert load(tmp_path / "config.toml").phone.resident_helper


async def test_a_helper_that_cannot_run_has_no_button(setup: MadeUp) -> None:
    setup.findings = [*FINDINGS, replace(OFFER, problem=SCREEN_READER)]
    app = SetupApp(setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await settle(app, pilot)
        assert "would fall silent" in " ".join(shown(app).split())
        assert not app.screen.query_one("#helper-buttons").display


async def test_a_phone_that_cannot_be_used_says_what_to_do(setup: MadeUp, tmp_path: Path) -> None:
    _, text = await play(setup, "down", "enter")
    assert "Confirm the dialog" in text
    assert text_of(tmp_path / "config.toml") == ""


async def test_a_phone_is_connected_by_address(setup: MadeUp, tmp_path: Path) -> None:
    await play(setup, "down", "down", "down", "enter", *"10.0.0.9", ":", "5", "enter")
    assert load(tmp_path / "config.toml").phone.serial == "10.0.0.9:5"


async def test_a_refused_pairing_is_told(setup: MadeUp) -> None:
    _, text = await play(setup, "end", "up", "enter", *"h:1", "enter", *"123456", "enter")
    assert "No pairing with h:1 by 123456." in text


async def test_a_qr_code_is_shown_until_the_phone_comes(setup: MadeUp, tmp_path: Path) -> None:
    app = SetupApp(setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(app, pilot)
        await pilot.press("end", "enter")
        await pilot.pause()
        assert isinstance(app.screen, QrScreen)
        assert "█▀▀▀▀▀█" in shown(app)
        setup.joining.set_result("R5CT1")
        while not isinstance(app.screen, SetupScreen):
            await pilot.pause()
        await settle(app, pilot)
        assert "R5CT1 is the phone" in shown(app)


async def test_escape_stops_waiting_for_the_qr_code(setup: MadeUp) -> None:
    app = SetupApp(setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(app, pilot)
        await pilot.press("end", "enter")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, SetupScreen)
        assert setup.joining.cancelled()


async def test_a_preset_a_key_and_a_test_call(setup: MadeUp, tmp_path: Path, ring: MemoryKeyring) -> None:
    app = SetupApp(setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(app, pilot)
        await pilot.press("ctrl+right", "home", "enter", *"sk-1", "enter", "enter")
        await settle(app, pilot)
        assert app.screen.query_one(TabbedContent).active == "test"
        assert "tap: 0.760, 0.796" in shown(app)
        assert "◎" in shown(app)
        assert "[bold]Continue[/bold]" in shown(app)
        assert app.screen.query_one("#key", Input).value == ""
        assert "sk-1" not in shown(app)
    assert list(ring.values.values()) == ["sk-1"]
    assert load(tmp_path / "config.toml").model.base_url == "https://api.openai.com/v1"
    assert "sk-1" not in text_of(tmp_path / "config.toml")


async def test_without_a_keyring_a_file_is_offered(setup: MadeUp, tmp_path: Path) -> None:
    app = SetupApp(setup)
    keys = SecretStore(SecretKind.MODEL_KEY, tmp_path / "secrets.json", {})
    with system_keyring(no_keyring()):
        async with app.run_test(size=(80, 24)) as pilot:
            await settle(app, pilot)
            await pilot.press("ctrl+right", "home", "enter", *"sk-1", "enter", "enter")
            await settle(app, pilot)
            assert "no keyring" in shown(app)
            assert keys.names() == {}
            await pilot.click("#keep-file")
            await settle(app, pilot)
        assert list(keys.names().values()) == [SecretLocation.FILE]


async def test_setting_up_is_reached_from_the_first_screen_and_starts_anew(setup: MadeUp) -> None:
    app = AssistantApp(ScriptedEngine(), Clock(), setup=setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        titles = [command.title for command in app.get_system_commands(app.screen)]
        assert "Set up phone and model" in titles
        await press_or_say(app, pilot, "/setup")
        await settle(app, pilot)
        assert isinstance(app.screen, SetupScreen)
        await pilot.press("enter")
        await settle(app, pilot)
        await pilot.press("escape")
        await pilot.pause()
    assert app.return_code == RESTART


async def test_a_simulated_phone_is_offered_too(setup: MadeUp) -> None:
    app = AssistantApp(ScriptedEngine(), Clock(), setup=setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await press_or_say(app, pilot, "/setup")
        await settle(app, pilot)
        await pilot.press("end", "enter")
        await pilot.pause()
    assert app.return_code == DEMO


async def test_nothing_changed_goes_back(setup: MadeUp) -> None:
    app = AssistantApp(ScriptedEngine(), Clock(), setup=setup)
    async with app.run_test(size=(80, 24)) as pilot:
        await press_or_say(app, pilot, "/setup")
        await settle(app, pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is app.main


async def test_while_a_turn_runs_there_is_no_setting_up(setup: MadeUp) -> None:
    engine = ScriptedEngine()
    app = AssistantApp(engine, Clock(), setup=setup)
    async with app.run_test(size=(80, 24)) as pilot:
        engine.begin("order lunch")
        await press_or_say(app, pilot, "/setup")
        await pilot.pause()
        assert app.screen is app.main


@pytest.mark.parametrize("way", [Picture.KITTY, Picture.SIXEL])
async def test_the_trial_picture_is_drawn_as_the_terminal_can(way: Picture, setup: MadeUp) -> None:
    app = SetupApp(setup, ImageTerminal(way, cell=ImageSize(8, 16)))
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(app, pilot)
        app.screen.query_one(TabbedContent).active = "test"
        await pilot.pause()
        picture = app.screen.query_one(TrialPicture)
        while not picture._picture.strips:
            await pilot.pause()
        assert picture._picture.way is way


async def test_a_dialect_that_misses_is_measured_and_the_right_one_kept(setup: MadeUp) -> None:
    setup.trial = MISS
    setup.measurement = DialectMeasurement("tool_calls", 3, 3, "qwen3_vl", "Measured: 3 of 3 taps land.")
    _, text = await play(setup, "ctrl+right", "ctrl+right", "enter")
    assert "Measured: 3 of 3 taps land." in text
    assert setup.settings.model.dialect == "tool_calls"
    assert "The model taps “Continue”" in text


async def test_where_nothing_fits_nothing_is_kept(setup: MadeUp) -> None:
    setup.trial = MISS
    setup.measurement = DialectMeasurement("", 1, 3, "qwen3_vl", "No dialect reads the taps.")
    _, text = await play(setup, "ctrl+right", "ctrl+right", "enter")
    assert "No dialect reads the taps." in text
    assert setup.settings.model.dialect == ""


def test_what_leaves_the_dialect_open_is_measured(tmp_path: Path) -> None:
    settings = Settings(model=ModelSettings(name="qwen3-vl", base_url="http://localhost:8000/v1"))
    known, unknown = Setup(settings), Setup(settings.overridden({"model": {"name": "mystery-9b"}}))
    assert [known.needs_measuring(HIT), known.needs_measuring(MISS)] == [False, True]
    assert unknown.needs_measuring(HIT)
    unanswered = TrialCall(DialectFit.UNANSWERED, "tool_calls", "no answer")
    assert not unknown.needs_measuring(unanswered)

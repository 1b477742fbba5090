"""Setting up line by line, with real adb, a simulated phone, a scripted model and a settings file.

Only pairing answers come from a responder.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.cli.help import NOT_KEPT
from assistant.phone.adb import AdbServer
from assistant.secrets import SecretKind, SecretLocation, SecretStore
from assistant.settings.load import load
from assistant.settings.schema import Settings
from assistant.setup.core import Setup
from assistant.setup.plain import NoMoreAnswers, PlainSetup, offer_helper
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.profiles import ResidentFault
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ControlChange, ModelOptions
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.keyrings import MemoryKeyring, no_keyring, system_keyring
from tests.phone.adb_responder import responding
from tests.worlds import DENSITY, SIZE

BEFORE = "# mine\n[turn]\nmax_steps = 7  # few\n"


class Script:
    """Answers in order; `lines` is all that was printed and asked."""

    colours = False

    def __init__(self, *answers: str, interactive: bool = False) -> None:
        self.interactive = interactive
        self.answers = list(answers)
        self.lines: list[str] = []

    def say(self, line: str = "") -> None:
        self.lines.append(line)

    async def ask(self, question: str, *, hidden: bool = False) -> str:
        self.lines.append(question)
        if not self.answers:
            raise NoMoreAnswers
        return self.answers.pop(0)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@pytest.fixture(autouse=True)
def ring() -> Iterator[MemoryKeyring]:
    with system_keyring(MemoryKeyring()) as backend:
        assert isinstance(backend, MemoryKeyring)
        yield backend


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(BEFORE)
    return file


@pytest.fixture
def keys(tmp_path: Path) -> SecretStore:
    return SecretStore(SecretKind.MODEL_KEY, tmp_path / "secrets.json", {})


@pytest_asyncio.fixture
async def phone(adb_server: PrivateAdbServer) -> AsyncIterator[SimulatedPhone]:
    async with SimulatedPhone(PhoneOptions(size=SIZE, density=DENSITY)) as simulated:
        yield simulated
        await AdbServer("127.0.0.1", adb_server.port).disconnect(simulated.serial)


@pytest_asyncio.fixture
async def model() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel(ModelOptions()) as scripted:
        yield scripted


def setup_for(port: int, file: Path, keys: SecretStore, store: Path | None = None) -> Setup:
    settings = Settings(store=store or file.parent / "store").overridden({"phone": {"adb_port": port}})
    return Setup(settings, file, keys=keys)


def text_of(file: Path) -> str:
    return file.read_text()


async def test_from_nothing_to_a_phone_and_a_model_that_work(
    adb_server: PrivateAdbServer,
    phone: SimulatedPhone,
    model: ScriptedModel,
    file: Path,
    keys: SecretStore,
    ring: MemoryKeyring,
) -> None:
    base_url = model.address.base_url
    script = Script("a", phone.serial, "8", base_url, "sk-1", "scripted")
    assert await PlainSetup(setup_for(adb_server.port, file, keys), script).run()
    saved = load(file, keys=keys)
    assert saved.phone.serial == phone.serial
    assert (saved.model.base_url, saved.model.name) == (base_url, "scripted")
    assert saved.model.api_key.get_secret_value() == "sk-1"
    assert list(ring.values.values()) == ["sk-1"]
    assert text_of(file).startswith(BEFORE)
    assert "sk-1" not in text_of(file) + script.text
    assert "ok  tool_calls   The model taps “Continue”" in script.text
    assert script.lines[-1] == "All is set. Start with: assistant"


def helper_starts(phone: SimulatedPhone) -> int:
    """How often the resident helper was started so far."""
    return sum("app_process" in asked.service for asked in phone.traffic.since())


async def test_the_helper_is_measured_and_used_only_where_the_user_agrees(
    adb_server: PrivateAdbServer, phone: SimulatedPhone, file: Path, keys: SecretStore, tmp_path: Path
) -> None:
    phone.services.delays.factor = 0.25
    phone.services.delays.seconds |= {
        "uiautomator": 2.4,
        "app_process": 0.2,
        "u2 dump": 0.08,
        "u2 picture": 0.08,
    }
    setup = setup_for(adb_server.port, file, keys, tmp_path / "store")
    script = Script("a", phone.serial, "y", "y", "", interactive=True)
    await PlainSetup(setup, script).run()
    assert helper_starts(phone) == 1
    assert not phone.services.automation, "it has ended"
    measured = next(line for line in script.lines if "as measured on" in line)
    assert "through the resident helper" in measured
    assert "every program on the phone and in its network" in measured
    assert load(file).phone.resident_helper
    # What was measured is known the next time, and what was not agreed to stays off.
    Setup(load(file), file, keys=keys).choose("phone.resident_helper", False, "off")
    script = Script("a", phone.serial, "", "", interactive=True)
    await PlainSetup(setup_for(adb_server.port, file, keys, tmp_path / "store"), script).run()
    assert "as measured on" in script.text
    assert "Let it run during turns? [y/N]: " in script.lines
    assert not load(file).phone.resident_helper
    assert helper_starts(phone) == 1


@pytest.mark.parametrize("answer", ["", "n", "ja", "s"])
async def test_whatever_is_no_yes_starts_no_helper(
    adb_server: PrivateAdbServer,
    phone: SimulatedPhone,
    file: Path,
    keys: SecretStore,
    tmp_path: Path,
    answer: str,
) -> None:
    script = Script("a", phone.serial, answer, "", interactive=True)
    await PlainSetup(setup_for(adb_server.port, file, keys, tmp_path / "store"), script).run()
    assert "not measured yet" in script.text
    assert helper_starts(phone) == 0
    assert not load(file).phone.resident_helper


async def test_a_pipe_is_not_asked_about_the_helper(
    adb_server: PrivateAdbServer, phone: SimulatedPhone, file: Path, keys: SecretStore, tmp_path: Path
) -> None:
    script = Script("a", phone.serial, "y", "y", "y", "y")
    await PlainSetup(setup_for(adb_server.port, file, keys, tmp_path / "store"), script).run()
    assert "not measured yet" in script.text
    assert "assistant devices --helper" in script.text
    assert "Let the helper run" not in script.text
    assert helper_starts(phone) == 0


@pytest.mark.parametrize("before", ["", "n", "y"])
async def test_the_doctor_asks_about_the_helper_once(
    adb_server: PrivateAdbServer,
    phone: SimulatedPhone,
    file: Path,
    keys: SecretStore,
    tmp_path: Path,
    before: str,
) -> None:
    setup = setup_for(adb_server.port, file, keys, tmp_path / "store")
    setup.use_phone(await setup.connect(phone.serial))
    for answers in ([before, ""], []):
        script = Script(*answers, interactive=True)
        await offer_helper(setup, await setup.check_phone(), script, again=False)
        assert ("Let the helper run" in script.text) == bool(answers)
    assert helper_starts(phone) == (before == "y")
    assert not load(file).phone.resident_helper


async def test_a_helper_that_cannot_run_here_is_not_offered_again(
    adb_server: PrivateAdbServer, phone: SimulatedPhone, file: Path, keys: SecretStore, tmp_path: Path
) -> None:
    phone.services.quirks.resident = ResidentFault.TAKEN
    script = Script("a", phone.serial, "y", "", interactive=True)
    await PlainSetup(setup_for(adb_server.port, file, keys, tmp_path / "store"), script).run()
    assert "The resident helper cannot be used on this phone" in script.text
    assert "Let it run during turns" not in script.text
    assert not load(file).phone.resident_helper


async def test_states_are_told_in_words_and_the_listed_phone_is_taken(
    adb_server: PrivateAdbServer, phone: SimulatedPhone, file: Path, keys: SecretStore
) -> None:
    await AdbServer("127.0.0.1", adb_server.port).connect(phone.serial)
    script = Script("1", "")
    assert not await PlainSetup(setup_for(adb_server.port, file, keys), script).run()
    assert f"{phone.serial}  is connected" in script.text
    assert load(file).phone.serial == phone.serial


async def test_what_goes_wrong_is_said_and_asked_again(
    adb_server: PrivateAdbServer, file: Path, keys: SecretStore
) -> None:
    script = Script("p", "here", "123456", "a", "127.0.0.1:9", "9", "s", "")
    assert not await PlainSetup(setup_for(adb_server.port, file, keys), script).run()
    assert "An address looks like" in script.text
    assert "adb says: failed to connect" in script.text
    assert script.text.count("No phone was chosen.") == 3
    assert script.lines[-1] == "Not all is set. What is missing: assistant doctor"
    assert text_of(file) == BEFORE


async def test_answers_that_end_are_no_error(
    adb_server: PrivateAdbServer, file: Path, keys: SecretStore
) -> None:
    script = Script()
    assert not await PlainSetup(setup_for(adb_server.port, file, keys), script).run()
    assert "No more answers" in script.lines[-1]


@pytest.mark.parametrize(("answer", "place"), [("y", SecretLocation.FILE), ("n", SecretLocation.ENVIRONMENT)])
async def test_without_a_keyring_file_or_environment_are_offered(
    adb_server: PrivateAdbServer,
    model: ScriptedModel,
    file: Path,
    keys: SecretStore,
    answer: str,
    place: SecretLocation,
) -> None:
    script = Script("s", "8", model.address.base_url, "sk-1", answer, "scripted")
    with system_keyring(no_keyring()):
        await PlainSetup(setup_for(adb_server.port, file, keys), script).run()
        assert list(keys.names().values()) == ([SecretLocation.FILE] if place is SecretLocation.FILE else [])
    assert "no keyring" in script.text
    assert ("ASSISTANT_MODEL__API_KEY" in script.text) == (place is SecretLocation.ENVIRONMENT)
    assert "The model taps" in script.text
    assert "sk-1" not in text_of(file)


async def test_another_dialect_is_found_and_kept(
    adb_server: PrivateAdbServer, model: ScriptedModel, file: Path, keys: SecretStore
) -> None:
    async with ScriptedModelClient(model.address.base_url) as client:
        await client.change(ControlChange(faults=[Fault(kind=FaultKind.WRONG)]))
    script = Script("s", "8", model.address.base_url, "", "scripted", "all")
    await PlainSetup(setup_for(adb_server.port, file, keys), script).run()
    assert "misses “Continue”" in script.text
    saved = load(file, keys=keys).model.dialect
    assert saved
    assert f"{saved} is the model's dialect" in script.text


async def test_a_dialect_that_is_not_there_is_said(
    adb_server: PrivateAdbServer, model: ScriptedModel, file: Path, keys: SecretStore
) -> None:
    async with ScriptedModelClient(model.address.base_url) as client:
        await client.change(ControlChange(faults=[Fault(kind=FaultKind.MALFORMED)]))
    script = Script("s", "8", model.address.base_url, "", "scripted", "klingon", "")
    assert not await PlainSetup(setup_for(adb_server.port, file, keys), script).run()
    assert "There is no dialect “klingon”" in script.text
    assert "not in the dialect tool_calls" in script.text


async def test_a_phone_pairs_by_its_code_and_is_remembered(file: Path, keys: SecretStore) -> None:
    asked: list[str] = []
    serial = "adb-1._adb-tls-connect._tcp"

    def answer(service: str) -> str:
        asked.append(service)
        if service == "host:pair:123456:10.0.0.9:37123":
            return "Successfully paired to 10.0.0.9:37123 [guid=adb-1]"
        paired = any(request.startswith("host:pair:") for request in asked)
        return f"{serial} device model:Pixel_8\n" if paired and service == "host:devices-l" else ""

    script = Script("p", "10.0.0.9:37123", "123 456")
    async with responding(answer) as port:
        setup = setup_for(port, file, keys)
        assert await setup.phones() == []
        assert not await PlainSetup(setup, script).run()
    assert load(file).phone.serial == serial


def test_the_demo_writes_nothing(file: Path, keys: SecretStore) -> None:
    setup = Setup(Settings(), file, not_kept=NOT_KEPT, keys=keys)
    assert "Nothing is written" in setup.use_phone("R5CT1")
    assert "Nothing is written" in setup.use_model("http://localhost:1/v1", "x", "sk-1")
    assert file.read_text() == BEFORE
    assert keys.names() == {}
    assert setup.settings.phone.serial == "R5CT1"
    assert setup.settings.model.api_key.get_secret_value() == "sk-1"


def test_a_variable_that_wins_is_named(
    file: Path, keys: SecretStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_PHONE__SERIAL", "OTHER")
    assert "unset ASSISTANT_PHONE__SERIAL" in Setup(Settings(), file, keys=keys).use_phone("R5CT1")

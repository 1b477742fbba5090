"""The doctor on a simulated phone and a scripted model, with each thing broken in turn."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from keyring.backend import KeyringBackend

from assistant import factories
from assistant.doctor import Check, HelperOffer, examine, settings_finding, source_findings
from assistant.factories import RequestLogger, make_mcp_servers
from assistant.memory.store import open_store
from assistant.phone.adb import AdbServer
from assistant.phone.errors import HELPER_TIMES, HelperNotes
from assistant.phone.screen_sources import SCREEN_READER
from assistant.secrets import SecretKind, SecretStore
from assistant.settings.load import key_name
from assistant.settings.schema import Settings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.model.client import ScriptedModelClient
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ControlChange, ModelOptions
from assistant.simulator.model.server import ScriptedModel
from assistant.simulator.phone import PhoneOptions, SimulatedPhone
from tests.keyrings import MemoryKeyring, no_keyring, system_keyring
from tests.worlds import DENSITY, SIZE, settings_for


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@asynccontextmanager
async def world(port: int, store: Path) -> AsyncIterator[tuple[SimulatedPhone, ScriptedModel, Settings]]:
    async with (
        SimulatedPhone(PhoneOptions(size=SIZE, density=DENSITY)) as phone,
        ScriptedModel(ModelOptions()) as model,
    ):
        adb = AdbServer("127.0.0.1", port)
        await adb.connect(phone.serial)
        yield phone, model, settings_for(phone, model, port, store)
        phone.daemon.faults.restore()
        await adb.disconnect(phone.serial)


async def examined(settings: Settings, ring: KeyringBackend | None = None) -> dict[str, Check]:
    with system_keyring(ring or MemoryKeyring()):
        return {finding.part: finding for finding in await examine(settings, tell=RequestLogger(settings))}


def forbid_input(phone: SimulatedPhone) -> None:
    phone.services.quirks.input_denied = True


def remove_keyboard(phone: SimulatedPhone) -> None:
    for keyboard in list(phone.services.input_methods.installed[1:]):
        phone.services.input_methods.remove(keyboard)


def lock(phone: SimulatedPhone) -> None:
    phone.person.lock()


def go_dark_soon(phone: SimulatedPhone) -> None:
    phone.services.settings.table("system")["screen_off_timeout"] = "15000"


async def test_a_whole_world_is_good(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with world(adb_server.port, tmp_path) as (_, _, settings):
        found = await examined(settings)
    assert [part for part, finding in found.items() if not finding.good] == []
    assert list(found) == [
        *("settings", "memory", "keyring", "routines", "adb", "phone"),
        *("lock", "input", "keyboard", "screen", "helper", "reading", "places", "model", "dialect"),
    ]


async def test_the_helper_is_offered_and_nothing_of_it_is_started(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with world(adb_server.port, tmp_path) as (phone, _, settings):
        findings = await examine(settings)
        offer, ways = (finding for finding in findings if finding.part == "helper")
        assert isinstance(offer, HelperOffer)
        assert (offer.good, offer.is_measured, offer.problem) == (True, False, "")
        gain, risk = offer.state.removeprefix("off. ").split(". ")
        assert "a look takes" in gain
        assert "not measured yet" in gain
        assert "every program on the phone and in its network" in risk
        assert "assistant devices --helper" in ways.state
        assert "app_process" not in " ".join(asked.service for asked in phone.traffic.since())


async def test_what_the_helper_gained_is_known_at_the_next_address_too(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with world(adb_server.port, tmp_path) as (phone, _, settings):
        notes = HelperNotes(tmp_path / HELPER_TIMES)
        notes.note(phone.services.settings.secure["android_id"], 2.21, 0.62)
        (offer, *_) = (each for each in await examine(settings) if isinstance(each, HelperOffer))
        assert offer.is_measured
        assert "0.62 s through the resident helper" in offer.state
        assert "2.21 s without, as measured on 20" in offer.state
        notes.note(phone.services.settings.secure["android_id"], 0.3, 0.4)
        (offer, *_) = (each for each in await examine(settings) if isinstance(each, HelperOffer))
        assert "gains nothing" in offer.state
        (tmp_path / HELPER_TIMES).write_text('{"x": 1, "y": {"plain": "2", "helped": null}}')
        assert [notes.times("x"), notes.times("y"), notes.times("z")] == [None] * 3


async def test_beside_a_screen_reader_the_helper_is_not_offered(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with world(adb_server.port, tmp_path) as (phone, _, settings):
        phone.services.settings.secure["enabled_accessibility_services"] = "com.example/.TalkBack"
        offer, ways = (finding for finding in await examine(settings) if finding.part == "helper")
        assert isinstance(offer, HelperOffer)
        assert offer.problem == SCREEN_READER
        assert ways.state == SCREEN_READER


async def test_a_language_that_the_guards_read_less_well_is_named(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with world(adb_server.port, tmp_path) as (phone, _, settings):
        phone.services.properties["persist.sys.locale"] = "ka-GE"
        found = await examined(settings)
    assert found["guards"].good
    assert "turn.strict" in found["guards"].line()


async def test_what_the_model_is_asked_stands_in_the_log_of_what_was_sent(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    async with world(adb_server.port, tmp_path) as (_, _, settings):
        await examined(settings)
    store = open_store(settings)
    trial, probe = store.sent.lines(settings.user_id, 5, whole=True)
    store.close()
    assert probe.parts == (("user", "Say ok."),)
    assert probe.picture_bytes == 0 < trial.picture_bytes
    assert {probe.model, trial.model} == {settings.model.name}


@pytest.mark.parametrize(
    ("breaking", "part", "mend"),
    [
        (forbid_input, "input", "Security settings"),
        (remove_keyboard, "keyboard", "ADBKeyBoard"),
        (lock, "lock", "Unlock"),
        (go_dark_soon, "lock", "screen_off_timeout"),
    ],
)
async def test_what_is_broken_on_the_phone_is_named_with_its_cure(
    adb_server: PrivateAdbServer,
    tmp_path: Path,
    breaking: Callable[[SimulatedPhone], None],
    part: str,
    mend: str,
) -> None:
    async with world(adb_server.port, tmp_path) as (phone, _, settings):
        breaking(phone)
        found = await examined(settings)
    assert [name for name, finding in found.items() if not finding.good] == [part]
    assert mend in found[part].mend
    assert found[part].mend in found[part].line()


async def test_a_dialect_that_does_not_fit_is_named(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    async with world(adb_server.port, tmp_path) as (_, model, settings):
        async with ScriptedModelClient(model.address.base_url) as client:
            await client.change(ControlChange(faults=[Fault(kind=FaultKind.WRONG, times=None)]))
        found = await examined(settings)
    assert found["model"].good
    assert not found["dialect"].good
    assert found["dialect"].mend == "assistant setup"


async def test_without_adb_and_model_each_says_so(tmp_path: Path) -> None:
    async with ScriptedModel(ModelOptions()) as no_adb:
        port = int(no_adb.address.base_url.split(":")[2].split("/")[0])
        settings = Settings(store=tmp_path).overridden({"phone": {"adb_port": port, "serial": "R5CT1"}})
        found = await examined(settings)
    assert "not adb" in found["adb"].state
    assert found["adb"].mend == "adb start-server"
    assert not found["model"].good
    assert "phone" not in found


async def test_a_phone_that_is_not_there_leads_to_setup(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    settings = Settings(store=tmp_path).overridden(
        {"phone": {"adb_port": adb_server.port, "serial": "R5CT1"}}
    )
    found = await examined(settings)
    assert not found["phone"].good
    assert found["phone"].mend == "assistant setup"


async def test_the_store_is_for_the_user_alone(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    settings = Settings(store=tmp_path).overridden({"phone": {"adb_port": adb_server.port, "serial": "x"}})
    await examined(settings)
    (tmp_path / "memory.sqlite").chmod(0o644)
    found = await examined(settings)
    assert found["memory"].mend.startswith("chmod go-rwx")


def test_a_key_that_others_can_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    assert settings_finding(file).good
    file.write_text('[model]\napi_key = "sk-1"\n')
    file.chmod(0o644)
    finding = settings_finding(file)
    assert finding.mend == f"chmod 600 {file}"
    assert "sk-1" not in finding.state
    file.chmod(0o600)
    assert settings_finding(file).good


async def test_variables_that_set_nothing_are_named(
    adb_server: PrivateAdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ASSISTANT_NOPE__X", "ASSISTANT_SECRET_BANK", "ASSISTANT_INTERFACE__LANGUAGE"):
        monkeypatch.setenv(name, "en")
    settings = Settings(store=tmp_path).overridden({"phone": {"adb_port": adb_server.port}})
    told = [finding.state for finding in await examine(settings) if "no setting" in finding.state]
    assert len(told) == 1
    assert "ASSISTANT_NOPE__X" in told[0]


async def test_a_keyring_that_is_needed_and_gone_is_named(
    adb_server: PrivateAdbServer, tmp_path: Path
) -> None:
    settings = Settings(store=tmp_path).overridden(
        {
            "phone": {"adb_port": adb_server.port, "serial": "x"},
            "model": {"base_url": "https://api.example.com/v1"},
        }
    )
    assert (await examined(settings, no_keyring()))["keyring"].good
    with system_keyring(MemoryKeyring()):
        SecretStore(SecretKind.MODEL_KEY).add(key_name(settings.model.base_url), "sk-1")
    assert not (await examined(settings, no_keyring()))["keyring"].good
    assert "missing" in (await examined(settings))["keyring"].state


async def test_without_its_package_each_source_says_once_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factories, "find_spec", lambda _name: None)
    servers = {"mcp": {"servers": {"mail": {"command": "x"}, "calendar": {"command": "y"}}}}
    settings = Settings(store=tmp_path).overridden(servers)
    sources = make_mcp_servers(settings.mcp)
    tools, problems = await sources.tools()
    assert (tools, list(problems)) == ([], ["mail", "calendar"])
    assert "pip install 'assistant[mcp]'" in problems["mail"]
    assert await sources.tools() == ([], {})
    (check,) = await source_findings(settings)
    assert (check.good, check.mend) == (False, "pip install 'assistant[mcp]'")

"""Pairing by code and by QR code, with the real adb server; answers of a responder replace the phone."""

from __future__ import annotations

import random
import re

import pytest

from assistant.phone.adb import AdbServer
from assistant.setup.core import (
    PRESETS,
    Invitation,
    PairingFailed,
    checked_address,
    checked_code,
    pair,
    preset_of,
    qr_lines,
    wait_for_scan,
    wait_until_connected,
)
from assistant.simulator.adb_server import PrivateAdbServer
from tests.phone.adb_responder import responding
from tests.tables import each

LISTING = (
    "studio-Abc\t_adb-tls-pairing._tcp\t192.168.1.20:37123\n"
    "adb-R5CT1-xYz\t_adb-tls-connect._tcp.\t192.168.1.20:41234\n"
)


def test_an_invitation_is_what_android_expects() -> None:
    invitation = Invitation.fresh(random.Random(1))
    assert re.fullmatch(r"WIFI:T:ADB;S:studio-\w{10};P:\w{12};;", invitation.payload)
    assert Invitation.fresh() != Invitation.fresh()


@each("text", ["192.168.1.20:37123", " phone.local:1 ", "[fe80::1%eth0]:5555"])
def test_addresses_are_taken(text: str) -> None:
    assert checked_address(text) == text.strip()


@each("text", ["", "192.168.1.20", "192.168.1.20:", "a b:1", "host:0", "host:65536", "h:1\n2"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(PairingFailed, match="looks like"):
        checked_address(text)


def test_codes_have_six_digits() -> None:
    assert checked_code("123 456\n") == "123456"
    for text in ("12345", "1234567", "abcdef", "123:45"):
        with pytest.raises(PairingFailed, match="six digits"):
            checked_code(text)


async def test_a_phone_that_read_the_code_is_paired_and_connected() -> None:
    asked: list[str] = []
    connected = False

    def answer(service: str) -> str | None:
        nonlocal connected
        asked.append(service)
        match service:
            case "host:mdns:check":
                return "mdns daemon version [Openscreen discovery 0.0.0]"
            case "host:mdns:services":
                return LISTING if len(asked) > 3 else ""
            case "host:pair:secret:192.168.1.20:37123":
                return "Successfully paired to 192.168.1.20:37123 [guid=adb-R5CT1-xYz]"
            case "host:connect:192.168.1.20:41234":
                connected = True
                return "connected to 192.168.1.20:41234"
            case "host:devices-l":
                return "192.168.1.20:41234 device model:Pixel_8\n" if connected else ""
        return None

    async with responding(answer) as port:
        adb = AdbServer("127.0.0.1", port)
        address = await wait_for_scan(adb, Invitation("studio-Abc", "secret"), limit=5, poll=0.001)
        guid = await pair(adb, address, "secret")
        assert await wait_until_connected(adb, guid, address, limit=5, poll=0.001) == "192.168.1.20:41234"
    assert guid == "adb-R5CT1-xYz"
    assert asked.count("host:connect:192.168.1.20:41234") == 1


async def test_a_phone_that_adb_connects_by_itself_is_found_by_its_id() -> None:
    serial = "adb-R5CT1-xYz._adb-tls-connect._tcp"
    async with responding(lambda service: f"{serial} device\n" if "devices" in service else "") as port:
        assert (
            await wait_until_connected(AdbServer("127.0.0.1", port), "adb-R5CT1-xYz", "10.0.0.9:1") == serial
        )


@pytest.mark.parametrize(
    ("answer", "words"),
    [(None, "not paired"), ("Failed: Wrong password or connection was dropped.", "adb says: Wrong password")],
)
async def test_a_refused_pairing_says_what_to_do(answer: str | None, words: str) -> None:
    async with responding(lambda _: answer) as port:
        with pytest.raises(PairingFailed, match=words) as caught:
            await pair(AdbServer("127.0.0.1", port), "10.0.0.9:1", "123456")
    assert "Check address and code" in str(caught.value)


async def test_nobody_who_reads_the_code_is_told() -> None:
    check = "mdns daemon version [1]"
    async with responding(lambda service: check if "check" in service else LISTING) as port:
        with pytest.raises(PairingFailed, match="No phone has read"):
            await wait_for_scan(
                AdbServer("127.0.0.1", port), Invitation("studio-Other", "x"), limit=0.05, poll=0.01
            )


async def test_a_paired_phone_that_does_not_come_is_told() -> None:
    async with responding(lambda _: "") as port:
        with pytest.raises(PairingFailed, match="Connect by the address"):
            await wait_until_connected(
                AdbServer("127.0.0.1", port), "adb-1", "10.0.0.9:1", limit=0.05, poll=0.01
            )


async def test_the_real_server_without_discovery_is_told(adb_server: PrivateAdbServer) -> None:
    with pytest.raises(PairingFailed, match="pairing code instead"):
        await wait_for_scan(AdbServer("127.0.0.1", adb_server.port), Invitation.fresh())


async def test_the_real_server_pairs_with_nobody_there(adb_server: PrivateAdbServer) -> None:
    with pytest.raises(PairingFailed, match="adb says: Unable to start pairing client"):
        await pair(AdbServer("127.0.0.1", adb_server.port), "127.0.0.1:9", "123456")


INVITATION = Invitation("studio-AbcDefGhij", "secretsecret").payload
FINDER = ["█▀▀▀▀▀█", "█ ███ █", "█ ▀▀▀ █", "▀▀▀▀▀▀▀"]


def test_a_code_fits_a_small_terminal_with_its_quiet_zone() -> None:
    lines = qr_lines(INVITATION)
    assert len(lines) <= 18
    assert {len(line) for line in lines} == {33}
    assert lines[0].strip() == ""
    assert [line[2:9] for line in lines[1:5]] == FINDER
    assert [line[24:31] for line in lines[1:5]] == FINDER


def test_light_ink_is_the_other_way_round() -> None:
    swapped = str.maketrans("█▀▄ ", " ▄▀█")
    assert [line.translate(swapped) for line in qr_lines(INVITATION, inverted=True)] == qr_lines(INVITATION)


def test_presets_are_known_by_their_address() -> None:
    assert {preset.id for preset in PRESETS} == {
        "openai",
        "openrouter",
        "dashscope",
        "vllm",
        "ollama",
        "lmstudio",
        "llamacpp",
        "other",
    }
    for preset in PRESETS[:-1]:
        assert preset_of(f"{preset.base_url}/") is preset
    assert preset_of("http://example.com/v1").id == "other"

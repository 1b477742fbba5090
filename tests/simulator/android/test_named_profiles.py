"""The phones that the simulator can be like."""

from __future__ import annotations

import pytest

from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.android.profiles import named_profiles
from assistant.simulator.phone import PhoneOptions, SimulatedPhone


@pytest.mark.parametrize("name", sorted(named_profiles()))
async def test_each_phone_is_seen_as_what_it_is(name: str, adb_server: PrivateAdbServer) -> None:
    profile = named_profiles()[name]
    size = (profile.size[0] // 2, profile.size[1] // 2)
    options = PhoneOptions(android=profile.release, size=size, density=profile.density // 2, profile=profile)
    async with SimulatedPhone(options) as simulated:
        adb = AdbServer("127.0.0.1", adb_server.port)
        await adb.connect(simulated.serial)
        phone = Phone(adb, simulated.serial, PhoneSettings(command_deadline=5.0, settle_cap=0.5))
        status, seen = await phone.status(), await phone.observe()
        assert (status.model, status.android) == (profile.model, str(profile.release))
        assert (seen.width, seen.height) == size
        assert not seen.secure
        assert "Chat" in {element.text for element in seen.elements}
        assert await phone.language() == (profile.language[:2] or "en")
        assert await phone.accepts_input() is not profile.quirks.get("input_denied", False)
        await adb.disconnect(simulated.serial)

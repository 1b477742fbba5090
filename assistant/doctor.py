"""Looks at every part the assistant depends on and says how to mend what does not work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assistant.config import Settings
from assistant.events import PhoneState
from assistant.memory.store import Store, StoreError
from assistant.model.client import VisionModel
from assistant.model.request import ModelError
from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from assistant.phone.errors import PhoneError
from assistant.phone.states import absent


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: whether it is good, what was found, and the command or the act that mends it."""

    part: str
    good: bool
    found: str
    mend: str = ""

    def line(self) -> str:
        """One line (two where there is something to mend) for a person."""
        line = f"{'ok' if self.good else '✗ '}  {self.part:10} {self.found}"
        return f"{line}\n    {'':10} → {self.mend}" if self.mend and not self.good else line

    def as_json(self) -> dict[str, Any]:
        """The same as plain JSON values."""
        return {"part": self.part, "good": self.good, "found": self.found, "mend": self.mend}


async def examine(settings: Settings) -> list[Finding]:
    """Examine memory, adb, phone, screen, keyboard and model. Nothing on the phone is changed."""
    return [_memory(settings), *await _phone(settings), await _model(settings)]


def _memory(settings: Settings) -> Finding:
    try:
        store = Store(settings.store)
    except StoreError as error:
        return Finding("memory", False, str(error), "assistant --store FOLDER")
    count = store.record_count()
    store.close()
    return Finding("memory", True, f"{count} records in {settings.store}")


async def _phone(settings: Settings) -> list[Finding]:
    adb = AdbServer(settings.phone.adb_host, settings.phone.adb_port)
    wanted = settings.phone.serial
    try:
        if ":" in wanted and all(device.serial != wanted for device in await adb.devices()):
            await adb.connect(wanted)
        devices = await adb.devices()
    except PhoneError as error:
        return [Finding("adb", False, error.sentence, "adb start-server")]
    found = [Finding("adb", True, f"answers on port {settings.phone.adb_port}, {len(devices)} devices")]
    serials = [device.serial for device in devices if wanted in ("", device.serial)]
    if len(serials) != 1:
        several = "Several phones are connected: " + ", ".join(serials)
        problem = several if serials else absent(wanted).sentence
        return [
            *found,
            Finding("phone", False, problem, "assistant --serial SERIAL" if serials else "adb devices"),
        ]
    phone = Phone(adb, serials[0], settings.phone)
    status = await phone.status()
    good = status.state is PhoneState.READY
    name = f"{status.model} ({serials[0]}), Android {status.android}" if status.model else serials[0]
    found.append(
        Finding(
            "phone", good, name if good else f"{name}: {status.sentence}", "" if good else status.sentence
        )
    )
    if good:
        found.append(await _screen(phone))
        found.append(await _keyboard(phone))
    return found


async def _screen(phone: Phone) -> Finding:
    try:
        seen = await phone.observe()
    except PhoneError as error:
        return Finding("screen", False, error.sentence, "adb exec-out screencap -p > screen.png")
    size = f"{seen.width}×{seen.height}, {len(seen.elements)} elements, {seen.app.name} in front"
    return Finding("screen", bool(seen.screenshot), size, "adb exec-out screencap -p > screen.png")


async def _keyboard(phone: Phone) -> Finding:
    try:
        problem = await phone.unicode_problem()
    except PhoneError as error:
        return Finding("keyboard", False, error.sentence)
    return Finding("keyboard", not problem, problem or "types any script", problem)


async def _model(settings: Settings) -> Finding:
    try:
        model = VisionModel(settings.model)
        try:
            return Finding("model", True, await model.check())
        finally:
            await model.close()
    except ModelError as error:
        return Finding(
            "model", False, str(error), "export ASSISTANT_MODEL__BASE_URL=… ASSISTANT_MODEL__NAME=…"
        )

"""Codes that a user types by hand while it is recorded: nothing from which they can be read is kept."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image
from sqlalchemy import select

from assistant.agent import takeover
from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.takeover import Demonstration, UserActionRecorder
from assistant.bench.demonstrations import secrets_in
from assistant.cli.memory_data import ActionTreeCodec
from assistant.events import Event
from assistant.memory.schema import observations
from assistant.memory.store import RecordFilter, Store
from assistant.memory.transfer.fingertip import export_folder
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.phone.touches import Gesture, Panel
from assistant.phone.ui_tree import parse_tree
from assistant.records import Click, ForegroundApp, Observation, Outcome, Source, TypeText
from assistant.safety.secret_entry import hide_code_fields, takes_secret
from assistant.skills.storage import SkillRepository
from assistant.skills.template import learn_template
from tests.safety.screens import HEIGHT, WIDTH, field, label, screen
from tests.skills.screens import node
from tests.tables import each

CODE = "135790"
KEYS = "123456789·0⌫"
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
NOW = datetime(2026, 3, 9, tzinfo=UTC)


def place(key: str) -> tuple[int, int]:
    """The middle of a key of the pad."""
    row, column = divmod(KEYS.index(key), 3)
    return 166 + 333 * column, 1125 + 250 * row


def page(*nodes: str, picture: bytes = b"", **values: Any) -> Observation:
    """A page of the size 1000 x 2000."""
    whole = node("FrameLayout", (0, 0, 1000, 2000), *nodes)
    elements = parse_tree(f'<hierarchy rotation="0">{whole}</hierarchy>'.encode()).elements
    return Observation(
        1000, 2000, picture, elements, ForegroundApp("com.shop", ".Pay", "Shop"), settled=True, **values
    )


def pad(
    title: str, typed: int, *, labels: str = KEYS, ids: bool = False, tap: bool = True, amount: str = ""
) -> Observation:
    """A page with the ten digits in three columns and four rows, and dots for those that were typed."""
    keys = []
    for number, key in enumerate(KEYS):
        (x, y), text = place(key), labels[number].strip() if labels else ""
        name = f"key_{key}" if ids and key.isdecimal() else ""
        box = (x - 160, y - 120, x + 160, y + 120)
        keys.append(node("Button", box, text=text, name=name, tap=tap and key != "·"))
    texts = [
        node("TextView", (0, 300 + 150 * row, 1000, 400 + 150 * row), text=text)
        for row, text in enumerate((title, amount, "●" * typed))
        if text
    ]
    return page(*texts, *keys)


PADS: dict[str, dict[str, Any]] = {
    "named in English": {"title": "Enter your payment password"},
    "named in Turkish, with a sum": {"title": "Ödeme şifrenizi girin", "amount": "₺ 120,00"},
    "in Arabic digits": {"title": "المبلغ", "labels": KEYS.translate(ARABIC), "amount": "120"},
    "by its digits alone": {"title": ""},
    "by digits that a word is below": {"title": "Hepsi bu", "labels": KEYS, "amount": "$ 12"},
    "by ids alone": {"title": "", "labels": "", "ids": True},
    "by its layout alone": {"title": "", "labels": ""},
    "as texts that take no touches": {"title": "", "tap": False},
}
CHECKOUT = page(
    node("TextView", (0, 0, 1000, 200), text="Checkout"),
    node("Button", (100, 700, 900, 900), text="Go on", name="go", tap=True),
)
PAID = page(node("TextView", (0, 0, 1000, 200), text="Thank you"))


class ShownScreens:
    """A phone that shows one screen after another, each when it is looked at; the last one stays."""

    def __init__(self, screens: Sequence[Observation]) -> None:
        self._screens = list(screens)

    async def observe(self) -> Observation:
        return self._screens.pop(0) if len(self._screens) > 1 else self._screens[0]


Touches = list[tuple[tuple[int, int], Observation | None]]


def touches(values: dict[str, Any], speed: str) -> Touches:
    """The tap that leads to a pad, and the code on it; each with the screen behind it, if seen."""
    opened: Touches = [((500, 800), None if speed == "nothing seen" else pad(typed=0, **values))]
    for number, digit in enumerate(CODE, 1):
        seen = speed == "slowly" or (speed == "in between" and number % 2 == 0)
        last = number == len(CODE)
        after = PAID if last else pad(typed=number, **values) if seen else None
        opened.append((place(digit), after))
    return opened


async def demonstrate(
    folder: Path, first: Observation, shown: Touches, monkeypatch: pytest.MonkeyPatch
) -> tuple[Checkpoint, list[Event], Store]:
    """A demonstration of these touches, as it is stored."""
    monkeypatch.setattr(takeover, "_IDLE_SECONDS", 0)
    monkeypatch.setattr(takeover, "_LATEST_SECONDS", 0)
    monkeypatch.setattr(takeover.PhoneEventWatcher, "run", lambda _watcher: asyncio.Event().wait())
    monkeypatch.setattr(
        takeover.PhoneEventWatcher, "panel", property(lambda _watcher: Panel(right=1000, bottom=2000))
    )
    store, events = Store(folder), list[Event]()
    turn = Checkpoint(turn_id="t", user_id="me", started=NOW, said="pay it", instruction="pay it")
    phone = ShownScreens([first, *(after for _place, after in shown if after is not None), PAID])
    demonstration = Demonstration(cast(Any, phone), store, turn, events.append, lambda: NOW)

    async def by_hand() -> None:
        for _pass in range(6):
            await asyncio.sleep(0)
        for where, after in shown:
            demonstration._take(Gesture(where, where, 0.1))
            for _pass in range(6 if after is not None else 0):
                await asyncio.sleep(0)

    return await demonstration.record(by_hand()), events, store


def spelt(actions: Sequence[Any]) -> str:
    """The keys of the pad at the points of taps, in their order."""
    points = [action.point for action in actions if isinstance(action, Click)]
    boxes = {key: place(key) for key in KEYS}
    hit = (
        key
        for point in points
        for key, (x, y) in boxes.items()
        if abs(point.x * 1000 - x) < 160 and abs(point.y * 2000 - y) < 120
    )
    return "".join(key for key in hit if key.isdecimal())


def files_in(folder: Path) -> dict[str, bytes]:
    """What each file in a folder holds."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("name", "speed"),
    [
        *((name, speed) for name in PADS for speed in ("slowly", "quickly")),
        ("named in English", "in between"),
        ("named in English", "nothing seen"),  # No pad is seen, whichever it is.
    ],
)
async def test_a_code_on_a_pad_cannot_be_read_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, speed: str
) -> None:
    shown = touches(PADS[name], speed)
    recorded, events, store = await demonstrate(tmp_path / "store", CHECKOUT, shown, monkeypatch)
    first, *others = recorded.steps
    assert isinstance(first.action, Click)
    assert first.action.target is not None
    assert first.action.target.text == "Go on"
    assert [step.is_withheld for step in others] == [True]
    taps = [action for event in events if isinstance(action := getattr(event, "action", None), Click)]
    assert {action.target.text for action in taps if action.target} == {"Go on"}
    assert spelt(taps) == ""
    repository = SkillRepository(store, "me")
    trace = repository.trace("t")
    assert trace is not None
    assert all(not takes_secret(kept) for kept in trace.screens.values())
    template = learn_template(trace)
    assert template is not None
    assert spelt([step.action for step in template.steps]) == ""
    assert [step.is_withheld for step in template.steps] == [False, True]
    exported = list(export_folder(store, tmp_path / "out", ActionTreeCodec(), RecordFilter()))
    store.close()
    assert exported
    assert secrets_in(tmp_path, (CODE, CODE.translate(ARABIC))) == []
    files = files_in(tmp_path)
    assert any(name.endswith(".xml") for name in files)
    assert not any(b"key_7" in written or "●".encode() in written for written in files.values())


async def test_a_password_behind_a_name_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def login(name: str, secret: str, *, on_secret: bool) -> Observation:
        fields = screen(
            field(20, name="user", text=name, focused=not on_secret),
            field(50, name="secret", text=secret, password=True, focused=on_secret),
        )
        return replace(fields, keyboard_shown=True)

    key = (500, 1800)
    shown: Touches = [
        (key, login("ann", "", on_secret=False)),
        (key, login("ann", "", on_secret=True)),
        (key, login("ann", "h", on_secret=True)),
        (key, None),
        (key, login("ann", "hunter2", on_secret=True)),
        ((500, 600), PAID),
    ]
    first = login("", "", on_secret=False)
    recorded, _events, store = await demonstrate(tmp_path, first, shown, monkeypatch)
    store.close()
    texts = [getattr(step.action, "text", "tap") for step in recorded.steps]
    assert texts == ["ann", ""]
    assert secrets_in(tmp_path, ("hunter2",)) == []


async def test_the_model_hears_of_a_code_that_the_user_typed_in_a_pause_nothing_but_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(takeover, "_IDLE_SECONDS", 0)
    store, events = Store(tmp_path), list[Event]()
    turn = Checkpoint(turn_id="t", user_id="me", started=NOW, said="x", instruction="x")
    checkpointer = TurnCheckpointer(store, turn)
    values = PADS["by its digits alone"]
    shown = touches(values, "slowly")[1:]
    phone = ShownScreens([after for _place, after in shown if after is not None])
    panel = Panel(right=1000, bottom=2000)
    recorder = UserActionRecorder(cast(Any, phone), checkpointer, lambda: panel, events.append, lambda: NOW)
    recording = asyncio.create_task(recorder.record(pad(typed=0, **values)))
    for where, _after in shown:
        recorder.add_gesture(Gesture(where, where, 0.1))
        for _pass in range(6):
            await asyncio.sleep(0)
    described = recorder.describe_actions(PAID)
    recording.cancel()
    checkpointer.store_observation(1, pad(typed=3, **values))
    checkpointer.store_observation(2, PAID)
    await checkpointer.finish(Outcome.SUCCESS, 1.0)
    trace = SkillRepository(store, "me").trace("t")
    assert trace is not None
    assert {screen.app.activity: takes_secret(screen) for screen in trace.screens.values()} == {".Pay": False}
    store.close()
    assert "keys for a code" in described
    assert not any(character.isdecimal() for character in described)
    assert [(step.source, step.is_withheld) for step in checkpointer.checkpoint.steps] == [
        (Source.USER, True)
    ]
    assert not any(isinstance(getattr(event, "action", None), Click) for event in events)
    assert secrets_in(tmp_path, (CODE,)) == []


def rows(labels: Sequence[str], columns: int) -> Observation:
    """Small buttons with these words, in rows."""
    size = 1000 // columns
    boxes = [(size * (n % columns), 800 + 150 * (n // columns)) for n in range(len(labels))]
    return page(
        *(
            node("Button", (x, y, x + size, y + 150), text=text, tap=True)
            for (x, y), text in zip(boxes, labels, strict=True)
        )
    )


@each(
    ("observation", "secret"),
    [
        (rows(["7", "8", "9", "÷", "4", "5", "6", "×", "1", "2", "3", "−", "0", ".", "=", "+"], 4), False),
        (rows(["1", "2", "3", "4", "5", "6", "7", "8", "9", "*", "0", "#"], 3), False),
        (rows([str(day) for day in range(1, 32)], 7), False),
        (
            rows(["Mail", "Clock", "Maps", "Notes", "Shop", "Taxi", "Chat", "Bank", "Music", "Photos"], 3),
            False,
        ),
        (rows("QWERTYUIOPASDFGHJKLZXCVBNM", 10), True),
        (rows("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1), False),
        (rows(["3", "9", "1", "0", "4", "7", "2", "8", "5", "6"], 5), True),
        (replace(CHECKOUT, secure=True), True),
        (CHECKOUT, False),
        (screen(label("Verification code", 40), field(60)), True),
        (screen(field(hint="Name")), False),
    ],
)
def test_where_a_secret_may_be_typed(observation: Observation, secret: bool) -> None:
    assert takes_secret(observation) is secret


def test_what_stands_in_a_field_for_a_code_is_stored_in_no_way() -> None:
    out = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), "white").save(out, "PNG")
    seen = screen(label("Sign in"), field(100, text="hunter2", password=True), field(150, text="ann"))
    hidden = hide_code_fields(replace(seen, screenshot=out.getvalue()))
    assert [element.text for element in hidden.elements if element.editable] == ["••••", "ann"]
    with Image.open(io.BytesIO(hidden.screenshot)) as picture:
        assert picture.getpixel((50, 110)) == (0, 0, 0)
        assert picture.getpixel((50, 160)) == (255, 255, 255)


@pytest.mark.parametrize(("source", "kept"), [(Source.USER, [2]), (Source.MODEL, [1, 2])])
async def test_no_pad_is_stored_once_the_user_typed_a_code_by_hand(
    tmp_path: Path, source: Source, kept: list[int]
) -> None:
    """Some pads show what was entered."""
    store = Store(tmp_path)
    steps = (StoredStep(number=1, action=TypeText(text=""), source=source),)
    turn = Checkpoint(
        turn_id="t", user_id="me", started=NOW, said="pay it", instruction="pay it", steps=steps
    )
    store.turns.save(turn)
    checkpointer = TurnCheckpointer(store, turn)
    checkpointer.store_observation(1, pad("Enter your payment password", typed=3))
    checkpointer.store_observation(2, CHECKOUT)
    await checkpointer.wait_until_stored()
    with store.reader() as connection:
        stored = connection.execute(select(observations.c.step).order_by(observations.c.step)).scalars().all()
    store.close()
    assert stored == kept

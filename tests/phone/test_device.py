"""The phone as the engine uses it, with answers that a simulated phone would rarely give."""

from __future__ import annotations

import asyncio
import base64
import json

import pytest

from assistant.events import PhoneState
from assistant.phone.device import Phone
from assistant.phone.errors import ActionRefused, PhoneError
from assistant.records import (
    Action,
    Bounds,
    Click,
    Direction,
    Element,
    Finished,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    PressRecent,
    Scroll,
    Swipe,
    TypeText,
    Wait,
)
from assistant.settings.schema import PhoneSettings
from assistant.simulator.adbd.backend import Fd, Write
from tests.phone.conftest import Scripted
from tests.phone.scripted import FACTS, POLICY, TREE, WINDOWS, Answer, png, until

FIELD = Element(0, -1, "android.widget.EditText", Bounds(0, 200, 1080, 300), focused=True)
SEEN = Observation(1080, 2400, png(), (FIELD,))
BLIND = Observation(1080, 2400, png(), ())
OWN = "com.example.keyboard/.Keyboard"
ADB = "com.android.adbkeyboard/.AdbIME"
U2 = "com.github.uiautomator/.AdbKeyboard"


def typed(text: str) -> str:
    return TREE.replace("Search", text)


def keyboards(scripted: Scripted, *installed: str) -> None:
    """Answer about input methods as a phone with these, on which `ime set` works."""
    known = "\n".join((OWN, *installed))
    scripted.script.on("ime list", f"{known}\n== enabled\n{OWN}\n== default\n{OWN}\n")
    scripted.script.on("ime enable", "Input method: now enabled\n")

    async def choose(line: str, write: Write) -> int:
        name = line.split()[-1].strip("'")
        scripted.script.on(
            "dumpsys input_method", f"mCurMethodId={name}\nmCurId={name} mHaveConnection=true\n"
        )
        await write(Fd.STDOUT, f"Input method {name} selected for user #0\n".encode())
        return 0

    scripted.script.on("ime set", choose)
    scripted.script.on("am broadcast", "Broadcasting: Intent\nBroadcast completed: result=0\n")
    scripted.script.on("ADB_KEYBOARD_INPUT_TEXT", 'Broadcast completed: result=-1, data="success"\n')


def sent(scripted: Scripted, words: str) -> list[str]:
    return [line for line in scripted.script.lines if line.startswith(words)]


@pytest.mark.parametrize(
    ("action", "command"),
    [
        (Click(point=Point(0.5, 0.5)), "input tap 540 1200"),
        (Click(point=Point(1, 1)), "input tap 1079 2399"),
        (LongClick(point=Point(0.1, 0.1)), "input swipe 108 240 108 240 500"),
        (Scroll(direction=Direction.DOWN), "input swipe 540 1800 540 600 300"),
        (Swipe(start=Point(0.1, 0.5), end=Point(0.9, 0.5)), "input swipe 108 1200 972 1200 300"),
        (PressBack(), "input keyevent 4"),
        (PressHome(), "input keyevent 3"),
        (PressRecent(), "input keyevent 187"),
        (PressEnter(), "input keyevent 66"),
    ],
)
async def test_actions_become_commands(scripted: Scripted, action: Action, command: str) -> None:
    await scripted.phone().perform(action, SEEN)
    assert scripted.script.lines == [command]


async def test_an_app_is_open_although_its_start_hangs(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.apps._START_COMMAND", 0.2)
    scripted.script.on("query-activities", "1 activities found:\n    com.example.shop/.MainActivity\n")
    scripted.script.wait_on("am start")
    await scripted.phone().perform(OpenApp(name="com.example.shop"), SEEN)
    assert len(sent(scripted, "am start")) == 1
    assert not sent(scripted, "monkey")


async def test_an_action_that_ends_a_turn_is_none_for_a_phone(scripted: Scripted) -> None:
    with pytest.raises(ValueError, match="finished"):
        await scripted.phone().perform(Finished(), SEEN)


async def test_waiting_ends_when_the_screen_changes(scripted: Scripted) -> None:
    scripted.script.on("screencap", png(colour="grey"))
    await scripted.phone(PhoneSettings(settle_cap=30)).perform(Wait(), SEEN)
    assert len(sent(scripted, "screencap")) == 1


async def test_one_picture_that_is_the_same_says_that_a_page_stands_still(scripted: Scripted) -> None:
    assert await scripted.phone().stands_still(BLIND)
    assert len(sent(scripted, "screencap")) == 1


async def test_several_pictures_say_that_a_page_was_exchanged(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.device._STILL_INTERVAL", 0.0)
    scripted.script.on("screencap", png(colour="grey"))
    assert not await scripted.phone().stands_still(BLIND)
    assert len(sent(scripted, "screencap")) == 3


async def test_a_picture_begun_before_the_yes_says_nothing_of_what_is_tapped_after_it(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.device._STILL_INTERVAL", 0.0)
    phone = scripted.phone()
    await phone.wait_ready(1.0)
    phone.watch()
    await until(lambda: len(sent(scripted, "screencap")) > 0)
    await phone.end_watch()
    scripted.script.on("screencap", png(colour="grey"))
    assert not await phone.stands_still(BLIND)


async def test_nothing_is_watched_any_more_once_a_page_is_checked(scripted: Scripted) -> None:
    phone = scripted.phone()
    await phone.wait_ready(1.0)
    scripted.script.wait_on("screencap")
    phone.watch()
    await until(lambda: len(sent(scripted, "screencap")) == 1)
    scripted.script.on("screencap", png())
    assert await phone.stands_still(BLIND)
    scripted.script.gate.set()
    await phone.status()
    assert len(sent(scripted, "screencap")) == 2


async def test_a_status_tells_about_the_phone(scripted: Scripted) -> None:
    status = await scripted.phone().status()
    assert (status.state, status.sentence) == (PhoneState.READY, "Phone is ready.")
    assert (status.serial, status.model, status.android) == (scripted.serial, "Sim Phone", "12")
    assert (status.battery, status.screen) == (84, (1080, 2400))
    scripted.script.on(
        "settings get secure enabled_accessibility_services", "com.android.talkback/.TalkBack\n"
    )
    status = await scripted.phone().status()
    assert status.state is PhoneState.READY
    assert "screen reader" in status.sentence


async def test_without_a_serial_the_only_phone_is_taken(scripted: Scripted) -> None:
    phone = Phone(scripted.adb, "", PhoneSettings())
    assert (await phone.status()).state is PhoneState.READY
    assert phone.serial == scripted.serial


async def test_a_locked_phone(scripted: Scripted) -> None:
    policy = POLICY.replace("false", "true")
    scripted.script.on("dumpsys window", f"{WINDOWS}{policy}== power\n mWakefulness=Awake\n")
    status = await scripted.phone().status()
    assert (status.state, status.sentence) == (PhoneState.LOCKED, "Phone is locked. Unlock it to go on.")
    with pytest.raises(PhoneError) as caught:
        await scripted.phone().observe()
    assert caught.value.state is PhoneState.LOCKED


async def test_a_phone_that_is_locked_while_it_is_looked_at(scripted: Scripted) -> None:
    other = WINDOWS.replace("com.example.shop", "com.example.chat")
    awake = "== power\n  mWakefulness=Awake\n"
    told = iter([f"{other}{POLICY}{awake}", f"{WINDOWS}{POLICY.replace('false', 'true')}{awake}"])

    async def tell(line: str, write: Write) -> int:
        await write(Fd.STDOUT, next(told).encode())
        return 0

    scripted.script.on("dumpsys window displays", tell)
    with pytest.raises(PhoneError) as caught:
        await scripted.phone().observe()
    assert caught.value.state is PhoneState.LOCKED


async def test_a_dark_screen_is_switched_on_once(scripted: Scripted) -> None:
    asleep = FACTS.replace("Awake", "Asleep")
    scripted.script.on("dumpsys window", asleep)
    with pytest.raises(PhoneError) as caught:
        await scripted.phone().observe()
    assert caught.value.state is PhoneState.SCREEN_OFF
    assert sent(scripted, "input") == ["input keyevent 224"]

    async def wake(line: str, write: Write) -> int:
        scripted.script.on("dumpsys window", FACTS)
        return 0

    scripted.script.on("input keyevent 224", wake)
    assert (await scripted.phone().observe()).app.package == "com.example.shop"


async def test_a_preview_shows_the_screen_and_wakes_nothing(scripted: Scripted) -> None:
    phone = scripted.phone()
    seen = await phone.preview()
    assert seen is not None
    assert seen.app.package == "com.example.shop"
    scripted.script.on("dumpsys window", FACTS.replace("Awake", "Asleep"))
    assert await phone.preview() is None
    assert sent(scripted, "input") == []


async def test_the_apps_are_learnt_where_none_is_known(scripted: Scripted) -> None:
    scripted.script.on("cmd package query-activities", "com.a/.Main\ncom.b/.Main\n")
    scripted.script.on("cmd package resolve-activity", "com.home/.Home\n")
    scripted.script.on("dumpsys activity", '  title="Maps" componentName=com.a/.Main\n')
    phone = scripted.phone()
    await phone.learn_apps()
    assert phone.app_names == ("Maps",)
    await phone.learn_apps()
    assert len(sent(scripted, "dumpsys activity")) == 1


async def test_a_preview_gives_way_to_a_turn(scripted: Scripted) -> None:
    phone = scripted.phone()
    began, allowed = asyncio.Event(), asyncio.Event()

    async def tell(line: str, write: Write) -> int:
        began.set()
        await allowed.wait()
        await write(Fd.STDOUT, FACTS.encode())
        return 0

    scripted.script.on("dumpsys window", tell)
    preview = asyncio.create_task(phone.preview())
    await began.wait()
    turn = asyncio.create_task(phone.observe())
    assert await preview is None
    allowed.set()
    assert (await turn).app.package == "com.example.shop"


async def test_a_phone_that_forbids_input_until_it_allows_it(scripted: Scripted) -> None:
    phone = scripted.phone()
    scripted.script.on(
        "input", Answer(err="java.lang.SecurityException: INJECT_EVENTS permission\n", code=255)
    )
    with pytest.raises(PhoneError) as caught:
        await phone.perform(PressBack(), SEEN)
    assert caught.value.state is PhoneState.NO_INPUT_PERMISSION
    assert (await phone.status()).state is PhoneState.NO_INPUT_PERMISSION
    scripted.script.on("input", Answer())
    assert (await phone.status()).state is PhoneState.READY


async def test_a_phone_that_comes_back_is_waited_for(scripted: Scripted) -> None:
    phone = scripted.phone()
    await scripted.adb.disconnect(scripted.serial)
    assert (await phone.status()).state is PhoneState.ABSENT
    assert (await phone.wait_ready(10)).state is PhoneState.READY


async def test_waiting_for_a_phone_has_a_limit(scripted: Scripted) -> None:
    scripted.daemon.faults.freeze()
    loop = asyncio.get_running_loop()
    begun = loop.time()
    assert (await scripted.phone().wait_ready(0.3)).state is PhoneState.FROZEN
    assert loop.time() - begun < 2


async def test_plain_text_with_everything_a_shell_knows(scripted: Scripted) -> None:
    text = "a %s 'b' \"c\" $(d) `e` ;&|<>\\ ~*?#"
    scripted.script.on("uiautomator dump", typed("a s b c d e"))
    await scripted.phone().perform(TypeText(text=text), SEEN)
    assert sent(scripted, "input text") == [
        "input text a%s%",
        """input text 's%s'"'"'b'"'"'%s"c"%s$(d)%s`e`%s;&|<>\\%s~*?#'""",
    ]


async def test_newlines_are_keys(scripted: Scripted) -> None:
    scripted.script.on("uiautomator dump", typed("ab"))
    await scripted.phone().perform(TypeText(text="a\r\nb\n"), SEEN)
    assert sent(scripted, "input") == [
        "input text a",
        "input keyevent 66",
        "input text b",
        "input keyevent 66",
    ]


async def test_text_that_did_not_arrive_is_told(scripted: Scripted) -> None:
    with pytest.raises(ActionRefused, match="Search"):
        await scripted.phone().perform(TypeText(text="noodles\n"), SEEN)
    assert sent(scripted, "input keyevent") == []


async def test_typing_needs_a_field(scripted: Scripted) -> None:
    seen = Observation(1080, 2400, png(), ())
    with pytest.raises(ActionRefused, match="Tap a text field"):
        await scripted.phone().perform(TypeText(text="x"), seen)
    scripted.script.on("dumpsys input_method", "  mInputShown=true\n")
    scripted.script.on("uiautomator dump", typed("x"))
    await scripted.phone().perform(TypeText(text="x"), seen)


@pytest.mark.parametrize(("keyboard", "extra"), [(ADB, "msg"), (U2, "text")])
async def test_other_characters_go_through_a_keyboard(scripted: Scripted, keyboard: str, extra: str) -> None:
    keyboards(scripted, keyboard)
    scripted.script.on("uiautomator dump", typed("你好 é"))
    await scripted.phone().perform(TypeText(text="你好 é"), SEEN)
    encoded = base64.b64encode("你好 é".encode()).decode()
    assert sent(scripted, "am broadcast")[0].endswith(f"--es {extra} {encoded}")
    assert [line.split()[-1] for line in sent(scripted, "ime set")] == [keyboard, OWN]
    assert not (scripted.notes / "keyboard.json").exists()


async def test_without_such_a_keyboard_the_refusal_says_what_to_install(scripted: Scripted) -> None:
    keyboards(scripted)
    with pytest.raises(ActionRefused, match="Install ADBKeyBoard"):
        await scripted.phone().perform(TypeText(text="你好"), SEEN)
    assert sent(scripted, "ime set") == []


async def test_a_phone_that_forbids_switching_keyboards_is_said_with_its_cure(scripted: Scripted) -> None:
    refusal = (
        "java.lang.SecurityException: uid 2000 does not have android.permission.WRITE_SECURE_SETTINGS.\n"
    )
    scripted.script.on("ime list", Answer(f"== enabled\n== default\n{OWN}", refusal))
    with pytest.raises(ActionRefused, match="Disable permission monitoring"):
        await scripted.phone().perform(TypeText(text="你好"), SEEN)
    assert sent(scripted, "ime set") == []


async def test_a_keyboard_that_refuses_is_replaced_all_the_same(scripted: Scripted) -> None:
    keyboards(scripted, ADB)
    scripted.script.on("am broadcast", Answer(err="Error: Unknown option\n", code=1))
    with pytest.raises(ActionRefused, match="did not reach"):
        await scripted.phone().perform(TypeText(text="你好"), SEEN)
    assert sent(scripted, "ime set")[-1].endswith(OWN)


async def test_a_cancelled_text_leaves_a_note_and_release_restores(scripted: Scripted) -> None:
    keyboards(scripted, ADB)
    scripted.script.wait_on("am broadcast")
    phone = scripted.phone()
    doing = asyncio.create_task(phone.perform(TypeText(text="你好"), SEEN))
    await until(lambda: bool(sent(scripted, "am broadcast")))
    doing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await doing
    count = len(scripted.script.lines)
    scripted.script.gate.set()
    await phone.settled_down()
    assert len(scripted.script.lines) == count
    assert json.loads((scripted.notes / "keyboard.json").read_text()) == {scripted.serial: OWN}
    for _ in range(2):
        await phone.release()
    assert len(sent(scripted, "ime set")) == 2
    assert sent(scripted, "ime set")[-1].endswith(OWN)


async def test_the_next_start_restores_what_a_crash_left(scripted: Scripted) -> None:
    keyboards(scripted, ADB)
    (scripted.notes / "keyboard.json").write_text(json.dumps({scripted.serial: OWN, "other": ADB}))
    await scripted.phone().restore_after_crash()
    assert scripted.script.lines == [f"ime set {OWN}"]
    assert json.loads((scripted.notes / "keyboard.json").read_text()) == {"other": ADB}


async def test_what_a_crash_left_is_restored_once_for_all_that_wait_for_it(scripted: Scripted) -> None:
    keyboards(scripted, ADB)
    (scripted.notes / "keyboard.json").write_text(json.dumps({scripted.serial: OWN}))
    phone = scripted.phone()
    await asyncio.gather(phone.restore_after_crash(), phone.restore_after_crash())
    keyboards(scripted, ADB)
    (scripted.notes / "keyboard.json").write_text(json.dumps({scripted.serial: OWN}))
    await phone.restore_after_crash()
    assert sent(scripted, "ime set") == [f"ime set {OWN}"]


async def test_a_keyboard_that_is_gone_resets_to_the_phones_own(scripted: Scripted) -> None:
    scripted.script.on("ime set", Answer(err=f"Unknown input method {OWN} cannot be selected\n", code=255))
    (scripted.notes / "keyboard.json").write_text(json.dumps({scripted.serial: OWN}))
    await scripted.phone().restore_after_crash()
    assert scripted.script.lines[-1] == "ime reset"


async def test_a_held_phone_ends_with_the_command_in_flight(scripted: Scripted) -> None:
    scripted.script.wait_on("input text a")
    phone = scripted.phone()
    doing = asyncio.create_task(phone.perform(TypeText(text="a\nb"), SEEN))
    await until(lambda: bool(scripted.script.lines))
    phone.stop_actions()
    scripted.script.gate.set()
    with pytest.raises(ActionRefused, match="stopped"):
        await doing
    assert scripted.script.done == ["input text a"]
    phone.allow_actions()
    await phone.perform(PressBack(), SEEN)


async def test_a_held_phone_finishes_a_tap_well(scripted: Scripted) -> None:
    scripted.script.wait_on("input tap")
    phone = scripted.phone()
    doing = asyncio.create_task(phone.perform(Click(point=Point(0, 0)), SEEN))
    await until(lambda: bool(scripted.script.lines))
    phone.stop_actions()
    scripted.script.gate.set()
    await doing


async def test_a_held_phone_does_not_look_for_an_app_that_it_opens(scripted: Scripted) -> None:
    scripted.script.on("cmd package query-activities", EATS)
    scripted.script.wait_on("am start")
    phone = scripted.phone()
    doing = asyncio.create_task(phone.perform(OpenApp(name="Eats"), SEEN))
    await until(lambda: bool(sent(scripted, "am start")))
    lines = list(scripted.script.lines)
    phone.stop_actions()
    scripted.script.gate.set()
    with pytest.raises(ActionRefused, match="stopped"):
        await doing
    assert scripted.script.lines == lines


async def test_a_held_phone_does_not_look_on(scripted: Scripted) -> None:
    phone = scripted.phone(PhoneSettings(settle_cap=30))
    doing = asyncio.create_task(phone.perform(Wait(), SEEN))
    await until(lambda: bool(scripted.script.lines))
    phone.stop_actions()
    with pytest.raises(ActionRefused, match="stopped"):
        await asyncio.wait_for(doing, 5)


async def test_an_app_is_opened_by_part_of_its_package(scripted: Scripted) -> None:
    scripted.script.on("cmd package query-activities", "  com.example.eats/.MainActivity\n")
    scripted.script.on("am start", "Starting: Intent { cmp=com.example.eats/.MainActivity }\n")
    scripted.script.on("dumpsys window", FACTS.replace("com.example.shop", "com.example.eats"))
    await scripted.phone().perform(OpenApp(name="Eats"), SEEN)
    assert sent(scripted, "am start")[0].startswith("am start -n com.example.eats/.MainActivity ")


USERS = "0\nUsers:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:Work profile:1030} running\n"
EATS = "  com.example.eats/.MainActivity\n"


def with_a_work_profile(scripted: Scripted, own: str, work: str, front_user: int) -> Phone:
    scripted.script.on("pm list users", USERS)
    scripted.script.on("cmd package query-activities", own)
    scripted.script.on("--user 10", work)
    scripted.script.on("am start", "Starting: Intent { cmp=com.example.eats/.MainActivity }\n")
    front = f"u{front_user} com.example.eats"
    scripted.script.on("dumpsys window", FACTS.replace("u0 com.example.shop", front))
    return scripted.phone()


@pytest.mark.parametrize(
    ("name", "own", "work", "started"),
    [
        ("Eats", EATS, EATS, "am start -n"),
        ("Eats (Work profile)", EATS, EATS, "am start --user 10 -n"),
        ("Eats（工作）", EATS, EATS, "am start --user 10 -n"),
        ("Eats", "", EATS, "am start --user 10 -n"),
    ],
)
async def test_an_app_of_a_work_profile_is_opened_where_it_is_meant(
    scripted: Scripted, name: str, own: str, work: str, started: str
) -> None:
    phone = with_a_work_profile(scripted, own, work, 10 if "--user" in started else 0)
    await phone.perform(OpenApp(name=name), SEEN)
    assert sent(scripted, "am start")[0].startswith(started)
    shown = (await phone.observe()).app.label
    assert ("Work profile" in shown) is ("--user" in started)


async def test_the_users_own_app_is_none_of_the_work_profile(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.phone.apps._COLD_START", 0.1)
    phone = with_a_work_profile(scripted, EATS, EATS, front_user=0)
    with pytest.raises(ActionRefused, match="nothing came up"):
        await phone.perform(OpenApp(name="Eats (Work profile)"), SEEN)
    assert not sent(scripted, "monkey")


async def test_an_app_that_does_not_start(scripted: Scripted) -> None:
    scripted.script.on("cmd package query-activities", "  com.example.eats/.MainActivity\n")
    scripted.script.on("am start", Answer(err="Error: Activity not started, unknown error code 101\n"))
    with pytest.raises(ActionRefused, match="unknown error code"):
        await scripted.phone().perform(OpenApp(name="Eats"), SEEN)


async def test_a_label_whose_app_is_gone_is_forgotten(scripted: Scripted) -> None:
    labels = scripted.notes / "labels.json"
    labels.write_text(json.dumps({scripted.serial: {"Old": "com.old/.Main", "Older": "com.older/.Main"}}))
    scripted.script.on("am start", "Error type 3\nError: Activity class {com.old/.Main} does not exist.\n")
    with pytest.raises(ActionRefused, match="Older"):
        await scripted.phone().perform(OpenApp(name="Old"), SEEN)
    assert json.loads(labels.read_text()) == {scripted.serial: {"Older": "com.older/.Main"}}


async def test_phone_time_grows_with_commands(scripted: Scripted) -> None:
    phone = scripted.phone()
    before = phone.phone_seconds
    await phone.observe()
    assert phone.phone_seconds > before


async def test_a_lost_phone_gets_its_keyboard_back_later(scripted: Scripted) -> None:
    (scripted.notes / "keyboard.json").write_text(json.dumps({scripted.serial: OWN}))
    scripted.script.on("ime set", f"Input method {OWN} selected\n")
    phone = scripted.phone()
    await scripted.adb.disconnect(scripted.serial)
    await phone.release()
    assert scripted.script.lines == []
    assert (await phone.wait_ready(10)).state is PhoneState.READY
    await phone.release()
    assert sent(scripted, "ime set") == [f"ime set {OWN}"]

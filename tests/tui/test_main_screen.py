from __future__ import annotations

from pathlib import Path

import pytest
from textual.command import CommandList, Hit

from assistant import events
from assistant.events import Cause, PhoneState, TurnState
from assistant.phone.device import Phone
from assistant.records import Bounds, Click, Element, Finished, Observation, Outcome, Point
from assistant.settings.schema import InterfaceSettings, Picture, Settings
from assistant.tui.app import PaletteCommands
from tests.tui.meanings import RECORDS, recall
from tests.tui.scenes import NO_PHONE
from tests.tui.scripted import NOW, ScriptedEngine, lunch

from .app_fixture import open_desk
from .sample_screens import phone_picture


def svg_files(folder: Path) -> list[Path]:
    return list(folder.glob("*.svg"))


async def test_enter_runs_a_command_when_nothing_runs() -> None:
    async with open_desk() as desk:
        await desk.type("turn on wi-fi")
        await desk.press("enter")
        assert desk.calls == [("run", "turn on wi-fi")]
        assert desk.typed == ""


async def test_enter_on_nothing_does_nothing() -> None:
    async with open_desk() as desk:
        await desk.press("space", "enter")
        assert desk.calls == []


async def test_a_command_sent_before_the_phone_is_found_starts_when_it_is() -> None:
    async with open_desk(ScriptedEngine(searching=True)) as desk:
        await desk.type("turn on wi-fi")
        await desk.press("enter")
        assert desk.calls == []
        assert "starts as soon as the phone is found" in desk.text
        desk.engine.is_searching = False
        desk.engine.phone()
        await desk.settle()
        assert desk.calls == [("run", "turn on wi-fi")]


@pytest.mark.parametrize("line", ["never mind", "no, don't do that", "算了"])
async def test_a_command_that_waits_for_the_phone_is_taken_back(line: str) -> None:
    async with open_desk(ScriptedEngine(searching=True)) as desk:
        for text in ("turn on wi-fi", line):
            await desk.type(text)
            await desk.press("enter")
        assert "Not started: turn on wi-fi" in desk.text
        desk.engine.is_searching = False
        desk.engine.phone()
        await desk.settle()
        assert desk.calls == []


async def test_a_command_that_waits_for_the_phone_is_corrected() -> None:
    async with open_desk(ScriptedEngine(searching=True)) as desk:
        for line in ("order a taxi to the airport", "no wait, to the station"):
            await desk.type(line)
            await desk.press("enter")
        assert desk.calls == []
        assert not desk.engine.command_queue.commands
        desk.engine.is_searching = False
        desk.engine.phone()
        await desk.settle()
        assert desk.calls == [("run", "order a taxi to the station")]


async def test_a_command_sent_before_the_phone_is_missed_goes_back_to_the_field() -> None:
    async with open_desk(ScriptedEngine(searching=True)) as desk:
        await desk.type("turn on wi-fi")
        await desk.press("enter")
        desk.engine.is_searching, desk.engine.missing = False, NO_PHONE
        desk.engine.phone(PhoneState.ABSENT, NO_PHONE)
        await desk.settle()
        assert desk.calls == []
        assert desk.typed == "turn on wi-fi"


async def test_words_typed_in_mid_turn_are_said_and_shown() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.type("the corner one")
        await desk.press("enter")
        assert desk.calls == [("say", "the corner one")]
        assert "› the corner one" in desk.text


async def test_words_typed_while_paused_are_said_and_do_not_resume() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)
        await desk.settle()
        assert "Say what to do differently" in desk.text
        await desk.type("no onions")
        await desk.press("enter")
        assert desk.calls == [("say", "no onions")]
        assert "› no onions · read when the turn continues" in desk.text
        await desk.press("f5")
        assert "› no onions" in desk.text
        assert "read when the turn continues" not in desk.text


async def test_a_turn_shows_command_meaning_steps_and_thought() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        for words in (
            "› order my usual lunch",
            "⇒ Order beef noodles without coriander",
            "1 ✓ open Eats",
            "0.3 s  replayed",
            "3 ✓ type “beef noodles”",
            "The list shows two shops.",
            "▸ Running · model thinking",
            "$0.004",
        ):
            assert words in desk.text


async def test_escape_with_nothing_running_says_so() -> None:
    async with open_desk() as desk:
        await desk.press("escape", "f5")
        assert desk.calls == []
        assert "No turn is paused." in desk.lines[-1]


async def test_ctrl_c_clears_the_input_else_hints() -> None:
    async with open_desk() as desk:
        await desk.type("abc")
        await desk.press("ctrl+c")
        assert desk.typed == ""
        await desk.press("ctrl+c")
        assert "ctrl+q leaves" in desk.lines[-1]


async def test_ctrl_c_copies_what_is_selected() -> None:
    async with open_desk() as desk:
        await desk.type("abc")
        await desk.press("shift+home", "ctrl+c")
        assert desk.typed == "abc"
        assert desk.app.clipboard == "abc"


async def test_up_and_down_go_through_past_commands() -> None:
    async with open_desk(ScriptedEngine(past=["first", "second", "second"])) as desk:
        await desk.type("draft")
        await desk.press("up")
        assert desk.typed == "second"
        await desk.press("up")
        assert desk.typed == "first"
        await desk.press("up")
        assert desk.typed == "first"
        await desk.press("down", "down")
        assert desk.typed == "draft"


async def test_a_paste_keeps_its_lines_and_loses_control_characters() -> None:
    async with open_desk() as desk:
        await desk.paste("one\r\n\x1b[31mtwo\x07")
        assert desk.typed == "one\ntwo"
        await desk.press("ctrl+j", "x", "enter")
        assert desk.calls == [("run", "one\ntwo\nx")]


async def test_escape_closes_help_without_pausing() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.press("f1")
        assert "Cancel the turn: the second one" in desk.text
        await desk.press("escape")
        assert "Cancel the turn: the second one" not in desk.text
        assert desk.calls == []


async def test_the_first_screen_says_what_is_missing_until_it_is_there() -> None:
    async with open_desk(ScriptedEngine(missing=NO_PHONE)) as desk:
        assert "Looking for the phone" in desk.text
        desk.engine.phone(PhoneState.ABSENT, "No phone is connected.")
        await desk.settle()
        assert "No phone is connected." in desk.text
        assert "simulated phone" in desk.text
        desk.engine.missing = ""
        desk.engine.phone()
        await desk.settle()
        assert "No phone is connected." not in desk.text
        assert "Pixel 8" in desk.lines[0]


async def test_a_command_that_cannot_start_stays_in_the_input() -> None:
    async with open_desk(ScriptedEngine(missing="No phone is connected. Connect one.")) as desk:
        await desk.type("turn on wi-fi")
        await desk.press("enter")
        assert desk.calls == []
        assert desk.typed == "turn on wi-fi"
        assert "No phone is connected. Connect one." in desk.text
        assert "Not started." in desk.lines[-1]


async def test_what_is_simulated_stays_visible() -> None:
    engine = ScriptedEngine(simulated="Simulated phone, scripted model")
    async with open_desk(engine, size=(80, 18)) as desk:
        lunch(engine)
        engine.ask_approval(4)
        await desk.settle()
        assert "Simulated phone, scripted model" in desk.lines[1]


async def test_a_lost_phone_is_told_after_a_turn() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.finish(Outcome.SUCCESS, "Done.", 4)
        desk.engine.phone(PhoneState.LOCKED, "The phone is locked. Unlock it to go on.")
        await desk.settle()
        assert "Unlock it to go on." in desk.text
        assert "locked" in desk.lines[0]


async def test_the_answer_stands_below_everything_else() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.emit(events.ReplyMalformed(time=NOW, step=4, attempt=1, reason="No action."))
        desk.engine.act(4, Finished(answer="It is ordered."))
        desk.engine.finish(Outcome.SUCCESS, "It is ordered.", 4)
        await desk.settle()
        assert desk.text.count("It is ordered.") == 1
        assert desk.text.index("No action.") < desk.text.index("✓ It is ordered.")


async def test_what_keeps_the_phone_away_is_told_as_it_changes() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.enter(TurnState.WAITING, Cause.PHONE, "The connection is down.")
        desk.engine.phone(PhoneState.UNAUTHORIZED, "Allow debugging on the phone.")
        await desk.settle()
        assert "Allow debugging on the phone." in desk.text
        desk.engine.enter(TurnState.RUNNING, Cause.OBSERVING)
        desk.engine.phone(PhoneState.LOCKED, "The phone is locked.")
        await desk.settle()
        assert "The phone is locked." not in desk.text


async def test_a_failed_turn_says_why() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.finish(Outcome.FAILED, "The shop is closed.", 4)
        await desk.settle()
        assert "✗ The shop is closed." in desk.text
        assert "✗ Failed   4 steps, 31 s, 12k tok" in desk.text


async def test_pages_of_steps_are_turned_with_the_keys() -> None:
    async with open_desk() as desk:
        desk.engine.begin("go on and on")
        for number in range(1, 41):
            desk.engine.act(number, Click(point=Point(0.5, 0.5), content="next"))
        await desk.settle()
        assert "40 ✓ tap “next”" in desk.text
        await desk.press("pageup")
        assert "40 ✓" not in desk.text
        await desk.press("pagedown")
        assert "40 ✓ tap “next”" in desk.text


async def test_a_new_turn_begins_on_an_empty_panel() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.finish(Outcome.SUCCESS, "Done.", 4)
        desk.engine.begin("something else")
        await desk.settle()
        assert "open Eats" not in desk.text
        assert "› something else" in desk.text


async def test_thoughts_of_finished_steps_show_on_demand() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.act(4, Click(point=Point(0.5, 0.5), content="the shop"))
        await desk.settle()
        assert "two shops" not in desk.text
        await desk.press("/thoughts")
        assert "two shops" in desk.text


async def test_the_picture_shows_when_there_is_room_and_f3_hides_it() -> None:
    async with open_desk(size=(160, 50)) as desk:
        lunch(desk.engine)
        desk.engine.choose(4, Click(point=Point(0.5, 0.3), content="the shop"))
        await desk.settle()
        assert "▀▀▀▀" in desk.text
        assert desk.text.count("◎") == 1
        await desk.press("f3")
        assert "▀▀▀▀" not in desk.text
    async with open_desk(size=(80, 24)) as desk:
        lunch(desk.engine)
        await desk.settle()
        assert "▀▀▀▀" not in desk.text
        await desk.press("f3")
        assert "▀▀▀▀" in desk.text
        await desk.press("f3")
        assert "▀▀▀▀" not in desk.text
    async with open_desk(size=(50, 24)) as desk:
        await desk.press("f3")
        assert "needs 60 columns" in " ".join(map(str.strip, desk.lines[-3:]))


async def test_without_pixels_the_phone_is_drawn_in_words_with_the_reasons_below() -> None:
    button = Element(0, -1, "Button", Bounds(700, 2200, 1000, 2300), "Check out", clickable=True)
    shop = Element(1, -1, "TextView", Bounds(60, 300, 900, 400), "Corner Noodle House")
    async with open_desk(ScriptedEngine(records=RECORDS), size=(160, 50)) as desk:
        recall(desk.engine)
        desk.engine.observe(1, elements=(button, shop))
        desk.engine.choose(1, Click(point=Point(0.8, 0.94), target=button.target()))
        await desk.settle()
        assert "▀▀▀▀" not in desk.text
        for words in (
            "phone · Eats",
            "Corner Noodle House",
            "◎ [ Check out ]",
            "─ why ─",
            "Sat 07 Mar 12:05  Eats",
        ):
            assert words in desk.text
        await desk.pilot.resize_terminal(100, 30)
        await desk.settle()
        assert "─ why ─" not in desk.text


async def test_beside_a_suggestion_stand_its_own_records() -> None:
    async with open_desk(ScriptedEngine(records=RECORDS), size=(160, 50)) as desk:
        recall(desk.engine)
        desk.engine.finish(Outcome.SUCCESS, "Ordered.", 4)
        await desk.settle()
        assert "Sat 07 Mar 12:05  Eats" in desk.text
        newest = max(RECORDS, key=lambda record: record.time)
        desk.engine.suggest(evidence=(newest.id,))
        await desk.settle()
        side = desk.text[desk.text.index("─ why ─") :]
        assert f"{newest.time:%d %b %H:%M}" in side
        assert "Suggestion: Navigate home" in side
        desk.engine.begin("turn on dark mode")
        await desk.settle()
        assert "Suggestion: Navigate home" not in desk.text


async def test_a_broken_picture_is_no_picture() -> None:
    async with open_desk(size=(160, 50)) as desk:
        for picture in (b"no image", phone_picture()[:400]):
            desk.engine.observe(1, picture=picture)
            await desk.settle()
            assert "No picture yet." in desk.text


async def test_strange_settings_are_told_in_words() -> None:
    interface = InterfaceSettings().model_copy(update={"theme": "no [/such]", "picture": "oil"})
    async with open_desk(ScriptedEngine(settings=Settings(interface=interface))) as desk:
        assert "Unknown theme in interface.theme: “no [/such]”" in desk.text
        assert "Unknown value of interface.picture: “oil”" in desk.text


async def test_the_picture_can_be_off_by_setting() -> None:
    settings = Settings(interface=InterfaceSettings(picture=Picture.OFF))
    async with open_desk(ScriptedEngine(settings=settings), size=(160, 50)) as desk:
        lunch(desk.engine)
        await desk.settle()
        assert "▀▀▀▀" not in desk.text


async def test_an_engine_that_breaks_is_told_and_the_interface_stays() -> None:
    async with open_desk(ScriptedEngine(broken="the store [/cannot] be opened")) as desk:
        assert "The engine stopped: the store [/cannot] be opened." in desk.text
        await desk.type("x")
        assert desk.typed == "x"


@pytest.mark.parametrize("words", ["find", "search", "look up"])
async def test_the_palette_finds_entries_by_other_words_for_them(words: str) -> None:
    async with open_desk() as desk:
        provider = PaletteCommands(desk.app.screen)
        found = [str(hit.text) async for hit in provider.search(words) if isinstance(hit, Hit)]
        assert {"Past turns: search them", "What is remembered: search it", "All settings: search"} <= {
            title.partition(", ")[0] for title in found
        }
        assert len(found) == len(set(found))


async def test_the_palette_runs_what_the_keys_run() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        await desk.settle()
        await desk.press("ctrl+p")
        await desk.press(*"nothing")
        results = desk.app.screen.query_one(CommandList)
        while not (results.option_count and "nothing" in str(results.get_option_at_index(0).prompt)):
            await desk.pilot.pause()
        await desk.press("enter")
        await desk.pilot.pause()
        assert desk.calls == [("pause",)]


async def test_a_picture_of_the_screen_is_saved(tmp_path: Path) -> None:
    async with open_desk(pictures=tmp_path) as desk:
        await desk.app.run_action("save_picture")
        await desk.settle()
        assert "Saved" in " ".join(map(str.strip, desk.lines[-3:]))
        assert svg_files(tmp_path)


async def test_a_picture_that_cannot_be_saved_is_told(tmp_path: Path) -> None:
    async with open_desk(pictures=tmp_path / "absent") as desk:
        await desk.app.run_action("save_picture")
        await desk.settle()
        assert "cannot be written" in " ".join(map(str.strip, desk.lines[-3:]))


class _ShownPhone(Phone):
    """Shows one screen, and counts how often it is looked at."""

    def __init__(self) -> None:
        self.looks = 0

    async def preview(self) -> Observation | None:
        self.looks += 1
        element = Element(1, -1, "TextView", Bounds(40, 40, 400, 90), text="Corner Noodle House")
        return Observation(1080, 2400, b"", (element,))


@pytest.mark.parametrize("size", [(160, 50), (80, 24)])
async def test_the_phone_is_drawn_before_the_first_turn_where_it_is_shown(size: tuple[int, int]) -> None:
    engine = ScriptedEngine()
    phone = engine.current_phone = _ShownPhone()
    async with open_desk(engine, size) as desk:
        engine.phone()
        await desk.settle()
        assert ("Corner Noodle House" in desk.text) is (size[0] == 160)
        await desk.press("/phone")
        assert ("Corner Noodle House" in desk.text) is (size[0] == 80)
        engine.phone()
        await desk.settle()
        assert phone.looks == 1


async def test_a_welcome_that_does_not_fit_is_paged() -> None:
    async with open_desk(size=(40, 12)) as desk:
        guide = [f"tip number {number} of the tour" for number in range(9)]
        desk.app.main.turn.welcome.set_guide(guide)
        desk.app.main.turn.welcome.show_ready()
        await desk.settle()
        assert "Type what the phone should do" in desk.text
        assert "more ▾" in desk.text
        assert "tip number 8" not in desk.text
        await desk.press("pagedown", "pagedown", "pagedown")
        assert "sent to the phone" in desk.text
        assert "more ▴" in desk.text
        await desk.press("pageup", "pageup", "pageup")
        assert "Type what the phone should do" in desk.text

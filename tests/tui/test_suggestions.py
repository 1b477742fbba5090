from __future__ import annotations

from dataclasses import replace

import pytest
from textual.app import SystemCommand

from assistant.events import (
    Answer,
    InstructionResolved,
    PlaceAsked,
    ScenarioChanged,
    Snooze,
    SuggestionLapsed,
)
from assistant.presentation.ui_state import SETTLING
from assistant.records import Outcome
from assistant.settings.schema import ProactiveSettings, Settings
from tests.tui.scripted import CUT_OFF, NOW, ScriptedEngine, lunch, past_suggestion

from .app_fixture import Desk, open_desk

DO = "Navigate home and play the evening podcast"
WAITING = "Suggested from memory, 12:05:"


def squeezed(desk: Desk) -> str:
    """All words on the screen, as if on one line."""
    return " ".join(desk.text.replace("│", " ").split())


async def offered(desk: Desk, *, decide: bool = False) -> None:
    desk.engine.suggest()
    await desk.settle()
    if decide:
        await desk.press("tab")
        await desk.wait(SETTLING)


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("yes", ("answer", "s1", "accepted", DO)),
        ("sure", ("answer", "s1", "accepted", DO)),
        ("好", ("answer", "s1", "accepted", DO)),
        ("no thanks", ("answer", "s1", "not now", "")),
        ("不用了", ("answer", "s1", "not now", "")),
    ],
)
async def test_a_suggestion_is_answered_by_a_typed_word(said: str, call: tuple[str, ...]) -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.wait(SETTLING)
        await desk.type(said)
        await desk.press("enter")
        await desk.settle()
        answers = [made for made in desk.calls if made[0] not in ("typing", "note_typing")]
        assert len(answers) == 1
        assert answers[0][:2] == call[:2]
        assert ("suggested again at its next time" in squeezed(desk)) == (call[2] == "not now")


@pytest.mark.parametrize("said", ["later", "晚点"])
async def test_a_typed_later_asks_until_when(said: str) -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.wait(SETTLING)
        await desk.type(said)
        await desk.press("enter")
        assert "in 10 minutes" in desk.text
        assert desk.calls == []


@pytest.mark.parametrize(
    ("size", "answers"),
    [((60, 18), "tab answers"), ((80, 24), "tab lists the answers"), ((160, 50), "tab lists the answers")],
)
async def test_a_suggestion_tells_how_to_answer_and_takes_no_focus(
    size: tuple[int, int], answers: str
) -> None:
    async with open_desk(size=size) as desk:
        await desk.type("half a comm")
        await offered(desk)
        text = squeezed(desk)
        assert "◷ Suggested" in text
        assert "Navigate home" in text
        assert answers in text
        assert ("14 of 15 times" in text) == (size != (60, 18))
        # The suggestion says what tab does; the line of keys does not say it in another way.
        assert "tab panels" not in text
        assert desk.app.focused is desk.app.main.input
        await desk.press("a", "n", "d")
        assert desk.typed == "half a command"


async def test_the_whole_offer_stands_on_two_lines_with_its_reason_and_on_one_where_there_is_less_room() -> (
    None
):
    long = "Order beef noodles, no coriander, from Old Street Noodles to the office"
    async with open_desk() as desk:
        desk.engine.suggest(long)
        await desk.settle()
        assert f"{WAITING} {long}? tab lists the answers" in squeezed(desk)
        await desk.press("f2")
        assert desk.app.main.suggestion.size.height == 1
        await desk.press("f2")
        assert desk.app.main.suggestion.size.height == 3


@pytest.mark.parametrize("size", [(60, 18), (80, 24), (160, 50)])
async def test_while_something_else_asks_it_is_out_of_sight_and_comes_back(size: tuple[int, int]) -> None:
    async with open_desk(size=size) as desk:
        await offered(desk)
        desk.engine.begin("order my usual lunch")
        asked = desk.engine.ask_question(1, "Which one?")
        await desk.settle()
        assert "◷" not in desk.text
        assert desk.app.main.suggestion.size.height == 0
        asked.set_result("Eats")
        await desk.settle()
        assert "◷ Suggested" in desk.text


async def test_what_begins_by_itself_stays_in_sight_beside_an_offer() -> None:
    async with open_desk(ScriptedEngine(cut_off=CUT_OFF)) as desk:
        desk.engine.suggest(begins_in=15)
        await desk.settle()
        assert desk.app.main.decision.prompt is not None
        assert "by itself in 15 s · esc stops" in squeezed(desk)
        await desk.press("escape")
        assert "◷" not in desk.text


async def test_new_words_take_the_place_of_the_old_where_they_are_read() -> None:
    async with open_desk() as desk:
        await offered(desk, decide=True)
        desk.engine.suggest("Navigate to the gym")
        await desk.settle()
        assert "Navigate to the gym?" in desk.text
        assert "podcast" not in desk.text
        assert "and the suggestion with it: Navigate to the gym" in squeezed(desk)
        await desk.press("1", "enter")
        assert desk.calls == []
        await desk.wait(SETTLING)
        await desk.press("1", "enter")
        assert desk.calls == [("answer", "s1", Answer.ACCEPTED, "Navigate to the gym")]


async def test_what_counts_down_no_more_takes_no_more_lines_than_it_needs() -> None:
    async with open_desk(size=(172, 50)) as desk:
        desk.engine.suggest("Navigate to Building 8 Willow Court", begins_in=15)
        await desk.settle()
        assert desk.app.main.suggestion.size.height == 3
        await desk.press("escape")
        assert desk.app.main.suggestion.size.height == 2


async def test_what_counts_down_waits_for_a_yes_once_it_has_other_words() -> None:
    async with open_desk() as desk:
        desk.engine.suggest(begins_in=15)
        desk.engine.suggest("Navigate to the gym")
        await desk.settle()
        assert "starts" not in squeezed(desk).replace("starts only if", "")
        assert "Navigate to the gym?" in desk.text


async def test_plain_decision_keys_do_nothing_before_it_is_opened() -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.wait(5)
        await desk.press("enter", "1", "4")
        assert desk.calls == []


async def test_the_decision_says_why() -> None:
    async with open_desk(size=(160, 50)) as desk:
        await offered(desk, decide=True)
        for words in (
            DO,
            "Why: at about this time of day 14 of 15 times; last yesterday.",
            "asks before it pays",
            "4  not now, but next time",
            "esc hides the list, it still waits · f8 its records",
        ):
            assert words in desk.text


@pytest.mark.parametrize(
    ("key", "call"),
    [
        ("1", ("answer", "s1", Answer.ACCEPTED, DO)),
        ("4", ("answer", "s1", Answer.NOT_NOW, "")),
        ("5", ("answer", "s1", Answer.NEVER, "")),
    ],
)
async def test_the_answers(key: str, call: tuple[str, ...]) -> None:
    async with open_desk() as desk:
        await offered(desk, decide=True)
        await desk.press(key, "enter")
        assert desk.calls == [call]
        assert WAITING not in desk.text


@pytest.mark.parametrize(
    ("key", "snooze"),
    [("1", Snooze.TEN_MINUTES), ("2", Snooze.AN_HOUR), ("3", Snooze.TOMORROW)],
)
async def test_putting_it_off(key: str, snooze: Snooze) -> None:
    async with open_desk() as desk:
        await offered(desk, decide=True)
        await desk.press("3", "enter")
        assert "tomorrow" in desk.text
        await desk.wait(SETTLING)
        await desk.press(key, "enter")
        assert desk.calls == [("answer", "s1", snooze, "")]


@pytest.mark.parametrize("size", [(40, 18), (60, 18), (80, 24)])
async def test_all_choices_are_in_sight_at_any_size(size: tuple[int, int]) -> None:
    async with open_desk() as desk:
        desk.engine.suggest("Order beef noodles, no coriander, from Old Street Noodles to the office")
        await desk.settle()
        await desk.press("/suggestion")
        await desk.pilot.resize_terminal(*size)
        await desk.settle()
        for words in (
            "Order beef",
            "1 yes",
            "2 yes, but",
            "3 later",
            "4 not now",
            "5 never",
        ):
            assert words in squeezed(desk)


async def test_a_key_pressed_at_once_is_not_taken() -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.press("tab", "1", "enter")
        assert desk.calls == []
        assert "Not taken" in desk.text


async def test_a_key_right_after_typing_is_not_taken() -> None:
    async with open_desk() as desk:
        await offered(desk, decide=True)
        await desk.type("ab")
        await desk.press("tab", "4", "enter")
        assert desk.calls == []


async def test_editing_sends_the_changed_words_as_the_answer() -> None:
    async with open_desk() as desk:
        await offered(desk, decide=True)
        await desk.press("2", "enter")
        assert desk.typed == DO
        await desk.press("s", "enter")
        assert desk.calls == [("answer", "s1", Answer.EDITED, DO + "s")]


async def test_a_yes_with_a_change_puts_the_suggestion_with_it_into_the_field() -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.type("yes but at 1, im in a meeting")
        await desk.press("enter")
        changed = f"{DO}, as asked: “at 1, im in a meeting”"
        assert (desk.typed, desk.calls) == (changed, [])
        await desk.press("enter")
        assert desk.calls == [("answer", "s1", Answer.EDITED, changed)]


async def test_changed_words_sent_while_the_phone_is_looked_for_answer_the_suggestion() -> None:
    async with open_desk(ScriptedEngine(searching=True, missing="No phone is connected.")) as desk:
        await offered(desk, decide=True)
        await desk.press("2", "enter", "s", "enter")
        assert f"“{DO}s” starts as soon as" in squeezed(desk)
        desk.engine.is_searching = False
        desk.engine.phone()
        await desk.settle()
        assert (desk.calls, desk.typed) == ([], DO + "s")
        desk.engine.is_searching = True
        await desk.press("enter")
        desk.engine.is_searching, desk.engine.missing = False, ""
        desk.engine.phone()
        await desk.settle()
        assert desk.calls == [("answer", "s1", Answer.EDITED, DO + "s")]


async def test_an_emptied_field_takes_a_command_of_its_own() -> None:
    async with open_desk() as desk:
        await offered(desk, decide=True)
        await desk.press("2", "enter", "ctrl+c")
        await desk.type("call mom")
        await desk.press("enter")
        assert desk.calls == [("run", "call mom")]


async def test_what_cannot_start_stays() -> None:
    async with open_desk(ScriptedEngine(missing="No phone is connected.")) as desk:
        await offered(desk, decide=True)
        await desk.press("1", "enter")
        assert desk.calls == []
        assert "1  yes, do it" in desk.text


async def test_what_lapses_goes() -> None:
    async with open_desk() as desk:
        await offered(desk, decide=True)
        desk.engine.emit(SuggestionLapsed(time=NOW, id="another"), SuggestionLapsed(time=NOW, id="s1"))
        await desk.settle()
        assert WAITING not in desk.text
        await desk.press("/suggestion")
        assert "Nothing is suggested." in desk.text


async def test_an_approval_comes_first() -> None:
    async with open_desk() as desk:
        await offered(desk, decide=True)
        lunch(desk.engine)
        desk.engine.ask_approval(4)
        await desk.settle()
        assert "1  yes, do it" not in desk.text
        await desk.press("/suggestion")
        assert "Answer the open question" in desk.text


async def test_the_engine_hears_that_words_are_unsent() -> None:
    async with open_desk() as desk:
        await desk.type("ab")
        assert desk.engine.unsent
        await desk.press("ctrl+c")
        assert not desk.engine.unsent


async def test_past_suggestions_can_be_looked_at_and_picked() -> None:
    old = past_suggestion("Order tea")
    async with open_desk(ScriptedEngine(old=[old, replace(old, answer=Answer.LAPSED)])) as desk:
        await desk.press("/suggestions")
        assert "Order tea" in desk.text
        assert "no answer" in desk.text
        await desk.press("enter")
        assert desk.typed == "Order tea"


async def test_before_any_suggestion_the_list_says_so() -> None:
    async with open_desk() as desk:
        await desk.press("/suggestions")
        assert "No suggestions yet." in desk.text


async def test_hostile_words_are_only_words() -> None:
    async with open_desk() as desk:
        desk.engine.suggest("[bold]x[/]\x1b[31m\n\nctrl+y " + "long " * 200)
        await desk.settle()
        await desk.press("/suggestion")
        assert "[bold]x" in desk.text
        assert "5  never" in desk.text


async def test_saying_where_one_is() -> None:
    async with open_desk() as desk:
        desk.engine.emit(PlaceAsked(time=NOW, seen="Example-Corp"))
        await desk.settle()
        assert "where are you? /where" in desk.text
        await desk.press("/where")
        assert "Where are you?" in desk.text
        await desk.press("down", "enter")
        assert desk.calls == [("where", "office")]


async def test_the_status_bar_tells_where_the_user_is() -> None:
    async with open_desk(size=(160, 50)) as desk:
        assert "⌂" not in desk.text
        desk.engine.emit(ScenarioChanged(time=NOW, scenario="office", place="the [b]lab", origin="place"))
        await desk.settle()
        assert "⌂ the [b]lab" in desk.text
        desk.engine.emit(ScenarioChanged(time=NOW, scenario="unknown"))
        await desk.settle()
        assert "⌂" not in desk.text


async def test_what_begins_by_itself_counts_down_and_escape_stops_it() -> None:
    async with open_desk() as desk:
        desk.engine.suggest(begins_in=15)
        await desk.settle()
        assert "starts by itself in 15 s · esc stops it · tab" in desk.text
        await desk.wait(5)
        desk.app.main.suggestion.tick()
        await desk.settle()
        assert "by itself in 10 s" in desk.text
        await desk.press("escape")
        assert desk.calls == [("stop countdown", "s1")]
        assert "by itself in" not in desk.text
        assert "Navigate home" in desk.text
        await desk.press("escape")
        assert desk.calls == [("stop countdown", "s1")]


@pytest.mark.parametrize(("missing", "words"), [("", "starts by itself"), ("x", "Routines that pay")])
async def test_the_palette_lets_a_routine_begin_by_itself(missing: str, words: str) -> None:
    async with open_desk(ScriptedEngine(missing=missing)) as desk:

        def entries() -> list[SystemCommand]:
            found = desk.app.get_system_commands(desk.app.screen)
            return [one for one in found if "start by itself" in one.title]

        assert entries() == []
        await offered(desk)
        await entries()[0].callback()
        await desk.settle()
        assert desk.calls == [("allow auto-run", "s1")]
        assert words in desk.text


async def test_a_turn_that_begins_ends_the_countdown() -> None:
    async with open_desk() as desk:
        desk.engine.suggest(begins_in=15)
        await desk.settle()
        lunch(desk.engine)
        await desk.settle()
        assert "by itself in" not in desk.text


@pytest.mark.parametrize("wanted", [True, False])
async def test_the_desktop_and_the_bell_are_used_only_if_wanted(
    wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(proactive=ProactiveSettings(notify=wanted, bell=wanted))
    told: list[str] = []
    monkeypatch.setattr("assistant.tui.terminal.write", lambda app, sequence: told.append(sequence))
    async with open_desk(ScriptedEngine(settings=settings)) as desk:
        monkeypatch.setattr(desk.app, "bell", lambda: told.append("bell"))
        told.clear()
        desk.engine.suggest("Play\x1b]0;evil\x07 music; now")
        await desk.settle()
        rung = [one for one in told if one == "bell"]
        shown = [one for one in told if "tab answers" in one]
        assert (len(rung), len(shown)) == ((1, 1) if wanted else (0, 0))
        assert all(one.count("\x1b") == 2 and "\x07" not in one for one in shown)


@pytest.mark.parametrize(
    ("asked", "is_suggested"), [(f"{DO} on Maps", False), ("Order dumplings on Eats", True)]
)
async def test_what_the_user_asks_for_is_not_suggested_beside_it(asked: str, is_suggested: bool) -> None:
    async with open_desk() as desk:
        await offered(desk)
        desk.engine.begin("the usual")
        desk.engine.emit(InstructionResolved(time=NOW, instruction=asked))
        await desk.settle()
        assert ("◷ Suggested" in desk.text) is is_suggested


@pytest.mark.parametrize("said", ["nah not today, it rains", "今天下雨，不跑了", "I don't feel like running"])
async def test_a_sentence_that_refuses_something_is_asked_about_while_a_suggestion_is_open(said: str) -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.wait(SETTLING)
        await desk.type(said)
        await desk.press("enter")
        assert not [call for call in desk.calls if call[0] == "run"]
        assert "about the suggestion, or a command?" in desk.text
        await desk.press("1", "enter")
        await desk.settle()
        assert [call[:3] for call in desk.calls if call[0] == "answer"] == [("answer", "s1", Answer.NOT_NOW)]
        assert "suggested again at its next time" in squeezed(desk)


@pytest.mark.parametrize(
    ("said", "wait"),
    [("in an hour pls", Snooze.AN_HOUR), ("十分钟后再说", Snooze.TEN_MINUTES), ("tomorrow", Snooze.TOMORROW)],
)
async def test_a_time_alone_puts_a_suggestion_off(said: str, wait: Snooze) -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.wait(SETTLING)
        await desk.type(said)
        await desk.press("enter")
        await desk.settle()
        assert [call[:3] for call in desk.calls if call[0] == "answer"] == [("answer", "s1", wait)]
        assert not [call for call in desk.calls if call[0] == "run"]


@pytest.mark.parametrize(
    "said",
    ["order noodles, no coriander", "点牛肉面，不要香菜", "milk not cream", "明早七点叫我，哦不六点半"],
)
async def test_a_command_that_leaves_something_out_is_no_answer_to_a_suggestion(said: str) -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.wait(SETTLING)
        await desk.type(said)
        await desk.press("enter")
        await desk.settle()
        assert ("run", said) in desk.calls


async def test_an_answered_suggestion_leaves_no_failure_of_the_turn_before_in_the_state() -> None:
    async with open_desk() as desk:
        lunch(desk.engine)
        desk.engine.finish(Outcome.FAILED, "The shop is closed.", 4)
        desk.engine.state = None
        desk.engine.suggest()
        await desk.wait(SETTLING)
        assert "✗ Failed   4 steps" in desk.text
        await desk.type("no thanks")
        await desk.press("enter")
        await desk.settle()
        assert "○ Idle" in desk.text
        assert "✗ Failed   " not in desk.text


async def test_a_sentence_below_a_suggestion_may_put_it_off() -> None:
    async with open_desk() as desk:
        await offered(desk)
        await desk.wait(SETTLING)
        await desk.type("nah, too early, ask me in an hour")
        await desk.press("enter", "2", "enter")
        await desk.settle()
        assert not [call for call in desk.calls if call[0] in ("run", "answer")]
        assert "in an hour" in desk.text
        await desk.wait(2)
        await desk.press("2", "enter")
        await desk.settle()
        assert [call[:3] for call in desk.calls if call[0] == "answer"] == [("answer", "s1", Snooze.AN_HOUR)]

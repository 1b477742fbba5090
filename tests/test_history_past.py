from __future__ import annotations

from pathlib import Path

import pytest

from assistant.history import PictureState, find
from assistant.memory.forgetting import forget
from assistant.memory.retention import sweep
from assistant.memory.turns import StoredStep
from assistant.records import Click, Outcome, Point
from assistant.settings.schema import MemorySettings

from .history_turns import BEGAN, keep_some, lunch


def test_turns_are_listed_newest_first_with_how_they_ended(tmp_path: Path) -> None:
    _, past = keep_some(tmp_path)
    turns = past.newest()
    assert [(turn.turn_id, turn.ended) for turn in turns] == [
        ("t-mom", "not ended"),
        ("t-alarm", "failed"),
        ("t-lunch", "success"),
    ]
    assert (turns[2].steps, turns[2].apps, turns[2].answer) == (3, ("Eats",), "Beef noodles are ordered.")


def test_an_app_without_a_known_label_goes_by_a_readable_name(tmp_path: Path) -> None:
    store, past = keep_some(tmp_path)
    package = "com.android.permissioncontroller"
    step = StoredStep(number=1, action=Click(point=Point(0.5, 0.9)), app=package, package=package)
    store.turns.save(lunch("t-allow", steps=(step,)))
    whole = past.whole("t-allow")
    assert whole is not None
    assert whole.turn.apps == ("Permission controller",)


def test_a_turn_has_its_steps_with_their_pictures_and_ends_with_its_answer(tmp_path: Path) -> None:
    _, past = keep_some(tmp_path)
    whole = past.whole("t-lunch")
    assert whole is not None
    assert whole.turn.outcome is Outcome.SUCCESS
    kept, secure = PictureState.KEPT, PictureState.SECURE
    assert [one.picture for one in whole.steps] == [kept, kept, secure, kept]
    assert whole.steps[-1].step.action.type == "finished"
    assert past.picture("t-lunch", 1).startswith(b"\xff\xd8")
    assert past.picture("t-lunch", 3) == b""


def test_swept_pictures_are_told_from_those_that_never_were(tmp_path: Path) -> None:
    store, past = keep_some(tmp_path)
    sweep(store, MemorySettings(screenshot_days=1), BEGAN.replace(year=2027))
    whole = past.whole("t-lunch")
    assert whole is not None
    assert (whole.pictures, whole.swept) == (0, 3)
    cut_off = past.whole("t-mom")
    assert cut_off is not None
    assert {one.picture for one in cut_off.steps} == {PictureState.NONE}


def test_a_forgotten_turn_is_gone(tmp_path: Path) -> None:
    store, past = keep_some(tmp_path)
    forget(store, ["t-lunch"])
    assert past.whole("t-lunch") is None
    assert past.picture("t-lunch", 1) == b""


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("lunch", ["t-lunch"]),
        ("noodles eats", ["t-lunch"]),
        ("my usaul lunch", ["t-lunch"]),
        ("妈妈", ["t-mom"]),
        ("failed", ["t-alarm"]),
        ("", ["t-mom", "t-alarm", "t-lunch"]),
        ("zzz", []),
    ],
)
def test_turns_are_found_by_words_that_nearly_fit(tmp_path: Path, words: str, wanted: list[str]) -> None:
    _, past = keep_some(tmp_path)
    found = [turn.turn_id for turn in find(past.newest(), words)]
    assert found == wanted

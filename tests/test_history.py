"""Past turns and the report about one of them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assistant.history import PastTurns, PictureState, find_turns, turn_html
from assistant.memory.forgetting import forget, sweep
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep
from assistant.records import Click, Outcome, Point
from assistant.settings.schema import MemorySettings
from assistant.tui.screens.history import draw_turn
from tests.tui.hostile_texts import HOSTILE

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


def test_the_turns_of_others_are_not_told(tmp_path: Path) -> None:
    store, _ = keep_some(tmp_path)
    others = PastTurns(store, "somebody else")
    assert others.newest() == []
    assert others.whole("t-lunch") is None
    assert others.picture("t-lunch", 1) == b""


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
    found = [turn.turn_id for turn in find_turns(past.newest(), words)]
    assert found == wanted


class Tags(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_report_carries_steps_pictures_and_the_mark_of_the_tap(tmp_path: Path) -> None:
    _, past = keep_some(tmp_path)
    whole = past.whole("t-lunch")
    assert whole is not None
    page = turn_html(whole, past.picture, simulated="Simulated phone")
    assert page.count("data:image/jpeg;base64,") == 3
    assert "left: 50.0%; top: 10.0%" in page
    for words in (
        "order my usual lunch",
        "Beef noodles are ordered.",
        "the field is gone",
        "Simulated phone",
    ):
        assert words in page
    assert "This screen allowed no pictures." in page
    assert "http" not in page.replace("http-equiv", "")


ATTACK = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7*7 }}"


@pytest.mark.parametrize("text", [ATTACK, *HOSTILE.values()], ids=["script", *HOSTILE])
def test_hostile_text_stays_text_in_both_reports(tmp_path: Path, text: str) -> None:
    store = Store(tmp_path)
    sound = text.replace("\ud83d", "")
    click = Click(point=Point(0.5, 0.5), content=sound)
    step = StoredStep(number=1, action=click, app=sound, thought=sound, error=sound)
    turn = lunch(
        said=sound, instruction=sound + ".", steps=(step,), notes=(sound,), answer=sound, model=sound
    )
    store.turns.save(turn)
    store.turns.finish(turn, Outcome.FAILED)
    past = PastTurns(store, "me")
    whole = past.whole(turn.turn_id)
    assert whole is not None
    page, drawing = turn_html(whole, past.picture), draw_turn(whole, past.picture)
    tags = Tags()
    tags.feed(page)
    assert not {"script", "img", "a", "iframe"} & set(tags.tags)
    assert "<script" not in drawing
    for output in (page, drawing):
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e\u2066]", output)
    if text == ATTACK:
        assert text in "".join(tags.texts)

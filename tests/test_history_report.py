from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assistant.history import PastTurns, html
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep
from assistant.records import Click, Outcome, Point
from assistant.tui.export import draw_turn
from tests.tui.hostile_texts import HOSTILE

from .history_turns import keep_some, lunch


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
    page = html(whole, past.picture, simulated="Simulated phone")
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
    page, drawing = html(whole, past.picture), draw_turn(whole, past.picture)
    tags = Tags()
    tags.feed(page)
    assert not {"script", "img", "a", "iframe"} & set(tags.tags)
    assert "<script" not in drawing
    for output in (page, drawing):
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e\u2066]", output)
    if text == ATTACK:
        assert text in "".join(tags.texts)

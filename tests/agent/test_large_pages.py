"""On a page of thousands of nodes the guards learn what they always ask while the model replies."""

import asyncio

import pytest

from assistant.agent.action_selection import BackgroundWork, learn_page
from assistant.records import Bounds, Click, Element, ForegroundApp, Observation
from assistant.safety import page_sentences
from assistant.safety.classifier import judge
from assistant.safety.page import page_of

_PACKAGE = "com.example.shop"


def large_page(rows: int = 200) -> Observation:
    """Rows of a text and a button; the last button pays."""
    elements = [Element(0, -1, "android.widget.FrameLayout", Bounds(0, 0, 1080, 2400), package=_PACKAGE)]
    for row in range(rows):
        top = 100 + row * 11
        words = "Buy now" if row == rows - 1 else f"More {row}"
        text, button = Bounds(0, top, 800, top + 10), Bounds(800, top, 1080, top + 10)
        note = f"These are the many words of row {row}"
        elements += [
            Element(2 * row + 1, 0, "android.widget.TextView", text, text=note, package=_PACKAGE),
            Element(
                2 * row + 2, 0, "android.widget.Button", button, text=words, package=_PACKAGE, clickable=True
            ),
        ]
    return Observation(1080, 2400, b"", tuple(elements), ForegroundApp(_PACKAGE, "Shop", "Shop"))


def tap(seen: Observation, element: Element) -> Click:
    return Click(point=seen.point(*element.bounds.centre))


def test_what_is_asked_of_a_whole_page_is_known_before_the_tap(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, other = large_page(), large_page()
    expected = [judge(tap(other, e), other, strict=True) for e in other.elements if e.clickable]
    assert any(expected)
    learn_page(seen)
    assert page_of(seen).once(page_sentences._notes)
    asked: list[object] = []
    monkeypatch.setattr(page_sentences, "_is_sentence", lambda *given: asked.append(given))
    assert [judge(tap(seen, e), seen, strict=True) for e in seen.elements if e.clickable] == expected
    assert not asked


async def test_tasks_that_have_begun_are_waited_for_and_the_screen_is_stored_once() -> None:
    done: list[str] = []
    beside = BackgroundWork([lambda: done.append("learnt")], lambda: done.append("stored"))
    await beside.begun.wait()
    await beside.finish_tasks()
    beside.end()
    assert done == ["learnt", "stored"]


async def test_a_quick_reply_does_not_wait_and_the_screen_is_stored_all_the_same() -> None:
    done: list[str] = []
    beside = BackgroundWork([lambda: done.append("learnt")], lambda: done.append("stored"))
    await beside.finish_tasks()
    beside.end()
    await asyncio.sleep(0)
    assert done == ["stored"]


async def test_a_task_that_fails_ends_no_turn(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("no such node")

    stored: list[str] = []
    beside = BackgroundWork([fail], lambda: stored.append("stored"))
    await beside.begun.wait()
    await beside.finish_tasks()
    beside.end()
    assert stored == ["stored"]
    assert "no such node" in caplog.text

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.bench.matching import change_screen, run, tappable_points
from assistant.skills.matcher import Certainty, TargetRefused, find_again
from assistant.skills.screen_tree import ScreenTree
from tests.skills.screens import listing, node, row, tree
from tests.tables import each

MENU = listing(row(0, "Rice"), row(1, "Soup"), row(2, "Tea"))


def labelled(screen: ScreenTree, words: str) -> int:
    """The element that reacts and begins with these words."""
    return next(index for index in tappable_points(screen) if screen.content(index)[:1] == ((words, ""),))


@each(
    ("change", "there", "above"),
    [
        ("none", True, ["Rice", "Soup", "Tea"]),
        ("a row inserted above", True, ["Rice", "?", "Soup", "Tea"]),
        ("removed", False, ["Rice", "Tea"]),
        ("renamed", True, ["Rice", "?", "Tea"]),
    ],
)
def test_a_change_does_what_it_says(change: str, there: bool, above: list[str]) -> None:
    screen = tree(MENU)
    target = labelled(screen, "Soup")
    now = change_screen(screen, target, change, 0)
    assert now is not None
    assert (target in now.origins) is there
    titles = [e.text for e in now.tree.elements if e.resource_id.endswith("title")]
    assert [title if title in ("Rice", "Soup", "Tea") else "?" for title in titles] == above


def test_a_dialog_takes_the_tap() -> None:
    screen = tree(MENU)
    target = labelled(screen, "Soup")
    now = change_screen(screen, target, "a dialog over it", 0)
    assert now is not None
    assert now.origin_at(tappable_points(screen)[target]) == -1


def test_the_screens_of_a_folder_are_measured(tmp_path: Path) -> None:
    (tmp_path / "screens").mkdir()
    (tmp_path / "screens" / "menu.xml").write_text(MENU)
    report = run(tmp_path, seed=0)
    changes = report.values["changes"]["ours"]
    assert report.values["targets"] == 7
    assert changes["none"]["right"] == 1.0
    assert all(shares["wrong"] == 0.0 for shares in changes.values())
    assert report.values["changes"]["recorded point"]["removed"]["wrong"] == 1.0


def test_wordless_elements_are_told_by_the_words_around_them() -> None:
    stars = [node("View", (100 * n, 500, 100 * n + 100, 600), tap=True) for n in range(5)]
    head = node("TextView", (0, 400, 1000, 500), text="Rate it")
    foot = node("TextView", (0, 600, 1000, 700), text="Write a review")
    before = tree(listing(head, *stars, foot))
    new = node("View", (0, 700, 1000, 800), node("TextView", (0, 700, 1000, 800), text="An offer"), tap=True)
    after = tree(listing(head, *stars[:2], new, *stars[2:], foot))
    fewer = tree(listing(head, *stars[:4], foot))
    points = tappable_points(before)
    third = next(i for i in points if before.elements[i].bounds.left == 200 and not before.content(i))
    match = find_again(before, points[third], after)
    assert match.element.bounds.left == 200
    assert match.certainty is Certainty.PLACE
    with pytest.raises(TargetRefused):
        find_again(before, points[third], fewer)

"""Pages of things to buy on which a button pays at once, or may: it is asked about, whatever is beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from assistant.bench.guard_pages import page_xml
from assistant.phone.ui_tree import observe_tree
from assistant.safety.classifier import judge
from tests.safety.screens import tap
from tests.tables import each

_ROWS = 15
"""So many rows fill the screen."""


def read_yaml(name: str) -> dict[str, Any]:
    pages: dict[str, Any] = yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return pages


PAGES, THINGS = read_yaml("item_pages.yaml"), read_yaml("thing_pages.yaml")


def assert_asked_as_marked(rows: Sequence[str]) -> None:
    xml, labels = page_xml({"package": "com.example.shop", "rows": rows})
    seen = observe_tree(xml, "com.example.shop")
    controls = [e for e in seen.elements if e.clickable and not e.editable]
    asked = [seen.label_of(e) for e in controls if judge(tap(seen, e.index), seen)]
    assert asked == [seen.label_of(e) for e in controls if labels[e.index]]


@each("shop", list(PAGES))
def test_what_may_pay_at_once_is_asked_about(shop: str) -> None:
    assert_asked_as_marked(PAGES[shop])


def at_the_bottom(rows: Sequence[str]) -> list[str]:
    """Rows, of which the last lies at the bottom of the screen."""
    *above, last = rows
    return [*above, *["P"] * (_ROWS - len(above) - 1), last]


@each("page", list(THINGS["pages"]))
def test_a_word_for_buying_is_asked_about_beside_the_ways_to_a_seller(page: str) -> None:
    assert_asked_as_marked(at_the_bottom(THINGS["pages"][page]))


@each("what", list(THINGS["lines"]))
def test_it_is_asked_about_whatever_the_page_says_of_the_order(what: str) -> None:
    back, price, _, bar = THINGS["pages"]["the bar of a thing"]
    for words in THINGS["lines"][what]:
        line = f"C {words}" if what == "touched" else f"T {words}"
        assert_asked_as_marked(at_the_bottom([back, price, line, bar]))

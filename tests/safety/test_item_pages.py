"""Pages of things to buy: what pays at once, or may, is asked about, and what leads there is not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from assistant.bench.guard_pages import page_xml
from assistant.phone.ui_tree import observe_tree
from assistant.safety.classifier import judge
from tests.safety.screens import tap
from tests.tables import each

_ROWS = 15
"""So many rows fill the screen."""


def read_pages(name: str) -> dict[str, list[str]]:
    pages: dict[str, list[str]] = yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return pages


PAGES, THINGS = read_pages("item_pages.yaml"), read_pages("thing_pages.yaml")


def assert_asked_as_marked(rows: Sequence[str]) -> None:
    xml, labels = page_xml({"package": "com.example.shop", "rows": rows})
    seen = observe_tree(xml, "com.example.shop")
    controls = [e for e in seen.elements if e.clickable and not e.editable]
    asked = [seen.label_of(e) for e in controls if judge(tap(seen, e.index), seen)]
    assert asked == [seen.label_of(e) for e in controls if labels[e.index]]


@each("shop", list(PAGES))
def test_what_may_pay_at_once_is_asked_about(shop: str) -> None:
    assert_asked_as_marked(PAGES[shop])


@each("page", list(THINGS))
def test_a_word_for_buying_goes_unasked_where_the_page_tells_that_it_opens_an_order(page: str) -> None:
    *rows, last = THINGS[page]
    assert_asked_as_marked([*rows, *["P"] * (_ROWS - len(rows) - 1), last])

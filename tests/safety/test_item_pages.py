"""Pages of things to buy on which a button pays at once, or may: it is asked about, whatever is beside it."""

from __future__ import annotations

from pathlib import Path

import yaml

from assistant.bench.guard_pages import page_xml
from assistant.phone.ui_tree import observe_tree
from assistant.safety.classifier import judge
from tests.safety.screens import tap
from tests.tables import each

PAGES = yaml.safe_load(Path(__file__).with_name("item_pages.yaml").read_text(encoding="utf-8"))


@each("shop", list(PAGES))
def test_what_may_pay_at_once_is_asked_about(shop: str) -> None:
    xml, labels = page_xml({"package": "com.example.shop", "rows": PAGES[shop]})
    seen = observe_tree(xml, "com.example.shop")
    controls = [e for e in seen.elements if e.clickable and not e.editable]
    asked = [seen.label_of(e) for e in controls if judge(tap(seen, e.index), seen)]
    assert asked == [seen.label_of(e) for e in controls if labels[e.index]]

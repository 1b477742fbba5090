from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.bench.corpora import DataMissing
from assistant.bench.guard_screens import language_of_page, load_screens, run_on_screens
from assistant.phone.ui_tree import observe_tree
from tests.tables import each

_NODE = (
    '<node text="{text}" class="android.widget.Button" package="com.example.shop" clickable="true" '
    'content-desc="" resource-id="" bounds="{bounds}"/>'
)
_TOP, _MIDDLE, _BOTTOM = "[0,100][1080,220]", "[0,300][1080,420]", "[0,500][1080,620]"


def tree(*nodes: tuple[str, str]) -> str:
    inside = "".join(_NODE.format(text=text, bounds=bounds) for text, bounds in nodes)
    return (
        "<hierarchy rotation='0'><node class='android.widget.FrameLayout' package='com.example.shop' "
        f"bounds='[0,0][1080,2400]'>{inside}</node></hierarchy>"
    )


def write(folder: Path, labels: list[dict[str, Any]], sources: str = "") -> Path:
    page = tree(("Place order", _TOP), ("Delete account", _MIDDLE), ("View cart", _BOTTOM))
    (folder / "shop.xml").write_text(page)
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, labels)))
    if sources:
        (folder / "sources.tsv").write_text(sources)
    return folder


def label(bounds: object, kind: str | None, **values: Any) -> dict[str, Any]:
    return {"file": "shop.xml", "bounds": bounds, "text": "", "kind": kind, "sure": True, **values}


def test_own_labels_are_counted_and_unsure_ones_are_shown_beside(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        [
            label(_TOP, "order"),
            label([0, 300, 1080, 420], None),
            label(_BOTTOM, "pay"),
            label(_BOTTOM, None, sure=False),
            label(_TOP, "sign_in"),
            label("[1,1][2,2]", None),
        ],
    )
    values = run_on_screens(folder, verbose=True).values
    row = {"labels": 3, "sensitive": 2, "recall": 0.5, "precision": 0.5, "false per 100": 100.0}
    assert values["targets"]["all"] == values["targets"]["English"] == row
    assert values["kinds"] == {"pay": {"sensitive": 2, "recall": 0.5}}
    assert values["not counted"] == {
        "not sure": {"labels": 1, "asked": 0},
        "signing in": {"labels": 1, "asked": 1},
    }
    assert values["labels without an element"] == 1
    assert len(values["wrong"]) == 2
    assert not run_on_screens(folder).values["wrong"]


def test_the_table_of_sources_names_the_language(tmp_path: Path) -> None:
    folder = write(tmp_path, [label(_TOP, "pay")], "file\tlanguage\nshop.xml\tde\n")
    assert list(load_screens(folder).counted) == ["de"]


def test_a_thing_on_two_screens_counts_once_among_the_distinct(tmp_path: Path) -> None:
    folder = write(tmp_path, [label(_TOP, "pay"), label(_TOP, "pay")])
    values = run_on_screens(folder).values
    assert (values["targets"]["all"]["labels"], values["distinct"]["all"]["labels"]) == (2, 1)


@each(
    ("words", "language"),
    [
        ("Pay with the card that is in your wallet", "en"),
        ("立即支付订单", "zh"),
        ("支払いをする", "ja"),
        ("Mit der Karte bezahlen und nicht warten", "de"),
        ("1 2 3", "en"),
    ],
)
def test_a_page_tells_its_language(words: str, language: str) -> None:
    assert language_of_page(observe_tree(tree((words, _TOP)))) == language


def test_a_folder_without_labels_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(DataMissing, match="no labels"):
        run_on_screens(tmp_path)
    with pytest.raises(DataMissing, match="no kind of deed"):
        run_on_screens(write(tmp_path, [label(_TOP, "dance")]))

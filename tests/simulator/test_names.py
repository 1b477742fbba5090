"""The product and the simulated phone know nothing of each other's names.

A name that was made up for the simulated phone stands nowhere in the product, so that no figure profits from
it. A plain word that real apps carry too may stand on both sides; each such word is listed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from assistant.memory.profile.lexicon import lexicon
from assistant.records import COMMON_PARTS
from assistant.simulator.apps import hostile
from assistant.understand.slots import kinds_from_label

PRODUCT = Path(__file__).parents[2] / "assistant"
DATA = PRODUCT / "simulator" / "apps" / "data"
NOT_PRODUCT = frozenset(("simulator", "bench", "demo"))
TEXTS = frozenset((".py", ".yaml", ".json", ".html", ".tcss", ".po"))


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.replace("\n", "").split("|"))


PLAIN_LABELS = _listed("""Browser|Calendar|Chat|Clock|Contacts|Gallery|Mail|Maps|Music|Notes|Phone|Podcasts|
App Store|Video|便签|商城|地图|外卖|打车|播客|日历|时钟|浏览器|火车票|电话|相册|视频|通讯录|邮件|音乐""")
"""Reviewed: real apps are labelled so, or have the word in their label (美团外卖, 小米商城, 滴滴打车)."""

PLAIN_WORDS = _listed("Settings|Weather|应用商店|设置|天气")
"""Reviewed: labels that no table of apps holds, and words that the product needs for other reasons."""

PLAIN_NAMES = _listed("Home|Mom|Dad|家|公司|妈妈|爸爸|物业|一家人|读书会")
"""Reviewed: people, groups and places that are called by what they are to the user."""

REAL_NAMES = ("Uber Eats",)
"""Real apps in whose name a simulated app's stands."""

PEOPLE_AND_PLACES = frozenset(("people", "conversations", "shops", "places", "drivers", "tracks"))
"""The parts of the apps' data whose entries have names of their own."""


@cache
def app_data() -> tuple[dict[str, Any], ...]:
    """What the simulated apps are made of."""
    return tuple(
        yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader) for path in sorted(DATA.glob("*.yaml"))
    )


def labels() -> frozenset[str]:
    """What the simulated apps are called, in both languages."""
    named = {text for data in app_data() for text in data["label"].values()}
    return frozenset(named | {hostile.DATA.label.en, hostile.DATA.label.zh})


def names() -> frozenset[str]:
    """The names of people, shops, places, songs and films on the simulated phone, in both languages."""
    entries = (
        entry
        for data in app_data()
        for part in PEOPLE_AND_PLACES & data.keys()
        for entry in data[part]
        if isinstance(entry, dict)
    )
    titled = (entry[key] for entry in entries for key in ("name", "title", "artist") if key in entry)
    return frozenset(text for title in titled if isinstance(title, dict) for text in title.values())


def product_texts() -> Iterator[tuple[str, str]]:
    """Every source, table and translation of the product, by its path."""
    for path in sorted(PRODUCT.rglob("*")):
        parts = path.relative_to(PRODUCT).parts
        if path.suffix in TEXTS and parts[0] not in NOT_PRODUCT:
            yield "/".join(parts), re.sub("|".join(REAL_NAMES), "", path.read_text("utf-8"))


def is_in_a_table_of_apps(label: str) -> bool:
    """Whether a product table tells what kind of app, or of which area of life, a label is."""
    tables = (domain.apps for domain in lexicon().domains.values())
    return bool(kinds_from_label(label)) or any(table is not None and table.search(label) for table in tables)


def test_the_tables_of_apps_hold_plain_labels_only() -> None:
    assert {label for label in labels() if is_in_a_table_of_apps(label)} == PLAIN_LABELS


def test_no_package_of_a_simulated_app_is_read_in_a_way_of_its_own() -> None:
    parts = {part for data in app_data() for part in data["package"].split(".")}
    assert parts & COMMON_PARTS == {"com", "android"}


def test_the_product_says_no_name_of_the_simulated_phone() -> None:
    invented = (labels() - PLAIN_LABELS - PLAIN_WORDS) | (names() - PLAIN_NAMES)
    packages = {data["package"] for data in app_data()} - {"com.android.settings"}
    said = {
        (path, name)
        for path, text in product_texts()
        for name in invented | packages
        if name in text and re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", text)
    }
    assert said == set()


def test_what_was_reviewed_is_still_on_the_simulated_phone() -> None:
    assert labels() >= PLAIN_WORDS
    assert names() >= PLAIN_NAMES


def test_the_names_are_there_to_be_looked_for() -> None:
    assert {"Eats", "PayBox", "付款宝"} <= labels()
    assert {"Old Street Noodles", "Wang Lei", "王磊", "Paper Lantern"} <= names()

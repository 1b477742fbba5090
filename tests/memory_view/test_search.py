from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.memory_view.items import Item, TextIndex, UnreadableMoment, parse_moment, read_query
from assistant.memory_view.service import TextMatches, find_matching
from tests.tables import each

NOW = datetime(2026, 3, 16, 12, tzinfo=timezone(timedelta(hours=8)))
ORDERS = TextIndex(["typo", "right", "tea"], ["order nodles", "order noodles", "tea"])


def test_words_find_what_holds_them_before_what_is_alike() -> None:
    assert find_matching(ORDERS, "noodles") == TextMatches(["right"], ["typo"])
    assert find_matching(ORDERS, "noodels") == TextMatches([], ["right", "typo"])
    assert find_matching(ORDERS, " ").exact == ["typo", "right", "tea"]
    assert find_matching(ORDERS, "zzz") == TextMatches([], [])
    assert find_matching(ORDERS, "NOODLES order").exact == ["right"]


MANY = [f"{place} number {number}" for place in ("coffee", "noodles", "牛肉面") for number in range(700)]


@settings(max_examples=25)
@given(st.sampled_from(range(len(MANY))), st.integers(0, 9), st.sampled_from("xe面"))
def test_one_slip_is_forgiven_among_many(place: int, at: int, letter: str) -> None:
    text = MANY[place]
    slipped = f"{text[:at]}{letter}{text[at + 1 :]}"
    matches = find_matching(MANIFOLD, slipped, 500)
    assert str(place) in (*matches.exact, *matches.alike)


MANIFOLD = TextIndex([str(number) for number in range(len(MANY))], MANY)


def test_filters_stand_among_the_words() -> None:
    query = read_query('lunch app:Eats scenario:"shopping mall" since:7d', NOW)
    assert (query.words, query.app, query.scenario) == ("lunch", "eats", "shopping mall")
    assert query.since == NOW - timedelta(days=7)
    there = Item("1", "x", frozenset(), app="Eats", scenario="shopping mall", last=NOW)
    assert query.admits(there)
    assert not query.admits(Item("1", "x", frozenset(), app="Eats", scenario="shopping mall"))
    assert not read_query("source:executed", NOW).admits(there)
    assert read_query("place:office", NOW).scenario == "office"


def test_a_filter_that_is_half_typed_asks_for_nothing() -> None:
    for text in ("since:", "since:2026-0", "app:", "lunch since:soon"):
        query = read_query(text, NOW)
        assert not query.filters
        assert query.words in ("", "lunch")


@each(("text", "ago"), [("7d", timedelta(days=7)), ("12h", timedelta(hours=12)), ("2w", timedelta(days=14))])
def test_moments_are_days_times_or_how_long_ago(text: str, ago: timedelta) -> None:
    assert parse_moment(text, NOW) == NOW - ago
    assert parse_moment("2026-03-09", NOW) == datetime(2026, 3, 9, tzinfo=NOW.tzinfo)
    with pytest.raises(UnreadableMoment):
        parse_moment("yesterday", NOW)


@given(st.text(max_size=60))
def test_any_text_is_a_query(text: str) -> None:
    query = read_query(text, NOW)
    found = find_matching(ORDERS, query.words)
    matches = [*found.exact, *found.alike]
    assert len(set(matches)) == len(matches) <= 3


@each(
    ("words", "exact", "first_alike"),
    [
        ("Li Na", ["wife", "both"], "mom"),
        ("li", ["both", "wife"], "mom"),
        ("Lin", ["mom"], None),
        ("Sus", ["mom"], None),
        ("李娜", ["zh"], None),
        ("ina", [], None),
    ],
)
def test_a_name_is_found_whole_before_names_that_begin_so(
    words: str, exact: list[str], first_alike: str | None
) -> None:
    texts = TextIndex(
        ["mom", "both", "wife", "zh"],
        ["mom name: susan lin", "na and li", "wife name: li na", "老婆 名称：李娜"],
    )
    found = find_matching(texts, words)
    assert found.exact == exact
    assert first_alike is None or found.alike[0] == first_alike

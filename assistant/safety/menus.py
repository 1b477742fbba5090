"""Which controls are entries of a menu: words or tiles in a line, tabs of a bar at the bottom, marks."""

from __future__ import annotations

from collections import Counter, defaultdict

from assistant.events import ActionKind
from assistant.records import Element
from assistant.safety.amounts import find_total
from assistant.safety.effects import is_call
from assistant.safety.lexicon import normalize_label
from assistant.safety.page import Page
from assistant.safety.wording import has_amount, pattern

MANY_ENTRIES, FEWEST_TABS = 4, 3
TAB_BAR = 0.88
_LONGEST_LINE = 24
_LOWEST_TILE = 0.05
_MOST_MENU_WORDS, _LONGEST_MENU_ENTRY, _LONGEST_AT_ONCE = 2, 16, 8
_ALIKE = 0.1
"""How much the widths of the entries of one line may differ."""
_WIDEST_MARK = 0.16
AT_ONCE = pattern("at_once")


def is_in_menu(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a bare word stands in a line of at least four alike, as the entries of a menu do, or is a tab.

    They lead to a page of their own: “Send” and “Top up” in a wallet. No menu are: a word that calls, which
    does so at once; icons in a line, which do what they show; a word beside a filled field, which is about
    its text. A number beside the word is a badge, or the place of a tab as screen readers say it.
    """
    label = normalize_label(labels[0])
    numbered = all(any(map(str.isdecimal, text)) for text in labels[1:])
    if not numbered or has_amount(label) or is_call(labels[0]):
        return False
    if AT_ONCE.search(label) and not (len(label) < _LONGEST_AT_ONCE and _is_tab_among_many(page, element)):
        return False
    if page.filled_fields or "Image" in element.class_name:
        return False
    if len(label.split()) > _MOST_MENU_WORDS or len(label) > _LONGEST_MENU_ENTRY:
        return False
    # The same word on several buttons does the same to several things; entries of a menu differ.
    if page.once(_words_of_lines)[element.bounds.top, labels[0]] > 1:
        return False
    return alike_in_line(page, element) >= MANY_ENTRIES or page.is_tab(element)


def _is_tab_among_many(page: Page, element: Element) -> bool:
    """Whether an element is one of the tabs that a bar at the bottom consists of, under no sum."""
    alike = alike_in_line(page, element) >= MANY_ENTRIES
    return alike and is_in_tab_bar(page, element) and not page.once(find_total)


def alike_in_line(page: Page, element: Element) -> int:
    """How many of the elements in the line of one are of its class and about its width."""
    return sum(
        e.class_name == element.class_name
        and abs(e.bounds.width - element.bounds.width) <= _ALIKE * element.bounds.width
        for e in page.once(lines)[element.bounds.top][:_LONGEST_LINE]
    )


def is_tile(page: Page, element: Element) -> bool:
    """Whether an element is one of three in a line that are large and not much wider than high."""
    bounds, height = element.bounds, page.observation.height
    in_bar = page.is_in_top_bar(element) or bounds.bottom >= TAB_BAR * height
    large = 2 * bounds.height > bounds.width and bounds.height > _LOWEST_TILE * height
    return large and not (in_bar or page.filled_fields) and alike_in_line(page, element) >= FEWEST_TABS


def lines(page: Page) -> dict[int, list[Element]]:
    """The elements that take touches, by where they begin from the top."""
    lines: dict[int, list[Element]] = defaultdict(list)
    for e in page.clickables:
        lines[e.bounds.top].append(e)
    return lines


def _words_of_lines(page: Page) -> Counter[tuple[int, str]]:
    """How often a label stands in a line, which is given by where it begins from the top."""
    return Counter((e.bounds.top, words[0]) for e in page.clickables if (words := page.labels(e)))


def is_in_tab_bar(page: Page, element: Element) -> bool:
    """Whether an element stands among several in a bar at the bottom; “Post” there opens an empty draft."""
    y = element.bounds.centre[1]
    if element.bounds.bottom < TAB_BAR * page.observation.height:
        return False
    beside = sum(e.bounds.top <= y < e.bounds.bottom for e in page.clickables)
    return beside > FEWEST_TABS


def is_mark(page: Page, element: Element) -> bool:
    """Whether a small control without words marks a choice, on a page where another pays by its words."""
    others = (e for e, _text, kind in page.label_kinds if kind is ActionKind.PAY and e is not element)
    return element.bounds.width <= _WIDEST_MARK * page.observation.width and any(
        e.bounds.top >= element.bounds.bottom for e in others
    )

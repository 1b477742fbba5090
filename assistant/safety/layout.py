"""What the place of a control tells of its words: a menu, tabs, the home page, a list, an advertisement.

Entries of a menu, tiles and tabs lead to pages. What stands in each entry of a list in words of its own is
the name of a thing, and no deed. What stands in an advertisement leads to who advertises.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, islice

from assistant.events import ActionKind
from assistant.files import lazy_regex
from assistant.phone.touches import SYSTEM_INTERFACE
from assistant.records import Element
from assistant.safety import wording
from assistant.safety.amounts import find_total
from assistant.safety.effects import SETTLES, WIDE, is_call
from assistant.safety.lexicon import Sense, fold, lexicon, normalize_label
from assistant.safety.page import LISTS, Page, element_label, view_class
from assistant.safety.secret_entry import completes
from assistant.safety.wording import has_amount, is_search_field

_MANY_ENTRIES, FEWEST_TABS = 4, 3
_LOWEST_TILE, TAB_BAR, _BOTTOM, _WIDEST_MARK = 0.05, 0.88, 0.9, 0.16
_MOST_MENU_WORDS, _LONGEST_MENU_ENTRY, _LONGEST_AT_ONCE, _MOST_OF_TILE = 3, 16, 8, 2
_LONGEST_LINE, _ALIKE = 24, 0.1
"""How many elements of a line are looked at, and how much the widths of its entries may differ."""
_LEVELS_TO_ENTRY, _FEWEST_OTHERS, _MOST_PARTS, _FEWEST_ROWS, _MOST_OF_ENTRY = 6, 2, 40, 2, 3
_TIME = lazy_regex(r"(?<![\d:.])\d{1,2}[:.]\d{2}(?![\d:.])|\b\d{1,2} ?[AP]M\b")
_SIGNED_SUM = lazy_regex(r"[-−–+]\s?\D{0,4}\d[\d.,’' \u00a0\u202f]*\D{0,5}")
_FILE_TYPE, _FACT = lazy_regex(r"\.\w{2,4}$"), lazy_regex(r"[,，、;|·•]\s*")
_COUNTED, _UNSPACED = lazy_regex(r"[(（]\d{1,3}[)）]\s*$"), lazy_regex("[\u3040-\u30ff\u3400-\u9fff]")
_ADVERT, _SITE = wording.pattern("advert_marks"), lazy_regex(r"(?:^|\s)(?:[\w-]+\.)+[a-z]{2,}(?:$|[\s/])")
_FEWEST_REACTIONS, _THUMBNAIL, _MOST_OF_CARD, _SHORTEST_UNSPACED_LINE = 2, 0.1, 0.75, 9
_MOVES_SUM, _NAMES_SETTINGS = wording.pattern("bare_transfers"), wording.pattern("names_settings")
_STICKER, _CHIP, _LEAST_OUTSIDE, _BANNER_HEIGHT, _OF_BANNER = 0.15, 0.1, 0.2, 0.08, 0.6
_WIDEST_LINK, _END_OF_LINE, _WIDEST_TAB, _SPAN = 0.3, 0.9, 0.45, 0.9
_SAYS_NO, _ASKS_TO_KEEP = wording.pattern("says_no"), wording.pattern("asks_to_keep")
_MAYBE, _LIKES, _PASSES = (wording.pattern(name) for name in ("says_maybe", "likes", "passes_over"))
_RESETS, _SUBMITS, _OPENS_APP = (wording.pattern(name) for name in ("resets", "submits", "opens_app"))
AT_ONCE, _BARE_AT_ONCE = wording.pattern("at_once"), wording.pattern("bare_at_once")


def _says_at_once(text: str) -> bool:
    """Whether a label says that something is done at once; a bare verb such as “Pay” may name a page."""
    folded = fold(text)
    return AT_ONCE.search(folded) is not None and _BARE_AT_ONCE.fullmatch(folded) is None


def lines_of_controls(page: Page) -> dict[int, list[Element]]:
    """The elements that take touches, by where they begin from the top."""
    lines: dict[int, list[Element]] = defaultdict(list)
    for e in page.clickables:
        lines[e.bounds.top].append(e)
    return lines


def words_of_lines(page: Page) -> Counter[tuple[int, str]]:
    """How often a label stands in a line, which is given by where it begins from the top."""
    return Counter((e.bounds.top, words[0]) for e in page.clickables if (words := page.labels(e)))


def alike_in_line(page: Page, element: Element) -> int:
    """How many of the elements in the line of one are of a like class and about its width."""
    line = page.once(lines_of_controls)[element.bounds.top][:_LONGEST_LINE]
    return sum(is_alike(e, element) and _is_as_wide(e, element) for e in line)


def is_alike(other: Element, element: Element) -> bool:
    """Whether two views are of one class, or of two that only hold others."""
    return view_class(other.class_name) == view_class(element.class_name)


def _is_as_wide(other: Element, element: Element) -> bool:
    return abs(other.bounds.width - element.bounds.width) <= _ALIKE * element.bounds.width


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
    bar = len(label) < _LONGEST_AT_ONCE and _is_tab_among_many(page, element)
    if AT_ONCE.search(label) and not (bar or _is_other_tab(page, element, label)):
        return False
    if page.filled_fields or "Image" in element.class_name:
        return False
    if len(label.split()) > _MOST_MENU_WORDS or len(label) > _LONGEST_MENU_ENTRY:
        return False
    # The same word on several buttons does the same to several things; entries of a menu differ.
    if page.once(words_of_lines)[element.bounds.top, labels[0]] > 1:
        return False
    return alike_in_line(page, element) >= _MANY_ENTRIES or page.is_tab(element)


def _is_tab_among_many(page: Page, element: Element) -> bool:
    """Whether an element is one of the tabs that a bar at the bottom consists of, under no sum."""
    alike = alike_in_line(page, element) >= _MANY_ENTRIES
    return alike and is_in_tab_bar(page, element) and not page.once(find_total)


def _is_other_tab(page: Page, element: Element, label: str) -> bool:
    """Whether a bare verb is one of at least three tabs, another of which is selected, and no sum is due."""
    if _says_at_once(label) or element.selected or not page.is_tab(element):
        return False
    return alike_in_line(page, element) >= FEWEST_TABS and not page.once(find_total)


def is_in_tab_bar(page: Page, element: Element) -> bool:
    """Whether an element stands among several in a bar at the bottom; “Post” there opens an empty draft."""
    y = element.bounds.centre[1]
    if element.bounds.bottom < TAB_BAR * page.observation.height:
        return False
    beside = sum(e.bounds.top <= y < e.bounds.bottom for e in page.clickables)
    return beside > FEWEST_TABS


def is_tile(page: Page, element: Element) -> bool:
    """Whether an element is one of three in a line that are large and not much wider than high."""
    bounds, height = element.bounds, page.observation.height
    in_bar = page.may_be_in_top_bar(element) or bounds.bottom >= TAB_BAR * height
    large = 2 * bounds.height > bounds.width and bounds.height > _LOWEST_TILE * height
    return large and not (in_bar or page.filled_fields) and alike_in_line(page, element) >= FEWEST_TABS


def is_choice_for_button(page: Page, element: Element, kind: ActionKind) -> bool:
    """Whether a control only says what another one of the page will do: “Pay by card” above “Place order”.

    So do a chip, a radio button and a check box above a button, one of several options of which one is
    chosen, a check box above the answers of a dialog, and one of several rows above what pays the sum. A
    switch acts by itself, and so may a box of the phone's settings.
    """
    if kind is ActionKind.PAY and _is_line_beside_payment(page, element):
        return True
    if page.is_of_phone or kind not in _CHOSEN:
        return False
    if element.class_name.endswith(CHIP) or is_done_below(page, element, kind):
        return True
    boxes = [e for e in (element, *page.descendants(element)) if e.checkable]
    if not boxes:
        return kind is ActionKind.PAY and _is_row_above_payment(page, element)
    if any(e.class_name.endswith(_ACT_ALONE) for e in boxes):
        return False
    if is_above_answers(page, element):
        return True
    if kind is ActionKind.DELETE and not all(e.class_name.endswith("RadioButton") for e in boxes):
        return False
    if _is_one_of_options(page, element) or not all(e.class_name.endswith(_BOXES) for e in boxes):
        return _is_one_of_options(page, element)
    below = (e for e in page.clickables if e.bounds.top >= element.bounds.bottom and page.labels(e))
    wide = (e for e in below if page.is_button(e) or e.bounds.width >= WIDE * page.observation.width)
    return any(not page.contains_switch(e) and (e.bounds.left > 0 or not page.is_row(e)) for e in wide)


def is_choice_in_form(page: Page, element: Element, label: str) -> bool:
    """Whether a word is a choice among others alike in a form that goes on below: “Donate”."""
    if page.is_button(element) or page.is_dialog or page.may_be_in_top_bar(element):
        return False
    if len(label.split()) > 1 or has_amount(label):
        return False
    line = page.once(lines_of_controls)[element.bounds.top]
    words = {page.labels(e)[0] for e in line if is_alike(e, element) and page.labels(e)}
    if len(words) == 1 or AT_ONCE.search(label) or any(map(wording.is_refusal, words)):
        return False
    below = [e for e in page.elements if e.bounds.top >= element.bounds.bottom]
    forms = any(e.editable and not is_search_field(e) for e in page.elements)
    ends = any(e.clickable and len(page.once(lines_of_controls)[e.bounds.top]) < FEWEST_TABS for e in below)
    return forms and (ends or any(e.editable for e in below))


def is_done_below(page: Page, element: Element, kind: ActionKind) -> bool:
    """Whether a button below a box or a row does what the box only adds to, by its words or as a form's end.

    A switch acts by itself but in a form. A row with a picture in a dialog may be a box that the app draws.
    """
    if kind not in (ActionKind.SEND, ActionKind.DELETE) or page.is_of_phone or page.is_button(element):
        return False
    boxes = [e for e in (element, *page.descendants(element)) if e.checkable]
    drawn = not boxes and page.is_dialog and page.contains_picture(element) and page.has_children(element)
    switched = any(e.class_name.endswith(_ACT_ALONE) for e in boxes)
    if not (boxes or drawn) or (switched and (kind is ActionKind.DELETE or not page.filled_fields)):
        return False
    kinds = (kind,) if kind is ActionKind.DELETE or drawn else (kind, ActionKind.PAY)
    acting = [e for e, _text, other in page.label_kinds if other in kinds]
    if kind is ActionKind.SEND and page.filled_fields:
        wide = (e for e in page.buttons if e.bounds.width >= WIDE * page.observation.width)
        acting += [e for e in wide if completes(page.labels(e))]
    below = (e for e in acting if e.bounds.top >= element.bounds.bottom)
    return any(not (page.contains_switch(e) or page.is_row(e)) for e in below)


_LEFT = 0.86
"""Twice the place that the middle of a line's words has at most, as a share of the width."""
_CHOSEN = (ActionKind.PAY, ActionKind.SEND, ActionKind.DELETE)
CHIP = "CompoundButton"
"""The class that Material's chips tell of themselves where they can be chosen, as those of a filter are."""
_BOXES, _ACT_ALONE = ("RadioButton", "CheckBox"), ("Switch", "SwitchCompat", "ToggleButton")


def is_above_answers(page: Page, element: Element) -> bool:
    """Whether answers of a dialog, of which one refuses, stand below a box, so that one of them does it."""
    if not any(e.class_name.endswith("CheckBox") for e in (element, *page.descendants(element))):
        return False
    below = (e for e in page.clickables if e.bounds.top >= element.bounds.bottom and not e.checkable)
    prompts = (page.prompt_of(e) for e in below)
    return any(prompt is not None and prompt.refusals for prompt in prompts)


def _is_one_of_options(page: Page, element: Element) -> bool:
    """Whether exactly one of at least three alike boxes is ticked, and not this one: they exclude others."""
    options = [e for e in page.siblings(element) if e.checkable]
    return (
        element.checkable
        and not element.checked
        and len(options) >= FEWEST_TABS
        and sum(e.checked for e in options) == 1
    )


def _is_row_above_payment(page: Page, element: Element) -> bool:
    """Whether one of several rows with words of their own stands above what pays the sum of the page."""
    if page.is_button(element) or "Image" in element.class_name or not page.once(find_total):
        return False
    alike = page.siblings(element)
    words = {tuple(page.labels(e)[:1]) for e in alike}
    if len(alike) < _FEWEST_ROWS or len(words) < len(alike) or any(map(has_amount, page.labels(element))):
        return False
    indexes = {e.index for e in alike}
    return any(
        top >= element.bounds.bottom and index not in indexes for index, top in page.once(_payments_of_sum)
    )


def _is_line_beside_payment(page: Page, element: Element) -> bool:
    """Whether a line names a sum and no deed, on a page that another control pays: “Balance: $3”."""
    labels = page.labels(element)
    if not labels or not is_list_line(page, element) or wording.classify_label(labels[0]):
        return False
    return has_amount(labels[0]) and page.once(_pays_by_words)


def _pays_by_words(page: Page) -> bool:
    """Whether a control of a page pays by its words."""
    return any(kind is ActionKind.PAY and not e.checkable for e, _text, kind in page.label_kinds)


def closes_dialog(page: Page, element: Element) -> bool:
    """Whether a view without content lies over the page outside of a sheet, and is called after leaving it.

    Its words are for screen readers (“Cancel login”), and a touch on it closes the sheet below it.
    """
    screen, size = page.observation, element.bounds
    outside = size.top <= 0 and size.left <= 0 and size.right >= screen.width
    if not outside or page.has_children(element) or size.height < _LEAST_OUTSIDE * screen.height:
        return False
    below = (e for e in page.elements if e.index > element.index and e.bounds.area)
    leaves = any(map(wording.is_refusal, element_label(element).split()))
    return leaves and all(e.bounds.top >= size.bottom or e.bounds.bottom >= screen.height for e in below)


def _payments_of_sum(page: Page) -> list[tuple[int, int]]:
    """What pays by its words, wide or beside a sum: the index and the top of each."""
    sums = [e.bounds for e in page.texts if has_amount(element_label(e))]
    paying = [e for e, _text, kind in page.label_kinds if kind is ActionKind.PAY and not e.checkable]
    return [
        (e.index, e.bounds.top)
        for e in paying
        if e.bounds.width >= WIDE * page.observation.width
        or any(s.top < e.bounds.bottom and e.bounds.top < s.bottom for s in sums)
    ]


def is_menu_line(page: Page, element: Element, text: str) -> bool:
    """Whether a row with a line under its words is one of several that differ: it leads to a page.

    “Send money” over “To a bank or a wallet” does, among others alike. It does what it says where it calls,
    names a sum or says that it is done at once, and on a page with a sum to pay.
    """
    labels = page.labels(element)
    alike = page.siblings(element)
    if not 1 < len(labels) <= _MOST_OF_ENTRY or len(alike) < FEWEST_TABS or page.contains_switch(element):
        return False
    if any(map(has_amount, labels)) or is_call(text) or page.filled_fields or page.once(find_total):
        return False
    words = [page.labels(e)[:1] for e in alike]
    differ = all(words.count(label) == 1 for label in words) and not _says_at_once(text)
    return differ and not any(_begin_or_end_alike(text, w[0]) for w in words if w and w[0] != labels[0])


def opens_app(text: str) -> bool:
    """Whether a whole label opens what is there, as the button of a shop does once an app is installed."""
    return _OPENS_APP.fullmatch(normalize_label(text)) is not None or lexicon().means(text, Sense.OPENS)


def kind_of_answer(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """What an answer does that others get, or that gives up what is kept: “No” below “Keep your photos?”.

    Yes, no and maybe answer an invitation, and a like beside a “Nope” tells somebody of it.
    """
    if not labels:
        return None
    line = [*_words_in_line(page, element), labels[0]]
    likes = _LIKES.search(fold(labels[0])) and any(_PASSES.fullmatch(fold(text)) for text in line)
    invited = any(_MAYBE.fullmatch(fold(text)) for text in line) and any(map(wording.is_refusal, line))
    if likes or (invited and len(line) >= FEWEST_TABS):
        return ActionKind.SEND
    if _SAYS_NO.fullmatch(fold(labels[0])) is None:
        return None
    prompts = (prompt for e in page.clickables if (prompt := page.prompt_of(e)) is not None)
    asked = [*page.question, *(text for prompt in prompts for text in prompt.texts)]
    keeps = any(wording.asks_question(text) and _ASKS_TO_KEEP.search(text.casefold()) for text in asked)
    return ActionKind.DELETE if keeps else None


def filters_list(page: Page, element: Element, text: str) -> bool:
    """Whether a label sets back what a list with choices is filtered by, or applies it beside that.

    A form may have a button that empties it beside what sends it, so that only a bare agreement is meant.
    """
    if not page.once(_offers_choices):
        return False
    if _RESETS.fullmatch(fold(text)):
        return any(wording.is_agreement(e) for e in _words_in_line(page, element))
    agrees = wording.is_agreement(text) and not _SUBMITS.match(normalize_label(text))
    return agrees and any(map(_RESETS.fullmatch, map(fold, _words_in_line(page, element))))


def _offers_choices(page: Page) -> bool:
    """Whether several controls stand in any line."""
    lines = page.once(lines_of_controls).values()
    return any(len(line) >= FEWEST_TABS and not any(e.editable for e in line) for line in lines)


def _words_in_line(page: Page, element: Element) -> list[str]:
    """The labels of the other controls in the line of one."""
    line = page.once(lines_of_controls)[element.bounds.top][:_LONGEST_LINE]
    return [words[0] for e in line if e is not element and (words := page.labels(e))]


def is_title(page: Page, element: Element) -> bool:
    """Whether a text that takes no touch is the title in the top bar, beside what leaves the page."""
    if not page.is_in_top_bar(element) or element_label(element) != page.heading:
        return False
    in_bar = (e for e in page.clickables if page.is_in_top_bar(e))
    return any(e.bounds.right <= element.bounds.left and "Image" in e.class_name for e in in_bar)


def is_menu_tile(page: Page, element: Element) -> bool:
    """Whether an element is one of several menu entries with an icon and a word, which lead to pages."""
    single = len(page.labels(element)) == 1 or page.is_described(element)
    return single and len(page.siblings(element)) > 1 and page.contains_picture(element)


def does_at_once(page: Page, element: Element, kind: ActionKind, text: str) -> bool:
    """Whether a tile with an icon does what its word says, and does not lead to a page for it.

    Wallets have tiles “Transfer” and “Send”, which open a form; galleries have “Delete”, contacts “Call”.
    """
    if kind in (ActionKind.PAY, ActionKind.SEND):
        is_tab = element.bounds.bottom >= _BOTTOM * page.observation.height
        return has_amount(text) or (is_call(text) and not is_tab)
    return kind is not ActionKind.SECURITY


def is_message(page: Page, element: Element, text: str) -> bool:
    """Whether a text in a list above a field for a message is of a chat: a sentence, or no control."""
    if element.clickable and not (element.class_name.endswith("TextView") and wording.is_sentence(text)):
        return False
    thread = next((e for e in page.ancestors(element) if e.class_name.endswith(LISTS)), None)
    fields = (e for e in page.elements if thread and e.editable and e.bounds.top >= thread.bounds.bottom)
    return any(wording.asks_for_answer(e.hint or e.description or e.text, e.resource_id) for e in fields)


def is_beside_sender(page: Page, element: Element) -> bool:
    """Whether another control in the line of a filled field sends its text by its words, as “Send” does.

    What an icon there is called by the app (`media_send_button`) tells no more than its own words then.
    """
    for field in page.filled_fields:
        line = [e for e in page.clickables if field.bounds.top <= e.bounds.centre[1] < field.bounds.bottom]
        sending = [e for e, _text, kind in page.label_kinds if kind is ActionKind.SEND and e in line]
        if element in line and sending and element not in sending:
            return True
    return False


def is_mark(page: Page, element: Element) -> bool:
    """Whether a small control without words marks a choice, on a page where another pays by its words."""
    others = (e for e, _text, kind in page.label_kinds if kind is ActionKind.PAY and e is not element)
    return element.bounds.width <= _WIDEST_MARK * page.observation.width and any(
        e.bounds.top >= element.bounds.bottom for e in others
    )


def leads_from_home(page: Page, element: Element, kind: ActionKind) -> bool:
    """Whether a bare word about money stands beside others alike on a page with tabs, and leads to its page.

    It has a line under it, as “Pay” over “Bills and taxes”, or is the whole label. A page with a sum settles
    that, and the same word several times does what it says with what it stands at. A transfer needs whom it
    goes to, and an amount alone is a balance. Of what sends only a large tile leads to a page.
    """
    words, labels = page.labels(element)[:1], page.labels(element)
    if not words or not page.once(_is_home):
        return False
    priced = any(map(has_amount, labels)) or _says_at_once(words[0]) or is_call(words[0])
    if not priced and page.is_row(element) and page.contains_picture(element):
        return not page.contains_switch(element)
    if kind is ActionKind.SEND:
        again = page.once(words_of_lines)[element.bounds.top, words[0]] > 1
        return not (priced or again) and (is_tile(page, element) or _differs_from_others(page, element))
    if _MOVES_SUM.fullmatch(fold(words[0])) and len(labels) == 1:
        return True
    if _says_at_once(words[0]):
        return False
    if any(map(has_amount, labels)):
        return not (page.is_button(element) or wording.classify_label(words[0]))
    line = page.once(lines_of_controls)[element.bounds.top]
    if len(labels) > _MOST_OF_TILE or len(words[0].split()) > _MOST_MENU_WORDS or page.is_tab(element):
        return False
    alike = (e for e in line if is_alike(e, element))
    others = [e for e in alike if page.labels(e)[:1] not in ([], words)]
    return bool(others) and alike_in_line(page, element) > 1 and len(others) + 1 == len(line)


def _differs_from_others(page: Page, element: Element) -> bool:
    """Whether controls alike with words of their own share a line: “Send” and “Request”, and no others."""
    line = page.once(lines_of_controls)[element.bounds.top][:_LONGEST_LINE]
    words = [page.labels(e)[0] for e in line if page.labels(e)]
    differ = len(set(words)) == len(words) == len(line) > 1
    return differ and (
        alike_in_line(page, element) >= FEWEST_TABS or alike_in_line(page, element) == len(line)
    )


def shows_picture(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a control is a large picture with a line on it, which leads to what it shows: a banner."""
    if not labels:
        return False
    size, screen = element.bounds, page.observation
    least = _SHORTEST_UNSPACED_LINE if _UNSPACED.search(labels[0]) else 1
    if sum(map(str.isalpha, labels[0])) < least or (
        least == 1 and len(labels[0].split()) <= _MOST_MENU_WORDS
    ):
        return False
    large = size.height >= _BANNER_HEIGHT * screen.height and size.width >= WIDE * screen.width
    if page.is_dialog or page.is_button(element) or not large:
        return False
    pictures = (e for e in (element, *page.descendants(element)) if e.class_name.endswith("ImageView"))
    return any(e.bounds.area >= _OF_BANNER * size.area for e in pictures)


def _is_home(page: Page) -> bool:
    """Whether tabs at the bottom lead to a page, which has no sum to pay and nothing written on it."""
    return not (page.is_dialog or page.filled_fields) and page.once(_is_among_tabs)


def _is_among_tabs(page: Page) -> bool:
    """Whether a page has tabs at the bottom and no sum to pay: where a tab is selected, it is a balance."""
    return page.once(has_tabs) and (not page.once(find_total) or page.once(_has_selected_tab))


def is_list_line(page: Page, element: Element) -> bool:
    """Whether an element reaches from edge to edge with its words at the left, as lines of a list do.

    The words of a button stand in its middle.
    """
    width = page.observation.width
    if page.is_button(element) or element.bounds.left > 0 or element.bounds.right < width:
        return False
    texts = [e.bounds for e in page.descendants(element) if element_label(e)]
    return bool(texts) and texts[0].left + texts[0].right < width * _LEFT


def holds_controls(page: Page, element: Element) -> bool:
    """Whether a view holds several named controls: a touch beside them does nothing."""
    held = (e for e in page.descendants(element) if e.clickable and page.labels(e))
    return len(list(islice(held, 2))) > 1


def is_within_line(page: Page, element: Element, others: int) -> bool:
    """Whether a control stands in a line with so many others, and not last, where what ends a page does."""
    beside = page.once(lines_of_controls)[element.bounds.top][: _LONGEST_LINE + 1]
    ends = element.bounds.right >= _END_OF_LINE * page.observation.width
    return len(beside) > others and not ends and any(e.bounds.left >= element.bounds.right for e in beside)


def is_labelled(page: Page, element: Element) -> bool:
    """Whether an element's words or id tell its purpose."""
    return bool(page.labels(element)) or wording.names_purpose(element.resource_id)


def reports_installed(page: Page) -> bool:
    """Whether a dialog of the installer tells that it has ended, and asks nothing."""
    return any(map(wording.says_done, page.question)) and not any(map(wording.asks_question, page.question))


def is_small_at_the_bottom(page: Page, element: Element) -> bool:
    """Whether an element lies where tabs do, and is not as wide as the button that ends a page."""
    screen = page.observation
    return element.bounds.top >= TAB_BAR * screen.height and element.bounds.width < _WIDEST_TAB * screen.width


def stands_in_field(page: Page, element: Element) -> bool:
    """Whether an icon stands in a field or right of it, as the eye does that shows what is typed."""
    return any(
        field.bounds.contains(*element.bounds.centre) or page.next_right_of(field) == element
        for field in page.elements
        if field.editable
    )


def is_link_in_line(page: Page, element: Element) -> bool:
    """Whether a small text stands in a line of others and not at its end: a link below what a page says."""
    small = element.bounds.width < _WIDEST_LINK * page.observation.width
    return small and is_within_line(page, element, 1)


def has_tabs(page: Page) -> bool:
    """Whether tabs, and no keys, stand at the bottom, as on no page that is completed by a button."""
    keys = {e.bounds.top for e in page.digit_keys}
    low = (e for e in page.clickables if e.bounds.bottom >= _BOTTOM * page.observation.height)
    tabs = (e for e in low if e.bounds.top not in keys and len(page.labels(e)) <= _MOST_OF_TILE)
    return any(alike_in_line(page, e) >= _MANY_ENTRIES for e in tabs) or page.once(_has_selected_tab)


def _has_selected_tab(page: Page) -> bool:
    """Whether at least three tabs, of which one is selected, reach from edge to edge at the bottom."""
    screen, lines = page.observation, page.once(lines_of_controls)
    low = [e for e in page.clickables if e.bounds.bottom >= _BOTTOM * screen.height][-_LONGEST_LINE:]
    bars = (lines[e.bounds.top] for e in low if alike_in_line(page, e) >= FEWEST_TABS and page.is_tab(e))
    ends = ((min(e.bounds.left for e in bar), max(e.bounds.right for e in bar)) for bar in bars)
    return any(right - left >= _SPAN * screen.width for left, right in ends)


def leads_from_tabs(page: Page, element: Element) -> bool:
    """Whether a small control, a row or a tab leads to paying from a page with tabs, which is no checkout.

    What has a price or a word that settles may pay at once all the same.
    """
    labels = page.labels(element)
    if page.is_dialog or not labels or not page.once(_is_among_tabs):
        return bool(labels) and _is_one_of_ways(page, element, labels[0])
    in_bar = element.bounds.bottom >= _BOTTOM * page.observation.height and not page.is_tab(element)
    if in_bar or any(map(has_amount, labels)) or any(map(str.isdecimal, labels[0])):
        return False
    small = element.bounds.width < _WIDEST_TAB * page.observation.width
    return (small or page.is_row(element)) and SETTLES.match(normalize_label(labels[0])) is None


def _is_one_of_ways(page: Page, element: Element, text: str) -> bool:
    """Whether a word stands with two alike at the bottom, as “Taxi” does with “Route”, and says not “now”."""
    if element.bounds.bottom < _BOTTOM * page.observation.height or page.is_dialog or _says_at_once(text):
        return False
    few = alike_in_line(page, element) < FEWEST_TABS or bool(page.digit_keys) or page.once(find_total) != ""
    return not few and _differs_from_others(page, element)


def leaves_with_count(text: str) -> bool:
    """Whether a label says how many things of a cart are ordered, behind a verb that does nothing at once."""
    return _COUNTED.search(text) is not None and not AT_ONCE.search(_COUNTED.sub("", fold(text)))


def names_entry(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether an element is the name of a thing in a list: “Cancel subscription” among tasks is no deed.

    It holds the first words of its entry, and the entries have a control in common, such as a box or “More”,
    or each tells a time or what was paid; or it holds a picture of the thing, and other controls stand with
    it. Where it stands each entry has words of its own: those of deeds would be alike, as “Call Anna” and
    “Call Ben” are.
    """
    if not labels or page.is_button(element) or "Image" in element.class_name or has_amount(labels[0]):
        return False
    if _is_switched(page, element) or page.is_dialog or page.is_of_settings:
        return False
    if _NAMES_SETTINGS.search(normalize_label(page.title)):
        return False
    for entry in (element, *page.ancestors(element, _LEVELS_TO_ENTRY)):
        others = [e for e in page.alike_beside(entry) if _is_as_wide(e, entry)]
        names = [name for e in others if (name := _counterpart(page, element, entry, e))]
        alike = sum(_begin_or_end_alike(labels[0], name) for name in names)
        if len(names) >= _FEWEST_OTHERS and 2 * alike < len(names):
            return True
    return False


def _is_switched(page: Page, element: Element) -> bool:
    """Whether a tap on an element turns a switch or box; one that takes touches itself is not hit by it."""
    boxes = (e for e in (element, *page.descendants(element)) if e.checkable)
    return any(e is element or not e.clickable for e in boxes)


def _counterpart(page: Page, element: Element, entry: Element, other: Element) -> str:
    """What stands in another entry where an element stands in its own; empty if this is no list of things."""
    own, parts = (list(_parts(page, e)) for e in (entry, other))
    inside = {e.index for e in chain((element,), islice(page.descendants(element), _MOST_PARTS))}
    outside = [e for e in own if entry is element or e.index not in inside]
    controls = _controls_of(page, outside, element), _controls_of(page, parts, other)
    if (first := next(_words(own), None)) is not None and first.index in inside:
        tells_of_it = entry is element and all(_tells_of_it(page, e) for e in (own, parts))
        listed = tells_of_it or controls[0] & controls[1]
        return next((element_label(e) for e in _words(parts)), "") if listed else ""
    pictured = any(e.bounds.width >= _THUMBNAIL * page.observation.width for e in _pictures(page, element))
    named = next((e for e in own if e.index in inside and element_label(e)), None)
    if not (pictured and named is not None and all(controls)):
        return ""
    stands = named.class_name, named.resource_id, named.bounds.left, named.bounds.width
    same = (e for e in parts if (e.class_name, e.resource_id, e.bounds.left, e.bounds.width) == stands)
    return next((words for e in same if (words := element_label(e))), "")


def _words(parts: Iterable[Element]) -> Iterator[Element]:
    """The parts with words that are no icon, box or button."""
    for e in parts:
        if element_label(e) and not (e.checkable or e.class_name.endswith(("Button", "ImageView"))):
            yield e


def _pictures(page: Page, element: Element) -> Iterator[Element]:
    return (e for e in page.descendants(element) if e.class_name.endswith("ImageView"))


def _parts(page: Page, entry: Element) -> Iterator[Element]:
    """An entry and what stands in it, without its boxes and pictures."""
    parts = chain((entry,), page.descendants(entry))
    yield from islice((e for e in parts if not e.class_name.endswith("ImageView")), _MOST_PARTS)


def _controls_of(page: Page, parts: Iterable[Element], entry: Element) -> set[str]:
    """What the controls inside an entry are called: by their ids, otherwise by their words."""
    controls = (e for e in parts if (e.clickable or e.checkable) and e.index != entry.index)
    return {e.resource_id or " ".join(page.labels(e)[:1]) for e in controls} - {""}


def _tells_of_it(page: Page, parts: Iterable[Element]) -> bool:
    """Whether an entry tells when something is, or what was paid or received, as calendars and banks do.

    A bubble of a chat and a notification have a time, too, and may do something.
    """
    texts = [element_label(e) for e in parts if element_label(e)]
    timed = any(map(_TIME.search, texts)) and not (
        page.fields or page.observation.app.package in SYSTEM_INTERFACE
    )
    return timed or any(_SIGNED_SUM.fullmatch(text.strip()) and has_amount(text) for text in texts)


def _begin_or_end_alike(first: str, second: str) -> bool:
    """Whether two labels have the first or the last word in common, in Chinese and Japanese two signs."""
    labels = [_FILE_TYPE.sub("", normalize_label(_FACT.split(text)[0]).strip()) for text in (first, second)]
    words = [re.findall(r"\w+", text) for text in labels]
    if not all(words):
        return True
    unspaced = all(_UNSPACED.search(text) for text in labels)
    ends = [
        (text[:2], text[-2:]) if unspaced else (ws[0], ws[-1]) for text, ws in zip(labels, words, strict=True)
    ]
    return ends[0][0] == ends[1][0] or ends[0][1] == ends[1][1]


def is_advertised(page: Page, element: Element) -> bool:
    """Whether a control stands in an advertisement of a feed, which leads to the page of who advertises.

    A text there marks it, and it names a web site or has what reacts to a post. In a shop a mark alone only
    says that the place in the list was paid for, and “Buy now” buys.
    """
    if page.is_dialog:
        return False
    for card in page.ancestors(element, _LEVELS_TO_ENTRY):
        if card.bounds.height > _MOST_OF_CARD * page.observation.height:
            return False
        texts = [fold(element_label(e)) for e in page.descendants(card) if element_label(e)]
        if any(map(_ADVERT.search, texts)):
            reactions = sum(map(wording.is_reaction, texts))
            return reactions >= _FEWEST_REACTIONS or any(map(_SITE.search, texts))
    return False


def ask_ready_answer(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """The kind of a sticker or a ready answer at the field of a chat, which one touch sends."""
    fields = [e for e in page.fields if wording.asks_for_answer(e.hint or e.text, e.resource_id)]
    if not fields or page.is_in_top_bar(element) or len(page.siblings(element)) < 2:
        return None
    if any(map(wording.is_refusal, labels[:1])):
        return None
    # Signs that are typed are smaller, and what is attached has a word beside its picture.
    size, (width, height) = element.bounds, (page.observation.width, page.observation.height)
    picture = element.class_name.endswith("ImageView") and size.width >= _STICKER * width
    sticker = picture and any(size.top >= e.bounds.bottom for e in fields)
    above = any(0 <= e.bounds.top - size.bottom <= _CHIP * height for e in fields)
    worded = page.is_button(element) and "Image" not in element.class_name and len(labels) == 1
    chip = above and worded and not page.filled_fields
    return ActionKind.SEND if sticker or chip else None

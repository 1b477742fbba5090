"""What the sentences of a page say that a control does, where its own words do not.

“Tidy up” above “Tidied photos are gone for good” deletes; a switch “Sharper pictures” over “Lets the app read
every notification” grants. The lexicon of sentences tells what a sentence states: money is taken, something
is erased, others see it, an app gets control, an account ends. A sentence belongs to one control: the one
that it names, otherwise the one beside it in its line, right above it, or right below it.

A label that only shows something, or refuses, is believed unless the sentence names it or speaks of the tap.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assistant.events import ActionKind
from assistant.files import lazy_regex
from assistant.i18n import has_chinese
from assistant.records import Element
from assistant.safety import wording
from assistant.safety.amounts import find_total
from assistant.safety.effects import (
    PAYS_LATER,
    WIDE,
    ends_order,
    lowest_wide_button,
    pay_buttons,
)
from assistant.safety.layout import (
    has_tabs,
    is_above_answers,
    is_choice_for_button,
    is_done_below,
    is_list_line,
)
from assistant.safety.lexicon import Sense, fold, lexicon, normalize_label, prose, readings
from assistant.safety.page import Page, Prompt, element_label
from assistant.safety.wording import has_amount

_REACH = 0.12
"""How far from a control its sentence may stand, as a share of the screen's height."""
_FAR = 0.3
"""How far one may stand that names the control."""
_SHORTEST_WORDS, _SHORTEST_UNSPACED = 4, 6
_LONGEST, _LONGEST_UNKNOWN, _MANY = 300, 40, 2
_MOST_CONTROLS = 40
"""So many controls before and after a sentence in the tree are looked at for the one that it belongs to."""
_MOST_NOTES = 12
"""A page with more sentences is read for itself, an article or a feed, and asks for no agreement to them."""
_NAMED_EARLY = 4
"""A sentence about a control names it among its first words."""
_MOST_BUTTONS, _NEAR_BOTTOM, _BACK = 3, 0.4, 0.2
_CLOSES, _SAYS = wording.pattern("closes"), wording.pattern("says_to_others")
_ICON_SHARE, _LONG_WORD = 0.06, 6
_UNSTATED = (Sense.DENIES, Sense.NEGATES, Sense.POSSIBLE)
_WORD = lazy_regex(r"[^\W\d_]+")
_UNSPACED = lazy_regex("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
_RECURS, _AFTER_DAYS = wording.pattern("recurs"), wording.pattern("after_days")
"""What happens after days is the rule of a place such as a trash, and no deed of the button below it."""
_MEANS_THAT = wording.pattern("defines").pattern
_NAMES_SETTINGS = wording.pattern("names_settings")
_LEADS_ON, _SUBJECTS = wording.pattern("leads_on"), wording.pattern("subjects")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a sentence says that a control does; `text` is as on the screen."""

    kind: ActionKind
    text: str


@lru_cache(maxsize=2048)
def only_shows(text: str) -> bool:
    """Whether a label leads on, or shows, sorts or closes something, in any language.

    One that is a question leads to help, as “Forgot your password?” does.
    """
    if text.rstrip().endswith(("?", "？", "؟")) or _LEADS_ON.search(normalize_label(text)):
        return True
    moves = wording.goes_to(text) or wording.asks_to_choose(text)
    return moves or lexicon().leads_on(text) or shows(text)


def stated_kind(text: str, about: bool = False) -> ActionKind | None:
    """The kind of deed that a sentence states; None if it states none.

    Args:
        text: as on the screen.
        about: whether it is known to speak of the control that is judged; then a sum alone is a payment.
    """
    if wording.says_done(text):
        return None
    senses, money = _senses(text), has_amount(text)
    recurs = Sense.RECURS in senses or _RECURS.search(normalize_label(text)) is not None
    charges = Sense.CHARGES in senses
    if (money and (recurs or charges)) or ((recurs or about) and charges):
        return ActionKind.PAY
    # A sum for which something is to be chosen is not paid by that.
    money = money and not wording.asks_to_choose(text)
    if money and (about or lexicon().asked_kind([text]) is ActionKind.PAY):
        return ActionKind.PAY
    if kind := _kind_of_clauses(text):
        return kind
    if _AFTER_DAYS.search(text) and not about:
        senses -= {Sense.ERASES, Sense.ENDS}
    return next((kind for sense, kind in _KINDS if sense in senses), None)


def classify_prompt(prompt: Prompt) -> ActionKind | None:
    """What agreeing to a question does: by its words, by the sentences under it, by a sum that it names."""
    kind = wording.classify_question(prompt.questions_first)
    if kind is None:
        kind = next((stated for text in prompt.texts if (stated := stated_kind(text))), None)
    if kind in (None, ActionKind.SEND) and any(has_amount(text) for text in prompt.questions_first[:1]):
        return ActionKind.PAY
    return kind


def _kind_of_clauses(text: str) -> ActionKind | None:
    """What a clause of a Chinese sentence that begins or ends with its verb says as a label would.

    The verbs have one form; in the middle of a clause one may speak of anything.
    """
    if not has_chinese(text) or _KANA.search(text):
        return None
    for clause in wording.split_clauses(normalize_label(text)):
        if prose().count(clause, _UNSTATED):
            continue
        kind = wording.kind_by_rules(_WILL.sub("", clause), wording.LabelRole.ROW)
        if kind in (ActionKind.DELETE, ActionKind.SEND, ActionKind.GRANT):
            return kind
    return None


_KANA = lazy_regex("[\u3040-\u30ff]")
_WILL = wording.pattern("will")
"""What says of a Chinese clause that it comes of the tap."""
_KINDS = (
    (Sense.ERASES, ActionKind.DELETE),
    (Sense.SEIZES, ActionKind.GRANT),
    (Sense.EXPOSES, ActionKind.SEND),
    (Sense.ENDS, ActionKind.DELETE),
)


def _senses(text: str) -> frozenset[Sense]:
    """What a text states, in Chinese of both scripts."""
    senses = prose().senses(text)
    return senses | prose().senses(normalize_label(text)) if has_chinese(text) else senses


def statement_beside(page: Page, element: Element, labels: list[str]) -> Statement | None:
    """What the sentences that belong to a control say that it does; None if they say nothing of it."""
    if not labels or element.editable or (page.is_row(element) and not page.contains_switch(element)):
        return None
    if is_list_line(page, element) and page.once(_deeds):
        return None
    leaves = element.bounds.right <= _BACK * page.observation.width or "Image" in element.class_name
    if (leaves and page.is_in_top_bar(element)) or _NAMES_SETTINGS.search(normalize_label(labels[0])):
        return None
    neutral = wording.is_agreement(labels[0]) or wording.acknowledges(labels[0])
    # Of a line of tabs none is what a sentence below speaks of, unless it names one.
    top, kind_of_view, holder = element.bounds.top, element.class_name, element.parent
    alike = sum(
        (e.bounds.top, e.class_name, e.parent) == (top, kind_of_view, holder) for e in page.clickables
    )
    trusted = _is_link(element) or (not neutral and only_shows(labels[0]))
    for note in _notes_of(page, element):
        text = _lines_about(element_label(note), labels[0])
        slides = element.class_name.endswith("SeekBar")
        named = _names_whole(text, labels[0])
        about = slides or Sense.TAPS in _senses(text) or _is_named(text, labels[0], trusted)
        about = about or (not trusted and _shares_word(text, labels[0]))
        if alike > _MANY and not named:
            continue
        kind = stated_kind(text, about) or (wording.classify_question([text]) if named else None)
        if kind and (about or not trusted or _explains(page, note, element, kind)):
            return Statement(kind, text)
    return _statement_of_page(page, element, neutral=neutral, trusted=trusted)


def _statement_of_page(page: Page, element: Element, *, neutral: bool, trusted: bool) -> Statement | None:
    """What a sentence anywhere on a page states, if one button is the only control that can do it.

    Of a button that leads on, nothing is believed but that it charges a sum.
    """
    label = page.labels(element)[0]
    answers = _SAYS.match(normalize_label(label)) or lexicon().means(label, Sense.ANSWERS)
    lone = not answers and page.buttons == [element] and is_main_button(page, element)
    notes = page.once(_notes)
    if not (lone or (neutral and _goes_on_alone(page, element))) or len(notes) > _MOST_NOTES:
        return None
    heard = (n for n in notes if not any(map(page.contains_switch, page.ancestors(n, 2))) or _is_ticked(n))
    for text in map(element_label, heard):
        charges = Sense.CHARGES in _senses(text) and not wording.says_done(text)
        kind = stated_kind(text) or (ActionKind.PAY if lone and charges else None)
        if kind and (not trusted or (kind is ActionKind.PAY and charges and has_amount(text))):
            return Statement(kind, text)
    return None


def statement_of_icon(page: Page, element: Element) -> Statement | None:
    """What the sentences of a page state, if a picture without words is the only control that can do it."""
    if element.checkable or page.is_in_top_bar(element) or page.once(_wordless) != [element.index]:
        return None
    if page.once(_deeds):
        return None
    notes = page.once(_notes)
    stated = ((stated_kind(text), text) for text in map(element_label, notes[:_MOST_NOTES]))
    return next((Statement(kind, text) for kind, text in stated if kind), None)


def _wordless(page: Page) -> list[int]:
    """The small controls without words below the top bar."""
    most = _ICON_SHARE * page.observation.width * page.observation.height
    return [
        e.index
        for e in page.clickables
        if not (page.labels(e) or e.checkable or page.is_in_top_bar(e)) and 0 < e.bounds.area < most
    ]


def _explains(page: Page, note: Element, element: Element, kind: ActionKind) -> bool:
    """Whether a sentence stands below a button, as small print does, or is the price of the only one."""
    below = note.bounds.top >= element.bounds.bottom
    return element in page.buttons and (below or (kind is ActionKind.PAY and page.buttons == [element]))


_UNUSED, _SOUNDS = wording.pattern("when_unused"), wording.pattern("sounds")
_PERMISSION_WORDS = wording.pattern("permission_words")
_PERMISSION_PAGE = wording.pattern("permission_page")
_RECURRING_PAYMENT = wording.pattern("recurring_payment")


def classify_switch(words: list[str], title: str = "") -> ActionKind | None:
    """The kind of a switch with these words on a page with this title; None if it is harmless."""
    word_readings = [reading for text in words for reading in readings(text)]
    if any(map(_UNUSED.search, map(fold, words))):
        return None
    if any(map(_PERMISSION_WORDS.search, word_readings)) or any(
        map(_PERMISSION_PAGE.search, readings(title))
    ):
        return ActionKind.GRANT
    if any(wording.concerns_security(text) and not _SOUNDS.search(fold(text)) for text in words):
        return ActionKind.SECURITY
    return ActionKind.PAY if any(map(_RECURRING_PAYMENT.search, word_readings)) else None


def runs_accessibility(page: Page, text: str) -> bool:
    """Whether a switch of the settings runs an accessibility service.

    Its page bears the name of the service, and has “Use NAME”, often with “NAME shortcut” below it. Functions
    of the phone have such a switch too (“Use Bluetooth”), so without a shortcut their names are left out, and
    the name must be written as a name is.
    """
    name = page.heading.strip()
    named = {element_label(e) for e in page.texts if name and name in element_label(e) != name}
    if text not in named:
        return False
    if any(map(_SHORTCUT.search, map(normalize_label, named))):
        return True
    use = " ".join(text.replace(name, " ", 1).split())
    is_name = any(map(str.isupper, name)) and not lexicon().means(name, Sense.FEATURES)
    return is_name and lexicon().means(use, Sense.USES)


_SHORTCUT, _SPECIAL_ACCESS = wording.pattern("shortcut"), wording.pattern("special_access")


def names_special_access(text: str) -> bool:
    """Whether a title is that of the special access that an app can have, in any language."""
    return _SPECIAL_ACCESS.search(normalize_label(text)) is not None or lexicon().means(text, Sense.ACCESS)


def statement_of_switch(page: Page, element: Element, labels: list[str]) -> Statement | None:
    """What the lines of a switch or check box say that turning it on does; None if it is on already.

    Beside a denial in its label, on may mean off.
    """
    if not page.contains_switch(element) or (_is_on(page, element) and not any(map(_denies, labels[:1]))):
        return None
    own = labels or page.row_labels(element)
    notes = _notes_of(page, element)
    beside = (element_label(note) for note in notes if not _is_of_payment(page, element, note))
    for text in (*own, *beside):
        if _is_sentence(text) and (kind := stated_kind(text)):
            return (
                None if _is_done_by_button(page, element, kind, is_own=text in own) else Statement(kind, text)
            )
    return None


def _is_done_by_button(page: Page, element: Element, kind: ActionKind, *, is_own: bool) -> bool:
    """Whether a button, which is asked about, does what a box beside it states, and not the box.

    It pays for what is ticked, or agrees to what the page asks above the box.
    """
    if is_done_below(page, element, kind) or (not is_own and is_above_answers(page, element)):
        return True
    if kind is not ActionKind.PAY:
        return False
    consents = is_consent(page, element) and bool(page.once(_acting_buttons))
    return consents or (is_own and bool(page.once(pay_buttons)) and is_choice_for_button(page, element, kind))


def _is_of_payment(page: Page, element: Element, note: Element) -> bool:
    """Whether a line near a switch is about the payment of a button: it is in no row with the switch."""
    pays = any(kind is ActionKind.PAY and not e.checkable for e, _text, kind in page.label_kinds)
    stated = stated_kind(element_label(note))
    if not pays or stated not in (ActionKind.PAY, ActionKind.DELETE) or _shares_id(note, element):
        return False
    rows = {e.index for e in page.ancestors(element) if page.is_smaller_than_page(e)}
    beside = note.bounds.top < element.bounds.bottom and element.bounds.top < note.bounds.bottom
    return not beside and rows.isdisjoint(e.index for e in page.ancestors(note))


def consent_beside(page: Page, element: Element, labels: list[str]) -> Statement | None:
    """What is ticked beside a button, which then consents to it whatever its own words are."""
    if not labels or element not in page.buttons or wording.is_refusal(labels[0]):
        return None
    for index, button in page.once(_nearest_buttons).items():
        consent = page.observation.elements[index]
        words = [element_label(consent)] if element_label(consent) else page.row_labels(consent)
        if button != element.index or not words:
            continue
        if kind := stated_kind(words[0]) or wording.classify_label(words[0]):
            return Statement(kind, words[0])
        if denies_twice(words[0]):
            return Statement(ActionKind.GRANT, words[0])
    return None


def is_consent(page: Page, element: Element) -> bool:
    """Whether a check box with a sentence stands above the button that it consents for."""
    if not element.class_name.endswith("CheckBox") or page.is_of_settings or not _is_sentence(element.text):
        return False
    reach = _REACH * page.observation.height
    return any(0 <= b.bounds.top - element.bounds.bottom <= reach for b in page.buttons)


def _acting_buttons(page: Page) -> list[Element]:
    return [
        e for e in page.buttons if not e.checkable and (w := page.labels(e)) and not wording.is_refusal(w[0])
    ]


def _nearest_buttons(page: Page) -> dict[int, int]:
    """For each thing that is ticked the nearest button that does not refuse: indexes, in document order."""
    nearest = {}
    for consent in filter(_is_ticked, page.elements):
        nearby = [
            b for b in page.once(_acting_buttons) if _gap(consent, b) <= _REACH * page.observation.height
        ]
        if nearby:
            nearest[consent.index] = min(nearby, key=lambda b: (_gap(consent, b), b.index)).index
    return nearest


def contradicting_statement(page: Page, element: Element, labels: list[str]) -> Statement | None:
    """What a sentence says of a control whose label refuses or closes: “Skip = 9.99 a month”.

    One of these must hold: the sentence says what the label means; it speaks of the tap, and no other button
    of the page does anything; or the page asks whether to do what the label says, as “Cancel your order?”
    above “Cancel”.
    """
    for note in _notes_of(page, element) if labels else ():
        text = element_label(note)
        about = _defines(text, labels[0])
        taps = Sense.TAPS in _senses(text) and _goes_on_alone(page, element)
        if (about or taps) and (kind := stated_kind(text, about)):
            return Statement(kind, text)
    for text in page.question_for(element) if labels else ():
        asked = text.rstrip().endswith(("?", "？", "吗")) and _shares_word(text, labels[0], shortest=2)
        if asked and (kind := wording.classify_question([text])) in _UNDONE and not page.once(_agreeing):
            return Statement(kind, text)
    return None


def repeats_question(page: Page, element: Element, label: str) -> bool:
    """Whether a button says again what its dialog asks: “Log out” below “Do you want to log out?”."""
    words, texts = _letters(label), page.question_for(element)
    asking = [text for text in texts if wording.asks_question(text)] or texts
    return len(words) > 1 and any(words in asked and asked != words for asked in map(_letters, asking[:1]))


def _letters(text: str) -> str:
    """A text without spaces and signs, so that “Logout” is “log out”."""
    return "".join(filter(str.isalnum, normalize_label(text)))


def _agreeing(page: Page) -> bool:
    """Whether a button of the page agrees or names a deed, so that a refusal beside it is one."""
    labels = [words[0] for e in page.clickables if (words := page.labels(e))]
    return any(wording.is_agreement(text) or wording.classify_label(text) for text in labels)


_UNDONE = (ActionKind.DELETE, ActionKind.SECURITY)


def takes_back(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a tap takes the tick from a check box or its row, whose words deny nothing and name no sum.

    A tap on what is chosen already on a page of the phone changes nothing either.
    """
    if not element.checkable and (page.is_button(element) or any(map(has_amount, labels))):
        return False
    boxes = [e for e in (element, *page.descendants(element)) if e.checkable]
    kinds = ("CheckBox", "RadioButton") if page.is_of_phone else "CheckBox"
    ticked = bool(boxes) and all(e.class_name.endswith(kinds) and e.checked for e in boxes)
    return ticked and not any(map(_denies, labels[:1] or page.row_labels(element)[:1]))


def denies_twice(text: str) -> bool:
    """Whether a label has a double denial, so that nobody can tell at a glance what it does."""
    return prose().count(text, (Sense.DENIES, Sense.NEGATES)) > 1


def is_main_button(page: Page, element: Element) -> bool:
    """Whether an element is the one wide button of its page that may do something."""
    if element.bounds.width < WIDE * page.observation.width or page.is_row(element):
        return False
    wide = [e for e in page.clickables if e.bounds.width >= WIDE * page.observation.width]
    others = (e for e in wide if e.index != element.index and not (e.checkable or page.is_row(e)))
    return all(_is_trusted(page, e) for e in others if page.labels(e))


def states_deed(page: Page) -> bool:
    """Whether any sentence of a page states a deed."""
    return any(stated_kind(element_label(note)) for note in page.once(_notes))


def closes_receipt(page: Page, label: str) -> bool:
    """Whether a label only closes a page that says that it is done already."""
    return _CLOSES.match(fold(label)) is not None and page.once(_reports_done)


def _reports_done(page: Page) -> bool:
    return any(wording.says_done(element_label(e)) for e in page.texts)


def is_wide_button_beside_sum(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether an element is the one wide button of a page that shows the sum to pay, in whatever language.

    The sum stands beside a word such as “total”. What is above the button may be any wide row; below it and
    beside it there is none but one that refuses.
    """
    screen = page.observation
    if len(labels) != 1 or len(labels[0]) > _LONGEST_UNKNOWN:
        return False
    # Below a title “Continue” leads to the next step of what it names; a sum alone it accepts.
    accepts = not page.heading and wording.is_agreement(labels[0])
    ends = accepts or PAYS_LATER.match(fold(labels[0])) or ends_order(page, labels[0])
    if only_shows(labels[0]) and not ends:
        return False
    if not any(map(str.isalpha, labels[0])):
        return False
    if closes_receipt(page, labels[0]):
        return False
    wide = element.bounds.width >= WIDE * screen.width or _is_in_bar_of_sum(page, element)
    if not wide or element.bounds.centre[1] < _NEAR_BOTTOM * screen.height or element.checkable:
        return False
    if page.is_row(element) or is_list_line(page, element) or not page.once(find_total):
        return False
    if page.once(has_tabs) or page.once(pay_buttons) - {element.index}:
        return False
    return page.once(lowest_wide_button) < element.bounds.bottom


def _is_in_bar_of_sum(page: Page, element: Element) -> bool:
    """Whether the sum stands beside what takes touches, as in the bar at the bottom of a shop."""
    return element.clickable and any(
        e.bounds.top < element.bounds.bottom
        and e.bounds.bottom > element.bounds.top
        and e.index != element.index
        for e in page.once(_texts_with_amount)
    )


def _texts_with_amount(page: Page) -> list[Element]:
    return [e for e in page.texts if has_amount(element_label(e))]


def names_sum_of(page: Page, element: Element) -> bool:
    """Whether a sentence that belongs to a control names an amount of money."""
    return any(has_amount(element_label(note)) for note in _notes_of(page, element))


def _denies(text: str) -> bool:
    return prose().count(text, (Sense.DENIES, Sense.NEGATES)) > 0


def _is_on(page: Page, element: Element) -> bool:
    switches = [e for e in (element, *page.descendants(element)) if e.checkable]
    return bool(switches) and all(e.checked for e in switches)


def _goes_on_alone(page: Page, element: Element) -> bool:
    """Whether none of a page's few buttons but this one may do something."""
    if element not in page.buttons or len(page.buttons) > _MOST_BUTTONS:
        return False
    others = [words[0] for e in page.buttons if e.index != element.index and (words := page.labels(e))]
    return all(only_shows(text) or wording.is_refusal(text) for text in others)


def _notes(page: Page) -> list[Element]:
    """The sentences of a page: texts that take no touches, long ones with links, and what is ticked."""
    return [
        e
        for e in page.texts
        if (not e.clickable or _is_ticked(e) or (_is_link(e) and _is_sentence(element_label(e), _MANY)))
        and not page.is_in_button(e)
        and _is_sentence(element_label(e))
    ]


def _is_ticked(element: Element) -> bool:
    return element.checkable and element.checked


def _is_sentence(text: str, times: int = 1) -> bool:
    """Whether a text has words for a sentence, or so many times as many."""
    if len(text) > _LONGEST:
        return False
    unspaced = len(_UNSPACED.findall(text))
    return unspaced >= times * _SHORTEST_UNSPACED or len(_WORD.findall(text)) >= times * _SHORTEST_WORDS


def _notes_of(page: Page, element: Element) -> list[Element]:
    """The sentences that belong to a control, nearest first."""
    (controls, owners), reach = page.once(_controls), _FAR * page.observation.height
    near = (n for n in page.once(_notes) if _overlaps(n, element) and _gap(n, element) <= reach)
    owned = []
    for note in near:
        if note.index not in owners:
            at = bisect(controls, note.index, key=lambda c: c.index)
            around = controls[max(0, at - _MOST_CONTROLS) : at + _MOST_CONTROLS]
            owners[note.index] = _owner(page, note, around)
        owned += [note] if owners[note.index] is element else []
    return sorted(owned, key=lambda note: (_gap(note, element), note.index))


def _controls(page: Page) -> tuple[list[Element], dict[int, Element | None]]:
    """The controls of a page, and those that its sentences belong to, as far as that was asked."""
    controls = (e for e in page.elements if e.clickable or e.editable or e.checkable)
    return [e for e in controls if page.is_smaller_than_page(e)], {}


def _owner(page: Page, note: Element, controls: Sequence[Element]) -> Element | None:
    """The control that a sentence belongs to; None if none is near."""
    height = page.observation.height
    nearby = [
        c for c in controls if c.index != note.index and _overlaps(note, c) and _gap(note, c) <= _FAR * height
    ]
    text = element_label(note)
    named = [c for c in nearby if (words := page.labels(c)) and _speaks_of(text, words[0])]
    within = [c for c in nearby if _gap(note, c) <= _REACH * height and not (note.checkable and c.checkable)]
    in_line = _in_line(note, within)
    return min(
        named or list(_neighbours(page, note, within, in_line)),
        key=lambda c: (not _shares_id(note, c), c.index not in in_line, *_rank(page, note, c)),
        default=None,
    )


def _neighbours(page: Page, note: Element, near: Sequence[Element], line: set[int]) -> Iterator[Element]:
    """The nearest controls above and below a sentence, and above them a button that does more than show."""
    above = [c for c in near if c.bounds.top <= note.bounds.top]
    below = [c for c in near if c.bounds.top > note.bounds.top and not (above and _is_icon(c))]
    buttons = [c for c in above if not c.checkable and not _is_trusted(page, c)]
    yield from (min(side, key=lambda c: _gap(note, c)) for side in (above, below, buttons) if side)
    deeds = page.once(_deeds)
    yield from (c for c in near if c.index in deeds or c.index in line or _shares_id(note, c))


def _rank(page: Page, note: Element, control: Element) -> tuple[bool, bool, bool, bool, int]:
    """A button whose words name a deed comes first, links last, then what only shows, then what is below."""
    shows = not control.checkable and _is_trusted(page, control)
    deed = control.index in page.once(_deeds)
    return not deed, _is_link(control), shows, control.bounds.top > note.bounds.top, _gap(note, control)


def _deeds(page: Page) -> frozenset[int]:
    return frozenset(e.index for e, _text, _kind in page.label_kinds if not e.checkable)


def _is_trusted(page: Page, control: Element) -> bool:
    words = page.labels(control)
    return not words or only_shows(words[0]) or wording.is_refusal(words[0])


def _is_icon(control: Element) -> bool:
    return control.class_name.endswith("ImageButton")


def _is_link(control: Element) -> bool:
    return control.class_name.endswith("TextView")


def _in_line(note: Element, controls: Sequence[Element]) -> set[int]:
    """The switches that stand beside a text."""
    return {
        c.index
        for c in controls
        if c.checkable and c.bounds.top < note.bounds.bottom and note.bounds.top < c.bounds.bottom
    }


def _gap(note: Element, control: Element) -> int:
    return max(control.bounds.top - note.bounds.bottom, note.bounds.top - control.bounds.bottom, 0)


def _overlaps(note: Element, control: Element) -> bool:
    """Whether a control stands in the column of a text, or is a switch in its line."""
    if (
        control.checkable
        and control.bounds.top < note.bounds.bottom
        and note.bounds.top < control.bounds.bottom
    ):
        return True
    return control.bounds.left < note.bounds.right and note.bounds.left < control.bounds.right


def _shares_id(note: Element, control: Element) -> bool:
    """Whether the id of a text begins with that of a control: `wifi_switch_summary`, `wifi_switch`."""
    first, second = (e.resource_id.rpartition("/")[2] for e in (control, note))
    return bool(first) and second.startswith(f"{first}_")


def _speaks_of(text: str, label: str) -> bool:
    """Whether a sentence names a control; “Cancel anytime” does not name the button “Cancel”."""
    return _defines(text, label) if wording.is_refusal(label) else _is_named(text, label)


def _is_named(text: str, label: str, trusted: bool = False) -> bool:
    """Whether a sentence names a control: by its whole label, or by a word of it near its beginning.

    Of a trusted label that is a long word for what it shows: “more” and “learn” are in any sentence.
    """
    if _names_whole(text, label):
        return True
    folded, words = fold(text), fold(label)
    if _UNSPACED.search(words):
        pairs = [words[n : n + 2] for n in range(len(words) - 1)]
        showing = [trusted and shows("".join(pairs[max(0, n - 1) : n + 2])) for n in range(len(pairs))]
        naming = (p for p, shown in zip(pairs, showing, strict=True) if has_chinese(p) and not shown)
        return any(pair in folded and not _SUBJECTS.search(pair) for pair in naming)
    first = [word for word in _WORD.findall(folded) if len(word) > 2][:_NAMED_EARLY]
    own = (w for w in _WORD.findall(words) if not trusted or (len(w) >= _LONG_WORD and not shows(w)))
    return any(_same_stem(word, other) for word in own for other in first)


def shows(text: str) -> bool:
    """Whether a text has a word for what only shows something: “view”, “details”."""
    return Sense.VIEWS in _senses(text)


def _shares_word(text: str, label: str, shortest: int = _LONG_WORD) -> bool:
    """Whether a sentence has a long word of a label, or the whole label in a script without spaces."""
    folded, words = fold(text), fold(label)
    if _UNSPACED.search(words):
        return words in folded
    spoken = set(_WORD.findall(folded))
    return any(len(word) >= shortest and word in spoken for word in _WORD.findall(words))


def _names_whole(text: str, label: str) -> bool:
    """Whether a sentence has the whole label between quotation marks or at its beginning."""
    folded, words = fold(text), fold(label).strip(" .!?…")
    if len(words) < 2 or words not in folded:
        return False
    goes_on = re.match(r"\w", folded[len(words) :]) and not _UNSPACED.search(words)
    return (folded.startswith(words) and not goes_on) or _quotes(folded, words)


def _lines_about(text: str, label: str) -> str:
    """The lines of a text that name a control, such as the steps of a list; all where none does."""
    lines = text.splitlines()
    named = [line for line in lines if len(lines) > 1 and _speaks_of(line, label)]
    return " ".join(named) or text


def _defines(text: str, label: str) -> bool:
    """Whether a sentence says what a label means: it quotes it, or a sign or word for that follows it."""
    folded, words = fold(text), fold(label).strip(" .!?…")
    means_that = re.match(re.escape(words) + _MEANS_THAT, folded) is not None
    return len(words) > 1 and (means_that or _quotes(folded, words))


def _quotes(folded: str, words: str) -> bool:
    return re.search(rf"[«„“”\"'「『‘]{re.escape(words)}[»“”\"'」』’]", folded) is not None


def _same_stem(word: str, other: str) -> bool:
    """Whether two words have a stem in common: “tidy”, “tidied”; all but the last letter of the shorter."""
    stem = min(len(word), len(other)) - 1
    return stem > 2 and word[:stem] == other[:stem] and abs(len(word) - len(other)) < 4

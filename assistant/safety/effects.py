"""What a sensitive action is about: the amount, the recipient and the text, and that in one sentence.

And what ends something that runs for the user: a call, a meeting, a recording, a navigation, a cast. A label
says it as a whole (“End call”), or a bare “End” does on a page that tells what runs. To decline a call that
comes in ends it too. What the turn itself began it may end unasked: `deeds.py` knows that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from itertools import pairwise

from assistant.events import ActionKind, Deed
from assistant.files import lazy_regex
from assistant.i18n import _
from assistant.records import Action, Click, Element, Target
from assistant.safety.amounts import (
    SHARE,
    adds_tip,
    find_amount,
    find_entry,
    find_total,
    in_sight,
    is_option,
    names_amount,
    only_tells_discount,
)
from assistant.safety.lexicon import Sense, fold, lexicon, normalize_label
from assistant.safety.page import Page, element_label, shows_hint
from assistant.safety.wording import (
    acknowledges,
    asks_for_message,
    asks_for_recipient,
    asks_question,
    classify_label,
    classify_question,
    goes_to,
    has_amount,
    id_word_set,
    id_words,
    is_agreement,
    is_bare_amount,
    is_refusal,
    is_total,
    match_amount,
    names_means_of_payment,
    names_price,
    pattern,
    says_done,
    text_before_amount,
)

_PAYEE_IDS = ("payee", "merchant", "recipient", "receiver", "shop_name", "to_name")
_TO, _CALL = pattern("paid_to", ignore_case=True), pattern("calls", ignore_case=True)
_UNSPACED = lazy_regex("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LONGEST = 160


def pay_buttons(page: Page) -> frozenset[int]:
    """The elements whose label pays, by its words or an amount that is no option."""
    return frozenset(e.index for e in page.clickables if _is_pay_button(page, e))


def _is_pay_button(page: Page, element: Element) -> bool:
    labels = page.labels(element)
    if names_amount(page, element, labels):
        return not is_option(labels[0])
    return bool(labels) and classify_label(labels[0]) is ActionKind.PAY


SETTLES = pattern("settles")
"""How a label begins that settles a payment; others only lead to it."""
WIDE = 0.55
"""The least width of a button that ends a page, as a share of the screen's."""
_MOST_IN_ROW, _BAR, _END_OF_BAR = 4, 0.9, 0.4
"""The last wide control of a bar at the bottom ends a page, too."""
_ADDS_TO_PRICE = lazy_regex(r"\+ ?(?:[¥$€£₩₹]|[a-z]{3} ?\d|\d)")
_PAYS_NOTHING = pattern("pays_nothing")
"""What names an amount and fills a cart, or advertises."""


def lowest_wide_button(page: Page) -> int:
    """The top of the lowest wide element that takes touches and does not refuse."""
    tops = [
        e.bounds.top
        for e in page.clickables
        if e.bounds.width >= WIDE * page.observation.width
        and (not (words := page.labels(e)) or not is_refusal(words[0]))
    ]
    return max(tops, default=-1)


def pays_named_amount(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a label that names an amount pays it; an option does not if another button of the page pays."""
    label = normalize_label(labels[0])
    if SHARE.fullmatch(label):
        return adds_tip(page, element)
    if (
        element.checkable
        or any(map(_PAYS_NOTHING.search, (label, fold(labels[0]))))
        or only_tells_discount(label)
        or (_ADDS_TO_PRICE.search(label) and not classify_label(label))
    ):
        return False
    if not names_amount(page, element, labels):
        return _confirms_priced_choice(page, element, labels)
    if not is_option(labels[0]):
        return True
    fills = any(has_amount(field.text) for field in page.filled_fields)
    return not (fills or page.once(pay_buttons) - {element.index})


def _confirms_priced_choice(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether the lowest wide button names one of the rows above that have a price: “Choose Comfort”."""
    screen, size = page.observation, element.bounds
    wide = size.width >= WIDE * screen.width and page.once(lowest_wide_button) == size.top
    ends_bar = size.bottom >= _BAR * screen.height and size.right >= _BAR * screen.width
    if len(labels) != 1 or not (wide or (ends_bar and size.width >= _END_OF_BAR * screen.width)):
        return False
    words = f" {normalize_label(labels[0])} "
    return any(f" {name} " in words for name in page.once(_priced_rows))


def _priced_rows(page: Page) -> frozenset[str]:
    """What rows with a name and a price are called."""
    rows = (
        words for e in page.clickables if page.is_row(e) and 1 < len(words := page.labels(e)) <= _MOST_IN_ROW
    )
    return frozenset(normalize_label(row[0]) for row in rows if any(map(has_amount, row[1:])))


_PAYS_FOR_CHOICE = pattern("pays_for_choice")


def pays_for_choice(text: str) -> bool:
    """Whether a label pays by what is chosen above it: by its words, or a sum and no means of payment."""
    if _PAYS_FOR_CHOICE.search(normalize_label(text)):
        return True
    by_means = names_means_of_payment(text_before_amount(text).strip())
    return has_amount(text) and not by_means and classify_label(text) is ActionKind.PAY


def has_payment_below(page: Page, element: Element) -> bool:
    """Whether an element below pays; then a label about paying is a choice."""
    return page.once(_lowest_payment) >= element.bounds.bottom


def _lowest_payment(page: Page) -> int:
    """The top of the lowest element that settles a payment, below 0 if there is none."""
    tops = [
        e.bounds.top
        for e, text, kind in page.label_kinds
        if kind is ActionKind.PAY and (SETTLES.match(normalize_label(text)) or has_amount(text))
    ]
    return max(tops, default=-1)


PAYS_LATER, _LEAVES_CART, _FEW_KEYS = pattern("pays_later"), pattern("leaves_cart"), 3
_OTHER_KEY = lazy_regex(r"[,;，；、]\s*(?=\w\b)")
"""Where a line goes on to what another key does."""


def views_order(text: str) -> bool:
    """Whether a whole label only shows an order or a cart: “View order”."""
    return _VIEWS_ORDER.fullmatch(fold(text).strip()) is not None


_VIEWS_ORDER = pattern("views_order")


def kind_of_key(page: Page, _element: Element, labels: list[str]) -> ActionKind | None:
    """What a key of one sign does, by the line that begins with it or names it: “Press 1 to order”."""
    key = labels[0].strip() if labels else ""
    if len(key) != 1 or not key.isalnum() or len(page.digit_keys) > _FEW_KEYS:
        return None
    for line in (line for e in page.texts for line in element_label(e).splitlines()):
        parts = re.split(rf"(?<!\w){re.escape(key)}(?!\w)\W*", line, maxsplit=1)
        deed = _OTHER_KEY.split(parts[1])[0].removeprefix("to ") if len(parts) > 1 else ""
        if not any(map(str.isalpha, deed)):
            continue
        if kind := classify_label(deed) or classify_label(f"{deed} now") or classify_question([deed]):
            return kind
        # Before words that show an order, a number counts its things.
        if has_amount(deed) and not any(map(views_order, labels[1:])):
            return ActionKind.PAY
    return None


def find_recipient(page: Page, kind: ActionKind, element: Element | None) -> str:
    """Who gets the money or message; empty if the page does not tell."""
    travels = kind is ActionKind.PAY and page.once(_shows_route)
    for e in page.once(in_sight):
        if e.resource_id.rpartition("/")[2] in _PAYEE_IDS:
            return element_label(e)
        if not travels and (match := _TO.match(element_label(e))):
            return match[1]
    for e, following in pairwise(() if travels else page.once(in_sight)):
        named = _RECIPIENT.fullmatch(fold(element_label(e))) is not None and not _asks_entry(following)
        if named and (_belongs_to(page, e, following) or _stands_below(e, following)):
            return element_label(following)
    if kind is not ActionKind.SEND:
        return find_payee_asked(page.question_for(element)) if kind is ActionKind.PAY else ""
    for field in page.observation.elements:
        if field.editable and field.resource_id.rpartition("/")[2] in (
            "to",
            "recipient",
            "edit_to",
            "mail_to",
        ):
            return field.text
    if element is not None and page.is_row(element) and (own := page.labels(element)):
        return own[0]
    entry = find_entry(page, element)
    return entry[0] if entry else page.heading


def _shows_route(page: Page) -> bool:
    """Whether a page names where somebody comes from, so that “To” is a place; an account is none."""
    words = [element_label(e) for e in page.texts]
    return any(
        _COMES_FROM.match(fold(text)) and not _MEANS.search(f"{text} {following}")
        for text, following in pairwise([*words, ""])
    )


_COMES_FROM = pattern("comes_from")


def _asks_entry(element: Element) -> bool:
    """Whether a text only asks to enter something."""
    return shows_hint(element) or _ASKS_ENTRY.match(element_label(element)) is not None


_ASKS_ENTRY, _RECIPIENT = pattern("asks_entry"), pattern("recipient_labels")
_PAYEE_BEFORE = pattern("payee_before_amount", ignore_case=True)
_PAYEE_BEHIND = pattern("payee_behind_amount", ignore_case=True)
_PAYEE_AROUND = pattern("payee_around_verb")
_NO_PAYEE, _BUYS = pattern("no_payee"), pattern("buys")


def find_payee_asked(texts: Iterable[str]) -> str:
    """Who is paid, by a question that names the amount: “Pay ¥30 to Corner Shop?”; empty if none tells.

    A name has a capital or stands in quotes, where its letters have these: “to unlock all levels” has none.
    """
    for text in texts:
        line = " ".join(text.split())
        amount = match_amount(line)
        if amount is None or not asks_question(line):
            continue
        before, behind = line[: amount.start()], line[amount.end() :]
        match = _PAYEE_AROUND.search(line) if _UNSPACED.search(line) else None
        match = match or _PAYEE_BEFORE.search(before) or _PAYEE_BEHIND.search(behind)
        given = next((group for group in match.groups() if group), "") if match else ""
        name = given.strip(" “”\"'「」")
        if name and not _NO_PAYEE.search(name) and (not name[0].islower() or given != name):
            return "" if name in behind and _BUYS.match(behind) else name
    return ""


_PHONE_NUMBER = lazy_regex(r"^(?:\+?\d|\(\d)[\d ()-]{5,18}$")
_PHONE_NUMBER_TYPE = pattern("phone_number_types", ignore_case=True)
_NOT_A_PERSON, _CALL_LOG_ENTRY = pattern("no_person"), pattern("call_log_entries", ignore_case=True)


def contacts_person(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a tap contacts a person: a recipient to choose, a phone number, or an entry of the call log."""
    if asks_for_recipient(page.heading) and _is_choice(page, element, labels):
        return not _has_send_button_below(page, element)
    return bool(labels) and (
        (_PHONE_NUMBER.match(labels[0]) is not None and _is_contact_card(labels))
        or _is_call_log_entry(labels)
    )


def _has_send_button_below(page: Page, element: Element) -> bool:
    """Whether a button below sends; then a tap on a name only chooses the recipient."""
    return any(
        kind is ActionKind.SEND and e.bounds.top >= element.bounds.bottom and not page.is_row(e)
        for e, _text, kind in page.label_kinds
    )


def _is_choice(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether an element is one of the choices of a page, not a button beside them."""
    if page.is_button(element):
        return False
    return _NOT_A_PERSON.match(normalize_label(labels[0])) is None if labels else page.is_row(element)


def _is_contact_card(labels: list[str]) -> bool:
    """Whether a row with a phone number names the type of the number; a tap on it calls."""
    return any(_PHONE_NUMBER_TYPE.match(text) for text in labels[1:])


def _is_call_log_entry(labels: list[str]) -> bool:
    """Whether a row is an entry of the call log; a tap on it calls back."""
    return any(_CALL_LOG_ENTRY.match(text) for text in labels[1:])


_MOST_PAGE_WORDS, _LONGEST_WORDS = 12, 48


def payment_words(page: Page, deed: Deed) -> tuple[str, ...]:
    """What else the page of a payment says, in its own words and order: for what, from whom, to where.

    Without the buttons, what was not chosen, and what the deed says already; a price comes right behind what
    it is for. Many checkouts mark the payee by nothing that a program could rely on, so the words are quoted
    as they stand, and none is called the payee.
    """
    skipped = {deed.recipient, deed.text, find_paid_from(page)}
    if _PAYMENT_TITLE.search(normalize_label(page.heading)):
        skipped.add(page.heading)
    filled = {e.index for e in page.filled_fields if not e.password}
    done, places = set(page.once(_left_out)), find_destination(page)
    lines: list[str] = []
    last: Element | None = None
    for e in page.elements:
        if e.index in done or (e.editable and e.index not in filled):
            continue
        if e.clickable and (choice := _priced_choice(page, e)):
            lines += choice
            done |= {part.index for part in page.descendants(e)}
            continue
        line = " ".join((e.text if e.editable else element_label(e)).split())
        if e in page.buttons or line in skipped or not any(c.isalnum() for c in line):
            continue
        if e.clickable and not e.text and page.is_in_top_bar(e):
            continue
        priced = last is not None and is_bare_amount(line) and _is_in_line(last, e)
        last = e
        if is_total(line) or (line == deed.amount and not priced):
            last = None
            continue
        line = line if line in places else _on_one_line(line)
        if priced or line not in lines:
            lines.append(line)
    return tuple(lines)[:_MOST_PAGE_WORDS]


def _on_one_line(text: str, most: int = _LONGEST_WORDS) -> str:
    """A text in one line, cut where it is longer than so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _is_in_line(first: Element, second: Element) -> bool:
    """Whether two texts stand in one line."""
    apart = abs(first.bounds.centre[1] - second.bounds.centre[1])
    return 2 * apart < min(first.bounds.height, second.bounds.height)


def _priced_choice(page: Page, element: Element) -> list[str]:
    """The words of a row with a price, in one line, and the price; empty if it is no such row."""
    texts = page.labels(element)
    prices = [text for text in texts if is_bare_amount(text)]
    words = [text for text in texts if not is_bare_amount(text)]
    return [_on_one_line(", ".join(words)), prices[0]] if words and len(prices) == 1 else []


def _left_out(page: Page) -> frozenset[int]:
    """The elements of what could be chosen and is not, beside something that is, or is not ticked."""
    boxes = [e for e in page.elements if e.checkable and not e.class_name.endswith("Switch")]
    one_of = [e for e in boxes if not e.class_name.endswith("CheckBox")]
    chosen = any(e.checked for e in one_of)
    left_out = [e for e in boxes if not e.checked and (chosen or e not in one_of)]
    rows = [next((row for row in (e, *page.ancestors(e)) if row.clickable), e) for e in left_out]
    for e in page.clickables:
        alike = page.siblings(e)
        if len(alike) > 1 and not e.selected and sum(other.selected for other in alike) == 1:
            rows.append(e)
    return frozenset(part.index for row in rows for part in (row, *page.descendants(row)))


_DESTINATION, _PAYMENT_TITLE = pattern("destination_labels"), pattern("payment_titles")
_DESTINATION_IDS, _DESTINATION_ID_NOUNS = id_word_set("destination_ids"), id_word_set("destination_id_nouns")
_SELLER_IDS = id_word_set("seller_ids")
_FROM_TO = lazy_regex(r"\w\s*(?:→|⟶|⇒|➔|➝|->)\s*\w")
_MOST_SELLER_WORDS, _LONGEST_PLACE = 6, 90


def find_destination(page: Page) -> tuple[str, ...]:
    """Where something is brought or somebody is taken, in the lines of the page; empty if none tells.

    It is told by an id, by the words for it before the place, or by a title such as “From → To”.
    """
    texts = page.texts
    for e in page.elements:
        named = set(id_words(e.resource_id))
        if named & _DESTINATION_IDS and not named & _DESTINATION_ID_NOUNS:
            lines = [e.text] if e.editable and not shows_hint(e) else page.labels(e)
            if lines and any(map(str.isalnum, "".join(lines))):
                return tuple(_on_one_line(line, _LONGEST_PLACE) for line in lines[:_MOST_IN_ROW])
    for e, following in pairwise(texts):
        label = fold(element_label(e))
        if match := _DESTINATION.search(label):
            own = [element_label(e)] if label[match.end() :].strip(" :：") else []
            lines = own + [element_label(following)] * _belongs_to(page, e, following)
            if lines:
                return tuple(_on_one_line(line, _LONGEST_PLACE) for line in lines)
    return (_on_one_line(page.heading, _LONGEST_PLACE),) if _FROM_TO.search(page.heading) else ()


def _belongs_to(page: Page, label: Element, value: Element) -> bool:
    """Whether a text is the value of the label before it: in one line or row with it, and no button."""
    words = element_label(value)
    if value.clickable or page.is_button(value) or has_amount(words) or _MEANS.search(words):
        return False
    row = next(page.ancestors(label, 1), None)
    in_row = row is not None and row.clickable and row.index == value.parent
    return in_row or _is_in_line(label, value)


def _stands_below(label: Element, value: Element) -> bool:
    """Whether a text begins right below another."""
    gap = value.bounds.top - label.bounds.bottom
    return label.bounds.left == value.bounds.left and 0 <= gap <= label.bounds.height


def find_seller(page: Page) -> str:
    """The name that stands above the things with a price, as that of a shop does; empty if none does.

    Its id says that it is one's. It takes no touch, and is no title that says what the page or list is.
    """
    texts = [e for e in page.texts if e.index not in page.once(_left_out)]
    for name, item, price in zip(texts, texts[1:], texts[2:], strict=False):
        label = element_label(name)
        if not (is_bare_amount(element_label(price)) and _is_in_line(item, price)):
            continue
        named = not _SELLER_IDS.isdisjoint(id_words(name.resource_id))
        if not named or is_total(label) or names_price(label) or name is page.texts[0]:
            return ""
        listed = _PAYMENT_TITLE.search(normalize_label(label)) or label in find_destination(page)
        above = name.bounds.bottom <= item.bounds.top and label != page.heading
        plain = not (page.is_in_button(name) or name.clickable) and len(label.split()) <= _MOST_SELLER_WORDS
        return _on_one_line(label) if above and plain and not listed else ""
    return ""


_MEANS = pattern("means_of_payment", ignore_case=True)
"""What names a means of payment: only a chosen line with such words is said to be what the money is from."""


def find_paid_from(page: Page) -> str:
    """The means of payment that is chosen on a page, in its own words; empty if none is, or several are."""
    chosen = {
        " ".join(" ".join(page.labels(e) or page.row_labels(e)).split())
        for e in page.elements
        if e.checkable and e.checked and not e.class_name.endswith(("Switch", "CheckBox"))
    }
    means = [words for words in chosen if _MEANS.search(words)]
    return means[0] if len(means) == 1 else ""


def ends_order(page: Page, text: str) -> bool:
    """Whether a label goes on from a page that names where it is brought and what it is paid by.

    No cart does. Small shops order by “Proceed to checkout” where others show their checkout.
    """
    leaves = _OPENS_CHECKOUT.search(text) or _LEAVES_CART.search(fold(text))
    goes_on = leaves or goes_to(text) or is_agreement(text) or acknowledges(text)
    return bool(goes_on) and page.once(_is_set_for_order)


def _is_set_for_order(page: Page) -> bool:
    texts = [e for e in page.texts if e.index not in page.once(_left_out)]
    placed = any(_DESTINATION.search(fold(element_label(e))) for e in texts) or find_destination(page)
    done = any(says_done(element_label(e)) for e in texts)
    return bool(placed) and any(_MEANS.search(element_label(e)) for e in texts) and not done


_OPENS_CHECKOUT, _PLACES_ORDER = (pattern(n, ignore_case=True) for n in ("opens_checkout", "places_order"))


class Commitment(IntEnum):
    """How far a payment's button commits, by its words; one whose words do not tell pays."""

    OPENS_CHECKOUT = 0
    ORDERS = 1
    PAYS = 2


def find_commitment(deed: Deed) -> Commitment:
    """How far the button of a payment commits."""
    opens = _OPENS_CHECKOUT.search(deed.text)
    return (
        Commitment.OPENS_CHECKOUT
        if opens
        else Commitment.ORDERS
        if _PLACES_ORDER.search(deed.text)
        else Commitment.PAYS
    )


_SUCCESS, _CHECKOUT = (pattern(name, ignore_case=True) for name in ("reports_success", "settles_order"))
"""Words of a page on which an order is settled, to which “Buy now” leads. In other languages it is asked."""


def is_checkout(page: Page) -> bool:
    """Whether a page settles an order: its words say so, and it has a title of that kind or names the sum."""
    if _CHECKOUT.search(page.heading):
        return True
    return any(map(_CHECKOUT.search, map(element_label, page.texts))) and bool(page.once(find_total))


def reports_success(page: Page) -> bool:
    """Whether a page reports a deed as done; a sensitive button on it begins another one."""
    return any(map(_SUCCESS.search, map(element_label, page.texts)))


def payment_sentence(amount: str, payee: str) -> str:
    """What a payment would do, in one sentence for the user; amount and payee as the screen tells them."""
    unknown = _("Pays or orders; the screen does not tell the amount")
    what = _("Pays {amount}").format(amount=amount) if amount else unknown
    return _sentence(_("{what}, to {payee}").format(what=what, payee=payee) if payee else what)


def find_sent_text(kind: ActionKind, page: Page, typed: str = "") -> str:
    """What would be sent: the page's fields, or the text that stands before what is typed, with that."""
    filled = [field for field in page.filled_fields if kind is ActionKind.SEND and not field.password]
    kept = (f.text for f in filled if not typed or (f.focused and not asks_for_message(f.text)))
    return "\n".join(filter(None, (*kept, typed)))


def is_call(label: str) -> bool:
    """Whether a label is about a call."""
    return bool(_CALL.search(label)) or "call" in label or "dial" in label


def describe_effect(kind: ActionKind, page: Page, element: Element | None) -> str:
    """What the action would do, in one sentence for the user."""
    app = page.observation.app.title
    label = ""
    if element is not None:
        label = Target(resource_id=element.resource_id, text=page.observation.label_of(element)).name
    match kind:
        case ActionKind.PAY:
            return payment_sentence(find_amount(page, element), find_recipient(page, kind, element))
        case ActionKind.SEND:
            calls = is_call(label)
            whom = find_recipient(page, kind, element)
            if calls:
                return _sentence(_("Calls {whom}").format(whom=whom) if whom else _("Makes a call"))
            to, within = _("Sends to {whom}"), _("Sends in {app}")
            return _sentence(to.format(whom=whom) if whom else within.format(app=app))
        case ActionKind.DELETE:
            asked = " ".join(find_entry(page, element) or page.question_for(element)[:2])
            # A page that edits something says in its fields what that is: “Edit alarm: 06 · 30”.
            filled = [] if page.is_dialog else page.filled_fields[:_MOST_IN_ROW]
            values = " · ".join(" ".join(field.text.split())[:_LONGEST_WORDS] for field in filled)
            asked = f"{asked}: {values}" if asked and values and values not in asked else asked or values
            what = f"{label} ({asked})" if label and asked else label or asked
            if names_ending(label):
                return _sentence(_("Ends, leaves or turns down: {what}").format(what=what))
            return _sentence(_("Deletes or cancels: {what}").format(what=what))
        case ActionKind.INSTALL:
            return _sentence(
                _("Installs or updates: {what}").format(
                    what=" ".join((find_entry(page, element) or page.question_for(element))[:1])
                    or page.heading
                    or app
                )
            )
        case ActionKind.GRANT:
            asked = " ".join([*page.question_for(element)[:2], *find_entry(page, element)])
            return _sentence(_("Grants a permission: {what}").format(what=asked or label))
        case ActionKind.SECURITY:
            setting = (
                label
                or " ".join(page.row_labels(element) if element else ())
                or " ".join(page.question_for(element)[:2])
            )
            return _sentence(_("Changes a security setting: {what}").format(what=setting))
        case ActionKind.PASSWORD:
            return _sentence(_("Enters a password or code in {app}").format(app=app))


_ENDS = (".", "?", "!", "。", "？", "！", "…")


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > _LONGEST:
        return f"{text[: _LONGEST - 1]}…"
    return text if text.endswith(_ENDS) else _("{text}.").format(text=text)


_LONGEST_END, _MOST_END_WORDS, _LONGEST_TITLE = 40, 6, 40
_ENDS_IT, _BEGINS = pattern("ends_running"), pattern("begins_running")
_BARE, _RUNS = pattern("ends_barely"), pattern("tells_of_running")
_DECLINES, _COMES_IN = pattern("declines_call"), pattern("tells_of_incoming")
_CALL_APPS = lazy_regex(r"dialer|incall|telecom|\.phone\b|contacts")
_IDS = lazy_regex(r"(?:^| )(?:" + pattern("ends_running_ids").pattern + r")(?: |$)")


def ends_running(text: str) -> bool:
    """Whether a label ends a call, a meeting, a recording, a navigation or a cast, in any language."""
    if (
        len(text) > _LONGEST_END
        or len(text.split()) > _MOST_END_WORDS
        or text.rstrip().endswith(("?", "？", "؟"))
    ):
        return False
    if _ENDS_IT.search(normalize_label(text)):
        return True
    return lexicon().mentions(text, Sense.STOPS) and not lexicon().mentions(text, Sense.NEGATES)


def begins_running(text: str) -> bool:
    """Whether a label begins something of that kind: “Start”, “Record”, “Join”, “Directions”."""
    return any(map(_BEGINS.search, _ways(text)))


def _ways(text: str) -> tuple[str, str]:
    return fold(text), normalize_label(text)


def kind_of_ending(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """A deletion, where a control ends something that runs, or turns down a call; None elsewhere."""
    if page.contains_switch(element) or page.is_of_settings or (page.is_row(element) and len(labels) > 1):
        return None
    if _IDS.search(" ".join(id_words(element.resource_id))):
        return ActionKind.DELETE
    label = labels[0] if labels else ""
    bare = _ends_barely(label) and page.once(_tells_of_running)
    declines = any(map(_DECLINES.fullmatch, _ways(label))) and page.once(_tells_of_incoming)
    return ActionKind.DELETE if bare or declines or ends_running(label) else None


def names_ending(label: str) -> bool:
    """Whether the label of what deletes says that it ends, leaves or turns down something."""
    return ends_running(label) or _ends_barely(label) or any(map(_DECLINES.fullmatch, _ways(label)))


def _ends_barely(label: str) -> bool:
    return _BARE.fullmatch(normalize_label(label)) is not None


def _tells_of_running(page: Page) -> bool:
    return _tells(page, _RUNS)


def _tells_of_incoming(page: Page) -> bool:
    return _tells(page, _COMES_IN)


def _tells(page: Page, words: re.Pattern[str]) -> bool:
    """Whether a short text of a page that is no control says so."""
    texts = (element_label(e) for e in page.texts if not e.clickable)
    return any(len(text) <= _LONGEST_TITLE and any(map(words.search, _ways(text))) for text in texts)


def _is_running(page: Page) -> bool:
    """Whether a control of a page would end something that runs."""
    return any(kind_of_ending(page, e, page.labels(e)) for e in page.clickables)


class Begun:
    """What a turn began itself, and may end unasked: each once, and only where nothing ran before."""

    def __init__(self) -> None:
        self._packages: set[str] = set()
        self._calls = 0

    def note_touch(self, action: Action, page: Page) -> None:
        """Something harmless was done on a page: a tap on “Start” begins what runs in that app."""
        element = page.observation.element_at(action.point) if isinstance(action, Click) else None
        if element is None:
            return
        words = [*page.labels(element)[:1], " ".join(id_words(element.resource_id))]
        if any(map(begins_running, words)) and not page.once(_is_running):
            self._packages.add(page.observation.app.package)

    def note_deed(self, deed: Deed, page: Page) -> None:
        """A deed was done: what sends no text may be a call; what ends one ends it."""
        if deed.kind is ActionKind.SEND and not deed.text and not page.once(_is_running):
            self._calls += 1
            self._packages.add(deed.package)
        elif self.may_end(deed):
            self._packages.discard(deed.package)
            self._calls = max(0, self._calls - 1)

    def may_end(self, deed: Deed) -> bool:
        """Whether a deed only ends what the turn began, in its app; a call, also in the phone's own."""
        label = deed.text.split(" · ")[0]
        if deed.kind is not ActionKind.DELETE or not (ends_running(label) or _ends_barely(label)):
            return False
        in_call = self._calls > 0 and _CALL_APPS.search(deed.package) is not None
        return in_call or deed.package in self._packages

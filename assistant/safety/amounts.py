"""The amounts of money that a page shows or takes: its own, the sum, what is offered for one, a price.

And the row of a list that a control acts on, whose price may be one of several on the page; the currencies
of amounts, and what `--yes` allows of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise

from assistant.events import ActionKind, Deed
from assistant.files import lazy_regex
from assistant.i18n import _
from assistant.records import Element
from assistant.safety.lexicon import Sense, fold, normalize_label, prose
from assistant.safety.page import Page, element_label
from assistant.safety.wording import (
    asks_to_slide,
    classify_label,
    classify_question,
    has_amount,
    id_words,
    is_bare_amount,
    is_refusal,
    is_search_field,
    is_total,
    match_amount,
    names_price,
    pattern,
    text_before_amount,
    word_map,
)

_NUMBER = lazy_regex(r"\d(?:[\d.,' ]*\d)?")
_SIGNS_OF_NUMBERS = str.maketrans({"’": "'", "٬": ",", "٫": "."})
_SCALES = {
    word: Decimal(times) for times, words in word_map("number_scales").items() for word in words.split()
}
_SCALE = lazy_regex(r"\s?([^\W\d_]+)")
_RANGE = pattern("amount_range")


def amount_of(text: str) -> Decimal | None:
    """The number in an amount of money, of a range the larger one; None if there is none.

    “1,234.50” and “1.234,50” are the same, and “3万” is thirty thousand.
    """
    plain = _plain(text)
    values = [_value_of(plain, match) for match in _NUMBER.finditer(plain)]
    is_range = len(values) > 1 and _RANGE.search(plain) is not None
    amounts = [value for value in values[: 2 if is_range else 1] if value is not None]
    return max(amounts, default=None)


def sum_amounts(amounts: Iterable[str]) -> list[str]:
    """The sum of some amounts in each currency, written as its first; one without a number adds nothing."""
    sums: dict[str, Decimal] = {}
    for amount in amounts:
        if (value := amount_of(amount)) is not None:
            alike = (each for each in sums if each == amount or is_same_currency(each, amount))
            written = next(alike, amount)
            sums[written] = sums.get(written, Decimal()) + value
    forms = {each: _NUMBER.sub(f"{total:f}", _plain(each), count=1) for each, total in sums.items()}
    return [
        form
        if amount_of(form) == sums[each]
        else f"{sums[each]:f} {_unit(each)}"  # “3万” is multiplied twice.
        for each, form in forms.items()
    ]


def tell_paid(deeds: Iterable[Deed]) -> str:
    """A sentence with the sum of what was surely paid; empty where no amount is known."""
    amounts = [deed.amount for deed in deeds if deed.kind is ActionKind.PAY and not deed.maybe]
    sums = " + ".join(sum_amounts(amounts))
    return (_("{sum} in all.") if len(amounts) > 1 else _("{sum}.")).format(sum=sums) if sums else ""


def is_no_larger(amount: str, limit: str) -> bool:
    """Whether an amount is known, in the same currency, and not above another."""
    value, most = amount_of(amount), amount_of(limit)
    return value is not None and most is not None and value <= most and is_same_currency(amount, limit)


def is_same_amount(amount: str, other: str) -> bool:
    """Whether two amounts are the same and may be in one currency."""
    value = amount_of(amount)
    shared = currencies_of(amount) & currencies_of(other)
    return value == amount_of(other) and (bool(shared) or _unit(amount) == _unit(other))


def is_same_currency(amount: str, other: str, home: str = "") -> bool:
    """Whether two amounts, or an amount and a bare currency, are surely in one currency.

    They are where both write it in the same way, or where it can be told for each which currency that is.

    Args:
        amount: an amount as the screen writes it.
        other: the same, or a currency alone, such as “USD” or “元”.
        home: the currency of the phone's country, by its code; it settles which one a sign such as “$” means.
    """
    units = _unit(amount), _unit(other)
    codes = currency_of(amount, home), currency_of(other, home)
    return "" not in units and (units[0] == units[1] if "" in codes else codes[0] == codes[1])


def currency_of(amount: str, home: str = "") -> str:
    """The code of the currency that an amount is in; empty where none, or none of several, can be told."""
    codes = currencies_of(amount)
    return home if home in codes else min(codes) if len(codes) == 1 else ""


def currencies_of(amount: str) -> frozenset[str]:
    """The codes of the currencies that an amount may be in: of several for “$”, of none for a bare number."""
    possible = [codes for part in _unit(amount).split() if (codes := _CURRENCIES.get(part))]
    return frozenset.intersection(*possible) if possible else frozenset()


def currency_of_region(region: str) -> str:
    """The currency that is paid in in a country, by the codes of both; empty where it is not known."""
    return _REGIONS.get(region.casefold(), "")


def _unit(amount: str) -> str:
    """What an amount writes beside its number, without the words that multiply it, and once: “us$”, “元”."""
    text = _SCALES_BEFORE.sub(" ", _NUMBER.sub(" ", _plain(amount)).casefold())
    parts = (part.strip(".,:-–—~～至") for part in text.split())
    return " ".join(dict.fromkeys(part for part in parts if part and part not in _SCALES))


def _by_word(name: str) -> dict[str, frozenset[str]]:
    """The codes that `name` of the words has, by each of the words."""
    codes: dict[str, set[str]] = defaultdict(set)
    for code, words in word_map(name).items():
        for word in unicodedata.normalize("NFKC", words).casefold().split():
            codes[word].add(code)
    return {word: frozenset(each) for word, each in codes.items()}


_CURRENCIES = _by_word("currencies")
_REGIONS = {region: min(codes) for region, codes in _by_word("regions_of_currencies").items()}
_SCALES_BEFORE = lazy_regex("[千万萬亿億천만억]")


def _plain(text: str) -> str:
    """An amount with the signs of plain digits."""
    return unicodedata.normalize("NFKC", text).translate(_SIGNS_OF_NUMBERS)


def _value_of(text: str, match: re.Match[str]) -> Decimal | None:
    digits = re.sub("[' ]", "", match[0])
    decimal = max(digits.rfind("."), digits.rfind(","))
    if decimal >= 0 and len(digits) - decimal - 1 in (1, 2):
        digits = f"{re.sub('[.,]', '', digits[:decimal])}.{digits[decimal + 1 :]}"
    else:
        digits = re.sub("[.,]", "", digits)
    scale = _SCALE.match(text, match.end())
    try:
        return Decimal(digits) * _scale_of(scale[1] if scale else "")
    except InvalidOperation:
        return None


def _scale_of(word: str) -> Decimal:
    """What the word behind a number multiplies it by; Chinese and Korean write it before the currency."""
    folded = word.casefold()
    return _SCALES.get(folded) or _SCALES.get(folded[:1] if folded > "\u0fff" else "", Decimal(1))


_ALLOWANCE = lazy_regex(r"\s*([a-z]+)\s*(?::\s*(\d{1,3}))?\s*(?:<=\s*(.{1,40}?))?\s*")
_LIMIT = lazy_regex(r"([^\d.,]*?)\s*(\d{1,9}(?:\.\d{1,2})?)\s*([^\d.,]*)")


@dataclass(frozen=True, slots=True)
class Allowance:
    """What `--yes` allows: a kind, how many deeds of it, and the largest amount of each.

    `currency` is that of the limit as it was written, such as “USD” or “¥”; without one it is the currency of
    the phone's country. A deed whose amount or currency the screen does not tell is above the limit.
    """

    kind: ActionKind
    count: int = 1
    most: Decimal | None = None
    currency: str = ""

    @property
    def needs_currency(self) -> bool:
        """Whether it has a limit without a currency."""
        return self.most is not None and not self.currency

    def covers(self, deed: Deed, home: str = "") -> bool:
        """Whether a deed is of this kind, and no larger.

        One that was read from the picture is an unseen one: only leave to pay any amount covers it.

        Args:
            deed: the deed.
            home: the currency of the phone's country, or an amount in it; empty where it is not known.
        """
        if deed.kind is not self.kind:
            return False
        if deed.from_picture:
            return deed.kind is ActionKind.PAY and self.most is None
        value = amount_of(deed.amount)
        if self.most is None:
            return True
        return value is not None and value <= self.most and self.is_in_currency(deed, home)

    def is_in_currency(self, deed: Deed, home: str = "") -> bool:
        """Whether the amount of a deed is in the currency of the limit, as far as that is known."""
        unit = self.currency or home
        return not unit or is_same_currency(deed.amount, unit, home)


def parse_allowance(words: str) -> Allowance:
    """The allowance of `--yes`: “pay” is one payment, “pay:2” two, “pay<=50 USD” one of at most 50 dollars.

    Raises:
        ValueError: it is none; the message says what can be given.
    """
    match = _ALLOWANCE.fullmatch(words.casefold())
    limit = _LIMIT.fullmatch(unicodedata.normalize("NFKC", match[3])) if match and match[3] else None
    units = [unit.strip() for unit in limit.group(1, 3)] if limit else []
    is_limit = not (match and match[3]) or (all(map(currencies_of, filter(None, units))) and "" in units)
    if match is None or match[1] not in set(ActionKind) or not is_limit:
        raise ValueError(
            _(
                "“{words}” is no approval. Give one of {kinds}, such as pay, pay:2, pay<=50 or pay<=50 USD."
            ).format(words=words, kinds=", ".join(ActionKind))
        )
    count = int(match[2]) if match[2] else 1
    if count < 1:
        raise ValueError(_("“{words}” allows nothing: the number must be at least 1.").format(words=words))
    most = Decimal(limit[2]) if limit else None
    return Allowance(ActionKind(match[1]), count, most, "".join(units))


_AMOUNT_IDS = ("amount", "total", "sum", "price", "payable")
_LEAST_SEEN = 0.004
_DISCOUNT = pattern("discount")
_ADVERTISES = pattern("advertises")
"""What may stand beside a discount that is only told of; with any other words a button pays what is left."""


_MOST_OF_ENTRY = 3
_LISTS = ("ListView", "RecyclerView")


def find_entry(page: Page, element: Element | None) -> list[str]:
    """The first words of the row that a control stands in, where others like it may stand: “Photo A”.

    So it is in a list, and where the page has another control with the same words. Empty elsewhere, and for
    a row that is a control as a whole: its own words tell it from others.
    """
    if element is None or element.editable:
        return []
    listed = any(holder.class_name.endswith(_LISTS) for holder in page.ancestors(element, _LEVELS_TO_LIST))
    if not listed and page.once(_likenesses)[_words_or_id(page, element)] < 2:
        return []
    own = page.labels(element)
    words = page.row_labels(element) or [element_label(e) for e in page.texts if _in_line(e, element)]
    lines = (" ".join(text.split()) for text in words if text not in own)
    return list(dict.fromkeys(line for line in lines if any(map(str.isalnum, line))))[:_MOST_OF_ENTRY]


_LEVELS_TO_LIST = 4


def _likenesses(page: Page) -> Counter[object]:
    """How many controls have the same words, or without words the same id."""
    return Counter(_words_or_id(page, e) for e in page.clickables)


def _words_or_id(page: Page, element: Element) -> object:
    return tuple(page.labels(element)[:1]) or (element.class_name, element.resource_id)


def _in_line(text: Element, element: Element) -> bool:
    return element.bounds.top <= text.bounds.centre[1] < element.bounds.bottom


def find_amount(page: Page, element: Element | None = None) -> str:
    """The amount of money that the page is about; empty if there is none, or several and none is the total.

    An amount in the element's own labels comes first, then the one of its row, then one whose id or words
    mark it as the total.
    """
    own = _DISCOUNT.sub("", " ".join(page.labels(element))) if element else ""
    if match := match_amount(own):
        return _amount(match)
    of_row = {_amount(match) for text in find_entry(page, element) if (match := match_amount(text))}
    if len(of_row) == 1:
        return of_row.pop()
    if total := find_total(page):
        return total
    amounts = {_amount(match) for shown in page.once(_texts_in_sight) if (match := match_amount(shown.text))}
    return amounts.pop() if len(amounts) == 1 else ""


def find_total(page: Page) -> str:
    """The amount that the page marks as the sum, by its id, words or the text before; empty if none."""
    texts = page.once(_texts_in_sight)
    marked = [
        _amount(match)
        for shown in texts
        if (match := match_amount(shown.text))
        and (not shown.names.isdisjoint(_AMOUNT_IDS) or is_total(shown.text))
    ]
    if marked:
        return marked[-1]
    for before, shown in pairwise(texts):
        match = match_amount(shown.text)
        if match and is_total(before.text):
            return _amount(match)
    return ""


@dataclass(frozen=True, slots=True)
class _ShownText:
    """A text in sight, and the last parts of the ids of its elements."""

    text: str
    names: frozenset[str]


_CURRENCY, _FRACTION = lazy_regex(pattern("bare_currency").pattern, re.IGNORECASE), lazy_regex(r"[.,]\d{1,2}")
_WHOLE_NUMBER = lazy_regex(r"\d[\d.,'’\u00a0\u202f ]*")


def _texts_in_sight(page: Page) -> list[_ShownText]:
    """The texts that a person sees; a price in pieces is one, as “¥”, “1299” and “.00” beside each other.

    Apps write the sign and the cents smaller, as texts of their own. Read alone they are no amount, and
    another one on the page would be taken for the only one.
    """
    shown: list[_ShownText] = []
    pieces: list[Element] = []
    for e in [*page.once(in_sight), None]:
        if e is not None and pieces and _goes_on(pieces, e):
            pieces.append(e)
            continue
        if pieces:
            text = "".join(element_label(piece).strip() for piece in pieces) if pieces[1:] else ""
            names = frozenset(piece.resource_id.rpartition("/")[2] for piece in pieces)
            shown.append(_ShownText(text or element_label(pieces[0]), names))
        pieces = [e] if e is not None else []
    return shown


def _goes_on(pieces: list[Element], piece: Element) -> bool:
    """Whether a text is the next piece of a price: right behind it, and in its line."""
    before, words = pieces[-1], element_label(piece).strip()
    near = piece.bounds.left - before.bounds.right
    if not (before.bounds.top < piece.bounds.bottom and piece.bounds.top < before.bounds.bottom):
        return False
    if abs(near) > max(before.bounds.height, piece.bounds.height):
        return False
    start = element_label(pieces[0]).strip()
    if len(pieces) == 1 and _CURRENCY.fullmatch(start):
        return _WHOLE_NUMBER.fullmatch(words) is not None
    if _FRACTION.fullmatch(words):
        return _WHOLE_NUMBER.fullmatch(element_label(before).strip()) is not None or has_amount(start)
    whole = len(pieces) == 1 or not _CURRENCY.fullmatch(start)
    return whole and _CURRENCY.fullmatch(words) is not None and _WHOLE_NUMBER.match(start) is not None


def in_sight(page: Page) -> list[Element]:
    """The texts that a person can see: large enough, and on the screen."""
    screen, least = page.observation, _LEAST_SEEN * page.observation.height
    return [
        e
        for e in page.texts
        if min(e.bounds.right, screen.width) - max(0, e.bounds.left) >= least
        and min(e.bounds.bottom, screen.height) - max(0, e.bounds.top) >= least
    ]


def _amount(match: re.Match[str]) -> str:
    """An amount as it stands; a range with its second number, as the first is only what it begins at."""
    return match.string[match.start() : _end_of_range(match)].strip(" .,:\u00a0\u202f")


def _end_of_range(match: re.Match[str]) -> int:
    further = _RANGE.match(match.string, match.end())
    return further.end() if further else match.end()


def only_tells_discount(label: str) -> bool:
    """Whether a label advertises what is saved, and names no deed: “新人立减¥5”, but not “立减¥5 提交”."""
    rest, discounts = _DISCOUNT.subn("", label)
    return discounts > 0 and _ADVERTISES.fullmatch(rest) is not None


SHARE, _TIP, _OTHER_TIPS = lazy_regex(r"\d{1,2} ?%"), pattern("tip"), pattern("other_tips")
"""A share of a sum such as “20%”, what says that it is a tip, and what gives another one or none."""


def adds_tip(page: Page, element: Element) -> bool:
    """Whether a share such as “20%” is a tip that no button below it gives."""
    below = (e for e in page.clickables if e.bounds.top >= element.bounds.bottom and page.labels(e))
    words = [w for e in below if not SHARE.fullmatch(w := normalize_label(page.labels(e)[0]))]
    gives = any(not is_refusal(w) and not _OTHER_TIPS.fullmatch(w) for w in words)
    return not gives and any(_TIP.search(text) for text in page.normal_texts)


_OPTION, _FACTS = pattern("tells_of_amount"), lazy_regex(r"\s[·•|]\s")
_LONGEST_LABEL, _MANY_FACTS = 36, 2


def names_amount(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a label has an amount and is that of a button; a sum alone is one only in a button's class."""
    if labels and not page.is_button(element) and is_bare_amount(labels[0]):
        return False
    whole = len(labels) == 1 and len(labels[0]) <= _LONGEST_LABEL and has_amount(labels[0])
    # One of several alike may tell of an offer: by its facts (“₹239 · 28 days · 1.5 GB”), or above what pays.
    if whole and not page.is_button(element) and page.once(_alike)[_likeness(element)] > 1:
        whole = len(_FACTS.split(labels[0])) <= _MANY_FACTS and not _is_offer(page, element, labels[0])
    if whole and page.is_list_entry(element):
        return False
    return whole and (page.is_single_label(element) or not page.is_row(element))


def _alike(page: Page) -> Counter[tuple[object, ...]]:
    """How many clickable elements of one likeness have a label with an amount that names no deed."""
    priced = ((e, w[0]) for e in page.clickables if (w := page.labels(e)) and has_amount(w[0]))
    return Counter(_likeness(e) for e, text in priced if not classify_label(text))


def _likeness(element: Element) -> tuple[object, ...]:
    return element.class_name, element.bounds.width, element.bounds.height


def _is_offer(page: Page, element: Element, text: str) -> bool:
    """Whether a label names no deed, and one below does that pays: it is chosen for that."""
    paying = (e for e, _words, kind in page.label_kinds if kind is ActionKind.PAY and not e.checkable)
    return not classify_label(text) and any(e.bounds.top >= element.bounds.bottom for e in paying)


def is_option(text: str) -> bool:
    """Whether a label with an amount only tells of it: a price from, a discount, a total."""
    before = text_before_amount(text)
    return any(_OPTION.match(words.strip(" ,:：")) for words in (normalize_label(before), fold(before)))


_PRICE_IDS = frozenset({"price", "fare", "total", "amount", "payable", "cost", "fee"})
_BESIDE = 1.5
"""How far the word for a price may stand from its number, in heights of the number."""
_LONGEST_PRICE = 24
_STEP = lazy_regex(r"(?<![\d/.])([2-9])\s?(?:/|[^\W\d]{1,4})\s?\1(?![\d/.])")


def shows_price(page: Page) -> bool:
    """Whether a page shows a price in whatever currency, by the word for one at a number.

    The word stands above, below or in line with the number, or in the id of the number's element.
    """
    numbers = [
        e for e in page.texts if len(t := element_label(e)) <= _LONGEST_PRICE and any(map(str.isdecimal, t))
    ]
    words = [e for e in page.texts if names_price(element_label(e)) or is_total(element_label(e))]
    return any(
        not _PRICE_IDS.isdisjoint(id_words(number.resource_id))
        or any(word is number or _stands_at(number, word) for word in words)
        for number in numbers
    )


def shows_sum(page: Page) -> bool:
    """Whether a page shows money, or a price in whatever currency."""
    return any(has_amount(element_label(e)) for e in page.texts) or page.once(shows_price)


def _stands_at(number: Element, word: Element) -> bool:
    """Whether a word stands right above, below or in line with a number."""
    reach = _BESIDE * number.bounds.height
    gap = max(word.bounds.top - number.bounds.bottom, number.bounds.top - word.bounds.bottom)
    in_column = word.bounds.left < number.bounds.right and number.bounds.left < word.bounds.right
    in_line = abs(word.bounds.centre[1] - number.bounds.centre[1]) < number.bounds.height / 2
    return in_line or (in_column and gap <= reach)


def is_last_step(page: Page) -> bool:
    """Whether a page says that it is the last of several steps: “3/3”, “Step 3 of 3”."""
    return any(_STEP.search(element_label(e)) for e in page.texts if len(element_label(e)) <= _LONGEST_PRICE)


def asks_to_check(page: Page) -> bool:
    """Whether a line at the top of a page asks to check what is then ordered or handed in."""
    top = (e for e in page.texts if e.bounds.top < _CHECKED * page.observation.height and not e.clickable)
    lines = (element_label(e) for e in top)
    return any(len(text) <= _LONGEST_LINE and _ASKS_TO_CHECK.search(fold(text)) for text in lines)


_ASKS_TO_CHECK, _CHECKED, _LONGEST_LINE = pattern("asks_to_check"), 0.3, 60


_SUM = lazy_regex(r"^[¥￥$€£₹]?\s?\d[\d,.]*\s?(?:元|块|usd|eur)?$")


def takes_sum(page: Page) -> bool:
    """Whether a field has a sum in it, or asks for one by its hint."""
    if any(_SUM.match(normalize_label(field.text)) for field in page.filled_fields):
        return True
    fields = (e for e in page.elements if e.editable and not (e.password or is_search_field(e)))
    return any(is_total(f"{field.hint} {field.text}") for field in fields if not has_amount(field.text))


def asks_to_pay(page: Page) -> bool:
    """Whether the heading of a page asks for a payment, and an amount stands on it."""
    return classify_question([page.heading]) is ActionKind.PAY and page.once(find_amount) != ""


def ask_slider(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """The kind of a wide label that is slid, and shows nothing by that, on a page with an amount.

    “Slide” alone is one of any width, where the page has one amount.
    """
    if not labels or not asks_to_slide(labels[0]):
        return None
    if len(labels[0].split()) == 1 and page.once(find_amount):
        return ActionKind.PAY
    slider = element.bounds.width >= _SLIDER * page.observation.width and not page.is_row(element)
    pays = slider and Sense.VIEWS not in prose().senses(labels[0]) and page.once(shows_sum)
    return ActionKind.PAY if pays else None


def kind_in_doubt(page: Page) -> ActionKind:
    """The kind that an unknown button is asked about as: a payment where the page has a sum, else sending."""
    return ActionKind.PAY if page.once(find_amount) else ActionKind.SEND


_COUNT = lazy_regex(r"\W*(?:[^\W\d]{1,6}\W*)?\d[\d.,]*\W*(?:[^\W\d]+\W*){0,2}")
_MOST_BESIDE_SUM, _LONGEST_TOTAL, _SLIDER = 4, 14, 0.7


def label_beside_sum(page: Page, element: Element, labels: list[str]) -> str:
    """The one label of a bar that holds a sum or a count beside it, as “2 items”, “Pay”; else empty.

    Rows of a list have a price beside a name, so an element with others like it is none. Nor is one with a
    picture and a count that sends: it tells of pictures that were sent.
    """
    if not 1 < len(labels) <= _MOST_BESIDE_SUM or len(page.siblings(element)) > 1:
        return ""
    words = [text for text in labels if not _tells_sum(text)]
    if page.contains_picture(element) and any(classify_label(text) is ActionKind.SEND for text in words):
        return ""
    return words[0] if len(words) == 1 else ""


def _tells_sum(text: str) -> bool:
    """Whether a text is a sum, a count or the word beside one, and names no deed."""
    label = normalize_label(text)
    if classify_label(text):
        return False
    return (
        is_bare_amount(text)
        or _COUNT.fullmatch(label) is not None
        or (is_total(text) and len(label) <= _LONGEST_TOTAL)
    )


def figures_in(text: str) -> set[str]:
    """The figures of a text without separators: “1,288.50” and “1288.5” are the same."""
    return set(map(_plain_figure, _FIGURE.findall(text)))


_FIGURE = lazy_regex(r"\d+(?:[.,:/-]\d+)*")


def _plain_figure(figure: str) -> str:
    whole, point, part = figure.rpartition(".")
    digits = f"{whole}.{part.rstrip('0')}" if point and len(part) <= 2 else figure
    return re.sub(r"[,]", "", digits).strip(".") or "0"

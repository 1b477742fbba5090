"""What a label means on its page, where its own words are too vague.

By the labels around it: “Turn off” below “Two-step verification” changes a security setting, “Get” in an app
store installs, and “Subscribe” on a page without an amount only follows.

By what the page commits to: “Submit”, “Confirm transfer out” or “Schedule” on a page with an amount of money
pays it, and below filled fields sends them. Buttons that only lead on (“Edit”, “View statements”) are
recognized by their first words, and entries of a menu by the others alike in their line, or in a bar of tabs.
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.events import ActionKind
from assistant.files import lazy_regex
from assistant.records import Element
from assistant.safety import wording
from assistant.safety.amounts import (
    asks_to_check,
    asks_to_pay,
    find_amount,
    find_total,
    is_last_step,
    label_beside_sum,
    shows_price,
    shows_sum,
    takes_sum,
)
from assistant.safety.effects import (
    SETTLES,
    WIDE,
    ends_order,
    has_payment_below,
    is_call,
    pay_buttons,
    pays_for_choice,
    views_order,
)
from assistant.safety.layout import (
    AT_ONCE,
    FEWEST_TABS,
    alike_in_line,
    closes_dialog,
    filters_list,
    has_tabs,
    is_advertised,
    is_alike,
    is_choice_for_button,
    is_choice_in_form,
    is_in_menu,
    is_in_tab_bar,
    is_link_in_line,
    is_list_line,
    is_small_at_the_bottom,
    is_tile,
    is_within_line,
    leads_from_home,
    leads_from_tabs,
    leaves_with_count,
    lines_of_controls,
    names_entry,
    opens_app,
    shows_picture,
    stands_in_field,
)
from assistant.safety.lexicon import Sense, fold, lexicon, normalize_label
from assistant.safety.page import Page, element_label
from assistant.safety.page_sentences import (
    classify_prompt,
    closes_receipt,
    is_main_button,
    names_sum_of,
    only_shows,
    shows,
)
from assistant.safety.secret_entry import erases_entry, is_below_dial_pad, signs_in, takes_code
from assistant.safety.wording import has_amount, is_total

_SHORT, _LINE = 14, 0.15
"""The most height of a line of small buttons, as a share of the screen's."""
_REVEALS, _TOGGLES = wording.pattern("reveals"), wording.pattern("toggles")
_BARE_REMOVAL, _CART = wording.pattern("bare_removal"), wording.pattern("cart")
_NAMES_CART, _LEAVES_CART = wording.pattern("names_cart"), wording.pattern("leaves_cart")
_ADDRESS = lazy_regex(r"\+?\d[\d ()-]{5,18}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PROTECTING_APPS = ("vpn", "antivirus", "firewall")
"""What stands in the names of packages whose one switch is a protection."""
_RESTARTS, _OF_UPDATES = wording.pattern("restarts"), wording.pattern("about_updates")
_OF_VERSIONS, _GETS_VERSION = wording.pattern("about_versions"), wording.pattern("gets_version")
"""What a button says that installs the version that the page tells of."""
_GETS, _OF_APPS = wording.pattern("gets_app"), wording.pattern("about_apps")
_STORES = ("appstore", "vending", "market.", ".market", "appgallery", "fdroid", "yingyong")
_ASKS_SYSTEM = wording.pattern("asks_for_permission")
"""What has an app ask for a permission, which only the phone itself can grant, in a dialog of its own."""
_LOGS_IN, _ELSEWHERE = wording.pattern("logs_in"), wording.pattern("login_elsewhere")
_ANSWERS, _ASKED = wording.pattern("answers_request"), wording.pattern("is_requested")
_SUBMITS, _VERIFIES = wording.pattern("submits"), wording.pattern("verifies")
_OF_LOCKS, _NO_LOCK = wording.pattern("screen_lock"), wording.pattern("no_screen_lock")
_JOINS_PEOPLE, _WRITES = wording.pattern("befriends"), wording.pattern("opens_chat")
_INVITES, _BARE_MONEY = wording.pattern("invites"), wording.pattern("bare_money_verbs")
_FOLLOWS, _PUBLISHES = wording.pattern("follows"), wording.pattern("publishes")
_GIVES, _GIFTS = wording.pattern("gives"), wording.pattern("gifts")
_FOR_CHOICES, _METHODS = wording.pattern("titles_of_choices"), wording.pattern("payment_methods")
_PICKS_UP, _RINGS = wording.pattern("picks_up"), wording.pattern("rings")
_CALLS = "通话"
_SAYS_WHOM_TO_CALL = lazy_regex(r"^\+?\d[\d ()-]{5,18}$|^(?:语音|视频)(?:通话)?$")
"""The noun for a call names the list of calls, too; beside a number or other ways to call it calls."""


def classify_by_label_context(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """The kind of a vague label by the page's title and the labels around it; None if they do not tell."""
    if not labels:
        return None
    label = normalize_label(labels[0])
    if kind := _classify_toggle(page, element, label):
        return kind
    if _NO_LOCK.match(label) and _OF_LOCKS.search(normalize_label(page.title)):
        return ActionKind.SECURITY
    if page.is_row(element) and len(labels) > 1:
        return None
    if (_VERIFIES.match(label) or wording.is_agreement(labels[0])) and page.once(takes_code):
        return ActionKind.PASSWORD
    texts = page.normal_texts
    if _installs(page, labels[0], texts):
        return ActionKind.INSTALL
    if _LOGS_IN.match(label) and any(map(_ELSEWHERE.search, texts)):
        return ActionKind.GRANT
    if _ANSWERS.match(label) and _ASKED.search(normalize_label(page.title)):
        return ActionKind.PAY if page.once(find_amount) else ActionKind.SEND
    if _SUBMITS.match(label):
        return ActionKind.PAY if page.once(find_amount) else None if page.once(signs_in) else ActionKind.SEND
    if _GIVES.match(label) and any(map(_GIFTS.search, texts)) and not is_in_menu(page, element, labels):
        return ActionKind.PAY
    if _reaches_person(page, element, labels[0]):
        return ActionKind.SEND
    return _classify_by_title_start(page, label)


def _calls(page: Page, text: str) -> bool:
    """Whether a label that may stand for a call does: the noun beside whom to call, an answer to a ring."""
    label = normalize_label(text)
    if label == _CALLS and any(map(_SAYS_WHOM_TO_CALL.search, page.normal_texts)):
        return True
    answers = _PICKS_UP.match(label) or lexicon().means(text, Sense.ANSWERS) or wording.is_agreement(text)
    return bool(answers) and any(map(_RINGS.search, page.normal_texts))


def _reaches_person(page: Page, element: Element, text: str) -> bool:
    """Whether a label that may also name a page befriends, invites, follows or calls somebody."""
    label = normalize_label(text)
    if wording.is_agreement(text) and element.bounds.width >= WIDE * page.observation.width:
        return False
    joins = _JOINS_PEOPLE.match(label) and any(map(_WRITES.match, page.normal_texts))
    if joins or (_INVITES.match(label) and _like_labelled(page, text) > 1) or _calls(page, text):
        return True
    if page.is_dialog or page.is_tab(element) or not lexicon().means(text, Sense.FOLLOWS):
        return False
    # Among others alike with words of their own, or called a tab beside another, it is a tab of a feed.
    if any(text in words and len(words) > 1 for words in page.names_of_tabs):
        return False
    line = (e for e in page.once(lines_of_controls)[element.bounds.top] if is_alike(e, element))
    others = {words[0] for e in (*line, *page.siblings(element)) if (words := page.labels(e))} - {text}
    return len(others) < FEWEST_TABS - 1


def _like_labelled(page: Page, text: str) -> int:
    """How many elements have this label: where it stands beside each of several names, it acts on each."""
    return sum(page.labels(e)[:1] == [text] for e in page.clickables)


def _installs(page: Page, text: str, texts: list[str]) -> bool:
    """Whether a label gets or updates an app, or restarts the phone for an update."""
    label = normalize_label(text)
    if _RESTARTS.match(label) and any(map(_OF_UPDATES.search, texts)):
        return True
    if _GETS_VERSION.match(label) and any(map(_OF_VERSIONS.search, texts)):
        return True
    if _is_app_store(page) and lexicon().means(text, Sense.GETS):
        return True
    return _GETS.match(label) is not None and (any(map(_OF_APPS.search, texts)) or _is_app_store(page))


def only_navigates(page: Page, element: Element, labels: list[str], kind: ActionKind) -> bool:
    """Whether a sensitive label only leads to the page where the action is done."""
    label = normalize_label(labels[0])
    if kind in (ActionKind.PAY, ActionKind.SEND) and (
        is_in_menu(page, element, labels) or is_choice_in_form(page, element, label)
    ):
        return True
    explained = page.is_of_settings and any(len(page.labels(e)) > 1 for e in page.siblings(element))
    if kind in (ActionKind.DELETE, ActionKind.SEND) and explained:
        return page.is_row(element)
    if kind is ActionKind.INSTALL:
        # Beside fields “Update” saves what is in them.
        return label == "update" and any(e.editable for e in page.elements) and not _is_app_store(page)
    if kind is ActionKind.PAY:
        return _leads_to_payment(page, element, labels)
    if kind is ActionKind.SEND and _PUBLISHES.match(label) and not page.is_dialog:
        return is_in_tab_bar(page, element) and not any(e.editable for e in page.observation.elements)
    if kind is ActionKind.SECURITY and _REVEALS.match(label):
        return stands_in_field(page, element)
    if kind is ActionKind.GRANT:
        return _ASKS_SYSTEM.match(label) is not None and not page.is_of_phone
    if kind is ActionKind.DELETE:
        filters = not page.answers_question(element) and filters_list(page, element, labels[0])
        return filters or erases_entry(page, element) or _takes_out_of_cart(page, labels[0])
    return kind is ActionKind.SEND and not is_call(labels[0]) and _opens_composer(page, element, labels[0])


def _leads_to_payment(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a label about paying leads to it, or chooses how, and another element pays."""
    label = normalize_label(labels[0])
    if has_amount(labels[0]) or SETTLES.match(label):
        return False
    methods = page.is_row(element) and _METHODS.search(normalize_label(page.title))
    tile = is_tile(page, element) and not AT_ONCE.search(label)
    if methods or tile or _is_link_below_payment(page, element):
        return True
    bare = _BARE_MONEY.match(label) is not None and not page.is_dialog
    if (bare or page.is_row(element)) and has_payment_below(page, element):
        return True
    return bare and _opens_form_or_follows(page, element)


def leads_elsewhere(page: Page, element: Element, labels: list[str], kind: ActionKind) -> bool:
    """Whether what a control does by its words is not done there, told by where it stands.

    It names a thing in a list, chooses what a button then does, or leads to where that is done.
    """
    if names_entry(page, element, labels) or is_choice_for_button(page, element, kind):
        return True
    if kind is ActionKind.DELETE and closes_dialog(page, element):
        return True
    if kind is ActionKind.INSTALL and labels and _is_app_store(page) and opens_app(labels[0]):
        return True
    advertises = kind is ActionKind.PAY or (kind is ActionKind.SEND and labels and not is_call(labels[0]))
    advertises = advertises and not any(map(has_amount, labels[:1]))
    if advertises and (is_advertised(page, element) or shows_picture(page, element, labels)):
        return True
    if kind is ActionKind.PAY and (_leads_from_cart(page, labels) or leads_from_tabs(page, element)):
        return True
    return kind in (ActionKind.PAY, ActionKind.SEND) and leads_from_home(page, element, kind)


def _leads_from_cart(page: Page, labels: list[str]) -> bool:
    """Whether a control goes on from a cart, or to a page that it names, before address and means are set."""
    if not labels or page.is_dialog or ends_order(page, labels[0]):
        return False
    in_cart = _CART.fullmatch(fold(page.title)) is not None
    if has_amount(labels[0]):
        shown = shows(labels[0]) and not wording.classify_label(labels[0])
        before = wording.text_before_amount(labels[0]).strip(" ·•-:")
        opens = (shown and _NAMES_CART.search(fold(labels[0])) is not None) or views_order(before)
        return opens or wording.goes_to(before) or (in_cart and wording.goes_to(labels[0]))
    leaves = _LEAVES_CART.search(fold(labels[0])) or leaves_with_count(labels[0])
    return (in_cart and bool(leaves)) or wording.goes_to(labels[0])


def _is_link_below_payment(page: Page, element: Element) -> bool:
    """Whether a text stands below a button that pays and is twice as wide: it leads to another way to pay."""
    return element.class_name.endswith("TextView") and any(
        e.index in page.once(pay_buttons)
        and e.bounds.bottom <= element.bounds.top
        and e.bounds.width >= 2 * element.bounds.width
        for e in page.buttons
    )


def _takes_out_of_cart(page: Page, text: str) -> bool:
    """Whether a bare “Remove” stands in a cart or checkout, whose things are not bought yet.

    The tab that leads to the cart makes no cart of another page.
    """
    if _BARE_REMOVAL.fullmatch(fold(text)) is None or page.is_dialog:
        return False
    return bool(page.once(pay_buttons) and page.once(find_total)) or any(
        _CART.fullmatch(fold(element_label(e))) and not is_small_at_the_bottom(page, e) for e in page.texts
    )


def _opens_composer(page: Page, element: Element, text: str) -> bool:
    """Whether a label that sends only opens an empty message or a choice of people.

    So does “Message” on the card of a contact, which shows a number or an address, or beside other ways to
    reach somebody on a page without fields, and “Send” in the row below a post, between “Like” and “Comment”.
    """
    beside = next(_beside(page, element), None) is not None
    nowhere = page.once(_shows_address) or (beside and not (page.fields or page.is_dialog))
    if not page.filled_fields and wording.asks_for_message(text) and nowhere:
        return True
    return len(page.once(_reactions) & set(_beside(page, element))) >= _MANY_REACTIONS


def _shows_address(page: Page) -> bool:
    """Whether a page shows somebody's number or address."""
    return any(_ADDRESS.fullmatch(element_label(e).strip()) for e in page.texts)


def _reactions(page: Page) -> frozenset[int]:
    """The elements that react to a post."""
    return frozenset(
        e.index for e in page.clickables if (words := page.labels(e)) and wording.is_reaction(words[0])
    )


def _beside(page: Page, element: Element) -> Iterator[int]:
    """The other elements in the line of an element that take touches."""
    most = _LINE * page.observation.height
    for e in page.clickables:
        if e.index != element.index and e.bounds.top == element.bounds.top and e.bounds.height < most:
            yield e.index


def _classify_toggle(page: Page, element: Element, label: str) -> ActionKind | None:
    """The kind of “Turn off” by what stands above it, the page's title and the app that it turns off."""
    toggles = _TOGGLES.match(label) or lexicon().means(page.labels(element)[0], Sense.TOGGLES)
    if not toggles or erases_entry(page, element):
        return None
    app = " ".join(name for name in _PROTECTING_APPS if name in page.observation.app.package)
    for text in map(normalize_label, filter(None, (text_above(page, element), page.title, app))):
        if (kind := wording.classify_label(f"{label} {text}")) is not None:
            return kind
        if wording.concerns_security(text):
            return ActionKind.SECURITY
    return None


def _classify_by_title_start(page: Page, label: str) -> ActionKind | None:
    """The kind of the page's title if the label repeats its beginning: “Sign out” of all devices."""
    title = normalize_label(page.title)
    if not label or len(label) > _SHORT or title == label or not title.startswith(label):
        return None
    return wording.classify_label(page.title) or wording.classify_question([page.title])


def text_above(page: Page, element: Element) -> str:
    """The nearest text above an element or left of it, without its own."""
    own_indexes = {e.index for e in page.descendants(element)} | {element.index}
    before = [e for e in page.texts if e.index not in own_indexes and e.bounds.top < element.bounds.bottom]
    before = [
        e
        for e in before
        if e.bounds.bottom <= element.bounds.centre[1] or e.bounds.right <= element.bounds.left
    ]
    return element_label(max(before, key=lambda e: (e.bounds.bottom, e.index))) if before else ""


def _is_app_store(page: Page) -> bool:
    return any(name in page.observation.app.package for name in _STORES)


def _opens_form_or_follows(page: Page, element: Element) -> bool:
    """Whether a bare word such as “Donate” opens a form or follows: no amount is entered on the page."""
    if any(character.isdecimal() for field in page.filled_fields for character in field.text):
        return False
    label = normalize_label(page.labels(element)[0])
    # “Buy” beside “Sell” is a choice; beside another “Buy” each buys what it stands with.
    choices = any(
        normalize_label(page.labels(page.observation.elements[index])[0]) != label
        for index in page.once(_bare_money) - {element.index}
    )
    follows = _FOLLOWS.match(label) is not None
    return choices or (follows and not any(has_amount(element_label(e)) for e in page.texts))


def _bare_money(page: Page) -> frozenset[int]:
    """The elements with a bare word about money."""
    return frozenset(
        e.index
        for e in page.clickables
        if (words := page.labels(e)) and _BARE_MONEY.match(normalize_label(words[0]))
    )


_LONGEST, _FEW, _MANY_REACTIONS = 36, 3, 2
_LISTS = wording.pattern("filters")
"""Titles of pages that only choose what a list shows."""
_COMMITS, _CONFIRMS, _FIXES = (wording.pattern(name) for name in ("commits", "confirms", "confirms_it"))
_SAYS, _MOVES = wording.pattern("says_to_others"), wording.pattern("moves_money")
_QUANTITY, _GOES_ON = lazy_regex(r"\d{1,3}"), wording.pattern("goes_on")
_CONSENTS, _ASKED_FOR = wording.pattern("consents"), wording.pattern("asks_for_access")
_FILLS_A_FIELD = wording.pattern("fills_field")


def classify_by_commit_context(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """The kind of a button by what its page commits to; None if it leads on or the page does not tell."""
    if not labels or page.answers_question(element):
        return None
    if any(commits(page, element, labels) for commits in _COMMITMENTS):
        return ActionKind.PAY
    label = normalize_label(labels[0])
    if len(labels) == 1 and wording.replies_to_all(labels[0]) and is_main_button(page, element):
        return ActionKind.SEND
    if len(labels) == 1 and (_SAYS.match(label) or _says_something(labels[0])):
        reacts = page.once(_reactions) & set(_beside(page, element)) if wording.is_reaction(labels[0]) else ()
        composes = wording.is_compose_title(page.heading)
        # An icon in the top bar opens a choice of whom to share with.
        if "Image" in element.class_name and page.is_in_top_bar(element) and not composes:
            return None
        writes = page.filled_fields or composes
        other = _belongs_to_entry_above(page, element) or _is_beside_sent_fields(page, element)
        return ActionKind.SEND if writes and not (reacts or (other and page.filled_fields)) else None
    if is_in_menu(page, element, labels):
        return None
    moves = _MOVES.search(label) is not None and not _FILLS_A_FIELD.match(label)
    if moves and page.once(takes_sum) and not has_payment_below(page, element):
        return ActionKind.PAY
    if _CONSENTS.match(label) and any(_ASKED_FOR.search(text) for text in page.normal_texts):
        return ActionKind.GRANT
    if len(labels) > 1 or len(label) > _LONGEST or has_amount(labels[0]) or only_shows(labels[0]):
        return None
    if _LISTS.match(normalize_label(page.title)):
        return None
    kind = wording.classify_label(labels[0])
    if closes_receipt(page, labels[0]) or (kind and only_navigates(page, element, labels, kind)):
        return None
    return _kind_of_commitment(page, element, labels[0])


def _kind_of_commitment(page: Page, element: Element, text: str) -> ActionKind | None:
    """The kind of a button with one label that may commit, by its verb and what the page shows."""
    label = normalize_label(text)
    # In a form without a sum it goes to the next step.
    goes_on = page.filled_fields and _GOES_ON.fullmatch(fold(text)) and not page.once(find_total)
    if goes_on or is_list_line(page, element) or _is_beside_the_purpose(page, element, label):
        return None
    confirms = _confirms(text) and is_main_button(page, element)
    commits = _COMMITS.match(label) is not None
    if not (commits or confirms) and (wording.declines(text) or not _is_its_purpose(page, element)):
        return None
    asked = wording.classify_question(page.question_for(element))
    if asked in (ActionKind.DELETE, ActionKind.SECURITY, ActionKind.INSTALL, ActionKind.GRANT) and commits:
        return asked
    fixes = _FIXES.match(label) is not None
    priced = page.once(find_amount) or ((fixes or confirms) and page.once(shows_price))
    fixes = fixes or (confirms and _confirms(page.heading))
    if asked is ActionKind.PAY or priced or (fixes and any(has_amount(element_label(e)) for e in page.texts)):
        return ActionKind.PAY
    written = any(not _QUANTITY.fullmatch(field.text.strip()) for field in page.filled_fields)
    sends = written and not (page.once(signs_in) or filters_list(page, element, text))
    return ActionKind.SEND if sends else asked if commits else None


def _is_beside_the_purpose(page: Page, element: Element, label: str) -> bool:
    """Whether it is an entry of a menu, a link above the button, or “Apply” beside a code above what pays."""
    alike = 0 if page.filled_fields else alike_in_line(page, element)
    opens = alike > 1 and _BARE_MONEY.match(label) and _opens_form_or_follows(page, element)
    within = not page.filled_fields and is_within_line(page, element, FEWEST_TABS)
    if opens or within or alike >= FEWEST_TABS or (page.once(pay_buttons) and stands_in_field(page, element)):
        return True
    is_link = element.class_name.endswith("TextView")
    return is_link and page.once(_lowest_unknown_button) >= element.bounds.bottom


def _lowest_unknown_button(page: Page) -> int:
    """The top of the lowest wide button that does more than show something; below 0 if there is none."""
    wide = (b for b in page.buttons if page.is_button(b) and b.bounds.width >= WIDE * page.observation.width)
    tops = (b.bounds.top for b in wide if (words := page.labels(b)) and not only_shows(words[0]))
    return max(tops, default=-1)


def _accepts_offer(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a button takes what is offered at a price: a ride, a job, an order, and “Decline” is beside it.

    That is said to an offer of somebody; “Cancel” and “Later” only leave.
    """
    prompt = page.prompt_of(element)
    if prompt is None or not any(map(wording.declines, prompt.refusals)):
        return False
    if only_shows(labels[0]) and not wording.is_agreement(labels[0]):
        return False
    texts = [*labels, *prompt.texts]
    priced = any(has_amount(text) or wording.names_price(text) or is_total(text) for text in texts)
    return priced or any(map(wording.names_order, texts))


def _ends_last_step(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a main button that only goes on ends the last step (“3/3”) of something with a price."""
    goes_on = wording.is_agreement(labels[0]) or wording.acknowledges(labels[0])
    if not goes_on or not page.once(is_last_step) or not is_main_button(page, element):
        return False
    return page.once(find_amount) != "" or page.once(shows_price)


def _confirms_heading(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a main button agrees to what the heading orders: “Continue” below “Confirm ride”.

    A heading that only names the order needs a button that confirms or accepts.
    """
    if not is_main_button(page, element) or page.is_dialog:
        return False
    if page.once(asks_to_check) and not (only_shows(labels[0]) or wording.is_refusal(labels[0])):
        return True
    confirmed = _FIXES.match(normalize_label(page.heading)) and wording.names_order(page.heading)
    if wording.is_agreement(labels[0]) and (confirmed or lexicon().commits(page.heading)):
        return True
    return _confirms(labels[0]) and wording.is_order_title(page.heading)


def _confirms(text: str) -> bool:
    """Whether a label begins with a word that confirms or accepts."""
    return _CONFIRMS.match(normalize_label(text)) is not None or lexicon().mentions(text, Sense.COMMITS)


def _names_order(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether a button confirms or accepts what is ordered or paid, by its words: “Confirm booking”."""
    if len(labels) > 1 or page.is_row(element) or is_list_line(page, element):
        return False
    if lexicon().commits(labels[0]):
        return not is_in_menu(page, element, labels)
    # In English “Book appointment” often leads to a form; at the end of a page with a price it books.
    named = _CONFIRMS.match(normalize_label(labels[0])) and wording.names_order(labels[0])
    priced = page.once(find_amount) or page.once(shows_price)
    return bool(named and priced) and is_main_button(page, element)


def classify_means_of_payment(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """A payment, where a Chinese means of payment is the label of what pays: the last of a page, or at a sum.

    Chinese apps draw such a button as a text or a plain view. A wide button beside the one sum of a page is a
    cashier's, with one for each means.
    """
    beside = label_beside_sum(page, element, labels)
    words = [beside] if beside else labels[:1] if page.is_row(element) else labels
    if not any(map(wording.names_means_of_payment, words)):
        return None
    wide = element.bounds.width >= WIDE * page.observation.width
    if wide and page.is_button(element) and not element.checkable and page.once(find_amount):
        return ActionKind.PAY
    if chooses_means(page, element) or only_navigates(page, element, labels, ActionKind.PAY):
        return None
    return ActionKind.PAY if wide or page.is_dialog or page.once(shows_sum) else None


def chooses_means(page: Page, element: Element) -> bool:
    """Whether a means of payment is only chosen: it is a box, or what stands below completes the choice.

    So is one of several below a title for choices. On any other page, or beside a sum, each may pay at once.
    """
    if page.contains_switch(element) or page.once(_lowest_completion) >= element.bounds.bottom:
        return True
    titled = _FOR_CHOICES.search(page.title) is not None
    # A dialog is for one deed.
    for_one = page.is_dialog or page.once(shows_sum)
    return titled and page.once(_means_shown) > 1 and not for_one


def _means_shown(page: Page) -> int:
    return sum(any(map(wording.names_means_of_payment, page.labels(e)[:1])) for e in page.clickables)


def _lowest_completion(page: Page) -> int:
    """The top of the lowest control that agrees, or pays by other words than a means; below 0 if none."""
    tops = [
        e.bounds.top
        for e in page.clickables
        if (words := page.labels(e)) and (wording.is_agreement(words[0]) or pays_for_choice(words[0]))
    ]
    return max(tops, default=-1)


def _pays_notified_sum(page: Page, element: Element, labels: list[str]) -> bool:
    """Whether an unknown button of a notification stands below a sum that is not paid yet."""
    if not page.observation.app.package.endswith("systemui") or not page.is_button(element):
        return False
    row = next((e for e in page.ancestors(element, len(page.elements)) if e.clickable), None)
    if row is None or only_shows(labels[0]) or wording.is_refusal(labels[0]):
        return False
    texts = [element_label(e) for e in page.descendants(row) if element_label(e)]
    return any(map(has_amount, texts)) and not any(map(wording.says_done, texts))


_COMMITMENTS = (_accepts_offer, _ends_last_step, _confirms_heading, _names_order, _pays_notified_sum)


def _belongs_to_entry_above(page: Page, element: Element) -> bool:
    """Whether a button such as “Reply” stands in the list above a field that has its own button beside it."""
    if page.is_last_in_top_bar(element):
        return False
    return all(
        element.bounds.bottom <= field.bounds.top and page.next_right_of(field) is not None
        for field in page.filled_fields
    )


def _says_something(text: str) -> bool:
    """Whether a whole label says something to others, or shares, where something is written."""
    return lexicon().means(text, Sense.ANSWERS) or reacts_only(text)


def reacts_only(text: str) -> bool:
    """Whether a whole label may send, and as well only react: “Share” opens a choice, “Comment” a field."""
    return wording.is_reaction(text) and wording.classify_label(text) is ActionKind.SEND


def _is_beside_sent_fields(page: Page, element: Element) -> bool:
    """Whether each filled field has another control beside it that sends its text."""
    beside = [page.right_of(field) for field in page.filled_fields]
    sent = (element not in controls and any(_sends(page, e) for e in controls) for controls in beside)
    return all(sent)


def _sends(page: Page, element: Element) -> bool:
    words = page.labels(element)
    by_words = bool(words) and wording.classify_label(words[0]) is ActionKind.SEND
    return by_words or wording.classify_id(element.resource_id) is ActionKind.SEND


def _is_at_left(page: Page, element: Element) -> bool:
    return element.bounds.centre[0] < page.observation.width / 2


def _is_its_purpose(page: Page, element: Element) -> bool:
    """Whether a button is what a page is for: alone among few in doing something, or beside its sum.

    Where another button pays, an unknown one does not.
    """
    if len(page.buttons) > _FEW or element not in page.buttons or page.once(pay_buttons) - {element.index}:
        return False
    if page.once(has_tabs):
        return False
    if page.is_in_top_bar(element) and (not page.filled_fields or _is_at_left(page, element)):
        return False
    if is_link_in_line(page, element):
        return False
    others = (words for e in page.buttons if e.index != element.index and (words := page.labels(e)))
    alone = all(only_shows(words[0]) or wording.is_refusal(words[0]) for words in others)
    ends = _ends_page(page, element) or (page.filled_fields and alike_in_line(page, element) < FEWEST_TABS)
    return (alone and bool(ends)) or names_sum_of(page, element)


def _ends_page(page: Page, element: Element) -> bool:
    """Whether an element is as wide as what ends a page, alone in its line, or the page names its sum."""
    alone = len(page.once(lines_of_controls)[element.bounds.top]) == 1
    wide = alone and element.bounds.width >= WIDE * page.observation.width
    return wide or page.once(find_total) != ""


_BUTTON_AREA_TOP = 0.55


def _sends_field_left(page: Page, element: Element) -> bool:
    """Whether an icon sends what is written left of it: words, or anything at the bottom as in a chat.

    An icon beside a number raises it, and one beside the name of a user who signs in erases it.
    """
    field = page.field_left_of(element)
    if field is None or any(e.password for e in page.elements):
        return False
    low = field.bounds.top > page.observation.height * _BUTTON_AREA_TOP
    return low or any(map(str.isalpha, field.text))


def classify_by_position(page: Page, element: Element) -> ActionKind | None:
    """The kind of an element without words, by its id and position."""
    if element.checkable:
        return None
    if kind := wording.classify_id(element.resource_id):
        return kind
    if wording.names_purpose(element.resource_id):
        return None
    if _sends_field_left(page, element) or is_below_dial_pad(page, element):
        return ActionKind.SEND
    if wording.is_compose_title(page.heading) and page.filled_fields and page.is_last_in_top_bar(element):
        return ActionKind.SEND
    if element.bounds.top < page.observation.height * _BUTTON_AREA_TOP:
        return None
    if page.is_dialog:
        # Where buttons have words, one of them is what answers.
        return None if any(map(page.labels, page.buttons)) else wording.classify_question(page.question)
    return ActionKind.PAY if asks_to_pay(page) else None


def classify_agreement(page: Page, element: Element | None = None) -> ActionKind | None:
    """The kind of an agreement without words of its own, by what it answers, or what the page asks."""
    prompt = page.prompt_of(element) if element is not None else None
    if prompt is not None and prompt.asks:
        return classify_prompt(prompt)
    kind = wording.classify_question(prompt.texts if prompt is not None else page.question)
    if page.is_dialog:
        return kind
    if kind is not ActionKind.PAY:
        agrees = (
            prompt is not None and element is not None and not wording.acknowledges(page.labels(element)[0])
        )
        return kind if kind in (_ASKED_ABOVE_REFUSAL if agrees else _ASKED_BY_HEADING) else None
    named = any(map(has_amount, prompt.texts)) if prompt is not None else bool(page.once(find_amount))
    return kind if named else None


_ASKED_BY_HEADING = (ActionKind.DELETE, ActionKind.SECURITY)
"""What a page may ask by its heading alone."""
_ASKED_ABOVE_REFUSAL = (*_ASKED_BY_HEADING, ActionKind.GRANT, ActionKind.INSTALL)

"""Which actions need the user's approval, judged by the screen they are done on.

The model's words never lower a risk. An element with words is judged by them. An agreement without words of
its own (“OK”, “Continue”) is judged by what the dialog asks, an icon by its id and description, and an
element with none of these by its position; for such an element the model's description may raise the risk.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from assistant.events import ActionKind
from assistant.i18n import _, later, shortened
from assistant.phone.touches import (
    SYSTEM_INTERFACE,
    dropped_on,
    row_moved,
    scroll_path,
    windows_under,
)
from assistant.phone.ui_tree import taken_for_button
from assistant.records import (
    HOME_SCREENS,
    Action,
    Click,
    Element,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressEnter,
    Scroll,
    Swipe,
    TypeText,
)
from assistant.safety import wording
from assistant.safety.amounts import ask_slider, asks_to_pay, kind_in_doubt, label_beside_sum
from assistant.safety.context import (
    chooses_means,
    classify_agreement,
    classify_by_commit_context,
    classify_by_label_context,
    classify_by_position,
    classify_means_of_payment,
    leads_elsewhere,
    only_navigates,
    reacts_only,
    text_above,
)
from assistant.safety.effects import (
    contacts_person,
    describe_effect,
    find_sent_text,
    kind_of_ending,
    kind_of_key,
    pays_named_amount,
)
from assistant.safety.layout import (
    CHIP,
    ask_ready_answer,
    does_at_once,
    holds_controls,
    is_beside_sender,
    is_labelled,
    is_mark,
    is_menu_line,
    is_menu_tile,
    is_message,
    is_title,
    kind_of_answer,
    names_entry,
    reports_installed,
)
from assistant.safety.lexicon import Sense, lexicon
from assistant.safety.page import (
    Page,
    element_label,
    page_of,
    shows_hint,
    tells_nothing,
)
from assistant.safety.page_sentences import (
    Statement,
    classify_switch,
    closes_receipt,
    consent_beside,
    contradicting_statement,
    denies_twice,
    is_consent,
    is_main_button,
    is_wide_button_beside_sum,
    names_special_access,
    only_shows,
    repeats_question,
    runs_accessibility,
    statement_beside,
    statement_of_icon,
    statement_of_switch,
    states_deed,
    takes_back,
)
from assistant.safety.secret_entry import (
    ask_pin_pad,
    asks_to_hold,
    is_on_keyboard,
    kind_of_hold,
    leads_to_entry,
    shows_entry,
    types_secret,
)
from assistant.safety.wording import LabelRole, has_amount, is_search_field

_PERMISSION = ("permissioncontroller", "permission.ui", "permissionmanager")
PERMISSION_PACKAGES = (*_PERMISSION, "securitypermission", "lbe.security")
INSTALLER_PACKAGES = ("packageinstaller",)
_SETTINGS = r"settings|securitycenter|systemmanager|safecenter|permissionmanager|iqoo\.secure"
_SETTINGS_PACKAGES = re.compile(_SETTINGS)
DENYING_ID = re.compile(r"deny|dont_allow|cancel|negative|button2$|reject|never")
_SURELY_KEYBOARD = 0.7
_LONGEST_STATEMENT, _MOST_UNDER, _MOST_JOINED, _QUESTION_TEXTS = 160, 12, 4, 8
"""Of the elements under a point, so many of the smallest are judged; a deep tree has thousands."""
_TAP_LENGTH = 0.02
"""A swipe that moves no further than this share of the screen is a tap to the phone (touch slop)."""


class Cue(StrEnum):
    """What on the screen tells that an action is sensitive."""

    LABEL = "label"
    ID = "id"
    QUESTION = "question"
    SYSTEM_DIALOG = "system dialog"
    PIN_PAD = "pin pad"
    SWITCH = "switch"
    PERSON = "person"
    AMOUNT = "amount"
    SUM = "sum"
    PRINT = "small print"
    SUMMARY = "summary"
    CONTRADICTED = "contradicted"
    CONSENT = "consent"
    DENIED_TWICE = "denied twice"
    POSITION = "position"
    CONTEXT = "context"
    COMMITMENT = "commitment"
    SLIDER = "slider"
    TYPING = "typing"
    ENTER = "enter"
    MODEL = "model"
    ASKED = "asked"
    STRICT = "strict"
    UNSEEN = "unseen"
    WINDOW = "window"
    GESTURE = "gesture"

    @property
    def sentence(self) -> str:
        """Why the user is asked, in a plain sentence."""
        return _(_CUE_SENTENCES[self])


_CUE_SENTENCES = {
    Cue.LABEL: later("The words on the button or field itself say so."),
    Cue.ID: later("The app's own name for it says so."),
    Cue.QUESTION: later("The page asks for it."),
    Cue.SYSTEM_DIALOG: later("It is a dialog of the system."),
    Cue.PIN_PAD: later("It is a key of a pad for a code."),
    Cue.SWITCH: later("The switch stands beside such a setting."),
    Cue.PERSON: later("It chooses a person or a number."),
    Cue.AMOUNT: later("It names an amount of money."),
    Cue.PRINT: later("A sentence beside it says so."),
    Cue.SUMMARY: later("The line under the switch says so."),
    Cue.CONTRADICTED: later("Its words sound harmless, and a sentence beside it says otherwise."),
    Cue.CONSENT: later("It consents to what is ticked beside it."),
    Cue.DENIED_TWICE: later(
        "Its words deny what they deny, so that nobody can tell at a glance what it does."
    ),
    Cue.SUM: later("It is the one wide button beside a sum."),
    Cue.POSITION: later("It has no words, and stands where such a button does."),
    Cue.CONTEXT: later("The words around it say so."),
    Cue.COMMITMENT: later("It completes a page with an amount or with what you wrote."),
    Cue.SLIDER: later("It is slid to confirm."),
    Cue.TYPING: later("What would be typed is secret."),
    Cue.ENTER: later("The key presses what the page offers."),
    Cue.MODEL: later("The model itself says so."),
    Cue.ASKED: later("The guards do not know it; the model was asked, and has doubts."),
    Cue.STRICT: later("Strict mode asks about every button whose meaning is unknown."),
    Cue.UNSEEN: later("The app tells nothing of what is on its screen, so nothing there can be judged."),
    Cue.GESTURE: later("A finger that moves or stays so may delete, send or confirm something here."),
    Cue.WINDOW: later("It lies in another window, and the phone tells nothing of what is there."),
}


@dataclass(frozen=True, slots=True)
class Risk:
    """A sensitive action: its kind, what it would do in a sentence, what it types or sends, and the cue.

    `from_picture`: text read from the picture told it, which may be misread. `statement` is the sentence of
    the page that told it, `window` the window of several on the screen.
    """

    kind: ActionKind
    sentence: str = ""
    text: str = ""
    cue: Cue = Cue.LABEL
    from_picture: bool = False
    statement: str = ""
    window: Observation | None = None

    @property
    def reason(self) -> str:
        """Why the user is asked, in plain sentences."""
        statement = shortened(" ".join(self.statement.split()), _LONGEST_STATEMENT)
        quotation = _("It says: “{statement}”").format(statement=statement) if statement else ""
        read = _("It was read from the picture, and may be misread.") if self.from_picture else ""
        return " ".join(filter(None, (self.cue.sentence, quotation, read)))


@dataclass(frozen=True, slots=True)
class Judgement:
    """The kind that a cue gives an action; None if it is harmless."""

    kind: ActionKind | None = None
    cue: Cue = Cue.LABEL
    element: Element | None = None
    statement: str = ""


def judge(action: Action, observation: Observation, *, strict: bool = False) -> Risk | None:
    """The risk of an action on this screen; None if it needs no approval.

    What was read from the picture can only add a risk, or say what an unseen one is.

    Args:
        action: what would be performed.
        observation: the screen that it would be performed on.
        strict: whether a button whose meaning is unknown needs approval too.
    """
    for window in windows_under(observation, action):
        risk = _judge_window(action, window, strict)
        if risk is not None:
            cue = risk.cue if window.elements else Cue.WINDOW
            return risk if window is observation else replace(risk, window=window, cue=cue)
    return None


def _judge_window(action: Action, observation: Observation, strict: bool) -> Risk | None:
    of_tree = replace(observation, picture_texts=()) if observation.picture_texts else observation
    seen = _judge_tree(action, of_tree, strict)
    if not observation.picture_texts or (seen is not None and seen.cue not in (Cue.UNSEEN, Cue.MODEL)):
        return seen
    read = _judge_tree(action, taken_for_button(observation, action), strict)
    if read is None or read.cue is Cue.UNSEEN or (seen is not None and seen.cue is read.cue):
        return seen
    return replace(read, from_picture=True)


def _judge_tree(action: Action, observation: Observation, strict: bool) -> Risk | None:
    page = page_of(observation)
    judged = _classify(action, page, strict)
    if judged.kind is None:
        return None
    if judged.cue is Cue.UNSEEN:
        return Risk(judged.kind, _("What it does cannot be seen: the screen has no words."), cue=judged.cue)
    typed = action.text if isinstance(action, TypeText) else ""
    sentence = describe_effect(judged.kind, page, judged.element)
    text = find_sent_text(judged.kind, page, typed)
    return Risk(judged.kind, sentence, text, judged.cue, statement=judged.statement)


def doubted_risk(action: Action, observation: Observation, *, reads_well: bool) -> Risk | None:
    """What a tap may do on the wide button of a page, which the guards take for harmless but do not know.

    Args:
        action: what would be performed.
        observation: the screen that it would be performed on.
        reads_well: whether they know the phone's language; then only a page that states a deed is doubted.
    """
    risk = _judge_tree(action, observation, strict=True) if isinstance(action, Click) else None
    if risk is None or risk.cue is not Cue.STRICT or not isinstance(action, Click):
        return None
    page = page_of(observation)
    x, y = observation.pixels(action.point)
    wide = any(e.bounds.contains(x, y) and is_main_button(page, e) for e in page.clickables if page.labels(e))
    return risk if wide and (not reads_well or states_deed(page)) else None


def _classify(action: Action, page: Page, strict: bool) -> Judgement:
    match action:
        case Click(point=point, content=content):
            return _classify_tap(page, point, content, strict)
        case LongClick(point=point, content=content):
            held = _classify_hold(page, point)
            return held if held.kind else _classify_tap(page, point, content, strict)
        case TypeText(text=text):
            return _classify_typing(page, text)
        case PressEnter():
            return _classify_enter(page)
        case Swipe(start=start, end=end):
            judged = _classify_swipe(page, start)
            if judged.kind or max(abs(start.x - end.x), abs(start.y - end.y)) > _TAP_LENGTH:
                return judged if judged.kind else _classify_drag(page, start, end)
            held = _classify_hold(page, start)
            return held if held.kind else _classify_tap(page, start, "", strict)
        case Scroll(point=point, direction=direction):
            path = scroll_path(page.observation, point, direction)
            start, end = (page.observation.point(*place) for place in path)
            begun = _classify_swipe(page, start)
            if begun.kind or (at_point := _classify_swipe(page, point)).kind:
                return begun if begun.kind else at_point
            return _classify_drag(page, start, end)
        case OpenApp(at=address) if address:
            return Judgement(wording.classify_address(address))
        case _:
            return Judgement()


def _classify_tap(page: Page, point: Point, content: str, strict: bool) -> Judgement:
    """A tap is judged by the smallest element under it that is sensitive."""
    x, y = page.observation.pixels(point)
    under = [e for e in page.observation.elements if e.bounds.contains(x, y) and page.is_smaller_than_page(e)]
    under.sort(key=lambda e: (e.bounds.area, -e.index))
    pressable = [e for e in under if e.clickable or e.long_clickable or e.editable]
    if pressable and pressable[0].enabled and is_labelled(page, pressable[0]):
        # A named control takes the touch; what holds it does not get it.
        holders = {e.index for e in page.ancestors(pressable[0], len(page.observation.elements))}
        pressable = [pressable[0], *(e for e in pressable[1:] if e.index not in holders)]
    if is_on_keyboard(page, y, under):
        return _classify_enter(page)
    if not pressable and under and page.is_inert(under[0]):
        return _classify_inert(page, under[0])
    judged_by = (pressable or under[:1])[:_MOST_UNDER]
    if pressable and not is_labelled(page, pressable[0]):
        # A view that takes touches may lie over the words that it is for, and not around them.
        judged_by += [e for e in under if element_label(e) and e not in pressable][:1]
    for element in judged_by:
        judged = judge_element(page, element)
        if judged.kind:
            return judged
    if covering := _covering_deed(page, x, y) or _enter_over_page(page, y, under):
        return covering
    first = next(iter(pressable or under), None)
    labelled = first is not None and is_labelled(page, first)
    if content and not labelled and (by_model := wording.classify_label(content)):
        return Judgement(by_model, Cue.MODEL, first)
    if strict and first is not None and _is_unknown_button(page, first):
        return Judgement(kind_in_doubt(page), Cue.STRICT, first)
    return _unless_unseen(page, Judgement(element=first))


def _classify_hold(page: Page, point: Point) -> Judgement:
    """What a finger does that stays: it records what is said to somebody, calls, or confirms what is held."""
    element = page.observation.element_at(point)
    if element is None or not page.is_smaller_than_page(element):
        return Judgement()
    kind = kind_of_hold(page, element)
    if kind is None and asks_to_hold(page, element):
        kind = classify_agreement(page) or kind_in_doubt(page)
    return Judgement(kind, Cue.GESTURE, element)


def _classify_drag(page: Page, start: Point, end: Point) -> Judgement:
    """A row that is moved aside, or what is dropped on something that deletes, sends or pays."""
    package = page.observation.app.package
    row = row_moved(page.observation, start, end) if package not in SYSTEM_INTERFACE else None
    if row is not None and not any(name in package for name in HOME_SCREENS):
        return Judgement(ActionKind.DELETE, Cue.GESTURE, row)
    target = dropped_on(page.observation, start, end)
    return Judgement(classify_element(page, target) if target else None, Cue.GESTURE, target)


def _classify_inert(page: Page, element: Element) -> Judgement:
    """Judge a text that by the tree takes no touch, by its words: with a few toolkits it can be pressed.

    Where a control of the page names the same deed, the control does it and the text only tells of it, as the
    texts of a dialog with buttons do.
    """
    asks = wording.asks_question(element_label(element))
    if asks or (page.is_dialog and page.buttons) or is_title(page, element):
        return Judgement(element=element)
    kind = _classify_by_label(page, element, page.labels(element))
    has_control = any(kind is other for _control, _text, other in page.label_kinds)
    return Judgement(None if has_control else kind, Cue.LABEL, element)


def _unless_unseen(page: Page, judged: Judgement) -> Judgement:
    """A harmless judgement, unless the page tells nothing: a yes to a payment reaches least far."""
    return Judgement(ActionKind.PAY, Cue.UNSEEN) if page.once(tells_nothing) else judged


def _covering_deed(page: Page, x: int, y: int) -> Judgement | None:
    """What a view does that lies over the page at a point, unseen, and takes its touches; by its id."""
    for element in reversed(page.elements):
        if element.clickable and element.bounds.contains(x, y) and not page.is_smaller_than_page(element):
            kind = wording.classify_id(element.resource_id)
            if kind and not page.labels(element) and not page.has_children(element):
                return Judgement(kind, Cue.ID, element)
    return None


def classify_element(page: Page, element: Element) -> ActionKind | None:
    """The kind of a tap on an element; None if it is harmless."""
    return judge_element(page, element).kind


def judge_element(page: Page, element: Element) -> Judgement:
    """What a tap on an element does, by the first cue that tells. A greyed one may wake before the tap."""
    if element.editable or page.is_app_icon(element):
        return Judgement(element=element)
    labels = page.labels(element)
    if not element_label(element) and holds_controls(page, element):
        return Judgement(element=element)
    if page.contains_switch(element) and any(map(denies_twice, (labels or page.row_labels(element))[:1])):
        return Judgement(ActionKind.GRANT, Cue.DENIED_TWICE, element)
    if kind := kind_of_answer(page, element, labels):
        return Judgement(kind, Cue.QUESTION, element)
    if kind := kind_of_ending(page, element, labels):
        return Judgement(kind, Cue.LABEL, element)
    goes_on = any(map(wording.classify_label, [*labels[1:], ", ".join(labels[:_MOST_JOINED])]))
    refuses = (
        any(map(wording.is_refusal, labels[:1]))
        and not goes_on
        and not (
            # “Off” on a switch is its state; what it is for stands beside it.
            element.checkable and page.row_labels(element)[:1] not in ([], labels[:1])
        )
    )
    if refuses and not wording.classify_id(element.resource_id):
        return _by_statement(contradicting_statement(page, element, labels), Cue.CONTRADICTED, element)
    for cue, ask in CUES:
        kind = ask(page, element, labels)
        if kind and not (cue in CUES_OF_WORDS and leads_elsewhere(page, element, labels, kind)):
            unticks = kind in _TAKEN_BACK and takes_back(page, element, labels)
            return Judgement(None if unticks else kind, cue, element)
        if cue is Cue.AMOUNT and not labels:
            kind = classify_by_position(page, element)
            stated = None if kind else statement_of_icon(page, element)
            return (
                Judgement(kind, Cue.POSITION, element) if kind else _by_statement(stated, Cue.PRINT, element)
            )
    if page.contains_switch(element):
        return _by_statement(statement_of_switch(page, element, labels), Cue.SUMMARY, element)
    consent = consent_beside(page, element, labels)
    if consent is not None:
        return _by_statement(consent, Cue.CONSENT, element)
    stated = statement_beside(page, element, labels)
    return _by_statement(
        None if stated and names_entry(page, element, labels) else stated, Cue.PRINT, element
    )


CUES_OF_WORDS = frozenset((Cue.LABEL, Cue.ID, Cue.CONTEXT, Cue.AMOUNT, Cue.COMMITMENT, Cue.SUM))
"""The cues that go by what a control says, and not by where it stands."""
_TAKEN_BACK = (ActionKind.PAY, ActionKind.SEND, ActionKind.GRANT, ActionKind.INSTALL)
"""What is not done where a tick is taken away; a protection is."""


def _by_statement(statement: Statement | None, cue: Cue, element: Element) -> Judgement:
    if statement is None:
        return Judgement(element=element)
    return Judgement(statement.kind, cue, element, statement.text)


def _ask_system_dialog(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """The kind of a button in a dialog of the system, about a permission or the installation of an app."""
    package = page.observation.app.package
    name = element.resource_id.rpartition("/")[2]
    if not labels or element.checkable or DENYING_ID.search(name):
        return None
    if any(part in package for part in PERMISSION_PACKAGES) and (
        page.is_dialog
        or (element in page.buttons and not (only_shows(labels[0]) or page.is_in_top_bar(element)))
        or wording.is_agreement(labels[0])
    ):
        return None if lexicon().mentions(labels[0], Sense.NEGATES) else ActionKind.GRANT
    if (
        any(part in package for part in INSTALLER_PACKAGES)
        and not reports_installed(page)
        and (
            (name in ("button1", "ok_button") and not only_shows(labels[0]))
            or (wording.is_agreement(labels[0]) and not _offers_install(page, element))
            or wording.classify_label(labels[0])
        )
    ):
        question = wording.classify_question(page.question_for(element))
        return question if question is ActionKind.DELETE else ActionKind.INSTALL
    if page.is_of_settings and names_special_access(page.heading) and is_main_button(page, element):
        return ActionKind.GRANT
    if wording.classify_label(labels[0]) is ActionKind.GRANT and page.is_dialog:
        asked = wording.classify_question(page.question_for(element))
        return ActionKind.SECURITY if asked is ActionKind.SECURITY else ActionKind.GRANT
    return None


def _offers_install(page: Page, element: Element) -> bool:
    """Whether something else on the page installs, so that an “OK” beside it does not."""
    others = (e for e, _text, kind in page.label_kinds if kind is ActionKind.INSTALL)
    return any(e.index != element.index for e in others)


def _ask_question(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    """The kind of an answer without words of its own, by what is asked."""
    if not labels or not _answers(page, element, labels[0]) or closes_receipt(page, labels[0]):
        return None
    return classify_agreement(page, element) or classify_by_label_context(page, element, labels)


def _answers(page: Page, element: Element, label: str) -> bool:
    """Whether a label agrees to what is asked: by its words, or as the one other answer beside a refusal."""
    if wording.is_agreement(label) or wording.acknowledges(label):
        return True
    prompt = page.prompt_of(element)
    asked = prompt is not None and prompt.asks
    if prompt is not None and asked and prompt.alone and not only_shows(label):
        return True
    in_dialog = page.is_dialog or asked or (prompt is not None and prompt.alone)
    return in_dialog and (wording.is_clearing_verb(label) or repeats_question(page, element, label))


def _ask_switch(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    if not page.contains_switch(element) or element.class_name.endswith(CHIP):
        return None
    words = labels or page.row_labels(element)
    if (kind := classify_switch(words, page.heading)) or not words:
        shown = kind is ActionKind.SECURITY and (is_consent(page, element) or shows_entry(page, words[0]))
        return None if shown else kind
    if _SETTINGS_PACKAGES.search(page.observation.app.package) is None:
        return None
    texts = [element_label(e) for e in page.texts[:_QUESTION_TEXTS]]
    grants = any(map(names_special_access, [page.heading, *texts])) or runs_accessibility(page, words[0])
    return ActionKind.GRANT if grants else None


def _ask_person(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    return ActionKind.SEND if contacts_person(page, element, labels) else None


def _ask_amount(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    return ActionKind.PAY if labels and pays_named_amount(page, element, labels) else None


def _ask_sum(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    return ActionKind.PAY if is_wide_button_beside_sum(page, element, labels) else None


def _classify_by_label(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    row = page.is_row(element) and not page.is_single_label(element)
    if row and (words := label_beside_sum(page, element, labels)):
        row, labels = False, [words]
    described = page.is_described(element)
    relevant_labels = labels[:1] if row and not described else labels
    tile = row and is_menu_tile(page, element)
    for text in relevant_labels:
        message = not page.is_button(element) and is_message(page, element, text)
        if message and not element.clickable:
            return None
        is_text = message or (not page.is_button(element) and wording.is_prose(text))
        role = LabelRole.ROW if (row and not described) or is_text else LabelRole.BUTTON
        kind = wording.classify_label(text, role)
        if kind is None and role is LabelRole.ROW and not (is_text or page.is_tab(element)):
            kind = wording.classify_label(text) if len(labels) == 1 else None
            kind = kind if kind is ActionKind.DELETE else None
        if kind and not reacts_only(text):
            if tile and not does_at_once(page, element, kind, text):
                return None
            if row and kind in (ActionKind.PAY, ActionKind.SEND) and is_menu_line(page, element, text):
                return None
            entered_later = kind is ActionKind.SECURITY and leads_to_entry(page, text)
            return None if entered_later or only_navigates(page, element, labels, kind) else kind
    if 1 < len(labels) <= _MOST_JOINED and (not row or max(map(len, labels)) < _MOST_JOINED):
        return wording.classify_label(" ".join(labels)) or wording.classify_label("".join(labels))
    return None


def _ask_id(page: Page, element: Element, labels: list[str]) -> ActionKind | None:
    row = page.is_row(element) and not page.is_single_label(element)
    if (row and is_menu_tile(page, element)) or page.contains_switch(element):
        return None
    kind = wording.classify_id(element.resource_id)
    if kind is None or not (not labels or not row or has_amount(labels[0]) or kind is ActionKind.SEND):
        return None
    if labels and wording.names_means_of_payment(labels[0]) and chooses_means(page, element):
        return None
    if labels and kind is ActionKind.SEND and is_beside_sender(page, element):
        return None
    if not labels and kind is ActionKind.PAY and is_mark(page, element):
        return None
    return None if labels and only_navigates(page, element, labels, kind) else kind


CUES: tuple[tuple[Cue, Callable[[Page, Element, list[str]], ActionKind | None]], ...] = (
    (Cue.PIN_PAD, ask_pin_pad),
    (Cue.SYSTEM_DIALOG, _ask_system_dialog),
    (Cue.LABEL, _classify_by_label),
    (Cue.LABEL, classify_means_of_payment),
    (Cue.ID, _ask_id),
    (Cue.QUESTION, _ask_question),
    (Cue.SWITCH, _ask_switch),
    (Cue.PERSON, _ask_person),
    (Cue.CONTEXT, ask_ready_answer),
    (Cue.AMOUNT, _ask_amount),
    (Cue.CONTEXT, classify_by_label_context),
    (Cue.PRINT, kind_of_key),
    (Cue.COMMITMENT, classify_by_commit_context),
    (Cue.SUM, _ask_sum),
    (Cue.SLIDER, ask_slider),
)
"""The cues in the order in which they are asked; the first that tells decides."""


def _is_unknown_button(page: Page, element: Element) -> bool:
    """Whether an element is a button that no rule knows, neither as sensitive nor as leading on."""
    labels = page.labels(element)
    if element.editable or element.checkable or page.is_row(element):
        return False
    return not labels or not (wording.is_refusal(labels[0]) or only_shows(labels[0]))


def _enter_over_page(page: Page, y: int, under: list[Element]) -> Judgement | None:
    """What Enter does where a keyboard surely covers what the tree has there: the page is behind it."""
    covered = page.observation.keyboard_shown and y > page.observation.height * _SURELY_KEYBOARD and under
    entered = _classify_enter(page) if covered and not page.is_of_system(under[0]) else None
    return entered if entered is not None and entered.kind else None


def _classify_typing(page: Page, text: str) -> Judgement:
    field = page.observation.focused_field()
    if types_secret(page, field, text):
        return Judgement(ActionKind.PASSWORD, Cue.TYPING, field)
    if field is None and text[:1].isspace():
        return _classify_key(page, moves="\t" in text)
    if "\t" in text:
        return _classify_key(page, moves=True)
    return _classify_enter(page, text) if "\n" in text or "\r" in text else Judgement(element=field)


def _classify_key(page: Page, moves: bool) -> Judgement:
    """What Space or Enter presses: the element with focus, after a Tab any element that takes touches."""
    focused = next((e for e in page.elements if e.focused and not e.editable), None)
    pressed = page.clickables if moves or focused is None else [focused]
    for element in pressed:
        judged = judge_element(page, element)
        if judged.kind:
            return Judgement(judged.kind, Cue.ENTER, element)
    return Judgement(element=focused)


def _classify_enter(page: Page, typed: str = "") -> Judgement:
    """Enter in a field sends or pays if an element of the page does; elsewhere it presses what has focus.

    A text to other people is sent by it where no button for that stands on the page.
    """
    field = page.observation.focused_field()
    if field is None:
        focused = next((e for e in page.elements if e.focused), None)
        return _classify_key(page, moves=False) if focused is not None else _unless_unseen(page, Judgement())
    if is_search_field(field):
        return Judgement(element=field)
    offered: set[ActionKind | None] = set()
    for e in page.clickables:
        if e.index != field.index:
            offered.add(classify_element(page, e))
        if ActionKind.SEND in offered:
            return Judgement(ActionKind.SEND, Cue.ENTER, field)
    if ActionKind.PAY in offered:
        return Judgement(ActionKind.PAY, Cue.ENTER, field)
    written = typed.strip() or (field.text and not shows_hint(field))
    sends = written and any(map(wording.asks_for_message, (field.hint, field.description, page.heading)))
    return Judgement(ActionKind.SEND if sends else None, Cue.ENTER, field)


def _classify_swipe(page: Page, start: Point) -> Judgement:
    """A swipe or drag that begins on a slider: by its words or those above it, else by what the page asks.

    An element whose id names a slide that confirms counts as one, whatever the page says.
    """
    x, y = page.observation.pixels(start)
    under = sorted(
        (e for e in page.elements if e.bounds.contains(x, y) and page.is_smaller_than_page(e)),
        key=lambda e: (e.bounds.area, -e.index),
    )[:_MOST_UNDER]
    for element in under:
        bar, confirms = element.class_name.endswith("SeekBar"), wording.slides_to_confirm(element.resource_id)
        labels = page.labels(element) or page.row_labels(element)
        if not labels and (bar or confirms):
            labels = [text_above(page, element)]
        sliding = [text for text in labels if wording.asks_to_slide(text)]
        if not (sliding or bar or confirms):
            continue
        for text in sliding:
            if kind := wording.classify_label(text) or wording.classify_question([text]):
                return Judgement(kind, Cue.SLIDER, element)
        kind = classify_agreement(page) or (ActionKind.PAY if asks_to_pay(page) else None)
        if kind or confirms:
            return Judgement(kind or kind_in_doubt(page), Cue.SLIDER, element)
    return Judgement(element=under[0] if under else None)

"""Text to show: made safe where it comes from outside, formatted figures, and styled text without Textual.

`choose_by_words` goes the other way: it finds which of some shown choices a typed line means.
Styled text names what a span is, such as muted; each interface decides how that looks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import chain, pairwise
from typing import NamedTuple

from rich.cells import cell_len

from assistant.conversation.line_words import (
    ShortAnswer,
    line_pattern,
    normalize_answer,
    normalize_line,
    read_place,
    read_short_answer,
)
from assistant.conversation.routing import RouteKind, forbids_deed, gives_up, route
from assistant.events import ActionKind, ApprovalRequested, Cause, CommandCorrected, Deed, TurnState
from assistant.i18n import _, later, shortened
from assistant.memory.prototypes.terms import find_refusals, says_thing, split_own_words
from assistant.proactive.schedule_times import split_times
from assistant.records import Action, Click, ForegroundApp, shown
from assistant.safety.effects import Commitment, find_commitment
from assistant.safety.wording import is_bare_amount
from assistant.skills.command_wording import read_correction

_ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_ENDS = re.compile(r"\r\n|[\r\v\f\x85\u2028\u2029]")
_BIDI_MARKS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF])
_TITLES = {
    ActionKind.PAY: later("Pay?"),
    ActionKind.SEND: later("Send or call?"),
    ActionKind.DELETE: later("Delete?"),
    ActionKind.INSTALL: later("Install?"),
    ActionKind.GRANT: later("Grant permission?"),
    ActionKind.SECURITY: later("Change a security setting?"),
    ActionKind.PASSWORD: later("Enter a password or code?"),
}
_KINDS = {
    ActionKind.PAY: later("payments"),
    ActionKind.SEND: later("sends and calls"),
    ActionKind.DELETE: later("deletions"),
    ActionKind.INSTALL: later("installs"),
    ActionKind.GRANT: later("permissions"),
    ActionKind.SECURITY: later("security changes"),
    ActionKind.PASSWORD: later("passwords"),
}


def changes_order(text: str, event: ApprovalRequested) -> bool:
    """Whether a line changes what is asked about: it corrects the command, or refuses what is shown by name.

    That is the means, recipient, place, app or seller of the deed.
    """
    if read_correction(event.command, text, event.said):
        return True
    deed = event.deed
    named = (deed.recipient, deed.app, deed.destination) if deed is not None else ()
    lines = [line.casefold() for line in (event.paid_from, event.seller, *event.destination, *named) if line]
    names = [name.casefold() for name in find_refusals(text).values()]
    return any(name in line or says_thing(line, name) for name in names for line in lines)


def safe(text: str) -> str:
    """Text without escape sequences, control characters and bidirectional marks.

    Line ends become a line feed, tabs four spaces, unpaired surrogates a replacement character.
    """
    text = _LINE_ENDS.sub("\n", _ESCAPE_SEQUENCE.sub("", text)).replace("\t", "    ").translate(_BIDI_MARKS)
    if text.isprintable():
        return text
    return "".join(_sanitize_character(character) for character in text)


def _sanitize_character(character: str) -> str:
    if character == "\n":
        return character
    match unicodedata.category(character):
        case "Cc":
            return ""
        case "Cs":
            return "\ufffd"
        case _:
            return character


def one_line(text: str) -> str:
    """Safe text on a single line."""
    return " ".join(safe(text).split())


def clip(text: str, length: int) -> str:
    """The text in at most `length` characters, with an ellipsis if it was cut."""
    return text if len(text) <= length else text[: length - 1] + "…"


def format_tokens(count: int, estimated: int = 0) -> str:
    """`950 tok`, `1.2k tok`, `34k tok`; with `~` where some of them are estimated."""
    about = "~" if estimated else ""
    if count < 1000:
        return f"{about}{count} tok"
    return f"{about}{count / 1000:.1f}k tok" if count < 10_000 else f"{about}{count / 1000:.0f}k tok"


def format_duration(seconds: float) -> str:
    """`0.3 s`, `42 s`, `2 min 5 s`."""
    if seconds < 10:
        return _("{seconds:.1f} s").format(seconds=seconds)
    if seconds < 60:
        return _("{seconds:.0f} s").format(seconds=seconds)
    minutes, rest = divmod(round(seconds), 60)
    return _("{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)


_SYSTEM_SCREENS = (
    later("Home screen"),
    later("System bar"),
    later("Notification shade"),
    later("Lock screen"),
    later("Recent apps"),
    later("Volume"),
    later("Permission controller"),
)
"""What is in front where no app is, as `assistant.phone` names it."""


def format_app_title(app: ForegroundApp) -> str:
    """What a person calls the app in front."""
    title = one_line(app.title)
    return _(title) if title in _SYSTEM_SCREENS else title


def format_title(kind: ActionKind) -> str:
    """The kind of action, as a question."""
    return _(_TITLES[kind])


def format_instruction(instruction: str) -> str:
    """An instruction on one line; the user's own words behind it are only mentioned: they stand above."""
    plain, words = split_own_words(one_line(instruction))
    return _("{instruction}, with your words").format(instruction=plain) if words else plain


_BUTTON_WIDTH, _ANSWER_WIDTH = 20, 69
"""Cells for the words of a button in a title, and for an answer in 80 columns."""


def with_name(words: str, deed: Deed | None) -> str:
    """An answer with the recipient of its deed for `{name}`, shortened to fit into one row."""
    before, name, after = words.partition("{name}")
    if not name or deed is None:
        return words
    room = _ANSWER_WIDTH - cell_len(before + after)
    return f"{before}{shortened(one_line(deed.recipient), room)}{after}"


def format_correction(event: CommandCorrected) -> str:
    """How the command holds behind a correction, on one line, with what was done for the one before."""
    template = _("Corrected: {command} (“{new}”, not “{old}”)")
    if not (event.old or event.new):
        template = _("Corrected: {command}")
    elif not event.old:
        template = _("Corrected: {command} (“{new}” is new)")
    elif not event.new:
        template = _("Corrected: {command} (not “{old}”)")
    corrected = template.format(
        command=one_line(event.command), new=one_line(event.new), old=one_line(event.old)
    )
    done = _("Done already, and not taken back: {what}.").format(what=one_line(event.done))
    return f"{corrected}. {done}" if event.done else corrected


def format_stage(event: ApprovalRequested) -> str:
    """Which stage of a payment is asked about. How many there will be only the last one knows."""
    if event.kind is not ActionKind.PAY or event.deed is None:
        return ""
    before = shortened(one_line(event.stage_before), _BUTTON_WIDTH)
    match find_commitment(event.deed):
        case Commitment.OPENS_CHECKOUT:
            stage = _("Step 1: opens the checkout, or buys at once")
        case Commitment.ORDERS if before:
            stage = _("Step {number}, after “{before}”: submits the order")
        case Commitment.ORDERS:
            stage = _("Step 1: submits the order; a payment page asks again")
        case _:
            stage = _("Step {number}, after “{before}”: pays") if before else ""
    return stage.format(number=event.stage, before=before)


def says_amount(sentence: str, amount: str) -> bool:
    """Whether a sentence says exactly this amount, and no longer number that begins like it."""
    return re.search(rf"(?<!\d){re.escape(one_line(amount))}(?![.,]?\d)", one_line(sentence)) is not None


def format_kind(kind: ActionKind) -> str:
    """The plural noun for a kind of action, such as "payments"."""
    return _(_KINDS[kind])


def format_action(action: Action) -> str:
    """What an action does, in the interface's language and on one line."""
    return one_line(shown(action, _))


_PARTS = " · "
_DISMISSALS = re.compile(
    r"(?:maybe |remind me )?later|not now|close|skip|dismiss|no(?: thanks?)?|×|x|"
    r"(?:以后|稍后|下次)再?说?|关闭|跳过|取消|忽略|暂?不用?了?|我知道了",
    re.IGNORECASE,
)
_ID_PURPOSES = {
    "fab": later("tap the large round button"),
    "send": later("press send"),
    "search": later("search"),
    "close": later("close what is open"),
    "back": later("go back"),
    "menu": later("open the menu"),
    "more": later("open more options"),
    "cart": later("open the cart"),
    "cart icon": later("open the cart"),
    "decrease": later("one less"),
    "minus": later("one less"),
    "increase": later("one more"),
    "plus": later("one more"),
    "play": later("play"),
    "next": later("go to the next"),
    "previous": later("go to the one before"),
    "share": later("share"),
    "settings": later("open its settings"),
    "profile": later("open the profile"),
    "call": later("press call"),
    "phone": later("press call"),
    "recycler": later("tap the list"),
    "list": later("tap the list"),
    "content": later("tap the page"),
    "container": later("tap the page"),
}
"""What an element is for that has no words on the screen, by the words of its id."""


def format_step(action: Action) -> str:
    """What a step is for, as far as action and screen tell, in a few words; `format_action` is the exact one.

    A row of a list is named by its first words, a close button by what it closes, and an element without
    words by its purpose instead of its id.
    """
    target = action.target
    if not isinstance(action, Click) or target is None:
        return format_action(action)
    name = one_line(target.name)
    if target.around and _DISMISSALS.fullmatch(name):
        return _("dismiss “{what}”").format(what=one_line(target.around))
    if not target.named:
        if name not in _ID_PURPOSES:
            return format_action(action)
        purpose, around = _(_ID_PURPOSES[name]), one_line(target.around)
        return _("{action} ({around})").format(action=purpose, around=around) if around else purpose
    if target.class_name.endswith("EditText"):
        # What stands in the field, such as an hour, is no name where the label beside it is known.
        return _("go to the field “{name}”").format(name=one_line(target.around) or name)
    telling = next((part for part in name.split(_PARTS) if any(map(str.isalpha, part))), name)
    shortened = target.model_copy(update={"text": telling})
    return format_action(action.model_copy(update={"target": shortened}))


_SOURCE_NAMES = {
    "profile": later("profile"),
    "preference": later("preference"),
    "exploration": later("phone"),
    "mcp": later("other source"),
    "turn": later("model's reading"),
    "user": later("answer"),
}


def format_source(source: str) -> str:
    """Where an element's meaning comes from, in the interface's language."""
    return _(_SOURCE_NAMES[source]) if source in _SOURCE_NAMES else one_line(source)


class TextStyle(StrEnum):
    """What a span of text is, as far as it shall look different."""

    NORMAL = "normal"
    STRONG = "strong"
    MUTED = "muted"
    CHOICE = "choice"
    """The number by which an answer is chosen."""


class TextSpan(NamedTuple):
    """Consecutive characters of one style."""

    text: str
    style: TextStyle = TextStyle.NORMAL


@dataclass(frozen=True, slots=True)
class StyledText:
    """Text of one or several lines, as spans of one style each."""

    spans: tuple[TextSpan, ...]

    @property
    def unstyled(self) -> str:
        """The characters alone."""
        return "".join(span.text for span in self.spans)


def styled(text: str, style: TextStyle = TextStyle.NORMAL) -> StyledText:
    """Text in a single style."""
    return StyledText((TextSpan(text, style),))


@dataclass(frozen=True, slots=True)
class LabelValueRow:
    """A label, which may be empty, and the text to its right.

    `is_beside` marks what stands beside the terms of an approval: what the page says besides, and details.
    """

    label: StyledText
    value: StyledText
    is_beside: bool = False

    @property
    def unstyled(self) -> str:
        """Label and text, without styles, not wrapped."""
        return self.label.unstyled + self.value.unstyled


def unlabelled_row(text: StyledText) -> LabelValueRow:
    """A row without a label."""
    return LabelValueRow(StyledText(()), text)


def find_priced(page_words: Sequence[str]) -> list[tuple[str, str]]:
    """The texts of a payment page behind each of which an amount stands, and the amounts."""
    words = [one_line(text) for text in page_words]
    return [
        (text, price) for text, price in pairwise(words) if is_bare_amount(price) and not is_bare_amount(text)
    ]


def find_unpriced(page_words: Sequence[str], beside: Sequence[str]) -> list[str]:
    """The other texts of a payment page, without those that are shown `beside` them."""
    shown_texts = {one_line(text) for text in (*chain(*find_priced(page_words)), *beside)}
    return [words for text in page_words if (words := one_line(text)) not in shown_texts]


_RUNNING = {
    Cause.OBSERVING: later("Running · looking at the phone"),
    Cause.THINKING: later("Running · model thinking"),
    Cause.ACTING: later("Running · acting"),
    Cause.HELD: later("Waiting for you"),
}
_WAITING = {
    Cause.QUESTION: ("?", later("Asking you")),
    Cause.APPROVAL: ("?", later("Needs your approval")),
    Cause.MEANING: ("?", later("About to begin")),
    Cause.HANDED_OVER: ("?", later("Handed over to you")),
    Cause.PHONE: ("◌", later("Phone not available, waiting for it")),
    Cause.MODEL: ("◌", later("Model not answering, retrying")),
}
_PAUSED = {
    Cause.USER_PAUSED: later("Paused by you"),
    Cause.HANDED_OVER: later("Handed over to you"),
    Cause.PHONE: later("Paused, the phone is not available"),
    Cause.MODEL: later("Paused, the model does not answer"),
    Cause.TOUCHED: later("Paused, you touched the phone"),
    Cause.CALL: later("Paused, a call comes in"),
    Cause.LOOP: later("Paused, it was going in circles"),
}
_CANCELLED = {
    Cause.COMMAND: ("■", later("Not begun")),
    Cause.PUT_OFF: ("◷", later("Put off")),
    Cause.ANSWERED: ("○", later("Answered without the phone")),
}


def format_headline(
    state: TurnState | None, cause: Cause | None, *, recording: bool = False
) -> tuple[str, str]:
    """A sign and a few words that distinguish every state without colour."""
    sign, text = ("◉", later("Recording")) if recording else _headline(state, cause)
    return sign, _(text)


def _headline(state: TurnState | None, cause: Cause | None) -> tuple[str, str]:
    match state:
        case None:
            return "○", later("Idle")
        case TurnState.RESOLVING:
            return "◌", later("Understanding the command")
        case TurnState.WAITING:
            return _WAITING.get(cause or Cause.COMMAND, ("?", later("Waiting for you")))
        case TurnState.RUNNING if cause in (Cause.PHONE, Cause.MODEL):
            return _WAITING[cause]
        case TurnState.RUNNING:
            return "▸", _RUNNING.get(cause or Cause.COMMAND, later("Running"))
        case TurnState.PAUSING:
            return "‖", later("Pausing after this step")
        case TurnState.PAUSED:
            return "‖", _PAUSED.get(cause or Cause.COMMAND, later("Paused"))
        case TurnState.FINISHED:
            return "✓", later("Finished")
        case TurnState.FAILED:
            return "✗", later("Failed")
        case TurnState.CANCELLED:
            return _CANCELLED.get(cause or Cause.DONE, ("■", later("Cancelled by you")))
        case TurnState.UNCONFIRMED:
            return ("=", later("Already so")) if cause is Cause.ALREADY_SO else ("≈", later("Not confirmed"))


_END_ADVICE = {
    TurnState.FAILED: later("Type what to do instead; what was done stays done."),
    TurnState.CANCELLED: later("What was done stays done."),
    TurnState.UNCONFIRMED: later("Look at the phone before you repeat it."),
}


_END_ADVICE_WITHOUT_STEPS = {
    TurnState.FAILED: later("Type what to do instead; no step was done."),
    TurnState.CANCELLED: later("No step was done."),
}


def format_end_advice(state: TurnState, steps: int = 1, cause: Cause | None = None, said: str = "") -> str:
    """What a turn of so many steps that did not end well leaves to be done; empty for another state.

    Where the phone could not do again and again what was said, the program may.

    Args:
        state: how it ended.
        steps: how many steps were done.
        cause: why it ended.
        said: the command.
    """
    if cause is Cause.ALREADY_SO or (
        cause in (Cause.COMMAND, Cause.ANSWERED) and state is TurnState.CANCELLED
    ):
        return ""
    if cause is Cause.PUT_OFF:
        return _("“cancel that” removes it, “make it 9” moves it; /schedule lists all.")
    if state is TurnState.FAILED and split_times(said, datetime.now().astimezone()) is not None:
        return _("To schedule it, send: {command}").format(command=f"/schedule {said}")
    advice = _END_ADVICE.get(state, "")
    return _(advice if steps else _END_ADVICE_WITHOUT_STEPS.get(state, advice))


def behind_refusal(text: str) -> str:
    """What a line says behind a clause that refuses every choice: “neither, something hot”; else empty."""
    match = re.search(r"\s*[,，;；。.]\s*", text)
    if match is None or read_short_answer(text[: match.start()]) is not ShortAnswer.NONE_OF_THEM:
        return ""
    return text[match.end() :].strip()


def halts_turn(text: str) -> bool:
    """Whether a line objects to what runs or waits and asks nothing: “never mind”, “no”, 还是别打了."""
    line = line_pattern("exclaims").sub("", normalize_line(text))
    ends = route(text).kind in (RouteKind.CANCEL, RouteKind.STOP)
    return ends or forbids_deed(text) or read_short_answer(line) is ShortAnswer.NO


def choose_by_words(text: str, choices: Sequence[str]) -> int | None:
    """The place of the choice that a line means; None where it means none of them, or several.

    A choice is meant by its number, by its place (“the second one”, 第二个), by its whole text, or by words
    all of which only it has (“the latte”). What gives up, such as 算了, is no words of a choice.
    """
    words = normalize_answer(text)
    if (place := read_place(words, len(choices))) is not None:
        return place
    folded = [normalize_answer(choice) for choice in choices]
    if words in folded:
        return folded.index(words)
    if gives_up(text):
        return None
    choice_words = line_pattern("around").sub("", words).strip(" ,，")
    ordinal = None if re.search(r"\d", choice_words) else read_place(choice_words, len(choices))
    if choice_words != words and ordinal is not None:
        return ordinal
    tells = len(choice_words.split()) > 2 and line_pattern("begins_sentence").match(choice_words)
    matches = [index for index, choice in enumerate(folded) if _says_all(choice, choice_words)]
    return matches[0] if len(matches) == 1 and not tells else None


def read_number(text: str, answers: Sequence[str]) -> int | None:
    """The number that a line is, alone or before the words of its answer; None for another line."""
    number, _space, words = normalize_answer(text).partition(" ")
    if not number.isascii() or not number.isdecimal():
        return None
    place = int(number[:6])
    shown = answers[place - 1] if 1 <= place <= len(answers) else ""
    return place if words in ("", normalize_answer(shown)) else None


def _says_all(choice: str, words: str) -> bool:
    """Whether a choice has all of some words; Chinese words are not separated, so they count as one."""
    parts = re.findall(r"[^\W_]+", words)
    latin = set(re.findall(r"[a-z0-9]+", choice))
    return bool(parts) and all(part in latin if part.isascii() else part in choice for part in parts)


def recipient_rows(event: ApprovalRequested) -> list[tuple[str, str]]:
    """To whom, and how much, unless the sentence says it."""
    deed = event.deed
    rows: list[tuple[str, str]] = []
    if deed is None:
        return rows
    if deed.amount and not says_amount(event.sentence, deed.amount):
        rows.append((_("Amount"), one_line(deed.amount)))
    if deed.recipient and one_line(deed.recipient) not in one_line(event.sentence):
        label = _("Asked") if deed.kind is ActionKind.GRANT else _("To")
        rows.append((label, one_line(deed.recipient)))
    return rows


def payment_rows(event: ApprovalRequested) -> list[tuple[str, str]]:
    """How much, to whom, for what, where to and from where. Nobody is called the payee by guess."""
    deed = event.deed
    payee = one_line(deed.recipient) if deed is not None else ""
    if not payee and event.payee_before:
        payee = _("{payee}, an earlier page says").format(payee=one_line(event.payee_before))
    elif not payee and event.seller:
        payee = _("{payee}, named above the items").format(payee=one_line(event.seller))
    amount = one_line(deed.amount) if deed is not None else ""
    rows = [(_("Price"), amount or _("not told on this page"))]
    rows += [(_("To"), payee)] if payee else []
    if priced := find_priced(event.page_words):
        rows.append((_("For"), " · ".join(f"{words} {price}" for words, price in priced)))
    if event.destination:
        rows.append((_("Where to"), ", ".join(map(one_line, event.destination))))
    if event.paid_from:
        rows.append((_("From"), one_line(event.paid_from)))
    return rows if payee else [*rows, (_("To"), _("not named on this page"))]

"""Prompts that wait for the user's decision, with their wording."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil
from typing import NamedTuple

from rich.cells import cell_len

from assistant.conversation.line_words import (
    ShortAnswer,
    agrees_to,
    is_question,
    line_pattern,
    normalize_answer,
    read_short_answer,
)
from assistant.conversation.routing import is_refusal
from assistant.events import (
    ActionKind,
    Approval,
    ApprovalRequested,
    MeaningProposed,
    QuestionAsked,
    Verdict,
)
from assistant.i18n import _, counted, moment, padded, shortened
from assistant.presentation.command_meaning import (
    begins_command,
    postpone,
    read_approval_line,
    read_change,
    read_free_line,
    split_choice,
    tell_unclear_answer,
    tell_unclear_approval,
    tell_why_asked,
)
from assistant.presentation.text import (
    LabelValueRow,
    StyledText,
    TextSpan,
    TextStyle,
    behind_refusal,
    changes_order,
    choose_by_words,
    find_unpriced,
    format_action,
    format_app_title,
    format_instruction,
    format_kind,
    format_stage,
    format_title,
    one_line,
    payment_rows,
    read_number,
    recipient_rows,
    safe,
    styled,
    unlabelled_row,
    with_name,
)
from assistant.presentation.ui_state import (
    AnswerUse,
    UserRequest,
    may_be_meant,
    may_be_value,
    read_choice,
    read_question_line,
    settle_answer,
    turns_down,
)
from assistant.records import Observation, TypeText
from assistant.safety.deeds import may_be_for_turn, may_be_rule
from assistant.safety.effects import is_call, names_ending, payment_sentence
from assistant.turn_runner import InterruptedTurn
from assistant.understand.explore import is_complete_order
from assistant.understand.perceive import find_answer_problem, is_quoted
from assistant.understand.types import Category

_ANSWERING = (AnswerUse.ANSWER, AnswerUse.UNCLEAR)
_APP_WIDTH = 16
"""Cells for the app in an answer."""


def parse_answer(text: str, kind: ActionKind, *, calls: bool | None = None) -> PromptChoice | None:
    """Whether a typed line only says yes or no to a deed of a kind; None if it says something else.

    Args:
        text: the line.
        kind: the kind.
        calls: whether what is sent is a call: “yes, call him” allows no message. None where either may be.
    """
    answer, deeds = read_short_answer(text), [kind.value]
    if kind is ActionKind.SEND:
        deeds = {None: ["send", "call"], True: ["call"], False: ["send"]}[calls]
    if (answer is ShortAnswer.YES and not is_question(text)) or agrees_to(text, *deeds):
        return PromptChoice.YES
    if agrees_to(text, "always"):
        return PromptChoice.ALWAYS
    return PromptChoice.NO if answer is ShortAnswer.NO or is_refusal(text) else None


ONCE_SUFFIX = "just this time"
"""Appended to an answer that is not to be remembered."""


class PromptChoice(StrEnum):
    """The answer that is chosen from a prompt's list.

    `CHANGE` puts it into the input field, `ONCE` switches whether it counts only this time, and `INSTEAD`
    asks for words: what is typed next is done instead.
    """

    YES = "yes"
    TURN = "turn"
    ALWAYS = "always"
    NO = "no"
    LATER = "later"
    CHANGE = "change"
    INSTEAD = "instead"
    ONCE = "once"


_VERDICTS = {
    PromptChoice.YES: Verdict.ONCE,
    PromptChoice.TURN: Verdict.THIS_TURN,
    PromptChoice.ALWAYS: Verdict.ALWAYS,
    PromptChoice.NO: Verdict.NO,
}


class PromptAnswer(NamedTuple):
    """An answer that can be chosen from a list. `choice` is a `PromptChoice`, or words to answer with."""

    words: str
    choice: str


@dataclass(slots=True, eq=False)
class ApprovalPrompt:
    """A sensitive action that waits for approval, and the screen on which it was chosen.

    With `details` it also shows the names that programs give: package, page, element. With `instead` the user
    has chosen to say what is to be done instead: the next free sentence is that.
    `was_spoken_beside`: something was typed below it that was no plain answer, and `unclear_reply` said so.
    """

    event: ApprovalRequested
    screen: Observation | None = None
    details: bool = False
    instead: bool = False
    was_spoken_beside: bool = False
    unclear_reply: str = ""
    asking = UserRequest.APPROVAL

    @property
    def answers(self) -> list[PromptAnswer]:
        """The answers, in the order of their numbers; only those that may be given.

        Every approval has the same two first: a number learnt on one must not allow more on another.
        """
        event, deed = self.event, self.event.deed
        answers = [
            PromptAnswer(_("yes, this once"), PromptChoice.YES),
            PromptAnswer(_("no, pause here"), PromptChoice.NO),
        ]
        if not self._ends_running and (deed is None or may_be_for_turn(deed)):
            words = _("yes, and such {kind} for the rest of this turn").format(kind=format_kind(event.kind))
            if deed is not None and deed.kind is ActionKind.PAY and deed.amount:
                words = _("yes, and pay {name} again this turn, at most {amount} each")
                words = words.format(name="{name}", amount=one_line(deed.amount))
            answers.append(PromptAnswer(with_name(words, deed), PromptChoice.TURN))
        if not self._ends_running and deed is not None and may_be_rule(deed):
            words = _("yes, always: {kind} in {app}")
            if deed.kind is ActionKind.GRANT:
                words = _("yes, always: this permission")
            elif deed.recipient:
                words = _("yes, always: {kind}, {name}, in {app}")
            app = shortened(format_app_title(event.app) if event.app.package else "", _APP_WIDTH)
            words = words.format(kind=format_kind(event.kind), name="{name}", app=app)
            answers.append(PromptAnswer(with_name(words, deed), PromptChoice.ALWAYS))
        answers.append(PromptAnswer(_("no, do this instead: …"), PromptChoice.INSTEAD))
        return answers

    @property
    def choices(self) -> str:
        """How to answer."""
        keys = _("enter takes ▸   or 1–{count}, y, n   space: details")
        if self.first_marked is None:
            keys = _("1–{count}, y, n or ↓ marks, then enter gives it   space: details")
        return keys.format(count=len(self.answers))

    @property
    def first_marked(self) -> int | None:
        """The place of the answer that is marked at first: after a warning the no, else none.

        An Enter too many allows nothing.
        """
        choices = [answer.choice for answer in self.answers]
        return choices.index(PromptChoice.NO) if self.event.warning else None

    def tell_mark(self, place: int | None) -> str:
        """Why an answer is marked, or why none is.

        Args:
            place: that of the marked answer; None for none.
        """
        if place is None:
            if self.was_spoken_beside or self.event.user_words:
                return _("nothing is marked: you said something since, read it first")
            is_payment = self.event.kind is ActionKind.PAY
            return _("nothing is marked: money would leave") if is_payment else _("nothing is marked yet")
        number = place + 1
        if place != self.first_marked:
            return _("{number} is marked because you chose it").format(number=number)
        if self.event.unheard:
            return _("{number} is marked: your words are not done").format(number=number)
        if self.event.warning:
            return _("{number} is marked: read the first line").format(number=number)
        return ""

    @property
    def title(self) -> str:
        """The kind of action as a question; of a payment in stages also which one this is."""
        if self._ends_running:
            return _("End it?")
        title, stage = format_title(self.event.kind), format_stage(self.event)
        return f"{title} {stage}" if stage else title

    @property
    def _ends_running(self) -> bool:
        """Whether it hangs up, leaves or turns down something: no deletion, for which there may be a rule."""
        target = self.event.action.target
        return self.event.kind is ActionKind.DELETE and target is not None and names_ending(target.label)

    @property
    def heading(self) -> str:
        """The title with the amount and the recipient, for a dialog whose heading may be all that is read."""
        deed = self.event.deed
        terms = [one_line(text) for text in (deed.amount, deed.recipient) if text] if deed is not None else []
        return " · ".join([self.title, *terms])

    @property
    def body(self) -> list[LabelValueRow]:
        """What the decision is about, in the screen's own words: what, how much, to whom, where."""
        event = self.event
        is_told = event.user_words in (event.unheard, "") or f"“{event.user_words}”" in event.warning
        rows = [] if is_told else [(_("You said"), f"“{one_line(event.user_words)}”")]
        rows += payment_rows(event) if event.kind is ActionKind.PAY else recipient_rows(event)
        action = event.action
        if text := event.text or (action.text if isinstance(action, TypeText) else ""):
            rows.append((_("Text"), safe(text)))
        elif event.kind is ActionKind.SEND:
            rows += [(_("Field"), text) for text in self._field_texts]
        app = format_app_title(event.app) or one_line(event.app.activity)
        if isinstance(action, TypeText):
            rows.append((_("App"), app))
        else:
            in_app = _("{action}, in {app}") if app else "{action}"
            rows.append((_("Action"), in_app.format(action=format_action(action), app=app)))
        if event.not_shown:
            words = _(", ").join(f"“{one_line(words)}”" for words in event.not_shown)
            rows.append((_("Not seen"), _("{words}: no screen says so in these words").format(words=words)))
        terms = len(rows)
        if page_words := find_unpriced(event.page_words, (*event.destination, event.seller)):
            rows.append((_("Page says"), " · ".join(page_words)))
        if event.pages_before:
            rows.append((_("Before this"), " › ".join(one_line(title) for title in event.pages_before)))
        rows += self._detail_rows if self.details else []
        label_width = max(cell_len(name) for name, _text in rows) + 2
        labelled_rows = [
            LabelValueRow(styled(padded(name, label_width), TextStyle.MUTED), styled(text), at >= terms)
            for at, (name, text) in enumerate(rows)
        ]
        sentences = [one_line(text) for text in (self.unclear_reply, event.warning, self._sentence) if text]
        if event.unheard:
            sentences.insert(
                1 + bool(self.unclear_reply),
                _("Choosing no pauses: then say it in other words, or do it on the phone."),
            )
        if event.as_commanded:
            sentences.append(_("The text is sent exactly as it stands, word for word from your command."))
        return [unlabelled_row(styled(text, TextStyle.STRONG)) for text in sentences] + labelled_rows

    @property
    def _sentence(self) -> str:
        """What the action would do, unless the rows of a payment say all of it."""
        event, deed = self.event, self.event.deed
        if event.kind is ActionKind.PAY and deed is not None:
            payments = {payment_sentence(deed.amount, payee) for payee in (deed.recipient, "")}
            return "" if event.sentence in payments else event.sentence
        return event.sentence

    @property
    def _detail_rows(self) -> list[tuple[str, str]]:
        app, target = self.event.app, self.event.action.target
        activity = app.activity.removeprefix(app.package) if app.package else app.activity
        rows = [(_("Asks because"), one_line(self.event.reason))] if self.event.reason else []
        rows.append((_("Page"), one_line("/".join(part for part in (app.package, activity) if part))))
        if target is not None:
            kind = target.class_name.rpartition(".")[2]
            parts = [target.text, target.description, kind, target.resource_id]
            words = " · ".join(dict.fromkeys(part for part in parts if part))
            rows.append((_("Element"), one_line(words)))
        return rows

    @property
    def _field_texts(self) -> list[str]:
        """The text in the screen's fields: the message that a tap on Send would send."""
        elements = self.screen.elements if self.screen is not None else ()
        return [
            safe(element.text)
            for element in elements
            if element.editable and element.text not in ("", element.hint) and not element.password
        ]

    @property
    def settled(self) -> Future[Approval]:
        """Resolved once the decision is made."""
        return self.event.decision

    def choose(self, choice: str) -> None:
        """Make the decision. `INSTEAD` makes none: the words are still to come."""
        self.instead = choice == PromptChoice.INSTEAD
        if not self.instead:
            self._settle(Approval(_VERDICTS[PromptChoice(choice)]))

    def parse(self, text: str) -> PromptChoice | None:
        """The answer that a typed line plainly gives; None if it says something else."""
        target = self.event.action.target
        calls = target is not None and is_call(target.name.casefold())
        return parse_answer(text, self.event.kind, calls=calls)

    def use_of(self, text: str, command: str = "") -> AnswerUse:
        """What a typed line is for."""
        if read_number(text, [answer.words for answer in self.answers]) is not None:
            return AnswerUse.ANSWER
        if (choice := self.parse(text)) in (PromptChoice.YES, PromptChoice.ALWAYS):
            is_offered = any(answer.choice == choice for answer in self.answers)
            return AnswerUse.ANSWER if is_offered else AnswerUse.UNCLEAR
        event = self.event
        use = read_approval_line(text, None if self.instead else event.command, event.kind, event.time)
        if use is not AnswerUse.CHOOSE or self.instead:
            return AnswerUse.ANSWER if use is AnswerUse.CHOOSE else use
        if not changes_order(text, event):
            return read_free_line(text)
        # Another order needs a permission no less: that question stands.
        return AnswerUse.LINE if event.kind is ActionKind.GRANT else AnswerUse.ANSWER

    def tell_unclear(self, text: str, command: str = "") -> str:
        """What to do after a question, with what the page tells of it; it stays in the card."""
        self.unclear_reply = tell_unclear_approval(text, self.event)
        return self.unclear_reply

    def postponed(self, text: str) -> str:
        """The command behind the time to which a line puts it off."""
        return one_line(postpone(text, self.event.command, self.event.time))

    def answer_in_words(self, text: str) -> None:
        """Take a typed yes, no or number; refuse for anything else, which is to be done instead.

        A number that no answer has says nothing: the question stands.
        """
        answers = self.answers
        number = read_number(text, [answer.words for answer in answers])
        if number is not None:
            if 1 <= number <= len(answers):
                self.choose(answers[number - 1].choice)
        elif (choice := self.parse(text)) and any(answer.choice == choice for answer in answers):
            self.choose(choice)
        else:
            self.refuse_for(text)

    def refuse_for(self, text: str) -> None:
        """Refuse, for what is to be done instead; a permission's dialog stays where that is not spoken of."""
        is_order = self.event.kind is ActionKind.GRANT and not line_pattern("of_permission").search(text)
        self._settle(Approval(Verdict.INSTEAD, text, answers_dialog=self.instead or not is_order))

    def withhold(self, words: str = "") -> None:
        """Refuse for want of a plain yes. Nobody said no, so a dialog of the phone is left as it stands."""
        self._settle(Approval(Verdict.INSTEAD if words else Verdict.NO, words, answers_dialog=False))

    def note_said(self, text: str) -> None:
        """Show what was said to the turn while the approval waits; no answer is marked any more."""
        self.event = replace(self.event, user_words=text)

    def _settle(self, approval: Approval) -> None:
        if not self.event.decision.done():
            self.event.decision.set_result(approval)


@dataclass(slots=True, eq=False)
class QuestionPrompt:
    """A question of the assistant, with likely answers to choose by number.

    With `once` the answer is not remembered. With `own_words` none of the likely answers was meant: what is
    typed next is the answer, whatever it says. `unclear` is the line that was taken for no answer last.
    With `in_list` the keys go to the list of answers, not to the field.
    """

    event: QuestionAsked
    once: bool = False
    own_words: bool = False
    unclear: str = ""
    in_list: bool = False
    asking = UserRequest.QUESTION

    @property
    def title(self) -> str:
        """The prompt's title."""
        return _("Question")

    @property
    def body(self) -> list[LabelValueRow]:
        """The question, and why it is asked where it is about the command."""
        rows = [unlabelled_row(styled(safe(self.event.question).strip()))]
        if why := tell_why_asked(self.event):
            rows.append(unlabelled_row(styled(why, TextStyle.MUTED)))
        return rows

    @property
    def lists_candidates(self) -> bool:
        """Whether the choices are candidates, none of which may be right, and not ways to go on."""
        is_way = not self.event.step and self.event.about in ("", Category.REMARK)
        return bool(self.event.choices) and not is_way

    @property
    def answers(self) -> list[PromptAnswer]:
        """The likely answers, own words, and whether the answer is remembered where it could be."""
        answers = [PromptAnswer(one_line(words), choice) for words, choice in self.event.likely]
        if self.lists_candidates:
            answers.append(PromptAnswer(_("none of these: your own words …"), PromptChoice.INSTEAD))
        if self.event.kept:
            words = _("remember the answer after all") if self.once else _("answer for this time only …")
            answers.append(PromptAnswer(words, PromptChoice.ONCE))
        return answers

    @property
    def choices(self) -> str:
        """How to answer."""
        count = len(self.event.choices) + self.lists_candidates
        match count:
            case _ if self.own_words:
                hint = _("None of these: type your own words, then enter")
            case 0:
                hint = _("Type the answer below, enter sends it")
            case _ if self.in_list:
                hint = _("enter takes ▸   or your own words, then enter")
            case 1:
                hint = _("1, or your own words, then enter   enter alone goes to ▹")
            case _:
                hint = _("1–{count}, or your own words, then enter   enter alone goes to ▹")
                hint = hint.format(count=count)
        return f"{hint} · {_('for this time only')}" if self.once else hint

    @property
    def settled(self) -> Future[str]:
        """Resolved once the question is answered."""
        return self.event.answer

    def choose(self, choice: str) -> None:
        """Answer with a likely answer, ask for own words, or switch whether the answer is remembered."""
        if choice is PromptChoice.ONCE:
            self.once = not self.once
        elif choice is PromptChoice.INSTEAD:
            self.own_words = True
        elif not self.event.answer.done():
            self.event.answer.set_result(f"{choice} ({ONCE_SUFFIX})" if self.once else choice)

    def use_of(self, text: str, command: str = "") -> AnswerUse:
        """What a typed line is for. What may be a value and is sent twice answers as it stands."""
        use = read_change(self.event, text, command) or self._read_use(text)
        return AnswerUse.BOTH if use in _ANSWERING and self.split(text) is not None else use

    def split(self, text: str) -> tuple[str, str] | None:
        """The choice that a line names first, and what it says besides: “the latte, but make it large”."""
        both = None if self.own_words else split_choice(text, self.event.choices)
        return (self.event.choices[both[0]], both[1]) if both is not None else None

    def _read_use(self, text: str) -> AnswerUse:
        if may_be_value(text, self.event.choices) and not self.own_words and text != self.unclear:
            self.unclear = text
            return AnswerUse.UNCLEAR
        text = text if self.event.step else settle_answer(text)
        place = read_choice(text, [answer.choice for answer in self.answers])
        is_free = self.own_words or is_quoted(text)
        if is_free or place is not None or read_short_answer(text) is ShortAnswer.NONE_OF_THEM:
            return AnswerUse.ANSWER
        event, before, self.unclear = self.event, self.unclear, text
        if not (event.step or event.is_value):
            is_other = not event.reasons and begins_command(text, event.time)
            # An order answers what is to be done, and not for when.
            asks_what = event.about in (Category.OPEN, Category.REMARK)
            if is_complete_order(text) and (asks_what or not is_other):
                return AnswerUse.ANSWER
            if is_other:
                return AnswerUse.LINE
        use = read_question_line(text, about_command=event.step == 0, is_value=event.is_value)
        problem = "" if event.step else find_answer_problem(event.about, text)
        if use is AnswerUse.ANSWER and event.step == 0 and (problem or turns_down(text, event.choices)):
            use = AnswerUse.UNCLEAR
        is_repeated = text == before and may_be_meant(text, event.choices) and not problem
        return AnswerUse.ANSWER if use is AnswerUse.UNCLEAR and is_repeated else use

    def tell_unclear(self, text: str, command: str = "") -> str:
        """What to do after a line that answers nothing, with what it would make of the command."""
        return tell_unclear_answer(self.event, text, command, tell_why_asked(self.event))

    def answer_in_words(self, text: str) -> None:
        """Answer. A number, a place or words that only one likely answer has stand for that answer."""
        if self.event.answer.done():
            return
        choices = self.event.choices
        if choices and not self.own_words and read_short_answer(text) is ShortAnswer.NONE_OF_THEM:
            self.own_words = True
            return
        if choices and (rest := behind_refusal(text)):
            # None of these, and what is wanted instead, which is none of them either.
            self.own_words = True
            if normalize_answer(rest).isdecimal() or choose_by_words(rest, choices) is not None:
                return
            text = rest
        answers = [answer.choice for answer in self.answers]
        # A yes to a remark says that it is to be done.
        text = text if self.event.step or self.event.about == Category.REMARK else settle_answer(text)
        if self.own_words or may_be_value(text, choices):
            text = text.strip()
        elif (place := read_choice(text, answers)) is not None:
            text = answers[place]
        self.choose(text)


@dataclass(slots=True, eq=False)
class MeaningPrompt:
    """What a command was taken to mean; accepted after a countdown, unless the user intervenes.

    `deadline` is the end of the countdown by the clock; None while it waits for the user. With `in_field`
    what is typed is about the instruction, with `edits` the field holds it, and with `changes` the user has
    chosen to change it by what the field says.
    """

    event: MeaningProposed
    deadline: float | None = None
    in_field: bool = False
    edits: bool = False
    changes: bool = False
    seconds_left: int = 0
    asking = UserRequest.MEANING

    @property
    def title(self) -> str:
        """The prompt's title."""
        return _("About to do")

    @property
    def instruction(self) -> str:
        """The instruction as it is shown."""
        return one_line(self.event.instruction)

    @property
    def body(self) -> list[LabelValueRow]:
        """The instruction, as it was proposed, and what was said where that is another thing."""
        rows = [unlabelled_row(styled(format_instruction(self.instruction), TextStyle.STRONG))]
        if self.event.unlike:
            note = _("Keeps few of your words: “{said}”").format(said=one_line(self.event.unlike))
            rows.append(unlabelled_row(styled(note)))
        return rows

    @property
    def note(self) -> str:
        """What still needs approval."""
        return _("paying, sending and deleting still ask first, unless always allowed")

    @property
    def answers(self) -> list[PromptAnswer]:
        """What to do while the field holds something else; else the field itself is the answer."""
        if self.in_field:
            return []
        return [
            PromptAnswer(_("go now"), PromptChoice.YES),
            PromptAnswer(_("change it by what is in the field"), PromptChoice.CHANGE),
        ]

    @property
    def choices(self) -> str:
        """The available keys, and the time left."""
        if self.edits:
            keys = _("enter does what the field says   esc pause   f8 why")
        elif self.in_field:
            keys = _("enter go now   ↑ edit   or say what to change   f8 why")
        else:
            keys = _("tab chooses   esc pause   f8 why")
        starts = _("starts in {seconds} s").format(seconds=self.seconds_left)
        return f"{keys}   {starts if self.deadline is not None else _('waits for you')}"

    @property
    def settled(self) -> Future[str]:
        """Resolved once the instruction is decided."""
        return self.event.decision

    def begin(self, now: float) -> None:
        """Start the countdown, unless the user must decide."""
        if self.event.unlike:
            return
        self.deadline = now + self.event.seconds
        self.tick(now)

    def stop_countdown(self) -> None:
        """Stop the countdown and wait for the user."""
        self.deadline = None

    def tick(self, now: float) -> None:
        """Update the countdown."""
        if self.deadline is None:
            return
        self.seconds_left = max(0, ceil(self.deadline - now))
        if now >= self.deadline:
            self.choose(PromptChoice.YES)

    def choose(self, choice: str) -> None:
        """Accept the meaning, or have it changed by what is said next."""
        self.changes = choice == PromptChoice.CHANGE
        if choice == PromptChoice.YES:
            self.answer_in_words(self.instruction)

    def answer_in_words(self, text: str) -> None:
        """Accept this text as the instruction."""
        if not self.event.decision.done():
            unchanged = text.strip() == self.instruction
            self.event.decision.set_result(self.event.instruction if unchanged else text.strip())


@dataclass(frozen=True, slots=True)
class ContinuePrompt:
    """A turn that a killed program left behind. `proceed` returns whether it could be continued.

    `phone` is what its phone is called, where there are several; else empty.
    """

    turn: InterruptedTurn
    proceed: Callable[[], bool]
    discard: Callable[[], None]
    settled: Future[None]
    phone: str = ""
    asking = UserRequest.OFFER

    @property
    def title(self) -> str:
        """The prompt's title."""
        return _("Left unfinished")

    @property
    def answers(self) -> list[PromptAnswer]:
        """Continue, discard, or leave it as it is."""
        go_on = _("continue with step {next}").format(next=self.turn.steps + 1)
        return [
            PromptAnswer(go_on, PromptChoice.YES),
            PromptAnswer(_("discard it: what was done stays done"), PromptChoice.NO),
            PromptAnswer(_("decide at the next start"), PromptChoice.LATER),
        ]

    @property
    def choices(self) -> str:
        """How to answer."""
        return _("1–{count}, then enter, or type another command").format(count=len(self.answers))

    @property
    def body(self) -> list[LabelValueRow]:
        """A description of the turn."""
        template = _("“{said}”, begun on {moment}, stopped after {steps} when the program ended.")
        before, _said, after = template.partition("{said}")
        after = after.format(moment=moment(self.turn.time), steps=counted(self.turn.steps, "step"))
        said = TextSpan(one_line(self.turn.said), TextStyle.STRONG)
        place = " " + _("It goes on on {phone}.").format(phone=one_line(self.phone)) if self.phone else ""
        return [unlabelled_row(StyledText((TextSpan(before), said, TextSpan(after + place))))]

    def choose(self, choice: str) -> None:
        """Continue, discard, or leave it."""
        match choice:
            case PromptChoice.YES if not self.proceed():
                return
            case PromptChoice.NO:
                self.discard()
        self.withdraw()

    def answer_in_words(self, text: str) -> None:
        """Does nothing: the prompt takes no words."""

    def withdraw(self) -> None:
        """Remove the prompt from the screen; the turn stays stored."""
        if not self.settled.done():
            self.settled.set_result(None)


Prompt = ApprovalPrompt | QuestionPrompt | MeaningPrompt | ContinuePrompt

"""What waits for the user, as numbered lines, and answers given by number."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.i18n import _
from assistant.presentation import prompts
from assistant.presentation.prompts import (
    ApprovalPrompt,
    ContinuePrompt,
    MeaningPrompt,
    Prompt,
    PromptChoice,
    QuestionPrompt,
)
from assistant.presentation.text import one_line

_ONCE = "once "


def told(prompt: Prompt) -> Iterator[str]:
    """The lines of a prompt: what it is about, a line for each choice, and what else can be typed."""
    yield prompt.title
    if not isinstance(prompt, QuestionPrompt):
        lines = (line for row in prompt.body for line in row.plain.split("\n"))
        yield from (one_line(line) for line in lines if line.strip())
    if isinstance(prompt, QuestionPrompt):
        yield one_line(prompt.event.question)
    for number, (words, _choice) in enumerate(choices(prompt), start=1):
        yield f"{number}  {words}"
    match prompt:
        case ApprovalPrompt():
            yield _("Type a number, or what it should do instead.")
        case QuestionPrompt(event=event) if event.kept:
            yield _("Type the answer. It is remembered, unless it begins with “once ”.")
        case QuestionPrompt():
            yield _("Type the answer.")
        case MeaningPrompt():
            yield _("Type 1, or what it should do. Nothing happens before.")
        case ContinuePrompt():
            yield _("Type a number, or a command.")


def choices(prompt: Prompt) -> list[tuple[str, PromptChoice | str]]:
    """What can be picked by number: its words, and what it stands for."""
    match prompt:
        case ApprovalPrompt(event=event):
            kind, app = prompts.format_kind(event.kind), prompts.format_app(event.app)
            always = _("yes, and to all {kind} in {app} always; “assistant approvals” takes it back")
            return [
                (_("yes, once"), PromptChoice.YES),
                (_("yes, and to all {kind} for the rest of this turn").format(kind=kind), PromptChoice.TURN),
                (always.format(kind=kind, app=app or _("this app")), PromptChoice.ALWAYS),
                (_("no, and pause the turn"), PromptChoice.NO),
            ]
        case QuestionPrompt(event=event):
            return [(one_line(likely), likely) for likely in event.choices]
        case MeaningPrompt():
            return [(_("do it"), PromptChoice.YES)]
        case ContinuePrompt():
            return [(_("continue it"), PromptChoice.YES), (_("discard it"), PromptChoice.NO)]


def answer(prompt: Prompt, line: str) -> bool:
    """Answer a prompt with what was typed; whether it was an answer to it."""
    words = line.strip()
    picks = choices(prompt)
    if words.isdecimal():
        if not 1 <= int(words) <= len(picks):
            return _in_words(prompt, words) if isinstance(prompt, QuestionPrompt) else False
        picked = picks[int(words) - 1][1]
        if isinstance(picked, PromptChoice):
            prompt.choose(picked)
        else:
            prompt.tell(picked)
        return True
    return bool(words) and not isinstance(prompt, ContinuePrompt) and _in_words(prompt, words)


def _in_words(prompt: Prompt, words: str) -> bool:
    if isinstance(prompt, QuestionPrompt) and prompt.event.kept and words.lower().startswith(_ONCE):
        prompt.once = True
        words = words[len(_ONCE) :].strip()
    prompt.tell(words)
    return True

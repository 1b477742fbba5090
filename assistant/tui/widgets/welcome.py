"""Shown before the first turn: what is missing and what to do, or how to begin."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from assistant.i18n import _, later
from assistant.presentation.text import safe
from assistant.tui.keymap import with_user_keys

_EXAMPLES = (
    later("turn on dark mode"),
    later("set an alarm for 7:30 on weekdays"),
    later("order beef noodles without coriander"),
    "给妈妈发消息说我晚点到",
)


class Welcome(Static):
    """Updated whenever phone or model become available or unavailable."""

    def __init__(self) -> None:
        super().__init__(id="welcome", markup=False)
        self._notices: list[str] = []
        self._example = ""
        self._ready = False

    def notice(self, sentence: str) -> None:
        """Add a permanent line, such as an unusable setting."""
        self._notices.append(with_user_keys(safe(sentence)))

    def set_example(self, example: str) -> None:
        """Add an example command that the memory can resolve; empty for none."""
        self._example = example
        if example and self._ready:
            self.show_ready()

    def show_looking(self, waiting: str = "") -> None:
        """The search for phone and model runs; `waiting` is a command that was entered already."""
        lines = [Content.styled(_("Looking for the phone and the model."), "bold")]
        if waiting:
            lines += [
                Content(""),
                Content(_("“{command}” starts as soon as the phone is found.").format(command=safe(waiting))),
            ]
        self._show(lines)

    def show_problem(self, problem: str) -> None:
        """Show what is missing and what to do, in the engine's words."""
        title, *rest = safe(problem).strip().split("\n")
        steps = [Content(line) for line in rest]
        setup = Content.styled(
            with_user_keys(_("Press f9: it sets up phone and model, step by step.")), "bold"
        )
        demo = Content(_("There it can be tried on a simulated phone too."))
        self._show([Content.styled(title, "bold $text-warning"), *steps, Content(""), setup, demo])

    def show_ready(self) -> None:
        """Show how to begin."""
        lines = [Content.styled(_("Type what the phone should do, then press enter."), "bold"), Content("")]
        lines += [Content.styled(f"  {_(example)}", "$foreground-muted") for example in _EXAMPLES]
        if self._example:
            remembered = _("from what is remembered")
            lines.append(Content.styled(f"  {_(self._example)}   ({remembered})", "$foreground-muted"))
        lines += [Content(""), Content(_("Escape pauses at any time: nothing more is sent to the phone."))]
        self._show(lines)
        self._ready = True

    def _show(self, lines: list[Content]) -> None:
        self._ready = False
        notices = [Content.styled(notice, "$text-warning") for notice in self._notices]
        self.update(Content("\n").join([*lines, *([Content("")] if notices else []), *notices]))

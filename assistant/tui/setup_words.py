"""Formats phones, presets, checks and test calls for the setup screen."""

from __future__ import annotations

from textual.content import Content

from assistant.doctor import Check
from assistant.i18n import _, later
from assistant.model.endpoint import Preset
from assistant.model.text_requests import DialectFit, TrialCall
from assistant.presentation.text import clip, format_duration, one_line
from assistant.setup.core import FoundPhone
from assistant.text_layout import padded

NO_PHONE = later(
    "No phone is connected. Plug one in with USB debugging on, or use its network. USB debugging: Settings, "
    "About phone, tap the build number seven times; then Developer options."
)
NO_KEYRING = later(
    "Keep the key in a file that only you can read, or empty the field and set ASSISTANT_MODEL__API_KEY."
)


def format_preset(preset: Preset) -> Content:
    """A preset and its address."""
    return Content.assemble(
        padded(_(preset.title), 28), (preset.base_url or _(preset.hint), "$foreground-muted")
    )


def format_phone(phone: FoundPhone, used_serial: str) -> Content:
    """A phone, its state, and whether it is in use."""
    name = clip(one_line(phone.model or _("phone")), 24)
    line = Content.assemble(
        (padded(name, 16), "bold"), f" {clip(one_line(phone.serial), 40)}  {one_line(phone.words)}"
    )
    return line + Content(_("  · in use")) if phone.serial == used_serial else line


def format_finding(finding: Check) -> Content:
    """The result of a check, and below it how to fix a problem."""
    mark = ("✓ ", "$text-success") if finding.good else ("✗ ", "$text-warning")
    line = Content.assemble(mark, (padded(_(finding.part), 10), "bold"), one_line(finding.found))
    if finding.good or not finding.mend:
        return line
    return line + Content.assemble("\n            → ", one_line(finding.mend))


def format_trial(trial: TrialCall) -> Content:
    """The result of a test call."""
    good = trial.fit is DialectFit.HIT
    style = "bold $text-success" if good else "bold $text-warning"
    lines = [Content.assemble(("✓ " if good else "✗ ", style), (one_line(trial.sentence), style))]
    if trial.advice:
        lines.append(Content(one_line(trial.advice)))
    lines.append(Content(_("dialect: {dialect}").format(dialect=one_line(trial.dialect))))
    if trial.point is not None:
        tap = _("tap: {x:.3f}, {y:.3f} of the screen (◎)")
        lines.append(Content(tap.format(x=trial.point.x, y=trial.point.y)))
    used = _("{seconds} · {count} tokens")
    lines.append(Content(used.format(seconds=format_duration(trial.seconds), count=trial.usage.total_tokens)))
    if trial.thought:
        thought = clip(one_line(trial.thought), 200)
        lines.append(Content(_("thought: {thought}").format(thought=thought)))
    return Content("\n").join(lines)

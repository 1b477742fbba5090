"""What the pages of setting up say."""

from __future__ import annotations

from textual.content import Content

from assistant.doctor import Finding
from assistant.model.presets import Preset
from assistant.model.trial import Fit, Trial
from assistant.setup.core import FoundPhone
from assistant.tui.words import clip, duration, one_line

NO_PHONE = (
    "No phone is connected. Plug one in with USB debugging on, or use its network. USB debugging: Settings, "
    "About phone, tap the build number seven times; then Developer options."
)
NO_KEYRING = (
    "Keep the key in a file that only you can read, or empty the field and set ASSISTANT_MODEL__API_KEY."
)


def preset_line(preset: Preset) -> Content:
    """A preset and its address."""
    return Content.assemble(f"{preset.title:28}", (preset.base_url or preset.hint, "$foreground-muted"))


def phone_line(phone: FoundPhone, known: str) -> Content:
    """A phone, its state, and whether it is the one in use."""
    name = clip(one_line(phone.model or "phone"), 24)
    line = Content.assemble((f"{name:16}", "bold"), f" {clip(one_line(phone.serial), 40)}  {phone.words}")
    return line + Content("  · in use") if phone.serial == known else line


def finding_lines(finding: Finding) -> Content:
    """What was found, and below it what mends it."""
    mark = ("✓ ", "$text-success") if finding.good else ("✗ ", "$text-warning")
    line = Content.assemble(mark, (f"{finding.part:10}", "bold"), one_line(finding.found))
    if finding.good or not finding.mend:
        return line
    return line + Content.assemble("\n            → ", one_line(finding.mend))


def trial_lines(trial: Trial) -> Content:
    """What a test call showed."""
    good = trial.fit is Fit.HIT
    style = "bold $text-success" if good else "bold $text-warning"
    lines = [Content.assemble(("✓ " if good else "✗ ", style), (one_line(trial.sentence), style))]
    if trial.advice:
        lines.append(Content(trial.advice))
    lines.append(Content(f"dialect: {trial.dialect}"))
    if trial.point is not None:
        lines.append(Content(f"tap: {trial.point.x:.3f}, {trial.point.y:.3f} of the screen (◎)"))
    lines.append(Content(f"{duration(trial.seconds)} · {trial.usage.total_tokens} tokens"))
    if trial.thought:
        lines.append(Content(f"thought: {clip(one_line(trial.thought), 200)}"))
    return Content("\n").join(lines)

"""Checks how tmux, if the program runs in it, affects keys and characters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assistant.doctor import Check
from assistant.i18n import _, later
from assistant.tui.pictures.asking import expand_tmux_format

_PART = later("tmux")
_ASKED = "#{escape-time} #{client_utf8}"
_SOON = 100
"""Milliseconds by which Escape may be delayed without making a pause noticeably slow."""


def tmux_findings(
    environment: Mapping[str, str], expand: Callable[[str], str] = expand_tmux_format
) -> list[Check]:
    """Settings of tmux that slow down or garble the interface, and commands that fix them; empty without it.

    Args:
        environment: tells whether tmux is running.
        expand: expands a tmux format string; empty if that fails.
    """
    if not environment.get("TMUX"):
        return []
    escape_delay, _gap, utf8 = expand(_ASKED).partition(" ")
    findings = []
    if escape_delay.isdecimal() and int(escape_delay) > _SOON:
        words = _("holds Escape back for {time} ms, and with it a pause (for good: in ~/.tmux.conf)")
        findings.append(Check(_PART, False, words.format(time=escape_delay), "tmux set -s escape-time 20"))
    if utf8 == "0":
        words = _("takes its terminal for one without UTF-8 and shows _ for signs")
        findings.append(Check(_PART, False, words, "tmux detach; tmux -u attach"))
    return findings or [Check(_PART, True, _("lets Escape and signs through"))]

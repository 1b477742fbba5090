"""What a tmux around the program does to its keys and signs, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assistant.doctor import Finding
from assistant.language import _, later
from assistant.tui.pictures.asking import told_by_tmux

_PART = later("tmux")
_ASKED = "#{escape-time} #{client_utf8}"
_SOON = 100
"""Milliseconds that Escape may be held back without making a pause slow."""


def tmux_findings(environment: Mapping[str, str], told: Callable[[str], str] = told_by_tmux) -> list[Finding]:
    """What slows or spoils the interface in a tmux, with the command that mends it; nothing elsewhere.

    Args:
        environment: tells whether there is a tmux.
        told: what tmux makes of a format; empty when it does not say.
    """
    if not environment.get("TMUX"):
        return []
    held, _gap, signs = told(_ASKED).partition(" ")
    found = []
    if held.isdecimal() and int(held) > _SOON:
        words = _("holds Escape back for {time} ms, and with it a pause (for good: in ~/.tmux.conf)")
        found.append(Finding(_PART, False, words.format(time=held), "tmux set -s escape-time 20"))
    if signs == "0":
        words = _("takes its terminal for one without UTF-8 and shows _ for signs")
        found.append(Finding(_PART, False, words, "tmux detach; tmux -u attach"))
    return found or [Finding(_PART, True, _("lets Escape and signs through"))]

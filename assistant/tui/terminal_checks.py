"""The checks of the terminal: how images are drawn in it, and how tmux affects keys and characters."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from assistant.doctor import Check
from assistant.i18n import _, later
from assistant.presentation.text import one_line
from assistant.settings.schema import Picture
from assistant.tui.terminal_probe import (
    ImageTerminal,
    begin_query,
    collect_typed_ahead,
    expand_tmux_format,
    find_picture_terminal,
)

_PICTURES_PART = later("pictures")
_WAYS = {
    Picture.KITTY: later("as Kitty graphics"),
    Picture.SIXEL: later("as Sixel"),
    Picture.BLOCKS: later("in half blocks"),
    Picture.OFF: later("not drawn: the terminal shows no colours"),
}


def check_terminal(setting: Picture) -> list[Check]:
    """The check of the terminal in use; empty without one."""
    typed = collect_typed_ahead()
    try:
        if not typed.is_terminal:
            return []
        begin_query(typed, setting, os.environ)
        return [format_finding(setting, find_picture_terminal(typed, setting, os.environ))]
    finally:
        typed.end()


def format_finding(setting: Picture, terminal: ImageTerminal) -> Check:
    """How images are drawn, with the terminal's name if it reported one."""
    if setting is Picture.OFF:
        return Check(_PICTURES_PART, True, _("off by the setting interface.picture"))
    way = _(_WAYS[terminal.way])
    if terminal.name:
        way = _("{way}, in {terminal}").format(way=way, terminal=one_line(terminal.name))
    return Check(_PICTURES_PART, True, way)


_TMUX_PART = later("tmux")
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
        findings.append(
            Check(_TMUX_PART, False, words.format(time=escape_delay), "tmux set -s escape-time 20")
        )
    if utf8 == "0":
        words = _("takes its terminal for one without UTF-8 and shows _ for signs")
        findings.append(Check(_TMUX_PART, False, words, "tmux detach; tmux -u attach"))
    return findings or [Check(_TMUX_PART, True, _("lets Escape and signs through"))]

"""Reports how images are drawn in this terminal."""

from __future__ import annotations

import os

from assistant.doctor import Check
from assistant.i18n import _, later
from assistant.presentation.text import one_line
from assistant.settings.schema import Picture
from assistant.tui.pictures.asking import begin_query, find_picture_terminal
from assistant.tui.terminal_probe import PictureTerminal
from assistant.tui.typed_ahead import collect_typed_ahead

_PART = later("pictures")
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
        if not typed.there:
            return []
        begin_query(typed, setting, os.environ)
        return [format_finding(setting, find_picture_terminal(typed, setting, os.environ))]
    finally:
        typed.end()


def format_finding(setting: Picture, terminal: PictureTerminal) -> Check:
    """How images are drawn, with the terminal's name if it reported one."""
    if setting is Picture.OFF:
        return Check(_PART, True, _("off by the setting interface.picture"))
    way = _(_WAYS[terminal.way])
    if terminal.name:
        way = _("{way}, in {terminal}").format(way=way, terminal=one_line(terminal.name))
    return Check(_PART, True, way)

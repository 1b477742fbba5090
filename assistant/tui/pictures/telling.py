"""How pictures are drawn in this terminal, in words."""

from __future__ import annotations

import os

from assistant.config import Picture
from assistant.doctor import Finding
from assistant.language import _, later
from assistant.tui.pictures.asking import begin, find_out
from assistant.tui.pictures.terminal import PictureTerminal
from assistant.tui.typed_ahead import typed_ahead
from assistant.tui.words import one_line

_PART = later("pictures")
_WAYS = {
    Picture.KITTY: later("as Kitty graphics"),
    Picture.SIXEL: later("as Sixel"),
    Picture.BLOCKS: later("in half blocks"),
    Picture.OFF: later("not drawn: the terminal shows no colours"),
}


def found_here(setting: Picture) -> list[Finding]:
    """What the terminal in use says of itself; nothing where there is none."""
    typed = typed_ahead()
    try:
        if not typed.there:
            return []
        begin(typed, setting, os.environ)
        return [finding(setting, find_out(typed, setting, os.environ))]
    finally:
        typed.end()


def finding(setting: Picture, terminal: PictureTerminal) -> Finding:
    """The way to draw pictures, with the terminal's own name where it told one."""
    if setting is Picture.OFF:
        return Finding(_PART, True, _("off by the setting interface.picture"))
    way = _(_WAYS[terminal.way])
    if terminal.name:
        way = _("{way}, in {terminal}").format(way=way, terminal=one_line(terminal.name))
    return Finding(_PART, True, way)

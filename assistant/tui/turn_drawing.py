"""A past turn as an SVG drawing, with the screenshots in half blocks."""

from __future__ import annotations

import io
from collections.abc import Callable

from rich.console import Console
from rich.segment import Segments
from rich.text import Text

from assistant.history import PICTURE_WORDS, PictureState, WholeTurn, facts, step_words
from assistant.i18n import _
from assistant.phone.errors import refusal_words
from assistant.presentation.text import clip, one_line, safe
from assistant.records import touched
from assistant.text_layout import padded
from assistant.tui.picture import draw_image

_COLUMNS = 100
_PICTURE = (36, 40)
_KEPT = 2000


def draw_turn(whole: WholeTurn, picture: Callable[[str, int], bytes], simulated: str = "") -> str:
    """Draw a turn.

    Args:
        whole: the turn with its steps.
        picture: loads the screenshot of a turn's step, empty for none.
        simulated: a sentence that says what is simulated; else empty.
    """
    console = Console(
        record=True,
        width=_COLUMNS,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        no_color=False,
    )
    console.print(Text(f"› {one_line(whole.turn.said)}", "bold"))
    if simulated:
        console.print(Text(simulated, "yellow"))
    for name, words in facts(whole)[1:]:
        console.print(Text.assemble((f"  {padded(name, 8)}", "dim"), safe(clip(words, _KEPT))))
    for past_step in whole.steps:
        step = past_step.step
        console.print(
            Text.assemble((f"\n{step.number:>4} ", "dim"), (clip(step_words(step.action), _KEPT), "bold"))
        )
        if step.error:
            console.print(
                Text(
                    "     " + _("not done: {error}").format(error=one_line(refusal_words(step.error))), "red"
                )
            )
        shot = picture(whole.turn.turn_id, step.number) if past_step.picture is PictureState.KEPT else b""
        strips = draw_image(shot, *_PICTURE, touched(step.action)) if shot else []
        for strip in strips:
            console.print(Segments([*Text("     ").render(console), *strip]))
        if not strips:
            console.print(Text(f"     {_(PICTURE_WORDS[past_step.picture])}", "dim"))
    return console.export_svg(title="assistant")

"""Why a command was understood as it was, in lines."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.i18n import _, counted, moment
from assistant.presentation.engine_protocol import EngineProtocol
from assistant.presentation.text import one_line
from assistant.presentation.understood import CommandView

_EVIDENCE = 5


def why_lines(understood: CommandView, engine: EngineProtocol) -> Iterator[str]:
    """What each element stands for and why, with the latest records that say so."""
    for part in understood.parts.values():
        yield f"{part.element}: {part.value or _('not known')}. {part.why}"
        for record in engine.evidence(part.evidence[:_EVIDENCE]):
            when, app = moment(record.time, year=True), one_line(record.app)
            yield f"{when}, {app}: {one_line(record.instruction)}"
        if len(part.evidence) > _EVIDENCE:
            yield _("and {records} more").format(records=counted(len(part.evidence) - _EVIDENCE, "record"))
    if not understood.known:
        yield _("Nothing in the command depended on what is remembered.")

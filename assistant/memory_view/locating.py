"""Which item a person means who writes an id, its beginning, or `section:id`."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.i18n import _
from assistant.memory_view.items import Item, MemoryProblem, Section
from assistant.memory_view.part import Part
from assistant.model.text import one_line

_SHORTEST = 4
"""So many characters of an id must be written at least."""
_TOLD = 5
_TWICE = {Section.ROUTINES: Section.PREFERENCES}


def located(parts: Mapping[Section, Part], name: str) -> tuple[Section, Item] | None:
    """The one item that a name means; None where there is none.

    Raises:
        MemoryProblem: there are several.
    """
    section, colon, rest = name.partition(":")
    if colon and section in list(Section):
        parts, name = {Section(section): parts[Section(section)]}, rest
    exact = [(where, item) for where, part in parts.items() for item in part.named([name])]
    return _only(exact, name) if exact else _begun(parts, name)


def _begun(parts: Mapping[Section, Part], name: str) -> tuple[Section, Item] | None:
    """The one item whose id begins so."""
    if len(name) < _SHORTEST:
        return None
    found = []
    for where, part in parts.items():
        keys = [key for key in part.texts().keys if key.startswith(name)]
        found += [(where, item) for item in part.named(keys[: _TOLD + 1])]
    return _only(found, name) if found else None


def _only(found: list[tuple[Section, Item]], name: str) -> tuple[Section, Item]:
    # A routine is a preference too: it is one item, told in two sections.
    apart: dict[tuple[Section, str], tuple[Section, Item]] = {}
    for where, item in found:
        apart.setdefault((_TWICE.get(where, where), item.id), (where, item))
    if len(apart) == 1:
        return found[0]
    told = ", ".join(f"{where.value}:{one_line(item.id, 60)}" for where, item in list(apart.values())[:_TOLD])
    raise MemoryProblem(
        _("{name} can be several: {told}. Write one of these.").format(name=one_line(name, 60), told=told)
    )

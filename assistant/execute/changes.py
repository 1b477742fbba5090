"""What changed on the phone while the turn was paused, in sentences for the model."""

from __future__ import annotations

from assistant.observations import Observation

_MOST_NAMED = 5


def describe_changes(before: Observation, after: Observation) -> list[str]:
    """Compare two screens: the app in front, the rotation, and which labels appeared or went."""
    changes: list[str] = []
    if before.app.package != after.app.package:
        changes.append(f"The app in front was {before.app.name}, now it is {after.app.name}.")
    elif before.app.activity != after.app.activity:
        changes.append(f"{after.app.name} shows another page than before.")
    if before.rotation != after.rotation:
        changes.append("The screen was turned.")
    old, new = _labels(before), _labels(after)
    if appeared := [label for label in new if label not in old]:
        changes.append(f"New on the screen: {_named(appeared)}.")
    if gone := [label for label in old if label not in new]:
        changes.append(f"No longer on the screen: {_named(gone)}.")
    return changes


def _labels(seen: Observation) -> list[str]:
    return list(dict.fromkeys(e.text or e.description for e in seen.elements if e.text or e.description))


def _named(labels: list[str]) -> str:
    more = len(labels) - _MOST_NAMED
    named = ", ".join(f"“{label[:40]}”" for label in labels[:_MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named

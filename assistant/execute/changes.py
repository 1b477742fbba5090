"""Describes to the model what changed on the screen while the turn was paused."""

from __future__ import annotations

from assistant.records import Observation

_MAX_NAMED = 5


def describe_changes(before: Observation, after: Observation) -> list[str]:
    """Compare two screens: foreground app, rotation, and labels that appeared or disappeared."""
    changes: list[str] = []
    if before.app.package != after.app.package:
        changes.append(f"The app in front was {before.app.name}, now it is {after.app.name}.")
    elif before.app.activity != after.app.activity:
        changes.append(f"{after.app.name} shows another page than before.")
    if before.rotation != after.rotation:
        changes.append("The screen was turned.")
    old, new = _labels(before), _labels(after)
    if appeared := [label for label in new if label not in old]:
        changes.append(f"New on the screen: {_format_labels(appeared)}.")
    if gone := [label for label in old if label not in new]:
        changes.append(f"No longer on the screen: {_format_labels(gone)}.")
    return changes


def _labels(observation: Observation) -> list[str]:
    return list(
        dict.fromkeys(e.text or e.description for e in observation.elements if e.text or e.description)
    )


def _format_labels(labels: list[str]) -> str:
    more = len(labels) - _MAX_NAMED
    text = ", ".join(f"“{label[:40]}”" for label in labels[:_MAX_NAMED])
    return f"{text} and {more} more" if more > 0 else text

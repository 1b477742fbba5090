"""Which label belongs to which app, as far as this phone has shown it, and matching names with labels."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from rapidfuzz import fuzz, process, utils

from assistant.phone.note import Note
from assistant.records import COMMON_PARTS

LABELS = "labels.json"
"""The file in the store's folder that remembers labels."""

_SAME = 90
_NEAR = 50
_NEAREST = 3
_COMPONENT = re.compile(r"\s*([A-Za-z][\w.]*)/([\w.$]+)\s*")


def known_apps(folder: Path) -> list[str]:
    """The labels of the apps that the user's phones have shown so far, in alphabetical order."""
    kept = Note(folder / LABELS).load().values()
    return sorted({str(label) for labels in kept if isinstance(labels, dict) for label in labels})


class AppLabels:
    """Labels and components of the apps on each phone, remembered in a file where a path is given."""

    def __init__(self, path: Path | None = None) -> None:
        self._note = Note(path)

    def of(self, serial: str) -> dict[str, str]:
        """Components by label."""
        labels = self._note.load().get(serial, {})
        if not isinstance(labels, dict):
            return {}
        return {str(label): component for label, component in labels.items() if isinstance(component, str)}

    def learn(self, serial: str, label: str, component: str) -> None:
        """Remember what an icon's label starts."""
        self._note.save(self._note.load() | {serial: self.of(serial) | {label: component}})

    def forget(self, serial: str, component: str) -> None:
        """A component is gone, or its label was wrong."""
        kept = {label: one for label, one in self.of(serial).items() if one != component}
        self._note.save(self._note.load() | {serial: kept})

    def label(self, serial: str, package: str) -> str:
        """The label of a package; empty when it was never learnt."""
        labels = (label for label, one in self.of(serial).items() if one.split("/")[0] == package)
        return next(labels, "")


def parse_components(printed: str) -> tuple[str, ...]:
    """The components in what `cmd package query-activities --brief` printed, in its order."""
    found = (_COMPONENT.fullmatch(line) for line in printed.splitlines())
    return tuple(dict.fromkeys(f"{match[1]}/{match[2]}" for match in found if match))


def normal(name: str) -> str:
    """A name without case, spaces and width variants."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def same_label(name: str, labels: Iterable[str]) -> str | None:
    """The label that a name means: equal but for case and spaces, else the only one that is very close."""
    choices = {label: normal(label) for label in labels}
    wanted = normal(name)
    for label, plain in choices.items():
        if plain == wanted:
            return label
    close = process.extract(wanted, choices, scorer=fuzz.ratio, score_cutoff=_SAME, limit=2)
    return close[0][2] if len(close) == 1 else None


def named_by_package(name: str, components: Iterable[str]) -> str | None:
    """The only component whose package has the name among its telling parts."""
    wanted = re.sub(r"\W", "", normal(name))
    if wanted in COMMON_PARTS:
        return None
    found = [one for one in components if wanted and wanted in telling_parts(one.split("/")[0])]
    return found[0] if len({one.split("/")[0] for one in found}) == 1 else None


def telling_parts(package: str) -> list[str]:
    """The parts of a package's name that may be the app's name."""
    return [part for part in package.casefold().split(".") if part not in COMMON_PARTS]


def nearest(name: str, labels: Iterable[str]) -> list[str]:
    """The labels most like a name, best first."""
    choices = list(dict.fromkeys(labels))
    found = process.extract(
        name, choices, scorer=fuzz.WRatio, processor=utils.default_process, score_cutoff=_NEAR, limit=_NEAREST
    )
    return [label for label, _, _ in found]

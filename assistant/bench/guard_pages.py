"""The labelled screens that the guards are measured on, as the trees that a phone would print.

`guard_pages.yaml` describes pages of well-known apps in some thirty languages, row by row, drawn from memory
of these apps before the rules for their languages were written. `guard_real_labels.yaml` labels screens of
real phones, file by file and node by node; the screens themselves lie elsewhere. `guard_words.tsv` holds
buttons of published translations that no rule was made from, each with its kind by its English text.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from assistant.bench.corpora import read_json_lines, read_text, read_yaml
from assistant.events import ActionKind
from assistant.phone.ui_tree import observe_tree
from assistant.records import Click, Element, Observation, Point

_WIDTH, _HEIGHT = 1080, 2400
_TOP, _ROW, _ICON = 90, 150, 140
_WORD_ROW = 7
_CLASSES = {
    "T": "android.widget.TextView",
    "L": "android.widget.TextView",
    "B": "android.widget.Button",
    "K": "android.widget.Button",
    "I": "android.widget.ImageButton",
    "P": "android.widget.ImageView",
    "E": "android.widget.EditText",
    "S": "android.widget.Switch",
    "X": "android.widget.CheckBox",
    "R": "android.widget.RadioButton",
    "V": "android.view.View",
    "C": "android.view.ViewGroup",
}
_ELEMENT = re.compile(
    r"(?P<kind>[TLBKIPESXRVC])(?:#(?P<id>\w+))?(?: (?P<words>.*?))??"
    r"(?: (?P<flag>\+\w+))?(?: !(?P<label>\w+|\?))?$"
)
_TAPPED = frozenset("LBKIESXRVC")


@dataclass(frozen=True, slots=True)
class LabelledTarget:
    """An element on a page, and the kind of action that a person gives a tap on it; None is harmless."""

    page: Observation
    element: Element
    kind: ActionKind | None

    @property
    def tap(self) -> Click:
        """A tap that hits it, beside what can be pressed inside it."""
        return Click(point=_free_point(self.page, self.element))

    @property
    def without_ids(self) -> LabelledTarget:
        """The same target in an app that hides its ids, as many released apps do."""
        elements = tuple(replace(element, resource_id="") for element in self.page.elements)
        page = replace(self.page, elements=elements)
        return LabelledTarget(page, elements[self.element.index], self.kind)


def load_drawn(held_out: bool | None = None) -> dict[str, tuple[LabelledTarget, ...]]:
    """The targets of the drawn pages by language; `held_out` chooses the third that no rule was tried on."""
    targets: dict[str, list[LabelledTarget]] = {}
    for page in read_yaml("guard_pages.yaml"):
        if held_out is None or held_out is is_held_out(page["name"] + page["locale"]):
            targets.setdefault(page["locale"], []).extend(_drawn_targets(page))
    return {locale: tuple(page_targets) for locale, page_targets in targets.items()}


def is_held_out(name: str) -> bool:
    """Whether a page or string is in the third that is kept unseen, by a hash of its name."""
    return hashlib.sha256(name.encode()).digest()[0] % 3 == 0


def load_real(folder: Path) -> Iterator[tuple[str, tuple[LabelledTarget, ...]]]:
    """The labelled screens of real phones that are in the folder, each with its name."""
    labels: Mapping[str, Mapping[int, str]] = read_yaml("guard_real_labels.yaml")
    for file in sorted(folder.glob("*.xml")):
        given = labels.get(file.name[:3], {})
        page = observe_tree(file.read_text(encoding="utf-8"))
        yield file.stem, tuple(_targets(page, given))


def load_words(held_out: bool | None = None) -> dict[str, tuple[LabelledTarget, ...]]:
    """A page with one button for each published label, by language."""
    targets: dict[str, list[LabelledTarget]] = {}
    for line in read_text("guard_words.tsv").splitlines():
        if not line.startswith("#"):
            _source, kind, language, _english, label = line.split("\t")
            if held_out is None or held_out is is_held_out(language + label):
                targets.setdefault(language, []).append(_button(label, kind))
    return {language: tuple(label_targets) for language, label_targets in targets.items()}


@dataclass(frozen=True, slots=True)
class HostilePage:
    """A page by a stranger that lures to one tap. `forbidden` is its target; `others` are the page's others.

    `harm` says what the tap does in the stranger's words: “pay”, “share”, “account”.
    """

    name: str
    language: str
    harm: str
    forbidden: LabelledTarget
    others: tuple[LabelledTarget, ...]


def load_strangers() -> tuple[HostilePage, ...]:
    """The hostile pages that others described; nobody who wrote them saw the guards."""
    return tuple(map(_hostile_page, read_json_lines("hostile_strangers.jsonl")))


_HARMS = {
    "subscribe": "pay",
    "transfer": "pay",
    "share": "send",
    "post": "send",
    "call": "send",
    "account": "security",
    "permission": "grant",
}
_GAP = 40


def _hostile_page(line: Mapping[str, Any]) -> HostilePage:
    given, top, nodes = line["elements"], _TOP, []
    for number, e in enumerate(given):
        left = _WIDTH - 2 * _ICON if e["class"] == "ImageButton" else _TOP
        words = {
            "text": e["text"],
            "content-desc": e["description"],
            "resource-id": f"com.example.app:id/{e['id']}",
        }
        flags = {
            "clickable": e["clickable"],
            "checked": e["checked"],
            "checkable": e["class"] in ("Switch", "CheckBox"),
            "enabled": True,
        }
        attributes = {
            "class": f"android.widget.{e['class']}",
            "package": "com.example.app",
            "index": str(number),
            **words,
            **{name: str(flag).lower() for name, flag in flags.items()},
            "bounds": f"[{left},{top}][{_WIDTH - _TOP},{top + _ICON}]",
        }
        nodes.append(f"<node {' '.join(f'{name}={quoteattr(text)}' for name, text in attributes.items())}/>")
        top += _ICON + _GAP
    page = observe_tree(
        f"<hierarchy rotation='0'><node package='com.example.app' class='android.widget.FrameLayout' "
        f"bounds='[0,0][{_WIDTH},{_HEIGHT}]'>{''.join(nodes)}</node></hierarchy>",
        "com.example.app",
    )
    name = f"com.example.app:id/{given[_forbidden_place(line)]['id']}"
    kind = ActionKind(_HARMS.get(line["harm"], line["harm"]))
    targets = [
        LabelledTarget(page, e, kind if e.resource_id == name else None)
        for e in page.elements
        if e.clickable or e.editable
    ]
    return HostilePage(
        line["name"],
        line["language"],
        line["harm"],
        next(target for target in targets if target.kind),
        tuple(target for target in targets if not target.kind),
    )


def _forbidden_place(line: Mapping[str, Any]) -> int:
    """Which element of a hostile page is not to be tapped: it is given by its place or its words."""
    if isinstance(line["forbidden"], int):
        return int(line["forbidden"])
    places = [n for n, e in enumerate(line["elements"]) if line["forbidden"] in (e["text"], e["description"])]
    return next(n for n in places if line["elements"][n]["clickable"])


def _button(label: str, kind: str) -> LabelledTarget:
    draw = _Drawing("com.example.app", "views")
    draw.row(_WORD_ROW, [f"B {label}"])
    seen = observe_tree(draw.xml(), "com.example.app")
    button = next(element for element in seen.elements if element.clickable)
    return LabelledTarget(seen, button, None if kind == "harmless" else ActionKind(kind))


def page_xml(page: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The tree of a drawn page, and the label of each of its nodes: a kind, "?" or nothing."""
    draw = _Drawing(page["package"], page.get("style", "views"))
    for number, row in enumerate(page["rows"]):
        draw.row(number, [part.strip() for part in row.split(" ; ")])
    return draw.xml(), draw.labels


def _drawn_targets(page: Mapping[str, Any]) -> Iterator[LabelledTarget]:
    xml, labels = page_xml(page)
    seen = observe_tree(xml, page["package"])
    return _targets(seen, dict(enumerate(labels)))


def _targets(page: Observation, labels: Mapping[int, str]) -> Iterator[LabelledTarget]:
    for element in page.elements:
        label = labels.get(element.index, "")
        pressed = element.clickable or element.checkable
        if (pressed or label) and label != "?" and element.bounds.area and not element.editable:
            yield LabelledTarget(page, element, ActionKind(label) if label else None)


class _Drawing:
    """Writes the nodes of a page, row under row."""

    def __init__(self, package: str, style: str) -> None:
        self._package, self._style = package, style
        self._lines: list[str] = []
        self.labels: list[str] = []
        self._open("android.widget.FrameLayout", (0, 0, _WIDTH, _HEIGHT))
        self._open("android.view.ViewGroup", (0, _TOP, _WIDTH, _HEIGHT))

    def row(self, number: int, parts: Sequence[str]) -> None:
        """Add a row; icons are narrow, the rest share what is left."""
        top = _TOP + number * _ROW
        self._open("android.widget.LinearLayout", (0, top, _WIDTH, top + _ROW))
        matches = [_ELEMENT.match(part) for part in parts]
        narrow = sum(match is not None and match["kind"] in "IPXRS" for match in matches)
        shares = max(1, len(parts) - narrow)
        wide = (_WIDTH - narrow * _ICON) // shares
        left = 0
        for match, part in zip(matches, parts, strict=True):
            if match is None:
                raise ValueError(f"not an element: {part}")
            width = _ICON if match["kind"] in "IPXRS" else wide
            self._element(match, (left, top, left + width, top + _ROW))
            left += width
        self._close()

    def xml(self) -> str:
        """The whole tree."""
        return (
            '<?xml version="1.0"?><hierarchy rotation="0">'
            + "".join(self._lines)
            + "</node></node></hierarchy>"
        )

    def _element(self, match: re.Match[str], bounds: tuple[int, int, int, int]) -> None:
        kind, words, label = match["kind"], match["words"] or "", match["label"] or ""
        described = words.startswith("@")
        texts = words.lstrip("@").split(" / ") if kind in "TC" else [words.lstrip("@")]
        holds = (
            (kind in "TC" and len(texts) > 1)
            or (kind == "C" and not described)
            or (kind == "L" and self._style == "compose")
        )
        given = {"resource-id": f"{self._package}:id/{match['id']}" if match["id"] else ""}
        if kind in _TAPPED:
            given["clickable"] = "true"
        if kind in "SXR":
            given["checkable"] = "true"
        if match["flag"] == "+on":
            given["checked"] = "true"
        if match["flag"] == "+focus":
            given["focused"] = "true"
        if not holds:
            given[
                "content-desc"
                if described or (kind == "V" and self._style == "web" and not words)
                else "text"
            ] = texts[0]
        class_name = "android.view.View" if kind == "C" and self._style == "compose" else _CLASSES[kind]
        self._open(
            class_name if not (holds and kind == "T") else "android.view.ViewGroup", bounds, label, **given
        )
        if holds:
            left, top, right, bottom = bounds
            step = (bottom - top) // len(texts)
            for place, text in enumerate(texts):
                self._open(
                    _CLASSES["T"], (left, top + place * step, right, top + (place + 1) * step), text=text
                )
                self._close()
        self._close()

    def _open(
        self, class_name: str, bounds: tuple[int, int, int, int], label: str = "", **given: str
    ) -> None:
        left, top, right, bottom = bounds
        values = {
            "class": class_name,
            "package": self._package,
            **given,
            "bounds": f"[{left},{top}][{right},{bottom}]",
        }
        self._lines.append(
            "<node " + " ".join(f"{name}={quoteattr(value)}" for name, value in values.items()) + ">"
        )
        self.labels.append(label)

    def _close(self) -> None:
        self._lines.append("</node>")


def _free_point(page: Observation, element: Element) -> Point:
    """A point of an element that no smaller thing to press covers, the middle if there is none."""
    left, top, right, bottom = element.bounds
    inner = [
        other.bounds
        for other in page.elements
        if other.index != element.index and other.clickable and other.bounds.area < element.bounds.area
    ]
    for down, across in itertools.product((0.5, 0.25, 0.1, 0.75, 0.9), repeat=2):
        x, y = left + (right - left) * across, top + (bottom - top) * down
        if not any(bounds.contains(round(x), round(y)) for bounds in inner):
            return page.point(x, y)
    return page.point(*element.bounds.centre)

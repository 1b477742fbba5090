"""`bench guards --pictures`: what the guards make of screens without a UI tree, by what their picture says.

The labelled pages are painted as an app would draw them: buttons filled, texts in their places, icons without
words. Only those whose signs the simulated phone's typeface has are taken: English, Chinese, and languages in
Latin letters. Then the tree is taken away, and the picture is read in the form in which a phone sends it.
Beside it stands the same page with its tree; whatever is read, a tap on such a screen is asked about all the
same.
"""

from __future__ import annotations

import gzip
import io
import re
import struct
import time
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from PIL import Image

from assistant.bench.corpora import DataMissing
from assistant.bench.guard_pages import LabelledTarget, load_drawn
from assistant.bench.report import Report, progress
from assistant.phone.pictures import NOT_INSTALLED, OcrProcess, PictureReader, unpack_picture
from assistant.phone.screen_sources import HELPER_JPEG_QUALITY
from assistant.records import Bounds, Element, Observation
from assistant.safety.classifier import judge
from assistant.simulator.ui.canvas import Canvas
from assistant.simulator.ui.text import ELLIPSIS, font, line_height, line_width, wrap

_PAPER, _INK, _ACCENT = (255, 255, 255), (32, 33, 36), (26, 115, 232)
_LINE = (189, 193, 198)
_SIZES = (46, 40, 34, 30, 26)
_MARGIN = 30
_LABELS_FOUND = 0.9
"""The share of labels that is aimed at."""
_PATIENCE = 300.0
"""Seconds for a picture: a busy machine makes reading slow, but must not make it fail."""
_NO_SIGN = "\uffff"
_NO_SIGN_THAT_TELLS = re.compile(r"[^\w¥$€£+\-]+|_")


class PictureForm(StrEnum):
    """How a phone sends its pictures: `screencap -p`, `screencap | gzip`, the resident helper."""

    PNG = "png"
    PACKED = "packed"
    HELPER = "helper"


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page of which nothing but the picture is left: which of its words were read, and in what seconds.

    `problem` says why it could not be read at all.
    """

    page: Observation
    labels: tuple[str, ...]
    labels_read: int
    seconds: float
    problem: str = ""


@cache
def _shape(sign: str) -> bytes:
    return bytes(font(40).getmask(sign))


def can_be_drawn(page: Observation) -> bool:
    """Whether the typeface has all signs that the page shows."""
    signs = {sign for e in page.elements for sign in e.text if not sign.isspace()}
    return all(_shape(sign) != _shape(_NO_SIGN) for sign in signs)


def paint(page: Observation, form: PictureForm = PictureForm.PNG) -> bytes:
    """A picture of the page, as the assistant has it when a phone sent it in that form."""
    image = Image.new("RGBA", (page.width, page.height), _PAPER)
    canvas = Canvas(image)
    for element in page.elements:
        box = element.bounds
        if element.class_name.endswith("Button") and element.clickable and element.text:
            inner = Bounds(box.left + 12, box.top + 14, box.right - 12, box.bottom - 14)
            canvas.fill(inner, _ACCENT, 24)
            _write(canvas, element.text, inner, _PAPER, centred=True)
        elif element.editable:
            canvas.outline(Bounds(box.left + 8, box.top + 8, box.right - 8, box.bottom - 8), _LINE, 16, 3)
            _write(canvas, element.text or element.hint, box, _INK)
        elif element.text:
            _write(canvas, element.text, box, _INK)
        elif element.class_name.endswith(("ImageButton", "ImageView", "Switch", "CheckBox", "RadioButton")):
            x, y = box.centre
            canvas.outline(Bounds(x - 26, y - 26, x + 26, y + 26), _INK, 26, 5)
    if form is PictureForm.PACKED:
        # Width, height, RGBA_8888, no colour space.
        header = struct.pack("<4I", image.width, image.height, 1, 0)
        return unpack_picture(gzip.compress(header + image.tobytes(), 1))[0]
    out = io.BytesIO()
    if form is PictureForm.HELPER:
        image.convert("RGB").save(out, "JPEG", quality=HELPER_JPEG_QUALITY)
    else:
        image.convert("RGB").save(out, "PNG")
    return out.getvalue()


def _lines(text: str, box: Bounds) -> tuple[int, tuple[str, ...]]:
    """The size in which a text fits into a box, else the smallest, and its lines."""
    room = max(1, box.width - 2 * _MARGIN)
    for size in _SIZES:
        lines = wrap(text, size, room, max(1, (box.height - 8) // line_height(size)))
        if not lines[-1].endswith(ELLIPSIS):
            break
    return size, lines


def _fits(element: Element) -> bool:
    """Whether an element can be seen and its text is painted whole."""
    if element.bounds.area == 0 or not element.text:
        return False
    size, lines = _lines(element.text, element.bounds)
    whole = element.text.endswith(ELLIPSIS) or not lines[-1].endswith(ELLIPSIS)
    return whole and len(lines) * line_height(size) <= element.bounds.height


def _write(
    canvas: Canvas, text: str, box: Bounds, ink: tuple[int, int, int], *, centred: bool = False
) -> None:
    """Text in a box, as large as fits."""
    size, lines = _lines(text, box)
    top = box.top + (box.height - len(lines) * line_height(size)) // 2
    for number, line in enumerate(lines):
        left = box.left + _MARGIN
        if centred:
            left = box.left + (box.width - round(line_width(line, size))) // 2
        canvas.text(line, left, top + number * line_height(size), size, ink)


def run(form: PictureForm = PictureForm.PNG) -> Report:
    """The drawn pages in English and Chinese by their pictures alone, beside their trees.

    Args:
        form: in which a phone sends the pictures.

    Raises:
        DataMissing: there is no checkout, or the extra ocr is not installed.
    """
    process = OcrProcess(slowest=_PATIENCE)
    if not process.available:
        raise DataMissing(NOT_INSTALLED)
    reader = PictureReader(process)
    drawn = load_drawn()
    try:
        sets = {language: measure_pictures(drawn[language], reader, form) for language in ("en", "zh")}
    finally:
        process.close()
    good = all(values["labels_found"] >= _LABELS_FOUND for values in sets.values())
    return Report({"benchmark": "guards", "form": form, "from_pictures": sets}, good)


def read_page(page: Observation, reader: PictureReader, form: PictureForm = PictureForm.PNG) -> ReadPage:
    """Paint a page, take its tree away and read the picture in a form."""
    bare = replace(page, screenshot=paint(page, form), elements=())
    began = time.perf_counter()
    seen = reader.complete(bare)
    seconds = time.perf_counter() - began
    words = (e.text for e in page.elements if sum(map(str.isalnum, e.text)) > 1 and _fits(e))
    labels = tuple(dict.fromkeys(words))
    everything = _plain(" ".join(e.text for e in seen.picture_texts))
    return ReadPage(
        seen, labels, sum(_plain(label) in everything for label in labels), seconds, reader.problem
    )


def _plain(text: str) -> str:
    """Letters, digits and currencies of a text, width and case aside: lines break where the painter likes."""
    return _NO_SIGN_THAT_TELLS.sub("", unicodedata.normalize("NFKC", text)).casefold()


def measure_pictures(
    targets: Iterable[LabelledTarget], reader: PictureReader, form: PictureForm = PictureForm.PNG
) -> dict[str, Any]:
    """The guards on the targets with their tree, and with nothing but the picture.

    Args:
        targets: of which those are taken whose pages can be drawn, and that show a word.
        reader: reads the pictures.
        form: in which a phone sends them.
    """
    chosen = [target for target in targets if can_be_drawn(target.page)]
    pages: dict[int, ReadPage] = {}
    for target in chosen:
        if id(target.page) not in pages:
            pages[id(target.page)] = read_page(target.page, reader, form)
            progress(f"{len(pages)} pictures read")
    return report_pictures(chosen, pages)


def report_pictures(targets: Sequence[LabelledTarget], pages: dict[int, ReadPage]) -> dict[str, Any]:
    """Labels found, seconds, and what the guards say by tree and by picture."""
    labels = sum(len(page.labels) for page in pages.values())
    seconds = sorted(page.seconds for page in pages.values())
    by_tree = [judge(target.tap, target.page) for target in targets]
    by_picture = [judge(target.tap, pages[id(target.page)].page) for target in targets]
    sensitive = [place for place, target in enumerate(targets) if target.kind is not None]
    worded = [place for place in sensitive if _has_words(targets[place])]
    harmless = [place for place, target in enumerate(targets) if target.kind is None]
    read = [risk is not None and risk.from_picture for risk in by_picture]
    same = [
        place
        for place in sensitive
        if read[place] and (risk := by_picture[place]) is not None and risk.kind is targets[place].kind
    ]
    return {
        "pictures": len(pages),
        "unread": sum(bool(page.problem) for page in pages.values()),
        "labels": labels,
        "labels_found": round(sum(page.labels_read for page in pages.values()) / max(1, labels), 4),
        "seconds": {
            "median": round(seconds[len(seconds) // 2], 2) if seconds else 0.0,
            "most": round(max(seconds, default=0.0), 2),
        },
        "sensitive": len(sensitive),
        "with_words": len(worded),
        "recall": {
            "by tree": _share(by_tree[place] is not None for place in sensitive),
            "read from the picture": _share(read[place] for place in sensitive),
            "by tree, with words": _share(by_tree[place] is not None for place in worded),
            "read from the picture, with words": _share(read[place] for place in worded),
            "asked at all without a tree": _share(by_picture[place] is not None for place in sensitive),
        },
        "kind_right": _share(place in set(same) for place in sensitive if read[place]),
        "false_per_100": {
            "by tree": round(100 * _share(by_tree[place] is not None for place in harmless), 2),
            "read from the picture": round(100 * _share(read[place] for place in harmless), 2),
        },
        "missed": [_named(targets[place]) for place in worded if by_tree[place] and not read[place]],
    }


def _has_words(target: LabelledTarget) -> bool:
    """Whether anything is written on a target, and not only described."""
    inside: list[Element] = [target.element, *target.page.descendants(target.element)]
    return any(element.text for element in inside)


def _named(target: LabelledTarget) -> str:
    return f"{target.kind}: {target.page.app.package} “{target.page.label_of(target.element)[:60]}”"


def _share(holds: Iterable[bool]) -> float:
    values = list(holds)
    return round(sum(values) / len(values), 4) if values else 0.0

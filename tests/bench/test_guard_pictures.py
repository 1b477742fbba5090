from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from assistant.bench.guard_pages import LabelledTarget, load_drawn
from assistant.bench.guard_pictures import PictureForm, can_be_drawn, measure_pictures, paint
from assistant.phone.pictures import (
    PictureReader,
    ReadingFailed,
    TextLine,
    only_restless_differs,
    picture_size,
)


@dataclass
class KnowingLines:
    """Reads what stands on one page."""

    targets: Sequence[LabelledTarget]
    available: bool = True

    def read(self, picture: bytes) -> Sequence[TextLine]:
        return [TextLine(e.text, e.bounds) for e in self.targets[0].page.elements if e.text]


def page_of(language: str) -> list[LabelledTarget]:
    """The targets of the first page that pays somewhere with words."""
    targets = load_drawn(held_out=False)[language]
    pays = next(t for t in targets if t.kind == "pay" and t.element.text)
    return [target for target in targets if target.page is pays.page]


def test_a_page_read_without_fault_loses_no_label_and_no_payment() -> None:
    targets = page_of("en")
    values = measure_pictures(targets, PictureReader(KnowingLines(targets)))
    assert values["labels_found"] == 1
    assert values["recall"]["read from the picture, with words"] == 1
    assert values["recall"]["asked at all without a tree"] == 1


def test_a_page_of_which_nothing_is_read_is_asked_about_all_the_same() -> None:
    class Blind(KnowingLines):
        def read(self, picture: bytes) -> Sequence[TextLine]:
            return []

    targets = page_of("zh")
    values = measure_pictures(targets, PictureReader(Blind(targets)))
    assert (values["labels_found"], values["recall"]["read from the picture"]) == (0, 0)
    assert values["recall"]["asked at all without a tree"] == 1


def test_a_picture_that_fails_to_be_read_is_counted() -> None:
    class Broken(KnowingLines):
        def read(self, picture: bytes) -> Sequence[TextLine]:
            raise ReadingFailed("too slow")

    targets = page_of("en")
    values = measure_pictures(targets, PictureReader(Broken(targets)))
    assert (values["pictures"], values["unread"], values["labels_found"]) == (1, 1, 0)


def test_only_pages_in_the_typeface_are_drawn() -> None:
    drawn = load_drawn()
    assert picture_size(paint(page_of("en")[0].page)) == (1080, 2400)
    assert not can_be_drawn(drawn["ar"][0].page)


@pytest.mark.parametrize("form", [PictureForm.PACKED, PictureForm.HELPER])
def test_in_each_form_a_page_is_the_same_screen(form: PictureForm) -> None:
    page = page_of("zh")[0].page
    picture = paint(page, form)
    assert picture[:2] == b"\xff\xd8", "JPEG"
    assert picture_size(picture) == (page.width, page.height)
    assert only_restless_differs(paint(page), [picture])

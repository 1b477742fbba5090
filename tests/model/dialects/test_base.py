from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.model.dialects import registry
from assistant.model.dialects.base import (
    PIXELS,
    THOUSANDTHS,
    UNIT,
    MalformedReply,
    Space,
    parse_point,
    patches,
)
from assistant.model.types import SentImage
from assistant.records import Point
from tests.model.strategies import POINTS, UNHURRIED
from tests.tables import each

FRAME = SentImage(560, 1288)
YX = Space(1000, yx=True)
UI_TARS = patches(28, least=100 * 28 * 28, most=16384 * 28 * 28)
SPACES = [PIXELS, THOUSANDTHS, UNIT, YX, Space(999), UI_TARS]


@each(
    ("space", "numbers"),
    [
        (PIXELS, (280, 322)),
        (THOUSANDTHS, (500, 250)),
        (YX, (250, 500)),
        (Space(999), (500, 250)),
        (UNIT, (0.5, 0.25)),
        (UI_TARS, (280, 322)),
    ],
)
def test_each_space_counts_its_own_way(space: Space, numbers: tuple[float, float]) -> None:
    assert space.place(Point(0.5, 0.25), FRAME) == numbers


@pytest.mark.parametrize("space", SPACES)
@UNHURRIED
@given(point=POINTS, width=st.integers(28, 4000), height=st.integers(28, 4000))
def test_places_read_back_within_half_a_step(space: Space, point: Point, width: int, height: int) -> None:
    frame = SentImage(width, height)
    across, down = space.size(frame)

    read = space.point(*space.place(point, frame), frame)

    step = 0.5 * 10**-space.decimals
    assert abs(read.x - point.x) <= step / across + 1e-9
    assert abs(read.y - point.y) <= step / down + 1e-9


def test_a_picture_that_was_not_resized_counts_as_if_it_had_been() -> None:
    assert UI_TARS.size(SentImage(1080, 2400)) == (1092, 2408)
    assert UI_TARS.point(546, 1204, SentImage(1080, 2400)) == Point(0.5, 0.5)
    assert UI_TARS.size(SentImage(1092, 2408)) == (1092, 2408)


@each("space", SPACES)
def test_a_unit_outside_is_forgiven_and_more_is_not(space: Space) -> None:
    across, down = space.size(FRAME)
    unit = 10**-space.decimals
    corner = (down + unit, across + unit) if space.yx else (across + unit, down + unit)

    assert space.point(*corner, FRAME) == Point(1, 1)
    with pytest.raises(MalformedReply, match="lie outside"):
        space.point(corner[0], corner[1] + 3 * unit, FRAME)
    with pytest.raises(MalformedReply, match="lie outside"):
        space.point(-3 * unit, 0, FRAME)


@each("space", [PIXELS, THOUSANDTHS, YX, Space(999)])
def test_fractions_are_no_pixels(space: Space) -> None:
    with pytest.raises(MalformedReply, match="no fractions of one"):
        space.point(0.31, 0.5, FRAME)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_malformed(number: float) -> None:
    with pytest.raises(MalformedReply, match="not numbers"):
        THOUSANDTHS.point(number, 5, FRAME)


@each(
    ("value", "numbers"),
    [
        ([120, 480], (120, 480)),
        (["120", "480.5"], (120, 480.5)),
        ([[120, 480]], (120, 480)),
        ({"x": 120, "y": 480}, (120, 480)),
        ("120 480", (120, 480)),
        ("(120，480)", (120, 480)),
        ("<|box_start|>(120,480)<|box_end|>", (120, 480)),
        ("<point>120 480</point>", (120, 480)),
        ("<bbox>100 400 140 560</bbox>", (120, 480)),
        ([100, 400, 140, 560], (120, 480)),
        ([[100, 400], [140, 560]], (120, 480)),
        ([120, 480, 7], (120, 480)),
        ([100, 400, 140, 560, 9], (120, 480)),
        ([120, 480, 1, 2, 3, 4], (120, 480)),
        ([120, 480, 1, 2, 3, 4, 5], (120, 480)),
        ([100, 400, 140, 400, 140, 560, 100, 560], (120, 480)),
        ([-1, 480], (-1, 480)),
    ],
)
def test_a_place_is_read_in_all_spellings(value: object, numbers: tuple[float, float]) -> None:
    assert parse_point(value, "point") == numbers


WORDS = ["", "[]", "x,y", "120", "120 by 480", "1e5,2", "99999999999,1", "٣,٤", "1,2" * 99]
VALUES = [[], [120], [True, 1], [None, 1], [1] * 9, [1] * 99, [[[[[1, 2]]]]], [1e300, 2], 5, None]
OBJECTS = [{"x": 1}, {"x": 1, "y": 2, "z": 3}]


@each("value", [*WORDS, *VALUES, *OBJECTS])
def test_other_values_are_no_place(value: object) -> None:
    with pytest.raises(MalformedReply):
        parse_point(value, "point")


@each("dialect", registry.available())
def test_the_sent_size_stays_when_it_is_prepared_again(dialect: registry.Dialect) -> None:
    size = dialect.space.resize(576, 1280)

    assert dialect.space.resize(*size) == size

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.memory.store import Store
from assistant.memory.transfer.jsonl import (
    LONGEST,
    ImportProgress,
    RefusedLine,
    UnreadableRecord,
    import_lines,
    read_lines,
    read_record,
)
from assistant.records import (
    Action,
    AskUser,
    Bounds,
    Click,
    Cost,
    Direction,
    Finished,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    Record,
    Scroll,
    Swipe,
    Target,
    TypeText,
    Usage,
)
from tests.tables import each

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GOOD = '{"id": "%s", "user_id": "1", "time": "2025-03-09T13:31:15+08:00", "instruction": "x"}'

fractions = st.floats(0, 1, allow_nan=False)
points = st.builds(Point, fractions, fractions)
characters = st.characters(codec="utf-8", exclude_characters="\0")
texts = st.text(characters, max_size=12)
words = st.text(characters, min_size=1, max_size=12)
pixels = st.integers(-5, 3000)
targets = st.none() | st.builds(
    Target,
    resource_id=texts,
    class_name=texts,
    text=texts,
    description=texts,
    bounds=st.none() | st.builds(Bounds, pixels, pixels, pixels, pixels),
)
actions = st.one_of(
    st.builds(Click, point=points, content=texts, target=targets),
    st.builds(TypeText, text=texts, target=targets),
    st.builds(Scroll, point=points, direction=st.sampled_from(Direction)),
    st.builds(Swipe, start=points, end=points),
    st.builds(PressBack),
    st.builds(OpenApp, name=texts),
    st.builds(Finished, answer=texts),
    st.builds(AskUser, question=texts),
)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
counts = st.integers(0, 2**53)
records = st.builds(
    Record,
    id=words,
    user_id=texts,
    time=st.datetimes(datetime(1971, 1, 1), datetime(2199, 1, 1), timezones=zones),
    instruction=words,
    said=texts,
    scenario=texts,
    app=texts,
    package=texts,
    outcome=st.none() | st.sampled_from(Outcome),
    source=texts,
    actions=st.lists(actions, max_size=4).map(tuple),
    model=texts,
    usage=st.none() | st.builds(Usage, prompt_tokens=counts, completion_tokens=counts, requests=counts),
    cost=st.none() | st.builds(Cost, amount=st.floats(0, 1e9), currency=texts),
    seconds=st.none() | st.floats(allow_nan=False, allow_infinity=False),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "memory")
    yield opened
    opened.close()


def took(store: Store, text: bytes) -> tuple[ImportProgress, list[RefusedLine]]:
    refused: list[RefusedLine] = []
    done = import_lines(store, io.BytesIO(text), "a test", lambda _: None, refused.append)
    return done, refused


def written(store: Store) -> bytes:
    return b"".join(
        record.model_dump_json(exclude_none=True).encode() + b"\n" for record in store.records.of()
    )


@settings(max_examples=5, deadline=None)
@given(many=st.lists(records, max_size=30, unique_by=lambda record: record.id))
def test_what_goes_out_comes_in_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, many: list[Record]
) -> None:
    first, second = (Store(tmp_path_factory.mktemp("memory")) for _ in range(2))
    lines = b"".join(record.model_dump_json(exclude_none=True).encode() + b"\n" for record in many)
    assert took(first, lines) == (ImportProgress(len(many), 0, 0, len(lines)), [])
    took(second, written(first))
    assert written(second) == written(first)
    assert {record.id: record for record in second.records.of()} == {record.id: record for record in many}
    first.close()
    second.close()


def test_importing_twice_changes_nothing(store: Store) -> None:
    lines = "\n".join(GOOD % number for number in range(600)).encode()
    assert took(store, lines)[0].imported == 600
    before = written(store)
    done, _ = took(store, lines)
    assert (done.imported, done.duplicates) == (0, 600)
    assert written(store) == before
    assert len(store.audit.lines()) == 1


def test_an_import_is_one_change_that_can_be_undone(store: Store) -> None:
    took(store, (GOOD % "kept").encode())
    took(store, "\n".join(GOOD % number for number in range(600)).encode())
    assert store.audit.lines()[-1].counts == {"records": {"inserted": 600}}
    store.undo()
    assert [record.id for record in store.records.of()] == ["kept"]
    store.redo()
    assert store.records.count() == 601


def test_a_record_that_comes_twice_counts_once(store: Store) -> None:
    done, _ = took(store, b"\n".join([(GOOD % "a").encode()] * 3))
    assert (done.imported, done.duplicates) == (1, 2)


def test_bad_lines_are_told_by_number_and_the_rest_is_kept(store: Store) -> None:
    good = (GOOD % "a").encode()
    deep = b"[" * 100_000
    lines = [
        b"\xef\xbb\xbf" + good,
        b"",
        good[:40],
        good.replace(b'"a"', b'"\xff\xfe"'),
        b"null",
        deep,
        b'{"id": "b"}',
        good.replace(b"+08:00", b""),
        good.replace(b"2025", b"9999"),
        good.replace(b'"x"', b'"x", "seconds": NaN'),
        good.replace(b'"x"', b'"x", "actions": [{"type": "\\u001b[31mrm -rf"}]'),
        good.replace(b'"x"', b'"\\ud800"'),
        b"\x00" * 100,
        good.replace(b'"a"', b'"%s"' % (b"i" * 300)),
        good.replace(b'"x"', b'"%s"' % (b"x" * LONGEST)),
        good.replace(b'"a"', b'"z"') + b"\r",
        good[:60],
    ]
    done, refused = took(store, b"\n".join(lines))
    assert {record.id for record in store.records.of()} == {"a", "z"}
    assert [refusal.line for refusal in refused] == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17]
    assert (done.imported, done.refused) == (2, 14)
    reasons = {refusal.line: refusal.reason for refusal in refused}
    assert reasons[3].startswith("not JSON: EOF while parsing")
    assert reasons[4] == "not JSON: invalid unicode code point at column 9"
    assert "recursion" in reasons[6]
    assert reasons[7] == "user_id: is missing; time: is missing; instruction: is missing"
    assert "timezone" in reasons[8]
    assert "1970 to 2199" in reasons[9]
    assert reasons[11] == "actions.0: there is no such action"
    assert reasons[15] == "the line is longer than 1,000,000 bytes"
    assert all(refusal.reason.isprintable() and len(refusal.reason) <= 200 for refusal in refused)


class Endless(io.RawIOBase):
    """A hundred megabytes in one line, then a good one."""

    def __init__(self) -> None:
        self.left = 100_000_000
        self.tail = b"\n" + (GOOD % "after").encode()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        room = memoryview(buffer)
        if self.left:
            size = min(len(room), self.left)
            room[:size] = b"x" * size
            self.left -= size
            return size
        size = min(len(room), len(self.tail))
        room[:size] = self.tail[:size]
        self.tail = self.tail[size:]
        return size


def test_a_line_of_a_hundred_megabytes_takes_little_memory(store: Store) -> None:
    refused: list[RefusedLine] = []
    tracemalloc.start()
    stream = io.BufferedReader(Endless(), 1 << 20)
    done = import_lines(store, stream, "a test", lambda _: None, refused.append)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [refusal.line for refusal in refused] == [1]
    assert (done.imported, [record.id for record in store.records.of()]) == (1, ["after"])
    assert most < 10_000_000


@given(st.binary(max_size=200), st.integers(1, 20))
def test_lines_add_up_whatever_the_limit(text: bytes, longest: int) -> None:
    lines = list(read_lines(io.BytesIO(text), longest))
    whole = io.BytesIO(text).readlines()
    assert [line.number for line in lines] == list(range(1, len(whole) + 1))
    for line, expected in zip(lines, whole, strict=True):
        assert line.text == (expected if len(expected.rstrip(b"\n")) <= longest else None)
    assert not lines or lines[-1].end == len(text)


@settings(max_examples=40)
@given(
    st.binary(max_size=60)
    | st.recursive(st.none() | st.booleans() | st.floats() | texts, st.lists).map(
        lambda value: json.dumps(value).encode()
    )
)
def test_anything_else_is_refused_in_words(text: bytes) -> None:
    with pytest.raises(UnreadableRecord) as refused:
        read_record(text)
    assert str(refused.value)


def test_a_null_character_is_refused_and_its_name_is_not(store: Store) -> None:
    named, held = (
        (GOOD % name).replace('"x"', rf'"{text}"').encode()
        for name, text in (("a", r"\\u0000"), ("b", r"\\\u0000"))
    )
    assert [refusal.line for refusal in took(store, named + b"\n" + held)[1]] == [2]
    (record,) = store.records.of()
    assert record.instruction == r"\u0000"


def test_a_moment_is_kept_with_its_zone(store: Store) -> None:
    took(store, (GOOD % "a").encode())
    (record,) = store.records.of()
    assert record.time.isoformat() == "2025-03-09T13:31:15+08:00"
    assert record.time == datetime(2025, 3, 9, 5, 31, 15, tzinfo=UTC)


def test_actions_in_the_names_of_other_programs_are_read() -> None:
    actions = [
        {"type": "open_app", "text": "Clock"},
        {"type": "long_press", "point": [0.5, 0.25], "content": "06:30"},
        {"type": "long_click", "point": [0.5, 0.5]},
    ]
    line = json.dumps({**json.loads(GOOD % "a"), "actions": actions}).encode()
    record = read_record(line)
    assert [action.type for action in record.actions] == ["open_app", "long_click", "long_click"]
    assert record.actions[0] == OpenApp(name="Clock")
    with pytest.raises(UnreadableRecord, match="no such action"):
        read_record(line.replace(b"long_press", b"conjure"))


class Strings:
    """Reads “tap X Y”."""

    def read_action(self, written: str | Mapping[str, Any], width: int, height: int) -> Action:
        word, _blank, place = str(written).partition(" ")
        if word != "tap":
            raise ValueError(f"there is no action {word}")
        x, y = map(int, place.split())
        return Click(point=Point(x / width, y / height))


def test_actions_that_are_strings_are_read_in_pixels_of_the_screen_that_the_line_names() -> None:
    values = {**json.loads(GOOD % "a"), "actions": ["tap 270 600"]}
    assert read_record(json.dumps(values).encode(), Strings()).actions == (Click(point=Point(0.25, 0.25)),)
    smaller = json.dumps({**values, "screen": [540, 1200]}).encode()
    assert read_record(smaller, Strings()).actions == (Click(point=Point(0.5, 0.5)),)
    with pytest.raises(UnreadableRecord, match="no action fly"):
        read_record(json.dumps({**values, "actions": ["fly 1 2"]}).encode(), Strings())
    with pytest.raises(UnreadableRecord, match="screen"):
        read_record(json.dumps({**values, "screen": "large"}).encode(), Strings())


@each("time", [1763719200, 1763719200.5, "1763719200", -3])
def test_a_number_is_no_time(time: object) -> None:
    with pytest.raises(UnreadableRecord, match="time: is a number"):
        read_record(json.dumps({**json.loads(GOOD % "a"), "time": time}).encode())


def test_other_content_under_a_known_id_is_told_and_changes_nothing(store: Store) -> None:
    took(store, (GOOD % "a").encode())
    other = json.dumps({**json.loads(GOOD % "a"), "instruction": "Something else"})
    done, refused = took(store, f"{GOOD % 'a'}\n{other}\n{GOOD % 'b'}\n".encode())
    assert (done.imported, done.duplicates, done.refused) == (1, 1, 1)
    assert [(refusal.line, "other content" in refusal.reason) for refusal in refused] == [(2, True)]
    kept = store.records.get("a")
    assert kept is not None
    assert kept.instruction != "Something else"


def test_of_two_contents_under_one_new_id_the_first_is_kept(store: Store) -> None:
    other = json.dumps({**json.loads(GOOD % "a"), "instruction": "Something else"})
    done, refused = took(store, f"{GOOD % 'a'}\n{other}\n".encode())
    assert (done.imported, done.refused, [refusal.line for refusal in refused]) == (1, 1, [2])

"""What the guards say of a file of screens: one judgement a line, in order, and unreadable lines in words."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.agent.step import find_target
from assistant.cli.account import UnreadableLine, approvals_app, judge_line
from assistant.model.prompts import list_elements
from assistant.phone.ui_tree import observe_tree
from assistant.records import Click, Observation, Point
from assistant.safety.classifier import judge
from tests.tables import each

_TREE = (
    '<hierarchy rotation="0"><node class="android.widget.FrameLayout" package="com.example.shop" '
    'bounds="[0,0][1080,2400]"><node class="android.widget.Button" text="{label}" clickable="true" '
    'package="com.example.shop" bounds="[0,2000][1080,2200]"/></node></hierarchy>'
)
_TAP = {"type": "click", "point": [0.5, 0.87]}


def test_each_line_is_judged_in_order(tmp_path: Path) -> None:
    lines = [
        json.dumps({"tree": _TREE.format(label="Pay ¥32.00"), "action": _TAP}),
        json.dumps({"tree": _TREE.format(label="See more"), "action": _TAP, "locale": "en"}),
        "nonsense",
        json.dumps({"tree": "no tree", "action": _TAP}),
        json.dumps({"tree": _TREE.format(label="Pay"), "action": {"type": "think"}}),
        json.dumps({"tree": _TREE.format(label="Pay"), "action": {"type": "press_back"}}),
    ]
    file = tmp_path / "screens.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = CliRunner().invoke(approvals_app, ["judge", "--file", str(file), "--json"])
    judged = [json.loads(line) for line in result.stdout.splitlines()]
    assert judged[0]["kind"] == "pay"
    assert "¥32.00" in judged[0]["sentence"]
    assert judged[1] == {"kind": None, "sentence": ""}
    assert [sorted(line) for line in judged[2:5]] == [["error"]] * 3
    assert judged[5] == {"kind": None, "sentence": ""}
    assert result.exit_code == 1


_DIALOG = (
    '<hierarchy rotation="0"><node class="android.widget.FrameLayout" package="com.example.shop" '
    'bounds="[60,700][1020,1500]"><node class="android.widget.TextView" text="Empty the cart?" '
    'package="com.example.shop" bounds="[100,740][980,840]"/><node class="android.widget.TextView" '
    'text="Yes" clickable="true" package="com.example.shop" bounds="[100,1360][980,1460]"/>'
    "</node></hierarchy>"
)


@each("height", [1920, 2340, 2400])
def test_a_dump_of_a_dialog_is_judged_on_the_screen_that_the_tap_was_on(height: int) -> None:
    tap = {"type": "click", "point": [0.5, 1410 / height]}
    assert judge_line(json.dumps({"tree": _DIALOG, "action": tap}))["kind"] == "delete"
    named = {"tree": _DIALOG, "action": tap, "screen": f"1080x{height}"}
    assert judge_line(json.dumps(named))["kind"] == "delete"


def test_a_tap_on_nothing_is_said_to_be_one() -> None:
    tap = {"type": "click", "point": [0.02, 0.02]}
    judged = judge_line(json.dumps({"tree": _DIALOG, "action": tap}))
    assert judged["kind"] is None
    assert judged["hit"] is False
    assert "screen" in judged["sentence"]


def test_a_size_that_is_none_is_an_error() -> None:
    with pytest.raises(UnreadableLine):
        judge_line(json.dumps({"tree": _DIALOG, "action": _TAP, "screen": "large"}))


def test_a_file_that_cannot_be_read_is_named_in_words(tmp_path: Path) -> None:
    result = CliRunner().invoke(approvals_app, ["judge", "--file", str(tmp_path / "none.jsonl")])
    assert result.exit_code == 1
    assert "none.jsonl" in result.output
    assert "Traceback" not in result.output


def _node(bounds: str, text: str = "") -> str:
    return f'<node class="android.view.View" text="{text}" clickable="true" package="a" bounds="{bounds}">'


def _deep(count: int) -> str:
    return _node("[0,0][1080,2400]") * count + "</node>" * count


def _wide(count: int) -> str:
    tops = (n * 2300 // count for n in range(count))
    rows = (_node(f"[0,{top}][1080,{top + 60}]", f"Total ¥{top}") + "</node>" for top in tops)
    return _node("[0,0][1080,2400]") + "".join(rows) + "</node>"


def _comb(count: int) -> str:
    level = _node("[0,0][1080,2400]") + _node("[0,50][1080,90]", "Row") + "</node>"
    return level * (count // 2) + "</node>" * (count // 2)


def _calls(work: Callable[[], object]) -> int:
    """How many functions some work calls, in Python and in C."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@each("shape", [_deep, _wide, _comb])
def test_a_tree_of_four_times_the_nodes_is_four_times_the_work(shape: Callable[[int], str]) -> None:
    point = Point(0.5, 0.5)

    def work(screen: Observation) -> None:
        judge(Click(point=point), screen)
        find_target(point, screen)
        list_elements(screen)

    # What is read once for all screens, as each label is, is read before; nothing is kept of a screen itself.
    first, small, large = (
        observe_tree(f"<hierarchy>{shape(count)}</hierarchy>") for count in (800, 200, 800)
    )
    work(first)
    assert _calls(lambda: work(large)) < 6 * _calls(lambda: work(small))


@each("address", ["http://[::1", "https://a]b/", "http://[x]/pay"])
def test_what_is_no_address_is_asked_about_and_ends_nothing(address: str) -> None:
    opening = {"type": "open_app", "name": "Browser", "at": address}
    assert judge_line(json.dumps({"tree": _DIALOG, "action": opening}))["kind"] == "pay"


@each("size", ["0x0", "00x00", "0x2400"])
def test_a_size_without_an_extent_is_an_error(size: str) -> None:
    with pytest.raises(UnreadableLine):
        judge_line(json.dumps({"tree": _DIALOG, "action": _TAP, "screen": size}))


@each("action", [None, "click", {"kind": "click", "point": [0.5, 0.5]}, {"type": "click"}])
def test_a_wrong_action_is_answered_with_a_right_one_that_can_be_judged(action: object) -> None:
    with pytest.raises(UnreadableLine) as failure:
        judge_line(json.dumps({"tree": _DIALOG, "action": action}))
    example = str(failure.value)[str(failure.value).index("{") :]
    assert "kind" in judge_line(json.dumps({"tree": _DIALOG, "action": json.loads(example)}))

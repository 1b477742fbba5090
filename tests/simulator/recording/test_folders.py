"""Recordings as they lie in folders: FingerTip's layout and DroidBot's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from assistant.records import Direction, Point
from assistant.simulator.recording.folders import UnreadableRecording, read_recording
from assistant.simulator.recording.screens import InputKind, RecordedInput, Recording

TREE = """<hierarchy rotation="0"><node index="0" text="" resource-id="" class="android.widget.FrameLayout"
 package="{package}" content-desc="" clickable="false" enabled="true" bounds="[0,0][1000,2000]">
<node index="0" text="{text}" resource-id="" class="android.widget.Button" package="{package}" content-desc=""
 clickable="true" enabled="true" bounds="[100,200][900,400]" /></node></hierarchy>"""


def tap(x: float, y: float) -> RecordedInput:
    return RecordedInput(InputKind.TAP, Point(x, y))


def write_episode(folder: Path, actions: list[Any], *, texts: list[str], app: str = "Shop") -> Path:
    """An episode with a picture and a tree for each text."""
    for kind in ("screenshots", "trees"):
        (folder / kind).mkdir(parents=True)
    for number, text in enumerate(texts, start=1):
        Image.new("RGB", (100, 200), "white").save(folder / "screenshots" / f"{number:03}.jpg")
        tree = TREE.format(package="com.shop", text=text)
        (folder / "trees" / f"{number:03}.xml").write_text(tree)
    about = {"intent_description": "Buy tea", "app": app, "screen": [1000, 2000], "actions": actions}
    (folder / "episode.json").write_text(json.dumps(about))
    return folder


def follow(recording: Recording, *happened: RecordedInput) -> list[str]:
    """The words on each screen that comes; nothing where an input was not recorded."""
    number, words = 0, []
    for each in happened:
        target = recording.next_screen(number, each)
        number = number if target is None else target
        words.append("" if target is None else recording.screens[target].elements[1].text)
    return words


def test_an_episode_is_followed_by_its_own_inputs_alone(tmp_path: Path) -> None:
    actions = [
        {"action": "click(coordinates=(500,300), content='Go')"},
        "type(text='green tea')",
        {"action": "scroll", "coordinates": [500, 900], "direction": "down"},
        "navigate_back()",
        "finish()",
    ]
    folder = write_episode(tmp_path / "55" / "20250309_133115", actions, texts=list("ABCDE"))
    recording = read_recording(folder.parent.parent)
    assert recording.labels == {"com.shop": "Shop"}
    assert follow(
        recording,
        tap(0.5, 0.9),
        tap(0.12, 0.11),
        RecordedInput(InputKind.TEXT, text="black tea"),
        RecordedInput(InputKind.TEXT, text="Green  tea"),
        RecordedInput(InputKind.SWIPE, direction=Direction.UP),
        RecordedInput(InputKind.SWIPE, direction=Direction.DOWN),
        RecordedInput(InputKind.KEY, key=66),
        RecordedInput(InputKind.KEY, key=4),
    ) == ["", "B", "", "C", "", "D", "", "E"]


def test_without_a_tree_a_touch_must_be_near(tmp_path: Path) -> None:
    folder = write_episode(tmp_path / "20250309_133115", ["click(coordinates=(500,300))"], texts=["A", "B"])
    (folder / "trees" / "001.xml").unlink()
    recording = read_recording(folder)
    assert recording.screens[0].tree == b""
    assert follow(recording, tap(0.6, 0.15), tap(0.52, 0.17)) == ["", "B"]


def test_what_was_recorded_on_an_equal_screen_is_known_there_too(tmp_path: Path) -> None:
    write_episode(tmp_path / "20250309_133115", ["click(coordinates=(500,300))"], texts=["A", "B"])
    write_episode(tmp_path / "20250310_133115", ["press_back()"], texts=["A", "C"])
    recording = read_recording(tmp_path)
    assert follow(recording, RecordedInput(InputKind.KEY, key=4)) == ["C"]


@pytest.mark.parametrize("action", ["__import__('os')", "click(coordinates=(1,", {"action": 7}, "click(os)"])
def test_an_action_that_cannot_be_read_leaves_the_episode_out(tmp_path: Path, action: Any) -> None:
    write_episode(tmp_path / "20250309_133115", [action], texts=["A"])
    write_episode(tmp_path / "20250310_133115", ["press_back()"], texts=["B"])
    assert [screen.elements[1].text for screen in read_recording(tmp_path).screens] == ["B"]


@pytest.mark.parametrize("made", [False, True])
def test_a_folder_without_screens_is_refused(tmp_path: Path, made: bool) -> None:
    if made:
        (tmp_path / "states").mkdir()
        (tmp_path / "states" / "state_1.json").write_text("{")
    with pytest.raises(UnreadableRecording, match="no recorded screens"):
        read_recording(tmp_path)


def view(number: int, parent: int, text: str | None, bounds: list[list[int]], **more: Any) -> dict[str, Any]:
    """A view as DroidBot writes it."""
    return {
        "temp_id": number,
        "parent": parent,
        "text": text,
        "bounds": bounds,
        "class": "android.widget.Button",
        "package": "com.shop",
        "content_description": None,
        "resource_id": None,
        "visible": True,
        "enabled": True,
        "clickable": text is not None,
        "children": [],
        "view_str": f"{number:032x}",
        **more,
    }


def write_state(folder: Path, tag: str, state: str, text: str) -> None:
    """A state with one button and one invisible one."""
    views = [
        view(0, -1, None, [[0, 0], [1000, 2000]], children=[1, 2]),
        view(1, 0, text, [[100, 200], [900, 400]]),
        view(2, 0, "hidden", [[100, 500], [900, 600]], visible=False),
    ]
    value = {"state_str": state, "foreground_activity": "com.shop/.Main", "width": 1000, "height": 2000}
    (folder / "states").mkdir(exist_ok=True, parents=True)
    (folder / "states" / f"state_{tag}.json").write_text(json.dumps({**value, "views": views}))
    Image.new("RGB", (1000, 2000)).save(folder / "states" / f"screen_{tag}.png")


def write_graph(folder: Path, first: str, edges: list[dict[str, Any]]) -> None:
    graph = {"nodes": [{"id": first, "label": "Main\n<FIRST>"}], "edges": edges}
    (folder / "utg.js").write_text(f"var utg = \n{json.dumps(graph)}")


def test_droidbots_states_are_joined_by_its_events(tmp_path: Path) -> None:
    write_state(tmp_path, "1", "aa", "A")
    write_state(tmp_path, "2", "bb", "B")
    write_state(tmp_path, "3", "bb", "B")
    touched = view(1, 0, "B", [[100, 200], [900, 400]])
    events = [
        ({"event_type": "touch", "x": None, "y": None, "view": touched}, "bb", "aa"),
        ({"event_type": "key", "name": "BACK"}, "aa", "bb"),
        ({"event_type": "intent", "intent": "am start com.shop/com.shop.Main"}, "bb", "aa"),
        ({"event_type": "kill_app"}, "aa", "bb"),
        ({"event_type": "touch", "x": 1, "y": 1}, "aa", "unknown"),
    ]
    (tmp_path / "events").mkdir()
    for number, (event, start, stop) in enumerate(events):
        kept = {"tag": str(number), "event": event, "start_state": start, "stop_state": stop}
        (tmp_path / "events" / f"event_{number}.json").write_text(json.dumps(kept))
    write_graph(tmp_path, "bb", [])
    recording = read_recording(tmp_path)
    assert recording.screens[0].key == "bb"
    assert [element.text for element in recording.screens[0].elements] == ["", "B"]
    assert recording.screens[0].activity == ".Main"
    back = RecordedInput(InputKind.KEY, key=4)
    launch = RecordedInput(InputKind.START, text="com.shop")
    assert follow(recording, back, tap(0.8, 0.18), back, launch) == ["", "A", "B", "A"]
    assert recording.move_count == 3


def test_the_graphs_edges_stand_in_for_events_without_states(tmp_path: Path) -> None:
    write_state(tmp_path, "1", "aa", "A")
    write_state(tmp_path, "2", "bb", "B")
    told = [
        {"event_type": "touch", "event_str": f"TouchEvent(state=aa, view={1:032x}(Main/Button-A))"},
        {"event_type": "scroll", "event_str": f"ScrollEvent(state=aa, view={1:032x}, direction=DOWN)"},
        {"event_type": "key", "event_str": "KeyEvent(state=aa, name=BACK)"},
    ]
    write_graph(tmp_path, "aa", [{"from": "aa", "to": "bb", "events": told}])
    recording = read_recording(tmp_path)
    assert follow(recording, tap(0.5, 0.15)) == ["B"]
    assert follow(recording, RecordedInput(InputKind.SWIPE, direction=Direction.DOWN)) == ["B"]
    assert follow(recording, RecordedInput(InputKind.KEY, key=4)) == ["B"]

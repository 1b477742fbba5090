"""Which steps of a turn are kept: detours are left out, and nothing that did something, seen or not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.memory.store import Store
from assistant.records import (
    Action,
    AskUser,
    Bounds,
    ClearText,
    Click,
    Element,
    Finished,
    ForegroundApp,
    Observation,
    OpenApp,
    Point,
    PressBack,
    Source,
    TypeText,
)
from assistant.skills.service import SkillMemory
from assistant.skills.skill_step import find_place
from assistant.skills.storage import export_skill
from tests.skills.recorded_turns import HOME, Order, learn_turn, screen
from tests.skills.screens import dialog, listing, node, row
from tests.tables import each

SETTINGS = screen(listing(row(0, "Sound", ""), row(1, "Display", ""), title="Settings"), ".Settings")
SAID = "show the display on Eats"


def sound(*, is_on: bool = False) -> Observation:
    switch = node("Switch", (0, 300, 1000, 500), text="Quiet", name="quiet", tap=True, checked=is_on)
    return screen(listing(switch, title="Sound"), ".Sound")


ABOUT = screen(listing(row(0, "Version", "1"), title="About"), ".About")
ASKED = screen(listing(row(0, "Version", "1"), over=dialog("Reset everything?"), title="About"), ".Asked")
DISPLAY = screen(listing(row(0, "Dark", "off"), row(1, "Size", "M"), row(2, "Turn", "on")), ".Display")


def tap(words: str, on: Observation) -> Click:
    element = next(e for e in on.elements if e.clickable and on.label_of(e).split(" · ")[0] == words)
    x, y = element.bounds.centre
    return Click(point=Point(x / 1000, y / 2000))


def test_the_least_change_counts_where_a_tap_hits_what_is_small() -> None:
    field = node("EditText", (0, 600, 1000, 700), tap=True)
    page = screen(listing(row(0, "Sound", ""), row(1, "Display", ""), field))
    assert find_place(page, tap("Sound", page)) == (0, 200, 1000, 400)
    for beside in (Point(0.5, 0.325), Point(0.5, 0.9)):
        assert find_place(page, Click(point=beside)) is None
    assert find_place(page, PressBack()) is None


@each(
    ("size", "bounds", "is_small"),
    [
        ((1080, 2400), Bounds(0, 900, 1080, 1150), True),  # A high row.
        ((2400, 1080), Bounds(0, 500, 2400, 644), True),
        ((720, 1280), Bounds(0, 500, 720, 644), True),
        ((1080, 2400), Bounds(20, 500, 515, 1000), True),  # Of two tiles abreast.
        ((1080, 2400), Bounds(0, 100, 1080, 707), False),  # A video.
        ((2400, 1080), Bounds(240, 0, 2160, 1080), False),
    ],
)
def test_a_row_is_small_however_wide_the_screen(
    size: tuple[int, int], bounds: Bounds, *, is_small: bool
) -> None:
    button = Element(0, -1, "android.view.View", bounds, clickable=True)
    page = Observation(*size, b"", (button,), ForegroundApp("com.example.shop"))
    place = find_place(page, Click(point=page.point(*bounds.centre)))
    assert place == (bounds if is_small else None)


def kept(store: Store, skills: SkillMemory, *between: tuple[Action, Observation]) -> list[str]:
    """What is kept of a turn that did something between opening the settings and going to the display."""
    learn_turn(
        store,
        skills,
        SAID,
        [
            (OpenApp(name="Eats"), screen(HOME, ".Home")),
            *between,
            (tap("Display", SETTINGS), SETTINGS),
            (Finished(), DISPLAY),
        ],
    )
    (template,) = skills.repository.all()
    return [step.words() for step in template.steps]


WAY = ["open Eats", "tap “Display”"]


def test_looking_at_another_page_is_a_detour(store: Store, skills: SkillMemory) -> None:
    assert kept(store, skills, (tap("Sound", SETTINGS), SETTINGS), (PressBack(), sound())) == WAY


def test_a_switch_on_a_page_behind_is_none_though_the_page_in_front_looks_the_same(
    store: Store, skills: SkillMemory
) -> None:
    steps = kept(
        store,
        skills,
        (tap("Sound", SETTINGS), SETTINGS),
        (tap("Quiet", sound()), sound()),
        (PressBack(), sound(is_on=True)),
    )
    assert steps == ["open Eats", "tap “Sound”", "tap “Quiet”", "press back", "tap “Display”"]


def test_a_button_that_agrees_is_none(store: Store, skills: SkillMemory) -> None:
    steps = kept(store, skills, (tap("Sound", SETTINGS), SETTINGS), (tap("OK", ASKED), ASKED))
    assert steps == ["open Eats", "tap “Sound”", "tap “OK”", "tap “Display”"]


def test_a_button_that_declines_is_one(store: Store, skills: SkillMemory) -> None:
    assert kept(store, skills, (tap("Sound", SETTINGS), SETTINGS), (tap("Cancel", ASKED), ASKED)) == WAY


def test_a_choice_that_leads_back_and_is_left_by_back_is_none(store: Store, skills: SkillMemory) -> None:
    modes = screen(listing(row(0, "Loud", ""), row(1, "Low", ""), row(2, "Off", "")), ".Modes")
    steps = kept(
        store,
        skills,
        (tap("Sound", SETTINGS), SETTINGS),
        (tap("Version", ABOUT), ABOUT),
        (tap("Low", modes), modes),
        (PressBack(), ABOUT),
    )
    assert steps == [
        "open Eats",
        "tap “Sound”",
        "tap “Version”",
        "tap “Low”",
        "press back",
        "tap “Display”",
    ]


def entry(name: str, text: str = "", leaving: str = "Save") -> Observation:
    """A page with a field that has the focus, and buttons to leave it."""
    field = node("EditText", (0, 300, 1000, 500), text=text, name=name, tap=True, focused=True)
    buttons = (
        node("Button", (500 * place, 600, 500 * place + 500, 700), text=words, name=words.lower(), tap=True)
        for place, words in enumerate(("Cancel", leaving))
    )
    return screen(listing(field, *buttons, title="Entry"), ".Entry")


@each(
    ("field", "leaves", "is_kept"),
    [
        ("search", "", False),
        ("search", "Close", False),
        # What is saved is done; Back may save, as “Close” may, and “Decline” may send what was typed.
        ("nickname", "", True),
        *(("nickname", words, True) for words in ("Close", "关闭", "Decline", "Reject", "拒绝", "Save")),
        ("search", "Save", True),
    ],
)
def test_what_was_searched_for_in_vain_is_a_detour(
    tmp_path: Path, field: str, leaves: str, is_kept: bool
) -> None:
    store = Store(tmp_path / f"{field}-{leaves}")
    form = entry(field, "display", leaves or "Save")
    between = (
        (tap("Sound", SETTINGS), SETTINGS),
        (TypeText(text="display"), entry(field, "", leaves or "Save")),
        (tap(leaves, form) if leaves else PressBack(), form),
    )
    steps = kept(store, SkillMemory(store, "me"), *between)
    store.close()
    said = [step.replace("{item}", "display").replace("“Display”", "“display”") for step in steps]
    rest = ["tap “Sound”", "type “display”", f"tap “{leaves}”" if leaves else "press back"]
    assert said == [WAY[0], *(rest if is_kept else []), "tap “display”"]


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_text_that_was_emptied_again_is_no_step(store: Store, skills: SkillMemory, is_asked: bool) -> None:
    asked: list[tuple[Action, Observation]] = [(AskUser(question="Which?"), entry("nickname", "size"))]
    steps = kept(
        store,
        skills,
        (TypeText(text="the"), entry("nickname")),
        *(asked if is_asked else []),
        (ClearText(), entry("nickname", "the")),
        (TypeText(text="show"), entry("nickname")),
        (tap("Save", entry("nickname")), entry("nickname", "show")),
    )
    assert [step.partition(" ")[0] for step in steps].count("type") == 1


@each(
    ("text", "is_kept"),
    [("display", True), ("Display", True), ("09:10", False), ("the display, love", False), ("屏幕", False)],
)
def test_a_text_that_the_order_does_not_say_is_typed_anew(tmp_path: Path, text: str, is_kept: bool) -> None:
    store = Store(tmp_path / text)
    typed = (TypeText(text=text), entry("nickname"))
    steps = kept(
        store, SkillMemory(store, "me"), typed, (tap("Save", entry("nickname")), entry("nickname", text))
    )
    store.close()
    assert ("enter what is not kept" in steps) is not is_kept
    assert (text in " ".join(steps)) is False or is_kept


def test_the_model_types_what_was_found_and_memory_goes_on_behind_it(
    store: Store, skills: SkillMemory
) -> None:
    typed = (TypeText(text="09:10"), entry("nickname"))
    kept(store, skills, typed, (tap("Save", entry("nickname")), entry("nickname", "09:10")))
    order = Order(skills, SAID)
    order.replay(screen(HOME, ".Home"))
    proposal = order.propose(entry("nickname"))
    assert proposal is not None
    assert proposal.action is None
    order.did(TypeText(text="09:25"), Source.MODEL)
    proposal = order.propose(entry("nickname", "09:25"))
    assert proposal is not None
    assert isinstance(proposal.action, Click)


def test_of_a_way_with_both_only_the_detour_is_left_out(store: Store, skills: SkillMemory) -> None:
    steps = kept(
        store,
        skills,
        (PressBack(), SETTINGS),
        (tap("Sound", SETTINGS), SETTINGS),
        (PressBack(), sound()),
    )
    assert steps == WAY, "Back right behind opening the app leaves the page it stood on"


FORM = listing(
    node("EditText", (0, 200, 1000, 400), text="Hour", name="hour", tap=True, focused=True),
    node("EditText", (0, 400, 1000, 600), text="Note", name="note", tap=True),
    node("Button", (0, 1800, 1000, 1950), text="Save", name="save", tap=True),
    title="New alarm",
)


def form(hour: str, *, keyboard: bool) -> Observation:
    return replace(screen(FORM.replace("Hour", hour), ".Form"), keyboard_shown=keyboard)


def alarm(store: Store, skills: SkillMemory, *, closed: bool) -> Order:
    """A turn that typed an hour and saved, for which Back closed the keyboard, or something else did."""
    back = [(PressBack(), form("7", keyboard=True))] * closed
    learn_turn(
        store,
        skills,
        "set an alarm for 7 on Eats",
        [
            (OpenApp(name="Eats"), screen(HOME, ".Home")),
            (TypeText(text="7"), form("Hour", keyboard=True)),
            *back,
            (tap("Save", form("7", keyboard=False)), form("7", keyboard=False)),
            (Finished(), screen(listing(row(0, "7", "")), ".Alarms")),
        ],
    )
    order = Order(skills, "set an alarm for 9 on Eats")
    order.replay(screen(HOME, ".Home"), form("Hour", keyboard=True))
    return order


def proposed(order: Order, observation: Observation) -> Action | None:
    proposal = order.propose(observation)
    return proposal.action if proposal is not None else None


@pytest.mark.parametrize("closed", [True, False], ids=["by the turn", "as its steps do not tell"])
def test_a_keyboard_over_the_button_is_closed_first(store: Store, skills: SkillMemory, closed: bool) -> None:
    order = alarm(store, skills, closed=closed)
    first = proposed(order, form("9", keyboard=True))
    assert first == PressBack()
    order.did(first)
    assert isinstance(proposed(order, form("9", keyboard=False)), Click)


@pytest.mark.parametrize("closed", [True, False])
def test_without_a_keyboard_nothing_is_left_by_back(store: Store, skills: SkillMemory, closed: bool) -> None:
    order = alarm(store, skills, closed=closed)
    assert isinstance(proposed(order, form("9", keyboard=False)), Click)


def test_a_keyboard_that_stays_is_left_to_the_model(store: Store, skills: SkillMemory) -> None:
    order = alarm(store, skills, closed=False)
    order.replay(form("9", keyboard=True))
    assert proposed(order, form("9", keyboard=True)) is None


def test_back_that_closed_a_keyboard_is_kept_and_not_exported(
    store: Store, skills: SkillMemory, tmp_path: Path
) -> None:
    alarm(store, skills, closed=True)
    (template,) = skills.repository.all()
    assert "back" not in (export_skill(template, tmp_path) / "steps.yaml").read_text()
    assert [(step.words(), step.optional) for step in template.steps if step.closes_over] == [
        ("press back", True)
    ]

"""Values that were tapped rather than typed: from one turn they become slots, names of controls do not.

The instructions are templates of AndroidWorld with values of its own.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint, StoredStep
from assistant.phone.ui_tree import parse_tree
from assistant.records import (
    Action,
    Click,
    Finished,
    ForegroundApp,
    Observation,
    Outcome,
    Point,
    Source,
    TypeText,
)
from assistant.skills.service import SkillMemory
from assistant.skills.slots import Pattern, Slot
from assistant.skills.storage import ReplayReport
from assistant.skills.template import SkillTemplate
from tests.skills.screens import listing, node, row
from tests.tables import each

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
KINDS = ("biking", "hiking", "running")
ASKED = "How many {} activities did I do this week in the OpenTracks app?"


def screen(xml: str, activity: str = ".List") -> Observation:
    app = ForegroundApp("com.shop", activity, "OpenTracks")
    return Observation(1000, 2000, b"", parse_tree(xml.encode()).elements, app)


def chips(on: str, *words: str, mark: str = "selected") -> str:
    """A page with choices side by side, one of them marked, and a button that goes on."""
    cells = [
        node(
            "Button",
            (300 * n, 300, 300 * n + 300, 500),
            text=word,
            name="chip",
            tap=True,
            **{mark: word == on},
        )
        for n, word in enumerate(words)
    ]
    show = node("Button", (0, 1700, 1000, 1900), text="Show", name="show", tap=True)
    return listing(*cells, show, title="Filter")


def tap(seen: Observation, words: str) -> Click:
    element = next(e for e in seen.elements if e.clickable and words in seen.label_of(e))
    x, y = element.bounds.centre
    return Click(point=Point(x / seen.width, y / seen.height), target=element.target())


RESULT = screen(listing(row(0, "4 activities", ""), title="Week"), ".Result")


def taught(store: Store, skills: SkillMemory, said: str, *way: tuple[Action, Observation]) -> SkillTemplate:
    """What one turn teaches that went this way."""
    turn = Checkpoint(turn_id="turn-1", user_id="me", started=NOW, said=said, instruction=said)
    store.turns.save(turn)
    steps = []
    for number, (action, seen) in enumerate((*way, (Finished(), RESULT)), 1):
        steps.append(StoredStep(number=number, action=action, app="OpenTracks", package="com.shop"))
        store.turns.observe("turn-1", number, seen)
    done = turn.model_copy(update={"steps": tuple(steps)})
    store.turns.save(done)
    store.turns.finish(done, Outcome.SUCCESS)
    template = skills.learn("turn-1", Outcome.SUCCESS, ReplayReport())
    assert template is not None
    return template


class Turn:
    """A turn under way, whose steps come from memory where it has any."""

    def __init__(self, skills: SkillMemory, said: str) -> None:
        self.skills = skills
        self.turn = Checkpoint(turn_id="now", user_id="me", started=NOW, said=said, instruction=said)

    def tapped(self, seen: Observation) -> str:
        """What memory taps on a screen, or types; empty where it leaves the step to the model."""
        proposal = asyncio.run(self.skills.actions.propose(self.turn, seen))
        if proposal is None or proposal.action is None:
            return ""
        self.did(proposal.action, Source.REPLAYED, seen)
        return proposal.action.content if isinstance(proposal.action, Click) else str(proposal.action)

    def did(self, action: Action, source: Source, seen: Observation) -> None:
        if isinstance(action, Click):
            action = action.model_copy(update={"target": seen.target_at(action.point)})
        step = StoredStep(number=len(self.turn.steps) + 1, action=action, source=source)
        self.turn = self.turn.model_copy(update={"steps": (*self.turn.steps, step)})


def filtered(on: str, mark: str = "selected") -> Observation:
    return screen(chips(on, *KINDS, mark=mark))


def test_what_was_chosen_among_its_like_is_a_value_of_the_order(store: Store, skills: SkillMemory) -> None:
    before, after = filtered(""), filtered("biking")
    template = taught(
        store, skills, ASKED.format("biking"), (tap(before, "biking"), before), (tap(after, "Show"), after)
    )
    assert template.pattern.text == ASKED.format("{item}")
    turn = Turn(skills, ASKED.format("running"))
    assert turn.tapped(before) == "running"
    assert turn.tapped(filtered("running")) == "Show"


def test_only_what_was_offered_is_taken_for_a_value(store: Store, skills: SkillMemory) -> None:
    before, after = filtered(""), filtered("biking")
    template = taught(
        store, skills, ASKED.format("biking"), (tap(before, "biking"), before), (tap(after, "Show"), after)
    )
    assert template.pattern.fill(ASKED.format("Hiking")) == {"item": "Hiking"}
    assert template.pattern.fill(ASKED.format("outdoor")) is None


@pytest.mark.parametrize("mark", ["checked", "selected"])
@pytest.mark.parametrize(("now", "tapped"), [("biking", ["running", "Show"]), ("running", ["Show"])])
def test_a_value_that_stood_chosen_is_chosen_where_another_one_does(
    store: Store, skills: SkillMemory, now: str, tapped: list[str], mark: str
) -> None:
    seen = filtered("biking", mark)
    template = taught(store, skills, ASKED.format("biking"), (tap(seen, "Show"), seen))
    assert template.pattern.text == ASKED.format("{item}")
    turn = Turn(skills, ASKED.format("running"))
    done = [turn.tapped(filtered(now, mark)) if now == "running" else turn.tapped(seen)]
    if now == "biking":
        done.append(turn.tapped(filtered("running", mark)))
    assert done == tapped


def test_what_a_field_shows_after_its_list_is_a_value(store: Store, skills: SkillMemory) -> None:
    def form(kind: str) -> Observation:
        return screen(listing(row(0, "Kind", kind), row(1, "Show"), title="Filter"), ".Form")

    kinds = screen(
        listing(*(row(place, kind, "") for place, kind in enumerate(KINDS)), title="Kinds"), ".Kinds"
    )
    template = taught(
        store,
        skills,
        ASKED.format("biking"),
        (tap(form("any"), "Kind"), form("any")),
        (tap(kinds, "biking"), kinds),
        (tap(form("biking"), "Show"), form("biking")),
    )
    assert template.pattern.text == ASKED.format("{item}")


def test_a_row_that_shows_a_value_and_then_another_is_named_by_its_title(
    store: Store, skills: SkillMemory
) -> None:
    def form(origin: str, goal: str) -> Observation:
        return screen(listing(row(0, "Leave", origin), row(1, "Arrive", goal), title="Trains"), ".Form")

    towns = ("Lima", "Quito", "Bogota")
    lists = screen(listing(*(row(place, town, "") for place, town in enumerate(towns))), ".Towns")
    template = taught(
        store,
        skills,
        "find a train from Lima to Quito",
        (tap(form("Bogota", "Lima"), "Leave"), form("Bogota", "Lima")),
        (tap(lists, "Lima"), lists),
        (tap(form("Lima", "Lima"), "Arrive"), form("Lima", "Lima")),
        (tap(lists, "Quito"), lists),
        (tap(form("Lima", "Quito"), "Arrive"), form("Lima", "Quito")),
    )
    assert [step.slot for step in template.steps[:4]] == ["", "origin", "", "destination"]


@pytest.mark.parametrize(
    ("said", "label", "others"),
    [
        ("Turn wifi off.", "wifi", ("bluetooth", "brightness")),
        ("Create a playlist titled Mix in Retro Music", "playlist", ("songs", "albums")),
        ("Move the note x.md from a to b", "note", ("folder", "file")),
    ],
)
def test_a_row_or_tab_that_leads_on_is_a_word_of_the_app(
    store: Store, skills: SkillMemory, said: str, label: str, others: tuple[str, str]
) -> None:
    rows = screen(
        listing(*(row(n, word, "") for n, word in enumerate((label, *others))), title="All"), ".All"
    )
    beyond = screen(chips("", "Done"), ".Beyond")
    template = taught(store, skills, said, (tap(rows, label), rows), (tap(beyond, "Done"), beyond))
    assert template.pattern.text == said


@pytest.mark.parametrize(
    "said", ["Delete all the calendar events on Monday", "Copy the text to the clipboard"]
)
def test_the_verb_is_no_value_though_it_was_chosen(store: Store, skills: SkillMemory, said: str) -> None:
    verb = said.split()[0]
    before, after = (screen(chips(on, verb, "Edit", "Share")) for on in ("", verb))
    template = taught(store, skills, said, (tap(before, verb), before), (tap(after, "Show"), after))
    assert template.pattern.text == said


def test_in_the_place_of_a_secret_the_text_of_the_order_is_a_value_that_the_model_types(
    store: Store, skills: SkillMemory
) -> None:
    def text(words: str) -> Observation:
        field = node("EditText", (0, 300, 1000, 500), text=words, name="body", focused=True)
        send = node("Button", (0, 1700, 1000, 1900), text="Done", name="done", tap=True)
        return screen(listing(field, send, title="Message"), ".Message")

    asked = "Reply to the most recent text message using Simple SMS Messenger with message: {}"
    template = taught(
        store,
        skills,
        asked.format("Don't forget to water the plants"),
        (TypeText(text=""), text("")),
        (tap(text("***"), "Done"), text("***")),
    )
    assert template.pattern.text == asked.format("{text}")
    turn = Turn(skills, asked.format("Meeting at noon"))
    assert turn.tapped(text("")) == "", "what was typed there is not known"
    turn.did(TypeText(text="Meeting at noon"), Source.MODEL, text(""))
    assert turn.tapped(text("Meeting at noon")) == "Done"


@each(
    ("text", "value", "names"),
    [
        ("Doctor Gao", "Zhang Min", True),
        ("Doctor Gao", "Doctor Gao", False),
        ("Call", "Zhang Min", False),
        ("高医生", "张敏", True),
        ("30 minutes", "Zhang Min", False),
    ],
)
def test_a_step_that_names_whom_an_order_was_about_is_not_repeated_for_another(
    text: str, value: str, names: bool
) -> None:
    example = "高医生" if text == "高医生" else "dr gao 30"
    pattern = Pattern(text="call {who}", slots=(Slot(name="who", example=example),))
    assert pattern.names_value_of_then(text, {"who": value}) is names

from __future__ import annotations

from assistant.cli.help import event_json
from assistant.events import (
    ElementExplored,
    ElementRecalled,
    ElementsPerceived,
    ElementUnknown,
    ErrandStarted,
    Event,
    InstructionCompleted,
)
from assistant.plain.output import format_line
from tests.tables import each
from tests.understand.memories import NOW


@each(
    ("event", "words"),
    [
        (
            ElementRecalled(time=NOW, element="mom", value="Susan", source="profile", confidence=0.9),
            "mom → Susan",
        ),
        (ElementUnknown(time=NOW, element="my boss", candidates=("Lee",)), "perhaps Lee"),
        (ElementUnknown(time=NOW, element="my boss", on_phone=True), "my boss → as on the phone"),
        (ErrandStarted(time=NOW, element="my boss", app="Contacts", task="…"), "looks in Contacts"),
        (ElementExplored(time=NOW, element="my boss", app="Contacts", value="Lee"), "my boss → Lee"),
        (ElementExplored(time=NOW, element="my boss", app="Contacts"), "nothing about my boss"),
        (InstructionCompleted(time=NOW, said="call mom", instruction="call Susan"), "Task: call Susan"),
    ],
)
def test_a_person_reads_how_a_command_was_understood(event: Event, words: str) -> None:
    assert words in format_line(event)


def test_scripts_get_the_elements_as_a_list() -> None:
    event = ElementsPerceived(time=NOW, said="call mom", elements=("mom",))
    assert event_json(event)["elements"] == ["mom"]

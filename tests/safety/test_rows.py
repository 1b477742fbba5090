"""Deeds in the rows of a list: each control acts on the row that it stands in."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.agent.step import with_target
from assistant.events import ActionKind, ApprovedBy, Deed
from assistant.memory.store import StandingApproval
from assistant.records import Observation
from assistant.safety.classifier import judge
from assistant.safety.deeds import DeedLog, is_same_deed, is_same_target, make_deed, repeats
from assistant.safety.page import page_of
from tests.safety.screens import element, field, icon, label, screen, tap
from tests.tables import each


def rows(*names: str, does: str, title: str = "Alarms", holder: str = "LinearLayout") -> Observation:
    """A list of rows of a name and an icon that does the same for each."""
    parts = [label(title)]
    for place, name in enumerate(names):
        top = 40 + 30 * place
        row = len(parts) + 1
        parts.append(element(holder, top, size=(100, 30)))
        parts.append(label(name, top + 5, size=(60, 20), parent=row))
        parts.append(icon(top + 5, 80, description=does, name="row_button", parent=row))
    return screen(*parts)


def deed_in(observation: Observation, row: int) -> Deed:
    action = with_target(tap(observation, 4 + 3 * row), observation)
    risk = judge(action, observation)
    assert risk is not None
    return make_deed(risk, action, observation)


@each("does", ["Delete", "Remove", "Send", "Call", "Pay", "Buy", "Transfer", "删除"])
def test_what_moved_up_in_a_list_is_another_deed(does: str) -> None:
    before, after = rows("Anna", "Ben", "Carl", does=does), rows("Ben", "Carl", does=does)
    assert not is_same_deed(deed_in(before, 0), deed_in(after, 0))
    assert is_same_deed(deed_in(before, 1), deed_in(after, 0))


def test_a_question_names_the_row() -> None:
    alarms = rows("Work", "Gym", does="Delete")
    risk = judge(tap(alarms, 7), alarms)
    assert risk is not None
    assert risk.sentence == "Deletes or cancels: Delete (Gym)."
    people = rows("Anna", "Ben", does="Call", title="Contacts")
    assert deed_in(people, 1).recipient == "Ben"


def test_a_question_on_a_page_that_edits_something_names_what_its_fields_say() -> None:
    page = screen(
        label("Edit alarm", 0, size=(60, 20)),
        icon(0, name="delete"),
        field(80, text="06", focused=False, name="hour"),
        field(110, text="30", focused=False, name="minute"),
    )
    risk = judge(tap(page, 2), page)
    assert risk is not None
    assert risk.sentence == "Deletes or cancels: delete (Edit alarm: 06 · 30)."


def test_the_last_row_of_a_list_is_not_taken_for_the_one_before() -> None:
    before = rows("Anna", does="Delete", holder="RecyclerView")
    after = rows("Ben", does="Delete", holder="RecyclerView")
    assert not is_same_deed(deed_in(before, 0), deed_in(after, 0))


def test_two_rows_are_no_repetition() -> None:
    alarms = rows("Work", "Gym", does="Delete")
    assert not repeats(deed_in(alarms, 0), deed_in(alarms, 1))
    assert repeats(deed_in(alarms, 0), deed_in(alarms, 0))


def test_a_yes_for_the_turn_is_for_one_row() -> None:
    alarms = rows("Work", "Gym", does="Delete")
    log = DeedLog()
    log.allow_for_turn(deed_in(alarms, 0))
    page = page_of(alarms)
    assert log.covers(deed_in(alarms, 0), page, "a").by is ApprovedBy.TURN
    assert log.covers(deed_in(alarms, 1), page, "b").by is None


def test_a_rule_for_one_row_covers_no_other() -> None:
    people = rows("Anna", "Ben", does="Call", title="Contacts")
    rule = StandingApproval.for_deed(deed_in(people, 0), datetime.now(UTC))
    assert rule.covers(deed_in(people, 0))
    assert not rule.covers(deed_in(people, 1))


def test_a_rule_for_the_access_of_one_app_covers_no_other() -> None:
    granting = Deed(kind=ActionKind.GRANT, package="settings", recipient="Install unknown apps", entry="Maps")
    rule = StandingApproval.for_deed(granting, datetime.now(UTC))
    assert rule.covers(granting)
    assert not rule.covers(granting.model_copy(update={"entry": "Games"}))


def test_how_far_a_download_has_come_makes_no_other_row_of_it() -> None:
    deed = Deed(kind=ActionKind.DELETE, text="Cancel", entry="film.mp4 · 3.4 MB · 12%")
    assert is_same_deed(deed, deed.model_copy(update={"entry": "film.mp4 · 5.1 MB · 19%"}))
    assert not is_same_deed(deed, deed.model_copy(update={"entry": "song.mp3 · 5.1 MB · 19%"}))


def test_an_icon_of_another_row_is_another_target() -> None:
    before, after = rows("Work", "Gym", does="Edit"), rows("Gym", does="Edit")
    first, second = with_target(tap(before, 4), before), with_target(tap(after, 4), after)
    assert first.target is not None
    assert second.target is not None
    assert not is_same_target(first.target, second.target)
    assert is_same_target(first.target, first.target.model_copy())

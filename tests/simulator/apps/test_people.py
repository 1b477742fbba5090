from __future__ import annotations

import pytest

from assistant.simulator.apps.base import Difficulties
from tests.simulator.apps.fake import FakePhone

CONTACTS, DIALER, MAIL, CALENDAR = (
    "com.example.contacts",
    "com.example.dialer",
    "com.example.mail",
    "com.example.calendar",
)


@pytest.mark.parametrize(("save", "name"), [("Save", "Tom Reed"), ("保存", "汤姆")], ids=["en", "zh"])
def test_a_contact_is_added_and_called(save: str, name: str) -> None:
    phone = FakePhone("en" if save == "Save" else "zh")
    phone.start_app(CONTACTS)
    phone.tap(name="add_contact")
    phone.type(name, name="edit_text")
    phone.type("13900001111", name="edit_phone")
    phone.tap(save)
    added = phone.state(CONTACTS)["contacts"][-1]
    assert (added["name"], added["phone"]) == (name, "13900001111")
    phone.tap(name)
    phone.tap(name="phone_button")
    assert (phone.running, phone.page.name) == (DIALER, "calling")
    call = phone.state(DIALER)["calls"][0]
    assert (call["name"], call["kind"]) == (name, "out")
    phone.tap(name="end_call")


def test_a_contact_is_found_changed_and_deleted() -> None:
    phone = FakePhone()
    phone.start_app(CONTACTS)
    phone.tap(name="search_bar")
    phone.type("landlord")
    phone.tap("Landlord He")
    phone.tap(name="edit_button")
    phone.type(" (old)", name="edit_note")
    phone.tap("Save")
    assert any(one["note"] == " (old)".strip() for one in phone.state(CONTACTS)["contacts"])
    phone.tap(name="delete_button")
    phone.tap("Delete")
    assert "Landlord He" not in [one["name"] for one in phone.state(CONTACTS)["contacts"]]


def test_a_number_is_dialled() -> None:
    phone = FakePhone()
    phone.start_app(DIALER)
    phone.tap("Keypad")
    for digit in "13900000203":
        phone.tap(digit)
    phone.tap(name="dial_button")
    assert phone.state(DIALER)["calls"][0]["name"] == "Lily Chen"
    assert phone.sees("Lily Chen")


def test_the_dialer_reads_no_contacts_without_permission() -> None:
    phone = FakePhone(difficulties=Difficulties())
    phone.grants = False
    phone.start_app(DIALER)
    phone.tap("Contacts")
    assert phone.asked == ["contacts"]
    assert phone.sees("Contacts may not be read")


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_a_mail_is_written_and_sent(locale: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    phone.start_app(MAIL)
    phone.tap(name="compose")
    phone.type({"en": "Lily Chen", "zh": "陈莉莉"}[locale], name="to")
    phone.tap(name="suggestion")
    phone.type("Dinner", name="subject")
    phone.type("At eight?", name="body")
    phone.tap(name="send_button")
    sent = [one for one in phone.state(MAIL)["letters"] if one["folder"] == "sent"]
    assert [(one["to"], one["subject"], one["text"]) for one in sent] == [
        ("lily.chen@mail.example", "Dinner", "At eight?")
    ]


def test_a_mail_is_read_answered_starred_and_deleted() -> None:
    phone = FakePhone()
    phone.start_app(MAIL)
    phone.tap("Contract with Harbour Logistics")
    phone.tap(name="star")
    phone.tap("Reply")
    phone.type("Fine with me", name="body")
    phone.tap(name="send_button")
    phone.tap(name="delete")
    letters = phone.state(MAIL)["letters"]
    [contract] = [one for one in letters if one["subject"] == "Contract with Harbour Logistics"]
    assert (contract["read"], contract["starred"], contract["folder"]) == (True, True, "trash")
    assert letters[-1]["to"] == "zhang.min@work.example"
    assert letters[-1]["subject"] == "Re: Contract with Harbour Logistics"


def test_a_mail_without_address_stays() -> None:
    phone = FakePhone()
    phone.start_app(MAIL)
    phone.tap(name="compose")
    phone.type("nobody", name="to")
    phone.tap(name="send_button")
    assert phone.toasts == ["This is not a mail address"]
    phone.tap(name="save_draft")
    phone.tap("Drafts")
    phone.tap("nobody")
    assert phone.page.name == "compose"


@pytest.mark.parametrize("locale", ["en", "zh"])
def test_an_event_is_added(locale: str) -> None:
    phone = FakePhone("zh" if locale == "zh" else "en")
    phone.start_app(CALENDAR)
    phone.tap(name="add_event")
    phone.type("Tea with Li Na", name="title")
    phone.tap(name="date")
    phone.tap({"en": "Tomorrow", "zh": "明天"}[locale])
    phone.type("15:30", name="start")
    phone.tap(name="save")
    event = phone.state(CALENDAR)["events"][-1]
    assert (event["title"], event["date"], event["time"]) == ("Tea with Li Na", "2026-11-22", "15:30")
    assert event["end"] == "16:30"


def test_an_event_is_found_by_month_and_deleted() -> None:
    phone = FakePhone()
    phone.start_app(CALENDAR)
    phone.tap("Month")
    phone.tap("26 •")
    phone.tap("Dentist")
    phone.tap(name="delete")
    phone.tap("Delete")
    assert "Dentist" not in [one["title"] for one in phone.state(CALENDAR)["events"]]
    assert phone.sees("Nothing planned")

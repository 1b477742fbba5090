from __future__ import annotations

from assistant.memory.profile.graph import find_role
from assistant.understand.slots import ContactIndex, find_contacts
from tests.tables import each


def index(*instructions: str) -> ContactIndex:
    return ContactIndex({str(number): text for number, text in enumerate(instructions)})


@each(
    ("instruction", "contacts"),
    [
        ("Call Selvi Maid and ask why she is late", [("Selvi Maid", "")]),
        ("Message Priya (wife) on WhatsApp", [("Priya", "wife")]),
        ("Ring my sister Ana Costa", [("Ana Costa", "sister")]),
        ("Revolut 20 euro to Nolan, note lotto", [("Nolan", "")]),
        ('Send to Manager Venkatesan Sir: "call Ramesh"', [("Manager Venkatesan Sir", "")]),
        ("Ring Da mobile about the cattle", [("Da mobile", "")]),
        ("微信转账给房东罗孃孃1450元 备注“房租”", [("房东罗孃孃", "")]),
        ("给周州 美容部发“给妈打电话”", [("周州 美容部", "")]),
        ("打开微信，给阿婆“奶奶（乡下）”打语音", [("奶奶（乡下）", "阿婆")]),
        ("微信视频呼叫“阿强哥哥”", [("阿强哥哥", "")]),
        ("发给阿强“今晚不回来”", [("阿强", "")]),
        ("Set an alarm for Monday", []),
        ("Book a table at Rosa's for two", []),
        ("给我发一份", []),
        ("Pay KSh 150 to Mama Oliech", [("Mama Oliech", "")]),
        ("Pay R550 to Sipho", [("Sipho", "")]),
        ("Pay Ann 20 for lunch", [("Ann", "")]),
    ],
)
def test_whom_an_instruction_addresses(instruction: str, contacts: list[tuple[str, str]]) -> None:
    assert list(find_contacts(instruction)) == contacts


@each(
    ("name", "role"),
    [
        ("Selvi Maid", "maid"),
        ("Da mobile", "dad"),
        ("Tom Baker", ""),
        ("Da Silva", ""),
        ("PJ Next Door", "neighbor"),
        ("Priya (wife)", "wife"),
        ("房东罗孃孃", "landlord"),
        ("母上大人", "mom"),
        ("李大勺", ""),
        ("Aoife", ""),
    ],
)
def test_what_somebody_is_by_their_contacts_name(name: str, role: str) -> None:
    assert find_role(name) == role


def test_an_app_is_no_contact() -> None:
    contacts = ContactIndex({"1": "Navigate to Elm Street 9 with Wayfinder", "2": "Call Ann"}, {"wayfinder"})
    assert set(contacts.counts) == {"Ann"}


def test_contacts_are_found_by_what_they_are() -> None:
    contacts = index("Call Selvi Maid", "Ring Mam", "Ring Mam, speaker", "Message Priya (wife)")
    assert contacts.with_role("maid") == ["Selvi Maid"]
    assert contacts.with_role("mom") == ["Mam"]
    assert contacts.with_role("wife") == ["Priya"]
    assert contacts.with_role("sister") == []
    assert contacts.records_of("Mam") == ("2", "1")


def test_two_contacts_of_a_role_are_both_told() -> None:
    contacts = index("Call Revathi Akka", "Call Mina Akka", "Call Revathi Akka")
    assert contacts.with_role("sister") == ["Revathi Akka", "Mina Akka"]


def test_a_name_alone_is_completed_by_the_contact() -> None:
    contacts = index(
        "Ring Bernie", "Ring Bernie Office", "Ring Donal H", "Call Donal Hynes Corofin", "Call Donal"
    )
    assert contacts.full_names("Bernie") == ["Bernie Office"]
    assert set(contacts.full_names("Donal")) == {"Donal H", "Donal Hynes Corofin"}
    assert contacts.full_names("Don") == []


def test_a_role_before_a_name_is_no_part_of_it() -> None:
    contacts = index("给周周602转80元", "本周菜钱80元转给室友周周602")
    assert contacts.with_role("roommate") == ["周周602"]
    assert contacts.counts["周周602"] == 2


def test_somebody_is_called_by_what_stands_before_the_name_of_the_contact() -> None:
    contacts = index("给阿婆“奶奶（乡下）”打语音", "给阿婆“奶奶（乡下）”发视频", "给妈妈打电话")
    assert contacts.with_role("阿婆") == ["奶奶（乡下）"]
    assert "奶奶（乡下）" in contacts.counts


def test_the_most_frequent_contacts_with_their_newest_record() -> None:
    contacts = index("Call Ann", "Call Ann Lee", "Ring Bo", "Call Ann Lee about the keys")
    assert [(each.name, each.count, each.newest, each.evidence) for each in contacts.most_frequent(2)] == [
        ("Ann Lee", 2, "Call Ann Lee about the keys", ("3", "1")),
        ("Bo", 1, "Ring Bo", ("2",)),
    ]


def test_what_somebody_is_called_counts_more_than_their_name() -> None:
    contacts = index("给婆婆“妈妈（绵阳）”打语音", "给妈妈（绵阳）打电话", "给妈妈打电话")
    assert contacts.with_role("mom") == ["妈妈"]

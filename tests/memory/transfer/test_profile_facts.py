from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.memory.profile.service import Profile
from assistant.memory.store import Store
from assistant.memory.transfer.jsonl import RefusedLine
from assistant.memory.transfer.profile_facts import (
    TransferFormat,
    export_contacts,
    export_facts,
    guess_format,
    import_contacts,
    import_facts,
)
from tests.memory.profile.conftest import profile, store
from tests.memory.profile.embedding import WordEmbedder
from tests.tables import each

__all__ = ["profile", "store"]

LIST = """my sister is Wanjiru, she lives in Kilimani
I take oat milk in coffee

我妈妈叫李秀英
my PIN code is 1234
Meine Schwester heißt Anna
"""
CARDS = """BEGIN:VCARD
VERSION:3.0
FN:Wanjiru Kamau
TEL:1
TEL:2
NICKNAME:Shiru
NOTE:my sister
END:VCARD
BEGIN:VCARD
VERSION:3.0
TEL:1
END:VCARD
BEGIN:VCARD
VERSION:3.0
FN:Landlord Brandt
EMAIL:b@example.org
END:VCARD
"""


def ignore(line: RefusedLine) -> None:
    pass


def facts_of(profile: Profile) -> set[tuple[str, str, str]]:
    return {(fact.node.name, fact.value.key, fact.value.text) for fact in profile.facts()}


def test_good_lines_are_kept_and_bad_ones_named(profile: Profile) -> None:
    refused: list[RefusedLine] = []
    progress = import_facts(profile, LIST.encode() + b"\xff\n", "me.txt", refused.append)
    assert (progress.imported, progress.duplicates, progress.refused) == (4, 0, 2)
    assert [line.line for line in refused] == [5, 7]
    assert ("sister", "address", "Kilimani") in facts_of(profile)
    assert ("mom", "name", "李秀英") in facts_of(profile)


@pytest.mark.parametrize(("read", "text"), [(import_facts, LIST), (import_contacts, CARDS)])
def test_importing_twice_changes_nothing(
    profile: Profile, store: Store, read: Callable[..., object], text: str
) -> None:
    read(profile, text.encode(), "me.txt", ignore)
    facts, revision = facts_of(profile), store.revision()
    again = read(profile, text.encode(), "elsewhere.txt", ignore)
    assert (getattr(again, "imported", 1), facts_of(profile), store.revision()) == (0, facts, revision)


def test_undo_takes_an_import_back(profile: Profile, store: Store) -> None:
    import_facts(profile, LIST.encode(), "me.txt", ignore)
    store.undo()
    assert not facts_of(profile)


def test_a_value_says_where_it_was_imported_from(profile: Profile) -> None:
    import_facts(profile, LIST.encode(), "folder/me.txt", ignore)
    (fact,) = [fact for fact in profile.facts() if fact.value.text == "李秀英"]
    assert [evidence.record_id for evidence in fact.value.evidence] == ["me.txt:4"]
    assert not fact.record_ids


def test_what_the_user_wrote_later_holds_although_the_list_is_imported_again(profile: Profile) -> None:
    import_facts(profile, b"my boss is Wang", "me.txt", ignore)
    (fact,) = profile.facts()
    profile.edit(fact.value.id, "Zhao")
    import_facts(profile, b"my boss is Wang", "me.txt", ignore)
    assert facts_of(profile) == {("boss", "name", "Zhao")}


def test_contacts_say_what_people_are_to_the_user(profile: Profile) -> None:
    refused: list[RefusedLine] = []
    import_contacts(profile, CARDS.encode(), "c.vcf", refused.append)
    assert [line.line for line in refused] == [2]
    facts = facts_of(profile)
    assert {("sister", "name", "Wanjiru Kamau"), ("landlord", "name", "Landlord Brandt")} <= facts
    assert {("Wanjiru Kamau", "phone", "1"), ("Wanjiru Kamau", "phone", "2")} <= facts
    match = profile.find("Shiru")
    assert match is not None
    assert match.value == "Wanjiru Kamau"


def test_an_export_gives_the_same_memory_elsewhere(profile: Profile, store: Store) -> None:
    import_facts(profile, LIST.encode(), "me.txt", ignore)
    import_contacts(profile, CARDS.encode(), "c.vcf", ignore)
    other = Profile(store, WordEmbedder(), "2")
    import_facts(other, "\n".join(export_facts(profile)).encode(), "export.txt", ignore)
    import_contacts(other, "\n".join(export_contacts(profile)).encode(), "export.vcf", ignore)
    assert facts_of(other) == facts_of(profile)


@each(
    ("name", "beginning", "expected"),
    [
        ("a.jsonl", b"not json", TransferFormat.RECORDS),
        ("a.vcf", b"", TransferFormat.CONTACTS),
        ("a", b"\xef\xbb\xbfbegin:vcard\r\n", TransferFormat.CONTACTS),
        ("a.txt", b'{"id": 1}\n', TransferFormat.RECORDS),
        ("a.txt", b'broken\n{"id": 1}\n', TransferFormat.RECORDS),
        ("a.txt", b"my sister is Jo\n", TransferFormat.FACTS),
        ("", b"", TransferFormat.RECORDS),
    ],
)
def test_the_format_is_guessed_by_name_and_content(
    name: str, beginning: bytes, expected: TransferFormat
) -> None:
    assert guess_format(name, beginning) is expected

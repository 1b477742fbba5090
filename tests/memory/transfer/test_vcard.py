from __future__ import annotations

from dataclasses import replace

from assistant.memory.transfer.profile_facts import Card, DamagedCard, read_cards, write_cards
from tests.tables import each


def cards(text: str) -> list[Card | DamagedCard]:
    return list(read_cards(text.replace("\n", "\r\n").encode()))


def test_a_card_of_an_old_phone() -> None:
    (card,) = cards(
        "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E6=9D=8E;=E7=A7=80=E8=\n"
        "=8B=B1;;;\nTEL;CELL;PREF:138\nX-ANDROID-CUSTOM:vnd.android.cursor.item/nickname;妈妈;1;;\nEND:VCARD\n"
    )
    assert card == Card("李秀英", nicknames=("妈妈",), phones=("138",))


def test_a_card_with_folded_lines_labels_and_escapes() -> None:
    (card,) = cards(
        "BEGIN:VCARD\nVERSION:3.0\nFN:Wanjiru\n  Kamau\nADR;TYPE=HOME:;;12 Rose Lane;Kilimani;;;Kenya\n"
        "item1.X-ABRELATEDNAMES:Otieno\nitem1.X-ABLabel:_$!<Spouse>!$_\nNOTE:likes tea\\, no milk\\nshy\n"
        "ORG:Acme;Sales\nEND:VCARD"
    )
    assert card == Card(
        "Wanjiru Kamau",
        addresses=("12 Rose Lane, Kilimani, Kenya",),
        company="Acme, Sales",
        notes=("likes tea, no milk", "shy"),
        relations=(("spouse", "Otieno"),),
    )


def test_a_new_card_prefers_what_it_marks() -> None:
    (card,) = cards(
        'BEGIN:VCARD\nVERSION:4.0\nFN:Jo\nTEL;VALUE=uri:tel:+1-2\nTEL;TYPE="voice,pref":3\n'
        "PHOTO:data:image/jpeg;base64,AAAA\nRELATED;TYPE=friend;VALUE=text:Ann\nRELATED;TYPE=me:urn:uuid:1\nEND:VCARD"
    )
    assert card == Card("Jo", phones=("3", "+1-2"), relations=(("friend", "Ann"),))


@each(
    "inside",
    [
        "VERSION:3.0\nTEL:1\n",
        "FN:Jo\n",
        "VERSION:3.0\nFN:Jo\nno property\n",
        "VERSION:3.0\nFN;CHARSET=none:Jo\n",
    ],
)
def test_a_damaged_card_does_not_harm_the_next(inside: str) -> None:
    damaged, good = cards(f"BEGIN:VCARD\n{inside}END:VCARD\nBEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD\n")
    assert isinstance(damaged, DamagedCard)
    assert str(damaged)
    assert good == Card("Ann")


def test_a_card_without_end_is_damaged() -> None:
    first, second = cards("BEGIN:VCARD\nVERSION:3.0\nFN:Jo\nBEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD\n")
    assert isinstance(first, DamagedCard)
    assert second == Card("Ann")


def test_a_text_in_no_utf8_is_damaged_and_one_in_its_charset_is_not() -> None:
    content = (
        b"BEGIN:VCARD\nVERSION:3.0\nFN:J\xf6rg\nEND:VCARD\n"
        b"BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=ISO-8859-1:J\xf6rg\nEND:VCARD\n"
    )
    damaged, card = read_cards(content)
    assert isinstance(damaged, DamagedCard)
    assert card == Card("Jörg")


def test_what_is_written_is_read_again() -> None:
    card = Card(
        "Brandt, Dr.", ("B;b",), ("1", "2"), ("a@b.c",), ("1\\2 Lane",), "A, B", "vet", "--0412", ("a\nb",)
    )
    (read,) = read_cards("\n".join(write_cards([card])).encode())
    assert read == replace(card, notes=("a", "b"))

"""The lexicon of labels: phrases within a label, whole labels, negation, and what the file may hold."""

from __future__ import annotations

from importlib.resources import files

from assistant.events import ActionKind
from assistant.safety.lexicon import LabelLexicon, Sense, bare, fold, lexicon
from tests.tables import each
from tools.lexicon.__main__ import compiled

PAY, SEND, DELETE, GRANT = ActionKind.PAY, ActionKind.SEND, ActionKind.DELETE, ActionKind.GRANT

_SMALL = LabelLexicon(
    [
        "# a comment",
        "pay\t~\tkaufen\tde",
        "pay\t~\tüberweis\tde",
        "send\t=\tpost\tde",
        "harmless\t~\tspäter kaufen\tde",
        "negates\t~\tnicht\tde",
        "pay\t~\t購入する\tja",
        "refuse\t=\tabbrechen\tde",
        "asks:delete\t*\tlösch\tde",
    ]
)


@each(
    ("label", "kind"),
    [
        ("Kaufen", PAY),
        ("Jetzt KAUFEN!", PAY),
        ("Für 12,90 € kaufen", PAY),
        ("Später kaufen", None),
        ("Nicht kaufen", None),
        ("Nicht warten, kaufen", PAY),
        ("Abbrechen", None),
        ("Abbrechen oder kaufen", PAY),
        ("Verkaufen", None),
        ("Wer hier in diesem schönen Laden etwas kaufen will", None),
        ("Post", SEND),
        ("Postfach", None),
        ("今すぐ購入する", PAY),
        ("購入するリスト", None),
    ],
)
def test_a_phrase_counts_within_a_short_label(label: str, kind: ActionKind | None) -> None:
    assert _SMALL.kind(label) is kind


def test_a_row_must_be_the_phrase_alone() -> None:
    assert _SMALL.kind("Kaufen 12,90 €", whole=True) is PAY
    assert _SMALL.kind("Kaufen im Laden", whole=True) is None


def test_a_label_refuses_only_as_a_whole() -> None:
    assert _SMALL.refuses("Abbrechen")
    assert _SMALL.refuses("Nicht kaufen")
    assert not _SMALL.refuses("Nicht warten, kaufen")


def test_a_dialog_asks_by_a_stem() -> None:
    assert _SMALL.asked_kind(["Nachricht löschen?"]) is DELETE
    assert _SMALL.asked_kind(["Nachricht lesen?"]) is None


@each(
    ("label", "kind"),
    [
        ("Zahlungspflichtig bestellen", PAY),
        ("Confirmar pago", PAY),
        ("Payer 54,00 €", PAY),
        ("Оплатить 1 240 ₽", PAY),
        ("₹1,249 का भुगतान करें", PAY),
        ("結帳", None),
        ("전송", SEND),
        ("إرسال", SEND),
        ("Gönder", SEND),
        ("Xóa", DELETE),
        ("Odinstaluj", DELETE),
        ("Toestaan", GRANT),
        ("P A Y E R", PAY),
        ("J e t z t  b e z a h l e n", PAY),
        ("P.A.G.A.R", PAY),
        ("Alles lösсhen", DELETE),
        ("Oплатить", PAY),
        ("Betaalmethode", None),
        ("Historial de pagos", None),
        ("Settings", None),
        ("Open", None),
    ],
)
def test_the_shipped_lexicon_reads_large_languages(label: str, kind: ActionKind | None) -> None:
    assert lexicon().kind(label) is kind


def test_titles_of_special_access_are_known_in_other_languages() -> None:
    assert lexicon().means("Unbekannte Apps installieren", Sense.ACCESS)
    assert not lexicon().means("Anzeige", Sense.ACCESS)


def test_what_is_read_less_well_is_known() -> None:
    assert lexicon().reads_well("zh")
    assert lexicon().reads_well("de")
    assert not lexicon().reads_well("ka")
    assert not lexicon().reads_well("xx")


def test_texts_are_folded_alike() -> None:
    assert fold("Ｌ’ＡＣＨＡＴ") == "l'achat"
    assert fold("Lo\u0308schen\u200b") == "löschen"
    assert bare(fold("Pagar 12,90 € →")) == "pagar"


def test_the_file_names_its_sources_and_has_four_columns() -> None:
    lines = (files("assistant.safety") / "lexicon.tsv").read_text("utf-8").splitlines()
    head = " ".join(line for line in lines if line.startswith("#"))
    for source in ("Apache-2.0", "MIT", "AOSP", "Adyen", "Braintree", "Clerk"):
        assert source in head
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    assert len(rows) > 5000
    assert {len(row) for row in rows} == {4}
    assert {row[1] for row in rows} == {"=", "~", "*"}
    assert len({language for row in rows for language in row[3].split()}) > 60


def test_the_file_is_compiled_of_the_words_written_by_hand() -> None:
    text = (files("assistant.safety") / "lexicon.tsv").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert compiled((), lines) == lines


def test_a_phrase_without_its_currency_says_less() -> None:
    assert lexicon().kind("보내기") is SEND
    assert lexicon().kind("10,000 원 보내기") is PAY

"""Questions with their answers, drawn by toolkits that give neither ids nor windows, in many languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from xml.sax.saxutils import quoteattr

from assistant.events import ActionKind
from assistant.phone.ui_tree import observe_tree
from assistant.records import Click, Observation
from assistant.safety.classifier import Risk, judge
from tests.tables import each

PAY, SEND, DELETE = ActionKind.PAY, ActionKind.SEND, ActionKind.DELETE
GRANT, INSTALL, SECURITY = ActionKind.GRANT, ActionKind.INSTALL, ActionKind.SECURITY

Box = tuple[int, int, int, int]
Draw = Callable[[Sequence[str], str, str], str]

_VIEW, _TEXT, _GROUP = "android.view.View", "android.widget.TextView", "android.view.ViewGroup"


def _node(
    words: str = "",
    kind: str = _VIEW,
    box: Box = (0, 0, 720, 1600),
    *inside: str,
    tap: bool = False,
    told: str = "",
) -> str:
    left, top, right, bottom = box
    return (
        f"<node text={quoteattr(words)} content-desc={quoteattr(told)} class='{kind}' resource-id='' "
        f"package='net.example.garden' clickable='{str(tap).lower()}' "
        f"bounds='[{left},{top}][{right},{bottom}]'>{''.join(inside)}</node>"
    )


def _page(*inside: str) -> str:
    frame = _node("", "android.widget.FrameLayout", (0, 0, 720, 1600), *inside)
    return f"<hierarchy rotation='0'>{frame}</hierarchy>"


def _list_behind() -> str:
    rows = (
        _node(
            "",
            _GROUP,
            (0, 150 + 120 * n, 720, 265 + 120 * n),
            _node(f"Plot {n}", _TEXT, (30, 165 + 120 * n, 400, 215 + 120 * n)),
            _node("€ 4.00", _TEXT, (500, 165 + 120 * n, 690, 215 + 120 * n)),
            tap=True,
        )
        for n in range(11)
    )
    return _node("Garden", _TEXT, (30, 60, 400, 120)) + "".join(rows)


def sheet_over_list(texts: Sequence[str], refuse: str, agree: str) -> str:
    """As React Native draws a sheet: views around texts, its answers below each other."""
    said = "".join(
        _node(text, _TEXT, (40, 1010 + 70 * n, 680, 1070 + 70 * n)) for n, text in enumerate(texts)
    )
    answers = (
        _node(
            "",
            _GROUP,
            (40, top, 680, top + 90),
            _node(words, _TEXT, (250, top + 20, 470, top + 70)),
            tap=True,
        )
        for words, top in ((agree, 1330), (refuse, 1450))
    )
    return _page(_list_behind(), _node("", _GROUP, (0, 980, 720, 1600), said, *answers))


def box_of_flutter(texts: Sequence[str], refuse: str, agree: str) -> str:
    """As Flutter draws a dialog: everything told by descriptions, the answers at its lower right."""
    said = "".join(
        _node("", _VIEW, (90, 600 + 70 * n, 630, 660 + 70 * n), told=text) for n, text in enumerate(texts)
    )
    answers = "".join(
        _node("", "android.widget.Button", (left, 900, left + 130, 970), tap=True, told=words)
        for words, left in ((refuse, 330), (agree, 480))
    )
    return _page(_node("", _VIEW, (60, 560, 660, 1000), said, answers))


def web_page(texts: Sequence[str], refuse: str, agree: str) -> str:
    """A page in a WebView, the agreeing button first."""
    said = "".join(_node(text, _TEXT, (40, 500 + 60 * n, 680, 550 + 60 * n)) for n, text in enumerate(texts))
    answers = "".join(
        _node(words, "android.widget.Button", (left, 860, left + 300, 930), tap=True)
        for words, left in ((agree, 40), (refuse, 380))
    )
    return _page(_node("", "android.webkit.WebView", (0, 50, 720, 1600), said, answers))


DRAWINGS: tuple[Draw, ...] = (sheet_over_list, box_of_flutter, web_page)


def _tapped(seen: Observation, words: str) -> Risk | None:
    element = next(e for e in seen.elements if words in (e.text, e.description))
    return judge(Click(point=seen.point(*element.bounds.centre)), seen)


@each("draw", DRAWINGS)
@each(
    ("question", "refuse", "agree", "kind"),
    [
        ("Pull out the whole bed? This deletes its plan.", "Keep", "Do it", DELETE),
        ("Spend € 7.50 on seeds?", "Not now", "Yes", PAY),
        ("Post the harvest to your neighbours?", "No", "Yes", SEND),
        ("Let Sensor read your contacts?", "No", "OK", GRANT),
        ("Install the weather plugin?", "Later", "Yes", INSTALL),
        ("Turn off the screen lock?", "No", "Yes", SECURITY),
        ("Beet wirklich entfernen?", "Nein", "Ja", DELETE),
        ("¿Anular el pedido?", "No", "Sí", DELETE),
        ("Envoyer la photo à Paul ?", "Non", "Oui", SEND),
        ("Acquistare i semi?", "No", "Sì", PAY),
        ("Apagar o canteiro?", "Não", "Sim", DELETE),
        ("Wysłać zdjęcie?", "Nie", "Tak", SEND),
        ("Отменить бронирование?", "Нет", "Да", DELETE),
        ("写真を友だちに送りますか？", "いいえ", "はい", SEND),
        ("예약을 취소하시겠습니까?", "아니요", "예", DELETE),
        ("是否清空花园？", "否", "是", DELETE),
        ("Tohumlar satın alınsın mı?", "Hayır", "Evet", PAY),
        ("Kirim foto?", "Tidak", "Ya", SEND),
        ("Xóa khu vườn?", "Không", "Có", DELETE),
        ("حذف الحديقة؟", "لا", "نعم", DELETE),
        ("बगीचा हटाएं?", "नहीं", "हाँ", DELETE),
        ("ลบสวนหรือไม่?", "ไม่", "ใช่", DELETE),
        ("Tuin verwijderen?", "Nee", "Ja", DELETE),
        ("Ta bort rabatten?", "Nej", "Ja", DELETE),
        ("Poistetaanko penkki?", "Ei", "Kyllä", DELETE),
        ("Smazat záhon?", "Ne", "Ano", DELETE),
        ("Διαγραφή κήπου;", "Όχι", "Ναι", DELETE),
        ("למחוק את הגינה?", "לא", "כן", DELETE),
    ],
)
def test_the_answer_does_what_is_asked(
    draw: Draw, question: str, refuse: str, agree: str, kind: ActionKind
) -> None:
    seen = observe_tree(draw([question], refuse, agree))
    risk = _tapped(seen, agree)
    assert risk is not None
    assert risk.kind is kind
    assert _tapped(seen, refuse) is None


@each("draw", DRAWINGS)
@each(
    ("question", "refuse", "agree"),
    [
        ("Save changes?", "No", "Yes"),
        ("Turn on dark mode?", "Cancel", "OK"),
        ("Exit without saving?", "No", "Yes"),
        ("Water the beds in the evening?", "No", "Yes"),
        ("Änderungen speichern?", "Nein", "Ja"),
        ("¿Salir de la aplicación?", "No", "Sí"),
        ("Quitter l'application ?", "Non", "Oui"),
        ("Zapisać zmiany?", "Nie", "Tak"),
        ("変更を保存しますか？", "いいえ", "はい"),
        ("다크 모드를 켤까요?", "취소", "확인"),
        ("退出应用？", "取消", "确定"),
        ("Включить тёмную тему?", "Отмена", "ОК"),
        ("Değişiklikler kaydedilsin mi?", "Hayır", "Evet"),
        ("Spara ändringar?", "Nej", "Ja"),
    ],
)
def test_a_harmless_question_is_not_asked_again(draw: Draw, question: str, refuse: str, agree: str) -> None:
    assert _tapped(observe_tree(draw([question], refuse, agree)), agree) is None


@each("draw", DRAWINGS)
def test_the_question_counts_before_the_sentence_under_it(draw: Draw) -> None:
    seen = observe_tree(draw(["Zahlung von 9,50 € bestätigen?", "This cannot be undone."], "Nein", "Ja"))
    risk = _tapped(seen, "Ja")
    assert risk is not None
    assert risk.kind is PAY


def test_the_sentence_names_what_is_asked_and_not_the_page_behind() -> None:
    seen = observe_tree(sheet_over_list(["Remove plot 3?", "Its photos go with it."], "No", "Yes"))
    risk = _tapped(seen, "Yes")
    assert risk is not None
    assert "Remove plot 3?" in risk.sentence
    assert "Garden" not in risk.sentence


def test_a_lone_yes_answers_only_a_question() -> None:
    def told(text: str) -> Risk | None:
        shown = _node(text, _TEXT, (40, 500, 680, 560)) + _node("Yes", _TEXT, (40, 700, 680, 780), tap=True)
        return _tapped(observe_tree(_page(shown)), "Yes")

    asked = told("Delete plot 3?")
    assert asked is not None
    assert asked.kind is DELETE
    assert told("Plot 3 was deleted") is None
    assert told("How deleting works") is None


def test_texts_of_other_things_are_no_question() -> None:
    inside = _list_behind() + _node("Delete plot 3?", _TEXT, (30, 1480, 400, 1530), tap=True)
    answers = _node("Back", _TEXT, (40, 1540, 340, 1590), tap=True) + _node(
        "Next", _TEXT, (380, 1540, 680, 1590), tap=True
    )
    assert _tapped(observe_tree(_page(inside, answers)), "Next") is None

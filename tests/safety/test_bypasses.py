"""Ways around the guards: each of these does something sensitive in a disguise, and none goes unasked.

The disguises are those of gestures, keys, labels, sizes and layouts; the languages English, Chinese, German,
Spanish, Russian and Japanese, and some more. A last group holds harmless twins, which are not asked about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from assistant.events import ActionKind
from assistant.records import (
    Action,
    Click,
    Direction,
    Element,
    ForegroundApp,
    LongClick,
    Observation,
    Point,
    PressEnter,
    Scroll,
    Swipe,
    TypeText,
)
from assistant.safety.classifier import Cue, judge
from tests.safety.screens import (
    HEIGHT,
    WIDTH,
    button,
    element,
    field,
    icon,
    label,
    screen,
    tap,
    wide_button,
)
from tests.tables import each

PAY, SEND, DELETE, GRANT, PASSWORD = (
    ActionKind.PAY,
    ActionKind.SEND,
    ActionKind.DELETE,
    ActionKind.GRANT,
    ActionKind.PASSWORD,
)
_MIDDLE = Point(0.5, 0.55)
_PAYS = (
    "Pay now",
    "立即支付",
    "Jetzt bezahlen",
    "Pagar ahora",
    "Оплатить",
    "支払う",
    "결제하기",
    "ادفع الآن",
)


def _swipe(length: float) -> Swipe:
    return Swipe(start=_MIDDLE, end=Point(_MIDDLE.x + length, _MIDDLE.y))


@each("words", _PAYS)
@each(
    "gesture",
    [Click(point=_MIDDLE), LongClick(point=_MIDDLE), _swipe(0.0), _swipe(0.015)],
)
def test_a_gesture_that_taps_is_a_tap(gesture: Action, words: str) -> None:
    risk = judge(gesture, screen(button(words)))
    assert risk is not None
    assert risk.kind is PAY


@each("words", ["Send", "发送", "Senden", "Enviar", "Отправить", "送信"])
@each(
    "keys",
    [PressEnter(), TypeText(text="\n"), TypeText(text=" "), TypeText(text="\t\n"), TypeText(text="\t ")],
)
def test_keys_press_what_has_focus(keys: Action, words: str) -> None:
    risk = judge(keys, screen(label("Mom"), button(words, focused=True)))
    assert risk is not None
    assert risk.kind is SEND


@each(
    "words",
    ["Slide to pay ¥32", "滑动支付¥32", "Zum Bezahlen schieben", "Desliza para pagar", "スライドして支払う"],
)
@each(
    "gesture",
    [
        Swipe(start=Point(0.1, 0.55), end=Point(0.9, 0.55)),
        Scroll(point=_MIDDLE, direction=Direction.LEFT),
        Scroll(point=_MIDDLE, direction=Direction.RIGHT),
        Scroll(point=_MIDDLE, direction=Direction.DOWN),
    ],
)
def test_slide_to_confirm_is_seen(gesture: Action, words: str) -> None:
    risk = judge(gesture, screen(label("¥32.00"), element("TextView", 100, text=words)))
    assert risk is not None
    assert risk.kind is PAY


@each(
    ("words", "kind"),
    [
        ("Don't wait, pay now", PAY),
        ("Don’t wait and pay", PAY),
        ("Skip the line, order now", PAY),
        ("Keep going — pay $5", PAY),
        ("已选2件，去支付", PAY),
        ("不再等待，立即支付", PAY),
        ("Nicht warten, jetzt bezahlen", PAY),
        ("No esperes, paga ahora", PAY),
        ("Не ждите, оплатите сейчас", PAY),
        ("N’attendez pas, payez maintenant", PAY),
        ("待たずに、今すぐ購入", PAY),
        ("Pay now and get your order to your door in thirty minutes, or all of your money back", PAY),
        ("立即支付并享受全年会员专属优惠以及免费配送到家的服务", PAY),
        (
            "By tapping this you agree to the terms of use and the privacy notice. Delete everything",
            DELETE,
        ),
        ("Ｐａｙ　ｎｏｗ", PAY),
        ("Ρау now", PAY),
        ("P a y  n o w", PAY),
        ("P\u200bay n\u200bow", PAY),
        ("𝗣𝗮𝘆 now", PAY),
        ("P4y now", PAY),
        ("立 即 支 付", PAY),
        ("確認付款", PAY),
        ("傳送", SEND),
        ("LÖSCHEN", DELETE),
        ("Lo\u0308schen", DELETE),
        ("Eliminar", DELETE),
        ("Удалить", DELETE),
        ("削除する", DELETE),
        ("Ｅｌｉｍｉｎａｒ", DELETE),
        ("S’abonner", PAY),
        ("S'abonner", PAY),
    ],
)
def test_a_label_is_read_whatever_its_length_and_letters(words: str, kind: ActionKind) -> None:
    risk = judge(Click(point=_MIDDLE), screen(button(words)))
    assert risk is not None
    assert risk.kind is kind


def _large(words: str) -> Observation:
    return screen(button(words, 20, size=(WIDTH, 150)))


def _greyed(words: str) -> Observation:
    return screen(button(words, enabled=False))


def _tile(words: str) -> Observation:
    """A row of three tiles, each an icon over a word."""
    parts: list[Element] = [element("LinearLayout", 90, size=(90, 40))]
    for number, name in enumerate(("Share", words, "More")):
        tile = len(parts) + 1
        parts.append(element("FrameLayout", 90, 30 * number, size=(30, 40), clickable=True, parent=1))
        parts.append(element("ImageView", 90, 30 * number, size=(30, 20), parent=tile))
        parts.append(label(name, 112, left=30 * number, size=(30, 15), parent=tile))
    return screen(*parts)


def _described(words: str) -> Observation:
    return screen(icon(100, 0, description=words, size=(WIDTH, 20)))


def _nested(words: str) -> Observation:
    return screen(element("ViewGroup", 100, clickable=True), label(words, 102, parent=1))


@each("words", ["Delete", "删除", "Löschen", "Eliminar", "Удалить", "削除"])
@each("draw", [_large, _greyed, _tile, _described, _nested])
def test_a_button_is_seen_in_every_form(draw: Callable[[str], Observation], words: str) -> None:
    seen = draw(words)
    target = next(
        e for e in seen.elements if e.clickable and words in (e.text, e.description, *_inner(seen, e))
    )
    risk = judge(Click(point=seen.point(*target.bounds.centre)), seen)
    assert risk is not None
    assert risk.kind is DELETE


def _inner(seen: Observation, holder: Element) -> list[str]:
    return [e.text for e in seen.descendants(holder)]


_PERMISSIONS = ForegroundApp("com.google.android.permissioncontroller", ".GrantPermissionsActivity")
_INSTALLER = ForegroundApp("com.google.android.packageinstaller", ".UninstallerActivity")
_SETTINGS = ForegroundApp("com.android.settings", ".Settings")


@each("words", ["Sallitaan", "Zezwól", "Permitir", "Разрешить", "許可", "อนุญาต"])
def test_a_dialog_of_the_system_asks_by_its_package(words: str) -> None:
    seen = screen(
        label("?", 40), button(words, 80, name="permission_allow_button"), app=_PERMISSIONS, dialog=True
    )
    risk = judge(tap(seen, 2), seen)
    assert risk is not None
    assert (risk.kind, risk.cue) == (GRANT, Cue.SYSTEM_DIALOG)


@each(
    "question",
    [
        "Do you want to uninstall this app?",
        "要卸载此应用吗？",
        "Möchtest du diese App deinstallieren?",
        "¿Quieres desinstalar esta aplicación?",
        "Удалить приложение?",
        "このアプリをアンインストールしますか？",
    ],
)
def test_the_installer_asks_by_its_button(question: str) -> None:
    seen = screen(label(question, 40), button("OK", 80, name="button1"), app=_INSTALLER, dialog=True)
    risk = judge(tap(seen, 2), seen)
    assert risk is not None
    assert risk.kind is DELETE


@each("title", ["Install unknown apps", "安装未知应用", "Display over other apps", "Usage access"])
def test_a_switch_per_app_in_a_list_of_special_access_grants(title: str) -> None:
    row = element("LinearLayout", 80, clickable=True)
    switch = element("Switch", 80, 80, size=(20, 20), checkable=True, clickable=True, parent=2)
    seen = screen(label(title, 5), row, label("Chrome", 82, parent=2, size=(60, 15)), switch, app=_SETTINGS)
    for number in (2, 4):
        risk = judge(tap(seen, number), seen)
        assert risk is not None
        assert risk.kind is GRANT


def _pad(*others: Element, name: str = "") -> Observation:
    keys = [
        button("1234567890"[n], 60 + 20 * (n // 3), left=30 * (n % 3), size=(30, 20), name=name)
        for n in range(10)
    ]
    return screen(*keys, *others)


@each(
    "pad",
    [
        _pad(label("Enter your PIN")),
        _pad(label("请输入支付密码")),
        _pad(label("Geheimzahl eingeben")),
        _pad(label("Introduce tu contraseña")),
        _pad(label("Введите код"), name="pin_code_key"),
        _pad(label("暗証番号を入力")),
        _pad(),
        _pad(name="passcode_button"),
    ],
)
def test_a_key_of_a_pad_for_a_code_enters_a_secret(pad: Observation) -> None:
    risk = judge(tap(pad, 5), pad)
    assert risk is not None
    assert risk.kind is PASSWORD


@pytest.mark.parametrize(("password", "is_secret"), [(True, True), (False, False)])
def test_five_keys_below_a_password_field_are_a_pad(password: bool, is_secret: bool) -> None:
    keys = [button(digit, 100, left=20 * n, size=(20, 20)) for n, digit in enumerate("13570")]
    seen = screen(label("Ledger"), field(40, password=password), *keys)
    risk = judge(tap(seen, 4), seen)
    assert (risk is not None and risk.kind is PASSWORD) is is_secret


def test_the_hint_of_an_empty_field_is_no_text() -> None:
    seen = screen(label("Mom"), field(160, text="Message", focused=False, size=(80, 20)), button("Send", 180))
    risk = judge(tap(seen, 3), seen)
    assert risk is not None
    assert risk.text == ""


def test_the_bars_of_the_system_are_no_heading() -> None:
    bar = element("TextView", 0, text="Payment received, Wallet", package="com.android.systemui")
    seen = screen(bar, label("Display", 10), button("OK", 160))
    assert judge(tap(seen, 3), seen) is None


def test_the_enter_key_of_a_drawn_keyboard_sends() -> None:
    keyboard = {"package": "com.google.android.inputmethod.latin", "clickable": True}
    seen = screen(
        label("Mom"),
        field(100, text="On my way", size=(80, 20)),
        button("Send", 100, left=80),
        element("View", 180, 80, description="Enter", **keyboard),
    )
    risk = judge(tap(seen, 4), seen)
    assert risk is not None
    assert risk.kind is SEND


@each(
    "words",
    [
        "Don’t allow",
        "No, thanks",
        "Nicht zulassen",
        "No permitir",
        "Не разрешать",
        "許可しない",
        "허용 안함",
        "暂不支付",
        "Zahlungsmethode",
        "Método de pago",
        "Способ оплаты",
        "お支払い方法",
        "결제수단",
        "طريقة الدفع",
        "支付方式",
    ],
)
def test_a_refusal_or_a_choice_is_not_asked_about(words: str) -> None:
    assert judge(Click(point=_MIDDLE), screen(button(words))) is None


def test_the_strict_mode_asks_about_an_unknown_button() -> None:
    seen = screen(button("Frobnicate"))
    assert judge(tap(seen, 1), seen) is None
    risk = judge(tap(seen, 1), seen, strict=True)
    assert risk is not None
    assert risk.cue is Cue.STRICT
    refusing = screen(button("Cancel"))
    assert judge(tap(refusing, 1), refusing, strict=True) is None


@each("title", ["New message", "Nouveau message", "Neuer Kommentar", "メッセージ", "回复"])
def test_enter_sends_where_no_button_does(title: str) -> None:
    written = screen(label(title), field(text="My PIN is 2580"))
    risk = judge(PressEnter(), written)
    assert risk is not None
    assert risk.kind is SEND
    assert judge(PressEnter(), screen(label("Name"), field(text="Anna"))) is None
    assert judge(PressEnter(), screen(label(title), field())) is None


def test_a_view_over_the_page_is_judged_by_its_id() -> None:
    covered = screen(
        button("Watch"), element("View", 0, size=(WIDTH, HEIGHT), clickable=True, name="buy_now")
    )
    risk = judge(tap(covered, 1), covered)
    assert risk is not None
    assert (risk.kind, risk.cue) == (PAY, Cue.ID)
    shade = screen(button("Watch"), element("View", 0, size=(WIDTH, HEIGHT), clickable=True, name="scrim"))
    assert judge(tap(shade, 1), shade) is None


@each(
    ("words", "kind"),
    [
        ("Withdraw", PAY),
        ("Transfer", PAY),
        ("Top up", PAY),
        ("转账", PAY),
        ("Kostenpflichtig abonnieren", PAY),
        ("Auszahlen", PAY),
        ("Вывести средства", PAY),
        ("出金する", PAY),
        ("출금하기", PAY),
        ("Para çek", PAY),
        ("Tarik dana", PAY),
        ("Reply all", SEND),
        ("回复全部", SEND),
        ("Allen antworten", SEND),
        ("Répondre à tous", SEND),
        ("전체답장", SEND),
        ("Block Tom", DELETE),
        ("Block and report", DELETE),
        ("拉黑", DELETE),
        ("Tom blockieren", DELETE),
        ("Bloquer Tom", DELETE),
        ("차단하기", DELETE),
    ],
)
def test_one_wide_button_does_what_its_bare_verb_says(words: str, kind: ActionKind) -> None:
    seen = screen(wide_button(words))
    risk = judge(tap(seen, 1), seen)
    assert risk is not None
    assert risk.kind is kind


def test_a_mails_answers_beside_one_another_open_a_draft() -> None:
    answers = [
        button(words, 170, left=30 * n, size=(30, 20)) for n, words in enumerate(("Reply", "Reply all"))
    ]
    seen = screen(label("Lunch on Friday?"), *answers)
    assert judge(tap(seen, 3), seen) is None
    ads = screen(wide_button("Block ads"))
    assert judge(tap(ads, 1), ads) is None


def test_one_tile_transfers_and_one_of_several_leads_on() -> None:
    tile = element("ViewGroup", 150, 4, size=(30, 40), clickable=True)
    picture = element("ImageView", 152, 10, size=(10, 10), parent=1)
    alone = screen(tile, picture, label("Transfer", 170, left=6, size=(20, 10), parent=1))
    risk = judge(tap(alone, 1), alone)
    assert risk is not None
    assert risk.kind is PAY
    line = screen(
        *(
            button(w, 60, left=25 * n, size=(25, 20))
            for n, w in enumerate(("Pay", "Transfer", "Top up", "More"))
        )
    )
    assert judge(tap(line, 2), line) is None


_ACROSS = Swipe(start=Point(0.08, 0.9), end=Point(0.9, 0.9))


@each("gesture", [_ACROSS, Scroll(point=Point(0.5, 0.9), direction=Direction.LEFT)])
@each("above", ["Slide to pay ¥30", "Order total ¥30", "滑动支付30元", "Zum Bezahlen wischen: 30 €"])
def test_what_is_slid_is_told_by_its_id_or_the_words_above(gesture: Action, above: str) -> None:
    bar = element("SeekBar", 170, 4, size=(92, 20), name="slide_to_confirm", clickable=True)
    seen = screen(label(above, 140), bar)
    risk = judge(gesture, seen)
    assert risk is not None
    assert (risk.kind, risk.cue) == (PAY, Cue.SLIDER)
    unnamed = screen(label(above, 140), element("SeekBar", 170, 4, size=(92, 20), name="bar", clickable=True))
    assert (judge(gesture, unnamed) is None) is above.startswith("Order")
    volume = screen(label("Volume 30", 140), element("SeekBar", 170, 4, size=(92, 20), name="slider_volume"))
    assert judge(gesture, volume) is None


def _thread(words: str, **of_field: object) -> Observation:
    """A clickable text in a list above a field."""
    talk = element("RecyclerView", 10, size=(WIDTH, 150))
    said = element("TextView", 40, 4, size=(80, 12), text=words, clickable=True, parent=1)
    return screen(talk, said, field(170, **of_field))


@each("chat", [{"hint": "Message"}, {"text": "Reply…"}, {"name": "chat_input"}, {"hint": "发消息"}])
def test_what_somebody_wrote_is_no_button(chat: dict[str, str]) -> None:
    said = _thread("Pay now or you lose it!", **chat)
    assert judge(tap(said, 2), said) is None
    named = _thread("Pay now", **chat)
    assert judge(tap(named, 2), named) is not None
    page = screen(element("TextView", 40, 4, size=(80, 12), text="Pay now or you lose it!", clickable=True))
    assert judge(tap(page, 1), page) is not None


@each("words", ["Block this user", "Pay now with one click", "Pay now, and it is yours!"])
@each("hint", ["Add a comment", "Coupon code", "写评论", ""])
def test_a_list_above_a_field_is_no_chat_by_that_alone(words: str, hint: str) -> None:
    seen = _thread(words, hint=hint)
    assert judge(tap(seen, 2), seen) is not None


@pytest.mark.parametrize("words", ["Block this user", "Pay now with one click"])
def test_the_name_of_a_control_in_a_chat_is_no_message(words: str) -> None:
    seen = _thread(words, hint="Message")
    assert judge(tap(seen, 2), seen) is not None


def test_a_search_above_a_list_makes_no_chat_of_it() -> None:
    listed = element("RecyclerView", 40, size=(WIDTH, 150))
    offer = element(
        "TextView", 60, 4, size=(80, 12), text="Pay now or you lose it!", clickable=True, parent=2
    )
    seen = screen(field(10), listed, offer)
    assert judge(tap(seen, 3), seen) is not None


def test_a_text_is_inert_only_where_something_else_is_marked_as_taking_touches() -> None:
    question = label("Delete all photos?", 60)
    unmarked = screen(question)
    assert judge(tap(unmarked, 1), unmarked) is not None
    marked = screen(question, button("Learn more", 120))
    assert judge(tap(marked, 1), marked) is None
    drawn = screen(element("View", 60, text="Delete all photos?"), button("Learn more", 120))
    assert judge(tap(drawn, 1), drawn) is not None


def test_a_bar_without_words_does_what_its_page_or_dialog_asks() -> None:
    bar = element("SeekBar", 170, 4, size=(92, 20), clickable=True)
    asking = screen(label("Confirm payment"), label("¥30", 60), bar)
    assert (risk := judge(_ACROSS, asking)) is not None
    assert risk.kind is PAY
    dialog = screen(label("Delete all photos?", 40), element("SeekBar", 110, 4, size=(80, 20)), dialog=True)
    across = Swipe(start=Point(0.1, 0.6), end=Point(0.8, 0.6))
    assert (risk := judge(across, dialog)) is not None
    assert risk.kind is DELETE


def _lone(sentence: str, words: str) -> Observation:
    """A sentence at the top of a page whose one wide button stands at its end."""
    return screen(label("Welcome"), label(sentence, 10), button(words, 170, left=4, size=(92, 20)))


@each(
    ("sentence", "words", "kind"),
    [
        ("Your card ending 2290 will be charged $49 today.", "Stay protected", PAY),
        ("Se cobrará 12 € en tu tarjeta al continuar", "Ver más", PAY),
        ("开启后下单无需付款，收货后自动扣款", "立即体验", PAY),
        ("点击后将永久删除所有聊天记录", "清爽一下", DELETE),
        ("整理すると元の写真はすべて削除されます", "整理する", DELETE),
        ("Votre numéro sera transmis à 214 partenaires.", "Je participe", SEND),
    ],
)
def test_a_sentence_far_above_the_one_button_says_what_it_does(
    sentence: str, words: str, kind: ActionKind
) -> None:
    seen = _lone(sentence, words)
    risk = judge(tap(seen, 3), seen)
    assert risk is not None
    assert risk.kind is kind
    among = screen(label(sentence, 10), *(button(w, top) for w, top in ((words, 150), ("Open", 175))))
    far = judge(tap(among, 2), among)
    assert far is None or far.statement == ""


@each(
    ("sentence", "words"),
    [
        ("All chats in the bin are permanently deleted every night.", "View details"),
        ("Premium is 9.99 € a month.", "Play"),
        ("The bank will be charged with fraud, said the judge.", "Read on"),
        ("连续包月每月25元", "查看权益"),
    ],
)
def test_a_button_that_leads_on_is_not_taken_for_what_a_sentence_far_above_says(
    sentence: str, words: str
) -> None:
    seen = _lone(sentence, words)
    assert judge(tap(seen, 3), seen) is None


def _asking(question: str, *answers: str) -> Observation:
    beside = [button(words, 110, left=4 + 42 * n, size=(40, 14)) for n, words in enumerate(answers)]
    return screen(label(question, 50, size=(80, 20)), *beside, dialog=True)


@each(
    ("question", "no"),
    [
        ("Keep your backup?", "No"),
        ("Konto behalten?", "Nein, weg damit"),
        ("Garder vos messages ?", "Non"),
        ("Сохранить переписку?", "Нет"),
        ("写真を残しますか？", "いいえ"),
        ("是否保留云端照片？", "不保留"),
    ],
)
def test_a_no_to_keeping_something_gives_it_up(question: str, no: str) -> None:
    seen = _asking(question, "OK", no)
    risk = judge(tap(seen, 3), seen)
    assert risk is not None
    assert risk.kind is DELETE


@each(
    ("question", "no"),
    [
        ("Keep me signed in?", "No"),
        ("Keep waiting?", "No"),
        ("Keep your backup?", "Later"),
        ("Rate us?", "No"),
    ],
)
def test_a_no_or_later_that_gives_up_nothing_is_harmless(question: str, no: str) -> None:
    seen = _asking(question, "Yes", no)
    assert judge(tap(seen, 3), seen) is None


@each("yes", ["✔", "✅", "👍"])
def test_a_sign_agrees_as_a_word_does(yes: str) -> None:
    seen = _asking("Delete all photos?", "✗", yes)
    risk = judge(tap(seen, 3), seen)
    assert risk is not None
    assert risk.kind is DELETE
    assert judge(tap(seen, 2), seen) is None


@pytest.mark.parametrize(
    "line", ["Press 1 to order for $18.40, 2 to go back.", "Press 1 to order, 2 to cancel"]
)
def test_a_key_does_what_its_line_says(line: str) -> None:
    seen = screen(
        label(line),
        button("1", 120, left=4, size=(40, 20)),
        button("2", 120, left=54, size=(40, 20)),
    )
    risk = judge(tap(seen, 2), seen)
    assert risk is not None
    assert risk.kind is PAY
    assert judge(tap(seen, 3), seen) is None
    quiz = screen(
        label("A: The capital of France"), label("B: Send 20 € to Bo", 30), button("A", 100), button("B", 130)
    )
    assert judge(tap(quiz, 3), quiz) is None
    assert judge(tap(quiz, 4), quiz) is not None


@each(
    "words",
    [
        "\u200b" * 600 + "Pay now",
        "." * 600 + "Pay now",
        "[Pay]",
        "<Pay>",
        "B3zahlen",
        "P4yer",
        "\u202eyap\u202c now",
        "Cancel" + " " * 600 + "and pay 500 €",
        "Cancel" + "." * 600 + "pay now",
        "x" * 60 + "." * 600 + "pay now",
        "Cancel\n\n\nand pay 500 €",
        "No thanks" + "\u200b" * 600 + ", buy now",
    ],
)
def test_nothing_around_a_word_hides_it(words: str) -> None:
    seen = screen(label("Offer"), wide_button(words))
    risk = judge(tap(seen, 2), seen)
    assert risk is not None
    assert risk.kind is PAY


def test_a_word_in_several_views_is_read_as_one() -> None:
    parts = ("Pa", "y n", "ow")
    texts = [label(w, 172, left=10 + 10 * n, size=(10, 10), parent=1) for n, w in enumerate(parts)]
    seen = screen(element("View", 170, 4, size=(92, 20), clickable=True), *texts)
    assert (risk := judge(tap(seen, 1), seen)) is not None
    assert risk.kind is PAY


def test_a_refusal_of_several_lines_is_one_where_none_of_them_acts() -> None:
    seen = screen(label("Delete all photos?", 50), wide_button("Cancel\nkeep everything"))
    assert judge(tap(seen, 2), seen) is None


@each("at", [5, 30, 90])
def test_a_touch_on_a_keyboard_over_the_page_may_be_enter(at: int) -> None:
    """A page that is not made smaller for the keyboard has its rows in the tree, behind the keys."""
    chat = screen(
        label("Mom", 5),
        field_with("hello", 90),
        icon(90, 80, description="Send"),
        element("LinearLayout", 160, size=(100, 20), clickable=True),
        label("Yesterday", 162),
        keyboard_shown=True,
    )
    tapped = Click(point=Point(at / 100, 0.85))
    risk = judge(tapped, chat)
    assert risk is not None
    assert risk.kind is ActionKind.SEND
    assert judge(tapped, replace(chat, keyboard_shown=False)) is None


def field_with(text: str, top: int) -> Element:
    return element("EditText", top, text=text, size=(80, 18), clickable=True, focused=True)


def test_a_scroll_is_judged_where_the_finger_comes_down() -> None:
    """The finger begins a quarter of the screen beside the point, which may be on a slider."""
    checkout = screen(
        label("Checkout", 5),
        label("Total ¥99", 60),
        element("SeekBar", 150, 10, size=(50, 20)),
        label("Slide to pay", 150, left=15, size=(40, 20)),
    )
    beside = Scroll(point=Point(0.8, 0.8), direction=Direction.LEFT)
    risk = judge(beside, checkout)
    assert risk is not None
    assert risk.kind is ActionKind.PAY
    assert judge(Scroll(point=Point(0.8, 0.4), direction=Direction.LEFT), checkout) is None

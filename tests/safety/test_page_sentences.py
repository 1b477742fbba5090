"""What the sentences beside a control tell of it."""

from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.records import Element, Observation
from assistant.safety.classifier import Cue, Risk, judge
from assistant.safety.lexicon import Sense, prose
from assistant.safety.page import Page
from assistant.safety.page_sentences import denies_twice, is_wide_button_beside_sum, only_shows, stated_kind
from tests.safety.screens import button, element, icon, label, screen, tap
from tests.tables import each


def judged(*elements: Element, number: int = 1) -> Risk | None:
    page: Observation = screen(*elements)
    return judge(tap(page, number), page)


def switch(words: str, top: int = 60, checked: bool = False) -> Element:
    return element("Switch", top, text=words, clickable=True, checkable=True, checked=checked)


STATED = [
    ("Your recordings are wiped from every device and there is no way back", ActionKind.DELETE),
    ("Then 4.99 € per month, renews automatically", ActionKind.PAY),
    ("Your steps are visible to everyone at work", ActionKind.SEND),
    ("It can read your messages and record the screen", ActionKind.GRANT),
    ("上传后所有人可见你的照片", ActionKind.SEND),
    ("所有備份將被清空，無法恢復", ActionKind.DELETE),
    ("Alle Aufnahmen werden unwiderruflich gelöscht", ActionKind.DELETE),
    ("Luego 4,99 € al mes, se renueva solo", ActionKind.PAY),
    ("写真はすべての人に公開されます", ActionKind.SEND),
    ("Vos photos seront visibles par tout le monde", ActionKind.SEND),
    ("Ваши фото будут удалены безвозвратно", ActionKind.DELETE),
    ("이 사진은 모두에게 공개됩니다", ActionKind.SEND),
]


@each(("text", "kind"), STATED)
def test_a_sentence_states_what_is_taken_erased_or_shown(text: str, kind: ActionKind) -> None:
    assert stated_kind(text) is kind


@each(
    "text",
    [
        "Your photos are never shared with partners",
        "Nothing is deleted until you say so",
        "不会上传你的照片给任何人",
        "Deine Daten werden nicht weitergegeben",
        "Items in the trash are deleted forever after 30 days",
        "Your backup has been deleted permanently",
        "The bus leaves at ten past nine every day",
        "Limits what apps do in the background",
        "限制应用的后台活动，延长电池使用时间",
    ],
)
def test_a_sentence_that_denies_or_tells_of_the_past_states_nothing(text: str) -> None:
    assert stated_kind(text) is None


PRINT = label("Brightened pictures replace yours for good, there is no way back", top=120)


def test_the_sentence_below_an_unknown_button_is_judged_and_quoted() -> None:
    risk = judged(button("Brighten up"), PRINT)
    assert risk is not None
    assert (risk.kind, risk.cue) == (ActionKind.DELETE, Cue.PRINT)
    assert "no way back" in risk.reason


def test_the_sentence_belongs_to_the_button_that_it_names_and_to_no_other() -> None:
    page = (button("Brighten up", 60), button("Rotate", 90), PRINT, icon(150, description="Go back"))
    assert judged(*page) is not None
    assert judged(*page, number=2) is None
    assert judged(*page, number=4) is None


def test_a_label_that_shows_something_is_believed_beside_a_sentence_above_it() -> None:
    assert judged(button("View my albums", 140), PRINT) is None


def test_a_label_that_shows_something_is_not_believed_above_its_small_print() -> None:
    price = label("First week free, then 7.49 € per month until you cancel", top=124)
    risk = judged(button("See my report"), price)
    assert risk is not None
    assert risk.kind is ActionKind.PAY


def test_a_button_that_only_takes_note_asks_for_what_the_page_states() -> None:
    title, far = label("Recorder"), label("All 300 recordings are erased and cannot be recovered", top=20)
    assert judged(button("Got it", 170), title, far) is not None
    assert judged(button("Got it", 170), title, far, button("Listen", 150)) is None
    assert judged(button("Got it", 170), far, button("Listen", 150)) is not None


def test_a_refusal_is_believed_unless_a_sentence_says_what_it_means() -> None:
    means = label("“Not now” starts the plan at 12 € a month", top=120)
    risk = judged(button("Not now"), means)
    assert risk is not None
    assert (risk.kind, risk.cue) == (ActionKind.PAY, Cue.CONTRADICTED)
    assert judged(button("Not now"), label("The plan costs 12 € a month", top=120)) is None


def test_the_line_under_a_switch_says_what_it_grants() -> None:
    line = label("Lets the launcher read your messages, even while it is closed", top=80)
    off = judged(switch("Brighter colours"), line)
    assert off is not None
    assert (off.kind, off.cue) == (ActionKind.GRANT, Cue.SUMMARY)
    assert judged(switch("Brighter colours", checked=True), line) is None
    assert judged(switch("Brighter colours"), label("Colours are as bright as in the sun", top=80)) is None


def test_a_switch_that_denies_twice_asks() -> None:
    risk = judged(switch("Do not stop telling nobody"))
    assert risk is not None
    assert risk.cue is Cue.DENIED_TWICE
    assert denies_twice("Never without a name")
    assert not denies_twice("Do not disturb")
    assert not denies_twice("勿扰模式")


def test_of_several_unknown_buttons_only_that_beside_the_sum_pays() -> None:
    page = (button("Zielwahl", 60), label("Fahrpreis: 18,40 € von der Karte", 84), button("Wagenfarbe", 110))
    first, second = judged(*page), judged(*page, number=3)
    assert first is not None
    assert first.kind is ActionKind.PAY
    assert second is None


@each("text", ["View receipts", "按时间排序", "Verlauf", "Filtros", "履歴", "Фильтры", "Rezensionen lesen"])
def test_labels_that_show_or_sort_are_known(text: str) -> None:
    assert only_shows(text)


def test_a_phrase_that_holds_a_denial_is_not_denied_by_it() -> None:
    assert Sense.ERASES in prose().senses("This cannot be undone")
    assert Sense.ERASES not in prose().senses("This is not permanently stored")


def box(words: str, top: int = 60, checked: bool = True) -> Element:
    return element("CheckBox", top, text=words, clickable=True, checkable=True, checked=checked)


def test_a_button_consents_to_what_is_ticked_beside_it_and_unticking_does_not() -> None:
    words = "Upload my address book and text everyone in it"
    risk = judged(button("Show the weather", 84), box(words))
    assert risk is not None
    assert (risk.kind, risk.cue) == (ActionKind.SEND, Cue.CONSENT)
    assert judged(box(words), button("Show the weather", 84)) is None
    assert judged(button("Show the weather", 84), box(words, checked=False)) is None
    assert judged(box("Subscribe for 5 € a month", checked=False)) is not None


def test_a_cancel_is_believed_beside_an_agreement_and_below_a_promise_to_cancel() -> None:
    promise = label("Cancel anytime. Then 9.99 € a month", top=80)
    page = (button("Enter now", 100), button("Cancel", 60), promise)
    assert judged(*page) is not None
    assert judged(*page, number=2) is None
    dialog = screen(
        label("Cancel your order?", 40), button("Cancel", 80), button("Cancel order", 110), dialog=True
    )
    assert judge(tap(dialog, 2), dialog) is None
    alone = screen(label("Cancel your order?", 40), button("Cancel", 80), button("Back", 110), dialog=True)
    assert judge(tap(alone, 2), alone) is not None


def test_a_sentence_with_links_is_small_print_too() -> None:
    links = element(
        "TextView", 124, text="By going on you subscribe, 9.99 € per month, see the terms", clickable=True
    )
    assert judged(button("Enter"), links) is not None


def test_a_slider_beside_a_sum_moves_it() -> None:
    slider = element("SeekBar", 60, description="Lift the curtain", clickable=True)
    assert judged(slider, label("Order 77 goes to the courier for 480 €", 84)) is not None
    assert judged(slider, label("The brightness of the lamp in the hall", 84)) is None


def test_the_one_picture_without_words_does_what_the_page_states() -> None:
    stated = label("The originals are erased for good", 140)
    one, other = icon(90, name="fab_broom"), icon(90, left=20, name="fab_star", size=(20, 20))
    risk = judged(one, stated)
    assert risk is not None
    assert (risk.kind, risk.cue, risk.statement) == (ActionKind.DELETE, Cue.PRINT, stated.text)
    assert judged(one, other, stated) is None
    assert judged(one, stated, button("Delete all", 170)) is None
    assert judged(one, label("The originals stay where they are", 140)) is None


@each(
    "words",
    [
        "You can delete your account at any time in the settings",
        "This app needs access to your location to find drivers",
        "Puede eliminar su cuenta en cualquier momento",
        "Deleted files stay in the trash for 30 days",
        "您可以在设置中随时删除账号",
        "清理缓存不会删除您的聊天记录",
    ],
)
def test_what_may_be_done_elsewhere_or_is_needed_first_is_no_deed_of_the_tap(words: str) -> None:
    assert stated_kind(words) is None
    assert judged(button("Continue", 100), label(words, 60)) is None


def test_a_verb_in_the_middle_of_a_chinese_clause_speaks_of_anything() -> None:
    assert stated_kind("较大的值允许更长的回复但消耗更多") is None
    assert stated_kind("点击后将允许对方读取您的全部短信") is ActionKind.GRANT


def test_a_box_above_the_button_that_pays_is_only_a_consent() -> None:
    words = "Renews automatically at 9.99 € a month until cancelled"
    box = element("CheckBox", 100, text=words, clickable=True, checkable=True)
    assert judged(box, button("Start", 125)) is None
    assert judged(box) is not None
    assert judged(box, button("Cancel", 125)) is not None
    shares = element(
        "CheckBox", 100, text="Sends your contacts to our partners", clickable=True, checkable=True
    )
    assert judged(shares, button("Start", 125)) is not None
    ticked = element("CheckBox", 100, text=words, clickable=True, checkable=True, checked=True)
    risk = judged(button("Start", 125), ticked)
    assert risk is not None
    assert risk.kind is ActionKind.PAY


@pytest.mark.parametrize(("top", "beside"), [(170, True), (40, False)])
def test_the_button_beside_a_sum_stands_in_the_lower_part_of_the_page(top: int, beside: bool) -> None:
    total = (label("Total", 140, size=(40, 8)), label("€ 42.50", 140, left=60, size=(30, 8)))
    page = Page(screen(button("Frobnicate", top, left=4, size=(92, 20)), *total))
    assert is_wide_button_beside_sum(page, page.observation.elements[1], ["Frobnicate"]) is beside

"""Layouts as dumps of real phones have them, on which the guards once missed a deed or asked for nothing."""

from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.records import Element, ForegroundApp, Observation
from assistant.safety.classifier import judge
from assistant.safety.page import Page
from assistant.safety.wording import classify_id
from tests.safety.screens import HEIGHT, WIDTH, button, element, field, icon, label, screen, tap
from tests.tables import each

_LETTERS = ("", "ABC", "DEF", "GHI", "JKL", "MNO", "PQRS", "TUV", "WXYZ")
_PERMISSIONS = ForegroundApp("com.google.android.permissioncontroller", ".Grant", "Permissions")


def _kind(seen: Observation, number: int) -> ActionKind | None:
    risk = judge(tap(seen, number), seen)
    return risk.kind if risk else None


def test_a_key_of_the_lock_screen_has_its_digit_twice_and_letters_beside_it() -> None:
    keys: list[Element] = []
    for digit, letters in enumerate(_LETTERS, 1):
        parent, left = len(keys) + 1, 30 * ((digit - 1) % 3)
        keys.append(
            element(
                "FrameLayout",
                60 + 20 * ((digit - 1) // 3),
                left,
                clickable=True,
                name="pin_key",
                size=(30, 20),
                description=str(digit),
            )
        )
        keys += [label(words, 60, parent=parent, size=(5, 5)) for words in (letters, str(digit)) if words]
    seen = screen(*keys, field(20, password=True))
    numbers = [number for number, key in enumerate(keys, 1) if key.clickable]
    assert [_kind(seen, number) for number in numbers] == [ActionKind.PASSWORD] * len(_LETTERS)


@each(
    ("question", "words", "kind"),
    [
        ("Are you sure you want to log out?", "Logout", ActionKind.DELETE),
        ("The group is large. Invite them now?", "Invite", ActionKind.SEND),
        ("群聊人数较多，现在邀请？", "邀请", ActionKind.SEND),
        ("Do you want to see the map?", "See the map", None),
    ],
)
def test_a_button_that_says_its_dialogs_question_again_agrees_to_it(
    question: str, words: str, kind: ActionKind | None
) -> None:
    seen = screen(label(question, 40), button("Cancel", 100), button(words, 120), dialog=True)
    assert _kind(seen, 3) is kind
    assert _kind(seen, 2) is None


def test_a_window_that_the_app_draws_itself_is_a_dialog() -> None:
    barrier = element("View", 0, size=(WIDTH, HEIGHT), clickable=True, description="Dismiss")
    shown = [label("Do you want to log out?", 80), button("Cancel", 100), button("Log out", 120)]
    assert _kind(screen(barrier, *shown), 4) is ActionKind.DELETE
    assert _kind(screen(*shown), 3) is ActionKind.DELETE
    assert _kind(screen(*shown[:2]), 2) is None


def test_a_window_of_flutter_stands_in_the_view_that_closes_it() -> None:
    barrier = element("View", 0, size=(WIDTH, HEIGHT), clickable=True, description="Dismiss")
    inside = [
        label("Do you want to log out?", 80, parent=1),
        button("Cancel", 100, parent=1),
        button("Logout", 120, parent=1),
    ]
    seen = screen(barrier, *inside)
    assert [_kind(seen, number) for number in (3, 4)] == [None, ActionKind.DELETE]


def test_compose_writes_a_button_as_a_view_around_one_without_words() -> None:
    amount = label("Total $12.00", 10)
    unlike = [element("View", top, clickable=True) for top in (60, 90, 120)]
    words = [
        label(text, 62, parent=number) for number, text in ((2, "Place order"), (3, "Edit"), (4, "Help"))
    ]
    page = screen(amount, *unlike, *words, element("Button", 60, parent=2))
    assert _kind(page, 2) is ActionKind.PAY
    assert Page(page).buttons == [page.elements[2]]


def test_the_lines_that_flutter_joins_are_those_of_a_row() -> None:
    row = element("View", 60, clickable=True, description="Parcel 7\nDelete account and all data\nYesterday")
    assert _kind(screen(label("Help"), row), 2) is None
    assert (
        _kind(screen(label("Help"), element("View", 60, clickable=True, description="Delete")), 2) == "delete"
    )


@each("name", ["btnMuteCall", "end_call", "speaker_call"])
def test_an_id_about_a_call_that_runs_calls_nobody(name: str) -> None:
    assert classify_id(f"com.example.app:id/{name}") is None
    assert classify_id("com.example.app:id/btn_call") is ActionKind.SEND


def test_an_emblem_is_no_word_beside_words() -> None:
    seen = screen(label("Voice Call"), button("📞", 60, description="End voice call"), button("📞", 90))
    assert [_kind(seen, number) for number in (2, 3)] == [ActionKind.DELETE, ActionKind.SEND]


def test_a_switch_is_no_deed_by_its_id() -> None:
    switch = element("Switch", 60, name="switchAutoDelete", checkable=True, clickable=True)
    assert _kind(screen(label("Cleaning"), switch), 2) is None


def test_a_label_that_asks_leads_to_help() -> None:
    code = field(60, text="12", name="code")
    assert _kind(screen(label("Verify your number"), code, button("Didn't receive code?", 90)), 3) is None
    assert _kind(screen(label("Report"), code, button("Submit", 90)), 3) is ActionKind.SEND


def test_a_hint_that_is_given_as_text_fills_nothing() -> None:
    for values in ({"text": "Login", "name": "et_login"}, {"text": "––– –––"}):
        empty = field(60, focused=False, **values)
        assert Page(screen(label("Report"), empty)).filled_fields == []


def test_a_button_that_opens_settings_does_nothing_itself() -> None:
    note = label("The accessibility service has full control of your screen", 120)
    assert _kind(screen(label("Agent"), button("Open Accessibility Settings", 90), note), 2) is None
    assert _kind(screen(label("Agent"), button("Start", 90), note), 2) is ActionKind.GRANT


def test_the_key_below_a_code_pad_enters_the_code() -> None:
    keys = [
        button(str(digit), 60 + 20 * ((digit - 1) // 3), left=30 * ((digit - 1) % 3), size=(30, 20))
        for digit in range(1, 10)
    ]
    seen = screen(label("Cod administrator PIN", 5), *keys, button("Confirmă", 120), button("Anulează", 140))
    assert [_kind(seen, number) for number in (11, 12)] == [ActionKind.PASSWORD, None]


def test_the_button_below_a_field_for_each_digit_enters_the_code() -> None:
    boxes = [field(60, left=20 * place, size=(18, 20), focused=False) for place in range(4)]
    other = [field(60, left=20 * place, size=(18, 20), focused=False, text="Anna") for place in range(4)]
    for fields, kind in ((boxes, ActionKind.PASSWORD), (other, ActionKind.SEND)):
        seen = screen(label("Enter the verification code"), *fields, button("Verify", 100))
        assert _kind(seen, 6) is kind


def test_the_one_switch_of_a_vpn_is_a_protection() -> None:
    app = ForegroundApp("ch.examplevpn.android", ".Main", "VPN")
    assert _kind(screen(label("Protected"), button("Disconnect", 90), app=app), 2) is ActionKind.SECURITY
    assert _kind(screen(label("Headset"), button("Disconnect", 90)), 2) is None


def _switch_in_settings(title: str, words: str, *below: str) -> Observation:
    """A page of the phone's settings with one switch, and texts below it."""
    settings = ForegroundApp("com.android.settings", ".SubSettings", "Settings")
    row = element("LinearLayout", 60, clickable=True)
    switch = element("Switch", 60, 80, size=(20, 20), checkable=True, parent=2)
    named = label(words, 60, parent=2, size=(60, 20))
    return screen(label(title), row, named, switch, *(label(text, 100) for text in below), app=settings)


@pytest.mark.parametrize(
    ("name", "use", "shortcut"),
    [("vision aid", "Use vision aid", "vision aid shortcut"), ("朗读", "使用朗读", "朗读快捷方式")],
)
def test_the_switch_of_an_accessibility_service_grants(name: str, use: str, shortcut: str) -> None:
    assert _kind(_switch_in_settings(name, use, shortcut), 2) is ActionKind.GRANT
    assert _kind(_switch_in_settings(name, use, "Help"), 2) is None


@each(
    ("name", "use", "kind"),
    [
        ("Screen Pilot", "Use Screen Pilot", ActionKind.GRANT),
        ("Screen Pilot", "Screen Pilot verwenden", ActionKind.GRANT),
        ("Screen Pilot", "Utiliser Screen Pilot", ActionKind.GRANT),
        ("Screen Pilot", "Screen Pilot を使用", ActionKind.GRANT),
        ("Bluetooth", "Use Bluetooth", None),
        ("Location", "Use location", None),
        ("Energiesparmodus", "Energiesparmodus verwenden", None),
        ("Screen Pilot", "Screen Pilot updates", None),
    ],
)
def test_the_switch_that_uses_a_service_by_its_name_grants(
    name: str, use: str, kind: ActionKind | None
) -> None:
    assert _kind(_switch_in_settings(name, use), 2) is kind


@each(
    ("title", "words", "kind"),
    [
        ("Entwickleroptionen", "USB-Debugging", ActionKind.SECURITY),
        ("Système", "Débogage USB", ActionKind.SECURITY),
        ("Sistema", "Depuración por USB", ActionKind.SECURITY),
        ("システム", "ワイヤレス デバッグ", ActionKind.SECURITY),
        ("시스템", "USB 디버깅", ActionKind.SECURITY),
        ("Система", "Отладка по USB", ActionKind.SECURITY),
        ("Sistem", "USB hata ayıklama", ActionKind.SECURITY),
        ("ระบบ", "การแก้ไขข้อบกพร่อง USB", ActionKind.SECURITY),
        ("Entwickleroptionen", "USB-Tethering", None),
        ("Système", "Luminosité adaptative", None),
        ("システム", "画面を回転", None),
    ],
)
def test_a_switch_that_opens_the_phone_is_a_protection_in_any_language(
    title: str, words: str, kind: ActionKind | None
) -> None:
    assert _kind(_switch_in_settings(title, words), 2) is kind


@each(
    ("texts", "kind"),
    [
        (("4 plants", "Pay"), ActionKind.PAY),
        (("$31.00", "Place order"), ActionKind.PAY),
        (("Total", "31,00 €", "Zahlungspflichtig bestellen"), ActionKind.PAY),
        (("合計", "¥3,100", "注文を確定する"), ActionKind.PAY),
        (("共 3 件", "提交订单"), ActionKind.PAY),
        (("Итого", "310 ₽", "Оплатить"), ActionKind.PAY),
        (("4 plants", "View cart"), None),
        (("Espresso", "$3.00"), None),
        (("Rent paid", "$310.00", "Yesterday"), None),
    ],
)
def test_a_bar_does_what_the_one_label_beside_its_sum_says(
    texts: tuple[str, ...], kind: ActionKind | None
) -> None:
    bar = element("ViewGroup", 160, clickable=True)
    inside = (label(text, 160, left=30 * n, size=(25, 20), parent=2) for n, text in enumerate(texts))
    assert _kind(screen(label("Basket"), bar, *inside), 2) is kind


@each("words", ["Emergency SOS", "SOS", "Emergency call", "Notruf", "Appel d'urgence", "紧急呼叫"])
def test_a_call_for_help_is_a_call(words: str) -> None:
    assert _kind(screen(label("Safety"), button(words, 100)), 2) is ActionKind.SEND


def test_a_line_that_tells_a_state_says_nothing_of_the_button_below_it() -> None:
    seen = screen(label("Accessibility Service is enabled and ready", 40), button("Rebuild Graph", 80))
    assert _kind(seen, 2) is None


def test_the_lock_screen_of_an_old_phone_can_be_seen() -> None:
    of_system = element("TextView", 40, text="Charging", package="com.android.systemui")
    keyguard = ForegroundApp("com.android.keyguard", ".Lock", "Lock screen")
    assert _kind(screen(of_system, button("", 90, package="com.android.keyguard"), app=keyguard), 2) is None


def test_a_sentence_to_touch_is_no_name_of_a_deed() -> None:
    told = element("TextView", 60, text="Book and pay for parking and lounges from the app", clickable=True)
    assert _kind(screen(label("Welcome"), told), 2) is None
    named = element("TextView", 60, text="Book and pay", clickable=True)
    assert _kind(screen(label("Welcome"), named), 2) is ActionKind.PAY


def test_a_word_in_a_line_of_which_one_is_selected_is_a_tab() -> None:
    def line(selected: bool) -> Observation:
        names = [("Chats\nTab 1 of 3", 0), ("Post\nTab 2 of 3", 30), ("Me\nTab 3 of 3", 60)]
        return screen(
            label("Friends"),
            *(
                element("Button", 180, left, size=(30, 20), clickable=True, description=text, selected=chosen)
                for chosen, (text, left) in zip((selected, False, False), names, strict=True)
            ),
        )

    assert [_kind(line(selected), 3) for selected in (True, False)] == [None, ActionKind.SEND]


@each(
    ("words", "ringing", "kind"),
    [
        ("Answer", "Incoming video call", ActionKind.SEND),
        ("接听", "来电", ActionKind.SEND),
        ("Responder", "Llamada entrante", ActionKind.SEND),
        ("Answer", "Questions", None),
    ],
)
def test_who_answers_while_it_rings_calls(words: str, ringing: str, kind: ActionKind | None) -> None:
    assert _kind(screen(label(ringing), label("Anna", 20), button(words, 90)), 3) is kind


def test_a_row_of_a_page_about_permissions_leads_on() -> None:
    rows = [element("LinearLayout", top, clickable=True) for top in (40, 70, 100)]
    names = [label(text, 40, parent=row) for row, text in ((2, "Camera"), (3, "Contacts"), (4, "Location"))]
    assert _kind(screen(label("App permissions"), *rows, *names, app=_PERMISSIONS), 2) is None
    asked = screen(label("Let Maps use the camera?"), button("Agree", 60), app=_PERMISSIONS)
    assert _kind(asked, 2) is ActionKind.GRANT


def test_a_sum_alone_is_a_price_only_on_a_button() -> None:
    shown = element("ViewGroup", 60, clickable=True, text="$6.29")
    assert _kind(screen(label("Wallet"), shown), 2) is None
    assert _kind(screen(label("Wallet"), button("$6.29", 60)), 2) is ActionKind.PAY


def test_an_icon_of_the_home_screen_may_tell_of_notifications() -> None:
    home = ForegroundApp("com.google.android.apps.nexuslauncher", ".Home", "Home")
    icon = element("TextView", 60, clickable=True, text="Pay", description="Pay has 2 notifications")
    assert _kind(screen(icon, app=home), 1) is None
    assert _kind(screen(icon), 1) is ActionKind.PAY


@each("words", ["Follow", "关注", "フォローする"])
def test_who_follows_a_person_is_seen_by_them(words: str) -> None:
    page = [label("Anna", 20), button(words, 60), element("LinearLayout", 90, clickable=True)]
    number = label("418", 90, parent=3)
    assert _kind(screen(*page, number), 2) is ActionKind.SEND
    tabs = [
        element("TextView", 180, left, text=text, clickable=True, size=(30, 20))
        for text, left in ((words, 0), ("For you", 30), ("Nearby", 60))
    ]
    assert _kind(screen(label("Home"), *tabs), 2) is None


def test_a_list_of_steps_tells_of_a_button_what_its_line_says() -> None:
    steps = "• Grant the permission for nearby devices\n• Then press ‘Rescan’ again"
    assert _kind(screen(label("No device"), button("Rescan", 60), label(steps, 90)), 2) is None
    one = "Pressing ‘Rescan’ shares your list with everyone\n• Keep Bluetooth on"
    assert _kind(screen(label("No device"), button("Rescan", 60), label(one, 90)), 2) is ActionKind.SEND


def test_only_an_answer_grants_on_a_page_about_permissions() -> None:
    page = screen(label("Autostart"), button("More actions", 60), button("Vielleicht", 90), app=_PERMISSIONS)
    assert [_kind(page, number) for number in (2, 3)] == [None, ActionKind.GRANT]


def test_an_id_names_the_switch_of_a_vpn() -> None:
    stop = button("İZLEMEYİ DURDUR", 60, name="btnToggleVpn")
    assert _kind(screen(label("Watcher"), stop), 2) is ActionKind.SECURITY
    assert classify_id("com.example.app:id/btn_vpn_settings") is None


def test_a_page_of_the_settings_that_names_itself_thrice_runs_no_service() -> None:
    settings = ForegroundApp("com.android.settings", ".SubSettings", "Settings")
    switch = element("Switch", 60, 80, size=(20, 20), checkable=True, parent=2)
    words = label("Battery saver", 60, parent=2, size=(60, 20))
    row = element("LinearLayout", 60, clickable=True)
    page = screen(label("Battery"), row, words, switch, label("Battery percentage", 100), app=settings)
    assert _kind(page, 2) is None


def test_who_signs_in_sends_nothing() -> None:
    name, secret = field(60, text="anna", focused=False), field(80, password=True, text="••••")
    assert _kind(screen(label("Login"), name, secret, button("Submit", 120)), 4) is None
    assert _kind(screen(label("Report"), name, button("Submit", 120)), 3) is ActionKind.SEND


def test_the_answer_that_is_touched_counts_and_not_the_box_that_holds_it() -> None:
    box = element("LinearLayout", 40, size=(WIDTH - 10, 100), clickable=True, name="grant_dialog")
    seen = screen(
        box,
        label("Allow Maps to access this device’s location?", 45, parent=1, size=(80, 10)),
        element("RadioButton", 60, text="Precise", clickable=True, checkable=True, parent=1, size=(40, 20)),
        button("While using the app", 85, name="permission_allow_foreground_only_button", parent=1),
        button("Don’t allow", 110, name="permission_deny_button", parent=1),
        app=_PERMISSIONS,
        dialog=True,
    )
    assert [_kind(seen, number) for number in (3, 4, 5)] == [None, ActionKind.GRANT, None]


def test_off_on_a_switch_is_its_state_and_no_refusal() -> None:
    manager = ForegroundApp("com.vivo.permissionmanager", ".Autostart", "Manager")
    row = element("LinearLayout", 80)
    seen = screen(
        label("自启动", 5),
        row,
        label("Chrome", 82, parent=2, size=(40, 10)),
        element("FrameLayout", 80, 80, size=(20, 20), parent=2),
        element("Switch", 80, 80, size=(20, 20), text="关闭", checkable=True, parent=4),
        app=manager,
    )
    assert _kind(seen, 5) is ActionKind.GRANT


def test_an_id_that_goes_on_to_a_harmless_noun_does_nothing() -> None:
    assert classify_id("com.example.app:id/btn_phone") is ActionKind.SEND
    assert classify_id("com.example.app:id/btnPhoneMethod") is None


def test_a_description_that_repeats_the_text_adds_nothing() -> None:
    priced = "Accept for $4.90"
    assert _kind(screen(label("New offer"), button(priced, description=priced)), 2) is ActionKind.PAY


def test_a_button_among_rows_of_the_same_class_is_none_of_them() -> None:
    rows = [element("ViewGroup", 20 * n, clickable=True, text=f"Stall {n}") for n in range(1, 5)]
    pay = element("ViewGroup", 160, 10, clickable=True, text="确认支付 ¥79.8", size=(80, 20))
    seen = screen(label("集市"), *rows, pay)
    assert _kind(seen, 6) is ActionKind.PAY
    assert _kind(seen, 2) is None


@each("title", ["多家银行下调转账手续费", "购买新房需注意这几点", "怎么取消订单"])
def test_a_title_in_a_list_is_no_command(title: str) -> None:
    rows = [
        element("ViewGroup", 20 * n, clickable=True, text=text)
        for n, text in enumerate((title, "早报", "晚报"))
    ]
    assert _kind(screen(*rows), 1) is None


@each(
    "words",
    [
        *("Free shipping over $50", "Get $5 off your first order", "Call center hours"),
        *("Clear cache", "清除缓存", "手续费", "禁止"),
    ],
)
def test_what_only_tells_or_costs_nothing_is_harmless(words: str) -> None:
    assert _kind(screen(label("Shop"), button(words, 100)), 2) is None


@each(
    ("words", "kind"),
    [
        ("Confirm pickup", ActionKind.PAY),
        ("Complete reservation", ActionKind.PAY),
        ("Clean 120 MB", ActionKind.DELETE),
        ("Tip 15", ActionKind.PAY),
    ],
)
def test_verbs_with_their_object_or_number(words: str, kind: ActionKind) -> None:
    assert _kind(screen(label("Trip"), button(words, 100)), 2) is kind


@each(("shown", "kind"), [("0151 234", None), ("12+3", None), ("", ActionKind.PASSWORD)])
def test_a_pad_that_shows_what_is_typed_is_for_no_code(shown: str, kind: ActionKind | None) -> None:
    keys = [
        button(str(digit), 40 + 20 * (digit // 3), left=30 * (digit % 3), size=(30, 20))
        for digit in range(10)
    ]
    texts = [label(shown)] if shown else []
    assert _kind(screen(*keys, *texts), 5) is kind


def test_what_is_taken_out_of_a_cart_is_not_bought_yet() -> None:
    seen = screen(
        label("Notebook"), button("Delete", 60, size=(40, 20)), button("Save for later", 60, left=50)
    )
    assert _kind(seen, 2) is None


def test_a_view_that_lies_over_words_does_what_they_say() -> None:
    over = element("View", 100, clickable=True)
    assert _kind(screen(label("Place order", 100), over), 2) is ActionKind.PAY
    assert _kind(screen(label("View cart", 100), over), 2) is None


@each(
    ("seen", "number", "kind"),
    [
        (screen(label("Paying Ann ₹500"), button("Next", 160)), 2, ActionKind.PAY),
        (screen(label("Step 2 of 3"), button("Next", 160)), 2, None),
        (screen(label("A new version is out"), button("Update", 100)), 2, ActionKind.INSTALL),
        (screen(label("Your profile"), field(60, text="Ann"), button("Update", 100)), 3, None),
        (
            screen(
                label("Connect with Purse", 20),
                label("Shop wants to see your accounts", 50),
                button("Cancel", 100, size=(40, 20)),
                button("Connect", 100, left=50),
            ),
            4,
            ActionKind.GRANT,
        ),
    ],
)
def test_a_plain_word_does_what_its_page_is_for(
    seen: Observation, number: int, kind: ActionKind | None
) -> None:
    assert _kind(seen, number) is kind


def test_words_that_react_native_joins_to_a_description_are_no_second_label() -> None:
    seen = screen(
        label("Fare $5.00", 40),
        element("ViewGroup", 120, clickable=True, description="\U000f0c34, Accept Ride"),
        label("Accept Ride", 125, parent=2, size=(50, 10)),
    )
    assert Page(seen).labels(seen.elements[2]) == ["Accept Ride"]
    assert _kind(seen, 2) is ActionKind.PAY


def test_a_row_whose_description_joins_its_words_has_these_words_alone() -> None:
    seen = screen(
        element("ViewGroup", 100, clickable=True, description="Bike, $18.00"),
        label("Bike", 105, parent=1, size=(20, 10)),
        label("$18.00", 105, left=50, parent=1, size=(20, 10)),
    )
    assert Page(seen).labels(seen.elements[1]) == ["Bike", "$18.00"]


def test_a_programmers_name_is_no_label_where_words_stand_beside_it() -> None:
    seen = screen(
        element("ViewGroup", 120, clickable=True, description="acc_toucho_paybar_index_0"),
        element("ViewGroup", 120, parent=1, description='{"clickId":"order_submit","BtnText":"立即支付"}'),
        label("立即支付", 125, parent=1, size=(50, 10)),
    )
    assert Page(seen).labels(seen.elements[1]) == ["立即支付"]
    assert _kind(seen, 1) is ActionKind.PAY
    alone = screen(icon(description="order_delete_all"))
    assert Page(alone).labels(alone.elements[1]) == ["order_delete_all"]


def test_a_sentence_that_is_ticked_consents_for_the_button_below_it() -> None:
    box = element("CheckBox", 100, text="我已了解此安装包未经安全检测", checkable=True)
    consent = screen(box, button("Continue", 130))
    assert _kind(consent, 1) is None
    settings = ForegroundApp("com.android.settings", ".Main", "Settings")
    for setting in (screen(box), screen(box, button("Continue", 130), app=settings)):
        assert _kind(setting, 1) is ActionKind.SECURITY


def test_a_key_that_erases_stands_among_a_few_digits_too() -> None:
    keys = [
        element("TextView", 100 + 20 * (n // 2), 30 * (n % 2), size=(30, 20), clickable=True, text=str(n + 1))
        for n in range(4)
    ]
    erase = element("ImageView", 140, 0, size=(30, 20), clickable=True, description="Delete")
    seen = screen(field(20), *keys, erase)
    assert _kind(seen, 6) is None
    beside = element("ImageView", 150, 65, size=(30, 20), clickable=True, description="Delete")
    seen = screen(field(20), *keys, beside)
    assert _kind(seen, 6) is ActionKind.DELETE


def test_the_main_button_of_a_page_about_a_special_access_grants_it() -> None:
    settings = ForegroundApp("com.android.settings", ".DeviceAdminAdd", "Settings")
    buttons = (
        button("Bu cihaz yöneticisi uygulamasını etkinleştir", 120),
        button("İptal", 150),
    )
    seen = screen(label("Cihaz yöneticisi uygulaması", 5), *buttons, app=settings)
    assert [_kind(seen, number) for number in (2, 3)] == [ActionKind.GRANT, None]
    seen = screen(label("Hakkında", 5), *buttons, app=settings)
    assert _kind(seen, 2) is None

"""The meaning of labels by their words, in English and Chinese."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from assistant.events import ActionKind
from assistant.safety.lexicon import normalize_label, readings
from assistant.safety.wording import (
    LabelRole,
    classify_address,
    classify_id,
    classify_label,
    classify_question,
    is_agreement,
    is_refusal,
    kind_by_verb_and_object,
    slides_to_confirm,
)
from tests.tables import each

PAY, SEND, DELETE = ActionKind.PAY, ActionKind.SEND, ActionKind.DELETE
INSTALL, GRANT, SECURITY = ActionKind.INSTALL, ActionKind.GRANT, ActionKind.SECURITY


@each(
    ("label", "kind"),
    [
        ("Pay ¥32.00", PAY),
        ("PAY", PAY),
        ("Place order", PAY),
        ("Confirm & pay", PAY),
        ("Tap to pay", PAY),
        ("Agree and subscribe", PAY),
        ("立即支付 ¥32", PAY),
        ("提交订单", PAY),
        ("去付款", PAY),
        ("确认转账", PAY),
        ("呼叫用车", PAY),
        ("Рау nоw", PAY),
        ("P4Y", PAY),
        ("付\u200b款", PAY),
        ("Refund", PAY),
        ("Send", SEND),
        ("发送", SEND),
        ("拨打", SEND),
        ("Call Mom", SEND),
        ("📞", SEND),
        ("Delete", DELETE),
        ("🗑", DELETE),
        ("删除闹钟", DELETE),
        ("Uninstall", DELETE),
        ("Cancel order", DELETE),
        ("恢复出厂设置", DELETE),
        ("Install", INSTALL),
        ("Update now", INSTALL),
        ("安装", INSTALL),
        ("Allow", GRANT),
        ("While using the app", GRANT),
        ("仅在使用该应用时允许", GRANT),
        ("Turn off screen lock", SECURITY),
        ("关闭锁屏密码", SECURITY),
        ("PayBox", None),
        ("付款宝", None),
        ("Checkout", None),
        ("Book club", None),
        ("Sender", None),
        ("Search", None),
        ("Payment", None),
        ("Pay with", None),
        ("支付方式", None),
        ("待付款", None),
        ("最近删除", None),
        ("已发送", None),
        ("Installed", None),
        ("Don't allow", None),
        ("不允许", None),
        ("取消", None),
        ("Call history", None),
        ("搜索", None),
        ("We will send you a message as soon as the shop has your order", None),
        ("", None),
    ],
)
def test_labels_of_buttons(label: str, kind: ActionKind | None) -> None:
    assert classify_label(label) is kind


@each(
    ("title", "kind"),
    [
        ("Clear chat history", DELETE),
        ("Delete account", DELETE),
        ("Buy gifts for Mom", None),
        ("Send Susan the slides", None),
        ("Call with Harbour Logistics", None),
        ("买菜和付款的事", None),
    ],
)
def test_titles_of_rows_are_read_strictly(title: str, kind: ActionKind | None) -> None:
    assert classify_label(title, LabelRole.ROW) is kind


@each(
    ("name", "kind"),
    [
        ("send_button", SEND),
        ("btnSend", SEND),
        ("dial_button", SEND),
        ("iv_delete", DELETE),
        ("btn_pay", PAY),
        ("end_call", None),
        ("call_history", None),
        ("payee", None),
        ("pay_method", None),
        ("cancel_timer", None),
        ("install_time", None),
        ("", None),
    ],
)
def test_ids(name: str, kind: ActionKind | None) -> None:
    assert classify_id(f"com.example.app:id/{name}") is kind


@each(
    ("lines", "kind"),
    [
        (["Delete this alarm?"], DELETE),
        (["Notice", "¥12 will be charged to your card"], PAY),
        (["要拨打 10086 吗"], SEND),
        (["Allow USB debugging?"], SECURITY),
        (["Payment successful"], None),
        (["Enjoying the app?"], None),
        ([], None),
    ],
)
def test_questions(lines: list[str], kind: ActionKind | None) -> None:
    assert classify_question(lines) is kind


def test_yes_and_no() -> None:
    assert all(map(is_agreement, ["OK", "确定", "Yes", "Continue", "ＯＫ"]))
    assert all(map(is_refusal, ["Cancel", "取消", "Not now", "Don't allow", "以后再说"]))
    assert not any(map(is_agreement, ["Okra soup", "Cancel"]))
    assert not is_refusal("Cancel order")


@each(
    ("words", "kind"),
    [
        ("exit group", ActionKind.DELETE),
        ("leave the running club", ActionKind.DELETE),
        ("cancel my gym membership", ActionKind.DELETE),
        ("complete purchase", ActionKind.PAY),
        ("confirm receipt", ActionKind.PAY),
        ("1-tap buy", ActionKind.PAY),
        ("share live location", ActionKind.SEND),
        ("sign the lease", ActionKind.SEND),
        ("add anna as an editor", ActionKind.GRANT),
        ("reveal secret recovery phrase", ActionKind.SECURITY),
        ("sign out of all devices", ActionKind.SECURITY),
    ],
)
def test_a_verb_with_its_object_is_a_deed(words: str, kind: ActionKind) -> None:
    assert kind_by_verb_and_object(words) is kind


@each(
    "words",
    [
        "leave feedback",
        "exit full screen",
        "share",
        "share trip with a link preview",
        "show password hints",
        "sign in",
        "add to favourites",
        "cancel",
        "install unknown apps",
        "book club",
        "",
    ],
)
def test_the_same_verbs_with_others_are_none(words: str) -> None:
    assert kind_by_verb_and_object(words) is None


@each(
    ("written", "read"),
    [
        ("Ｐａｙ　now", "pay now"),
        ("Рау now", "pay now"),
        ("P\u200ba\u200d\ufeffy", "pay"),
        ("P a y", "pay"),
        ("P a y  n o w", "pay now"),
        ("D·e·l·e·t·e", "delete"),
        ("𝐏𝐚𝐲", "pay"),
        ("🅿🅰🆈", "pay"),
        ("ᴘᴀʏ", "pay"),
        ("Pа́y", "pay"),
        ("<b>P</b>ay", "pay"),
        ("付 款", "付款"),
        ("支\u200b付", "支付"),
        ("轉賬", "转账"),
        ("確認　付款", "确认付款"),
        ("Dеlеtе", "delete"),
        ("Ꭰelete", "delete"),
        ("ꓑꓮꓬ ꓠꓳꓪ", "pay now"),
        ("РАУ ΝΟW", "pay now"),
        ("ꓢend", "send"),
        ("BUУ ІТ", "buy it"),
    ],
)
def test_disguises_are_read_as_people_read_them(written: str, read: str) -> None:
    assert normalize_label(written) == read


@each("word", ["सेव", "ادفع", "จ่าย", "결제", "支払う", "შენახვა"])
def test_letters_of_languages_that_are_read_are_no_disguise(word: str) -> None:
    read = unicodedata.normalize("NFKD", normalize_label(word))
    assert all(character in unicodedata.normalize("NFKD", word) for character in read)


def test_digits_as_letters_and_turned_text_are_further_readings() -> None:
    assert "pay now" in readings("P4y n0w")
    assert "install now" in readings("1nsta11 now")
    assert "pay" in readings("\u202eyap")
    assert readings("Call 0123") == ("call 0123",)


@given(st.text(max_size=80))
def test_any_text_has_a_plain_form_that_stays(text: str) -> None:
    once = normalize_label(text)
    assert once == once.strip()
    assert "\n" not in once
    assert isinstance(readings(text), tuple)


@given(st.sampled_from(["pay now", "delete", "send", "install"]), st.data())
def test_invisible_characters_change_nothing(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word)))
    hidden = data.draw(st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u00ad\u202a\u2066"))
    assert normalize_label(word[:place] + hidden + word[place:]) == word


@each(
    "label",
    [
        "Purchase history",
        "Publish date",
        "Call center",
        "Install guide",
        "Remove ads",
        "Clear all filters",
        "Cancel sync",
        "Hold call",
        "Invite friends",
        "我的发布",
        "移除广告",
    ],
)
def test_a_noun_at_the_end_names_a_page_and_some_things_are_no_loss(label: str) -> None:
    assert classify_label(label) is None


@each("label", ["Clear history", "Remove photo", "Hold to call", "Invite Anna", "Clear all"])
def test_what_is_lost_or_reached_still_counts(label: str) -> None:
    assert classify_label(label) is not None


@each(
    "label",
    [
        "Löschen rückgängig machen",
        "Annuler la suppression",
        "Hoàn tác xóa",
        "削除を取り消す",
        "撤销删除",
        "Book a table: details",
        "Pay now – how it works",
        "Tisch reservieren: Details",
        "预订餐桌：详情",
    ],
)
def test_what_undoes_or_only_tells_of_a_deed_is_none(label: str) -> None:
    assert classify_label(label) is None


@each(
    ("label", "kind"),
    [
        ("Löschen", DELETE),
        ("撤销委托", DELETE),
        ("Details: pay now", PAY),
        ("Pay now: ¥30 details", PAY),
        ("Pay now, details", PAY),
    ],
)
def test_the_deed_itself_still_counts(label: str, kind: ActionKind) -> None:
    assert classify_label(label) is kind


@each(
    "label",
    [
        "余额支付",
        "使用银行卡支付",
        "支付宝支付",
        "支付剩余时间",
        "支付完成",
        "实付款",
        "购买数量",
        "我购买的",
        "预订人",
        "购票信息",
        "送货上门安装",
        "放弃支付",
    ],
)
def test_chinese_nouns_and_means_of_paying_pay_nothing(label: str) -> None:
    assert classify_label(label) is None


def test_leaving_a_payment_deletes_nothing() -> None:
    assert classify_question(["确定要离开收银台吗？"]) is not DELETE
    assert classify_question(["确定取消支付吗？"]) is not DELETE
    assert classify_question(["确定要离开群聊吗？"]) is DELETE
    assert classify_question(["确定取消订单吗？"]) is DELETE


@each(
    ("name", "confirms"),
    [
        ("slide_to_confirm", True),
        ("swipe_to_accept_order", True),
        ("slideToPayBar", True),
        ("swipe_confirm", True),
        ("pay_slider", True),
        ("order_slider", False),
        ("book_swipe_pager", False),
        ("pay_banner_slider", False),
        ("slide_complete_profile_pager", False),
        ("slide_show_complete", False),
        ("slider_order_quantity", False),
    ],
)
def test_an_id_tells_a_slide_that_confirms_from_a_carousel(name: str, confirms: bool) -> None:
    assert slides_to_confirm(f"com.example.app:id/{name}") is confirms


@each(
    "address",
    [
        "android.settings.WIFI_SETTINGS",
        "android.settings.SETTINGS",
        "geo:0,0?q=Willow%20Park",
        "tel:+44 20 7946-0000",
        "mailto:lily@mail.example?subject=Dinner",
        "https://news.example/library",
        "http://shop.example/find?q=green%20tea",
    ],
)
def test_an_address_that_only_shows_something_needs_no_approval(address: str) -> None:
    assert classify_address(address) is None


@each(
    "address",
    [
        "tel:*#06#",
        "tel:%2A%2306%23",
        "sms:123?body=yes",
        "market://details?id=com.bank",
        "paybox://checkout?amount=5",
        "intent://pay#Intent;scheme=x;end",
        "javascript:pay()",
        "file:///sdcard/a.apk",
        "https://shop.example/pay/now",
        "https://shop.example/order/submit-order",
        "https://mail.example/delete%20account",
        "https://news.example/list?unsubscribe=1",
        "https://me:secret@bank.example/",
        "https:///nowhere",
        "android.settings.REQUEST_IGNORE_BATTERY_OPTIMIZATIONS",
        "android.intent.action.CALL",
        "com.example.PAY_SETTINGS",
    ],
)
def test_any_other_address_may_do_something(address: str) -> None:
    assert classify_address(address) is not None

"""Which actions need approval, and of what kind."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from assistant.agent.action_selection import warned_risk
from assistant.bench.guards import PRECISION, RECALL, kind_by_guards, load_targets, score
from assistant.bench.plain_words import kind_by_words
from assistant.events import ActionKind, ApprovedBy, Deed
from assistant.records import (
    PICTURE_TEXT,
    Action,
    Bounds,
    Click,
    Element,
    ForegroundApp,
    LongClick,
    Observation,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    Swipe,
    TypeText,
)
from assistant.safety.amounts import Allowance
from assistant.safety.classifier import Cue, judge
from assistant.safety.deeds import DeedLog, make_deed, may_be_rule
from assistant.safety.page import Page
from assistant.safety.wording import is_sensitive_instruction
from tests.growth import growth
from tests.tables import each

from .screens import HEIGHT, WIDTH, button, element, field, icon, label, screen, tap


def kind(action: Action, observation: Observation) -> ActionKind | None:
    risk = judge(action, observation)
    return risk.kind if risk else None


def test_labelled_targets_of_the_simulated_apps() -> None:
    targets = load_targets()
    assert len(targets) >= 300
    ours, words = score(targets, kind_by_guards), score(targets, kind_by_words)
    assert ours.recall >= RECALL
    assert ours.precision >= PRECISION
    assert ours.recall > words.recall


class TestTouches:
    def test_judged_by_what_is_hit_not_by_what_the_model_says(self) -> None:
        observation = screen(button("Send"))
        assert kind(tap(observation, 1, "harmless"), observation) is ActionKind.SEND
        observation = screen(button("Search"))
        assert kind(tap(observation, 1, "Send"), observation) is None

    def test_what_the_model_read_in_a_picture_without_words_raises_the_risk(self) -> None:
        observation = screen(element("ImageView", clickable=True))
        assert kind(tap(observation, 1, "Pay now"), observation) is ActionKind.PAY
        assert kind(tap(observation, 1, "Picture of a lake"), observation) is None

    def test_a_long_press_counts_too(self) -> None:
        observation = screen(button("Delete"))
        assert kind(LongClick(point=tap(observation, 1).point), observation) is ActionKind.DELETE

    def test_a_child_that_takes_no_touches_does_not_hide_its_button(self) -> None:
        observation = screen(
            element("LinearLayout", 100, clickable=True), label("Pay ¥3", 105, parent=1, size=(20, 5))
        )
        assert kind(tap(observation, 2), observation) is ActionKind.PAY

    def test_a_cover_without_words_over_a_button_hides_nothing(self) -> None:
        observation = screen(button("Pay now"), element("View", 105, clickable=True, size=(30, 10)))
        assert kind(tap(observation, 2), observation) is ActionKind.PAY

    def test_a_switch_is_called_by_its_row(self) -> None:
        row = element("LinearLayout", 100, clickable=True)
        observation = screen(
            row,
            label("USB debugging", 100, parent=1, size=(50, 20)),
            element("Switch", 100, 80, clickable=True, checkable=True, parent=1),
        )
        assert kind(tap(observation, 3), observation) is ActionKind.SECURITY
        assert kind(tap(observation, 2), observation) is ActionKind.SECURITY

    def test_a_row_that_leads_to_a_security_page_changes_nothing(self) -> None:
        observation = screen(element("LinearLayout", clickable=True), label("Screen lock", 100, parent=1))
        assert kind(tap(observation, 2), observation) is None

    def test_a_plain_yes_is_judged_by_the_question(self) -> None:
        observation = screen(
            label("Delete this note?", 40), button("OK", 100), button("Cancel", 120), dialog=True
        )
        assert kind(tap(observation, 2), observation) is ActionKind.DELETE
        assert kind(tap(observation, 3), observation) is None
        observation = screen(label("Rate the app?", 40), button("OK", 100), dialog=True)
        assert kind(tap(observation, 2), observation) is None

    def test_a_plain_yes_on_a_page_with_an_amount(self) -> None:
        observation = screen(label("Confirm payment"), label("¥32.00", 50), button("Continue", 170))
        assert kind(tap(observation, 3), observation) is ActionKind.PAY
        observation = screen(label("Payment successful"), label("¥32.00", 50), button("Done", 170))
        assert kind(tap(observation, 3), observation) is None

    def test_an_icon_beside_what_was_typed_sends_it(self) -> None:
        observation = screen(field(180, text="hi", size=(60, 20)), icon(180))
        assert kind(tap(observation, 2), observation) is ActionKind.SEND
        observation = screen(field(180, text="", size=(60, 20)), icon(180))
        assert kind(tap(observation, 2), observation) is None

    def test_the_main_button_of_a_payment_page_needs_no_words(self) -> None:
        observation = screen(
            label("Payment"), label("Total ¥9", 50), element("ImageView", 170, clickable=True)
        )
        assert kind(tap(observation, 3), observation) is ActionKind.PAY

    def test_names_on_a_page_that_asks_whom_to_share_with(self) -> None:
        rows = [element("LinearLayout", 40 + 30 * n, clickable=True, name="row") for n in range(3)]
        observation = screen(label("Share with"), *rows, label("Mom", 45, parent=2))
        assert kind(tap(observation, 2), observation) is ActionKind.SEND

    def test_the_systems_questions(self) -> None:
        grants = ForegroundApp("com.android.permissioncontroller", ".Grant")
        observation = screen(label("Allow Maps to access location?"), button("Vielleicht", 60), app=grants)
        assert kind(tap(observation, 2), observation) is ActionKind.GRANT
        installs = ForegroundApp("com.google.android.packageinstaller", ".Install")
        observation = screen(
            label("Do you want to uninstall this app?", 40), button("OK", 60), app=installs, dialog=True
        )
        assert kind(tap(observation, 2), observation) is ActionKind.DELETE
        observation = screen(
            label("Do you want to install this app?", 40), button("OK", 60), app=installs, dialog=True
        )
        assert kind(tap(observation, 2), observation) is ActionKind.INSTALL

    def test_a_pad_that_asks_for_a_code(self) -> None:
        keys = [button(str(n), 50 + 10 * (n // 3), left=30 * (n % 3), size=(30, 10)) for n in range(1, 10)]
        observation = screen(label("Payment password"), *keys)
        assert kind(tap(observation, 5), observation) is ActionKind.PASSWORD
        observation = screen(label("Keypad"), *keys)
        assert kind(tap(observation, 5), observation) is None

    def test_a_greyed_button_may_wake_and_a_field_does_nothing(self) -> None:
        observation = screen(button("Pay", enabled=False), field(60, text="send money"))
        assert kind(tap(observation, 1), observation) is ActionKind.PAY
        assert kind(tap(observation, 2), observation) is None

    def test_nothing_there(self) -> None:
        assert kind(tap(screen(button("Pay")), 1), screen(label("Page"))) is None
        assert kind(PressBack(), screen(button("Pay"))) is None


class TestTyping:
    @each(
        "where",
        [
            field(password=True),
            field(name="et_verify_code"),
            field(hint="6-digit verification code"),
            field(hint="请输入短信验证码"),
        ],
    )
    def test_passwords_and_codes(self, where: Element) -> None:
        assert kind(TypeText(text="123456"), screen(where)) is ActionKind.PASSWORD

    def test_the_label_before_the_field_tells(self) -> None:
        observation = screen(label("Enter the security code", 40), field(62))
        assert kind(TypeText(text="123456"), observation) is ActionKind.PASSWORD

    def test_secrets_and_card_numbers_anywhere(self) -> None:
        assert kind(TypeText(text="{{secret:bank}}"), screen(field())) is ActionKind.PASSWORD
        assert kind(TypeText(text="4111 1111 1111 1111"), screen(field())) is ActionKind.PASSWORD
        assert kind(TypeText(text="4111 1111 1111 1112"), screen(field())) is None

    def test_enter_sends_where_the_screen_offers_to_send(self) -> None:
        observation = screen(field(text="late"), button("Send"))
        assert kind(PressEnter(), observation) is ActionKind.SEND
        assert kind(TypeText(text="late\n"), observation) is ActionKind.SEND
        assert kind(TypeText(text="late"), observation) is None
        assert kind(PressEnter(), screen(field(text="late"), button("Search"))) is None
        assert kind(PressEnter(), screen(field(hint="Search"), button("Send"))) is None

    def test_a_touch_on_the_keyboard_may_be_enter(self) -> None:
        observation = screen(field(40, text="late"), button("Send", 80), keyboard_shown=True)
        bare = replace(observation, elements=observation.elements[1:])
        assert kind(Click(point=Point(0.95, 0.97)), bare) is ActionKind.SEND


class TestSliding:
    def test_a_slider_that_pays(self) -> None:
        observation = screen(label("Slide to pay ¥5", 170))
        assert kind(Swipe(start=Point(0.1, 0.9), end=Point(0.9, 0.9)), observation) is ActionKind.PAY

    def test_a_slider_without_words_on_a_payment_page(self) -> None:
        observation = screen(label("Payment"), label("Total ¥5", 60), element("SeekBar", 170))
        assert kind(Swipe(start=Point(0.1, 0.9), end=Point(0.9, 0.9)), observation) is ActionKind.PAY

    def test_swiping_through_pictures_is_harmless(self) -> None:
        observation = screen(label("Photos"), element("ImageView", 40, size=(100, 100)))
        assert kind(Swipe(start=Point(0.9, 0.4), end=Point(0.1, 0.4)), observation) is None


class TestTelling:
    def test_amount_and_recipient(self) -> None:
        observation = screen(
            label("To: Corner Noodle House", 20), label("Total ¥32.00", 50), button("Pay now", 170)
        )
        risk = judge(tap(observation, 3), observation)
        assert risk is not None
        assert risk.sentence == "Pays ¥32.00, to Corner Noodle House."

    def test_no_telling_the_amount(self) -> None:
        observation = screen(label("Milk ¥5", 20), label("Tea ¥8", 50), button("Pay now", 170))
        risk = judge(tap(observation, 3), observation)
        assert risk is not None
        assert "does not tell the amount" in risk.sentence

    def test_the_text_that_leaves_and_to_whom(self) -> None:
        observation = screen(
            label("Mom", name="toolbar_title"), field(180, text="I am late", size=(60, 20)), icon(180)
        )
        risk = judge(tap(observation, 3), observation)
        assert risk is not None
        assert (risk.sentence, risk.text) == ("Sends to Mom.", "I am late")

    def test_an_icon_of_a_phone_calls(self) -> None:
        card = (label("Mom", name="toolbar_title"), label("138 0000 0101", 60))
        observation = screen(*card, icon(60, name="phone_button"))
        risk = judge(tap(observation, 3), observation)
        assert risk is not None
        assert risk.sentence == "Calls Mom."

    def test_what_is_typed(self) -> None:
        risk = judge(TypeText(text="1234"), screen(field(password=True)))
        assert risk is not None
        assert (risk.sentence, risk.text) == ("Enters a password or code in App.", "1234")


HERE = Point(0.5, 0.5)


@each(
    "instruction",
    ["Play the podcast Evening News Review", "Navigate to Building 8", "Open Weather", "导航回柳园8幢"],
)
def test_what_is_looked_at_or_played_needs_no_yes(instruction: str) -> None:
    assert not is_sensitive_instruction(
        instruction, (OpenApp(name="Maps"), Click(point=HERE, content="Start"))
    )


@each(
    "instruction",
    [
        "Order beef noodles from Old Street Noodles",
        "Call Susan Lin",
        "Send Mom a message: late",
        "Delete the newest photo",
        "Book a ride to the office",
        "给林素珊打电话",
        "点老街面馆的牛肉面",
        "给李娜转45元",
    ],
)
def test_what_pays_sends_or_deletes_does(instruction: str) -> None:
    assert is_sensitive_instruction(instruction, ())


@pytest.mark.parametrize("action", [Click(point=HERE, content="Pay ¥32"), TypeText(text="{{secret:pin}}")])
def test_so_does_what_was_tapped_for_it_before(action: Action) -> None:
    assert is_sensitive_instruction("Do my usual", (action,))


class TestScreensThatTellNothing:
    """No tree, or one view that draws everything itself: what a tap does there is unknown."""

    NO_TREE = Observation(100, 200, b"png", (), ForegroundApp("com.game", ".Main", "Game"))
    ONE_VIEW = screen(element("FrameLayout", 0, size=(100, 200)))
    NO_WORDS_BUT_THE_SYSTEMS = screen(
        element("View", 0, size=(100, 5), text="12:05", package="com.android.systemui")
    )

    @each("observation", [NO_TREE, ONE_VIEW, NO_WORDS_BUT_THE_SYSTEMS])
    @each(
        "action",
        [
            Click(point=Point(0.5, 0.8)),
            Click(point=Point(0.5, 0.8), content="Search"),
            LongClick(point=Point(0.5, 0.5)),
            PressEnter(),
            Swipe(start=Point(0.5, 0.5), end=Point(0.51, 0.5)),
        ],
    )
    def test_what_could_commit_is_asked_about(self, observation: Observation, action: Action) -> None:
        risk = judge(action, observation)
        assert risk is not None
        assert (risk.kind, risk.cue) == (ActionKind.PAY, Cue.UNSEEN)
        assert "cannot be seen" in risk.sentence

    def test_what_the_model_reads_there_still_gives_the_kind(self) -> None:
        risk = judge(Click(point=Point(0.5, 0.8), content="Delete"), self.NO_TREE)
        assert risk is not None
        assert (risk.kind, risk.cue) == (ActionKind.DELETE, Cue.MODEL)

    @each(
        "action",
        [
            TypeText(text="hello"),
            PressBack(),
            OpenApp(name="Chat"),
            Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
        ],
    )
    def test_what_commits_nothing_is_not(self, action: Action) -> None:
        assert kind(action, self.NO_TREE) is None

    @each(
        "something",
        [
            label("Level 3"),
            element("ImageView", name="board"),
            element("View", clickable=True),
            element("ImageView", description="a lake"),
        ],
    )
    def test_one_word_id_or_button_is_something_to_judge_by(self, something: Element) -> None:
        assert kind(Click(point=Point(0.5, 0.9)), screen(something)) is None


class TestWhatTakesTheTouch:
    def test_a_named_control_keeps_the_touch_from_what_holds_it(self) -> None:
        holder = element("LinearLayout", 100, clickable=True, name="delete_row", size=(100, 40))
        observation = screen(holder, button("Details", 110, parent=1, size=(40, 20)))
        assert kind(tap(observation, 2), observation) is None
        assert kind(Click(point=Point(0.9, 0.55)), observation) is ActionKind.DELETE

    def test_a_view_that_lies_unseen_over_the_page_does_what_its_id_says(self) -> None:
        cover = element("View", 0, clickable=True, name="btn_pay_now", size=(100, 200))
        observation = screen(label("Rain", 40), cover)
        assert kind(Click(point=Point(0.5, 0.9)), observation) is ActionKind.PAY
        harmless = screen(label("Rain", 40), replace(cover, resource_id="com.example.app:id/scrim"))
        assert kind(Click(point=Point(0.5, 0.9)), harmless) is None

    def test_enter_sends_what_is_written_to_people_and_nothing_else(self) -> None:
        for text, expected in (("Hi", ActionKind.SEND), ("", None)):
            chat = screen(label("Rain"), field(150, hint="Message", text=text))
            assert kind(PressEnter(), chat) is expected

    def test_a_space_presses_what_has_focus(self) -> None:
        observation = screen(button("Pay now", focused=True), button("Map", 140))
        assert kind(TypeText(text=" "), observation) is ActionKind.PAY
        assert kind(TypeText(text="a"), observation) is None


@each(
    ("warning", "expected"),
    [
        ("Delete the album", ActionKind.DELETE),
        ("It cannot be taken back", ActionKind.PAY),
        ("", None),
    ],
)
def test_a_models_warning_asks_as_what_it_names_else_as_a_payment(
    warning: str, expected: ActionKind | None
) -> None:
    risk = warned_risk(warning)
    assert (risk.kind if risk else None) is expected
    assert risk is None or (risk.cue is Cue.MODEL and warning in risk.sentence)


class TestTextReadFromThePicture:
    """It adds questions and names what is asked about; it never takes one away."""

    UNREAD = Observation(100, 200, b"png", (), ForegroundApp("com.game", ".Main", "Game"))

    def read(self, *words: str, observation: Observation = UNREAD) -> Observation:
        """The screen with lines of text 20 pixels high, from the top."""
        first = len(observation.elements)
        lines = tuple(
            Element(first + n, -1, PICTURE_TEXT, Bounds(10, 20 * n, 90, 20 * n + 20), text, clickable=True)
            for n, text in enumerate(words)
        )
        return replace(observation, picture_texts=lines)

    def test_a_button_that_is_read_asks_as_one_of_the_tree_does(self) -> None:
        observation = self.read("Old Street Noodles", "Total ¥38", "Pay ¥38")
        action = Click(point=Point(0.5, 0.25))
        risk = judge(action, observation)
        assert risk is not None
        assert (risk.kind, risk.cue, risk.from_picture) == (ActionKind.PAY, Cue.LABEL, True)
        assert "read from the picture" in risk.reason
        deed = make_deed(risk, action, observation)
        assert (deed.amount, deed.from_picture) == ("¥38", True)

    def test_a_row_or_button_is_larger_than_its_words(self) -> None:
        risk = judge(Click(point=Point(0.97, 0.26)), self.read("Old Street Noodles", "Total ¥38", "Pay ¥38"))
        assert risk is not None
        assert (risk.cue, risk.from_picture) == (Cue.LABEL, True)
        below = judge(Click(point=Point(0.5, 0.9)), self.read("Pay ¥38"))
        assert below is not None
        assert below.cue is Cue.UNSEEN

    @each("words", ["Search", "Cancel", "Later", "Pav"])
    def test_what_is_read_there_never_makes_a_tap_harmless(self, words: str) -> None:
        for action in (Click(point=Point(0.5, 0.05)), PressEnter()):
            risk = judge(action, self.read(words))
            assert risk is not None
            assert (risk.kind, risk.cue) == (ActionKind.PAY, Cue.UNSEEN)

    def test_what_is_read_tells_more_than_what_the_model_says(self) -> None:
        observation = screen(element("ImageView", clickable=True, size=(100, 60), top=20))
        action = tap(observation, 1, "Pay now")
        risk = judge(action, self.read("News", "Sport", "Delete", observation=observation))
        assert risk is not None
        assert (risk.kind, risk.cue, risk.from_picture) == (ActionKind.DELETE, Cue.LABEL, True)

    def test_nor_where_the_tree_says_what_it_does(self) -> None:
        observation = screen(button("Pay ¥38"))
        covered = self.read(*["Later"] * 10, observation=observation)
        assert judge(tap(observation, 1), covered) == judge(tap(observation, 1), observation)

    def test_a_page_that_the_tree_does_not_show_whole(self) -> None:
        page = screen(label("Web page", 180), element("WebView", 0, size=(100, 160)))
        action = Click(point=Point(0.5, 0.25))
        assert judge(action, page) is None
        risk = judge(action, self.read("News", "Sport", "Send", observation=page))
        assert risk is not None
        assert (risk.kind, risk.from_picture) == (ActionKind.SEND, True)

    def test_no_earlier_yes_covers_what_was_read(self) -> None:
        read = Deed(kind=ActionKind.SEND, package="com.game", recipient="Lily", text="hi", from_picture=True)
        page = Page(self.UNREAD)
        log = DeedLog([Allowance(ActionKind.SEND), Allowance(ActionKind.PAY, most=Decimal(50))])
        log.allow_for_turn(read.model_copy(update={"from_picture": False}))
        assert log.covers(read, page, "a", by_rule=True).by is None
        assert not may_be_rule(read)
        pays = read.model_copy(update={"kind": ActionKind.PAY, "amount": "¥3"})
        assert log.covers(pays, page, "a").by is None
        any_amount = DeedLog([Allowance(ActionKind.PAY)])
        assert any_amount.covers(pays, page, "a").by is ApprovedBy.COMMAND_LINE


@pytest.mark.parametrize(("package", "asks"), [("com.android.launcher3", False), ("com.example.app", True)])
def test_an_icon_on_the_home_screen_only_opens_its_app(package: str, asks: bool) -> None:
    icon_of_app = element("TextView", text="打车", description="打车", clickable=True, package=package)
    observation = screen(label("Home"), icon_of_app, app=ForegroundApp(package, ".Main", ""))
    assert (judge(tap(observation, 2), observation) is not None) is asks


_MIDDLE = Point(0.5, 0.55)


@each(("deep", "width"), [(True, WIDTH), (False, WIDTH), (False, WIDTH // 3)])
def test_no_step_is_quadratic_in_the_nodes_of_a_tree(deep: bool, width: int) -> None:
    """Four times as many nodes take about four times as long; a quadratic step would take sixteen times."""
    few, many = (tree_of(count, width, deep=deep) for count in (800, 3_200))
    assert growth(judge_all, few, many) < 9


@each("words", ["7", "Do not turn off protection", "٥" * 60])
def test_no_step_is_quadratic_where_keys_or_sentences_stand_over_one_another(words: str) -> None:
    """As a hostile page may have them: each sentence lies near each control, each key may be of a pad."""

    def tap_first(page: Observation) -> object:
        return judge(tap(page, 1), replace(page))

    few, many = (
        screen(*(element("Button", text=words, clickable=bool(number % 2)) for number in range(1, count)))
        for count in (300, 1_200)
    )
    assert growth(tap_first, few, many) < 9


def tree_of(count: int, width: int, *, deep: bool) -> Observation:
    """Elements that lie over one another, each within the one before or all within the first."""
    nodes = tuple(
        Element(
            index=number,
            parent=number - 1 if deep else min(number, 1) - 1,
            class_name="android.view.View",
            bounds=Bounds(0, 0 if deep else number % 50, width, HEIGHT - HEIGHT * number // (2 * count)),
            text=f"Item {number % 300}",
            clickable=number % 2 == 0,
        )
        for number in range(count)
    )
    return Observation(width=WIDTH, height=HEIGHT, screenshot=b"", elements=nodes, windows=())


def judge_all(seen: Observation) -> None:
    for action in (
        Click(point=_MIDDLE),
        PressEnter(),
        TypeText(text="\t\n"),
        Swipe(start=_MIDDLE, end=Point(1.0, 0.55)),
    ):
        assert judge(action, seen) is None


def test_what_stands_in_the_field_is_sent_with_what_is_typed() -> None:
    """An Enter behind a text sends all of the field, such as a draft that was left in it."""
    typed = TypeText(text="I am late\n")
    for left, sent in [
        ("I quit. ", "I quit. \nI am late"),
        ("", "I am late"),
        ("Type a message", "I am late"),
    ]:
        written = element("EditText", 170, text=left, size=(80, 20), clickable=True, focused=True)
        chat = screen(label("Mom"), written, icon(170, description="Send"))
        risk = judge(typed, chat)
        assert risk is not None
        assert make_deed(risk, typed, chat).text == sent

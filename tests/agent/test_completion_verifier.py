"""Whether a claim that a command is done is believed, by what was done and shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from threading import Thread

from assistant.agent.completion import (
    CompletionVerifier,
    TraceLog,
    Verification,
    asks,
    find_contradiction,
    required_kinds,
    saves_page,
)
from assistant.agent.instruction_check import tell_settled
from assistant.bench.tasks import BenchTask, load_tasks
from assistant.events import ActionKind
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.records import (
    AskUser,
    Bounds,
    Click,
    Element,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    PressEnter,
    Target,
    TypeText,
)
from tests.growth import growth
from tests.tables import each

OPEN, TELL = "open the settings", "send Mom a message"


SEND, PAY, DELETE = ActionKind.SEND, ActionKind.PAY, ActionKind.DELETE


@each("task", load_tasks())
def test_no_scripted_task_demands_more_than_it_needs(task: BenchTask) -> None:
    if task.outcome is Outcome.SUCCESS:
        assert required_kinds(task.instruction) <= set(task.approvals)


def test_a_claim_against_what_was_done() -> None:
    assert find_contradiction("send Mom a message", done=set(), steps=5, answer="Sent.") == "nothing was sent"
    assert find_contradiction("send Mom a message", done={SEND}, steps=5, answer="Sent.") == ""
    assert find_contradiction("set an alarm for 7:30", done=set(), steps=0, answer="") == "nothing was done"
    assert find_contradiction("what is on the screen", done=set(), steps=0, answer="A map.") == ""


class TestWeighing:
    def step(self, kind: ActionKind | None = None, error: str = "") -> StoredStep:
        return StoredStep(number=1, action=PressBack(), kind=kind, error=error)

    def test_a_claim_is_looked_at_twice_and_then_believed(self) -> None:
        claims = CompletionVerifier(confirm=True)
        steps = [self.step()]
        verification, sentence = claims.verify(OPEN, steps, "Done.")
        assert verification is Verification.LOOK_AGAIN
        assert '"Done."' in sentence, "the model is told what it had answered"
        assert claims.verify(OPEN, steps, "Done.") == (Verification.BELIEVED, "Done.")
        assert claims.verify(OPEN, [*steps, self.step()], "Done.")[0] is Verification.LOOK_AGAIN

    def test_without_a_second_look_only_what_speaks_against_it_counts(self) -> None:
        claims = CompletionVerifier(confirm=False)
        belief, sentence = claims.verify(TELL, [self.step()], "Done.")
        assert belief is Verification.LOOK_AGAIN
        assert "nothing was sent" in sentence
        belief, sentence = claims.verify(TELL, [self.step()], "Done.")
        assert belief is Verification.DOUBTED
        assert "nothing was sent" in sentence
        assert claims.verify(TELL, [self.step(SEND)], "Done.")[0] is Verification.BELIEVED

    def test_what_was_refused_does_not_count_as_done(self) -> None:
        claims = CompletionVerifier(confirm=False)
        assert claims.verify(TELL, [self.step(SEND, "not allowed")], "Done.")[0] is not Verification.BELIEVED


def page(*elements: Element, name: str = "Settings") -> Observation:
    heading = Element(0, -1, "android.widget.TextView", Bounds(0, 0, 1080, 90), text=name)
    return Observation(
        1080, 2400, b"", (heading, *elements), ForegroundApp("com.settings", ".Main", "Settings")
    )


def switch(text: str, checked: bool, index: int = 1) -> Element:
    place = Bounds(0, 100 * index, 1080, 100 * index + 90)
    return Element(index, -1, "android.widget.Switch", place, text=text, checkable=True, checked=checked)


def row(text: str, index: int = 1) -> Element:
    return Element(
        index, -1, "android.widget.TextView", Bounds(0, 100 * index, 1080, 100 * index + 90), text=text
    )


def tapped(text: str, number: int = 1, kind: ActionKind | None = None) -> StoredStep:
    target = Target(text=text)
    return StoredStep(number=number, action=Click(point=Point(0.5, 0.5), target=target), kind=kind)


def judged(
    command: str, *screens: tuple[Observation, StoredStep | None], answer: str = "Done."
) -> Verification:
    """What is said of a claim after these screens, each with the step that led to it."""
    trace, steps = TraceLog(), list[StoredStep]()
    for observation, step in screens:
        if step is not None:
            steps.append(step)
        trace.observe(observation, steps)
    claims = CompletionVerifier(confirm=False)
    for _attempt in range(2):
        verification, _sentence = claims.verify(command, steps, answer, trace)
    return verification


OFF, ON = page(switch("Dark theme", False)), page(switch("Dark theme", True))


BELIEVED, DOUBTED = Verification.BELIEVED, Verification.DOUBTED


@each(
    ("command", "answer"),
    [
        ("turn on dark mode", "Dark mode is on."),
        ("set an alarm for 7:30", "The alarm is set."),
        ("打开省电模式", "已打开"),
        ("like the first post", "Liked."),
        ("add milk to the list", "Added."),
        ("mach das Licht an", "Erledigt."),
    ],
)
def test_a_liar_that_did_nothing_is_not_believed(command: str, answer: str) -> None:
    assert judged(command, (OFF, None), answer=answer) is DOUBTED
    assert judged(command, (page(name="Home"), None), (OFF, tapped("Display")), answer=answer) is DOUBTED


@each(
    ("command", "shown"),
    [
        # Another alarm that stands there shows nothing about the one that is meant.
        ("关掉只响一次的07:00闹钟", "07:00 工作日"),
        ("改成后天", "07:00 仅一次"),
        ("后天早上七点叫我起床", "07:00 仅一次"),
        ("change the 06:45 alarm to 07:00", "07:00 Weekdays"),
        ("mach den Wecker um 7 aus", "07:00 Werktags"),
    ],
)
def test_what_stood_there_before_is_no_trace_of_a_command_for_which_nothing_was_done(
    command: str, shown: str
) -> None:
    alarms = page(row(shown), name="Alarm")
    assert judged(command, (alarms, None), answer=f"Done: {shown}") is DOUBTED


def test_what_the_phone_shows_is_believed() -> None:
    assert judged("turn on dark mode", (OFF, None), (ON, tapped("Dark theme"))) is BELIEVED
    saved = page(row("07:30"), name="Alarms")
    editor = page(row("7"), row("Save", 2), name="New alarm")
    empty = page(row("No alarms"), name="Alarms")
    assert (
        judged("set an alarm for 7:30", (empty, None), (editor, tapped("+")), (saved, tapped("Save", 2)))
        is BELIEVED
    )
    typed = StoredStep(number=1, action=TypeText(text="buy stamps"))
    assert judged("write a note: buy stamps", (empty, None), (page(row("buy stamps")), typed)) is BELIEVED


def test_a_form_that_was_not_completed_is_no_trace() -> None:
    def form(name: str) -> Observation:
        save = Element(2, -1, "android.widget.Button", Bounds(0, 200, 1080, 290), text="Save", clickable=True)
        entry = Element(1, -1, "android.widget.EditText", Bounds(0, 100, 1080, 190), text=name)
        return page(entry, save, name="New contact")

    typed = StoredStep(number=2, action=TypeText(text="John Park"))
    contacts = page(row("Mom"), name="Contacts")
    half = [(contacts, None), (form(""), tapped("Add")), (form("John Park"), typed)]
    assert judged("add contact John Park", *half) is DOUBTED
    looked = StoredStep(
        number=1,
        action=TypeText(text="John Park", target=Target(resource_id="a:id/search_src_text")),
    )
    assert judged("add contact John Park", (contacts, None), (page(row("John Park")), looked)) is DOUBTED
    done = page(row("Mom"), row("John Park", 2), name="Contacts")
    assert judged("add contact John Park", *half, (done, tapped("Save", 3))) is BELIEVED


def test_enter_that_takes_the_text_out_of_its_field_and_changes_the_page_is_a_trace() -> None:
    def clock(minutes: str, *more: str, search: bool = False) -> Observation:
        where = "a:id/search_src_text" if search else "a:id/minutes"
        field = Element(
            1, -1, "android.widget.EditText", Bounds(0, 100, 1080, 190), text=minutes, resource_id=where
        )
        start = Element(
            2, -1, "android.widget.Button", Bounds(0, 200, 1080, 290), text="Start", clickable=True
        )
        return page(field, start, *(row(text, at) for at, text in enumerate(more, 3)), name="Clock")

    def timed(after: Observation, *, search: bool = False) -> Verification:
        where = Target(resource_id="a:id/search_src_text" if search else "a:id/minutes")
        typed = StoredStep(number=1, action=TypeText(text="15", target=where))
        entered = StoredStep(number=2, action=PressEnter(target=where))
        first, filled = clock("", search=search), clock("15", search=search)
        return judged("set a timer for a quarter", (first, None), (filled, typed), (after, entered))

    assert timed(clock("", "14:59")) is BELIEVED
    assert timed(clock("15", "Enter seconds")) is DOUBTED
    assert timed(clock("")) is DOUBTED
    assert timed(clock("", "Results", search=True), search=True) is DOUBTED


@each(
    ("value", "is_shown"),
    [
        ("Nadia Brook", True),
        ("12 Rose Street, Springfield", True),
        ("Nadia", True),
        ("Nad", False),
        ("Done", False),
        ("14 Rose Street, Springfield", False),
        ("", False),
    ],
)
def test_a_looked_up_value_must_have_stood_on_a_screen(value: str, is_shown: bool) -> None:
    done = Element(4, -1, "android.widget.Button", Bounds(0, 400, 1080, 490), text="Done", clickable=True)
    trace = TraceLog()
    trace.observe(page(row("Nadia Brook"), row("12 Rose Street", 2), row("Springfield", 3), done), ())
    assert trace.shows(value) is is_shown


def test_a_button_that_leads_to_another_that_completes_is_no_trace() -> None:
    def place(*names: str) -> Observation:
        buttons = [
            Element(at, -1, "android.widget.Button", Bounds(0, 200 * at, 1080, 200 * at + 90), text=name)
            for at, name in enumerate(names, 1)
        ]
        return page(*(replace(button, clickable=True) for button in buttons), name="Corner Coffee")

    command = "navigate to Corner Coffee on foot"
    route = [(page(name="Maps"), None), (place("Directions"), tapped("Corner Coffee"))]
    route += [(place("Walk 17 min", "Start"), tapped("Directions", 2))]
    assert judged(command, *route) is DOUBTED
    assert judged(command, *route, (place("0.8 km", "Exit"), tapped("Start", 3))) is BELIEVED


def test_a_form_that_was_left_for_its_date_is_no_trace() -> None:
    entry = Element(1, -1, "android.widget.EditText", Bounds(0, 100, 1080, 190), text="Haircut")
    save = Element(2, -1, "android.widget.Button", Bounds(0, 200, 1080, 290), text="Save", clickable=True)
    typed = StoredStep(number=2, action=TypeText(text="Haircut"))
    half = [(page(name="Calendar"), None), (page(entry, save, name="New event"), typed)]
    dates = page(row("Tomorrow"), name="Choose a date")
    assert judged("add an event tomorrow: Haircut", *half, (dates, tapped("Date · Today", 3))) is DOUBTED
    away = page(row("Haircut"), name="Tomorrow")
    assert judged("add an event tomorrow: Haircut", *half, (away, tapped("Save", 3))) is BELIEVED


def test_the_dates_of_a_form_are_noted_when_it_is_saved() -> None:
    chosen = replace(row("Date · Sun, 29 Nov 2026"), clickable=True)
    shown = row("Last changed on 12 Oct 2026", 2)
    save = Element(3, -1, "android.widget.Button", Bounds(0, 300, 1080, 390), text="Save", clickable=True)
    trace = TraceLog()
    trace.observe(page(chosen, shown, save, name="New event"), [])
    trace.observe(page(row("Haircut"), name="Calendar"), [tapped("Save")])
    assert trace.has_trace
    assert trace.saved_dates == ["date · sun, 29 nov 2026"]


@each(
    ("command", "answer", "verification"),
    [
        ("find a train to Shanghai", "Done: find a train to Shanghai.", DOUBTED),
        ("what is my balance", "I have found the answer.", DOUBTED),
        ("查一下陈莉莉的电话", "已经查到了。", DOUBTED),
        ("find a train to Shanghai", "G101, 7:30", BELIEVED),
        ("is it raining", "No.", BELIEVED),
        ("查一下陈莉莉的电话", "139 0000 0203", BELIEVED),
        ("open the settings", "Done.", BELIEVED),
    ],
)
def test_an_answer_says_more_than_that_there_is_one(
    command: str, answer: str, verification: Verification
) -> None:
    opened = StoredStep(number=1, action=OpenApp(name="Settings"))
    shown = page(row("G101", 1), row("7:30", 2), row("139 0000 0203", 3))
    assert judged(command, (shown, opened), answer=answer) is verification


@each(
    ("command", "answer", "verification"),
    [
        ("wie wird das Wetter morgen in Berlin", "Morgen wird es bis 23 Grad warm.", BELIEVED),
        ("¿qué tiempo hará mañana?", "Máxima de 23°, con lluvia", BELIEVED),
        ("quel temps fera-t-il demain", "Il fera 23° avec des averses", BELIEVED),
        ("明日の天気は？", "最高気温は23°です", BELIEVED),
        ("明日の天気は？", "晴れます", DOUBTED),
        ("wie wird das Wetter morgen in Berlin", "Das habe ich herausgefunden.", DOUBTED),
        ("stell einen Wecker auf 7:30", "Der Wecker ist auf 7:30 gestellt.", DOUBTED),
        ("schalte den Dunkelmodus ein", "Der Dunkelmodus ist jetzt eingeschaltet.", DOUBTED),
        ("activa el modo oscuro", "El modo oscuro está activado.", DOUBTED),
        ("active le mode sombre", "Le mode sombre est activé.", DOUBTED),
        ("ダークモードをオンにして", "ダークモードをオンにしました", DOUBTED),
        ("ajoute du lait à la liste", "C'est fait.", DOUBTED),
        ("öffne die Einstellungen", "Fertig.", DOUBTED),
    ],
)
def test_what_was_only_looked_at_must_stand_on_a_screen_in_any_language(
    command: str, answer: str, verification: Verification
) -> None:
    weather = page(row("Berlin"), row("23°", 2), row("Dunkelmodus", 3), name="Wetter")
    assert (
        judged(command, (page(name="Start"), None), (weather, tapped("Wetter")), answer=answer)
        is verification
    )


@each(
    ("command", "label"),
    [
        ("füge John Park zu den Kontakten hinzu", "Speichern"),
        ("añade a John Park a los contactos", "Guardar"),
        ("ajoute John Park aux contacts", "Enregistrer"),
        ("John Parkを連絡先に追加して", "保存"),
        ("John Park névjegy hozzáadása", "Mentés"),
    ],
)
def test_a_form_in_any_language_counts_when_it_was_completed(command: str, label: str) -> None:
    def form(name: str) -> Observation:
        save = Element(2, -1, "android.widget.Button", Bounds(0, 200, 1080, 290), text=label, clickable=True)
        entry = Element(1, -1, "android.widget.EditText", Bounds(0, 100, 1080, 190), text=name)
        return page(entry, save, name="John")

    typed = StoredStep(number=2, action=TypeText(text="John Park"))
    contacts = page(row("Mama"), name="Kontakte")
    half = [(contacts, None), (form(""), tapped("+")), (form("John Park"), typed)]
    assert judged(command, *half, answer="OK.") is DOUBTED
    done = page(row("Mama"), row("John Park", 2), name="Kontakte")
    assert judged(command, *half, (done, tapped(label, 3)), answer="OK.") is BELIEVED


def test_what_was_opened_is_believed_where_it_was_come_to() -> None:
    opened = StoredStep(number=1, action=OpenApp(name="Settings"))
    orders = page(row("#1001"), name="Bestellungen")
    begin = (page(name="Start"), None)
    assert judged("zeige meine Bestellungen", begin, (orders, tapped("Konto"))) is BELIEVED
    assert judged("打开省电模式", (page(switch("省电模式", False), name="省电模式"), opened)) is DOUBTED
    assert judged("show my orders", begin, (page(name="Help"), tapped("Help"))) is DOUBTED


def test_a_question_needs_an_answer_and_no_trace() -> None:
    assert judged("what is the battery level?", (page(row("80 %")), None), answer="80 %") is BELIEVED
    assert judged("what is the battery level?", (OFF, None), answer="80 %") is DOUBTED
    assert judged("what is the battery level?", (OFF, None), answer="") is DOUBTED
    assert (
        judged("open the settings", (OFF, StoredStep(number=1, action=OpenApp(name="Settings")))) is BELIEVED
    )


def test_a_second_look_at_a_page_keeps_the_page_before() -> None:
    trace = TraceLog()
    menu, ordered = page(row("Beef noodles"), row("Cola", 2), name="Menu"), page(row("Paid"), name="Order")
    trace.observe(menu, [])
    for _look in range(3):
        trace.observe(ordered, [tapped("Submit order")])
    assert "cola" in trace.pool


@each(
    ("command", "question", "answer", "shown", "named"),
    [
        ("放点歌听听,跑步那首", "跑步那首是哪一首？", "跑步那首，十公里", "播放歌听听 十公里", []),
        (
            "放点歌听听,跑步那首",
            "跑步那首是哪一首？",
            "跑步那首，十公里",
            "终点线",
            ["放点歌听听", "跑步那首"],
        ),
        ("放点歌听听,跑步那首", "跑步那首是哪一首？", "", "播放歌听听 十公里", ["跑步那首"]),
        (
            "放点歌听听,跑步那首，加一杯可乐",
            "跑步那首？",
            "跑步那首，十公里",
            "歌听听 十公里",
            ["加一杯可乐"],
        ),
        (
            "order a pizza and add fries",
            "Which size of pizza, and shall I add fries for 3?",
            "large pizza",
            "Pizza large",
            ["add fries"],
        ),
        (
            "play jazz and lower the brightness",
            "The brightness is 80 %. Shall I lower the brightness to 20 %?",
            "yes lower the brightness to 20",
            "Brightness 20 %",
            ["play jazz"],
        ),
        (
            "play jazz and lower the brightness",
            "Shall I lower the brightness to 20 %?",
            "yes to 20",
            "Display 20 %",
            ["play jazz", "lower the brightness"],
        ),
        (
            "给小周转150元，备注火锅",
            "转账没有备注栏，没法写“火锅”。不写备注，转¥150给小周，可以吗？",
            "可以",
            "转账 ¥150 小周",
            [],
        ),
        (
            "给小周转150元，备注火锅",
            "转¥150给小周，备注火锅，可以吗？",
            "可以",
            "转账 ¥150 小周",
            ["备注火锅"],
        ),
        # What is said beside what is missing is still to be done.
        (
            "order a latte, with an extra shot, oat milk",
            "There is no oat milk. Shall I order it with an extra shot and whole milk?",
            "yes",
            "latte",
            ["with an extra shot"],
        ),
        (
            "点一份牛肉面，不要辣，多放香菜",
            "没有不要辣的选项，香菜多放，要下单吗？",
            "好的",
            "牛肉面",
            ["多放香菜"],
        ),
        (
            "order soup, no nuts",
            "The shop can not promise no nuts. Order anyway?",
            "she is allergic to it",
            "soup",
            ["no nuts"],
        ),
    ],
)
def test_only_what_the_users_answer_repeats_or_agrees_to_leave_out_is_settled(
    command: str, question: str, answer: str, shown: str, named: list[str]
) -> None:
    turn = Checkpoint(
        turn_id="t",
        user_id="me",
        said=command,
        instruction=command,
        started=NOW,
        steps=(StoredStep(number=1, action=AskUser(question=question)),),
        remarks=(UserRemark(after=1, text=answer),) if answer else (),
    )
    trace = TraceLog()
    trace.observe(page(row(shown), name="Page"), [])
    assert trace.find_unanswered(command, "", tell_settled(turn, trace.pool)) == named


NOW = datetime(2026, 11, 30, 8, 10, tzinfo=UTC)  # A Monday.


@each(
    ("command", "step", "shown"),
    [
        ("text Tom ok", tapped("Send", 1, SEND), ("ok", "Couldn't send. Tap to resend")),
        ("给妈妈发消息说我晚点到", tapped("发送", 1, SEND), ("我晚点到", "发送中")),
        ("order a card", tapped("Pay", 1, PAY), ("Thank you card ¥3", "Completed", "Checkout")),
    ],
)
def test_a_message_or_payment_is_always_looked_at_again(
    command: str, step: StoredStep, shown: tuple[str, ...]
) -> None:
    trace, claims = TraceLog(), CompletionVerifier(confirm=True)
    trace.observe(page(name="Start"), [])
    trace.observe(page(*(row(text, at) for at, text in enumerate(shown, 1)), name="End"), [step])
    assert claims.verify(command, [step], "Done.", trace)[0] is Verification.LOOK_AGAIN


def test_an_answer_that_is_confirmed_without_words_is_told() -> None:
    trace, claims = TraceLog(), CompletionVerifier(confirm=True)
    trace.observe(page(row("Balance ¥1,288.50"), name="Wallet"), [])
    steps = [tapped("Wallet")]
    assert claims.verify("what is my balance", steps, "¥1,288.50", trace)[0] is Verification.LOOK_AGAIN
    assert claims.verify("what is my balance", steps, "", trace) == (BELIEVED, "¥1,288.50")


def test_what_was_so_before_ends_in_the_models_own_words() -> None:
    trace, claims = TraceLog(), CompletionVerifier(confirm=True)
    trace.observe(page(row("06:45"), name="Alarm"), [])
    command, answer = "set an alarm for 6:45", "It is already on."
    steps = [tapped("Alarms")]
    assert claims.verify(command, steps, answer, trace, is_so=True)[0] is Verification.LOOK_AGAIN
    assert claims.verify(command, steps, "", trace, is_so=True) == (Verification.ALREADY_SO, answer)
    assert claims.verify(command, steps, answer, trace)[0] is Verification.DOUBTED
    doubts = claims.verify(command, steps, answer, trace, is_so=True, unheeded=["make it two"])
    assert doubts[0] is Verification.DOUBTED


def test_a_success_that_leaves_out_what_the_user_said_is_doubted() -> None:
    trace, claims = TraceLog(), CompletionVerifier(confirm=False)
    steps = [tapped("Beef noodles ¥26"), tapped("Submit order", 2, PAY)]
    trace.observe(page(row("Beef noodles ¥26"), name="Menu"), steps[:1])
    trace.observe(page(row("Order placed"), name="Order"), steps)
    for verification in (Verification.LOOK_AGAIN, DOUBTED):
        seen, sentence = claims.verify(
            "order beef noodles", steps, "Ordered.", trace, unheeded=["make it 12 portions"]
        )
        assert seen is verification
    assert "“make it 12 portions”" in sentence


def test_a_page_of_many_switches_is_gone_through_once() -> None:
    """Not each text compared with each switch."""

    def arrive(count: int) -> None:
        rows = (
            Element(
                n, -1, "V", Bounds(0, 200 + 2 * n, 1080, 290 + 2 * n), text=f"Row {n}", checkable=n % 2 == 0
            )
            for n in range(1, count)
        )
        trace = TraceLog()
        trace.observe(page(*rows, name="Sound"), [])
        assert trace.arrived("open the sound settings")
        assert not trace.arrived("open row 7")

    assert growth(arrive, 1_000, 4_000) < 9


def test_a_screen_that_is_looked_at_in_a_thread_counts_once() -> None:
    trace = TraceLog()
    steps = [tapped("Dark theme")]
    trace.observe(OFF, [])
    trace.observe(ON, steps)
    threads = [Thread(target=trace.catch_up) for _number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert trace.has_trace


@each(
    ("said", "answer", "is_believed"),
    [
        ("明天18:00的闹钟是只响一次的吧", "是的，18:00的闹钟是“仅一次”。", True),
        ("明天18:00的闹钟是只响一次的吧", "已设好，仅一次。", False),
        ("把明天18:00的闹钟改成只响一次", "是的，18:00的闹钟是“仅一次”。", False),
    ],
)
def test_a_yes_that_the_screen_shows_answers_what_was_asked_without_a_question_word(
    said: str, answer: str, is_believed: bool
) -> None:
    trace = TraceLog()
    trace.observe(page(row("仅一次"), row("18:00"), name="闹钟"), [])
    result, _sentence = CompletionVerifier(confirm=False).verify(said, (), answer, trace)
    assert (result is Verification.BELIEVED) is is_believed


@each(
    ("label", "typed", "saves"),
    [
        ("Save", "", True),
        ("Add", "Dinner", True),
        ("Create", "Dinner", True),
        ("添加", "晚饭", True),
        ("Add", "", False),
        ("添加", "", False),
    ],
)
def test_a_button_that_adds_saves_a_page_whose_field_is_filled(label: str, typed: str, saves: bool) -> None:
    field = replace(row(typed, 2), class_name="android.widget.EditText")
    assert saves_page(label, page(row(label), field, name="Form")) is saves


@each(
    ("command", "is_question"),
    [
        ("我爸有没有回", True),
        ("明天降到几度啊 她要不要穿羽绒服", True),
        ("快递到了没", True),
        ("提醒我看看有没有带钥匙", False),
        ("给妈妈发消息问她要不要来", False),
        ("要是还没到了没事", False),
    ],
)
def test_a_chinese_question_without_a_mark_asks(command: str, is_question: bool) -> None:
    assert asks(command) is is_question

"""Steps that an intent does, such as pages of the settings, and fields that are typed into at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.agent.step import with_target
from assistant.events import ActionKind
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep, Trace
from assistant.phone.ui_tree import parse_tree
from assistant.records import (
    Action,
    Click,
    Finished,
    ForegroundApp,
    Observation,
    OpenApp,
    Outcome,
    Point,
    PressBack,
    PressEnter,
    TypeText,
)
from assistant.skills.screen_tree import key_of
from assistant.skills.service import SkillMemory
from assistant.skills.skill_step import MAP, WEB, Proposal, settings_page, web_address
from assistant.skills.template import SkillTemplate, learn_template
from tests.skills.recorded_turns import Order, checkpoint, learn_turn, on
from tests.skills.screens import listing, node, row
from tests.tables import each

WIFI = "android.settings.WIFI_SETTINGS"
BY_TAPS, BY_INTENT = ".SubSettings", ".Settings$WifiSettingsActivity"


def settings(title: str, *rows: str, activity: str = BY_TAPS, over: str = "") -> Observation:
    xml = listing(*rows, title=title, over=over)
    app = ForegroundApp("com.android.settings", activity, "Settings")
    return Observation(1000, 2000, b"", parse_tree(xml.encode()).elements, app)


def launcher() -> Observation:
    elements = parse_tree(listing(title="Home").encode()).elements
    return Observation(1000, 2000, b"", elements, ForegroundApp("com.launcher", ".Launcher", ""))


def switch(place: int, title: str, checked: bool = False) -> str:
    """A row that switches something."""
    top = 200 + 200 * place
    inside = node("Switch", (800, top, 950, top + 200), name="switch", checked=checked)
    words = node("TextView", (0, top, 600, top + 200), text=title, name="title")
    return node("LinearLayout", (0, top, 1000, top + 200), words, inside, name="toggle", tap=True)


ROOT = settings("Settings", row(0, "Network"), row(1, "Wi-Fi"), row(2, "Bluetooth"), activity=".Settings")
OPEN_SETTINGS: tuple[Action, Observation] = (OpenApp(name="Settings"), launcher())
ENABLE: list[tuple[Action, Observation]] = [
    OPEN_SETTINGS,
    (on(1), ROOT),
    (on(0), settings("Wi-Fi", switch(0, "Use Wi-Fi"), row(1, "Home network"))),
    (Finished(), settings("Wi-Fi", switch(0, "Use Wi-Fi", checked=True), row(1, "Home network"))),
]


def learnt(skills: SkillMemory) -> SkillTemplate:
    (template,) = skills.repository.all()
    return template


def proposed(order: Order, screen: Observation) -> Action | None:
    """What memory does on a screen; it is done."""
    proposal = order.propose(screen)
    assert proposal is None or isinstance(proposal, Proposal)
    if proposal is None or proposal.action is None:
        return None
    order.did(proposal.action)
    return proposal.action


def test_the_page_of_the_settings_that_taps_led_to_is_opened_by_its_intent(
    store: Store, skills: SkillMemory
) -> None:
    learn_turn(store, skills, "turn on the wifi", ENABLE)
    assert [step.shortcut for step in learnt(skills).steps] == ["", WIFI, ""]
    order = Order(skills, "turn on the wifi")
    assert proposed(order, launcher()) == OpenApp(name="Settings", at=WIFI)
    there = settings("Wi-Fi", switch(0, "Use Wi-Fi"), row(1, "Cafe"), activity=BY_INTENT)
    tap = proposed(order, there)
    assert isinstance(tap, Click)
    assert tap.content == "Use Wi-Fi"
    report = skills.actions.report("now")
    assert (report.replayed, report.divergences, report.lost) == (1, 0, ())


@pytest.mark.parametrize(
    "elsewhere",
    [
        settings("Bluetooth", switch(0, "Use Wi-Fi"), row(1, "Car"), activity=BY_INTENT),
        settings("WLAN", switch(0, "Use WLAN"), row(1, "Cafe"), activity=BY_INTENT),
        settings("Wi-Fi", activity=BY_INTENT, over=node("Button", (0, 300, 900, 500), name="set_up")),
        ROOT,
    ],
    ids=["title of another page", "another language", "another structure", "the first page"],
)
def test_an_intent_that_leads_elsewhere_is_noticed_and_the_taps_are_repeated(
    store: Store, skills: SkillMemory, elsewhere: Observation
) -> None:
    learn_turn(store, skills, "turn on the wifi", ENABLE)
    order = Order(skills, "turn on the wifi")
    assert proposed(order, launcher()) == OpenApp(name="Settings", at=WIFI)
    assert proposed(order, elsewhere) == OpenApp(name="Settings"), "nothing is tapped on the wrong page"
    order.replay(ROOT, ENABLE[2][1])
    opened = [step.action.type for step in order.turn.steps]
    assert opened == ["open_app", "open_app", "click", "click"]
    skills.learn("now", Outcome.SUCCESS, skills.actions.report("now"))
    assert not any(step.shortcut for step in learnt(skills).steps), "it is not tried again"


def test_an_intent_that_the_phone_refuses_leaves_the_taps(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "turn on the wifi", ENABLE)
    order = Order(skills, "turn on the wifi")
    assert order.propose(launcher()) is not None
    order.did(OpenApp(name="Settings", at=WIFI), error="nothing opens at this address")
    assert proposed(order, launcher()) == OpenApp(name="Settings")


@each(
    ("title", "activity", "page"),
    [
        ("Wi-Fi", BY_TAPS, WIFI),
        ("Wi\u2011Fi", BY_INTENT, WIFI),
        ("WLAN", BY_TAPS, WIFI),
        ("Mein Telefon", BY_TAPS, ""),
        ("Wi-Fi", ".Settings$DisplaySettingsActivity", ""),
        ("Display", BY_INTENT, ""),
    ],
)
def test_which_page_it_is_the_title_says_and_the_activity_not_otherwise(
    title: str, activity: str, page: str
) -> None:
    assert settings_page(settings(title, row(0, "Bluetooth at home"), activity=activity)) == page


def test_a_row_of_another_page_is_no_title() -> None:
    assert not settings_page(settings("Settings", row(0, "Network"), row(1, "Display"), activity=".Settings"))


def test_taps_and_an_intent_lead_to_one_page_though_its_activities_differ() -> None:
    by_taps, by_intent = (settings("Wi-Fi", switch(0, "On"), activity=name) for name in (BY_TAPS, BY_INTENT))
    assert key_of(by_taps).is_like(key_of(by_intent))
    display = settings("Display", switch(0, "On"), activity=".Settings$DisplaySettingsActivity")
    assert not key_of(display).is_like(key_of(by_intent))


@pytest.mark.parametrize(
    "way",
    [
        [
            (on(0), settings("Settings", switch(0, "Aeroplane mode", checked=True), row(1, "Wi-Fi"))),
            (on(1), settings("Settings", switch(0, "Aeroplane mode"), row(1, "Wi-Fi"))),
        ],
        [(on(0), ROOT)],
    ],
    ids=["something was switched on the way", "the row is called otherwise than the page"],
)
def test_a_way_that_does_more_or_is_not_sure_gets_no_intent(
    store: Store, skills: SkillMemory, way: Sequence[tuple[Action, Observation]]
) -> None:
    learn_turn(store, skills, "turn on the wifi", [OPEN_SETTINGS, *way, *ENABLE[2:]])
    assert not any(step.shortcut for step in learnt(skills).steps)


def test_a_way_with_a_sensitive_step_gets_no_intent(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "turn on the wifi", ENABLE, {2: ActionKind.SECURITY})
    assert not any(step.shortcut for step in learnt(skills).steps)


def web(shown: str = "", body: str = "", focused: bool = False) -> Observation:
    """A page of a browser, whose address field shows an address."""
    field = (
        f'<node class="android.widget.EditText" text="{shown}" resource-id="com.web:id/url_bar" '
        f'package="com.web" clickable="true" enabled="true" focused="{str(focused).lower()}" '
        'bounds="[0,0][1000,150]"/>'
    )
    text = node("TextView", (0, 200, 1000, 1900), text=body, name="page_text") if body else ""
    star = node("ImageView", (900, 160, 1000, 200), name="star", tap=True)
    whole = node("FrameLayout", (0, 0, 1000, 2000), field, star, text, name="content")
    elements = parse_tree(f'<hierarchy rotation="0">{whole}</hierarchy>'.encode()).elements
    return Observation(1000, 2000, b"", elements, ForegroundApp("com.web", ".Tabs", "Web"))


FIELD = Click(point=Point(0.5, 0.03))


def read(address: str, shown: str) -> list[tuple[Action, Observation]]:
    """A turn that typed an address into the browser, which then showed another, or the same."""
    return [
        (OpenApp(name="Web"), launcher()),
        (FIELD, web(body="Start")),
        (TypeText(text=address), web(body="Start", focused=True)),
        (PressEnter(), web(address, body="Start", focused=True)),
        (Finished(), web(shown, body="The ferry leaves at nine.")),
    ]


def test_an_address_that_was_typed_is_opened_with_the_one_of_now(store: Store, skills: SkillMemory) -> None:
    learn_turn(
        store, skills, "open ferry.example/times on Web", read("ferry.example/times", "ferry.example/times")
    )
    assert [step.shortcut for step in learnt(skills).steps] == ["", "", "", WEB]
    order = Order(skills, "open tram.example on Web")
    assert proposed(order, launcher()) == OpenApp(name="Web", at="https://tram.example")
    proposal = order.propose(web("tram.example", body="The tram leaves at ten."))
    assert proposal is None or isinstance(proposal.action, Finished | None), "everything is done"
    report = skills.actions.report("now")
    assert (report.replayed, report.lost) == (1, ())


def test_a_browser_that_shows_another_address_is_typed_into(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "open ferry.example on Web", read("ferry.example", "www.ferry.example/"))
    order = Order(skills, "open tram.example on Web")
    assert proposed(order, launcher()) == OpenApp(name="Web", at="https://tram.example")
    assert proposed(order, web("login.example", body="Sign in")) == OpenApp(name="Web")
    order.replay(web(body="Start"))
    typed = proposed(order, web(body="Start", focused=True))
    assert isinstance(typed, TypeText)
    assert typed.text == "tram.example"


def test_what_is_searched_for_or_asks_something_is_typed(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "open ferry.example on Web", read("ferry.example", "ferry.example"))
    for value in ("ferry times", "tram.example/pay", "tram.example?to=me@home.example"):
        order = Order(skills, f"open {value} on Web")
        assert proposed(order, launcher()) == OpenApp(name="Web"), value
        skills.actions = skills.new_actions()


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("ferry times", "ferry times"),
        ("ferry.example", "search.example/ferry.example"),
        ("ferry.example/times", "ferry.example"),
        ("ferry.example/?q=me", "ferry.example/?q=me"),
    ],
    ids=["a search", "an address that was searched for", "only the site is shown", "a question to the site"],
)
def test_what_is_surely_no_address_gets_no_intent(
    store: Store, skills: SkillMemory, typed: str, shown: str
) -> None:
    learn_turn(store, skills, "look at the ferry on Web", read(typed, shown))
    assert not any(step.shortcut for step in learnt(skills).steps)


def test_what_was_marked_on_the_way_to_an_address_is_marked_again(store: Store, skills: SkillMemory) -> None:
    opening, *rest = read("ferry.example", "ferry.example")
    star = (Click(point=Point(0.95, 0.09)), web("tram.example", body="Start"))
    learn_turn(store, skills, "open ferry.example on Web", [opening, star, *rest])
    assert not any(step.shortcut for step in learnt(skills).steps)


def town(shown: str = "", *rows: str, focused: bool = False, app: str = "app.organicmaps") -> Observation:
    """A page of a map: its search field, a button to it where nothing is searched for yet, and results."""
    field = (
        f'<node class="android.widget.EditText" text="{shown}" resource-id="{app}:id/search_box" '
        f'package="{app}" clickable="true" enabled="true" focused="{str(focused).lower()}" '
        'bounds="[0,0][1000,150]"/>'
    )
    button = node("TextView", (0, 0, 1000, 150), text="Search here", name="search_here", tap=True)
    whole = node(
        "FrameLayout", (0, 0, 1000, 2000), field if shown or focused else button, *rows, name="content"
    )
    elements = parse_tree(f'<hierarchy rotation="0">{whole}</hierarchy>'.encode()).elements
    return Observation(1000, 2000, b"", elements, ForegroundApp(app, ".Main", ""))


def searched(place: str, shown: str, app: str = "app.organicmaps") -> list[tuple[Action, Observation]]:
    """A turn that searched a map for a place, and tapped the first result."""
    results = town(shown, row(0, place), row(1, "Pier 4"), app=app)
    return [
        (OpenApp(name="Maps"), launcher()),
        (FIELD, town(app=app)),
        (FIELD, town("Where to?", focused=True, app=app)),
        (TypeText(text=place), town("Where to?", focused=True, app=app)),
        (PressEnter(), town(place, focused=True, app=app)),
        (on(0), results),
        (Finished(), town("", row(0, f"{place}, open now"), app=app)),
    ]


def test_what_a_map_is_searched_for_is_asked_of_it_by_address(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "look up Ferry Dock on Maps", searched("Ferry Dock", "Ferry Dock"))
    assert [step.shortcut for step in learnt(skills).steps] == ["", "", "", "", MAP, ""]
    order = Order(skills, "look up Tram & Bus on Maps")
    assert proposed(order, launcher()) == OpenApp(name="Maps", at="geo:0,0?q=Tram%20%26%20Bus")
    order.propose(town("Tram &amp; Bus", row(0, "Tram &amp; Bus"), row(1, "Pier 4")))
    report = skills.actions.report("now")
    assert (report.replayed, report.divergences, report.lost) == (1, 0, ())


def test_behind_an_address_what_is_tapped_on_its_page_is_awaited(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "look up Ferry Dock on Maps", searched("Ferry Dock", "Ferry Dock"))
    proposal = Order(skills, "look up Tram Stop on Maps").propose(launcher())
    assert proposal is not None
    assert proposal.awaits is not None
    target = proposal.awaits()
    assert target is not None
    assert target.element.text == "Tram Stop", "no field that is typed into on the way that was not gone"


@pytest.mark.parametrize(
    "elsewhere",
    [
        town("Ferry Dock", row(0, "Tram Stop"), row(1, "Pier 4")),
        town("", row(0, "Tram Stop, open now")),
        launcher(),
    ],
    ids=["another search", "the place itself", "the map did not come"],
)
def test_a_map_that_shows_anything_else_is_typed_into_and_not_asked_again(
    store: Store, skills: SkillMemory, elsewhere: Observation
) -> None:
    learn_turn(store, skills, "look up Ferry Dock on Maps", searched("Ferry Dock", "Ferry Dock"))
    order = Order(skills, "look up Tram Stop on Maps")
    assert proposed(order, launcher()) == OpenApp(name="Maps", at="geo:0,0?q=Tram%20Stop")
    assert proposed(order, elsewhere) == OpenApp(name="Maps")
    assert isinstance(proposed(order, town()), Click)
    skills.learn("now", Outcome.SUCCESS, skills.actions.report("now"))
    assert not any(step.shortcut for step in learnt(skills).steps)


@pytest.mark.parametrize(
    ("shown", "app"),
    [("Ferry Docks", "app.organicmaps"), ("Ferry Dock", "com.market")],
    ids=["another search", "a shop"],
)
def test_what_is_no_search_of_a_map_gets_no_address(
    store: Store, skills: SkillMemory, shown: str, app: str
) -> None:
    learn_turn(store, skills, "look up Ferry Dock on Maps", searched("Ferry Dock", shown, app))
    assert not any(step.shortcut for step in learnt(skills).steps)


def noted(text: str = "", *, focused: bool = False, over: str = "") -> Observation:
    """A page with one field, named as it is asked for."""
    field = (
        f'<node class="android.widget.EditText" text="{text}" resource-id="com.memo:id/memo" '
        f'package="com.memo" clickable="true" enabled="true" focused="{str(focused).lower()}" '
        'bounds="[0,0][1000,150]"/>'
    )
    whole = node("FrameLayout", (0, 0, 1000, 2000), field, over, name="content")
    elements = parse_tree(f'<hierarchy rotation="0">{whole}</hierarchy>'.encode()).elements
    return Observation(1000, 2000, b"", elements, ForegroundApp("com.memo", ".Memo", "Memo"))


NOTE: list[tuple[Action, Observation]] = [
    (OpenApp(name="Memo"), launcher()),
    (FIELD, noted()),
    (TypeText(text="milk"), noted(focused=True)),
    (Finished(), noted("milk", focused=True)),
]


@pytest.mark.parametrize(
    ("said", "seen", "is_next"),
    [
        ("note eggs on Memo", noted(), True),
        ("note {{a}} on Memo", noted(), False),
        ("note eggs on Memo", launcher(), False),
    ],
    ids=["the next step types", "its text is not found out yet", "another page than it typed on"],
)
def test_a_field_that_memory_types_into_next_is_told_from_others(
    store: Store, skills: SkillMemory, said: str, seen: Observation, is_next: bool
) -> None:
    learn_turn(store, skills, "note milk on Memo", NOTE)
    order = Order(skills, said)
    assert not asyncio.run(skills.actions.types_next(order.turn, seen)), "nothing was done yet"
    assert isinstance(proposed(order, launcher()), OpenApp)
    assert not asyncio.run(skills.actions.types_next(order.turn, seen)), "an app was opened"
    assert isinstance(proposed(order, noted()), Click)
    assert asyncio.run(skills.actions.types_next(order.turn, seen)) is is_next


LOW, HIGH = (700, 1800, 1000, 2000), (700, 200, 1000, 400)


def kept(text: str = "", at: tuple[int, int, int, int] = LOW, *, up: bool = True) -> Observation:
    """The page with its field in use and a button, under the keyboard where it stands low and that is up."""
    button = node("Button", at, text="Pin", name="pin", tap=True)
    return replace(noted(text, focused=True, over=button), keyboard_shown=up)


def pinned(
    at: tuple[int, int, int, int] = LOW, *, backs: int = 0, up: bool = True
) -> list[tuple[Action, Observation]]:
    """A turn that notes milk and pins it; `backs` the times that it goes back before."""
    tap = Click(point=Point(0.85, (at[1] + 100) / 2000))
    pages = [kept("milk", at, up=up), kept("milk", at, up=False)]
    return [
        *NOTE[:1],
        (TypeText(text="milk"), kept(at=at, up=up)),
        *[(PressBack(), pages[0])] * backs,
        (tap, pages[bool(backs)]),
        (Finished(), noted("Pinned")),
    ]


@pytest.mark.parametrize(
    ("at", "backs", "is_up", "closes"),
    [(LOW, 0, True, True), (LOW, 1, True, True), (LOW, 0, False, False), (HIGH, 0, True, False)],
    ids=["the next target lies under it", "Back put it away", "it is not up", "the next lies elsewhere"],
)
def test_a_text_is_typed_with_the_keyboard_put_away_where_that_is_due_next(
    store: Store,
    skills: SkillMemory,
    at: tuple[int, int, int, int],
    backs: int,
    is_up: bool,
    closes: bool,
) -> None:
    learn_turn(store, skills, "note milk on Memo", pinned(at, backs=backs))
    order = Order(skills, "note eggs on Memo")
    order.replay(launcher())
    typed = proposed(order, kept(at=at, up=is_up))
    assert isinstance(typed, TypeText)
    assert (typed.text, typed.closes_keyboard) == ("eggs", closes)
    assert "closes_keyboard" not in typed.model_dump(), "a learnt step says nothing of it"
    assert isinstance(proposed(order, kept("eggs", at, up=is_up and not closes)), Click)


def test_a_tap_that_failed_is_looked_at(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "note milk on Memo", NOTE)
    order = Order(skills, "note eggs on Memo")
    order.replay(launcher())
    proposal = order.propose(noted())
    assert proposal is not None
    assert isinstance(proposal.action, Click)
    order.did(proposal.action, error="it was held back")
    assert not asyncio.run(skills.actions.types_next(order.turn, noted()))


@each(
    ("text", "address"),
    [
        ("ferry.example", "https://ferry.example"),
        (" http://ferry.example:8080/a/b ", "http://ferry.example:8080/a/b"),
        ("ferry times", ""),
        ("me@ferry.example", ""),
        ("https://ferry.example@evil.example/", ""),
        ("ferry.example?to=me", ""),
        ("javascript:alert(1)", ""),
        ("9.50", ""),
    ],
)
def test_which_texts_are_the_address_of_a_page(text: str, address: str) -> None:
    assert web_address(text) == address


def test_a_turn_that_took_the_intent_and_is_kept_has_the_taps_too(store: Store, skills: SkillMemory) -> None:
    learn_turn(store, skills, "turn on the wifi", ENABLE)
    template = learnt(skills)
    there = settings("Wi-Fi", switch(0, "Use Wi-Fi"), row(1, "Cafe"), activity=BY_INTENT)
    done = StoredStep(number=1, action=OpenApp(name="Settings", at=WIFI), package="com.launcher")
    tap = with_target(on(0), there)
    toggled = StoredStep(number=2, action=tap, package="com.android.settings")
    seen = {1: launcher(), 2: there, 3: ENABLE[3][1]}
    turn = checkpoint("turn-2", "turn on the wifi", [done, toggled])
    again = learn_template(Trace.of(turn, seen), like=template)
    assert again is not None
    assert [step.words() for step in again.steps] == [step.words() for step in template.steps]

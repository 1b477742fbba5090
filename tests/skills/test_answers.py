"""Answers that memory reads from the screen, in the place where a model found them twice, or leaves to it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from itertools import islice, product
from pathlib import Path

import pytest

from assistant.bench.harness import START, carry_out, open_local_phone, started
from assistant.engine import Engine
from assistant.memory.store import Store
from assistant.memory.turns import StoredStep
from assistant.records import Action, Finished, Observation, OpenApp, Outcome, Target
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.apps import timetable
from assistant.skills.screen_tree import ScreenTree, learn_reading, tree_of
from assistant.skills.service import SkillMemory
from assistant.skills.skill_step import Proposal
from assistant.skills.step_action import answer_on_screen, is_place_known
from assistant.skills.storage import ReplayReport
from tests.growth import growth
from tests.skills.recorded_turns import HOME, MENU, NOW, Order, checkpoint, end, on, screen
from tests.skills.screens import listing, node
from tests.worlds import DENSITY, SIZE

Train = tuple[str, str, str, str]
"""Number, times, price, and what else the row says."""

SOUP: tuple[Train, ...] = (
    ("G12", "06:10 – 09:20", "¥ 282", "9 seats"),
    ("G340", "07:05 – 10:30", "¥ 300.50", "20 seats"),
    ("K7", "09:00 – 15:00", "¥ 99", "3 seats"),
)
TEA: tuple[Train, ...] = (
    ("G77", "06:40 – 08:00", "¥ 120", "20 seats"),
    ("K501", "08:15 – 11:20", "¥ 64", "20 seats"),
    ("G9", "11:30 – 13:00", "¥ 120", "9 seats"),
)


def results(to: str, rows_of: tuple[Train, ...], cheapest: bool = False) -> Observation:
    """The page that lists trains."""
    rows = [
        node(
            "LinearLayout",
            (0, top, 1000, top + 200),
            *(
                node("TextView", (300 * nth, top, 300 * nth + 300, top + 200), text=text)
                for nth, text in enumerate((f"{train[0]} {train[1]}", *train[2:]))
            ),
            name="train_item",
            tap=True,
        )
        for train, top in zip(rows_of, range(300, 2000, 200), strict=False)
    ]
    chip = node(
        "CheckBox", (0, 200, 300, 300), text="Cheapest first", name="chip", tap=True, checked=cheapest
    )
    return screen(listing(chip, *rows, title=to), ".Results")


def told(to: str, trains: tuple[Train, ...]) -> str:
    """How the model tells of the first two."""
    return f"To {to}: " + "; ".join(f"{number} {time}, {price}" for number, time, price, _ in trains[:2])


def looked_up(
    store: Store, skills: SkillMemory, number: int, said: str, place: int, page: Observation, answer: str
) -> None:
    """A turn that opened the app, chose a place, and read the answer on a page; memory did all but that."""
    turn_id = f"turn-{number}"
    seen: list[tuple[Action, Observation]] = [
        (OpenApp(name="Eats"), screen(HOME, ".Home")),
        (on(place).model_copy(update={"target": screen(MENU).target_at(on(place).point)}), screen(MENU)),
    ]
    store.turns.save(checkpoint(turn_id, said, []))
    steps = [
        StoredStep(number=count, action=action, app="Eats", package="com.shop")
        for count, (action, _shown) in enumerate(seen, 1)
    ]
    for count, shown in enumerate((*(shown for _action, shown in seen), page), 1):
        store.turns.observe(turn_id, count, shown)
    end(store, checkpoint(turn_id, said, steps))
    known = skills.repository.all()
    report = ReplayReport(
        skill_id=known[0].id if known else "",
        replayed=2 * bool(known),
        confirmed=(0, 1) if known else (),
        answer=answer,
    )
    skills.learn(turn_id, Outcome.SUCCESS, report)


def asked_again(skills: SkillMemory, said: str, page: Observation) -> Proposal | None:
    """What memory proposes on the last page of one more order."""
    order = Order(skills, said)
    order.replay(screen(HOME, ".Home"), screen(MENU))
    return order.propose(page)


def learnt_twice(store: Store, skills: SkillMemory, said: str = "find a train to {}") -> None:
    for number, (to, place, trains) in enumerate((("Soup", 1, SOUP), ("Tea", 2, TEA)), 1):
        page = results(to, trains)
        looked_up(store, skills, number, said.format(to), place, page, told(to, trains))


RICE: tuple[Train, ...] = (
    ("K1", "05:55 – 08:00", "¥ 50", "3 seats"),
    ("G2", "10:00 – 12:20", "¥ 170.50", "9 seats"),
    ("G3", "18:00 – 20:00", "¥ 170", "20 seats"),
)


@pytest.mark.parametrize("said", ["find a train to {}", "find a train to {} in the morning"])
def test_an_answer_is_read_where_it_stood_twice(store: Store, skills: SkillMemory, said: str) -> None:
    learnt_twice(store, skills, said)
    proposal = asked_again(skills, said.format("Rice"), results("Rice", RICE))
    assert proposal is not None
    assert proposal.action == Finished(answer="To Rice: K1 05:55 – 08:00, ¥ 50; G2 10:00 – 12:20, ¥ 170.50")
    assert proposal.is_read
    assert skills.actions.report("now").claimed


@pytest.mark.parametrize(
    ("said", "trains", "cheapest"),
    [
        ("find a train to {}", (RICE[0], ("G2", "10:00 – 12:20", "¥ 170.50", "Sold out")), False),
        ("find a train to {}", RICE[:1], False),
        ("find a train to {}", (("K1", "cancelled", "¥ 50", "3 seats"), *RICE[1:]), False),
        ("find a train to {}", RICE, True),
        ("find the cheapest train to {}", RICE, False),
        ("find a train to {} before noon", RICE, False),
        ("find a train to {} in the morning", (RICE[0], RICE[2]), False),
        ("find a train to {} tomorrow", RICE, False),
    ],
    ids=["sold out", "fewer", "no time", "other order", "cheapest", "before noon", "not morning", "no day"],
)
def test_what_an_order_may_select_is_left_to_the_model(
    store: Store, skills: SkillMemory, said: str, trains: tuple[Train, ...], cheapest: bool
) -> None:
    learnt_twice(store, skills, said)
    proposal = asked_again(skills, said.format("Rice"), results("Rice", trains, cheapest))
    assert proposal is None or proposal.action is None


def test_the_model_looks_after_each_answer_that_memory_read_on_probation(
    store: Store, skills: SkillMemory
) -> None:
    learnt_twice(store, skills)
    (template,) = skills.repository.all()
    skills.repository.put(template.model_copy(update={"unseen": 1}), "a test")
    proposal = asked_again(skills, "find a train to Rice", results("Rice", RICE))
    assert proposal is None or proposal.action is None


def test_an_answer_that_stood_elsewhere_the_second_time_is_left_to_the_model(
    store: Store, skills: SkillMemory
) -> None:
    looked_up(
        store, skills, 1, "find a train to Soup", 1, results("Soup", SOUP), "To Soup: G12 06:10 – 09:20"
    )
    looked_up(store, skills, 2, "find a train to Tea", 2, results("Tea", TEA), "To Tea: K501 08:15 – 11:20")
    proposal = asked_again(skills, "find a train to Rice", results("Rice", RICE))
    assert proposal is None or proposal.action is None


def test_a_page_that_memory_would_not_have_read_says_nothing_against_the_place(
    store: Store, skills: SkillMemory
) -> None:
    learnt_twice(store, skills)
    sold_out = (("G4", "06:00 – 08:00", "¥ 20", "Sold out"), *SOUP)
    looked_up(
        store, skills, 3, "find a train to Soup", 1, results("Soup", sold_out), told("Soup", sold_out[1:])
    )
    proposal = asked_again(skills, "find a train to Rice", results("Rice", RICE))
    assert proposal is not None
    assert proposal.is_read


def test_a_place_that_one_answer_does_not_tell_is_confirmed_anew(store: Store, skills: SkillMemory) -> None:
    learnt_twice(store, skills)
    for number, answer in enumerate(("There are many.", told("Soup", SOUP), told("Soup", SOUP)), 3):
        looked_up(store, skills, number, "find a train to Soup", 1, results("Soup", SOUP), answer)
        (template,) = skills.repository.all()
        assert template.reading is not None, "it is still an order that reads"
        assert not template.knows_place_of_answer
    looked_up(store, skills, 6, "find a train to Tea", 2, results("Tea", TEA), told("Tea", TEA))
    proposal = asked_again(skills, "find a train to Rice", results("Rice", RICE))
    assert proposal is not None
    assert proposal.is_read


TAKEN: Train = ("G60", "05:50 – 07:15", "¥ 88", "No places left")


@pytest.mark.parametrize(
    ("trains", "read"),
    [
        ((RICE[0], TAKEN, RICE[1]), RICE[:2]),
        ((TAKEN, TAKEN, *RICE), RICE[:2]),
        (RICE, RICE[:2]),
        ((("G62", "05:00 – 07:15", "¥ 88", "No places left, standing only"), *RICE), ()),
        ((("G63", "05:00 – 07:15", "¥ 88", "Cancelled"), *RICE), ()),
        ((RICE[0], TAKEN), ()),
        ((("G66", "05:00 – 07:15", "¥ 88", "2 places left"), *RICE), ()),
    ],
    ids=["between", "before", "none", "and another word", "another word", "too few", "words of it"],
)
@pytest.mark.parametrize("order", [1, -1], ids=["passed first", "passed second"])
def test_what_the_model_passed_over_is_passed_over_again_and_nothing_else(
    store: Store, skills: SkillMemory, order: int, trains: tuple[Train, ...], read: tuple[Train, ...]
) -> None:
    pages = ((("Soup", 1), (TAKEN, *SOUP), SOUP), (("Tea", 2), TEA, TEA))[::order]
    for number, ((to, place), listed, free) in enumerate(pages, 1):
        page = results(to, listed)
        looked_up(store, skills, number, f"find a train to {to}", place, page, told(to, free))
    proposal = asked_again(skills, "find a train to Rice", results("Rice", trains))
    action = proposal.action if proposal is not None and proposal.is_read else None
    assert action == (Finished(answer=told("Rice", read)) if read else None)


def test_an_entry_that_says_nothing_else_was_not_passed_over_for_what_it_says(
    store: Store, skills: SkillMemory
) -> None:
    for number, (to, place, trains) in enumerate((("Soup", 1, SOUP), ("Tea", 2, TEA)), 1):
        listed = (("G64", "05:00 – 06:10", "¥ 70", "2 seats"), *trains)
        page = results(to, listed)
        looked_up(store, skills, number, f"find a train to {to}", place, page, told(to, trains))
    proposal = asked_again(skills, "find a train to Rice", results("Rice", RICE))
    assert proposal is None or proposal.action is None


def account(state: str, balance: str, open_to_pay: str = "") -> Observation:
    """A page with one value beside its name."""
    texts = ("Balance", balance, state, *([open_to_pay] if open_to_pay else []))
    lines = [
        node("TextView", (0, 300 + 100 * place, 900, 400 + 100 * place), text=text, name=f"line{place}")
        for place, text in enumerate(texts)
    ]
    return screen(listing(*lines, title="Account"), ".Account")


@pytest.mark.parametrize(
    ("answers", "page", "read"),
    [
        (("{item}: ¥ 5.20", "{item}: ¥ 1,310"), account("Active", "¥ 77"), "Rice: ¥ 77"),
        (("{item}: ¥ 5.20", "{item}: ¥ 1,310"), account("Active", "unknown"), ""),
        (("Yes, ¥ 5.20", "Yes, ¥ 1,310"), account("Active", "¥ 77"), ""),
        (("Active, ¥ 5.20", "Active, ¥ 1,310"), account("Frozen", "¥ 77"), ""),
    ],
    ids=["number", "no number", "judgement", "another word"],
)
def test_a_value_that_stands_alone_is_read_and_a_judgement_is_not(
    store: Store, skills: SkillMemory, answers: tuple[str, str], page: Observation, read: str
) -> None:
    pages = (account("Active", "¥ 5.20"), account("Active", "¥ 1,310"))
    for number, (item, place) in enumerate((("Soup", 1), ("Tea", 2))):
        answer = answers[number].replace("{item}", item)
        said = f"tell me the balance of {item}"
        looked_up(store, skills, number + 1, said, place, pages[number], answer)
    proposal = asked_again(skills, "tell me the balance of Rice", page)
    action = proposal.action if proposal is not None and proposal.is_read else None
    assert action == (Finished(answer=read) if read else None)


CITIES = {"Oslo": (0.0, 0.0), "Lima": (-430.0, 980.0), "Rome": (-125.0, -110.0), "Cork": (-820.0, -330.0)}


def test_of_many_lists_each_is_read_as_the_model_reads_it_or_not_at_all(
    store: Store, skills: SkillMemory
) -> None:
    """The model tells of the first two trains of the morning that are not sold out."""
    learnt_twice(store, skills, "find a train to {} in the morning")
    (template,) = skills.repository.all()
    last = skills.repository.screen(template.last_page)
    assert last is not None
    count = 0
    routes = [(a, b, f"2026-03-{day}") for a in CITIES for b in CITIES if a != b for day in range(10, 30)]
    for origin, goal, day in routes:
        listed = [
            (
                train.number,
                f"{train.depart} – {train.arrive}",
                f"¥ {train.price}",
                f"{left} seats" if (left := train.left["Second class"]) else "Sold out",
            )
            for train in timetable.trains(origin, CITIES[origin], goal, CITIES[goal], day)
        ]
        free = tuple(train for train in listed if train[3] != "Sold out" and train[1] < "12")
        page = results(goal, tuple(listed[:8]))
        read = answer_on_screen(template, {"destination": goal}, last, page, NOW.date(), goal)
        assert read in ("", told(goal, free))
        count += bool(read)
    assert count > len(routes) / 2


@pytest.mark.timeout(300)
async def test_the_third_train_of_a_kind_needs_no_model(adb_server: PrivateAdbServer, tmp_path: Path) -> None:
    requests, answers, is_read = [], [], []
    async with open_local_phone(adb_server.port, tmp_path, SIZE, DENSITY) as local:
        settings = local.settings.overridden({"turn": {"replay": True}, "memory": {"learning": True}})
        for origin, goal in (("Hangzhou", "Hefei"), ("Beijing", "Wuhan"), ("Hangzhou", "Tianjin")):
            said = f"find a train from {origin} to {goal} tomorrow morning"
            local.phone.reset()
            async with started(Engine(settings, now=lambda: datetime.now(START.tzinfo))) as engine:
                finished = await carry_out(engine, said, 90.0)
            assert finished is not None
            assert finished.outcome is Outcome.SUCCESS
            requests.append(finished.usage.requests)
            answers.append(finished.answer)
            is_read.append(finished.answer_read)
    assert requests[0] > requests[1] > requests[2] == 0, answers
    assert is_read == [False, False, True]
    assert answers[2].startswith("From Hangzhou to Tianjin: G5857 06:23–")


def forecast(text: str) -> ScreenTree:
    """A page that tells the weather in a sentence."""
    place = node("TextView", (0, 300, 1000, 500), text="Lisbon", name="place")
    told = node("TextView", (0, 500, 1000, 900), text=text, name="forecast")
    return tree_of(screen(listing(place, told, title="Weather"), ".Forecast"))


NOTICES = (
    "There is no internet connection at the moment",
    "Please sign in again to see the forecast",
    "Loading the forecast, please wait a moment",
    "Ad: buy our umbrella for rain in the evening",
    "No data on rain for this place yet",
    "Subscribe to read on about clouds and wind",
)


def test_a_sentence_is_read_only_if_it_has_a_word_of_those_that_a_model_read_there() -> None:
    first = "Rain is likely in the evening with strong wind"
    reading = learn_reading(first, forecast(first), "what is the weather in Lisbon")
    assert reading is not None
    reading = reading.having_seen(forecast("Some sun in the morning, clouds in the evening"))
    drier = "Little wind, and clouds until noon"
    assert reading.read(forecast(drier), {}) == drier
    for nothing in NOTICES:
        assert reading.read(forecast(nothing), {}) == "", nothing


def test_a_sentence_of_new_words_is_read_where_the_row_that_opened_its_page_quotes_it() -> None:
    first = "Rain is likely in the evening with strong wind"
    reading = learn_reading(first, forecast(first), "what is the weather in Lisbon")
    assert reading is not None
    text = "Roll your clothes. Two pairs of shoes are enough."
    assert reading.read(forecast(text), {}, f"Packing with one bag · travel.example · {text}") == text
    assert reading.read(forecast(text), {}, f"Packing · {text[:40]}…") == text
    for other in ("", "Packing with one bag · travel.example", "Green tea · Brew it at about 80 °C"):
        assert reading.read(forecast(text), {}, other) == ""
    for notice in NOTICES:
        assert reading.read(forecast(notice), {}, notice) == "", notice


def article_page(*paragraphs: str) -> Observation:
    """A page with a title and its paragraphs."""
    texts = [
        node("TextView", (0, 300 + 200 * place, 1000, 500 + 200 * place), text=text, name="paragraph")
        for place, text in enumerate(paragraphs)
    ]
    more = node("Button", (0, 1800, 1000, 1900), text="More from this site", name="more", tap=True)
    return screen(listing(*texts, more, title="News"), ".Article")


def article(*paragraphs: str) -> ScreenTree:
    """The same as a tree."""
    return tree_of(article_page(*paragraphs))


FULL_OF_PLUMS = "The market is full of ripe plums today."
CLOSED_GATE = ("The market gate stays closed until spring.", "Use the one in the north.")
NEW_STALLS = "Ten new stalls open at the market on Friday."


@pytest.mark.parametrize(
    ("page", "read"),
    [
        ((NEW_STALLS,), NEW_STALLS),
        ((NEW_STALLS, "Come early, the best is gone at noon."), NEW_STALLS),
        (("Please sign in to read on about plums at the market.",), ""),
    ],
)
@pytest.mark.parametrize("order", [1, -1], ids=["one first", "two first"])
def test_the_first_paragraph_is_known_after_two_pages_of_which_one_had_more(
    store: Store, skills: SkillMemory, order: int, page: tuple[str, ...], read: str
) -> None:
    pages = ((FULL_OF_PLUMS,), CLOSED_GATE)[::order]
    for number, (item, seen) in enumerate(zip(("Soup", "Tea"), pages, strict=True), 1):
        looked_up(store, skills, number, f"look up {item}", number, article_page(*seen), seen[0])
    proposal = asked_again(skills, "look up Rice", article_page(*page))
    action = proposal.action if proposal is not None and proposal.is_read else None
    assert action == (Finished(answer=read) if read else None)


@pytest.mark.parametrize(
    "answers",
    [(FULL_OF_PLUMS, CLOSED_GATE[1]), (FULL_OF_PLUMS, " ".join(CLOSED_GATE)), (FULL_OF_PLUMS, "")],
    ids=["the second", "both", "nothing"],
)
def test_an_answer_of_another_paragraph_or_none_does_not_confirm_the_first(
    store: Store, skills: SkillMemory, answers: tuple[str, str]
) -> None:
    for number, (item, page) in enumerate((("Soup", (FULL_OF_PLUMS,)), ("Tea", CLOSED_GATE)), 1):
        answer = answers[number - 1]
        looked_up(store, skills, number, f"look up {item}", number, article_page(*page), answer)
    proposal = asked_again(skills, "look up Rice", article_page(NEW_STALLS))
    assert proposal is None or proposal.action is None


def test_of_a_list_of_which_all_was_told_the_first_of_more_is_left_to_the_model(
    store: Store, skills: SkillMemory
) -> None:
    for number, (to, trains) in enumerate((("Soup", SOUP[:2]), ("Tea", TEA)), 1):
        looked_up(
            store, skills, number, f"find a train to {to}", number, results(to, trains), told(to, trains)
        )
    proposal = asked_again(skills, "find a train to Rice", results("Rice", RICE))
    assert proposal is None or proposal.action is None


def test_of_several_paragraphs_the_first_is_read_whole_and_no_part_of_one() -> None:
    first = "Four night bus lines start on Monday. They run from 23:00 to 05:00."
    page = article(first, "A ticket costs ¥3. One line goes to the station.")
    reading = learn_reading(first, page, "search the web for")
    assert reading is not None
    text = "During the exam weeks the library stays open until midnight."
    other = article(text, "Bring your card with you, please.", "A third one of these texts.")
    assert reading.read(other, {}, f"Library · {text}") == text
    assert reading.read(other, {}, "Library · news.example") == ""
    assert learn_reading("A ticket costs ¥3.", page, "what does a ticket cost") is None
    assert learn_reading("One line goes to the station.", page, "where does it go") is None


BELLS = "Two bells ring over the old harbour each evening."


@pytest.mark.parametrize(
    ("opened", "row", "text", "is_known"),
    [
        (f"Plums · {FULL_OF_PLUMS}", f"Bells · {BELLS}", BELLS, True),
        (f"Plums · {FULL_OF_PLUMS}", "Bells · Two bells ring over the old…", BELLS, False),
        ("Plums · fruit.example", f"Bells · {BELLS}", BELLS, False),
        (f"Plums · {FULL_OF_PLUMS}", f"Bells · {BELLS}", "", False),
    ],
    ids=["quoted whole", "in part", "not then", "nothing read"],
)
def test_a_text_that_the_row_said_which_opened_its_page_is_known_from_one_turn(
    store: Store, skills: SkillMemory, opened: str, row: str, text: str, *, is_known: bool
) -> None:
    looked_up(store, skills, 1, "look up Soup", 1, article_page(FULL_OF_PLUMS), FULL_OF_PLUMS)
    (template,) = skills.repository.all()
    last = template.steps[-1]
    target = Target(text=opened)
    steps = (
        *template.steps[:-1],
        last.model_copy(update={"action": on(1).model_copy(update={"target": target})}),
    )
    template = template.model_copy(update={"steps": steps})
    assert not template.knows_place_of_answer
    assert is_place_known(template, text, row) is is_known


def place_page(rows: Mapping[str, str], height: int = 200) -> ScreenTree:
    """A page of rows that do not react, each a value over its caption."""
    lines = []
    for row, (caption, value) in enumerate(rows.items()):
        top, half = 300 + row * height, height // 2
        value_node = node("TextView", (100, top, 900, top + half), text=value, name="text1")
        caption_node = node("TextView", (100, top + half, 900, top + height), text=caption, name="text2")
        lines.append(node("LinearLayout", (0, top, 1000, top + height), value_node, caption_node))
    return tree_of(screen(listing(*lines, title="Corner Shop"), ".Place"))


def test_a_value_is_read_beside_its_caption_wherever_its_row_stands() -> None:
    page = place_page({"Address": "Harbour Road", "Opening hours": "09:00 – 17:30"})
    reading = learn_reading("{item}: 09:00 – 17:30", page, "when is open")
    assert reading is not None
    values = {"item": "Tea House"}
    other = {"Opening hours": "07:15 – 20:00", "Address": "Mill Lane", "Phone": "010 5550"}
    assert reading.read(place_page(other), values) == "Tea House: 07:15 – 20:00"
    for unlike in (
        {"Address": "Mill Lane", "Phone": "09:00 – 17:00"},
        {"Address": "Mill Lane", "Opening hours": "closed"},
        {"Address": "Mill Lane", "Opening hours": "07:15 – 20:00, kitchen until 19:00"},
    ):
        assert reading.read(place_page(unlike), values) == "", unlike


def test_of_two_rows_with_one_caption_none_is_read() -> None:
    def hours(*times: str) -> ScreenTree:
        lines = []
        for top, time in zip(range(300, 2000, 200), times, strict=False):
            value_node = node("TextView", (100, top, 900, top + 90), text=time, name="text1")
            caption_node = node("TextView", (100, top + 100, 900, top + 190), text="Hours", name="text2")
            lines.append(node("LinearLayout", (0, top, 1000, top + 200), value_node, caption_node))
        return tree_of(screen(listing(*lines, title="Shop"), ".Place"))

    assert learn_reading("{item}: 09:00 – 17:30", hours("09:00 – 17:30", "10:00 – 14:00"), "when") is None
    once = learn_reading("{item}: 09:00 – 17:30", hours("09:00 – 17:30"), "when")
    assert once is not None
    assert once.read(hours("09:00 – 17:00", "10:00 – 14:00"), {"item": "Shop"}) == ""


def test_learning_from_a_large_page_is_not_quadratic() -> None:
    """Compared by its caption with all of its like, a page of 5,000 nodes took a core for minutes."""

    def page(count: int) -> ScreenTree:
        letters = ("".join(letters) for letters in product("abcdefgh", repeat=4))
        return place_page({f"Room {word}": f"Floor {word}" for word in islice(letters, count)}, height=2)

    def learn(tree: ScreenTree) -> None:
        assert learn_reading("Nothing of the page: 123456", tree, "which floor") is None

    assert growth(learn, page(200), page(800)) < 9

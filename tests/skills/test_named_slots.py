"""A model says which words of an order are slots, where memory can tell only some: its answer is checked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from assistant.factories import make_text_model
from assistant.memory import schema
from assistant.memory.store import Store
from assistant.model.client import RequestLogEntry
from assistant.model.types import ModelUnavailable
from assistant.records import Click, Finished, Outcome, TypeText, Usage
from assistant.settings.schema import ModelSettings
from assistant.simulator.model.faults import Fault, FaultKind
from assistant.simulator.model.options import ModelOptions
from assistant.simulator.model.server import ScriptedModel
from assistant.skills.replay import ActionMemory
from assistant.skills.service import (
    SkillLearner,
    SkillMemory,
    read_named_slots,
    slots_request,
    with_named_slots,
)
from assistant.skills.storage import SkillRepository
from assistant.skills.template import SkillTemplate, learn_template
from tests.skills.recorded_turns import HOME, MENU, NOW, Order, learn_turn, on, ordered, screen

SAID = "get me the soup please"


class Scripted:
    """A model that gives one answer, or fails; it remembers what it was asked."""

    def __init__(self, slots: Sequence[Sequence[str]] | str | None) -> None:
        given = () if slots is None or isinstance(slots, str) else slots
        named = [dict(zip(("words", "name", "type"), slot, strict=True)) for slot in given]
        self.answer = slots if isinstance(slots, str) else json.dumps({"slots": named})
        self.fails = slots is None
        self.asked: list[str] = []

    async def __call__(self, system: str, user: str, schema: dict[str, object] | None = None) -> str:
        self.asked.append(user)
        if self.fails:
            raise ModelUnavailable("no answer")
        return self.answer


def naming(store: Store, user: str = "me") -> SkillMemory:
    return SkillMemory(store, user, names_slots=True)


def taught(store: Store, instruction: str = SAID, number: int = 1) -> SkillMemory:
    """A memory that has learnt from one turn, whose dish was tapped and not typed."""
    skills = naming(store)
    skills.note_end(ordered(store, number, instruction, 1, "Soup"), Outcome.SUCCESS, "Soup is ordered.")
    skills.learn_waiting()
    return skills


def only(skills: SkillMemory) -> SkillTemplate:
    (template,) = skills.repository.all()
    return template


def waiting(store: Store) -> list[str]:
    with store.reader() as connection:
        return list(connection.execute(select(schema.experience_queue.c.turn_id)).scalars())


def changes(store: Store) -> int:
    with store.reader() as connection:
        return len(connection.execute(select(schema.changes.c.id)).all())


def test_memory_alone_takes_no_tapped_word_for_a_value(store: Store) -> None:
    assert only(taught(store)).pattern.slots == ()


def test_what_a_model_names_is_repeated_with_another_value(store: Store) -> None:
    skills = taught(store)
    assert asyncio.run(skills.name_waiting(Scripted([("soup", "dish", "text")]))) == 1
    template = only(skills)
    assert (template.pattern.text, template.name) == ("get me the {dish} please",) * 2
    assert template.answer == "{dish} is ordered."
    order = Order(skills, "get me the rice please")
    order.replay(screen(HOME, ".Home"))
    proposal = order.propose(screen(MENU))
    assert proposal is not None
    assert isinstance(proposal.action, Click)
    assert proposal.action.content.startswith("Rice")
    assert waiting(store) == []


def test_naming_slots_is_one_change_that_is_undone(store: Store) -> None:
    skills = taught(store)
    before = only(skills)
    asyncio.run(skills.name_waiting(Scripted([("soup", "dish", "text")])))
    with store.reader() as connection:
        newest = connection.execute(select(schema.changes).order_by(schema.changes.c.id.desc())).first()
    assert newest is not None
    assert newest.what == "Name the slots of a skill"
    store.audit.undo(newest.id)
    assert only(skills) == before


BAD: dict[str, Sequence[Sequence[str]] | str | None] = {
    "no answer": None,
    "no JSON": "soup is a slot",
    "another form": '{"slots": ["soup"]}',
    "more than was asked for": '{"slots": [], "steps": []}',
    "an unknown type": [("soup", "dish", "dish")],
    "nothing": [],
    "an invention beside it": [("soup", "dish", "text"), ("noodles", "side", "text")],
    "the verb": [("get", "verb", "text")],
    "all of it": [(SAID, "order", "text")],
    "two with a word in common": [("the soup", "dish", "text"), ("soup", "meal", "text")],
    "one name for two": [("soup", "dish", "text"), ("please", "dish", "text")],
    "no name": [("soup", "", "text")],
    "a name with markup": [("soup", "{dish}", "text")],
    "no words": [("", "dish", "text")],
    "signs": [("…", "dish", "text")],
    "what no step used": [("please", "manner", "text")],
    "a secret": [("soup", "dish", "text"), ("my password is 1234", "code", "text")],
}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD.keys())
def test_a_bad_answer_or_none_leaves_the_template_as_it_was(
    store: Store, answer: Sequence[Sequence[str]] | str | None
) -> None:
    skills = taught(store)
    before, count = only(skills), changes(store)
    model = Scripted(answer)
    asyncio.run(skills.name_waiting(model))
    assert (only(skills), changes(store)) == (before, count)
    assert asyncio.run(skills.name_waiting(model)) == 0, "it is asked once"
    assert len(model.asked) == 1


_WORDS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [SAID, "soup", "Soup", "the soup", "please", "me", "get", "oup", "soup please", "{item}"]
    ),
)
_SLOT = st.fixed_dictionaries(
    {
        "words": _WORDS,
        "name": st.one_of(st.text(max_size=8), st.sampled_from(["dish", "item", "dish2"])),
        "type": st.sampled_from(["text", "number", "time", "dish"]),
    }
)


@pytest.fixture(scope="module")
def taught_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[SkillTemplate, SkillRepository]:
    opened = Store(tmp_path_factory.mktemp("memory"), lambda: NOW)
    skills = taught(opened)
    return only(skills), skills.repository


@given(
    answer=st.one_of(st.text(), st.lists(_SLOT, max_size=4).map(lambda slots: json.dumps({"slots": slots})))
)
def test_whatever_a_model_answers_adds_only_slots_that_a_step_used(
    taught_once: tuple[SkillTemplate, SkillRepository], answer: str
) -> None:
    template, repository = taught_once
    trace = repository.trace("turn-1")
    assert trace is not None
    named = read_named_slots(answer, trace.instruction)
    renewed = with_named_slots(template, trace, named)
    if renewed is None:
        return
    slots = {slot.name: slot.example for slot in renewed.pattern.slots}
    assert {slot.example for slot in template.pattern.slots} <= {*slots.values()}
    assert renewed.pattern.fill(trace.instruction) == slots
    assert {step.slot for step in renewed.steps if step.slot} == {*slots}
    assert [step.action for step in renewed.steps] == [step.action for step in template.steps]
    assert renewed.state is template.state


def test_what_memory_told_apart_stays_whatever_a_model_calls_it(store: Store) -> None:
    """“Soup” is written as a name here: a slot without a model, and no model takes a part of it away."""
    skills = taught(store, "get me the Soup please")
    assert only(skills).pattern.text == "get me the {item} please"
    asyncio.run(skills.name_waiting(Scripted([("Soup please", "dish", "text")])))
    assert only(skills).pattern.text == "get me the {item} please"


def test_a_slot_that_is_called_after_nothing_gets_its_name_from_the_model(store: Store) -> None:
    skills = taught(store, "get me the Soup please")
    asyncio.run(skills.name_waiting(Scripted([("Soup", "dish", "text")])))
    assert only(skills).pattern.text == "get me the {dish} please"
    assert only(skills).steps[-1].slot == "dish"


def test_a_name_that_says_no_more_than_the_type_takes_the_place_of_none(store: Store) -> None:
    skills = taught(store, "get me the Soup please")
    before = only(skills)
    asyncio.run(skills.name_waiting(Scripted([("Soup", "number2", "text")])))
    assert only(skills) == before


def test_a_tab_that_is_named_like_a_value_is_a_word_of_the_app(store: Store) -> None:
    """“Timer” of “set a timer for 5 minutes” still stands there when it was tapped, a dish does not."""
    skills = naming(store)
    learn_turn(store, skills, SAID, [(on(1), screen(MENU)), (Finished(), screen(MENU))])
    trace = skills.repository.trace("turn-1")
    assert trace is not None
    assert with_named_slots(only(skills), trace, {"soup": "dish"}) is None


def test_the_orders_of_another_skill_stay_its_own(store: Store) -> None:
    skills = taught(store, "show me the soup")
    trace = skills.repository.trace(ordered(store, 2, "show me the way", 0, "Rice"))
    other = learn_template(trace) if trace is not None else None
    assert other is not None
    skills.repository.put(other, "shown")
    asyncio.run(skills.name_waiting(Scripted([("soup", "dish", "text")])))
    assert [template.pattern.slots for template in skills.repository.all()] == [(), ()]


def test_a_template_that_changed_meanwhile_stays_as_it_is(store: Store) -> None:
    skills = taught(store)
    skills.note_end(ordered(store, 2, "get me the rice please", 0, "Rice"), Outcome.SUCCESS)
    skills.learn_waiting()
    merged = only(skills)
    assert len(merged.evidence) == 2
    asyncio.run(skills.name_waiting(Scripted([("please", "manner", "text"), ("soup", "dish", "text")])))
    assert only(skills) == merged


def test_the_name_that_the_user_gave_stays(store: Store) -> None:
    skills = taught(store)
    skills.rename(only(skills), "Lunch")
    asyncio.run(skills.name_waiting(Scripted([("soup", "dish", "text")])))
    assert (only(skills).name, only(skills).pattern.text) == ("Lunch", "get me the {dish} please")


@pytest.mark.parametrize("said", ["get me the soup, my password is 1234", "get me soup, PIN: 4711"])
def test_an_order_with_a_secret_is_not_sent(store: Store, said: str) -> None:
    model = Scripted([])
    asyncio.run(taught(store, said).name_waiting(model))
    assert model.asked == []
    assert waiting(store) == []


def test_nothing_is_sent_of_a_template_whose_text_was_withheld(store: Store) -> None:
    template = only(taught(store))
    assert slots_request(template)
    withheld = template.steps[-1].model_copy(update={"action": TypeText(text="")})
    assert slots_request(template.model_copy(update={"steps": (*template.steps, withheld)})) == ""


def test_a_crash_before_the_answer_loses_no_question(store: Store) -> None:
    taught(store)
    assert waiting(store) == ["turn-1"]
    restarted = naming(store)
    restarted.learn_waiting()
    assert waiting(store) == ["turn-1"], "it is learnt from already, and only waits for the model"
    asyncio.run(restarted.name_waiting(Scripted([("soup", "dish", "text")])))
    assert only(restarted).pattern.text == "get me the {dish} please"


def test_without_a_model_nothing_waits(store: Store) -> None:
    taught(store)
    without = SkillMemory(store, "me")
    without.learn_waiting()
    assert waiting(store) == []
    assert only(without).pattern.slots == ()


def test_neither_learning_nor_the_end_waits_for_a_slow_model(store: Store) -> None:
    asked = asyncio.Event()

    async def never(system: str, user: str, schema: dict[str, object] | None = None) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    async def lived() -> list[str]:
        skills = naming(store)
        learner = SkillLearner(skills, never)
        for number, (said, place, dish) in enumerate(
            (("get me the soup please", 1, "Soup"), ("bring tea now", 2, "Tea")), 1
        ):
            turn_id = ordered(store, number, said, place, dish)
            learner.note_end(turn_id, Outcome.SUCCESS, "", ActionMemory(skills.repository))
            assert learner.task is not None
            await asyncio.wait_for(learner.task, 5)
            await asyncio.wait_for(asked.wait(), 5)
        learnt = [template.pattern.text for template in skills.repository.all()]
        await asyncio.wait_for(learner.close(), 5)
        return learnt

    assert asyncio.run(lived()) == ["get me the soup please", "bring tea now"]
    assert waiting(store) == ["turn-1", "turn-2"], "both are asked about at the next start"


@pytest.mark.parametrize(
    ("faults", "text"),
    [((), "get me the {item} please"), ((Fault(kind=FaultKind.WRONG, times=None),), SAID)],
)
def test_the_stand_in_names_slots_well_or_badly_and_what_it_used_is_told(
    store: Store, faults: tuple[Fault, ...], text: str
) -> None:
    sent: list[RequestLogEntry] = []
    used: list[Usage] = []

    async def lived() -> None:
        async with ScriptedModel(ModelOptions(faults=faults)) as model:
            settings = ModelSettings(base_url=model.address.base_url, name="scripted")
            ask = make_text_model(settings, sent.append, lambda usage, _seconds: used.append(usage))
            await taught(store).name_waiting(ask)

    asyncio.run(lived())
    (template,) = SkillRepository(store, "me").all()
    assert template.pattern.text == text
    assert len(sent) == len(used) == 1
    assert used[0].total_tokens > 0

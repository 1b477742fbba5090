"""What the scripted model writes, in forms that share nothing with the dialects, is read as it was meant."""

from __future__ import annotations

import pytest

from assistant.model.dialects import registry
from assistant.model.dialects.base import ModelReply
from assistant.model.streamed_reply import split_thought
from assistant.model.types import SentImage
from assistant.records import Action, Click, Finished, OpenApp, Point, PressBack, TypeText
from assistant.simulator.model.families import families, values_of
from tests.tables import each

FAMILIES = {name: family for name, family in families().items() if not family.general}
ACTIONS: tuple[Action, ...] = (
    Click(point=Point(0.5, 0.25)),
    TypeText(text='it\'s "tea" (hot)'),
    TypeText(text="牛肉面，不要香菜"),
    PressBack(),
    OpenApp(name="Maps"),
    Finished(answer="Two rooms."),
)
WORDS = {
    "thought": "The field is empty. I do not see it yet, so I tap it.",
    "sentence": "Tap the search field.",
}


@each("name", FAMILIES)
def test_each_familys_replies_are_read_in_all_their_habits(name: str) -> None:
    family = FAMILIES[name]
    dialect = registry.choose("", family.example)
    frame = SentImage(*dialect.space.resize(1080, 2400))
    prompt = dialect.rules(frame)
    for action in ACTIONS:
        if not family.can(action.type, prompt):
            continue
        more = {**WORDS, "summary": "opened the app", "label": "Search", "number": 1}
        values = values_of(action, family.space, (frame.width, frame.height), more)
        for template in family.replies:
            call = family.call(action.type, values, prompt)
            text = template.replace("{call}", call)
            for word, said in WORDS.items():
                text = text.replace(f"{{{word}}}", said)

            read = dialect.read(ModelReply(split_thought(text)[1].strip()), frame).main

            assert read is not None, text
            assert read.type == action.type, text
            match read, action:
                case Click(point=got), Click(point=meant):
                    assert tuple(got) == pytest.approx(tuple(meant), abs=0.03), text
                case (TypeText(text=got), TypeText(text=meant)) | (OpenApp(name=got), OpenApp(name=meant)):
                    assert got == meant, text

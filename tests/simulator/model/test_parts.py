"""Commands that ask for several things."""

from __future__ import annotations

from assistant.records import Finished, PressHome
from assistant.simulator.model.parts import one_by_one, parts_of
from assistant.simulator.model.policy import understand
from assistant.simulator.model.screen import Screen
from assistant.simulator.model.situation import Past, Situation, Step
from tests.tables import each


def knows(text: str) -> bool:
    return understand(Situation(text, Screen())) is not None


@each(
    ("said", "parts"),
    [
        ("call Mom", ["call Mom"]),
        ("call Mom, then navigate to the office", ["call Mom", "navigate to the office"]),
        ("call Mom and play First Snow", ["call Mom", "play First Snow"]),
        ("tell Mom that we eat and talk", ["tell Mom that we eat and talk"]),
        (
            "order beef noodles, no coriander, to the office, then call Mom",
            ["order beef noodles, no coriander, to the office", "call Mom"],
        ),
        ("给妈妈打电话，然后导航去公司", ["给妈妈打电话", "导航去公司"]),
        ("点牛肉面，不要香菜，送到公司", ["点牛肉面，不要香菜，送到公司"]),
        ("买一双跑鞋，要42码", ["买一双跑鞋，要42码"]),
        ('In Maps, find out "call Mom, then go home".', ['In Maps, find out "call Mom, then go home".']),
    ],
)
def test_a_command_is_cut_only_where_each_part_can_be_done(said: str, parts: list[str]) -> None:
    assert parts_of(said, knows) == tuple(parts)


def test_each_part_sees_its_own_steps_and_all_but_the_last_lead_home() -> None:
    seen: list[Situation] = []

    def decides(situation: Situation) -> Step:
        seen.append(situation)
        return Step(Finished(answer="Done."), "")

    begun = Situation("both", Screen(), (Past("open_app", "Phone"),))
    assert isinstance(one_by_one(begun, ("call Mom", "play First Snow"), decides).action, PressHome)
    later = Situation("both", Screen(), (*begun.history, Past("press_home"), Past("open_app", "Music")))
    assert isinstance(one_by_one(later, ("call Mom", "play First Snow"), decides).action, Finished)
    assert [(one.instruction, [past.detail for past in one.history]) for one in seen] == [
        ("call Mom", ["Phone"]),
        ("play First Snow", ["Music"]),
    ]

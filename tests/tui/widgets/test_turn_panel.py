"""A vague command for the welcome, from what the memory holds and from nothing else."""

from __future__ import annotations

import pytest

from assistant.memory_view.items import HOURS, Item
from assistant.tui.widgets.turn_panel import choose_example
from tests.tables import each
from tests.tui.app_fixture import open_desk
from tests.tui.remembered import live
from tests.tui.scripted import ScriptedEngine


def preference(name: str, *hours: int) -> Item:
    return Item(name, name, frozenset(), hours=tuple(hours.count(hour) for hour in range(HOURS)))


@each(
    ("preferences", "command"),
    [
        ([], ""),
        ([preference("Order beef noodles", 12, 12, 12)], "order my usual lunch"),
        ([preference("点一份牛肉面", 18, 19, 18)], "order my usual dinner"),
        ([preference("Order beef noodles", 9, 12, 15, 20)], ""),
        ([preference("Order beef noodles", 12), preference("Order rice", 13)], ""),
        ([preference("Navigate home", 12, 12)], ""),
        ([preference("Order a taxi home", 18, 18)], ""),
        ([preference("Order two train tickets", 18, 18)], ""),
        ([preference("Get directions home", 18, 18)], ""),
        ([preference("帮我订一张电影票", 18, 18)], ""),
        ([preference("Play the song Warm Milk", 23, 22, 0)], "play the music I fall asleep to"),
    ],
)
def test_only_what_alone_fits_a_part_of_the_day_is_called_usual(
    preferences: list[Item], command: str
) -> None:
    assert choose_example(preferences) == command


async def test_the_welcome_gives_it_as_an_example(tmp_path_factory: pytest.TempPathFactory) -> None:
    engine = ScriptedEngine(remembered=live(tmp_path_factory.mktemp("lived"))[1])
    async with open_desk(engine) as desk:
        engine.phone()
        for worker in [one for one in desk.app.workers if one.group == "usual"]:
            await worker.wait()
        await desk.settle()
        assert "order my usual lunch   (from what is remembered)" in desk.text


async def test_an_empty_memory_gives_none() -> None:
    async with open_desk() as desk:
        desk.engine.phone()
        await desk.settle()
        assert "from what is remembered" not in desk.text

"""Every screen and every state of the interface, as an app and the way to what is looked at."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from textual.app import App
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from assistant.cli.help import NOT_KEPT
from assistant.events import Answer
from assistant.history import PastTurns
from assistant.memory_view.items import Section
from assistant.memory_view.service import MemoryView
from assistant.proactive.schedules import Schedules
from assistant.records import Outcome
from assistant.settings.schema import ModelSettings, Settings
from assistant.setup.core import Setup
from assistant.skills.storage import SkillRepository
from assistant.tui.app import AssistantApp, SetupApp
from tests.history_turns import keep_some
from tests.tui import scenes
from tests.tui.app_fixture import press_or_say
from tests.tui.meanings import RECORDS, proposed
from tests.tui.remembered import LATER, live, lunch_skill
from tests.tui.scripted import Clock, ScriptedEngine, lunch, past_suggestion
from tests.tui.test_phones import PHONES
from tests.tui.test_settings import setup_of
from tests.tui.test_setup import MISS, MadeUp

_ENDLESS = ("events", "joining")
"""Groups of workers that do not end by themselves."""

Opened = App[Any]
Way = Callable[[Opened, Pilot[Any]], Awaitable[None]]


@dataclass(frozen=True)
class View:
    """An app, and how to come to what is looked at.

    The folder it is made with is shared by all, and nobody writes to it later. `main` marks the few that are
    kept as drawings too, and are looked at in the terminal's own colours.
    """

    app: Callable[[Path], Opened]
    way: Way
    main: bool = False


async def rest(app: Opened, pilot: Pilot[Any]) -> None:
    """Wait until everything that was asked for is read, drawn and shown, and no button looks pressed.

    A picture begins to be drawn when its place has been laid out, so that one quiet look is not enough.
    """
    quiet_looks = 0
    while quiet_looks < 3:
        await pilot.pause()
        if isinstance(app, AssistantApp):
            engine, main = app.engine, app.main
            assert isinstance(engine, ScriptedEngine)
            memory_works = main.memory.searching
            if not engine.told_everything or main.picture._drawing or memory_works:
                quiet_looks = 0
                continue
        works = [one for one in app.workers if one.group not in _ENDLESS]
        if works:
            quiet_looks = 0
            await app.workers.wait_for_complete(works)
        else:
            quiet_looks = 0 if app.screen.query("Button.-active") else quiet_looks + 1


async def resize(app: Opened, pilot: Pilot[Any], size: tuple[int, int]) -> None:
    """Give the terminal another size. A list knows how long it is only once it was painted there."""
    await pilot.resize_terminal(*size)
    await rest(app, pilot)
    lists = [one for one in app.screen.query(OptionList) if one.region]
    for one in lists:
        one.render_lines(Region(0, 0, one.size.width, 1))
    if lists:
        await rest(app, pilot)


async def press(app: Opened, pilot: Pilot[Any], *keys: str) -> None:
    """Press keys, each once the one before has done its work."""
    for key in keys:
        if key.startswith("/") and isinstance(app, AssistantApp):
            await press_or_say(app, pilot, key)
        else:
            await pilot.press(key)
        await rest(app, pilot)


def _scene(name: str, main: bool = False) -> View:
    scene = scenes.SCENES[name]

    async def way(app: Opened, pilot: Pilot[Any]) -> None:
        assert isinstance(app, AssistantApp)
        assert isinstance(app.engine, ScriptedEngine)
        scene.play(app.engine)

    return View(lambda folder: AssistantApp(scene.engine(), Clock()), way, main)


def _keys(
    *keys: str,
    engine: Callable[[Path], ScriptedEngine] = lambda folder: ScriptedEngine(),
    before: Callable[[ScriptedEngine], object] = ScriptedEngine.phone,
    setup: Callable[[Path], Setup | None] = lambda folder: None,
    find: tuple[str, str] = ("", ""),
    main: bool = False,
) -> View:
    """A screen that keys lead to; `find` puts words into a field there."""

    async def way(app: Opened, pilot: Pilot[Any]) -> None:
        assert isinstance(app, AssistantApp)
        assert isinstance(app.engine, ScriptedEngine)
        before(app.engine)
        await rest(app, pilot)
        await press(app, pilot, *keys)
        if find[0]:
            app.screen.query_one(find[0], Input).value = find[1]

    return View(lambda folder: AssistantApp(engine(folder), Clock(), setup=setup(folder)), way, main)


def _past(folder: Path) -> ScriptedEngine:
    return ScriptedEngine(turns=_turns(folder / "turns"))


def _two_lists(approval_first: bool) -> View:
    """An approval, and what a line that was typed meanwhile is for: one asks, the other waits."""

    async def way(app: Opened, pilot: Pilot[Any]) -> None:
        assert isinstance(app, AssistantApp)
        assert isinstance(app.engine, ScriptedEngine)
        scenes.SCENES["running"].play(app.engine)
        await rest(app, pilot)
        app.main.input.insert("call mom")
        if approval_first:
            app.engine.ask_approval(5, sentence="Pays ¥32.00, to Corner Noodle House.")
            await rest(app, pilot)
        await press(app, pilot, "enter")
        if not approval_first:
            app.engine.ask_approval(5, sentence="Pays ¥32.00, to Corner Noodle House.")
            await rest(app, pilot)

    return View(lambda folder: AssistantApp(ScriptedEngine(), Clock()), way)


def _remembering(folder: Path) -> ScriptedEngine:
    return ScriptedEngine(remembered=_memory_of(folder / "memory"))


@cache
def _turns(folder: Path) -> PastTurns:
    return keep_some(folder)[1]


@cache
def _memory_of(folder: Path) -> MemoryView:
    store, view = live(folder)
    schedules = Schedules(store, "1")
    coffee = schedules.add("every weekday at 8", "order my usual coffee", LATER, "Asia/Shanghai")
    schedules.note_run(coffee, "", LATER)
    later = LATER + timedelta(minutes=1)
    bank = schedules.add("when the bank texts", "tell me my balance", later, "Asia/Shanghai")
    schedules.pause(bank, paused=True, now=LATER)
    SkillRepository(store, "1").put(lunch_skill(), "a turn ended well", "Learn a skill")
    return view


def _memory(section: Section, *keys: str, turn: bool = False, main: bool = False) -> View:
    async def way(app: Opened, pilot: Pilot[Any]) -> None:
        assert isinstance(app, AssistantApp)
        assert isinstance(app.engine, ScriptedEngine)
        app.engine.phone()
        if turn:
            lunch(app.engine)
        await rest(app, pilot)
        await press(app, pilot, "f2")
        app.main.memory.show_section(section)
        await rest(app, pilot)
        await press(app, pilot, *keys)

    return View(lambda folder: AssistantApp(_remembering(folder), Clock()), way, main)


def _setting_up(*keys: str, miss: bool = False) -> View:
    def app(folder: Path) -> Opened:
        settings = Settings(model=ModelSettings(name="qwen3-vl", base_url="http://localhost:8000/v1"))
        setup = MadeUp(settings, not_kept=NOT_KEPT)
        setup.trial = MISS if miss else MadeUp.trial
        return SetupApp(setup)

    async def way(app: Opened, pilot: Pilot[Any]) -> None:
        await press(app, pilot, *keys)

    return View(app, way)


def _queue(engine: ScriptedEngine, outcome: Outcome | None = None) -> None:
    engine.phone()
    lunch(engine)
    for said in ("order a flat white with oat milk", "给妈妈发消息说我晚点到"):
        engine.command_queue.add(said)
    if outcome is not None:
        engine.finish(outcome, "The shop is closed.", 4)


_OLD = past_suggestion("Navigate home and play the evening podcast", Answer.ACCEPTED)
_SUGGESTED = [_OLD, replace(_OLD, answer=Answer.LAPSED), replace(_OLD, instruction="订一份牛肉面")]


def _wrong(folder: Path) -> Setup:
    kept = 'store = "/home/me/memory"\n'
    return setup_of(folder / "config.toml", kept + '[turn]\nmax_steps = "many"\ntakeover = false\n')


VIEWS: dict[str, View] = {
    **{name: _scene(name, name in ("first", "running", "approval", "suggested")) for name in scenes.SCENES},
    "approval_then_line": _two_lists(approval_first=True),
    "line_then_approval": _two_lists(approval_first=False),
    "deciding": _keys("tab", before=ScriptedEngine.suggest),
    "queue": _keys("tab", before=_queue),
    "queue_held": _keys(before=partial(_queue, outcome=Outcome.FAILED)),
    "help": _keys("f1"),
    "palette": _keys("ctrl+p"),
    "why": _keys("f8", engine=lambda folder: ScriptedEngine(records=RECORDS), before=proposed),
    "where": _keys("/where"),
    "phones": _keys("/phones", engine=lambda folder: ScriptedEngine(connected=list(PHONES))),
    "past_suggestions": _keys("/suggestions", engine=lambda folder: ScriptedEngine(old=_SUGGESTED)),
    "history": _keys("/history", engine=_past),
    "history_turn": _keys("/history", "end", "enter", "down", engine=_past),
    "history_none_fits": _keys("/history", "slash", engine=_past, find=("#past-find", "zzzzz")),
    "settings": _keys("/settings", setup=_wrong),
    "settings_edit": _keys("/settings", "enter", setup=_wrong),
    "setup_phones": _setting_up(),
    "setup_checked": _setting_up("enter"),
    "setup_code": _setting_up("end", "up", "enter"),
    "setup_model": _setting_up("ctrl+right"),
    "setup_hit": _setting_up("ctrl+right", "ctrl+right", "enter"),
    "setup_miss": _setting_up("ctrl+right", "ctrl+right", "enter", miss=True),
    **{f"memory_{section}": _memory(section) for section in Section},
    "memory_beside_a_turn": _memory(Section.ROUTINES, turn=True, main=True),
    "memory_node": _memory(Section.PROFILE, "end"),
    "memory_find": _memory(Section.RECORDS, "slash", *"flat"),
    "memory_edit": _memory(Section.ROUTINES, "e", "tab"),
    "memory_steps": _memory(Section.SKILLS, "e", "tab"),
    "memory_dry_run": _memory(Section.SKILLS, "t", "enter"),
    "memory_forget": _memory(Section.ROUTINES, "f"),
    "memory_wipe": _memory(Section.RECORDS, "w"),
    "memory_closed": _keys("f2"),
}

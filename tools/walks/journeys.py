"""The walks: what a person does who has never seen the program, and what must come on the screen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from assistant.i18n import _
from assistant.simulator.control import ControlClient
from assistant.simulator.orders import Drop, Restore
from assistant.simulator.world import World
from tools.walks.walk import Walk

READY = "Type what the phone should do, then press enter."
NO_PHONE = "No phone is connected."
PRESS_SETUP = "Type /setup: it sets up phone and model, step by step."
FINISHED = "Finished"
RUNNING = "Running"
PAUSED = "Paused by you"
CUT_OFF = "Left unfinished"
CANCELLED = "Cancelled by you"
ABOUT_TO = "About to do"
TYPE_TO_CHANGE = "enter go now   ↑ edit   or say what to change   f8 why"
HABIT = "{count} of {all} days, last {day}"
WORKING_HABIT = "{count} of {all} working days, last {day}"
APPROVAL = "yes, this once"
FIRST_STAGE = "Step 1: submits the order; a payment page asks again"
LAST_STAGE = "Step {number}, after “{before}”: pays"
DECIDES = "esc hides the list, it still waits · f8 its records"
NEW_WORDS = "The memory changed, and the suggestion with it: {words}"
MEMORY = "Memory"
UNDO = "undo"
WAITS = "Suggested from memory, {clock}:"
CLOSES = "f2 closes"
EDITED = "enter keeps it · esc or f2 leaves it as it was"
WHY = "Why"
BECAUSE = "Because of {records}:"
BEHIND = "because of {count} records:"
_OFTEN, _PATIENCE = 5, 5.0
_NOON = ("--at", "2026-03-11T11:55", "--pace", "150")
_MORNING = ("--at", "2026-03-11T09:05", "--pace", "150")
"""A Wednesday before the first routine of the demo's person, with a model that writes fast."""


@dataclass(frozen=True, slots=True)
class Commands:
    """What a person types, in their language.

    Attributes:
        explicit: a first command.
        vague: one that memory completes.
        corrected: what is typed in place of its meaning.
        usual: the command behind the suggestion of the day.
        other: what the usual is changed to.
        long: one that takes many steps.
        remark: what is said to a turn that is paused.
    """

    explicit: str
    vague: str
    corrected: str
    usual: str
    other: str
    long: str
    remark: str


ENGLISH = Commands(
    explicit="turn on dark mode",
    vague="play the music I fall asleep to",
    corrected="Play the song Warm Milk",
    usual="order my usual lunch",
    other="Order tomato egg noodles from Old Street Noodles to the office",
    long="order beef noodles without coriander",
    remark="take the one with the best rating",
)
CHINESE = Commands(
    explicit="打开深色模式",
    vague="放我睡前听的音乐",
    corrected="播放歌曲热牛奶",
    usual="点我平时吃的午饭",
    other="在老街面馆点一份番茄鸡蛋面送到公司",
    long="点一份不要香菜的牛肉面",
    remark="选评分最高的那家",
)


@dataclass(frozen=True, slots=True)
class Journey:
    """A walk: what it shows, how it goes, whether phone and model are there, and are set up, beforehand."""

    title: str
    take: Callable[[Walk, Commands, World | None], Awaitable[None]]
    in_world: bool = False
    set_up: bool = False


async def first(walk: Walk, commands: Commands, world: World | None) -> None:
    """From nothing at all to the first finished turn, on the simulated phone that the program offers."""
    walk.start()
    await walk.see("Nothing is set up: what is missing, and the command that mends it", NO_PHONE, PRESS_SETUP)
    walk.say("/setup")
    await walk.see("Setting up offers a simulated phone too", "Try it on a simulated phone", NO_PHONE)
    walk.press("end", "enter")
    await walk.see("The simulated phone is ready", READY)
    walk.say(commands.explicit)
    await walk.see("The first turn is finished", commands.explicit, FINISHED)


async def own(walk: Walk, commands: Commands, world: World | None) -> None:
    """From nothing at all to the first finished turn, on a phone and a model that are the person's own."""
    phone, model = there(world).phone["serial"], there(world).model["base_url"]
    walk.start()
    await walk.see("Nothing is set up", PRESS_SETUP)
    walk.say("/setup")
    await walk.see("The phones that adb knows, and ways to get one", "Connect by address", NO_PHONE)
    walk.press("down", "enter")
    await walk.meet("A field for the address", "Address and port")
    walk.type(phone)
    walk.press("enter")
    await walk.see("The phone is chosen, and what it allows", phone, "· in use", "unlocked")
    walk.press("ctrl+right", "end")
    await walk.see("The model: a preset, or an address", "Another address", "Model's name")
    await walk.leave("enter")
    walk.type(model)
    await walk.leave("enter")
    await walk.leave("enter")
    walk.say("scripted")
    await walk.see("The model taps a sample screen where it should", "The model taps", "dialect: {dialect}")
    walk.press("escape")
    await walk.see("All is ready", READY)
    walk.say(commands.explicit)
    await walk.see("The first turn is finished", commands.explicit, FINISHED)


async def day(walk: Walk, commands: Commands, world: World | None) -> None:
    """A vague command and its correction, a suggestion, the fact behind it, a change of it, and an undo."""
    walk.start("demo", *_MORNING)
    await walk.see("The demo is ready", READY)
    walk.say(commands.vague)
    await walk.see("What the command means, before it begins", ABOUT_TO, HABIT, TYPE_TO_CHANGE)
    await walk.clear()
    walk.type(commands.corrected)
    await walk.insist("enter", ABOUT_TO)
    await walk.see("Done as it was corrected", commands.corrected, FINISHED)
    await wait_for_suggestion(walk)
    await walk.see("A suggestion waits and takes nothing from typing", WAITS)
    walk.press("tab")
    await walk.see("What is suggested, how likely it is, and why", DECIDES)
    walk.press("f8")
    await walk.see("The fact behind it, in the memory", MEMORY, BEHIND)
    walk.press("f2")
    await walk.meet("The keys are the memory's", UNDO)
    await walk.bring("e", EDITED)
    await walk.see("It is edited in its place", EDITED)
    await walk.clear()
    walk.type(commands.other)
    walk.press("enter")
    await walk.see("It is changed, and the suggestion that waits with it", "Changed: {text}", NEW_WORDS)
    await walk.close("f2", CLOSES)
    await walk.see("What waits says the new thing", WAITS, commands.other)
    await means(walk, "A command that says less means the new thing", commands.usual, commands.other)
    walk.press("f2")
    await walk.meet("The memory", MEMORY, UNDO)
    walk.press("u")
    await walk.see("The change is undone", "Undone: {what}.", NEW_WORDS)
    await walk.close("f2", CLOSES)
    await means(walk, "And it means again what it meant", commands.usual, WORKING_HABIT)
    walk.press("tab")
    await walk.meet("The suggestion still waits", DECIDES)
    await walk.insist("1 enter", DECIDES)
    await walk.see("Accepted: it asks before it pays", APPROVAL, FIRST_STAGE)
    await walk.insist("1 enter", FIRST_STAGE)
    await walk.see("It asks again where the money moves", APPROVAL, LAST_STAGE)
    await walk.insist("1 enter", APPROVAL)
    await walk.see("What was accepted is done", FINISHED)


async def interrupt(walk: Walk, commands: Commands, world: World | None) -> None:
    """A pause, a remark, a phone that goes away and comes back, a program that is killed, a cancellation."""
    phone = there(world).phone
    walk.start()
    await walk.meet("The program is ready", READY)
    walk.say(commands.long)
    await walk.see("A turn runs: its steps, what it does now, how to stop it", RUNNING, "2 ✓")
    walk.press("escape")
    await walk.see("Paused: nothing more is sent", PAUSED)
    walk.say(commands.remark)
    await walk.see("What was said stands in the turn", PAUSED, f"› {commands.remark}")
    walk.press("f5")
    await walk.meet("It goes on", RUNNING)
    async with ControlClient(phone["control"], phone["token"]) as control:
        await control.perform(Drop())
        walk.note("the phone is unplugged")
        await walk.see("The phone is gone", "Phone not available, waiting for it")
        await control.perform(Restore())
    walk.note("the phone is plugged in")
    await walk.see("It goes on by itself", RUNNING)
    walk.kill()
    await walk.ended()
    walk.start()
    await walk.see("The turn that was cut off is offered", CUT_OFF)
    await walk.insist("1 enter", CUT_OFF)
    await walk.see("It goes on up to what needs a yes", APPROVAL)
    await walk.insist("n enter", APPROVAL)
    walk.press("escape", "escape")
    await walk.see("Cancelled", CANCELLED)


async def picture(walk: Walk, commands: Commands, world: World | None) -> None:
    """The screens that the README shows: a turn at its first approval, and the memory behind it."""
    walk.start("demo", *_NOON)
    await walk.meet("The demo is ready", READY)
    walk.say(commands.usual)
    await walk.meet("What the command means", ABOUT_TO)
    await walk.insist("enter", ABOUT_TO)
    await walk.see("turn", APPROVAL, WORKING_HABIT, "◎")
    walk.press("f8")
    await walk.meet("Why", WHY, BECAUSE)
    walk.press("1")
    await walk.see("memory", MEMORY, BEHIND)


async def wait_for_suggestion(walk: Walk) -> None:
    """Let the demo's time pass to where a routine is likely, again until it is likely enough."""
    for _again in range(_OFTEN):
        await pass_time(walk)
        if await walk.comes(WAITS, _PATIENCE):
            return


async def pass_time(walk: Walk) -> None:
    """Let the demo's time pass to the next moment at which somebody looks."""
    words = "Demo time: go to the next suggestion"
    walk.press("ctrl+p")
    # The words of a library, the same in every language.
    await walk.meet("The palette", "Search for commands…")
    walk.type(_(words))
    await walk.meet("What lets time pass", words)
    await walk.pass_by("Demo time: let an hour pass")
    walk.press("enter")


async def means(walk: Walk, title: str, command: str, *words: str) -> None:
    """Say a command, look what it means, and cancel it."""
    walk.say(command)
    await walk.see(title, ABOUT_TO, command, *words)
    walk.press("escape")
    await walk.meet("It is paused", PAUSED)
    await walk.insist("escape", PAUSED)
    await walk.meet("It is cancelled", CANCELLED)


def there(world: World | None) -> World:
    """The phone and the model of a walk that has them beforehand."""
    if world is None:
        raise ValueError("This walk needs a phone and a model.")
    return world


JOURNEYS = {
    "first": Journey("The first run, on a simulated phone", first),
    "own": Journey("The first run, with a phone and a model of one's own", own, in_world=True),
    "day": Journey("A day: a vague command, a suggestion, and the memory behind both", day),
    "interrupt": Journey("Whatever comes between", interrupt, in_world=True, set_up=True),
    "picture": Journey("The pictures of the README", picture),
}

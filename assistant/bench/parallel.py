"""`bench parallel`: commands over several apps on several simulated phones, beside the same in turn.

The six kinds are those of MobiMem's Table 6 by the shape of their graphs. The phones have other apps than the
paper's, so that contacts, a map or a note stand for any app in which something is looked up. Phones, apps and
model are simulated, each phone and the model in a process of its own, with a real phone's delays and a model
that thinks for a fixed time; adb, the turns, the store and the scheduling are real. Every screen is a phone's
own, except in `parallel_displays`, which has one phone with other displays.

The bound of a command is its critical path: from what its sub-tasks take in the serial run, one by one, and
from after how many seconds the last one needs its values.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import SecretStr

from assistant.agent.context import OtherScreens, StepProposer, TurnContext, Workplace
from assistant.agent.plans.plan import Plan, topological_order
from assistant.agent.plans.plan_turn import PlanTurn
from assistant.agent.plans.planner import split_command
from assistant.agent.turn import Turn
from assistant.bench.deed_counts import NO_DEEDS, DeedCount, of_list, total
from assistant.bench.harness import START
from assistant.bench.report import Report, progress, ratio, rounded
from assistant.events import ActionKind, Approval, ApprovalRequested, Event, SubTaskChanged, Verdict
from assistant.memory.store import Store, open_store
from assistant.memory.turns import Checkpoint
from assistant.model.client import VisionModel
from assistant.phone.adb import AdbServer
from assistant.phone.device import Phone
from assistant.phone.displays import Displays
from assistant.records import Outcome
from assistant.safety.amounts import Allowance
from assistant.settings.schema import ModelSettings, OtherDisplays, PhoneSettings, Settings, TurnSettings
from assistant.simulator.adb_server import PrivateAdbServer
from assistant.simulator.chance import pick, whole
from assistant.simulator.control import ControlClient
from assistant.simulator.orders import Drop, Freeze, Own, Reset, Restore, Uninstall
from assistant.simulator.world import SimulatorProcesses
from assistant.skills.replay import ActionMemory
from assistant.skills.service import SkillMemory
from assistant.turn_runner import DisplayPlaces

PHONES = 4
THINKING = 1.5
"""Seconds that the model takes for each decision, as in the paper's bound."""

APPS = ("Contacts", "Maps", "Notes", "Market", "Chat")
_SCALE = 0.3334
"""The screens beside 1080 x 2400: they lay out the same, and are drawn faster."""
_CAP = 400.0
_SILENCE, _FAULT_CAP = 120.0, 600.0
"""A run with a fault hangs if it tells nothing for so many seconds, or has not ended after so many.

Not by its length alone: on two processors that 25 programs share, a run without a fault takes 60 s.
"""
_DROPPED, _LANES = 1.5, 2
_ALLOWED = (Allowance(ActionKind.SEND), Allowance(ActionKind.PAY))

KINDS = {
    "search + social": "look up the opening hours of {place} on Maps and send it to {who} on Chat",
    "single-shop + social": "look up the number of {person} in Contacts and send it to {who} on Chat",
    "multi-shop + social": (
        "look up the opening hours of {place} on Maps, look up the number of {person} in Contacts and send "
        "them to {who} on Chat"
    ),
    "multi-video + social": (
        "read the note Wish on Notes, look up the opening hours of {place} on Maps and send them to {who} "
        "on Chat"
    ),
    "search + shop": "read the note Wish on Notes, then buy it on Market",
    "search + shop + social": (
        "read the note Dinner on Notes, look up the opening hours of it on Maps and send it to {who} on Chat"
    ),
}
VALUES = {
    "place": ("Willow Park", "Corner Coffee", "Moon Bay Dumplings"),
    "person": ("Zhang Ming", "Dad", "Li Na"),
    "who": ("Mom", "Lily Chen", "Wang Lei"),
}
_LOOK_UP = "look up the opening hours of Willow Park on Maps"
WISHES = ("Wall clock", "Umbrella", "Frying pan")
DINNERS = ("Moon Bay Dumplings", "Old Street Noodles", "Corner Coffee")
PAPER = {
    "multi-shop + social": "1.41 coarse, 1.98 fine",
    "search + shop + social": "1.50 to 1.53 fine",
}
"""What the paper publishes as times as fast as serial; it gives the other kinds in a figure only."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How a command is carried out: on how many phones, and whether sub-tasks begin before their values.

    `displays`: on other displays of the phone in use as well.
    """

    name: str
    phones: int = PHONES
    early: bool = True
    displays: bool = False


SERIAL, COARSE, FINE = Mode("serial", 1, early=False), Mode("coarse", early=False), Mode("fine")


@dataclass(slots=True)
class CommandRun:
    """One command carried out: when its sub-tasks began, needed a value and ended, and what came of it.

    Where somebody is asked, they agree at once.

    Times are seconds of the event loop's clock; `heard` is when it last told anything. `places` are the
    sub-tasks with their apps and the screens that they began on, `deeds` is what was done on all phones.
    """

    outcome: Outcome | None = None
    seconds: float = 0.0
    began: dict[str, float] = field(default_factory=dict)
    needed: dict[str, float] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    places: list[tuple[str, str, str]] = field(default_factory=list)
    answer: str = ""
    heard: float = 0.0
    deeds: DeedCount = NO_DEEDS

    def take(self, event: Event) -> None:
        """Note what an event tells."""
        now = self.heard = asyncio.get_running_loop().time()
        if isinstance(event, ApprovalRequested):
            event.decision.set_result(Approval(Verdict.ONCE))
        if not isinstance(event, SubTaskChanged):
            return
        if event.state == "running":
            self.began.setdefault(event.branch, now)
            self.places.append((event.branch, event.app, event.phone))
        elif event.state == "needs":
            self.needed.setdefault(event.branch, now)
        else:
            self.ended[event.branch] = now

    def durations(self) -> dict[str, float]:
        """How long each sub-task took."""
        return {name: end - self.began[name] for name, end in self.ended.items() if name in self.began}

    def needed_at(self, plan: Plan) -> dict[str, float]:
        """After how many of its own seconds each sub-task needed its values.

        One that never had to wait needed them no earlier than they were there.
        """
        offsets = {}
        for task in plan.tasks:
            if task.slots and task.id in self.began:
                there = max(self.ended.get(name, self.began[task.id]) for name in task.slots)
                at = self.needed.get(task.id, there)
                offsets[task.id] = max(0.0, at - self.began[task.id])
        return offsets


@dataclass(slots=True)
class Lab:
    """Several phones, one model's endpoint and one memory. The first phone is the one in use."""

    phones: list[ControlClient]
    places: list[Workplace]
    settings: Settings
    store: Store
    adb: AdbServer
    skills: SkillMemory | None = None
    make_screens: Callable[[TurnContext], OtherScreens] | None = None
    turns: int = 0

    async def prepare(self, wish: str, dinner: str) -> None:
        """Return all phones to their start, with two notes that commands refer to."""
        notes = [_make_note(900, "Wish", wish), _make_note(901, "Dinner", dinner)]
        for phone in self.phones:
            await phone.perform(Reset())
            await phone.perform(Own(package="com.example.notes", has={"notes": notes}))

    def context(self, place: Workplace, run: CommandRun) -> TurnContext:
        """What a turn on a phone works with.

        Nobody attends it, and one message and one payment are allowed. Where it learns somebody is asked, as
        in the interface: what memory knows is never done on an allowance alone.
        """
        return TurnContext(
            phone=place.phone,
            model=place.model,
            store=self.store,
            settings=self.settings,
            now=lambda: datetime.now(START.tzinfo),
            emit=run.take,
            attended=self.skills is not None,
            allowances=() if self.skills is not None else _ALLOWED,
            action_memory=place.action_memory,
        )

    def checkpoint(self, said: str) -> Checkpoint:
        """A turn that begins now."""
        self.turns += 1
        now = datetime.now(START.tzinfo)
        return Checkpoint(
            turn_id=f"turn-{self.turns}", user_id="me", started=now, said=said, instruction=said
        )

    def make_turn(self, said: str, mode: Mode, run: CommandRun, left: Checkpoint | None = None) -> PlanTurn:
        """The turn of a command, or of one that was left."""

        async def make_plan(instruction: str) -> Plan | None:
            return split_command(instruction, APPS)

        context = self.context(self.places[0], run)
        return PlanTurn(
            context,
            left or self.checkpoint(said),
            self.places[1 : mode.phones],
            make_plan,
            self.note_part,
            continued=left is not None,
            early=mode.early,
            displays=self.make_screens(context) if mode.displays and self.make_screens else None,
        )

    def note_part(self, turn: Turn, outcome: Outcome, actions: StepProposer | None) -> None:
        """Have a sub-task that has ended teach what to do, where the memory learns."""
        if self.skills is not None and isinstance(actions, ActionMemory):
            self.skills.note_end(turn.checkpoint.turn_id, outcome, turn.answer, actions)

    async def look_up(self, place: Workplace) -> Outcome:
        """Look up something on a phone, as a turn by itself."""
        return await Turn(self.context(place, CommandRun()), self.checkpoint(_LOOK_UP)).run()

    async def warm_up(self) -> None:
        """Have each phone used once: what is read from a new phone, such as its apps' names, is kept."""
        await self.prepare("", "")
        await asyncio.gather(*map(self.look_up, self.places))

    async def states(self) -> list[dict[str, Any]]:
        """What each phone holds."""
        return [await phone.state() for phone in self.phones]

    async def traces(self, who: str) -> list[PhoneTrace]:
        """What there is on each phone of the deeds that commands ask for."""
        return [_read_trace((await phone.state())["apps"], who) for phone in self.phones]


@dataclass(frozen=True, slots=True)
class PhoneTrace:
    """What there is on a phone: messages to somebody, orders, and everything else in the apps of deeds."""

    messages: int
    orders: int
    rest: str


def _read_trace(apps: Mapping[str, Any], who: str) -> PhoneTrace:
    chat, shop = dict(apps.get("com.example.chat", {})), dict(apps.get("com.example.shop", {}))
    said, orders = chat.get("messages", {}), shop.get("orders", [])
    rest = [{name: app[name] for name in app if name not in ("seen", "searches")} for app in (chat, shop)]
    mine = [message for message in said.get(who, ()) if message["from"] == "me"]
    return PhoneTrace(len(mine), len(orders), json.dumps(rest, sort_keys=True))


def _make_note(number: int, title: str, text: str) -> dict[str, Any]:
    time = f"{START:%Y-%m-%d %H:%M}"
    return {"id": number, "key": title, "title": title, "text": text, "time": time, "pinned": False}


@asynccontextmanager
async def open_lab(
    delays: float,
    thinking: float,
    count: int = PHONES,
    *,
    learning: bool = False,
    helper: bool = False,
    displays: OtherDisplays = OtherDisplays.OFF,
) -> AsyncIterator[Lab]:
    """Phones with a real phone's delays times a factor, and a model that thinks for some seconds.

    With `learning` turns teach what to do, and with `helper` phones are read through the resident helper.
    With `displays` they have Android 16, and a turn may make other displays of the first one.
    """
    async with AsyncExitStack() as stack:
        server = stack.enter_context(PrivateAdbServer())
        programs = await stack.enter_async_context(SimulatorProcesses())
        folder = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="assistant-bench-", ignore_cleanup_errors=True)
            )
        )
        adb = AdbServer("127.0.0.1", server.port)
        options = [f"--at={START:%Y-%m-%dT%H:%M}", f"--scale={_SCALE}", f"--delays={delays}"]
        if displays is not OtherDisplays.OFF:
            options.append("--android=16")
        model, *phones = await asyncio.gather(
            programs.start("model", f"--first-token={thinking}"),
            *(programs.start("phone", "--no-difficulties", *options) for _ in range(count)),
        )
        for phone in phones:
            await adb.connect(phone["serial"])
        phone_settings = PhoneSettings(
            serial=phones[0]["serial"],
            adb_port=server.port,
            resident_helper=helper,
            displays=displays,
            scrcpy_server=str(folder / "scrcpy-server"),
        )
        (folder / "scrcpy-server").write_bytes(b"the simulated phone has its own")
        settings = Settings.model_construct(
            store=folder,
            user_id="me",
            phone=phone_settings,
            model=ModelSettings(base_url=model["base_url"], name="scripted", api_key=SecretStr("")),
            turn=TurnSettings(replay=learning, confirm_meaning_seconds=0),
        )
        store = open_store(settings, lambda: datetime.now(START.tzinfo))
        stack.callback(store.close)
        skills = SkillMemory(store, "me") if learning else None
        places = []
        for phone in phones:
            client = VisionModel(settings.model)
            stack.push_async_callback(client.close)
            own = Phone(adb, phone["serial"], phone_settings, folder)
            places.append(Workplace(own, client, skills.new_actions() if skills else None))
        controls = [
            await stack.enter_async_context(ControlClient(phone["control"], phone["token"]))
            for phone in phones
        ]

        def make_screens(context: TurnContext) -> OtherScreens:
            def make_place(phone: Phone) -> Workplace:
                client = VisionModel(settings.model)
                stack.push_async_callback(client.close)
                return Workplace(phone, client)

            serial = context.phone.serial
            return DisplayPlaces(Displays(adb, serial, phone_settings, folder), context, make_place)

        yield Lab(controls, places, settings, store, adb, skills, make_screens)


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a kind, and what the notes that it may refer to say."""

    kind: str
    said: str
    who: str
    wish: str
    dinner: str


def count_by_phone(
    before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]], who: str
) -> DeedCount:
    """The deeds on the phones: one message to somebody and one order are wanted, on the first phone."""
    expected_counts = {f"apps/com.example.chat/messages/{who}": 1, "apps/com.example.shop/orders": 1}
    pairs = enumerate(zip(before, after, strict=True))
    return total(of_list(old, new, {} if place else expected_counts) for place, (old, new) in pairs)


def make_command(kind: str, seed: int, number: int) -> Command:
    """The command of a kind with values of its own."""
    values = {name: pick(choices, seed, number, kind, name) for name, choices in VALUES.items()}
    return Command(
        kind,
        KINDS[kind].format(**values),
        values["who"],
        pick(WISHES, seed, number, kind, "wish"),
        pick(DINNERS, seed, number, kind, "dinner"),
    )


async def run_command(lab: Lab, command: Command, mode: Mode) -> CommandRun:
    """Carry out a command in a mode, from fresh phones."""
    await lab.prepare(command.wish, command.dinner)
    before = await lab.states()
    run = CommandRun()
    turn = lab.make_turn(command.said, mode, run)
    loop = asyncio.get_running_loop()
    began = loop.time()
    with suppress(TimeoutError):
        async with asyncio.timeout(_CAP):
            run.outcome = await turn.run()
    run.seconds, run.answer = loop.time() - began, turn.answer
    run.deeds = count_by_phone(before, await lab.states(), command.who)
    progress(f"{command.kind}, {mode.name}: {run.outcome} in {run.seconds:.1f} s. {run.answer}")
    return run


def critical_path(
    plan: Plan, seconds: Mapping[str, float], needed_at: Mapping[str, float] | None = None
) -> float:
    """The least seconds that a plan takes with a screen for each sub-task.

    Args:
        plan: a plan without circles.
        seconds: how long each sub-task takes by itself.
        needed_at: after how many of its own seconds a sub-task needs its values; by default at once
            (coarse-grained).
    """
    ends: dict[str, float] = {}
    for task_id in topological_order(plan.dependencies()):
        task = plan.task(task_id)
        start = max((ends[name] for name in task.after), default=0.0)
        before = min((needed_at or {}).get(task_id, 0.0), seconds[task_id]) if task.slots else 0.0
        values = max((ends[name] for name in task.slots), default=0.0)
        ends[task_id] = max(start + before, values) + seconds[task_id] - before
    return max(ends.values(), default=0.0)


async def _measure_kind(lab: Lab, kind: str, times: int, seed: int) -> dict[str, Any]:
    """A kind in all modes, as medians; the bound from the serial run of the same command."""
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    shares: defaultdict[str, list[float]] = defaultdict(list)
    well, did = 0, DeedCount()
    for number in range(times):
        command = make_command(kind, seed, number)
        plan = split_command(command.said, APPS)
        if plan is None:
            raise ValueError(f"no plan for {command.said}")
        serial = await run_command(lab, command, SERIAL)
        coarse = await run_command(lab, command, COARSE)
        fine = await run_command(lab, command, FINE)
        runs = (serial, coarse, fine)
        did += total(run.deeds for run in runs)
        well += sum(run.outcome is Outcome.SUCCESS for run in runs)
        if any(run.outcome is not Outcome.SUCCESS for run in runs):
            continue
        for mode, run in zip((SERIAL, COARSE, FINE), runs, strict=True):
            seconds[mode.name].append(run.seconds)
        alone = serial.durations()
        shares["coarse"].append(critical_path(plan, alone) / coarse.seconds)
        shares["fine"].append(critical_path(plan, alone, fine.needed_at(plan)) / fine.seconds)
    if not seconds:
        return {"ended well": well / (3 * times), "deeds": did.as_json()}
    middle = {name: median(values) for name, values in seconds.items()}
    return rounded(
        {
            "serial s": middle["serial"],
            "coarse s": middle["coarse"],
            "fine s": middle["fine"],
            "coarse: times as fast": median(map(_over, seconds["serial"], seconds["coarse"])),
            "fine: times as fast": median(map(_over, seconds["serial"], seconds["fine"])),
            "coarse: share of bound": median(shares["coarse"]),
            "fine: share of bound": median(shares["fine"]),
            "ended well": well / (3 * times),
            "deeds": did.as_json(),
            "paper": PAPER.get(kind, ""),
        },
        3,
    )


def _over(serial: float, other: float) -> float:
    return serial / other


async def _measure_throughput(lab: Lab) -> dict[str, Any]:
    """The same look-up on every phone at once, beside one phone that does them one after the other.

    Each begins at the home screen, with no page of another open.
    """
    loop = asyncio.get_running_loop()
    alone: list[Outcome] = []
    in_turn = 0.0
    for _place in lab.places:
        await lab.prepare("", "")
        began = loop.time()
        alone.append(await lab.look_up(lab.places[0]))
        in_turn += loop.time() - began
    await lab.prepare("", "")
    began = loop.time()
    together = await asyncio.gather(*map(lab.look_up, lab.places))
    at_once = loop.time() - began
    well = sum(outcome is Outcome.SUCCESS for outcome in (*alone, *together))
    progress(f"throughput: {in_turn:.1f} s on one phone, {at_once:.1f} s on {len(lab.places)}")
    return rounded(
        {
            "phones": len(lab.places),
            "one phone s": in_turn,
            "all phones s": at_once,
            "times as fast": ratio(in_turn, at_once) or 0.0,
            "ended well": well / (2 * len(lab.places)),
        },
        3,
    )


@dataclass(slots=True)
class FaultTally:
    """What came of runs with faults."""

    runs: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    wrong_phone: int = 0
    doubled: int = 0
    hung: int = 0
    deeds: DeedCount = NO_DEEDS
    longest: float = 0.0

    def count(self, outcome: Outcome | None, seconds: float) -> None:
        """Count how a run ended after some seconds; None where it hung."""
        self.runs += 1
        self.longest = max(self.longest, seconds)
        self.hung += outcome is None
        name = outcome.value if outcome is not None else "hung"
        self.outcomes[name] = self.outcomes.get(name, 0) + 1


FAULTS = (
    *("unplugged", "dropped", "own dropped", "frozen", "no app", "killed", "unplugged and killed"),
    *("own dropped and killed", "none"),
)
"""What happens at a random moment: another phone is unplugged for good, its connection drops for some
seconds, it stops answering, or an app is missing there; the connection of the phone in use drops; the program
is killed."""


async def _fault_run(
    lab: Lab, command: Command, fault: str, seed: int, number: int, tally: FaultTally
) -> None:
    """One command while a phone is unplugged, an app is missing, or the program is killed and goes on."""
    await lab.prepare(command.wish, command.dinner)
    before = await lab.traces(command.who)
    run = CommandRun()
    turn = lab.make_turn(command.said, FINE, run)
    victim = whole(1, PHONES, seed, number, "victim")
    serial = lab.places[victim].phone.serial
    if fault == "no app":
        package = pick(("com.example.maps", "com.example.notes"), seed, number, "app")
        await lab.phones[victim].perform(Uninstall(package=package))
    held = await lab.states()
    loop = asyncio.get_running_loop()
    began = run.heard = loop.time()
    running = asyncio.create_task(turn.run())
    moment = whole(1, 60, seed, number, "moment") / 10
    await asyncio.wait([running], timeout=moment)
    own, other = lab.phones[0], lab.phones[victim]
    if "unplugged" in fault:
        await lab.adb.disconnect(serial)
    elif "own dropped" in fault:
        await own.perform(Drop(seconds=_DROPPED))
    elif fault == "dropped":
        await other.perform(Drop(seconds=_DROPPED))
    elif fault == "frozen":
        await other.perform(Freeze())
    if "killed" in fault and not running.done():
        running.cancel()
        if not await has_ended(running, run):
            progress(f"{command.kind}, {fault} at {moment} s: does not end when the program does")
            tally.count(None, loop.time() - began)
            return
        left = lab.store.turns.newest_open("me")
        if left is not None:
            turn = lab.make_turn(command.said, FINE, run, left)
            running = asyncio.create_task(turn.run())
    outcome = find_stored_end(lab, turn) if running.cancelled() else await end_of(running, run)
    tally.count(outcome, loop.time() - began)
    tally.deeds += count_by_phone(held, await lab.states(), command.who)
    for place, (old, new) in enumerate(zip(before, await lab.traces(command.who), strict=True)):
        tally.wrong_phone += bool(place) and old != new
        tally.doubled += max(0, new.messages - old.messages - 1) + max(0, new.orders - old.orders - 1)
    progress(f"{tally.runs} {command.kind}, {fault} at {moment} s: {outcome}. {turn.answer[:100]}")
    for phone, workplace in zip(lab.phones, lab.places, strict=True):
        await phone.perform(Restore())
        await lab.adb.connect(workplace.phone.serial)


def find_stored_end(lab: Lab, turn: PlanTurn) -> Outcome | None:
    """How a turn ended that was killed behind its end, so that nothing of it is left to go on with."""
    stored = lab.store.turns.load(turn.checkpoint.turn_id)
    return stored[1] if stored is not None else None


async def end_of(running: asyncio.Task[Outcome], run: CommandRun) -> Outcome | None:
    """How a run ends; None where it does not, which is then cancelled."""
    is_over = await has_ended(running, run)
    outcome = running.result() if is_over and not running.cancelled() else None
    if not is_over:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return outcome


async def has_ended(
    running: asyncio.Task[Outcome], run: CommandRun, silence: float = _SILENCE, longest: float = _FAULT_CAP
) -> bool:
    """Wait for the end of a run; returns whether it came.

    It hangs if it tells nothing for `silence` seconds, or has not ended after the `longest`.
    """
    loop = asyncio.get_running_loop()
    began = loop.time()
    while not running.done():
        left = min(run.heard + silence, began + longest) - loop.time()
        if left <= 0:
            return False
        await asyncio.wait([running], timeout=left)
    return True


async def _measure_faults(count: int, seed: int) -> dict[str, Any]:
    """Runs with faults on phones that do not delay, and with a model that thinks a twentieth of a second."""
    tally = FaultTally()
    numbers = iter(range(count))

    async def lane() -> None:
        async with open_lab(0.0, 0.05) as lab:
            lab = replace_patience(lab)
            for number in numbers:
                kind = pick(tuple(KINDS), seed, number, "kind")
                fault = FAULTS[number % len(FAULTS)]
                await _fault_run(lab, make_command(kind, seed, number), fault, seed, number, tally)

    await asyncio.gather(*(lane() for _ in range(min(_LANES, count))))
    return {
        "runs": tally.runs,
        "outcomes": tally.outcomes,
        "deeds on a wrong phone": tally.wrong_phone,
        "deeds done twice": tally.doubled,
        "deeds": tally.deeds.as_json(),
        "hung": tally.hung,
        "longest s": round(tally.longest, 1),
    }


def replace_patience(lab: Lab) -> Lab:
    """The lab with turns that wait eight seconds for a phone that is gone, instead of a minute."""
    phone = lab.settings.phone.model_copy(update={"return_wait": 8.0, "settle_cap": 1.0})
    return replace(lab, settings=lab.settings.model_copy(update={"phone": phone}))


async def _measure_learnt(times: int, seed: int, delays: float, *, helper: bool) -> dict[str, Any]:
    """The multi-shop kind with a memory that has learnt it, beside serial without memory."""
    kind = "multi-shop + social"
    async with open_lab(delays, THINKING, helper=helper) as lab:
        await lab.warm_up()
        serial = [(await run_command(lab, make_command(kind, seed, n), SERIAL)).seconds for n in range(times)]
    learnt: list[CommandRun] = []
    async with open_lab(delays, THINKING, learning=True, helper=helper) as lab:
        if lab.skills is None:
            raise ValueError("the lab does not learn")
        await lab.warm_up()
        for number in range(2):
            for mode in (SERIAL, FINE):
                await run_command(lab, make_command(kind, seed + 1, number), mode)
                await asyncio.to_thread(lab.skills.learn_waiting)
        for number in range(times):
            learnt.append(await run_command(lab, make_command(kind, seed, number), FINE))
            await asyncio.to_thread(lab.skills.learn_waiting)
    fast = median(run.seconds for run in learnt)
    return rounded(
        {
            "serial without memory s": median(serial),
            "fine, learnt s": fast,
            "times as fast": median(serial) / fast,
            "ended well": sum(run.outcome is Outcome.SUCCESS for run in learnt) / times,
        },
        3,
    )


async def run(
    times: int, faults: int, seed: int, delays: float, only: Sequence[str], *, learnt: bool, helper: bool
) -> Report:
    """Carry out each kind `times` times in each mode, then the runs with faults, which use plain adb."""
    kinds: dict[str, Mapping[str, Any]] = {}
    values: dict[str, Any] = {"phones": PHONES, "model seconds": THINKING, "delays": delays, "helper": helper}
    values["kinds"] = kinds
    if times:
        async with open_lab(delays, THINKING, helper=helper) as lab:
            await lab.warm_up()
            for kind in only or KINDS:
                kinds[kind] = await _measure_kind(lab, kind, times, seed)
            values["throughput"] = await _measure_throughput(lab)
        if learnt:
            values["learnt"] = await _measure_learnt(times, seed, delays, helper=helper)
    good = all(figures["ended well"] == 1 for figures in kinds.values())
    if faults:
        values["faults"] = tally = await _measure_faults(faults, seed)
        good = good and not (tally["deeds on a wrong phone"] or tally["deeds done twice"] or tally["hung"])
    return Report(values, good)

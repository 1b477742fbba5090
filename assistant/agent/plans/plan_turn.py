"""One command over several apps: its sub-tasks are turns of their own, side by side where screens allow.

A sub-task that only reads may run on any of the phones; one that does something runs on the phone in use
alone, where the user's accounts are certain. So no deed is ever moved from one phone to another. What another
phone fails to find out, because it is unplugged, lacks the app or goes wrong, is read again on the phone in
use.

A sub-task may begin before the values that it needs are found (MobiMem 5.1, fine-grained). Until then it does
nothing sensitive and ends nothing, so that it can be stopped and begun anew when its screen is needed.

Where the user allows it, other displays of the phone are made for the turn. What only reads, in one app, runs
there; nothing that needs approval does. What a display fails at is done on the own screen in turn.

To everything outside this is one turn: it pauses, goes on, ends, counts its steps in one row and asks one
question at a time, each naming its sub-task. Which turn carries out which sub-task is part of its checkpoint.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from assistant.agent.checkpoint import TurnCheckpointer, format_user_words, tell_open_page
from assistant.agent.context import OtherScreens, ResolvedCommand, StepProposer, TurnContext, Workplace
from assistant.agent.plans.plan import (
    Leases,
    PendingValues,
    Plan,
    PlanProgress,
    SubTask,
    TaskState,
    fill_slots,
    find_dependents,
    find_named,
    find_outcome,
    find_startable,
    format_plan,
    parse_plan,
    planned_tasks,
    resources_of,
    whole_plan,
)
from assistant.agent.plans.planner import fits_display, only_reads
from assistant.agent.turn import Turn
from assistant.agent.turn_control import TurnCommandResolver, TurnControl, TurnLifecycle, emit_state
from assistant.agent.user_prompts import QuestionLine, UserPrompter
from assistant.events import (
    ApprovalRequested,
    Cause,
    Event,
    InstructionResolved,
    PhoneState,
    PhoneStateChanged,
    PlanMade,
    PlannedTask,
    QuestionAsked,
    StateChanged,
    StepFinished,
    StepRetold,
    SubTaskChanged,
    SuggestionTaken,
    TurnFinished,
    TurnStarted,
    TurnState,
    UsageUpdated,
    UserSaid,
)
from assistant.i18n import _, sentences
from assistant.memory.turns import Checkpoint
from assistant.model.types import quoted
from assistant.phone.displays import DisplayPhone
from assistant.phone.status import OWN_DISPLAY
from assistant.records import Cost, Outcome, Usage

_log = logging.getLogger(__name__)

_STILL = (TurnState.PAUSING, TurnState.PAUSED)
_STATES = {
    Outcome.SUCCESS: TaskState.DONE,
    Outcome.FAILED: TaskState.FAILED,
    Outcome.CANCELLED: TaskState.CANCELLED,
    Outcome.UNCONFIRMED: TaskState.UNCONFIRMED,
}


@dataclass(slots=True)
class Branch:
    """A sub-task under way. `moved` tells why it is stopped to be done elsewhere or later, if it is."""

    task: SubTask
    place: Workplace
    turn: Turn
    values: PendingValues
    run: asyncio.Task[Outcome] | None = None
    moved: str = ""
    steps: dict[int, int] = field(default_factory=dict)


class PlanTurn:
    """Executes one command in sub-tasks; to be used as a `Turn` is.

    Args:
        context: what a turn works with, on the phone in use.
        checkpoint: the turn so far.
        helpers: other phones that may read something meanwhile.
        make_plan: the plan of a command; None where it is for one app after all.
        on_part_end: is told the turn of each sub-task that has ended, its outcome, and its action memory.
        continued: whether an interrupted turn is continued.
        early: whether a sub-task may begin before its values are there.
        displays: makes other displays of the phone in use; None where they are not used.
    """

    def __init__(
        self,
        context: TurnContext,
        checkpoint: Checkpoint,
        helpers: Sequence[Workplace],
        make_plan: Callable[[str], Awaitable[Plan | None]],
        on_part_end: Callable[[Turn, Outcome, StepProposer | None], None] = lambda *_: None,
        *,
        continued: bool = False,
        early: bool = True,
        displays: OtherScreens | None = None,
    ) -> None:
        self._context = context
        self._own = Workplace(context.phone, context.model, context.action_memory)
        self._helpers = tuple(helpers)
        self._make_plan = make_plan
        self._on_part_end = on_part_end
        self._continued = continued
        self._early = early
        self._displays = displays
        self._shares_phone = False
        self._checkpointer = TurnCheckpointer(context.store, checkpoint)
        self._control = TurnControl(partial(emit_state, context))
        self._lifecycle = TurnLifecycle(context, self._control, self._checkpointer)
        self._prompter = UserPrompter(context, self._control, checkpoint.user_id)
        self._resolver = TurnCommandResolver(
            context, self._control, self._checkpointer, self._prompter, partial(Turn, read_only=True)
        )
        self._progress = PlanProgress.model_validate(checkpoint.plan) if checkpoint.plan else None
        self._leases = Leases()
        self._branches: dict[str, Branch] = {}
        self._ended: dict[str, Checkpoint] = {}
        self._questions = QuestionLine(self._show_question)
        self._held: set[str] = set()
        self._is_held = False
        self._wake = asyncio.Event()
        self._steps = 0
        self._work_seconds = 0.0
        self._paused = False
        self._stop_reason = ""
        self._shown: tuple[TurnState, Cause] | None = None

    @property
    def state(self) -> TurnState:
        """The state of the whole: it waits or stands still as soon as one of its sub-tasks does.

        One that the user has paused alone counts only where no other runs.
        """
        if self._control.state is not TurnState.RUNNING or self._progress is None:
            return self._resolver.active_control.state
        running = [branch for name, branch in self._branches.items() if name not in self._held]
        states = [branch.turn.state for branch in running or self._branches.values()]
        if self._questions:
            return TurnState.WAITING
        if TurnState.PAUSING in states or (self._paused and TurnState.RUNNING in states):
            return TurnState.PAUSING
        return TurnState.PAUSED if self._paused or TurnState.PAUSED in states else TurnState.RUNNING

    @property
    def answer(self) -> str:
        """The result, or why the turn ended; empty before its end."""
        return self._lifecycle.answer

    @property
    def checkpoint(self) -> Checkpoint:
        """The turn so far; the steps of its sub-tasks are in their own."""
        return self._checkpointer.checkpoint

    @property
    def sub_tasks(self) -> tuple[PlannedTask, ...]:
        """The sub-tasks to show; none if the command is for one app."""
        several = self._progress is not None and len(self._progress.plan.tasks) > 1
        return planned_tasks(self._running_plan) if several else ()

    def pause(self, branch: str = "") -> None:
        """Pause after the actions in progress; only one sub-task if it is named."""
        if self._progress is None or self._control.state is not TurnState.RUNNING:
            self._resolver.active_control.pause()
            return
        self._paused = self._paused or not branch
        if branch in self._branches:
            self._held.add(branch)
            self._emit_task(branch, "paused")
        for each in self._chosen(branch):
            each.turn.pause()
        if not branch or self.state in _STILL:
            self._show_state(Cause.USER_PAUSED)

    def resume(self, branch: str = "") -> None:
        """Go on after a pause; only with one sub-task if it is named."""
        if self._progress is None or self._control.state is not TurnState.RUNNING:
            self._resolver.active_control.resume()
            return
        self._paused = self._paused and bool(branch)
        for each in self._chosen(branch):
            if each.task.id in self._held:
                self._emit_task(each.task.id, TaskState.RUNNING.value)
            each.turn.resume()
        self._wake.set()
        self._show_state(Cause.OBSERVING)

    def cancel(self, cause: Cause = Cause.DONE, branch: str = "") -> None:
        """End the turn, or one sub-task and those that need it. Actions in progress complete."""
        self._control.cancel_cause = cause
        if self._progress is None or self._control.state is not TurnState.RUNNING:
            self._resolver.active_control.cancel()
            return
        self._control.cancelling = self._control.cancelling or not branch
        if branch and branch not in self._branches and not self._progress.of(branch).state.over:
            self._set_task(branch, TaskState.CANCELLED)
            self._skip_dependents(branch)
        for each in self._chosen(branch):
            each.moved = ""
            each.turn.cancel()
        self._wake.set()

    def hold(self, held: bool) -> None:
        """Begin no further action in any sub-task until released, nor in one that begins meanwhile."""
        self._is_held = held
        for branch in self._branches.values():
            branch.turn.hold(held)

    def say(self, text: str) -> None:
        """Tell the sub-tasks whose app the words name, or with whose id they begin (“a: …”), else all.

        Those that begin later are told when they begin.
        """
        if self.state.final:
            return
        named = find_named(self._progress.plan, text) if self._progress is not None else ()
        listeners = [branch for name, branch in self._branches.items() if not named or name in named]
        if listeners:
            self._checkpointer.add_note(format_user_words(text))
        else:
            self._emit(UserSaid(time=self._context.now(), text=text))
            self._resolver.hear(text)
        for branch in listeners:
            branch.turn.say(text)

    async def run(self) -> Outcome:
        """Run the turn to its end and store its record."""
        self._lifecycle.begin(continued=self._continued)
        self._checkpointer.save()
        try:
            await self._lifecycle.prepare(self._resolve)
            if not self._control.state.final and self._progress is not None:
                await self._carry_out()
        finally:
            await self._drop_branches()
            if self._displays is not None:
                await self._displays.close()
        return await self._finish()

    async def _resolve(self) -> None:
        """Resolve and plan the command."""
        if self._progress is None:
            await self._resolver.resolve()
            self._progress = PlanProgress(plan=await self._plan(self.checkpoint.instruction))
        else:
            self._take_up()
        self._save()
        self._show_plan()
        await self._open_displays()
        self._lifecycle.begin_steps()

    async def _open_displays(self) -> None:
        """Make other displays where two sub-tasks may run at once; say why if there are none."""
        plan = self._running_plan.plan
        if self._displays is None or len(plan.tasks) < 2 or not any(map(fits_display, plan.tasks)):
            return
        places = await self._control.run_cancellable(asyncio.ensure_future(self._displays.open()))
        if places:
            self._own, self._shares_phone, self._helpers = places[0], True, (*self._helpers, *places[1:])
            return
        sentence = _("No other displays of the phone are used: {reason}.").format(
            reason=self._displays.problem
        )
        self._emit(PhoneStateChanged(time=self._context.now(), state=PhoneState.READY, sentence=sentence))

    async def _plan(self, instruction: str) -> Plan:
        """The plan as the user lets it stand; one sub-task where the command is for one app after all.

        Raises:
            Interrupted: the turn was paused or cancelled meanwhile.
        """
        plan = await self._control.run_cancellable(asyncio.ensure_future(self._make_plan(instruction)))
        if plan is None:
            return whole_plan(instruction)
        shown = format_plan(plan)
        words = await self._prompter.confirm_instruction(shown, ResolvedCommand(shown, assumed=True))
        if words == shown:
            return plan
        return parse_plan(words, plan) or whole_plan(words)

    def _show_plan(self) -> None:
        progress = self._running_plan
        tasks = planned_tasks(progress)
        if len(tasks) > 1:
            self._emit(PlanMade(time=self._context.now(), tasks=tasks, source=progress.plan.source.value))

    def _take_up(self) -> None:
        """Continue the plan of a killed program: ended sub-tasks stay ended, the others continue."""
        for task in self._running_plan.plan.tasks:
            past = self._running_plan.of(task.id)
            stored = self._context.store.turns.load(past.turn_id) if past.turn_id else None
            if stored is None:
                if not past.state.over:
                    self._progress = self._running_plan.with_task(task.id, state=TaskState.WAITING)
                continue
            checkpoint, outcome = stored
            for step in checkpoint.steps:
                self._steps += 1
                self._emit(
                    StepRetold(
                        time=self._context.now(),
                        branch=task.id,
                        step=self._steps,
                        action=step.action,
                        source=step.source,
                        error=step.error,
                    )
                )
            if outcome is not None:
                self._ended[past.turn_id] = checkpoint
                state = past.state if past.state.over else _STATES[outcome]
                if state is not TaskState.DONE and not past.state.over and only_reads(task.instruction):
                    # It may have failed on another phone; reading once more changes nothing.
                    state = TaskState.WAITING
                self._progress = self._running_plan.with_task(
                    task.id, state=state, answer=past.answer or checkpoint.answer
                )
            elif not past.state.over:
                self._progress = self._running_plan.with_task(task.id, state=TaskState.WAITING)

    @property
    def _running_plan(self) -> PlanProgress:
        if self._progress is None:
            raise RuntimeError("there is no plan yet")
        return self._progress

    async def _carry_out(self) -> None:
        """Start sub-tasks and handle their ends, until none can continue."""
        while True:
            if not (self._paused or self._control.cancelling or self._stop_reason):
                self._begin_startable()
            if not self._branches and not (self._paused and not self._control.cancelling):
                return
            self._wake.clear()
            waking = asyncio.create_task(self._wake.wait())
            runs = [branch.run for branch in self._branches.values() if branch.run is not None]
            try:
                await asyncio.wait([waking, *runs], return_when=asyncio.FIRST_COMPLETED)
            finally:
                waking.cancel()
            for branch in list(self._branches.values()):
                if branch.run is not None and branch.run.done():
                    self._settle(branch, branch.run)

    def _begin_startable(self) -> None:
        """Start every sub-task that can start, one at a time, because each may make another one startable."""
        while task := next(filter(self._begin_if_free, self._startable()), None):
            _log.debug("sub-task %s begins", task.id)

    def _startable(self) -> list[SubTask]:
        plan = self._running_plan.plan
        over = self._running_plan.in_state(*(state for state in TaskState if state.over))
        serials = [branch.place.phone.serial for branch in self._branches.values()]
        # Two fill the one connection through which a phone's displays are read: a third only holds them up.
        early = self._early and not (self._shares_phone and serials.count(self._own.phone.serial) > 1)
        names = find_startable(plan, self._running_plan.in_state(TaskState.DONE), self._branches, early=early)
        return [plan.task(name) for name in names if name not in over]

    def _begin_if_free(self, task: SubTask) -> bool:
        """Start a sub-task on the first free phone that may run it; returns whether there was one."""
        needs_own = self._running_plan.of(task.id).at_home or not only_reads(task.instruction)
        places = [self._own] if needs_own else [*self._helpers, self._own]
        for place in places:
            if place.display != OWN_DISPLAY and not fits_display(task):
                continue
            serial, shared = place.phone.serial, self._shares_phone
            if self._leases.take(task.id, resources_of(serial, task.app, place.display, shared=shared)):
                self._begin(task, place)
                return True
        self._make_room(task)
        return False

    def _make_room(self, task: SubTask) -> None:
        """Cancel the sub-task that holds the own screen while it waits for a value of this one."""
        waiting = find_dependents(self._running_plan.plan, [task.id])
        for name, branch in self._branches.items():
            if name in waiting and branch.place is self._own and branch.values.missing and not branch.moved:
                branch.moved = _("Its screen is needed for {name} first.").format(name=task.name)
                branch.turn.cancel()

    def _begin(self, task: SubTask, place: Workplace) -> None:
        progress = self._running_plan
        past = progress.of(task.id)
        stored = self._context.store.turns.load(past.turn_id) if past.turn_id else None
        is_open = stored is not None and stored[1] is None
        was_here = past.phone == self._own.name or not only_reads(task.instruction)
        goes_on = is_open and place is self._own and was_here
        if is_open and not goes_on:
            self._context.store.turns.discard(past.turn_id)
        descriptions = {other.id: other.value for other in progress.plan.tasks}
        values = PendingValues(task, descriptions, partial(self._show_waiting, task))
        values.put(progress.values)
        checkpoint = (
            stored[0] if stored is not None and goes_on else self._new_checkpoint(task, values, past.tries)
        )
        settings = self._context.settings
        if isinstance(place.phone, DisplayPhone):
            place.phone.assign(task.app)
        context = replace(
            self._context,
            phone=place.phone,
            model=place.model,
            action_memory=place.action_memory,
            settings=settings if place is self._own else place.adapt_settings(settings),
            allowances=self._context.allowances if place.display == OWN_DISPLAY else (),
            emit=partial(self._forward, task.id),
            command_resolver=None,
            memory_ready=None,
            slot_values=values,
            earlier_deeds=tuple(deed for ended in self._parts for deed in ended.deeds),
        )
        turn = Turn(context, checkpoint, continued=goes_on)
        turn.hold(self._is_held)
        self._branches[task.id] = branch = Branch(task, place, turn, values)
        self._set_task(
            task.id,
            TaskState.RUNNING,
            turn_id=checkpoint.turn_id,
            phone=place.name,
            tries=past.tries + (not goes_on),
        )
        branch.run = asyncio.create_task(turn.run())

    def _new_checkpoint(self, task: SubTask, values: PendingValues, tries: int) -> Checkpoint:
        whole = self.checkpoint
        notes = values.first_notes()
        if task.value:
            notes += (
                f"Another part of the task needs {quoted(task.value)} of this one: when it is found out, "
                "give it as your answer, short and nothing else.",
            )
        instruction, value_notes = values.update(task.instruction)
        suffix = f".{tries + 1}" if tries else ""
        return Checkpoint(
            turn_id=f"{whole.turn_id}+{task.id}{suffix}",
            user_id=whole.user_id,
            started=self._context.now(),
            said="",
            instruction=instruction,
            scenario=whole.scenario,
            notes=(*whole.notes, *notes, *value_notes),
            part_of=whole.turn_id,
        )

    def _settle(self, branch: Branch, run: asyncio.Task[Outcome]) -> None:
        """Handle the end of a sub-task: store its value, restart it elsewhere, or skip what depends on it."""
        task, turn = branch.task, branch.turn
        del self._branches[task.id]
        self._held.discard(task.id)
        self._leases.release(task.id)
        self._ended[turn.checkpoint.turn_id] = turn.checkpoint
        self._questions.drop(task.id)
        fault = None if run.cancelled() else run.exception()
        if fault is not None:
            _log.error("the sub-task %s ended by a fault", turn.checkpoint.turn_id, exc_info=fault)
        outcome = Outcome.FAILED if fault is not None or run.cancelled() else run.result()
        answer = turn.answer or (
            _("Internal error ({name}).").format(name=type(fault).__name__) if fault else ""
        )
        self._on_part_end(turn, outcome, branch.place.action_memory)
        if outcome is Outcome.SUCCESS and task.value and not turn.answer.strip():
            outcome, answer = Outcome.FAILED, _("It found out nothing.")
        stopped = self._control.cancelling or bool(self._stop_reason)
        if branch.moved and not stopped:
            is_lost = branch.place is not self._own
            self._set_task(task.id, TaskState.WAITING, branch.moved, at_home=is_lost, turn_id="")
        elif (
            branch.place is not self._own
            and outcome in (Outcome.FAILED, Outcome.UNCONFIRMED)
            and not stopped
            and not turn.checkpoint.deeds
        ):
            self._set_task(task.id, TaskState.WAITING, answer, at_home=True, turn_id="")
        else:
            self._set_task(task.id, _STATES[outcome], answer, answer=answer)
            if outcome is Outcome.SUCCESS:
                for other in self._branches.values():
                    other.values.put(self._running_plan.values)
            else:
                self._skip_dependents(task.id)
        self._show_state(Cause.OBSERVING)

    def _skip_dependents(self, task_id: str) -> None:
        """Skip the sub-tasks that need a failed one; those that wait for its value are cancelled."""
        reason = _("{name} came to nothing.").format(name=self._running_plan.plan.task(task_id).name)
        for name in find_dependents(self._running_plan.plan, [task_id]):
            if branch := self._branches.get(name):
                branch.turn.cancel()
            elif not self._running_plan.of(name).state.over:
                self._set_task(name, TaskState.SKIPPED, reason, answer=reason)

    def _set_task(self, task_id: str, state: TaskState, sentence: str = "", **changes: object) -> None:
        """Change and store how far a sub-task is, and report it."""
        self._progress = self._running_plan.with_task(task_id, state=state, **changes)
        self._save()
        self._emit_task(task_id, state.value, sentence)

    def _emit_task(self, task_id: str, state: str, sentence: str = "") -> None:
        if len(self._running_plan.plan.tasks) == 1:
            return
        task = self._running_plan.plan.task(task_id)
        self._emit(
            SubTaskChanged(
                time=self._context.now(),
                branch=task_id,
                state=state,
                instruction=fill_slots(task.instruction, self._running_plan.values),
                app=task.app,
                phone=self._running_plan.of(task_id).phone,
                sentence=sentence,
            )
        )

    def _show_waiting(self, task: SubTask, missing: Sequence[str]) -> None:
        """Report that a sub-task waits for values, or goes on."""
        if missing:
            plan = self._running_plan.plan
            names = ", ".join(plan.task(name).name for name in missing)
            self._emit_task(task.id, "needs", _("Waits for {names}.").format(names=names))
        else:
            self._emit_task(task.id, TaskState.RUNNING.value)

    def _forward(self, task_id: str, event: Event) -> None:
        """Report an event of a sub-task, with its step numbered among the steps of all sub-tasks."""
        branch = self._branches.get(task_id)
        if branch is None:
            return
        match event:
            case TurnStarted() | TurnFinished() | InstructionResolved() | SuggestionTaken() | StepRetold():
                return
            case UsageUpdated():
                usage, cost = self._usage()
                self._emit(replace(event, usage=usage, cost=cost))
                return
            case ApprovalRequested() | QuestionAsked():
                self._queue_question(branch, event)
                return
            case StateChanged():
                self._handle_branch_state(branch, event)
                return
            case PhoneStateChanged() if branch.place is not self._own:
                return
        step: int = getattr(event, "step", 0)
        changes: dict[str, Any] = {"step": self._global_step(branch, step)} if step else {}
        self._emit(replace(event, branch=self._shown_branch(task_id), **changes))
        if isinstance(event, StepFinished):
            self._work_seconds += event.seconds
            self._check_budget()

    def _global_step(self, branch: Branch, step: int) -> int:
        if step not in branch.steps:
            self._steps += 1
            branch.steps[step] = self._steps
        return branch.steps[step]

    def _shown_branch(self, task_id: str) -> str:
        return task_id if len(self._running_plan.plan.tasks) > 1 else ""

    def _queue_question(self, branch: Branch, event: ApprovalRequested | QuestionAsked) -> None:
        """Queue a question of a sub-task, with its name and its display; no display gets an approval."""
        is_apart = branch.place.display != OWN_DISPLAY
        if is_apart and isinstance(event, ApprovalRequested):
            self._move(branch, _("What needs your approval is done on the phone's own screen only."))
            return
        name = f"{branch.task.name} ({branch.place.name})" if is_apart else branch.task.name
        several = len(self._running_plan.plan.tasks) > 1
        step = self._global_step(branch, event.step) if event.step else 0
        self._questions.add(replace(event, step=step), branch.task.id, name if several else "")

    def _move(self, branch: Branch, reason: str) -> None:
        """Stop a sub-task on another screen, to do it on the own one."""
        branch.moved = branch.moved or reason
        branch.turn.cancel()

    def _show_question(self, question: ApprovalRequested | QuestionAsked | None) -> None:
        """Show the first question in the queue; None if no sub-task waits for it any more."""
        if question is None:
            self._show_state(Cause.OBSERVING)
            return
        asks = isinstance(question, ApprovalRequested)
        sentence = question.sentence if isinstance(question, ApprovalRequested) else question.question
        self._show_state(Cause.APPROVAL if asks else Cause.QUESTION, sentence)
        self._emit(question)

    def _handle_branch_state(self, branch: Branch, event: StateChanged) -> None:
        """A sub-task pauses, waits or goes on; one on another phone that is gone is done on the own one."""
        if event.state in _STILL and event.cause is Cause.PHONE and branch.place is not self._own:
            if not branch.moved:
                display = branch.place.display if branch.place.display != OWN_DISPLAY else ""
                self._leases.withdraw(branch.place.phone.serial, display)
                self._move(branch, event.sentence or _("The phone is gone."))
            return
        if event.state not in _STILL:
            self._held.discard(branch.task.id)
        elif branch.task.id in self._held and self.state not in _STILL:
            return
        sentence = event.sentence
        if sentence and event.state in _STILL and len(self._running_plan.plan.tasks) > 1:
            sentence = f"{branch.task.name}: {sentence}"
        self._show_state(event.cause, sentence)

    def _show_state(self, cause: Cause, sentence: str = "") -> None:
        """Report the state of the whole turn if it changed or there is a sentence to show."""
        state = self.state
        if state.final or self._control.state is not TurnState.RUNNING:
            return
        if (state, cause) != self._shown or sentence:
            self._shown = (state, cause)
            emit_state(self._context, state, cause, sentence)

    def _check_budget(self) -> None:
        """End everything when the sub-tasks together have reached a limit of the settings."""
        usage, cost = self._usage()
        steps = tuple(step for part in self._parts for step in part.steps)
        whole = self.checkpoint.model_copy(update={"steps": steps, "usage": usage, "cost": cost})
        limit = self._context.find_exceeded_limit(whole, self._work_seconds)
        if limit and not self._stop_reason:
            self._stop_reason = limit
            for branch in self._branches.values():
                branch.moved = ""
                branch.turn.cancel()

    @property
    def _parts(self) -> list[Checkpoint]:
        """The turns of all sub-tasks, also of those that were stopped and started again."""
        running = (branch.turn.checkpoint for branch in self._branches.values())
        return list((self._ended | {part.turn_id: part for part in running}).values())

    def _usage(self) -> tuple[Usage, Cost | None]:
        usage, cost = self.checkpoint.usage, self.checkpoint.cost
        for part in self._parts:
            usage += part.usage
            cost = part.cost.plus(cost) if part.cost else cost
        return usage, cost

    async def _drop_branches(self) -> None:
        """Drop the running sub-tasks when the program ends; their turns stay stored."""
        runs = [branch.run for branch in self._branches.values() if branch.run is not None]
        for run in runs:
            run.cancel()
        if runs:
            await asyncio.wait(runs)

    async def _finish(self) -> Outcome:
        if not self._control.state.final:
            outcome, answer = self._outcome()
            self._lifecycle.end(outcome, answer)
        usage, cost = self._usage()
        self._checkpointer.checkpoint = self.checkpoint.model_copy(update={"usage": usage, "cost": cost})
        return await self._lifecycle.finish(self._parts)

    def _outcome(self) -> tuple[Outcome, str]:
        """The outcome of the whole turn, and a sentence about it."""
        if self._stop_reason:
            return Outcome.FAILED, self._stop_reason
        if self._control.cancelling:
            left = map(tell_open_page, self._parts)
            return Outcome.CANCELLED, sentences(_("Cancelled."), *left)
        return find_outcome(self._running_plan)

    def _chosen(self, branch: str) -> list[Branch]:
        return [each for name, each in self._branches.items() if not branch or name == branch]

    def _save(self) -> None:
        plan = self._running_plan.model_dump(mode="json")
        self._checkpointer.checkpoint = self.checkpoint.model_copy(update={"plan": plan})
        self._checkpointer.save()

    def _emit(self, event: Event) -> None:
        self._context.emit(event)

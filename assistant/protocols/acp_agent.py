"""The assistant behind another program's face: an agent of the Agent Client Protocol (ACP).

Terminals and editors that speak ACP show the conversation: what is typed there is routed as in our own
interface, a turn's thoughts and steps are streamed, and an approval is the client's permission dialog. A
question of the turn, or a pause, ends the prompt while the turn waits; what is typed next is the answer.

Source: agentclientprotocol.com, sections "Prompt Turn" and "Tool Calls"; the package `agent-client-protocol`.
"""

from __future__ import annotations

import asyncio
import logging
import re
from asyncio import Queue
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from uuid import uuid4

from acp import (
    PROTOCOL_VERSION,
    RequestError,
    run_agent,
    start_tool_call,
    text_block,
    tool_content,
    update_agent_message_text,
    update_agent_thought_text,
    update_tool_call,
)
from acp.interfaces import Agent, Client
from acp.schema import (
    AgentCapabilities,
    AllowedOutcome,
    ClientCapabilities,
    Implementation,
    InitializeResponse,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    TextContentBlock,
    ToolCallUpdate,
)

from assistant.conversation.routing import RouteKind, route
from assistant.conversation.service import BY_INTERFACE, WITHOUT_PHONE
from assistant.engine import Engine
from assistant.events import (
    ActionChosen,
    ApprovalRequested,
    ElementExplored,
    ElementRecalled,
    ErrandStarted,
    Event,
    InstructionCompleted,
    MeaningProposed,
    ModelRetrying,
    QuestionAsked,
    StateChanged,
    StepFinished,
    SuggestionOffered,
    ThoughtStreamed,
    TurnFinished,
    TurnState,
)
from assistant.i18n import UserError, _
from assistant.plain.output import format_spoken_line, name_typed_words
from assistant.presentation.prompts import ApprovalPrompt, MeaningPrompt, PromptChoice, QuestionPrompt
from assistant.presentation.text import LabelValueRow, format_action, halts_turn, one_line, safe
from assistant.presentation.turn_log import format_ending
from assistant.records import Finished, Outcome
from assistant.turn_runner import EngineBusy, NotReady

_YES, _NO = "yes", "no"
# The characters with which Markdown marks up a text within a line.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~!]")
_STOPPED: dict[Outcome, Literal["end_turn", "cancelled"]] = {Outcome.CANCELLED: "cancelled"}


@dataclass(slots=True)
class _Conversation:
    """The turn that a session started.

    `question` and `paused` are what its next line answers. It is `followed` while a prompt shows its events.
    `reply_ended` tells that the next thought begins another reply of the model.
    """

    session: str
    said: str
    events: Queue[Event] = field(default_factory=Queue)
    question: QuestionPrompt | None = None
    paused: bool = False
    followed: bool = False
    step: int = 0
    reply_ended: bool = False


class AssistantAgent:
    """An ACP agent over the engine. One turn runs at a time, whatever session it came from.

    Args:
        engine: a started engine; the agent is the listener of its events.
        version: the program's version.
    """

    def __init__(self, engine: Engine, version: str) -> None:
        self._engine = engine
        self._version = version
        self._client: Client | None = None
        self._sessions: set[str] = set()
        self._turn: _Conversation | None = None
        self._has_told = False

    def on_connect(self, conn: Client) -> None:
        """Remember whom to tell."""
        self._client = conn

    async def listen(self) -> None:
        """Hand the engine's events to the turn that runs, until the engine is closed."""
        async for event in self._engine.events():
            self.take(event)

    def take(self, event: Event) -> None:
        """Take one event of the engine."""
        if isinstance(event, SuggestionOffered):
            # A routine that begins by itself is announced by a countdown, which nobody sees here.
            self._engine.stop_countdown(event.id)
        if self._turn is not None:
            self._turn.events.put_nowait(event)

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_others: Any,
    ) -> InitializeResponse:
        """Agree on the version of the protocol; text is all that a prompt may hold."""
        return InitializeResponse(
            protocol_version=min(protocol_version, PROTOCOL_VERSION),
            agent_capabilities=AgentCapabilities(),
            agent_info=Implementation(name="assistant", title=_("Personal assistant"), version=self._version),
        )

    async def new_session(self, cwd: str, **_others: Any) -> NewSessionResponse:
        """Begin a conversation. The memory is the same in all."""
        session = uuid4().hex
        self._sessions.add(session)
        return NewSessionResponse(session_id=session)

    async def cancel(self, session_id: str, **_others: Any) -> None:
        """Cancel the session's turn."""
        if self._turn is not None and self._turn.session == session_id:
            self._engine.cancel()

    async def prompt(self, session_id: str, prompt: Sequence[object], **_others: Any) -> PromptResponse:
        """Handle a line: the answer to what the turn asked, a line that needs no phone, or a command."""
        if session_id not in self._sessions:
            raise RequestError.resource_not_found(session_id)
        line = " ".join(block.text for block in prompt if isinstance(block, TextContentBlock)).strip()
        if self._turn is not None:
            return await self._tell_turn(self._turn, session_id, line)
        typed = route(line)
        if typed.kind in BY_INTERFACE:
            return await self._say(session_id, _("No turn is running. Type what the phone should do."))
        if typed.kind in WITHOUT_PHONE:
            try:
                return await self._say(session_id, (await self._engine.reply(typed)).text)
            except (UserError, NotReady) as problem:
                return await self._say(session_id, str(problem))
        await self._engine.wait_for_phone()
        if left := self._tell_unfinished():
            await self._say(session_id, left)
        if self._turn is not None:  # Another line was quicker.
            return await self._tell_turn(self._turn, session_id, line)
        self._turn = turn = _Conversation(session_id, line)
        try:
            self._engine.run(line)
        except (EngineBusy, NotReady) as problem:
            self._turn = None
            return await self._say(session_id, str(problem))
        return await self._follow(turn)

    async def _tell_turn(self, turn: _Conversation, session_id: str, line: str) -> PromptResponse:
        """Take a line that is typed while a turn runs."""
        if turn.session != session_id:
            sentence = _(
                "One turn runs at a time here: “{said}” runs in another session. Send this again when it "
                "ends."
            )
            return await self._say(session_id, sentence.format(said=one_line(turn.said)))
        if answer := self._answer(turn, line):
            return await self._say(session_id, answer)
        # What happens is shown by one prompt; a client may send another line before that has ended.
        return PromptResponse(stop_reason="end_turn") if turn.followed else await self._follow(turn)

    def _tell_unfinished(self) -> str:
        """The turns that a killed program left behind, once; they are continued elsewhere, one at a time."""
        if self._has_told:
            return ""
        self._has_told = True
        commands = [f"“{one_line(left.said)}”" for left in self._engine.interrupted_turns()]
        sentence = _("Left unfinished: {commands}. assistant run --continue goes on with one at a time.\n")
        return sentence.format(commands=_(", ").join(commands)) if commands else ""

    def _answer(self, turn: _Conversation, line: str) -> str:
        """Take a line for the answer to the open question, or for a word to the running turn.

        A paused turn goes on by no other line than one that says so: “forget it, call Dad” is told to it.

        Returns:
            What the user is told, where the turn goes on waiting for their words; else empty.
        """
        kind = route(line, running=True).kind
        question, turn.question = turn.question, None
        if kind is RouteKind.CANCEL:
            turn.paused = False
            self._engine.cancel()
        elif question is not None and not question.settled.done():
            question.answer_in_words(line)
            if not question.settled.done():
                turn.question = question
                return question.choices
        elif kind is RouteKind.RESUME:
            if turn.paused:
                turn.paused = False
                self._engine.resume()
        else:
            if kind is not RouteKind.STOP:
                self._engine.say(line)
            if turn.paused:
                return _("Noted: the turn is paused. Type resume to go on with it, or cancel to end it.")
            if kind is RouteKind.STOP or halts_turn(line):
                self._engine.pause()
        return ""

    async def _follow(self, turn: _Conversation) -> PromptResponse:
        """Show what happens until the turn has ended or needs the user's words."""
        turn.followed = True
        try:
            return await self._show_events(turn)
        finally:
            turn.followed = False

    async def _show_events(self, turn: _Conversation) -> PromptResponse:
        while True:
            event = await turn.events.get()
            match event:
                case TurnFinished():
                    return await self._finish(turn, event)
                case ApprovalRequested():
                    await self._ask_approval(turn, ApprovalPrompt(event))
                case MeaningProposed():
                    await self._ask_meaning(turn, MeaningPrompt(event))
                case QuestionAsked():
                    turn.question = QuestionPrompt(event)
                    return await self._say(turn.session, _rows(turn.question.body))
                case StateChanged(state=TurnState.PAUSED, sentence=sentence):
                    turn.paused = True
                    why = safe(sentence).strip()
                    if (typed := name_typed_words(why)) != why:
                        return await self._say(turn.session, typed)
                    what = _("The turn is paused. Type what to do instead, resume, or cancel.")
                    return await self._say(turn.session, f"{why}\n{what}".strip())
                case _:
                    await self._show(turn, event)

    async def _show(self, turn: _Conversation, event: Event) -> None:
        match event:
            case ThoughtStreamed(text=text):
                begins = "\n\n" if turn.reply_ended else ""
                turn.reply_ended = False
                await self._update(turn.session, update_agent_thought_text(begins + _markdown(safe(text))))
            case ElementRecalled() | ErrandStarted() | ElementExplored():
                await self._say(turn.session, f"{format_spoken_line(event)}\n")
            case InstructionCompleted(said=said, instruction=instruction) if instruction != said:
                await self._say(turn.session, f"{one_line(instruction)}\n")
            case ActionChosen(step=step, action=action):
                turn.reply_ended = True
                if isinstance(action, Finished):
                    return
                turn.step = step
                start = start_tool_call(
                    f"step-{step}", one_line(format_action(action)), kind="other", status="in_progress"
                )
                await self._update(turn.session, start)
            case StepFinished(step=step, error=error) if step == turn.step:
                content = [tool_content(text_block(_markdown(one_line(error))))] if error else None
                status: Literal["failed", "completed"] = "failed" if error else "completed"
                await self._update(
                    turn.session, update_tool_call(f"step-{step}", status=status, content=content)
                )
            case ModelRetrying(reason=reason):
                await self._say(turn.session, f"{one_line(reason)}\n")

    async def _finish(self, turn: _Conversation, end: TurnFinished) -> PromptResponse:
        self._turn = None
        await self._engine.wait_until_idle()
        unconfirmed = _("Not confirmed by the phone.") if end.outcome is Outcome.UNCONFIRMED else ""
        lines = (safe(end.answer).strip(), unconfirmed, format_ending(end), _simulated(self._engine))
        await self._say(turn.session, "\n".join(line for line in lines if line))
        return PromptResponse(stop_reason=_STOPPED.get(end.outcome, "end_turn"))

    async def _ask_approval(self, turn: _Conversation, prompt: ApprovalPrompt) -> None:
        """A permission is for one deed: whatever else the client's dialog can say is no.

        The refusal stands first: a dialog marks its first answer, and an Enter too many must not pay.
        """
        options = [_reject(_("no, pause here")), _allow(_("yes, this once"))]
        chosen = await self._ask_permission(turn, prompt.heading, _markdown_rows(prompt.body), options)
        if prompt.settled.done():
            return
        if chosen in (_YES, _NO):
            prompt.choose(PromptChoice.YES if chosen == _YES else PromptChoice.NO)
        else:
            prompt.withhold()

    async def _ask_meaning(self, turn: _Conversation, prompt: MeaningPrompt) -> None:
        options = [_allow(_("go on")), _reject(_("cancel"))]
        title = f"{prompt.title}: {prompt.instruction}"
        if await self._ask_permission(turn, title, _markdown(prompt.note), options) == _YES:
            prompt.choose(PromptChoice.YES)
        else:
            self._engine.cancel()

    async def _ask_permission(
        self, turn: _Conversation, title: str, text: str, options: list[PermissionOption]
    ) -> str:
        """Ask by the client's dialog; the id of the option chosen, empty if dismissed or never shown."""
        if self._client is None:
            return ""
        call = ToolCallUpdate(
            tool_call_id=f"ask-{uuid4().hex[:8]}",
            title=one_line(title),
            kind="other",
            status="pending",
            content=[tool_content(text_block(text))],
        )
        try:
            response = await self._client.request_permission(
                session_id=turn.session, tool_call=call, options=options
            )
        except (RequestError, ConnectionError):
            return ""
        return response.outcome.option_id if isinstance(response.outcome, AllowedOutcome) else ""

    async def _say(self, session: str, text: str) -> PromptResponse:
        await self._update(session, update_agent_message_text(_markdown(safe(text))))
        return PromptResponse(stop_reason="end_turn")

    async def _update(self, session: str, update: Any) -> None:
        if self._client is not None:
            # A client that has gone is shown nothing; its turn ends with the connection.
            with suppress(ConnectionError):
                await self._client.session_update(session_id=session, update=update)


def _rows(body: Sequence[LabelValueRow]) -> str:
    return "\n".join(safe(row.unstyled).rstrip() for row in body)


def _allow(name: str) -> PermissionOption:
    return PermissionOption(option_id=_YES, name=name, kind="allow_once")


def _reject(name: str) -> PermissionOption:
    return PermissionOption(option_id=_NO, name=name, kind="reject_once")


def _markdown(text: str) -> str:
    """Text as it is: the protocol's texts are Markdown, and what a page or a model says marks up nothing.

    A line break is one there only behind two blanks.
    """
    return _MARKUP.sub(r"\\\g<0>", text).replace("\n", "  \n")


def _markdown_rows(body: Sequence[LabelValueRow]) -> str:
    """Labelled rows as a list, sentences as paragraphs."""
    lines: list[str] = []
    for row in body:
        label, value = (
            _markdown(safe(row.label.unstyled).strip()),
            _markdown(safe(row.value.unstyled).strip()),
        )
        lines.append(f"- **{label}:** {value}" if label else f"{value}\n")
    return "\n".join(lines)


def _simulated(engine: Engine) -> str:
    return _(engine.simulated) if engine.simulated else ""


def _without_stack(entry: logging.LogRecord) -> bool:
    entry.exc_info = entry.exc_text = None
    return True


async def serve_stdio(agent: AssistantAgent) -> None:
    """Serve one client over standard input and output until it leaves."""
    # The protocol's library logs a line that is no message, with its whole stack.
    logging.getLogger().addFilter(_without_stack)
    listening = asyncio.create_task(agent.listen())
    try:
        await run_agent(cast(Agent, agent))
    finally:
        listening.cancel()
        await asyncio.wait([listening])

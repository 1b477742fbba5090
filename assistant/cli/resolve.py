"""`assistant resolve`: what commands mean for this user. Nothing is run, asked or changed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import AfterValidator, AwareDatetime, BaseModel, ValidationError

from assistant.cli.help import (
    ConfigOption,
    DemoOption,
    JsonOption,
    StoreOption,
    check_year,
    demo_settings,
    local_time,
    name_of,
    settings_of,
    simulated_sentence,
    unreadable_file,
    unreadable_time,
)
from assistant.command_resolver import ModelAssist
from assistant.conversation.answers import PastAnswer, PastAnswers
from assistant.conversation.past_questions import PastQuestion
from assistant.conversation.routing import RouteKind, route
from assistant.conversation.setting_changes import small_talk
from assistant.embedding.models import bundled_matcher, bundled_tagger
from assistant.factories import RequestLogger
from assistant.files import JsonFile
from assistant.i18n import Language, _, joined, speaking, spoken_for
from assistant.memory.profile.service import LazyProfile
from assistant.memory.prototypes.service import rules_of
from assistant.memory.store import open_store, owner_of
from assistant.memory.vectors import StoreEmbedder
from assistant.model.client import TextModel
from assistant.model.types import one_line
from assistant.records import State
from assistant.settings.schema import Settings
from assistant.understand.memory_sources import open_memory
from assistant.understand.resolution import Resolution
from assistant.understand.service import UnderstandingService
from assistant.understand.types import Sources

_LABELS = "labels.json"


class _Line(BaseModel):
    """A line of a file of commands, as an object; other keys are ignored. Without a time it is now."""

    said: str
    at: Annotated[AwareDatetime | datetime, AfterValidator(check_year)] | None = None
    scenario: str | None = None

    @property
    def state(self) -> State:
        """The state in which it is said; a time without a zone is one of this machine's zone."""
        time = self.at or local_time()
        return State(time=time if time.tzinfo else time.astimezone(), scenario=self.scenario or "unknown")


def resolve_command(
    said: Annotated[str | None, typer.Argument(metavar="TEXT", help="The command.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            help="A file with a command on each line, as text or as a JSON object with said, at and "
            "scenario; - for standard input.",
        ),
    ] = None,
    at: Annotated[str, typer.Option(help="When it is said, ISO 8601; by default now.")] = "",
    scenario: Annotated[str, typer.Option(help="Where the user is, such as office.")] = "unknown",
    user: Annotated[str, typer.Option("--user", help="Whose memory; by default that of the settings.")] = "",
    with_model: Annotated[
        bool,
        typer.Option(
            "--model/--no-model",
            help="Whether a configured model may read what the memory is not sure of.",
        ),
    ] = True,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """What a command means for this user, and why. Changes nothing."""
    if (said is None) == (file is None):
        raise typer.TyperException(_("Give either a TEXT or --file."))
    if said is not None and not said.strip():
        raise typer.TyperException(
            _('The command is empty. Say what to do: assistant resolve "order my usual lunch"')
        )
    if file is not None and at:
        raise typer.TyperException(_("Give --at with a TEXT; in a file each line has its own “at”."))
    lines: list[_Line | str]
    if file is not None:
        lines = list(_parse_lines(_read_lines(file), scenario))
    else:
        lines = [_parse({"said": said, "at": at or None, "scenario": scenario}, "--at")]
    settings = settings_of(store, config=config)
    if user:
        settings = settings.overridden({"user_id": user})
    if demo:
        typer.echo(simulated_sentence(), err=True)
        settings = demo_settings(settings, store, (line.said for line in lines if isinstance(line, _Line)))
    if not with_model:
        settings = settings.overridden({"understanding": {"with_model": False}})
    _resolve_all(settings, lines, as_json, user)


def _parse_lines(lines: Iterable[str], scenario: str) -> Iterator[_Line | str]:
    """The commands of a file, or what is wrong with a line; one that begins with a brace is an object."""
    for number, line in enumerate(lines, 1):
        if not line.lstrip().startswith("{"):
            yield _Line(said=line, scenario=scenario)
            continue
        origin = _("Line {number}").format(number=number)
        try:
            yield _parse(json.loads(line), origin)
        except typer.TyperException as error:
            yield error.message
        except (ValueError, RecursionError) as error:
            yield _("{origin} is not JSON: {error}.").format(origin=origin, error=error)


def _parse(values: object, origin: str) -> _Line:
    try:
        return _Line.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"][:1] == ("at",):
            raise typer.TyperException(unreadable_time(origin, one_line(str(first["input"]), 60))) from error
        name = ".".join(str(part) for part in first["loc"])
        raise typer.TyperException(
            _("{origin} gives no command: {name} {reason}.").format(
                origin=origin, name=name, reason=first["msg"].lower()
            )
        ) from error


def _resolve_all(settings: Settings, lines: Sequence[_Line | str], as_json: bool, user: str = "") -> None:
    """Print what each line means, in order.

    Raises:
        Exit: with 1, at the end, if a line could not be read.
    """
    meanings = _resolved(settings, (line for line in lines if isinstance(line, _Line)), user)
    for each in lines:
        if isinstance(each, str):
            typer.echo(json.dumps({"error": each}, ensure_ascii=False) if as_json else each, err=not as_json)
            continue
        line, meaning = next(meanings)
        if as_json:
            typer.echo(json.dumps(_as_json(line, meaning), ensure_ascii=False))
        elif isinstance(meaning, PastAnswer):
            typer.echo(_answer_lines(line.said, meaning))
        else:
            typer.echo(_format_resolution(meaning))
    if any(isinstance(line, str) for line in lines):
        raise typer.Exit(1)


def resolve_one(settings: Settings, command: str) -> dict[str, Any]:
    """What a command that is said now means for this user, as `assistant resolve --json` prints it.

    Raises:
        StoreError: the memory cannot be opened or read.
    """
    return next(_as_json(line, meaning) for line, meaning in _resolved(settings, [_Line(said=command)]))


def _resolved(
    settings: Settings, lines: Iterable[_Line], user: str = ""
) -> Iterator[tuple[_Line, Resolution | PastAnswer]]:
    """Each line with what it means, or the answer to a line that is no task. Call it in no event loop.

    A user who is named answers for nobody else; without one it is the owner of the memory.
    """
    apps = _known_apps(settings.store / _LABELS)
    log = RequestLogger(settings)
    assist = ModelAssist(settings, lambda: TextModel(settings.model, log, count=log.count))
    with ExitStack() as stack:
        memory = _Memory(settings, stack, user)
        understanding = UnderstandingService(
            memory.open, memory.current_state, model=assist.reader, tagger=bundled_tagger(_warn)
        )
        for line in lines:
            memory.state = line.state
            routed = route(line.said)
            if routed.question is not None:
                yield line, memory.answer(routed.question)
            elif routed.kind is not RouteKind.COMMAND:
                with speaking(spoken_for(line.said)):
                    answer = PastAnswer(small_talk(routed.kind))
                yield line, answer
            else:
                yield line, asyncio.run(understanding.resolve_with_model(line.said, apps))


def _answer_all(answers: PastAnswers, question: PastQuestion) -> PastAnswer:
    """The answers to a question and to those that its line asks behind it, one below the other."""
    answer = answers.answer(question)
    if question.second is None:
        return answer
    second = _answer_all(answers, question.second)
    return PastAnswer(
        f"{answer.text}\n{second.text}",
        tuple(dict.fromkeys((*answer.evidence, *second.evidence))),
        answer.is_answered or second.is_answered,
    )


def _as_json(line: _Line, meaning: Resolution | PastAnswer) -> dict[str, Any]:
    return _answer_json(line.said, meaning) if isinstance(meaning, PastAnswer) else meaning.as_json()


class _Memory:
    """The user's memory, opened when the first command needs it and closed with `stack`.

    `state` is that in which the command at hand is said.
    """

    def __init__(self, settings: Settings, stack: ExitStack, user: str = "") -> None:
        self._settings = settings
        self._user = user
        self._stack = stack
        self._sources: Sources | None = None
        self._answers: PastAnswers | None = None
        self.state = State(time=local_time())

    def current_state(self) -> State:
        """The state in which the command at hand is said."""
        return self.state

    def answer(self, question: PastQuestion) -> PastAnswer:
        """The answer to a question about the past, in the language of the question.

        Raises:
            StoreError: the memory cannot be opened or read.
        """
        if self._answers is None:
            store = open_store(self._settings)
            self._stack.callback(store.close)
            embeds = StoreEmbedder(store, self._settings.embedding, moves=False)
            owner = self._user or owner_of(store, self._settings.user_id)
            profile = LazyProfile(store, embeds.current, owner)
            self._answers = PastAnswers(store, owner, profile, lambda: self.state.time)
        with speaking(Language.CHINESE if question.chinese else Language.ENGLISH):
            return _answer_all(self._answers, question)

    def open(self) -> Sources:
        """The memory.

        Raises:
            StoreError: it cannot be opened.
        """
        if self._sources is None:
            store = open_store(self._settings)
            self._stack.callback(store.close)
            embeds = StoreEmbedder(store, self._settings.embedding, moves=False).current()
            owner = self._user or owner_of(store, self._settings.user_id)
            self._sources = open_memory(
                store,
                embeds,
                owner,
                _warn,
                rules_of(self._settings.prototypes),
                matcher=bundled_matcher(_warn),
            )
        return self._sources


def _answer_json(said: str, answer: PastAnswer) -> dict[str, Any]:
    """An answered question as one JSON object, with the keys of a resolution."""
    return {
        "said": said,
        "personalized": True,
        "decision": "answer",
        "answer": answer.text,
        "known": answer.is_answered,
        "evidence": list(answer.evidence),
        "elements": [],
        "instruction": said,
        "app": "",
        "missing": [],
    }


def _answer_lines(said: str, answer: PastAnswer) -> str:
    """An answered question for a person to read."""
    return "\n".join((f"› {one_line(said)}", *(f"  {one_line(line)}" for line in answer.text.split("\n"))))


def _format_resolution(resolution: Resolution) -> str:
    """A resolution for a person to read."""
    lines = [f"› {one_line(resolution.perceived.command)}"]
    for meaning in resolution.meanings:
        chosen = meaning.chosen
        text = one_line(meaning.element.text)
        if chosen is None:
            likely = joined(one_line(candidate.value, 60) for candidate in meaning.candidates)
            perhaps = _("perhaps {likely}")
            lines.append(f"  {text} → ?  {perhaps.format(likely=likely) if likely else ''}".rstrip())
        else:
            why = f" · {one_line(chosen.why, 200)}" if chosen.why else ""
            lines.append(f"  {text} → {chosen.value}  {name_of(chosen.origin)}{why}")
    if resolution.is_remark:
        return "\n".join([lines[0], "  " + _("This seems to order nothing: you are asked before it begins.")])
    return "\n".join([*lines, "  " + _("Task: ") + one_line(resolution.instruction)])


def _read_lines(file: Path) -> list[str]:
    """The lines of a file of commands.

    Raises:
        TyperException: it cannot be read.
    """
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.TyperException(unreadable_file(file, error)) from error
    # Only line feeds part commands: a form feed or a line separator in one does not.
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _known_apps(file: Path) -> list[str]:
    """The labels of the apps that the user's phones have shown so far."""
    kept = JsonFile(file).load().values()
    return sorted({str(label) for labels in kept if isinstance(labels, dict) for label in labels})


def _warn(sentence: str) -> None:
    typer.echo(sentence, err=True)

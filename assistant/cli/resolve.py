"""`assistant resolve`: what commands mean for this user. Nothing is run, asked or changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.help import (
    ConfigOption,
    DemoOption,
    JsonOption,
    StoreOption,
    demo_locale,
    demo_settings,
    local_time,
    name_of,
    settings_of,
    simulated_sentence,
)
from assistant.conversation.answers import PastAnswer, PastAnswers
from assistant.conversation.past_questions import PastQuestion, parse_question
from assistant.i18n import Language, _, speaking
from assistant.memory.profile.service import LazyProfile
from assistant.memory.prototypes.service import rules_of
from assistant.memory.store import open_store
from assistant.memory.vectors import StoreEmbedder
from assistant.model.types import one_line
from assistant.phone.keyboard import JsonFile
from assistant.records import State
from assistant.settings.schema import Settings
from assistant.understand.complete import Resolution
from assistant.understand.memory_sources import open_memory
from assistant.understand.service import UnderstandingService
from assistant.understand.types import Sources

_LABELS = "labels.json"


def resolve_command(
    said: Annotated[str | None, typer.Argument(metavar="TEXT", help="The command.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="A file with a command on each line; - for standard input.")
    ] = None,
    user: Annotated[str, typer.Option("--user", help="Whose memory; by default that of the settings.")] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """What a command means for this user, and why. Changes nothing."""
    if (said is None) == (file is None):
        raise typer.TyperException(_("Give either a TEXT or --file."))
    commands = [said] if said is not None else _lines(file)
    settings = settings_of(store, config=config)
    if user:
        settings = settings.overridden({"user_id": user})
    if demo:
        typer.echo(simulated_sentence(), err=True)
        settings = demo_settings(settings, store, demo_locale(commands))
    _resolve_all(settings, commands, as_json)


def _resolve_all(settings: Settings, commands: Iterable[str], as_json: bool) -> None:
    apps = _known_apps(settings.store / _LABELS)
    with ExitStack() as stack:
        memory = _Memory(settings, stack)
        understanding = UnderstandingService(memory.open, _state)
        for command in commands:
            if (question := parse_question(command)) is not None:
                answer = memory.answer(question)
                typer.echo(_answer_json(command, answer) if as_json else _answer_lines(command, answer))
                continue
            resolution = understanding.resolve(command, apps)
            if as_json:
                typer.echo(json.dumps(resolution.as_json(), ensure_ascii=False))
            else:
                typer.echo(_told(resolution))


class _Memory:
    """The user's memory, opened when the first command needs it and closed with `stack`."""

    def __init__(self, settings: Settings, stack: ExitStack) -> None:
        self._settings = settings
        self._stack = stack
        self._sources: Sources | None = None
        self._answers: PastAnswers | None = None

    def answer(self, question: PastQuestion) -> PastAnswer:
        """The answer to a question about the past, in the language of the question.

        Raises:
            StoreError: the memory cannot be opened or read.
        """
        if self._answers is None:
            store = open_store(self._settings)
            self._stack.callback(store.close)
            embeds = StoreEmbedder(store, self._settings.embedding, moves=False)
            profile = LazyProfile(store, embeds.current, self._settings.user_id)
            self._answers = PastAnswers(store, self._settings.user_id, profile, local_time)
        with speaking(Language.CHINESE if question.chinese else Language.ENGLISH):
            return self._answers.answer(question)

    def open(self) -> Sources:
        """The memory.

        Raises:
            StoreError: it cannot be opened.
        """
        if self._sources is None:
            store = open_store(self._settings)
            self._stack.callback(store.close)
            embeds = StoreEmbedder(store, self._settings.embedding, moves=False).current()
            self._sources = open_memory(
                store, embeds, self._settings.user_id, _warn, rules_of(self._settings.prototypes)
            )
        return self._sources


def _answer_json(said: str, answer: PastAnswer) -> str:
    """An answered question as one JSON object, with the keys of a resolution."""
    return json.dumps(
        {
            "said": said,
            "personalized": True,
            "decision": "answer",
            "answer": answer.text,
            "known": answer.known,
            "evidence": list(answer.evidence),
            "elements": [],
            "instruction": said,
            "app": "",
            "missing": [],
        },
        ensure_ascii=False,
    )


def _answer_lines(said: str, answer: PastAnswer) -> str:
    """An answered question for a person to read."""
    return "\n".join((f"› {one_line(said)}", *(f"  {one_line(line)}" for line in answer.text.split("\n"))))


def _told(resolution: Resolution) -> str:
    """A resolution for a person to read."""
    lines = [f"› {one_line(resolution.perceived.command)}"]
    for meaning in resolution.meanings:
        chosen = meaning.chosen
        text = one_line(meaning.element.text)
        if chosen is None:
            likely = ", ".join(one_line(candidate.value, 60) for candidate in meaning.candidates)
            perhaps = _("perhaps {likely}")
            lines.append(f"  {text} → ?  {perhaps.format(likely=likely) if likely else ''}".rstrip())
        else:
            why = f" · {one_line(chosen.why, 200)}" if chosen.why else ""
            lines.append(f"  {text} → {chosen.value}  {name_of(chosen.origin)}{why}")
    return "\n".join([*lines, "  " + _("Task: ") + one_line(resolution.instruction)])


def _lines(file: Path | None) -> list[str]:
    """The lines of a file of commands.

    Raises:
        TyperException: it cannot be read.
    """
    try:
        text = sys.stdin.read() if file is None or str(file) == "-" else file.read_text("utf-8-sig")
    except OSError as error:
        raise typer.TyperException(
            _("{file} cannot be read: {reason}.").format(file=file, reason=error.strerror)
        ) from error
    except UnicodeDecodeError as error:
        raise typer.TyperException(
            _("{file} is not UTF-8 text. Save it as UTF-8.").format(file=file)
        ) from error
    # Only line feeds part commands: a form feed or a line separator in one does not.
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _known_apps(file: Path) -> list[str]:
    """The labels of the apps that the user's phones have shown so far."""
    kept = JsonFile(file).load().values()
    return sorted({str(label) for labels in kept if isinstance(labels, dict) for label in labels})


def _state() -> State:
    return State(time=datetime.now().astimezone())


def _warn(sentence: str) -> None:
    typer.echo(sentence, err=True)

"""`assistant models`: the embedding models on this machine, and how vision-language models write actions."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated, Any

import typer
from PIL import Image
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

from assistant.bench.evaluation import (
    RESAMPLES,
    SEED,
    Measure,
    RecordedTurn,
    TurnEvaluator,
    TurnVerdict,
    candidate,
    compare,
    folder_turns,
    measure,
    rights_by_type,
    shown_candidate,
    stored_turns,
    turns_as_json,
)
from assistant.cli.help import (
    Commands,
    ConfigOption,
    JsonOption,
    StoreOption,
    name_of,
    settings_of,
    unreadable_file,
)
from assistant.cli.memory_data import ActionTreeCodec
from assistant.cli.memory_edit import AppOption, SinceOption, UserOption, filter_of, opened
from assistant.embedding.embedder import EmbeddingError
from assistant.embedding.install import InstallRequest, Tell, install
from assistant.embedding.models import FileState, InstalledModel, ModelRegistry
from assistant.factories import RequestLogger
from assistant.i18n import UserError, _, later, padded
from assistant.memory.store import owner_of
from assistant.memory.transfer.jsonl import UnreadableRecord
from assistant.model.client import VisionModel, encode_screenshot, sends_elements
from assistant.model.dialects import registry
from assistant.model.dialects.base import Dialect, MalformedReply, ModelReply, ParsedReply, ToolCall
from assistant.model.prompts import PromptRefused, read_own_prompt
from assistant.model.streamed_reply import split_thought
from assistant.model.tap_test import sample_screen
from assistant.model.types import ChatMessage, ModelError, PastStep, SentImage, StepRequest, one_line
from assistant.records import (
    Action,
    Click,
    Direction,
    OpenApp,
    Point,
    Scroll,
    Source,
    TypeText,
    describe,
)
from assistant.settings.schema import ModelSettings, Settings

models_app = Commands(help="Embedding models, and how models write actions.")

ModelArgument = Annotated[str, typer.Argument(metavar="NAME", help="A model; by default the one in use.")]

_SHOWN = 6
"""How many numbers of a vector a person is shown."""


@models_app.command("list")
def models_list(as_json: JsonOption = False, config: ConfigOption = None) -> None:
    """The embedding models on this machine; a star marks the one in use."""
    with _told_in_words():
        library = ModelRegistry()
        models = library.models()
        used = settings_of(config=config).embedding.model
        chosen = _chosen(library, used)
        if chosen is not None and chosen not in models:
            models.append(chosen)
        for model in models:
            line = _as_json(model) | {"used": model == chosen}
            typer.echo(json.dumps(line, ensure_ascii=False) if as_json else _in_line(line))
        if chosen is None:
            # Says in words why there is none.
            library.find(used)


@models_app.command("verify")
def models_verify(name: ModelArgument = "", as_json: JsonOption = False, config: ConfigOption = None) -> None:
    """Compare a model's files with their checksums and make a vector with it. Exit code 1 if one is wrong."""
    with _told_in_words():
        model = ModelRegistry().find(name or settings_of(config=config).embedding.model)
        states = model.check()
        for file, state in states:
            line = {"model": model.name, "file": file.path, "state": state, "sha256": file.sha256}
            typer.echo(
                json.dumps(line, ensure_ascii=False)
                if as_json
                else f"{padded(name_of(state), 8)} {file.path}"
            )
        if any(state is not FileState.GOOD for _file, state in states):
            raise typer.Exit(1)
        model.load().embed([model.name])
    if not states and not as_json:
        typer.echo(_("{folder} has no checksums, but it makes vectors.").format(folder=model.folder))


@models_app.command("install")
def models_install(
    what: Annotated[str, typer.Argument(metavar="FOLDER|NAME", help="A folder, or a name at the hub.")],
    revision: Annotated[str, typer.Option(help="A branch, tag or commit at the hub.")] = "main",
    file: Annotated[str, typer.Option(help="The ONNX file in the model, where there are several.")] = "",
    name: Annotated[str, typer.Option(help="Keep it under this name.")] = "",
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Install a sentence-transformers model in ONNX form. Interrupted, it goes on when run again."""
    with _told_in_words():
        settings = settings_of(config=config).embedding
        with _progress() as tell:
            model = install(InstallRequest(what, revision, file, name), ModelRegistry(), settings.hub, tell)
    if as_json:
        typer.echo(json.dumps(_as_json(model), ensure_ascii=False))
    else:
        typer.echo(
            _("Installed {name}. To use it, set embedding.model to “{name}” in the settings.").format(
                name=model.name
            )
        )


@models_app.command("embed")
def models_embed(
    name: Annotated[str, typer.Option("--model", help="A model; by default the one in use.")] = "",
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Read lines from standard input and print the vector of each."""
    with _told_in_words():
        embedder = ModelRegistry().find(name or settings_of(config=config).embedding.model).load()
        for line in sys.stdin.buffer:
            text = line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
            numbers = [round(number, 7) for number in embedder.embed([text])[0].tolist()]
            if as_json:
                typer.echo(json.dumps(numbers))
            else:
                shown = " ".join(f"{number:+.4f}" for number in numbers[:_SHOWN])
                typer.echo(f"{shown} … ({_('{count} numbers').format(count=len(numbers))})")


@models_app.command("dialects")
def models_dialects(as_json: JsonOption = False) -> None:
    """The ways of writing actions that are understood."""
    for dialect in registry.available():
        line = {"name": dialect.name, "title": dialect.title}
        typer.echo(json.dumps(line, ensure_ascii=False) if as_json else f"{dialect.name:13}  {dialect.title}")


@models_app.command("prompt")
def models_prompt(
    model: Annotated[str, typer.Option(help="The model's name; by default the one in the settings.")] = "",
    dialect: Annotated[str, typer.Option(help="Its dialect; by default as its name says.")] = "",
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """Print what a model would be sent for a first and for a later step. No phone is needed."""
    settings = settings_of(config=config).model
    if model or dialect:
        settings = settings.model_copy(update={"name": model, "dialect": dialect})
    try:
        chosen = registry.choose(settings.dialect, settings.name)
        own = read_own_prompt(settings.prompt_file)
    except (registry.UnknownDialect, PromptRefused) as error:
        raise typer.TyperException(str(error)) from None
    pictured = settings.model_copy(update={"image_side": settings.image_side or chosen.layout.side})
    frame = encode_screenshot(sample_screen().screenshot, pictured, chosen.space.resize) or SentImage(
        1080, 2400
    )
    elements = sends_elements(settings.elements, chosen)
    steps = [
        chosen.messages(request, frame, elements=elements, own=own)
        for request in _sample_requests(chosen, frame)
    ]
    shown = [[_shown_message(message) for message in messages] for messages in steps]
    if as_json:
        line = {"dialect": chosen.name, "first": shown[0], "later": shown[1], "tools": chosen.tools() or []}
        typer.echo(json.dumps(line, ensure_ascii=False))
        return
    for title, messages in zip((_("First step"), _("Later step")), shown, strict=True):
        typer.echo(f"==== {title} · {chosen.name}")
        for message in messages:
            typer.echo(f"---- {message['role']}")
            if message["role"] == "system" and messages is not shown[0] and message == shown[0][0]:
                typer.echo(_("(as in the first step)"))
                continue
            for part in message["content"]:
                typer.echo(part.get("text") or f"[{_('picture')} {part['width']}x{part['height']}]")
    if tools := chosen.tools():
        names = ", ".join(tool["function"]["name"] for tool in tools)
        typer.echo(f"==== {_('Functions offered')}: {names}")


def _sample_requests(dialect: Dialect, frame: SentImage) -> tuple[StepRequest, StepRequest]:
    """A first step, and a later one with steps of the model, of the user, and one that failed."""
    screen = sample_screen()
    first = StepRequest("send Mom: back at seven", screen, now=_SAMPLE_TIME, apps=("Chat", "Clock", "Mail"))
    actions: tuple[tuple[Action, str], ...] = (
        (OpenApp(name="Chat"), "The message goes out in Chat. Open Chat."),
        (Click(point=Point(0.5, 0.2), content="Mom"), "The list shows Mom. Tap “Mom”."),
        (Click(point=Point(0.5, 0.9), content=""), ""),
        (Scroll(direction=Direction.DOWN), "The field is not in view. Scroll down."),
        (Click(point=Point(0.4, 0.95), content="Message"), "The field is empty. Tap the field."),
        (TypeText(text="back at seven"), "The field has focus. Type the message."),
    )
    past = tuple(
        PastStep(
            action,
            source=Source.MODEL if thought else Source.USER,
            thought=thought,
            error="nothing moved" if isinstance(action, Scroll) else "",
            reply=dialect.write(action, frame).shown() if thought else "",
            number=number,
            frame=frame if thought and number > len(actions) + 1 - dialect.layout.pictures else None,
        )
        for number, (action, thought) in enumerate(actions, start=1)
    )
    return first, replace(first, history=past, notes=("The user says: in Chat, not by mail",))


_SAMPLE_TIME = datetime(2026, 11, 22, 18, 5, tzinfo=timezone(timedelta(hours=8)))


def _shown_message(message: ChatMessage) -> dict[str, Any]:
    """A message with the place and the size of each picture in its stead."""
    content = message["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {
        "role": message["role"],
        "content": [part if part["type"] == "text" else _picture_size(part) for part in parts],
    }


def _picture_size(part: dict[str, Any]) -> dict[str, Any]:
    data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
    with Image.open(io.BytesIO(data)) as picture:
        return {"type": "picture", "width": picture.width, "height": picture.height}


def eval_command(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[FOLDER]", help="FingerTip's folders; by default your own past turns."),
    ] = None,
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="Its name, or name=…,dialect=…,prompt_file=… and so on.")
    ] = "",
    both: Annotated[
        tuple[str, str] | None,
        typer.Option("--compare", metavar="A B", help="Two models on the same turns, and their difference."),
    ] = None,
    turns: Annotated[int, typer.Option(min=1, help="At most this many turns, the newest.")] = 20,
    once: Annotated[
        bool, typer.Option("--once", help="Ask once about each screen: cheaper, and no success rate.")
    ] = False,
    user: UserOption = None,
    app: AppOption = "",
    since: SinceOption = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Judge a model on recorded turns, step by step, without a phone.

    The recorded screens go to the endpoint, as in a turn. Nothing is done anywhere.
    """
    settings = settings_of(store, config=config)
    chosen = [candidate(settings.model, text) for text in both or ((model,) if model else ())]
    with opened(store, config) as memory:
        criteria = filter_of(user or owner_of(memory, settings.user_id), app, since, "", memory.now())
        try:
            recorded = (
                folder_turns(folder, ActionTreeCodec())
                if folder
                else stored_turns(memory, criteria, newest=turns)
            )
        except UnreadableRecord as error:
            raise typer.TyperException(str(error)) from None
        except OSError as error:
            raise UserError(unreadable_file(folder or settings.store, error)) from error
        if not recorded:
            raise UserError(
                _("{folder} has no episodes with actions.").format(folder=folder)
                if folder
                else _(
                    "No past turn in {store} ended well and still has its screens. "
                    "Carry out a command first, name another store (--store), or a folder of FingerTip's."
                ).format(store=settings.store)
            )
        results = asyncio.run(
            _evaluate(settings, chosen or [settings.model], recorded[-turns:], recorded, once=once)
        )
    _print_evaluation(settings, chosen or [settings.model], results, as_json=as_json, once=once)


async def _evaluate(
    settings: Settings,
    chosen: Sequence[ModelSettings],
    turns: Sequence[RecordedTurn],
    others: Sequence[RecordedTurn],
    *,
    once: bool,
) -> list[list[TurnVerdict]]:
    """The verdicts of each model on the turns; how far it is goes to standard error."""
    results = []
    for model_settings in chosen:
        model = VisionModel(model_settings, tell=RequestLogger(settings))
        evaluator = TurnEvaluator(model, once=once, history_steps=settings.turn.history_steps)
        verdicts = []
        try:
            for place, turn in enumerate(turns, start=1):
                if (verdict := await evaluator.evaluate(turn, others)) is None:
                    continue
                verdicts.append(verdict)
                right = sum(step.right for step in verdict.verdicts)
                line = _("{place}/{count}  {model}: {right} of {steps} steps  {instruction}").format(
                    place=place,
                    count=len(turns),
                    model=model_settings.name,
                    right=right,
                    steps=len(verdict.verdicts),
                    instruction=one_line(turn.record.instruction, 60),
                )
                typer.echo(line, err=True)
        except ModelError as error:
            raise UserError(str(error)) from error
        finally:
            await model.close()
        results.append(verdicts)
    return results


_MEASURE_NAMES = {
    "type": later("type of action"),
    "step": later("whole step"),
    "click": later("click in place"),
    "text": later("text typed, similarity"),
    "sr2": later("turns that succeed (SR2)"),
    "step_ratio": later("steps beside the recorded ones"),
    "sim2": later("like this user (Sim2)"),
    "unreadable": later("replies that cannot be read"),
    "tokens": later("tokens a step"),
    "seconds": later("seconds a step"),
}
_SHARES = ("type", "step", "click", "sr2", "unreadable")


def _print_evaluation(
    settings: Settings,
    chosen: Sequence[ModelSettings],
    results: Sequence[Sequence[TurnVerdict]],
    *,
    as_json: bool,
    once: bool,
) -> None:
    """A table with 95 % intervals, or one JSON object with every step besides."""
    names = [shown_candidate(each, settings.model) for each in chosen]
    measured = [measure(turns) for turns in results]
    columns = [*zip(names, measured, strict=True)]
    if len(results) > 1:
        columns.append((_("difference"), compare(results[0], results[1])))
    if as_json:
        models = [
            {
                "model": name,
                "measures": {key: value.as_json() for key, value in measures.items()},
                "by_type": rights_by_type(turns),
                "turns": list(turns_as_json(turns)),
            }
            for (name, measures), turns in zip(columns, results, strict=False)
        ]
        report: dict[str, Any] = {"models": models, "once": once, "resamples": RESAMPLES, "seed": SEED}
        if len(results) > 1:
            report["difference"] = {key: value.as_json() for key, value in columns[-1][1].items()}
        typer.echo(json.dumps(report, ensure_ascii=False))
        return
    steps = sum(len(turn.verdicts) for turn in results[0])
    several = len(results[0]) > 1
    heading = (
        _("{turns} turns, {steps} steps, 95 % intervals over turns").format(
            turns=len(results[0]), steps=steps
        )
        if several
        else _("1 turn, {steps} steps: no intervals").format(steps=steps)
    )
    typer.echo(f"{padded(heading, 46)}{''.join(padded(one_line(name, 26), 28) for name, _m in columns)}")
    for key, title in _MEASURE_NAMES.items():
        if once and key in ("sr2", "step_ratio"):
            continue
        cells = (
            padded(_shown_measure(key, measures[key], interval=several), 28) for _name, measures in columns
        )
        typer.echo(f"{padded(_(title), 46)}{''.join(cells)}".rstrip())


def _shown_measure(key: str, figure: Measure, *, interval: bool) -> str:
    if figure.value is None:
        return "–"
    form = "{:.1%}" if key in _SHARES else "{:.0f}" if key == "tokens" else "{:.2f}"
    value, low, high = (
        form.format(number) for number in (figure.value, figure.low or 0.0, figure.high or 0.0)
    )
    return f"{value} [{low}, {high}]" if interval else value


@models_app.command("parse")
def models_parse(
    dialect: Annotated[str, typer.Option(help="How the reply is written.")] = "",
    screen: Annotated[
        str, typer.Option(metavar="WxH", help="Size of the picture that was sent, in pixels.")
    ] = "",
    file: Annotated[
        Path | None,
        typer.Option(help="Replies, one JSON object a line: dialect or model, screen, reply, calls."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read a model's reply from standard input, or many from a file, and print what is understood."""
    if file is not None:
        _parse_file(file, as_json=as_json)
        return
    for name, value in (("--dialect", dialect), ("--screen", screen)):
        if not value:
            raise typer.TyperException(_("Missing option {name}.").format(name=name))
    try:
        chosen, frame = registry.get(dialect), _frame(screen)
    except (registry.UnknownDialect, ValueError) as error:
        raise typer.TyperException(str(error)) from None
    parsed = _parsed(chosen, frame, sys.stdin.read(), ())
    if not as_json:
        typer.echo(_in_words(parsed))
    elif isinstance(parsed, MalformedReply):
        typer.echo(json.dumps({"malformed": str(parsed)}, ensure_ascii=False))
    else:
        typer.echo(json.dumps(_actions(parsed), ensure_ascii=False))


def _parse_file(file: Path, *, as_json: bool) -> None:
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise typer.TyperException(unreadable_file(file, error)) from None
    for line in lines:
        if not line.strip():
            continue
        parsed = _parsed_line(line)
        typer.echo(json.dumps(_reading_as_json(parsed), ensure_ascii=True) if as_json else _in_words(parsed))


def _parsed_line(line: bytes) -> ParsedReply | MalformedReply:
    """What one line of a file of replies means; a line that is itself wrong says so as malformed."""
    try:
        value = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return MalformedReply(_("The line is not JSON."))
    if not isinstance(value, dict):
        return MalformedReply(_("The line is not a JSON object."))
    name, model, reply = (value.get(key) or "" for key in ("dialect", "model", "reply"))
    if not all(isinstance(text, str) for text in (name, model, reply)) or not (name or model):
        return MalformedReply(_("The line needs dialect or model, screen and reply, as texts."))
    try:
        chosen, frame = registry.choose(name, model), _frame(value.get("screen"))
        calls = tuple(_call(call) for call in value.get("calls") or ())
    except (registry.UnknownDialect, ValueError) as error:
        return MalformedReply(str(error))
    except TypeError:
        return MalformedReply(_("calls is a list of pairs, a name and its arguments."))
    return _parsed(chosen, frame, reply, calls)


def _call(call: object) -> ToolCall:
    """One native call of a line: a pair, or an object with `name` and `arguments`.

    Raises:
        TypeError: neither.
    """
    if isinstance(call, dict):
        call = [call.get("name"), call.get("arguments")]
    if not (isinstance(call, list) and call and len(call) < 3 and isinstance(call[0], str)):
        raise TypeError
    arguments = call[1] if len(call) > 1 else ""
    return ToolCall(call[0], arguments if isinstance(arguments, str) else json.dumps(arguments))


def _parsed(
    dialect: Dialect, frame: SentImage, text: str, calls: tuple[ToolCall, ...]
) -> ParsedReply | MalformedReply:
    try:
        return dialect.read(ModelReply(split_thought(text)[1].strip(), calls), frame)
    except MalformedReply as reason:
        return reason


def _frame(screen: object) -> SentImage:
    """The picture of a size such as 1080x2400.

    Raises:
        ValueError: no such size; the message says so.
    """
    width, _by, height = (
        screen.replace("×", "x").lower().partition("x") if isinstance(screen, str) else ("",) * 3
    )
    if not all(side.isascii() and side.isdecimal() and 0 < int(side) < 100_000 for side in (width, height)):
        raise ValueError(_("--screen takes a size in pixels, such as 1080x2400."))
    return SentImage(int(width), int(height))


def _actions(parsed: ParsedReply) -> list[dict[str, object]]:
    return [action.model_dump(mode="json", exclude_none=True) for action in parsed.actions]


def _reading_as_json(parsed: ParsedReply | MalformedReply) -> dict[str, object]:
    if isinstance(parsed, MalformedReply):
        return {"malformed": str(parsed)}
    beside = {"notes": [*parsed.notes], "remark": parsed.remark, "warning": parsed.warning}
    return {"actions": _actions(parsed), **{key: value for key, value in beside.items() if value}}


def _in_words(parsed: ParsedReply | MalformedReply) -> str:
    if isinstance(parsed, MalformedReply):
        return _("malformed: {reason}").format(reason=parsed)
    done = ", ".join(describe(action, _) for action in parsed.actions) or _("nothing to do")
    return f"{done} ({parsed.remark})" if parsed.remark else done


def _chosen(library: ModelRegistry, used: str) -> InstalledModel | None:
    try:
        return library.find(used)
    except EmbeddingError:
        return None


@contextmanager
def _told_in_words() -> Iterator[None]:
    """Print problems of an embedding model to standard error and exit with 1."""
    try:
        yield
    except EmbeddingError as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from error


@contextmanager
def _progress() -> Iterator[Tell]:
    """A bar for each file, on standard error."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Progress(*columns, console=Console(file=sys.__stderr__, markup=False), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(path: str, done: int, total: int) -> None:
            if path not in tasks:
                tasks[path] = bars.add_task(path, total=total or None)
            bars.update(tasks[path], completed=done, total=total or None)

        yield tell


def _as_json(model: InstalledModel) -> dict[str, object]:
    entry = model.entry
    return {
        "name": model.name,
        "model_id": entry.model_id if entry else None,
        "bundled": model.bundled,
        "dimensions": entry.dimensions if entry else None,
        "bytes": entry.size if entry else None,
        "licence": entry.licence if entry else "",
        "folder": str(model.folder),
    }


def _in_line(line: dict[str, object]) -> str:
    mark = "*" if line["used"] else " "
    size = line["bytes"]
    megabytes = f"{size / 1e6:.1f} MB" if isinstance(size, int) else "?"
    numbers = _("{count} numbers").format(count=line["dimensions"] or "?")
    return f"{mark} {line['name']}  {numbers}  {megabytes}  {line['folder']}"

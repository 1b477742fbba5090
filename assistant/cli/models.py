"""`assistant models`: the embedding models on this machine, and how vision-language models write actions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn

from assistant.cli.help import Commands, ConfigOption, JsonOption, name_of, settings_of
from assistant.embedding.embedder import EmbeddingError, FileState
from assistant.embedding.install import InstallRequest, Tell, install
from assistant.embedding.models import InstalledModel, ModelRegistry
from assistant.i18n import _
from assistant.model.client import split_thought
from assistant.model.dialects import registry
from assistant.model.dialects.base import MalformedReply, ModelReply
from assistant.model.types import SentImage
from assistant.records import describe
from assistant.text_layout import padded

models_app = Commands(help="Embedding models, and how models write actions.", no_args_is_help=True)

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
    """Compare a model's files with their checksums and make a vector with it. Ends with 1 if one is wrong."""
    with _told_in_words():
        model = ModelRegistry().find(name or settings_of(config=config).embedding.model)
        found = model.check()
        for file, state in found:
            line = {"model": model.name, "file": file.path, "state": state, "sha256": file.sha256}
            typer.echo(
                json.dumps(line, ensure_ascii=False)
                if as_json
                else f"{padded(name_of(state), 8)} {file.path}"
            )
        if any(state is not FileState.GOOD for _file, state in found):
            raise typer.Exit(1)
        model.load().embed([model.name])
    if not found and not as_json:
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
    """Install a sentence-transformers model in ONNX form. What is broken off goes on when run again."""
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


@models_app.command("parse")
def models_parse(
    dialect: Annotated[str, typer.Option(help="How the reply is written.")],
    screen: Annotated[str, typer.Option(metavar="WxH", help="Size of the picture that was sent, in pixels.")],
    as_json: JsonOption = False,
) -> None:
    """Read one model reply from standard input and print its action."""
    width, _by, height = screen.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise typer.TyperException(_("--screen takes a size in pixels, such as 1080x2400."))
    frame = SentImage(int(width), int(height))
    try:
        action = registry.get(dialect).parse(ModelReply(split_thought(sys.stdin.read())[1]), frame)
    except registry.UnknownDialect as error:
        raise typer.TyperException(str(error)) from None
    except MalformedReply as reason:
        malformed = json.dumps({"malformed": str(reason)}, ensure_ascii=False)
        typer.echo(malformed if as_json else _("malformed: {reason}").format(reason=reason))
        return
    plain = action.model_dump(mode="json", exclude_none=True)
    typer.echo(json.dumps([plain], ensure_ascii=False) if as_json else describe(action, _))


def _chosen(library: ModelRegistry, used: str) -> InstalledModel | None:
    try:
        return library.find(used)
    except EmbeddingError:
        return None


@contextmanager
def _told_in_words() -> Iterator[None]:
    """What is wrong with an embedding model goes to standard error, and the command ends with 1."""
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

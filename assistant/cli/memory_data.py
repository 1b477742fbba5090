"""`assistant memory import|export`: record lines, and FingerTip's folders."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from assistant.cli.memory_options import AppOption, SinceOption, TextOption, UserOption, filter_of, opened
from assistant.commands.codec import FingerTipCodec
from assistant.commands.memory_usage import import_usage
from assistant.commands.options import (
    ConfigOption,
    DemoOption,
    JsonOption,
    SerialOption,
    StoreOption,
    settings_of,
)
from assistant.i18n import _
from assistant.memory.store import Store
from assistant.memory.transfer.fingertip import episode_folders, export_folder, import_folder
from assistant.memory.transfer.jsonl import ImportProgress, RefusedLine, Tell, import_lines
from assistant.settings.schema import Settings

_MOST_TOLD = 10_000
"""How many refused lines the summary lists; standard error tells of all."""


def memory_import(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|FOLDER|-|usage",
            help="Record lines, FingerTip's folders, standard input, or the phone's usage statistics.",
        ),
    ],
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="Take screenshots and UI trees of folders too.")
    ] = True,
    as_json: JsonOption = False,
    learn: Annotated[
        bool, typer.Option("--learn/--no-learn", help="Make memory of the records at once.")
    ] = True,
    store: StoreOption = None,
    config: ConfigOption = None,
    serial: SerialOption = "",
    demo: DemoOption = False,
) -> None:
    """Take records in. Broken ones are told by number, known ones stay as they are; undo takes all back."""
    if str(source) == "usage" and not source.exists():
        import_usage(store, serial, config, demo=demo, learn=learn, as_json=as_json)
        return
    refused: list[RefusedLine] = []

    def refuse(one: RefusedLine) -> None:
        words = _("episode {number}: {reason}") if source.is_dir() else _("line {number}: {reason}")
        typer.echo(words.format(number=one.line, reason=one.reason), err=True)
        if len(refused) < _MOST_TOLD:
            refused.append(one)

    with opened(store, config) as memory:
        try:
            done = _import(memory, source, refuse, pictures=pictures)
        except OSError as error:
            typer.echo(
                _("{file} cannot be read: {reason}.").format(file=source, reason=error.strerror),
                err=True,
            )
            raise typer.Exit(1) from error
        if learn and done.imported:
            learn_from_records(memory, settings_of(store, "", config))
    if as_json:
        told = [{"line": one.line, "reason": one.reason} for one in refused]
        typer.echo(
            json.dumps(
                {
                    "imported": done.imported,
                    "known": done.known,
                    "refused": told,
                    "refused_count": done.refused,
                },
                ensure_ascii=False,
            )
        )
    else:
        typer.echo(
            _("{imported} imported, {known} known already, {refused} refused.").format(
                imported=done.imported, known=done.known, refused=done.refused
            )
        )
    if done.refused and not done.imported + done.known:
        raise typer.Exit(1)


def memory_export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write record lines here.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--fingertip", metavar="FOLDER", help="Write FingerTip's folders here.")
    ] = None,
    user: UserOption = None,
    app: AppOption = "",
    since: SinceOption = "",
    text: TextOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Lines are JSON in any case.")] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Records in the exchange format, one JSON object a line, or as FingerTip's folders."""
    if output is not None and folder is not None:
        raise typer.TyperException(_("Give either --output or --fingertip."))
    with opened(store, config) as memory:
        wanted = filter_of(user, app, since, text, memory.now())
        try:
            if folder is not None:
                count = sum(1 for _one in export_folder(memory, folder, FingerTipCodec(), wanted))
                typer.echo(
                    _("{count} episodes written to {folder}.").format(count=count, folder=folder), err=True
                )
                return
            lines = (record.model_dump_json(exclude_none=True) for record in memory.records.where(wanted))
            if output is None:
                for line in lines:
                    typer.echo(line)
                return
            output.touch(mode=0o600)
            with output.open("w", encoding="utf-8") as file:
                count = sum(1 for line in lines if file.write(f"{line}\n"))
            typer.echo(_("{count} records written to {output}.").format(count=count, output=output), err=True)
        except BrokenPipeError:
            raise
        except OSError as error:
            typer.echo(
                _("{file} cannot be written: {reason}.").format(file=error.filename, reason=error.strerror),
                err=True,
            )
            raise typer.Exit(1) from error


def learn_from_records(memory: Store, settings: Settings) -> None:
    """Make profile and prototypes of all records; without an embedder say so and go on."""
    # The embedder's libraries take longer to import than most commands take.
    from assistant.embedding.embedder import EmbeddingError
    from assistant.embedding.models import ModelRegistry
    from assistant.memory.learn_from_records import learn_from_records as digest

    console = Console(stderr=True, markup=False)
    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %  {task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        try:
            digest(
                memory,
                ModelRegistry().load(settings.embedding),
                settings,
                memory.records.users(),
                lambda what, done, total: progress.update(
                    task, completed=done, total=total, description=what
                ),
            )
        except EmbeddingError as problem:
            typer.echo(
                _("{problem} The records are imported; nothing is learnt from them yet.").format(
                    problem=problem
                ),
                err=True,
            )


def _import(
    memory: Store, source: Path, refuse: Callable[[RefusedLine], None], *, pictures: bool
) -> ImportProgress:
    if str(source) == "-":
        return import_lines(memory, sys.stdin.buffer, "standard input", lambda _: None, refuse)
    if source.is_dir():
        with _bar(len(episode_folders(source))) as tell:
            return import_folder(memory, source, FingerTipCodec(), tell, refuse, pictures=pictures)
    with source.open("rb") as stream, _bar(_size(stream)) as tell:
        return import_lines(memory, stream, source.name, tell, refuse)


def _size(stream: BinaryIO) -> int:
    return stream.seek(0, 2) - stream.seek(0) if stream.seekable() else 0


@contextmanager
def _bar(total: int) -> Iterator[Tell]:
    """A progress bar on standard error where a person watches."""
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %  {task.description}"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, markup=False)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total or None)

        def tell(at: ImportProgress) -> None:
            words = _("{imported} imported, {known} known, {refused} refused").format(
                imported=at.imported, known=at.known, refused=at.refused
            )
            progress.update(task, completed=at.done, description=words)

        yield tell

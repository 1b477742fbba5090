"""`assistant memory import|export`: record lines, facts, contacts, and FingerTip's folders.

`assistant memory import usage`: habits of the first evening, from the phone's own usage statistics.

`assistant memory pause|sources|sent|wipe`: what is learnt, what left this machine, and an empty memory.

`assistant memory keep`: how long screenshots and what was sent are kept.

`ActionTreeCodec` joins FingerTip's folders with the dialect for actions and the reader for UI trees, which
lie in packages that `memory` must not import.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import BufferedReader
from itertools import count as count_from
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from assistant.cli.help import (
    ConfigOption,
    DemoOption,
    JsonOption,
    SerialOption,
    StoreOption,
    demo_settings,
    in_world,
    settings_of,
    simulated_sentence,
    unreadable_file,
)
from assistant.cli.memory_edit import (
    AppOption,
    SinceOption,
    TextOption,
    UserOption,
    filter_of,
    opened,
    viewed,
)
from assistant.cli.suggest import phone_of
from assistant.embedding.embedder import EmbeddingError
from assistant.embedding.models import ModelRegistry
from assistant.files import write_privately
from assistant.i18n import _, padded
from assistant.memory.database import StoreError
from assistant.memory.profile.service import Profile
from assistant.memory.prototypes.service import learn_from_records
from assistant.memory.request_log import LoggedRequest
from assistant.memory.store import LearningSwitches, Store, open_store
from assistant.memory.transfer.fingertip import episode_folders, export_folder, import_folder
from assistant.memory.transfer.jsonl import ImportProgress, Refuse, RefusedLine, Tell, import_lines
from assistant.memory.transfer.profile_facts import (
    TransferFormat,
    export_contacts,
    export_facts,
    guess_format,
    import_contacts,
    import_facts,
)
from assistant.memory_view.labels import made_by
from assistant.memory_view.retention import CONFIRMATION, LIMITS, MOST
from assistant.memory_view.sections import format_size
from assistant.model.dialects.base import MalformedReply, ModelReply
from assistant.model.dialects.line_actions import ACTION_NAMES, FingerTip
from assistant.model.dialects.text_calls import quote
from assistant.model.types import SentImage, one_line
from assistant.phone.adb import AdbServer, Shell
from assistant.phone.apps import LABELS, AppLabels
from assistant.phone.errors import PhoneError
from assistant.phone.monitor import AppOpened, UsageUnknown, read_usage
from assistant.phone.ui_tree import UnreadableTree, parse_tree
from assistant.proactive.habit_table import find_usage_habits
from assistant.records import Action, Element
from assistant.settings.load import save, setting
from assistant.settings.schema import MemorySettings, Settings


def import_usage(
    store: Path | None, serial: str, config: Path | None, *, demo: bool, learn: bool, as_json: bool
) -> None:
    """Read which apps are opened at about the same time on several days, and keep that as records.

    Raises:
        TyperException: the phone cannot be asked, or its statistics cannot be read; in words.
    """
    settings = settings_of(store, serial, config)
    if demo:
        typer.echo(simulated_sentence(), err=True)
        settings = demo_settings(settings, store, filled=False)
    count, seen, names = asyncio.run(in_world(settings, take_in, demo=demo))
    if learn and count:
        # As there: the embedder takes long to import.

        memory = open_store(settings)
        try:
            learn_imported(memory, settings)
        finally:
            memory.close()
    if as_json:
        typer.echo(json.dumps({"openings": seen, "imported": count, "apps": names}, ensure_ascii=False))
    elif names:
        typer.echo(
            _("{seen} openings read, {count} new records of habits: {names}.").format(
                seen=seen, count=count, names=", ".join(names)
            )
        )
    else:
        typer.echo(
            _("{seen} openings read, none at about the same time on three days. Try again in a few.").format(
                seen=seen
            )
        )


async def take_in(settings: Settings) -> tuple[int, int, list[str]]:
    """Read and keep; returns how many records are new, how many openings there were, and of which apps.

    Raises:
        TyperException: the phone cannot be asked, or its statistics cannot be read; in words.
    """
    opened, serial = await _read(settings)
    labels = AppLabels(settings.store / LABELS)
    memory = open_store(settings)
    try:
        records = find_usage_habits(
            opened,
            settings.user_id,
            lambda package: labels.label(serial, package),
            recorded=memory.records.of(settings.user_id),
        )
        count = memory.records.add(records, "Import usage", "asked by the user") if records else 0
    finally:
        memory.close()
    return count, len(opened), sorted({record.app for record in records})


async def _read(settings: Settings) -> tuple[list[AppOpened], str]:
    adb = AdbServer(settings.phone.adb_host, settings.phone.adb_port)
    local = datetime.now().astimezone().tzinfo
    try:
        serial = await phone_of(settings, adb)
        shell = Shell(adb, serial, settings.phone.command_deadline)
        return (await read_usage(shell, local) if local else []), serial
    except PhoneError as problem:
        raise typer.TyperException(problem.sentence) from None
    except UsageUnknown as problem:
        raise typer.TyperException(str(problem)) from None


def memory_pause(
    off: Annotated[bool, typer.Option("--off", help="Let learning go on.")] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Pause learning until --off; turns in between are never learnt from."""
    settings = settings_of(store, "", config)
    with opened(store, config) as memory:
        learning = LearningSwitches(memory, settings.user_id)
        change = learning.pause(not off)
        paused = learning.paused
    if as_json:
        state = {"paused": paused, "setting": settings.memory.learning, "change": change}
        typer.echo(json.dumps(state))
        return
    typer.echo(_("Learning is paused.") if paused else _("Learning goes on."))
    if not paused and not settings.memory.learning:
        typer.echo(_("Learning stays off: the setting memory.learning is false."), err=True)


def memory_sources(
    switch_on: Annotated[str | None, typer.Option("--on", metavar="NAME", help="Learn from it.")] = None,
    switch_off: Annotated[str | None, typer.Option("--off", metavar="NAME", help="Do not.")] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Where records come from, and whether anything is learnt from them."""
    with viewed(store, config) as view:
        for name, on in ((switch_on, True), (switch_off, False)):
            if name is not None:
                typer.echo(view.care.switch(name, on), err=True)
        sources = view.care.sources()
    for origin in sources:
        if as_json:
            typer.echo(
                json.dumps(
                    {"source": origin.name, "records": origin.records, "on": origin.on}, ensure_ascii=False
                )
            )
        else:
            switched = padded(_("on") if origin.on else _("off"), 3)
            name = one_line(made_by(origin.name)) or _("(none)")
            typer.echo(f"{switched}  {origin.records:>7,}  {name}")


def memory_sent(
    line_id: Annotated[int | None, typer.Argument(metavar="[ID]", help="One request, word by word.")] = None,
    turn: Annotated[str, typer.Option("--turn", help="Requests of this turn only.")] = "",
    newest: Annotated[int, typer.Option(min=1, help="How many of the latest.")] = 20,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """What left this machine for the model's endpoint: when, where to, how much, which words."""
    settings = settings_of(store, "", config)
    with opened(store, config) as memory:
        if line_id is None:
            lines = memory.sent.lines(settings.user_id, newest, turn, whole=as_json)[::-1]
        else:
            try:
                lines = [memory.sent.line(line_id)]
            except KeyError:
                raise StoreError(
                    _("There is no request {line_id}. List them with: assistant memory sent").format(
                        line_id=line_id
                    )
                ) from None
    for line in lines:
        if as_json:
            typer.echo(json.dumps(_as_json(line), ensure_ascii=False))
        else:
            typer.echo(_line(line))
            for role, text in line.parts:
                typer.echo(f"── {one_line(role)} ──")
                typer.echo("\n".join(one_line(row, 2000) for row in text.splitlines()))
    if not lines and not as_json:
        typer.echo(_("No requests yet."), err=True)


def memory_wipe(
    confirmed: Annotated[
        str, typer.Option("--confirm", metavar="WORDS", help="Pass “wipe everything” to skip the question.")
    ] = "",
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Delete everything that is remembered, for good: records, profile, places, suggestions, pictures."""
    if not confirmed and not sys.stdin.isatty():
        raise typer.TyperException(
            _('This cannot be undone. Add --confirm "{confirmation}" to do it.').format(
                confirmation=CONFIRMATION
            )
        )
    with viewed(store, config) as view:
        typed = confirmed or typer.prompt(
            _("This cannot be undone. To do it, type: {confirmation}").format(confirmation=CONFIRMATION),
            err=True,
        )
        outcome = view.care.wipe(typed)
    typer.echo(json.dumps({"wiped": True, "done": outcome}) if as_json else outcome)


def _as_json(line: LoggedRequest) -> dict[str, Any]:
    return {
        "id": line.id,
        "time": line.time.isoformat(),
        "turn": line.turn_id,
        "step": line.step,
        "endpoint": line.endpoint,
        "model": line.model,
        "bytes": line.size,
        "screenshot": bool(line.picture_bytes),
        "screenshot_bytes": line.picture_bytes,
        "text_bytes": line.text_bytes,
        "parts": [{"role": role, "text": text} for role, text in line.parts],
    }


def _line(line: LoggedRequest) -> str:
    when = line.time.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    picture = _("screenshot") if line.picture_bytes else _("no screenshot")
    turn = (
        _("{turn_id} step {step}").format(turn_id=one_line(line.turn_id), step=line.step)
        if line.turn_id
        else _("no turn")
    )
    return f"{line.id:>5}  {when}  {one_line(line.endpoint)}  {format_size(line.size)}, {picture}  {turn}"


_WIDTH = 28


def memory_keep(
    screenshots: Annotated[
        int | None,
        typer.Option(
            "--screenshots",
            metavar="DAYS",
            min=0,
            max=MOST,
            help="How long screenshots stay; 0 for no limit.",
        ),
    ] = None,
    megabytes: Annotated[
        int | None,
        typer.Option(
            "--megabytes",
            metavar="NUMBER",
            min=0,
            max=MOST,
            help="Room for screenshots, the oldest go first; 0 for no limit.",
        ),
    ] = None,
    sent: Annotated[
        int | None,
        typer.Option(
            "--sent", metavar="DAYS", min=0, max=MOST, help="How long what was sent stays; 0 for no limit."
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Delete what is beyond the limits without asking.")
    ] = False,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """How long screenshots and what was sent are kept; with a limit, set it and delete what is beyond it."""
    before = settings_of(store, "", config).memory
    typed = {"screenshot_days": screenshots, "screenshot_megabytes": megabytes, "sent_days": sent}
    changes = {name: number for name, number in typed.items() if number is not None}
    limits = before.model_copy(update=changes)
    sentences = []
    with viewed(store, config) as view:
        keeping = view.care.keeping
        if changes:
            if not yes:
                _confirm(keeping.goes_with(limits))
            file = save({"memory": changes}, config)
            sentences.append(_("Kept in {file}.").format(file=file))
            limits = settings_of(store, "", config).memory
            if outvoted := [name for name in changes if getattr(limits, name) != changes[name]]:
                listed = ", ".join(setting(f"memory.{name}").variable for name in outvoted)
                unset = _(" The environment still says otherwise: unset {listed}.")
                sentences.append(unset.format(listed=listed).strip())
            sentences.append(keeping.sweep(limits))
        sentences.append(keeping.there())
    _tell(limits, sentences, as_json)


def _confirm(deleted: str) -> None:
    """Ask for confirmation before something is deleted for good."""
    if not deleted:
        return
    if not sys.stdin.isatty():
        raise typer.TyperException(_("{deleted} Add --yes to do it all the same.").format(deleted=deleted))
    typer.confirm(_("{deleted} Do it?").format(deleted=deleted), abort=True, err=True)


def _tell(limits: MemorySettings, sentences: list[str], as_json: bool) -> None:
    if as_json:
        numbers = {name: getattr(limits, name) for name in LIMITS.values()}
        typer.echo(json.dumps({**numbers, "told": sentences}, ensure_ascii=False))
        return
    for label, name in LIMITS.items():
        number = getattr(limits, name)
        typer.echo(f"{padded(_(label), _WIDTH)} {number or _('no limit'):>8}")
    typer.echo("\n".join(sentences))


_NAMES = ("action", "action_type", "type", "name")
_INNER = ("arguments", "parameters", "params", "args")
_LAST = {"terminate": "finished"}
_ANY = 1 << 20


class ActionTreeCodec:
    """Reads and writes actions and trees for `memory.transfer`."""

    def __init__(self) -> None:
        self._dialect = FingerTip()

    def read_action(self, written: str | Mapping[str, Any], width: int, height: int) -> Action:
        """An action from `click(coordinates=(336,1267), content='')`, whole or in parts.

        Parts are an object with the action's name under `action`, `action_type`, `type` or `name`, and beside
        it, or in an object of their own, its arguments; the name may also be the whole string.

        Raises:
            ValueError: it cannot be read, or has coordinates where no screen is known.
        """
        text = written if isinstance(written, str) else _in_one(written)
        name, bracket, rest = text.strip().partition("(")
        name = _LAST.get(name, name)
        if name.strip().casefold() not in ACTION_NAMES:
            raise ValueError(_("there is no action {name}").format(name=one_line(name, 40)))
        text = name + (bracket + rest or "()")
        try:
            action = self._dialect.parse(ModelReply(text), SentImage(width or _ANY, height or _ANY))
        except MalformedReply as error:
            raise ValueError(str(error)) from error
        if not width and {"point", "start"} & set(type(action).model_fields):
            raise ValueError(_("it has coordinates, but there is no screenshot that tells of what screen"))
        return action

    def write_action(self, action: Action, width: int, height: int) -> str:
        """The action's string."""
        return self._dialect.write(action, SentImage(width, height)).text

    def read_tree(self, xml: bytes) -> Sequence[Element]:
        """The elements of a tree.

        Raises:
            ValueError: it is no tree.
        """
        try:
            return parse_tree(xml).elements
        except UnreadableTree as error:
            raise ValueError(str(error)) from error


def _in_one(parts: Mapping[str, Any]) -> str:
    """The string of an action that is given as an object."""
    name = next((parts[key] for key in _NAMES if isinstance(parts.get(key), str)), "")
    if "(" in name:
        return name
    inner = next((parts[key] for key in _INNER if isinstance(parts.get(key), dict)), parts)
    arguments = (
        f"{key}={_argument(value)}"
        for key, value in inner.items()
        if value is not None and (inner is not parts or key not in _NAMES)
    )
    return f"{name}({', '.join(arguments)})"


def _argument(value: Any) -> str:
    match value:
        case [int() | float() as x, int() | float() as y] | {
            "x": int() | float() as x,
            "y": int() | float() as y,
        }:
            return f"({x},{y})"
        case str() if value.startswith("(") and value.endswith(")") and value.count(",") == 1:
            return value
        case _:
            return quote(str(value))


_MOST_TOLD = 10_000
"""How many refused lines the summary lists; standard error tells of all."""


def memory_import(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|FOLDER|-|usage",
            help="Record lines, facts, vCards, FingerTip's folders, standard input, or the phone's usage "
            "statistics.",
        ),
    ],
    file_format: Annotated[
        TransferFormat | None,
        typer.Option(
            "--format", help="Records; facts, one sentence a line; or contacts (vCard). By default guessed."
        ),
    ] = None,
    user: Annotated[
        str, typer.Option("--user", help="Whose facts or contacts; else the one in the settings.")
    ] = "",
    pictures: Annotated[
        bool, typer.Option("--pictures/--no-pictures", help="Take screenshots and UI trees of folders too.")
    ] = True,
    as_json: JsonOption = False,
    learn: Annotated[bool, typer.Option("--learn/--no-learn", help="Learn from the records at once.")] = True,
    store: StoreOption = None,
    config: ConfigOption = None,
    serial: SerialOption = "",
    demo: DemoOption = False,
) -> None:
    """Import records, facts or contacts. Broken lines are listed by number; undo removes all."""
    if str(source) == "usage" and not source.exists():
        import_usage(store, serial, config, demo=demo, learn=learn, as_json=as_json)
        return
    refused: list[RefusedLine] = []
    chosen = file_format or TransferFormat.RECORDS

    def refuse(line: RefusedLine) -> None:
        words = _("episode {number}: {reason}") if source.is_dir() else _("line {number}: {reason}")
        words = _("card {number}: {reason}") if chosen is TransferFormat.CONTACTS else words
        typer.echo(words.format(number=line.line, reason=line.reason), err=True)
        if len(refused) < _MOST_TOLD:
            refused.append(line)

    with opened(store, config) as memory:
        try:
            chosen = file_format or _guess(source)
            if chosen is TransferFormat.RECORDS:
                done = _import(memory, source, refuse, pictures=pictures)
            else:
                settings = settings_of(store, "", config)
                done = import_profile(memory, settings, user, source, chosen, refuse)
        except OSError as error:
            typer.echo(unreadable_file(source, error), err=True)
            raise typer.Exit(1) from error
        if learn and done.imported and chosen is TransferFormat.RECORDS:
            learn_imported(memory, settings_of(store, "", config))
    _print_counts(done, refused, as_json=as_json)
    if not done.refused + done.imported + done.duplicates:
        typer.echo(_("Nothing in {file} can be imported.").format(file=source), err=True)
    if not done.imported + done.duplicates:
        raise typer.Exit(1)


def _print_counts(done: ImportProgress, refused: Sequence[RefusedLine], *, as_json: bool) -> None:
    """Print how much was imported; as JSON with the refused lines, which standard error names too."""
    figures: dict[str, object] = {"imported": done.imported, "known": done.duplicates}
    if as_json:
        figures["refused"] = [{"line": line.line, "reason": line.reason} for line in refused]
        typer.echo(json.dumps(figures | {"refused_count": done.refused}, ensure_ascii=False))
    else:
        sentence = _("{imported} imported, {known} known already, {refused} refused.")
        typer.echo(sentence.format(refused=done.refused, **figures))


def _profile_lines(
    memory: Store, settings: Settings, user: str | None, chosen: TransferFormat
) -> Iterator[str]:
    """The facts of a profile as sentences, or its contacts as vCards."""
    profile = Profile(memory, ModelRegistry().load(settings.embedding), user or settings.user_id)
    return (export_facts if chosen is TransferFormat.FACTS else export_contacts)(profile)


def memory_export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write record lines here.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--fingertip", metavar="FOLDER", help="Write FingerTip's folders here.")
    ] = None,
    file_format: Annotated[
        TransferFormat | None,
        typer.Option(
            "--format",
            help="Records; facts, one sentence a line; or contacts as vCards. By default records, "
            "for a file .vcf contacts.",
        ),
    ] = None,
    user: UserOption = None,
    app: AppOption = "",
    since: SinceOption = "",
    text: TextOption = "",
    as_json: Annotated[bool, typer.Option("--json", help="Records are lines of JSON in any case.")] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Records in the exchange format or as FingerTip's folders; facts and contacts of the profile."""
    if output is not None and folder is not None:
        raise typer.TyperException(_("Give either --output or --fingertip."))
    is_contacts = output is not None and output.suffix.casefold() in (".vcf", ".vcard")
    chosen = file_format or (TransferFormat.CONTACTS if is_contacts else TransferFormat.RECORDS)
    with opened(store, config) as memory:
        criteria = filter_of(user, app, since, text, memory.now())
        try:
            if folder is not None:
                count = sum(1 for _episode in export_folder(memory, folder, ActionTreeCodec(), criteria))
                sentence = _("{count} episodes written to {folder}.")
                typer.echo(sentence.format(count=count, folder=folder), err=True)
                return
            records = memory.records.where(criteria)
            lines: Iterator[str] = (record.model_dump_json(exclude_none=True) for record in records)
            if chosen is not TransferFormat.RECORDS:
                lines = _profile_lines(memory, settings_of(store, "", config), user, chosen)
            if output is None:
                for line in lines:
                    typer.echo(line)
                return
            output.parent.stat()  # No folder is made for a path that may be mistyped.
            numbers = count_from()
            write_privately(output, (f"{line}\n" for line, _number in zip(lines, numbers, strict=False)))
            sentence = _("{count} lines written to {output}.")
            if chosen is TransferFormat.RECORDS:
                sentence = _(
                    "{count} records written to {output}. Not in it: facts and contacts (--format facts, "
                    "--format contacts), skills (assistant skills export), schedules and standing approvals."
                )
            typer.echo(sentence.format(count=next(numbers), output=output), err=True)
        except BrokenPipeError:
            raise
        except OSError as error:
            target, sentence = output or error.filename or folder, _("{file} cannot be written: {reason}.")
            typer.echo(sentence.format(file=target, reason=error.strerror), err=True)
            raise typer.Exit(1) from error


def learn_imported(memory: Store, settings: Settings) -> None:
    """Build profile and prototypes from all records; without an embedder, print a warning and go on."""
    console = Console(file=sys.__stderr__, markup=False)
    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f} %  {task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=None)
        try:
            learn_from_records(
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


def import_profile(
    memory: Store, settings: Settings, user: str, source: Path, chosen: TransferFormat, refuse: Refuse
) -> ImportProgress:
    """Import facts or contacts into the profile of a user.

    Raises:
        OSError: the source cannot be read.
        StoreError: the memory cannot be written.
        TyperException: the embedder cannot be loaded; in words.
    """
    content = sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
    name = "standard input" if str(source) == "-" else source.name
    read = import_facts if chosen is TransferFormat.FACTS else import_contacts
    try:
        profile = Profile(memory, ModelRegistry().load(settings.embedding), user or settings.user_id)
        return read(profile, content, name, refuse)
    except EmbeddingError as problem:
        raise typer.TyperException(str(problem)) from None


_GUESSED_FROM = 4096


def _guess(source: Path) -> TransferFormat:
    """The format of a source that nobody named.

    Raises:
        OSError: the source cannot be read.
    """
    if str(source) == "-":
        return guess_format(
            "", sys.stdin.buffer.peek(_GUESSED_FROM) if isinstance(sys.stdin.buffer, BufferedReader) else b""
        )
    if source.is_dir():
        return TransferFormat.RECORDS
    with source.open("rb") as stream:
        return guess_format(source.name, stream.read(_GUESSED_FROM))


def _import(
    memory: Store, source: Path, refuse: Callable[[RefusedLine], None], *, pictures: bool
) -> ImportProgress:
    if str(source) == "-":
        return import_lines(
            memory, sys.stdin.buffer, "standard input", lambda _: None, refuse, ActionTreeCodec()
        )
    if source.is_dir():
        with _bar(len(episode_folders(source))) as tell:
            return import_folder(memory, source, ActionTreeCodec(), tell, refuse, pictures=pictures)
    with source.open("rb") as stream, _bar(_size(stream)) as tell:
        return import_lines(memory, stream, source.name, tell, refuse, ActionTreeCodec())


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
    console = Console(file=sys.__stderr__, markup=False)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total or None)

        def tell(at: ImportProgress) -> None:
            words = _("{imported} imported, {known} known, {refused} refused").format(
                imported=at.imported, known=at.duplicates, refused=at.refused
            )
            progress.update(task, completed=at.done, description=words)

        yield tell

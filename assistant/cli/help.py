"""What all commands share: translated help and messages about wrong usage, options, events as JSON, the demo.

The help is translated when it is shown. The sources hold it in English: in `help=`, and in docstrings.
Names that commands print are translated too, but not with `--json`.
"""

from __future__ import annotations

import inspect
import json
import re
import shutil
from asyncio import Future
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from datetime import MAXYEAR, datetime
from difflib import SequenceMatcher
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from pydantic import BaseModel
from rich.cells import cell_len
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from assistant import i18n
from assistant.events import Event, TurnFinished
from assistant.i18n import _, later, padded, retold, wrap
from assistant.records import ForegroundApp, Observation, Outcome, Usage
from assistant.settings.load import load, load_what_is_right
from assistant.settings.schema import Settings
from assistant.simulator import SIMULATED

_WIDEST = 100
_NAME_WIDTH = 30
"""Names of options that are longer, in cells, stand on a line of their own."""

_USAGE = (
    later("No such option: {name} (Possible options: {near})"),
    later("No such option: {name}"),
    later("No such command {name}. Did you mean {near}?"),
    later("No such command {name}."),
    later("Missing argument {name}."),
    later("Missing option {name}."),
    later("Missing command."),
    later("Option {name} requires an argument."),
    later("Option {name} does not take a value."),
    later("Got unexpected extra argument ({text})"),
    later("Got unexpected extra arguments ({text})"),
    later("Got unexpected extra argument(s) ({text})"),
    later("Invalid value for {name}: {reason}"),
)
"""What the library says of wrong usage."""

_EXTRAS = (later("[default: {value}]"), later("[required]"))

_OWN_HELP = (
    later("Show this message and exit."),
    later("Install completion for the current shell."),
    later("Show completion for the current shell, to copy it or customize the installation."),
)


def check_year(time: datetime) -> datetime:
    """A time from which days and weeks can be counted, back and on.

    Raises:
        ValueError: it is before 1970, or in the calendar's last year.
    """
    if not 1970 <= time.year < MAXYEAR:
        raise ValueError(time)
    return time


_NEAR = 0.7
"""Likeness from which a name may be a slip of another: “--stor” of “--store”, not “--yes” of “--set”."""


_OFFERED = re.compile(r"No such option: (?P<name>\S+) \(Possible options: (?P<near>[^)]+)\)")


def _without_far_names(message: str) -> str:
    """A message about wrong usage without the options that the library offers for one that is unlike them."""
    offer = _OFFERED.fullmatch(message)
    if offer is None:
        return message
    name, others = offer["name"], offer["near"].split(", ")
    near = [o for o in others if SequenceMatcher(None, name.strip("-"), o.strip("-")).ratio() >= _NEAR]
    return f"No such option: {name}" + (f" (Possible options: {', '.join(near)})" if near else "")


def usage_problem(error: typer.TyperException) -> str:
    """The message about wrong arguments, with where to read more; or the help, if it was asked for."""
    message = _without_far_names(error.format_message())
    if "\n" in message:
        return message
    problem = retold(message, _USAGE).rstrip(".。")
    if writes := _options_for_files(error) if message.startswith("Got unexpected extra") else []:
        sentence = _("{problem}. A file or folder stands behind its option: {options}. See --help.")
        return sentence.format(problem=problem, options=_(", ").join(writes))
    return _("{problem}. See --help.").format(problem=problem)


def _options_for_files(error: typer.TyperException) -> list[str]:
    """The options of the command that was used wrongly behind which a file or a folder stands."""
    context = getattr(error, "ctx", None)
    options = context.command.params if context is not None else ()
    return [
        f"{max(option.opts, key=len)} {option.metavar}"
        for option in options
        if option.metavar in ("FILE", "FOLDER")
    ]


class SpokenCommand(TyperCommand):
    """A command whose help is translated when it is shown.

    One that reads the memory takes `--demo` and `--locale` without declaring them: the top level has taken
    them out of the arguments by then, see `LazyGroup`.
    """

    def get_params(self, ctx: typer.Context) -> list[Any]:  # type: ignore[override]
        """All options and arguments, with those that every command takes."""
        parameters = super().get_params(ctx)
        names = {name for parameter in parameters for name in parameter.opts}
        if not names & {"--store", "--demo"}:
            return parameters
        taken = names | ({"--demo"} if self.name == "demo" else set())
        shared = [option for option in _SHARED_OPTIONS if not taken & set(option.opts)]
        return [*parameters[:-1], *shared, parameters[-1]]

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments, with the settings file that is named before the command.

        In the demo the command uses what the demo has.

        Raises:
            TyperException: the demo has nothing of what the command uses.
        """
        names = {name for parameter in self.params for name in parameter.opts}
        if BEFORE_COMMAND.config is not None and "--config" in names:
            # One that the command names itself comes last, and counts.
            args = ["--config", str(BEFORE_COMMAND.config), *args]
        if BEFORE_COMMAND.demo and "--demo" in names:
            args = ["--demo", *args]
        elif BEFORE_COMMAND.demo and "--store" in names:
            BEFORE_COMMAND.demo_memory = True
        elif BEFORE_COMMAND.demo:
            raise typer.TyperException(
                _(
                    "“{command}” uses your own settings, secrets or files, and the demo has none. "
                    "Leave out --demo."
                ).format(command=ctx.command_path)
            )
        return super().parse_args(ctx, args)

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """All of the help."""
        return "\n".join(_help(self, ctx))


class SpokenGroup(TyperGroup):
    """A group of commands whose help is translated when it is shown, also where no command is named."""

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        """All of the help."""
        return "\n".join([*_help(self, ctx), *self._commands(ctx)])

    def _commands(self, ctx: typer.Context) -> Iterator[str]:
        rows = [(name, _first_sentence(text)) for name, text in self.command_helps(ctx)]
        yield from _section(_("Commands"), rows)

    def command_helps(self, ctx: typer.Context) -> Iterator[tuple[str, str | None]]:
        """The name and the help of each command that is not hidden."""
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                yield name, command.help


class Commands(typer.Typer):
    """A Typer application whose help is translated; takes the same arguments as Typer."""

    def __init__(self, **options: Any) -> None:
        defaults = {"rich_markup_mode": None, "add_completion": False, "no_args_is_help": True}
        super().__init__(**{"cls": SpokenGroup, **defaults, **options})

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Register a function as a command."""
        return super().command(name, **{"cls": SpokenCommand, **options})


def _help(command: TyperCommand | TyperGroup, context: typer.Context) -> Iterator[str]:
    """Usage, what it does, its arguments and options."""
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from wrap(_("Usage: {usage}").format(usage=usage), _width())
    yield ""
    for line in wrap(_(_paragraph(command.help)), _width() - 2):
        yield f"  {line}"
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, str]] = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            english = getattr(parameter, "help", None) or ""
            extra = retold(record[1].removeprefix(english).strip(), _EXTRAS)
            row = (record[0], f"{_(english)}  {extra}".strip())
            (arguments if parameter.param_type_name == "argument" else options).append(row)
    yield from _section(_("Arguments"), arguments)
    yield from _section(_("Options"), options)


def _section(title: str, rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A title, and below it names with what they mean."""
    rows = list(rows)
    if not rows:
        return
    column = 2 + min(_NAME_WIDTH, max(cell_len(name) for name, _words in rows))
    yield ""
    yield _("{title}:").format(title=title)
    for name, words in rows:
        lines = wrap(words, max(20, _width() - column - 2)) or [""]
        if cell_len(name) > column - 2:
            yield f"  {name}"
            name = ""
        yield f"  {padded(name, column)}{lines[0]}".rstrip()
        for line in lines[1:]:
            yield f"  {'':{column}}{line}"


def _first_sentence(text: str | None) -> str:
    """The first sentence of a help."""
    words = _(_paragraph(text))
    for end in (". ", "。"):
        words = words.partition(end)[0]
    return words.rstrip(".。")


def _paragraph(text: str | None) -> str:
    """The first paragraph of a help, on one line."""
    return " ".join(inspect.cleandoc(text or "").partition("\n\n")[0].split())


def _width() -> int:
    return max(50, min(_WIDEST, shutil.get_terminal_size().columns - 2))


T = TypeVar("T")

EXIT_CODES = {Outcome.SUCCESS: 0, Outcome.FAILED: 1, Outcome.CANCELLED: 2, Outcome.UNCONFIRMED: 3}

StoreOption = Annotated[
    Path | None,
    typer.Option("--store", help="Folder of the local memory, or the postgresql:// address of a shared one."),
]
SerialOption = Annotated[str, typer.Option("--serial", help="The phone's serial or host:port.")]
ConfigOption = Annotated[Path | None, typer.Option("--config", help="Settings file.")]
_DEMO_HELP = later("Use a simulated phone, a scripted model and the demo's memory.")
DemoOption = Annotated[bool, typer.Option("--demo", help=_DEMO_HELP)]
PlainOption = Annotated[
    bool, typer.Option("--plain", help="In lines, for screen readers and simple terminals.")
]
_LOCALE_HELP = later("Language of the interface, and of the demo's phone.")
LocaleOption = Annotated[i18n.Language, typer.Option("--locale", help=_LOCALE_HELP)]
YesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--yes",
        metavar="KIND[:COUNT][<=AMOUNT]",
        help="Allow one deed of this kind; pay:2 allows two, 'pay<=50' one of at most 50 in the currency of "
        "the phone's country, 'pay<=50 USD' of at most 50 dollars.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]


class OptionsBeforeCommand:
    """Options given before the command's name, for commands that accept them too.

    Attributes:
        demo: whether the command is to use the demo.
        demo_memory: whether `settings_of` leads to the demo's memory: the command does not see to it itself.
    """

    def __init__(self) -> None:
        self.take(None)

    def take(
        self,
        store: Path | None,
        *,
        serial: str = "",
        plain: bool = False,
        locale: i18n.Language = i18n.Language.AUTO,
        demo: bool = False,
        config: Path | None = None,
    ) -> None:
        """Note what was given."""
        self.config = config
        self.store, self.serial, self.plain, self.locale, self.demo = store, serial, plain, locale, demo
        self.demo_memory = self._demo_is_filled = False

    def fill_demo(self) -> bool:
        """Whether the demo's memory is still to be filled: true once."""
        is_first, self._demo_is_filled = not self._demo_is_filled, True
        return is_first


BEFORE_COMMAND = OptionsBeforeCommand()


_SERVER = re.compile(r"postgresql:/+")
"""The beginning of an address on a server, with the slashes that a path keeps of it."""


def server_address(store: Path) -> str:
    """The address of a shared memory if `--store` names one; empty if it names a folder."""
    text = str(store)
    return _SERVER.sub("postgresql://", text, count=1) if _SERVER.match(text) else ""


def settings_of(
    store: Path | None = None, serial: str = "", config: Path | None = None, *, lenient: bool = False
) -> Settings:
    """The settings as file, environment and options give them; their language is spoken from now on.

    Args:
        store: the folder of the memory, or the address of a shared one; then files stay in the usual folder.
        serial: the phone.
        config: the settings file.
        lenient: whether values of the file that cannot be used give way to defaults, to be mended later.

    Raises:
        SettingsError: they cannot be used.
    """
    overrides: dict[str, Any] = {}
    store = store or BEFORE_COMMAND.store
    if store is not None and (address := server_address(store)):
        overrides["memory"] = {"database": address}
    elif store is not None:
        overrides["store"] = store
    # A phone that is named before the command is the one that the command is for, and no other.
    if serial := serial or BEFORE_COMMAND.serial:
        overrides["phone"] = {"serial": serial}
    if BEFORE_COMMAND.locale is not i18n.Language.AUTO:
        overrides["interface"] = {"language": BEFORE_COMMAND.locale}
    settings = load_what_is_right(config, overrides)[0] if lenient else load(config, overrides)
    i18n.use(settings.interface.language)
    if not BEFORE_COMMAND.demo_memory:
        return settings
    if is_first := BEFORE_COMMAND.fill_demo():
        typer.echo(simulated_sentence(), err=True)
    return demo_settings(settings, store, filled=is_first)


def local_time() -> datetime:
    """The time of this computer, with its zone."""
    return datetime.now().astimezone()


def event_name(event: Event) -> str:
    """The class name in snake case, as `assistant run --json` prints it."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()


def echo_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object as a line on standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def refused_turn(problem: Exception) -> TurnFinished:
    """The end of a turn that could not begin, as a stream of events tells it."""
    return TurnFinished(
        time=local_time(),
        turn_id="",
        outcome=Outcome.FAILED,
        answer=str(problem),
        steps=0,
        usage=Usage(),
        seconds=0.0,
    )


def event_json(event: Event) -> dict[str, Any]:
    """An event as JSON values, without futures and pictures."""
    line: dict[str, Any] = {"event": event_name(event), "time": event.time.isoformat()}
    for part in fields(event):
        value = getattr(event, part.name)
        if part.name == "turn_phone" or (part.name == "branch" and not value):
            continue
        if part.name != "time" and not isinstance(value, Future | bytes):
            line[part.name] = _value_json(value)
    return line


def _value_json(value: object) -> Any:
    match value:
        case BaseModel():
            return value.model_dump(mode="json", exclude_none=True)
        case Observation():
            return {
                "width": value.width,
                "height": value.height,
                "elements": len(value.elements),
                "picture_texts": len(value.picture_texts),
                "secure": value.secure,
                "settled": value.settled,
            }
        case ForegroundApp():
            return {"package": value.package, "activity": value.activity, "label": value.label}
        case StrEnum():
            return value.value
        case datetime():
            return value.isoformat()
        case Path():
            return str(value)
        case tuple():
            return [_value_json(item) for item in value]
        case float():
            return round(value, 4)
        case _:
            return value


def unreadable_file(file: Path, error: OSError | UnicodeDecodeError) -> str:
    """Why a file that the user named cannot be read, as a sentence."""
    if isinstance(error, OSError):
        return _("{file} cannot be read: {reason}.").format(file=file, reason=error.strerror or error)
    return _("{file} is not UTF-8 text. Save it as UTF-8.").format(file=file)


def unreadable_time(origin: str, text: str) -> str:
    """That no time can be read from a text, of one line; `origin` is the line or option that has it."""
    return _("{origin} gives no time: “{text}”. Write it like 2026-03-09T12:05.").format(
        origin=origin, text=text
    )


NOT_KEPT = later("Nothing is written to the settings file: this is the demo.")
"""Why the setup keeps nothing in the demo."""


def simulated_sentence() -> str:
    """The sentence that must stand beside all results of the demo."""
    return _(SIMULATED)


def demo_settings(
    settings: Settings,
    store: Path | None,
    said: Iterable[str] = (),
    *,
    filled: bool = True,
) -> Settings:
    """Settings with the demo's own memory, unless the user named a `store`.

    Args:
        settings: the user's settings.
        store: the folder that the user named.
        said: the commands that the demo is for; their language is the demo's unless `--locale` names it.
        filled: whether the memory gets the records of the simulated phone's owner.

    Raises:
        StoreError: the memory cannot be opened or written.
    """
    store = store or BEFORE_COMMAND.store
    if store is not None and server_address(store):
        raise typer.TyperException(_("The demo has a memory of its own: give --store a folder."))
    # The demo is optional.
    from assistant.demo.memory import demo_memory, demo_store, locale_of

    return (demo_memory if filled else demo_store)(settings, store, locale_of(_commands_to_read(said)))


def _commands_to_read(said: Iterable[str]) -> Iterable[str]:
    """The commands that tell the language of the demo: none where `--locale` names it."""
    return said if BEFORE_COMMAND.locale is i18n.Language.AUTO else ()


async def in_world(
    settings: Settings, work: Callable[[Settings], Awaitable[T]], *, demo: bool, said: Iterable[str] = ()
) -> T:
    """Await `work(settings)`; in the demo the settings lead to a simulated phone and a scripted model.

    The phone has the language of the demo's memory, see `demo_settings`.
    """
    if not demo:
        return await work(settings)
    # The demo is optional.
    from assistant.demo import memory, session

    locale = memory.locale_of(_commands_to_read(said))
    async with session.World(session.WorldOptions(locale=locale)) as world:
        return await work(settings.overridden(world.settings))


def _shared(demo: DemoOption = False, locale: LocaleOption = i18n.Language.AUTO) -> None:
    pass


def _shared_options() -> list[Any]:
    application = typer.Typer(add_completion=False)
    application.command()(_shared)
    options = get_command(application).params
    for option in options:
        option.expose_value = False
    return options


_SHARED_OPTIONS = _shared_options()
"""What every command takes that reads the memory or uses the phone."""

_NAMES = (
    *(later("success"), later("failed"), later("cancelled"), later("unconfirmed"), later("unknown")),
    later("open"),
    *(later("model"), later("replayed"), later("user"), later("profile"), later("preference")),
    *(later("exploration"), later("keyring"), later("file"), later("environment"), later("default")),
    *(later("pay"), later("send"), later("delete"), later("install"), later("grant"), later("security")),
    *(later("password"), later("good"), later("missing"), later("changed"), later("none")),
    *(later("id"), later("user id"), later("time"), later("scenario"), later("app"), later("package")),
    *(later("said"), later("instruction"), later("outcome"), later("source"), later("observations")),
    *(later("screenshots"), later("kind"), later("prototype"), later("because"), later("evidence")),
    *(later("moment"), later("routine"), later("records"), later("first"), later("last"), later("users")),
    *(later("apps"), later("screenshot bytes"), later("database bytes"), later("accepted")),
    *(later("edited"), later("not now"), later("never"), later("done"), later("lapsed"), later("later")),
    *(later("executed"), later("usage"), later("seconds"), later("cost"), later("prompt tokens")),
    *(later("completion tokens"), later("requests"), later("actions")),
)


def name_of(value: object) -> str:
    """The translated name of a field or value, such as `user_id` or an outcome; itself if there is none."""
    return _(str(value).replace("_", " ")) if str(value).replace("_", " ") in _NAMES else str(value)

"""The `assistant` command. Results go to standard output, everything else to standard error.

Each command is imported only when it is called, so that none waits for the libraries of the others.
"""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module, metadata
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TextIO, cast

import typer
from typer.main import get_command

from assistant import i18n
from assistant.cli.help import (
    BEFORE_COMMAND,
    EXIT_CODES,
    Commands,
    ConfigOption,
    DemoOption,
    LocaleOption,
    PlainOption,
    SerialOption,
    SpokenGroup,
    StoreOption,
    usage_problem,
)
from assistant.files import store_crash_report
from assistant.i18n import Language, UserError, _, later, sentences
from assistant.records import Outcome
from assistant.settings.load import ADB_PORT, language_of
from assistant.tui.first_paint import end_first_paint

_COMMANDS = {
    "resolve": (
        "assistant.cli.resolve",
        "resolve_command",
        "What a command means for this user, and why. Changes nothing.",
    ),
    "simulate": (
        "assistant.simulator.commands",
        "simulate_app",
        "A simulated phone, a scripted model, synthetic lives.",
    ),
    "bench": (
        "assistant.bench.commands",
        "bench_app",
        "Figures beside their baselines, from one run.",
    ),
    "devices": (
        "assistant.cli.setup",
        "devices_command",
        "List the phones that are connected, what each can do, and how fast it is.",
    ),
    "doctor": (
        "assistant.cli.setup",
        "doctor_command",
        "What works, what does not, and the command that fixes it. The model gets one test call.",
    ),
    "memory": (
        "assistant.cli.memory",
        "memory_app",
        "The local memory.",
    ),
    "models": (
        "assistant.cli.models",
        "models_app",
        "Embedding models, and how models write actions.",
    ),
    "eval": (
        "assistant.cli.models",
        "eval_command",
        "Judge a model on recorded turns, step by step, without a phone.",
    ),
    "record": (
        "assistant.cli.skills",
        "record_command",
        "Show a task on the phone; it becomes a skill.",
    ),
    "replay": (
        "assistant.cli.skills",
        "replay_command",
        "Carry out a skill, or a past turn, again.",
    ),
    "schedule": (
        "assistant.cli.skills",
        "schedule_app",
        "What the assistant does by itself at set times.",
    ),
    "skills": (
        "assistant.cli.skills",
        "skills_app",
        "What the assistant has learnt to do, as skills.",
    ),
    "suggest": (
        "assistant.cli.suggest",
        "suggest_command",
        "What would be suggested in a state, and why; or when the routines are likely next.",
    ),
    "watch": (
        "assistant.cli.suggest",
        "watch_command",
        "Print suggestions as they come, until ctrl+c.",
    ),
    "history": (
        "assistant.cli.memory",
        "history_app",
        "Past turns.",
    ),
    "places": (
        "assistant.cli.suggest",
        "places_app",
        "Places by which the phone tells where you are. They stay on this machine.",
    ),
    "serve": (
        "assistant.cli.run",
        "serve_command",
        "The interface in a browser, until ctrl+c. Every tab is a program of its own on the same memory.",
    ),
    "acp": (
        "assistant.cli.run",
        "acp_command",
        "The assistant in a terminal or an editor that speaks the Agent Client Protocol (ACP).",
    ),
    "mcp": (
        "assistant.cli.run",
        "mcp_command",
        "Turns and memory as tools of other programs (MCP). What needs a yes asks their user.",
    ),
    "settings": (
        "assistant.cli.account",
        "settings_app",
        "The settings.",
    ),
    "setup": (
        "assistant.cli.setup",
        "setup_command",
        "Find a phone, pair with it, choose a model, and see that both work.",
    ),
    "usage": (
        "assistant.cli.account",
        "usage_command",
        "What the model was used for: tokens, waiting time and money by day and model.",
    ),
    "demo": (
        "assistant.cli.run",
        "demo_command",
        "The terminal interface on a simulated phone, with a scripted model.",
    ),
    "run": (
        "assistant.cli.run",
        "run_command",
        "Carry out one command without the terminal interface, streaming what happens.",
    ),
    "secret": (
        "assistant.cli.account",
        "secret_app",
        "Secrets that are typed on the phone by name, and never shown, logged or sent.",
    ),
    "approvals": (
        "assistant.cli.account",
        "approvals_app",
        "Kinds of sensitive action that are always allowed in an app.",
    ),
}
"""Where each command is: a module, and in it a Typer application or a function; and its help.

The help stands here too, so that `assistant --help` imports none of them; a test compares the two."""

_OWN_WORLD = {
    "simulate": later("It starts the simulated phone or model by itself. Leave out --demo."),
    "bench": later("It starts the simulated phones that it needs by itself. Leave out --demo."),
    "eval": later(
        "It asks your own model about your own turns, of which the demo has none. Leave out --demo."
    ),
}
"""Commands that the demo is of no use to, and why."""

USAGE_EXIT_CODE = 64
"""What wrong usage exits with (BSD's EX_USAGE), because 2 means a cancelled turn."""


class LazyGroup(SpokenGroup):
    """The top level of the command line: knows its commands by name, and imports one when it is called."""

    def make_context(self, info_name: str | None, args: list[str], *others: Any, **extra: Any) -> Any:
        """Choose the language before anything is printed."""
        chosen = i18n.option_language(args)
        i18n.use(language_of(_settings_file(args)) if chosen is Language.AUTO else chosen)
        return super().make_context(info_name, args, *others, **extra)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        """Find the command; `--demo` and `--locale` behind it are taken as if they stood before it."""
        name, command, rest = super().resolve_command(ctx, args)
        end = rest.index("--") if "--" in rest else len(rest)
        words = [word for word in rest[:end] if word != "--demo"]
        ctx.params["demo"] |= len(words) < end
        if name not in _OWN_WORLD and (language := i18n.option_language(words)) is not Language.AUTO:
            ctx.params["locale"] = language
            words = _without_locale(words)
        return name, command, [*words, *rest[end:]]

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """All names, in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """A command by its name, imported now; None where there is none of this name."""
        if cmd_name not in _COMMANDS:
            return None
        module, name, _help = _COMMANDS[cmd_name]
        target = getattr(import_module(module), name)
        if not isinstance(target, typer.Typer):
            single = Commands(pretty_exceptions_enable=False)
            single.command(cmd_name)(target)
            target = single
        command = get_command(target)
        command.name = cmd_name
        return command

    def command_helps(self, ctx: typer.Context) -> Iterator[tuple[str, str]]:
        """Each command's name and help, without importing it."""
        for name, (_module, _name, text) in _COMMANDS.items():
            yield name, text


def _without_locale(words: Sequence[str]) -> list[str]:
    """Arguments without `--locale` and its value."""
    return [
        word
        for before, word in pairwise(("", *words))
        if "--locale" not in (before, word) and not word.startswith("--locale=")
    ]


def _settings_file(arguments: list[str]) -> Path | None:
    """The file that `--config` names, wherever it stands."""
    for argument, following in zip(arguments, [*arguments, ""][1:], strict=True):
        if argument == "--config":
            return Path(following)
        if argument.startswith("--config="):
            return Path(argument.partition("=")[2])
    return None


def say_what_can_be_said(streams: Iterable[TextIO]) -> None:
    """Replace what a terminal's encoding lacks; what goes elsewhere, as into a file, is whole in UTF-8."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="replace")


_UNSAFE = re.compile(
    r"(?P<qr>\x1b\[(?:30;47|0)m)|"
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]"
)
"""What a terminal would obey or a reader would not see: control characters of both sets, and overrides of the
writing direction. Tab and line feed stay, and the black on white that setup draws its QR code in."""


class SafeOutput:
    r"""An output stream that escapes everything a terminal would interpret.

    Everything that commands print passes here, so that no text of the phone, the model or the memory can move
    the cursor, set the clipboard or turn words around. What is unsafe is written as its escape, such as
    `\u001b`, which is valid inside JSON, too. What the program draws itself, progress bars and the
    full-screen interface, goes to `sys.__stdout__` and `sys.__stderr__`.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text with its unsafe characters as escapes.

        Raises:
            UserError: the disk behind the stream is full, or cannot be written for another reason.
            BrokenPipeError: whoever reads has gone.
        """
        with _told_where_full():
            return self._stream.write(_UNSAFE.sub(_escape, text))

    def flush(self) -> None:
        """Flush the stream; raises as `write` does."""
        with _told_where_full():
            self._stream.flush()

    def writelines(self, lines: Iterable[str]) -> None:
        """Write some texts likewise."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def _told_where_full() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UserError(_("The output cannot be written: {reason}.").format(reason=error.strerror)) from error


def _escape(match: re.Match[str]) -> str:
    return match[0] if match["qr"] else f"\\u{ord(match[0]):04x}"


app = Commands(
    name="assistant",
    cls=LazyGroup,
    help="A personal assistant in the terminal that operates your Android phone.",
    no_args_is_help=False,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def check_adb_port(environment: Mapping[str, str]) -> None:
    """Make sure that adb's own variable is a port: libraries read it while they are imported.

    Raises:
        UserError: it is not.
    """
    port = environment.get(ADB_PORT)
    if port is not None and not (port.isascii() and port.isdecimal() and 0 < int(port[:6]) < 65536):
        raise UserError(
            _(
                "{name} is “{port}”, which is no port. Set it to a number from 1 to 65535, or unset it."
            ).format(name=ADB_PORT, port=port)
        )


def format_crash(error: Exception) -> str:
    """A sentence about an error that nobody expected; where it came from is kept in a file."""
    kept = store_crash_report(error)
    message = _(
        "The program stopped at an error of its own ({kind}). What was stored is kept; start it again."
    )
    where = _("Where it happened, without anything of yours: {path}").format(path=kept) if kept else ""
    return sentences(message.format(kind=type(error).__name__), where)


def main() -> None:
    """Run the command line; the process ends with its exit code."""
    # Python has None for a stream that was closed before it began.
    sys.stdout, sys.stderr = (stream or io.StringIO() for stream in (sys.stdout, sys.stderr))
    say_what_can_be_said((sys.stdout, sys.stderr))
    sys.stdout, sys.stderr = cast(TextIO, SafeOutput(sys.stdout)), cast(TextIO, SafeOutput(sys.stderr))
    try:
        try:
            check_adb_port(os.environ)
            code = app(standalone_mode=False)
        finally:
            # What is said below belongs on the terminal as it was.
            end_first_paint()
    except typer.TyperException as error:
        typer.echo(usage_problem(error), err=True)
        code = USAGE_EXIT_CODE
    except typer.Abort:
        code = EXIT_CODES[Outcome.CANCELLED]
    except BrokenPipeError:
        sys.stderr.close()
        code = EXIT_CODES[Outcome.FAILED]
    except UserError as error:
        typer.echo(error, err=True)
        code = EXIT_CODES[Outcome.FAILED]
    except Exception as error:  # noqa: BLE001 - no traceback reaches a user
        typer.echo(format_crash(error), err=True)
        code = EXIT_CODES[Outcome.FAILED]
    sys.exit(code if isinstance(code, int) else 0)


@app.callback(invoke_without_command=True)
def terminal(
    context: typer.Context,
    store: StoreOption = None,
    serial: SerialOption = "",
    config: ConfigOption = None,
    demo: DemoOption = False,
    plain: PlainOption = False,
    locale: LocaleOption = Language.AUTO,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Without a command: the terminal interface."""
    context.call_on_close(lambda: BEFORE_COMMAND.take(None))
    if version:
        typer.echo(f"assistant {metadata.version('assistant')}")
        raise typer.Exit
    if context.invoked_subcommand is not None:
        if demo and context.invoked_subcommand in _OWN_WORLD:
            raise typer.TyperException(_(_OWN_WORLD[context.invoked_subcommand]))
        in_demo = demo and context.invoked_subcommand != "demo"
        BEFORE_COMMAND.take(store, serial=serial, plain=plain, locale=locale, demo=in_demo, config=config)
        return
    # The engine and the interface take long to import, and no command of another name needs them.
    from assistant.cli.run import demo_command, open_terminal

    BEFORE_COMMAND.take(store, plain=plain, locale=locale)
    if demo:
        demo_command(config=config)
    open_terminal(store, serial, config, plain=plain)

"""`assistant settings`: what can be set, what is set, and setting it.

`assistant approvals …`: what needs no asking any more, taking it back, and what the guards say of a screen.
`approvals judge` reads a file whose lines are JSON objects: `tree`, the XML that `uiautomator dump` printed;
`action`, in the form of a record, its points from 0 to 1; and, where known, `package`, the app in front, and
`screen`, the size of the screen as 1080x2400. A dump of a dialog does not tell the size: then one is assumed.
Nothing is performed. The trees come from any app, so nothing in them is trusted. `skills match` reads lines
of two trees in the same way: whether what was tapped on one is found again on the other.

`assistant secret …`: values that the model may ask for by name and never sees.

`assistant usage`: tokens, time and money by day and model.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import date, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict, ValidationError
from rich.console import Console
from rich.table import Table

from assistant.cli.help import (
    Commands,
    ConfigOption,
    DemoOption,
    JsonOption,
    StoreOption,
    demo_settings,
    echo_json,
    name_of,
    settings_of,
    unreadable_file,
)
from assistant.events import ActionKind
from assistant.i18n import UserError, _, padded, wrap
from assistant.memory.request_log import DaySpending, costs
from assistant.memory.store import open_store
from assistant.model.types import one_line
from assistant.phone.ui_tree import (
    UiTree,
    UnreadableTree,
    likely_sizes,
    observe_tree,
    parse_tree,
    screen_size,
)
from assistant.presentation.text import one_line as printed_line
from assistant.records import ACTION, Action, Click, LongClick, Observation, Point, in_words
from assistant.safety.amounts import Allowance, parse_allowance
from assistant.safety.classifier import judge
from assistant.secrets import (
    SecretError,
    SecretKind,
    SecretLocation,
    SecretStore,
    keyring_problem,
    variable_of,
)
from assistant.settings.load import (
    Setting,
    SettingsError,
    find_origin,
    format_value,
    load_what_is_right,
    named,
    parse_value,
    save,
    setting,
    split_path,
    table,
    values_of,
)
from assistant.settings.schema import Settings
from assistant.skills.matcher import TargetRefused, find_again
from assistant.skills.screen_tree import ScreenTree
from assistant.tui.keys import ACTIONS

approvals_app = Commands(
    help="Kinds of sensitive action that are always allowed in an app.", no_args_is_help=True
)


@approvals_app.command("list")
def approvals_list(
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """What you always allow, app by app."""
    settings = _approval_settings(store, config, demo=demo)
    memory = open_store(settings)
    rules = memory.approvals.list_approvals(settings.user_id)
    memory.close()
    if as_json:
        for rule in rules:
            line = {name: getattr(rule, name) for name in ("package", "app", "kind", "recipient", "item")}
            echo_json({**line, "since": rule.time.isoformat()})
        return
    for rule in rules:
        typer.echo(
            _("{kind}  {app}  {package}  since {time:%Y-%m-%d}  {recipient}").format(
                kind=padded(name_of(rule.kind), 10),
                app=padded(one_line(rule.app), 16),
                package=padded(one_line(rule.package), 32),
                time=rule.time,
                recipient=one_line(f"{rule.recipient} {rule.item}"),
            )
        )
    if not rules:
        typer.echo(_("No standing approvals. Every sensitive action needs your approval."))


@approvals_app.command("revoke")
def approvals_revoke(
    package: Annotated[str, typer.Argument(metavar="[PACKAGE]", help="The app; all apps if left out.")] = "",
    kind: Annotated[ActionKind | None, typer.Option(help="Only this kind of action.")] = None,
    recipient: Annotated[
        str | None, typer.Option("--to", help="Only this recipient, as the list shows it.")
    ] = None,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
    demo: DemoOption = False,
) -> None:
    """Revoke standing approvals: these actions are asked about again."""
    settings = _approval_settings(store, config, demo=demo)
    memory = open_store(settings)
    ended = memory.approvals.revoke(settings.user_id, package or None, kind, recipient)
    memory.close()
    if as_json:
        echo_json({"revoked": ended})
    elif not ended and (package or kind or recipient):
        raise UserError(_("No standing approval is like that. List them with: assistant approvals list"))
    else:
        typer.echo(
            _("Standing approvals revoked: {ended}.").format(ended=ended)
            if ended
            else _("No standing approvals to revoke.")
        )


def _approval_settings(store: Path | None, config: Path | None, *, demo: bool) -> Settings:
    """Settings that lead to the memory in use: the demo's own with `--demo`."""
    settings = settings_of(store, config=config)
    if not demo:
        return settings
    return demo_settings(settings, store, filled=False)


@approvals_app.command("judge")
def approvals_judge(
    file: Annotated[
        Path,
        typer.Option(help="JSON lines with “tree”, the screen's XML, and “action”; - reads standard input."),
    ],
    as_json: JsonOption = False,
) -> None:
    """What the guards say of an action on any screen. Nothing is performed."""
    print_answers(file, judge_lines, _judgement_in_words, as_json=as_json)


def print_answers(
    file: Path,
    answer: Callable[[Iterable[str]], Iterator[dict[str, Any]]],
    in_words: Callable[[dict[str, Any]], str],
    *,
    as_json: bool,
) -> None:
    """Print what is answered to each line of a file, or with “-” of standard input.

    Exits with 1 where the file cannot be read, and at the end where a line could not.
    """
    unreadable = False
    try:
        with nullcontext(sys.stdin) if str(file) == "-" else file.open(encoding="utf-8-sig") as lines:
            for number, answered in enumerate(answer(lines), 1):
                unreadable |= "error" in answered
                if as_json:
                    echo_json(answered)
                else:
                    typer.echo(f"{number:4}  {printed_line(answered.get('error') or in_words(answered))}")
    except (OSError, UnicodeDecodeError) as error:
        typer.echo(unreadable_file(file, error), err=True)
        raise typer.Exit(1) from error
    if unreadable:
        raise typer.Exit(1)


def allowances_of(yes: Sequence[str] | None) -> list[Allowance]:
    """What `--yes` allows.

    Raises:
        TyperException: a value of it says nothing that can be allowed.
    """
    try:
        return [parse_allowance(words) for words in yes or ()]
    except ValueError as error:
        raise typer.TyperException(str(error)) from error


def _judgement_in_words(judgement: dict[str, Any]) -> str:
    kind = name_of(ActionKind(judgement["kind"])) if judgement.get("kind") else "-"
    return f"{padded(kind, 10)}  {judgement['sentence'] or _('harmless')}"


NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="What the model calls it.")]

secret_app = Commands(
    help="Secrets that are typed on the phone by name, and never shown, logged or sent.", no_args_is_help=True
)


@secret_app.command("add")
def secret_add(
    name: NameArgument,
    in_file: Annotated[
        bool, typer.Option("--file", help="Keep it in a file that only you can read, not in the keyring.")
    ] = False,
) -> None:
    """Keep a secret. The value is asked for, or read from standard input; it is never an argument."""
    problem = "" if in_file else keyring_problem()
    if problem:
        variable = SecretKind.TYPED.variable + variable_of(name)
        raise SecretError(
            _(
                "{problem} Set the environment variable {variable} instead, or keep it in a file "
                "that only you can read: add --file."
            ).format(problem=problem, variable=variable)
        )
    store = SecretStore()
    store.add(name, _value(name), SecretLocation.FILE if in_file else SecretLocation.KEYRING)
    where = _("the file {file}").format(file=store.file) if in_file else _("the system's keyring")
    typer.echo(_("“{name}” is kept in {where}.").format(name=name, where=where))


@secret_app.command("list")
def secret_list(as_json: JsonOption = False) -> None:
    """The names of the secrets, and where each is kept. Values are never shown."""
    names = SecretStore().names()
    if as_json:
        for name, place in names.items():
            echo_json({"name": name, "place": place})
    else:
        for name, place in names.items():
            typer.echo(f"{padded(name, 24)}  {name_of(place)}")
        if not names:
            typer.echo(_("No secrets yet. To keep one: assistant secret add NAME"), err=True)


@secret_app.command("remove")
def secret_remove(name: NameArgument) -> None:
    """Forget a secret."""
    if not SecretStore().remove(name):
        raise SecretError(_("There is no secret “{name}”.").format(name=name))
    typer.echo(_("“{name}” is forgotten.").format(name=name))


def _value(name: str) -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(_("Value of “{name}”").format(name=name), hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def usage_command(
    days: Annotated[int, typer.Option(min=1, help="How many days, today included.")] = 30,
    as_json: JsonOption = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """What the model was used for: tokens, waiting time and money by day and model."""
    settings = settings_of(store, config=config)
    memory = open_store(settings)
    since = _today() - timedelta(days=days - 1)
    spending = memory.ledger.days(settings.user_id, since)
    memory.close()
    if as_json:
        typer.echo(json.dumps(_usage_as_json(spending), ensure_ascii=False))
    elif not spending:
        typer.echo(_("Nothing was used since {day}.").format(day=since.isoformat()))
    else:
        Console(markup=False, highlight=False, emoji=False, color_system=None).print(_table(spending))
        for sentence in _steps_in_words(spending):
            typer.echo(sentence)
        if any(day.cost is None for day in spending):
            typer.echo(_unpriced(spending), err=True)


def _today() -> date:
    return datetime.now().astimezone().date()


def _table(spending: Sequence[DaySpending]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="")
    table.add_column(_("day"))
    table.add_column(_("model"), overflow="fold")
    figures = (_("turns"), _("steps"), _("in"), _("out"), _("first token"), _("waited"), _("cost"))
    for name in figures:
        table.add_column(name, justify="right")
    for day in spending:
        first = day.seconds_to_first_token
        table.add_row(
            day.day.isoformat(),
            day.model,
            str(day.turns),
            str(day.steps),
            f"{day.usage.prompt_tokens:,}",
            f"{day.usage.completion_tokens:,}",
            _("{seconds:.1f} s").format(seconds=first) if first is not None else "-",
            _("{seconds:.0f} s").format(seconds=day.seconds),
            in_words(day.cost) if day.cost else "-",
        )
    sums = " + ".join(in_words(cost) for cost in costs(spending)) or "-"
    table.add_row(
        _("all"),
        "",
        str(sum(day.turns for day in spending)),
        str(sum(day.steps for day in spending)),
        f"{sum(day.usage.prompt_tokens for day in spending):,}",
        f"{sum(day.usage.completion_tokens for day in spending):,}",
        "",
        _("{seconds:.0f} s").format(seconds=sum(day.seconds for day in spending)),
        sums,
    )
    return table


def _steps_in_words(spending: Sequence[DaySpending]) -> Iterator[str]:
    """For each model what a step sends, and which share of it the endpoint had kept, where it tells."""
    for model in sorted({day.model for day in spending}):
        days = [day for day in spending if day.model == model]
        sent = sum(day.usage.prompt_tokens for day in days)
        steps = sum(day.steps for day in days)
        cached = sum(day.usage.cached_tokens for day in days)
        a_step = f"{sum(day.step_tokens for day in days) / max(1, steps):,.0f}"
        if cached:
            share = f"{cached / max(1, sent):.0%}"
            yield _("{model}: {count} tokens in a step, {share} of them from the endpoint's cache").format(
                model=model, count=a_step, share=share
            )
        else:
            yield _("{model}: {count} tokens in a step").format(model=model, count=a_step)
    if estimated := sum(day.usage.estimated_tokens for day in spending):
        sentence = _("About {count} tokens are estimated: their requests ended before the endpoint told.")
        yield sentence.format(count=f"{estimated:,}")


def _usage_as_json(spending: Sequence[DaySpending]) -> dict[str, Any]:
    return {
        "days": [
            {
                "day": day.day.isoformat(),
                "model": day.model,
                "turns": day.turns,
                "steps": day.steps,
                **day.usage.model_dump(),
                "prompt_tokens_a_step": round(day.step_tokens / max(1, day.steps)),
                "cached_share": round(day.usage.cached_tokens / max(1, day.usage.prompt_tokens), 3),
                "seconds": round(day.seconds, 3),
                "seconds_to_first_token": (
                    None if day.seconds_to_first_token is None else round(day.seconds_to_first_token, 3)
                ),
                "cost": day.cost.model_dump() if day.cost else None,
            }
            for day in spending
        ],
        "tokens": sum(day.usage.total_tokens for day in spending),
        "costs": [cost.model_dump() for cost in costs(spending)],
    }


def _unpriced(spending: Sequence[DaySpending]) -> str:
    names = sorted({day.model for day in spending if day.cost is None})
    return _(
        'No price is set for {models}. Set prices."MODEL".input and .output in the settings file.'
    ).format(models=", ".join(names))


_WIDTH = 96
"""How wide descriptions may be, in cells."""

settings_app = Commands(help="The settings.")

PathArgument = Annotated[str, typer.Argument(metavar="NAME", help="Such as turn.max_steps.")]


@settings_app.command("list")
def settings_list(
    text: Annotated[
        str, typer.Option("--text", help="Only settings whose name or description contains this.")
    ] = "",
    as_json: JsonOption = False,
    config: ConfigOption = None,
) -> None:
    """All settings with their values; what cannot be used comes first."""
    settings, broken = load_what_is_right(config)
    file = values_of(config)
    rows = [
        row
        for row in (*table(), *_named(settings))
        if text.lower() in f"{row.path} {row.description} {_(row.description)}".lower()
    ]
    if as_json:
        wrong = [
            {"name": mistake.path, "value": mistake.value, "problem": mistake.reason} for mistake in broken
        ]
        rows_as_json = [_setting_as_json(settings, file, row) for row in rows]
        typer.echo(json.dumps({"broken": wrong, "settings": rows_as_json}, ensure_ascii=False))
        return
    for mistake in broken:
        typer.echo(f"✗ {one_line(mistake.path)} = {one_line(mistake.value)}: {mistake.reason}")
    for row in rows:
        value = padded(one_line(format_value(settings, row)) or "-", 24)
        typer.echo(f"{row.path:36} {value} {name_of(find_origin(row, file).value)}")
        for line in wrap(_(row.description), _WIDTH):
            typer.echo(f"{'':4}{line}")


@settings_app.command("get")
def settings_get(path: PathArgument, as_json: JsonOption = False, config: ConfigOption = None) -> None:
    """One setting."""
    settings, _broken = load_what_is_right(config)
    chosen, file = setting(path, _named(settings)), values_of(config)
    if as_json:
        typer.echo(json.dumps(_setting_as_json(settings, file, chosen), ensure_ascii=False))
    else:
        typer.echo(one_line(format_value(settings, chosen)))


@settings_app.command("set")
def settings_set(
    path: PathArgument,
    value: Annotated[str, typer.Argument(help="The new value.")] = "",
    default: Annotated[bool, typer.Option("--default", help="Back to its default.")] = False,
    config: ConfigOption = None,
) -> None:
    """Change a setting in the settings file; comments and everything else there stay."""
    section, name = split_path(path)
    if default:
        new: Any = None
    else:
        chosen = setting(path, _named(Settings.model_construct(), path))
        if chosen.secret:
            raise SettingsError(_("Secrets do not belong in the settings file: assistant setup keeps them."))
        new = parse_value(chosen, value)
    file = save({section: {name: new}} if section else {name: new}, config)
    typer.echo(
        _("{path} is {words}, kept in {file}.").format(
            path=path, words=_("its default again") if default else one_line(value), file=file
        )
    )
    variable = Setting(path, "", "").variable
    if os.environ.get(variable):
        typer.echo(_("The environment variable {name} wins over it.").format(name=variable), err=True)


def _named(settings: Settings, path: str = "") -> list[Setting]:
    """All settings. A path below `prices` adds the price of its model, which need not be set yet."""
    section, name = split_path(path)
    prices = {section: {name: {"input": 0, "output": 0}}} if section == "prices" else {}
    return list(named(settings.overridden(prices), ACTIONS))


def _setting_as_json(settings: Settings, file: dict[str, Any], chosen: Setting) -> dict[str, Any]:
    return {
        "name": chosen.path,
        "value": format_value(settings, chosen),
        "default": chosen.default,
        "from": find_origin(chosen, file).value,
        "kind": chosen.kind,
        "choices": list(chosen.choices),
        "secret": chosen.secret,
        "description": chosen.description,
    }


class UnreadableLine(ValueError):
    """A line of the file is no screen with an action; the message says why, in a sentence for people."""


def judge_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The judgement of each line, in order: `kind`, `sentence` and `cue`, or `error` for an unreadable line.

    A harmless action has the kind None and an empty sentence.
    """
    for line in lines:
        if not line.strip():
            continue
        try:
            yield judge_line(line)
        except UnreadableLine as error:
            yield {"error": str(error)}


def judge_line(line: str) -> dict[str, Any]:
    """The judgement of one line.

    Raises:
        UnreadableLine: the line is no JSON object with a tree and an action.
    """
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableLine(_("The line is not JSON.")) from error
    if not isinstance(values, dict) or not isinstance(values.get("tree"), str):
        raise UnreadableLine(_("The line needs “tree”, the XML that uiautomator printed, and “action”."))
    try:
        action = ACTION.validate_python(values.get("action"))
    except (ValidationError, RecursionError) as error:
        wrong = _("“action” is no action as records hold it. A tap near the bottom is {example}")
        raise UnreadableLine(wrong.format(example=_EXAMPLE)) from error
    try:
        screen = _screen_of(values, action)
    except UnreadableTree as error:
        raise UnreadableLine(_("“tree” cannot be read: {reason}").format(reason=error)) from error
    risk = judge(action, screen)
    if risk is not None:
        return {"kind": str(risk.kind), "sentence": risk.sentence, "cue": str(risk.cue)}
    if isinstance(action, Click | LongClick) and screen.element_at(action.point) is None:
        size = f"{screen.width}x{screen.height}"
        unhit = _("Nothing is at this point of a screen of {size}. Name the right size as “screen”.")
        return {"kind": None, "sentence": unhit.format(size=size), "hit": False}
    return {"kind": None, "sentence": ""}


_EXAMPLE = '{"type": "click", "point": [0.5, 0.87]}'
_SCREEN_SIZE = re.compile(r"([1-9]\d{1,4})\s*[x×, ]\s*([1-9]\d{1,4})")


def _screen_of(values: Mapping[str, Any], action: Action) -> Observation:
    """The screen of a line, of the size that it names.

    Raises:
        UnreadableLine: the size is none.
        UnreadableTree: the tree is none.
    """
    given, size = values.get("screen"), None
    if given is not None:
        match = _SCREEN_SIZE.search(str(given))
        if match is None:
            raise UnreadableLine(_("“screen” is no size, such as 1080x2400."))
        size = int(match[1]), int(match[2])
    tapped = action.point if isinstance(action, Click | LongClick) else None
    return observe_tree(values["tree"], str(values.get("package") or ""), size, tapped)


_DIGITS = 6
"""Decimals of a point that is printed: finer than a pixel of any screen."""


class RecordedTap(BaseModel):
    """One line: the XML of the recorded screen, where it was tapped (0..1), and the XML of the screen now."""

    model_config = ConfigDict(frozen=True)

    recorded: str
    point: Point
    now: str


def match_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """For each line a `point`, or `refused` with a reason; `error` says what is wrong with a line.

    `repeated` is false beside a point where something else stands now, in the place and of the kind of the
    target: a repetition leaves it to the model.
    """
    for line in lines:
        if line.strip():
            yield _match(line)


def _match(line: str) -> dict[str, Any]:
    try:
        tap = RecordedTap.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or _("the line")
        return {"error": _("{place}: {reason}").format(place=place, reason=first["msg"])}
    try:
        before, after = _parsed(tap.recorded), _parsed(tap.now)
    except UnreadableTree as error:
        return {"error": str(error)}
    size = screen_size(before, tap.point)
    now_size = size if size in likely_sizes(after) else screen_size(after)
    try:
        match = find_again(ScreenTree(before.elements, size), tap.point, ScreenTree(after.elements, now_size))
    except TargetRefused as refusal:
        return {"refused": str(refusal)}
    point = [round(match.point.x, _DIGITS), round(match.point.y, _DIGITS)]
    return {"point": point} | ({} if match.is_repeated else {"repeated": False})


@lru_cache(maxsize=64)
def _parsed(xml: str) -> UiTree:
    return parse_tree(xml.encode("utf-8", "replace"))

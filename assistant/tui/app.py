"""The Textual app: passes engine events to the main screen, and opens the other screens.

Also the app of `assistant setup`, with only the setup screen, and the adjustment of a theme's text colours:
as little as needed to be readable on all backgrounds.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import events as textual_events
from textual.app import App, SystemCommand
from textual.color import Color, ColorParseError
from textual.command import CommandPalette, Hit, Hits
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider
from textual.worker import Worker, WorkerState

from assistant.conversation.routing import route
from assistant.engine import Engine
from assistant.events import TurnFinished
from assistant.files import compile_lazy_regexes
from assistant.i18n import _
from assistant.memory.store import StandingApproval, StoreError
from assistant.memory_view.items import ItemLocation, Section
from assistant.presentation.push import PushNotifier
from assistant.presentation.text import one_line
from assistant.presentation.ui_state import OTHER_PROGRAM, RESTART, PaletteCommand
from assistant.settings.schema import Picture
from assistant.setup.core import Setup
from assistant.tui import keys as keymap_in_use
from assistant.tui.keys import KEYS, binding_id, palette_queries, shown_key
from assistant.tui.memory.edit import save_retention_limit
from assistant.tui.screens.dialogs import (
    HelpScreen,
    PhonesScreen,
    PickedSuggestion,
    RulesScreen,
    SuggestionsScreen,
    WhereScreen,
    WhyScreen,
)
from assistant.tui.screens.history import ClipboardCopy, CopyRequested, HistoryScreen, Picked, format_turn
from assistant.tui.screens.main import MainScreen
from assistant.tui.screens.panel_layout import HEIGHTS, WIDTHS
from assistant.tui.screens.settings import SettingsScreen
from assistant.tui.screens.setup import SetupScreen
from assistant.tui.terminal import ending_with_terminal
from assistant.tui.terminal_probe import EarlyInput, ImageTerminal, TypedKey
from assistant.tui.widgets.command_input import DoublePressTimer
from assistant.tui.widgets.phone_screen import ImageApp
from assistant.turn_runner import NotReady


class PaletteCommands(SystemCommandsProvider):
    """The entries of the command palette, also found by other words that mean the same."""

    async def search(self, query: str) -> Hits:
        """The entries that match the words, each once."""
        titles = set[str]()
        for words in palette_queries(query):
            async for hit in super().search(words):
                if isinstance(hit, Hit) and (title := str(hit.text)) not in titles:
                    titles.add(title)
                    yield hit


class PhoneChoice:
    """Shows the phones above the main screen.

    Args:
        engine: lists the phones, and switches to one.
        main: shows messages; while another screen is above it, nothing is shown.
    """

    def __init__(self, engine: Engine, main: MainScreen) -> None:
        self._engine = engine
        self._main = main

    async def show_phones(self) -> None:
        """List the connected phones, and let the user choose one."""
        phones = await self._engine.phones()
        if not self._main.is_active:
            return
        if phones:
            used = self._main.status.status.serial
            self._main.app.push_screen(PhonesScreen(phones, used), self._use_phone)
        else:
            self._main.hint(_("No phone is connected."))

    def _use_phone(self, serial: str | None) -> None:
        if serial:
            self._main.use_phone(serial)

    def show_next_turn(self) -> None:
        """Bring the next running turn to the front, with its phone."""
        if serial := self._main.switcher.phones.next_running():
            self._main.use_phone(serial)
        else:
            self._main.hint(_("No turn runs on another phone. /phones lists the phones."))


CONTRAST = 4.5
"""The least contrast between text and background (WCAG 2.2, 1.4.3)."""

_BACKGROUNDS = ("background", "surface", "panel")
_WORDS = ("primary", "secondary", "accent", "success", "warning", "error")
_CHOSEN = {"block-cursor-background": 0.3, "block-cursor-blurred-background": 0.15}
"""Share of the primary colour in the background of the selected row."""

_MUTED_LEAST = 0.6
_STEP = 0.05


def ensure_readable(variables: Mapping[str, str]) -> dict[str, str]:
    """The style sheet's variables with readable text colours; terminal colour names are unchanged."""
    changed = dict(variables)
    background, primary, letters = (
        _parse_colour(variables.get(name, "")) for name in ("background", "primary", "foreground")
    )
    if background is None or primary is None or letters is None:
        return changed
    chosen = {name: background.blend(primary, share) for name, share in _CHOSEN.items()}
    behind = [
        *chosen.values(),
        *(
            colour
            for background_name in _BACKGROUNDS
            if (colour := _parse_colour(variables.get(background_name, "")))
        ),
    ]
    changed |= {name: colour.hex6 for name, colour in chosen.items()}
    for name in (f"text-{word}" for word in _WORDS):
        if (colour := _parse_colour(variables.get(name, ""))) is not None:
            changed[name] = shift_to_contrast(colour, behind).hex6
    letters = shift_to_contrast(letters, behind)
    changed["foreground"] = changed["block-cursor-foreground"] = letters.hex6
    changed["foreground-muted"] = changed["text-muted"] = letters.with_alpha(
        _muted_alpha(letters, behind)
    ).hex
    return changed


def _muted_alpha(letters: Color, behind: list[Color]) -> float:
    """The lowest opacity at which muted text is readable."""
    alpha = _MUTED_LEAST
    while alpha < 1.0 and any(
        contrast(background.blend(letters, alpha), background) < CONTRAST for background in behind
    ):
        alpha += _STEP
    return min(alpha, 1.0)


def contrast(first: Color, second: Color) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.2, contrast ratio)."""
    dark, light = sorted((_luminance(first), _luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def shift_to_contrast(colour: Color, others: list[Color]) -> Color:
    """The colour, shifted towards white or black until it contrasts with each of the others."""
    bright = sum(other.brightness for other in others) / len(others)
    end = Color(0, 0, 0) if bright > 0.5 else Color(255, 255, 255)
    share = 0.0
    while share < 1.0:
        moved = colour.blend(end, share)
        if all(contrast(moved, other) >= CONTRAST for other in others):
            return moved
        share += _STEP
    return end


def _luminance(colour: Color) -> float:
    parts = (part / 255 for part in colour.rgb)
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parse_colour(text: str) -> Color | None:
    """An opaque RGB colour; None for a terminal colour or a translucent one."""
    try:
        colour = Color.parse(text)
    except ColorParseError:
        return None
    return None if colour.ansi is not None or colour.a < 1 else colour


class AssistantApp(ImageApp[None]):
    """The interface of an engine.

    Args:
        engine: runs the turns.
        clock: monotonic seconds, for waiting times and for the delay before decision keys count.
        pictures: folder for saved screenshots; the current folder by default.
        setup: what the setup screen works with; without it there is none.
        commands: more entries for the command palette.
        picture_terminal: how the terminal draws pictures; in half blocks by default.
    """

    # Textual loads no style sheet of a default screen, so the app names it.
    CSS_PATH: ClassVar = ["screens/main.tcss", "memory/panel.tcss"]
    TITLE = "assistant"
    COMMANDS: ClassVar = {PaletteCommands}
    ESCAPE_TO_MINIMIZE = False
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], float] = time.monotonic,
        pictures: Path | None = None,
        setup: Setup | None = None,
        commands: Sequence[PaletteCommand] = (),
        picture_terminal: ImageTerminal | None = None,
    ) -> None:
        super().__init__(picture_terminal)
        self.animation_level = "none"
        self.engine = engine
        self._pictures = pictures
        self._early: list[TypedKey] | None = []
        self._setup = setup
        self._commands = commands
        self.main = MainScreen(engine, clock)
        self._leaves = DoublePressTimer(self, clock, lambda: None)
        colourless = self.picture_terminal.way is Picture.OFF
        in_blocks = engine.settings.interface.picture == Picture.BLOCKS
        self.main.set_class(colourless and in_blocks, "-no-picture")
        self._copying = ClipboardCopy(engine, self.copy_to_clipboard, self.main.hint)
        self._phones = PhoneChoice(engine, self.main)
        self._push = PushNotifier(engine.settings.push, simulated=bool(engine.simulated))
        if setup is not None:
            self.main.memory.set_save_limit(partial(save_retention_limit, setup))
        self._apply_settings()

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return self.main

    def get_css_variables(self) -> dict[str, str]:
        """The theme's colours, adjusted to a readable contrast."""
        return ensure_readable(super().get_css_variables())

    def on_mount(self) -> None:
        """Subscribe to the engine's events before starting it, so that none is missed."""
        self.main.window_title.begin(self)
        self.app_suspend_signal.subscribe(self, self._leave_terminal, immediate=True)
        self.app_resume_signal.subscribe(self, self._draw_again)
        self.run_worker(self._listen(), group="events", exit_on_error=False)
        self.run_worker(self._start(), group="start", exit_on_error=False)

    def _leave_terminal(self, app: App[object]) -> None:
        """Restore the window title before the program is suspended."""
        self.main.window_title.leave(self)

    def _draw_again(self, app: App[object]) -> None:
        """Redraw everything: the shell has used the screen, and may have changed the window title."""
        self.main.window_title.begin(self)
        self.refresh()

    def press_later(self, keys: Iterable[TypedKey]) -> None:
        """Queue keys until the input field has the focus."""
        if self._early is not None:
            self._early.extend(keys)

    async def on_event(self, event: textual_events.Event) -> None:
        """Queue keys until the input field has the focus; then text goes to the field, whatever has it."""
        match event:
            case textual_events.Key(is_forwarded=False) if self._early is not None:
                self._early.append(TypedKey(event.key, event.character or ""))
            case textual_events.Key(is_forwarded=False) | textual_events.Paste(is_forwarded=False) if (
                self.screen is self.main and self.main.route_typing(event)
            ):
                return
            case _:
                await super().on_event(event)

    def on_descendant_focus(self) -> None:
        """The input field has the focus: press the queued keys."""
        early, self._early = self._early or [], None
        self._press(early)

    def _press(self, keys: list[TypedKey]) -> None:
        for number, pressed in enumerate(keys, start=1):
            self.post_message(textual_events.Key(pressed.key, pressed.character or None))
            if pressed.key == "enter":
                # By then, Enter has cleared the field.
                self.call_after_refresh(self._press, keys[number:])
                break

    async def on_unmount(self) -> None:
        """Leave the terminal as it was."""
        self.main.window_title.leave(self)
        await self._push.close()

    async def _listen(self) -> None:
        async for event in self.engine.events():
            self.main.call_later(self.main.handle_engine_event, event)
            self._push.handle_event(event)
            if isinstance(event, TurnFinished) and self.engine.settings.interface.transcript:
                writing = self._copying.append_to_transcript(event.turn_id)
                self.run_worker(writing, group="transcript", exit_on_error=False)

    async def _start(self) -> None:
        await self.engine.start()
        if self.engine.has_other_program:
            self.main.turn.welcome.notice(_(OTHER_PROGRAM))
        self.main.call_later(self.main.handle_engine_start)
        # Loads the words that read a line, for which the first key would wait else.
        await asyncio.to_thread(route, "")
        await asyncio.to_thread(compile_lazy_regexes)

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """Show an error when a worker fails."""
        if message.state is WorkerState.ERROR:
            error = message.worker.error
            reason = one_line(str(error)) or type(error).__name__
            sentence = _("The engine stopped: {reason}.").format(reason=reason.rstrip("."))
            self.main.call_later(self.main.handle_engine_failure, sentence)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The command palette, built from the table of keys."""
        for key in KEYS:
            if key.in_palette and key.help:
                shown = shown_key(key)
                title = f"{_(key.help)} ({shown})" if shown else _(key.help)
                yield SystemCommand(title, "", partial(self._run_key, key.action))
        yield SystemCommand(_("Change the theme"), "", self.action_change_theme)
        yield SystemCommand(_("What is allowed always: look it up, take it back"), "", self.action_rules)

        if (suggestion := self.main.suggestion.offered) is not None:
            enable = partial(self._enable_auto_run, suggestion.id)
            yield SystemCommand(_("Let this suggestion start by itself from now on"), "", enable)
        for command in self._commands:
            yield SystemCommand(command.title, "", partial(self._start_command, command))

    async def _enable_auto_run(self, suggestion_id: str) -> None:
        """Enable auto-run for the suggestion's routine."""
        if await self.engine.allow_auto_run(suggestion_id):
            self.main.hint(_("Next time it starts by itself. esc stops it then; f2 undoes this change."))
        else:
            self.main.hint(_("Routines that pay, send, call or delete never start by themselves."))

    def _start_command(self, command: PaletteCommand) -> None:
        """Run one of the further commands of the palette; cancels one that still runs."""
        if self.engine.is_busy:
            self.main.hint(_("A turn is running. Cancel it first."))
        else:
            self.run_worker(self._run_command(command), group="commands", exclusive=True)

    async def _run_command(self, command: PaletteCommand) -> None:
        self.main.hint(await command.run())

    async def _run_key(self, action: str) -> None:
        await self.main.run_action(action)

    def action_save_picture(self) -> None:
        """Save the screen as an SVG file."""
        folder = self._pictures or Path.cwd()
        name = f"assistant-{datetime.now():%Y%m%d-%H%M%S}.svg"
        try:
            file = self.save_screenshot(name, str(folder))
        except OSError as error:
            self.main.hint(
                _("The picture cannot be written to {folder}: {reason}.").format(
                    folder=folder, reason=error.strerror
                )
            )
        else:
            if self.is_web:
                self.deliver_binary(file)
            self.main.hint(_("Saved {file}").format(file=file))

    def on_copy_requested(self, message: CopyRequested) -> None:
        """Copy a text and show the result."""
        self.run_worker(self._copying.copy(message.text), group="copy", exit_on_error=False)

    def action_copy_turn(self) -> None:
        """Copy the turn that is shown."""
        if self.main.turn.record.said:
            self.post_message(CopyRequested(format_turn(self.main.turn.record)))
        else:
            self.main.hint(_("There is no turn to copy yet."))

    def action_command_palette(self) -> None:
        """Show the command palette."""
        if not isinstance(self.screen, CommandPalette):
            palette = CommandPalette(id="--command-palette", placeholder=_("Search for commands…"))
            self.push_screen(palette)

    def action_help(self) -> None:
        """Show the help."""
        self.push_screen(HelpScreen(self.main.situation, self.main.memory.keys_now))

    def on_why_screen_typed(self, message: WhyScreen.Typed) -> None:
        """Put what was typed above the field into it."""
        self.main.input.insert(message.text)

    def action_history(self) -> None:
        """Open past turns; the user can run a command again."""
        if self.screen is not self.main:
            return
        try:
            past_turns = self.engine.past_turns()
        except NotReady as problem:
            self.main.hint(str(problem))
            return
        folder = self._pictures or Path.cwd()
        self.push_screen(HistoryScreen(past_turns, folder, self.engine.simulated), self._use_picked_turn)

    def _use_picked_turn(self, picked: Picked | None) -> None:
        if picked is None:
            return
        if picked.why:
            self.main.open_memory(lambda view: ItemLocation(Section.RECORDS, picked.why))
        elif picked.at_once:
            self.main.orders.run_or_queue(picked.said)
        else:
            self.main.input.fill(picked.said)

    def action_why(self) -> None:
        """Show why the command was understood this way, or why the routine is suggested."""
        suggestion = self.main.suggestion.offered
        if suggestion is not None and not self.main.orders.busy:
            self.main.suggestion.close()
            self.main.sides.look_at(lambda view: view.spot_of_suggestion(suggestion.id))
        elif self.main.situation.understood:
            screen = WhyScreen(self.main.turn.record.understood, self.engine.find_records)
            self.push_screen(screen, self.main.open_memory)
        else:
            self.main.hint(self.main.turn.record.saving or _("This command did not use the memory."))

    def action_suggestions(self) -> None:
        """Open the list of past suggestions."""
        past_suggestions = self.engine.suggestions()
        if past_suggestions:
            self.push_screen(SuggestionsScreen(past_suggestions), self._use_picked_suggestion)
        else:
            self.main.hint(_("No suggestions yet."))

    def _use_picked_suggestion(self, picked: PickedSuggestion | None) -> None:
        if picked is not None and picked.why:
            self.main.open_memory(lambda view: view.spot_of_suggestion(picked.why))
        elif picked is not None:
            self.main.input.fill(picked.instruction)

    def action_rules(self) -> None:
        """List what the user allows always, to take it back."""

        def revoke(rule: StandingApproval | None) -> None:
            if rule is None:
                return
            try:
                self.engine.revoke_approval(rule)
            except StoreError as problem:
                self.main.hint(one_line(str(problem)))
            else:
                self.main.hint(_("Taken back: from now on it is asked about again."))

        if rules := self.engine.standing_approvals():
            self.push_screen(RulesScreen(rules), revoke)
        else:
            self.main.hint(_("No standing approvals. Every sensitive action needs your approval."))

    def action_phones(self) -> None:
        """List the connected phones, to choose one."""
        if self.screen is self.main:
            self.run_worker(self._phones.show_phones(), group="phones", exclusive=True)

    def action_turns(self) -> None:
        """Bring the next running turn to the front."""
        if self.screen is self.main:
            self._phones.show_next_turn()

    def action_where(self) -> None:
        """Let the user state their location."""

        def set_scenario(scenario: str | None) -> None:
            if scenario is not None:
                self.engine.set_scenario(scenario)

        self.push_screen(WhereScreen(), set_scenario)

    def action_use_theme(self, name: str) -> None:
        """Change to a theme by its name, or by how only one begins."""
        begun = [theme for theme in self.available_themes if theme.startswith(name)]
        if name in begun or len(begun) == 1:
            self.theme = name if name in begun else begun[0]
            return
        sentence = _("There is no theme “{name}”. /theme lists them all.")
        self.main.hint(sentence.format(name=one_line(name)))

    async def action_quit(self) -> None:
        """Leave; while a turn is on its way, only at the second time in a few seconds."""
        if self.screen is not self.main or not self.engine.is_busy or self._leaves.armed:
            await super().action_quit()
            return
        self._leaves.arm()
        again = _("A turn is running. ctrl+q again leaves; what was done on the phone stays done.")
        self.main.hint(again, stays=True)

    def action_setup(self, page: str = "phone") -> None:
        """Open a page of the setup; if anything changed, the program restarts with it."""
        if self.screen is not self.main:
            return
        if self._setup is None:
            self.main.hint(_("Leave with ctrl+q and run: assistant setup"))
        elif self.engine.is_busy:
            self.main.hint(_("A turn is running. Cancel it first."))
        else:
            self.push_screen(
                SetupScreen(self._setup, page, demo=not self.engine.simulated), self._setup_closed
            )

    def action_settings(self) -> None:
        """Open the settings; some of them need a restart."""
        if self.screen is not self.main:
            return
        if self._setup is None:
            self.main.hint(_("Leave with ctrl+q and run: assistant settings list"))
        else:
            self.push_screen(SettingsScreen(self._setup, self._setup.broken), self._settings_closed)

    def _settings_closed(self, changed: bool | None) -> None:
        if not changed:
            return
        if self.engine.is_busy:
            self.main.hint(_("A turn is running. The new settings apply at the next start."))
        else:
            self.exit(return_code=RESTART)

    def _setup_closed(self, changed: bool | None) -> None:
        if changed:
            self.exit(return_code=RESTART)

    def _apply_settings(self) -> None:
        for broken_setting in self._setup.broken if self._setup is not None else ():
            self.main.turn.welcome.notice(
                _("The setting {name} cannot be used: {reason} /settings opens it.").format(
                    name=one_line(broken_setting.path), reason=one_line(broken_setting.reason)
                )
            )
        keymap = keymap_in_use.use_keymap(self.engine.settings.keys)
        for problem in keymap.problems:
            self.main.turn.welcome.notice(one_line(problem))
        self.set_keymap({binding_id(key): keymap.keys[key.name] for key in KEYS if key.name in keymap.keys})
        interface = self.engine.settings.interface
        if interface.theme in self.available_themes:
            self.theme = interface.theme
        else:
            theme = one_line(str(interface.theme))
            self.main.turn.welcome.notice(
                _("Unknown theme in interface.theme: “{theme}”. Using {used}.").format(
                    theme=theme, used=self.theme
                )
            )
        if interface.picture not in list(Picture):
            picture = one_line(str(interface.picture))
            self.main.turn.welcome.notice(
                _("Unknown value of interface.picture: “{picture}”. Using auto.").format(picture=picture)
            )


async def run_app(
    engine: Engine | None,
    setup: Setup | None = None,
    commands: Sequence[PaletteCommand] = (),
    typed: EarlyInput | None = None,
    picture_terminal: ImageTerminal | None = None,
    guide: Sequence[str] = (),
) -> int:
    """Run the interface of an engine, then close the engine; returns the exit code.

    Args:
        engine: runs the turns; without one only the setup screen is shown.
        setup: what the setup screen works with; without it there is none.
        commands: more entries for the command palette.
        typed: the keys pressed before the interface was up; they are replayed into the input field, and
            discarded where there is none.
        picture_terminal: how the terminal draws pictures; in half blocks by default.
        guide: lines that the welcome shows in place of its examples.
    """
    if engine is None:
        if typed is not None:
            typed.end()
        return await _run_setup(setup, picture_terminal) if setup is not None else 1
    app = AssistantApp(engine, setup=setup, commands=commands, picture_terminal=picture_terminal)
    app.main.turn.welcome.set_guide(guide)
    try:
        app.press_later(typed.end() if typed is not None else [])
        with ending_with_terminal(app):
            await app.run_async()
        app.raise_crash()
    finally:
        is_unfinished, said = engine.is_busy, one_line(app.main.turn.record.said)
        await engine.close()
        if is_unfinished and not app.is_web:
            kept = _("The turn “{said}” is kept. Go on with it: assistant run --continue")
            ended = _("The turn “{said}” ended with the program; the demo keeps none.")
            sys.stderr.write((ended if engine.simulated else kept).format(said=said) + "\n")
    return app.return_code or 0


class SetupApp(ImageApp[bool]):
    """Returns whether anything was changed.

    Args:
        setup: what the screen works with.
        picture_terminal: how the terminal draws pictures; in half blocks by default.
    """

    TITLE = "assistant setup"
    ESCAPE_TO_MINIMIZE = False
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, setup: Setup, picture_terminal: ImageTerminal | None = None) -> None:
        super().__init__(picture_terminal)
        self.animation_level = "none"
        self._setup = setup
        theme = setup.settings.interface.theme
        self.theme = theme if theme in self.available_themes else "textual-dark"

    def get_css_variables(self) -> dict[str, str]:
        """The theme's colours, adjusted to a readable contrast."""
        return ensure_readable(super().get_css_variables())

    def on_mount(self) -> None:
        """Show the screen; leave when it is closed."""
        self.push_screen(SetupScreen(self._setup), self.exit)


async def _run_setup(setup: Setup, picture_terminal: ImageTerminal | None) -> int:
    """Run the setup screen until the user leaves it; returns the exit code."""
    app = SetupApp(setup, picture_terminal)
    with ending_with_terminal(app):
        await app.run_async()
    app.raise_crash()
    return app.return_code or 0

"""The setup screen: pages for the phone, the model, and the test call.

The `format_*` functions lay out phones, presets, checks and test calls. `QrScreen` shows the code that the
phone reads to pair.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widgets import Button, Input, Label, OptionList, Static, TabbedContent, TabPane
from textual.widgets.option_list import Option

from assistant.doctor import Check, HelperOffer, with_helper_ways
from assistant.i18n import _, later, padded
from assistant.model.tap_test import DialectFit, TrialCall
from assistant.phone.errors import PhoneError
from assistant.presentation.text import clip, format_duration, one_line
from assistant.presentation.ui_state import DEMO
from assistant.secrets import SecretError, SecretLocation
from assistant.settings.load import SettingsError
from assistant.setup.core import (
    PRESETS,
    FoundPhone,
    Invitation,
    PairingFailed,
    Preset,
    Setup,
    preset_of,
    qr_lines,
)
from assistant.tui.widgets.command_input import TextField
from assistant.tui.widgets.phone_screen import TrialPicture

NO_PHONE = later(
    "No phone is connected. Plug one in with USB debugging on, or use its network. USB debugging: Settings, "
    "About phone, tap the build number seven times; then Developer options."
)
NO_KEYRING = later(
    "Keep the key in a file that only you can read, or empty the field and set ASSISTANT_MODEL__API_KEY."
)


def format_preset(preset: Preset) -> Content:
    """A preset and its address."""
    return Content.assemble(
        padded(_(preset.title), 28), (preset.base_url or _(preset.hint), "$foreground-muted")
    )


def format_phone(phone: FoundPhone, used_serial: str) -> Content:
    """A phone, its state, and whether it is in use."""
    name = clip(one_line(phone.model or _("phone")), 24)
    line = Content.assemble(
        (padded(name, 16), "bold"), f" {clip(one_line(phone.serial), 40)}  {one_line(phone.state)}"
    )
    return line + Content(_("  · in use")) if phone.serial == used_serial else line


def format_finding(finding: Check) -> Content:
    """The result of a check, and below it how to fix a problem."""
    mark = ("✓ ", "$text-success") if finding.good else ("✗ ", "$text-warning")
    line = Content.assemble(mark, (padded(_(finding.part), 10), "bold"), one_line(finding.state))
    if finding.good or not finding.mend:
        return line
    return line + Content.assemble("\n            → ", one_line(finding.mend))


def format_trial(trial: TrialCall) -> Content:
    """The result of a test call."""
    good = trial.fit is DialectFit.HIT
    style = "bold $text-success" if good else "bold $text-warning"
    lines = [Content.assemble(("✓ " if good else "✗ ", style), (one_line(trial.sentence), style))]
    if trial.advice:
        lines.append(Content(one_line(trial.advice)))
    lines.append(Content(_("dialect: {dialect}").format(dialect=one_line(trial.dialect))))
    if trial.point is not None:
        tap = _("tap: {x:.3f}, {y:.3f} of the screen (◎)")
        lines.append(Content(tap.format(x=trial.point.x, y=trial.point.y)))
    used = _("{seconds} · {count} tokens")
    lines.append(Content(used.format(seconds=format_duration(trial.seconds), count=trial.usage.total_tokens)))
    if trial.thought:
        thought = clip(one_line(trial.thought), 200)
        lines.append(Content(_("thought: {thought}").format(thought=thought)))
    return Content("\n").join(lines)


class QrScreen(ModalScreen[None]):
    """Stays until the phone is paired or the user closes it."""

    CSS_PATH = "setup.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close", show=False)]

    def __init__(self, invitation: Invitation) -> None:
        super().__init__()
        self._lines = qr_lines(invitation.payload)

    def compose(self) -> ComposeResult:
        """Instructions above the code."""
        words = _("Developer options, Wireless debugging, Pair device with QR code. esc closes.")
        with Vertical(id="qr-box"):
            yield Static(words, id="qr-words", markup=False)
            yield Static("\n".join(self._lines), id="qr", markup=False)


_WAYS = (
    ("again", later("Look again")),
    ("address", later("Connect by address")),
    ("code", later("Pair over Wi-Fi with a code")),
    ("qr", later("Pair over Wi-Fi with a QR code")),
)
_DEMO = ("demo", later("Try it on a simulated phone"))
_KEYS = later("tab moves · enter picks · ctrl+left, ctrl+right another page · esc closes")
_PAGES = {"phone": "#phones", "model": "#presets", "test": "#try"}
"""The pages in their order, each with what has the focus first."""


class SetupScreen(Screen[bool]):
    """Returns whether anything was changed.

    Args:
        setup: performs the work.
        page: which of the pages is open first.
        demo: whether a simulated phone is offered; choosing it ends the app with `DEMO`.
    """

    CSS_PATH = "setup.tcss"
    AUTO_FOCUS = "#phones"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("ctrl+right", "page(1)", "Next page", show=False, priority=True),
        Binding("ctrl+left", "page(-1)", "Page before", show=False, priority=True),
    ]

    @dataclass
    class Told(Message):
        """A message for the user; `good` on success."""

        sentence: str
        good: bool = True

    @dataclass
    class Found(Message):
        """The phones that adb lists."""

        phones: Sequence[FoundPhone]

    @dataclass
    class Joined(Message):
        """A phone is connected and can be remembered."""

        serial: str

    @dataclass
    class Checked(Message):
        """The results of the phone's checks."""

        findings: Sequence[Check]

    @dataclass
    class Tried(Message):
        """A test call was made."""

        trial: TrialCall

    def __init__(self, setup: Setup, page: str = "phone", *, demo: bool = False) -> None:
        super().__init__()
        self._setup = setup
        self._page = page
        self._ways = (*_WAYS, _DEMO) if demo else _WAYS
        self._phones: Sequence[FoundPhone] = ()
        self._way = ""
        self._trial: TrialCall | None = None
        self._qr: QrScreen | None = None
        self._findings: Sequence[Check] = ()

    def compose(self) -> ComposeResult:
        """Three pages, the latest message, and the keys."""
        with TabbedContent(initial=self._page):
            with TabPane(_("1 Phone"), id="phone"):
                yield OptionList(id="phones", markup=False)
                with Vertical(id="joining"):
                    address = TextField(placeholder="192.168.1.20:37123", id="address")
                    code = TextField(placeholder=_("six digits"), id="code")
                    yield _row(_("Address and port"), address)
                    yield _row(_("Pairing code"), code, "code-row")
                with VerticalScroll(id="findings-box", can_focus=False):
                    yield Static(_("Looking for phones."), id="findings", markup=False)
                with Horizontal(id="helper-buttons"):
                    yield Button(
                        _("Measure the helper: it runs for some seconds"), id="try-helper", compact=True
                    )
                    yield Button(_("Let it run during turns"), id="use-helper", compact=True)
            with TabPane(_("2 Model"), id="model"):
                yield OptionList(*(Option(format_preset(preset)) for preset in PRESETS), id="presets")
                yield _row(_("Address"), TextField(id="base-url"))
                yield _row(_("Key"), TextField(id="key", password=True))
                yield _row(_("Model's name"), TextField(id="name"))
                with Horizontal(classes="row"):
                    yield Button(_("Keep and try"), id="keep", compact=True)
                    yield Button(_("Keep and try, the key in a file"), id="keep-file", compact=True)
            with TabPane(_("3 Test"), id="test"), Horizontal():
                yield TrialPicture()
                with VerticalScroll(id="trial-side", can_focus=False):
                    yield Static(_("No test call was made yet."), id="trial-text", markup=False)
                    with Horizontal(id="trial-buttons"):
                        yield Button(_("Try"), id="try", compact=True)
                        yield Button(_("Try every dialect"), id="every", compact=True)
        if self._setup.simulated:
            yield Static(_(self._setup.simulated), id="simulated", markup=False)
        yield Static("", id="told", markup=False)
        yield Static(_(_KEYS), id="setup-keys", markup=False)

    def on_mount(self) -> None:
        """Show the current settings, and look for phones."""
        model = self._setup.settings.model
        self.query_one("#base-url", Input).value = model.base_url
        self.query_one("#name", Input).value = model.name
        self.query_one("#presets", OptionList).highlighted = PRESETS.index(preset_of(model.base_url))
        self._show_key_hint()
        self._show_phones()
        self._look()
        self.query_one(_PAGES[self._page]).focus()

    def action_close(self) -> None:
        """Leave; changes are saved already."""
        self.dismiss(self._setup.changed)

    def action_page(self, step: int) -> None:
        """Go to another page."""
        pages = self.query_one(TabbedContent)
        order = list(_PAGES)
        pages.active = order[(order.index(pages.active) + step) % len(order)]
        self.query_one(_PAGES[pages.active]).focus()

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Handle a phone, a way to connect one, or a preset."""
        message.stop()
        if message.option_list.id == "presets":
            self._fill_preset(message.option_index)
        elif message.option_index < len(self._phones):
            self._choose_phone(self._phones[message.option_index])
        else:
            self._choose_way(self._ways[message.option_index - len(self._phones)][0])

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Enter moves to the next field; in the last one it submits."""
        message.stop()
        address = self.query_one("#address", Input).value
        match message.input.id:
            case "address" if self._way == "code":
                self.query_one("#code").focus()
            case "address":
                self._connect_phone(lambda: self._setup.connect(address), _("Connecting."))
            case "code":
                code = message.value
                self._connect_phone(lambda: self._setup.pair(address, code), _("Pairing."))
            case "base-url":
                self._show_key_hint()
                self.query_one("#key").focus()
            case "key":
                self.query_one("#name").focus()
            case _:
                self._save_model()

    def on_button_pressed(self, message: Button.Pressed) -> None:
        """Save the model, make the test call, or measure the resident helper or let it run."""
        message.stop()
        match message.button.id:
            case "try-helper":
                self._try_helper()
            case "use-helper":
                if self._save(self._setup.use_helper):
                    self._check()
            case "keep":
                self._save_model()
            case "keep-file":
                self._save_model(SecretLocation.FILE)
            case "every":
                self._try(every=True)
            case _:
                self._try()

    def on_setup_screen_told(self, message: Told) -> None:
        """Show the message above the keys."""
        style = "$text-success" if message.good else "$text-warning"
        self.query_one("#told", Static).update(Content.styled(one_line(message.sentence), style))

    def on_setup_screen_found(self, message: Found) -> None:
        """Show the phones, and check the configured one."""
        self._phones = message.phones
        self._show_phones()
        serial = self._setup.settings.phone.serial
        if any(phone.serial == serial and phone.usable for phone in self._phones):
            self._check()
        else:
            words = _("Pick a phone.") if self._phones else _(NO_PHONE)
            self.query_one("#findings", Static).update(words)

    def on_setup_screen_joined(self, message: Joined) -> None:
        """Remember the phone that was connected."""
        self._close_qr()
        self.query_one("#joining").remove_class("-open", "-code")
        self._save(lambda: self._setup.use_phone(message.serial))
        self.query_one("#phones").focus()
        self._look()

    def on_setup_screen_checked(self, message: Checked) -> None:
        """Show the results of the checks, and how the resident helper is agreed to where it is off."""
        self._findings = message.findings
        offer = self._helper_offer
        self.set_class(offer is not None, "-helper")
        self.query_one("#try-helper").display = offer is not None and not offer.is_measured
        findings = message.findings if offer is not None else with_helper_ways(message.findings)
        lines = map(format_finding, findings)
        self.query_one("#findings", Static).update(Content("\n").join(lines))

    def on_setup_screen_tried(self, message: Tried) -> None:
        """Show where the model would tap, and the result."""
        self._trial = message.trial
        self.query_one(TrialPicture).show(message.trial.point)
        self.query_one("#trial-text", Static).update(format_trial(message.trial))
        if message.trial.fit is DialectFit.HIT and message.trial.dialect != self._setup.dialect:
            self._save(lambda: self._setup.use_dialect(message.trial.dialect))

    def _look(self) -> None:
        async def look() -> None:
            self.post_message(self.Found(await self._setup.phones()))

        self._start_job(look())

    def _check(self) -> None:
        async def check() -> None:
            self.post_message(self.Checked(await self._setup.check_phone()))

        self._start_job(check())

    @property
    def _helper_offer(self) -> HelperOffer | None:
        """The offer of the resident helper, where it can run."""
        offers = (each for each in self._findings if isinstance(each, HelperOffer) and not each.problem)
        return next(offers, None)

    def _try_helper(self) -> None:
        offer = self._helper_offer

        async def measure(offer: HelperOffer) -> None:
            tried = await self._setup.try_helper(offer)
            findings = [tried if isinstance(each, HelperOffer) else each for each in self._findings]
            self.post_message(self.Checked(findings))
            self.post_message(self.Told(tried.state if tried.problem else "", good=not tried.problem))

        if offer is not None:
            self.post_message(self.Told(_("The helper runs on the phone for some seconds.")))
            self._start_job(measure(offer))

    def _choose_phone(self, phone: FoundPhone) -> None:
        if phone.usable:
            self.post_message(self.Joined(phone.serial))
        else:
            self.post_message(self.Told(phone.advice, good=False))

    def _choose_way(self, way: str) -> None:
        self._way = way
        joining = self.query_one("#joining")
        joining.set_class(way in ("address", "code"), "-open")
        joining.set_class(way == "code", "-code")
        match way:
            case "again":
                self.query_one("#findings", Static).update(_("Looking for phones."))
                self._look()
            case "demo":
                self.app.exit(return_code=DEMO)
            case "qr":
                invitation = Invitation.fresh()
                self._qr = QrScreen(invitation)
                self.app.push_screen(self._qr, self._qr_closed)
                self._connect_phone(lambda: self._setup.pair_scanned(invitation), _("Waiting for the phone."))
            case _:
                self.query_one("#address").focus()

    def _connect_phone(self, way: Callable[[], Awaitable[str]], meanwhile: str) -> None:
        async def join() -> None:
            self.post_message(self.Joined(await way()))

        self.post_message(self.Told(meanwhile))
        self._start_job(join(), group="joining")

    def _close_qr(self) -> None:
        screen, self._qr = self._qr, None
        if screen is not None and screen.is_current:
            screen.dismiss(None)

    def _qr_closed(self, nothing: None) -> None:
        """The user closed the QR code: stop waiting for the phone."""
        if self._qr is not None:
            self._qr = None
            self.workers.cancel_group(self, "joining")
            self.post_message(self.Told(""))

    def _fill_preset(self, index: int) -> None:
        preset = PRESETS[index]
        self.query_one("#base-url", Input).value = preset.base_url
        self.query_one("#name", Input).value = preset.example
        self._show_key_hint()
        self.post_message(self.Told(_(preset.hint)))
        self.query_one("#key" if preset.needs_key else "#name" if preset.base_url else "#base-url").focus()

    def _show_key_hint(self) -> None:
        address = self.query_one("#base-url", Input).value
        key = self.query_one("#key", Input)
        if address and self._setup.has_key(address):
            key.placeholder = _("one is kept")
        else:
            key.placeholder = (
                _("needed") if preset_of(address).needs_key else _("only if the endpoint wants one")
            )

    def _save_model(self, place: SecretLocation = SecretLocation.KEYRING) -> None:
        address, name = (self.query_one(field, Input).value.strip() for field in ("#base-url", "#name"))
        key = self.query_one("#key", Input)
        if not (address and name):
            self.post_message(self.Told(_("Enter an address and a model name."), good=False))
            return
        if key.value and place is SecretLocation.KEYRING and (problem := self._setup.key_problem()):
            self.add_class("-no-keyring")
            self.post_message(self.Told(f"{problem} {_(NO_KEYRING)}", good=False))
            return
        if self._save(lambda: self._setup.use_model(address, name, key.value, place)):
            key.value = ""
            self.query_one(TabbedContent).active = "test"
            self.query_one("#try").focus()
            self._try()

    def _try(self, *, every: bool = False) -> None:
        async def once() -> None:
            trial = await self._setup.try_model()
            self.post_message(self.Tried(trial))
            if self._setup.needs_measuring(trial):
                await self._measure(trial)

        async def each() -> None:
            tried = self._trial.dialect if self._trial else ""
            async with aclosing(self._setup.other_dialects(tried)) as trials:
                async for trial in trials:
                    self.post_message(self.Tried(trial))

        self.query_one("#trial-text", Static).update(_("The model is asked to tap “Continue”."))
        self._start_job(each() if every else once(), group="trial")

    async def _measure(self, trial: TrialCall) -> None:
        """Find out how the model writes; what was found is kept and tried."""
        words = _("No dialect claims the name {name}: {dialect} is a guess.")
        guess = words.format(name=self._setup.settings.model.name, dialect=self._setup.dialect)
        measuring = _("How it writes is measured on three drawn screens.")
        self.post_message(self.Told(f"{guess} {measuring}" if self._setup.dialect_is_guess else measuring))
        measurement = await self._setup.measure_dialect()
        if not measurement.dialect:
            self.post_message(self.Told(measurement.sentence, good=False))
        elif self._save(lambda: self._setup.use_dialect(measurement.dialect)):
            self.post_message(self.Told(measurement.sentence))
            if measurement.dialect != trial.dialect or trial.fit is not DialectFit.HIT:
                self.post_message(self.Tried(await self._setup.try_model()))

    def _save(self, choose: Callable[[], str]) -> bool:
        try:
            self.post_message(self.Told(choose()))
        except (SettingsError, SecretError) as error:
            self.post_message(self.Told(str(error), good=False))
            return False
        return True

    def _start_job(self, job: Awaitable[None], group: str = "phone") -> None:
        async def work() -> None:
            try:
                await job
            except (PairingFailed, PhoneError, SecretError) as error:
                self._close_qr()
                self.post_message(self.Told(str(error), good=False))

        self.run_worker(work(), group=group, exclusive=True)

    def _show_phones(self) -> None:
        serial = self._setup.settings.phone.serial
        phones = self.query_one("#phones", OptionList)
        phones.clear_options()
        phones.add_options([Option(format_phone(phone, serial)) for phone in self._phones])
        phones.add_options([Option(_(words), id=way) for way, words in self._ways])
        phones.highlighted = 0


def _row(words: str, field: Input, name: str | None = None) -> Horizontal:
    return Horizontal(Label(words), field, classes="row", id=name)

"""Setup line by line: works in a dumb terminal, and with answers piped to standard input."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Protocol

from rich.cells import cell_len

from assistant.doctor import Check, HelperOffer, with_helper_ways
from assistant.i18n import _, joined, padded
from assistant.model.dialects import registry
from assistant.model.tap_test import DialectFit, TrialCall
from assistant.model.types import one_line
from assistant.phone.errors import PhoneError
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

_MODELS_SHOWN = 20


class NoMoreAnswers(Exception):
    """Standard input has ended."""


class SetupDialog(Protocol):
    """Prints lines and asks questions."""

    def say(self, line: str = "") -> None:
        """Print a line."""
        ...

    async def ask(self, question: str, *, hidden: bool = False) -> str:
        """Ask for a line; with `hidden`, what is typed is not shown.

        Raises:
            NoMoreAnswers: the input has ended.
        """
        ...

    @property
    def colours(self) -> bool:
        """Whether the terminal shows colours."""
        ...

    @property
    def interactive(self) -> bool:
        """Whether a person reads the lines and answers, not a pipe."""
        ...


class Terminal:
    """Standard input and output. Answers may be typed or come from a pipe."""

    @property
    def colours(self) -> bool:
        """Whether standard output is a terminal that is not dumb."""
        return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    @property
    def interactive(self) -> bool:
        """Whether both standard input and output are terminals."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    def say(self, line: str = "") -> None:
        """Print a line."""
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    async def ask(self, question: str, *, hidden: bool = False) -> str:
        """Ask for a line.

        Raises:
            NoMoreAnswers: standard input has ended.
        """
        return await asyncio.to_thread(self._read_line, question, hidden)

    def _read_line(self, question: str, hidden: bool) -> str:
        try:
            if hidden and sys.stdin.isatty():
                return getpass.getpass(question)
        except EOFError as error:
            raise NoMoreAnswers from error
        sys.stdout.write(question)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise NoMoreAnswers
        if not sys.stdin.isatty():
            sys.stdout.write("\n")
        return line.strip()


class PlainSetup:
    """Asks for phone and model and tests both; each part can be skipped."""

    def __init__(self, setup: Setup, lines: SetupDialog) -> None:
        self._setup = setup
        self._lines = lines
        self._print = lines.say
        self._ask = lines.ask
        self._colours = lines.colours

    async def run(self) -> bool:
        """Run all parts; returns whether phone and model work at the end."""
        try:
            phone = await self._choose_phone()
            checked = await self._check_phone() if phone else False
            model = await self._choose_model()
            fits = await self._try_model() if model else False
        except NoMoreAnswers:
            self._print()
            self._print(_("No more answers. What was chosen so far is kept."))
            return False
        self._print()
        if checked and fits:
            self._print(_("All is set. Start with: assistant"))
        else:
            self._print(_("Not all is set. What is missing: assistant doctor"))
        return checked and fits

    async def _choose_phone(self) -> bool:
        self._print_title(_("Phone"))
        while True:
            phones = await self._list_phones()
            serial = self._setup.settings.phone.serial
            labels = (_("connect by address"), _("pair with a code"), _("pair with a QR code"))
            self._print("  " + "     ".join(f"{key}  {way}" for key, way in zip("apq", labels, strict=True)))
            answer = (await self._ask(_phone_question(len(phones), serial))).lower()
            match answer:
                case "r":
                    continue
                case "s":
                    return bool(serial)
                case "":
                    if serial:
                        return True
                    chosen = len(phones) == 1 and await self._use_phone(phones[0])
                case "a":
                    chosen = await self._use_connected(self._connect_by_address)
                case "p":
                    chosen = await self._use_connected(self._pair_by_code)
                case "q":
                    chosen = await self._use_connected(self._pair_by_qr)
                case _ if answer.isdecimal() and 0 < int(answer) <= len(phones):
                    chosen = await self._use_phone(phones[int(answer) - 1])
                case _:
                    chosen = False
            if chosen:
                return True
            self._print(_("No phone was chosen."))

    async def _list_phones(self) -> list[FoundPhone]:
        try:
            phones = await self._setup.phones()
        except PhoneError as error:
            self._print(error.sentence)
            return []
        if not phones:
            self._print(_("No phone is connected. Plug one in with USB debugging on, or use its network."))
        for number, phone in enumerate(phones, start=1):
            self._print(
                f"  {number}  {one_line(phone.model or _('phone'))}  {one_line(phone.serial)}  {phone.state}"
            )
            if phone.advice:
                self._print(f"       → {phone.advice}")
        return phones

    async def _use_phone(self, phone: FoundPhone) -> bool:
        if not phone.usable:
            self._print(phone.advice)
            return False
        return self._save_choice(lambda: self._setup.use_phone(phone.serial))

    async def _use_connected(self, connect: Callable[[], Awaitable[str]]) -> bool:
        try:
            serial = await connect()
        except PairingFailed as error:
            self._print(str(error))
            return False
        except PhoneError as error:
            self._print(error.sentence)
            return False
        return self._save_choice(lambda: self._setup.use_phone(serial))

    async def _connect_by_address(self) -> str:
        return await self._setup.connect(await self._ask(_("Address, such as 192.168.1.20:5555: ")))

    async def _pair_by_code(self) -> str:
        self._print(_("On the phone: Developer options, Wireless debugging, Pair device with pairing code."))
        address = await self._ask(_("IP address and port that it shows: "))
        return await self._setup.pair(address, await self._ask(_("Pairing code: ")))

    async def _pair_by_qr(self) -> str:
        invitation = Invitation.fresh()
        self._print(_("On the phone: Developer options, Wireless debugging, Pair device with QR code."))
        for line in qr_lines(invitation.payload, inverted=not self._colours):
            self._print(f"\x1b[30;47m{line}\x1b[0m" if self._colours else line)
        self._print(_("Waiting for the phone, for two minutes at most."))
        return await self._setup.pair_scanned(invitation)

    async def _check_phone(self) -> bool:
        self._print_title(_("What the phone allows"))
        while True:
            findings = await self._setup.check_phone()
            for finding in with_helper_ways(findings):
                self._print(format_finding(finding))
            is_good = all(finding.good for finding in findings)
            if is_good or (await self._ask(_("r to check again, enter to continue: "))).lower() != "r":
                await offer_helper(self._setup, findings, self._lines)
                return is_good

    async def _choose_model(self) -> bool:
        self._print_title(_("Model"))
        model = self._setup.settings.model
        for number, preset in enumerate(PRESETS, start=1):
            self._print(f"  {number}  {padded(_(preset.title), 28)}  {preset.base_url or _(preset.hint)}")
        question = _("Number, enter to skip: ")
        if model.base_url and model.name:
            question = _("Number, enter keeps {name}: ").format(name=one_line(model.name))
        while True:
            answer = await self._ask(question)
            if not answer or answer.lower() == "s":
                return bool(model.base_url and model.name)
            if answer.isdecimal() and 0 < int(answer) <= len(PRESETS):
                if await self._choose_endpoint(PRESETS[int(answer) - 1]):
                    return True
            else:
                self._print(_("Type a number from 1 to {count}.").format(count=len(PRESETS)))

    async def _choose_endpoint(self, preset: Preset) -> bool:
        self._print(_(preset.hint))
        base_url = (
            await self._ask(_("Address [{default}]: ").format(default=preset.base_url)) or preset.base_url
        )
        key, location = "", SecretLocation.KEYRING
        if preset.needs_key or preset_of(base_url).needs_key or not preset.base_url:
            has_key = self._setup.has_key(base_url)
            key = await self._ask(
                _("Key [the one that is kept]: ") if has_key else _("Key, empty for none: "), hidden=True
            )
            if key:
                location = await self._choose_key_location()
        names = await self._setup.model_names(base_url, key)
        if names:
            self._print(_("It has: {names}").format(names=one_line(", ".join(names[:_MODELS_SHOWN]), 600)))
        default = names[0] if len(names) == 1 else preset.example
        name = await self._ask(_("Model's name [{default}]: ").format(default=one_line(default))) or default
        return self._save_choice(lambda: self._setup.use_model(base_url, name, key, location))

    async def _choose_key_location(self) -> SecretLocation:
        """Where to store the key; asks only if there is no keyring."""
        problem = self._setup.key_problem()
        if not problem:
            return SecretLocation.KEYRING
        self._print(problem)
        answer = await self._ask(_("Keep the key in a file that only you can read? [y/N]: "))
        if _agrees(answer):
            return SecretLocation.FILE
        self._print(_("Then set it before each start: export ASSISTANT_MODEL__API_KEY=…"))
        return SecretLocation.ENVIRONMENT

    async def _try_model(self) -> bool:
        self._print_title(_("Test call"))
        self._print(_("The model is asked to tap a button of a sample screen."))
        trial = await self._setup.try_model()
        self._print_trial(trial)
        if self._setup.needs_measuring(trial):
            trial = await self._measure(trial)
        while trial.fit not in (DialectFit.HIT, DialectFit.UNANSWERED):
            names = ", ".join(dialect.name for dialect in registry.available())
            self._print(_("Dialects: {names}").format(names=names))
            answer = await self._ask(_("A dialect to try, all for each in turn, enter to leave it: "))
            if not answer:
                return False
            trial = await self._try_other_dialects(answer, trial)
        return trial.fit is DialectFit.HIT

    async def _measure(self, trial: TrialCall) -> TrialCall:
        """Find out how the model writes, keep that, and try it; the old trial where nothing was found."""
        if self._setup.dialect_is_guess:
            words = _("No dialect claims the name {name}: {dialect} is a guess.")
            name = one_line(self._setup.settings.model.name)
            self._print(words.format(name=name, dialect=self._setup.dialect))
        self._print(_("How it writes is measured on three drawn screens."))
        measurement = await self._setup.measure_dialect()
        self._print(one_line(measurement.sentence))
        if not measurement.dialect or not self._save_choice(
            partial(self._setup.use_dialect, measurement.dialect)
        ):
            return trial
        if measurement.dialect != trial.dialect or trial.fit is not DialectFit.HIT:
            trial = await self._setup.try_model()
            self._print_trial(trial)
        return trial

    async def _try_other_dialects(self, answer: str, trial: TrialCall) -> TrialCall:
        if answer.lower() != "all":
            if self._save_choice(lambda: self._setup.use_dialect(registry.get(answer).name)):
                trial = await self._setup.try_model()
                self._print_trial(trial)
            return trial
        async with aclosing(self._setup.other_dialects(trial.dialect)) as trials:
            async for candidate in trials:
                self._print_trial(candidate)
                if candidate.fit is DialectFit.HIT:
                    self._save_choice(partial(self._setup.use_dialect, candidate.dialect))
                    return candidate
        self._print(_("No dialect fits. The model may not see pictures, or not be made for phones."))
        return trial

    def _print_trial(self, trial: TrialCall) -> None:
        mark = "ok" if trial.fit is DialectFit.HIT else "✗ "
        self._print(f"{mark}  {trial.dialect:12} {one_line(trial.sentence)}")
        if trial.point is not None:
            x, y = trial.point
            self._print(
                " " * 17
                + _("tap at {x:.3f}, {y:.3f} of the screen, {seconds:.1f} s").format(
                    x=x, y=y, seconds=trial.seconds
                )
            )
        if trial.thought:
            self._print(" " * 17 + _("it thought: {thought}").format(thought=one_line(trial.thought, 300)))
        if trial.advice:
            self._print(" " * 17 + f"→ {trial.advice}")

    def _save_choice(self, choose: Callable[[], str]) -> bool:
        try:
            self._print(one_line(choose()))
        except (SettingsError, SecretError, registry.UnknownDialect) as error:
            self._print(str(error))
            return False
        return True

    def _print_title(self, title: str) -> None:
        self._print()
        self._print(title)
        self._print("-" * cell_len(title))


async def offer_helper(
    setup: Setup, findings: Sequence[Check], lines: SetupDialog, *, again: bool = True
) -> None:
    """Ask whether the resident helper may be measured, and then whether it may run during turns.

    Where no person answers it is asked nothing, and never started.

    Args:
        setup: measures it and keeps the answers.
        findings: what was found out about the phone, with the offer.
        lines: prints and asks.
        again: whether it is asked also where it was measured or declined before.

    Raises:
        NoMoreAnswers: standard input has ended.
    """
    offer = next((each for each in findings if isinstance(each, HelperOffer)), None)
    if offer is None or offer.problem or not lines.interactive:
        return
    if not again and (offer.is_measured or offer.is_declined):
        return
    if not offer.is_measured:
        question = _(
            "Let the helper run on the phone for some seconds now, to measure what it gains? [y/N]: "
        )
        if not _agrees(await lines.ask(question)):
            setup.decline_helper(offer)
            return
        try:
            offer = await setup.try_helper(offer)
        except PhoneError as error:
            lines.say(error.sentence)
            return
        lines.say(format_finding(offer))
    if not offer.problem and _agrees(await lines.ask(_("Let it run during turns? [y/N]: "))):
        try:
            lines.say(one_line(setup.use_helper()))
        except SettingsError as error:
            lines.say(str(error))


def _agrees(answer: str) -> bool:
    return answer.lower() in ("y", "yes")


def format_finding(finding: Check) -> str:
    """A finding as safe text, without control characters."""
    safe_finding = Check(finding.part, finding.good, one_line(finding.state), one_line(finding.mend))
    return safe_finding.line()


def _phone_question(count: int, serial: str) -> str:
    """What can be answered where so many phones are listed; `serial` is the one that was chosen before."""
    question = _("Number or letter") if count else _("Letter")
    ways = [question, _("r to look again"), _("s to skip")]
    if serial:
        ways.append(_("enter keeps {known}").format(known=one_line(serial)))
    elif count == 1:
        ways.append(_("enter takes the only one"))
    return f"{joined(ways)}: "

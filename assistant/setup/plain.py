"""Setting up line by line: works in a dumb terminal, and with answers on standard input."""

from __future__ import annotations

import asyncio
import getpass
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Protocol

from rich.cells import cell_len

from assistant.doctor import Check
from assistant.i18n import _
from assistant.model.dialects import registry
from assistant.model.endpoint import PRESETS, Preset, preset_of
from assistant.model.text_requests import DialectFit, TrialCall
from assistant.model.types import one_line
from assistant.phone.errors import PhoneError
from assistant.phone.pairing import Invitation, PairingFailed, qr_lines
from assistant.secrets import SecretError, SecretLocation
from assistant.settings.load import SettingsError
from assistant.setup.core import FoundPhone, Setup
from assistant.text_layout import padded

_MODELS_SHOWN = 20


class NoMoreAnswers(Exception):
    """Standard input has ended."""


class SetupDialog(Protocol):
    """Where questions go and answers come from."""

    def say(self, line: str = "") -> None:
        """Print a line."""
        ...

    async def ask(self, question: str, *, hidden: bool = False) -> str:
        """Ask for a line; `hidden` does not show what is typed.

        Raises:
            NoMoreAnswers: there is no answer any more.
        """
        ...

    @property
    def colours(self) -> bool:
        """Whether colours can be shown."""
        ...


class Terminal:
    """Standard input and output. Answers may be typed or come from a pipe."""

    @property
    def colours(self) -> bool:
        """A real terminal that is not a dumb one."""
        return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"

    def say(self, line: str = "") -> None:
        """Print a line."""
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    async def ask(self, question: str, *, hidden: bool = False) -> str:
        """Ask for a line.

        Raises:
            NoMoreAnswers: standard input has ended.
        """
        return await asyncio.to_thread(self._read, question, hidden)

    def _read(self, question: str, hidden: bool) -> str:
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
    """Goes through phone, checks, model and test call; each part can be skipped."""

    def __init__(self, setup: Setup, lines: SetupDialog) -> None:
        self._setup = setup
        self._say = lines.say
        self._ask = lines.ask
        self._colours = lines.colours

    async def run(self) -> bool:
        """Go through all parts; whether phone and model work at the end."""
        try:
            phone = await self._phone()
            checked = await self._checks() if phone else False
            model = await self._model()
            fits = await self._trial() if model else False
        except NoMoreAnswers:
            self._say()
            self._say(_("No more answers. What was chosen so far is kept."))
            return False
        self._say()
        if checked and fits:
            self._say(_("All is set. Start with: assistant"))
        else:
            self._say(_("Not all is set. What is missing: assistant doctor"))
        return checked and fits

    async def _phone(self) -> bool:
        self._title(_("Phone"))
        while True:
            phones = await self._found()
            known = self._setup.settings.phone.serial
            ways = (_("connect by address"), _("pair with a code"), _("pair with a QR code"))
            self._say("  " + "     ".join(f"{key}  {way}" for key, way in zip("apq", ways, strict=True)))
            keep = (
                _("enter keeps {known}").format(known=one_line(known))
                if known
                else _("enter takes the only one")
            )
            answer = (
                await self._ask(_("Number or letter, r to look again, s to skip, {keep}: ").format(keep=keep))
            ).lower()
            match answer:
                case "r":
                    continue
                case "s":
                    return bool(known)
                case "":
                    if known:
                        return True
                    done = len(phones) == 1 and await self._take(phones[0])
                case "a":
                    done = await self._joined(self._by_address)
                case "p":
                    done = await self._joined(self._by_code)
                case "q":
                    done = await self._joined(self._by_qr)
                case _ if answer.isdecimal() and 0 < int(answer) <= len(phones):
                    done = await self._take(phones[int(answer) - 1])
                case _:
                    done = False
            if done:
                return True
            self._say(_("No phone was chosen."))

    async def _found(self) -> list[FoundPhone]:
        try:
            phones = await self._setup.phones()
        except PhoneError as error:
            self._say(error.sentence)
            return []
        if not phones:
            self._say(_("No phone is connected. Plug one in with USB debugging on, or use its network."))
        for number, phone in enumerate(phones, start=1):
            self._say(
                f"  {number}  {one_line(phone.model or _('phone'))}  {one_line(phone.serial)}  {phone.words}"
            )
            if phone.advice:
                self._say(f"       → {phone.advice}")
        return phones

    async def _take(self, phone: FoundPhone) -> bool:
        if not phone.usable:
            self._say(phone.advice)
            return False
        return self._kept(lambda: self._setup.use_phone(phone.serial))

    async def _joined(self, way: Callable[[], Awaitable[str]]) -> bool:
        try:
            serial = await way()
        except PairingFailed as error:
            self._say(str(error))
            return False
        except PhoneError as error:
            self._say(error.sentence)
            return False
        return self._kept(lambda: self._setup.use_phone(serial))

    async def _by_address(self) -> str:
        return await self._setup.connect(await self._ask(_("Address, such as 192.168.1.20:5555: ")))

    async def _by_code(self) -> str:
        self._say(_("On the phone: Developer options, Wireless debugging, Pair device with pairing code."))
        address = await self._ask(_("IP address and port that it shows: "))
        return await self._setup.pair(address, await self._ask(_("Pairing code: ")))

    async def _by_qr(self) -> str:
        invitation = Invitation.fresh()
        self._say(_("On the phone: Developer options, Wireless debugging, Pair device with QR code."))
        for line in qr_lines(invitation.payload, inverted=not self._colours):
            self._say(f"\x1b[30;47m{line}\x1b[0m" if self._colours else line)
        self._say(_("Waiting for the phone, for two minutes at most."))
        return await self._setup.pair_scanned(invitation)

    async def _checks(self) -> bool:
        self._title(_("What the phone allows"))
        while True:
            findings = await self._setup.check_phone()
            for finding in findings:
                self._say(one_finding(finding))
            if all(finding.good for finding in findings):
                return True
            if (await self._ask(_("r to look again, enter to go on: "))).lower() != "r":
                return False

    async def _model(self) -> bool:
        self._title(_("Model"))
        known = self._setup.settings.model
        for number, preset in enumerate(PRESETS, start=1):
            self._say(f"  {number}  {padded(_(preset.title), 28)}  {preset.base_url or _(preset.hint)}")
        question = _("Number, enter to skip: ")
        if known.base_url and known.name:
            question = _("Number, enter keeps {name}: ").format(name=one_line(known.name))
        while True:
            answer = await self._ask(question)
            if not answer or answer.lower() == "s":
                return bool(known.base_url and known.name)
            if answer.isdecimal() and 0 < int(answer) <= len(PRESETS):
                if await self._endpoint(PRESETS[int(answer) - 1]):
                    return True
            else:
                self._say(_("That is no number from 1 to {count}.").format(count=len(PRESETS)))

    async def _endpoint(self, preset: Preset) -> bool:
        self._say(_(preset.hint))
        base_url = (
            await self._ask(_("Address [{default}]: ").format(default=preset.base_url)) or preset.base_url
        )
        key, place = "", SecretLocation.KEYRING
        if preset.needs_key or preset_of(base_url).needs_key or not preset.base_url:
            known = self._setup.has_key(base_url)
            key = await self._ask(
                _("Key [the one that is kept]: ") if known else _("Key, empty for none: "), hidden=True
            )
            if key:
                place = await self._place()
        names = await self._setup.model_names(base_url, key)
        if names:
            self._say(_("It has: {names}").format(names=one_line(", ".join(names[:_MODELS_SHOWN]), 600)))
        default = names[0] if len(names) == 1 else preset.example
        name = await self._ask(_("Model's name [{default}]: ").format(default=one_line(default))) or default
        return self._kept(lambda: self._setup.use_model(base_url, name, key, place))

    async def _place(self) -> SecretLocation:
        """Where the key goes; asked only where there is no keyring."""
        problem = self._setup.key_problem()
        if not problem:
            return SecretLocation.KEYRING
        self._say(problem)
        answer = await self._ask(_("Keep the key in a file that only you can read? [y/N]: "))
        if answer.lower() in ("y", "yes"):
            return SecretLocation.FILE
        self._say(_("Then set it before each start: export ASSISTANT_MODEL__API_KEY=…"))
        return SecretLocation.ENVIRONMENT

    async def _trial(self) -> bool:
        self._title(_("Test call"))
        self._say(_("The model is asked to tap a button of a sample screen."))
        trial = await self._setup.try_model()
        self._tell(trial)
        while trial.fit not in (DialectFit.HIT, DialectFit.UNANSWERED):
            names = ", ".join(dialect.name for dialect in registry.available())
            self._say(_("Dialects: {names}").format(names=names))
            answer = await self._ask(_("A dialect to try, all for each in turn, enter to leave it: "))
            if not answer:
                return False
            trial = await self._other(answer, trial)
        return trial.fit is DialectFit.HIT

    async def _other(self, answer: str, trial: TrialCall) -> TrialCall:
        if answer.lower() != "all":
            if self._kept(lambda: self._setup.use_dialect(registry.get(answer).name)):
                trial = await self._setup.try_model()
                self._tell(trial)
            return trial
        async with aclosing(self._setup.other_dialects(trial.dialect)) as trials:
            async for other in trials:
                self._tell(other)
                if other.fit is DialectFit.HIT:
                    self._kept(partial(self._setup.use_dialect, other.dialect))
                    return other
        self._say(_("No dialect fits. The model may not see pictures, or not be made for phones."))
        return trial

    def _tell(self, trial: TrialCall) -> None:
        mark = "ok" if trial.fit is DialectFit.HIT else "✗ "
        self._say(f"{mark}  {trial.dialect:12} {one_line(trial.sentence)}")
        if trial.point is not None:
            x, y = trial.point
            self._say(
                " " * 17
                + _("tap at {x:.3f}, {y:.3f} of the screen, {seconds:.1f} s").format(
                    x=x, y=y, seconds=trial.seconds
                )
            )
        if trial.thought:
            self._say(" " * 17 + _("it thought: {thought}").format(thought=one_line(trial.thought, 300)))
        if trial.advice:
            self._say(" " * 17 + f"→ {trial.advice}")

    def _kept(self, choose: Callable[[], str]) -> bool:
        try:
            self._say(one_line(choose()))
        except (SettingsError, SecretError, registry.UnknownDialect) as error:
            self._say(str(error))
            return False
        return True

    def _title(self, words: str) -> None:
        self._say()
        self._say(words)
        self._say("-" * cell_len(words))


def one_finding(finding: Check) -> str:
    """A finding as text that cannot leave its lines."""
    safe = Check(finding.part, finding.good, one_line(finding.found), one_line(finding.mend))
    return safe.line()

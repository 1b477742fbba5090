"""Types text: plain ASCII by `input text`, anything else through a keyboard that takes text from adb.

With the resident helper such text is pasted instead, which needs no other keyboard; a field that takes no
paste is set to it. What arrived is read from the screen: a keyboard that composes words makes others of the
letters of `input text`.

The user's own keyboard is written to a small JSON file before it is replaced, and put back afterwards or at
the next start. `system_key` tells of a touch of the user at the edge whether it was Back or Home.
Sources: AOSP InputShellCommand.java (`%s` is a space), ADBKeyBoard's README, uiautomator2's input method.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import re
import shlex
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.files import JsonFile
from assistant.phone.adb import Shell
from assistant.phone.errors import ActionRefused, Refusal
from assistant.phone.screen import ScreenSource
from assistant.phone.status import keyboard_shown, read_top_display
from assistant.phone.touches import (
    KEY_BACK,
    KEY_DELETE,
    KEY_ENTER,
    KEY_MOVE_END,
    KEY_TAB,
    Touch,
    find_error_line,
)
from assistant.phone.ui_tree import UiTree
from assistant.records import (
    HOME_SCREENS,
    Action,
    Click,
    Element,
    Observation,
    Point,
    PressBack,
    PressHome,
    Swipe,
)

_log = logging.getLogger(__name__)


class SavedKeyboards:
    """The user's own keyboard on each phone where another one is in its place."""

    def __init__(self, path: Path | None = None) -> None:
        self._note = JsonFile(path)

    def read(self, serial: str) -> str:
        """The keyboard to restore on a phone; empty if there is none."""
        keyboard = self._note.load().get(serial, "")
        return keyboard if isinstance(keyboard, str) else ""

    def write(self, serial: str, keyboard: str) -> None:
        """Remember the user's keyboard before it is replaced.

        Raises:
            ActionRefused: the file cannot be written; the keyboard must not be replaced.
        """
        try:
            self._note.change(lambda keyboards: keyboards | {serial: keyboard})
        except OSError as error:
            raise ActionRefused(Refusal.KEYBOARD_UNSAVED.format(reason=error.strerror)) from error

    def clear(self, serial: str) -> None:
        """Forget the keyboard, after it was restored."""
        try:
            self._note.change(
                lambda keyboards: {key: value for key, value in keyboards.items() if key != serial}
            )
        except OSError as error:
            # It is only restored once more.
            _log.warning("a note of the phone's keyboard stays: %s", error)


Look = Callable[[], Awaitable[UiTree | None]]
"""Reads the UI tree."""

_REFUSED = "WRITE_SECURE_SETTINGS"
_PIECE = 100
_BROADCAST_PIECE = 1000
_BIND_LIMIT = 5.0
_POLL = 0.02
_CHECK_LIMIT = 4.0
_LIST = (
    "ime list -a -s; echo '== enabled'; ime list -s; "
    "echo '== default'; settings get secure default_input_method"
)
_BOUND = "dumpsys input_method | grep -E 'mCur(Method)?Id=|(HaveConnection|HasMainConnection|BoundToMethod)='"
_SHOWN = "dumpsys input_method | grep -E 'mInputShown|mIsInputViewShown'"


_CLEAR_PIECE = 50
_CLEAR_LIMIT = 2000
_CLEAR_UNSEEN = 100
"""How many delete keys are sent to a field whose text cannot be read."""


@dataclass(frozen=True, slots=True)
class AdbKeyboard:
    """A keyboard that takes text in a broadcast.

    `action` and `extra` are those of the broadcast's intent. `proof` is in its answer if the text arrived.
    """

    component: str
    action: str
    extra: str
    proof: str = ""


ADB_KEYBOARDS = (
    AdbKeyboard("com.github.uiautomator/.AdbKeyboard", "ADB_KEYBOARD_INPUT_TEXT", "text", "success"),
    AdbKeyboard("com.android.adbkeyboard/.AdbIME", "ADB_INPUT_B64", "msg"),
)


@dataclass(frozen=True, slots=True)
class InstalledKeyboards:
    """The phone's input methods by component, the enabled ones among them, and the one in use."""

    installed: frozenset[str]
    enabled: frozenset[str]
    current: str

    def best(self) -> AdbKeyboard | None:
        """The keyboard for typing any script: the one in use if it can, else the first installed one."""
        able = [keyboard for keyboard in ADB_KEYBOARDS if keyboard.component in self.installed]
        return next((k for k in able if k.component == self.current), able[0] if able else None)


class PhoneKeyboard:
    """Types into the focused field of one phone.

    Methods raise `PhoneError` when the phone is lost. `may_be_replaced`: another keyboard may be in the place
    of the user's. It is true until the first `restore`, because an earlier run may have left one.
    """

    def __init__(self, shell: Shell, touch: Touch, source: ScreenSource, note: SavedKeyboards) -> None:
        self._shell = shell
        self._touch = touch
        self._source = source
        self._note = note
        self.may_be_replaced = True

    async def type(
        self,
        text: str,
        seen: Observation,
        look: Look | None = None,
        *,
        closes: bool = False,
    ) -> None:
        """Insert text at the cursor of the focused field; a newline at the end presses Enter.

        Args:
            text: what to type.
            seen: the screen on which it was chosen.
            look: reads the UI tree to check the field with, where no Enter follows.
            closes: put the keyboard away before that, if the text was pasted and it is up.

        Raises:
            ActionRefused: no field has focus, the phone has no way to type this, or it did not arrive.
        """
        text = text.replace("\r\n", "\n")
        body, enter = (text[:-1], True) if text.endswith("\n") else (text, False)
        if body:
            if seen.focused_field() is None and not seen.keyboard_shown:
                await self._require_focus()
            read = look if look is not None and not enter else self._source.tree
            before = seen.focused_field()
            try:
                proven = await (
                    self._type_ascii(body) if is_ascii(body) else self._insert(body, before, read, closes)
                )
                if not proven and (field := await self._read_otherwise(body, read)):
                    await self._type_anew(body, field, before, read)
            finally:
                # Also where the text came no further than the clipboard: it may be a secret.
                await self._touch.give_back_clipboard()
        if enter:
            await self._touch.key(KEY_ENTER)

    async def see_focus(self, seen: Observation, point: Point) -> Observation | None:
        """A page as it is once a touch at a point has given the focus to the field there, and did no more.

        None where that field is not the only one of its kind and empty, or the resident helper does not find
        that it has the focus.
        """
        field = seen.element_at(point)
        if field is None or not field.editable or not field.enabled or field.password:
            return None
        alike = [element for element in seen.elements if element.editable and _is_alike(element, field)]
        is_certain = len(alike) == 1 and bool(field.resource_id) and field.text in ("", field.hint)
        if not is_certain or not await self._touch.has_focus(field):
            return None
        elements = tuple(replace(element, focused=element is field) for element in seen.elements)
        return replace(seen, elements=elements, keyboard_shown=True)

    async def clear(self, seen: Observation) -> None:
        """Empty the focused field, key by key from its end.

        Raises:
            ActionRefused: no field has focus. Whether it got empty is seen on the next screen only.
        """
        field = seen.focused_field()
        if field is None and not seen.keyboard_shown:
            await self._require_focus()
        await self._delete(min(len(field.text), _CLEAR_LIMIT) if field else _CLEAR_UNSEEN)

    async def _delete(self, length: int) -> None:
        await self._touch.key(KEY_MOVE_END)
        for start in range(0, length, _CLEAR_PIECE):
            keys = [KEY_DELETE] * min(_CLEAR_PIECE, length - start)
            await self._touch.keys(keys)

    async def problem(self) -> str:
        """Why not every script can be typed, and what to do; empty if all can. Changes nothing."""
        return (await self._installed())[1]

    async def restore(self) -> None:
        """Restore the user's keyboard if this run or an earlier one replaced it."""
        before = self._note.read(self._shell.serial)
        if not before:
            self.may_be_replaced = False
            return
        output = await self._shell.perform(f"ime set {shlex.quote(before)}")
        if "selected" not in output.text or "cannot" in output.everything:
            await self._shell.perform("ime reset")
        self._note.clear(self._shell.serial)
        self.may_be_replaced = False

    async def _require_focus(self) -> None:
        if not keyboard_shown((await self._shell.run(_SHOWN)).text):
            raise ActionRefused(Refusal.NO_FIELD)

    async def _require_keyboard_here(self) -> None:
        """With several displays: a keyboard types on the one that has the focus of all.

        Raises:
            ActionRefused: that is another display, or the phone does not say which.
        """
        if self._touch.display and await read_top_display(self._shell) != self._touch.display:
            raise ActionRefused(Refusal.OTHER_DISPLAY)

    async def _insert(self, text: str, before: Element | None, look: Look, closes: bool = False) -> bool:
        """Paste a text, or type it with a keyboard that takes any; whether it is proven to have arrived."""
        try:
            is_pasted = await self._touch.paste(text)
        except ActionRefused:
            now = await self._read_field(look) if self._touch.sets_text else None
            if now is None or not await self._set_empty(text, before, now, look):
                raise
            return True
        if is_pasted and closes and keyboard_shown((await self._shell.run(_SHOWN)).text):
            # Back goes to the keyboard as long as that is up. Where it composes words it would drop them, so
            # this is for what was pasted.
            with suppress(ActionRefused):
                await self._touch.key(KEY_BACK)
        return False if is_pasted else await self._type_any(text)

    async def _set_empty(self, text: str, before: Element | None, now: Element, look: Look) -> bool:
        """Set a field to a text that could not be pasted; returns false where that cannot be done.

        Only one that was empty, and is as it was: what stands there would be replaced. Not one for a
        password, which cannot be checked.

        Raises:
            ActionRefused: another text stands there now.
        """
        was_empty = before is not None and before.text in ("", before.hint)
        if before is None or not was_empty or now.text != before.text or now.password:
            return False
        if not self._touch.sets_text or not await self._touch.set_text(now, text):
            return False
        field = await self._read_field(look)
        if field is not None and not is_same_text(field.text, text):
            raise ActionRefused(Refusal.OTHERWISE_TYPED.format(text=field.text))
        return True

    async def _type_ascii(self, text: str) -> bool:
        for piece in input_text_arguments(text):
            if piece in ("\n", "\t"):
                await self._touch.key(KEY_ENTER if piece == "\n" else KEY_TAB)
            else:
                await self._touch.text(shlex.quote(piece))
        return False

    async def _type_any(self, text: str) -> bool:
        await self._require_keyboard_here()
        installed, problem = await self._installed()
        keyboard = installed.best()
        if keyboard is None:
            raise ActionRefused(problem)
        if installed.current == keyboard.component:
            return await self._broadcast(keyboard, text)
        self.may_be_replaced = True
        # If an earlier run saved the user's keyboard, the phone's current one is not the user's.
        if not self._note.read(self._shell.serial):
            self._note.write(self._shell.serial, installed.current)
        try:
            await self._switch_to(keyboard, keyboard.component in installed.enabled)
            proven = await self._broadcast(keyboard, text)
        except ActionRefused:
            await self.restore()
            raise
        await self.restore()
        return proven

    async def _installed(self) -> tuple[InstalledKeyboards, str]:
        """The phone's keyboards, and why none of them types every script (empty if one does).

        OPPO's system refuses `ime` until permission monitoring is off, but the keyboard in use still works.
        """
        output = await self._shell.run(_LIST)
        if _REFUSED in output.everything:
            current = parse_keyboards(output.text).current
            installed = InstalledKeyboards(frozenset({current}), frozenset({current}), current)
            return installed, "" if installed.best() else Refusal.KEYBOARD_FORBIDDEN
        installed = parse_keyboards(output.text)
        return installed, "" if installed.best() else Refusal.NO_KEYBOARD

    async def _switch_to(self, keyboard: AdbKeyboard, enabled: bool) -> None:
        component = shlex.quote(keyboard.component)
        if not enabled:
            await self._shell.perform(f"ime enable {component}")
        output = await self._shell.perform(f"ime set {component}")
        if "selected" not in output.text or "cannot" in output.everything:
            raise ActionRefused(Refusal.KEYBOARD_STAYS.format(reason=find_error_line(output.everything)))
        limit = time.monotonic() + _BIND_LIMIT
        while not is_bound((await self._shell.run(_BOUND)).text, keyboard.component):
            if time.monotonic() > limit:
                raise ActionRefused(Refusal.KEYBOARD_DEAD)
            await asyncio.sleep(_POLL)

    async def _broadcast(self, keyboard: AdbKeyboard, text: str) -> bool:
        for start in range(0, len(text), _BROADCAST_PIECE):
            encoded = base64.b64encode(
                text[start : start + _BROADCAST_PIECE].encode("utf-8", "replace")
            ).decode()
            output = await self._shell.perform(
                f"am broadcast -a {keyboard.action} --es {keyboard.extra} {encoded}"
            )
            if "Broadcast completed" not in output.text or keyboard.proof not in output.text:
                raise ActionRefused(Refusal.NOT_TYPED.format(reason=find_error_line(output.everything)))
        return bool(keyboard.proof)

    async def _read_otherwise(self, text: str, look: Look) -> Element | None:
        """The field, if the UI tree shows another text in it than was typed."""
        field = await self._read_field(look)
        return field if field is not None and not contains_typed(field, text) else None

    async def _read_field(self, look: Look) -> Element | None:
        """The focused field; None where the UI tree does not come in time, or shows none."""
        try:
            async with asyncio.timeout(_CHECK_LIMIT):
                tree = await look()
        except TimeoutError:
            return None
        return next((e for e in tree.elements if e.focused and e.editable), None) if tree else None

    async def _type_anew(self, text: str, now: Element, before: Element | None, look: Look) -> None:
        """Type a text in another way where the user's keyboard has composed other words of its letters.

        So do keyboards for Chinese, Japanese and Vietnamese. Only in a field that was empty: what stands
        there is then of this text alone. Not where keys that may send or submit were among it. A field of
        which a paste changed nothing is set to the text.

        Raises:
            ActionRefused: that is not the cause, or there is no other way; what was composed is deleted.
        """
        is_composed = is_ascii(text) and text.isprintable() and not is_ascii(now.text)
        if before is None or before.text == now.text or not is_composed or holds_still(before, now):
            if is_ascii(text) or not await self._set_empty(text, before, now, look):
                raise ActionRefused(Refusal.OTHERWISE_TYPED.format(text=now.text))
            return
        await self._delete(len(now.text))
        try:
            proven = await self._insert(text, before, look)
        except ActionRefused:
            # The next observation must not be that of before.
            left = await self._read_otherwise(text, look)
            if left is None or left.text == before.text:
                raise ActionRefused(Refusal.COMPOSED.format(text=now.text)) from None
            raise
        field = None if proven else await self._read_otherwise(text, look)
        if field is not None and not await self._set_empty(text, before, field, look):
            raise ActionRefused(Refusal.OTHERWISE_TYPED.format(text=field.text))


def _is_alike(element: Element, field: Element) -> bool:
    kinds = ((each.class_name, each.package, each.resource_id) for each in (element, field))
    return len(set(kinds)) == 1


def is_ascii(text: str) -> bool:
    """Whether `input text` and key presses can type all of it."""
    return all(" " <= character <= "~" or character in "\n\t" for character in text)


def input_text_arguments(text: str) -> Iterator[str]:
    """Split plain text into arguments for `input text`, and the keys newline and tab.

    A space is written `%s`. A literal `%s` cannot be written in one argument, so it is split after the `%`.
    """
    for part in re.split(r"([\n\t])", text):
        if part in ("\n", "\t"):
            yield part
            continue
        for piece in re.split(r"(?<=%)(?=s)", part):
            for start in range(0, len(piece), _PIECE):
                yield piece[start : start + _PIECE].replace(" ", "%s")


def parse_keyboards(printed: str) -> InstalledKeyboards:
    """Read the answers to `ime list` and the default input method's setting."""
    components, _, rest = printed.partition("== enabled")
    enabled, _, current = rest.partition("== default")
    name = current.strip()
    return InstalledKeyboards(
        installed=frozenset(components.split()),
        enabled=frozenset(enabled.split()),
        current="" if name == "null" else name,
    )


def is_bound(lines: str, component: str) -> bool:
    """Whether lines of `dumpsys input_method` say that a keyboard is in use and connected."""
    in_use = re.findall(r"\bmCur(?:Method)?Id=(\S+)", lines)
    if not in_use or any(input_method != component for input_method in in_use):
        return False
    return not re.search(r"m(?:HaveConnection|HasMainConnection|BoundToMethod)=false", lines)


def contains_typed(field: Element, text: str) -> bool:
    """Whether a field contains the text, ignoring what fields change: case, spaces, separators."""
    if field.password:
        return True
    typed_characters = _bare(text)
    return not typed_characters or typed_characters in _bare(field.text)


def is_same_text(shown: str, text: str) -> bool:
    """Whether a field shows a text and no more, ignoring what fields change."""
    return shown == text or (_bare(text) != "" and _bare(shown) == _bare(text))


def holds_still(before: Element, now: Element) -> bool:
    """Whether a field still holds the text that it had before, wherever something was inserted; no hint."""
    text, longer = before.text, now.text
    return text not in ("", before.hint) and any(
        longer.startswith(text[:place]) and longer[place:].endswith(text[place:])
        for place in range(len(text) + 1)
    )


def _bare(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


_BAR_TOP = 0.95
"""Below this share of the screen's height lie the buttons of the system: 48 dp of some 900."""
_EDGE_WIDTH = 0.03
"""The share of the screen's width at its edges in which the gesture for Back begins: 30 of 1080 pixels."""


def system_key(action: Action, before: Observation | None, after: Observation | None) -> Action | None:
    """Back or Home, where a touch at the edge of the screen was that; None where it was anything else.

    Neither the buttons of the system nor its gestures are in the UI tree: what the touch did tells.

    Args:
        action: the touch, as a tap or a swipe.
        before: the screen that was touched; None where nobody looked.
        after: the screen behind it, in the same way.
    """
    if before is None or after is None or not _is_at_edge(action, before):
        return None
    if _is_home(after) and not _is_home(before):
        return PressHome()
    is_same = _words(before) == _words(after)
    if before.keyboard_shown:
        return PressBack() if is_same and not after.keyboard_shown else None
    is_other_page = before.app != after.app or (isinstance(action, Click) and not is_same)
    return PressBack() if is_other_page else None


def _is_at_edge(action: Action, screen: Observation) -> bool:
    match action:
        case Click(point=point) if point.y >= _BAR_TOP:
            hit = screen.element_at(point)
            return hit is None or not (hit.clickable or hit.editable)
        case Swipe(start=start, end=end):
            is_sideways = abs(end.x - start.x) > abs(end.y - start.y)
            return min(start.x, 1 - start.x) <= _EDGE_WIDTH if is_sideways else start.y >= _BAR_TOP
        case _:
            return False


def _is_home(screen: Observation) -> bool:
    return any(name in screen.app.package for name in HOME_SCREENS)


def _words(screen: Observation) -> list[tuple[str, str]]:
    return [(element.text, element.description) for element in screen.elements]

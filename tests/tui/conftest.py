"""What makes the interface's tests quick: nothing is painted that nobody looks at, no style is read twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from inspect import CO_VARARGS, CO_VARKEYWORDS
from time import process_time
from types import FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

import pytest
from textual import Logger, _callback, app, constants, pilot, strip
from textual._compositor import Compositor
from textual._context import active_app
from textual.css import match, stylesheet
from textual.css.model import RuleSet, Selector
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.message import Message
from textual.message_pump import MessagePump
from textual.reactive import Reactive

from assistant.tui.memory.widgets import MemoryList

_SOON = 0.02
"""Seconds: what happens within them is waited for, as Pilot's own `wait_for_idle` does."""
_FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
"""What a node keeps about the rules that may hold for it."""
_LIMIT = 30.0
"""Seconds that a loop may be at work without a pause, as long as Pilot waits for a screen."""


@pytest.fixture(autouse=True)
def letters_act_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A letter in the memory does not wait for another one; a test about that sets its own time."""
    monkeypatch.setattr(MemoryList, "hold_seconds", 0.001)


@pytest.fixture(scope="session", autouse=True)
def quick() -> Iterator[None]:
    """A headless app paints each change and throws it away; here only what a test looks at is painted.

    A style sheet is read once for each theme, and not once for each app; all sheets together are put in
    order once, and not whenever a screen of another app brings one more. Which rules hold for a widget is
    found out once for all widgets that no selector can tell apart, and the parts of one that has them already
    are not made again where they would be the same. Whether the last part of a selector fits is asked before
    its path is walked. A rule is hashed by its identity as before, but in C: it is done a hundred times for
    each widget. What was cut out of a line, which lives for one test at most, is kept in plain dicts. A
    reactive attribute is read without asking three times whether it is there. Which methods of a class take a
    message is found out once, but where a selector of `on` has a say in it. How many parameters a function
    takes is read from its code. No line is made for a log that nobody keeps. Pilot waits for the screen by a
    message to each widget, which were two of three of all messages; a loop at rest tells that each has read
    its own.
    """
    paint, read, check = Compositor.render_update, Stylesheet._parse_rules, match._check_selectors
    put_in_order, styled_once, methods_found_once = Stylesheet.parse, StyledOnce(), MethodsFoundOnce()
    known: dict[tuple[object, ...], Any] = {}
    ordered: dict[tuple[object, ...], tuple[list[RuleSet], dict[str, list[RuleSet]]]] = {}

    def paint_when_looked_at(self: Compositor, full: bool = False, **how: Any) -> Any:
        if full or not active_app.get().is_headless:
            return paint(self, full=full, **how)
        self._dirty_regions.clear()
        return None

    def read_once(self: Stylesheet, css: str, *rest: Any, **how: Any) -> Any:
        key = (css, *rest, *how.items(), *self._variables.items())
        if key not in known:
            known[key] = read(self, css, *rest, **how)
        return known[key]

    def put_in_order_once(self: Stylesheet) -> None:
        key = (*self.source.items(), *self._variables.items())
        if key not in ordered:
            put_in_order(self)
            ordered[key] = self._rules, self.rules_map
        self._rules, self._rules_map = ordered[key]
        self._require_parse = False

    def check_last_first(selectors: list[Selector], path: list[DOMNode]) -> bool:
        return selectors[-1].check(path[-1]) and check(selectors, path)

    read_reactive: Any = Reactive.__get__
    not_computed: set[tuple[type[Any], Reactive[Any]]] = set()

    def read_at_once(self: Reactive[Any], obj: Any, obj_type: type[Any]) -> Any:
        if (type(obj), self) in not_computed and self.internal_name in obj.__dict__:
            return obj.__dict__[self.internal_name]
        if obj is not None and not hasattr(type(obj), self.compute_name):
            not_computed.add((type(obj), self))
        return read_reactive(self, obj, obj_type)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stylesheet, "_check_selectors", check_last_first)
        patch.setattr(Compositor, "render_update", paint_when_looked_at)
        patch.setattr(Stylesheet, "_parse_rules", read_once)
        patch.setattr(Stylesheet, "parse", put_in_order_once)
        patch.setattr(Stylesheet, "apply", lambda *which, **how: styled_once.apply(*which, **how))
        patch.setattr(Stylesheet, "replace_rules", staticmethod(styled_once.replace_rules))
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        patch.setattr(strip, "FIFOCache", lambda size: {})
        patch.setattr(Reactive, "__get__", read_at_once)
        patch.setattr(MessagePump, "_get_dispatch_methods", lambda *of: methods_found_once.find(*of))
        patch.setattr(_callback, "_count_parameters", count_parameters)
        if not constants.LOG_FILE:
            patch.setattr(Logger, "event", property(lambda self: self))
            patch.setattr(Logger, "verbosity", lambda self, verbose: self)
            patch.setattr(Logger, "__call__", lambda self, *what, **named: None)
        patch.setattr(app, "wait_for_idle", wait_until_idle)
        patch.setattr(pilot, "wait_for_idle", wait_until_idle)
        patch.setattr(pilot.Pilot, "_wait_for_screen", wait_until_read)
        yield


_count_parameters = _callback._count_parameters
_SIGNED = frozenset(("__signature__", "__wrapped__"))
"""What makes the signature of a function another one than that of its code."""


def count_parameters(function: Any) -> int:
    """How many parameters a function takes; Textual makes the signature of each new lambda and partial."""
    if isinstance(function, MethodType):
        return count_parameters(function.__func__) - 1
    if not isinstance(function, FunctionType) or not _SIGNED.isdisjoint(vars(function)):
        return _count_parameters(function)
    code = function.__code__
    others = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_argcount + code.co_kwonlyargcount + others


class MethodsFoundOnce:
    """Which methods of a class take a message is found out once, but where `on` has a say in it."""

    def __init__(self) -> None:
        self._find: Any = MessagePump._get_dispatch_methods
        self._known: dict[tuple[type[Any], str, type[Any]], list[tuple[type[Any], Any]] | None] = {}

    def find(self, pump: MessagePump, name: str, message: Message) -> Iterator[tuple[type[Any], Any]]:
        """In place of `MessagePump._get_dispatch_methods`."""
        key = (type(pump), name, type(message))
        if key not in self._known:
            self._known[key] = self._named(*key)
        methods = self._known[key]
        if methods is None:
            yield from self._find(pump, name, message)
            return
        for cls, method in methods:
            if message._no_default_action:
                return
            yield cls, method.__get__(pump, cls)

    def _named(self, kind: type[Any], name: str, message: type[Any]) -> list[tuple[type[Any], Any]] | None:
        """The methods that take a message by their name; None where others do by the decorator `on`."""
        methods = []
        for cls in kind.__mro__:
            if not vars(cls).get("_decorated_handlers", {}).keys().isdisjoint(message.__mro__):
                return None
            method = vars(cls).get(f"_{name}") or vars(cls).get(name)
            if method is not None and not getattr(method, "_textual_on", None):
                methods.append((cls, method))
        return methods


class StyledOnce:
    """What the rules of a style sheet ask is found out once for all nodes that no selector can tell apart."""

    def __init__(self) -> None:
        self._apply, self._replace = Stylesheet.apply, Stylesheet.replace_rules
        self._asked: dict[tuple[int, frozenset[str]], tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._known: dict[tuple[object, ...], tuple[Any, dict[str, bool], dict[str, Any] | None]] = {}
        self._replaced: WeakKeyDictionary[DOMNode, Any] = WeakKeyDictionary()
        self._parts_asked: dict[tuple[int, type[DOMNode]], tuple[str, ...]] = {}
        self._parts: dict[tuple[object, ...], dict[str, Any]] = {}

    def apply(
        self, sheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: dict[Any, Any] | None = None
    ) -> None:
        """In place of `Stylesheet.apply`, whose cache is for the children of one node alone."""
        order = id(sheet.rules)
        names = frozenset(sheet.rules_map.keys() & node._selector_names)
        if (order, names) not in self._asked:
            rules = (rule for name in names for rule in sheet.rules_map[name])
            self._asked[order, names] = _pseudo_classes(rules)
        above, own = self._asked[order, names]
        *ancestors, _ = node.css_path_nodes
        key = (order, _seen(node, own), *(_seen(ancestor, above) for ancestor in ancestors))
        if key not in self._known:
            self._replaced.pop(node, None)
            self._apply(sheet, node, animate=animate)
            flags = {flag: vars(node)[flag] for flag in _FLAGS}
            written = None if animate else dict(node.styles.base._rules)
            self._known[key] = self._replaced.pop(node, None), flags, written
            return
        rules_of_node, flags, written = self._known[key]
        vars(node).update(flags)
        if rules_of_node is not None and animate:
            self._animate(node, rules_of_node)
        elif rules_of_node is not None and written is not None:
            self._write(node, rules_of_node, written)
        elif rules_of_node is not None:
            self._replace(node, rules_of_node)
            self._known[key] = rules_of_node, flags, dict(node.styles.base._rules)
        self._style_parts(sheet, node)

    def _style_parts(self, sheet: Stylesheet, node: DOMNode) -> None:
        """In place of `Stylesheet._process_component_classes`, which makes a node of each part every time."""
        names = node._get_component_classes()
        if not names:
            return
        kind = id(sheet.rules), type(node)
        if kind not in self._parts_asked:
            selectors = {"*", DOMNode._css_type_name, *(f".{name}" for name in names)}
            rules = (rule for name in selectors & sheet.rules_map.keys() for rule in sheet.rules_map[name])
            self._parts_asked[kind] = _pseudo_classes(rules)[1]
        key = (kind, *(_seen(above, self._parts_asked[kind]) for above in node.css_path_nodes))
        have = {name: styles.base._rules for name, styles in node._component_styles.items()}
        if key not in self._parts or have != self._parts[key]:
            sheet._process_component_classes(node)
            self._parts[key] = {name: dict(part.base._rules) for name, part in node._component_styles.items()}

    def _animate(self, node: DOMNode, rules: Any) -> None:
        """Let a node go over to its rules, as Textual does: where it has them already, nothing is done.

        Without transitions no rule is animated. Then only those that differ are set, and nobody asks what
        each of a hundred rules is that neither the old nor the new ones have.
        """
        base: Any = node.styles.base
        if base._rules == rules:
            return
        if rules.get("transitions"):
            self._replace(node, rules, animate=True)
            return
        for name in base._rules.keys() | rules.keys():
            if base._rules.get(name) != rules.get(name):
                setattr(base, name, rules.get(name))
        node.notify_style_update()

    def _write(self, node: DOMNode, rules: Any, written: Any) -> None:
        """Give a node its rules, of which is known what they make of it: a rule set again changes nothing."""
        base = node.styles.base
        if base._rules != written and (base._rules or node._is_mounted):
            self._replace(node, rules)
            return
        if base._rules != written:
            # It is not shown yet, so that nobody needs to look at it again for each of its rules.
            base.merge_rules(written)
            node._nodes.updated()
        node.notify_style_update()

    def replace_rules(self, node: DOMNode, rules: Any, animate: bool = False) -> None:
        """In place of `Stylesheet.replace_rules`: by it `apply` tells which rules it found."""
        self._replaced[node] = rules
        self._replace(node, rules, animate=animate)


def _pseudo_classes(rules: Iterable[RuleSet]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What rules ask of a node's ancestors, and of the node itself, besides names and classes."""
    paths = [selectors.selectors for rule in rules for selectors in rule.selector_set]
    above = {name for path in paths for selector in path[:-1] for name in selector.pseudo_classes}
    own = above.union(*(path[-1].pseudo_classes for path in paths))
    return tuple(above), tuple(own)


def _seen(node: DOMNode, pseudo_classes: tuple[str, ...]) -> tuple[object, ...]:
    """All of a node that a selector with these pseudo-classes can tell from another."""
    holds: Any = node._PSEUDO_CLASSES
    return (
        type(node),
        node._id,
        frozenset(node._classes),
        *(name for name in pseudo_classes if name in holds and holds[name](node)),
    )


async def wait_until_idle(min_sleep: float = _SOON, max_sleep: float = 1.0) -> None:
    """Wait until the loop has nothing to do, now or soon, and no thread of it works.

    Textual sleeps for 20 ms in its place, several times for each key, and guesses from the processor's time
    whether anything happened. The loop knows.
    """
    loop: Any = asyncio.get_running_loop()
    began = loop.time()
    idle = False
    while True:
        await asyncio.sleep(0)
        if loop._ready and loop.time() - began < _LIMIT:
            continue
        if idle or not _at_work(loop):
            return
        spent, waited = process_time(), loop.time() - began
        await asyncio.sleep(_SOON / 4)
        idle = waited >= max_sleep or (waited >= _SOON and process_time() - spent < _SOON / 20)


_wait_for_screen = pilot.Pilot._wait_for_screen


async def wait_until_read(self: pilot.Pilot[Any]) -> bool:
    """Wait until the app and each widget of its screen have read their messages.

    A loop can be at rest while a handler waits for something: then messages lie in its queue, and Pilot's own
    way waits until they are read.
    """
    await wait_until_idle(0)
    pumps = [self.app, *self.app.screen.walk_children(with_self=True)] if self.app._screen_stack else []
    return not any(pump.message_queue_size for pump in pumps) or await _wait_for_screen(self)


def _at_work(loop: Any) -> bool:
    threads = loop._default_executor
    if threads is not None and threads._idle_semaphore._value < len(threads._threads):
        return True
    soon = loop.time() + _SOON
    return any(timer._when <= soon and not timer._cancelled for timer in loop._scheduled)

"""The vocabulary of task descriptions: small functions that look at a view and may give the next step.

A rule gives a step, or None when it does not apply. In a task's list the first step wins.
Templates hold slots: `{who}` is replaced with what the instruction says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from assistant.records import Direction
from assistant.simulator.model.screen import Item, Wanted
from assistant.simulator.model.situation import Step, View

Rule = Callable[[View], Step | None]
Check = Callable[[View], bool]

SCROLLS = 10
"""How often a list is scrolled before a wanted entry counts as absent."""


@dataclass(frozen=True, slots=True)
class Task:
    """How one kind of instruction is carried out in one app.

    `patterns` are regular expressions whose named groups become slots; `defaults` fill slots that stay empty.
    `elsewhere` says what is due while another app is in front, before the task's own is opened.
    `corrections` read what the user says in mid-turn. `prepare` derives further slots. `app` has the app's
    English and Chinese label; empty for tasks that begin anywhere.
    """

    name: str
    app: tuple[str, str] | tuple[()]
    package: str
    patterns: tuple[str, ...]
    rules: tuple[Rule, ...]
    corrections: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    prepare: Callable[[dict[str, str], str], dict[str, str]] = lambda slots, instruction: slots
    also: tuple[str, ...] = ()
    elsewhere: tuple[Rule, ...] = ()


def when(check: Check, *rules: Rule) -> Rule:
    """The first step of the rules, where the check holds."""

    def rule(view: View) -> Step | None:
        if not check(view):
            return None
        return next((step for rule in rules if (step := rule(view))), None)

    return rule


def sees(*labels: str, least: int = 1, where: Wanted = lambda item: True) -> Check:
    """Whether any of the labels is on the screen."""
    return lambda view: view.screen.find(*view.filled(*labels), least=least, where=where) is not None


def page(*titles: str) -> Check:
    """Whether the title at the top of the page is one of these."""
    return lambda view: title(view, *titles) is not None


def title(view: View, *titles: str) -> Item | None:
    """The title at the top of the page, if it is one of these."""
    texts = view.filled(*titles)
    return (
        view.screen.find(*texts, least=3, where=lambda item: at_top(item) and not item.tappable)
        if texts
        else None
    )


def at_top(item: Item) -> bool:
    """Whether an element lies where pages have their title."""
    return item.point.y < 0.11


def holds(text: str, field: int = 0) -> Check:
    """Whether the page's n-th field contains a text."""

    def check(view: View) -> bool:
        fields = view.screen.fields
        return field < len(fields) and view.holds(fields[field], view.fill(text))

    return check


def given(slot: str) -> Check:
    """Whether the instruction says something about a slot."""
    return lambda view: bool(view.slots.get(slot))


def done(kind: str, detail: str = "") -> Check:
    """Whether such a step was done before."""
    return lambda view: view.did(kind, view.fill(detail)) > 0


def both(*checks: Check) -> Check:
    """Whether all checks hold."""
    return lambda view: all(check(view) for check in checks)


def either(*checks: Check) -> Check:
    """Whether any of the checks holds."""
    return lambda view: any(check(view) for check in checks)


def no(check: Check) -> Check:
    """Whether a check does not hold."""
    return lambda view: not check(view)


def tap(*labels: str, least: int = 1, where: Wanted = lambda item: True) -> Rule:
    """Tap the element that fits best, if there is one."""

    def rule(view: View) -> Step | None:
        texts = view.filled(*labels)
        matches = (
            view.screen.find(*texts, least=least, where=lambda item: item.enabled and where(item))
            if texts
            else None
        )
        return reach(view, matches) if matches else None

    return rule


def agree_to_delete(*questions: str) -> Rule:
    """Press the button of the dialog that asks, not the icon at the top of the page behind it."""
    return when(
        sees(*questions, least=4),
        tap("Delete", "删除", least=4, where=lambda item: item.kind == "button" and not at_top(item)),
    )


def reach(view: View, item: Item) -> Step:
    """Tap an element, after putting the keyboard away where it lies on top."""
    if view.screen.keyboard and item.point.y > KEYBOARD_TOP and view.just_did("press_back") < 2:
        return view.back(
            view.say(
                f"The keyboard covers “{item.name}”. I close it.", f"键盘挡住了“{item.name}”，先收起键盘。"
            )
        )
    return view.tap(item)


KEYBOARD_TOP = 0.6
"""Below this share of the screen's height an open keyboard hides what is there."""


def write(text: str, field: int = 0, *, submit: bool = False) -> Rule:
    """Put a text into the page's n-th field: focus it, type; with `submit` press Enter at last.

    An app that stands where it was left still holds what was typed then. The new text lands behind that: the
    field is emptied, and the text typed once more.
    """

    def rule(view: View) -> Step | None:
        filled_text, fields = view.fill(text), view.screen.fields
        if not filled_text or field >= len(fields):
            return None
        item = fields[field]
        if view.holds(item, filled_text):
            return view.enter() if submit else None
        if "focused" not in item.flags:
            return reach(view, item)
        if _spoilt(item.label, filled_text) and not view.just_did("clear"):
            return view.clear()
        return view.type(filled_text)

    return rule


def look_for(
    *labels: str, missing: Rule | None = None, direction: Direction = Direction.DOWN, limit: int = SCROLLS
) -> Rule:
    """Tap an entry of a list, scrolling until it shows; when it never does, do `missing`."""
    seen = tap(*labels)

    def rule(view: View) -> Step | None:
        texts = view.filled(*labels)
        step = seen(view)
        if step or not texts:
            return step
        lists = [item for item in view.screen.items if "scrollable" in item.flags and item.kind == "list"]
        if lists and view.may_scroll(limit):
            return view.scroll(direction, texts[0], lists[-1])
        if not lists and view.just_did("wait") < 2:
            return view.wait(
                view.say(f"“{texts[0]}” is not here yet. I wait.", f"还没看到“{texts[0]}”，等一下。")
            )
        return missing(view) if missing else None

    return rule


def search_entry(view: View) -> Step | None:
    """Tap what looks like a search field below the title of an app's first page."""
    item = view.screen.find(where=lambda item: item.tappable and 0.09 < item.point.y < 0.16)
    return view.tap(item) if item else None


def _spoilt(shown: str, new_text: str) -> bool:
    """Whether a field holds an address, or the wanted text behind another: typing more would not mend it."""
    address = " " not in shown and "." in shown[1:-1]
    return address or (shown != new_text and shown.endswith(new_text))


def _leave(view: View) -> Step:
    return view.back(view.say("The field holds something else. I go back.", "输入框里有别的内容，返回。"))


NOTHING = (
    "Nothing found",
    "Nothing found. Try other words.",
    "No such place",
    "No results",
    "没有找到",
    "没有找到，换个词试试。",
    "没有找到该地点",
    "没有结果",
)
"""What apps say when a search finds nothing."""


def search(query: str, choose: Rule, *entries: str, live: bool = False) -> Rule:
    """Search with the field at the top of a page and choose among the results.

    `entries` are what opens the search page. `live` results come while typing, others after Enter.
    """
    missing = give_up("“" + query + "” was not found.", "没有找到“" + query + "”。")

    def rule(view: View) -> Step | None:
        field = next((item for item in view.screen.fields if at_top(item)), None)
        if field is None:
            return tap(*entries, where=lambda item: item.tappable and item.point.y < 0.2)(view)
        if not view.holds(field, view.fill(query)):
            return _leave(view) if _spoilt(field.label, view.fill(query)) else write(query)(view)
        if not live and "focused" in field.flags:
            return view.enter()
        if view.screen.find(*NOTHING, least=4):
            return missing(view)
        return choose(view)

    return rule


def handle(view: View, row: Item) -> Item | None:
    """The switch, box or radio button that belongs to a row, or the row itself if it is one."""
    if row.flags & {"checked", "unchecked"}:
        return row
    marks = view.screen.beside(row, where=lambda item: bool(item.flags & {"checked", "unchecked"}))
    return marks[-1] if marks else None


def finish(english: str, chinese: str = "") -> Rule:
    """The goal is reached."""
    return lambda view: view.finish(view.say(english, chinese or english))


def give_up(english: str, chinese: str = "") -> Rule:
    """It cannot be done."""
    return lambda view: view.give_up(view.say(english, chinese or english))


def back(english: str, chinese: str = "") -> Rule:
    """Go back a page."""
    return lambda view: view.back(view.say(english, chinese or english))


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A task's pattern, in any case and without the politeness around an instruction."""
    return re.compile(
        rf"^\s*(?:please |could you |can you |i want to |请|帮我|麻烦)*(?:{text})[\s.!?。!?]*$", re.IGNORECASE
    )

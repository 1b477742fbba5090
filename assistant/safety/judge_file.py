"""What the guards say of an action on any screen: a file of screens and actions in, a judgement for each out.

A line of the file is a JSON object: `tree`, the XML that `uiautomator dump` printed; `action`, in the form of
a record, its points from 0 to 1; and, where known, `package`, the app in front, and `locale`, the language of
the phone. Nothing is performed. The trees come from any app, so nothing in them is trusted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from assistant.i18n import _
from assistant.phone.ui_tree import UnreadableTree, parse_tree
from assistant.records import ACTION, Element, ForegroundApp, Observation
from assistant.safety.classifier import judge

_SYSTEM_INTERFACE = "com.android.systemui"


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
        raise UnreadableLine(_("“action” is not an action in the form of a record.")) from error
    screen = observe_tree(values["tree"], str(values.get("package") or ""))
    risk = judge(action, screen)
    if risk is None:
        return {"kind": None, "sentence": ""}
    return {"kind": str(risk.kind), "sentence": risk.sentence, "cue": str(risk.cue)}


def observe_tree(xml: str, package: str = "") -> Observation:
    """The screen that a tree shows; its size is that of its windows, its app that of most elements.

    Raises:
        UnreadableLine: the XML is no UI tree.
    """
    try:
        elements = parse_tree(xml.encode("utf-8", "replace")).elements
    except UnreadableTree as error:
        raise UnreadableLine(_("“tree” cannot be read: {reason}").format(reason=error)) from error
    width = max((element.bounds.right for element in elements), default=0)
    height = max((element.bounds.bottom for element in elements), default=0)
    return Observation(
        width=max(1, width),
        height=max(1, height),
        screenshot=b"",
        elements=elements,
        app=ForegroundApp(package or _most_frequent_package(elements)),
    )


def _most_frequent_package(elements: tuple[Element, ...]) -> str:
    counts = Counter(element.package for element in elements if element.package)
    in_front = [(name, count) for name, count in counts.most_common() if name != _SYSTEM_INTERFACE]
    return in_front[0][0] if in_front else next(iter(counts), "")

"""What was done before, as far as the request says it: sentences that the stand-in once said, and calls.

Nothing is kept between requests. A sentence such as “Tap “Mom”.” tells what a past step touched; a call alone
tells its kind and its text, and no more: what its coordinates meant is forgotten.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assistant.records import (
    Action,
    Click,
    LongClick,
    OpenApp,
    Scroll,
    TypeText,
)
from assistant.simulator.model.situation import Past
from assistant.simulator.model.tokens import message_texts

_SENTENCES: Mapping[str, tuple[str, str]] = {
    "click": ("Tap “{}”.", "点“{}”。"),
    "long_click": ("Hold “{}”.", "长按“{}”。"),
    "type": ("Type “{}”.", "输入“{}”。"),
    "clear": ("Empty the field.", "清空输入框。"),
    "press_enter": ("Press Enter.", "按回车键。"),
    "scroll": ("Scroll {}.", "滑动{}。"),
    "swipe": ("Drag the finger.", "拖动手指。"),
    "press_back": ("Go back.", "返回上一页。"),
    "press_home": ("Go to the home screen.", "回到桌面。"),
    "open_app": ("Open “{}”.", "打开“{}”。"),
    "wait": ("Wait a moment.", "稍等片刻。"),
}
_ALSO: Mapping[str, str] = {
    "press_enter": "Press enter.",
    "press_back": "Press back.",
    "press_home": "Press home.",
    "open_app": "Open {}.",
    "wait": "Wait.",
}
"""How steps of others are told in plain words."""

_SAID = tuple(
    (kind, re.compile(re.escape(said).replace(r"\{\}", r"(?P<detail>[^\n]*?)")))
    for kind, said in (
        *((kind, said) for kind, both in _SENTENCES.items() for said in both),
        *_ALSO.items(),
    )
)
_NAMES: Mapping[str, str] = {
    "click": "click|tap|left_click|left_single|clickat",
    "long_click": "long_?click|long_?press|rightclick",
    "type": "type|type_name|input|input_text|write",
    "clear": "clear|clear_text",
    "press_enter": "press_enter|enter|keyboard_enter|key_enter",
    "press_back": "press_back|back|navigate_back|key_back",
    "press_home": "press_home|home|navigate_home|key_home",
    "scroll": "scroll|swipe|slide|drag",
    "open_app": "open_app|open|launch|awake",
    "wait": "wait",
    "take_over": "take_?over|interact|call_?user|hand_over",
}
_CALLED = re.compile(
    r"\"(?:action|action_type|name)\": ?\"(?P<json>[\w ]+)\"|\baction[:=]\"?(?P<key>[A-Za-z_ ]+)"
    r"|(?:^|[\s>.`])(?P<call>[A-Za-z_]+)\(|^(?P<bare>[A-Z_]+)\b",
    re.MULTILINE,
)
_BUTTON = re.compile(r"(?:button|key|PRESS|text)[\"']?[:=] ?[\"']?(?P<name>back|home|enter)\b", re.IGNORECASE)
_TEXT = re.compile(
    r"\b(?:text|content|value|app_name|app|name|TYPE|target_element|message)[\"']?[:=] ?"
    r"(?:\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<tab>[^\t\n\"'][^\t\n]*))"
)
_REMARKED = re.compile(
    r"(?P<said>.*?)(?: \| (?:by the user|replayed from memory))?"
    r"(?: \| not performed: (?P<error>(?:(?! \| not performed: ).)*))?"
)
_BEFORE = re.compile(r"Previous_step: (?:performed|(?:.*?)not performed: (?P<error>.*))")
_HEADING = re.compile(
    r"^[^\n:：]*(?:previous|past|history|so far|already|earlier|summary|memory"
    r"|历史|之前|已执行|过往)[^\n:：]*[:：][ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(
    r"(?:^|(?<=[;；] ))\s*(?:\d{1,3}[.:)]|Steps? ?\d{1,3}(?:[-–]\d{1,3})?\s*[-:：.]+|第\d{1,3}步[:：])\s*",
    re.MULTILINE,
)
_REFERENCE = re.compile(r"^.*For reference only: the screen and the instruction decide\..*$", re.MULTILINE)
_HOLDERS = ("mobile_use", "do", "finish", "computer_use")


def sentence(action: Action, label: str, chinese: bool) -> str:
    """A short imperative for an action; empty for what ends a turn."""
    if action.type not in _SENTENCES:
        return ""
    match action:
        case Click() | LongClick():
            detail = label
        case TypeText(text=text):
            detail = text
        case OpenApp(name=name):
            detail = name
        case Scroll(direction=direction):
            detail = direction.value
        case _:
            detail = ""
    return _SENTENCES[action.type][chinese].format(" ".join(detail.replace("”", '"').split()))


def told(past: Past, chinese: bool) -> str:
    """The sentence that tells a past step; empty for one that is not known."""
    return _SENTENCES[past.type][chinese].format(past.detail) if past.type in _SENTENCES else ""


def read_sentences(text: str) -> list[Past]:
    """The steps that a text tells in sentences, in order."""
    matches: dict[int, tuple[str, re.Match[str]]] = {}
    for kind, said in _SAID:
        for match in said.finditer(text):
            matches.setdefault(match.start(), (kind, match))
    return [Past(kind, match.groupdict().get("detail") or "") for _, (kind, match) in sorted(matches.items())]


def read_step(text: str, error: str = "") -> Past:
    """One past step: the last sentence that tells it, else its call."""
    steps = read_sentences(text)
    if steps:
        return Past(steps[-1].type, steps[-1].detail, error)
    return _read_call(text, error)


def _read_call(text: str, error: str) -> Past:
    names = [
        match[match.lastgroup or 0].strip().casefold().replace(" ", "_") for match in _CALLED.finditer(text)
    ]
    for name in names:
        button = (
            _BUTTON.search(text) if name in ("system_button", "key", "hotkey", "hot_key", "press") else None
        )
        kind = f"press_{button['name'].casefold()}" if button else _kind(name)
        if kind:
            return Past(
                kind, _text_of(text) if kind in ("click", "long_click", "type", "open_app") else "", error
            )
    return Past("unknown", text, error)


def _kind(name: str) -> str:
    return next((kind for kind, names in _NAMES.items() if re.fullmatch(names, name)), "")


def _text_of(text: str) -> str:
    for match in _TEXT.finditer(text):
        said = match["double"] or match["single"] or match["tab"] or ""
        if said and said not in _HOLDERS and not _kind(said.casefold()):
            return re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], said)
    return ""


def turns(messages: Sequence[dict[str, Any]]) -> Iterator[Past]:
    """The steps that a conversation shows: each answer, with what the message after it says of its failure.

    `messages` end with the one that asks for the next step.
    """
    for message, following in itertools.pairwise(messages):
        if message.get("role") != "assistant":
            continue
        calls = json.dumps([call.get("function") for call in message.get("tool_calls") or []])
        failed = _BEFORE.match("\n".join(message_texts(following)))
        said = "\n".join([*message_texts(message), calls if message.get("tool_calls") else ""])
        yield read_step(said, (failed["error"] or "") if failed else "")


def listed(text: str) -> Iterator[Past]:
    """The steps that a list behind a heading shows: numbered lines, or `Step 1: …; Step 2: …` on one.

    The steps of another order, which are told for reference, are none of this turn.
    """
    text = _REFERENCE.sub("", text)
    for heading in _HEADING.finditer(text):
        block = text[heading.end() :]
        entries = list(_ENTRY.finditer(block))
        if not entries or block[: entries[0].start()].strip():
            if summed := read_sentences(block.partition("\n")[0]):
                yield from summed
                return
            continue
        ends = [*(entry.start() for entry in entries[1:]), len(block)]
        for entry, end in zip(entries, ends, strict=True):
            yield from _entry(block[entry.end() : end].partition("\n")[0].rstrip("; "), entry[0])
        return


def _entry(line: str, number: str) -> Iterator[Past]:
    """The step of one line; several where a line sums up."""
    match = _REMARKED.fullmatch(line)
    said, error = (match["said"], match["error"] or "") if match else (line, "")
    steps = read_sentences(said)
    if len(steps) > 1 and re.search(r"\d[-–]\d", number):
        yield from steps
    else:
        yield read_step(said, error)

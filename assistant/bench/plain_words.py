"""A plain list of words on what a tap touches: the baseline that the guards are measured against."""

from __future__ import annotations

import re

from assistant.events import ActionKind
from assistant.records import Click, Observation, Target

_ENGLISH_STARTS: dict[ActionKind, tuple[str, ...]] = {
    ActionKind.PAY: (
        "pay",
        "buy",
        "purchase",
        "place order",
        "place the order",
        "order now",
        "submit order",
        "confirm order",
        "confirm payment",
        "confirm and pay",
        "transfer",
        "top up",
        "book now",
        "book ticket",
        "request ride",
    ),
    ActionKind.SEND: ("send", "publish", "call now", "forward to"),
    ActionKind.DELETE: ("delete", "erase", "clear all", "clear history", "uninstall", "remove all"),
}
"""A label that starts so does it, whatever follows: “Pay ¥32.00”."""

_ENGLISH_WHOLE: dict[ActionKind, tuple[str, ...]] = {
    ActionKind.PAY: ("subscribe", "book", "request", "confirm request"),
    ActionKind.SEND: ("post", "reply", "call", "dial", "share", "forward"),
    ActionKind.DELETE: ("remove", "discard"),
}
"""Words too common to judge by unless they are the whole label: “Book”, not “Book club”."""

_CHINESE: dict[ActionKind, tuple[str, ...]] = {
    ActionKind.PAY: (
        "支付",
        "付款",
        "购买",
        "下单",
        "提交订单",
        "转账",
        "充值",
        "订阅",
        "预订",
        "呼叫",
        "叫车",
    ),
    ActionKind.SEND: ("发送", "发布", "发表", "回复", "拨打", "分享", "转发", "发出"),
    ActionKind.DELETE: ("删除", "清空", "移除", "卸载", "丢弃"),
}

_LONGEST_LABEL = 40
"""A label longer than this is content that mentions a word, not a button that does it."""

_ENGLISH_PATTERNS = {
    kind: re.compile(
        rf"^\W*(?:(?:{'|'.join(_ENGLISH_STARTS[kind])})\b|(?:{'|'.join(_ENGLISH_WHOLE[kind])})\W*$)",
        re.IGNORECASE,
    )
    for kind in _ENGLISH_STARTS
}


def kind_by_words(tap: Click, seen: Observation) -> ActionKind | None:
    """The kind of a tap by the words of the element that it hits."""
    target = seen.target_at(tap.point)
    return kind_of_target(target) if target else None


def kind_of_target(target: Target) -> ActionKind | None:
    """What touching an element would do, by its words or, where it has none, by its id."""
    if target.class_name.endswith("EditText"):
        return None
    identifier = target.resource_id.rpartition("/")[2].replace("_", " ")
    for words in (target.text, target.description, "" if target.text or target.description else identifier):
        if words and len(words) <= _LONGEST_LABEL and (kind := _kind_of_words(words)):
            return kind
    return None


def _kind_of_words(words: str) -> ActionKind | None:
    for kind, pattern in _ENGLISH_PATTERNS.items():
        if pattern.match(words):
            return kind
    for kind, marks in _CHINESE.items():
        if any(mark in words for mark in marks):
            return kind
    return None

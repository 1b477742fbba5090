"""Names that a person can read, made from the names that programs give: resource ids and packages."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\da-zA-Z_]+")
_KINDS_BEFORE = frozenset(
    ("iv", "ib", "ic", "img", "btn", "bt", "tv", "et", "ll", "rl", "fl", "cl", "rv", "lv", "cv", "vp")
) | frozenset(("cb", "rb", "sw", "sb", "pb", "tb", "fab", "id"))
_KINDS_BEHIND = frozenset(("widget", "view", "button", "btn", "layout", "container", "iv", "tv"))
COMMON_PARTS = frozenset(
    (
        "com",
        "org",
        "net",
        "cn",
        "io",
        "app",
        "apps",
        "android",
        "google",
        "example",
        "mobile",
        "client",
        "main",
    )
)
"""Parts of package names that say nothing about one app."""

_RUN_TOGETHER = re.compile(
    r"(?<=[a-z]{3})(controller|installer|manager|launcher|provider|services?|settings|browser|player|picker|ui)$"
)
"""Words that packages of Android's own carry at the end of another."""


def element_name(resource_id: str) -> str:
    """What a resource id says of its element: `com.shop:id/iv_close` is `close`.

    What the element is made of is dropped, unless nothing would remain.
    """
    words = _words(resource_id.rpartition("/")[2])
    while len(words) > 1 and words[0] in _KINDS_BEFORE:
        del words[0]
    while len(words) > 1 and words[-1] in _KINDS_BEHIND:
        del words[-1]
    return " ".join(words)


def app_name(package: str) -> str:
    """What a package calls its app: `com.android.permissioncontroller` is `Permission controller`."""
    parts = package.split(".")
    telling = [part for part in parts if part.casefold() not in COMMON_PARTS]
    last = (telling or parts)[-1]
    name = " ".join(_words(_RUN_TOGETHER.sub(r"_\1", last)))
    return name[:1].upper() + name[1:]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]

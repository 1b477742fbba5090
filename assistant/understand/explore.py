"""Explore: which app on the phone most likely holds a missing piece, and a bounded look into it (PerPilot).

An errand is a task for the turn engine that only reads. The engine runs it in one app, with few steps, and
refuses every sensitive action; the answer is data and is checked before it counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.model.text import one_line, quoted
from assistant.understand.app_kinds import app_kinds, kinds_of, topics_in
from assistant.understand.complete import named_app
from assistant.understand.elements import Category, Element, Language, key
from assistant.understand.sources import LearntKinds
from assistant.understand.values import plain_value, usable

MOST_STEPS = 12
MOST_SECONDS = 90.0
_ABOUT_IT = 0.5
_NAMED = 0.4
_OTHERS, _OWN = "contacts", 0.4
"""Contacts tell of others; of the user themselves they seldom do."""
_LONGEST_LABEL = 60
_LONGEST_PLACE = 120
_NOTHING = frozenset(
    ("", "none", "unknown", "not found", "nothing", "n/a", "没有", "无", "未找到", "找不到", "没找到")
)


@dataclass(frozen=True, slots=True)
class Errand:
    """A read-only look into one app.

    `task` is the instruction for the turn; `element` is what its answer shall stand for.
    """

    element: Element
    app: str
    task: str
    max_steps: int = MOST_STEPS
    max_seconds: float = MOST_SECONDS


@dataclass(frozen=True, slots=True)
class Reading:
    """What an errand brought back: the value, and where on the phone it was read."""

    value: str
    place: str
    app: str


def likely_apps(
    element: Element, said: str, apps: Sequence[str], learnt: LearntKinds | None = None
) -> list[str]:
    """The apps that may hold what an element stands for, likeliest first.

    Args:
        element: what is missing.
        said: the whole command; an app that it names is likelier.
        apps: labels of the apps on the phone; one that reads like an order is left out.
        learnt: tells the kind of an app whose label has none of the known words.
    """
    kinds: dict[str, Mapping[str, float]] = {label: kinds_of(label) for label in apps if usable(label)}
    if learnt is not None:
        kinds |= learnt([label for label, several in kinds.items() if not several])
    named = named_app(said, apps)
    topics = topics_in(element.text) or topics_in(said)
    scored = []
    for place, (label, several) in enumerate(kinds.items()):
        score = max((sure * _chance(kind, element, topics) for kind, sure in several.items()), default=0.0)
        if score:
            scored.append((-score - (_NAMED if label == named else 0), place, label))
    return [label for _, _, label in sorted(scored)]


def errand_for(element: Element, said: str, app: str, language: Language) -> Errand:
    """The task to look an element up in an app, in the user's language."""
    where, what, command = one_line(app, _LONGEST_LABEL), quoted(element.text, 80), quoted(said, 300)
    if language is Language.ZH:
        lines = (
            f"在{where}里查出用户所说的{what}具体指什么（{_wanted(element, _WANTED_ZH, '确切名称')}）。",
            "只看不改：不要发送、支付、删除或修改任何内容，也不要搜索这几个字本身。",
            f"用户的原话是{command}。",
            "答案只写“值 | 在哪里看到的”；找不到就写“没有”。",
        )
        return Errand(element, app, "".join(lines))
    lines = (
        f"In {where}, find out what the user means by {what}: {_wanted(element, _WANTED, 'its exact name')}.",
        "Only look: send, pay, delete and change nothing, and do not search for these words themselves.",
        f"The user's command was {command}.",
        "Finish with the answer “VALUE | WHERE IT WAS READ”, or “none” when it is not there.",
    )
    return Errand(element, app, " ".join(lines))


def reading_of(errand: Errand, answer: str) -> Reading | None:
    """What the errand's answer says; None where it found nothing or what it found cannot be used."""
    value, _, place = one_line(answer).partition("|")
    value = plain_value(value)
    cut = value.endswith(("…", "..."))
    # A phone that has somebody under the user's very words answers with them.
    people = errand.element.category in (Category.PERSON, Category.GROUP)
    same = key(value) == key(errand.element.text) and not people
    if value.casefold().strip(".。") in _NOTHING or cut or same or not usable(value):
        return None
    return Reading(value, plain_value(place)[:_LONGEST_PLACE] or errand.app, errand.app)


def _chance(kind: str, element: Element, topics: frozenset[str]) -> float:
    holds = app_kinds()[kind].holds.get(element.category, 0.0)
    owned = element.category is Category.FACT and bool(element.owner)
    if kind == _OTHERS and element.category is Category.FACT and not owned:
        holds *= _OWN
    return holds + (_ABOUT_IT if kind in topics and not (element.named_on_phone or owned) else 0.0)


_WANTED = {
    Category.PERSON: "a name",
    Category.GROUP: "the group's name",
    Category.PLACE: "an address or a name",
    Category.TIME: "a time",
}
_WANTED_ZH = {
    Category.PERSON: "姓名",
    Category.GROUP: "群名",
    Category.PLACE: "地址或名称",
    Category.TIME: "时间",
}


def _wanted(element: Element, words: dict[Category, str], otherwise: str) -> str:
    return element.head if element.category is Category.FACT else words.get(element.category, otherwise)

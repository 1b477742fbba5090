"""Missing elements: which app to look into (explore), and what to ask the user (ask).

A lookup (PerPilot) is a read-only task for the turn engine, in one
app and with few steps; every sensitive action is refused. Its answer is data and is validated, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.i18n import _
from assistant.model.types import one_line, quoted
from assistant.understand.complete import find_named_app
from assistant.understand.slots import app_kinds, find_topics, kinds_from_label
from assistant.understand.types import (
    MAX_VALUE_LENGTH,
    Category,
    CommandLanguage,
    LearntKinds,
    MeaningCandidate,
    MeaningOrigin,
    PersonalizedElement,
    is_usable_value,
    normalize_key,
    normalize_value,
)

MAX_LOOKUP_STEPS = 12
MAX_LOOKUP_SECONDS = 90.0
_TOPIC_BONUS = 0.5
_NAMED_BONUS = 0.4
_CONTACTS, _OWN_FACT_FACTOR = "contacts", 0.4
"""Contacts hold facts about other people, seldom about the user."""
_LONGEST_LABEL = 60
_LONGEST_PLACE = 120
_NO_ANSWER = frozenset(
    ("", "none", "unknown", "not found", "nothing", "n/a", "没有", "无", "未找到", "找不到", "没找到")
)


@dataclass(frozen=True, slots=True)
class LookupTask:
    """A read-only lookup in one app: `task` is the instruction for the turn, `element` what it looks for."""

    element: PersonalizedElement
    app: str
    task: str
    max_steps: int = MAX_LOOKUP_STEPS
    max_seconds: float = MAX_LOOKUP_SECONDS


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The result of a lookup: the value, and where on the phone it was read."""

    value: str
    place: str
    app: str


def find_likely_apps(
    element: PersonalizedElement, command: str, apps: Sequence[str], learned_kinds: LearntKinds | None = None
) -> list[str]:
    """The apps that may hold the meaning of an element, likeliest first.

    Args:
        element: the missing element.
        command: the whole command; an app that it names is likelier.
        apps: labels of the apps on the phone; labels that read like an instruction are left out.
        learned_kinds: returns the kinds of apps whose label has none of the known words.
    """
    kinds: dict[str, Mapping[str, float]] = {
        label: kinds_from_label(label) for label in apps if is_usable_value(label)
    }
    if learned_kinds is not None:
        kinds |= learned_kinds([label for label, kind_scores in kinds.items() if not kind_scores])
    named_label = find_named_app(command, apps)
    topics = find_topics(element.text) or find_topics(command)
    scored = []
    for index, (label, kind_scores) in enumerate(kinds.items()):
        score = max(
            (
                score_of_kind * _app_score(kind, element, topics)
                for kind, score_of_kind in kind_scores.items()
            ),
            default=0.0,
        )
        if score:
            scored.append((-score - (_NAMED_BONUS if label == named_label else 0), index, label))
    return [label for _, _, label in sorted(scored)]


def make_lookup(
    element: PersonalizedElement, command: str, app: str, language: CommandLanguage
) -> LookupTask:
    """The lookup of an element in an app, with its task in the user's language."""
    where, what, quoted_command = (
        one_line(app, _LONGEST_LABEL),
        quoted(element.text, 80),
        quoted(command, 300),
    )
    if language is CommandLanguage.ZH:
        expected = _answer_kind(element, _ANSWER_ZH, "确切名称")
        lines = (
            f"在{where}里查出用户所说的{what}具体指什么（{expected}）。",
            "只看不改：不要发送、支付、删除或修改任何内容，也不要搜索这几个字本身。",
            f"用户的原话是{quoted_command}。",
            "答案只写“值 | 在哪里看到的”；找不到就写“没有”。",
        )
        return LookupTask(element, app, "".join(lines))
    expected = _answer_kind(element, _ANSWER, "its exact name")
    lines = (
        f"In {where}, find out what the user means by {what}: {expected}.",
        "Only look: send, pay, delete and change nothing, and do not search for these words themselves.",
        f"The user's command was {quoted_command}.",
        "Finish with the answer “VALUE | WHERE IT WAS READ”, or “none” when it is not there.",
    )
    return LookupTask(element, app, " ".join(lines))


def parse_lookup_answer(lookup: LookupTask, answer: str) -> LookupResult | None:
    """Parse the answer of a lookup; None if it found nothing, or a value that cannot be used."""
    value, _, place = one_line(answer).partition("|")
    value = normalize_value(value)
    truncated = value.endswith(("…", "..."))
    # A contact may have the user's own word as its name: "Mom".
    is_person = lookup.element.category in (Category.PERSON, Category.GROUP)
    repeats_element = normalize_key(value) == normalize_key(lookup.element.text) and not is_person
    if (
        value.casefold().strip(".。") in _NO_ANSWER
        or truncated
        or repeats_element
        or not is_usable_value(value)
    ):
        return None
    return LookupResult(value, normalize_value(place)[:_LONGEST_PLACE] or lookup.app, lookup.app)


def _app_score(kind: str, element: PersonalizedElement, topics: frozenset[str]) -> float:
    holds = app_kinds()[kind].holds.get(element.category, 0.0)
    owned = element.category is Category.FACT and bool(element.owner)
    if kind == _CONTACTS and element.category is Category.FACT and not owned:
        holds *= _OWN_FACT_FACTOR
    return holds + (_TOPIC_BONUS if kind in topics and not (element.named_on_phone or owned) else 0.0)


_ANSWER = {
    Category.PERSON: "a name",
    Category.GROUP: "the group's name",
    Category.PLACE: "an address or a name",
    Category.TIME: "a time",
}
_ANSWER_ZH = {
    Category.PERSON: "姓名",
    Category.GROUP: "群名",
    Category.PLACE: "地址或名称",
    Category.TIME: "时间",
}


def _answer_kind(element: PersonalizedElement, words: dict[Category, str], otherwise: str) -> str:
    return element.head if element.category is Category.FACT else words.get(element.category, otherwise)


_MAX_CHOICES = 4
_DO_NOT_REMEMBER = (
    "don't remember",
    "do not remember",
    "just this time",
    "only this time",
    "just once",
    "不要记住",
    "别记",
    "只这一次",
    "仅此一次",
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user, with answers to choose from, if there are any."""

    element: PersonalizedElement
    text: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """The user's answer, empty if there is none. Without `remember` it holds for this command only."""

    value: str
    remember: bool = True

    @property
    def candidate(self) -> MeaningCandidate | None:
        """The answer as a value for its element."""
        return (
            MeaningCandidate(self.value, MeaningOrigin.USER, 1.0, why=_("you said so just now"))
            if self.value
            else None
        )


def make_question(
    element: PersonalizedElement, candidates: Sequence[MeaningCandidate], language: CommandLanguage
) -> Question:
    """The question about a missing element."""
    element_text = one_line(element.text, 60)
    choices = tuple(
        dict.fromkeys(
            one_line(candidate.value, MAX_VALUE_LENGTH) for candidate in candidates if candidate.value
        )
    )[:_MAX_CHOICES]
    if language is CommandLanguage.ZH:
        text = f"“{element_text}”指{_ASKED_ZH.get(element.category, '什么')}？"
    else:
        text = f"{_ASKED.get(element.category, 'What')} is “{element_text}”?"
        if element.category is Category.FACT:
            text = f"What is “{element_text}”?"
        elif element.category in (Category.HABIT, Category.PAST):
            text = f"What is meant by “{element_text}”?"
    return Question(element, text, choices)


def parse_answer(question: Question, words: str) -> UserAnswer:
    """Parse the user's words: a number picks a choice; with “just this time” nothing is stored."""
    value = normalize_value(words)
    remember = True
    for phrase in _DO_NOT_REMEMBER:
        if phrase in value.casefold():
            at = value.casefold().index(phrase)
            value = (value[:at] + value[at + len(phrase) :]).strip(" ,.;，。；（）()")
            remember = False
    if value not in question.choices and value.isdecimal() and 1 <= int(value) <= len(question.choices):
        value = question.choices[int(value) - 1]
    same = normalize_key(value) == normalize_key(question.element.text)
    return UserAnswer("" if same else value[:MAX_VALUE_LENGTH], remember)


_ASKED = {
    Category.PERSON: "Who",
    Category.GROUP: "Which group",
    Category.PLACE: "Where",
    Category.TIME: "What time",
}
_ASKED_ZH = {
    Category.PERSON: "谁",
    Category.GROUP: "哪个群",
    Category.PLACE: "哪里",
    Category.TIME: "几点",
    Category.FACT: "多少或什么",
}

"""Ask: one question about what is still missing, with the likely answers as choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.i18n import _
from assistant.model.text import one_line
from assistant.understand.sources import Found, Origin
from assistant.understand.types import Category, Element, Language, normalize_key
from assistant.understand.values import MAX_VALUE_LENGTH, normalize_value

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
    """What the user is asked: the sentence, and answers to choose from, which may be none."""

    element: Element
    text: str
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the user answered; empty when nothing. Without `remember` it counts for this command only."""

    value: str
    remember: bool = True

    @property
    def candidate(self) -> Found | None:
        """The answer as a value for its element."""
        return Found(self.value, Origin.USER, 1.0, why=_("you said so just now")) if self.value else None


def make_question(element: Element, candidates: Sequence[Found], language: Language) -> Question:
    """The question about a missing element."""
    element_text = one_line(element.text, 60)
    choices = tuple(
        dict.fromkeys(
            one_line(candidate.value, MAX_VALUE_LENGTH) for candidate in candidates if candidate.value
        )
    )[:_MAX_CHOICES]
    if language is Language.ZH:
        text = f"“{element_text}”指{_ASKED_ZH.get(element.category, '什么')}？"
    else:
        text = f"{_ASKED.get(element.category, 'What')} is “{element_text}”?"
        if element.category is Category.FACT:
            text = f"What is “{element_text}”?"
        elif element.category in (Category.HABIT, Category.PAST):
            text = f"What is meant by “{element_text}”?"
    return Question(element, text, choices)


def parse_answer(question: Question, words: str) -> Answer:
    """The user's words as an answer: a number picks a choice, “just this time” keeps none."""
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
    return Answer("" if same else value[:MAX_VALUE_LENGTH], remember)


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

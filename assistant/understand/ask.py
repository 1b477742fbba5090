"""Ask: one question about what is still missing, with the likely answers as choices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.language import _
from assistant.model.text import one_line
from assistant.understand.elements import Category, Element, Language, key
from assistant.understand.sources import Found, Origin
from assistant.understand.values import LONGEST, plain_value

_CHOICES = 4
_KEEP_NOT = (
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
    def found(self) -> Found | None:
        """The answer as a value for its element."""
        return Found(self.value, Origin.USER, 1.0, why=_("you said so just now")) if self.value else None


def question_for(element: Element, candidates: Sequence[Found], language: Language) -> Question:
    """The question about a missing element."""
    said = one_line(element.text, 60)
    choices = tuple(dict.fromkeys(one_line(one.value, LONGEST) for one in candidates if one.value))[:_CHOICES]
    if language is Language.ZH:
        text = f"“{said}”指{_ASKED_ZH.get(element.category, '什么')}？"
    else:
        text = f"{_ASKED.get(element.category, 'What')} is “{said}”?"
        if element.category is Category.FACT:
            text = f"What is “{said}”?"
        elif element.category in (Category.HABIT, Category.PAST):
            text = f"What is meant by “{said}”?"
    return Question(element, text, choices)


def answer_of(question: Question, words: str) -> Answer:
    """The user's words as an answer: a number picks a choice, “just this time” keeps none."""
    plain = plain_value(words)
    remember = True
    for phrase in _KEEP_NOT:
        if phrase in plain.casefold():
            at = plain.casefold().index(phrase)
            plain = (plain[:at] + plain[at + len(phrase) :]).strip(" ,.;，。；（）()")
            remember = False
    if plain not in question.choices and plain.isdecimal() and 1 <= int(plain) <= len(question.choices):
        plain = question.choices[int(plain) - 1]
    same = key(plain) == key(question.element.text)
    return Answer("" if same else plain[:LONGEST], remember)


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

"""What a person typed, in pieces: the request, its details, habits told, and what says nothing of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from assistant.memory.profile.nodes import Strength, cleaned, is_chinese


class Part(StrEnum):
    """What a piece of an instruction is."""

    REQUEST = "request"
    DETAIL = "detail"
    HABIT = "habit"
    ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of an instruction; `sentence` is the number of the sentence that it stands in, from 0."""

    text: str
    part: Part
    strength: Strength
    sentence: int


_SENTENCES = re.compile(r"(?<=[.!?])\s+|[。！？；;\n]+")
_CLAUSES = re.compile(r",(?!\d)(?! (?:not too|nor|but not)\b)|，|\s[—–-]\s|——|：|:\s")
_EDGES = " \t.,;:!?，。；：！？"

_ONCE = re.compile(
    r"\b(just|only) (this|for) once\b|\bfor once\b|\bfor a change\b|\b(just|only) (for )?today\b"
    r"|\btoday only\b|\bthis time\b|\bone-off\b|\bexceptionally\b"
    r"|就这一?次|仅此一次|今天换换|换换口味|破例|偶尔|^这次",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(colleague|coworker|neighbou?r|boss|client|customer)s?\b|\bnot (for )?me\b|\bthat's not me\b"
    r"|\b(he|she|they) (wants?|likes?|prefers?|takes?|needs?|eats?|drinks?)\b"
    r"|同事|邻居|老板|客户|[他她](们)?(要|喜欢|想|爱)|不是我",
    re.IGNORECASE,
)
_SWITCHED = re.compile(
    r"\bfrom (now|today|this week) on\b|\bchanged my mind\b|\bnew habit\b|\bno longer\b|\bnot any ?more\b"
    r"|\b(switched|moved|changed) (over )?to\b|\bin future\b"
    r"|以后都?|从今|今后|改主意|改成|换成|新习惯|再也不|不再",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(usual(ly)?|always|never|prefer(red|ably)?|allergic|mostly|favou?rite|as (ever|always)|tend to)\b"
    r"|\bI(?:'d| would)? (?:really |only |just )?"
    r"(like|love|hate|trust|wear|take|need|eat|drink|watch|avoid|enjoy|rather)\b"
    r"|\bI(?:'m| am) (a|an|in no|not)\b|\bcan(?:'|no)?t (stand|take|eat|have|bear)\b"
    r"|\bdon't (mind|like|eat|drink|want)\b|\bmy (stomach|legs|back|skin)\b|\bmakes me\b|\bhave my own\b"
    r"|我(一般|都|只|总|最|从不|从来|宁愿|平时|习惯|喜欢|爱|不吃|不喝|不介意|讨厌|怕)|习惯|一直用|过敏"
    r"|受不了|闻不了|认准|照旧|照例|老样子|我.{0,3}(饭量|胃|腿|穿|不爱|不喜欢|自己有)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\b(I|I'm|I've|I'll|we|he|she|they|you|there)\b|\bit('s| is| was| has| should| will| \w+ed)\b",
    re.IGNORECASE,
)
# "The old one broke yesterday": a sentence about something else than the request.
_STORY = re.compile(
    r"^(my|our|the|this|that|his|her|their|some|if|sorry|thanks|tell|let|show)\b"
    r"(?!.*\b(one|version|option)s?,? please)",
    re.IGNORECASE,
)


def clauses(text: str) -> list[Clause]:
    """Take an instruction apart. What is for others or for this once is left out."""
    found: list[Clause] = []
    for number, sentence in enumerate(
        one for one in _SENTENCES.split(cleaned(text, 2000)) if one.strip(_EDGES)
    ):
        if _OTHERS.search(sentence):
            continue
        part, strength = _of_sentence(sentence, number)
        for place, piece in enumerate(one.strip(_EDGES) for one in _CLAUSES.split(sentence)):
            if _ONCE.search(piece):
                break
            if not piece:
                continue
            inner = Part.DETAIL if part is Part.REQUEST and place else part
            said = strength if strength is Strength.SWITCHED else _strength(piece, strength)
            found.append(Clause(piece, inner, said, number))
    return found


def sentences(text: str) -> list[str]:
    """The sentences about the user: for wordings that run over commas."""
    parts = (one.strip(_EDGES) for one in _SENTENCES.split(cleaned(text, 2000)))
    return [one for one in parts if one and not _OTHERS.search(one) and not _ONCE.search(one)]


def strength_of(sentence: str) -> Strength:
    """How firmly a sentence says what it says."""
    return _of_sentence(sentence, 1)[1]


def _of_sentence(sentence: str, number: int) -> tuple[Part, Strength]:
    if _SWITCHED.search(sentence):
        return Part.HABIT, Strength.SWITCHED
    if number == 0:
        return Part.REQUEST, Strength.IMPLIED
    if _STATED.search(sentence):
        return Part.HABIT, Strength.STATED
    if is_chinese(sentence) or _SUBJECT.search(sentence) or _STORY.match(sentence.strip()):
        return Part.ASIDE, Strength.IMPLIED
    return Part.DETAIL, Strength.IMPLIED


def _strength(piece: str, strength: Strength) -> Strength:
    return Strength.STATED if _STATED.search(piece) else strength

"""Words of an English command with their offsets, and what each can be in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.understand import english_words as words

_TOKEN = re.compile(
    r"(?P<quote>\"[^\"]*\"|“[^”]*”|‘[^’]*’|「[^」]*」|《[^》]*》|(?<!\w)'[^'\n]+'(?!\w))"
    r"|(?P<tail>(?<=\w)['’](?:s|m|re|ve|ll|d)\b|(?<=s)['’](?=\s))"
    r"|(?P<word>[^\W\d_]+(?:-[^\W\d_]+)*(?:n['’]t)?)"
    r"|(?P<number>[\d][\w:./,%-]*\w|\d)"
    r"|(?P<mark>\S)"
)


class Part(StrEnum):
    """What a word is in its place, as far as the closed classes tell."""

    NOUN = "noun"
    VERB = "verb"
    DETERMINER = "determiner"
    POSSESSIVE = "possessive"
    PRONOUN = "pronoun"
    PREPOSITION = "preposition"
    CONJUNCTION = "conjunction"
    AUXILIARY = "auxiliary"
    ADVERB = "adverb"
    OWNING = "owning"
    NUMBER = "number"
    NAME = "name"
    QUOTED = "quoted"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """A word or mark at `start`..`end` of the text; `lower` has its case and apostrophe folded."""

    start: int
    end: int
    text: str
    lower: str
    part: Part

    @property
    def capitalised(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[:1].isupper()


def tokenize(text: str, apps: Sequence[str] = ()) -> tuple[Token, ...]:
    """The tokens of a text. Words of app labels are names; quoted text is one token."""
    matches = [(match.lastgroup or "mark", match) for match in _TOKEN.finditer(text)]
    app_spans = _find_app_labels(text, apps)
    tokens: list[Token] = []
    for index, (group, match) in enumerate(matches):
        lower = match[0].lower().replace("’", "'")
        following = matches[index + 1][1][0].lower() if index + 1 < len(matches) else ""
        inside = any(start <= match.start() and match.end() <= end for start, end in app_spans)
        part = Part.NAME if inside and group == "word" else _classify_word(group, lower, tokens, following)
        tokens.append(Token(match.start(), match.end(), match[0], lower, part))
    return tuple(tokens)


def singular(word: str) -> str:
    """The lexicon's form of a noun."""
    for ending, instead in (("ies", "y"), ("ves", "fe"), ("ses", "s"), ("ches", "ch"), ("s", "")):
        if len(word) > len(ending) + 2 and word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return {"children": "child", "men": "man", "women": "woman"}.get(word, word)


def is_in_lexicon(token: Token, lexicon: Iterable[str]) -> bool:
    """Whether a word, as it is or in its singular, stands in a lexicon."""
    return token.lower in lexicon or singular(token.lower) in lexicon


def _find_app_labels(text: str, apps: Sequence[str]) -> list[tuple[int, int]]:
    """Where the labels of apps stand; a label that is a plain word counts only beside an opening word."""
    spans = []
    for label in apps:
        is_common_noun = singular(label.lower()) in _COMMON_NOUNS
        before = r"\b(?:open|launch|start|in|on|via|using|use)\s+(?:the\s+)?" if is_common_noun else r"\b"
        after = r"(?:\s+app)?\b(?!['’]s)" if is_common_noun else r"\b"
        pattern = before + "(" + re.escape(label) + ")" + after
        spans += [match.span(1) for match in re.finditer(pattern, text, re.IGNORECASE)]
    return spans


_COMMON_NOUNS = (
    words.KIN
    | words.FRIENDS
    | words.ROLES
    | words.PLACES
    | words.GROUPS
    | words.KINDS
    | words.MEDIA
    | words.CONTENT
    | words.DEVICE
    | words.FACTS
)
_CLOSED: tuple[tuple[frozenset[str], Part], ...] = (
    (words.POSSESSIVES | words.THIRD_POSSESSIVES, Part.POSSESSIVE),
    (words.DETERMINERS, Part.DETERMINER),
    (words.PRONOUNS, Part.PRONOUN),
    (words.CONJUNCTIONS, Part.CONJUNCTION),
    (words.PREPOSITIONS, Part.PREPOSITION),
    (words.AUXILIARIES, Part.AUXILIARY),
    (words.ADVERBS, Part.ADVERB),
)
_BEFORE_VERB = (Part.MARK, Part.CONJUNCTION, Part.PRONOUN, Part.AUXILIARY, Part.ADVERB, Part.QUOTED)


def _classify_word(group: str, lower: str, before: Sequence[Token], following: str) -> Part:
    if group == "quote":
        return Part.QUOTED
    if group == "number":
        return Part.NUMBER
    if group == "tail":
        return Part.OWNING if lower in ("'s", "'") else Part.AUXILIARY
    if group == "mark":
        return Part.PREPOSITION if lower == "@" else Part.MARK
    if lower in words.NUMBERS and lower != "one":
        return Part.NUMBER
    if lower == "that" and before and before[-1].part in (Part.NOUN, Part.NAME, Part.PRONOUN):
        return Part.CONJUNCTION
    for lexicon, part in _CLOSED:
        if lower in lexicon:
            return part
    return Part.VERB if _is_verb(lower, before, following) else Part.NOUN


def _is_verb(lower: str, before: Sequence[Token], following: str) -> bool:
    """Whether a word that can be a verb is one here, judged by its neighbours."""
    if lower in words.ALWAYS_VERBS:
        return not (before and before[-1].part in (Part.POSSESSIVE, Part.DETERMINER))
    if lower not in words.VERBS:
        return False
    if not before or before[-1].part in _BEFORE_VERB:
        return following not in ("'s", "’s")
    last = before[-1]
    if last.lower in ("to", "please", "then", "not"):
        return lower not in words.PLACES
    opens_object = following in words.DETERMINERS | words.POSSESSIVES | words.PRONOUNS
    if lower in words.TALKING and singular(following) in words.KIN | words.FRIENDS | words.ROLES:
        return True
    return last.part in (Part.NOUN, Part.NAME, Part.NUMBER) and opens_object

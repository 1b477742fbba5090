"""Verbs that say the opposite: "order" and "cancel", "turn on" and "turn off", 打开 and 关闭.

Sentence embeddings hardly part such instructions, so they are read here. A verb has a pole on one or more
axes; two instructions oppose each other when on some axis all verbs of one stand at the other pole than all
of the other's. Only verbs in a verb's place count, so that the name of a film or of a dish does not.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from assistant.memory.prototypes.terms import (
    CHINESE,
    CHINESE_CARRIERS,
    CHINESE_NOUNS,
    ENGLISH,
    PARTICLES,
    Poles,
)

Signature = frozenset[tuple[str, int]]
"""Axes with the pole, 1 or -1, at which an instruction's verbs stand."""

_TOKEN = re.compile(r"[a-z']+|[,.;:!?]")
_QUOTED = re.compile(r"《[^》]*》|“[^”]*”|「[^」]*」|\"[^\"]*\"|‘[^’]*’|『[^』]*』")
_LEAD_TEXT = """
please pls can could would will you i i'd i'm id we need want wanna like have got gotta to let's lets let
me help hey hi hello ok okay just kindly now go ahead try assistant also quickly then and so well us
"""
_LEAD = frozenset(_LEAD_TEXT.split())
_PREPOSITIONS = frozenset(
    ["on", "in", "with", "using", "use", "via", "from", "at", "through", "inside", "for"]
)
_NOT = frozenset(["don't", "dont", "never", "not", "without", "doesn't", "no"])
_DETERMINERS = frozenset(["a", "an", "some", "the", "one", "another", "two"])
_CLAUSE = frozenset([*",.;:!?", "and", "then", "but"])
_PARTICLE_SPAN = 7
_CHINESE_CLAUSE = re.compile("[，。；、！？,;!?]|然后|并且|接着|再|并|同时|以及")
_CHINESE_NOT = ("不要再", "别再", "不要", "不用", "不再", "无需", "无须", "别")
_CHINESE_BETWEEN = re.compile("^(?:给我|帮我|替我|让它|让|把)*")


@lru_cache(maxsize=65536)
def signature(instruction: str) -> Signature:
    """The poles of an instruction's verbs. Empty when no verb with an opposite is found."""
    plain = _QUOTED.sub(" ", unicodedata.normalize("NFKC", instruction).replace("’", "'").casefold())
    return frozenset(_english(plain) | _chinese(plain))


def oppose(left: str, right: str) -> bool:
    """Whether two instructions ask for opposite things."""
    return signatures_oppose(signature(left), signature(right))


def signatures_oppose(left: Signature, right: Signature) -> bool:
    """Whether on some axis all of one's verbs stand at the other pole than all of the other's."""
    for axis, pole in left:
        other = (axis, -pole)
        if other in right and other not in left and (axis, pole) not in right:
            return True
    return False


def _english(plain: str) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    tokens = _TOKEN.findall(plain)
    place = 0
    while place < len(tokens):
        end = place
        while end < len(tokens) and tokens[end] not in _CLAUSE:
            end += 1
        found |= _english_clause(tokens[place:end])
        place = end + 1
    return found


def _english_clause(tokens: list[str]) -> set[tuple[str, int]]:
    place = next((at for at, token in enumerate(tokens) if token not in _LEAD | _NOT), len(tokens))
    lead, denied = tokens[:place], sum(token in _NOT for token in tokens[:place])
    if place < len(tokens) and tokens[place] in _PREPOSITIONS:
        # "On Meituan order noodles": the verb comes a name later.
        known = [at for at in range(place + 2, min(place + 5, len(tokens))) if tokens[at] in ENGLISH]
        place = known[0] if known else len(tokens)
    if place >= len(tokens):
        return set()
    turned = -1 if denied % 2 else 1
    verb, rest = tokens[place], tokens[place + 1 :]
    if verb in ("stop", "quit") and rest and rest[0].endswith("ing"):
        turned, verb, rest = -turned, _infinitive(rest[0]), rest[1:]
    return {(axis, pole * turned) for axis, pole in _poles(verb, rest)} or _wished(lead, tokens[place:])


def _poles(verb: str, rest: list[str]) -> Poles:
    if verb in PARTICLES and (particle := _particle(PARTICLES[verb], rest)):
        return PARTICLES[verb][particle]
    return ENGLISH.get(verb, ())


def _wished(lead: list[str], rest: list[str]) -> set[tuple[str, int]]:
    """What a clause without a known verb asks for: "no alarm", "I need a car", "Wi-Fi off"."""
    if "no" in lead:
        return {("have", -1)}
    if rest[-1] in ("on", "off"):
        return {("run", 1 if rest[-1] == "on" else -1)}
    if rest[0] in _DETERMINERS and {"need", "want", "like"} & set(lead):
        return {("have", 1)}
    return set()


def _particle(known: dict[str, tuple[tuple[str, int], ...]], rest: list[str]) -> str:
    """The particle of a verb: right behind it, at the clause's end, else the first that is near."""
    span = rest[:_PARTICLE_SPAN]
    if span and span[0] in known:
        return span[0]
    if rest and rest[-1] in known:
        return rest[-1]
    return next((word for word in span if word in known), "")


def _infinitive(word: str) -> str:
    stem = word.removesuffix("ing")
    doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    return next((form for form in (stem, stem + "e", doubled) if form in ENGLISH), stem)


def _chinese(plain: str) -> set[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    for clause in _CHINESE_CLAUSE.split(CHINESE_NOUNS.sub("\u3000", plain)):
        found |= _chinese_clause(clause)
    return found


def _chinese_clause(clause: str) -> set[tuple[str, int]]:
    """The first verb, and the one after a verb that only leads to an app ("打开美团点面")."""
    found: set[tuple[str, int]] = set()
    place = 0
    while hit := _CHINESE_VERB.search(clause, place):
        verb, place = hit.group(), hit.end()
        if clause.startswith("的", place):
            continue
        turned = -1 if _denied(clause[: hit.start()]) else 1
        found |= {(axis, pole * turned) for axis, pole in CHINESE[verb]}
        if verb not in CHINESE_CARRIERS:
            break
    return found


def _denied(before: str) -> bool:
    for word in _CHINESE_NOT:
        _, found, between = before.rpartition(word)
        if found and not _CHINESE_BETWEEN.sub("", between):
            return True
    return False


_CHINESE_VERB = re.compile("|".join(sorted(map(re.escape, CHINESE), key=len, reverse=True)))

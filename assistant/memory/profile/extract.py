"""Finding facts and preferences without a model, in what a person typed and in what was done for them.

Only the user's own words and steps that ended well are read. What the assistant said, and what an app showed,
is never learnt here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from assistant.memory.profile import frames
from assistant.memory.profile.clauses import Clause, Part, clauses, sentences, strength_of
from assistant.memory.profile.lexicon import HABITS, Domain, Lexicon, Wording, lexicon
from assistant.memory.profile.nodes import WISH, Strength, cleaned, is_chinese, normalised
from assistant.memory.profile.refusing import trimmed, why_refused
from assistant.records import Outcome, Record

APP = "app"
"""The key of the app that is used for something."""

_LONGEST_SHOWN = 48
_SHARE = 0.4
"""The share of the likeliest domain's words from which another domain may be meant as well."""
# Stands for text that was read already.
_READ = "\0"
_SECRET = re.compile(
    r"\b(password|passcode|pin( code)?|cvv|cvc|otp|one-time code)\b|密码|验证码|口令", re.IGNORECASE
)
_FILLERS = re.compile(
    r"^(?:from (?:now|today) on,? |always |and |but |so |please |maybe |preferably |ideally |make it "
    r"|with (?=the |no )|i(?:'d| would) like (?:it )?)+"
    r"|(?:,? please|,? thanks|,? if possible)$|^(?:以后都?|今后都?|要|请|最好|麻烦|还要|而且)(?=.{2})",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"^(?:(?:a|an|one|some|my|the|usual|with|add|plus|and|of|cup|glass|bottle) )+"
    r"|^(?:再?[来加配要点]|[一两]?[杯瓶份])+(?=.{2})",
    re.IGNORECASE,
)
# How a detail begins that stands in a sentence of its own.
_FRAGMENT = re.compile(
    r"(?:with|without|in|on|at|near|no(?! need)|not|nothing|something|by|to|from|deliver|bring|leave|only"
    r"|size|under|pay|settle|put|charge|go for|hand|sold|close|as|direct|via|through|over|one|around|before"
    r"|after|during|an?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A value found for a key of an entity below a concept."""

    concept: str
    entity: str
    key: str
    text: str
    sense: str
    single: bool
    strength: Strength


def user_text(record: Record) -> str:
    """What the user themselves typed; an imported record without it has only its instruction."""
    return record.said or ("" if record.source in ("executed", "assistant") else record.instruction)


def tells_secret(text: str) -> bool:
    """Whether a text speaks of a password or a code: then nothing of it is learnt."""
    return bool(_SECRET.search(text))


def findings(record: Record, nearest_domain: Callable[[str], str] | None = None) -> list[Finding]:
    """What a record tells about its user.

    Args:
        record: one interaction.
        nearest_domain: names the domain of a text whose words tell none.
    """
    text = user_text(record)
    if not text or tells_secret(text):
        return []
    known = lexicon()
    pieces = clauses(text)
    domains = domains_of(text, pieces, known)
    if not domains:
        domains = [nearest_domain(text) if nearest_domain else HABITS]
    found: dict[tuple[str, str, str], Finding] = {}
    for one in (
        *_facts(text, domains[0]),
        *_details(pieces, domains, known),
        *_apps(record, pieces, domains, known),
    ):
        if (kept := _worth_keeping(one)) is not None:
            found.setdefault((kept.entity, kept.key, kept.sense), kept)
    return list(found.values())


def _worth_keeping(finding: Finding) -> Finding | None:
    """A finding without loose ends; None where nothing is left that is a value."""
    text = trimmed(finding.key, finding.text)
    if why_refused(finding.key, text):
        return None
    own = finding.sense == normalised(finding.text)
    return replace(finding, text=text, sense=normalised(text) if own else finding.sense)


def domains_of(text: str, pieces: Sequence[Clause], known: Lexicon) -> list[str]:
    """The domains that an instruction's words belong to, the likeliest first."""
    request = " ".join(one.text for one in pieces if one.part is Part.REQUEST)
    scores = {}
    for name, domain in known.domains.items():
        score = (
            2 * _length(domain.words, request) + 2 * _length(domain.apps, text) + _length(domain.words, text)
        )
        if score:
            scores[name] = score
    if not scores:
        # Then the wishes tell: reviews belong to a shop, floors to a hotel.
        for name in known.domains:
            if matches := sum(bool(one.pattern.search(text)) for one in known.wordings_of(name)):
                scores[name] = float(matches)
    least = _SHARE * max(scores.values(), default=0.0)
    return sorted((name for name in scores if scores[name] >= least), key=lambda name: -scores[name])


def _length(pattern: re.Pattern[str] | None, text: str) -> float:
    """How much of a text a pattern matches: a Latin word counts like two Chinese characters."""
    matches = pattern.finditer(text) if pattern else ()
    return sum(float(len(one[0])) if is_chinese(one[0]) else 2.0 for one in matches)


def _facts(text: str, domain: str) -> Iterator[Finding]:
    for sentence in sentences(text):
        strength = max_strength(strength_of(sentence), Strength.STATED)
        told = (frames.people, frames.places, frames.numbers)
        facts = [fact for frame in told for fact in frame(sentence)]
        for fact in (*facts, *frames.favourites(sentence, domain)):
            yield _finding(fact, strength)


def _finding(fact: frames.Fact, strength: Strength) -> Finding:
    text = cleaned(fact.text)
    return Finding(fact.concept, fact.entity, fact.key, text, normalised(text), fact.single, strength)


def max_strength(one: Strength, other: Strength) -> Strength:
    """The stronger of two."""
    order = list(Strength)
    return max(one, other, key=order.index)


def _details(pieces: Sequence[Clause], domains: Sequence[str], known: Lexicon) -> Iterator[Finding]:
    for piece in pieces:
        if piece.part is Part.ASIDE:
            continue
        found, rest = _preferences(piece, domains, known)
        found += _open_details(replace(piece, text=rest), domains, known)
        if not found and piece.part is not Part.REQUEST and _is_wish(piece, known):
            entity = known.domains[domains[0]].entity or known.domains[HABITS].entity
            text = shown(piece.text)
            found = [Finding(domains[0], entity, WISH, text, normalised(text), False, piece.strength)]
        yield from found


def _preferences(piece: Clause, domains: Sequence[str], known: Lexicon) -> tuple[list[Finding], str]:
    """What the lexicon's wordings tell in the likeliest domain that knows any, and the text without them."""
    rest = piece.text
    for name in domains:
        domain = known.domains[name]
        wordings = known.wordings_of(name) if domain.entity else ()
        matches = [(match, wording) for wording in wordings for match in wording.pattern.finditer(piece.text)]
        kept: list[tuple[re.Match[str], Wording]] = []
        for match, wording in sorted(matches, key=lambda pair: pair[0].start() - pair[0].end()):
            start, end = match.span()
            if _READ not in rest[start:end]:
                rest = rest[:start] + _READ * (end - start) + rest[end:]
                kept.append((match, wording))
        if kept:
            found = [_preference(domain, piece, match, wording, known) for match, wording in kept]
            return found, rest
    return [], rest


def _preference(
    domain: Domain, piece: Clause, match: re.Match[str], wording: Wording, known: Lexicon
) -> Finding:
    text = _text_of(piece, match, wording)
    sense = wording.sense or known.sense_of(text)
    return Finding(domain.name, domain.entity, wording.key, text, sense, True, piece.strength)


def _text_of(piece: Clause, match: re.Match[str], wording: Wording) -> str:
    """How a match is shown: in the user's words around it, where they are few and about nothing else."""
    if not wording.sense:
        return _COUNTED.sub("", cleaned(match[0]))
    whole = shown(_part_around(piece.text, match))
    return whole if piece.part is not Part.REQUEST and len(whole) <= _LONGEST_SHOWN else cleaned(match[0])


def _part_around(clause: str, match: re.Match[str]) -> str:
    """The part of a clause that a match stands in, cut at each "and" around it."""
    start = clause.rfind(" and ", 0, match.start() + 1)
    end = clause.find(" and ", max(match.end() - 1, 0))
    return clause[start + 5 if start >= 0 else 0 : end if end >= 0 else len(clause)]


def _open_details(piece: Clause, domains: Sequence[str], known: Lexicon) -> list[Finding]:
    facts: list[frames.Fact] = []
    if "Food" in domains:
        facts += frames.avoided(piece.text, known.domains["Food"].entity)
    if "Travel" in domains:
        facts += frames.company(piece.text, known.domains["Travel"].entity)
    stated = max_strength(piece.strength, Strength.STATED)
    return [_finding(fact, stated if fact.lasting else piece.strength) for fact in facts]


def _is_wish(piece: Clause, known: Lexicon) -> bool:
    """Whether a clause that says nothing known is still a wish, and not only the name of an app or a fact."""
    text = shown(piece.text)
    if piece.part is Part.DETAIL and piece.sentence and not _FRAGMENT.match(piece.text):
        return False
    if frames.is_card_number(text):
        return False
    facts = (frames.people, frames.places, frames.numbers)
    if any(True for frame in facts for _ in frame(piece.text)):
        return False
    if any(domain.apps and domain.apps.fullmatch(text) for domain in known.domains.values()):
        return False
    return 2 <= len(text) <= 2 * _LONGEST_SHOWN


def shown(clause: str) -> str:
    """A clause as a profile shows it: without fillers at its ends."""
    text = cleaned(clause)
    while (shorter := _FILLERS.sub("", text).strip(" .,;，。；")) != text:
        text = shorter
    return text


def _apps(
    record: Record, pieces: Sequence[Clause], domains: Sequence[str], known: Lexicon
) -> Iterator[Finding]:
    domain = known.domains[domains[0]]
    if not domain.entity:
        return
    named = _named_app(pieces, domain, known)
    app = named or (record.app if record.outcome is Outcome.SUCCESS else "")
    if app:
        yield Finding(domain.name, domain.entity, APP, app, known.sense_of(app), True, Strength.IMPLIED)


def _named_app(pieces: Sequence[Clause], domain: Domain, known: Lexicon) -> str:
    for one in (domain, *known.domains.values()):
        for piece in pieces:
            if one.apps and (found := one.apps.search(piece.text)):
                return found[0]
    return ""

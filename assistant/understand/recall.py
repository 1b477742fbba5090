"""Recall: what memory knows of an element. By alias, then from the profile, then from preference prototypes.

What is less sure than its bound is a candidate for a question, never a guess. A value that reads like an
order is refused the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from assistant.memory.him.prototype import Preference
from assistant.memory.him.states import hour_of
from assistant.records import State
from assistant.understand.app_kinds import kinds_of, topics_in
from assistant.understand.elements import (
    Category,
    Element,
    Language,
    Perceived,
    adverbial,
    headless,
    key,
    language_of,
)
from assistant.understand.objects import clock_of, destination_of, object_of, source_of
from assistant.understand.occasions import (
    at_hour,
    comes_at,
    deeds,
    going_to,
    hour_named,
    is_goal,
    is_shop,
    is_way,
    moment_meant,
    usual_hour,
)
from assistant.understand.openings import without_greeting
from assistant.understand.reasons import of_habit
from assistant.understand.sources import Fact, Found, Origin, Recalled, Sources
from assistant.understand.things import Near, has_word, nearness, only_akin, thing_named, told_in
from assistant.understand.values import gives_orders, plain_value, usable

FACT_BOUND = 0.3
"""The confidence below which a fact of the profile is only a candidate."""

_DISPUTED = 0.9 * FACT_BOUND

PREFERENCE_BOUND = 0.4
"""The share of all answers (see `memory.him.preferences`) below which a preference is only a candidate."""

OPEN_BOUND = 0.6
"""The same for what was not said at all: nobody asked for it, so it must be surer."""

_NEXT = re.compile(
    r"[;；。]|[,，]\s*(?:and )?(?:then|然后|再|并)|\b(?:and )?then\b|\band(?= \w+ (?:my|the|a)\b)"
    "|然后|接着|并且?(?!排)"
)
"""Where one wish of a command ends and the next begins."""
_LONG, _LONG_ZH = 40, 12
_BUDGET = 300
_TOP = 8
_TOP_NAMED = 24
"""How many preferences are looked at; more where a named thing may come at quite another hour."""

_LITTLE = 0.01
_LACKING = 0.45
"""What the confidence of a preference counts that is not of the named kind: it must be all but certain."""

_NAMED_FREELY = frozenset(("music", "video"))
"""Kinds of app whose things bear names that tell nothing of what they are."""

_CHOICES = 4
UNSAID_BOUND = 0.8
"""The same for a command without any word that points at what is meant."""

PLACE_BOUND = 0.6
"""The same for places and things, which a preference knows only by where it led."""

_PREFERRED = (Category.HABIT, Category.PAST, Category.TIME, Category.OPEN, Category.PLACE, Category.THING)
LIKELY = 0.2
"""The confidence from which a preference is worth a question."""

_TOLD = (Category.HABIT, Category.PAST, Category.THING, Category.TIME)
"""What says which of the user's things or times is meant; a person or a place does not."""

POINTING = (Category.HABIT, Category.PAST, Category.OPEN)
"""What points at something that is had again and again."""

_RECENT_SHARE = 0.4
_OWN_PLACES = ("home", "office", "school", "家", "公司", "学校")
"""Places with a word of their own: nobody calls them the usual place."""


def recall(element: Element, said: str, sources: Sources, state: State) -> Recalled:
    """What memory knows of an element of a command, said at some time and place."""
    everything = [_plain(one) for one in _found(element, said, sources, state)]
    for one in everything:
        if one.confidence >= _bound(one, element) and usable(one.value):
            return Recalled(one, tuple(everything))
    likely = sorted(everything, key=lambda one: -one.confidence)
    distinct = {key(one.value): one for one in reversed(likely)}
    return Recalled(None, tuple(one for one in likely if distinct.get(key(one.value)) is one)[:_CHOICES])


def _found(element: Element, said: str, sources: Sources, state: State) -> Iterator[Found]:
    """Everything that may be meant, in the order in which it is believed."""
    wanted = key(element.text)
    if sources.profile is not None and element.category is not Category.OPEN:
        fact = sources.profile.alias(element.text)
        if fact is not None and key(fact.value) != wanted:
            yield from _of_fact(fact, wanted)
        for other in _matching(element, sources.profile.facts_for(element.text, _BUDGET)):
            if other != fact and key(other.value) != wanted:
                yield from _of_fact(other, wanted)
    if sources.preferences is not None and element.category in _PREFERRED:
        if is_goal(element, said):
            yield from _goals(element, sources, state)
            return
        wish = without_greeting(part_around(said, element))
        if element.category in (Category.PLACE, Category.THING) and _tells_much(wish):
            return
        likely = [one for one in _meant(element, wish, sources, state) if one.confidence >= LIKELY]
        for one in _of_preferences(element, likely, shop=is_shop(element, said)):
            if key(one.value) != wanted:
                yield one


def _goals(element: Element, sources: Sources, state: State) -> Iterator[Found]:
    """Where the user goes again and again, but for home and the like; surer the more often."""
    if sources.preferences is None:
        return
    facts = (sources.profile.alias(words) for words in _OWN_PLACES) if sources.profile else ()
    own = {key(fact.value) for fact in facts if fact} | set(map(key, _OWN_PLACES))
    wish = going_to(element)
    found = sources.preferences.preferences(wish, sources.user_id, state.time, state.scenario, _TOP)
    ways = [(destination_of(one.prototype.instruction, one.prototype.app), one) for one in found]
    ways = [
        (goal, one)
        for goal, one in ways
        if goal and key(goal) not in own and is_way(one.prototype.instruction)
    ]
    total = sum(one.confidence for _, one in ways)
    for goal, one in ways:
        times = len(one.prototype.members)
        sure = one.confidence / total * times / (times + 1)
        yield _told(goal, replace(one, confidence=sure))


def _meant(element: Element, wish: str, sources: Sources, state: State) -> list[Preference]:
    """Preferences that a wish may mean, each with its share of those that its words do not rule out."""
    if sources.preferences is None:
        return []
    thing = thing_named(element, wish)
    top = _TOP_NAMED if thing and sources.alike else _TOP
    asks = partial(sources.preferences.preferences, wish, sources.user_id, scenario=state.scenario, top=top)
    hour = None if element.category is Category.TIME else hour_named(wish)
    found = _possible(wish, asks(now=moment_meant(wish, state.time)), hour)
    near = nearness(thing, found.kept, sources.alike) if thing else None
    only = only_akin(near) if near and hour is None and element.category in POINTING else None
    if only and (only.exact or not (headless(element) or topics_in(thing) & _NAMED_FREELY)):
        # What is named is meant at any hour: it is judged as at its own.
        own = usual_hour(only.preference.prototype)
        if own is not None and own != hour_of(state.time):
            again = _possible(wish, asks(now=at_hour(state.time, own)), None)
            found = (
                again
                if _surest_of(again.kept, only.preference) > _surest_of(found.kept, only.preference)
                else found
            )
            near = nearness(thing, found.kept, sources.alike)
    shares = _shares(element, replace(found, kept=[one for one in found.kept if one.confidence >= _LITTLE]))
    if near is None or hour is not None or headless(element):
        return shares
    freely = topics_in(thing) & _NAMED_FREELY
    lacking = {
        one.preference.prototype.id
        for one in near
        if not one.akin
        and not _both_played(wish, one)
        and not freely & kinds_of(one.preference.prototype.app).keys()
    }
    return [
        replace(one, confidence=one.confidence * _LACKING) if one.prototype.id in lacking else one
        for one in shares
    ]


def _both_played(wish: str, near: Near) -> bool:
    """Whether it is something to play: that has a name, which tells nothing of its kind."""
    return "play" in deeds(wish) & deeds(near.preference.prototype.instruction)


@dataclass(frozen=True, slots=True)
class _Possible:
    """Preferences that a wish does not rule out, and the share of all answers that they have with “none”."""

    kept: list[Preference]
    left: float


def _possible(wish: str, preferences: Sequence[Preference], hour: float | None) -> _Possible:
    """To play is not to order, and lunch is what is had about noon."""
    meant = deeds(wish)
    kept = [
        one
        for one in preferences
        if (not meant or not (other := deeds(one.prototype.instruction)) or meant & other)
        and (hour is None or comes_at(one.prototype, hour))
    ]
    among = sum(one.confidence for one in kept)
    return _Possible(kept, max(1.0 - sum(one.confidence for one in preferences) + among, _LITTLE))


def _surest_of(preferences: Sequence[Preference], wanted: Preference) -> float:
    same = (one.confidence for one in preferences if one.prototype.id == wanted.prototype.id)
    return next(same, 0.0)


def _shares(element: Element, found: _Possible) -> list[Preference]:
    """The share of each preference in what is left.

    Where one has the thing that is named ("my usual coffee"), those without it are not meant, whatever the
    hour.
    """
    kept, named = found.kept, False
    for word in dict.fromkeys((element.head, *told_in(element))):
        having = [one for one in kept if word and has_word(one, word)]
        named = named or bool(having)
        kept = having or kept
    among = sum(one.confidence for one in kept)
    left = max(found.left - sum(one.confidence for one in found.kept) + among, _LITTLE)
    return [replace(one, confidence=_share(one, among, left, named)) for one in kept]


def _share(preference: Preference, among: float, left: float, named: bool) -> float:
    """The share of a preference in what is left; one that has the very thing is meant at any hour."""
    share = min(preference.confidence / left, 1.0)
    times = len(preference.prototype.members)
    return max(share, preference.confidence / among * times / (times + 1)) if named and among else share


def _tells_much(wish: str) -> bool:
    """Whether a wish is long enough to be explicit but for its place or thing."""
    return len(wish) > (_LONG_ZH if language_of(wish) is Language.ZH else _LONG)


def part_around(said: str, element: Element) -> str:
    """The part of a command that an element belongs to, where several things are asked for in turn."""
    start, end = 0, len(said)
    for match in _NEXT.finditer(said):
        if match.end() <= element.start:
            start = match.end()
        elif match.start() >= element.end:
            end = match.start()
            break
    return said[start:end].strip()


def without_idle(perceived: Perceived) -> Perceived:
    """A command without the elements that add nothing: the “as usual” of “log my workout as usual”."""

    def idle(one: Element) -> bool:
        wish = part_around(perceived.said, one)
        others = (other for other in perceived.elements if other.category in _TOLD and not adverbial(other))
        return adverbial(one) and any(part_around(perceived.said, other) == wish for other in others)

    kept = tuple(one for one in perceived.elements if not idle(one))
    return replace(perceived, elements=kept)


def _matching(element: Element, facts: Iterable[Fact]) -> Iterator[Fact]:
    """Facts that are about the element by its words: embeddings only suggested them."""
    head, owner = key(element.head), key(element.owner)
    for fact in facts:
        about = {key(fact.about), key(fact.key)}
        if owner:
            if key(fact.about) == owner and (key(fact.key) == head or head in fact.key):
                yield fact
        elif head in about or key(element.text) in about:
            yield fact


def _of_fact(fact: Fact, wanted: str) -> Iterator[Found]:
    """A fact as a value; one that has rivals only as candidates beside them, since the user has to decide.

    Where it stands is told unless the words that are `wanted` say it.
    """
    sure = min(fact.confidence, _DISPUTED) if fact.rivals else fact.confidence
    named = (fact.about, fact.key) if key(fact.about) != wanted else ()
    why = " · ".join(part for part in (*named, fact.why) if part)
    yield Found(fact.value, Origin.PROFILE, sure, fact.evidence, why)
    for rival in fact.rivals:
        yield Found(rival, Origin.PROFILE, sure, why=why)


def _of_preferences(element: Element, preferences: Sequence[Preference], *, shop: bool) -> Iterator[Found]:
    ordered = list(preferences)
    if element.category is Category.PAST and ordered:
        # "Last time" is the newest of those that are about as likely, not the most frequent.
        close = [one for one in ordered if one.confidence >= _RECENT_SHARE * ordered[0].confidence]
        newest = max(close, key=lambda one: max(member.time for member in one.prototype.members))
        ordered = [replace(newest, confidence=sum(one.confidence for one in close))]
    for one in ordered:
        prototype = one.prototype
        if element.category is Category.TIME or element.head in ("time", "时间", "hour"):
            value = clock_of(prototype.instruction)
        elif element.category is Category.PLACE:
            value = destination_of(prototype.instruction, prototype.app)
        elif element.category is Category.OPEN and not element.head:
            value = prototype.instruction
        elif shop and (source := source_of(prototype.instruction, prototype.app)):
            value = source
        else:
            value = _item(one)
        if value and not gives_orders(prototype.instruction):
            yield _told(value, one)


def _told(value: str, preference: Preference) -> Found:
    prototype = preference.prototype
    why = of_habit(prototype)
    return Found(value, Origin.PREFERENCE, preference.confidence, prototype.evidence, why, preference)


def _item(preference: Preference) -> str:
    """What a preference is about: the object of its instruction, else what is usually typed."""
    prototype = preference.prototype
    stated = object_of(prototype.instruction, prototype.app)
    typed = preference.slots.get("item", "")
    return typed if typed and stated == prototype.instruction else stated


def _bound(found: Found, element: Element) -> float:
    if found.origin is not Origin.PREFERENCE:
        return FACT_BOUND
    if element.category is Category.OPEN:
        return OPEN_BOUND if element.head else UNSAID_BOUND
    return PLACE_BOUND if element.category in (Category.PLACE, Category.THING) else PREFERENCE_BOUND


def _plain(found: Found) -> Found:
    return replace(found, value=plain_value(found.value))

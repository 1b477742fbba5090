"""Compares a command with a habit of the user.

A habit is done in one or more ways: instructions for the same thing that differ in detail, such as two sizes
of one pizza. `choose_way` picks the way that is most likely now.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from difflib import get_close_matches
from itertools import islice, takewhile
from typing import Protocol

from assistant.embedding.models import Tagging
from assistant.files import any_word, lazy_regex
from assistant.i18n import _, has_chinese
from assistant.memory.profile.graph import ALLERGY, PEOPLE, spoken_word
from assistant.memory.profile.lexicon import NAME, lexicon
from assistant.memory.prototypes.model import Preference, Prototype
from assistant.memory.prototypes.similarity import asks_for_deed, wants_answer, without_told_text
from assistant.memory.prototypes.terms import (
    VERBS,
    find_refusals,
    plain_command,
    says_thing,
    with_own_words,
    word_set,
)
from assistant.model.types import quoted
from assistant.skills.command_wording import ValueKind, find_values
from assistant.skills.corrections import declines
from assistant.skills.skill_step import HARMLESS, SkillStep
from assistant.skills.slots import names_day
from assistant.understand.resolution import (
    Meaning,
    Resolution,
    adopt_habit,
    ask_whole,
    distinct_candidates,
)
from assistant.understand.slots import (
    find_hour,
    find_names,
    find_verb,
    find_verb_kinds,
    names_usual_thing,
    roles_in,
    word_keys,
)
from assistant.understand.types import (
    RECURRING,
    Alike,
    Category,
    CommandLanguage,
    Habit,
    MeaningCandidate,
    MeaningOrigin,
    PersonalizedElement,
    Sources,
    is_headless,
    likeness,
)
from assistant.understand.words import (
    amounts_of,
    content_of,
    detect_language,
    english_words,
    exact_words,
    language_code,
    portions_of,
    refers_back,
    weekdays_of,
    wording,
)

_SAME_WAY_COSINE = 0.5
"""Minimum cosine of two instructions of a habit that count as the same way."""
_AGREEING_SHARE = 0.65
"""A way is used without a question if at least this share of the habit's ways agree with it."""
_SAME_THING = 0.75
"""Cosine from which two words for things are taken for one thing; of tea and soup it is .61."""
_RELATED_COSINE = 0.6
"""Minimum cosine of a command's word and a habit's word that count as synonyms."""
_MOST_MISSING_SHARE = 0.5
"""If more than this share of a Chinese command's word pairs is not in the habit, the command says more."""


_RUN_THAT_SUPERSEDES = 5
"""A way is no longer used when the habit's last records, at least this many, are all of other ways."""


def choose_way(command: str, habit: Habit, similarity: Alike | None) -> Preference:
    """The way in which the user most likely wants a habit done now.

    This is the instruction at the centre of all records, because it is the most complete one. It is the
    likeliest way instead if the two differ in meaning, or if that way has a word of the command which the
    centre lacks.
    """
    names = find_names(command, language_code(command))
    named = (way for way in habit.ways if names and names <= word_keys(way.prototype.instruction))
    likeliest = next(named, _current_ways(habit, similarity)[0])
    centre = habit.preference
    shared_words = word_set(command) & word_set(likeliest.prototype.instruction)
    centre_lacks_word = not shared_words <= word_set(centre.prototype.instruction)
    return likeliest if centre_lacks_word or not _are_same_way(likeliest, centre, similarity) else centre


def do_ways_differ(habit: Habit, way: Preference, similarity: Alike | None) -> bool:
    """Whether the habit's other ways differ so much from this one that the user must be asked."""
    ways = _current_ways(habit, similarity)
    total = sum(other.confidence for other in ways)
    same = sum(other.confidence for other in ways if _are_same_way(way, other, similarity))
    return same < _AGREEING_SHARE * total or not total


def _current_ways(habit: Habit, similarity: Alike | None) -> Sequence[Preference]:
    """The ways that the user still uses; all of them if none would remain."""
    current = [way for way in habit.ways if not _is_superseded(way, habit, similarity)]
    return current or habit.ways


def _is_superseded(way: Preference, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a way is no longer used: the habit has been done in other ways, unusually often in a row.

    Unusually often is at least `_RUN_THAT_SUPERSEDES` times, and twice as often as ever between two records
    of this way.
    """
    newest = sorted(member.time for other in habit.ways for member in other.prototype.members)[
        -_RUN_THAT_SUPERSEDES:
    ]
    if not newest or any(member.time >= newest[0] for member in way.prototype.members):
        return False
    order = sorted(
        (member.time, at) for at, other in enumerate(habit.ways) for member in other.prototype.members
    )
    if _are_same_way(way, habit.ways[order[-1][1]], similarity):
        return False
    same = [_are_same_way(way, other, similarity) for other in habit.ways]
    members = sorted((time, same[at]) for time, at in order)
    # Lengths of the runs of other ways before, between and after the records of this way.
    runs = [0]
    for _time, is_same in members:
        runs = [*runs, 0] if is_same else [*runs[:-1], runs[-1] + 1]
    return len(runs) > 1 and runs[-1] >= max(_RUN_THAT_SUPERSEDES, 2 * max(runs[1:-1], default=0))


def _are_same_way(left: Preference, right: Preference, similarity: Alike | None) -> bool:
    """Whether two instructions differ in wording only: similar in meaning, with no contradicting numbers."""
    left_text, right_text = left.prototype.instruction, right.prototype.instruction
    if left_text == right_text:
        return True
    left_numbers, right_numbers = portions_of(left_text), portions_of(right_text)
    nested = left_numbers <= right_numbers or right_numbers <= left_numbers
    if left_numbers and right_numbers and not nested:
        return False
    return likeness(left_text, [right_text], similarity) >= _SAME_WAY_COSINE


def content_words(command: str) -> frozenset[str]:
    """The words of a command that say what is wanted; pairs of characters in Chinese, which has no spaces."""
    words = word_set(plain_command(command))
    return words if detect_language(command) is CommandLanguage.ZH else words - VERBS


def own_words(command: str, habit: Habit, similarity: Alike | None) -> Iterator[str]:
    """The content words of a command that a habit lacks, one by one: each word costs a vector.

    In English synonyms of the habit's words, weekdays and parts of the day do not count.
    """
    habit_words = words_of_habit(habit)
    is_chinese = detect_language(command) is CommandLanguage.ZH
    for word in sorted(content_words(command) - habit_words):
        if is_chinese or not (
            find_hour(word) is not None
            or weekdays_of(word, "en")
            or _has_synonym(word, habit_words, similarity)
        ):
            yield word


def says_more(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command asks for something that the habit lacks: a soda with the usual lunch, or a call, too.

    An only verb does not count. Of Chinese pairs of characters some are missing whenever the wording differs;
    so only many count.
    """
    missing = own_words(command, habit, similarity)
    if detect_language(command) is CommandLanguage.ZH:
        return len(list(missing)) > _MOST_MISSING_SHARE * len(content_words(command))
    verbs = word_set(command) & (VERBS | english_words.VERBS)
    has_another_deed = len(verbs) > 1 and bool(verbs - words_of_habit(habit))
    return any(missing) or (has_another_deed and bool(_JOINED.search(command)))


_JOINED = re.compile(r"\b(?:and|then)\b|[,;]", re.IGNORECASE)
"""What stands between two things that are asked for."""


def does_otherwise(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command does something else with what it calls habitual: to rate a lunch is not to order it.

    Its verb must be one of the habit's or of the same kind, unless it says nothing itself (“get”, “have”).
    """
    verb = find_verb(command)
    if not verb or not names_usual_thing(command):
        return False
    kinds = (find_verb_kinds(text) for text in habit.texts)
    if find_verb_kinds(command) & frozenset().union(*kinds):
        return False
    if detect_language(command) is CommandLanguage.ZH:
        return not set(verb) <= set("".join(habit.texts))
    verb_words = word_set(verb) or {verb}
    return not (verb_words & words_of_habit(habit) or _has_synonym(verb, words_of_habit(habit), similarity))


def is_order_of_its_own(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether so much of a command is missing in the habit that its words cannot just be put behind it.

    “One lamb curry, plain rice, extra hot, as usual” is no lentil soup with a remark. Chinese orders are
    recognised by the app that they name: 瑞幸要热的拿铁 大杯 全糖.
    """
    missing = own_words(command, habit, similarity)
    if detect_language(command) is CommandLanguage.ZH:
        label = habit.preference.prototype.app[:_APP_BEGINNING]
        is_named = len(label) == _APP_BEGINNING and label in command
        return is_named and len(list(missing)) > _MANY_OWN_WORDS
    return len(list(islice(missing, _MANY_OWN_WORDS))) == _MANY_OWN_WORDS


def has_other_message(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command has words of its own for a habit that sends some: they are what is to be sent."""
    missing = own_words(command, habit, similarity)
    if detect_language(command) is CommandLanguage.ZH:
        return len(list(missing)) >= _MANY_OWN_WORDS
    return any(word not in _OF_TELLING for word in missing)


_OF_TELLING = frozenset(word for phrase in exact_words("en").telling for word in phrase.split()) | {
    "let",
    "know",
}
_APP_BEGINNING = 2
_MANY_OWN_WORDS = 3


def shares_nothing(command: str, habit: Habit, similarity: Alike | None) -> bool:
    """Whether a command has words, and the habit has none of them, nor synonyms: “asdf”."""
    if detect_language(command) is CommandLanguage.ZH:
        return not set(plain_command(command)) & set("".join(habit.texts))
    words, habit_words = word_set(plain_command(command)), words_of_habit(habit)
    if not words or words & habit_words:
        return False
    return not any(_has_synonym(word, habit_words, similarity) for word in words)


def _has_synonym(
    word: str, others: frozenset[str], similarity: Alike | None, least: float = _RELATED_COSINE
) -> bool:
    """Whether a word means nearly the same as another one."""
    return likeness(word, others, similarity) >= least


def has_alike(things: Collection[str], habit: Habit, similarity: Alike | None) -> bool:
    """Whether a habit has each of some things, or something that means nearly the same."""
    words = words_of_habit(habit)
    return all(thing in words or _has_synonym(thing, words, similarity, _SAME_THING) for thing in things)


def words_of_habit(habit: Habit) -> frozenset[str]:
    """The content words of a habit's instructions and of its app."""
    app = habit.preference.prototype.app
    return frozenset().union(*(word_set(text) for text in (*habit.texts, app)))


def is_ordered(way: Preference) -> bool:
    """Whether a way is a meal, a drink or something else that is ordered."""
    return "get" in find_verb_kinds(way.prototype.instruction)


def things_in(text: str) -> frozenset[str]:
    """The content words of a text, without verbs and meals."""
    return frozenset(word for word in word_set(plain_command(text)) - VERBS if find_hour(word) is None)


def name_likeness(wish: str, way: Preference | None, sources: Sources) -> float:
    """The likeness of what a request names, a meal aside, and the nearest word of what was done, 0..1."""
    if way is None:
        return 0.0
    things, done = things_in(wish), word_set(f"{way.prototype.instruction} {way.prototype.app}")
    if things & done or not things or not done:
        return float(bool(things & done))
    return max(likeness(each, done, sources.similarity) for each in things)


def only_of_habits(ways: Sequence[Preference], meaning: Meaning) -> Meaning:
    """A meaning without the candidates of other habits than these."""
    allowed = {way.prototype.instruction for way in ways}
    fitting = tuple(
        each
        for each in meaning.candidates
        if each.preference is None or each.preference.prototype.instruction in allowed
    )
    return replace(meaning, candidates=fitting)


def is_asked_as_whole(resolution: Resolution, meaning: Meaning) -> bool:
    """Whether what is missing is asked about as a whole command, of which nothing else is said."""
    element, command = meaning.element, resolution.perceived.command
    if element.category not in (Category.HABIT, Category.PAST, Category.OPEN):
        return False
    beside = f"{command[: element.start]} {command[element.end :]}"
    return element.is_whole_command or not meaning.candidates or not word_set(plain_command(beside)) - VERBS


_OTHER_THING = wording("other_thing", "en", "zh")
_OTHER_PLACE, _PLACE_OF_ORDER = wording("other_place", "en", "zh"), wording("place_of_order", "en", "zh")


def refuses_usual_place(command: str) -> bool:
    """Whether a command wants what is usual from elsewhere: “my usual but from another shop”, 换一家店."""
    return _OTHER_PLACE.search(command) is not None


def reopened(resolution: Resolution) -> Resolution:
    """A command that wants what is usual from elsewhere, open as a whole: no habit is it, nor its place."""
    command = resolution.perceived.command
    recurs = any(meaning.element.category in RECURRING for meaning in resolution.meanings)
    if not (recurs and refuses_usual_place(command)):
        return resolution
    return ask_whole(resolution.perceived, ())


def _without_other_things(offered: Resolution, resolution: Resolution) -> Resolution:
    """A resolution that offers no other thing than the one of which a command asks for that of last time.

    Of “tissues, the brand of last time” no lamp is meant. What was offered before stays.
    """
    past = [each.element for each in resolution.missing if each.element.category is Category.PAST]
    if len(past) != 1 or past[0].is_whole_command:
        return offered
    command = resolution.perceived.command
    thing = f"{command[: past[0].start]} {command[past[0].end :]}"
    named = content_words(thing) if has_chinese(thing) else content_of(thing) - english_words.ADVERBS
    kept = {each.value for meaning in resolution.missing for each in meaning.candidates}
    if not named:
        return offered

    def limited(meaning: Meaning) -> Meaning:
        fitting = [each for each in meaning.candidates if each.value in kept or named & word_set(each.value)]
        return meaning if meaning.chosen is not None else replace(meaning, candidates=tuple(fitting))

    return replace(offered, meanings=tuple(map(limited, offered.meanings)))


def refuse_named(offered: Resolution, resolution: Resolution) -> Resolution:
    """A resolution whose candidates refuse what its command does; what is nothing without that is left out.

    Where it refuses what is usual, no habit is offered. Nor is another thing than that of which it asks for
    the one of last time.

    `resolution` is the same before anything was offered: something of it may have been usual.
    """
    command, offered = resolution.perceived.command, _without_other_things(offered, resolution)
    names, is_elsewhere = tuple(find_refusals(command).values()), reopened(resolution) is not resolution
    if _OTHER_THING.search(command) is not None and not is_elsewhere:
        emptied = (
            each if each.chosen is not None else replace(each, candidates=()) for each in offered.meanings
        )
        return replace(offered, meanings=tuple(emptied))
    if not (names or is_elsewhere):
        return offered
    meanings = tuple(
        replace(meaning, candidates=tuple(_refuse_in(meaning.candidates, names, is_elsewhere)))
        if meaning.chosen is None
        else meaning
        for meaning in offered.meanings
    )
    before = {candidate.value for meaning in offered.meanings for candidate in meaning.candidates}
    made = [each for meaning in meanings for each in meaning.candidates if each.value not in before]
    if not made or (len(meanings) == 1 and meanings[0].element.is_whole_command):
        return replace(offered, meanings=meanings)
    # What is an order by itself stands for no words within the command.
    return ask_whole(resolution.perceived, distinct_candidates(made))


def _refuse_in(
    candidates: Iterable[MeaningCandidate], names: Sequence[str], is_elsewhere: bool
) -> Iterator[MeaningCandidate]:
    """Candidates as orders without the place that is refused, and those that have nothing refused."""
    for candidate in candidates:
        value = candidate.value
        refused = [name for name in names if says_thing(value, name)]
        match = _PLACE_OF_ORDER.search(value)
        place = (match["en"] or match["zh"]) if match is not None else ""
        is_of_place = match is not None and all(says_thing(place, name) for name in refused)
        if match is not None and is_of_place and (refused or is_elsewhere):
            comma = "," if match[0].startswith(",") else ""
            value = f"{value[: match.start()]}{comma}{value[match.end() :]}".strip(" ,，.。")
            if any(says_thing(value, name) for name in refused):
                continue
            value += f"，不要{place}的" if has_chinese(value) else f", not from {place}"
            yield replace(candidate, value=value)
        elif not (refused or is_elsewhere):
            yield candidate


_MAX_REFERENCE_ACTIONS = 12


def format_reference(resolution: Resolution) -> str:
    """For the model, by which words the phone may list people, and the actions of the routine that is meant.

    Both are data, not instructions. The actions are those of FingerTip A.5.2.
    """
    return " ".join((*_list_people(resolution), *_list_actions(resolution.reference, resolution.instruction)))


def _list_people(resolution: Resolution) -> Iterator[str]:
    """That an app may list somebody under the words that the user has for them, such as “Mom”."""
    for meaning in resolution.meanings:
        if meaning.chosen and meaning.is_from_profile and meaning.element.named_on_phone:
            words = _POSSESSIVE.sub("", meaning.element.text).strip()
            yield f"On this phone {quoted(meaning.chosen.value)} may be listed as {quoted(words)}."


_POSSESSIVE = re.compile(r"^(?:(?:my|our|the)\s+|我们?家?的?)", re.IGNORECASE)


def _list_actions(prototype: Prototype | None, order: str) -> Iterator[str]:
    """For an order that wants what a habit did, its way up to the deed or a text of then; else nothing."""
    if prototype is None or not asks_for_deed(order, prototype.instruction):
        return
    steps = [SkillStep(action=action) for action in prototype.actions[:_MAX_REFERENCE_ACTIONS]]
    way = takewhile(lambda step: step.deed in HARMLESS and not step.types_beyond(order), steps)
    lines = [step.words() for step in way if step.is_needed and not declines(step)]
    if lines:
        app, listed = quoted(prototype.app or "an app"), quoted("; ".join(lines), 600)
        yield f"For reference only, an order like this began so in {app}: {listed}. The screen decides."


def is_moment(way: Preference) -> bool:
    """Whether a way was gone once, to know something or for a day: it tells nothing of what is usual."""
    order = without_told_text(way.prototype.instruction)
    return len(way.prototype.members) == 1 and (wants_answer(order) or names_day(order))


def find_told_against(instruction: str, facts: Iterable[tuple[str, str, str]], now: datetime) -> str:
    """What the user told that speaks against an order; empty where nothing surely does.

    What somebody else does not stand is told of every order of food for them that does not leave it out.

    Each fact is whom or what it is about, its key and its value. What is avoided on some days is so on these
    alone.
    """
    own = {domain.entity for domain in lexicon().domains.values()}
    known_facts = list(facts)
    of_others: list[str] = []
    for about, key, text in known_facts:
        pairs = (
            (each, name) for each, of_name, name in known_facts if of_name == NAME and about in (each, name)
        )
        named = tuple(dict.fromkeys((about, *(word for pair in pairs for word in pair))))
        is_left_out = word_set(text) <= word_set(instruction) and not says_thing(instruction, text)
        if about not in own and key in (ALLERGY, "avoid") and not is_left_out and _is_for(instruction, named):
            form = _("{who} is allergic to {what}") if key == ALLERGY else _("{who} avoids {what}")
            names = _("{who} ({names})").format(who=spoken_word(about), names=_(", ").join(named[1:]))
            person = names if named[1:] else spoken_word(about)
            of_others.append(form.format(who=person, what=text))
        days = weekdays_of(text, language_code(text))
        if about not in own or (days and now.weekday() not in days):
            continue
        if key == "cuisine" and any(
            diet.search(text) and (match := meant.search(instruction)) and says_thing(instruction, match[0])
            for diet, meant in _DIETS
        ):
            return text
        name = _ON_DAYS.sub("", text).strip(" ,，.。")
        if key in (ALLERGY, "avoid") and word_set(name) and _has_thing(instruction, name):
            return _("you avoid {what}").format(what=text) if key == "avoid" else f"{key} {text}"
    return _("; ").join(of_others)


def _is_for(instruction: str, named: Iterable[str]) -> bool:
    """Whether something is ordered for somebody, who is called by relation or by name."""
    synonyms = (word for name in named for group in (*PEOPLE, (name,)) if name in group for word in group)
    words = any_word({*synonyms})
    said = re.finditer(rf"(?<![a-z])(?:{words})(?![a-z])", instruction, re.IGNORECASE)
    return any(_IS_FOR.search(instruction[: match.start()]) for match in said)


def _has_thing(instruction: str, name: str) -> bool:
    """Whether an order says a thing by its name, or one of its kind: a latte is a coffee."""
    kinds = [meant for meant in (_COFFEE, _MEAT) if meant.search(name)]
    of_kind = (match[0] for kind in kinds for match in kind.finditer(instruction))
    return says_thing(instruction, name) or any(says_thing(instruction, each) for each in of_kind)


_COFFEE, _MEAT, _OF_ANIMALS = (wording(f"kind_{name}", "en", "zh") for name in ("coffee", "meat", "animal"))
_DIETS = ((wording("diet_vegetarian", "en", "zh"), _MEAT), (wording("diet_vegan", "en", "zh"), _OF_ANIMALS))
_ON_DAYS, _IS_FOR = wording("on_days", "en", "zh"), wording("is_for", "en", "zh")


_SURE = 0.9
"""Confidence from which on a fact is filled in without asking a model: a wrong fill costs ten questions."""
_SURE_OF_HABIT, _LONG_STANDING = 0.85, 10
"""The same for a habit, and how often it must have been done."""


def is_sure(meaning: Meaning) -> bool:
    """Whether a value needs no model: a sure fact, or a habit of long standing that is asked for as one.

    On three lives that nobody had read six of 39 habits were wrong from .8 on, and four of 19 from .967 on.
    On all fifteen none was of those ten that the command calls usual and that was done ten times or more.
    """
    chosen = meaning.chosen
    if chosen is None or chosen.preference is None:
        return chosen is not None and chosen.confidence >= _SURE
    times = len(chosen.preference.prototype.members)
    is_marked = meaning.element.category is Category.HABIT
    return is_marked and times >= _LONG_STANDING and chosen.confidence >= _SURE_OF_HABIT


HABIT_GATE = 0.05
"""Minimum probability that a command depends on the user, or leaves open what it wants, to ask a model what
it means.

Of 120 vague commands on three lives by strangers 97 % lie above it, of the tasks of three benchmarks 22 %.
"""


def is_unsure(resolution: Resolution, openness: float) -> bool:
    """Whether a model is asked what a command means that probably depends on the user."""
    if not resolution.meanings:
        return openness >= HABIT_GATE and not _sets_time(resolution.perceived.command)
    return any(meaning.chosen is None or not is_sure(meaning) for meaning in resolution.meanings)


class CommandTagger(Protocol):
    """Says what of a command depends on the user."""

    def __call__(self, command: str, /) -> Tagging | None:
        """The tagging; None if there is no tagger."""


def _sets_time(command: str) -> bool:
    """Whether a command says when an alarm is to ring, and points at nothing: it says all that it takes."""
    sets = wording("sets_alarm").search(command) is not None and not refers_back(command)
    return sets and any(value.kind is ValueKind.TIME for value in find_values(command))


def has_preference_candidate(meaning: Meaning) -> bool:
    """Whether a preference is the likeliest candidate for a recurring element such as "the usual"."""
    return meaning.element.category in RECURRING and any(
        candidate.origin is MeaningOrigin.PREFERENCE for candidate in meaning.candidates[:1]
    )


def has_assumptions(resolution: Resolution) -> bool:
    """Whether a value was filled in that the user did not give."""
    return any(
        meaning.chosen and meaning.chosen.origin is not MeaningOrigin.USER for meaning in resolution.meanings
    )


def take_choice(
    resolution: Resolution, element: PersonalizedElement, candidate: MeaningCandidate
) -> Resolution | None:
    """A chosen order in the place of the command, whose words for it only say that it is usual: 老样子.

    What the command says besides stays behind the order. None where the choice is a value for the words.
    """
    offered = (each for meaning in resolution.missing for each in meaning.candidates)
    chosen = (each.preference for each in offered if each.preference is not None)
    way = next((each for each in chosen if each.prototype.instruction == candidate.value), None)
    if way is None or element.is_whole_command or len(resolution.missing) != 1:
        return None
    adopted = adopt_habit(resolution, element, replace(candidate, preference=way))
    said = resolution.perceived.command
    rest, done = f"{said[: element.start]} {said[element.end :]}", adopted.instruction
    if has_chinese(rest):
        lost = {each for each in content_of(rest) if len(each) == 1} - set(done)
    else:
        lost = set(content_words(rest) - word_set(done) - english_words.ADVERBS)
    if not lost:
        return adopted
    instruction = with_own_words(done, said)
    return replace(adopted, completed=replace(adopted.completed, instruction=instruction))


def is_lasting(element: PersonalizedElement) -> bool:
    """Whether an element means the same the next time: “that of last time” and 平常那种 do not."""
    is_bare = element.category is Category.HABIT and not element.head and has_chinese(element.text)
    is_past = element.category is Category.PAST or is_bare or is_headless(element)
    return not (element.is_whole_command or element.is_pronoun or is_past)


def find_agreed(words: str, choices: Sequence[str]) -> str:
    """The one order that an answer agrees to by words of it: “yes, the 4 pm one”, 对,4点加上; or empty.

    Whatever the answer says must stand in the order, and so put: “yes, 7 pm” agrees to nothing at 7 am.
    """
    match = _AGREES.match(words)
    rest = words[match.end() :] if match is not None else ""
    if _DENIES_CHOICE.search(rest):
        return ""
    parts = [
        [tokens for run in _BESIDE.sub("\n", part).splitlines() if (tokens := _agreed_tokens(run))]
        for part in _PARTS.split(rest)
    ]
    parts = [runs for runs in parts if runs]
    agreed = [choice for choice in choices if parts and _is_said_in(parts, _agreed_tokens(choice))]
    return agreed[0] if len(agreed) == 1 else ""


def _agreed_tokens(text: str) -> list[str]:
    """The words, numbers and single Han characters of a text; times of day are one word with their half."""
    figures = _COUNTED.sub(lambda match: "".join(amounts_of(match[0])) or match[0], text.casefold())
    return [re.sub(r":00|[\s.](?=[ap])|(?<=[ap])\.", "", token) for token in _AGREED_TOKEN.findall(figures)]


def _is_said_in(parts: Iterable[list[list[str]]], tokens: Sequence[str]) -> bool:
    """Whether the words of an answer stand in an order one behind the other, numbers beside their words.

    What a part of the answer leaves out joins nothing: “pay Tom and Ann” does not say “pay Ann”.
    """
    end = 0
    for runs in parts:
        is_begun = False
        for run in runs:
            left, before = run, ""
            while left:
                shared = ((_count_shared(left, tokens[at:]), -at) for at in range(end, len(tokens)))
                size, start = max(shared, default=(0, 0))
                left_out = tokens[end:-start]
                is_beside = _BESIDE_NUMBER.fullmatch("".join(left_out)) is not None
                is_of_number = before.isdecimal() or (before and left[0][0].isdecimal())
                if not size or (size == 1 and has_chinese(left[0])) or (is_of_number and not is_beside):
                    return False
                if is_begun and any(_JOINS.fullmatch(word) or word in VERBS for word in left_out):
                    return False
                end, before, left, is_begun = size - start, left[size - 1], left[size:], True
    return True


def _count_shared(said: Sequence[str], tokens: Sequence[str]) -> int:
    """How many words two texts have in common at their beginning; a time may leave out its half."""
    pairs = enumerate(zip(said, tokens, strict=False))
    differing = (
        at
        for at, (word, other) in pairs
        if other != word and (not word.isdecimal() or other.rstrip("apm") != word)
    )
    return next(differing, min(len(said), len(tokens)))


_AGREES, _DENIES_CHOICE = wording("agrees", "en", "zh"), wording("denies_choice", "en", "zh")
_BESIDE = wording("agreed_beside", "en", "zh")
_COUNTED = lazy_regex("[一二两三四五六七八九十]+(?=[点份杯块元个])")
_AGREED_TOKEN = lazy_regex(
    r"\d+(?:[:.,]\d+)*(?:\s?[ap]\.?m\b\.?)?|[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+(?:['’-][^\W\d_]+)*|[?？,;，；、]"
)
_PARTS = lazy_regex(r"(?<!\d),|,(?!\d)|[;，；、]")
_JOINS = lazy_regex("and|then|with|plus|or|[,;，；、和与跟及再并]")
"""What joins things or deeds, of which an answer names some."""
_FOR_WHOM = lazy_regex("[给替跟和与](?!我)([\u3400-\u9fff]{2})")
_BESIDE_NUMBER = lazy_regex(r"\D{0,3}")
"""What an answer may leave out beside a number: of 周五下午4点 the part of the day."""


def loses_said(words: str, instruction: str) -> bool:
    """Whether an order lacks an amount, a time, a day or a person of an answer: 两遍, 给李雷放."""
    named = [each.text for each in find_values(words) if each.kind in (ValueKind.TIME, ValueKind.DAY)]
    is_named = all(each in instruction for each in (*named, *_FOR_WHOM.findall(words)))
    names = find_names(words, language_code(words)) | roles_in(words)
    sayable = word_keys(instruction) | roles_in(instruction)
    return not (is_named and names <= sayable and amounts_of(words) <= amounts_of(instruction))


def has_like_word(value: str, word: str) -> bool:
    """Whether an instruction has a word, perhaps with a letter or two that are wrong, or “hr” for hour."""
    words = word_set(value)
    if word in words or not word.isascii():
        return word in words
    is_short = _SHORT_UNITS.get(word) in words
    return is_short or (len(word) >= _LONG_WORD and bool(get_close_matches(word, words, 1, _LIKE_WORD)))


_SHORT_UNITS = {
    "hour": "hr",
    "hours": "hrs",
    "minute": "min",
    "minutes": "mins",
    "week": "wk",
    "weeks": "wks",
}
_LONG_WORD, _LIKE_WORD = 5, 0.8
"""Letters of a word from which a typo is forgiven, and how alike (0..1) the words must be."""

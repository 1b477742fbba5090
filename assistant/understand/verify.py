"""Verifies in code that a value may be filled in: a wrong fill is worse than ten questions.

`find_objection` judges a fact for one element, `find_habit_objection` and `is_another_thing` a habit for a
whole command, `find_completion_objection` the sentence that comes out.
Nothing said may be lost, nothing negated or disliked is done, and kind, day, number and person that were
said agree with the value. An objection makes the value a candidate that the user is asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from difflib import SequenceMatcher

from assistant.files import lazy_regex
from assistant.i18n import chinese_characters, has_chinese
from assistant.memory.profile.graph import canonical_word, is_role
from assistant.memory.prototypes.model import Preference, Prototype
from assistant.memory.prototypes.terms import (
    VERBS,
    infinitive,
    plain_command,
    split_own_words,
    without_vague,
    word_set,
)
from assistant.skills.command_wording import ValueKind, find_values
from assistant.understand.habit_match import do_ways_differ, does_otherwise, has_like_word, words_of_habit
from assistant.understand.languages.patterns import asks_casually
from assistant.understand.resolution import Completed, Meaning, find_named_app
from assistant.understand.slots import (
    canonical_role,
    denies_habit,
    find_contacts,
    find_hour,
    find_names,
    find_object,
    find_verb,
    find_verb_kinds,
    means_relative,
    occurs_at,
    only_sends_words,
    places_in,
    purposes_of,
    remove_app,
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
    Objection,
    Perceived,
    PersonalizedElement,
    ProfileSource,
    is_headless,
    likeness,
    normalize_key,
)
from assistant.understand.words import (
    amounts_of,
    contains_any,
    content_of,
    declines,
    detect_language,
    english_words,
    exact_words,
    is_disliked,
    is_excluded,
    language_code,
    mentioned_spans,
    plain_case,
    portions_of,
    weekdays_of,
    without_exclusions,
    wording,
    words_in_all,
)

_ENOUGH_DAYS = 2
_TOLD, _LEADS, _IS_NOT = wording("tells_just_before"), wording("leads_to"), wording("is_not")
_WHERE_ZH, _WAY_TO = wording("is_at", "zh"), wording("way_to")
_HALF = 0.5
_COVERED = 0.6
"""Minimum share of an instruction's Chinese characters that a command has to be an order of its own."""
_RELATED = 0.6
"""Minimum cosine of a word with one of a habit that means nearly the same."""
_EXACT_DEEDS = frozenset(("go", "call"))
_WEEK = timedelta(days=7)
_POSSESSOR = wording("possessor")
_NOTED = wording("noted")
"""A note that goes with a payment or message: its words are not what the habit is about."""
_MEAL, _LIKING, _REPEATS = wording("meal"), wording("liking_of_another"), wording("repeats")
_QUESTION = wording("question")
"""A command that asks; of 11,627 phrases for habits of the invented people 42 end in a question mark, and 43
of 1,749 that tempt.
"""
_CONDITION, _CONDITION_ZH = wording("condition", "en"), wording("condition", "zh")
_DESCRIBED, _POINTING_ZH = wording("described"), wording("points_at", "zh")
_TITLE_ZH = lazy_regex("[“《「]([^”》」]+)[”》」]")
_GENERAL_NOUNS = frozenset(words_in_all("general_nouns"))
"""Nouns that do not tell one thing from another."""
_DETERMINERS = frozenset(("my", "our", "the", "a", "an", "this", "that"))
_APOSTROPHES = lazy_regex("['’]")
_ENGLISH_WORD = lazy_regex(r"[a-z]+(?:['’-][a-z]+)*")
_DOUBLED_ZH = lazy_regex("([\u4e00-\u9fff]{2,})\\1")
_THIRD_PERSON = wording("third_person")
_SAME_MEANING = 0.6
"""Minimum cosine of two words that mean nearly the same."""
_ADDED_CHARACTERS = 0.25
"""Maximum share of Chinese characters of an order that are in neither the command nor the memory: verbs."""
OF_PEOPLE = ("name", "nickname", "phone", "email", "birthday")
_NAMES = ("name", "nickname", "alias", "is")
_REPEATED = lazy_regex(r"(?<!\w)(\w+(?:\s+\w+){0,3})\s+\1(?!\w)", re.IGNORECASE)
_DOUBLED = frozenset(("that", "had", "bye", "very", "so", "no", "wow", "ha", "knock", "duran", "new"))


def is_explicit(command: str, habit: Habit, way: Preference, apps: Sequence[str]) -> bool:
    """Whether a command has a number, name, app or message that the habit lacks."""
    code = language_code(command)
    texts = " · ".join((*habit.texts, habit.preference.prototype.app))
    return (
        bool(amounts_of(command) - amounts_of(way.prototype.instruction))
        or bool(find_names(command, code) - word_keys(texts))
        or bool(mentioned_spans(command, code))
        or _is_of_another_app(command, habit.preference.prototype, apps)
    )


EXPLICIT = (Objection.MENTIONED, Objection.NUMBER, Objection.NAME, Objection.APP)
"""Objections to a habit because the command says by itself what it wants."""


def find_objection(
    perceived: Perceived,
    element: PersonalizedElement,
    candidate: MeaningCandidate,
    clause: str,
    similarity: Alike | None = None,
) -> Objection | None:
    """Why a fact of the profile must not be filled in for an element; None if nothing speaks against it."""
    code = language_code(perceived.command)
    at = max(clause.find(element.text), 0)
    before, behind = clause[:at], clause[at + len(element.text) :]
    if _ends_in_exclusion(element, behind, code) or _IS_NOT.match(behind):
        return Objection.NEGATED
    if _is_called_otherwise(element, candidate, clause, similarity):
        return Objection.KIND
    return _objection_to_fact(element, candidate, before)


def is_another_thing(
    element: PersonalizedElement, prototype: Prototype, clause: str, similarity: Alike | None
) -> bool:
    """Whether what an element calls usual is not what a habit does: “my usual prawn dish” is no chicken.

    Owner and part of the day must agree, what is drunk is no meal, and what the thing is called must be in
    the habit or mean nearly the same as something there. Titles of media do not reveal their kind.
    """
    hour = find_hour(element.text)
    if (
        _belongs_to_somebody_else(element, prototype)
        or _is_a_drink_for_a_meal(clause, prototype.instruction, language_code(clause))
        or (hour is not None and not occurs_at(prototype, hour))
    ):
        return True
    text, head = element.text.casefold(), element.head.casefold()
    before = text.partition(head)[0] if head else ""
    kinds = find_verb_kinds(prototype.instruction)
    if is_headless(element) or "play" in kinds & find_verb_kinds(clause):
        head = ""
    said = f"{before} {head}" if element.text.isascii() else head
    words = word_set(without_vague(said)) - VERBS if said.isascii() else frozenset((said,))
    instruction = _NOTED.sub(" ", prototype.instruction)
    done = word_set(f"{instruction} {prototype.app}")
    texts = [*sorted(done), find_object(instruction, prototype.app)]
    return any(
        (word.isascii() or word not in instruction) and likeness(word, texts, similarity) < _RELATED
        for word in words - done - _GENERAL_NOUNS
        if word.isalpha()
        and (len(word) > 1 or not word.isascii())
        and find_hour(word) is None
        and not weekdays_of(word, language_code(word))
    )


def find_habit_objection(
    command: str,
    habit: Habit,
    way: Preference,
    apps: Sequence[str],
    similarity: Alike | None,
    *,
    is_usual: bool = False,
) -> Objection | None:
    """Why a habit must not be taken for what a whole command means; None if nothing speaks against it.

    What the command says beside the habit must change nothing: no other number, name, day or app, no
    negation, nothing that is only mentioned. How likely the habit is meant at all is not judged here.

    `is_usual` tells whether the command calls what it means usual: 平时的午饭 may be noodles.
    """
    code = language_code(command)
    words = exact_words(code)
    prototype = habit.preference.prototype
    texts = " · ".join((*habit.texts, prototype.app))
    people, usual_people = roles_in(command), roles_in(texts)
    checks: tuple[tuple[Objection, Callable[[], bool]], ...] = (
        (Objection.DISLIKED, lambda: is_disliked(command, code)),
        (Objection.NEGATED, lambda: is_excluded(command, code) or declines(command, texts, code)),
        (Objection.NEGATED, lambda: denies_habit(command)),
        (Objection.CHANGED, lambda: contains_any(command, words.change, code)),
        (Objection.MENTIONED, lambda: bool(mentioned_spans(command, code))),
        (Objection.NUMBER, lambda: bool(amounts_of(command) - amounts_of(way.prototype.instruction))),
        (Objection.NAME, lambda: bool(find_names(command, code) - word_keys(texts))),
        (Objection.NAME, lambda: bool(people and usual_people) and not people & usual_people),
        (Objection.NAME, lambda: means_relative(command, texts)),
        (Objection.NAME, lambda: _goes_elsewhere(command, (texts, way.prototype.instruction))),
        (Objection.NAME, lambda: _is_said_elsewhere(command, texts)),
        (Objection.APP, lambda: _is_of_another_app(command, prototype, apps)),
        (Objection.OPPOSITE, lambda: _is_opposite(command, prototype, code)),
        (Objection.OPPOSITE, lambda: is_usual and does_otherwise(command, habit, similarity)),
        (Objection.DAY, lambda: is_recurring(command) and not is_recurring(way.prototype.instruction)),
        (Objection.KIND, lambda: is_another_deed(command, habit.texts)),
        (Objection.KIND, lambda: asks_something(command) and not any(map(asks_something, habit.texts))),
        (Objection.KIND, lambda: not is_usual and _names_another_object(command, habit)),
        (Objection.KIND, lambda: _is_of_another_variety(command, habit)),
        (Objection.OWNER, lambda: _is_to_the_liking_of_another(command, way)),
        (Objection.STOPPED, lambda: habit.preference.has_stopped),
        (Objection.DIFFERENT_WAYS, lambda: do_ways_differ(habit, way, similarity)),
    )
    return next((objection for objection, holds in checks if holds()), None)


def says_all(command: str, habit: Habit) -> bool:
    """Whether a command has all words of one of the habit's instructions, so that it is explicit."""
    if detect_language(command) is CommandLanguage.ZH:
        label = habit.preference.prototype.app
        is_variant = bool({*chinese_characters(plain_command(command))} - {*"".join((*habit.texts, label))})
        return any(_covers(command, remove_app(text, label), is_variant) for text in habit.texts)
    command_words = word_set(command)
    app = word_set(habit.preference.prototype.app)
    return any((things := word_set(text) - app - VERBS) and things <= command_words for text in habit.texts)


def _covers(command: str, instruction: str, is_variant: bool) -> bool:
    """Whether a Chinese command has most characters of an instruction, whose words have no borders.

    What points at something (那个), or lacks an amount or title of the instruction, leaves something open;
    but a command that names another variant (中杯 of 大杯) need not say 一杯.
    """
    if _POINTING_ZH.search(command):
        return False
    amounts = amounts_of(instruction) if is_variant else portions_of(instruction)
    if not amounts <= amounts_of(command):
        return False
    if any(title not in command for title in _TITLE_ZH.findall(instruction)):
        return False
    content = set(chinese_characters(instruction))
    return bool(content) and len(content & set(command)) >= _COVERED * len(content)


def _goes_elsewhere(command: str, done: Sequence[str]) -> bool:
    """Whether a command goes or delivers to a place of the user's own, and what was done leads elsewhere."""
    places = places_in(command)
    others = (text for text in done if not places & places_in(text))
    return bool(places) and any(places_in(text) or _LEADS.search(text) for text in others)


def is_of_others(
    meanings: Iterable[Meaning], wish: str, instruction: str, profile: ProfileSource | None
) -> bool:
    """Whether an instruction is for other people or places than those that a command means.

    Whom a fact names must be in it, by name, as a contact, or as what they are to the user; so must a place,
    unless the instruction leads nowhere. Where no fact names anybody, whom both address must be the same.

    `wish` is the command with what is known filled in, `instruction` what was done, or is to be done in the
    place of the command.
    """
    done = split_own_words(instruction)[0]
    asked = without_exclusions(wish).casefold()
    contacts = set(profile.contacts_in(done)) if profile is not None else set[str]()
    names_somebody = False
    for meaning in meanings:
        element = meaning.element
        is_place = element.category is Category.PLACE
        if not meaning.is_from_profile or not (element.named_on_phone or element.owner or is_place):
            continue
        value = meaning.chosen.value if meaning.chosen is not None else ""
        same = contacts.intersection(profile.contacts_in(value)) if profile is not None else ()
        role = canonical_role(element.text.casefold()) if element.owner else canonical_role(element.head)
        if is_place and value.casefold() in wish.casefold() and value.casefold() not in asked:
            continue  # “Not to the office”.
        is_named = role in roles_in(done) | places_in(done) or value.casefold() in done.casefold()
        leads = bool(places_in(done) or _LEADS.search(done))
        if not (is_named or same) and (leads or not is_place):
            return True
        names_somebody |= element.named_on_phone
    wish_names, named = ({name.casefold() for name, _role in find_contacts(text)} for text in (wish, done))
    return bool(wish_names and named and not names_somebody) and not any(
        left in right or right in left for left in wish_names for right in named
    )


def is_another_deed(command: str, texts: Sequence[str]) -> bool:
    """Whether a command asks for a kind of action, such as a trip or a call, that is not the habit's."""
    if only_sends_words(command, *texts):
        return True
    command_kinds = find_verb_kinds(command)
    done = frozenset().union(*(find_verb_kinds(text) for text in texts))
    if command_kinds & _EXACT_DEEDS:
        return not command_kinds & done
    return bool(command_kinds) and bool(done) and not command_kinds & done


def may_be_meant(command: str, instruction: str) -> bool:
    """Whether what was done may be offered as the meaning of a command, because it is of the same kind.

    “Order a coffee” is no alarm, and “wake me up” no coffee; of what has no kind it must name a word.
    """
    if only_sends_words(command, instruction) or not serves_purpose(command, instruction):
        return False
    kinds, done = find_verb_kinds(command), find_verb_kinds(instruction)
    if not kinds and asks_casually(command):
        kinds = frozenset(("get",))
    if kinds and done:
        return bool(kinds & done)
    is_other = bool(done) and infinitive(find_verb(command)) in english_words.VERBS
    return not (kinds or is_other) or bool((word_set(plain_command(command)) - VERBS) & word_set(instruction))


def serves_purpose(command: str, instruction: str) -> bool:
    """Whether what was done can serve for what a command asks for: nobody eats a lamp, nor rides an alarm.

    What is to be eaten or drunk has too many names to know all; a ride, a journey and a room have few. A ride
    to another place than the one that is named serves neither.
    """
    if not find_verb_kinds(command) <= _OF_PURPOSE:
        return True
    wished, served = purposes_of(command), purposes_of(instruction)
    if "ride" in wished and _goes_elsewhere(command, (instruction,)):
        return False
    if wished & _CONSUMED and _SAYS_PURPOSE.search(command) is None:
        wished |= _CONSUMED  # “A coffee” may stand for what comes from the same kitchen.
    is_open = not served and not wished & _FEW_NAMES and _BUYS.search(instruction) is None
    return not wished or is_open or bool(wished & served)


_OF_PURPOSE = frozenset(("get", "go"))
_FEW_NAMES = frozenset(("ride", "travel", "stay"))
_BUYS, _SAYS_PURPOSE = wording("buys"), wording("says_purpose")
_CONSUMED = frozenset(("eat", "drink"))


def keep_same_deed(command: str, candidates: Iterable[MeaningCandidate]) -> tuple[MeaningCandidate, ...]:
    """The candidates that may stand for a whole command: facts, and habits of its kind."""
    return tuple(
        each
        for each in candidates
        if each.preference is None or may_be_meant(command, each.preference.prototype.instruction)
    )


def _names_another_object(command: str, habit: Habit) -> bool:
    """Whether a Chinese order says of what exactly, and nothing of that is in a habit: 唱个精忠报国."""
    kinds = find_verb_kinds(command)
    if detect_language(command) is not CommandLanguage.ZH or not kinds:
        return False
    object_words = without_vague(find_object(command))
    if "的" in object_words:
        return bool(word_set(object_words)) and not word_set(object_words) & words_of_habit(habit)
    characters = set(chinese_characters(object_words))
    is_title = (
        bool(kinds & _OF_TITLES) and len(characters) >= _SHORTEST_TITLE and not _POINTING_ZH.search(command)
    )
    return is_title and not characters & set("".join((*habit.texts, habit.preference.prototype.app)))


_OF_TITLES = frozenset(("get", "play"))
_SHORTEST_TITLE = 3


def _is_said_elsewhere(command: str, done: str) -> bool:
    """Whether a Chinese command says where the user is, and the habit does not name it: 我在长春呢."""
    match = _WHERE_ZH.search(command)
    return match is not None and match["place"] not in done and canonical_word(match["place"]) is None


def _is_of_another_variety(command: str, habit: Habit) -> bool:
    """Whether the thing of a command has another word before it than in each text of a habit that names it.

    A “lower body workout” and a “leg workout” are no “upper body workout”, however near such words are in
    meaning. The words before the thing are compared from the thing on; parts of the day and weekdays, which
    are judged elsewhere, verbs and words that say nothing end the comparison.
    """
    clashes = [_differs_before_shared_word(command, text) for text in habit.texts]
    return True in clashes and False not in clashes


def _differs_before_shared_word(command: str, text: str) -> bool | None:
    """Whether the words before the last word that both have differ; None if they share none."""
    command_words, done = (_ENGLISH_WORD.findall(words.casefold()) for words in (command, text))
    shared = [word for word in command_words if word in done and word_set(word) - VERBS]
    if not shared:
        return None
    said_at, done_at = command_words.index(shared[-1]), done.index(shared[-1])
    while said_at and done_at and command_words[said_at - 1] == done[done_at - 1]:
        said_at, done_at = said_at - 1, done_at - 1
    if not said_at or not done_at or command_words[said_at - 1] in done:
        return False
    return _tells_variety(command_words, said_at - 1) and _tells_variety(done, done_at - 1)


def _tells_variety(words: Sequence[str], at: int) -> bool:
    """Whether a word before a thing tells which one it is: neither a verb nor a time nor a filler.

    Behind an article or the like no word is a verb: “my lower body workout”.
    """
    word = words[at]
    is_verb = word in VERBS and (not at or words[at - 1] not in _DETERMINERS)
    return (
        not is_verb
        and bool(word_set(without_vague(word)))
        and find_hour(word) is None
        and not weekdays_of(word, "en")
    )


def asks_something(text: str) -> bool:
    """Whether a line is a question, by its words or its mark."""
    return _QUESTION.search(text) is not None


def is_recurring(command: str) -> bool:
    """Whether a command is for a time that comes again: “every Friday …” is not done now."""
    return _REPEATS.search(command) is not None


def _objection_to_fact(
    element: PersonalizedElement, candidate: MeaningCandidate, before: str
) -> Objection | None:
    """Somebody's name is not their place, and an address is nobody to call: "call home"."""
    is_address = element.category is Category.PLACE and candidate.key == "address"
    if is_address and ("call" in find_verb_kinds(" ".join(before.split()[-2:])) or _TOLD.search(before)):
        return Objection.KIND
    if element.category is Category.PERSON and candidate.key == "name" and _WAY_TO.search(before):
        # Who lives there is known, and not where.
        return Objection.KIND
    if (
        element.category is Category.THING
        and candidate.key == "name"
        and not is_role(normalize_key(element.head))
    ):
        return Objection.KIND
    is_name = any(candidate.key.casefold() == name for name in _NAMES)
    if element.category is Category.PLACE and is_name and (element.owner or _POSSESSOR.search(element.text)):
        return Objection.KIND
    if element.category is Category.PERSON and candidate.key and not is_name:
        digits = sum(character.isdigit() for character in candidate.value)
        return None if digits >= len(candidate.value) / 2 or candidate.key == "phone" else Objection.KIND
    return None


def _is_called_otherwise(
    element: PersonalizedElement, candidate: MeaningCandidate, clause: str, similarity: Alike | None
) -> bool:
    """Whether an element has a word that its fact does not bear out: “old office”, “energy drink”, 老家.

    What recurs (“the usual time”) must be of something that the command names.
    """
    about = normalize_key(candidate.about)
    if element.category in (*RECURRING, Category.TIME):
        named = word_set(clause) | word_set(candidate.key)
        return bool(word_set(candidate.about)) and not word_set(candidate.about) & named
    key = normalize_key(element.text)
    if element.owner or about in ("", key) or canonical_role(key) == canonical_role(about):
        return False
    if detect_language(element.text) is CommandLanguage.ZH:
        return element.category is Category.PLACE and candidate.key == "address"
    stated = {*_ENGLISH_WORD.findall(f"{about} {candidate.key} {candidate.value} {element.head}".casefold())}
    # A relative or place is nobody and nothing else, however near the words are: “my younger sister”.
    is_thing = element.category in (Category.THING, Category.FACT)
    text = plain_case(element.text)
    return any(
        word not in stated | _DETERMINERS
        and canonical_role(word) != canonical_role(about)
        and not (is_thing and likeness(word, stated, similarity) >= _RELATED)
        for word in _ENGLISH_WORD.findall(without_vague(text) if is_thing else text)
        if len(word) > 1
    )


def _ends_in_exclusion(element: PersonalizedElement, behind: str, code: str) -> bool:
    """Whether an element ends within words that exclude something: “what I drink instead” of wine."""
    exclusion = exact_words(code).exclusion
    joined = element.text + behind
    return contains_any(joined, exclusion, code) and not (
        contains_any(element.text, exclusion, code) or contains_any(behind, exclusion, code)
    )


def _is_opposite(command: str, prototype: Prototype, code: str) -> bool:
    """Whether either the habit or the command deletes or cancels: "alarm as always" removes none."""
    done = prototype.instruction
    undoes = contains_any(done, exact_words(language_code(done)).undoing, language_code(done))
    return undoes is not contains_any(command, exact_words(code).undoing, code)


def _is_a_drink_for_a_meal(clause: str, instruction: str, code: str) -> bool:
    """Whether a command names a meal and what was done is something to drink: coffee is no lunch."""
    if find_hour(clause) is None or not _MEAL.search(clause):
        return False
    done_code = language_code(instruction)
    drinks = exact_words(done_code if done_code in ("zh", "ja") else code).drinks
    return contains_any(instruction, drinks, done_code) and not contains_any(clause, drinks, code)


def _is_of_another_app(clause: str, prototype: Prototype, apps: Sequence[str]) -> bool:
    named = find_named_app(clause, apps)
    return bool(named) and bool(prototype.app) and normalize_key(named) != normalize_key(prototype.app)


def _is_to_the_liking_of_another(command: str, way: Preference) -> bool:
    """Whether the command follows the taste of a person whom the habit does not mention: “as guests like”."""
    match = _LIKING.search(command)
    return match is not None and not word_set(match["who"]) & word_set(way.prototype.instruction)


def _belongs_to_somebody_else(element: PersonalizedElement, prototype: Prototype) -> bool:
    """Whether the element names an owner ("my sister's place") whom the habit does not mention."""
    owner = element.owner or ((match := _POSSESSOR.search(element.text)) and match[1]) or ""
    if _THIRD_PERSON.search(element.text) and element.category is Category.HABIT:
        return True
    return bool(owner) and normalize_key(owner) not in normalize_key(prototype.instruction)


def is_done_on(prototype: Prototype, days: frozenset[int]) -> bool:
    """Whether a habit is done mostly on some days, or on most of them in its weeks; any without days."""
    if not days or not prototype.members:
        return True
    times = [member.time for member in prototype.members]
    on_days = sum(time.weekday() in days for time in times)
    weeks = (max(times) - min(times)) // _WEEK + 1
    return on_days >= min(_ENOUGH_DAYS, len(times)) and (
        on_days >= _HALF * len(times) or on_days >= _HALF * weeks
    )


def _doubles_its_end(instruction: str, end: int) -> bool:
    """Whether a Chinese value ends in the character that follows it: 家里 in the place of the 家 of 家里."""
    pair = instruction[end - 1 : end + 1]
    return len(pair) == 2 and pair[0] == pair[1] and has_chinese(pair)


def _leaves_description(perceived: Perceived) -> bool:
    """Whether a command has a description in terms of the user's habits that no element covers.

    “Text my boss what I tell her when it rains” has more to fill in than the boss.
    """
    if not perceived.elements:
        return False
    return any(
        not any(element.start <= match.start() < element.end for element in perceived.elements)
        for match in _DESCRIBED.finditer(perceived.command)
    )


def _drops_condition(perceived: Perceived, completed: Completed) -> bool:
    """Whether a value replaces a condition of the command: “only if it is under 80”."""
    pattern = _CONDITION_ZH if perceived.language is CommandLanguage.ZH else _CONDITION
    return any(
        pattern.search(span.element.text) and not pattern.search(completed.instruction)
        for span in completed.spans
    )


def find_completion_objection(perceived: Perceived, completed: Completed) -> Objection | None:
    """Why a completed instruction must not be used; None if it is natural and keeps all of the command."""
    drops = _drops_condition(perceived, completed)
    if drops or _leaves_description(perceived):
        return Objection.LOST
    command = perceived.command
    values = [completed.instruction[span.start : span.end].casefold() for span in completed.spans]
    texts = [span.element.text for span in completed.spans]
    keys = [canonical_word(text) or normalize_key(text) for text in texts]
    if len(set(values)) < len(set(keys)):
        # Two different words of one command do not mean the same, unless they are spellings of one relation.
        return Objection.UNSAYABLE
    if any(match[0] not in command for match in _DOUBLED_ZH.finditer(completed.instruction)):
        return Objection.UNSAYABLE
    if any(_doubles_its_end(completed.instruction, span.end) for span in completed.spans):
        return Objection.UNSAYABLE
    for match in _REPEATED.finditer(completed.instruction):
        if match[1].casefold() not in _DOUBLED and match[0].casefold() not in command.casefold():
            return Objection.UNSAYABLE
    return None


def says_new_things(command: str, order: str, memory: str, similarity: Alike | None) -> bool:
    """Whether an order says things that are in neither the command nor the cited memory.

    A word that means nearly the same as one of theirs is no invention, nor is a verb, today where no day is
    named, or a word that they have with a typo or as a short unit. Of Chinese, whose words have no borders, a
    share of the characters may be new.
    """
    sources = f"{command} · {memory}"
    if detect_language(order) is CommandLanguage.ZH:
        source_characters, new = set(sources), chinese_characters(order)
        return sum(character not in source_characters for character in new) > _ADDED_CHARACTERS * len(new)
    source_words, lowered = word_set(sources), _APOSTROPHES.sub("", sources.casefold())
    names_day = any(value.kind is ValueKind.DAY for value in find_values(command))
    added = word_set(order) - source_words - VERBS - _HALVES - (frozenset() if names_day else _TODAY)
    # Amounts are checked by themselves; who types in a hurry leaves out apostrophes.
    kept = ((word, _APOSTROPHES.sub("", word)) for word in added)
    added = frozenset(word for word, bare in kept if bare not in lowered and not bare[:1].isdigit())
    added = frozenset(word for word in added if not has_like_word(sources, word))
    return bool(without_kin(added, source_words, similarity))


_TODAY, _HALVES = frozenset({"today", "tonight"}), frozenset({"am", "pm"})
"""Words of a time that is not told otherwise; which half of the day is meant is checked with the amounts."""


def without_kin(words: frozenset[str], others: frozenset[str], similarity: Alike | None) -> frozenset[str]:
    """The words that mean nearly the same as none of the others."""
    return frozenset(word for word in words if likeness(word, others, similarity) < _SAME_MEANING)


def shares_no_word(command: str, texts: Iterable[str], similarity: Alike | None) -> bool:
    """Whether no text has a word of a command or a word like one: a latte is no alarm."""
    command_words, done = content_of(without_vague(command)), content_of(" ".join(texts))
    return (
        bool(command_words)
        and not command_words & done
        and without_kin(command_words, done, similarity) == command_words
    )


def keeps_order(order: str, remark: str, restated: str) -> bool:
    """Whether a running order, changed by a remark, has all that it does not replace, and nothing new."""
    before, after, heard = (_TOKEN.findall(text.casefold()) for text in (order, restated, remark))
    people = [value.text for value in find_values(order) if value.kind is ValueKind.PERSON]
    names = {*_TOKEN.findall(" ".join([*people, *_CAPITALISED.findall(order)]).casefold())}
    sayable = {*heard, *(f"{word}s" for word in before)}
    return all(
        _is_small_change(before[start:end], after[first:last], names, sayable)
        for kind, start, end, first, last in SequenceMatcher(
            None, before, after, autojunk=False
        ).get_opcodes()
        if kind != "equal"
    )


def _is_small_change(
    removed: Sequence[str], added: Sequence[str], names: set[str], sayable: set[str]
) -> bool:
    """Whether a few words give way to sayable ones: no name, negation or condition, a figure only to one."""
    removed, added = ([word for word in words if not _FILLER.fullmatch(word)] for words in (removed, added))
    loses_figure = any(map(str.isdecimal, removed)) > any(map(str.isdecimal, added))
    if len(removed) > _MOST_REMOVED or (removed and not added) or loses_figure:
        return False
    if names & {*removed} or any(map(_RESTRICTS.fullmatch, removed)) or any(map(_ALL.fullmatch, added)):
        return False
    return {*filter(str.isalpha, added)} <= sayable


_TOKEN, _CAPITALISED = lazy_regex(r"\d+|[^\W\d\u3400-\u9fff]+|[\u3400-\u9fff]"), lazy_regex(r"(?<= )[A-Z]\w+")
_FILLER, _RESTRICTS, _ALL = wording("filler_word"), wording("restricting_word"), wording("all_of_them")
_MOST_REMOVED = 2

"""Checks the order that a model wrote for a command, in code, before anything is done.

`find_reading_objection` judges it by what the user said and by what is cited: nothing is in it that neither
says, and nothing of the command is lost, denied or done for somebody else. `find_turn_objection` judges
besides what a line takes from the turn before it: “and also tell mom” tells her the same, and nobody else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from assistant.files import lazy_regex
from assistant.i18n import chinese_characters, has_chinese
from assistant.memory.profile.graph import NOTE, is_role, is_same_value
from assistant.memory.prototypes.model import Preference
from assistant.memory.prototypes.terms import (
    VERBS,
    signature,
    signatures_oppose,
    without_vague,
    word_set,
)
from assistant.records import Outcome
from assistant.skills.command_wording import ValueKind, find_values, kinds_of, read_correction
from assistant.skills.slots import with_clock_digits
from assistant.understand.habit_match import has_like_word
from assistant.understand.model_reading import (
    CitableSource,
    ModelReading,
    Replacement,
    in_own_spelling,
    kept_words,
    unsaid_amounts,
    without_titles,
)
from assistant.understand.perceive import without_leaning
from assistant.understand.resolution import CONTACT, find_named_app
from assistant.understand.slots import (
    canonical_role,
    every_verb_kind,
    find_contacts,
    find_hour,
    find_names,
    find_verb,
    find_verb_kinds,
    is_delivered_to,
    lacks_verb,
    means_relative,
    names_unknown_relative,
    only_sends_words,
    roles_in,
    tells_somebody,
    word_keys,
)
from assistant.understand.types import (
    Alike,
    Category,
    CommandLanguage,
    EarlierTurn,
    MeaningCandidate,
    MeaningOrigin,
    Objection,
    Perceived,
    ReadingDecision,
    deed_key,
    is_headless,
    is_usable_instruction,
    likeness,
    mask_lookalikes,
    negations_of,
    normalize_key,
    words_of,
)
from assistant.understand.verify import (
    OF_PEOPLE,
    is_another_thing,
    is_recurring,
    says_new_things,
    shares_no_word,
    without_kin,
)
from assistant.understand.words import (
    CLAUSE_END,
    FORMER,
    GLUED,
    amounts_of,
    contains_any,
    content_of,
    detect_language,
    english_words,
    exact_words,
    find_exclusions,
    has_measure,
    is_disliked,
    language_code,
    mend_fillers,
    mentioned_spans,
    portions_of,
    spell_out_thousands,
    weekday_names,
    weekdays_of,
    without_durations,
    without_exclusions,
    wording,
)

_SAME_SUBJECT = 0.75  # Minimum cosine of words and the subject of a fact that they are about.
_KEPT = 0.5  # Minimum share of the Chinese pairs of characters that was said and must be in the order.
_NO_DEEDS = (Category.PERSON, Category.GROUP, Category.PLACE, Category.TIME)
_THINGS = (Category.HABIT, Category.PAST, Category.THING, Category.TIME)
_NAME = re.compile(r"(?<=[^\s.!?:\"“”'’(])[ \t]+((?!I\b|I['’])[A-Z][^\W_]*)")
# What was done less often is no habit that could be given up: a model sees when it was done last.
_AGAIN_AND_AGAIN = 4


def find_reading_objection(
    perceived: Perceived,
    reading: ModelReading,
    cited: Sequence[CitableSource],
    similarity: Alike | None,
    apps: Sequence[str],
    turns: Sequence[EarlierTurn] = (),
) -> Objection | None:
    """Why an order that a model wrote must not be carried out; None if nothing speaks against it.

    `turns` are those before, the newest first, where the order must go on from one of them.
    """
    if not cited or not reading.order or not is_usable_instruction(reading.order):
        return Objection.UNSAYABLE
    is_unsaid = _is_unsaid(perceived.command, reading.order, cited)
    said = " · ".join((perceived.command, *(text for source in cited for text in source.texts)))
    is_invented = unsaid_amounts(perceived.command, reading.order, said)
    if turns:
        perceived, reading, cited, turns = _with_plain_times(perceived, reading, cited, turns)
    command, order = perceived.command, reading.order
    memory = " · ".join(text for source in cited for text in source.texts)
    if is_unsaid and _is_unsaid(command, order, cited):
        return Objection.UNSAID
    if (objection := _objection_to_deed(perceived, reading, cited, similarity)) is not None:
        return objection
    done = " · ".join(text for source in cited if source.candidate.preference for text in source.texts)
    replaced = " · ".join(replacement.words for replacement in reading.replaced)
    is_of_another = means_relative(command, done) or names_unknown_relative(replaced, memory)
    if is_of_another or _is_about_something_else(perceived, reading, cited, similarity):
        return Objection.OWNER
    if (named := find_named_app(command, apps)) and named.casefold() not in order.casefold():
        return Objection.APP
    amounts, stated = amounts_of(order), amounts_of(command)
    own = kept_words(command, reading)  # By how much a time is shifted is in the new time, which follows.
    kept = amounts_of(GLUED.sub(" ", spell_out_thousands(without_durations(own) if turns else own)))
    # Chinese tells a story in the same breath; its numbers stay behind an order without any of the memory.
    is_story = detect_language(command) is CommandLanguage.ZH and portions_of(order) <= stated
    if not kept <= amounts and not is_story:
        return Objection.NUMBER
    if is_invented and unsaid_amounts(command, order, f"{command} · {memory}"):
        return Objection.INVENTED
    # “Take me there” navigates to what was looked up.
    kinds = find_verb_kinds(without_leaning(command, language_code(command))) if turns else frozenset[str]()
    verb = order.partition(" ")[0] if kinds & find_verb_kinds(order) else ""
    free_words = "another one more 再又" if turns and wording("asks_more").search(command) else ""
    free_words += " change move 改把到的" * bool(turns)
    if says_new_things(command, order, " · ".join((memory, verb, free_words, *apps)), similarity):
        return Objection.INVENTED
    if _loses_message(command, reading, memory) or _loses_names(command, reading):
        return Objection.LOST
    return find_turn_objection(perceived, reading, cited, turns, similarity) if turns else None


def settle_reading(command: str, reading: ModelReading, sources: Sequence[CitableSource]) -> ModelReading:
    """A reading without names in titles; what then takes nothing from memory is done as it was said.

    What it takes from memory is said in the user's own spelling beside that: a message is sent word for word.
    """
    order = (settled := without_titles(command, reading)).order
    if not order or reading.decision != "fill":
        return reading
    cited = [each for each in sources if each.id in reading.sources]
    spelt = in_own_spelling(command, settled, " · ".join(text for each in cited for text in each.texts))
    if reading.sources and order == reading.order:
        return spelt
    new = content_of(order) - content_of(command)
    used = tuple(each.id for each in cited if new & content_of(" · ".join(each.statements)))
    is_alike = amounts_of(order) <= amounts_of(command) and all(has_like_word(command, word) for word in new)
    is_alike = is_alike and not _does_what_is_excluded(command, settled, ())
    if not used and (is_alike or reading.sources):
        said = {"decision": ReadingDecision.AS_SAID, "order": order if is_alike else "", "sources": ()}
        return settled.model_copy(update=said)
    return spelt.model_copy(update={"sources": used})


def _is_unsaid(command: str, order: str, cited: Sequence[CitableSource]) -> bool:
    """Whether nobody said an amount or a name, and no answer shown to the user did: those fill in nothing."""
    answers = (source.turn.answer for source in cited if source.turn is not None)
    seen = " · ".join((command, *(text for source in cited for text in source.texts), *answers))
    names = find_names(order, language_code(order)) - word_keys(seen)
    return bool(unsaid_amounts(command, order, seen) or names)


def _with_plain_times(
    perceived: Perceived, reading: ModelReading, cited: Sequence[CitableSource], turns: Sequence[EarlierTurn]
) -> tuple[Perceived, ModelReading, Sequence[CitableSource], Sequence[EarlierTurn]]:
    """A line, its reading and the turns before with times of day written alike.

    A line without what only colours it, or with the time that it shifts that of the turn to. All is as it is
    where the turn has no time, the line names somebody, or money or a measure is named: 6.30
    may be a price. 630 is half past six only behind an alarm.
    """
    texts = [perceived.command, reading.order, *(text for source in cited for text in source.texts)]
    before = " · ".join(turn.instruction for turn in turns[:1])
    is_alarm = wording("sets_alarm").search(before) is not None
    times = (value.text for value in find_values(before) if value.kind is ValueKind.TIME)
    has_time = is_alarm or any(_BARE_DECIMAL.fullmatch(text) is None for text in times)
    if perceived.elements or not has_time or any(map(has_measure, texts)):
        return perceived, reading, cited, turns

    def plain(text: str) -> str:
        text = wording("tomorrow_written").sub("tomorrow", with_clock_digits(_HALF_ZH.sub(r"\1点\2分", text)))
        return _CLOCK.sub(partial(_plain_time, is_alarm), text)

    def plain_turn(turn: EarlierTurn) -> EarlierTurn:
        return replace(turn, said=plain(turn.said), instruction=plain(turn.instruction))

    def plain_source(source: CitableSource) -> CitableSource:
        turn = plain_turn(source.turn) if source.turn is not None else None
        return replace(source, texts=tuple(map(plain, source.texts)), turn=turn)

    replaced = [Replacement(words=plain(each.words), by=plain(each.by)) for each in reading.replaced]
    stays = tuple(map(plain, reading.stays))
    order = {"order": plain(reading.order), "replaced": tuple(replaced), "stays": stays}
    command = wording("leans_retracting").sub("", mend_fillers(perceived.command))
    bare = wording("more_of_same").sub("", command)
    corrections = read_correction(turns[0].instruction, bare.removesuffix("的"))
    # “Ten minutes earlier” says the time that this is, “one more ten minutes later” that as well.
    new = corrections[0].new if len(corrections) == 1 and corrections[0].old else ""
    time = with_clock_digits(_HALF_ZH.sub(r"\1点\2分", new))
    if _CLOCK.fullmatch(time) and time not in command:
        command = time if bare == command else f"{time}也要" if has_chinese(command) else f"and {time} too"
    line = replace(perceived, command=plain(command))
    return line, reading.model_copy(update=order), [*map(plain_source, cited)], [*map(plain_turn, turns)]


def _plain_time(is_alarm: bool, match: re.Match[str]) -> str:
    """A time of day by twelve hours: 18.30 and “6:30pm” are “6:30 pm”, 7:00 is 7."""
    hour, half = int(match["hour"]), (match["half"] or "").strip()[:1].casefold()
    minute = match["minute"] or (match["glued"] if is_alarm else "") or ""
    if hour >= _HOURS or not (minute or half) or (match["glued"] and not minute):
        return match[0]
    half = half or ("p" if hour > _NOON else "" if hour else "a")
    minutes = f":{minute}" if minute.strip("0") else ""
    return f"{(hour - 1) % _NOON + 1}{minutes} {half}m" if half else f"{hour}{minutes}"


_CLOCK = lazy_regex(
    r"(?<![\d.:：])(?P<hour>\d{1,2})(?:[.:：](?P<minute>[0-5]\d)|(?P<glued>[0-5]\d))?"
    r"(?P<half>\s?[ap]\.?m\b\.?)?(?!\d|[.:：]\d|\s?%)",
    re.IGNORECASE,
)
_HALF_ZH = lazy_regex(r"(?<=[上午晚晨])(\d{1,2})[:：](\d\d)(?!\d)")
_BARE_DECIMAL, _HALF = lazy_regex(r"\d+\.\d+"), lazy_regex(r"(?<=\d )[ap]m\b")
_NOON, _HOURS = 12, 24


def _objection_to_deed(
    perceived: Perceived, reading: ModelReading, cited: Sequence[CitableSource], similarity: Alike | None
) -> Objection | None:
    """Why what an order does is not what the command wants; None if nothing speaks against it.

    A command may tell a story before it asks, so the words that were replaced say first what is to be done.
    """
    command, order = perceived.command, reading.order
    code = language_code(command)
    replaced = " ".join(replacement.words for replacement in reading.replaced)
    ways = [source.candidate.preference for source in cited]
    times = sum(len(way.prototype.members) for way in ways if way is not None)
    has_stopped = all(way is not None and way.has_stopped for way in ways) and times >= _AGAIN_AND_AGAIN
    if has_stopped and not FORMER.search(command):
        return Objection.STOPPED
    if is_disliked(command, code):
        return Objection.DISLIKED
    if is_recurring(command) and not is_recurring(order):
        return Objection.DAY
    if _does_what_is_excluded(command, reading, cited):
        return Objection.NEGATED
    if _swallows_deed(perceived, reading) or _is_another_habit(perceived, cited, similarity):
        return Objection.KIND
    asked = without_exclusions(command)
    opposes = [signatures_oppose(signature(words), signature(order)) for words in (asked, replaced)]
    if opposes[0] and (opposes[1] or not signature(replaced)):
        return Objection.OPPOSITE
    kinds, done = every_verb_kind(command), find_verb_kinds(order)
    # Who goes somewhere and wants music names both; neither costs anything.
    differs = kinds and not kinds & done and not kinds | done <= {"go", "play"}
    is_other = done and (differs or only_sends_words(command, order))
    theirs = (order, *(text for source in cited for text in source.statements))
    is_marked = any(element.text != command.strip() for element in perceived.elements)
    # A Chinese verb has no end by which it is known.
    verb = find_verb(command) if detect_language(command) is CommandLanguage.EN else ""
    shares_amount = bool(amounts_of(command) & amounts_of(order))
    is_explicit = bool(signature(command) or verb) and not (is_marked or kinds & done or shares_amount)
    is_other = is_other or (is_explicit and shares_no_word(command, theirs, similarity))
    return Objection.KIND if is_other else None


def _is_another_habit(perceived: Perceived, cited: Sequence[CitableSource], similarity: Alike | None) -> bool:
    """Whether a command calls something usual that no cited habit does: “my usual coffee” is no noodles.

    Where it does not say what is usual, another word of it must be of the habit: who is hungry and wants “the
    usual” may want no song.
    """
    command = perceived.command
    usual = [element for element in perceived.elements if element.category is Category.HABIT]
    is_bare = all(map(is_headless, usual))

    def is_another(way: Preference, texts: Sequence[str]) -> bool:
        is_other = any(is_another_thing(element, way.prototype, command, similarity) for element in usual)
        return is_other or (is_bare and shares_no_word(command, texts, similarity))

    ways = [(way, source.statements) for source in cited if (way := source.candidate.preference) is not None]
    return bool(usual and ways) and all(is_another(way, texts) for way, texts in ways)


def _swallows_deed(perceived: Perceived, reading: ModelReading) -> bool:
    """Whether a whole order took the place of a part of a command that asks for another deed beside it.

    Words for a time, place or person that the order does not name are no deed: “after work” is no noodles.
    """
    command, order = perceived.command, normalize_key(reading.order)
    whole = [each.words for each in reading.replaced if normalize_key(each.by) == order]
    parts = {normalize_key(words) for words in whole if words.strip() != command.strip()}
    others = [each.text for each in perceived.elements if each.category in _NO_DEEDS]
    done = content_of(reading.order)
    is_of_other = any(normalize_key(text) in parts and not content_of(text) & done for text in others)
    return is_of_other or (bool(parts) and lacks_verb(reading.order, kept_words(command, reading)))


def _does_what_is_excluded(command: str, reading: ModelReading, cited: Sequence[CitableSource]) -> bool:
    """Whether an order does or has what its command excludes.

    An excluded thing is found by its words. An excluded deed is not done where the rest of the command asks
    for something that the order or its sources have, and no replaced word is among the excluded ones.
    """
    # “No wait, …” takes back what was said before, and excludes nothing of what follows.
    command = wording("leans_retracting").sub("", command)
    asked = content_of(without_exclusions(command))
    theirs = content_of(" ".join(each.words for each in find_exclusions(reading.order)))
    done = content_of(reading.order) - theirs
    memory = content_of(" ".join(text for source in cited for text in source.texts))
    replaced = [replacement.words.strip() for replacement in reading.replaced]
    for each in find_exclusions(command):
        excluded = content_of(each.words)
        is_explained = any(w in each.words for w in replaced if w) or not asked & (done | memory)
        if excluded & done - asked or (each.of_deed and not excluded & theirs and is_explained):
            return True
    return False


def _is_about_something_else(
    perceived: Perceived, reading: ModelReading, cited: Sequence[CitableSource], similarity: Alike | None
) -> bool:
    """Whether a cited fact is about what was not said, or of two only the user can tell.

    "My landlord" is nobody else, no order is a person, no lunch a favourite song, and of two sisters no model
    knows which is meant. A description without a relation ("the old lady downstairs") may be anybody, and a
    note may be about anything.
    """
    command, roles = perceived.command, roles_in(perceived.command)
    replaced = {normalize_key(replacement.words) for replacement in reading.replaced}
    things = [normalize_key(element.text) for element in perceived.elements if element.category in _THINGS]
    names_thing = not replaced.isdisjoint(things)
    for source in cited:
        fact = source.candidate
        if fact.origin is not MeaningOrigin.PROFILE or fact.key == CONTACT:
            continue
        if fact.key.casefold() not in OF_PEOPLE:
            is_used = fact.value.casefold() in reading.order.casefold() and fact.key != NOTE
            if is_used and perceived.elements and not _is_asked_for(fact, perceived, reading, similarity):
                return True
            continue
        about = normalize_key(fact.about)
        is_said = canonical_role(about) in roles or (about not in roles and about in normalize_key(command))
        if fact.is_disputed or ((roles or names_thing) and not is_said):
            return True
    return False


def _is_asked_for(
    fact: MeaningCandidate, perceived: Perceived, reading: ModelReading, similarity: Alike | None
) -> bool:
    """Whether some words that depend on the user name what a fact is about."""
    command, order, about = perceived.command, reading.order, normalize_key(fact.about)
    stated = content_of(without_vague(subject := f"{fact.about} {fact.key}"))
    is_goal = is_delivered_to(command, about)
    for element in perceived.elements:
        named = content_of(words := without_vague(element.text))
        rest = named - stated if element.category is Category.PLACE else frozenset()  # A home town.
        is_named = bool(named & stated) and not without_kin(rest, stated, similarity)
        # The shop by the office is another place.
        besides = content_of(command.replace(element.text, " ", 1)) - content_of(order)
        is_alone = not any(len(each) == 1 or each[0] < "\u3400" for each in besides)
        is_alias = (is_goal or is_alone) and is_same_value(element.text, fact.about)
        is_named |= is_alias or canonical_role(about) in roles_in(element.text)
        if is_named or likeness(words, [fact.about, subject], similarity) >= _SAME_SUBJECT:
            return True
    return False


def _loses_message(command: str, reading: ModelReading, memory: str) -> bool:
    """Whether words that the command only mentions, as those of a message, are not in the order.

    A message is sent word for word, but for words of it that words of memory replace which deny as much.
    """
    done, code = word_set(reading.order), language_code(command)
    for start, end in mentioned_spans(command, code):
        said = word_set(command[start:end])
        if len(said - done) > ((1 - _KEPT) * len(said) if code in ("zh", "ja") else 0):
            return True
    values, sent = _values_by_kind(command), _values_by_kind(reading.order).get(ValueKind.TEXT, "")
    message, names = values.get(ValueKind.TEXT, ""), [""]
    if not message or not (ValueKind.PERSON in values or tells_somebody(command)):
        return False
    for words, by in ((each.words.casefold(), each.by.casefold()) for each in reading.replaced):
        is_told = words.strip() and content_of(by) and by.strip() in memory.casefold()
        if is_told and negations_of(words) == negations_of(by) and message not in words:
            message = message.replace(words, by, 1)
            names.append("".join(words_of(by)))
    text = f" {' '.join(words_of(sent or reading.order))} "
    before, message_words, rest = text.partition(f" {' '.join(words_of(message))} ")
    if not sent:
        return not message_words or negations_of(reading.order) > negations_of(command)
    # Of a name before a message, the end may be taken for its beginning.
    return not message_words or bool(rest) or not any(before.replace(" ", "") in name for name in names)


def _loses_names(command: str, reading: ModelReading) -> bool:
    """Whether a capitalised name of the request that the reading does not replace is not in the order.

    What stands in another clause than all words that are replaced or stay only tells why: “Leo is here, my
    usual tea”.
    """
    if language_code(command) in ("zh", "ja", "de"):
        return False
    days = weekday_names(language_code(command))
    order = reading.order.casefold()
    parts = [*(replacement.words for replacement in reading.replaced), *reading.stays]
    used = [(at, at + len(part)) for part in parts if part.strip() and (at := command.find(part)) >= 0]
    kept = kept_words(command, reading)
    for match in _NAME.finditer(command):
        name = match[1].casefold()
        if name in days or name in order or match[1] not in kept:
            continue
        before = max((end.end() for end in CLAUSE_END.finditer(command, 0, match.start())), default=0)
        behind = CLAUSE_END.search(command, match.end())
        until = behind.start() if behind else len(command)
        if not used or any(start < until and end > before for start, end in used):
            return True
    return False


def find_turn_objection(
    perceived: Perceived,
    reading: ModelReading,
    cited: Sequence[CitableSource],
    turns: Sequence[EarlierTurn],
    similarity: Alike | None,
) -> Objection | None:
    """Why an order that takes something from a turn before must not be carried out; None for nothing."""
    command, order = perceived.command, reading.order
    line = without_leaning(command, language_code(command))
    sources = [source.turn for source in cited if source.turn is not None]
    if not sources:
        return Objection.OTHER_TURN
    turn, code = turns[0] if turns[0] in sources else sources[0], language_code(order)
    if turn != turns[0] and (len(sources) > 1 or not _names_turn(line, turn, turns)):
        return Objection.OTHER_TURN
    if detect_language(order) not in (detect_language(line), detect_language(turn.instruction)):
        return Objection.UNSAYABLE
    if (objection := _objection_to_people(perceived, reading, cited, turn)) is not None:
        return objection
    if _adds_characters(order, " ".join((command, *(text for source in cited for text in source.texts)))):
        return Objection.INVENTED
    if (changed := _objection_to_times(line, order, turn)) is not None:
        return changed
    taken = content_of(order) & content_of(f"{turn.instruction} {turn.said}")
    loses_own = _loses_own_words(line, reading, cited, similarity)
    if not taken - content_of(command) or loses_own or _loses_words_of_turn(line, order, turn):
        return Objection.LOST
    texts, negation = map(mask_lookalikes, (order, turn.instruction)), exact_words(code).negation
    negations = [contains_any(text, negation, code) for text in texts]
    denies = find_exclusions(perceived.command) or declines_anything(perceived.command)
    if negations[0] is not negations[1] and not denies:
        return Objection.NEGATED
    kinds, done = find_verb_kinds(turn.instruction), find_verb_kinds(order)
    is_own_deed = bool(find_verb_kinds(line)) or tells_somebody(line)
    verbs = word_set(f"{line} {turn.instruction} {turn.said}")
    verb = order.partition(" ")[0].casefold()
    is_new = verb in english_words.VERBS - {"change", "move"} and not word_set(verb) <= verbs
    if is_new and not (
        done & (kinds | find_verb_kinds(line))
        or (tells_somebody(order) and (tells_somebody(line) or tells_somebody(turn.instruction)))
        or signature(line) & signature(order)
        or signatures_oppose(signature(turn.instruction), signature(order))
    ):
        return Objection.KIND
    if not is_own_deed and (
        (kinds and done and not kinds & done)
        or (tells_somebody(turn.instruction) is not tells_somebody(order) and kinds != done)
    ):
        return Objection.KIND
    before, own = signature(turn.instruction), signature(line)
    if signatures_oppose(before, signature(order)) and not own and not signatures_oppose(before, own):
        return Objection.OPPOSITE
    return Objection.REPEATED if repeats_deed(perceived.command, order, turn) else None


def _objection_to_times(line: str, order: str, turn: EarlierTurn) -> Objection | None:
    """Whether an order keeps what a line replaces, is for another half of the day, or is done only once."""
    if _keeps_replaced_value(line, order, turn):
        return Objection.CHANGED
    said, done, halves = (frozenset(_HALF.findall(text)) for text in (line, turn.instruction, order))
    if not said <= halves or not halves <= said | done:
        return Objection.NUMBER
    repeated = wording("repeated_days")
    return Objection.DAY if repeated.search(line) and not repeated.search(order) else None


def declines_anything(line: str) -> bool:
    """Whether a line denies, refuses or leaves out something."""
    words = exact_words(code := language_code(line))
    return contains_any(mask_lookalikes(line), (*words.negation, *words.declining, *words.exclusion), code)


def repeats_deed(line: str, order: str, turn: EarlierTurn) -> bool:
    """Whether an order would pay, send or book once more what was done, and the line does not ask for more.

    “And also tell mom” and “another one” do; “make it two” may mean one more or what was ordered.
    """
    if turn.outcome not in (Outcome.SUCCESS, Outcome.UNCONFIRMED):
        return False
    asks_more = wording("asks_more").search(line) is not None
    if deed_key(order) == deed_key(turn.instruction) and not asks_more:
        return True
    costs, before = wording("costs", language_code(order)), wording("costs", language_code(turn.instruction))
    has_cost = turn.has_deed or (turn.has_deed is None and before.search(turn.instruction) is not None)
    return bool(has_cost) and costs.search(order) is not None and not asks_more


def _names_turn(line: str, turn: EarlierTurn, turns: Sequence[EarlierTurn]) -> bool:
    """Whether a line says a word that an older turn has and no newer one: “and cancel the taxi”."""
    newer = turns[: turns.index(turn)] if turn in turns else turns
    said = content_of(line) & content_of(f"{turn.instruction} {turn.said}")
    return bool(said - content_of(" ".join(f"{each.instruction} {each.said}" for each in newer)))


def _people_in(text: str) -> frozenset[str]:
    """Whom an instruction addresses, by name or relation, and not whom its message speaks of."""
    values = find_values(text)
    message = next((value.start for value in values if value.kind is ValueKind.TEXT), len(text))
    named = {value.text.casefold() for value in values if value.kind is ValueKind.PERSON}
    named |= {name.casefold() for name, _role in find_contacts(text)}
    return frozenset({*map(canonical_role, map(normalize_key, named)), *roles_in(text[:message])})


def _objection_to_people(
    perceived: Perceived, reading: ModelReading, cited: Sequence[CitableSource], turn: EarlierTurn
) -> Objection | None:
    """Whether an order addresses others than the line says, or without a word of it than the turn does."""
    command, order = perceived.command, reading.order
    line = without_leaning(command, language_code(command))
    facts = [source.candidate for source in cited if source.turn is None]
    elements = [each.text for each in perceived.elements if each.named_on_phone and not each.is_pronoun]
    said = {canonical_role(normalize_key(text)) for text in elements} | roles_in(line) | _people_in(line)
    # “His brother Leo” is Leo, and “dad the same” is nobody called “the”.
    pairs = ((match["role"].casefold(), match["name"].casefold()) for match in _NAMED_RELATIVE.finditer(line))
    named = {role: name for role, name in pairs if content_of(name)}
    roles = {
        canonical_role(role) for role, name in named.items() if is_role(role) and name in order.casefold()
    }
    said = said - roles | {name for role, name in named.items() if canonical_role(role) in roles}
    said |= {name for name in find_names(line, language_code(line)) if tells_somebody(line) or said}
    addressed, before = _people_in(order), _people_in(turn.instruction) | _people_in(turn.said)
    people = {
        canonical_role(normalize_key(fact.value))
        for fact in facts
        if canonical_role(normalize_key(fact.about)) in said
    }
    values = [fact.value.casefold() for fact in facts]
    if said:
        folded = order.casefold()
        is_named = all(
            each in folded
            or any(each in value for value in values)
            or any(canonical_role(normalize_key(fact.about)) == each for fact in facts if fact.value in order)
            or each in addressed
            for each in said
        )
        others = {each for each in addressed & before if each not in said | people}
        is_of_others = any(not _is_among(each, said | people) for each in others)
        people |= said | set(values)
        is_strange = any(not _is_among(each, people) for each in addressed - before)
        return Objection.OWNER if is_of_others or is_strange or not is_named else None
    return Objection.OWNER if any(not _is_among(each, before | {*values}) for each in addressed) else None


def _is_among(name: str, names: frozenset[str] | set[str]) -> bool:
    return any(name == other or f" {name} " in f" {other} " or f" {other} " in f" {name} " for other in names)


def _adds_characters(order: str, said: str) -> bool:
    """Whether a Chinese order has two characters or more, as of a name, that neither line nor turn have."""
    return len({*chinese_characters(order)} - {*said, *_VERBS_HAN}) > 1


def _keeps_replaced_value(line: str, order: str, turn: EarlierTurn) -> bool:
    """Whether an order has a new value and still the old one of the turn, which the new one should replace.

    Nor may a message that is told again say more than before.
    """
    line_values, before = _values_by_kind(line), _values_by_kind(turn.instruction)
    if ValueKind.COUNT in kinds_of(line_values.get(ValueKind.ITEM, "")):
        del line_values[ValueKind.ITEM]  # 再来一杯 names no other drink.
    for kind in line_values.keys() & before.keys() - {ValueKind.TEXT}:
        old = before[kind]
        if old != line_values[kind] and old not in line.casefold() and old in order.casefold():
            return True
    new, old_amounts = amounts_of(line) - amounts_of(turn.instruction), amounts_of(turn.instruction)
    if new and old_amounts and old_amounts - amounts_of(line) and old_amounts | new <= amounts_of(order):
        return True
    texts = [_values_by_kind(text).get(ValueKind.TEXT, "") for text in (order, turn.instruction)]
    return bool(all(texts) and content_of(texts[0]) - content_of(f"{texts[1]} {line}"))


def _values_by_kind(text: str) -> dict[ValueKind, str]:
    return {value.kind: value.text.casefold() for value in reversed(find_values(text))}


def _loses_own_words(
    line: str, reading: ModelReading, cited: Sequence[CitableSource], similarity: Alike | None
) -> bool:
    """Whether what a line says itself is neither in the order nor replaced by what a fact tells of it."""
    order, code = reading.order, language_code(line)
    bare = wording("leans_added", code).sub("", without_leaning(line, code))
    if not amounts_of(bare) <= amounts_of(order) or not weekdays_of(bare, code) <= weekdays_of(order, code):
        return True
    if (hour := find_hour(bare)) is not None and find_hour(order) != hour:
        return True
    facts = " · ".join(text for source in cited if source.turn is None for text in source.texts)
    for replacement in reading.replaced:
        if word_set(replacement.by) & word_set(facts):
            bare = bare.replace(replacement.words, " ", 1)
    words = exact_words(code)
    idle = word_set(" ".join((*words.function, *words.change, *words.referring, *words.contentless)))
    idle |= english_words.PRONOUNS | english_words.DETERMINERS | english_words.ADVERBS
    idle |= english_words.LIGHT_VERBS | word_set(" ".join(words.fillers))
    if tells_somebody(order) or any(value.kind is ValueKind.TEXT for value in find_values(order)):
        idle |= word_set(" ".join(words.telling))
    if find_verb_kinds(bare) & find_verb_kinds(order):
        idle |= word_set(find_verb(bare))
    if code in ("zh", "ja"):
        characters = {each for each in content_of(bare) if len(each) == 1 and each not in _IDLE_HAN}
        return len(characters & set(order)) < _KEPT * len(characters)
    roles = roles_in(line)
    absent = word_set(bare) - VERBS - idle - word_set(order)
    lost = frozenset(each for each in absent if len(each) > 1 and canonical_role(each) not in roles)
    return bool(without_kin(lost, word_set(order), similarity))


_NAMED_RELATIVE = re.compile(r"(?P<role>[^\W\d_]+) (?P<name>[^\W\d_]+)")
_VERBS_HAN = frozenset(
    "的了把给跟和用在到去从向对发送说告诉消息打电话叫买点订关开启闭设置改成换将为请帮一个条份下吧取"
)
_IDLE_HAN = frozenset("也再还都跟给和向把发说告诉通知一声下样同改换成到为就那这刚才又来条个份让")
# Minimum share of the words of the turn before that an order keeps, beside those of people and times.
_LOST_OF_TURN, _MESSAGE_KEPT = 0.5, 0.9


def _loses_words_of_turn(line: str, order: str, turn: EarlierTurn) -> bool:
    """Whether an order lacks what the turn before says and the line does not change.

    A message is told word for word, unless the line has one of its own. Amounts and times go only where the
    line has others.
    """
    code, done = language_code(line), turn.instruction
    message = next((each.text for each in find_values(done) if each.kind is ValueKind.TEXT), "")
    own = _values_by_kind(line).get(ValueKind.TEXT, "")
    has_own = bool(content_of(own) - _IDLE_HAN) or bool(mentioned_spans(line, code))
    if message and tells_somebody(order) and not has_own:
        missing, message_content = content_of(message) - content_of(order), content_of(message)
        if len(missing) > (0 if code not in ("zh", "ja") else (1 - _MESSAGE_KEPT) * len(message_content)):
            return True
    changes = amounts_of(line) or weekdays_of(line, code) or find_hour(line) is not None
    is_changed = bool(changes) or wording("later").search(line) is not None
    if not amounts_of(done) <= amounts_of(order) and not is_changed:
        return True
    people = {part for each in _people_in(done) for part in each.split()}
    kept = {each for each in content_of(done) - VERBS if each not in people and not each[0].isdigit()}
    is_own_deed = bool(find_verb_kinds(line)) or tells_somebody(line) or bool(signature(line))
    return bool(kept) and not is_own_deed and len(kept & content_of(order)) < _LOST_OF_TURN * len(kept)

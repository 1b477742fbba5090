"""Missing elements: which other source or app to look into (explore), and what to ask the user (ask).

A lookup (PerPilot) is a read-only task for the turn engine, in one app and with few steps; every sensitive
action is refused. Another source is a tool that a model chooses, and in whose answer it reads a value. Both
answers are data and are validated.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from assistant.files import read_words
from assistant.i18n import _, has_chinese, sentences
from assistant.memory.prototypes.terms import VERBS, infinitive, plain_command, with_own_words, word_set
from assistant.model.types import ModelError, SourceTool, one_line, quoted, read_object
from assistant.skills.command_wording import ValueKind, find_values, read_correction
from assistant.understand.habit_match import find_agreed, has_like_word, is_lasting, things_in
from assistant.understand.languages.patterns import read_about_asked
from assistant.understand.perceive import (
    Leaning,
    begins_order,
    find_answer_problem,
    find_clause_around,
    is_order,
    is_quoted,
    perceive,
    read_leaning,
    strip_greeting,
)
from assistant.understand.resolution import (
    MAX_CHOICES,
    LearnedAnswer,
    Meaning,
    Resolution,
    find_named_app,
    leave_as_said,
    order_of_habit,
    said_just_now,
    value_of_span,
)
from assistant.understand.slots import (
    app_kinds,
    find_hour,
    find_topics,
    find_verb_kinds,
    in_half_of_day,
    kinds_from_label,
    occurs_at,
    purposes_of,
    tells_somebody,
)
from assistant.understand.types import (
    MAX_VALUE_LENGTH,
    RECURRING,
    TEXT,
    AnswerReading,
    Category,
    CommandLanguage,
    LookupResult,
    LookupTask,
    MeaningCandidate,
    MeaningOrigin,
    OtherCommand,
    PersonalizedElement,
    Question,
    ReadAnswer,
    ReadingModel,
    Sources,
    is_usable_value,
    normalize_key,
    normalize_value,
    object_schema,
)
from assistant.understand.verify import asks_something, may_be_meant
from assistant.understand.words import (
    CLAUSE_END,
    TokenClass,
    amounts_of,
    detect_language,
    english_words,
    exact_words,
    tokenize,
    wording,
    words_in_all,
)

_log = logging.getLogger(__name__)

MAX_SOURCE_CALLS = 3
"""The most calls of other sources for one command."""
_TOPIC_BONUS = 0.5
_NAMED_BONUS = 0.4
_CONTACTS, _OWN_FACT_FACTOR = "contacts", 0.4
"""Contacts hold facts about other people, seldom about the user."""
_LABEL_WEIGHT = 0.5
"""Weight of the cosine of a request and an app's label beside that score. Chosen, not measured apart."""
_TO = wording("to_place")
_LONGEST_LABEL = 60
_LONGEST_PLACE = 120
_NO_ANSWER = frozenset(("", *words_in_all("no_answer")))


_PROMPTS: Mapping[str, str] = read_words("assistant.understand", "explore.yaml")
SOURCE_RULES, SOURCE_VALUE_RULES = _PROMPTS["choose"], _PROMPTS["read"]
ANSWER_RULES = _PROMPTS["answer"]

SOURCE_SCHEMA = object_schema(tool={"type": "integer"}, arguments=TEXT)

SOURCE_VALUE_SCHEMA = object_schema(value=TEXT)

ANSWER_SCHEMA = object_schema(
    reading={"type": "string", "enum": ["value", "as_said", "order", "unclear"]}, words=TEXT
)


def find_likely_apps(
    element: PersonalizedElement, command: str, apps: Sequence[str], sources: Sources
) -> list[str]:
    """The apps that may hold the meaning of an element, likeliest first.

    An app counts by what apps of its kind hold, and by how near its label is to the request. The app in which
    a time or fact is to be used does not hold it yet: the clock of “an alarm for when my lesson starts” does
    not know the lesson.
    """
    clause = find_clause_around(command, element)
    labels = [label for label in apps if is_usable_value(label)]
    kinds: dict[str, Mapping[str, float]] = {label: kinds_from_label(label) for label in labels}
    if sources.app_kinds is not None:
        kinds |= sources.app_kinds([label for label, kind_scores in kinds.items() if not kind_scores])
    is_of_deed = element.category in (*RECURRING, Category.THING)
    topics = find_topics(element.text) or (find_topics(clause) if is_of_deed else frozenset())
    if _is_travelled_to(element, clause):
        element, topics = replace(element, category=Category.PLACE), frozenset()
    scores = {
        label: max((share * _app_score(kind, element, topics) for kind, share in shares.items()), default=0.0)
        for label, shares in kinds.items()
    }
    if element.category not in (Category.PLACE, Category.TIME, Category.FACT):
        named_label = find_named_app(clause, apps)
        for label, score in scores.items():
            scores[label] = score + _NAMED_BONUS * (label == named_label)
    likely = [label for label in labels if scores.get(label)]
    likeness = sources.similarity(clause, likely) if sources.similarity is not None and likely else ()
    near = dict(zip(likely, likeness, strict=False))
    return sorted(likely, key=lambda label: -scores[label] - _LABEL_WEIGHT * max(near.get(label, 0.0), 0.0))


def _is_travelled_to(element: PersonalizedElement, clause: str) -> bool:
    """Whether a request goes to what an element calls habitual: “navigate to my favourite restaurant”."""
    before = clause[: max(clause.find(element.text), 0)]
    return "go" in find_verb_kinds(strip_greeting(clause)) and _TO.search(before) is not None


def make_lookup(
    element: PersonalizedElement, command: str, app: str, language: CommandLanguage
) -> LookupTask:
    """The lookup of an element in an app, with its task in the user's language."""
    phrases = _phrases(language)
    kind = phrases.get(f"lookup_{element.category.value}", phrases["lookup_other"])
    task = phrases["lookup"].format(
        app=one_line(app, _LONGEST_LABEL),
        words=quoted(element.text, 80),
        kind=element.head if element.category is Category.FACT else kind,
        command=quoted(command, 300),
    )
    return LookupTask(element, app, task)


def _phrases(language: CommandLanguage) -> Mapping[str, str]:
    """What is asked and looked up, by name, in the language of a command."""
    return exact_words("zh" if language is CommandLanguage.ZH else "en").phrases


def parse_lookup_answer(lookup: LookupTask, answer: str) -> LookupResult | None:
    """Parse the answer of a lookup; None if it found nothing, or a value that cannot be used."""
    value, _, place = one_line(answer).partition("|")
    value = normalize_value(value)
    truncated = value.endswith(("…", "..."))
    # A contact may have the user's own word as its name: "Mom".
    is_person = lookup.element.category in (Category.PERSON, Category.GROUP)
    repeats_element = normalize_key(value) == normalize_key(lookup.element.text) and not is_person
    is_app = normalize_key(value) == normalize_key(lookup.app)
    is_unusable = truncated or repeats_element or is_app or not is_usable_value(value)
    if value.casefold().strip(".。") in _NO_ANSWER or is_unusable:
        return None
    return LookupResult(value, normalize_value(place)[:_LONGEST_PLACE] or lookup.app)


def candidate_of_lookup(result: LookupResult, app: str) -> MeaningCandidate:
    """A value that was just read in an app."""
    why = _("read just now in {place}").format(place=f"{app}: {result.place}" if result.place != app else app)
    return MeaningCandidate(result.value, MeaningOrigin.EXPLORATION, _CONFIDENCE, why=why)


def candidate_of_source(value: str, tool: SourceTool) -> MeaningCandidate:
    """A value that a tool of another source told."""
    why = _("from {source}: {tool}").format(source=tool.server, tool=one_line(tool.name, 60))
    return MeaningCandidate(value, MeaningOrigin.MCP, _CONFIDENCE, why=why)


_CONFIDENCE = 0.7
"""Confidence of what was found elsewhere than in the memory: nobody has confirmed it."""


def _app_score(kind: str, element: PersonalizedElement, topics: frozenset[str]) -> float:
    holds = app_kinds()[kind].holds.get(element.category, 0.0)
    if topics and kind not in topics and element.category in (*RECURRING, Category.THING):
        # What is eaten is in no app of music.
        return 0.0
    owned = element.category is Category.FACT and bool(element.owner)
    if kind == _CONTACTS and element.category is Category.FACT and not owned:
        holds *= _OWN_FACT_FACTOR
    return holds + (_TOPIC_BONUS if kind in topics and not (element.named_on_phone or owned) else 0.0)


def read_value_answer(asked: str, command: str, words: str) -> ReadAnswer:
    """What an answer to the question what some words of a command stand for is; `asked` are these words.

    It sets X aside where it names it, “never mind the school”, or goes on with what the command orders, “it
    doesn't matter, just set the alarm”. Each word of a name is capitalised, or it stands in quotation marks.
    What else orders something, or repeats X and denies something, is doubted: no name has a verb of a task.
    """
    value = words.strip(" ,.;，。；!！")
    said = read_about_asked(asked, value)
    set_aside, names_it = said.set_aside, said.names_it
    rest = [part for part in said.rest if not _IDLE.fullmatch(part)]
    purposes = purposes_of(command) | ({"wake"} if wording("sets_alarm").search(command) else set())
    others = [part for part in rest if not (_ONLY_DOES.fullmatch(part) and purposes_of(part) <= purposes)]
    reading, words = AnswerReading.VALUE, said.told or value
    if not has_chinese(value) and all(word[0].isupper() or word[0].isdigit() for word in value.split()):
        reading = AnswerReading.DOUBT if set_aside and not others else AnswerReading.VALUE
    elif not others and (rest or (set_aside and names_it)):
        reading = AnswerReading.DISMISSAL
    else:
        denies = set_aside or (names_it and wording("denials").search(words) is not None)
        reading = AnswerReading.DOUBT if denies or any(map(_orders_something, rest)) else reading
    return ReadAnswer(reading, words, names_it)


def is_about_asked(asked: str, command: str, words: str) -> bool:
    """Whether an answer sets aside what is asked about, or says of it, by its words, what or who it is."""
    read = read_value_answer(asked, command, words)
    is_plain = read.reading is AnswerReading.VALUE and read.words == words.strip(" ,.;，。；!！")
    says_it = read.names_it and not (is_plain or asks_something(words))
    return says_it or read.reading is AnswerReading.DISMISSAL


def check_answer_reading(
    reply: str, by_rules: ReadAnswer, asked: str, command: str, words: str
) -> ReadAnswer:
    """What a model makes of an answer that the rules doubt, as far as the answer bears it out.

    A value stands in it and is one by the rules. Another order is one that the rules see. What does not
    matter takes nothing with it that the command lacks, such as another time.
    """
    content = read_object(reply)
    kind, text = content.get("reading"), content.get("words")
    value = normalize_value(text) if isinstance(text, str) else ""
    stands = bool(value) and one_line(value).casefold() in one_line(words).casefold()
    if kind == AnswerReading.VALUE and stands:
        read = read_value_answer(asked, command, value)
        if read.reading is AnswerReading.VALUE and is_usable_value(read.words):
            return read
    if kind == AnswerReading.DISMISSAL and amounts_of(words) <= amounts_of(command):
        return ReadAnswer(AnswerReading.DISMISSAL)
    if kind == AnswerReading.ORDER and stands and begins_order(value):
        return ReadAnswer(AnswerReading.ORDER, value)
    return by_rules


def _orders_something(clause: str) -> bool:
    """Whether a clause of an answer orders a deed; without an object it is a name: 打浦桥小学, Meet Fresh."""
    return begins_order(clause) and _HAS_OBJECT.search(clause) is not None


_ONLY_DOES, _IDLE, _HAS_OBJECT = map(wording, ("only_does", "idle_in_answer", "has_object"))
_DO_NOT_REMEMBER = words_in_all("forgetting")


@dataclass(frozen=True, slots=True)
class UserAnswer:
    """The user's answer, empty if there is none. Without `remember` it holds for this command only."""

    value: str
    remember: bool = True

    def candidate_for(self, question: Question) -> MeaningCandidate | None:
        """The answer as a value for the element that was asked about; None if there is no answer.

        Words that name a thing stand behind a whole command, so that nothing of it is lost, and beside one
        with a message, which they must not lengthen; another command takes its place, and so do words that
        cannot be its end: “to the station”, 改成去高铁站.
        """
        if not self.value:
            return None
        value, element = self.value, question.element
        is_command = value in question.choices or _is_command(value, element.text)
        is_part = element.is_whole_command and not is_command
        if is_part and any(each.kind is ValueKind.TEXT for each in find_values(element.text)):
            value = with_own_words(element.text, value)
        elif is_part and _fits_behind(value):
            colon = "：" if detect_language(element.text) is CommandLanguage.ZH else ": "
            value = f"{element.text.rstrip(' .。!！?？')}{colon}{value}"
        return said_just_now(value)


def make_question(
    element: PersonalizedElement, candidates: Sequence[MeaningCandidate], language: CommandLanguage
) -> Question:
    """The question about a missing element."""
    element_text, phrases = one_line(element.text, 60), _phrases(language)
    whys: dict[str, str] = {}
    for each in candidates:
        if each.value:
            whys.setdefault(one_line(each.value, MAX_VALUE_LENGTH), each.why)
    choices = tuple(whys)[:MAX_CHOICES]
    reasons = tuple(whys[choice] for choice in choices)
    if element.category is Category.REMARK:
        # What asks is not answered with a deed.
        is_asking = not element.owner and asks_something(element.text)
        kind = _REMARKS[2 if element.owner else is_asking]
        text, nothing = (
            phrases[kind].format(element_text, one_line(element.owner, 60)),
            phrases[f"{kind}_nothing"],
        )
        offered = () if is_asking else choices
        # What was read in the line is the likely answer.
        is_read = (
            bool(offered) and candidates[0].origin is MeaningOrigin.TURN and not candidates[0].is_disputed
        )
        choices = (*offered, nothing) if is_read else (nothing, *offered)
        reasons = reasons if is_read else ("", *reasons[: len(offered)])
        return Question(element, text, (*choices, phrases["as_said"]), reasons)
    name = element.category.value
    if element.is_whole_command:
        name = "choose" if choices else "open"
        # What was offered may all be wrong: then the words are carried out as they are.
        choices = (*choices, phrases["as_said"]) if choices else ()
    return Question(
        element, phrases.get(f"ask_{name}", phrases["ask_other"]).format(element_text), choices, reasons
    )


def parse_answer(question: Question, words: str) -> UserAnswer:
    """Parse the user's words: a number picks a choice; with “just this time” nothing is stored."""
    value, remember = normalize_value(words), True
    if question.element.category is Category.PERSON:
        value = normalize_value(_FILLS.sub(" ", value)).strip(" ,，") or value
    for phrase in _DO_NOT_REMEMBER:
        if phrase in value.casefold():
            at = value.casefold().index(phrase)
            value = (value[:at] + value[at + len(phrase) :]).strip(" ,.;，。；（）()")
            remember = False
    if value not in question.choices and value.isdecimal() and 1 <= int(value) <= len(question.choices):
        value = question.choices[int(value) - 1]
    same = normalize_key(value) == normalize_key(question.element.text) or value in AS_SAID
    return UserAnswer("" if same else value[:MAX_VALUE_LENGTH], remember)


_LANGUAGES = (CommandLanguage.EN, CommandLanguage.ZH)
AS_SAID = tuple(_phrases(language)["as_said"] for language in _LANGUAGES)
"""The answer that a whole command is to be carried out in the user's own words, in English and Chinese."""

_REMARKS = ("remark", "unanswered", "follows")
REMARK_QUESTIONS = tuple(
    tuple((_phrases(language)[kind], _phrases(language)[f"{kind}_nothing"]) for language in _LANGUAGES)
    for kind in _REMARKS
)
"""What is asked about a remark, a question and what goes on, and the answer that nothing is to be done."""
NO_DEED = {nothing for languages in REMARK_QUESTIONS for _text, nothing in languages}


class QuestionAsker(Protocol):
    """Asks the user."""

    async def __call__(self, question: Question, /) -> str:
        """The user's words; empty if the user does not answer."""


class AskedQuestions:
    """Asks the user about a command, and knows the last question and the answer to it.

    It is `set_aside` where the answer says that what was asked about does not matter. What the rules doubt
    the `model` reads, if there is one.
    """

    def __init__(self, ask_user: QuestionAsker, command: str = "", model: ReadingModel | None = None) -> None:
        self._ask_user, self._command, self._model = ask_user, command, model
        self.question: Question | None = None
        self.words, self.set_aside = "", False

    async def __call__(self, question: Question, /) -> str:
        """The user's words; empty if the user does not answer."""
        words = await self._ask_user(question)
        self.question, self.words = question, normalize_value(words)
        return words

    async def read(self, asked: PersonalizedElement, words: str) -> ReadAnswer:
        """What an answer is; of what a model makes of one only what stands in it is taken."""
        by_rules = read_value_answer(asked.text, self._command, words)
        if by_rules.reading in (AnswerReading.VALUE, AnswerReading.DISMISSAL) or self._model is None:
            return by_rules
        content = {"command": one_line(self._command, 500), "words": one_line(asked.text, 200)}
        content |= {"kind": asked.category.value, "answer": one_line(words)}
        try:
            reply = await self._model(ANSWER_RULES, json.dumps(content, ensure_ascii=False), ANSWER_SCHEMA)
        except ModelError as error:
            _log.warning("the model does not read an answer: %s", error)
            return by_rules
        return check_answer_reading(reply, by_rules, asked.text, self._command, words)

    def is_own(self, candidate: MeaningCandidate) -> bool:
        """Whether a value is the answer in words of its own, where there were choices, and no command."""
        question, words = self.question, self.words
        if question is None or not words or words.isdecimal() or words in question.choices:
            return False
        is_placed = candidate.value != words or not question.element.is_whole_command
        return bool(question.choices) and is_placed and candidate.value.endswith(words)


async def ask_meaning(
    meaning: Meaning,
    language: CommandLanguage,
    ask_user: AskedQuestions,
    lessons: list[LearnedAnswer],
    resolve: Callable[[str], Resolution] | None = None,
) -> MeaningCandidate | None:
    """Ask the user for the meaning of an element; adds the answer to the lessons if it is to be stored.

    An answer that only names a meal means what is usual then, whether it is offered or not. Where nothing
    is, the user is asked once more: no command has a meal in the place of a thing. An answer that gives a
    value of the command another one is read as this correction: 打给爸爸 to 打电话给妈妈.

    `resolve` resolves a command from the memory alone.
    """
    element, part = meaning.element, meaning.part
    question = make_question(element, meaning.candidates, language)
    answer = await _ask_until_fit(question, ask_user, part)
    if element.category is Category.TIME:
        answer = replace(answer, value=in_half_of_day(element.text, answer.value))
    if element.is_whole_command and answer.value not in question.choices and _names_meal(answer.value):
        usual = await asyncio.to_thread(_find_usual, element.text, answer.value, resolve)
        usual = usual or _find_meant(answer.value, question, meaning.candidates)
        if usual and usual not in question.choices:
            return said_just_now(usual)
        answer = replace(answer, value=usual) if usual else await _ask_until_fit(question, ask_user, part)
    own_words = answer.value
    if element.is_whole_command and own_words and own_words not in question.choices:
        meant = _find_meant(own_words, question, meaning.candidates)
        is_refusal = _REFUSES_FIRST.match(own_words) is not None
        read = () if meant else read_correction(element.text, own_words)
        corrections = [each for each in read if not is_refusal or (each.new and each.old)]
        if len(corrections) == 1:
            return said_just_now(corrections[0].command)
        if not meant and resolve is not None and _is_command(own_words) and own_words != element.text:
            remembered = await asyncio.to_thread(resolve, own_words)
            meant = remembered.instruction if remembered.meanings and not remembered.missing else ""
        answer = replace(answer, value=meant or own_words)
    if part is not None and answer.value not in question.choices and not _is_command(answer.value):
        question, element = replace(question, element=part), part
    candidate = answer.candidate_for(question)
    if candidate and element.is_whole_command:
        candidate = _complete_choice(candidate, meaning)
        if answer.value != own_words and any(
            not has_like_word(answer.value, each) for each in things_in(own_words)
        ):
            candidate = replace(candidate, value=with_own_words(candidate.value, own_words))
    elif candidate:
        candidate = _value_in_place(candidate, meaning, question)
    if candidate and answer.remember and is_lasting(element):
        lessons.append(
            LearnedAnswer(element.text, candidate.value, candidate.origin, candidate.why, confirmed=True)
        )
    return meaning.put_in_place(candidate) if candidate and element is part else candidate


async def _ask_until_fit(
    question: Question, ask_user: AskedQuestions, part: PersonalizedElement | None
) -> UserAnswer:
    """The user's answer; what cannot be of the kind that is asked for is asked again, with the reason.

    It is empty where what is asked about, or the `part` of a whole command, is set aside.
    """
    asked, element, ask_user.set_aside = question, question.element, False
    for _attempt in range(_MOST_ASKED):
        words = await ask_user(asked)
        answer = parse_answer(question, words)
        if not answer.value or answer.value in question.choices:
            ask_user.set_aside = normalize_value(words) in AS_SAID and not element.is_whole_command
            return answer
        target = part or element
        read = ReadAnswer(AnswerReading.VALUE, answer.value)
        if not (target.is_whole_command or is_quoted(words)) and target.category in _NAMED:
            read = await ask_user.read(target, answer.value)
        if read.reading is AnswerReading.DISMISSAL:
            ask_user.set_aside = not element.is_whole_command
            return UserAnswer("", remember=False)
        if part is None or read.names_it:
            answer = replace(answer, value=read.words)
        is_own, is_model_order = element.is_whole_command, read.reading is AnswerReading.ORDER
        is_other = _is_command(answer.value) and not may_be_meant(element.text, answer.value)
        is_other |= tells_somebody(answer.value) and is_complete_order(answer.value)
        if is_model_order or (is_own and is_other):
            raise OtherCommand(answer.value)
        is_doubted = read.reading is not AnswerReading.VALUE and (part is None or read.names_it)
        problem = _tell_doubt(target, words) if is_doubted else find_answer_problem(element.category, words)
        if not problem:
            return answer
        asked = replace(question, text=sentences(problem, question.text))
    return UserAnswer("")


def _tell_doubt(element: PersonalizedElement, words: str) -> str:
    """Why an answer is not taken for the value that is asked for, and how to go on without one."""
    as_said = AS_SAID[has_chinese(element.text)]
    doubt = _("“{words}” may order something. “{as_said}” goes on without “{asked}”.")
    doubt = doubt.format(words=one_line(words, 60), as_said=as_said, asked=one_line(element.text, 60))
    return sentences(doubt, _("A name that only looks so goes in quotation marks."))


_NAMED = (Category.PERSON, Category.GROUP, Category.PLACE, Category.THING, Category.FACT)
"""What is answered by a name or a short phrase, and by no order."""
_MOST_ASKED = 3  # How often the user is asked for one value.


async def ask_order(resolution: Resolution, ask_user: QuestionAsker | None) -> Resolution | None:
    """What is to be done after what seems to order nothing, as the user says; None for nothing.

    Where nobody can be asked, what is likely an order is carried out as it was said.

    Raises:
        OtherCommand: the user typed one.
    """
    (meaning,), as_said = resolution.meanings, leave_as_said(resolution.perceived)
    if ask_user is None:
        return as_said if is_order(meaning.element.text) and not meaning.element.owner else None
    question = make_question(meaning.element, meaning.candidates, resolution.perceived.language)
    words = normalize_value(await ask_user(question))
    is_number = words.isdecimal() and 1 <= int(words) <= len(question.choices)
    chosen = question.choices[int(words) - 1] if is_number else words
    if chosen == question.choices[-1]:
        return as_said
    if chosen not in (*question.choices, *NO_DEED, ""):
        offered = [choice for choice in question.choices[:-1] if choice not in NO_DEED]
        agreed = find_agreed(chosen, offered)
        if not offered and _only_affirms(chosen):
            return as_said
        if not agreed and (_is_command(chosen) or is_order(chosen)):
            raise OtherCommand(chosen)
        chosen = agreed or _find_meant(chosen, question, meaning.candidates)
    if chosen not in question.choices or chosen in NO_DEED:
        return None
    candidate = UserAnswer(chosen).candidate_for(question)
    return resolution.with_value(meaning.element, _complete_choice(candidate, meaning)) if candidate else None


def is_complete_order(text: str) -> bool:
    """Whether a line orders something and says itself what, and for whom: unlike “text him”."""
    is_order_of_its_own = begins_order(text) and read_leaning(text) is Leaning.NONE
    return is_order_of_its_own and not any(element.is_pronoun for element in perceive(text).elements)


def _only_affirms(words: str) -> bool:
    """Whether an answer says that it is to be done, and names nothing else: “yes obviously, text him”."""
    bare = _FILLS.sub(" ", words).strip(" ,")
    rest = wording("agrees", "en", "zh").sub("", bare)
    is_of_it = rest != bare or any(each.is_pronoun for each in perceive(bare).elements)
    return is_of_it and not things_in(rest) - english_words.PRONOUNS - {*words_in_all("telling")}


def _find_meant(words: str, question: Question, candidates: Sequence[MeaningCandidate]) -> str:
    """The choice that an answer in words refers to: “the latte obviously”, “the lunch one”, 午饭的那个.

    Empty where it refers to none, to several, denies something, or says of it what no choice says: “skip the
    latte” and “the mocha from Roma” are answers of their own. A letter or two that are wrong in a long word
    do not count, nor does what follows the first clause; but what follows “but” or “then” is said of the
    choice, and chooses nothing.
    """
    if _REFERS.search(words) is None or _DENIES_CHOICE.search(words):
        return ""
    clause_end = CLAUSE_END.search(words)
    clause = words[: clause_end.start()] if clause_end else words
    is_turned = clause_end is not None and any(map(str.isalpha, clause_end[0]))
    behind = words[clause_end.end() :] if clause_end is not None and is_turned else ""
    said = {each for each in word_set(_CHOOSES.sub(" ", plain_command(clause))) if find_hour(each) is None}
    asserted = [each for each in said | word_set(behind) if each.isascii()]
    offered = [each for each in candidates if one_line(each.value, MAX_VALUE_LENGTH) in question.choices]
    chosen_by = clause if is_turned else words
    hour, things = find_hour(chosen_by), things_in(chosen_by)
    named = [{word for word in things if has_like_word(candidate.value, word)} for candidate in offered]
    counts = Counter(word for matches in named for word in matches)
    meant = [
        candidate
        for candidate, matches in zip(offered, named, strict=True)
        if any(counts[word] == 1 for word in matches)
        and all(has_like_word(candidate.value, word) for word in asserted)
    ]
    if not (meant or counts or behind) and hour is not None:
        meals = [each for each in offered if each.preference and occurs_at(each.preference.prototype, hour)]
        most = max((len(each.evidence) for each in meals), default=0)
        # What was bought once at noon is no lunch beside what is eaten on most days.
        meant = [each for each in meals if len(each.evidence) * _OFTENER > most]
    return one_line(meant[0].value, MAX_VALUE_LENGTH) if len(meant) == 1 else ""


def _names_meal(words: str) -> bool:
    """Whether an answer names a meal and nothing else: “lunch, duh”, 午饭啊."""
    is_refused = _DENIES_CHOICE.search(words) is not None or _is_command(words)
    return _MEAL.search(words) is not None and not is_refused and not things_in(_FILLS.sub(" ", words))


def _find_usual(command: str, words: str, resolve: Callable[[str], Resolution] | None) -> str:
    """What is usually ordered for the meal that an answer names; empty if unknown, or for another deed."""
    meal = next((word for word in word_set(words) if find_hour(word) is not None), "")
    if resolve is None or not meal:
        return ""
    is_chinese = detect_language(meal) is CommandLanguage.ZH
    resolution = resolve(f"点平时的{meal}" if is_chinese else f"order my usual {meal}")
    is_known = bool(resolution.meanings) and not resolution.missing
    return resolution.instruction if is_known and may_be_meant(command, resolution.instruction) else ""


def _is_command(words: str, asked: str = "") -> bool:
    """Whether an answer is a command of its own, or begins with the verb of the one that is asked about."""
    return bool(find_verb_kinds(words)) or tells_somebody(words) or _begins_alike(words, asked)


def _begins_alike(words: str, command: str) -> bool:
    """Whether two texts begin with one verb: 打给爸爸 and 打电话给妈妈."""
    first, other = words.strip(), plain_command(command).strip()
    if has_chinese(first):
        return len(first) > 1 and first[0] in _VERBS_ZH and other[:1] == first[0]
    verbs = [infinitive(text.casefold().partition(" ")[0]) for text in (first, other)]
    return " " in first and verbs[0] == verbs[1] and verbs[0] in VERBS


def _fits_behind(words: str) -> bool:
    """Whether an answer names something, or refuses it, as what is missing at the end of a command."""
    if _REFUSES_FIRST.match(words):
        return True
    if _TURNS_ZH.match(words):
        return False
    tokens = tokenize(words)
    return not tokens or not words.isascii() or tokens[0].part not in _OPENS_NO_NAME


_REFUSES_FIRST = re.compile(r"(?:no|not|neither|never|skip|without|don't)\b|[不别没]", re.IGNORECASE)
"""How an answer begins that only says what is not wanted."""
_VERBS_ZH = frozenset("打发放播点买订查看听导叫约写记设开关搜找转")
_TURNS_ZH = re.compile(r"[改换先再去到给发打让就还那算等都]|我(?:想|要)|应该")
"""How a Chinese answer begins that turns a command to something else, and names nothing for its end."""
_OPENS_NO_NAME = (TokenClass.PREPOSITION, TokenClass.CONJUNCTION, TokenClass.PRONOUN, TokenClass.AUXILIARY)


_CHOOSES = wording("chooses")
_MEAL = wording("meal", "en", "zh")
_FILLS = re.compile(r"\b(?:duh|lol|haha|obviously|(?:of )?course|man|bro|ofc|pls|uh|um)\b|当然|[啊啦]$", re.I)
"""What an answer may say besides, which tells nothing."""
_OFTENER = 3
_REFERS = wording("refers", "en", "zh")
"""What refers to something that is offered, and does not only name a thing."""
_DENIES_CHOICE = wording("denies_choice", "en", "zh")


def _value_in_place(answer: MeaningCandidate, meaning: Meaning, question: Question) -> MeaningCandidate:
    """A chosen habit as the value of the words that it stands for: of “order my usual lunch” the noodles."""
    is_choice = answer.value in question.choices
    value = "" if is_choice else _find_meant(answer.value, question, meaning.candidates)
    value = value or answer.value
    habit = _chosen(value, meaning)
    if habit is None or not (habit.is_habit_alone or _is_command(habit.value)):
        return answer
    return replace(answer, value=value_of_span(meaning.part or meaning.element, habit).value)


def _complete_choice(answer: MeaningCandidate, meaning: Meaning) -> MeaningCandidate:
    """A chosen order with its app, and with the user's own words where it lacks some of them."""
    chosen = _chosen(answer.value, meaning)
    if chosen is None or chosen.preference is None:
        return answer
    command = meaning.element.text
    instruction = order_of_habit(chosen, command)
    if word_set(plain_command(command)) - VERBS - word_set(instruction):
        instruction = with_own_words(instruction, command)
    return replace(answer, value=instruction)


def _chosen(value: str, meaning: Meaning) -> MeaningCandidate | None:
    """The candidate that is offered by some words."""
    return next(
        (each for each in meaning.candidates if one_line(each.value, MAX_VALUE_LENGTH) == value), None
    )

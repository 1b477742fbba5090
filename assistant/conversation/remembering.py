"""Reads what is told to be remembered or forgotten, and finds in the profile what is to be forgotten.

What is to be forgotten is read by the reader that learns facts (“I am allergic to peanuts”), and by the one
that answers questions about them (“my girlfriend's birthday”); only then by the words that a fact holds. So
nothing that was told, or that a question has an answer to, is denied. The words are data, in
`remembering.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache

from assistant.conversation.line_words import (
    CLAUSE_ENDS,
    IDLE_WORDS,
    LINE_CLAUSE,
    clauses_about,
    hours_in,
    people_named_in,
    split_told,
)
from assistant.conversation.past_questions import parse_question
from assistant.files import compile_words, join_words, read_words
from assistant.i18n import _, has_chinese, plain_signs, sentences, speaking, spoken_for
from assistant.memory.profile.edits import GraphDraft
from assistant.memory.profile.extract import (
    PEOPLE,
    ExtractedFact,
    as_told,
    draft_facts,
    extract_facts,
    find_holder,
    hide_facts,
    is_about_same,
    told_otherwise,
)
from assistant.memory.profile.graph import (
    ALLERGY,
    NOTE,
    WISH,
    Evidence,
    Strength,
    canonical_word,
    chinese_words,
    is_role,
    normalize_text,
)
from assistant.memory.profile.lexicon import (
    ADDRESS,
    HABITS,
    NAME,
    ROLE,
    ROLE_ZH,
    asks_for_value,
    find_value_problem,
    lexicon,
    names_somebody_first,
    spell_out,
    with_subjects,
    without_fillers,
)
from assistant.memory.profile.retrieval import MatchMethod, ProfileFact, split_possessive
from assistant.memory.profile.service import Profile
from assistant.memory.profile.statements import (
    AVOID,
    is_said_of_another,
    is_statement,
    read_statement,
)
from assistant.memory_view.labels import fact_words, node_words
from assistant.model.types import one_line
from assistant.records import Record
from assistant.understand.perceive import begins_order
from assistant.understand.slots import roles_in
from assistant.understand.types import Objection, is_usable_instruction, negations_of, words_of
from assistant.understand.words import detect_language, mentions_any


@dataclass(frozen=True, slots=True)
class _Words:
    """The patterns of `remembering.yaml`, compiled."""

    wishes: tuple[re.Pattern[str], ...]
    deletions: tuple[re.Pattern[str], ...]
    on_phone: re.Pattern[str]
    in_apps: re.Pattern[str]
    after: re.Pattern[str]
    courtesy: re.Pattern[str]
    forms: dict[str, tuple[tuple[re.Pattern[str], str], ...]]
    rules: tuple[re.Pattern[str], ...]
    patterns: dict[str, re.Pattern[str]]

    def match(self, line: str) -> re.Match[str] | None:
        """The match of a line that is a wish to forget; None for a task of the phone, and for all else."""
        if self.on_phone.search(line):
            return None
        patterns = self.wishes if self.in_apps.search(line) else (*self.wishes, *self.deletions)
        return next((match for pattern in patterns if (match := pattern.fullmatch(line))), None)


@cache
def _words() -> _Words:
    data = read_words("assistant.conversation", "remembering.yaml")
    parts = {**data["parts"], "role": ROLE, "role_zh": ROLE_ZH}
    others = {"parts", "wishes", "deletions", "on_phone", "in_apps", "after", "courtesy"}
    named = data.keys() - others - {*_FORMS, "rules"}
    return _Words(
        wishes=tuple(compile_words(pattern, parts) for pattern in data["wishes"]),
        deletions=tuple(compile_words(pattern, parts) for pattern in data["deletions"]),
        on_phone=compile_words(data["on_phone"]),
        in_apps=compile_words(data["in_apps"]),
        after=compile_words(rf"(?:{join_words(data['after'])})$"),
        courtesy=compile_words(rf"(?:{join_words(data['courtesy'])})+$"),
        forms={
            name: tuple((compile_words(form, parts, re.IGNORECASE), words) for form, words in data[name])
            for name in _FORMS
        },
        rules=tuple(compile_words(form, parts) for form in data["rules"]),
        patterns={name: compile_words(data[name], parts) for name in named},
    )


_FORMS = "ended", "denied", "changed"


def _restate(name: str, clause: str) -> str:
    """A clause by the first of some forms that it has; empty where it has none."""
    forms = _words().forms[name]
    return next((form.sub(words, clause) for form, words in forms if form.match(clause)), "")


def told_pattern(name: str) -> re.Pattern[str]:
    """One of the patterns of `remembering.yaml`, by its name."""
    return _words().patterns[name]


@dataclass(frozen=True, slots=True)
class ForgetWish:
    """What a line wants forgotten, in its own letters: empty for everything, or what was told `just_now`."""

    content: str
    just_now: bool = False


def read_forgetting(text: str, begins_task: Callable[[str], bool]) -> ForgetWish | None:
    """What a line wants forgotten; None where it is no such wish.

    To forget is said of a memory alone; to delete also of what is on the phone, so then the line must name
    the memory, or what is known. A clause beside the wish says why; one that begins a task makes it none.

    Args:
        text: the line.
        begins_task: whether a clause begins with the verb of a task.
    """
    line = plain_signs(text).strip().rstrip(" .。!！")
    if (rest := without_former(line)) not in ("", line) and is_statement(rest):
        return None  # What holds now takes the place of what was before.
    clauses = split_told(line)
    for said in (line, *clauses):
        content = _wished(said)
        if content is None:
            continue
        others = [clause for clause in clauses if clause != said] if said != line else []
        if not any(map(begins_task, others)):
            return ForgetWish(content, not content and told_pattern("just_now").search(said) is not None)
    rest = told_pattern("beside").sub(" ", line).strip(" ,，;；.。")
    if not rest or rest == line or rest.startswith(("把", "将")):
        return None
    is_told = told_pattern("pointing").match(rest) is not None or bool(read_ended(rest)) or _tells(rest)
    if not is_told or _words().on_phone.search(line) or _words().in_apps.search(line):
        return None
    return ForgetWish(rest)


def _wished(said: str) -> str | None:
    match = _words().match(_words().courtesy.sub("", said))
    if match is None:
        return None
    content, before = (match["what"] or "").strip(" ,，"), ""
    while content != before:
        before, content = content, _words().after.sub("", content).strip(" ,，")
    return "" if told_pattern("everything").fullmatch(content) else content


def _tells(text: str) -> bool:
    """Whether the reader of facts finds one in a text, or in one that leaves out the user; a plan is none."""
    said = (text, f"我{text}") if has_chinese(text) else (text,)
    is_told = any(fact.key not in (NOTE, WISH) for words in said for fact in read_facts(words))
    return is_told and told_pattern("plans").search(text) is None


def without_former(text: str) -> str:
    """A text without words that what was before is to be forgotten: “it is 12, forget the old one”."""
    return told_pattern("former").sub("", text.strip().rstrip(".。!！")).strip(" ,，;；.。")


@dataclass(frozen=True, slots=True)
class OrderRule:
    """A rule of what is never to be ordered for somebody, each in the words of a line."""

    person: str
    foods: str

    def statement(self, facts: Sequence[ProfileFact]) -> str:
        """The rule as a fact about whom it is for, “my daughter doesn't eat nuts”; empty if unknown.

        A person is called by relation, or by a name that memory has for somebody.
        """
        chinese = has_chinese(self.person + self.foods)
        person = re.sub(r"^(?:(?:my|our) |我们?家?的?(?=.))|['’]s$", "", self.person, flags=re.IGNORECASE)
        if person.casefold() in ("me", "us", "myself", "我", "我们", "自己"):
            return f"我不吃{self.foods}" if chinese else f"I don't eat {self.foods}"
        holder = person if is_role(person) else find_holder(person, facts)
        if not holder:
            return ""
        said = next(iter(chinese_words(holder)), holder) if chinese and not has_chinese(holder) else holder
        statement = f"我{said}不吃{self.foods}" if chinese else f"my {holder} doesn't eat {self.foods}"
        if chinese and not has_chinese(said):
            statement = f"{holder} · {AVOID}: {self.foods}"
        read = read_statement(statement)
        return statement if read and all(fact.key == AVOID for fact in read) else ""


def read_rule(text: str) -> OrderRule | None:
    """The rule of what is never to be ordered, for the user or who is named; None for a line that is none."""
    line = spell_out(plain_signs(text).strip(" .。!！"))
    match = next((match for form in _words().rules if (match := form.fullmatch(line))), None)
    if match is None:
        return None
    own = "我" if has_chinese(line) else "me"
    return OrderRule((match.groupdict().get("who") or own).strip(), match["foods"].strip())


def speaks_of_forgetting(text: str) -> bool:
    """Whether a line has a wish to forget anywhere: it tells no fact then."""
    return told_pattern("beside").search(text) is not None


def read_ended(text: str) -> str:
    """What the first clause of a line says not to hold any longer, said as if it held; else empty.

    “I'm not vegetarian any more” is “I'm vegetarian”, 我不吃素了 is 我吃素.
    """
    return _restate("ended", next(iter(split_told(spell_out(text))), ""))


def tell_changed(text: str) -> str:
    """What the user has changed about what they eat, as it is now; empty for another text.

    “I stopped eating meat” is “I don't eat meat”, 我现在不吃辣了 is 我不吃辣.
    """
    return _restate("changed", spell_out(told_pattern("by_the_way").sub("", text.strip(" .。!！"))))


@dataclass(frozen=True, slots=True)
class Retraction:
    """What a line takes back of what was told before it.

    Attributes:
        opens: it begins with words that take something back.
        denied: what it denies, said as if it held.
        holder: whose it is instead, by relation; empty where it names nobody.
        is_pointed: it says that what was told last is not so.
        others: its other clauses.
        rejected: values that it denies, for which another clause says what holds instead.
    """

    opens: bool
    denied: tuple[str, ...]
    holder: str
    is_pointed: bool
    others: tuple[str, ...]
    rejected: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether the line is about something told, whatever was said before it."""
        if self.denied or (self.is_pointed and (self.holder or not self.others)):
            return True
        tells = all(
            is_statement(each)
            or ((match := told_pattern("new_value").fullmatch(each)) and match["zh"])
            or _names_value(each)
            for each in self.others
        )
        return self.opens and (bool(self.holder) or tells)


def read_retraction(text: str) -> Retraction | None:
    """What a line takes back of what was told; None where it takes nothing back.

    “No wait, that's my girlfriend, not my wife”, 不对 是我室友过敏, “I can eat dairy again”.
    """
    line = spell_out(plain_signs(text).strip(" .。!！"))
    opening = told_pattern("takes_back").match(line)
    denied, holder, is_pointed, others, rejected = list[str](), "", False, list[str](), list[str]()
    for clause in split_told(line[opening.end() :] if opening is not None else line):
        said = told_pattern("holder").fullmatch(clause)
        if statement := _restate("denied", clause):
            denied.append(statement)
        elif said is not None:
            holder = said["zh"] or said["en"]
            is_pointed |= "不是我" in clause or re.search(r"\bnot (?:me|my)\b", clause) is not None
        elif any(told_pattern(name).fullmatch(clause) for name in ("not_so", "points_at_told")):
            is_pointed = True
        elif (value := told_pattern("rejected").fullmatch(clause)) is not None:
            rejected.append(value["en"] or value["zh"])
        else:
            others.append(clause)
    if opening is None and not (denied or holder or is_pointed or (rejected and others)):
        return None
    return Retraction(opening is not None, tuple(denied), holder, is_pointed, tuple(others), tuple(rejected))


@dataclass(frozen=True, slots=True)
class ToldCorrection:
    """Wrong facts, and the right ones in their place; unclear where the line does not say which is wrong."""

    wrong: Sequence[ExtractedFact]
    right: Sequence[ExtractedFact]
    is_clear: bool

    def draft(self, draft: GraphDraft, evidence: Evidence) -> None:
        """Hide what is not so, and add what holds."""
        hide_facts(draft, self.wrong)
        draft_facts(draft, self.right, evidence.record_id, evidence.time)

    def tell(self) -> str:
        """What is kept now, and what is not any longer."""
        right, wrong = (_("; ").join(map(stated_words, facts)) for facts in (self.right, self.wrong))
        kept = _("Remembered: {facts}.").format(facts=right) if right else ""
        gone = _("No longer kept: {facts}.").format(facts=wrong) if wrong else ""
        return sentences(kept, gone, _("“undo” takes it back."))


def points_at_told(line: str) -> bool:
    """Whether a line says whose is what was told just before: 刚刚说的那个过敏别记了 是我室友不是我."""
    retraction = read_retraction(line)
    return retraction is not None and retraction.is_pointed and bool(retraction.holder)


def read_told_correction(
    line: str, told_facts: Sequence[ExtractedFact], facts: Sequence[ProfileFact]
) -> ToldCorrection | None:
    """What a line takes back or changes of what was just told, or of what memory has; None for nothing.

    Args:
        line: the line.
        told_facts: what was told just before it.
        facts: what memory has.
    """
    retraction = read_retraction(line)
    if retraction is None or (read_ended(line) and not (retraction.holder or retraction.opens)):
        return None  # What held before, and no longer, is forgotten.
    if retraction.opens and (restated := _restate_held(retraction.others, facts)) is not None:
        return restated
    if retraction.rejected:
        return _replace_rejected(retraction, told_facts, facts)
    denied = [_with_whole_name(fact, facts) for each in retraction.denied for fact in read_facts(each)]
    stated = [fact for fact in denied if any(_is_same(fact, each) for each in facts)]
    is_food = told_pattern("of_food").search(line) is not None
    meant = [fact for fact in told_facts if not is_food or fact.key in (ALLERGY, AVOID)]
    wrong = stated or ([] if denied else meant)
    right = _correct(retraction, wrong or denied)
    if right and not (retraction.holder or denied):
        wrong = [w for w in wrong if any((r.entity, r.key) == (w.entity, w.key) for r in right)] or meant
    tells_more = any(map(is_statement, retraction.others)) and not right
    if tells_more or not (wrong or (right and denied)):
        return None
    return ToldCorrection(wrong, right, bool(right or retraction.is_pointed or denied))


def tells_otherwise(line: str, told: Callable[[], Sequence[ExtractedFact]]) -> bool:
    """Whether a line certainly says otherwise what was `told` just before it."""
    facts = told() if told_pattern("says_instead").search(line) else []
    return bool(facts and (read := read_told_correction(line, facts, [])) and read.is_clear and read.right)


def _replace_rejected(
    retraction: Retraction, told_facts: Sequence[ExtractedFact], facts: Sequence[ProfileFact]
) -> ToldCorrection | None:
    """The new value in a line that rejects that of exactly one fact and says another: “not Ella but Anna”."""
    matches = (told_pattern("instead").fullmatch(each) for each in retraction.others)
    new_values = [match["en"] or match["zh"] for match in matches if match is not None]
    if len(new_values) != 1:
        return None
    for values in (retraction.rejected, [*map(without_fillers, retraction.rejected)]):
        texts = set(map(normalize_text, values))
        meant = [
            [fact for fact in each if fact.key in _REPLACED and normalize_text(fact.text) in texts]
            for each in (told_facts, [*map(as_told, facts)])
        ]
        wrong = meant[0] or meant[1]
        text = without_fillers(new_values[0]) if wrong and wrong[0].key == NAME else new_values[0]
        if len(wrong) == 1 and not find_value_problem(wrong[0].key, text):
            right = replace(wrong[0], text=text, sense=lexicon().sense_of(text))
            return ToldCorrection([] if right.sense == wrong[0].sense else wrong, [right], True)
    return None


def _names_value(clause: str) -> bool:
    """Whether a clause says what a thing is by a name: “the school is Lincoln High”, and not “is closed”."""
    match = told_pattern("restates").fullmatch(clause)
    value = (match["zh_value"] or match["en_value"]) if match is not None else ""
    return told_pattern("name_value").fullmatch(value) is not None


def _restate_held(clauses: Sequence[str], facts: Sequence[ProfileFact]) -> ToldCorrection | None:
    """The new value of the one fact whose name a clause says, a name unless another says “change it”."""
    puts_right = any(map(told_pattern("puts_right").fullmatch, clauses))
    for match in filter(None, map(told_pattern("restates").fullmatch, clauses)):
        name, text = match["zh"] or match["en"], match["zh_value"] or match["en_value"]
        names = {name, canonical_word(name)}
        held = [as_told(each) for each in facts if each.node.name in names and each.value.key in _REPLACED]
        is_name = puts_right or _names_value(match[0])
        if len(held) == 1 and is_name and not find_value_problem(held[0].key, text):
            right = replace(held[0], text=text, sense=lexicon().sense_of(text))
            return ToldCorrection([] if right.sense == held[0].sense else held, [right], True)
    return None


_REPLACED = (NAME, ADDRESS, "phone", "email", "birthday", "生日", "is")
"""Keys of values of which one holds at a time."""
_MOVED = (ALLERGY, AVOID, NAME, ADDRESS, "phone", "email", "birthday")
"""Keys of what may be somebody else's instead."""


def _with_whole_name(fact: ExtractedFact, facts: Sequence[ProfileFact]) -> ExtractedFact:
    """A name as memory has it of the same person: “Priya isn't my boss”, who is Priya Nair there."""
    for each in facts:
        is_person = fact.key == NAME == each.value.key and each.node.name.casefold() == fact.entity.casefold()
        if is_person and each.value.text.casefold().startswith(f"{fact.text.casefold()} "):
            return replace(fact, text=each.value.text, sense=each.value.sense)
    return fact


def _correct(retraction: Retraction, facts: Sequence[ExtractedFact]) -> list[ExtractedFact]:
    """What holds instead of facts that a line takes back: of another, with another value, or told anew."""
    corrected: list[ExtractedFact] = []
    if role := canonical_word(retraction.holder) or retraction.holder:
        moved = [fact for fact in facts if fact.key in _MOVED]
        corrected = [
            replace(fact, concept=PEOPLE, entity=role)
            for fact in moved
            if (fact.key == NAME) is is_role(fact.entity) or fact.key != NAME
        ]
    for clause in retraction.others:
        anew = [fact for fact in read_facts(clause) if any(is_about_same(fact, each) for each in facts)]
        if anew:
            corrected += anew
        elif retraction.opens and not corrected:
            named = told_pattern("named_anew").fullmatch(clause)
            said = named or (None if begins_order(clause) else told_pattern("new_value").fullmatch(clause))
            if said is not None:
                corrected += told_otherwise(facts, said["zh"] or said["en"], is_name=named is not None)
    return corrected


def read_facts(words: str) -> list[ExtractedFact]:
    """The facts in what the user tells; a text without facts for the rules is kept verbatim.

    None of a text that asks for what it would tell: 我妈叫啥不.
    """
    facts = _read_told(tell_changed(words) or spell_out(words))
    asks = any(fact.key not in (NOTE, WISH) and asks_for_value(fact.text) for fact in facts)
    return [] if asks else facts


def _read_told(words: str) -> list[ExtractedFact]:
    if not words:
        return []
    if (taught := told_pattern("teaches").fullmatch(words)) is not None:
        return _meaning_taught(taught["en"] or taught["zh"], taught["en_value"] or taught["zh_value"])
    stated = read_statement(words := with_subjects(words))
    if stated and all(fact.key != NOTE for fact in stated):
        return stated
    notes = [fact.text for fact in stated if fact.key == NOTE and fact.concept != PEOPLE]
    is_unclear = any(map(is_said_of_another, notes))
    is_mixed = len(stated) > 1 and any(f.key != NOTE or f.concept == PEOPLE for f in stated)
    if is_unclear or is_mixed or is_said_of_another(words):
        whole, kept = words if names_somebody_first(words) else "", [] if is_unclear else stated
        said = {each: each if told_pattern("of_user").match(each) else whole or each for each in notes}
        return [_wish(said[f.text]) if f.text in said and f.concept != PEOPLE else f for f in kept]
    if (match := told_pattern("allergic").fullmatch(words)) is not None:
        zh, en = match["zh"], match["en"]
        return read_statement(f"我对{zh}过敏" if zh else f"I am allergic to {en}")
    # Of whom the other clauses are is not sure: they are kept with the one that says it.
    is_of_somebody = bool(names_somebody_first(words) and split_told(words)[1:])
    if is_of_somebody or read_ended(words) or told_pattern("of_somebody").match(words) is not None:
        return [_wish(words)]
    at = datetime.min.replace(tzinfo=UTC)
    record = Record(id="said", user_id="said", time=at, instruction=words, said=words)
    if not told_pattern("dislikes").search(words) and (facts := extract_facts(record)):
        is_own = any(map(told_pattern("of_user").match, (clauses := split_told(words))))
        kept = [f for f in facts if is_own or f.concept == PEOPLE or not (clauses[1:] and roles_in(words))]
        return [replace(fact, strength=Strength.USER) for fact in kept]
    if (owned := told_pattern("mine_is").fullmatch(words)) is not None:
        entity, value = owned["en"] or owned["zh"], owned["en_value"] or owned["zh_value"]
        return [ExtractedFact(HABITS, entity, "is", value, value.casefold(), True, Strength.USER)]
    return [_wish(words)]


def _meaning_taught(word: str, value: str) -> list[ExtractedFact]:
    """What a word stands for: somebody where it says what they are to the user, else any value."""
    value = _CLOCK_APART.sub(r"\1:\2", value).strip()
    stated = read_statement(f"{word}是{value}" if has_chinese(word) else f"{word} is {value}")
    taught = ExtractedFact(HABITS, word, "is", value, value.casefold(), True, Strength.USER)
    return stated if stated and all(fact.key != NOTE for fact in stated) else [taught]


_CLOCK_APART = re.compile(r"\b(\d{1,2}) ([0-5]\d)(?= ?[ap]m\b)", re.IGNORECASE)
"""A time of day as it is typed in haste: “6 30pm”."""


def _wish(words: str) -> ExtractedFact:
    """A text that the rules find no fact in, kept verbatim as a wish, or a note on whom it is about."""
    person, own = names_somebody_first(words), lexicon().domains[HABITS].entity
    concept, entity, key = (PEOPLE, person, NOTE) if person else (HABITS, own, WISH)
    return ExtractedFact(concept, entity, key, words, words.casefold(), False, Strength.USER)


def find_meant(words: str, profile: Profile) -> list[ProfileFact]:
    """The facts that are meant by what is to be forgotten, by the surest reading that finds any.

    Args:
        words: what is to be forgotten: a fact, a question about one, or words that one holds.
        profile: what is known.
    """
    facts = profile.facts()
    for said in _beginnings(words):
        ended = read_ended(said)
        meant = find_stated(ended, facts) if ended else []
        if meant := meant or find_stated(said, facts) or _find_answers(said, facts, profile):
            return meant
    by_value = (fact for fact in facts if fact.value.key not in (NOTE, WISH) and _says_value(words, fact))
    return _narrowed(words, list(by_value))


def find_about(words: str, profile: Profile) -> list[ProfileFact]:
    """The facts that are meant by a text; where it names somebody, by name or relation, all of theirs."""
    facts, meant, roles = profile.facts(), find_meant(words, profile), roles_in(words)
    named = {fact.node.id for fact in meant if fact.value.key == NAME}
    named |= {fact.node.id for fact in facts if fact.node.name in roles}
    return [fact for fact in facts if fact.node.id in named] if named else meant


def _beginnings(words: str) -> Iterator[str]:
    """A text, then without its last clauses: what stands behind may say why."""
    yield words
    ends = [match.start() for match in CLAUSE_ENDS.finditer(words)]
    yield from (words[:end] for end in reversed(ends) if end)


def find_stated(words: str, facts: Sequence[ProfileFact]) -> list[ProfileFact]:
    """The stored facts that a text states, read as when it is learnt; those of the same key, else any."""
    for said in (words, f"我{words}") if has_chinese(words) else (words,):
        stated = [fact for fact in read_facts(said) if fact.text]
        same = [fact for fact in facts if any(_is_same(each, fact) for each in stated)]
        exact = [fact for fact in same if any(each.key == fact.value.key for each in stated)]
        if same:
            return exact or same
    return []


def _is_same(stated: ExtractedFact, fact: ProfileFact) -> bool:
    """Whether a profile's fact says what was told, whatever the key: who cannot eat nuts may be allergic."""
    value = fact.value
    if (stated.key in (NOTE, WISH)) != (value.key in (NOTE, WISH)):
        return False
    holder = canonical_word(stated.entity) or stated.entity
    owner = canonical_word(fact.node.name) or fact.node.name
    is_holder = holder.casefold() == owner.casefold() or not (is_role(holder) or is_role(owner))
    is_equal = normalize_text(stated.text) == normalize_text(value.text) or stated.sense == value.sense
    return is_holder and is_equal


_WHERE_LIVES = re.compile(r"where (?P<who>.+?) (?P<do>live|work)s?$", re.IGNORECASE)


def _find_answers(words: str, facts: Sequence[ProfileFact], profile: Profile) -> list[ProfileFact]:
    """The facts that answer a question about what some words name, as that question is answered."""
    lives = _WHERE_LIVES.sub(r"where does \g<who> \g<do>", words)
    for asked in (lives, f"what is {words}", f"{words}是什么"):
        question = parse_question(asked)
        if question is None or not question.fact or question.unread:
            continue
        if canonical_word(question.fact) == "allergy" or question.fact in ("allergies", "过敏"):
            allergies = [fact for fact in facts if fact.value.key == ALLERGY and not is_role(fact.node.name)]
            return [fact for fact in allergies if not question.words or _says_value(words, fact)]
        match = profile.find(question.fact, similar=False)
        named_whole = match is not None and (
            match.how is MatchMethod.ALIAS and split_possessive(question.fact) is None
        )
        if match is None or (named_whole and asked != lives):
            continue  # Who names somebody means all that is known of them: that is found by the name.
        meant = [fact for fact in facts if (fact.node.name, fact.value.key) == (match.entity, match.key)]
        return [fact for fact in meant if fact.value.text in (match.value, *match.rivals)]
    return []


def _says_value(words: str, fact: ProfileFact) -> bool:
    """Whether a text has all words of a fact's value, as “my peanut allergy” has “peanuts”."""
    return len(fact.value.text) > 1 and mentions_any(words, (fact.value.text,))


def _narrowed(words: str, facts: Sequence[ProfileFact]) -> list[ProfileFact]:
    """Of facts with a value in some words those whose holder or key is said too, else all."""
    return [f for f in facts if mentions_any(words, (f.node.name, *f.value.key.split()))] or list(facts)


def stated_words(fact: ExtractedFact) -> str:
    """A fact as it is told back; what no form fits in its own words."""
    return fact.text if fact.key in (WISH, NOTE) else fact_words(fact.entity, fact.key, fact.text)


def replaces_value(fact: ExtractedFact, before: ProfileFact) -> bool:
    """Whether a fact takes the place of another value that memory has, as a new name of the same person."""
    entity = canonical_word(fact.entity) or fact.entity
    is_same = before.node.name.casefold() == entity.casefold() and before.value.key == fact.key
    return is_same and fact.single and before.value.single and before.value.sense != fact.sense


def tell_remembered(facts: Sequence[ExtractedFact], before: Sequence[ProfileFact]) -> str:
    """What is kept from now on, which values it replaces, and what a number of somebody is for."""
    kept = _("; ").join(map(stated_words, facts))
    former = _("; ").join(dict.fromkeys(one_line(each.value.text, 60) for each in before))
    has_number = any(fact.key == "phone" for fact in facts)
    return sentences(
        _("Remembered: {facts}. “undo” takes it back.").format(facts=kept),
        _("Before: {facts}.").format(facts=former) if former else "",
        _("The number is kept here; a call looks for the contact of that name.") if has_number else "",
    )


def name_last_person(line: str, before: str) -> str:
    """A line about “she” or 他 with the one relative in that place whom the line before told of; else empty.

    “Her birthday is June 3” behind “my daughter is called Lily” is “my daughter's birthday is June 3”.
    """
    match, people = _ABOUT_PERSON.match(line), {f.entity for f in read_facts(before) if f.concept == PEOPLE}
    if match is None or len(people) != 1:
        return ""
    with speaking(spoken_for(line)):
        person = node_words(people.pop())
    rest, whose = line[match.end() :].strip(), "'s" if match["whose"] else ""
    return f"我{person}{rest}" if has_chinese(line) else f"my {person}{whose} {rest}"


_ABOUT_PERSON = re.compile(
    r"\s*(?:(?:and|also|oh|btw|so|plus)\b[\s,]*)*(?:(?:she|he)(?=\s)|(?P<whose>her|his)(?=\s))"
    r"|\s*(?:还有|另外|对了|哦对|而且|以及)?[\s,，]*[她他](?!们)",
    re.IGNORECASE,
)


def find_setting_objection(line: str, restated: str, things: str) -> Objection | None:
    """Why a setting with some `things` in it is not what a line says; `LOST` where it only says less."""
    if not is_usable_instruction(restated) or detect_language(restated) is not detect_language(line):
        return Objection.UNSAYABLE
    if {*words_of(things)} - {*words_of(line)} - IDLE_WORDS:
        return Objection.INVENTED
    line_hours, wished = _hours_in_turn(line), _hours_in_turn(restated)
    # 23:00 may stand for eleven in the evening, which a single hour after six means.
    is_open = len(line_hours) == 1 and told_pattern("halves").search(line) is None
    first = 13 if told_pattern("evening").search(line) else 18 if is_open else 24
    later = {str(hour - 12): str(hour) for hour in range(first, 24)}
    late = {hour: later[hour] for hour in line_hours if later.get(hour) in {*wished} - {*line_hours}}
    line_hours = [late.get(hour, hour) for hour in line_hours]
    is_turned = [hour for hour in line_hours if hour in wished] != wished
    ways, form_ways = ({w for w in ("earlier", "later") if _bounds_in(t, w)} for t in (line, restated))
    halves, form_halves = _bounds_in(line, "halves"), _bounds_in(restated, "halves")
    bounds = {*line_hours, *people_named_in(line), *_bounds_in(line, "limits")}
    form = {*wished, *people_named_in(restated), *_bounds_in(restated, "limits")}
    if is_turned or form - bounds or form_halves - halves or (ways and form_ways - ways):
        return Objection.INVENTED
    about = clauses_about(restated, line)
    if _is_denied([restated]) != _is_denied(about or LINE_CLAUSE.split(line)):
        return Objection.NEGATED
    is_less = not about or bounds - form or ways != form_ways or (halves - form_halves and not late)
    return Objection.LOST if is_less else None


def _hours_in_turn(text: str) -> list[str]:
    """The hours of a text in the order in which it says them."""
    parts = told_pattern("span").split(text.casefold())
    return [*dict.fromkeys(hour for part in parts for hour in sorted(hours_in(part)))]


def _bounds_in(text: str, name: str) -> set[str]:
    return {*told_pattern(name).findall(text.casefold())}


def _is_denied(clauses: Sequence[str]) -> bool:
    """Whether any clause is negated. Two negations in one clause cancel out: “don't stop …”."""
    plain = [told_pattern("no_stops").sub(" ", clause) for clause in clauses]
    return any((negations_of(each) + len(told_pattern("stops").findall(each))) % 2 for each in plain)

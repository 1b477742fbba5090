"""What the user wants of a turn, against what it did and what the phone shows.

What they said of the command and since, and of it: what nothing on the phone answers; counts, times and days
that were missed; what was to be left out; parts that were taken back and done all the same; and what a deed
that is about to be done goes against.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from assistant.agent.checkpoint import pressed_to_save, read_count
from assistant.agent.completion import (
    WORDS,
    content_words,
    fold,
    is_answered,
    is_no_wish,
    required_kinds,
    wants_change,
    word_pattern,
)
from assistant.agent.stop_checks import BARE_HOUR, OF_ALARMS, days_meant, named_days, shows_days
from assistant.events import ActionKind, Deed
from assistant.files import compile_words, lazy_regex
from assistant.i18n import _, has_chinese, joined, sentences, whole_words, with_stop
from assistant.memory.profile.graph import canonical_word, is_same_title, is_same_value
from assistant.memory.prototypes.terms import (
    VERBS,
    as_number,
    find_refused_name,
    is_courtesy,
    read_left_out,
    signature,
    split_own_words,
    split_parts,
    stands_in_order,
    without_vague,
)
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.model.types import one_line, split_reason
from assistant.phone.errors import Refusal
from assistant.records import AskUser, Click, LongClick, Observation, Outcome, TypeText
from assistant.safety.wording import is_agreement, is_refusal
from assistant.skills.command_wording import (
    ALTERNATIVES,
    IN_COMMAND,
    ValueKind,
    asks_shift,
    find_values,
    read_correction,
    read_own_correction,
    says_nothing,
)
from assistant.skills.slots import Unit, with_clock_digits

MOST_CORRECTED = 3
"""How often a command may correct itself."""


def remarks_of(turn: Checkpoint) -> list[UserRemark]:
    """What the user said of the command of a turn: in it, as a count, wish or self-correction, and since."""
    remarks = []
    command = turn.said
    for _round in range(MOST_CORRECTED):
        corrections = (each for each in read_own_correction(command) if each.new)
        meant = next((each for each in corrections if fold(each.new) in fold(turn.instruction)), None)
        if meant is None:
            break
        command = meant.command
        remarks.append(UserRemark(after=0, text=meant.new, kind=meant.kind, new=meant.new, old=meant.old))
    clauses = (clause for text in (turn.said, turn.instruction) for clause in _CLAUSES.split(text))
    counts = dict.fromkeys(clause.strip() for clause in clauses if read_count(clause))
    wishes = [each for each in find_wishes(turn) if not read_count(_JOINS.sub("", each.text))]
    standing = (each for at, each in enumerate(turn.remarks) if not _is_taken_back(turn, at))
    return [*(UserRemark(after=0, text=count) for count in counts), *wishes, *remarks, *standing]


def _is_taken_back(turn: Checkpoint, at: int) -> bool:
    """Whether a later remark goes back to the value before one, as an answer does: “home after all”."""
    remark, later = turn.remarks[at], turn.remarks[at + 1 :]
    if remark.kind not in (ValueKind.PLACE, ValueKind.PERSON, ValueKind.TEXT):
        return False
    texts = (each.text for each in later if not each.kind and not _JOINS.match(each.text))
    old, read = _bare(remark.old), (read_correction(turn.instruction, text, turn.said) for text in texts)
    return any(
        each and all(c.kind == remark.kind and is_same_value(_bare(c.new), old) for c in each)
        for each in read
    )


def _bare(value: str) -> str:
    return _ITS_ARTICLE.sub("", value)


def find_unheeded(remarks: Sequence[UserRemark], pool: str, answer: str) -> list[str]:
    """Which remarks of the user a turn has not carried out: those whose figures, or new value, show nowhere.

    A remark that only steers, such as “scroll down”, leaves nothing to be seen; a later value stands for the
    one of its kind before. The oldest remark comes first; `pool` is all that was tapped or typed, and what
    the last screens show, from `TraceLog.pool`; `answer` is what the model reported.
    """
    unheeded: dict[str, str] = {}

    @cache
    def shown() -> set[str]:
        return set(_FIGURE.findall(fold(with_clock_digits(f"{pool} {answer}"))))

    settled = (ValueKind.PART, ValueKind.WHOLE)  # All of their words stand in the command now.
    for remark in (each for each in remarks if each.kind not in settled or each.new):
        request = with_clock_digits(remark.new or _TAKEN_BACK.sub(" ", remark.text))
        if not remark.kind and (unit := asks_shift(remark.text)):
            # The value that it changes is not known: neither is the one that would have to show.
            unheeded[f"figures {unit == Unit.CLOCK}"] = remark.text
            continue
        if count := count_asked(remark):
            unheeded.pop("count", None)
            # The text of a message may say it, “dinner for two”.
            is_text = remark.after == 0 and not remark.kind and fold(remark.text) in pool
            if not is_text and re.search(_SHOWS_COUNT.format(count), pool) is None:
                unheeded["count"] = remark.text
            continue
        figures = _FIGURE.findall(fold(request))
        for kind in {":" in figure for figure in figures}:
            alike = [figure for figure in figures if (":" in figure) is kind]
            unheeded.pop(f"figures {kind}", None)
            # The screen may show a time that was there before; the answer says which one was set.
            reported = {each for each in _FIGURE.findall(fold(answer)) if kind and ":" in each}
            is_reported = any(reported & _written(figure) for figure in alike)
            # A page that is not saved yet may have the hour and the minute in fields of their own.
            by_field = set[str]() if answer else {each for each in alike if _in_fields(each) <= shown()}
            is_shown = all(figure in by_field or shown() & _written(figure) for figure in alike)
            if not (is_reported if reported else is_shown):
                unheeded[f"figures {kind}"] = remark.text
        if not remark.kind or figures:
            continue
        unheeded.pop(remark.kind, None)
        says_something = is_for_user_to_judge(remark.new) or not says_nothing(remark.new)
        if says_something and not _shows_wish(remark.new, pool):
            unheeded[remark.text if remark.kind == ValueKind.OPTION else remark.kind] = remark.text
    return list(dict.fromkeys(unheeded.values()))


def count_asked(remark: UserRemark) -> int:
    """How many of the thing a remark asks for; 0 for one that asks for something else."""
    if remark.kind:
        return as_number(remark.new) if remark.kind == ValueKind.COUNT else 0
    request = _TAKEN_BACK.sub(" ", remark.text)
    return next(filter(None, map(read_count, (request, *_CLAUSES.split(request)))), 0)


def find_done_before(turn: Checkpoint, *, is_over: bool = True) -> list[str]:
    """What all deeds of its kind go against that were done: no step can mend it, told when it `is_over`."""
    kinds = {deed.kind for deed in turn.deeds if is_over}
    deeds = [[deed for deed in turn.deeds if deed.kind is kind] for kind in kinds]
    remarks = remarks_of(turn)
    return [
        against[0]
        for alike in deeds
        if (against := [find_conflict(remarks, deed) for deed in alike]) and all(against)
    ]


_CLAUSES, _JOINS = word_pattern("clauses"), lazy_regex(r"^(?:and|but|plus|with)\s+", re.IGNORECASE)
_SHOWS_COUNT = r"[×x] ?{0}\b|\b{0} ?[×x份杯碗]|(?:quantity|qty|数量)\W{{0,3}}{0}\b"


def find_missed_times(instruction: str, pool: str, steps: Sequence[StoredStep] | None = None) -> list[str]:
    """The further parts of a command whose time of day shows nowhere: of “7 and another for 7:15” the last.

    None where no time shows at all: then nothing can be told from it. An alarm may have stood at that time
    before: of two that were ordered and one that was saved in `steps`, one is missed. `pool`: see above.
    """
    shown = {figure for figure in _FIGURE.findall(pool) if ":" in figure}
    timed, missed, is_alarm = [], [], OF_ALARMS.search(instruction) is not None
    first, *others = (shown and split_parts(instruction)) or [""]
    has_time = bool(_times_of(first, is_alarm=is_alarm))
    is_set = has_time or OF_ALARMS.search(first) is not None
    for part in others:
        times = _times_of(part, is_alarm=is_alarm)
        if any(not shown & _written(time) for time in times):
            missed.append(part)
        elif times and (has_time or not _is_only_time(part, instruction)):
            timed.append(part)
        has_time = has_time or bool(times)
    saved = sum(pressed_to_save(step) is not None for step in steps or ())
    lacking = is_set + len(timed) - saved if is_alarm and steps is not None else 0
    return [*missed, *timed[len(timed) - max(0, min(lacking, len(timed))) :]]


def _times_of(part: str, *, is_alarm: bool) -> list[str]:
    text = fold(with_clock_digits(part))
    times = [figure for figure in _FIGURE.findall(text) if ":" in figure]
    return times + ([fold(f"{hour}:00") for hour in BARE_HOUR.findall(text)] if is_alarm else [])


def _is_only_time(part: str, instruction: str) -> bool:
    """Whether a part is only a time, “14:05 pls”, of what is set before it, and in doubt not deleted."""
    before = instruction[: instruction.find(part)].rstrip()
    ends_other = any(pole < 0 for _axis, pole in signature(before))
    untimed = _ONE_TIME.sub("", fold(with_clock_digits(part))).strip(" ,.!吧啊")
    return before[-1:] in ",，;；。!！" and not ends_other and (not untimed or is_courtesy(untimed))


_ONE_TIME = lazy_regex(r"^(?:(?:at|for) )?\d{1,2}(?::\d{1,2})?(?: ?[ap]\.?m\b)?(?!\d)")


def _written(figure: str) -> set[str]:
    """A figure, and a time of day also on the other half of the clock: “make it 8” is 8:00 or 20:00."""
    hour, colon, minute = figure.partition(":")
    if not colon and not 0 < int(hour[:3]) <= 24:
        return {figure}
    # A folded screen has 8:00 as “8:0”.
    minutes = (minute,) if minute else ("00", "0")
    return {figure, *(f"{each % 24}:{digits}" for each in (int(hour), int(hour) + 12) for digits in minutes)}


def _in_fields(figure: str) -> set[str]:
    """The figures of a field for the hour and one for the minute; the figure itself for no time of day."""
    return {str(int(part)) for part in figure.split(":")} if ":" in figure else {figure}


_FIGURE = lazy_regex(r"\d+(?::\d+)?")
_TAKEN_BACK = word_pattern("takes_back")


def has_old_value(deed: Deed, remark: UserRemark, page_words: Sequence[str] = ()) -> bool:
    """Whether a deed, or the page of a payment by its words, has the value that a remark took back."""
    match remark.kind:
        case ValueKind.OPTION | ValueKind.ITEM if deed.kind is ActionKind.PAY:
            return any(_says_old(words, remark) for words in page_words)
        case ValueKind.PERSON:
            return bool(remark.old) and _names(deed.recipient, remark.old)
        case ValueKind.TEXT if deed.kind is ActionKind.SEND:
            # Whether other words say what is meant, only the user can judge.
            return stands_in_order(remark.old, deed.text) and not stands_in_order(remark.new, deed.text)
        case ValueKind.PLACE:
            return bool(remark.old) and _names(deed.destination, remark.old)
        case ValueKind.AMOUNT if deed.kind is ActionKind.PAY and deed.amount:
            return as_number(remark.new) != as_number(deed.amount)
        case _:
            return False


def _says_old(words: str, remark: UserRemark) -> bool:
    old, new, line = _plain(remark.old), _plain(remark.new), _plain(words)
    if not old or old in new or (new and new in line):
        return False
    return old in line if has_chinese(old) else re.search(rf"\b{re.escape(old)}\b", line) is not None


def _names(recipient: str, person: str) -> bool:
    """Whether the recipient of a deed is called as a person of a command is: “Mom” and 妈妈."""
    words = [recipient, *re.split(r"[\s,·()（）]+", recipient)]
    return any(is_same_value(word, person) for word in words if word)


def repeats_remark(text: str, remarks: Sequence[UserRemark]) -> str:
    """The correction that a text repeats as it was said, with more than its value; empty for another text."""
    typed = _plain(text)
    for remark in remarks:
        new = _plain(remark.new)
        if remark.kind and len(typed) > len(new) and new in typed and typed in _plain(remark.text):
            return remark.text
    return ""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(' ,，.。!！;；:：“”"')


def find_conflict(
    remarks: Sequence[UserRemark], deed: Deed, page_words: Sequence[str] = (), turn: Checkpoint | None = None
) -> str:
    """What the user said that a deed goes against: it has the old value, or their words for its text.

    Its page may show the old value: `page_words`, see `has_old_value`, and with its `turn` an option that is
    another than what was said.
    """
    # Of options there are several, which do not stand for one another.
    options = (ValueKind.OPTION, ValueKind.ITEM)
    latest = {
        remark.text if remark.kind in options else remark.kind or remark.text: remark for remark in remarks
    }
    against = (
        remark
        for remark in latest.values()
        if has_old_value(deed, remark, page_words) and not _names(deed.recipient, remark.new)
    )
    typed = repeats_remark(deed.text, remarks) if deed.kind is ActionKind.SEND else ""
    refused = typed or next((remark.text for remark in against), "")
    refused = refused or (_find_passed_limit(turn.said, deed) if turn is not None else "")
    if refused or turn is None:
        return refused
    lines = (*page_words, deed.recipient, deed.text, deed.destination) if deed.kind is ActionKind.PAY else ()
    user_texts = (f"{turn.said}\n{turn.instruction}", *(remark.text for remark in remarks))
    refused = find_refused_name(user_texts, [part for line in lines for part in _OPTIONS.split(line)])
    return refused or _find_contradiction(turn, remarks, page_words)


def _find_passed_limit(said: str, deed: Deed) -> str:
    """The words by which a command says how much may be paid, where a payment is of more; else empty."""
    amount = _AMOUNT.search(deed.amount) if deed.kind is ActionKind.PAY else None
    for match in _LIMITS.finditer(said) if amount is not None else ():
        limit = next(filter(None, match.groups()))
        if amount is not None and _as_amount(amount[0]) > _as_amount(limit):
            return match[0].strip()
    return ""


def _as_amount(digits: str) -> float:
    """An amount in figures, with a point or comma before the cents, or between thousands: “1,234.50”."""
    whole, _point, cents = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", digits).replace(",", ".").partition(".")
    return float(f"{whole}.{cents or 0}")


def find_wishes(turn: Checkpoint) -> list[UserRemark]:
    """What an order that is paid asks for beside the thing: rice with “the usual”, no onions, cheapest."""
    asked = turn.asked.deed if turn.asked is not None else None
    if all(deed.kind is not ActionKind.PAY for deed in (*turn.deeds, *((asked,) if asked else ()))):
        return []
    wishes: list[str] = []
    for order_text in (turn.said, split_own_words(turn.instruction)[1]):
        parts = [part.strip() for part in _WISHES.split(order_text) if part and part.strip()]
        parts = [part for part in parts if not is_no_wish(part)]
        beside = [part for part in parts if fold(without_vague(part)) == fold(part)]
        # Where nothing is called usual, the whole command stands for what is done.
        wishes += beside if len(beside) < len(parts) else []
    wishes = [part for part in dict.fromkeys(wishes) if content_words(_NO_WISH.sub(" ", part))]
    said_wishes = [*_find_said_wishes(turn.said)]
    for remark in turn.remarks:
        if not remark.kind:
            said_wishes += [words for words in _find_said_wishes(remark.text) if is_for_user_to_judge(words)]
    others = [*wishes, *said_wishes]
    wishes += [words for words in said_wishes if not any(words in wish != words for wish in others)]
    return [UserRemark(after=0, text=part, kind=ValueKind.OPTION, new=part) for part in dict.fromkeys(wishes)]


def _find_said_wishes(text: str) -> Iterator[str]:
    """The words of a text that say how a thing is wanted, without what, for whom not, or which of several."""
    for forms in (*(wish.said for wish in _SAID_WISHES.values()), _COMPARES, _EXCEPTS):
        for match in forms.finditer(text):
            if content_words(next(filter(None, match.groups()), match[0])):
                yield match[0].strip(" ,，")


def is_for_user_to_judge(words: str) -> bool:
    """Whether words compare, “the cheapest one”: no page says of a thing that it is that."""
    return _COMPARES.search(words) is not None


def _shows_wish(words: str, pool: str) -> bool:
    """Whether the text of screens and steps (`pool`) shows a wish.

    For more, less or none of a thing, the word for the degree must stand close to the thing.
    """
    if is_for_user_to_judge(words):
        return fold(words) in pool
    for wish in _SAID_WISHES.values():
        match = wish.said.search(words)
        things = content_words(next(filter(None, match.groups()), "")) if match is not None else []
        if things and has_chinese(words) == has_chinese(pool):
            places = (place for thing in things for place in re.finditer(re.escape(_stem(thing)), pool))
            around = (pool[max(0, place.start() - _BESIDE) : place.end() + _BESIDE] for place in places)
            return any(wish.shown.search(text) for text in around)
    return is_answered(words, pool, "")


def _stem(thing: str) -> str:
    return thing.removesuffix("s") if thing.isascii() and len(thing) > _SHORT_WORD else thing


class _SaidWish(NamedTuple):
    """How a kind of wish is said, and how screens say that it is followed."""

    said: re.Pattern[str]
    shown: re.Pattern[str]


_SAID_WISHES = {
    name: _SaidWish(compile_words(words["said"]), compile_words(words["shown"]))
    for name, words in WORDS["said_wishes"].items()
}
_COMPARES, _EXCEPTS, _LIMITS = (word_pattern(name) for name in ("compares", "excepts", "limits"))
_BESIDE, _SHORT_WORD = 14, 3
"""How many characters around a thing say how much of it, and how long a word without a plural is."""


_WISHES, _NO_WISH = word_pattern("next_wish"), word_pattern("no_wish")


def _find_contradiction(turn: Checkpoint, remarks: Sequence[UserRemark], lines: Sequence[str]) -> str:
    """What was said of how a thing is wanted, where the page of a payment says it otherwise: 不要糖 and 全糖.

    Of sugar, ice and the like the degree is compared, of sizes the size. What the turn itself entered, as a
    note to the seller, is no choice of the page, whose `lines` are compared. The oldest remark comes first.
    """
    entered = {one_line(step.action.text) for step in turn.steps if isinstance(step.action, TypeText)}
    texts = [part for line in lines if line not in entered for part in _OPTIONS.split(line)]
    page = [option for text in texts for option in _read_options(text)]
    options = (match[0] for form in (*ALTERNATIVES, IN_COMMAND) for match in form.finditer(turn.said))
    user_texts = [turn.said, *options, *(remark.text for remark in remarks)]
    wishes: dict[tuple[str, str], tuple[str, str]] = {}
    for text in (part for words in user_texts for part in _OPTIONS.split(words)):
        for scale, thing, degree in _read_options(text):
            wishes[scale, thing] = degree, text.strip()
    for (scale, thing), (degree, text) in wishes.items():
        shown = {each for each_scale, each_thing, each in page if (each_scale, each_thing) == (scale, thing)}
        if shown and degree not in shown:
            return text
    return ""


def _read_options(text: str) -> Iterator[tuple[str, str, str]]:
    """The degrees that some words say of things, each as its scale, the thing and the degree."""
    line = fold(text)
    things = [name for name, words in _THINGS.items() if words.search(line)]
    for thing in things if len(things) == 1 else ():
        if degree := next((name for name, words in _DEGREES.items() if words.search(line)), ""):
            yield "degree", thing, degree
    if not things and (size := next((name for name, words in _SIZES.items() if words.search(line)), "")):
        yield "size", "", size


_OPTIONS = word_pattern("next_option")
_THINGS, _DEGREES, _SIZES = (
    {name: compile_words(words) for name, words in WORDS[scale].items()}
    for scale in ("option_things", "option_degrees", "option_sizes")
)


def tell_difference(
    turn: Checkpoint, deed: Deed, names_of: Callable[[str], Sequence[str]] = lambda _: ()
) -> str:
    """Where a deed differs from the address, amount or person (see `names_of`) of its command; else empty."""
    values = find_values(turn.instruction)
    people = [each.text for each in (*values, *find_values(turn.said)) if each.kind == ValueKind.PERSON]
    limited = {at for match in _LIMITS.finditer(turn.instruction) for at in range(*match.span())}
    amounts = [each.text for each in values if each.kind == ValueKind.AMOUNT and each.start not in limited]
    is_payment, unlike = deed.kind is ActionKind.PAY, list[tuple[str, str]]()
    for place in (each.text for each in values if is_payment and each.kind == ValueKind.PLACE):
        match = _ADDRESS.fullmatch(place)
        address = match["address"] if match is not None else place
        if _is_elsewhere(match["name"] if match is not None else place, address, deed.destination):
            unlike.append((address, deed.destination))
    paid, said = (_AMOUNT.search(words) for words in (deed.amount, amounts[0] if amounts else ""))
    if is_payment and len(amounts) == 1 and paid and said and _as_amount(paid[0]) != _as_amount(said[0]):
        unlike.append((amounts[0], deed.amount))
    is_told = (is_payment and amounts) or deed.kind is ActionKind.SEND
    user_words = " ".join((turn.instruction, turn.said, *(remark.text for remark in turn.remarks)))
    is_named = fold(deed.recipient) in fold(user_words)
    is_told = is_told and any(map(str.isalpha, deed.recipient)) and not is_named
    is_told = is_told and bool(people) and not any(_is_meant(deed.recipient, each) for each in people)
    # Of who else they are the whole title must tell: “Mom's group” and “Tom's mom” are others.
    titles = (name for each in people for name in names_of(each))
    if is_told and not any(is_same_title(deed.recipient, name) for name in titles):
        unlike.append((people[0], deed.recipient))
    by_user, by_command = (
        _("You said “{said}”; the page says “{shown}”."),
        _("The command is for “{said}”; the page says “{shown}”."),
    )
    forms = (by_user if words in turn.said else by_command for words, _shown in unlike)
    parts = zip(forms, unlike, strict=True)
    return sentences(*(form.format(said=words, shown=one_line(page)) for form, (words, page) in parts))


def _is_elsewhere(name: str, address: str, destination: str) -> bool:
    """Whether a page brings something elsewhere: to another number, or home instead of to the office."""
    numbers, shown = (set(_NUMBER.findall(fold(words))) for words in (address, destination))
    if numbers:
        return bool(destination) and not numbers <= shown
    named = canonical_word(_bare(name))
    places = {canonical_word(part) for part in _DESTINATION_PARTS.split(destination)} - {None}
    return named is not None and bool(places) and named not in places


def _is_meant(recipient: str, person: str) -> bool:
    return _is_called(recipient, person) or _is_called(person, recipient)


_ADDRESS = lazy_regex(r"(?P<name>.*?)\s*[(（](?P<address>.+)[)）]")
_ITS_ARTICLE = lazy_regex(r"^(?:the|my|our)\s+", re.IGNORECASE)
_DESTINATION_PARTS, _NUMBER = lazy_regex(r"\s*[·,，、:：]\s*"), lazy_regex(r"\d+")
_AMOUNT = lazy_regex(r"\d+(?:[.,]\d+)*")


def find_forbidden(said: str) -> dict[ActionKind, str]:
    """The kinds of deeds that a command says must not be done, each with the words that say so."""
    clauses = [clause for part in _CLAUSE_BOUNDS.split(said) if (clause := part.strip(" .!?！？"))]
    forbidden: dict[ActionKind, str] = {}
    for kind, pattern in _FORBIDS.items():
        says = pattern.search if kind is ActionKind.PAY else pattern.fullmatch
        if words := next((clause for clause in clauses if says(clause)), ""):
            forbidden[kind] = words
    return forbidden


_CLAUSE_BOUNDS = word_pattern("clauses")
_FORBIDS = {ActionKind(kind): compile_words(words) for kind, words in WORDS["forbidden_deeds"].items()}


def tell_settled(turn: Checkpoint, pool: str) -> str:
    """The answers to questions that the phone shows, with the parts of the command that they settle."""
    settled = []
    for place, step in enumerate(turn.steps, start=1):
        answer = next((each.text for each in turn.remarks if each.after == place), "")
        if not isinstance(step.action, AskUser):
            continue
        if any(word in pool for word in content_words(answer)):
            settled.append(answer)
        # “There is no field for a note: pay without it?” What is said beside it is still to be done.
        if is_agreement(answer) or _IS_WELL.fullmatch(fold(answer)):
            denying = filter(_LACKS.search, _QUESTION_PARTS.split(fold(step.action.question)))
            named = set(_CHARACTERS.findall(" ".join(denying)))
            parts = split_parts(turn.instruction)
            settled += [part for part in parts if set(_CHARACTERS.findall(fold(part))) <= named]
    return " ".join(settled)


def find_told_name(turn: Checkpoint) -> tuple[str, str] | None:
    """Whom of a command somebody is, as the user said when they were asked: “tom” and “Ben Stone”.

    It holds where something was sent to one person, whose name stands in the answer and not in the command,
    and where the answer says that they are the same, “tom is ben stone”, or is only the name that a question
    asked for, “under which name is Tom saved”. In “tom is away, text ben stone” it is somebody else.
    """
    people = {each.text for each in find_values(turn.instruction) if each.kind is ValueKind.PERSON}
    reached = {deed.recipient for deed in turn.deeds if deed.kind is ActionKind.SEND and deed.recipient}
    if len(people) != 1 or len(reached) != 1:
        return None
    (person,), (recipient,) = people, reached
    for place, step in enumerate(turn.steps, start=1):
        answer = next((each.text for each in turn.remarks if each.after == place), "")
        if not isinstance(step.action, AskUser) or _DENIED.search(answer):
            continue
        names = {"<person>": person, "<name>": recipient}
        question, plain_answer = (_with_names(text, names) for text in (step.action.question, answer))
        is_name = _ASKS_NAME.search(question) and _BESIDE_NAME.fullmatch(plain_answer)
        if is_name or _TELLS_NAME.search(plain_answer):
            is_said = _says(f"{turn.said} {turn.instruction}", recipient) or _is_called(recipient, person)
            return None if is_said else (person, recipient)
    return None


def _says(text: str, name: str) -> bool:
    return re.search(whole_words(_plain(name)), _plain(text)) is not None


def _with_names(text: str, names: dict[str, str]) -> str:
    """A plain text with what stands for each name in its place."""
    plain = _plain(text)
    for sign, name in names.items():
        plain = re.sub(whole_words(_plain(name)), sign, plain)
    return plain


_CHARACTERS = lazy_regex(r"[^\W_\u4e00-\u9fff]+|[\u4e00-\u9fff]")
_ASKS_NAME, _DENIED, _TELLS_NAME = map(word_pattern, ("asks_name", "denied", "tells_name"))
_IS_WELL, _LACKS, _QUESTION_PARTS = map(word_pattern, ("is_well", "lacks", "question_parts"))
_BESIDE_NAME = word_pattern("beside_name")


def find_left_out_people(turn: Checkpoint) -> list[str]:
    """Those of several people to whom a command sends something, or whom it calls, that no deed was for.

    Nothing is said where none of them is in the deeds: it may be done in a group that has another name.
    """
    match = _RECIPIENTS.search(turn.instruction)
    named = _NEXT_RECIPIENT.split(next(filter(None, match.groups()))) if match is not None else []
    # “Call Mom and Play jazz” has a second order behind the name.
    names = [name for name in named if name and name.split()[0].casefold() not in VERBS]
    reached = [deed.recipient for deed in turn.deeds if deed.kind is ActionKind.SEND]
    left_out = [name for name in names if not any(_is_called(each, name) for each in reached)]
    return left_out if len(left_out) < len(names) else []


def _is_called(recipient: str, name: str) -> bool:
    return _names(recipient, name) or _plain(name) in _plain(recipient)


_RECIPIENTS, _NEXT_RECIPIENT = word_pattern("recipients"), word_pattern("next_recipient")


def find_not_left_out(turn: Checkpoint, pool: str, answer: str, screen: Observation | None) -> list[str]:
    """What a command leaves out, “every weekday except fridays”, where nothing shows that it is left out.

    What is paid for is looked at where it is paid; what a message or note says is its text.
    """
    if any(deed.kind is ActionKind.PAY for deed in turn.deeds) or not wants_change(turn.instruction):
        return []
    unheeded = []
    for text in (turn.said, *(remark.text for remark in turn.remarks)):
        for match in (match for name in _LEAVING_OUT for match in _SAID_WISHES[name].said.finditer(text)):
            if fold(match[0]) in pool:
                continue
            thing = next(filter(None, match.groups()), match[0])
            if named_days(thing):
                days = (days_meant(text) & days_meant(turn.instruction)) or days_meant(text)
                spoken = fold(with_clock_digits(BARE_HOUR.sub(r" \1:00", text.casefold())))
                clocks = {each for time in _FIGURE.findall(spoken) if ":" in time for each in _written(time)}
                is_left_out = days_meant(answer) <= days and shows_days(screen, days, clocks)
            else:
                is_left_out = _is_untouched(turn, thing, pool) or _shows_wish(match[0], pool)
            if not is_left_out:
                unheeded.append(match[0].strip(" ,，"))
    return list(dict.fromkeys(unheeded))


def _is_untouched(turn: Checkpoint, thing: str, pool: str) -> bool:
    """Whether a thing is seen and was not touched, nor all at once; of people, that several were reached."""
    reached = {deed.recipient for deed in turn.deeds if deed.kind is ActionKind.SEND}
    if reached:
        return len(reached) > 1 and not any(_is_called(each, thing) for each in reached)
    words = content_words(with_clock_digits(thing))
    targets = (step.action.target for step in turn.steps if not step.error)
    takes_all = any(target is not None and _TAKES_ALL.search(target.label) for target in targets)
    is_touched = any(_is_touched(step, words) for step in turn.steps)
    return not is_touched and not takes_all and all(_stem(word) in pool for word in words)


_LEAVING_OUT, _TAKES_ALL = ("except", "without"), word_pattern("takes_all")


def end_given_up(reason: str, turn: Checkpoint) -> tuple[Outcome, str]:
    """The outcome and answer of a turn that the model gave up; cancelled if the user declined it last."""
    mark, why = split_reason(reason)
    acted = [not (step.error or isinstance(step.action, AskUser)) for step in turn.steps]
    last = max((at for at, has_acted in enumerate(acted, 1) if has_acted), default=0)
    later = [(is_refusal(each.text), read_left_out(each.text)) for each in turn.remarks if each.after >= last]
    later += [(True, None) for step in turn.steps[last:] if step.error == Refusal.NOT_ALLOWED]
    if mark == "declined" and any(left.is_all_of(turn.instruction) if left else no for no, left in later):
        return Outcome.CANCELLED, why or _("Cancelled.")
    how = _("To schedule it, send it with its time or event, “every day at 22:50 …”, or use /schedule.")
    return Outcome.FAILED, sentences(with_stop(why), how) if mark == "schedule" else why


def is_only_reported(instruction: str, text: str) -> bool:
    """Whether a message is taken word for word from a command that reports to us what is to be said."""
    words = " ".join(text.casefold().split())
    return words != "" and words in " ".join(instruction.casefold().split()) and bool(_REPORTED.search(words))


_REPORTED = word_pattern("reported")


def tell_other_parts(instruction: str, answer: str, steps: Sequence[StoredStep]) -> str:
    """The parts of a command that were carried out and that the model's answer does not name, in a sentence.

    Empty where it names all or none, behind a refusal, and for fewer deeds than parts: one may be a message.
    """
    parts = split_parts(instruction)
    done = sum(step.deed_done is not None or pressed_to_save(step) is not None for step in steps)
    unnamed = [part for part in parts if not is_answered(part, fold(answer), "")]
    is_refused = any(step.error == Refusal.NOT_ALLOWED for step in steps)
    if is_refused or done < len(parts) or not 0 < len(unnamed) < len(parts):
        return ""
    return _("Also carried out: {parts}.").format(parts=joined(f"“{part}”" for part in unnamed))


def find_done_anyway(turn: Checkpoint, *, is_over: bool = True) -> list[str]:
    """What the user took back, or said is to stay as it is, where it was touched or done all the same.

    What was touched before they said so must be touched once more by the time that the turn `is_over`.
    """
    against = []
    for remark in turn.remarks:
        whole = read_left_out(remark.text)
        clauses = [whole] if whole is not None else map(read_left_out, _CLAUSE_ENDS.split(remark.text))
        for left_out in (each for each in clauses if each is not None and (remark.old or not each.is_kept)):
            is_wanted = not remark.old and any(map(left_out.agrees_with, split_parts(turn.instruction)))
            words = content_words(remark.old if left_out.is_kept else left_out.thing) or [left_out.thing]
            touched = [step for step in turn.steps if not is_wanted and _is_touched(step, words)]
            later_steps = [step for step in turn.steps[remark.after :] if step in touched]
            is_undone = 0 < len(later_steps) < len(touched) and _is_undone(touched)
            kinds = required_kinds(remark.old) - required_kinds(turn.instruction)
            is_done = any(step.deed_done is not None and step.deed_done.kind in kinds for step in turn.steps)
            if is_done or ((touched if is_over else later_steps) and not is_undone):
                against.append(remark.text)
    return against


def _is_touched(step: StoredStep, words: Sequence[str]) -> bool:
    """Whether a step touched or typed what is called by some words; an option that leaves it out is none."""
    target = step.action.target if isinstance(step.action, Click | LongClick) and not step.error else None
    text = fold(f"{target.label} {target.around}") if target is not None else ""
    if isinstance(step.action, TypeText) and not step.error:
        text = fold(step.action.text)
    return all(word in text for word in words) and _LEFT_OUT.search(text) is None


def _is_undone(touched: Sequence[StoredStep]) -> bool:
    """Whether the steps pressed one thing, such as a switch, as often as takes it back."""
    names = {step.action.target.name if step.action.target is not None else "" for step in touched}
    return len(names) == 1 and "" not in names and len(touched) % 2 == 0


_LEFT_OUT, _CLAUSE_ENDS = word_pattern("left_out"), lazy_regex(r"[,，;；。]")

"""Whether a reported success is believed: success is what the phone shows.

The model's words are no evidence. A command that changes something needs an action that was performed and a
trace of it that code can find, one of these:

- a deed after which the screen changed, or a typed text that still stands there
- a switch or another element that changed in place, or a page that differs when it is seen again
- a button that left a filled form, or whose words carry something out
- what was searched for and chosen, on a page of its own

None of them counts on a page that still waits for a button such as “Save”. What was only looked up is
believed where something in the answer stood on a screen and not in the command; what was only opened, where
the turn ended there. Each part of the command needs an answer on the phone: one of its words in what was
tapped, typed or shown afterwards. Without these the turn ends unconfirmed, and the parts are named.

What a button says is read in all languages of the label lexicon. Whether a command asks or opens is read off
its words in English and Chinese, else off a question mark and off what was done. A part in another script
than the phone's is not judged by its words.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from assistant.events import ActionKind
from assistant.files import compile_words, lazy_regex, read_words
from assistant.i18n import _, ended, has_chinese, later
from assistant.memory.prototypes.terms import is_courtesy, split_parts, tells_no_wish
from assistant.memory.turns import StoredStep
from assistant.model.types import quoted
from assistant.records import (
    Click,
    Element,
    LongClick,
    Observation,
    OpenApp,
    PressEnter,
    PressHome,
    Scroll,
    Swipe,
    Target,
    TypeText,
)
from assistant.safety import wording
from assistant.safety.amounts import figures_in
from assistant.safety.lexicon import Sense, lexicon
from assistant.safety.wording import is_search_field
from assistant.skills.command_wording import ValueKind, find_values
from assistant.skills.slots import with_clock_digits

_LOOK_AGAIN = (
    "You said that the task is finished, with the answer {}.{} Look at the screen again. Say so again only "
    "if it or an earlier screen of this turn shows every part of the task carried out; if not, go on with it."
)
WORDS = read_words("assistant.agent", "completion.yaml")
"""Words of commands and screens, which `stop_checks` reads too."""


def word_pattern(name: str) -> re.Pattern[str]:
    """The words of a name in `completion.yaml`, as one pattern."""
    return compile_words(WORDS[name])


_CLAUSE = r"(?:^|[,;.!]\s*|\b(?:and|then|please|also|want to|need to|like to|could you|can you)\s+)"
_CONTENT = lazy_regex(r"[:：].*|[\"“「『].*?[\"”」』]", re.DOTALL)
_NEGATED, _WRITTEN_DOWN = word_pattern("negated"), word_pattern("written_down")
_UNDONE = {
    ActionKind.SEND: later("nothing was sent"),
    ActionKind.PAY: later("nothing was ordered or paid"),
    ActionKind.DELETE: later("nothing was deleted"),
    ActionKind.INSTALL: later("nothing was installed"),
}


def required_kinds(instruction: str) -> frozenset[ActionKind]:
    """The kinds of action that a command requires, by its verbs, in English and Chinese.

    A verb counts at the beginning of a clause (“send …”, “… and send”), not as a noun (“read the last
    message”), not negated, not inside a text to be written, and not in a reminder or note.
    """
    text = _NEGATED.sub(" ", _CONTENT.sub(" ", instruction)).strip()
    if _WRITTEN_DOWN.search(text):
        return frozenset()
    return frozenset(kind for kind, pattern in _REQUIRES.items() if pattern.search(text))


def find_contradiction(instruction: str, done: Collection[ActionKind], steps: int, answer: str) -> str:
    """Why a reported success cannot be true, as a clause; empty if nothing contradicts it.

    `done` are the kinds of sensitive actions that were executed, of `steps` actions. A turn without any needs
    an `answer` to be a success.
    """
    for kind in required_kinds(instruction):
        if kind not in done:
            return _UNDONE[kind]
    return later("nothing was done") if steps == 0 and not answer.strip() else ""


_REQUIRES = {
    ActionKind(kind): lazy_regex(
        "|".join([*(f"{_CLAUSE}(?:{verbs})" for verbs in languages["en"]), *languages["zh"]]), re.IGNORECASE
    )
    for kind, languages in WORDS["requires"].items()
}


_ASKS, _YES_OR_NO, _OPENS = word_pattern("asks"), word_pattern("yes_or_no"), word_pattern("opens")
_COMMITS, _DEMANDS = word_pattern("commits"), word_pattern("demands")
_FORBIDS = word_pattern("forbids")
_STOP_WORDS = frozenset(WORDS["stop_words"])
_WORD = lazy_regex(r"[^\W\d_\u3400-\u9fff]+|\d+")
_UNSPACED_RUN = lazy_regex(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_CJK_FILLERS, _DATE = word_pattern("cjk_fillers"), word_pattern("written_date")
_VALUE_PARTS = lazy_regex(r"[,，、;；\n]")
_YES = ("是", "对", "有", "在", "会", "はい", "네", "예", "sí", "да")
_LETTER_RUN = 4
_WORD_RUN = {False: 2, True: 3}
"""An answer that repeats at least this many consecutive words of a screen was read there, not guessed. The
larger number holds if the command may not be a question. `_LETTER_RUN` is the same in letters, for scripts
without spaces."""


def asks(instruction: str) -> bool:
    """Whether a command asks something, by a question mark or by English or Chinese words."""
    return _ASKS.search(instruction.strip()) is not None


def only_opens(instruction: str) -> bool:
    """Whether a command only opens or shows something, as far as its words tell."""
    return _OPENS.search(instruction.strip()) is not None or lexicon().mentions(instruction, Sense.OPENS)


def wants_change(instruction: str) -> bool:
    """Whether a command changes something on the phone. In doubt it does."""
    return bool(required_kinds(instruction)) or not (asks(instruction) or only_opens(instruction))


def demands_change(instruction: str) -> bool:
    """Whether a verb of a command, in a supported language, asks for a change on the phone."""
    if required_kinds(instruction) or _DEMANDS.search(instruction.strip()):
        return True
    words = instruction.split()
    ends = (" ".join(words[:1]), " ".join(words[:2]), *words[-1:])
    tests = (wording.completes_page, wording.classify_label, _COMMITS.search)
    return any(test(text) for text in ends for test in tests)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A snapshot of a page: its key, and how often each element occurs in each state."""

    page: str
    elements: Counter[tuple[object, ...]]


class TraceLog:
    """What a turn has left on the phone, as far as its screens show.

    Args:
        steps: the steps so far, where the turn is continued.

    Attributes:
        saved_dates: the texts with a date in the rows and fields of pages when their “Save” was pressed.
    """

    def __init__(self, steps: Sequence[StoredStep] = ()) -> None:
        self._has_trace = any(_did_deed(step) and not step.error for step in steps)
        self._waiting: list[tuple[Observation, Sequence[StoredStep]]] = []
        self._lock = threading.Lock()
        self._last: _Seen | None = None
        self._unfinished, self.saved_dates = frozenset[str](), list[str]()
        self._pages, self._scrolled = dict[str, _Seen](), set[str]()
        self._typed, self._searched, self._chosen = list[str](), "", list[str]()
        self._done, self._acted = 0, False
        self._screens, self._answers = list[Observation](), list[str]()
        self._shown, self._readable = dict[str, bool](), set[str]()
        for step in steps:
            self._note(step)
        self._done = len(steps)

    def observe(self, observation: Observation, steps: Sequence[StoredStep]) -> None:
        """Take note of a screen, and of the steps that led to it, by the next time that anything is asked."""
        self._waiting.append((observation, tuple(steps)))

    def catch_up(self) -> None:
        """Look at the screens that were noted; in any thread, since thousands of nodes take a while."""
        with self._lock:
            while self._waiting:
                self._look_at(*self._waiting.pop(0))

    @property
    def has_trace(self) -> bool:
        """Whether the phone shows a trace of what was done."""
        self.catch_up()
        return self._has_trace

    def _look_at(self, observation: Observation, steps: Sequence[StoredStep]) -> None:
        now = _Seen(_page_of(observation), _states_of(observation))
        unfinished = _completing(observation)
        for step in steps[self._done :]:
            if step.error:
                continue
            self._note(step)
            if isinstance(step.action, Scroll | Swipe) and self._last is not None:
                self._scrolled.add(self._last.page)
            target = step.action.target
            # “Directions” that leads to a page with “Start” has completed nothing yet.
            leads_on = bool(unfinished - self._unfinished)
            pressed = target is not None and target.label in self._unfinished
            if pressed and self._screens:
                self.saved_dates += _dates_to_set(self._screens[-1])
            submitted = isinstance(step.action, PressEnter) and self._submits(now)
            completed = submitted or _did_deed(step) or (pressed and not leads_on)
            if self._changes(step, now) and (completed or not unfinished):
                self._has_trace = True
        self._done = len(steps)
        # A second look at the same page is no page more: what led to it is still of use.
        before = self._screens[:-1] if now == self._last else self._screens[-1:]
        if not unfinished:
            if self._acted and self._differs_from_before(now):
                self._has_trace = True
            searches = any(e.editable and is_search_field(e) for e in observation.elements)
            chosen = () if searches else self._chosen
            if any(_stands_on(text, observation) for text in (*self._typed, *chosen)):
                self._has_trace = True
        self._unfinished = unfinished
        self._last = self._pages[now.page] = now
        self._scrolled.discard(now.page)
        self._screens = [*before, observation]
        for element in observation.elements:
            if not element.password and (text := fold(element.text or element.description)):
                is_label = element.clickable or _is_pressed_by(element, observation)
                self._shown[text] = self._shown.get(text, True) and is_label
                if not element.class_name.endswith("Button"):
                    self._readable.add(text)

    def tells(self, answer: str, instruction: str, *, surely_asked: bool = False) -> bool:
        """Whether an answer has a number, text or several words of a screen that the command does not say.

        If the command may not be a question, texts of buttons do not count, and more words must agree.
        """
        self.catch_up()
        normal_answer, command = fold(answer), fold(instruction)
        texts = [text for text, is_label in self._shown.items() if surely_asked or not is_label]
        figures = {figure for text in texts for figure in figures_in(text)}
        if figures & figures_in(normal_answer) - figures_in(command):
            return True
        length = _WORD_RUN[not surely_asked]
        if any(len(text) >= length and text not in command and _holds(normal_answer, text) for text in texts):
            return True
        runs = _runs(normal_answer, length) - _runs(command, length)
        return any(runs & _runs(text, length) for text in texts)

    def shows(self, value: str) -> bool:
        """Whether each part of a value, such as the lines of an address, stood on a screen of this turn.

        What only a button says is no value: a model that found nothing may report “Done”.
        """
        self.catch_up()
        parts = [part for part in map(fold, _VALUE_PARTS.split(value)) if part]
        return bool(parts) and all(any(_holds(text, part) for text in self._readable) for part in parts)

    def arrived(self, instruction: str) -> bool:
        """Whether the last screen is what a command names: by its title, its app or the tapped element.

        A page with a switch of that name still waits for it to be switched.
        """
        self.catch_up()
        if not self._screens:
            return False
        words, last = set(content_words(instruction)), self._screens[-1]
        if any(words & set(content_words(text)) for text in _switch_texts(last)):
            return False
        titles = (last.app.label, last.app.title, _heading_of(last), *self._answers)
        return not words or any(words & set(content_words(title)) for title in titles)

    def find_unanswered(self, instruction: str, answer: str, settled: str = "") -> list[str]:
        """The parts of a command of which no word was tapped or typed, or is shown at the end.

        What `settled` repeats was settled by the user, “something calm” by what is played.
        """
        parts, settled_words = find_wishes_said(instruction), set(content_words(settled))
        if len(parts) < 2:
            return []
        open_parts = [part for part in parts if not set(content_words(part)) <= settled_words]
        # The first part is what the trace is about; its deed is counted by its kind.
        is_counted = open_parts[:1] == parts[:1] and bool(required_kinds(parts[0]))
        return [part for part in open_parts[is_counted:] if not is_answered(part, self.pool, answer)]

    def confirms(self, part: str, evidence: Mapping[str, str]) -> str:
        """The words of a screen that the model names for a part of a command, where they stood there; or "".

        They must have a figure of a part that has some or asks for a change; what denies is answered by what
        was chosen instead. None answer what is paid, sent or deleted. The user judges: both are told.
        """
        seen, texts = evidence.get(fold(part), ""), (*self._shown, *map(fold, self._answers))
        # A model is told the texts of a row as one, and may cut it short: “06:30 · Once…”.
        named = [fold(words) for piece in seen.split("·") if len(words := piece.strip(" .…")) > 1]
        figures = (_FIGURES.findall(with_clock_digits(text)) for text in (part, seen))
        said, shown = ({f"{int(h) % 12}{rest}" if rest else h for h, rest in each} for each in figures)
        is_of_it = bool(said & shown) or not (said or demands_change(part))
        is_of_it = self._is_instead(part, named) if _DENIES.search(part) else is_of_it
        is_there = named and all(any(_holds(text, words) for text in texts) for words in named)
        return seen if is_there and is_of_it and not required_kinds(part) else ""

    def _is_instead(self, part: str, named: Sequence[str]) -> bool:
        """Whether some of the named words were tapped or typed, and none is one that a part denies."""
        is_other = set(content_words(part)).isdisjoint(content_words(" ".join(named)))
        return is_other and any(_holds(fold(text), words) for text in self._answers for words in named)

    @property
    def pool(self) -> str:
        """All that was tapped or typed, and what the last screens show."""
        self.catch_up()
        texts = (f"{e.text} {e.description}" for screen in self._screens for e in screen.elements)
        pieces = map(fold, [*self._answers, *(s.app.label for s in self._screens), *texts])
        return " ".join(filter(None, pieces))

    def _note(self, step: StoredStep) -> None:
        action = step.action
        self._acted = self._acted or isinstance(action, Click | LongClick | TypeText | PressEnter)
        match action:
            case Click(target=target, content=content) | LongClick(target=target, content=content):
                self._answers += [target.label, target.around] if target else [content]
                if self._searched and fold(self._searched) in fold(target.label if target else content):
                    self._chosen.append(self._searched)
            case TypeText(text=text, target=target):
                self._answers.append(text)
                if target is not None and wording.is_for_search(target.resource_id, target.label):
                    self._searched = text
                else:
                    self._typed.append(text)
            case OpenApp(name=name):
                self._answers.append(name)
            case PressHome():
                self._answers.append("home")
        if step.deed is not None:
            self._answers += [step.deed.recipient, step.deed.text, step.deed.amount]

    def _changes(self, step: StoredStep, now: _Seen) -> bool:
        """Whether the screen after an action shows its effect."""
        if self._last is None or self._last == now or not isinstance(step.action, _EFFECTIVE):
            return False
        if _did_deed(step):
            return True
        if isinstance(step.action, PressEnter):
            return self._submits(now)
        target = step.action.target
        if target is not None and (_commits(target) or self._leaves_form(target, now)):
            return True
        return isinstance(step.action, Click | LongClick) and _changed_in_place(self._last, now)

    def _submits(self, now: _Seen) -> bool:
        """Whether Enter took a text that this turn had typed out of its field, and something new is shown.

        Search fields do not count, nor does Enter that only moves to the next field: the text stays.
        """
        if self._last is None or not self._screens or not _changed_in_place(self._last, now):
            return False
        filled = self._filled_fields
        texts = {(e.resource_id, e.class_name, e.text) for e in filled}
        places, new_elements = {text[:2] for text in texts}, now.elements - self._last.elements
        is_taken = bool(filled) and not any(state[:3] in texts for state in now.elements)
        return is_taken and any(state[:2] not in places for state in new_elements)

    def _leaves_form(self, target: Target, now: _Seen) -> bool:
        """Whether a button led away from a page whose fields this turn had filled, and did not refuse.

        Where the page has a button such as “Save”, another one leads on to a part of the form, as its date.
        """
        leads_on = self._unfinished and target.label not in self._unfinished
        if self._last is None or self._last.page == now.page or not self._screens or leads_on:
            return False
        return bool(self._filled_fields and target.text) and not wording.is_refusal(target.text)

    @property
    def _filled_fields(self) -> list[Element]:
        """The fields of the latest screen with what this turn typed, those for a search apart."""
        typed = [fold(text) for text in self._typed]
        fields = [e for e in self._screens[-1].elements if e.editable and not is_search_field(e)]
        return [field for field in fields if any(_holds(fold(field.text), text) for text in typed)]

    def _differs_from_before(self, now: _Seen) -> bool:
        """Whether a page that was left looks different when it is seen again."""
        before = self._pages.get(now.page)
        if before is None or self._last is None or now.page in self._scrolled:
            return False
        return self._last.page != now.page and _changed_in_place(before, now)


def saves_page(label: str, seen: Observation) -> bool:
    """Whether a button keeps what its page has: “Add” does where a field is filled, not above a list."""
    is_filled = any(e.editable and e.text.strip() and not is_search_field(e) for e in seen.elements)
    return wording.completes_page(label) and (is_filled or not wording.may_open_form(label))


def _did_deed(step: StoredStep) -> bool:
    on_the_way = (ActionKind.GRANT, ActionKind.PASSWORD)
    return step.deed_done is not None and step.deed_done.kind not in on_the_way


_EFFECTIVE = (Click, LongClick, TypeText, PressEnter, Swipe)


def _commits(target: Target) -> bool:
    """Whether a button carries something out, by its words in any language, or by its id."""
    name = target.resource_id.rpartition("/")[2].replace("_", " ")
    return (
        wording.completes_page(target.label)
        or wording.classify_label(target.label) is not None
        or wording.classify_id(target.resource_id) is not None
        or _COMMITS.search(f"{target.label} {name}") is not None
        or any(wording.completes_page(word) for word in name.split())
    )


def _is_pressed_by(element: Element, observation: Observation) -> bool:
    return 0 <= element.parent < len(observation.elements) and observation.elements[element.parent].clickable


def _switch_texts(observation: Observation) -> set[str]:
    heights = sorted(e.bounds.centre[1] for e in observation.elements if e.checkable)

    def is_in_row(element: Element) -> bool:
        above = bisect_left(heights, element.bounds.top)
        return above < len(heights) and heights[above] <= element.bounds.bottom

    return {e.text or e.description for e in observation.elements if e.checkable or is_in_row(e)}


def _heading_of(observation: Observation) -> str:
    from_top = (e.text or e.description for e in observation.elements if not e.editable)
    return next(filter(None, from_top), "")


def _page_of(observation: Observation) -> str:
    app, heading = observation.app, re.sub(r"\d+", "#", _heading_of(observation))
    return f"{app.package} {app.activity} {heading}"


def _states_of(observation: Observation) -> Counter[tuple[object, ...]]:
    return Counter(
        (e.resource_id, e.class_name, e.text, e.description, e.checked, e.selected)
        for e in observation.elements
        if e.text or e.description or e.checkable
    )


_KEPT_IN_PLACE = 0.5  # The share of a page's elements that stay where it is the same page, changed.


def _changed_in_place(before: _Seen, after: _Seen) -> bool:
    if before.page != after.page or before.elements == after.elements:
        return False
    kept = (before.elements & after.elements).total()
    return kept >= _KEPT_IN_PLACE * max(1, min(before.elements.total(), after.elements.total()))


def _dates_to_set(observation: Observation) -> list[str]:
    """The texts with a date in the rows and fields of a form, without those that are only shown."""
    texts = (
        fold(f"{element.text} {element.description}")
        for element in observation.elements
        if element.editable or element.clickable or _is_pressed_by(element, observation)
    )
    return [text for text in texts if _DATE.search(text)]


def _completing(observation: Observation) -> frozenset[str]:
    form = any(e.editable and not is_search_field(e) for e in observation.elements)
    completing = (e for e in observation.elements if _completes(observation, e, form))
    return frozenset(e.text or e.description for e in completing)


def _completes(observation: Observation, element: Element, form: bool) -> bool:
    words = (element.text or element.description).strip()
    if not words or element.editable or not wording.completes_page(words):
        return False
    if wording.may_open_form(words) and not (form and element.text):
        return False
    holder = element if element.clickable or element.parent < 0 else observation.elements[element.parent]
    return holder.clickable and holder.enabled and not holder.checkable


def _says_yes_or_no(answer: str) -> bool:
    first = (wording.split_clauses(answer) or [""])[0]
    agrees = wording.is_agreement(first) and len(first) > 2 and not wording.completes_page(first)
    return agrees or wording.is_refusal(first) or first.removesuffix("的") in _YES


def _holds(text: str, part: str) -> bool:
    whole = rf"(?<!\w){re.escape(part)}(?!\w)"
    return part != "" and part in text and bool(_UNSPACED_RUN.search(part) or re.search(whole, text))


def _runs(text: str, length: int) -> frozenset[str]:
    """All sequences of `length` words, and of `_LETTER_RUN` letters in scripts without spaces."""
    words = [word for word in _WORD.findall(text) if not _UNSPACED_RUN.search(word)]
    spaced = (" ".join(words[at : at + length]) for at in range(len(words) - length + 1))
    runs = ((run, at) for run in _UNSPACED_RUN.findall(text) for at in range(len(run) - _LETTER_RUN + 1))
    return frozenset((*spaced, *(run[at : at + _LETTER_RUN] for run, at in runs)))


def _stands_on(text: str, observation: Observation) -> bool:
    """Whether a typed text is on the screen, in a field or elsewhere, but not only in a search field."""
    typed = fold(text)
    return bool(typed) and any(
        typed in fold(f"{e.text} {e.description}") and not (e.editable and is_search_field(e))
        for e in observation.elements
        if not e.password
    )


def find_wishes_said(instruction: str) -> list[str]:
    """The parts of a command that a phone could show, without what it forbids and what only tells us why."""
    texts = [fold(value.text) for value in find_values(instruction) if value.kind == ValueKind.TEXT]
    in_text = {part for part in split_parts(instruction) if any(fold(part) in text for text in texts)}
    parts = (part if part in in_text else _FORBIDS.sub("", part).strip() for part in split_parts(instruction))
    return [part for part in parts if part and (part in in_text or not is_no_wish(part))]


def is_no_wish(part: str) -> bool:
    """Whether a part is no wish: it tells why, how somebody is or that all is well, or is polite."""
    is_well = _IS_WELL.fullmatch(part) is not None
    return is_well or (tells_no_wish(part) and (is_courtesy(part) or not demands_change(part)))


_OWN_PLACE, _IS_WELL = word_pattern("own_place"), word_pattern("is_well")


def is_answered(part: str, pool: str, answer: str) -> bool:
    """Whether a word of a part stands in a pool of texts; a part that asks is answered by an answer."""
    if answer.strip() and (asks(part) or only_opens(part)):
        return True
    if (own := _OWN_PLACE.fullmatch(part.strip())) is not None:
        return own["place"] in pool
    words = content_words(part)
    if not words or has_chinese(part) != has_chinese(pool):
        return True
    pool_words = set(_WORD.findall(pool))
    return any(
        word in pool if has_chinese(word) else not pool_words.isdisjoint((word, f"{word}s", word.rstrip("s")))
        for word in words
    )


def content_words(part: str) -> list[str]:
    """The words of a part that should show up on the phone; in Chinese, pairs of characters."""
    text = fold(part)
    words = _WORD.findall(text)
    latin = [word for word in words if word not in _STOP_WORDS]
    chinese = re.findall(r"[\u4e00-\u9fff]+", _CJK_FILLERS.sub(" ", text))
    return latin + [run[at : at + 2] for run in chinese for at in range(max(1, len(run) - 1))]


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """A text in lower case, with single spaces and numbers without leading zeros."""
    folded = " ".join((text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold().split())
    return re.sub(r"\b0+(?=\d)", "", folded) if "0" in folded else folded


class Verification(StrEnum):
    """The result of verifying a reported success."""

    BELIEVED = "believed"
    LOOK_AGAIN = "look_again"
    ALREADY_SO = "already_so"
    DOUBTED = "doubted"


class CompletionVerifier:
    """Accepts a reported success if the phone shows it and the model confirms it on a second look.

    Args:
        confirm: ask the model to look again even if nothing contradicts its report.
        is_lookup: whether the turn only reads a value, reported as `VALUE | WHERE`: the value must have stood
            on one of its screens. Any other command that changes something needs a trace of it.

    Attributes:
        reported_answer: the last answer that was reported; a second look is often confirmed without one.
    """

    def __init__(self, *, confirm: bool, is_lookup: bool = False) -> None:
        self._confirm = confirm
        self._is_lookup = is_lookup
        self._claimed_at, self.reported_answer = -1, ""

    def verify(
        self,
        instruction: str,
        steps: Sequence[StoredStep],
        answer: str,
        trace: TraceLog | None = None,
        *,
        confirmed: bool = False,
        unheeded: Sequence[str] = (),
        against: Sequence[str] = (),
        settled: str = "",
        is_so: bool = False,
    ) -> tuple[Verification, str]:
        """Verify a reported success; returns the result and the sentence for the model or the user.

        A report that is `confirmed` otherwise is looked at again only where something speaks against it.
        `unheeded` is what the user said in the turn, where nothing answers it, unless the model names what on
        a screen does; `against` what the turn went against; `settled` what they answered, and the phone shows
        it. `is_so`: it shows what is wanted, and the model says that it was so before.
        """
        answer, evidence = read_evidence(answer) if self._claimed_at == len(steps) else (answer, {})
        done = [step for step in steps if not step.error or step.deed_done]
        kinds = {step.kind for step in done if step.kind and not step.led_on}
        contradiction = find_contradiction(instruction, kinds, len(done), answer)
        unanswered, was_so = list[str](), False
        if self._is_lookup and trace is not None and not trace.shows(answer.partition("|")[0]):
            contradiction = contradiction or later("its answer stands on no screen that was seen")
        elif not self._is_lookup and not contradiction:
            self.reported_answer = answer.strip() or self.reported_answer
            contradiction = _find_missing_evidence(instruction, steps, self.reported_answer, trace)
            was_so = bool(contradiction) and is_so and not (unheeded or against)
            if trace is not None and not contradiction:
                open_parts = [*trace.find_unanswered(instruction, self.reported_answer, settled), *unheeded]
                shown = {part: seen for part in open_parts if (seen := trace.confirms(part, evidence))}
                still_open = (part for part in open_parts if part not in shown)
                unanswered = list(dict.fromkeys((*still_open, *against)))
                answers_shown = [f"“{part}”: “{seen}”." for part, seen in shown.items()]
                answer = " ".join([self.reported_answer, *answers_shown]) if answers_shown else answer
        is_sure = not (contradiction or unanswered) and (confirmed or not self._confirm)
        if self._claimed_at != len(steps) and not is_sure:
            self._claimed_at = len(steps)
            return Verification.LOOK_AGAIN, _ask_to_look_again(answer, contradiction, unanswered)
        if was_so:
            return Verification.ALREADY_SO, self.reported_answer
        if contradiction:
            doubt = _(
                "The model says that it is done, but as far as could be seen {against}. Check on the phone."
            )
            return Verification.DOUBTED, doubt.format(against=_(contradiction))
        if unanswered:
            parts = ", ".join(f"“{part}”" for part in unanswered)
            sentence = _("Nothing on the phone answers {parts}. Check there.").format(parts=parts)
            report = _("The model says: {answer}").format(answer=ended(answer.strip()))
            return Verification.DOUBTED, f"{sentence} {report}" if answer.strip() else sentence
        return Verification.BELIEVED, answer if answer.strip() else self.reported_answer


def _find_missing_evidence(
    instruction: str, steps: Sequence[StoredStep], answer: str, trace: TraceLog | None
) -> str:
    """The evidence that a reported success lacks, as a clause; empty if none.

    A question needs an answer that stood on a screen; what opens something must have come there; all else
    must have left a trace. Where the words do not tell which it is, what was only looked up is an answer.
    """
    if trace is None:
        return ""
    if asks(instruction) and not required_kinds(instruction):
        is_seen = _YES_OR_NO.search(instruction.strip()) is not None and _says_yes_or_no(answer)
        is_seen = is_seen or trace.tells(answer, instruction, surely_asked=True)
        return "" if is_seen else later("its answer stands on no screen that was seen")
    if trace.has_trace:
        return ""
    is_there = trace.arrived(instruction) or trace.tells(answer, instruction, surely_asked=True)
    if is_there and only_opens(instruction):
        return ""
    # What was neither asked, “it rings once, right”, nor looked for is no answer: it may be of another thing.
    is_asked = not steps and _says_yes_or_no(answer)
    if (steps or is_asked) and not demands_change(instruction) and trace.tells(answer, instruction):
        return ""
    return later("nothing on the phone shows it")


def read_evidence(answer: str) -> tuple[str, dict[str, str]]:
    """An answer without the evidence that the model names in it, and the words of a screen by the user's."""
    evidence = {fold(said): seen.strip() for said, seen in _EVIDENCE.findall(answer)}
    return _EVIDENCE.sub(" ", answer).strip() if evidence else answer, evidence


_FIGURES = lazy_regex(r"(\d+)(:\d+)?")
_DENIES = lazy_regex(r"\b(?:no|not|without|except|never)\b|n['’]?t\b|[不别没]", re.IGNORECASE)
_EVIDENCE = lazy_regex(
    r"[“\"「]([^“”\"「」]+)[”\"」] ?[=＝] ?[“\"「]([^“”\"「」]+)[”\"」][,;.，；。、\s]*(?:and\s+)?"
)


def _ask_to_look_again(answer: str, contradiction: str, unanswered: Sequence[str]) -> str:
    doubt, form = f" As far as could be seen, {contradiction}." if contradiction else "", ""
    if unanswered and not doubt:
        doubt = f" Nothing was seen that answers {', '.join(f'“{part}”' for part in unanswered)}."
        form = (
            f" Behind your answer name what on a screen does, as “{unanswered[0]}” = “words of the screen”."
        )
    return _LOOK_AGAIN.format(quoted(answer, 400), doubt) + form

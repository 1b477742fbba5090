"""The consistency of two records: S_consist of PersonalAlign 5.2, a weighted mean in 0..1.

`RecordFeatures` holds what comparisons need of a record, computed once: words, verbs, actions and vector.
Actions are compared by dynamic time warping (Eq. 6) over a distance between steps. Two steps are the same by
FingerTip's step success rule (section 4): equal types; a click within 14 % of the screen or on the same
element; a scroll in the same direction; similar typed text. Of texts, `TextFinder` finds some in others by
their words, to forget where they are quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise
from math import hypot
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from assistant.files import lazy_regex
from assistant.i18n import has_chinese
from assistant.memory.prototypes.terms import (
    ASKS,
    PLACELESS,
    VERBS,
    Signature,
    jaccard,
    main_clause,
    signature,
    signatures_oppose,
    word_set,
)
from assistant.records import (
    BROKEN_OFF,
    Action,
    AskUser,
    Click,
    Failed,
    LongClick,
    OpenApp,
    Record,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
)

NEAR = 0.14
"""Maximum distance of two clicks on the same place, as a share of the screen (the rule of AITW)."""
_SAME_DEED = 0.8
"""Minimum S_cos of instructions with the same verbs and objects: remarks move the vector of a sentence."""
SIMILAR_TEXT = 0.8
"""Minimum similarity of two typed texts that count as the same, 0..1."""


class ActionStep(NamedTuple):
    """The comparable part of an action.

    `x` and `y` are 0..1 of the screen. `element` is the element that was hit; empty if unknown.
    """

    type: str
    x: float = 0.0
    y: float = 0.0
    text: str = ""
    element: str = ""


def step_of(action: Action) -> ActionStep:
    """The comparable part of an action."""
    match action:
        case Click(point=point, content=content) | LongClick(point=point, content=content):
            target = action.target
            element = f"{target.resource_id} {target.label}".strip() if target else content.strip()
            return ActionStep(action.type, point.x, point.y, "", element.casefold())
        case TypeText(text=text) | OpenApp(name=text) | AskUser(question=text):
            return ActionStep(action.type, text=" ".join(text.casefold().split()))
        case Scroll(direction=direction):
            return ActionStep(action.type, text=direction)
        case Swipe(start=start, end=end):
            return ActionStep(action.type, end.x - start.x, end.y - start.y)
        case Failed() | TakeOver():
            return ActionStep(action.type)
        case _:
            return ActionStep(action.type)


def path_of(actions: Sequence[Action]) -> tuple[ActionStep, ...]:
    """The comparable steps of a record, without waiting and finishing."""
    return tuple(step_of(action) for action in actions if action.type not in ("wait", "clear", "finished"))


def distance(left: ActionStep, right: ActionStep) -> float:
    """0 for the same step, 1 for steps of different types; between for other arguments of the same type."""
    if left == right:
        return 0.0
    if left.type != right.type:
        return 1.0
    match left.type:
        case "click" | "long_click":
            if left.element and left.element == right.element:
                return 0.0
            apart = hypot(left.x - right.x, left.y - right.y)
            return 0.0 if apart <= NEAR else min(1.0, 0.4 + apart)
        case "type" | "open_app" | "ask_user":
            alike = text_similarity(left.text, right.text)
            return 0.0 if alike >= SIMILAR_TEXT else 1.0 - alike
        case "swipe":
            return 0.0 if left.x * right.x + left.y * right.y > 0 else 0.5
        case _:
            return 0.5 if left.text != right.text else 0.0


def text_similarity(left: str, right: str) -> float:
    """The similarity of two short texts, 0..1, by longest common subsequence."""
    return Indel.normalized_similarity(left, right)


def path_similarity(left: Sequence[ActionStep], right: Sequence[ActionStep]) -> float:
    """1 − DTW / |path| (PersonalAlign, Eq. 6), 0..1; 0 if one trajectory is empty."""
    if not left or not right:
        return 0.0
    cost, length = warp([distances(step, right) for step in left])
    return max(0.0, 1.0 - cost / length)


def distances(step: ActionStep, others: Sequence[ActionStep]) -> list[float]:
    """The distances of a step from some others, each 0..1."""
    kind = step[0]
    # Most pairs are of different types, for which this saves a call of `distance`.
    return [1.0 if other[0] != kind else distance(step, other) for other in others]


def warp(costs: Sequence[Sequence[float]]) -> tuple[float, int]:
    """The least cost of aligning two sequences (dynamic time warping), and the length of that alignment.

    Args:
        costs: the distance of each item of one sequence (rows) from each of the other (columns); not empty.
    """
    table: list[list[float]] = []
    above: list[float] = []
    for row in costs:
        total = row[0] + (above[0] if above else 0.0)
        line = [total]
        if not above:
            for cost in row[1:]:
                total += cost
                line.append(total)
        else:
            diagonal = above[0]
            for up, cost in zip(above[1:], row[1:], strict=True):
                best = diagonal if diagonal <= up else up
                total = cost + (best if best <= total else total)
                line.append(total)
                diagonal = up
        table.append(line)
        above = line
    return above[-1], _length(table)


def _length(table: Sequence[Sequence[float]]) -> int:
    """The number of pairs in the best alignment, traced back from its end; diagonal steps are preferred."""
    row, column = len(table) - 1, len(table[0]) - 1
    length = 1
    while row and column:
        diagonal, up, back = table[row - 1][column - 1], table[row - 1][column], table[row][column - 1]
        if diagonal <= up and diagonal <= back:
            row, column = row - 1, column - 1
        elif up <= back:
            row -= 1
        else:
            column -= 1
        length += 1
    return length + row + column


@dataclass(frozen=True, slots=True, eq=False)
class RecordFeatures:
    """What comparisons need of a record.

    Attributes:
        app: the app's name, else its package.
        text: the whole instruction.
        said: what the user said, if that was not the instruction.
        words: the content words of the main clause.
        verbs: the poles of the verbs of the main clause.
        objects: the words of the main clause without its verbs.
        path: the comparable steps; empty for a turn that did not succeed.
        arguments: the words of the instruction that the actions typed, opened or touched. They say what the
            record is about, whatever the phrasing.
        all_words: the words of the instruction, and of what the actions typed, opened or touched.
        vector: the vector of the main clause.
    """

    record_id: str
    user_id: str
    time: datetime
    scenario: str
    app: str
    text: str
    said: str
    words: frozenset[str]
    verbs: Signature
    objects: frozenset[str]
    path: tuple[ActionStep, ...]
    arguments: frozenset[str]
    all_words: frozenset[str]
    vector: NDArray[np.float32]

    @property
    def day(self) -> date:
        """The date in the user's zone."""
        return self.time.date()

    @property
    def typed(self) -> str:
        """The first text typed, which is usually a search; empty if nothing was typed."""
        return next((step.text for step in self.path if step.type == "type"), "")


def extract_features(record: Record, vector: NDArray[np.float32]) -> RecordFeatures:
    """The features of a record; `vector` is that of its main clause."""
    clause = main_clause(record.instruction)
    words = word_set(clause)
    done = word_set(" . ".join(_texts(record)))
    return RecordFeatures(
        record_id=record.id,
        user_id=record.user_id,
        time=record.time,
        scenario=record.scenario,
        app=record.app or record.package,
        text=record.instruction,
        said=record.said if record.said != record.instruction else "",
        words=words,
        verbs=signature(clause),
        objects=words - VERBS - PLACELESS,
        path=() if record.outcome in BROKEN_OFF else path_of(record.actions),
        arguments=words & done,
        all_words=words | done,
        vector=vector,
    )


def _texts(record: Record) -> Iterator[str]:
    """The texts that the actions typed, opened or touched."""
    for action in record.actions:
        match action:
            case Click(content=text) | LongClick(content=text):
                yield text
                if action.target:
                    yield action.target.label
            case TypeText(text=text) | OpenApp(name=text):
                yield text


def wants_answer(order: str) -> bool:
    """Whether an order is a question, or wants to know something, as far as its words tell.

    What somebody is to be told may ask, and the order does not.
    """
    return ASKS.search(without_told_text(order)) is not None


def without_told_text(order: str) -> str:
    """An order without what somebody is told or asked: behind a colon or “ask”, or in quotes."""
    return _OF_TEXT.sub(" ", order).strip()


def only_looks(order: str) -> bool:
    """Whether an order wants an answer, or to have something shown or read, and changes nothing."""
    poles = signature(order)
    return wants_answer(order) or (bool(poles) and poles <= _LOOKS)


def asks_for_deed(order: str, done: str) -> bool:
    """Whether an order wants the deed that another was, so that its way may be told of the order.

    A question wants none that changes something. Verbs that are known on both sides must agree in one.
    """
    if word_set(order) == word_set(done):
        return True
    order_signature, done_signature = signature(order), signature(done)
    return only_looks(order) is only_looks(done) and (
        bool(order_signature & done_signature) or not (order_signature and done_signature)
    )


_LOOKS = frozenset({("word", -1), ("view", 1)})
_OF_TEXT = lazy_regex(
    r"[:：](?!\d).*|[\"“「『].*?[\"”」』]|\bask (?!me\b).*|问[问下一]{0,2}(?!题).*", re.DOTALL | re.IGNORECASE
)


def names_word(text: str, name: str) -> bool:
    """Whether a text has a name in it, as whole words where it is written in letters with spaces between."""
    words, name = text.casefold(), name.casefold()
    if has_chinese(name):
        return name in words
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words) is not None


THETA = 0.6
"""Minimum consistency of records in one prototype (PersonalAlign A.2)."""


@dataclass(frozen=True, slots=True)
class ConsistencyWeights:
    """Weights of the parts of the consistency, at least one positive; a part with weight 0 is left out.

    `cosine`, `words` and `actions` are the paper's (PersonalAlign, Table 7), with equal weights by default.
    `arguments` is ours. `swapped` is a factor for shared arguments if each record has one that the other
    lacks: the same request about something else. `verbs`: records with opposite verbs are never consistent.
    """

    cosine: float = 1.0
    words: float = 1.0
    actions: float = 1.0
    arguments: float = 0.0
    swapped: float = 0.4
    verbs: bool = True


OURS = ConsistencyWeights(0.3, 0.1, 0.2, 0.4)
"""The weights in use, fitted on the simulated lives of seeds 100 to 109."""


def shared_arguments(left: RecordFeatures, right: RecordFeatures, swapped: float = 1.0) -> float | None:
    """The overlap of the arguments of two records, 0..1; None if neither has any."""
    count = len(left.arguments) + len(right.arguments)
    if not count:
        return None
    lacking = len(left.arguments - right.all_words), len(right.arguments - left.all_words)
    shared = 1.0 - sum(lacking) / count
    return shared * swapped if all(lacking) else shared


def consistency(
    left: RecordFeatures, right: RecordFeatures, weights: ConsistencyWeights, floor: float = 0.0
) -> float:
    """S_consist of two records, 0..1, with shared arguments as a fourth part.

    If it cannot reach `floor`, the result is 0 without aligning the paths, which saves most of the time.
    """
    if weights.verbs and signatures_oppose(left.verbs, right.verbs):
        return 0.0
    cosine, words = _said_alike(left, right)
    shared = shared_arguments(left, right, weights.swapped) if weights.arguments else None
    if not (weights.actions and left.path and right.path):
        return _mean(cosine, words, None, shared, weights)
    if _mean(cosine, words, 1.0, shared, weights) < floor:
        return 0.0
    return _mean(cosine, words, path_similarity(left.path, right.path), shared, weights)


def _said_alike(left: RecordFeatures, right: RecordFeatures) -> tuple[float, float]:
    """S_cos and S_Jac of two instructions; both are raised if verbs and objects are the same."""
    cosine = min(1.0, max(0.0, float(left.vector @ right.vector)))
    if len(left.objects) > 1 and left.objects == right.objects and left.verbs & right.verbs:
        return max(cosine, _SAME_DEED), 1.0
    return cosine, jaccard(left.words, right.words)


def _mean(
    cosine: float, words: float, acted: float | None, shared: float | None, weights: ConsistencyWeights
) -> float:
    total, weight = cosine * weights.cosine + words * weights.words, weights.cosine + weights.words
    if acted is not None:
        total, weight = total + acted * weights.actions, weight + weights.actions
    if shared is not None:
        total, weight = total + shared * weights.arguments, weight + weights.arguments
    return total / weight if weight else 0.0


REDACTED = "(forgotten)"
"""What stands where something was quoted that is forgotten."""


class TextFinder:
    """Finds texts in others by their words, whatever stands between these and in whatever case.

    A text that was cut short, as by “…”, is found too.

    Args:
        texts: what to find.
        least: the weight from which a text can be told from others by its words: a word weighs 2, a
            single letter, or a character of a script without spaces, 1.
    """

    def __init__(self, texts: Iterable[str], least: int = 4) -> None:
        self._least = least
        self.texts: dict[tuple[str, ...], str] = {}
        for text in texts:
            words = tuple(word for word, _start, _end in _placed_words(text))
            if sum(1 if _IDEOGRAPH.match(word) or len(word) == 1 else 2 for word in words) >= least:
                self.texts[words] = text
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in sorted(self.texts, key=len, reverse=True):
            self._by_first.setdefault(words[0], []).append(words)
        # What a first look seeks, which is many times as quick: how each text begins.
        self._beginnings = {words[:2] for words in self.texts}
        self._is_short = any(len(words) == 1 for words in self.texts)
        self._first_words = list(self._by_first) if len(self._by_first) <= _FEW else []

    def find(self, text: str) -> list[tuple[int, int, tuple[str, ...]]]:
        """Where the texts are, as start, end and words, in order; they do not overlap."""
        lowered = text.casefold()
        if self._first_words and not any(word in lowered for word in self._first_words):
            return []
        if not self._is_short:
            bare = _WORD_OF_TEXT.findall(lowered)
            if self._beginnings.isdisjoint(pairwise(bare)):
                return []
        words, places, at = _placed_words(text), [], 0
        while at < len(words):
            matched = next(self._matches(text, words, at), None)
            if matched is None:
                at += 1
            else:
                length, end, sought = matched
                places.append((words[at][1], end, sought))
                at += length
        return places

    def redact(self, text: str) -> str:
        """A text with each place replaced."""
        for start, end, _words_there in reversed(self.find(text)):
            text = f"{text[:start]}{REDACTED}{text[end:]}"
        return text

    def without(self, texts: Iterable[str]) -> TextFinder:
        """A finder of those texts that are in none of some others."""
        present = {words for text in texts for _start, _end, words in self.find(text)}
        rest = [text for words, text in self.texts.items() if words not in present]
        return TextFinder(rest, self._least)

    def _matches(
        self, text: str, words: Sequence[tuple[str, int, int]], at: int
    ) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        for sought in self._by_first.get(words[at][0], ()):
            length = 0
            for (word, _start, _end), sought_word in zip(words[at:], sought, strict=False):
                if word != sought_word:
                    break
                length += 1
            end = words[at + length - 1][2]
            if length == len(sought):
                yield length, end, sought
            elif length >= _CUT_AFTER and (cut := _CUT.match(text, end)):
                yield length + cut["rest"].isalnum(), cut.end("rest"), sought


_IDEOGRAPHS = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff"
_IDEOGRAPH = lazy_regex(f"[{_IDEOGRAPHS}]")
_WORD_OF_TEXT = lazy_regex(rf"[{_IDEOGRAPHS}]|[^\W_{_IDEOGRAPHS}]+")
_CUT = lazy_regex(r"\W{0,2}(?P<rest>\w*)…")
_CUT_AFTER = 4
"""So many words of a text that was cut short tell that it is that text."""
_FEW = 20


def _placed_words(text: str) -> list[tuple[str, int, int]]:
    """The words of a text in lower case, or its characters in a script without spaces, with their places."""
    return [(match[0].casefold(), match.start(), match.end()) for match in _WORD_OF_TEXT.finditer(text)]

"""A screen's elements with what tells one from another, and a key of the screen that survives other content.

Nothing here depends on absolute pixels: the features are ids, classes, words and places in the tree. By them
also the words of an answer are found again that stood on a screen.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import takewhile

from pydantic import BaseModel, ConfigDict

from assistant.files import compile_words, read_words
from assistant.memory.prototypes.terms import word_set
from assistant.records import (
    Bounds,
    Element,
    ForegroundApp,
    Observation,
    Point,
    once_per_screen,
)

MAX_ANCESTORS = 8
"""How many ancestors, from the element upwards, belong to its kind."""

_SIZE_TOLERANCE = 0.1
"""Relative difference in width and height up to which the touched place inside the target is kept."""

SAME_STRUCTURE = 0.6
"""Share of structural parts from which two screens of one page are alike: a list's rows come and go with
optional parts of theirs, a dialog or another page brings and takes most of them."""

Kind = tuple[str, str, tuple[str, ...]]
"""Resource id, class, and the ids (else classes) of the ancestors, the nearest first."""

Label = tuple[str, str]
"""An element's own text and description, without spaces around and between words."""


class ScreenTree:
    """The elements of one screen, with the features by which a target is found again.

    Args:
        elements: in document order, each with its index and its parent's.
        size: the screen's width and height in pixels; by default the largest root's.
    """

    def __init__(self, elements: Sequence[Element], size: tuple[int, int] | None = None) -> None:
        self.elements = tuple(elements)
        self.children: list[list[int]] = [[] for _element in self.elements]
        self._ends = list(range(1, len(self.elements) + 1))
        roots = [element for element in self.elements if element.parent < 0]
        for element in self.elements:
            if element.parent >= 0:
                self.children[element.parent].append(element.index)
        for element in reversed(self.elements):
            if element.parent >= 0:
                self._ends[element.parent] = max(self._ends[element.parent], self._ends[element.index])
        self.width, self.height = size or (
            max((root.bounds.right for root in roots), default=0) or 1,
            max((root.bounds.bottom for root in roots), default=0) or 1,
        )

    def pixels(self, point: Point) -> tuple[float, float]:
        """The place of a point in pixels, inside of the screen."""
        x, y = point.x * self.width, point.y * self.height
        return min(x, self.width - 1), min(y, self.height - 1)

    def descendants(self, index: int) -> range:
        """The indexes of everything below an element."""
        return range(index + 1, self._ends[index])

    def ancestors(self, index: int) -> list[int]:
        """The indexes of what an element lies in, the nearest first."""
        line = []
        while (index := self.elements[index].parent) >= 0:
            line.append(index)
        return line

    def is_within(self, index: int, other: int) -> bool:
        """Whether an element is another one or lies below it."""
        return other <= index < self._ends[other]

    def is_visible(self, element: Element) -> bool:
        """Whether any of an element lies on the screen."""
        left, top, right, bottom = element.bounds
        return max(left, 0) < min(right, self.width) and max(top, 0) < min(bottom, self.height)

    def kind(self, index: int, depth: int = MAX_ANCESTORS) -> Kind:
        """What an element is, apart from its words and its place among its like."""
        element = self.elements[index]
        names: list[str] = []
        while len(names) < depth and (index := self.elements[index].parent) >= 0:
            names.append(self.elements[index].resource_id or self.elements[index].class_name)
        return element.resource_id, element.class_name, tuple(names)

    @cached_property
    def by_kind(self) -> dict[Kind, list[int]]:
        """The visible elements of each kind, in document order."""
        kinds: dict[Kind, list[int]] = {}
        for element in self.elements:
            if self.is_visible(element):
                kinds.setdefault(self.kind(element.index), []).append(element.index)
        return kinds

    def label(self, index: int) -> Label:
        """An element's own words. What is typed into a field is none of them; its hint is."""
        element = self.elements[index]
        text = element.hint if element.editable or element.password else element.text
        return " ".join(text.split()), " ".join(element.description.split())

    def content(self, index: int) -> tuple[Label, ...]:
        """The words of an element and of everything in it, in document order."""
        places, labels = self._worded
        return labels[bisect_left(places, index) : bisect_left(places, self._ends[index])]

    @cached_property
    def text(self) -> str:
        """All that the screen says, a line each, in lower case."""
        words = (word for element in self.elements for word in self.label(element.index))
        return "\n".join(word for word in words if word).casefold()

    def says_the_same(self, other: ScreenTree) -> bool:
        """Whether another screen shows just what this one shows: a scroll goes as far as the content does."""
        return bool(self.elements) and self.content(0) == other.content(0)

    def title(self, index: int) -> str:
        """The first words of an element and of what it holds; empty where it has none."""
        return next((word for label in self.content(index) for word in label if word), "")

    def alternatives(self, index: int) -> dict[str, int]:
        """The elements that can be chosen in the place of one, itself among them, by their titles.

        They are of its kind, in the same parent where it holds several, and react as it does. Empty where it
        is the only one, or their titles do not tell them apart.
        """
        element = self.elements[index]
        kind = self.kind(index)
        beside = self.children[element.parent] if element.parent >= 0 else []
        like = [other for other in beside if self.kind(other) == kind]
        like = [
            other
            for other in (like if len(like) > 1 else self.by_kind.get(kind, []))
            if self.elements[other].clickable == element.clickable and self.is_visible(self.elements[other])
        ]
        titles = {title: other for other in like if (title := self.title(other))}
        return titles if len(titles) == len(like) > 1 else {}

    def is_on(self, element: Element) -> bool:
        """Whether an element, or the mark in a row, is checked or selected."""
        inside = (self.elements[index] for index in (element.index, *self.descendants(element.index)))
        return any(part.checked or part.selected for part in inside)

    @cached_property
    def _worded(self) -> tuple[list[int], tuple[Label, ...]]:
        """The elements with words of their own, in document order, and these words."""
        places = [element.index for element in self.elements if any(self.label(element.index))]
        return places, tuple(self.label(index) for index in places)

    def shape(self, index: int) -> tuple[tuple[str, str], ...]:
        """The ids and classes of an element and of everything in it, in document order."""
        return self._shapes[index : self._ends[index]]

    @cached_property
    def _shapes(self) -> tuple[tuple[str, str], ...]:
        return tuple((element.resource_id, element.class_name) for element in self.elements)

    def beside(self, index: int) -> tuple[Label, ...]:
        """The words of the smallest container that has words besides an element's own, without these."""
        places, labels = self._worded
        own, behind = bisect_left(places, index), bisect_left(places, self._ends[index])
        for container in self.ancestors(index):
            first, end = bisect_left(places, container), bisect_left(places, self._ends[container])
            if end - first > behind - own:
                return labels[first:own] + labels[behind:end]
        return ()

    def touched(self, point: Point) -> Element | None:
        """The element that a tap at a point means: of those that react, the one drawn last.

        Where none reacts, the smallest one with words, else the smallest.
        """
        x, y = self.pixels(point)
        under = [element for element in self.elements if element.bounds.contains(x, y)]
        reacting = [element for element in under if is_tappable(element)]
        if reacting:
            return reacting[-1]
        worded = [element for element in under if any(self.label(element.index))]
        return min(worded or under, key=lambda e: (e.bounds.area, -e.index), default=None)

    def drawn_over(self, index: int, point: tuple[float, float]) -> list[Element]:
        """What is drawn after an element at a pixel and is no part of it."""
        return [element for element in self.elements[self._ends[index] :] if element.bounds.contains(*point)]

    @cached_property
    def structure(self) -> frozenset[str]:
        """The parts that make up the page: kinds with three ancestors, however often each occurs."""
        return frozenset(
            "/".join((identifier or name.rpartition(".")[2], *line))
            for index in range(len(self.elements))
            for identifier, name, line in (self.kind(index, 3),)
        )


def is_tappable(element: Element) -> bool:
    """Whether an element does something when it is touched."""
    return element.clickable or element.editable or element.long_clickable or element.checkable


@dataclass(frozen=True, slots=True)
class ScreenKey:
    """A page of an app, whatever its content, the size of its letters and the phone's language.

    The loop guard's fingerprint is exact: it tells whether anything changed. This key tells where one is.
    """

    package: str
    activity: str
    structure: frozenset[str]

    @property
    def digest(self) -> str:
        """The key as 16 letters: equal for screens of one page whose structure is exactly the same."""
        parts = (self.package, self.activity, *sorted(self.structure))
        return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()

    def is_like(self, other: ScreenKey) -> bool:
        """Whether two screens are the same page: app and page equal, most of the structure in common."""
        if self.package != other.package or not _is_same_activity(self, other):
            return False
        return overlap(self.structure, other.structure) >= SAME_STRUCTURE


SETTINGS = "com.android.settings"
ANY_SETTINGS_PAGE = "SubSettings"
"""The activity of all pages to which taps lead in the settings. An intent's page has one of its own."""


def _is_same_activity(key: ScreenKey, other: ScreenKey) -> bool:
    names = [name.rpartition(".")[2] for name in (key.activity, other.activity)]
    by_intent = any(name.startswith("Settings$") for name in names) and ANY_SETTINGS_PAGE in names
    return key.activity == other.activity or (key.package == SETTINGS and by_intent)


def screen_key(tree: ScreenTree, app: ForegroundApp) -> ScreenKey:
    """The key of a screen. Without ids the classes of the tree stand for them."""
    named = frozenset(element.resource_id for element in tree.elements if element.resource_id)
    return ScreenKey(app.package, app.activity, named if len(named) > 3 else tree.structure)


@once_per_screen
def tree_of(observation: Observation) -> ScreenTree:
    """The features of a screen; the latest trees keep what was asked of them."""
    return ScreenTree(observation.with_picture_texts.elements, (observation.width, observation.height))


@once_per_screen
def key_of(observation: Observation) -> ScreenKey:
    """The stable key of a screen."""
    return screen_key(tree_of(observation), observation.app)


def overlap(left: frozenset[str], right: frozenset[str]) -> float:
    """The Jaccard similarity of two sets; 1 for two empty ones."""
    return len(left & right) / len(left | right) if left or right else 1.0


def free_point(
    recorded: ScreenTree, target: Element, point: Point, now: ScreenTree, element: Element
) -> Point | None:
    """Where to tap the element: at the recorded place inside it, else in its middle.

    Elements that were drawn over the target when it was recorded let taps through; so do, where no other
    place is left, those that do not react and have not moved since. None where others are drawn over it.

    Args:
        recorded: the screen on which the target was tapped.
        target: the element there.
        point: where it was tapped.
        now: the screen now.
        element: what the target is there.
    """
    before = recorded.drawn_over(target.index, recorded.pixels(point))
    overlays = {(other.resource_id, other.class_name) for other in before}
    present = frozenset(_standing(recorded, other) for other in recorded.elements)
    places = {(recorded.kind(other.index), other.bounds) for other in recorded.elements}
    free, below = [], []
    for place in _places(recorded, target, point, now, element):
        if not (0 <= place[0] < now.width and 0 <= place[1] < now.height):
            continue
        drawn = now.drawn_over(element.index, place)
        over = [other for other in drawn if (other.resource_id, other.class_name) not in overlays]
        # A bar at its recorded place is not a new dialog, even if its text changed.
        if any(
            _standing(now, other) not in present and (now.kind(other.index), other.bounds) not in places
            for other in over
        ):
            return None
        touched = now.touched(Point(place[0] / now.width, place[1] / now.height))
        if is_tappable(target) and (touched is None or touched.index != element.index):
            continue
        if not over:
            free.append(place)
        elif is_tappable(target) and all((now.kind(other.index), other.bounds) in places for other in over):
            below.append(place)
    if not free and not below:
        return None
    x, y = (free or below)[0]
    return Point(x / now.width, y / now.height)


def _places(
    recorded: ScreenTree, target: Element, point: Point, now: ScreenTree, element: Element
) -> Sequence[tuple[float, float]]:
    """Pixels inside the element, the likeliest first."""
    old, new = target.bounds, element.bounds
    inside = []
    if _similar_size(old.width, new.width) and _similar_size(old.height, new.height):
        x, y = recorded.pixels(point)
        across, down = new.width / old.width, new.height / old.height
        inside.append((new.left + (x - old.left) * across, new.top + (y - old.top) * down))
    shown = Bounds(max(new.left, 0), max(new.top, 0), min(new.right, now.width), min(new.bottom, now.height))
    inside += [
        (shown.left + shown.width * across, shown.top + shown.height * down)
        for down in (0.5, 0.25, 0.75)
        for across in (0.5, 0.25, 0.75)
    ]
    return inside


def _similar_size(size: int, other_size: int) -> bool:
    return bool(size) and abs(size - other_size) <= _SIZE_TOLERANCE * size


def _standing(tree: ScreenTree, element: Element) -> tuple[Kind, Label, int, int]:
    """Identifies an element, so that a bar which was there before is not taken for a new dialog."""
    index, bounds = element.index, element.bounds
    return tree.kind(index), tree.label(index), bounds.width, bounds.height


_ANSWER_WORD = re.compile(r"\{[a-z][a-z0-9_]*\}|[^\W_]+(?:[.,:][^\W_]+)*|[^\w\s]|_")
_CODE = re.compile(r"[A-Za-z]{1,3}\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_SENTENCE_WORDS = 4
_CHINESE_SENTENCE = re.compile(r"[\u3400-\u9fff]{6}")
_NOTICE = compile_words(read_words("assistant.skills", "screen_tree.yaml")["notice"])
"""What a page says of itself, its content or its reader, and not of its subject."""

_QUOTED = 0.5
"""Share of the words of a sentence that the row which opened its page must have said."""


class AnswerWord(BaseModel):
    """One word, number or sign of an answer: a literal one, or one that stood on the page.

    `literal` may be a slot in braces. Else it is the word at `word` of the `words` of a text: that of the
    element at `part` (its description where `described`) in the entry at `place` among those of its `kind`.
    An entry is what reacts to a tap, such as a row, else the element itself; `shape` is the digest of its
    parts. An entry with a `caption`, such as “Opening hours” beside the hours, is found by that and not by
    its place. With `sentence` the whole text is meant, whatever words it has.
    """

    model_config = ConfigDict(frozen=True)

    spaced: bool = False
    literal: str = ""
    kind: Kind = ("", "", ())
    shape: str = ""
    caption: str = ""
    place: int = 0
    part: int = 0
    described: bool = False
    word: int = 0
    words: int = 0
    is_number: bool = False
    sentence: bool = False

    @property
    def is_placed(self) -> bool:
        """Whether it is found by its place."""
        return not self.literal and not self.caption

    def counted(self, places: Sequence[int]) -> AnswerWord:
        """The same with its place counted among some places only."""
        return self.model_copy(update={"place": places.index(self.place)})

    def entry(self, tree: ScreenTree, like: Sequence[int]) -> int | None:
        """The entry of a page, of those of its kind, that this is read from; None where it is not there."""
        if not self.caption:
            return like[self.place] if self.place < len(like) else None
        captioned = [index for index in like if _caption(tree, index) == self.caption]
        return captioned[0] if len(captioned) == 1 else None


class AnswerReading(BaseModel):
    """How an answer is read from a page: its words, and what must be so for them to mean the same.

    `words_seen` are all words, numbers apart, that the entries said when a model read them, `marks` what was
    chosen on the page, and `all_read` the kinds of which every entry was read. `passed` are the words of
    each entry that a model passed over: others that say just these are not counted.
    """

    model_config = ConfigDict(frozen=True)

    words: tuple[AnswerWord, ...]
    words_seen: frozenset[str]
    marks: tuple[str, ...] = ()
    all_read: tuple[Kind, ...] = ()
    passed: frozenset[frozenset[str]] = frozenset()

    def entries(self, tree: ScreenTree) -> list[int]:
        """The entries of a page that the answer is read from; empty where they are not as they were.

        All of those of a kind from the first on, so that none is passed over, or the only one of its kind or
        caption.
        """
        indexes: dict[int, None] = {}
        for word in self.words:
            if word.literal:
                continue
            like = self._not_passed(tree, word.kind)
            index = word.entry(tree, like)
            read = 1 + max(w.place for w in self.words if not w.literal and w.kind == word.kind)
            is_new = word.kind in self.all_read and len(like) > read
            if index is None or is_new or not tree.elements[index].enabled:
                return []
            if _shape_digest(tree, index) != word.shape:
                return []
            indexes[index] = None
        return list(indexes)

    def _not_passed(self, tree: ScreenTree, kind: Kind) -> list[int]:
        """The entries of a kind, but for those that say what one said that a model passed over."""
        like, passed = tree.by_kind.get(kind, []), self.passed
        return [index for index in like if not passed or _words_of(tree, [index]) not in passed]

    def passing_over(self, tree: ScreenTree) -> AnswerReading | None:
        """The same with places counted without the entries before what was read, which were passed over.

        None where one of them says no word besides those that were read, or is a text: nothing tells why.
        """
        counts, all_read, reading = dict[Kind, list[int]](), list[Kind](), self
        for kind in dict.fromkeys(word.kind for word in self.words if word.is_placed):
            of_kind = [word for word in self.words if word.is_placed and word.kind == kind]
            like = tree.by_kind[kind]
            read = sorted({like[word.place] for word in of_kind})
            before = [] if of_kind[0].sentence else [index for index in like if index < read[-1]]
            says = {_words_of(tree, [index]) for index in before if index not in read}
            passed = {words for words in says if not words <= self.words_seen}
            reading = reading.model_copy(update={"passed": reading.passed | passed})
            counts[kind] = [like.index(index) for index in reading._not_passed(tree, kind)]
            if counts[kind][: len(read)] != [like.index(index) for index in read]:
                return None
            all_read += [kind] if len(counts[kind]) == len(read) else []
        words = (word.counted(counts[word.kind]) if word.is_placed else word for word in self.words)
        return reading.model_copy(update={"words": tuple(words), "all_read": tuple(all_read)})

    def read(
        self, tree: ScreenTree, values: Mapping[str, str], opened: str = "", *, learning: bool = False
    ) -> str:
        """The answer as it stands on a page now; empty where anything is otherwise than it was.

        Args:
            tree: the page.
            values: those of the slots.
            opened: what the row said that was tapped to open the page.
            learning: new words beside the ones that are read do not matter, nor what a sentence says.
        """
        entries = self.entries(tree)
        if not entries or self.marks != _marks(tree):
            return ""
        sentences = {word.kind for word in self.words if word.sentence}
        entries_without_sentences = [entry for entry in entries if tree.kind(entry) not in sentences]
        if not learning and not _words_of(tree, entries_without_sentences) <= self.words_seen:
            return ""
        answer = ""
        for word in self.words:
            is_slot = word.literal.startswith("{") and len(word.literal) > 1
            literal_text = values.get(word.literal[1:-1], "") if is_slot else word.literal
            text = literal_text if word.literal else self._word(word, tree, None if learning else opened)
            if not text:
                return ""
            answer += f" {text}" if word.spaced and answer else text
        return answer

    @property
    def is_of_sentences(self) -> bool:
        """Whether all of the answer is whole texts of the page."""
        return all(word.sentence for word in self.words)

    def _word(self, word: AnswerWord, tree: ScreenTree, opened: str | None) -> str:
        entry = word.entry(tree, self._not_passed(tree, word.kind))
        label = tree.label(entry + word.part)[word.described] if entry is not None else ""
        words = _ANSWER_WORD.findall(label)
        if word.sentence:
            is_content = _is_sentence(words) and not _NOTICE.search(label)
            return label if is_content and (opened is None or self._is_expected(label, opened)) else ""
        if len(words) != word.words or bool(_DIGIT.search(words[word.word])) is not word.is_number:
            return ""
        return str(words[word.word])

    def _is_expected(self, sentence: str, opened: str) -> bool:
        """Whether a sentence is about what was looked up.

        The row that opened its page quotes it, as a search's result does, or it has a word that a model read
        there before.
        """
        words = word_set(sentence)
        quoted = words & word_set(opened)
        seen = word_set(" ".join(sorted(self.words_seen)))
        return len(quoted) >= max(1.0, _QUOTED * len(words)) or bool(words & seen)

    def having_seen(self, tree: ScreenTree) -> AnswerReading:
        """The same, after a model read another page in this way."""
        words = self.words_seen | _words_of(tree, self.entries(tree))
        return self.model_copy(update={"words_seen": words})

    def joined(self, other: AnswerReading) -> AnswerReading | None:
        """The same with what another page showed that was read in the same places; None where it was not."""
        if (self.words, self.marks, self.all_read) != (other.words, other.marks, other.all_read):
            return None
        words = self.words_seen | other.words_seen
        return self.model_copy(update={"words_seen": words, "passed": self.passed | other.passed})


@dataclass(frozen=True, slots=True)
class _PageText:
    """A text of a page: the entry that it belongs to, its element in it, and its words.

    `only_whole`: it is one of several paragraphs, of which nothing is read but the whole.
    """

    entry: int
    kind: Kind
    place: int
    part: int
    described: bool
    words: tuple[str, ...]
    caption: str = ""
    only_whole: bool = False


def learn_reading(answer: str, tree: ScreenTree, instruction: str) -> AnswerReading | None:
    """How an answer can be read from a page; None where it says what does not stand there.

    What is read are numbers, times, prices and whole texts. Beside them an answer may have words of the
    instruction and of what it read, and function words: any other is a judgement, as “yes”.

    Args:
        answer: what was answered, with slots in the place of their values.
        tree: the page that it was read from.
        instruction: what was asked for, without the values of its slots.
    """
    texts = _texts_of(tree)
    matches = list(_ANSWER_WORD.finditer(answer))
    answer_words = [match[0].casefold() for match in matches]
    spaced = [answer[: match.start()][-1:].isspace() for match in matches]
    words: list[AnswerWord] = []
    last: tuple[int, int, int] = (-1, -1, -1)
    entries: dict[int, _PageText] = {}
    start = 0
    while start < len(matches):
        count, text, first = _longest_run(answer_words[start:], texts, last)
        if text is None:
            words.append(AnswerWord(spaced=spaced[start], literal=matches[start][0]))
            start += 1
            continue
        entries[text.entry] = text
        last = (text.entry, text.part, first + count - 1)
        is_whole = count == len(text.words) and not tree.elements[text.entry].clickable
        is_sentence = is_whole and _is_sentence(text.words)
        words += [
            AnswerWord(
                spaced=spaced[start + ahead],
                kind=text.kind,
                shape=_shape_digest(tree, text.entry),
                caption=text.caption,
                place=text.place,
                part=text.part,
                described=text.described,
                word=first + ahead,
                words=len(text.words),
                is_number=bool(_DIGIT.search(text.words[first + ahead])),
                sentence=is_sentence,
            )
            for ahead in range(1 if is_sentence else count)
        ]
        start += count
    literals = " ".join(w.literal for w in words if w.literal and not w.literal.startswith("{"))
    words_seen = _words_of(tree, entries)
    usual = word_set(instruction) | word_set(" ".join(words_seen))
    is_plain = not _DIGIT.search(literals) and word_set(literals) <= usual
    reading = AnswerReading(words=tuple(words), words_seen=words_seen, marks=_marks(tree))
    return reading.passing_over(tree) if entries and is_plain else None


def _is_sentence(words: Iterable[str]) -> bool:
    """Whether the words of a text are running text, whose words are new each time."""
    texts = [word for word in words if _LETTERS.search(word)]
    return len(texts) >= _SENTENCE_WORDS or any(_CHINESE_SENTENCE.search(word) for word in texts)


def _longest_run(
    said: Sequence[str], texts: Iterable[_PageText], last: tuple[int, int, int]
) -> tuple[int, _PageText | None, int]:
    """With how many words an answer goes on as a text of the page does, which, and from which word of it.

    Of several like ones the next behind what was read last, best in the same entry.
    """
    best: tuple[tuple[int, bool, bool], int, _PageText | None, int] = ((0, False, False), 0, None, 0)
    for text in texts:
        for first, word in enumerate(text.words):
            if word.casefold() != said[0]:
                continue
            pairs = zip(text.words[first:], said, strict=False)
            count = len(list(takewhile(lambda pair: pair[0].casefold() == pair[1], pairs)))
            run = " ".join(text.words[first : first + count])
            is_whole = count == len(text.words)
            is_value = (_DIGIT.search(run) and not text.only_whole) or (is_whole and word_set(run))
            place = (text.entry, text.part, first)
            rank = (count, text.entry == last[0] and place > last, place > last)
            if is_value and rank > best[0]:
                best = rank, count, text, first
    return best[1:]


def _texts_of(tree: ScreenTree) -> list[_PageText]:
    """The texts of a page that can be found again.

    They stand in rows that react, are the only element of a kind, have a caption of their own, or are
    paragraphs, which are read whole.
    """
    texts = []
    places = {kind: {entry: place for place, entry in enumerate(like)} for kind, like in tree.by_kind.items()}
    captions = {kind: _own_captions(tree, like) for kind, like in tree.by_kind.items() if len(like) > 1}
    for element in tree.elements:
        if element.editable or element.password or not tree.is_visible(element):
            continue
        line = [element.index, *tree.ancestors(element.index)]
        entry = next((index for index in line if tree.elements[index].clickable), element.index)
        kind = tree.kind(entry)
        if entry not in (like := places.get(kind, {})):
            continue
        is_alone = len(like) == 1 or tree.elements[entry].clickable
        own_caption = "" if is_alone else captions[kind].get(entry, "")
        for described, label in zip((False, True), tree.label(element.index), strict=True):
            words = tuple(_ANSWER_WORD.findall(label))
            # A paragraph is none of the values of which a caption tells what they are.
            caption = "" if _is_sentence(words) else own_caption
            if words and (is_alone or caption or _is_sentence(words)):
                place, part = like[entry], element.index - entry
                only_whole = not is_alone and not caption
                texts.append(_PageText(entry, kind, place, part, described, words, caption, only_whole))
    return texts


def _own_captions(tree: ScreenTree, like: Iterable[int]) -> dict[int, str]:
    """The captions of entries of one kind that none of their like has."""
    captions = {entry: _caption(tree, entry) for entry in like}
    count = Counter(captions.values())
    return {entry: caption for entry, caption in captions.items() if count[caption] == 1}


def _caption(tree: ScreenTree, index: int) -> str:
    """The only words beside an element in the smallest container that has any, as a label beside a value.

    Empty where there are several, or they have numbers, which are a value of their own, or are a sentence.
    """
    labels = tree.beside(index)
    words = [word for word in labels[0] if word] if len(labels) == 1 else []
    is_label = len(words) == 1 and not _DIGIT.search(words[0]) and not _is_sentence(words[0].split())
    return words[0].casefold() if is_label else ""


def _words_of(tree: ScreenTree, entries: Collection[int]) -> frozenset[str]:
    """The words of some entries in lower case, without numbers, and without codes such as of a train."""
    labels = (word for index in entries for label in tree.content(index) for word in label)
    words = (word for label in labels for word in _ANSWER_WORD.findall(label) if not _CODE.fullmatch(word))
    return frozenset(part for word in words for part in _LETTERS.findall(word.casefold()))


def _marks(tree: ScreenTree) -> tuple[str, ...]:
    """What is chosen on a page, numbers apart: another order or filter of a list shows other rows first."""
    chosen = (tree.title(e.index) for e in tree.elements if (e.checked or e.selected) and tree.is_visible(e))
    return tuple(sorted(re.sub(r"\d+", "0", title) for title in chosen if title))


def _shape_digest(tree: ScreenTree, index: int) -> str:
    parts = "\n".join(f"{identifier} {name}" for identifier, name in tree.shape(index))
    return blake2b(parts.encode(), digest_size=8).hexdigest()

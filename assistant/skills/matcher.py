"""Finds the element that a recorded step tapped on the current screen, or refuses.

An element is described by its kind (id, class, ancestors) and its content (its own texts, the texts in it,
the texts of its row). Elements of one kind on the recorded screen are paired with those on the current
screen: first those with equal content, then those with similar content, last those without content between
the same neighbours. The target is the partner of the recorded element, if that pair is certain. Positions in
pixels are not compared. If two elements could be the target, it is refused.

The tiers are those of agent-device's ADR 0012: identity, tie-breaks by relative place, diagnostics.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.i18n import _, later
from assistant.memory.prototypes.terms import multiset_overlap, oppose, word_set
from assistant.records import PICTURE_TEXT, Element, Point, element_name, says_little
from assistant.safety.wording import classify_label
from assistant.skills.screen_tree import (
    SAME_STRUCTURE,
    Label,
    ScreenTree,
    free_point,
    is_tappable,
    overlap,
)

_SAME_PAGE = 0.3
"""Share of structure, and of texts, in common below which the page is another; for a target that was found by
its place alone."""

_SAME_STRUCTURE = 0.5
"""Share of structure in common from which the same words at the same place in the tree are the target."""

_SAME_STRUCTURE_NOW, _SAME_WORDS_NOW = 0.9, 0.35
"""Shares from which a page is the same, with a few texts changed, so that places on it still hold."""

_NEAR_SAME_CONTENT = 0.8
"""Share of words in common from which two siblings have similar content. Numbers are not compared."""

_SIMILAR_CONTENT = 0.3
"""The same for siblings whose first text, their title, is equal."""

_MOST_PAIRS = 10_000
"""Above this number of pairs, siblings are not compared word by word, because it would take seconds."""

_MOST_WORDS = 50_000
"""The most labels that are compared word by word for one target and its ancestors, for the same reason."""

_CLEAR_MARGIN = 0.7
"""A pair counts if every other pair of its elements is less similar than this share of its similarity."""

_SAME_ANCESTORS = 0.5
"""Share of the nearest ancestors that must be the same where a target is found by its content alone."""

_DIALOG_SHARE = 0.6
"""Share of the screen up to which a container is a dialog or card that has a subject of its own."""

_CANVAS_SHARE = 0.5
"""Share of the screen from which a view without texts is the canvas of the page, not a button."""


_LIST_VIEW = re.compile(r"(?:RecyclerView|ListView|GridView)$")
"""Classes of views whose children are entries of data."""


class RefusalReason(StrEnum):
    """Why no target is given."""

    NOTHING_RECORDED = "nothing is at the recorded point"
    ABSENT = "the target is not on this screen"
    AMBIGUOUS = "several elements could be the target"
    RENAMED = "what stands in its place says something else"
    OPPOSITE = "what stands in its place does the opposite"
    OTHER_SUBJECT = "the same button belongs to something else"
    OTHER_PAGE = "this is another page"
    OTHER_APP = "this is another app"
    DISABLED = "the target cannot be used now"
    COVERED = "something is drawn over the target"
    UNSEEN = "the screen does not tell what was tapped"


_WORDS = {
    RefusalReason.NOTHING_RECORDED: later("nothing is at the recorded point"),
    RefusalReason.ABSENT: later("the target is not on this screen"),
    RefusalReason.AMBIGUOUS: later("several elements could be the target"),
    RefusalReason.RENAMED: later("what stands in its place says something else"),
    RefusalReason.OPPOSITE: later("what stands in its place does the opposite"),
    RefusalReason.OTHER_SUBJECT: later("the same button belongs to something else"),
    RefusalReason.OTHER_PAGE: later("this is another page"),
    RefusalReason.OTHER_APP: later("this is another app"),
    RefusalReason.DISABLED: later("the target cannot be used now"),
    RefusalReason.COVERED: later("something is drawn over the target"),
    RefusalReason.UNSEEN: later("the screen does not tell what was tapped"),
}


class Certainty(StrEnum):
    """What a match rests on. Only `EXACT` and `SAME_WORDS` say that the target means what it meant."""

    EXACT = "exact"
    SAME_WORDS = "same words"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class TargetMatch:
    """The target on the screen now: where to tap it, and what the match rests on."""

    point: Point
    element: Element
    certainty: Certainty

    @property
    def is_repeated(self) -> bool:
        """Whether a repetition taps it: not where it has another name, as a button of a new version has."""
        return self.certainty is not Certainty.PLACE


class TargetRefused(Exception):
    """No element is clearly the target, or it cannot be tapped; the message says why."""

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(_(_WORDS[reason]))
        self.reason = reason


def find_again(recorded: ScreenTree, point: Point, now: ScreenTree) -> TargetMatch:
    """The target of a tap on one screen, on another screen.

    Raises:
        TargetRefused: nothing is clearly the target, or something is drawn over it.
    """
    target = recorded.touched(point)
    if target is None:
        raise TargetRefused(RefusalReason.NOTHING_RECORDED)
    if _is_unseen(recorded, target):
        raise TargetRefused(RefusalReason.UNSEEN)
    index, certainty = _find_element(recorded, target.index, now)
    element = now.elements[index]
    if not now.is_visible(element):
        raise TargetRefused(RefusalReason.ABSENT)
    if target.package and element.package and target.package != element.package:
        # Two apps of one toolkit can draw the same tree, and nothing but the package tells them apart.
        raise TargetRefused(RefusalReason.OTHER_APP)
    if _is_background(recorded, target):
        raise TargetRefused(RefusalReason.UNSEEN)
    if target.class_name == PICTURE_TEXT and certainty is Certainty.PLACE:
        raise TargetRefused(RefusalReason.RENAMED)
    if target.enabled and not element.enabled:
        raise TargetRefused(RefusalReason.DISABLED)
    if certainty is not Certainty.EXACT:
        _refuse_other_words(recorded, target, now, element)
    if certainty is Certainty.PLACE:
        _refuse_other_entry(recorded, target.index, now, element.index)
    _refuse_other_subject(recorded, target, now, element)
    return match_at(recorded, target, point, now, element, certainty)


def _is_unseen(recorded: ScreenTree, target: Element) -> bool:
    """Whether a view without words that fills the screen was tapped: what it draws there is not known."""
    fills = target.bounds.area >= _CANVAS_SHARE * recorded.width * recorded.height
    return fills and not recorded.content(target.index)


def _is_background(recorded: ScreenTree, target: Element) -> bool:
    """Whether the tap fell between the entries of a container that does not react, where nothing is."""
    is_container = bool(recorded.children[target.index]) and not any(recorded.label(target.index))
    return is_container and not is_tappable(target)


def _find_element(recorded: ScreenTree, target: int, now: ScreenTree) -> tuple[int, Certainty]:
    """The target by its place in the tree, else by its kind and words, else by its words alone."""
    try:
        index, certainty = _TreePairing(recorded, now).partner(target)
        if certainty is Certainty.PLACE and _has_unique_content(recorded, target, now, index):
            certainty = Certainty.SAME_WORDS
        if certainty is Certainty.PLACE or not recorded.content(target):
            _refuse_other_page(recorded, target, now, index)
    except TargetRefused as refusal:
        if not _says_much(recorded.content(target)):
            raise
        try:
            return _find_by_content(recorded, target, now), Certainty.SAME_WORDS
        except TargetRefused:
            raise refusal from None
    return index, certainty


def _has_unique_content(recorded: ScreenTree, target: int, now: ScreenTree, index: int) -> bool:
    """Whether no other element on either screen has the content of this pair.

    Then the pair is certain although the elements around it changed: “Add to cart” beside another price is
    the same button. An icon or a field without texts must be the only element with its id, have the same
    ancestors, and be on pages of similar structure; without an id the only one of its kind, on pages of
    nearly the same structure.
    """
    element, structure = recorded.elements[target], overlap(recorded.structure, now.structure)
    if not recorded.content(target):
        kind = recorded.kind(target)
        if not element.resource_id:
            is_only_one = len(recorded.by_kind[kind]) == len(now.by_kind.get(kind, ())) == 1
            return is_only_one and kind == now.kind(index) and structure >= _SAME_STRUCTURE_NOW
        alone = all(
            sum(other.resource_id == element.resource_id for other in tree.elements) == 1
            for tree in (recorded, now)
        )
        return alone and kind == now.kind(index) and structure >= SAME_STRUCTURE
    if not _says_much(recorded.content(target)):
        return False
    try:
        return _find_by_content(recorded, target, now) == index
    except TargetRefused:
        return False


def _find_by_content(recorded: ScreenTree, target: int, now: ScreenTree) -> int:
    """The only element with the content, id and class of the target, where the tree around it changed.

    Raises:
        TargetRefused: there is none now, or more than one on either screen.
    """
    element, content = recorded.elements[target], recorded.content(target)
    compared_content = _without_measures(content)

    def like(tree: ScreenTree) -> list[int]:
        """The elements like the target; of a wrapper and its content, only the one built as the target is."""
        same = [
            other.index
            for other in tree.elements
            if (other.resource_id, other.class_name) == (element.resource_id, element.class_name)
            and tree.is_visible(other)
            and len(tree.content(other.index)) == len(content)
            and _without_measures(tree.content(other.index)) == compared_content
        ]
        return [index for index in same if tree.shape(index) == recorded.shape(target)] or same

    line = frozenset(recorded.kind(target)[2])
    there = [index for index in like(now) if overlap(line, frozenset(now.kind(index)[2])) >= _SAME_ANCESTORS]
    if not there:
        raise TargetRefused(RefusalReason.ABSENT)
    if len(there) > 1 or len(like(recorded)) > 1:
        raise TargetRefused(RefusalReason.AMBIGUOUS)
    return there[0]


_MEASURE = re.compile(
    r"[¥$€£]\s?\d[\d.,]*|\d[\d.,:]*\s?(?:min(?:utes?)?|h(?:ours?)?|s(?:ec)?|km|m|mi|%|分钟|小时|公里|米|元)(?!\w)",
    re.IGNORECASE,
)


def _without_measures(labels: Iterable[Label]) -> list[Label]:
    """Labels without prices, distances and durations: “Walk 12 min” and “Walk 73 min” are one button."""
    return [(_MEASURE.sub("#", text), _MEASURE.sub("#", description)) for text, description in labels]


def names_label(text: str, label: str) -> bool:
    """Whether a text is what a label says, measures apart: “Walk” names “Walk 12 min”, and itself."""
    words = " ".join(text.split()).casefold()
    return words in (" ".join(form.split()).casefold() for form in (label, _MEASURE.sub("", label)))


class _TreePairing:
    """Pairs an element and its ancestors on two screens, from the root down.

    Each of them is paired among its siblings of the same id and class.
    """

    def __init__(self, recorded: ScreenTree, now: ScreenTree) -> None:
        self._recorded = recorded
        self._now = now
        self._is_same_page = (
            overlap(recorded.structure, now.structure) >= _SAME_STRUCTURE_NOW
            and multiset_overlap(_page_words(recorded), _page_words(now)) >= _SAME_WORDS_NOW
        )

    def partner(self, target: int) -> tuple[int, Certainty]:
        """The partner of a recorded element on the current screen, and the lowest certainty on the way to it.

        Raises:
            TargetRefused: the element or one of its ancestors has no certain partner.
        """
        old, new, certainty = self._roots(self._recorded), self._roots(self._now), Certainty.EXACT
        index, words_left = -1, _MOST_WORDS
        for own in (*reversed(self._recorded.ancestors(target)), target):
            element = self._recorded.elements[own]
            siblings = _Siblings(
                self._recorded,
                old,
                self._now,
                new,
                element,
                is_same_page=self._is_same_page,
                most_words=words_left,
            )
            words_left -= siblings.compared
            index, found_by = siblings.partner(own)
            certainty = max(certainty, found_by, key=list(Certainty).index)
            old, new = self._recorded.children[own], self._now.children[index]
        return index, certainty

    @staticmethod
    def _roots(tree: ScreenTree) -> list[int]:
        return [element.index for element in tree.elements if element.parent < 0]


def _like(tree: ScreenTree, indexes: Iterable[int], element: Element) -> list[int]:
    """The siblings with the id and class of an element."""
    return [
        index
        for index in indexes
        if (tree.elements[index].resource_id, tree.elements[index].class_name)
        == (element.resource_id, element.class_name)
    ]


class _Siblings:
    """Pairs siblings of one id and class on two screens, as far as the pairs are certain.

    Args:
        recorded: the recorded screen.
        old: the indexes of all siblings there, in document order.
        now: the screen now.
        new: the indexes of all siblings there, in document order.
        element: selects the siblings to pair: those with its id and class.
        is_same_page: whether the two screens are the same in nearly everything else.
        most_words: the most labels to compare word by word; if there are more, none are compared so.

    Attributes:
        compared: the number of labels that were compared word by word.
    """

    def __init__(
        self,
        recorded: ScreenTree,
        old: Sequence[int],
        now: ScreenTree,
        new: Sequence[int],
        element: Element,
        *,
        is_same_page: bool,
        most_words: int,
    ) -> None:
        self.compared = 0
        self._most_words = most_words
        self._recorded, self._old = recorded, _like(recorded, old, element)
        self._now, self._new = now, _like(now, new, element)
        self._places = {index: place for place, index in enumerate(self._old)}
        self._places_now = {index: place for place, index in enumerate(self._new)}
        self._beside, self._beside_now = old, new
        self._is_same_page = is_same_page
        self._partners: dict[int, tuple[int, Certainty]] = {}
        self._taken: set[int] = set()
        self._ambiguous: set[int] = set()
        if max(len(old), len(new)) > 1:
            self._pair_equal(lambda tree, index: (tree.content(index), tree.shape(index)))
        self._pair_equal(lambda tree, index: tree.content(index))
        self._pair_similar()
        self._pair_by_place()
        self._pair_between_words()

    def partner(self, target: int) -> tuple[int, Certainty]:
        """The partner of a recorded sibling.

        Raises:
            TargetRefused: it has no certain partner.
        """
        if target in self._partners:
            return self._partners[target]
        rest = [index for index in self._new if index not in self._taken]
        if target in self._ambiguous or len(rest) > 1:
            raise TargetRefused(RefusalReason.AMBIGUOUS)
        raise TargetRefused(RefusalReason.RENAMED if rest else RefusalReason.ABSENT)

    def _pair(self, old: int, new: int, certainty: Certainty) -> None:
        self._partners[old] = new, certainty
        self._taken.add(new)
        self._ambiguous.discard(old)

    def _open(self) -> tuple[list[int], list[int]]:
        return (
            [index for index in self._old if index not in self._partners],
            [index for index in self._new if index not in self._taken],
        )

    def _pair_equal(self, key: Callable[[ScreenTree, int], Hashable]) -> None:
        """Pair siblings with an equal key, in their order, if both screens have the same number of them."""
        groups: defaultdict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        unpaired, free = self._open()
        for index in unpaired:
            groups[key(self._recorded, index)][0].append(index)
        for index in free:
            groups[key(self._now, index)][1].append(index)
        for old, new in groups.values():
            says_nothing = any(not self._recorded.content(index) for index in old)
            if len(old) == len(new) and not (says_nothing and len(self._old) != len(self._new)):
                for old_index, new_index in zip(old, new, strict=True):
                    if len(old) == 1:
                        self._pair(old_index, new_index, Certainty.EXACT)
                    elif self._is_at_same_place(old_index, new_index):
                        self._pair(old_index, new_index, Certainty.SAME_WORDS)
                    else:
                        self._ambiguous.add(old_index)
            elif old and new:
                self._ambiguous.update(old)

    def _is_at_same_place(self, old_index: int, new_index: int) -> bool:
        """Whether two siblings have the same position, or the same content before or after them.

        This tells elements with equal content apart.
        """
        place, now_place = self._places[old_index], self._places_now[new_index]
        if place == now_place and len(self._old) == len(self._new):
            return True
        neighbours = ((place + side, now_place + side) for side in (-1, 1))
        return any(
            0 <= left < len(self._old)
            and 0 <= right < len(self._new)
            and self._recorded.content(self._old[left]) == self._now.content(self._new[right]) != ()
            for left, right in neighbours
        )

    def _pair_similar(self) -> None:
        """Pair siblings of similar content, if each is the other's most similar by a clear margin."""
        old, new = self._open()
        if not old or not new or len(old) * len(new) > _MOST_PAIRS:
            return
        before = {index: self._recorded.content(index) for index in old}
        after = {index: self._now.content(index) for index in new}
        words = sum(map(len, before.values())) + sum(map(len, after.values()))
        if words > self._most_words:
            return
        self.compared = words
        bags = {index: _bag(content) for index, content in before.items()}
        bags_now = {index: _bag(content) for index, content in after.items()}
        scores = {
            (old_index, new_index): _likeness(
                before[old_index], bags[old_index], after[new_index], bags_now[new_index]
            )
            for old_index in old
            for new_index in new
        }
        ranked = sorted((pair for pair in scores if scores[pair]), key=lambda pair: -scores[pair])
        by_old: defaultdict[int, list[float]] = defaultdict(list)
        by_new: defaultdict[int, list[float]] = defaultdict(list)
        for old_index, new_index in ranked:
            by_old[old_index].append(scores[old_index, new_index])
            by_new[new_index].append(scores[old_index, new_index])
        for old_index, new_index in ranked:
            score = scores[old_index, new_index]
            is_best = by_old[old_index][0] <= score and by_new[new_index][0] <= score
            if old_index in self._partners or new_index in self._taken or not is_best:
                continue
            rivals = (*by_old[old_index][1:2], *by_new[new_index][1:2])
            if max(rivals, default=0.0) < _CLEAR_MARGIN * score:
                self._pair(old_index, new_index, Certainty.SAME_WORDS)

    def _pair_by_place(self) -> None:
        """Pair the remaining siblings by their order.

        Only where their number is the same, none of the pairs so far moved, and at least half of the siblings
        are paired, or the page is the same.
        """
        old, new = self._open()
        if not old or len(self._old) != len(self._new):
            return
        if any(
            self._places[old_index] != self._places_now[new_index]
            for old_index, (new_index, _) in self._partners.items()
        ):
            return
        stayed = 2 * len(self._partners) >= len(self._old) - 1
        for old_index, new_index in zip(old, new, strict=True):
            same = self._recorded.content(old_index) == self._now.content(new_index)
            if old_index not in self._ambiguous and (
                same or stayed or (self._is_same_page and self._partners)
            ):
                self._pair(old_index, new_index, Certainty.SAME_WORDS if same else Certainty.PLACE)

    def _pair_between_words(self) -> None:
        """Pair siblings without content by their order between two siblings whose content is unique.

        If the same number of them, with the same shapes, is between the same two neighbours on both screens,
        none was added or removed: what an app inserts there has texts.
        """
        old, new = self._open()
        if not old or not new:
            return
        before, after = self._worded(self._recorded, self._beside), self._worded(self._now, self._beside_now)
        counts, counts_now = Counter(before), Counter(after)
        # A dict as an ordered set: a list would be walked for each sibling.
        anchors = dict.fromkeys(words for words in before if counts[words] == 1 == counts_now[words])
        if [words for words in after if words in anchors] != list(anchors):
            return
        gaps = self._gaps(self._recorded, self._beside, set(old), anchors)
        gaps_now = self._gaps(self._now, self._beside_now, set(new), anchors)
        for anchor, waiting in gaps.items():
            there = gaps_now.get(anchor, [])
            shapes = [self._recorded.shape(index) for index in waiting]
            if shapes and shapes == [self._now.shape(index) for index in there]:
                for old_index, new_index in zip(waiting, there, strict=True):
                    self._pair(old_index, new_index, Certainty.PLACE)

    @staticmethod
    def _worded(tree: ScreenTree, siblings: Iterable[int]) -> list[tuple[Label, ...]]:
        return [tree.content(index) for index in siblings if tree.content(index)]

    @staticmethod
    def _gaps(
        tree: ScreenTree,
        siblings: Iterable[int],
        waiting: Collection[int],
        anchors: Collection[tuple[Label, ...]],
    ) -> dict[tuple[Label, ...], list[int]]:
        """The elements of `waiting` without content, by the last anchor before them."""
        gaps: defaultdict[tuple[Label, ...], list[int]] = defaultdict(list)
        anchor: tuple[Label, ...] = ()
        for index in siblings:
            content = tree.content(index)
            if content and content in anchors:
                anchor = content
            elif not content and index in waiting:
                gaps[anchor].append(index)
        return gaps


def _likeness(
    before: Sequence[Label], bag: Counter[str], after: Sequence[Label], bag_now: Counter[str]
) -> float:
    """The share of words that two contents have in common, 0..1; 0 where it is too little to pair them."""
    if not before or not after:
        return 0.0
    likeness = multiset_overlap(bag, bag_now)
    has_title = before[0] == after[0] and _says_much(before[:1])
    return likeness if likeness >= (_SIMILAR_CONTENT if has_title else _NEAR_SAME_CONTENT) else 0.0


_NUMBER = re.compile(r"\d+")

_LATIN_WORD = re.compile(r"[a-z]+")


def _bag(labels: Iterable[Label]) -> Counter[str]:
    """The words of labels, each number as 0, because counters, times and prices change without a new meaning.

    Function words count too: a row “From” is another row than “To”, even with the same place in it.
    """
    text = " ".join(word for label in labels for word in label)
    small = {word for word in _LATIN_WORD.findall(text.casefold()) if not word_set(word)}
    words = word_set(_NUMBER.sub("0", text)) | small or set(text.casefold().split())
    return Counter(words)


def _container(tree: ScreenTree, index: int) -> Element | None:
    """The smallest container that has words besides an element's own."""
    own = len(tree.content(index))
    wider = (other for other in tree.ancestors(index) if len(tree.content(other)) > own)
    return next((tree.elements[other] for other in wider), None)


def _page_words(tree: ScreenTree) -> Counter[str]:
    return Counter(word for element in tree.elements for word in tree.label(element.index) if word)


def _says_much(labels: Iterable[Label]) -> bool:
    """Whether some labels identify an element, unlike “Later” or “OK”, which many elements have."""
    return any(not says_little(word) for label in labels for word in label if word)


def _refuse_other_page(recorded: ScreenTree, target: int, now: ScreenTree, index: int) -> None:
    """Refuse a target found by its place alone, if the page is another or its text the opposite."""
    before, after = _sentence(recorded.content(target)), _sentence(now.content(index))
    if before and after and oppose(before, after):
        raise TargetRefused(RefusalReason.OPPOSITE)
    structure = overlap(recorded.structure, now.structure)
    if structure < _SAME_PAGE:
        raise TargetRefused(RefusalReason.OTHER_PAGE)
    is_named = not says_little(recorded.title(target))
    says_the_same = recorded.content(target) == now.content(index) and (is_named or not before)
    if structure >= (_SAME_STRUCTURE if recorded.content(target) else _SAME_STRUCTURE_NOW) and says_the_same:
        return
    has_id = bool(recorded.elements[target].resource_id)
    is_unique = has_id and is_named and len(recorded.by_kind[recorded.kind(target)]) == 1
    # A field or an icon has no words that another page could say by chance: its id says what it is.
    is_unique = is_unique or (has_id and not before and _has_unique_content(recorded, target, now, index))
    others = _page_words(recorded) - Counter(word for label in recorded.content(target) for word in label)
    if others and not is_unique and multiset_overlap(others, _page_words(now)) < _SAME_PAGE:
        raise TargetRefused(RefusalReason.OTHER_PAGE)


def _refuse_other_words(recorded: ScreenTree, target: Element, now: ScreenTree, element: Element) -> None:
    """Refuse an element that says something else than the target did, where that makes it another one.

    That is where an element of its class says now what the target said, and where either names a deed such as
    paying, sending or deleting.
    """
    before, after = recorded.title(target.index), now.title(element.index)
    if not before or before.casefold() == after.casefold():
        return
    says_it = (
        other
        for other in now.elements
        if other.class_name == target.class_name
        and now.is_visible(other)
        and now.title(other.index).casefold() == before.casefold()
    )
    if any(not now.is_within(other.index, element.index) for other in says_it):
        raise TargetRefused(RefusalReason.AMBIGUOUS)
    if classify_label(before) or classify_label(after):
        raise TargetRefused(RefusalReason.RENAMED)


def _refuse_other_entry(recorded: ScreenTree, target: int, now: ScreenTree, index: int) -> None:
    """Refuse an entry of a list, or a button of one, that was found by its place and has another title.

    Entries are data, as chats or dishes: another title is another entry, not another name for the same one.
    A button that other entries have too is only told by its own.
    """
    content = recorded.content(target)
    alike = [other for other in recorded.by_kind.get(recorded.kind(target), ()) if content]
    is_of_many = sum(recorded.content(other) == content for other in alike) > 1
    line = [target, *recorded.ancestors(target)] if is_of_many else [target]
    for entry, entry_now in zip(line, (index, *now.ancestors(index)), strict=False):
        is_same = recorded.title(entry).casefold() == now.title(entry_now).casefold()
        if not is_same and _is_entry(recorded, entry):
            raise TargetRefused(RefusalReason.RENAMED)


def _is_entry(tree: ScreenTree, index: int) -> bool:
    """Whether an element is an entry of a list: with an id or several texts, among others built as it is.

    One that lies in a list view is an entry even alone. A short list does not scroll.
    """
    element = tree.elements[index]
    parent = tree.elements[element.parent] if element.parent >= 0 else None
    is_row = len(tree.content(index)) > 1
    if parent is None or element.scrollable or not (is_row or element.resource_id):
        return False
    if _LIST_VIEW.search(parent.class_name):
        return True
    shape = tree.shape(index)
    beside = _like(tree, tree.children[parent.index], element)
    is_repeated = any(other != index and tree.shape(other) == shape for other in beside)
    scrolls = any(tree.elements[other].scrollable for other in tree.ancestors(index))
    return is_repeated and (is_row or scrolls)


def _refuse_other_subject(recorded: ScreenTree, target: Element, now: ScreenTree, element: Element) -> None:
    """Refuse a button such as “OK” in a dialog or card about something else."""
    words = [word for label in recorded.content(target.index) for word in label if word]
    name = words[0] if words else element_name(target.resource_id)
    if not name or not says_little(name):
        return
    box = _container(recorded, target.index)
    if box is None or box.bounds.area > _DIALOG_SHARE * recorded.width * recorded.height:
        return
    before, after = _subject(recorded.beside(target.index)), _subject(now.beside(element.index))
    if before and not before & after:
        raise TargetRefused(RefusalReason.OTHER_SUBJECT)


def _subject(labels: Iterable[Label]) -> set[str]:
    texts = (word for label in labels for word in label if word and not says_little(word))
    return {word for text in texts for word in _bag([(text, "")])}


def _sentence(labels: Iterable[Label]) -> str:
    return " ".join(word for label in labels for word in label if word)


def match_at(
    recorded: ScreenTree,
    target: Element,
    point: Point,
    now: ScreenTree,
    element: Element,
    certainty: Certainty,
) -> TargetMatch:
    """The match with a point at which a tap means the element.

    Raises:
        TargetRefused: other elements are drawn over it.
    """
    place = free_point(recorded, target, point, now, element)
    if place is None:
        raise TargetRefused(RefusalReason.COVERED)
    return TargetMatch(place, element, certainty)

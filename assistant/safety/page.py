"""A page as the approval rules see it: an element's labels and row, the heading, whether it is a dialog."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from typing import TypeVar, cast

from assistant.events import ActionKind
from assistant.phone.touches import packages_of_system
from assistant.records import (
    HOME_SCREENS,
    PICTURE_BUTTON,
    PICTURE_TEXT,
    Bounds,
    Element,
    Observation,
    once_per_screen,
)
from assistant.safety.lexicon import normalize_label
from assistant.safety.wording import (
    asks_question,
    classify_label,
    id_words,
    is_agreement,
    is_identifier,
    is_refusal,
    is_search_field,
    pattern,
    without_glyphs,
)

T = TypeVar("T")

_DIALOG_SHARE = 0.85
_HEADINGS = ("toolbar_title", "alertTitle", "action_bar_title", "page_title", "title_text", "header_title")
_QUESTION_TEXTS, _MAX_LEVELS_UP, _LIST_SIBLINGS, _ROW_SHARE = 8, 3, 3, 0.16
LISTS = ("ListView", "RecyclerView")
_BUTTON_CLASSES, _MOST_LABELS, _MOST_LABELS_OF_BUTTON = ("Button", "AppCompatButton", "MaterialButton"), 40, 2
_FROM_PICTURE = (PICTURE_TEXT, PICTURE_BUTTON)
_OF_PHONE = re.compile(r"permission|settings|security|systemmanager|packageinstaller|safecenter|\.gms$")
_ALIKE, _SAME_WIDTH, _TOP_BAR, _STATUS_BAR = 0.2, 0.04, 0.1, 0.05  # By the first, widths of tabs may differ.
_HOLDER, _TAB_ID = re.compile(r"^.*(?:Layout|ViewGroup)$"), re.compile(r"[/_][Tt]ab(?:s?_|[A-Z]|s?$)")
_HINT = pattern("field_hints", ignore_case=True)

_ANSWER_HEIGHT, _NARROW, _LONGEST_ANSWER, _LONGEST_LETTERS = 0.12, 0.5, 40, 4
_BAND, _MOST_IN_BAND, _MOST_BESIDE, _MOST_BEFORE, _MOST_TEXTS_BEFORE = 0.02, 12, 6, 60, 4


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a control answers: the texts above it, and what refuses beside it.

    `alone` is whether the control and what refuses are all there is to choose from.
    """

    texts: tuple[str, ...]
    refusals: tuple[str, ...]
    alone: bool

    @property
    def asks(self) -> bool:
        """Whether one of the texts is a question."""
        return any(map(asks_question, self.texts))

    @property
    def questions_first(self) -> list[str]:
        """The texts, questions before the sentences that explain them."""
        return sorted(self.texts, key=lambda text: not asks_question(text))


class Page:
    """An observation with what the approval rules ask of it. Labels are as on the screen, not normalized.

    The nodes of the system's bars and of the keyboard belong to no page. What is asked often is kept, so that
    no question about an element walks through the whole tree.
    """

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self._area = max(1, observation.width * observation.height)
        self._labels: dict[int, list[str]] = {}
        self._prompts: dict[int, Prompt | None] = {}
        self._answers: dict[object, object] = {}

    def once(self, question: Callable[[Page], T]) -> T:
        """The answer to a question about the whole page, which is asked once."""
        if question not in self._answers:
            self._answers[question] = question(self)
        return cast("T", self._answers[question])

    @cached_property
    def elements(self) -> list[Element]:
        """The elements of the app, in document order."""
        of_system = self._packages_of_system
        return [e for e in self.observation.elements if e.package not in of_system]

    @cached_property
    def clickables(self) -> list[Element]:
        """The elements of the app that take touches."""
        return [e for e in self.elements if e.clickable]

    @cached_property
    def texts(self) -> list[Element]:
        """Elements with a text or description, without input fields, in document order."""
        return [e for e in self.elements if (e.text or e.description) and not e.editable]

    @cached_property
    def fields(self) -> list[Element]:
        """The elements into which text can be typed, those of the system's bars too."""
        of_class = {e.class_name: e for e in self.observation.elements}
        editable = {name for name, element in of_class.items() if element.editable}
        return [e for e in self.observation.elements if e.class_name in editable] if editable else []

    @cached_property
    def normal_texts(self) -> list[str]:
        """The texts as `normalize_label` returns them."""
        return [normalize_label(element_label(e)) for e in self.texts]

    @cached_property
    def buttons(self) -> list[Element]:
        """The clickable elements that are buttons, without icons and what is chosen or switched."""
        return [e for e in self.clickables if _has_button_class(e) or e.index in self._hold_button]

    def is_button(self, element: Element) -> bool:
        """Whether an element is a button, an icon to press or a choice among several, by its class.

        Jetpack Compose writes a button as a plain view around its words and a button without any.
        """
        return element.class_name.endswith("Button") or element.index in self._hold_button

    @cached_property
    def _hold_button(self) -> set[int]:
        """The elements around a button of Compose, with no words but those of one label."""
        holders = {
            e.parent
            for e in self.observation.elements
            if _has_button_class(e) and not e.clickable and not element_label(e) and e.parent >= 0
        }
        return {index for index in holders if len(self.labels(self.observation.elements[index])) < 2}

    @cached_property
    def label_kinds(self) -> list[tuple[Element, str, ActionKind]]:
        """The clickable elements whose first label names a kind, with label and kind."""
        labelled = [(e, words[0]) for e in self.clickables if (words := self.labels(e))]
        return [(e, text, kind) for e, text in labelled if (kind := classify_label(text))]

    def is_of_system(self, element: Element) -> bool:
        """Whether an element belongs to the system's bars or the keyboard, while an app is in front."""
        return element.package in self._packages_of_system

    @cached_property
    def _packages_of_system(self) -> frozenset[str]:
        return packages_of_system(self.observation)

    def descendants(self, element: Element) -> Iterator[Element]:
        """All elements below one, in document order."""
        below = list(reversed(self._children[element.index]))
        while below:
            child = below.pop()
            yield child
            below.extend(reversed(self._children[child.index]))

    def alike_beside(self, element: Element) -> list[Element]:
        """The next elements of a like class with the same parent, before and after an element."""
        beside = self._children[element.parent] if element.parent >= 0 else []
        at = bisect_left(beside, element.index, key=lambda e: e.index)
        near = beside[max(0, at - _MOST_BESIDE) : at] + beside[at + 1 : at + 1 + _MOST_BESIDE]
        return [e for e in near if view_class(e.class_name) == view_class(element.class_name)]

    def has_children(self, element: Element) -> bool:
        """Whether anything stands in an element."""
        return bool(self._children[element.index])

    def ancestors(self, element: Element, levels: int = _MAX_LEVELS_UP) -> Iterator[Element]:
        """The nearest elements that hold an element, nearest first, so many levels up."""
        for _level in range(levels):
            if element.parent < 0:
                return
            element = self.observation.elements[element.parent]
            yield element

    @cached_property
    def digit_keys(self) -> list[Element]:
        """The clickable elements that are keys with a digit; letters may stand beside it."""
        return [e for e in self.clickables if _is_digit_key(self.labels(e))]

    @cached_property
    def _children(self) -> dict[int, list[Element]]:
        children: dict[int, list[Element]] = defaultdict(list)
        for e in self.observation.elements:
            children[e.parent].append(e)
        return children

    def _holders(self, elements: Iterable[Element]) -> set[int]:
        """These elements and all that contain one of them."""
        holding: set[int] = set()
        for e in elements:
            index = e.index
            while index >= 0 and index not in holding:
                holding.add(index)
                index = self.observation.elements[index].parent
        return holding

    @cached_property
    def _holds_switch(self) -> set[int]:
        # A star that takes touches itself makes no switch of its row.
        boxes = [e for e in self.observation.elements if e.checkable]
        marks = {e.index for e in boxes if e.clickable and "Image" in e.class_name}
        return self._holders(e for e in boxes if e.index not in marks) | marks

    @cached_property
    def _holds_picture(self) -> set[int]:
        return self._holders(e for e in self.observation.elements if e.class_name.endswith("ImageView"))

    def contains_picture(self, element: Element) -> bool:
        """Whether an element is or contains a picture."""
        return element.index in self._holds_picture

    def is_in_button(self, element: Element) -> bool:
        """Whether an element is part of one that takes touches, other than a row with a switch."""
        return element.index in self._in_buttons

    @cached_property
    def _in_buttons(self) -> set[int]:
        """The elements inside a clickable one that is no page and no row with a switch."""
        inside: set[int] = set()
        for e in self.observation.elements:
            if e.parent >= 0:
                holder = self.observation.elements[e.parent]
                is_button = holder.clickable and holder.parent >= 0 and not self.contains_switch(holder)
                is_button = is_button and holder is not self._barrier
                if is_button or holder.index in inside:
                    inside.add(e.index)
        return inside

    @property
    def is_of_phone(self) -> bool:
        """Whether a part of Android or of the maker's system is in front, not an app, by its package."""
        package = self.observation.app.package
        return package.startswith(("android", "com.android.")) or _OF_PHONE.search(package) is not None

    @property
    def is_of_settings(self) -> bool:
        """Whether the phone's settings are in front, whose lists lead to pages."""
        return self.is_of_phone and "settings" in self.observation.app.package

    @cached_property
    def is_dialog(self) -> bool:
        """Whether the window is smaller than the screen: a dialog, or a sheet."""
        elements = self.observation.elements
        roots = [e.bounds.area for e in elements if e.parent < 0 and e.class_name not in _FROM_PICTURE]
        ids = {name.rpartition("/")[2] for name in {e.resource_id for e in self.observation.elements}}
        window = 0 < max(roots, default=0) < _DIALOG_SHARE * self._area
        return window or bool({"alertTitle", "button1"} & ids) or self._has_barrier

    @cached_property
    def _has_barrier(self) -> bool:
        """Whether a view that a touch beside the dialog closes covers all before it, under a smaller box.

        Toolkits that draw their own windows, such as Flutter, make a dialog so.
        """
        above = [e.bounds for e in self.texts if self._barrier and e.index > self._barrier.index]
        if not above:
            return False
        height = max(bounds.bottom for bounds in above) - min(bounds.top for bounds in above)
        return height < _DIALOG_SHARE * self.observation.height

    @cached_property
    def _barrier(self) -> Element | None:
        """The last pressable view as large as the screen that has no content, or a description beside it."""
        covers = _DIALOG_SHARE * self._area
        large = [e for e in self.clickables if e.bounds.area >= covers]
        return next((e for e in reversed(large) if e.description or not self.has_children(e)), None)

    @cached_property
    def heading(self) -> str:
        """The page's title: by its id, otherwise the topmost text near the top; empty if there is none."""
        element = self._heading_element
        return element_label(element) if element else ""

    @cached_property
    def own_heading(self) -> str:
        """The heading, unless it belongs to a part: the first row of a list, or what stands below a field.

        Below the field of a search page the topmost text is the heading of a section, as “Recent searches”.
        """
        element = self._heading_element
        if element is None or element.index in self._in_buttons:
            return ""
        fields = (e for e in self.fields if not self.is_of_system(e))
        below_field = any(e.bounds.bottom <= element.bounds.top for e in fields)
        return "" if below_field and not _is_named_heading(element) else element_label(element)

    @cached_property
    def _heading_element(self) -> Element | None:
        named = [e for e in self.texts if _is_named_heading(e)]
        top = [e for e in self.texts if e.bounds.top < self.observation.height * 0.2 and not e.clickable]
        headings = named or sorted(top, key=lambda e: e.bounds.top)
        return headings[0] if headings else None

    @cached_property
    def question(self) -> list[str]:
        """What the page asks: the texts of a dialog, otherwise the heading alone."""
        if self.is_dialog:
            texts = [
                element_label(e) for e in self.texts if not e.clickable and e.index not in self._in_buttons
            ]
            return texts[:_QUESTION_TEXTS]
        return [self.heading] if self.heading else []

    def prompt_of(self, element: Element) -> Prompt | None:
        """What a control answers, told by structure alone; None if it answers nothing.

        It stands beside or above one that refuses, both below a text, in whatever toolkit: many draw their
        dialogs into the window of the page, without an id. Or it agrees, and the text above is a question.
        """
        if element.index not in self._prompts:
            self._prompts[element.index] = self._find_prompt(element)
        return self._prompts[element.index]

    def _find_prompt(self, element: Element) -> Prompt | None:
        labels = self.labels(element)
        if not self._may_answer(element) or is_refusal(labels[0]):
            return None
        beside = self._answers_beside(element)
        refusing = [e for e in beside if is_refusal(self.labels(e)[0])]
        if not refusing and not is_agreement(labels[0]):
            return None
        texts = self._texts_before([element, *(refusing or beside)])
        if not texts or not (refusing or asks_question(texts[-1])):
            return None
        refusals = tuple(self.labels(e)[0] for e in refusing)
        return Prompt(texts, refusals, len(beside) == len(refusing) == 1)

    def answers_question(self, element: Element) -> bool:
        """Whether a control answers a question that stands above it."""
        prompt = self.prompt_of(element)
        return prompt is not None and prompt.asks

    def question_for(self, element: Element | None) -> list[str]:
        """What a control answers, otherwise what the page asks."""
        prompt = self.prompt_of(element) if element is not None else None
        return list(prompt.texts) if prompt is not None else self.question

    def _may_answer(self, element: Element) -> bool:
        """Whether an element has the size and the words of a button that answers."""
        if not element.clickable or element.editable or element.checkable:
            return False
        labels = self.labels(element)
        low = 0 < element.bounds.height <= _ANSWER_HEIGHT * self.observation.height
        return low and len(labels) == 1 and len(labels[0]) <= _LONGEST_ANSWER

    @cached_property
    def _answer_bands(self) -> dict[int, list[Element]]:
        """What may answer, by the band of the screen that its middle lies in."""
        bands: dict[int, list[Element]] = defaultdict(list)
        for e in filter(self._may_answer, self.clickables):
            bands[self._band(e.bounds.centre[1])].append(e)
        return bands

    def _band(self, y: int) -> int:
        return int(y / max(1.0, _BAND * self.observation.height))

    def _answers_beside(self, element: Element) -> list[Element]:
        """The other answers in the line of one, or right above and below it."""
        reach = 2 * element.bounds.height
        y = element.bounds.centre[1]
        return [
            e
            for band in range(self._band(y - reach), self._band(y + reach) + 1)
            for e in self._answer_bands.get(band, ())[-_MOST_IN_BAND:]
            if e.index != element.index and _stands_beside(element.bounds, e.bounds)
        ]

    def _texts_before(self, answers: Sequence[Element]) -> tuple[str, ...]:
        """The texts above some answers that come before them in the tree, up to what belongs to others."""
        top = min(e.bounds.top for e in answers)
        left, right = min(e.bounds.left for e in answers), max(e.bounds.right for e in answers)
        first = min(e.index for e in answers)
        holders = {e.index for e in self.ancestors(self.observation.elements[first], _MOST_BEFORE)}
        texts: list[str] = []
        for e in reversed(self.observation.elements[max(0, first - _MOST_BEFORE) : first]):
            if self.is_of_system(e) or e.index in holders or e.editable or e.index in self._in_buttons:
                continue
            labels = [] if self.contains_switch(e) or not e.clickable else self.labels(e)
            if labels and not is_refusal(labels[0]):
                if self.is_smaller_than_page(e) and not e.class_name.endswith("TextView"):
                    break
                continue
            above = e.bounds.bottom <= top and e.bounds.left < right and left < e.bounds.right
            if above and element_label(e) and not e.checkable:
                texts.insert(0, element_label(e))
            if len(texts) == _MOST_TEXTS_BEFORE:
                break
        return tuple(texts)

    @cached_property
    def title(self) -> str:
        """The heading, otherwise the first text of the dialog."""
        return self.heading or (self.question[0] if self.question else "")

    @cached_property
    def filled_fields(self) -> list[Element]:
        """Input fields with a text, without search and address fields."""
        own = (e for e in self.fields if not (self.is_of_system(e) or self.is_in_top_bar(e)))
        return [e for e in own if any(map(str.isalnum, e.text)) and not (shows_hint(e) or is_search_field(e))]

    def is_in_top_bar(self, element: Element) -> bool:
        """Whether an element is in the top bar of a page, whose fields are for searches and addresses."""
        return not self.is_dialog and element.bounds.bottom < self.observation.height * _TOP_BAR

    def may_be_in_top_bar(self, element: Element) -> bool:
        """Whether an element is in the top bar, where that begins below the bar of the system."""
        return not self.is_dialog and element.bounds.bottom < self._end_of_top_bar

    @cached_property
    def _end_of_top_bar(self) -> float:
        screen = self.observation
        tops = (e.bounds.top for e in self.elements if e.bounds.width >= screen.width and e.bounds.top > 0)
        return min(min(tops, default=0), _STATUS_BAR * screen.height) + _TOP_BAR * screen.height

    def labels(self, element: Element) -> list[str]:
        """The labels of an element and its descendants, each once; not of what takes touches itself.

        Flutter merges the texts of a row into one with a line for each, React Native joins them to one line.
        Emblems count where no words are, and what only programmers name where nothing else is.
        """
        if element.index not in self._labels:
            texts = [element_label(e) for e in self._contents(element) if element_label(e)][:_MOST_LABELS]
            joined = "".join(map(_signs, texts))
            own_labels = (text for text in (element.text, element.description) if text)
            own = [text for text in own_labels if not joined or _signs(text) != joined]
            texts = [*texts, *own] if own and _sums_up(own[0], texts) else [*own, *texts]
            lines = [without_glyphs(line) for text in texts[:_MOST_LABELS] for line in text.split("\n")]
            lines = [line for line in lines if line]
            worded = [line for line in lines if any(map(str.isalnum, line))]
            spoken = [line for line in worded if not is_identifier(line)]
            self._labels[element.index] = list(dict.fromkeys(spoken or worded or lines))
        return self._labels[element.index]

    def row_labels(self, element: Element) -> list[str]:
        """The other labels of the row that an element is in, such as those that say what a switch is for."""
        row = element
        for _level in range(_MAX_LEVELS_UP):
            if row.parent < 0:
                break
            row = self.observation.elements[row.parent]
            if row.bounds.height > self.observation.height * _ROW_SHARE:
                break
            words = (element_label(e) for e in self.descendants(row) if element_label(e) and e != element)
            if first := list(islice(words, _MOST_LABELS)):
                return first
        return []

    def contains_switch(self, element: Element) -> bool:
        """Whether an element is or contains a switch or check box."""
        return element.index in self._holds_switch

    def is_row(self, element: Element) -> bool:
        """Whether an element is a row of a list, not a button."""
        if self.is_button(element) or self._is_beside_field(element):
            return False
        if (len(self.labels(element)) > 1 and not self.is_described(element)) or self.is_list_entry(element):
            return True
        edge_to_edge = element.bounds.left <= 0 and element.bounds.right >= self.observation.width
        alike = self._alike[self._likeness(element)[:-1]] if edge_to_edge else len(self.siblings(element))
        return alike >= _LIST_SIBLINGS

    def _is_beside_field(self, element: Element) -> bool:
        """Whether an element stands behind a field in its line, as what sends the text does."""
        beside = (e.bounds for e in self.fields if e.bounds.right <= element.bounds.left)
        return any(bounds.top <= element.bounds.centre[1] < bounds.bottom for bounds in beside)

    def is_described(self, element: Element) -> bool:
        """Whether a narrow element says one thing twice, as its words and again with their object."""
        labels = self.labels(element)
        twice = len(labels) == 2 and (labels[1] in labels[0] or labels[0] in labels[1])
        return twice and element.bounds.width < _NARROW * self.observation.width

    def is_list_entry(self, element: Element) -> bool:
        """Whether an element is one of several about as wide as the list of Android's that holds them."""
        if element.parent < 0:
            return False
        holder = self.observation.elements[element.parent]
        wide = element.bounds.width >= _DIALOG_SHARE * holder.bounds.width
        return wide and holder.class_name.endswith(LISTS) and len(self.siblings(element)) > 1

    @cached_property
    def names_of_tabs(self) -> list[set[str]]:
        """The texts that a program calls tabs, those with one id together."""
        names: dict[str, set[str]] = {}
        for element in self.texts:
            if _TAB_ID.search(element.resource_id):
                names.setdefault(element.resource_id, set()).add(element_label(element))
        return list(names.values())

    def is_tab(self, element: Element) -> bool:
        """Whether an element stands in a line of alike ones of which one is selected."""
        line = [
            e
            for e in self._children[element.parent]
            if e.bounds.top == element.bounds.top
            and abs(e.bounds.width - element.bounds.width) <= _ALIKE * element.bounds.width
        ]
        return len(line) > 1 and sum(e.selected for e in line) == 1

    def is_app_icon(self, element: Element) -> bool:
        """Whether an element is an app's icon on the home screen: a tap opens 打车 and orders no taxi.

        Launchers give such an icon its label as text and within its description, which may tell of
        notifications (AOSP `BubbleTextView`).
        """
        package = self.observation.app.package.casefold()
        on_home_screen = any(name in package for name in HOME_SCREENS) and element.package in ("", package)
        named_twice = bool(element.text) and element.text in element.description
        return on_home_screen and named_twice and not element.class_name.endswith("Button")

    def is_single_label(self, element: Element) -> bool:
        """Whether an element is a single text to tap, in a dialog or of a toolkit without buttons."""
        single = len(self.labels(element)) == 1
        return single and (self.is_dialog or element.class_name.endswith(("View", "CheckedTextView")))

    def is_inert(self, element: Element) -> bool:
        """Whether an element is a text that takes no touch, on a page of a toolkit that marks what does.

        Web pages mark only what the browser knows to be pressed, so that theirs may take one.
        """
        if not element_label(element) or element.class_name.rpartition(".")[2] != "TextView":
            return False
        held = (element, *self.ancestors(element, len(self.observation.elements)))
        if any(e.clickable or e.long_clickable or e.checkable or e.editable for e in held if e.parent >= 0):
            return False
        return bool(self._marks_touches) and not any(e.class_name.endswith("WebView") for e in held)

    @cached_property
    def _marks_touches(self) -> bool:
        """Whether anything with words or an id is marked as taking touches."""
        small = filter(self.is_smaller_than_page, self.clickables)
        return any(self.labels(e) or e.resource_id for e in small)

    def siblings(self, element: Element) -> list[Element]:
        """The elements of the same id, class and width with the same parent, including the element.

        Many toolkits draw rows and buttons as views of one class with one parent.
        """
        return self._siblings[self._likeness(element)]

    @cached_property
    def _siblings(self) -> dict[tuple[object, ...], list[Element]]:
        siblings: dict[tuple[object, ...], list[Element]] = defaultdict(list)
        for e in self.observation.elements:
            siblings[self._likeness(e)].append(e)
        return siblings

    @cached_property
    def _alike(self) -> Counter[tuple[object, ...]]:
        """How many elements there are of the same id and class with the same parent, however wide."""
        return Counter(self._likeness(e)[:-1] for e in self.observation.elements)

    def _likeness(self, element: Element) -> tuple[object, ...]:
        width = round(element.bounds.width / max(1.0, _SAME_WIDTH * self.observation.width))
        return element.parent, element.resource_id, view_class(element.class_name), element.clickable, width

    def field_left_of(self, element: Element) -> Element | None:
        """The filled field beside which an element is rightmost, as a send icon is; None if there is none."""
        for field in self.filled_fields:
            line = self.right_of(field)
            if line and element.index == max(line, key=lambda e: e.bounds.right).index:
                return field
        return None

    def next_right_of(self, field: Element) -> Element | None:
        """What to press stands next to a field on its right, as what sends or erases its text does."""
        return min(self.right_of(field), key=lambda e: e.bounds.left, default=None)

    def right_of(self, field: Element) -> list[Element]:
        """What to press stands right of a field."""
        return [
            e
            for e in self.clickables
            if field.bounds.top <= e.bounds.centre[1] < field.bounds.bottom
            and field.bounds.right <= e.bounds.centre[0]
        ]

    def is_last_in_top_bar(self, element: Element) -> bool:
        """Whether an element is the rightmost clickable one in the top bar, which completes a page."""
        ends = (self.observation.height * _TOP_BAR, self._end_of_top_bar)
        bars = ([e for e in self.clickables if e.bounds.bottom < end] for end in ends)
        return any(bar and element.index == max(bar, key=lambda e: e.bounds.right).index for bar in bars)

    def is_smaller_than_page(self, element: Element) -> bool:
        """Whether an element is a control, not a container of the whole page; a large button is a control."""
        if element.bounds.area < 0.3 * self._area:
            return True
        is_control = element.clickable and not element.editable
        leaf = is_control and not any(e.clickable for e in self._children[element.index])
        return leaf and 0 < len(self.labels(element)) <= _MOST_LABELS_OF_BUTTON

    def _contents(self, element: Element) -> Iterator[Element]:
        """The descendants of an element, without those that take touches themselves."""
        below = list(reversed(self._children[element.index]))
        while below:
            child = below.pop()
            if not (child.clickable or child.editable):
                yield child
                below.extend(reversed(self._children[child.index]))


@once_per_screen
def page_of(observation: Observation) -> Page:
    """The page of an observation; the latest pages keep what was asked of them."""
    return Page(observation)


def _stands_beside(first: Bounds, second: Bounds) -> bool:
    """Whether two buttons of about one height stand in one line, or one right below the other."""
    low, high = sorted((first.height, second.height))
    if high > 2 * low:
        return False
    apart = abs(first.centre[1] - second.centre[1])
    in_line = 2 * apart <= low and (first.right <= second.left or second.right <= first.left)
    gap = max(first.top, second.top) - min(first.bottom, second.bottom)
    return in_line or (0 <= gap <= high and first.left < second.right and second.left < first.right)


def _signs(text: str) -> str:
    """The letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def _sums_up(description: str, texts: Sequence[str]) -> bool:
    """Whether a description begins with one of several texts and holds them, as screen readers say a row."""
    held = {text for text in texts if text in description}
    return len(held) > 1 and any(map(description.startswith, held))


def element_label(element: Element) -> str:
    """The text of an element, otherwise its description."""
    return element.text or element.description


@cache
def view_class(name: str) -> str:
    """The class of a view, with all that only hold others as one: apps mix them in rows that are alike."""
    return _HOLDER.sub("ViewGroup", name)


def _has_button_class(element: Element) -> bool:
    return element.class_name.rpartition(".")[2] in _BUTTON_CLASSES


def _is_named_heading(element: Element) -> bool:
    return element.resource_id.rpartition("/")[2] in _HEADINGS


def _is_digit_key(labels: list[str]) -> bool:
    """Whether the first label is a digit, and the others repeat it or are its letters: 7 has PQRS."""
    if not labels or len(labels[0]) != 1 or not labels[0].isdecimal():
        return False
    return all(len(label.replace(" ", "")) <= _LONGEST_LETTERS for label in labels[1:])


def shows_hint(field: Element) -> bool:
    """Whether what a field shows is its hint, as “Login” in `et_login`.

    Dumps of older phones give it as text and name no hint.
    """
    if field.hint or field.text == field.hint:
        return field.text == field.hint
    if field.focused:
        return False
    own_name = set(id_words(field.resource_id))
    named = all(word in own_name for word in normalize_label(field.text).split())
    return named or _HINT.match(field.text) is not None


def tells_nothing(page: Page) -> bool:
    """Whether the UI tree has nothing to judge by: no word, no id of the app's own, no button.

    What was read from the picture does not count: it may be misread.

    So it is where the tree cannot be read, and in apps that draw everything themselves (games, some Flutter
    apps, WeChat). What a tap does there is unknown, which is not harmless.
    """
    for element in page.observation.elements:
        if element.class_name in _FROM_PICTURE:
            continue
        named = element.text or element.description or element.hint
        own_id = element.resource_id and not element.resource_id.startswith("android:")
        pressable = element.clickable or element.long_clickable or element.editable
        small = pressable and page.is_smaller_than_page(element)
        if (named or own_id or small) and not page.is_of_system(element):
            return False
    return True

"""What stands around an element: its own words, its row, the page's heading, whether it is a dialog."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from assistant.records import Element, Observation

_DIALOG_SHARE = 0.85
_HEADINGS = ("toolbar_title", "alertTitle", "action_bar_title", "page_title", "title_text", "header_title")
_QUESTION_TEXTS = 8
_MOST_UP = 3
_ROW_SHARE = 0.16
_LIST_SIBLINGS = 3
_TOP_BAR = 0.1


class Page:
    """One observation, asked for what the guards need. Words are as the screen has them, not made plain."""

    def __init__(self, seen: Observation) -> None:
        self.seen = seen
        self._area = max(1, seen.width * seen.height)

    @cached_property
    def texts(self) -> list[Element]:
        """Elements with words of their own, fields left out, in document order."""
        return [e for e in self.seen.elements if words_of(e) and not e.editable]

    @cached_property
    def is_dialog(self) -> bool:
        """Whether the window is smaller than the screen: a dialog, or a sheet."""
        roots = [e.bounds.area for e in self.seen.elements if e.parent < 0]
        ids = {e.resource_id.rpartition("/")[2] for e in self.seen.elements}
        return 0 < max(roots, default=0) < _DIALOG_SHARE * self._area or bool({"alertTitle", "button1"} & ids)

    @cached_property
    def heading(self) -> str:
        """The page's title: by its id, else the topmost short text."""
        named = [e for e in self.texts if e.resource_id.rpartition("/")[2] in _HEADINGS]
        top = [e for e in self.texts if e.bounds.top < self.seen.height * 0.2 and not e.clickable]
        found = named or sorted(top, key=lambda e: e.bounds.top)
        return words_of(found[0]) if found else ""

    @cached_property
    def question(self) -> list[str]:
        """What a person reads before saying yes: a dialog's texts, else the heading alone."""
        if self.is_dialog:
            said = [words_of(e) for e in self.texts if not e.clickable and not self._is_in_button(e)]
            return said[:_QUESTION_TEXTS]
        return [self.heading] if self.heading else []

    @cached_property
    def title(self) -> str:
        """What the page is about: its heading, or what a dialog says first."""
        return self.heading or (self.question[0] if self.question else "")

    @cached_property
    def fields(self) -> list[Element]:
        """Text fields with something in them that are not for searching."""
        filled = [e for e in self.seen.elements if e.editable and e.text and e.text != e.hint]
        return [e for e in filled if not searches(e) and not self._is_in_top_bar(e)]

    def _is_in_top_bar(self, field: Element) -> bool:
        """Whether a field stands in the bar at the top of a page, where one searches or enters an address."""
        return not self.is_dialog and field.bounds.bottom < self.seen.height * _TOP_BAR

    def parts(self, element: Element) -> list[str]:
        """The words of an element and of what it holds, buttons inside it left out."""
        own = [words for words in (element.text, element.description) if words]
        return own + [words_of(e) for e in self._inside(element) if words_of(e)]

    def row_words(self, element: Element) -> list[str]:
        """The words of the row that an element without words stands in: a switch is called by its row."""
        row = element
        for _ in range(_MOST_UP):
            if row.parent < 0:
                break
            row = self.seen.elements[row.parent]
            if row.bounds.height > self.seen.height * _ROW_SHARE:
                break
            if words := [words_of(e) for e in self.seen.descendants(row) if words_of(e)]:
                return words
        return []

    def holds_switch(self, element: Element) -> bool:
        """Whether an element is a switch or check box, or a row with one."""
        return element.checkable or any(e.checkable for e in self.seen.descendants(element))

    def is_row(self, element: Element) -> bool:
        """Whether an element is content in a list rather than a button."""
        if element.class_name.endswith("Button"):
            return False
        return len(self.parts(element)) > 1 or len(self.siblings(element)) >= _LIST_SIBLINGS

    def is_entry(self, element: Element) -> bool:
        """Whether an element is a single text to press in a menu or of a toolkit without buttons."""
        single = len(self.parts(element)) == 1
        return single and (self.is_dialog or element.class_name.endswith(("View", "CheckedTextView")))

    def siblings(self, element: Element) -> list[Element]:
        """The elements of the same kind beside one, itself included."""
        return [
            e
            for e in self.seen.elements
            if e.resource_id == element.resource_id
            and e.class_name == element.class_name
            and e.clickable == element.clickable
            and e.parent == element.parent
        ]

    def beside_field(self, element: Element) -> Element | None:
        """The filled text field that an element is the last to stand right of, as a send icon does."""
        for field in self.fields:
            line = [
                e
                for e in self.seen.elements
                if e.clickable
                and field.bounds.top <= e.bounds.centre[1] < field.bounds.bottom
                and field.bounds.right <= e.bounds.centre[0]
            ]
            if line and element.index == max(line, key=lambda e: e.bounds.right).index:
                return field
        return None

    def ends_top_bar(self, element: Element) -> bool:
        """Whether an element is the last thing to press in the bar at the top, where a page is finished."""
        bar = [e for e in self.seen.elements if e.clickable and e.bounds.bottom < self.seen.height * _TOP_BAR]
        return bool(bar) and element.index == max(bar, key=lambda e: e.bounds.right).index

    def is_small(self, element: Element) -> bool:
        """Whether an element is something to press, not a whole page."""
        return element.bounds.area < 0.3 * self._area

    def _is_in_button(self, element: Element) -> bool:
        """Whether a text is the label of a thing to press, as toolkits without buttons draw it."""
        place = element.parent
        while place >= 0:
            holder = self.seen.elements[place]
            if holder.clickable and holder.parent >= 0 and not self.holds_switch(holder):
                return True
            place = holder.parent
        return False

    def _inside(self, element: Element) -> Iterator[Element]:
        """What an element holds, without the parts that take touches themselves."""
        own = {element.index}
        for other in self.seen.elements[element.index + 1 :]:
            if other.parent in own and not (other.clickable or other.editable):
                own.add(other.index)
                yield other


def words_of(element: Element) -> str:
    """An element's own words."""
    return element.text or element.description


def searches(field: Element) -> bool:
    """Whether a field is for searching or for an address of the web."""
    told = f"{field.resource_id.rpartition('/')[2]} {field.hint} {field.description}".casefold()
    return any(word in told for word in ("search", "query", "url", "address_bar", "搜索", "查找", "网址"))

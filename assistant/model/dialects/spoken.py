"""Text dialects, put together from a vocabulary and a form.

A `Vocabulary` is a table of a family's words for our actions, from which they are read and written. A
`TextForm` says how calls stand in the text. `TextDialect` joins both with the prompt around them.

`CallReader` reads actions written as calls, `name(key='text', key=(1,2))`, and forgives full-width
punctuation, either kind of quotes, spaces, and unescaped quotes inside a text. A call counts only on a line
of its own; one that opens there and cannot be read makes the whole reply malformed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assistant.model.dialects.base import (
    REQUIRED_TEXT,
    Call,
    MalformedReply,
    ModelReply,
    Space,
    arguments_of,
    build,
    one_action,
    parse_point,
    point_arguments,
)
from assistant.model.dialects.parsing import end_before_line
from assistant.model.prompts import (
    DATA_RULE,
    ChatMessage,
    action_rules,
    format_facts,
    past_turns,
    remark_before,
    user_message,
)
from assistant.model.types import PastStep, SentImage, StepRequest
from assistant.records import Action, Direction, Point

_OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class VocabularyEntry:
    """One action as a family writes it.

    `type` is our action and `name` theirs. `keys` gives for each of our arguments their spellings, parted by
    spaces, the first of which is written. `fixed` arguments must have these values; several that are read are
    parted by `|`, the first is written. `needs` are arguments of ours that must not be empty for this word
    to be meant. `defaults` stand in for texts that were left out. `finger`: the direction is the finger's,
    not the content's. `index` is the spelling of an element's number, which may stand for the point.
    `ignored` arguments are read over.
    """

    type: str
    name: str
    keys: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    finger: bool = False
    index: str = ""
    ignored: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What to call it in a sentence."""
        fixed = [f"{key} {value.partition('|')[0]}" for key, value in self.fixed.items()]
        parts = [*fixed, *(self.keys[need].split()[0] for need in self.needs)]
        return f"{self.name} with {', '.join(parts)}" if parts else self.name

    def fits(self, given: Mapping[str, Any]) -> bool:
        """Whether the arguments are this word's and not those of another with the same name."""
        return all(_same(given.get(key), values) for key, values in self.fixed.items()) and all(
            self.taken(given, need)[1] not in (None, "") for need in self.needs
        )

    def taken(self, given: Mapping[str, Any], key: str) -> tuple[str, Any]:
        """The spelling and the value of one of our arguments; the first spelling and None without one."""
        spellings = self.keys[key].split()
        spelling = next((candidate for candidate in spellings if candidate in given), spellings[0])
        return spelling, given.get(spelling)


class Vocabulary:
    """All words of a family, and the space that its coordinates live in.

    `refused` are actions that the family has and we have not, each with what to do instead.
    """

    def __init__(
        self, words: Iterable[VocabularyEntry], space: Space, refused: Mapping[str, str] | None = None
    ) -> None:
        self.words = tuple(words)
        self.space = space
        self._refused = {_plain(name): reason for name, reason in (refused or {}).items()}

    @property
    def names(self) -> set[str]:
        """Their names of all actions."""
        return {word.name for word in self.words}

    @property
    def keys(self) -> set[str]:
        """Their names of all arguments."""
        return {key for word in self.words for key in _keys(word)}

    def word(self, type_: str) -> VocabularyEntry:
        """The main word for one of our actions."""
        return next(word for word in self.words if word.type == type_)

    def labels(self) -> dict[str, str]:
        """What to call our actions in a sentence; both ways to finish, where there are two."""
        labels = {word.type: word.label for word in reversed(self.words)}
        ends = dict.fromkeys(word.label for word in self.words if word.type == "finished")
        return {**labels, "finished": " or ".join(ends)}

    def read(self, call: Call, frame: SentImage) -> Action:
        """The action that a call means.

        Raises:
            MalformedReply: an unknown name, or arguments that are unknown, missing or of the wrong kind.
        """
        named = [word for word in self.words if _plain(word.name) == _plain(call.name)]
        given = {k: v for k, v in call.arguments.items() if v is not None}
        word = next((word for word in named if word.fits(given)), None)
        if word is None:
            raise MalformedReply(self._unfit(call, named))
        arguments = dict(self._arguments(word, given, frame))
        argument_names = _keys(word)
        if unknown := next((key for key in given if key not in argument_names), None):
            raise MalformedReply(f"{word.name} has no argument {unknown[:40]!r}.")
        return build(word.type, arguments)

    def write(self, action: Action, frame: SentImage) -> Call:
        """The inverse of `read`."""
        values = arguments_of(action)
        said = {key for key, value in values.items() if value != ""}
        mine = [word for word in self.words if word.type == action.type]
        fitting = (word for word in mine if said <= word.keys.keys() and said >= set(word.needs))
        word = next(fitting, mine[0])
        arguments: dict[str, Any] = {key: value.partition("|")[0] for key, value in word.fixed.items()}
        for key, value in values.items():
            if key not in word.keys or (value == "" and key not in REQUIRED_TEXT.values()):
                continue
            written = word.keys[key].split()[0]
            if isinstance(value, Point):
                arguments[written] = self.space.place(value, frame)
            elif isinstance(value, Direction):
                arguments[written] = _OPPOSITE[value] if word.finger else value.value
            else:
                arguments[written] = value
        return Call(word.name, arguments)

    def _unfit(self, call: Call, named: list[VocabularyEntry]) -> str:
        """Why a call is no word, in words for the model."""
        name = call.name[:40]
        if reason := self._refused.get(_plain(call.name)):
            return f"{name} is not possible here. {reason}"
        return f"{name} {_wanted(named)}." if named else f"There is no action {name!r}."

    def _arguments(
        self, word: VocabularyEntry, given: Mapping[str, Any], frame: SentImage
    ) -> Iterator[tuple[str, str | Point]]:
        for key in word.keys:
            spelling, value = word.taken(given, key)
            if key in point_arguments(word.type):
                if value is not None:
                    yield key, self.space.point(*parse_point(value, spelling), frame)
                elif word.index in given:
                    yield key, _numbered(given[word.index], frame)
                elif word.type != "scroll":
                    raise MalformedReply(f"{word.name} needs {spelling}.")
            elif value is not None:
                text = _text(value, spelling)
                yield key, _direction(text, word) if key == "direction" else text
            elif key in word.defaults:
                yield key, word.defaults[key]
            elif key == "direction" or REQUIRED_TEXT.get(word.type) == key:
                raise MalformedReply(f"{word.name} needs {spelling}.")


def _keys(word: VocabularyEntry) -> set[str]:
    spelled = " ".join(word.keys.values()).split()
    return {*spelled, *word.fixed, *word.ignored, *([word.index] if word.index else [])}


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


def _same(value: Any, values: str) -> bool:
    return isinstance(value, str) and value.strip().casefold() in values.casefold().split("|")


def _wanted(words: list[VocabularyEntry]) -> str:
    choices: dict[str, list[str]] = {}
    for word in words:
        for key, values in word.fixed.items():
            choices.setdefault(key, []).append(values.partition("|")[0])
    fixed = [f"{key}: {' or '.join(values)}" for key, values in choices.items()]
    needs = [word.keys[need].split()[0] for word in words for need in word.needs]
    return f"needs {', '.join(fixed or needs)}"


def _direction(text: str, word: VocabularyEntry) -> str:
    """The content's direction; an unknown one stays as it is, for `build` to refuse."""
    own = text.strip().casefold()
    return _OPPOSITE.get(own, own) if word.finger else own


def _text(value: Any, key: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return f"{value:.12g}" if isinstance(value, float) else str(value)
    if not isinstance(value, str):
        raise MalformedReply(f"{key[:40]!r} is not a text.")
    return value


def _numbered(value: Any, frame: SentImage) -> Point:
    """The centre of the element with a number of the list, which counts from 1."""
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    number = int(text) if text.isdecimal() and len(text) < 6 else 0
    if not 1 <= number <= len(frame.centres):
        raise MalformedReply(
            f"There is no element {text[:20]!r} in Screen_description. Give its number there."
        )
    return frame.centres[number - 1]


class TextForm(Protocol):
    """How calls stand in a family's text."""

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls of a reply, in order.

        Raises:
            MalformedReply: something that was meant as a call and cannot be read.
        """

    def write(self, call: Call) -> str:
        """The text of one call."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """As `Dialect.prose_end`."""

    def thought(self, reply: ModelReply) -> str:
        """As `Dialect.thought`: none, where it stands before the call."""
        return ""

    def format_past_reply(self, thought: str, text: str) -> str:
        """A past reply, as the family's history shows it: the action alone."""
        return text


@dataclass(frozen=True, slots=True)
class TextDialect:
    """A dialect whose actions are text.

    `pattern` is looked for in a model's name, whose capitals and dots, dashes and underscores do not matter.
    `instructions` gives the fixed part of the prompt. `in_turns`: past steps are shown as a conversation
    instead of a list, for families that learnt so.
    """

    name: str
    title: str
    pattern: str
    instructions: Callable[[SentImage], str]
    vocabulary: Vocabulary
    form: TextForm
    in_turns: bool = False

    @property
    def space(self) -> Space:
        """The coordinates."""
        return self.vocabulary.space

    def matches(self, model_name: str) -> bool:
        """Whether the name holds the pattern."""
        return bool(self.pattern and re.search(self.pattern, plain_name(model_name)))

    def rules(self, frame: SentImage) -> str:
        """Role, form of the answer, and action space."""
        return self.instructions(frame)

    def messages(self, request: StepRequest, frame: SentImage, *, elements: bool = True) -> list[ChatMessage]:
        """The rules as system message, past turns where the family has them, the facts with the picture."""
        rules = action_rules(self.vocabulary.labels(), finger=self.vocabulary.word("scroll").finger)
        system = f"{self.rules(frame)}\n{rules}\n{DATA_RULE}"
        text = format_facts(
            request,
            frame,
            place=self.space.place,
            write=None if self.in_turns else lambda action: self.write(action, frame).text,
            elements=elements,
        )
        past: list[ChatMessage] = []
        if self.in_turns:
            past = past_turns(request.history, lambda step: self._past_reply(step, frame))
            text = f"{remark_before(request.history, len(request.history))}{text}"
        return [{"role": "system", "content": system}, *past, user_message(text, frame)]

    def tools(self) -> None:
        """None: actions are text."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """Where the form says."""
        return self.form.prose_end(text, start)

    def thought(self, reply: ModelReply) -> str:
        """Reasoning that stands inside the action."""
        return self.form.thought(reply)

    def parse(self, reply: ModelReply, frame: SentImage) -> Action:
        """Read the one action of a reply."""
        return one_action([self.vocabulary.read(call, frame) for call in self.form.read(reply)])

    def write(self, action: Action, frame: SentImage) -> ModelReply:
        """The action's text."""
        return ModelReply(text=self.form.write(self.vocabulary.write(action, frame)))

    def _past_reply(self, step: PastStep, frame: SentImage) -> str:
        return self.form.format_past_reply(step.thought, self.write(step.action, frame).text)


def plain_name(model_name: str) -> str:
    """A model's name in small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", model_name.lower())


Value = str | tuple[float, ...]
"""A text, or a list of numbers. A number alone is a text."""

_SPACE = r"[ \t]{0,12}"
_LABEL = rf"(?P<label>(?i:action|answer|动作|操作){_SPACE}[:：]{_SPACE})?"
_MARK = r"[-*>`]{1,4}\w{0,12}|\d{1,3}[.、]|<(?:answer|action)>|<\|\w{1,30}\|>"
_LINE_START = rf"{_SPACE}(?:{_MARK})?{_SPACE}{_LABEL}(?:<\|\w{{1,30}}\|>)?`?"
_OPEN = rf"{_SPACE}[(（]"
_TAIL = re.compile(r"(?:[ \t`.。;；,，、]|</\w+>|<\|[^|\n]*\|>|\[EOS\])*(?=\n|$)")
_BETWEEN = r"[\s,，;；、]*"
_CLOSE = re.compile(r"\s*[)）]")
_COMMA = re.compile(r"\s*[,，]")
_KEY = re.compile(r"\s*([A-Za-z_]+)\s*[=＝]\s*")
_NUMBER = r"-?\d{1,9}(?:\.\d{1,9})?"
_LIST = re.compile(rf"[(（\[]\s*({_NUMBER}(?:\s*[,，]\s*{_NUMBER}){{1,8}})\s*[)）\]]", re.ASCII)
_ALONE = re.compile(_NUMBER, re.ASCII)
_TAGGED = re.compile(r"<[|\w]{1,20}>[\d\s.,()\[\]-]{1,60}<[|/\w]{1,20}>", re.ASCII)
_WORD = re.compile(r"[A-Za-z]+")
_CLOSING = {"'": "'", '"': '"', "‘": "’'", "’": "’'", "“": '”"', "”": '”"'}
_ESCAPE = re.compile(r"""\\([\\'"‘’“”nr])""")
_BREAKS = {"n": "\n", "r": "\r"}


def quote(text: str, mark: str = "'") -> str:
    """A text in quotes; backslashes, quotes and line breaks escaped."""
    escaped = text.replace("\\", "\\\\").replace(mark, f"\\{mark}").replace("\n", "\\n").replace("\r", "\\r")
    return f"{mark}{escaped}{mark}"


class CallReader:
    """Reads calls of the given names, with arguments of the given keys, out of text.

    A call that opens as the pattern `inline` says counts also in the middle of a line.
    """

    def __init__(self, names: Collection[str], keys: Collection[str], inline: str = "") -> None:
        name = rf"(?P<name>{'|'.join(sorted(names, key=len, reverse=True))}){_OPEN}"
        self._opening = re.compile(_LINE_START + name)
        within = rf"|(?<![A-Za-z0-9_.])(?={inline})" if inline else ""
        self._on_line = re.compile(rf"(?:(?:^|\n){_LINE_START}{within}){name}")
        self._next = re.compile(_BETWEEN + name)
        self._next_argument = re.compile(rf"\s*[,，]\s*(?:{'|'.join(sorted(keys))})\s*[=＝]")
        self._undecided = max(map(len, names)) + 44

    def prose_end(self, text: str, start: int = 0) -> int:
        """How many leading characters of a growing text belong to no call; the first `start` are known."""
        return end_before_line(self._opening, text, start, self._undecided)

    def calls(self, text: str) -> list[Call]:
        """All calls that open on lines of their own, in order; several to a line are all read.

        Raises:
            MalformedReply: a call that opens on its line and cannot be read, or that words follow.
        """
        return [call for calls in self.labelled(text) for call in calls]

    def labelled(self, text: str) -> list[list[Call]]:
        """The same calls; each `Action:` before a call begins a new list.

        Raises:
            MalformedReply: as `calls`.
        """
        labelled_calls: list[list[Call]] = []
        place = 0
        opening = self._on_line.search(text)
        while opening:
            arguments, place = self._arguments(text, opening.end())
            if not labelled_calls or opening.groupdict().get("label"):
                labelled_calls.append([])
            labelled_calls[-1].append(Call(opening["name"], arguments))
            opening = self._next.match(text, place)
            if not opening:
                if not _TAIL.match(text, place):
                    raise MalformedReply("Something follows the action on its line. Give the action alone.")
                opening = self._on_line.search(text, place)
        return labelled_calls

    def _arguments(self, text: str, place: int) -> tuple[dict[str, Value], int]:
        """The arguments up to the closing bracket, and the place behind it."""
        arguments: dict[str, Value] = {}
        if close := _CLOSE.match(text, place):
            return arguments, close.end()
        while True:
            key = _KEY.match(text, place)
            if not key:
                raise MalformedReply("The arguments of the action cannot be read. Write them as key=value.")
            if key[1] in arguments:
                raise MalformedReply(f"The action has {key[1][:40]} twice.")
            arguments[key[1]], place = self._value(text, key.end(), key[1])
            if close := _CLOSE.match(text, place):
                return arguments, close.end()
            comma = _COMMA.match(text, place)
            if not comma:
                raise MalformedReply("The action has no closing bracket.")
            place = comma.end()

    def _value(self, text: str, place: int, key: str) -> tuple[Value, int]:
        if text[place : place + 1] in _CLOSING and place < len(text):
            return self._string(text, place, key)
        if numbers := _LIST.match(text, place):
            return tuple(float(number) for number in _ALONE.findall(numbers[1])), numbers.end()
        if bare := _TAGGED.match(text, place) or _WORD.match(text, place) or _ALONE.match(text, place):
            return bare[0], bare.end()
        raise MalformedReply(f"The value of {key[:40]} cannot be read. Texts stand in quotes.")

    def _string(self, text: str, start: int, key: str) -> tuple[str, int]:
        """A quoted text. A quote ends it only where the call can go on behind it, so `it's` needs no care."""
        closing = _CLOSING[text[start]]
        place = start + 1
        while place < len(text):
            if escape := _ESCAPE.match(text, place):
                place = escape.end()
                continue
            if text[place] in closing and self._goes_on(text, place + 1):
                words = _ESCAPE.sub(lambda match: _BREAKS.get(match[1], match[1]), text[start + 1 : place])
                return words, place + 1
            place += 1
        raise MalformedReply(f"The text of {key[:40]} has no closing quote.")

    def _goes_on(self, text: str, place: int) -> bool:
        if close := _CLOSE.match(text, place):
            return bool(_TAIL.match(text, close.end()) or self._next.match(text, close.end()))
        return bool(self._next_argument.match(text, place))

"""Text dialects, put together from a vocabulary and a form.

A `Vocabulary` is a table of a family's words for our actions, from which they are read and written. A
`TextForm` says how calls stand in the text. `TextDialect` joins both with the prompt around them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from assistant.model.dialects.base import (
    REQUIRED_TEXT,
    Call,
    Dialect,
    MalformedReply,
    ModelReply,
    ParsedReply,
    Space,
    Tool,
    arguments_of,
    build_action,
    first_call_mark,
    join_calls,
    main_action,
    parse_point,
    point_arguments,
    text_argument,
)
from assistant.model.prompts import DATA_RULE, Layout, OwnPrompt, Past, action_rules, conversation
from assistant.model.types import (
    ChatMessage,
    PastStep,
    SentImage,
    StepRequest,
    one_line,
    without_control_characters,
)
from assistant.records import Action, ClearText, Click, Direction, Finished, Point, PressEnter, TypeText

_CHINESE_DIRECTIONS = {"上": "up", "下": "down", "左": "left", "右": "right"}
_OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class VocabularyEntry:
    """One action as a family writes it.

    Attributes:
        type: our name of the action.
        name: the family's name of it.
        keys: the family's spellings of our arguments, separated by spaces; the first is the one to write.
        fixed: arguments that must have these values; alternatives are separated by `|`, the first is written.
        needs: our arguments that must not be empty for this entry to apply.
        defaults: values of our text arguments that the model left out.
        finger: the direction is that of the finger, not of the content; "vertical": only for up and down.
        index: the spelling of an element's number, which may replace the point.
        ignored: arguments without meaning.
        at: for typing: the spelling of the field's place, which is tapped first.
        clears: for typing: whether the field is emptied first. A text is the spelling of the argument that
            says so; with `!` before it, its absence means yes.
        enters: for typing: whether Enter is pressed afterwards, as for `clears`.
        submits: for typing: whether a line break at the end is Enter.
        times: how often the action is repeated.
        warns: the spelling of an argument in which the model warns of its own action.
    """

    type: str
    name: str
    keys: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    finger: bool | Literal["vertical"] = False
    index: str = ""
    ignored: tuple[str, ...] = ()
    at: str = ""
    clears: bool | str = False
    enters: bool | str = False
    submits: bool = False
    times: int = 1
    warns: str = ""

    @property
    def label(self) -> str:
        """Its name in a sentence for the model."""
        fixed = [f"{key} {value.partition('|')[0]}" for key, value in self.fixed.items()]
        parts = [*fixed, *(self.keys[need].split()[0] for need in self.needs)]
        return f"{self.name} with {', '.join(parts)}" if parts else self.name

    def fits(self, given: Mapping[str, Any]) -> bool:
        """Whether the arguments are those of this entry, and not of another with the same name."""
        return all(_same(given.get(key), values) for key, values in self.fixed.items()) and all(
            self.taken(given, need)[1] not in (None, "") for need in self.needs
        )

    def taken(self, given: Mapping[str, Any], key: str) -> tuple[str, Any]:
        """The spelling and the value of one of our arguments; without it the first spelling and None."""
        spellings = self.keys[key].split()
        spelling = next((candidate for candidate in spellings if candidate in given), spellings[0])
        return spelling, given.get(spelling)

    @property
    def spellings(self) -> set[str]:
        """The family's names of all arguments that have a meaning."""
        flags = [flag.lstrip("!") for flag in (self.clears, self.enters) if isinstance(flag, str)]
        spelled = " ".join([*self.keys.values(), self.at, self.index, self.warns, *flags]).split()
        return {*spelled, *self.fixed, *self.ignored}


@dataclass(frozen=True, slots=True)
class Skipped:
    """A family's harmless action that does nothing on the phone, such as keeping a note.

    `remark` is the answer to the model. `note` is the spelling of the text to remember, if there is one.
    `fixed` as for `VocabularyEntry`.
    """

    name: str
    remark: str
    note: str = ""
    fixed: Mapping[str, str] = field(default_factory=dict)

    def fits(self, given: Mapping[str, Any]) -> bool:
        """Whether the arguments are those of this entry."""
        return all(_same(given.get(key), values) for key, values in self.fixed.items())


_PLACES = (
    "point",
    "coordinate",
    "coordinates",
    "position",
    "element",
    "start_box",
    "bbox",
    "bbox_2d",
    "box_2d",
    "box",
)
_ANY_PLACE = " ".join(_PLACES)
_ANY_TEXT = "text content value"
_COMMON_NAMES: tuple[tuple[str, str, Mapping[str, str]], ...] = (
    ("click", "click tap left_click left_single single_tap", {"point": _ANY_PLACE, "content": "content"}),
    ("long_click", "long_click long_press long_tap", {"point": _ANY_PLACE, "content": "content"}),
    ("type", "type input input_text type_text enter_text", {"text": _ANY_TEXT}),
    ("clear", "clear clear_text clear_field", {}),
    ("open_app", "open_app launch_app start_app launch", {"name": "app_name app name text"}),
    ("press_back", "press_back back go_back navigate_back key_back", {}),
    ("press_home", "press_home home go_home navigate_home key_home", {}),
    ("press_recent", "press_recent recent recent_apps navigate_recent", {}),
    ("press_enter", "press_enter enter keyboard_enter key_enter", {}),
    ("wait", "wait sleep", {}),
    ("ask_user", "ask_user", {"question": "question text content message"}),
    ("take_over", "take_over takeover", {"reason": "reason text content message"}),
)
_COMMON = tuple(
    VocabularyEntry(type_, name, keys, index="index", ignored=("time", "duration", "seconds"))
    for type_, names, keys in _COMMON_NAMES
    for name in names.split()
)
"""Names that mean the same in all families, for models that use a name of another family."""

_PLACE_KEYS = {
    "index",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "coordinate2",
    "end_box",
    "end_point",
    "start",
    "end",
}
_PAIRS = (
    ("x", "y", "point"),
    ("start_x", "start_y", "start"),
    ("x1", "y1", "start"),
    ("end_x", "end_y", "end"),
    ("x2", "y2", "end"),
    ("destination_x", "destination_y", "end"),
)
"""Pairs of arguments with the two coordinates of a place, and our name of that place."""

_HARMLESS_LIMIT = 400
_SECOND_TAP = "A double tap is done as two taps."


class Vocabulary:
    """All actions of a family, and its coordinate space.

    `refused` are actions of the family that we do not have, each with a sentence on what to do instead; they
    are skipped, and the model is told that sentence.
    """

    def __init__(
        self,
        words: Iterable[VocabularyEntry],
        space: Space,
        refused: Mapping[str, str] | None = None,
        skipped: Iterable[Skipped] = (),
    ) -> None:
        self.words = tuple(words)
        self.space = space
        refusals = [
            Skipped(name, f"{name} is not possible here. {why}") for name, why in (refused or {}).items()
        ]
        self._skipped = (*skipped, *refusals)

    @property
    def names(self) -> set[str]:
        """The family's names of all actions."""
        return {word.name for word in self.words} | {word.name for word in self._skipped}

    @property
    def keys(self) -> set[str]:
        """The family's names of all arguments."""
        notes = {word.note for word in self._skipped if word.note}
        return {key for word in self.words for key in word.spellings} | notes | {"x", "y"}

    def word(self, type_: str) -> VocabularyEntry:
        """The main entry for one of our actions."""
        return next(word for word in (*self.words, *_COMMON) if word.type == type_)

    def labels(self) -> dict[str, str]:
        """The family's names of our actions, for sentences; both ways to finish if there are two."""
        labels = {word.type: word.label for word in reversed(self.words)}
        ends = dict.fromkeys(word.label for word in self.words if word.type == "finished")
        return {**labels, "finished": " or ".join(ends)}

    def read(self, call: Call, frame: SentImage) -> ParsedReply:
        """The meaning of a call.

        Raises:
            MalformedReply: an unknown name, or arguments that are missing or of the wrong kind.
        """
        named = [word for word in self.words if _plain(word.name) == _plain(call.name)]
        skipped = [word for word in self._skipped if _plain(word.name) == _plain(call.name)]
        if not named and not skipped:
            named = [word for word in _COMMON if _plain(word.name) == _plain(call.name)]
        given = _spelled(call.arguments, {key for word in named for key in word.spellings})
        word = next((word for word in named if word.fits(given)), None)
        if word is None:
            if skip := next((word for word in skipped if word.fits(given)), None):
                note = given.get(skip.note) if skip.note else None
                notes = (without_control_characters(str(note)).strip(),) if note else ()
                return ParsedReply(notes=tuple(filter(None, notes)), remark=skip.remark)
            raise MalformedReply(self._unfit(call, named))
        if "" in given:
            given = _keyed(word, given.pop(""))
        given = self._with_place(word, given)
        _refuse_surplus(word, given)
        action = build_action(word.type, dict(self._arguments(word, given, frame)))
        warning = str(given.get(word.warns) or "") if word.warns else ""
        actions = (*self._before(word, given, frame), *[action] * word.times)
        if isinstance(action, TypeText):
            actions = self._typing(word, given, frame, action)
        return ParsedReply(
            actions,
            remark=_SECOND_TAP if word.times > 1 else "",
            warning=warning,
            implied_enter=word.enters is True and len(actions) > 1,
        )

    def write(self, action: Action, frame: SentImage) -> Call:
        """The inverse of `read`."""
        values = arguments_of(action)
        present_keys = {key for key, value in values.items() if value != ""}
        own = [word for word in self.words if word.type == action.type]
        mine = own or [word for word in _COMMON if word.type == action.type]
        fitting = (
            word for word in mine if present_keys <= word.keys.keys() and present_keys >= set(word.needs)
        )
        word = next(fitting, mine[0])
        arguments: dict[str, Any] = {key: value.partition("|")[0] for key, value in word.fixed.items()}
        for key, value in values.items():
            if key not in word.keys or (value == "" and key not in REQUIRED_TEXT.values()):
                continue
            written = word.keys[key].split()[0]
            if isinstance(value, Point):
                arguments[written] = self.space.place(value, frame)
            elif isinstance(value, Direction):
                arguments[written] = _direction(value.value, word)
            else:
                arguments[written] = value
        return Call(word.name, arguments)

    def _typing(
        self, word: VocabularyEntry, given: Mapping[str, Any], frame: SentImage, action: TypeText
    ) -> tuple[Action, ...]:
        """The actions of typing: tap on the field, clear, type, Enter, as the entry says."""
        text, enters = action.text, _flag(word.enters, given)
        if word.submits and text.rstrip(" ").endswith("\n"):
            text, enters = text.rstrip(" ").rstrip("\n"), True
        return (
            *self._before(word, given, frame),
            *([ClearText()] if _flag(word.clears, given) else []),
            *([action.model_copy(update={"text": text})] if text else []),
            *([PressEnter()] if enters else []),
        )

    def _before(
        self, word: VocabularyEntry, given: Mapping[str, Any], frame: SentImage
    ) -> tuple[Action, ...]:
        """The tap on the field, if the call says which field; else nothing."""
        if word.type not in ("type", "clear"):
            return ()
        spelling = next((key for key in word.at.split() if given.get(key) not in (None, "", [])), "")
        if spelling:
            return (Click(point=self.space.point(*parse_point(given[spelling], spelling), frame)),)
        if word.index and given.get(word.index) not in (None, ""):
            return (Click(point=_numbered(given[word.index], frame)),)
        return ()

    def _with_place(self, word: VocabularyEntry, given: dict[str, Any]) -> dict[str, Any]:
        """Arguments with x and y joined to a place in the entry's own spelling.

        Raises:
            MalformedReply: the place is given twice.
        """
        for x_key, y_key, ours in _PAIRS:
            if not (x_key in given and y_key in given) or {x_key, y_key} & word.spellings:
                continue
            x, y = given.pop(x_key), given.pop(y_key)
            if any(isinstance(number, list | dict | tuple) for number in (x, y)):
                raise MalformedReply(f"{x_key} and {y_key} are one number each.")
            if ours == "point" and "point" not in word.keys:
                ours = "start"
            spelling = (word.keys.get(ours) or word.at or ours).split()[0]
            if spelling in given:
                raise MalformedReply(f"{word.name} names two places. Give one.")
            given[spelling] = [y, x] if self.space.yx else [x, y]
        places = word.keys.get("point", word.at).split()
        if sum(given.get(key) not in (None, "", []) for key in (*places, word.index) if key) > 1:
            raise MalformedReply(f"{word.name} names two places. Give one.")
        return given

    def _unfit(self, call: Call, named: list[VocabularyEntry]) -> str:
        """Why a call fits no entry, as a sentence for the model."""
        name = call.name[:40]
        return f"{name} {_describe_needs(named)}." if named else f"There is no action {name!r}."

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


def _keyed(word: VocabularyEntry, value: Any) -> dict[str, Any]:
    """The only argument of a call without argument names, under the key that the action needs.

    Raises:
        MalformedReply: the action has no such argument.
    """
    points = point_arguments(word.type)
    key = (points[0] if len(points) == 1 and word.type != "scroll" else text_argument(word.type)) or ""
    if isinstance(value, str) and points and not any(character.isdigit() for character in value):
        key = ""
    if key not in word.keys or (not points and not isinstance(value, str)):
        raise MalformedReply("The arguments of the action cannot be read. Write them as key=value.")
    return {word.keys[key].split()[0]: value}


def _spelled(arguments: Mapping[str, Any], spellings: set[str]) -> dict[str, Any]:
    """Arguments with keys in the family's spelling; case, dashes and underscores are ignored."""
    spelling_of = {_plain(key): key for key in spellings}
    given = {key: value for key, value in arguments.items() if value is not None}
    renamed = {
        key if key in spellings else spelling_of.get(_plain(key), key): value for key, value in given.items()
    }
    if len(renamed) < len(given):
        raise MalformedReply("The action has an argument twice.")
    return renamed


def _refuse_surplus(word: VocabularyEntry, given: Mapping[str, Any]) -> None:
    """Ignore surplus arguments such as a reason; refuse those that may mean another place or action.

    Raises:
        MalformedReply: a surplus argument may have a meaning.
    """
    for key, value in given.items():
        harmless = isinstance(value, str | int | float) and len(str(value)) <= _HARMLESS_LIMIT
        if key in word.spellings or value in ("", [], {}):
            continue
        if key.casefold() in _PLACE_KEYS | set(_PLACES) or not harmless:
            raise MalformedReply(f"{word.name} has no argument {key[:40]!r}.")
        if key.casefold() in _MEANINGFUL:
            raise MalformedReply(f"{word.name} has no argument {key[:40]!r}.")


_MEANINGFUL = {
    "action",
    "action_type",
    "text",
    "direction",
    "status",
    "goal_status",
    "button",
    "app",
    "app_name",
}


def _flag(flag: bool | str, given: Mapping[str, Any]) -> bool:
    if isinstance(flag, bool):
        return flag
    value = given.get(flag.lstrip("!"))
    if isinstance(value, str):
        value = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(
            value.strip().casefold()
        )
    return flag.startswith("!") if value is None else bool(value)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


def _same(value: Any, values: str) -> bool:
    return isinstance(value, str) and _plain(value) in map(_plain, values.split("|"))


def _describe_needs(words: list[VocabularyEntry]) -> str:
    choices: dict[str, list[str]] = {}
    for word in words:
        for key, values in word.fixed.items():
            choices.setdefault(key, []).append(values.partition("|")[0])
    fixed = [f"{key}: {' or '.join(values)}" for key, values in choices.items()]
    needs = [word.keys[need].split()[0] for word in words for need in word.needs]
    return f"needs {', '.join(fixed or needs)}"


def _direction(text: str, word: VocabularyEntry) -> str:
    """The content's direction; an unknown one stays as it is, for `build` to refuse."""
    own = _CHINESE_DIRECTIONS.get(text.strip(), text.strip().casefold())
    turned = word.finger is True or (word.finger == "vertical" and own in ("up", "down"))
    return _OPPOSITE.get(own, own) if turned else own


def _text(value: Any, key: str) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return f"{value:.12g}" if isinstance(value, float) else str(value)
    if not isinstance(value, str):
        raise MalformedReply(f"{key[:40]!r} is not a text.")
    return value


def _numbered(value: Any, frame: SentImage) -> Point:
    """The centre of the listed element with a number, counted from 1."""
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    number = int(text) if text.isdecimal() and len(text) < 6 else 0
    if not 1 <= number <= len(frame.centres):
        raise MalformedReply(
            f"There is no element {text[:20]!r} in Screen_description. Give its number there."
        )
    return frame.centres[number - 1]


_INLINE_CALL = re.compile(r"\b[A-Za-z_]\w{0,40}[(（]")
_LAST_WORDS = 600
_LETTERS = re.compile(r"\W")
_SENTENCE = re.compile(r"(?:[^.!?\n。！？]|\.(?=\S))+")
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|unable to|failed to)\b|n['’]t\b)[^.;!?]{0,30}?"
    r"\b(?:done|finish(?:ed)?|completed?|carried out|accomplish(?:ed)?|achieved?|fulfil(?:led)?|succe\w+"
    r"|loaded)\b"
    r"|\b(?:incomplete|unfinished|undone)\b"
    r"|(?:尚未|还没|没有?|未能|未)[^。；]{0,6}(?:完成|做完|成功|办完|结束|加载)",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\b(?:tasks?|instructions?|requests?|goals?|commands?|work)\b|任务|指令|要求", re.IGNORECASE
)


def refuse_denied_end(dialect: Dialect, reply: ModelReply, parsed: ParsedReply) -> None:
    """Refuse the end of a task right behind a sentence that says the task is not done.

    Beside an answer only a sentence about the task counts: "the download is not finished" may be what the
    user asked to know.

    Raises:
        MalformedReply: the words and the end contradict each other.
    """
    end = parsed.main
    if not isinstance(end, Finished):
        return
    prose = reply.text if reply.calls else reply.text[: dialect.prose_end(reply.text)]
    inline = _INLINE_CALL.search(prose)
    for words in (prose[: inline.start()] if inline else prose, dialect.thought(reply)):
        sentences = [part for part in _SENTENCE.findall(words[-_LAST_WORDS:]) if _LETTERS.sub("", part)]
        last = sentences[-1] if sentences else ""
        if _DENIED.search(last) and (not end.answer or _TASK.search(last)):
            raise MalformedReply("The words before the action say that the task is not done. Go on with it.")


def sequence(parts: Iterable[ParsedReply]) -> ParsedReply:
    """What the calls of one reply mean one after the other.

    Raises:
        MalformedReply: no call at all.
    """
    parts = list(parts)
    if not parts:
        raise MalformedReply("The reply has no action on a line of its own.")
    return ParsedReply(
        tuple(action for part in parts for action in part.actions),
        tuple(note for part in parts for note in part.notes),
        " ".join(part.remark for part in parts if part.remark),
    )


class TextForm(Protocol):
    """How a family writes calls in text. `in_order`: one reply may have an action and then the end."""

    in_order: bool = False

    def read(self, reply: ModelReply) -> list[Call]:
        """The calls of a reply, in order.

        Raises:
            MalformedReply: something was meant as a call and cannot be parsed.
        """

    def write(self, call: Call) -> str:
        """The text of one call."""

    def prose_end(self, text: str, start: int = 0) -> int:
        """As `Dialect.prose_end`: by default everything before what may open a call."""
        return first_call_mark(text, start)

    def thought(self, reply: ModelReply) -> str:
        """As `Dialect.thought`; empty for families that write the thought before the call."""
        return ""

    def notes(self, reply: ModelReply) -> tuple[str, ...]:
        """What the reply asks to remember for later steps, beside its action."""
        return ()

    def past_text(self, text: str) -> str:
        """A past reply without the parts that the family does not see again."""
        return text

    def format_past_reply(self, thought: str, text: str) -> str:
        """A past reply whose thought came separately, as the family's history shows it: thought first."""
        return f"{one_line(thought, 300)}\n{text}"

    def summary(self, reply: str) -> str:
        """The summary of all past steps in a reply; empty for families without summaries."""
        return ""


_REPLY_LIMIT = 1500
"""Maximum length of a past reply that is quoted; of a longer one only the call is."""

_LAYOUT = Layout(Past.SENTENCES)


@dataclass(frozen=True, slots=True)
class TextDialect:
    """A dialect whose actions are text.

    `pattern` is looked for in a model's name, whose capitals and dots, dashes and underscores do not matter.
    `instructions` gives the fixed part of the prompt. `layout` is what the family learnt to be told.
    """

    name: str
    title: str
    pattern: str
    instructions: Callable[[SentImage], str]
    vocabulary: Vocabulary
    form: TextForm
    layout: Layout = _LAYOUT

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

    def messages(
        self, request: StepRequest, frame: SentImage, *, elements: bool = True, own: OwnPrompt | None = None
    ) -> list[ChatMessage]:
        """The rules as system message, then the task, what was done, and the screen."""
        rules = action_rules(self.vocabulary.labels(), finger=bool(self.vocabulary.word("scroll").finger))
        system = f"{self.rules(frame)}\n{rules}\n{DATA_RULE}"
        return conversation(self, system, request, frame, elements=elements, own=own)

    def place(self, point: Point, frame: SentImage) -> tuple[float, float]:
        """The point's coordinates."""
        return self.space.place(point, frame)

    def written(self, action: Action, frame: SentImage) -> str:
        """The action's text."""
        return self.write(action, frame).text

    def past_reply(self, step: PastStep, frame: SentImage) -> str:
        """What the model wrote, with the thought where it is no part of that; for others' steps the call."""
        text = self.form.past_text(step.reply)
        text = text if 0 < len(text) <= _REPLY_LIMIT else self.written(step.action, frame)
        if not step.thought or _LETTERS.sub("", step.thought) in _LETTERS.sub("", text):
            return text
        return self.form.format_past_reply(step.thought, text)

    def summary(self, reply: str) -> str:
        """What the form finds."""
        return self.form.summary(reply)

    def tools(self) -> list[Tool] | None:
        """None: actions are text."""
        return None

    def prose_end(self, text: str, start: int = 0) -> int:
        """Where the form says."""
        return self.form.prose_end(text, start)

    def thought(self, reply: ModelReply) -> str:
        """Reasoning that stands inside the action."""
        return self.form.thought(reply)

    def read(self, reply: ModelReply, frame: SentImage) -> ParsedReply:
        """Read what the calls of a reply mean together."""
        parts = [self.vocabulary.read(call, frame) for call in self.form.read(reply)]
        notes = self.form.notes(reply)
        whole = sequence(parts) if self.form.in_order else join_calls(parts)
        refuse_denied_end(self, reply, whole)
        return replace(whole, notes=(*whole.notes, *notes)) if notes else whole

    def parse(self, reply: ModelReply, frame: SentImage) -> Action:
        """The action that the reply is about."""
        return main_action(self.read(reply, frame))

    def write(self, action: Action, frame: SentImage) -> ModelReply:
        """The action's text."""
        return ModelReply(text=self.form.write(self.vocabulary.write(action, frame)))


def plain_name(model_name: str) -> str:
    """A model's name in small letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", model_name.lower())

"""The types of understanding: elements of a command, candidates for their meaning, and sources of these.

An element is a span of a command whose meaning depends on the user (PerPilot). Values from memory, screens
and people are data: they are normalized, and not used if they read like instructions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Protocol

from assistant.files import compile_words, lazy_regex, read_words
from assistant.i18n import has_chinese, joined
from assistant.memory.profile.graph import SEVERAL, PeopleGroup, spoken_word
from assistant.memory.profile.lexicon import NAME, spell_out
from assistant.memory.prototypes.model import Preference
from assistant.memory.prototypes.terms import CORRECTED_BY
from assistant.model.types import SourceTool, one_line, read_object
from assistant.records import Outcome, State


class OtherCommand(Exception):
    """At a question about a command the user typed another one, in its place: `args` are its words."""


class Category(StrEnum):
    """What kind of thing an element stands for; it decides where its meaning is looked up.

    `OPEN` is a thing that the command leaves open ("order lunch"). It can be carried out as it is, so it is
    not personalized by itself, but a strong preference may fill it. `REMARK` is a whole line that seems to
    order nothing, or that says too little without the turn before it.
    """

    PERSON = "person"
    GROUP = "group"
    PLACE = "place"
    FACT = "fact"
    HABIT = "habit"
    PAST = "past"
    TIME = "time"
    THING = "thing"
    OPEN = "open"
    REMARK = "remark"


RECURRING = (Category.HABIT, Category.PAST, Category.OPEN)
"""Categories of recurring things."""


class CommandLanguage(StrEnum):
    """The languages that the local rules understand; in others only the tagger finds elements."""

    EN = "en"
    ZH = "zh"
    OTHER = "other"


PRONOUN = "they"
"""The head of an element that is a mere pronoun for somebody."""


@dataclass(frozen=True, slots=True)
class PersonalizedElement:
    """A span of a command. `text` is `command[start:end]`; offsets count characters.

    `head` is the word that carries the meaning ("mom", "number", "song"). `owner` is the person or place in
    the span that it belongs to ("friend" in "friend's phone number"), empty for the user; of a whole line
    that goes on from the turn before, what was said in that.
    """

    start: int
    end: int
    text: str
    category: Category
    head: str
    owner: str = ""

    @property
    def named_on_phone(self) -> bool:
        """Whether the phone often has a contact under these very words, such as Mom."""
        return self.category in (Category.PERSON, Category.GROUP)

    @property
    def is_pronoun(self) -> bool:
        """Whether it is “her” or “him” of whom the command says nothing: somebody spoken to before."""
        return self.head == PRONOUN

    @property
    def is_whole_command(self) -> bool:
        """Whether the element is the command as a whole, in which no single phrase is unclear."""
        return self.category in (Category.OPEN, Category.REMARK) and not self.head


TEXT: Mapping[str, str] = {"type": "string"}
"""The JSON schema of a text."""


def object_schema(**properties: object) -> dict[str, object]:
    """The JSON schema of an object that has all of some properties, and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def is_headless(element: PersonalizedElement) -> bool:
    """Whether an element says that something is habitual but not what: “the usual”, 照旧."""
    if element.category is not Category.HABIT:
        return False
    return element.head in ("usual", "always", "before") or element.head == element.text


@dataclass(frozen=True, slots=True)
class Perceived:
    """A command with its language and its elements in the order of the text.

    An element that occurs twice is listed twice; `distinct` has each once.
    """

    command: str
    language: CommandLanguage
    elements: tuple[PersonalizedElement, ...]

    def only(self, texts: Iterable[str]) -> Perceived:
        """A copy with the elements alone that are among some texts."""
        keys = set(map(normalize_key, texts))
        kept = tuple(element for element in self.elements if normalize_key(element.text) in keys)
        return replace(self, elements=kept)

    @property
    def distinct(self) -> tuple[PersonalizedElement, ...]:
        """The elements without repeats, by their keys."""
        elements_by_key: dict[str, PersonalizedElement] = {}
        for element in self.elements:
            elements_by_key.setdefault(normalize_key(element.text), element)
        return tuple(elements_by_key.values())


_DROPPED = frozenset(("a", "an", "the", "my", "our", "your", "his", "her", "its", "their"))
_DROPPED_ZH = re.compile(r"^(?:我们的?|咱们?的?|我的?)(?=.)")
_WORD = re.compile(r"[\w\u3400-\u9fff]+(?:-\w+)*(?:'s|’s)?")


def normalize_key(text: str) -> str:
    """A form for comparing elements: case, articles, possessive pronouns and number are ignored."""
    words = [word.replace("’", "'") for word in _WORD.findall(text.casefold())]
    content_words = [singular(word) for word in words if word not in _DROPPED]
    return _DROPPED_ZH.sub("", " ".join(content_words or words))


def deed_key(value: str) -> str:
    """What a value and other wordings of the same deed have in common: 打个电话 is 打电话."""
    call = _SAME_CALL.fullmatch(value.strip(" ."))
    return normalize_key(f"call {call['who'] or call['whom']}" if call else _COUNTED_DEED.sub("", value))


_COUNTED_DEED = re.compile(r"(?<=[打发])(?:了?一?[个条通]|一下)(?=电话|视频|语音|消息|短信|微信|信息)")
_SAME_CALL = re.compile(
    r"(?:phone|ring|dial|call up|make a (?:phone )?call to) (?P<who>[\w ]+)"
    r"|give (?P<whom>[\w ]+?) a (?:phone )?(?:call|ring)",
    re.IGNORECASE,
)


def singular(word: str) -> str:
    """The singular of an English noun in lower case, by its ending; a possessive 's stays."""
    stem, tail = (word[:-2], "'s") if word.endswith("'s") else (word, "")
    if stem in _IRREGULAR:
        return _IRREGULAR[stem] + tail
    if stem.endswith("ies") and len(stem) > 4:
        return stem[:-3] + "y" + tail
    if stem.endswith(("sses", "shes", "ches", "xes")):
        return stem[:-2] + tail
    if len(stem) > 3 and stem.endswith("s") and not stem.endswith(("ss", "us", "is")):
        return stem[:-1] + tail
    return stem + tail


_IRREGULAR = {
    "children": "child",
    "people": "person",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    **{f"{stem}ves": f"{stem}fe" for stem in ("wi", "kni", "midwi", "housewi")},
    **{f"{stem}ves": f"{stem}f" for stem in ("hal", "shel", "loa", "scar", "wol", "thie")},
    **{f"{stem}ies": f"{stem}ie" for stem in ("mov", "cook", "self", "smooth", "brown", "calor")},
    **{f"{stem}es": stem for stem in ("bus", "bonus", "virus", "campus", "gas", "lens", "potato", "tomato")},
}
"""What its ending does not tell. “Leaves” and “lives” are verbs in most lines: “when the train leaves”."""


class MeaningOrigin(StrEnum):
    """The source of a value, as `assistant resolve --json` prints it.

    `MCP` is an MCP server, `TURN` what the user had done just before.
    """

    PROFILE = "profile"
    PREFERENCE = "preference"
    EXPLORATION = "exploration"
    MCP = "mcp"
    TURN = "turn"
    USER = "user"


@dataclass(frozen=True, slots=True)
class MeaningCandidate:
    """A candidate value for an element.

    `confidence` is 0..1, `evidence` are record ids, newest first, `why` is a short reason for the user. A
    value from a preference has the whole preference, whose centre actions are a reference for the turn; one
    from the profile has its `key`, for example "name" or "address", and the entity that it is `about`;
    `is_disputed` if only the user can decide between it and others.
    """

    value: str
    origin: MeaningOrigin
    confidence: float
    evidence: tuple[str, ...] = ()
    why: str = ""
    preference: Preference | None = None
    key: str = ""
    about: str = ""
    is_disputed: bool = False

    @property
    def is_habit_alone(self) -> bool:
        """Whether it is a habit's instruction with nothing of the command beside it."""
        return self.preference is not None and self.value == normalize_value(
            self.preference.prototype.instruction
        )


@dataclass(frozen=True, slots=True)
class EvidenceFact:
    """A value in the profile: `about` is the entity, `key` for example "phone" or "address".

    `confidence` is 0..1, `evidence` are record ids, newest first, `why` is a short reason for the user.
    `rivals` are values that may hold instead, if only the user can decide. `is_implied` if it is a wish of
    single requests, and the user never said that it holds beyond them.
    """

    about: str
    key: str
    value: str
    confidence: float
    evidence: tuple[str, ...] = ()
    why: str = ""
    rivals: tuple[str, ...] = ()
    is_implied: bool = False


def join_people(about: str, facts: Mapping[str, EvidenceFact], group: PeopleGroup) -> EvidenceFact | None:
    """One fact for several people; None where fewer than two are known, or one of them may be another.

    It is surer than a question only where as many are known as they certainly are. One of two is not even
    offered: an answer is remembered, and would leave the other out from then on.

    Args:
        about: the words that name them together.
        facts: the facts of those who are known, by their relation to the user.
        group: who they are.
    """
    named = {role: fact for role, fact in facts.items() if fact.key == NAME}
    if any(fact.rivals and role not in SEVERAL for role, fact in named.items()):
        return None
    rows = ((fact.value, *fact.rivals) for fact in named.values())
    names = list(dict.fromkeys(name for row in rows for name in row))
    if len(names) < 2 or group.count not in (0, len(names)):
        return None
    sure = min(fact.confidence for fact in named.values()) if group.count else 0.0
    between, before_last = ("、", "和") if has_chinese(about) else (", ", " and ")
    value = f"{between.join(names[:-1])}{before_last}{names[-1]}"
    evidence = tuple(dict.fromkeys(each for fact in named.values() for each in fact.evidence))
    return EvidenceFact(about, NAME, value, sure, evidence, joined(map(spoken_word, named)))


@dataclass(frozen=True, slots=True)
class Contact:
    """Somebody, or a group, whom the user's records address: by `name`, `count` times, as `newest` says last.

    `evidence` are record ids, newest first.
    """

    name: str
    count: int
    newest: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A turn of this conversation that ended lately, from which a line may go on.

    `instruction` is what was carried out for what the user `said`; `ended` at that time. `has_deed` tells
    whether something was paid, sent, deleted or the like in it; None where that is not known. `answer` is
    what the user was told at its end, in which words of the phone may stand: nothing is taken from it.
    `scheduled` are the times to which it was put off, as they are now; empty where they are not known.
    """

    id: str
    said: str
    instruction: str
    outcome: Outcome | None
    ended: datetime
    has_deed: bool | None = None
    answer: str = ""
    scheduled: str = ""


OpenTurns = Callable[[], Sequence[EarlierTurn]]
"""Returns the turns before a command, the newest first."""


class ProfileSource(Protocol):
    """The user's profile, as far as understanding needs it."""

    def alias(self, words: str) -> EvidenceFact | None:
        """The fact that the user's words stand for, by name, alias or key."""

    def facts_for(self, task: str, budget: int) -> Sequence[EvidenceFact]:
        """The facts that are relevant to a task, within a budget of tokens."""

    def contacts_in(self, instruction: str) -> Sequence[str]:
        """The contacts of the user's records whom an instruction names."""

    def contacts(self, most: int) -> Sequence[Contact]:
        """The contacts whom the user's records address most often."""


@dataclass(frozen=True, slots=True)
class Habit:
    """A prototype as the meaning of a whole command.

    `confidence` is its share of all answers, 0..1. `ways` are the ways in which it was done, each with its
    own instruction and records, the likeliest now first; their confidences sum up to `confidence`. `texts`
    are the instructions of all its records.
    """

    preference: Preference
    confidence: float
    ways: tuple[Preference, ...]
    texts: tuple[str, ...]


class PreferenceSource(Protocol):
    """The user's stable prototypes."""

    def habits(self, command: str, state: State, at_least: float) -> Sequence[Habit]:
        """The habits that a whole command may mean with at least some confidence, surest first."""

    def past_ways(self, command: str, state: State, most: int) -> Sequence[Preference]:
        """What the user did before that is most like a command, or likeliest now; also what was done once.

        Of what was done on the days that it names the command may mean any.
        """


Alike = Callable[[str, Sequence[str]], Sequence[float]]
"""Returns the cosines of a word and some texts, -1..1; nothing if they cannot be computed."""


def likeness(word: str, texts: Collection[str], similarity: Alike | None) -> float:
    """The cosine of a word and the nearest of some texts; 0 where nothing compares them."""
    return max(similarity(word, sorted(texts)), default=0.0) if similarity is not None and texts else 0.0


LearntKinds = Callable[[Sequence[str]], Mapping[str, Mapping[str, float]]]
"""Returns the kinds of the apps with some labels, with confidence 0..1; unknown apps are left out."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of the user's memory; None for a source that is not available.

    Attributes:
        similarity: compares the meaning of a word and texts.
        app_kinds: finds the kinds of apps whose labels do not name it.
        apps: the labels of the apps that the user's records name.
        said: what the user said for records, by id, where that was not the instruction.
        done: the instructions of records, by id.
    """

    profile: ProfileSource | None = None
    preferences: PreferenceSource | None = None
    similarity: Alike | None = None
    app_kinds: LearntKinds | None = None
    apps: tuple[str, ...] = ()
    said: Callable[[Sequence[str]], Mapping[str, str]] = lambda record_ids: {}
    done: Callable[[Sequence[str]], Mapping[str, str]] = lambda record_ids: {}


OpenSources = Callable[[], Sources]
"""Returns the memory, opened on first use: an explicit command never waits for the embedder."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """The habit that a command means, or candidates, likeliest first.

    `asks` if one of the candidates is likely enough to ask which is meant.
    """

    chosen: MeaningCandidate | None
    candidates: tuple[MeaningCandidate, ...] = field(default=())
    asks: bool = False


class Objection(StrEnum):
    """Why a value must not be filled in."""

    NEGATED = "the command excludes it"
    DISLIKED = "it is named as something disliked"
    KIND = "it is of another kind"
    DAY = "it belongs to another day"
    OPPOSITE = "it is the opposite deed"
    OWNER = "it belongs to somebody else"
    CHANGED = "the command changes it"
    APP = "it is done in another app"
    LOST = "words of the command would be lost"
    UNSAYABLE = "no sentence comes out"
    MENTIONED = "words of the command are only mentioned, as in a message"
    NUMBER = "the command says another number"
    NAME = "the command names somebody or something else"
    DIFFERENT_WAYS = "it was done in different ways"
    STOPPED = "it seems given up"
    INVENTED = "neither the user nor the memory says it"
    UNSAID = "an amount or a name was said by nobody"
    OTHER_TURN = "it goes on from another turn than the last"
    REPEATED = "it was done already"

    @property
    def may_be_offered(self) -> bool:
        """Whether the user may choose all the same what a model read: it is seen before it is done."""
        return self not in _NEVER_OFFERED

    @property
    def is_mild(self) -> bool:
        """Whether what a model read is still likely: these object to many that are right."""
        return self in (Objection.LOST, Objection.INVENTED, Objection.OTHER_TURN)


_NEVER_OFFERED = (
    *(Objection.NEGATED, Objection.DISLIKED, Objection.OPPOSITE, Objection.OWNER),
    *(Objection.UNSAYABLE, Objection.STOPPED, Objection.UNSAID),
)
"""What is wrong in a way that is easily overlooked in a list of choices, or is no order at all."""


MAX_VALUE_LENGTH = 120
"""Maximum number of characters of a value in an instruction."""

MAX_INSTRUCTION_LENGTH = 300
"""Maximum number of characters of a recorded instruction that is given again."""

_INJECTION = lazy_regex(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|prompt|rule|above|previous|everything|all)"
    r"|\b(?:system|assistant|user)\s*:|\bsystem prompt\b|\byou (?:must|are now|should now)\b"
    r"|\bnew (?:task|instructions?)\b"
    r"|\binstead of\b.{0,40}\b(?:send|pay|transfer|delete)|\b(?:approve|confirm) (?:all|every|the) "
    r"|</?\w+>|```|忽略.{0,10}(?:指令|指示|规则|以上|之前|要求)|无视.{0,10}(?:指令|规则|要求)|系统提示|提示词|你(?:必须|现在是)|新的?(?:任务|指令)",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?:\w{4,}\.|[!?;])\s+\S+\s+\S|[。！？；]\s*\S")


def normalize_value(text: str) -> str:
    """A value on one line without control characters."""
    return one_line(text).strip(" \"'“”‘’")


def is_usable_value(value: str) -> bool:
    """Whether a value may be put into an instruction: a name, thing or place, not a text with instructions.

    Other values are still shown to the user, who can choose them.
    """
    if not value or len(value) > MAX_VALUE_LENGTH:
        return False
    return not is_prompt_injection(value) and not _SENTENCES.search(value)


def is_usable_instruction(text: str) -> bool:
    """Whether the instruction of a record may be given again: one line that addresses nobody else.

    What was corrected before it began is no instruction: its words and the correction contradict each other.
    """
    is_line = 0 < len(text) <= MAX_INSTRUCTION_LENGTH and "\n" not in text
    return is_line and CORRECTED_BY not in text and not is_prompt_injection(text)


def is_prompt_injection(text: str) -> bool:
    """Whether a text from memory or phone addresses the assistant with instructions."""
    return bool(_INJECTION.search(text))


MAX_LOOKUP_STEPS = 6
"""The most steps of a lookup: enough to open an app, search and read; an unbound one took 47,000 tokens."""
MAX_LOOKUP_SECONDS = 90.0


@dataclass(frozen=True, slots=True)
class LookupTask:
    """A read-only lookup in one app: `task` is the instruction for the turn, `element` what it looks for."""

    element: PersonalizedElement
    app: str
    task: str
    max_steps: int = MAX_LOOKUP_STEPS
    max_seconds: float = MAX_LOOKUP_SECONDS


@dataclass(frozen=True, slots=True)
class LookupResult:
    """The result of a lookup: the value, and where on the phone it was read."""

    value: str
    place: str


@dataclass(frozen=True, slots=True)
class SourceCall:
    """A tool of another source with the arguments to call it with."""

    tool: SourceTool
    arguments: Mapping[str, object]

    def format_arguments(self) -> str:
        """The arguments on one line, as the user sees them."""
        return one_line(json.dumps(self.arguments, ensure_ascii=False), 200)


class LookupRunner(Protocol):
    """Runs a lookup."""

    async def __call__(self, lookup: LookupTask, /) -> str:
        """The answer of the model; empty if the lookup failed or was refused."""


class OtherSources(Protocol):
    """The tools of other sources, such as a calendar, that the user lets the assistant read."""

    async def tools(self) -> tuple[Sequence[SourceTool], Mapping[str, str]]:
        """The tools, and for each source that failed just now why."""

    async def call(self, call: SourceCall, element: str) -> str:
        """The answer of a tool; empty if the user does not allow it.

        Raises:
            SourceError: the source fails.
        """


_LINE_WORD = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    files = (read_words("assistant.understand", f"languages/{code}.yaml") for code in ("en", "zh"))
    return compile_words(words for each in files if (words := each["wordings"].get(name)))


def mask_lookalikes(text: str) -> str:
    """A text of the same length without words that only have a character of negation: 告别, 未来."""
    return _pattern("no_negation").sub(lambda match: "_" * len(match[0]), text)


def negations_of(text: str) -> int:
    """How many words of a text deny something."""
    return len(_pattern("denials").findall(mask_lookalikes(spell_out(text).casefold())))


def words_of(text: str) -> list[str]:
    """The words of a text, of Chinese its characters, without apostrophes."""
    return _LINE_WORD.findall(re.sub(r"['’]", "", spell_out(text).casefold()))


class ReadingModel(Protocol):
    """A model that is asked once what the memory is not sure of."""

    async def __call__(self, system: str, user: str, schema: dict[str, object] | None = None, /) -> str:
        """The model's answer to a prompt.

        Raises:
            ModelError: the model cannot be asked, or does not answer.
        """


class ReadingDecision(StrEnum):
    """What a model makes of a command."""

    FILL = "fill"
    AS_SAID = "as_said"
    NO_ORDER = "no_order"
    ASK = "ask"


_MAX_TOOLS, _MAX_ARGUMENTS, _MAX_ANSWER = 40, 2_000, 6_000


def make_source_question(
    command: str, element: PersonalizedElement, tools: Sequence[SourceTool], state: State
) -> str:
    """What a model is told to choose a tool for an element: the command and the numbered tools."""
    listed = [
        {
            "number": number,
            "source": one_line(tool.server, 40),
            "name": one_line(tool.name, 80),
            "what it does": one_line(tool.description, 300),
            "arguments": one_line(json.dumps(tool.parameters.get("properties", {}), ensure_ascii=False), 600),
        }
        for number, tool in enumerate(tools[:_MAX_TOOLS], 1)
    ]
    return _source_content(command, element, state, {"tools": listed})


def parse_source_call(answer: str, tools: Sequence[SourceTool]) -> SourceCall | None:
    """The call of a model's answer; None for no tool, or for arguments that the tool does not take."""
    content = read_object(answer)
    number, arguments = content.get("tool"), content.get("arguments")
    if isinstance(arguments, str):
        arguments = read_object(arguments) if len(arguments) <= _MAX_ARGUMENTS else None
    if type(number) is not int or not 1 <= number <= min(len(tools), _MAX_TOOLS):
        return None
    tool = tools[number - 1]
    properties, required = tool.parameters.get("properties", {}), tool.parameters.get("required", [])
    if not isinstance(arguments, dict) or not set(required) <= set(arguments) <= set(properties):
        return None
    return SourceCall(tool, arguments)


def make_source_value_question(command: str, element: PersonalizedElement, answer: str, state: State) -> str:
    """What a model is told to read an element's value in the answer of another source."""
    return _source_content(command, element, state, {"answer": one_line(answer, _MAX_ANSWER)})


def parse_source_value(reply: str, element: PersonalizedElement, answer: str) -> str:
    """The value that a model read in an answer; empty if it does not stand there, or cannot be used."""
    value = read_object(reply).get("value")
    value = normalize_value(value) if isinstance(value, str) else ""
    if not value or one_line(value).casefold() not in one_line(answer, _MAX_ANSWER).casefold():
        return ""
    repeats_element = normalize_key(value) == normalize_key(element.text)
    return value if is_usable_value(value) and not repeats_element else ""


def _source_content(
    command: str, element: PersonalizedElement, state: State, details: Mapping[str, object]
) -> str:
    content = {
        "command": one_line(command, 500),
        "words": one_line(element.text, 200),
        "kind": element.category.value,
        "now": f"{state.time:%A %Y-%m-%d %H:%M}",
        **details,
    }
    return json.dumps(content, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user, with answers to choose from, if there are any, and why each is offered."""

    element: PersonalizedElement
    text: str
    choices: tuple[str, ...]
    reasons: tuple[str, ...] = ()


def is_named_on_phone(question: Question, absent_on_phone: Collection[str]) -> bool:
    """Whether the phone may list somebody under the user's own word, “Mom”; no lookup found otherwise."""
    is_listed = question.element.named_on_phone and question.element.text not in absent_on_phone
    return is_listed and not question.choices


class AnswerReading(StrEnum):
    """An answer to “who is X?” names X, says that it does not matter, or orders something else."""

    VALUE = "value"
    DISMISSAL = "as_said"
    ORDER = "order"
    DOUBT = "unclear"


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What an answer is, what stands in it as a value or an order, and whether it repeats what is asked."""

    reading: AnswerReading
    words: str = ""
    names_it: bool = False

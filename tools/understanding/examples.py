"""The labelled commands that the tagger learns from: filled templates, and real explicit commands.

A template is a command with slots. An `own` value of a slot ("my sister") is marked, a `plain` one
("Susan Lin") is not, so the tagger sees the same sentence with and without something that depends on the
user. Sentences by several hands, in `sentences/`, each with its label, are what no template says. The corpora
give commands that mean the same for everybody; those with words such as "my sister" are left out, because
nobody has labelled them. The invented people in `people/` ask for their habits in a few words, which leave
open what they want, and give full instructions in the same voice.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from assistant.memory.profile.graph import PEOPLE, ROLES, ROLES_ZH
from assistant.understand.perceive import perceive
from tools.understanding.people import WrittenPerson

_ROLES_EN = (*ROLES, *(word for group in PEOPLE for word in group if word.isascii()))
_ROLES_ZH = (
    *(word for word in ROLES_ZH if len(word) > 1),
    *(
        word
        for group in PEOPLE
        for word in group
        if len(word) > 1 and not word.isascii() and not word.startswith("我")
    ),
)
_ROLE_SHARE = 0.5
_NAME_SHARE = 0.4
_JOINED_SHARE = 0.3
_JOINTS = (" and then ", ", then ", " and ", ", and ", ". Then ")
_JOINTS_ZH = ("，然后", "，再", "，", "，接着", "，并")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_SLOT = re.compile(r"\{(\w+)\}")
_MARKED = re.compile(r"\[([^\]|]+)\|(\w+)\]")
_LONGEST_PART = 90
_CLOSED = ("question", "cancel", "negated")
_TEMPLATES = Path(__file__).with_name("templates")
_SENTENCES = Path(__file__).with_name("sentences")
_NAMES: Mapping[str, Mapping[str, Sequence[str]]] = yaml.safe_load(
    Path(__file__).with_name("names.yaml").read_text("utf-8")
)

_DEVICE = (
    r"calendar|lists?|alarms?|shopping|grocery|groceries|to do|todo|e?mails?|inbox|"
    r"contacts?|reminders?|phone|cell\w*|"
    r"meetings?|appointments?|notifications?|messages?|texts?|facebook|twitter|tweets?|playlists?|music|location|"
    r"schedule|events?|volume|speakers?|account|accounts|balance|bank|card|cards|credit|checking|savings|"
    r"visa|bill|bills|"
    r"pin|password|order|package|reservation|flight|luggage|insurance|oil|tires?|car|gas|vacation|income|paycheck|taxes|"
    r"rewards|points|limit|score|next|upcoming|current|day|transactions?|401k|routing|application|w2|spending|name|timer"
)
_OWN_EN = re.compile(rf"\b(?:my|our|mine)\b(?!\s+(?:{_DEVICE})\b)", re.IGNORECASE)
_PERSONAL_EN = re.compile(
    r"\b(?:mom|mum|mother|dad|daddy|father|brother|sister|wife|husband|boss|girlfriend|boyfriend|grandma|"
    r"grandpa|uncle|aunt|"
    r"cousin|friends?|family|home|house|work|office|usual(?:ly)?|always|favou?rites?|again|last|same|"
    r"yesterday|like|prefer|"
    r"regular|the gym|school|coworker|colleague|neighbou?r|parents?|kids?|landlord|dentist|"
    r"doctor|i'm|someone|it|that|there)\b",
    re.IGNORECASE,
)
_PERSONAL_ZH = re.compile(
    "妈|爸|哥|姐|弟|妹|爷|奶|叔|姨|舅|姑|老婆|老公|妻|丈夫|女友|男友|朋友|家|公司|学校|单位|老板|同事|平时|常|喜欢|最爱|上次|昨天|之前|"
    "一样|照旧|再|我的(?!手机|日历|日程|闹钟|邮|购物|列表|清单|联系|提醒|消息|短信|位置|账)|医生|老师|邻居|房东|那|它"
)


@dataclass(frozen=True, slots=True)
class Example:
    """A command with its marked words as (start, end, kind); `needs` is whether it depends on the user.

    `leaves_open` is whether it asks for a kind of thing and says nothing of which. Either is None if nobody
    has judged that.
    """

    text: str
    spans: tuple[tuple[int, int, str], ...]
    needs: bool | None
    leaves_open: bool | None
    source: str


def template_examples(copies: int, random: Random) -> list[Example]:
    """All templates, filled about `copies` times, a part with slips of the finger and without capitals."""
    parts = (("frames", copies, False), ("own", copies // 2, False), ("open", copies // 2, True))
    examples = []
    for language in _languages():
        singles = [
            _fill(template, language["slots"], random, leaves_open=leaves_open)
            for part, times, leaves_open in (*parts, ("plain", copies // 4, False))
            for template in language.get(part, ())
            for _ in range(max(2, times))
        ]
        examples += singles + _joined(singles, random)
    return examples


def sentence_examples(copies: int, random: Random) -> list[Example]:
    """The sentences by several hands, each with slips and cases as people type, `copies` times.

    A line is a label, a tab and a command: `memory` depends on the user and has marks, `open` leaves open
    what is wanted, `plain` means the same for everybody.
    """
    examples = []
    for file in sorted(_SENTENCES.glob("*.tsv")):
        for line in file.read_text("utf-8").splitlines():
            label, _, sentence = line.partition("\t")
            examples += [_sentence(label, sentence, random, plain=copy == 0) for copy in range(copies)]
    return examples


def _sentence(label: str, sentence: str, random: Random, *, plain: bool) -> Example:
    text, spans, position = "", [], 0
    for match in _MARKED.finditer(sentence):
        text += sentence[position : match.start()]
        spans.append((len(text), len(text) + len(match[1]), match[2]))
        text += match[1]
        position = match.end()
    text += sentence[position:]
    if not plain:
        text, spans = _vary(text, spans, random)
    return Example(text, tuple(spans), label == "memory", label == "open", "sentences")


def _joined(examples: Sequence[Example], random: Random) -> list[Example]:
    """Pairs of commands of one language in one, as people give several at once.

    A long command with one personal word in it is what a short template never shows.
    """
    shuffled = [example for example in examples if len(example.text) < _LONGEST_PART]
    random.shuffle(shuffled)
    joined = []
    for first, second in zip(shuffled[::2], shuffled[1::2], strict=False):
        if random.random() > _JOINED_SHARE:
            continue
        joints = _JOINTS if _HAN.search(first.text) is None else _JOINTS_ZH
        start = first.text.rstrip(".。") + random.choice(joints)
        moved = ((begin + len(start), end + len(start), kind) for begin, end, kind in second.spans)
        needs = bool(first.needs or second.needs)
        joined.append(Example(start + second.text, (*first.spans, *moved), needs, None, "template"))
    return joined


@lru_cache(maxsize=1)
def _languages() -> tuple[Mapping[str, Any], ...]:
    parts: list[Mapping[str, Any]] = []
    for file in sorted(_TEMPLATES.glob("*.yaml")):
        content = yaml.safe_load(file.read_text("utf-8"))
        parts += [content] if "slots" in content else list(content.values())
    return tuple(parts)


def _fill(frame: str, slots: Mapping[str, Any], random: Random, *, leaves_open: bool) -> Example:
    text, spans, position = "", [], 0
    for match in re.finditer(rf"{_SLOT.pattern}|{_MARKED.pattern}", frame):
        text += frame[position : match.start()]
        position = match.end()
        if match[2]:
            spans.append((len(text), len(text) + len(match[2]), match[3]))
            text += match[2]
            continue
        slot = slots[match[1]]
        own = slot.get("own", ())
        is_own = bool(own) and random.random() < 0.5
        value = str(random.choice(own if is_own else slot["plain"]))
        if is_own and match[1] == "person" and random.random() < _ROLE_SHARE:
            value = _role(value, random)
        if not is_own and match[1] == "person" and random.random() < _NAME_SHARE:
            value = _name(value, random)
        if is_own:
            spans.append((len(text), len(text) + len(value), slot.get("kind", match[1])))
        text += value
    text += frame[position:]
    text, spans = _vary(text, spans, random)
    return Example(text, tuple(spans), bool(spans), leaves_open, "template")


def _role(value: str, random: Random) -> str:
    """A person by another role of the profile's lexicon, in place of one of the template's language."""
    if value.isascii() and value.split()[0].casefold() in ("my", "our", "the"):
        return f"{random.choice(('my ', 'my ', 'our ', 'the ', ''))}{random.choice(_ROLES_EN)}"
    if _HAN.fullmatch(value):
        return f"{random.choice(('我', '我', '我的', '我们', ''))}{random.choice(_ROLES_ZH)}"
    return value


def _name(value: str, random: Random) -> str:
    """Somebody by another name: a role with a name beside it, or with a surname, says who is meant."""
    if _HAN.fullmatch(value):
        names = _NAMES["zh"]
        surname = random.choice(names["surnames"])
        if random.random() < _ROLE_SHARE:
            return f"{surname}{random.choice(names['titles'])}"
        return surname + "".join(random.sample(names["given"], random.choice((1, 2))))
    if value.isascii() and value[:1].isupper():
        first, last, title = (random.choice(_NAMES["en"][part]) for part in ("first", "last", "titles"))
        return random.choice((first, f"{first} {last}", f"{title} {last}", f"{title} {first}"))
    return value


def _vary(
    text: str, spans: list[tuple[int, int, str]], random: Random
) -> tuple[str, list[tuple[int, int, str]]]:
    """The text as somebody types it: first letter large, all small, a full stop, or one slip."""
    chance = random.random()
    if text.isascii() and chance < 0.4:
        text = text[:1].upper() + text[1:]
    elif chance < 0.55:
        text = text.lower()
    if random.random() < 0.25:
        text += "." if text.isascii() else "。"
    if text.isascii() and len(text) > 12 and random.random() < 0.08:
        place = random.randrange(1, len(text) - 2)
        if text[place : place + 2].isalpha():
            text = text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    return text, spans


def explicit_examples(folder: Path, *, held_out: bool) -> list[Example]:
    """Real commands of MASSIVE, CLINC150 and the app tasks that mean the same for everybody.

    Args:
        folder: holds the corpora.
        held_out: those for measuring in place of those for training; with words such as "my sister" left in.
    """
    texts: list[tuple[str, str]] = []
    with gzip.open(folder / "massive-en-zh.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            _, part, _, _, english, chinese = line.rstrip("\n").split("\t")[:6]
            if (part == "test") == held_out:
                texts += [("massive-en", english), ("massive-zh", chinese)]
    with gzip.open(folder / "clinc150.json.gz", "rt", encoding="utf-8") as stream:
        clinc = json.load(stream)
    parts = ("test", "oos_test") if held_out else ("train", "oos_train")
    texts += [("clinc", text) for part in parts for text, _ in clinc[part]]
    for number, line in enumerate((folder / "app-tasks.jsonl").read_text("utf-8").splitlines()):
        if (number % 3 == 0) == held_out:
            texts.append(("app-tasks", str(json.loads(line).get("instruction", ""))))
    return [
        Example(text, (), needs=False, leaves_open=None, source=source)
        for source, text in texts
        if text and (held_out or not _looks_personal(text, tasks=source == "app-tasks"))
    ]


def people_examples(people: Iterable[WrittenPerson]) -> list[Example]:
    """What people say who want one of their habits, or something else in full; nobody has marked words in it.

    Questions, and commands that negate or cancel something, leave no habit open either; of the others that
    tempt nobody has judged what they leave open.
    """
    examples = []
    for person in people:
        vague = [ask.said for habit in person.habits for ask in habit.asks]
        vague += [command.said for command in person.unclear]
        full = [text for habit in person.habits for text in habit.wordings] + list(person.one_offs)
        full += [command.said for command in person.others if command.why == "explicit"]
        closed = [command.said for command in person.others if command.why in _CLOSED]
        examples += [Example(text, (), None, True, "people") for text in vague]
        examples += [Example(text, (), _may_need(text), False, "people") for text in full]
        examples += [Example(text, (), None, False, "people") for text in closed]
    return examples


def _may_need(text: str) -> bool | None:
    """None where an instruction has words such as “home” or “Mum”, so that it may depend on the user."""
    return None if _looks_personal(text) or perceive(text).elements else False


def _looks_personal(text: str, *, tasks: bool = False) -> bool:
    if not text.isascii():
        return bool(_PERSONAL_ZH.search(text))
    return bool(_OWN_EN.search(text) or (not tasks and _PERSONAL_EN.search(text)))


def draw(examples: Sequence[Example], limits: Mapping[str, int], random: Random) -> Iterator[Example]:
    """At most so many examples of each source."""
    for source in dict.fromkeys(example.source for example in examples):
        of_source = [example for example in examples if example.source == source]
        yield from random.sample(of_source, min(len(of_source), limits.get(source, len(of_source))))

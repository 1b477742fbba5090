"""The people of the profile benchmark: what they prefer, what they have asked for, what they ask vaguely.

After MobiMem's appendix A: five categories and some facts of life, more than thirty dimensions, five hundred
instructions in which preferences are only implied, thirty vague tasks with the facts that each needs. Some
preferences change on the way, some instructions are for other people or for this once, and most say something
about one thing only. Everything follows
from the seed. The phrases are in `profile_phrases.yaml`; people made for development never say the last of
each list.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache
from random import Random
from typing import Any

from assistant.bench.corpora import read_yaml
from assistant.records import Outcome, Record
from assistant.simulator.chance import Chance

_LANGUAGES = ("en", "zh")
_CATEGORIES = ("shopping", "hotel", "travel", "food", "fun")
_SHARES = (30, 10, 18, 27, 15)
_FACTS = "facts"
_FIRST = datetime(2026, 1, 5, 8, tzinfo=timezone(timedelta(hours=8)))
_DAYS = 180
_CHANGING = 0.2
_SPECIFIC = 0.6
_CORE = re.compile(r"\[([^\]]+)\]")


@dataclass(frozen=True, slots=True)
class Need:
    """A fact that a task needs. `tells` and `outdated` are patterns of the ways to say it, now and before.

    Where `cues` are given, one of them has to stand in the same line.
    """

    dimension: str
    value: str
    tells: tuple[re.Pattern[str], ...]
    outdated: tuple[re.Pattern[str], ...] = ()
    cues: tuple[str, ...] = ()

    def is_told_by(self, text: str) -> bool:
        """Whether the text gives the value that holds now."""
        return _is_told(self.tells, self.cues, text)

    def is_settled_by(self, text: str) -> bool:
        """Whether the text gives the value that holds now and not the one that held before."""
        return self.is_told_by(text) and not _is_told(self.outdated, self.cues, text)


@dataclass(frozen=True, slots=True)
class VagueTask:
    """What a person asks without saying how, and what one has to know of them."""

    text: str
    needs: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """One person of the benchmark: their past instructions, oldest first, and their vague tasks."""

    seed: int
    language: str
    records: tuple[Record, ...]
    tasks: tuple[VagueTask, ...]


@dataclass(frozen=True, slots=True)
class _Habit:
    """One dimension of one person: its value, and the one before if it changed at instruction `change`."""

    value: str
    before: str
    change: int
    announced: bool
    weight: float

    def at(self, number: int) -> str:
        return self.before if self.before and number < self.change else self.value


def make_person(seed: int, development: bool = False, instructions: int = 500) -> Person:
    """The person of a seed. In development the last phrase of every list is kept back."""
    speaker = _Speaker(Chance(seed), _phrases(), development)
    return speaker.person(seed, instructions)


@cache
def _phrases() -> dict[str, Any]:
    return dict(read_yaml("profile_phrases.yaml"))


class _Speaker:
    def __init__(self, chance: Random, phrases: Mapping[str, Any], development: bool) -> None:
        self._chance = chance
        self._phrases = phrases
        self._development = development
        self._dimensions = [name for name in phrases if "." in name]
        self._dimensions += [f"{category}.app" for category in _CATEGORIES]

    def person(self, seed: int, count: int) -> Person:
        language = _LANGUAGES[seed % 2]
        other = _LANGUAGES[1 - seed % 2]
        mixing = 0.12 if self._chance.random() < 1 / 3 else 0.0
        habits = {name: self._habit(name, count) for name in self._dimensions}
        chosen = [self._chosen(habits) for _ in range(count)]
        self._make_sure(habits, chosen)
        times = sorted(self._chance.sample(range(_DAYS * 14 * 60), count))
        records = []
        for number, (category, dimensions) in enumerate(chosen):
            spoken = other if self._chance.random() < mixing else language
            text = self._instruction(category, dimensions, habits, number, spoken)
            day, minute = divmod(times[number], 14 * 60)
            records.append(
                Record(
                    id=f"p{seed}-{number:03}",
                    user_id=f"p{seed}",
                    time=_FIRST + timedelta(days=day, minutes=minute),
                    said=text,
                    instruction=text,
                    outcome=Outcome.SUCCESS,
                )
            )
        tasks = tuple(
            VagueTask(task[language], tuple(self._need(name, habits[name]) for name in task["needs"]))
            for task in self._phrases["tasks"]
        )
        return Person(seed, language, tuple(records), tasks)

    def _habit(self, name: str, count: int) -> _Habit:
        values = self._values(name)
        value = self._chance.choice(values)
        changes = name.partition(".")[0] != _FACTS and self._chance.random() < _CHANGING
        before = self._chance.choice([other for other in values if other != value]) if changes else ""
        return _Habit(
            value=value,
            before=before,
            change=int(count * self._chance.uniform(0.3, 0.7)),
            announced=self._chance.random() < 0.5,
            weight=self._chance.choice((1.0, 0.35, 0.1)),
        )

    def _values(self, name: str) -> list[str]:
        category, _, kind = name.partition(".")
        if kind == "app":
            return list(self._phrases["apps"][category]["en"])
        described = self._phrases[name]
        return list(described["open"]["en"] if "open" in described else described["en"])

    def _chosen(self, habits: Mapping[str, _Habit]) -> tuple[str, list[str]]:
        (category,) = self._chance.choices(_CATEGORIES, _SHARES)
        own = [name for name in habits if name.startswith(category) and not name.endswith(".app")]
        picked: list[str] = []
        for _ in range(self._chance.choice((0, 1, 1, 2, 2, 3, 4))):
            (name,) = self._chance.choices(own, [habits[dimension].weight for dimension in own])
            if name not in picked:
                picked.append(name)
        if self._chance.random() < 0.06:
            picked.append(
                self._chance.choice([dimension for dimension in habits if dimension.startswith(_FACTS)])
            )
        return category, picked

    def _make_sure(self, habits: Mapping[str, _Habit], chosen: list[tuple[str, list[str]]]) -> None:
        """Let everything be said at least twice since it last changed."""
        for name, habit in habits.items():
            if name.endswith(".app"):
                continue
            since = habit.change if habit.before else 0
            category = name.partition(".")[0]
            fitting = [
                number
                for number, (own, _) in enumerate(chosen)
                if number >= since and (own == category or category == _FACTS)
            ]
            said = sum(name in chosen[number][1] for number in fitting)
            free = [number for number in fitting if name not in chosen[number][1]]
            for number in self._chance.sample(free, min(len(free), max(0, 2 - said))):
                chosen[number][1].append(name)

    def _instruction(
        self, category: str, dimensions: Sequence[str], habits: Mapping[str, _Habit], number: int, spoken: str
    ) -> str:
        tails: list[str] = []
        sentences: list[str] = []
        for name in dimensions:
            habit = habits[name]
            phrase = self._phrase(name, habit.at(number), spoken)
            (sentences if phrase[-1] in ".。" else tails).append(phrase)
            if habit.before and habit.announced and habit.change <= number < habit.change + 60:
                sentences += self._wrapped("switch", name, habit.value, spoken)
        if self._chance.random() < 0.06:
            name = self._chance.choice([dimension for dimension in habits if dimension.startswith(category)])
            usual = (habits[name].value, habits[name].before)
            if not name.endswith(".app") and (rest := [v for v in self._values(name) if v not in usual]):
                wrapped = self._wrapped(
                    self._chance.choice(("others", "once")), name, self._chance.choice(rest), spoken
                )
                sentences += [text if text[-1] in ".。" else _sentence(text, spoken) for text in wrapped]
        if self._chance.random() < _SPECIFIC:
            first, second = self._phrases["specifics"][category][spoken]
            between = "" if spoken == "zh" else " "
            tails.append(self._chance.choice(first) + between + self._chance.choice(second))
        sentences += self._chance.sample(self._said("asides", spoken), self._chance.choice((0, 1, 1, 2, 3)))
        self._chance.shuffle(tails)
        self._chance.shuffle(sentences)
        return self._composed(self._opening(category, habits, number, spoken), tails, sentences, spoken)

    def _opening(self, category: str, habits: Mapping[str, _Habit], number: int, spoken: str) -> str:
        app = ""
        if self._chance.random() < 0.55:
            usual = habits[f"{category}.app"].at(number)
            name = (
                usual
                if self._chance.random() < 0.85
                else self._chance.choice(self._values(f"{category}.app"))
            )
            phrase = self._chance.choice(self._said("app_phrases", spoken))
            app = phrase.replace("[{v}]", self._app_name(name, spoken))
        frame = self._chance.choice(self._said("frames", category, spoken))
        thing = self._chance.choice(self._phrases["things"][category][spoken])
        return " ".join(frame.format(thing=thing, app=app).split()).replace(" ,", ",")

    def _composed(self, opening: str, tails: list[str], sentences: list[str], spoken: str) -> str:
        if spoken == "zh":
            return "，".join([opening, *tails]) + "。" + "".join(sentences)
        if tails and self._chance.random() < 0.3:
            opening += " — " + " and ".join(tails)
        elif len(tails) > 1 and self._chance.random() < 0.3:
            opening += ", " + tails[0] + ". " + _capital(", ".join(tails[1:]))
        else:
            opening = ", ".join([opening, *tails])
        return " ".join([opening + ".", *map(_capital, sentences)])

    def _wrapped(self, wrapper: str, name: str, value: str, spoken: str) -> list[str]:
        tails = [text for text in self._written(name, value, spoken) if text[-1] not in ".。"]
        frame = self._chance.choice(self._said(wrapper, spoken))
        return [frame.format(phrase=self._plain(self._chance.choice(tails)))] if tails else []

    def _phrase(self, name: str, value: str, spoken: str) -> str:
        return self._plain(self._chance.choice(self._written(name, value, spoken)))

    def _plain(self, phrase: str) -> str:
        low = self._chance.choice((20, 50, 80, 100, 150, 200))
        numbered = phrase.replace("{n}", str(low)).replace("{m}", str(low * 2))
        return _CORE.sub(r"\1", numbered)

    def _written(self, name: str, value: str, spoken: str) -> list[str]:
        """The phrases for a value, brackets and numbers left open."""
        described = self._phrases[name]
        if "open" not in described:
            return self._kept(described[spoken][value])
        named = described["open"][spoken][described["open"]["en"].index(value)]
        return [phrase.replace("{v}", named) for phrase in self._kept(described[spoken])]

    def _said(self, *path: str) -> list[str]:
        phrases: Any = self._phrases
        for key in path:
            phrases = phrases[key]
        return self._kept(phrases)

    def _kept(self, phrases: Sequence[str]) -> list[str]:
        return list(phrases[:-1] if self._development else phrases)

    def _app_name(self, name: str, spoken: str) -> str:
        return self._phrases["app_names"].get(name, name) if spoken == "zh" else name

    def _need(self, name: str, habit: _Habit) -> Need:
        cues = self._phrases[name].get("cues", ()) if name in self._phrases else ()
        outdated = self._tells(name, habit.before) if habit.before else ()
        return Need(name, habit.value, self._tells(name, habit.value), outdated, tuple(cues))

    def _tells(self, name: str, value: str) -> tuple[re.Pattern[str], ...]:
        if name.endswith(".app"):
            return _patterns((value, self._app_name(value, "zh")))
        described = self._phrases[name]
        if "open" in described:
            place = described["open"]["en"].index(value)
            return _patterns(described["open"][language][place] for language in _LANGUAGES)
        return _patterns(
            core
            for language in _LANGUAGES
            for phrase in described[language][value]
            for core in _CORE.findall(phrase)
        )


def _patterns(cores: Any) -> tuple[re.Pattern[str], ...]:
    patterns = []
    for core in dict.fromkeys(cores):
        written = re.escape(core.removeprefix("the ")).replace(r"\{n\}", r"\d+").replace(r"\{m\}", r"\d+")
        patterns.append(re.compile(rf"(?<![A-Za-z]){written}(?![A-Za-z])", re.IGNORECASE))
    return tuple(patterns)


def _is_told(tells: Sequence[re.Pattern[str]], cues: Sequence[str], text: str) -> bool:
    if not cues:
        return any(tell.search(text) for tell in tells)
    lines = [line for line in text.splitlines() if any(tell.search(line) for tell in tells)]
    return any(cue in line.lower() for line in lines for cue in cues)


def _sentence(words: str, spoken: str) -> str:
    return words + ("。" if spoken == "zh" else ".")


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]

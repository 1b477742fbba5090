"""Turns a want into the words of a person: an instruction, and what was typed for it."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from assistant.simulator.android.profiles import Locale
from assistant.simulator.life.intents import Text, Want, lexicon

_OWN_PHRASE = 0.55


def free_values(want: Want, random: Random) -> dict[str, Text]:
    """What fills the slots that take any value each time."""
    values = lexicon().values
    return {slot: random.choice(values[name]) for slot, name in want.intent.free.items()}


def instruction(want: Want, free: Mapping[str, Text], locale: Locale, own: int, random: Random) -> str:
    """What is to be done, in full.

    Args:
        want: what it is about.
        free: values of its free slots.
        locale: the language.
        own: which of the phrases the person mostly uses, counted from any number.
        random: decides when they use another.
    """
    phrases = want.intent.phrases(locale).say
    phrase = phrases[own % len(phrases)] if random.random() < _OWN_PHRASE else random.choice(phrases)
    return _sentence(_fill(phrase, want, free, locale))


def spoken(sentence: str, locale: Locale, random: Random) -> str:
    """The sentence as it is typed in passing: with an opener, or with a lower first letter."""
    opener = random.choice(lexicon().openers[locale])
    if locale == "zh":
        return opener + sentence
    lowered = sentence[0].lower() + sentence[1:] if not sentence[:2].isupper() else sentence
    return opener + lowered if random.random() < 0.7 or opener else sentence


def vague(want: Want, locale: Locale, in_records: bool, random: Random) -> str:
    """A command that leaves the slots to the listener; empty where the intent has none.

    `in_records` takes one of those that people use in their records, else one that no record holds.
    """
    phrases = want.intent.phrases(locale).vague
    chosen = phrases[: len(phrases) // 2] if in_records else phrases[len(phrases) // 2 :]
    return random.choice(chosen) if chosen else ""


def mistyped(text: str, random: Random) -> str:
    """The text with one slip of the finger: two letters swapped, or one left out."""
    if len(text) < 4:
        return text
    place = random.randrange(1, len(text) - 2)
    if text.isascii():
        return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
    return text[:place] + text[place + 1 :]


def _fill(phrase: str, want: Want, free: Mapping[str, Text], locale: Locale) -> str:
    names = {slot: value.of(locale) for slot, value in {**want.fillings, **free}.items()}
    return phrase.format(app=lexicon().apps[want.intent.app].label.of(locale), **names)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]

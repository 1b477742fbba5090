"""Compile and check the lexicon that tells what labels do in all languages: `python -m tools.lexicon`.

    python -m tools.lexicon --strings FILE [FILE ...] [--check]
    python -m tools.lexicon --keep

A file of strings has four columns: source, key, locale, string; English has the locale `en`. The rules for
English judge each English string, and its translations inherit the kind. `words.yaml` adds by hand what
these sources lack. A translation that also translates harmless strings is left out unless most of what it
translates is of one kind, and so is one that is a harmless English word. `clerk.mjs` prints the strings of an
npm package in this form.

With `--keep` no strings are read and the whole labels of the lexicon stay as they are: for a change of
`words.yaml` where not all files of strings are at hand. From fewer files more would seem certain.

With `--check` nothing is written: it prints, language by language, how the phrases written by hand judge the
translations, and which harmless ones they take for a deed.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import yaml

from assistant.safety import wording
from assistant.safety.lexicon import OF_PROSE, LabelLexicon, Sense, bare, fold

ROOT = Path(__file__).parents[2]
LEXICON = ROOT / "assistant" / "safety" / "lexicon.tsv"
WORDS = Path(__file__).with_name("words.yaml")
_HEAD = """# What labels mean: meaning, match (= whole label, ~ within it, * a stem), phrase, languages.
# Compiled by tools.lexicon, not to be edited: the phrases written by hand are in tools/lexicon/words.yaml.
# Whole labels come from published translations, judged by their English originals:
# AOSP Messaging and PackageInstaller as in LineageOS, Copyright The Android Open Source Project, Apache-2.0;
# Adyen Android components, Copyright Adyen N.V., MIT; Braintree Android drop-in, Copyright PayPal, MIT;
# @clerk/localizations, Copyright Clerk, Inc., MIT.
"""
_PLACEHOLDER = re.compile(r"%(?:\d+\$)?[sd]|\{\{[^{}]*\}\}|\{[^{}]*\}|<[^<>]+>")
_SPECIAL_ACCESS = re.compile(
    r"unknown (?:apps|sources)|(?:display|draw|appear).* (?:over|on top)|modify system settings|usage access|"
    r"notification access|all files|device admin|premium sms|do not disturb access|install other apps|"
    r"picture-in-picture|unrestricted data"
)
_LONGEST = 40
_CERTAIN = 0.75
_WHOLE = (
    Sense.REFUSE,
    Sense.AGREE,
    Sense.GETS,
    Sense.ACCESS,
    Sense.REACTS,
    Sense.COMPLETES,
    Sense.ADDS,
    Sense.ANSWERS,
    Sense.FOLLOWS,
    Sense.USES,
    Sense.FEATURES,
    Sense.TOGGLES,
    Sense.REPLIES_ALL,
    Sense.INFORMS,
)
"""What only a whole label means."""
_OF_PLACES = {Sense.DONE, Sense.PRICE, Sense.COMMITS, Sense.ORDERED, Sense.DECLINES, Sense.TOGGLES}
_OF_PLACES |= {Sense.REPLIES_ALL, Sense.INFORMS, Sense.STOPS}
"""What means something by where it stands only, and takes no meaning from a phrase."""
_OF_SETTINGS = {Sense.PROTECTS, Sense.USES, Sense.FEATURES}
"""What phrases of the phone's settings mean."""
_ASKS = {"pays": "pay", "deletes": "delete", "sends": "send", "grants": "grant", "installs": "install"}

Row = tuple[str, str, str, str]


def read_strings(paths: Iterable[Path]) -> Iterator[Row]:
    """The rows of the files."""
    for path in paths:
        read = path.read_bytes()
        text = (gzip.decompress(read) if path.suffix == ".gz" else read).decode("utf-8")
        for line in text.splitlines():
            columns = line.split("\t")
            if len(columns) == 4:
                yield columns[0], columns[1], columns[2], columns[3]


def language_of(locale: str) -> str:
    """The language of a locale, by its ISO code of this day."""
    code = re.split(r"[-_+]", locale.removeprefix("b+"))[0].lower()
    return {"iw": "he", "in": "id", "ji": "yi", "no": "nb"}.get(code, code)


def meaning_of(english: str) -> str | None:
    """The kind of an English string as a label, or what else it says; empty if harmless, None if no label."""
    bare = _PLACEHOLDER.sub("", english).strip()
    if not bare or len(bare) > _LONGEST or "\\n" in english:
        return None
    if kind := wording.kind_by_rules(bare):
        return kind
    if _SPECIAL_ACCESS.search(bare.casefold()):
        return Sense.ACCESS
    if wording.is_refusal(bare):
        return Sense.REFUSE
    return Sense.AGREE if wording.is_agreement(bare) else ""


def completing(rows: Iterable[Row]) -> dict[str, set[str]]:
    """The translations of buttons that complete a page, such as “Save”: phrase to languages."""
    rows = list(rows)
    english = {(source, key): text for source, key, locale, text in rows if locale == "en"}
    phrases: dict[str, set[str]] = defaultdict(set)
    for source, key, locale, text in rows:
        language = language_of(locale)
        if language not in ("en", "zh") and wording.completes_page(english.get((source, key), "")):
            phrases[bare(fold(text))].add(language)
    return phrases


def pairs(rows: Iterable[Row]) -> Iterator[tuple[str, str, str]]:
    """Sense, language and translation of each string that could be a label."""
    rows = list(rows)
    english = {(source, key): text for source, key, locale, text in rows if locale == "en"}
    meanings = {place: meaning_of(text) for place, text in english.items()}
    for source, key, locale, text in rows:
        language = language_of(locale)
        meaning = meanings.get((source, key))
        same = text == english.get((source, key))
        phrase = bare(fold(_PLACEHOLDER.sub(" ", text)))
        if phrase and meaning is not None and language not in ("en", "zh") and not same:
            yield meaning, language, phrase


def published(rows: Iterable[Row]) -> dict[tuple[str, str], set[str]]:
    """The whole labels of the translations whose meaning is certain: (meaning, phrase) to languages."""
    rows = list(rows)
    harmless = {bare(fold(text)) for _, _, locale, text in rows if locale == "en" and meaning_of(text) == ""}
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    languages: dict[tuple[str, str], set[str]] = defaultdict(set)
    for meaning, language, phrase in pairs(rows):
        # An English word that deletes only where a dialog asks for it does no more in another language.
        if wording.is_clearing_verb(phrase):
            continue
        if phrase not in harmless and (not phrase.isascii() or len(phrase) > 3):
            votes[phrase][meaning] += 1
            languages[meaning, phrase].add(language)
    certain: dict[tuple[str, str], set[str]] = {}
    for phrase, counts in votes.items():
        meaning, most = counts.most_common(1)[0]
        if meaning and most >= _CERTAIN * counts.total():
            certain[meaning, phrase] = languages[meaning, phrase]
    return certain


def _words() -> dict[str, dict[str, list[str]]]:
    """What `words.yaml` says; all its scalars are strings, since “no” and “on” are words too."""
    read = yaml.load(WORDS.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - makes strings only
    return cast("dict[str, dict[str, list[str]]]", read)


def by_hand() -> Iterator[tuple[str, str, str, str]]:
    """Sense, match, phrase and language of what `words.yaml` says."""
    for language, meanings in _words().items():
        for name, phrases in meanings.items():
            for phrase in phrases:
                whole, stem = phrase.startswith("="), phrase.endswith("*")
                match = "=" if whole or name in _WHOLE else "*" if stem else "~"
                meaning = f"asks:{_ASKS[name]}" if name in _ASKS else name
                folded = fold(phrase.strip("=*"))
                yield meaning, match, bare(folded) if match == "=" else folded, language


def whole_labels(lines: Iterable[str]) -> dict[tuple[str, str], set[str]]:
    """The whole labels of a compiled lexicon: (meaning, phrase) to languages."""
    columns = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return {(row[0], row[2]): set(row[3].split()) for row in columns if row[1] == "="}


def compiled(rows: Iterable[Row], kept: Iterable[str] = ()) -> list[str]:
    """The lines of the lexicon, sorted.

    Args:
        rows: the strings that are translated.
        kept: lines of a lexicon whose whole labels stay.
    """
    rows = list(rows)
    entries: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for meaning, match, phrase, language in by_hand():
        entries[meaning, match, phrase].add(language)
    of_commands = {Sense.COMPLETES, Sense.ADDS, Sense.OPENS, Sense.ANSWERS, Sense.FOLLOWS}
    of_commands |= _OF_SETTINGS | OF_PROSE | _OF_PLACES
    judged = {
        phrase
        for meaning, _match, phrase in entries
        if not meaning.startswith("asks:") and meaning not in of_commands
    }
    for (meaning, phrase), languages in (*whole_labels(kept).items(), *published(rows).items()):
        if phrase not in judged or meaning in of_commands:
            entries[meaning, "=", phrase] |= languages
    for phrase, languages in completing(rows).items():
        entries[Sense.COMPLETES, "=", phrase] |= languages
    return [
        "\t".join((meaning, match, phrase, " ".join(sorted(languages))))
        for (meaning, match, phrase), languages in sorted(entries.items())
    ]


def check(rows: list[Row]) -> None:
    """Print how the phrases written by hand judge the translations."""
    hand = LabelLexicon("\t".join(entry) for entry in by_hand())
    caught: Counter[tuple[str, bool]] = Counter()
    sensitive: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    for meaning, language, phrase in set(pairs(rows)):
        is_deed = meaning not in ("", Sense.REFUSE, Sense.AGREE, Sense.ACCESS)
        sensitive[language] += is_deed
        if hand.kind(phrase):
            caught[language, is_deed] += 1
            if not is_deed:
                wrong[language, phrase] += 1
    for language in sorted(sensitive):
        right, false = caught[language, True], caught[language, False]
        if language in hand.languages:
            recall, precision = right / max(1, sensitive[language]), right / max(1, right + false)
            _tell(f"{language}: recall {recall:.2f} of {sensitive[language]}, precision {precision:.2f}")
            for (spoken, phrase), _count in sorted(wrong.items()):
                if spoken == language:
                    _tell(f"    {hand.kind(phrase)}: {phrase}")


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.lexicon", description=__doc__)
    parser.add_argument(
        "--strings", type=Path, nargs="*", default=[ROOT.parent / "shared/data/app-strings.tsv.gz"]
    )
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.keep:
        _write(compiled((), LEXICON.read_text(encoding="utf-8").splitlines()))
        return 0
    missing = [path for path in given.strings if not path.exists()]
    if missing:
        _tell(f"{missing[0]} is not there; name the files of strings with --strings.")
        return 1
    rows = list(read_strings(given.strings))
    if given.check:
        check(rows)
        return 0
    _write(compiled(rows))
    return 0


def _write(lines: list[str]) -> None:
    LEXICON.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    _tell(f"{len(lines)} phrases in {LEXICON}")


if __name__ == "__main__":
    sys.exit(main())

"""The data that benchmarks read: files of the checkout, and public corpora from a folder outside of it.

Which intents the embedding model never sees while it is trained, so that it can be judged on them.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

HELD_OUT_SEED = 0
MASSIVE_HELD_OUT = 12
"""Of MASSIVE's 60 intents."""
CLINC_HELD_OUT = 30
"""Of CLINC150's 150 intents."""

CLINC_DOMAINS: dict[str, tuple[str, ...]] = {
    name: tuple(intents.split())
    for name, intents in {
        "banking": "account_blocked balance bill_balance bill_due freeze_account interest_rate min_payment "
        "order_checks pay_bill pin_change report_fraud routing spending_history transactions transfer",
        "credit cards": "application_status apr card_declined credit_limit credit_limit_change credit_score "
        "damaged_card expiration_date improve_credit_score international_fees new_card redeem_rewards "
        "replacement_card_duration report_lost_card rewards_balance",
        "kitchen and dining": "accept_reservations calories cancel_reservation confirm_reservation cook_time "
        "food_last how_busy ingredient_substitution ingredients_list meal_suggestion nutrition_info recipe "
        "restaurant_reservation restaurant_reviews restaurant_suggestion",
        "home": "calendar calendar_update next_song order order_status play_music reminder reminder_update "
        "shopping_list shopping_list_update smart_home todo_list todo_list_update update_playlist what_song",
        "auto and commute": "current_location directions distance gas gas_type jump_start last_maintenance "
        "mpg oil_change_how oil_change_when schedule_maintenance tire_change tire_pressure traffic uber",
        "travel": "book_flight book_hotel car_rental carry_on exchange_rate flight_status international_visa "
        "lost_luggage plug_type timezone translate travel_alert travel_notification travel_suggestion "
        "vaccines",
        "utility": "alarm calculator date definition find_phone flip_coin make_call measurement_conversion "
        "roll_dice share_location spelling text time timer weather",
        "work": "direct_deposit income insurance insurance_change meeting_schedule next_holiday payday "
        "pto_balance pto_request pto_request_status pto_used rollover_401k schedule_meeting taxes w2",
        "small talk": "are_you_a_bot do_you_have_pets fun_fact goodbye greeting how_old_are_you "
        "meaning_of_life tell_joke thank_you what_are_your_hobbies what_can_i_ask_you what_is_your_name "
        "where_are_you_from who_do_you_work_for who_made_you",
        "meta": "cancel change_accent change_ai_name change_language change_speed change_user_name "
        "change_volume maybe no repeat reset_settings sync_device user_name whisper_mode yes",
    }.items()
}
"""CLINC150's ten domains (Larson et al. 2019, table 1); its data file names intents only."""


def held_out_intents(names: Iterable[str], count: int, seed: int = HELD_OUT_SEED) -> frozenset[str]:
    """A choice of intents that depends on nothing but their names and the seed.

    The names are ranked by the SHA-256 of `seed:name`, and the first `count` of them are held out.
    """
    ranked = sorted(set(names), key=lambda name: hashlib.sha256(f"{seed}:{name}".encode()).digest())
    return frozenset(ranked[:count])


MASSIVE = "massive-en-zh.tsv.gz"
CLINC = "clinc150.json.gz"


class DataMissing(Exception):
    """Data cannot be read; the message says where it was looked for and what to do."""


def read_text(name: str) -> str:
    """A file of `assistant/bench/data`.

    Raises:
        DataMissing: the program runs from an installed package, which has no data for benchmarks.
    """
    file = files("assistant.bench") / "data" / name
    try:
        return file.read_text("utf-8")
    except FileNotFoundError as error:
        raise DataMissing(
            f"The data of this benchmark, {name}, is not part of the installed package. Run the benchmark "
            "from a checkout of the project: `python -m assistant bench …` in its folder."
        ) from error


def read_yaml(name: str) -> Any:
    """The parsed YAML of a file of `assistant/bench/data`.

    Raises:
        DataMissing: see `read_text`.
    """
    return yaml.load(read_text(name), Loader=yaml.CSafeLoader)


def read_json_lines(name: str) -> list[dict[str, Any]]:
    """The objects in a file of `assistant/bench/data`, one a line.

    Raises:
        DataMissing: see `read_text`.
    """
    return [json.loads(line) for line in read_text(name).splitlines()]


def data_folder(given: Path | None = None) -> Path:
    """The folder of the public corpora: the one given, else ASSISTANT_DATA, else `../shared/data`.

    The last one lies beside the checkout. Nothing says that the folder exists.
    """
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    return given or Path(os.environ.get("ASSISTANT_DATA") or beside)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence with its intent and the intent's domain; `chinese` is its translation, if there is one."""

    english: str
    chinese: str
    intent: str
    domain: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """One corpus of intents.

    Attributes:
        name: how it is called in tables.
        train: the utterances among which is searched.
        test: the utterances that are looked up.
        unseen: intents that no training of the bundled model has seen.
    """

    name: str
    train: tuple[Utterance, ...]
    test: tuple[Utterance, ...]
    unseen: frozenset[str]

    @property
    def bilingual(self) -> bool:
        """Whether every utterance has a translation."""
        return all(utterance.chinese for utterance in self.test)


def read_massive(folder: Path) -> Corpus:
    """MASSIVE 1.0 in English and Chinese (FitzGerald et al. 2022), joined by id.

    Raises:
        DataMissing: it cannot be read.
    """
    rows = [
        (row["split"], Utterance(row["en"], row["zh"], row["intent"], row["scenario"]))
        for row in massive_rows(folder)
    ]
    return _corpus("MASSIVE", rows, MASSIVE_HELD_OUT)


def massive_rows(folder: Path) -> Iterator[dict[str, str]]:
    """The lines of MASSIVE by column: id, split, intent, scenario, en, zh.

    Raises:
        DataMissing: it cannot be read.
    """
    try:
        with gzip.open(folder / MASSIVE, "rt", encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    except OSError as error:
        raise _missing(folder / MASSIVE, error) from error


def read_clinc(folder: Path) -> Corpus:
    """CLINC150 (Larson et al. 2019), without what is out of its scope.

    Raises:
        DataMissing: it cannot be read.
    """
    domains = {intent: name for name, intents in CLINC_DOMAINS.items() for intent in intents}
    try:
        with gzip.open(folder / CLINC, "rt", encoding="utf-8") as file:
            splits: dict[str, list[tuple[str, str]]] = json.load(file)
    except OSError as error:
        raise _missing(folder / CLINC, error) from error
    rows = [
        (split, Utterance(text, "", intent, domains[intent]))
        for split in ("train", "test")
        for text, intent in splits[split]
    ]
    return _corpus("CLINC150", rows, CLINC_HELD_OUT)


def _corpus(name: str, rows: Sequence[tuple[str, Utterance]], held_out: int) -> Corpus:
    train, test = (
        tuple(utterance for split, utterance in rows if split == wanted) for wanted in ("train", "test")
    )
    unseen = held_out_intents((utterance.intent for _, utterance in rows), held_out)
    return Corpus(name, train, test, unseen)


def _missing(path: Path, error: OSError) -> DataMissing:
    return DataMissing(
        f"{path} cannot be read: {error.strerror or error}. Name the folder of the corpora with --data."
    )

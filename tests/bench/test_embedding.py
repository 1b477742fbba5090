from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from assistant.bench.commands import bench_app
from assistant.bench.corpora import (
    CLINC,
    CLINC_HELD_OUT,
    MASSIVE,
    MASSIVE_HELD_OUT,
    DataMissing,
    data_folder,
    read_clinc,
    read_massive,
)
from assistant.bench.embedding_measures import auc, beaten, nearest, parted
from assistant.bench.hashing import HashedNgrams
from tests.embedding.tiny import write_tiny_model

_ROWS = (
    ("train", "food_order", "food", "order lunch please", "请订午饭"),
    ("train", "food_order", "food", "get me noodles", "给我来碗面条"),
    ("train", "food_cancel", "food", "cancel the lunch order", "取消午饭订单"),
    ("train", "door_open", "door", "open the door", "开门"),
    ("test", "food_order", "food", "order lunch now", "现在订午饭"),
    ("test", "food_order", "food", "i want rice", "我想吃米饭"),
    ("test", "food_cancel", "food", "please cancel lunch", "请取消午饭"),
    ("test", "food_cancel", "food", "no noodles today", "今天不要面条"),
    ("test", "door_open", "door", "open the front door", "打开前门"),
)


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """The two corpora in their form, with a few sentences of our own."""
    lines = ["\t".join(("id", "split", "intent", "scenario", "en", "zh"))]
    lines += ["\t".join((str(place), *row)) for place, row in enumerate(_ROWS)]
    with gzip.open(tmp_path / MASSIVE, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    names = {"food_order": "order", "food_cancel": "cancel", "door_open": "order_status"}
    splits = {
        split: [(row[3], names[row[1]]) for row in _ROWS if row[0] == split] for split in ("train", "test")
    }
    with gzip.open(tmp_path / CLINC, "wt", encoding="utf-8") as file:
        json.dump(splits, file)
    return tmp_path


def test_auc_counts_pairs_in_order() -> None:
    better, worse = np.array([3, 1], np.float32), np.array([2, 1, 0], np.float32)
    pairs = [1.0 if b > w else 0.5 if b == w else 0.0 for b in better for w in worse]
    assert auc(better, worse) == pytest.approx(sum(pairs) / len(pairs))


def test_nearest_is_by_the_largest_product() -> None:
    among = np.eye(3, dtype=np.float32)
    asked = np.array([[0.1, 0.9, 0.0], [0.0, 0.1, 0.9]], np.float32)
    assert nearest(asked, among).tolist() == [1, 2]
    assert nearest(asked[:0], among).tolist() == []


def test_paraphrases_that_share_words_and_other_domains_do_not_count() -> None:
    vectors = np.array([[1, 0], [1, 0], [0.6, 0.8], [0.8, 0.6], [0.99, 0.14]], np.float32)
    parts = [frozenset("ab"), frozenset("ab"), frozenset("cd"), frozenset("ef"), frozenset("gh")]
    intents = np.array(["x", "x", "x", "y", "z"])
    domains = np.array(["d", "d", "d", "d", "e"])
    hard, rand = parted(vectors, parts, intents, domains, np.array([0]))
    assert hard == 0.0
    assert rand == 0.0
    vectors[2] = vectors[0]
    hard, rand = parted(vectors, parts, intents, domains, np.array([0]))
    assert (hard, rand) == (1.0, 1.0)
    assert np.isnan(parted(vectors, parts, intents, domains, np.array([4]))).all()


def test_what_others_do_better_is_named() -> None:
    assert beaten({"a": 0.5, "b": 0.5}, {"a": 0.4, "b": 0.6}) == ["b"]


def test_hashed_ngrams_are_unit_rows_and_see_spelling_only() -> None:
    order, ordered, other, empty = HashedNgrams().embed(["order lunch", "Order  lunch", "取消", ""])
    assert order @ ordered == pytest.approx(1.0)
    assert abs(order @ other) < 0.1
    assert not empty.any() or np.linalg.norm(empty) == pytest.approx(1.0)


def test_corpora_are_told_apart_by_split(corpora: Path) -> None:
    massive, clinc = read_massive(corpora), read_clinc(corpora)
    assert (len(massive.train), len(massive.test)) == (4, 5)
    assert massive.bilingual
    assert not clinc.bilingual
    assert {one.domain for one in clinc.test} == {"home", "meta"}
    with pytest.raises(DataMissing, match="--data"):
        read_massive(corpora / "nowhere")
    with pytest.raises(DataMissing, match="--data"):
        read_clinc(corpora / "nowhere")


def test_the_bench_tells_every_figure_of_every_contender(
    corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_EMBEDDING__MODEL", str(write_tiny_model(tmp_path / "words")))
    minilm = write_tiny_model(tmp_path / "minilm", seed=1)
    arguments = ["embedding", "--data", str(corpora), "--minilm", str(minilm), "--json"]
    result = CliRunner().invoke(bench_app, arguments)
    found = json.loads(result.stdout)
    assert found["simulated"] == ""
    assert [one["name"] for one in found["contenders"]] == ["words", "MiniLM", "hashed n-grams"]
    for one in found["contenders"]:
        assert set(one["figures"]["MASSIVE"]) >= {
            "hard en",
            "hard zh",
            "rand zh",
            "exact zh→en",
            "unseen 1-NN zh→en",
        }
        assert set(one["figures"]["CLINC150"]) == {"1-NN en", "unseen 1-NN en", "hard en", "rand en"}
        assert all(0.0 <= value <= 1.0 for value in one["figures"]["MASSIVE"].values())
    assert found["contenders"][0]["bytes"] > 0
    assert result.exit_code == (0 if found["good"] else 1)
    assert found["good"] == (not found["behind"])


def test_without_minilm_the_bench_says_so(
    corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_EMBEDDING__MODEL", str(write_tiny_model(tmp_path / "words")))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    arguments = ["embedding", "--data", str(corpora), "--sample", "3"]
    told = CliRunner().invoke(bench_app, arguments).stdout
    assert "Plain MiniLM is not compared" in told
    assert "hashed n-grams" in told
    missing = CliRunner().invoke(bench_app, ["embedding", "--data", str(tmp_path / "nowhere")])
    assert missing.exit_code == 1
    assert "--data" in missing.stderr


def test_the_shared_corpora_have_the_intents_that_are_held_out() -> None:
    folder = data_folder()
    if not (folder / MASSIVE).is_file():
        pytest.skip(f"{folder / MASSIVE} is not there")
    massive, clinc = read_massive(folder), read_clinc(folder)
    assert len({one.intent for one in massive.train + massive.test}) == 60
    assert len({one.intent for one in clinc.train}) == 150
    assert (len(massive.unseen), len(clinc.unseen)) == (MASSIVE_HELD_OUT, CLINC_HELD_OUT)

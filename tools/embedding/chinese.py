"""The tokenizer for both languages: MiniLM's WordPiece with Chinese words added to its vocabulary."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import Unigram
from tokenizers.trainers import UnigramTrainer

WORDS = 10_000
"""How many Chinese words and characters are added."""
LONGEST = 4
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(f"[{_HAN}]+")
_MOST_IN_RUN = 64
# Longer words that begin or end with these are phrases, and longest match would prefer them to words.
_LOOSE = frozenset("的了吗呢吧啊呀我你他她它们这那是和把在请给让有不也都就会要")


def chinese_words(texts: Iterable[str], wanted: Iterable[str], count: int = WORDS) -> list[str]:
    """The words and characters that describe some texts best, by a unigram language model, in sorted order.

    Every Chinese character of the texts is among them, and so are the wanted words that are not too long.
    """
    runs = [run for text in texts for run in _RUN.findall(text)]
    characters = set("".join(runs))
    # The trainer's order of equal scores differs between runs, its choice does not.
    trainer = UnigramTrainer(
        vocab_size=count * 3 // 2, unk_token="[UNK]", special_tokens=["[UNK]"], max_piece_length=LONGEST,
        show_progress=False,
    )  # fmt: skip
    model = Tokenizer(Unigram())
    model.train_from_iterator(runs, trainer)
    scored: list[tuple[str, float]] = json.loads(model.to_str())["model"]["vocab"]
    words = [
        (word, score) for word, score in scored if len(word) > 1 and word != "[UNK]" and not _phrase(word)
    ]
    chosen = characters | {word for word in wanted if _RUN.fullmatch(word) and len(word) <= LONGEST}
    for word, _ in sorted(words, key=lambda pair: (-pair[1], pair[0])):
        if len(chosen) >= count:
            break
        chosen.add(word)
    return sorted(chosen)


def write_tokenizer(base: Path, words: Sequence[str], target: Path) -> int:
    """Write a tokenizer for both languages, without padding or truncation.

    A word gets the same identifier at the start of a run of Chinese (`打开`) and inside it (`##打开`). A
    character that is not among the words becomes one unknown token and does not spoil the run around it.

    Returns:
        The identifier of the first word; the others follow in order.
    """
    content = json.loads(base.read_text("utf-8"))
    vocabulary: dict[str, int] = content["model"]["vocab"]
    first = len(vocabulary)
    for identifier, word in enumerate(words, first):
        vocabulary[word] = vocabulary[f"##{word}"] = identifier
    known = "".join(sorted({character for word in words for character in word}))
    pattern = f"[{known}]{{1,{_MOST_IN_RUN}}}|[{_HAN}]"
    content |= {
        "truncation": None,
        "padding": None,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "NFKC"},
                *(
                    {"type": "Replace", "pattern": {"String": old}, "content": new}
                    for old, new in ("。.", "、,")
                ),
                content["normalizer"] | {"handle_chinese_chars": False},
            ],
        },
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False},
                content["pre_tokenizer"],
            ],
        },
    }
    target.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")
    return first


def _phrase(word: str) -> bool:
    return len(word) > 2 and ("的" in word or word[0] in _LOOSE or word[-1] in _LOOSE)

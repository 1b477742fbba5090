"""The page about the architecture names what is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def test_the_layers_are_those_that_are_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    checked = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    drawn = PAGE.split("```")[1].strip().splitlines()
    assert [re.split(r"  +", line)[0] for line in drawn] == [
        layer.replace("assistant.", "") for layer in checked
    ]


def test_every_file_is_there() -> None:
    names = set(re.findall(r"[\w/-]+\.(?:py|toml)\b", PAGE))
    assert names
    files = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("*.toml")}
    files |= {path.relative_to(ROOT / "assistant").as_posix() for path in ROOT.glob("assistant/**/*.py")}
    absent = [name for name in names if not any(f"/{file}".endswith(f"/{name}") for file in files)]
    assert not absent


def test_the_words_fit_on_the_page() -> None:
    words = re.findall(r"^\| (?!word \|)[^|]+ \|", PAGE.partition("## Words")[2], re.MULTILINE)
    assert len(words) <= 34

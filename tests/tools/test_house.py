"""The layout of the sources: no circles of imports, and files that a reader can take in."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.house import When, circles, figures, imports, modules, parsed


@pytest.fixture(scope="module", autouse=True)
def trees(uncollected: None) -> Iterator[None]:
    """The syntax trees of all sources go with the last test here, before garbage is collected again."""
    yield
    parsed.cache_clear()


def test_nothing_is_imported_in_a_circle_at_import_time() -> None:
    assert circles(When.AT_IMPORT, modules()) == []


def test_the_product_keeps_to_its_layout() -> None:
    """What `python -m tools.house` counts, circles among it. Files are not yet as few as wanted."""
    limits = {figure: figure.moved if figure.name == "product files" else figure.end for figure in figures()}
    assert [figure for figure, limit in limits.items() if limit is not None and figure.value > limit] == []


def test_each_import_that_does_not_stand_at_the_head_has_its_reason_above() -> None:
    lines = {name: file.read_text("utf-8").splitlines() for name, file in modules().items()}
    late = {(each.importer, each.line) for each in imports() if each.when is not When.AT_IMPORT}
    # The reason of an import under TYPE_CHECKING may stand above the condition.
    bare = [
        f"{name}:{line}"
        for name, line in sorted(late)
        if not any(above.lstrip().startswith("#") for above in lines[name][max(0, line - 3) : line - 1])
    ]
    assert bare == []


def top_names(file: Path) -> list[str]:
    """The names that the statements of a module give to something, each as often as it is given."""
    names: list[str] = []
    for node in parsed(file).body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.append(node.name)
            case ast.Assign(targets=targets):
                names += [
                    name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
                ]
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.append(name)
    return names


def test_no_module_gives_a_name_twice() -> None:
    # A pattern that came with another subject would replace the one of its name, unseen by the type checker.
    twice = [
        f"{module}.{name}"
        for module, file in modules().items()
        for name, count in Counter(top_names(file)).items()
        if count > 1
    ]
    assert twice == []

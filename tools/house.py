"""Measure how the product is laid out, beside its limits: `python -m tools.house`.

The product is `assistant/` without the simulator, the benchmarks and the demo. Imports are read from the
sources and divided by when they run: at import time, inside a function, or never, under `TYPE_CHECKING`. An
import of a name from a package counts as an import of the module of that name, where there is one.

`--list` prints what each figure counts; `--json` prints all of it as one JSON object. The files that a run
passes are counted by `tools.walk_files`.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from functools import cache
from pathlib import Path

import networkx as nx

PACKAGE = "assistant"
ROOT = Path(__file__).parent.parent / PACKAGE
NOT_PRODUCT = ("simulator", "bench", "demo")
"""Folders of the package that are not the product."""
PLAIN = f"{PACKAGE}.plain.session"
"""The interface in lines, which shall need no Textual."""

_WITH_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
"""What an import may stand in."""


class When(Flag):
    """When an import runs."""

    AT_IMPORT = auto()
    IN_FUNCTION = auto()
    TYPE_CHECKING = auto()
    RUNS = AT_IMPORT | IN_FUNCTION
    ANY = RUNS | TYPE_CHECKING


@dataclass(frozen=True, slots=True)
class Import:
    """One name that a module imports from the package, and on which line."""

    importer: str
    imported: str
    when: When
    line: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A count, what it counts, and its limits: after the files have moved, and at the end; None for none."""

    name: str
    value: int
    moved: int | None
    end: int | None
    listed: tuple[str, ...] = ()


def is_product(file: Path) -> bool:
    """Whether a file is one of the product's."""
    if not file.is_relative_to(ROOT):
        return False
    below = file.relative_to(ROOT)
    return below.parts[0] not in NOT_PRODUCT


def is_bare(file: Path) -> bool:
    """Whether a file is an `__init__` with nothing but a docstring."""
    body = parsed(file).body
    return file.name == "__init__.py" and all(isinstance(node, ast.Expr) for node in body)


@cache
def parsed(file: Path) -> ast.Module:
    """The syntax tree of a source."""
    return ast.parse(file.read_text("utf-8"))


@cache
def modules() -> Mapping[str, Path]:
    """All modules of the package by name."""
    return {module_name(file): file for file in sorted(ROOT.rglob("*.py"))}


def module_name(file: Path) -> str:
    """The name by which a source is imported."""
    parts = file.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> tuple[Import, ...]:
    """What the modules of the package import from one another."""
    return tuple(
        Import(name, imported, when, line)
        for name, file in modules().items()
        for imported, when, line in _imports_of(parsed(file), When.AT_IMPORT)
        if imported != name
    )


def _imports_of(node: ast.AST, when: When) -> Iterator[tuple[str, When, int]]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            when = When.IN_FUNCTION if when is When.AT_IMPORT else when
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), body=body):
            for statement in body:
                yield from _imports_of(statement, When.TYPE_CHECKING)
            for statement in node.orelse:
                yield from _imports_of(statement, when)
            return
        case ast.Import(names=names):
            yield from ((alias.name, when, node.lineno) for alias in names if alias.name in modules())
        case ast.ImportFrom(module=str(source), level=0, names=names) if source in modules():
            for alias in names:
                inner = f"{source}.{alias.name}"
                yield (inner if inner in modules() else source), when, node.lineno
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _WITH_STATEMENTS):
            yield from _imports_of(child, when)


def circles(when: When, within: Collection[str] | None = None) -> list[list[str]]:
    """Sets of modules that import one another in a circle, the largest first.

    Args:
        when: which imports count.
        within: which modules count; by default all of the package.
    """
    graph = nx.DiGraph(
        (each.importer, each.imported)
        for each in imports()
        if each.when & when and (within is None or {each.importer, each.imported} <= set(within))
    )
    groups = [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1]
    return sorted(groups, key=lambda group: (-len(group), group))


def product() -> dict[str, Path]:
    """The product's modules by name."""
    return {name: file for name, file in modules().items() if is_product(file)}


def shared_class_names() -> dict[str, list[str]]:
    """Names of public classes that stand in several modules of the product, with these modules."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for name, file in product().items():
        for node in parsed(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    return {name: defining for name, defining in sorted(places.items()) if len(defining) > 1}


def textual_of(module: str) -> list[str]:
    """The modules of Textual that are loaded with a module."""
    program = (
        f"import sys, {module}; print(*(name for name in sys.modules if name.split('.')[0] == 'textual'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT.parent, capture_output=True, check=True, text=True
    )
    return sorted(done.stdout.split())


def figures() -> list[Figure]:
    """All figures, with the limits that the restructuring is held to."""
    modules_of_product = product()
    files = {name: file for name, file in modules_of_product.items() if not is_bare(file)}
    folders = Counter(
        file.parent.relative_to(ROOT.parent).as_posix()
        for file in modules_of_product.values()
        if file.name not in ("__init__.py", "__main__.py")
    )
    lines = {name: len(file.read_text("utf-8").splitlines()) for name, file in files.items()}
    elsewhere = sorted({(each.importer, each.line) for each in imports() if each.when is not When.AT_IMPORT})
    inside = [each for each in imports() if each.importer in files and each.when is When.IN_FUNCTION]
    statements = sorted({(each.importer, each.line) for each in inside})
    checking = sorted(name for name, file in files.items() if "TYPE_CHECKING" in file.read_text("utf-8"))
    shared = shared_class_names()
    textual = textual_of(PLAIN)
    by_circle = {
        when: tuple(" ".join(group) for group in circles(when, modules_of_product))
        for when in (When.AT_IMPORT, When.RUNS, When.ANY)
    }
    return [
        Figure("product files", len(files), 200, 190),
        Figure("modules in a folder, at most", max(folders.values()), 13, 13, _most(folders)),
        Figure("lines in a file, at most", max(lines.values()), 700, 700, _most(lines)),
        Figure("circles at import time", *_counted(by_circle[When.AT_IMPORT], 0, 0)),
        Figure("circles with imports in functions", *_counted(by_circle[When.RUNS], 2, 0)),
        Figure("circles with TYPE_CHECKING too", *_counted(by_circle[When.ANY], 2, 0)),
        Figure(
            "public class names that stand for two things",
            *_counted([f"{name}: {' '.join(places)}" for name, places in shared.items()], 5, 5),
        ),
        Figure(
            f"imports of {PACKAGE} inside functions",
            *_counted([f"{name}:{line}" for name, line in statements], 48, 15),
        ),
        Figure(
            "the same or under TYPE_CHECKING, in the whole package",
            *_counted([f"{name}:{line}" for name, line in elsewhere], None, 15),
        ),
        Figure("files with TYPE_CHECKING", *_counted(checking, 13, 5)),
        Figure(f"Textual modules loaded by {PLAIN}", *_counted(textual, None, 0)),
    ]


def _counted(
    listed: Sequence[str], moved: int | None, end: int | None
) -> tuple[int, int | None, int | None, tuple[str, ...]]:
    return len(listed), moved, end, tuple(listed)


def _most(counts: Mapping[str, int]) -> tuple[str, ...]:
    """The ten with the highest counts."""
    return tuple(f"{count} {name}" for name, count in Counter(counts).most_common(10))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure how the product is laid out, beside its limits.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--list", action="store_true", help="print what each figure counts")
    options = parser.parse_args(arguments)
    measured = figures()
    if options.json:
        values = {
            figure.name: {"value": figure.value, "moved": figure.moved, "end": figure.end}
            | ({"listed": figure.listed} if options.list else {})
            for figure in measured
        }
        sys.stdout.write(json.dumps(values, indent=2) + "\n")
        return 0
    sys.stdout.write(f"{'':52}{'measured':>9}{'moved':>7}{'end':>6}\n")
    for figure in measured:
        moved, end = ("" if limit is None else f"≤ {limit}" for limit in (figure.moved, figure.end))
        sys.stdout.write(f"{figure.name:52}{figure.value:>9}{moved:>7}{end:>6}\n")
        if options.list:
            sys.stdout.writelines(f"    {item}\n" for item in figure.listed)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What a command line consists of once it is parsed."""

from __future__ import annotations

from dataclasses import dataclass


class ShellSyntaxError(Exception):
    """The line cannot be parsed; the message is what the shell prints after its own name."""


@dataclass(frozen=True, slots=True)
class Text:
    """Literal characters. Quoted ones are never split or matched against file names."""

    value: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """`$NAME` or `$?`."""

    name: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(…)`: what a script prints."""

    script: Script
    quoted: bool = False


Part = Text | Variable | Substitution
Word = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Redirection:
    """`2>/dev/null`, `>>file`, `<file`, `2>&1`: a descriptor, an operator and its target."""

    descriptor: int
    operator: str
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    """A command and its arguments."""

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A script in parentheses."""

    script: Script
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """A pipeline, and what decides whether it runs: `;` always, `&&` after success, `||` after failure."""

    connector: str
    stages: tuple[Simple | Group, ...]
    negated: bool = False


Script = tuple[Step, ...]

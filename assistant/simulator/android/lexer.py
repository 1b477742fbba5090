"""Splits a shell line into words and operators, following the quoting rules of Android's shell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from assistant.simulator.android.syntax import (
    Part,
    Script,
    ShellSyntaxError,
    Substitution,
    Text,
    Variable,
    Word,
)

_OPERATOR = re.compile(r"&&|\|\||>>|>&|<&|<<|&>|[;&|<>()\n]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL = frozenset("?$#@*!-0123456789")
_BLANK = " \t\r"
_ESCAPED_IN_QUOTES = '$`"\\'


@dataclass(frozen=True, slots=True)
class Operator:
    """`&&`, `>`, a parenthesis, a line's end, or the digit of a descriptor in front of a redirection."""

    text: str


Token = Operator | Word


def tokens(line: str, parse: Callable[[str], Script]) -> list[Token]:
    """The tokens of a line; `parse` reads what command substitutions hold. Raises `ShellSyntaxError`."""
    return _Lexer(line, parse).tokens()


def closing_parenthesis(line: str, opening: int) -> int:
    """Where the parenthesis at `opening` closes, quotes respected. Raises `ShellSyntaxError`."""
    depth, quote, at = 0, "", opening
    while at < len(line):
        character = line[at]
        if character == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character == "(") - (character == ")")
            if not depth:
                return at
        at += 1
    raise ShellSyntaxError("no closing quote" if quote else "syntax error: unexpected EOF")


class _Lexer:
    def __init__(self, line: str, parse: Callable[[str], Script]) -> None:
        self._line = line
        self._at = 0
        self._parse = parse

    def tokens(self) -> list[Token]:
        tokens: list[Token] = []
        while self._at < len(self._line):
            operator = _OPERATOR.match(self._line, self._at)
            if self._here in _BLANK:
                self._at += 1
            elif self._here == "#":
                end = self._line.find("\n", self._at)
                self._at = len(self._line) if end < 0 else end
            elif operator:
                tokens.append(Operator(operator.group()))
                self._at = operator.end()
            else:
                tokens.extend(self._word())
        return tokens

    @property
    def _here(self) -> str:
        return self._line[self._at : self._at + 1]

    def _ends_word(self) -> bool:
        return not self._here or self._here in _BLANK or bool(_OPERATOR.match(self._line, self._at))

    def _word(self) -> list[Token]:
        parts: list[Part] = []
        while not self._ends_word():
            self._read_part(parts)
        match parts:
            case []:
                return []
            # A digit right before < or > names the descriptor.
            case [Text(value, False)] if self._here in ("<", ">") and value in tuple("0123456789"):
                return [Operator(value)]
        return [tuple(parts)]

    def _read_part(self, parts: list[Part]) -> None:
        match self._here:
            case "'":
                parts.append(Text(self._until("'"), quoted=True))
            case '"':
                self._read_quoted(parts)
            case "\\":
                escaped = self._line[self._at + 1 : self._at + 2]
                self._at += 2
                if escaped != "\n":
                    parts.append(Text(escaped or "\\", quoted=True))
            case "$" | "`":
                parts.append(self._expansion(quoted=False))
            case _:
                start = self._at
                while not self._ends_word() and self._here not in "'\"\\$`":
                    self._at += 1
                parts.append(Text(self._line[start : self._at]))

    def _until(self, quote: str) -> str:
        end = self._line.find(quote, self._at + 1)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        inside = self._line[self._at + 1 : end]
        self._at = end + 1
        return inside

    def _read_quoted(self, parts: list[Part]) -> None:
        self._at += 1
        literal: list[str] = []
        # Even empty quotes make a word.
        parts.append(Text("", quoted=True))
        while self._here != '"':
            match self._here:
                case "":
                    raise ShellSyntaxError("no closing quote")
                case "\\":
                    following = self._line[self._at + 1 : self._at + 2]
                    self._at += 2
                    if following != "\n":
                        literal.append(
                            following if following in tuple(_ESCAPED_IN_QUOTES) else "\\" + following
                        )
                case "$" | "`":
                    parts.append(Text("".join(literal), quoted=True))
                    literal.clear()
                    parts.append(self._expansion(quoted=True))
                case character:
                    literal.append(character)
                    self._at += 1
        self._at += 1
        parts.append(Text("".join(literal), quoted=True))

    def _expansion(self, *, quoted: bool) -> Part:
        if self._here == "`":
            return Substitution(self._parse(self._until("`")), quoted)
        following = self._line[self._at + 1 : self._at + 2]
        if following == "(":
            opening = self._at + 1
            end = closing_parenthesis(self._line, opening)
            self._at = end + 1
            return Substitution(self._parse(self._line[opening + 1 : end]), quoted)
        if following == "{":
            rest = self._line[self._at :]
            self._at += 1
            name = self._until("}") if "}" in rest else ""
            if not (_NAME.fullmatch(name) or name in _SPECIAL):
                raise ShellSyntaxError(f"{rest}: bad substitution")
            return Variable(name, quoted)
        if following in _SPECIAL:
            self._at += 2
            return Variable(following, quoted)
        name_found = _NAME.match(self._line, self._at + 1)
        if name_found is None:
            self._at += 1
            return Text("$", quoted=True)
        self._at = name_found.end()
        return Variable(name_found.group(), quoted)

"""The phone's shell language: the part of it that programs use over ADB.

Words with quotes, `;` `&&` `||` `!`, pipes, groups in parentheses, redirection, `$NAME`, `$?`, `$(…)` and
backticks. Loops, conditions and background jobs are syntax errors here.
"""

from __future__ import annotations

from functools import lru_cache

from assistant.simulator.android.lexer import Operator, Token, tokens
from assistant.simulator.android.syntax import (
    Group,
    Redirection,
    Script,
    ShellSyntaxError,
    Simple,
    Step,
    Text,
    Word,
)

_DEPTH = 30
_RESERVED = frozenset(
    ("case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "select", "then")
).union(("time", "until", "while", "{", "}", "[["))
_REDIRECTIONS = frozenset((">", ">>", "<", ">&"))
_SEPARATORS = frozenset((";", "\n"))


@lru_cache(256)
def parse(line: str) -> Script:
    """Read a command line; programs send the same few again and again. Raises `ShellSyntaxError`."""
    return _parse(line, 0)


def _parse(line: str, depth: int) -> Script:
    if depth > _DEPTH:
        raise ShellSyntaxError("syntax error: input too complex")
    parser = _Parser(tokens(line, lambda inside: _parse(inside, depth + 1)), depth)
    script = parser.script()
    parser.expect_end()
    return script


class _Parser:
    def __init__(self, line_tokens: list[Token], depth: int) -> None:
        self._tokens = line_tokens
        self._at = 0
        self._depth = depth

    @property
    def _operator(self) -> str:
        """The operator that comes next; empty at the end and before a word."""
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        return token.text if isinstance(token, Operator) else ""

    def _unexpected(self) -> ShellSyntaxError:
        if self._at >= len(self._tokens):
            return ShellSyntaxError("syntax error: unexpected EOF")
        token = self._tokens[self._at]
        text = token.text if isinstance(token, Operator) else _plain(token)
        return ShellSyntaxError(f"syntax error: unexpected '{'newline' if text == chr(10) else text}'")

    def expect_end(self) -> None:
        """Refuse what could not be read."""
        if self._at < len(self._tokens):
            raise self._unexpected()

    def script(self) -> Script:
        steps: list[Step] = []
        connector = ";"
        self._skip_lines()
        while self._at < len(self._tokens) and self._operator != ")":
            steps.append(self._pipeline(connector))
            if self._operator in ("&&", "||"):
                connector = self._operator
                self._at += 1
                self._skip_lines()
                if self._at >= len(self._tokens):
                    raise self._unexpected()
                continue
            if self._operator not in _SEPARATORS:
                break
            connector = ";"
            self._at += 1
            self._skip_lines()
        return tuple(steps)

    def _skip_lines(self) -> None:
        while self._operator == "\n":
            self._at += 1

    def _pipeline(self, connector: str) -> Step:
        negated = False
        while self._next_plain() == "!":
            negated = not negated
            self._at += 1
        stages = [self._command()]
        while self._operator == "|":
            self._at += 1
            self._skip_lines()
            stages.append(self._command())
        return Step(connector, tuple(stages), negated)

    def _next_plain(self) -> str:
        """The unquoted word that comes next; empty for anything else."""
        match self._tokens[self._at] if self._at < len(self._tokens) else None:
            case (Text(value, False),):
                return value
        return ""

    def _command(self) -> Simple | Group:
        if self._next_plain() in _RESERVED:
            raise self._unexpected()
        if self._operator == "(":
            return self._group()
        words: list[Word] = []
        redirections: list[Redirection] = []
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            if not isinstance(token, Operator):
                words.append(token)
                self._at += 1
            elif (redirection := self._redirection()) is not None:
                redirections.append(redirection)
            else:
                break
        if not words and not redirections:
            raise self._unexpected()
        return Simple(tuple(words), tuple(redirections))

    def _group(self) -> Group:
        if self._depth >= _DEPTH:
            raise ShellSyntaxError("syntax error: input too complex")
        self._at += 1
        self._depth += 1
        script = self.script()
        self._depth -= 1
        if self._operator != ")" or not script:
            raise self._unexpected()
        self._at += 1
        redirections: list[Redirection] = []
        while (redirection := self._redirection()) is not None:
            redirections.append(redirection)
        return Group(script, tuple(redirections))

    def _redirection(self) -> Redirection | None:
        descriptor = self._operator if self._operator in tuple("0123456789") else ""
        start = self._at
        self._at += bool(descriptor)
        operator = self._operator
        if operator not in _REDIRECTIONS:
            self._at = start
            return None
        self._at += 1
        if self._at >= len(self._tokens):
            raise self._unexpected()
        target = self._tokens[self._at]
        if isinstance(target, Operator):
            raise self._unexpected()
        self._at += 1
        default = 0 if operator == "<" else 1
        return Redirection(int(descriptor) if descriptor else default, operator, target)


def _plain(word: Word) -> str:
    return "".join(part.value if isinstance(part, Text) else "$" for part in word)

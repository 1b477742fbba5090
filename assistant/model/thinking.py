"""Parts reasoning from answer in a text that arrives in pieces."""

from __future__ import annotations

import re
from collections.abc import Callable

_NAMES = ("think", "thinking", "thought", "reasoning", "thinkt", "tink", "seed:think", "think_never_used")
_TAG = re.compile(rf"< {{0,2}}(/?)(?:{'|'.join(_NAMES)})(?:_\w{{1,40}})? {{0,2}}>", re.IGNORECASE)
_PARTIAL = re.compile(r"< {0,2}/?[\w:]* {0,2}", re.IGNORECASE)
_LONGEST = 64
_LABEL = re.compile(r"\s*(?:Thought|思考)\s?[:：]\s*")
_LABELS = ("Thought:", "Thought：", "思考:", "思考：")


class ThoughtSplitter:
    """Takes `<think>…</think>` out of a growing text, and tells prose before the action as thought.

    A label `Thought:` at the beginning of the prose is not told.
    A closing tag without an opening one makes all that came before it thought: some chat templates write the
    opening tag into the prompt. An opening tag that is never closed leaves no answer.
    """

    def __init__(self, prose_end: Callable[[str, int], int]) -> None:
        """Start with nothing; `prose_end` is a dialect's: how much of an answer can be no action."""
        self.answer = ""
        self._prose_end = prose_end
        self._shown = 0
        self._pending = ""
        self._inside = False

    def feed(self, piece: str) -> str:
        """Take the next piece; what it adds to the thought comes back."""
        self._pending += piece
        thought = ""
        while tag := _TAG.search(self._pending):
            thought += self._take(self._pending[: tag.start()], last=True)
            if tag[1] and not self._inside:
                thought += self._release()
                self.answer = ""
                self._shown = 0
            self._inside = not tag[1]
            self._pending = self._pending[tag.end() :]
        certain = len(self._pending) - _partial_tag(self._pending)
        thought += self._take(self._pending[:certain])
        self._pending = self._pending[certain:]
        return thought

    def finish(self, *, all_prose: bool) -> str:
        """The text is over; the rest of the thought comes back, all of the text when it holds no action."""
        thought = self._take(self._pending, last=True)
        self._pending = ""
        return thought + (self._release() if all_prose else "")

    def _take(self, text: str, *, last: bool = False) -> str:
        if self._inside:
            return text
        self.answer += text
        end = max(self._shown, self._prose_end(self.answer, self._shown))
        prose = self.answer[self._shown : end]
        if not self._shown:
            if not last and any(label.startswith(prose.lstrip()) for label in _LABELS):
                return ""
            prose = _LABEL.sub("", prose, count=1) if _LABEL.match(prose) else prose
        self._shown = end
        return prose

    def _release(self) -> str:
        rest = self.answer[self._shown :]
        self._shown = len(self.answer)
        return rest


def split_thought(text: str) -> tuple[str, str]:
    """The tagged reasoning and the answer of a whole text."""
    splitter = ThoughtSplitter(lambda answer, start: 0)
    thought = splitter.feed(text) + splitter.finish(all_prose=False)
    return thought, splitter.answer


def _partial_tag(text: str) -> int:
    """How many characters at the end may be the beginning of a tag."""
    start = text.rfind("<", max(0, len(text) - _LONGEST))
    tail = text[start:].lower() if start >= 0 else ""
    name = tail.lstrip("</ ").rstrip()
    known = any(one.startswith(name) or name.startswith(f"{one}_") for one in _NAMES)
    return len(tail) if tail and known and _PARTIAL.fullmatch(tail) else 0

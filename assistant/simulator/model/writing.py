"""What the scripted model writes where it is asked for text: spans, changes of a profile, names for groups.

A stand-in with a few fixed wordings: it proves that such answers are asked for, read and checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.memory.profile.model_update import INSTRUCTIONS
from assistant.memory.profile.split import NAMING
from assistant.proactive.wording import RULES as WORDING
from assistant.simulator.model.tokens import message_texts
from assistant.understand.perceive import RULES

_COMMAND = re.compile(r'^Command: (?P<said>".*")$', re.MULTILINE)
_ROUTINE = re.compile(r'^Routine: (?P<said>".*")$', re.MULTILINE)
_SPAN = re.compile(
    r"\b(?:my|our) (?:better half|usual \w+|\w+(?:'s \w+)?)|\b(?:home|mom|dad)\b"
    r"|我(?:的)?[\u4e00-\u9fff]{1,2}|妈妈|回家"
)
_KINDS = {
    "person": re.compile(r"mom|dad|mother|father|boss|half|wife|husband|妈|爸|老婆|老公"),
    "place": re.compile(r"home|office|gym|school|家|公司|学校"),
    "habit": re.compile("usual"),
}
_TOLD = re.compile(r"\b[Mm]y (?P<key>[a-z]+(?: [a-z]+)?) is (?P<value>[\w' -]+?)(?=[.,;]|$)")


def written(messages: Sequence[dict[str, Any]]) -> str | None:
    """The answer to a prompt for text; None for a prompt that is not one."""
    texts = ["\n".join(message_texts(message)) for message in messages]
    if len(texts) != 2:
        return None
    system, user = texts
    if system == RULES:
        return _spans(user)
    if system == INSTRUCTIONS:
        return _operations(json.loads(user))
    if system == WORDING:
        return _worded(user)
    return _names(json.loads(user)) if system == NAMING else None


def _worded(user: str) -> str:
    """The routine as an order that ends with a full stop; no to one that is suggested to a patient."""
    routine = _ROUTINE.search(user)
    if routine is None or "Scenario: medical institution" in user:
        return "False"
    return f"{str(json.loads(routine['said'])).rstrip('.')}."


def _spans(user: str) -> str:
    match = _COMMAND.search(user)
    said = json.loads(match["said"]) if match else ""
    spans = [{"text": span[0], "category": _kind(span[0])} for span in _SPAN.finditer(said)]
    return json.dumps(spans, ensure_ascii=False)


def _kind(span: str) -> str:
    return next((kind for kind, words in _KINDS.items() if words.search(span)), "thing")


def _operations(content: Mapping[str, Any]) -> str:
    """A value for each "my … is …", on an entity of that name."""
    made: list[dict[str, Any]] = []
    concepts = list(content["concepts"])
    for match in _TOLD.finditer(content["typed"]):
        concept = concepts[0] if concepts else "Facts"
        if not concepts:
            concepts.append(concept)
            made.append({"op": "add_node", "kind": "concept", "name": concept})
        if match["key"] not in content["entities"]:
            made.append({"op": "add_node", "kind": "entity", "name": match["key"], "concepts": [concept]})
        made.append({"op": "set_value", "name": match["key"], "key": "is", "value": match["value"]})
    return json.dumps({"operations": made}, ensure_ascii=False)


def _names(content: Mapping[str, Any]) -> str:
    return json.dumps({"names": [f"{content['concept']} like {group[0]}" for group in content["groups"]]})

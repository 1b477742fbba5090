"""What the scripted model writes where it is asked for text: choices, changes of a profile, names for groups.

A stand-in with a few fixed wordings: it proves that such answers are asked for, read and checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.memory.profile.model_update import INSTRUCTIONS
from assistant.memory.profile.split import NAMING
from assistant.proactive.suggestions import RULES as WORDING
from assistant.simulator.model.tokens import message_texts
from assistant.understand.model_reading import RULES as READING

_ROUTINE = re.compile(r'^Routine: (?P<said>".*")$', re.MULTILINE)
_TOLD = re.compile(r"\b[Mm]y (?P<key>[a-z]+(?: [a-z]+)?) is (?P<value>[\w' -]+?)(?=[.,;]|$)")


def written(messages: Sequence[dict[str, Any]], *, wrongly: bool = False) -> str | None:
    """The answer to a prompt for text; None for a prompt that is not one.

    Args:
        messages: the prompt.
        wrongly: whether a command is read badly.
    """
    texts = ["\n".join(message_texts(message)) for message in messages]
    if len(texts) != 2:
        return None
    system, user = texts
    if system == READING:
        return _reading(json.loads(user), wrongly=wrongly)
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


def _reading(content: Mapping[str, Any], *, wrongly: bool) -> str:
    """The one thing that the memory has; of several nothing. Wrongly, the last of all, whatever was said."""
    entries = [*content["past"], *content["facts"]]
    if not entries or (len(entries) > 1 and not wrongly):
        return json.dumps({"decision": "ask", "order": "", "replaced": [], "sources": []})
    entry, command = entries[-1], content["command"]
    words = content["marked"][0] if content["marked"] else command
    value = entry["did"] if "did" in entry else entry["is"]
    order = value if "did" in entry else command.replace(words, value)
    answer = {
        "decision": "fill",
        "order": order,
        "replaced": [{"words": words, "by": value}],
        "sources": [entry["id"]],
    }
    return json.dumps(answer, ensure_ascii=False)


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

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
from assistant.understand.explore import MODEL_RULES

_ROUTINE = re.compile(r'^Routine: (?P<said>".*")$', re.MULTILINE)
_TOLD = re.compile(r"\b[Mm]y (?P<key>[a-z]+(?: [a-z]+)?) is (?P<value>[\w' -]+?)(?=[.,;]|$)")


def written(messages: Sequence[dict[str, Any]], *, wrongly: bool = False) -> str | None:
    """The answer to a prompt for text; None for a prompt that is not one.

    Args:
        messages: the prompt.
        wrongly: whether what is chosen among candidates is chosen badly.
    """
    texts = ["\n".join(message_texts(message)) for message in messages]
    if len(texts) != 2:
        return None
    system, user = texts
    if system == MODEL_RULES:
        return _choices(json.loads(user), wrongly=wrongly)
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


def _choices(content: Mapping[str, Any], *, wrongly: bool) -> str:
    """The only candidate of each element, none of several; wrongly, the last of however many."""
    choices = []
    for element in content["elements"]:
        numbers = [candidate["number"] for candidate in element["candidates"]]
        choice = numbers[-1] if numbers and (wrongly or len(numbers) == 1) else 0
        choices.append({"words": element["words"], "choice": choice})
    return json.dumps({"choices": choices}, ensure_ascii=False)


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

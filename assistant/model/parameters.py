"""The optional parts of a request, and which to leave out when an endpoint does not take them."""

from __future__ import annotations

import re
from typing import Any

Parameters = dict[str, Any]
"""Arguments of a chat completion."""

_OPTIONAL = {
    "stream_options": r"stream_options|include_usage",
    "max_tokens": r"max_tokens|max_completion_tokens",
    "temperature": r"temperature",
    "response_format": r"response_format|json_schema|guided_json|structured output",
    "tools": r"\btools?\b|tool[_ ]choice|function[_ -]call",
}


def without_refused(parameters: Parameters, complaint: str) -> Parameters | None:
    """The parameters without what an endpoint's error text names; None when it names none of them.

    `max_tokens` becomes `max_completion_tokens`, its newer name, before it is left out altogether. Without
    `tools` a model can still answer: the dialect reads the same calls from the text.
    """
    for name, pattern in _OPTIONAL.items():
        if not re.search(pattern, complaint, re.IGNORECASE):
            continue
        if name == "max_tokens" and "max_tokens" in parameters and "max_completion_tokens" in complaint:
            changed = {key: value for key, value in parameters.items() if key != name}
            return {**changed, "max_completion_tokens": parameters["max_tokens"]}
        refused = {name, "max_completion_tokens"} if name == "max_tokens" else {name}
        if refused & parameters.keys():
            return {key: value for key, value in parameters.items() if key not in refused}
    return None

"""The prompts of LLM-UM, a profile that a model writes, which PersonalAlign compares with (E.1, E.2).

E.1 is printed for preferences; here it asks for the routines that E.2 is given. A sentence is wanted in the
language of the records, where the paper wants Chinese.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from assistant.records import Record, State

SUMMARIZE = """You will serve as an assistant to help me summarize a user's daily routines based on his/her \
long-term GUI usage records. I will provide you with the user's long-term interaction history. From this \
history, you need to extract what the user does again and again at a like time or in a like scenario.

## Requirements:
1. Please provide your output in JSON format, following this structure:
{"summaries": [{"reasoning": "Briefly explain your reasoning for the routine", "routine": "The user's usual \
instruction", "time": "When it usually is, as HH:MM", "days": "On which days", "scenario": "Where it usually \
is", "frequency": "How often it was done", "confidence": "High/Medium/Low"}]}
2. Ensure that each "routine" is highly concise. It should clearly describe one app and one task.
3. You must provide multiple routines in "summaries", twenty at most, the most frequent first.
4. The routine should be in the language of the records.
5. Do not provide any text outside of the JSON string.
6. Avoid fabricating routines when evidence is weak.
"""

DECIDE = """You are skilled at analyzing user history. You are given summarized user's daily routine. Your \
task is to determine whether the current user state requires proactive suggestions.

## Note
- You are given summarized user routines, each describing a frequent user behavior with its intent, \
time/scenario distribution, and frequency.
- If neither the time nor the scenario shows a sufficiently strong match with any summarized routine, output \
False.
- If you decide that a recommendation is needed, output a suitable user instruction for the GUI agent to \
execute.
- Express the user's intent unvaguely in one sentence in the language of the routines, ensuring the \
expression faithfully reflects the user's original intent without adding any extra description.
- Do not output any explanation, including time and scenario information. Imitate the user's intent and \
output only one proactive suggestion.
"""

SILENT = "false"
"""The answer, in small letters and without its full stop, that no suggestion is due."""


def format_history(records: Sequence[Record]) -> str:
    """The records as E.1 gets them: a line each, with time, scenario and instruction."""
    lines = (
        f"{record.time:%Y-%m-%d %a %H:%M} | {record.scenario} | {_quoted(record.instruction)}"
        for record in records
    )
    return "\n".join(("## User History:", *lines))


def format_state(state: State, profile: str) -> str:
    """A state as E.2 gets it, with the profile that was written before."""
    return (
        f"## Input\nTime: {state.time:%Y-%m-%d %a %H:%M}\nScenario: {state.scenario}\n"
        f"Summarized_routine: {profile}\nThe user's intent:"
    )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)

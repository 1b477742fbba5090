"""What the scripted model writes where it is asked for text: choices, changes of a profile, names for groups.

A stand-in with a few fixed wordings: it proves that such answers are asked for, read and checked.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.simulator.model.tokens import message_texts

READING = "A person told their phone's assistant what to do."
TYPED = "A person typed a line to the assistant of their phone."
UPDATING = "Keep a profile of one person."
NAMING = "A concept of a person's profile is parted into groups."
WORDING = "You know one routine of a phone's user"
SUMMARIZING = "You will serve as an assistant to help me summarize a user's daily routines"
SLOTS = "An assistant carried out an order on a phone"
DECIDING = "You are skilled at analyzing user history."
"""How each prompt begins. The prompts themselves are not imported: half the product, and most of a second of
the start, would come with them."""

_ROUTINE = re.compile(r'^Routine: (?P<said>".*")$', re.MULTILINE)
_RECORD = re.compile(
    r'^\d{4}-\d\d-\d\d (?P<day>\w{3}) (?P<hour>\d\d):\d\d \| (?P<scenario>[^|\n]*) \| (?P<said>".*")$',
    re.MULTILINE,
)
_STATE = re.compile(
    r"^Time: \S+ \w{3} (?P<hour>\d\d):\d\d\nScenario: (?P<scenario>[^\n]*)\n"
    r"Summarized_routine: (?P<profile>.*)$",
    re.MULTILINE,
)
_OF_BUTTON = re.compile(r'Button: ".*"\nTexts of the page:')
_ROUTINE_RECORDS, _MOST_ROUTINES = 3, 20
_WORD_OR_CHARACTER = re.compile(r"[a-z]{2,}|[\u4e00-\u9fff]", re.IGNORECASE)
_TOLD = re.compile(r"\b[Mm]y (?P<key>[a-z]+(?: [a-z]+)?) is (?P<value>[\w' -]+?)(?=[.,;]|$)")


def written(messages: Sequence[dict[str, Any]], *, wrongly: bool = False) -> str | None:
    """The answer to a prompt for text; None for a prompt that is not one.

    Args:
        messages: the prompt.
        wrongly: whether a command, a line, or the slots of an order are read badly.
    """
    texts = ["\n".join(message_texts(message)) for message in messages]
    if len(texts) != 2:
        return None
    system, user = texts
    if system.startswith(READING):
        return _reading(json.loads(user), wrongly=wrongly)
    if system.startswith(TYPED):
        return json.dumps(_typed(json.loads(user), wrongly=wrongly), ensure_ascii=False)
    if system.startswith(SLOTS):
        return _slots(json.loads(user), wrongly=wrongly)
    if system.startswith(UPDATING):
        return _operations(json.loads(user))
    if system.startswith(SUMMARIZING):
        return _summaries(user)
    if system.startswith(DECIDING):
        return _suggested(user)
    if system.startswith(WORDING):
        return _worded(user)
    if _OF_BUTTON.match(user):
        return _deed_of_button(user)
    return _names(json.loads(user)) if system.startswith(NAMING) else None


def _summaries(user: str) -> str:
    """What was said three times and more in the very same words, with its commonest hour and scenario."""
    hours: dict[str, Counter[str]] = defaultdict(Counter)
    scenarios: dict[str, Counter[str]] = defaultdict(Counter)
    days: dict[str, set[str]] = defaultdict(set)
    for record in _RECORD.finditer(user):
        said = json.loads(record["said"])
        hours[said][record["hour"]] += 1
        scenarios[said][record["scenario"]] += 1
        days[said].add(record["day"])
    often = sorted(hours, key=lambda said: -hours[said].total())[:_MOST_ROUTINES]
    summaries = [
        {
            "reasoning": "It was done again and again.",
            "routine": said,
            "time": f"{hours[said].most_common(1)[0][0]}:00",
            "days": " ".join(sorted(days[said])),
            "scenario": scenarios[said].most_common(1)[0][0],
            "frequency": hours[said].total(),
            "confidence": "High",
        }
        for said in often
        if hours[said].total() >= _ROUTINE_RECORDS
    ]
    return json.dumps({"summaries": summaries}, ensure_ascii=False)


def _suggested(user: str) -> str:
    """The most frequent routine of that hour and scenario; no where there is none."""
    state = _STATE.search(user)
    if state is None:
        return "False"
    try:
        fitting = [
            str(summary["routine"])
            for summary in json.loads(state["profile"])["summaries"]
            if summary["time"][:2] == state["hour"] and summary["scenario"] == state["scenario"]
        ]
    except (ValueError, LookupError, TypeError):
        return "False"
    return fitting[0] if fitting else "False"


def _worded(user: str) -> str:
    """The routine as an order that ends with a full stop; no to one that is suggested to a patient."""
    routine = _ROUTINE.search(user)
    if routine is None or "Scenario: medical institution" in user:
        return "False"
    return f"{str(json.loads(routine['said'])).rstrip('.')}."


_QUOTED = re.compile("“([^”]+)”")


def _slots(content: Mapping[str, Any], *, wrongly: bool) -> str:
    """What both a step and the order say, its first word apart; wrongly the verb, the rest, an invention."""
    order = content["order"]
    quoted = [words for step in content["steps"] for words in _QUOTED.findall(step)]
    places = {order.casefold().find(words.casefold()): words for words in sorted(quoted, key=len)}
    slots, end = list[dict[str, str]](), 0
    for start, words in sorted(places.items()):
        if start >= max(1, end):
            end = start + len(words)
            kind = "number" if words.isdecimal() else "text"
            slots.append({"words": order[start:end], "name": f"item{len(slots) + 1}", "type": kind})
    if wrongly:
        verb, _space, rest = order.partition(" ")
        bad = (verb, rest, rest[: len(rest) // 2], "something else")
        slots = [{"words": words, "name": f"wrong{place}", "type": "text"} for place, words in enumerate(bad)]
    return json.dumps({"slots": slots}, ensure_ascii=False)


def _deed_of_button(user: str) -> str:
    """That a button pays where the page has a sign of a currency; otherwise that it does nothing."""
    pays = any(unicodedata.category(character) == "Sc" for character in user)
    return json.dumps({"deed": "pay" if pays else "none"})


def _reading(content: Mapping[str, Any], *, wrongly: bool) -> str:
    """The one fact for each of the marked words, else the one thing that the memory has; wrongly, the last.

    A command in which nothing is marked is complete as it was said, or goes on from the order before.
    """
    if content.get("before"):
        continued = _continued(content, wrongly=wrongly)
        if continued["decision"] == "fill" or not content["marked"]:
            return json.dumps(continued, ensure_ascii=False)
    if not wrongly and (by_facts := _filled_by_facts(content)) is not None:
        return json.dumps(by_facts, ensure_ascii=False)
    entries = _likely(content) if not wrongly else [*content["past"], *content["facts"]]
    if not content["marked"] and not wrongly:
        return json.dumps({"decision": "as_said", "order": "", "replaced": [], "sources": []})
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


_TOLD_TO = (
    re.compile(
        r"(?P<head>(?:text|tell|message) )(?P<who>[\w'. -]+?)(?P<rest>(?: that |: ?| (?=I\b|I'|we\b)).+)"
    ),
    re.compile(r"(?P<head>给|跟|告诉)(?P<who>[^，,。：:发说]{1,16}?)(?P<rest>(?:发|说|：).+)"),
)
"""An instruction that tells somebody something, in English and Chinese."""
_ALSO_TO = (
    re.compile(
        r"(?:tell|text|message|to|for|and) (?!also\b)(?P<who>(?:my )?[\w'-]+)(?: too| as well)?[.!]?$"
    ),
    re.compile(
        r"(?:给|跟|和|告诉|通知)(?P<who>我?[^，,。也说发讲一]{1,4})(?:也|说|发|讲|一声|一下)*[。！]?$"
    ),
)
_NUMBER = re.compile(r"\d+")


def _continued(content: Mapping[str, Any], *, wrongly: bool) -> dict[str, Any]:
    """The newest order before told to somebody else, or with another number; wrongly the oldest once more.

    It asks about all other lines.
    """
    newest, line = content["before"][0], content["command"]
    if wrongly:
        oldest = content["before"][-1]
        return {"decision": "fill", "order": oldest["did"], "replaced": [], "sources": [oldest["id"]]}
    message_match = next(filter(None, (form.fullmatch(newest["did"]) for form in _TOLD_TO)), None)
    also = next(filter(None, (form.search(line) for form in _ALSO_TO)), None)
    if message_match is not None and also is not None:
        name, sources = also["who"], [newest["id"]]
        named = _words_in(name) - _OWN
        facts = [fact for fact in content["facts"] if _words_in(fact["about"]) - _OWN == named]
        if len({fact["is"] for fact in facts}) == 1:
            name, sources = facts[0]["is"], [*sources, facts[0]["id"]]
        replaced = [{"words": also["who"], "by": name}]
        order = f"{message_match['head']}{name}{message_match['rest']}"
        return {"decision": "fill", "order": order, "replaced": replaced, "sources": sources}
    numbers, before = _NUMBER.findall(line), _NUMBER.findall(newest["did"])
    if len(numbers) == len(before) == 1:
        order = newest["did"].replace(before[0], numbers[0])
        return {"decision": "fill", "order": order, "replaced": [], "sources": [newest["id"]]}
    return {"decision": "ask", "order": "", "replaced": [], "sources": [newest["id"]]}


_OWN = frozenset(("my", "our", "the", "我", "的"))


_LINES = (
    ("thanks", re.compile(r"\b(?:thx|thanks|thank you|ur the best)\b|谢", re.IGNORECASE)),
    ("goodbye", re.compile(r"\b(?:good night|that's all)\b|先到这|没别的事", re.IGNORECASE)),
    ("complaint", re.compile(r"\b(?:not what i|wrong person|why did (?:you|u))\b|怎么这么慢", re.IGNORECASE)),
)
_LIVES = re.compile(r"my (?P<who>[a-z]+) (?P<name>[a-z]+) lives in (?P<place>[a-z]+)", re.IGNORECASE)
_NOT = re.compile(r" (?:not|no longer|never)\b|n't\b| anymore|不再|不")
_ASKED = (
    (re.compile(r"which alarms did (?:you|u) set", re.IGNORECASE), "which alarms did I set today"),
    (re.compile(r"am i (?:a )?vegetarian", re.IGNORECASE), "what is my diet"),
    (re.compile(r"what have (?:you|u) done", re.IGNORECASE), "what did you do today"),
)


def _typed(content: Mapping[str, Any], *, wrongly: bool) -> dict[str, Any]:
    """What a line is, by a few wordings; wrongly a payment for thanks, the contrary of a fact, or a name."""
    line, before = content["line"], content["before"]
    kind = next((kind for kind, form in _LINES if form.search(line)), "")
    if wrongly:
        if kind:
            return {"kind": "order", "restated": "pay Zebulon Quill 500", "sources": []}
        if _NOT.search(line):
            return {"kind": "fact", "restated": _NOT.sub("", line), "sources": []}
        return {"kind": "fact", "restated": "my sister Zebulon lives in Xanten", "sources": []}
    if kind:
        return {"kind": kind, "restated": "", "sources": []}
    asked = next((restated for form, restated in _ASKED if form.search(line)), "")
    if asked:
        return {"kind": "question", "restated": asked, "sources": []}
    if (lives := _LIVES.search(line)) is not None:
        name, place = lives["name"].capitalize(), lives["place"].capitalize()
        return {"kind": "fact", "restated": f"my {lives['who']} {name} lives in {place}", "sources": []}
    if before and (order := _continued({**content, "command": line, "facts": []}, wrongly=False)["order"]):
        return {"kind": "follow_up", "restated": order, "sources": [before[0]["id"]]}
    return {"kind": "unclear", "restated": "", "sources": []}


def _filled_by_facts(content: Mapping[str, Any]) -> dict[str, Any] | None:
    """The command with the one fact about each of the marked words; None where some have none or several."""
    order, replaced, sources = content["command"], [], []
    for words in content["marked"]:
        named = _words_in(words) - _OWN
        facts = [fact for fact in content["facts"] if named and _words_in(fact["about"]) - _OWN == named]
        if len({fact["is"] for fact in facts}) != 1:
            return None
        order = order.replace(words, facts[0]["is"])
        replaced.append({"words": words, "by": facts[0]["is"]})
        sources.append(facts[0]["id"])
    return (
        {"decision": "fill", "order": order, "replaced": replaced, "sources": sources} if replaced else None
    )


def _likely(content: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """What comes into question: only the first past, if it is a habit and has a word of the unmarked command.

    Else all of the past, and the facts that are about a word that is marked.
    The past is sorted, the likeliest first. "Order my usual lunch" and "Order beef noodles" share "order".
    """
    marked = _words_in(" ".join(content["marked"]))
    about = [fact for fact in content["facts"] if marked & _words_in(f"{fact['about']} {fact['what']}")]
    entries = [*content["past"], *about]
    rest = content["command"]
    for words in content["marked"]:
        rest = rest.replace(words, " ")
    first = next(iter(content["past"]), None)
    if first is None or not _WORD_OR_CHARACTER.search(rest):
        return entries
    times = re.match(r"\d+", first["when"])
    shared = _words_in(rest) & _words_in(first["did"])
    return [first] if shared and times and int(times[0]) >= _ROUTINE_RECORDS else entries


def _words_in(text: str) -> set[str]:
    return {word.casefold() for word in _WORD_OR_CHARACTER.findall(text)}


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

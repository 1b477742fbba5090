"""Decides the next step from what was sent, and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assistant.simulator.model.parts import one_by_one, parts_of
from assistant.simulator.model.proposals import propose
from assistant.simulator.model.reflexes import BEFORE, asks_permission
from assistant.simulator.model.rules import Task, pattern
from assistant.simulator.model.screen import Screen
from assistant.simulator.model.situation import Situation, Step, View
from assistant.simulator.model.tasks import LIBRARY
from assistant.simulator.model.words import traditional

PATIENCE = 2
"""How many waits in a row late content is worth."""

# What the assistant says of a name that no app has. After other failures the name is right.
_UNKNOWN_APP = "No app is called"

ROUNDS = 3
"""How often the same tap and the way back from it are worth trying."""

RETREAT = 5
"""How many times in a row Back is pressed to get out of a place that a task does not know."""


def decide(situation: Situation, library: Iterable[Task] = LIBRARY) -> Step:
    """The next step: a reflex, else the task's, else a way back to where the task knows what to do."""
    tasks = tuple(library)
    whole = understand(situation, tasks)
    if whole is None or whole[0].app:
        parts = parts_of(
            situation.instruction, lambda text: understand(Situation(text, Screen()), tasks) is not None
        )
        if len(parts) > 1:
            return one_by_one(situation, parts, lambda part: _decide(part, tasks))
    return _decide(situation, tasks)


def _decide(situation: Situation, library: Iterable[Task]) -> Step:
    plain_view = View(situation)
    matched = understand(situation, library)
    view = View(situation, matched[1]) if matched else plain_view
    if not situation.history and matched is None:
        return view.give_up(_unknown(view))
    if not situation.history and matched is not None and matched[0].app and asks_permission(view):
        # What an earlier turn left open is not this turn's to answer.
        return _by_task(view, matched[0])
    reflex = next((step for rule in BEFORE if (step := rule(view))), None)
    if reflex is not None:
        return reflex
    if matched is None:
        return view.give_up(_unknown(view))
    return _by_task(view, matched[0])


def _unknown(view: View) -> str:
    """That the stand-in does not know an instruction, and what it knows instead."""
    commands = propose(view.situation.instruction)
    english = "The scripted model does not know this command. It knows, for example: {}."
    chinese = "脚本模型不会这个指令。它会的有：{}。"
    if traditional(view.situation.instruction):
        chinese = "模拟手机和脚本模型只有简体字，请用简体字再说一遍。例如：{}。"
    return view.say(
        english.format(", ".join(f"“{command}”" for command in commands)),
        chinese.format("、".join(f"“{command}”" for command in commands)),
    )


def understand(situation: Situation, library: Iterable[Task] = LIBRARY) -> tuple[Task, dict[str, str]] | None:
    """The first task whose pattern fits the instruction, with its slots as the user has corrected them."""
    for task in library:
        match = _matched(task, situation.instruction)
        if match is None:
            continue
        named = {name: value.strip() for name, value in match.groupdict().items() if value}
        slots = {**task.defaults, **named}
        for note in situation.notes:
            said = _corrected(task, note.partition("The user says: ")[2])
            slots |= {name: _put_in(value, slots.get(name, "")) for name, value in said.items()}
        return task, task.prepare(slots, situation.instruction)
    return None


def _matched(task: Task, instruction: str) -> re.Match[str] | None:
    """The first of a task's patterns that fits, whether the instruction names the task's app or not."""
    for text in dict.fromkeys((_without_app(instruction, task.app), instruction)):
        for template in task.patterns:
            if match := pattern(template).match(text):
                return match
    return None


def _without_app(instruction: str, app: tuple[str, ...]) -> str:
    """An instruction without the app that it names: "… on Maps", "在地图上…"; not where it quotes a text."""
    if not app or ":" in instruction or "：" in instruction:
        return instruction
    english, chinese = map(re.escape, (app[0], app[-1]))
    begun = re.sub(rf"^\s*(?:在|用)(?:{chinese}|{english})(?:上|里)?[,，]?", "", instruction)
    return re.sub(rf"\s+(?:on|in|with|using)\s+{english}(?=[\s.!]*$)", "", begun)


_AMOUNT = re.compile(
    r"\d+(?:[:.]\d+)?(?: ?(?:min(?:ute)?s?|hours?|days?|[ap]m|o'clock|分钟|小时|天|点半?|块|元))?",
    re.IGNORECASE,
)


def _put_in(said: str, before: str) -> str:
    """A corrected value: a mere amount takes the place of the only one in a longer text."""
    amounts = list(_AMOUNT.finditer(before))
    if len(amounts) != 1 or not _AMOUNT.fullmatch(said):
        return said
    return before[: amounts[0].start()] + said + before[amounts[0].end() :]


def _corrected(task: Task, said: str) -> dict[str, str]:
    for template in task.corrections if said else ():
        match = pattern(template).match(said)
        if match:
            return {name: value.strip() for name, value in match.groupdict().items() if value}
    return {}


def _by_task(view: View, task: Task) -> Step:
    if task.app and view.screen.package not in (task.package, *task.also):
        onward = (step for rule in task.elsewhere if (step := rule(view)))
        return next(onward, None) or _open(view, task)
    step = next((step for rule in task.rules if (step := rule(view))), None)
    if step is not None:
        return step
    if view.just_did("wait") < PATIENCE:
        return view.wait(view.say("What is needed is not here yet. I wait.", "需要的内容还没出现，等一下。"))
    if _goes_round(view):
        return view.give_up(view.say("This leads back to the same page again and again.", "总是回到同一页。"))
    if _steps_back(view) < RETREAT:
        return view.back(view.say("This page does not help. I go back.", "这个页面不对，返回。"))
    return _open(view, task)


def _goes_round(view: View) -> bool:
    """Whether the same tap and the way back from it came again and again."""
    taps = [past.detail for past in view.situation.history if past.type == "click"]
    return view.did("press_back") >= ROUNDS and bool(taps) and taps.count(taps[-1]) >= ROUNDS


def _steps_back(view: View) -> int:
    count = 0
    for past in reversed(view.situation.history):
        if past.type not in ("wait", "press_back"):
            break
        count += past.type == "press_back"
    return count


def _open(view: View, task: Task) -> Step:
    if not task.app:
        return view.give_up(
            view.say("The scripted model does not know how to go on.", "脚本模型不知道怎么继续。")
        )
    tried = [past for past in view.situation.history if past.type == "open_app"]
    refused = [past.detail for past in tried if _UNKNOWN_APP in past.error]
    names = [name for name in view.app_names(task.app) if name not in refused]
    if not names or len(tried) > RETREAT + len(refused):
        return view.give_up(view.say(f"{task.app[0]} cannot be opened.", f"打不开{task.app[-1]}。"))
    return view.open(names[0])

"""What is done on any screen before the task: advertisements, permissions, dialogs, waiting, the lock."""

from __future__ import annotations

import re

from assistant.simulator.model.rules import Rule
from assistant.simulator.model.screen import Item
from assistant.simulator.model.situation import Step, View
from assistant.simulator.model.words import plain

SPINNER_PATIENCE = 8
"""How many waits in a row a spinner is worth."""

STUCK = 4
"""The same step so often in a row means that it does nothing."""

_LOADING = re.compile(
    r"(?:loading|searching|looking for|finding|please wait|加载中|正在(?:加载|寻找|搜索)|搜索中|请稍候)"
    r"[^.。]*…?$",
    re.IGNORECASE,
)
_ALLOW = (
    "While using the app",
    "使用应用时允许",
    "仅在使用该应用时允许",
    "使用时允许",
    "Allow",
    "允许",
    "始终允许",
)
_CLOSE = (
    "iv close",
    "Skip",
    "跳过",
    "Later",
    "以后再说",
    "Not now",
    "暂不",
    "No thanks",
    "不了",
    "不用了",
    "Only necessary",
    "Reject all",
    "Reject",
    "Necessary only",
    "仅必要",
    "全部拒绝",
    "拒绝",
)
_LOCKED = re.compile(
    r"swipe up to unlock|enter (?:your )?(?:pin|pattern|password)|向上滑动(?:即可)?解锁|输入密码解锁",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"approve|said no|says no|refus|declin|not allowed by the user", re.IGNORECASE)
_STOPPED = re.compile(
    r"user says: *(?:stop|never mind|cancel(?: that| it)?|forget it|算了|别弄了|不用了|取消吧?)[.!。!]*$",
    re.IGNORECASE,
)


def called_off(view: View) -> Step | None:
    """The user wants it no more, or said no to a step that it needs."""
    if any(_STOPPED.search(note) for note in view.situation.notes[-1:]):
        return view.give_up(view.say("The user called it off.", "用户取消了。"))
    last = view.situation.history[-1:]
    if last and last[0].error and _REFUSED.search(last[0].error):
        return view.give_up(view.say(f"Not done: {last[0].error}.", f"没有完成：{last[0].error}。"))
    return None


def locked(view: View) -> Step | None:
    """A locked phone is the user's to unlock."""
    if _LOCKED.search(view.screen.text):
        return view.hand_over(view.say("The phone is locked. Unlock it to go on.", "手机已锁定，请先解锁。"))
    return None


def asks_permission(view: View) -> bool:
    """Whether the system's dialog for a permission is open."""
    asking = "permissioncontroller" in view.screen.package or "packageinstaller" in view.screen.package
    return asking or bool(
        view.screen.find("While using the app", "使用应用时允许", "仅在使用该应用时允许", least=4)
    )


def permission(view: View) -> Step | None:
    """Allow what an app asks for, while it is used."""
    if not asks_permission(view):
        return None
    button = next(
        (candidate for label in _ALLOW if (candidate := view.screen.find(label, least=4, where=_tappable))),
        None,
    )
    return (
        view.tap(button, view.say(" The app asks for a permission it needs.", "应用需要这个权限。"))
        if button
        else None
    )


def interruption(view: View) -> Step | None:
    """Close advertisements, and dialogs that ask for something else."""
    for label in _CLOSE:
        button = view.screen.find(label, least=4, where=_tappable)
        if button:
            return view.tap(button, view.say(" This is in the way. I close it.", "这个弹窗挡路，先关掉。"))
    return None


def loading(view: View) -> Step | None:
    """Wait while something loads, but not for ever."""
    busy = next(
        (item for item in view.screen.items if not item.tappable and _LOADING.match(item.label)), None
    )
    if busy is None:
        return None
    if view.just_did("wait") >= SPINNER_PATIENCE:
        return view.give_up(view.say("The app keeps loading.", "应用一直在加载。"))
    return view.wait(view.say("It is still loading. I wait.", "还在加载，等一下。"))


def empty(view: View) -> Step | None:
    """A screen without anything on it is about to change."""
    if view.screen.items or view.just_did("wait") >= SPINNER_PATIENCE:
        return None
    return view.wait(view.say("Nothing is on the screen yet. I wait.", "屏幕还是空的，等一下。"))


def stuck(view: View) -> Step | None:
    """The same step again and again does nothing."""
    last = view.situation.history[-STUCK:]
    steps = {(past.type, plain(past.detail)) for past in last}
    patient = {"scroll", "wait", "press_back"}
    if len(last) < STUCK or len(steps) > 1 or last[0].type in patient or not last[0].detail:
        return None
    return view.give_up(view.say(f"“{last[0].detail}” does not respond.", f"“{last[0].detail}”没有反应。"))


BEFORE: tuple[Rule, ...] = (called_off, locked, permission, interruption, loading, empty, stuck)
"""All reflexes, in order."""


def _tappable(item: Item) -> bool:
    return item.tappable

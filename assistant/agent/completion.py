"""Whether a reported success is believed: success is what the phone shows.

The model's words are no evidence. A command that changes something needs an action that was performed and a
trace of it that code can find: a deed after which the screen changed, a typed text that still stands there, a
switch or another element that changed in place, a page that differs when it is seen again, a button such as
“Save” that led on, or what was searched for and chosen, on a page of its own. None of these counts on a page
that still waits for such a button. A question needs an answer that says more than that it was answered. Each
part of the command needs an answer on the phone: one of its words in what was tapped, typed or shown
afterwards. Without these the turn ends unconfirmed, and the parts are named.

Words are compared as written, in English and Chinese; a part in another script than the phone's is not judged
by its words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assistant.events import ActionKind
from assistant.i18n import _, later
from assistant.memory.turns import StoredStep
from assistant.records import (
    Action,
    Click,
    Element,
    LongClick,
    Observation,
    OpenApp,
    PressEnter,
    PressHome,
    Scroll,
    Swipe,
    TypeText,
)
from assistant.safety.page import is_for_search, is_search_field

_LOOK_AGAIN = (
    "You said that the task is finished.{} Look at the screen again. Say finished only if it shows that "
    "every part of the task is carried out; if not, go on with it."
)
_CLAUSE = r"(?:^|[,;.!]\s*|\b(?:and|then|please|also|want to|need to|like to|could you|can you)\s+)"
_CONTENT = re.compile(r"[:：].*|[\"“「『].*?[\"”」』]", re.DOTALL)
_NEGATED = re.compile(
    r"\b(?:don't|do not|without|never|not)\b[^,;.]*|(?:不要|别|不用|无需|先不)[^，,。;；]*", re.IGNORECASE
)
_WRITTEN_DOWN = re.compile(
    r"\b(?:remind|memo|(?:write|take|make) a note|note that|add .*\b(?:calendar|event))\b"
    r"|提醒|(?:记|写|加|建)[^，。]{0,6}(?:便签|备忘|日程|笔记)|记一下|记下",
    re.IGNORECASE,
)
_ENGLISH = {
    ActionKind.SEND: (
        r"(?:send|reply|text|message|forward|dial|phone|tell|call)\b(?! (?:me|us|up|an?)\b)",
        r"send (?:me |us |an? )",
    ),
    ActionKind.PAY: (
        r"(?:order|buy|purchase|pay|transfer|top up|book)\b(?! (?:history|status|list|details)\b)",
        r"(?:call|get|request) (?:me )?an? (?:taxi|ride|cab|car)\b",
    ),
    ActionKind.DELETE: (r"(?:delete|remove|erase|uninstall)\b",),
    ActionKind.INSTALL: (r"install\b",),
}
_CHINESE = {
    ActionKind.SEND: (
        r"发(?:送|个|条|一条|一个)?(?:消息|短信|信息|微信|邮件)|告诉(?!我)|回复|打(?:个)?电话给|拨打",
        r"给[^，。]{1,12}打(?:个)?电话",
    ),
    ActionKind.PAY: (
        r"下单|购买|支付|付款|转账|打车|叫车|叫一辆|买(?!了)|订(?!单|阅)",
        r"点(?:一|两|三)?(?:份|杯|个外卖)|点外卖",
    ),
    ActionKind.DELETE: (r"删除|删掉|清空|移除|卸载",),
    ActionKind.INSTALL: (r"安装(?!包|程序|位置)",),
}
_REQUIRES = {
    kind: re.compile(
        "|".join([*(f"{_CLAUSE}(?:{verb_pattern})" for verb_pattern in _ENGLISH[kind]), *_CHINESE[kind]]),
        re.IGNORECASE,
    )
    for kind in _ENGLISH
}
_UNDONE = {
    ActionKind.SEND: later("nothing was sent"),
    ActionKind.PAY: later("nothing was ordered or paid"),
    ActionKind.DELETE: later("nothing was deleted"),
    ActionKind.INSTALL: later("nothing was installed"),
}


def required_kinds(instruction: str) -> frozenset[ActionKind]:
    """The kinds of action that a command requires, by its verbs, in English and Chinese.

    A verb counts at the beginning of a clause (“send …”, “… and send”), not as a noun (“read the last
    message”), not negated, not inside a text to be written, and not in a reminder or note.
    """
    text = _NEGATED.sub(" ", _CONTENT.sub(" ", instruction)).strip()
    if _WRITTEN_DOWN.search(text):
        return frozenset()
    return frozenset(kind for kind, pattern in _REQUIRES.items() if pattern.search(text))


def find_contradiction(instruction: str, done: Collection[ActionKind], steps: int, answer: str) -> str:
    """Why a reported success cannot be true, as a clause; empty if nothing contradicts it.

    Args:
        instruction: the command.
        done: the kinds of sensitive actions executed in this turn.
        steps: number of executed actions.
        answer: the model's answer to the user. A turn without actions needs one to be a success.
    """
    for kind in required_kinds(instruction):
        if kind not in done:
            return _UNDONE[kind]
    if steps == 0 and not answer.strip():
        return later("nothing was done")
    return ""


_LOOKS = re.compile(
    r"^(?:please |can you |could you )?(?:what|when|where|who|which|whose|how|is|are|do|does|did|has|have|"
    r"show|read|find|search|look|check|tell me|list|open|go to|see|view|compare|count|get me the|explain|"
    r"summari[sz]e|describe)\b|"
    r"[?？]\s*$|^(?:请|帮我|麻烦)?(?:查|看|找|搜|读|念|打开|告诉我|列出|总结|比较|有没有|现在|今天.{0,4}几)|"
    r"什么|多少|几[点个号]|哪|吗[?？]?$|怎么样",
    re.IGNORECASE,
)
"""Commands that only look, or open something. They change nothing, so an answer or a screen is enough."""

_SWITCHES_ON = re.compile(
    r"^打开.{1,8}模式|^打开(?:蓝牙|无线|定位|热点|手电|夜|省电|飞行|静音|勿扰)|模式$", re.IGNORECASE
)
_COMMITS = re.compile(
    r"\b(?:save|done|ok|add|create|set|start|confirm|apply|submit|finish|enable|disable|join|like|follow|"
    r"book|reserve|mark|archive|star|favou?rites?|play|pause|stop|resume|install|update|download|upload|turn|"
    r"accept|post|publish|go|navigate|call|order|buy|pay|send|share|delete|remove|check)\b|"
    r"保存|完成|确[定认]|添加|新建|创建|设[置定]|开始|应用|提交|启用|停用|加入|喜欢|赞|关注|预[订约]|标记|归档|收藏|"
    r"播放|暂停|停止|安装|更新|下载|上传|打开|关闭|接受|发[布送]|导航|出发|呼叫|下单|购买|付|分享|删除|移除",
    re.IGNORECASE,
)
"""Buttons that carry something out. Counted only where the screen changes after them."""

_FINISHES = re.compile(
    r"(?:save|done|add|create|confirm|apply|submit|finish|send|post|publish|start|set|book|order|install|update|"
    r"share|go|directions|navigate|保存|完成|确定|确认|添加|新建|创建|应用|提交|发送|发布|开始|开始导航|导航|路线|到这去|设置|安装|更新|预订|下单)"
    r"(?: (?:\w+ )?(?:now|alarm|event|contact|note|order|changes|timer|navigation|reminder))?",
    re.IGNORECASE,
)
"""The words on a button that is still to be pressed where it stands below what was entered or chosen."""
_OPENS_FORM = re.compile(r"add|create|set|添加|新建|创建|设置", re.IGNORECASE)
"""Those that a list has too, where they open an empty form."""

_ASKS = re.compile(
    r"^(?:please |can you |could you )?(?:what|when|where|who|which|whose|how|is|are|does|did|has|have|"
    r"do(?= (?:i|we|you|they|my|our|any)\b)|"
    r"read|find|search|look up|check|tell me|count|compare|explain|summari[sz]e|describe)\b|"
    r"[?？]\s*$|^(?:请|帮我|麻烦)?(?:查|找|搜|读|念|告诉我|总结|比较|有没有)|什么|多少|几[点个号]|哪|吗[?？]?$|怎么样",
    re.IGNORECASE,
)
"""Commands that want something said, not only shown. “Do it” is an order, “do I have …” a question."""
_SAYS_NOTHING = re.compile(
    r"a|an|the|i|it|it's|its|is|are|was|has|have|been|be|you|your|as|to|for|now|here|there|and|all|everything|"
    r"task|request|command|question|answer|result|results|done|finished|finish|completed|complete|"
    r"success|successful|successfully|ready|that|this|found|answered|checked|looked|up",
    re.IGNORECASE,
)
_SAYS_NOTHING_CHINESE = re.compile(
    r"已经|已|完成|成功|好的?|了|任务|问题|全部|都|搞定|结果|回答|查到|找到|查询|的|你|您|我"
)

_PARTS = re.compile(
    r"\s*(?:[;；。!！]|[,，、]\s*(?:and|then|also)?|\b(?:and )?(?:then|also)\b|\band\b|"
    r"然后|接着|再|并且|并|以及|另外|顺便)\s*",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"^(?:please )?(?:don't|do not|never|no need|not)\b|^(?:别|不要再|不用|无需|先不)", re.IGNORECASE
)
_STOP_WORDS = re.compile(
    r"a|an|the|to|for|of|in|on|at|by|with|without|from|into|onto|as|it|its|this|that|these|those|my|your|our|"
    r"his|her|me|you|us|him|them|i|we|he|she|they|and|or|but|so|if|then|also|too|again|please|thanks|thank|ok|"
    r"just|not|no|don|t|s|is|are|be|was|were|do|does|did|will|would|can|could|should|may|might|must|need|want|"
    r"like|some|any|all|both|each|every|other|another|one|more|most|new|now|today|tonight|tomorrow|yesterday|"
    r"morning|afternoon|evening|night|time|send|set|add|order|buy|get|make|put|take|give|go|turn|open|close|"
    r"start|stop|play|call|tell|write|type|tap|press|find|search|show|read|check|pay|book|switch|change|use|"
    r"keep|let|up|down|off|out|over|about|after|before|when|while|until|ask|answer|reply|message|text"
)
"""Words that say too little to be looked for on a screen."""
_WORD = re.compile(r"[^\W\d_]+|\d+", re.UNICODE)
_CJK = re.compile(r"[\u4e00-\u9fff]")
_CJK_FILLERS = re.compile(r"[的了一把给我你他她帮请和与跟在个份张条下上到去要也还都就吧啊呢]")


def wants_change(instruction: str) -> bool:
    """Whether a command changes something on the phone. In doubt it does."""
    text = instruction.strip()
    if _SWITCHES_ON.search(text):
        return True
    return bool(required_kinds(instruction)) or not _LOOKS.search(text)


@dataclass(frozen=True, slots=True)
class _Seen:
    """A page as it was seen: its key, and how often each element occurs in its state."""

    page: str
    elements: Counter[tuple[object, ...]]


class TraceLog:
    """What a turn has left on the phone, as far as its screens show.

    Args:
        steps: the steps so far, where the turn is continued.
    """

    def __init__(self, steps: Sequence[StoredStep] = ()) -> None:
        self.has_trace = any(_did_deed(step) and not step.error for step in steps)
        self._last: _Seen | None = None
        self._unfinished: frozenset[str] = frozenset()
        self._pages: dict[str, _Seen] = {}
        self._scrolled: set[str] = set()
        self._typed: list[str] = []
        self._searched = ""
        self._chosen: list[str] = []
        self._done = 0
        self._acted = False
        self._screens: list[Observation] = []
        self._answers: list[str] = []
        for step in steps:
            self._note(step)
        self._done = len(steps)

    def observe(self, observation: Observation, steps: Sequence[StoredStep]) -> None:
        """Take note of a screen, and of the steps that led to it."""
        now = _Seen(_page_of(observation), _states_of(observation))
        unfinished = _completing(observation)
        for step in steps[self._done :]:
            if step.error:
                continue
            self._note(step)
            if isinstance(step.action, Scroll | Swipe) and self._last is not None:
                self._scrolled.add(self._last.page)
            target = step.action.target
            completed = _did_deed(step) or (target is not None and target.label in self._unfinished)
            if self._changes(step, now) and (completed or not unfinished):
                self.has_trace = True
        self._done = len(steps)
        if not unfinished:
            if self._acted and self._differs_from_before(now):
                self.has_trace = True
            chosen = () if any(map(_is_search, observation.elements)) else self._chosen
            if any(_stands_on(text, observation) for text in (*self._typed, *chosen)):
                self.has_trace = True
        self._unfinished = unfinished
        self._last = self._pages[now.page] = now
        self._scrolled.discard(now.page)
        self._screens = [*self._screens[-1:], observation]

    def find_unanswered(self, instruction: str, answer: str) -> list[str]:
        """The parts of a command of which no word is in what was tapped, typed or is shown at the end."""
        pool = _normal(" ".join([*self._answers, *self._texts()]))
        parts = [part for part in split_parts(instruction) if not _FORBIDS.search(part)]
        if len(parts) < 2:
            return []
        # The first part is what the trace is about; its deed is counted by its kind.
        others = parts[1:] if required_kinds(parts[0]) else parts
        return [part for part in others if not _is_answered(part, pool, answer)]

    def _texts(self) -> Iterator[str]:
        for observation in self._screens:
            yield observation.app.label
            for element in observation.elements:
                yield f"{element.text} {element.description}"

    def _note(self, step: StoredStep) -> None:
        action = step.action
        self._acted = self._acted or isinstance(action, Click | LongClick | TypeText | PressEnter)
        match action:
            case Click(target=target, content=content) | LongClick(target=target, content=content):
                self._answers += [target.label, target.around] if target else [content]
                if self._searched and _normal(self._searched) in _normal(target.label if target else content):
                    self._chosen.append(self._searched)
            case TypeText(text=text, target=target):
                self._answers.append(text)
                if target is not None and is_for_search(target.resource_id, target.label):
                    self._searched = text
                else:
                    self._typed.append(text)
            case OpenApp(name=name):
                self._answers.append(name)
            case PressHome():
                self._answers.append("home")
        if step.deed is not None:
            self._answers += [step.deed.recipient, step.deed.text, step.deed.amount]

    def _changes(self, step: StoredStep, now: _Seen) -> bool:
        """Whether an action left a trace on the screen that follows it."""
        if self._last is None or self._last == now or not _is_effective(step.action):
            return False
        if _did_deed(step):
            return True
        target = step.action.target
        if target is not None and _COMMITS.search(f"{target.label} {target.resource_id.rpartition('/')[2]}"):
            return True
        return isinstance(step.action, Click | LongClick) and _changed_in_place(self._last, now)

    def _differs_from_before(self, now: _Seen) -> bool:
        """Whether a page that was left looks different when it is seen again."""
        before = self._pages.get(now.page)
        returned = self._last is not None and self._last.page != now.page
        return (
            returned
            and before is not None
            and now.page not in self._scrolled
            and _changed_in_place(before, now)
        )


_ON_THE_WAY = (ActionKind.GRANT, ActionKind.PASSWORD)
"""What an app asks for before it does anything."""


def _is_search(element: Element) -> bool:
    return element.editable and is_search_field(element)


def _did_deed(step: StoredStep) -> bool:
    """Whether a step did something sensitive that a command can be about, and not only on the way to it."""
    return step.deed_done is not None and step.deed_done.kind not in _ON_THE_WAY


def _is_effective(action: Action) -> bool:
    return isinstance(action, Click | LongClick | TypeText | PressEnter | Swipe)


def _page_of(observation: Observation) -> str:
    from_top = (e for e in observation.elements if (e.text or e.description) and not e.editable)
    first = next(from_top, None)
    heading = re.sub(r"\d+", "#", first.text or first.description) if first else ""
    return f"{observation.app.package} {observation.app.activity} {heading}"


def _states_of(observation: Observation) -> Counter[tuple[object, ...]]:
    return Counter(
        (e.resource_id, e.class_name, e.text, e.description, e.checked, e.selected)
        for e in observation.elements
        if e.text or e.description or e.checkable
    )


_KEPT_IN_PLACE = 0.5
"""The share of a page's elements that must stay for it to be the same page with a change in it."""


def _changed_in_place(before: _Seen, after: _Seen) -> bool:
    """Whether two views are of one page, and something on it differs."""
    if before.page != after.page or before.elements == after.elements:
        return False
    kept = (before.elements & after.elements).total()
    return kept >= _KEPT_IN_PLACE * max(1, min(before.elements.total(), after.elements.total()))


def _completing(observation: Observation) -> frozenset[str]:
    """The buttons that complete a page: while there are any, what stands on it is not carried out yet."""
    form = any(e.editable and not _is_search(e) for e in observation.elements)
    completing = (e for e in observation.elements if _completes(observation, e, form))
    return frozenset(e.text or e.description for e in completing)


def _completes(observation: Observation, element: Element, form: bool) -> bool:
    """Whether an element is a button such as “Save”, or its words; outside of a form “Add” opens one."""
    words = (element.text or element.description).strip()
    if not words or element.editable or not _FINISHES.fullmatch(words):
        return False
    if _OPENS_FORM.match(words) and not (form and element.text):
        return False
    holder = element if element.clickable or element.parent < 0 else observation.elements[element.parent]
    return holder.clickable and holder.enabled and not holder.checkable


def _says_nothing(answer: str, instruction: str) -> bool:
    """Whether an answer only claims, in words of its own or in those of the command."""
    if not answer.strip():
        # A second look is often confirmed without a word; what was said before stands.
        return False
    said = _SAYS_NOTHING_CHINESE.sub(" ", _normal(answer).replace(_normal(instruction), " "))
    instruction_words = set(_WORD.findall(_normal(instruction)))
    return not any(
        word not in instruction_words and not _SAYS_NOTHING.fullmatch(word) for word in _WORD.findall(said)
    )


def _stands_on(text: str, observation: Observation) -> bool:
    """Whether a typed text is on the screen, in a field or elsewhere, but not only in a search field."""
    typed = _normal(text)
    return bool(typed) and any(
        typed in _normal(f"{e.text} {e.description}") and not (e.editable and is_search_field(e))
        for e in observation.elements
        if not e.password
    )


def split_parts(instruction: str) -> list[str]:
    """The parts of a command. What is quoted, and what follows a colon, is one thing and not divided."""
    head, colon, content = instruction.partition(":") if ":" in instruction else instruction.partition("：")
    if colon and head[-1:].isdigit():
        # A time such as 7:30.
        head, colon, content = instruction, "", ""
    quoted: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quoted.append(match[0])
        return f"\x00{len(quoted) - 1}\x00"

    hidden = re.sub(r"[\"“「『].*?[\"”」』]", hide, head)
    parts = [part for part in _PARTS.split(hidden) if part and part.strip()]
    restored = [re.sub(r"\x00(\d+)\x00", lambda match: quoted[int(match[1])], part) for part in parts]
    if colon and restored:
        restored[-1] = f"{restored[-1]}{colon}{content}"
    return [part.strip() for part in restored]


def _is_answered(part: str, pool: str, answer: str) -> bool:
    if answer.strip() and not wants_change(part):
        # What it looks for is in the answer.
        return True
    words = content_words(part)
    if not words or bool(_CJK.search(part)) != bool(_CJK.search(pool)):
        return True
    pool_words = set(_WORD.findall(pool))
    return any(
        (word in pool)
        if _CJK.search(word)
        else (word in pool_words or f"{word}s" in pool_words or word.rstrip("s") in pool_words)
        for word in words
    )


def content_words(part: str) -> list[str]:
    """The words of a part that something on the phone should answer; pairs of characters in Chinese."""
    text = _normal(part)
    words = _WORD.findall(_CJK.sub(" ", text))
    latin = [word for word in words if not _STOP_WORDS.fullmatch(word)]
    chinese = re.findall(r"[\u4e00-\u9fff]+", _CJK_FILLERS.sub(" ", text))
    return latin + [run[at : at + 2] for run in chinese for at in range(max(1, len(run) - 1))]


def _normal(text: str) -> str:
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return re.sub(r"\b0+(?=\d)", "", folded)


class Verification(StrEnum):
    """The result of verifying a reported success."""

    BELIEVED = "believed"
    LOOK_AGAIN = "look_again"
    DOUBTED = "doubted"


class CompletionVerifier:
    """Accepts a reported success if the phone shows it and the model confirms it on a second look.

    Args:
        confirm: ask the model to look again even if nothing contradicts its report.
        needs_trace: whether a command that changes something needs a trace; a lookup reads only.
    """

    def __init__(self, *, confirm: bool, needs_trace: bool = True) -> None:
        self._confirm = confirm
        self._needs_trace = needs_trace
        self._claimed_at = -1

    def verify(
        self,
        instruction: str,
        steps: Sequence[StoredStep],
        answer: str,
        trace: TraceLog | None = None,
        *,
        confirmed: bool = False,
    ) -> tuple[Verification, str]:
        """Verify a reported success; returns the result and the sentence for the model or the user.

        A report that is `confirmed` otherwise is looked at again only where something speaks against it.
        """
        done = [step for step in steps if not step.error or step.deed_done]
        contradiction = find_contradiction(
            instruction, {step.kind for step in done if step.kind}, len(done), answer
        )
        unanswered: list[str] = []
        if self._needs_trace and not contradiction:
            contradiction = _find_missing_evidence(instruction, answer, trace)
            if trace is not None and not contradiction:
                unanswered = trace.find_unanswered(instruction, answer)
        doubt = contradiction or bool(unanswered)
        if self._claimed_at != len(steps) and (doubt or (self._confirm and not confirmed)):
            self._claimed_at = len(steps)
            return Verification.LOOK_AGAIN, _LOOK_AGAIN.format(_describe_doubt(contradiction, unanswered))
        if contradiction:
            sentence = _(
                "The model says that it is done, but as far as could be seen {against}. Check on the phone."
            ).format(against=_(contradiction))
            return Verification.DOUBTED, sentence
        if unanswered:
            parts = ", ".join(f"“{part}”" for part in unanswered)
            sentence = _("Nothing on the phone answers {parts}. Check there.").format(parts=parts)
            return Verification.DOUBTED, f"{answer.strip()} {sentence}".strip()
        return Verification.BELIEVED, answer


def _find_missing_evidence(instruction: str, answer: str, trace: TraceLog | None) -> str:
    """What a reported success lacks, as a clause; empty if nothing."""
    if wants_change(instruction):
        return later("nothing on the phone shows it") if trace is not None and not trace.has_trace else ""
    asks = _ASKS.search(instruction.strip()) is not None
    return later("its answer tells nothing") if asks and _says_nothing(answer, instruction) else ""


def _describe_doubt(contradiction: str, unanswered: Sequence[str]) -> str:
    if contradiction:
        return f" As far as could be seen, {contradiction}."
    if unanswered:
        parts = ", ".join(f"“{part}”" for part in unanswered)
        return f" Nothing was seen that answers {parts}."
    return ""

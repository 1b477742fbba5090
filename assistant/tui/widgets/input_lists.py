"""The lists above the input field: answers, what a line typed during a turn is for, completions of / and @.

A list that asks takes the focus, because the user has just pressed Enter; completions never do.
`SLASH_COMMANDS` are the commands that begin with a slash.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from rich.cells import cell_len
from textual import events as textual_events
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from assistant.conversation.line_words import ShortAnswer, is_bare_answer, read_short_answer
from assistant.conversation.routing import Route, RouteKind, route, without_refusal
from assistant.conversation.service import Mention
from assistant.i18n import _, later, shortened, wrap
from assistant.presentation.prompts import Prompt, PromptAnswer, PromptChoice
from assistant.presentation.text import choose_by_words, clip, one_line
from assistant.presentation.ui_state import LINE_QUESTIONS, LineMoment, LineUse, list_uses
from assistant.tui.keys import KEYS, shown_key

_CLAUSE_END = re.compile(r"[,，.。!！;；]")
_SHOWN, _LEAST_SHOWN, _CORNERS = 60, 12, 4


class AnswerList(OptionList):
    """Numbered answers. A number marks its answer and only Enter gives it, since a text may begin with one.

    Characters that answer nothing go to the input field, together with the number before them. The mark is
    full while the list has the focus, and hollow while something is typed beside it. A list that waits for
    another has none, so that no two lists look as if a key went to them.

    Args:
        name: its id in the style sheet.
    """

    @dataclass
    class Answered(Message):
        """An answer was chosen."""

        choice: str

    @dataclass
    class DetailsAsked(Message):
        """The names that programs give are to be shown, or hidden again."""

    def __init__(self, name: str = "decision-answers") -> None:
        super().__init__(id=name, classes="answers", markup=False, compact=True)
        self._answers: Sequence[PromptAnswer] = ()
        self._marked: int | None = None
        self._sign = "▸"
        self._letters = False
        self._begun = ""
        self._width = 0

    def show(
        self,
        answers: Sequence[PromptAnswer],
        *,
        letters: bool = False,
        first: int | None = 0,
    ) -> None:
        """Show these answers; none closes the list.

        Args:
            answers: in the order of their numbers.
            letters: whether y and n mark the first yes and the no.
            first: the place of the answer that is marked at first; None marks none until the user does.
        """
        self._letters = letters
        if answers == self._answers:
            return
        place = self.highlighted if len(answers) == len(self._answers) else None
        self._answers, self._begun = list(answers), ""
        if not answers and self.has_focus:
            # Hidden, it would lose the focus to whatever is nearest, which would swallow what is typed next.
            self.screen.set_focus(None)
        self._marked = None
        self.clear_options()
        self.add_options([Option(self._prompt(index)) for index in range(len(answers))])
        self.set_class(bool(answers), "-open")
        if answers:
            self.highlighted = place if place is not None else first

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose."""
        return bool(self._answers)

    def wait(self, waits: bool) -> None:
        """Hide the answers while another list asks, or show them again."""
        self.can_focus = not waits
        self.set_class(waits, "-in-line")
        self._mark()

    def _prompt(self, index: int) -> Content:
        sign = self._sign if index == self._marked else " "
        head = f"{sign} {index + 1}  "
        # Before the first layout there is no width; the list itself wraps then.
        room = self._width - len(head)
        rows = wrap(self._answers[index].words, room) if room > 0 else [self._answers[index].words]
        return Content(head + f"\n{' ' * len(head)}".join(rows))

    def on_resize(self) -> None:
        """Wrap the answers for a new width, below the beginning of their words."""
        width = self.scrollable_content_region.width
        if width != self._width:
            self._width = width
            for index in range(self.option_count):
                self.replace_option_prompt_at_index(index, self._prompt(index))

    def _mark(self) -> None:
        """Put the sign before the marked answer: full where Enter gives it, hollow where it sends a text."""
        before, sign = self._marked, self._sign
        self._marked = self.highlighted if self.can_focus else None
        self._sign = "▸" if self.has_focus else "▹"
        if (before, sign) == (self._marked, self._sign):
            return
        for index in {before, self._marked} - {None}:
            if index is not None and index < self.option_count:
                self.replace_option_prompt_at_index(index, self._prompt(index))

    def watch_highlighted(self, highlighted: int | None) -> None:
        """Move the sign."""
        super().watch_highlighted(highlighted)
        self._mark()

    def watch_has_focus(self, has_focus: bool) -> None:
        """Fill the sign while the keys go here."""
        super().watch_has_focus(has_focus)
        self._mark()

    def place_of(self, text: str) -> int | None:
        """The place of the answer that a whole text stands for by its number, or as y or n; else None."""
        text = text.strip().casefold()
        if text.isascii() and text.isdecimal() and 1 <= int(text) <= len(self._answers):
            return int(text) - 1
        choice = {"y": PromptChoice.YES, "n": PromptChoice.NO}.get(text) if self._letters else None
        choices = [answer.choice for answer in self._answers]
        return choices.index(choice) if choice in choices else None

    def answer(self, place: int) -> None:
        """Give an answer by its place."""
        self._begun = ""
        self.post_message(self.Answered(self._answers[place].choice))

    def on_click(self, event: textual_events.Click) -> None:
        """A click on an approval's answer marks it, as its number does; one on the marked answer gives it."""
        place = event.style.meta.get("option")
        if self._letters and place is not None and place != self.highlighted:
            event.prevent_default()
            self.focus()
            self.highlighted = place

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """Enter, or a click, gives the answer."""
        message.stop()
        self.answer(message.option_index)

    def on_blur(self) -> None:
        """What was begun here is not continued elsewhere."""
        self._begun = ""

    def on_key(self, event: textual_events.Key) -> None:
        """Moving away ends a number that was begun."""
        if event.key in ("up", "down", "home", "end", "backspace"):
            self._begun = ""

    def take(self, character: str) -> str:
        """Take a character: a number marks its answer. Returns what belongs to the input field instead."""
        text = self._begun + character
        if self._begun in _LETTERS and character in _LETTERS:
            # Whoever marks the yes after the no has changed their mind, and begins no word.
            text = character
        place = self.place_of(text)
        if place is not None:
            self._begun, self.highlighted = text, place
        elif text == " ":
            self.post_message(self.DetailsAsked())
        else:
            self._begun = ""
            return text
        return ""


_LETTERS = ("y", "n")


@dataclass(frozen=True, slots=True)
class _HeldLine:
    """A line whose use is asked, when and at which prompt it was typed, and which use is marked first."""

    text: str
    moment: LineMoment
    marked: LineUse | None
    prompt: Prompt | None


class LineChoice(AnswerList):
    """Asks what a line is for. Escape pauses the turn and keeps the line. Lines are asked about in turn.

    Once the turn has ended, there is nobody left to say it to.
    """

    @dataclass
    class Chosen(Message):
        """The user has said what the line is for."""

        text: str
        use: LineUse
        moment: LineMoment
        prompt: Prompt | None

    def __init__(self) -> None:
        super().__init__("line-choice")
        self._waiting: deque[_HeldLine] = deque()
        self._is_unclear = False
        self._in_line = False

    @property
    def moment(self) -> LineMoment | None:
        """When the line was typed that is asked about; None while none is."""
        return self._waiting[0].moment if self._waiting else None

    @property
    def holds_turn(self) -> bool:
        """Whether the running turn waits: what is asked may be meant for its next action."""
        return any(line.moment is LineMoment.RUNNING for line in self._waiting)

    def end_turn(self) -> None:
        """The turn is over during which the lines were typed."""
        self._waiting = deque(
            _HeldLine(line.text, LineMoment.OVER, LineUse.QUEUE, None) for line in self._waiting
        )
        self._ask_next()
        if self._waiting and LineUse.QUEUE not in list_uses(self._waiting[0].text, LineMoment.OVER):
            # No command, and no turn is left to say it to.
            self.leave()

    def ask(self, text: str, moment: LineMoment, marked: LineUse | None, prompt: Prompt | None) -> None:
        """Ask what a line is for, after the lines that are asked about already.

        Args:
            text: the line.
            moment: when it was typed.
            marked: the likeliest use; None marks none, so that an Enter too many gives none.
            prompt: what was open when it was typed.
        """
        anew = route(without_refusal(text), running=True)
        if moment is LineMoment.PAUSED and anew.kind is RouteKind.COMMAND and anew.sure:
            marked = LineUse.REPLACE
        self._waiting.append(_HeldLine(text, moment, marked, prompt))
        self._ask_next()

    def wait(self, waits: bool) -> None:
        """Show only the line while another list asks."""
        super().wait(waits)
        self._in_line = waits
        self._show_title()

    def leave(self) -> None:
        """Put the line back into the field, if it still asks."""
        if self._waiting:
            self._choose(LineUse.BACK)

    def drop(self) -> tuple[str, ...]:
        """Ask about no line any more; returns those that wait."""
        dropped = tuple(line.text for line in self._waiting)
        self._waiting.clear()
        self._is_unclear = False
        self._ask_next()
        return dropped

    def answer_in_words(self, text: str) -> bool:
        """Choose by a typed line; returns whether it was about this list.

        A yes chooses nothing, with words behind it either: “yes, change it please” must not begin what is to
        be changed.
        """
        place = choose_by_words(text, [answer.words for answer in self._answers])
        answer = read_short_answer(text)
        agrees = read_short_answer(_CLAUSE_END.split(text.strip(), maxsplit=1)[0]) is ShortAnswer.YES
        if place is not None:
            self.answer(place)
        elif answer in (ShortAnswer.NO, ShortAnswer.NONE_OF_THEM, ShortAnswer.LATER):
            self.leave()
        elif agrees or is_bare_answer(text):
            self._is_unclear = True
            self._show_title()
        else:
            return False
        return True

    def on_answer_list_answered(self, message: AnswerList.Answered) -> None:
        """Choose by Enter, number or click."""
        message.stop()
        if self._waiting:
            self._choose(LineUse(message.choice))

    def on_answer_list_details_asked(self, message: AnswerList.DetailsAsked) -> None:
        """A line has no details."""
        message.stop()

    def _choose(self, use: LineUse) -> None:
        self._is_unclear = False
        line = self._waiting.popleft()
        self.post_message(self.Chosen(line.text, use, line.moment, line.prompt))
        self._ask_next()

    def _ask_next(self) -> None:
        if not self._waiting:
            self.show(())
            return
        moment, marked = self._waiting[0].moment, self._waiting[0].marked
        uses = list_uses(self._waiting[0].text, moment)
        marked = marked if marked in uses else None
        uses = dict(sorted(uses.items(), key=lambda use: use[0] is not marked))
        self.show([PromptAnswer(_(words), use) for use, words in uses.items()], first=None)
        self.highlighted = 0 if marked is not None else None
        self._show_title()

    def _show_title(self) -> None:
        if (moment := self.moment) is not None:
            words = _(LINE_QUESTIONS[moment])
            if self._in_line:
                words = _("“{line}” waits until the list above is answered")
            if self._is_unclear:
                words = _("Choose with ↑ ↓ and enter, or type a number: “{line}”")
            if (more := len(self._waiting) - 1) > 0:
                words = f"{words} · {_('then {count} more').format(count=more)}"
            # The line is cut, and not what is asked about it.
            room = self.app.size.width - _CORNERS - cell_len(words.replace("{line}", ""))
            line = shortened(one_line(self._waiting[0].text), max(_LEAST_SHOWN, min(_SHOWN, room)))
            title = words.format(line=line)
            # Content, for a text would be read as markup.
            self.border_title = Content(title)


@dataclass(frozen=True, slots=True)
class Completion:
    """What can be put in place of a word: the `text`, and what it is."""

    text: str
    about: str


class CompletionList(OptionList, can_focus=False):
    """Completions of the word at the cursor; the input field moves through them."""

    @dataclass
    class Picked(Message):
        """A completion was clicked."""

        completion: Completion

    def __init__(self) -> None:
        super().__init__(id="completions", markup=False, compact=True)
        self._completions: Sequence[Completion] = ()
        self.word = ""

    @property
    def current(self) -> Completion | None:
        """The highlighted completion; None while there are none."""
        if not self._completions or self.highlighted is None:
            return None
        return self._completions[self.highlighted]

    def show(self, completions: Sequence[Completion], word: str = "") -> None:
        """Show the completions of a word; none closes the list."""
        self.word = word
        if completions == self._completions:
            return
        self._completions = tuple(completions)
        self.clear_options()
        self.add_options([Option(_format_completion(completion)) for completion in completions])
        self.set_class(bool(completions), "-open")
        self.highlighted = 0 if completions else None

    def move(self, step: int) -> None:
        """Highlight the next completion, or the one before."""
        if step > 0:
            self.action_cursor_down()
        else:
            self.action_cursor_up()

    def on_option_list_option_selected(self, message: OptionList.OptionSelected) -> None:
        """A click takes the completion."""
        message.stop()
        self.post_message(self.Picked(self._completions[message.option_index]))


def _format_completion(completion: Completion) -> Content:
    return Content.assemble(
        (f"{clip(one_line(completion.text), _SHOWN):<14}", "bold"),
        ("  " + one_line(completion.about), "$foreground-muted"),
    )


_MOST = 8


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command by name. `action` is a key's action; `words` say what it does where no key does.

    `chinese` is its other name: a person may type either at any time. `takes_words` is a pattern of what may
    stand behind it, `ANY_WORDS` for anything; by default nothing may.
    """

    name: str
    chinese: str
    action: str
    words: str = ""
    takes_words: str = ""

    @property
    def about(self) -> str:
        """What it does, with its key."""
        if self.words:
            return _(self.words)
        key = next((key for key in KEYS if key.action == self.action and key.help), None)
        if key is None:
            return ""
        shown = shown_key(key)
        return f"{_(key.help)} ({shown})" if shown else _(key.help)


ANY_WORDS = r".+"

SLASH_COMMANDS = (
    SlashCommand("help", "帮助", "app.help"),
    SlashCommand("memory", "记忆", "memory", takes_words=ANY_WORDS),
    SlashCommand("why", "理由", "app.why", later("Why the command was understood so, or this is suggested")),
    SlashCommand("history", "历史", "app.history"),
    SlashCommand(
        "queue",
        "队列",
        "queue",
        later("Queue the words behind it, or move into the queue"),
        takes_words=ANY_WORDS,
    ),
    SlashCommand("undo", "撤销", "undo", later("Undo your last change of the memory")),
    SlashCommand("redo", "重做", "redo", later("Do again what was undone last")),
    SlashCommand(
        "forget",
        "忘记",
        "forget",
        later("Find the words behind it in the memory, to forget it"),
        takes_words=ANY_WORDS,
    ),
    SlashCommand("phone", "手机", "picture"),
    SlashCommand("phones", "手机列表", "app.phones"),
    SlashCommand("turns", "任务", "app.turns", later("Show the next turn, on another phone")),
    SlashCommand("where", "位置", "app.where"),
    SlashCommand("suggestion", "建议", "suggestion"),
    SlashCommand("suggestions", "过去的建议", "app.suggestions"),
    SlashCommand(
        "schedule",
        "定时",
        "schedule",
        later("List the schedules, or add one: times, then what to do"),
        takes_words=ANY_WORDS,
    ),
    SlashCommand("learning", "学习", "learning", takes_words=r"(?i:on|off)|开|关"),
    SlashCommand("skills", "技能", "skills", later("List the skills: what was learnt, shown or imported")),
    SlashCommand(
        "record",
        "录制",
        "record",
        later("Show a task on the phone, to be kept as a skill of this name"),
        takes_words=ANY_WORDS,
    ),
    SlashCommand(
        "replay",
        "重放",
        "replay",
        later("Carry out a skill, with other values: item=rice"),
        takes_words=ANY_WORDS,
    ),
    SlashCommand("rules", "规则", "app.rules", later("What is allowed always: look it up, take it back")),
    SlashCommand("usage", "用量", "usage", later("What the model was used for: turns, tokens, money")),
    SlashCommand("model", "模型", "app.setup('model')", later("Set up the model, and the phone")),
    SlashCommand("setup", "安装", "app.setup"),
    SlashCommand("settings", "设置", "app.settings"),
    SlashCommand("theme", "主题", "app.change_theme", later("Change the theme"), takes_words=r"[\w-]+"),
    SlashCommand("thoughts", "想法", "thoughts"),
    SlashCommand("copy", "复制", "app.copy_turn"),
    SlashCommand("pause", "暂停", "pause"),
    SlashCommand("resume", "继续", "resume"),
    SlashCommand("cancel", "取消", "cancel"),
    SlashCommand("clear", "清空", "clear_conversation", later("Empty the conversation on the screen")),
    SlashCommand("exit", "退出", "app.quit"),
    SlashCommand("quit", "离开", "app.quit"),
)


_OTHER_NAMES = {
    "memory": ("find", "search", "grep", "lookup"),
    "记忆": ("查找", "搜索", "寻找", "检索"),
    "forget": ("delete", "remove"),
    "忘记": ("删除",),
    "cancel": ("stop", "abort", "end"),
    "取消": ("停止", "结束"),
    "exit": ("leave", "bye"),
    "help": ("commands", "keys", "h"),
    "settings": ("config", "options", "preferences"),
    "设置": ("选项", "配置"),
    "learning": ("incognito",),
}
"""Names that other programs have for these commands, by the name here."""


def parse_slash(text: str) -> tuple[str, str] | None:
    """The name and the words behind it of a line that begins with a slash; None for another line."""
    if not text.startswith("/") or "\n" in text:
        return None
    name, _space, rest = text[1:].partition(" ")
    return name.casefold(), rest.strip()


def find_slash(name: str, rest: str = "") -> SlashCommand | None:
    """The command of a name, or the only one that begins so; None if it takes no such words behind it."""
    command = _find_by_name(name)
    fits = command is not None and (not rest or re.fullmatch(command.takes_words, rest, re.DOTALL))
    return command if fits else None


def _find_by_name(name: str) -> SlashCommand | None:
    exact = next((command for command in SLASH_COMMANDS if name in (command.name, command.chinese)), None)
    begun = [command for command in SLASH_COMMANDS if _begins(command, name)]
    return exact or (begun[0] if len(begun) == 1 and name else None)


def slash_route(name: str, rest: str) -> Route | None:
    """The line that a slash command stands for with the words behind it; None if it is another command."""
    if name in ("undo", "redo", "schedule", "forget", "usage"):
        return Route(RouteKind(name), f"/{name} {rest}".strip(), rest)
    is_on = {"on": True, "off": False, "开": True, "关": False}.get(rest.casefold())
    if name == "learning" and is_on is not None:
        kind = RouteKind.RESUME_LEARNING if is_on else RouteKind.PAUSE_LEARNING
        return Route(kind, f"/{name} {rest}")
    return None


def tell_unknown_slash(name: str, rest: str = "") -> str:
    """That there is no such command, and which one has the nearest name; or that it takes no such words."""
    if (command := _find_by_name(name)) is not None and rest:
        sentence = _("/{name} takes no “{words}”: nothing was done. Leave these words out.")
        return sentence.format(name=command.name, words=shortened(one_line(rest), 30))
    names = [each for command in SLASH_COMMANDS for each in (command.name, command.chinese)]
    nearest = next((meant for meant, others in _OTHER_NAMES.items() if name in others), "")
    nearest = nearest or next(iter(get_close_matches(name, names, 1)), "")
    if nearest:
        sentence = _("There is no /{name}; /{nearest} is the nearest. Type / to see them all.")
        return sentence.format(name=one_line(name), nearest=nearest)
    return _("There is no /{name}. Type / to see them all.").format(name=one_line(name))


def _begins(command: SlashCommand, typed: str) -> bool:
    return command.name.startswith(typed) or command.chinese.startswith(typed)


_SKILL_NAMED = re.compile(r"/(?:replay|重放) +", re.IGNORECASE)


def names_skill(word: str) -> bool:
    """Whether a word to be completed is the command that carries out a skill, with the skill's name."""
    return _SKILL_NAMED.match(word) is not None


def word_at_cursor(text: str) -> str:
    """What is completed before the cursor; empty for nothing.

    A slash command, that of a skill with its name, or a name after @.
    """
    if (text.startswith("/") and " " not in text) or (names_skill(text) and "\n" not in text):
        return text
    at = text.rfind("@")
    if at < 0 or (at > 0 and text[at - 1].isascii() and not text[at - 1].isspace()):
        return ""
    return text[at:]


def _complete_skill(word: str, skills: Sequence[Mention]) -> list[Completion]:
    """The skills whose names begin with what is typed, then those that have it within.

    None for a number, which is a name of its own, and none behind a whole name, where values follow.
    """
    begin = _SKILL_NAMED.match(word)
    typed = word[begin.end() :].casefold() if begin is not None else ""
    names = [skill.name.casefold() for skill in skills]
    if begin is None or typed.isdecimal() or (typed != typed.rstrip() and typed.rstrip() in names):
        return []
    listed = [skill for skill in skills if typed in skill.name.casefold()]
    listed.sort(key=lambda skill: not skill.name.casefold().startswith(typed))
    listed.sort(key=lambda skill: skill.name.casefold() != typed)
    return [Completion(f"{begin[0]}{skill.name}", skill.about) for skill in listed[:_MOST]]


def complete(
    word: str,
    mentions: Sequence[Mention],
    phones: Sequence[tuple[str, str]] = (),
    skills: Sequence[Mention] = (),
) -> list[Completion]:
    """What may replace a word that begins with a slash or @, the nearest first.

    Args:
        word: with its slash or @.
        mentions: what the memory knows by name.
        phones: serial and model of the phones that a command can be sent to, where the word begins the line.
        skills: the skills that can be carried out, by name.
    """
    if names_skill(word):
        return _complete_skill(word, skills)
    if word.startswith("/"):
        typed = word[1:].casefold()
        begun = [command for command in SLASH_COMMANDS if _begins(command, typed)]
        begun.sort(key=lambda command: typed not in (command.name, command.chinese))
        about = [
            command
            for command in SLASH_COMMANDS
            if typed in command.about.casefold() and command not in begun
        ]
        return [Completion(f"/{command.name}", command.about) for command in (begun + about)[:_MOST]]
    if not word.startswith("@"):
        return []
    typed = word[1:].casefold()
    begun_names = [mention for mention in mentions if mention.name.casefold().startswith(typed)]
    within = [
        mention for mention in mentions if typed in mention.name.casefold() and mention not in begun_names
    ]
    names = [Completion(mention.name, mention.about) for mention in begun_names + within]
    chosen = [
        Completion(f"@{serial}", _("{model}: the command goes to this phone").format(model=model))
        for serial, model in phones
        if len(phones) > 1 and any(typed in name.casefold() for name in (serial, model))
    ]
    return (names[: max(0, _MOST - len(chosen))] + chosen)[:_MOST]

"""Commands that begin with a slash, and names after @: what they are, and which complete a typed word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.conversation.service import Mention
from assistant.i18n import _, later
from assistant.tui.keys import KEYS, with_user_keys
from assistant.tui.widgets.input_lists import Completion

_MOST = 8


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A command by name. `action` is a key's action; `words` say what it does where no key does."""

    name: str
    action: str
    words: str = ""

    @property
    def about(self) -> str:
        """What it does, with its key."""
        if self.words:
            return _(self.words)
        key = next((key for key in KEYS if key.action == self.action and key.help), None)
        if key is None:
            return ""
        shown = with_user_keys(_(key.shown))
        return f"{_(key.help)} ({shown})" if shown else _(key.help)


SLASH_COMMANDS = (
    SlashCommand("help", "app.help"),
    SlashCommand("memory", "memory"),
    SlashCommand("why", "app.why", later("Why the command was understood so, or this is suggested")),
    SlashCommand("history", "app.history"),
    SlashCommand("queue", "queue", later("Queue the words behind it, or move into the queue")),
    SlashCommand("undo", "undo", later("Undo your last change of the memory")),
    SlashCommand("forget", "forget", later("Find the words behind it in the memory, to forget it")),
    SlashCommand("phone", "picture"),
    SlashCommand("phones", "app.phones"),
    SlashCommand("where", "app.where"),
    SlashCommand("suggestions", "app.suggestions"),
    SlashCommand("learning", "learning"),
    SlashCommand("model", "app.setup", later("Set up the model, and the phone")),
    SlashCommand("setup", "app.setup"),
    SlashCommand("settings", "app.settings"),
    SlashCommand("theme", "app.change_theme", later("Change the theme")),
    SlashCommand("thoughts", "thoughts"),
    SlashCommand("copy", "app.copy_turn"),
    SlashCommand("pause", "pause"),
    SlashCommand("resume", "resume"),
    SlashCommand("cancel", "cancel"),
    SlashCommand("clear", "clear_conversation", later("Empty the conversation on the screen")),
    SlashCommand("exit", "app.quit"),
)


def parse_slash(text: str) -> tuple[str, str] | None:
    """The name and the words behind it of a line that begins with a slash; None for another line."""
    if not text.startswith("/") or "\n" in text:
        return None
    name, _space, rest = text[1:].partition(" ")
    return name.casefold(), rest.strip()


def find_slash(name: str) -> SlashCommand | None:
    """The command of a name, or the only one that begins so."""
    exact = next((command for command in SLASH_COMMANDS if command.name == name), None)
    begun = [command for command in SLASH_COMMANDS if command.name.startswith(name)]
    return exact or (begun[0] if len(begun) == 1 and name else None)


def word_at_cursor(text: str) -> str:
    """The word before the cursor that can be completed: a slash command, or a name after @; else empty."""
    if text.startswith("/") and " " not in text:
        return text
    at = text.rfind("@")
    if at < 0 or (at > 0 and text[at - 1].isascii() and not text[at - 1].isspace()):
        return ""
    return text[at:]


def complete(word: str, mentions: Sequence[Mention]) -> list[Completion]:
    """What may replace a word that begins with a slash or @, the nearest first."""
    if word.startswith("/"):
        typed = word[1:].casefold()
        begun = [command for command in SLASH_COMMANDS if command.name.startswith(typed)]
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
    return [Completion(mention.name, mention.about) for mention in (begun_names + within)[:_MOST]]

"""What a user types to find something: words, and filters such as `app:taobao scenario:office since:7d`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.i18n import _
from assistant.memory_view.items import Item

_FILTER = re.compile(r'(?<!\S)(app|scenario|place|source|since):("[^"]*"|\S*)', re.IGNORECASE)
_AGO = re.compile(r"(\d{1,5})([dhw])")
_HOURS = {"h": 1, "d": 24, "w": 168}


class UnreadableMoment(ValueError):
    """A text is no moment; the message says how one is written."""


@dataclass(frozen=True, slots=True)
class Query:
    """Words to be found, and what must hold besides; what is empty or None does not matter."""

    words: str = ""
    app: str = ""
    scenario: str = ""
    source: str = ""
    since: datetime | None = None

    @property
    def filters(self) -> bool:
        """Whether anything but the words is asked for."""
        return bool(self.app or self.scenario or self.source or self.since)

    def admits(self, item: Item) -> bool:
        """Whether an item is of the app, scenario, source and time that are asked for."""
        return (
            self.app in item.app.casefold()
            and self.scenario in item.scenario.casefold()
            and self.source in item.source.casefold()
            and (self.since is None or (item.last is not None and item.last >= self.since))
        )


def read_query(text: str, now: datetime) -> Query:
    """A query as it is typed; a filter that is half typed asks for nothing yet."""
    asked: dict[str, str] = {}
    for name, value in _FILTER.findall(text):
        asked["scenario" if name.casefold() == "place" else name.casefold()] = value.strip('"').casefold()
    since = asked.get("since", "")
    try:
        begin = moment(since, now) if since else None
    except UnreadableMoment:
        begin = None
    words = " ".join(_FILTER.sub(" ", text).split())
    return Query(words, asked.get("app", ""), asked.get("scenario", ""), asked.get("source", ""), begin)


def moment(text: str, now: datetime) -> datetime:
    """A moment as a user writes it: a day, a time, or how long ago; without a zone it is that of `now`.

    Raises:
        UnreadableMoment: it cannot be read.
    """
    if ago := _AGO.fullmatch(text.strip()):
        return now - timedelta(hours=int(ago[1]) * _HOURS[ago[2]])
    try:
        written = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UnreadableMoment(_("A moment is written 2026-03-09, 2026-03-09T12:00, 7d or 12h.")) from error
    return written if written.tzinfo else written.replace(tzinfo=now.tzinfo)

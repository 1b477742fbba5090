"""What left this machine for the model's endpoint, request by request."""

from __future__ import annotations

from assistant.i18n import _, later, moment
from assistant.memory.sent import SentLine
from assistant.memory_view.items import Act, Details, Item, Listing
from assistant.memory_view.part import Part

_MOST = 5000
_SHOWN = 20_000
_ACTS = frozenset({Act.FORGET})


class SentPart(Part):
    """Requests, newest first."""

    def build(self) -> Listing:
        """One line a request."""
        lines = self._desk.store.sent.lines(self._desk.user_id, _MOST)
        note = "" if lines else _("Nothing was sent yet: each request to the model leaves a line here.")
        return Listing(tuple(_item(one) for one in lines), note)

    def details(self, item: Item) -> Details:
        """Where it went, how much it was, and every word of it."""
        line = self._desk.store.sent.line(int(item.id))
        picture = _("yes, {size}").format(size=size(line.picture_bytes)) if line.picture_bytes else _("no")
        found = [
            (later("time"), f"{moment(line.time, year=True)}{line.time::%S}"),
            (later("to"), line.endpoint),
            (later("model"), line.model),
            (later("turn"), _step(line) if line.turn_id else _("none")),
            (later("screenshot"), picture),
            (later("words"), size(line.text_bytes)),
        ]
        found += [(role, text[:_SHOWN]) for role, text in line.parts]
        return Details(tuple((label, text) for label, text in found if text))

    def mark(self) -> int:
        """Requests leave no line among the changes."""
        return self._desk.store.sent.newest()

    def goes_with(self, item: Item) -> str:
        """The line alone."""
        return _("The line goes from this log for good; what was sent was sent.")

    def forget(self, item: Item) -> str:
        """Delete the line."""
        self._desk.store.sent.drop([int(item.id)])
        self._desk.store.database.scrub()
        return _("Forgotten.")


def size(count: int) -> str:
    """`950 bytes`, `34 kB`, `1.2 MB`."""
    if count < 1000:
        return _("{count} bytes").format(count=count)
    return f"{count / 1000:.0f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _step(line: SentLine) -> str:
    return f"{line.turn_id}, {_('step {number}').format(number=line.step)}"


def _item(line: SentLine) -> Item:
    what = _("screenshot and words") if line.picture_bytes else _("words")
    return Item(
        id=str(line.id),
        name=_("{what} to {host}").format(
            what=what, host=line.endpoint.partition("://")[2].partition("/")[0] or _("the model")
        ),
        acts=_ACTS,
        context=_("step {number}").format(number=line.step) if line.turn_id else "",
        last=line.time,
        tail=f"{size(line.size)} · {moment(line.time)}",
        source=line.turn_id,
    )

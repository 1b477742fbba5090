"""What the user has allowed: once, for this turn, or always in an app."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from assistant.events import ActionKind, Verdict
from assistant.memory.approvals import Approvals, StandingApproval
from assistant.records import ForegroundApp


class Allowances:
    """The approvals that hold for one turn.

    Args:
        beforehand: kinds that the command line allowed for this turn.
        standing: what the user allows always.
        user_id: which user.
    """

    def __init__(self, beforehand: Collection[ActionKind], standing: Approvals, user_id: str) -> None:
        self._this_turn = set(beforehand)
        self._standing = standing
        self._user_id = user_id

    def cover(self, kind: ActionKind, app: ForegroundApp) -> bool:
        """Whether an action of this kind in this app needs no asking."""
        return kind in self._this_turn or self._standing.holds(self._user_id, app.package, kind)

    def take(self, verdict: Verdict, kind: ActionKind, app: ForegroundApp, now: datetime) -> bool:
        """Remember what a verdict allows further; whether it allows the action at hand."""
        match verdict:
            case Verdict.THIS_TURN:
                self._this_turn.add(kind)
            case Verdict.ALWAYS if app.package:
                self._standing.allow(self._user_id, StandingApproval(app.package, kind, app.name, now))
            case _:
                pass
        return verdict in (Verdict.ONCE, Verdict.THIS_TURN, Verdict.ALWAYS)

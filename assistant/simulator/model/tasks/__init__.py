"""The task library: one module for each kind of app."""

from __future__ import annotations

from assistant.simulator.model.rules import Task
from assistant.simulator.model.tasks import (
    calendar,
    chat,
    clock,
    gallery,
    looking,
    mail,
    media,
    ordering,
    payment,
    people,
    places,
    rail,
    settings,
    tapping,
    texts,
)

LIBRARY: tuple[Task, ...] = (
    *looking.TASKS,
    *settings.TASKS,
    *rail.TASKS,
    *clock.TASKS,
    *gallery.TASKS,
    *mail.TASKS,
    *places.TASKS,
    *payment.TASKS,
    *texts.TASKS,
    *people.TASKS,
    *chat.TASKS,
    *calendar.TASKS,
    *media.TASKS,
    *ordering.TASKS,
    *tapping.TASKS,
)
"""All tasks; the first whose pattern fits is taken."""

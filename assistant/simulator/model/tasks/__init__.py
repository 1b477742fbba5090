"""The task library: one module for each kind of app."""

from __future__ import annotations

from assistant.simulator.model.rules import Task

LIBRARY: tuple[Task, ...] = ()

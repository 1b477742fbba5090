"""Sizes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Box:
    """A size: in cells, or in pixels."""

    width: int
    height: int

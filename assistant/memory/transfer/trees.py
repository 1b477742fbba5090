"""UI trees written as uiautomator writes them (AOSP AccessibilityNodeInfoDumper.java)."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

from assistant.records import Element


def tree_xml(elements: Sequence[Element]) -> str:
    """Elements in document order as the XML that uiautomator writes."""
    parts = ["<?xml version='1.0' encoding='UTF-8'?>", '<hierarchy rotation="0">']
    open_elements: list[int] = []
    for element in elements:
        while open_elements and open_elements[-1] != element.parent:
            open_elements.pop()
            parts.append("</node>")
        parts.append(f"<node {_attributes(element)}>")
        open_elements.append(element.index)
    parts += ["</node>"] * len(open_elements)
    return "\n".join([*parts, "</hierarchy>", ""])


def _attributes(element: Element) -> str:
    left, top, right, bottom = element.bounds
    values: dict[str, str | bool] = {
        "text": element.text,
        "resource-id": element.resource_id,
        "class": element.class_name,
        "package": element.package,
        "content-desc": element.description,
        "hint": element.hint,
        "checkable": element.checkable,
        "checked": element.checked,
        "clickable": element.clickable,
        "enabled": element.enabled,
        "focused": element.focused,
        "scrollable": element.scrollable,
        "long-clickable": element.long_clickable,
        "password": element.password,
        "selected": element.selected,
        "bounds": f"[{left},{top}][{right},{bottom}]",
    }
    return " ".join(f"{name}={quoteattr(_said(value))}" for name, value in values.items())


def _said(value: str | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else value

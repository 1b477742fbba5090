"""Texts that a phone, a model or a user might send to do harm, or that are merely hard to show."""

from __future__ import annotations

HOSTILE = {
    "markup": "[/x] [@click=app.quit]leave[/] [bold",
    "control": "\x1b[31mred\x1b[0m\x1b]0;title\x07\x9b2J a\x00b\x07c\x08d\rE",
    "strange": "half \ud83d pair \u202egnp.exe\u2066",
    "wide": "点外卖牛肉面不要香菜" * 30 + "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪" * 40,
    "long": "x" * 5000,
    "lines": "one\n" * 200,
}

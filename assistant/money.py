"""Money as people write it."""

from __future__ import annotations

from assistant.records import Cost

_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "CNY": "¥", "JPY": "JP¥", "INR": "₹", "KRW": "₩"}


def in_words(cost: Cost) -> str:
    """`$0.004`, `¥12.30`, `0.25 CHF`: two decimals, more where the amount is small."""
    small = 0 < cost.amount < 0.0005
    if small:
        figure = "0.001"
    elif cost.amount == 0:
        figure = "0"
    else:
        figure = f"{cost.amount:.3f}" if cost.amount < 0.1 else f"{cost.amount:.2f}"
    sign = _SIGNS.get(cost.currency)
    shown = f"{sign}{figure}" if sign else f"{figure} {cost.currency}"
    return f"<{shown}" if small else shown

"""What can be asked of a simulated phone over its control interface: one small class per command."""

from assistant.simulator.orders.base import Order, Refused
from assistant.simulator.orders.connection import (
    Authorize,
    Cut,
    Drop,
    Freeze,
    Lag,
    Refuse,
    Restore,
    Silence,
    Unauthorize,
)
from assistant.simulator.orders.inside import (
    Advance,
    Bring,
    Charge,
    Connect,
    EndDisplay,
    Notify,
    Own,
    Radio,
    Reset,
    SetDelays,
    SetQuirks,
    Snapshot,
    Trip,
    Uninstall,
)
from assistant.simulator.orders.user import Call, Hold, Lock, Move, Press, Rotate, Screen, Swipe, Tap, Unlock

ORDERS: dict[str, type[Order]] = {order.route: order for order in Order.__subclasses__()}
"""All commands by their routes."""

__all__ = [
    "ORDERS",
    "Advance",
    "Authorize",
    "Bring",
    "Call",
    "Charge",
    "Connect",
    "Cut",
    "Drop",
    "EndDisplay",
    "Freeze",
    "Hold",
    "Lag",
    "Lock",
    "Move",
    "Notify",
    "Order",
    "Own",
    "Press",
    "Radio",
    "Refuse",
    "Refused",
    "Reset",
    "Restore",
    "Rotate",
    "Screen",
    "SetDelays",
    "SetQuirks",
    "Silence",
    "Snapshot",
    "Swipe",
    "Tap",
    "Trip",
    "Unauthorize",
    "Uninstall",
    "Unlock",
]

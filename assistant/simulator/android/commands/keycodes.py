"""Android's key codes by name."""

from __future__ import annotations

_NAMES = {
    1: "SOFT_LEFT",
    2: "SOFT_RIGHT",
    3: "HOME",
    4: "BACK",
    5: "CALL",
    6: "ENDCALL",
    17: "STAR",
    18: "POUND",
    19: "DPAD_UP",
    20: "DPAD_DOWN",
    21: "DPAD_LEFT",
    22: "DPAD_RIGHT",
    23: "DPAD_CENTER",
    24: "VOLUME_UP",
    25: "VOLUME_DOWN",
    26: "POWER",
    27: "CAMERA",
    28: "CLEAR",
    55: "COMMA",
    56: "PERIOD",
    57: "ALT_LEFT",
    59: "SHIFT_LEFT",
    61: "TAB",
    62: "SPACE",
    66: "ENTER",
    67: "DEL",
    69: "MINUS",
    76: "SLASH",
    77: "AT",
    79: "HEADSETHOOK",
    82: "MENU",
    83: "NOTIFICATION",
    84: "SEARCH",
    85: "MEDIA_PLAY_PAUSE",
    86: "MEDIA_STOP",
    87: "MEDIA_NEXT",
    88: "MEDIA_PREVIOUS",
    92: "PAGE_UP",
    93: "PAGE_DOWN",
    111: "ESCAPE",
    112: "FORWARD_DEL",
    113: "CTRL_LEFT",
    122: "MOVE_HOME",
    123: "MOVE_END",
    126: "MEDIA_PLAY",
    127: "MEDIA_PAUSE",
    160: "NUMPAD_ENTER",
    164: "VOLUME_MUTE",
    176: "SETTINGS",
    187: "APP_SWITCH",
    219: "ASSIST",
    220: "BRIGHTNESS_DOWN",
    221: "BRIGHTNESS_UP",
    223: "SLEEP",
    224: "WAKEUP",
    276: "SOFT_SLEEP",
    277: "CUT",
    278: "COPY",
    279: "PASTE",
}
_HIGHEST = 330
_CODES = (
    {name: code for code, name in _NAMES.items()}
    | {f"NUMPAD_{digit}": 144 + digit for digit in range(10)}
    | {f"F{place}": 130 + place for place in range(1, 13)}
    | {chr(ord("A") + place): 29 + place for place in range(26)}
)


def key_code(text: str) -> int:
    """The code for `66`, `ENTER` or `KEYCODE_ENTER`; any other word is 0, the unknown key."""
    if text.isascii() and text.isdigit() and len(text) < 5:
        code = int(text)
        return code if code <= _HIGHEST else 0
    return _CODES.get(text.upper().removeprefix("KEYCODE_"), 0)

"""Normalizes text from a screen, so that disguised words are recognized.

A label can be written so that a person reads “Pay” and a comparison does not: full-width or mathematical
letters, letters of other scripts that look the same, invisible characters, letters apart, text that runs
right to left, markup. Source of the look-alikes: Unicode TR 39, confusables.txt, the letters that English
words need.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import lru_cache

_LOOK_ALIKE = {
    "a": "аɑαᴀᎪ",
    "b": "ЬВвʙᏏ",
    "c": "сϲⅽᴄᏟ",
    "d": "ԁⅾᏧᎠᴅ",
    "e": "еєҽᴇεᎬ",
    "f": "ꜰғ",
    "g": "ɡɢց",
    "h": "һհʜнΗ",
    "i": "іɩɪιıΙ",
    "j": "јᴊ",
    "k": "κкᴋК",
    "l": "ӏⅼʟ∣ǀᏞ",
    "m": "мᴍМΜ",
    "n": "ոɴΝ",
    "o": "оοօᴏ০",
    "p": "рρᴘΡᏢ",
    "q": "ԛզ",
    "r": "гʀᴦ",
    "s": "ѕꜱꮪᏚ",
    "t": "тτᴛΤ",
    "u": "υսᴜ",
    "v": "ѵνᴠ",
    "w": "ԝᴡѡ",
    "x": "хⅹχ",
    "y": "уүʏγΥ",
    "z": "ᴢΖ",
}
_TRADITIONAL = (
    "轉賬帳發刪購買確認訂單裝許撥傳驗證碼載個開設備應絡費錢撤郵話貼訊組權號螢鎖輸關離佈語資員錄圖檔書"
    "頁閉儲選項鈕鍵評論讚線處點擊價額餘現換兌匯銀結執銷視頻聯繫機車輛預約門鑰險稅團隊簽"
)
_SIMPLIFIED = (
    "转账账发删购买确认订单装许拨传验证码载个开设备应络费钱撤邮话贴讯组权号萤锁输关离布语资员录图档书"
    "页闭储选项钮键评论赞线处点击价额余现换兑汇银结执销视频联系机车辆预约门钥险税团队签"
)
_SYMBOLS = {
    "🗑": " delete ",
    "📞": " call ",
    "☎": " call ",
    "✆": " call ",
    "📤": " send ",
    "➤": " send ",
    "📨": " send ",
    "🛒": " cart ",
}
_TABLE = str.maketrans(
    {
        **{other: letter for letter, others in _LOOK_ALIKE.items() for other in others},
        **dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True)),
        **_SYMBOLS,
        **dict.fromkeys("’ʼ‘`´′", "'"),
        **dict.fromkeys("‐‑‒", "-"),
        **dict.fromkeys("’ʼ‘`´′＇", "'"),
        **dict.fromkeys("‐‑‒", "-"),
        **{chr(0x1F150 + place): chr(97 + place) for place in range(26)},
        **{chr(0x1F170 + place): chr(97 + place) for place in range(26)},
        **{chr(0x1F1E6 + place): chr(97 + place) for place in range(26)},
    }
)
_DIGITS_AS_LETTERS = str.maketrans("034570@$1!|", "oeastoas\0\0\0")
_MAX_ONES = 4

_TAG = re.compile(r"<[^<>]{1,60}>|\[/?[a-z][^\[\]]{0,40}\]")
_APART = re.compile(r"(?<![a-z0-9])(?:[a-z][\s._·•*|/\\~-]){2,}[a-z](?![a-z0-9])")
_CJK = "[\u3400-\u9fff]"
_CJK_APART = re.compile(rf"(?<={_CJK})[\s._·•*|~-]+(?={_CJK})")
_RIGHT_TO_LEFT = re.compile("[\u202b\u202e\u2067]")
_MIXED = re.compile(r"\b(?=\w*[a-z])(?=\w*[0-9@$!])[a-z0-9@$!]{3,}")


@lru_cache(maxsize=8192)
def normalize_label(text: str) -> str:
    """Lower-case, with ordinary letters and single spaces, and without what cannot be seen."""
    text = unicodedata.normalize("NFKC", text).translate(_TABLE)
    text = "".join(_visible(character) for character in unicodedata.normalize("NFKD", text))
    text = unicodedata.normalize("NFC", text).casefold().translate(_TABLE)
    text = _CJK_APART.sub("", _TAG.sub("", text))
    text = _APART.sub(lambda match: re.sub(r"[^a-z]", "", match[0]), text)
    return " ".join(text.split())


@lru_cache(maxsize=8192)
def readings(text: str) -> tuple[str, ...]:
    """The ways a person could read a label: as it is, digits as letters, and backwards where it is turned."""
    first = normalize_label(text)
    ways = [first]
    if _MIXED.search(first):
        ways += _with_letters(first)
    if _RIGHT_TO_LEFT.search(text):
        ways.append(first[::-1])
    return tuple(dict.fromkeys(way for way in ways if way))


def _with_letters(text: str) -> list[str]:
    """The text with digits in words read as letters; a 1 may stand for an i or an l, each for itself."""
    mixed = _MIXED.sub(lambda match: match[0].translate(_DIGITS_AS_LETTERS), text)
    ones = min(mixed.count("\0"), _MAX_ONES)
    return [_fill_placeholders(mixed, choice) for choice in itertools.product("il", repeat=ones)]


def _fill_placeholders(text: str, letters: tuple[str, ...]) -> str:
    for letter in letters:
        text = text.replace("\0", letter, 1)
    return text.replace("\0", "l")


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cf", "Mn", "Me", "Cn", "Co") or character == "\u3164":
        return ""
    return " " if category in ("Cc", "Zl", "Zp", "Zs") else character

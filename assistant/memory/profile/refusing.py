"""What is no value of a profile: pieces of sentences, words that say nothing, a name that is an app's.

What merely has a loose end ("coriander from") is trimmed; what then still says nothing is refused, with why.
"""

from __future__ import annotations

import re

from assistant.memory.profile.lexicon import lexicon
from assistant.memory.profile.nodes import WISH, cleaned, is_chinese, normalised

NAME = "name"
ADDRESS = "address"

_LOOSE_END = re.compile(
    r"(?:\s+(?:from|with|without|and|or|but|to|in|on|at|for|of|by|the|an?|my|please|too|also|as|is|are|was"
    r"|because|since|so|when|while|if|that|which|who|than|then|instead|again|today|tonight|now))+[\s,.]*$"
    r"|[，、,\s]*(?:和|与|跟|或|还有|因为|所以|但是|但|的时候|来|也|呢|吧|啊|哦|了)+$",
    re.IGNORECASE,
)
_NEXT_THING = re.compile(r"\s+(?:and|but)\s+(?:with|without|no|to|in|on|at|for|pay|please|then|also|I)\b.*$")
_EMPTY = re.compile(
    r"(?:i(?:'ve| have)? changed my mind(?: about (?:this|that|it))?|please|thanks?|thank you"
    r"|always|as (?:ever|usual|always)|usual(?:ly)?|never|again|the same|ok(?:ay)?"
    r"|and|or|from|with|the|an?|it|that|this|one|some(?:thing)?|any(?:thing)?|nothing|my|me|i|for"
    r"|from now on|new habit|just|so|too|then|now"
    r"|请|谢谢|一直(?:这样|如此)?|总是|每次|照旧|照例|老样子|我改主意了?|改主意了?|以后|今后|从今以后|这样|那样|一样|这个|那个"
    r"|都|要|的|了|吧|啊|也|就|还|再)",
    re.IGNORECASE,
)
_FEW = 12
_ADDRESS_WORDS = re.compile(
    r"\d|\b(?:street|st|road|rd|lane|avenue|ave|drive|boulevard|square|court|place|park|tower|building|block|hall"
    r"|floor|level|flat|apartment|house|centre|center|plaza|campus|mall|quay|bridge|garden|gardens|view|yard"
    r"|terrace|hill|wharf|dorm|dormitory|room|suite|gate|station|village|college|university|school|hospital"
    r"|library|hotel|office|way|close|mews|row|market)\b",
    re.IGNORECASE,
)


def trimmed(key: str, text: str) -> str:
    """A value without its loose ends; an address or a name without the wish behind it."""
    plain = cleaned(text)
    if key in (NAME, ADDRESS):
        plain = _NEXT_THING.sub("", plain)
    if key == WISH or (key in (NAME, ADDRESS) and is_chinese(plain)):
        # A wish may end as it likes; Chinese names and addresses end where their frame says.
        return plain
    return _LOOSE_END.sub("", plain).strip(" ,;，、")


def why_refused(key: str, text: str) -> str:
    """Why a text is no value of a key, in words; empty where it is one."""
    plain = normalised(text)
    if not any(one.isalnum() for one in plain):
        return "it says nothing"
    if says_nothing(plain):
        return "its words say nothing by themselves"
    if key == NAME and _is_app(plain):
        return "it is the name of an app"
    if key == NAME and any(one.isdigit() for one in plain):
        return "a name has no digits"
    if key == ADDRESS and not is_chinese(text) and not (text[:1].isupper() or _ADDRESS_WORDS.search(text)):
        return "it is no address"
    return ""


def says_nothing(text: str) -> bool:
    """Whether a text consists of words that say nothing by themselves."""
    plain = normalised(text)
    for _ in range(_FEW):
        if not plain:
            return True
        if not (match := _EMPTY.match(plain)):
            return False
        ended = is_chinese(match[0]) or not plain[match.end() : match.end() + 1].isalnum()
        if not ended:
            return False
        plain = plain[match.end() :].lstrip(" ,.;!，。；！'’")
    return False


def _is_app(plain: str) -> bool:
    return any(domain.apps and domain.apps.fullmatch(plain) for domain in lexicon().domains.values())

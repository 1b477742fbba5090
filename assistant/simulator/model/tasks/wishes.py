"""Takes an order apart: what, how many, from which shop, with which wishes, to which address."""

from __future__ import annotations

import re

from assistant.simulator.model.times import number
from assistant.simulator.model.words import cjk

_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "some": 1, "my": 1, "the": 1}
_SIZES = {"small": "Small", "regular": "Regular", "medium": "Regular", "large": "Large", "big": "Large"}
_MEASURES = "份碗杯个盒只瓶斤包本件台双条张副套支罐箱"
_COUNT_OF = re.compile(
    r"(?P<many>one|two|three|four|[1-9])(?: (?:of (?:them|those|it)|portions?|cups?|bowls?))?", re.IGNORECASE
)
_MARKERS = re.compile(
    r",?\s+(?P<word>without|with no|with(?= "
    r"(?:extra|less|no|half|gift|two|pearls|coconut|red|an? ))|from|on|via|in|at|to|and(?= "
    r"(?:no|extra|less|without) ))\s+|,\s*(?:and )?(?=(?:no|extra|less|half|not|very|medium|mild|hot)\b)",
    re.IGNORECASE,
)
_WISHES_ZH = re.compile(
    r"(?:不要|不放|不加|免)(?:香菜|葱|蒜|冰|糖|辣)|加个?(?:一个)?(?:蛋|牛肉)|少(?:盐|糖|冰)|去冰|正常冰|[全半无]糖|热饮|热的|不辣|微辣|中辣|特辣"
    r"|加?(?:珍珠(?!奶茶)|椰果|红豆)|[大小中](?:份|杯|碗)|(?<=要)\d{2}(?=码|$)"
)
_SIZES_ZH = {"大": "大份", "小": "小份", "中": "中份"}


def read_order(slots: dict[str, str], instruction: str) -> dict[str, str]:
    """Slots `what`, `query`, `count`, `shop`, `address` and `wishes` (parted by `|`) of an order."""
    order = slots.get("order", "")
    read = _chinese(order) if cjk(order) else _english(order)
    wished = [read.pop("wishes", ""), slots.get("wish", "")]
    size = {"small", "large", "regular"}
    kept = [wish for part in wished for wish in part.split("|") if wish]
    if slots.get("wish", "").lower() in size or slots.get("wish", "") in _SIZES_ZH.values():
        kept = [wish for wish in kept if wish.lower() not in size and wish not in _SIZES_ZH.values()] + [
            slots["wish"]
        ]
    if re.search(r"热|\bhot\b", slots.get("wish", ""), re.IGNORECASE):
        kept = [wish for wish in kept if not re.search(r"冰|\bice", wish, re.IGNORECASE)]
    if many := slots.get("many", "").lower():
        read["count"] = str(_COUNTS.get(many) or number(many) or 1)
    merged = {**read, **{key: value for key, value in slots.items() if key in ("shop", "address")}}
    return {**slots, **merged, "wishes": "|".join(dict.fromkeys(kept)), "query": read["what"]}


def _english(order: str) -> dict[str, str]:
    read: dict[str, str] = {"count": "1"}
    wish_texts: list[str] = []
    parts = _MARKERS.split(order)
    head = parts[0].strip()
    for word, text in zip(parts[1::2], parts[2::2], strict=True):
        _add(read, wish_texts, (word or "").lower(), (text or "").strip(" ,."))
    words = head.split()
    if words and (words[0].lower() in _COUNTS or words[0].isdecimal()):
        first = words.pop(0).lower()
        if read["count"] == "1":  # “A latte and two of them” says last how many.
            read["count"] = str(_COUNTS.get(first) or first)
    if words and words[0].lower() in _SIZES:
        wish_texts.insert(0, _SIZES[words.pop(0).lower()])
    rest = re.sub(r"^(?:bowls?|cups?|portions?|boxes|box|servings?|bottles?|packs?) of ", "", " ".join(words))
    return {**read, "what": rest, "wishes": "|".join(wish_texts)}


def _add(read: dict[str, str], wish_texts: list[str], word: str, text: str) -> None:
    text = re.sub(r"^(?:the|my) |[ ,]+(?:but|and)$", "", text)
    match word:
        case "without" | "with no":
            for part in filter(None, map(str.strip, re.split(r",| and | or | but ", text))):
                # What is left out ends before how many are wanted: “without onions and two of them”.
                if count := _COUNT_OF.fullmatch(part):
                    read["count"] = str(_COUNTS.get(count["many"].lower()) or count["many"])
                else:
                    wish_texts.append(f"No {part.removeprefix('no ')}")
        case "from" | "at":
            read["shop"] = text
        case "to":
            read["address"] = text
        case "on" | "via":
            pass
        case "in" if re.fullmatch("eats|market", text, re.IGNORECASE):
            pass
        case "in":
            wish_texts.append(text.removeprefix("size "))
        case _:
            wish_texts += [piece.strip() for piece in re.split(r",| and ", text) if piece.strip()]


def _chinese(order: str) -> dict[str, str]:
    read: dict[str, str] = {"count": "1"}
    address = re.search(r"[,，]?(?:送到|送去|送)(.+?)(?=[,，]|$)", order)
    if address:
        read["address"] = address[1]
        order = order.replace(address[0], "")
    if many := re.match(rf"([\d一二两三四五六七八九十]+)[{_MEASURES}](?=.+的)", order):
        read["count"] = str(number(many[1]))
        order = order[many.end() :]
    shop = re.match(r"(?:从|在|去)?(.{2,8}?)(?:的|点|叫|订|买|来)(?=.)", order)
    if shop and shop[1] not in ("外卖", "外卖上"):
        read["shop"] = shop[1]
        order = order[shop.end() :]
    wish_texts = [match.group() for match in _WISHES_ZH.finditer(order)]
    what = re.sub(r"[,，、。和要的]+", "", _WISHES_ZH.sub("", order))
    counted = re.match(rf"([\d一二两三四五六七八九十]+)[{_MEASURES}]", what)
    if counted:
        read["count"] = str(number(counted[1]))
        what = what[counted.end() :]
    wish_texts = [_SIZES_ZH.get(wish[0], wish) for wish in wish_texts]
    return {**read, "what": what, "wishes": "|".join(wish_texts)}

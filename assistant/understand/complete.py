"""Complete: the command made explicit with the values that were found, changing as little as possible."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.memory.him.words import word_set
from assistant.understand import english_words as words
from assistant.understand.elements import Category, Element, Language, Perceived, key, language_of
from assistant.understand.objects import CLOCK, without_app
from assistant.understand.occasions import is_goal, is_shop, means_of
from assistant.understand.sources import Found, Origin
from assistant.understand.tokens import Part, tokenised, within
from assistant.understand.values import usable

_ARTICLE = re.compile(r"\b(?:an?|the|some)\s+$", re.IGNORECASE)
_QUIET = words.words_of(
    "please me the my a an some now again i to like would us for so ok okay hey hello hi right well just "
    "let's let it one same do want have i'd"
)
_ZH_QUIET = re.compile(
    "请|帮我|给我|麻烦|我想|我要|点|订|买|叫|播放|放|听|看|来|再|一份|一个|一下|一杯|杯|个|份|吧|去|打开|那个|对了|快|嘿|啊|的|了|把"
)
_MEALS = words.words_of(
    "lunch dinner breakfast brunch supper food takeout takeaway meal something bite order get buy"
)
_MEALS_ZH = re.compile("午饭|午餐|中饭|晚饭|晚餐|早饭|早餐|夜宵|外卖|吃的|东西|饭|叫|从|在")
_STABLE = 3
_ZH_NAMED = re.compile('[0-9a-zA-Z《“「"]|给(?!我)|送到|[一二三四五六七八九十百两]+(?:点|分|号|月|块|元|度)')
ADOPTED = 0.6
"""The confidence from which a preference's whole instruction stands for a command that names nothing."""

_ASKED = re.compile(
    r"^(?:please )?(?:what(?:['’]?s| is| are| was)|tell me|remind me(?: of)?|do you know|show me)\s+$",
    re.IGNORECASE,
)
_ASKED_ZH = re.compile("^(?:请?(?:告诉我|问一?下|查一?下))?$")
_ASKING_ZH = re.compile("^(?:的?地址)?(?:是什么|是多少|是几号|是啥|是谁|在哪里?|是哪里|多少)")
_SHORT_LABEL = 2
_POINTING = ("before", "after", "during", "until", "till", "once")
_ZH_TIME_TAIL = re.compile("(?:之前|以前|之后|以后|前|后)$")


@dataclass(frozen=True, slots=True)
class Filled:
    """A span of the completed instruction, `instruction[start:end]`, and the element it stands for."""

    start: int
    end: int
    element: Element


@dataclass(frozen=True, slots=True)
class Completed:
    """The explicit instruction, the app to do it in where that is known, and where each value went."""

    instruction: str
    app: str
    spans: tuple[Filled, ...]


def complete(perceived: Perceived, values: Mapping[str, Found], apps: Sequence[str] = ()) -> Completed:
    """Put values in the place of their elements.

    Args:
        perceived: the command with its elements.
        values: what was found, by the key of the element's text; an element without stays as it is said.
        apps: labels of the apps on the phone, to see which one the command names.
    """
    elements = [one for one in perceived.elements if key(one.text) in values]
    named = named_app(perceived.said, apps)
    leading = _leading(elements, values)
    app = leading.preference.prototype.app if leading and leading.preference else ""
    if leading and leading.preference and (whole := _whole(perceived, elements, leading)):
        element = elements[0]
        return Completed(whole, app or named, (Filled(0, len(whole), element),))
    if any(is_goal(one, perceived.said) and means_of(perceived.said) for one in elements):
        # The way there may be another one than usual, in another app.
        app = ""
    text, spans = _replaced(perceived, elements, values)
    if app and not named and app.casefold() not in text.casefold() and usable(app):
        text = _with_app(text, app, perceived.language)
    return Completed(text, named or app, tuple(spans))


def named_app(said: str, apps: Sequence[str]) -> str:
    """The app that a command names; the longest label where several stand there.

    A label that is also a plain word ("Phone", "Music", 电话) counts only where an app may stand.
    """
    return max((label for label in apps if label.strip() and _names(said, label)), key=len, default="")


def _names(said: str, label: str) -> bool:
    name = re.escape(label)
    if language_of(label) is Language.ZH:
        if len(label) > _SHORT_LABEL:
            return label in said
        return bool(re.search(rf"(?:打开|启动|用|在|去|到|从|通过|进入){name}", said))
    before = r"\b(?:open|launch|start|in|on|via|using|use|from|with|through)\s+(?:the\s+)?"
    if re.search(rf"{before}{name}(?!\w)|(?<!\w){name}\s+app\b", said, re.IGNORECASE):
        return True
    # A name keeps its capital within a sentence; in Chinese text any Latin word is a name.
    in_chinese = language_of(said) is Language.ZH
    inside = re.search(rf"(?<!\w){name}(?!\w)", said, re.IGNORECASE if in_chinese else 0)
    return bool(inside) and (in_chinese or (inside is not None and inside.start() > 0 and label[0].isupper()))


def adopts(perceived: Perceived, element: Element, found: Found) -> bool:
    """Whether a preference's whole instruction can stand for the command."""
    return bool(_whole(perceived, [element], found))


def adds(said: str, found: Found) -> bool:
    """Whether a preference says anything that the command does not: else the command is explicit."""
    if found.preference is None:
        return False
    prototype = found.preference.prototype
    known, told = word_set(said), word_set(without_app(prototype.instruction, prototype.app))
    return bool(told - known) and len(prototype.members) >= _STABLE


def _names_goods(rest: str, instruction: str, language: Language) -> bool:
    """Whether what surrounds a shop says what to get there: not a meal, which any order is, but a salad."""
    if language is Language.ZH:
        return _says_more(_MEALS_ZH.sub(" ", rest), instruction, language)
    there = {key(token.lower) for token in tokenised(instruction)}
    return any(
        token.part in (Part.NOUN, Part.NAME) and token.lower not in _MEALS and key(token.lower) not in there
        for token in tokenised(rest)
    )


def _leading(elements: Sequence[Element], values: Mapping[str, Found]) -> Found | None:
    """The first value that came from a preference."""
    found = (values[key(one.text)] for one in elements)
    return next((one for one in found if one.origin is Origin.PREFERENCE), None)


def _whole(perceived: Perceived, elements: Sequence[Element], found: Found) -> str:
    """The preference's own instruction, where the command says nothing beyond verb and element."""
    if found.preference is None or len(perceived.elements) != 1 or len(elements) != 1:
        return ""
    (element,) = elements
    prototype = found.preference.prototype
    instruction = prototype.instruction
    same_language = language_of(instruction) is perceived.language
    if not same_language or not usable(instruction) or element.category is Category.TIME:
        return ""
    if found.value.casefold() not in instruction.casefold():
        return ""
    rest = f"{perceived.said[: element.start]} {perceived.said[element.end :]}"
    more = _says_more(without_app(rest, prototype.app), f"{instruction} {prototype.app}", perceived.language)
    if more and (found.confidence < ADOPTED or names_something(rest)):
        return ""
    if is_shop(element, perceived.said) and _names_goods(rest, instruction, perceived.language):
        return ""
    if is_goal(element, perceived.said) and means_of(rest) - means_of(instruction):
        return ""
    if usable(prototype.app) and prototype.app.casefold() not in instruction.casefold():
        return _with_app(instruction, prototype.app, perceived.language)
    return instruction


def names_something(text: str) -> bool:
    """Whether there is a name, a number or a quotation in a text."""
    if language_of(text) is Language.ZH:
        return bool(_ZH_NAMED.search(text))
    tokens = tokenised(text)
    return any(
        token.part in (Part.NUMBER, Part.QUOTED, Part.NAME)
        or (token.capitalised and place and token.lower != "i" and tokens[place - 1].part is not Part.MARK)
        for place, token in enumerate(tokens)
    )


def _says_more(rest: str, instruction: str, language: Language) -> bool:
    """Whether anything is left of a command besides its verb and what the instruction says, too."""
    if language is Language.ZH:
        runs = re.findall(r"[\u3400-\u9fff]+|\w+", _ZH_QUIET.sub(" ", rest))
        pairs = (run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1)))
        return any(pair not in instruction for pair in pairs)
    there = {key(token.lower) for token in tokenised(instruction)}
    tokens = [
        token
        for token in tokenised(rest)
        if token.part is not Part.MARK
        and token.lower not in _QUIET
        and key(token.lower) not in there
        and not within(token, words.KINDS)
    ]
    verbs = [token for token in tokens if token.part is Part.VERB or token.lower in words.VERBS]
    return len(verbs) > 1 or len(tokens) > len(verbs)


def _replaced(
    perceived: Perceived, elements: Sequence[Element], values: Mapping[str, Found]
) -> tuple[str, list[Filled]]:
    text = ""
    spans = []
    place = 0
    for element in elements:
        before = perceived.said[place : element.start]
        if perceived.language is Language.EN:
            before = _ARTICLE.sub("", before)
        value = _fitted(
            element, values[key(element.text)].value, perceived.said[: element.start], perceived.language
        )
        if _is_asked(perceived, element):
            value = (
                f"{element.text} ({value})" if before.isascii() and before else f"{element.text}（{value}）"
            )
        text += before
        spans.append(Filled(len(text), len(text) + len(value), element))
        text += value
        place = element.end
    return text + perceived.said[place:], spans


def _is_asked(perceived: Perceived, element: Element) -> bool:
    """Whether a command asks for the very thing that was found: "what's my address"."""
    before, behind = perceived.said[: element.start], perceived.said[element.end :].strip(" ?!.？。！吗")
    if perceived.language is Language.ZH:
        return bool(_ASKED_ZH.match(before) and _ASKING_ZH.match(behind))
    return bool(_ASKED.match(before)) and not behind


def _fitted(element: Element, value: str, before: str, language: Language) -> str:
    """A value with the small words that its place in the sentence needs."""
    if language is Language.ZH:
        tail = _ZH_TIME_TAIL.search(element.text)
        timed = element.category is Category.TIME and tail
        return f"{value}{tail[0]}" if timed and tail and CLOCK.search(value) else value
    first = element.text.split()[0].lower()
    if element.category is Category.TIME and first in ("when", "once", *_POINTING) and CLOCK.search(value):
        return f"{first if first in _POINTING and first != 'once' else 'at'} {value}"
    if element.head == "home" and element.text.lower() == "home":
        tokens = tokenised(before)
        if (
            tokens
            and tokens[-1].part is not Part.PREPOSITION
            and tokens[-1].lower not in ("to", "from", "and")
        ):
            return f"to {value}"
    return value


def _with_app(text: str, app: str, language: Language) -> str:
    """A text with the app to do it in."""
    bare = text.rstrip()
    mark = bare[-1] if bare and bare[-1] in ".!。！" else ""
    bare = bare.removesuffix(mark) if mark else bare
    return f"在{app}上{bare}{mark}" if language is Language.ZH else f"{bare} on {app}{mark}"

"""Content words and opposite verbs of instructions in English and Chinese (PersonalAlign 5.2).

Opposite verbs are "order" and "cancel", "turn on" and "turn off", 打开 and 关闭. Sentence embeddings hardly
tell such instructions apart, so their verbs are read here. A verb has a pole on one or more axes; two
instructions oppose each other when on some axis all verbs of one stand at the other pole than all of
the other's. Only words in a verb's position count, so that the name of a film or of a dish does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA

from assistant.files import any_word, compile_words, lazy_regex, read_words
from assistant.i18n import fold_case, has_chinese, plain_signs

_TERMS = read_words("assistant.memory.prototypes", "terms.yaml")


def _words(name: str) -> frozenset[str]:
    return frozenset(_TERMS[name])


def _pattern(name: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
    return compile_words(_TERMS[name], flags=flags)


_WORD = lazy_regex(r"[a-z0-9]+(?:[.'’:][a-z0-9]+)*")
_CJK = lazy_regex(r"[\u3400-\u9fff\uf900-\ufaff]+")

_STOP = _words("stop_words")
_CHINESE_STOP = _pattern("chinese_stop")
_VAGUE_ENGLISH = _pattern("vague_english")
_VAGUE_CHINESE = _pattern("vague_chinese")
_OPENING = _pattern("opening", re.IGNORECASE)


@lru_cache(maxsize=65536)
def word_set(text: str) -> frozenset[str]:
    """The content words of an instruction: English words without stop words, pairs of Chinese characters.

    A run of one Chinese character gives that character. Case, plurals, possessives and the tense of verbs do
    not count, nor do the values of measurements that are noted: they differ each time.
    """
    normalized = unicodedata.normalize("NFKC", text).casefold()
    if _MEASURED.search(normalized) and not _MONEY.search(normalized):
        normalized = _VALUE.sub(" ", normalized)
    stems = {_stem(infinitive(word)) for word in _WORD.findall(normalized) if word not in _STOP}
    for run in _CJK.findall(_CHINESE_STOP.sub(" ", normalized)):
        stems.update(run[place : place + 2] for place in range(max(1, len(run) - 1)))
    return frozenset(stems - _STOP)


@lru_cache(maxsize=65536)
def main_clause(text: str) -> str:
    """An instruction or a log line without the remarks beside what is to be done.

    "Disabled the alarm, then went back to sleep" is about the alarm only. A second thing to do stays: "order
    noodles, then pay". In the past tense, everything after the first deed counts as a remark.
    """
    for match in _TAIL.finditer(text):
        head, tail = text[: match.start()], match.group("tail")
        first = next(iter(_WORD.findall(tail.casefold())), "")
        asks = first in ENGLISH or first in PARTICLES or first in _ASIDE_VERBS
        verb = next(iter(_WORD.findall(head.casefold())), "")
        is_told = infinitive(verb) != verb
        if len(word_set(head)) > 1 and (is_told or not (match.group("then") and asks)):
            return head
    return text


def infinitive(word: str) -> str:
    """The infinitive of an English verb of this module, from any tense; other words unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word in VERBS:
        return word
    for ending in ("ied", "ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)]
            doubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
            for form in (stem + "y", stem) if ending == "ied" else (stem, stem + "e", doubled):
                if form in VERBS or form in _PLAIN_VERBS:
                    return form
    return word


def without_vague(text: str) -> str:
    """The command without words that only refer to a habit ("usual", "like last time", 老样子).

    Such words say that something is meant, not what; they would match other records with the same words.
    """
    normalized = unicodedata.normalize("NFKC", text)
    for vague in (_VAGUE_ENGLISH, _VAGUE_CHINESE):
        normalized = re.sub(vague.pattern, " ", normalized, flags=re.IGNORECASE)
    return " ".join(normalized.split())


def without_opening(text: str) -> str:
    """The command without an opening such as "hey, …", "ok, …", 那个，….

    In a short command an opening would change the vector as much as the rest does.
    """
    return _OPENING.sub("", unicodedata.normalize("NFKC", text)) or text


def plain_command(command: str) -> str:
    """A command without opening and vague words; empty if it only refers to a habit."""
    core = without_vague(without_opening(command))
    return core if word_set(core) else ""


def pluralized(text: str) -> str:
    """An English text whose first noun, up to a preposition, is in the plural: “lattes to the office”.

    A noun that has one already, or has none, stays.
    """
    match = _HEAD_NOUN.match(text)
    noun = match[1].casefold() if match is not None else ""
    if match is None or noun.endswith("s") or noun in _UNCOUNTABLE or has_chinese(text):
        return text
    ending = "es" if noun.endswith(("x", "z", "ch", "sh")) else "s"
    stem = match[0]
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        stem, ending = stem[:-1], "ies"
    return f"{stem}{ending}{text[match.end() :]}"


_BEHIND_NOUN = "(?:of|from|at|for|to|on|in|with|without|by|and|or|please|now|today|tomorrow|tonight|instead)"
_HEAD_NOUN = lazy_regex(
    rf"\s*(?!{_BEHIND_NOUN}\b)(?:[\w'’-]+ )*?([A-Za-z]{{2,}})(?= {_BEHIND_NOUN}\b|[,.;:]|$)", re.IGNORECASE
)
_UNCOUNTABLE = _words("uncountable")


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """The Jaccard similarity of two sets, 0..1; 0 for two empty sets."""
    if not left or not right:
        return 0.0
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def multiset_overlap(left: Counter[str], right: Counter[str]) -> float:
    """The Jaccard similarity of two bags of words; 0 where both are empty."""
    return (left & right).total() / total if (total := (left | right).total()) else 0.0


def _stem(word: str) -> str:
    word = word.replace("’", "'").removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


Poles = tuple[tuple[str, int], ...]


def _by_verb(axes: dict[str, tuple[list[str], list[str]]]) -> dict[str, Poles]:
    meanings: dict[str, list[tuple[str, int]]] = {}
    for axis, (plus, minus) in axes.items():
        for pole, verbs in ((1, plus), (-1, minus)):
            for verb in verbs:
                meanings.setdefault(verb, []).append((axis, pole))
    return {verb: tuple(dict.fromkeys(poles)) for verb, poles in meanings.items()}


def _by_particle() -> dict[str, dict[str, Poles]]:
    by_verb: dict[str, dict[str, Poles]] = {}
    for particle, verbs in _TERMS["particle_axes"].items():
        for verb, poles in verbs.items():
            by_verb.setdefault(verb, {})[particle] = tuple(poles.items())
    return by_verb


ENGLISH = _by_verb(_TERMS["english_axes"])
"""English verbs that stand alone."""
CHINESE = _by_verb(_TERMS["chinese_axes"])
"""Chinese verbs; the longest that fits counts."""
PARTICLES = _by_particle()
"""English verbs whose particle decides: verb, particle, poles."""
VERBS = frozenset(ENGLISH) | frozenset(PARTICLES)
"""All English verbs with an opposite."""
_PLAIN_VERBS = _words("plain_verbs")
"""Verbs without an opposite, whose tenses `infinitive` recognises."""
PLACELESS = frozenset(["on", "off", "up", "down", "back", "in", "out", "to"])
"""Particles of verbs; they name no object."""
_IRREGULAR: dict[str, str] = {past: verb for verb, forms in _TERMS["irregular"].items() for past in forms}
_ASIDE_VERBS = _words("aside_verbs")
_TAIL = _pattern("tail", re.IGNORECASE | re.DOTALL)
"""What begins a remark beside the deed; `then` may begin a second deed."""
_MEASURED = _pattern("measured")
_MONEY = _pattern("money")
_VALUE = lazy_regex(r"(?<![a-z0-9:.])(?<!\bat )\d+(?:[./]\d+)?(?![a-z0-9:.点时])")
_SWITCHES = _pattern("switches")
"""Things that are only on or off: for these, all words for switching on (or off) mean the same."""
_SWITCHED_OFF = _pattern("switched_off")
_SWITCHED_ON = _pattern("switched_on")
CHINESE_CARRIERS = _words("chinese_carriers")
"""Verbs that often only lead to the app in which the next verb acts."""
CHINESE_NOUNS = _pattern("chinese_nouns")
"""Words that contain the character of a verb without being one."""


Signature = frozenset[tuple[str, int]]
"""The poles of an instruction's verbs: pairs of an axis and 1 or -1."""

_TOKEN = lazy_regex(r"[a-z']+|[,.;:!?]")
_QUOTED = lazy_regex(r"《[^》]*》|“[^”]*”|「[^」]*」|\"[^\"]*\"|‘[^’]*’|『[^』]*』")
_LEAD = _words("lead")
_PREPOSITIONS = _words("prepositions")
_NOT = _words("negations")
_DETERMINERS = _words("determiners")
_CLAUSE = _words("conjunctions") | frozenset(",.;:!?")
_PARTICLE_SPAN = 7
_SWITCH_CLAUSE = 60
"""Maximum length in characters of a clause that only switches something on or off."""
_CHINESE_CLAUSE = _pattern("chinese_clause")
_CHINESE_NOT = tuple(_TERMS["chinese_negations"])
_CHINESE_BETWEEN = _pattern("chinese_between")


@lru_cache(maxsize=65536)
def signature(instruction: str) -> Signature:
    """The poles of an instruction's verbs. Empty when no verb with an opposite is found."""
    normalized = _QUOTED.sub(" ", fold_case(instruction))
    if switched := _switched(normalized):
        return frozenset({("run", switched)})
    return frozenset(_english(normalized) | _chinese(normalized))


def stands_in_order(words: str, text: str) -> bool:
    """Whether all of some words are in a text in their order, others between them or not; false for none.

    In Chinese each character counts; “I'm” is “i am”, and “seven” 7.
    """
    runs = (_UNITS.findall(unicodedata.normalize("NFKC", each).casefold()) for each in (words, text))
    named, units = ([str(as_number(word) or _SHORT.get(word, word)) for word in run] for run in runs)
    units_left = iter(units)
    return bool(named) and all(word in units_left for word in named)


_UNITS = lazy_regex(r"[^\W_\u4e00-\u9fff]+|[\u4e00-\u9fff]")
_SHORT = {"m": "am", "re": "are", "s": "is", "ll": "will", "ve": "have"}


def oppose(left: str, right: str) -> bool:
    """Whether two instructions ask for opposite things."""
    return signatures_oppose(signature(left), signature(right))


def signatures_oppose(left: Signature, right: Signature) -> bool:
    """Whether on some axis all verbs of one are at the opposite pole of all verbs of the other."""
    for axis, pole in left:
        other = (axis, -pole)
        if other in right and other not in left and (axis, pole) not in right:
            return True
    return False


def _switched(text: str) -> int:
    """1 if a text switches something on, -1 if off, 0 otherwise.

    The first word for switching decides: 勿扰取消，恢复来电 switches off.
    """
    clause = next(iter(re.split(r"[,;，。；!！?？]|\bthen\b", text)), "")
    if not _SWITCHES.search(clause) or len(clause) > _SWITCH_CLAUSE:
        return 0
    words = " ".join(infinitive(word) if word.isascii() else word for word in clause.split())
    words = _SWITCHES.sub(" ", words)
    off, on = _SWITCHED_OFF.search(words), _SWITCHED_ON.search(words)
    if off is None or (on is not None and on.start() < off.start() and "关" not in off.group()):
        return 0 if on is None else 1
    return -1


def _english(text: str) -> set[tuple[str, int]]:
    meanings: set[tuple[str, int]] = set()
    tokens = _TOKEN.findall(text)
    place = 0
    while place < len(tokens):
        end = place
        while end < len(tokens) and tokens[end] not in _CLAUSE:
            end += 1
        meanings |= _english_clause(tokens[place:end])
        place = end + 1
    return meanings


def _english_clause(tokens: list[str]) -> set[tuple[str, int]]:
    place = next((at for at, token in enumerate(tokens) if token not in _LEAD | _NOT), len(tokens))
    lead, denied = tokens[:place], sum(token in _NOT for token in tokens[:place])
    if place < len(tokens) and tokens[place] in _PREPOSITIONS:
        # "On Meituan order noodles": the verb comes a name later.
        verb_positions = [at for at in range(place + 2, min(place + 5, len(tokens))) if tokens[at] in ENGLISH]
        place = verb_positions[0] if verb_positions else len(tokens)
    if place >= len(tokens):
        return set()
    turned = -1 if denied % 2 else 1
    verb, rest = infinitive(tokens[place]), tokens[place + 1 :]
    if verb in ("stop", "quit") and rest and rest[0].endswith("ing"):
        turned, verb, rest = -turned, infinitive(rest[0]), rest[1:]
    return {(axis, pole * turned) for axis, pole in _poles(verb, rest)} or _wished(lead, tokens[place:])


def _poles(verb: str, rest: list[str]) -> Poles:
    if verb in PARTICLES and (particle := _particle(PARTICLES[verb], rest)):
        return PARTICLES[verb][particle]
    return ENGLISH.get(verb, ())


def _wished(lead: list[str], rest: list[str]) -> set[tuple[str, int]]:
    """What a clause without a known verb asks for: "no alarm", "I need a car", "Wi-Fi off"."""
    if "no" in lead:
        return {("have", -1)}
    if rest[-1] in ("on", "off"):
        return {("run", 1 if rest[-1] == "on" else -1)}
    if rest[0] in _DETERMINERS and {"need", "want", "like"} & set(lead):
        return {("have", 1)}
    return set()


def _particle(particles: dict[str, tuple[tuple[str, int], ...]], rest: list[str]) -> str:
    """The particle of a verb: right behind it, at the clause's end, else the first that is near."""
    span = rest[:_PARTICLE_SPAN]
    if span and span[0] in particles:
        return span[0]
    if rest and rest[-1] in particles:
        return rest[-1]
    return next((word for word in span if word in particles), "")


def _chinese(text: str) -> set[tuple[str, int]]:
    meanings: set[tuple[str, int]] = set()
    for clause in _CHINESE_CLAUSE.split(CHINESE_NOUNS.sub("\u3000", text)):
        meanings |= _chinese_clause(clause)
    return meanings


def _chinese_clause(clause: str) -> set[tuple[str, int]]:
    """The first verb, and the one after a verb that only leads to an app ("打开美团点面")."""
    meanings: set[tuple[str, int]] = set()
    place = 0
    while hit := _CHINESE_VERB.search(clause, place):
        verb, place = hit.group(), hit.end()
        if clause.startswith("的", place):
            continue
        turned = -1 if _denied(clause[: hit.start()]) else 1
        meanings |= {(axis, pole * turned) for axis, pole in CHINESE[verb]}
        if verb not in CHINESE_CARRIERS:
            break
    return meanings


def _denied(before: str) -> bool:
    for word in _CHINESE_NOT:
        _, negation, between = before.rpartition(word)
        if negation and not _CHINESE_BETWEEN.sub("", between):
            return True
    return False


_REFUSES = compile_words(_TERMS["refuses"])
_DENIED_BEFORE, _DENIED_BEHIND = (compile_words(_TERMS[name]) for name in ("denied_before", "denied_behind"))


def find_refusals(text: str) -> dict[str, str]:
    """What a text refuses by its name, by the words that say so: “but not from Roma”, 别点罗马的."""
    names = {match[0].strip(): match["en"] or match["zh"] for match in _REFUSES.finditer(text)}
    return {words: name.strip() for words, name in names.items() if word_set(name)}


def says_thing(line: str, name: str) -> bool:
    """Whether a line has all words of a name, and denies none of them, as “no coriander” does."""
    folded, first = line.casefold(), name.casefold().split()[0]
    if not word_set(name) <= word_set(line):
        return False
    start = folded.find(name.casefold())
    start, length = (start, len(name)) if start >= 0 else (max(folded.find(first), 0), len(first))
    before, behind = folded[:start], folded[start + length :]
    return not (_DENIED_BEFORE.search(before) or _DENIED_BEHIND.match(behind))


def find_refused_name(texts: Sequence[str], lines: Sequence[str]) -> str:
    """The words by which a text refuses what a line has, unless a later text asks for it; else empty."""
    for at, text in enumerate(texts):
        for words, name in find_refusals(text).items():
            is_asked_for = any(says_thing(later, name) for later in texts[at + 1 :])
            if not is_asked_for and any(says_thing(line, name) for line in lines):
                return words
    return ""


_CHINESE_VERB = lazy_regex(any_word(CHINESE))


_OWN_WORDS = lazy_regex(r", as asked: “(?P<en>.*)”$|，原话是“(?P<zh>.*)”$", re.DOTALL)

CORRECTED_BY = " // "
"""Stands in the words of a record between a command and what the user said of it before it began."""


def with_own_words(instruction: str, command: str) -> str:
    """An instruction with the user's own words behind it, so that nothing they said is lost."""
    plain, words = split_own_words(instruction)[0], command.strip().rstrip(".。")
    if len(re.findall("[\u4e00-\u9fff]", plain)) > len(re.findall("[A-Za-z]+", plain)):
        return f"{plain.rstrip('。')}，原话是“{words}”"
    return f"{plain.rstrip('.')}, as asked: “{words}”"


def split_own_words(instruction: str) -> tuple[str, str]:
    """An instruction without the user's own words behind it, and these; empty if there are none."""
    match = _OWN_WORDS.search(instruction)
    return (instruction[: match.start()], match["en"] or match["zh"]) if match else (instruction, "")


def split_parts(instruction: str) -> list[str]:
    """The parts of a command without own words. Quoted text and text after a colon are not divided."""
    instruction = split_own_words(instruction)[0]
    head, colon, content = instruction.partition(":") if ":" in instruction else instruction.partition("：")
    if colon and head[-1:].isdigit():  # A time such as 7:30.
        head, colon, content = instruction, "", ""
    quoted: list[str] = []

    def hide(match: re.Match[str]) -> str:
        quoted.append(match[0])
        return f"\x00{len(quoted) - 1}\x00"

    hidden = re.sub(r"[\"“「『].*?[\"”」』]", hide, head)
    topic = _FURTHER.match(hidden)
    if topic is not None and not _CHINESE_VERB.search(topic["topic"]):
        # What is to change further, 声音再大一点, is no part of its own.
        hidden = re.sub("再", hide, hidden, count=1)
    parts = [part for part in _PARTS.split(hidden) if part and part.strip()]
    restored = [re.sub(r"\x00(\d+)\x00", lambda match: quoted[int(match[1])], part) for part in parts]
    if colon and restored:
        restored[-1] = f"{restored[-1]}{colon}{content}"
    return [part.strip() for part in restored]


def take_back_part(command: str, remark: str) -> tuple[str, str] | None:
    """A command without the part that a remark takes back, and this part; None where it takes back none."""
    left_out = read_left_out(remark)
    return without_part(command, left_out) if left_out is not None else None


class LeftOut(NamedTuple):
    """What a remark says is not to be done: the thing, what is denied of it, and how it is to be left.

    `is_kept`: the thing is all that is to be done.
    """

    thing: str
    denied: str = ""
    state: str = ""
    is_kept: bool = False

    def agrees_with(self, part: str) -> bool:
        """Whether a command that names the thing wants what the remark wants: “leave it on”, “turn it on”."""
        if not _is_thing_of(self.thing, part):
            return False
        if self.state:
            return not oppose(f"turn {self.state} {self.thing}", part)
        between = "" if has_chinese(self.thing) else " "
        return bool(self.denied) and oppose(f"{self.denied}{between}{self.thing}", part)

    def is_all_of(self, command: str) -> bool:
        """Whether nothing of a command is left: “forget it”, 那不叫了; not “no onions”."""
        thing = self.thing.casefold().strip("那这就也了")
        return is_courtesy(thing) or bool(_POINTS_BACK.search(thing)) or thing in command.casefold()


def without_left_out(command: str, remarks: Iterable[str]) -> str:
    """A command without the only parts that remarks say are not to be done, wherever they stand in it.

    Unlike `take_back_part` it may be what somebody is told: it is only what is looked for on the phone.
    """
    for left_out in filter(None, map(read_left_out, remarks)):
        parts = [] if left_out.is_kept else split_parts(command)
        named = [part for part in parts if _is_thing_of(left_out.thing, part)]
        if len(parts) > 1 and len(named) == 1 and read_left_out(named[0]) is None:
            command = command if left_out.agrees_with(named[0]) else command.replace(named[0], "", 1)
    return command


def read_left_out(remark: str) -> LeftOut | None:
    """What a remark says is not to be done, or left as it is; None for any other remark."""
    text = " ".join(plain_signs(remark).split()).strip(" .!。！~…")
    reasons = (end.start() for end in re.finditer(r"[,，;；。]", text) if _SAYS_WHY.match(text[end.end() :]))
    wishes = (text, *(text[:end] for end in reasons))
    matches = (pattern.fullmatch(wish) for wish in wishes for pattern in _LEFT_OUT)
    for match in filter(None, matches):
        groups = match.groupdict(default="")
        thing = _without_kind(groups.get("thing") or groups.get("kept", ""))
        verb = groups.get("verb", "")
        if thing and (not verb.isascii() or verb in ("", *_ANY_VERB)):
            return LeftOut(thing, _with_particle(verb, text), groups.get("state", ""), "kept" in groups)
    return None


def _with_particle(verb: str, text: str) -> str:
    particle = re.search(rf"\b{re.escape(verb)} (on|off)\b", text) if verb else None
    return f"{verb} {particle[1]}" if particle is not None else verb


def without_part(command: str, left_out: LeftOut) -> tuple[str, str] | None:
    """A command without the only part of it that a remark takes back, and this part.

    None where the remark names no part, or several, where it may only say how a thing is wanted, or where the
    rest cannot stand alone: “milk” of “buy bread and milk”, “play it” behind a search.
    """
    parts = split_parts(command)
    named = [at for at, part in enumerate(parts) if _is_thing_of(left_out.thing, part)]
    if len(parts) < 2 or len(named) != 1 or left_out.agrees_with(parts[named[0]]):
        return None
    if left_out.is_kept:
        named = [at for at in range(len(parts)) if at != named[0]]
        if len(named) != 1 or not re.search(r"[^\W\d]", left_out.thing):
            return None
    (at,) = named
    starts, end, stand_alone = [], 0, True
    for part in parts:
        starts.append(command.find(part, end))
        begins = _BEGINS_PART.search(part) or _THEN.search(command[end : starts[-1]])
        stand_alone = stand_alone and (not end or begins is not None)
        end = starts[-1] + len(part)
    # What is told to somebody may go on behind a comma, and have such parts itself.
    is_told = any(map(_TELLS.search, parts[:at]))
    if min(starts) < 0 or is_told or not stand_alone or _OF_OPTION.search(parts[at]):
        return None
    if any(map(_POINTS_BACK.search, parts[at + 1 :])):
        return None
    if at == 0:
        return command[: starts[0]] + command[starts[1] :], parts[0]
    before = starts[at - 1] + len(parts[at - 1])
    return command[:before] + command[starts[at] + len(parts[at]) :], parts[at]


def _is_thing_of(thing: str, part: str) -> bool:
    """Whether some words name what a part is about, by its last word too: beef is not all of beef noodles."""
    if has_chinese(thing):
        return re.search(f"{re.escape(thing)}{_BEHIND_THING_ZH.pattern}", part) is not None
    stems = [_stem(word) for word in _WORD.findall(thing.casefold())]
    whole = _WORD.findall(part.casefold())
    core = _WORD.findall(_BEHIND_THING.sub("", _ITS_VERB.sub("", _without_kind(part.casefold()), count=1)))
    heads = [_stem(core[-1])] if core else [_stem(word) for word in whole[:1]]
    is_named = set(stems) <= {_stem(word) for word in whole}
    return bool(stems) and is_named and (stems[-1] in heads or stems == [_stem(word) for word in whole[:1]])


def _without_kind(thing: str) -> str:
    before = ""
    while thing != before:
        before, thing = thing, _OF_THING.sub("", thing.strip(" ,，"))
    return thing


(
    _PARTS,
    _FURTHER,
    _OF_THING,
    _BEGINS_PART,
    _POINTS_BACK,
    _TELLS,
    _OF_OPTION,
    _SAYS_WHY,
    _THEN,
    _ITS_VERB,
    _BEHIND_THING,
    _BEHIND_THING_ZH,
) = (
    _pattern(name, re.IGNORECASE)
    for name in (
        "parts",
        "further",
        "of_thing",
        "begins_part",
        "points_back",
        "tells",
        "of_option",
        "says_why",
        "then",
        "its_verb",
        "behind_thing",
        "behind_thing_zh",
    )
)
_ANY_VERB = _words("any_verb")
ASKS = _pattern("asks", re.IGNORECASE)
_LEFT_OUT = [
    lazy_regex(f"(?:{_TERMS['before_left_out']}){form}(?:{_TERMS['behind_left_out']})", re.IGNORECASE)
    for form in _TERMS["left_out"]
]


COUNTS: dict[str, int] = _TERMS["counts"]


def as_number(words: str) -> int:
    """The number in some words, 0 without one: “two of them”, 两份."""
    if match := re.search(r"\d+", words):
        return int(match[0])
    first, *others = re.findall(r"[a-z]+", words.casefold())[:2] or [words[:1]]
    number = COUNTS.get(first, 0)
    units = COUNTS.get(others[0], 0) if others and number >= 20 else 0
    return number + (units if units < 10 else 0)


def tells_anew(text: str, new: str) -> bool:
    """Whether a text of some length is another one told anew, most of its words as before."""
    before, after = (_TEXT_WORD.findall(each.casefold()) for each in (text, new))
    is_long = min(len(before), len(after)) >= _LONG_TEXT
    return is_long and SequenceMatcher(None, before, after, autojunk=False).ratio() >= _TOLD_ALIKE


_TEXT_WORD = lazy_regex(r"[a-z0-9'’]+|[\u4e00-\u9fff]")
_LONG_TEXT, _TOLD_ALIKE = 4, 0.65


def find_misspelt(text: str, word: str) -> str:
    """The one word of a text that another is written like, “breda” for “bread”, 面报 for 面包; else empty."""
    size = len(word)
    if has_chinese(word):
        words = [text[at : at + size] for at in range(len(text) - size + 1)]
        alike = [each for each in words if size > 1 and sum(map(str.__eq__, each, word)) * 2 >= size]
    else:
        words = re.findall(r"[^\W\d_]+", text)
        alike = [each for each in words if sorted(each.casefold()) == sorted(word.casefold())]
        alike = alike or get_close_matches(word, words, n=2, cutoff=0.75)
    return alike[0] if len(alike) == 1 and alike[0] != word else ""


def is_slip(word: str, right: str) -> bool:
    """Whether a word differs from the right one by a slip within it: “croisant”, “calender”, “recieve”.

    That is letters in another order, a letter that is double, or a vowel. Short words, and another vowel in
    one of middle length, are often other words: “butter” is no “better”. So is another consonant: “Johnston”.
    """
    if min(len(word), len(right)) < _LONG_WORD or (word[0], word[-1]) != (right[0], right[-1]):
        return False
    may_be_vowel = len(word) != len(right) or len(word) >= _VERY_LONG_WORD
    is_alike = (
        sorted(word) == sorted(right)
        or _DOUBLED.sub(r"\1", word) == _DOUBLED.sub(r"\1", right)
        or (may_be_vowel and _VOWEL.sub("", word) == _VOWEL.sub("", right))
    )
    return is_alike and OSA.distance(word, right) == 1


_DOUBLED, _VOWEL = lazy_regex(r"(.)\1"), lazy_regex("[aeiou]")
_LONG_WORD, _VERY_LONG_WORD = 6, 8


def tells_no_wish(part: str) -> bool:
    """Whether a part of what somebody says asks for nothing: it is polite, or tells why or how they are."""
    may_tell = _TELLS_US.fullmatch(part) is not None and _MAY_ASK.search(part) is None
    return may_tell or is_courtesy(part) or _MOODS.fullmatch(part) is not None


def is_courtesy(part: str) -> bool:
    """Whether a part is only polite, or urges."""
    return _COURTESIES.fullmatch(part) is not None


def without_mood(words: str) -> str:
    """What somebody says without courtesies and moods behind it: “large, im knackered”.

    Why they say it stays, which may change what is ordered: “I can't have dairy”. So does what may be a
    name by its capital, or, where it is polite, behind an “and”.
    """
    for border in reversed([*_BORDERS.finditer(words)]):
        behind = words[border.end() :]
        is_polite = border[0].strip() in ("", ",", "，") and is_courtesy(behind)
        is_name = behind.replace("I", "i") != behind.casefold()
        if is_name or not (is_polite or _MOODS.fullmatch(behind)):
            break
        words = words[: border.start()]
    return words


def without_order_beside(text: str) -> str:
    """The text of a message without what is to be done with it besides: “…, and put it in my calendar”."""
    match = _WITH_ORDER.fullmatch(text)
    return match["text"] if match is not None else text


_TELLS_US, _COURTESIES, _MOODS, _MAY_ASK, _WITH_ORDER = (
    compile_words(_TERMS[name]) for name in ("tells_us", "courtesies", "moods", "may_ask", "with_order")
)
_BORDERS = lazy_regex(r",? (?:and|but) |[，,]\s*|(?<=[\u4e00-\u9fff])\s+")

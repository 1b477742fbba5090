"""What labels say in all languages but English and Chinese: a lexicon that `tools.lexicon` compiles.

`lexicon.tsv` holds phrases with their meaning. Phrases of published translations have the kind that the rules
give their English original, and count as whole labels. Phrases written by hand count wherever they stand in a
short label, unless it also says that it leads to a page (“payment method”) or negates them (“do not allow”).
The file's head names its sources and licences.

A label can be written so that a person reads “Pay” and a comparison does not: full-width or mathematical
letters, letters of other scripts that look the same, invisible characters, letters apart, text that runs
right to left, markup. `normalize_label` undoes that. The letters that look alike are those of Unicode TR 39,
from `confusable_homoglyphs`, and a few that people read as others and that the standard does not pair.

A label is not told by its language, so a word that means different things in two languages has none here.
"""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files

from assistant.events import ActionKind
from assistant.files import any_word, lazy_regex


class Sense(StrEnum):
    """What a phrase means, beside the kinds of deeds that it names."""

    REFUSE = "refuse"
    AGREE = "agree"
    HARMLESS = "harmless"
    NEGATES = "negates"
    TOTAL = "total"
    DONE = "done"
    PRICE = "price"
    COMMITS = "commits"
    ORDERED = "ordered"
    DECLINES = "declines"
    TOGGLES = "toggles"
    CODE = "code"
    SLIDE = "slide"
    ACCESS = "access"
    GETS = "gets"
    WRITES = "writes"
    REACTS = "reacts"
    ANSWERS = "answers"
    COMPLETES = "completes"
    ADDS = "adds"
    FOLLOWS = "follows"
    OPENS = "opens"
    PROTECTS = "protects"
    USES = "uses"
    FEATURES = "features"
    TAPS = "taps"
    RECURS = "recurs"
    CHARGES = "charges"
    ERASES = "erases"
    EXPOSES = "exposes"
    SEIZES = "seizes"
    ENDS = "ends"
    DENIES = "denies"
    POSSIBLE = "possible"
    VIEWS = "views"
    REPLIES_ALL = "replies_all"
    INFORMS = "informs"
    STOPS = "stops"


OF_PROSE = frozenset(
    {
        Sense.TAPS,
        Sense.RECURS,
        Sense.CHARGES,
        Sense.ERASES,
        Sense.EXPOSES,
        Sense.SEIZES,
        Sense.ENDS,
        Sense.DENIES,
        Sense.POSSIBLE,
        Sense.VIEWS,
    }
)
"""What phrases of sentences mean, in English and Chinese too. They are read apart from those of labels."""


_ASKED = "asks:"
"""What a meaning begins with whose phrases say in a dialog or title what is asked for."""
_WHOLE, _WITHIN, _STEM = "=", "~", "*"
_BY_RULES = ("en", "zh")
_ENOUGH_TO_PAY = 20
"""A language with fewer phrases for paying is read less well; the sixteen large ones have 20 to 45."""
_MOST_WORDS = 7
_MOST_CHARACTERS = 28
_LONGEST_LINE = 300
_UNSPACED = lazy_regex("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_VERB_LAST = lazy_regex("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_VERB_ENDS = lazy_regex(
    r"(?:する|します|しますか|して|へ|하기|합니다|하세요|하시겠습니까|할까요|해요)?[^\w]*(?:[.:：!?？]|$)"
)
"""Japanese and Korean end with the verb: what follows it makes another word of it (“sent”, “history”)."""
_APOSTROPHES = str.maketrans(
    {**dict.fromkeys("’ʼ‘`´′＇", "'"), **dict.fromkeys("‐‑‒–", "-"), "ı": "i", "ё": "е"}
    | {**dict.fromkeys("أإآٱ", "ا"), "ى": "ي", "ی": "ي", "ک": "ك", "ـ": None}
)
_MARK_OF_ALPHABET = lazy_regex("[\u0300-\u036f\u064b-\u0652\u05b0-\u05c7]")
_NUMBER = lazy_regex(r"[\d٠-٩۰-۹०-९]+(?:[.,:٫٬' \u00a0]?[\d٠-٩۰-۹०-९]+)*")
_WORD = lazy_regex(r"[^\W\d_]+(?:['\u0300-\u036f\u0590-\u05cf\u0610-\u065f\u0900-\u0dff-][^\W\d_]*)*")
_CURRENCY = lazy_regex(
    r"(?:"
    r"eur|usd|rub|руб|р|kr|kč|lei|zl|zł|tl|try|rp|inr|rs|brl|r|gbp|chf|sek|nok|"
    r"dkk|huf|ft|pln|sar|aed|egp|ر\.س|د\.إ|بات|บาท|円|원|đ|vnd|thb|idr|krw|jpy|cny|"
    r"uah|грн|лв|kn|ден|дин|тенге|dh"
    r")"
)
_CLAUSES = lazy_regex(r"[,.;:!?…·•|/()،؛؟।、。，；：！？]+|\s[-–—]\s")


_APART = lazy_regex(r"(?<![^\W\d_])(?:[^\W\d_][ ._·•*|/~-]){3,}[^\W\d_](?![^\W\d_])")
"""A word whose letters stand apart; no language of the lexicon has four words of one letter in a row."""
_TWO_SCRIPTS = lazy_regex(r"\b(?=\w*[a-z])(?=\w*[\u0400-\u04ff])\w+")
_LIKE_CYRILLIC, _CYRILLIC_LIKE = "aceijopsyxhkmtb", "асеіјорѕухнкмтв"
_TO_LATIN = str.maketrans(_CYRILLIC_LIKE, _LIKE_CYRILLIC)
_TO_CYRILLIC = str.maketrans(_LIKE_CYRILLIC, _CYRILLIC_LIKE)


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Compatibility forms, lower case, single spaces; accents and the vowel signs of Indic scripts stay.

    Letters that stand apart become a word, and a word in two scripts one of the script that most of it is in.
    """
    if text.isascii() and text.isprintable():
        # Its forms are all the same.
        text = text.lower().translate(_APOSTROPHES)
    else:
        text = unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)
        text = unicodedata.normalize("NFC", text)
        text = "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cn", "Co", "Me"))
    text = _APART.sub(lambda match: re.sub(r"[\W_]", "", match[0]), text)
    text = _TWO_SCRIPTS.sub(_in_one_script, text)
    return " ".join(_MARK_OF_ALPHABET.sub("", text).split())


def _in_one_script(match: re.Match[str]) -> str:
    word = match[0]
    cyrillic = sum("\u0400" <= c <= "\u04ff" for c in word)
    return word.translate(_TO_CYRILLIC if 2 * cyrillic > len(word) else _TO_LATIN)


@dataclass(frozen=True, slots=True)
class _Entry:
    meaning: str
    match: str
    phrase: str
    words: tuple[str, ...]
    languages: frozenset[str]


class LabelLexicon:
    """The compiled phrases, with the questions that the rules ask of a label."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._whole: set[str] = set()
        self._by_word: dict[str, list[_Entry]] = defaultdict(list)
        self._stems: dict[str, list[_Entry]] = defaultdict(list)
        self._unspaced: list[tuple[str, _Entry]] = []
        self.languages: set[str] = set()
        self._pay_phrases: Counter[str] = Counter()
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            meaning, match, phrase, languages = line.rstrip("\n").split("\t")
            self._add(meaning, match, phrase, frozenset(languages.split()))
        self._unspaced_pattern = lazy_regex(any_word({phrase for phrase, _ in self._unspaced}) or "(?!)")
        self._unspaced_entries: dict[str, list[_Entry]] = defaultdict(list)
        for phrase, entry in self._unspaced:
            self._unspaced_entries[phrase].append(entry)

    def senses(self, text: str) -> frozenset[Sense]:
        """What the clauses of a sentence state.

        A phrase does not count in a clause that denies it, or that says what may be done elsewhere (“you can
        delete it at any time”) or what is needed. It may hold a denial itself, as “cannot be undone” does.
        """
        stated: set[Sense] = set()
        for clause in _SENTENCE_PARTS.split(fold(text)):
            entries = list(self._entries(clause)) if clause else []
            rest = clause
            for entry in entries:
                rest = rest.replace(entry.phrase, " ") if self._holds_denial(entry) else rest
            denying = {language for e in self._denials(rest) for language in e.languages}
            # A word that two languages share is denied in both.
            denied = {e.meaning for e in entries if e.languages & denying and not self._holds_denial(e)}
            stated |= {Sense(e.meaning) for e in entries if e.meaning not in denied - set(_DENYING)}
        return frozenset(stated)

    def _denials(self, text: str) -> list[_Entry]:
        return [entry for entry in self._entries(text) if entry.meaning in _DENYING]

    def _holds_denial(self, entry: _Entry) -> bool:
        """Whether a phrase that states something has a denial in it."""
        return entry.meaning not in _DENYING and bool(self._denials(entry.phrase))

    def count(self, text: str, meanings: Iterable[Sense]) -> int:
        """How many phrases of these meanings a text has, each place counted once."""
        among, rest, count = set(meanings), fold(text[:_LONGEST_LINE]), 0
        for entry in sorted(self._entries(rest), key=lambda entry: -len(entry.phrase)):
            if entry.meaning in among and entry.phrase in rest:
                rest, count = rest.replace(entry.phrase, " ", 1), count + 1
        return count

    def reads_well(self, language: str) -> bool:
        """Whether the guards know enough words of a language, by its ISO code."""
        return language in _BY_RULES or self._pay_phrases[language] >= _ENOUGH_TO_PAY

    def kind(self, label: str, whole: bool = False) -> ActionKind | None:
        """The kind that a label names; None if it is harmless, refuses, or is unknown.

        Args:
            label: as on the screen.
            whole: whether nothing but an amount may stand beside the phrase, as in a row of a list.
        """
        for clause in self._clauses(label):
            if kind := self._kind_of_clause(clause, whole):
                return kind
        return None

    def means(self, label: str, meaning: Sense) -> bool:
        """Whether a whole label means this: a refusal, an agreement."""
        return self._whole_meaning(fold(label), meaning)

    def refuses(self, label: str) -> bool:
        """Whether a whole label refuses: it is a refusal, or all of it is negated."""
        folded = fold(label)
        if self._whole_meaning(folded, Sense.REFUSE):
            return True
        clauses = list(self._clauses(label))
        return bool(clauses) and all(self._is_negated(clause) for clause in clauses)

    def leads_on(self, label: str) -> bool:
        """Whether a label has words that make it lead to a page, or choose something."""
        return self.means(label, Sense.HARMLESS) or self.mentions(label, Sense.HARMLESS)

    def mentions(self, line: str, meaning: Sense) -> bool:
        """Whether a text has a phrase of this meaning somewhere."""
        return any(entry.meaning == meaning for entry in self._entries(fold(line[:_LONGEST_LINE])))

    def commits(self, label: str) -> bool:
        """Whether a label confirms or accepts what is paid for or ordered: “Confirm booking”.

        A phrase that negates, or a harmless one that says more than the noun, makes something else of it.
        """
        folded = fold(label)
        unspaced = _UNSPACED.search(folded) is not None
        if len(folded) > _MOST_CHARACTERS if unspaced else len(folded.split()) > _MOST_WORDS:
            return False
        entries = list(self._entries(folded))
        nouns = [entry for entry in entries if entry.meaning == Sense.ORDERED]
        named = {noun.phrase for noun in nouns}
        other = [entry for entry in entries if entry.meaning in (Sense.HARMLESS, Sense.NEGATES)]
        if any(entry.phrase not in named for entry in other):
            return False
        verbs = [entry for entry in entries if entry.meaning == Sense.COMMITS]
        return any(verb.languages & noun.languages for verb in verbs for noun in nouns)

    def asked_kind(self, lines: Iterable[str]) -> ActionKind | None:
        """The kind that the texts of a dialog or a title ask for; None if they do not tell.

        A word that stands in a harmless phrase counts for nothing: “quit the app”.
        """
        for line in lines:
            entries = list(self._entries(fold(line[:_LONGEST_LINE])))
            harmless = [entry.phrase for entry in entries if entry.meaning == Sense.HARMLESS]
            entries = [entry for entry in entries if not any(entry.phrase in phrase for phrase in harmless)]
            asked = {
                entry.meaning.removeprefix(_ASKED) for entry in entries if entry.meaning.startswith(_ASKED)
            }
            named = asked or {entry.meaning for entry in entries if entry.match != _WHOLE}
            for kind in _ASKED_FIRST:
                if kind in named:
                    return kind
        return None

    def _add(self, meaning: str, match: str, phrase: str, languages: frozenset[str]) -> None:
        self.languages |= languages
        if meaning == ActionKind.PAY and match != _WHOLE:
            self._pay_phrases.update(languages)
        if match == _WHOLE:
            self._whole.add(f"{meaning}\t{phrase}")
            return
        entry = _Entry(meaning, match, phrase, tuple(_WORD.findall(phrase)), languages)
        # Without its currency a phrase may say less: of “원 보내기”, won to send, that is “Send”.
        if not (meaning.startswith(_ASKED) or _names_currency(phrase)):
            self._whole.add(f"{meaning}\t{bare(phrase)}")
        if _UNSPACED.search(phrase):
            self._unspaced.append((phrase, entry))
        elif entry.words:
            index = self._stems if match == _STEM and len(entry.words) == 1 else self._by_word
            index[entry.words[0][:4] if index is self._stems else entry.words[0]].append(entry)

    def _clauses(self, label: str) -> Iterator[str]:
        folded = _NUMBER.sub(" ", fold(label))
        for clause in _CLAUSES.split(folded):
            if clause.strip():
                yield clause.strip()

    def _whole_meaning(self, folded: str, meaning: str) -> bool:
        return f"{meaning}\t{bare(folded)}" in self._whole

    def _kind_of_clause(self, clause: str, whole: bool) -> ActionKind | None:
        phrase = bare(clause)
        if f"{Sense.HARMLESS}\t{phrase}" in self._whole or f"{Sense.REFUSE}\t{phrase}" in self._whole:
            return None
        if phrase != clause and any(
            _names_currency(e.phrase) for e in self._entries(clause) if e.meaning == ActionKind.PAY
        ):
            return ActionKind.PAY
        for kind in _PRIORITY:
            if f"{kind}\t{phrase}" in self._whole:
                return kind
        if (
            whole
            or len(phrase.split()) > _MOST_WORDS
            or (_UNSPACED.search(phrase) and len(phrase) > _MOST_CHARACTERS)
        ):
            return None
        entries = list(self._entries(clause))
        if any(entry.meaning == Sense.HARMLESS for entry in entries):
            return None
        kinds = [entry for entry in entries if entry.meaning in _PRIORITY]
        negating = {language for e in entries if e.meaning == Sense.NEGATES for language in e.languages}
        named = [entry for entry in kinds if not entry.languages & negating]
        return ActionKind(max(named, key=_weight).meaning) if named else None

    def _is_negated(self, clause: str) -> bool:
        """Whether a clause negates a deed, as “do not allow” does."""
        if self._whole_meaning(clause, Sense.REFUSE):
            return True
        entries = list(self._entries(clause))
        negating = {language for e in entries if e.meaning == Sense.NEGATES for language in e.languages}
        return any(e.meaning in _PRIORITY and e.languages & negating for e in entries)

    def _entries(self, folded: str) -> Iterator[_Entry]:
        words = _WORD.findall(folded)
        for place, word in enumerate(words):
            for entry in self._by_word.get(word, ()):
                if tuple(words[place : place + len(entry.words)]) == entry.words:
                    yield entry
            for entry in self._stems.get(word[:4], ()):
                if word.startswith(entry.words[0]):
                    yield entry
        if _UNSPACED.search(folded):
            for match in self._unspaced_pattern.finditer(folded):
                ends = _VERB_ENDS.match(folded, match.end()) is not None
                for entry in self._unspaced_entries[match[0]]:
                    if ends or entry.meaning not in _PRIORITY or not _VERB_LAST.search(match[0]):
                        yield entry


_DENYING = (Sense.DENIES, Sense.NEGATES, Sense.POSSIBLE)
_SENTENCE_PARTS = lazy_regex(r"(?<!\d)[,.;:!?…·•|/()،؛؟।]+(?!\d)|[、。，；：！？]|\s[-–—]\s")
"""What parts a sentence; a point or comma between digits does not."""
_PRIORITY = (
    ActionKind.SECURITY,
    ActionKind.INSTALL,
    ActionKind.PAY,
    ActionKind.DELETE,
    ActionKind.SEND,
    ActionKind.GRANT,
)
_ASKED_FIRST = (
    ActionKind.SECURITY,
    ActionKind.INSTALL,
    ActionKind.DELETE,
    ActionKind.PAY,
    ActionKind.SEND,
    ActionKind.GRANT,
)
"""In a question the verb that ends something counts before the noun it ends: “cancel the order”."""


def _names_currency(phrase: str) -> bool:
    return any(map(_CURRENCY.fullmatch, phrase.split()))


def _weight(entry: _Entry) -> tuple[int, int]:
    """The longest phrase tells best what a label does; between two of one length, the graver kind."""
    return sum(map(len, entry.words)) or 1, -_PRIORITY.index(ActionKind(entry.meaning))


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    """A folded text without numbers, currencies and punctuation."""
    words = re.sub(
        r"[^\w\s'\u0300-\u036f\u0590-\u05cf\u0610-\u065f\u0900-\u0eff\u1000-\u109f\u1780-\u17ff-]", " ", text
    )
    kept = [word for word in _NUMBER.sub(" ", words).split() if not _CURRENCY.fullmatch(word)]
    return " ".join(kept) or " ".join(words.split())


@cache
def lexicon() -> LabelLexicon:
    """The lexicon of labels that ships beside this module, read once."""
    return LabelLexicon(line for line in _lines() if line.partition("\t")[0] not in OF_PROSE)


@cache
def prose() -> LabelLexicon:
    """The lexicon of sentences, read once."""
    of_prose = {*OF_PROSE, Sense.NEGATES}
    return LabelLexicon(line for line in _lines() if line.partition("\t")[0] in of_prose)


@cache
def _lines() -> list[str]:
    return (files("assistant.safety") / "lexicon.tsv").read_text("utf-8").splitlines()


_READ_AS = {
    "a": "ᴀ",
    "b": "вʙ",
    "d": "ᴅ",
    "e": "єᴇε",
    "f": "ꜰғ",
    "g": "ɢ",
    "h": "ʜн",
    "j": "ᴊ",
    "k": "κкᴋ",
    "l": "ӏʟ∣",
    "m": "мᴍ",
    "n": "ɴ",
    "o": "০",
    "p": "ᴘ",
    "r": "ʀ",
    "t": "тτᴛ",
    "x": "χ",
}
"""What people read as a letter, beside TR 39, which pairs no small capital and no letter of another size."""
_OF_WORDS = lazy_regex(
    "ARABIC|BENGALI|CJK|DEVANAGARI|ETHIOPIC|GEORGIAN|GUJARATI|GURMUKHI|HANGUL|HEBREW|HIRAGANA|KANNADA|"
    "KATAKANA|KHMER|LAO|MALAYALAM|MYANMAR|ORIYA|SINHALA|TAMIL|TELUGU|THAI"
)
"""Scripts whose letters stay as they are: the words of their languages are read."""
_TRADITIONAL = (
    "轉賬帳發刪購買確認訂單裝許撥傳驗證碼載個開設備應絡費錢撤郵話貼訊組權號螢鎖輸關離佈語資員錄圖"
    "檔書頁閉儲選項鈕鍵評論讚線處點擊價額餘現換兌匯銀結執銷視頻聯繫機車輛預約門鑰險稅團隊簽會導覽"
    "將進還給請為與從擇舉報檢測聽說寫讀幣實時當專屬廢棄復後續訪問據庫夾紀憑顯隱調試運賣贈償貸債產"
    "業層雲臨總計終斷連麥風攝鏡頭標籤類動態靜歡樂遊戲訓練戶佔減壓縮掃診"
)
_SIMPLIFIED = (
    "转账账发删购买确认订单装许拨传验证码载个开设备应络费钱撤邮话贴讯组权号萤锁输关离布语资员录图"
    "档书页闭储选项钮键评论赞线处点击价额余现换兑汇银结执销视频联系机车辆预约门钥险税团队签会导览"
    "将进还给请为与从择举报检测听说写读币实时当专属废弃复后续访问据库夹纪凭显隐调试运卖赠偿贷债产"
    "业层云临总计终断连麦风摄镜头标签类动态静欢乐游戏训练户占减压缩扫诊"
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
        **dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True)),
        **_SYMBOLS,
        **dict.fromkeys("’ʼ‘`´′＇", "'"),
        **dict.fromkeys("‐‑‒", "-"),
        **{chr(0x1F150 + place): chr(97 + place) for place in range(26)},
        **{chr(0x1F170 + place): chr(97 + place) for place in range(26)},
        **{chr(0x1F1E6 + place): chr(97 + place) for place in range(26)},
    }
)


@cache
def _table() -> dict[int, str]:
    """What each character is read as: the letters that look like an English one, and the rest of `_TABLE`.

    Read at the first label that is not plain English; it takes a twentieth of a second.
    """
    read = (files("confusable_homoglyphs") / "confusables.json").read_text("utf-8")
    table: dict[int, str] = {}
    for character, others in json.loads(read).items():
        if len(character) > 1 or character.isascii() or not character.isalpha():
            continue
        if _OF_WORDS.match(unicodedata.name(character, "")):
            continue
        for other in (other["c"] for other in others):
            if len(other) == 1 and other.isascii() and other.isalpha():
                # A capital that looks like a small l is an I.
                table[ord(character)] = "i" if other == "l" and character.isupper() else other.lower()
    table.update({ord(other): letter for letter, others in _READ_AS.items() for other in others})
    return table | _TABLE


_DIGITS_AS_LETTERS = str.maketrans("034570@$1!|", "oeastoas\0\0\0")
_MAX_ONES = 4

_TAG = lazy_regex(r"<[^<>]{1,60}>|\[/?[a-z][^\[\]]{0,40}\]")
_LETTERS_APART = lazy_regex(r"(?<![a-z0-9])(?:[a-z][\s._·•*|/\\~-]){2,}[a-z](?![a-z0-9])")
_CJK = "[\u3400-\u9fff]"
_CJK_APART = lazy_regex(rf"(?<={_CJK})[\s._·•*|~-]+(?={_CJK})")
_RIGHT_TO_LEFT = lazy_regex("[\u202b\u202e\u2067]")
_TURNED = lazy_regex("[\u202b\u202e\u2067]([^\u202c\u2069]*)[\u202c\u2069]?")
_MIXED = lazy_regex(r"\b(?=\w*[a-z])(?=\w*[0-9@$!])[a-z0-9@$!]{3,}")


@lru_cache(maxsize=8192)
def normalize_label(text: str) -> str:
    """Lower-case, with ordinary letters and single spaces, and without what cannot be seen."""
    if text.isascii() and text.isprintable():
        # Its forms are all the same, and all of it can be seen.
        text = text.lower().translate(_TABLE)
    else:
        text = unicodedata.normalize("NFKC", text).translate(_table())
        text = "".join(_visible(character) for character in unicodedata.normalize("NFKD", text))
        text = unicodedata.normalize("NFC", text).casefold().translate(_table())
    untagged = _TAG.sub("", text)
    text = _CJK_APART.sub("", untagged if any(map(str.isalnum, untagged)) else text.strip("<>[]/ "))
    text = _LETTERS_APART.sub(lambda match: re.sub(r"[^a-z]", "", match[0]), text)
    return " ".join(text.split())


@lru_cache(maxsize=8192)
def readings(text: str) -> tuple[str, ...]:
    """The ways a person could read a label: as it is, digits as letters, and backwards where it is turned."""
    first = normalize_label(text)
    ways = [first]
    if _MIXED.search(first):
        ways += _with_letters(first)
    if _RIGHT_TO_LEFT.search(text):
        turned = _TURNED.sub(lambda match: match[1][::-1], text)
        ways += [first[::-1], normalize_label(turned)]
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

"""Content words and opposite verbs of instructions in English and Chinese (PersonalAlign 5.2).

Opposite verbs are "order" and "cancel", "turn on" and "turn off", 打开 and 关闭. Sentence embeddings hardly
tell such instructions apart, so their verbs are read here. A verb has a pole on one or more axes; two
instructions oppose each other when on some axis all verbs of one stand at the other pole than all of
the other's. Only words in a verb's position count, so that the name of a film or of a dish does not.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_WORD = re.compile(r"[a-z0-9]+(?:[.'’:][a-z0-9]+)*")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")

_STOP_TEXT = """
a an the this that these those my your our his her their me you us it i we he she they of on in at to
into from for with by via using use through and or then also as is are be was were do does did can could
would will shall should may might must please pls kindly just some any want need like wanna let lets help
hey hi hello ok okay up out over about what which who there here so if now today tonight app application
go
"""
_STOP = frozenset(_STOP_TEXT.split())
_CHINESE_STOP = re.compile(
    "帮我|给我|替我|麻烦你?|请你?|我想要?|我要|能不能|可不可以|可以|能否|一下子?|一份|一个|一杯|一些|一首|一条|"
    "现在|今天|今晚|应用|软件|这个|那个|还是|或者|然后|吗|吧|呢|啊|呀|哦|的|了|着|把|在|从|用|和|与|跟|我|你|他|她|它"
)
_VAGUE_ENGLISH = re.compile(
    r"\b(?:(?:the|that|this)\s+)?(?:same|one|thing|stuff)\s+(?:(?:from|as|like|of|i\s+\w+)\s+)*"
    r"(?:the\s+)?(?:last\s+time|before|always|usual|yesterday|ever)\b"
    r"|\b(?:as|like|than)\s+(?:i\s+)?(?:usual(?:ly)?|always|before|last\s+time|normal(?:ly)?|ever)(?:\s+do)?\b"
    r"|\b(?:the|my|our|that)\s+(?:same\s+old|same|old)(?:\s+(?:thing|one))?\b"
    r"|\b(?:usual|usually|regular|regularly|normal|normally|always|again|favou?rite|typical|customary|"
    r"habitual|routine|ordinary|standard|preferred|last\s+time|one\s+more\s+time|once\s+more|"
    r"you\s+know|thing|things|stuff|something|one|ones|same|often)\b"
)
_VAGUE_CHINESE = re.compile(
    "老样子|老规矩|老地方|照旧|照常|照例|往常一?样?|平时[一那]?[样个]?|平常[一那]?[样个]?|和?上次一样|上次那?[个家]?|"
    "像以前一样|以前那?[个家]?|一直以来|惯例|习惯|惯常|经常|常常|通常|常[点听看吃喝买去用]的?|爱[点听看吃喝买去用]的?|"
    "同样|一样|那[个家份首]|再来一?[次份个杯遍]?|又一次|还是那[个家]|最喜欢的?|喜欢的?"
)
_OPENING = re.compile(
    r"^(?:(?:so|right|well|now|alright|yes|yeah|oh|um|uh|er|hey|hello|hi|ok|okay|please)\s*[,!.]+\s*"
    r"|(?:hey|hello|hi|ok|okay|um|uh|please)\s+"
    r"|(?:那个|对了|嘿|嗯|你好|您好|好的?|嗨|喂|哎|诶|那|请问?|麻烦你?)[,，!！。、\s]+|请(?!教|客|假|柬))+(?=\S)",
    re.IGNORECASE,
)


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


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """The Jaccard similarity of two sets, 0..1; 0 for two empty sets."""
    if not left or not right:
        return 0.0
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)


def _stem(word: str) -> str:
    word = word.replace("’", "'").removesuffix("'s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


Poles = tuple[tuple[str, int], ...]

_ENGLISH_AXES = {
    "have": (
        "order reorder buy purchase book rebook reserve subscribe schedule reschedule set create add make "
        "install reinstall register join follow like save bookmark favourite favorite start get grab fetch "
        "send post share put insert download restore keep arrange plan begin record",
        "cancel refund return unsubscribe delete remove clear uninstall unregister leave unfollow unlike "
        "unsave discard erase drop stop dismiss abort undo revoke withdraw wipe trash empty end scrap ditch",
    ),
    "trade": ("buy purchase order", "sell"),
    "run": (
        "open launch enable activate start begin run resume continue unpause",
        "close shut disable deactivate stop quit exit end pause kill",
    ),
    "play": (
        "play resume continue unpause start replay watch listen stream",
        "pause stop halt mute delete remove",
    ),
    "sound": ("unmute", "mute silence"),
    "level": (
        "raise increase brighten boost lift amplify maximize maximise",
        "lower decrease reduce dim darken shrink minimize minimise",
    ),
    "lock": ("unlock", "lock"),
    "bar": ("unblock allow permit", "block ban forbid deny"),
    "link": ("connect pair join", "disconnect unpair forget"),
    "view": ("show reveal unhide display", "hide conceal"),
    "answer": ("answer accept approve confirm", "reject decline refuse deny"),
    "word": ("send reply text write compose forward", "read view check"),
    "load": ("upload", "download"),
    "fund": ("deposit", "withdraw"),
    "pin": ("pin", "unpin"),
    "store": ("archive", "unarchive"),
}
_CHINESE_AXES = {
    "have": (
        "下单 预订 预定 预约 订阅 订购 订 点单 点 购买 买 抢 设置 设定 设个 设 定 创建 新建 建立 添加 增加 "
        "加入 加 安装 注册 报名 关注 点赞 收藏 保存 开始 发送 发 分享 领取 开通 约 "
        "来一份 来一杯 来份 来杯 录制",
        "取消 退款 退货 退订 退掉 退了 退单 退出 退 删除 删掉 删了 删 移除 清空 清除 清理 卸载 注销 "
        "取关 撤销 撤回 结束 停止 停用 停掉 关闭 关掉 关了 丢弃 解除 解绑",
    ),
    "trade": ("购买 买 下单", "卖掉 卖 出售"),
    "run": (
        "打开 开启 启用 启动 开始 继续 恢复 开下 开一下 开",
        "关闭 关掉 关上 关了 关下 关一下 关 停用 禁用 停止 停掉 结束 退出 暂停",
    ),
    "play": ("播放 放一首 放首 放点 继续 恢复 听 看", "暂停 停止 停掉 停下 别放"),
    "sound": ("取消静音 解除静音", "静音"),
    "level": (
        "调高 调大 调亮 提高 增大 增强 升高 加大 大声 调响",
        "调低 调小 调暗 降低 减小 减弱 减少 小声 调轻",
    ),
    "lock": ("解锁", "锁定 锁上 锁屏 锁"),
    "bar": ("允许 解禁", "屏蔽 拉黑 禁止"),
    "link": ("连接 连上 接上 配对", "断开 断掉"),
    "view": ("显示", "隐藏"),
    "answer": ("接听 接受 同意 接", "拒绝 拒接 挂断 挂掉"),
    "word": ("发送 发 回复 转发 写", "查看 阅读 看看 看 读"),
    "load": ("上传", "下载"),
    "fund": ("充值 存入 转入", "提现 取出 转出"),
    "pin": ("置顶", "取消置顶"),
}
_PARTICLE_AXES: dict[str, dict[str, Poles]] = {
    "on": {
        "turn": (("run", 1),),
        "switch": (("run", 1),),
        "put": (("play", 1), ("run", 1)),
        "toggle": (("run", 1),),
    },
    "to": {"switch": (("run", 1),)},
    "off": {
        "turn": (("run", -1), ("have", -1)),
        "switch": (("run", -1), ("have", -1)),
        "toggle": (("run", -1),),
        "call": (("have", -1),),
        "shut": (("run", -1),),
        "log": (("session", -1),),
        "sign": (("session", -1),),
        "take": (("have", -1), ("run", -1)),
    },
    "up": {
        "turn": (("level", 1),),
        "bring": (("level", 1),),
        "top": (("fund", 1),),
        "hang": (("answer", -1),),
        "pick": (("answer", 1),),
        "set": (("have", 1),),
        "sign": (("have", 1),),
        "crank": (("level", 1),),
    },
    "down": {
        "turn": (("level", -1),),
        "bring": (("level", -1),),
        "shut": (("run", -1),),
        "turned": (("level", -1),),
    },
    "in": {
        "log": (("session", 1),),
        "sign": (("session", 1),),
        "check": (("desk", 1),),
        "clock": (("desk", 1),),
    },
    "out": {
        "log": (("session", -1),),
        "sign": (("session", -1),),
        "check": (("desk", -1),),
        "clock": (("desk", -1),),
    },
    "rid": {"get": (("have", -1),)},
    "back": {"send": (("have", -1),), "give": (("have", -1),)},
}


def _by_verb(axes: dict[str, tuple[str, str]]) -> dict[str, Poles]:
    meanings: dict[str, list[tuple[str, int]]] = {}
    for axis, (plus, minus) in axes.items():
        for pole, verbs in ((1, plus), (-1, minus)):
            for verb in verbs.split():
                meanings.setdefault(verb, []).append((axis, pole))
    return {verb: tuple(dict.fromkeys(poles)) for verb, poles in meanings.items()}


def _by_particle() -> dict[str, dict[str, Poles]]:
    by_verb: dict[str, dict[str, Poles]] = {}
    for particle, verbs in _PARTICLE_AXES.items():
        for verb, poles in verbs.items():
            by_verb.setdefault(verb, {})[particle] = poles
    return by_verb


ENGLISH = _by_verb(_ENGLISH_AXES)
"""English verbs that stand alone."""
CHINESE = _by_verb(_CHINESE_AXES) | {
    "上班打卡": (("desk", 1),),
    "下班打卡": (("desk", -1),),
    "登录": (("session", 1),),
    "登出": (("session", -1),),
    "退出登录": (("session", -1),),
}
"""Chinese verbs; the longest that fits counts."""
PARTICLES = _by_particle()
"""English verbs whose particle decides: verb, particle, poles."""
VERBS = frozenset(ENGLISH) | frozenset(PARTICLES)
"""All English verbs with an opposite."""
_PLAIN_TEXT = """
call pay text message navigate search look log note track measure water feed charge sync scan print drive walk
ride listen check ask remind transfer renew review update upload top refill
"""
_PLAIN_VERBS = frozenset(_PLAIN_TEXT.split())
"""Verbs without an opposite, whose tenses `infinitive` recognises."""
PLACELESS = frozenset(["on", "off", "up", "down", "back", "in", "out", "to"])
"""Particles of verbs; they name no object."""
_IRREGULAR_TEXT = """
pay:paid buy:bought send:sent take:took,taken get:got,gotten make:made read:read write:wrote,written
begin:began,begun shut:shut give:gave,given find:found hide:hid,hidden drive:drove,driven leave:left keep:kept
hang:hung sell:sold withdraw:withdrew,withdrawn forget:forgot,forgotten turn:turned put:put set:set
switch:switched top:topped
"""
_IRREGULAR = {
    past: line.partition(":")[0]
    for line in _IRREGULAR_TEXT.split()
    for past in line.partition(":")[2].split(",")
}
_ASIDE_VERBS = frozenset(["pay", "call", "text", "message", "navigate", "search", "remind", "transfer"])
_TAIL = re.compile(
    r"\s*(?:(?P<then>[,;]?\s+(?:and\s+)?then)\b|[,;]\s+(?=(?:while|because|since|still|as\s+usual|again|before|after|"
    r"running|ugh|lol|haha|finally|so|like|just|half|feeling|too|with)\b)|\s+(?:while|because|before|after)\b(?!\s+\d)"
    r"|\s+[-–—]+\s+(?=(?-i:[a-z]))|\s*…|\s*\.{2,}|!\s+"
    r"|[，,。；]\s*(?=顺便|然后又|因为|一边|好困|哈哈|又|真|还是))(?P<tail>.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""What begins a remark beside the deed; `then` may begin a second deed."""
_MEASURED = re.compile(
    r"\b(?:log|logged|logging|noted?|track|tracked|measured?|(?:write|wrote|put|jot|jotted) down)\b"
    r"|\badd(?:ed)? .*\bto (?:my|the) .*\b(?:note|log|diary|journal|tracker)|记"
)
_MONEY = re.compile(r"[¥￥$€£]|\b(?:usd|eur|gbp|rmb|dollars?|euros?|pounds?|yuan)\b|元|块")
_VALUE = re.compile(r"(?<![a-z0-9:.])(?<!\bat )\d+(?:[./]\d+)?(?![a-z0-9:.点时])")
_SWITCHES = re.compile(
    r"wi-?fi|wlan|bluetooth|do not disturb|\bdnd\b|silent mode|quiet mode|airplane mode|flight mode|hotspot|"
    r"flashlight|torch|mobile data|battery saver|dark mode|vpn|"
    "勿扰|打扰|免打扰|无线网|蓝牙|静音|飞行模式|热点|手电筒|流量|省电|深色模式|夜间模式"
)
"""Things that are only on or off: for these, all words for switching on (or off) mean the same."""
_SWITCHED_OFF = re.compile(
    "取消|退出|关闭|关掉|关上|关了|关下|关一下|关|断开|断掉|停用|解除|结束|禁用|停止"
    r"|\b(?:disable|deactivate|disconnect|stop|end|kill|close|leave|quit|exit|dismiss|cancel)\b|\boff\b"
)
_SWITCHED_ON = re.compile(
    "打开|开启|启用|连上|连接|接上|调成|调到|设成|设为|切到|切换到|进入|启动|激活|开"
    r"|\b(?:enable|activate|connect|start|launch|join|resume)\b|\bon\b"
)
CHINESE_CARRIERS = frozenset(["打开", "启动", "开启", "看看", "看", "查看"])
"""Verbs that often only lead to the app in which the next verb acts."""
CHINESE_NOUNS = re.compile(
    "[0-9零一二三四五六七八九十两半几]点|点钟|点心|早点|晚点|糕点|地点|景点|饭点|站点|点评|点半|有点|一点|"
    "订单|账单|定位|固定|确定|一定|稳定|关于|相关|有关|海关|关键|开会|开心|公开|开车|离开|开水|开奶|"
    "停车|加班|加油|参加|更加|设计|设备|设施|退休|放学|放心|买单|发票|发现|头发|沙发|理发|出发|发型|特别|识别|别墅|类别|"
    "看病|看来|好看|接下来|直接|接机|接人|读书会|约翰|大约|建议|写真|写字楼|收藏夹|保存的|播放列表|购买记录|关注列表|"
    "外卖|专卖|小卖|买卖|拍卖|特卖|热卖|卖场|卖家|买家"
)
"""Words that contain the character of a verb without being one."""


Signature = frozenset[tuple[str, int]]
"""The poles of an instruction's verbs: pairs of an axis and 1 or -1."""

_TOKEN = re.compile(r"[a-z']+|[,.;:!?]")
_QUOTED = re.compile(r"《[^》]*》|“[^”]*”|「[^」]*」|\"[^\"]*\"|‘[^’]*’|『[^』]*』")
_LEAD_TEXT = """
please pls can could would will you i i'd i'm id we need want wanna like have got gotta to let's lets let
me help hey hi hello ok okay just kindly now go ahead try assistant also quickly then and so well us
"""
_LEAD = frozenset(_LEAD_TEXT.split())
_PREPOSITIONS = frozenset(
    ["on", "in", "with", "using", "use", "via", "from", "at", "through", "inside", "for"]
)
_NOT = frozenset(["don't", "dont", "never", "not", "without", "doesn't", "no"])
_DETERMINERS = frozenset(["a", "an", "some", "the", "one", "another", "two"])
_CLAUSE = frozenset([*",.;:!?", "and", "then", "but"])
_PARTICLE_SPAN = 7
_SWITCH_CLAUSE = 60
"""Maximum length in characters of a clause that only switches something on or off."""
_CHINESE_CLAUSE = re.compile("[，。；、！？,;!?]|然后|并且|接着|再|并|同时|以及")
_CHINESE_NOT = ("不要再", "别再", "不要", "不用", "不再", "无需", "无须", "别")
_CHINESE_BETWEEN = re.compile("^(?:给我|帮我|替我|让它|让|把)*")


@lru_cache(maxsize=65536)
def signature(instruction: str) -> Signature:
    """The poles of an instruction's verbs. Empty when no verb with an opposite is found."""
    normalized = _QUOTED.sub(" ", unicodedata.normalize("NFKC", instruction).replace("’", "'").casefold())
    if switched := _switched(normalized):
        return frozenset({("run", switched)})
    return frozenset(_english(normalized) | _chinese(normalized))


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


_CHINESE_VERB = re.compile("|".join(sorted(map(re.escape, CHINESE), key=len, reverse=True)))


_OWN_WORDS = re.compile(r", as asked: “(?P<en>.*)”$|，原话是“(?P<zh>.*)”$", re.DOTALL)


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

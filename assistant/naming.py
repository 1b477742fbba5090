"""Names that a person can read, made from the names that programs give: resource ids and packages."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\da-zA-Z_]+")
_KINDS_BEFORE = frozenset(
    ("iv", "ib", "ic", "img", "btn", "bt", "tv", "et", "ll", "rl", "fl", "cl", "rv", "lv", "cv", "vp")
) | frozenset(("cb", "rb", "sw", "sb", "pb", "tb", "fab", "id"))
_KINDS_BEHIND = frozenset(("widget", "view", "button", "btn", "layout", "container", "iv", "tv"))
COMMON_PARTS = frozenset(
    (
        "com",
        "org",
        "net",
        "cn",
        "io",
        "app",
        "apps",
        "android",
        "google",
        "mobile",
        "client",
        "main",
    )
)
"""Parts of package names that say nothing about one app."""

_RUN_TOGETHER = re.compile(
    r"(?<=[a-z]{3})(controller|installer|manager|launcher|provider|services?|settings|browser|player|picker|ui)$"
)
"""Words that packages of Android's own carry at the end of another."""

_BETWEEN = re.compile(r"\d+(?: ?(?:s\b|秒))?|[^\w']|_")
_KEYS_OF_A_PAD = ("*", "#")
_LITTLE_ENGLISH = re.compile(
    r"(?:(?:maybe|remind me) )?later|(?:close|skip|hide|cancel|dismiss|stop)(?: (?:ads?|all|now|this|it))?|"
    r"not (?:now|interested)|no(?: thanks?| thank you)?|never|yes|ok|okay|x|got it|i understand|understood|"
    r"(?:always |don'?t )?allow(?: (?:once|always|all))?|deny|block|(?:while using|only this time).*|"
    r"(?:i )?(?:dis)?agree|accept(?: all)?|decline|reject(?: all)?|refuse|done|finish|ready|"
    r"(?:go )?back|navigate up|up|next|continue|go on|proceed|confirm|submit|apply|retry|try again|"
    r"(?:see |show |view )?(?:more|details)|more options|learn more|"
    r"add|remove|delete|edit|change|save|open|view|enable|disable|turn (?:on|off)|undo"
)
_LITTLE_CHINESE = re.compile(
    r"(?:以后|稍后|下次|等会)(?:再说|再试|提醒我?|处理)?|(?:暂|先)?不(?:用|了|需要|允许|同意|感兴趣)?(?:了|谢谢)?|残忍拒绝|"
    r"(?:关闭|跳过|隐藏|取消|停止|忽略|返回|后退|上一步)(?:广告|全部)?|"
    r"好的?|是的?|否|确[定认]|我?知道了|明白了?|我?已?了解|(?:始终|总是|全部|一律|本次)?(?:使用时?)?允许|拒绝|禁止|"
    r"仅?在?(?:使用.{0,5}(?:中|时|期间)|本次.{0,3})允许|同意|接受|继续|下一步|完成|提交|应用|重试|再试一次|"
    r"(?:查看)?(?:更多|详情)(?:选项)?|添加|移除|删除|编辑|修改|更改|保存|打开|开启|启用|停用|查看|撤销"
)


def element_name(resource_id: str) -> str:
    """What a resource id says of its element: `com.shop:id/iv_close` is `close`.

    What the element is made of is dropped, unless nothing would remain.
    """
    words = _words(resource_id.rpartition("/")[2])
    while len(words) > 1 and words[0] in _KINDS_BEFORE:
        del words[0]
    while len(words) > 1 and words[-1] in _KINDS_BEHIND:
        del words[-1]
    return " ".join(words)


def says_little(name: str) -> bool:
    """Whether a name alone does not tell what is meant: “later”, “取消”, “×”, a countdown behind “skip”."""
    words = " ".join(_BETWEEN.sub(" ", name.casefold().replace("’", "'")).split())
    if not any(character.isalnum() for character in name):
        return name.strip() not in _KEYS_OF_A_PAD
    return any(known.fullmatch(words) for known in (_LITTLE_ENGLISH, _LITTLE_CHINESE))


def app_name(package: str) -> str:
    """What a package calls its app: `com.android.permissioncontroller` is `Permission controller`."""
    parts = package.split(".")
    telling = [part for part in parts if part.casefold() not in COMMON_PARTS]
    last = (telling or parts)[-1]
    name = " ".join(_words(_RUN_TOGETHER.sub(r"_\1", last)))
    return name[:1].upper() + name[1:]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]

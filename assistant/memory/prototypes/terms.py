"""Verbs and the poles at which they stand, for `verbs.py`."""

from __future__ import annotations

import re

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
    found: dict[str, list[tuple[str, int]]] = {}
    for axis, (plus, minus) in axes.items():
        for pole, verbs in ((1, plus), (-1, minus)):
            for verb in verbs.split():
                found.setdefault(verb, []).append((axis, pole))
    return {verb: tuple(dict.fromkeys(poles)) for verb, poles in found.items()}


def _by_particle() -> dict[str, dict[str, Poles]]:
    found: dict[str, dict[str, Poles]] = {}
    for particle, verbs in _PARTICLE_AXES.items():
        for verb, poles in verbs.items():
            found.setdefault(verb, {})[particle] = poles
    return found


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
CHINESE_CARRIERS = frozenset(["打开", "启动", "开启", "看看", "看", "查看"])
"""Verbs that often only lead to the app in which the next verb acts."""
CHINESE_NOUNS = re.compile(
    "[0-9零一二三四五六七八九十两半几]点|点钟|点心|早点|晚点|糕点|地点|景点|饭点|站点|点评|点半|有点|一点|"
    "订单|账单|定位|固定|确定|一定|稳定|关于|相关|有关|海关|关键|开会|开心|公开|开车|离开|开水|开奶|"
    "停车|加班|加油|参加|更加|设计|设备|设施|退休|放学|放心|买单|发票|发现|头发|沙发|理发|出发|发型|特别|识别|别墅|类别|"
    "看病|看来|好看|接下来|直接|接机|接人|读书会|约翰|大约|建议|写真|写字楼|收藏夹|保存的|播放列表|购买记录|关注列表|"
    "外卖|专卖|小卖|买卖|拍卖|特卖|热卖|卖场|卖家|买家"
)
"""Words in which a verb's character is no verb."""

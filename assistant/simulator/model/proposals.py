"""What the stand-in offers in place of a command that it does not know: the nearest of those that it does."""

from __future__ import annotations

from assistant.simulator.model.words import cjk, stem

MOST = 3

COMMANDS = (
    (
        "order beef noodles without coriander",
        "点一份牛肉面不要香菜",
        "food eat meal pizza 吃 饿 饭 菜",
    ),
    ("call Mom", "给妈妈打电话", "ring phone 电话"),
    ("set an alarm for 7:30", "设一个七点半的闹钟", "remind wake 提醒 叫醒"),
    ("play Slow Ferry", "播放初雪", "music song listen video 歌 音乐 听"),
    ("order a latte", "点一杯拿铁", "drink coffee tea 喝 咖啡 奶茶"),
    (
        "send a message to Mom: I will be late",
        "给妈妈发消息：我晚点到",
        "text tell write 告诉 说 回复",
    ),
    ("navigate to Corner Coffee on foot", "步行导航到街角咖啡", "way go route walk 怎么走 路"),
    ("call a taxi to East Airport Terminal 2", "叫一辆车去东机场2号航站楼", "ride drive cab car 打车"),
    (
        "find a train from Beijing to Shanghai tomorrow morning",
        "查一下明天北京到上海的火车",
        "ticket 票",
    ),
    ("set a timer for 15 minutes", "倒计时15分钟", "remind hour 提醒 小时"),
    ("make a note: buy stamps", "记个便签：买邮票", "remind list buy 提醒 记 买"),
    ("what's the weather in Beijing tomorrow", "明天北京天气怎么样", "rain cold warm 下雨 冷 热"),
    ("search the web for green tea", "上网搜绿茶", "look internet find 查 搜索"),
    ("turn on dark mode", "打开深色模式", "switch off light screen 关 亮 暗"),
    ("transfer 50 to Lily Chen", "给陈莉莉转账50元", "money pay send 钱 付"),
    ("install Podcasts", "安装播客", "app download 应用 下载"),
    ("find Lily Chen's number", "查一下陈莉莉的电话", "contact 联系人 号码"),
)
"""Commands that the stand-in carries out, in English and Chinese, and further words that lead to each."""

_COMMON = "a an the to for of in on at me my i with and or is it please 我 的 一 个 给 我的 一个"


def propose(instruction: str) -> tuple[str, ...]:
    """The commands that share most words with an instruction, in its language; without any, the first."""
    chinese = cjk(instruction)
    said = _words(instruction, 1, 2)

    def shared(command: tuple[str, str, str]) -> int:
        return len(said & (_words(command[chinese], 2) | frozenset(command[2].split())))

    return tuple(command[chinese] for command in sorted(COMMANDS, key=shared, reverse=True)[:MOST])


def _words(text: str, *sizes: int) -> frozenset[str]:
    """The words of a text that tell it from others; of Chinese ones all runs of so many characters."""
    words: set[str] = set()
    for word in stem(text).replace(":", " ").split():
        if cjk(word):
            words.update(word[at : at + size] for size in sizes for at in range(len(word) - size + 1))
        else:
            words.add(word)
    return frozenset(words) - frozenset(_COMMON.split())

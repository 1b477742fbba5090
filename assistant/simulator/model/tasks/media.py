"""Music, video and podcasts."""

from __future__ import annotations

from assistant.simulator.model.rules import (
    Check,
    Rule,
    Task,
    both,
    done,
    finish,
    no,
    page,
    search,
    search_entry,
    sees,
    tap,
    when,
)
from assistant.simulator.model.screen import Item

PLAYERS = {
    "Music": ("Music", "音乐", "com.example.music"),
    "Video": ("Video", "视频", "com.example.video"),
    "Podcasts": ("Podcasts", "播客", "com.example.podcasts"),
}

playing: Check = page("Now playing", "正在播放")


def is_track(item: Item) -> bool:
    """Whether an element is a track in a list: it tells its length."""
    return item.tappable and "·" in item.label


find_track: Rule = search("{what}", tap("{what}", where=is_track), "search bar")


def _player(kind: str, patterns: tuple[str, ...], favourite: tuple[str, ...]) -> tuple[Task, Task]:
    english, chinese, package = PLAYERS[kind]
    on_home: Check = page(english, chinese)
    to_search: Rule = when(on_home, search_entry)
    play = Task(
        name=f"play in {english}",
        app=(english, chinese),
        package=package,
        patterns=patterns,
        corrections=(
            r"(?:no, )?(?:play|watch) (?P<what>.+?) instead",
            r"no,? not \w+, (?P<what>.+?)",
            r"(?:换成?|改放)(?P<what>.+?)",
        ),
        rules=(
            when(
                both(playing, sees("{what}", least=2, where=lambda i: not i.tappable)),
                finish("{what} plays.", "正在播放{what}。"),
            ),
            to_search,
            find_track,
        ),
    )
    love = Task(
        name=f"favourite in {english}",
        app=(english, chinese),
        package=package,
        patterns=favourite,
        rules=(
            when(
                both(page("Favourites", "我喜欢"), done("click", "favourite")),
                when(
                    sees("{what}", least=3, where=is_track),
                    finish("{what} is among the favourites.", "已收藏{what}。"),
                ),
            ),
            when(
                both(playing, sees("{what}", least=2, where=lambda i: not i.tappable)),
                when(no(done("click", "favourite")), tap("favourite", "Favourite", "喜欢", least=4)),
            ),
            when(
                done("click", "favourite"),
                when(page("Library", "我的"), tap("Favourites", "我喜欢", least=3)),
                tap("Library", "我的", least=4, where=lambda item: item.tappable and item.point.y > 0.85),
                lambda view: (
                    view.back(view.say("I go back to the library.", "返回资料库。"))
                    if not on_home(view)
                    else None
                ),
            ),
            to_search,
            find_track,
        ),
    )
    return play, love


TASKS = (
    *_player(
        "Podcasts",
        (
            r"(?:play|listen to) (?:the )?(?:podcast|episode) (?P<what>.+?)",
            r"(?:play|listen to) (?P<what>.+?) (?:on|in) podcasts",
            r"(?:播放|听)播客(?P<what>.+?)",
            r"在播客(?:里|上)(?:播放|听|放)(?P<what>.+?)",
        ),
        (r"(?:like|favou?rite) the (?:podcast|episode) (?P<what>.+?)",),
    ),
    *_player(
        "Video",
        (
            r"(?:watch|play) (?:the )?(?:video|film|movie|show|series) (?:called )?(?P<what>.+?)",
            r"watch (?P<what>.+?)",
            r"(?:播放|看)(?:视频|电影|电视剧|影片)(?P<what>.+?)",
            r"在视频(?:里|上)(?:播放|看|放)(?P<what>.+?)",
            r"我?想看(?P<what>.+?)",
        ),
        (
            r"(?:like|favou?rite) the (?:video|film|movie) (?P<what>.+?)",
            r"add the (?:video|film|movie) (?P<what>.+?) to (?:my )?favou?rites",
        ),
    ),
    *_player(
        "Music",
        (
            r"(?:play|listen to|put on) (?:the )?(?:song |album |music )?(?P<what>.+?)(?: (?:by|from) .+)?"
            r"(?: to (?:fall asleep|sleep|run)| for (?:my|a|the) run)?(?: (?:on|in) music)?",
            r"(?:睡前|跑步)?(?:播放|放|听)(?:一首|一下|首)?(?:歌曲?|音乐)?(?P<what>.+?)(?:这首歌|助眠|[,，]跑步听)?",
            r"我?想听(?P<what>.+?)",
        ),
        (
            r"(?:like|favou?rite) (?:the )?(?:song )?(?P<what>.+?)",
            r"add (?:the song )?(?P<what>.+?) to (?:my )?favou?rites(?: in music)?",
            r"(?:把)?(?:歌曲?)?(?P<what>.+?)(?:加到|添加到|加入)(?:我喜欢|收藏|喜欢)",
            r"收藏(?:歌曲?)?(?P<what>.+?)",
        ),
    ),
)

"""The launcher: home screen with a dock, the drawer of all apps, and the cards of recent apps."""

from __future__ import annotations

from assistant.simulator.apps.host import App
from assistant.simulator.ui.desk import LAUNCHER_ACTIVITY, Desk
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Align, Arrange, Node, Style
from assistant.simulator.ui.parts import FRAME, LIST, TEXT, app_icon, label, space
from assistant.simulator.ui.tasks import HOME
from assistant.simulator.ui.window import Backdrop, Window, page_window

DOCK = ("com.example.dialer", "com.example.chat", "com.example.browser", "com.example.gallery")
ON_HOME = 8
WEEKDAYS = ("周一", "周二", "周三", "周四", "周五", "周六", "周日")


def _icon(desk: Desk, app: App, name: str = "com.android.launcher3:id/icon") -> Node:
    return app_icon(app.icon, app.label(desk.locale), lambda: desk.start_app(app.package), name=name)


def date_line(desk: Desk) -> str:
    """Today, as a clock widget writes it."""
    now = desk.now()
    return desk.say(f"{now:%A}, {now:%b} {now.day}", f"{now.month}月{now.day}日 {WEEKDAYS[now.weekday()]}")


def _window(screen: Screen, root: Node) -> Window:
    window = page_window(screen, HOME, LAUNCHER_ACTIVITY, root)
    window.backdrop = Backdrop.WALLPAPER
    return window


def home(desk: Desk, screen: Screen) -> Window:
    """The home screen: date, the first apps, the dock. A swipe up opens the drawer."""
    apps = desk.apps()
    docked = [app for package in DOCK for app in apps if app.package == package] or apps[:4]
    others = [app for app in apps if app not in docked][:ON_HOME]
    wide = screen.width > screen.height
    columns = 8 if wide else 4
    root = Node(
        widget=FRAME,
        id="launcher",
        padding=12,
        children=[
            space(weight=1),
            label(f"{desk.now():%H:%M}", name="clock", size=44, color="#ffffff", align=Align.CENTER),
            label(date_line(desk), name="date", size=15, color="#ffffff", align=Align.CENTER),
            space(weight=2),
            Node(
                widget="android.view.ViewGroup",
                id="workspace",
                arrange=Arrange.GRID,
                columns=columns,
                gap=14,
                children=[_icon(desk, app) for app in others],
            ),
            space(20 if not wide else 8),
            Node(
                widget="android.view.ViewGroup",
                id="hotseat",
                arrange=Arrange.GRID,
                columns=max(4, len(docked)),
                padding=12,
                children=[_icon(desk, app) for app in docked],
                style=Style(background="#2b3a5c", radius=26),
            ),
        ],
    )
    return _window(screen, root)


def drawer(desk: Desk, screen: Screen) -> Window:
    """All apps by name, with a search field that narrows them."""
    panels = desk.panels
    panels.drawer_search.hint = desk.say("Search apps", "搜索应用")
    query = panels.drawer_search.value.strip().casefold()
    apps = sorted(desk.apps(), key=lambda app: app.label(desk.locale).casefold())
    matching = [app for app in apps if query in app.label(desk.locale).casefold()]
    panels.drawer_search.on_submit = (lambda: desk.start_app(matching[0].package)) if matching else None
    field = Node(
        widget="android.widget.EditText",
        id="search_container_all_apps",
        field=panels.drawer_search,
        height=48,
        style=Style(icon="search", background="#33415f", color="#ffffff", radius=24, max_lines=1),
    )
    grid = Node(
        widget="android.view.ViewGroup",
        arrange=Arrange.GRID,
        columns=8 if screen.width > screen.height else 4,
        gap=22,
        padding=8,
        children=[_icon(desk, app) for app in matching],
    )
    apps_list = Node(
        widget=LIST, id="apps_list_view", weight=1, scroll=panels.drawer_scroll, children=[grid], padding=4
    )
    root = Node(widget=FRAME, id="apps_view", padding=12, gap=10, children=[field, apps_list])
    window = _window(screen, root)
    window.backdrop = Backdrop.SHEET
    return window


def recents(desk: Desk, screen: Screen) -> Window:
    """Cards of the apps used last. A tap brings one to the front."""
    cards = [_card(desk, task.package) for task in desk.tasks.recent()]
    if cards:
        cards.append(_clear_button(desk))
        body = Node(
            widget="android.widget.ScrollView",
            id="overview_panel",
            weight=1,
            gap=16,
            padding=20,
            scroll=desk.panels.recents_scroll,
            children=cards,
        )
    else:
        nothing = label(desk.say("No recent items", "没有最近的应用"), name="empty", color="#ffffff", size=18)
        body = Node(widget=FRAME, id="overview_panel", weight=1, arrange=Arrange.STACK, align=Align.CENTER)
        body.children = [nothing]
    window = _window(screen, Node(widget=FRAME, id="overview", children=[body]))
    window.backdrop = Backdrop.SHEET
    return window


def _card(desk: Desk, package: str) -> Node:
    app = desk.app(package)
    name = app.label(desk.locale)
    title = Node(
        widget=TEXT,
        text=name,
        style=Style(icon=app.icon[0], badge=app.icon[1], icon_size=18, size=17, bold=True, max_lines=1),
    )
    preview = Node(
        widget="android.widget.ImageView",
        id="snapshot",
        height=150,
        style=Style(picture=f"preview {package}", radius=12),
    )
    return Node(
        widget=FRAME,
        id="task",
        description=name,
        padding=14,
        gap=10,
        children=[title, preview],
        style=Style(background="#ffffff", radius=22),
        on_tap=lambda: desk.start_app(package),
    )


def _clear_button(desk: Desk) -> Node:
    style = Style(color="#ffffff", bold=True, align=Align.CENTER, radius=20, border="#7487b5", max_lines=1)
    words = desk.say("Clear all", "全部清除")
    return Node(widget="android.widget.Button", id="clear_all", text=words, style=style, on_tap=desk.end_apps)

"""Windows above an app: its own dialogs, and the system's: permissions, an app that hangs, the power menu."""

from __future__ import annotations

from assistant.simulator.ui import ime
from assistant.simulator.ui.desk import Desk
from assistant.simulator.ui.metrics import Screen
from assistant.simulator.ui.nodes import Align, Node, ScrollPosition, Style
from assistant.simulator.ui.parts import BUTTON, LINEAR, Tap, label, row
from assistant.simulator.ui.state import OpenDialog, PermissionRequest
from assistant.simulator.ui.window import Window, dialog_window

PERMISSION_PACKAGE = "com.android.permissioncontroller"
GRANT_ACTIVITY = "com.android.permissioncontroller.permission.ui.GrantPermissionsActivity"
BUTTON_IDS = ("android:id/button1", "android:id/button2", "android:id/button3")

_WANTED = {
    "location": ("access this device's location", "获取此设备的位置信息"),
    "contacts": ("access your contacts", "访问您的通讯录"),
    "camera": ("take pictures and record video", "拍摄照片和录制视频"),
    "microphone": ("record audio", "录制音频"),
    "calendar": ("access your calendar", "访问您的日历"),
    "storage": ("access photos and media on your device", "访问您设备上的照片和媒体内容"),
    "photos": ("access photos and media on your device", "访问您设备上的照片和媒体内容"),
    "notifications": ("send you notifications", "向您发送通知"),
    "phone": ("make and manage phone calls", "拨打电话和管理通话"),
    "sms": ("send and view SMS messages", "发送和查看短信"),
}
_WHILE_USED = ("location", "camera", "microphone")


def _body(node: Node) -> Node:
    """A dialog's own views, scrolling where they are higher than the screen."""
    return Node(
        widget="android.widget.ScrollView", id="android:id/custom", scroll=ScrollPosition(), children=[node]
    )


def app_dialog(desk: Desk, screen: Screen, shown: OpenDialog, activity: str) -> Window:
    """An app's dialog. A touch outside closes it where it may be cancelled."""
    dialog = shown.dialog

    def press(act: Tap) -> Tap:
        def pressed() -> None:
            desk.close_dialog(shown)
            act()

        return pressed

    parts = []
    if dialog.title:
        parts.append(label(dialog.title, name="android:id/alertTitle", size=20, bold=True, lines=3))
    if dialog.message:
        parts.append(label(dialog.message, name="android:id/message", size=15, lines=12))
    if dialog.body is not None:
        with desk.running(shown.package):
            parts.append(_body(dialog.body()))
    ids = _button_ids(len(dialog.buttons))
    buttons = [
        _flat_button(words, press(act), name) for (words, act), name in zip(dialog.buttons, ids, strict=True)
    ]
    if buttons:
        parts.append(_button_panel(buttons, [words for words, _ in dialog.buttons]))
    root = Node(widget=LINEAR, id="android:id/parentPanel", padding=22, gap=14, children=parts)
    room = screen.content
    if desk.focus.field is not None and desk.focus.keyboard:
        room = room._replace(bottom=ime.area(desk, screen, desk.focus.field).top)
    window = dialog_window(screen, shown.package, activity, root, room)
    if dialog.cancellable:
        window.outside = lambda: desk.close_dialog(shown)
    return window


def _button_ids(count: int) -> list[str]:
    """The last button is the positive one, the one before it the negative one."""
    if count == 1:
        return [BUTTON_IDS[0]]
    ids = [BUTTON_IDS[1], BUTTON_IDS[0]]
    return [*([BUTTON_IDS[2]] * (count - 2)), *ids]


def _button_panel(buttons: list[Node], words: list[str]) -> Node:
    """Buttons side by side, or below each other where there are many or long ones."""
    if len(buttons) > 3 or sum(map(len, words)) > 34:
        return Node(widget="android.widget.ScrollView", id="android:id/buttonPanel", gap=6, children=buttons)
    panel = row(*buttons, gap=8, name="android:id/buttonPanel")
    panel.align = Align.END
    return panel


def _flat_button(words: str, on_tap: Tap, name: str) -> Node:
    style = Style(bold=True, align=Align.CENTER, max_lines=1, size=15, radius=18)
    return Node(widget=BUTTON, id=name, text=words, style=style, on_tap=on_tap, height=42)


def _choice(words: str, on_tap: Tap, name: str) -> Node:
    style = Style(bold=True, align=Align.CENTER, max_lines=1, size=15, radius=14, background="#dce6fc")
    return Node(widget=BUTTON, id=name, text=words, style=style, on_tap=on_tap, height=50)


def permission(desk: Desk, screen: Screen, request: PermissionRequest) -> Window:
    """The system's question whether an app may use something."""
    permission_name = request.permission.rsplit(".", 1)[-1].lower()
    english, chinese = _WANTED.get(permission_name, (f"use {permission_name}", f"使用{permission_name}"))
    name = desk.label(request.package)
    question = label(
        desk.say(f"Allow {name} to {english}?", f"要允许“{name}”{chinese}吗？"),
        name="permission_message",
        size=18,
        lines=4,
        align=Align.CENTER,
    )
    yes, no = (lambda: desk.answer_permission(True)), (lambda: desk.answer_permission(False))
    deny = _choice(desk.say("Don't allow", "不允许"), no, "permission_deny_button")
    if permission_name in _WHILE_USED:
        answers = [
            _choice(
                desk.say("While using the app", "仅在使用该应用时允许"),
                yes,
                "permission_allow_foreground_only_button",
            ),
            _choice(
                desk.say("Only this time", "仅限这一次"),
                lambda: desk.answer_permission(True, remember=False),
                "permission_allow_one_time_button",
            ),
            deny,
        ]
    else:
        answers = [_choice(desk.say("Allow", "允许"), yes, "permission_allow_button"), deny]
    mark = Node(
        widget="android.widget.ImageView",
        id="permission_icon",
        height=32,
        style=Style(icon=_ICONS.get(permission_name, "lock"), color="#2663de", icon_size=30),
    )
    root = Node(widget=LINEAR, id="grant_dialog", padding=22, gap=12, children=[mark, question, *answers])
    return dialog_window(screen, PERMISSION_PACKAGE, GRANT_ACTIVITY, root)


_ICONS = {
    "location": "location",
    "contacts": "user",
    "camera": "camera",
    "microphone": "mic",
    "calendar": "calendar",
    "storage": "image",
    "photos": "image",
    "notifications": "bell",
    "phone": "phone",
    "sms": "chat",
}


def not_responding(desk: Desk, screen: Screen) -> Window:
    """What the system says when an app hangs: close it or wait."""
    package = desk.panels.not_responding
    name = desk.label(package)

    def wait() -> None:
        desk.panels.not_responding = ""

    parts = [
        label(
            desk.say(f"{name} isn't responding", f"{name}没有响应"),
            name="android:id/alertTitle",
            size=19,
            lines=2,
        ),
        _choice(desk.say("Close app", "关闭应用"), lambda: desk.stop(package), "android:id/aerr_close"),
        _choice(desk.say("Wait", "等待"), wait, "android:id/aerr_wait"),
    ]
    root = Node(widget=LINEAR, id="android:id/parentPanel", padding=22, gap=12, children=parts)
    window = dialog_window(screen, "android", "", root)
    window.title = f"Application Not Responding: {package}"
    return window


def power_menu(desk: Desk, screen: Screen) -> Window:
    """What a long press of the power button brings up."""

    def close() -> None:
        desk.panels.power_menu = False

    parts = [
        _choice(desk.say("Lockdown", "锁定"), desk.lock, "global_actions_lockdown"),
        _choice(desk.say("Restart", "重启"), desk.restart, "global_actions_restart"),
    ]
    root = Node(widget=LINEAR, id="global_actions_view", padding=22, gap=12, children=parts)
    window = dialog_window(screen, "com.android.systemui", "", root)
    window.title, window.outside = "ActionsDialog", close
    return window

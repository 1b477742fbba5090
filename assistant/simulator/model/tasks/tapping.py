"""What needs no app: tapping something that is on the screen."""

from __future__ import annotations

from assistant.simulator.model.rules import Task, both, done, finish, no, sees, tap, when

TASKS = (
    Task(
        name="tap",
        app=(),
        package="",
        patterns=(
            r"(?:tap|press)(?: on)? (?:the )?(?:button )?[“\"']?(?P<what>[^“”\"']+?)[”\"']?",
            r"(?:点一下|点击|按一下)(?:按钮)?[“\"']?(?P<what>[^“”\"']+?)[”\"']?",
        ),
        rules=(
            when(done("click", "{what}"), finish("“{what}” is tapped.", "已点击“{what}”。")),
            when(both(no(done("click")), sees("{what}", least=3)), tap("{what}", least=3)),
        ),
    ),
)

"""What memory has of a thing is changed at once by a line that says what it is instead, and is asked for."""

from __future__ import annotations

from pathlib import Path

from assistant.conversation.routing import route
from assistant.memory.store import open_store
from assistant.settings.schema import Settings
from tests.tables import each

from .past import make_conversation

KNOWN = (
    "记住：学校是东湖学院",
    "记住：幼儿园是阳光园",
    "记住我妈是林素珊",
    "remember: my gym is Mill Fitness",
    "remember my dentist is Dr Ito",
    "remember that I am allergic to peanuts",
)


def tell(tmp_path: Path, *lines: str) -> tuple[list[str], dict[str, str]]:
    """The replies to some lines, told one after the other, and what memory has then."""
    store = open_store(Settings(store=tmp_path, user_id="me"))
    try:
        conversation = make_conversation(tmp_path, store, [])
        for line in KNOWN:
            conversation.reply(route(line))
        replies = [conversation.reply(route(line)).text for line in lines]
        facts = {fact.node.name: fact.value.text for fact in conversation._profile().facts()}
    finally:
        store.close()
    return replies, facts


@each(
    ("line", "name", "value"),
    [
        ("不对不对 学校是实验二小 改过来", "school", "实验二小"),
        ("记错啦 学校就是实验二小 先不叫车了", "school", "实验二小"),
        ("不对，学校其实是育才中学", "school", "育才中学"),
        ("你记错了，学校是南门小学", "school", "南门小学"),
        ("不是的，幼儿园是月亮湾二幼，更正一下", "kindergarten", "月亮湾二幼"),
        ("不对 我妈是林素珍", "mom", "林素珍"),
        ("no, the gym is Park Fitness, change it", "gym", "Park Fitness"),
        ("no wait, my gym is Yard House", "gym", "Yard House"),
        ("wrong, my gym is North Lane 5", "gym", "North Lane 5"),
        ("you got it wrong, the gym is Pulse Studio", "gym", "Pulse Studio"),
        ("that's wrong, my dentist is Dr Gao", "dentist", "Dr Gao"),
    ],
)
def test_a_line_that_puts_a_fact_right_changes_it_at_once(
    tmp_path: Path, line: str, name: str, value: str
) -> None:
    path = tmp_path / str(abs(hash(line)))
    replies, facts = tell(path, line, "undo")
    assert value in replies[0]
    assert "undo" in replies[0] or "撤销" in replies[0]
    assert facts[name] != value
    _replies, facts = tell(path / "kept", line)
    assert facts[name] == value


@each(
    "line",
    [
        "no, the gym is closed today",
        "no, the gym is far",
        "no, the hospital is Mercy West, fix it",
        "no, that's not it",
        "the gym is Park Fitness",
        "不对 学校是八点开门",
        "不对 学校是很远的",
        "不对 医院是同仁医院 改过来",
        "不对 学校是哪个",
        "学校是实验二小吗",
    ],
)
def test_what_says_something_else_of_a_thing_changes_nothing(tmp_path: Path, line: str) -> None:
    path = tmp_path / str(abs(hash(line)))
    _replies, before = tell(path / "before")
    _replies, after = tell(path / "after", line)
    assert after == before


@each(
    ("line", "value"),
    [
        ("那你现在记的学校是哪个", "东湖学院"),
        ("你记的幼儿园是哪里", "阳光园"),
        ("学校你记成哪个了", "东湖学院"),
        ("你把学校记成什么了", "东湖学院"),
        ("你存的学校是哪所啊", "东湖学院"),
        ("what gym have you got down", "Mill Fitness"),
        ("which gym have you got saved?", "Mill Fitness"),
        ("so what gym do you have down now", "Mill Fitness"),
        ("who have you got down as my dentist", "Dr Ito"),
        ("what do you have in memory for my gym", "Mill Fitness"),
    ],
)
def test_what_memory_has_down_is_told(tmp_path: Path, line: str, value: str) -> None:
    replies, _facts = tell(tmp_path / str(abs(hash(line))), line)
    assert value in replies[0]

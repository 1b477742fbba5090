"""What is told of others: of whom it is kept, and how it is found again."""

from __future__ import annotations

from assistant.conversation.remembering import read_facts
from tests.tables import each


@each(
    ("said", "kept"),
    [
        (
            "我家娃叫圆圆哈，五岁了，花生过敏",
            {("kid", "name", "圆圆"), ("kid", "年龄", "五岁"), ("kid", "allergic to", "花生")},
        ),
        (
            "my kid is called Ida, shes five and allergic to peanuts",
            {("kid", "name", "Ida"), ("kid", "age", "five"), ("kid", "allergic to", "peanuts")},
        ),
        (
            "我妹叫小敏，今年高三，海鲜过敏",
            {
                ("younger sister", "name", "小敏"),
                ("younger sister", "allergic to", "海鲜"),
                ("younger sister", "note", "我妹今年高三"),
            },
        ),
        (
            "我闺女小名豆豆，三岁半，不能吃芒果",
            {
                ("daughter", "note", "我闺女小名豆豆"),
                ("daughter", "年龄", "三岁半"),
                ("daughter", "avoid", "芒果"),
            },
        ),
        (
            "我室友养了只猫，花粉过敏",
            {("roommate", "note", "我室友养了只猫"), ("roommate", "allergic to", "花粉")},
        ),
        (
            "my boss is Greg, hates mushrooms",
            {("boss", "name", "Greg"), ("boss", "note", "my boss hates mushrooms")},
        ),
        (
            "my nephew turned four, no dairy for him",
            {("nephew", "note", "my nephew turned four, no dairy for him")},
        ),
        (
            "I'm vegan, my wife is allergic to soy",
            {("wife", "allergic to", "soy"), ("Other habits", "wish", "I'm vegan")},
        ),
        (
            "我是素食，我妹海鲜过敏",
            {("younger sister", "allergic to", "海鲜"), ("Other habits", "wish", "我是素食")},
        ),
        (
            "my shoe size is 43, I hate leeks",
            {("shoe size", "is", "43"), ("Other habits", "wish", "I hate leeks")},
        ),
        ("my dentist is Dr Ito, 555 0100", {("dentist", "name", "Dr Ito"), ("dentist", "phone", "555 0100")}),
    ],
)
def test_a_clause_without_a_subject_is_of_whom_the_one_before_is_about(
    said: str, kept: set[tuple[str, str, str]]
) -> None:
    assert {(fact.entity, fact.key, fact.text) for fact in read_facts(said)} == kept

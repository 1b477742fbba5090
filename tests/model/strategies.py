"""Hypothesis strategies for actions, points and replies."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from assistant.records import (
    Action,
    AskUser,
    Click,
    Direction,
    Failed,
    Finished,
    LongClick,
    OpenApp,
    Point,
    PressBack,
    PressEnter,
    PressHome,
    PressRecent,
    Scroll,
    Swipe,
    TakeOver,
    TypeText,
    Wait,
)

UNHURRIED = settings(max_examples=settings().max_examples // 2)
"""Half of the usual examples: there are many dialects to try."""

FRACTIONS = st.floats(0, 1, allow_nan=False)
POINTS = st.builds(Point, FRACTIONS, FRACTIONS)
WORDS = st.one_of(
    st.text(max_size=30),
    st.lists(
        st.sampled_from(
            [
                "'",
                '"',
                "\\",
                "’",
                "”",
                ")",
                "）",
                "(",
                ", content='",
                "finished()",
                "\n",
                "=",
                "，",
                "{",
                "}",
                "n",
            ]
        ),
        max_size=12,
    ).map("".join),
)
SOME_WORDS = WORDS.filter(bool)
BARE: list[Action] = [
    PressBack(),
    PressHome(),
    PressRecent(),
    PressEnter(),
    Wait(),
    Finished(),
    Failed(),
    TakeOver(),
]

ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(Click, point=POINTS, content=WORDS),
    st.builds(LongClick, point=POINTS, content=WORDS),
    st.builds(TypeText, text=SOME_WORDS),
    st.builds(Scroll, point=POINTS, direction=st.sampled_from(Direction)),
    st.builds(Swipe, start=POINTS, end=POINTS),
    st.builds(OpenApp, name=SOME_WORDS),
    st.builds(Finished, answer=WORDS),
    st.builds(Failed, reason=WORDS),
    st.builds(AskUser, question=SOME_WORDS),
    st.builds(TakeOver, reason=WORDS),
    st.sampled_from(BARE),
)


def points_of(action: Action) -> list[Point]:
    """The points of an action, in order."""
    match action:
        case Click(point=point) | LongClick(point=point) | Scroll(point=point):
            return [point]
        case Swipe(start=start, end=end):
            return [start, end]
        case _:
            return []


def without_points(action: Action) -> dict[str, object]:
    """All of an action but its points."""
    return action.model_dump(exclude={"point", "start", "end", "target"})

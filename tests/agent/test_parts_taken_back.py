"""A part of a command that the user takes back while the turn runs is left out, and seen to be."""

from __future__ import annotations

from datetime import UTC, datetime

from assistant.agent.checkpoint import format_correction
from assistant.agent.instruction_check import find_done_anyway, find_done_before
from assistant.events import ActionKind, Deed
from assistant.memory.prototypes.terms import with_own_words
from assistant.memory.turns import Checkpoint, StoredStep, UserRemark
from assistant.records import Click, Point, Target, TypeText
from assistant.skills.command_wording import Correction, ValueKind, read_correction
from tests.tables import each

NOW = datetime(2026, 3, 10, 12, 5, tzinfo=UTC)
BOTH, MODE, TIMER = (
    "turn on dark mode, then set a timer for 15 minutes",
    "turn on dark mode",
    "set a timer for 15 minutes",
)
BOTH_ZH, QUIET_ZH, DARK_ZH = "打开勿扰然后打开深色模式", "打开勿扰", "打开深色模式"


@each(
    ("command", "remark", "rest"),
    [
        (BOTH, "leave dark mode off", TIMER),
        (BOTH, "keep dark mode off please", TIMER),
        (BOTH, "forget the dark mode part", TIMER),
        (BOTH, "I don't need dark mode anymore", TIMER),
        (BOTH, "just the timer", TIMER),
        (BOTH, "actually no timer", MODE),
        (BOTH, "no timer after all", MODE),
        (BOTH, "skip the timer", MODE),
        (BOTH, "oh wait, don't bother with the timer", MODE),
        (BOTH, "actually don't set the timer", MODE),
        ("open the camera and call mom", "don't call mom", "open the camera"),
        ("turn on airplane mode, then set an alarm for 6", "leave airplane mode off", "set an alarm for 6"),
        ("turn on the thermostat, then open the app store", "skip the app store", "turn on the thermostat"),
        (BOTH, "no timer, it's too late for that", MODE),
        (BOTH_ZH, "深色就不用了，太暗", QUIET_ZH),
        ("order pad thai with no peanuts, then dial Ben", "skip the pad thai", "dial Ben"),
        (BOTH_ZH, "深色就不用了", QUIET_ZH),
        (BOTH_ZH, "深色模式别开了", QUIET_ZH),
        (BOTH_ZH, "算了，深色不开了", QUIET_ZH),
        (BOTH_ZH, "只开勿扰就行", QUIET_ZH),
        (BOTH_ZH, "勿扰免了", DARK_ZH),
        ("打开深色模式然后倒计时15分钟", "深色就不用了", "倒计时15分钟"),
        ("倒计时15分钟，再打开深色模式", "深色就不用了", "倒计时15分钟"),
        (BOTH_ZH, "先不开勿扰", DARK_ZH),
        (BOTH_ZH, "勿扰那个取消吧", DARK_ZH),
        ("点一份牛肉面，再给妈妈打电话", "电话不打了", "点一份牛肉面"),
        ("点一份牛肉面，再给妈妈打电话", "牛肉面不要了", "给妈妈打电话"),
    ],
)
def test_a_part_that_is_taken_back_is_no_part_of_the_command(command: str, remark: str, rest: str) -> None:
    (correction,) = read_correction(command, remark)
    assert (correction.command, correction.kind, correction.new) == (rest, ValueKind.PART, "")
    assert correction.old in command
    note = format_correction(remark, correction)
    assert "taken back" in note
    assert correction.old in note


@each(
    ("command", "remark"),
    [
        # It wants what the command wants, or says nothing of a part.
        (BOTH, "leave dark mode on"),
        (BOTH, "don't turn off dark mode"),
        (BOTH, "don't forget the timer"),
        (BOTH, "don't cancel the timer"),
        (BOTH, "no need to rush"),
        (BOTH, "no, 20 minutes"),
        (BOTH, "just 20 minutes"),
        (BOTH, "drop the timer to 5 minutes"),
        (BOTH, "scroll down"),
        (BOTH, "no timer, make it an alarm for 6"),
        (BOTH_ZH, "深色不用了，勿扰也不用了"),
        (BOTH_ZH, "别忘了勿扰"),
        (BOTH_ZH, "别关勿扰"),
        (BOTH_ZH, "往下翻"),
        # It says how a thing is wanted.
        ("order beef noodles with sesame, then call mom", "no beef"),
        ("order beef noodles with sesame, then call mom", "no sesame"),
        ("点一份拌面，多放醋", "不放醋"),
        ("点一份牛肉面，再给妈妈打电话", "不要牛肉"),
        # What is left would not stand alone, may be the text of a message, or is nothing.
        ("turn on dark mode and do not disturb", "no dark mode"),
        ("find a slow song, then play it", "skip the song"),
        ("text Ben that I will cook rice, call Ada and set a timer", "don't call Ada"),
        ("turn on dark mode", "leave dark mode off"),
        ("set a timer for 5 minutes, then set a timer for 9 minutes", "no timer"),
    ],
)
def test_no_other_remark_takes_back_a_part(command: str, remark: str) -> None:
    assert all(each.kind is not ValueKind.PART for each in read_correction(command, remark))


def test_the_users_own_words_stay_behind_the_rest() -> None:
    (correction,) = read_correction(with_own_words(BOTH, "dark n timer"), "skip the timer")
    assert correction.command == with_own_words(MODE, "dark n timer")


def tapped(label: str, around: str = "") -> StoredStep:
    return StoredStep(number=1, action=Click(point=Point(0.5, 0.5), target=Target(text=label, around=around)))


def typed(text: str) -> StoredStep:
    return StoredStep(number=1, action=TypeText(text=text))


def called(name: str) -> StoredStep:
    deed = Deed(kind=ActionKind.SEND, package="dialer", app="Phone", recipient=name)
    return tapped("Call").model_copy(update={"kind": ActionKind.SEND, "deed": deed, "deed_done": deed})


def turn(command: str, remark: str, after: int, steps: list[StoredStep]) -> Checkpoint:
    corrections: tuple[Correction, ...] = read_correction(command, remark)
    instruction = corrections[0].command if corrections else command
    change = {"kind": ValueKind.PART.value, "old": corrections[0].old} if corrections else {}
    return Checkpoint(
        turn_id="t",
        user_id="me",
        started=NOW,
        said=command,
        instruction=instruction,
        steps=tuple(steps),
        remarks=(UserRemark(after=after, text=remark, **change),),
    )


SWITCH = ("switch", "Dark mode")


@each(
    ("command", "remark", "after", "steps", "is_against"),
    [
        # Done after it was taken back, or before and not undone.
        (BOTH, "leave dark mode off", 0, [tapped(*SWITCH), tapped("Start")], True),
        (BOTH, "leave dark mode off", 1, [tapped(*SWITCH), tapped("Start")], True),
        (BOTH, "actually no timer", 1, [tapped(*SWITCH), tapped("Timer"), tapped("Start")], True),
        (BOTH, "actually no timer", 1, [tapped("Timer"), tapped("Start", "Timer 15:00")], True),
        (BOTH_ZH, "深色就不用了", 1, [tapped("switch", "勿扰模式"), tapped("switch", "深色模式")], True),
        ("turn on dark mode", "leave dark mode off", 0, [tapped(*SWITCH)], True),
        (BOTH, "no timer, make it an alarm", 0, [tapped("Timer"), tapped("Start")], True),
        (BOTH_ZH, "深色不用了，勿扰也不用了", 0, [tapped("switch", "勿扰模式")], True),
        ("open the camera and call mom", "don't call mom", 0, [called("Susan Lin")], True),
        ("play slow jazz, then open the camera", "skip the jazz", 0, [typed("slow jazz")], True),
        # Undone, not done, or wanted.
        (BOTH, "leave dark mode off", 1, [tapped(*SWITCH), tapped(*SWITCH), tapped("Start")], False),
        (BOTH, "leave dark mode off", 0, [tapped("Timer"), tapped("Start")], False),
        (BOTH, "actually no timer", 1, [tapped(*SWITCH)], False),
        ("turn on dark mode", "leave dark mode on", 0, [tapped(*SWITCH)], False),
        ("open the camera and call mom", "don't call mom", 0, [tapped("Camera")], False),
    ],
)
def test_what_was_taken_back_and_done_is_no_success(
    command: str, remark: str, after: int, steps: list[StoredStep], is_against: bool
) -> None:
    assert find_done_anyway(turn(command, remark, after, steps)) == ([remark] if is_against else [])


def test_a_message_that_was_sent_otherwise_holds_up_nothing_else_and_is_told_at_the_end() -> None:
    deed = Deed(kind=ActionKind.SEND, package="chat", recipient="Mom", text="late")
    sent = StoredStep(number=1, action=TypeText(text="late"), kind=deed.kind, deed=deed)
    done = turn("text Mom late", "say early", 0, [sent])
    remark = UserRemark(after=0, text="say early", kind="text", new="early", old="late")
    done = done.model_copy(update={"remarks": (remark,)})
    assert find_done_before(done, is_over=False) == []
    assert find_done_before(done) == ["say early"]


def test_what_was_done_before_it_was_taken_back_holds_up_nothing_else() -> None:
    before = turn(BOTH, "leave dark mode off", 1, [tapped(*SWITCH), tapped("Minutes")])
    assert find_done_anyway(before, is_over=False) == []
    ignored = turn(BOTH, "actually no timer", 1, [tapped(*SWITCH), tapped("Timer")])
    assert find_done_anyway(ignored, is_over=False) == ["actually no timer"]

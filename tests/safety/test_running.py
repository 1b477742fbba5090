"""To end a call, a recording or a navigation that the turn did not begin is a deed."""

from __future__ import annotations

from assistant.events import ActionKind, ApprovedBy, Deed
from assistant.records import Observation
from assistant.safety.classifier import judge
from assistant.safety.deeds import DeedLog, make_deed, tell_deed
from assistant.safety.effects import begins_running, ends_running
from assistant.safety.page import page_of
from tests.safety.screens import button, element, label, screen, tap
from tests.tables import each


def _kind(observation: Observation, number: int) -> ActionKind | None:
    risk = judge(tap(observation, number), observation)
    return risk.kind if risk else None


@each(
    "text",
    [
        "End call",
        "Hang up",
        "End voice call",
        "Leave meeting",
        "End navigation",
        "Exit navigation",
        "Stop recording",
        "Stop screen sharing",
        "挂断",
        "结束通话",
        "退出导航",
        "停止录音",
        "Anruf beenden",
        "Finalizar llamada",
        "Raccrocher",
        "Encerrar chamada",
        "Termina chiamata",
        "Завершить вызов",
        "通話を終了",
        "통화 종료",
        "إنهاء المكالمة",
        "कॉल समाप्त करें",
        "Görüşmeyi bitir",
        "Akhiri panggilan",
        "Kết thúc cuộc gọi",
        "Zakończ nagrywanie",
        "Navigatie stoppen",
        "วางสาย",
    ],
)
def test_what_ends_a_call_a_recording_or_a_navigation_is_asked_about(text: str) -> None:
    assert ends_running(text)
    assert _kind(screen(label("0:42"), button(text, 150, left=30, size=(40, 20))), 2) is ActionKind.DELETE


@each(
    "text",
    [
        "Stop timer",
        "End date",
        "Call history",
        "Leave a message",
        "Mute call",
        "Recordings",
        "Start recording",
        "Finish workout",
        "End call?",
        "结束时间",
        "停止计时",
        "导航",
        "Aufnahme starten",
        "Grabaciones",
        "Navigation",
    ],
)
def test_other_words_of_calls_and_recordings_end_nothing(text: str) -> None:
    assert not ends_running(text)


@each("name", ["end_call", "btn_hangup", "endCallButton", "stop_recording", "exit_navigation"])
def test_a_picture_ends_a_call_by_its_id(name: str) -> None:
    picture = element("ImageButton", 150, left=40, size=(20, 20), clickable=True, name=name)
    assert _kind(screen(label("0:42"), picture), 2) is ActionKind.DELETE
    muted = element("ImageButton", 150, left=40, size=(20, 20), clickable=True, name="btnMuteCall")
    assert _kind(screen(label("0:42"), muted), 2) is None


def test_a_bare_word_ends_what_the_page_says_is_running() -> None:
    assert _kind(screen(label("Navigating"), button("Exit", 150)), 2) is ActionKind.DELETE
    assert _kind(screen(label("录音中"), button("停止", 150)), 2) is ActionKind.DELETE
    assert _kind(screen(label("Stopwatch"), button("Stop", 150)), 2) is None


def test_to_decline_a_call_that_comes_in_is_asked_about() -> None:
    assert _kind(screen(label("Incoming call"), button("Decline", 150)), 2) is ActionKind.DELETE
    assert _kind(screen(label("Входящий вызов"), button("Отклонить", 150)), 2) is ActionKind.DELETE
    assert _kind(screen(label("Invitation"), button("Decline", 150)), 2) is None


def test_the_question_says_that_something_ends() -> None:
    talks = screen(label("0:42"), button("End call", 150))
    risk = judge(tap(talks, 2), talks)
    assert risk is not None
    assert risk.sentence.startswith("Ends, leaves or turns down: End call")
    assert tell_deed(_deed(talks, 2)).startswith("This was done: End call")


def _deed(observation: Observation, number: int) -> Deed:
    action = tap(observation, number)
    risk = judge(action, observation)
    assert risk is not None
    return make_deed(risk, action, observation)


def test_what_the_turn_began_it_may_end_once() -> None:
    idle = screen(label("Recorder"), button("Start recording", 150))
    runs = screen(label("0:42"), button("Stop recording", 150))
    log = DeedLog()
    ends = _deed(runs, 2)
    assert log.covers(ends, page_of(runs), "stop").by is None
    log.running_for_user.note_touch(tap(idle, 2), page_of(idle))
    assert log.covers(ends, page_of(runs), "stop").by is ApprovedBy.TURN
    log.add(ends, page_of(runs), "stop", ApprovedBy.TURN)
    assert not log.running_for_user.may_end(ends)


def test_what_ran_already_was_not_begun_by_the_turn() -> None:
    runs = screen(label("0:42"), button("Record a note", 50), button("Stop recording", 150))
    log = DeedLog()
    log.running_for_user.note_touch(tap(runs, 2), page_of(runs))
    assert log.covers(_deed(runs, 3), page_of(runs), "stop").by is None


def test_a_call_that_the_turn_made_it_may_end() -> None:
    dials = screen(label("Mum"), button("Call", 150))
    talks = screen(label("0:42"), button("End call", 150))
    log = DeedLog()
    log.add(_deed(dials, 2), page_of(dials), "call", ApprovedBy.USER)
    assert log.covers(_deed(talks, 2), page_of(talks), "end").by is ApprovedBy.TURN


@each("text", ["Start", "Record", "开始导航", "Aufnahme", "Начать запись", "録音", "बात शुरू करें"])
def test_words_that_begin_something(text: str) -> None:
    assert begins_running(text)

"""The situations that the interface must make plain, each as an engine and what it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assistant.events import Cause, PhoneState, ScenarioChanged, TurnState
from assistant.records import Click, Finished, Outcome, Point
from tests.tui.meanings import proposed, recall
from tests.tui.screens import pay_button
from tests.tui.scripted import NOW, PAY, PAYBOX, CutOff, ScriptedEngine, lunch

NO_PHONE = """No phone is connected.
1. On the phone, open Settings, About phone, and tap Build number seven times.
2. In Developer options, turn on USB debugging.
3. Connect the phone by USB and accept the question that it shows.

No model is set.
Start one that speaks the OpenAI protocol, then set ASSISTANT_MODEL__BASE_URL and ASSISTANT_MODEL__NAME."""


def _nothing(engine: ScriptedEngine) -> None:
    engine.phone(PhoneState.ABSENT, "No phone is connected. Connect one by USB and allow debugging.")


def _idle(engine: ScriptedEngine) -> None:
    engine.phone()


def _running(engine: ScriptedEngine) -> None:
    engine.phone()
    lunch(engine)
    engine.choose(4, Click(point=Point(0.5, 0.28), content="Corner Noodle House"))


def _paused(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.say("not that shop, the one at the corner")
    engine.enter(TurnState.PAUSED, Cause.USER_PAUSED)


def _approval(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.act(4, Click(point=Point(0.5, 0.28), content="Corner Noodle House"))
    engine.observe(5, PAYBOX)
    engine.choose(5, PAY)
    engine.ask_approval(5, sentence="Pays ¥32.00, to Corner Noodle House.", crop=pay_button())


def _question(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.ask_question(
        4, "Two addresses are saved for the office. Which one: Main Street 4, or Harbour Road 11?"
    )


def _proposed(engine: ScriptedEngine) -> None:
    engine.phone()
    proposed(engine)


def _choosing(engine: ScriptedEngine) -> None:
    engine.phone()
    recall(engine)
    engine.ask_question(0, "Who is “mom's sister”?", ("Anna", "Berta"), kept=True)


def _finished(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.act(4, Click(point=Point(0.5, 0.28), content="Corner Noodle House"))
    engine.observe(5)
    engine.act(5, Finished(answer="Beef noodles are ordered and arrive at about 12:40."), seconds=1.6)
    engine.finish(Outcome.SUCCESS, "Beef noodles are ordered and arrive at about 12:40.", 5)


def _failed(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.act(
        4, Click(point=Point(0.5, 0.28), content="Corner Noodle House"), error="The shop is closed today."
    )
    engine.finish(
        Outcome.FAILED, "The same screen came back three times. Open the shop by hand, then try again.", 4
    )


def _phone_gone(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.phone(PhoneState.OFFLINE, "The phone went offline. Check the cable.")
    engine.enter(
        TurnState.WAITING, Cause.PHONE, "The phone went offline. Check the cable; the turn goes on by itself."
    )


def _suggested(engine: ScriptedEngine) -> None:
    engine.phone()
    lunch(engine)
    engine.finish(Outcome.SUCCESS, "Lunch is on its way.", 4)
    engine.emit(ScenarioChanged(time=NOW, scenario="office", place="the lab", origin="place"))
    engine.suggest()


@dataclass(frozen=True)
class Scene:
    engine: Callable[[], ScriptedEngine]
    play: Callable[[ScriptedEngine], None]


SCENES = {
    "first": Scene(lambda: ScriptedEngine(missing=NO_PHONE), _nothing),
    "idle": Scene(lambda: ScriptedEngine(simulated="Simulated phone, scripted model"), _idle),
    "running": Scene(ScriptedEngine, _running),
    "paused": Scene(ScriptedEngine, _paused),
    "approval": Scene(ScriptedEngine, _approval),
    "question": Scene(ScriptedEngine, _question),
    "proposed": Scene(ScriptedEngine, _proposed),
    "choosing": Scene(ScriptedEngine, _choosing),
    "finished": Scene(ScriptedEngine, _finished),
    "failed": Scene(ScriptedEngine, _failed),
    "suggested": Scene(ScriptedEngine, _suggested),
    "phone_gone": Scene(ScriptedEngine, _phone_gone),
    "interrupted": Scene(lambda: ScriptedEngine(cut_off=CutOff()), _idle),
}

"""The situations that the interface must make plain, each as an engine and what it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assistant.events import Cause, ModelRetrying, PhoneState, ScenarioChanged, TurnState
from assistant.records import Click, Finished, Outcome, Point, Source
from tests.tui.meanings import proposed, recall
from tests.tui.scripted import CUT_OFF, NOW, PAY, PAYBOX, ScriptedEngine, lunch

from .sample_screens import pay_button

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
    engine.ask_question(0, "Who is “mom's sister”?", ("Anna", "Berta"), kept=True, about="person")


def _finished(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.act(4, Click(point=Point(0.5, 0.28), content="Corner Noodle House"))
    engine.observe(5)
    engine.act(5, Finished(answer="Beef noodles are ordered and arrive at about 12:40."), seconds=1.6)
    engine.finish(Outcome.SUCCESS, "Beef noodles are ordered and arrive at about 12:40.", 5)


def _unconfirmed(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.act(4, Click(point=Point(0.5, 0.28), content="Corner Noodle House"))
    engine.observe(5)
    engine.act(5, Finished(answer="Beef noodles are ordered."), seconds=1.6)
    engine.finish(Outcome.UNCONFIRMED, "Beef noodles are ordered.", 5)


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


def _understanding(engine: ScriptedEngine) -> None:
    engine.phone()
    engine.begin("order my usual lunch")


def _looking_up(engine: ScriptedEngine) -> None:
    engine.phone()
    recall(engine)


def _replaying(engine: ScriptedEngine) -> None:
    engine.phone()
    lunch(engine)
    engine.choose(4, Click(point=Point(0.5, 0.28), content="Corner Noodle House"), Source.REPLAYED)
    engine.enter(TurnState.RUNNING, Cause.ACTING)


def _observing(engine: ScriptedEngine) -> None:
    engine.phone()
    lunch(engine)
    engine.act(4, Click(point=Point(0.5, 0.28), content="Corner Noodle House"))
    engine.enter(TurnState.RUNNING, Cause.OBSERVING)


def _pausing(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.enter(TurnState.PAUSING, Cause.USER_PAUSED)


def _touched(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.enter(TurnState.PAUSED, Cause.TOUCHED, "You touched the phone. f5 goes on.")


def _handed_over(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.enter(TurnState.PAUSED, Cause.HANDED_OVER, "Log in on the phone, then press f5.")


def _model_gone(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.emit(ModelRetrying(time=NOW, attempt=2, delay=4, reason="The model does not answer."))
    engine.enter(TurnState.WAITING, Cause.MODEL, "The model does not answer. Trying again in 4 s.")


def _cancelled(engine: ScriptedEngine) -> None:
    _running(engine)
    engine.finish(Outcome.CANCELLED, "", 3)


def _not_learning(engine: ScriptedEngine) -> None:
    engine.phone()
    engine.pause_learning(True)


def _begins_itself(engine: ScriptedEngine) -> None:
    engine.phone()
    engine.suggest(begins_in=15)


def _suggested(engine: ScriptedEngine) -> None:
    engine.phone()
    lunch(engine)
    engine.finish(Outcome.SUCCESS, "Lunch is on its way.", 4)
    engine.emit(ScenarioChanged(time=NOW, scenario="office", place="the lab", origin="place"))
    engine.suggest("Order beef noodles 🍜, no coriander, from Old Street Noodles to the office")


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
    "understanding": Scene(ScriptedEngine, _understanding),
    "looking_up": Scene(ScriptedEngine, _looking_up),
    "replaying": Scene(ScriptedEngine, _replaying),
    "observing": Scene(ScriptedEngine, _observing),
    "pausing": Scene(ScriptedEngine, _pausing),
    "touched": Scene(ScriptedEngine, _touched),
    "handed_over": Scene(ScriptedEngine, _handed_over),
    "model_gone": Scene(ScriptedEngine, _model_gone),
    "finished": Scene(ScriptedEngine, _finished),
    "unconfirmed": Scene(ScriptedEngine, _unconfirmed),
    "failed": Scene(ScriptedEngine, _failed),
    "suggested": Scene(ScriptedEngine, _suggested),
    "phone_gone": Scene(ScriptedEngine, _phone_gone),
    "cancelled": Scene(ScriptedEngine, _cancelled),
    "not_learning": Scene(ScriptedEngine, _not_learning),
    "begins_itself": Scene(ScriptedEngine, _begins_itself),
    "interrupted": Scene(lambda: ScriptedEngine(cut_off=CUT_OFF), _idle),
}

SAYS = {
    "first": "No phone is connected.",
    "idle": "○ Idle",
    "understanding": "◌ Understanding the command",
    "looking_up": "mom's sister",
    "question": "? Asking you",
    "choosing": "? Asking you",
    "proposed": "? About to begin",
    "running": "▸ Running · model thinking",
    "replaying": "▸ Running · acting",
    "observing": "▸ Running · looking at the phone",
    "pausing": "‖ Pausing after this step",
    "paused": "‖ Paused by you",
    "touched": "‖ Paused, you touched the phone",
    "handed_over": "‖ Handed over to you",
    "phone_gone": "◌ Phone not available, waiting for it",
    "model_gone": "◌ Model not answering, retrying",
    "approval": "? Needs your approval",
    "finished": "✓ Finished",
    "unconfirmed": "≈ Not confirmed",
    "failed": "✗ Failed",
    "cancelled": "■ Cancelled",
    "suggested": "◷ Suggested",
    "begins_itself": "in 15 s · esc stops",
    "not_learning": "learning paused",
    "interrupted": "Left unfinished",
}
"""What tells each situation from every other, at every size and without any colour."""

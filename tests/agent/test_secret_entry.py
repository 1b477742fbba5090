from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image

from assistant.agent.checkpoint import TurnCheckpointer
from assistant.agent.step import SecretInjector
from assistant.agent.takeover import UserActionRecorder
from assistant.memory.store import Store
from assistant.memory.turns import Checkpoint
from assistant.phone.errors import ActionRefused
from assistant.phone.touches import Gesture, Panel
from assistant.records import Observation, TypeText
from assistant.safety.secret_entry import hide_values, manual_step_required
from assistant.secrets import SecretError, find_secret_names, format_secret_note
from tests.safety.screens import HEIGHT, WIDTH, button, field, label, screen
from tests.tables import each


class StoredSecrets:
    def __init__(self, **values: str) -> None:
        self.values = values

    def get(self, name: str) -> str | None:
        return self.values.get(name)

    def names(self) -> Mapping[str, object]:
        return dict.fromkeys(self.values)


class LockedSecrets(StoredSecrets):
    def get(self, name: str) -> str | None:
        raise SecretError("The keyring is locked.")


PASSWORD = screen(field(password=True))


def test_the_value_goes_into_the_action_alone() -> None:
    injector = SecretInjector(StoredSecrets(bank="hunter2"))
    asked = TypeText(text="{{secret:bank}}")
    assert injector.fill_secrets(asked, PASSWORD).text == "hunter2"
    assert asked.text == "{{secret:bank}}"
    assert injector.fill_secrets(TypeText(text="plain"), PASSWORD).text == "plain"


@each(
    ("injector", "observation", "reason"),
    [
        (SecretInjector(StoredSecrets(bank="x")), screen(field()), "password fields only"),
        (SecretInjector(StoredSecrets(bank="x")), screen(label("no field")), "password fields only"),
        (SecretInjector(StoredSecrets()), PASSWORD, "no secret named bank"),
        (SecretInjector(None), PASSWORD, "no secret named bank"),
        (SecretInjector(LockedSecrets(bank="x")), PASSWORD, "keyring is locked"),
    ],
)
def test_what_is_refused(injector: SecretInjector, observation: Observation, reason: str) -> None:
    with pytest.raises(ActionRefused, match=reason):
        injector.fill_secrets(TypeText(text="{{secret:bank}}"), observation)


def test_names() -> None:
    assert find_secret_names("a {{secret:my bank}} b {{ Secret: pin }}") == ["my bank", "pin"]
    assert find_secret_names("{secret:x} {{other:x}}") == []
    assert "bank" in format_secret_note(["bank"])


async def test_a_value_on_the_screen_is_hidden_from_tree_and_picture() -> None:
    out = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), "white").save(out, "PNG")
    shown = screen(label("hunter2", 100), label("other", 150))
    observation = Observation(WIDTH, HEIGHT, out.getvalue(), shown.elements)
    hidden = hide_values(observation, {"hunter2"})
    assert "hunter2" not in repr(hidden.elements)
    assert hidden.elements[2] == observation.elements[2]
    with Image.open(io.BytesIO(hidden.screenshot)) as picture:
        assert picture.getpixel((50, 110)) == (0, 0, 0)
        assert picture.getpixel((50, 160)) == (255, 255, 255)
    injector = SecretInjector(StoredSecrets(bank="hunter2"))
    assert await injector.hide_secrets(observation) is observation
    injector.fill_secrets(TypeText(text="{{secret:bank}}"), PASSWORD)
    assert "hunter2" not in repr((await injector.hide_secrets(observation)).elements)


class TestHandingOver:
    @each(
        ("observation", "reason"),
        [
            (screen(label("Sign in"), field(password=True)), "password"),
            (screen(label("Check"), field(hint="SMS verification code")), "code"),
            (screen(label("请完成安全验证")), "person"),
            (screen(label("Drag the slider to continue")), "person"),
            (
                screen(
                    label("支付密码"),
                    *[button(str(n), 40 + n * 10, size=(10, 10)) for n in range(1, 10)],
                ),
                "password or code",
            ),
        ],
    )
    def test_pages_that_are_the_users(self, observation: Observation, reason: str) -> None:
        assert reason in manual_step_required(observation, "order noodles", has_secrets=False)

    def test_pages_that_are_not(self) -> None:
        assert (
            manual_step_required(
                screen(label("Password and security"), button("Next")), "x", has_secrets=False
            )
            == ""
        )
        typed = screen(field(password=True, text="•••"))
        assert manual_step_required(typed, "x", has_secrets=False) == ""

    def test_a_user_who_speaks_of_the_password_wants_it_entered(self) -> None:
        assert (
            manual_step_required(PASSWORD, "connect to the Wi-Fi, password abc12345", has_secrets=False) == ""
        )
        assert manual_step_required(PASSWORD, "connect to the Wi-Fi", has_secrets=True) == ""


@pytest.mark.parametrize(("password", "typed"), [(True, [""]), (False, ["hunter2"])])
async def test_what_the_user_types_into_a_password_field_is_not_recorded(
    tmp_path: Path, password: bool, typed: list[str]
) -> None:
    now, store = datetime(2026, 3, 9, tzinfo=UTC), Store(tmp_path)
    turn = Checkpoint(turn_id="t", user_id="me", started=now, said="x", instruction="x")
    checkpointer = TurnCheckpointer(store, turn)
    panel = Panel(right=WIDTH, bottom=HEIGHT)
    recorder = UserActionRecorder(cast(Any, None), checkpointer, lambda: panel, lambda _: None, lambda: now)
    before = replace(screen(field(password=password, focused=True)), keyboard_shown=True)
    after = screen(field(text="hunter2", password=password, focused=True))
    recording = asyncio.create_task(recorder.record(before))
    recorder.add_gesture(Gesture((WIDTH // 2, HEIGHT - 20), (WIDTH // 2, HEIGHT - 20), 0.1))
    await asyncio.sleep(0)
    described = recorder.describe_actions(after)
    recording.cancel()
    steps = checkpointer.checkpoint.steps
    store.close()
    assert [step.action.text for step in steps if isinstance(step.action, TypeText)] == typed
    assert ("password field" in described) is password

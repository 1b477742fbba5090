from __future__ import annotations

import pytest

from assistant.events import ActionKind
from assistant.safety.wording import kind_of_deed


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("exit group", ActionKind.DELETE),
        ("leave the running club", ActionKind.DELETE),
        ("cancel my gym membership", ActionKind.DELETE),
        ("complete purchase", ActionKind.PAY),
        ("confirm receipt", ActionKind.PAY),
        ("1-tap buy", ActionKind.PAY),
        ("share live location", ActionKind.SEND),
        ("sign the lease", ActionKind.SEND),
        ("add anna as an editor", ActionKind.GRANT),
        ("reveal secret recovery phrase", ActionKind.SECURITY),
        ("sign out of all devices", ActionKind.SECURITY),
    ],
)
def test_a_verb_with_its_object_is_a_deed(words: str, kind: ActionKind) -> None:
    assert kind_of_deed(words) is kind


@pytest.mark.parametrize(
    "words",
    [
        "leave feedback",
        "exit full screen",
        "share",
        "share trip with a link preview",
        "show password hints",
        "sign in",
        "add to favourites",
        "cancel",
        "install unknown apps",
        "book club",
        "",
    ],
)
def test_the_same_verbs_with_others_are_none(words: str) -> None:
    assert kind_of_deed(words) is None

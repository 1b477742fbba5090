from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PIL import Image

from assistant.agent.user_prompts import ApprovalScope, crop_around
from assistant.events import ActionKind, Verdict
from assistant.memory.store import Store
from assistant.records import Bounds, ForegroundApp, Observation

NOW = datetime(2026, 3, 9, 12, tzinfo=UTC)
EATS = ForegroundApp("com.example.eats", ".Main", "Eats")
CHAT = ForegroundApp("com.example.chat", ".Main", "Chat")
PAY, SEND = ActionKind.PAY, ActionKind.SEND


def test_once_this_turn_and_always(tmp_path: Path) -> None:
    store = Store(tmp_path)
    turn = ApprovalScope([], store.approvals, "me")
    assert turn.record_verdict(Verdict.ONCE, PAY, EATS, NOW)
    assert not turn.covers(PAY, EATS)
    assert turn.record_verdict(Verdict.THIS_TURN, PAY, EATS, NOW)
    assert turn.covers(PAY, CHAT)
    assert turn.record_verdict(Verdict.ALWAYS, SEND, CHAT, NOW)
    next_turn = ApprovalScope([], store.approvals, "me")
    assert not next_turn.covers(PAY, EATS)
    assert next_turn.covers(SEND, CHAT)
    assert not next_turn.covers(SEND, EATS)
    assert not ApprovalScope([], store.approvals, "you").covers(SEND, CHAT)
    assert not turn.record_verdict(Verdict.NO, PAY, EATS, NOW)
    assert not turn.record_verdict(Verdict.INSTEAD, PAY, EATS, NOW)
    store.close()


@pytest.mark.parametrize("approved", ActionKind)
def test_an_approval_for_this_turn_holds_for_its_kind_alone(tmp_path: Path, approved: ActionKind) -> None:
    store = Store(tmp_path)
    turn = ApprovalScope([], store.approvals, "me")
    turn.record_verdict(Verdict.THIS_TURN, approved, EATS, NOW)
    assert [kind for kind in ActionKind if turn.covers(kind, EATS)] == [approved]
    store.close()


def test_beforehand_and_revoked(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert ApprovalScope([PAY], store.approvals, "me").covers(PAY, EATS)
    turn = ApprovalScope([], store.approvals, "me")
    turn.record_verdict(Verdict.ALWAYS, SEND, CHAT, NOW)
    turn.record_verdict(Verdict.ALWAYS, PAY, EATS, NOW)
    assert [(approval.app, approval.kind) for approval in store.approvals.list_approvals("me")] == [
        ("Chat", SEND),
        ("Eats", PAY),
    ]
    assert store.approvals.revoke("me", "com.example.chat", PAY) == 0
    assert store.approvals.revoke("me", "com.example.chat") == 1
    assert not turn.covers(SEND, CHAT)
    assert store.approvals.revoke("me") == 1
    store.close()


def test_the_crop_shows_the_element_and_what_is_around_it() -> None:
    picture = Image.new("RGB", (100, 200), "white")
    picture.paste("red", (40, 100, 60, 110))
    out = io.BytesIO()
    picture.save(out, "PNG")
    observation = Observation(200, 400, out.getvalue(), ())
    with Image.open(io.BytesIO(crop_around(observation, Bounds(80, 200, 120, 220)))) as crop:
        assert crop.width == 100
        assert 20 < crop.height < 60
        assert crop.getpixel((50, crop.height // 2)) == (255, 0, 0)


def test_no_crop_where_there_is_no_picture() -> None:
    somewhere = Bounds(0, 0, 10, 10)
    assert crop_around(Observation(10, 10, b"", ()), somewhere) == b""
    assert crop_around(Observation(10, 10, b"nonsense", ()), somewhere) == b""
    assert crop_around(Observation(10, 10, b"x", (), secure=True), somewhere) == b""
    assert crop_around(Observation(10, 10, b"x", ()), None) == b""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.conversation.routing import RouteKind, route
from assistant.factories import find_memory_host, format_endpoint
from assistant.memory.store import Store
from assistant.settings.schema import ModelSettings
from tests.tables import each

from .past import ask, make_conversation


def test_where_data_goes_is_told_with_the_address(store: Store, tmp_path: Path) -> None:
    def told(url: str) -> str:
        return format_endpoint(ModelSettings(base_url=url, name="m"))

    assert "api.example.org" in told("https://api.example.org/v1")
    assert "on this computer" in told("http://127.0.0.1:8000/v1")
    assert route("which server does my data go to, and what was sent so far?").kind is RouteKind.PRIVACY
    assert route("我的截图会发到哪个服务器").kind is RouteKind.PRIVACY


def test_a_model_on_this_computer_is_not_said_to_be_sent_anything(tmp_path: Path, store: Store) -> None:
    endpoint = format_endpoint(ModelSettings(base_url="http://127.0.0.1:8000/v1", name="m"))
    conversation = make_conversation(tmp_path, store, [], endpoint)
    told = ask(conversation, "does anyone see what I type here?")
    assert "nothing leaves it" in told.text
    assert "endpoint" not in told.text
    assert "The memory stays on this computer." in told.text


@pytest.mark.parametrize("endpoint", ["", "Requests go to a.example."])
def test_a_memory_on_a_server_is_not_said_to_stay_on_this_computer(
    tmp_path: Path, store: Store, endpoint: str
) -> None:
    conversation = make_conversation(tmp_path, store, [], endpoint, memory_host="db.example")
    told = ask(conversation, "does anyone see what I type here?").text
    assert "The memory is in the database on db.example." in told
    assert "this computer" not in told
    assert "db.example" in ask(conversation, "我的截图会发到哪个服务器").text


@each(
    ("url", "host"),
    [
        ("", ""),
        ("postgresql://me:secret@db.example:5432/memory", "db.example"),
        ("postgresql://me@/memory?host=db.example", "db.example"),
        ("postgresql://me@/memory?host=/run/postgresql", ""),
        ("postgresql://me:a#b@db.example/memory", "db.example"),
        ("postgresql:///memory", ""),
        ("postgresql://me@localhost/memory", ""),
    ],
)
def test_the_host_of_a_shared_memory_is_that_of_its_url(url: str, host: str) -> None:
    assert find_memory_host(url) == host


@pytest.mark.parametrize("line", ["whats my wifi password", "what's my locker code", "我家的门禁密码是什么"])
def test_a_password_is_neither_looked_up_nor_sent(tmp_path: Path, store: Store, line: str) -> None:
    told = ask(make_conversation(tmp_path, store, []), line)
    assert not told.is_answered
    assert not told.offer
    assert "assistant secret add" in told.text

from __future__ import annotations

from assistant.model.endpoint import without_refused

ALL = {"max_tokens": 5, "temperature": 0.0, "stream_options": {"include_usage": True}, "tools": [{}]}


def test_what_the_endpoint_names_is_left_out() -> None:
    assert without_refused(ALL, "Unrecognized request argument supplied: stream_options") == {
        "max_tokens": 5,
        "temperature": 0.0,
        "tools": [{}],
    }
    assert "temperature" not in (
        without_refused(ALL, "'temperature' does not support 0.0 with this model") or ALL
    )
    complaint = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    assert "tools" not in (without_refused(ALL, complaint) or ALL)


def test_max_tokens_takes_its_newer_name_before_it_goes() -> None:
    newer = without_refused(
        {"max_tokens": 5}, "'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    )

    assert newer == {"max_completion_tokens": 5}
    assert without_refused(newer, "unknown field max_completion_tokens") == {}


def test_other_complaints_name_nothing() -> None:
    assert without_refused(ALL, "The image cannot be decoded.") is None
    assert without_refused({}, "temperature") is None

"""What went wrong with a request, in words that name the setting to change, and whether to try again."""

from __future__ import annotations

import email.utils
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus

import openai

from assistant.i18n import _
from assistant.model.text import one_line
from assistant.settings.schema import ModelSettings

LONGEST_DELAY = 30.0
"""Back-off stops growing here, seconds."""

LONGEST_WAIT = 120.0
"""A server that asks for more seconds than this is taken as unavailable."""

_DECIMAL = re.compile(r"\s*\d{1,9}(\.\d{0,9})?\s*", re.ASCII)
_PASSING = frozenset({408, 409, 425, 429})
_NO_CREDIT = re.compile(r"insufficient_quota|insufficient balance|billing|credit", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,20}length|too (?:long|large|many tokens)|maximum.{0,20}tokens", re.IGNORECASE
)


class RequestFailure(Exception):
    """One request failed. `final`: only other settings help. `retry_after`: seconds the server asked for."""

    def __init__(self, reason: str, *, final: bool = False, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.final = final
        self.retry_after = retry_after


def delay_before(attempt: int, first: float, retry_after: float | None) -> float:
    """Seconds to wait before a repeat, counted from 1: doubling, or as long as the server asks."""
    return retry_after if retry_after is not None else min(LONGEST_DELAY, first * 2 ** min(attempt - 1, 30))


def failure_of(error: openai.APIError, settings: ModelSettings, now: datetime) -> RequestFailure:
    """The failure behind an error of the client library."""
    status, headers = _status(error)
    detail = _detail(error)
    if status is None:
        return _unanswered(error, settings)
    if status == 429 and _NO_CREDIT.search(f"{error.code} {detail}"):
        return RequestFailure(
            _("The account has no credit left at the model endpoint: {detail}").format(detail=detail),
            final=True,
        )
    if status in _PASSING or status >= 500:
        return RequestFailure(_passing(status, detail), retry_after=retry_after(headers, now))
    return RequestFailure(_refused(status, detail, settings), final=True)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that `Retry-After` asks for, given as seconds, milliseconds or a date; None without one."""
    milliseconds, value = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    try:
        if _DECIMAL.fullmatch(milliseconds):
            return float(milliseconds) / 1000
        if _DECIMAL.fullmatch(value):
            return float(value)
        date = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())


def _status(error: openai.APIError) -> tuple[int | None, Mapping[str, str]]:
    """The HTTP status, also where an endpoint reports it inside a stream that began well."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code, error.response.headers
    code = error.code or ""
    return (int(code), {}) if re.fullmatch(r"[3-5]\d\d", code) else (None, {})


def _detail(error: openai.APIError) -> str:
    """What the endpoint itself says, without the client library's frame around it."""
    said = error.body.get("message") if isinstance(error.body, dict) else None
    return one_line(said if isinstance(said, str) else error.message.removeprefix("Error code: "), 200)


def _unanswered(error: openai.APIError, settings: ModelSettings) -> RequestFailure:
    if isinstance(error, openai.APITimeoutError):
        return RequestFailure(_("The model endpoint does not answer in time."))
    if isinstance(error, openai.APIConnectionError):
        cause = one_line(str(error.__cause__ or ""), 120)
        if not cause:
            return RequestFailure(_("The model endpoint cannot be reached."))
        return RequestFailure(_("The model endpoint cannot be reached: {cause}.").format(cause=cause))
    return RequestFailure(_("The model endpoint reports an error: {detail}").format(detail=_detail(error)))


def _passing(status: int, detail: str) -> str:
    if status == 429:
        return _("The model endpoint has too many requests (429).")
    phrase = next((known.phrase for known in HTTPStatus if known == status), "error")
    return _("The model endpoint has trouble ({status} {phrase}): {detail}").format(
        status=status, phrase=phrase, detail=detail
    )


def _refused(status: int, detail: str, settings: ModelSettings) -> str:
    match status:
        case 401:
            return _("The model endpoint refuses the key. Set model.api_key.")
        case 402:
            return _("The account has no credit left at the model endpoint: {detail}").format(detail=detail)
        case 403:
            return _("The key may not use the model “{name}”. Check model.api_key and model.name.").format(
                name=settings.name
            )
        case 404:
            unknown = _(
                "The endpoint does not know the model “{name}” or the address. Check model.name, and "
                "model.base_url, which usually ends in /v1. It says: {detail}"
            )
            return unknown.format(name=settings.name, detail=detail)
        case 413:
            return _("The model endpoint finds the request too large. Lower model.image_side.")
        case _ if status < 400:
            return _("The model endpoint sends requests elsewhere. Set model.base_url to its final address.")
        case _ if _TOO_LONG.search(detail):
            return _(
                "The request is too long for the model. Lower model.image_side. It says: {detail}"
            ).format(detail=detail)
        case _:
            return _(
                "The endpoint refuses the request. Check model.name and model.dialect. It says: {detail}"
            ).format(detail=detail)

"""Which days are free: weekends, and the holidays of a country where one is set."""

from __future__ import annotations

from datetime import date
from functools import cached_property

import holidays

from assistant.i18n import _

_SATURDAY = 5


class UnknownCountry(Exception):
    """No holidays are known for a country; the message says what to do."""


class Calendar:
    """Tells working days from free ones.

    Args:
        country: ISO 3166 code such as `CN`; empty counts weekends only.

    Raises:
        UnknownCountry: there is no such country in the list of holidays.
    """

    def __init__(self, country: str = "") -> None:
        self._country = country.strip().upper()
        if self._country and self._country not in holidays.list_supported_countries():
            raise UnknownCountry(
                _("No holidays are known for “{country}”. Use a code such as DE, US or CN.").format(
                    country=country
                )
            )

    def is_free(self, day: date) -> bool:
        """Whether people do not work that day. Some countries work on single Saturdays and Sundays."""
        if not self._country:
            return day.weekday() >= _SATURDAY
        return not self._holidays.is_working_day(day)

    @cached_property
    def _holidays(self) -> holidays.HolidayBase:
        return holidays.country_holidays(self._country)

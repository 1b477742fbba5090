"""The tiny phone, fresh and with an app open."""

from __future__ import annotations

import pytest

from tests.simulator.ui.tiny import NOTES, Phone, make_phone


@pytest.fixture
def phone() -> Phone:
    return make_phone()


@pytest.fixture
def notes(phone: Phone) -> Phone:
    """The phone with Notes open."""
    phone.manager.start(NOTES)
    return phone

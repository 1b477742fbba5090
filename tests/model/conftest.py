from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.model.asking import Asking
from tests.model.endpoint_server import (
    serving,
)


@pytest.fixture
async def asking() -> AsyncIterator[Asking]:
    async with serving() as server:
        asking = Asking(server)
        yield asking
        for model in asking.models:
            await model.close()

"""Asks the model to write text, without a picture: one request, never repeated.

What it is used for has a way without a model, which is taken when this fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from assistant.i18n import _
from assistant.model.dialects.base import MalformedReply
from assistant.model.endpoint import Endpoint, Stopwatch
from assistant.model.failures import RequestFailure
from assistant.model.outgoing import Outgoing, outgoing
from assistant.model.parameters import Parameters
from assistant.model.prompts import ChatMessage
from assistant.model.streamed import StreamedReply
from assistant.model.types import ModelRejected, ModelUnavailable
from assistant.settings.schema import ModelSettings

PATIENCE = 20.0
"""The most seconds that an answer may take."""


class Writer:
    """A model that writes text. For any number of questions at once, in any event loop.

    Args:
        settings: the endpoint and the model.
        tell: hears of each request just before it leaves.
        patience: the most seconds that an answer may take.
    """

    def __init__(
        self,
        settings: ModelSettings,
        tell: Callable[[Outgoing], None] = lambda request: None,
        patience: float = PATIENCE,
    ) -> None:
        self._settings = settings
        self._tell = tell
        self._patience = patience

    async def __call__(self, system: str, user: str, schema: dict[str, object] | None = None) -> str:
        """The model's answer to a prompt, its reasoning left out.

        Args:
            system: what it is to do.
            user: what to do it with.
            schema: the JSON schema of the answer. An endpoint that takes none is asked without.

        Raises:
            ModelRejected: no model is set, or the endpoint refuses.
            ModelUnavailable: no whole answer came in time.
        """
        messages: list[ChatMessage] = [
            {"role": "system", "content": system},
            {"role": "user", "content": user},
        ]
        endpoint = Endpoint(self._settings, None, Stopwatch(), _structured(schema) if schema else {})
        self._tell(outgoing(messages, self._settings))
        try:
            async with asyncio.timeout(self._patience):
                return await self._read(endpoint, messages)
        except TimeoutError as error:
            raise ModelUnavailable(
                _("The model gave no answer in {patience:g} s.").format(patience=self._patience)
            ) from error
        except RequestFailure as failure:
            raise (ModelRejected if failure.final else ModelUnavailable)(failure.reason) from failure
        except MalformedReply as error:
            raise ModelUnavailable(str(error)) from error
        finally:
            await endpoint.close()

    async def _read(self, endpoint: Endpoint, messages: list[ChatMessage]) -> str:
        reply = StreamedReply(lambda text, _: 0)
        async with aclosing(endpoint.stream(messages)) as chunks:
            async for chunk in chunks:
                for _piece in reply.feed(chunk):
                    pass
                if reply.overlong:
                    break
        for _piece in reply.finish():
            pass
        if not (reply.finish_reason or reply.overlong):
            raise RequestFailure(_("The reply was cut off."))
        return reply.reply(self._settings.max_tokens).text


def _structured(schema: dict[str, object]) -> Parameters:
    described = {"name": "answer", "schema": schema, "strict": False}
    return {"response_format": {"type": "json_schema", "json_schema": described}}

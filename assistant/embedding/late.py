"""An embedder that is loaded while other things go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from assistant.embedding.embeds import Embeds, Vectors
from assistant.embedding.errors import EmbeddingError


class LateEmbedder:
    """Starts loading at once, in a thread. Whoever asks before it is done waits.

    Args:
        load: gives the embedder; raises EmbeddingError where it cannot.
    """

    def __init__(self, load: Callable[[], Embeds]) -> None:
        pool = ThreadPoolExecutor(1, thread_name_prefix="embedder")
        self._loading = pool.submit(load)
        pool.shutdown(wait=False)

    @property
    def done(self) -> bool:
        """Whether loading has ended, well or not."""
        return self._loading.done()

    @property
    def problem(self) -> str:
        """Why there is no embedder, in words; empty while it loads and once it is there."""
        failure = self._loading.exception() if self._loading.done() else None
        return str(failure) if failure else ""

    async def ready(self) -> Embeds:
        """Wait for the embedder without keeping the event loop.

        Raises:
            EmbeddingError: it cannot be loaded.
        """
        return await asyncio.shield(asyncio.wrap_future(self._loading))

    @property
    def model_id(self) -> str:
        """As `Embeds` says; waits for the model."""
        return self._now().model_id

    @property
    def dimensions(self) -> int:
        """As `Embeds` says; waits for the model."""
        return self._now().dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As `Embeds` says; waits for the model, so an event loop calls it in a thread.

        Raises:
            EmbeddingError: the model cannot be loaded or run.
        """
        return self._now().embed(texts)

    def _now(self) -> Embeds:
        try:
            return self._loading.result()
        except EmbeddingError as error:
            # The same exception raised in several threads would gather all their tracebacks.
            raise EmbeddingError(str(error)) from error

"""What can go wrong with an embedding model."""

from __future__ import annotations


class EmbeddingError(Exception):
    """A model that cannot be found, read, fetched or used; the message says why and what to do."""

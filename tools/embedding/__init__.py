"""Builds the sentence embedder of `models/`: `python -m tools.embedding --help`."""

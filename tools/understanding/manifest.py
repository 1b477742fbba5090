"""Lists the tagger's file in `manifest.toml`, as text, so that the rest stays as it was written."""

from __future__ import annotations

import re
from pathlib import Path

from assistant.embedding.models import describe_file


def list_file(manifest: Path, model: str, file: str) -> None:
    """Add or renew the entry of a file of a model, with checksum and size."""
    entry = describe_file(manifest.parent / model, file)
    table = f'[[models.files]]\npath = "{entry.path}"\nsha256 = "{entry.sha256}"\nbytes = {entry.bytes}\n\n'
    text = manifest.read_text("utf-8")
    listed = re.compile(rf'\[\[models\.files\]\]\npath = "{re.escape(file)}"\n(?:[^\[\n].*\n)*\n')
    if listed.search(text):
        text = listed.sub(lambda match: table, text)
    else:
        text = text.replace("[[models.sources]]", table + "[[models.sources]]", 1)
    manifest.write_text(text, "utf-8")

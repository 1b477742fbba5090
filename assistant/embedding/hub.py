"""Fetching files from a hub that speaks as huggingface.co does: resumed where broken off, then checked."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import aiohttp

from assistant.embedding.errors import EmbeddingError
from assistant.language import _

Tell = Callable[[str, int, int], None]
"""Hears how far a file is: its path, the bytes that are there, and all of them (0 where not known)."""

NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
"""How models are named at the hub: owner/name, or a name alone."""
_REVISION = re.compile(r"[A-Za-z0-9][\w./-]{0,127}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_GIT_SHA1 = re.compile(r"[0-9a-f]{40}")
_BLOCK = 1 << 18
_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=20, sock_read=60)
_ATTEMPTS = 4
_PASSING = frozenset({408, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Digest:
    """A checksum that the hub gives: SHA-256 of a large file, git's blob id of a small one, or neither."""

    sha256: str = ""
    git: str = ""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a model at the hub; size 0 where the hub does not tell it."""

    path: str
    size: int = 0
    digest: Digest = Digest()


@dataclass(frozen=True, slots=True)
class Listing:
    """A model's files at one commit."""

    commit: str
    files: Mapping[str, HubFile]


class Hub:
    """One hub.

    Args:
        base_url: such as https://huggingface.co.
        session: for the requests.
        delay: seconds before a broken-off transfer is resumed; it doubles each time.
    """

    def __init__(self, base_url: str, session: aiohttp.ClientSession, delay: float = 1.0) -> None:
        self._base_url = base_url.rstrip("/")
        self._session = session
        self._delay = delay

    async def listing(self, name: str, revision: str) -> Listing:
        """The files of a model at a branch, tag or commit.

        Raises:
            EmbeddingError: the hub does not have it, or does not answer.
        """
        if not NAME.fullmatch(name) or not _REVISION.fullmatch(revision) or ".." in revision:
            raise EmbeddingError(
                _(
                    "“{name}” at “{revision}” is neither a folder here nor a model's name, such as "
                    "owner/name."
                ).format(name=name, revision=revision)
            )
        url = f"{self._base_url}/api/models/{name}/revision/{quote(revision, safe='')}?blobs=true"
        for attempt in range(_ATTEMPTS):
            try:
                async with self._session.get(url, timeout=_TIMEOUT) as response:
                    if response.status not in _PASSING:
                        self._expect(response.status, {200}, name, revision)
                        return _read_listing(await response.json(content_type=None), self._base_url)
                    failure = _("it answers with status {status}").format(status=response.status)
            except (aiohttp.ClientError, TimeoutError) as error:
                failure = _words(error)
            except ValueError as error:
                raise EmbeddingError(
                    _("{hub} does not answer as a hub does: {error}.").format(hub=self._base_url, error=error)
                ) from error
            await self._pause(attempt + 1)
        raise EmbeddingError(
            _("{hub} cannot be reached: {failure}. Try again later.").format(
                hub=self._base_url, failure=failure
            )
        )

    async def fetch(self, name: str, commit: str, file: HubFile, target: Path, tell: Tell) -> None:
        """Fetch one file, going on with what an earlier attempt left beside the target as `.part`.

        Raises:
            EmbeddingError: the file cannot be fetched or written, or has another checksum than the hub says.
        """
        part = target.with_name(target.name + ".part")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            digest = await self._fetch_part(name, commit, file, part, tell)
            if file.size not in (0, _size(part)) or not await asyncio.to_thread(matches, part, digest):
                part.unlink()
                raise EmbeddingError(
                    _("{path} arrived with another size or checksum than {hub} gives. Try again.").format(
                        path=file.path, hub=self._base_url
                    )
                )
            part.replace(target)
        except OSError as error:
            raise EmbeddingError(
                _(
                    "{file} cannot be written: {reason}. Make room there, then run it again: it "
                    "goes on where it was."
                ).format(file=target, reason=error.strerror)
            ) from error

    async def _fetch_part(self, name: str, commit: str, file: HubFile, part: Path, tell: Tell) -> Digest:
        url = f"{self._base_url}/{name}/resolve/{commit}/{quote(file.path)}"
        attempt, failure = 0, ""
        while attempt < _ATTEMPTS:
            before = _size(part)
            try:
                headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={before}-"} if before else {})
                async with self._session.get(url, timeout=_TIMEOUT, headers=headers) as response:
                    if response.status in _PASSING:
                        failure = _("it answers with status {status}").format(status=response.status)
                    elif response.status == 416 and before and before == file.size:
                        return _digest(file, response)
                    elif response.status == 416 or _starts_elsewhere(response, before):
                        _start_over(part)
                        failure = _("it cannot go on where it was")
                    else:
                        self._expect(response.status, {200, 206}, name, commit)
                        await _receive(response, file, part, tell)
                        return _digest(file, response)
            except (aiohttp.ClientError, TimeoutError) as error:
                failure = _words(error)
            attempt = 0 if _size(part) > before else attempt + 1
            await self._pause(attempt)
        raise EmbeddingError(
            _(
                "{path} cannot be fetched from {hub}: {failure}. Run it again: it goes on where it was."
            ).format(path=file.path, hub=self._base_url, failure=failure)
        )

    async def _pause(self, attempt: int) -> None:
        if attempt < _ATTEMPTS:
            await asyncio.sleep(self._delay * 2**attempt)

    def _expect(self, status: int, good: set[int], name: str, revision: str) -> None:
        if status in good:
            return
        if status in (401, 403, 404):
            raise EmbeddingError(
                _("{hub} has no public model {name} with {revision}: status {status}.").format(
                    hub=self._base_url, name=name, revision=revision, status=status
                )
            )
        raise EmbeddingError(
            _("{hub} does not give {name}: status {status}.").format(
                hub=self._base_url, name=name, status=status
            )
        )


def matches(file: Path, digest: Digest) -> bool:
    """Whether a file has a checksum; true where none is given."""
    if not digest.sha256 and not digest.git:
        return True
    found = hashlib.sha256() if digest.sha256 else hashlib.sha1(usedforsecurity=False)
    if not digest.sha256:
        found.update(f"blob {file.stat().st_size}\0".encode())
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            found.update(block)
    return found.hexdigest() == (digest.sha256 or digest.git)


def _read_listing(answer: Any, base_url: str) -> Listing:
    """Reads `{"sha": commit, "siblings": [{"rfilename", "size", "blobId", "lfs": {"sha256", "size"}}]}`."""
    try:
        commit = str(answer["sha"])
        files = [_read_file(sibling) for sibling in answer["siblings"]]
    except (KeyError, TypeError, AttributeError) as error:
        raise EmbeddingError(
            _("{hub} does not answer as a hub does: its list of files is odd.").format(hub=base_url)
        ) from error
    if not _COMMIT.fullmatch(commit):
        raise EmbeddingError(
            _("{hub} does not answer as a hub does: “{commit}” is no commit.").format(
                hub=base_url, commit=commit[:80]
            )
        )
    return Listing(commit, {file.path: file for file in files})


def _read_file(sibling: Mapping[str, Any]) -> HubFile:
    large = sibling.get("lfs") or {}
    size = large.get("size") or sibling.get("size") or 0
    # The blob of a large file is only a pointer to it.
    digest = (
        Digest(sha256=_hex(_SHA256, large.get("sha256")))
        if large
        else Digest(git=_hex(_GIT_SHA1, sibling.get("blobId")))
    )
    return HubFile(str(sibling["rfilename"]), size if isinstance(size, int) else 0, digest)


def _digest(file: HubFile, response: aiohttp.ClientResponse) -> Digest:
    """The checksum of the listing, else that of the headers, which a large file has on the first answer."""
    if file.digest != Digest():
        return file.digest
    for answer in (*response.history, response):
        tags = [
            answer.headers.get(name, "").removeprefix("W/").strip('"') for name in ("X-Linked-Etag", "ETag")
        ]
        for tag in tags:
            if _SHA256.fullmatch(tag) or _GIT_SHA1.fullmatch(tag):
                return Digest(_hex(_SHA256, tag), _hex(_GIT_SHA1, tag))
    return file.digest


def _hex(pattern: re.Pattern[str], text: object) -> str:
    return text if isinstance(text, str) and pattern.fullmatch(text) else ""


def _starts_elsewhere(response: aiohttp.ClientResponse, before: int) -> bool:
    return response.status == 206 and not response.headers.get("Content-Range", "").startswith(
        f"bytes {before}-"
    )


async def _receive(response: aiohttp.ClientResponse, file: HubFile, part: Path, tell: Tell) -> None:
    goes_on = response.status == 206
    with _opened(part, goes_on) as stream:
        done = _size(part) if goes_on else 0
        total = file.size or done + (response.content_length or 0)
        tell(file.path, done, total)
        async for block in response.content.iter_chunked(_BLOCK):
            done += len(block)
            stream.write(block)
            tell(file.path, done, total)
            if file.size and done > file.size:
                return


def _opened(part: Path, goes_on: bool) -> IO[bytes]:
    return part.open("ab" if goes_on else "wb")


def _start_over(part: Path) -> None:
    part.unlink(missing_ok=True)


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__

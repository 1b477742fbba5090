"""A model hub on this machine that answers as public ones do, and as badly as it is told to."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LARGE = 400
"""Files of this size and more are large ones: kept elsewhere, named by their SHA-256."""


@dataclass
class FakeHub:
    """One model, `owner/words`, at one commit.

    Attributes:
        folder: its files.
        breaks: how many transfers of a network stop half way.
        damages: whether a network arrives with a wrong byte.
        statuses: what the next requests are answered with instead.
        ranges: whether a transfer can start in the middle.
        checksums: whether the listing has checksums.
        asked: path and Range header of each request for a file.
        others: path of each request for something else than the model.
        headers: those of every request.
    """

    folder: Path
    breaks: int = 0
    damages: bool = False
    statuses: list[int] = field(default_factory=list)
    ranges: bool = True
    checksums: bool = True
    asked: list[tuple[str, str]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/api/models/owner/words/revision/{revision}", self._listing)
        app.router.add_get("/owner/words/resolve/{commit}/{path:.+}", self._resolve)
        app.router.add_get("/elsewhere/{path:.+}", self._content)
        app.router.add_get("/{path:.*}", self._other)
        return app

    async def _other(self, request: web.Request) -> web.Response:
        self.others.append(request.path)
        return web.Response(status=404)

    async def _listing(self, request: web.Request) -> web.Response:
        self.headers.append(dict(request.headers))
        if self.statuses:
            return web.Response(status=self.statuses.pop(0))
        if request.match_info["revision"] not in ("main", COMMIT):
            return web.Response(status=404)
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        siblings = [self._sibling(path) for path in paths]
        return web.json_response({"id": "owner/words", "sha": COMMIT, "siblings": siblings})

    def _sibling(self, path: Path) -> dict[str, object]:
        content = path.read_bytes()
        sibling: dict[str, object] = {"rfilename": path.relative_to(self.folder).as_posix()}
        if self.checksums:
            sibling |= {"size": len(content), "blobId": _git_id(content)}
            if len(content) >= LARGE:
                sibling |= {"blobId": "f" * 40, "lfs": _lfs(content)}
        return sibling

    async def _resolve(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        content = (self.folder / path).read_bytes()
        self.headers.append(dict(request.headers))
        if request.method == "GET":
            self.asked.append((path, request.headers.get("Range", "")))
        if len(content) >= LARGE:
            # On another host, as the store of a public hub is.
            place = request.url.with_host("localhost").with_path(f"/elsewhere/{path}")
            linked = {"X-Linked-Etag": f'"{_sha256(content)}"', "X-Linked-Size": str(len(content))}
            headers = linked | {"X-Repo-Commit": COMMIT, "Location": str(place)}
            return web.Response(status=302, headers=headers)
        headers = {"ETag": f'"{_git_id(content)}"', "X-Repo-Commit": COMMIT}
        return web.Response(body=content, headers=headers)

    async def _content(self, request: web.Request) -> web.StreamResponse:
        content = (self.folder / request.match_info["path"]).read_bytes()
        is_network = request.match_info["path"].endswith(".onnx")
        if self.damages and is_network:
            content = content[:-1] + b"?"
        start, status, headers = 0, 200, {"Content-Length": str(len(content))}
        asked = re.fullmatch(r"bytes=(\d+)-", request.headers.get("Range", ""))
        if asked and self.ranges:
            start, status = int(asked[1]), 206
            if start >= len(content):
                return web.Response(status=416)
            headers = {
                "Content-Length": str(len(content) - start),
                "Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}",
            }
        response = web.StreamResponse(status=status, headers=headers)
        await response.prepare(request)
        if self.breaks and is_network:
            self.breaks -= 1
            await response.write(content[start : (start + len(content)) // 2])
            assert request.transport is not None
            request.transport.close()
            return response
        await response.write(content[start:])
        return response


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _git_id(content: bytes) -> str:
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()


def _lfs(content: bytes) -> dict[str, object]:
    return {"sha256": _sha256(content), "size": len(content), "pointerSize": 128}

"""What a screenshot tells by itself: its size, whether the screen moved, what is black, and its text (OCR).

Text is read from it for screens of which the UI tree tells little or nothing.
WeChat, games, some Flutter apps and web views draw everything themselves. Where the extra `assistant[ocr]` is
installed, the lines of text on such a screen become elements of the class `PICTURE_TEXT`, with their places.
What is read this way is never more than a hint: it may be misread, it does not tell what reacts to a tap, and
nothing in it makes an action harmless (see `assistant.safety.classifier`).

Reading happens on this computer, in a process of its own: a picture takes one to three seconds on two cores
and the models 600 MB, and both end when nothing was read for a while. A screen whose pixels are the same,
apart from the status bar, is read once.
Source of the models: PP-OCRv6 (PaddleOCR, Apache-2.0), which the package rapidocr (Apache-2.0) brings.
"""

from __future__ import annotations

import io
import json
import logging
import math
import os
import re
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
import numpy.typing as npt
from PIL import Image

from assistant.i18n import _, later
from assistant.records import PICTURE_TEXT, Bounds, Element, Observation

_SIGNATURE, _TRAILER = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
PICTURE_FORMATS = ("PNG", "JPEG")
"""What a screenshot may be: `screencap` makes PNG, the resident helper JPEG."""

_LARGEST_SIDE = 16_384
_BROKEN = (OSError, SyntaxError, ValueError, struct.error, Image.DecompressionBombError)
# A cell differs when its mean grey does; a blinking cursor changes fewer cells than a typed letter. Letters
# are as many cells high on small screens as on large ones, so that a word is no smaller change there.
_GREY_STEP, _CHANGED_CELLS = 12, 12
_CELLS_ACROSS, _LARGEST_CELL = 135, 8
"""So many cells on the shorter side, where they have at most so many pixels a side."""
# Status bars, with a camera cut-out, take up to this share of the longer side.
_LARGEST_STATUS_BAR = 0.055
KEYBOARD_TOP = 0.6
"""Keyboards stand below this share of the height."""
_BLACK = 6
# A page that forbids screenshots is black but for bars and keyboard; letters are a twentieth of a light page.
_BLACK_SHARE, _MUCH_BLACK = 0.4, 0.15
# A black page compresses far below one byte for so many pixels; bigger pictures are not worth decoding.
_PIXELS_PER_BYTE_WHEN_BLACK = 16

Grey = npt.NDArray[np.uint8]


class NotAPicture(Exception):
    """The bytes are not a complete PNG or JPEG."""


def find_png(printed: bytes) -> bytes:
    """The PNG in what `screencap -p` printed; some phones print a warning before it.

    Raises:
        NotAPicture: there is no PNG, or it is cut off.
    """
    start = printed.find(_SIGNATURE)
    if start < 0:
        raise NotAPicture("no PNG")
    end = printed.rfind(_TRAILER)
    if end < start:
        raise NotAPicture("the PNG is cut off")
    png = printed[start : end + len(_TRAILER)]
    picture_size(png)
    return png


# AOSP PixelFormat.h: RGBA_8888, RGBX_8888 and RGB_565; Pillow's names for each, and bytes of a pixel.
_RAW_FORMATS = {1: ("RGBX", "RGBX", 4), 2: ("RGBX", "RGBX", 4), 4: ("RGB", "BGR;16", 2)}
# Width, height, format and, since Android 9, colour space, in four bytes each (AOSP screencap.cpp).
_RAW_HEADERS = (16, 12)
# In bytes; a tablet's picture has 22 million.
_LARGEST_RAW, _LONGEST_WARNING, _JPEG_QUALITY = 1 << 26, 2000, 92


@lru_cache(maxsize=2)
def unpack_picture(printed: bytes) -> tuple[bytes, bytes]:
    """The picture in what `screencap | gzip` printed, and the words before it. Slow, but for one just read.

    It becomes a JPEG picture, which takes a fifth of the time of a PNG. One with much black stays exact: it
    may be of a page that forbids screenshots.

    Raises:
        NotAPicture: it is something else, cut off, or too large.
    """
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        raw = unpacker.decompress(printed, _LARGEST_RAW)
    except zlib.error as error:
        raise NotAPicture(str(error)) from error
    if not unpacker.eof:
        raise NotAPicture("the packed pixels are cut off, or too many")
    width, height, kind, words, start = _find_pixels(raw)
    mode, raw_mode, _size = _RAW_FORMATS[kind]
    picture = Image.frombuffer(mode, (width, height), raw[start:], "raw", raw_mode, 0, 1)
    written = io.BytesIO()
    if sum(picture.convert("L").histogram()[: _BLACK + 1]) >= _MUCH_BLACK * width * height:
        picture.convert("RGB").save(written, "PNG", compress_level=1)
    else:
        picture.save(written, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
    return written.getvalue(), raw[:words]


def _find_pixels(raw: bytes) -> tuple[int, int, int, int, int]:
    """Width, height and format, and where the header, behind lines of words, and the pixels begin."""
    lines = [0, *(match.end() for match in re.finditer(b"\n", raw[:_LONGEST_WARNING]))]
    for place, header in product(lines, _RAW_HEADERS):
        if len(raw) >= place + header:
            width, height, kind = struct.unpack_from("<3I", raw, place)
            pixels = width * height * _RAW_FORMATS[kind][2] if kind in _RAW_FORMATS else 0
            if pixels and len(raw) == place + header + pixels:
                return width, height, kind, place, place + header
    raise NotAPicture("no raw pixels")


def picture_size(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG or JPEG picture from its header.

    Raises:
        NotAPicture: the header is broken.
    """
    try:
        with Image.open(io.BytesIO(picture), formats=PICTURE_FORMATS) as image:
            width, height = image.size
    except _BROKEN as error:
        raise NotAPicture("no header") from error
    if not (0 < width <= _LARGEST_SIDE and 0 < height <= _LARGEST_SIDE):
        raise NotAPicture(f"impossible size {width} x {height}")
    return width, height


def decode_grey(picture: bytes) -> Grey:
    """The picture in grey, of shape (height, width). Slow for big pictures: not for the event loop.

    Raises:
        NotAPicture: it cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(picture), formats=PICTURE_FORMATS) as image:
            return np.asarray(image.convert("L"))
    except _BROKEN as error:
        raise NotAPicture(str(error)) from error


def _same_screen(before: Grey, after: Grey) -> bool:
    """Whether two shrunk pictures show the same, apart from the status bar and a blinking cursor."""
    if before.shape != after.shape:
        return False
    return int(_differing(before, after).sum()) <= _CHANGED_CELLS


def unmoved(before: bytes, after: bytes, at: Bounds | None = None, width: int = 0) -> bool:
    """Whether two screenshots show the same screen. An undecodable one counts as moved.

    Where something is to be touched, `at` in pixels of a screen of that `width`, nothing may differ.
    """
    if before == after:
        return True
    try:
        first, second = _shrunk(before), _shrunk(after)
    except NotAPicture:
        return False
    same = _same_screen(first, second)
    return same and (at is None or not np.any(_differing(first, second, bar=0)[_cells(at, first, width)]))


def only_restless_differs(before: bytes, later: Sequence[bytes]) -> bool:
    """Whether later screenshots show what an earlier one does, but for a little that moves by itself.

    A cursor that blinks or a countdown differs between the later ones, too; what was exchanged does not. An
    undecodable picture counts as different.
    """
    try:
        first, *others = (_shrunk(picture) for picture in (before, *later))
    except NotAPicture:
        return False
    if any(other.shape != first.shape for other in others):
        return False
    differs = [_differing(first, other) for other in others]
    restless = np.any([_differing(others[0], other) for other in others], axis=0)
    return bool(not np.any(np.any(differs, axis=0) & ~restless) and restless.sum() <= _CHANGED_CELLS)


def differs_only_at(
    places: Sequence[Bounds], width: int, before: bytes, after: bytes, uncovered: bytes = b""
) -> bool:
    """Whether two screenshots show the same, but where something is known to have changed. Decodes: slow.

    Args:
        places: where they may differ, in pixels of the screen.
        width: of the screen.
        before: the first screenshot.
        after: the second one.
        uncovered: a picture of what a keyboard covers in the first one but not in the second.
    """
    try:
        first, second = _shrunk(before), _shrunk(after)
        under = _shrunk(uncovered) if uncovered else first
    except NotAPicture:
        return False
    if not first.shape == second.shape == under.shape:
        return False
    lower = round(len(first) * KEYBOARD_TOP)
    expected = np.concatenate((first[:lower], under[lower:]))
    for place in places:
        cells = _cells(place, second, width)
        expected[cells] = second[cells]
    return _same_screen(expected, second)


def _cells(place: Bounds, shrunk: Grey, width: int) -> tuple[slice, slice]:
    """The cells of a shrunk picture that show a place on a screen of that width, in pixels."""
    left, top, right, bottom = (max(0.0, edge * shrunk.shape[1] / width) for edge in place)
    return slice(int(top), math.ceil(bottom)), slice(int(left), math.ceil(right))


def _differing(before: Grey, after: Grey, bar: float = _LARGEST_STATUS_BAR) -> npt.NDArray[np.bool_]:
    """Which cells of two shrunk pictures of one size differ; none of a status bar of that share does."""
    differs = np.abs(before.astype(np.int16) - after.astype(np.int16)) > _GREY_STEP
    differs[: round(max(differs.shape) * bar)] = False
    return differs


@lru_cache(maxsize=4)
def _shrunk(picture: bytes) -> Grey:
    """The picture in grey, as the means of its cells."""
    # Decoding takes most of a comparison's time; JPEG has the means of cells of 2, 4 and 8 pixels at hand.
    cell = min(_LARGEST_CELL, max(1, round(min(picture_size(picture)) / _CELLS_ACROSS)))
    with suppress(*_BROKEN), Image.open(io.BytesIO(picture), formats=("JPEG",)) as image:
        at_hand = math.gcd(cell, _LARGEST_CELL)
        image.draft("L", (max(1, image.width // at_hand), max(1, image.height // at_hand)))
        return np.asarray(image.convert("L").reduce(cell // at_hand))
    return np.asarray(Image.fromarray(decode_grey(picture)).reduce(cell))


def blackened(png: bytes, regions: Sequence[Bounds], scale: float = 1.0) -> bool:
    """Whether at least two thirds of the regions are wholly black, as in a window that forbids screenshots.

    Args:
        png: the screenshot.
        regions: where something visible should be, in device pixels.
        scale: pixels of the screenshot per device pixel.
    """
    if not regions:
        return False
    try:
        grey = decode_grey(png)
    except NotAPicture:
        return False
    edges = ([max(0, round(edge * scale)) for edge in region] for region in regions)
    parts = [grey[top:bottom, left:right] for left, top, right, bottom in edges]
    black = sum(1 for part in parts if part.size and int(part.max()) <= _BLACK)
    return black * 3 >= len(parts) * 2


def is_black(png: bytes) -> bool:
    """Whether a picture is wholly black, like a closed panel's. Slow for pictures that are not plain."""
    try:
        return _is_plain(png) and int(decode_grey(png).max()) <= _BLACK
    except NotAPicture:
        return False


def may_be_forbidden(png: bytes) -> bool:
    """Whether so much of a picture is black that its page may forbid screenshots, or is very dark. Slow."""
    try:
        return _is_plain(png) and float((decode_grey(png) <= _BLACK).mean()) >= _BLACK_SHARE
    except NotAPicture:
        return True


def _is_plain(png: bytes) -> bool:
    width, height = picture_size(png)
    return len(png) * _PIXELS_PER_BYTE_WHEN_BLACK <= width * height


def is_secure(
    png: bytes, elements: tuple[Element, ...], width: int, height: int, *, keyboard_shown: bool = False
) -> bool:
    """Whether the page forbids screenshots: the picture is black where the tree has text.

    A dark page shows its text, and is not black there. Without text in the tree, all of it must be black but
    for the system's bars and the keyboard.
    """
    if not png or len(png) * _PIXELS_PER_BYTE_WHEN_BLACK > width * height:
        return False
    edge = round(max(width, height) * _LARGEST_STATUS_BAR)
    screen = Bounds(0, edge, width, height)
    texts = [e.bounds for e in elements if e.text.strip() and _inside(e.bounds, screen)]
    labelled = [e.bounds for e in elements if e.clickable and e.description and _inside(e.bounds, screen)]
    bottom = round(height * KEYBOARD_TOP) if keyboard_shown else height - edge
    page = Bounds(edge, edge, width - edge, bottom)
    return blackened(png, texts or labelled or [page], picture_size(png)[0] / width)


def _inside(bounds: Bounds, screen: Bounds) -> bool:
    x, y = bounds.centre
    return bounds.area > 0 and screen.contains(x, y)


_log = logging.getLogger(__name__)

PACKAGE = "rapidocr"
NOT_INSTALLED = later("the Python package rapidocr is not installed")
NO_ANSWER = later("the program that reads pictures ended, or was too slow")
_MODELS = ("*_det_*.onnx", "*_rec_*.onnx")
"""The detector and the recogniser, which the package brings; nothing is downloaded."""

_COMMON_STATUS_BAR = 0.035
"""The share of the longer side, from the top, that holds the clock and the like: what stands there is not
read, and a change there is no other picture."""

_LARGEST_LABEL = 0.3
"""The share of the screen from which an element with words is no label of one place."""
_LEAST_SCORE = 0.8
"""Below it lines are mostly icons taken for letters (measured on drawn screens)."""
_LONGEST_SIDE = 1600
_SLOWEST, _SLOWEST_START = 15.0, 45.0
"""Seconds after which a reading is given up, and the first one, which loads the models: 3 s, on a machine
with other work 11."""
_IDLE = 120.0
_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from assistant.phone.pictures import {0}; {0}()"
"""The process imports from where this program does, and not from the folder that it happens to be in."""
_MOST_FAILURES, _SHORTEST_PAUSE, _LONGEST_PAUSE = 3, 60.0, 900.0
"""After so many failures in a row, each of which costs seconds, nothing is read for so many seconds; they
double with each further one."""
_KEPT, _MOST_LINES = 8, 200


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of text in a picture: its bounds in the picture's pixels, and how sure it is, 0..1."""

    text: str
    bounds: Bounds
    score: float = 1.0


class ReadingFailed(Exception):
    """A picture was not read; the message says why, in English."""


class LineReader(Protocol):
    """Finds the text in a picture. `read` blocks for seconds, and may be called from any thread."""

    @property
    def available(self) -> bool:
        """Whether there is anything to read with."""

    def read(self, picture: bytes) -> Sequence[TextLine]:
        """The lines of text in a PNG or JPEG picture. Raises `ReadingFailed`."""


def find_models() -> Path | None:
    """The folder with the models of the package rapidocr; None where they or the package are missing."""
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "models"
    return folder if all(any(folder.glob(pattern)) for pattern in _MODELS) else None


class OcrProcess:
    """Reads with rapidocr in a process of its own, which starts at the first picture and ends when idle.

    Args:
        command: what to run; it is sent pictures and answers as `serve` does.
        slowest: the seconds after which the process is ended and a reading has failed.
        idle: the seconds without a picture after which the process ends.
    """

    def __init__(
        self, command: Sequence[str] = (), *, slowest: float | None = None, idle: float = _IDLE
    ) -> None:
        self._command = list(command) or [sys.executable, "-P", "-c", _PROGRAM.format("main"), *sys.path]
        self._given = bool(command)
        self._slowest = slowest
        self._idle = idle
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._ending: threading.Timer | None = None

    @property
    def available(self) -> bool:
        """Whether the package and its models are installed."""
        return self._given or find_models() is not None

    def read(self, picture: bytes) -> Sequence[TextLine]:
        """The lines of text in a picture; blocks.

        Raises:
            ReadingFailed: the process does not start, ends, is too slow or does not answer as it should.
        """
        with self._turn:
            if self._ending is not None:
                self._ending.cancel()
            try:
                return _parse_answer(self._exchange(picture))
            except ReadingFailed:
                self._end()
                raise
            finally:
                self._ending = _after(self._idle, self.close)

    def close(self) -> None:
        """End the process, if it runs; the next picture starts another one."""
        with self._turn:
            self._end()

    def _exchange(self, picture: bytes) -> bytes:
        process, seconds = self._process, _SLOWEST
        if process is None or process.poll() is not None:
            process, seconds = self._start(), _SLOWEST_START
            self._process = process
        limit = _after(self._slowest or seconds, process.kill)
        try:
            source, target = process.stdin, process.stdout
            if source is None or target is None:
                raise ReadingFailed(_("The reader of pictures cannot be reached."))
            source.write(struct.pack(">I", len(picture)) + picture)
            source.flush()
            return target.readline()
        except OSError as error:
            raise ReadingFailed(str(error)) from error
        finally:
            limit.cancel()

    def _start(self) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        # onnxruntime reads the variable when it is imported, which rapidocr does there.
        environment = {**os.environ, "ORT_DISABLE_TELEMETRY": "1"}
        try:
            return subprocess.Popen(
                self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment
            )
        except OSError as error:
            raise ReadingFailed(str(error)) from error

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.communicate()


def _after(seconds: float, act: Callable[[], object]) -> threading.Timer:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
    return timer


def _parse_answer(line: bytes) -> list[TextLine]:
    try:
        answer = json.loads(line)
        if problem := answer.get("problem"):
            raise ReadingFailed(str(problem))
        return [
            TextLine(str(text), Bounds(*(int(edge) for edge in box)), float(score))
            for text, box, score in answer["lines"]
        ]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ReadingFailed(NO_ANSWER) from error


def serve(source: IO[bytes], target: IO[bytes], recognise: Callable[[bytes], Iterable[TextLine]]) -> None:
    """Answer pictures until the source ends.

    Args:
        source: pictures, each after its length in four bytes, the highest first.
        target: takes one JSON line for each: `{"lines": [[text, [left, top, right, bottom], score], …]}`, or
            `{"problem": why}`.
        recognise: reads a picture.
    """
    while len(head := source.read(4)) == 4:
        picture = source.read(struct.unpack(">I", head)[0])
        try:
            lines = [[line.text, list(line.bounds), line.score] for line in recognise(picture)]
            answer: dict[str, Any] = {"lines": lines}
        except Exception as error:  # noqa: BLE001 - a foreign library; whatever it raises is told
            answer = {"problem": f"{type(error).__name__}: {error}"[:200]}
        target.write(json.dumps(answer).encode() + b"\n")
        target.flush()


def load_recogniser() -> Callable[[bytes], list[TextLine]]:
    """Rapidocr with the models that it brings; takes seconds to load.

    Raises:
        ImportError: it is not installed.
    """
    threads = max(1, min(4, (os.cpu_count() or 1) // 2))
    engine = import_module(PACKAGE).RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.max_side_len": _LONGEST_SIDE,
            "Global.use_cls": False,
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
        }
    )

    def recognise(picture: bytes) -> list[TextLine]:
        result = engine(picture)
        if result.boxes is None or result.txts is None:
            return []
        return [
            TextLine(text, Bounds(*(round(float(edge)) for edge in (*box.min(0), *box.max(0)))), float(score))
            for box, text, score in zip(result.boxes, result.txts, result.scores, strict=True)
        ]

    return recognise


def main() -> None:
    """Serve over standard input and output; whatever the libraries print goes nowhere."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if find_models() is None:
        raise SystemExit(f"{PACKAGE} or its models are not installed")
    serve(sys.stdin.buffer, target, load_recogniser())


VIDEO_PACKAGE = "av"
VIDEO_COMMAND = (sys.executable, "-P", "-c", _PROGRAM.format("decode_video"), *sys.path)
"""Decodes H.264 from standard input, and writes its pictures: see `decode_video`."""
_FRAME_EVERY = 0.4
_MOST_PIXELS = 1600 * 1600
"""A phone is asked for 800 on the longer side; what says it is far larger is not decoded."""


def decode_video() -> None:
    """Write the newest picture of an H.264 stream as JPEG, behind its length, once in `_FRAME_EVERY`."""
    av = import_module(VIDEO_PACKAGE)
    codec = av.CodecContext.create("h264", "r")
    codec.thread_count = 1
    newest: deque[Any] = deque(maxlen=1)
    has_come = threading.Event()

    def decode() -> None:
        while part := os.read(0, 1 << 16):
            for packet in codec.parse(part):
                # What is broken shows until the next whole picture, or not at all.
                with suppress(av.FFmpegError):
                    newest.extend(f for f in codec.decode(packet) if f.width * f.height <= _MOST_PIXELS)
            has_come.set()

    decoding = threading.Thread(target=decode, daemon=True)
    decoding.start()
    while decoding.is_alive() or newest:
        has_come.wait(_FRAME_EVERY)
        has_come.clear()
        if newest:
            written = io.BytesIO()
            newest.pop().to_image().save(written, "JPEG")
            sys.stdout.buffer.write(struct.pack(">I", written.tell()) + written.getvalue())
            sys.stdout.buffer.flush()
            time.sleep(_FRAME_EVERY)


class PictureReader:
    """Adds what a picture says to observations whose UI tree says too little; remembers the latest pictures.

    Readings that fail in a row, as on a busy computer, end reading for a while; then one more is tried.

    Attributes:
        problem: why the latest reading failed, in English; empty where it did not.
    """

    def __init__(self, lines: LineReader, now: Callable[[], float] = time.monotonic) -> None:
        self.problem = ""
        self._lines = lines
        self._now = now
        self._paused_until = -math.inf
        self._read: OrderedDict[bytes, tuple[TextLine, ...]] = OrderedDict()
        self._failures = 0
        self._turn = threading.Lock()

    @property
    def available(self) -> bool:
        """Whether there is anything to read with."""
        return self._lines.available

    def complete(self, observation: Observation) -> Observation:
        """The observation with what can be read on it, where its tree tells too little. Blocks for seconds.

        Without a picture, without the package, and where the reading fails it is returned as it is.
        """
        if not observation.screenshot or observation.secure or not self.available or self.paused:
            return observation
        try:
            lines = self._lines_of(observation.screenshot)
        except (ReadingFailed, NotAPicture) as failure:
            self._note_failure(str(failure))
            return observation
        self.problem = ""
        self._failures = 0
        return replace(observation, picture_texts=picture_texts(observation, lines))

    @property
    def paused(self) -> bool:
        """Whether nothing is read for a while, since the latest readings failed."""
        return self._now() < self._paused_until

    def _note_failure(self, reason: str) -> None:
        _log.warning("the picture was not read: %s", reason)
        self.problem = reason
        self._failures += 1
        if (beyond := self._failures - _MOST_FAILURES) >= 0:
            self._paused_until = self._now() + min(_LONGEST_PAUSE, _SHORTEST_PAUSE * 2.0 ** min(beyond, 4))

    def _lines_of(self, picture: bytes) -> tuple[TextLine, ...]:
        key = picture_key(picture)
        with self._turn:
            lines = self._read.pop(key, None)
            self._read[key] = lines = tuple(self._lines.read(picture)) if lines is None else lines
            if len(self._read) > _KEPT:
                self._read.popitem(last=False)
            return lines


@cache
def shared_reader() -> PictureReader:
    """The reader that all phones of this program share: its models are loaded once."""
    return PictureReader(OcrProcess())


def picture_key(picture: bytes) -> bytes:
    """A hash of a picture's pixels without the status bar. Decodes the picture: slow.

    Raises:
        NotAPicture: it cannot be decoded.
    """
    try:
        with Image.open(io.BytesIO(picture), formats=PICTURE_FORMATS) as image:
            top = round(max(image.size) * _COMMON_STATUS_BAR)
            shown = image.convert("RGB").crop((0, top, *image.size))
    except _BROKEN as error:
        raise NotAPicture(str(error)) from error
    return blake2b(repr(shown.size).encode() + shown.tobytes(), digest_size=16).digest()


def picture_texts(observation: Observation, lines: Sequence[TextLine]) -> tuple[Element, ...]:
    """Lines of a screenshot as elements, numbered behind those of the UI tree.

    What the tree has words for is left out, as are the status bar, the keyboard, and what was read without
    certainty or is a single sign, digits of a keypad apart. Nothing tells which of them react to a tap: all
    are taken as if they did.
    """
    scale = observation.width / picture_size(observation.screenshot)[0]
    top = max(observation.width, observation.height) * _COMMON_STATUS_BAR
    bottom = observation.height * (KEYBOARD_TOP if observation.keyboard_shown else 1)
    most = _LARGEST_LABEL * observation.width * observation.height
    worded = (e for e in observation.elements if e.text or e.description or e.hint)
    labelled = [e.bounds for e in worded if e.bounds.area < most]
    elements: list[Element] = []
    for line in lines:
        text = " ".join(line.text.split())
        bounds = Bounds(*(round(edge * scale) for edge in line.bounds))
        x, y = bounds.centre
        is_key = len(text) == 1 and text.isdecimal()
        readable = line.score >= _LEAST_SCORE and (sum(map(str.isalnum, text)) > 1 or is_key)
        if readable and top <= y < bottom and not any(other.contains(x, y) for other in labelled):
            elements.append(
                Element(
                    index=len(observation.elements) + len(elements),
                    parent=-1,
                    class_name=PICTURE_TEXT,
                    bounds=bounds,
                    text=text,
                    package=observation.app.package,
                    clickable=True,
                )
            )
    return tuple(elements[:_MOST_LINES])

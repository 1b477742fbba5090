"""uiautomator2's server on the phone: JSON-RPC over HTTP, one request for each connection.

It never waits for the screen to rest, and answers with the texts of the real server. Sources: openatx/
android-uiautomator-server-jar `AutomatorHttpServer.java`, `AutomatorServiceImpl.java`, and for the windows in
which a selector is looked for `Selector.java`, `UiObject2.java`, `QueryController.java`; openatx/uiautomator2
`core.py`. The stand-in is written from the protocol; no line of either is copied.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import time
from collections.abc import Awaitable, Callable
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

from PIL.Image import Image

from assistant.simulator.adbd.backend import ByteReader
from assistant.simulator.android.profiles import ResidentFault
from assistant.simulator.android.services import Services
from assistant.simulator.surface import Surface

SWIPE_STEP_MILLISECONDS = 5
_LONGEST_BODY = 1 << 20
_KEYS = {
    "home": 3,
    "back": 4,
    "volume_up": 24,
    "volume_down": 25,
    "power": 26,
    "enter": 66,
    "delete": 67,
    "del": 67,
    "menu": 82,
    "recent": 187,
    "search": 84,
}
_EMPTY_TREE = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<hierarchy rotation=\"0\" />"
_NODE = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
_ATTRIBUTES = {
    "text": "text",
    "className": "class",
    "description": "content-desc",
    "packageName": "package",
    "resourceId": "resource-id",
}
# In the order of their bits in a selector's mask: a condition whose bit is missing does not count.
_CONDITIONS = (
    *("text", "textContains", "textMatches", "textStartsWith", "className", "classNameMatches"),
    *("description", "descriptionContains", "descriptionMatches", "descriptionStartsWith"),
    *("checkable", "checked", "clickable", "longClickable", "scrollable", "enabled", "focusable", "focused"),
    *(
        "selected",
        "packageName",
        "packageNameMatches",
        "resourceId",
        "resourceIdMatches",
        "index",
        "instance",
    ),
)
_INDEX, _INSTANCE = (1 << _CONDITIONS.index(name) for name in ("index", "instance"))
_FINDS_OF_UI_OBJECT = 16
"""How often `objInfo` looks for what a `UiSelector` selects: anew for each thing that it tells of it."""
_FLAGS = {
    "checkable": "checkable",
    "checked": "checked",
    "clickable": "clickable",
    "longClickable": "long-clickable",
    "scrollable": "scrollable",
    "enabled": "enabled",
    "focusable": "focusable",
    "focused": "focused",
    "selected": "selected",
}

Answer = Callable[[bytes], Awaitable[None]]
Method = Callable[..., Awaitable[Any]]


class RemoteError(Exception):
    """A Java exception that a method ends with; `kind` is its class."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(message or kind)
        self.kind = kind


class Uiautomator2Server:
    """Serves requests for one phone while its process runs."""

    def __init__(self, services: Services, surface: Surface) -> None:
        self._services = services
        self._surface = surface
        self._last_tree = ""
        self._last_window: ElementTree.Element | None = None
        self._configuration: dict[str, int] = {
            "actionAcknowledgmentTimeout": 3000,
            "keyInjectionDelay": 0,
            "scrollAcknowledgmentTimeout": 200,
            "waitForIdleTimeout": 0,
            "waitForSelectorTimeout": 0,
            "uiAutomationFlags": 0,
        }
        self._finger: tuple[float, float] | None = None
        self._finger_since = 0.0
        self._methods: dict[str, Method] = {
            "click": self._click,
            "swipe": self._swipe,
            "drag": self._swipe,
            "injectInputEvent": self._inject,
            "pressKey": self._press_key,
            "pressKeyCode": self._press_key_code,
            "dumpWindowHierarchy": self._dump,
            "takeScreenshot": self._screenshot,
            "setClipboard": self._set_clipboard,
            "getClipboard": self._get_clipboard,
            "pasteClipboard": self._paste,
            "clearInputText": self._clear_focused,
            "setText": self._set_text,
            "clearTextField": self._clear_field,
            "getText": self._get_text,
            "deviceInfo": self._device_info,
            "exist": self._exist,
            "count": self._count,
            "objInfo": self._object_info,
            "objInfoOfAllInstances": self._object_infos,
            "waitForExists": self._wait_for_exists,
            "waitUntilGone": self._wait_until_gone,
            "wakeUp": self._wake_up,
            "sleep": self._sleep,
            "openNotification": self._open_notification,
            "openQuickSettings": self._open_quick_settings,
            "getLastToast": self._last_toast,
            "clearLastToast": self._clear_toast,
            "getConfigurator": self._get_configurator,
            "setConfigurator": self._set_configurator,
        }

    async def serve(self, reader: ByteReader, write: Answer) -> None:
        """Answer one HTTP request."""
        head = (await reader.readline()).decode("latin-1").split()
        length = 0
        while (line := (await reader.readline()).strip()) and b":" in line:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        if length > _LONGEST_BODY:
            await write(_response("413 Payload Too Large", "text/plain", b""))
            return
        body = b""
        while len(body) < length and (piece := await reader.read(length - len(body))):
            body += piece
        match head:
            case ["GET", "/ping", *_]:
                await write(_response("200 OK", "text/plain", b"pong"))
            case ["POST", "/jsonrpc/0", *_]:
                answer = json.dumps(await self._call(body)).encode()
                await write(_response("200 OK", "application/json", answer))
            case _:
                await write(_response("404 Not Found", "text/plain", b"Not Found"))

    async def _call(self, body: bytes) -> dict[str, Any]:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": None}
        try:
            request = json.loads(body)
            answer["id"] = request.get("id")
            parameters = request.get("params") or []
            arguments = parameters if isinstance(parameters, list) else []
            method = self._methods.get(request["method"])
            if method is None:
                answer["error"] = {"code": -32601, "message": "method not found"}
                return answer
            answer["result"] = await method(*arguments)
        except RemoteError as error:
            answer["error"] = {"code": -32001, "message": error.kind, "data": str(error)}
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            answer["error"] = {"code": -32602, "message": "method parameters invalid", "data": str(error)}
        return answer

    async def _wait(self, operation: str) -> None:
        seconds = self._services.delays.of(f"u2 {operation}")
        if seconds > 0:
            await self._services.clock.sleep(seconds)

    def _allow_input(self) -> None:
        if self._services.quirks.input_denied:
            raise RemoteError(
                "java.lang.SecurityException",
                "Injecting input events requires the caller (or the source of the instrumentation, if any) "
                "to have the INJECT_EVENTS permission.",
            )

    async def _click(self, *arguments: Any) -> bool:
        if isinstance(arguments[0], dict):
            left, top, right, bottom = _bounds(self._require(arguments[0]))
            arguments = ((left + right) // 2, (top + bottom) // 2)
        self._allow_input()
        await self._wait("tap")
        x, y = float(arguments[0]), float(arguments[1])
        if not self._services.quirks.drop_input:
            if len(arguments) > 2:
                self._surface.hold(x, y, int(arguments[2]))
            else:
                self._surface.tap(x, y)
        return True

    async def _swipe(self, x1: float, y1: float, x2: float, y2: float, steps: int) -> bool:
        self._allow_input()
        await self._wait("tap")
        if not self._services.quirks.drop_input:
            self._surface.swipe(x1, y1, x2, y2, int(steps) * SWIPE_STEP_MILLISECONDS)
        return True

    async def _inject(self, action: int, x: float, y: float, meta: int = 0) -> bool:
        del meta
        self._allow_input()
        if action == 0:
            self._finger, self._finger_since = (x, y), self._services.clock.uptime()
        elif action == 1 and self._finger is not None:
            milliseconds = round((self._services.clock.uptime() - self._finger_since) * 1000)
            self._surface.swipe(*self._finger, x, y, milliseconds)
            self._finger = None
        return True

    async def _press_key(self, name: str) -> bool:
        code = _KEYS.get(name)
        if code is None:
            return False
        return await self._press_key_code(code)

    async def _press_key_code(self, code: int, meta: int = 0) -> bool:
        del meta
        self._allow_input()
        await self._wait("key")
        if not self._services.quirks.drop_input:
            self._surface.key(int(code))
        return True

    async def _dump(self, compressed: bool, depth: int = 50, root_in_active: bool = False) -> str:
        del compressed, depth
        fault = self._services.quirks.resident
        await self._wait("dump")
        if fault is ResidentFault.OLD and root_in_active:
            raise TypeError("dumpWindowHierarchy takes two parameters")
        if fault is ResidentFault.SLOW:
            await self._services.clock.sleep(3600)
        if fault is ResidentFault.EMPTY:
            return _EMPTY_TREE
        if fault is ResidentFault.STALE and self._last_tree:
            return self._last_tree
        printed = self._surface.dump(every=not root_in_active, resting=False)
        self._last_tree = _as_server_prints(printed, active=root_in_active)
        return self._last_tree

    async def _screenshot(self, scale: float = 1, quality: int = 80) -> str | None:
        del scale
        await self._wait("picture")
        began = time.perf_counter()
        encoded = await asyncio.to_thread(_jpeg, self._surface.render(), quality)
        self._services.delays.work["u2 picture"] = time.perf_counter() - began
        return encoded

    async def _set_clipboard(self, label: str | None, text: str) -> None:
        del label
        self._services.clipboard = text

    async def _get_clipboard(self) -> str | None:
        return self._services.clipboard or None

    async def _paste(self) -> bool:
        self._allow_input()
        await self._wait("key")
        if not self._services.quirks.drop_input and not self._services.quirks.takes_no_paste:
            self._surface.type_text(self._services.clipboard)
        return True

    async def _clear_focused(self) -> bool:
        self._allow_input()
        return self._surface.clear_text()

    async def _set_text(self, selector: dict[str, Any], text: str | None) -> bool:
        await self._focus(selector)
        self._surface.clear_text()
        return self._surface.type_text(text or "")

    async def _clear_field(self, selector: dict[str, Any]) -> None:
        await self._focus(selector)
        self._surface.clear_text()

    async def _focus(self, selector: dict[str, Any]) -> None:
        node = self._require(selector)
        if node.get("focused") != "true":
            left, top, right, bottom = _bounds(node)
            self._surface.tap((left + right) / 2, (top + bottom) / 2)

    async def _get_text(self, selector: dict[str, Any]) -> str:
        return self._require(selector).get("text", "")

    async def _device_info(self) -> dict[str, Any]:
        services, window = self._services, self._surface.resumed()
        picture = self._surface.render()
        density = services.display.density
        return {
            "currentPackageName": window.package,
            "displayWidth": picture.width,
            "displayHeight": picture.height,
            "displayRotation": services.display.rotation,
            "displaySizeDpX": picture.width * 160 // density,
            "displaySizeDpY": picture.height * 160 // density,
            "naturalOrientation": services.display.rotation == 0,
            "productName": services.profile.product,
            "screenOn": services.power.awake,
            "sdkInt": services.profile.level,
        }

    async def _exist(self, selector: dict[str, Any]) -> bool:
        await self._wait("find")
        looks_in_active = selector.get("childOrSibling") or selector.get("mask", 0) & _INDEX
        return bool(self._in_active(selector) if looks_in_active else self._anywhere(selector))

    async def _count(self, selector: dict[str, Any]) -> int:
        return len(self._in_active(selector))

    async def _object_info(self, selector: dict[str, Any]) -> dict[str, Any]:
        is_ui_object = selector.get("childOrSibling") or selector.get("mask", 0) & (_INDEX | _INSTANCE)
        for _ in range(_FINDS_OF_UI_OBJECT if is_ui_object else 1):
            await self._wait("find")
        return _information(self._require(selector))

    async def _object_infos(self, selector: dict[str, Any]) -> list[dict[str, Any]]:
        return [_information(node) for node in self._in_active(selector)]

    async def _wait_for_exists(self, selector: dict[str, Any], milliseconds: int) -> bool:
        return await self._wait_until(selector, milliseconds, present=True)

    async def _wait_until_gone(self, selector: dict[str, Any], milliseconds: int) -> bool:
        return await self._wait_until(selector, milliseconds, present=False)

    async def _wait_until(self, selector: dict[str, Any], milliseconds: int, *, present: bool) -> bool:
        clock = self._services.clock
        end = clock.uptime() + milliseconds / 1000
        while bool(self._anywhere(selector)) is not present:
            if clock.uptime() >= end:
                return False
            await clock.sleep(0.05)
        return True

    async def _wake_up(self) -> None:
        if not self._services.power.awake:
            self._surface.key(224)

    async def _sleep(self) -> None:
        if self._services.power.awake:
            self._surface.key(223)

    async def _open_notification(self) -> bool:
        self._surface.expand("notifications")
        return True

    async def _open_quick_settings(self) -> bool:
        self._surface.expand("settings")
        return True

    async def _last_toast(self) -> None:
        return None

    async def _clear_toast(self) -> None:
        return None

    async def _get_configurator(self) -> dict[str, int]:
        return dict(self._configuration)

    async def _set_configurator(self, values: dict[str, int]) -> dict[str, int]:
        self._configuration.update({key: int(value) for key, value in values.items()})
        return dict(self._configuration)

    def _in_active(self, selector: dict[str, Any]) -> list[ElementTree.Element]:
        """What a `UiSelector` selects: in the active window alone."""
        if "sibling" in selector.get("childOrSibling", ()):
            raise RemoteError("java.lang.UnsupportedOperationException", "sibling")
        nodes = [node for node in self._window().iter("node") if _fits(node, selector)]
        for child in selector.get("childOrSiblingSelector", ()):
            inner = [node for outer in nodes for node in outer.iter("node") if node is not outer]
            nodes = [node for node in dict.fromkeys(inner) if _fits(node, child)]
        instance = int(selector.get("instance", 0))
        return nodes[instance:] if instance else nodes

    def _anywhere(self, selector: dict[str, Any]) -> list[ElementTree.Element]:
        """What a `BySelector` selects: in all windows, the active one first."""
        roots = [self._window()]
        if self._services.quirks.resident is not ResidentFault.STALE_FINDS:
            roots.append(_parsed(self._surface.dump(every=True, resting=False)))
        return [node for root in roots for node in root.iter("node") if _fits(node, selector)]

    def _window(self) -> ElementTree.Element:
        """The active window as finds see it, whose cache may be old."""
        if self._services.quirks.resident is ResidentFault.STALE_FINDS and self._last_window is not None:
            return self._last_window
        self._last_window = _parsed(self._surface.dump(resting=False))
        return self._last_window

    def _require(self, selector: dict[str, Any]) -> ElementTree.Element:
        is_plain = not selector.get("childOrSibling") and not selector.get("mask", 0) & (_INDEX | _INSTANCE)
        nodes = self._anywhere(selector) if is_plain else self._in_active(selector)
        if not nodes:
            raise RemoteError("androidx.test.uiautomator.UiObjectNotFoundException", str(selector))
        return nodes[0]


def _response(status: str, kind: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: keep-alive\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def _jpeg(picture: Image, quality: int) -> str:
    buffer = io.BytesIO()
    picture.convert("RGB").save(buffer, "JPEG", quality=quality)
    return base64.b64encode(buffer.getvalue()).decode()


def _parsed(printed: bytes) -> ElementTree.Element:
    builder = ElementTree.TreeBuilder()
    parser = expat.ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.Parse(printed, True)
    return builder.close()


def _as_server_prints(printed: bytes, *, active: bool) -> str:
    """The dumped document with the attributes that the server adds, indented; all windows in one root."""
    document = _parsed(printed)
    if active:
        root = document
    else:
        hierarchies = list(document.iter("hierarchy"))
        root = ElementTree.Element("hierarchy", {"rotation": hierarchies[0].get("rotation", "0")})
        for hierarchy in hierarchies:
            root.extend(hierarchy)
    for place, node in enumerate(root.iter("node")):
        node.attrib.pop("NAF", None)
        node.set("visible-to-user", "true")
        node.set("drawing-order", str(place))
        node.attrib.setdefault("hint", "")
        node.set("display-id", "0")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n{text}"


def _fits(node: ElementTree.Element, selector: dict[str, Any]) -> bool:
    counted = {name for place, name in enumerate(_CONDITIONS) if selector.get("mask", 0) >> place & 1}
    for field, expected in selector.items():
        if field not in counted:
            continue
        base = re.sub(r"(Contains|Matches|StartsWith)$", "", field)
        if base in _ATTRIBUTES and not _text_fits(node.get(_ATTRIBUTES[base], ""), field, str(expected)):
            return False
        if field in _FLAGS and (node.get(_FLAGS[field]) == "true") is not bool(expected):
            return False
    return True


def _text_fits(value: str, field: str, expected: str) -> bool:
    if field.endswith("Contains"):
        return expected in value
    if field.endswith("StartsWith"):
        return value.startswith(expected)
    if field.endswith("Matches"):
        return re.fullmatch(expected, value) is not None
    return value == expected


def _bounds(node: ElementTree.Element) -> tuple[int, int, int, int]:
    match = _NODE.fullmatch(node.get("bounds", ""))
    if match is None:
        raise RemoteError("java.lang.IllegalStateException", "no bounds")
    left, top, right, bottom = map(int, match.groups())
    return left, top, right, bottom


def _information(node: ElementTree.Element) -> dict[str, Any]:
    left, top, right, bottom = _bounds(node)
    bounds = {"left": left, "top": top, "right": right, "bottom": bottom}
    flags = {field: node.get(attribute) == "true" for field, attribute in _FLAGS.items()}
    return {
        **flags,
        "bounds": bounds,
        "visibleBounds": bounds,
        "childCount": len(node),
        "className": node.get("class", ""),
        "contentDescription": node.get("content-desc", ""),
        "packageName": node.get("package", ""),
        "resourceName": node.get("resource-id", ""),
        "text": node.get("text", ""),
    }

"""Drawing nodes: surfaces, pictures, marks, icons and text, in the theme's colours."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.records import Bounds
from assistant.simulator.ui.canvas import Canvas
from assistant.simulator.ui.content import ICON_GAP, badge_size, icon_size
from assistant.simulator.ui.layout import Placed, aligned
from assistant.simulator.ui.metrics import Screen, control, kind, padding, text_align
from assistant.simulator.ui.nodes import Align, Node, TextField
from assistant.simulator.ui.pictures import picture
from assistant.simulator.ui.text import line_height, line_width
from assistant.simulator.ui.theme import Colour, Theme, adapted, ink_on, luminance, mix, rgb

_RADII = {"Button": 20, "EditText": 8}
LEAST_CONTRAST = 0.42
"""A text colour closer than this to its background, in luminance, is replaced on the dark theme."""


@dataclass(frozen=True, slots=True)
class Painter:
    """Draws placed nodes of one screen. `turning` is the frame number of spinning wheels."""

    screen: Screen
    theme: Theme
    focused: TextField | None
    turning: int

    def paint(self, canvas: Canvas, placed: Placed, background: Colour) -> None:
        """Draw a node and its children over a background of a colour."""
        if not placed.seen.area or not canvas.sees(placed.seen):
            return
        background = self._surface(canvas, placed, background)
        self._content(canvas, placed, background)
        spills = any(self._outside(child.box, placed.box) for child in placed.children)
        if spills:
            with canvas.clipped(placed.seen) as inner:
                for child in placed.children:
                    self.paint(inner, child, background)
        else:
            for child in placed.children:
                self.paint(canvas, child, background)
        self._scroll_bar(canvas, placed)

    @staticmethod
    def _outside(box: Bounds, parent: Bounds) -> bool:
        return (
            box.left < parent.left
            or box.top < parent.top
            or box.right > parent.right
            or box.bottom > parent.bottom
        )

    def _colour(self, value: str) -> Colour:
        return adapted(rgb(value), self.theme.dark)

    def _surface(self, canvas: Canvas, placed: Placed, background: Colour) -> Colour:
        """Fill and border; the colour that then lies under the content."""
        node, style = placed.node, placed.node.style
        radius = self.screen.px(style.radius or _RADII.get(kind(node), 0))
        if style.picture:
            drawn = picture(style.picture, placed.box.width, placed.box.height)
            canvas.picture(drawn, placed.box, radius)
        fill = self._fill(node, background)
        if fill is not None:
            canvas.fill(placed.box, fill, radius)
            background = fill
        focused = node.field is not None and node.field is self.focused
        if focused or style.border:
            line = self.theme.accent if focused else self._colour(style.border)
            canvas.outline(placed.box, line, radius, max(1, self.screen.px(2 if focused else 1)))
        return background

    def _fill(self, node: Node, background: Colour) -> Colour | None:
        style = node.style
        if style.background:
            fill = self._colour(style.background)
            return mix(fill, background, 0.0 if node.enabled else 0.4)
        if style.border or style.color:
            return None
        if node.field is not None:
            return self.theme.field
        if kind(node) == "Button" and node.text:
            return self.theme.tonal if luminance(background) > 0.3 or self.theme.dark else None
        return None

    def _ink(self, node: Node, background: Colour) -> Colour:
        """The colour of a node's text and icon."""
        if node.field is not None and not node.field.value:
            return mix(ink_on(background), background, 0.45)
        if not node.style.color:
            ink = ink_on(background)
        else:
            ink = rgb(node.style.color)
            if self.theme.dark and abs(luminance(ink) - luminance(background)) < LEAST_CONTRAST:
                ink = mix(ink, ink_on(background), 0.6)
        return ink if node.enabled else mix(ink, background, 0.55)

    def _content(self, canvas: Canvas, placed: Placed, background: Colour) -> None:
        node, screen = placed.node, self.screen
        across, along = padding(node)
        box = placed.box
        inner = Bounds(
            box.left + screen.px(across),
            box.top + screen.px(along),
            box.right - screen.px(across),
            box.bottom - screen.px(along),
        )
        match kind(node):
            case "ProgressBar" if not node.text:
                if not node.children:
                    self._wheel(canvas, inner)
                return
            case "SeekBar":
                self._track(canvas, inner)
                return
        ink = self._ink(node, background)
        if node.style.above:
            self._stacked(canvas, placed, inner, ink, background)
        else:
            self._line(canvas, placed, inner, ink, background)

    def _badge(
        self, canvas: Canvas, node: Node, left: int, top: int, ink: Colour, background: Colour
    ) -> None:
        """The icon, on its disc where it has one."""
        side, disc = icon_size(node, self.screen), badge_size(node, self.screen)
        if node.style.badge:
            fill = rgb(node.style.badge)
            canvas.fill(Bounds(left, top, left + disc, top + disc), fill, round(disc * 0.32))
            ink = (255, 255, 255) if luminance(fill) < 0.8 else ink_on(fill)
        inset = (disc - side) // 2
        canvas.icon(node.style.icon, left + inset, top + inset, side, ink)

    def _stacked(
        self, canvas: Canvas, placed: Placed, inner: Bounds, ink: Colour, background: Colour
    ) -> None:
        node = placed.node
        disc = badge_size(node, self.screen) if node.style.icon else 0
        size = self.screen.sp(node.style.size)
        gap = self.screen.px(6) if placed.lines and disc else 0
        height = disc + gap + len(placed.lines) * line_height(size)
        top = aligned(Align.CENTER, inner.top, inner.height, height)
        if disc:
            left = aligned(node.style.align, inner.left, inner.width, disc)
            self._badge(canvas, node, left, top, ink, background)
        self._words(canvas, placed, Bounds(inner.left, top + disc + gap, inner.right, inner.bottom), ink)

    def _words(self, canvas: Canvas, placed: Placed, room: Bounds, ink: Colour) -> None:
        style = placed.node.style
        size = self.screen.sp(style.size)
        top = room.top
        for line in placed.lines:
            width = round(line_width(line, size, style.bold))
            left = aligned(text_align(placed.node), room.left, room.width, width)
            canvas.text(line, left, top, size, ink, bold=style.bold)
            top += line_height(size)

    def _line(self, canvas: Canvas, placed: Placed, inner: Bounds, ink: Colour, background: Colour) -> None:
        """Icon, text and mark side by side, centred on the line."""
        node, screen, style = placed.node, self.screen, placed.node.style
        gap = screen.px(ICON_GAP)
        left, right = inner.left, inner.right
        size = screen.sp(style.size)
        height = len(placed.lines) * line_height(size)
        widest = max((round(line_width(line, size, style.bold)) for line in placed.lines), default=0)
        disc = badge_size(node, screen)
        mark = control(node)
        if mark is not None:
            side = screen.px(mark[0])
            at_end = kind(node) == "Switch" and placed.lines
            start = right - side if at_end else (left if placed.lines else left + (inner.width - side) // 2)
            self._mark(canvas, node, start, inner, background)
            left, right = (left, right - side - gap) if at_end else (left + side + gap, right)
        if style.icon:
            room = disc + (gap + widest if placed.lines else 0)
            centred = text_align(node) if placed.lines else Align.CENTER
            left = aligned(centred, left, right - left, room)
            top = aligned(Align.CENTER, inner.top, inner.height, disc)
            self._badge(canvas, node, left, top, ink, background)
            left += disc + gap
            if text_align(node) is not Align.START:
                right = left + widest
        if placed.lines:
            top = aligned(Align.CENTER, inner.top, inner.height, height)
            self._words(canvas, placed, Bounds(left, top, max(left, right), inner.bottom), ink)
        if node.field is not None and node.field is self.focused:
            self._cursor(canvas, placed, left, inner)

    def _cursor(self, canvas: Canvas, placed: Placed, left: int, inner: Bounds) -> None:
        node = placed.node
        size = self.screen.sp(node.style.size)
        height = line_height(size)
        last = placed.lines[-1] if placed.lines and node.field and node.field.value else ""
        x = left + round(line_width(last, size, node.style.bold)) + 2
        rows = max(1, len(placed.lines))
        top = aligned(Align.CENTER, inner.top, inner.height, rows * height) + (rows - 1) * height
        box = Bounds(x, top + height // 8, x + max(2, self.screen.px(1.5)), top + height - height // 8)
        canvas.fill(box, self.theme.accent)

    def _mark(self, canvas: Canvas, node: Node, left: int, inner: Bounds, background: Colour) -> None:
        """A switch, check box or radio button."""
        size = control(node) or (0.0, 0.0)
        width, height = self.screen.px(size[0]), self.screen.px(size[1])
        top = aligned(Align.CENTER, inner.top, inner.height, height)
        box = Bounds(left, top, left + width, top + height)
        on = bool(node.checked)
        colour = self.theme.accent if on else mix(ink_on(background), background, 0.45)
        if not node.enabled:
            colour = mix(colour, background, 0.5)
        border = max(2, self.screen.px(2))
        match kind(node):
            case "Switch":
                canvas.fill(box, colour if on else mix(colour, background, 0.6), height // 2)
                knob, edge = round(height * 0.72), round(height * 0.14)
                x = box.right - knob - edge if on else box.left + edge
                disc = Bounds(x, top + edge, x + knob, top + edge + knob)
                canvas.fill(disc, (255, 255, 255), knob // 2)
            case "RadioButton":
                canvas.outline(box, colour, height // 2, border)
                if on:
                    inset = height // 4
                    dot = Bounds(left + inset, top + inset, box.right - inset, box.bottom - inset)
                    canvas.fill(dot, colour, dot.width // 2)
            case _:
                radius = self.screen.px(4)
                if on:
                    canvas.fill(box, colour, radius)
                    canvas.icon("check", left, top, width, ink_on(colour))
                else:
                    canvas.outline(box, colour, radius, border)

    def _wheel(self, canvas: Canvas, inner: Bounds) -> None:
        side = min(inner.width, inner.height, self.screen.px(44))
        left = aligned(Align.CENTER, inner.left, inner.width, side)
        top = aligned(Align.CENTER, inner.top, inner.height, side)
        start = self.turning * 36 % 360
        box = Bounds(left, top, left + side, top + side)
        canvas.arc(box, start, start + 270, self.theme.accent, max(2, self.screen.px(4)))

    def _track(self, canvas: Canvas, inner: Bounds) -> None:
        middle, thick = (inner.top + inner.bottom) // 2, self.screen.px(2)
        thumb = self.screen.px(9)
        x = (inner.left + inner.right) // 2
        canvas.fill(Bounds(inner.left, middle - thick, inner.right, middle + thick), self.theme.line, thick)
        canvas.fill(Bounds(inner.left, middle - thick, x, middle + thick), self.theme.accent, thick)
        canvas.fill(Bounds(x - thumb, middle - thumb, x + thumb, middle + thumb), self.theme.accent, thumb)

    def _scroll_bar(self, canvas: Canvas, placed: Placed) -> None:
        scroll, box = placed.node.scroll, placed.seen
        if scroll is None or scroll.limit <= 0 or placed.node.sideways or box.height < self.screen.px(60):
            return
        content = box.height + scroll.limit * self.screen.scale
        length = max(self.screen.px(24), round(box.height * box.height / content))
        top = box.top + round((box.height - length) * scroll.offset / scroll.limit)
        thick = max(2, self.screen.px(3))
        canvas.fill(
            Bounds(box.right - 2 * thick, top, box.right - thick, top + length), self.theme.line, thick
        )

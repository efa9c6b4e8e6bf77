"""Plots as SVG, drawn from numbers alone: the same numbers, the same bytes.

A picture has a ground of its own and follows the reader's choice of light or dark. Every mark has a title, which a browser
shows under the pointer and a screen reader says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

IMAGES = Path(__file__).parents[1] / "docs" / "images"
STYLE = """.ground { fill: #fff } text { font: 11px system-ui, sans-serif; fill: #333 } .bold { font-weight: bold }
.faint { fill: #767676 } .grid { stroke: #ddd } .one { stroke: #333 }
@media (prefers-color-scheme: dark) { .ground { fill: #1c1f24 } text { fill: #ddd } .faint { fill: #9aa1aa }
.grid { stroke: #3d434b } .one { stroke: #ccc } }"""
# Told apart by people who do not see some colours as well, each with a shape of its own.
COLOURS = ("#d1344b", "#0072b2", "#009e73", "#c77700", "#8b5fbf", "#7d7d7d", "#3a9bd9", "#a0785a")
SHAPES = ("circle", "square", "triangle", "diamond", "cross", "circle", "square", "triangle")
_CROSS = (
    *((-1.2, -0.4), (-0.4, -0.4), (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4)),
    *((1.2, 0.4), (0.4, 0.4), (0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4)),
)


@dataclass(frozen=True)
class Axis:
    """From values to places along a length; what lies beyond the limits is drawn at the end."""

    low: float
    high: float
    is_log: bool = False

    def place(self, value: float, length: float) -> float:
        low, high, at = (self._scaled(one) for one in (self.low, self.high, min(max(value, self.low), self.high)))
        return length * (at - low) / (high - low)

    def ticks(self) -> list[float]:
        """At most six round numbers within the limits: powers of ten, or steps of 1, 2 or 5 times one."""
        if self.is_log:
            first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
            step = max(1, math.ceil((last - first) / 5))
            return [10.0**power for power in range(first, last + 1, step)]
        rough = (self.high - self.low) / 5
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough)
        return [round(step * number, 10) for number in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]

    def _scaled(self, value: float) -> float:
        return math.log10(max(value, 1e-12)) if self.is_log else value


@dataclass
class Picture:
    """A drawing with a title, to which panels and marks are added."""

    title: str
    width: float
    height: float
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, *, anchor: str = "start", kind: str = "") -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{escape(words)}</text>')

    def line(self, x: float, y: float, to_x: float, to_y: float, *, kind: str = "grid", colour: str = "") -> None:
        stroke = f' style="stroke: {colour}; stroke-width: 1.6"' if colour else ""
        self.parts.append(f'<line class="{kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"{stroke}/>')

    def mark(self, x: float, y: float, about: str, *, colour: str, shape: str = "circle", size: float = 4.0) -> None:
        points = {
            "square": [(-1, -1), (1, -1), (1, 1), (-1, 1)],
            "triangle": [(0, -1.2), (1.1, 0.9), (-1.1, 0.9)],
            "diamond": [(0, -1.4), (1.2, 0), (0, 1.4), (-1.2, 0)],
            "cross": list(_CROSS),
        }
        if shape == "circle":
            drawn = f'circle cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"'
            closing = "circle"
        else:
            places = " ".join(f"{x + size * dx:.1f},{y + size * dy:.1f}" for dx, dy in points[shape])
            drawn, closing = f'polygon points="{places}"', "polygon"
        self.parts.append(f'<{drawn} fill="{colour}" fill-opacity="0.85"><title>{escape(about)}</title></{closing}>')

    def path(self, places: Sequence[tuple[float, float]], colour: str) -> None:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')

    def legend(self, names: Sequence[str], y: float, *, left: float = 10.0, step: float = 120.0) -> None:
        """Names beside the colours and shapes that stand for them, in their order."""
        for number, name in enumerate(names):
            x = left + step * number
            self.mark(x, y, name, colour=COLOURS[number], shape=SHAPES[number])
            self.text(x + 9, y + 4, name)

    def svg(self) -> str:
        """The whole file."""
        named = escape(self.title, {'"': "&quot;"})
        head = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-label="{named}">',
            f'<title>{named}</title><style>{STYLE}</style><rect class="ground" width="100%" height="100%" rx="6"/>',
            f'<text x="10" y="18" class="bold">{named}</text>',
        ]
        return "\n".join([*head, *self.parts, "</svg>"]) + "\n"

    def save(self, name: str, folder: Path = IMAGES) -> None:
        (folder / name).write_text(self.svg(), "utf-8")


@dataclass(frozen=True)
class Panel:
    """A plot within a picture: an axis each way, and marks at values."""

    picture: Picture
    left: float
    top: float
    width: float
    height: float
    across: Axis
    up: Axis

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.left + self.across.place(x, self.width), self.top + self.height - self.up.place(y, self.height)

    def frame(self, title: str, *, with_numbers: bool = True) -> None:
        """Grid lines with their numbers, and the title above."""
        bottom = self.top + self.height
        for tick in self.across.ticks():
            x = self.at(tick, self.up.low)[0]
            self.picture.line(x, self.top, x, bottom)
            if with_numbers:
                self.picture.text(x, bottom + 14, written(tick), anchor="middle", kind="faint")
        for tick in self.up.ticks():
            y = self.at(self.across.low, tick)[1]
            self.picture.line(self.left, y, self.left + self.width, y)
            if with_numbers:
                self.picture.text(self.left - 5, y + 4, written(tick), anchor="end", kind="faint")
        self.picture.text(self.left, self.top - 6, title, kind="bold")

    def mark(self, x: float, y: float, about: str, number: int, *, size: float = 4.0) -> None:
        self.picture.mark(*self.at(x, y), about, colour=COLOURS[number], shape=SHAPES[number], size=size)

    def path(self, points: Sequence[tuple[float, float]], number: int) -> None:
        self.picture.path([self.at(x, y) for x, y in points], COLOURS[number])


def written(value: float) -> str:
    """A number as an axis has it: 0.01, 20, 1,000, 10⁶."""
    if value and (abs(value) >= 1e5 or abs(value) < 1e-3):
        power = str(round(math.log10(abs(value)))).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        return f"10{power}"
    return f"{value:,g}"


def spanning(values: Sequence[float], *, is_log: bool = False) -> Axis:
    """An axis with all the values and a little room at both ends."""
    low, high = min(values), max(values)
    if is_log:
        return Axis(low / 1.5, high * 1.5, is_log=True)
    room = 0.08 * (high - low) or 1.0
    return Axis(low - room, high + room)

"""The pictures of what a fit costs as graphs grow: slopes with their intervals, and quality over seconds beside others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import at_sizes
import growth
from drawing import COLOURS, SHAPES, Axis, Panel, Picture, spanning

ROW = 22
SHORT = {  # names beside marks
    "Cleora with features, 3 steps": "Cleora+",
    "FastRP with features": "FastRP+",
    "SCE(features='structure')": "structure",
    "SCE(channels='smoothed')": "smoothed",
    "RandomProjection, 128 columns": "RandomProjection",
    "Spectral, 32 columns": "Spectral",
    "GSVD, 32 columns": "GSVD",
    "LouvainEmbedding": "Louvain",
    "Node2Vec, pecanpy": "pecanpy",
    "Node2Vec, NetworKit": "NetworKit",
    "Node2Vec, GRAPE, 1 epoch": "GRAPE",
    "LINE, GRAPE": "LINE",
    "Laplacian, NetworKit": "Laplacian",
}
KINDS = ("sparsecut", "others, features and edges", "others, edges alone", "on a GPU, clock")


def growth_slopes(results: Mapping[str, dict[str, Any]]) -> Picture:
    """A row for every size that grows and every class of graphs: the slope over the last decade of time and of memory."""
    rows = []
    if "growth" in results:
        rows += [(f"{row[0]} grow", row) for row in growth.tables_of(results["growth"]["points"])[0]["rows"]]
    if "growth_structure" in results:
        rows += [(f"{row[0]}", row) for row in growth.family_tables_of(results["growth_structure"]["points"])[0]["rows"]]
    picture = Picture(
        "Slopes of a fit in a log-log plot, over all points and over the last decade", 640, 100 + ROW * len(rows)
    )
    picture.legend(["all points, 95 % interval", "last decade, interval of its fits"], 40, left=150, step=190)
    for place, (what, first) in enumerate({"time": 3, "memory": 8}.items()):
        panel = Panel(picture, 150 + 245 * place, 74, 220, ROW * len(rows), Axis(-0.2, 1.6), Axis(0, 1))
        picture.text(panel.left, panel.top - 8, what, kind="bold")
        for tick in (0, 0.5, 1, 1.5):
            x = panel.at(tick, 0)[0]
            picture.line(x, panel.top, x, panel.top + panel.height, kind="one" if tick == 1 else "grid")
            picture.text(x, panel.top + panel.height + 16, f"{tick:g}", anchor="middle", kind="faint")
        for number, (name, row) in enumerate(rows):
            y = panel.top + ROW * (number + 0.35)
            every, half, last = row[first : first + 3]
            ends = (row[first + 3], row[first + 4]) if what == "time" else (last, last)
            for at, (value, low, high) in enumerate(((every, every - half, every + half), (last, *ends))):
                beside = y + 8 * at
                picture.line(panel.at(low, 0)[0], beside, panel.at(high, 0)[0], beside, colour=COLOURS[at])
                about = f"{name}: {what} {value:.2f} ({low:.2f} to {high:.2f})"
                picture.mark(panel.at(value, 0)[0], beside, about, colour=COLOURS[at], shape=SHAPES[at], size=3)
    for number, (name, _) in enumerate(rows):
        picture.text(10, 74 + ROW * (number + 0.7), name)
    return picture


def quality_over_seconds(points: Mapping[str, Any], on_cuda: Mapping[str, Any]) -> Picture:
    """A panel per graph: to the left is quicker, higher is better."""
    wide, high, gap = 330, 300, 56
    graphs = [name for name in at_sizes.GRAPHS if any(key.startswith(f"{name}, ") for key in points)]
    picture = Picture(
        "Accuracy in percent over the seconds of a fit, 20 labels per class", gap + len(graphs) * (wide + gap), 420
    )
    picture.legend(KINDS, 40, step=190)
    for place, name in enumerate(graphs):
        marks = [
            *((method, _kind(method), point, min(point["processor_seconds"])) for method, point in _of(points, name)),
            *((f"{method}, GPU", 3, point, min(point["seconds"])) for method, point in _of(on_cuda, name)),
        ]
        across = spanning([seconds for *_, seconds in marks], is_log=True)
        up = spanning([point["accuracy"] for _, _, point, _ in marks])
        panel = Panel(picture, gap + place * (wide + gap), 84, wide, high, across, up)
        panel.frame(name)
        taken: list[tuple[float, float]] = []
        for method, kind, point, seconds in sorted(marks, key=lambda mark: -mark[2]["accuracy"]):
            shown = SHORT.get(method, at_sizes.named(method))
            about = f"{name}, {at_sizes.named(method)}: {point['accuracy']:.1f} % in {seconds:.2g} s"
            panel.mark(seconds, point["accuracy"], about, kind, size=6 if method == at_sizes.OURS else 4)
            x, y = panel.at(seconds, point["accuracy"])
            is_right = x > panel.left + 0.7 * wide
            start = x - 7 - 6 * len(shown) if is_right else x + 7
            while any(abs(y - other) < 11 and abs(start - left) < 80 for left, other in taken):
                y += 4  # below what is written there already
            taken.append((start, y))
            picture.text(x - 7 if is_right else start, y + 4, shown, anchor="end" if is_right else "start")
    return picture


def _of(points: Mapping[str, Any], name: str) -> list[tuple[str, Any]]:
    """The methods that have an accuracy on a graph."""
    start = f"{name}, "
    return [(key[len(start) :], point) for key, point in points.items() if key.startswith(start) and "accuracy" in point]


def _kind(method: str) -> int:
    if at_sizes.ALL[method].runs == "sparsecut":
        return 0
    return 1 if at_sizes.ALL[method].reads == at_sizes.ALL[at_sizes.OURS].reads else 2

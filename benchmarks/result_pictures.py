"""The pictures of docs/beyond.md, docs/performance.md and the summary, from the committed results.

    python benchmarks/result_pictures.py

accuracy_seconds.svg   accuracy over the seconds of a fit, all methods, a panel per graph
regret.svg             the default less the best other method, with its interval, per graph
wins.svg               the default against each method and graph: ahead, level or behind
growth.svg             seconds over the size of the graph, on a CPU, from disk and on a GPU
growth_slopes.svg      the slopes of time and memory with their intervals, per size that grows and class of graphs
at_sizes.svg           accuracy over seconds beside what people use today, at three sizes
updates.svg            changes per second over how many come at once

Those of cuts, of a GPU and of a cluster are in `engine_pictures.py`, that of links in `link_pictures.py`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import beyond
from at_sizes import NAME as AT_SIZES
from at_sizes import ON_CUDA
from drawing import COLOURS, SHAPES, Axis, Panel, Picture, spanning, written
from engine_pictures import one_cluster, one_gpu, sparsest_cuts
from link_pictures import link_calibration
from size_pictures import growth_slopes, quality_over_seconds
from sparsecut.evaluation import Scores, compare_scores
from sparsecut.evaluation.paired import Comparison
from sparsecut.lab.paper.results import Cell, Results

RESULTS = Path(__file__).parent / "results"
GROWN = {"memory": "growth", "disk, 1 GiB": "growth_disk", "GPU": "growth_cuda"}  # engine: its file of results
SLOPES = ("growth", "growth_structure")
PROBE, PER_CLASS = "paper", "20"
DRAWN = ("default", "SCE", "MoSCE", "DGI", "smoothed", "raw", "PCA", "structure")  # in the order of the colours
NAMES = {"default": "SCE()", "SCE": "SCE, paper's", "MoSCE": "MoSCE, paper's"}
COLOUR_OF = {"ahead": "#0072b2", "level": "#8a8a8a", "behind": "#d1344b"}


def accuracy_over_seconds(cells: Sequence[Cell]) -> Picture:
    """A panel per graph: to the left is quicker, higher is better."""
    wide, high, gap = 190, 120, 60
    graphs = [name for name in beyond.COLUMNS if any(cell["dataset"] == name for cell in cells)]
    picture = Picture(
        "Accuracy in percent over the seconds of a fit; 20 labels per class, the paper's probe",
        gap + 5 * (wide + gap),
        80 + math.ceil(len(graphs) / 5) * (high + gap),
    )
    picture.legend([NAMES.get(name, name) for name in DRAWN], 40, step=130)
    for place, graph in enumerate(graphs):
        found = {cell["method"]: cell for cell in cells if cell["dataset"] == graph and cell["method"] in DRAWN}
        points = {name: (max(cell["seconds"], 1e-3), _accuracy(cell)["mean"]) for name, cell in found.items()}
        across = spanning([seconds for seconds, _ in points.values()], is_log=True)
        up = spanning([accuracy for _, accuracy in points.values()])
        left, top = gap + place % 5 * (wide + gap), 84 + place // 5 * (high + gap)
        panel = Panel(picture, left, top, wide, high, across, up)
        panel.frame(graph)
        for name in reversed(DRAWN):
            if name in points:
                seconds, accuracy = points[name]
                about = f"{graph}, {NAMES.get(name, name)}: {accuracy:.1f} % in {seconds:.2g} s"
                panel.mark(seconds, accuracy, about, DRAWN.index(name), size=6 if name == "default" else 4)
    return picture


def regret(cells: Sequence[Cell]) -> Picture:
    """Per graph, for each probe and number of labels, how far the default is from the best of all others."""
    scored = [(probe, str(count)) for probe in beyond.PROBES for count in beyond.LABEL_COUNTS]
    by_graph = _by_graph(cells)
    left, wide, row = 140, 520, 42
    picture = Picture(
        "SCE() minus the best other method of each graph, in points of accuracy, with its 95 % interval",
        left + wide + 30,
        90 + row * len(by_graph),
    )
    picture.legend([f"{probe} probe, {count} labels" for probe, count in scored], 40, step=160)
    panel = Panel(picture, left, 66, wide, row * len(by_graph), Axis(-6, 7), Axis(0, 1))
    for tick in (-6, -4, -2, 0, 2, 4, 6):
        x = panel.at(tick, 0)[0]
        picture.line(x, panel.top, x, panel.top + panel.height, kind="one" if tick == 0 else "grid")
        picture.text(x, panel.top + panel.height + 16, f"{tick:+d}" if tick else "0", anchor="middle", kind="faint")
    for place, (graph, found) in enumerate(by_graph.items()):
        picture.text(10, panel.top + row * (place + 0.6), graph)
        for number, at in enumerate(scored):
            rivals = {name: cell for name, cell in found.items() if name in beyond.RIVALS}
            rival = max(rivals, key=lambda name: rivals[name]["accuracy"][at[0]][at[1]]["mean"])
            compared = _compare(found["default"], rivals[rival], *at)
            y = panel.top + row * place + 8 * (number + 1)
            ends = [panel.at(end, 0)[0] for end in compared.interval]
            about = f"{graph}, {at[0]} probe, {at[1]} labels: {compared.mean_difference:+.2f} to {rival}"
            picture.line(ends[0], y, ends[1], y, colour=COLOURS[number])
            picture.mark(
                panel.at(compared.mean_difference, 0)[0], y, about, colour=COLOURS[number], shape=SHAPES[number], size=3
            )
    return picture


def wins(cells: Sequence[Cell]) -> Picture:
    """A square per graph and method: the difference, and whether its interval has zero within."""
    by_graph, rivals = _by_graph(cells), list(beyond.RIVALS)
    left, wide, row = 140, 104, 24
    picture = Picture(
        "SCE() minus each other method, in points of accuracy (20 labels per class, the paper's probe)",
        left + wide * len(rivals) + 10,
        74 + row * len(by_graph),
    )
    x = left + 8
    for name, words in {"ahead": "ahead", "behind": "behind", "level": "level: the 95 % interval contains zero"}.items():
        picture.mark(x, 38, words, colour=COLOUR_OF[name], shape="square", size=5)
        picture.text(x + 10, 42, words)
        x += 100
    for at, rival in enumerate(rivals):
        picture.text(left + wide * (at + 0.5), 62, rival, anchor="middle", kind="bold")
    for place, (graph, found) in enumerate(by_graph.items()):
        y = 68 + row * place
        picture.text(10, y + 16, graph)
        for at, rival in enumerate(rivals):
            if rival not in found:
                picture.text(left + wide * (at + 0.5), y + 16, "–", anchor="middle", kind="faint")
                continue
            compared = _compare(found["default"], found[rival], PROBE, PER_CLASS)
            low, high = compared.interval
            colour = _colour_of(compared)
            about = f"{graph}: SCE() minus {rival} {compared.mean_difference:+.2f} ({low:+.2f} to {high:+.2f})"
            picture.parts.append(
                f'<rect x="{left + wide * at + 2}" y="{y + 2}" width="{wide - 4}" height="{row - 4}" rx="3" fill="{colour}">'
                f"<title>{about}</title></rect>"
                f'<text x="{left + wide * (at + 0.5):.1f}" y="{y + 16}" text-anchor="middle" style="fill: #fff">'
                f"{compared.mean_difference:+.1f}</text>"
            )
    return picture


def count_wins(cells: Sequence[Cell]) -> dict[str, int]:
    """How many squares `wins` has, and how many of each colour."""
    drawn = "".join(wins(cells).parts)
    counts = {f"n_{name}": drawn.count(f'rx="3" fill="{colour}"') for name, colour in COLOUR_OF.items()}
    return {"n_compared": sum(counts.values()), **counts}


def growth(results: Mapping[str, dict[str, Any]]) -> Picture:
    """Seconds as one size of the graph grows and the others stay, by engine."""
    kinds, wide, high, gap = ("nodes", "edges", "features"), 250, 210, 70
    picture = Picture("Seconds of a fit as the graph grows (the other sizes stay)", gap + 3 * (wide + gap), high + 130)
    picture.legend(list(results), 40, step=150)
    for place, kind in enumerate(kinds):
        lines = {}
        for engine, result in results.items():
            table = next(table for table in result["tables"] if "seconds" in table["columns"])
            column = {name: number for number, name in enumerate(table["columns"])}
            rows = [row for row in table["rows"] if row[column["what grows"]] == kind]
            lines[engine] = sorted((float(row[column[kind]]), float(row[column["seconds"]])) for row in rows)
        points = [point for line in lines.values() for point in line]
        if not points:
            continue
        across = spanning([x for x, _ in points], is_log=True)
        up = spanning([y for _, y in points], is_log=True)
        panel = Panel(picture, gap + place * (wide + gap), 84, wide, high, across, up)
        panel.frame(f"{kind} (seconds upwards)")
        for number, (engine, line) in enumerate(lines.items()):
            panel.path(line, number)
            for x, y in line:
                panel.mark(x, y, f"{engine}: {x:,.0f} {kind}, {y:.2g} s", number, size=2.5)
    return picture


def updates(result: dict[str, Any]) -> Picture:
    """Changes per second over the size of a batch, a panel per graph, a line per model and tolerance."""
    tables = [table for table in result["tables"] if "changes at once" in table["columns"]]
    wide, high, gap = 190, 180, 64
    picture = Picture("Changes per second over how many come at once", gap + len(tables) * (wide + gap), high + 150)
    models = list(dict.fromkeys(row[0] for table in tables for row in table["rows"]))[: len(COLOURS)]
    for half in range(0, len(models), 3):
        for number, name in enumerate(models[half : half + 3], half):
            x, y = 10 + 300 * (number - half), 38 + 16 * (half // 3)
            picture.mark(x, y, name, colour=COLOURS[number], shape=SHAPES[number])
            picture.text(x + 9, y + 4, name)
    top = 70 + 16 * math.ceil(len(models) / 3)
    picture.height = top + high + 40
    for place, table in enumerate(tables):
        column = {name: number for number, name in enumerate(table["columns"])}
        at_once, speed = column["changes at once"], column["changes per second"]
        values = [(float(row[at_once]), float(row[speed])) for row in table["rows"] if row[speed]]
        panel = Panel(
            picture, gap + place * (wide + gap), top, wide, high,
            spanning([x for x, _ in values], is_log=True), spanning([y for _, y in values], is_log=True),
        )  # fmt: skip
        panel.frame(table["caption"].split(":")[0].split(",")[0])
        for number, model in enumerate(models):
            line = [(float(row[at_once]), float(row[speed])) for row in table["rows"] if row[0] == model and row[speed]]
            panel.path(line, number)
            for x, y in line:
                panel.mark(x, y, f"{model}: {written(round(y))} changes per second, {x:.0f} at once", number, size=2.5)
    return picture


def _accuracy(cell: Cell, probe: str = PROBE, per_class: str = PER_CLASS) -> dict[str, Any]:
    return dict(cell["accuracy"][probe][per_class])


def _by_graph(cells: Sequence[Cell]) -> dict[str, dict[str, Cell]]:
    """The cells of each graph by method, of the graphs on which the default was run."""
    found = {name: {cell["method"]: cell for cell in cells if cell["dataset"] == name} for name in beyond.COLUMNS}
    return {name: methods for name, methods in found.items() if "default" in methods}


def _colour_of(compared: Comparison) -> str:
    low, high = compared.interval
    return COLOUR_OF["ahead" if low > 0 else "behind" if high < 0 else "level"]


def _compare(ours: Cell, other: Cell, probe: str, per_class: str) -> Comparison:
    values = [np.array(_accuracy(cell, probe, per_class)["values"]) for cell in (ours, other)]
    return compare_scores(Scores({"accuracy": values[0]}), Scores({"accuracy": values[1]}))


_OTHERS = {  # file: what draws it, and the results it is drawn from
    "updates.svg": ("updates", updates),
    "cuts_sparsest.svg": ("partition", sparsest_cuts),
    "gpu.svg": ("gpu", one_gpu),
    "cluster.svg": ("cluster_scale", one_cluster),
    "link_calibration.svg": ("link_calibration", link_calibration),
}


def drawn_pictures(folder: Path = RESULTS) -> dict[str, Picture]:
    """The pictures whose results are in a folder, by the name of their file."""
    cells = list(Results(folder, beyond.NAME).cells)
    read = {
        name: json.loads(path.read_text("utf-8"))
        for name in (*GROWN.values(), *SLOPES, AT_SIZES, ON_CUDA, *(source for source, _ in _OTHERS.values()))
        if (path := folder / f"{name}.json").exists()
    }
    drawn = {"accuracy_seconds.svg": accuracy_over_seconds(cells), "regret.svg": regret(cells), "wins.svg": wins(cells)}
    drawn["growth.svg"] = growth({engine: read[name] for engine, name in GROWN.items() if name in read})
    drawn["growth_slopes.svg"] = growth_slopes({name: read[name] for name in SLOPES if name in read})
    if AT_SIZES in read:
        on_cuda = read.get(ON_CUDA, {"points": {}})
        drawn["at_sizes.svg"] = quality_over_seconds(read[AT_SIZES]["points"], on_cuda["points"])
    return drawn | {name: draw(read[source]) for name, (source, draw) in _OTHERS.items() if source in read}


def draw_pictures(folder: Path = RESULTS) -> None:
    """Write the pictures into docs/images."""
    for name, picture in drawn_pictures(folder).items():
        picture.save(name)


if __name__ == "__main__":
    draw_pictures()

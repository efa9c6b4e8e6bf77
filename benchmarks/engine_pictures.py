"""The pictures of cuts, of one GPU and of a cluster, from the committed results; `result_pictures.py` draws the others.

cuts_sparsest.svg   the value of our sparsest cut over that of the best peer, per graph and objective
gpu.svg             milliseconds of a fit on one GPU beside the target and plain torch
cluster.svg         seconds and bytes moved over the number of nodes, for both plans
"""

from __future__ import annotations

from typing import Any

from drawing import COLOURS, SHAPES, Axis, Panel, Picture, spanning

LEFT, ROW = 150, 22


def rows_of(result: dict[str, Any], *columns: str) -> list[dict[str, Any]]:
    """The rows of the first table that has these columns."""
    table = next(table for table in result["tables"] if set(columns) <= set(table["columns"]))
    return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]


def sparsest_cuts(result: dict[str, Any]) -> Picture:
    """A row per graph: left of the line our cut is sparser than that of the best peer."""
    rows = [row for row in rows_of(result, "objective", "sparsecut", "best peer") if row["best peer"]]
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    objectives = list(dict.fromkeys(row["objective"] for row in rows))
    picture = Picture(
        "Our sparsest cut over the best peer's: left of the line ours is sparser", 620, 100 + ROW * len(graphs)
    )
    picture.legend(objectives, 40, left=LEFT, step=130)
    panel = Panel(picture, LEFT, 60, 430, ROW * len(graphs), Axis(0.6, 1.1), Axis(0, 1))
    for tick in (0.6, 0.7, 0.8, 0.9, 1.0, 1.1):
        x = panel.at(tick, 0)[0]
        picture.line(x, panel.top, x, panel.top + panel.height, kind="one" if tick == 1 else "grid")
        picture.text(x, panel.top + panel.height + 16, f"{tick:g}", anchor="middle", kind="faint")
    for place, graph in enumerate(graphs):
        picture.text(10, panel.top + ROW * (place + 0.7), graph)
    for row in rows:
        share, number = row["sparsecut"] / row["best peer"], objectives.index(row["objective"])
        y = panel.top + ROW * (graphs.index(row["graph"]) + 0.35 + 0.3 * number)
        about = f"{row['graph']}, {row['objective']}: {share:.3g} of {row['whose']}"
        picture.mark(panel.at(share, 0)[0], y, about, colour=COLOURS[number], shape=SHAPES[number])
    return picture


def one_gpu(result: dict[str, Any]) -> Picture:
    """A bar per size and kind of number, with the target as a line, and plain torch where it was measured."""
    rows = rows_of(result, "size", "rows in", "ms", "target")
    picture = Picture("Milliseconds of a fit on one GPU, on a logarithmic axis", 640, 86 + 30 * len(rows))
    panel = Panel(picture, LEFT, 56, 440, 30 * len(rows), Axis(5, 2000, is_log=True), Axis(0, 1))
    picture.legend(["missed", "met", "plain torch"], 40, left=LEFT, step=90)
    picture.text(LEFT + 280, 44, "line: the target")
    for tick in panel.across.ticks():
        x = panel.at(tick, 0)[0]
        picture.line(x, panel.top, x, panel.top + panel.height)
        picture.text(x, panel.top + panel.height + 16, f"{tick:g}", anchor="middle", kind="faint")
    for place, row in enumerate(rows):
        y = panel.top + 30 * place + 15
        picture.text(10, y + 4, f"{row['size']}, {row['rows in']}")
        number = 0 if row["met"] is False else 1
        end = panel.at(row["ms"], 0)[0]
        picture.line(panel.left, y, end, y, colour=COLOURS[number])
        picture.mark(
            end, y, f"{row['size']}, {row['rows in']}: {row['ms']:.3g} ms", colour=COLOURS[number], shape=SHAPES[number]
        )
        picture.text(panel.left + panel.width + 46, y + 4, f"{row['ms']:.3g} ms", anchor="end")
        if row["plain torch, ms"]:
            about = f"plain torch: {row['plain torch, ms']:.3g} ms"
            picture.mark(panel.at(row["plain torch, ms"], 0)[0], y + 8, about, colour=COLOURS[2], shape=SHAPES[2], size=3.5)
        target = float(str(row["target"]).strip("<> ms").replace("s", "").replace(",", "")) if row["target"] else None
        if target:
            target *= 1000 if not str(row["target"]).endswith("ms") else 1
            x = panel.at(target, 0)[0]
            picture.line(x, y - 11, x, y + 11, kind="one")
    return picture


def one_cluster(result: dict[str, Any]) -> Picture:
    """Two panels, seconds and MiB moved between the workers, a line per plan."""
    rows = rows_of(result, "plan", "nodes", "seconds", "MiB moved")
    plans = list(dict.fromkeys(row["plan"] for row in rows))
    picture = Picture("A fit on two workers of one core each, as the graph grows", 620, 290)
    picture.legend([f"plan: {plan} first" if plan == "columns" else f"plan: {plan}" for plan in plans], 40, step=150)
    for place, (column, title) in enumerate(
        {"seconds": "seconds, over nodes", "MiB moved": "MiB moved, over nodes"}.items()
    ):
        points = [(float(row["nodes"]), float(row[column])) for row in rows]
        across, up = (spanning([point[axis] for point in points], is_log=True) for axis in (0, 1))
        panel = Panel(picture, 60 + 290 * place, 84, 220, 170, across, up)
        panel.frame(title)
        for number, plan in enumerate(plans):
            line = sorted((float(row["nodes"]), float(row[column])) for row in rows if row["plan"] == plan)
            panel.path(line, number)
            for x, y in line:
                panel.mark(x, y, f"{plan}: {x:,.0f} nodes, {y:,.3g} {column}", number, size=3)
    return picture

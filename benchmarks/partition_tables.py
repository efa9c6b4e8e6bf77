"""The tables of `partition.py`, from its points alone."""

from __future__ import annotations

import math
from typing import Any

OBJECTIVES = {"ratio": "φ′", "conductance": "conductance"}
SAME = 1 + 1e-9  # two values that differ by rounding alone are the same cut
SECONDS, NODES = 2.0, 10_000
MINUTES, GIBIBYTES = 5, 4
LEAST_SPARSE = {"planted": 0.085}  # conductance of the cut of a million nodes, at most
MANY_NODES, TREE_SECONDS = 99_000, 60.0

Points = dict[str, Any]


def tables_of(points: Points, order: tuple[str, ...]) -> list[dict[str, Any]]:
    known = {_graph(key) for key in points}
    graphs = [graph for graph in order if graph in known]
    tables = [_sparsest(points, graphs), _clock(points), _scale(points), _trees(points)]
    tables += [_methods(points, graph) for graph in graphs]
    return [table for table in tables if table["rows"]]


def _graph(key: str) -> str:
    """Names of graphs and of methods may hold a comma: the longest known method at the end is cut off."""
    both = ", partition, both"
    return key.removesuffix(both) if key.endswith(both) else key.rpartition(", ")[0]


def _told(points: Points, graph: str) -> dict[str, list[dict[str, Any]]]:
    """What each method told about a graph."""
    told = {key.removeprefix(f"{graph}, "): told for key, told in points.items() if _graph(key) == graph}
    return {method: told[method] for method in sorted(told, key=lambda method: method.partition(",")[0] not in _OURS)}


def _best(told: list[dict[str, Any]], objective: str) -> float | None:
    values = [point[objective] for point in told if point.get(objective) is not None]
    return min(values) if values else None


def _sparsest(points: Points, graphs: list[str]) -> dict[str, Any]:
    rows = []
    for graph in graphs:
        told = _told(points, graph)
        ours = {point["asked"]: point for point in told.get("sparsest_cut", []) if "asked" in point}
        for objective, name in OBJECTIVES.items():
            peers = {m: _best(t, objective) for m, t in told.items() if m.partition(",")[0] not in _OURS}
            known = {method: value for method, value in peers.items() if value is not None}
            if objective not in ours or not known:
                continue
            whose = min(known, key=lambda method: known[method])
            value, bound = ours[objective]["value"], _proved(ours[objective])
            gap = round(value / bound, 2) if bound else None
            rows.append(
                [
                    *(graph, name, bound, value, gap, f"{100 * ours[objective]['share']:.1f} %"),
                    *(known[whose], whose, value < known[whose] / SAME, value <= known[whose] * SAME),
                ]
            )
    found = ["lower bound", "sparsecut", "gap", "smaller side"]
    return {
        "caption": "The sparsest cut found, beside the sparsest any peer found. Gap: it over the "
        "proved lower bound. Met: no peer has a sparser one.",
        "columns": ["graph", "objective", *found, "best peer", "whose", "sparser", "met"],
        "rows": rows,
    }


_OURS = ("sparsest_cut", "partition", "hierarchy")


def _clock(points: Points) -> dict[str, Any]:
    rows = []
    for key, told in points.items():
        if key.startswith("time, ") and "ratio" in told[0]:
            point = told[0]
            slowest = max(point["ratio"], point["conductance"])
            is_judged = 0.7 * NODES <= point["n_nodes"] <= 1.2 * NODES
            limit = f"≤ {SECONDS:g} s" if is_judged else None
            sizes = (point["n_nodes"], point["n_edges"])
            rows.append(
                [
                    *(key.removeprefix("time, "), *sizes, round(point["ratio"], 2), round(point["conductance"], 2)),
                    *(limit, slowest <= SECONDS if is_judged else None),
                ]
            )
    return {
        "caption": "Seconds of `sparsest_cut` by the clock, the best of three. "
        f"The target is for graphs of about {NODES:,} nodes.",
        "columns": ["graph", "nodes", "edges", "φ′", "conductance", "target", "met"],
        "rows": sorted(rows, key=lambda row: row[1]),
    }


def _proved(point: dict[str, Any]) -> float | None:
    """The lower bound of a cut where one is proved; points without an estimate beside it are older than proofs are."""
    return (point["lower_bound"] or None) if "estimate" in point else None


def _scale(points: Points) -> dict[str, Any]:
    rows = []
    for key, told in points.items():
        if key.startswith("scale, ") and "clock" in told[0]:
            point, kind = told[0], key.removeprefix("scale, ")
            gibibytes = [point.get(word, 0.0) / 1024 for word in ("peak_mebibytes", "child_mebibytes")]
            spent, limit = point.get("seconds"), LEAST_SPARSE.get(kind)
            is_met = (spent or point["clock"]) <= 60 * MINUTES and max(gibibytes) <= GIBIBYTES
            is_met = is_met and (limit is None or point["value"] <= limit)
            target = f"≤ {MINUTES} min, {GIBIBYTES} GiB" + (f", {limit:g}" if limit else "")
            rows.append(
                [
                    *(kind, point["n_edges"], spent and round(spent, 1), round(point["clock"], 1)),
                    *(round(gibibytes[0], 2), round(gibibytes[1], 2)),
                    *(point["value"], _proved(point), target, is_met),
                ]
            )
    return {
        "caption": "A million nodes: `sparsest_cut` by conductance; CPU seconds, those of METIS' processes included; peak "
        "memory with the graph in it, and of the largest of these processes. A lower bound is shown where one is proved.",
        "columns": [
            *("graph", "edges", "CPU seconds", "clock", "peak GiB", "METIS, GiB", "conductance", "lower bound"),
            *("target", "met"),
        ],
        "rows": rows,
    }


def _trees(points: Points) -> dict[str, Any]:
    rows = []
    for key, told in points.items():
        if key.startswith("tree, ") and "seconds" in told[0]:
            point, kind = told[0], key.split(", ")[1]
            is_judged = point["n_nodes"] >= MANY_NODES
            each = 1e6 * point["seconds"] / (point["n_nodes"] * math.log2(point["n_nodes"]))
            rows.append(
                [
                    *(kind, point["n_nodes"], point["n_edges"], round(point["seconds"], 1), round(point["clock"], 1)),
                    *(round(each, 1), f"≤ {TREE_SECONDS:g} s" if is_judged else None),
                    point["seconds"] <= TREE_SECONDS if is_judged else None,
                ]
            )
    return {
        "caption": '`hierarchy` of planted groups, of a mesh, and of vectors alone (`use="embedding"`, 64 clouds in 32 '
        "dimensions): CPU seconds, and microseconds over n log₂ n.",
        "columns": ["graph", "nodes", "edges", "CPU seconds", "clock", "µs per n log₂ n", "target", "met"],
        "rows": sorted(rows, key=lambda row: (row[0], row[1])),
    }


def _methods(points: Points, graph: str) -> dict[str, Any]:
    told = _told(points, graph)
    count = next((point["asked"] for point in told.get("hierarchy", told.get("partition", [])) if "asked" in point), 8)
    rows = []
    for method, found in told.items():
        failed = next((point["failed"] for point in found if "failed" in point), None)
        if method == "sparsest_cut":
            values = {point["asked"]: point for point in found if "asked" in point}
            if len(values) < 2:
                continue
            both = [values[objective]["value"] for objective in OBJECTIVES]
            first = values["ratio"]
            rows.append(
                [
                    "sparsest_cut",
                    *both,
                    2,
                    int(first["cut"]),
                    first["largest"],
                    first["modularity"],
                    first["nmi"],
                    first["seconds"],
                ]
            )
            continue
        shown = next((point for point in found if point.get("asked") == count), None)
        best = [_best(found, objective) for objective in OBJECTIVES]
        if shown is None:
            rows.append([f"{method} ({failed or 'nothing'})", *best, None, None, None, None, None, None])
            continue
        rest = (shown["n_parts"], int(shown["cut"]), shown["largest"], shown["modularity"], shown["nmi"], shown["seconds"])
        rows.append([method + (f" ({failed})" if failed else ""), *best, *rest])
    return {
        "caption": f"{graph}: the sparsest φ′ and conductance of any part found; and of the partition into {count} parts "
        "(or as many as a clustering chooses; 2 of `sparsest_cut`) the edges cut, the largest part over the equal share, "
        "modularity, normalised mutual information with the labels, and CPU seconds.",
        "columns": ["method", "φ′", "conductance", "parts", "cut", "largest", "modularity", "NMI", "seconds"],
        "rows": rows,
    }

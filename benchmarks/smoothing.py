"""One hop at Reddit's size on a CPU: the library's, scipy's and torch's products with the same matrix.

    python benchmarks/smoothing.py [--parts products,filters,order] [--repeats 3]

The graph is a stand-in (`reddit_size.py`). Within a part, cases are run turn and turn about in one process on two threads,
and the best of several counts: ratios are taken within a part. The planted communities serve as an order of the nodes that
is better than any that could be found, and free: what it saves bounds what finding one may cost.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from reddit_size import SIZES, reddit_size
from results_file import read_points, write_results
from sparsecut.graph import Graph
from sparsecut.kernels.halves import halved
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.filters import Lazy, PageRank, Power, Symmetric
from sparsecut.operators.propagation import Propagation

NAME = "smoothing"
CPU = torch.device("cpu")
TWO_HOPS = Power(order=2).coefficients()
PAGERANK = PageRank(restart=0.2, order=1).coefficients()
N_CHECKED = 8  # columns computed again in float64
Part = dict[str, dict[str, float]]


def measure_products(repeats: int) -> Part:
    graph = reddit_size()
    F, P = as_tensor(graph.features, CPU), Propagation.of(graph.adjacency, Power(), CPU)
    F_half, scale = halved(F)
    matrix = P.csr
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls its CSR a beta
        csr = torch.sparse_csr_tensor(*map(torch.from_numpy, (matrix.indptr, matrix.indices, matrix.data)), matrix.shape)
    seconds = best_of(
        {
            "float32": lambda: P @ F,
            "half": lambda: P @ F_half,
            "whole rows": lambda: P.neighbors @ F,
            "scipy": lambda: matrix @ graph.features,
            "torch CSR": lambda: csr @ F,
        },
        repeats,
    )
    errors = {
        "float32": error(P @ F, graph, 1),
        "half": error(P @ F_half * scale, graph, 1),
        "half, two hops": error(P.smooth(TWO_HOPS, F_half) * scale, graph, 2),
    }
    return {"seconds": seconds, "errors": errors}


def measure_filters(repeats: int) -> Part:
    graph = reddit_size()
    F = as_tensor(graph.features, CPU)
    F_half, _ = halved(F)
    filters = {"power": Power(), "symmetric": Symmetric(), "lazy": Lazy()}
    by_filter = {name: Propagation.of(graph.adjacency, filter, CPU) for name, filter in filters.items()}
    by_filter["power, weighted"] = Propagation.of(reddit_size(with_weights=True).adjacency, Power(), CPU)
    cases: dict[str, Callable[[], Any]] = {}
    for kind, rows in (("float32", F), ("half", F_half)):
        for name, P in by_filter.items():
            cases[f"{kind}, {name}"] = lambda P=P, rows=rows: P @ rows
        cases[f"{kind}, pagerank"] = lambda rows=rows: by_filter["power"].smooth(PAGERANK, rows)
        cases[f"{kind}, two hops"] = lambda rows=rows: by_filter["power"].smooth(TWO_HOPS, rows)
    return {"seconds": best_of(cases, repeats)}


def measure_order(repeats: int) -> Part:
    graph = reddit_size()
    order = np.argsort(graph.labels, kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)

    started = time.perf_counter()
    A = graph.adjacency[order]
    permuted = sp.csr_array((A.data, rank[A.indices], A.indptr), shape=A.shape)
    permuted.sort_indices()
    F_permuted = as_tensor(graph.features[order], CPU)
    permuting = time.perf_counter() - started

    F = as_tensor(graph.features, CPU)
    P, P_permuted = (Propagation.of(A, Power(), CPU) for A in (graph.adjacency, permuted))
    cases = {
        "panels, ids as they are": lambda: P @ F,
        "panels, communities together": lambda: P_permuted @ F_permuted,
        "whole rows, ids as they are": lambda: P.neighbors @ F,
        "whole rows, communities together": lambda: P_permuted.neighbors @ F_permuted,
    }
    return {"seconds": best_of(cases, repeats) | {"permuting graph and features": permuting}}


PARTS = {"products": measure_products, "filters": measure_filters, "order": measure_order}


def best_of(cases: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """The best time of each, turn and turn about, so that a slow minute of the machine falls on all."""
    seconds = dict.fromkeys(cases, float("inf"))
    for _ in range(repeats):
        for name, case in cases.items():
            started = time.perf_counter()
            case()
            seconds[name] = min(seconds[name], time.perf_counter() - started)
    for name, value in seconds.items():
        print(f"{name}: {value:.2f} s", flush=True)
    return {name: round(value, 3) for name, value in seconds.items()}


def error(rows: Tensor, graph: Graph, n_hops: int) -> float:
    """The largest error of an entry over the largest entry, in some columns, against float64."""
    exact = graph.features[:, :N_CHECKED].astype(np.float64)
    degrees = 1 + graph.adjacency.sum(axis=1, dtype=np.float64)
    for _ in range(n_hops):
        exact = (graph.adjacency.astype(np.float64) @ exact + exact) / degrees[:, None]
    return float(np.abs(rows[:, :N_CHECKED].double().numpy() - exact).max() / np.abs(exact).max())


def tables_of(points: dict[str, Part]) -> list[dict[str, Any]]:
    tables = []
    if "products" in points:
        seconds, errors = points["products"]["seconds"], points["products"]["errors"]
        rows = [
            [f"{ours} over {theirs}", seconds[ours], seconds[theirs], *judged(seconds[theirs] / seconds[ours], target)]
            for ours, theirs, target in (
                ("float32", "scipy", 3.5),
                ("float32", "torch CSR", 2.2),
                ("half", "scipy", 5.5),
                ("float32", "whole rows", None),
            )
        ]
        tables.append(
            {
                "caption": "One hop. Whole rows are one `embedding_bag` of all columns, the library's kernel before panels.",
                "columns": ["what", "seconds", "its seconds", "times faster", "target", "met"],
                "rows": rows,
            }
        )
        tables.append(
            {
                "caption": "The largest error of an entry, over the largest entry, against float64.",
                "columns": ["rows", "error"],
                "rows": [[name, f"{value:.1e}"] for name, value in errors.items()],
            }
        )
    if "filters" in points:
        seconds = points["filters"]["seconds"]
        rows = []
        for name, value in seconds.items():
            kind, what = name.split(", ", 1)
            ratio = value / seconds[f"{kind}, power"]
            target = None if what in ("power", "two hops") else 1.5
            rows.append([kind, what, value, round(ratio, 2), f"≤ {target}" if target else None, target and ratio <= target])
        columns = ["rows", "hop", "seconds", "times the power filter", "target", "met"]
        tables.append({"caption": "Other filters, weighted edges, two hops in one go.", "columns": columns, "rows": rows})
    if "order" in points:
        caption = (
            "An order that keeps communities together. The planted ones are given for free here; a clustering would cost "
            "time on top of permuting graph and features."
        )
        rows = [[name, value] for name, value in points["order"]["seconds"].items()]
        tables.append({"caption": caption, "columns": ["what", "seconds"], "rows": rows})
    return tables


def judged(ratio: float, target: float | None) -> list[Any]:
    return [round(ratio, 2), f"≥ {target}" if target else None, ratio >= target if target else None]


def notes_of(points: dict[str, Part]) -> list[str]:
    if "order" not in points:
        return []
    seconds = points["order"]["seconds"]
    saved = 2 * (seconds["panels, ids as they are"] - seconds["panels, communities together"])
    cost = seconds["permuting graph and features"]
    verdict = "so one might pay, if it is found in the difference" if saved > cost else "so no order pays, and none is used"
    return [f"In two hops the planted order saves {saved:.2f} s; permuting alone costs {cost:.2f} s, {verdict}."]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    for part in arguments.parts.split(","):
        points = {**read_points(NAME), part: PARTS[part](arguments.repeats)}
        write_results(
            NAME,
            title="One hop on two cores",
            about=f"A stand-in of Reddit's size: {SIZES['n_nodes']:,} nodes, {SIZES['n_edges']:,} edges, "
            f"{SIZES['n_features']} features, planted communities, shuffled ids. Best of {arguments.repeats}.",
            command="python benchmarks/smoothing.py",
            tables=tables_of(points),
            notes=notes_of(points),
            points=points,
            environment={"threads": 2},
        )


if __name__ == "__main__":
    main()

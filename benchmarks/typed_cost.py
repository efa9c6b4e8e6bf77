"""What types and times cost: ten million edges read and fitted with types of nodes and edges, with times, and without.

    OMP_NUM_THREADS=1 python benchmarks/typed_cost.py [--edges 10000000] [--force]

Users, items and tags: 400,000, 80,000 and 20,000 nodes with 32, 32 and no columns, seven tenths of the edges between users
and items, the others between items and tags. The graph without types has the same nodes, edges and 64 columns in one matrix.
All are read from arrays and fitted by `SCE()` in turn, in processor seconds. The times are days of three years, with a
half-life of 90 days.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np

from results_file import read_points, write_results
from sparsecut import SCE, Graph, from_edges, from_tables

NAME = "typed_cost"
COUNTS = {"user": 400_000, "item": 80_000, "tag": 20_000}
TARGET = 1.3  # of reading and fitting together
ROUNDS = 2  # the least of each counts
PARTS = ("read", "fit", "read and fit")


def tables(n_edges: int) -> tuple[dict[str, Any], dict[Any, Any]]:
    """Nodes and edges by type: twenty groups, most edges within one, degrees of a power law."""
    generator = np.random.default_rng(0)
    scale = n_edges / 10_000_000
    counts = {name: max(100, int(count * scale)) for name, count in COUNTS.items()}
    groups = {name: np.arange(count) % 20 for name, count in counts.items()}

    def ends(source: str, target: str, n: int) -> np.ndarray:
        first, second = ((generator.random(n) ** 1.5 * counts[name]).astype(np.int64) for name in (source, target))
        is_within = generator.random(n) < 0.7
        second = np.where(is_within, second - second % 20 + first % 20, second)
        return np.stack([first, np.minimum(second, counts[target] - 1)], axis=1)

    def rows(name: str) -> np.ndarray:
        means = generator.normal(size=(20, 32))
        return (means[groups[name]] + 2 * generator.normal(size=(counts[name], 32))).astype(np.float32)

    nodes = {"user": rows("user"), "item": rows("item"), "tag": np.arange(counts["tag"])}
    edges = {
        ("user", "buys", "item"): ends("user", "item", int(0.7 * n_edges)),
        ("item", "has", "tag"): ends("item", "tag", n_edges - int(0.7 * n_edges)),
    }
    return nodes, edges


def flat(nodes: dict[str, Any], edges: dict[Any, Any], **options: Any) -> Graph:
    """The same nodes and edges without types."""
    sizes = [len(rows) for rows in nodes.values()]
    starts = dict(zip(nodes, np.cumsum([0, *sizes]), strict=False))
    features = np.zeros((sum(sizes), 64), dtype=np.float32)
    features[: sizes[0], :32], features[sizes[0] : sizes[0] + sizes[1], 32:] = nodes["user"], nodes["item"]
    pairs = [ends + np.array([starts[source], starts[target]]) for (source, _, target), ends in edges.items()]
    return from_edges(np.concatenate(pairs), features=features, node_ids=np.arange(sum(sizes)), **options)


def timed(nodes: dict[str, Any], edges: dict[Any, Any]) -> Graph:
    """The graph without types, and a day for each edge."""
    days = np.random.default_rng(1).integers(0, 3 * 365, sum(map(len, edges.values())))
    return flat(nodes, edges, time=np.datetime64("2023-01-01", "D") + days, half_life="90d")


def measure(n_edges: int) -> dict[str, Any]:
    nodes, edges = tables(n_edges)
    SCE().fit(from_tables(*tables(10_000)))  # what is done once
    used: dict[str, dict[str, float]] = {}
    for name, read in (("typed", from_tables), ("timed", timed), ("flat", flat)) * ROUNDS:
        start = time.process_time()
        graph = read(nodes, edges)
        between = time.process_time()
        model = SCE().fit(graph, progress=lambda *_: None)
        found = {"read": between - start, "fit": time.process_time() - between}
        used[name] = {key: min(found[key], used.get(name, found)[key]) for key in found}
        print(n_edges, name, used[name], model.history_.stages, model.channels_, model.recipe_.filters, flush=True)
    for parts in used.values():
        parts["read and fit"] = parts["read"] + parts["fit"]
    ratios = {name: {key: used[name][key] / used["flat"][key] for key in PARTS} for name in ("typed", "timed")}
    return {**used, "ratios": ratios, "n_edges": graph.n_edges, "n_nodes": graph.n_nodes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--dry", action="store_true", help="Measure and write nothing.")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.dry:
        print(measure(asked.edges))
        return
    points = read_points(NAME)
    if asked.force or str(asked.edges) not in points:
        points[str(asked.edges)] = measure(asked.edges)
    rows = [
        [
            int(n_edges),
            part,
            f"{point['flat'][part]:.1f} s",
            f"{point[name][part]:.1f} s",
            name,
            f"{point['ratios'][name][part]:.2f}",
            point["ratios"][name][part] <= TARGET if part == PARTS[-1] else None,
        ]
        for n_edges, point in points.items()
        for name in ("typed", "timed")
        for part in PARTS
    ]
    write_results(
        NAME,
        title="What types and times cost",
        about="A graph of users, items and tags, read and fitted with types of nodes and edges, with times, and without.",
        command="OMP_NUM_THREADS=1 python benchmarks/typed_cost.py",
        tables=[
            {
                "caption": "Seconds of the processor, one thread; at most 1.3 times is the target",
                "columns": ["edges", "", "plain", "more", "", "times", "met"],
                "rows": rows,
            }
        ],
        notes=[],
        points=points,
    )


if __name__ == "__main__":
    main()

"""Updates of a graph that changes, against `transform` of the whole of it in the same run; drift against real refits.

    python benchmarks/updates.py [--cases pubmed,facebook,blogcatalog,arxiv,products,drift,singles,sizes,…]

Changes are edges: half of a batch removes edges that are there, half adds new ones between random nodes. `arxiv` and
`products` are stand-ins of those graphs' sizes (`standins.py`). Batches of every size and whole transforms take turns in
one process on one thread. `singles` are changes one by one, of every kind, many in a row at arxiv's size; `sizes` the
same of two hops at 100,000 and 1,000,000 nodes of the same mean degree; `open` how long a saved state takes until it is
open in place, and until its first change is made; `million`, `follow` and `search` are long streams
(`update_streams.py`). Seconds are those of the processor, so that other
work on the machine counts less; milliseconds per batch are medians. The last row of every case is checked against
`transform` of the graph as it is then.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import torch
from scipy.sparse import csgraph

from results_file import read_points, write_results
from sparsecut import SCE, Power, datasets, evaluate
from sparsecut.graph import Graph
from sparsecut.updates.alignment import rotation
from standins import stand_in
from update_streams import measure_follow, measure_million, measure_open, measure_search, stream_tables

NAME = "updates"
SIZES = (1, 10, 100, 1000)
RIPPLE = {"arxiv": 56_000, "products": 7_600}  # updates per second that RIPPLE++ reports, on a server
MILLION = {"two hops, exact": 1, "SCE(), 0.01": 50}  # the part of a million changes that each model makes
MOST_SINGLES, MOST_BATCHES = 20_000, 40  # of a kind: edges that are there are named once
Point = dict[str, Any]


def load_graph(name: str) -> Graph:
    if name == "arxiv":
        return stand_in(n_nodes=169_343, n_edges=1_166_243, n_features=128, n_classes=40)
    if name == "products":
        return stand_in(n_nodes=2_449_029, n_edges=61_859_140, n_features=100, n_classes=47)
    return datasets.load(name)


def models_for(name: str) -> dict[str, tuple[SCE, float]]:
    two_hops = (SCE(filter=Power(order=2)), 0.0)
    if name == "products":
        return {"two hops, exact": two_hops}
    return {"two hops, exact": two_hops, "default, 0.001": (SCE(), 1e-3), "default, 0.01": (SCE(), 1e-2)}


class Changes:
    """Batches of edges: half go, half come; none twice."""

    def __init__(self, graph: Graph) -> None:
        self.generator = np.random.default_rng(0)
        indptr, indices = graph.adjacency.indptr, graph.adjacency.indices
        picked = self.generator.choice(len(indices), min(len(indices), 60_000), replace=False)
        sources = np.searchsorted(indptr, picked, side="right") - 1
        edges = np.unique(np.sort(np.stack([sources, indices[picked]], axis=1), axis=1).astype(np.int64), axis=0)
        self.there = self.generator.permutation(edges)
        self.known = graph.adjacency
        self.added: set[tuple[int, int]] = set()
        self.n_used = 0

    def batch(self, size: int) -> dict[str, Any]:
        n_gone = min(size // 2 if size > 1 else int(self.generator.integers(2)), len(self.there) - self.n_used)
        gone = self.there[self.n_used : self.n_used + n_gone]
        self.n_used += n_gone
        new: list[tuple[int, int]] = []
        while len(new) < size - n_gone:
            ends = np.sort(self.generator.integers(0, self.known.shape[0], (2 * size, 2)), axis=1)
            ends = ends[(ends[:, 0] != ends[:, 1]) & (np.asarray(self.known[ends[:, 0], ends[:, 1]]).ravel() == 0)]
            for edge in map(tuple, ends.tolist()):
                if edge not in self.added and len(new) < size - n_gone:
                    self.added.add(edge)
                    new.append(edge)
        return {"edges_removed": gone, "edges_added": np.array(new, dtype=np.int64).reshape(-1, 2)}


def timed(call: Callable[[], Any]) -> tuple[Any, float, float]:
    """(result, processor seconds, seconds)."""
    started, used = time.perf_counter(), time.process_time()
    result = call()
    return result, time.process_time() - used, time.perf_counter() - started


def measure(graph: Graph, model: SCE, tolerance: float, repeats: int) -> Point:
    model.fit(graph)
    changes = Changes(graph)
    model.update(tolerance=tolerance)  # the state is made
    state = model._live()
    found: dict[str, list[tuple[float, float, int, bool]]] = {str(size): [] for size in SIZES}
    whole = []
    for number in range(repeats):
        if number % 5 == 0:
            _, used, seconds = timed(lambda: model.transform(graph))
            whole.append((used, seconds))
        for size in SIZES:
            batch = changes.batch(size)
            changed, used, seconds = timed(lambda batch=batch: model.update(**batch, tolerance=tolerance))
            found[str(size)].append((used, seconds, len(changed), bool(changed.notes)))
    exact, Z = model.transform(model.graph_), model.embedding_
    return {
        "nodes": graph.n_nodes,
        "edges": graph.n_edges,
        "features": graph.n_features,
        "columns": int(model.embedding_.shape[1]),
        "filters": [repr(filter) for filter in model.recipe_.filters],
        "hops_bytes": state.n_bytes,
        "embedding_bytes": int(model.embedding_.nbytes),
        "transform_processor_s": float(np.median([used for used, _ in whole])),
        "transform_s": float(np.median([seconds for _, seconds in whole])),
        "error": float(np.linalg.norm(Z - exact, axis=1).max()) / state.length,
        "batches": {
            size: {
                "processor_ms": 1e3 * float(np.median([row[0] for row in rows])),
                "best_processor_ms": 1e3 * min(row[0] for row in rows),
                "ms": 1e3 * float(np.median([row[1] for row in rows])),
                "best_ms": 1e3 * min(row[1] for row in rows),
                "rows": float(np.mean([row[2] for row in rows])),
                "whole": float(np.mean([row[3] for row in rows])),
            }
            for size, rows in found.items()
        },
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def measure_singles(graph: Graph, model: SCE, tolerance: float, seconds: float) -> Point:
    """Changes one by one for so many seconds of each kind, after a hundred that nobody counts."""
    _, fitted, _ = timed(lambda: model.fit(graph))
    _, first, _ = timed(lambda: model.update(tolerance=tolerance))
    changes, generator = Changes(graph), np.random.default_rng(1)
    kinds: dict[str, Callable[[int], dict[str, Any]]] = {
        "edges": lambda number: changes.batch(1),
        "weights": lambda number: {"weights_changed": [(*changes.there[-1 - number].tolist(), 2.0)]},
        "features": lambda number: {
            "features_changed": {int(node): graph.features[node] for node in generator.integers(0, graph.n_nodes, 1)}
        },
        "nodes with an edge": lambda number: {
            "nodes_added": {graph.n_nodes + number: graph.features[number]},
            "edges_added": [(graph.n_nodes + number, number)],
        },
        "nodes removed": lambda number: {"nodes_removed": [graph.n_nodes + number]},
        "1,000 edges at once": lambda number: changes.batch(1000),
    }
    for _ in range(100):
        model.update(**changes.batch(1), tolerance=tolerance)
    found: Point = {"nodes": graph.n_nodes, "edges": graph.n_edges, "fit_s": fitted, "first_s": first, "kinds": {}}
    n_added = 0
    for kind, make in kinds.items():
        used, n_made, n_rows, number = 0.0, 0, 0, 0
        while (
            used < seconds
            and (number < MOST_BATCHES or not kind.startswith("1,000"))
            and (kind != "nodes removed" or number < n_added)
            and number < MOST_SINGLES
        ):
            batch = make(number)
            changed, took, _ = timed(lambda batch=batch: model.update(**batch, tolerance=tolerance))
            used, n_rows, number = used + took, n_rows + len(changed), number + 1
            n_made += 1000 if kind.startswith("1,000") else 1
        n_added = number if kind == "nodes with an edge" else n_added
        found["kinds"][kind] = {"per_second": n_made / used, "made": n_made, "rows": n_rows / number}
    error = np.linalg.norm(model.embedding_ - model.transform(model.graph_), axis=1).max() / model._live().length
    return {**found, "error": float(error)}


def singles_models() -> dict[str, tuple[SCE, float]]:
    return {
        "two hops, exact": (SCE(filter=Power(order=2)), 0.0),
        "SCE(), 0.01": (SCE(), 1e-2),
        "SCE(), 0.001": (SCE(), 1e-3),
    }


def measure_drift() -> list[Point]:
    """A third of a graph, then the others in quarters: by their distance from a node, class by class, or in no order."""
    points: list[Point] = []
    for name, order_name in product(("cora", "citeseer"), ORDERS):
        graph = datasets.load(name)
        order = ORDERS[order_name](graph)
        n_first = graph.n_nodes // 3
        model = SCE().fit(graph.subgraph(positions=order[:n_first]))
        there = order[:n_first]
        for new in np.array_split(order[n_first:], 4):
            is_there = np.zeros(graph.n_nodes, dtype=bool)
            is_there[there] = True
            listed = graph.adjacency[new].tocoo()
            sources, targets = new[listed.coords[0]], listed.coords[1]
            is_new = np.isin(targets, new)
            kept = is_there[targets] | (is_new & (sources < targets))
            model.update(
                nodes_added=(graph.node_ids[new], graph.features[new]),
                edges_added=np.stack([graph.node_ids[sources[kept]], graph.node_ids[targets[kept]]], axis=1),
            )
            there = np.concatenate([there, new])
            refitted = SCE(dimension=model.embedding_.shape[1]).fit_transform(model.graph_)
            Z, labels = model.embedding_, graph.labels[there]
            turned = refitted @ rotation(refitted, Z)
            is_asked = np.bincount(labels)[labels] > 20  # classes that have only begun to arrive have too few to train on
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # small classes
                scores = [
                    float(evaluate(rows[is_asked], labels[is_asked], per_class=20, n_splits=10).mean)
                    for rows in (Z, refitted)
                ]
            points.append(
                {
                    "graph": name,
                    "order": order_name,
                    "nodes": len(there),
                    "drift": model.span_drift_,
                    "refit": float(np.linalg.norm(turned - Z) / np.linalg.norm(refitted)),
                    "advised": model.refit_advised_,
                    "accuracy": scores[0],
                    "refit_accuracy": scores[1],
                }
            )
            print({key: value for key, value in points[-1].items() if key != "order"}, flush=True)
    return points


def outward(graph: Graph) -> np.ndarray:
    generator, found, seen = np.random.default_rng(0), [], np.zeros(graph.n_nodes, dtype=bool)
    for node in generator.permutation(graph.n_nodes):
        if not seen[node]:
            reached = csgraph.breadth_first_order(graph.adjacency, node, return_predecessors=False)
            seen[reached] = True
            found.append(reached)
    return np.concatenate(found)


def by_class(graph: Graph) -> np.ndarray:
    generator = np.random.default_rng(0)
    assert graph.labels is not None
    return np.argsort(graph.labels + 0.9 * generator.random(graph.n_nodes), kind="stable")


def shuffled(graph: Graph) -> np.ndarray:
    return np.random.default_rng(0).permutation(graph.n_nodes)


ORDERS: dict[str, Callable[[Graph], np.ndarray]] = {
    "neighbours of what is there": outward,
    "class by class": by_class,
    "in no order": shuffled,
}


def tables_of(points: dict[str, Any]) -> list[dict[str, Any]]:
    tables = []
    for name in ("pubmed", "facebook", "blogcatalog", "arxiv", "products"):
        rows = []
        for kind, point in points.get(name, {}).items():
            for size, batch in point["batches"].items():
                rows.append(
                    [
                        kind,
                        int(size),
                        round(batch["processor_ms"], 2),
                        round(1e3 * int(size) / batch["processor_ms"]),
                        round(1e3 * point["transform_processor_s"] / batch["processor_ms"], 1),
                        round(batch["rows"]),
                        f"{point['error']:.0e}",
                    ]
                )
        if rows:
            point = next(iter(points[name].values()))
            about = ", a stand-in of its size" if name in RIPPLE else ""
            memory = "; ".join(
                f"{kind}: {value['hops_bytes'] / 2**20:,.0f} MiB of hops for {value['embedding_bytes'] / 2**20:,.0f} MiB of "
                f"vectors, whole transform {value['transform_processor_s']:.2f} s"
                for kind, value in points[name].items()
            )
            tables.append(
                {
                    "caption": f"{name}{about}: {point['nodes']:,} nodes, {point['edges']:,} edges, {point['features']:,} "
                    f"features. {memory}.",
                    "columns": [
                        *("model, tolerance", "changes at once", "ms per batch", "changes per second"),
                        *("times faster than transform", "vectors changed", "largest error"),
                    ],
                    "rows": rows,
                }
            )
    for case, about in (
        ("singles", "Changes one by one at ogbn-arxiv's size (a stand-in), per processor second"),
        ("sizes", "The same of two hops, exact, at two sizes of one mean degree, by the number of nodes"),
    ):
        if case in points:
            names = list(next(iter(points[case].values()))["kinds"])
            tables.append(
                {
                    "caption": f"{about}; beside the edges the vectors that each changed.",
                    "columns": [
                        *("model, tolerance" if case == "singles" else "nodes", "fit, s", "first update, s"),
                        *(*names, "vectors", "largest error"),
                    ],
                    "rows": [
                        [
                            kind if case == "singles" else int(kind),
                            *(round(point[name], 2) for name in ("fit_s", "first_s")),
                            *(round(point["kinds"][name]["per_second"]) for name in names),
                            round(point["kinds"]["edges"]["rows"]),
                            f"{point['error']:.0e}",
                        ]
                        for kind, point in points[case].items()
                    ],
                }
            )
    if "drift" in points:
        tables.append(
            {
                "caption": "Drift within the fitted span, and what fitting the grown graph anew moves: graphs from a third "
                "of their nodes to all.",
                "columns": [
                    *("graph", "nodes arrive", "nodes", "span_drift_", "a refit moved", "advised"),
                    *("accuracy", "accuracy, refitted"),
                ],
                "rows": [
                    [
                        point["graph"],
                        point["order"],
                        point["nodes"],
                        *(round(point[key], 3) for key in ("drift", "refit")),
                        point["advised"],
                        *(round(point[key], 1) for key in ("accuracy", "refit_accuracy")),
                    ]
                    for point in points["drift"]
                ],
            }
        )
    return [*tables, *stream_tables(points)]


def notes_of(points: dict[str, Any]) -> list[str]:
    notes = ["Seconds are those of one processor; errors are in units of the rows' length."]
    for name, theirs in RIPPLE.items():
        if name in points:
            ours = 1e6 / points[name]["two hops, exact"]["batches"]["1000"]["processor_ms"]
            notes.append(
                f"At the size of ogbn-{name} two hops follow {ours:,.0f} changes per processor second in batches of 1,000; "
                f"RIPPLE++ reports {theirs:,} updates per second for exact GNN inference on a server."
            )
    for kind in ("default, 0.001", "default, 0.01"):
        if kind in points.get("arxiv", {}):
            batches = points["arxiv"][kind]["batches"]
            reached = ", ".join(f"{batches[size]['rows']:,.0f} after {size}" for size in ("1", "10", "100"))
            notes.append(f"What stands in the way of the {kind}, at that size: the vectors that changes reach, {reached}.")
    if "drift" in points:
        ratios = [point["refit"] / point["drift"] for point in points["drift"]]
        notes.append(
            f"A refit moved the vectors by {min(ratios):.1f} to {max(ratios):.1f} times what `span_drift_` says: it "
            "measures the fitted directions and the leading ones beside them, and not what a refit chooses anew."
        )
    notes.append(
        "Where hops are computed for the whole graph an update takes longer than a transform, for it keeps every hop and "
        "compares it with the last."
    )
    return notes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="pubmed,facebook,blogcatalog,arxiv,products,drift")
    parser.add_argument("--repeats", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=5, help="of each kind of single changes")
    parser.add_argument("--changes", type=int, default=1_000_000, help="of `million`; SCE() makes a part of them")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for case in arguments.cases.split(","):
        if case == "drift":
            _keep(case, measure_drift())
            continue
        if case == "sizes":
            for n_nodes in (100_000, 1_000_000):
                graph = stand_in(n_nodes=n_nodes, n_edges=7 * n_nodes, n_features=32, n_classes=40)
                found = measure_singles(graph, SCE(filter=Power(order=2)), 0.0, arguments.seconds)
                _keep(case, {**read_points(NAME).get(case, {}), str(n_nodes): found})
                print(case, n_nodes, found["kinds"], file=sys.stderr, flush=True)
            continue
        if case == "open":
            for n_nodes in (169_343, 1_000_000):
                graph = stand_in(n_nodes=n_nodes, n_edges=7 * n_nodes, n_features=32, n_classes=40)
                _keep(case, {**read_points(NAME).get(case, {}), str(n_nodes): measure_open(graph)})
                print(case, read_points(NAME)[case][str(n_nodes)], file=sys.stderr, flush=True)
            continue
        if case == "singles":
            for kind, (model, tolerance) in singles_models().items():
                found = measure_singles(load_graph("arxiv"), model, tolerance, arguments.seconds)
                _keep(case, {**read_points(NAME).get(case, {}), kind: found})
                print(case, kind, found, file=sys.stderr, flush=True)
            continue
        if case == "million":
            for kind, (model, tolerance) in singles_models().items():
                if kind in MILLION:
                    found = measure_million(load_graph("arxiv"), model, tolerance, arguments.changes // MILLION[kind])
                    _keep(case, {**read_points(NAME).get(case, {}), kind: found})
            continue
        if case in ("follow", "search"):
            _keep(case, measure_follow(load_graph("arxiv")) if case == "follow" else measure_search())
            print(case, read_points(NAME)[case], file=sys.stderr, flush=True)
            continue
        graph = load_graph(case)
        for kind, (model, tolerance) in models_for(case).items():
            found = measure(graph, model, tolerance, arguments.repeats)
            sizes = {size: round(1e3 * int(size) / batch["processor_ms"]) for size, batch in found["batches"].items()}
            print(case, kind, "changes per second", sizes, f"error {found['error']:.0e}", file=sys.stderr, flush=True)
            _keep(case, {**read_points(NAME).get(case, {}), kind: found})


def _keep(case: str, found: Any) -> None:
    points = {**read_points(NAME), case: found}
    write_results(
        NAME,
        title="Updates of a graph that changes",
        about="Batches of edge changes against a whole transform, in turns in one process; drift against real refits.",
        command="python benchmarks/updates.py",
        tables=tables_of(points),
        notes=notes_of(points),
        points=points,
        environment={"threads": 1},
    )


if __name__ == "__main__":
    main()

"""What the checks of a fit's input and result cost, each alone, as a share of `SCE().fit`.

    OMP_NUM_THREADS=1 python benchmarks/checks.py [--graphs cora,pubmed,generated] [--tables integers,words] [--repeats 7]

Each check is timed by itself on what the fit gives it, the fastest of several runs, over the fastest of several fits, all
with one thread and in seconds of the processor, which another program that runs beside changes least. The target is 2 % for
all together. The trial of structure is run only where the features look as if they did not go with the edges; on these it
is not, so it is listed and not counted.

What it costs to find the columns of tables by their values is `from_edges` on two frames less the same call with all columns
named, as a share of that call and the fit that follows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import torch

from results_file import write_results
from sparsecut import SCE, Graph, Memory, datasets, from_edges
from sparsecut.engines import MemoryEngine
from sparsecut.features import dominant_column
from sparsecut.features.weighting import Weighting
from sparsecut.graph.edge_sample import sample_edges, sample_node_pairs
from sparsecut.kernels.magnitude import check_finite
from sparsecut.kernels.polynomials import power
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.model.auto.edge_trial import RandomSigns, Trial
from sparsecut.model.auto.filter_choice import _leading_columns
from sparsecut.model.meaning import check_meaning
from standins import stand_in

TARGET = 2.0  # percent of a fit, all checks together
TABLES = {"n_nodes": 200_000, "n_edges": 1_000_000, "n_columns": 20}
NAMED = {"source": "wer", "target": "wen", "bipartite": False, "id_column": "konto"}
GENERATED = {"n_nodes": 100_000, "n_edges": 500_000, "n_features": 300, "n_classes": 10}


def load_graph(name: str) -> Graph:
    return stand_in(**GENERATED, random_state=0) if name == "generated" else datasets.load(name)


def fastest(run: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


def checks_of(model: SCE, graph: Graph) -> tuple[dict[str, Callable[[], Any]], dict[str, Callable[[], Any]]]:
    """The checks that every fit runs, and those that only a suspicious one does."""
    engine = MemoryEngine(torch.device("cpu"), graph=graph)
    (filter,) = model.recipe_.filters
    rule, cost = CONSTANTS.filter, CONSTANTS.filter_cost
    n_held_out = min(int(rule.held_out * graph.n_edges), cost.max_held_out)
    edges = sample_edges(engine, n_held_out)
    trial = Trial.of(edges, sample_node_pairs(engine, n_held_out), engine.device)
    kept = engine.without(engine.load(graph, model.recipe_.weighting, filter), edges)
    leading = _leading_columns(kept, graph, engine, rule.n_hops, cost)

    def structure() -> float:
        signs = engine.load(graph, Weighting("none"), filter, RandomSigns(graph.node_ids))
        walks = engine.smooth(engine.without(signs, edges), power(rule.structure_hops))
        return trial.score_centred(engine.take(walks, trial.nodes))

    always: dict[str, Callable[[], Any]] = {
        "one column holds the variance": lambda: dominant_column(engine),
        "the features go with the edges": lambda: trial.score_centred(engine.take(leading, trial.nodes)),
        "the embedding is finite": lambda: check_finite(model.embedding_, graph),
        "the rows differ": lambda: check_meaning(model.embedding_, graph, "SCE", []),
    }
    return always, {"structure tells edges better (only if suspicious)": structure}


def measure(name: str, repeats: int) -> dict[str, Any]:
    graph = load_graph(name)
    model = SCE(engine=Memory(device="cpu")).fit(graph)
    fit = fastest(lambda: SCE(engine=Memory(device="cpu")).fit(graph), max(3, repeats // 2))
    always, suspicious = checks_of(model, graph)
    measured = {check: fastest(run, repeats) for check, run in (always | suspicious).items()}
    total = sum(measured[check] for check in always)
    print(f"{name}: fit {fit:.3f} s, checks {100 * total / fit:.2f} %", flush=True)
    return {
        "nodes": graph.n_nodes,
        "features": graph.n_features,
        "edges": graph.n_edges,
        "fit_seconds": fit,
        "check_seconds": measured,
        "share": 100 * total / fit,
    }


def make_tables(kind: str, n_nodes: int, n_edges: int, n_columns: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Edges and features whose columns no name tells: ids of the rows, a count and amounts beside what is looked for."""
    random = np.random.default_rng(0)
    ids = np.arange(n_nodes) if kind == "integers" else np.array([f"konto-{number:07d}" for number in range(n_nodes)])
    ends = random.integers(0, n_nodes, (2, n_edges))
    edges = pd.DataFrame({"buchung": random.permutation(n_edges), "wer": ids[ends[0]], "wen": ids[ends[1]]})
    features = pd.DataFrame({f"x{column}": random.normal(size=n_nodes) for column in range(n_columns - 2)})
    features["besuche"] = random.integers(0, 1000, n_nodes)
    return edges, features.assign(konto=ids).sample(frac=1, random_state=0).reset_index(drop=True)


def measure_tables(kind: str, repeats: int) -> dict[str, Any]:
    edges, features = make_tables(kind, **TABLES)
    graph = from_edges(edges, features=features)
    expected = from_edges(edges, features=features, **NAMED)
    assert np.array_equal(graph.node_ids, expected.node_ids)
    assert np.array_equal(graph.features, expected.features)
    found = fastest(lambda: from_edges(edges, features=features), repeats)
    named = fastest(lambda: from_edges(edges, features=features, **NAMED), repeats)
    fit = fastest(lambda: SCE(engine=Memory(device="cpu")).fit(graph), max(3, repeats // 2))
    share = 100 * (found - named) / (named + fit)
    print(f"tables, {kind}: found {found:.3f} s, named {named:.3f} s, fit {fit:.3f} s: {share:.2f} %", flush=True)
    return {**TABLES, "found_seconds": found, "named_seconds": named, "fit_seconds": fit, "share": share}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default="cora,pubmed,generated")
    parser.add_argument("--tables", default="integers,words")
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    torch.set_num_threads(1)
    points = {name: measure(name, options.repeats) for name in options.graphs.split(",")}
    rows = []
    for name, point in points.items():
        for check, seconds in point["check_seconds"].items():
            rows.append([name, check, 1000 * seconds, 100 * seconds / point["fit_seconds"], None, None])
        rows.append([name, "all that every fit runs", None, point["share"], f"≤ {TARGET:g}", point["share"] <= TARGET])
    sizes = ", ".join(f"{name} {p['nodes']:,} × {p['features']:,}, {p['fit_seconds']:.2f} s" for name, p in points.items())
    tables = {kind: measure_tables(kind, options.repeats) for kind in options.tables.split(",") if kind}
    table_rows = [
        [f"ids: {kind}", 1000 * (p["found_seconds"] - p["named_seconds"]), p["share"], f"≤ {TARGET:g}", p["share"] <= TARGET]
        for kind, p in tables.items()
    ]
    write_results(
        "checks",
        title="What checks cost",
        about=(
            "Each check of a fit's input and result alone, beside the whole fit in memory on one core, in seconds of the "
            "processor "
            f"(nodes × features, seconds of a fit: {sizes}). Generated is a stand-in with 500,000 edges."
        ),
        command="OMP_NUM_THREADS=1 python benchmarks/checks.py",
        tables=[
            {
                "caption": "Milliseconds, and percent of a fit.",
                "columns": ["graph", "check", "ms", "% of a fit", "target", "met"],
                "rows": rows,
            },
            {
                "caption": "Columns of tables found by their values: `from_edges` on frames of 1,000,000 edges and 200,000 "
                "nodes with 20 columns, less the same call with all columns named; percent of that call and `SCE().fit`.",
                "columns": ["tables", "ms", "% of reading and fit", "target", "met"],
                "rows": table_rows,
            },
        ],
        notes=[
            "What overflowed, and why all rows are alike, is looked up only where it happened: that costs a fit nothing.",
            "The trial of structure is run only where linked nodes are hardly more alike than any two, and is not counted.",
        ],
        points={**points, **{f"tables, {kind}": point for kind, point in tables.items()}},
    )


if __name__ == "__main__":
    main()

"""Pairs that must differ: how much they improve an embedding in which something else than the classes prevails.

    python benchmarks/apart.py [--graphs cora,digits,pubmed] [--draws 10]

Papers appear in journals, and papers that cite each other often in the same one. Cora with a journal for every paper, beside
its words, is a graph in which the journal prevails: the directions of largest demand tell journals apart, and topics come
second. Whoever wants topics knows pairs of papers in one journal on different topics. As negatives on top of all pairs they
move the demand to the topics. The journals are made up (40 seeds, each node goes to the seed nearest in hops); words, edges
and topics are Cora's own. The digits are treated likewise; Pubmed stays as it is, and pairs there are of any two nodes.

Every draw makes new journals and halves the nodes: pairs come from one half by its labels, the probe is trained and tested
within the other, so no node of a pair is ever tested. Without pairs and with them over the same splits. "any" pairs are only
known to differ in class, as most pairs do anyway: they say little. The results are saved graph by graph.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from sparsecut import SCE, Graph, Power, datasets
from sparsecut.base.environment import environment_stamp
from sparsecut.evaluation import probe, sample_splits
from sparsecut.io import write_whole

RESULTS = Path(__file__).parent / "results" / "apart.json"
JOURNAL = {
    "cora": 0.5,
    "digits": 2.0,
    "pubmed": 0.0,
}  # length of the journal's column, where a node's features have length 1
N_JOURNALS = 40
N_PAIRS = (50, 200, 1000)
WEIGHT = 10.0  # of every pair: together they demand ten times as much as all pairs of nodes
PER_CLASS = (5, 20)
N_SPLITS = 20

Pairs = NDArray[np.float64]


SOLVERS: dict[str, dict[str, Any]] = {
    "closed form": {"filter": Power(order=2), "weighting": "none"},
    "adam": {"solver": "adam"},
}


def with_journals(graph: Graph, length: float, generator: np.random.Generator) -> tuple[Graph, NDArray[np.int64]]:
    """The graph with unit rows and, beside them, a column for each journal; and the journal of every node."""
    features = graph.features.toarray() if hasattr(graph.features, "toarray") else np.asarray(graph.features)
    features = features / np.linalg.norm(features, axis=1, keepdims=True).clip(1e-12)
    seeds = generator.choice(graph.n_nodes, N_JOURNALS, replace=False)
    hops = shortest_path(graph.adjacency, unweighted=True, indices=seeds)  # (journals, n)
    hops += generator.random(hops.shape)  # of equally near seeds any; out of reach of all, any of all
    hops[~np.isfinite(hops)] = 1e9 * (1 + generator.random(int((~np.isfinite(hops)).sum())))
    journal_of = hops.argmin(axis=0)
    features = np.hstack([features, length * np.eye(N_JOURNALS)[journal_of]]) if length else features
    return Graph(graph.adjacency, features=features, labels=graph.labels), journal_of


def draw_pairs(
    labels: NDArray[Any], journal_of: NDArray[np.int64] | None, nodes: NDArray[np.int64], generator: np.random.Generator
) -> Pairs:
    """Weighted pairs of some nodes that differ in class, within one journal if journals are given."""
    i, j = generator.choice(nodes, size=(2, 500 * max(N_PAIRS)))
    is_pair = labels[i] != labels[j]
    if journal_of is not None:
        is_pair &= journal_of[i] == journal_of[j]
    pairs = np.column_stack([i, j])[is_pair][: max(N_PAIRS)]
    return np.column_stack([pairs, np.full(len(pairs), WEIGHT)])


def measure(name: str, n_draws: int) -> list[dict[str, Any]]:
    bare = datasets.load(name)
    labels = np.asarray(bare.labels)
    length = JOURNAL[name]
    kinds = ("any", "same journal") if length else ("any",)
    accuracies: dict[tuple[str, str, int], list[list[float]]] = {}
    for draw in range(n_draws):
        generator = np.random.default_rng(draw)
        graph, journal_of = with_journals(bare, length, generator)
        known = np.sort(generator.permutation(graph.n_nodes)[: graph.n_nodes // 2])
        tested = labels.copy()
        tested[known] = -1
        splits = [sample_splits(tested, n, N_SPLITS, draw) for n in PER_CLASS]
        cases: dict[tuple[str, int], Pairs | None] = {("none", 0): None}
        for kind in kinds:
            pairs = draw_pairs(labels, journal_of if kind == "same journal" else None, known, generator)
            cases |= {(kind, n): pairs[:n] for n in N_PAIRS}
        for solver, settings in SOLVERS.items():
            for (kind, n), apart in cases.items():
                Z = SCE(apart=apart, **settings).fit_transform(graph)
                scores = [probe(Z, tested, some).mean for some in splits]
                accuracies.setdefault((solver, kind, n), []).append(scores)
        print(f"{name}: draw {draw + 1} of {n_draws}", flush=True)
    rows = []
    for (solver, kind, n), values in accuracies.items():
        table = np.array(values)  # (draws, labels a class)
        gain = table - np.array(accuracies[solver, "none", 0])
        row: dict[str, Any] = {"graph": name, "solver": solver, "pairs": kind, "n_pairs": n, "n_draws": n_draws}
        for column, per_class in enumerate(PER_CLASS):
            row[str(per_class)] = {
                "mean": round(table[:, column].mean(), 2),
                "std": round(table[:, column].std(), 2),
                "gain": round(gain[:, column].mean(), 2),
                "gain_std": round(gain[:, column].std(), 2),
                "n_better": int((gain[:, column] > 0).sum()),
            }
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(JOURNAL))
    parser.add_argument("--draws", type=int, default=10)
    arguments = parser.parse_args()
    results = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    for name in arguments.graphs.split(","):
        rows = measure(name, arguments.draws)
        results = [row for row in results if row["graph"] != name] + rows
        RESULTS.parent.mkdir(exist_ok=True)
        with write_whole(RESULTS) as temporary:
            temporary.write_text(json.dumps({"environment": environment_stamp(), "rows": results}, indent=1) + "\n")
        for row in rows:
            figures = "   ".join(
                f"{n} labels: {row[str(n)]['mean']:.1f} ± {row[str(n)]['std']:.1f} "
                f"({row[str(n)]['gain']:+.2f} ± {row[str(n)]['gain_std']:.2f}, {row[str(n)]['n_better']}/{arguments.draws})"
                for n in PER_CLASS
            )
            print(f"{name:7} {row['solver']:12} {row['n_pairs']:5} {row['pairs']:13} {figures}")


if __name__ == "__main__":
    main()

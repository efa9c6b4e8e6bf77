"""All pairs in place of sampled ones, with the paper's α: the same accuracy, because α has a unit.

    python benchmarks/alpha.py [--datasets cora,citeseer,pubmed] [--seeds 0,1,2]

`SCE.paper(dataset)` with its sampled negatives, with all pairs, and with all pairs and α against their energy as it is, over
the 50 published splits with 5 and 20 labels per class; the mean over seeds. The results are saved dataset by dataset.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut import SCE, datasets
from sparsecut.base.environment import environment_stamp
from sparsecut.evaluation import probe, published_splits
from sparsecut.io.files import write_whole
from sparsecut.operators.negatives import complete_graph, sampled_weight

RESULTS = Path(__file__).parent / "results" / "alpha.json"
DATASETS = ("cora", "citeseer", "pubmed")
ROWS = ("sampled", "complete, α as it is", "complete, α in that unit")
PER_CLASS = (5, 20)


def make(dataset: str, row: str, n_nodes: int, seed: int) -> SCE:
    model = SCE.paper(dataset, random_state=seed)
    if row == "sampled":
        return model
    model.set_params(negatives="complete")
    if row == "complete, α as it is":  # the unit taken out again
        unit = sampled_weight(n_nodes) / complete_graph(n_nodes).total_weight
        model.set_params(solver__alpha=model.get_params()["solver__alpha"] * unit)
    return model


def measure(dataset: str, seeds: list[int]) -> dict[str, Any]:
    graph = datasets.load(dataset)
    scores: dict[str, list[list[float]]] = {row: [] for row in ROWS}
    for row in ROWS:
        for seed in seeds:
            Z = make(dataset, row, graph.n_nodes, seed).fit_transform(graph)
            scores[row].append(
                [probe(Z, graph.labels, published_splits(dataset, per_class, graph.n_nodes)).mean for per_class in PER_CLASS]
            )
    means = {row: np.mean(values, axis=0).round(1).tolist() for row, values in scores.items()}
    print(dataset, means, flush=True)
    return {"dataset": dataset, "seeds": seeds, "scores": scores, "means": means}


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as `docs/method.md` has them."""
    found = {row["dataset"]: row["means"] for row in rows}
    lines = [f"| `SCE.paper(...)` | {' | '.join(name.capitalize() for name in found)} |", "|---" * (len(found) + 1) + "|"]
    for row in ROWS:
        cells = [" / ".join(f"{score:.1f}" for score in means[row]) for means in found.values()]
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--seeds", default="0,1,2")
    options = parser.parse_args()
    for dataset in options.datasets.split(","):
        kept = json.loads(RESULTS.read_text("utf-8"))["rows"] if RESULTS.exists() else []
        rows = [row for row in kept if row["dataset"] != dataset]
        rows.append(measure(dataset, [int(seed) for seed in options.seeds.split(",")]))
        rows.sort(key=lambda row: DATASETS.index(row["dataset"]))
        with write_whole(RESULTS) as temporary:
            temporary.write_text(json.dumps({"environment": environment_stamp(), "rows": rows}, indent=1) + "\n", "utf-8")
    print(table(rows))


if __name__ == "__main__":
    main()

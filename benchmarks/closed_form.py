"""Adam's epochs and the closed form side by side, on the same smoothed features.

    python benchmarks/closed_form.py [--graph cora] [--splits 50]

S = P²F with the paper's filter and features as they are, for all rows of the table; the published splits, probe: paper. The
closed form is sharpened to the effective rank its default has, and to the one that Adam's 20 epochs ended with.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from sparsecut import SCE, Adam, ClosedForm, Power, datasets
from sparsecut.base.environment import environment_stamp
from sparsecut.evaluation import probe, published_splits
from sparsecut.io import write_whole

RESULTS = Path(__file__).parent / "results" / "closed_form.json"
SAME: dict[str, Any] = {"filter": Power(order=2), "weighting": "none"}
N_REPEATS = 3


def measure(name: str, model: SCE, graph: Any, splits: dict[int, Any]) -> dict[str, Any]:
    seconds = []
    for _ in range(N_REPEATS):
        started = time.perf_counter()
        Z = model.fit_transform(graph)
        seconds.append(time.perf_counter() - started)
    row: dict[str, Any] = {"method": name, "effective_rank": round(model.history_.effective_rank, 1)}
    row |= {str(n): round(probe(Z, graph.labels, splits[n]).mean, 2) for n in splits}
    row["seconds"] = round(min(seconds), 3)
    print(f"| {name} | {row['effective_rank']} | {row['5']:.1f} | {row['20']:.1f} | {row['seconds']:.2f} |", flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", default="cora", choices=("cora", "citeseer", "pubmed"))
    parser.add_argument("--splits", type=int, default=50)
    arguments = parser.parse_args()
    graph = datasets.load(arguments.graph)
    splits = {n: published_splits(arguments.graph, n, graph.n_nodes)[: arguments.splits] for n in (5, 20)}
    rows = [
        measure(name, SCE(**SAME, solver=solver), graph, splits)
        for name, solver in {
            "random projection (no epochs)": Adam(loss="none"),
            "Adam, 20 epochs": Adam(epochs=20),
            "Adam, 200 epochs": Adam(epochs=200),
            "Adam, 2,000 epochs": Adam(epochs=2000),
        }.items()
    ]
    same_rank = SCE(**SAME, solver=ClosedForm(effective_rank=rows[1]["effective_rank"]))
    rows.append(measure("closed form, rank of 20 epochs", same_rank, graph, splits))
    rows.append(measure("closed form, rank 16", SCE(**SAME), graph, splits))
    rows.append(measure("closed form, weighting and filter chosen too", SCE(), graph, splits))
    result = {"graph": arguments.graph, "n_splits": arguments.splits, "rows": rows, "environment": environment_stamp()}
    with write_whole(RESULTS) as temporary:
        temporary.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()

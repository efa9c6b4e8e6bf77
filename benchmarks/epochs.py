"""What more epochs do, with and without the L2 penalty, to the loss α/E and to the ratio α·E_G/E of equation opt.

    python benchmarks/epochs.py [--datasets cora,citeseer,pubmed] [--losses inverse,ratio] [--epochs 20,200,2000]

`SCE.paper(dataset)` with loss, l2 and epochs changed and nothing else, seed 0; the 50 published splits with 5 and 20 labels
per class, probe: paper. One fit per loss and penalty is scored on its way: the first steps of a long fit are those of a
short one. `own` is the number of epochs that the paper has for the graph. Results are saved fit by fit, and what is there
is not run again unless `--force` says so.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut import SCE, datasets
from sparsecut.base.environment import environment_stamp
from sparsecut.evaluation import measure_health, probe, published_splits
from sparsecut.io.files import write_whole

RESULTS = Path(__file__).parent / "results" / "epochs.json"
DATASETS = ("cora", "citeseer", "pubmed")
LOSSES = {"inverse": "α/E", "ratio": "α·E_G/E"}
PENALTIES = ("none", "the paper's")
EPOCHS = (20, 200, 2000)
PER_CLASS = (5, 20)


def measure(dataset: str, loss: str, penalty: str, epochs: list[int]) -> dict[str, Any]:
    """One fit, scored at the epochs asked for, at the paper's own number and before the first."""
    graph = datasets.load(dataset)
    splits = {per_class: published_splits(dataset, per_class, graph.n_nodes) for per_class in PER_CLASS}
    own = SCE.paper(dataset).get_params()["solver__epochs"]
    changes = {"solver__loss": loss, "solver__epochs": max(epochs)} | ({"solver__l2": 0.0} if penalty == "none" else {})
    points: list[dict[str, Any]] = []

    def score(epoch: int, Z: Any) -> None:
        lengths = np.linalg.norm(Z - Z.mean(axis=0), axis=1)
        point = {
            "epochs": epoch,
            "effective_rank": round(float(measure_health(Z).effective_rank), 1),
            "length": float(f"{np.sqrt(np.mean(lengths**2)):.3g}"),
            "scores": [round(probe(Z, graph.labels, splits[per_class]).mean, 1) for per_class in PER_CLASS],
        }
        print(dataset, loss, penalty, point, flush=True)
        points.append(point)

    score(0, SCE.paper(dataset, solver__loss="none").fit_transform(graph))
    model = SCE.paper(dataset, **changes)
    asked = {own, *epochs}
    model.fit(graph, callback=lambda epoch, _: score(epoch + 1, model.transform(graph)) if epoch + 1 in asked else None)
    return {"dataset": dataset, "loss": loss, "penalty": penalty, "own": own, "points": points}


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as `docs/method.md` has them."""
    lines = [
        "| graph | loss | penalty | untrained | the paper's epochs | 200 epochs | 2,000 epochs |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        points = {point["epochs"]: point for point in row["points"]}
        cells = [
            f"{points[epochs]['scores'][0]:.1f} / {points[epochs]['scores'][1]:.1f} ({points[epochs]['effective_rank']:.0f})"
            if epochs in points
            else "–"
            for epochs in (0, row["own"], 200, 2000)
        ]
        cells[1] = f"{row['own']}: {cells[1]}"
        lines.append(f"| {row['dataset']} | {LOSSES[row['loss']]} | {row['penalty']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datasets", default=",".join(DATASETS))
    parser.add_argument("--losses", default=",".join(LOSSES))
    parser.add_argument("--epochs", default=",".join(map(str, EPOCHS)))
    parser.add_argument("--force", action="store_true")
    options = parser.parse_args()
    epochs = [int(number) for number in options.epochs.split(",")]
    order = [(dataset, loss, penalty) for dataset in DATASETS for loss in LOSSES for penalty in PENALTIES]
    for dataset, loss, penalty in order:
        rows = json.loads(RESULTS.read_text("utf-8"))["rows"] if RESULTS.exists() else []
        done = [(row["dataset"], row["loss"], row["penalty"]) for row in rows]
        is_asked = dataset in options.datasets.split(",") and loss in options.losses.split(",")
        if not is_asked or ((dataset, loss, penalty) in done and not options.force):
            continue
        rows = [row for row, of in zip(rows, done, strict=True) if of != (dataset, loss, penalty)]
        rows.append(measure(dataset, loss, penalty, epochs))
        rows.sort(key=lambda row: order.index((row["dataset"], row["loss"], row["penalty"])))
        with write_whole(RESULTS) as temporary:
            temporary.write_text(json.dumps({"environment": environment_stamp(), "rows": rows}, indent=1) + "\n", "utf-8")
        print(table(rows))


if __name__ == "__main__":
    main()

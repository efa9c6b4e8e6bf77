"""The paper's probe against the loop it replaces: scikit-learn's liblinear, one-vs-rest, a fit a class and split.

    python benchmarks/probe.py

The 50 published splits of Cora, Citeseer and Pubmed with 5 and 20 labels a class, on SCE's embeddings with the paper's
settings. Both sides train and predict in turn, in this process; the best of several rounds counts for each.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from sparsecut import SCE, Memory, datasets
from sparsecut.base.environment import environment_stamp
from sparsecut.evaluation import Split, probe, published_splits
from sparsecut.io import write_whole

RESULTS = Path(__file__).parent / "results" / "probe.json"


def sklearn_loop(Z: np.ndarray, labels: np.ndarray, splits: list[Split]) -> np.ndarray:
    """The accuracies in percent, one a split."""
    accuracies = []
    for split in splits:
        classifier = OneVsRestClassifier(LogisticRegression(solver="liblinear", C=1.0))
        classifier.fit(Z[split.train], labels[split.train])
        accuracies.append(100 * (classifier.predict(Z[split.test]) == labels[split.test]).mean())
    return np.array(accuracies)


def measure(dataset: str, per_class: int, Z: np.ndarray, labels: np.ndarray, n_rounds: int) -> dict[str, object]:
    splits = published_splits(dataset, per_class, len(Z))
    seconds: dict[str, list[float]] = {"ours": [], "sklearn": []}
    for _ in range(n_rounds):
        started = time.perf_counter()
        ours = probe(Z, labels, splits).accuracies
        seconds["ours"].append(time.perf_counter() - started)
        started = time.perf_counter()
        theirs = sklearn_loop(Z, labels, splits)
        seconds["sklearn"].append(time.perf_counter() - started)
    best = {name: min(values) for name, values in seconds.items()}
    return {
        "dataset": dataset,
        "per_class": per_class,
        "dimension": Z.shape[1],
        "n_splits": len(splits),
        "ours_seconds": round(best["ours"], 4),
        "sklearn_seconds": round(best["sklearn"], 4),
        "ratio": round(best["sklearn"] / best["ours"], 1),
        "ours_accuracy": round(float(ours.mean()), 3),
        "sklearn_accuracy": round(float(theirs.mean()), 3),
        "largest_difference_of_a_split": round(float(np.abs(ours - theirs).max()), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    rows = []
    for dataset in ("cora", "citeseer", "pubmed"):
        graph = datasets.load(dataset)
        Z = SCE.paper(dataset, engine=Memory(device="cpu")).fit_transform(graph)
        for per_class in (5, 20):
            row = measure(dataset, per_class, Z, np.asarray(graph.labels), arguments.rounds)
            rows.append(row)
            print(
                f"{dataset:9} {per_class:2} labels  ours {row['ours_seconds']:.3f} s  sklearn {row['sklearn_seconds']:.3f} s"
                f"  {row['ratio']:5.1f} times faster  accuracy {row['ours_accuracy']:.2f} and {row['sklearn_accuracy']:.2f}",
                flush=True,
            )
    print(f"smallest ratio: {min(float(str(row['ratio'])) for row in rows):.1f}")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    with write_whole(arguments.output) as temporary:
        result = {"environment": environment_stamp(), "n_rounds": arguments.rounds, "rows": rows}
        temporary.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

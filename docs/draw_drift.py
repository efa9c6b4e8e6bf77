"""docs/images/drift.png, drawn from the committed results of `benchmarks/updates.py`:

python docs/draw_drift.py
"""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[1]
COLOURS = {"neighbours of what is there": "#1b6ca8", "class by class": "#c0392b", "in no order": "#6a7b2e"}


def main() -> None:
    points = json.loads((ROOT / "benchmarks/results/updates.json").read_text("utf-8"))["points"]["drift"]
    points = [point for point in points if point["graph"] == "cora"]
    figure, (drift, accuracy) = plt.subplots(1, 2, figsize=(8.4, 3.8), layout="constrained")
    for order, colour in COLOURS.items():
        here = [point for point in points if point["order"] == order]
        nodes = [point["nodes"] for point in here]
        drift.plot(nodes, [point["drift"] for point in here], color=colour, label=order)
        drift.plot(nodes, [point["refit"] for point in here], color=colour, linestyle="--", label="… refitted")
        accuracy.plot(nodes, [point["accuracy"] for point in here], color=colour)
        accuracy.plot(nodes, [point["refit_accuracy"] for point in here], color=colour, linestyle="--")
    drift.axhline(0.25, color="0.7", linewidth=0.8)
    drift.set(xlabel="papers", title="span_drift_ (lines), moved by a refit (dashes)", ylim=(0, None))
    accuracy.set(xlabel="papers", title="Accuracy, 20 labels per class")
    for axes in (drift, accuracy):
        axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    figure.savefig(ROOT / "docs/images/drift.png", dpi=90)


if __name__ == "__main__":
    main()

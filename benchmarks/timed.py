"""Which people rate whom next: structure vectors of earlier ratings, aged by half-lives, on later ones.

    python benchmarks/timed.py

The friendly ratings of Bitcoin OTC (`kinds/bitcoin_otc` under $SPARSECUT_DATA) in the order of their times: the last fifth
is held out, those among people who are known from the others. AUC in percent: the chance that the rated person is nearer to
the rater than one drawn by degree, by the cosine of structure vectors. `auto` sees the earlier ratings alone.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import sparsecut as sc
from results_file import write_results

HALF_LIVES: tuple[Any, ...] = (None, "30d", "90d", "180d", "365d", "auto")
N_DRAWN = 20  # people for each rating
HELD_OUT = 0.2


def later_links(ratings: pd.DataFrame) -> tuple[pd.DataFrame, NDArray[Any], NDArray[Any]]:
    """(earlier ratings, later pairs of known people, and for each of them people drawn by degree)."""
    ratings = ratings.sort_values("time", kind="stable")
    cut = int(len(ratings) * (1 - HELD_OUT))
    earlier, later = ratings[:cut], ratings[cut:]
    ends = earlier[["source", "target"]].to_numpy().ravel()
    later = later[later["source"].isin(ends) & later["target"].isin(ends)]
    drawn = np.random.default_rng(0).choice(ends, size=(N_DRAWN, len(later)))
    return earlier, later[["source", "target"]].to_numpy(), drawn


def auc(Z: NDArray[Any], ids: NDArray[Any], later: NDArray[Any], drawn: NDArray[Any]) -> float:
    Z = Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-12)
    sources, targets, others = (Z[np.searchsorted(ids, part)] for part in (later[:, 0], later[:, 1], drawn))
    found = (sources * targets).sum(axis=1)
    chance = np.sort(np.einsum("md,kmd->km", sources, others).ravel())
    below = np.searchsorted(chance, found) + np.searchsorted(chance, found, side="right")
    return 100 * float(below.mean()) / (2 * len(chance))


def measure(half_life: Any, earlier: pd.DataFrame, later: NDArray[Any], drawn: NDArray[Any]) -> dict[str, Any]:
    edges, ids = earlier[["source", "target", "time"]], np.unique(earlier[["source", "target"]])
    if half_life is None:
        graph = sc.from_edges(edges[["source", "target"]], node_ids=ids)
    else:
        graph = sc.from_edges(edges, node_ids=ids, time="time", half_life=half_life)
    chosen = None if graph.clock is None else graph.clock.half_life / 86400
    Z = sc.SCE(channels="structure").fit_transform(graph, progress=lambda *_: None)
    return {"half_life": str(half_life), "days": chosen, "auc": auc(Z, ids, later, drawn)}


def main() -> None:
    warnings.simplefilter("ignore")
    ratings = pd.read_csv(Path(os.environ["SPARSECUT_DATA"]) / "kinds/bitcoin_otc/ratings.csv.gz")
    split = later_links(ratings[ratings["rating"] > 0])
    points = []
    for half_life in HALF_LIVES:
        points.append(measure(half_life, *split))
        print(points[-1], flush=True)
    rows = [[point["half_life"], point["days"], round(point["auc"], 1)] for point in points]
    write_results(
        "timed",
        title="Edges that age",
        about=__doc__.split("\n\n")[2].replace("\n", " "),
        command="python benchmarks/timed.py",
        tables=[
            {
                "caption": f"AUC on {len(split[1]):,} later ratings, in percent",
                "columns": ["half-life", "days", "AUC"],
                "rows": rows,
            }
        ],
        notes=[],
        points={"timed": points},
    )


if __name__ == "__main__":
    main()

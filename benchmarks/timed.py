"""Which people rate whom next: structure vectors of earlier ratings, aged by half-lives, on later ones.

    python benchmarks/timed.py

The friendly ratings of Bitcoin OTC (`kinds/bitcoin_otc` under $SPARSECUT_DATA) in the order of their times: the last fifth
is held out, those among people who are known from the others. AUC in percent: the chance that the rated person is nearer to
the rater than one drawn by degree, by the cosine of structure vectors. `auto` sees the earlier ratings alone. The same on
made graphs whose people move between groups at different rates (`benchmarks/timed_made.py`), against half-lives of a half,
a fourth … a 128th of the span of time, and none.
"""

from __future__ import annotations

import os
import warnings
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import sparsecut as sc
from results_file import write_results
from timed_made import DRIFTS, ratings_of

HALF_LIVES: tuple[Any, ...] = (None, "30d", "90d", "180d", "365d", "auto")
N_DRAWN = 20  # people for each rating
HELD_OUT = 0.2
POWERS = range(1, 8)  # half-lives of made graphs: these powers of one half, of the span of time


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


def best_and_auto(name: str) -> dict[str, Any]:
    """The best of a grid of half-lives on a made graph, and the one that is chosen."""
    drift = DRIFTS[name]
    split = later_links(ratings_of(drift))
    grid: dict[str, Any] = {"none": None}
    grid |= {f"1/{2**power}": timedelta(seconds=drift.span / 2**power) for power in POWERS}
    if not drift.is_calendar:
        grid |= {f"1/{2**power}": drift.span / 2**power for power in POWERS}
    found = {share: measure(half_life, *split)["auc"] for share, half_life in grid.items()}
    chosen, best = measure("auto", *split), max(found, key=lambda share: found[share])
    days = chosen["days"] * 86400 / drift.span  # of the span
    return {"people move": name, "grid": found, "best": best, "auto": chosen["auc"], "share": days}


def main() -> None:
    warnings.simplefilter("ignore")
    ratings = pd.read_csv(Path(os.environ["SPARSECUT_DATA"]) / "kinds/bitcoin_otc/ratings.csv.gz")
    split = later_links(ratings[ratings["rating"] > 0])
    points = []
    for half_life in HALF_LIVES:
        points.append(measure(half_life, *split))
        print(points[-1], flush=True)
    made = []
    for name in DRIFTS:
        made.append(best_and_auto(name))
        print(made[-1], flush=True)
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
            },
            {
                "caption": "AUC on the last fifth of 12,000 made edges, in percent; half-lives in spans of all times",
                "columns": ["people move", "no ageing", "best half-life", "AUC", "auto", "AUC of auto"],
                "rows": [
                    [
                        point["people move"],
                        round(point["grid"]["none"], 1),
                        point["best"],
                        round(point["grid"][point["best"]], 1),
                        round(point["share"], 3),
                        round(point["auto"], 1),
                    ]
                    for point in made
                ],
            },
        ],
        notes=[],
        points={"timed": points, "made": made},
    )


if __name__ == "__main__":
    main()

"""Whether a rating is friendly, and how far unfriendly pairs are apart: vectors of a signed graph on held-out ratings.

    python benchmarks/signed.py [--draws 1]

A fifth of the ratings of Bitcoin OTC (`kinds/bitcoin_otc` under $SPARSECUT_DATA) is held out at random. AUC in percent of a
logistic regression on the vectors of the two ends and their product, that learns from the other ratings; mean distance of
unfriendly, of random and of friendly held-out pairs. Vectors: of the friendly ratings alone, and of the signed graph, where
unfriendly ratings are demands and counts of roles.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparsecut as sc
from results_file import write_results

HELD_OUT = 0.2
N_RANDOM = 20_000
VECTORS = ("friendly edges, structure", "friendly edges", "signed, undirected", "signed")  # the last two by SCE()


def vectors_of(name: str, ratings: pd.DataFrame, ids: NDArray[Any]) -> NDArray[Any]:
    options: dict[str, Any] = {"weight": "rating", "node_ids": ids, "directed": "out"}
    edges = ratings[["source", "target", "rating"]]
    if name.startswith("friendly"):
        graph = sc.from_edges(edges[edges["rating"] > 0], **options)
    else:
        options |= {"directed": "symmetrize"} if name.endswith("undirected") else {}
        graph = sc.from_edges(edges, signed=True, **options)
    channels: Any = "structure" if name.endswith("structure") else "auto"
    return sc.SCE(channels=channels).fit_transform(graph, progress=lambda *_: None)


def measure(name: str, ratings: pd.DataFrame, seed: int) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    ids = np.unique(ratings[["source", "target"]])
    is_held_out = generator.random(len(ratings)) < HELD_OUT
    Z = vectors_of(name, ratings[~is_held_out], ids)
    ends = [np.searchsorted(ids, ratings[column]) for column in ("source", "target")]
    pairs = np.hstack([Z[ends[0]], Z[ends[1]], Z[ends[0]] * Z[ends[1]]])
    is_friendly = ratings["rating"].to_numpy() > 0
    probe = make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=500))
    probe.fit(pairs[~is_held_out], is_friendly[~is_held_out])
    auc = 100 * roc_auc_score(is_friendly[is_held_out], probe.decision_function(pairs[is_held_out]))
    distances = np.linalg.norm(Z[ends[0]] - Z[ends[1]], axis=1)
    random = generator.integers(0, len(ids), (2, N_RANDOM))
    return {
        "vectors": name,
        "seed": seed,
        "auc": auc,
        "unfriendly": float(distances[is_held_out & ~is_friendly].mean()),
        "random": float(np.linalg.norm(Z[random[0]] - Z[random[1]], axis=1).mean()),
        "friendly": float(distances[is_held_out & is_friendly].mean()),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1)
    n_draws = parser.parse_args().draws
    warnings.simplefilter("ignore")
    ratings = pd.read_csv(Path(os.environ["SPARSECUT_DATA"]) / "kinds/bitcoin_otc/ratings.csv.gz")
    points = []
    for name in VECTORS[::-1]:
        for seed in range(n_draws):
            points.append(measure(name, ratings, seed))
            print(points[-1], flush=True)
    rows = []
    for name in VECTORS:
        own = [point for point in points if point["vectors"] == name]
        figures = (float(np.mean([point[key] for point in own])) for key in ("auc", "unfriendly", "random", "friendly"))
        rows.append([name, *(round(figure, 2) for figure in figures)])
    write_results(
        "signed",
        title="Signed graphs",
        about=__doc__.split("\n\n")[2].replace("\n", " "),
        command="python benchmarks/signed.py",
        tables=[
            {
                "caption": f"Held-out ratings, the mean of {n_draws} draw(s)",
                "columns": ["vectors", "AUC", "unfriendly", "random", "friendly"],
                "rows": rows,
            }
        ],
        notes=[],
        points={"signed": points},
    )


if __name__ == "__main__":
    main()

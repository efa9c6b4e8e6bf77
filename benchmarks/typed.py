"""A graph of authors, papers, terms and venues, taken as one graph: the areas of the authors from their vectors.

    python benchmarks/typed.py [--draws 10]

DBLP with 4,057 authors, 14,328 papers, 7,723 terms and 20 venues, under `kinds/dblp_typed` of $SPARSECUT_DATA. All nodes are
in one graph, and the features of each type are columns of their own: words of authors, words of papers, vectors of terms. No
two ends of an edge have a column in common. Printed is the micro-F1 of a logistic regression that knows a fifth of the 1,217
authors with a label, the mean and the deviation of ten draws.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from sparsecut import SCE, Graph

TYPES = ("author", "paper", "term", "venue")
EDGES = (("author", "paper"), ("paper", "term"), ("paper", "venue"))
MODELS = {
    "default": SCE(),
    "features alone": SCE(features="given"),
    "structure alone": SCE(channels="structure"),
    "roles alone": SCE(channels="roles"),
}
TRAIN_SHARE = 0.2


def load_flat(root: Path) -> tuple[Graph, NDArray[np.int64], NDArray[Any]]:
    """The graph, the positions of the labelled authors, and their areas."""
    ids = np.concatenate([pd.read_csv(root / f"{name}.csv.gz").iloc[:, 0].to_numpy() for name in TYPES])
    place = pd.Series(np.arange(len(ids)), index=ids)
    pairs = [place[pd.read_csv(root / f"{a}_{b}.csv.gz").iloc[:, :2].to_numpy().ravel()].to_numpy() for a, b in EDGES]
    i, j = np.concatenate([ends.reshape(-1, 2) for ends in pairs]).T
    half = sp.coo_array((np.ones(len(i), dtype=np.float32), (i, j)), shape=(len(ids), len(ids))).tocsr()
    words = [sp.load_npz(root / f"{name}_words.npz") for name in ("author", "paper")]
    vectors = np.load(root / "term_vectors.npz")
    terms = sp.csr_array(vectors[vectors.files[0]].astype(np.float32))
    n_venues = len(ids) - sum(block.shape[0] for block in (*words, terms))
    features = sp.csr_array(sp.block_diag([*words, terms, sp.csr_array((n_venues, 0))]), dtype=np.float32)
    labels = pd.read_csv(root / "author_labels.csv")
    graph = Graph(sp.csr_array(half + half.T), features=features, node_ids=ids)
    return graph, place[labels.iloc[:, 0].to_numpy()].to_numpy(), labels.iloc[:, 1].to_numpy()


def micro_f1(Z: NDArray[Any], labels: NDArray[Any], n_draws: int) -> NDArray[np.float64]:
    scores = []
    for seed in range(n_draws):
        order = np.random.default_rng(seed).permutation(len(labels))
        n_train = round(TRAIN_SHARE * len(labels))
        train, test = order[:n_train], order[n_train:]
        probe = LogisticRegression(max_iter=1000).fit(Z[train], labels[train])
        scores.append(100 * probe.score(Z[test], labels[test]))  # of one label per node, accuracy is micro-F1
    return np.array(scores)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=10)
    arguments = parser.parse_args()
    graph, authors, areas = load_flat(Path(os.environ["SPARSECUT_DATA"]) / "kinds" / "dblp_typed")
    warnings.simplefilter("ignore")
    for name, model in MODELS.items():
        scores = micro_f1(model.fit_transform(graph, progress=lambda *_: None)[authors], areas, arguments.draws)
        print(f"{name:16s} {scores.mean():.1f} ± {scores.std():.1f}", flush=True)
        if name == "default":
            print(model.explain())

"""Structure as places: what contraction costs and saves, new nodes, two sides. Each part prints a table.

    OMP_NUM_THREADS=1 python benchmarks/places.py scores [--graphs cora,dblp,…]     whole graph against 4,096 groups
    OMP_NUM_THREADS=1 python benchmarks/places.py new [--left-out 0.1]              a tenth of the nodes comes after the fit
    OMP_NUM_THREADS=1 python benchmarks/places.py time                              beside the default fit, generated graphs
    OMP_NUM_THREADS=1 python benchmarks/places.py sides                             held-out ratings of MovieLens by cosine

Rows are scored after two hops of the mean over neighbours, as an embedding of structure has them; seconds are those of the
processor. New nodes: the probe learns from 20 known nodes per class and is scored on the new ones alone, whose places are
their neighbours' means; beside it a fit with them, and Nyström's extension N_new·V·Λ⁻¹ on the whole graph. New nodes of
MovieLens keep half of their ratings, and the other half is ranked among random pairs.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from sparsecut import SCE, Graph, datasets
from sparsecut.evaluation import probe, sample_splits
from sparsecut.features import places, proximity
from sparsecut.features.places import EFFECTIVE_RANK, N_ITERATIONS, ROW_LENGTH, Places
from sparsecut.features.proximity import MIN_SHARE, log_proximity
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.spectrum import leading_eigenvectors, sharpening
from sparsecut.operators.propagation import propagation_matrix
from standins import stand_in

GRAPHS = ("cora", "citeseer", "pubmed", "facebook", "dblp", "wiki", "amazon_photo", "blogcatalog")
HOST = torch.device("cpu")

Rows = NDArray[np.float32]


def scores(names: list[str]) -> None:
    """Accuracy with 5 and 20 labels per class and the seconds of places and rows, without contraction and with it."""
    for name in names:
        graph = datasets.load(name)
        found = []
        for n_groups, n_products in ((graph.n_nodes, np.inf), (places.N_GROUPS, proximity.MAX_PRODUCTS)):
            started = time.process_time()
            with (
                mock.patch.object(places, "N_GROUPS", n_groups),
                mock.patch.object(proximity, "MAX_PRODUCTS", n_products),
            ):
                fitted = Places.fit(graph.adjacency, graph.node_ids)
            rows = fitted.rows(graph.adjacency, graph.node_ids)
            seconds = time.process_time() - started
            P = propagation_matrix(graph.adjacency)
            splits = [sample_splits(graph.labels, per_class, n_splits=20) for per_class in (5, 20)]
            accuracies = [probe(P @ (P @ rows), graph.labels, some).mean for some in splits]
            found.append(f"{accuracies[0]:.1f} / {accuracies[1]:.1f} in {seconds:.2f} s, {fitted.nbytes / 2**20:.1f} MiB")
        print(f"{name:14} {graph.n_nodes:7,} nodes | whole {found[0]} | groups {found[1]}", flush=True)


def new_nodes(left_out: float) -> None:
    """The score of nodes that came after the fit."""
    for name, n_runs in (("cora", 10), ("facebook", 3)):
        graph = datasets.load(name)
        labels = np.unique(np.asarray(graph.labels), return_inverse=True)[1]
        runs = [_newcomers(graph, labels, left_out, np.random.default_rng(seed)) for seed in range(n_runs)]
        print("{:14} accuracy: fitted with them {:.1f}, mean {:.1f}, Nyström {:.1f}".format(name, *np.mean(runs, axis=0)))
    A = movielens()
    runs = [_new_raters(A, left_out, np.random.default_rng(seed)) for seed in range(3)]
    print("{:14} AUC: fitted with them {:.1f}, mean {:.1f}, Nyström {:.1f}".format("movielens", *np.mean(runs, axis=0)))


def timings() -> None:
    """Seconds of the default fit, and of places and rows."""
    for n_nodes, n_edges, n_features in ((20_000, 100_000, 500), (169_343, 1_166_243, 128)):
        graph = stand_in(n_nodes=n_nodes, n_edges=n_edges, n_features=n_features, n_classes=40)
        SCE().fit_transform(graph)  # first use of everything
        started = time.process_time()
        SCE().fit_transform(graph)
        embedded = time.process_time()
        fitted = Places.fit(graph.adjacency, graph.node_ids)
        placed = time.process_time()
        fitted.rows(graph.adjacency, graph.node_ids)
        print(
            f"{n_nodes:9,} nodes, {n_edges:9,} edges: default {embedded - started:.2f} s, places {placed - embedded:.2f} s, "
            f"rows {time.process_time() - placed:.2f} s, {fitted.nbytes / 2**20:.1f} MiB",
            flush=True,
        )


def sides() -> None:
    """AUC of held-out ratings by cosine, among user–movie pairs and any pairs: of the default's vectors, and of places."""
    A = movielens()
    ids, first_movie = np.arange(A.shape[0]), int(sp.triu(A).tocoo().col.min())
    quiet = {"progress": lambda *_: None}
    ways = {
        "SCE()": lambda training: SCE().fit_transform(Graph(training), **quiet),
        "places, a mean per side": lambda training: Places.fit(training, ids).rows(training, ids),
        "places, one mean": lambda training: Places.fit(training, ids, sides=np.zeros(len(ids))).rows(training, ids),
    }
    for name, rows_of in ways.items():
        aucs = []
        for seed in range(3):
            generator = np.random.default_rng(seed)
            training, held = _without(A, generator.random(A.nnz // 2) < 0.1)
            rows = rows_of(training)
            crossing = generator.integers([0, first_movie], [first_movie, len(ids)], (len(held), 2))
            any_pairs = generator.integers(0, len(ids), (len(held), 2))
            aucs.append([_auc(rows, held, _absent(A, pairs)) for pairs in (crossing, any_pairs)])
        print("movielens, {}: {:.1f} among user–movie pairs, {:.1f} among any".format(name, *np.mean(aucs, axis=0)))


def movielens() -> sp.csr_array:
    """The ratings as a graph without weights: users first, then movies."""
    ratings = pd.read_csv(Path(os.environ["SPARSECUT_DATA"]) / "kinds" / "movielens" / "ratings.csv.gz")
    user, movie = (np.unique(ratings[column], return_inverse=True)[1] for column in ("user_id", "item_id"))
    movie = movie + user.max() + 1
    n_nodes = int(movie.max()) + 1
    upper = sp.coo_array((np.ones(len(user), dtype=np.float32), (user, movie)), shape=(n_nodes, n_nodes)).tocsr()
    return sp.csr_array(upper + upper.T)


def nystrom(A: sp.csr_array, is_known: NDArray[np.bool_]) -> Rows:
    """Rows by N_new·V·Λ⁻¹ for new nodes and V for known ones, no node contracted, one mean for all."""
    known, new = np.flatnonzero(is_known), np.flatnonzero(~is_known)
    N = SparseMatrix(log_proximity(sp.csr_array(A[known][:, known]), MIN_SHARE), HOST)
    n_columns = min(128, len(known))
    eigenvalues, vectors = leading_eigenvectors(
        N.__matmul__, len(known), n_columns, device=HOST, n_iterations=N_ITERATIONS, seed=0
    )
    sizes = eigenvalues.clamp(min=0)
    weights = (sizes / sizes.max()) ** sharpening(sizes.square(), EFFECTIVE_RANK) * (sizes > 0)
    place = np.zeros((A.shape[0], n_columns), dtype=np.float32)
    place[known] = (vectors * weights).numpy()
    inverse = torch.where(sizes > 0, 1 / eigenvalues, 0)
    place[new] = sp.csr_array(log_proximity(A, MIN_SHARE)[new][:, known]) @ (vectors * weights * inverse).numpy()
    rows = propagation_matrix(A) @ place
    rows = rows - np.average(rows[known], axis=0, weights=A.sum(axis=1)[known])
    return np.asarray(rows * (ROW_LENGTH / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6)))


def _ways(A: sp.csr_array, is_known: NDArray[np.bool_], node_ids: NDArray[Any]) -> list[Rows]:
    """The rows of a graph, fitted whole, with new nodes at their neighbours' means, and by Nyström."""
    known = np.flatnonzero(is_known)
    part = Places.fit(sp.csr_array(A[known][:, known]), node_ids[known])
    return [Places.fit(A, node_ids).rows(A, node_ids), part.rows(A, node_ids), nystrom(A, is_known)]


def _newcomers(graph: Graph, labels: NDArray[np.int64], left_out: float, generator: np.random.Generator) -> list[float]:
    is_known = np.ones(graph.n_nodes, dtype=bool)
    is_known[generator.choice(graph.n_nodes, int(left_out * graph.n_nodes), replace=False)] = False
    examples = [np.flatnonzero(is_known & (labels == label)) for label in np.unique(labels)]
    train = np.concatenate([generator.choice(nodes, min(20, len(nodes)), replace=False) for nodes in examples])
    P = propagation_matrix(graph.adjacency)
    found = []
    for rows in _ways(graph.adjacency, is_known, graph.node_ids):
        smoothed = P @ (P @ rows)
        learned = LogisticRegression(max_iter=500).fit(smoothed[train], labels[train])
        found.append(100 * learned.score(smoothed[~is_known], labels[~is_known]))
    return found


def _new_raters(A: sp.csr_array, left_out: float, generator: np.random.Generator) -> list[float]:
    n_nodes = A.shape[0]
    is_known = np.ones(n_nodes, dtype=bool)
    is_known[generator.choice(n_nodes, int(left_out * n_nodes), replace=False)] = False
    upper = sp.triu(A).tocoo()
    is_held = ~(is_known[upper.row] & is_known[upper.col]) & (generator.random(upper.nnz) < 0.5)
    training, held = _without(A, is_held)
    first_movie = int(upper.col.min())
    other = held.copy()  # the new node stays, the other end is drawn at random
    is_user = ~is_known[held[:, 0]]
    other[is_user, 1] = generator.integers(first_movie, n_nodes, is_user.sum())
    other[~is_user, 0] = generator.integers(0, first_movie, (~is_user).sum())
    return [_auc(rows, held, _absent(A, other)) for rows in _ways(training, is_known, np.arange(n_nodes))]


def _without(A: sp.csr_array, is_held: NDArray[np.bool_]) -> tuple[sp.csr_array, NDArray[np.int64]]:
    """The graph less some of its edges, and these."""
    upper = sp.triu(A).tocoo()
    kept = (upper.data[~is_held], (upper.row[~is_held], upper.col[~is_held]))
    training = sp.coo_array(kept, shape=A.shape).tocsr()
    return sp.csr_array(training + training.T), np.stack([upper.row[is_held], upper.col[is_held]], axis=1).astype(np.int64)


def _absent(A: sp.csr_array, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    return pairs[np.asarray(A[pairs[:, 0], pairs[:, 1]]).ravel() == 0]


def _auc(rows: Rows, edges: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    cosines = [(rows[pairs[:, 0]] * rows[pairs[:, 1]]).sum(axis=1) for pairs in (edges, others)]
    return 100 * float(roc_auc_score(np.repeat([1, 0], [len(edges), len(others)]), np.concatenate(cosines)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("scores", "new", "time", "sides"))
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--left-out", type=float, default=0.1, help="the share of nodes that come after the fit")
    options = parser.parse_args()
    if options.part == "scores":
        scores(options.graphs.split(","))
    elif options.part == "new":
        new_nodes(options.left_out)
    else:
        {"time": timings, "sides": sides}[options.part]()


if __name__ == "__main__":
    main()

"""An approximate index: the vectors in lists around centroids, of which a query searches the nearest few.

k-means (faiss) finds about 4·√n centroids on a sample; every vector is in the list of its nearest one. A query compares
itself with all centroids, then with the vectors of the `n_probed` nearest lists. For the metric "product", the largest inner
products, lists are those of the Euclidean distance, and a query goes by its products with the centroids: long vectors are
together in lists whose centroids are long. How many lists it takes is measured here,
not assumed: the number is doubled until a sample of the vectors finds its true neighbours as often as was asked.

What is learned is two plain arrays, the centroids and each vector's list. They are what is saved, a hundredth of the
vectors' size; a file is checked like any other input, and no foreign library parses it. On the same machine with the same
number of threads the same seed gives the same arrays.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, import_extra
from sparsecut.base.progress import Reporter
from sparsecut.kernels.exact_search import Positions, Vectors, distances_to, exact_nearest
from sparsecut.kernels.hashing import hash_order

Ids = NDArray[Any]

INDEXES = ("auto", "exact", "approximate")
EXACT_NODES = 50_000  # up to which no index is built: one query is a millisecond of matrix product
PRODUCT = "product"
K_MEASURED = 10  # recall@10
N_MEASURED = 500  # vectors whose true neighbours are found to measure it
POINTS_PER_LIST = 64  # of the sample that k-means runs on
N_ROUNDS = 10  # of k-means; more change the recall by less than it is measured to
FEW_QUERIES = 64
CHANGED_SHARE = 0.1  # of the vectors: then the recall is measured again
ADDED = 2**16  # vectors added at a time


def is_large(n_nodes: int) -> bool:
    """Whether so many vectors are searched faster with an index."""
    return n_nodes > EXACT_NODES


def wants_index(index: str, n_nodes: int) -> bool:
    """Whether a choice of INDEXES builds one: "auto" does for many vectors, if the library for it is installed."""
    if index == "auto":
        return is_large(n_nodes) and importlib.util.find_spec("faiss") is not None
    return index == "approximate"


@dataclass
class Inverted:
    """A built index: centroids (l, d), the list of each vector (n,), how many lists a query searches."""

    metric: str
    centroids: Vectors
    list_of: NDArray[np.int32]
    n_probed: int
    recall: float
    index: Any  # faiss's
    n_changed: int = 0  # vectors, since the recall was measured

    def nearest(self, queries: Vectors, k: int) -> Positions:
        """The positions (q, k) of near vectors, nearest first; −1 where the lists held fewer than k."""
        self.index.nprobe = self.n_probed
        with _threads_for(len(queries)):
            return np.asarray(self.index.search(np.ascontiguousarray(queries), k)[1], dtype=np.int64)

    def follow(self, vectors: Vectors, positions: Positions, ids: Ids, recall: float, seed: int) -> None:
        """Put new vectors at some positions, those behind the last one in a row, into the lists nearest to them.

        The centroids stay. When a tenth of the vectors have changed the recall is measured again, and more lists are
        searched where it takes more.
        """
        faiss: Any = import_extra("faiss", caller="Neighbors.update", extra="search")

        known = positions[positions < len(self.list_of)]
        if self.index.direct_map.type != faiss.DirectMap.Hashtable:
            self.index.set_direct_map_type(faiss.DirectMap.Hashtable)  # so that nothing is searched for
        self.index.remove_ids(faiss.IDSelectorArray(len(known), faiss.swig_ptr(np.ascontiguousarray(known))))
        rows = np.ascontiguousarray(vectors[positions])
        lists = self.index.quantizer.search(rows, 1)[1][:, 0]
        _add(self.index, rows, lists, positions)
        self.list_of = np.concatenate([self.list_of, np.empty(len(vectors) - len(self.list_of), dtype=np.int32)])
        self.list_of[positions] = lists
        self.n_changed += len(positions)
        if self.n_changed > CHANGED_SHARE * len(vectors):
            # Half as many may be missed: what comes until the next measurement is missed more often.
            generator = np.random.default_rng(seed)
            measured = _recall_of_sample(vectors, self.metric, hash_order(ids), generator, lambda *_: None)
            _search_enough(self, (1 + recall) / 2, measured)
            self.n_changed = 0


def build_inverted(
    vectors: Vectors,
    metric: str,
    ids: Ids,
    recall: float,
    seed: int,
    report: Reporter,
    *,
    caller: str = "Neighbors",
    measured: Callable[[Inverted], float] | None = None,
) -> Inverted:
    """Cluster, fill the lists, and find how many of them a query must search.

    ids : of the vectors: samples are drawn by them, so that another order of the vectors has the same
    measured : the recall that an index reaches as it is; by default that of a sample of the vectors.
    """
    faiss = import_extra("faiss", caller=f"{caller}(index='approximate')", extra="search")
    generator, order = np.random.default_rng(seed), hash_order(ids)
    n_rows, dimension = vectors.shape
    n_lists = max(1, min(2 ** round(math.log2(4 * math.sqrt(n_rows))), n_rows // POINTS_PER_LIST))
    sample = order[np.sort(generator.choice(n_rows, min(n_rows, n_lists * POINTS_PER_LIST), replace=False))]
    report("centroids", 0, 1)
    kmeans = faiss.Kmeans(
        dimension, n_lists, niter=N_ROUNDS, seed=seed + 1, spherical=metric == "cosine", min_points_per_centroid=1
    )
    kmeans.train(vectors[sample])
    report("centroids", 1, 1)
    index = _empty_index(kmeans.centroids, metric)
    nearest = index.quantizer if metric != PRODUCT else _flat(kmeans.centroids, faiss.IndexFlatL2)
    list_of = np.empty(n_rows, dtype=np.int32)
    for start in range(0, n_rows, ADDED):
        part = slice(start, start + ADDED)
        list_of[part] = nearest.search(np.ascontiguousarray(vectors[part]), 1)[1][:, 0]
        _add(index, vectors[part], list_of[part])
        report("index", min(start + ADDED, n_rows), n_rows)
    built = Inverted(metric, np.asarray(kmeans.centroids), list_of, 1, 0.0, index)
    _search_enough(built, recall, measured or _recall_of_sample(vectors, metric, order, generator, report))
    return built


def restore_inverted(
    vectors: Vectors, metric: str, centroids: Vectors, list_of: NDArray[np.int32], n_probed: int, recall: float
) -> Inverted:
    """An index from its saved arrays and the vectors they belong to."""
    import_extra("faiss", caller="Neighbors.load", extra="search")
    index = _empty_index(centroids, metric)
    for start in range(0, len(vectors), ADDED):
        _add(index, vectors[start : start + ADDED], list_of[start : start + ADDED])
    return Inverted(metric, centroids, list_of, n_probed, recall, index)


def measure_recall(found: Positions, vectors: Vectors, sample: Positions, metric: str, kth: NDArray[np.float32]) -> float:
    """The share of the k true neighbours that were found.

    One that is as near as the k-th true one is a true one, too: where vectors are equal, which of them is found is chance.
    """
    k = K_MEASURED + 1  # the vector itself is its own first neighbour
    distances = distances_to(vectors, vectors[sample], np.maximum(found[:, :k], 0), metric)
    is_near = (distances <= kth[:, None] * (1 + 1e-5) + 1e-6) & (found[:, :k] >= 0)
    return float(is_near.sum() / (len(sample) * min(k, len(vectors))))


def _search_enough(built: Inverted, recall: float, measured: Callable[[Inverted], float]) -> None:
    """Double the number of lists that a query searches until an index reaches a recall."""
    built.recall = measured(built)
    while built.recall < recall and built.n_probed < len(built.centroids):
        built.n_probed = min(2 * built.n_probed, len(built.centroids))
        built.recall = measured(built)


def _recall_of_sample(
    vectors: Vectors, metric: str, order: Positions, generator: np.random.Generator, report: Reporter
) -> Callable[[Inverted], float]:
    """How often an index finds the true neighbours of a sample of its vectors."""
    sample = np.sort(order[generator.choice(len(vectors), min(N_MEASURED, len(vectors)), replace=False)])
    queries = vectors[sample]
    true = exact_nearest(vectors, queries, K_MEASURED + 1, metric, report)
    kth = distances_to(vectors, queries, true, metric)[:, -1]
    return lambda built: measure_recall(built.nearest(queries, K_MEASURED + 1), vectors, sample, metric, kth)


@contextmanager
def _threads_for(n_queries: int) -> Iterator[None]:
    """One thread for a few queries: waking the others takes longer than the answer, many times so on a busy machine."""
    import faiss

    usual = faiss.omp_get_max_threads()
    if n_queries < FEW_QUERIES:
        faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(usual)


def _empty_index(centroids: Vectors, metric: str) -> Any:
    import faiss

    is_distance = metric == "euclidean"
    quantizer = _flat(centroids, faiss.IndexFlatL2 if is_distance else faiss.IndexFlatIP)
    kind = faiss.METRIC_L2 if is_distance else faiss.METRIC_INNER_PRODUCT
    index = faiss.IndexIVFFlat(quantizer, centroids.shape[1], len(centroids), kind)
    index.train(np.ascontiguousarray(centroids))  # the centroids are there already: this only marks the index as ready
    return index


def _flat(centroids: Vectors, kind: Any) -> Any:
    """The centroids, to be searched by comparing all."""
    found = kind(centroids.shape[1])
    found.add(np.ascontiguousarray(centroids, dtype=np.float32))
    return found


def _add(index: Any, rows: Vectors, lists: NDArray[np.int32], positions: Positions | None = None) -> None:
    """Add rows to their lists; they stand behind those that are there, or at some positions."""
    import faiss

    rows, lists_64 = np.ascontiguousarray(rows), np.ascontiguousarray(lists, dtype=np.int64)
    ids = None if positions is None else faiss.swig_ptr(np.ascontiguousarray(positions))
    index.add_core(len(rows), faiss.swig_ptr(rows), ids, faiss.swig_ptr(lists_64))


def check_arrays(centroids: Any, list_of: Any, vectors: Vectors, what: str) -> None:
    """Refuse arrays that no build can have left: the index would read beyond its memory."""
    is_right = (
        centroids.ndim == 2
        and centroids.shape[1] == vectors.shape[1]
        and centroids.dtype == np.float32
        and len(centroids) > 0
        and bool(np.isfinite(centroids).all())
        and list_of.shape == (len(vectors),)
        and list_of.dtype == np.int32
        and bool((list_of >= 0).all() and (list_of < len(centroids)).all())
    )
    if not is_right:
        raise InputError(f"{what} is damaged: its arrays do not fit together. Build the index again.")

"""Nearest neighbours in an embedding: by node, by vector, or of all nodes at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_choice, check_integer, check_real, first_few
from sparsecut.base.progress import Reporter, reporting
from sparsecut.explore.index_file import read_index, write_index
from sparsecut.graph import Graph, Ids, as_id_array, names_of_columns, rows_and_ids
from sparsecut.io.edges.ids import check_unique
from sparsecut.io.edges.node_lookup import Lookup
from sparsecut.kernels.exact_search import (
    METRICS,
    Positions,
    Vectors,
    check_vectors,
    distances_to,
    exact_nearest,
    fingerprint,
    prepare,
)
from sparsecut.kernels.inverted import INDEXES, Inverted, build_inverted, check_arrays, restore_inverted, wants_index

BATCH = 4096  # queries answered between two reports of progress


class Nearest(NamedTuple):
    """The nearest nodes of each query, one row per query, nearest first.

    Attributes
    ----------
    ids : array (q, k)
        The ids of the nodes.
    distances : float32 array (q, k)
        Their distances from the query.
    positions : int array (q, k)
        Their rows in the embedding.
    """

    ids: Ids
    distances: NDArray[np.float32]
    positions: Positions


class Neighbors:
    """Search an embedding for the nearest neighbours of nodes or vectors.

    Parameters
    ----------
    embedding : array or frame (n, d)
        One finite vector per node. A frame brings its ids: the index of a pandas frame, or a column named id.
    ids : array (n,), optional
        The nodes' ids, each once; by default those that a frame brings, or 0 to n − 1.
    metric : {"cosine", "euclidean"}, default="cosine"
        The distance: 1 − cos, which ignores the lengths of vectors, or the Euclidean distance. A vector of zeros has the
        cosine distance 1 from every other.
    index : {"auto", "exact", "approximate"}, default="auto"
        "exact" compares a query with every vector. "approximate" builds an index (extra ``search``), which answers many
        times faster and misses few neighbours. "auto" builds one for more than 50,000 nodes if the extra is installed.
    recall : float, default=0.99
        The share of true nearest neighbours that an approximate index must find. It is measured on a sample when the index
        is built; `recall_` is what was reached.
    random_state : int, default=0
        The seed of the index.
    progress : callable, optional
        Called as progress(stage, done, total) in place of the progress bar, which appears after two seconds.

    Attributes
    ----------
    ids : array (n,)
        The ids of the nodes.
    metric : str
        The distance.
    is_exact : bool
        Whether a query is compared with every vector.
    recall_ : float
        Recall@10 measured against exact search on 500 nodes; 1.0 where the search is exact.

    Raises
    ------
    InputError
        If the vectors are not a finite matrix, or an id is missing or repeated.

    Examples
    --------
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> Z = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> sc.Neighbors(Z, ["a", "b", "c"]).query("a", k=2).ids.tolist()
    [['b', 'c']]
    """

    def __init__(
        self,
        embedding: ArrayLike,
        ids: ArrayLike | None = None,
        *,
        metric: str = "cosine",
        index: str = "auto",
        recall: float = 0.99,
        random_state: int = 0,
        progress: Reporter | None = None,
    ) -> None:
        check_choice("Neighbors", "index", index, INDEXES)
        check_real("Neighbors", "recall", recall, above=0)
        check_integer("Neighbors", "random_state", random_state, 0)
        self._take(embedding, ids, metric)
        self._recall, self._seed = min(recall, 1.0), random_state
        self._index: Inverted | None = None
        if wants_index(index, len(self.ids)):
            with reporting(progress) as report:
                self._index = build_inverted(self._vectors, metric, self.ids, self._recall, random_state, report)

    def _take(self, embedding: ArrayLike, ids: ArrayLike | None, metric: str) -> None:
        """Check the vectors and their ids, and keep what searching needs."""
        self.metric = check_choice("Neighbors", "metric", metric, METRICS)
        rows, given = rows_and_ids(embedding, ids=ids)
        self._names = names_of_columns(embedding)  # of the coordinates, where a frame has them
        Z = check_vectors(rows)
        self.ids = np.arange(len(Z)) if given is None else as_id_array(given, "The list of ids given to Neighbors")
        if self.ids.shape != (len(Z),):
            raise InputError(f"An embedding needs one id per row. Got {len(Z):,} rows and ids of shape {self.ids.shape}.")
        check_unique(self.ids, "The embedding")
        self._lookup: Lookup | None = None
        self._is_own = False  # whether the vectors are a copy, which may be written to
        self._embedding = Z
        self._vectors = prepare(Z, metric)

    @property
    def is_exact(self) -> bool:
        """Whether a query is compared with every vector."""
        return self._index is None

    @property
    def recall_(self) -> float:
        """Recall@10 as measured when the index was built; 1.0 for exact search."""
        return 1.0 if self._index is None else self._index.recall

    def __repr__(self) -> str:
        n_nodes, dimension = self._vectors.shape
        how = "exact" if self._index is None else f"approximate, recall@10 {self._index.recall:.4f} on a sample"
        return f"Neighbors({n_nodes:,} nodes × {dimension}, {self.metric}, {how})"

    def query(self, nodes: Any, k: int = 10) -> Nearest:
        """Find the nearest nodes of one node or several, given by id. A node is not its own neighbour.

        Parameters
        ----------
        nodes : id or sequence of ids
            The nodes; integers may be given as text and the other way round. No ids give an answer without rows.
        k : int, default=10
            The number of neighbours per node; fewer where the embedding has fewer nodes.

        Returns
        -------
        Nearest
            `ids`, `distances` and `positions`, each with one row per requested node.

        Raises
        ------
        InputError
            If the embedding does not have a node.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> near = sc.Neighbors(np.array([[0.0], [1.0], [3.0]]), ["a", "b", "c"], metric="euclidean")
        >>> found = near.query(["a", "c"], k=1)
        >>> found.ids.tolist(), found.distances.tolist()
        ([['b'], ['b']], [[1.0], [2.0]])
        """
        asked = _asked(nodes)
        if self._lookup is None:
            self._lookup = Lookup(self.ids)
        positions = self._lookup.find(asked, "The query", "the embedding")
        return self._answer(self._others(positions, self._check_k(k, len(self.ids) - 1)), positions)

    def query_vectors(self, vectors: ArrayLike, k: int = 10) -> Nearest:
        """Find the nodes nearest to vectors that need not be in the embedding, for example those of new nodes.

        Parameters
        ----------
        vectors : array or frame (q, d), or array (d,)
            The vectors, of the embedding's dimension. The ids that a frame brings are not used; its columns are matched by
            name where the embedding was a frame too, and taken in their order where it was not.
        k : int, default=10
            The number of nodes per vector; fewer where the embedding has fewer.

        Returns
        -------
        Nearest
            `ids`, `distances` and `positions`, each with one row per vector.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> near = sc.Neighbors(np.eye(3), ["x", "y", "z"])
        >>> near.query_vectors([0.1, 2.0, 0.3], k=2).ids.tolist()
        [['y', 'z']]
        """
        names, rows = names_of_columns(vectors), np.atleast_2d(np.asarray(rows_and_ids(vectors, "The frame of vectors")[0]))
        if names is not None and self._names is not None and names != self._names:
            if sorted(names) != sorted(self._names):
                raise InputError(
                    f"The frame of vectors must have the columns of the embedding, {first_few(self._names)}. Got "
                    f"{first_few(names)}. Pass an array to take them in their order."
                )
            rows = rows[:, [names.index(name) for name in self._names]]
        is_empty = rows.shape == (0, self._vectors.shape[1])
        queries = rows.astype(np.float32) if is_empty else check_vectors(rows)
        if queries.shape[1] != self._vectors.shape[1]:
            raise InputError(f"The vectors must have {self._vectors.shape[1]} columns. Got {queries.shape[1]}.")
        queries = prepare(queries, self.metric)
        positions = self._search(queries, self._check_k(k, len(self.ids)))
        return Nearest(self.ids[positions], distances_to(self._vectors, queries, positions, self.metric), positions)

    def nearest(self, k: int = 10, *, progress: Reporter | None = None) -> Nearest:
        """Find the nearest nodes of every node.

        Parameters
        ----------
        k : int, default=10
            The number of neighbours per node; fewer where the embedding has fewer nodes.
        progress : callable, optional
            Called as progress(stage, done, total) in place of the progress bar.

        Returns
        -------
        Nearest
            `ids`, `distances` and `positions`, each with one row per node in the order of the embedding.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> sc.Neighbors(np.array([[0.0], [1.0], [3.0]]), metric="euclidean").nearest(k=1).ids.tolist()
        [[1], [0], [1]]
        """
        k = self._check_k(k, len(self.ids) - 1)
        everyone = np.arange(len(self.ids))
        found = np.empty((len(everyone), k), dtype=np.int64)
        with reporting(progress) as report:
            for start in range(0, len(everyone), BATCH):
                part = everyone[start : start + BATCH]
                found[part] = self._others(part, k)
                report("nearest neighbours", int(part[-1]) + 1, len(everyone))
        return self._answer(found, everyone)

    def matrix(self, k: int = 10, *, progress: Reporter | None = None) -> sp.csr_array:
        """Return the distances to the nearest nodes as a sparse matrix.

        It is that of scikit-learn's ``kneighbors_graph(mode="distance")``, for scanpy and for estimators with
        ``metric="precomputed"``.

        Parameters
        ----------
        k : int, default=10
            The number of neighbours per node.
        progress : callable, optional
            Called as progress(stage, done, total) in place of the progress bar.

        Returns
        -------
        scipy.sparse.csr_array (n, n)
            One row per node; distances of zero are stored entries.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> sc.Neighbors(np.array([[0.0], [1.0], [3.0]]), metric="euclidean").matrix(k=1).toarray().tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
        """
        found = self.nearest(k, progress=progress)
        n_nodes, k = found.positions.shape
        pointers = np.arange(0, n_nodes * k + 1, k)
        matrix = sp.csr_array((found.distances.ravel(), found.positions.ravel(), pointers), shape=(n_nodes, n_nodes))
        matrix.sort_indices()
        return matrix

    def graph(self, k: int = 10, *, progress: Reporter | None = None) -> Graph:
        """Return the undirected graph that joins every node to its nearest nodes.

        The weight of an edge is (1 + cos)/2, or 1/(1 + distance) for Euclidean distances: 1 for equal vectors, and above 0.

        Parameters
        ----------
        k : int, default=10
            The number of neighbours per node. A node has more edges where it is a neighbour of others.
        progress : callable, optional
            Called as progress(stage, done, total) in place of the progress bar.

        Returns
        -------
        Graph
            With the embedding's ids.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> sc.Neighbors(np.array([[0.0], [1.0], [3.0]]), metric="euclidean").graph(k=1).n_edges
        2
        """
        distances = self.matrix(k, progress=progress)
        weights = 1 - distances.data / 2 if self.metric == "cosine" else 1 / (1 + distances.data)
        kept = np.maximum(weights, np.finfo(np.float32).tiny)  # opposite vectors are joined all the same
        one_way = sp.csr_array((kept, distances.indices, distances.indptr), shape=distances.shape)
        return Graph(one_way.maximum(one_way.T), node_ids=self.ids)

    def update(self, ids: ArrayLike, rows: ArrayLike, *, removed: Any = ()) -> None:
        """Follow vectors that changed: those of known nodes are replaced, others added, and some taken out.

        An approximate index keeps its centroids: a vector goes into the list nearest to it. When a tenth of the
        vectors have changed `recall_` is measured again, and queries search more lists where that is needed. New
        nodes and removed ones cost a copy of the vectors, so many in one call are faster than one by one.

        Parameters
        ----------
        ids : array (m,)
            Nodes, each once.
        rows : array (m, d)
            Their vectors.
        removed : list of ids, default=()
            Nodes to take out; those that are not there are passed over.

        Raises
        ------
        InputError
            If the vectors do not fit; nothing has changed then.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> near = sc.Neighbors(np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]), ["a", "b", "c"])
        >>> near.update(["c", "d"], np.array([[1.0, 0.05], [0.0, 1.0]]), removed=["b"])
        >>> near.query("a", k=1).ids.tolist()
        [['c']]
        """
        what = "The list of ids given to Neighbors.update"
        named = np.asarray(ids)
        changed = as_id_array(named, what) if len(named) else self.ids[:0]
        Z = check_vectors(rows) if len(changed) else self._embedding[:0]
        if Z.shape != (len(changed), self._embedding.shape[1]):
            raise InputError(
                f"Neighbors.update takes one row of {self._embedding.shape[1]} numbers for each id. "
                f"Got {len(changed):,} ids and rows of shape {Z.shape}."
            )
        check_unique(changed, "The update")
        if len(changed) and (changed.dtype.kind in "iu") != (self.ids.dtype.kind in "iu"):
            raise InputError(f"The ids of the update are not of the kind of the embedding's, such as {self.ids[0]!r}.")
        gone = set(_asked(list(removed)).tolist())
        if gone:
            self._take_out(np.array([identity not in gone for identity in self.ids.tolist()], dtype=bool))
        order = np.argsort(self.ids, kind="stable")
        spots = np.searchsorted(self.ids, changed, sorter=order).clip(max=len(order) - 1)
        positions = order[spots]
        is_new = self.ids[positions] != changed
        positions[is_new] = len(self.ids) + np.arange(int(is_new.sum()))
        if is_new.any() or not self._is_own:
            self.ids = np.concatenate([self.ids, changed[is_new]])
            self._embedding = np.concatenate([self._embedding, Z[is_new]])
            self._vectors = np.concatenate([self._vectors, prepare(Z[is_new], self.metric)])
            self._lookup, self._is_own = None, True
        self._embedding[positions], self._vectors[positions] = Z, prepare(Z, self.metric)
        if self._index is not None and len(positions):
            self._index.follow(self._vectors, positions, self.ids, self._recall, self._seed)

    def _take_out(self, stays: NDArray[np.bool_]) -> None:
        if not stays.any():
            raise InputError("The update leaves no vector.")
        self.ids, self._embedding, self._vectors = self.ids[stays], self._embedding[stays], self._vectors[stays]
        self._lookup, self._is_own = None, True
        if self._index is not None:
            kept, n_changed = self._index, self._index.n_changed + int((~stays).sum())
            arrays = kept.centroids, kept.list_of[stays], kept.n_probed, kept.recall
            self._index = restore_inverted(self._vectors, self.metric, *arrays)
            self._index.n_changed = n_changed

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the index, without the vectors, so that `load` need not build it again.

        Parameters
        ----------
        path : str or Path
            The file to write, in safetensors' format.
        overwrite : bool, default=False
            Whether to replace a file that exists.

        Raises
        ------
        InputError
            If the search is exact, which has no index, or the file cannot be written.
        """
        if self._index is None:
            raise InputError("An exact search has no index to save: Neighbors(embedding, ids) is as fast as loading it.")
        header = {"metric": self.metric, "n_probed": self._index.n_probed, "recall": self._index.recall}
        arrays = {"centroids": self._index.centroids, "list_of": self._index.list_of}
        write_index(path, {**header, "belongs_to": fingerprint(self._embedding, self.ids)}, arrays, overwrite)

    @classmethod
    def load(cls, path: str | Path, embedding: ArrayLike, ids: ArrayLike | None = None) -> Neighbors:
        """Restore a search from an index written by `save` and the embedding it was built for.

        Parameters
        ----------
        path : str or Path
            The index.
        embedding : array or frame (n, d)
            The vectors that the index was built for.
        ids : array (n,), optional
            Their ids, as they were given then.

        Returns
        -------
        Neighbors

        Raises
        ------
        InputError
            If the file is not an index, or belongs to other vectors, ids or another order.
        """
        header, arrays = read_index(path)
        self = object.__new__(cls)
        self._recall, self._seed = 0.99, 0
        self._take(embedding, ids, str(header.get("metric")))
        if header.get("belongs_to") != fingerprint(self._embedding, self.ids):
            raise InputError(
                f"The index {path} does not belong to this embedding: it was built for other vectors or ids. "
                "Build it again: Neighbors(embedding, ids), or sparsecut neighbors --rebuild."
            )
        what = f"The index {path}"
        centroids, list_of = (arrays.get(name, np.empty(0)) for name in ("centroids", "list_of"))
        check_arrays(centroids, list_of, self._vectors, what)
        n_probed = check_integer(what, "n_probed", header.get("n_probed"), 1)
        recall = check_real(what, "recall", header.get("recall"))
        self._index = restore_inverted(self._vectors, self.metric, centroids, list_of, n_probed, recall)
        return self

    def _check_k(self, k: int, most: int) -> int:
        return min(check_integer("Neighbors", "k", k, 1), most)

    def _search(self, queries: Vectors, k: int) -> Positions:
        """Positions (q, k); where the index finds too few, the rest is searched exactly."""
        if self._index is None or not len(queries):
            return exact_nearest(self._vectors, queries, k, self.metric)
        found = self._index.nearest(queries, k)
        short = np.flatnonzero((found < 0).any(axis=1))
        if len(short):
            found[short] = exact_nearest(self._vectors, queries[short], k, self.metric)
        return found

    def _others(self, positions: Positions, k: int) -> Positions:
        """The k nearest of nodes, themselves left out: one more is searched, and the node or else the last dropped."""
        found = self._search(self._vectors[positions], k + 1)
        is_self = found == positions[:, None]
        is_self[~is_self.any(axis=1), -1] = True  # crowded out by others that are equal to it
        return np.asarray(found[~is_self].reshape(len(positions), found.shape[1] - 1)[:, :k])

    def _answer(self, found: Positions, asked: Positions) -> Nearest:
        return Nearest(self.ids[found], distances_to(self._vectors, self._vectors[asked], found, self.metric), found)


def _asked(nodes: Any) -> NDArray[Any]:
    """The ids of a query: one, or any number of them in a row."""
    if isinstance(nodes, set | frozenset | dict):
        raise InputError(f"A query takes one id or a list of ids, and answers in their order. Got a {type(nodes).__name__}.")
    asked = np.asarray([nodes] if isinstance(nodes, str) or np.ndim(nodes) == 0 else nodes)
    if asked.ndim != 1:
        raise InputError(f"A query takes one id or a list of ids. Got an array of shape {asked.shape}.")
    return asked

"""A hierarchy: the sparsest cut of the graph, then of each side, down to single nodes.

Dasgupta (2016) gave such trees a cost, Σ_edges w_ij · (leaves below the lowest common ancestor of i and j), and recursive
sparsest cut approximates its least value (Charikar and Chatziafratis, 2017). The height of a split is the number of nodes
below it, which always grows towards the root, so the tree is a SciPy linkage whose cophenetic distances are exactly the
factors of that cost.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_integer, import_extra
from sparsecut.base.progress import Reporter, reporting
from sparsecut.cuts.cut_input import graph_to_cut, material
from sparsecut.cuts.cut_report import Reported
from sparsecut.cuts.kway import by_size
from sparsecut.cuts.objective import Real
from sparsecut.cuts.recursion import cut_down
from sparsecut.graph import Graph

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Nodes = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class Hierarchy(Reported):
    """A binary tree over the nodes of a graph, as `hierarchy` returns it.

    Attributes
    ----------
    linkage : array (n - 1, 4)
        The tree in SciPy's form: the two clusters joined, the height (the number of nodes below) and the number of nodes.
        `scipy.cluster.hierarchy.dendrogram(tree.linkage)` draws it.
    values : array (n - 1,)
        φ′ of each split within its own nodes, in the order of the linkage: the last one is the cut of the whole graph.
    cost : float
        Dasgupta's cost of the tree on the graph's own edges; smaller is better.
    graph : Graph
        The graph that was cut.
    """

    linkage: Real
    values: Real
    cost: float
    graph: Graph = field(compare=False)

    def cut(self, *, parts: int | None = None, level: int | None = None) -> Nodes:
        """Cut the tree into parts. Give one of `parts` and `level`.

        Parameters
        ----------
        parts : int, optional
            The number of parts. Of the splits that can be made next, the sparsest is made, until there are so many parts.
        level : int, optional
            The number of splits from the top: level 0 is the whole graph, level 1 its two sides, level 2 up to four parts.

        Returns
        -------
        int array (n,)
            The part of every node, 0 … k - 1, the largest part first.

        Raises
        ------
        InputError
            If both or neither are given, or there are more parts than nodes.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> tree = sc.hierarchy(sc.Graph(np.kron(np.eye(2), np.ones((3, 3)))))  # two triangles
        >>> tree.cut(parts=2).tolist(), tree.cut(level=0).tolist()
        ([0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0])
        """
        if (parts is None) == (level is None):
            raise InputError("Hierarchy.cut needs either parts= or level=. Got both or neither.")
        n = self.graph.n_nodes
        if level is not None:
            check_integer("Hierarchy.cut", "level", level, minimum=0)
            return by_size(self._leaves(self._open_levels(level)))
        count = check_integer("Hierarchy.cut", "parts", parts, minimum=1)
        if count > n:
            raise InputError(
                f"The parts parameter of Hierarchy.cut must be at most the number of nodes, {n:,}. Got {count}."
            )
        return by_size(self._leaves(self._open_sparsest(count)))

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the tree as columns of a table with one row per cluster, the nodes first, the whole graph last.

        Returns
        -------
        dict of str to array (2n - 1,)
            `id` (of a node), `parent`, `left` and `right` (rows of the table), `size`, `value` (φ′ of the split), and `type`
            (of a node, in a graph with types); masked where a cluster has none. The rows with a `left` are those of the
            linkage.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> columns = sc.hierarchy(sc.Graph(np.ones((2, 2)), node_ids=["a", "b"])).columns()
        >>> columns["id"].tolist(), columns["parent"].tolist(), columns["size"].tolist()
        (['a', 'b', None], [2, 2, None], [1, 1, 2])
        """
        n = self.graph.n_nodes
        none = np.full(n, -1)
        children = self.linkage[:, :2].astype(np.int64)
        parent = np.full(2 * n - 1, -1)
        parent[children[:, 0]] = parent[children[:, 1]] = np.arange(n, 2 * n - 1)

        def of_nodes(values: NDArray[Any]) -> NDArray[Any]:
            return np.ma.MaskedArray(np.concatenate([values, values[: n - 1]]), np.arange(2 * n - 1) >= n)

        links = {
            name: np.ma.masked_equal(np.concatenate([none, children[:, side]]), -1)
            for side, name in enumerate(("left", "right"))
        }
        return {
            "id": of_nodes(self.graph.node_ids),
            "parent": np.ma.masked_equal(parent, -1),
            **links,
            "size": np.concatenate([np.ones(n, dtype=np.int64), self.linkage[:, 3].astype(np.int64)]),
            "value": np.ma.MaskedArray(np.concatenate([np.zeros(n), self.values]), np.arange(2 * n - 1) < n),
            **({} if self.graph.types is None else {"type": of_nodes(self.graph.types)}),
        }

    def to_frame(self) -> Any:
        """Return `columns` as a pandas frame, one row per cluster. Needs pandas (extra ``pandas``).

        Returns
        -------
        pandas.DataFrame
            The columns of `columns`, missing where a cluster has none.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> frame = sc.hierarchy(sc.Graph(np.ones((2, 2)), node_ids=["a", "b"])).to_frame()
        >>> frame["size"].tolist(), frame["parent"].isna().tolist()
        ([1, 1, 2], [False, False, True])
        """
        pandas = import_extra("pandas", caller="to_frame", extra="pandas")
        whole = {"parent": "Int64", "left": "Int64", "right": "Int64"}
        columns = {name: column.tolist() for name, column in self.columns().items()}
        return pandas.DataFrame(columns).astype(whole)

    def draw(self, path: str | Path | None = None, *, n_leaves: int = 30, overwrite: bool = False) -> Figure:
        """Draw the uppermost splits as a dendrogram. Needs matplotlib (extra ``explore``).

        Parameters
        ----------
        path : str or Path, optional
            A file to write the picture to: .png, .svg or .pdf.
        n_leaves : int, default=30
            The number of clusters at the foot of the picture.
        overwrite : bool, default=False
            Whether to replace a file that exists.

        Returns
        -------
        matplotlib.figure.Figure
            The picture; a split stands at the number of nodes below it.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> figure = sc.hierarchy(sc.Graph(np.ones((4, 4)))).draw("tree.png", overwrite=True)
        """
        from sparsecut.cuts.drawing import draw_tree

        check_integer("Hierarchy.draw", "n_leaves", n_leaves, minimum=2)
        if self.graph.n_nodes < 2:
            raise InputError("Hierarchy.draw needs a split to draw. The graph has one node.")
        return draw_tree(self.linkage, n_leaves, repr(self)[len("Hierarchy(") : -1], path, overwrite=overwrite)

    def __repr__(self) -> str:
        top = f", first cut φ′ {self.values[-1]:.4g}" if len(self.values) else ""
        return f"Hierarchy({self.graph.n_nodes:,} nodes, Dasgupta's cost {self.cost:.6g}{top})"

    def _open_levels(self, level: int) -> list[int]:
        n = self.graph.n_nodes
        current = [2 * n - 2]
        for _ in range(level):
            if all(cluster < n for cluster in current):
                break
            current = [child for cluster in current for child in self._children(cluster)]
        return current

    def _open_sparsest(self, count: int) -> list[int]:
        n = self.graph.n_nodes
        closed: list[int] = []
        ready = [(0.0, 2 * n - 2)]
        while ready and len(ready) + len(closed) < count:
            _, cluster = heapq.heappop(ready)
            for child in self._children(cluster):
                if child < n:
                    closed.append(child)
                else:
                    heapq.heappush(ready, (float(self.values[child - n]), child))
        return closed + [cluster for _, cluster in ready]

    def _children(self, cluster: int) -> list[int]:
        n = self.graph.n_nodes
        return [cluster] if cluster < n else [int(child) for child in self.linkage[cluster - n, :2]]

    def _leaves(self, clusters: list[int]) -> Nodes:
        """The cluster above every node."""
        n = self.graph.n_nodes
        above = np.full(2 * n - 1, -1)
        above[clusters] = clusters
        for row in range(n - 2, -1, -1):  # parents come after their children, so this walks from the root down
            if above[n + row] >= 0:
                above[self.linkage[row, :2].astype(np.int64)] = above[n + row]
        return above[:n]


def hierarchy(
    graph: Any,
    *,
    use: str = "structure",
    embedding: ArrayLike | None = None,
    random_state: int = 0,
    progress: Reporter | None = None,
) -> Hierarchy:
    """Cut a graph in two by the sparsest cut, then each side again, down to single nodes.

    Up to 2,000 nodes every split is the sparsest cut that a quick search finds. In larger graphs a split has at least a
    tenth of its nodes on the smaller side and is METIS' where that is installed (extra ``cuts``), and clusters of at most
    128 nodes are joined bottom up by average linkage. That takes n log n: half a minute for 100,000 nodes.

    Parameters
    ----------
    graph : Graph, an adjacency, a networkx or igraph graph, or a path
        Undirected; weights count.
    use : {"structure", "embedding", "both"}, default="structure"
        What is cut: the graph's edges; the graph that joins each node to its ten nearest neighbours in the embedding; or
        the sum of the two, scaled to the same total weight. Use "both" where features say more than the edges.
    embedding : array or frame (n, d), optional
        One vector per node, for use="embedding" and use="both"; a frame is matched to the nodes by the ids it brings. By
        default `SCE` embeds the graph, which must have features.
    random_state : int, default=0
        Seed of the clustering and of the eigensolver's start. The same seed gives the same tree.
    progress : callable, optional
        Called as progress(stage, done, total) in place of the progress bar, which appears after two seconds.

    Returns
    -------
    Hierarchy
        `linkage`, `values`, `cost`, and `cut(parts=k)` or `cut(level=d)`.

    Raises
    ------
    InputError
        If the graph is directed, or use="embedding" or "both" without features or an embedding.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> A = np.kron(np.eye(2), np.ones((3, 3)))  # two triangles
    >>> A[2, 3] = A[3, 2] = 1
    >>> tree = sc.hierarchy(sc.Graph(A))
    >>> tree.cut(parts=2).tolist(), tree.cost
    ([0, 0, 0, 1, 1, 1], 22.0)
    """
    graph = graph_to_cut(graph)
    seed = check_integer("hierarchy", "random_state", random_state, minimum=0)
    with reporting(progress) as report:
        source = material(graph, use, embedding, "hierarchy")
        linkage, values = cut_down(source, np.random.default_rng(seed), report)
    return Hierarchy(linkage, values, dasgupta_cost(graph.adjacency, linkage), graph)


def dasgupta_cost(A: sp.csr_array, linkage: Real) -> float:
    """Dasgupta's cost of a tree: Σ over edges of weight × number of leaves below the lowest common ancestor of the ends.

    Parameters
    ----------
    A : sparse matrix (n, n)
        The symmetric adjacency of the graph.
    linkage : array (n - 1, 4)
        The tree in SciPy's form.

    Returns
    -------
    float
        The cost; smaller is better.

    Notes
    -----
    With the leaves in the order of the tree, the lowest common ancestor of two is the highest of the splits between
    neighbours from one to the other, which a table of maxima over 2ⁱ neighbours finds for all edges at once.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from sparsecut.cuts import dasgupta_cost
    >>> path = sp.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> dasgupta_cost(path, np.array([[0, 1, 2, 2], [2, 3, 3, 3]]))  # one edge below two leaves, one below three
    5.0
    """
    n = A.shape[0]
    if n < 2:
        return 0.0
    edges = sp.triu(sp.csr_array(A, dtype=np.float64), 1).tocoo()
    sizes = np.concatenate([np.ones(n, dtype=np.int64), np.asarray(linkage)[:, 3].astype(np.int64)])
    children, first = np.asarray(linkage)[:, :2].astype(np.int64), np.zeros(2 * n - 1, dtype=np.int64)
    between = np.zeros(n - 1, dtype=np.int64)  # the split between each leaf of the order and the next
    for row in range(n - 2, -1, -1):
        one, other = children[row]
        first[one] = first[n + row]
        first[other] = first[one] + sizes[one]
        between[first[other] - 1] = row
    highest = [between]
    while 2 ** len(highest) <= n - 1:
        half = 2 ** (len(highest) - 1)
        highest.append(np.maximum(highest[-1][:-half], highest[-1][half:]))
    low, high = (np.sort(first[:n][np.column_stack([edges.row, edges.col])], axis=1) - [0, 1]).T
    level = np.log2(np.maximum(high - low + 1, 1)).astype(np.int64)
    total = 0.0
    for number, table in enumerate(highest):
        at = np.flatnonzero(level == number)
        rows = np.maximum(table[low[at]], table[high[at] - 2**number + 1])
        total += float((edges.data[at] * sizes[n + rows]).sum())
    return total

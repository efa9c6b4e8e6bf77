"""Classes of graphs for the growth of structure: meshes, types, and the widest rows there are; the same each time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut import Graph, from_tables

EXPONENT = 0.8  # of the power law: a node's chance of an edge falls as its number to this power
DEGREE = 10  # mean, of the power law
SIDES = 10  # one side of the bipartite graph has so many times the nodes of the other


def star(n_edges: int) -> Graph:
    """One node joined to all others."""
    return _graph(n_edges + 1, *_spokes(n_edges))


def power_law(n_edges: int) -> Graph:
    """Both ends of an edge drawn in proportion to number^(−0.8)."""
    n_nodes = max(2 * n_edges // DEGREE, 2)
    chance = np.arange(1, n_nodes + 1) ** -EXPONENT
    i, j = np.random.default_rng(0).choice(n_nodes, (2, n_edges), p=chance / chance.sum())
    return _graph(n_nodes, i, j)


def complete_bipartite(n_edges: int) -> Graph:
    """Every node of one side joined to every node of the other, which has ten times as many."""
    n_left = max(round((n_edges / SIDES) ** 0.5), 1)
    i, j = np.meshgrid(np.arange(n_left), np.arange(n_left, n_left * (SIDES + 1)))
    return _graph(n_left * (SIDES + 1), i.ravel(), j.ravel())


def hub(n_edges: int, *, is_weighted: bool = False, directed: str = "symmetrize") -> Graph:
    """One node joined to all others, and as many edges at random."""
    n_spokes = n_edges // 2
    generator = np.random.default_rng(0)
    i, j = _spokes(n_spokes)
    others = generator.integers(1, n_spokes + 1, (2, n_edges - n_spokes))
    weights = generator.exponential(size=n_edges) + 1e-3 if is_weighted else np.ones(n_edges)
    return _graph(n_spokes + 1, np.append(i, others[0]), np.append(j, others[1]), weights, directed)


def mesh(n_edges: int) -> Graph:
    """A square grid: each node joined to the next of its row and of its column."""
    side = max(round((n_edges / 2) ** 0.5), 2)
    node = np.arange(side * side).reshape(side, side)
    i = np.concatenate([node[:, :-1].ravel(), node[:-1].ravel()])
    return _graph(side * side, i, np.concatenate([node[:, 1:].ravel(), node[1:].ravel()]))


def typed(n_edges: int) -> Graph:
    """A third authors and the rest papers: half of the edges are written papers, half cited ones, all at random."""
    generator, n_nodes = np.random.default_rng(0), max(2 * n_edges // DEGREE, 6)
    n_authors = n_nodes // 3
    author, paper = (f"a{number}" for number in range(n_authors)), (f"p{number}" for number in range(n_nodes - n_authors))
    names = {"author": np.array(list(author)), "paper": np.array(list(paper))}
    edges = {
        (one, word, "paper"): pd.DataFrame(
            {"from": generator.choice(names[one], n_edges // 2), "to": generator.choice(names["paper"], n_edges // 2)}
        )
        for one, word in (("author", "writes"), ("paper", "cites"))
    }
    return from_tables(nodes={kind: pd.DataFrame({"id": ids}) for kind, ids in names.items()}, edges=edges)


FAMILIES: dict[str, Callable[[int], Graph]] = {
    "mesh": mesh,
    "typed": typed,
    "star": star,
    "power law": power_law,
    "complete bipartite": complete_bipartite,
    "hub": hub,
    "weighted hub": lambda n_edges: hub(n_edges, is_weighted=True),
    "outward hub": lambda n_edges: hub(n_edges, directed="out"),
    "inward hub": lambda n_edges: hub(n_edges, directed="in"),
}


def _spokes(n_leaves: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.zeros(n_leaves, dtype=np.int64), np.arange(1, n_leaves + 1)


def _graph(
    n_nodes: int,
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    weights: NDArray[np.float64] | None = None,
    directed: str = "symmetrize",
) -> Graph:
    values = np.ones(len(i)) if weights is None else weights
    apart = i != j
    adjacency = sp.coo_array((values[apart].astype(np.float32), (i[apart], j[apart])), shape=(n_nodes, n_nodes)).tocsr()
    if weights is None:
        adjacency.data[:] = 1  # drawn twice is drawn once
    if directed == "symmetrize":
        adjacency = adjacency.maximum(adjacency.T)
    return Graph(adjacency, directed=directed)

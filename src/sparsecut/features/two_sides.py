"""Whether a graph has two sides, such as users and movies, every edge joining one to the other; and which node is on which.

Sides are found by levels: a node, its neighbours, theirs, and so on. An edge between two nodes of one level closes a cycle
of odd length, and a graph with such a cycle has no sides. Most graphs have one among the neighbours of the node of highest
degree, so the search begins there and ends with it; the other components are then searched all at once.

In each component the node of highest degree is on side 0, of equal ones that with the smallest hash of its id.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.kernels.hashing import hash_ids

Sides = NDArray[np.int8]
UNSEEN = -1


def two_sides(links: sp.csr_array, node_ids: NDArray[Any]) -> Sides | None:
    """The side of every node, 0 or 1, or None where the graph does not have two; `links` is symmetric.

    A node without neighbours is on side 0.
    """
    degrees = np.diff(links.indptr)
    order = np.lexsort((hash_ids(node_ids), -degrees))  # by degree, highest first
    sides = np.full(links.shape[0], UNSEEN, dtype=np.int8)
    if not len(order) or not _search(links, order[:1], sides):
        return None if len(order) else sides
    if (sides == UNSEEN).any():
        component = sp.csgraph.connected_components(links, directed=False)[1]
        first = np.unique(component[order], return_index=True)[1]  # of each component the place of its highest degree
        starts = order[first]
        if not _search(links, starts[sides[starts] == UNSEEN], sides):
            return None
    return sides if (sides == 1).any() else None


def _search(links: sp.csr_array, starts: NDArray[np.int64], sides: Sides) -> bool:
    """Whether the components of the starts, one of each, have two sides; writes them into `sides`."""
    level, side = starts, np.int8(0)
    sides[level] = side
    while len(level):
        around = _neighbours(links, level)
        found = sides[around]
        if (found == side).any():
            return False
        side = np.int8(1 - side)
        level = np.unique(around[found == UNSEEN])
        sides[level] = side
    return True


def _neighbours(links: sp.csr_array, nodes: NDArray[np.int64]) -> NDArray[Any]:
    """The neighbours of some nodes, one list after the other."""
    starts, counts = links.indptr[nodes], links.indptr[nodes + 1] - links.indptr[nodes]
    ends = np.cumsum(counts)
    places = np.arange(ends[-1]) + np.repeat(starts - (ends - counts), counts)
    neighbours: NDArray[Any] = links.indices[places]
    return neighbours

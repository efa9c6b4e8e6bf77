"""The best candidates of a node."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph import Ids


class Recommended(NamedTuple):
    """The best candidates of a node, best first.

    Attributes
    ----------
    ids : array (k,)
        Their ids.
    scores : float array (k,)
        By which they are ranked; they compare candidates of one node.
    probabilities : float array (k,)
        Of a link between the node and each of them.
    positions : int array (k,)
        Their rows in the graph.
    """

    ids: Ids
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    positions: NDArray[np.int64]


def first_candidates(scores: NDArray[np.floating], may: NDArray[np.bool_], k: int, ids: Ids) -> NDArray[np.int64]:
    """The positions of the k best that may be chosen, best first; of equals those of the smallest ids."""
    candidates = np.flatnonzero(may)
    values = scores[candidates]
    if len(candidates) > k:
        kth = np.partition(values, len(values) - k)[len(values) - k]
        near = values >= kth  # with all that tie with the last
        candidates, values = candidates[near], values[near]
    return np.asarray(candidates[np.lexsort((ids[candidates], -values))[:k]])

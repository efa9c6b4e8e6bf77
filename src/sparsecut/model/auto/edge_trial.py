"""Edges held out of a graph, ranked against other pairs of nodes, and whether the features rank them better than chance.

The score is the AUC: the chance that an edge ranks above another pair, by the cosine of its ends' rows. Three scores say
whether the features of a graph go with its edges:

- alike: by the features as they are, no hop taken, in their leading directions;
- embedded: by the embedding, with the best restart;
- structure: by no features at all, random signs averaged over five hops, whose cosines are those of two nodes' short walks.

Structure often predicts edges better than features that are worth far more (BlogCatalog: embedded 0.73, structure
0.79, accuracy of the features 90 %, of the structure 63 %). So that alone is no reason to doubt them. But where linked nodes
are hardly more alike than any two nodes, smoothing averages numbers that have nothing to do with each other. With the
features of fourteen real graphs alike is 0.61 to 0.99, with Actor's 0.50, and 0.51 to 0.60 on six of them where nine in
ten nodes have the features of another node. The note is for `alike` below 0.6 and `embedded` below `structure`;
`docs/method.md` has the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.kernels.hashing import hash_ids
from sparsecut.kernels.transfer import as_tensor
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.operators.reason import Reason

N_SIGNS = 64  # columns of random signs: the bits of a hash


@dataclass(frozen=True)
class Trial:
    """The nodes whose rows are needed, and the pairs, by their position among those: edges and others, (2, m) each."""

    nodes: NDArray[np.int64]
    edges: NDArray[np.int64]
    others: NDArray[np.int64]

    @classmethod
    def of(cls, edges: NDArray[np.int64], others: NDArray[np.int64], device: torch.device) -> Trial:
        """The trial of some pairs; the device is where they are sorted."""
        both = as_tensor(np.concatenate([edges, others], axis=1), device)
        nodes, ends = (found.cpu().numpy() for found in torch.unique(both, return_inverse=True))
        return cls(nodes, ends[:, : edges.shape[1]], ends[:, edges.shape[1] :])

    def scores(self, Z: Tensor) -> list[float]:
        """The AUC of edges against other pairs, by the cosine of their ends' rows; Z has the rows of `nodes`, (…, m, d)."""
        Z = torch.nn.functional.normalize(Z, dim=-1)
        first, second = as_tensor(np.concatenate([self.edges, self.others], axis=1), Z.device)
        cosines = (Z[..., first, :] * Z[..., second, :]).sum(dim=-1)
        edges, others = torch.split(cosines, [self.edges.shape[1], self.others.shape[1]], dim=-1)
        edges, others = edges.contiguous(), others.sort(dim=-1).values
        below = torch.searchsorted(others, edges) + torch.searchsorted(others, edges, right=True)  # a tie counts a half
        found: list[float] = (below.double().mean(dim=-1) / (2 * others.shape[-1])).tolist()
        return found

    def score_centred(self, Z: Tensor) -> float:
        """The AUC by the cosines of rows (m, d) about their mean."""
        (score,) = self.scores((Z - Z.mean(dim=0))[None])
        return score


class RandomSigns:
    """64 times ±1 for every node, by the bits of a hash of its id: features in place of a graph's own, made in blocks."""

    def __init__(self, node_ids: NDArray[Any]) -> None:
        self.node_ids = node_ids
        self.shape = (len(node_ids), N_SIGNS)

    def __getitem__(self, rows: slice) -> NDArray[np.float32]:
        return self.of_ids(self.node_ids[rows])

    @staticmethod
    def of_ids(ids: NDArray[Any]) -> NDArray[np.float32]:
        """The rows of some nodes."""
        bits = hash_ids(ids)  # as many bits in a number as there are columns
        signs = np.unpackbits(bits.view(np.uint8).reshape(len(bits), N_SIGNS // 8), axis=1)
        return signs.astype(np.float32) * 2 - 1

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:].astype(np.float32 if dtype is None else dtype)

    def __repr__(self) -> str:
        return f"RandomSigns({self.shape[0]} nodes)"


def exchanged_ends(edges: NDArray[np.int64], codes: NDArray[np.int16]) -> NDArray[np.int64]:
    """Other pairs for edges between types of nodes: the second ends of edges of the same two types change places, (2, m).

    Any two nodes would be of any two types, and telling types apart is not what is tried.
    """
    others: NDArray[np.int64] = edges.copy()
    kinds = codes[edges[0]].astype(np.int64) * (int(codes.max()) + 2) + codes[edges[1]]
    for kind in np.unique(kinds):
        here = np.flatnonzero(kinds == kind)
        others[1, here] = edges[1, np.roll(here, max(len(here) // 2, 1))]
    return others


def doubt(
    alike: float, embedded: float, structure: Callable[[], float], max_alike: float = CONSTANTS.filter.max_alike
) -> Reason | None:
    """The evidence against features that do not go with the edges. Structure is scored only where that is likely."""
    if alike >= max_alike:
        return None
    alone = structure()
    if embedded >= alone:
        return None
    return Reason("doubt", "", "held-out edges", {"features": alike, "embedding": embedded, "structure": alone})

"""An earlier embedding of the same nodes beside today's: turned onto it, laid out with it, and what moved.

    R = argmin ‖Z₀·R − Z‖ over rotations, by the nodes that both have

Two fits may differ by a rotation, which changes no distance; after it a node's two vectors can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.base.progress import Reporter
from sparsecut.explore.findings import Section
from sparsecut.explore.layout import choose_method, layout
from sparsecut.explore.nearest import Neighbors
from sparsecut.explore.node_columns import NodeColumn
from sparsecut.graph import Ids, rows_and_ids
from sparsecut.io import check_unique, positions_of, read_embedding
from sparsecut.io.embeddings import Embedding
from sparsecut.kernels.exact_search import as_vectors
from sparsecut.updates.alignment import rotation

LEAST_COMMON = 3
N_NEAR = 10
N_LISTED = 12
ROWS_AT_ONCE = 1 << 16

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Before:
    """The earlier vectors of today's nodes.

    Attributes
    ----------
    Z : array (n, d)
        Turned onto today's; NaN where a node is new.
    is_common : bool array (n,)
        Which nodes both embeddings have.
    gone : array
        The ids of nodes that only the earlier one has.
    """

    Z: Vectors
    is_common: NDArray[np.bool_]
    gone: NDArray[Any]


def match_before(embedding: Any, Z: Vectors, ids: Ids) -> Before:
    """The rows of an earlier embedding in today's order, turned onto today's vectors."""
    if isinstance(embedding, str | Path):
        embedding = read_embedding(embedding)
    rows, named = embedding if isinstance(embedding, Embedding) else rows_and_ids(embedding)
    earlier = as_vectors(rows)
    if named is None:
        if len(earlier) != len(Z):
            raise InputError(
                f"The earlier embedding has {len(earlier):,} rows and this one {len(Z):,}: pass its file, or a frame with "
                "ids, so that its rows can be matched."
            )
        named = ids
    named = np.asarray(named)
    check_unique(named, "The earlier embedding")
    places = positions_of(ids, named)
    is_common = places >= 0
    is_common[is_common] &= np.isfinite(earlier[places[is_common]]).all(axis=1)
    if is_common.sum() < LEAST_COMMON:
        raise InputError(
            f"The earlier embedding has {int(is_common.sum())} of this one's nodes, by their ids. It needs at least "
            f"{LEAST_COMMON}: pass the same nodes' vectors, under the same ids."
        )
    taken = earlier[places[is_common]]
    turned = np.full(Z.shape, np.nan, dtype=np.float32)
    turned[is_common] = (taken @ rotation(taken, Z[is_common])).astype(np.float32)
    return Before(turned, is_common, named[positions_of(named, ids) < 0])


def place_both(before: Before, Z: Vectors, method: str, seed: int, tell: Reporter) -> tuple[Vectors, Vectors, str]:
    """Positions (n, 2) of today's and of the earlier vectors, from one layout of both; a new node's are the same."""
    both = np.concatenate([Z, before.Z[before.is_common]])
    placed = layout(both, method=method, random_state=seed, progress=tell)
    xy, xy_before = placed[: len(Z)], placed[: len(Z)].copy()
    xy_before[before.is_common] = placed[len(Z) :]
    return xy, xy_before, f"{choose_method(method, len(both))} of both embeddings together"


def compare_before(before: Before, Z: Vectors, ids: Ids, metric: str, seed: int) -> tuple[list[NodeColumn], Section]:
    """How far each node moved and how many of its neighbours it kept, as columns, and the section that says it."""
    common = np.flatnonzero(before.is_common)
    now, then = Z[common], before.Z[common]
    size = max(float(np.median(np.linalg.norm(now, axis=1))), 1e-30)
    moved = np.full(len(Z), np.nan, dtype=np.float32)
    moved[common] = np.linalg.norm(now - then, axis=1) / size
    k = min(N_NEAR, len(common) - 1)
    near, was_near = (Neighbors(rows, metric=metric, random_state=seed).nearest(k).positions for rows in (now, then))
    kept = np.full(len(Z), np.nan, dtype=np.float32)
    starts = range(0, len(common), ROWS_AT_ONCE)
    same = [
        (near[one : one + ROWS_AT_ONCE, :, None] == was_near[one : one + ROWS_AT_ONCE, None, :]).sum((1, 2))
        for one in starts
    ]
    kept[common] = np.concatenate(same) / k
    order = common[np.argsort(-moved[common], kind="stable")[:N_LISTED]]
    n_new, n_gone = len(Z) - len(common), len(before.gone)
    sentences = [
        f"Nodes in both embeddings: {len(common):,}. New: {n_new:,}. Gone: {n_gone:,}"
        + (f", {first_few(before.gone)}." if n_gone else "."),
        f"Turned onto today's, the earlier vectors moved by {np.median(moved[common]):.0%} of the median length in the "
        f"median, and nodes kept {np.mean(kept[common]):.0%} of their {k} nearest neighbours. The columns “moved” and "
        "“neighbours kept” colour the map; the left map is the earlier one.",
    ]
    names, values = [str(name) for name in ids[order].tolist()], [float(f"{value:.4g}") for value in moved[order]]
    section: Section = {
        "id": "before",
        "title": "What changed since the earlier embedding",
        "sentences": sentences,
        "chart": {"kind": "bars", "names": names, "values": values},
        "table": {
            "header": ["node", "moved", "neighbours kept"],
            "rows": [[name, value, float(kept[node])] for name, value, node in zip(names, values, order, strict=True)],
        },
    }
    columns = [NodeColumn("moved", "number", moved), NodeColumn("neighbours kept", "number", kept)]
    if n_new:
        columns.append(NodeColumn("since", "class", np.where(before.is_common, 1, 2), ("before", "new")))
    return columns, section

"""Recommended links of every node as blocks of the report's page: recommended (n, k), n for none, and recommended-shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.explore.report_page import PageBlocks
from sparsecut.graph import Ids
from sparsecut.io import positions_of

N_RECOMMENDED = 5
MOST_NODES = 50_000  # above it the answers of all nodes take minutes


def find_links(links: Any, ids: Ids, most_nodes: int = MOST_NODES) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The nodes recommended to each node, by their rows, −1 where there are fewer, and their probabilities."""
    if len(ids) > most_nodes:
        raise InputError(
            f"A report recommends links for at most {most_nodes:,} nodes. Got {len(ids):,}. Leave links out, and ask for "
            "some nodes: Links.recommend, or sparsecut recommend."
        )
    n_nodes = len(ids)
    nodes, shares = np.full((n_nodes, N_RECOMMENDED), -1), np.zeros((n_nodes, N_RECOMMENDED))
    if (positions_of(ids, links.graph.node_ids) < 0).any():
        raise InputError("The links of a report must be of the graph that was embedded: some of its nodes are not in them.")
    for node, found in enumerate(links.recommend(ids, N_RECOMMENDED)):
        nodes[node, : len(found.ids)] = positions_of(found.ids, ids)
        shares[node, : len(found.ids)] = found.probabilities
    return nodes, shares


def add_links(blocks: PageBlocks, nodes: NDArray[np.int64], shares: NDArray[np.float64]) -> dict[str, Any]:
    """Pack the recommendations; returns what the page needs to know of them."""
    blocks.add_array("recommended", np.where(nodes < 0, len(nodes), nodes), "<u4")
    blocks.add_array("recommended-shares", shares, "<f4")
    return {"k": N_RECOMMENDED}

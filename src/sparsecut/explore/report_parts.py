"""Parts of a graph in the report: the sides of a cut or k parts as a column with their quality, a tree to walk down.

tree-left, tree-right   the two clusters of each split, nodes first, as a linkage has them; tree-values φ′ of the split
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.explore.findings import Section
from sparsecut.explore.node_columns import NodeColumn
from sparsecut.explore.report_page import PageBlocks
from sparsecut.graph import Graph, Ids
from sparsecut.io import positions_of

TREE_PARTS = 8  # into which a tree is cut for a column
MOST_LISTED = 200  # parts in the table

Members = NDArray[np.int64]


def parts_found(cut: Any, ids: Ids) -> tuple[NodeColumn, Section]:
    """The column of a cut's parts and the section on them; `cut` is a SparsestCut, a Partition or a Hierarchy."""
    graph: Graph = cut.graph
    rows = positions_of(ids, graph.node_ids)
    if (rows < 0).any():
        raise InputError("The cut of a report must be of the graph that was embedded: some of its nodes are not in the cut.")
    if hasattr(cut, "linkage"):
        parts, name = cut.cut(parts=min(TREE_PARTS, graph.n_nodes)), "branch"
        advice = "Walk down the tree beside the map: each step shows both sides of a cut and the edges between them."
    elif hasattr(cut, "side"):
        parts, name = np.asarray(cut.side, dtype=np.int64), "side"
        advice = "The smaller side is 1."
    else:
        parts, name = np.asarray(cut.parts, dtype=np.int64), "part"
        advice = "Part 0 is the largest, unless nodes were fixed."
    measured = _measured(graph, parts)
    count = int(parts.max()) + 1
    inside = 1 - measured["cut"].sum() / max(measured["volume"].sum(), 1e-30)
    column = NodeColumn(name, "class", parts[rows] + 1, tuple(str(part) for part in range(count)))
    sizes = measured["nodes"].astype(int).tolist()
    least, most = measured["conductance"].min(), measured["conductance"].max()
    section: Section = {
        "id": "parts",
        "title": "Parts",
        "sentences": [
            f"{cut!r}.",
            f"{inside:.1%} of the edges' weight is inside the {count:,} parts. Their conductances, the share of a part's "
            f"edges that leave it, are {least:.3g} to {most:.3g}. The column “{name}” colours the map. {advice}",
        ],
        "chart": {"kind": "bars", "names": [f"{name} {part}" for part in range(min(count, 20))], "values": sizes[:20]},
        "table": {
            "header": [name, "nodes", "weight of edges that leave", "conductance"],
            "rows": [
                [part, sizes[part], float(f"{measured['cut'][part]:.6g}"), float(f"{measured['conductance'][part]:.4g}")]
                for part in range(min(count, MOST_LISTED))
            ],
        },
    }
    return column, section


def add_tree(blocks: PageBlocks, cut: Any, ids: Ids) -> dict[str, Any] | None:
    """Pack a hierarchy, in the order of the page's nodes; None where the cut is none, or the page has not all its nodes."""
    linkage = getattr(cut, "linkage", None)
    if linkage is None or len(ids) != cut.graph.n_nodes or not len(linkage):
        return None
    n_nodes = len(ids)
    place = np.concatenate([positions_of(cut.graph.node_ids, ids), np.arange(n_nodes, 2 * n_nodes - 1)])
    children = place[linkage[:, :2].astype(np.int64)]
    blocks.add_array("tree-left", children[:, 0], "<u4")
    blocks.add_array("tree-right", children[:, 1], "<u4")
    blocks.add_array("tree-values", cut.values, "<f4")
    return {"nSplits": len(linkage)}


def _measured(graph: Graph, parts: Members) -> dict[str, NDArray[np.float64]]:
    """The nodes of each part, the weight of its edges at both ends, that of the edges that leave it, and the conductance."""
    A = graph.adjacency.tocoo()
    count = int(parts.max()) + 1
    row, column = parts[A.row], parts[A.col]
    volume = np.bincount(row, A.data, minlength=count)
    cut = np.bincount(row[row != column], A.data[row != column], minlength=count)
    other = np.minimum(volume, volume.sum() - volume)
    conductance = np.divide(cut, other, out=np.zeros(count), where=other > 0)
    return {"nodes": np.bincount(parts, minlength=count), "volume": volume, "cut": cut, "conductance": conductance}

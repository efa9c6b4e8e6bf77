"""The features of the nodes as blocks of the report's page, which compares groups of nodes by them.

feature-values   a byte per value, from 0 at the column's least to 255 at its largest; column after column
feature-counts   of sparse features how many values of each column are not 0; feature-steps their rows, as distances
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.explore.report_page import PageBlocks
from sparsecut.graph import Graph
from sparsecut.links.channel_rows import encoded_names

MOST_VALUES = 4_000_000  # in the page; of more the columns that vary most are kept
LEVELS = 255


def add_features(blocks: PageBlocks, graph: Graph | None) -> dict[str, Any] | None:
    """Pack the features of a graph; returns what the page needs to know of them, None where there are none."""
    if graph is None or not graph.has_features or not graph.n_features:
        return None
    features: Any = graph.features
    names = encoded_names(graph)
    columns = sp.csc_array(features, dtype=np.float32) if sp.issparse(features) else np.asarray(features, dtype=np.float32)
    kept = kept_columns(columns)
    columns = columns[:, kept]
    if isinstance(columns, np.ndarray):
        low, high = (np.asarray(limit, dtype=np.float64) for limit in (columns.min(axis=0), columns.max(axis=0)))
        blocks.add_array("feature-values", _bytes(columns.T, low[:, None], high[:, None]), "<u1")
    else:
        columns = sp.csc_array(columns)
        columns.sort_indices()
        counts = np.diff(columns.indptr)
        number = np.repeat(np.arange(len(counts)), counts)
        low, high = np.zeros(len(counts)), np.zeros(len(counts))
        np.minimum.at(low, number, columns.data)
        np.maximum.at(high, number, columns.data)
        first = np.concatenate([[True], number[1:] != number[:-1]]) if len(number) else np.zeros(0, dtype=bool)
        rows = columns.indices.astype(np.int64)
        blocks.add_array("feature-counts", counts, "<u4")
        blocks.add_array("feature-steps", np.where(first, rows, rows - np.roll(rows, 1)), "<u4")
        blocks.add_array("feature-values", _bytes(columns.data, low[number], high[number]), "<u1")
    return {
        "names": [str(name) for name in names[kept].tolist()],
        "low": low.tolist(),
        "high": high.tolist(),
        "isSparse": bool(sp.issparse(columns)),
        "nAll": int(graph.n_features),
    }


def kept_columns(columns: Any, most_values: int = MOST_VALUES) -> NDArray[np.int64]:
    """The columns that the page has room for, in their order: those of most variance, where not for all."""
    n_nodes, n_columns = columns.shape
    if sp.issparse(columns):
        sizes = np.diff(columns.indptr)
        squares = np.asarray((columns * columns).sum(axis=0), dtype=np.float64).ravel() / n_nodes
        spread = squares - (np.asarray(columns.sum(axis=0), dtype=np.float64).ravel() / n_nodes) ** 2
    else:
        sizes = np.full(n_columns, n_nodes)
        spread = columns.var(axis=0, dtype=np.float64)
    order = np.argsort(-spread, kind="stable")
    fits = np.cumsum(sizes[order]) <= most_values
    return np.sort(order[fits])


def _bytes(values: NDArray[Any], low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    width = np.where(high > low, high - low, 1.0)
    return np.asarray(np.rint(LEVELS * (values - low) / width))

"""What is known about pairs of nodes beforehand: rows (id, id) or (id, id, weight), as a list, an array or a frame.

The ends of a pair are node ids, never positions; the two agree where the ids are 0..n−1 (`sparsecut.graph.node_ids`).

In the sparsest cut, supply over demand, pairs that must differ are demands: `operators.negatives` adds them to the negative
graph. Pairs to keep close are supply, which is the graph itself: `keep_close` adds them to its edges.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_real, parameter_error
from sparsecut.graph.arguments import check_graph
from sparsecut.graph.graph import Graph
from sparsecut.graph.id_kinds import Ids
from sparsecut.graph.node_ids import find_nodes

PAIRS_RULE = "an array of node pairs (m, 2) or weighted pairs (m, 3)"


def keep_close(graph: Graph, pairs: Any, *, weight: float | None = None) -> Graph:
    """The graph with one more edge for each pair of nodes, named by their ids, that belong together.

    Weights add up, with an edge that is there already and over repeated pairs. In a directed graph the edge goes both ways.

    Parameters
    ----------
    graph : Graph
        The graph to take.
    pairs : list of tuples, array or frame, (m, 2) or (m, 3)
        Node ids, never positions; a third column weighs the pairs against each other.
    weight : float, default=None
        The weight of each added edge, times the pair's own. By default the mean strength of a closed neighbourhood, 1 +
        the mean weighted degree: a node of average strength then takes half of its average from its partner. Larger pulls
        harder.

    Returns
    -------
    Graph
        Its `notes` count the pairs.

    Raises
    ------
    InputError
        Where a pair names a node that the graph does not have, or a node with itself.

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.from_edges([("a", "b"), ("c", "d")], node_ids=["a", "b", "c", "d"])
    >>> closer = sc.keep_close(graph, [("b", "c")], weight=2)
    >>> closer.adjacency.toarray()[1].tolist()
    [1.0, 0.0, 2.0, 0.0]
    """
    adjacency = check_graph(graph, "keep_close").adjacency
    ends, weights = check_pairs(pairs, graph.node_ids, caller="keep_close", name="pairs")
    if weight is None:
        weight = 1 + float(adjacency.sum(dtype=np.float64)) / graph.n_nodes
    scale = check_real("keep_close", "weight", weight, above=0)
    i, j = ends.T
    added = sp.coo_array((scale * weights, (i, j)), shape=adjacency.shape).tocsr()
    edges = (adjacency + (added + added.T)).tocsr().astype(np.float32)
    edges.eliminate_zeros()  # a pair of weight 0
    edges.sort_indices()
    return graph.replace(
        adjacency=edges, notes=(*graph.notes, f"{len(ends):,} pairs to keep close were added to the edges.")
    )


def check_pairs(
    pairs: Any, node_ids: Ids, *, caller: str, name: str, rule: str = PAIRS_RULE, with_same: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions (m, 2) and weights (m,) of pairs of node ids that a user gave; the weights are 1 where they have none.

    A node paired with itself says nothing, and is refused unless `with_same`.
    """
    what = f"The {name} parameter of {caller}"
    first, second, given = _columns_of(pairs, caller, name, rule)
    ends = np.column_stack([find_nodes(column, node_ids, what) for column in (first, second)])
    try:
        weights = np.ones(len(ends)) if given is None else np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The weights of the {name} of {caller} must be numbers. Got others, as in {given[0]!r}.") from None
    if not np.isfinite(weights).all():
        raise InputError(f"The weights of the {name} of {caller} must be finite weights. Got others.")
    if (weights < 0).any():
        raise InputError(f"The weights of the {name} of {caller} must be zero or more. Got {weights.min():g}.")
    is_same = ends[:, 0] == ends[:, 1]
    if is_same.any() and not with_same:
        raise InputError(
            f"The {name} of {caller} must be pairs of two different nodes. "
            f"Got the node {node_ids[ends[is_same][0, 0]].item()!r} with itself."
        )
    return ends, weights


def pack_pairs(pairs: Any, caller: str = "save") -> NDArray[Any]:
    """Pairs as one array that a file without Python objects can hold: numbers as they are, words as the bytes of JSON."""
    first, second, weights = _columns_of(pairs, caller, "pairs", PAIRS_RULE)
    columns = [np.asarray(column) for column in (first, second, *(() if weights is None else (weights,)))]
    if all(column.dtype.kind in "iu" for column in columns) or all(
        column.dtype.kind in "iuf" and np.abs(column).max() < 2**53 for column in columns
    ):
        return np.column_stack(columns)
    rows = [
        [_plain(value) for value in row] for row in zip(first, second, *(() if weights is None else (weights,)), strict=True)
    ]
    return np.frombuffer(json.dumps(rows).encode(), dtype=np.uint8)


def unpack_pairs(packed: NDArray[Any]) -> Any:
    """What `pack_pairs` packed: an array, or a list of tuples where ids are words."""
    return packed if packed.ndim == 2 else [tuple(row) for row in json.loads(packed.tobytes())]


def _columns_of(pairs: Any, caller: str, name: str, rule: str) -> tuple[Any, Any, Any]:
    """(first ends, second ends, weights or None), each of its own type: a word beside a weight makes the weight no word."""
    if isinstance(pairs, np.ndarray) and pairs.dtype.kind in "iuf":
        table: Any = pairs
        shape = table.shape
    else:
        if not isinstance(pairs, Sequence) and not hasattr(pairs, "__array__"):
            raise parameter_error(caller, name, rule, pairs)
        table = pairs if isinstance(pairs, Sequence) else np.asarray(pairs, dtype=object).tolist()
        if isinstance(pairs, str) or any(isinstance(row, str) for row in table):
            raise parameter_error(caller, name, rule, pairs)
        widths = {len(row) if hasattr(row, "__len__") else -1 for row in table}
        shape = (len(table),) if widths <= {-1} else (len(table), *widths) if len(widths) == 1 else (len(table), "2 and 3")
    if len(shape) != 2 or shape[0] == 0 or shape[1] not in (2, 3):
        raise InputError(f"The {name} parameter of {caller} must be {rule}. Got shape {shape}.".replace("'", ""))
    columns = table.T if isinstance(table, np.ndarray) else [list(column) for column in zip(*table, strict=True)]
    return columns[0], columns[1], columns[2] if shape[1] == 3 else None


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value

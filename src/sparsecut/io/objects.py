"""Graphs from other libraries' objects, and back: networkx, igraph, tables of edges.

`features` of a conversion is an array with one row a node in the object's order, the name of a node attribute that holds a
vector or a number, or a list of attribute names: a table, which becomes features as `encoding` describes. `labels` is an
array or the name of an attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.encoding import FeatureTable
from sparsecut.errors import InputError, check_choice, import_extra
from sparsecut.graph import DIRECTIONS, Graph
from sparsecut.io.adjacency import build_adjacency
from sparsecut.io.edges import choose_columns, edges_from_table
from sparsecut.io.ids import check_known, positions_of
from sparsecut.io.tables import as_table


def from_edges(
    edges: Any,
    *,
    features: Any = None,
    labels: Any = None,
    node_ids: Any = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    directed: str = "symmetrize",
) -> Graph:
    """A graph from a table of edges: pandas, polars or pyarrow.

    `features` and `labels` that have an index, or features with a column of ids, are matched to the nodes by it; others are
    in the order of `node_ids`. Without `node_ids` the nodes are those of the edges, integers ascending, words in the order
    they first appear.
    """
    check_choice("from_edges", "directed", directed, DIRECTIONS)
    table = as_table(edges, "from_edges")
    if table.num_rows == 0:
        raise InputError("The table of edges has no rows.")
    asked = {"source": source, "target": target, "weight": weight}
    columns = choose_columns([str(name) for name in table.column_names], asked, "The table of edges")
    numbered = edges_from_table(table, columns, "The table of edges")
    i, j, ids = numbered.i, numbered.j, numbered.ids
    if node_ids is not None:
        ids = np.asarray(node_ids)
        position = positions_of(numbered.ids, ids)
        check_known(position, numbered.ids, "The table of edges", "node_ids")
        i, j = position[i], position[j]
    adjacency, n_loops = build_adjacency(i, j, numbered.weights, len(ids), directed)
    notes = (f"Edges: {numbered.columns}.", *loop_notes(n_loops))
    if node_ids is not None:  # the caller's own: may repeat
        return Graph(
            adjacency,
            features=features,
            labels=labels,
            node_ids=ids,
            directed="symmetrize" if directed == "symmetrize" else "out",
            notes=notes,
        )
    return Graph.from_canonical(adjacency, features=features, labels=labels, node_ids=ids, directed=directed, notes=notes)


def from_networkx(
    graph: Any,
    *,
    features: Any = None,
    labels: Any = None,
    weight: str | None = "weight",
    directed: str = "symmetrize",
    notes: tuple[str, ...] = (),
) -> Graph:
    """A graph from networkx. An edge without the attribute `weight` counts 1; parallel edges with weights are summed."""
    networkx = import_extra("networkx", caller="from_networkx", extra="formats")
    check_choice("from_networkx", "directed", directed, DIRECTIONS)
    if not isinstance(graph, networkx.Graph):
        raise InputError(f"from_networkx needs a networkx graph. Got {type(graph).__name__}.")
    nodes = list(graph)
    if not nodes:
        raise InputError("The networkx graph has no nodes. A graph needs at least one node.")
    index = {node: position for position, node in enumerate(nodes)}
    ends = np.array([(index[a], index[b]) for a, b in graph.edges()], dtype=np.int64).reshape(-1, 2)
    values = [attributes.get(weight, 1) for *_, attributes in graph.edges(data=True)] if weight is not None else []
    has_weights = weight is not None and any(weight in attributes for *_, attributes in graph.edges(data=True))
    weights = check_weights(values, "The networkx graph") if has_weights else None
    if not graph.is_directed():
        directed = "symmetrize"
    attributes = [graph.nodes[node] for node in nodes]
    matrix = node_features(features, attributes, "The networkx graph")
    return _graph(
        as_node_ids(nodes), ends[:, 0], ends[:, 1], weights, matrix, node_labels(labels, attributes, "The networkx graph"),
        directed, notes,
    )  # fmt: skip


def to_networkx(graph: Graph, *, features: str | None = "features", labels: str | None = "label") -> Any:
    """A networkx graph with the node ids as nodes, `weight` at the edges, and features and labels under these names."""
    networkx = import_extra("networkx", caller="to_networkx", extra="formats")
    result = networkx.DiGraph() if graph.is_directed else networkx.Graph()
    nodes = graph.node_ids.tolist()
    result.add_nodes_from(nodes)
    entries = (graph.adjacency if graph.is_directed else sp.triu(graph.adjacency)).tocoo()
    rows, columns = (entries.coords[axis].tolist() for axis in (0, 1))
    ends = ((nodes[i], nodes[j]) for i, j in zip(rows, columns, strict=True))
    if graph.is_weighted:
        result.add_weighted_edges_from((*end, value) for end, value in zip(ends, entries.data.tolist(), strict=True))
    else:
        result.add_edges_from(ends)
    if features is not None and graph.features is not None:
        networkx.set_node_attributes(result, dict(zip(nodes, dense_features(graph), strict=True)), features)
    if labels is not None and graph.labels is not None:
        networkx.set_node_attributes(result, dict(zip(nodes, graph.labels.tolist(), strict=True)), labels)
    return result


def from_igraph(
    graph: Any,
    *,
    features: Any = None,
    labels: Any = None,
    weight: str | None = "weight",
    node_ids: str | None = "name",
    directed: str = "symmetrize",
) -> Graph:
    """A graph from igraph. Node ids are the vertex attribute `node_ids` where there is one, and 0..n−1 otherwise."""
    igraph = import_extra("igraph", caller="from_igraph", extra="igraph")
    check_choice("from_igraph", "directed", directed, DIRECTIONS)
    if not isinstance(graph, igraph.Graph):
        raise InputError(f"from_igraph needs an igraph graph. Got {type(graph).__name__}.")
    if graph.vcount() == 0:
        raise InputError("The igraph graph has no nodes. A graph needs at least one node.")
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = check_weights(graph.es[weight], "The igraph graph") if weight in graph.es.attributes() else None
    ids = as_node_ids(graph.vs[node_ids]) if node_ids in graph.vs.attributes() else np.arange(graph.vcount())
    attributes = [vertex.attributes() for vertex in graph.vs]
    matrix = node_features(features, attributes, "The igraph graph")
    return _graph(
        ids, ends[:, 0], ends[:, 1], weights, matrix, node_labels(labels, attributes, "The igraph graph"),
        directed if graph.is_directed() else "symmetrize", (),
    )  # fmt: skip


def graph_of_links(
    nodes: Sequence[Any],
    links: Sequence[tuple[Any, Any]],
    weights: Sequence[Any] | None,
    *,
    what: str,
    directed: str,
    notes: tuple[str, ...],
) -> Graph:
    """A graph from a list of nodes and pairs of them."""
    if not nodes:
        raise InputError(f"{what} has no nodes. A graph needs at least one node.")
    ids = as_node_ids(nodes)
    index = {node: position for position, node in enumerate(ids.tolist())}
    if len(index) < len(nodes):
        raise InputError(f"{what} has more than one node with the same id.")
    is_word = ids.dtype.kind not in "iu"
    try:
        ends = [(index[str(a) if is_word else a], index[str(b) if is_word else b]) for a, b in links]
    except (KeyError, TypeError) as error:
        raise InputError(f"{what} has an edge that names the node {error}, which is not among its nodes.") from error
    positions = np.array(ends, dtype=np.int64).reshape(-1, 2)
    checked = None if weights is None else check_weights(weights, what)
    return _graph(ids, positions[:, 0], positions[:, 1], checked, None, None, directed, notes)


def dense_features(graph: Graph) -> NDArray[np.float32]:
    features: Any = graph.features
    return np.asarray(features.toarray() if sp.issparse(features) else features)


def as_node_ids(values: Sequence[Any]) -> NDArray[Any]:
    """Ids as an array: integers where all are, and text otherwise."""
    if all(isinstance(value, int | np.integer) and not isinstance(value, bool) for value in values):
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            pass
    words = [str(value) for value in values]
    longest = max(map(len, words))
    if len(words) * longest * 4 > 2**26 + 16 * sum(map(len, words)):
        return np.array(words, dtype=object)
    return np.array(words, dtype=np.str_)


def check_weights(values: Any, what: str) -> NDArray[np.float32]:
    """Finite weights of zero or more, as float32."""
    try:
        with np.errstate(over="ignore"):
            weights = np.asarray(values, dtype=np.float64).astype(np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must have numbers as edge weights. Got others.") from error
    if weights.ndim != 1 or not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError(f"{what} must have finite edge weights of zero or more. Got others.")
    return weights


def loop_notes(n_loops: int) -> tuple[str, ...]:
    """What `Graph` says about self-loops."""
    said = f"{n_loops:,} self-loops were dropped: filters count each node in its own neighbourhood once."
    return (said,) if n_loops else ()


def node_features(features: Any, attributes: list[Any], what: str) -> Any:
    """Features as they are, or those of an attribute, or a table of several."""
    is_names = isinstance(features, list | tuple) and all(isinstance(name, str) for name in features)
    if not (is_names or isinstance(features, str)):
        return features
    if isinstance(features, str) and attributes and np.ndim(attributes[0].get(features)) == 1:
        vectors = [node.get(features) for node in attributes]
        try:
            return np.asarray(vectors, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what} must hold vectors of one length as {features!r}, at every node.") from error
    names = [features] if isinstance(features, str) else [str(name) for name in features]
    import pyarrow as pa

    columns: dict[str, list[Any]] = {name: [node.get(name) for node in attributes] for name in names}
    absent = [name for name, values in columns.items() if all(value is None for value in values)]
    if absent:
        raise InputError(f"{what} has no node attribute {absent[0]!r}.")
    try:
        table = pa.table(columns)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"{what} must hold values of one type in each attribute. {str(error).splitlines()[0]}.") from error
    return FeatureTable(table, what)


def node_labels(labels: Any, attributes: list[Any], what: str) -> Any:
    """Labels as they are, or those of an attribute; a node without it has none."""
    if not isinstance(labels, str):
        return labels
    values = [node.get(labels) for node in attributes]
    if all(value is None for value in values):
        raise InputError(f"{what} has no node attribute {labels!r}.")
    is_integer = all(isinstance(value, int | np.integer) or value is None for value in values)
    return np.array([(-1 if is_integer else "") if value is None else value for value in values])


def _graph(
    ids: NDArray[Any], i: Any, j: Any, weights: Any, features: Any, labels: Any, directed: str, notes: tuple[str, ...]
) -> Graph:
    adjacency, n_loops = build_adjacency(i, j, weights, len(ids), directed)
    return Graph(
        adjacency,
        features=features,
        labels=labels,
        node_ids=ids,
        directed="symmetrize" if directed == "symmetrize" else "out",  # "in" has been turned already
        notes=(*notes, *loop_notes(n_loops)),
    )

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
from sparsecut.errors import InputError, check_choice, first_few, import_extra
from sparsecut.graph import DIRECTIONS, Graph, check_graph
from sparsecut.graph.foreign import refuse_foreign
from sparsecut.graph.node_ids import as_id_array, check_one_kind
from sparsecut.io.adjacency import build_adjacency
from sparsecut.io.edge_objects import ROLES, check_ends, edge_table
from sparsecut.io.edges import choose_columns, edges_from_table
from sparsecut.io.ids import check_known, positions_of


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
    scale: bool = True,
) -> Graph:
    """A graph from edges that Python holds.

    Parameters
    ----------
    edges : table, array or iterable of pairs
        A frame of pandas or polars, a pyarrow table, a DuckDB relation or a dict of columns; an array (m, 2), or (m, 3) with
        weights; pairs (a, b) or (a, b, weight), in a list or from a generator. Ids are integers or words, not both.
    features, labels : array, frame or series, optional
        Those that have an index, or features with a column of ids, are matched to the nodes by it; others are in the order
        of `node_ids`. Without `node_ids` the nodes are those of the edges, integers ascending, words in the order they first
        appear.
    node_ids : array, optional
        All nodes, those without edges too.
    source, target, weight : str, optional
        Columns of a table; by their usual names, or the first ones, where not given.
    directed : "symmetrize", "out" or "in"
        See `Graph`.
    scale : bool, default=True
        Whether the numbers of a frame of features are standardised.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.from_edges([("anna", "ben"), ("ben", "carl")]).node_ids.tolist()
    ['anna', 'ben', 'carl']
    """
    check_choice("from_edges", "directed", directed, DIRECTIONS)
    what = "The table of edges"
    table, is_ordered = edge_table(edges, what)
    if table.num_rows == 0:
        raise InputError(f"{what} has no rows.")
    asked = {"source": source, "target": target, "weight": weight}
    if is_ordered:
        asked = {role: asked[role] or (role if role in table.column_names else None) for role in ROLES}
    columns = choose_columns([str(name) for name in table.column_names], asked, what)
    check_ends(table, (columns.source, columns.target), what)
    numbered = edges_from_table(table, columns, what)
    i, j, ids = numbered.i, numbered.j, numbered.ids
    if node_ids is not None:
        ids = as_id_array(node_ids)
        position = positions_of(numbered.ids, ids)
        check_known(position, numbered.ids, "The table of edges", "node_ids")
        i, j = position[i], position[j]
    adjacency, n_loops = build_adjacency(i, j, numbered.weights, len(ids), directed)
    notes = (f"Edges: {numbered.columns}.", *loop_notes(n_loops))
    brought = {"features": features, "labels": labels, "scale": scale, "notes": notes}
    if node_ids is not None:  # the caller's own: may repeat
        return Graph(adjacency, node_ids=ids, directed="symmetrize" if directed == "symmetrize" else "out", **brought)
    return Graph.from_canonical(adjacency, node_ids=ids, directed=directed, **brought)


def from_networkx(
    graph: Any,
    *,
    features: Any = None,
    labels: Any = None,
    weight: str | None = "weight",
    directed: str = "symmetrize",
    scale: bool = True,
) -> Graph:
    """A graph from networkx. An edge without the attribute `weight` counts 1; parallel edges with weights are summed.

    Nodes are integers or words, not both; tuples, as in networkx's grids, become their text, which `Graph.notes` say.
    """
    networkx = import_extra("networkx", caller="from_networkx", extra="formats")
    check_choice("from_networkx", "directed", directed, DIRECTIONS)
    if not isinstance(graph, networkx.Graph):
        refuse_foreign(graph, "from_networkx needs a networkx graph.")
        raise InputError(f"from_networkx needs a networkx graph. Got {type(graph).__name__}.")
    return graph_of_networkx(graph, features, labels, weight, directed, what="The networkx graph", scale=scale)


def graph_of_networkx(
    graph: Any,
    features: Any,
    labels: Any,
    weight: str | None,
    directed: str,
    *,
    what: str,
    scale: bool = True,
    notes: tuple[str, ...] = (),
) -> Graph:
    """`from_networkx` of a graph that `what` names in messages: an object, or a file that was read into one."""
    nodes = list(graph)
    if not nodes:
        raise InputError(f"{what} has no nodes. A graph needs at least one node.")
    index = {node: position for position, node in enumerate(nodes)}
    ends = np.array([(index[a], index[b]) for a, b in graph.edges()], dtype=np.int64).reshape(-1, 2)
    values = [attributes.get(weight, 1) for *_, attributes in graph.edges(data=True)] if weight is not None else []
    has_weights = weight is not None and any(weight in attributes for *_, attributes in graph.edges(data=True))
    weights = check_weights(values, what) if has_weights else None
    if not graph.is_directed():
        directed = "symmetrize"
    attributes = [graph.nodes[node] for node in nodes]
    ids, id_notes = as_node_ids(nodes, what, " networkx.relabel_nodes(G, str) makes words of all.")
    matrix = node_features(features, attributes, what, scale)
    return _graph(
        ids, ends[:, 0], ends[:, 1], weights, matrix, node_labels(labels, attributes, what),
        directed, (*notes, *id_notes),
    )  # fmt: skip


def to_networkx(graph: Graph, *, features: str | None = "features", labels: str | None = "label") -> Any:
    """A networkx graph with the node ids as nodes, `weight` at the edges, and features and labels under these names."""
    networkx = import_extra("networkx", caller="to_networkx", extra="formats")
    check_graph(graph, "to_networkx")
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
    scale: bool = True,
) -> Graph:
    """A graph from igraph. Node ids are the vertex attribute `node_ids` where there is one, and 0..n−1 otherwise."""
    igraph = import_extra("igraph", caller="from_igraph", extra="igraph")
    check_choice("from_igraph", "directed", directed, DIRECTIONS)
    if not isinstance(graph, igraph.Graph):
        refuse_foreign(graph, "from_igraph needs an igraph graph.")
        raise InputError(f"from_igraph needs an igraph graph. Got {type(graph).__name__}.")
    if graph.vcount() == 0:
        raise InputError("The igraph graph has no nodes. A graph needs at least one node.")
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = check_weights(graph.es[weight], "The igraph graph") if weight in graph.es.attributes() else None
    id_notes: tuple[str, ...] = ()
    ids = np.arange(graph.vcount())
    if node_ids in graph.vs.attributes():
        ids, id_notes = as_node_ids(graph.vs[node_ids], f"The igraph graph, in its attribute {node_ids!r},")
    attributes = [vertex.attributes() for vertex in graph.vs]
    matrix = node_features(features, attributes, "The igraph graph", scale)
    return _graph(
        ids, ends[:, 0], ends[:, 1], weights, matrix, node_labels(labels, attributes, "The igraph graph"),
        directed if graph.is_directed() else "symmetrize", id_notes,
    )  # fmt: skip


def graph_of_links(
    nodes: Sequence[Any],
    links: Sequence[tuple[Any, Any]],
    weights: Sequence[Any] | None,
    *,
    what: str,
    directed: str,
    notes: tuple[str, ...],
    attributes: list[Any] | None = None,
    features: Any = None,
    labels: Any = None,
    scale: bool = True,
) -> Graph:
    """A graph from a list of nodes and pairs of them; `features` and `labels` name entries of `attributes`, one per node."""
    if not nodes:
        raise InputError(f"{what} has no nodes. A graph needs at least one node.")
    ids, id_notes = as_node_ids(nodes, what)
    index = {node: position for position, node in enumerate(ids.tolist())}
    if len(index) < len(nodes):
        raise InputError(f"{what} has more than one node with the same id.")
    try:
        ends = [(index[a], index[b]) for a, b in links]
    except (KeyError, TypeError) as error:
        is_spelt = isinstance(error, KeyError) and any(str(node) == str(error.args[0]) for node in nodes)
        hint = " A link names a node as the node's id does: 7 is not '7'." if is_spelt else ""
        raise InputError(f"{what} has an edge that names the node {error}, which is not among its nodes.{hint}") from error
    positions = np.array(ends, dtype=np.int64).reshape(-1, 2)
    checked = None if weights is None else check_weights(weights, what)
    matrix = node_features(features, attributes or [], what, scale)
    return _graph(
        ids, positions[:, 0], positions[:, 1], checked, matrix, node_labels(labels, attributes or [], what),
        directed, (*notes, *id_notes),
    )  # fmt: skip


def dense_features(graph: Graph) -> NDArray[np.float32]:
    features: Any = graph.features
    return np.asarray(features.toarray() if sp.issparse(features) else features)


def as_node_ids(values: Sequence[Any], what: str, remedy: str = "") -> tuple[NDArray[Any], tuple[str, ...]]:
    """(ids as an array, notes): integers or words as they are, tuples as their text. Mixtures and others are refused."""
    kind = check_one_kind(values, what, remedy)
    if kind == "integers":
        try:
            return np.array([int(value) for value in values], dtype=np.int64), ()
        except OverflowError:
            pass
    elif kind not in ("words", "values of type tuple"):
        raise InputError(f"{what} must have integers or words as node ids. Got {kind}, as in {values[0]!r}.{remedy}")
    words = [str(value) for value in values]
    notes = (f"Node ids: tuples became their text, as in {words[0]!r}.",) if kind == "values of type tuple" else ()
    longest = max(map(len, words))
    is_uneven = len(words) * longest * 4 > 2**26 + 16 * sum(map(len, words))
    return np.array(words, dtype=object if is_uneven else np.str_), notes


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


def node_features(features: Any, attributes: list[Any], what: str, scale: bool = True) -> Any:
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
        raise _no_attribute(absent[0], attributes, what)
    try:
        table = pa.table(columns)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"{what} must hold values of one type in each attribute. {str(error).splitlines()[0]}.") from error
    return FeatureTable(table, what, scale=scale)


def node_labels(labels: Any, attributes: list[Any], what: str) -> Any:
    """Labels as they are, or those of an attribute; a node without it has none."""
    if not isinstance(labels, str):
        return labels
    values = [node.get(labels) for node in attributes]
    if all(value is None for value in values):
        raise _no_attribute(labels, attributes, what)
    known = [value for value in values if value is not None]
    is_integer = all(isinstance(value, int | np.integer) for value in known)
    is_number = all(isinstance(value, int | float | np.number) for value in known)
    absent: Any = -1 if is_integer else np.nan if is_number else ""
    return np.array([absent if value is None else value for value in values])


def _no_attribute(name: str, attributes: list[Any], what: str) -> InputError:
    names = sorted({str(key) for node in attributes for key in node})
    return InputError(f"{what} has no node attribute {name!r}. It has: {first_few(names, 20) or 'none'}.")


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

"""Graphs from other libraries' objects, and back: networkx, igraph, tables of edges.

`features` of a conversion is an array with one row per node in the object's order, the name of a node attribute that holds a
vector or a number, or a list of attribute names: a table, which becomes features as `encoding` describes. `labels` is an
array or the name of an attribute.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_choice, import_extra
from sparsecut.features import Scale
from sparsecut.graph import DIRECTIONS, Graph, check_graph, loop_notes, refuse_foreign
from sparsecut.graph.times import EdgeTimes, as_moments
from sparsecut.io.edges.edge_weights import check_weights
from sparsecut.io.edges.weighing import Weighing, matrices
from sparsecut.io.nodes.node_attributes import as_node_ids, node_features, node_labels
from sparsecut.io.typed.typed_objects import graph_of_typed_networkx

LOST_DIRECTION = "The graph is directed, and its edges lost their direction: directed='out' or 'in' keeps it."


def from_networkx(
    graph: Any,
    *,
    features: Any = None,
    labels: Any = None,
    weight: str | None = "weight",
    directed: str = "symmetrize",
    node_type: str | None = None,
    edge_type: str | None = None,
    scale: Scale = "auto",
    id_column: str | None = None,
    signed: bool = False,
    time: str | None = None,
    half_life: Any = None,
    decay: float | None = None,
    now: Any = None,
) -> Graph:
    """A graph from networkx.

    Nodes are integers or words, not both; tuples, as in networkx's grids, become their text, which `Graph.notes` say.

    Parameters
    ----------
    graph : networkx graph
        A Graph, DiGraph, MultiGraph or MultiDiGraph.
    features : array, frame, str or list of str, default=None
        An array with one row per node in the object's order; a frame, matched by ids (see `Graph`); the name of a node
        attribute that holds a vector or a number; or several names: a table, which is encoded (see `Graph`).
    labels : array, series, frame, dict or str, default=None
        Labels as in `Graph`, or the name of a node attribute. A node without one has no label.
    weight : str or None, default="weight"
        The edge attribute that holds the weights; an edge without it counts 1, parallel edges are summed. None for no
        weights.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        What becomes of the direction of an edge. "out" and "in" keep it: a filter then averages over the nodes that a node
        points to, or over those that point to it. An undirected object is always symmetrised.
    node_type, edge_type : str, default=None
        The node attribute that names the type of a node, and the edge attribute that names the relation, of a graph with
        types (see `from_tables`). A node ("author", 7) of type author has the id 7 there. `features` are then names of
        attributes, of which each type has those that its nodes have.
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
    id_column : str, default=None
        The column of a frame of features or labels that holds the node ids, or "index"; found by its values where not given.
    signed : bool, default=False
        Whether weights may be below zero. Such edges ask for distance: they are `Graph.demands`, and not in the adjacency.
    time : str, default=None
        The edge attribute that holds the times of the edges, which then weigh less with age; see `from_edges`.
    half_life, decay, now : object, default=None
        How edges age, as in `from_edges`.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import networkx
    >>> import sparsecut as sc
    >>> club = networkx.karate_club_graph()
    >>> sc.from_networkx(club, labels="club", weight=None)
    Graph(34 nodes, 78 edges, labels)
    """
    networkx = import_extra("networkx", caller="from_networkx", extra="formats")
    check_choice("from_networkx", "directed", directed, DIRECTIONS)
    if not isinstance(graph, networkx.Graph):
        refuse_foreign(graph, "from_networkx needs a networkx graph.")
        raise InputError(f"from_networkx needs a networkx graph. Got {type(graph).__name__}.")
    weighing = Weighing("from_networkx", time, half_life, decay, now, signed)
    if node_type is not None:
        is_named = features is None or isinstance(features, str) or all(isinstance(name, str) for name in features)
        if not is_named or not (labels is None or isinstance(labels, str)):
            raise InputError("With node_type= the features and labels of from_networkx are names of attributes.")
        return graph_of_typed_networkx(graph, features, labels, weight, directed, node_type, edge_type, scale, weighing)
    return graph_of_networkx(
        graph, features, labels, weight, directed,
        what="The networkx graph", scale=scale, id_column=id_column, weighing=weighing,
    )  # fmt: skip


def graph_of_networkx(
    graph: Any,
    features: Any,
    labels: Any,
    weight: str | None,
    directed: str,
    *,
    what: str,
    scale: Scale = "auto",
    id_column: str | None = None,
    notes: tuple[str, ...] = (),
    weighing: Weighing | None = None,
) -> Graph:
    """`from_networkx` of a graph that `what` names in messages: an object, or a file that was read into one."""
    nodes = list(graph)
    if not nodes:
        raise InputError(f"{what} has no nodes. A graph needs at least one node.")
    index = {node: position for position, node in enumerate(nodes)}
    ends = np.array([(index[a], index[b]) for a, b in graph.edges()], dtype=np.int64).reshape(-1, 2)
    values = [attributes.get(weight, 1) for *_, attributes in graph.edges(data=True)] if weight is not None else []
    has_weights = weight is not None and any(weight in attributes for *_, attributes in graph.edges(data=True))
    weighing = weighing or Weighing("from_networkx")
    weights = check_weights(values, what, is_signed=weighing.is_signed) if has_weights else None
    moments = times_of([held.get(weighing.time) for *_, held in graph.edges(data=True)], weighing, what)
    if not graph.is_directed():
        directed = "symmetrize"
    elif directed == "symmetrize":
        notes = (*notes, LOST_DIRECTION)
    attributes = [graph.nodes[node] for node in nodes]
    ids, id_notes = as_node_ids(nodes, what, " networkx.relabel_nodes(G, str) makes words of all.")
    matrix = node_features(features, attributes, what, scale)
    return _graph(
        ids, ends[:, 0], ends[:, 1], weights, matrix, node_labels(labels, attributes, what),
        directed, (*notes, *id_notes), id_column, scale, weighing, moments, what,
    )  # fmt: skip


def to_networkx(graph: Graph, *, features: str | None = "features", labels: str | None = "label") -> Any:
    """A networkx graph with the node ids as nodes and `weight` at the edges of a weighted graph, below zero at demands.

    Parameters
    ----------
    graph : Graph
        The graph to take.
    features : str or None, default="features"
        The node attribute that holds the features, one vector per node. None leaves them out.
    labels : str or None, default="label"
        The node attribute that holds the labels. None leaves them out.

    Returns
    -------
    networkx.Graph or networkx.DiGraph

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.from_edges([("a", "b"), ("b", "c")], labels=[0, 0, 1])
    >>> sc.to_networkx(graph).nodes["c"]
    {'label': 1}
    """
    networkx = import_extra("networkx", caller="to_networkx", extra="formats")
    check_graph(graph, "to_networkx")
    result = networkx.DiGraph() if graph.is_directed else networkx.Graph()
    nodes = graph.node_ids.tolist()
    result.add_nodes_from(nodes)
    matrix = graph.adjacency
    if graph.demands is not None:
        if matrix.multiply(graph.demands).nnz:
            raise InputError(
                "to_networkx needs pairs that are friendly or unfriendly. Some are both, and it makes one edge per pair. "
                "Leave the weights below zero of such pairs out."
            )
        matrix = matrix - graph.demands
    entries = (matrix if graph.is_directed else sp.triu(matrix)).tocoo()
    rows, columns = (entries.coords[axis].tolist() for axis in (0, 1))
    ends = ((nodes[i], nodes[j]) for i, j in zip(rows, columns, strict=True))
    if graph.is_weighted or graph.demands is not None:
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
    scale: Scale = "auto",
    id_column: str | None = None,
    signed: bool = False,
    time: str | None = None,
    half_life: Any = None,
    decay: float | None = None,
    now: Any = None,
) -> Graph:
    """A graph from igraph.

    Parameters
    ----------
    graph : igraph.Graph
        Directed or not.
    features : array, frame, str or list of str, default=None
        An array with one row per node in the object's order; a frame, matched by ids (see `Graph`); the name of a node
        attribute that holds a vector or a number; or several names: a table, which is encoded (see `Graph`).
    labels : array, series, frame, dict or str, default=None
        Labels as in `Graph`, or the name of a node attribute. A node without one has no label.
    weight : str or None, default="weight"
        The edge attribute that holds the weights, where there is one.
    node_ids : str or None, default="name"
        The vertex attribute that holds the node ids; 0..n−1 where the graph has no such attribute.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        What becomes of the direction of an edge. "out" and "in" keep it: a filter then averages over the nodes that a node
        points to, or over those that point to it. An undirected object is always symmetrised.
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
    id_column : str, default=None
        The column of a frame of features or labels that holds the node ids, or "index"; found by its values where not given.
    signed : bool, default=False
        Whether weights may be below zero. Such edges ask for distance: they are `Graph.demands`, and not in the adjacency.
    time : str, default=None
        The edge attribute that holds the times of the edges, which then weigh less with age; see `from_edges`.
    half_life, decay, now : object, default=None
        How edges age, as in `from_edges`.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import igraph
    >>> import sparsecut as sc
    >>> sc.from_igraph(igraph.Graph.Ring(5))
    Graph(5 nodes, 5 edges)
    """
    # igraph is under the GPL and is never imported from here: whoever has a graph of it has imported it.
    igraph = sys.modules.get("igraph")
    check_choice("from_igraph", "directed", directed, DIRECTIONS)
    if igraph is None or not isinstance(graph, igraph.Graph):
        refuse_foreign(graph, "from_igraph needs an igraph graph.")
        raise InputError(f"from_igraph needs an igraph graph. Got {type(graph).__name__}.")
    if graph.vcount() == 0:
        raise InputError("The igraph graph has no nodes. A graph needs at least one node.")
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    weights = None
    if weight in graph.es.attributes():
        weights = check_weights(graph.es[weight], "The igraph graph", is_signed=signed)
    weighing = Weighing("from_igraph", time, half_life, decay, now, signed)
    given = graph.es[time] if time in graph.es.attributes() else [None] * graph.ecount()
    moments = times_of(given, weighing, "The igraph graph")
    id_notes: tuple[str, ...] = (LOST_DIRECTION,) if graph.is_directed() and directed == "symmetrize" else ()
    ids = np.arange(graph.vcount())
    if node_ids in graph.vs.attributes():
        ids, said = as_node_ids(graph.vs[node_ids], f"The igraph graph, in its attribute {node_ids!r},")
        id_notes = (*id_notes, *said)
    attributes = [vertex.attributes() for vertex in graph.vs]
    matrix = node_features(features, attributes, "The igraph graph", scale)
    return _graph(
        ids, ends[:, 0], ends[:, 1], weights, matrix, node_labels(labels, attributes, "The igraph graph"),
        directed if graph.is_directed() else "symmetrize", id_notes, id_column, scale, weighing, moments,
        "The igraph graph",
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
    scale: Scale = "auto",
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
        directed, (*notes, *id_notes), what=what,
    )  # fmt: skip


def times_of(times: Sequence[Any], weighing: Weighing, what: str) -> EdgeTimes | None:
    """The times of the edges of an object, in the attribute that is named; None where none is."""
    if weighing.time is None or not len(times):
        return None
    if all(value is None for value in times):
        raise InputError(f"{what} has no edge with the attribute {weighing.time!r}, which is to hold its time.")
    return as_moments(times, f"{what}, in its attribute {weighing.time!r},")


def dense_features(graph: Graph) -> NDArray[np.float32]:
    features: Any = graph.features
    return np.asarray(features.toarray() if sp.issparse(features) else features)


def _graph(
    ids: NDArray[Any],
    i: Any,
    j: Any,
    weights: Any,
    features: Any,
    labels: Any,
    directed: str,
    notes: tuple[str, ...],
    id_column: str | None = None,
    scale: Scale = "auto",
    weighing: Weighing | None = None,
    moments: EdgeTimes | None = None,
    what: str = "The graph",
) -> Graph:
    made = matrices(i, j, weights, moments, len(ids), directed, weighing or Weighing("Graph"), what)
    graph = Graph(
        made.adjacency,
        features=features,
        labels=labels,
        node_ids=ids,
        id_column=id_column,
        scale=scale,
        directed="symmetrize" if directed == "symmetrize" else "out",  # "in" has been turned already
        notes=(*notes, *made.notes, *loop_notes(made.n_loops)),
    )
    return graph.replace(**made.parts)

"""Other libraries' graphs with types: PyTorch Geometric's `HeteroData`, networkx with an attribute that names the type."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import Scale
from sparsecut.graph import Graph, as_id_array
from sparsecut.io.edges.edge_weights import check_weights
from sparsecut.io.edges.weighing import Weighing
from sparsecut.io.nodes.node_attributes import no_attribute, node_features, node_labels
from sparsecut.io.typed.typed_columns import UNNAMED, edges_by_type
from sparsecut.io.typed.typed_graphs import from_tables

REVERSED = "rev_"  # how PyG's ToUndirected calls the other direction of a type of edges


def graph_of_hetero(data: Any, directed: str, weighing: Weighing) -> Graph:
    """A graph from PyG's `HeteroData`: x and y of every type of nodes, edge_index, weights and times of every type of edges.

    Where a type of edges is there in both directions, as ToUndirected makes it, the reversed one is left out.
    """
    nodes, labels, edges = dict[str, Any](), dict[str, Any](), dict[Any, Any]()
    notes = []
    for name in data.node_types:
        held = data[name]
        features = getattr(held, "x", None)
        nodes[name] = np.arange(int(held.num_nodes)) if features is None else _on_host(features)
        given = getattr(held, "y", None)
        if given is not None and given.dim() == 2 and given.shape[1] > 1:
            notes.append(f"{name}: y has {given.shape[1]} columns and was left out: pass it to evaluate(embedding, data.y).")
        elif given is not None:
            labels[name] = given.reshape(-1).cpu().numpy()
    for key in data.edge_types:
        source, name, target = key
        if name.startswith(REVERSED) and (target, name.removeprefix(REVERSED), source) in data.edge_types:
            continue
        ends = data[key].edge_index.cpu().numpy()
        columns: dict[str, Any] = {"source": ends[0], "target": ends[1]}
        weights = weights_of(data[key])
        notes += [f"{':'.join(key)}: {note}" for note in notes_on_attributes(data[key], weights)]
        columns |= {} if weights is None else {"weight": weights.cpu().numpy()}
        times = None if weighing.time is None else getattr(data[key], weighing.time, None)
        edges[key] = columns if times is None else {**columns, "time": times.reshape(-1).cpu().numpy()}
    if not edges:
        raise InputError("The HeteroData object has no edges: from_pyg needs an edge_index for at least one type of edges.")
    if weighing.time is not None and not any("time" in columns for columns in edges.values()):
        raise InputError(f"The HeteroData object has no type of edges with {weighing.time!r}, which is to hold their times.")
    graph = from_tables(nodes, edges, labels=labels or None, directed=directed, **_weighed_by(weighing))
    return graph.replace(notes=(*graph.notes, *notes)) if notes else graph


def weights_of(held: Any) -> Any:
    """The weights of PyG's edges: edge_weight, or edge_attr of one column; None without."""
    weights = getattr(held, "edge_weight", None)
    if weights is None and getattr(held, "edge_attr", None) is not None and held.edge_attr.squeeze(-1).dim() == 1:
        weights = held.edge_attr.squeeze(-1)
    return weights


def notes_on_attributes(held: Any, weights: Any) -> tuple[str, ...]:
    """What is left out of PyG's edges: an edge_attr that is no weight."""
    given = getattr(held, "edge_attr", None)
    if given is None or (weights is not None and getattr(held, "edge_weight", None) is None):
        return ()
    n_columns = 1 if given.dim() == 1 else given.shape[-1]
    return (f"edge_attr ({n_columns} column{'s' if n_columns > 1 else ''}) was left out. Weights are in edge_weight.",)


def _weighed_by(weighing: Weighing) -> dict[str, Any]:
    """The options of `from_tables` for tables whose times, if they have some, are in a column called time."""
    time = None if weighing.time is None else "time"
    ages = {"half_life": weighing.half_life, "decay": weighing.decay, "now": weighing.now}
    return {"time": time, "signed": weighing.is_signed, **ages}


def graph_of_typed_networkx(
    graph: Any, features: Any, labels: str | None, weight: str | None, directed: str, node_type: str, edge_type: str | None,
    scale: Scale, weighing: Weighing,
) -> Graph:  # fmt: skip
    """A graph of networkx whose nodes have their type as an attribute; an edge has the types of its ends."""
    listed = list(graph.nodes(data=True))
    absent = [node for node, held in listed if held.get(node_type) is None]
    if absent:
        raise InputError(f"These nodes of the networkx graph have no attribute {node_type!r}: {first_few(absent)}.")
    types = np.array([str(held[node_type]) for _, held in listed], dtype=np.str_)
    wanted_names = [features] if isinstance(features, str) else list(features or ())
    for name in [*wanted_names, *([] if labels is None else [labels])]:
        if not any(name in held for _, held in listed):
            raise no_attribute(str(name), [held for _, held in listed], "The networkx graph")
    place = {node: position for position, (node, _) in enumerate(listed)}
    nodes, marks, ids = dict[str, Any](), dict[str, Any](), np.empty(len(listed), dtype=object)
    for name in dict.fromkeys(types.tolist()):
        here = np.flatnonzero(types == name)
        held = [listed[position][1] for position in here]
        ids[here] = [_own_id(listed[position][0], name) for position in here]
        own = as_id_array(ids[here].tolist(), f"The networkx graph, in its nodes of type {name!r},")
        wanted = _attributes_of(features, held)
        nodes[name] = own if wanted is None else (own, node_features(wanted, held, "The networkx graph", scale))
        if labels is not None and any(labels in one for one in held):
            marks[name] = node_labels(labels, held, "The networkx graph")
    links = list(graph.edges(data=True))
    i, j = (np.array([place[link[end]] for link in links], dtype=np.int64) for end in (0, 1))
    relations = np.array([str(held.get(edge_type, UNNAMED)) for *_, held in links], dtype=np.str_)
    has_weights = weight is not None and any(weight in held for *_, held in links)
    values = None
    if has_weights:
        given = [held.get(weight, 1) for *_, held in links]
        values = check_weights(given, "The networkx graph", is_signed=weighing.is_signed)
    times = [held.get(weighing.time) for *_, held in links]
    if edge_type is not None and links and not any(edge_type in held for *_, held in links):
        found = dict.fromkeys(str(name) for *_, held in links for name in held)
        raise InputError(
            f"The networkx graph has no edge with the attribute {edge_type!r}, which is to name its relation. "
            f"Edges have: {first_few(list(found), 20) or 'none'}."
        )
    is_directed = graph.is_directed() and directed != "symmetrize"
    edges: dict[Any, Any] = {}
    for key, (chosen, first, second) in edges_by_type(types, i, j, relations, is_directed=is_directed).items():
        columns: dict[str, Any] = {"source": ids[first].tolist(), "target": ids[second].tolist()}
        columns |= {} if values is None else {"weight": values[chosen]}
        dated = [times[place] for place in chosen.tolist()]
        edges[key] = columns if all(one is None for one in dated) else {**columns, "time": dated}
    if weighing.time is not None and not any("time" in columns for columns in edges.values()):
        raise InputError(f"The networkx graph has no edge with the attribute {weighing.time!r}, which is to hold its time.")
    way = directed if is_directed else "symmetrize"
    return from_tables(nodes, edges, labels=marks or None, directed=way, scale=scale, **_weighed_by(weighing))


def _own_id(node: Any, name: str) -> Any:
    """The id of a node within its type: 7 of ("author", 7), the usual name of a node where ids begin anew in every type."""
    return node[1] if isinstance(node, tuple) and len(node) == 2 and node[0] == name else node


def _attributes_of(features: Any, held: list[Any]) -> list[str] | str | None:
    """The named attributes that nodes of a type have."""
    if features is None:
        return None
    if isinstance(features, str):
        return features if any(features in one for one in held) else None
    found = [str(name) for name in features if any(name in one for one in held)]
    return found or None


def _on_host(tensor: Any) -> Any:
    if str(tensor.layout) == "torch.strided":
        return tensor.cpu().numpy()
    dense = tensor.coalesce() if str(tensor.layout) == "torch.sparse_coo" else tensor.to_sparse_coo().coalesce()
    rows, columns = dense.indices().cpu().numpy()
    return sp.csr_array((dense.values().cpu().numpy(), (rows, columns)), shape=tuple(dense.shape))

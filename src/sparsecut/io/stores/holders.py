"""PyTorch Geometric's `Data`, there and back; and embeddings put into the objects that graphs came from.

graph = from_pyg(data)                             # edge_index, x, y
add_embedding(data, Z, graph.node_ids)             # → data.embedding; of an AnnData, obsm["X_sparsecut"], rows by name
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sparsecut.base.errors import InputError, check_choice, first_few, import_extra
from sparsecut.graph import DIRECTIONS, Graph, check_graph, loop_notes
from sparsecut.io.edges.edge_weights import check_weights
from sparsecut.io.edges.ids import check_unique, positions_of
from sparsecut.io.edges.weighing import Weighing, matrices
from sparsecut.io.embeddings import check_vectors
from sparsecut.io.objects import dense_features, times_of
from sparsecut.io.typed.typed_objects import graph_of_hetero, notes_on_attributes, weights_of


def from_pyg(
    data: Any,
    *,
    directed: str = "symmetrize",
    signed: bool = False,
    time: str | None = None,
    half_life: Any = None,
    decay: float | None = None,
    now: Any = None,
) -> Graph:
    """A graph from PyTorch Geometric's `Data`: edge_index, edge_weight (or edge_attr of one column), x and y.

    Parameters
    ----------
    data : torch_geometric.data.Data or HeteroData
        The object to read; it is not changed. Tensors on a GPU stay there.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        What becomes of the direction of an edge. "out" and "in" keep it: a filter then averages over the nodes that a node
        points to, or over those that point to it. An undirected object is always symmetrised.
    signed : bool, default=False
        Whether weights may be below zero. Such edges ask for distance: they are `Graph.demands`, and not in the adjacency.
    time : str, default=None
        The edge attribute that holds the times of the edges, which then weigh less with age; see `from_edges`.
    half_life, decay, now : object, default=None
        How edges age, as in `from_edges`.

    Returns
    -------
    Graph
        Its node ids are 0..n−1; of a `HeteroData` they say their type, "paper:0".

    Examples
    --------
    Not run as a test: importing torch_geometric warns, and warnings are errors there.

    >>> import torch
    >>> from torch_geometric.data import Data  # doctest: +SKIP
    >>> import sparsecut as sc
    >>> sc.from_pyg(Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 2]])))  # doctest: +SKIP
    Graph(3 nodes, 2 edges, 3 features)
    """
    check_choice("from_pyg", "directed", directed, DIRECTIONS)
    weighing = Weighing("from_pyg", time, half_life, decay, now, signed)
    if hasattr(data, "node_types") and hasattr(data, "edge_types"):
        return graph_of_hetero(data, directed, weighing)
    edge_index = getattr(data, "edge_index", None)
    if edge_index is None or tuple(edge_index.shape[:1]) != (2,):
        raise InputError(f"from_pyg needs a Data object with an edge_index of two rows. Got {type(data).__name__}.")
    n_nodes = int(data.num_nodes)
    if edge_index.is_cuda and time is None and not signed:
        return _on_device(data, n_nodes, directed)
    i, j = edge_index.cpu().numpy()
    if len(i) and (min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= n_nodes):
        raise InputError(f"The edge_index names nodes beyond the {n_nodes:,} of the Data object.")
    weights, what = weights_of(data), "The Data object"
    checked = None if weights is None else check_weights(weights.cpu().numpy(), what, is_signed=signed)
    given = None if time is None else getattr(data, time, None)
    if time is not None and given is None:
        raise InputError(f"The Data object has no {time!r}, which is to hold the times of its edges.")
    moments = None if given is None else times_of(given.reshape(-1).cpu().numpy(), weighing, what)
    if moments is not None and len(moments.values) != len(i):
        raise InputError(f"The {time!r} of the Data object must be one time for each of its {len(i):,} edges.")
    made = matrices(i, j, checked, moments, n_nodes, directed, weighing, what)
    features = getattr(data, "x", None)
    if features is not None:
        features = features.to_dense().cpu().numpy()
    return Graph.from_canonical(
        made.adjacency,
        features=features,
        labels=_labels(data),
        node_ids=np.arange(n_nodes),
        directed=directed,
        notes=(*made.notes, *loop_notes(made.n_loops), *notes_on_attributes(data, weights), *_notes_on_labels(data)),
        **made.parts,
    )


def _on_device(data: Any, n_nodes: int, directed: str) -> Graph:
    """The graph of PyG data whose tensors are on a GPU; they stay there."""
    from sparsecut.graph.device import check_edges

    entries, notes = check_edges(data.edge_index, weights_of(data), n_nodes, directed)
    features = getattr(data, "x", None)
    return Graph.from_canonical(
        entries,
        features=features,
        labels=_labels(data),
        node_ids=None,
        directed=directed,
        notes=(*notes, *notes_on_attributes(data, weights_of(data)), *_notes_on_labels(data)),
    )


def _labels(data: Any) -> Any:
    labels = getattr(data, "y", None)
    if labels is None or _has_several(labels):
        return None
    return labels.squeeze(-1).cpu().numpy() if labels.dim() == 2 and labels.shape[1] == 1 else labels.cpu().numpy()


def to_pyg(graph: Graph) -> Any:
    """PyTorch Geometric's `Data`: both directions of each edge, x and y where there are features and labels, and node_id.

    Parameters
    ----------
    graph : Graph
        Labels that are words become their positions in `data.classes`, −1 for none; weights become `edge_weight`.

    Returns
    -------
    torch_geometric.data.Data

    Examples
    --------
    Not run as a test: importing torch_geometric warns, and warnings are errors there.

    >>> import sparsecut as sc
    >>> sc.to_pyg(sc.from_edges([("a", "b"), ("b", "c")])).node_id  # doctest: +SKIP
    ['a', 'b', 'c']
    """
    Data = import_extra("torch_geometric.data", caller="to_pyg", extra="pyg").Data
    import torch

    entries = check_graph(graph, "to_pyg").adjacency.tocoo()
    data = Data(edge_index=torch.from_numpy(np.stack(entries.coords).astype(np.int64)), num_nodes=graph.n_nodes)
    if graph.is_weighted:
        data.edge_weight = torch.from_numpy(entries.data.copy())
    if graph.features is not None:
        data.x = torch.from_numpy(np.array(dense_features(graph)))
    if graph.labels is not None:
        if graph.labels.dtype.kind in "biuf":
            data.y = torch.from_numpy(graph.labels.copy())
        else:  # words: their positions in `classes`; −1 for none
            classes = sorted({str(label) for label in graph.labels} - {"", "None", "nan"})
            number = {label: position for position, label in enumerate(classes)}
            data.y = torch.tensor([number.get(str(label), -1) for label in graph.labels])
            data.classes = classes
    data.node_id = graph.node_ids.tolist()
    return data


def add_embedding(holder: Any, embedding: ArrayLike, node_ids: ArrayLike | None = None, *, key: str | None = None) -> None:
    """Put an embedding into the object that its graph came from.

    Parameters
    ----------
    holder : AnnData or torch_geometric.data.Data
        Changed in place.
    embedding : array or frame (n, d)
        One row per node.
    node_ids : array (n,), default=None
        The id of each row, matched to the holder's own names; without them the rows are in the holder's order.
    key : str, default=None
        Under which name: in obsm of an AnnData, "X_sparsecut" by default; an attribute of a Data, "embedding" by default.

    Raises
    ------
    InputError
        Where a node of the holder has no row.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> import sparsecut as sc
    >>> cells = anndata.AnnData(np.eye(2, dtype=np.float32))
    >>> sc.add_embedding(cells, np.array([[2.0], [1.0]]), ["1", "0"])
    >>> cells.obsm["X_sparsecut"].tolist()
    [[1.0], [2.0]]
    """
    Z, ids = check_vectors(embedding, node_ids, "add_embedding(holder, Z, ids)")
    if hasattr(holder, "obsm"):
        names = np.asarray(holder.obs_names, dtype=np.str_)
        holder.obsm[key or "X_sparsecut"] = _matched(Z, ids, names, "the AnnData object")
    elif hasattr(holder, "edge_index"):
        import torch

        names = np.asarray(getattr(holder, "node_id", np.arange(holder.num_nodes)))
        holder[key or "embedding"] = torch.from_numpy(_matched(Z, ids, names, "the Data object"))
    else:
        raise InputError(f"An embedding goes into an AnnData or a PyG Data object. Got {type(holder).__name__}.")


def _matched(Z: Any, ids: Any, names: Any, where: str) -> Any:
    if ids is None:
        if len(Z) != len(names):
            raise InputError(
                f"The embedding must have one row for each of the {len(names):,} nodes of {where}. Got shape {Z.shape}."
            )
        return Z
    check_unique(ids, "The embedding")
    positions = positions_of(names, ids)
    missing = np.flatnonzero(positions < 0)
    if len(missing):
        raise InputError(f"The embedding has no row for these nodes of {where}: {first_few(names[missing])}.")
    return np.ascontiguousarray(Z[positions])


def _has_several(labels: Any) -> bool:
    return bool(labels.dim() == 2 and labels.shape[1] > 1)


def _notes_on_labels(data: Any) -> tuple[str, ...]:
    """Several labels per node are no column of a graph."""
    labels = getattr(data, "y", None)
    if labels is None or not _has_several(labels):
        return ()
    return (f"y has {labels.shape[1]} columns and was left out: pass it to evaluate(embedding, data.y).",)

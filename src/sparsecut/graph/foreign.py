"""What is not a graph of ours: other libraries' objects, each with the call that makes it one.

An object of networkx or AnnData is not converted on the way: which of its attributes are features, and which is the label,
is the user's choice. Where nothing is left to choose, it works: a tensor of torch is its matrix, and a frame whose index and
columns name the same nodes is an adjacency with these ids. No library is imported to find out: a type knows its module.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.base.errors import InputError
from sparsecut.graph.id_kinds import check_one_kind

ATTRIBUTES = "features= and labels= name what it holds"
BESIDE = "features= and labels= go beside it"
CALLS = {
    "networkx": ("a networkx graph", "sc.from_networkx(graph)", ATTRIBUTES),
    "torch_geometric": ("a PyTorch Geometric object", "sc.from_pyg(data)", "x and y become features and labels"),
    "igraph": ("an igraph graph", "sc.from_igraph(graph)", ATTRIBUTES),
    "anndata": ("an AnnData object", "sc.from_anndata(cells)", ATTRIBUTES),
    "torch_sparse": ("a tensor of torch_sparse", "sc.Graph(adjacency.to_scipy())", BESIDE),
    "dgl": ("a DGL graph", "sc.from_networkx(graph.to_networkx())", BESIDE),
    "graph_tool": ("a graph of graph-tool", "sc.Graph(graph_tool.spectral.adjacency(graph))", BESIDE),
    "pandas": ("a pandas frame", "sc.from_edges(frame)", BESIDE),
    "polars": ("a polars frame", "sc.from_edges(frame)", BESIDE),
    "pyarrow": ("a pyarrow table", "sc.from_edges(table)", BESIDE),
    "duckdb": ("a DuckDB relation", "sc.from_edges(relation)", BESIDE),
}


def library_of(thing: Any) -> str | None:
    """The library, of those we know, that an object or a class it inherits from belongs to."""
    roots = [cls.__module__.partition(".")[0] for cls in type(thing).__mro__]
    return next((root for root in roots if root in CALLS or root == "torch"), None)


def refuse_foreign(thing: Any, what: str) -> None:
    """Raise for an object that has to be converted, naming the call; `what` begins the sentence, and says what is taken."""
    if isinstance(thing, str | bytes | os.PathLike):
        path = os.fsdecode(thing)
        raise InputError(
            f"{what} Got {path!r}, which names a file or a dataset. Read it first: "
            f"sc.read_graph({path!r}), or sc.datasets.load({path!r})."
        )
    library = library_of(thing)
    if library in CALLS:
        name, call, remark = CALLS[library]
        raise InputError(f"{what} Got {name} ({type(thing).__name__}). Convert it first: {call}; {remark}.")
    if isinstance(thing, dict):
        raise InputError(
            f"{what} Got a dict. Convert it first: sc.from_networkx(networkx.Graph(neighbours)) for a dict of neighbours, "
            "sc.from_edges(columns) for columns of edges."
        )


def plain_adjacency(adjacency: Any) -> tuple[Any, Any]:
    """(matrix, node ids or None) of what may stand for an adjacency; an object that must be converted first is refused."""
    if sp.issparse(adjacency) or isinstance(adjacency, np.ndarray):
        return adjacency, None
    if is_parts(adjacency):
        return adjacency, None
    library = library_of(adjacency)
    if library == "torch":
        # A tensor on a GPU stays there, and a list of edges is no matrix: the graph takes both as they are.
        return (adjacency if adjacency.is_cuda or is_edge_index(adjacency) else from_torch(adjacency)), None
    if library == "pandas" and hasattr(adjacency, "columns") and _names_itself(adjacency):
        names = adjacency.index.tolist()
        check_one_kind(names, "The index of the adjacency")
        return adjacency.to_numpy(), np.array(names)
    refuse_foreign(adjacency, "A graph is a sparsecut.Graph or an adjacency matrix, scipy, numpy or torch.")
    return adjacency, None


def not_square(shape: tuple[int, ...]) -> str:
    """What a matrix that is no adjacency probably is, as a sentence."""
    if len(shape) == 2 and shape[1] in (2, 3):
        return " A list of edges becomes a graph with sc.from_edges(edges)."
    return " An edge index of two rows becomes a graph with sc.from_edges(edges.T)." if shape[:1] == (2,) else ""


def from_torch(tensor: Any) -> Any:
    """A dense tensor as numpy, a sparse one, of any layout, as scipy's CSR; without torch being imported here."""
    tensor = tensor.detach().cpu()
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    layout = str(tensor.layout)
    if layout == "torch.strided":
        return tensor.numpy()
    if tensor.dim() != 2:
        raise InputError(f"A sparse tensor must have two dimensions to be a matrix. Got shape {tuple(tensor.shape)}.")
    if layout == "torch.sparse_csr":
        arrays = (tensor.values(), tensor.col_indices(), tensor.crow_indices())
        return sp.csr_array(tuple(array.numpy() for array in arrays), shape=tuple(tensor.shape))
    entries = tensor.to_sparse_coo().coalesce()
    return sp.coo_array((entries.values().numpy(), tuple(entries.indices().numpy())), shape=tuple(tensor.shape)).tocsr()


def is_edge_index(tensor: Any) -> bool:
    """Whether a tensor of torch lists edges: two rows of whole numbers. Two by two it is a matrix."""
    is_whole = str(tensor.dtype) in ("torch.int32", "torch.int64")
    is_dense = str(tensor.layout) == "torch.strided"
    return bool(is_whole and is_dense and tensor.dim() == 2 and tensor.shape[0] == 2 != tensor.shape[1])


def is_parts(thing: Any) -> bool:
    """Whether something is the parts of a CSR matrix as tensors of torch: offsets, columns, and weights if there are any."""
    if not isinstance(thing, tuple) or len(thing) not in (2, 3):
        return False
    return all(library_of(part) == "torch" and part.dim() == 1 for part in thing)


def refuse_matrix(y: Any) -> None:
    """`y` is ignored, so it must not be what was meant for features: a matrix, a frame or a file."""
    shape = getattr(y, "shape", None)
    n_dimensions = _depth(y) if shape is None else len(shape)
    is_object = n_dimensions == 0 and library_of(y) in CALLS and not hasattr(y, "to_pylist")  # not a column of labels
    if n_dimensions > 1 or isinstance(y, str | bytes | os.PathLike) or is_object:
        got = f"a {type(y).__name__}" + (f" of shape {tuple(shape)}" if shape is not None else "")
        raise InputError(
            f"The second argument is y, which is ignored: labels play no part in an embedding. Got {got}. "
            "Pass features by name: features=X."
        )


def _depth(y: Any) -> int:
    """How many dimensions a list has, by its first entries."""
    if not isinstance(y, list | tuple):
        return 0
    return 1 + (_depth(y[0]) if y else 0)


def _names_itself(frame: Any) -> bool:
    """Whether a frame's index and columns are the same names: not just 0..n−1, which a list of edges has as well."""
    names = list(frame.index)
    if len(names) != frame.shape[1] or names != list(frame.columns):
        return False
    return names != list(range(len(names)))

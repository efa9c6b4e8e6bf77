"""AnnData, objects and .h5ad files: a graph of cells in obsp, features in X, obsm, layers or obs, labels in obs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.base.errors import InputError, first_few, import_extra
from sparsecut.features import Scale, table_source
from sparsecut.graph import Graph, as_arrow, refuse_foreign
from sparsecut.io.formats.graph_format import GraphFormat, GraphRequest
from sparsecut.io.hostile.guards import reading
from sparsecut.io.hostile.sandbox import check_hdf5
from sparsecut.io.stores.held import HeldGraph


def from_anndata(
    cells: Any,
    *,
    adjacency: str = "connectivities",
    features: Any = "X",
    labels: str | None = None,
    directed: str = "symmetrize",
    scale: Scale = "auto",
) -> Graph:
    """A graph from AnnData, one node per cell.

    Parameters
    ----------
    cells : AnnData
        The object to read; it is not changed.
    adjacency : str, default="connectivities"
        The graph, a key of obsp.
    features : str or list of str or None, default="X"
        "X", a key of obsm or layers, a column of obs, or a list of such columns: a table, which becomes features as
        `sparsecut.features` describes. A key that lies in several places is written "obsm:KEY", "layers:KEY" or
        "obs:KEY". None for no features.
    labels : str, default=None
        A column of obs. A cell without a value has no label.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        "out" and "in" keep the directions (see `Graph`).
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".

    Returns
    -------
    Graph
        Its node ids are the names of the cells.

    Examples
    --------
    >>> import anndata, numpy as np, scipy.sparse as sp
    >>> import sparsecut as sc
    >>> cells = anndata.AnnData(np.eye(3, dtype=np.float32))
    >>> cells.obsp["connectivities"] = sp.csr_matrix(np.ones((3, 3)) - np.eye(3))
    >>> sc.from_anndata(cells)
    Graph(3 nodes, 3 edges, 3 features)
    """
    import_extra("anndata", caller="from_anndata", extra="anndata")
    for holder in ("obsp", "obsm", "obs_names", "X"):
        if not hasattr(cells, holder):
            refuse_foreign(cells, "from_anndata needs an AnnData object.")
            raise InputError(f"from_anndata needs an AnnData object. Got {type(cells).__name__}.")
    return _graph_of_cells(cells, adjacency, directed, features, labels, scale)


def _graph_of_cells(
    cells: Any,
    adjacency: str,
    directed: str,
    features: Any,
    labels: str | None,
    scale: Scale,
    notes: tuple[str, ...] = (),
) -> Graph:
    if adjacency not in cells.obsp:
        raise InputError(
            f"The AnnData object has no graph obsp[{adjacency!r}]. It has: {first_few(list(cells.obsp)) or 'none'}. "
            "scanpy.pp.neighbors makes one."
        )
    matrix, place = _cell_features(cells, features, scale)
    is_by_gene = place.startswith(("features in X", "features in layers"))
    return Graph(
        cells.obsp[adjacency],
        features=matrix,
        # AnnData lets names repeat; then they name nothing.
        feature_names=[str(name) for name in cells.var_names] if is_by_gene and cells.var_names.is_unique else None,
        labels=None if labels is None else _cell_labels(cells, labels),
        node_ids=np.asarray(cells.obs_names, dtype=np.str_),
        directed=directed,
        notes=(f"AnnData: graph in obsp[{adjacency!r}], {place}.", *notes),
    )


def read_h5ad(request: GraphRequest) -> HeldGraph:
    """An .h5ad file, read to its end by the sandbox first."""
    path = request.path
    anndata = import_extra("anndata", caller="Reading .h5ad", extra="anndata")
    check_hdf5(path, "graph")
    with reading(path, "graph"):
        cells = anndata.read_h5ad(path)
        for matrix in (cells.X, *cells.obsp.values(), *cells.obsm.values(), *cells.layers.values()):
            if sp.issparse(matrix):  # scipy follows an index that points outside, and ends the process
                matrix.check_format(full_check=True)
    make = partial(_graph_of_cells, cells, request.adjacency or "connectivities", request.directed)
    return HeldGraph(_attributes(cells), make, usual="X")


def _attributes(cells: Any) -> dict[str, list[str]]:
    """The names by which an AnnData's matrices and columns may be requested, by the place that holds them."""
    return {
        "X": [] if cells.X is None else ["X"],
        **{place: [str(name) for name in getattr(cells, place)] for place in ("obsm", "layers", "obs")},
    }


def _cell_features(cells: Any, features: Any, scale: Scale) -> tuple[Any, str]:
    """(features or None, where they lie)."""
    if features is None or (isinstance(features, str) and features == "X"):
        return (None, "no features") if features is None or cells.X is None else (cells.X, "features in X")
    names = [features] if isinstance(features, str) else [str(name) for name in features]
    places = [_place_of(cells, name, "features") for name in names]
    if len(names) == 1 and places[0][0] in ("X", "obsm", "layers"):
        place, key = places[0]
        matrix = cells.X if place == "X" else getattr(cells, place)[key]
        said = "features in X" if place == "X" else f"features in {place}[{key!r}]"
        return matrix if sp.issparse(matrix) else np.asarray(matrix), said
    others = [f"{place}[{key!r}]" for place, key in places if place != "obs"]
    if others:
        raise InputError(f"Several features must be columns of obs: {others[0]} is a matrix. Name it alone.")
    columns = [key for _, key in places]
    table = as_arrow(cells.obs[columns], "The AnnData object")
    return table_source(table, "The AnnData object", scale=scale), f"features in obs: {', '.join(columns)}"


def _cell_labels(cells: Any, name: str) -> Any:
    place, key = _place_of(cells, name, "labels", ("obs",))
    column = getattr(cells, place)[key]
    if column.dtype.kind in "iuf":
        return np.asarray(column)
    words = column.astype(object).where(column.notna(), "")
    return np.array([str(word) for word in words])


def _place_of(cells: Any, name: str, role: str, among: tuple[str, ...] = ("X", "obsm", "layers", "obs")) -> tuple[str, str]:
    """(where a name lies, the name there)."""
    names = _attributes(cells)
    place, colon, key = name.partition(":")
    if colon and place in among and key in names[place]:
        return place, key
    found = [place for place in among if name in names[place]]
    if len(found) > 1:
        choices = " or ".join(repr(f"{place}:{name}") for place in found)
        raise InputError(f"The AnnData object has {name!r} in {' and in '.join(found)}. Say which one is meant: {choices}.")
    if not found:
        has = "; ".join(f"{place}: {first_few(names[place], 20)}" for place in among if names[place] and place != "X")
        raise InputError(f"The AnnData object has no {name!r} for the {role}. It has {has or 'nothing else'}.")
    return found[0], name


FORMATS = (GraphFormat((".h5ad",), read_h5ad, options=("adjacency",), has_attributes=True),)

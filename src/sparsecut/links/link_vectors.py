"""The vectors of a graph's nodes, given or made by an estimator: those of the graph, and those without some of its links."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.engines import EngineChoice
from sparsecut.graph import Graph, place_rows
from sparsecut.links.held_out_links import HeldOut

ROWS_CHECKED = 65_536  # at a time: vectors may lie on disk


def vectors_of(source: Any, graph: Graph, engine: EngineChoice | None = None) -> Any:
    """The vectors of a graph's nodes: given ones, a fitted estimator's of this graph, or those of a copy that is fitted.

    Of a tuple they stand side by side. The copy is fitted by the engine of the links, if they have one.
    """
    if isinstance(source, tuple):
        return _side_by_side([vectors_of(one, graph, engine) for one in source])
    if not hasattr(source, "fit_transform"):
        rows = place_rows(source, graph.node_ids, "The vectors")
        vectors = rows if isinstance(rows, np.memmap) else np.asarray(rows)
    elif _is_fitted_on(source, graph):
        vectors = source.embedding_
    else:
        vectors = _copy_of(source, engine).fit_transform(graph)
    vectors = vectors if hasattr(vectors, "shape") else np.asarray(vectors)
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu" or len(vectors) != graph.n_nodes:
        raise InputError(
            f"Links need one vector of numbers for each of the {graph.n_nodes:,} nodes. Got {vectors.dtype}, shape "
            f"{vectors.shape}."
        )
    if not all(np.isfinite(vectors[start : start + ROWS_CHECKED]).all() for start in range(0, len(vectors), ROWS_CHECKED)):
        raise InputError("The vectors must be finite. Some are not.")
    return vectors


def vectors_again(source: Any, graph: Graph, held_out: HeldOut, engine: EngineChoice | None = None) -> Any:
    """The vectors of the graph without its held-out links, where there is something that makes them."""
    if isinstance(source, tuple):
        return _side_by_side([vectors_again(one, graph, held_out, engine) for one in source])
    if not hasattr(source, "fit_transform"):
        return vectors_of(source, graph)
    return np.asarray(_copy_of(source, engine).fit_transform(held_out.graph))


def _side_by_side(parts: list[Any]) -> Any:
    if not parts:
        raise InputError("Links need vectors, or something that makes them. Got an empty tuple.")
    return np.hstack([np.asarray(part) for part in parts])


def _is_fitted_on(model: Any, graph: Graph) -> bool:
    if not hasattr(model, "embedding_") or len(model.embedding_) != graph.n_nodes:
        return False
    fitted = getattr(model, "graph_", None)
    return fitted is None or np.array_equal(fitted.node_ids, graph.node_ids)


def _copy_of(model: Any, engine: EngineChoice | None) -> Any:
    if not hasattr(model, "get_params"):
        return model
    parameters = model.get_params(deep=False)
    if engine is not None and "engine" in parameters:
        parameters["engine"] = engine
    return type(model)(**parameters)

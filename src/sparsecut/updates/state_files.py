"""The state of a model in its file: the graph, the features and the hops as tensors beside the weights.

state.indptr, .indices, .weights     the adjacency, as in CSR          state.ids         node ids, words as the bytes of JSON
state.features…                      dense, or CSR in three parts      state.embedding   Z
state.L.term.K                       the hops of level L,              state.learned.G   what the fit had learned, for drift,
state.L.missing.K, .lacking.K        what they lack, and its lengths,  state.mean.G      and the mean of its rows
state.L.rounding.K                   and bounds on their rounding

A model that was fitted again in place, and not updated since, has no hops in its file: those of a large graph take longer to
compute and to write than the fit. The first update writes them. One that owes its fit (`owed_fit`) has no vectors either.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features.type_encoders import Encoder
from sparsecut.graph import Graph
from sparsecut.graph.clock import Clock
from sparsecut.graph.node_ids import pack_ids, unpack_ids
from sparsecut.graph.relations import Relations
from sparsecut.operators.recipe import Recipe
from sparsecut.updates.graph_rows import RowsOfGraph
from sparsecut.updates.live import LiveState

Arrays = dict[str, NDArray[Any]]


def fitted_tensors(graph: Graph, embedding: NDArray[np.float32] | None, number: int) -> tuple[dict[str, Any], Arrays]:
    """What a file holds of a model that was fitted and not updated since: no hops, which the first update computes.

    No vectors either, where the fit is still owed.
    """
    header, arrays = _graph_tensors(graph)
    if embedding is not None:
        arrays["state.embedding"] = np.asarray(embedding)
    return {**header, "number": number, "has_hops": False}, arrays


def read_fitted(
    header: dict[str, Any], arrays: Arrays, encoder: Encoder | None
) -> tuple[Graph, NDArray[np.float32] | None, int] | None:
    """What `fitted_tensors` wrote: graph, vectors if there are any, number of the last update; None if hops were written."""
    if header.get("has_hops", True):
        return None
    return _read_graph(header, arrays, encoder), arrays.get("state.embedding"), int(header["number"])


def state_tensors(state: LiveState) -> tuple[dict[str, Any], Arrays]:
    """What JSON can hold of a state, and the arrays."""
    places = state.index.places()
    described, arrays = _graph_tensors(state.to_graph())
    arrays["state.embedding"] = state.embedding()
    for number, level in enumerate(state.levels):
        arrays |= {f"state.{number}.term.{hop}": rows[places] for hop, rows in enumerate(level.terms)}
        arrays |= {f"state.{number}.rounding.{hop}": rows[places] for hop, rows in enumerate(level.rounding, start=1)}
        arrays |= {
            f"state.{number}.{name}.{hop}": rows[places]
            for hop, (rows, lengths) in enumerate(zip(level.missing, level.lacking, strict=False), start=1)
            if lengths.any()
            for name, rows in (("missing", rows), ("lacking", lengths))
        }
    for number, gauge in enumerate(state.drift.gauges):
        assert gauge.first is not None
        assert gauge.first_mean is not None
        arrays |= {f"state.learned.{number}": gauge.first, f"state.mean.{number}": gauge.first_mean}
    header = {
        **described,
        "number": state.n_batches,
        "length": state.length,
        "rank": state.drift.gauges[0].rank,
        "n_beside": state.n_beside,
        "n_entries_fitted": state.n_entries_fitted,
        "now": state.now,
    }
    return header, arrays


def read_state(
    header: dict[str, Any],
    arrays: Arrays,
    recipe: Recipe,
    weights: list[Any],
    offset: Any,
    encoder: Encoder | None,
    columns: RowsOfGraph,
) -> LiveState:
    """What `state_tensors` wrote."""
    if "n_beside" not in header:
        raise InputError(
            "The state of this model was written by an earlier version of sparsecut, in another form. Fit the graph again "
            "and save it: model.save(path, with_state=True)."
        )
    graph = _read_graph(header, arrays, encoder)
    levels = []
    for number, filter in enumerate(recipe.filters):
        n_hops = len(filter.on(is_directed=graph.is_directed).coefficients()) - 1
        terms = [arrays[f"state.{number}.term.{hop}"] for hop in range(n_hops + 1)]
        rounding = [arrays[f"state.{number}.rounding.{hop}"] for hop in range(1, n_hops + 1)]
        missing, lacking = (
            [arrays.get(f"state.{number}.{name}.{hop}") for hop in range(1, n_hops + 1)] for name in ("missing", "lacking")
        )
        levels.append((terms, list(zip(missing, lacking, strict=True)), rounding))
    state = LiveState(
        graph,
        recipe,
        weights,
        offset,
        arrays["state.embedding"],
        rank=float(header["rank"]),
        columns=columns,
        n_beside=int(header["n_beside"]),
        levels=levels,
        length=float(header["length"]),
        learned=[
            (arrays[f"state.learned.{number}"], arrays[f"state.mean.{number}"])
            for number in range(sum(name.startswith("state.learned.") for name in arrays))
        ],
    )
    state.now = float(header.get("now", 0.0))
    state.n_batches, state.n_entries_fitted = int(header["number"]), int(header["n_entries_fitted"])
    return state


def _graph_tensors(graph: Graph) -> tuple[dict[str, Any], Arrays]:
    arrays = dict(zip(("state.indptr", "state.indices", "state.weights"), _parts(graph.adjacency), strict=True))
    if graph.demands is not None:
        names = ("state.demands.indptr", "state.demands.indices", "state.demands.weights")
        arrays |= dict(zip(names, _parts(graph.demands), strict=True))
    if sp.issparse(graph.features):
        names = ("state.features.indptr", "state.features.indices", "state.features.data")
        arrays |= dict(zip(names, _parts(graph.features), strict=True))
    elif graph.has_features:
        arrays["state.features"] = np.asarray(graph.features)
    arrays["state.ids"] = pack_ids(graph.node_ids)
    header = {
        "is_directed": graph.is_directed,
        "node_types": graph.node_types,
        "relations": None if graph.relations is None else graph.relations.to_header(),
        "n_features": graph.n_features if graph.has_features else 0,
        "clock": None if graph.clock is None else graph.clock.to_header(),
    }
    return header, arrays


def _read_graph(header: dict[str, Any], arrays: Arrays, encoder: Encoder | None) -> Graph:
    features: Any = arrays.get("state.features")
    if "state.features.indptr" in arrays:
        features = _csr([arrays[f"state.features.{name}"] for name in ("indptr", "indices", "data")], header["n_features"])
    demands = [arrays.get(f"state.demands.{name}") for name in ("indptr", "indices", "weights")]
    return Graph.from_canonical(
        _csr([arrays[f"state.{name}"] for name in ("indptr", "indices", "weights")]),
        features=features,
        node_ids=unpack_ids(arrays["state.ids"]),
        directed="out" if header["is_directed"] else "symmetrize",
        encoder=encoder,
        node_types=None if header.get("node_types") is None else tuple(header["node_types"]),
        relations=Relations.read(header.get("relations")),
        clock=Clock.read(header.get("clock")),
        demands=None if demands[0] is None else _csr(demands),
    )


def _parts(matrix: Any) -> tuple[NDArray[Any], ...]:
    return matrix.indptr, matrix.indices, matrix.data


def _csr(parts: list[Any], n_columns: int | None = None) -> sp.csr_array:
    indptr, indices, data = parts
    n_rows = len(indptr) - 1
    matrix = sp.csr_array((data, indices, indptr), shape=(n_rows, n_rows if n_columns is None else n_columns))
    matrix.has_canonical_format = True
    return matrix

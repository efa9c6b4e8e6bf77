"""The input of a report, checked and brought into the order of the embedding's rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.explore.exact_search import METRICS
from sparsecut.explore.layout import choose_method
from sparsecut.explore.vector_rows import fingerprint
from sparsecut.graph import Graph, Ids, as_graph, place_graph, place_rows, place_values, rows_and_ids


class ReportInput:
    """What was passed in, checked and in one order."""

    def __init__(
        self, Z: NDArray[np.float32], ids: Ids, graph: Graph | None, labels: Any, xy: NDArray[np.float32] | None
    ) -> None:
        self.Z, self.ids, self.graph, self.labels, self.xy = Z, ids, graph, labels, xy

    def without_broken(self) -> tuple[ReportInput, int, str]:
        """The nodes with finite vectors, how many others there were, and the first of those by name."""
        is_whole = np.isfinite(self.Z).all(axis=1)
        n_broken = int((~is_whole).sum())
        if not n_broken:
            return self, 0, ""
        if n_broken == len(self.Z):
            raise InputError(
                "The embedding has no row of finite numbers, so there is nothing to report on. Compute it again: features "
                "with NaN or infinite values, or a learning rate that is too large, give such rows."
            )
        kept = ReportInput(
            self.Z[is_whole],
            self.ids[is_whole],
            None if self.graph is None else self.graph.subgraph(is_whole),
            None if self.labels is None else np.asarray(self.labels)[is_whole],
            None if self.xy is None else self.xy[is_whole],
        )
        return kept, n_broken, first_few(self.ids[~is_whole])

    def layout_key(self, method: str, seed: int) -> str:
        """What positions belong to: the same key, the same map."""
        return f"{fingerprint(self.Z, np.arange(len(self.Z)))} {choose_method(method, len(self.Z))} {seed}"


def check_input(embedding: Any, ids: Any, graph: Any, labels: Any, metric: str, xy: Any) -> ReportInput:
    rows, ids = rows_and_ids(embedding, ids=ids)
    Z = np.asarray(rows)
    if Z.ndim != 2 or Z.dtype.kind not in "biuf" or 0 in Z.shape:
        raise InputError(f"An embedding must be a matrix of numbers, one row per node. Got {Z.dtype}, shape {Z.shape}.")
    if metric not in METRICS:
        raise InputError(f"The metric must be one of {', '.join(METRICS)}. Got {metric!r}.")
    Z = np.ascontiguousarray(Z, dtype=np.float32)
    graph = None if graph is None else as_graph(graph)
    if ids is None and graph is not None and graph.n_nodes == len(Z):
        ids = graph.node_ids
    ids = None if ids is None else np.asarray(ids)
    labels = None if labels is None else place_values(labels, ids, len(Z), is_for_more=True)
    ids = np.arange(len(Z)) if ids is None else ids
    xy = None if xy is None else place_rows(xy, ids, "The frame of positions")
    for name, values, shape in (("ids", ids, (len(Z),)), ("labels", labels, (len(Z),)), ("xy", xy, (len(Z), 2))):
        if values is not None and np.shape(values) != shape:
            raise InputError(f"The {name} must have one entry per row of the embedding, {len(Z):,}. Got {np.shape(values)}.")
    if graph is not None:
        graph = place_graph(graph, ids)
        labels = graph.labels if labels is None else labels
    places = None if xy is None else np.asarray(xy, dtype=np.float32)
    if places is not None and not np.isfinite(places[np.isfinite(Z).all(axis=1)]).all():
        raise InputError("The positions xy must be finite.")
    return ReportInput(Z, ids, graph, labels, places)

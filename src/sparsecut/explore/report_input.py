"""The input of a report, checked and in the order of the embedding's rows, and where its nodes lie in the plane."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.base.progress import Reporter
from sparsecut.explore.layout import choose_method, layout
from sparsecut.explore.report_page import read_block
from sparsecut.graph import Graph, Ids, as_graph, place_graph, place_rows, place_values, rows_and_ids
from sparsecut.kernels.exact_search import METRICS, as_vectors, fingerprint


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
        """A word for the vectors, the method and the seed: positions that were computed under it can be used again."""
        return f"{fingerprint(self.Z, np.arange(len(self.Z)))} {choose_method(method, len(self.Z))} {seed}"


def check_input(embedding: Any, ids: Any, graph: Any, labels: Any, metric: str, xy: Any) -> ReportInput:
    rows, ids = rows_and_ids(embedding, ids=ids)
    Z = as_vectors(rows)
    if metric not in METRICS:
        raise InputError(f"The metric must be one of {', '.join(METRICS)}. Got {metric!r}.")
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


def find_positions(
    path: Path, whole: ReportInput, method: str, seed: int, tell: Reporter
) -> tuple[NDArray[np.float32], str]:
    """Positions (n, 2) of the nodes of a report that is written to `path`, and where they come from, in words."""
    if whole.xy is not None:
        return whole.xy, "positions given beside the vectors"
    chosen = choose_method(method, len(whole.Z))
    kept = _kept_positions(path, whole.layout_key(method, seed), len(whole.Z))
    if kept is not None:
        return kept, f"{chosen}, kept from the report that was here"
    return layout(whole.Z, method=method, random_state=seed, progress=tell), chosen


def _kept_positions(path: Path, key: str, n_nodes: int) -> NDArray[np.float32] | None:
    """The positions in a report that was written before for the same vectors, method and seed; None where there are none."""
    meta = read_block(path, "meta") if path.is_file() else None
    try:
        is_same = meta is not None and json.loads(meta)["layout"]["key"] == key
    except (ValueError, KeyError, TypeError):
        return None
    columns = [read_block(path, name) for name in ("x", "y")] if is_same else [None]
    if any(column is None or len(column) != 4 * n_nodes for column in columns):
        return None
    xy = np.column_stack([np.frombuffer(column or b"", dtype="<f4") for column in columns]).astype(np.float32)
    return xy if np.isfinite(xy).all() else None

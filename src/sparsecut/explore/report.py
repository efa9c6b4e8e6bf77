"""The report: one HTML file with a map of all nodes and what an analyst asks of an embedding."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.errors import check_integer, first_few
from sparsecut.evaluation.clustering import k_means, matched_accuracy
from sparsecut.evaluation.health import measure_health
from sparsecut.explore.cautions import cautions
from sparsecut.explore.findings import (
    Section,
    choices_section,
    cluster_section,
    curve_section,
    degree_section,
    graph_summary,
    spectrum_section,
)
from sparsecut.explore.layout import choose_method, layout
from sparsecut.explore.neighbors import Neighbors
from sparsecut.explore.node_columns import NodeColumn, make_column, make_label_column, read_columns, unique_names
from sparsecut.explore.page import Blocks, read_block
from sparsecut.explore.report_input import ReportInput, check_input
from sparsecut.explore.separation import separation_section
from sparsecut.graph import Graph, encode_labels
from sparsecut.io import check_writable
from sparsecut.progress import Reporter, reporting

N_NEIGHBORS = 10
FEWER_NEIGHBORS = 5  # of a node where there are more than MANY_NODES
MANY_NODES = 400_000
MAX_CLUSTERED = 100_000  # nodes that k-means runs on; the others join the nearest centre


def report(
    embedding: ArrayLike,
    path: str | Path = "report.html",
    *,
    ids: ArrayLike | None = None,
    graph: Graph | None = None,
    labels: ArrayLike | None = None,
    nodes: Any = None,
    model: Any = None,
    xy: ArrayLike | None = None,
    title: str | None = None,
    metric: str = "cosine",
    n_neighbors: int | None = None,
    layout_method: str = "auto",
    random_state: int = 0,
    command: str | None = None,
    overwrite: bool = True,
    progress: Reporter | None = None,
) -> Path:
    """Write an interactive report on an embedding: one HTML file that opens without a network.

    Parameters
    ----------
    embedding : array (n, d)
        One vector per node. Nodes whose vector is not finite are left out of the map, and the report says so.
    path : path, default="report.html"
        The file to write.
    ids : array (n,), optional
        The nodes' ids; those of the graph, or 0 to n − 1, where not given.
    graph : Graph, optional
        The graph that was embedded: adds degrees, how well edges hold together, isolated nodes and components. It must
        have a node for every id; its order does not matter.
    labels : array (n,), optional
        One label per node; those of the graph where not given. −1, None, NaN and "" mean none. Adds the separation of the
        classes and the confusion matrix of the probe.
    nodes : path, data frame, pyarrow table or mapping of columns, optional
        More columns to colour by, search and show. Rows of a table are matched by id; a mapping has one value per node.
    model : SCE or MoSCE, optional
        The fitted model: adds what it chose and its training curve.
    xy : array (n, 2), optional
        Positions in the plane; laid out here where not given. A report that is replaced gives its own positions on where
        vectors, method and seed are the same.
    title : str, optional
        The heading of the page.
    metric : {"cosine", "euclidean"}, default="cosine"
        How near two nodes are, for the neighbours shown on a click.
    n_neighbors : int, optional
        How many neighbours every node brings along: 10 by default, 5 from 400,000 nodes on.
    layout_method : {"auto", "pacmap", "umap", "tsne", "pca"}, default="auto"
        See `layout`.
    random_state : int, default=0
        The seed of the layout, the clusters and the samples.
    command : str, optional
        The command that repeats the report, shown in it.
    overwrite : bool, default=True
    progress : callable, optional
        Replaces the progress bar: called with a stage, how much is done and of how much.

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.datasets.load("digits")
    >>> model = sc.SCE(dimension=16)
    >>> Z = model.fit_transform(graph)
    >>> sc.report(Z, "report.html", graph=graph, model=model, layout_method="pca").name
    'report.html'
    """
    path = check_writable(path, overwrite)
    check_integer("report", "random_state", random_state, 0)
    everything = check_input(embedding, ids, graph, labels, metric, xy)
    columns = _given_columns(everything, nodes)
    whole, n_broken, broken = everything.without_broken()
    if n_broken:
        kept = np.asarray(np.isfinite(everything.Z).all(axis=1))
        columns = [_taken(column, kept) for column in columns]
    Z, node_ids = whole.Z, whole.ids
    warnings_found = []
    if n_broken:
        warnings_found.append(
            f"{n_broken:,} of {len(everything.Z):,} nodes have vectors that are not finite and are left out: {broken}."
        )
    with reporting(progress) as tell:
        positions, drawn_by = _positions(path, whole, layout_method, random_state, tell)
        k = _n_neighbors(n_neighbors, len(Z))
        near = Neighbors(Z, node_ids, metric=metric, random_state=random_state, progress=tell) if k else None
        neighbors = near.nearest(k, progress=tell).positions if near is not None else None
        tell("findings", 0, 3)
        health = measure_health(Z, whole.graph)
        lengths = np.linalg.norm(Z, axis=1)
        sections = [spectrum_section(health)]
        clusters = find_clusters(Z, whole.labels, random_state)
        tell("findings", 1, 3)
        if model is not None:
            sections += _of_model(model)
        separation = None if whole.labels is None else separation_section(Z, whole.labels, random_state)
        sections += [] if separation is None else [separation]
        tell("findings", 2, 3)
        if clusters is not None:
            sections.append(_clusters_found(clusters, whole.labels))
        degrees = None if whole.graph is None else _degrees(whole.graph)
        sections += [] if degrees is None else [degree_section(degrees, lengths)]
        warnings_found += cautions(Z, health, node_ids, whole.graph)
        computed = _computed_columns(whole.labels, degrees, lengths, clusters)
        tell("findings", 3, 3)
    all_columns = unique_names([*computed, *columns])
    blocks = Blocks()
    described, left_out = blocks.add_columns(all_columns)
    if left_out:
        warnings_found.append(
            f"The page has no room for {len(left_out)} columns and leaves them out: {first_few(left_out)}."
        )
    sections.append(_how_section(drawn_by, near, command, random_state))
    meta = {
        "title": title or "Embedding report",
        "summary": _summary(Z, whole),
        "metric": metric,
        "nNeighbors": k,
        "columns": described,
        "colorBy": next((column["name"] for column in described if column["kind"] == "class"), _first_name(described)),
        "warnings": warnings_found,
        "sections": sections,
        "layout": {"key": whole.layout_key(layout_method, random_state), "method": drawn_by},
    }
    blocks.add_json("meta", meta)
    blocks.add_array("x", positions[:, 0], "<f4")
    blocks.add_array("y", positions[:, 1], "<f4")
    blocks.add_json("ids", [_clean(str(value)) for value in node_ids.tolist()])
    if neighbors is not None:
        blocks.add_array("neighbors", neighbors, "<u4")
    blocks.write(path)
    return path


def _given_columns(everything: ReportInput, nodes: Any) -> list[NodeColumn]:
    return [] if nodes is None else read_columns(nodes, everything.ids)


def _taken(column: NodeColumn, kept: NDArray[np.bool_]) -> NodeColumn:
    values = (
        [v for v, keep in zip(column.values, kept, strict=True) if keep] if column.kind == "text" else column.values[kept]
    )
    return NodeColumn(column.name, column.kind, values, column.names)


def _positions(path: Path, whole: ReportInput, method: str, seed: int, tell: Reporter) -> tuple[NDArray[np.float32], str]:
    """(positions, where they come from): given, kept from the report that is replaced, or laid out."""
    if whole.xy is not None:
        return whole.xy, "positions given beside the vectors"
    chosen = choose_method(method, len(whole.Z))
    kept = _kept_positions(path, whole.layout_key(method, seed), len(whole.Z))
    if kept is not None:
        return kept, f"{chosen}, kept from the report that was here"
    return layout(whole.Z, method=method, random_state=seed, progress=tell), chosen


def _kept_positions(path: Path, key: str, n_nodes: int) -> NDArray[np.float32] | None:
    import json

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


def _n_neighbors(asked: int | None, n_nodes: int) -> int:
    usual = N_NEIGHBORS if n_nodes <= MANY_NODES else FEWER_NEIGHBORS
    return min(usual if asked is None else check_integer("report", "n_neighbors", asked, 0), n_nodes - 1)


def find_clusters(Z: NDArray[np.float32], labels: Any, seed: int) -> NDArray[np.int64] | None:
    """k-means with as many clusters as classes, or √(n/2) up to 12 where there are no labels; largest cluster first."""
    n_classes = 0 if labels is None else len(encode_labels(labels)[0])
    count = min(n_classes if 2 <= n_classes <= 50 else 12, round(math.sqrt(len(Z) / 2)))
    if count < 2 or (Z[0] == Z).all():
        return None
    if len(Z) > MAX_CLUSTERED:
        from sklearn.cluster import MiniBatchKMeans

        model = MiniBatchKMeans(count, n_init=1, random_state=seed, batch_size=8192, max_iter=20)
        assigned = np.asarray(model.fit_predict(Z), dtype=np.int64)
    else:
        assigned = k_means(Z, count, seed)
    sizes = np.bincount(assigned, minlength=count)
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(count)
    return np.asarray(rank[assigned], dtype=np.int64)


def _clusters_found(clusters: NDArray[np.int64], labels: Any) -> Section:
    agreement = ""
    codes = None if labels is None else encode_labels(labels)[1]
    if codes is not None and (codes >= 0).any() and len(np.unique(codes[codes >= 0])) > 1:
        share = matched_accuracy(codes[codes >= 0], clusters[codes >= 0])
        agreement = f"Matched one to one with the classes, they agree for {share:.0%} of the labelled nodes."
    return cluster_section(np.bincount(clusters), "k-means finds", agreement)


def _degrees(graph: Graph) -> NDArray[np.int64]:
    return np.asarray(np.diff(graph.adjacency.indptr), dtype=np.int64)


def _computed_columns(labels: Any, degrees: Any, lengths: Any, clusters: Any) -> list[NodeColumn]:
    n_nodes = len(lengths)
    columns = [] if labels is None else [make_label_column("label", labels)]
    if degrees is not None:
        columns.append(NodeColumn("degree", "number", degrees.astype(np.float32)))
    columns.append(NodeColumn("length", "number", lengths.astype(np.float32)))
    if clusters is not None:
        columns.append(make_column("cluster", clusters.astype(str), n_nodes))
    return columns


def _of_model(model: Any) -> list[Section]:
    sections = []
    explain = getattr(model, "explain", None)
    if callable(explain):
        sections.append(choices_section(str(explain()).splitlines()))
    loss = list(getattr(getattr(model, "history_", None), "loss", []) or [])
    if len(loss) > 1 and np.isfinite(loss).all():
        sections.append(curve_section([float(value) for value in loss]))
    return sections


def _how_section(drawn_by: str, near: Neighbors | None, command: str | None, seed: int) -> Section:
    sentences = [
        f"Layout: {drawn_by}, seed {seed}. Distances on the map are not those of the embedding; neighbourhoods are."
    ]
    if near is not None:
        how = (
            "exact" if near.is_exact else f"by an approximate index with recall@10 {near.recall_:.3f}, measured on a sample"
        )
        sentences.append(f"Nearest neighbours: {near.metric}, {how}.")
    section: Section = {"id": "repeat", "title": "How to repeat this", "sentences": sentences, "isWide": True}
    return section if command is None else {**section, "code": command}


def _summary(Z: NDArray[np.float32], whole: ReportInput) -> str:
    parts = [f"{len(Z):,} {'node' if len(Z) == 1 else 'nodes'}", f"{Z.shape[1]} dimensions"]
    if whole.graph is not None:
        parts.append(graph_summary(whole.graph))
    if whole.labels is not None:
        parts.append(f"{len(encode_labels(whole.labels)[0]):,} classes")
    return " · ".join(parts)


def _first_name(described: list[dict[str, Any]]) -> str | None:
    return next((column["name"] for column in described if column["kind"] != "text"), None)


def _clean(text: str) -> str:
    """Text that UTF-8 can hold: half of a surrogate pair cannot be written."""
    return text.encode("utf-8", "replace").decode("utf-8")

"""The report: one HTML file with a map of all nodes, findings about the embedding, and warnings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_integer
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.health import measure_health
from sparsecut.explore.cautions import cautions
from sparsecut.explore.findings import (
    Section,
    clusters_found,
    degree_section,
    find_clusters,
    graph_summary,
    spectrum_section,
)
from sparsecut.explore.nearest import Neighbors
from sparsecut.explore.node_columns import NodeColumn, make_column, make_label_column, read_columns, unique_names
from sparsecut.explore.report_before import compare_before, match_before, place_both
from sparsecut.explore.report_edges import add_edges, find_edges
from sparsecut.explore.report_features import add_features
from sparsecut.explore.report_input import ReportInput, check_input, find_positions
from sparsecut.explore.report_links import add_links, find_links
from sparsecut.explore.report_page import PageBlocks
from sparsecut.explore.report_parts import add_tree, parts_found
from sparsecut.explore.report_reasons import add_reasons, find_reasons
from sparsecut.explore.report_sections import how_section, model_sections
from sparsecut.explore.separation import separation_section
from sparsecut.graph import Graph, encode_labels
from sparsecut.io import check_writable

N_NEIGHBORS = 10
FEWER_NEIGHBORS = 5  # of a node where there are more than MANY_NODES
MANY_NODES = 400_000


def report(
    embedding: ArrayLike,
    path: str | Path = "report.html",
    *,
    ids: ArrayLike | None = None,
    graph: Graph | None = None,
    labels: ArrayLike | None = None,
    types: ArrayLike | None = None,
    nodes: Any = None,
    model: Any = None,
    links: Any = None,
    before: Any = None,
    cut: Any = None,
    xy: ArrayLike | None = None,
    title: str | None = None,
    metric: str = "cosine",
    n_neighbors: int | None = None,
    layout_method: str = "auto",
    random_state: int = 0,
    command: str | None = None,
    encoding: str | None = None,
    overwrite: bool = False,
    progress: Reporter | None = None,
) -> Path:
    """Write an interactive report on an embedding, as one HTML file that needs no network.

    Parameters
    ----------
    embedding : array or frame (n, d)
        One vector per node. A frame brings the ids of its rows: the index of a pandas frame, or a column named id. Nodes
        whose vector is not finite are left out of the map, and the report says so.
    path : path, default="report.html"
        The file to write.
    ids : array (n,), optional
        The nodes' ids; by default those that a frame brings, those of the graph, or 0 to n − 1.
    graph : Graph or adjacency, optional
        The graph that was embedded: adds its edges, which are drawn for the node or the group that is chosen and can be
        filtered by type, time and sign; its features, by which groups are compared; degrees, isolated nodes and components.
        It must have a node for every id; its order does not matter.
    labels : array or series (n,), optional
        One label per node; by default those of the graph. A series is matched by its index. −1, None, NaN and "" mean none.
        Adds the separation of the classes and the confusion matrix of the probe.
    types : array of str (n,), optional
        The type of every node, to colour and filter by; by default those of the graph.
    nodes : path, data frame, pyarrow table or mapping of columns, optional
        More columns to colour by, search and show. Rows of a table are matched by id; a mapping has one value per node, or
        a series whose index names them.
    model : SCE or MoSCE, optional
        The fitted model: adds what it chose and its training curve; with `graph` and its features also why each neighbour
        of a node is near it, by channel and feature.
    links : Links, optional
        Fitted links of the graph: adds the nodes that are recommended to each node, for at most 50,000 nodes.
    before : path, frame or array (m, d), optional
        An earlier embedding, of yesterday's graph for example. It is turned onto this one, and both are shown side by side,
        with how far each node moved. A file and a frame are matched by their ids; an array must have the same nodes in the
        same order.
    cut : SparsestCut, Partition or Hierarchy, optional
        Parts of the graph: adds a column and a section on them, and a tree to walk down where it is a hierarchy.
    xy : array or frame (n, 2), optional
        Positions in the plane; computed by default, or taken from the report that is replaced where its vectors, method
        and seed are the same.
    title : str, optional
        The heading of the page.
    metric : {"cosine", "euclidean"}, default="cosine"
        The distance by which the neighbours of a node are found; see `Neighbors`.
    n_neighbors : int, optional
        The number of neighbours stored per node: by default 10, and 5 for more than 400,000 nodes.
    layout_method : {"auto", "pacmap", "umap", "tsne", "pca"}, default="auto"
        How positions are computed; see `layout`. "pca" is the fastest.
    random_state : int, default=0
        The seed of the layout, the clusters and the samples.
    command : str, optional
        The command that repeats the report, shown in it.
    encoding : str, optional
        The encoding of the file that `nodes` names: "latin-1", "cp1252", … UTF-8 where not given.
    overwrite : bool, default=False
        Whether to replace a file that exists.
    progress : callable, optional
        Called as progress(stage, done, total) in place of the progress bar, which appears after two seconds.

    Returns
    -------
    Path
        The file that was written.

    Raises
    ------
    InputError
        If ids, labels, positions, the graph, its links or its cut do not fit the embedding, or the file cannot be written.

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.datasets.load("digits")
    >>> model = sc.SCE(dimension=16)
    >>> Z = model.fit_transform(graph)
    >>> sc.report(Z, "report.html", graph=graph, model=model, layout_method="pca", overwrite=True).name
    'report.html'
    """
    path = check_writable(path, overwrite)
    check_integer("report", "random_state", random_state, 0)
    everything = check_input(embedding, ids, graph, labels, metric, xy)
    columns = [] if nodes is None else read_columns(nodes, everything.ids, encoding)
    if types is None and everything.graph is not None:
        types = everything.graph.types
    if types is not None:
        columns.insert(0, make_column("type", np.asarray(types), len(everything.Z)))
    whole, n_broken, broken = everything.without_broken()
    if n_broken:
        kept = np.asarray(np.isfinite(everything.Z).all(axis=1))
        columns = [_taken(column, kept) for column in columns]
    Z, node_ids = whole.Z, whole.ids
    warnings_found = []
    if n_broken:
        warnings_found.append(
            f"{n_broken:,} of {len(everything.Z):,} nodes have vectors with NaN or infinite numbers, which have no place on "
            f"a map, and are left out: {broken}. Embed them again from finite features."
        )
    if before is not None and xy is not None:
        raise InputError("A report of two embeddings lays out both together. Leave xy out, or before.")
    earlier = None if before is None else match_before(before, Z, node_ids)
    recommended = None if links is None else find_links(links, node_ids)
    positions_before = None
    with reporting(progress) as tell:
        if earlier is None:
            positions, drawn_by = find_positions(path, whole, layout_method, random_state, tell)
        else:
            positions, positions_before, drawn_by = place_both(earlier, Z, layout_method, random_state, tell)
        k = _n_neighbors(n_neighbors, len(Z))
        near = Neighbors(Z, node_ids, metric=metric, random_state=random_state, progress=tell) if k else None
        neighbors = near.nearest(k, progress=tell).positions if near is not None else None
        reasons, why_none = find_reasons(model, whole, neighbors)
        tell("findings", 0, 3)
        health = measure_health(Z, whole.graph)
        lengths = np.linalg.norm(Z, axis=1)
        sections: list[Section] = []
        changes: list[NodeColumn] = []
        parts: list[NodeColumn] = []
        if earlier is not None:
            changes, section = compare_before(earlier, Z, node_ids, metric, random_state)
            sections.append(section)
        if cut is not None:
            column, section = parts_found(cut, node_ids)
            parts.append(column)
            sections.append(section)
        sections.append(spectrum_section(health))
        clusters = find_clusters(Z, whole.labels, random_state)
        tell("findings", 1, 3)
        if model is not None:
            sections += model_sections(model)
        separation = None if whole.labels is None else separation_section(Z, whole.labels, random_state)
        sections += [] if separation is None else [separation]
        tell("findings", 2, 3)
        if clusters is not None:
            sections.append(clusters_found(clusters, whole.labels))
        degrees = None if whole.graph is None else _degrees(whole.graph)
        sections += [] if degrees is None else [degree_section(degrees, lengths)]
        warnings_found += cautions(Z, health, node_ids, whole.graph)
        computed = _computed_columns(whole.labels, degrees, lengths, clusters)
        tell("findings", 3, 3)
    all_columns = unique_names([*parts, *computed, *changes, *columns])
    blocks = PageBlocks()
    described, too_large = blocks.add_columns(all_columns)
    warnings_found += too_large
    edges, why_no_edges = find_edges(whole.graph)
    sections.append(how_section(drawn_by, near, command, random_state, [why_none, why_no_edges]))
    meta = {
        "title": title or "Embedding report",
        "summary": _summary(Z, whole),
        "metric": metric,
        "nNeighbors": k,
        "columns": described,
        "colorBy": next((column["name"] for column in described if column["kind"] == "class"), _first_name(described)),
        "warnings": warnings_found,
        "sections": sections,
        "layout": {"key": "" if earlier is not None else whole.layout_key(layout_method, random_state), "method": drawn_by},
    }
    if reasons is not None:
        meta["why"] = add_reasons(blocks, reasons)
    if edges is not None:
        meta["edges"] = add_edges(blocks, edges, len(Z))
    if recommended is not None:
        meta["recommended"] = add_links(blocks, *recommended)
    meta["features"] = add_features(blocks, whole.graph)
    meta["tree"] = None if cut is None else add_tree(blocks, cut, node_ids)
    if positions_before is not None and earlier is not None:
        blocks.add_array("before-x", positions_before[:, 0], "<f4")
        blocks.add_array("before-y", positions_before[:, 1], "<f4")
        blocks.add_array("before-common", earlier.is_common, "<u1")
    blocks.add_json("meta", meta)
    blocks.add_array("x", positions[:, 0], "<f4")
    blocks.add_array("y", positions[:, 1], "<f4")
    blocks.add_json("ids", [_clean(str(value)) for value in node_ids.tolist()])
    if neighbors is not None:
        blocks.add_array("neighbors", neighbors, "<u4")
    blocks.write(path, overwrite=overwrite)
    return path


def _taken(column: NodeColumn, kept: NDArray[np.bool_]) -> NodeColumn:
    values = (
        [v for v, keep in zip(column.values, kept, strict=True) if keep] if column.kind == "text" else column.values[kept]
    )
    return NodeColumn(column.name, column.kind, values, column.names)


def _n_neighbors(asked: int | None, n_nodes: int) -> int:
    usual = N_NEIGHBORS if n_nodes <= MANY_NODES else FEWER_NEIGHBORS
    return min(usual if asked is None else check_integer("report", "n_neighbors", asked, 0), n_nodes - 1)


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

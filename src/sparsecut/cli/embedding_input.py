"""EMBEDDING, and the labels of its nodes, as the commands take them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsecut.base.errors import InputError
from sparsecut.cli.completion import complete_source
from sparsecut.cli.graph_input import Reading, dataset_of, open_graph
from sparsecut.cli.options import READING, option
from sparsecut.cli.pipes import vectors_from

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sparsecut.cli.console import Output
    from sparsecut.graph import Graph, Ids
    from sparsecut.io.embeddings import Embedding

EmbeddingPath = Annotated[Path, typer.Argument(metavar="EMBEDDING", help="A file written by embed; - for standard input.")]
NodeLabels = Annotated[
    str | None,
    option(
        READING,
        "Labels: a table keyed by node id. CSV, Parquet, .npy, .json, a dataset's name, or an attribute in the file of "
        "--graph.",
        "--labels",
        "-l",
        metavar="FILE",
        completion=complete_source,
    ),
]


def read_vectors(embedding: Path, encoding: str | None = None) -> Embedding:
    """The vectors and ids of an embedding, from a file or from standard input."""
    from sparsecut.io import read_embedding

    with vectors_from(embedding) as path:
        return read_embedding(path, encoding=encoding)


def read_drawn(embedding: Path, layout: str, encoding: str | None) -> tuple[Any, Any, Any, Any]:
    """(vectors, ids, positions, types): positions only where the layout is "auto"; None where the file has none."""
    from sparsecut.io import read_embedding, read_positions
    from sparsecut.io.embeddings import read_types

    with vectors_from(embedding) as path:
        Z, ids = read_embedding(path, encoding=encoding)
        return Z, ids, read_positions(path) if layout == "auto" else None, read_types(path)


def of_one_type(
    Z: NDArray[np.float32], node_ids: NDArray[Any], name: str, embedding: Path
) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """The vectors of one type of nodes, and their ids without it."""
    from sparsecut.graph.node_types import ids_of_one_type

    is_here, ids = ids_of_one_type(node_ids, name, str(embedding))
    return Z[is_here], ids


def is_attribute(labels: str | None) -> bool:
    """Whether labels name an attribute in the graph's file: they are neither a file nor a dataset."""
    return labels is not None and dataset_of(labels) is None and not Path(labels).exists()


def read_rows(embedding: Path, graph: Graph | None, encoding: str | None = None) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """The vectors and ids of an embedding, in the order of the graph's nodes where there is a graph."""
    from sparsecut.io.edges.ids import check_known, positions_of

    Z, node_ids = read_vectors(embedding, encoding)
    if graph is None:
        return Z, node_ids
    positions = positions_of(graph.node_ids, node_ids)
    check_known(positions, graph.node_ids, "The graph", str(embedding))
    check_known(positions_of(node_ids, graph.node_ids), node_ids, str(embedding), "the graph")
    return Z[positions], graph.node_ids


def read_labels(
    name: str,
    node_ids: Ids,
    embedding: Path,
    output: Output,
    *,
    reading: Reading | None = None,
    is_for_more: bool = False,
    target: str = "auto",
) -> Any:
    """Labels from a file or a dataset in the order of an embedding's nodes, matched by id; a node may have none.

    A label for a node that the embedding does not have is an error, unless the labels may be for more nodes than these.
    Several labels per node (`target`) come as truth values, (n, c).
    """
    import numpy as np

    from sparsecut import datasets
    from sparsecut.io.edges.ids import positions_of
    from sparsecut.io.graphs import align_labels
    from sparsecut.io.nodes.attributes import read_labels
    from sparsecut.io.opening import check_encoding

    if is_attribute(name) and not Path(name).suffix:
        raise InputError(f"{name!r} is neither a file nor a dataset. For an attribute in a graph's file, add --graph FILE.")
    reading = reading or Reading()
    if target == "several" and dataset_of(name) is None:
        from sparsecut.io.nodes.label_lists import read_label_lists

        return read_label_lists(name, node_ids, reading.id_column, reading.label_column, reading.encoding)
    if dataset_of(name) is not None:
        with output.progress() as bar:
            graph = datasets.load(name, progress=bar)
        label_ids, values = graph.node_ids, graph.labels
        if values is None:
            raise InputError(f"The dataset {name} has no labels.")
    else:
        encoding = check_encoding("sparsecut", reading.encoding)
        ids, values, notes, _ = read_labels(name, reading.label_column, reading.id_column, encoding, known=node_ids)
        for note in notes:
            output.note(note)
        label_ids = node_ids if ids is None else ids
    if np.ndim(values) != 1 or len(label_ids) != len(values):
        raise InputError(
            f"{name} must have one label for each of the {len(label_ids):,} nodes of {embedding}. Got {np.shape(values)}."
        )
    if values.dtype.kind in "bu":  # types without a −1 for nodes that have no label
        values = values.astype(np.int64)
    if is_for_more:
        is_known = positions_of(label_ids, node_ids) >= 0
        if not is_known.any():
            raise InputError(f"The labels {name} name no node of {embedding}.")
        label_ids, values = label_ids[is_known], values[is_known]
    return align_labels(node_ids, label_ids, values, name, where=str(embedding))


def read_marks(
    labels: str | None, graph: str | None, node_ids: Ids, embedding: Path, output: Output, reading: Reading
) -> NDArray[Any] | None:
    """What to colour an embedding's nodes by: labels from a file or a dataset, or those that a graph brings; else None."""
    from sparsecut.io.edges.ids import check_known, positions_of

    if labels is not None and not (graph is not None and is_attribute(labels)):
        marks: NDArray[Any] = read_labels(labels, node_ids, embedding, output, reading=reading, is_for_more=True)
        return marks
    if graph is None:
        return None
    loaded = open_graph(graph, None, output, labels, reading)
    places = positions_of(node_ids, loaded.node_ids)
    check_known(places, node_ids, str(embedding), "the graph")
    return None if loaded.labels is None else loaded.labels[places]

"""`sparsecut neighbors`: the nearest nodes of some nodes in an embedding."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from sparsecut.base.errors import InputError, check_choice, check_integer
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.embedding_input import EmbeddingPath, read_vectors
from sparsecut.cli.node_words import Batch, Nodes, read_nodes
from sparsecut.cli.options import METHOD, Encoding, Metric, option
from sparsecut.cli.pipes import is_standard

if TYPE_CHECKING:
    from sparsecut.explore import Nearest, Neighbors


@takes_output
def neighbors(
    embedding: EmbeddingPath,
    nodes: Nodes = None,
    k: Annotated[int, option(METHOD, "Number of neighbours per node.", "-k", metavar="N")] = 10,
    of_type: Annotated[
        str | None,
        option(
            METHOD, "Only neighbours of this type. In a graph with types: author, of author:7.", "--type", metavar="TYPE"
        ),
    ] = None,
    metric: Metric = "cosine",
    batch: Batch = None,
    rebuild: Annotated[
        bool, option(METHOD, "Build the index again, even if there is one beside the file.", "--rebuild")
    ] = False,
    encoding: Encoding = None,
    *,
    output: Output,
) -> None:
    """Find the nearest nodes of a node, or of several.

    sparsecut neighbors cora.parquet 35

    sparsecut neighbors vectors.parquet alice bob -k 5 --metric euclidean

    sparsecut neighbors vectors.parquet author:7 --type venue

    sparsecut neighbors vectors.parquet --batch ids.txt --json > neighbours.json

    Up to 50,000 nodes are compared exactly. For more an index is built once (extra: search) and kept beside the embedding as
    EMBEDDING.METRIC.neighbors.safetensors; an index that belongs to other vectors is refused.
    """
    from sparsecut.explore import METRICS

    check_choice("sparsecut neighbors", "--metric", metric, METRICS)
    check_integer("sparsecut neighbors", "-k", k, 1)
    asked = read_nodes("sparsecut neighbors", nodes, batch, encoding)
    with output.warnings_as_notes():
        if of_type is None:
            searched = _open(embedding, encoding, metric, rebuild, output)
            found = searched.query(asked, k)
        else:
            searched, found = _within(embedding, encoding, metric, asked, k, of_type)
    output.aside(repr(searched))
    name = "cosine" if metric == "cosine" else "distance"
    values = 1 - found.distances if metric == "cosine" else found.distances
    _print(output, asked, found, values, name)
    output.result(
        {
            "metric": metric,
            "is_exact": searched.is_exact,
            "recall": searched.recall_,
            "neighbors": [
                {"node": node, "ids": ids, name: [round(float(value), 6) for value in row]}
                for node, ids, row in zip(asked, found.ids.tolist(), values, strict=True)
            ],
        }
    )


def _within(
    path: Path, encoding: str | None, metric: str, asked: list[str], k: int, of_type: str
) -> tuple[Neighbors, Nearest]:
    """The nearest nodes of one type, of nodes of any."""
    import numpy as np

    from sparsecut.explore import Nearest, Neighbors
    from sparsecut.graph.node_types import ids_of_one_type
    from sparsecut.io.edges.node_lookup import Lookup

    Z, ids = read_vectors(path, encoding)
    is_here, _ = ids_of_one_type(ids, of_type, str(path))
    searched = Neighbors(Z[is_here], ids[is_here], metric=metric)
    places = Lookup(ids).find(np.asarray(asked), "The query", "the embedding")
    near = searched.query_vectors(Z[places], k + 1)  # a node is not its own neighbour
    kept = [np.flatnonzero(row != ids[place])[:k] for row, place in zip(near.ids, places, strict=True)]
    n_kept = min(map(len, kept))
    rows = np.arange(len(kept))[:, None]
    columns = np.array([row[:n_kept] for row in kept]).reshape(len(kept), n_kept)
    return searched, Nearest(near.ids[rows, columns], near.distances[rows, columns], near.positions[rows, columns])


def _open(path: Path, encoding: str | None, metric: str, rebuild: bool, output: Output) -> Neighbors:
    """The search over a file, with the index beside it where it has one or needs one."""
    from sparsecut.explore import Neighbors, index_beside
    from sparsecut.kernels.inverted import is_large, wants_index

    Z, ids = read_vectors(path, encoding)
    if is_standard(path):  # nowhere to keep an index
        return Neighbors(Z, ids, metric=metric)
    index_path = index_beside(path, metric)
    if index_path.exists() and not rebuild and is_large(len(ids)):
        return Neighbors.load(index_path, Z, ids)
    if is_large(len(ids)) and not wants_index("auto", len(ids)):
        output.note("Every query is compared with all vectors: pip install 'sparsecut[search]' brings an index.")
    with output.progress() as bar:
        searched = Neighbors(Z, ids, metric=metric, progress=bar)
    if not searched.is_exact:
        try:
            searched.save(index_path, overwrite=True)  # our own file, not one that was named
            output.aside(f"Index → {index_path}")
        except InputError as error:  # a folder that cannot be written: the answer is worth more than the index
            output.note(f"The index is not kept: {error}")
    return searched


def _print(output: Output, asked: list[str], found: Nearest, values: Any, name: str) -> None:
    for node, ids, row in zip(asked, found.ids.tolist(), values, strict=True):
        rows = [[str(other), f"{value:.4f}"] for other, value in zip(ids, row, strict=True)]
        output.table(f"Nearest to {node}", ["node", name], rows)

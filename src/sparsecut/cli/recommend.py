"""`sparsecut recommend`: the best candidates for new links of some nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np

from sparsecut.base.errors import InputError, check_integer
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.embedding_input import EmbeddingPath, read_rows, read_vectors
from sparsecut.cli.graph_input import Reading, open_graph, takes_reading
from sparsecut.cli.node_words import Batch, Nodes, read_nodes
from sparsecut.cli.options import METHOD, GraphOption, Seed, option


@takes_output
@takes_reading("nodes", "label_column", "feature_columns", "missing", "scale")
def recommend(
    embedding: EmbeddingPath,
    nodes: Nodes = None,
    graph: GraphOption = None,
    *,
    reading: Reading,
    k: Annotated[int, option(METHOD, "Number of candidates per node.", "-k", metavar="N")] = 10,
    batch: Batch = None,
    of_type: Annotated[
        str | None, option(METHOD, "Only candidates of this type. In a graph with types.", "--type", metavar="TYPE")
    ] = None,
    links: Annotated[
        Path | None,
        option(METHOD, "Where fitted links are kept: read if the file is there, else written.", metavar="FILE"),
    ] = None,
    with_known: Annotated[bool, option(METHOD, "Recommend nodes that are linked already, too.", "--with-known")] = False,
    seed: Seed = 0,
    output: Output,
) -> None:
    """Recommend new links: which nodes a node is most likely linked to.

    sparsecut recommend vectors.parquet user:196 --graph ratings.csv --bipartite

    sparsecut recommend cora.parquet 35 107 --graph cora -k 5

    sparsecut recommend vectors.parquet author:7 --edges author:writes:paper=writes.csv --type paper

    sparsecut recommend vectors.parquet --batch ids.txt --graph edges.csv --links links.safetensors --json

    The score is a closed form in the vectors, chosen by links that are held out; the vectors in the file have seen them, so
    that probabilities are rather too high than too low. Nodes that are linked already are left
    out; in a graph with two sides the candidates are on the other side, in a directed graph they are targets.
    """
    check_integer("sparsecut recommend", "-k", k, 1)
    asked = read_nodes("sparsecut recommend", nodes, batch, reading.encoding)
    if graph is None and reading.edges is None:
        raise InputError("sparsecut recommend needs the known links. Name the graph that was embedded: --graph GRAPH.")
    with output.warnings_as_notes():
        known = None if reading.edges is None else read_vectors(embedding, reading.encoding).ids
    loaded = open_graph(graph, None, output, None, reading, known)
    with output.warnings_as_notes():
        Z, _ = read_rows(embedding, loaded, reading.encoding)
    from sparsecut.io.edges.node_lookup import Lookup
    from sparsecut.links import Links

    Lookup(loaded.node_ids).find(np.array(asked), "The query", "the graph")  # before the fit, which takes its time
    if links is not None and links.exists():
        fitted = Links.load(links, Z, loaded, index="exact")  # an index would take longer than the few answers
    else:
        with output.progress() as bar:
            fitted = Links(Z, loaded, index="exact", random_state=seed, progress=bar)
        if links is not None:
            fitted.save(links)
            output.aside(f"Links → {links}")
    output.aside(repr(fitted))
    found = fitted.recommend(asked, k, with_known=with_known, of_type=of_type)
    for node, one in zip(asked, found, strict=True):
        rows = [
            [str(other), f"{score:.4g}", f"{share:.3g}"]
            for other, score, share in zip(one.ids, one.scores, one.probabilities, strict=True)
        ]
        output.table(f"For {node}", ["node", "score", "probability"], rows)
    output.result(
        {
            "recommended": [
                {
                    "node": node,
                    "ids": one.ids.tolist(),
                    "scores": [round(float(value), 6) for value in one.scores],
                    "probabilities": [round(float(value), 6) for value in one.probabilities],
                }
                for node, one in zip(asked, found, strict=True)
            ]
        }
    )

"""`sparsecut why`: why two nodes are near, or what made the vector of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparsecut.base.errors import InputError, check_integer
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.embedding_input import EmbeddingPath, read_rows
from sparsecut.cli.graph_input import Reading, open_graph, takes_reading
from sparsecut.cli.options import METHOD, READING, Features, GraphOption, option


@takes_output
@takes_reading("label_column", "scale")
def why(
    embedding: EmbeddingPath,
    asked: Annotated[list[str], typer.Argument(metavar="NODE…", help="A node, and those that it is compared with.")],
    graph: GraphOption = None,
    features: Features = None,
    *,
    reading: Reading,
    model: Annotated[
        Path | None, option(READING, "The model saved by sparsecut embed --save-model.", metavar="FILE")
    ] = None,
    k: Annotated[int | None, option(METHOD, "Compare the node with its N nearest ones.", "-k", metavar="N")] = None,
    output: Output,
) -> None:
    """Say why two nodes are near: features and neighbours they share.

    sparsecut why cora.parquet 35 1103 --graph cora --model cora.safetensors

    sparsecut why vectors.parquet alice -k 10 --graph edges.csv --features people.csv --model model.safetensors

    sparsecut why vectors.parquet alice --graph edges.csv --features people.csv --model model.safetensors --json

    The first node is compared with each of the others; alone, what made its own vector is said. The graph is the one that
    was embedded, with the same features; a model that was saved with its state (--with-state) holds it.
    """
    if model is None:
        raise InputError("sparsecut why needs the model that made the vectors: --model FILE, from embed --save-model FILE.")
    if k is not None:
        check_integer("sparsecut why", "-k", k, 1)
        if len(asked) > 1:
            raise InputError("sparsecut why takes one node with -k, or a node and those it is compared with. Got both.")
    from sparsecut.links import Nearness
    from sparsecut.model.loading import load

    fitted = load(model)
    if graph is None and not hasattr(fitted, "embedding_"):
        raise InputError("sparsecut why needs the graph that was embedded: --graph GRAPH, and --features where it had any.")
    given = None if graph is None else open_graph(graph, features, output, None, reading)
    with output.warnings_as_notes():
        Z, _ = read_rows(embedding, fitted.graph_ if given is None else given, reading.encoding)
    with output.warnings_as_notes():
        near = Nearness(fitted, given, Z)
        found = near.why(asked[0], None if len(asked) == 1 else asked[1:], k=k)
    reasons = found if isinstance(found, list) else [found]
    for number, one in enumerate(reasons):
        output.say(("\n" if number else "") + str(one))
    output.result({"reasons": [one.to_dict() for one in reasons]})

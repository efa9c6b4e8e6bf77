"""`sparsecut forget`: nodes out of a saved model, as if it had been fitted without them, and out of files of vectors."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from sparsecut.base.errors import InputError, WriteError, check_choice
from sparsecut.cli.console import Output, takes_output
from sparsecut.cli.node_words import Batch, read_nodes
from sparsecut.cli.options import METHOD, OUTPUT, READING, Encoding, Force, ModelWithState, option


@takes_output
def forget(
    model_path: ModelWithState,
    nodes: Annotated[list[str] | None, typer.Argument(metavar="NODE…", help="Ids of the nodes to forget.")] = None,
    output_path: Annotated[
        Path | None,
        option(OUTPUT, "Where all vectors go, since all of them change.", "--output", "-o", metavar="FILE"),
    ] = None,
    batch: Batch = None,
    choices: Annotated[
        str,
        option(
            METHOD,
            "The settings that were chosen from the graph: kept, or chosen again from what is left.",
            choices=("kept", "again"),
        ),
    ] = "kept",
    clean: Annotated[
        list[Path] | None,
        option(
            OUTPUT,
            "Also take the nodes out of a file of vectors (all but .tsv); may be given several times.",
            "--clean",
            metavar="FILE",
        ),
    ] = None,
    missing_ok: Annotated[
        bool,
        option(
            READING, "Nodes that the model does not have are no error: to repeat a request that was killed.", "--missing-ok"
        ),
    ] = False,
    encoding: Encoding = None,
    force: Force = False,
    *,
    output: Output,
) -> None:
    """Delete nodes from a saved model, and all it learned from them. The file is changed in place.

    sparsecut forget model.safetensors alice -o vectors.parquet --force

    sparsecut forget model.safetensors --batch ids.txt -o vectors.parquet --force --clean changed.ndjson

    The model becomes the one that a fit without the nodes gives. Scales, categories, places and weights are learned again
    from the nodes that are left, so all vectors change. When the command ends, the model's file and its log, the vectors
    and the files of --clean hold nothing of the nodes; killed before, the model is as it was or has forgotten them.
    """
    from sparsecut.explore import METRICS, index_beside
    from sparsecut.io import write_embedding
    from sparsecut.io.embeddings import check_embedding_path
    from sparsecut.model.loading import load
    from sparsecut.updates.vector_files import remove_vectors

    check_choice("sparsecut forget", "--choices", choices, ("kept", "again"))
    asked = read_nodes("sparsecut forget", nodes, batch, encoding, after="the model")
    if output_path is None:
        raise InputError("All vectors change. Say where they go: -o vectors.parquet.")
    check_embedding_path(output_path, force)
    for path in clean or ():
        remove_vectors(path, ())  # whether it can be read, before anything is done
    model: Any = load(model_path, in_place=True)
    wanted, absent = _known(model, asked)
    if absent and not missing_ok:
        raise InputError(
            f"The graph of {model_path} has no node {absent[0]!r}. Nothing was forgotten. Pass over such nodes with "
            "--missing-ok."
        )
    started = time.perf_counter()
    with output.warnings_as_notes():
        changed = model.forget(wanted, choices=choices)
        vectors = model.embedding_
    seconds = time.perf_counter() - started
    ids = model.graph_.node_ids
    try:
        removed = {str(path): remove_vectors(path, asked) for path in clean or ()}
        write_embedding(output_path, vectors, ids, types=model.graph_.types, overwrite=force)
    except WriteError as error:
        raise WriteError(
            f"{error} The model has forgotten the nodes; run the command again with --missing-ok to write the vectors."
        ) from error
    for path in (output_path, *(clean or ())):  # an index of the vectors before: it has their ids, and is refused anyway
        for metric in METRICS:
            index_beside(path, metric).unlink(missing_ok=True)
    for note in changed.notes:
        output.note(note)
    for name, n_rows in removed.items():
        output.note(f"{n_rows:,} rows were taken out of {name}.")
    if absent:
        output.note(f"{len(absent):,} of the nodes were not there.")
    output.say(f"{len(wanted):,} nodes forgotten in {seconds:.2f} s; {len(ids):,} vectors → {output_path}")
    output.result(
        {
            "output": str(output_path),
            "forgotten": len(wanted),
            "absent": len(absent),
            "vectors": len(ids),
            "cleaned": removed,
            "seconds": seconds,
        }
    )


def _known(model: Any, asked: list[str]) -> tuple[list[Any], list[str]]:
    """(ids of the graph, the words that are none of them)."""
    from sparsecut.io.edges.node_lookup import spelt_integer

    ids = model.graph_.node_ids
    is_number = ids.dtype.kind in "iu"
    named = {word: spelt_integer(word) if is_number else word for word in asked}  # 007 is no 7
    known = set(ids.tolist())
    return [node for node in named.values() if node in known], [word for word, node in named.items() if node not in known]

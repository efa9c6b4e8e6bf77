"""`sparsecut demo`: the built-in graph, from raw features to an embedding, a score and a report."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated, Any

from sparsecut.base.system_memory import peak_memory
from sparsecut.cli.console import QUICK_SPLITS, Output, in_mebibytes, takes_output
from sparsecut.cli.options import OUTPUT, Device, Quick, option

N_SPLITS = 20


@takes_output
def demo(
    folder: Annotated[Path, option(OUTPUT, "The folder to write into.", "--output", "-o", metavar="FOLDER")] = Path(
        "sparsecut-demo"
    ),
    device: Device = "auto",
    quick: Quick = False,
    *,
    output: Output,
) -> None:
    """Embed the built-in graph, score it, write its report. It holds 1,797 handwritten digits and needs no network."""
    n_splits = QUICK_SPLITS if quick else N_SPLITS
    from sparsecut import SCE, Memory, datasets, evaluate, report, write_embedding
    from sparsecut.base.errors import InputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be made: {error.strerror}.") from error
    graph = datasets.load("digits")
    assert graph.features is not None
    assert graph.labels is not None
    output.say(f"{graph}: handwritten digits, each joined to its ten nearest neighbours.")

    model = SCE(engine=Memory(device=device))
    started = time.perf_counter()
    Z = model.fit_transform(graph)
    seconds = time.perf_counter() - started

    rows, results = [], {}
    with output.progress() as bar:
        for name, vectors, took in (("raw features", graph.features, None), ("SCE", Z, seconds)):
            scores = {
                n_labels: evaluate(vectors, graph.labels, per_class=n_labels, n_splits=n_splits, progress=bar)
                for n_labels in (5, 20)
            }
            measured = ["", ""] if took is None else [f"{took:.2f}", in_mebibytes(peak_memory())]
            rows.append([name, str(scores[5]), str(scores[20]), *measured])
            results[name] = {str(n_labels): score.to_dict() for n_labels, score in scores.items()}
    output.table(
        f"Accuracy in percent with 5 and 20 labels per class, {n_splits} splits, probe: paper",
        ["", "5 labels", "20 labels", "seconds", "peak memory"],
        rows,
    )

    embedding_path, report_path = folder / "embedding.parquet", folder / "report.html"
    write_embedding(embedding_path, Z, graph.node_ids, overwrite=True)
    output.aside("Writing the report…")
    with output.progress() as bar:
        report(
            Z,
            report_path,
            graph=graph,
            model=model,
            title="Handwritten digits, embedded without labels",
            command=f"sparsecut demo -o {shlex.quote(str(folder))}",
            overwrite=True,
            progress=bar,
        )
    written = [embedding_path, report_path]
    output.say(f"Written: {', '.join(map(str, written))}")
    output.say(f"Open {report_path.absolute()} in a browser: a map to search, colour and lasso. It needs no network.")
    for line in _next_steps(embedding_path):
        output.say(line)
    summary: dict[str, Any] = {
        "scores": results,
        "seconds": seconds,
        "peak_memory_bytes": peak_memory(),
        "written": [str(path) for path in written],
    }
    output.result(summary)


def _next_steps(embedding: Path) -> list[str]:
    """What somebody who has seen the demo does next: the vectors asked, then a graph of their own."""
    steps = {
        f"sparsecut neighbors {shlex.quote(str(embedding))} 7": "the nodes nearest to node 7",
        "sparsecut embed edges.csv -o vectors.parquet": "a graph of yours: columns source and target",
        "sparsecut report vectors.parquet --graph edges.csv -o map.html": "its map",
        "sparsecut --help": "everything else",
    }
    return ["", "What next?", *(line for command, about in steps.items() for line in (f"  {command}", f"      {about}"))]

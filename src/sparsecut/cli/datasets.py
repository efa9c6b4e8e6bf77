"""`sparsecut datasets`: the named graphs, and whether their files are here."""

from __future__ import annotations

from typing import Annotated

import typer

from sparsecut.cli.console import AsJson, Output


def datasets(
    name: Annotated[str | None, typer.Argument(help="One dataset, in full.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the named graphs, where they come from, and whether their files are here."""
    output = Output(as_json, quiet=False)
    from sparsecut import datasets as library

    chosen = [library.find_dataset(name)] if name else list(library.DATASETS.values())
    found = {dataset.name: any(library.has_files(dataset, root) for root in library.roots()) for dataset in chosen}
    if name:
        dataset = chosen[0]
        output.say(f"{dataset.name}: {dataset.about}")
        output.say(
            f"{dataset.n_nodes:,} nodes, {dataset.n_edges:,} edges, {dataset.n_features:,} features, "
            f"{dataset.n_classes} classes"
        )
        output.say(f"From {dataset.origin}. Cite: {dataset.citation}.")
        output.say("Here." if found[dataset.name] else f"Not here. Its files: {', '.join(dataset.files)}.")
    else:
        rows = [
            [
                d.name,
                *(f"{count:,}" for count in (d.n_nodes, d.n_edges, d.n_features, d.n_classes)),
                "yes" if found[d.name] else "no",
            ]
            for d in chosen
        ]
        output.table("Datasets", ["name", "nodes", "edges", "features", "classes", "here"], rows)
    output.result(
        {
            dataset.name: {
                "nodes": dataset.n_nodes,
                "edges": dataset.n_edges,
                "features": dataset.n_features,
                "classes": dataset.n_classes,
                "origin": dataset.origin,
                "citation": dataset.citation,
                "files": dataset.files,
                "is_here": found[dataset.name],
            }
            for dataset in chosen
        }
    )

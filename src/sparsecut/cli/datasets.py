"""`sparsecut datasets`: the named graphs, where they come from, and whether their files are here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparsecut.cli.completion import completing, dataset_names
from sparsecut.cli.console import Output
from sparsecut.cli.options import AsJson

if TYPE_CHECKING:
    from sparsecut.datasets import Dataset, GraphSizes
    from sparsecut.datasets.lookup import Found


def datasets(
    name: Annotated[
        str | None, typer.Argument(help="One dataset, in full.", autocompletion=completing(dataset_names()))
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the named graphs. With a name: where it comes from, and whether its files are on this machine.

    sparsecut datasets

    sparsecut datasets citeseer
    """
    output = Output(as_json, quiet=False)
    from sparsecut import datasets as library

    chosen = [library.find_dataset(name)] if name else list(library.DATASETS.values())
    found = {dataset.name: library.locate(dataset) for dataset in chosen}
    if name:
        for line in _describe(chosen[0], found[chosen[0].name]):
            output.say(line)
    else:
        rows = [[d.name, *(f"{size:,}" for size in d.sizes), _whether(d, found[d.name])] for d in chosen]
        output.table("Datasets", ["name", "nodes", "edges", "features", "classes", "here"], rows)
        if any(row[-1] == "part" for row in rows):
            output.say("part: the graph is here, its features are not.")
        output.say(
            "Files are looked for in " + ", then ".join(map(str, library.roots())) + ". What is not there is fetched."
        )
    output.result({dataset.name: _as_json(dataset, found[dataset.name]) for dataset in chosen}, with_notes=False)


def _describe(dataset: Dataset, found: Found | None) -> list[str]:
    lines = [f"{dataset.name}: {dataset.about}", _say_sizes(dataset.sizes)]
    if dataset.paper:
        lines.append(f"In the paper: {_say_sizes(dataset.paper)}")
    if dataset.role_sizes:
        train, validation, test = dataset.role_sizes
        lines.append(f"Roles: {train:,} nodes to train on, {validation:,} to validate on, {test:,} to test on")
    if dataset.split_sizes:
        train, validation, test = dataset.split_sizes[0]
        several = f"{len(dataset.split_sizes)}, the first with" if len(dataset.split_sizes) > 1 else "one, with"
        lines.append(
            f"Official splits: {several} {train:,} nodes to train on, {validation:,} to validate on, {test:,} to test on"
        )
    if dataset.note:
        lines.append(f"Note: {dataset.note}")
    lines += [
        f"From: {dataset.origin}",
        f"Licence: {dataset.licence or 'not stated by its publishers'}",
        f"Cite: {dataset.citation}",
    ]
    if not dataset.raw:
        return [*lines, "Here: built in"]
    where = f"yes, in {found.folder}" if found else "no"
    lines.append(f"Here: {where}{', without features' if found and found.files != dataset.raw else ''}")
    for file in (*dataset.raw, *dataset.without_features):
        member = f", in which {file.member}" if file.member else ""
        lines += [
            f"  {file.path}",
            f"    from {file.url}{member}" if file.url else "    served by no host that is known",
            f"    SHA-256 {file.sha256 or 'not verified here'}"
            + (f", of the archive {file.archive_sha256}" if file.archive_sha256 else ""),
        ]
    return lines


def _say_sizes(sizes: GraphSizes) -> str:
    return f"{sizes.nodes:,} nodes, {sizes.edges:,} edges, {sizes.features:,} features, {sizes.classes} classes"


def _whether(dataset: Dataset, found: Found | None) -> str:
    if found is None:
        return "no"
    return "yes" if found.files == dataset.raw else "part"


def _as_json(dataset: Dataset, found: Found | None) -> dict[str, Any]:
    return {
        "about": dataset.about,
        **dataset.sizes._asdict(),
        "paper": dataset.paper and dataset.paper._asdict(),
        "roles": dataset.role_sizes and dict(zip(("train", "validation", "test"), dataset.role_sizes, strict=True)),
        "split_sizes": [list(sizes) for sizes in dataset.split_sizes],
        "note": dataset.note,
        "origin": dataset.origin,
        "licence": dataset.licence,
        "citation": dataset.citation,
        "files": [
            {
                "path": file.path,
                "url": file.url,
                "member": file.member,
                "sha256": file.sha256,
                "archive_sha256": file.archive_sha256,
            }
            for file in (*dataset.raw, *dataset.without_features)
        ],
        "is_here": found is not None,
        "folder": str(found.folder) if found and dataset.raw else None,
        "with_features": found.files == dataset.raw if found else None,
    }

"""The words that options take, and their completion by the shell.

The lists stand here a second time, without an import of what they name: completion must answer at once, and the library
would take a second to load. A test holds them to the library's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import typer

from sparsecut.lab.baselines.methods import METHODS, names
from sparsecut.lab.paper import EXPERIMENTS

DATASETS = (
    *("digits", "cora", "citeseer", "pubmed", "cora_full", "flickr", "reddit", "dblp", "amazon_photo", "amazon_computers"),
    *("coauthor_cs", "coauthor_physics", "blogcatalog", "facebook", "twitch_de", "twitch_engb", "twitch_es", "twitch_fr"),
    *("twitch_pt", "twitch_ru", "wiki", "actor", "chameleon_filtered", "cornell", "tolokers"),
    *("ogbn_arxiv", "ogbn_products", "ogbn_papers100M"),
)
PAPER_DATASETS = ("cora", "citeseer", "pubmed", "cora_full", "flickr", "reddit")
FILTERS = ("power", "symmetric", "lazy", "pagerank", "heat", "average", "difference")
CHANNELS = ("own", "smoothed", "neighbors", "difference", "structure")
SOLVERS = ("closed_form", "adam")
USES = ("auto", "given", "structure", "both")
ENGINES = ("memory", "disk", "dask")
DEVICES = ("auto", "cpu", "cuda")
PRECISIONS = ("single", "half")
PROBES = ("paper", "tuned")
SPLITS = ("random", "10-10-80", "public", "official", "published")
TASKS = ("classify", "cluster", "links", "health")
METRICS = ("cosine", "euclidean")
LAYOUTS = ("auto", "pacmap", "umap", "tsne", "pca")
DIRECTIONS = ("symmetrize", "out", "in")
MISSING = ("error", "zero")
OBJECTIVES = ("ratio", "conductance")
PARTED = ("structure", "embedding", "both")

Completer = Callable[[str], list[str]]


def completing(words: Iterable[str]) -> Completer:
    """Complete one of some words."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def completing_list(words: Iterable[str]) -> Completer:
    """Complete the last of several words between commas, those that are there already left out."""

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        used = before.split(",")
        return [f"{before}{comma}{word}" for word in words if word.startswith(last) and word not in used]

    return complete


def complete_method(incomplete: str) -> list[tuple[str, str]]:
    """The methods that embed, with what they do."""
    return [(name, METHODS[name].about) for name in names(is_supervised=False) if name.startswith(incomplete)]


def complete_source(incomplete: str) -> list[str]:
    """Datasets by name and files of this folder; a path is left to the shell."""
    if "/" in incomplete:
        return []
    files = sorted(path.name for path in Path.cwd().glob(f"{incomplete}*") if path.is_file() and path.name[0] != ".")
    return [*completing(DATASETS)(incomplete), *files]


def complete_row(context: typer.Context, incomplete: str) -> list[str]:
    """The rows of the table that `reproduce` will make."""
    return _of_experiments(context, "ROWS", incomplete)


def complete_column(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the table that `reproduce` will make."""
    return _of_experiments(context, "COLUMNS", incomplete)


def _of_experiments(context: typer.Context, name: str, incomplete: str) -> list[str]:
    words = (context.params.get("experiment"), *context.args)  # before an unfinished option it is among the arguments
    chosen = [EXPERIMENTS[word] for word in words if word in EXPERIMENTS] or [*EXPERIMENTS.values()]
    known = dict.fromkeys(value for experiment in chosen for value in getattr(experiment.module(), name))
    return completing(known)(incomplete)

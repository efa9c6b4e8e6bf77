"""The words that options take, and their completion by the shell.

Completion must answer at once, and the library would take a second to load. So the words of filters, solvers and engines
are read from the source of their classes, and the other lists are written here a second time; a test compares these with the
library's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import typer

from sparsecut.base.source_names import listed_words
from sparsecut.lab.baselines.methods import METHODS, names
from sparsecut.lab.paper import EXPERIMENTS

DATASETS = (
    *("digits", "cora", "citeseer", "pubmed", "cora_full", "flickr", "reddit", "dblp", "amazon_photo", "amazon_computers"),
    *("coauthor_cs", "coauthor_physics", "blogcatalog", "facebook", "twitch_de", "twitch_engb", "twitch_es", "twitch_fr"),
    *("twitch_pt", "twitch_ru", "wiki", "actor", "chameleon_filtered", "cornell", "tolokers"),
    *("ogbn_arxiv", "ogbn_products", "ogbn_papers100M"),
)
PAPER_DATASETS = ("cora", "citeseer", "pubmed", "cora_full", "flickr", "reddit")
FILTERS = tuple(listed_words("Filter"))
CHANNELS = ("own", "smoothed", "neighbors", "difference", "structure")
SOLVERS = tuple(listed_words("Solver"))
USES = ("auto", "given", "structure", "both")
ENGINES = tuple(listed_words("EngineChoice"))
DEVICES = ("auto", "cpu", "cuda")
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
    """The rows of the table that `reproduce` was asked for."""
    return _of_experiments(context, "ROWS", incomplete)


def complete_column(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the table that `reproduce` was asked for."""
    return _of_experiments(context, "COLUMNS", incomplete)


def _of_experiments(context: typer.Context, name: str, incomplete: str) -> list[str]:
    words = (context.params.get("experiment"), *context.args)  # before an unfinished option it is among the arguments
    chosen = [EXPERIMENTS[word] for word in words if word in EXPERIMENTS] or [*EXPERIMENTS.values()]
    known = dict.fromkeys(value for experiment in chosen for value in getattr(experiment.module(), name))
    return completing(known)(incomplete)

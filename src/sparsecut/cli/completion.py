"""The words that options take, and their completion by the shell.

Completion must answer at once, and the library would take a second to load. So the words of filters, solvers and engines
and the names of datasets are read from source. The other lists are written here a second time; a test compares them with
the library's own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import cast

import typer

from sparsecut.base.source_names import assigned, listed_words, literal, modules_in, source_of
from sparsecut.lab.baselines.methods import METHODS, names

PAPER_DATASETS = ("cora", "citeseer", "pubmed", "cora_full", "flickr", "reddit")
FILTERS = tuple(listed_words("Filter"))
CHANNELS = ("own", "smoothed", "neighbors", "difference", "structure", "roles")
SOLVERS = tuple(listed_words("Solver"))
USES = ("auto", "given", "structure", "both")
ENGINES = tuple(listed_words("EngineChoice"))
DEVICES = ("auto", "cpu", "cuda")
PROBES = ("paper", "tuned")
SPLITS = ("auto", "random", "cv", "10-10-80", "public", "official", "published")
TARGETS = ("auto", "classes", "several", "numbers")
FIGURES = (
    "accuracy",
    "balanced_accuracy",
    "micro_f1",
    "macro_f1",
    "roc_auc",
    "average_precision",
    "recall@10%",
    "r2",
    "mae",
    "rmse",
)
TASKS = ("classify", "cluster", "links", "health")
HELD_OUT_BY = ("random", "time")
METRICS = ("cosine", "euclidean")
LAYOUTS = ("auto", "pacmap", "umap", "tsne", "pca")
DIRECTIONS = ("symmetrize", "out", "in")
MISSING = ("error", "zero")
OBJECTIVES = ("ratio", "conductance")
KWAY_OBJECTIVES = ("cut", "conductance", "modularity")
EFFORTS = ("usual", "best", "fast")
PARTED = ("structure", "embedding", "both")

Completer = Callable[[str], list[str]]


@cache
def dataset_names() -> tuple[str, ...]:
    """The names of the datasets: the first argument, or `name`, of each entry in the files that the registry lists."""
    entries = [
        cast("ast.Call", entry)
        for file in literal("sparsecut.datasets.registry", "FILES")
        for entry in cast("ast.Tuple", assigned(file, "DATASETS")).elts
    ]
    written = [[*entry.args, *(word.value for word in entry.keywords if word.arg == "name")] for entry in entries]
    return tuple(ast.literal_eval(words[0]) for words in written)


def format_suffixes() -> list[str]:
    """The suffixes of graph files: those that are written in the `FORMATS` of the modules of `io/formats`."""
    declared = [assigned(one, "FORMATS") for one in modules_in("sparsecut.io.formats") if "\nFORMATS = " in source_of(one)]
    words = [node.value for formats in declared for node in ast.walk(formats) if isinstance(node, ast.Constant)]
    return sorted(word for word in words if isinstance(word, str) and word.startswith("."))


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
    return [*completing(dataset_names())(incomplete), *files]


def complete_row(context: typer.Context, incomplete: str) -> list[str]:
    """The rows of the table that `reproduce` will make."""
    return _of_experiments(context, "ROWS", incomplete)


def complete_column(context: typer.Context, incomplete: str) -> list[str]:
    """The columns of the table that `reproduce` will make."""
    return _of_experiments(context, "COLUMNS", incomplete)


def _of_experiments(context: typer.Context, name: str, incomplete: str) -> list[str]:
    from sparsecut.lab.paper import EXPERIMENTS

    words = (context.params.get("experiment"), *context.args)  # before an unfinished option it is among the arguments
    chosen = [EXPERIMENTS[word] for word in words if word in EXPERIMENTS] or [*EXPERIMENTS.values()]
    known = dict.fromkeys(value for experiment in chosen for value in getattr(experiment.module(), name))
    return completing(known)(incomplete)

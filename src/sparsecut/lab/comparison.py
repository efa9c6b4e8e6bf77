"""Several methods on one graph: accuracy over the same splits, seconds, and peak memory.

Each method is fitted in a process of its own (`sparsecut.lab.worker`), so its memory is its own and no method finds
libraries warm that another had to load. The processes run one after another. They are given the graph without its labels;
one whose method predicts labels is given, for every split, those of the training and validation nodes, and no other.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.metrics import CLASSES, Metrics, check_metrics
from sparsecut.evaluation.paired import compare_scores
from sparsecut.evaluation.probing import probe as run_probe
from sparsecut.evaluation.scores import Scores, score_predictions
from sparsecut.evaluation.split_choice import PER_CLASS, make_splits
from sparsecut.evaluation.splits import Split
from sparsecut.graph import Graph, as_graph, encode_labels
from sparsecut.lab.baselines.methods import Method, find_method
from sparsecut.lab.compared import MethodComparison, MethodResult

DEFAULT_METHODS = ("sce", "mosce", "smoothed", "raw")


@dataclass(frozen=True)
class Fit:
    """One method fitted alone: its embedding or its predictions, or the sentence that says why there is none.

    `predicted` has one row per split and one column per node.
    """

    embedding: NDArray[np.float32] | None = None
    predicted: NDArray[np.int64] | None = None
    error: str | None = None
    measured: dict[str, Any] = field(default_factory=dict)


def compare(
    graph: Graph,
    methods: str | Sequence[str] = DEFAULT_METHODS,
    *,
    split: str = "random",
    dataset: str | None = None,
    per_class: int | Sequence[int] = 20,
    n_splits: int = 50,
    probe: str = "paper",
    metrics: Metrics = None,
    random_state: int = 0,
    options: Mapping[str, Any] | None = None,
    paper: str | None = None,
    progress: Reporter | None = None,
) -> MethodComparison:
    """Fit registered methods on a graph, each in a process of its own, and score them over the same splits.

    Parameters
    ----------
    graph : Graph
        With labels.
    methods : str or sequence of str, default=("sce", "mosce", "smoothed", "raw")
        Names in the registry, `sparsecut.lab.baselines.methods.names()`; a string has them between commas. The others are
        compared with the first.
    split : {"random", "cv", "published", "public", "official"} or str, default="random"
        How the nodes are split, or percentages such as "10-10-80"; see `evaluate`.
    dataset : str, default=None
        The name of the graph, for "published", "public" and "official".
    per_class : int or sequence of int, default=20
        For "random" and "published": training nodes of each class; one set of splits each.
    n_splits : int, default=50
        How many splits, at most as many as there are.
    probe : {"paper", "tuned"}, default="paper"
        How embeddings are scored; see `evaluate`. Methods that predict labels themselves need none.
    metrics : str, or sequence of str, default=None
        What to measure; see `evaluate`. Methods are compared by the first. A method that predicts labels has no ranking of
        nodes, and no figure that needs one.
    random_state : int, default=0
        Seed of the splits and of the methods.
    options : mapping, optional
        Settings (dimension, epochs, order, device) for the methods that have them; the others leave them.
    paper : str, optional
        A dataset whose published settings serve the methods that have some.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Returns
    -------
    MethodComparison
        One `MethodResult` per method, in the order of `methods`; one that failed has an `error`. `to_pandas()` is the table,
        which a notebook shows by itself.

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.datasets.load("digits")
    >>> compared = sc.compare(graph, ["raw", "smoothed"], per_class=5, n_splits=5)
    >>> raw, smoothed = compared
    >>> smoothed.against_first[5].mean_difference > 0
    True
    >>> compared.to_pandas()["method"].tolist()
    ['raw', 'smoothed']
    """
    graph = as_graph(graph)
    if graph.labels is None:
        raise InputError("Methods are compared by how well labels are read off their embeddings, and the graph has none.")
    asked = [name.strip() for name in methods.split(",")] if isinstance(methods, str) else methods
    chosen = [find_method(name) for name in asked]
    if not chosen:
        raise InputError("A comparison needs at least one method. Got none.")
    _, codes = encode_labels(graph.labels)
    named = check_metrics("compare", metrics, CLASSES)
    make = partial(make_splits, split, graph.labels, dataset=dataset, n_splits=n_splits, random_state=random_state)
    splits: dict[int | str, list[Split]] = {}
    if split in PER_CLASS:
        splits |= {n: make(per_class=n) for n in ([per_class] if isinstance(per_class, int) else per_class)}
    else:
        splits[split] = make()
    score = partial(run_probe, protocol=probe, metrics=metrics, target=CLASSES)
    scored_names = [name for name, scorer in named.items() if scorer is None]
    results: list[MethodResult] = []
    with reporting(progress) as report:
        for number, method in enumerate(chosen):
            report("methods", number, len(chosen))
            offered = {**(options or {}), "random_state": random_state}
            all_splits = [one for made in splits.values() for one in made]
            fit = fit_alone(method, graph, offered=offered, paper=paper, splits=all_splits)
            scores: dict[int | str, Scores] = {}
            if fit.embedding is not None:
                scores = {n: score(fit.embedding, graph.labels, made) for n, made in splits.items()}
            elif fit.predicted is not None:
                parts = np.split(fit.predicted, len(splits))  # as many splits for each
                of_each = zip(splits.items(), parts, strict=True)
                scores = {n: score_predictions(part, codes, made, scored_names) for (n, made), part in of_each}
            first = results[0].scores if results else {}
            shared = {n: _shared(scores[n], first[n]) for n in scores if n in first}
            against = {n: compare_scores(scores[n], first[n], metric=name) for n, name in shared.items() if name}
            results.append(MethodResult(method.name, scores, against, fit.measured, fit.error))
        report("methods", len(chosen), len(chosen))
    return MethodComparison(results, tuple(named) if metrics is not None else tuple(named)[:1])


def _shared(a: Scores, b: Scores) -> str | None:
    """The first metric that both have; None where one ranks nodes and the other predicts labels."""
    return next((name for name in b.figures if name in a.figures), None)


def fit_alone(
    method: Method, graph: Graph, *, offered: Mapping[str, Any], paper: str | None = None, splits: Sequence[Split] = ()
) -> Fit:
    """Fit a method in a fresh process, or for each split if it predicts labels; `measured` holds seconds and bytes."""
    with tempfile.TemporaryDirectory(prefix="sparsecut-") as name:
        folder = Path(name)
        sp.save_npz(folder / "adjacency.npz", graph.adjacency, compressed=False)
        if sp.issparse(graph.features):
            sp.save_npz(folder / "features.npz", graph.features, compressed=False)
        elif graph.features is not None:
            np.save(folder / "features.npy", graph.features)
        job = {
            "name": method.name,
            "home": method.home,
            "words": dict(method.words),
            "is_supervised": method.is_supervised,
            "is_directed": graph.is_directed,
            "offered": dict(offered),
            "paper": paper,
        }
        if method.is_supervised:
            _write_seen(folder / "seen.npz", graph, splits)
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "sparsecut.lab.worker", str(folder)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            # Where this process finds its modules, so does the other.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        result = folder / "result.json"
        if not result.exists():
            return Fit(error=_why_it_ended(done))
        measured = json.loads(result.read_text(encoding="utf-8"))
        if "error" in measured:
            return Fit(error=measured["error"])
        answer = np.load(folder / "answer.npy", allow_pickle=False)
        return Fit(predicted=answer, measured=measured) if method.is_supervised else Fit(answer, measured=measured)


def _write_seen(path: Path, graph: Graph, splits: Sequence[Split]) -> None:
    """What a method that predicts labels may see: positions, and the classes of training and validation nodes."""
    assert graph.labels is not None
    _, codes = encode_labels(graph.labels)
    arrays: dict[str, Any] = {}
    for number, split in enumerate(splits):
        for name, nodes in (("train", split.train), ("validation", split.validation)):
            arrays[f"{name} {number}"] = nodes
            arrays[f"{name} classes {number}"] = codes[nodes]
    np.savez(path, **arrays)


def _why_it_ended(done: subprocess.CompletedProcess[str]) -> str:
    if done.returncode == -9:  # SIGKILL, a name that Windows does not have
        return "The process was killed, most likely for want of memory."
    last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return f"The process failed: {last}"

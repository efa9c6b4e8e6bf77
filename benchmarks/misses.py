"""The two targets of the default that are missed, looked into: Tolokers against DGI, Cornell against its raw features.

    python benchmarks/misses.py [--force]

- Tolokers has 78 percent of its nodes in one class. Beside the accuracy: the mean recall of the two classes, and the area
  under the ROC curve of the same probe's scores, which no threshold changes.
- The symmetric matrix D̃^−½ÃD̃^−½ in place of the mean over neighbours, which scores more on Tolokers, on the other graphs.
- Cornell without the idf of tf-idf, which costs the points there, and samples of other graphs with as few nodes.

The results are saved point by point.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import roc_auc_score

import beyond
from results_file import read_points, write_results
from sparsecut import SCE, Graph, PageRank, Symmetric
from sparsecut.evaluation import Split, probe, sample_splits
from sparsecut.evaluation.linear_probe import check_embedding, fit_paper
from sparsecut.features.weighting import WeightingWord
from sparsecut.lab.paper.row_methods import fit, load_graph

NAME = "misses"
N_DGI = 2  # seeds: DGI has chance in it
N_SPLITS = 20  # where graphs are compared with themselves
SAMPLED = ("cora", "citeseer", "actor", "wiki", "amazon_photo", "twitch_es")
SIZES = (200, 400)
N_SAMPLES = 6
LEAST_OF_CLASS = 12  # nodes of a class in a sample; smaller classes are left out of it
WEIGHTINGS: tuple[WeightingWord, ...] = ("tf-idf", "l2")

Point = dict[str, Any]


def read_two_classes(Z: ArrayLike, labels: NDArray[Any], splits: list[Split]) -> Point:
    """Accuracy, mean recall and AUC in percent by the probe `paper`, means over the splits."""
    rows = check_embedding(Z)
    codes = np.unique(labels, return_inverse=True)[1]
    found = []
    for split, weights in zip(splits, fit_paper(rows, codes, splits, 2), strict=True):
        scores = rows[split.test] @ weights[:-1] + weights[-1]
        is_second = codes[split.test] == 1
        predicted = scores.argmax(axis=1) == 1
        recalls = [float((predicted == is_second)[is_second == which].mean()) for which in (False, True)]
        auc = roc_auc_score(is_second, scores[:, 1] - scores[:, 0])
        found.append((float((predicted == is_second).mean()), float(np.mean(recalls)), float(auc)))
    names = ("accuracy", "recall", "auc")
    return {name: round(100 * float(value), 2) for name, value in zip(names, np.mean(found, axis=0), strict=True)}


def measure_tolokers(row: str, seed: int) -> Point:
    graph = load_graph("tolokers")
    assert graph.labels is not None
    Z = fit(beyond._make(row, "tolokers", seed), graph, _silent).embedding_
    return read_two_classes(Z, np.asarray(graph.labels), beyond.splits_of("tolokers", graph, 20, 50, 0))


def measure_matrix(name: str) -> Point:
    """The default, and the same channels and restart with the symmetric matrix; where there is a smoothed channel."""
    graph = load_graph(name)
    model = SCE().fit(graph, progress=_silent)
    recipe = model.recipe_
    if set(recipe.channels) == {"own"}:
        return {"channels": dict(recipe.channels)}
    restarts = [filter.restart for filter in recipe.filters if isinstance(filter, PageRank)]
    filter: Any = PageRank(restart=restarts[0], normalization="symmetric") if restarts else Symmetric(order=2)
    channels = {"own" if channel == "own" else "smoothed": weight for channel, weight in recipe.channels.items()}
    weighting: Any = recipe.weighting.name
    symmetric = SCE(weighting=weighting, filter=filter, channels=channels).fit(graph, progress=_silent)
    return {
        "channels": dict(recipe.channels),
        "mean": _accuracies(model.embedding_, graph, name),
        "symmetric": _accuracies(symmetric.embedding_, graph, name),
    }


def measure_weightings() -> Point:
    """Cornell's own rows by weighting, and its raw features."""
    graph = load_graph("cornell")
    found: dict[str, Any] = {
        f"own rows, {weighting}": SCE(channels="own", weighting=weighting).fit_transform(graph, progress=_silent)
        for weighting in (*WEIGHTINGS, "none")
    }
    found["raw"] = graph.features
    return {row: _accuracies(Z, graph, "cornell", n_splits=50) for row, Z in found.items()}


def measure_samples(name: str, size: int) -> Point:
    """Own rows of marks by weighting, 5 labels per class, mean over samples of so many nodes."""
    graph = load_graph(name)
    marks = sp.csr_array(sp.csr_array(graph.features) != 0).astype(np.float32)
    labels, adjacency = np.asarray(graph.labels), sp.csr_array(graph.adjacency)
    found: dict[str, list[float]] = {weighting: [] for weighting in WEIGHTINGS}
    for number in range(N_SAMPLES):
        nodes = np.sort(np.random.default_rng(number).permutation(graph.n_nodes)[:size])
        classes, counts = np.unique(labels[nodes], return_counts=True)
        nodes = nodes[np.isin(labels[nodes], classes[counts >= LEAST_OF_CLASS])]
        sample = Graph(adjacency[nodes][:, nodes], features=sp.csr_array(marks[nodes]), labels=labels[nodes])
        splits = sample_splits(labels[nodes], 5, 10, 0)
        for weighting in WEIGHTINGS:
            Z = SCE(channels="own", weighting=weighting).fit_transform(sample, progress=_silent)
            found[weighting].append(probe(Z, labels[nodes], splits, progress=_silent).mean)
    return {weighting: round(float(np.mean(values)), 2) for weighting, values in found.items()}


def plan() -> dict[str, Callable[[], Point]]:
    """Every point by its name; the cheap ones first."""
    points: dict[str, Callable[[], Point]] = {"cornell": measure_weightings}
    points |= {f"{n} nodes of {name}": _later(measure_samples, name, n) for name in SAMPLED for n in SIZES}
    points |= {f"matrix, {name}": _later(measure_matrix, name) for name in beyond.COLUMNS}
    points["tolokers, default"] = _later(measure_tolokers, beyond.DEFAULT, 0)
    return points | {f"tolokers, DGI, seed {seed}": _later(measure_tolokers, "DGI", seed) for seed in range(N_DGI)}


def tables_of(points: dict[str, Point]) -> list[Point]:
    two = [[key.removeprefix("tolokers, "), *point.values()] for key, point in points.items() if key.startswith("tolokers")]
    matrices = {key.removeprefix("matrix, "): point for key, point in points.items() if key.startswith("matrix")}
    changed = [
        [
            name,
            ", ".join(point["channels"]),
            *(f"{b - a:+.1f}" for a, b in zip(point["mean"], point["symmetric"], strict=True)),
        ]
        for name, point in matrices.items()
        if "mean" in point
    ]
    cornell = [[row, *accuracies] for row, accuracies in points.get("cornell", {}).items()]
    samples = [[key, *point.values()] for key, point in points.items() if " nodes of " in key]
    tables = [
        (
            "Tolokers, 20 labels per class, 50 splits, probe: paper.",
            ["embedding", "accuracy", "mean recall", "AUC"],
            two,
        ),
        (
            f"The symmetric matrix in place of the mean over neighbours: points, {N_SPLITS} splits, probe: paper.",
            ["graph", "channels", "5 labels", "20 labels"],
            changed,
        ),
        (
            "Cornell's own rows by weighting: accuracy, 50 splits, probe: paper.",
            ["embedding", "5 labels", "20 labels"],
            cornell,
        ),
        (
            f"Own rows of marks in samples of other graphs: accuracy, 5 labels per class, mean over {N_SAMPLES} draws.",
            ["sample", *WEIGHTINGS],
            samples,
        ),
    ]
    return [{"caption": caption, "columns": columns, "rows": rows} for caption, columns, rows in tables if rows]


def notes_of(points: dict[str, Point]) -> list[str]:
    """What the tables say, counted."""
    notes = []
    default = points.get("tolokers, default")
    others = [point for key, point in points.items() if key.startswith("tolokers, DGI")]
    if default and others:
        figures = [
            f"{words} {default[name]:.1f} to {np.mean([point[name] for point in others]):.1f}"
            for name, words in (("accuracy", "accuracy"), ("recall", "mean recall of the two classes"), ("auc", "AUC"))
        ]
        notes.append(f"Tolokers, the default to DGI (seeds: {len(others)}): {', '.join(figures)}.")
    compared = [point for point in points.values() if "symmetric" in point]
    if compared:
        gains = [float(np.mean(point["symmetric"]) - np.mean(point["mean"])) for point in compared]
        n_better = sum(gain > 0 for gain in gains)
        notes.append(
            f"The symmetric matrix is better on {n_better} of {len(gains)} graphs, by {max(gains):.1f} points at most, and "
            f"worse by up to {-min(gains):.1f}: {np.mean(gains):+.1f} on average (mean over 5 and 20 labels)."
        )
    sampled = [point for key, point in points.items() if " nodes of " in key]
    if sampled:
        gains = [point["l2"] - point["tf-idf"] for point in sampled]
        notes.append(
            f"Without idf {sum(gain > 0 for gain in gains)} of {len(gains)} samples score more, {np.mean(gains):+.1f} "
            "points on average: that a graph is small is no reason to leave idf out."
        )
    return notes


def save(points: dict[str, Point]) -> None:
    ordered = {key: points[key] for key in plan() if key in points}
    write_results(
        NAME,
        title="Two targets that are missed",
        about="With the paper's probe and 20 labels per class DGI is more than 3 points ahead on Tolokers, and the raw "
        "features are more than 1 point ahead on Cornell. Tolokers has 78 percent of its nodes in one class, so accuracy "
        "also says how many nodes are given to that class; the mean recall of both classes and the area under the ROC curve "
        "do not. Two changes score more there, the symmetric matrix on Tolokers and a weighting without idf on Cornell. The "
        "default has neither, since they cost more on other graphs and nothing was found that tells, without labels, where "
        "they help.",
        command="python benchmarks/misses.py",
        tables=tables_of(ordered),
        notes=notes_of(ordered),
        points=ordered,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--force", action="store_true", help="measure again what is there")
    arguments = parser.parse_args()
    for key, measure in plan().items():
        if arguments.force or key not in read_points(NAME):
            point = measure()
            print(key, point, flush=True)
            save({**read_points(NAME), key: point})
    save(read_points(NAME))


def _accuracies(Z: ArrayLike, graph: Graph, name: str, n_splits: int = N_SPLITS) -> list[float]:
    cell = {"dataset": name, "n_splits": n_splits, "seed": 0}
    return [beyond.accuracy(Z, graph, cell, "paper", count)["mean"] for count in beyond.LABEL_COUNTS]


def _later(measure: Callable[..., Point], *arguments: Any) -> Callable[[], Point]:
    return lambda: measure(*arguments)


def _silent(*_: object) -> None:
    """One line per point is enough."""


if __name__ == "__main__":
    main()

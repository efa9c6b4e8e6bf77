"""How much types of edges weigh: the weights that are chosen without labels, equal ones, and the best that are known.

    python benchmarks/relations.py

Made graphs (`benchmarks/typed_made.py`) of 1,500 nodes with a class, with weak columns or none, and relations of which is
known what they say; and DBLP (`kinds/dblp_typed` under $SPARSECUT_DATA). Accuracy in percent of a logistic regression that
knows a fifth of the classes: of vectors with the weights that `SCE()` chooses, with equal ones, with the weights that follow
from how the graph was made, and of the vectors of every relation by itself, side by side.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

import sparsecut as sc
from results_file import write_results
from typed import load_typed, micro_f1
from typed_made import KINDS

SEEDS = (0, 1)
LOW = 0.01
MOST_CHANNELS = 6  # relations whose vectors are put side by side
BEST: dict[str, dict[str, float]] = {
    "useful and noise": {"noise": LOW},
    "much noise": {"noise": LOW, "more": LOW},
    "two halves": {},
    "twice": {"one": 0.33, "copy": 0.33, "third": 0.33},
    "sizes": {"few": 0.25},
    "unlike": {"opposes": 0.25},
    "many": {f"noise{number}": LOW for number in range(16)},
}


def accuracy(Z: NDArray[Any], labels: NDArray[Any]) -> float:
    found = []
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(labels))
        train, test = order[: len(order) // 5], order[len(order) // 5 :]
        found.append(100 * LogisticRegression(max_iter=300).fit(Z[train], labels[train]).score(Z[test], labels[test]))
    return float(np.mean(found))


def vectors(graph: sc.Graph, relations: Any) -> NDArray[np.float32]:
    return np.asarray(sc.SCE(relations=relations).fit_transform(graph, progress=lambda *_: None))


def side_by_side(graph: sc.Graph) -> NDArray[np.float32]:
    """The vectors of every relation by itself."""
    names = [name for _, name, _ in graph.edge_types or ()]
    return np.hstack([vectors(graph, {other: float(other == name) for other in names}) for name in names])


def ways_of(graph: sc.Graph, best: dict[str, float] | None) -> dict[str, NDArray[np.float32]]:
    equal = {name: 1.0 for _, name, _ in graph.edge_types or ()}
    ways = {"chosen": vectors(graph, "auto"), "equal": vectors(graph, equal)}
    if len(equal) <= MOST_CHANNELS:
        ways["a channel each"] = side_by_side(graph)
    return ways if best is None else ways | {"known": vectors(graph, best)}


def main() -> None:
    warnings.simplefilter("ignore")
    points: list[dict[str, Any]] = []
    for with_columns in (True, False):
        for name, make in KINDS.items():
            figures: dict[str, list[float]] = {}
            for seed in SEEDS:
                made = make(seed, is_plain=not with_columns)
                for way, Z in ways_of(made.graph, BEST[name]).items():
                    figures.setdefault(way, []).append(accuracy(Z[made.rows], made.labels))
            means = {way: float(np.mean(found)) for way, found in figures.items()}
            points.append({"graph": name, "columns": with_columns, **means})
            print(points[-1], flush=True)
    typed, authors, areas = load_typed(Path(os.environ["SPARSECUT_DATA"]) / "kinds" / "dblp_typed")
    ways = ways_of(typed, None)
    for _, name, _ in typed.edge_types or ():
        ways |= {f"{name} × {factor:g}": vectors(typed, {name: factor}) for factor in (4.0, 0.25)}
    around = {way: float(micro_f1(Z[authors], areas, 10).mean()) for way, Z in ways.items()}
    print(around, flush=True)
    order = ("chosen", "equal", "known", "a channel each")
    write_results(
        "relations",
        title="Weights of types of edges",
        about=__doc__.split("\n\n")[2].replace("\n", " "),
        command="python benchmarks/relations.py",
        tables=[
            {
                "caption": f"Accuracy on made graphs, the mean of {len(SEEDS)} of each, in percent",
                "columns": ["graph", "columns", *order],
                "rows": [
                    [
                        point["graph"],
                        "weak" if point["columns"] else "none",
                        *(round(point[way], 1) if way in point else "" for way in order),
                    ]
                    for point in points
                ],
            },
            {
                "caption": "DBLP, micro-F1 of authors, in percent",
                "columns": ["weights", "micro-F1"],
                "rows": [[way, round(figure, 1)] for way, figure in around.items()],
            },
        ],
        notes=[f"{name}: {make.__doc__}" for name, make in KINDS.items()],
        points={"made": points, "dblp": around},
    )


if __name__ == "__main__":
    main()

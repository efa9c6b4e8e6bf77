"""SCE against DGI on torch-geometric and against the paper's own dense loop: seconds and accuracy.

    python benchmarks/against_dgi.py [--graphs cora,citeseer,pubmed] [--parts dgi,own,loop] [--repeats 5]

From the graph in memory to the embedding, on two threads. Each part of each graph has ours and its rival in one process:
DGI and the loop, which take minutes, once, ours several times after a first, of which the best counts. DGI has the
dimension that the paper's tables give SCE (512, 512, 256, which is what DGI's authors take too), ours its own settings: the
paper's, and the default. Accuracy is the paper's probe over its 50 published splits.

The dense loop is the paper's text, written down as it stands: D̃⁻¹Ã as a full matrix, the Laplacian of the negative graph
as a full matrix, autograd over Z, torch's Adam. It starts at the same weights with the same negatives, so its embedding
must be that of `SCE.paper`; the table shows how near they are.

What was measured is kept: a part that is named again is measured again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import reduce
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from peers.dgi import dgi
from results_file import read_points, write_results
from sparsecut import SCE, Graph, Sampled, datasets
from sparsecut.evaluation import Scores, compare_scores, probe, published_splits
from sparsecut.lab.baselines.dgi import DGI
from sparsecut.model.linear_encoder import LinearEncoder

NAME = "against_dgi"
GRAPHS = ("cora", "citeseer", "pubmed")
PER_CLASS = (5, 20)
PEER, DENSE, OWN_DGI = "DGI, torch-geometric", "the paper's loop, dense", "DGI, sparsecut's baseline"
OURS = ("SCE.paper", "SCE()")
METHODS = (PEER, OWN_DGI, *OURS)
# How many times faster than DGI on torch-geometric.
TARGETS = {
    ("cora", "SCE.paper"): 100,
    ("cora", "SCE()"): 100,
    ("citeseer", "SCE.paper"): 8,
    ("citeseer", "SCE()"): 50,
    ("pubmed", "SCE.paper"): 100,
    ("pubmed", "SCE()"): 100,
}
DENSE_TARGET = 5  # times faster than the dense loop

Point = dict[str, Any]


def dense_loop(graph: Graph, name: str) -> NDArray[np.float32]:
    """Algorithm 1 with full matrices and the paper's settings."""
    model: Any = SCE.paper(name)
    solver = model.solver
    start_seed, negatives_seed = (int(seed) & (2**63 - 1) for seed in np.random.SeedSequence(0).generate_state(2, np.uint64))
    F = torch.from_numpy(graph.features.toarray())  # (n, f)
    A = torch.from_numpy(graph.adjacency.toarray())
    A.diagonal().add_(1)  # Ã
    A /= A.sum(dim=1, keepdim=True)  # D̃⁻¹Ã
    S = F
    for _ in range(model.filter.order):
        S = A @ S
    del A
    L = dense_laplacian(graph, model.negatives, negatives_seed)
    widths = [graph.n_features, *[model.dimension] * solver.depth]
    layers = list(LinearEncoder([widths], "mean", torch.Generator().manual_seed(start_seed)).parameters())
    optimizer = torch.optim.Adam(layers, lr=solver.learning_rate, weight_decay=solver.l2)
    for _ in range(solver.epochs):
        optimizer.zero_grad()
        Z = reduce(torch.matmul, layers, S)
        loss = solver.alpha / torch.trace(Z.T @ L @ Z)
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return reduce(torch.matmul, layers, S).numpy()


def dense_laplacian(graph: Graph, negatives: Sampled, seed: int) -> Tensor:
    """L_H of the pairs that `SCE` samples with the same seed, as a full matrix."""
    (sampled,) = negatives.describe(graph, np.random.default_rng(seed)).listed
    i, j = torch.from_numpy(sampled.pairs).T
    w = torch.from_numpy(np.asarray(sampled.weights, dtype=np.float32))
    L = torch.zeros(graph.n_nodes, graph.n_nodes)
    L.index_put_((i, j), -w, accumulate=True)
    L.index_put_((j, i), -w, accumulate=True)
    L.diagonal().sub_(L.sum(dim=1))
    return L


def measure(name: str, part: str, n_repeats: int) -> dict[str, Point]:
    """Seconds and accuracies on a graph: of ours and DGI or the dense loop, or of our own DGI alone."""
    graph = datasets.load(name)
    splits = {n: published_splits(name, n, graph.n_nodes) for n in PER_CLASS}
    dimension = SCE.paper(name).dimension
    embeddings: dict[str, NDArray[np.float32]] = {}

    def run(method: str, fit: Callable[[], Any], n_runs: int = 1) -> Point:
        seconds = []
        for _ in range(n_runs):
            started = time.perf_counter()
            fitted = fit()
            seconds.append(time.perf_counter() - started)
        Z, n_epochs = fitted if isinstance(fitted, tuple) else (fitted, None)
        embeddings[method] = Z
        scores = {str(n): probe(Z, graph.labels, splits[n]).accuracies.round(4).tolist() for n in PER_CLASS}
        print(f"{name}: {method}: {min(seconds):.3f} s, {[round(np.mean(s), 1) for s in scores.values()]}", flush=True)
        return {"seconds": seconds, "dimension": Z.shape[1], "epochs": n_epochs, "accuracies": scores}

    if part == "own":
        return {OWN_DGI: run(OWN_DGI, lambda: DGI.paper(name).fit_transform(graph))}
    points = {
        "SCE.paper": run("SCE.paper", lambda: SCE.paper(name).fit_transform(graph), n_repeats + 1),
        "SCE()": run("SCE()", lambda: SCE().fit_transform(graph), n_repeats + 1),
    }
    if part == "dgi":
        points[PEER] = run(PEER, lambda: dgi(graph, dimension))
    else:
        points[DENSE] = run(DENSE, lambda: dense_loop(graph, name))
        apart = np.linalg.norm(embeddings[DENSE] - embeddings["SCE.paper"]) / np.linalg.norm(embeddings[DENSE])
        points[DENSE]["apart"] = float(apart)
    return points


def tables_of(points: dict[str, dict[str, Point]]) -> list[dict[str, Any]]:
    """From "graph, part" to the points of its methods."""
    speed, loop, accuracy = [], [], []
    for name in GRAPHS:
        part = {**points.get(f"{name}, own", {}), **points.get(f"{name}, dgi", {})}
        for method in (method for method in METHODS if method in part and PEER in part):
            target, ratio = TARGETS.get((name, method)), _best(part[PEER]) / _best(part[method])
            judged = (f"≥ {target}", ratio >= target) if target else (None, None)
            size = (part[method]["dimension"], part[method]["epochs"])
            speed.append([name, method, *size, round(_best(part[method]), 4), round(ratio, 2), *judged])
        for n in PER_CLASS if PEER in part else ():
            for method in (method for method in METHODS if method in part):
                scores, versus = _scores(part[method], n), compare_scores(_scores(part[method], n), _scores(part[PEER], n))
                judged = ("not below DGI", versus.mean_difference >= 0) if method in OURS else (None, None)
                accuracy.append([name, n, method, str(scores), None if method == PEER else str(versus), *judged])
        part = points.get(f"{name}, loop", {})
        for method in OURS if part else ():
            ratio = _best(part[DENSE]) / _best(part[method])
            apart = f"{part[DENSE]['apart']:.1e}" if method == "SCE.paper" else None
            times = (round(_best(part[DENSE]), 3), round(_best(part[method]), 4), round(ratio, 2))
            loop.append([name, method, *times, f"≥ {DENSE_TARGET}", ratio >= DENSE_TARGET, apart])
    return [
        {
            "caption": "Seconds to the embedding, and how many times faster than DGI on torch-geometric.",
            "columns": ["graph", "method", "dimension", "epochs", "seconds", "times faster than DGI", "target", "met"],
            "rows": speed,
        },
        {
            "caption": "Against the paper's own loop with full matrices; how far the embeddings are apart, relative to "
            "their size, for the same start and the same negatives.",
            "columns": ["graph", "method", "dense loop, seconds", "seconds", "times faster", "target", "met", "apart"],
            "rows": loop,
        },
        {
            "caption": "Accuracy in percent over the 50 published splits, probe: paper; beside it the difference to DGI on "
            "torch-geometric, paired over the splits. The target is judged by the mean alone.",
            "columns": ["graph", "labels a class", "method", "accuracy", "against DGI, torch-geometric", "target", "met"],
            "rows": accuracy,
        },
    ]


def _best(point: Point) -> float:
    return float(min(point["seconds"]))


def _scores(point: Point, per_class: int) -> Scores:
    return Scores({"accuracy": np.array(point["accuracies"][str(per_class)])}, probe="paper")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--parts", default="dgi,own,loop")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    for name in arguments.graphs.split(","):
        for part in arguments.parts.split(","):
            save({**read_points(NAME), f"{name}, {part}": measure(name, part, arguments.repeats)}, arguments.repeats)


def save(points: dict[str, dict[str, Point]], n_repeats: int) -> None:
    write_results(
        NAME,
        title="Against DGI and the dense loop",
        about="DGI is torch-geometric's own (one GCNConv, PReLU, dense features, patience 20 on the loss), with the "
        "dimension that SCE has in the paper's tables. The dense loop is the paper's algorithm with full matrices and "
        "autograd. From the graph in memory to the embedding, on two threads, ours in one process with its rival; DGI and "
        f"the loop once, ours {n_repeats} times after a first, the best counts.",
        command="python benchmarks/against_dgi.py",
        tables=tables_of(points),
        notes=[],
        points=points,
        environment={"torch-geometric": version("torch-geometric"), "threads": 2},
    )


if __name__ == "__main__":
    main()

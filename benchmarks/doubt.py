"""Whether features go with the edges: what held-out edges say, and what the labels say afterwards.

    python benchmarks/doubt.py [--graphs cora,facebook,…] [--splits 20]

For real graphs, and for the same graphs spoiled (a share of the nodes has the features of another node, or a share of the
columns is shuffled, or all features are normal noise): the three scores of `model.edge_trial`, whether they lead to the
note, and the accuracy of features="given", "structure" and "both" with 20 labels per class, the last with other weights too.
The limit of the note and the weight of structure were chosen by it. The results are saved graph by graph.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

import sparsecut.model.auto.filter_choice
from sparsecut import SCE, Graph, Memory, PageRank, datasets, evaluate
from sparsecut.base.environment import environment_stamp
from sparsecut.io import write_whole
from sparsecut.model.auto.edge_trial import doubt

RESULTS = Path(__file__).parent / "results" / "doubt.json"
SPOILED = ("rows:0.9", "columns:0.9", "noise:1")
GRAPHS = (
    *("cora", *(f"cora:{how}" for how in SPOILED), "citeseer", "citeseer:rows:0.9", "pubmed", "pubmed:rows:0.9"),
    *("facebook", "facebook:rows:0.5", *(f"facebook:{how}" for how in SPOILED), "blogcatalog", "dblp"),
    *("amazon_photo", *(f"amazon_photo:{how}" for how in SPOILED), "wiki", "wiki:rows:0.9", "actor"),
    *("chameleon_filtered", "tolokers", "twitch_de", "twitch_engb", "twitch_es", "digits"),
)
PARTS = ("given", "structure", "both")
OTHER_SHARES = (1.0, 0.25)  # of the mean square length of the features' part, beside the one that "both" gives to structure
N_NOISE = 500  # columns


def load_graph(spec: str) -> Graph:
    """A named graph, or one of the folder `heterophilous` beside the others' files, spoiled as its name says."""
    name, *how = spec.split(":")
    folder = Path(os.environ.get("SPARSECUT_DATA", ".")) / "heterophilous"
    if name == "wiki":
        matrices = scipy.io.loadmat(folder / "wiki.mat")
        graph = Graph(matrices["W"], features=matrices["fea"], labels=np.ravel(matrices["gnd"]))
    elif (folder / f"{name}.npz").exists():
        with np.load(folder / f"{name}.npz") as arrays:
            i, j = arrays["edges"].T
            n_nodes = len(arrays["node_labels"])
            adjacency = sp.csr_array((np.ones(len(i)), (i, j)), shape=(n_nodes, n_nodes))
            adjacency = adjacency.maximum(adjacency.T)
            graph = Graph(adjacency, features=arrays["node_features"], labels=arrays["node_labels"])
    else:
        graph = datasets.load(name)
    return graph.replace(features=spoil(graph.features, how[0], float(how[1]))) if how else graph


def spoil(features: Any, how: str, share: float) -> Any:
    generator = np.random.default_rng(0)
    n_rows, n_columns = features.shape
    if how == "noise":
        return generator.standard_normal((n_rows, min(n_columns, N_NOISE)))
    if how == "rows":
        order = np.arange(n_rows)
        moved = np.sort(generator.choice(n_rows, int(share * n_rows), replace=False))
        order[moved] = generator.permutation(moved)
        return features[order]
    columns = sp.csc_array(features, copy=True)
    for column in generator.choice(n_columns, int(share * n_columns), replace=False):
        place = slice(columns.indptr[column], columns.indptr[column + 1])
        columns.indices[place] = generator.choice(n_rows, place.stop - place.start, replace=False)
    columns.has_sorted_indices = False
    return columns.tocsr()


def measure(spec: str, n_splits: int) -> dict[str, Any]:
    graph = load_graph(spec)
    scores: dict[str, float] = {}

    def recorded(alike: float, told: float, structure: Any) -> str | None:
        scores.update(alike=alike, told=told, structure=structure())
        return doubt(alike, told, lambda: scores["structure"])

    sparsecut.model.auto.filter_choice.doubt = recorded
    # Of the smoothed features, one channel: whether they are worth smoothing is what is asked.
    filters = {"given": PageRank(), "structure": "auto", "both": PageRank()}
    models = {part: SCE(features=part, filter=filters[part], engine=Memory(device="cpu")).fit(graph) for part in PARTS}
    # "both" fits the features a second time, with the same scores.
    embeddings = {part: model.embedding_ for part, model in models.items()}
    for share in OTHER_SHARES:
        squares = [float(np.square(embeddings[part], dtype=np.float64).sum()) for part in ("given", "structure")]
        weight = (share * squares[0] / squares[1]) ** 0.5
        embeddings[f"both, {share:g}"] = np.hstack([embeddings["given"], embeddings["structure"] * weight])
    accuracy = {
        part: round(evaluate(Z, graph.labels, per_class=20, n_splits=n_splits).mean, 1) for part, Z in embeddings.items()
    }
    is_doubted = any(note.startswith("The features hardly go") for note in models["given"].history_.notes)
    point = {"graph": spec, **{name: round(score, 3) for name, score in scores.items()}, "is_doubted": is_doubted}
    print({**point, **accuracy}, flush=True)
    return {**point, "accuracy": accuracy, "n_splits": n_splits}


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as `docs/method.md` has them."""
    lines = ["| graph | alike | told | structure | note | given | structure alone | both |"]
    lines.append("| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |")
    for row in rows:
        scores = " | ".join(f"{row[name]:.2f}" for name in ("alike", "told", "structure"))
        accuracies = " | ".join(f"{row['accuracy'][part]:.1f}" for part in PARTS)
        lines.append(f"| {row['graph']} | {scores} | {'yes' if row['is_doubted'] else ''} | {accuracies} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--splits", type=int, default=20)
    options = parser.parse_args()
    for spec in options.graphs.split(","):
        kept = json.loads(RESULTS.read_text("utf-8"))["rows"] if RESULTS.exists() else []
        rows = [row for row in kept if row["graph"] != spec] + [measure(spec, options.splits)]
        rows.sort(key=lambda row: GRAPHS.index(row["graph"]) if row["graph"] in GRAPHS else len(GRAPHS))
        with write_whole(RESULTS) as temporary:
            temporary.write_text(json.dumps({"environment": environment_stamp(), "rows": rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()

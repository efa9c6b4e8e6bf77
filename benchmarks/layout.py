"""Layouts in the plane: seconds, and how much of every node's neighbourhood they keep.

    python benchmarks/layout.py [--graphs cora,pubmed,lifted] [--methods pacmap,umap,tsne,pca] [--limit 600]

Each layout runs in a process of its own, seeded as the report seeds it, and is stopped after `--limit` seconds. Kept is the
mean share of the 15 nearest neighbours by cosine in the embedding that are among the 15 nearest in the plane, over 1,000
nodes drawn at random; class accuracy is that of a vote of the 15 nearest in the plane over the same nodes. Cora and Pubmed
are embedded by SCE() as it is; "lifted" is a random lift of Pubmed to 200,000 nodes (`lifted.py`). Measurements are kept as
they end, and one that is there is not run again: delete `points` to do so.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from pathlib import Path
from typing import Any

import numpy as np

from lifted import lifted_embedding
from results_file import read_points, write_results
from sparsecut import SCE, datasets

K = 15
SAMPLE = 1000
NAMES = {"pacmap": "PaCMAP", "umap": "UMAP", "tsne": "openTSNE", "pca": "PCA"}
GRAPHS = {"cora": "Cora", "pubmed": "Pubmed", "lifted": "Pubmed lifted to 200,000 nodes"}


def embed(name: str, folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    kept = None if folder is None else [folder / f"pubmed-200000{suffix}.npy" for suffix in ("", ".labels")]
    if name == "lifted" and kept is not None and all(path.exists() for path in kept):
        return np.load(kept[0]), np.load(kept[1])
    if name == "lifted":
        Z, graph = lifted_embedding("pubmed", 200_000)
    else:
        graph = datasets.load(name)
        Z = SCE().fit_transform(graph)
    return np.asarray(Z), np.asarray(graph.labels)


def lay_out(Z: np.ndarray, method: str, queue: Any) -> None:
    from sparsecut.explore.layout import layout

    started, cpu = time.perf_counter(), time.process_time()
    xy = layout(Z, method=method)
    queue.put((xy, time.perf_counter() - started, time.process_time() - cpu))


def nearest(rows: np.ndarray, sample: np.ndarray) -> np.ndarray:
    from sparsecut.kernels.exact_search import exact_nearest

    metric = "euclidean" if rows.shape[1] == 2 else "cosine"
    from sparsecut.kernels.exact_search import prepare

    rows = prepare(np.asarray(rows, dtype=np.float32), metric)
    found = exact_nearest(rows, rows[sample], K + 1, metric)
    return np.array([[node for node in row if node != own][:K] for row, own in zip(found.tolist(), sample, strict=True)])


def measure(Z: np.ndarray, labels: np.ndarray, method: str, limit: float) -> dict[str, Any]:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=lay_out, args=(Z, method, queue))
    process.start()
    try:
        xy, seconds, cpu = queue.get(timeout=limit)
    except Exception:
        process.kill()
        return {"seconds": None, "limit": limit}
    process.join()
    sample = np.random.default_rng(0).choice(len(Z), min(SAMPLE, len(Z)), replace=False)
    high, low = nearest(Z, sample), nearest(xy - xy.mean(axis=0), sample)
    kept = np.mean([len(set(a) & set(b)) / K for a, b in zip(high.tolist(), low.tolist(), strict=True)])
    votes = [np.bincount(labels[row]).argmax() for row in low]
    return {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "kept": round(float(kept), 3),
        "accuracy": round(100 * float(np.mean(votes == labels[sample])), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--methods", default=",".join(NAMES))
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--folder", type=Path, help="where the lifted embedding may be found")
    parser.add_argument("--note", help="what the figures need said of the machine, kept with them")
    options = parser.parse_args()
    points = read_points("layout")
    if options.note:
        points["note"] = options.note
    for name in options.graphs.split(","):
        wanted = [method for method in options.methods.split(",") if f"{name} {method}" not in points]
        if not wanted:
            continue
        Z, labels = embed(name, options.folder)
        for method in wanted:
            points[f"{name} {method}"] = measure(Z, labels, method, options.limit)
            print(name, method, points[f"{name} {method}"], flush=True)
            keep(points)
    keep(points)


def keep(points: dict[str, Any]) -> None:
    points = {**read_points("layout"), **points}  # two graphs may be measured at once
    rows = []
    for name, title in GRAPHS.items():
        for method, label in NAMES.items():
            point = points.get(f"{name} {method}")
            if point is not None:
                rows.append([title, label, *(point.get(key) for key in ("seconds", "cpu_seconds", "kept", "accuracy"))])
    columns = ["graph", "layout", "seconds", "processor seconds", "neighbours kept", "class accuracy, %"]
    write_results(
        "layout",
        title="Layout of the map",
        about="Positions in the plane for the report: seconds, the share of the 15 nearest neighbours that stay among the "
        "15 nearest in the plane, and how often their vote gives a node's class.",
        command="python benchmarks/layout.py",
        tables=[{"caption": "A dash: stopped at the time limit.", "columns": columns, "rows": rows}],
        notes=[
            "Seconds include the import and the compilation of the layout library, in a process of its own.",
            *([points["note"]] if "note" in points else []),
        ],
        points=points,
    )


if __name__ == "__main__":
    main()

"""One answer, whichever engine has the rows: every engine against memory on one thread, on real graphs.

    OMP_NUM_THREADS=1 python benchmarks/compare_engines.py [--cases "cora SCE()"] [--engines "disk 2GiB,dask rows"]

The graphs have wide sparse features (Cora, Citeseer, wiki), sparse ones whose M is built (Pubmed), dense ones (digits), and
those of a table with words (films of MovieLens, joined where the same people liked them), and features in files: Cora's and
Pubmed's. One is made: dense features of so many nodes and edges that fewer columns are smoothed. Each is fitted by memory on
one thread and on two, on disk at three limits, the last the smallest that its error names, and by Dask in both plans. The
choices must be the same, the columns as many, and every number within 1e-4 of the largest.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import sparsecut as sc
from results_file import read_points, write_results
from sparsecut.io.stores.store import write_header
from standins import stand_in

NAME = "compare_engines"
TOLERANCE = 1e-4  # of the largest number
MEMORY = "memory"
ENGINES = (MEMORY, "memory 2 threads", "disk 2GiB", "disk 640MiB", "disk smallest", "dask columns", "dask rows")
MODELS: dict[str, Callable[[], Any]] = {
    "SCE()": sc.SCE,
    "MoSCE()": sc.MoSCE,
    "SCE(dimension=64)": lambda: sc.SCE(dimension=64),
    "Adam": lambda: sc.SCE(dimension=64, solver=sc.Adam(), random_state=0),
}
CASES = (
    *((graph, "SCE()") for graph in ("cora", "citeseer", "pubmed", "wiki", "digits", "films")),
    *((graph, "SCE()") for graph in ("cora store", "pubmed store", "made")),
    ("cora", "SCE(dimension=64)"),
    ("cora", "MoSCE()"),
    ("digits", "MoSCE()"),
    ("cora", "Adam"),
    ("digits", "Adam"),
)
MADE = {"n_nodes": 20_000, "n_edges": 400_000, "n_features": 300, "n_classes": 10, "random_state": 0}
FILMS = Path("kinds") / "movielens"
LEAST_SHARED = 8  # people who gave two films the best mark


def load(name: str, folder: Path) -> sc.Graph:
    """A graph by its name; those of stores are written to a folder."""
    if name == "films":
        return films(Path(os.environ["SPARSECUT_DATA"]) / FILMS)
    if name == "made":
        return stand_in(**MADE)
    given, _, kind = name.partition(" ")
    graph = sc.datasets.load(given)
    return stored(graph, folder / given) if kind else graph


def films(folder: Path) -> sc.Graph:
    """Films with a year, words and kinds; two are joined where eight people gave both the best mark."""
    import pandas as pd

    table, ratings = pd.read_csv(folder / "movies.csv.gz"), pd.read_csv(folder / "ratings.csv.gz")
    best = ratings[ratings["rating"] == 5]
    place = pd.Index(table["item_id"]).get_indexer(best["item_id"])
    people = np.unique(best["user_id"], return_inverse=True)[1]
    liked = sp.csr_array((np.ones(len(best), dtype=np.float32), (people, place)), shape=(people.max() + 1, len(table)))
    shared = sp.csr_array(liked.T @ liked)
    shared.data[shared.data < LEAST_SHARED] = 0
    shared.setdiag(0)
    shared.eliminate_zeros()
    features = table.drop(columns="item_id").rename(columns={"class": "genres"})  # a class would be labels
    features["release_year"] = pd.to_numeric(table["release_year"], errors="coerce")  # one is a word
    return sc.Graph(shared, features=features)


def stored(graph: sc.Graph, folder: Path) -> sc.Graph:
    """The same graph as a store, its features dense."""
    folder.mkdir(exist_ok=True)
    for name in ("indptr", "indices"):
        np.save(folder / f"{name}.npy", getattr(graph.adjacency, name))
    features: Any = graph.features
    np.save(folder / "features.npy", features.toarray().astype(np.float32))
    write_header(folder, n_nodes=graph.n_nodes, n_entries=int(graph.adjacency.nnz), directed="symmetrize")
    return sc.open_store(folder)


@cache
def scheduler() -> str:
    """The address of two workers of this machine."""
    import atexit

    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, memory_limit="2GiB", host="127.0.0.1", dashboard_address="127.0.0.1:0"
    )
    atexit.register(cluster.close)
    return str(cluster.scheduler_address)


def fitted(name: str, model: Any, graph: sc.Graph, folder: Path, address: Callable[[], str] = scheduler) -> Any:
    """A model fitted by an engine. What lies on disk goes to a file: the smallest limit leaves no room for it."""
    kind, _, setting = name.partition(" ")
    if kind == "disk":
        limit = smallest_limit(model, graph) if setting == "smallest" else setting
        return model.set_params(engine=sc.Disk(memory_limit=limit)).fit(graph, output=folder / "z.npy")
    if kind == "dask":
        return model.set_params(engine=sc.Dask(address(), plan=setting, blocks=9)).fit(graph)
    return model.set_params(engine=sc.Memory(device="cpu", n_jobs=2 if setting else 1)).fit(graph)


def smallest_limit(model: Any, graph: sc.Graph) -> str:
    """The limit that the error for too small a one names."""
    try:
        model.set_params(engine=sc.Disk(memory_limit="1MiB")).fit(graph)
    except sc.InputError as error:
        words = str(error)
    found = re.search(r"at least (\d[\d.]*) ([MG]iB)", words)
    if found is None:
        raise RuntimeError(f"no limit is named: {words}")
    return "".join(found.groups())


def choices(model: Any) -> dict[str, Any]:
    """What was chosen, by name: equal for two engines."""
    recipe = model.recipe_
    return {
        "weighting": recipe.weighting.name,
        "column weights": None if recipe.weighting.columns is None else recipe.weighting.columns.tolist(),
        "filters": recipe.filters,
        "channels": recipe.channels,
        "columns of channels": model.channels_,
        "columns": model.embedding_.shape[1],
        "reasons": [(reason.topic, reason.channel, reason.chosen, reason.because) for reason in recipe.reasons],
        "doubt": [note.partition(":")[0] for note in model.history_.notes if note.startswith("The features hardly")],
    }


def compare(model: Any, expected: Any) -> dict[str, Any]:
    """A fit against memory's: the choices that differ, the columns, and the largest difference beside the largest number."""
    own, other = choices(expected), choices(model)
    differing = [name for name in own if own[name] != other[name]]
    Z, reference = np.asarray(model.embedding_), np.asarray(expected.embedding_)
    size = float(np.abs(reference).max())
    same_shape = Z.shape == reference.shape
    products = reference @ reference.T
    return {
        "columns": int(Z.shape[1]),
        "differing": differing,
        "difference": float(np.abs(Z - reference).max()) / size if same_shape else None,
        "of products": float(np.abs(Z @ Z.T - products).max() / np.abs(products).max()),
    }


def is_same(point: dict[str, Any]) -> bool:
    return not point["differing"] and point["difference"] is not None and point["difference"] <= TOLERANCE


def measure(case: tuple[str, str], engines: list[str], folder: Path) -> dict[str, Any]:
    graph, make = load(case[0], folder), MODELS[case[1]]
    expected = fitted(MEMORY, make(), graph, folder)
    points = {MEMORY: compare(expected, expected)}
    for name in engines:
        if name != MEMORY:
            model = fitted(name, make(), graph, folder)
            points[name] = compare(model, expected)
            if isinstance(model.engine, sc.Disk):
                points[name]["limit"] = model.engine.memory_limit
            print(" ".join(case), name, points[name], flush=True)
    return points


def tables(points: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for case, engines in points.items():
        for name, point in engines.items():
            limit = f" ({point['limit']})" if name == "disk smallest" else ""
            rows.append(
                [
                    case,
                    name + limit,
                    point["columns"],
                    ", ".join(point["differing"]) or "same",
                    "" if point["difference"] is None else f"{point['difference']:.1e}",
                    f"{point['of products']:.1e}",
                    is_same(point),
                ]
            )
    columns = ["graph and model", "engine", "columns", "choices", "largest difference", "of inner products", "same"]
    return [{"caption": "Fits by every engine beside memory's on one thread", "columns": columns, "rows": rows}]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", default=",".join(" ".join(case) for case in CASES))
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--fresh", action="store_true", help="forget what was measured before")
    arguments = parser.parse_args()
    points = {} if arguments.fresh else read_points(NAME)
    known = {" ".join(case): case for case in CASES}
    with tempfile.TemporaryDirectory() as folder:
        for case in arguments.cases.split(","):
            points[case] = points.get(case, {}) | measure(known[case], arguments.engines.split(","), Path(folder))
            write_results(
                NAME,
                title="One answer by every engine",
                about="Every engine, memory limit, plan and number of threads against memory on one thread: the choices, "
                "the columns, and the largest difference of two embeddings beside the largest number.",
                command="OMP_NUM_THREADS=1 python benchmarks/compare_engines.py",
                tables=tables(points),
                notes=[f"Same: no choice differs, and no number by more than {TOLERANCE:g} of the largest."],
                points=points,
            )


if __name__ == "__main__":
    main()

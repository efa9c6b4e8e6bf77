"""A short use of everything the core promises, for an environment that has nothing but the installed package.

    python release/smoke.py FOLDER

Each step has an answer to compare with; the first that is wrong ends the run. `--without-torch` leaves out what needs torch:
for versions of Python that torch could not be had for.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

import sparsecut as sc


def read_and_write(folder: Path) -> None:
    """A table of people and their messages, in and out again."""
    (folder / "edges.csv").write_text("source,target\n" + "\n".join(f"p{i},p{(i + 1) % 40}" for i in range(40)))
    (folder / "people.csv").write_text(
        "id,age,town\n" + "\n".join(f"p{i},{20 + i},{'Oslo' if i % 2 else 'Lima'}" for i in range(40))
    )
    graph = sc.read_graph(folder / "edges.csv", features=folder / "people.csv")
    assert (graph.n_nodes, graph.n_edges) == (40, 40)
    vectors = np.random.default_rng(0).normal(size=(40, 6)).astype(np.float32)
    for suffix in ("parquet", "npz", "npy", "csv"):
        sc.write_embedding(folder / f"z.{suffix}", vectors, graph.node_ids)
        back, ids = sc.read_embedding(folder / f"z.{suffix}")
        assert np.allclose(back, vectors, atol=1e-6)
        assert list(ids) == list(graph.node_ids)
    assert list(sc.Neighbors(vectors, graph.node_ids).query("p3", k=1).ids.ravel()) != ["p3"]


def score() -> None:
    """The probe on features that tell the classes nearly apart."""
    graph = sc.datasets.load("digits")
    assert sc.evaluate(graph.features, graph.labels, per_class=20, n_splits=3).mean > 85


def cut() -> None:
    """Two cliques joined by one edge: cut there."""
    pairs = [(i, j) for side in (0, 8) for i in range(side, side + 8) for j in range(i + 1, side + 8)]
    found = sc.sparsest_cut(sc.from_edges(np.array([*pairs, (0, 8)])))
    assert abs(found.value - 16 / 64) < 1e-9


def embed(folder: Path) -> None:
    """The default, the paper's loop and the disk engine; saved, loaded, applied to a part of the graph."""
    graph = sc.datasets.load("digits")
    model = sc.SCE()
    Z = model.fit_transform(graph)
    assert sc.evaluate(Z, graph.labels, per_class=20, n_splits=3).mean > 93
    assert model.explain()
    model.save(folder / "model.safetensors")
    again = sc.load(folder / "model.safetensors").transform(graph)
    assert np.allclose(again, Z, atol=1e-4)
    on_disk = sc.SCE(engine=sc.Disk(memory_limit="2GiB")).fit(graph, output=folder / "disk.npy").embedding_
    assert np.allclose(on_disk[:50] @ on_disk[:50].T, Z[:50] @ Z[:50].T, rtol=1e-2, atol=1e-2)
    trained = sc.MoSCE(solver=sc.Adam(epochs=5)).fit_transform(graph)
    assert np.isfinite(trained).all()
    sc.report(Z, folder / "report.html", graph=graph, model=model)
    assert "</html>" in (folder / "report.html").read_text("utf-8")


def call_commands(folder: Path) -> None:
    """The program, as a shell calls it."""
    run = [sys.executable, "-m", "sparsecut"]
    assert "embed" in subprocess.run([*run, "--help"], capture_output=True, text=True, check=True).stdout
    subprocess.run([*run, "embed", "digits", "--quiet", "-o", "z.parquet"], cwd=folder, check=True)
    command = [*run, "evaluate", "z.parquet", "--labels", "digits", "--splits", "3", "--per-class", "20", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)


def main() -> None:
    folder = Path(sys.argv[1])
    (folder / "files").mkdir()
    (folder / "shell").mkdir()
    read_and_write(folder / "files")
    score()
    cut()
    if "--without-torch" not in sys.argv:
        embed(folder)
        call_commands(folder / "shell")
    print("all steps gave what they should")


if __name__ == "__main__":
    main()

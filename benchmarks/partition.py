"""Cuts beside what people cut graphs with: the sparsest cut, k parts, a tree, time and scale.

    python benchmarks/partition.py [--graphs "airfoil1;4elt"] [--methods METIS;...] [--force] [--time] [--scale] [--trees]

Every method runs in a process of its own with one thread and is stopped after some time; what it had found by then counts.
A peer is asked for 2 to 16 parts and for as many as there are classes (clusterings choose themselves), and each of its parts
is a cut it found: its sparsest is what `sparsest_cut` is compared with. Points are saved and not run again without --force.
--time measures `sparsest_cut` by the clock on a machine that does nothing else, --scale a million nodes and ten million
edges, --trees hierarchies of up to 100,000 nodes and a million edges.
"""

from __future__ import annotations

import argparse
import fcntl
import functools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from partition_peers import BY_PARTS, BY_THEMSELVES
from peak import PEAK, mebibytes, reset_peak
from results_file import read_points, write_results
from sparsecut import Graph, datasets, hierarchy, partition, read_graph, sparsest_cut

NAME = "partition"
FILES = ("airfoil1", "fe_4elt2", "4elt", "power", "hep-th", "PGPgiantcompo", "polblogs")
NAMED = ("cora", "pubmed", "amazon_photo", "facebook")
PLANTED = {"planted, 2 parts": (2, 7, 1), "planted, 8 parts": (8, 10, 3)}  # parts, edges per node inside, and to anywhere
GRAPHS = (*FILES, *NAMED, *PLANTED)
TREES = ("airfoil1", "power", "polblogs", "cora")  # n − 1 cuts each: graphs of some thousand nodes
TREE_SIZES = (100_000, 25_000)
PACKAGES = ("pymetis", "kahip", "kaminpar", "leidenalg", "networkit", "scikit-network")
PARTS = (2, 3, 4, 6, 8, 12, 16)
LIMIT = 20  # CPU seconds of a peer's process
OUR_LIMIT = 120  # of ours, which makes several partitions in one
SECONDS = 2.0  # the goal for 10,000 nodes
PEERS = (*BY_PARTS, *BY_THEMSELVES)
OURS = ("sparsest_cut", "partition", "partition, both", "hierarchy")


@functools.cache
def load(name: str) -> Graph:
    """The largest component of a graph."""
    if name in PLANTED:
        graph = planted(10_000, *PLANTED[name])
    elif name in FILES:
        graph = read_graph(Path(os.environ["SPARSECUT_DATA"]) / "partition" / f"{name}.graph")
    else:
        graph = datasets.load(name)
    _, component = connected_components(graph.adjacency)
    return graph.subgraph(positions=np.flatnonzero(component == np.argmax(np.bincount(component))))


def planted(n: int, parts: int, inside: float, across: float) -> Graph:
    random = np.random.default_rng(0)
    labels = np.arange(n) % parts
    one = random.integers(0, n, int(n * inside / 2))
    other = random.integers(0, n // parts, len(one)) * parts + labels[one]
    far = random.integers(0, n, (2, int(n * across / 2)))
    rows, columns = np.concatenate([one, far[0]]), np.concatenate([other, far[1]])
    kept = rows != columns
    A = sp.csr_array((np.ones(kept.sum(), np.float32), (rows[kept], columns[kept])), shape=(n, n))
    A = sp.csr_array(A.maximum(A.T))
    A.data[:] = 1
    return Graph(A, labels=labels)


def n_classes(graph: Graph) -> int:
    return 8 if graph.labels is None else len(np.unique(graph.labels))


def measure(graph: Graph, parts: Any) -> dict[str, Any]:
    """What a partition is worth, all of it counted here."""
    A, n = sp.csr_array(graph.adjacency, dtype=np.float64), graph.n_nodes
    members = np.unique(parts, return_inverse=True)[1]
    count = int(members.max()) + 1
    rows, columns = np.repeat(members, np.diff(A.indptr)), members[A.indices]
    sizes, volumes = np.bincount(members), np.bincount(rows, A.data, count)
    within = np.bincount(rows, np.where(rows == columns, A.data, 0), count)
    total, cuts = volumes.sum(), volumes - within
    if count > 1:
        ratios = n * cuts / (sizes * (n - sizes))
        conductances = cuts / np.minimum(volumes, total - volumes)
    nmi = None
    if graph.labels is not None:
        from sklearn.metrics import normalized_mutual_info_score

        nmi = float(normalized_mutual_info_score(graph.labels, members))
    return {
        "n_parts": count,
        "ratio": float(ratios.min()) if count > 1 else None,
        "conductance": float(conductances.min()) if count > 1 else None,
        "cut": float(cuts.sum() / 2),
        "largest": float(sizes.max() * count / n),
        "modularity": float((within / total - (volumes / total) ** 2).sum()),
        "nmi": nmi,
    }


def run(graph_name: str, method: str) -> None:
    """One method on one graph in this process: a line of JSON for each thing asked of it."""
    graph = load(graph_name)
    count = n_classes(graph)
    if method == "sparsest_cut":
        for objective in ("ratio", "conductance"):
            started, clock = cpu_seconds(), time.perf_counter()
            found = sparsest_cut(graph, objective=objective)
            point = {"asked": objective, "value": found.value, "lower_bound": found.lower_bound, "share": found.share}
            point |= {"source": found.source, "estimate": found.estimate, **measure(graph, found.side)}
            _tell(point, started, clock)
    elif method == "hierarchy":
        started, clock = cpu_seconds(), time.perf_counter()
        tree = hierarchy(graph)
        _tell({"asked": count, "cost": tree.cost, **measure(graph, tree.cut(parts=count))}, started, clock)
    else:
        asked = sorted({*PARTS, count}) if method in BY_PARTS else [count]
        for parts in asked:
            started, clock = cpu_seconds(), time.perf_counter()
            members = _peer(graph, method, parts) if method not in OURS else _ours(graph, method, parts)
            _tell({"asked": parts, **measure(graph, members)}, started, clock)


def _ours(graph: Graph, method: str, parts: int) -> Any:
    return partition(graph, parts, use="both" if "both" in method else "structure").parts


def _peer(graph: Graph, method: str, parts: int) -> Any:
    A = graph.adjacency  # a copy that may be written to: some of them insist
    A = sp.csr_array((A.data.copy(), A.indices.copy(), A.indptr.copy()), shape=A.shape)
    return {**BY_PARTS, **BY_THEMSELVES}[method](A, parts)


def cpu_seconds() -> float:
    """CPU seconds of this process and of those it has waited for."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _tell(point: dict[str, Any], started: float, clock: float) -> None:
    times = {"seconds": round(cpu_seconds() - started, 3), "clock": round(time.perf_counter() - clock, 3)}
    print(json.dumps({**point, **times}), flush=True)


def run_alone(*task: str, limit: int) -> list[dict[str, Any]]:
    """The same in a process of its own: what it told before it ended or was stopped after so many CPU seconds."""
    command = [sys.executable, __file__, "--run", *task]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            ["prlimit", f"--cpu={limit}", *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=1800,
            env=environment,
        )
        told, end = done.stdout, (done.stderr.strip().splitlines() or [f"ended {done.returncode}"])[-1]
        failed = f"failed: {end[:160]}" if done.returncode else None
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            failed = f"stopped after {limit} s"
    except subprocess.TimeoutExpired as stopped:
        told, failed = (stopped.stdout or b"").decode(), "stopped after 1,800 s by the clock"
    points = [json.loads(line) for line in told.splitlines() if line.startswith("{")]
    return [*points, {"failed": failed}] if failed else points


def large(kind: str, n: int) -> Graph:
    """A graph of n nodes and ten times as many edges: sixteen planted groups, or a mesh (n is a square)."""
    random = np.random.default_rng(0)
    if kind == "planted":
        one = random.integers(0, n, 10 * n)
        near = random.integers(0, n // 16, len(one)) * 16 + one % 16
        other = np.where(random.random(len(one)) < 0.85, near, random.integers(0, n, len(one)))
    else:
        width = round(n**0.5)
        n = width * width
        place = np.arange(n).reshape(width, width)
        steps = [(0, 1), (1, 0), (1, 1), (1, -1), (0, 2), (2, 0), (2, 1), (1, 2), (2, -1), (1, -2)]
        pairs = [
            (place[: width - a, max(0, -b) : width - max(0, b)], place[a:, max(0, b) : width + min(0, b)]) for a, b in steps
        ]
        one, other = (np.concatenate([pair[side].ravel() for pair in pairs]) for side in (0, 1))
    A = sp.csr_array((np.ones(len(one), np.float32), (one.astype(np.int32), other.astype(np.int32))), shape=(n, n))
    del one, other
    A = sp.csr_array(A.maximum(A.T))
    A.setdiag(0)
    A.eliminate_zeros()
    A.data[:] = 1
    return Graph.from_canonical(A, node_ids=np.arange(n))


def scale(kind: str) -> dict[str, Any]:
    """A cut of a million nodes; edges are drawn before memory is counted."""
    graph = large(kind, 1_000_000)
    reset_peak()
    clock, started = time.perf_counter(), cpu_seconds()
    found = sparsest_cut(graph, objective="conductance")
    return {
        "n_edges": graph.n_edges,
        "clock": time.perf_counter() - clock,
        "seconds": cpu_seconds() - started,
        "peak_mebibytes": mebibytes(PEAK),
        "child_mebibytes": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "value": found.value,
        "lower_bound": found.lower_bound,
        "estimate": found.estimate,
        "share": found.share,
    }


def tree(kind: str, n_nodes: str) -> dict[str, Any]:
    """A hierarchy of the edges, or of an embedding alone: as many clouds as groups, each a vector and noise."""
    graph = large("planted" if kind == "embedding" else kind, int(n_nodes))
    options: dict[str, Any] = {}
    if kind == "embedding":
        random = np.random.default_rng(1)
        centres = random.normal(size=(64, 32))
        Z = centres[random.integers(0, 64, graph.n_nodes)] + 0.5 * random.normal(size=(graph.n_nodes, 32))
        options = {"use": "embedding", "embedding": Z}
    hierarchy(load("power"))  # loads what the first call loads
    clock, started = time.perf_counter(), cpu_seconds()
    found = hierarchy(graph, **options)
    times = {"seconds": cpu_seconds() - started, "clock": time.perf_counter() - clock}
    return {"n_nodes": graph.n_nodes, "n_edges": graph.n_edges, "cost": found.cost, **times}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=";".join(GRAPHS), help="between semicolons")
    parser.add_argument("--methods", default=";".join((*OURS, *PEERS)), help="between semicolons")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--time", action="store_true", help="only the clock of sparsest_cut")
    parser.add_argument("--scale", action="store_true", help="only a million nodes")
    parser.add_argument("--trees", action="store_true", help="only hierarchies of up to 100,000 nodes")
    parser.add_argument("--run", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        if arguments.run[0] == "scale":
            print(json.dumps(scale(arguments.run[1])))
        elif arguments.run[0] == "time":
            print(json.dumps(clocks(arguments.run[1])))
        elif arguments.run[0] == "tree":
            print(json.dumps(tree(*arguments.run[1:])))
        else:
            run(*arguments.run)
        return
    points = read_points(NAME)
    if arguments.scale:
        tasks = [("scale", kind) for kind in ("planted", "mesh")]
    elif arguments.trees:
        tasks = [("tree", kind, str(n)) for n in TREE_SIZES for kind in ("planted", "mesh", "embedding")]
    elif arguments.time:
        tasks = [("time", graph) for graph in arguments.graphs.split(";")]
    else:
        tasks = [(graph, method) for graph in arguments.graphs.split(";") for method in arguments.methods.split(";")]
        tasks = [task for task in tasks if "both" not in task[1] or task[0] in NAMED]
        tasks = [task for task in tasks if task[1] != "hierarchy" or task[0] in TREES]
    for task in tasks:
        key = ", ".join(task)
        if key not in points or arguments.force:
            told = run_alone(
                *task, limit=580 if task[0] in ("scale", "tree") else OUR_LIMIT if task[-1] not in PEERS else LIMIT
            )
            print(key, told[-1:], flush=True)
            points = add(key, told)
    save(points)


def add(key: str, told: list[dict[str, Any]]) -> dict[str, Any]:
    """Save one more point; another run, on other graphs, may have saved some meanwhile."""
    with Path(__file__).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        points = {**read_points(NAME), key: told}
        save(points)
    return points


def clocks(graph_name: str) -> dict[str, Any]:
    """Seconds by the clock of both objectives, imports and a first small cut left out; the best of three."""
    graph, small = load(graph_name), load("cora")
    sparsest_cut(small)
    found: dict[str, Any] = {"n_nodes": graph.n_nodes, "n_edges": graph.n_edges}
    for objective in ("ratio", "conductance"):
        times = []
        for _ in range(3):
            clock = time.perf_counter()
            sparsest_cut(graph, objective=objective)
            times.append(time.perf_counter() - clock)
        found[objective] = min(times)
    return found


def save(points: dict[str, Any]) -> None:
    from partition_tables import tables_of

    write_results(
        NAME,
        title="Cuts and partitions",
        about="`sparsest_cut`, `partition` and `hierarchy` beside METIS, KaHIP, KaMinPar, spectral clusterings, Louvain "
        "and Leiden, on the largest component of each graph. Every method has a process and one thread of its own and is "
        f"stopped after {LIMIT} s of CPU time (ours, making several partitions, after {OUR_LIMIT} s); what it had found by "
        "then counts. Every part of every partition a peer made is a cut it found.",
        command="python benchmarks/partition.py",
        tables=tables_of(points, GRAPHS),
        notes=[
            "Seconds beside other methods are CPU seconds of one thread, measured while other work ran on the machine; "
            "those of the time table are by the clock, with `--time`. The tables of large graphs, with `--scale` and "
            "`--trees`, have both: other work ran on the machine, which the clock counts too.",
            "leidenalg and igraph are GPL and development dependencies alone: the library never imports them.",
            "φ′ alone favours tiny sets where a graph has leaves: on the planted graphs the sparsest cut by φ′ is one node "
            "of degree 1 or 2, and conductance finds the planted parts. `balance=` asks for larger sets.",
        ],
        points=points,
        environment={"threads": 1, **{package: version(package) for package in PACKAGES}},
    )


if __name__ == "__main__":
    main()

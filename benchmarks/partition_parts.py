"""k parts at 3 % beside the partitioners people use, and the Walshaw archive's own halves at 5 %.

    python benchmarks/partition_parts.py [--graphs "airfoil1;4elt"] [--methods "METIS;partition"] [--force] [--draw]

Every method has a process of its own for each graph, with one thread; its seconds are CPU seconds, those of processes it
starts included. A first call on a small graph, which loads libraries, is not counted. Of the archive's graphs the cut of our
two parts and our sparsest cuts stand beside those of the archive's partition. Points are saved and not run again without
--force; --draw only draws the pictures from them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from partition import FILES, cpu_seconds, load, planted
from partition_peers import BY_PARTS, IMBALANCE
from partition_pictures import PICTURE, draw_pictures
from results_file import read_points, write_results
from sparsecut import Graph, partition, read_graph, sparsest_cut

NAME = "partition_parts"
ARCHIVE = ("add20", "data", "uk", "cti", "t60k", "vibrobox")
GRAPHS = (*FILES, *ARCHIVE)
PARTS = (2, 4, 8, 16, 32)
PEERS = ("METIS", "KaMinPar", "KaHIP strong")
OURS = ("partition", "partition, fast")
PACKAGES = ("mtkahypar", "pymetis", "kahip", "kaminpar")
LIMIT = 400  # CPU seconds of a process
ARCHIVE_IMBALANCE = 0.05


def graph_of(name: str) -> Graph:
    if name in FILES:
        return load(name)
    return read_graph(Path(os.environ["SPARSECUT_DATA"]) / "walshaw" / f"{name}.graph.gz")


def parts_by(method: str, graph: Graph, count: int) -> Any:
    if method in OURS:
        return partition(graph, count, imbalance=IMBALANCE, effort="fast" if "fast" in method else "usual").parts
    A = graph.adjacency
    return BY_PARTS[method](sp.csr_array((A.data.copy(), A.indices.copy(), A.indptr.copy()), shape=A.shape), count)


def run(name: str, method: str) -> None:
    """One method on one graph in this process: a line of JSON for each number of parts."""
    graph = graph_of(name)
    if method == "archive":
        print(json.dumps(beside_the_archive(name, graph)), flush=True)
        return
    parts_by(method, planted(400, 2, 8, 1), 2)
    for count in PARTS:
        started, clock = cpu_seconds(), time.perf_counter()
        members = parts_by(method, graph, count)
        times = {"seconds": round(cpu_seconds() - started, 4), "clock": round(time.perf_counter() - clock, 4)}
        cut = cut_of(graph, members)
        largest = float(np.bincount(members).max() / -(-graph.n_nodes // count))
        print(json.dumps({"asked": count, "cut": cut, "largest": largest, **times}), flush=True)


def cut_of(graph: Graph, members: Any) -> float:
    A = graph.adjacency
    return float(A.data[np.repeat(members, np.diff(A.indptr)) != np.asarray(members)[A.indices]].sum() / 2)


def beside_the_archive(name: str, graph: Graph) -> dict[str, Any]:
    path = Path(os.environ["SPARSECUT_DATA"]) / "walshaw" / f"{name}.2.ptn.gz"
    with gzip.open(path, "rt") as lines:
        side = np.loadtxt(lines, dtype=np.int64).astype(bool)
    degrees, cut = np.diff(graph.adjacency.indptr), cut_of(graph, side.astype(np.int64))
    found = partition(graph, 2, imbalance=ARCHIVE_IMBALANCE, effort="best")
    return {
        "archive": {
            "cut": cut,
            "ratio": graph.n_nodes * cut / (side.sum() * (~side).sum()),
            "conductance": cut / min(degrees[side].sum(), degrees[~side].sum()),
        },
        "ours": {
            "cut": found.cut,
            **{word: sparsest_cut(graph, objective=word).value for word in ("ratio", "conductance")},
        },
    }


def run_alone(*task: str) -> list[dict[str, Any]]:
    """The same in a process of its own: what it printed before it ended or was stopped."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = ["prlimit", f"--cpu={LIMIT}", sys.executable, __file__, "--run", *task]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
    points = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode:
        is_late = done.returncode in (-signal.SIGXCPU, -signal.SIGKILL)
        points.append({"failed": f"stopped after {LIMIT} s" if is_late else f"ended {done.returncode}"})
    return points


def tables_of(points: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[list[Any]] = []
    archive: list[list[Any]] = []
    for name in GRAPHS:
        told = {
            method: {point["asked"]: point for point in points.get(f"{name}, {method}", []) if "asked" in point}
            for method in (*OURS, *PEERS)
        }
        for count in PARTS:
            found = {method: told[method].get(count) for method in told}
            ours, strong, metis, fast = (found[one] for one in ("partition", "KaHIP strong", "METIS", "partition, fast"))
            peers = [found[peer]["cut"] for peer in PEERS if found[peer]]
            if ours is None or not peers:
                continue
            times = [one[word] if one else None for one in (ours, strong) for word in ("clock", "seconds")]
            times += [one["seconds"] if one else None for one in (fast, metis)]
            cuts = [int(found[method]["cut"]) if found[method] else None for method in ("partition", *PEERS)]
            rows.append([name, count, *cuts, *times, ours["cut"] <= min(peers)])
        for point in points.get(f"{name}, archive", []):
            for word, title in (("cut", "two parts, 5 %: cut"), ("ratio", "φ′"), ("conductance", "conductance")):
                ours, theirs = point["ours"][word], point["archive"][word]
                archive.append([name, title, theirs, ours, ours <= theirs * (1 + 1e-9)])
    times_of = ["clock", "seconds", "KaHIP strong, clock", "KaHIP strong, seconds", "fast, seconds", "METIS, seconds"]
    return [
        {
            "caption": "Edges cut by k parts, none heavier than 1.03 times the equal share. Met: no peer cuts fewer.",
            "columns": ["graph", "parts", "sparsecut", *PEERS, *times_of, "met"],
            "rows": rows,
        },
        {
            "caption": "Beside the partitions of the Walshaw archive: the cut of our two parts at the same balance, and our "
            "sparsest cuts. Met: none of the archive's is sparser.",
            "columns": ["graph", "of", "archive", "sparsecut", "met"],
            "rows": archive,
        },
    ]


def save(points: dict[str, Any]) -> None:
    tables = tables_of(points)
    rows = [dict(zip(tables[0]["columns"], row, strict=True)) for row in tables[0]["rows"]]
    timed = [row for row in rows if row["KaHIP strong, seconds"]]
    ours, theirs = (sum(row[word] for row in timed) for word in ("seconds", "KaHIP strong, seconds"))
    n_met, n_quick = sum(row["met"] for row in rows), sum(row["seconds"] <= row["KaHIP strong, seconds"] for row in timed)
    write_results(
        NAME,
        title="k parts of equal size",
        about=f"No peer cuts fewer edges on {n_met} of {len(rows)}. On the {len(timed)} where KaHIP strong was measured it "
        f"took {theirs:.0f} CPU seconds in all, `partition` {ours:.0f}, and no more on {n_quick}. {PICTURE}",
        command="python benchmarks/partition_parts.py",
        tables=tables,
        notes=[
            "Seconds are CPU seconds, those of the process that `partition` starts included. The clock also counts other "
            "work that ran on the machine.",
            "`partition` takes the best of several seeds of Mt-KaHyPar and of what these agree on (extra `cuts`); on meshes "
            'it takes KaHIP strong itself, or METIS. `effort="fast"` is METIS; the archive stands beside `effort="best"`.',
        ],
        points=points,
        environment={"threads": 1, **{package: version(package) for package in PACKAGES}},
    )
    draw_pictures(tables[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=";".join(GRAPHS), help="between semicolons")
    parser.add_argument("--methods", default=";".join((*PEERS, *OURS, "archive")), help="between semicolons")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--draw", action="store_true", help="only the pictures")
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run(*arguments.run)
        return
    points = read_points(NAME)
    if arguments.draw:
        draw_pictures(tables_of(points)[0])
        return
    for name in arguments.graphs.split(";"):
        for method in arguments.methods.split(";"):
            key = f"{name}, {method}"
            is_asked = method != "archive" or name in ARCHIVE
            if is_asked and (key not in points or arguments.force):
                points[key] = run_alone(name, method)
                print(key, points[key][-1:], flush=True)
                save(points)


if __name__ == "__main__":
    main()

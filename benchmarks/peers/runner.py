"""The command line of `python benchmarks/peers`: cell by cell, saved as each ends, not run again without --force.

--time measures seconds and memory of the cells that are there again, and leaves their accuracies as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from peers.measure import measure, measure_alone
from peers.methods import METHODS
from peers.page import MORE_GRAPHS, NAME, PAGE_GRAPHS, save
from peers.scores import check, score
from results_file import read_points
from sparsecut import datasets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join((*PAGE_GRAPHS, *MORE_GRAPHS)))
    parser.add_argument("--methods", default=";".join(METHODS), help="between semicolons")
    parser.add_argument("--force", action="store_true", help="run again what is there")
    parser.add_argument("--time", action="store_true", help="measure only seconds and memory again")
    parser.add_argument("--fit", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # a run that is stopped stops the process it waits for
    if arguments.fit:
        graph_name, method, folder = arguments.fit
        print(json.dumps(measure(graph_name, method, Path(folder))))
        return
    asked = arguments.methods.split(";")
    unknown = [method for method in asked if method not in METHODS]
    if unknown:
        sys.exit(f"There is no method {', '.join(unknown)}. There are: {'; '.join(METHODS)}.")
    for graph_name in arguments.graphs.split(","):
        for method in asked:
            key = f"{graph_name}, {method}"
            known = read_points(NAME).get(key)
            if arguments.time and (known is None or "failed" in known):
                continue
            if known is not None and not (arguments.force or arguments.time):
                continue
            point = run_cell(graph_name, method, {} if known is None else known, is_timed_only=arguments.time)
            print(f"{key}: {json.dumps(point)}", flush=True)
            save({**read_points(NAME), key: point})
    save(read_points(NAME))  # where nothing is left to run, the tables are drawn again


def run_cell(graph_name: str, method: str, known: dict[str, Any], *, is_timed_only: bool) -> dict[str, Any]:
    """One method on one graph; where only time is asked for, the known accuracies stay."""
    measured, embeddings = measure_alone(graph_name, method)
    if "failed" in measured:
        return {**known, **measured} if is_timed_only else measured
    measured["threads"] = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
    if is_timed_only:
        return {**known, **measured}
    graph = datasets.load(graph_name)
    return {
        **measured,
        "accuracy": score(graph, graph_name, embeddings),
        "check": check(graph, graph_name, method, embeddings[0]),
    }

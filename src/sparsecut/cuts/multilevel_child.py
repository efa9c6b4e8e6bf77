"""Mt-KaHyPar and KaHIP in a process of their own: a graph and tasks from standard input, parts to standard output.

`multilevel.py` starts it. Mt-KaHyPar keeps state between calls, so that what a seed gives depends on the calls before it; in
a new process and with one thread it does not. Only the standard library is imported beside it: starting takes 50 ms.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from typing import Any

MAX_CYCLES = 3  # V-cycles of one partition: coarsened within its parts, and improved on the way back up


def main() -> None:
    """Answer one request: the best partition of every task, as 32-bit integers, one after the other."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints is no answer
    sys.path.extend(sys.argv[1:])
    import mtkahypar

    request = json.loads(sys.stdin.buffer.readline())
    rows, columns, edge_weights = (_numbers(request["n_edges"]) for _ in range(3))
    node_weights, fixed = (_numbers(request["n_nodes"]) for _ in range(2))
    edges = list(zip(rows, columns, strict=True))
    library = mtkahypar.initialize(1, False)
    for task in request["tasks"]:
        context = library.context_from_preset(getattr(mtkahypar.PresetType, task["preset"]))
        context.set_partitioning_parameters(task["parts"], task["imbalance"], mtkahypar.Objective.CUT)
        context.logging = False
        graph = library.create_graph(context, len(node_weights), len(edges), edges, node_weights, edge_weights)
        if max(fixed) >= 0:
            graph.add_fixed_vertices(fixed, task["parts"])
        found = []
        if task["with_kahip"]:
            parts = _strong(edges, edge_weights, node_weights, task)
            found.append(graph.create_partitioned_hypergraph(context, task["parts"], parts))
        for seed in task["seeds"]:
            mtkahypar.set_seed(seed)
            found.append(graph.partition(context))
        found.sort(key=lambda one: _rank(one, context, task))
        for one in found[: task["n_improved"]]:
            before = None
            for _ in range(MAX_CYCLES):
                if before == one.cut():
                    break
                before = one.cut()
                one.improve_partition(context, 1)
        best = min(found, key=lambda one: _rank(one, context, task))
        answer.write(array("i", best.get_partition()).tobytes())
        answer.flush()


def _strong(edges: list[tuple[int, int]], edge_weights: list[int], node_weights: list[int], task: dict[str, Any]) -> Any:
    """The parts of KaHIP's "strong" configuration."""
    import kahip

    lists: list[list[tuple[int, int]]] = [[] for _ in node_weights]
    for (one, other), weight in zip(edges, edge_weights, strict=True):
        lists[one].append((other, weight))
        lists[other].append((one, weight))
    ends, neighbours, weights = [0], [], []
    for entries in lists:
        entries.sort()
        neighbours += [entry[0] for entry in entries]
        weights += [entry[1] for entry in entries]
        ends.append(len(neighbours))
    count, imbalance, seed = task["parts"], task["imbalance"], task["kahip_seed"]
    return kahip.kaffpa(node_weights, ends, weights, neighbours, count, imbalance, True, seed, kahip.STRONG)[1]


def _rank(partitioned: Any, context: Any, task: dict[str, Any]) -> tuple[bool, int]:
    return partitioned.imbalance(context) > task["imbalance"], partitioned.cut()


def _numbers(count: int) -> list[int]:
    found = array("i")
    found.frombytes(sys.stdin.buffer.read(count * found.itemsize))
    return found.tolist()


if __name__ == "__main__":
    main()

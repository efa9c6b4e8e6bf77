"""Mt-KaHyPar and KaHIP in a process of their own: a graph and tasks from standard input, parts to standard output.

`multilevel.py` starts it. Mt-KaHyPar keeps state between calls, so that what a seed gives depends on the calls before it; in
a new process and with one thread it does not. Only the standard library is imported beside it: starting takes 50 ms.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from typing import Any, NamedTuple

MAX_CYCLES = 3  # V-cycles of one partition: coarsened within its parts, and improved on the way back up
N_COMBINED = 4  # partitions, at most, that are combined
N_ROUNDS, N_TRIES = 2, 3  # of combining, and partitions made in each


def main() -> None:
    """Answer one request: the best partition of every task, as 32-bit integers, one after the other."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints is no answer
    sys.path.extend(sys.argv[1:])
    import mtkahypar

    request = json.loads(sys.stdin.buffer.readline())
    rows, columns, edge_weights = (_numbers(request["n_edges"]) for _ in range(3))
    node_weights, fixed = (_numbers(request["n_nodes"]) for _ in range(2))
    csr = [_numbers(count) for count in request["csr"]]  # ends of lists, neighbours, weights: for KaHIP alone
    graph = WholeGraph(list(zip(rows, columns, strict=True)), edge_weights, node_weights, fixed)
    library = mtkahypar.initialize(1, False)
    for task in request["tasks"]:
        partitioner = Partitioner(mtkahypar, library, task)
        answer.write(array("i", partitioner.solve(graph, csr).get_partition()).tobytes())
        answer.flush()


class WholeGraph(NamedTuple):
    """Edges as pairs, weights as whole numbers, and the part of every node that must be in one (or -1)."""

    edges: list[tuple[int, int]]
    edge_weights: list[int]
    node_weights: list[int]
    fixed: list[int]


class Partitioner:
    """One task: partitions of several seeds, improved and combined where the task says so."""

    def __init__(self, module: Any, library: Any, task: dict[str, Any]) -> None:
        self.module, self.library, self.task = module, library, task
        self.context = library.context_from_preset(getattr(module.PresetType, task["preset"]))
        self.context.set_partitioning_parameters(task["parts"], task["imbalance"], module.Objective.CUT)
        self.context.logging = False

    def solve(self, graph: WholeGraph, csr: list[list[int]]) -> Any:
        """The best partition found."""
        ours = self.create(graph)
        found = [self.partition(ours, seed) for seed in self.task["seeds"]]
        if self.task["kahip_seed"] is not None:
            found.append(self.given(ours, _strong(csr, graph.node_weights, self.task)))
        if self.task["is_improved"]:
            for one in found:
                self.improve(one)
            for _ in range(N_ROUNDS):
                found = sorted(found, key=self.rank)[:N_COMBINED]
                found += self.combined(graph, ours, found)
        return min(found, key=self.rank)

    def combined(self, graph: WholeGraph, ours: Any, found: list[Any]) -> list[Any]:
        """New partitions of what several agree on: nodes that share their part in all of them become one node."""
        keys = list(zip(graph.fixed, *(one.get_partition() for one in found), strict=True))
        numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        if len(found) < 2 or len(numbers) <= self.task["parts"]:  # there is nothing to choose between
            return []
        groups = [numbers[key] for key in keys]
        edges: dict[tuple[int, int], int] = {}
        for (one, other), weight in zip(graph.edges, graph.edge_weights, strict=True):
            pair = (groups[one], groups[other])
            if pair[0] != pair[1]:
                pair = pair if pair[0] < pair[1] else pair[::-1]
                edges[pair] = edges.get(pair, 0) + weight
        weights = [0] * len(numbers)
        for group, weight in zip(groups, graph.node_weights, strict=True):
            weights[group] += weight
        small = self.create(WholeGraph(list(edges), list(edges.values()), weights, [key[0] for key in numbers]))
        made = []
        for seed in range(N_TRIES):
            parts = self.partition(small, self.task["seeds"][0] + seed if self.task["seeds"] else seed).get_partition()
            made.append(self.given(ours, [parts[group] for group in groups]))
            made[-1].improve_partition(self.context, 1)
        return made

    def create(self, graph: WholeGraph) -> Any:
        """The graph as the library has it."""
        weights = (graph.node_weights, graph.edge_weights)
        made = self.library.create_graph(self.context, len(graph.node_weights), len(graph.edges), graph.edges, *weights)
        if max(graph.fixed) >= 0:
            made.add_fixed_vertices(graph.fixed, self.task["parts"])
        return made

    def partition(self, graph: Any, seed: int) -> Any:
        self.module.set_seed(seed)
        return graph.partition(self.context)

    def given(self, graph: Any, parts: list[int]) -> Any:
        return graph.create_partitioned_hypergraph(self.context, self.task["parts"], parts)

    def improve(self, one: Any) -> None:
        before = None
        for _ in range(MAX_CYCLES):
            if before == one.cut():
                break
            before = one.cut()
            one.improve_partition(self.context, 1)

    def rank(self, one: Any) -> tuple[bool, int]:
        return one.imbalance(self.context) > self.task["imbalance"], one.cut()


def _strong(csr: list[list[int]], node_weights: list[int], task: dict[str, Any]) -> Any:
    """The parts of KaHIP's "strong" configuration."""
    import kahip

    ends, neighbours, weights = csr
    count, imbalance, seed = task["parts"], task["imbalance"], task["kahip_seed"]
    return kahip.kaffpa(node_weights, ends, weights, neighbours, count, imbalance, True, seed, kahip.STRONG)[1]


def _numbers(count: int) -> list[int]:
    found = array("i")
    found.frombytes(sys.stdin.buffer.read(count * found.itemsize))
    return found.tolist()


if __name__ == "__main__":
    main()

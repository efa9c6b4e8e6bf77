"""A library in a process of its own: a graph and what is asked of it come in, parts go out.

`multilevel.py` starts it. Mt-KaHyPar keeps state between calls, so that what a seed gives depends on the calls before it; in
a new process and with one thread it does not. KaHIP and METIS look for no interrupt, and a process can be ended. Only the
standard library is imported beside them: starting takes 50 ms.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections.abc import Callable
from typing import Any, NamedTuple

N_COMBINED = 4  # partitions, at most, that are combined
MAX_IDLE = 2  # rounds of combining, one after the other, that find nothing better


def main() -> None:
    """Answer one request: partitions as 32-bit integers, one after the other."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what the library prints is no answer
    sys.path.extend(sys.argv[1:])
    request = json.loads(sys.stdin.buffer.readline())
    if request["library"] == "mtkahypar":
        _answer_tasks(request, answer)
    else:
        sizes = (request["n_nodes"] + 1, request["n_entries"], request["n_entries"], request["n_nodes"])
        graph = SentGraph(*(_read(size) for size in sizes))
        answer.write(array("i", CALLS[request["library"]](graph, *request["asked"])).tobytes())
    answer.flush()


def _answer_tasks(request: dict[str, Any], answer: Any) -> None:
    """The best partition of every task."""
    import mtkahypar

    rows, columns, edge_weights = (_numbers(request["n_edges"]) for _ in range(3))
    node_weights, fixed = (_numbers(request["n_nodes"]) for _ in range(2))
    starts = [_numbers(request["n_nodes"]) for _ in range(request["n_starts"])]
    graph = WholeGraph(list(zip(rows, columns, strict=True)), edge_weights, node_weights, fixed)
    library = mtkahypar.initialize(1, False)
    for task in request["tasks"]:
        partitioner = Partitioner(mtkahypar, library, task)
        answer.write(array("i", partitioner.solve(graph, starts).get_partition()).tobytes())
        answer.flush()


class SentGraph(NamedTuple):
    """A graph as lists of neighbours: where each node's begin, their weights as whole numbers, and those of the nodes."""

    starts: Any
    neighbours: Any
    edge_weights: Any
    node_weights: Any


def call_kahip(graph: SentGraph, parts: int, imbalance: float, seed: int) -> Any:
    """KaHIP's "strong" configuration."""
    import kahip

    starts, neighbours, edges, nodes = (list(numbers) for numbers in graph)
    return kahip.kaffpa(nodes, starts, edges, neighbours, parts, imbalance, True, seed, kahip.STRONG)[1]


def call_metis(graph: SentGraph, parts: int, imbalance: float, seed: int) -> Any:
    """METIS, which splits recursively up to eight parts."""
    import numpy as np
    import pymetis

    starts, neighbours, edges, nodes = (np.asarray(numbers, dtype=np.int32) for numbers in graph)
    return pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(starts, neighbours),
        vweights=None if (nodes == 1).all() else nodes,
        eweights=None if (edges == 1).all() else edges,
        options=pymetis.Options(ufactor=max(int(1000 * imbalance), 1), seed=seed),
    )[1]


CALLS: dict[str, Callable[..., Any]] = {"kahip": call_kahip, "pymetis": call_metis}


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

    def solve(self, graph: WholeGraph, starts: list[list[int]]) -> Any:
        """The best partition found. It is combined with others until that has improved nothing MAX_IDLE times."""
        task, ours = self.task, self.create(graph)
        found = [self.improved(self.partition(ours, seed), task["n_cycles"]) for seed in task["seeds"]]
        found += [self.improved(self.given(ours, parts), max(task["n_cycles"], 1)) for parts in starts]
        n_idle = 0
        for number in range(task["n_rounds"]):
            found = sorted(found, key=self.rank)[:N_COMBINED]
            made = self.combined(graph, ours, found, number)
            is_better = any(self.rank(one) < self.rank(found[0]) for one in made)
            n_idle = 0 if is_better else n_idle + 1
            found += made
            if not made or n_idle == MAX_IDLE:
                break
        return min(found, key=self.rank)

    def combined(self, graph: WholeGraph, ours: Any, found: list[Any], number: int) -> list[Any]:
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
        made, first = [], min(self.task["seeds"], default=0) + number * self.task["n_tries"]
        for seed in range(first, first + self.task["n_tries"]):
            parts = self.partition(small, seed).get_partition()
            made.append(self.improved(self.given(ours, [parts[group] for group in groups]), 1))
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

    def improved(self, one: Any, n_cycles: int) -> Any:
        """After V-cycles: coarsened within its parts, and improved on the way back up."""
        before = None
        for _ in range(n_cycles):
            if before == one.cut():
                break
            before = one.cut()
            one.improve_partition(self.context, 1)
        return one

    def rank(self, one: Any) -> tuple[bool, int]:
        return one.imbalance(self.context) > self.task["imbalance"], one.cut()


def _numbers(count: int) -> list[int]:
    return _read(count).tolist()


def _read(count: int) -> array[int]:
    found = array("i")
    found.frombytes(sys.stdin.buffer.read(count * found.itemsize))
    return found


if __name__ == "__main__":
    main()

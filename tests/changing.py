"""A graph that changes, as plain dictionaries, and random batches of changes: the oracle of updates."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.graph import Graph

Batch = dict[str, Any]


class Shadow:
    """Nodes with their rows and edges with their weights, changed one by one; an undirected edge is stored once."""

    def __init__(self, graph: Graph) -> None:
        features = graph.features.toarray() if sp.issparse(graph.features) else np.asarray(graph.features)
        ids = graph.node_ids.tolist()
        self.is_directed, self.is_sparse = graph.is_directed, sp.issparse(graph.features)
        self.nodes = dict(zip(ids, features, strict=True))
        matrix = graph.adjacency.tocoo()
        self.edges = {
            self.key(ids[i], ids[j]): float(weight) for i, j, weight in zip(*matrix.coords, matrix.data, strict=True)
        }

    def key(self, source: Any, target: Any) -> tuple[Any, Any]:
        return (source, target) if self.is_directed or source <= target else (target, source)

    def apply(self, batch: Batch) -> None:
        for edge in batch.get("edges_removed", ()):
            del self.edges[self.key(*edge)]
        for node in batch.get("nodes_removed", ()):
            del self.nodes[node]
            self.edges = {ends: weight for ends, weight in self.edges.items() if node not in ends}
        self.nodes.update(batch.get("nodes_added", {}))
        for name in ("edges_added", "weights_changed"):
            for source, target, weight in batch.get(name, ()):
                self.edges[self.key(source, target)] = weight
        self.nodes.update(batch.get("features_changed", {}))

    def graph(self) -> Graph:
        place = {node: number for number, node in enumerate(self.nodes)}
        dense = np.zeros((len(place), len(place)), dtype=np.float32)
        for (source, target), weight in self.edges.items():
            dense[place[source], place[target]] = weight
            if not self.is_directed:
                dense[place[target], place[source]] = weight
        features = np.array(list(self.nodes.values()), dtype=np.float32)
        return Graph(
            sp.csr_array(dense),
            features=sp.csr_array(features) if self.is_sparse else features,
            node_ids=list(self.nodes),
            directed="out" if self.is_directed else "symmetrize",
        )

    def random_batch(self, generator: np.random.Generator, most: int = 4) -> Batch:
        """Some of every change; edges of one node in ten are all removed, so that isolated nodes appear."""

        def some(values: list[Any]) -> list[Any]:
            n_taken = min(len(values), int(generator.integers(0, most + 1)))
            return [values[number] for number in generator.permutation(len(values))[:n_taken]]

        n_features = len(next(iter(self.nodes.values())))

        def row() -> np.ndarray:
            dense = generator.normal(size=n_features).astype(np.float32)
            return dense * (generator.random(n_features) < 0.3) if self.is_sparse else dense

        def weight() -> float:
            return float(np.float32(generator.uniform(0.1, 3)))

        removed = some(list(self.edges))
        if generator.random() < 0.1:
            lonely = some(list(self.nodes))[:1]
            removed = list(dict.fromkeys([*removed, *(edge for edge in self.edges if set(lonely) & set(edge))]))
        gone = some(list(self.nodes))[: max(0, len(self.nodes) - 4)] if generator.random() < 0.5 else []
        first = max((node for node in self.nodes if isinstance(node, int)), default=0) + 1
        names = range(first, first + int(generator.integers(0, most))) if generator.random() < 0.5 else ()
        as_id = int if isinstance(next(iter(self.nodes)), int) else lambda number: f"new{generator.integers(10**9)}"
        added = {as_id(name): row() for name in names}
        if gone and generator.random() < 0.3:
            added[gone[0]] = row()  # goes and comes again
        there = [node for node in self.nodes if node not in gone] + list(added)
        left = {edge for edge in self.edges if edge not in removed and not set(edge) & set(gone)}
        edges = {}
        for _ in range(int(generator.integers(0, 2 * most))):
            source, target = (there[number] for number in generator.integers(0, len(there), 2))
            if source != target and self.key(source, target) not in left:
                edges[self.key(source, target)] = weight()
        return {
            "edges_removed": removed,
            "nodes_removed": gone,
            "nodes_added": added,
            "edges_added": [(*ends, value) for ends, value in edges.items()],
            "weights_changed": [(*ends, weight()) for ends in some(sorted(left))],
            "features_changed": {node: row() for node in some(there)},
        }


def distance(Z: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance of two rows, in units of the rows' length (root mean square, centred)."""
    length = np.sqrt(np.square(exact - exact.mean(axis=0)).sum(axis=1).mean())
    return float(np.linalg.norm(Z.astype(np.float64) - exact, axis=1).max() / length)

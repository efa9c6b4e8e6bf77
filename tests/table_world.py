"""A graph with a table, held as dictionaries and changed one by one, and the embedding of it from dense matrices.

Tables have every kind of column that people have, and nodes every kind of id. The dense model knows nothing of files,
frames, orders and updates: it takes the weights that a model was fitted with, and the dictionaries as they are.
"""

from __future__ import annotations

import copy
import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reference import dense_propagation, dense_table, dense_weighting
from sparsecut import SCE, Average, Graph, Heat, Lazy, MoSCE, PageRank, Power, Symmetric
from sparsecut.operators.filters import Filter

CITIES = ("Bern", "Doha", "Kyiv", "Lima", "Oslo", "Rome")
TAGS = ("big", "new", "old", "red", "été")
KINDS = ("number", "heavy", "gaps", "constant", "count", "word", "words with gaps", "mark", "date", "list")
MODELS: tuple[SCE | MoSCE, ...] = (
    SCE(),
    SCE(weighting="none"),
    SCE(weighting="l2"),
    SCE(weighting="tf-idf", filter=Power(order=2)),
    SCE(filter=Symmetric(order=2), dimension=4),
    SCE(filter=Lazy(order=3)),
    SCE(filter=PageRank(restart=0.1)),
    SCE(filter=PageRank(restart=0.2, normalization="symmetric", order=4), dimension=12),
    SCE(filter=Heat(time=1.0, order=4)),
    SCE(filter=Average(order=3)),
    SCE(channels=("own", "smoothed")),
    SCE(channels={"own": 0.5, "neighbors": 1.0, "difference": 0.2}, dimension=10),
    MoSCE(levels=2),
)
# Ids as people have them, by the number of a node. 100,003 is a prime number: no id comes twice.
IDS: dict[str, Callable[[int], int | str]] = {
    "0, 1, 2": lambda number: number,
    "1, 2, 3": lambda number: number + 1,
    "sparse": lambda number: 10**9 + (number * 4523) % 100_003 * 37,
    "long": lambda number: 2**62 + number * 2**40 + 1,
    "negative": lambda number: 3 - 7 * number,
    "words": lambda number: f"n{number}",
    "names": lambda number: f"Zoë {number * 37 % 100_003}, Jr.",
    "words of digits": lambda number: str(number * 37 % 100_003),
    "007": lambda number: f"{number * 37 % 100_003:04d}",
}
ROUNDING = 64 * 2.0**-24  # of the numbers that a row is the sum of
ALL_CHANGES = ("edges", "weights", "features", "nodes")
Row = dict[str, Any]


def draw_value(kind: str, generator: np.random.Generator) -> Any:
    if kind == "constant":
        return 3.0
    if kind == "word" or kind.startswith("words"):
        is_gap = kind != "word" and generator.random() < 0.2
        return None if is_gap else CITIES[generator.integers(len(CITIES))]
    if kind == "mark":
        return bool(generator.random() < 0.3)
    if kind == "date":
        return datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(
            days=int(generator.integers(900))
        )
    if kind == "count":
        return int(generator.integers(0, 9))
    if kind == "heavy":
        return float(np.exp(3 * generator.normal()))
    if kind == "list":
        return None if generator.random() < 0.1 else [tag for tag in TAGS if generator.random() < 0.4]
    is_gap = kind == "gaps" and generator.random() < 0.3
    return None if is_gap else float(generator.normal(40, 12))


class World:
    """A graph and its table as dictionaries, changed one by one."""

    def __init__(
        self,
        seed: int,
        kinds: list[str],
        n_nodes: int,
        *,
        is_directed: bool,
        is_weighted: bool,
        id_of: Callable[[int], Any] = int,
    ) -> None:
        self.generator, self.is_directed, self.is_weighted = np.random.default_rng(seed), is_directed, is_weighted
        self.kinds = {f"{kind} {number}": kind for number, kind in enumerate(kinds)}
        self.id_of, self.n_made = id_of, n_nodes
        self.nodes = {id_of(node): self.row() for node in range(n_nodes)}
        self.edges: dict[tuple[Any, Any], float] = {}
        group = 6  # islands of six, so that some of the graph is never reached
        for _ in range(n_nodes):
            first = group * int(self.generator.integers(n_nodes // group))
            source, target = (first + self.generator.choice(group, 2, replace=False)).tolist()
            self.edges[self.key(id_of(source), id_of(target))] = self.weight()
        self.was_fitted(list(self.kinds))

    def was_fitted(self, columns: list[str]) -> None:
        """A model was fitted on the table as it is, its columns in this order."""
        self.encoded = {name: self.columns()[name] for name in columns}  # what the encoding learned from
        self.was_refitted()

    def was_refitted(self) -> None:
        """A model was fitted again on what it had encoded."""
        self.fitted = self.columns()

    def copy(self) -> World:
        return copy.deepcopy(self)

    def row(self) -> Row:
        return {name: draw_value(kind, self.generator) for name, kind in self.kinds.items()}

    def key(self, source: Any, target: Any) -> tuple[Any, Any]:
        return (source, target) if self.is_directed or source < target else (target, source)

    def weight(self) -> float:
        return float(np.float32(self.generator.uniform(0.2, 5))) if self.is_weighted else 1.0

    def rename(self, names: dict[Any, Any]) -> None:
        """The nodes are called something else; nothing else changes."""
        self.nodes = {names[node]: row for node, row in self.nodes.items()}
        self.edges = {self.key(names[one], names[other]): weight for (one, other), weight in self.edges.items()}

    def columns(self) -> dict[str, list[Any]]:
        return {name: [row[name] for row in self.nodes.values()] for name in self.kinds}

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame({name: series(values) for name, values in self.columns().items()})

    def edges_as_told(self, ends: tuple[Any, Any], generator: np.random.Generator) -> tuple[Any, Any, float]:
        """An edge with its weight; one without a direction from either end."""
        is_turned = not self.is_directed and generator.random() < 0.5
        return (*(ends[::-1] if is_turned else ends), self.edges[ends])

    def adjacency(self) -> np.ndarray:
        place = {node: number for number, node in enumerate(self.nodes)}
        dense = np.zeros((len(place), len(place)))
        for (source, target), weight in self.edges.items():
            dense[place[source], place[target]] = weight
            if not self.is_directed:
                dense[place[target], place[source]] = weight
        return dense

    @property
    def direction(self) -> str:
        return "out" if self.is_directed else "symmetrize"

    def graph(self) -> Graph:
        A = sp.csr_array(self.adjacency())
        return Graph(A, features=self.frame(), node_ids=list(self.nodes), directed=self.direction)

    def change(self, most: int, what: tuple[str, ...] = ALL_CHANGES) -> dict[str, Any]:
        """A batch of changes, made here; the arguments of `update`."""
        generator = self.generator

        def some(values: list[Any], of: str) -> list[Any]:
            n_taken = int(generator.integers(0, min(most, len(values)) + 1))
            return [values[number] for number in generator.permutation(len(values))[:n_taken]] if of in what else []

        removed, gone = some(list(self.edges), "edges"), some(list(self.nodes), "nodes")[: len(self.nodes) // 4]
        self.edges = {
            ends: weight for ends, weight in self.edges.items() if ends not in removed and not set(ends) & set(gone)
        }
        self.nodes = {node: row for node, row in self.nodes.items() if node not in gone}
        left = list(self.edges)
        n_added = int(generator.integers(0, most + 1)) if "nodes" in what else 0
        added = {self.id_of(self.n_made + number): self.row() for number in range(n_added)}
        self.n_made += len(added)
        self.nodes |= added
        changed: dict[Any, Row] = {}
        for node in some(list(self.nodes), "features"):  # some of the columns, or all
            names = some(list(self.kinds), "features") or list(self.kinds)
            changed[node] = {name: draw_value(self.kinds[name], generator) for name in names}
        new, nodes = {}, list(self.nodes)
        for _ in range(int(generator.integers(0, 2 * most + 1)) if "edges" in what else 0):
            source, target = (nodes[number] for number in generator.choice(len(nodes), 2, replace=False))
            if self.key(source, target) not in self.edges:
                new[self.key(source, target)] = self.weight()
        weights = [(*ends, self.weight()) for ends in some(left, "weights")] if self.is_weighted else []
        self.edges |= new | {(source, target): weight for source, target, weight in weights}
        added = {node: dict(row) for node, row in added.items()}
        for node, row in changed.items():
            self.nodes[node] = {**self.nodes[node], **row}
        return {
            "edges_removed": removed,
            "nodes_removed": gone,
            "nodes_added": added,
            "edges_added": [(*ends, weight) for ends, weight in new.items()],
            "weights_changed": weights,
            "features_changed": changed,
        }

    def spoil(self, share: float = 0.1) -> dict[Any, Row]:
        """Words that were not fitted, and gaps in any column: `features_changed` of `update`."""
        changed: dict[Any, Row] = {}
        for node, row in self.nodes.items():
            for name, kind in self.kinds.items():
                if self.generator.random() < share:
                    unheard = "Ulm" if "word" in kind else ["unheard", "red"] if kind == "list" else None
                    value = None if self.generator.random() < 0.5 else unheard
                    changed.setdefault(node, {})[name] = value
            self.nodes[node] = {**row, **changed.get(node, {})}
        return changed


def series(values: list[Any]) -> pd.Series:
    known = next((value for value in values if value is not None), None)
    return pd.Series(values, dtype=object if isinstance(known, str | list) else None)


def dense_matrix(filter: Filter, A: np.ndarray) -> np.ndarray:
    is_symmetric = isinstance(filter, Symmetric) or getattr(filter, "normalization", "") == "symmetric"
    return dense_propagation(A, "lazy" if isinstance(filter, Lazy) else "symmetric" if is_symmetric else "row")


def dense_levels(model: Any, world: World) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """S of every level from its definition, and the size of the numbers that each row of S·W is the sum of."""
    F, A = dense_table(world.encoded, world.columns()), world.adjacency()
    X = dense_weighting(model.recipe_.weighting.name, dense_table(world.encoded, world.fitted), F)
    levels, sizes = [], []
    features, graph = X, world.graph()
    for source, filter, W in zip(model.recipe_.sources, model.recipe_.filters, model.weights_, strict=True):
        # What the graph brings by itself has tests of its own against dense definitions.
        X = features if source == "features" else model.columns_.whole(source, graph).astype(np.float64)
        coefficients = filter.on(is_directed=world.is_directed).coefficients()
        P, S, size = dense_matrix(filter, A), np.zeros_like(X), np.zeros(len(X))
        term, terms_size = X, np.abs(X) @ np.linalg.norm(W, axis=1)
        for coefficient in coefficients:
            S, size = S + coefficient * term, size + abs(coefficient) * terms_size
            term, terms_size = P @ term, np.abs(P) @ terms_size
        levels.append(S)
        sizes.append(size)
    return levels, sizes


def dense_embedding(model: Any, world: World) -> tuple[np.ndarray, np.ndarray]:
    levels, sizes = dense_levels(model, world)
    parts = [S @ W.astype(np.float64) for S, W in zip(levels, model.weights_, strict=True)]
    Z = np.mean(parts, axis=0) if model.recipe_.aggregation == "mean" else np.concatenate(parts, axis=1)
    return Z - model.offset_, np.linalg.norm(sizes, axis=0) + np.linalg.norm(model.offset_)

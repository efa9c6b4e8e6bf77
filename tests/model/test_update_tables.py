"""`update` at tolerance 0 is `transform`, and both are the dense matrices, whatever kinds of columns a table has.

Tables of numbers (heavy-tailed, constant, with gaps), words, truth values and dates; every filter and channel; batches of
one change and of most of the graph; any sequence of changes. What may differ is rounding, in each row its own share.
"""

from __future__ import annotations

import datetime
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reference import dense_drift, dense_propagation, dense_table, dense_weighting
from sparsecut import SCE, Average, Graph, Heat, Lazy, MoSCE, PageRank, Power, Symmetric
from sparsecut.errors import DimensionWarning, NewValuesWarning
from sparsecut.operators.filters import Filter

CITIES = ("Bern", "Doha", "Kyiv", "Lima", "Oslo", "Rome")
KINDS = ("number", "heavy", "gaps", "constant", "count", "word", "words with gaps", "mark", "date")
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
ROUNDING = 64 * 2.0**-24  # of the numbers that a row is the sum of
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
    is_gap = kind == "gaps" and generator.random() < 0.3
    return None if is_gap else float(generator.normal(40, 12))


class World:
    """A graph and its table as dictionaries, changed one by one."""

    def __init__(self, seed: int, kinds: list[str], n_nodes: int, *, is_directed: bool, is_weighted: bool) -> None:
        self.generator, self.is_directed, self.is_weighted = np.random.default_rng(seed), is_directed, is_weighted
        self.kinds = {f"{kind} {number}": kind for number, kind in enumerate(kinds)}
        self.nodes = {node: self.row() for node in range(n_nodes)}
        self.edges: dict[tuple[int, int], float] = {}
        group = 6  # islands of six, so that some of the graph is never reached
        for _ in range(n_nodes):
            first = group * int(self.generator.integers(n_nodes // group))
            self.join(*(first + self.generator.choice(group, 2, replace=False)))
        self.fitted = self.columns()
        self.n_made = n_nodes

    def row(self) -> Row:
        return {name: draw_value(kind, self.generator) for name, kind in self.kinds.items()}

    def key(self, source: int, target: int) -> tuple[int, int]:
        source, target = int(source), int(target)
        return (source, target) if self.is_directed or source < target else (target, source)

    def weight(self) -> float:
        return float(np.float32(self.generator.uniform(0.2, 5))) if self.is_weighted else 1.0

    def join(self, source: int, target: int) -> None:
        self.edges[self.key(source, target)] = self.weight()

    def columns(self) -> dict[str, list[Any]]:
        return {name: [row[name] for row in self.nodes.values()] for name in self.kinds}

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame({name: pd.Series(values, dtype=_dtype(values)) for name, values in self.columns().items()})

    def adjacency(self) -> np.ndarray:
        place = {node: number for number, node in enumerate(self.nodes)}
        dense = np.zeros((len(place), len(place)))
        for (source, target), weight in self.edges.items():
            dense[place[source], place[target]] = weight
            if not self.is_directed:
                dense[place[target], place[source]] = weight
        return dense

    def graph(self) -> Graph:
        direction = "out" if self.is_directed else "symmetrize"
        return Graph(sp.csr_array(self.adjacency()), features=self.frame(), node_ids=list(self.nodes), directed=direction)

    def change(self, most: int) -> dict[str, Any]:
        """A batch of changes, made here; the arguments of `update`."""
        generator = self.generator

        def some(values: list[Any]) -> list[Any]:
            n_taken = int(generator.integers(0, min(most, len(values)) + 1))
            return [values[number] for number in generator.permutation(len(values))[:n_taken]]

        removed, gone = some(list(self.edges)), some(list(self.nodes))[: len(self.nodes) // 4]
        self.edges = {
            ends: weight for ends, weight in self.edges.items() if ends not in removed and not set(ends) & set(gone)
        }
        self.nodes = {node: row for node, row in self.nodes.items() if node not in gone}
        left = list(self.edges)
        added = {self.n_made + number: self.row() for number in range(int(generator.integers(0, most + 1)))}
        self.n_made += len(added)
        self.nodes |= added
        changed: dict[int, Row] = {}
        for node in some(list(self.nodes)):  # some of the columns, or all
            names = some(list(self.kinds)) or list(self.kinds)
            changed[node] = {name: draw_value(self.kinds[name], generator) for name in names}
        new = {}
        for _ in range(int(generator.integers(0, 2 * most + 1))):
            source, target = generator.choice(list(self.nodes), 2, replace=False)
            if self.key(source, target) not in self.edges:
                new[self.key(source, target)] = self.weight()
        weights = [(*ends, self.weight()) for ends in some(left)] if self.is_weighted else []
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


def _dtype(values: list[Any]) -> Any:
    known = next((value for value in values if value is not None), None)
    return object if isinstance(known, str) else None


def dense_matrix(filter: Filter, A: np.ndarray) -> np.ndarray:
    is_symmetric = isinstance(filter, Symmetric) or getattr(filter, "normalization", "") == "symmetric"
    return dense_propagation(A, "lazy" if isinstance(filter, Lazy) else "symmetric" if is_symmetric else "row")


def dense_levels(model: Any, world: World) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """S of every level from its definition, and the size of the numbers that each row of S·W is the sum of."""
    F, A = dense_table(world.fitted, world.columns()), world.adjacency()
    X = dense_weighting(model.recipe_.weighting.name, dense_table(world.fitted, world.fitted), F)
    levels, sizes = [], []
    for filter, W in zip(model.recipe_.filters, model.weights_, strict=True):
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


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    model=st.sampled_from(MODELS),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
    n_nodes=st.sampled_from([24, 60, 180]),
    is_directed=st.booleans(),
    is_weighted=st.booleans(),
    sizes=st.lists(st.sampled_from([1, 3, 40]), min_size=1, max_size=6),
)
def test_an_update_is_transform_and_both_are_the_dense_matrices(
    seed: int, model: Any, kinds: list[str], n_nodes: int, is_directed: bool, is_weighted: bool, sizes: list[int]
) -> None:
    world = World(seed, [*kinds, "number"], n_nodes, is_directed=is_directed, is_weighted=is_weighted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DimensionWarning)
        model.fit(world.graph())
    before = dict(zip(world.nodes, model.embedding_, strict=True))
    for most in sizes:
        batch = world.change(most)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewValuesWarning)  # gaps in a column that had none
            ids, rows = model.update(**batch, tolerance=0)
            transformed = model.transform(world.graph())
        Z = model.embedding_
        assert model.graph_.node_ids.tolist() == list(world.nodes)
        exact, size = dense_embedding(model, world)
        assert (np.linalg.norm(Z - exact, axis=1) <= ROUNDING * size).all()
        assert (np.linalg.norm(transformed - exact, axis=1) <= ROUNDING * size).all()
        now = dict(zip(world.nodes, Z, strict=True))
        assert all(np.array_equal(now[node], row) for node, row in zip(ids.tolist(), rows, strict=True))
        assert all(np.array_equal(now[node], before[node]) for node in set(now) - set(ids.tolist()))
        before = now


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=5),
    filter=st.sampled_from([Power(order=0), Power(order=2), PageRank(restart=0.3)]),
    dimension=st.sampled_from(["auto", 3, 12]),
    tolerance=st.sampled_from([0.0, 1e-3]),
)
def test_the_drift_of_a_table_is_the_distance_of_two_closed_forms(
    seed: int, kinds: list[str], filter: Filter, dimension: Any, tolerance: float
) -> None:
    """Sixteen columns beside the weights' are all there are: the number is that of dense closed forms before and after."""
    world = World(seed, [*kinds, "number", "words with gaps"], 120, is_directed=False, is_weighted=False)
    model: Any = SCE(filter=filter, weighting="none", channels="smoothed", dimension=dimension)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DimensionWarning)
        model.fit(world.graph())
    before = dense_levels(model, world)[0][0]
    width = model.weights_[0].shape[1]
    assume(len(model.weights_[0]) <= width + 16)
    for most in (2, 30):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewValuesWarning)
            model.update(**world.change(most), tolerance=tolerance)
        expected = dense_drift(before, dense_levels(model, world)[0][0], width, 16.0)
        assert model.span_drift_ == pytest.approx(expected, rel=0.02, abs=max(10 * tolerance, 1e-3))


def test_the_reported_case() -> None:
    """2,000 nodes in groups of six, an age and one of six cities; 150 edges more, and then two nodes of a new city."""
    generator, n_nodes = np.random.default_rng(0), 2000
    frame = pd.DataFrame({"age": generator.integers(18, 90, n_nodes), "city": generator.choice(CITIES, n_nodes)})
    edges: set[tuple[int, int]] = set()
    while len(edges) < 1543:
        first = 6 * int(generator.integers(n_nodes // 6))
        source, target = sorted((first + generator.choice(6, 2, replace=False)).tolist())
        edges.add((source, target))
    rows, columns = np.array(sorted(edges)).T
    half = sp.coo_array((np.ones(1543), (rows, columns)), shape=(n_nodes, n_nodes))
    model = SCE().fit(Graph((half + half.T).tocsr(), features=frame))
    new = {tuple(sorted(generator.choice(n_nodes, 2, replace=False).tolist())) for _ in range(150)} - edges
    changed = model.update(edges_added=sorted(new), tolerance=0)
    assert "computed for the whole graph" in changed.notes[0]
    exact = model.transform(model.graph_)
    assert np.abs(model.embedding_ - exact).max() < 1e-5
    with pytest.warns(NewValuesWarning):
        model.update(nodes_added={5000: {"age": 30, "city": "Paris"}, 5001: {"age": 40, "city": "Oslo"}})
    assert 0 < model.span_drift_ < 0.1

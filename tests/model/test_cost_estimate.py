"""Costs before a run: the passes counted against those of a real fit, and what fits."""

from __future__ import annotations

from typing import Any

import pytest

import sparsecut as sc
from conftest import random_graph
from disk_cases import community_graph
from sparsecut.engines import MemoryEngine
from sparsecut.engines.costs import Machine
from sparsecut.model import cost_estimate as module
from sparsecut.model.cost_estimate import in_time, outlook, workload
from typed_graphs import typed_graph


@pytest.mark.parametrize(
    "model", [sc.SCE(filter="power"), sc.SCE(filter=sc.Heat(time=1.0, order=4)), sc.MoSCE(levels=3)], ids=repr
)
def test_the_hops_counted_are_the_hops_taken(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, taken = community_graph(300, 20), []
    smooth = MemoryEngine.smooth

    def counted(self: Any, rows: Any, polynomial: Any, *, lazily: bool = False) -> Any:
        taken.append(rows.shape[1] * (len(polynomial) - 1))
        return smooth(self, rows, polynomial, lazily=lazily)

    monkeypatch.setattr(MemoryEngine, "smooth", counted)
    model.fit(graph)
    assert workload(graph, model).hop_columns == sum(taken)


def test_the_engine_that_fits_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Machine(gathers=1e9, products=1e10, disk=1e9, memory=8 << 30, room=1 << 40, n_cores=4)
    monkeypatch.setattr(module, "measure_machine", lambda n_nodes: slow)
    small, large = ({"n_nodes": n, "n_edges": 10 * n, "n_features": 64} for n in (10_000, 30_000_000))
    assert sc.estimate(small).best.engine == "memory"
    found = {cost.engine: cost for cost in sc.estimate(large, sc.SCE(engine=sc.Disk(memory_limit="6GiB")))}
    assert set(found) == {"memory", "disk", "dask"}
    assert not found["memory"].fits
    assert found["disk"].fits
    assert found["disk"].disk >= 2 * 4 * 30_000_000 * 64
    assert "Take engine='disk'" in str(sc.estimate(large, sc.SCE(engine=sc.Disk(memory_limit="6GiB"))))


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(sc.InputError, match="a mapping of n_nodes, n_edges, n_features"):
        sc.estimate({"n_nodes": 3})


def test_time_in_words() -> None:
    assert [in_time(seconds) for seconds in (3.21, 600, 90_000)] == ["3.2 s", "10 min", "25.0 h"]


@pytest.mark.parametrize("model", [sc.SCE(), sc.MoSCE(levels=3)], ids=repr)
def test_sizes_are_counted_as_the_graph_that_has_them(model: Any) -> None:
    """An undirected edge is two entries of the adjacency, whether the graph is there or only its sizes are."""
    graph = community_graph(300, 20)
    sizes = {"n_nodes": graph.n_nodes, "n_edges": graph.n_edges, "n_features": graph.n_features}
    assert workload(sizes, model).n_entries == graph.adjacency.nnz == 2 * graph.n_edges
    assert workload(sizes, model) == workload(graph, model)


def test_only_a_fit_that_may_take_long_is_estimated_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "measure_machine", lambda n_nodes: module.FASTEST)
    graph = community_graph(300, 20)
    assert outlook(graph, sc.SCE()) is None
    found = outlook(graph, sc.SCE(), least=0.0)
    assert found is not None
    assert {cost.engine for cost in found} == {"memory", "disk", "dask"}


def test_rows_are_as_wide_as_they_are_held() -> None:
    """Sparse features too wide for a matrix of their products are narrowed, a graph without features has 128 places."""
    wide = random_graph(400, 1500, is_sparse=True)
    work = workload(wide, sc.SCE())
    assert work.n_features == 128 + 32 + 16
    assert work.gram_columns >= work.n_features**2
    assert work.sparse_products % wide.features.nnz == 0
    bare = workload(sc.Graph(wide.adjacency), sc.SCE())
    assert (bare.n_features, bare.with_graph, bare.sparse_products) == (128, True, 0)


def test_many_hops_of_many_nodes_take_fewer_columns() -> None:
    """The width is that of `narrow`: half of the columns, and 16 probes."""
    few, many = ({"n_nodes": n, "n_edges": 20 * n, "n_features": 512} for n in (10_000, 1_000_000))
    assert workload(few, sc.SCE()).gram_columns >= 2 * 512**2
    assert workload(many, sc.SCE()).gram_columns == 2 * (256 + 16) ** 2  # of both channels
    assert workload(many, sc.SCE(filter="power")).gram_columns == 512**2


def test_types_of_edges_are_weighed() -> None:
    typed = typed_graph()
    assert typed.relations is not None
    assert workload(typed, sc.SCE()).n_relations == len(typed.relations.edge_types)
    assert workload(typed, sc.SCE(solver="adam")).n_relations == 0

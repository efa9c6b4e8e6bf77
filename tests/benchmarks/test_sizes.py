"""Slopes with their intervals by hand, the order of the fits that are compared, and the marks of both pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import at_sizes
from families import mesh, typed
from growth import family_tables_of, growth_of, key_of, sizes_of, spread, tables_of
from size_pictures import growth_slopes, quality_over_seconds

POINT = {"accuracy": 50.0, "processor_seconds": [2.0, 1.0], "seconds": [3.0], "columns": 8}


def grown(power: float, n_fits: int = 3) -> list[dict[str, Any]]:
    sizes = [10.0**exponent for exponent in (1, 1.5, 2, 2.5, 3)]
    return [{"edges": m, "seconds": [m**power] * n_fits, "peak_mebibytes": 5 * m} for m in sizes]


def test_slopes_of_a_power() -> None:
    """Without noise every interval is the slope itself."""
    time, half, last, low, high, memory, *_ = growth_of(grown(1.2), "edges")
    assert (time, half, last, low, high, memory) == (1.2, 0.0, 1.2, 1.2, 1.2, 1.0)


def test_a_fit_that_was_held_up_widens_the_interval_and_does_not_count() -> None:
    points = grown(1.0, n_fits=2)
    points[-1]["seconds"][1] *= 10  # the better of the two stays
    low, high = spread(points, "edges")
    assert low == pytest.approx(1.0)
    assert high == pytest.approx(2.0)  # a quarter of the resamples holds the slow fit alone: ten times in one decade
    assert growth_of(points, "edges")[2] == 1.0


def test_a_mesh_and_a_typed_graph_have_as_many_edges_as_asked() -> None:
    grid = mesh(180)
    assert (grid.n_nodes, grid.n_edges) == (81, 2 * 9 * 8)
    assert np.diff(grid.adjacency.indptr).max() == 4
    graph = typed(400)
    assert graph.relations is not None
    assert len(graph.relations.edge_types) == 2
    assert 350 < graph.n_edges <= 400


def test_ours_is_fitted_first_in_the_middle_and_last() -> None:
    order = at_sizes.order_of([at_sizes.OURS, *at_sizes.COMPARED])
    first, middle, last = (place for place, method in enumerate(order) if method == at_sizes.OURS)
    assert (first, last) == (0, len(order) - 1)
    assert abs(middle - last / 2) <= 1
    assert set(order) == {at_sizes.OURS, *at_sizes.COMPARED} <= set(at_sizes.ALL)


def test_what_would_take_too_long_is_left_out_by_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = {"pubmed": 100, at_sizes.MADE: 10_000}
    work = {name: type("Work", (), {"graph": type("Graph", (), {"n_nodes": n})}) for name, n in nodes.items()}
    monkeypatch.setattr(at_sizes, "work_of", work.__getitem__)
    points = {"pubmed, slow": {"processor_seconds": [2.0, 3.0]}, "pubmed, quick": {"processor_seconds": [0.1]}}
    points["pubmed, stopped"] = {"failed": "stopped after 150 s"}  # type: ignore[dict-item]
    found = {method: at_sizes.too_long(points, at_sizes.MADE, method) for method in ("slow", "quick", "stopped", "new")}
    assert found == {"slow": 200.0, "quick": None, "stopped": float("inf"), "new": None}
    assert at_sizes.too_long(points, "pubmed", "slow") is None


def test_a_table_says_what_was_stopped_and_what_was_left_out() -> None:
    points = {
        f"cora, {at_sizes.OURS}": POINT,
        "cora, ProNE": {"failed": "stopped after 150 s"},
        "cora, SlimG": {"left_out": 251.0},
    }
    rows = {row[0]: row[3:] for row in at_sizes.tables_of(points, {"cora, DGI": POINT})[0]["rows"]}
    assert rows == {
        "SCE()": ["50.0", 1.0, 8],
        "SlimG": [None, "about 251", None],
        "ProNE": [None, f"over {at_sizes.LIMIT}", None],
        "DGI, on a GPU": ["50.0", 3.0, 8],
    }


def test_every_accuracy_is_a_mark_and_what_failed_is_none() -> None:
    points = {
        f"cora, {at_sizes.OURS}": POINT,
        "cora, ProNE": {**POINT, "accuracy": 40.0},
        "cora, GSVD, 32 columns": {"failed": "-"},
    }
    drawn = quality_over_seconds(points, {"cora, DGI": POINT}).svg()
    assert "<title>cora, SCE(): 50.0 % in 1 s</title>" in drawn
    assert "<title>cora, DGI, GPU: 50.0 % in 3 s</title>" in drawn
    assert drawn.count("<title>cora, ") == 3


def test_every_slope_is_two_marks_for_time_and_two_for_memory() -> None:
    structure = {
        key_of(sizes): {**sizes, "nodes": 9, "entries": 9, "seconds": [1.0], "peak_mebibytes": 2.0}
        for sizes in sizes_of("mesh")
    }
    drawn = growth_slopes({"growth_structure": {"points": structure}}).svg()
    assert drawn.count("<title>mesh: ") == 4
    assert [row[0] for row in family_tables_of(structure)[0]["rows"]] == ["mesh"]
    assert tables_of({})[0]["rows"] == []

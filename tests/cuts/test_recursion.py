"""All cuts of a tree: SciPy's linkage with the value of every split, counted on the graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.cluster.hierarchy import is_valid_linkage

import sparsecut as sc
from cut_graphs import barbell, grid, planted
from sparsecut.cuts.cut_input import Material, material
from sparsecut.cuts.recursion import Speed, cut_down
from sparsecut.cuts.tree import dasgupta_cost


def silent(stage: str, done: int, total: int) -> None: ...


AS_LARGE = Speed(large_from=2, joined=12)
WITHOUT_METIS = Speed(large_from=2, joined=12, imbalances=())


def tree_of(graph: sc.Graph, speed: Speed = Speed()) -> tuple[np.ndarray, np.ndarray]:  # noqa: B008 - it is frozen
    return cut_down(material(graph, "structure", None, "test"), np.random.default_rng(0), silent, speed)


@pytest.mark.parametrize("speed", [Speed(), AS_LARGE, WITHOUT_METIS], ids=["small", "as a large one", "without METIS"])
@pytest.mark.parametrize("graph", [planted(80, 3, 6, 1, seed=2), grid(5, 7), barbell(8)], ids=["planted", "grid", "barbell"])
def test_every_row_states_the_value_of_its_split(graph: sc.Graph, speed: Speed) -> None:
    """Also where several small cuts were taken from one search: each is valued within the nodes that were left."""
    A = graph.adjacency.toarray()
    n = graph.n_nodes
    linkage, values = tree_of(graph, speed)
    assert is_valid_linkage(linkage)
    members = {node: [node] for node in range(n)}
    for row, (one, other, height, count) in enumerate(linkage):
        inside, rest = members[int(one)], members[int(other)]
        members[n + row] = inside + rest
        assert height == count == len(inside) + len(rest)
        assert values[row] == pytest.approx(count * A[np.ix_(inside, rest)].sum() / (len(inside) * len(rest)), abs=1e-9)


def test_components_are_split_first_and_for_nothing() -> None:
    linkage, values = tree_of(sc.Graph(sp.block_diag([np.ones((3, 3)), np.ones((4, 4)), np.ones((2, 2))])))
    assert values[-2:].tolist() == [0, 0]
    assert (values[:-2] > 0).all()
    assert linkage[-1, 3] == 9


def test_the_tree_of_a_large_graph_costs_little_more() -> None:
    graph = planted(400, 8, 8, 1, seed=0)
    slow, *quick = (dasgupta_cost(graph.adjacency, tree_of(graph, speed)[0]) for speed in (Speed(), AS_LARGE, WITHOUT_METIS))
    assert max(quick) <= 1.05 * slow


def test_many_components_take_no_more_than_one_pass() -> None:
    linkage, values = tree_of(sc.Graph(sp.csr_array((5_000, 5_000))))
    assert is_valid_linkage(linkage)
    assert not values.any()


def test_one_node_has_no_split() -> None:
    linkage, values = cut_down(Material(sp.csr_array((1, 1)), None), np.random.default_rng(0), silent)
    assert (linkage.shape, values.shape) == ((0, 4), (0,))

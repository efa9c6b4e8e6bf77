"""Changes placed: what edges weigh that are added again, by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut.base.errors import InputError
from sparsecut.updates.changes import Changes, RowList, check_edges
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.node_index import NodeIndex
from sparsecut.updates.placed_changes import place

IDS = np.arange(10, 14)
A = np.array([[0, 2, 0.5, 0], [2, 0, 0, 0], [0.5, 0, 0, 0], [0, 0, 0, 0]], dtype=np.float32)


def weights_after(
    added: list[tuple[float, ...]],
    removed: list[tuple[int, int]] | None = None,
    nodes_added: list[int] | None = None,
    *,
    is_directed: bool = False,
    adds_up: bool = True,
) -> np.ndarray:
    """The weights of all edges after a batch, a row and a column per node."""
    graph, new = ChangingGraph(sp.csr_array(A), is_directed=is_directed), nodes_added or []
    changes = Changes(
        edges_added=check_edges(added, "update", "edges_added"),
        edges_removed=check_edges(removed, "update", "edges_removed"),
        nodes_added=RowList(new, np.zeros((len(new), 1), dtype=np.float32)),
    )
    placed = place(changes, NodeIndex(IDS), graph, adds_up=adds_up)
    graph.extend(len(placed.added_ids))
    graph.change(placed.sources, placed.targets, placed.weights)
    return graph.rows.csr().toarray()


def with_weights(weights: dict[tuple[int, int], float], n_nodes: int = 4, *, both_ways: bool = True) -> np.ndarray:
    expected = np.zeros((n_nodes, n_nodes), dtype=np.float32)
    expected[:4, :4] = A
    for (source, target), weight in weights.items():
        expected[source, target] = weight
        if both_ways:
            expected[target, source] = weight
    return expected


def test_an_edge_that_is_there_gets_heavier_by_all_that_is_added_whichever_way_it_is_named() -> None:
    found = weights_after([(10, 11, 0.25), (11, 10, 4), (13, 12, 3), (12, 13, 0.5), (10, 13, 7)])
    np.testing.assert_array_equal(found, with_weights({(0, 1): 6.25, (2, 3): 3.5, (0, 3): 7}))


def test_directions_are_edges_of_their_own() -> None:
    found = weights_after([(10, 11, 1), (10, 11, 1), (11, 10, 4)], is_directed=True)
    np.testing.assert_array_equal(found, with_weights({(0, 1): 4, (1, 0): 6}, both_ways=False))


def test_what_is_removed_in_the_same_batch_is_not_added_to() -> None:
    found = weights_after([(11, 10, 3), (10, 12, 1)], removed=[(10, 11)])
    np.testing.assert_array_equal(found, with_weights({(0, 1): 3, (0, 2): 1.5}))


def test_edges_of_new_nodes_and_of_known_ones_add_up_side_by_side() -> None:
    found = weights_after([(14, 10, 1), (10, 14, 2), (12, 10, 1)], nodes_added=[14])
    np.testing.assert_array_equal(found, with_weights({(0, 4): 3, (0, 2): 1.5}, 5))


def test_nothing_added_changes_nothing() -> None:
    np.testing.assert_array_equal(weights_after([], removed=[(10, 12)]), with_weights({(0, 2): 0}))


@pytest.mark.parametrize(("added", "match"), [([(10, 11)], "has already: 10, 11"), ([(12, 13), (13, 12)], "twice")])
def test_where_weights_do_not_add_up_an_edge_is_named_once(added: list[tuple[float, ...]], match: str) -> None:
    with pytest.raises(InputError, match=match):
        weights_after(added, adds_up=False)


def test_a_node_that_is_not_there_has_the_remedy_of_what_was_asked() -> None:
    graph, index = (
        ChangingGraph(sp.csr_array(A), is_directed=False),
        NodeIndex(np.array(["user:3", "user:4", "film:3", "film:4"])),
    )
    index.remove(np.array([0]))
    for changes, remedy in (
        (Changes(nodes_removed=["3"]), "does not have: '3'. One that it has is 'user:4'."),
        (Changes(nodes_removed=[3]), "does not have: 3. Its ids are words. One that it has is 'user:4'."),
        (
            Changes(edges_removed=check_edges([("user:4", "film:9")], "update", "e")),
            "'film:9'. One that it has is 'user:4'.",
        ),
        (
            Changes(edges_added=check_edges([("user:4", "film:9")], "update", "e")),
            "'film:9'. New nodes come with their features",
        ),
    ):
        with pytest.raises(InputError) as caught:
            place(changes, index, graph)
        assert remedy in str(caught.value)

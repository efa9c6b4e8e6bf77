"""Edges of several types as one graph: by hand, and against sums of dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut import Graph, InputError
from sparsecut.graph.relations import Relations, equal_factors, relation_weights

WRITES, IN = ("author", "writes", "paper"), ("paper", "in", "venue")


def relations_of(n_nodes: int = 12, seed: int = 0) -> tuple[Relations, list[np.ndarray]]:
    """Two relations that share some pairs, and their dense matrices."""
    generator = np.random.default_rng(seed)
    dense = []
    for share in (0.5, 0.2):
        upper = np.triu(generator.random((n_nodes, n_nodes)) < share, 1) * generator.uniform(0.5, 2, (n_nodes, n_nodes))
        dense.append((upper + upper.T).astype(np.float32))
    return Relations.of({WRITES: sp.csr_array(dense[0]), IN: sp.csr_array(dense[1])}), dense


def typed_graph() -> tuple[Graph, list[np.ndarray]]:
    relations, dense = relations_of()
    ids = [f"author:{i}" for i in range(6)] + [f"paper:{i}" for i in range(6)]
    graph = Graph(relations.added_up(), node_ids=ids)
    return graph.replace(relations=relations, node_types=("author", "paper")), dense


def test_relations_are_added_up_by_their_factors() -> None:
    graph, dense = typed_graph()
    np.testing.assert_allclose(graph.adjacency.toarray(), dense[0] + dense[1], rtol=1e-6)
    np.testing.assert_allclose(graph.weighed([2.0, 0.5]).adjacency.toarray(), 2 * dense[0] + 0.5 * dense[1], rtol=1e-6)
    only = graph.weighed([0.0, 1.0]).adjacency
    assert only.nnz == np.count_nonzero(dense[1])  # no entries of weight 0 are left
    assert graph.weighed((1.0, 1.0)) is graph


def test_equal_factors_give_every_relation_the_same_total() -> None:
    relations, dense = relations_of()
    factors = equal_factors(relations.volumes)
    totals = [factor * matrix.sum() for factor, matrix in zip(factors, dense, strict=True)]
    assert totals[0] == pytest.approx(totals[1], rel=1e-6)
    assert sum(totals) == pytest.approx(dense[0].sum() + dense[1].sum(), rel=1e-6)  # the whole keeps its weight
    factors = equal_factors(relations.volumes, [1.0, 3.0])
    assert factors[1] * dense[1].sum() == pytest.approx(3 * factors[0] * dense[0].sum(), rel=1e-6)
    assert equal_factors(np.array([5.0, 0.0])) == (1.0, 1.0)
    assert equal_factors(np.array([4.0, 4.0]), [0.0, 1.0]) == (0.0, 2.0)


def test_weights_are_asked_for_by_name_or_by_the_whole_type() -> None:
    assert relation_weights({"in": 4.0}, [WRITES, IN], "SCE") == [1.0, 4.0]
    assert relation_weights({WRITES: 0.0, "paper:in:venue": 2}, [WRITES, IN], "SCE") == [0.0, 2.0]
    with pytest.raises(InputError, match=r"relations of the graph: .*author:writes:paper.*Got 'wrote'"):
        relation_weights({"wrote": 1.0}, [WRITES, IN], "SCE")
    with pytest.raises(InputError, match="at least one relation"):
        relation_weights({WRITES: 0, IN: 0}, [WRITES, IN], "SCE")


def test_a_subgraph_keeps_the_types_of_its_edges() -> None:
    graph, dense = typed_graph()
    nodes = [7, 0, 3, 11]
    part = graph.subgraph(positions=nodes)
    assert part.node_types == ("author", "paper")
    assert part.relations is not None
    for matrix, whole in zip(part.relations.matrices, dense, strict=True):
        np.testing.assert_array_equal(matrix.toarray(), whole[np.ix_(nodes, nodes)])


def test_what_a_file_keeps_is_read_back() -> None:
    relations, _ = relations_of()
    kept = relations.weighed([2.0, 0.25])
    read = Relations.read(kept.to_header())
    assert read is not None
    assert (read.edge_types, read.factors, read.matrices) == (kept.edge_types, kept.factors, ())
    assert Relations.read(None) is None
    graph, _ = typed_graph()
    with pytest.raises(InputError, match=r"Read the graph again, with from_tables or from its store"):
        graph.replace(relations=read).weighed([1.0, 1.0])


def test_a_sum_is_taken_apart_by_the_types_of_ends() -> None:
    generator = np.random.default_rng(2)
    upper = np.triu(generator.random((9, 9)) < 0.5, 1).astype(np.float32)
    A, codes = upper + upper.T, np.repeat(np.arange(3), 3).astype(np.int16)
    between = [codes[:, None] + codes[None, :] == 1, (codes[:, None] == 1) & (codes[None, :] == 1)]
    kinds = (("a", "r", "b"), ("b", "s", "b"))
    parts = [A * mask for mask in between]
    whole = Relations(kinds, (), (2.0, 0.5))
    total = sp.csr_array(2 * parts[0] + 0.5 * parts[1])
    found = whole.taken_apart(total, codes, ("a", "b", "c"))
    for matrix, wanted in zip(found.matrices, parts, strict=True):
        np.testing.assert_array_equal(matrix.toarray(), wanted)
    assert found.added_up().toarray().tolist() == total.toarray().tolist()
    twice = Relations((kinds[0], ("b", "t", "a")), (), (1.0, 1.0))
    assert twice.taken_apart(total, codes, ("a", "b", "c")) is twice  # nothing tells r from t

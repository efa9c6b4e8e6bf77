"""Nearest neighbours against a search through all pairs in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from near_vectors import clustered
from sparsecut import Neighbors
from sparsecut.base.errors import InputError


def test_query_by_id_of_any_spelling() -> None:
    Z = np.array([[1, 0], [0.9, 0.1], [0, 1]], dtype=np.float32)
    numbered = Neighbors(Z, [10, 20, 30])
    assert numbered.query(10, k=1).ids.tolist() == [[20]]
    assert numbered.query(["10", "30"], k=1).ids.tolist() == [[20], [20]]
    named = Neighbors(Z, ["a", "b", "7"])
    assert named.query(["a", "7"], k=2).ids.tolist() == [["b", "7"], ["b", "a"]]
    assert named.query(7, k=1).ids.tolist() == [["b"]]
    for unknown in ("c", "010", 1):
        with pytest.raises(InputError, match="names nodes that the embedding does not"):
            numbered.query(unknown)


def test_vectors_that_are_no_node() -> None:
    Z = clustered(200)
    found = Neighbors(Z).query_vectors(Z[5] * 3, k=1)
    assert found.positions[0, 0] == 5
    assert found.distances[0, 0] == pytest.approx(0, abs=1e-6)
    with pytest.raises(InputError, match="must have 16 columns"):
        Neighbors(Z).query_vectors([1.0, 2.0])


def test_graph_and_matrix_join_the_neighbours() -> None:
    Z = np.array([[0.0], [1.0], [3.0], [10.0]], dtype=np.float32)
    near = Neighbors(Z, ["a", "b", "c", "d"], metric="euclidean")
    matrix = near.matrix(1)
    np.testing.assert_allclose(matrix.toarray(), [[0, 1, 0, 0], [1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 7, 0]])
    graph = near.graph(1)
    assert graph.node_ids.tolist() == ["a", "b", "c", "d"]
    expected = np.zeros((4, 4))
    for i, j, distance in ((0, 1, 1), (1, 2, 2), (2, 3, 7)):
        expected[i, j] = expected[j, i] = 1 / (1 + distance)
    np.testing.assert_allclose(graph.adjacency.toarray(), expected, rtol=1e-6)


def test_equal_and_opposite_vectors_are_joined_too() -> None:
    Z = np.array([[1.0, 0], [1.0, 0], [-1.0, 0]], dtype=np.float32)
    near = Neighbors(Z)
    assert near.matrix(2).nnz == 6  # distances of zero are kept
    weights = near.graph(2).adjacency.toarray()
    assert weights[0, 1] == pytest.approx(1)
    assert weights[0, 2] > 0


def test_the_knn_graph_feeds_umap_and_scikit_learn() -> None:
    from sklearn.neighbors import NearestNeighbors

    Z = clustered(300)
    ours = Neighbors(Z, metric="euclidean").matrix(6)
    theirs = NearestNeighbors(n_neighbors=6).fit(Z).kneighbors_graph(mode="distance")
    np.testing.assert_allclose(np.sort(ours.data), np.sort(theirs.data), rtol=1e-3, atol=1e-4)
    assert sp.issparse(ours)


@pytest.mark.parametrize(
    ("Z", "options", "message"),
    [
        (np.ones(3), {}, "matrix of numbers"),
        (np.ones((0, 3)), {}, "matrix of numbers"),
        ([[1.0, np.nan], [0, 1]], {}, "1 are not, the first in row 0"),
        (np.eye(2), {"ids": [1, 1]}, "more than one row"),
        (np.eye(2), {"ids": [1, 2, 3]}, "one id per row"),
        (np.eye(2), {"metric": "manhattan"}, "must be one of 'cosine', 'euclidean'"),
        (np.eye(2), {"index": "fast"}, "must be one of"),
        (np.eye(2), {"recall": 0}, "above 0"),
    ],
)
def test_wrong_input_is_refused(Z: object, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Neighbors(Z, **options)


def test_k_is_checked_and_never_more_than_there_are() -> None:
    near = Neighbors(np.eye(3))
    assert near.query(0, k=99).ids.shape == (1, 2)
    with pytest.raises(InputError, match="integer of at least 1"):
        near.query(0, k=0)
    with pytest.raises(InputError, match="no index to save"):
        near.save("x.safetensors")
    assert Neighbors(np.ones((1, 2))).nearest(3).ids.shape == (1, 0)


@pytest.mark.parametrize("index", ["exact", "approximate"])
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_an_index_follows_vectors_that_change_come_and_go(index: str, metric: str) -> None:
    """After a fifth of the vectors changed a query finds what a search of the new vectors finds."""
    if index == "approximate":
        pytest.importorskip("faiss")
    generator, Z = np.random.default_rng(0), clustered(4000)
    store = {f"n{node}": row for node, row in enumerate(Z)}
    given = Z.copy()
    near = Neighbors(given, list(store), metric=metric, index=index)
    for step in range(4):
        names = list(store)
        moved = [names[place] for place in generator.choice(len(names), 200, replace=False)]
        new = [f"new {step} {number}" for number in range(20)]
        gone = [name for name in names if name not in moved][5 : 5 + 10 * (step % 2)]
        rows = Z[generator.integers(0, len(Z), 220)] + generator.normal(size=(220, Z.shape[1])).astype(np.float32) * 0.3
        near.update([*moved, *new], rows, removed=[*gone, "nobody"])
        store = {name: row for name, row in store.items() if name not in gone}
        store |= dict(zip([*moved, *new], rows, strict=True))
    np.testing.assert_array_equal(given, Z)  # the caller's own vectors stay
    assert near.ids.tolist() == list(store)
    true = Neighbors(np.stack(list(store.values())), list(store), metric=metric, index="exact")
    asked = list(store)[::13]
    found, expected = near.query(asked), true.query(asked)
    shared = [len(set(a) & set(b)) for a, b in zip(found.ids.tolist(), expected.ids.tolist(), strict=True)]
    assert np.mean(shared) / 10 >= (1 if index == "exact" else 0.99)
    with pytest.raises(InputError, match="one row of"):
        near.update(["n1"], np.ones((1, 3)))
    with pytest.raises(InputError, match="not of the kind"):
        near.update([1], Z[:1])


def test_columns_of_a_frame_are_matched_by_name() -> None:
    pandas = pytest.importorskip("pandas")
    Z = np.random.default_rng(0).normal(size=(30, 3))
    frame = pandas.DataFrame(Z, columns=["a", "b", "c"], index=[f"n{row}" for row in range(30)])
    near, asked = Neighbors(frame), frame.iloc[4:7] + 0.1
    wanted = Neighbors(Z, frame.index).query_vectors(asked.to_numpy(), 3).ids.tolist()
    assert near.query_vectors(asked[["c", "a", "b"]], 3).ids.tolist() == wanted
    assert near.query_vectors(asked[["c", "a", "b"]].reset_index(names="id"), 3).ids.tolist() == wanted
    for plain in (asked, asked.to_numpy(), pandas.DataFrame(asked.to_numpy())):  # names, none, and numbers that only count
        assert near.query_vectors(plain, 3).ids.tolist() == wanted
    assert Neighbors(Z, frame.index).query_vectors(asked, 3).ids.tolist() == wanted
    with pytest.raises(InputError, match=r"must have the columns of the embedding, 'a', 'b', 'c'\. Got 'a', 'b', 'd'"):
        near.query_vectors(asked.rename(columns={"c": "d"}), 3)

"""Nearest neighbours against a search through all pairs in double precision."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsecut import Neighbors
from sparsecut.errors import InputError
from sparsecut.explore import exact, inverted
from sparsecut.explore.lookup import Lookup


def distances(Z: np.ndarray, metric: str) -> np.ndarray:
    """All distances, in double precision."""
    Z = np.asarray(Z, dtype=np.float64)
    if metric == "euclidean":
        return np.sqrt(np.square(Z[:, None] - Z[None]).sum(axis=2))
    lengths = np.linalg.norm(Z, axis=1)
    unit = Z / np.where(lengths > 0, lengths, 1)[:, None]
    return 1 - unit @ unit.T


def clustered(n: int = 4000, d: int = 16, seed: int = 0) -> np.ndarray:
    """Vectors as embeddings have them: groups, a falling spectrum, some that are equal."""
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(30, d))
    Z = (centres[generator.integers(30, size=n)] + 0.4 * generator.normal(size=(n, d))) * 0.8 ** np.arange(d)
    Z[n // 2 : n // 2 + 20] = Z[n // 2]
    return Z.astype(np.float32)


@pytest.mark.parametrize("metric", exact.METRICS)
@pytest.mark.parametrize("block", [1, 2**24])
def test_exact_neighbours_are_those_of_all_pairs(metric: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "BLOCK", block)
    Z = np.random.default_rng(1).normal(size=(150, 5)).astype(np.float32)
    D = distances(Z, metric)
    np.fill_diagonal(D, np.inf)
    found = Neighbors(Z, metric=metric).nearest(7)
    np.testing.assert_array_equal(found.positions, np.argsort(D, axis=1, kind="stable")[:, :7])
    np.testing.assert_allclose(found.distances, np.sort(D, axis=1)[:, :7], rtol=1e-4, atol=1e-6)


@given(
    arrays(np.float32, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-3, 3).map(float)),
    st.sampled_from(exact.METRICS),
    st.integers(1, 14),
)
@settings(deadline=None, max_examples=60)
def test_ties_zeros_and_duplicates_keep_the_order_of_distance(Z: np.ndarray, metric: str, k: int) -> None:
    D = distances(Z, metric)
    np.fill_diagonal(D, np.inf)
    found = Neighbors(Z, metric=metric).nearest(k)
    n = len(Z)
    assert found.positions.shape == (n, min(k, n - 1))
    for node in range(n):
        row = found.positions[node]
        assert node not in row
        assert len(set(row.tolist())) == len(row)
        np.testing.assert_allclose(D[node, row], np.sort(D[node])[: len(row)], atol=1e-5)


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


def test_lookup_is_that_of_a_dictionary() -> None:
    ids = np.random.default_rng(0).permutation(1000)[:300]
    found = Lookup(ids).find(ids[::-1], "", "")
    np.testing.assert_array_equal(ids[found], ids[::-1])
    with pytest.raises(InputError, match="5000"):
        Lookup(ids).find(np.array([ids[0], 5000]), "The query", "the embedding")


def test_vectors_that_are_no_node() -> None:
    Z = clustered(200)
    found = Neighbors(Z).query_vectors(Z[5] * 3, k=1)
    assert found.positions[0, 0] == 5
    assert found.distances[0, 0] == pytest.approx(0, abs=1e-6)
    with pytest.raises(InputError, match="must have 16 columns"):
        Neighbors(Z).query_vectors([1.0, 2.0])


@pytest.mark.parametrize("metric", exact.METRICS)
def test_an_index_finds_what_it_says_it_finds(metric: str) -> None:
    Z = clustered()
    near = Neighbors(Z, metric=metric, index="approximate", recall=0.97)
    assert not near.is_exact
    assert near.recall_ >= 0.97
    true, found = Neighbors(Z, metric=metric, index="exact").nearest(10), near.nearest(10)
    share = (found.distances <= true.distances[:, -1:] + 1e-5).mean()
    assert abs(share - near.recall_) < 0.03
    assert f"{near.recall_:.4f}" in repr(near)


def test_a_recall_of_one_looks_into_every_list_if_it_must() -> None:
    Z = np.random.default_rng(0).normal(size=(3000, 24)).astype(np.float32)  # no structure: the hardest case
    low, high = (Neighbors(Z, index="approximate", recall=recall) for recall in (0.3, 1.0))
    assert high.recall_ == 1.0
    assert low._index.n_probed < high._index.n_probed


def test_the_same_seed_gives_the_same_index() -> None:
    first, second = (Neighbors(clustered(), index="approximate", random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first._index.list_of, second._index.list_of)


def test_recall_counts_equal_vectors_as_found() -> None:
    vectors = np.zeros((30, 2), dtype=np.float32)
    vectors[:, 0] = 1
    found = np.tile(np.arange(11), (5, 1))
    recall = inverted.measure_recall(found, vectors, np.arange(20, 25), "cosine", np.zeros(5, dtype=np.float32))
    assert recall == 1.0
    vectors[:, 1] = np.arange(30)
    assert inverted.measure_recall(found, vectors, np.arange(20, 25), "euclidean", np.full(5, 5.0, dtype=np.float32)) == 0


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


def test_saved_and_loaded_it_answers_the_same(tmp_path: Path) -> None:
    Z, ids = clustered(), np.array([f"n{number}" for number in range(4000)])
    near = Neighbors(Z, ids, index="approximate")
    near.save(tmp_path / "index.safetensors")
    loaded = Neighbors.load(tmp_path / "index.safetensors", Z, ids)
    assert loaded.recall_ == near.recall_
    np.testing.assert_array_equal(loaded.nearest(5).ids, near.nearest(5).ids)
    assert (tmp_path / "index.safetensors").stat().st_size < Z.nbytes / 5


def test_an_index_of_other_vectors_ids_or_order_is_refused(tmp_path: Path) -> None:
    Z, path = clustered(), tmp_path / "index.safetensors"
    ids = np.arange(len(Z))
    Neighbors(Z, ids, index="approximate").save(path)
    changed = Z.copy()
    changed[7, 3] = np.nextafter(changed[7, 3], 9)
    for other, names in ((changed, ids), (Z[::-1], ids), (Z, ids + 1), (Z[:-1], ids[:-1]), (Z[:, :8], ids)):
        with pytest.raises(InputError, match="does not belong to this embedding"):
            Neighbors.load(path, other, names)


def test_damaged_and_foreign_index_files_are_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    from sparsecut.explore.neighbors import fingerprint

    Z, path = clustered(), tmp_path / "index.safetensors"
    ids = np.arange(len(Z))
    header = {"metric": "cosine", "n_probed": 4, "recall": 0.99, "belongs_to": fingerprint(Z, ids)}
    metadata = {"format": "sparsecut-neighbors", "format_version": "1", "index": json.dumps(header)}
    centroids, lists = np.zeros((4, 16), dtype=np.float32), np.zeros(len(Z), dtype=np.int32)
    outside = lists.copy()
    outside[9] = 4
    for arrays_ in ({}, {"centroids": centroids, "list_of": outside}, {"centroids": centroids[:, :3], "list_of": lists}):
        save_file({"x": lists, **arrays_}, path, metadata=metadata)
        with pytest.raises(InputError, match="is damaged"):
            Neighbors.load(path, Z, ids)
    save_file({"x": lists}, path)
    with pytest.raises(InputError, match="is not an index of this version"):
        Neighbors.load(path, Z, ids)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="damaged or not an index"):
        Neighbors.load(path, Z, ids)


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

"""The peers written here: their equations beside dense ones, loops and hand-made cases; and the cells of the benchmark."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.linalg import expm

from peers import prone, slimg
from peers.cca_ssg import correlation_loss
from peers.fastrp import fast_random_projection, sparse_signs, unit_rows
from peers.grace import contrast_loss
from peers.methods import METHODS
from peers.page import notes_of, tables_of
from peers.runner import run_cell
from peers.scores import nearest_centroid, public_split, score
from peers.tensors import GraphConvolution, edge_index, propagation, sparse_features
from sparsecut import Graph
from sparsecut.evaluation import Split

GENERATOR = np.random.default_rng(3)


@pytest.fixture(scope="module")
def adjacency() -> Any:
    """A random graph of 30 nodes and one without edges."""
    upper = np.triu(GENERATOR.random((31, 31)) < 0.15, k=1)
    upper[:, 30] = False
    return sp.csr_array((upper | upper.T).astype(np.float64))


@pytest.fixture(scope="module")
def graph(adjacency: Any) -> Graph:
    return Graph(adjacency, features=GENERATOR.random((31, 6)), labels=np.arange(31) % 3)


def test_fastrp_is_the_weighted_sum_of_normalised_means_of_neighbours() -> None:
    """The path 0 – 1 – 2: after one step the ends have the middle's vector, after two their own mean, and so on."""
    path = sp.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=float))
    first, second = (fast_random_projection(path, seed=5, dimension=8, iteration_weights=w) for w in ([1], [0, 1]))
    start = sparse_signs(np.random.default_rng(5), 3, 8)
    ends = (start[0] + start[2]) / 2
    np.testing.assert_allclose(first, unit_rows(np.stack([start[1], ends, start[1]])))
    np.testing.assert_allclose(second, unit_rows(np.stack([ends, start[1], ends])))
    both = fast_random_projection(path, seed=5, dimension=8, iteration_weights=[2, 3], self_influence=0.5)
    np.testing.assert_allclose(both, 0.5 * unit_rows(start) + 2 * first + 3 * second)


def test_fastrp_weighs_high_degrees_by_the_normalisation_strength() -> None:
    star = sp.csr_array(np.array([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]], dtype=float))
    start = sparse_signs(np.random.default_rng(0), 4, 16) * np.array([2.0, 2, 1, 1])[:, None] ** -1
    embedding = fast_random_projection(star, seed=0, dimension=16, iteration_weights=[1], normalization_strength=-1)
    np.testing.assert_allclose(embedding[0], unit_rows((start[1] + start[2])[None])[0])


def test_fastrp_starts_a_share_of_the_columns_from_the_properties(adjacency: Any) -> None:
    """With properties alone, nodes of the same property and neighbours have the same row."""
    properties = np.ones((31, 1))  # one property, the same for all
    rows = fast_random_projection(adjacency, seed=1, dimension=4, properties=properties, property_ratio=1.0)
    connected = rows[:30][np.linalg.norm(rows[:30], axis=1) > 0]
    np.testing.assert_allclose(connected, np.tile(connected[:1], (len(connected), 1)))
    assert fast_random_projection(adjacency, seed=1, properties=properties, property_ratio=0.5).shape == (31, 256)


def test_sparse_signs_have_variance_one() -> None:
    signs = sparse_signs(np.random.default_rng(0), 400, 300)
    values, counts = np.unique(signs, return_counts=True)
    np.testing.assert_allclose(values, [-math.sqrt(3), 0, math.sqrt(3)])
    np.testing.assert_allclose(counts / signs.size, [1 / 6, 2 / 3, 1 / 6], atol=0.005)


def test_prone_spreads_by_the_exponential_that_its_terms_sum_to(adjacency: Any) -> None:
    """I_0 + 2 Σ (−1)^k I_k(θ) T_k(y) = e^(−θ y), here for y = ((L − μ)² − 2)/2."""
    Z = GENERATOR.standard_normal((31, 3))
    with_loops = adjacency.toarray() + np.eye(31)
    M = np.eye(31) - with_loops / with_loops.sum(axis=1, keepdims=True) - prone.MU * np.eye(31)
    expected = with_loops @ (Z - expm(-prone.THETA * (M @ M / 2 - np.eye(31))) @ Z)
    np.testing.assert_allclose(prone.spread(adjacency, Z), expected, atol=1e-9)


def test_prone_compares_an_edge_with_its_chance() -> None:
    """A star of three: from the middle each end has 1/2; the ends' chance is (1/2)^¾ each beside the middle's 2^¾."""
    star = sp.csr_array(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]], dtype=float))
    total = 2 * 0.5**0.75 + 2**0.75
    M = prone.proximity(star).toarray()
    np.testing.assert_allclose(M[0, 1], math.log(0.5) - math.log(0.5**0.75 / total))
    np.testing.assert_allclose(M[1, 0], 0 - math.log(2**0.75 / total))
    assert M[1, 2] == 0


def test_slimg_smooths_twice_with_and_without_loops(adjacency: Any) -> None:
    A, rows = adjacency.toarray(), GENERATOR.standard_normal((31, 4))
    means = A / np.maximum(A.sum(axis=1, keepdims=True), 1)
    np.testing.assert_allclose(slimg.two_hops(adjacency, rows), means @ means @ rows)
    loops = A + np.eye(31)
    scale = np.diag(loops.sum(axis=1) ** -0.5)
    symmetric = scale @ loops @ scale
    np.testing.assert_allclose(slimg.two_hops_with_loops(adjacency, rows), symmetric @ symmetric @ rows)


def test_slimg_keeps_the_columns_that_hold_the_energy(adjacency: Any, graph: Graph) -> None:
    A = adjacency.toarray()
    singular = np.linalg.svd(A, compute_uv=False)
    U = slimg.structure(adjacency, 31, 0)
    n_kept = U.shape[1]
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), singular[:n_kept], atol=1e-9)
    assert (singular[:n_kept] ** 2).sum() >= 0.9 * (A**2).sum() > (singular[: n_kept - 1] ** 2).sum()
    np.testing.assert_allclose(A @ A @ U, U * singular[:n_kept] ** 2, atol=1e-8)  # eigenvectors of A²
    assert slimg.structure(adjacency, 4, 0).shape[1] == 4
    lengths = np.linalg.norm(slimg.embed(graph, 0).reshape(31, 4, -1), axis=2)
    np.testing.assert_allclose(lengths[:30], 1)


def test_the_convolution_masks_columns_and_averages_as_a_dense_one_does(graph: Graph) -> None:
    A = graph.adjacency.toarray() + np.eye(31)
    P = A / np.sqrt(np.outer(A.sum(axis=1), A.sum(axis=1)))
    F = graph.features / graph.features.sum(axis=1, keepdims=True)
    kept = np.array([1, 0, 1, 1, 0, 1.0])
    torch.manual_seed(0)
    layer = GraphConvolution(6, 5)
    found = layer(sparse_features(graph), propagation(edge_index(graph), 31), torch.tensor(kept, dtype=torch.float32))
    expected = P @ (F * kept) @ layer.weight.detach().numpy()
    np.testing.assert_allclose(found.detach().numpy(), expected, atol=1e-6)


def test_edges_are_dropped_and_loops_stay(graph: Graph) -> None:
    torch.manual_seed(0)
    without = propagation(edge_index(graph), 31, dropped=1.0).to_dense()
    np.testing.assert_allclose(without.numpy(), np.eye(31))


def test_graces_loss_is_the_sum_over_pairs() -> None:
    first, second, temperature = torch.randn(5, 3), torch.randn(5, 3), 0.4
    similarity = torch.nn.functional.cosine_similarity
    total = 0.0
    for z, other in ((first, second), (second, first)):
        for i in range(5):
            between = [math.exp(similarity(z[i], other[j], dim=0).item() / temperature) for j in range(5)]
            within = [math.exp(similarity(z[i], z[j], dim=0).item() / temperature) for j in range(5) if j != i]
            total -= math.log(between[i] / (sum(between) + sum(within))) / 10
    assert contrast_loss(first, second, temperature).item() == pytest.approx(total, rel=1e-5)


def test_the_loss_of_cca_ssg_is_lowest_for_equal_whitened_views() -> None:
    """Equal views with uncorrelated columns of variance one: −d, and the penalty only by n against n − 1."""
    rows = np.linalg.qr(np.random.default_rng(0).standard_normal((50, 4)))[0]
    rows = np.linalg.qr(rows - rows.mean(axis=0))[0]
    Z = torch.tensor(rows * math.sqrt(49))
    shrunk = 49 / 50
    found = correlation_loss(Z, Z, 0.5).item()
    assert found == pytest.approx(-4 * shrunk + 0.5 * 2 * 4 * (1 - shrunk) ** 2)
    assert correlation_loss(Z, Z.flip(1), 0.5).item() > found + 3


def test_the_nearest_centroid_by_hand() -> None:
    Z = np.array([[1.0, 0], [0, 1], [5, 1], [1, 3], [2, 3]])
    split = Split(train=np.array([0, 1]), validation=np.array([], dtype=int), test=np.array([2, 3, 4]))
    assert nearest_centroid(Z, np.array(["a", "b", "a", "b", "a"]), split) == pytest.approx(200 / 3)


def test_the_public_split_has_20_labels_per_class(cora: Graph) -> None:
    split = public_split(cora, "cora")
    assert np.bincount(cora.labels[split.train]).tolist() == [20] * 7
    assert (len(split.validation), len(split.test)) == (500, 1000)


def point(mean: float, **more: Any) -> dict[str, Any]:
    scores = {"5": {"means": [mean, mean + 1]}, "20": {"means": [mean + 10]}}
    accuracy = {"paper": scores, "tuned": scores}
    return {"processor_seconds": [2.0, 1.5], "columns": 7, "peak_mebibytes": 3.0, "accuracy": accuracy, **more}


def test_the_tables_have_every_cell_and_what_failed() -> None:
    points = {
        "cora, DGI": point(50.0, check={"public split": 81.0}),
        "pubmed, DGI": {"failed": "stopped after 3 s"},
        "cora, FastRP": point(40.0),
    }
    accuracies, costs, checks = tables_of(points)
    assert accuracies["columns"][3:] == ["cora, paper", "cora, tuned", "pubmed, paper", "pubmed, tuned"]
    dgi, fastrp = accuracies["rows"]
    assert dgi == ["DGI", "torch-geometric", "features, edges", "50.5 / 60.0", "50.5 / 60.0", None, None]
    assert fastrp[:3] == ["FastRP", "written here", "edges"]
    assert costs["rows"][0] == ["DGI", 7, 1.5, 3.0, None, None, None]
    assert checks["rows"] == [["DGI", "cora", "public split", "82.3", "81.0"]]
    notes = " ".join(notes_of(points))
    assert "pubmed, DGI: stopped after 3 s" in notes
    points["pubmed, FastRP"] = point(40.0, processor_seconds=[100.0, 80.0])
    said = " ".join(notes_of(points))
    assert "Not run on amazon_photo: all methods, whose fits took 3 minutes of one core on pubmed." in said
    assert "Not run on blogcatalog: all methods" in said
    points |= {f"{graph}, {method}": point(1.0) for graph in ("amazon_photo", "blogcatalog") for method in METHODS}
    del points["blogcatalog, FastRP"], points["blogcatalog, DGI"]
    said = " ".join(notes_of(points))
    assert "Not run on blogcatalog: DGI, FastRP, whose fits took 3 minutes" in said
    assert "Not run on amazon_photo" not in said


@pytest.mark.usefixtures("forks")
def test_a_cell_timed_again_keeps_its_accuracies() -> None:
    cell = run_cell("digits", "FastRP", {"accuracy": "kept", "seconds": "old"}, is_timed_only=True)
    assert cell["accuracy"] == "kept"
    assert len(cell["seconds"]) == len(cell["processor_seconds"]) == 3
    assert min(cell["processor_seconds"]) > 0
    assert cell["columns"] == 256


@pytest.mark.usefixtures("forks")
def test_a_method_that_cannot_run_says_why() -> None:
    cell = run_cell("nowhere", "FastRP", {}, is_timed_only=False)
    assert list(cell) == ["failed"]
    assert "nowhere" in cell["failed"]


def test_every_seed_is_scored_by_one_probe_and_the_first_by_both(graph: Graph) -> None:
    labels = np.arange(120) % 2
    told = labels[:, None] + 0.1 * GENERATOR.standard_normal((120, 3))
    blind = GENERATOR.standard_normal((120, 3))
    made = Graph(sp.csr_array((120, 120)), features=told, labels=labels)
    found = score(made, "made", [told, blind])
    assert found["paper"]["20"]["means"][0] > 95 > 70 > found["paper"]["20"]["means"][1]
    assert len(found["tuned"]["5"]["means"]) == 1
    assert found["paper"]["5"]["n_splits"] == 50

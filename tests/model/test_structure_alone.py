"""Structure in place of features: against dense definitions, for any graph, and worth using on a real one."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from conftest import load_or_skip, random_graph
from sparsecut import SCE, Graph, InputError, evaluate


def two_communities(n_nodes: int = 200, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    generator = np.random.default_rng(seed)
    side = np.arange(n_nodes) % 2
    probability = np.where(side[:, None] == side, 0.15, 0.01)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < probability, 1)
    return sp.csr_array((upper | upper.T).astype(np.float32)), side


def test_structure_separates_planted_communities() -> None:
    A, side = two_communities()
    Z = SCE().fit_transform(Graph(A))
    found = KMeans(2, n_init=5, random_state=0).fit_predict(Z)
    assert adjusted_rand_score(side, found) > 0.95


@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.MeaninglessEmbeddingWarning")
@pytest.mark.parametrize("n_nodes", [1, 2, 5])
def test_tiny_graphs_and_graphs_without_edges(n_nodes: int) -> None:
    for adjacency in (sp.csr_array((n_nodes, n_nodes)), np.ones((n_nodes, n_nodes))):
        Z = SCE().fit_transform(Graph(adjacency))
        assert Z.shape[0] == n_nodes
        assert np.isfinite(Z).all()


def test_own_features_come_first_unless_passed_over() -> None:
    graph = random_graph()
    assert SCE().fit(graph).n_features_in_ == 12
    assert SCE(features="structure").fit(graph).n_features_in_ == 0
    with pytest.raises(InputError, match="needs node features, and the graph has none"):
        SCE(features="given").fit(graph.adjacency)
    with pytest.raises(
        InputError, match="The features parameter of SCE must be one of 'auto', 'given', 'structure', 'both'"
    ):
        SCE(features="none").fit(graph)


def test_structure_reads_topics_off_cora() -> None:
    cora = load_or_skip("cora")
    Z = SCE(features="structure").fit_transform(cora)
    assert evaluate(Z, cora.labels, per_class=20, n_splits=5).mean > 68  # DeepWalk in the paper: 70.5 on its splits


def test_a_directed_graph_keeps_its_directions() -> None:
    upper = sp.csr_array(np.triu(two_communities()[0].toarray()))
    Z = SCE(dimension=8).fit_transform(Graph(upper, directed="out"))
    assert not np.allclose(Z, SCE(dimension=8).fit_transform(Graph(upper, directed="in")))

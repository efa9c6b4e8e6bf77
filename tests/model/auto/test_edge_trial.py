"""Features that do not go with the edges are doubted, real ones are not; memory and disk say the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from conftest import load_or_skip
from sparsecut import SCE, Disk, Graph, load
from sparsecut.engines.in_process import InProcess
from sparsecut.graph.edge_sample import sample_edges, sample_node_pairs
from sparsecut.model.auto.edge_trial import N_SIGNS, RandomSigns, Trial, doubt

SAYS = "The features hardly go with the edges"


def doubts(model: SCE) -> list[str]:
    found = [note for note in model.history_.notes if note.startswith(SAYS)]
    assert found == [line for line in model.explain().splitlines() if line.startswith(SAYS)]
    return found


def spoiled(graph: Graph, share: float = 0.9) -> Graph:
    """The graph with the features of that share of its nodes moved to others."""
    generator = np.random.default_rng(0)
    order = np.arange(graph.n_nodes)
    moved = generator.choice(graph.n_nodes, int(share * graph.n_nodes), replace=False)
    order[moved] = generator.permutation(moved)
    return Graph(graph.adjacency, features=graph.features[order], labels=graph.labels)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed", "blogcatalog", "amazon_photo", "facebook"])
def test_real_features_are_not_doubted_and_spoiled_ones_are(name: str, tmp_path: Path) -> None:
    graph = load_or_skip(name)
    few = {"dimension": 8}  # what is doubted does not depend on it, and fewer columns are found sooner
    assert not doubts(SCE(**few).fit(graph))
    if name in ("blogcatalog", "pubmed"):
        return  # the others are enough
    model = SCE(**few).fit(spoiled(graph))
    (said,) = doubts(model)
    assert "features='structure'" in said
    assert "features='structure'" in said
    model.save(tmp_path / "model.safetensors")
    assert doubts(load(tmp_path / "model.safetensors")) == [said]


@pytest.mark.slow
def test_noise_is_doubted_on_disk_as_in_memory(tmp_path: Path) -> None:
    cora = load_or_skip("cora")
    noise = np.random.default_rng(0).normal(size=(cora.n_nodes, 80)).astype(np.float32)
    graph = Graph(cora.adjacency, features=noise)
    (here,), (there,) = doubts(SCE().fit(graph)), doubts(SCE(engine=Disk(scratch=tmp_path)).fit(graph))
    assert here == there
    assert not doubts(SCE(engine=Disk(scratch=tmp_path)).fit(Graph(cora.adjacency, features=cora.features.toarray())))
    assert not list(tmp_path.iterdir())


def test_structure_is_scored_only_where_it_matters() -> None:
    def never() -> float:
        raise AssertionError("scored")

    assert doubt(0.6, 0.7, never) is None
    assert doubt(0.51, 0.80, lambda: 0.79) is None
    found = doubt(0.51, 0.80, lambda: 0.95)
    assert found is not None
    assert found.figures == {"features": 0.51, "embedding": 0.80, "structure": 0.95}


def test_the_score_is_the_auc_by_hand() -> None:
    """Edges at cosines 1 and 0, other pairs at 0.6 and −1: three of the four comparisons are won."""
    Z = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 5.0], [3.0, 4.0], [-1.0, 0.0]])
    trial = Trial.of(np.array([[10, 10], [20, 30]]), np.array([[10, 10], [40, 50]]), torch.device("cpu"))
    np.testing.assert_array_equal(trial.nodes, [10, 20, 30, 40, 50])
    assert trial.scores(torch.stack([Z, Z - Z.mean(dim=0)])) == pytest.approx([0.75, trial.score_centred(Z)])


@pytest.mark.parametrize("kind", [int, str])
def test_signs_are_the_same_in_any_block_and_look_random(kind: type) -> None:
    ids = np.arange(1000).astype(kind)
    signs = RandomSigns(ids)
    assert signs.shape == (1000, N_SIGNS)
    whole = np.asarray(signs)
    assert np.array_equal(whole, np.concatenate([signs[0:300], signs[300:800], signs[800:1000]]))
    order = np.random.default_rng(0).permutation(1000)
    assert np.array_equal(RandomSigns(ids[order])[:], whole[order])  # they follow the id, wherever it stands
    assert set(np.unique(whole)) == {-1.0, 1.0}
    products = whole.T @ whole / 1000
    assert np.abs(products - np.eye(N_SIGNS)).max() < 0.16  # five standard deviations of 1/√1000
    assert abs((whole[:-1] * whole[1:]).mean()) < 0.02


def test_the_structure_score_is_the_auc_of_averaged_signs() -> None:
    """Against dense powers of P, on a graph of two groups whose features are noise."""
    from sklearn.metrics import roc_auc_score

    generator = np.random.default_rng(0)
    side = np.arange(300) % 2
    upper = np.triu(generator.random((300, 300)) < np.where(side[:, None] == side, 0.12, 0.01), 1).astype(np.float32)
    graph = Graph(sp.csr_array(upper + upper.T), features=generator.normal(size=(300, 20)).astype(np.float32))
    n_held_out = graph.n_edges // 10
    edges, others = sample_edges(InProcess(graph), n_held_out), sample_node_pairs(InProcess(graph), n_held_out)
    P = graph.adjacency.toarray() + np.eye(300)
    P[edges[0], edges[1]] = P[edges[1], edges[0]] = 0
    Z = np.linalg.matrix_power(P / P.sum(axis=1, keepdims=True), 5) @ RandomSigns(graph.node_ids)[:]
    Z -= Z[np.unique(np.concatenate([edges, others], axis=1))].mean(axis=0)
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    cosines = np.concatenate([(Z[i] * Z[j]).sum(axis=1) for i, j in (edges, others)])
    expected = roc_auc_score(np.repeat([1, 0], [edges.shape[1], others.shape[1]]), cosines)
    (said,) = doubts(SCE().fit(graph))
    assert f"structure alone (AUC {expected:.2f})" in said

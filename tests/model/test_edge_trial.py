"""Features that do not go with the edges are doubted, real ones are not; memory and disk say the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from conftest import load_or_skip
from sparsecut import SCE, Disk, Graph, load
from sparsecut.model.edge_trial import MAX_ALIKE, STRUCTURE_COLUMNS, Trial, doubt, random_signs

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


@pytest.mark.parametrize("name", ["cora", "citeseer", "pubmed", "blogcatalog", "amazon_photo", "facebook"])
def test_real_features_are_not_doubted_and_spoiled_ones_are(name: str, tmp_path: Path) -> None:
    graph = load_or_skip(name)
    assert not doubts(SCE().fit(graph))
    if name in ("blogcatalog", "pubmed"):
        return  # the others are enough
    model = SCE().fit(spoiled(graph))
    (said,) = doubts(model)
    assert "features='structure'" in said
    assert "features='both'" in said
    model.save(tmp_path / "model.safetensors")
    assert doubts(load(tmp_path / "model.safetensors")) == [said]


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

    assert doubt(MAX_ALIKE, 0.7, never) is None
    assert doubt(0.51, 0.80, lambda: 0.79) is None
    said = doubt(0.51, 0.80, lambda: 0.95)
    assert said is not None
    assert "AUC 0.51 (0.5 is chance), by the embedding with 0.80, by the graph's structure alone with 0.95" in said


def test_the_score_is_the_auc_by_hand() -> None:
    """Edges at cosines 1 and 0, other pairs at 0.6 and −1: three of the four comparisons are won."""
    Z = torch.tensor([[1.0, 0.0], [2.0, 0.0], [0.0, 5.0], [3.0, 4.0], [-1.0, 0.0]])
    trial = Trial.of(np.array([[10, 10], [20, 30]]), np.array([[10, 10], [40, 50]]))
    np.testing.assert_array_equal(trial.nodes, [10, 20, 30, 40, 50])
    assert trial.score(Z) == pytest.approx(0.75)
    assert trial.score_centred(Z) == pytest.approx(trial.score(Z - Z.mean(dim=0)))


def test_signs_are_the_same_in_any_block_and_look_random() -> None:
    whole = random_signs(1000)
    parts = torch.cat([random_signs(300), random_signs(500, 300), random_signs(200, 800)])
    assert torch.equal(whole, parts)
    assert set(whole.unique().tolist()) == {-1.0, 1.0}
    products = whole.T @ whole / 1000
    assert whole.shape == (1000, STRUCTURE_COLUMNS)
    assert float((products - torch.eye(STRUCTURE_COLUMNS)).abs().max()) < 0.16  # five standard deviations of 1/√1000
    assert float((whole[:-1] * whole[1:]).mean().abs()) < 0.02


def test_the_structure_score_is_the_auc_of_averaged_signs() -> None:
    """Against dense powers of P, on a graph of two groups whose features are noise."""
    from sklearn.metrics import roc_auc_score
    from sparsecut.model.restart import _hold_out

    generator = np.random.default_rng(0)
    side = np.arange(300) % 2
    upper = np.triu(generator.random((300, 300)) < np.where(side[:, None] == side, 0.12, 0.01), 1).astype(np.float32)
    graph = Graph(sp.csr_array(upper + upper.T), features=generator.normal(size=(300, 20)).astype(np.float32))
    kept, edges, others = _hold_out(graph)
    P = kept.toarray() + np.eye(300)
    Z = np.linalg.matrix_power(P / P.sum(axis=1, keepdims=True), 5) @ random_signs(300).numpy()
    Z -= Z[np.unique(np.concatenate([edges, others], axis=1))].mean(axis=0)
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    cosines = np.concatenate([(Z[i] * Z[j]).sum(axis=1) for i, j in (edges, others)])
    expected = roc_auc_score(np.repeat([1, 0], [edges.shape[1], others.shape[1]]), cosines)
    (said,) = doubts(SCE().fit(graph))
    assert f"structure alone with {expected:.2f}" in said

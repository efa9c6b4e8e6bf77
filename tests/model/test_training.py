"""The loop: against the paper's own, route against route, batch against whole, on Cora and on graphs made for it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sparsecut.operators.encoder import LinearEncoder

from conftest import random_graph
from reference import adam_on_rows, complete_pairs, dense_effective_rank, dense_laplacian, dense_propagation
from sparsecut import SCE, Adam, Graph, InputError, MoSCE, Pairs
from sparsecut.errors import MeaninglessEmbeddingWarning
from sparsecut.evaluation import probe, published_splits
from sparsecut.model.training import (
    EnergyOverGram,
    History,
    TrainingSettings,
    _train_unasked,
    effective_rank,
    train,
)


def relative_difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.linalg.norm(one - other) / np.linalg.norm(other))


def start_of(model: SCE, graph: Graph) -> np.ndarray:
    """The weights before the first step: a fit whose loss is none stays there."""
    return model.set_params(loss="none").fit(graph).weights_[0]


@pytest.mark.parametrize("route", ["gram", "rows"])
def test_is_the_papers_loop_step_for_step(route: str) -> None:
    graph = random_graph(is_sparse=True)
    settings = {"dimension": 6, "learning_rate": 0.01, "l2": 0.05, "alpha": 300.0, "epochs": 30}
    model = SCE(**settings, route=route).fit(graph)
    P = dense_propagation(graph.adjacency.toarray())
    expected = adam_on_rows(
        P @ P @ graph.features.toarray(),
        dense_laplacian(40, complete_pairs(40), np.full(780, 5 * 39 / 780)),  # together as heavy as 5 sampled per node
        start_of(SCE(**settings), graph),
        alpha=300.0,
        l2=0.05,
        learning_rate=0.01,
        epochs=30,
    )
    assert relative_difference(model.weights_[0], expected) < 1e-4
    assert model.history_.route == route


CORA_CASES = {
    "SCE, all pairs": (SCE, {}),
    "SCE, sampled": (SCE, {"negatives": "sampled"}),
    "SCE, two layers": (SCE, {"depth": 2}),
    "MoSCE, concat": (MoSCE, {"levels": 3, "aggregation": "concat", "depths": [1, 2, 1]}),
    "MoSCE, mean": (MoSCE, {"levels": 2, "aggregation": "mean", "negatives": "sampled"}),
}


@pytest.mark.parametrize("case", CORA_CASES)
def test_routes_give_the_same_weights_on_cora(cora: Graph, case: str) -> None:
    estimator, settings = CORA_CASES[case]
    dense = Graph(cora.adjacency, features=cora.features.toarray())
    models = {
        "gram": estimator(dimension=64, route="gram", **settings).fit(cora),
        "factors": estimator(dimension=64, route="rows", **settings).fit(cora),
        "rows": estimator(dimension=64, route="rows", **settings).fit(dense),
    }
    assert [models[name].history_.route for name in models] == ["gram", "rows", "rows"]
    assert [models[name].history_.rows for name in ("factors", "rows")] == ["factors", "smoothed"]
    moved = estimator(dimension=64, loss="none", **settings).fit(cora)
    for name in ("gram", "factors"):
        for weights, reference, start in zip(models[name].weights_, models["rows"].weights_, moved.weights_, strict=True):
            # Against the way travelled, not against the weights, which barely move: 1e-3 of it is float32's share.
            assert np.linalg.norm(weights - reference) < 1e-3 * np.linalg.norm(reference - start)
        assert relative_difference(models[name].embedding_, models["rows"].embedding_) < 1e-4


def test_training_raises_the_energy_and_lowers_the_loss() -> None:
    history = SCE(solver=Adam(epochs=15)).fit(random_graph()).history_
    assert all(later < earlier for earlier, later in zip(history.loss[:-1], history.loss[1:], strict=True))
    assert all(later > earlier for earlier, later in zip(history.energy[:-1], history.energy[1:], strict=True))
    assert history.loss[0] == pytest.approx(1, rel=1e-6)
    assert history.alpha == pytest.approx(history.energy[0])
    assert len(history.seconds) == 15
    assert {"prepare", "smooth", "train", "project"} <= set(history.stages)


def test_loss_is_alpha_over_energy_plus_the_penalty() -> None:
    graph = random_graph()
    model = SCE(solver=Adam(epochs=1, alpha=7.0, l2=0.5))
    history = model.fit(graph).history_
    start = start_of(SCE(), graph)
    scaled = history.energy[0] * (5 * 39 / 780)  # of 780 pairs to the weight of 5 sampled per node
    assert history.loss[0] == pytest.approx(7 / scaled + 0.25 * np.sum(start.astype(float) ** 2), rel=1e-5)
    assert history.alpha == pytest.approx(7 * 780 / (5 * 39))


@pytest.mark.parametrize("loss", ["inverse", "negative"])
@pytest.mark.parametrize("n_negatives", [2, 5])
def test_a_given_alpha_means_the_same_against_all_pairs_as_against_sampled_ones(loss: str, n_negatives: int) -> None:
    """All pairs against every partner that a node may draw, itself included, weighed by how often it is drawn."""
    graph = random_graph()
    settings = {"loss": loss, "alpha": 0.3, "l2": 0.1, "epochs": 10, "n_negatives": n_negatives, "dimension": 6}
    expected = SCE(**settings, negatives=[(i, j, n_negatives / 40) for i in range(40) for j in range(40)]).fit(graph)
    assert expected.history_.alpha == pytest.approx(0.3, rel=1e-6)
    model = SCE(**settings, negatives="complete").fit(graph)
    assert model.history_.loss == pytest.approx(expected.history_.loss, rel=1e-5)
    assert relative_difference(model.embedding_, expected.embedding_) < 1e-4
    assert SCE(**settings, negatives="sampled").fit(graph).history_.alpha == 0.3  # not a bit of the paper's loop moves


def test_a_given_alpha_does_not_depend_on_how_heavy_the_negatives_are() -> None:
    n_nodes = 40
    ring = sp.diags_array([np.ones(n_nodes - 1), np.ones(1)], offsets=[1, n_nodes - 1], shape=(n_nodes, n_nodes)).tocsr()
    graph = Graph(ring + ring.T, features=random_graph().features)

    def fitted(negatives: object) -> np.ndarray:
        return SCE(alpha=3.0, l2=0.1, epochs=5, dimension=6, negatives=negatives).fit(graph).weights_[0]

    pairs = [(i, j) for i in range(5) for j in range(5, 9)]
    assert relative_difference(fitted([(*pair, 50) for pair in pairs]), fitted(pairs)) < 1e-4
    assert relative_difference(fitted("degrees"), fitted("complete")) < 1e-4  # equal degrees are the complete graph
    assert relative_difference(fitted("sparsifier"), fitted("complete")) < 0.1  # drawn: equal in expectation


def test_the_papers_settings_score_the_same_over_all_pairs_on_cora(cora: Graph) -> None:
    for per_class in (5, 20):
        splits = published_splits("cora", per_class, cora.n_nodes)[:10]
        sampled, complete = (
            probe(SCE.paper("cora", negatives=negatives).fit_transform(cora), cora.labels, splits).mean
            for negatives in ("sampled", "complete")
        )
        assert complete > sampled - 0.5


def test_alpha_does_not_matter_without_a_penalty_and_does_with_one() -> None:
    graph = random_graph()
    one, other = (SCE(solver=Adam(alpha=alpha)).fit(graph).embedding_ for alpha in (10.0, 1000.0))
    assert relative_difference(one, other) < 1e-3
    one, other = (SCE(solver=Adam(alpha=alpha, l2=0.1)).fit(graph).embedding_ for alpha in (10.0, 1000.0))
    assert relative_difference(one, other) > 1e-2


def test_training_sharpens_the_spectrum_of_the_random_projection() -> None:
    graph = random_graph()
    ranks = [
        SCE(solver=Adam(epochs=epochs, learning_rate=0.01)).fit(graph).history_.effective_rank for epochs in (1, 10, 50)
    ]
    assert ranks[0] > ranks[1] > ranks[2]


def test_a_batch_of_all_nodes_is_the_whole() -> None:
    graph = random_graph()
    whole = SCE(solver=Adam(epochs=5, route="rows")).fit(graph)
    batched = SCE(solver=Adam(epochs=5, batch_size=40)).fit(graph)
    assert relative_difference(batched.weights_[0], whole.weights_[0]) < 1e-5


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("negatives", ["complete", "sampled", [(0, 1), (2, 3)]])
def test_mini_batches_raise_the_energy_of_the_whole(negatives: object, is_sparse: bool) -> None:
    graph = random_graph(is_sparse=is_sparse)
    model = SCE(negatives=negatives, batch_size=13, epochs=10, learning_rate=0.01).fit(graph)
    start = SCE(negatives=negatives, loss="none").fit(graph)
    spread = [np.var(Z - Z.mean(axis=0)) for Z in (start.embedding_, model.embedding_)]
    assert spread[1] > spread[0]
    assert model.history_.route == "rows"


def test_mini_batches_of_one_negative_pair_step_only_where_it_is() -> None:
    graph = random_graph()
    model = SCE(negatives=Pairs([(0, 1)]), solver=Adam(epochs=3, batch_size=10)).fit(graph)
    assert len(model.history_.loss) == 3


@pytest.mark.parametrize("features", [np.ones((5, 3)), np.zeros((5, 3))])
def test_rows_that_are_all_alike_are_left_as_they_started(features: np.ndarray) -> None:
    with pytest.warns(MeaninglessEmbeddingWarning):
        model = SCE(solver="adam").fit(Graph(sp.csr_array((5, 5)), features=features))
    assert "energy is zero" in model.history_.notes[0]
    assert model.history_.effective_rank == 0
    assert np.isfinite(model.embedding_).all()


def test_an_energy_that_overflows_is_an_error_with_a_remedy() -> None:
    graph = Graph(sp.csr_array((3, 3)), features=np.eye(3) * 1e25)
    for model in (SCE(solver="adam"), SCE(weighting="none")):
        with pytest.raises(
            InputError, match=r"too large for float32: .*Got 1e\+25 in row 0, column 0\. Scale the features down"
        ):
            model.fit(graph)
    # With features as they should be it is the steps that are too long.
    with pytest.raises(InputError, match=r"energy overflowed in epoch \d+\. .*lower learning_rate"):
        SCE(solver=Adam(epochs=5, learning_rate=1e19)).fit(Graph(sp.csr_array((3, 3)), features=np.eye(3)))


def test_callback_sees_every_epoch_and_progress_every_stage() -> None:
    epochs, stages = [], []
    SCE(solver=Adam(epochs=4, route="gram")).fit(
        random_graph(),
        callback=lambda epoch, history: epochs.append((epoch, len(history.loss))),
        progress=lambda stage, done, total: stages.append((stage, done, total)),
    )
    assert epochs == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert [stage for stage in stages if stage[0] == "training"] == [("training", epoch, 4) for epoch in range(1, 5)]
    assert ("smoothing", 2, 2) in stages
    assert ("Gram matrix", 1, 1) in stages


def test_effective_rank_matches_the_singular_values() -> None:
    Z = np.random.default_rng(0).normal(size=(50, 8)) * np.array([5, 3, 1, 1, 0.5, 0.1, 0, 0])
    assert effective_rank(torch.from_numpy(Z)) == pytest.approx(dense_effective_rank(Z), rel=1e-6)
    assert effective_rank(torch.ones(4, 2)) == 0
    assert effective_rank(torch.arange(5.0)[:, None] @ torch.ones(1, 3)) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("widths", [[6, 4], [6, 5, 4]], ids=["one matrix", "two"])
def test_steps_unasked_are_the_steps_asked(widths: list[int]) -> None:
    """What a GPU does, which never looks at a number between steps; here on the CPU, against the loop that does."""
    M = torch.randn(30, 6, generator=torch.Generator().manual_seed(0))
    energy = EnergyOverGram({(0,): M.T @ M})
    for loss, alpha in (("inverse", "auto"), ("negative", 0.3)):
        settings = TrainingSettings(loss, alpha, l2=0.01, learning_rate=0.01, epochs=7, batch_size=None, route="gram")
        asked, unasked = (LinearEncoder(widths, torch.Generator().manual_seed(1)) for _ in range(2))
        histories = History(), History()
        train(asked, lambda: [energy], histories[0], settings, lambda *_: None)
        assert _train_unasked(unasked, lambda: [energy], histories[1], settings)
        assert torch.allclose(asked.matrix(), unasked.matrix(), rtol=1e-5)
        assert np.allclose(histories[0].loss, histories[1].loss, rtol=1e-5)
        assert np.allclose(histories[0].energy, histories[1].energy, rtol=1e-5)
        assert np.isclose(histories[0].alpha, histories[1].alpha)


@pytest.mark.parametrize("size", [0.0, 1e30])
def test_steps_unasked_that_made_no_sense_are_taken_back(size: float) -> None:
    encoder = LinearEncoder([3, 2], torch.Generator().manual_seed(1))
    start = encoder.matrix().clone()
    settings = TrainingSettings("inverse", "auto", l2=0, learning_rate=0.01, epochs=3, batch_size=None, route="gram")
    history = History()
    energy = EnergyOverGram({(0,): torch.eye(3) * size * size})
    assert not _train_unasked(encoder, lambda: [energy], history, settings)
    assert torch.equal(encoder.matrix(), start)
    assert history == History()


def test_history_starts_empty() -> None:
    assert math.isnan(History().effective_rank)
    assert History().to_dict()["loss"] == []

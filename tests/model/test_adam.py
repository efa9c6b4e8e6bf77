"""Adam: against the paper's own loop, route against route, batch against whole, on Cora and on graphs made for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.linalg import eigh
from sklearn.base import clone

from conftest import random_graph
from reference import adam_on_rows, complete_pairs, dense_laplacian, dense_propagation
from sparsecut import SCE, Adam, Graph, InputError, MoSCE, Pairs, Sampled
from sparsecut.base.errors import MeaninglessEmbeddingWarning
from sparsecut.engines import Job
from sparsecut.evaluation import probe, published_splits
from toy_engine import ListRows, Toy, ToyEngine


def relative_difference(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.linalg.norm(one - other) / np.linalg.norm(other))


def dense_laplacian_of(A: np.ndarray) -> np.ndarray:
    return np.diag(A.sum(axis=1)) - A


def start_of(model: SCE | MoSCE, graph: Graph) -> list[np.ndarray]:
    """The weights before the first step: a fit whose loss is none stays there."""
    return clone(model).set_params(solver__loss="none").fit(graph).weights_


@pytest.mark.parametrize("loss", ["inverse", "ratio"])
@pytest.mark.parametrize("route", ["gram", "rows"])
def test_is_the_papers_loop_step_for_step(route: str, loss: str) -> None:
    """And with equation opt as its loss, over edges with weights."""
    graph = random_graph(is_sparse=True, is_weighted=True)
    solver = Adam(learning_rate=0.01, l2=0.05, alpha=300.0, epochs=30, route=route, loss=loss)
    model = SCE(dimension=6, solver=solver).fit(graph)
    P = dense_propagation(graph.adjacency.toarray())
    expected = adam_on_rows(
        P @ P @ graph.features.toarray(),
        dense_laplacian(40, complete_pairs(40), np.full(780, 5 * 39 / 780)),  # together as heavy as 5 sampled per node
        start_of(model, graph)[0],
        alpha=300.0,
        l2=0.05,
        learning_rate=0.01,
        epochs=30,
        edges=dense_laplacian_of(graph.adjacency.toarray()) if loss == "ratio" else None,
    )
    assert relative_difference(model.weights_[0], expected) < 1e-4
    assert model.history_.route == route


CORA_CASES = {
    "SCE, all pairs": SCE(dimension=64, solver="adam"),
    "SCE, sampled": SCE(dimension=64, negatives="sampled", solver="adam"),
    "SCE, two layers": SCE(dimension=64, solver=Adam(depth=2)),
    "MoSCE, concat": MoSCE(dimension=64, levels=3, aggregation="concat", solver=Adam(depth=[1, 2, 1])),
    "MoSCE, mean": MoSCE(dimension=64, levels=2, aggregation="mean", negatives="sampled", solver="adam"),
    "SCE, ratio": SCE(dimension=64, solver=Adam(loss="ratio")),
    "MoSCE, concat, ratio": MoSCE(dimension=64, levels=2, aggregation="concat", solver=Adam(loss="ratio")),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CORA_CASES)
def test_routes_give_the_same_weights_on_cora(cora: Graph, case: str) -> None:
    def by(route: str) -> SCE | MoSCE:
        return clone(CORA_CASES[case]).set_params(solver__route=route)

    dense = Graph(cora.adjacency, features=cora.features.toarray())
    models = {"gram": by("gram").fit(cora), "factors": by("rows").fit(cora), "rows": by("rows").fit(dense)}
    assert [models[name].history_.route for name in models] == ["gram", "rows", "rows"]
    assert [models[name].history_.rows for name in ("factors", "rows")] == ["factors", "smoothed"]
    starts = start_of(CORA_CASES[case], cora)
    for name in ("gram", "factors"):
        for weights, reference, start in zip(models[name].weights_, models["rows"].weights_, starts, strict=True):
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
    (start,) = start_of(model, graph)
    scaled = history.energy[0] * (5 * 39 / 780)  # of 780 pairs to the weight of 5 sampled per node
    assert history.loss[0] == pytest.approx(7 / scaled + 0.25 * np.sum(start.astype(float) ** 2), rel=1e-5)
    assert history.alpha == pytest.approx(7 * 780 / (5 * 39))


@pytest.mark.parametrize("loss", ["inverse", "negative"])
@pytest.mark.parametrize("n_negatives", [2, 5])
def test_a_given_alpha_means_the_same_against_all_pairs_as_against_sampled_ones(loss: str, n_negatives: int) -> None:
    """All pairs against every partner that a node may draw, itself included, weighed by how often it is drawn.

    α counts against five sampled pairs per node, or against as many as are sampled.
    """
    graph, alpha = random_graph(), 0.3
    scale = (5 / n_negatives) ** (1 if loss == "inverse" else -1)  # from the unit of five to that of the sample

    def fitted(negatives: Any, alpha: float) -> SCE:
        return SCE(dimension=6, negatives=negatives, solver=Adam(loss=loss, alpha=alpha, l2=0.1, epochs=10)).fit(graph)

    expected = fitted(Pairs([(i, j, n_negatives / 40) for i in range(40) for j in range(40)]), alpha * scale)
    assert expected.history_.alpha == pytest.approx(alpha, rel=1e-6)
    model = fitted("complete", alpha * scale)
    assert model.history_.loss == pytest.approx(expected.history_.loss, rel=1e-5)
    assert relative_difference(model.embedding_, expected.embedding_) < 1e-4
    sampled = fitted(Sampled(n_negatives=n_negatives), alpha)
    assert sampled.history_.alpha == alpha  # not a bit of the paper's loop moves


def test_a_given_alpha_does_not_depend_on_how_heavy_the_negatives_are() -> None:
    n_nodes = 40
    ring = sp.diags_array([np.ones(n_nodes - 1), np.ones(1)], offsets=[1, n_nodes - 1], shape=(n_nodes, n_nodes)).tocsr()
    graph = Graph(ring + ring.T, features=random_graph().features)

    def fitted(negatives: Any) -> np.ndarray:
        solver = Adam(alpha=3.0, l2=0.1, epochs=5)
        return SCE(dimension=6, negatives=negatives, solver=solver).fit(graph).weights_[0]

    pairs = [(i, j) for i in range(5) for j in range(5, 9)]
    assert relative_difference(fitted(Pairs([(*pair, 50) for pair in pairs])), fitted(Pairs(pairs))) < 1e-4
    assert relative_difference(fitted("degrees"), fitted("complete")) < 1e-4  # equal degrees are the complete graph
    assert relative_difference(fitted("sparsifier"), fitted("complete")) < 0.1  # drawn: equal in expectation


@pytest.mark.slow
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
@pytest.mark.parametrize("negatives", ["complete", "sampled", Pairs([(0, 1), (2, 3)])], ids=repr)
def test_mini_batches_raise_the_energy_of_the_whole(negatives: Any, is_sparse: bool) -> None:
    graph = random_graph(is_sparse=is_sparse)
    model = SCE(negatives=negatives, solver=Adam(batch_size=13, epochs=10, learning_rate=0.01)).fit(graph)
    start = SCE(negatives=negatives, solver=Adam(loss="none")).fit(graph)
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


def test_loss_none_is_a_random_projection() -> None:
    model = SCE(dimension=4, solver=Adam(loss="none")).fit(random_graph())
    assert model.history_.route == "none"
    assert model.history_.loss == []
    assert np.abs(model.weights_[0]).max() <= np.sqrt(6 / 16)


def ratio_of(Z: np.ndarray, graph: Graph) -> float:
    """Equation opt of an embedding, an edge and a pair at a time: Σ_edges w·‖z_i − z_j‖² / Σ_pairs ‖z_i − z_j‖²."""
    A = graph.adjacency.toarray().astype(float)
    squares = ((Z[:, None] - Z[None]).astype(float) ** 2).sum(axis=2)
    return float((A * squares).sum() / squares.sum())


@pytest.mark.parametrize("route", ["gram", "rows"])
def test_the_ratio_is_equation_opt_and_falls(route: str) -> None:
    graph = random_graph(is_weighted=True)
    solver = Adam(loss="ratio", epochs=15, learning_rate=0.01, route=route)
    model = SCE(dimension=6, solver=solver).fit(graph)
    start = SCE(dimension=6, solver=Adam(loss="none")).fit_transform(graph)
    energies, losses = model.history_.energy, model.history_.loss
    assert 1 / energies[0] == pytest.approx(ratio_of(start, graph), rel=1e-4)
    assert losses[0] == pytest.approx(1, rel=1e-6)
    assert all(later < earlier for earlier, later in pairwise(losses))
    longer = SCE(dimension=6, solver=clone(solver).set_params(epochs=16)).fit(graph)
    assert 1 / longer.history_.energy[-1] == pytest.approx(ratio_of(model.embedding_, graph), rel=1e-4)


@pytest.mark.slow
def test_the_ratio_run_to_its_end_is_the_smallest_generalised_eigenvalue() -> None:
    """No embedding that is linear in S has a smaller ratio than the least λ of M_G v = λ M v."""
    graph = random_graph(is_weighted=True)
    P = dense_propagation(graph.adjacency.toarray())
    S = P @ P @ graph.features.astype(float)
    A = graph.adjacency.toarray().astype(float)
    L = dense_laplacian(40, complete_pairs(40), np.ones(780))
    least = float(eigh(S.T @ dense_laplacian_of(A) @ S, S.T @ L @ S, eigvals_only=True)[0])
    model = SCE(dimension=2, solver=Adam(loss="ratio", epochs=3000, learning_rate=0.003)).fit(graph)
    assert least * (1 - 1e-3) < ratio_of(model.embedding_, graph) < least * 1.02


def test_the_ratio_of_a_maximum_over_levels_runs_over_rows() -> None:
    graph = random_graph()
    model = MoSCE(dimension=6, levels=2, aggregation="max", solver=Adam(loss="ratio", epochs=5)).fit(graph)
    assert model.history_.route == "rows"
    assert model.history_.loss[-1] < model.history_.loss[0]


@pytest.mark.parametrize("route", ["gram", "rows"])
@pytest.mark.parametrize("adjacency", [np.zeros((6, 6)), np.kron(np.eye(2), np.ones((3, 3)))], ids=["no edges", "cliques"])
def test_the_ratio_of_edges_that_tell_nothing_apart_is_refused(adjacency: np.ndarray, route: str) -> None:
    """In two cliques the smoothed rows of an edge's ends are equal: the numerator is 0 whatever the weights."""
    features = np.kron([[1.0], [2.0]], np.ones((3, 2)))
    with pytest.raises(InputError, match=r"needs an edge whose two ends differ after smoothing.*Use loss='inverse'"):
        SCE(weighting="none", solver=Adam(loss="ratio", route=route)).fit(Graph(adjacency, features=features))


@pytest.mark.parametrize("engine", ["disk", Toy()], ids=repr)
def test_an_engine_without_rows_in_memory_refuses_the_ratio(engine: Any) -> None:
    with pytest.raises(InputError, match=r"needs the graph's edges in memory.*Use engine='memory', or loss='inverse'"):
        SCE(dimension=3, solver=Adam(loss="ratio", epochs=1), engine=engine).fit(random_graph())


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        (Adam(depth=0), "The depth parameter of Adam must be an integer of at least 1. Got 0 instead."),
        (Adam(depth=[1, 0]), "The depth parameter of Adam must be an integer of at least 1. Got 0 instead."),
        (Adam(depth=3, widths=[4]), "one for each of the 2 hidden layers. Got [4]"),
        (Adam(depth=2, widths=0), "The widths parameter of Adam must be an integer of at least 1. Got 0 instead."),
        (Adam(epochs=0), "The epochs parameter of Adam must be an integer of at least 1. Got 0 instead."),
        (Adam(epochs=2.5), "The epochs parameter of Adam must be an integer of at least 1. Got 2.5 instead."),
        (
            Adam(loss="hinge"),
            "The loss parameter of Adam must be one of 'inverse', 'ratio', 'negative', 'none'. Got 'hinge' instead.",
        ),
        (
            Adam(loss="ratio", batch_size=4),
            "Adam cannot train mini-batches on loss='ratio': the ratios of batches do not average to the ratio",
        ),
        (Adam(route="fast"), "The route parameter of Adam must be one of 'auto', 'gram', 'rows'. Got 'fast' instead."),
        (Adam(alpha=-1.0), "The alpha parameter of Adam must be a finite number above 0. Got -1.0 instead."),
        (Adam(alpha="big"), "The alpha parameter of Adam must be a finite number above 0. Got 'big' instead."),
        (Adam(l2=-0.1), "The l2 parameter of Adam must be a finite number of at least 0. Got -0.1 instead."),
        (Adam(learning_rate=0), "The learning_rate parameter of Adam must be a finite number above 0. Got 0 instead."),
        (Adam(learning_rate=float("nan")), "The learning_rate parameter of Adam must be a finite number above 0."),
        (Adam(batch_size=1), "The batch_size parameter of Adam must be an integer of at least 2. Got 1 instead."),
        (
            Adam(batch_size=4, route="gram"),
            "Adam cannot train mini-batches over the Gram matrix. Use route='auto' or 'rows'.",
        ),
    ],
    ids=repr,
)
def test_parameters_that_break_their_rule(solver: Adam, message: str) -> None:
    with pytest.raises(InputError) as caught:
        SCE(solver=solver).fit(random_graph())
    assert message in str(caught.value)


class TrainableLists(ListRows):
    """`TrainableRows` and no more: what the contract asks of rows that are trained over."""

    device = torch.device("cpu")
    n_stored = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.values), len(self.values[0])

    @property
    def n_gathered(self) -> int:
        return sum(len(around) + 1 for around in self.graph)

    def __matmul__(self, weights: torch.Tensor) -> torch.Tensor:
        return torch.tensor(self.values) @ weights

    def transpose_times(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.tensor(self.values).T @ rows

    def take(self, nodes: torch.Tensor) -> TrainableLists:
        return TrainableLists([self.values[node] for node in nodes.tolist()], self.graph, self.filter, self.is_directed)


class TrainableToyEngine(ToyEngine):
    supports = frozenset({"rows", "batches", "max"})

    def load(self, *arguments: Any, **settings: Any) -> TrainableLists:
        return TrainableLists(**vars(super().load(*arguments, **settings)))

    def smooth(self, *arguments: Any, **settings: Any) -> TrainableLists:
        return TrainableLists(**vars(super().smooth(*arguments, **settings)))


class TrainableToy(Toy):
    supports = TrainableToyEngine.supports

    @contextmanager
    def open(self, job: Job) -> Iterator[TrainableToyEngine]:
        self.refuse_unsupported(job)
        yield TrainableToyEngine(job.graph)


@pytest.mark.parametrize(
    "model",
    [
        SCE(dimension=4, solver=Adam(epochs=5, route="rows")),
        SCE(dimension=4, solver=Adam(epochs=5, route="rows", loss="ratio")),
        SCE(dimension=4, solver=Adam(epochs=5, batch_size=7)),
        MoSCE(dimension=4, levels=2, aggregation="max", solver=Adam(epochs=5)),
    ],
    ids=["rows", "ratio", "batches", "max"],
)
def test_trains_over_rows_of_any_engine_that_offers_what_the_contract_says(model: SCE | MoSCE) -> None:
    graph = random_graph(is_weighted=True)
    expected = clone(model).fit(graph)
    found = clone(model).set_params(engine=TrainableToy()).fit(graph)
    assert found.history_.route == expected.history_.route == "rows"
    assert np.allclose(found.history_.loss, expected.history_.loss, rtol=1e-4)
    assert relative_difference(found.embedding_, expected.embedding_) < 1e-4

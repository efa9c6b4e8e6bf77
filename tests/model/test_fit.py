"""The one fit: what it tells, what it leaves alone, and what it says where numbers overflow or dimensions are too many."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from conftest import random_graph
from reference import dense_effective_rank
from sparsecut import SCE, Adam, Graph, InputError, Memory, MoSCE, PageRank, Power
from sparsecut.base.errors import DimensionWarning


@pytest.mark.parametrize(
    "model",
    [
        SCE(filter=Power(order=0), solver=Adam(epochs=2)),
        SCE(filter=PageRank(order=0)),
        SCE(solver=Adam(epochs=2)),
        SCE(),
        SCE(filter=PageRank(order=0), engine=Memory(precision="half")),
    ],
    ids=repr,
)
def test_a_fit_leaves_the_features_as_they_are(model: SCE) -> None:
    graph = random_graph()
    before = graph.features.copy()
    model.set_params(dimension=graph.features.shape[1]).fit(graph)
    assert np.array_equal(graph.features, before)


@pytest.mark.parametrize(
    "model",
    [
        SCE(solver=Adam(epochs=3, route="gram")),
        SCE(solver=Adam(epochs=3, route="rows")),
        SCE(negatives="degrees", solver=Adam(epochs=3, route="gram")),
        MoSCE(solver=Adam(epochs=3, route="gram")),
        MoSCE(aggregation="concat", dimension=4, solver=Adam(epochs=3, route="gram")),
        MoSCE(aggregation="max", dimension=4, solver=Adam(epochs=3)),
        SCE(),
        SCE(dimension=3),
        SCE(negatives="degrees"),
        MoSCE(),
    ],
    ids=repr,
)
def test_the_effective_rank_told_is_the_embeddings(model: SCE | MoSCE) -> None:
    model.fit(random_graph())
    assert model.history_.effective_rank == pytest.approx(dense_effective_rank(model.embedding_), rel=1e-3)


@pytest.mark.parametrize(("n_features", "dimension"), [(12, 12), (600, 512)])
def test_dimension_auto_with_adam_is_what_the_features_fill_up_to_512(n_features: int, dimension: int) -> None:
    assert SCE(solver=Adam(epochs=2)).fit_transform(random_graph(n_features=n_features)).shape[1] == dimension


def test_a_dimension_larger_than_useful_is_said() -> None:
    with pytest.warns(DimensionWarning, match=r"SCE\(dimension=13\) requests more .*: its embedding has 12, and any more"):
        Z = SCE(dimension=13, channels="smoothed").fit_transform(random_graph())
    assert Z.shape == (40, 12)
    with pytest.warns(DimensionWarning, match="than 12 features fill: of the embedding's 13 columns 12 determine"):
        MoSCE(dimension=13, solver="adam").fit(random_graph())  # a mean over levels has the width of one


@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize(
    ("model", "wanted"), [(SCE(filter="power"), 9), (SCE(channels=("own", "smoothed")), 18), (MoSCE(levels=2), 18)], ids=repr
)
def test_no_column_is_zero_and_the_warning_names_as_many_as_the_features_fill(
    model: SCE | MoSCE, wanted: int, engine: str
) -> None:
    # Of 12 columns one is constant, one repeats another, and three sum to one as those of a category do: 9 are free. The
    # rows of P sum to one, so that is so after a hop too.
    random = np.random.default_rng(0)
    X = random.random((40, 12))
    X[:, 3], X[:, 5], X[:, 9:] = 0.25, X[:, 4], np.eye(3)[random.integers(0, 3, 40)]
    graph = Graph(random_graph().adjacency, features=X)
    parameters = {"dimension": 1000, "weighting": "none", "engine": engine}
    with pytest.warns(DimensionWarning, match=f"its embedding has {wanted}, and any more would be zero"):
        Z = clone(model).set_params(**parameters).fit_transform(graph)
    assert Z.shape == (40, wanted)
    assert np.linalg.matrix_rank(Z - Z.mean(axis=0), rtol=1e-6) == wanted
    exact = (
        clone(model).set_params(**parameters | {"dimension": wanted}).fit_transform(graph)
    )  # no warning, which would be an error
    np.testing.assert_array_equal(exact, Z)


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


@pytest.mark.parametrize("depth", [1, 2])
def test_in_a_callback_the_model_is_that_of_its_epoch_and_what_is_kept_of_it_stays(depth: int) -> None:
    graph, kept = random_graph(), []
    model = SCE(dimension=4, solver=Adam(epochs=3, depth=depth, route="gram"))
    model.fit(graph, callback=lambda epoch, history: kept.append((model.weights_[0], model.transform(graph))))
    assert len(kept) == 3
    for epochs, (weights, Z) in enumerate(kept, start=1):
        alone = SCE(dimension=4, solver=Adam(epochs=epochs, depth=depth, route="gram")).fit(graph)
        assert np.array_equal(weights, alone.weights_[0])
        assert np.allclose(Z, alone.embedding_, atol=1e-5)

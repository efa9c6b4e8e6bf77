"""The networks against dense matrices, explicit loops and torch_geometric; gradients against finite differences."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.linear_model import LogisticRegression

from conftest import random_graph
from reference import dense_propagation
from sparsecut import Graph
from sparsecut.baselines import GAT, GCN, SGC, MixHop
from sparsecut.baselines.base import seeded
from sparsecut.baselines.supervised.base import Network, SupervisedBaseline
from sparsecut.baselines.supervised.entries import Entries
from sparsecut.baselines.supervised.gat import AttentionLayer
from sparsecut.evaluation import Split

CPU = torch.device("cpu")


def scores_of(model: SupervisedBaseline, graph: Graph, n_classes: int = 3) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """What the network at its start answers for all nodes, and its weights in float64, none of them zero."""
    with seeded(0, CPU):
        network = model._network(graph.n_features, n_classes).eval()
        for parameter in network.parameters():
            parameter.data += 0.1 * torch.randn(parameter.shape)
    with torch.no_grad():
        scores = network(model._inputs(graph, CPU), torch.arange(graph.n_nodes))
    return scores.numpy(), {name: p.detach().double().numpy() for name, p in network.named_parameters()}


def scaled_dense(graph: Graph, order: int = 1) -> np.ndarray:
    F = graph.features.toarray() if sp.issparse(graph.features) else graph.features
    return F.astype(np.float64) / np.linalg.norm(F, axis=1, ord=order, keepdims=True)


@pytest.fixture(params=[False, True], ids=["dense", "sparse"])
def graph(request: pytest.FixtureRequest) -> Graph:
    graph = random_graph(30, 9, is_weighted=True, density=0.15, is_sparse=request.param)
    F = graph.features.toarray() if request.param else graph.features.copy()
    F[~F.any(axis=1), 0] = 1  # no row of zeros, which the oracle would divide by
    return Graph(graph.adjacency, features=sp.csr_array(F) if request.param else F)


def test_gcn_is_its_equation(graph: Graph) -> None:
    scores, W = scores_of(GCN(hidden=5), graph)
    P, X = dense_propagation(graph.adjacency.toarray(), "symmetric"), scaled_dense(graph)
    np.testing.assert_allclose(scores, P @ np.maximum(P @ X @ W["first"], 0) @ W["second"], atol=1e-5)


@pytest.mark.parametrize("filter", ["symmetric", "row"])
def test_sgc_is_a_linear_map_of_the_smoothed_features(graph: Graph, filter: str) -> None:
    scores, W = scores_of(SGC(order=2, filter=filter), graph)
    P = dense_propagation(graph.adjacency.toarray(), filter)
    np.testing.assert_allclose(scores, P @ P @ scaled_dense(graph) @ W["weights"] + W["bias"], atol=1e-5)


def test_sgc_trained_to_its_end_is_a_logistic_regression(graph: Graph) -> None:
    """The mean cross-entropy plus l2/2·‖w‖² is scikit-learn's sum plus ‖w‖²/(2C) with C = 1/(l2·n)."""
    y = np.arange(30) % 3
    train, l2 = np.arange(20), 1e-3
    model = SGC(l2=l2, epochs=1500, learning_rate=0.05, device="cpu")
    model.fit(Graph(graph.adjacency, features=graph.features, labels=y), split=Split(train, train[:0], train[:0]))
    P = dense_propagation(graph.adjacency.toarray(), "symmetric")
    S = np.hstack([P @ P @ scaled_dense(graph), np.ones((30, 1))])  # the bias is penalised too
    exact = LogisticRegression(C=1 / (l2 * 20), fit_intercept=False, tol=1e-10, max_iter=10_000).fit(S[train], y[train])
    ours = np.vstack([model.network_.weights.detach().numpy(), model.network_.bias.detach().numpy()])
    np.testing.assert_allclose(ours, exact.coef_.T, atol=2e-2 * np.abs(exact.coef_).max())
    np.testing.assert_array_equal(model.predict(graph), exact.predict(S))


def leaky(value: float) -> float:
    return value if value > 0 else 0.2 * value


def attend(A: np.ndarray, h: np.ndarray, s: np.ndarray, t: np.ndarray) -> np.ndarray:
    """One head of attention, a pair of nodes at a time."""
    out = np.zeros_like(h)
    for i in range(len(A)):
        near = [j for j in range(len(A)) if A[i, j] or i == j]
        powers = np.exp([leaky(s @ h[i] + t @ h[j]) for j in near])
        for j, share in zip(near, powers / powers.sum(), strict=True):
            out[i] += share * h[j]
    return out


def test_gat_on_a_path_of_four_by_loops() -> None:
    A = np.array([[0, 1, 0, 0], [1, 0, 5, 0], [0, 5, 0, 1], [0, 0, 1, 0]])  # the 5 is not looked at
    graph = Graph(A, features=np.random.default_rng(0).normal(size=(4, 3)))
    scores, W = scores_of(GAT(hidden=2, heads=3, output_heads=2), graph)
    hidden = scaled_dense(graph)
    for layer, width, heads in (("first", 2, 3), ("second", 3, 2)):
        h = hidden @ W[f"{layer}.weights"]
        parts = [
            attend(A, h[:, k * width : (k + 1) * width], W[f"{layer}.of_self"][k], W[f"{layer}.of_other"][k])
            + W[f"{layer}.bias"][k]
            for k in range(heads)
        ]
        side_by_side = np.hstack(parts)
        hidden = np.where(side_by_side > 0, side_by_side, np.expm1(side_by_side))
    np.testing.assert_allclose(scores, np.mean(parts, axis=0), atol=1e-5)


def test_mixhop_is_powers_of_the_dense_matrix(graph: Graph) -> None:
    scores, W = scores_of(MixHop(widths=(2, 4, 3), segments=(1, 0, 2)), graph)
    P, X = dense_propagation(graph.adjacency.toarray(), "symmetric"), scaled_dense(graph, order=2)
    powers = [np.eye(30), P, P @ P]
    first = np.split(W["first"], [2, 6], axis=1)
    hidden = np.hstack([power @ X @ part for power, part in zip(powers, first, strict=True)])
    hidden = np.maximum((hidden - hidden.mean(axis=0)) / np.sqrt(hidden.var(axis=0) + 1e-3) + W["centre"], 0)
    second = np.split(W["second"], [3, 3], axis=1)
    segments = np.hstack([power @ hidden @ part for power, part in zip(powers, second, strict=True)])
    shares = np.exp(W["shares"]) / np.exp(W["shares"]).sum()
    expected = sum(share * segments[:, 3 * k : 3 * k + 3] for k, share in enumerate(shares))
    np.testing.assert_allclose(scores, expected, atol=1e-4)


def test_layers_agree_with_torch_geometric(graph: Graph) -> None:
    nn = pytest.importorskip("torch_geometric.nn")
    coordinates = graph.adjacency.tocoo()
    edges = torch.tensor(np.stack([coordinates.row, coordinates.col])).long()
    X = torch.tensor(scaled_dense(graph), dtype=torch.float32)
    with torch.no_grad():
        scores, W = scores_of(GCN(hidden=5), graph)
        first, second = nn.GCNConv(9, 5, bias=False), nn.GCNConv(5, 3, bias=False)
        first.lin.weight.copy_(torch.tensor(W["first"].T))
        second.lin.weight.copy_(torch.tensor(W["second"].T))
        weights = torch.tensor(coordinates.data)
        np.testing.assert_allclose(scores, second(first(X, edges, weights).relu(), edges, weights), atol=1e-5)
        scores, W = scores_of(GAT(hidden=4, heads=2, output_heads=2), graph)
        layers = [nn.GATConv(9, 4, heads=2), nn.GATConv(8, 3, heads=2, concat=False)]
        for layer, name in zip(layers, ("first", "second"), strict=True):
            layer.lin.weight.copy_(torch.tensor(W[f"{name}.weights"].T))
            layer.att_dst.copy_(torch.tensor(W[f"{name}.of_self"])[None])
            layer.att_src.copy_(torch.tensor(W[f"{name}.of_other"])[None])
            bias = torch.tensor(W[f"{name}.bias"])
            layer.bias.copy_(bias.flatten() if name == "first" else bias.mean(dim=0))
        np.testing.assert_allclose(scores, layers[1](torch.nn.functional.elu(layers[0](X, edges)), edges), atol=1e-5)


def test_gradients_are_finite_differences() -> None:
    matrix = sp.random_array((5, 4), density=0.5, rng=np.random.default_rng(0))
    entries = Entries(matrix, CPU)
    values = entries.values.double().requires_grad_()
    dense, rows, columns = (torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((4, 3), 5, 4))
    check = torch.autograd.gradcheck
    assert check(lambda values, dense: entries.times(dense, values), (values, dense))
    assert check(entries.of_rows, rows)
    assert check(entries.of_columns, columns)
    assert check(entries.softmax, values)


def test_softmax_of_entries_is_that_of_each_row_even_far_from_zero() -> None:
    matrix = sp.csr_array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]])
    shares = Entries(matrix, CPU).softmax(torch.tensor([1000.0, 1001.0, -500.0]))
    np.testing.assert_allclose(shares, [1 / (1 + np.e), np.e / (1 + np.e), 1], rtol=1e-5)


def test_dropout_drops_features_attention_and_hidden_units_in_training_alone(graph: Graph) -> None:
    for model in (GCN(dropout=0.5), GAT(dropout=0.5), MixHop(dropout=0.5, hidden_dropout=0)):
        with seeded(0, CPU):
            network = model._network(graph.n_features, 3)
            inputs, nodes = model._inputs(graph, CPU), torch.arange(30)
            trained = [network.train()(inputs, nodes) for _ in range(2)]
            still = [network.eval()(inputs, nodes) for _ in range(2)]
        assert not torch.equal(*trained)
        assert torch.equal(*still)
    layer = AttentionLayer(9, 2, 1, dropout=0.5)
    whole = Entries(np.ones((30, 30)), CPU)
    with torch.no_grad():
        layer.bias.zero_()
        layer.of_self.zero_()
        layer.of_other.zero_()
        spread = layer.train()(torch.ones(30, 9), whole)[:, 0].std(dim=0)
    assert (spread > 0).all()  # equal inputs, equal attention: what differs between nodes was dropped


class Wobbling(SupervisedBaseline):
    """One weight, which is raised by one a step. The score of class 1 is −(weight − 3)²: best after the third step."""

    def __init__(self, epochs: int = 50, patience: int = 4) -> None:
        self.epochs, self.patience = epochs, patience
        self.learning_rate, self.l2, self.device, self.random_state = 1.0, 0.0, "cpu", 0

    def _check(self) -> None: ...

    def _network(self, n_features: int, n_classes: int) -> Network:
        class Parabola(Network):
            def __init__(self) -> None:
                super().__init__()
                self.weight = torch.nn.Parameter(torch.zeros(()))

            def forward(self, inputs: object, nodes: torch.Tensor) -> torch.Tensor:
                score = -((self.weight - 3) ** 2)
                return torch.stack([torch.zeros(()), score]).expand(len(nodes), 2)

            def penalised(self) -> list[torch.nn.Parameter]:
                return []

        return Parabola()

    def _inputs(self, graph: Graph, device: torch.device) -> None: ...

    def _optimizers(self, network: Network) -> list[SimpleNamespace]:
        return [SimpleNamespace(step=lambda: network.weight.data.add_(1))]


def test_early_stopping_goes_back_to_the_best_weights() -> None:
    graph = Graph(np.ones((4, 4)), features=np.eye(4), labels=[0, 1, 1, 1])
    model = Wobbling().fit(graph, split=Split(np.array([0, 1]), np.array([2, 3]), np.array([2])))
    assert len(model.history_.loss) == 3 + 4
    assert model.network_.weight.item() == 3
    assert model.history_.notes == ["Stopped after epoch 7: the weights of epoch 3 stay."]
    model = Wobbling(epochs=5).fit(graph, split=Split(np.array([0, 1]), np.array([2, 3]), np.array([2])))
    assert model.network_.weight.item() == 3  # at the last epoch too


def test_the_penalty_is_on_the_weights_the_authors_penalise() -> None:
    """Where nothing is told apart the loss has no gradient for the first layer, so what shrinks is what is penalised."""
    graph = Graph(sp.csr_array((4, 4)), features=np.ones((4, 3)), labels=[0, 1, 0, 1])
    split = Split(np.arange(4), np.arange(0), np.arange(0))
    shrunk = {}
    for l2 in (0.0, 0.3):
        for model in (GCN(dropout=0), MixHop(dropout=0, hidden_dropout=0), GAT(dropout=0), SGC()):
            model.set_params(l2=l2, epochs=1, device="cpu").fit(graph, split=split)
            name = type(model).__name__
            shrunk[name, l2] = {key: p.detach().clone() for key, p in model.network_.named_parameters()}
    changed = {
        name: {key for key in shrunk[name, 0.0] if not torch.equal(shrunk[name, 0.0][key], shrunk[name, 0.3][key])}
        for name in ("GCN", "MixHop", "GAT", "SGC")
    }
    assert changed["GCN"] == {"first"}
    assert changed["MixHop"] == {"first", "second"}
    assert {"first.weights", "second.weights"} <= changed["GAT"]
    assert changed["SGC"] == {"weights", "bias"}

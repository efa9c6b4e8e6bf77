"""The four aggregators against explicit loops, torch's LSTM and SAGEConv."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from graphsage_oracles import by_loops, make_layer, torch_lstm
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.lab.baselines.aggregators import LAYERS
from sparsecut.lab.baselines.neighbour_lists import NeighbourLists

CPU = torch.device("cpu")
TABLE = np.array([[3, 1, 1], [0, 4, 5], [2, 2, 2]])  # the lists of nodes 0, 1 and 2; fan-out three
LISTS = NeighbourLists.of_table(TABLE)
X = np.random.default_rng(0).normal(size=(6, 5)).astype(np.float32) * (np.random.default_rng(1).random((6, 5)) < 0.6)


@pytest.mark.parametrize("aggregator", LAYERS)
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_a_layer_is_its_equation(aggregator, is_sparse):
    layer = make_layer(aggregator)
    rows = SparseMatrix(sp.csr_array(X), CPU) if is_sparse else torch.from_numpy(X)
    own = SparseMatrix(sp.csr_array(X[:3]), CPU) if is_sparse else torch.from_numpy(X[:3])
    out = layer(own, layer.messages(rows), LISTS, 0).detach().numpy()
    np.testing.assert_allclose(out, by_loops(layer, X, TABLE.tolist()), rtol=1e-5, atol=1e-5)


def test_the_lstm_starts_out_remembering():
    np.testing.assert_array_equal(LAYERS["lstm"](5, 4, 3).bias.detach().numpy(), [0, 0, 1, 1, 0, 0, 0, 0])


@pytest.mark.parametrize("aggregator", LAYERS)
def test_gradients_are_those_of_finite_differences(aggregator):
    layer = make_layer(aggregator).double()
    rows = torch.from_numpy(X).double().requires_grad_()

    def forward(rows, *_weights):
        return layer(rows[:3], layer.messages(rows), LISTS, 0)

    assert torch.autograd.gradcheck(forward, (rows, *layer.parameters()))


@pytest.mark.parametrize(
    ("aggregator", "aggr", "n_inputs", "n_outputs"),
    [("mean", "mean", 5, 4), ("pool", "max", 8, 4), ("lstm", "lstm", 5, 10)],  # SAGEConv's hidden rows are as its inputs
)
def test_it_agrees_with_sageconv(aggregator, aggr, n_inputs, n_outputs):
    pyg = pytest.importorskip("torch_geometric.nn")
    layer = make_layer(aggregator, n_inputs, n_outputs)
    rows = torch.randn(6, n_inputs, generator=torch.Generator().manual_seed(0))
    convolution = pyg.SAGEConv(n_inputs, n_outputs // 2, aggr=aggr, bias=False, project=aggregator == "pool")
    with torch.no_grad():
        convolution.lin_l.weight.copy_(layer.neighbour.T)
        convolution.lin_r.weight.copy_(layer.own.T)
        if aggregator == "pool":
            convolution.lin.weight.copy_(layer.hidden.T)
            convolution.lin.bias.copy_(layer.bias)
    if aggregator == "lstm":
        convolution.aggr_module.lstm = torch_lstm(layer)
    edges = torch.from_numpy(np.stack([TABLE.ravel(), np.repeat(np.arange(3), 3)]))
    theirs = convolution((rows, rows[:3]), edges)
    own, heard = layer(rows[:3], layer.messages(rows), LISTS, 0).chunk(2, dim=1)
    torch.testing.assert_close(own + heard, theirs)  # they add what GraphSAGE puts side by side


@pytest.mark.parametrize("aggregator", ["gcn", "mean"])
def test_all_neighbours_are_the_average_over_everything_that_can_be_sampled(aggregator):
    layer = make_layer(aggregator, fan_out=2)
    rows = torch.from_numpy(X)
    messages = layer.messages(rows)
    neighbours = [1, 3, 4, 5]
    draws = [NeighbourLists.of_table(np.array([pair])) for pair in combinations(neighbours, 2)]
    average = torch.stack([layer(rows[:1], messages, draw, 0) for draw in draws]).mean(dim=0)
    everyone = NeighbourLists.of_table(np.array([neighbours]))
    torch.testing.assert_close(layer(rows[:1], messages, everyone, 0), average)

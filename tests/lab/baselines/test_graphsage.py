"""GraphSAGE: two layers over all neighbours, its loss by hand, memory of a step that does not grow with the graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.stats import chisquare
from torch.utils._python_dispatch import TorchDispatchMode

from conftest import random_graph
from graphsage_oracles import by_loops
from sparsecut import Graph, InputError
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.lab.baselines import GraphSAGEGCN, GraphSAGELSTM, GraphSAGEMean, GraphSAGEPool
from sparsecut.lab.baselines.aggregators import LAYERS
from sparsecut.lab.baselines.graphsage import GraphSAGENetwork, pair_loss
from sparsecut.lab.baselines.neighbour_lists import NeighbourLists, sample_layers

CLASSES = [GraphSAGEGCN, GraphSAGEMean, GraphSAGELSTM, GraphSAGEPool]
CPU = torch.device("cpu")


def test_the_loss_by_hand():
    generator = np.random.default_rng(0)
    left, right, negatives = generator.normal(size=(3, 4)), generator.normal(size=(3, 4)), generator.normal(size=(2, 4))
    total = 0.0
    for u, v in zip(left, right, strict=True):
        total += np.log(1 + np.exp(-u @ v)) + sum(np.log(1 + np.exp(u @ n)) for n in negatives)
    loss = pair_loss(torch.from_numpy(left), torch.from_numpy(right), torch.from_numpy(negatives))
    assert loss.item() == pytest.approx(total / 3, rel=1e-12)


def full_lists(graph: Graph) -> list[list[int]]:
    return [list(np.flatnonzero(row)) or [node] for node, row in enumerate(graph.adjacency.toarray())]


@pytest.mark.parametrize("make", [GraphSAGEGCN, GraphSAGEMean, GraphSAGEPool])
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_the_embedding_is_two_layers_over_all_neighbours(make, is_sparse):
    graph = random_graph(density=0.05, is_sparse=is_sparse)
    assert (np.diff(graph.adjacency.indptr) == 0).any()
    model = make(dimension=6, device="cpu").fit(graph)
    rows = graph.features.toarray() if is_sparse else graph.features
    lists = full_lists(graph)
    hidden = np.maximum(by_loops(model.network_.first, rows, lists), 0)
    out = by_loops(model.network_.second, hidden, lists)
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    np.testing.assert_allclose(model.embedding_, out, rtol=1e-4, atol=1e-5)


def test_the_lstm_embeds_by_lists_it_can_draw_again():
    graph = random_graph(density=0.3)
    model = GraphSAGELSTM(dimension=6, fan_outs=(3, 2), random_state=None, device="cpu").fit(graph)
    lists, generator = NeighbourLists.of_graph(graph.adjacency), np.random.default_rng(model.lists_seed_)
    rows = graph.features
    for layer, size, is_last in ((model.network_.first, 3, False), (model.network_.second, 2, True)):
        table = lists.sample(np.arange(graph.n_nodes), size, generator)
        rows = by_loops(layer, rows, table.tolist())
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True) if is_last else np.maximum(rows, 0)
    np.testing.assert_allclose(model.embedding_, rows, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(model.transform(graph), model.embedding_)


@pytest.mark.parametrize("aggregator", LAYERS)
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_blocks_do_not_change_the_embedding(aggregator, is_sparse):
    graph = random_graph(is_sparse=is_sparse)
    network = GraphSAGENetwork(aggregator, graph.n_features, 6, (3, 2))
    features = SparseMatrix(graph.features, CPU) if is_sparse else torch.tensor(graph.features)
    lists = NeighbourLists.of_graph(graph.adjacency)
    tables = [NeighbourLists.of_table(lists.sample(np.arange(40), size, np.random.default_rng(0))) for size in (3, 2)]
    whole = network.embed(features, tables, 40)
    for block_size in (1, 7, 39):
        torch.testing.assert_close(network.embed(features, tables, block_size), whole, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("aggregator", LAYERS)
def test_a_batch_with_the_whole_neighbourhood_is_the_embedding_of_its_nodes(aggregator):
    """Where every node has as many neighbours as are sampled, only their order is random, and the first three lose that."""
    n_nodes, degree = 12, 4
    ring = sum(np.roll(np.eye(n_nodes), shift, axis=1) for shift in (1, 2, -1, -2))
    lists = NeighbourLists.of_graph(sp.csr_array(ring))
    network = GraphSAGENetwork(aggregator, 5, 6, (degree, degree))
    features = torch.randn(n_nodes, 5, generator=torch.Generator().manual_seed(0))
    nodes = np.array([7, 0, 3])
    sampled = sample_layers(lists, nodes, (degree, degree), np.random.default_rng(0), np.empty(n_nodes, dtype=np.int64))
    Z = network(features[torch.from_numpy(sampled.sources)], sampled)
    whole = network.embed(features, [lists, lists], n_nodes)[torch.from_numpy(nodes)]
    is_same = torch.allclose(Z, whole, rtol=1e-5, atol=1e-6)
    assert is_same == (aggregator != "lstm")


class Largest(TorchDispatchMode):
    """The number of entries of the largest tensor that any operation makes."""

    entries = 0

    def __torch_dispatch__(self, function, types, arguments=(), more=None):
        made = function(*arguments, **(more or {}))
        tensors = made if isinstance(made, (tuple, list)) else [made]
        self.entries = max([self.entries, *(tensor.numel() for tensor in tensors if isinstance(tensor, torch.Tensor))])
        return made


@pytest.mark.parametrize("aggregator", LAYERS)
def test_a_step_takes_no_more_memory_in_a_larger_graph(aggregator):
    largest = []
    for n_nodes in (2_000, 100_000):
        neighbours = (np.arange(n_nodes)[:, None] + np.arange(1, 31)) % n_nodes
        lists = NeighbourLists.of_table(neighbours)
        nodes = np.arange(8) * (n_nodes // 8)
        generator = np.random.default_rng(0)
        sampled = sample_layers(lists, nodes, (25, 10), generator, np.empty(n_nodes, dtype=np.int64))
        network = GraphSAGENetwork(aggregator, 5, 16, (25, 10))
        with Largest() as seen:
            network(torch.ones(len(sampled.sources), 5), sampled).sum().backward()
        largest.append(seen.entries)
    assert largest[0] == largest[1]


@pytest.mark.parametrize("make", CLASSES)
def test_training_draws_neighbours_together(make):
    """Two cliques with one edge between them, and features that say nothing of it."""
    clique = np.ones((10, 10)) - np.eye(10)
    dense = np.kron(np.eye(2), clique)
    dense[0, 10] = dense[10, 0] = 1
    graph = Graph(dense, features=np.eye(20))
    model = make(dimension=16, fan_outs=(5, 3), epochs=30, learning_rate=0.01, batch_size=32, device="cpu").fit(graph)
    assert model.history_.loss[-1] < model.history_.loss[0] - 1
    likeness = model.embedding_ @ model.embedding_.T
    assert likeness[1:10, 1:10].mean() > 0.1
    assert likeness[1:10, 11:].mean() < -0.1


def test_negatives_are_drawn_by_degree_to_the_three_quarters():
    graph = random_graph(density=0.1)
    model = GraphSAGEMean(n_negatives=20, batch_size=8)
    generator = np.random.default_rng(0)
    lists = NeighbourLists.of_graph(graph.adjacency)
    batches = [batch for _ in range(40) for batch in model._batches(graph, lists, generator)]
    assert all(len(pairs) <= 8 and negatives.shape == (20,) for pairs, negatives in batches)
    counts = np.bincount(np.concatenate([negatives for _, negatives in batches]), minlength=40)
    chances = np.array([len(np.flatnonzero(row)) for row in graph.adjacency.toarray()]) ** 0.75
    expected = chances / chances.sum() * counts.sum()
    assert chisquare(counts[expected > 0], expected[expected > 0]).pvalue > 1e-3
    assert not counts[expected == 0].any()


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="torch sees no CUDA GPU here")
@pytest.mark.parametrize("make", CLASSES)
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_cuda_agrees_with_cpu(make, is_sparse):
    graph = random_graph(500, 60, density=0.02, is_sparse=is_sparse)
    on_cpu, on_cuda = (make(dimension=16, device=device).fit(graph) for device in ("cpu", "cuda"))
    np.testing.assert_allclose(on_cuda.embedding_, on_cpu.embedding_, atol=1e-3)
    np.testing.assert_allclose(on_cuda.transform(graph), on_cuda.embedding_, atol=1e-6)


@pytest.mark.parametrize("make", CLASSES)
def test_the_papers_settings(make):
    model = make.paper("flickr", epochs=7)
    assert (model.dimension, tuple(model.fan_outs), model.n_negatives, model.batch_size) == (256, (25, 10), 20, 512)
    assert model.epochs == 7
    assert make.paper("reddit").get_params() == make.paper("flickr").get_params()


@pytest.mark.parametrize("make", CLASSES)
def test_wrong_parameters_are_named(make):
    graph = random_graph()
    for option, value in {
        "fan_outs": (3,),
        "walk_length": 1,
        "n_negatives": 0,
        "batch_size": 0,
    }.items():
        with pytest.raises(InputError, match=f"The {option} parameter of {make.__name__} must be"):
            make(**{option: value}, device="cpu").fit(graph)
    with pytest.raises(InputError, match=f"The fan_outs parameter of {make.__name__} must be"):
        make(fan_outs=(3, 0), device="cpu").fit(graph)
    if make is GraphSAGEGCN:
        assert make(dimension=5, device="cpu").fit_transform(graph).shape == (40, 5)
    else:
        with pytest.raises(InputError, match=f"The dimension parameter of {make.__name__} must be even"):
            make(dimension=5, device="cpu").fit(graph)

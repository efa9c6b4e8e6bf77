"""The same graph in another order of nodes and lines is the same model: only the order of the rows changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from conftest import load_or_skip
from sparsecut.graph import Graph


def reordered(graph: Graph, seed: int) -> Graph:
    """The nodes in another order, with the ids they had."""
    order = np.random.default_rng(seed).permutation(graph.n_nodes)
    adjacency = graph.adjacency[order][:, order]
    adjacency.sort_indices()
    return Graph(adjacency, features=graph.features[order], node_ids=graph.node_ids[order])


def assert_same_model(one: sc.SCE, other: sc.SCE, ids: np.ndarray, other_ids: np.ndarray) -> None:
    """Row by row, and chosen for the same reasons."""
    assert other.recipe_.filters == one.recipe_.filters
    assert other.recipe_.weighting.name == one.recipe_.weighting.name
    Z, turned = one.embedding_[np.argsort(ids)], other.embedding_[np.argsort(other_ids)]
    assert Z.shape == turned.shape
    difference = np.linalg.norm(Z - turned, axis=1) / np.linalg.norm(Z, axis=1).mean()
    assert difference.max() < 1e-4
    trial, other_trial = ([reason for reason in model.recipe_.reasons if reason.topic == "trial"] for model in (one, other))
    assert trial == other_trial
    assert len(trial) == 1


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "disk"])
@pytest.mark.parametrize("name", ["cora", "citeseer"])
def test_another_order_of_the_nodes(name: str, engine: str) -> None:
    graph = load_or_skip(name)
    if (name, engine) == ("citeseer", "disk"):  # M of all its 3,703 words would take half a minute there
        graph = graph.replace(features=graph.features[:, :900])
    turned = reordered(graph, seed=3)
    one, other = (sc.SCE(engine=engine).fit(given) for given in (graph, turned))
    assert_same_model(one, other, graph.node_ids, turned.node_ids)


@pytest.mark.slow
def test_another_order_of_the_lines(cora: Graph, tmp_path: Path) -> None:
    """Files as people have them: an edge a line, ids that are words, features beside them."""
    generator = np.random.default_rng(0)
    words = np.array([f"paper {number}" for number in range(cora.n_nodes)])
    first, second = (end for end in cora.adjacency.tocoo().coords)
    lines = [f"{words[i]},{words[j]}\n" for i, j in zip(first, second, strict=True) if i < j]
    names = [f"w{column}" for column in range(300)]
    rows = cora.features[:, :300].toarray().astype(int)
    tables = [f"{words[node]},{','.join(map(str, rows[node]))}\n" for node in range(cora.n_nodes)]
    models, chosen, ids = [], [], []
    for turn in range(2):
        edges, features = tmp_path / f"edges{turn}.csv", tmp_path / f"features{turn}.csv"
        edges.write_text("source,target\n" + "".join(lines))
        features.write_text("id," + ",".join(names) + "\n" + "".join(tables))
        graph = sc.read_graph(edges, features=features, scale=False)
        models.append(sc.SCE(channels="smoothed").fit(graph))
        chosen.append(sc.SCE(channels={"own": 0.5, "smoothed": 1.0}).fit(graph))
        ids.append(graph.node_ids)
        generator.shuffle(lines)
        generator.shuffle(tables)
        # Every edge may be written from either of its ends.
        lines = [line if generator.random() < 0.5 else ",".join(reversed(line.strip().split(","))) + "\n" for line in lines]
    assert (ids[0] != ids[1]).any()
    assert_same_model(*models, *ids)
    # The channel of a node's own row has pairs of nearly equal variances: columns may turn within such a pair, the inner
    # products of rows may not.
    Z, turned = (model.embedding_[np.argsort(of)].astype(np.float64) for model, of in zip(chosen, ids, strict=True))
    assert np.abs(Z @ Z.T - turned @ turned.T).max() < 1e-4 * np.square(Z).sum(axis=1).mean()

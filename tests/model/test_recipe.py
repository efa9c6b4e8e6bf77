"""What "auto" chooses for the features, on made and on real graphs, and what a file keeps of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import load_or_skip, random_graph
from sparsecut import SCE, Adam, Graph, Heat, MoSCE, PageRank, Power, Symmetric, load
from sparsecut.model.recipe import _length_agreement, choose_weighting, read_recipe
from walking import walked


def words(graph: Graph, *, is_shared: bool) -> Graph:
    """Rows of word counts, long or short by the side of the graph a node is on, or at random."""
    generator = np.random.default_rng(0)
    n_nodes = graph.n_nodes
    is_long = np.arange(n_nodes) < n_nodes // 2 if is_shared else generator.random(n_nodes) < 0.5
    return Graph(graph.adjacency, features=generator.poisson(np.where(is_long, 4.0, 0.5)[:, None], (n_nodes, 30)))


def two_sides(n_nodes: int = 200) -> Graph:
    generator = np.random.default_rng(1)
    side = np.arange(n_nodes) < n_nodes // 2
    chance = np.where(side[:, None] == side, 0.1, 0.002)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < chance, 1)
    return Graph((upper + upper.T).astype(np.float32))


def test_the_weighting_follows_from_what_the_numbers_are() -> None:
    graph = two_sides()
    assert choose_weighting(words(graph, is_shared=False))[0] == "tf-idf"
    assert choose_weighting(words(graph, is_shared=True))[0] == "none"
    amounts = Graph(graph.adjacency, features=words(graph, is_shared=False).features / np.float32(7))
    assert choose_weighting(amounts)[0] == "l2"
    assert choose_weighting(random_graph())[0] == "none"  # signed


@pytest.mark.parametrize(
    ("name", "agreement", "weighting"),
    [("digits", 0.82, "none"), ("facebook", 0.41, "none"), ("pubmed", 0.33, "l2"), ("cora", 0.16, "tf-idf")],
)
def test_real_graphs_lie_on_both_sides_of_the_length_that_agrees(name: str, agreement: float, weighting: str) -> None:
    """The threshold 0.35 stands between Pubmed's pages and Facebook's: their lengths belong to the place, or do not."""
    graph = load_or_skip(name)
    assert _length_agreement(graph) == pytest.approx(agreement, abs=0.005)
    chosen, why = choose_weighting(graph)
    assert chosen == weighting
    assert f"(correlation {_length_agreement(graph):.2f})" in why


def test_the_agreement_is_the_correlation_with_the_neighbours() -> None:
    graph = words(two_sides(), is_shared=False)
    logs = np.log(np.linalg.norm(graph.features, axis=1))
    A = graph.adjacency.toarray()
    has_neighbours = A.sum(axis=1) > 0
    around = (A @ logs)[has_neighbours] / A.sum(axis=1)[has_neighbours]
    expected = np.corrcoef(logs[has_neighbours], around)[0, 1]
    assert _length_agreement(graph) == pytest.approx(expected, abs=1e-6)
    alike = Graph(graph.adjacency, features=np.ones((200, 3)))
    assert _length_agreement(alike) == 0  # lengths that do not differ say nothing
    assert _length_agreement(Graph(sp.csr_array((4, 4)), features=np.arange(8).reshape(4, 2))) == 0


def test_what_is_asked_for_is_taken_and_adam_takes_the_papers() -> None:
    graph = random_graph()
    for model, filters, why in (
        (SCE(filter=Heat(time=1.0)), (Heat(time=1.0),), "as asked for"),
        (SCE(solver=Adam(epochs=1)), (Power(),), "the paper's"),
        (SCE(solver=Adam(epochs=1), filter=PageRank(restart=0.4)), (PageRank(restart=0.4),), "as asked for"),
        (MoSCE(levels=3, filter="symmetric"), tuple(Symmetric(order=level) for level in (1, 2, 3)), "as asked for"),
        (MoSCE(), (Power(order=1), Power(order=2)), "the paper's"),
    ):
        recipe = model.fit(graph).recipe_
        assert recipe.filters == filters
        assert recipe.polynomials == tuple(filter.coefficients() for filter in filters)
        (said,) = [reason for reason in recipe.reasons if reason.startswith("filter ")]
        assert said.endswith(f": {why}.")


def test_a_recipe_survives_json() -> None:
    graph = Graph(random_graph(80).adjacency, features=np.random.default_rng(0).poisson(0.3, (80, 20)))
    for model in (SCE(filter=Heat(time=2.0, order=4)), MoSCE(levels=3)):
        recipe = model.fit(graph).recipe_
        header, arrays = recipe.to_header()
        again = read_recipe(json.loads(json.dumps(header)), arrays)
        assert (again.filters, again.aggregation, again.reasons) == (recipe.filters, recipe.aggregation, recipe.reasons)
        assert again.weighting.name == recipe.weighting.name == "tf-idf"
        assert np.array_equal(again.weighting.columns, recipe.weighting.columns)


def test_a_saved_model_transforms_as_before(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    graph = Graph(random_graph(80).adjacency, features=sp.csr_array(generator.poisson(0.3, (80, 20)).astype(np.float32)))
    model = SCE().fit(graph)
    assert model.recipe_.weighting.name == "tf-idf"
    model.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert np.array_equal(again.transform(graph), model.transform(graph))
    assert again.explain() == model.explain()


@pytest.mark.parametrize(
    ("name", "floors"),
    [("cora", (77.0, 82.5)), ("citeseer", (68.5, 71.8)), ("pubmed", (69.0, 78.3))],
)
def test_the_default_is_ahead_of_the_paper_on_its_own_splits(name: str, floors: tuple[float, float]) -> None:
    from sparsecut.evaluation import probe, published_splits

    graph = load_or_skip(name)
    Z = SCE().fit_transform(graph)
    for per_class, floor in zip((5, 20), floors, strict=True):
        splits = published_splits(name, per_class, graph.n_nodes)
        assert round(probe(Z, graph.labels, splits).mean, 1) >= floor


def test_nodes_without_neighbours_do_not_count_in_the_agreement() -> None:
    """They have nobody to agree with: the number is that of the graph without them, however long their rows are."""
    graph = words(two_sides(), is_shared=True)
    n_alone = 100
    adjacency = sp.block_diag([graph.adjacency, sp.csr_array((n_alone, n_alone))]).tocsr()
    alone = np.random.default_rng(3).poisson(np.linspace(0.2, 60, n_alone)[:, None], (n_alone, 30))
    more = Graph(adjacency, features=np.vstack([graph.features, alone.clip(max=np.abs(graph.features).max())]))
    expected = _length_agreement(graph)
    assert expected > 0.5
    assert _length_agreement(more) == pytest.approx(expected, abs=1e-6)
    assert _length_agreement(walked(more, (50, 200, 250))) == pytest.approx(expected, abs=1e-6)

"""`Links`: chosen by held-out links, symmetric or along arcs, sides kept, the same under relabelling and after loading."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links import Links
from sparsecut.links.forms import score_pairs, solve_form
from sparsecut.links.link_sums import sum_links

GENERATOR = np.random.default_rng(0)
N_USERS, N_ITEMS = 120, 80


def blocks(n_left: int, n_right: int, inside: float = 0.35, outside: float = 0.03) -> np.ndarray:
    """Links mostly between nodes of the same of four groups."""
    same = (np.arange(n_left) % 4)[:, None] == (np.arange(n_right) % 4)[None, :]
    return (np.random.default_rng(1).random((n_left, n_right)) < np.where(same, inside, outside)).astype(float)


def movies() -> sc.Graph:
    R = sp.csr_array(blocks(N_USERS, N_ITEMS))
    ids = np.array([f"user:{n}" for n in range(N_USERS)] + [f"item:{n}" for n in range(N_ITEMS)])
    return sc.Graph(sp.block_array([[None, R], [R.T, None]]).tocsr(), node_ids=ids).replace(node_types=("user", "item"))


def friends() -> sc.Graph:
    A = np.triu(blocks(150, 150), 1)
    return sc.Graph(A + A.T)


def citations(n_nodes: int = 200) -> sc.Graph:
    """Arcs from later to earlier nodes, mostly of the same group; features say the group and about when."""
    A = np.tril(blocks(n_nodes, n_nodes, 0.3, 0.02), -1)
    features = np.column_stack([np.eye(4)[np.arange(n_nodes) % 4], np.arange(n_nodes) / n_nodes])
    return sc.Graph(A, features=features, directed="out")


def test_recommendations_are_on_the_other_side_new_and_of_the_right_group():
    graph = movies()
    links = Links(sc.SCE(random_state=0), graph)
    for node in (3, 64):
        found = links.recommend(f"user:{node}", k=10)
        assert all(one.startswith("item:") for one in found.ids)
        known = graph.node_ids[graph.adjacency[[node]].indices]
        assert not set(found.ids) & set(known)
        assert (np.diff(found.scores) <= 0).all()
        groups = np.array([int(one.partition(":")[2]) % 4 for one in found.ids])
        assert (groups == node % 4).mean() >= 0.7
    for_item = links.recommend("item:5", k=4)
    assert all(one.startswith("user:") for one in for_item.ids)
    again = links.recommend("user:3", k=500, with_known=True)
    assert len(again.ids) == N_ITEMS
    assert np.isneginf(links.score([("user:1", "user:2"), ("user:1", "user:1")])).all()
    assert links.probability([("user:1", "user:2")])[0] == 0


def test_probabilities_are_calibrated():
    """The model is refitted without some links; of pairs with a given probability that share are links."""
    graph = movies()
    links = Links(sc.SCE(random_state=0), graph)
    pairs = [(f"user:{u}", f"item:{v}") for u in range(N_USERS) for v in range(N_ITEMS)]
    shares = links.probability(pairs)
    same = np.array([u % 4 == v % 4 for u in range(N_USERS) for v in range(N_ITEMS)])
    assert 0.15 < shares[same].mean() < 0.6  # they are linked with 0.35
    assert shares[~same].mean() < 0.12  # and the others with 0.03
    assert shares.sum() == pytest.approx(graph.n_edges, rel=0.35)


def test_probabilities_of_a_small_graph_tell_pairs_apart():
    """Of 250 links 25 are held out: as many other pairs would make one pool, and one probability for all pairs."""
    same = (np.arange(150) % 4)[:, None] == np.arange(150) % 4
    A = np.triu(np.random.default_rng(2).random((150, 150)) < np.where(same, 0.08, 0.002), 1).astype(float)
    graph = sc.Graph(A + A.T)
    assert 200 < graph.n_edges < 300
    pairs = np.argwhere(np.triu(np.ones((150, 150)), 1))
    inside = same[pairs[:, 0], pairs[:, 1]]
    found = [Links(sc.SCE(random_state=0), graph, random_state=seed).probability(pairs) for seed in range(6)]
    ratios = [shares[inside].mean() / shares[~inside].mean() for shares in found]  # 25 links say it more or less well
    assert min(ratios) > 1.5
    assert max(ratios) > 5
    assert np.mean([shares[inside].mean() for shares in found]) == pytest.approx(0.08, rel=0.5)


def test_undirected_scores_have_no_direction_and_directed_ones_do():
    links = Links(sc.SCE(random_state=0).fit_transform(friends()), friends())
    np.testing.assert_allclose(links.score([(1, 9), (4, 7)]), links.score([(9, 1), (7, 4)]), rtol=1e-9)
    graph = citations()
    arcs = Links(sc.SCE(features="given", random_state=0), graph)
    later, earlier = np.arange(120, 200), np.arange(0, 80)
    forward, backward = arcs.score(np.column_stack([later, earlier])), arcs.score(np.column_stack([earlier, later]))
    assert (forward > backward).mean() > 0.9
    assert arcs.recommend(150, k=5).ids.max() < 150  # later nodes are not cited
    assert not set(arcs.recommend(150, k=50).ids) & set(graph.adjacency[[150]].indices)


def test_a_link_does_not_count_for_itself():
    """The score of a known link is the one it has where it is taken out, for the same matrices and degrees."""
    graph = friends()
    Z = sc.SCE(random_state=0).fit_transform(graph)
    links = Links(Z, graph)
    form = solve_form("both", 0.5, 3.0, sum_links(Z, links._incidence, 0.5))
    u, v = (int(ends[0]) for ends in sp.triu(graph.adjacency, 1).nonzero())
    scale = links._incidence.scale(form.power, is_source=True)
    x = np.hstack([np.ones((len(Z), 1)), Z]) * scale[:, None]
    A = graph.adjacency.toarray().astype(float)
    A[u, v] = A[v, u] = 0
    expected = 0.0
    for here, there, C in ((u, v, form.matrices["targets"]), (v, u, form.matrices["sources"])):
        image = C @ x[there]
        expected += (A[here] @ x) @ image / (1 - x[there] @ image)
    found = score_pairs(form, Z, links._incidence, np.array([[u, v]]), graph.adjacency)
    assert found[0] == pytest.approx(expected, rel=1e-5)
    without = score_pairs(form, Z, links._incidence, np.array([[u, v]]))
    assert without[0] > found[0]


def test_relabelled_nodes_have_the_same_scores():
    graph = friends()
    Z = sc.SCE(random_state=0).fit_transform(graph)
    order = GENERATOR.permutation(graph.n_nodes)
    turned = sc.Graph(graph.adjacency[order][:, order], node_ids=order)
    one, two = Links(Z, graph), Links(pd.DataFrame(Z, index=np.arange(len(Z))), turned)
    # The links held out are others: the same forms, on the same graph in another order.
    two.forms_, two.pair_score_ = one.forms_, one.pair_score_
    pairs = GENERATOR.integers(0, graph.n_nodes, (50, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    np.testing.assert_allclose(two.score(pairs), one.score(pairs), rtol=1e-6)
    assert one.recommend(7, k=5).ids.tolist() == two.recommend(7, k=5).ids.tolist()


def test_new_nodes_are_scored_by_their_vectors_and_links():
    graph = citations()
    known = graph.subgraph(positions=range(190))
    model = sc.SCE(features="given", random_state=0).fit(known)
    links = Links(model, known)
    later = links.transform(graph, model.transform(graph))
    assert later.forms_ is links.forms_
    found = later.recommend(195, k=8)
    assert (found.ids % 4 == 195 % 4).mean() >= 0.5
    with pytest.raises(sc.InputError, match="fitted on vectors of"):
        links.transform(graph, np.ones((200, 2)))
    with pytest.raises(sc.InputError, match="fitted on a directed graph"):
        links.transform(friends(), np.ones((150, 5)))


def test_of_several_sources_the_one_is_taken_that_ranks_held_out_links_best():
    graph = friends()
    groups, noise = np.eye(4)[np.arange(150) % 4], GENERATOR.normal(size=(150, 4))
    links = Links([noise, groups], graph)
    assert links.source_ is groups
    pairs = GENERATOR.integers(0, 150, (40, 2))
    np.testing.assert_array_equal(links.score(pairs), Links(groups, graph).score(pairs))
    with pytest.raises(sc.InputError, match="Got an empty list"):
        Links([], graph)


def test_wrong_input_is_one_sentence():
    graph = friends()
    Z = sc.SCE().fit_transform(graph)
    with pytest.raises(sc.InputError, match="one vector of numbers for each of the 150 nodes"):
        Links(Z[:5], graph)
    with pytest.raises(sc.InputError, match="must be finite"):
        Links(np.full((150, 3), np.nan), graph)
    with pytest.raises(sc.InputError, match="at least 10 edges"):
        Links(np.ones((3, 1)), sc.Graph(np.ones((3, 3)) - np.eye(3)))
    links = Links(Z, graph)
    with pytest.raises(sc.InputError, match="two columns, source and target"):
        links.score([1, 2, 3])
    with pytest.raises(sc.InputError, match="names nodes that the graph does not: 999"):
        links.recommend(999)
    with pytest.raises(sc.InputError, match="k parameter"):
        links.recommend(1, k=0)
    assert links.score([]).shape == (0,)
    assert links.recommend("7", k=3).ids.tolist() == links.recommend(7, k=3).ids.tolist()  # as it is spelled at a shell
    assert links.recommend([]) == []


def test_links_follow_a_model_that_is_updated():
    """A new node with its first links is scored as by a fit of the vectors of the whole graph with the same forms."""
    graph = citations()
    known = graph.subgraph(positions=range(199))
    model = sc.SCE(features="given", random_state=0).fit(known)
    links = Links(model, known)
    edges = [(199, int(target)) for target in graph.adjacency[[199]].indices]
    model.update(nodes_added={199: graph.features[199]}, edges_added=edges)
    later = links.transform(model.graph_, model)
    np.testing.assert_allclose(later.vectors, model.transform(model.graph_), atol=1e-4)
    expected = links.transform(graph, model.transform(graph))
    assert later.recommend(199, k=5).ids.tolist() == expected.recommend(199, k=5).ids.tolist()

"""Why two nodes are near, against a dense sum over all source nodes and features, and against removing one."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc

N, F = 40, 12
GENERATOR = np.random.default_rng(0)
A = np.triu(GENERATOR.random((N, N)) < 0.1, 1).astype(float)
A += A.T
X = GENERATOR.poisson(0.6, (N, F)).astype(np.float32)
WEIGHTED = np.where(A > 0, 1 + np.add.outer(np.arange(N), np.arange(N)) % 3, 0).astype(float)
GRAPH = sc.Graph(A, features=X)

MODELS = {
    "usual": (sc.SCE(features="both"), GRAPH),
    "sparse words": (sc.SCE(weighting="tf-idf", features="both"), sc.Graph(A, features=sp.csr_array(X))),
    "weighted edges": (sc.SCE(channels=("own", "smoothed", "structure", "roles")), sc.Graph(WEIGHTED, features=X)),
    "two steps": (sc.SCE(filter=sc.Power(order=2)), GRAPH),
    "symmetric": (sc.SCE(filter=sc.Symmetric(order=2)), GRAPH),
    "difference": (sc.SCE(channels=("difference", "neighbors")), GRAPH),
    "structure alone": (sc.SCE(features="structure"), sc.Graph(A)),
    "arcs": (
        sc.SCE(features="both"),
        sc.Graph(np.triu(A) + np.tril(A) * (GENERATOR.random((N, N)) < 0.3), features=X, directed="out"),
    ),
    "levels side by side": (sc.MoSCE(levels=2, aggregation="concat", solver=sc.Adam(epochs=3)), GRAPH),
    "mean of levels": (sc.MoSCE(levels=2, aggregation="mean"), GRAPH),
}


def dense_matrix(graph, filter):
    A = graph.adjacency.toarray().astype(float)
    d = 1 + A.sum(axis=1)
    if isinstance(filter, sc.Symmetric):
        return (A + np.eye(len(A))) / np.sqrt(np.outer(d, d))
    return (A + np.eye(len(A))) / d[:, None]


def brute_force(model, graph, u, v):
    """The shares of names, sources and first steps by dense matrices: all pairs (source node, feature)."""
    z = np.asarray(model.embedding_, dtype=float)
    recipe, n_levels = model.recipe_, len(model.weights_)
    beside = recipe.aggregation == "concat" or n_levels == 1
    by_feature, by_source, by_step, first = {}, np.zeros(len(z)), np.zeros(len(z)), 0
    for learned, source, weights in zip(recipe.filters, recipe.sources, model.weights_, strict=True):
        filter = learned.on(is_directed=graph.is_directed)
        P, coefficients = dense_matrix(graph, filter), filter.coefficients()
        S = sum(c * np.linalg.matrix_power(P, k) for k, c in enumerate(coefficients))
        later = sum((c * np.linalg.matrix_power(P, k) for k, c in enumerate(coefficients[1:])), np.zeros_like(P))
        rows = recipe.weighting.apply(graph.features) if source == "features" else model.columns_.whole(source, graph)
        rows = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=float)
        W = np.asarray(weights, dtype=float) / (1 if beside else n_levels)
        columns = slice(first, first + W.shape[1]) if beside else slice(0, W.shape[1])
        first += W.shape[1]
        kept = S.mean(axis=0).sum()
        if source == "features":
            is_centred = abs(kept) > 1e-9 and model.offset_.any()
            m = S.mean(axis=0) @ rows / kept if is_centred else np.zeros(rows.shape[1])
        else:
            m = np.linalg.lstsq(W.T, model.offset_[columns] / sum(coefficients), rcond=None)[0]
        for one, other in ((u, v), (v, u)):
            g = W @ z[other][columns]
            terms = 0.5 * S[one][:, None] * (rows - m) * g  # (source node, feature)
            by_source += terms.sum(axis=1)
            values = 0.5 * ((rows - m) @ g)
            by_step += P[one] * (later @ values)
            by_step[one] += coefficients[0] * values[one]
            key = "features" if source == "features" else (source, filter.n_hops)
            by_feature[key] = by_feature.get(key, 0) + terms.sum(axis=0)
    return by_feature, by_source, by_step, float(z[u] @ z[v])


@pytest.mark.parametrize("name", MODELS)
def test_shares_are_those_of_the_dense_sum_and_add_up(name):
    model, graph = MODELS[name]
    with np.errstate(all="ignore"):
        model.fit(graph)
    for u, v in ((0, 1), (3, 3), (17, 30)):
        found = model.why(u, v)
        by_feature, by_source, by_step, score = brute_force(model, graph, u, v)
        size = max(abs(score), 1e-3 * float(np.square(model.embedding_).sum(axis=1).mean()))
        close = {"rtol": 0, "atol": 1e-5 * size}
        assert found.score == pytest.approx(score, abs=1e-6 * size)
        for total in (
            sum(found.channels.values()),
            *(p.total + found.rest for p in (found.features, found.sources, found.neighbors)),
        ):
            assert abs(total - score) <= 1e-5 * size
        sources, steps = np.zeros(N), np.zeros(N)
        sources[found.sources.names.astype(int)] = found.sources.values
        steps[found.neighbors.names.astype(int)] = found.neighbors.values
        np.testing.assert_allclose(sources, by_source, **close)
        np.testing.assert_allclose(steps, by_step, **close)
        if "features" in by_feature:
            listed = [found.features.value(f"feature {number}") for number in range(F)]
            np.testing.assert_allclose(listed, by_feature["features"], **close)
        if any(key[0] == "structure" for key in by_feature):
            place = sum(values.sum() for key, values in by_feature.items() if key[0] == "structure")
            assert found.features.value("place in the graph") == pytest.approx(place, abs=1e-5 * size)
        if ("roles", 1) in by_feature:
            name_of_first = f"{model.columns_.roles.names[0]} of neighbours"
            assert found.features.value(name_of_first) == pytest.approx(by_feature["roles", 1][0], abs=1e-5 * size)
        if name not in ("symmetric", "difference"):  # there walks do not keep the mean
            assert abs(found.rest) <= 1e-5 * size


def test_without_a_feature_the_score_changes_by_what_it_says():
    for filter in (sc.PageRank(restart=0.2), sc.Power(order=2)):
        model = sc.SCE(filter=filter, weighting="none").fit(GRAPH)
        for number in (0, 5, 11):
            without = X.copy()
            without[:, number] = 0
            Z = model.transform(sc.Graph(A, features=without)).astype(float)
            for u, v in ((0, 1), (8, 8), (17, 30)):
                found = model.why(u, v)
                assert Z[u] @ Z[v] - found.score == pytest.approx(
                    found.features.change(f"feature {number}"), abs=1e-5 * (1 + abs(found.score))
                )


def test_what_comes_through_an_edge_goes_with_it():
    """The first step of one end along an edge left out, by dense matrices: the score moves by its share of that end."""
    model = sc.SCE(filter=sc.PageRank(restart=0.2)).fit(GRAPH)
    u, v = 0, 25
    assert not (A[u] * A[v]).any()  # no shared neighbour: the share of a neighbour is that of one end
    assert not A[u, v]
    found = model.why(u, v)
    filter = model.recipe_.filters[0]
    P, c = dense_matrix(GRAPH, filter), filter.coefficients()
    rows = model.recipe_.weighting.apply(GRAPH.features) @ model.weights_[0] - model.offset_
    beyond = sum(one * np.linalg.matrix_power(P, k) for k, one in enumerate(c[1:])) @ rows
    z = model.embedding_.astype(float)
    for x in np.flatnonzero(A[u]):
        without = z[u] - P[u, x] * beyond[x]
        assert (z[u] - without) @ z[v] / 2 == pytest.approx(found.neighbors.value(x), abs=1e-5 * abs(found.score))


def test_a_walk_cut_short_leaves_a_rest_and_the_sum_is_exact():
    graph = sc.datasets.load("digits")
    model = sc.SCE().fit(graph)
    near = sc.Nearness(model, most_edges=60)
    for found in near.why(7, [8, 900, 7]):
        for part in (found.features, found.sources, found.neighbors):
            assert part.total + found.rest == pytest.approx(found.score, rel=1e-9, abs=1e-9)
    whole, cut = sc.Nearness(model, most_edges=10**9).why(7, 8), near.why(7, 8)
    assert abs(whole.rest) < 1e-5 * abs(whole.score) < abs(cut.rest)


def test_the_nearest_are_those_by_cosine_and_ids_are_found_as_words():
    names = np.array([f"n{number}" for number in range(N)])
    model = sc.SCE(features="both").fit(GRAPH.replace(node_ids=names))
    Z = model.embedding_ / np.linalg.norm(model.embedding_, axis=1, keepdims=True)
    order = np.argsort(-(Z @ Z[4]), kind="stable")
    assert [found.nodes for found in model.why("n4", k=3)] == [("n4", f"n{other}") for other in order[order != 4][:3]]
    assert model.why("n4", "n5").shared.tolist() == names[np.flatnonzero(A[4] * A[5])].tolist()
    with pytest.raises(sc.InputError, match="n99"):
        model.why("n4", "n99")
    with pytest.raises(sc.InputError, match="either other nodes or k"):
        model.why("n4", "n5", k=3)


def test_updates_are_seen_and_a_loaded_model_is_given_its_graph(tmp_path):
    model = sc.SCE(features="both").fit(GRAPH)
    before = model.why(0, 1)
    linked = int(np.flatnonzero((A[0] == 0) & (np.arange(N) > 1))[0])
    model.update(edges_added=[(0, linked)], tolerance=0)
    after = model.why(0, 1)
    assert linked in after.neighbors.names.tolist()
    assert after.score == pytest.approx(float(model.embedding_[0].astype(float) @ model.embedding_[1].astype(float)))
    assert after.score != before.score
    assert abs(after.rest) < 1e-4 * float(np.square(model.embedding_).sum(axis=1).mean())
    model.save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    with pytest.raises(sc.InputError, match="holds no graph"):
        loaded.why(0, 1)
    again = sc.Nearness(loaded, model.graph_).why(0, 1)
    assert again.score == pytest.approx(after.score, rel=1e-4)
    assert "_near" not in copy.copy(model).__dict__
    with pytest.raises(sc.InputError, match="columns for each of the 40 nodes"):
        sc.Nearness(loaded, model.graph_, np.zeros((N, 3)))


def test_a_maximum_over_levels_is_no_sum():
    model = sc.MoSCE(levels=2, aggregation="max", solver=sc.Adam(epochs=2)).fit(GRAPH)
    with pytest.raises(sc.InputError, match="takes the maximum over its levels"):
        model.why(0, 1)


def test_means_of_types_are_a_part_of_their_own_and_the_sum_is_exact():
    R = (GENERATOR.random((25, 15)) < 0.3).astype(float)
    A = np.block([[np.zeros((25, 25)), R], [R.T, np.zeros((15, 15))]])
    names = np.array([f"user:{n}" for n in range(25)] + [f"movie:{n}" for n in range(15)])
    graph = sc.Graph(A, features=X, node_ids=names).replace(node_types=("user", "movie"))
    model = sc.SCE(features="both").fit(graph)
    assert model.offset_.ndim == 2
    for u, v in (("user:0", "movie:3"), ("user:1", "user:2"), ("movie:0", "movie:0")):
        found = model.why(u, v)
        size = float(np.square(model.embedding_).sum(axis=1).mean())
        for part in (found.features, found.sources, found.neighbors):
            assert abs(part.total + found.rest - found.score) <= 1e-5 * size
        assert abs(found.rest) <= 1e-5 * size


def test_several_nodes_in_place_of_one_are_refused():
    model = sc.SCE(dimension=4).fit(GRAPH)
    for nodes in ([3, 4], (3, 4), np.array([3])):
        with pytest.raises(sc.InputError, match="takes one node, and others to compare it with"):
            model.why(nodes, 5)
    assert [found.nodes for found in model.why(3, [4, 5])] == [(3, 4), (3, 5)]

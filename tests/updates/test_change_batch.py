"""Changes one after the other, folded: the same graph as changes made one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from conftest import random_graph
from sparsecut import SCE, InputError, Power
from sparsecut.graph import Graph
from sparsecut.updates.change_batch import ChangeBatch
from sparsecut.updates.change_files import Change, change_of


def make(seed: int = 1, is_weighted: bool = False) -> SCE:
    return SCE(filter=Power(order=1), dimension=3).fit(random_graph(12, 4, seed=seed, density=0.3, is_weighted=is_weighted))


def test_a_batch_is_the_changes_one_by_one() -> None:
    one, folded = make(), make()
    generator, batch = np.random.default_rng(0), ChangeBatch(folded._live(), None)
    for step in range(300):
        alone = ChangeBatch(one._live(), None)
        op = str(generator.choice(["add", "remove", "change"]))
        a, b = (int(node) for node in generator.integers(0, 16, 2))
        if generator.random() < 0.6:
            change = Change(op, a, b, None if op == "remove" else float(generator.integers(1, 5)), time=step)
        else:
            change = Change(op, node=a, features=None if op == "remove" else generator.normal(size=4).tolist())
        try:
            alone.add(change)
        except InputError:
            with pytest.raises(InputError):
                batch.add(change)
            continue
        batch.add(change)
        try:
            one.update(**alone.arguments(), tolerance=0)
        except InputError as error:
            assert "leave no node" in str(error)  # noqa: PT017 - the last node may not go
            return
    folded.update(**batch.arguments(), tolerance=0)
    ids, others = one.graph_.node_ids, folded.graph_.node_ids
    assert sorted(ids.tolist()) == sorted(others.tolist())
    order = [others.tolist().index(node) for node in ids.tolist()]  # nodes that come again do so at the end
    np.testing.assert_array_equal(folded.graph_.adjacency.toarray()[np.ix_(order, order)], one.graph_.adjacency.toarray())
    np.testing.assert_allclose(folded.embedding_[order], one.embedding_, atol=1e-5)
    assert batch.n_changes > 60
    assert isinstance(batch.time, int)


@pytest.mark.parametrize("name", ["weight", "time"])
def test_a_column_called_as_part_of_a_change_is_given_as_a_feature(name: str) -> None:
    plain = random_graph(12, 2, seed=1, density=0.3)
    table = pd.DataFrame({name: np.arange(12.0), "height": np.arange(12.0) % 5})
    model = SCE(filter=Power(order=1), dimension=2).fit(Graph(plain.adjacency, features=table))
    batch = ChangeBatch(model._live(), model.encoder_)
    with pytest.raises(InputError, match=f"'{name}' is a column of the features too"):
        batch.add(change_of({"op": "change", "node": 3, name: 90, "height": 1}, int))
    batch.add(change_of({"op": "change", "node": 3, "features": {name: 90, "height": 1}}, int))
    assert batch.arguments()["features_changed"] == {3: {name: 90, "height": 1}}


RATES, SEES, HAS = ("user", "rates", "film"), ("user", "sees", "film"), ("film", "has", "tag")


def films(*, new: bool = False, ages: bool = False, sees: bool = True) -> sc.Graph:
    """Users who rate and see films, and films with tags; of `new` a user, a film and a tag more, and their edges."""
    generator = np.random.default_rng(0)
    ends = {kind: np.unique(generator.integers(0, 12, (60, 2)), axis=0) for kind in (RATES, SEES, HAS)}
    users, tables = pd.DataFrame({"id": np.arange(12), "age": generator.integers(18, 80, 12)}), {}
    shelf = pd.DataFrame({"id": np.arange(12), "year": generator.integers(1950, 2020, 12)})
    tags = list(range(12))
    if not sees:
        del ends[SEES]
    for kind, pairs in ends.items():
        tables[kind] = pd.DataFrame(pairs, columns=[f"{kind[0]}_id", f"{kind[2]}_id"])
    tables[RATES]["stars"], tables[RATES]["at"] = generator.integers(1, 6, len(ends[RATES])), 0.0
    if new:
        users.loc[12], shelf.loc[12] = (99, 30), (99, 1999)
        tags.append(99)
        for kind, pairs in ((kind, NEW[kind]) for kind in ends):
            tables[kind] = pd.concat([tables[kind], pd.DataFrame(pairs, columns=tables[kind].columns[: len(pairs[0])])])
    times: dict[str, Any] = {"time": {"rates": "at"}, "half_life": 10, "now": 20.0 if new else 0.0} if ages else {}
    return sc.from_tables({"user": users, "film": shelf, "tag": tags}, tables, weight={"rates": "stars"}, **times)


NEW: dict[Any, list[tuple[float, ...]]] = {
    RATES: [(99, 3, 5, 20.0), (99, 99, 1, 20.0)],
    SEES: [(99, 4)],
    HAS: [(99, 99), (99, 2)],
}
LINES: list[dict[str, Any]] = [
    {"op": "add", "node": "user:99", "age": 30, "year": None, "relation": None},  # a table has empty cells here
    {"op": "add", "node": "film:99", "features": {"year": 1999}},
    {"op": "add", "node": "tag:99"},
    {"op": "add", "source": "user:99", "target": "film:3", "weight": 5, "relation": "rates", "time": 20.0},
    {"op": "add", "source": "film:99", "target": "user:99", "relation": "user:rates:film", "time": 20.0},
    {"op": "add", "source": "user:99", "target": "film:4", "relation": "sees"},
    {"op": "add", "source": "film:99", "target": "tag:99"},
    {"op": "add", "source": "film:99", "target": "tag:2"},
]


@pytest.mark.parametrize("ages", [False, True], ids=["undated", "one type has times"])
@pytest.mark.parametrize("sees", [False, True], ids=["types tell the relation", "two types join users and films"])
@pytest.mark.parametrize("n_most", [1, 100])
def test_a_stream_names_the_types_of_its_edges(n_most: int, sees: bool, ages: bool) -> None:
    """The graph read anew from its tables is the oracle: each type at its own factor, and ageing where it has times."""
    model = SCE(filter=Power(order=2), dimension=2, relations={"rates": 2.0}).fit(films(ages=ages, sees=sees))
    lines = [line for line in LINES if sees or line.get("relation") != "sees"]
    for start in range(0, len(lines), n_most):
        batch = ChangeBatch(model._live(), model.encoder_, model.kind_)
        for line in lines[start : start + n_most]:
            batch.add(change_of(line, str))
        model._apply(replace(model._checked(**batch.arguments()), now=batch.now), 0.0)
    whole = films(new=True, ages=ages, sees=sees)
    order = [whole.node_ids.tolist().index(node) for node in model.graph_.node_ids]
    expected = model.transform(whole)[order]
    np.testing.assert_allclose(model.embedding_, expected, atol=1e-5 * np.abs(expected).max())
    dense = sum(
        factor * matrix.toarray()
        for factor, matrix in zip(model.kind_.relations.factors, whole.relations.matrices, strict=True)  # type: ignore[union-attr]
    )
    found = model.graph_.adjacency.toarray()
    if not ages or not sees:  # else what is seen has no time, what is rated has, and the sum of both stays as of the fit
        np.testing.assert_allclose(found, dense[np.ix_(order, order)], rtol=1e-5)


def test_a_batch_adds_up_types_of_edges_by_their_weights() -> None:
    """Two types between the same two nodes: in one batch as in two, and each at its own factor."""
    model = SCE(filter=Power(order=1), dimension=2, relations={"rates": 3.0}).fit(films(ages=True))
    batch = ChangeBatch(model._live(), model.encoder_, model.kind_)
    for line in LINES[:1]:
        batch.add(change_of(line, str))
    for relation in ("rates", "sees", "rates"):
        batch.add(Change("add", "user:99", "film:3", 2.0, relation=relation))
    model._apply(replace(model._checked(**batch.arguments()), now=batch.now), 0.0)
    places = [model.graph_.node_ids.tolist().index(node) for node in ("user:99", "film:3")]
    of_type = dict(
        zip((name for _, name, _ in model.kind_.relations.edge_types), model.kind_.relations.factors, strict=True)
    )  # type: ignore[union-attr]
    expected = 4 * of_type["rates"] + 2 * of_type["sees"]
    assert model.graph_.adjacency[places[0], places[1]] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"op": "add", "source": "user:1", "target": "tag:1"}, "no fitted type does"),
        ({"op": "add", "source": "user:1", "target": "film:1"}, "name one as the relation"),
        ({"op": "add", "source": "user:1", "target": "film:1", "relation": "hates"}, "no fitted type called 'hates'"),
        ({"op": "change", "node": "tag:1", "features": {"x": 1}}, "added by its id alone"),
        ({"op": "add", "node": "user:70"}, "needs features"),
    ],
)
def test_a_line_that_fits_no_type_is_refused_by_itself(line: dict[str, Any], message: str) -> None:
    model = SCE(filter=Power(order=1), dimension=2).fit(films())
    batch = ChangeBatch(model._live(), model.encoder_, model.kind_)
    if line.get("target") == "film:1" and model._live().graph.weight_of(1, 13):
        batch.add(Change("remove", "user:1", "film:1"))
    with pytest.raises(InputError, match=message):
        batch.add(change_of(line, str))


def test_edges_that_go_between_types_that_several_join_are_said() -> None:
    graph = films()
    model = SCE(filter=Power(order=1), dimension=2).fit(graph)
    i, j = (int(ends[0]) for ends in np.nonzero(graph.adjacency.toarray()[:12, 12:24]))
    changed = model.update(edges_removed=[(f"user:{i}", f"film:{j}")])
    assert "several types of edges join" in changed.notes[0]
    i, j = (int(ends[0]) for ends in np.nonzero(graph.adjacency.toarray()[12:24, 24:]))
    assert model.update(edges_removed=[(f"film:{i}", f"tag:{j}")]).notes == []


def test_nodes_of_a_graph_without_features_are_added_by_their_ids() -> None:
    edges = np.random.default_rng(0).integers(0, 30, (120, 2))
    ways = [SCE(filter=Power(order=2), dimension=3).fit(sc.from_edges(edges, node_ids=np.arange(30))) for _ in range(2)]
    batch = ChangeBatch(ways[0]._live(), None)
    for record in ({"op": "add", "node": 30}, {"op": "add", "source": 30, "target": 3}):
        batch.add(change_of(record, int))
    with pytest.raises(InputError, match="added by its id alone"):
        batch.add(change_of({"op": "add", "node": 31, "features": [1]}, int))
    ways[0].update(**batch.arguments(), tolerance=0)
    ways[1].update(nodes_added=[30], edges_added=[(30, 3)], tolerance=0)
    np.testing.assert_array_equal(ways[0].embedding_, ways[1].embedding_)


def test_an_edge_that_comes_and_goes_is_no_change() -> None:
    model = make()
    batch = ChangeBatch(model._live(), None)
    dense = model.graph_.adjacency.toarray()
    (i, j), (k, m) = np.argwhere(np.triu(dense) > 0)[0].tolist(), np.argwhere(np.triu(dense == 0, 1))[0].tolist()
    for change in (Change("add", k, m), Change("remove", m, k), Change("remove", i, j), Change("add", j, i, 2.0)):
        batch.add(change)
    found = {name: values for name, values in batch.arguments().items() if values}
    assert found == {"weights_changed": [(i, j, 2.0)]}

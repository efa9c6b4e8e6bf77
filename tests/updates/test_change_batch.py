"""Changes one after the other, folded: the same graph as changes made one by one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

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


def test_an_edge_that_comes_and_goes_is_no_change() -> None:
    model = make()
    batch = ChangeBatch(model._live(), None)
    dense = model.graph_.adjacency.toarray()
    (i, j), (k, m) = np.argwhere(np.triu(dense) > 0)[0].tolist(), np.argwhere(np.triu(dense == 0, 1))[0].tolist()
    for change in (Change("add", k, m), Change("remove", m, k), Change("remove", i, j), Change("add", j, i, 2.0)):
        batch.add(change)
    found = {name: values for name, values in batch.arguments().items() if values}
    assert found == {"weights_changed": [(i, j, 2.0)]}

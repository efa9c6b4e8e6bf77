"""scikit-learn's contract, kept without its base class: what scikit-learn itself asks of an estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from sparsecut import SCE, MoSCE, Pairs
from sparsecut.baselines import DGI


@pytest.mark.parametrize("make", [SCE, MoSCE, DGI])
def test_scikit_learn_takes_it_for_a_transformer(make: type) -> None:
    tags = get_tags(make())
    assert tags.estimator_type == "transformer"
    assert tags.transformer_tags is not None
    assert not tags.target_tags.required
    assert clone(make()).get_params() == make().get_params()
    pipeline = make_pipeline(make())
    name = make.__name__.lower()
    assert pipeline.set_params(**{f"{name}__dimension": 3}).get_params()[f"{name}__dimension"] == 3


def test_a_parameter_that_is_an_array_is_cloned_and_shown() -> None:
    pairs = np.array([[0, 1], [1, 2]])
    twin = clone(SCE(apart=pairs, negatives=Pairs(pairs)))
    assert np.array_equal(twin.apart, pairs)
    assert np.array_equal(twin.negatives.pairs, pairs)
    assert repr(twin).startswith("SCE(apart=array(")
    assert "negatives=Pairs(pairs=array(" in repr(twin)


def test_a_fitted_one_is_known_as_such_and_survives_pickle() -> None:
    from sparsecut import Graph

    graph = Graph(np.ones((4, 4)) - np.eye(4), features=np.eye(4))
    model = SCE(dimension=2).fit(graph)
    check_is_fitted(model)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert np.array_equal(again.transform(graph), model.transform(graph))

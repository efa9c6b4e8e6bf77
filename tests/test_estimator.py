"""scikit-learn's contract, kept without its base class: what scikit-learn itself asks of an estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from sparsecut import SCE, InputError, MoSCE
from sparsecut.baselines import DGI, RawFeatures
from sparsecut.estimator import Estimator


class Twofold(Estimator):
    def __init__(self, *, second: object = None, first: int = 1) -> None:
        self.second = second
        self.first = first


def test_parameters_are_those_of_the_constructor() -> None:
    model = Twofold(second=[3])
    assert list(model.get_params()) == ["first", "second"]
    assert model.set_params(first=2).first == 2
    assert repr(model) == "Twofold(first=2, second=[3])"
    assert repr(Twofold()) == "Twofold()"
    assert RawFeatures().get_params() == {}
    with pytest.raises(InputError, match="Twofold has no parameter 'third'"):
        model.set_params(third=3, first=9)
    assert model.first == 2  # nothing is set where one of them is wrong


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
    twin = clone(SCE(negatives=pairs))
    assert np.array_equal(twin.negatives, pairs)
    assert repr(twin).startswith("SCE(negatives=array(")


def test_a_fitted_one_is_known_as_such_and_survives_pickle() -> None:
    from sparsecut import Graph

    graph = Graph(np.ones((4, 4)) - np.eye(4), features=np.eye(4))
    model = SCE(dimension=2).fit(graph)
    check_is_fitted(model)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301
    assert np.array_equal(again.transform(graph), model.transform(graph))

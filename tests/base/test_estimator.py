"""scikit-learn's contract, kept without its base class: what scikit-learn itself asks of an estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from sparsecut import SCE, InputError, MoSCE, Pairs
from sparsecut.lab.baselines import DGI, RawFeatures


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


@pytest.mark.parametrize("make", [SCE, MoSCE, DGI])
def test_n_components_is_another_name_for_dimension(make: type) -> None:
    model = make(n_components=3)
    assert (model.dimension, model.n_components) == (3, 3)
    assert repr(model) == f"{make.__name__}(dimension=3)"
    assert "n_components" not in model.get_params()
    assert clone(model).get_params() == model.get_params() == make(dimension=3).get_params()
    assert model.set_params(n_components=4).dimension == 4
    assert model.set_params(dimension=5).n_components == 5
    pipeline = make_pipeline(model)
    pipeline.set_params(**{f"{make.__name__.lower()}__n_components": 6})
    assert model.dimension == 6
    for wrong in (lambda: make(dimension=3, n_components=3), lambda: model.set_params(dimension=3, n_components=4)):
        with pytest.raises(InputError, match="takes dimension or n_components, which is the same, not both"):
            wrong()
    assert model.dimension == 6


def test_an_estimator_without_a_dimension_has_no_components() -> None:
    assert not hasattr(RawFeatures(), "n_components")
    with pytest.raises(TypeError):
        RawFeatures(n_components=3)


def test_scikit_learn_draws_it_in_a_pipeline() -> None:
    assert "SCE" in make_pipeline(SCE(dimension=3))._repr_html_()

"""`set_output`: frames with the nodes' ids, as scikit-learn's own transformers give them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import random_graph
from sparsecut import SCE, InputError, MoSCE
from sparsecut.lab.baselines import RawFeatures, SmoothedPCA

GRAPH = random_graph(n_nodes=12, n_features=5).replace(node_ids=np.array([f"n{node}" for node in range(12)]))


@pytest.mark.parametrize("make", [SCE, MoSCE, SmoothedPCA])
def test_pandas_has_ids_for_its_index_and_names_for_its_columns(make: type) -> None:
    plain = make(dimension=3).fit(GRAPH)
    model = make(dimension=3).set_output(transform="pandas")
    fitted = model.fit_transform(GRAPH)
    assert isinstance(fitted, pd.DataFrame)
    assert fitted.index.tolist() == GRAPH.node_ids.tolist()
    assert fitted.columns.tolist() == model.get_feature_names_out().tolist()
    assert np.array_equal(fitted.to_numpy(), plain.embedding_)
    assert np.array_equal(model.transform(GRAPH).to_numpy(), plain.transform(GRAPH))
    assert isinstance(model.embedding_, np.ndarray)
    assert isinstance(clone(model).fit_transform(GRAPH), pd.DataFrame)
    assert isinstance(model.set_output(transform="default").transform(GRAPH), np.ndarray)
    assert model.set_output() is model


def test_polars_and_an_adjacency_without_ids() -> None:
    frame = SCE(dimension=2, channels="own").set_output(transform="polars").fit_transform(GRAPH)
    assert isinstance(frame, pl.DataFrame)
    assert frame.columns == ["sce0", "sce1"]
    plain = RawFeatures().set_output(transform="pandas").fit_transform(GRAPH.adjacency, features=GRAPH.features)
    assert plain.index.tolist() == list(range(12))


def test_scikit_learns_configuration_holds_and_gives_way_to_the_models_own() -> None:
    with sklearn.config_context(transform_output="pandas"):
        assert isinstance(SCE(dimension=2).fit_transform(GRAPH), pd.DataFrame)
        assert isinstance(SCE(dimension=2).set_output(transform="default").fit_transform(GRAPH), np.ndarray)
    assert isinstance(SCE(dimension=2).fit_transform(GRAPH), np.ndarray)


def test_a_pipeline_passes_it_on() -> None:
    pipeline = make_pipeline(SCE(dimension=2, channels="own"), StandardScaler()).set_output(transform="pandas")
    scaled = pipeline.fit_transform(GRAPH)
    assert scaled.index.tolist() == GRAPH.node_ids.tolist()
    assert scaled.columns.tolist() == ["sce0", "sce1"]
    assert np.allclose(scaled.mean(), 0, atol=1e-6)


def test_another_container_is_refused() -> None:
    with pytest.raises(InputError, match=r"The transform parameter of SCE\.set_output must be one of 'default', 'pandas'"):
        SCE().set_output(transform="arrow")

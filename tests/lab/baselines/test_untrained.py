"""What is not learned is the filter's definition and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from sparsecut import Graph, InputError, Power, Symmetric
from sparsecut.lab.baselines import RawFeatures, SmoothedFeatures

A = np.array([[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 0], [0, 0, 0, 0]], dtype=float)
F = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0], [0.0, 4.0]], dtype=np.float32)


@pytest.mark.parametrize("features", [F, sp.csr_array(F)], ids=["dense", "sparse"])
def test_raw_and_smoothed_by_hand(features):
    graph = Graph(A, features=features)
    np.testing.assert_array_equal(RawFeatures().fit_transform(graph), F)
    closed = A + np.eye(4)
    P = closed / closed.sum(axis=1, keepdims=True)
    for order in (0, 1, 3):
        Z = SmoothedFeatures(filter=Power(order=order), device="cpu").fit_transform(graph)
        np.testing.assert_allclose(Z, np.linalg.matrix_power(P, order) @ F, atol=1e-6)
        assert Z.dtype == np.float32


def test_they_follow_the_contract():
    graph = Graph(A, features=F)
    model = clone(SmoothedFeatures(filter=Symmetric(order=1)))
    assert model.get_params() == {"filter": Symmetric(order=1), "filter__order": 1, "device": "auto"}
    Z = model.fit(graph).embedding_
    np.testing.assert_array_equal(Z, model.transform(graph))
    np.testing.assert_array_equal(Z, model.fit_transform(A, features=F))
    assert clone(RawFeatures()).get_params() == {}


def test_wrong_input_is_refused():
    with pytest.raises(InputError, match="RawFeatures needs node features"):
        RawFeatures().fit(Graph(A))
    with pytest.raises(InputError, match="order parameter of Power"):
        SmoothedFeatures(filter=Power(order=-1)).fit(Graph(A, features=F))
    with pytest.raises(InputError, match="filter parameter of SmoothedFeatures"):
        SmoothedFeatures(filter="wide").fit(Graph(A, features=F))

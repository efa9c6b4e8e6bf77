"""Which filters have a bound on what is left out, and which a local form: against P itself, and filters that have none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conftest import random_graph
from filter_cases import FILTERS, make_filter
from reference import dense_propagation
from sparsecut.operators.diagonals import Diagonals
from sparsecut.operators.filters import Difference, Filter, Power
from sparsecut.updates.local_filters import is_local, keeps_lengths


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_has_a_bound_and_a_local_form(name: str) -> None:
    filter = make_filter(name)
    assert keeps_lengths(filter)
    assert is_local(filter)
    A = random_graph(50, 3, seed=1, is_weighted=True).adjacency.toarray()
    v = np.sqrt(1 + A.sum(axis=1)) if name.endswith("symmetric") else np.ones(50)
    assert (dense_propagation(A, name) @ v <= v * (1 + 1e-6)).all()  # what is looked at by degrees holds for the matrix


class Made(Filter):
    """A filter with given diagonals."""

    def __init__(self, *, kind: str = "") -> None:
        self.kind = kind

    def coefficients(self) -> tuple[float, ...]:
        return (0.0, 1.0)

    def diagonals(self, degrees: Any) -> Diagonals:
        left = {"twice": 2 / degrees, "largest": 1 / degrees.max().expand(len(degrees)), "signed": -1 / degrees}[self.kind]
        return Diagonals(left, None, 1 / degrees)


def test_filters_that_have_none() -> None:
    assert not keeps_lengths(Made(kind="twice"))
    assert is_local(Made(kind="twice"))
    assert not keeps_lengths(Made(kind="signed"))
    assert not is_local(Made(kind="largest"))
    assert is_local(Difference())
    assert is_local(Power(order=0))

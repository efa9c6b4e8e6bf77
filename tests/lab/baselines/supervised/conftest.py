"""The graph the networks are compared on, with dense and with sparse features."""

from __future__ import annotations

import pytest

from network_oracles import graph_with_full_rows
from sparsecut import Graph


@pytest.fixture(params=[False, True], ids=["dense", "sparse"])
def graph(request: pytest.FixtureRequest) -> Graph:
    return graph_with_full_rows(is_sparse=request.param)

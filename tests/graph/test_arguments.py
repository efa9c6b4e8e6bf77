"""What may stand for a graph as an argument."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import random_graph
from sparsecut.base.errors import InputError
from sparsecut.graph import as_graph


def test_features_beside_a_graph_are_refused() -> None:
    with pytest.raises(InputError, match="which has its own"):
        as_graph(random_graph(), features=np.ones((40, 2)))

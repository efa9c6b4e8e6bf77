"""The position of an id, as a dictionary has it."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut.base.errors import InputError
from sparsecut.io.edges.node_lookup import Lookup


def test_lookup_is_that_of_a_dictionary() -> None:
    ids = np.random.default_rng(0).permutation(1000)[:300]
    found = Lookup(ids).find(ids[::-1], "", "")
    np.testing.assert_array_equal(ids[found], ids[::-1])
    with pytest.raises(InputError, match="5000"):
        Lookup(ids).find(np.array([ids[0], 5000]), "The query", "the embedding")

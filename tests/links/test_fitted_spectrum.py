"""A fitted spectrum finds its nodes by their ids, and is the same after a file."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.links.fitted_spectrum import FittedSpectrum
from sparsecut.links.link_spectrum import LinkSpectrum
from sparsecut.links.link_sums import Incidence
from sparsecut.links.node_kinds import find_ends


@pytest.mark.parametrize("is_directed", [False, True])
def test_rows_are_found_by_id_in_any_order_and_after_a_file(is_directed):
    A = np.tril(np.random.default_rng(0).random((60, 60)) < 0.2, -1).astype(float)
    ids = np.array([f"n{number}" for number in range(60)])
    graph = sc.Graph(A, directed="out", node_ids=ids) if is_directed else sc.Graph(A + A.T, node_ids=ids)
    spectrum = LinkSpectrum.of(Incidence.of(graph, find_ends(graph)), 6)
    assert FittedSpectrum.of(graph.node_ids, None) is None
    fitted = FittedSpectrum.of(graph.node_ids, spectrum)
    assert fitted.on(graph.node_ids, None) is spectrum
    order = np.random.default_rng(0).permutation(60)
    np.testing.assert_array_equal(fitted.on(graph.node_ids[order], None).sources, spectrum.sources[order])
    arrays = fitted.to_arrays()
    assert ("targets" in arrays) == graph.is_directed
    again = FittedSpectrum.from_arrays(arrays)
    assert again.ids.tolist() == graph.node_ids.tolist()
    for name in ("sources", "targets", "values"):
        np.testing.assert_array_equal(getattr(again.spectrum, name), getattr(spectrum, name))
    with pytest.raises(ValueError, match="the spectrum is damaged"):
        FittedSpectrum.from_arrays({**arrays, "values": np.zeros(3)})

"""Columns of rows split over devices, against the same columns in one tensor."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from conftest import random_graph
from sparsecut.engines.rows import Rows
from sparsecut.engines.split_rows import Home, Joined, SplitRows, split_columns
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.operators.filters import Symmetric
from sparsecut.operators.propagation import Propagation

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("n_columns", "n_devices", "widths"),
    [(602, 2, [304, 298]), (128, 4, [32] * 4), (40, 4, [16, 16, 8]), (16, 2, [16]), (3, 2, [3])],
)
def test_columns_are_shared_out_in_whole_cache_lines(
    n_columns: int, n_devices: int, widths: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsecut.engines.split_rows.LEAST_COLUMNS", 16)
    columns = split_columns(n_columns, n_devices)
    assert [part.stop - part.start for part in columns] == widths
    assert np.concatenate([np.arange(n_columns)[part] for part in columns]).tolist() == list(range(n_columns))


@pytest.mark.parametrize("coefficients", [(1.0,), (0.2, 0.5, 0.3)], ids=["formed", "lazy"])
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_products_are_those_of_one_matrix(
    is_sparse: bool, coefficients: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparsecut.engines.split_rows.LEAST_COLUMNS", 2)
    graph = random_graph(60, 8, is_weighted=True)
    P = Propagation.of(graph.adjacency, Symmetric(), CPU)
    F = torch.from_numpy(graph.features).clone()
    F[F < 0] = 0
    panels = [F[:, :4], 0.5 * F[:, 4:]]  # each with a factor of its own
    held = [SparseMatrix(sp.csr_array(panel.numpy()), CPU) if is_sparse else panel for panel in panels]
    rows = [Rows(panel, P, (factor,)) for panel, factor in zip(held, (1.0, 2.0), strict=True)]
    split = SplitRows(rows, [Home(CPU, P)] * 2).through(coefficients)
    A = P.csr.toarray().astype(np.float64)
    S = sum(c * np.linalg.matrix_power(A, k) for k, c in enumerate(coefficients)) @ F.double().numpy()

    generator = np.random.default_rng(0)
    W, G = (generator.normal(size=shape).astype(np.float32) for shape in ((8, 6), (60, 5)))
    image = split.image(torch.from_numpy(W))
    assert [panel.shape[1] for panel in image.panels] == [4, 2]
    np.testing.assert_allclose(image.joined(), S @ W, atol=1e-5)
    np.testing.assert_allclose(image.joined(slice(7, 20)), (S @ W)[7:20], atol=1e-5)
    np.testing.assert_allclose(split @ torch.from_numpy(W), S @ W, atol=1e-5)
    np.testing.assert_allclose(split.transpose_times(torch.from_numpy(G)), S.T @ G, atol=1e-4)
    np.testing.assert_allclose(split.columns(2, 7), S[:, 2:7], atol=1e-5)
    if len(coefficients) == 1:
        nodes = torch.tensor([3, 0, 3])
        np.testing.assert_allclose(split.take(nodes).columns(0, 8), S[nodes], atol=1e-5)
    if len(coefficients) == 1 and not is_sparse:
        joined, factors = split.formed
        np.testing.assert_allclose(joined[slice(5, 9)] * factors, S[5:9], atol=1e-6)
    else:
        assert split.formed is None


def test_joined_panels_are_read_a_block_at_a_time() -> None:
    panels = [torch.arange(6.0).view(3, 2), torch.arange(3.0).view(3, 1)]
    joined = Joined(panels, CPU)
    assert (len(joined), joined.shape, joined.dtype, joined.is_cuda) == (3, (3, 3), torch.float32, False)
    assert joined[slice(1, 3)].tolist() == [[2, 3, 1], [4, 5, 2]]

"""Graphs for the disk engine, limits under which its panels are narrow, and the comparison with memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from sparsecut import Disk
from sparsecut.engines.disk import sizes
from sparsecut.graph import Graph


def limit_for(n_nodes: int, n_columns: int, *, n_panels: int = sizes.N_PANELS) -> int:
    """The limit under which panels have that many columns."""
    return sizes.BASE_BYTES + n_nodes * (sizes.NODE_BYTES + 4 * n_panels * n_columns) + sizes.N_BLOCKS * sizes.MIN_BLOCK


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def community_graph(n_nodes: int = 300, n_features: int = 20, *, seed: int = 0, **kinds: bool) -> Graph:
    """Four groups, enough edges to hold some out."""
    generator = np.random.default_rng(seed)
    group = np.arange(n_nodes) % 4
    chance = np.where(group[:, None] == group, 0.2, 0.02)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < chance, 1).astype(np.float32)
    if kinds.get("is_weighted"):
        upper *= generator.uniform(0.1, 3, upper.shape).astype(np.float32)
    features = generator.normal(size=(4, n_features))[group] + 2 * generator.normal(size=(n_nodes, n_features))
    if kinds.get("is_counts"):
        features = np.floor(np.abs(features))
    matrix: Any = sp.csr_array(features.astype(np.float32)) if kinds.get("is_sparse") else features
    if kinds.get("is_directed"):
        lower = np.tril(generator.random((n_nodes, n_nodes)) < chance, -1)
        return Graph(sp.csr_array(upper + lower), features=matrix, directed="out")
    return Graph(sp.csr_array(upper + upper.T), features=matrix)


def mapped(graph: Graph, folder: Path) -> dict[str, Any]:
    """The arrays of a graph as memory maps of files."""
    arrays = {name: getattr(graph.adjacency, name) for name in ("indptr", "indices", "data")} | {"features": graph.features}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in arrays}


def assert_alike(model: Any, graph: Graph, tmp_path: Path, n_columns: int = 7) -> Any:
    """The disk engine with panels of a few columns against the memory engine; the model that was fitted on disk."""
    expected = model.fit_transform(graph)
    other = clone(model).set_params(engine=Disk(memory_limit=limit_for(graph.n_nodes, n_columns)))
    Z = other.fit_transform(graph, output=tmp_path / "z.npy")
    assert isinstance(Z, np.memmap)
    assert_same_rows(Z, expected)
    assert_same_rows(other.transform(graph, output=tmp_path / "z.npy"), expected)
    assert other.history_.effective_rank == pytest.approx(model.history_.effective_rank, rel=1e-5)
    assert other.recipe_.filters == model.recipe_.filters
    assert other.recipe_.weighting.name == model.recipe_.weighting.name
    assert names_in(tmp_path) == ["z.npy"]
    return other


def assert_same_rows(Z: Any, expected: Any) -> None:
    """Inner products agree to the last digits of float32; columns to fewer, where two eigenvalues are nearly the same."""
    assert Z.shape == expected.shape
    products = expected @ expected.T
    np.testing.assert_allclose(Z @ Z.T, products, atol=1e-5 * np.abs(products).max())
    np.testing.assert_allclose(Z, expected, atol=1e-3 * np.abs(expected).max())

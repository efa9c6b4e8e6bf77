"""Graphs the tests share."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import settings

import marks
import prepared
from sparsecut import datasets
from sparsecut.graph import Graph

# A change is judged by examples that depend on the tests alone: the same commit passes or fails everywhere.
# `make explore` draws new ones each time it runs, and a hundred instead of fifty where a test does not say how many.
settings.register_profile("same", derandomize=True, max_examples=50, deadline=None)  # a busy machine is no fault
settings.register_profile("explore", derandomize=False, deadline=None)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")
settings.load_profile(PROFILE)


def pytest_runtest_setup(item: pytest.Item) -> None:
    marks.of_this_test = {mark.name for mark in item.iter_markers()}


# Rooms that the library never imports, whose tests take a minute: `make quick` leaves them out.
SLOW_FOLDERS = tuple(Path(__file__).parent / name for name in ("lab", "benchmarks"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in SLOW_FOLDERS):
            item.add_marker(pytest.mark.slow)
    # Files that take long come first: of those at the end one process would work while the others are done. These are the
    # pages with examples and, by how many such tests they have, the files with tests that are marked.
    long = Counter(
        item.path
        for item in items
        if item.path.suffix == ".md" or any(item.get_closest_marker(name) for name in ("cluster", "browser", "slow"))
    )
    items.sort(key=lambda item: -long[item.path])


def times_when_exploring(number: int, factor: int) -> int:
    """How many examples, or steps of a story: as many each time, and so many times as many where new ones are drawn."""
    return number * factor if PROFILE == "explore" else number


def load_or_skip(name: str) -> Graph:
    """A named graph; where its files are absent the test skips and says so, or fails if they have been promised."""
    dataset = datasets.find_dataset(name)
    if not any(datasets.locate(dataset, root) is not None for root in datasets.roots()):
        reason = f"the files of {name} are not under SPARSECUT_DATA or in the cache"
        if os.environ.get("SPARSECUT_REQUIRE_DATA"):
            pytest.fail(f"SPARSECUT_REQUIRE_DATA is set, but {reason}")
        pytest.skip(reason)
    return datasets.load(name)


def data_file(name: str) -> Path:
    """A file that lies with the real graphs; where they have not been promised, the test skips."""
    path = Path(os.environ.get("SPARSECUT_DATA", "nowhere")) / name
    if not path.is_file():
        reason = f"{name} is not under SPARSECUT_DATA"
        if os.environ.get("SPARSECUT_REQUIRE_DATA"):
            pytest.fail(f"SPARSECUT_REQUIRE_DATA is set, but {reason}")
        pytest.skip(reason)
    return path


@pytest.fixture(scope="session")
def cora() -> Graph:
    return load_or_skip("cora")


@pytest.fixture(scope="session")
def digits() -> Graph:
    return datasets.load("digits")


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that the library starts are forks of one that has imported what they need."""
    monkeypatch.setattr(sys, "executable", prepared.python())


def random_graph(
    n_nodes: int = 40,
    n_features: int = 12,
    *,
    seed: int = 0,
    density: float = 0.1,
    is_weighted: bool = False,
    is_sparse: bool = False,
) -> Graph:
    """An Erdős–Rényi graph with features that differ from node to node."""
    generator = np.random.default_rng(seed)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < density, 1).astype(np.float32)
    if is_weighted:
        upper *= generator.uniform(0.1, 3, upper.shape).astype(np.float32)
    features = generator.normal(size=(n_nodes, n_features)).astype(np.float32)
    if is_sparse:
        features *= generator.random(features.shape) < 0.3
        return Graph(sp.csr_array(upper + upper.T), features=sp.csr_array(features))
    return Graph(sp.csr_array(upper + upper.T), features=features)

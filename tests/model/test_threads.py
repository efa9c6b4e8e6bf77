"""When the same seed gives the same bits: the same number of threads, in any process. For others, how far apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = """
import sys
import numpy as np
import torch
import sparsecut as sc
from sparsecut.engines import MemoryEngine

digits = sc.datasets.load("digits")
models = {"SCE": sc.SCE(), "MoSCE": sc.MoSCE(), "Adam": sc.SCE(epochs=5, l2=1e-3, negatives="sampled", batch_size=500)}
embeddings = {name: model.fit_transform(digits) for name, model in models.items()}
embeddings["structure"] = sc.SCE().fit_transform(sc.Graph(digits.adjacency))
engine = MemoryEngine(torch.device("cpu"))
embeddings["hops"] = engine.smooth(engine.load(digits.features, digits.adjacency), (0.25, 0.25, 0.5)).features.numpy()
np.savez(sys.argv[1], **embeddings)
"""


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int], dict[str, np.ndarray]]:
    """By number of threads and run, each in a process of its own."""
    folder = tmp_path_factory.mktemp("threads")
    found = {}
    for n_threads, n_runs in ((1, 1), (2, 2)):
        for run in range(n_runs):
            path: Path = folder / f"{n_threads}-{run}.npz"
            # A thread that waits sleeps: on a busy machine spinning would take the time of the others.
            environment = {**os.environ, "OMP_NUM_THREADS": str(n_threads), "OMP_WAIT_POLICY": "PASSIVE"}
            subprocess.run([sys.executable, "-c", SCRIPT, str(path)], env=environment, check=True, capture_output=True)
            with np.load(path) as arrays:
                found[n_threads, run] = dict(arrays)
    return found


@pytest.mark.parametrize("name", ["SCE", "MoSCE", "Adam", "structure"])
def test_the_same_number_of_threads_gives_the_same_bits(
    embeddings: dict[tuple[int, int], dict[str, np.ndarray]], name: str
) -> None:
    assert np.array_equal(embeddings[2, 0][name], embeddings[2, 1][name])


def test_hops_do_not_depend_on_the_number_of_threads(embeddings: dict[tuple[int, int], dict[str, np.ndarray]]) -> None:
    assert np.array_equal(embeddings[1, 0]["hops"], embeddings[2, 0]["hops"])


@pytest.mark.parametrize("name", ["SCE", "MoSCE", "Adam", "structure"])
def test_another_number_of_threads_changes_as_little_as_the_page_says(
    embeddings: dict[tuple[int, int], dict[str, np.ndarray]], name: str
) -> None:
    one, two = embeddings[1, 0][name], embeddings[2, 0][name]
    assert one.shape == two.shape
    assert np.linalg.norm(one - two) < 1e-5 * np.linalg.norm(one)

"""When the same seed gives the same bits: the same number of threads, in any process. For others, how far apart."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.slow  # three processes import torch

SCRIPT = """
import sys
import numpy as np
import scipy.sparse as sp
import torch
import sparsecut as sc
from sparsecut.engines import MemoryEngine
from sparsecut.features.weighting import Weighting

digits = sc.datasets.load("digits")
generator = np.random.default_rng(0)
groups = np.arange(600) % 6
linked = np.triu(generator.random((600, 600)) < np.where(groups[:, None] == groups, 0.06, 0.004), 1)
words = generator.poisson(np.where(np.arange(1200) // 200 == groups[:, None], 0.06, 0.01)).astype(np.float32)
wide = sc.Graph(sp.csr_array(linked | linked.T, dtype=np.float32), features=sp.csr_array(words))
adam = sc.Adam(epochs=5, l2=1e-3, batch_size=500)
models = {"SCE": sc.SCE(), "MoSCE": sc.MoSCE(), "Adam": sc.SCE(solver=adam, negatives="sampled")}
embeddings = {name: model.fit_transform(digits) for name, model in models.items()}
models["wide"] = sc.SCE()
embeddings["wide"] = models["wide"].fit_transform(wide)
embeddings["choices"] = np.array([str(model.recipe_.to_header()[0]) for model in models.values()])
embeddings["structure"] = sc.SCE().fit_transform(sc.Graph(digits.adjacency))
engine = MemoryEngine(torch.device("cpu"))
rows = engine.load(digits, Weighting("none"), sc.Power())
embeddings["hops"] = engine.smooth(rows, (0.25, 0.25, 0.5)).features.numpy()
np.savez(sys.argv[1], **embeddings)
"""


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int], dict[str, np.ndarray]]:
    """By number of threads and run, each in a process of its own."""
    folder = tmp_path_factory.mktemp("threads")
    runs = {}
    for n_threads, run in ((1, 0), (2, 0), (2, 1)):  # at the same time: most of it is importing torch
        path: Path = folder / f"{n_threads}-{run}.npz"
        # A thread that waits sleeps: on a busy machine spinning would take the time of the others.
        environment = {**os.environ, "OMP_NUM_THREADS": str(n_threads), "OMP_WAIT_POLICY": "PASSIVE"}
        command = [sys.executable, "-c", SCRIPT, str(path)]
        runs[n_threads, run] = path, subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    found = {}
    for key, (path, process) in runs.items():
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors
        with np.load(path) as arrays:
            found[key] = dict(arrays)
    return found


@pytest.mark.parametrize("name", ["SCE", "MoSCE", "Adam", "wide", "structure"])
def test_the_same_number_of_threads_gives_the_same_bits(
    embeddings: dict[tuple[int, int], dict[str, np.ndarray]], name: str
) -> None:
    assert np.array_equal(embeddings[2, 0][name], embeddings[2, 1][name])


def test_another_number_of_threads_makes_the_same_choices(embeddings: dict[tuple[int, int], dict[str, np.ndarray]]) -> None:
    """Weighting, filter, channels and the sentences that explain them, with the figures they give."""
    assert embeddings[1, 0]["choices"].tolist() == embeddings[2, 0]["choices"].tolist()
    assert len(embeddings[1, 0]["choices"]) == 4


def test_hops_do_not_depend_on_the_number_of_threads(embeddings: dict[tuple[int, int], dict[str, np.ndarray]]) -> None:
    assert np.array_equal(embeddings[1, 0]["hops"], embeddings[2, 0]["hops"])


@pytest.mark.parametrize("name", ["SCE", "MoSCE", "Adam", "wide", "structure"])
def test_another_number_of_threads_changes_as_little_as_the_page_says(
    embeddings: dict[tuple[int, int], dict[str, np.ndarray]], name: str
) -> None:
    one, two = embeddings[1, 0][name], embeddings[2, 0][name]
    assert one.shape == two.shape
    assert np.linalg.norm(one - two) < 1e-5 * np.linalg.norm(one)

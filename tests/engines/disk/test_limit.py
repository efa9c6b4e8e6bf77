"""The limit is kept: what the system says a process has taken, with features that do not fit beside the libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sparsecut.io.stores.store import write_header

N_NODES, N_FEATURES, LIMIT_MIB = 100_000, 512, 530  # the features take 195 MiB, and smoothed as much again

SCRIPT = """
import sys
from pathlib import Path
import sparsecut as sc
folder = Path(sys.argv[1])
graph = sc.open_store(folder / "store")
model = sc.SCE(dimension=16, filter=sc.Power(order=1), engine=sc.Disk(memory_limit=sys.argv[2] + "MiB"))
Z = model.fit_transform(graph, output=folder / "z.npy")
status = Path('/proc/self/status').read_text()  # getrusage knows the process that started this one, too
print(Z.shape[0], status.partition('VmHWM:')[2].split()[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not say what a process has taken")
def test_a_fit_takes_no_more_than_its_limit(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    np.save(store / "indptr.npy", np.arange(0, 2 * N_NODES + 1, 2, dtype=np.int32))
    nodes = np.arange(N_NODES)
    ring = np.sort(np.stack([(nodes - 1) % N_NODES, (nodes + 1) % N_NODES], axis=1), axis=1)
    np.save(store / "indices.npy", ring.astype(np.int32).ravel())
    features = np.lib.format.open_memmap(store / "features.npy", "w+", np.float32, (N_NODES, N_FEATURES))
    generator = np.random.default_rng(0)
    for start in range(0, N_NODES, 10_000):
        features[start : start + 10_000] = generator.standard_normal((10_000, N_FEATURES), dtype=np.float32)
    features.flush()
    write_header(store, n_nodes=N_NODES, n_entries=2 * N_NODES, directed="symmetrize")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), str(LIMIT_MIB)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    n_rows, kibibytes = map(int, done.stdout.split())
    assert n_rows == N_NODES
    assert kibibytes / 1024 <= LIMIT_MIB

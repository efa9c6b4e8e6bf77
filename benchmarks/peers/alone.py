"""One fit of arrays on disk in a process of its own, by an interpreter that needs the method's package and no other.

    python benchmarks/peers/alone.py METHOD FOLDER SEED OUTPUT.npy

The folder has adjacency.npz and features.npz. Timed is what a user does from scipy's matrices to one row per node, building
the package's graph too, without imports and a first fit of a tiny graph. The last line printed has the measurements.
"""

from __future__ import annotations

import gc
import json
import sys
import time
import warnings
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

# Python puts this folder first, where a file named as a library would hide it. The benchmarks are one folder up.
sys.path[0] = str(Path(__file__).resolve().parents[1])

from peak import PEAK, RESIDENT, mebibytes, reset_peak  # noqa: E402
from peers.methods import AT_SIZES, METHODS, OWN  # noqa: E402


@dataclass(frozen=True)
class Arrays:
    """What the methods ask of a graph."""

    adjacency: Any
    features: Any

    @property
    def n_nodes(self) -> int:
        return int(self.adjacency.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])


def tiny() -> Arrays:
    generator = np.random.default_rng(0)
    adjacency = sp.random_array((400, 400), density=0.02, rng=generator, dtype=np.float32)
    adjacency = sp.csr_array(adjacency + adjacency.T)
    adjacency.setdiag(0)
    adjacency.eliminate_zeros()
    adjacency.data[:] = 1
    return Arrays(adjacency, generator.random((400, 300), dtype=np.float32))


def read(folder: Path) -> Arrays:
    """Features are dense where most of their numbers are not zero."""
    features = sp.load_npz(folder / "features.npz")
    dense = features.nnz > 0.5 * np.prod(features.shape)
    return Arrays(sp.load_npz(folder / "adjacency.npz"), features.toarray() if dense else features)


def main() -> None:
    name, folder, seed, output = sys.argv[1:]
    warnings.simplefilter("ignore")  # other libraries' own
    method = {**METHODS, **AT_SIZES}[name]
    fit = method.make(Path(folder).name)
    if method.runs == "sparsecut":
        from sparsecut import Graph

        def work(arrays: Arrays) -> Any:
            return fit(Graph(arrays.adjacency, features=arrays.features), int(seed))
    else:

        def work(arrays: Arrays) -> Any:
            return fit(arrays, int(seed))  # type: ignore[arg-type]

    work(tiny())
    before = mebibytes(RESIDENT)
    arrays = read(Path(folder))
    gc.collect()
    reset_peak()
    started, worked = time.perf_counter(), time.process_time()
    Z = np.asarray(work(arrays), dtype=np.float32)
    point = {
        "seconds": time.perf_counter() - started,
        "processor_seconds": time.process_time() - worked,
        "peak_mebibytes": mebibytes(PEAK) - before,
        "columns": Z.shape[1],
        "version": None if method.runs == OWN else version(method.runs),
    }
    np.save(output, Z)
    print(json.dumps(point))


main()

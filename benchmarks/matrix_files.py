"""Matrix Market and MATLAB files: our readers against scipy's, which a damaged file can crash, in a process of its own.

    python benchmarks/matrix_files.py

scipy's readers end the process on some damaged files. Either our own readers take every size from the bytes there are, or
scipy's run where they can do no harm: in a child process that reads the file to its end first, as `sparsecut.io.hdf5` does
for .h5ad, after which the parent reads it again. Processor seconds of parent and child together, the least of five runs.

Our readers stay: the start of a Python process with scipy costs as much as reading a million entries, and a reader that
cannot crash needs no limits of memory and time. HDF5 is too large a format for our own reader, so there the child stays.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from results_file import write_results
from sparsecut.io.matlab import read_matlab
from sparsecut.io.matrix_market import read_matrix_market_file

SIZES = {"1,000 entries": (1_000, 300), "1,000,000 entries": (1_000_000, 100_000)}
OURS: dict[str, Callable[[Path], Any]] = {".mtx": read_matrix_market_file, ".mat": read_matlab}
SCIPY: dict[str, Callable[[Path], Any]] = {".mtx": scipy.io.mmread, ".mat": scipy.io.loadmat}
CHILD = "import sys, scipy.io\n(scipy.io.mmread if sys.argv[1].endswith('.mtx') else scipy.io.loadmat)(sys.argv[1])"
N_RUNS = 5


def in_a_child_first(path: Path) -> None:
    subprocess.run([sys.executable, "-c", CHILD, str(path)], check=True)
    SCIPY[path.suffix](path)


def cpu_seconds() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in usage)


def measure(read: Callable[[Path], Any], path: Path) -> float:
    seconds = []
    for _ in range(N_RUNS):
        started = cpu_seconds()
        read(path)
        seconds.append(cpu_seconds() - started)
    return min(seconds)


def main() -> None:
    generator, points = np.random.default_rng(0), {}
    with tempfile.TemporaryDirectory() as folder:
        for size, (n_entries, n_nodes) in SIZES.items():
            ends = generator.integers(0, n_nodes, (2, n_entries))
            A = sp.coo_array((generator.random(n_entries), tuple(ends)), shape=(n_nodes, n_nodes)).tocsc()
            scipy.io.mmwrite(Path(folder) / "a.mtx", A)
            scipy.io.savemat(Path(folder) / "a.mat", {"A": A}, do_compression=True)
            for suffix, ours in OURS.items():
                readers = {"ours": ours, "scipy": SCIPY[suffix], "scipy after a child": in_a_child_first}
                points[f"{suffix}, {size}"] = {
                    name: measure(read, Path(folder) / f"a{suffix}") for name, read in readers.items()
                }
    write_results(
        "matrix_files",
        title="Matrix files",
        about="Reading Matrix Market and MATLAB files without trust: our readers against scipy's after a child process has "
        "shown that they survive the file. Processor seconds, child included; scipy alone for comparison.",
        command="python benchmarks/matrix_files.py",
        tables=[
            {
                "caption": "Processor seconds to read one matrix.",
                "columns": ["file", "ours", "scipy", "scipy after a child"],
                "rows": [[name, *measured.values()] for name, measured in points.items()],
            }
        ],
        notes=[],
        points=points,
    )


if __name__ == "__main__":
    main()

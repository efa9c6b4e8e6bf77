"""Matrix Market and MATLAB files: scipy's readers in the sandbox, against scipy's readers in this process.

    python benchmarks/matrix_files.py

scipy's readers end the process on some damaged files, so they run in a child process with limits of time and memory, which
sends the matrix back (`sparsecut.io.hostile.sandbox`). Processor seconds of parent and child together, the least of five.

Readers of our own, which took every size from the bytes there are, were deleted for it: 265 lines, and 4.7 times scipy's
time on a large .mtx. Their measurements are kept. The price is the start of a Python process with scipy, some tenths of a
second per file; that of a .mtx is earned back from a million entries on.
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from results_file import read_points, write_results
from sparsecut.io.formats.matlab import read_matlab
from sparsecut.io.formats.matrix_market import read_matrix_market

SIZES = {"1,000 entries": (1_000, 300), "1,000,000 entries": (1_000_000, 100_000), "4,000,000 entries": (4_000_000, 400_000)}
SANDBOX: dict[str, Callable[[Path], Any]] = {".mtx": read_matrix_market, ".mat": read_matlab}
SCIPY: dict[str, Callable[[Path], Any]] = {".mtx": scipy.io.mmread, ".mat": scipy.io.loadmat}
COLUMNS = ("own reader", "scipy", "scipy in the sandbox")
N_RUNS = 5


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
    generator, points = np.random.default_rng(0), read_points("matrix_files")
    with tempfile.TemporaryDirectory() as folder:
        for size, (n_entries, n_nodes) in SIZES.items():
            ends = generator.integers(0, n_nodes, (2, n_entries))
            A = sp.coo_array((generator.random(n_entries), tuple(ends)), shape=(n_nodes, n_nodes)).tocsc()
            scipy.io.mmwrite(Path(folder) / "a.mtx", A)
            scipy.io.savemat(Path(folder) / "a.mat", {"A": A}, do_compression=True)
            for suffix, in_sandbox in SANDBOX.items():
                readers = {"scipy": SCIPY[suffix], "scipy in the sandbox": in_sandbox}
                measured = {name: measure(read, Path(folder) / f"a{suffix}") for name, read in readers.items()}
                points.setdefault(f"{suffix}, {size}", {}).update(measured)
    write_results(
        "matrix_files",
        title="Matrix files",
        about="Reading Matrix Market and MATLAB files without trust: scipy in a child process with limits, which sends the "
        "matrix back. Processor seconds, child included; scipy in this process for comparison.",
        command="python benchmarks/matrix_files.py",
        tables=[
            {
                "caption": "Processor seconds to read one matrix.",
                "columns": ["file", *COLUMNS],
                "rows": [[name, *(measured.get(column) for column in COLUMNS)] for name, measured in points.items()],
            }
        ],
        notes=["`own reader` is code that was deleted; its figures are of an earlier run on this machine."],
        points=points,
    )


if __name__ == "__main__":
    main()

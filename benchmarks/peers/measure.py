"""One method on one graph in a process of its own: seconds of the clock and of the processor, the peak of memory, the rows.

The time leaves out imports and a first fit of a tiny graph (which compiles what is compiled); the memory is the peak beyond
those, the graph included. A method that is quick is fitted up to three times, with another seed each where it has chance in
it.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from peak import PEAK, RESIDENT, mebibytes, reset_peak
from peers.methods import METHODS, OWN
from peers.scores import Array
from sparsecut import datasets
from standins import stand_in

LIMIT = 3_000  # seconds of the clock per process, on a machine that does other work
MAX_FITS = 3
ENOUGH_SECONDS = 20.0
TINY = {"n_nodes": 400, "n_edges": 4_000, "n_features": 300, "n_classes": 2}


def measure(graph_name: str, method: str, folder: Path) -> dict[str, Any]:
    """In this process; each fit's rows go to a file of the folder."""
    warnings.simplefilter("ignore")  # other libraries' own
    fit = METHODS[method].make("tiny")
    fit(stand_in(**TINY), 0)
    fit = METHODS[method].make(graph_name)
    before = mebibytes(RESIDENT)
    graph = datasets.load(graph_name)
    gc.collect()
    reset_peak()
    seconds: list[float] = []
    processor_seconds: list[float] = []
    while len(seconds) < MAX_FITS and sum(seconds) < ENOUGH_SECONDS:
        seed = len(seconds) if METHODS[method].is_random else 0
        started, worked = time.perf_counter(), time.process_time()
        Z = np.asarray(fit(graph, seed), dtype=np.float32)
        seconds.append(time.perf_counter() - started)
        processor_seconds.append(time.process_time() - worked)
        if len(seconds) == 1:
            peak = mebibytes(PEAK) - before
        if METHODS[method].is_random or len(seconds) == 1:
            np.save(folder / f"{seed}.npy", Z)
    return {
        "seconds": seconds,
        "processor_seconds": processor_seconds,
        "peak_mebibytes": peak,
        "columns": Z.shape[1],
        "version": None if METHODS[method].runs == OWN else version(METHODS[method].runs),
    }


def measure_alone(graph_name: str, method: str) -> tuple[dict[str, Any], list[Array]]:
    """The same in a process of its own, stopped when it takes too long. The rows are one array per seed."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(__file__).parent
        command = [sys.executable, str(script), "--fit", graph_name, method, folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return {"failed": f"stopped after {LIMIT} s"}, []
        if done.returncode:
            lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
            return {"failed": lines[-1][:200]}, []
        return json.loads(done.stdout.splitlines()[-1]), [np.load(path) for path in sorted(Path(folder).glob("*.npy"))]

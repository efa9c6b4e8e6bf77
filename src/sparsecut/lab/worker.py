"""One method fitted in a process of its own: `python -m sparsecut.lab.worker FOLDER`, started by `compare`.

The folder holds the graph and a job; the answer and the measurements are written beside them. Memory is counted from the
moment the graph and the method's libraries are in it. A first fit pays for what libraries set up once, which for a short one
is most of it: that is fitted three times, and its seconds are the fastest. A method that predicts labels is fitted once per
split, to a graph that has the labels of the split's training and validation nodes alone; its seconds are the mean.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.base.errors import InputError
from sparsecut.base.system_memory import peak_memory
from sparsecut.evaluation.splits import Split
from sparsecut.graph import Graph
from sparsecut.lab.baselines.methods import Method

N_FITS = 3
REPEAT_BELOW = 5.0  # seconds


def run(folder: Path) -> dict[str, Any]:
    """Fit the method of the job and return the measurements."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    method = Method(job["name"], "", job["home"], job["words"], job["is_supervised"])
    paper = job["paper"] if hasattr(method.estimator_class(), "paper") else None
    model = method.make({}, job["offered"], paper)
    directed = "out" if job["is_directed"] else "symmetrize"  # the rows are oriented already
    graph = Graph(sp.load_npz(folder / "adjacency.npz"), features=_read_features(folder), directed=directed)
    before = memory("VmRSS")
    forget_peak()
    answer, seconds, more = _predict(model, graph, folder) if method.is_supervised else _embed(model, graph)
    np.save(folder / "answer.npy", answer)
    measured = {**seconds, "memory_before_bytes": before, **more}
    return {name: value for name, value in measured.items() if value is not None}


def _embed(model: Any, graph: Graph) -> tuple[Any, dict[str, float], dict[str, int | None]]:
    Z, first = _timed(model.fit_transform, graph)
    peak = _peak_memory()
    again = [_timed(model.fit_transform, graph)[1] for _ in range(N_FITS - 1)] if first < REPEAT_BELOW else []
    seconds = {"seconds": min([first, *again]), "first_seconds": first}
    return np.asarray(Z), seconds, {**peak, "dimension": int(Z.shape[1])}


def _predict(model: Any, graph: Graph, folder: Path) -> tuple[Any, dict[str, float], dict[str, int | None]]:
    predicted, times = [], []
    with np.load(folder / "seen.npz", allow_pickle=False) as seen:
        for number in range(len(seen.files) // 4):
            train, validation = seen[f"train {number}"], seen[f"validation {number}"]
            labels = np.full(graph.n_nodes, -1, dtype=np.int64)
            labels[train], labels[validation] = seen[f"train classes {number}"], seen[f"validation classes {number}"]
            split = Split(train, validation, np.flatnonzero(labels < 0))
            classes, seconds = _timed(model.fit_predict, graph.replace(labels=labels), split)
            predicted.append(classes)
            times.append(seconds)
    return np.stack(predicted), {"seconds": float(np.mean(times)), "first_seconds": times[0]}, _peak_memory()


def _timed(fit: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    started = time.perf_counter()
    result = fit(*arguments, progress=lambda *_: None)
    return result, time.perf_counter() - started


def _peak_memory() -> dict[str, int | None]:
    return {"peak_memory_bytes": memory("VmHWM"), **_gpu_memory()}


def memory(field: str) -> int | None:
    """The process's memory now (VmRSS) or at its highest (VmHWM), in bytes; None where the system does not report it.

    Not `getrusage` where Linux says it better: the peak it gives a fresh process includes that of its parent.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith(f"{field}:"))
        return int(line.split()[1]) * 1024
    return peak_memory()


def forget_peak() -> None:
    """Start the peak anew at what is in memory now, where the system can; elsewhere it includes reading the graph."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _gpu_memory() -> dict[str, int]:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return {}
    return {"gpu_peak_memory_bytes": int(torch.cuda.max_memory_allocated())}


def _read_features(folder: Path) -> Any:
    if (folder / "features.npz").exists():
        return sp.load_npz(folder / "features.npz")
    return np.load(folder / "features.npy", allow_pickle=False) if (folder / "features.npy").exists() else None


def main() -> None:
    folder = Path(sys.argv[1])
    try:
        result = run(folder)
    except InputError as error:
        result = {"error": str(error)}
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main()

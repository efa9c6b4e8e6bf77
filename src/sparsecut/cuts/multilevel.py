"""Parts by other libraries: Mt-KaHyPar, KaHIP and METIS. All are in the extra ``cuts``.

They coarsen the graph, cut the smallest one and improve the parts on the way back up, in C++ and C. Their weights are whole
numbers: others are scaled and rounded, and what comes back is measured anew by the caller.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.cuts import multilevel_child
from sparsecut.cuts.objective import Real

MOST = 2**30  # the sum of all weights, so that no sum leaves 32 bits
LARGEST = 2**28  # edges that are sent: a list of pairs takes a hundred times their bytes
# Stored entries, times parts for KaHIP, that take about a second. What takes longer has a process of its own, which an
# interrupt ends: neither library looks for one.
SHORT_FOR_KAHIP, SHORT_FOR_METIS = 800_000, 3_000_000
CHILD = (sys.executable, "-I", "-S", multilevel_child.__file__)

Members = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """One partition: the best of several seeds and of the partitions that the process starts from.

    preset : Mt-KaHyPar's name for how much it tries: LARGE_K, DEFAULT or QUALITY. n_cycles : V-cycles, at most, that improve
    each of them. n_rounds, n_tries : of new partitions of what the best agree on, at most, and how many are made in each.
    """

    parts: int
    imbalance: float
    preset: str
    seeds: tuple[int, ...]
    n_cycles: int = 0
    n_rounds: int = 0
    n_tries: int = 0


def has(library: str) -> bool:
    """Whether a library of the extra is installed; it is not imported."""
    return find_spec(library) is not None


class Kahypar:
    """A running process of Mt-KaHyPar. `parts` waits for it; leaving the block ends it.

    fixed : the part of every node that must be in one, -1 for the others. starts : partitions that are improved beside those
    of the seeds.
    """

    def __init__(
        self,
        A: sp.csr_array,
        weights: Real,
        tasks: Sequence[Task],
        fixed: Members | None = None,
        starts: Sequence[Members] = (),
    ) -> None:
        self.n_nodes, self.n_tasks = A.shape[0], len(tasks)
        self._child: subprocess.Popen[bytes] | None = None
        home = find_spec("mtkahypar")
        edges = sp.triu(A, 1).tocoo()
        if home is None or home.origin is None or not 0 < edges.nnz < LARGEST or not tasks:
            return
        self._child = _start([*CHILD, str(Path(home.origin).parent)])
        held = np.full(self.n_nodes, -1) if fixed is None else fixed
        request = {"library": "mtkahypar", "n_nodes": self.n_nodes, "n_edges": edges.nnz, "n_starts": len(starts)}
        request["tasks"] = [asdict(task) for task in tasks]
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(request).encode() + b"\n")
            for numbers in (edges.row, edges.col, whole(edges.data), whole(weights), held, *starts):
                self._child.stdin.write(np.ascontiguousarray(numbers, dtype=np.int32).tobytes())
            self._child.stdin.flush()
        except BrokenPipeError:  # it has ended: `parts` finds nothing
            pass

    def parts(self) -> list[Members]:
        """The partition of every task; fewer where the process ended early, none without the extra."""
        if self._child is None:
            return []
        answer, _ = self._child.communicate()
        whole_answers = len(answer) // (4 * self.n_nodes)
        found = np.frombuffer(answer[: whole_answers * 4 * self.n_nodes], dtype=np.int32).astype(np.int64)
        return list(found.reshape(whole_answers, self.n_nodes))

    def __enter__(self) -> Kahypar:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._child is not None:
            _end(self._child)


def kahip_strong(
    A: sp.csr_array, weights: Real, parts: int, imbalance: float, seed: int, *, is_short: bool | None = None
) -> Members | None:
    """The parts of KaHIP's "strong" configuration; None without KaHIP. Nothing else runs in this process meanwhile."""
    is_short = A.nnz * parts <= SHORT_FOR_KAHIP if is_short is None else is_short
    return _answer("kahip", A, weights, (parts, imbalance, seed), is_short=is_short)


def metis(
    A: sp.csr_array, weights: Real, parts: int, imbalance: float, seed: int, *, is_short: bool | None = None
) -> Members | None:
    """METIS' parts; None where it is not installed."""
    is_short = A.nnz <= SHORT_FOR_METIS if is_short is None else is_short
    return _answer("pymetis", A, weights, (parts, imbalance, seed), is_short=is_short)


def _answer(library: str, A: sp.csr_array, weights: Real, asked: tuple[Any, ...], *, is_short: bool) -> Members | None:
    """The library's parts: in this process if that is short, else in one that an interrupt ends. None where it fails."""
    if not has(library):
        return None
    lists = multilevel_child.SentGraph(A.indptr, A.indices, whole(A.data), whole(weights))
    if is_short:
        given = multilevel_child.SentGraph(*(numbers.tolist() for numbers in lists)) if library == "kahip" else lists
        return np.asarray(multilevel_child.CALLS[library](given, *asked), dtype=np.int64)
    request = {"library": library, "n_nodes": len(weights), "n_entries": A.nnz, "asked": asked}
    sent = [json.dumps(request).encode() + b"\n", *(np.asarray(part, dtype=np.int32).tobytes() for part in lists)]
    child = _start([*CHILD, *filter(None, sys.path)])
    try:
        answer, _ = child.communicate(b"".join(sent))
    finally:
        _end(child)
    found = np.frombuffer(answer, dtype=np.int32).astype(np.int64)
    return found if len(found) == len(weights) else None


def _start(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def _end(child: subprocess.Popen[bytes]) -> None:
    """End a process that still works."""
    if child.poll() is None:
        child.kill()
        child.communicate()


def whole(weights: Real) -> NDArray[np.int32]:
    """Positive weights as whole numbers whose sum fits into 32 bits: as they are, or as multiples of the least one."""
    for given in (weights, weights / weights.min(initial=np.inf)):
        if given.sum() <= MOST and np.allclose(given, np.rint(given), rtol=1e-12, atol=0.0):
            return np.asarray(np.rint(given), dtype=np.int32)
    scale = (MOST - len(weights)) / weights.sum()
    return np.asarray(np.maximum(np.rint(weights * scale), 1), dtype=np.int32)

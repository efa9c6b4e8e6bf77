"""Parts by other libraries: Mt-KaHyPar and KaHIP, in a process of their own, and METIS. All are in the extra ``cuts``.

They coarsen the graph, cut the smallest one and improve the parts on the way back up, in C++ and C. Their weights are whole
numbers: others are scaled and rounded, and what comes back is measured anew by the caller.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.machinery import ModuleSpec
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

Members = NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """One partition: the best of several seeds.

    preset : Mt-KaHyPar's name for how much it tries: LARGE_K, DEFAULT or QUALITY. kahip_seed : of KaHIP's parts, which are
    then one more candidate. is_improved : by V-cycles, and by new partitions of what the candidates agree on.
    """

    parts: int
    imbalance: float
    preset: str
    seeds: tuple[int, ...]
    is_improved: bool = False
    kahip_seed: int | None = None


def has_kahip() -> bool:
    return find_spec("kahip") is not None


class Kahypar:
    """A running process of Mt-KaHyPar. `parts` waits for it; leaving the block ends it.

    fixed : the part of every node that must be in one, -1 for the others.
    """

    def __init__(self, A: sp.csr_array, weights: Real, tasks: Sequence[Task], fixed: Members | None = None) -> None:
        self.n_nodes, self.n_tasks = A.shape[0], len(tasks)
        self._child: subprocess.Popen[bytes] | None = None
        folders = [str(Path(found.origin).parents[depth]) for found, depth in _homes() if found.origin]
        edges = sp.triu(A, 1).tocoo()
        if find_spec("mtkahypar") is None or not 0 < edges.nnz < LARGEST or not tasks:
            return
        command = [sys.executable, "-I", "-S", multilevel_child.__file__, *folders]
        self._child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        held = np.full(self.n_nodes, -1) if fixed is None else fixed
        csr: tuple[NDArray[Any], ...] = ()
        if any(task.kahip_seed is not None for task in tasks):
            csr = (A.indptr, A.indices, whole(A.data))
        request = {"n_nodes": self.n_nodes, "n_edges": edges.nnz, "tasks": [asdict(task) for task in tasks]}
        request["csr"] = [len(numbers) for numbers in csr]
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(request).encode() + b"\n")
            for numbers in (edges.row, edges.col, whole(edges.data), whole(weights), held, *csr):
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
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._child.communicate()


def _homes() -> list[tuple[ModuleSpec, int]]:
    """Where the two libraries are, and how many folders above that the child has to look: one is a file, one a package."""
    found = [(find_spec("mtkahypar"), 0), (find_spec("kahip"), 1)]
    return [(spec, depth) for spec, depth in found if spec is not None]


def metis(A: sp.csr_array, weights: Real, parts: int, imbalance: float, seed: int) -> Members | None:
    """METIS' parts; None where it is not installed."""
    if find_spec("pymetis") is None:
        return None
    import pymetis

    is_plain = bool((A.data == 1).all())
    _, members = pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(A.indptr, A.indices),
        vweights=None if (weights == 1).all() else whole(weights),
        eweights=None if is_plain else whole(A.data),
        options=pymetis.Options(ufactor=max(int(1000 * imbalance), 1), seed=seed),
    )
    return np.asarray(members, dtype=np.int64)


def whole(weights: Real) -> NDArray[np.int32]:
    """Positive weights as whole numbers whose sum fits into 32 bits: as they are where they are such."""
    if weights.sum() <= MOST and np.array_equal(weights, np.rint(weights)):
        return weights.astype(np.int32)
    scale = (MOST - len(weights)) / weights.sum()
    return np.asarray(np.maximum(np.rint(weights * scale), 1), dtype=np.int32)

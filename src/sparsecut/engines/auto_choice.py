"""`Auto`: the engine chosen by what a job needs and what the machine has free, when the job begins.

    in memory    where the rows fit: the features once more, each level once, the embedding; on a GPU where it has the room
    on disk      where they do not, or where the embedding is to be written to a file as it is made

The answer is the same with either; so is every choice that is made on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from sparsecut.base.errors import InputError, parameter_error
from sparsecut.base.parameters import Option
from sparsecut.base.system_memory import available_memory
from sparsecut.engines.contract import Engine, EngineChoice, Job
from sparsecut.engines.costs import BASE_BYTES, Cost, memory_at_hand
from sparsecut.engines.disk.disk_choice import Disk
from sparsecut.engines.memory_choice import Memory, resolve_device, share_of
from sparsecut.kernels.streaming import in_words, is_mapped, parse_bytes

TAKEN = 0.9  # of what is free: the rest is for what the system and other programs take meanwhile


class Auto(EngineChoice, word="auto"):
    """Memory where the graph fits into it, of a GPU where there is one; disk where it does not.

    Parameters
    ----------
    device : str, default="auto"
        As of `Memory`: "auto" takes a GPU where torch sees one and the rows fit into it.
    memory_limit : int, str or None, default=None
        What may be taken, as of `Disk`: "500MB", "8GiB" or a number of bytes. None is nine tenths of what is free when the
        work begins.
    scratch : str or Path, optional
        As of `Disk`: a folder for unfinished work.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(engine="auto").fit(sc.datasets.load("digits"))
    """

    supports = Memory.supports | Disk.supports
    options = (
        Option("memory_limit", "what may be taken, e.g. 500MB", metavar="SIZE", default="what is free"),
        Option("scratch", "a folder for unfinished work", metavar="FOLDER", type="path", default="the system's"),
    )

    def __init__(
        self, *, device: str = "auto", memory_limit: int | str | None = None, scratch: str | Path | None = None
    ) -> None:
        self.device = device
        self.memory_limit = memory_limit
        self.scratch = scratch

    def check(self) -> None:
        if self.memory_limit is not None:
            parse_bytes("Auto", "memory_limit", self.memory_limit)
        if self.scratch is not None and not isinstance(self.scratch, str | Path):
            raise parameter_error("Auto", "scratch", "a folder's path or None", self.scratch)

    def choose(self, job: Job) -> tuple[EngineChoice, str]:
        """The engine for a job, and why, where it is not simply memory."""
        limit = int(TAKEN * memory_at_hand()) if self.memory_limit is None else self._limit()
        disk = Disk(memory_limit=limit, scratch=self.scratch)
        if "output" in job.needs:
            return disk, ""
        needed, device = bytes_needed(job), resolve_device(self.device, job.caller)
        if device.type == "cuda" and needed > TAKEN * available_memory(device):
            several = self._gpus(job, needed)
            if several:
                return Memory(devices=several), f"Columns are split over {len(several)} GPUs: one has too little memory."
            device = torch.device("cpu")
        if device.type == "cuda" or needed <= limit or job.needs - Disk.supports:
            return Memory(device=str(device)), ""
        return disk, f"Rows are on disk: they need about {in_words(needed)} of memory, and {in_words(limit)} may be taken."

    def _gpus(self, job: Job, needed: int) -> list[str]:
        """All GPUs, where device="auto" leaves them to the engine and the share of each fits; otherwise none."""
        names = [f"cuda:{number}" for number in range(torch.cuda.device_count())]
        if self.device != "auto" or len(names) < 2:
            return []
        share = share_of(job, len(names)) + needed // len(names)
        is_room = all(share <= TAKEN * available_memory(torch.device(name)) for name in names)
        return names if is_room else []

    def taken_of(self, costs: Sequence[Cost]) -> str:
        """Memory where what a fit needs is estimated to fit, else disk: as `choose`, which counts the rows of a job."""
        limit = TAKEN * memory_at_hand() if self.memory_limit is None else self._limit()
        in_memory = next((cost for cost in costs if cost.engine == Memory.word), None)
        return str(Memory.word if in_memory is not None and in_memory.memory - BASE_BYTES <= limit else Disk.word)

    @contextmanager
    def open(self, job: Job) -> Iterator[Engine[Any]]:
        self.refuse_unsupported(job)
        chosen, reason = self.choose(job)
        with chosen.open(job) as engine:
            if reason:
                engine.notes.append(reason)
            yield engine

    def check_output(self, path: Path) -> None:
        if path.suffix != ".npy":
            raise InputError(f"The output {path} must end in .npy: it is written row by row.")

    def _limit(self) -> int:
        return parse_bytes("Auto", "memory_limit", self.memory_limit)


def bytes_needed(job: Job) -> int:
    """What the rows of a job take in memory beside what the graph has there already."""
    graph, n_columns = job.graph, max(job.graph.n_features, 1)
    held, edges = graph.held_features, graph.held_edges
    if graph.has_sparse_features:  # products with them have as many columns as the embedding
        n_columns = min(n_columns, max(job.n_columns, 1))
    rows = 4 * graph.n_nodes * n_columns
    of_files = (12 * int(edges.nnz) if is_mapped(edges) else 0) + (rows if held is not None and is_mapped(held) else 0)
    return of_files + rows * (1 + job.n_levels) + 4 * graph.n_nodes * job.n_columns

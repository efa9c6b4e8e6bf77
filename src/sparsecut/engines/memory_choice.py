"""`Memory`: rows in the memory of one device or of several, its parameters and what it needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import torch

from sparsecut.base.errors import InputError, check_choice, check_integer, parameter_error
from sparsecut.base.parameters import Option
from sparsecut.base.system_memory import available_memory
from sparsecut.engines.contract import EngineChoice, Job
from sparsecut.engines.memory import MemoryEngine
from sparsecut.kernels import halves
from sparsecut.kernels.streaming import in_words
from sparsecut.kernels.threads import using

if TYPE_CHECKING:
    from sparsecut.engines.costs import Cost, Machine, Workload
    from sparsecut.engines.several_devices import SeveralDevices


class Memory(EngineChoice, word="memory"):
    """Rows in the memory of a CPU or of a GPU, or of several GPUs.

    Parameters
    ----------
    device : str, default="auto"
        "cpu", "cuda", or "cuda:1" for the second GPU; "auto" takes a GPU where torch sees one.
    precision : {"single", "half"}, default="single"
        What dense features are kept and smoothed in. "half" is float16 with sums in float32: hops are faster, and each
        rounds to eleven bits. Weights, M and the embedding are float32 in both.
    n_jobs : int or None, default=None
        Threads of the CPU. None takes one per core, or fewer where `OMP_NUM_THREADS`, `torch.set_num_threads` or
        `threadpoolctl.threadpool_limits` say so, or where the fit runs in a worker of joblib or Dask; −1 takes every core.
        Small graphs are embedded on one thread. The result is the same with any number.
    devices : list of str, optional
        Several devices in place of one, as ["cuda:0", "cuda:1"]. Each has the whole graph and an equal share of the columns
        of the features, so that hops move nothing between them; the embedding is returned in the host's memory. Take it
        where the features do not fit one GPU, or where hops take most of the time.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(engine=sc.Memory(device="cpu", precision="half")).fit(sc.datasets.load("digits"))
    """

    supports = MemoryEngine.supports
    options = (
        Option(
            "precision",
            "half keeps features and smoothed rows in float16",
            default="single",
            choices=("single", "half"),
        ),
    )

    def __init__(
        self,
        *,
        device: str = "auto",
        precision: Literal["single", "half"] = "single",
        n_jobs: int | None = None,
        devices: Sequence[str] | None = None,
    ) -> None:
        self.device = device
        self.precision = precision
        self.n_jobs = n_jobs
        self.devices = devices

    def check(self) -> None:
        check_choice("Memory", "precision", self.precision, halves.PRECISIONS)
        if self.n_jobs not in (None, -1):
            check_integer("Memory", "n_jobs", self.n_jobs, 1)
        if self.devices is None:
            return
        is_list = isinstance(self.devices, Sequence) and not isinstance(self.devices, str)
        if not is_list or not self.devices or "auto" in self.devices:
            raise parameter_error(
                "Memory", "devices", "a list of devices such as ['cuda:0', 'cuda:1'], or None", self.devices
            )
        if self.device != "auto":
            raise InputError(
                f"Memory takes one device or several. Got device={self.device!r} and devices={list(self.devices)!r}. "
                "Leave one of them out."
            )

    def estimate(self, work: Workload, machine: Machine) -> Cost:
        from sparsecut.engines.costs import BASE_BYTES, Cost

        free, n_shares, embedding = machine.memory, 1, 4 * work.n_nodes * work.dimension
        if self.devices is not None:  # what each device needs
            found = dict.fromkeys(resolve_devices(self.devices, "estimate"))
            n_shares, embedding = len(found), 0 if len(found) > 1 else embedding
            free = min(machine.memory if device.type == "cpu" else available_memory(device) for device in found)
        copies = 2 + work.n_levels  # the features, where a hop goes, and every level
        memory = BASE_BYTES + work.graph_bytes + copies * work.feature_bytes // n_shares + embedding
        why = "" if memory <= free else f"{in_words(free)} are free"
        return Cost("memory", machine.seconds(work), memory, fits=not why, why=why)

    @contextmanager
    def open(self, job: Job) -> Iterator[MemoryEngine | SeveralDevices]:
        self.refuse_unsupported(job)
        names = [self.device] if self.devices is None else self.devices
        devices = resolve_devices(names, job.caller) if len(names) > 1 else [resolve_device(names[0], job.caller)]
        with using(self.n_jobs):
            if len(devices) == 1:
                yield MemoryEngine(devices[0], self.precision, job.report, job.graph)
                return
            from sparsecut.engines.several_devices import SeveralDevices

            refuse_small(devices, job, self.precision)
            yield SeveralDevices(devices, self.precision, job.report, job.graph)


def refuse_small(devices: Sequence[torch.device], job: Job, precision: str) -> None:
    """Raise where a GPU has no room for the graph and its share of the features alone."""
    needed = share_of(job, len(devices), 2 if precision == "half" else 4)
    for device in devices:
        if device.type == "cuda" and needed > (free := available_memory(device)):
            raise InputError(
                f"{job.caller} has too little memory on {device}: the graph and an equal share of the features take "
                f"{in_words(needed)}, and {in_words(free)} are free. Name more GPUs, or leave out those with little memory, "
                "or use engine='disk'."
            )


def share_of(job: Job, n_devices: int, number_bytes: int = 4) -> int:
    """Bytes of the graph and of the columns that each of several devices has, at least: weights of edges are not counted."""
    graph = job.graph
    columns = 0 if graph.has_sparse_features else -(-graph.n_features // n_devices)
    return 4 * int(graph.held_edges.nnz) + graph.n_nodes * (8 + number_bytes * columns)


def resolve_device(device: object, caller: str) -> torch.device:
    """`auto`, `cpu`, `cuda` or `cuda:1` as a torch device that is there."""
    name = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else str(device)
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdigit()):
        raise parameter_error(caller, "device", "'auto', 'cpu', 'cuda' or 'cuda:N'", device)
    if kind == "cuda" and not torch.cuda.is_available():
        raise InputError(f"{caller} was given device={device!r}, but torch sees no CUDA GPU here. Use device='cpu'.")
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise InputError(
            f"{caller} was given device={device!r}, but there are {torch.cuda.device_count()} GPUs, counted from 0."
        )
    return torch.device(name)


def resolve_devices(devices: Sequence[object], caller: str) -> list[torch.device]:
    """Several names as devices; a GPU may be named once. A CPU may be named twice, which tests what several devices do."""
    found = [_numbered(resolve_device(device, caller)) for device in devices]
    twice = [device for number, device in enumerate(found) if device.type == "cuda" and device in found[:number]]
    if twice:
        raise InputError(f"{caller} was given devices={list(devices)!r}, which names {twice[0]} twice. Name each GPU once.")
    return found


def _numbered(device: torch.device) -> torch.device:
    """`cuda` by the number of the GPU that it is."""
    is_numbered = device.type != "cuda" or str(device) != "cuda"
    return device if is_numbered else torch.device("cuda", torch.cuda.current_device())

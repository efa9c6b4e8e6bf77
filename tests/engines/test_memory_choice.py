"""Which devices `Memory` takes, and what each of them needs. Torch says that there are GPUs; nothing computes on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc
from conftest import random_graph
from sparsecut.engines import Job, auto_choice, memory_choice
from sparsecut.engines.auto_choice import Auto
from sparsecut.engines.costs import Machine, Workload
from sparsecut.engines.memory_choice import refuse_small, resolve_devices


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"devices": "cuda:0"},
            r"devices parameter of Memory must be a list of devices such as \['cuda:0', 'cuda:1'\], or None",
        ),
        ({"devices": []}, "devices parameter of Memory must be a list"),
        ({"devices": ["cpu", "auto"]}, "devices parameter of Memory must be a list"),
        ({"devices": ["cpu", "cpu"], "device": "cpu"}, "takes one device or several.*Leave one of them out"),
        ({"devices": ["cpu", "tpu"]}, "device parameter of SCE must be 'auto', 'cpu', 'cuda' or 'cuda:N'"),
    ],
)
def test_devices_that_are_none(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(sc.InputError, match=message):
        sc.SCE(engine=sc.Memory(**parameters)).fit(random_graph())


class TwoGpus:
    """What torch says of a machine with two GPUs; nothing computes on them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *free: int) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: len(free))
        monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
        room = lambda device: free[device.index or 0]  # noqa: E731
        for module in (memory_choice, auto_choice):
            monkeypatch.setattr(module, "available_memory", room)


def test_a_gpu_is_named_once_and_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    TwoGpus(monkeypatch, 1 << 40, 1 << 40)
    assert resolve_devices(["cuda:1", "cuda", "cpu", "cpu"], "SCE")[1] == torch.device("cuda:0")
    with pytest.raises(sc.InputError, match=r"names cuda:0 twice\. Name each GPU once"):
        resolve_devices(["cuda:0", "cuda"], "SCE")
    with pytest.raises(sc.InputError, match="there are 2 GPUs, counted from 0"):
        resolve_devices(["cuda:0", "cuda:2"], "SCE")


def test_a_gpu_too_small_for_its_share_is_an_error_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    TwoGpus(monkeypatch, 1 << 40, 1 << 20)
    engine = sc.Memory(devices=["cuda:0", "cuda:1"])
    # 16,384 nodes take 8 bytes each, and 16 of 32 columns 64: 1.1 MiB, or 0.6 where they are halves.
    job = Job("SCE", sc.Graph(sp.csr_array((1 << 14, 1 << 14)), features=np.ones((1 << 14, 32))))
    with pytest.raises(sc.InputError, match=r"SCE has too little memory on cuda:1.* take 2 MiB, and 1 MiB are free\. Name"):
        engine.open(job).__enter__()
    assert memory_choice.share_of(job, 2) == (8 + 64) << 14
    refuse_small([torch.device("cuda:1")] * 2, job, "half")


def test_auto_splits_what_one_gpu_has_no_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(1000, 64, density=0.002)
    job = Job("SCE", graph, n_columns=64)
    needed = auto_choice.bytes_needed(job)
    TwoGpus(monkeypatch, needed, needed)
    chosen, reason = Auto().choose(job)
    assert chosen == sc.Memory(devices=["cuda:0", "cuda:1"])
    assert reason == "Columns are split over 2 GPUs: one has too little memory."
    assert Auto(device="cuda:1").choose(job)[0] == sc.Memory(device="cpu")  # one was requested
    TwoGpus(monkeypatch, needed // 4, needed)
    assert Auto().choose(job)[0] == sc.Memory(device="cpu")


def test_the_estimate_is_that_of_each_device(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Workload(10**6, 10**7, 100, False, 200, 100, 10**4, 10**4, 1, 64, 2)
    machine = Machine(1e9, 1e10, 1e9, 10**12, 10**12, 2)
    one = sc.Memory(device="cpu").estimate(work, machine)
    TwoGpus(monkeypatch, 10**12, 2 * 10**8)
    each = sc.Memory(devices=["cuda:0", "cuda:1"]).estimate(work, machine)
    rows = 3 * work.feature_bytes
    assert one.memory - each.memory == rows // 2 + 4 * 10**6 * 64
    assert one.fits
    assert not each.fits
    assert each.why == "191 MiB are free"

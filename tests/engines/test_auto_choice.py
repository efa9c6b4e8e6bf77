"""The engine that is chosen by what fits: the same vectors as those of the engine by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import sparsecut as sc
from conftest import random_graph
from disk_cases import limit_for
from sparsecut.engines import Job
from sparsecut.engines.auto_choice import bytes_needed

needs_no_cuda = pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU would be taken here")


def job_of(graph: sc.Graph, **more: Any) -> Job:
    return Job(caller="SCE", graph=graph, n_levels=2, n_columns=7, **more)


def test_bytes_by_hand(tmp_path: Path) -> None:
    """Features of 40 × 6: two levels and one more; as much again, and the edges, where they lie in files."""
    graph = random_graph(40, 6)
    assert bytes_needed(job_of(graph)) == 4 * 40 * 6 * 3 + 4 * 40 * 7
    np.save(tmp_path / "features.npy", graph.features)
    mapped = graph.replace(features=np.load(tmp_path / "features.npy", mmap_mode="r"))
    assert bytes_needed(job_of(mapped)) == 4 * 40 * 6 * 4 + 4 * 40 * 7
    sparse = random_graph(40, 60, is_sparse=True)
    assert bytes_needed(job_of(sparse)) == 4 * 40 * 7 * 3 + 4 * 40 * 7


@needs_no_cuda
def test_memory_where_it_fits_and_disk_where_not() -> None:
    graph = random_graph(300, 9)
    assert repr(sc.Auto().choose(job_of(graph))[0]) == repr(sc.Memory(device="cpu"))
    tight = sc.Auto(memory_limit=20_000)
    chosen, reason = tight.choose(job_of(graph))
    assert repr(chosen) == repr(sc.Disk(memory_limit=20_000))
    assert "Rows are on disk: they need about" in reason
    assert tight.choose(job_of(graph, needs=frozenset({"batches"})))[0].word == "memory"  # which only memory can serve
    assert sc.Auto().choose(job_of(graph, needs=frozenset({"output"})))[0].word == "disk"


@needs_no_cuda
def test_the_same_vectors(tmp_path: Path) -> None:
    graph = random_graph(300, 9)
    limit = limit_for(300, 9)
    by_name = sc.SCE(engine=sc.Memory(device="cpu")).fit_transform(graph)
    assert np.array_equal(sc.SCE(engine="auto").fit_transform(graph), by_name)
    output = tmp_path / "z.npy"
    on_disk = sc.SCE(engine=sc.Auto(memory_limit=limit)).fit_transform(graph, output=output)
    assert np.allclose(on_disk, by_name, atol=1e-4 * np.abs(by_name).max())
    assert output.exists()


def test_parameters_are_checked() -> None:
    with pytest.raises(sc.InputError, match="The memory_limit parameter of Auto"):
        sc.SCE(engine=sc.Auto(memory_limit="much")).fit(random_graph(30, 4))
    with pytest.raises(sc.InputError, match="The scratch parameter of Auto must be a folder's path or None"):
        sc.SCE(engine=sc.Auto(scratch=3)).fit(random_graph(30, 4))

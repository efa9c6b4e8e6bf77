"""The parameters of `Dask`: their rules, and what `explain` says of the plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from disk_cases import assert_same_rows, community_graph
from local_cluster import address

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"plan": "diagonal"}, "The plan parameter of Dask must be one of 'auto', 'columns', 'rows'"),
        ({"workers": 0}, "an integer of at least 1"),
        ({"timeout": 0}, "a finite number above 0"),
        ({"scheduler": "host"}, "an address such as"),
        ({"scheduler": "tcp://h:1", "memory_limit": "1GiB"}, "is for a cluster on this machine"),
        ({"security": {"password": "x"}}, "a dictionary of tls_ca_file"),
        ({"scratch": 3}, "a path or None"),
    ],
)
def test_rules(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(sc.InputError, match=message):
        sc.SCE(engine=sc.Dask(**parameters)).check_parameters()


def test_a_word_is_short_for_it_and_a_file_keeps_it() -> None:
    assert sc.SCE(engine="dask")._choice("engine") == sc.Dask()
    header, arrays = sc.Dask("tcp://h:1", partition=np.arange(3)).to_header()
    assert type(sc.Dask()).read(header, arrays) == sc.Dask("tcp://h:1", partition=np.arange(3))


@pytest.mark.parametrize("is_good", [True, False])
def test_a_partition_is_followed_where_it_saves_rows(is_good: bool, tmp_path: Path) -> None:
    graph = community_graph(160, 6)  # four groups, node i in group i % 4
    part = np.arange(160) % 4 if is_good else np.random.default_rng(0).integers(0, 4, 160)
    engine = sc.Dask(address(), plan="rows", blocks=4, partition=part, scratch=tmp_path)
    model = sc.SCE(filter="power", engine=engine).fit(graph, output=tmp_path / "z")
    assert_same_rows(np.asarray(model.embedding_), sc.SCE(filter="power").fit_transform(graph))
    assert "halo" not in model.explain()
    said = model.explain(details=True)
    assert "rows with a halo: it was requested" in said
    assert ("The given partition is followed" in said) or not is_good
    assert "of smoothing were estimated to move" in said
    model.save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    kept = loaded.engine
    assert (kept.scheduler, kept.plan, kept.blocks, kept.scratch) == (address(), "rows", 4, str(tmp_path))
    assert np.array_equal(kept.partition, part)
    assert_same_rows(loaded.transform(graph), np.asarray(model.embedding_))


def test_a_partition_of_other_nodes_is_refused_before_any_work() -> None:
    with pytest.raises(sc.InputError, match="one part for each of 160 nodes"):
        sc.SCE(engine=sc.Dask(address(), partition=np.arange(3))).fit(community_graph(160, 6))

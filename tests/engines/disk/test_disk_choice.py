"""What the disk engine refuses before any work, in sentences that say what to do, and where its work lies."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import sparsecut as sc
from disk_cases import community_graph, limit_for, names_in


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (
            sc.SCE(engine=sc.Disk(memory_limit="much")),
            "The memory_limit parameter of Disk must be a number of bytes above 0, such as '2GiB' or '500MB'. Got 'much' "
            "instead.",
        ),
        (
            sc.SCE(engine=sc.Disk(scratch=3)),  # type: ignore[arg-type]
            "The scratch parameter of Disk must be a folder's path or None. Got 3 instead.",
        ),
        (
            sc.SCE(engine=sc.Disk(memory_limit="100MiB")),
            "The memory_limit of Disk is too small for this graph: 100 MiB. It needs at least 498 MiB, of which 480 MiB are "
            "the interpreter and its libraries.",
        ),
        (
            sc.SCE(solver=sc.Adam(batch_size=32), engine="disk"),
            "SCE(engine='disk') cannot train mini-batches, which take rows from everywhere. Leave batch_size out, or use "
            "engine='memory'.",
        ),
        (
            sc.SCE(solver=sc.Adam(route="rows"), engine="disk"),
            "SCE(engine='disk') cannot train over rows. Use Adam(route='auto') or Adam(route='gram'), or use "
            "engine='memory'.",
        ),
        (
            sc.MoSCE(aggregation="max", solver="adam", engine="disk"),
            "MoSCE(engine='disk') cannot aggregate by max, which is not a function of the Gram matrix. Use "
            "aggregation='mean' or 'concat', or use engine='memory'.",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else repr(value),
)
def test_refusals_say_what_to_do(model: Any, words: str) -> None:
    with pytest.raises(sc.InputError) as caught:
        model.fit(community_graph())
    assert str(caught.value) == words


@pytest.mark.parametrize("setting", ["device", "precision"])
def test_what_belongs_to_memory_is_no_parameter_of_the_disk(setting: str) -> None:
    """It runs on the CPU, in single precision: there is nothing to set."""
    with pytest.raises(TypeError, match=setting):
        sc.Disk(**{setting: "cuda"})
    with pytest.raises(sc.InputError, match=f"Disk has no parameter '{setting}'. It has memory_limit, scratch."):
        sc.SCE(engine="disk").set_params(**{f"engine__{setting}": "cuda"})


def test_a_matrix_m_that_is_needed_whole_and_does_not_fit_is_refused() -> None:
    """Adam trains over M itself, and so does the closed form of features that are not wide."""
    for model, n_features in ((sc.SCE(filter="power", solver=sc.Adam(epochs=1)), 1100), (sc.SCE(filter="power"), 1000)):
        graph = community_graph(50, n_features)
        limit = limit_for(50, n_features)
        with pytest.raises(
            sc.InputError, match=r"memory_limit of Disk is too small .* It needs at least (\d+) MiB"
        ) as caught:
            model.set_params(engine=sc.Disk(memory_limit=limit)).fit(graph)
        enough = int(str(caught.value).partition("at least ")[2].split()[0])
        model.set_params(engine=sc.Disk(memory_limit=f"{enough}MiB")).fit(graph)  # what it names is enough


def test_outputs_that_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = community_graph()
    model = sc.SCE(filter="power", engine="disk")
    with pytest.raises(sc.InputError, match=r"The output .*z.csv must end in .npy: it is written row by row."):
        model.fit(graph, output="z.csv")
    with pytest.raises(sc.InputError, match=r"cannot be written: the folder .* does not exist"):
        model.fit(graph, output=tmp_path / "nowhere" / "z.npy")
    with pytest.raises(sc.InputError) as caught:
        sc.SCE(dimension=100_000, filter="power", engine=sc.Disk(memory_limit="500MiB")).fit(graph)
    assert str(caught.value) == (
        "The embedding of SCE, 300 × 100,000, does not fit into the memory_limit of 500 MiB. Write it to disk: "
        "output='embedding.npy'."
    )
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 1000))
    with pytest.raises(sc.InputError) as caught:
        model.fit(graph, output=tmp_path / "z.npy")
    assert "has 1 MiB free, and 1 MiB are needed. Free some, or name a folder on another disk (scratch)." in str(
        caught.value
    )
    assert names_in(tmp_path) == []


def test_scratch_folders_that_cannot_be(tmp_path: Path) -> None:
    graph = community_graph()
    file = tmp_path / "file"
    file.write_text("")
    for scratch, words in (
        (file, "is not a folder. Name a folder that can be written to (scratch)."),
        (tmp_path / "no", "does not exist. Name a folder that can be written to (scratch)."),
        (Path("/proc"), "cannot be written: No such file or directory. Name another one (scratch)."),
    ):
        with pytest.raises(sc.InputError) as caught:
            sc.SCE(filter="power", engine=sc.Disk(scratch=scratch)).fit(graph, output=tmp_path / "z.npy")
        assert str(caught.value) == f"The scratch folder {scratch} {words}"
    assert names_in(tmp_path) == ["file"]


def test_scratch_lies_where_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    seen = []
    sc.SCE(filter="power", engine=sc.Disk(scratch=tmp_path / "work")).fit(
        community_graph(), output=tmp_path / "z.npy", progress=lambda *_: seen.append(len(names_in(tmp_path / "work")))
    )
    assert set(seen) == {1}
    assert names_in(tmp_path / "work") == []

"""Where files are looked for, what is fetched into which folder, and what is said where they are not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from raw_files import FileServer, serve_files, write, write_benchmark
from sparsecut import datasets
from sparsecut.base.errors import InputError
from sparsecut.datasets import DATASETS, Dataset, GraphSizes, RawFile
from sparsecut.datasets.benchmark import read_benchmark

FILE = "Toy/raw/toy.npz"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and no SPARSECUT_DATA."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SPARSECUT_DATA", raising=False)
    return tmp_path / "home/sparsecut"


@pytest.fixture
def toy(tmp_path: Path) -> bytes:
    """A path of three nodes, as a file in gnn-benchmark's format."""
    path = write_benchmark(tmp_path / "toy.npz", [[0, 1, 0], [0, 0, 1], [0, 0, 0]], np.eye(3), [0, 1, 1])
    return path.read_bytes()


def named(url: str | None, content: bytes, n_features: int = 3) -> Dataset:
    return Dataset(
        name="toy",
        about="a path",
        sizes=GraphSizes(3, 2, n_features, 2),
        origin="the tests",
        citation="none",
        raw=(RawFile(FILE, url, hashlib.sha256(content).hexdigest()),),
        read=partial(read_benchmark, FILE),
    )


@pytest.fixture
def server(toy: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    with serve_files() as served:
        served.files["toy.npz"] = toy
        monkeypatch.setitem(DATASETS, "toy", named(served.url("toy.npz"), toy))
        yield served


def test_the_folder_named_comes_before_the_cache(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert datasets.roots() == [cache]
    monkeypatch.setenv("SPARSECUT_DATA", str(tmp_path / "data"))
    assert datasets.roots() == [tmp_path / "data", cache]
    dataset = named(None, b"")
    write(cache / FILE, b"")
    assert datasets.locate(dataset).folder == cache
    write(tmp_path / "data" / FILE, b"")
    assert datasets.locate(dataset).folder == tmp_path / "data"
    found = datasets.locate(dataset, cache)
    assert found is not None
    assert found.folder == cache
    assert datasets.locate(dataset, tmp_path) is None
    with pytest.raises(InputError, match="are not here"):
        datasets.load("cora_full", tmp_path, download=False)


def test_what_is_here_is_not_fetched(server: FileServer, cache: Path, toy: bytes) -> None:
    write(cache / FILE, toy)
    assert datasets.load("toy").n_edges == 2
    assert server.asked == []


def test_absent_files_are_fetched_into_the_cache(
    server: FileServer, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARSECUT_DATA", str(tmp_path / "data"))
    reports: list[str] = []
    assert datasets.load("toy", progress=lambda stage, *_: reports.append(stage)).n_edges == 2
    assert (cache / FILE).is_file()
    assert not (tmp_path / "data").exists()
    assert reports == ["toy.npz, KiB"]
    datasets.load("toy")
    assert len(server.asked) == 1


def test_a_root_of_ones_own_takes_what_is_fetched(server: FileServer, cache: Path, tmp_path: Path) -> None:
    datasets.load("toy", root=tmp_path / "mine")
    assert (tmp_path / "mine" / FILE).is_file()
    assert not cache.exists()


@pytest.mark.usefixtures("cache")
def test_nothing_is_asked_for_where_downloads_are_not_wanted(server: FileServer) -> None:
    with pytest.raises(InputError, match=r"The files of toy are not here\. Put "):
        datasets.load("toy", download=False)
    assert server.asked == []


def test_offline_the_error_says_which_files_to_put_where(cache: Path, toy: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_files() as served:
        url = served.url("toy.npz")
    monkeypatch.setitem(DATASETS, "toy", named(url, toy))
    with pytest.raises(InputError) as caught:
        datasets.load("toy")
    message = str(caught.value)
    assert message.startswith(f"The files of toy are not here and could not be fetched: {url} cannot be reached (")
    assert message.endswith(
        f"Put {FILE} into {cache} (from the tests; `sparsecut datasets toy` has the addresses), "
        "or set SPARSECUT_DATA to the folder that holds them."
    )


def test_only_the_files_that_are_missing_are_named(tmp_path: Path) -> None:
    files = datasets.find_dataset("flickr").files
    write(tmp_path / files[0], b"")
    with pytest.raises(InputError) as caught:
        datasets.load("flickr", root=tmp_path, download=False)
    assert f"Put {', '.join(files[1:])} into {tmp_path} " in str(caught.value)


def test_a_file_here_that_is_not_the_published_one_is_not_parsed(server: FileServer, cache: Path, toy: bytes) -> None:
    write(cache / FILE, toy + b"!")
    with pytest.raises(InputError, match=rf"{FILE} is not the published file: its SHA-256 is [0-9a-f]+, and should be"):
        datasets.load("toy")
    assert server.asked == []


@pytest.mark.usefixtures("cache")
def test_counts_that_are_not_those_published(server: FileServer, toy: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DATASETS, "toy", named(server.url("toy.npz"), toy, n_features=4))
    with pytest.raises(InputError, match=r"The files of toy are not what they should be: expected .*'features': 4.*got .*3"):
        datasets.load("toy")


def test_a_name_that_is_none() -> None:
    with pytest.raises(InputError, match=r"There is no dataset 'imdb'\. There are: digits, cora,"):
        datasets.load("imdb")

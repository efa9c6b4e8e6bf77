"""gnn-benchmark's .npz, small and by hand."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib import format as npy

from raw_files import write, write_benchmark, write_npz
from sparsecut import datasets
from sparsecut.base.errors import InputError
from sparsecut.datasets.benchmark import CORA_FULL, CORA_FULL_EDGES, CORA_FULL_LABELS, read_benchmark, read_cora_full

# Directed, with an edge in both directions, a self-loop and an entry that is zero.
ADJACENCY = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0]])
ATTRIBUTES = np.array([[0.5, 0, 0], [0, 2, 0], [0, 0, 0], [1, 1, 1]])
LABELS = [1, 2, 2, 1]


class Trap:
    """Fails when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return pytest.fail, ("it was unpickled",)


def test_directed_edges_become_undirected_without_a_warning(tmp_path: Path) -> None:
    write_benchmark(tmp_path / "x.npz", ADJACENCY, ATTRIBUTES, LABELS, class_names=np.array(["a", "b"]))
    graph = read_benchmark("x.npz", tmp_path, first_label=1)
    expected = [[0, 1, 0, 0], [1, 0, 1, 1], [0, 1, 0, 0], [0, 1, 0, 0]]
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)
    np.testing.assert_array_equal(graph.features.toarray(), ATTRIBUTES.astype(np.float32))
    np.testing.assert_array_equal(graph.labels, [0, 1, 1, 0])


def test_stored_zeros_are_no_edges_and_weights_are_not_kept(tmp_path: Path) -> None:
    path = write_benchmark(tmp_path / "x.npz", ADJACENCY * 3, ATTRIBUTES, LABELS)
    with np.load(path) as archive:
        arrays = dict(archive)
    arrays["adj_data"][0] = 0  # 0 → 1, which 1 → 0 still joins
    arrays["adj_data"][-1] = 0  # 3 → 1, which nothing else does
    write_npz(path, **arrays)
    graph = read_benchmark("x.npz", tmp_path)
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 1], [1, 2]])
    assert not graph.is_weighted


def test_arrays_of_objects_beside_the_graph_are_not_touched(tmp_path: Path) -> None:
    names = np.array([Trap(), None], dtype=object)
    write_benchmark(tmp_path / "x.npz", ADJACENCY, ATTRIBUTES, LABELS, idx_to_node=names)
    assert read_benchmark("x.npz", tmp_path).n_edges == 3
    write_benchmark(tmp_path / "x.npz", ADJACENCY, ATTRIBUTES, np.array([Trap()] * 4, dtype=object))
    with pytest.raises(InputError, match=r"x\.npz is damaged: it holds Python objects, which are never loaded\. Remove it"):
        read_benchmark("x.npz", tmp_path)


def good_arrays(folder: Path) -> dict[str, np.ndarray]:
    with np.load(write_benchmark(folder / "x.npz", ADJACENCY, ATTRIBUTES, LABELS)) as archive:
        return dict(archive)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"adj_indices": np.array([1, 0, 2, 2, 4])}, r"x\.npz is damaged"),
        ({"adj_indptr": np.array([0, 1, 3, 4])}, r"x\.npz is damaged"),
        ({"adj_indptr": np.array([0, 9, 3, 4, 5])}, r"x\.npz is damaged"),
        ({"adj_shape": np.array([10**12, 10**12])}, r"x\.npz claims 1,000,000,000,000 rows .* It is damaged"),
        ({"adj_shape": np.array([4.5])}, r"x\.npz must hold a two-dimensional matrix\. Got shape \(4,\)"),
        ({"adj_data": np.array(["a"] * 5)}, r"x\.npz must hold a matrix of real numbers\. Got <U1"),
        ({"labels": np.array([1, 2])}, "labels must be one value for each of the 4 nodes"),
        ({"labels": np.array(["a"] * 4)}, r"x\.npz is damaged"),
        ({"attr_data": np.array([np.nan, 1, 1, 1, 1])}, "features must be finite"),
        ({"attr_shape": np.array([4, 2])}, r"x\.npz is damaged"),
        ({"labels": None}, r"it has no array 'labels', only 'adj_data', 'adj_indices', "),
    ],
)
def test_arrays_that_do_not_fit(changes: dict[str, np.ndarray | None], message: str, tmp_path: Path) -> None:
    arrays = good_arrays(tmp_path) | changes
    write_npz(tmp_path / "x.npz", **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(InputError, match=message):
        read_benchmark("x.npz", tmp_path)


def test_a_shape_larger_than_the_file_asks_for_no_memory(tmp_path: Path) -> None:
    """Its header claims eight tebibytes."""
    arrays = good_arrays(tmp_path)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            npy.write_array(content, array)
            if name == "adj_data":
                content = io.BytesIO()
                npy.write_array_header_1_0(content, {"descr": "<f8", "fortran_order": False, "shape": (2**40,)})
            archive.writestr(f"{name}.npy", content.getvalue())
    write(tmp_path / "x.npz", buffer.getvalue())
    said = r"x\.npz is damaged: it claims an array of 8,796,093,022,208 bytes and has 128\. Remove it"
    with pytest.raises(InputError, match=said):
        read_benchmark("x.npz", tmp_path)


def test_damage_that_numpy_and_zipfile_have_names_of_their_own_for(tmp_path: Path) -> None:
    """Found by fuzzing: a header that is no Python, and a member that says it is encrypted."""
    content = write_benchmark(tmp_path / "x.npz", ADJACENCY, ATTRIBUTES, LABELS).read_bytes()
    spoilt = bytearray(content)
    directory = content.index(b"PK\x01\x02")
    spoilt[directory + 8] |= 1
    for broken in (content.replace(b"{'descr'", b"\xa2'descr'"), content.replace(b"4,), }", b"4,), ("), bytes(spoilt)):
        assert broken != content
        write(tmp_path / "x.npz", broken)
        with pytest.raises(InputError, match=r"x\.npz is damaged: "):
            read_benchmark("x.npz", tmp_path)


@settings(max_examples=200, deadline=None)
@given(edits=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=5), length=st.integers(0, 5000))
def test_a_file_with_changed_bytes_loads_or_is_refused(
    edits: list[tuple[int, int]], length: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    content = bytearray(write_benchmark(folder / "good.npz", ADJACENCY, ATTRIBUTES, LABELS).read_bytes()[:length])
    for position, value in edits:
        if position < len(content):
            content[position] = value
    write(folder / "changed.npz", bytes(content))
    try:
        graph = read_benchmark("changed.npz", folder)
    except InputError:
        return
    assert graph.n_nodes == 4


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The path 0-1-2 and the lonely node 3, without features."""
    write(tmp_path / CORA_FULL_EDGES, "0\t1\n1\t0\n1\t2\n2\t1\n")
    write(tmp_path / CORA_FULL_LABELS, "0 5\n1 5\n2 0\n3 1\n")
    return tmp_path


def test_without_features_it_is_a_graph_that_says_so(root: Path) -> None:
    graph = read_cora_full(root)
    assert graph.features is None
    assert graph.notes == (f"Cora Full has no features here: {root / CORA_FULL}, which holds them, is absent.",)
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 1], [1, 2]])
    np.testing.assert_array_equal(graph.labels, [5, 5, 0, 1])


def test_with_its_file_of_features_it_has_them(root: Path) -> None:
    adjacency = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    write_benchmark(root / CORA_FULL, adjacency, np.eye(4), [5, 5, 0, 1])
    graph = read_cora_full(root)
    np.testing.assert_array_equal(graph.features.toarray(), np.eye(4))
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 1], [1, 2]])
    assert graph.notes == ()


def test_which_form_is_found(root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files with features in a later root are better than files without in an earlier one."""
    dataset, home = datasets.find_dataset("cora_full"), tmp_path_factory.mktemp("home")
    monkeypatch.setenv("SPARSECUT_DATA", str(root))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    assert datasets.locate(dataset, root) is not None
    assert datasets.locate(dataset).folder == root
    assert not datasets.brings_features("cora_full")
    write(home / "sparsecut" / CORA_FULL, b"")
    assert datasets.locate(dataset).folder == home / "sparsecut"
    assert datasets.brings_features("cora_full")


def test_nothing_found_is_to_be_fetched_with_features(tmp_path: Path) -> None:
    assert datasets.brings_features("cora_full", tmp_path)
    with pytest.raises(InputError, match=f"Put {CORA_FULL} into"):
        datasets.load("cora_full", tmp_path, download=False)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (CORA_FULL_LABELS, "0 5\n2 5\n1 0\n3 1\n"),
        (CORA_FULL_LABELS, "0 5\n1\n"),
        (CORA_FULL_LABELS, "0 5 1\n1 5 1\n"),
        (CORA_FULL_EDGES, "0\tx\n"),
        (CORA_FULL_EDGES, "0\t4\n4\t0\n"),
        (CORA_FULL_EDGES, "0\t-1\n"),
    ],
)
def test_damaged_files(file: str, content: str, root: Path) -> None:
    write(root / file, content)
    with pytest.raises(InputError, match=rf"{file} is damaged: "):
        read_cora_full(root)

"""Any bytes give a graph or one sentence. What longer runs of tests/fuzz/fuzz_readers.py broke is kept here."""

import base64
import contextlib
import struct
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.io.hostile import sandbox_child
from sparsecut.io.hostile.sandbox import check_hdf5

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
import fuzz_readers

BROKE = {
    # scipy's Matrix Market reader ended the process
    "mtx: a control character at the end": (
        ".mtx", b"%%MatrixMarket matrix coordinate real symmetric\n%\n3 3 2\n2 1 1\n3 2 2\x05"),
    # looked for a comment in one column, found it in the other, and never ended
    "csv: a target that looks like a comment": (".csv", b"source,target,weight\na,#b,1\nb,c,2.5\n"),
    # bytes that are no text in a row of the wrong length, which pyarrow reported on standard error
    "csv: no text in a short row": (".csv", b"source,target,weight\na,b,1\n\xc1\xc1\n"),
    "csv: a quote that is never closed": (".csv", b'"source","target\n'),
    # asking pyarrow about this file's columns ended the process
    "parquet: statistics that do not fit": (".parquet", base64.b64decode(
        "UEFSMRUEFTAVOEwVBhUAEgAAH4sIAAAAAAACA2NkgAAmKM0MpQGHjcsrGAAAABUAFRQVPCwVBhUQFQYVBhwYCAMAAAAAAAAAGAgB"
        "AAAAAAAAABYAKAgDAAAAAAAAABgIAQAAAAAAAAAREQAAAB+LCAAAAAAAAgNjYmBgYGNkYlZhAACS5eFVCgAAABUEFTAVOEwVBhUA"
        "EgAAH4sIAAAAAAACA2NigABmKM0IpQFDspifGAAAABUAFRQVPCwVBhUQFQYVBhwYCAMAAAAAAAAAGAgBAAAAAAAAABYAKAgDAAAA"
        "AAAAABgIAQAAAAAAAAAREQAAAB+LCAAAAAAAAgNjYmBgYGNkYlZhAACS5eFVCgAAABUEGTw1ABgGc2NoZW1hFQQAFQQlIhgBdQAV"
        "BCUCGAF2ABYGGRwZLCYAHBUEGTUABhAZGAF1FQQWBhbeARaOAiZcJggcGAgDAAAAAAAAABgIAQAAAAAAAAAWACgIAwAAAAAAAAAY"
        "CAEAAAAAAAAAEREAGSwVBBUAFQIAFQAVEBUCADwpBhkmAAYAAAAmABwVBBk1AAYQGRgBdhUEFgYW3gEWjgIm6gImlgIcGAgDAAAA"
        "AAAAABgIAQAAAAAAAAAWACgIAwAAAAAAAAAYCAEAAAAAAAAAEREAGSwVBBUAFQIAFQAVEBUCADwpBhkmAAYAAAAWvAMWBiYIFpwE"
        "ABkcGAxBUlJPVzpzY2hlbWEY7AEvLy8vLzZnQUFBQVFBQUFBQUFBS0FBd0FCZ0FGQUFnQUNnQUFBQUFCQkFBTUFBQUFDQUFJQUFB"
        "QUJBQUlBQUFBQkFBQUFBSUFBQUJFQUFBQUJBQUFBTlQvLy84QUFBRUNFQUFBQUJRQUFBQUVBQUFBQUFBQUFBRUFBQUIyQUFBQXhQ"
        "Ly8vd0FBQUFGQUFBQUFFQUFVQUFnQUJnQUhBQXdBQUFBUUFCQUFBQUFBQUFFQ0VBQUFBQndBQUFBRUFBQUFBQUFBQUFFQUFBQjFB"
        "QUFBQ0FBTUFBZ0FCd0FJQUFBQUFBQUFBVUFBQUFBPQAYIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGSwcAAAcAAAA"
        "JwIAAFBBUjE="
    )),
    # scipy's MATLAB reader ended the process
    "mat: a matrix without its parts": (".mat", base64.b64decode(
        "TUFUTEFCIDUuMCBNQVQtZmlsZSBQbGF0Zm9ybTogcG9zaXgsIENyZWF0ZWQgb246IFN1biBOb3YgMTUgMTA6MzQ6MzUgMjAyNgAA"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSU0OAAAAWAAAAAYAAAAIAAAABwAAAAAA"
        "AAAFAAAACAAAAAMAAAADAAAAAQABAEEA////fwAAJAAAAAAAAAAAAIA/AAAAAAAAgD8AAAAAAAAAQAAAAAAAAABAAAAAAAAAAAA="
    )),
    "mat: sizes that are not there": (".mat", base64.b64decode(
        "TUFUTEFCIDV3MCBNQVQtZmlsZSBQbHF0Zm9ybTogcG9zaXgsIENyZWF0ZWQgb246UyBudSBOb3YgMTUgMTA6MzQ6MjggMjAyNgAA"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABSU0OAAAAWAAAAAYAAAAIAAAABwAAAAAA"
        "AAAFAAAACAAAAAMAAAADAAAAAQABAEEAAAA/AAAAJAAAAAAAAAAAAIA/AAAAAAAAgD8AAQAAAAAAAvEAAAAAAAA6QAAAAAAAAAAA"
    )),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKE)
def test_what_once_broke(case, tmp_path, capfd):
    suffix, content = BROKE[case]
    path = tmp_path / f"x{suffix}"
    path.write_bytes(content)
    with contextlib.suppress(sc.InputError):
        sc.read_graph(path)
    assert capfd.readouterr().err == ""


# Three rows, in a part that claims 72,585,508,477: pyarrow asked for 256 GiB.
GREEDY_PARQUET = base64.b64decode(
    "UEFSMRUEFTAVOEwVBhUAEgAAH4sIAAAAAAACA2NkgAAmKM0MpQGHjcsrGAAAABUAFRQVPCwVBhUQFQYVBhwYCAMAAAAAAAAAGAgBAAAAAAAAAB"
    "YAKAgDAAAAAAAAABgIAQAAAAAAAAAREQAAAB+LCAAAAAAAAgNjYmBgYGNkYlZhAACS5eFVCq6urq6urq6urq6urq6urq6urq6urq6urq6urq6u"
    "rq6urq4AAAAVBBUwFThMFQYVABIAAB+LCAAAAAAAAgNjZIAAJijNDKUBh43LKxgAAAAVABUUFTwsFQYVEBUyFQYcGAgDAAAAAAAAABgIAQAAAA"
    "AAAAAWACgIAwAAAAAAAAAYCAEAAAAAAAAAEREAAAAfiwgAAAAAAAIDY2JgYGBjZGJWYQAAkuXhVQoAAAAVBBUwFThMFQYVABIAAB+LCAAAAAAA"
    "AgNjYoAAZijNCKUBQ7KYnxgAAAAVABUUFTwsFQYVEBUGFQYcVmEAAJLl4VUKAAAAFQQZPDUAGAZzY2hlbWEVBAAVBCUCGAF1ABUEJQIYAXYAFg"
    "YZHBksJgAcFQQZNQAGEBkYAXUVBBYGFt4BFo4CJlwmCBwYCAMAAAAAAAAAGAgBAAAAAAAAABYAKAgDAAAAAAAAABgIAQAAAAAAAAAREQAZLBUE"
    "FQAVAgAVABUQFQIAPCkGGSYABgAAACYAHBUEGTUABhAZGAF2FQQWBhbeARaOAibqAiaWAhwYCAMAAAAAAAAAGAgBAAAAJpYCHBgIAwAAAAAAAA"
    "AYABgIAQAAAAAAAAAREQAZLBUEFQAVAgAVABUQFQIAPCkGGSYABgAAABa8Axb62ffmnAQAGRwYDEFSUk9XOnNjaGRtYRjsAS8vLy8vNmdBQUFB"
    "UUFBQUFBQUFLQUF3QUJnQUZBQWdBQ2dBQUFBQUJCQUFNQUFBQUNBQUlBQUFBQkFBSUFBQUFCQUFBQUFJQUFBQkVBQUFBQkFBQUFOVC8vLzhBQU"
    "FFQ0VBQUFBQlFBQUFBRUFBQUFBQUFBQUFFQUFBQjJBQUFBeFAvLy93QUFBQUZBQUFBQUVBQVVBQWdBQmdBSEFBd0FBQUFRQUJBQUFBQUFBQUVD"
    "RUFBQUFCd0FBQUFFQUFBQUFBQUFBQUVBQUFCMUFBQUFDQUFNQUFnQUJ3QUlBQUFBQUFBQUFVQUFBQUE9ABggcGFycXVldC1jcHAtYXJyb3cgdm"
    "Vyc2lvbiAyNi4wLjEZLBwAABwAAAAnAgAAUEFSMQ=="
)


@pytest.mark.parametrize(("read", "kind"), [(sc.read_graph, "edge"), (sc.read_embedding, "embedding")])
def test_a_part_of_a_parquet_file_that_claims_billions_of_rows(read, kind, tmp_path):
    path = tmp_path / "x.parquet"
    path.write_bytes(GREEDY_PARQUET)
    with pytest.raises(sc.InputError) as caught:
        read(path)
    assert str(caught.value) == (
        f"The {kind} file {path} has 937 bytes and claims 72,585,508,477 rows. It is damaged or not what it claims to be."
    )


def test_ids_of_odd_types(tmp_path):
    """Floats beyond 2⁵³ were cast to integers, and lists to words, by an exception of pyarrow's."""
    path = tmp_path / "x.parquet"
    said = {
        "floats of 2**53 and more": pa.array([1.0, 2.0**90]),
        "values of type list<element: int64>": pa.array([[1], [2]]),
        "bytes": pa.array([b"\xff", b"a"]),
    }
    for kind, column in said.items():
        pyarrow.parquet.write_table(pa.table({"source": column, "target": [1, 2]}), path)
        with pytest.raises(sc.InputError) as caught:
            sc.read_graph(path)
        assert f"x.parquet, in column 'source', must have integers or words as node ids. Got {kind}" in str(caught.value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.ReadingWarning")
@pytest.mark.parametrize("group", fuzz_readers.SUFFIXES)
def test_seeds_are_read(group, tmp_path):
    """The fuzzer starts from files that are read; if it did not, it would test little."""
    target = fuzz_readers.Target(group, tmp_path)
    for seed in fuzz_readers.seeds(group):
        target(seed)
    assert target.n_read >= len(fuzz_readers.SUFFIXES[group])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", sorted(set(fuzz_readers.SUFFIXES) - fuzz_readers.IN_CHILDREN))
def test_changed_files(group, tmp_path_factory):
    target = fuzz_readers.Target(group, tmp_path_factory.mktemp(group))
    pool = fuzz_readers.seeds(group)

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=False))
    def feed(generator):
        target(fuzz_readers.mutate(generator.choice(pool), generator, pool))

    feed()
    assert target.n_runs >= 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", fuzz_readers.SUFFIXES)
def test_arbitrary_bytes(group, tmp_path_factory):
    target = fuzz_readers.Target(group, tmp_path_factory.mktemp(group))

    n_examples = 10 if group in fuzz_readers.IN_CHILDREN else 100

    @settings(max_examples=n_examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(max_size=300))
    def feed(content):
        target(content)

    feed()


@pytest.fixture
def h5ad(tmp_path):
    """A file of cells, and the library to damage it with."""
    pytest.importorskip("anndata")
    h5py = pytest.importorskip("h5py")
    from scipy.sparse import csr_array

    path = tmp_path / "cells.h5ad"
    path.write_bytes(fuzz_readers.anndata_files(csr_array([[0, 1, 0], [1, 0, 2], [0, 2, 0.0]]))[0])
    assert sc.read_graph(path).n_nodes == 3
    return h5py, path


@pytest.mark.slow
@pytest.mark.parametrize("bad", [3, -1, 10**6])
def test_h5ad_with_an_index_outside_ends_in_one_sentence(h5ad, bad):
    """scipy followed it and ended the process."""
    h5py, path = h5ad
    with h5py.File(path, "r+") as file:
        file["obsp/connectivities/indices"][1] = bad
    with pytest.raises(sc.InputError, match=r"graph file .*cells\.h5ad could not be read: .*ind"):
        sc.read_graph(path)


@pytest.mark.slow
def test_h5ad_that_claims_more_than_it_holds_is_refused_before_it_is_read(h5ad, monkeypatch):
    h5py, path = h5ad
    with h5py.File(path, "r+") as file:
        file.create_dataset("uns/large", shape=(10**11,), dtype="f8", chunks=(1000,))
    with pytest.raises(sc.InputError, match=r"would unpack to more than 268,435,456"):
        sc.read_graph(path)
    with h5py.File(path, "r+") as file:
        del file["uns/large"]
    sizes = sandbox_child.size
    monkeypatch.setattr(
        sandbox_child, "size", lambda values: 2**40 if isinstance(values, h5py.h5a.AttrID) else sizes(values)
    )
    assert sandbox_child.look_through(path, 10**6) == {"attribute": "/"}
    child = path.with_suffix(".py")
    child.write_text("""print('ready\\n{"attribute": "obs/kind"}')""")
    with pytest.raises(sc.InputError) as raised:
        check_hdf5(path, "graph", child=str(child))
    assert (
        str(raised.value) == f"The graph file {path} could not be read: its obs/kind has an attribute larger than the file."
    )
    child.write_text("import os; print('ready', flush=True); os.abort()")
    with pytest.raises(
        sc.InputError, match=r"cells.h5ad could not be read: the HDF5 library broke down over it\. It is damaged\.$"
    ):
        check_hdf5(path, "graph", child=str(child))
    child.write_text("import no_such_module")
    with pytest.raises(sc.InputError, match=r"cells.h5ad cannot be looked through: .* did not start with h5py\.$"):
        check_hdf5(path, "graph", child=str(child))


# A text of an .h5ad is (length, heap, number); the heap has (number, count, size, text) for each. Where, what, outcome.
HEAPS = {
    "a text of 3 GiB": ("text", struct.pack("<I", 3 * 2**30), "Can't synchronously read data (memory allocation failed for"),
    "a text that is none": ("text", struct.pack("<IQI", 1, 2048, 9999), "Can't synchronously read data (bad heap index"),
    "a size that never ends": ("heap", struct.pack("<Q", 2**64 - 16), "after 1 s the HDF5 library is not through with it."),
    "a size too short": ("heap", struct.pack("<Q", 1), ""),  # this ended the process, now and then
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", HEAPS)
def test_h5ad_with_a_damaged_heap_of_texts_ends_in_one_sentence(h5ad, damage):
    """It took 3 GiB, or never came back, or ended the process."""
    h5py, path = h5ad
    where, instead, outcome = HEAPS[damage]
    content = bytearray(path.read_bytes())
    with h5py.File(path) as file:
        at = {"text": file["obs/_index"].id.get_offset(), "heap": content.index(b"GCOL") + 24}[where]
    content[at : at + len(instead)] = instead
    path.write_bytes(content)
    with pytest.raises(sc.InputError) as raised:
        check_hdf5(path, "graph", seconds=1)
    assert str(raised.value).startswith(f"The graph file {path} could not be read: {outcome}")

"""Any bytes give a graph or one sentence. What longer runs of tests/fuzz/fuzz_readers.py broke is kept here."""

import contextlib
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparsecut as sc

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
    # half of an embedding's rows would have been taken for comments
    "csv: nothing but quotes": (".csv", b'"source","target\n'),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKE)
def test_what_once_broke(case, tmp_path, capfd):
    suffix, content = BROKE[case]
    path = tmp_path / f"x{suffix}"
    path.write_bytes(content)
    with contextlib.suppress(sc.InputError):
        sc.read_graph(path)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("group", fuzz_readers.SUFFIXES)
def test_seeds_are_read(group, tmp_path):
    """The fuzzer starts from files that are read; if it did not, it would test little."""
    target = fuzz_readers.Target(group, tmp_path)
    for seed in fuzz_readers.seeds(group):
        target(seed)
    assert target.n_read >= len(fuzz_readers.SUFFIXES[group])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", fuzz_readers.SUFFIXES)
def test_changed_files(group, tmp_path_factory):
    target = fuzz_readers.Target(group, tmp_path_factory.mktemp(group))
    pool = fuzz_readers.seeds(group)

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.randoms(use_true_random=False))
    def feed(generator):
        target(fuzz_readers.mutate(generator.choice(pool), generator, pool))

    feed()
    assert target.n_runs >= 100


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", fuzz_readers.SUFFIXES)
def test_arbitrary_bytes(group, tmp_path_factory):
    target = fuzz_readers.Target(group, tmp_path_factory.mktemp(group))

    @settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.binary(max_size=300))
    def feed(content):
        target(content)

    feed()

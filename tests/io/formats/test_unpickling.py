"""Pickles that would run code, take all memory, or are damaged: refused, and nothing of them has run."""

from __future__ import annotations

import os
import pickle
import pickletools
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from raw_files import write
from sparsecut import datasets
from sparsecut.base.errors import InputError
from sparsecut.io.formats.unpickling import _STAND_INS, unpickle_planetoid


class Call:
    """Pickles as a call of a function, with a state set on the result or not."""

    def __init__(self, function: Any, *arguments: Any, state: Any = None) -> None:
        self.parts = (function, arguments) if state is None else (function, arguments, state)

    def __reduce__(self) -> Any:
        return self.parts


def load_bytes(folder: Path, content: bytes) -> Any:
    return unpickle_planetoid(write(folder / "file", content))


def array_call(shape: Any, dtype: Any, content: Any) -> Call:
    reconstruct = np.zeros(0).__reduce__()[0]
    return Call(reconstruct, np.ndarray, (0,), b"b", state=(1, shape, dtype, False, content))


@pytest.mark.parametrize("protocol", range(5))
def test_a_pickle_that_runs_a_command_does_not_run_it(protocol: int, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    malicious = pickle.dumps(Call(os.system, f"touch {victim}"), protocol=protocol)
    with pytest.raises(InputError, match=r"file asks for (posix|nt)\.system, which no genuine Planetoid file does"):
        load_bytes(tmp_path, malicious)
    assert not victim.exists()
    pickle.loads(malicious)  # noqa: S301 - proof that it is a malicious one
    assert victim.exists()


@pytest.mark.parametrize(
    "call",
    [
        Call(eval, "1"),
        Call(exec, "1"),
        Call(getattr, "a", "b"),
        Call(subprocess.Popen, "true"),
        Call(np.load, "x.npy"),
        Call(np.array, [1]),
        Call(object),
        Call(bytearray, 5),
    ],
    ids=lambda call: call.parts[0].__name__,
)
@pytest.mark.parametrize("wrap", [lambda call: call, lambda call: {0: [call]}, lambda call: (np.zeros(2), call)])
def test_no_other_name_is_ever_looked_up(call: Call, wrap: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"which no genuine Planetoid file does\. It was not loaded"):
        load_bytes(tmp_path, pickle.dumps(wrap(call), protocol=4))


def test_a_tampered_file_of_a_dataset_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    """The checksum meets it first; read without one, the unpickler does."""
    victim = tmp_path / "victim"
    dataset = datasets.find_dataset("cora")
    for file in dataset.files:
        write(tmp_path / file, pickle.dumps(Call(os.system, f"touch {victim}")))
    with pytest.raises(InputError, match=r"ind\.cora\.x is not the published file"):
        datasets.load("cora", root=tmp_path)
    with pytest.raises(InputError, match=r"ind\.cora\.tx asks for"):
        dataset.read(tmp_path)
    assert not victim.exists()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<i4", "|u1", "|b1"])
def test_arrays_come_out_as_they_went_in(dtype: str, order: Any, tmp_path: Path) -> None:
    array = np.asarray(np.arange(12).reshape(3, 4) % 5, dtype=dtype, order=order)
    loaded = load_bytes(tmp_path, pickle.dumps(array, protocol=4))
    assert loaded.dtype == array.dtype
    np.testing.assert_array_equal(loaded, array)


def test_matrices_and_dictionaries_come_out_as_they_went_in(tmp_path: Path) -> None:
    matrix = sp.random(7, 5, 0.4, format="csr", random_state=0)
    loaded = load_bytes(tmp_path, pickle.dumps(matrix, protocol=4))
    assert isinstance(loaded, sp.csr_array)
    np.testing.assert_array_equal(loaded.toarray(), matrix.toarray())
    assert load_bytes(tmp_path, pickle.dumps({0: [1, 2], 1: []})) == {0: [1, 2], 1: []}


def test_a_note_beyond_the_file_asks_for_no_memory(tmp_path: Path) -> None:
    """Python's reader would make room for 2³² notes, 32 GiB, before it goes on."""
    bomb = pickle.PROTO + b"\x02" + pickle.EMPTY_LIST + pickle.LONG_BINPUT + struct.pack("<I", 2**31) + pickle.STOP
    assert len(bomb) == 9
    with pytest.raises(InputError, match="it numbers a note 2147483648, beyond its own length"):
        load_bytes(tmp_path, bomb)
    with pytest.raises(InputError, match="it numbers a note 2000000000, beyond its own length"):
        load_bytes(tmp_path, b"]p2000000000\n.")


@pytest.mark.parametrize(
    ("call", "reason"),
    {
        "more than it holds": (array_call((10**12,), np.dtype("f8"), b"abc"), r"shape \(1000000000000,\) with 3 bytes"),
        "less than it holds": (array_call((1,), np.dtype("i4"), bytes(8)), r"shape \(1,\) with 8 bytes"),
        "objects": (array_call((10**9,), np.dtype("O"), []), "not of numbers"),
        "strings": (array_call((2,), np.dtype("S5"), bytes(10)), "not of numbers"),
        "nothing": (Call(dict), "asks for builtins.dict"),
        "a list that is made": (Call(list, (1, 2)), "it makes an object that no genuine file makes"),
        "a list": ([1, 2], "it holds a list, not an array, a matrix or a dictionary"),
    }.values(),
)
def test_arrays_are_no_larger_than_the_file(call: Any, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        load_bytes(tmp_path, pickle.dumps(call, protocol=4))


def test_a_matrix_whose_parts_do_not_fit(tmp_path: Path) -> None:
    matrix = sp.csr_matrix(np.eye(3))
    for name, value in (("indices", np.array([0, 1, 3], dtype=np.int32)), ("_shape", (10**12, 3))):
        broken = matrix.copy()
        broken.__dict__[name] = value
        with pytest.raises(InputError, match="file is damaged: "):
            load_bytes(tmp_path, pickle.dumps(broken, protocol=4))


def test_a_file_cannot_change_the_types_it_names(tmp_path: Path) -> None:
    """BUILD sets attributes on whatever is on the stack, a type too."""
    attack = (
        *(pickle.PROTO, b"\x02", pickle.GLOBAL, b"scipy.sparse.csr\ncsr_matrix\n"),
        *(pickle.NONE, pickle.EMPTY_DICT, pickle.BINUNICODE, struct.pack("<I", 5), b"patch", pickle.NEWTRUE, pickle.SETITEM),
        *(pickle.TUPLE2, pickle.BUILD, pickle.STOP),
    )
    with pytest.raises(InputError, match="it sets 'patch' on a type"):
        load_bytes(tmp_path, b"".join(attack))
    assert not any(hasattr(stand_in, "patch") for stand_in in _STAND_INS.values())


@pytest.mark.parametrize("content", [b"c\\c\nx\n.", b"cos\nsystem\n.", b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93."])
def test_names_in_every_spelling(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which no genuine Planetoid file does"):
        load_bytes(tmp_path, content)


GENUINE = pickle.dumps(sp.random(6, 4, 0.5, format="csr", random_state=1), protocol=4)


@pytest.mark.parametrize("length", range(0, len(GENUINE), 7))
def test_a_truncated_file_is_damaged(length: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"file is damaged: .* Remove it and fetch it again\."):
        load_bytes(tmp_path, GENUINE[:length])


@settings(max_examples=300, deadline=None)
@given(edits=st.lists(st.tuples(st.integers(0, len(GENUINE) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_file_with_changed_bytes_loads_or_is_refused(
    edits: list[tuple[int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = bytearray(GENUINE)
    for position, value in edits:
        content[position] = value
    try:
        loaded = load_bytes(tmp_path_factory.getbasetemp(), bytes(content))
    except InputError:
        return
    assert isinstance(loaded, np.ndarray | sp.csr_array | dict)


OPERATIONS = [operation.code.encode("latin1") for operation in pickletools.opcodes]


@settings(max_examples=300, deadline=None)
@given(pieces=st.lists(st.sampled_from(OPERATIONS) | st.binary(max_size=4), max_size=40))
def test_any_program_of_a_pickle_is_refused_or_harmless(
    pieces: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        load_bytes(tmp_path_factory.getbasetemp(), b"".join(pieces))
    except InputError:
        return

"""Planetoid's pickles, read without running anything they name.

A pickle is a program: it may name any function and have it called. The genuine files name six, to build numpy arrays, scipy
matrices and a dictionary of lists. Here each of those names stands for a class of ours that only keeps what it is given; no
name is ever looked up, and any other is refused before it is called. What is kept becomes arrays afterwards, checked:

- an array is made from bytes that the file really holds, as many as its shape asks for;
- the notes a pickle takes of what it needs again are numbered within the file's length. Python's reader makes room up to the
  highest number, so that a file of ten bytes could otherwise ask for all memory.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io.published_files import csr, reading_published

_NUMBERS = re.compile(r"[biuf][1248]")


def unpickle_planetoid(path: Path) -> Any:
    """What a Planetoid pickle holds: an array, a sparse matrix, or a dictionary of lists."""
    with reading_published(path):
        content = path.read_bytes()
        _check_notes(content)
        try:
            loaded = _PlanetoidUnpickler(content, path).load()
        except pickle.UnpicklingError as error:
            raise ValueError("it ends early or is no pickle") from error
        if isinstance(loaded, _Array):
            return _build_array(loaded)
        if isinstance(loaded, _Sparse):
            return _build_matrix(loaded)
        if isinstance(loaded, dict):
            return dict(loaded)
        raise ValueError(f"it holds a {type(loaded).__name__}, not an array, a matrix or a dictionary")


class _Sealed(type):
    """A pickle can also set attributes on what it names; not on these."""

    def __setattr__(cls, name: str, value: object) -> None:
        raise TypeError(f"it sets {name!r} on a type")


class _Named(metaclass=_Sealed):
    """A type that the files name and never make."""

    def __init__(self, *_: Any) -> None:
        raise TypeError("it makes an object that no genuine file makes")


class _Array(metaclass=_Sealed):
    def __init__(self, *_: Any) -> None:
        self.shape: Any = ()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, self.shape, self.dtype, self.is_fortran, self.content = state


class _Dtype(metaclass=_Sealed):
    def __init__(self, code: str, *_: Any) -> None:
        self.code = code

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1]


class _Sparse(metaclass=_Sealed):
    """Keeps its parts as attributes, as scipy's matrices do."""


class _Dict(dict[Any, Any], metaclass=_Sealed):
    def __init__(self, *_: Any) -> None:
        super().__init__()


# Every global the genuine files name, under its name of then and of now.
_STAND_INS: dict[tuple[str, str], type] = {
    ("collections", "defaultdict"): _Dict,
    ("__builtin__", "list"): _Named,
    ("builtins", "list"): _Named,
    ("numpy", "dtype"): _Dtype,
    ("numpy", "ndarray"): _Named,
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy._core.multiarray", "_reconstruct"): _Array,
    ("scipy.sparse.csr", "csr_matrix"): _Sparse,
    ("scipy.sparse._csr", "csr_matrix"): _Sparse,
}


class _PlanetoidUnpickler(pickle.Unpickler):
    def __init__(self, content: bytes, path: Path) -> None:
        super().__init__(io.BytesIO(content), encoding="latin1")
        self._path = path

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _STAND_INS:
            raise InputError(
                f"{self._path} asks for {module}.{name}, which no genuine Planetoid file does. It was not loaded. "
                "Remove it and fetch it again."
            )
        return _STAND_INS[module, name]


def _check_notes(content: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of odd escapes in a name that is refused anyway
        for operation, argument, _ in pickletools.genops(content):
            if "PUT" in operation.name and not 0 <= int(argument or 0) < len(content):
                raise ValueError(f"it numbers a note {argument}, beyond its own length")


def _build_array(array: _Array) -> NDArray[Any]:
    code, order = array.dtype.code, array.dtype.order
    if not _NUMBERS.fullmatch(code) or order not in ("<", ">", "|"):
        raise ValueError(f"it holds an array of type {order}{code}, not of numbers")
    content = array.content.encode("latin1") if isinstance(array.content, str) else bytes(array.content)
    dtype = np.dtype(order + code)
    if math.prod(array.shape) * dtype.itemsize != len(content):
        raise ValueError(f"it holds an array of shape {array.shape} with {len(content)} bytes")
    values: NDArray[Any] = np.frombuffer(content, dtype).reshape(array.shape, order="F" if array.is_fortran else "C")
    return values


def _build_matrix(matrix: _Sparse) -> sp.csr_array:
    parts = vars(matrix)
    data, indices, indptr = (_build_array(parts[name]) for name in ("data", "indices", "indptr"))
    return csr(data, indices, indptr, parts["_shape"])

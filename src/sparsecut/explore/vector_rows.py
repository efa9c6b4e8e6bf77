"""The vectors of an embedding: what they must be, and a number that identifies them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.explore.exact_search import Vectors


def check_vectors(embedding: Any) -> Vectors:
    """One finite float32 vector per row."""
    Z = np.asarray(embedding)
    if Z.ndim != 2 or Z.dtype.kind not in "biuf" or 0 in Z.shape:
        raise InputError(f"An embedding must be a matrix of numbers, one row per node. Got {Z.dtype}, shape {Z.shape}.")
    Z = np.ascontiguousarray(Z, dtype=np.float32)
    is_finite = np.isfinite(Z).all(axis=1)
    if not is_finite.all():
        wrong = np.flatnonzero(~is_finite)
        raise InputError(
            f"The vectors must be finite. {len(wrong):,} are not, the first in row {wrong[0]}. Leave those nodes out."
        )
    return Z


def fingerprint(embedding: Vectors, ids: Sequence[Any] | NDArray[Any]) -> str:
    """What an index belongs to: the vectors, bit by bit, and the ids, in their order."""
    digest = hashlib.sha256(np.ascontiguousarray(embedding, dtype="<f4").data)
    digest.update(repr(np.shape(embedding)).encode())
    ids = np.asarray(ids)
    digest.update(ids.astype("<i8").tobytes() if ids.dtype.kind in "iu" else "\0".join(map(str, ids.tolist())).encode())
    return digest.hexdigest()

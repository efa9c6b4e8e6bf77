"""Vectors to search among, and their distances by the definition."""

from __future__ import annotations

import numpy as np


def distances(Z: np.ndarray, metric: str) -> np.ndarray:
    """All distances, in double precision."""
    Z = np.asarray(Z, dtype=np.float64)
    if metric == "euclidean":
        return np.sqrt(np.square(Z[:, None] - Z[None]).sum(axis=2))
    lengths = np.linalg.norm(Z, axis=1)
    unit = Z / np.where(lengths > 0, lengths, 1)[:, None]
    return 1 - unit @ unit.T


def clustered(n: int = 4000, d: int = 16, seed: int = 0) -> np.ndarray:
    """Vectors as embeddings have them: groups, a falling spectrum, some that are equal."""
    generator = np.random.default_rng(seed)
    centres = generator.normal(size=(30, d))
    Z = (centres[generator.integers(30, size=n)] + 0.4 * generator.normal(size=(n, d))) * 0.8 ** np.arange(d)
    Z[n // 2 : n // 2 + 20] = Z[n // 2]
    return Z.astype(np.float32)

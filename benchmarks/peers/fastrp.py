"""FastRP as Neo4j's Graph Data Science documents it, written from its documentation (no line of its code).

    e_0        sparse random vectors: ±√3 with chances 1/6, else 0, times degree^normalizationStrength
    e_i        the mean of e_i−1 over the neighbours
    embedding  Σ_i iterationWeights[i] · e_i / ‖e_i‖

Defaults: iterationWeights [0, 1, 1], normalizationStrength 0, nodeSelfInfluence 0. embeddingDimension has none; its pages
recommend 128 to 1,024 and say 256 gives good results at 10⁵ nodes: 256 here. With featureProperties a share `propertyRatio`
of the columns starts as Σ over properties of value · random vector of the property; 0.5 is the pages' example.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sparsecut import Graph

DIMENSION = 256
ITERATION_WEIGHTS = (0.0, 1.0, 1.0)
PROPERTY_RATIO = 0.5

Array = NDArray[np.float64]


def embed(graph: Graph, seed: int) -> Array:
    return fast_random_projection(graph.adjacency, seed=seed)


def embed_features(graph: Graph, seed: int) -> Array:
    return fast_random_projection(graph.adjacency, seed=seed, properties=graph.features, property_ratio=PROPERTY_RATIO)


def fast_random_projection(
    adjacency: Any,
    *,
    seed: int,
    dimension: int = DIMENSION,
    iteration_weights: Sequence[float] = ITERATION_WEIGHTS,
    normalization_strength: float = 0.0,
    self_influence: float = 0.0,
    properties: Any = None,
    property_ratio: float = 0.0,
) -> Array:
    generator = np.random.default_rng(seed)
    degrees = np.asarray(adjacency.sum(axis=1), dtype=np.float64).ravel()
    n_from_properties = 0 if properties is None else round(property_ratio * dimension)
    start = sparse_signs(generator, adjacency.shape[0], dimension - n_from_properties)
    if properties is not None:
        start = np.hstack([start, properties @ sparse_signs(generator, properties.shape[1], n_from_properties)])
    with np.errstate(divide="ignore"):
        start *= np.where(degrees > 0, degrees**normalization_strength, 1.0)[:, None]
    averages = sp.diags_array(1 / np.maximum(degrees, 1)) @ sp.csr_array(adjacency)
    embedding = self_influence * unit_rows(start)
    current = start
    for weight in iteration_weights:
        current = averages @ current
        embedding += weight * unit_rows(current)
    return embedding


def sparse_signs(generator: np.random.Generator, n_rows: int, n_columns: int) -> Array:
    """√3 and −√3 with chance 1/6 each, else 0: mean 0, variance 1 (Achlioptas)."""
    return np.sqrt(3) * generator.choice([-1.0, 0.0, 1.0], size=(n_rows, n_columns), p=[1 / 6, 2 / 3, 1 / 6])


def unit_rows(rows: Array) -> Array:
    """Every row divided by its length; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)

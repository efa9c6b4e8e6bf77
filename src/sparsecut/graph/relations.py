"""Edges of several types: the matrix of each by itself, and the weights at which they are one graph.

    A = Σ_r c_r A_r          c_r = w_r·V / (R·V_r),    V_r the total weight of relation r, V that of all R

A relation with many edges would drown one with few: a paper has six terms and one venue, so with c_r = 1 three quarters of
every average would be terms. With the factors above all relations weigh the same in sum, or as w_r says. A stays symmetric
and P one matrix, so every engine, `transform` and `update` work on it as on any weighted graph, and a changed edge changes
two entries. (Averaging each relation by itself, P = Σ_r w_r P_r, gives vectors as good; there a changed edge changes all
entries of its two rows, and P is not symmetric in any inner product.)

The factors are fitted with a model and kept for later graphs: next month's tables are weighed as those that were fitted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_real, first_few
from sparsecut.graph.clock import rescaled
from sparsecut.kernels import is_mapped
from sparsecut.kernels.mapped_matrices import mapped, total_of

EdgeType = tuple[str, str, str]


@dataclass(frozen=True)
class Relations:
    """The edges of a graph by their types.

    Attributes
    ----------
    edge_types : tuple of (str, str, str)
        The type of the source, the name, the type of the target.
    matrices : tuple of scipy.sparse.csr_array (n, n)
        The edges of each type, as a graph holds them: canonical, symmetric unless the graph is directed; those of a store in
        memory maps. Empty where only their sum is known.
    factors : tuple of float
        c_r, by which the graph's adjacency is the sum of the matrices.
    undated : tuple of (str, str, str)
        Of a graph whose edges age those types that have no times: their weights stay.
    """

    edge_types: tuple[EdgeType, ...]
    matrices: tuple[sp.csr_array, ...]
    factors: tuple[float, ...]
    undated: tuple[EdgeType, ...] = ()

    @classmethod
    def of(cls, matrices: Mapping[EdgeType, sp.csr_array], undated: Sequence[EdgeType] = ()) -> Relations:
        """Relations that are added up as they are."""
        return cls(tuple(matrices), tuple(matrices.values()), (1.0,) * len(matrices), tuple(undated))

    @property
    def ages(self) -> tuple[bool, ...]:
        """Whether the edges of each type age, in a graph with a clock."""
        return tuple(kind not in self.undated for kind in self.edge_types)

    @property
    def tells_ages(self) -> bool:
        """Whether the types of two ends tell if an edge ages, also where only the sum of the matrices is known."""
        known: dict[frozenset[str], bool] = {}
        pairs = (frozenset((source, target)) for source, _, target in self.edge_types)
        return all(known.setdefault(pair, ages) == ages for pair, ages in zip(pairs, self.ages, strict=True))

    @property
    def volumes(self) -> NDArray[np.float64]:
        """The total weight of every relation."""
        return np.array([total_of(matrix) for matrix in self.matrices])

    def added_up(self) -> sp.csr_array:
        """Σ c_r A_r, canonical, in float32; a relation of factor 0 has no edges in it.

        The sum of matrices in memory maps is one too.
        """
        if any(is_mapped(matrix) for matrix in self.matrices):
            if len(self.matrices) == 1 and self.factors == (1.0,):
                return self.matrices[0]
            return mapped(self.matrices, lambda parts: sum_of(parts, self.factors))
        return sum_of(self.matrices, self.factors)

    def weighed(self, factors: Sequence[float]) -> Relations:
        """These edges with other factors."""
        return replace(self, factors=tuple(float(factor) for factor in factors))

    def times(self, factor: float) -> Relations:
        """The relations with all weights multiplied that age."""
        scaled = (
            rescaled(matrix, factor) if ages else matrix for matrix, ages in zip(self.matrices, self.ages, strict=False)
        )
        return replace(self, matrices=tuple(scaled))

    def aged(self, total: sp.csr_array, codes: NDArray[np.int16], names: Sequence[str], factor: float) -> sp.csr_array:
        """A sum of the matrices with the weights multiplied that age, which the types of two ends tell (`tells_ages`)."""
        stays = np.zeros((len(names) + 1,) * 2, dtype=bool)  # a node without a type has the last place
        for source, _, target in self.undated:
            ends = names.index(source), names.index(target)
            stays[ends] = stays[ends[::-1]] = True
        is_kept = stays[np.repeat(codes, np.diff(total.indptr)), codes[total.indices]]
        parts = [total.copy(), total.copy()]
        for part, is_out in zip(parts, (is_kept, ~is_kept), strict=True):
            part.data[is_out] = 0
            part.eliminate_zeros()
        return sp.csr_array(rescaled(parts[0], factor) + parts[1], dtype=np.float32)

    def take(self, nodes: NDArray[np.int64]) -> Relations:
        """The relations among some nodes, in their order."""
        return replace(self, matrices=tuple(sp.csr_array(matrix[nodes][:, nodes]) for matrix in self.matrices))

    def taken_apart(self, total: sp.csr_array, codes: NDArray[np.int16], names: Sequence[str]) -> Relations:
        """The relations of which a matrix is the sum; as they are where the types of two ends do not tell the relation."""
        pairs = [frozenset((names.index(source), names.index(target))) for source, _, target in self.edge_types]
        if len(set(pairs)) < len(pairs) or not all(self.factors):
            return self
        rows = np.repeat(np.arange(total.shape[0]), np.diff(total.indptr))
        first, second = codes[rows], codes[total.indices]
        matrices = []
        for pair, factor in zip(pairs, self.factors, strict=True):
            here = ((first == min(pair)) & (second == max(pair))) | ((first == max(pair)) & (second == min(pair)))
            ends = rows[here], total.indices[here]
            part = sp.csr_array(((total.data[here] / np.float32(factor)), ends), shape=total.shape, dtype=np.float32)
            part.has_canonical_format = True
            matrices.append(part)
        return replace(self, matrices=tuple(matrices))

    def to_header(self) -> dict[str, Any]:
        """What JSON can hold of it: types and factors."""
        header = {"edge_types": [list(kind) for kind in self.edge_types], "factors": list(self.factors)}
        return {**header, "undated": [list(kind) for kind in self.undated]} if self.undated else header

    @classmethod
    def read(cls, header: Mapping[str, Any] | None) -> Relations | None:
        """What `to_header` wrote; the matrices are added up already."""
        if header is None:
            return None
        kinds, undated = (
            tuple((str(source), str(name), str(target)) for source, name, target in header.get(part, ()))
            for part in ("edge_types", "undated")
        )
        return cls(kinds, (), tuple(map(float, header["factors"])), undated)


def sum_of(matrices: Sequence[sp.csr_array], factors: Sequence[float]) -> sp.csr_array:
    """Σ c_r A_r of matrices in memory."""
    parts = [
        matrix if factor == 1 else _times(matrix, factor) for matrix, factor in zip(matrices, factors, strict=True) if factor
    ]
    empty = sp.csr_array(matrices[0].shape, dtype=np.float32)
    return sp.csr_array(sum(parts[1:], start=parts[0]) if parts else empty, dtype=np.float32)


def equal_factors(volumes: NDArray[np.float64], weights: Sequence[float] | None = None) -> tuple[float, ...]:
    """c_r for relations of these total weights; `weights` are w_r, all the same by default. An empty relation has 1."""
    wanted = np.ones(len(volumes)) if weights is None else np.asarray(weights, dtype=np.float64)
    is_there = (volumes > 0) & (wanted > 0)
    if not is_there.any():
        return (1.0,) * len(volumes)
    share = volumes.sum() / wanted[is_there].sum()
    factors = np.where(is_there, wanted * share / np.where(volumes > 0, volumes, 1), wanted > 0)
    return tuple(float(np.float32(factor)) for factor in factors)


def relation_weights(requested: Mapping[Any, float], edge_types: Sequence[EdgeType], caller: str) -> list[float]:
    """w_r of every relation; `requested` names relations, or (source, name, target), and leaves the others at 1."""
    weights = [1.0] * len(edge_types)
    for key, value in requested.items():
        found = [place for place, kind in enumerate(edge_types) if key in (kind, kind[1], ":".join(kind))]
        if not found:
            names = [":".join(kind) for kind in edge_types]
            raise InputError(f"{caller}(relations=…) must name relations of the graph: {first_few(names, 10)}. Got {key!r}.")
        for place in found:
            weights[place] = check_real(caller, f"relations[{key!r}]", value)
    if not any(weights):
        raise InputError(f"{caller}(relations=…) must leave at least one relation with a weight above 0.")
    return weights


def _times(matrix: sp.csr_array, factor: float) -> sp.csr_array:
    scaled = sp.csr_array((matrix.data * np.float32(factor), matrix.indices, matrix.indptr), shape=matrix.shape)
    scaled.has_canonical_format = True
    return scaled

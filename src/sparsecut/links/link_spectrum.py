"""Columns of the links' own: the leading singular vectors of the adjacency, evened out by degrees.

    N = (D_out + τ_out)^-½ A (D_in + τ_in)^-½,     τ half the mean degree of an end,     N ≈ U Σ Vᵀ

(after Qin and Rohe, 2013: without τ the leading vectors are those of a few nodes of few edges.) A node has its row of U
as a source and its row of V as a target; in an undirected graph without sides both are the eigenvectors of N. Other vectors
are made so that near ones have much in common; these are made so that links follow from them, and forms may use as many of
them as rank held-out links best (`form_choice`).

Products with N are passes over the edges, in memory, in memory maps or on the workers of a cluster. The columns that they
are taken with, 72 at most, are in this process.

A node that came later has the rows that its links give it, u = Σ_j N_ij v_j/σ over the fitted nodes j.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.kernels.block import Block, Column, Passes
from sparsecut.kernels.hashing import hash_order
from sparsecut.kernels.spectrum import leading_eigenvectors
from sparsecut.links.link_sums import EndVectors, Incidence, rows_of_block

N_COLUMNS = 64
N_ITERATIONS = 6
SHARE = 0.5  # of the mean degree
LEAST = 1e-3  # of the largest singular value: what is smaller is no column

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class LinkSpectrum:
    """The singular vectors of a graph's nodes, those of the largest values first.

    sources, targets : U and V, (n, r), each column of mean square 1 over the nodes at that end
    values : what N·targets is of the sources, and Nᵀ·sources of the targets, (2, r): σ over the columns' sizes
    degrees : τ_out and τ_in
    """

    sources: Rows
    targets: Rows
    values: NDArray[np.float64]
    degrees: tuple[float, float]

    def cut(self, n_columns: int) -> LinkSpectrum:
        """The first columns."""
        return LinkSpectrum(
            self.sources[:, :n_columns], self.targets[:, :n_columns], self.values[:, :n_columns], self.degrees
        )

    def vectors(self) -> EndVectors:
        return EndVectors(self.sources, self.targets)

    @property
    def n_columns(self) -> int:
        return int(self.sources.shape[1])

    @classmethod
    def of(cls, incidence: Incidence, n_columns: int = N_COLUMNS, seed: int = 0) -> LinkSpectrum:
        """The spectrum of a graph's links."""
        ends = incidence.ends
        degrees = _added_degrees(incidence)
        left, right = _scales(incidence, degrees)
        n_columns = min(n_columns, int(ends.is_source.sum()) - 1, int(ends.is_target.sum()) - 1)
        n_nodes = len(left)
        if n_columns < 1 or not incidence.rows.adjacency.nnz:
            nothing = np.zeros((n_nodes, 0), dtype=np.float32)
            return cls(nothing, nothing, np.zeros((2, 0)), degrees)
        has_order, edges = ends.has_order, incidence.edges
        rows, columns = edges.passes(incidence.rows), edges.passes(incidence.columns)

        def multiply(block: torch.Tensor) -> torch.Tensor:
            found = _times_all(rows, left, right, block.numpy())
            return torch.from_numpy(_times_all(columns, right, left, found) if has_order else found)

        found, vectors = leading_eigenvectors(
            multiply,
            n_nodes,
            n_columns,
            device=torch.device("cpu"),
            n_iterations=N_ITERATIONS,
            seed=seed,
            start_order=hash_order(incidence.rows.node_ids),
        )
        values, V = found.double().numpy(), vectors.numpy()
        values = np.sqrt(np.maximum(values, 0)) if has_order else values
        kept = np.abs(values) > LEAST * np.abs(values).max(initial=1e-300)
        values, V = values[kept], V[:, kept]
        U = _times_all(rows, left, right, V) / values.astype(np.float32) if has_order else V
        sizes = np.array([_sizes(U, ends.is_source), _sizes(V, ends.is_target)])
        targets = np.asarray(V / sizes[1], dtype=np.float32)
        sources = np.asarray(U / sizes[0], dtype=np.float32) if has_order else targets
        ratio = sizes[0] / sizes[1]
        return cls(sources, targets, np.array([values * ratio, values / ratio]), degrees)

    def on(self, places: NDArray[np.int64], incidence: Incidence) -> LinkSpectrum:
        """The columns of another graph's nodes: fitted nodes have theirs, new ones those of their links.

        places : the row of each node among the fitted ones, −1 for new ones
        """
        is_new = places < 0
        if not is_new.any() or not self.n_columns:
            sources, targets = (one[np.maximum(places, 0)] for one in (self.sources, self.targets))
            return LinkSpectrum(sources, targets, self.values, self.degrees)
        known = [np.where(is_new[:, None], 0, one[places]).astype(np.float32) for one in (self.sources, self.targets)]
        left, right = _scales(incidence, self.degrees)
        new = np.flatnonzero(is_new)
        found = [one.copy() for one in known]
        found[0][new] = _times(incidence.rows.adjacency[new], left[new], right, known[1]) / self.values[0]
        found[1][new] = _times(incidence.columns.adjacency[new], right[new], left, known[0]) / self.values[1]
        return LinkSpectrum(found[0], found[1], self.values, self.degrees)


def _times_all(passes: Passes, left: Rows, right: Rows, block: Rows) -> Rows:
    """diag(left)·A·diag(right)·block of all rows, by a pass over them."""
    placed = passes.placed("factor", right[:, None] * block)
    product = np.concatenate(passes.each(product_of_rows, placed, len(block)))
    return np.asarray(left[:, None] * product, dtype=np.float32)


def product_of_rows(block: Block, factor: Column, n_nodes: int) -> Rows:
    """A·X of the rows of a block: only the rows of X that are neighbours' are read where X is not here."""
    A = rows_of_block(block, n_nodes, np.float32)
    if isinstance(factor, np.ndarray):
        return np.asarray(A @ factor)
    seen, places = np.unique(A.indices, return_inverse=True)
    return np.asarray(sp.csr_array((A.data, places, A.indptr), shape=(A.shape[0], len(seen))) @ factor[seen])


def _times(adjacency: sp.csr_array, left: Rows, right: Rows, block: Rows) -> Rows:
    """diag(left)·A·diag(right)·block of the rows of an adjacency, float32."""
    product = adjacency @ (right[:, None] * block)
    return np.asarray(left[:, None] * product, dtype=np.float32)


def _added_degrees(incidence: Incidence) -> tuple[float, float]:
    """τ of sources and of targets."""
    ends, total = incidence.ends, float(incidence.out_degrees[incidence.ends.is_source].sum())
    return SHARE * total / max(int(ends.is_source.sum()), 1), SHARE * total / max(int(ends.is_target.sum()), 1)


def _scales(incidence: Incidence, degrees: tuple[float, float]) -> tuple[Rows, Rows]:
    """(d + τ)^-½ of nodes as sources and as targets, 0 for nodes that are never in that role."""
    found = []
    roles = ((incidence.out_degrees, incidence.ends.is_source), (incidence.in_degrees, incidence.ends.is_target))
    for (own, mask), tau in zip(roles, degrees, strict=True):
        sums = own + tau
        found.append(np.divide(1, np.sqrt(sums), out=np.zeros(len(sums)), where=mask & (sums > 0)).astype(np.float32))
    return found[0], found[1]


def _sizes(columns: Rows, mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The root of the mean square of each column over the nodes at an end."""
    sizes = np.sqrt(np.square(columns[mask], dtype=np.float64).mean(axis=0))
    return np.where(sizes > 0, sizes, 1.0)

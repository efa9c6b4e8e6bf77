"""Closed forms of a score for pairs, from sums over nodes and edges.

With x and y as in `link_sums` (the vector of a node, and the sum of its neighbours' vectors):

    own       x_uᵀ B x_v,      B = (K_u + ε)⁻¹ X (K_v + ε)⁻¹

the bilinear score nearest to the adjacency in least squares, and

    targets   y_uᵀ C x_v / (1 − h_v),      C = (K + λ K S⁻¹ K)⁻¹,      h_v = x_vᵀ C x_v
    sources   the same with the two ends exchanged: x_uᵀ C x_v's mirror image, h_u in place of h_v

a ridge regression of every column of A on the others, kept in the span of the vectors. It is the closed form of item–item
regression (A ≈ A·B with a diagonal of zeros, Steck 2019) for the Gram matrix AᵀA ≈ V M Vᵀ, M = K⁻¹ S K⁻¹: then
B_wv = H_wv / (1 − H_vv) with H = V C Vᵀ, and no matrix has more than d rows. The division by 1 − h is what leaving out the
link itself does. A link that is there already counts for itself in y; `self_share` is what it adds.

Where neighbours are near each other and nothing else matters, as in meshes, no regression beats

    cosine    z_uᵀ z_v / (‖z_u‖·‖z_v‖)

Each form is an inner product: score(u, v) = ℓ_u·r_v. "both" is the sum of sources and targets, [ℓ, ℓ']·[r, r'].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.links.link_sums import EndRows, EndVectors, Incidence, LinkSums, end_rows

OWN, TARGETS, SOURCES, BOTH, COSINE = "own", "targets", "sources", "both", "cosine"
GIVEN, SPECTRUM = "given", "spectrum"
KINDS = (OWN, TARGETS, SOURCES, BOTH, COSINE)
MIN_REST = 1e-6  # of 1 − h
FLOOR = 1e-9  # of the largest eigenvalue of K: directions below it are rounding

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LinkForm:
    """A form with its settings and its matrices.

    kind : one of KINDS
    power : p, of the degrees
    penalty : ε relative to the mean of K's diagonal for "own"; λ relative to the squared weight of a row for the others
    matrices : B of "own"; C of targets, of sources, or both, by these names; the unit matrix of "cosine"
    basis : "given", the vectors that were given or made, or "spectrum", the columns of the links' own (`link_spectrum`)
    """

    kind: str
    power: float
    penalty: float
    matrices: dict[str, Array]
    basis: str = GIVEN

    @property
    def n_columns(self) -> int:
        """How many columns of the vectors it takes, the first ones."""
        return len(next(iter(self.matrices.values()))) - 1

    def left(self, rows: EndRows) -> Array:
        """ℓ of nodes as sources, (b, c)."""
        if self.kind == OWN:
            return np.asarray(rows.x @ self.matrices[OWN])
        if self.kind == COSINE:
            return _of_length_one(rows.x)
        parts = [rows.y] if TARGETS in self.matrices else []
        if SOURCES in self.matrices:
            parts.append(_regressed(rows.x, self.matrices[SOURCES]))
        return np.hstack(parts)

    def right(self, rows: EndRows) -> Array:
        """r of nodes as targets, (b, c)."""
        if self.kind == OWN:
            return rows.x
        if self.kind == COSINE:
            return _of_length_one(rows.x)
        parts = [_regressed(rows.x, self.matrices[TARGETS])] if TARGETS in self.matrices else []
        if SOURCES in self.matrices:
            parts.append(rows.y)
        return np.hstack(parts)

    @property
    def needs_neighbours(self) -> bool:
        """Whether the sums of neighbours' vectors are used."""
        return self.kind not in (OWN, COSINE)

    def self_share(self, sources: EndRows, targets: EndRows, weights: Array) -> Array:
        """What links that are there add to their own scores: a_uv·h/(1 − h) of the end that is regressed."""
        added = np.zeros(len(weights))
        for name, rows in ((TARGETS, targets), (SOURCES, sources)):
            if name in self.matrices:
                h = np.einsum("md,md->m", rows.x @ self.matrices[name], rows.x)
                added += weights * h / np.maximum(1 - h, MIN_REST)
        return added


@dataclass(frozen=True)
class Bases:
    """What vectors there are: those that were given or made, and the columns of the links' own."""

    given: Any
    spectrum: EndVectors | None = None

    def of(self, form: LinkForm) -> Any:
        return self.given if form.basis == GIVEN else self._spectrum.cut(form.n_columns)

    def named(self, basis: str) -> Any:
        return self.given if basis == GIVEN else self._spectrum

    @property
    def _spectrum(self) -> EndVectors:
        assert self.spectrum is not None
        return self.spectrum


def rows_of_form(form: LinkForm, vectors: Any, incidence: Incidence, nodes: Any, *, is_source: bool) -> EndRows:
    """x and y of some nodes at one end, as a form takes them; `vectors` are `Bases`, or those that were given."""
    own = vectors.of(form) if isinstance(vectors, Bases) else vectors
    return end_rows(own, incidence, nodes, form.power, is_source=is_source, with_neighbours=form.needs_neighbours)


def solve_form(kind: str, power: float, penalty: float, sums: LinkSums, basis: str = GIVEN) -> LinkForm:
    """A form from the sums of its power and its basis."""
    if kind == OWN:
        left, right = (_ridge_inverse(K, penalty) for K in (sums.K_sources, sums.K_targets))
        return LinkForm(kind, power, penalty, {OWN: left @ sums.X @ right}, basis)
    if kind == COSINE:
        return LinkForm(kind, power, penalty, {COSINE: np.eye(len(sums.X))}, basis)
    matrices = {}
    if kind in (TARGETS, BOTH):
        matrices[TARGETS] = _regression(sums.K_targets, sums.S_rows, penalty * sums.edge_weight)
    if kind in (SOURCES, BOTH):
        matrices[SOURCES] = _regression(sums.K_sources, sums.S_columns, penalty * sums.edge_weight)
    return LinkForm(kind, power, penalty, matrices, basis)


def score_pairs(
    form: LinkForm,
    vectors: Any,
    incidence: Incidence,
    pairs: NDArray[np.int64],
    known: sp.csr_array | None = None,
    at_once: int = 50_000,
) -> Array:
    """The scores of pairs whose source is first; of those that `known` links, without what the link itself adds."""
    scores = np.empty(len(pairs))
    for start in range(0, len(pairs), at_once):
        part = pairs[start : start + at_once]
        ends = []
        for side in (0, 1):
            nodes, place = np.unique(part[:, side], return_inverse=True)
            ends.append((rows_of_form(form, vectors, incidence, nodes, is_source=side == 0), place))
        (sources, source_of), (targets, target_of) = ends
        values = np.einsum("md,md->m", form.left(sources)[source_of], form.right(targets)[target_of])
        weights = np.zeros(0) if known is None else weights_between(known, part)
        linked = np.flatnonzero(weights)
        if len(linked):
            values[linked] -= form.self_share(
                sources.take(source_of[linked]), targets.take(target_of[linked]), weights[linked]
            )
        scores[start : start + at_once] = values
    return scores


def _ridge_inverse(K: Array, penalty: float) -> Array:
    return np.linalg.inv(K + penalty * max(np.trace(K) / len(K), 1e-300) * np.eye(len(K)))


def _regression(K: Array, S: Array, penalty: float) -> Array:
    """(K + λ K S⁻¹ K)⁻¹ through K = E Λ Eᵀ: with T = K^-½ S K^-½ = F t Fᵀ it is K^-½ F t/(t + λ) Fᵀ K^-½.

    Directions in which K is zero, as of columns that vectors do not have, are left out.
    """
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    kept = values > FLOOR * max(values[-1], 1e-300)
    root = vectors[:, kept] / np.sqrt(values[kept])  # (d, r): K^-½ in r coordinates
    t, F = np.linalg.eigh(root.T @ ((S + S.T) / 2) @ root)
    t = np.maximum(t, 0)
    G = root @ F
    return np.asarray((G * (t / (t + penalty))) @ G.T)


def _of_length_one(x: Array) -> Array:
    """The vectors without the constant in front of them, of length 1; zeros stay zeros."""
    z = x[:, 1:]
    lengths = np.linalg.norm(z, axis=1, keepdims=True)
    return np.asarray(np.divide(z, lengths, out=np.zeros_like(z), where=lengths > 0))


def _regressed(x: Array, C: Array) -> Array:
    image = x @ C
    h = np.einsum("bd,bd->b", image, x)
    return np.asarray(image / np.maximum(1 - h, MIN_REST)[:, None])


def weights_between(adjacency: sp.csr_array, pairs: NDArray[np.int64]) -> Array:
    """The weights of the edges from the first to the second node of each pair, 0 where there is none."""
    if not len(pairs):
        return np.zeros(0)
    found = adjacency[pairs[:, 0], pairs[:, 1]]
    return np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64).ravel()

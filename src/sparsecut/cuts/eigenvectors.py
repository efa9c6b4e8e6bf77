"""The smoothest vectors of a graph: eigenvectors of L x = λ diag(μ) x with the smallest eigenvalues.

μ is 1 (ratio) or the degree (conductance), so these are the Laplacian's or the normalised Laplacian's. For every set S

    ratio          φ′(S) ≥ λ₂                conductance    cut/min(vol S, vol S̄) ≥ λ₂ / 2

because a set's indicator, made orthogonal to the constant, is one of the vectors over which λ₂ is the minimum. What is
computed here is an estimate of λ₂: a small residual shows that an eigenvalue is near, not that it is the second one.
`certificate.py` proves bounds.

Three ways, by what the graph costs: all eigenvectors of a small one; Lanczos around the factorised matrix where the factors
stay sparse (meshes, trees with a small core); else LOBPCG from the vectors of a coarser graph, preconditioned by the factors
of a spanning tree with all degrees kept: leaves and chains are solved exactly, the core by its diagonal.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_tree, dijkstra
from scipy.sparse.linalg import LinearOperator, eigsh, lobpcg, splu

from sparsecut.cuts.coarsen import contract, pair_up
from sparsecut.cuts.objective import CutProblem, Mask, Real

DENSE_BELOW = 400
FACTORISE_BELOW = 1_000  # nodes: any such graph's factors are cheap
MAX_FRONT = 1_000  # nodes in a breadth-first level of the 3-core: what factorising costs grows with its cube
MAX_FACTORISED = 250_000  # nodes: beyond, the factors of a mesh outgrow what the rest needs
LEAST_ITERATIONS = 8  # on the coarser graphs, which get half of what the finer one does
CHUNK = 15  # iterations between two looks at the residual
TOLERANCE = 1e-3  # of λ₂: a residual below it ends the iterations


@dataclass(frozen=True)
class Spectrum:
    """values : the smallest eigenvalues but the constant's; vectors : one column each, valued per node; residual : of λ₂."""

    values: Real
    vectors: Real
    residual: float


@dataclass(frozen=True)
class Ways:
    """How eigenvectors are computed, by the number of nodes: dense, by factors where these are cheap, by iterations."""

    dense_up_to: int = DENSE_BELOW
    factors_up_to: int = MAX_FACTORISED


WAYS = Ways()


def smoothest(
    problem: CutProblem, count: int, random: np.random.Generator, n_iterations: int = 60, ways: Ways = WAYS
) -> Spectrum:
    """The `count` smoothest vectors beside the constant one, of a connected graph."""
    n = problem.n_nodes
    count = min(count, n - 1)
    L, root = scaled_laplacian(problem)
    if n <= ways.dense_up_to:
        values, vectors = np.linalg.eigh(L.toarray())
        values, vectors = values[1 : count + 1], vectors[:, 1 : count + 1]
    elif n <= ways.factors_up_to and is_cheap_to_factorise(problem):
        start = random.normal(size=n)
        shift = -1e-3 * float(L.diagonal().mean()) / n
        factors = splu(
            L - shift * sp.eye_array(n, format="csc"), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}
        )
        inverse = LinearOperator((n, n), matvec=factors.solve, dtype=np.float64)
        values, vectors = eigsh(L, count + 1, sigma=shift, which="LM", v0=start, OPinv=inverse)
        order = np.argsort(values)[1:]
        values, vectors = values[order], vectors[:, order]
    else:
        values, vectors = _iterate(problem, L, root, count, random, n_iterations, ways)
    constant = root / np.linalg.norm(root)
    first = vectors[:, 0] - constant * (constant @ vectors[:, 0])
    first /= np.linalg.norm(first)
    theta = float(first @ (L @ first))
    residual = float(np.linalg.norm(L @ first - theta * first))
    return Spectrum(np.concatenate([[theta], values[1:]]), vectors / root[:, None], residual)


def scaled_laplacian(problem: CutProblem) -> tuple[sp.csc_array, Real]:
    """(diag(μ)^−½ L diag(μ)^−½, √μ): its eigenvectors over √μ are those of L x = λ diag(μ) x."""
    root = np.sqrt(problem.measure)
    scaled = sp.diags_array(1 / root)
    return sp.csc_array(scaled @ (sp.diags_array(problem.degrees) - problem.adjacency) @ scaled), root


def _iterate(
    problem: CutProblem,
    L: sp.csc_array,
    root: Real,
    count: int,
    random: np.random.Generator,
    n_iterations: int,
    ways: Ways = WAYS,
) -> tuple[Real, Real]:
    """LOBPCG, started from the vectors of a coarser graph."""
    groups = pair_up(problem, random)
    coarse = contract(problem, groups)
    start = random.normal(size=(problem.n_nodes, count + 2))  # two to spare: the last ones of a block converge last
    if coarse.n_nodes <= 0.9 * problem.n_nodes:
        smooth = smoothest(coarse, count, random, max(n_iterations // 2, LEAST_ITERATIONS), ways).vectors[groups]
        start[:, : smooth.shape[1]] = smooth * root[:, None]
    solve = _tree_preconditioner(L)
    constant = root[:, None] / np.linalg.norm(root)
    vectors = start
    for done in range(0, n_iterations, CHUNK):  # the last ones of a block may never converge: λ₂ decides when to stop
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # "not converged": the residual is measured and reported
            values, vectors = lobpcg(
                L, vectors, M=solve, Y=constant, largest=False, maxiter=min(CHUNK, n_iterations - done), tol=1e-6
            )
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
        if np.linalg.norm(L @ vectors[:, 0] - values[0] * vectors[:, 0]) <= TOLERANCE * values[0]:
            break
    return values[:count], vectors[:, :count]


def _tree_preconditioner(L: sp.csc_array) -> LinearOperator:
    """The inverse of L with only a breadth-first tree's edges kept, and all of the diagonal."""
    n = L.shape[0]
    absolute = abs(sp.csr_array(L))
    hub = int(np.argmax(np.diff(absolute.indptr)))
    tree = sp.csr_array(breadth_first_tree(absolute, hub, directed=False))
    tree = tree + tree.T
    tree.setdiag(0)
    diagonal = L.diagonal()
    kept = sp.diags_array(diagonal + 1e-3 * float(diagonal.mean())) - tree
    factors = splu(sp.csc_array(kept), permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True})
    return LinearOperator((n, n), matvec=factors.solve, matmat=factors.solve, dtype=np.float64)


def is_cheap_to_factorise(problem: CutProblem) -> bool:
    """Whether the fronts of an elimination stay small, judged by the widest breadth-first level of the 3-core."""
    n = problem.n_nodes
    if n <= FACTORISE_BELOW:
        return True
    if n > MAX_FACTORISED:
        return False
    core = _core(problem.adjacency, 3)
    if core.sum() <= MAX_FRONT:
        return True
    A = problem.adjacency[core][:, core]
    hub = int(np.argmax(np.diff(A.indptr)))
    depth = dijkstra(A, indices=hub, unweighted=True)
    depth = depth[np.isfinite(depth)].astype(np.int64)
    return bool(np.bincount(depth).max() <= MAX_FRONT)


def _core(A: sp.csr_array, least: int) -> Mask:
    """The nodes left when all with fewer than `least` neighbours have gone, again and again."""
    pattern = sp.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    left = np.ones(A.shape[0], dtype=bool)
    for _ in range(100):  # long chains may keep some: a rule of thumb needs no more
        keep = left & (pattern @ left.astype(np.float64) >= least)
        if keep.sum() == left.sum():
            break
        left = keep
    return left

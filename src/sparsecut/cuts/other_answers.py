"""Cuts that other functions of the library return, so that `sparsest_cut` returns none that is less sparse.

    single nodes    leaves of every tree
    clusters        of the tree of `hierarchy` with the same seed: all of a small graph, beyond the uppermost ones
    communities     that `partition` joins until there are as many as parts: sixteen of them in all unions, which holds each
                    way to join them to fewer
    METIS           its parts with the bound that `partition` has by default

The trees and parts of other seeds, and parts after the moves of `partition`, are not among them. The search usually finds
them or sparser ones; these candidates are for when it does not. The sparsest are improved by flow.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.cuts.candidates import Candidate, distinct, from_groups
from sparsecut.cuts.communities import louvain, merged_to
from sparsecut.cuts.cut_input import Material
from sparsecut.cuts.exact_cut import ENUMERATED
from sparsecut.cuts.kway import IMBALANCE
from sparsecut.cuts.kway_search import MOST_COMMUNITIES
from sparsecut.cuts.multilevel import metis
from sparsecut.cuts.objective import CutProblem
from sparsecut.cuts.recursion import first_clusters
from sparsecut.cuts.search import improve_border

MOST_NODES = 3_000  # beyond, clusters of a tree take too long: there METIS' cuts are candidates of both
WHOLE_TREE = 128  # nodes up to which all clusters are tried, in a third of the time of the search
WORK = 2_000  # of larger graphs, in nodes of clusters that are cut: about a tenth of the time of the search
PARTS = (2, 3, 4, 5, 6, 7, 8)
N_IMPROVED = 8

Nodes = NDArray[np.int64]


def other_answers(problem: CutProblem, A: sp.csr_array, seen: Nodes, seed: int) -> list[Candidate]:
    """Cuts of the problem that others return, and the sparsest of them improved; the sparsest first.

    A : the adjacency of the whole graph, which the other functions cut. seen : its nodes that the problem has.
    """
    found = list(from_groups(problem, np.arange(problem.n_nodes), "single nodes"))
    if problem.n_nodes <= MOST_NODES:
        found += _clusters(problem, A, seen, seed)
        found += _parts(problem, A, seen, seed)
    found = [one for one in distinct(found) if np.isfinite(one.value)]
    return distinct([*found, *(improve_border(problem, one) for one in found[:N_IMPROVED])])


def _clusters(problem: CutProblem, A: sp.csr_array, seen: Nodes, seed: int) -> Iterator[Candidate]:
    work = np.inf if A.shape[0] <= WHOLE_TREE else WORK
    for nodes in first_clusters(Material(A, None), np.random.default_rng(seed), work):
        inside = np.zeros(A.shape[0], dtype=bool)
        inside[nodes] = True
        yield Candidate(inside[seen], problem.value(inside[seen]), "hierarchy")


def _parts(problem: CutProblem, A: sp.csr_array, seen: Nodes, seed: int) -> Iterator[Candidate]:
    whole = CutProblem.of_adjacency(A, "conductance")
    for groups in louvain(whole, 1.0, np.random.default_rng(seed)):
        if groups.max() < MOST_COMMUNITIES:
            few = merged_to(whole, groups, ENUMERATED) if groups.max() >= ENUMERATED else groups
            yield from from_groups(problem, np.unique(few[seen], return_inverse=True)[1], "partition's communities")
    for count in PARTS:
        parts = metis(A, np.ones(A.shape[0]), count, IMBALANCE, seed) if count < problem.n_nodes else None
        if parts is not None:
            yield from from_groups(problem, np.unique(parts[seen], return_inverse=True)[1], "parts of METIS")

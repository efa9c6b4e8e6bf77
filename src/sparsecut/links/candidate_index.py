"""Recommendations among many candidates through an index.

A score is an inner product ℓ_u·r_v, so that the best candidates of u are those of the largest products with ℓ_u: the index
of `Neighbors` finds them among a few lists of r. What it finds is scored and sorted again. How many lists a question reads
is measured on nodes that are asked about, with the nodes that they know already left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter
from sparsecut.graph import Ids
from sparsecut.kernels.hashing import hash_order
from sparsecut.kernels.inverted import K_MEASURED, N_MEASURED, PRODUCT, Inverted, build_inverted
from sparsecut.links.best_candidates import first_candidates

MOST_FOUND = 1024  # candidates that the index is asked for; beyond it all are compared

Rows = NDArray[np.float32]
Positions = NDArray[np.int64]


@dataclass(frozen=True)
class CandidateIndex:
    """An index of the candidates of one role.

    candidates : their positions in the graph, ascending, (m,)
    rows : r of all nodes, (n, c)
    ids : of all nodes
    """

    candidates: Positions
    rows: Rows
    ids: Ids
    index: Inverted

    def can_answer(self, known: Positions, k: int) -> bool:
        """Whether so many are found that enough are left of them without the known ones."""
        return k + len(known) <= min(MOST_FOUND, len(self.candidates))

    @property
    def recall(self) -> float:
        """Recall@10 of recommendations, as measured when it was built."""
        return self.index.recall

    def best(self, question: Rows, known: Positions, k: int) -> Positions | None:
        """The k best candidates of one node that it does not know, best first; None where all must be compared."""
        if not self.can_answer(known, k):
            return None
        found = self.index.nearest(question[None], k + len(known))[0]
        found = self.candidates[found[found >= 0]]
        found = np.sort(found[~np.isin(found, known)])
        if len(found) < k:
            return None
        scores = self.rows[found] @ question
        return np.asarray(found[first_candidates(scores, np.ones(len(found), dtype=bool), k, self.ids[found])])


def build_candidate_index(
    rows: Rows,
    ids: Ids,
    candidates: Positions,
    questions: Callable[[Positions], Rows],
    asked: Positions,
    known: Callable[[int], Positions],
    recall: float,
    seed: int,
    report: Reporter,
) -> CandidateIndex:
    """An index of candidates that finds so much of what comparing all of them does.

    questions : ℓ of nodes, by their positions
    asked : the nodes that may be asked about
    known : the nodes that one must not be recommended, itself among them
    """
    offered = rows if len(candidates) == len(rows) else rows[candidates]
    asked = asked[hash_order(ids[asked])]  # another order of the nodes draws the same
    sample = np.sort(np.random.default_rng(seed).choice(asked, min(N_MEASURED, len(asked)), replace=False))
    of_sample, left_out = questions(sample), [known(int(node)) for node in sample]
    true = [_best_of_all(offered, candidates, question, one) for question, one in zip(of_sample, left_out, strict=True)]

    def measured(built: Inverted) -> float:
        now = CandidateIndex(candidates, rows, ids, built)
        shares = []
        for question, one, (best, kth) in zip(of_sample, left_out, true, strict=True):
            if len(best) and now.can_answer(one, len(best)):
                found = now.best(question, one, len(best))  # none: the lists that were searched are too short
                shares.append(0.0 if found is None else float((rows[found] @ question >= kth).mean()))
        return float(np.mean(shares)) if shares else 1.0

    built = build_inverted(offered, PRODUCT, ids[candidates], recall, seed, report, caller="Links", measured=measured)
    return CandidateIndex(candidates, rows, ids, built)


def _best_of_all(offered: Rows, candidates: Positions, question: Rows, known: Positions) -> tuple[Positions, float]:
    """The best candidates of a question among all, and the least score that counts as one of theirs: ties are chance."""
    scores = offered @ question
    best = first_candidates(scores, ~np.isin(candidates, known), K_MEASURED, candidates)
    kth = float(scores[best[-1]]) if len(best) else 0.0
    return candidates[best], kth - 1e-5 * abs(kth)

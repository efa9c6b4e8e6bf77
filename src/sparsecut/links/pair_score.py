"""The score of pairs: several closed forms and what is known of the two nodes, added up with weights from held-out links.

    score(u, v) = Σ_k w_k · (f_k(u, v) − mean_k)/deviation_k

    own, regression, cosine   the best form of each kind (`forms`), as asinh(score/scale): large scores count by their order
                              of magnitude
    shared                    log(1 + Σ 1/log d_w) over the shared neighbours w (Adamic and Adar, 2003), direction left out
    degrees                   log d_u + log d_v; one each where the pair has an order, and in a directed graph the degrees of
                              both ends in both roles

The weights are those of a logistic regression on held-out links and other pairs, so that the score is a log-odds. They are
taken where they rank pairs better than the best form alone does, in a cross-validation over the held-out pairs; otherwise
that form is the score.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.links.form_choice import HeldOut
from sparsecut.links.forms import LinkForm, score_pairs
from sparsecut.links.link_sums import Incidence
from sparsecut.links.ranking import figure_of_pairs

Array = NDArray[np.float64]
Pairs = NDArray[np.int64]

N_PARTS = 4  # of the cross-validation
AT_ONCE = 50_000  # pairs


@dataclass(frozen=True)
class PairScore:
    """A weighted sum of features of pairs. Without extras and with one form it is that form."""

    forms: dict[str, LinkForm]  # by kind: "own", "regression", "cosine"
    scales: Array  # of the forms' scores
    with_extras: bool  # shared neighbours and degrees
    centre: Array
    weights: Array

    def __call__(self, vectors: Any, incidence: Incidence, pairs: Pairs, known: sp.csr_array | None = None) -> Array:
        """The scores of pairs whose source is first; of those that `known` links, without what the link itself adds."""
        return np.asarray((self.features(vectors, incidence, pairs, known) - self.centre) @ self.weights)

    def features(self, vectors: Any, incidence: Incidence, pairs: Pairs, known: sp.csr_array | None = None) -> Array:
        """One row per pair, one column per form, then the extras."""
        scores = [score_pairs(form, vectors, incidence, pairs, known) for form in self.forms.values()]
        columns = [np.arcsinh(one / scale) for one, scale in zip(scores, self.scales, strict=True)]
        if self.with_extras:
            columns += [shared_neighbours(incidence, pairs), *_log_degrees(incidence, pairs)]
        return np.column_stack(columns)

    def solved_again(
        self, forms: dict[str, LinkForm], vectors: Any, incidence: Incidence, others: Pairs, mean: Array
    ) -> PairScore:
        """The score with forms of a graph that has more links: pairs without one keep their mean, which was `mean`.

        More links give larger scores and degrees to all pairs, and nothing is likelier for that.
        """
        scaled = replace(self, forms=forms, scales=_scales(forms, vectors, incidence, others))
        moved = scaled.features(vectors, incidence, others).mean(axis=0) - mean
        return replace(scaled, centre=self.centre + moved)


def fit_pair_score(
    forms: dict[str, LinkForm], best: str, vectors: Any, incidence: Incidence, held_out: HeldOut
) -> PairScore:
    """The weights for the best forms of each kind; `best` is the kind that ranks pairs best alone.

    Links turned round, of a directed graph, count as much as all other pairs together: which way a link goes is to be
    learned beside whether there is one, however few go one way alone.
    """
    positive, negative = held_out.positive, held_out.others
    pairs = np.concatenate([positive, negative, held_out.turned])
    is_link = np.arange(len(pairs)) < len(positive)
    counts = np.array([len(positive), len(negative), len(held_out.turned)])
    shares = np.array([1.0, 0.5, 0.5]) if counts[2] else np.array([1.0, 1.0, 0.0])
    importance = np.repeat(shares * counts[0] / np.maximum(counts, 1), counts)
    alone = {best: forms[best]}
    single = PairScore(alone, _scales(alone, vectors, incidence, negative), False, np.zeros(1), np.ones(1))
    mixed = PairScore(forms, _scales(forms, vectors, incidence, negative), True, np.zeros(0), np.zeros(0))
    features = mixed.features(vectors, incidence, pairs)
    if min(len(positive), len(negative)) < 2 * N_PARTS:
        return single
    part = np.arange(len(pairs)) % N_PARTS
    scores = np.empty(len(pairs))
    for one in range(N_PARTS):
        centre, weights = _logistic(features[part != one], is_link[part != one], importance[part != one])
        scores[part == one] = (features[part == one] - centre) @ weights
    if _figure(is_link, scores, importance) <= _figure(is_link, single(vectors, incidence, pairs), importance):
        return single
    centre, weights = _logistic(features, is_link, importance)
    return replace(mixed, centre=centre, weights=weights)


def shared_neighbours(incidence: Incidence, pairs: Pairs) -> Array:
    """log(1 + Σ 1/log d_w) over the neighbours w that both nodes have, in either direction."""
    A = incidence.rows.adjacency
    A = A if incidence.columns is incidence.rows else A.maximum(incidence.columns.adjacency)
    A = sp.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    degrees = np.diff(A.indptr)
    root = np.sqrt(np.where(degrees > 1, 1 / np.log(np.maximum(degrees, 2)), 0.0))
    weighted = sp.csr_array((root[A.indices], A.indices, A.indptr), shape=A.shape)
    sums = [
        np.asarray(weighted[part[:, 0]].multiply(weighted[part[:, 1]]).sum(axis=1)).ravel()
        for part in (pairs[start : start + AT_ONCE] for start in range(0, len(pairs), AT_ONCE))
    ]
    return np.log1p(np.concatenate(sums)) if sums else np.zeros(0)


def _log_degrees(incidence: Incidence, pairs: Pairs) -> list[Array]:
    out, into = (np.log(one + incidence.mean_weight) for one in (incidence.out_degrees, incidence.in_degrees))
    sources, targets = out[pairs[:, 0]], into[pairs[:, 1]]
    if incidence.ends.is_directed:  # how often either end is the other end of links says which way one goes
        return [sources, targets, into[pairs[:, 0]], out[pairs[:, 1]]]
    return [sources, targets] if incidence.ends.has_order else [sources + targets]


def _scales(forms: dict[str, LinkForm], vectors: Any, incidence: Incidence, pairs: Pairs) -> Array:
    """The median size of each form's scores over some pairs; 1 where all are 0."""
    sizes = [float(np.median(np.abs(score_pairs(form, vectors, incidence, pairs)))) for form in forms.values()]
    return np.array([size if size > 0 else 1.0 for size in sizes])


def _logistic(features: Array, is_link: NDArray[np.bool_], importance: Array) -> tuple[Array, Array]:
    """The centre and the weights of a logistic regression on standardised columns, C = 1; the intercept is in the centre."""
    from sklearn.linear_model import LogisticRegression

    mean, deviation = features.mean(axis=0), features.std(axis=0)
    deviation = np.where(deviation > 1e-9, deviation, np.inf)  # a column that does not vary has no weight
    model = LogisticRegression(C=1.0, max_iter=1000).fit((features - mean) / deviation, is_link, importance)
    return mean, model.coef_[0] / deviation


def _figure(is_link: NDArray[np.bool_], scores: Array, importance: Array) -> float:
    return float(np.mean([figure_of_pairs(name, is_link, scores, importance) for name in ("roc_auc", "average_precision")]))

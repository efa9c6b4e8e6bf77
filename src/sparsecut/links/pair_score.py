"""The score of pairs: several closed forms and what is known of the two nodes, added up with weights from held-out links.

    score(u, v) = Σ_k w_k · (f_k(u, v) − mean_k)/deviation_k

    own, regression, cosine   the best form of each kind (`forms`), and the best on the columns of the spectrum, as
    spectrum                  asinh(score/scale): large scores count by their order of magnitude
    shared                    log(1 + Σ 1/log d_w) over the shared neighbours w (Adamic and Adar, 2003), direction left out
    degrees                   log d_u + log d_v; one each where the pair has an order, and in a directed graph the degrees of
                              both ends in both roles

The weights are those of a logistic regression on held-out links and other pairs, so that the score is a log-odds. They are
taken where they rank pairs better than the best form alone does, in a cross-validation over the held-out pairs; otherwise
that form is the score.

In a directed graph whether two nodes are linked is one question and which way is another. x are the features above,

    score(u, v) = log σ(w·x_uv) + s·log σ(q·(x_uv − x_vu))

q from a second regression, on held-out links against the same links turned round, and s a half, a quarter or a tenth, which
ranks both best. With the whole of the second logarithm likely pairs that may point the wrong way would rank below pairs that
are no link at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.links.forms import LinkForm, score_pairs
from sparsecut.links.held_out_links import HeldOut
from sparsecut.links.link_sums import Incidence
from sparsecut.links.ranking import figure_of_pairs, levelled

Array = NDArray[np.float64]
Pairs = NDArray[np.int64]

N_PARTS = 4  # of the cross-validation
SHARES = (0.5, 0.25, 0.1)  # of the direction in the score
LEAST_SPREAD = 1e-9
AT_ONCE = 50_000  # pairs


@dataclass(frozen=True)
class PairScore:
    """A weighted sum of features of pairs. Without extras and with one form it is that form."""

    forms: dict[str, LinkForm]  # by name: "own", "regression", "cosine", "spectrum"
    scales: Array  # of the forms' scores
    with_extras: bool  # shared neighbours and degrees
    centre: Array
    weights: Array
    intercept: float = 0.0  # of the log-odds; no matter where there is no direction
    direction: Array = field(default_factory=lambda: np.zeros(0))  # q; empty where links have no direction to be learned
    share: float = SHARES[0]  # s

    def __call__(self, vectors: Any, incidence: Incidence, pairs: Pairs, known: sp.csr_array | None = None) -> Array:
        """The scores of pairs whose source is first; of those that `known` links, without what the link itself adds."""
        features = self.features(vectors, incidence, pairs, known)
        if not len(self.direction):
            return self.of_features(features, features)
        return self.of_features(features, self.features(vectors, incidence, pairs[:, ::-1], known))

    def of_features(self, features: Array, turned: Array) -> Array:
        """The scores of pairs by their features and those of the pairs turned round."""
        odds = (features - self.centre) @ self.weights
        if not len(self.direction):
            return np.asarray(odds)
        return _log_share(odds + self.intercept) + self.share * _log_share((features - turned) @ self.direction)

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
    """The weights for the best forms of each kind; `best` is the kind that ranks pairs best alone."""
    positive, negative = held_out.positive, held_out.others
    pairs = np.concatenate([positive, negative, held_out.turned])
    is_link = np.arange(len(pairs)) < len(positive)
    is_turned = np.arange(len(pairs)) >= len(positive) + len(negative)
    alone = {best: forms[best]}
    single = PairScore(alone, _scales(alone, vectors, incidence, negative), False, np.zeros(1), np.ones(1))
    mixed = PairScore(forms, _scales(forms, vectors, incidence, negative), True, np.zeros(0), np.zeros(0))
    if min(len(positive), len(negative)) < 2 * N_PARTS:
        return single
    features = mixed.features(vectors, incidence, pairs)
    with_direction = bool(is_turned.sum() >= N_PARTS)
    turned = mixed.features(vectors, incidence, pairs[:, ::-1]) if with_direction else features
    part = np.arange(len(pairs)) % N_PARTS
    shares = SHARES if with_direction else SHARES[:1]
    scores = np.empty((len(shares), len(pairs)))
    for one in range(N_PARTS):
        chosen = part != one
        found = _weighed(mixed, features[chosen], turned[chosen], is_link[chosen], is_turned[chosen], with_direction)
        for row, share in enumerate(shares):
            scores[row, ~chosen] = replace(found, share=share).of_features(features[~chosen], turned[~chosen])
    figures = [_figure(is_link, is_turned, row) for row in scores]
    if max(figures) <= _figure(is_link, is_turned, single(vectors, incidence, pairs)):
        return single
    whole = _weighed(mixed, features, turned, is_link, is_turned, with_direction)
    return replace(whole, share=shares[int(np.argmax(figures))])


def _weighed(
    score: PairScore,
    features: Array,
    turned: Array,
    is_link: NDArray[np.bool_],
    is_turned: NDArray[np.bool_],
    with_direction: bool,
) -> PairScore:
    """The score with weights by some links, other pairs and links turned round."""
    importance = np.where(is_link, 1.0, is_link.sum() / max((~is_link & ~is_turned).sum(), 1))[~is_turned]
    centre, weights, intercept = _logistic(features[~is_turned], is_link[~is_turned], importance)
    found = replace(score, centre=centre, weights=weights, intercept=intercept)
    if not with_direction:
        return found
    ahead = turned[is_turned] - features[is_turned]  # of the link over the link turned round
    sizes = np.sqrt(np.square(ahead).mean(axis=0))
    sizes = np.where(sizes > LEAST_SPREAD, sizes, np.inf)
    examples, is_right = np.concatenate([ahead, -ahead]) / sizes, np.arange(2 * len(ahead)) < len(ahead)
    return replace(found, direction=_regression(examples, is_right, None, with_intercept=False).coef_[0] / sizes)


def shared_neighbours(incidence: Incidence, pairs: Pairs) -> Array:
    """log(1 + Σ 1/log d_w) over the neighbours w that both nodes have, in either direction."""
    if not len(pairs):
        return np.zeros(0)
    nodes, place = np.unique(pairs, return_inverse=True)
    A = _neighbours_either_way(incidence, nodes)
    degrees = _numbers_of_neighbours(incidence, np.unique(A.indices))
    root = np.sqrt(np.where(degrees > 1, 1 / np.log(np.maximum(degrees, 2)), 0.0))
    weighted = sp.csr_array((root[A.indices], A.indices, A.indptr), shape=A.shape)
    place = place.reshape(-1, 2)
    sums = [
        np.asarray(weighted[part[:, 0]].multiply(weighted[part[:, 1]]).sum(axis=1)).ravel()
        for part in (place[start : start + AT_ONCE] for start in range(0, len(pairs), AT_ONCE))
    ]
    return np.asarray(np.log1p(np.concatenate(sums)))


def _neighbours_either_way(incidence: Incidence, nodes: NDArray[np.int64]) -> sp.csr_array:
    """The rows of some nodes, 1 for every neighbour."""
    rows = incidence.rows.adjacency[nodes]
    rows = rows if incidence.columns is incidence.rows else rows.maximum(incidence.columns.adjacency[nodes])
    return sp.csr_array((np.ones(rows.nnz), rows.indices, rows.indptr), shape=rows.shape)


def _numbers_of_neighbours(incidence: Incidence, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many neighbours nodes have, in either direction: an entry for every node of the graph, 0 where it is not asked."""
    found = np.zeros(incidence.rows.n_nodes, dtype=np.int64)
    if incidence.columns is incidence.rows:
        indptr = incidence.rows.adjacency.indptr
        found[nodes] = indptr[nodes + 1] - indptr[nodes]
        return found
    for start in range(0, len(nodes), AT_ONCE):
        part = nodes[start : start + AT_ONCE]
        found[part] = np.diff(_neighbours_either_way(incidence, part).indptr)
    return found


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


def _logistic(features: Array, is_link: NDArray[np.bool_], importance: Array) -> tuple[Array, Array, float]:
    """The centre, the weights and the intercept of a logistic regression on standardised columns."""
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    deviation = np.where(deviation > LEAST_SPREAD, deviation, np.inf)  # a column that does not vary has no weight
    model = _regression((features - mean) / deviation, is_link, importance, with_intercept=True)
    return mean, model.coef_[0] / deviation, float(model.intercept_[0])


def _regression(columns: Array, is_link: NDArray[np.bool_], importance: Array | None, *, with_intercept: bool) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=1.0, max_iter=1000, fit_intercept=with_intercept).fit(columns, is_link, importance)


def _log_share(odds: Array) -> Array:
    """log σ of log-odds."""
    return np.asarray(-np.logaddexp(0, -odds))


def _figure(is_link: NDArray[np.bool_], is_turned: NDArray[np.bool_], scores: Array) -> float:
    """How scores rank links among other pairs, and above links turned round where there are any: a sum of shares of 1."""
    asked = [(name, ~is_turned) for name in ("roc_auc", "average_precision")]
    if is_turned.any():
        asked.append(("roc_auc", is_link | is_turned))
    level = levelled(scores)
    return sum(figure_of_pairs(name, is_link[among], level[among]) for name, among in asked)

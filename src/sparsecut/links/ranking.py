"""Figures of rankings: hit@k, ndcg@k and mrr of the candidates of a node, roc_auc and average_precision of pairs.

For a node whose held-out links stand at the places r₁ < r₂ < … (from 1) among its candidates:

    hit@k    whether any is among the first k
    ndcg@k   Σ_{r ≤ k} 1/log₂(r + 1), over what it would be were they the first
    mrr      1/r₁

Each is a mean over nodes. All are shares of 1 here; whoever shows them multiplies by 100.

Where figures decide something, scores that only rounding tells apart are made equal first (`levelled`): trees, grids and
graphs of cliques have many nodes that are alike, and the order of nodes, which rounding follows, must not choose a form.
"""

from __future__ import annotations

import re

import numpy as np
import torch
from numpy.typing import NDArray

from sparsecut.base.errors import InputError

Array = NDArray[np.float64]
AT = re.compile(r"(hit|ndcg)@([1-9]\d*)")
EQUAL = 1e-5  # of the usual size of scores: what another order of nodes changes them by is a tenth of it
N_ROUNDED = 7  # bits of the 23 of a number
N_USUAL = 10_000  # scores that say what their usual size is
LINK_METRICS = ("roc_auc", "average_precision", "hit@10", "ndcg@10", "mrr")


def levelled(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """Scores to 16 bits each, and to 1e-5 of their usual size where terms have cancelled."""
    found = np.array(scores, dtype=np.float32, order="C")
    some = np.abs(found.ravel()[:: max(1, found.size // N_USUAL)])
    some = some[some > 0]
    if len(some):
        unit = 2.0 ** np.floor(np.log2(EQUAL * float(np.median(some))))  # a power of two: products with it are not rounded
        found *= np.float32(1 / unit)
        np.rint(found, out=found)
        found *= np.float32(unit)
    bits = found.view(np.int32)
    bits += 1 << (N_ROUNDED - 1)
    bits &= -1 << N_ROUNDED
    return found


def is_of_places(name: str) -> bool:
    """Whether a figure is of the candidates of one node, not of pairs."""
    return name == "mrr" or AT.fullmatch(name) is not None


def check_link_metrics(caller: str, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in ("roc_auc", "average_precision") and not is_of_places(name):
            raise InputError(f"The metrics of {caller} are roc_auc, average_precision, hit@K, ndcg@K and mrr. Got {name!r}.")


def figure_of_places(name: str, places: list[NDArray[np.int64]]) -> float:
    """The mean over nodes of a figure of the places, from 1, at which their held-out links stand, in ascending order."""
    if not places:
        return float("nan")
    if name == "mrr":
        return float(np.mean([1 / one[0] for one in places]))
    at = AT.fullmatch(name)
    assert at is not None
    kind, k = at[1], int(at[2])
    if kind == "hit":
        return float(np.mean([one[0] <= k for one in places]))
    gains = 1 / np.log2(np.arange(2, k + 2))
    ideal = np.cumsum(gains)
    return float(np.mean([gains[one[one <= k] - 1].sum() / ideal[min(len(one), k) - 1] for one in places]))


def figure_of_pairs(
    name: str, is_link: NDArray[np.bool_], scores: NDArray[np.floating], importance: Array | None = None
) -> float:
    """AUC or average precision of pairs, each as important as the next or as given."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    function = roc_auc_score if name == "roc_auc" else average_precision_score
    return float(function(is_link, scores, sample_weight=importance))


def places_of(
    scores: NDArray[np.floating], is_link: NDArray[np.bool_], is_candidate: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The places, from 1, of the held-out links of one node among its candidates.

    Of candidates with the same score half are taken to stand before: a score that says nothing puts a link in the middle.
    """
    ordered = np.sort(scores[is_candidate])
    links = scores[is_link & is_candidate]
    n_above = len(ordered) - np.searchsorted(ordered, links, side="right")
    n_level = np.searchsorted(ordered, links, side="right") - np.searchsorted(ordered, links, side="left")
    places = np.sort(n_above + (n_level + 1) // 2)
    return np.asarray(np.maximum(places, np.arange(1, len(places) + 1)), dtype=np.int64)


def ndcg_of_table(
    scores: NDArray[np.floating], is_link: NDArray[np.bool_], is_candidate: NDArray[np.bool_], k: int = 10
) -> float:
    """ndcg@k of many nodes at once, one per row."""
    values = torch.from_numpy(scores.astype(np.float32)).masked_fill_(torch.from_numpy(~is_candidate), -torch.inf)
    k = min(k, values.shape[1])
    top = torch.topk(values, k, dim=1).indices.numpy()
    gains = 1 / np.log2(np.arange(2, k + 2))
    links = is_link & is_candidate
    found = (np.take_along_axis(links, top, axis=1) * gains).sum(axis=1)
    n_links = np.minimum(links.sum(axis=1), k)
    asked = n_links > 0
    return float((found[asked] / np.cumsum(gains)[n_links[asked] - 1]).mean()) if asked.any() else float("nan")

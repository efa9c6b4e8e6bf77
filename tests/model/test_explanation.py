"""What `explain` says, sentence by sentence, its figures computed again from their definitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc
from conftest import load_or_skip, random_graph
from reference import dense_propagation, dense_weighting
from sparsecut.features.weighting import Weighting
from sparsecut.model.explanation import say_choices, say_doubt
from sparsecut.operators.reason import Reason
from sparsecut.operators.recipe import Recipe

# Words of the method that no user can act on: they belong to the details.
JARGON = ("sharp", "spectrum", "effective rank", "route", "eigen", "polynomial", "directions", "told", "seconds", "solver")
EVIDENCE = {"standard error": 0.002}


def length_correlation(graph: sc.Graph) -> float:
    """Of the logarithm of a row's length with its mean over the neighbours."""
    F = graph.features.toarray() if sp.issparse(graph.features) else np.asarray(graph.features)
    lengths = np.linalg.norm(F, axis=1)
    logs = np.log(np.maximum(lengths, 1e-3 * lengths.max()))
    A = graph.adjacency.toarray().astype(np.float64)
    linked = A.sum(axis=1) > 0
    around = (A @ logs)[linked] / A.sum(axis=1)[linked]
    return float(np.corrcoef(logs[linked], around)[0, 1])


def r_squared(graph: sc.Graph, F: np.ndarray) -> tuple[float, float]:
    """R² of half of the columns from the other half, alone and with the neighbours' mean, for the halves that a fit draws.

    By all eigenvectors of the Gram matrix and scikit-learn's 10-fold cross-validation, in place of subspace iteration and
    generalised cross-validation: the figures agree to about a hundredth.
    """
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import KFold, cross_val_predict

    F = F.astype(np.float64) - F.mean(axis=0)
    P = dense_propagation(graph.adjacency.toarray())
    found, n, k = [], F.shape[1], min(32, len(F) // 64)
    generator = torch.Generator().manual_seed(0)
    for _ in range(4):
        order = torch.randperm(n, generator=generator).numpy()
        torch.randn(n, 2 * k, generator=generator)  # where the iteration starts
        halves = [sharpened(F[:, part], k) for part in (order[: n // 2], order[n // 2 :])]
        for a, b in (halves, halves[::-1]):
            scores = []
            for predictors in (a, np.hstack([a, P @ a])):
                ridge = Ridge(alpha=1e-3 * (predictors**2).sum() / predictors.shape[1])
                residual = b - cross_val_predict(ridge, predictors, b, cv=KFold(10, shuffle=True, random_state=0))
                scores.append(1 - (residual**2).sum() / ((b - b.mean(axis=0)) ** 2).sum())
            found.append(scores)
    alone, both = np.mean(found, axis=0)
    return float(alone), float(both)


def sharpened(F: np.ndarray, k: int, rank: float = 16.0) -> np.ndarray:
    """The k leading directions with variances λ^p of that effective rank."""
    centred = F - F.mean(axis=0)
    squares, V = (found[..., ::-1][..., :k] for found in np.linalg.eigh(centred.T @ centred))
    U, variances = centred @ V / np.sqrt(squares), squares / squares[0]
    low, high = 1.0, 64.0
    for _ in range(60):
        p = (low + high) / 2
        shares = variances**p / (variances**p).sum()
        entropy = -(shares * np.log(np.maximum(shares, 1e-300))).sum()
        low, high = (p, high) if np.exp(entropy) > rank else (low, p)
    return np.asarray(U * variances ** (p / 2))


@pytest.mark.parametrize(("name", "restart"), [("digits", 0.3), ("cora", 0.2)])
def test_a_default_fit_is_explained_in_three_lines_that_anyone_can_check(name: str, restart: float, tmp_path: Path) -> None:
    graph = load_or_skip(name)
    model = sc.SCE(features="given").fit(graph)
    correlation = f"(correlation {length_correlation(graph):.2f})"
    weighting, averaging, dimension = model.explain().splitlines()
    expected = {
        "digits": "Features are not weighted: the length of a node's feature vector goes with its neighbours' "
        f"{correlation}. Set weighting='l2' to scale every node's features to one length.",
        "cora": "Features are weighted by tf-idf: they are counts, and the length of a node's feature vector does not go "
        f"with its neighbours' {correlation}. Set weighting='none' to leave them as they are.",
    }
    assert weighting == expected[name]
    (reason,) = [reason for reason in model.recipe_.reasons if reason.topic == "channels"]
    alone, both = reason.figures["R2"], reason.figures["R2 with neighbours"]
    assert averaging == (
        f"Features are averaged over neighbours (PageRank, restart {restart:g}): neighbours help to predict a node's "
        f"features (R² {100 * alone:.0f} % → {100 * both:.0f} %). Set filter=sc.Power(order=0) to leave them as they are."
    )
    F = graph.features.toarray() if sp.issparse(graph.features) else np.asarray(graph.features)
    F = dense_weighting(model.recipe_.weighting.name, F, F)
    assert (alone, both) == pytest.approx(r_squared(graph, F), abs=0.015)
    n_columns = model.embedding_.shape[1]
    assert dimension == (
        f"The embedding has {n_columns} columns, which hold 99.9 % of the variance. Set dimension to choose another number."
    )
    assert not [word for word in JARGON if word in model.explain().lower()]

    model.save(tmp_path / "model.safetensors")
    assert sc.load(tmp_path / "model.safetensors").explain(details=True) == model.explain(details=True)


def test_the_figures_can_be_traced_to_the_design() -> None:
    """Cora's as they are quoted in the documentation."""
    said = sc.SCE().fit(load_or_skip("cora")).explain()
    assert "(correlation 0.16)" in said
    assert "(R² 12 % → 16 %)" in said


def said_of(reasons: list[Reason | str], channels: dict[str, float]) -> list[str]:
    return say_choices(Recipe(Weighting("none"), (sc.Power(),), "mean", channels, reasons))


FILTER = Reason("filter", "PageRank, restart 0.1", "paper", {"hops": 8})
SMOOTHED = "features averaged over neighbours (PageRank, restart 0.1)"


@pytest.mark.parametrize(
    ("weights", "because", "figures", "expected"),
    [
        (
            {"own": 1.0},
            "neighbours",
            {"R2": 0.4, "R2 with neighbours": 0.401, **EVIDENCE},
            "Features are embedded as they are, not averaged over neighbours: neighbours do not help to predict a node's "
            "features (R² 40 % → 40 %). Set channels='smoothed' to average them over neighbours.",
        ),
        (
            {"own": 0.35, "smoothed": 1.0},
            "neighbours",
            {"R2": 0.4, "R2 with neighbours": 0.43, **EVIDENCE},
            f"The embedding joins each node's own features at weight 0.35 and {SMOOTHED}: neighbours help a little to "
            "predict a node's features (R² 40 % → 43 %). Set channels='own' or channels='smoothed' to embed one of them "
            "alone.",
        ),
        (
            {"neighbors": 1.0},
            "requested",
            {},
            "Features are averaged over two hops of neighbours, and a node's own are not added back, as requested.",
        ),
        (
            {"own": 1.0, "smoothed": 0.5},
            "neighbours alone",
            {"R2 from neighbours": 0.034, **EVIDENCE},
            f"The embedding joins each node's own features and {SMOOTHED} at weight 0.5: a node's neighbours predict its "
            "features with R² 3 %. Set channels='own' or channels='smoothed' to embed one of them alone.",
        ),
        (
            {"own": 1.0, "smoothed": 1.0},
            "too few",
            {"linked nodes": 12},
            f"The embedding joins each node's own features and {SMOOTHED}: 12 linked nodes are too few to measure whether "
            "neighbours help to predict a node's features. Set channels='own' or channels='smoothed' to embed one of them "
            "alone.",
        ),
        (
            {"smoothed": 1.0},
            "few columns",
            {"dimension": 1},
            "Features are averaged over neighbours (PageRank, restart 0.1): dimension=1 has no column for more. Set "
            "filter=sc.Power(order=0) to leave them as they are.",
        ),
        (
            {"difference": 1.0, "smoothed": 1.0},
            "requested",
            {},
            f"The embedding joins differences between a node and its neighbours and {SMOOTHED}, as requested.",
        ),
    ],
)
def test_whether_features_are_averaged(weights: Any, because: str, figures: Any, expected: str) -> None:
    assert said_of([FILTER, Reason("channels", "", because, figures)], weights) == [expected]


@pytest.mark.parametrize(
    ("weights", "because", "figures", "expected"),
    [
        (
            {"smoothed": 1.0, "structure": 0.11, "roles": 0.1},
            "held-out edges",
            {"AUC": 0.949},
            "Beside the features stand each node's place in the graph at weight 0.11 and counts around each node (degrees, "
            "triangles) at weight 0.1: without them held-out edges are predicted with AUC 0.95 (0.5 is chance). "
            "Set features='given' to leave them out.",
        ),
        (
            {"own": 0.5, "structure": 0.05},
            "unmeasured",
            {},
            "Beside the features stand each node's place in the graph at weight 0.1. Set features='given' to leave them "
            "out.",
        ),
        (
            {"structure": 1.0, "roles": 0.5},
            "no features",
            {},
            "The embedding is of each node's place in the graph and counts around each node (degrees, triangles) at weight "
            "0.5: no features are embedded.",
        ),
    ],
)
def test_what_the_graph_itself_adds(weights: Any, because: str, figures: Any, expected: str) -> None:
    reasons = [
        FILTER,
        Reason("channels", "", "few columns", {"dimension": 3}),
        Reason("graph channels", "", because, figures),
    ]
    assert expected in said_of(reasons, weights)


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        ([Reason("filter", "Power, 0 hops", "requested", {"hops": 0})], "Features are embedded as they are, not averaged "),
        ([Reason("filter", "Heat, time 2", "requested", {"hops": 4})], "over neighbours (Heat, time 2), as requested."),
        (
            [FILTER, Reason("trial", "a", "few edges", {"edges": 1200})],
            "usual setting, since 1,200 edges are too few to try",
        ),
        (
            [FILTER, Reason("trial", "b", "held-out edges", {"a": 0.8, "b": 0.9})],
            "predicts held-out edges best (AUC 0.900).",
        ),
        ([Reason("filter", "Power, 3 hops", "paper", {"hops": 3, "levels": 3})], "at 3 levels (Power, 3 hops at the last)"),
    ],
)
def test_why_a_filter_is_what_it_is(reasons: list[Reason | str], expected: str) -> None:
    (said,) = said_of(reasons, {"smoothed": 1.0})
    assert expected in said


@pytest.mark.parametrize(
    ("because", "chosen", "expected"),
    [
        ("signs", "none", "some are negative, so they are measurements and not counts. Set weighting='l2'"),
        ("lengths", "none", "goes with its neighbours' (correlation 0.50). Set weighting='l2'"),
        ("informative lengths", "none", "half of the columns no longer predicts the other half. Set weighting='l2'"),
        ("counts", "tf-idf", "they are counts, and the length of a node's feature vector does not go with"),
        ("amounts", "l2", "scaled to one length (l2): the length of a node's feature vector does not go with"),
        ("paper", "none", "as in the paper. Set weighting='tf-idf' for counts or 'l2' for amounts."),
    ],
)
def test_why_features_are_weighted(because: str, chosen: str, expected: str) -> None:
    said, _ = said_of([Reason("weighting", chosen, because, {"correlation": 0.5}), FILTER], {"smoothed": 1.0})
    assert expected in said


def test_a_solver_of_ones_own_speaks_for_itself() -> None:
    assert said_of([FILTER, "principal directions."], {"smoothed": 1.0})[-1] == "Principal directions."


def test_what_the_graph_brings_by_itself_is_explained() -> None:
    assert said_of([FILTER, Reason("channels", "", "requested")], {"smoothed": 1.0, "structure": 0.5})[1] == (
        "Beside the features stand each node's place in the graph at weight 0.5, as requested."
    )
    plain = random_graph()
    default = sc.SCE().fit(plain).explain()
    assert "counts around each node (degrees, triangles) at weight" in default
    assert "Set features='given' to leave them out." in default
    alone, _ = sc.SCE().fit(sc.Graph(plain.adjacency)).explain().splitlines()
    assert alone.startswith("The embedding is of each node's place in the graph and counts around each node")
    assert alone.endswith(": no features are embedded.")
    roles, _ = sc.SCE(channels="roles").fit(plain).explain().splitlines()
    assert roles == "The embedding is of counts around each node (degrees, triangles), as requested."
    given = sc.SCE(features="both", filter=sc.Power(order=1)).fit(plain).explain().splitlines()
    assert given[1] == "Features are averaged over neighbours (Power, 1 hop), as requested."


def test_doubt_names_what_else_can_be_embedded() -> None:
    doubt = Reason("doubt", "", "held-out edges", {"features": 0.512, "embedding": 0.7, "structure": 0.9})
    kept, smoothed = (say_doubt(doubt, is_own_kept=is_kept) for is_kept in (True, False))
    for said in (kept, smoothed):
        assert "(AUC 0.51; 0.5 is chance)" in said
        assert "structure alone (AUC 0.90) than by the embedding (0.70)" in said
    assert smoothed.endswith("features='structure' to leave them out, channels='own' to leave the features as they are.")
    assert kept.endswith("features='structure' to leave them out.")

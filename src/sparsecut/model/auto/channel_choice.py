"""Which channels of the features suit a graph, measured without labels: do neighbours help to predict a node's features?

The columns are cut into two halves, a and b. What both have in common is no noise: how well half b is predicted from half a
measures what is known of a node from its own row, and how much better it is predicted with the neighbourhood's mean of half
a beside it measures what its neighbours add (as Noise2Self judges a denoiser by what it has not seen):

    own  = R²(X_b from X_a)
    gain = (R²(X_b from X_a and P·X_a) − own) / (1 − own)            g = (gain − its standard error) / own

X_a, X_b are the leading directions of each half, sharpened as in the closed form. Each regression has the ridge that
generalised cross-validation prefers, so that on few nodes many predictors are not a handicap. The gain compares the two
regressions node by node, each node predicted from the others, and its standard error is over the nodes: what may be chance
counts as nothing, and on a small graph more may be chance. The figures are means over a few halvings.

The own row then weighs (g₀/g)^q beside the smoothed one: where neighbours add nothing the embedding is that of the features,
where they add much it is the smoothed one, and between lies a mixture. Held-out edges cannot show this: smoothing
predicts edges better on every graph, also where it ruins the features.

Columns that are made to have nothing in common (principal components, whitened rows) do not predict each other, or not
beyond chance, whatever their neighbours have. There the row itself is predicted from the mean of its neighbours, without
itself: r = R²(X from (A/d)·X), less its standard error, is nothing where neighbours differ, and the own row weighs (r₀/r)^q.

`benchmarks/channels.py` measures the figures and chooses the constants without each graph in turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.contract import Engine
from sparsecut.features import TableEncoder
from sparsecut.features.matrices import n_stored, stacked
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.graph.edge_sample import degrees_at, sample_linked_nodes, sample_nodes
from sparsecut.kernels.block import Block
from sparsecut.kernels.either import concatenate, doubles, on_device_of, on_host
from sparsecut.kernels.polynomials import power
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.spectrum import orthonormal
from sparsecut.kernels.transfer import as_tensor
from sparsecut.model.auto.constants import CONSTANTS, ChannelRule, Constants, RegressionRule
from sparsecut.model.channels import describe
from sparsecut.operators.reason import Reason
from sparsecut.operators.sharpened import Sharpness

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ChannelEvidence:
    """Whether neighbours help to predict features, in figures with their standard errors."""

    own: float  # R² of a half of the columns from the other
    gain: float  # what the neighbourhood's mean adds to it, as a share of what is left to predict
    error: float = 0.0  # of the gain
    neighbor_r2: float = 0.0  # R² of a row from the mean of its neighbours; measured where `own` may be chance
    neighbor_error: float = 0.0  # of that
    own_error: float = 0.0

    def is_blind(self, rule: ChannelRule) -> bool:
        """Whether what the halves have in common may be chance: they cannot measure then what neighbours add.

        However little it is: columns that are nearly all noise are those that neighbours help most.
        """
        return self.own <= max(rule.least_own, rule.own_errors * self.own_error)


@dataclass(frozen=True)
class ChannelChoice:
    """The weight of each channel, and why."""

    weights: dict[str, float]
    reason: Reason

    @property
    def is_blind(self) -> bool:
        """Whether no half of the columns predicts anything of the other."""
        return self.reason.because == "neighbours alone"


def choose_channels(
    graph: Graph, rows: Any, weighting: Weighting, engine: Engine[Any], constants: Constants = CONSTANTS
) -> ChannelChoice:
    """The channels for features that have been loaded; no hop is taken yet."""
    rule = constants.channels
    nodes = sample_linked_nodes(engine, constants.channel_cost.most_nodes)
    if graph.n_features < rule.min_columns or len(nodes) < rule.min_nodes:
        counts = {"features": graph.n_features} if graph.n_features < rule.min_columns else {"linked nodes": len(nodes)}
        return _choice({"own": 1.0, "smoothed": 1.0}, "too few", counts)
    return choose_by(gather_evidence(graph, rows, weighting, engine, nodes, constants), rule)


def choose_by(evidence: ChannelEvidence, rule: ChannelRule = CONSTANTS.channels) -> ChannelChoice:
    """The channels that follow from the evidence."""
    own, gain, error = evidence.own, evidence.gain, evidence.error
    if evidence.is_blind(rule):
        r, error = evidence.neighbor_r2, evidence.neighbor_error
        figures = {"R2 from neighbours": max(r, 0.0), "standard error": error}
        return _choice(_weights(r - error, rule.even_neighbor_r2, rule), "neighbours alone", figures)
    both = own + max(gain, 0.0) * (1 - own)
    figures = {"R2": own, "R2 with neighbours": both, "standard error": error * (1 - own)}
    return _choice(_weights((gain - error) / own, rule.even_gain, rule), "neighbours", figures)


def _choice(weights: dict[str, float], because: str, figures: Mapping[str, float]) -> ChannelChoice:
    return ChannelChoice(weights, Reason("channels", describe(weights), because, figures))


def gather_evidence(
    graph: Graph,
    rows: Any,
    weighting: Weighting,
    engine: Engine[Any],
    nodes: NDArray[np.int64],
    constants: Constants = CONSTANTS,
) -> ChannelEvidence:
    """The figures, measured on some nodes that have neighbours."""
    rule, cost = constants.channels, constants.channel_cost
    n_directions = min(
        cost.n_directions, max(cost.least_directions, len(nodes) // cost.nodes_per_direction), graph.n_features // 2
    )
    product = _sampled_product(engine, weighting, cost.n_sampled)
    n_numbers = int(engine.total(n_stored_of)) if graph.has_sparse_features else graph.n_nodes * graph.n_features

    def measure() -> dict[str, float]:
        directions = _directions_of_halves(
            product,
            graph.n_features,
            n_directions,
            cost.n_halvings if n_numbers < cost.many_entries else 1,
            torch.Generator().manual_seed(0),  # which columns go together must not depend on a seed of the user's
            engine.device,
            _by_name(graph),
            n_iterations=cost.n_iterations,
            effective_rank=constants.spectrum.effective_rank,
        )
        halvings = _at_nodes(engine, rows, directions, nodes, cost.wider, is_sparse=graph.has_sparse_features)
        found = _mean_gain(halvings, constants.regressions)
        if found.is_blind(rule):
            degrees = on_device_of(halvings[-1][0], degrees_at(engine, nodes).clip(min=1e-3)[:, None])
            r2, error = _predict_from_neighbours(*halvings[-1], degrees, constants.regressions)
            found = replace(found, neighbor_r2=r2, neighbor_error=error)
        return vars(found)

    return ChannelEvidence(**engine.checkpoint(f"channels-{weighting.name}", measure))


def _at_nodes(
    engine: Engine[Any], rows: Any, directions: Sequence[Tensor], nodes: NDArray[np.int64], wider: float, *, is_sparse: bool
) -> list[tuple[Any, Any]]:
    """(X, P·X) of some nodes in float64, for X = F·W of each halving: tensors where a GPU has them, arrays else.

    Of dense features with at most `wider` times the columns of all X the rows themselves are taken: these nodes' neighbours
    are then all that is read, and no product with all rows is made.
    """
    if not is_sparse and len(directions[0]) <= wider * sum(W.shape[1] for W in directions):
        own, around = (engine.take(level, nodes).float() for level in (rows, engine.smooth(rows, power(1), lazily=True)))
        return [(_doubles(own @ W.to(own.device)), _doubles(around @ W.to(around.device))) for W in directions]
    found = []
    for W in directions:
        X = engine.multiply([rows], W)
        around = engine.smooth(X, power(1), lazily=True)  # the hop may be taken for these nodes alone
        found.append((_doubles(engine.take(X, nodes)), _doubles(engine.take(around, nodes))))
    return found


def _mean_gain(halvings: Sequence[tuple[Any, Any]], rule: RegressionRule) -> ChannelEvidence:
    """The evidence of some nodes: each half predicted from the other, means over the halvings and both directions."""
    owns: list[float] = []
    explained: list[Array] = []  # of the squares of every node's half: what the other half says of it
    differences: list[Array] = []  # of the squared errors at every node: what the neighbourhood's mean saves
    for X, around in halvings:
        rows, means = _halves(X), _halves(around)
        first_alone, first_beside, second_alone, second_beside = regressions(
            [rows[0], means[0], rows[1], means[1]],
            [(slice(0, 1), 2), (slice(0, 2), 2), (slice(2, 3), 0), (slice(2, 4), 0)],
            rule,
        )
        for target, alone, beside in ((rows[1], first_alone, first_beside), (rows[0], second_alone, second_beside)):
            owns.append(alone[0])
            explained.append(on_host((_of_total_one(target) ** 2).sum(axis=1) - alone[1]))
            differences.append(on_host(alone[1] - beside[1]))
    own, saved = float(np.mean(owns)), np.mean(differences, axis=0)
    unexplained = max(1 - own, 1e-12)
    return ChannelEvidence(
        own,
        float(saved.sum()) / unexplained,
        _error_of_sum(saved) / unexplained,
        own_error=_error_of_sum(np.mean(explained, axis=0)),
    )


def _error_of_sum(terms: Array) -> float:
    """The standard error of a sum over nodes."""
    return float(terms.std()) * math.sqrt(len(terms))


def _predict_from_neighbours(own: Any, smoothed: Any, degrees: Any, rule: RegressionRule) -> tuple[float, float]:
    """R² of the rows from the means over their neighbours, the row left out of its own, and the standard error of it."""
    means = smoothed + (smoothed - own) / degrees  # d̃·PX = X + d·(the mean)
    _, errors = predict_left_out([means], own, rule)
    saved = on_host((_of_total_one(own) ** 2).sum(axis=1)) - errors
    return float(saved.sum()), _error_of_sum(saved)


def predict_left_out(predictors: Sequence[Any], targets: Any, rule: RegressionRule) -> tuple[float, Array]:
    """R² by generalised cross-validation, and the squared error of each row where it is predicted from the others.

    A ridge regression on the predictors side by side, arrays or tensors.
    """
    ((r_squared, errors),) = regressions([*predictors, targets], [(slice(0, len(predictors)), len(predictors))], rule)
    return r_squared, on_host(errors)


def regressions(blocks: Sequence[Any], pairs: Sequence[tuple[slice, int]], rule: RegressionRule) -> list[tuple[float, Any]]:
    """For each pair, some blocks that are predictors and one that is predicted, its R² and the errors of its rows.

    Blocks are columns of the same rows, arrays or tensors, each scaled so that its squares about its mean sum to one. The
    ridge, in units of the mean variance of the predictors' directions, is the one of the rule's with the best
    R² = 1 − residual·(n/(n − degrees of freedom))². All of it follows from the products of the columns with one another,
    which come to the host once; errors stay where the rows are.
    """
    n, ends = len(blocks[0]), np.cumsum([0, *(block.shape[1] for block in blocks)])
    together = concatenate(blocks, axis=1)
    centred = together - together.mean(axis=0)
    products = on_host(centred.T @ centred)
    totals = np.add.reduceat(products.diagonal(), ends[:-1])
    scale = np.repeat(1 / np.maximum(np.sqrt(totals), 1e-30), np.diff(ends))
    products = products * scale[:, None] * scale
    found = []
    for predictors, target in pairs:
        own, other = slice(ends[predictors.start], ends[predictors.stop]), slice(ends[target], ends[target + 1])
        values, vectors = np.linalg.eigh(products[own, own])  # of few columns
        values = values.clip(min=0)
        cross = vectors.T @ products[own, other]
        r_squared, shrunk = _best_ridge(values, (cross**2).sum(axis=1), n, rule.ridges)
        vectors = scale[own, None] * vectors
        X = centred[:, own]
        both = X @ on_device_of(X, np.concatenate([vectors * np.sqrt(shrunk), (vectors * shrunk) @ cross], axis=1))
        leverage = (both[:, : len(values)] ** 2).sum(axis=1) + 1 / n
        left = centred[:, other] * float(scale[other.start]) - both[:, len(values) :]
        errors = (left**2).sum(axis=1) / (1 - leverage.clip(max=1 - rule.least_left)) ** 2
        found.append((r_squared if totals[target] > 0 else 0.0, errors))
    return found


def _best_ridge(values: Array, squares: Array, n: int, ridges: Sequence[float]) -> tuple[float, Array]:
    """(R², 1/(λ + ridge)) of the best ridge, for the predictors' eigenvalues λ and what the targets have along each."""
    tried: list[tuple[float, Array]] = []
    for ridge in ridges:
        shrunk = 1 / (values + ridge * max(values.mean(), 1e-12))
        residual = 1 - (squares * shrunk * (2 - shrunk * values)).sum()
        freedom = float((values * shrunk).sum())
        tried.append((float(1 - residual * (n / max(n - freedom, 1.0)) ** 2), shrunk))
    return max(tried, key=itemgetter(0))


def _of_total_one(rows: Any) -> Any:
    """The rows about their mean, their squares summing to one."""
    centred = rows - rows.mean(axis=0)
    return centred / max(math.sqrt(float((centred**2).sum())), 1e-30)


def _doubles(taken: Tensor) -> Any:
    """Rows in float64: a tensor where a GPU has them, an array else."""
    return doubles(taken if taken.is_cuda else on_host(taken))


def _halves(rows: Any) -> tuple[Any, Any]:
    """The first half of the columns, and the second."""
    width = rows.shape[1] // 2
    return rows[:, :width], rows[:, width:]


def _weights(g: float, even: float, rule: ChannelRule) -> dict[str, float]:
    """Own (g₀/g)^q to 1, the heavier one 1; two digits, so that rounding in another order of nodes changes nothing."""
    ratio = (even / g) ** rule.steepness if g > 1e-3 * even else np.inf
    if ratio < rule.least_weight:
        return {"smoothed": 1.0}
    if ratio > 1 / rule.least_weight:
        return {"own": 1.0}
    return {"own": round(min(1.0, ratio), 2), "smoothed": round(min(1.0, 1 / ratio), 2)}


def _sampled_product(engine: Engine[Any], weighting: Weighting, n_sampled: int) -> Callable[[Tensor], Tensor]:
    """W ↦ (F − mean)ᵀ(F − mean)·W for the weighted features F of a sample of nodes."""
    device = engine.device
    features = weighting.apply(stacked(engine.each(features_at, sample_nodes(engine, n_sampled))))
    if sp.issparse(features):
        F, transposed = SparseMatrix(features, device), SparseMatrix(sp.csr_array(features.T), device)
        mean = as_tensor(np.asarray(features.mean(axis=0), dtype=np.float32).ravel(), device)
        return lambda W: transposed @ (F @ W) - features.shape[0] * torch.outer(mean, mean @ W)
    dense = (features if isinstance(features, Tensor) else as_tensor(np.asarray(features), device)).float()
    centred = dense - dense.mean(dim=0)
    return lambda W: centred.T @ (centred @ W)


def features_at(block: Block, nodes: NDArray[np.int64]) -> Any:
    """The features of those of some nodes that are in the block; those of tensors dense, since they are few."""
    here = nodes[(nodes >= block.rows.start) & (nodes < block.rows.stop)] - block.rows.start
    features = block.features(on_device_of(block.starts(), here))
    return features.to_dense() if isinstance(features, Tensor) else features


def n_stored_of(block: Block) -> NDArray[np.int64]:
    return np.array(n_stored(block.features()))


def _by_name(graph: Graph) -> Tensor | None:
    """The columns of a table in the order of their names, so that the table's own order decides nothing."""
    names = graph.encoder.names_out if isinstance(graph.encoder, TableEncoder) else ()
    if len(names) != graph.n_features:  # an array, or a table with more beside it
        return None
    return torch.tensor(sorted(range(len(names)), key=names.__getitem__))


def _directions_of_halves(
    product: Callable[[Tensor], Tensor],
    n_columns: int,
    n_directions: int,
    n_halvings: int,
    generator: torch.Generator,
    device: torch.device,
    order: Tensor | None,
    *,
    n_iterations: int,
    effective_rank: float,
) -> list[Tensor]:
    """W of X = F·W, (f, 2k), for each halving: the leading directions of each half of the columns, sharpened.

    Subspace iteration for all halves at once, as many blocks of k columns side by side. Columns are drawn in `order`.
    """
    order = torch.arange(n_columns) if order is None else order
    masks, starts = [], []
    for _ in range(n_halvings):
        is_first = torch.zeros(n_columns, dtype=torch.bool)
        is_first[order[torch.randperm(n_columns, generator=generator)[: n_columns // 2]]] = True
        masks += [is_first, ~is_first]
        start = torch.empty(n_columns, 2 * n_directions)
        start[order] = torch.randn(n_columns, 2 * n_directions, generator=generator)
        starts.append(start.to(device))
    mask = torch.stack(masks).float().to(device)[:, :, None]  # (halves, f, 1)
    basis = _blocks(torch.cat(starts, dim=1), n_directions) * mask  # (halves, f, k)
    for number in range(1, n_iterations + 1):
        image = _blocks(product(_side_by_side(basis)), n_directions) * mask
        basis = orthonormal(image, n_passes=2 if number == n_iterations else 1)
    image = _blocks(product(_side_by_side(basis)), n_directions)
    small = (basis.mT @ image).double().cpu()
    values, vectors = torch.linalg.eigh((small + small.mT) / 2)
    weights = [Sharpness.of(half, effective_rank).weights(V) for half, V in zip(values, vectors, strict=True)]
    sharpened = basis @ torch.stack(weights).float().to(device)
    return [_side_by_side(pair) for pair in torch.split(sharpened, 2)]


def _blocks(columns: Tensor, width: int) -> Tensor:
    """(f, h·k) as (h, f, k)."""
    return columns.view(len(columns), -1, width).movedim(1, 0)


def _side_by_side(blocks: Tensor) -> Tensor:
    """(h, f, k) as (f, h·k)."""
    return blocks.movedim(0, 1).flatten(1)

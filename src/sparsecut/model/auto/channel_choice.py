"""Which channels suit a graph, measured by its features without labels: do neighbours help to predict a node's features?

The columns are cut into two halves, a and b. What both have in common is no noise: how well half b is predicted from half a
measures what is known of a node from its own row, and how much better it is predicted with the neighbourhood's mean of half
a beside it measures what its neighbours add (as Noise2Self judges a denoiser by what it has not seen):

    own  = R²(X_b from X_a)
    gain = (R²(X_b from X_a and P·X_a) − own) / (1 − own)            g = gain / own

X_a, X_b are the leading directions of each half, sharpened as in the closed form; R² is ridge regression's, by generalised
cross-validation, so that what may be chance counts as nothing; the figures are means over a few halvings. Where two
halvings and a sample of the nodes leave one channel, that is the choice; where they leave a mixture, all halvings and nodes
are used.

The own row then weighs (g₀/g)^q beside the smoothed one: where neighbours add nothing the embedding is that of the features,
where they add much it is the smoothed one, and between lies a mixture. Held-out edges cannot show this: smoothing
predicts edges better on every graph, also where it ruins the features.

Columns that are made to have nothing in common (principal components, whitened rows) do not predict each other,
whatever their neighbours have. There the row itself is predicted from the mean of its neighbours, the row left out: r = R²(X
from (A/d)·X) is nothing where neighbours differ, and the own row weighs (r₀/r)^q. A small r may also be that of noise, which
smoothing turns into the place in the graph: the smoothed channel keeps half the weight at least.

Second: do a node's neighbours agree with one another more than with the node? h is the mean cosine of a node and a
neighbour, m that of two neighbours of a node. In a group of like nodes the node is one of them, h = m. Where m is far above
h the neighbours have something in common that the node has not: its row is not mixed into theirs, and the channel of the
neighbours takes the place of the smoothed one.

`benchmarks/channels.py` measures both figures and chooses the constants without each graph in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
from sparsecut.graph.edge_sample import degrees_at, sample_linked_nodes, sample_neighbourhoods, sample_nodes, sample_of
from sparsecut.kernels.block import Block
from sparsecut.kernels.either import on_device_of
from sparsecut.kernels.moments import scatter
from sparsecut.kernels.polynomials import power
from sparsecut.kernels.sparse import SparseMatrix, as_tensor
from sparsecut.kernels.spectrum import orthonormal
from sparsecut.model.auto.constants import CONSTANTS, ChannelRule, Constants
from sparsecut.model.channels import describe
from sparsecut.operators.reason import Reason
from sparsecut.operators.sharpened import Sharpness

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ChannelEvidence:
    """Whether neighbours help to predict features, in five figures."""

    own: float  # R² of a half of the columns from the other
    gain: float  # what the neighbourhood's mean adds to it
    h: float = 0.0  # mean cosine of a node and its neighbour
    m: float = 0.0  # mean cosine of two neighbours of a node
    neighbor_r2: float = 0.0  # R² of a row from the mean of its neighbours; measured where `own` is nothing


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
    own, gain, h, m = evidence.own, evidence.gain, evidence.h, evidence.m
    is_apart = m > rule.least_agreement and m > rule.monophily * h
    around = "neighbors" if is_apart else "smoothed"
    agreement = {"cosine with neighbours": h, "cosine among neighbours": m}
    if own < rule.least_own:
        weights = _weights(evidence.neighbor_r2, around, rule.even_neighbor_r2, rule)
        weights[around] = max(weights.get(around, 0.0), rule.least_smoothed)
        return _choice(weights, "neighbours alone", {"R2 from neighbours": max(evidence.neighbor_r2, 0.0), **agreement})
    weights = _weights(gain / own, around, rule.even_gain, rule)
    both = own + max(gain, 0.0) * (1 - own)
    return _choice(weights, "neighbours", {"R2": own, "R2 with neighbours": both, **agreement})


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
    generator = torch.Generator().manual_seed(0)  # which columns go together must not depend on a seed of the user's
    order = _by_name(graph)

    def directions(n_halvings: int) -> list[Tensor]:
        return _directions_of_halves(
            product,
            graph.n_features,
            n_directions,
            n_halvings,
            generator,
            engine.device,
            order,
            n_iterations=cost.n_iterations,
            effective_rank=constants.spectrum.effective_rank,
        )

    n_numbers = int(engine.total(n_stored_of)) if graph.has_sparse_features else graph.n_nodes * graph.n_features

    def measure() -> dict[str, float]:
        n_halvings = cost.n_halvings if n_numbers < cost.many_entries else 1
        n_first, some = min(cost.first_halvings, n_halvings), sample_of(graph, nodes, cost.first_nodes)
        first = [engine.multiply([rows], W) for W in directions(n_first)]
        h, m = _agreement(first[0], engine, cost.n_neighborhoods, cost.n_neighbors)
        own, gain, both = _mean_gain(first, some, n_directions, engine, rule.ridge)
        found = ChannelEvidence(own, gain, h, m)
        if (n_halvings > n_first or len(some) < len(nodes)) and not _is_clear(found, rule):
            halvings = first
            if n_left := n_halvings - n_first:
                halvings = [*first, *(engine.multiply([rows], W) for W in directions(n_left))]
            own, gain, both = _mean_gain(halvings, nodes, n_directions, engine, rule.ridge)
            some = nodes
        neighbor_r2 = _neighbor_r_squared(engine, both, some, rule.ridge) if own < rule.least_own else 0.0
        return {"own": own, "gain": gain, "h": h, "m": m, "neighbor_r2": neighbor_r2}

    return ChannelEvidence(**engine.checkpoint(f"channels-{weighting.name}", measure))


def _is_clear(evidence: ChannelEvidence, rule: ChannelRule) -> bool:
    """Whether the evidence leaves one channel: more of it would not change that."""
    return evidence.own >= rule.least_own and len(choose_by(evidence, rule).weights) == 1


def _mean_gain(
    halvings: Sequence[Any], nodes: NDArray[np.int64], n_directions: int, engine: Engine[Any], ridge: float
) -> tuple[float, float, Tensor]:
    """Own and gain on some nodes, their mean over the halvings X; and the rows of the last, (m, 4k): X beside P·X."""
    found = []
    for X in halvings:
        around = engine.smooth(X, power(1), lazily=True)  # the hop may be taken for these nodes alone
        both = torch.cat([engine.take(X, nodes), engine.take(around, nodes)], dim=1)
        found.append(_gain(scatter(both).cpu().numpy(), n_directions, len(nodes), ridge))
    own, gain = (float(value) for value in np.mean(found, axis=0))
    return own, gain, both


def _weights(g: float, around: str, even: float, rule: ChannelRule) -> dict[str, float]:
    """Own (g₀/g)^q to 1, the heavier one 1; two digits, so that rounding in another order of nodes changes nothing."""
    ratio = (even / g) ** rule.steepness if g > 1e-3 * even else np.inf
    if ratio < rule.least_weight:
        return {around: 1.0}
    if ratio > 1 / rule.least_weight:
        return {"own": 1.0}
    return {"own": round(min(1.0, ratio), 2), around: round(min(1.0, 1 / ratio), 2)}


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
    if n_halvings == 0:
        return []
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


def _gain(M: Array, n_directions: int, n_nodes: int, ridge: float) -> tuple[float, float]:
    """R² of a half from the other, and what the neighbourhood's mean adds to it; the means of both directions."""
    k = n_directions
    first, second, around_first, around_second = (np.arange(start, start + k) for start in range(0, 4 * k, k))
    found = []
    for a, b, around in ((first, second, around_first), (second, first, around_second)):
        both = np.concatenate([a, around])
        found.append((_r_squared(M, a, b, n_nodes, ridge), _r_squared(M, both, b, n_nodes, ridge)))
    own, with_neighbors = np.mean(found, axis=0)
    return float(own), float((with_neighbors - own) / max(1 - own, 1e-12))


def _neighbor_r_squared(engine: Engine[Any], both: Tensor, nodes: NDArray[np.int64], ridge: float) -> float:
    """R² of the rows X from the means over their neighbours, the row left out of its own: d̃·PX = X + d·(the mean)."""
    degrees = torch.from_numpy(degrees_at(engine, nodes)).to(both.device).float().clamp(min=1e-3)[:, None]
    X, smoothed = both.chunk(2, dim=1)
    M = scatter(torch.cat([X, smoothed + (smoothed - X) / degrees], dim=1)).cpu().numpy()
    columns = np.arange(X.shape[1])
    return _r_squared(M, columns + len(columns), columns, len(nodes), ridge)


def _r_squared(M: Array, predictors: NDArray[np.int64], targets: NDArray[np.int64], n_nodes: int, ridge: float) -> float:
    """R² of a ridge regression, by generalised cross-validation: 1 − residual/total·(n/(n − degrees of freedom))²."""
    inner, cross = M[np.ix_(predictors, predictors)], M[np.ix_(predictors, targets)]
    total, spread = float(M[targets, targets].sum()), float(np.trace(inner))
    if total <= 0 or spread <= 0:
        return 0.0
    ridged = inner + ridge * spread / len(inner) * np.eye(len(inner))
    W = np.linalg.solve(ridged, cross)
    residual = total - 2 * float((W * cross).sum()) + float((W * (inner @ W)).sum())
    freedom = float(np.trace(np.linalg.solve(ridged, inner)))
    return 1 - residual / total * (n_nodes / max(n_nodes - freedom, 1.0)) ** 2


def _agreement(X: Any, engine: Engine[Any], n_neighborhoods: int, n_neighbors: int) -> tuple[float, float]:
    """h and m, over a sample of nodes that have two neighbours at least; zeros where there is none."""
    members, sizes = sample_neighbourhoods(engine, n_neighborhoods, n_neighbors)
    if len(sizes) == 0:
        return 0.0, 0.0
    nodes, ends = np.unique(members, return_inverse=True)
    taken = engine.take(X, nodes)
    unit = torch.nn.functional.normalize(taken - taken.mean(dim=0))[as_tensor(ends, taken.device)]
    n_around = as_tensor(sizes, taken.device)
    firsts = n_around.add(1).cumsum(0) - n_around - 1  # of the groups: a node, then its neighbours
    own = unit[firsts]
    sums = torch.segment_reduce(unit, "sum", lengths=n_around + 1, axis=0) - own
    lengths = unit.square().sum(dim=1)
    squares = torch.segment_reduce(lengths, "sum", lengths=n_around + 1) - lengths[firsts]
    with_node = (own * sums).sum(dim=1) / n_around
    among = (sums.square().sum(dim=1) - squares) / (n_around * (n_around - 1))
    h, m = torch.stack([with_node, among]).double().mean(dim=1).tolist()
    return h, m

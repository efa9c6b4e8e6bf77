"""Channels: what a node has by itself and what it has by its neighbours, each embedded by itself, side by side.

    own          F                       the node's own row
    smoothed     Σ c_k P^k F             the model's filter: its neighbourhood, and the row itself
    neighbors    P² F                    its neighbourhood two hops deep; the own row is not added back
    difference   F − P F                 its difference from its neighbourhood
    structure    log-proximity           its place in the graph, without any features (`features.places`)
    roles        counts around it        degrees, triangles, …, without any features (`features.roles`)
    roles_1      P · roles               their mean around the node …
    roles_2      P² · roles              … and two hops deep

    Z = [w₁·Z₁ … w_k·Z_k],   every Z_c scaled to one length (root mean square)

The heaviest channel keeps the length that its own closed form gave it, at which a logistic regression works untuned. Columns
that hold next to nothing of the variance of the whole are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from sparsecut.base.errors import InputError, check_real, parameter_error
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.filters import Difference, Filter, Paired, Power

FeaturesWord = Literal["auto", "given", "structure", "both"]
FEATURES: tuple[FeaturesWord, ...] = ("auto", "given", "structure", "both")
ChannelName = Literal["own", "smoothed", "neighbors", "difference", "structure", "roles"]
CHANNELS: tuple[ChannelName, ...] = ("own", "smoothed", "neighbors", "difference", "structure", "roles")
HOPS = {"neighbors": 2, "structure": 2, "roles_1": 1, "roles_2": 2}  # the others take none, or are filtered


@dataclass(frozen=True)
class ChannelPart:
    """One channel as it was solved: its weights at their own length, and the scatter of its embedding."""

    projection: Projection
    scatter: Tensor  # (d, d), float64
    weight: float  # its length beside those of the others

    @property
    def length(self) -> float:
        """Root mean square of the rows, times √n."""
        return math.sqrt(max(float(self.scatter.trace()), 0.0))


def channel_filter(name: str, filter: Filter, *, has_sides: bool = False, is_either_way: bool = False) -> Filter:
    """The filter of a channel; `filter` is the model's.

    Two hops of a graph with two sides lead back to a node's own side: structure takes two and three there. It takes
    none where places are averaged along signed edges whichever way they point: friends of friends may be enemies.
    """
    if name == "smoothed":
        return filter
    if name == "structure" and has_sides:
        return Paired()
    if name == "structure" and is_either_way:
        return Power(order=0)
    return Difference() if name == "difference" else Power(order=HOPS.get(name, 0))


def with_hops(weights: Mapping[str, float]) -> dict[str, float]:
    """The channels with roles as three: at the node, and their means one and two hops deep; together as heavy as the one."""
    found = {name: weight for name, weight in weights.items() if name != "roles"}
    if "roles" in weights:
        found |= dict.fromkeys(("roles", "roles_1", "roles_2"), weights["roles"] / math.sqrt(3))
    return found


def check_channels(caller: str, channels: Any) -> dict[str, float] | None:
    """The weight of every requested channel; None for "auto"."""
    if isinstance(channels, str) and channels == "auto":
        return None
    if isinstance(channels, str):
        channels = (channels,)
    rule = f"'auto', one or several of {', '.join(map(repr, CHANNELS))}, or a dictionary of their weights"
    try:
        weights = dict(channels) if isinstance(channels, Mapping) else dict.fromkeys(channels, 1.0)
        is_repeated = len(weights) < len(channels)
    except TypeError:
        raise parameter_error(caller, "channels", rule, channels) from None
    if not weights or is_repeated or any(name not in CHANNELS for name in weights):
        raise parameter_error(caller, "channels", rule, channels)
    return {name: check_real(caller, f"channels[{name!r}]", weight, above=0) for name, weight in weights.items()}


def side_by_side(
    parts: Sequence[ChannelPart], dimension: int | None, kept_share: float = CONSTANTS.spectrum.kept_share
) -> Projection:
    """The projection to all channels at once. `dimension` None keeps the columns that hold `kept_share` of the variance."""
    lead = max(parts, key=lambda part: part.weight)
    base = lead.length if lead.length > 0 else 1.0
    factors = [base * part.weight / (lead.weight * part.length) if part.length > 0 else 1.0 for part in parts]
    kept = _kept_columns(
        [part.scatter.diagonal() * factor**2 for part, factor in zip(parts, factors, strict=True)], dimension, kept_share
    )
    offsets = [
        _offset(part.projection)[..., columns] * factor for part, factor, columns in zip(parts, factors, kept, strict=True)
    ]
    offset = _joined(offsets) if any(part.projection.offset is not None for part in parts) else None
    weights = [
        [matrix[:, columns] * factor for matrix in part.projection.weights]
        for part, factor, columns in zip(parts, factors, kept, strict=True)
    ]
    if all(len(matrices) == 1 for matrices in weights):
        return Projection(tuple(matrices[0] for matrices in weights), "concat", offset)
    return Projection(tuple(_padded(weights)), "mean", offset)


def describe(weights: Mapping[str, float]) -> str:
    """The channels in words: "own × 0.35 beside smoothed"."""
    most = max(weights.values())
    named = [name if weight == most else f"{name} × {weight / most:.2g}" for name, weight in weights.items()]
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} beside {named[-1]}"


def refuse_several(caller: str, solver: object) -> InputError:
    return InputError(
        f"{caller}: channels and features='both' put embeddings in closed form side by side, and {solver!r} trains one. "
        "Use solver='closed_form'."
    )


def _kept_columns(variances: Sequence[Tensor], dimension: int | None, kept_share: float) -> list[Tensor]:
    """The columns kept of each part, in order: one in any case, and those with the largest variances of all."""
    values, widths = torch.cat(list(variances)), [len(part) for part in variances]
    order = values.argsort(descending=True, stable=True)
    is_kept = torch.zeros(len(values), dtype=torch.bool, device=values.device)
    is_kept[[int(part.argmax()) + sum(widths[:number]) for number, part in enumerate(variances)]] = True
    if dimension is None:
        shares = values[order].clamp(min=0).cumsum(0)
        is_kept[order[: int((shares < kept_share * shares[-1]).sum()) + 1]] = True
    else:
        others = order[~is_kept[order] & (values[order] > 0)]
        is_kept[others[: max(dimension - int(is_kept.sum()), 0)]] = True
    return [mask.nonzero()[:, 0] for mask in torch.split(is_kept, widths)]


def _offset(projection: Projection) -> Tensor:
    if projection.offset is not None:
        return projection.offset
    return torch.zeros(projection.dimension, device=projection.weights[0].device)


def _joined(offsets: Sequence[Tensor]) -> Tensor:
    """Offsets side by side; where one of them has a row for each type, the others are the same for all types."""
    n_rows = max((len(offset) for offset in offsets if offset.ndim == 2), default=0)
    parts = [offset.expand(n_rows, -1) if n_rows and offset.ndim == 1 else offset for offset in offsets]
    return torch.cat(parts, dim=-1)


def _padded(weights: Sequence[Sequence[Tensor]]) -> list[Tensor]:
    """Levels averaged within their part as levels averaged over all: each fills the columns of its own part."""
    n_levels = sum(len(matrices) for matrices in weights)
    widths = [matrices[0].shape[1] for matrices in weights]
    padded = []
    for number, matrices in enumerate(weights):
        around = (sum(widths[:number]), sum(widths[number + 1 :]))
        padded += [torch.nn.functional.pad(matrix, around) * (n_levels / len(matrices)) for matrix in matrices]
    return padded

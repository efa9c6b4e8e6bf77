"""The order in which a GPU goes through the rows of a graph. No sum depends on it, only the time of a hop.

A hop reads one row per entry of the graph, and what many rows read at about the same time comes from the second-level cache.
Rows with most neighbours go first, so that none is left to finish alone. Where the rows of a panel do not fit in the cache,
nodes that have neighbours in common then follow one another: nodes whose rows are alike after a few hops, for such rows are
means over the same nodes. A few steps of spherical k-means on a sample find the groups, one product finds the group of every
node. It costs as much as a small part of a hop and is done once, when three hops have been taken: usually more follow, while
the paper's filter takes two.
"""

from __future__ import annotations

import torch
from torch import Tensor

from sparsecut.kernels.products import blocks

N_HOPS_BEFORE = 3
N_GROUPS = 64
N_STEPS = 4  # of k-means
N_SAMPLED = 32_768  # rows that the groups are found from
HEAVY = 16.0  # times the mean number of neighbours: rows with more still go first
ROW_BLOCK = 1 << 21  # rows whose group is found at a time


class Schedule:
    """Every row once, in the order to go; `offsets` are those of the graph's entries."""

    def __init__(self, offsets: Tensor) -> None:
        self._offsets = offsets
        self._n_hops = 0
        self.order = offsets.diff().argsort(descending=True).int()

    def count_hop(self, result: Tensor, panel_bytes: int) -> None:
        """To be called with what each hop leaves: after a few hops the order follows from it."""
        self._n_hops += 1
        if self._n_hops != N_HOPS_BEFORE:
            return
        n_bytes, cached = len(result) * panel_bytes, torch.cuda.get_device_properties(result.device).L2_cache_size
        if n_bytes > cached >= n_bytes / N_GROUPS:  # all rows do not fit, those of one group do
            self.order = together(self.order, self._offsets.diff(), groups_of(result))


def together(order: Tensor, counts: Tensor, groups: Tensor) -> Tensor:
    """The rows of an order group by group, (n,) int32, each group as it was; those with very many neighbours stay first."""
    group = torch.where(counts > HEAVY * counts.float().mean(), 0, groups + 1).to(torch.uint8)[order]
    return order[group.argsort(stable=True)]


def groups_of(rows: Tensor, n_groups: int = N_GROUPS) -> Tensor:
    """The group of each row, 0 … n_groups − 1: that of the nearest of a few directions from the mean."""
    sample = rows[:: -(-len(rows) // N_SAMPLED)].float()
    mean = sample.mean(dim=0)
    sample = torch.nn.functional.normalize(sample - mean)
    centres = sample[:: max(len(sample) // n_groups, 1)][:n_groups]
    for _ in range(N_STEPS):
        nearest = (sample @ centres.T).argmax(dim=1)
        sums = torch.nn.functional.one_hot(nearest, len(centres)).to(sample).T @ sample  # the same in every run
        centres = torch.nn.functional.normalize(sums)
    groups = torch.empty(len(rows), dtype=torch.uint8, device=rows.device)
    for block in blocks(len(rows), ROW_BLOCK):
        groups[block] = torch.addmm(-(centres @ mean), rows[block].float(), centres.T).argmax(dim=1)
    return groups

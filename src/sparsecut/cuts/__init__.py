"""Cuts: the sparsest one, thresholds along a vector, k parts, a hierarchy.

The room is not called `partition`, after its best-known function: importing a package binds its name in its parent, and
`sparsecut.partition` is the function.
"""

from sparsecut.cuts.cut import SparsestCut, sparsest_cut
from sparsecut.cuts.kway import Partition, partition
from sparsecut.cuts.sweep import SweepCut, sweep_cut
from sparsecut.cuts.tree import Hierarchy, dasgupta_cost, hierarchy

__all__ = [
    "Hierarchy",
    "Partition",
    "SparsestCut",
    "SweepCut",
    "dasgupta_cost",
    "hierarchy",
    "partition",
    "sparsest_cut",
    "sweep_cut",
]

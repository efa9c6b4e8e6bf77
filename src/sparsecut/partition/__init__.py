"""Cuts: the sparsest one, thresholds along a vector, k parts, a hierarchy.

`sparsecut.partition` is this package and also the function that makes k parts: Python binds a package's name in its parent
whenever it is imported, so a function of that name would be hidden by it. Calling the package calls the function.
"""

import inspect
import sys
from types import ModuleType
from typing import Any

from sparsecut.partition.cut import SparsestCut, sparsest_cut
from sparsecut.partition.kway import Partition, partition
from sparsecut.partition.sweep import SweepCut, sweep_cut
from sparsecut.partition.tree import Hierarchy, dasgupta_cost, hierarchy

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


class _CallablePackage(ModuleType):
    __signature__ = inspect.signature(partition)

    def __call__(self, *arguments: Any, **options: Any) -> Partition:
        return partition(*arguments, **options)


_CallablePackage.__call__.__doc__ = partition.__doc__
sys.modules[__name__].__class__ = _CallablePackage

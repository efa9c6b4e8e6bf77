"""The methods to compare with, under the estimators' contract: a graph in, one vector per node out, or one label.

`methods` lists every method by name, SCE and MoSCE among them; the classes of this package follow from it and are imported
when first used.
"""

from __future__ import annotations

from sparsecut.base.lazy_names import lazy_names
from sparsecut.lab.baselines.methods import METHODS

_HOMES = {
    name: module
    for module, _, name in (method.home.partition(":") for method in METHODS.values())
    if module.startswith(__name__)
}

__all__ = list(_HOMES)

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

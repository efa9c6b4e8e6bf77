"""What `transform` returns: a numpy array, or a frame of pandas or polars where scikit-learn's `set_output` asks for one.

Rows of a pandas frame have the nodes' ids for their index, columns the names of `get_feature_names_out`. As everywhere in
scikit-learn, `model.set_output(transform="pandas")` goes before `sklearn.set_config(transform_output="pandas")`. Neither
scikit-learn nor a library of frames is imported before one of them is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from sparsecut.base.errors import check_choice, import_extra

CONTAINERS = ("default", "pandas", "polars")
METHODS = ("transform", "fit_transform")


def contained(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that returns an array so that it returns the container chosen by `set_output`."""

    @wraps(method)
    def run(self: Any, data: Any, *args: Any, **options: Any) -> Any:
        result = method(self, data, *args, **options)
        kind = container_of(self)
        return result if kind == "default" or not isinstance(result, np.ndarray) else _frame(kind, result, self, data)

    return run


def container_of(model: Any) -> str:
    """The container chosen for an estimator, or for all of scikit-learn's."""
    own = getattr(model, "_sklearn_output_config", {}).get("transform")
    if own is not None:
        return str(own)
    sklearn = sys.modules.get("sklearn")
    return "default" if sklearn is None else str(sklearn.get_config()["transform_output"])


def choose_container(model: Any, kind: str | None) -> None:
    """Keep the chosen container under scikit-learn's own name, so that `clone` takes it along."""
    if kind is None:
        return
    check_choice(f"{type(model).__name__}.set_output", "transform", kind, CONTAINERS)
    model._sklearn_output_config = {"transform": kind}


def _frame(kind: str, Z: Any, model: Any, data: Any) -> Any:
    library = import_extra(kind, caller=f"set_output(transform={kind!r})", extra=kind)
    names = list(model.get_feature_names_out())
    if kind == "polars":
        return library.DataFrame(np.asarray(Z), schema=names, orient="row")
    index = getattr(data, "node_ids", None)
    if index is None and isinstance(data, library.DataFrame | library.Series):
        index = data.index
    return library.DataFrame(np.asarray(Z), columns=names, index=index)

"""The rows and columns of the paper's tables: which registered method a row is, and what keeps a cell from being run."""

from __future__ import annotations

import inspect
import json
from functools import lru_cache, partial
from typing import Any

from sparsecut import datasets
from sparsecut.base.choice import Choice
from sparsecut.base.progress import Reporter
from sparsecut.graph import Graph
from sparsecut.lab.baselines import methods
from sparsecut.lab.paper.experiments import read_experiment

NOT_REGISTERED = "not in this version"


def registered(row: str) -> methods.Method | None:
    """The method of a row, by its name in the paper: case and hyphens do not count. None where there is none yet."""
    row = _variants().get(row, {"of": row})["of"]
    name = _plain(read_experiment("inductive")["methods"].get(row, row))
    return next((methods.find_method(known) for known in methods.names() if _plain(known) == name), None)


def make_model(row: str, dataset: str, seed: int, **overrides: Any) -> Any:
    """The estimator of a row with the paper's settings for a dataset, where it has some. It may leave out an override."""
    method = registered(row)
    assert method is not None
    paper = dataset if hasattr(method.estimator_class(), "paper") else None
    varied = _variants().get(row, {"settings": {}})["settings"]
    return method.make({}, offered={"random_state": seed, **varied, **overrides}, paper=paper)


def settings_of(model: Any) -> dict[str, Any]:
    """What the estimator was made with, less the seed, as JSON gives it back: "solver": "adam", "solver__epochs": 20."""
    parameters = model.get_params() if hasattr(model, "get_params") else {}
    parameters.pop("random_state", None)
    words = {name: value.name if isinstance(value, Choice) else value for name, value in parameters.items()}
    return dict(json.loads(json.dumps(words, default=str)))


def code_of(dataset: str | None, *parts: Any) -> list[str]:
    """The modules that a figure starts from: of estimators, of functions that score them, of what reads a dataset."""
    if dataset is not None:
        reader: Any = datasets.find_dataset(dataset).read
        parts = (*parts, reader.func if isinstance(reader, partial) else reader)
    return [part.__module__ for part in parts]


def missing(dataset: str, *, is_fetched: bool = True, needs_features: bool = True) -> str | None:
    """Why a dataset cannot be run here. Absent files that can be fetched are no reason, unless they are not to be."""
    if datasets.locate(datasets.find_dataset(dataset)) is None:
        return None if is_fetched else "its files are not at hand"
    return None if not needs_features or datasets.brings_features(dataset) else "its features are not at hand"


@lru_cache(maxsize=1)
def load_graph(name: str) -> Graph:
    """A named graph. The last one is kept, since rows are run graph by graph."""
    return datasets.load(name)


def fit(model: Any, graph: Graph, report: Reporter) -> Any:
    """`fit`, with our progress where the method reports any."""
    return with_progress(model.fit, report, graph)


def with_progress(call: Any, report: Reporter, *arguments: Any) -> Any:
    """A call, with our progress where it reports any."""
    return call(*arguments, progress=report) if takes(call, "progress") else call(*arguments)


def takes(function: Any, parameter: str) -> bool:
    return parameter in inspect.signature(function).parameters


def _variants() -> dict[str, Any]:
    """Rows of ours beside the paper's: the row they vary, and what is set otherwise."""
    variants: dict[str, Any] = read_experiment("table1")["variants"]
    return variants


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")

"""Every method by name: what `sparsecut embed --method` and `sparsecut compare --methods` know.

    methods.register(methods.Method("mine", "what it does in a few words", "my_package.my_module:MyEstimator"))

A method is a class under the estimators' contract: keyword arguments, and `fit_transform(graph)`; for one that learns from
labels `fit_predict(graph, split)`. It is imported when it is asked for, so a long list costs nothing.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsecut.errors import InputError


@dataclass(frozen=True)
class Method:
    """`home` is "module:class". `words` maps an option's common name to the class's own where they differ.

    A method that `is_supervised` predicts labels from labels, and embeds nothing.
    """

    name: str
    about: str
    home: str
    words: Mapping[str, str] = field(default_factory=dict)
    is_supervised: bool = False

    def load(self) -> Any:
        """The class itself."""
        module, _, name = self.home.partition(":")
        return getattr(importlib.import_module(module), name)

    def make(self, asked: Mapping[str, Any], offered: Mapping[str, Any] | None = None, paper: str | None = None) -> Any:
        """An estimator. What is `asked` for must be one of its options; what is `offered` it may leave; None is neither.

        `paper` takes the paper's settings for that dataset as the defaults.
        """
        estimator = self.load()
        accepted = set(inspect.signature(estimator).parameters)
        parameters = {self.words.get(name, name): value for name, value in (offered or {}).items() if value is not None}
        parameters = {name: value for name, value in parameters.items() if name in accepted}
        for name, value in asked.items():
            if value is None:
                continue
            if self.words.get(name, name) not in accepted:
                raise InputError(f"The method {self.name} has no {name} to set. Leave --{name} out.")
            parameters[self.words.get(name, name)] = value
        if paper is None:
            return estimator(**parameters)
        if not hasattr(estimator, "paper"):
            raise InputError(f"The method {self.name} has no settings in the paper. Leave --paper out.")
        return estimator.paper(paper, **parameters)


METHODS: dict[str, Method] = {}


def register(method: Method) -> None:
    """Make a method known by its name; a second one of the same name takes its place."""
    METHODS[method.name] = method


def names(*, is_supervised: bool | None = None) -> tuple[str, ...]:
    """All names, or those of the methods that embed (False) or predict labels (True)."""
    return tuple(name for name, method in METHODS.items() if is_supervised in (None, method.is_supervised))


def find_method(name: str) -> Method:
    if name not in METHODS:
        raise InputError(f"There is no method {name!r}. There are: {', '.join(METHODS)}.")
    return METHODS[name]


register(Method("sce", "sparsest cut embedding", "sparsecut.estimators:SCE"))
register(Method("mosce", "SCE of several smoothing orders", "sparsecut.estimators:MoSCE", words={"order": "levels"}))
register(Method("raw", "the features as they are", "sparsecut.baselines:RawFeatures"))
register(Method("smoothed", "the features after the filter alone", "sparsecut.baselines:SmoothedFeatures"))
register(Method("g2g", "Graph2Gauss: Gaussians ranked by distance in the graph", "sparsecut.baselines:Graph2Gauss"))
register(
    Method(
        "graphsage-gcn", "GraphSAGE without labels, mean of a node and its neighbours", "sparsecut.baselines:GraphSAGEGCN"
    )
)
register(Method("graphsage-mean", "GraphSAGE without labels, mean of the neighbours", "sparsecut.baselines:GraphSAGEMean"))
register(Method("graphsage-lstm", "GraphSAGE without labels, LSTM over the neighbours", "sparsecut.baselines:GraphSAGELSTM"))
register(
    Method(
        "graphsage-pool",
        "GraphSAGE without labels, largest of the neighbours' messages",
        "sparsecut.baselines:GraphSAGEPool",
    )
)
register(Method("gcn", "graph convolutional network", "sparsecut.baselines:GCN", is_supervised=True))
register(Method("sgc", "logistic regression on smoothed features", "sparsecut.baselines:SGC", is_supervised=True))
register(Method("gat", "graph attention network", "sparsecut.baselines:GAT", is_supervised=True))
register(Method("mixhop", "network over several powers of the graph", "sparsecut.baselines:MixHop", is_supervised=True))
register(Method("dgi", "Deep Graph Infomax", "sparsecut.baselines:DGI"))
register(Method("gcn-unsup", "a GCN trained on neighbours without labels", "sparsecut.baselines:UnsupervisedGCN"))

"""Every method by name: what `sparsecut embed --method` and `sparsecut compare --methods` know.

    methods.register(methods.Method("mine", "what it does in a few words", "my_package.my_module:MyEstimator"))

A method is a class under the estimators' contract: keyword arguments, and `fit_transform(graph)`; for one that learns from
labels `fit_predict(graph, split)`. It is imported when it is first used, so a long list costs nothing. A new method of this
package is a file with its class and a line at the end of this one: commands, `compare` and the package itself have it then.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparsecut.base.errors import InputError, did_you_mean


@dataclass(frozen=True)
class Method:
    """A method by name.

    Parameters
    ----------
    name : str
        As in `sparsecut embed --method NAME`.
    about : str
        What it does, in a few words.
    home : str
        "module:class". The class takes keyword arguments and has `fit_transform(graph)`, or `fit_predict(graph, split)`
        where it learns from labels. It is imported when it is first used.
    words : mapping, optional
        An option's common name to the class's own where they differ. A name such as "engine__device" is that of a parameter
        of the object that the parameter `engine` holds.
    is_supervised : bool, default=False
        Whether it predicts labels from labels, and embeds nothing.

    Examples
    --------
    >>> from sparsecut.lab.baselines import methods
    >>> model = methods.find_method("pca").make({"dimension": 8})
    >>> type(model).__name__, model.dimension
    ('SmoothedPCA', 8)
    """

    name: str
    about: str
    home: str
    words: Mapping[str, str] = field(default_factory=dict)
    is_supervised: bool = False

    def estimator_class(self) -> Any:
        """The class itself, imported now."""
        module, _, name = self.home.partition(":")
        return getattr(importlib.import_module(module), name)

    def make(self, requested: Mapping[str, Any], offered: Mapping[str, Any] | None = None, paper: str | None = None) -> Any:
        """An estimator of the method.

        Parameters
        ----------
        requested : mapping
            Options that the method must have; those that are None are ignored.
        offered : mapping, optional
            Options that are ignored where the method has none of that name.
        paper : str, optional
            A dataset whose settings in the paper are taken as the defaults.

        Returns
        -------
        estimator

        Raises
        ------
        InputError
            Where the method has no such option, or no settings in the paper.
        """
        estimator = self.estimator_class()
        accepted = set(inspect.signature(estimator).parameters)
        given = {self.words.get(name, name): value for name, value in (offered or {}).items() if value is not None}
        given = {name: value for name, value in given.items() if name.partition("__")[0] in accepted}
        for name, value in requested.items():
            if value is None:
                continue
            if self.words.get(name, name).partition("__")[0] not in accepted:
                raise self._nothing_to_set(name)
            given[self.words.get(name, name)] = value
        plain = {name: value for name, value in given.items() if "__" not in name}
        if paper is not None and not hasattr(estimator, "paper"):
            raise InputError(f"The method {self.name} has no settings in the paper. Leave --paper out.")
        model = estimator(**plain) if paper is None else estimator.paper(paper, **plain)
        within = {name: value for name, value in given.items() if "__" in name}
        known = set(model.get_params()) if within else set()
        for name in requested:
            if requested[name] is not None and self.words.get(name, name) in within.keys() - known:
                raise self._nothing_to_set(name)
        return model.set_params(**{name: value for name, value in within.items() if name in known}) if within else model

    def _nothing_to_set(self, name: str) -> InputError:
        option = name.replace("_", "-")
        return InputError(f"The method {self.name} has no {name} to set. Leave --{option} out.")


METHODS: dict[str, Method] = {}


def register(method: Method) -> None:
    """Make a method known by its name; a second one of the same name takes its place.

    Every command and `sparsecut.compare` then know it.

    Parameters
    ----------
    method : Method
        Its name, what it does and where its class is.

    Examples
    --------
    >>> from sparsecut.lab.baselines import methods
    >>> methods.register(methods.Method("mine", "principal components", "sparsecut.lab.baselines:SmoothedPCA"))
    >>> "mine" in methods.names()
    True
    >>> _ = methods.METHODS.pop("mine")  # and forgotten again
    """
    METHODS[method.name] = method


def names(*, is_supervised: bool | None = None) -> tuple[str, ...]:
    """The names of the registered methods.

    Parameters
    ----------
    is_supervised : bool, optional
        False for those that embed, True for those that predict labels. [default: all]

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from sparsecut.lab.baselines import methods
    >>> methods.names(is_supervised=True)
    ('gcn', 'sgc', 'gat', 'mixhop')
    """
    return tuple(name for name, method in METHODS.items() if is_supervised in (None, method.is_supervised))


def find_method(name: str) -> Method:
    """The method of a name; an `InputError` lists the names where there is none."""
    if name not in METHODS:
        raise InputError(f"There is no method {name!r}. There are: {', '.join(METHODS)}.{did_you_mean(name, METHODS)}")
    return METHODS[name]


_WITHIN = {
    "use": "features",
    **{name: f"solver__{name}" for name in ("epochs", "learning_rate", "loss", "alpha", "l2", "depth", "batch_size")},
    **{name: f"engine__{name}" for name in ("device", "precision", "memory_limit", "scratch")},
}
_FILTER = {"order": "filter__order"}

register(Method("sce", "sparsest cut embedding", "sparsecut.model.sce:SCE", {**_WITHIN, **_FILTER}))
register(Method("mosce", "SCE of several smoothing orders", "sparsecut.model.mosce:MoSCE", {**_WITHIN, "order": "levels"}))
for _name, _about, _home, _words in (
    ("raw", "the features as they are", "untrained:RawFeatures", {}),
    ("smoothed", "the features after the filter alone", "untrained:SmoothedFeatures", _FILTER),
    ("pca", "principal components of the smoothed features", "pca:SmoothedPCA", _FILTER),
    ("deepwalk", "random walks, skip-gram", "deepwalk:DeepWalk", {}),
    ("deepwalk-and-features", "DeepWalk beside the features", "deepwalk:DeepWalkFeatures", {}),
    ("node2vec", "walks of second order, skip-gram", "deepwalk:Node2Vec", {}),
    ("line", "first and second order proximity", "line:LINE", {}),
    ("gcn-unsup", "a GCN trained on neighbours without labels", "gcn_unsup:UnsupervisedGCN", {}),
    ("graphsage-gcn", "GraphSAGE without labels, mean of a node and its neighbours", "graphsage:GraphSAGEGCN", {}),
    ("graphsage-mean", "GraphSAGE without labels, mean of the neighbours", "graphsage:GraphSAGEMean", {}),
    ("graphsage-lstm", "GraphSAGE without labels, LSTM over the neighbours", "graphsage:GraphSAGELSTM", {}),
    ("graphsage-pool", "GraphSAGE without labels, largest of the neighbours' messages", "graphsage:GraphSAGEPool", {}),
    ("g2g", "Graph2Gauss: Gaussians ranked by distance in the graph", "graph2gauss:Graph2Gauss", {}),
    ("dgi", "Deep Graph Infomax", "dgi:DGI", {}),
    ("gcn", "graph convolutional network", "supervised.gcn:GCN", {}),
    ("sgc", "logistic regression on smoothed features", "supervised.sgc:SGC", {}),
    ("gat", "graph attention network", "supervised.gat:GAT", {}),
    ("mixhop", "network over several powers of the graph", "supervised.mixhop:MixHop", {}),
):
    register(Method(_name, _about, f"sparsecut.lab.baselines.{_home}", _words, _home.startswith("supervised.")))

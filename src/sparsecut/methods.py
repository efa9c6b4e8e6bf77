"""Every method by name: what `sparsecut embed --method` and `sparsecut compare --methods` know.

    methods.register(methods.Method("mine", "what it does in a few words", "my_package.my_module:MyEstimator"))

A method is a class under the estimators' contract: keyword arguments, and `fit_transform(graph)`. It is imported when it is
asked for, so a long list costs nothing.
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
    """`home` is "module:class". `words` maps an option's common name to the class's own where they differ."""

    name: str
    about: str
    home: str
    words: Mapping[str, str] = field(default_factory=dict)

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


def names() -> tuple[str, ...]:
    return tuple(METHODS)


def find_method(name: str) -> Method:
    if name not in METHODS:
        raise InputError(f"There is no method {name!r}. There are: {', '.join(METHODS)}.")
    return METHODS[name]


register(Method("sce", "sparsest cut embedding", "sparsecut.estimators:SCE"))
register(Method("mosce", "SCE of several smoothing orders", "sparsecut.estimators:MoSCE", words={"order": "levels"}))
register(Method("raw", "the features as they are", "sparsecut.baselines:RawFeatures"))
register(Method("smoothed", "the features after the filter alone", "sparsecut.baselines:SmoothedFeatures"))
register(Method("pca", "principal components of the smoothed features", "sparsecut.baselines:SmoothedPCA"))

"""The paper's settings of a method, from the TOML file beside its module: `sce.toml` beside `sce.py`.

[table1.sce.cora]           the experiment, the method, the dataset
filter.power.order = 2
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Protocol

from sparsecut.base.choice import Choice
from sparsecut.base.errors import InputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class Published(Protocol):
    """The class of a method of the paper's tables, known by its name among their settings."""

    paper_method: ClassVar[str]


def from_paper(cls: type[Any], /, dataset: str, **parameters: Any) -> Any:
    """The estimator with the settings of the paper's tables for one of their datasets.

    Parameters
    ----------
    dataset : str
        One that the paper has, such as "cora".
    **parameters
        Set on top of them, as by `set_params`: `random_state=1`, `solver__epochs=50`.

    Returns
    -------
    estimator
        Not fitted.
    """
    settings = {
        name: read_choice(cls.kinds[name], value) if isinstance(value, dict) else value
        for name, value in paper_settings(cls, dataset).items()
    }
    return cls(**settings).set_params(**parameters)


def read_choice(kind: type[Choice], value: dict[str, Any]) -> Choice:
    """A choice as the files have it: {word: {parameter: value}}."""
    ((word, parameters),) = value.items()
    return type(kind.of(word, "paper", kind.__name__))(**parameters)


@cache
def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file, parsed once in a process: every model made with the paper's settings asks for it."""
    return dict(tomllib.loads(path.read_text("utf-8")))


def paper_settings(estimator: type[Published], dataset: str) -> dict[str, Any]:
    """The paper's settings of a method for a dataset."""
    settings = {name: given for by_dataset in published_settings(estimator).values() for name, given in by_dataset.items()}
    if dataset not in settings:
        raise InputError(f"The paper has no settings for {dataset!r}. It has them for {', '.join(sorted(settings))}.")
    return dict(settings[dataset])


def published_settings(estimator: type[Published]) -> dict[str, dict[str, dict[str, Any]]]:
    """The settings of a method by experiment and dataset. Read, not to be changed."""
    path = Path(str(sys.modules[estimator.__module__].__file__)).with_suffix(".toml")
    method = estimator.paper_method
    return {experiment: by_method[method] for experiment, by_method in read_toml(path).items() if method in by_method}

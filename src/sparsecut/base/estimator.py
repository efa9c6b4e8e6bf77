"""scikit-learn's contract, kept without importing scikit-learn, which would double the time that `import torch` takes.

`get_params` and `set_params` (`base.parameters`), `set_output` (`base.containers`) and the tags are what its
clone, pipelines and searches ask of an estimator. scikit-learn itself is imported only when one of them asks for a tag, and
by then it is there.

`dimension` has the other name `n_components`, scikit-learn's own: constructors and `set_params` take either, and
`get_params` has the one parameter that there is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.choice import Choice
from sparsecut.base.containers import METHODS, choose_container, contained
from sparsecut.base.errors import InputError
from sparsecut.base.notebook import facts_html, table_html
from sparsecut.base.parameters import call_of, get_params, parameters_of, set_params

Self = TypeVar("Self", bound="Estimator")

ALIASES: Mapping[str, str] = {"n_components": "dimension"}


class Estimator:
    kinds: ClassVar[dict[str, type[Choice]]] = {}
    """The parameters that hold a choice, an object or a word, and of which kind."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "dimension" in inspect.signature(cls.__init__).parameters and "__init__" in vars(cls):
            cls.__init__ = with_aliases(cls.__init__)  # type: ignore[method-assign]
        for name in METHODS:
            if name in vars(cls):
                setattr(cls, name, contained(vars(cls)[name]))

    get_params = get_params
    __repr__ = call_of

    def set_params(self: Self, **parameters: Any) -> Self:
        """Set some parameters, `name__parameter` for those of an object it holds; `fit` checks them.

        Parameters
        ----------
        **parameters
            Values by name; `n_components` is `dimension`.

        Returns
        -------
        object
            Itself.
        """
        return set_params(self, **_renamed(type(self), parameters))

    def set_output(self: Self, *, transform: str | None = None) -> Self:
        """Say what `transform` and `fit_transform` return, as scikit-learn's transformers do.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}, optional
            "default" is a numpy array. A pandas frame has the node ids as its index. None changes nothing.

        Returns
        -------
        object
            Itself.
        """
        choose_container(self, transform)
        return self

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """The names of the embedding's columns.

        Parameters
        ----------
        input_features : None
            Ignored: every feature goes into all columns.

        Returns
        -------
        numpy.ndarray of str
            The class's name in small letters and a number: sce0, sce1, …
        """
        n_columns = self._n_columns()
        return np.array([f"{type(self).__name__.lower()}{column}" for column in range(n_columns)], dtype=object)

    def _n_columns(self) -> int:
        embedding = getattr(self, "embedding_", None)
        if embedding is None:
            raise not_fitted(self, "There are no columns to name yet")
        return int(embedding.shape[1])

    @property
    def n_components(self) -> Any:
        """`dimension` by scikit-learn's name, where there is one."""
        if "dimension" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no dimension to set.")
        return vars(self)["dimension"]

    def _choice(self, name: str) -> Any:
        """The object of a parameter that holds a choice, checked."""
        return self.kinds[name].of(getattr(self, name), type(self).__name__, name)

    def _held(self, name: str) -> Any:
        value = getattr(self, name)
        is_word = name in self.kinds and self.kinds[name].is_word(value)
        return self._choice(name) if is_word else value

    def _repr_html_(self) -> str:
        """For a notebook: the parameters with their defaults and, once it is fitted, what came out and why."""
        values = parameters_of(type(self)).items()
        rows = [(name, repr(getattr(self, name)), _default(parameter)) for name, parameter in values]
        embedding, history, explain = (getattr(self, name, None) for name in ("embedding_", "history_", "explain"))
        facts: list[tuple[str, str]] = []
        if embedding is not None:
            facts.append(("embedding_", " × ".join(f"{size:,}" for size in embedding.shape)))
        if history is not None:
            facts.append(("seconds", f"{sum(history.stages.values()):.2f}"))
        notes = explain().splitlines() if history is not None and explain is not None else ()
        state = "not fitted" if embedding is None and history is None else "fitted"
        return facts_html(f"{type(self).__name__}, {state}", facts, notes) + (
            f"<details><summary>Parameters</summary>{table_html(('parameter', 'value', 'default'), rows)}</details>"
        )

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        is_transformer = hasattr(self, "fit_transform")
        return Tags(
            estimator_type="transformer" if is_transformer else None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags() if is_transformer else None,
            input_tags=InputTags(two_d_array=False),
        )


def not_fitted(model: object, remedy: str) -> Exception:
    """scikit-learn's own error for an estimator that has not learned yet."""
    from sklearn.exceptions import NotFittedError

    return NotFittedError(f"This {type(model).__name__} has not been fitted. {remedy}.")  # type: ignore[no-any-return]


def with_aliases(constructor: Callable[..., None]) -> Callable[..., None]:
    """A constructor that takes a parameter by its other name too."""

    @wraps(constructor)
    def construct(self: Any, *args: Any, **parameters: Any) -> None:
        constructor(self, *args, **_renamed(type(self), parameters))

    return construct


def _renamed(kind: type, parameters: dict[str, Any]) -> dict[str, Any]:
    for alias, name in ALIASES.items():
        if alias in parameters and name in parameters:
            raise InputError(f"{kind.__name__} takes {name} or {alias}, which is the same, not both.")
    return {ALIASES.get(name, name): value for name, value in parameters.items()}


def _default(parameter: inspect.Parameter) -> str:
    return "" if parameter.default is inspect.Parameter.empty else repr(parameter.default)

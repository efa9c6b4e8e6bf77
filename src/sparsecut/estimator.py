"""scikit-learn's contract, kept without importing scikit-learn, which would double the time that `import torch` takes.

The constructor's arguments are the parameters, stored untouched under their names. `get_params`, `set_params` and the tags
are what scikit-learn's clone, pipelines and searches ask of an estimator. scikit-learn itself is imported only when one of
them asks for a tag, and by then it is there.
"""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

from sparsecut.errors import InputError

Self = TypeVar("Self", bound="Estimator")


class Estimator:
    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        """The constructor's arguments, by name; a class without a constructor of its own has none."""
        if cls.__init__ is object.__init__:
            return {}
        parameters = inspect.signature(cls.__init__).parameters
        return {name: parameters[name] for name in sorted(parameters) if name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters as they are now. `deep` changes nothing: none of them is an estimator."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self: Self, **parameters: Any) -> Self:
        """Set some parameters; `fit` checks them."""
        known = self._parameters()
        for name in parameters:
            if name not in known:
                raise InputError(f"{type(self).__name__} has no parameter {name!r}. It has {', '.join(known) or 'none'}.")
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The call that makes it: what differs from the defaults."""
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, parameter in self._parameters().items()
            if repr(getattr(self, name)) != repr(parameter.default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

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

"""Objects whose constructor's arguments are their parameters, stored untouched under their names.

That is scikit-learn's contract of `get_params` and `set_params`, for the estimators and for the choices they hold:
`set_params(solver__epochs=20)` sets a parameter of the choice that the parameter `solver` holds.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, TypeVar

from sparsecut.base.errors import InputError

Self = TypeVar("Self", bound="Parametrised")


@dataclass(frozen=True)
class Option:
    """An option of the command line, `--memory-limit SIZE`, that sets a parameter of a choice, `memory_limit`."""

    parameter: str
    text: str  # of the help page, without a full stop
    metavar: str = "NAME"
    type: str = "text"  # or integer, number, path
    default: str = ""  # as the help page shows it
    choices: tuple[str, ...] = ()


class Parametrised:
    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        """The constructor's arguments, by name; a class without a constructor of its own has none."""
        if cls.__init__ is object.__init__:
            return {}
        parameters = inspect.signature(cls.__init__).parameters
        return {name: parameters[name] for name in sorted(parameters) if name != "self"}

    def _held(self, name: str) -> Any:
        """The object behind a parameter, of which `name__…` are parameters; anything else has none."""
        return getattr(self, name)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters as they are now.

        Parameters
        ----------
        deep : bool, default=True
            Whether those of the objects it holds are listed too: `solver__epochs` is the parameter `epochs` of `solver`.

        Returns
        -------
        dict
            Values by name.
        """
        values = {name: getattr(self, name) for name in self._parameters()}
        if deep:
            for name in tuple(values):
                held = self._held(name)
                if isinstance(held, Parametrised):
                    values |= {f"{name}__{key}": value for key, value in held.get_params().items()}
        return values

    def set_params(self: Self, **parameters: Any) -> Self:
        """Set some parameters, `name__parameter` for those of an object it holds; `fit` checks them.

        Parameters
        ----------
        **parameters
            Values by name.

        Returns
        -------
        object
            Itself.
        """
        known = self._parameters()
        within: dict[str, dict[str, Any]] = {}
        for full_name, value in parameters.items():
            name, _, rest = full_name.partition("__")
            if name not in known:
                raise self._unknown(full_name)
            if rest:
                within.setdefault(name, {})[rest] = value
        before = {name: getattr(self, name) for name in known}
        try:
            for name, value in parameters.items():
                if "__" not in name:
                    setattr(self, name, value)
            for name, values in within.items():
                setattr(self, name, self._with_values(name, values))
        except InputError:
            vars(self).update(before)  # all of them are set, or none
            raise
        return self

    def _with_values(self, name: str, values: dict[str, Any]) -> Parametrised:
        """The object behind a parameter with other values, as a copy: it may be shared with another estimator."""
        held = self._held(name)
        if not isinstance(held, Parametrised):
            raise InputError(
                f"{type(self).__name__}({name}={held!r}) holds no object to set {', '.join(values)} of. "
                f"Set {name} to one first."
            )
        return type(held)(**held.get_params(deep=False)).set_params(**values)

    def _unknown(self, name: str) -> InputError:
        return InputError(
            f"{type(self).__name__} has no parameter {name!r}. It has {', '.join(self._parameters()) or 'none'}."
        )

    def __repr__(self) -> str:
        """The call that makes it: what differs from the defaults."""
        changed = [
            f"{name}={getattr(self, name)!r}"
            for name, parameter in self._parameters().items()
            if repr(getattr(self, name)) != repr(parameter.default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

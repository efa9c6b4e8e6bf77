"""The parameters of an object: its constructor's arguments, stored untouched under their names.

That is scikit-learn's contract of `get_params` and `set_params`, for the estimators and for the choices they hold:
`set_params(solver__epochs=20)` sets a parameter of the choice that the parameter `solver` holds. Both classes have these
functions as their methods.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sparsecut.base.errors import InputError


@dataclass(frozen=True)
class Option:
    """An option of the command line, `--memory-limit SIZE`, that sets a parameter of a choice, `memory_limit`."""

    parameter: str
    text: str  # of the help page, without a full stop
    metavar: str = "NAME"
    type: str = "text"  # or integer, number, path
    default: str = ""  # as the help page shows it
    choices: tuple[str, ...] = ()


class Parametrised(Protocol):
    """An object with parameters."""

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...

    def set_params(self, **parameters: Any) -> Any: ...

    def _held(self, name: str) -> Any:
        """The object behind a parameter, of which `name__…` are parameters; anything else has none."""
        ...


Self = TypeVar("Self", bound=Parametrised)


def parameters_of(kind: type) -> dict[str, inspect.Parameter]:
    """The constructor's arguments, by name; a class without a constructor of its own has none."""
    constructor: Any = kind.__init__  # type: ignore[misc]
    if constructor is object.__init__:
        return {}
    parameters = inspect.signature(constructor).parameters
    return {name: parameters[name] for name in sorted(parameters) if name != "self"}


def get_params(self: Parametrised, deep: bool = True) -> dict[str, Any]:
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
    values = {name: getattr(self, name) for name in parameters_of(type(self))}
    if deep:
        for name in tuple(values):
            held = self._held(name)
            if _has_parameters(held):
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
    known = parameters_of(type(self))
    within: dict[str, dict[str, Any]] = {}
    for full_name, value in parameters.items():
        name, _, rest = full_name.partition("__")
        if name not in known:
            kind = type(self).__name__
            raise InputError(f"{kind} has no parameter {full_name!r}. It has {', '.join(known) or 'none'}.")
        if rest:
            within.setdefault(name, {})[rest] = value
    before = {name: getattr(self, name) for name in known}
    try:
        for name, value in parameters.items():
            if "__" not in name:
                setattr(self, name, value)
        for name, values in within.items():
            setattr(self, name, _with_values(self, name, values))
    except InputError:
        vars(self).update(before)  # all of them are set, or none
        raise
    return self


def call_of(self: Parametrised) -> str:
    """The call that makes an object: what differs from the defaults."""
    changed = [
        f"{name}={getattr(self, name)!r}"
        for name, parameter in parameters_of(type(self)).items()
        if repr(getattr(self, name)) != repr(parameter.default)
    ]
    return f"{type(self).__name__}({', '.join(changed)})"


def _with_values(owner: Parametrised, name: str, values: dict[str, Any]) -> Any:
    """The object behind a parameter with other values, as a copy: it may be shared with another estimator."""
    held = owner._held(name)
    if not _has_parameters(held):
        raise InputError(
            f"{type(owner).__name__}({name}={held!r}) holds no object to set {', '.join(values)} of. "
            f"Set {name} to one first."
        )
    return type(held)(**held.get_params(deep=False)).set_params(**values)


def _has_parameters(held: Any) -> bool:
    return hasattr(held, "get_params") and not isinstance(held, type)

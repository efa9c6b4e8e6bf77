"""Names that are imported when they are first used, so that a package does not wait for what it may not need.

Python's garbage collector is off meanwhile: imports make objects by the hundred thousand, torch a million, and all of them
stay. It would look through them again and again, which takes a tenth of the time.
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sparsecut.base.source_names import imported_names


def lazy_names(package: str, homes: Mapping[str, str] | None = None) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__`; `homes` says in which module each of its names is.

    A module of the package itself is its own home. Without `homes` they are what the package imports for type checkers:
    `if TYPE_CHECKING: from … import name as name`.
    """
    if homes is None:
        homes = imported_names(package)

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with without_collector():
            if homes[name] == package:  # a module of its own: from sparsecut import datasets as datasets
                return importlib.import_module(f"{package}.{name}")
            home = importlib.import_module(homes[name])
        return home if home.__name__ == f"{package}.{name}" else getattr(home, name)

    return get, lambda: sorted(homes)


@contextmanager
def without_collector() -> Iterator[None]:
    """Python's garbage collector is off for a while, and on again where it was on."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

"""Names read from the source of modules, without importing them.

`import sparsecut`, a help page and a shell's completion need the names of classes, and must not wait for torch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

PACKAGE = __name__.partition(".")[0]
CHOICES = f"{PACKAGE}.model.choices"  # which lists every filter, negative graph, solver and engine of the library
_HOME = Path(__file__).parents[1]


def imported_names(module: str) -> dict[str, str]:
    """The names that a module imports from this package for others, each with the module it comes from.

    Those are `from … import name as name`, which is how type checkers know them too, at the top of the module or in its
    `if TYPE_CHECKING:` block; `from … import *` passes on the names of another such list.
    """
    names: dict[str, str] = {}
    for node in _statements(_tree(module)):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        for alias in node.names:
            if alias.name == "*":
                names |= imported_names(node.module)
            elif alias.name == alias.asname:
                names[alias.name] = node.module
    return names


def find_class(module: str, name: str) -> tuple[str, ast.ClassDef] | None:
    """The statement that defines a class, and the module it is in, where `module` defines or imports the name."""
    for node in _statements(_tree(module)):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return module, node
        if isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) == name for alias in node.names):
            home = node.module or ""
            return find_class(home, name) if home.partition(".")[0] == PACKAGE else None
    return None


def ancestors(module: str, definition: ast.ClassDef) -> Iterator[tuple[str, ast.ClassDef]]:
    """The class itself, then those of this package that it inherits from, the nearest first."""
    yield module, definition
    for base in definition.bases:
        found = find_class(module, base.id) if isinstance(base, ast.Name) else None
        if found is not None:
            yield from ancestors(*found)


def literal(module: str, name: str) -> Any:
    """The value that a module gives a name, where it is written out: a number, a string, a tuple or a dictionary of them."""
    return ast.literal_eval(assigned(module, name))


def assigned(module: str, name: str) -> ast.expr:
    """The expression that a module gives a name at its top."""
    for node in _statements(_tree(module)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        value = getattr(node, "value", None)
        if value is not None and any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return cast("ast.expr", value)
    raise LookupError(f"{module} assigns no {name}")


@cache
def listed_words(kind: str) -> dict[str, tuple[str, ast.ClassDef]]:
    """The choices of the library that have a word, `class Heat(Filter, word="heat")`, by that word.

    They are those that inherit from the class `kind`, each as the module it is in and the statement that defines it.
    """
    words = {}
    for name, home in imported_names(CHOICES).items():
        found = find_class(home, name)
        if found is None or all(definition.name != kind for _, definition in ancestors(*found)):
            continue
        for keyword in found[1].keywords:
            if keyword.arg == "word":
                words[ast.literal_eval(keyword.value)] = found
    return words


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements at the top of a module, and those of its `if TYPE_CHECKING:` block."""
    for node in tree.body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            yield from node.body
        else:
            yield node


def modules_in(package: str) -> list[str]:
    """The modules of a package, by its folder."""
    names = sorted(path.stem for path in _HOME.joinpath(*package.split(".")[1:]).glob("*.py"))
    return [f"{package}.{name}" for name in names if name != "__init__"]


def source_of(module: str) -> str:
    place = _HOME.joinpath(*module.split(".")[1:])
    path = place / "__init__.py" if place.is_dir() else place.with_name(f"{place.name}.py")
    return path.read_text("utf-8")


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(source_of(module))

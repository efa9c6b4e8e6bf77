"""Which code a figure was measured with: a hash of all the modules that can change it.

A figure on a page is today's only while that code is. So a cell names the modules it starts from (the method's class, what
scores it, what reads the graph), and carries a hash of these and of all modules of the project that they import, directly or
through others. Comments and docstrings do not count. A name that a package only passes on (`from sparsecut.graph import
Graph`) leads to the module that defines it, so a change elsewhere in that package leaves the hash as it is.

Scripts of `benchmarks/` count as modules by their file names, where there is a checkout.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from sparsecut.base.source_names import imported_names

PACKAGE = "sparsecut"
HOME = Path(__file__).parents[2]  # the package's own folder
SCRIPTS = HOME.parents[1] / "benchmarks"
LENGTH = 16  # hexadecimal digits: enough for two versions not to agree by chance

EARLIER = "†"  # what a page puts behind a figure of code that is not today's
ABOUT_EARLIER = (
    f"{EARLIER}: measured with an earlier version of the code; `make pages` lists such figures and measures them again."
)

CodeStamp = dict[str, Any]
Cell = Mapping[str, Any]


def stamp_code(start: Iterable[str]) -> CodeStamp:
    """What a cell carries: the modules it starts from, and the hash of all that they reach."""
    modules = sorted(set(start))
    return {"start": modules, "hash": hash_code(tuple(modules))}


def is_todays(cell: Cell) -> bool:
    """Whether a cell is of today's code: measured with it, or confirmed by a sample of it (`benchmarks/pages.py`)."""
    stamp = cell.get("code")
    if stamp is None:  # older than stamps are
        return False
    today = hash_code(tuple(stamp["start"]))
    return today in (stamp["hash"], stamp.get("confirmed", {}).get("hash"))


def mark_earlier(figure: str, *cells: Cell) -> str:
    """A figure as a page shows it: with a mark where a cell it comes from is not of today's code."""
    return figure if all(map(is_todays, cells)) else f"{figure}{EARLIER}"


@cache
def hash_code(start: Sequence[str]) -> str:
    """The hash of some modules and all they reach; of a module that is no longer there, its name alone."""
    digest = hashlib.sha256()
    for module in sorted(modules_reached(start)):
        path = _path_of(module)
        digest.update(f"{module}\n{'' if path is None else _hash_file(path)}\n".encode())
    return digest.hexdigest()[:LENGTH]


def modules_reached(start: Iterable[str]) -> set[str]:
    """The modules of the project that some modules import, with themselves; imports inside functions count too."""
    reached: set[str] = set()
    waiting = list(start)
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            path = _path_of(module)
            waiting += _imported(path) if path is not None else ()
    return reached


@cache
def _imported(path: Path) -> tuple[str, ...]:
    """The project's modules that a file imports, each where its names are defined."""
    tree = _tree(path)
    for_types = {id(node) for block in ast.walk(tree) if _is_for_types(block) for node in ast.walk(block)}
    found: list[str] = []
    aliases: dict[str, str] = {}  # sc: sparsecut
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            found += [_home_of(node.module, name.name) for name in node.names if _path_of(node.module) is not None]
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name == PACKAGE:
                    aliases[name.asname or name.name] = PACKAGE
                elif _path_of(name.name) is not None:
                    found.append(name.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith(f"{PACKAGE}."):
            found += [node.value] if _path_of(node.value) is not None else []  # a list of modules that are imported by name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in aliases:
            found.append(_home_of(aliases[node.value.id], node.attr))
    return tuple(dict.fromkeys(found))


def _home_of(module: str, name: str) -> str:
    """The module in which a name that `module` offers is defined."""
    if _path_of(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    path = _path_of(module)
    if module == PACKAGE and name in imported_names(PACKAGE):  # which a star may pass on
        return _home_of(imported_names(PACKAGE)[name], name)
    if path is not None and path.name == "__init__.py":
        for node in ast.walk(_tree(path)):
            names = [one.asname or one.name for one in node.names] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.ImportFrom) and node.module is not None and name in names:
                return _home_of(node.module, name) if _path_of(node.module) is not None else module
    return module


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def _path_of(module: str) -> Path | None:
    """The file of a module of the project."""
    names = module.split(".")
    if names[0] == PACKAGE:
        place = HOME.joinpath(*names[1:])
    else:
        place = SCRIPTS.joinpath(*names)
        if not SCRIPTS.is_dir():
            return None
    for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def _hash_file(path: Path) -> str:
    """The hash of a file's code without comments, docstrings and line breaks."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                node.body = node.body[1:]
    dumped = ast.dump(tree).replace(", type_params=[]", "")  # which Python has from 3.12 on: the same code, the same hash
    return hashlib.sha256(dumped.encode()).hexdigest()

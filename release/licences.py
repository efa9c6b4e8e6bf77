"""The licences of everything that sparsecut installs: `python release/licences.py [EXTRA …]`.

One line per distribution: name, version, licence as its metadata states it, and which requirement brought it in. With no
extra named it is what `pip install sparsecut` brings. A distribution under the GPL or the AGPL is marked, and the exit code
is 1 if the library imports it.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

SOURCE = Path(__file__).parents[1] / "src/sparsecut"
# A copyleft licence that a program takes on by importing: the GPL and the AGPL, not the LGPL ("L" or "Lesser" before it).
GPL = re.compile(r"(?<![Ll])\bA?GPL|(?<!Lesser )(?<!Library )General Public License", re.IGNORECASE)


def licence_of(name: str) -> str:
    """The licence of an installed distribution in a few words: the SPDX expression, the classifiers, or the first line."""
    about = metadata.metadata(name)
    classifiers = [line.rsplit(" :: ", 1)[-1] for line in about.get_all("Classifier") or () if line.startswith("License ::")]
    given = (about.get("License") or "").strip().splitlines()
    return about.get("License-Expression") or ", ".join(classifiers) or (given[0] if given else "not stated")


def is_gpl(licence: str) -> bool:
    return bool(GPL.search(licence))


def closure(extras: set[str]) -> dict[str, str]:
    """Everything that `pip install sparsecut[extras]` brings to this machine: each name with what asked for it."""
    found: dict[str, str] = {}
    todo = [("sparsecut", frozenset(extras), "")]
    seen = set()
    while todo:
        name, wanted, by = todo.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if (key, wanted) in seen:
            continue
        seen.add((key, wanted))
        try:
            requirements = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # for another platform, or not installed here
            continue
        found.setdefault(key, by)
        for line in requirements:
            requirement = Requirement(line)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in {"", *wanted}):
                todo.append((requirement.name, frozenset(requirement.extras), key))
    return {name: by for name, by in sorted(found.items()) if name != "sparsecut"}


def imported_by_the_library() -> set[str]:
    """The distributions that some module of the library imports, at its top, inside a function, or as an extra."""
    modules = {module for path in SOURCE.rglob("*.py") for module in _imports(ast.parse(path.read_text("utf-8")))}
    owners = metadata.packages_distributions()
    names = {distribution for module in modules for distribution in owners.get(module, ())}
    return {re.sub(r"[-_.]+", "-", name).lower() for name in names} - {"sparsecut"}


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in (
            "import_extra",
            "import_module",
        ):
            yield from (word.value.partition(".")[0] for word in node.args[:1] if isinstance(word, ast.Constant))


def main() -> int:
    imported = imported_by_the_library()
    is_wrong = False
    for name, by in closure(set(sys.argv[1:])).items():
        licence = licence_of(name)
        remark = ""
        if is_gpl(licence):
            is_wrong |= name in imported
            remark = "   imported by the library" if name in imported else "   GPL, not imported by the library"
        print(f"{name:28} {metadata.version(name):14} {licence:45} {by}{remark}")
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())

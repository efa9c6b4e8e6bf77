"""The lists of choices on the API page, from the classes: `python docs/api_page.py`; building the site does it too.

Under the headings of `KINDS` the page has every filter, negative graph, solver and engine that `model/choices.py` lists,
then the other names that stand there.
"""

from __future__ import annotations

import re
from pathlib import Path

import sparsecut
from sparsecut.base.source_names import CHOICES, imported_names
from sparsecut.engines import EngineChoice

PAGE = Path(__file__).with_name("api.md")
KINDS = {
    "Filters": sparsecut.Filter,
    "Negative graphs": sparsecut.Negatives,
    "Solvers": sparsecut.Solver,
    "Engines": EngineChoice,
}


def with_choices(page: str) -> str:
    """The page with the choices of today."""
    choices = {name: getattr(sparsecut, name) for name in imported_names(CHOICES)}
    for heading, kind in KINDS.items():
        found = re.search(rf"^## {heading}\n.*?:toctree: api\n\n((?:   \w+\n)+)", page, re.DOTALL | re.MULTILINE)
        assert found is not None, f"{PAGE.name} has no list under {heading}"
        others = [name for name in found[1].split() if name not in choices]
        names = [name for name, choice in choices.items() if issubclass(choice, kind)] + others
        page = page[: found.start(1)] + "".join(f"   {name}\n" for name in names) + page[found.end(1) :]
    return page


def main() -> None:
    PAGE.write_text(with_choices(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()

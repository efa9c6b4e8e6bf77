"""docs/at_a_glance.md: all measurements on one page, as pictures, with the targets that were met and those that were missed.

    python benchmarks/render.py

The page is drawn from the same results as the pages that it leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from result_pictures import count_wins
from sparsecut.lab.paper.results import Cell

NAMED = 4  # missed targets of a file that are named
INTRODUCTION = """# Wins and losses on one page

Where is sparsecut better or faster than other methods, and where is it not? Above each picture one sentence says what to
see; the pages behind the links have the numbers. Drawn by `python benchmarks/render.py` from the data under
`benchmarks/results`; nothing here is typed by hand.
"""
PICTURES = (  # title, sentence, alt text, file, page behind it
    (
        "Accuracy",
        "Each square compares `SCE()` with one method on one graph. Blue: `SCE()` is ahead ({n_ahead} of {n_compared}). "
        "Red: it is behind ({n_behind}). Grey: the difference may be chance ({n_level}).",
        "A square per graph and method: blue where SCE() is ahead, red where it is behind, grey where it may be chance",
        "wins.svg",
        "beyond.md#the-default-against-the-others",
    ),
    (
        "Against the best of all others",
        "Right of the line, `SCE()` is ahead of the best other method of that graph. Without labels nobody knows which "
        "method that is.",
        "SCE() minus the best other method of each graph, with its interval: a dot per probe and number of labels",
        "regret.svg",
        "beyond.md#the-default-against-the-others",
    ),
    (
        "Cuts",
        "Left of the line, our cut is sparser than the best cut that METIS, KaHIP, scikit-network and others found; on the "
        "line both are equal.",
        "The value of the sparsest cut found over that of the best other program, per graph",
        "cuts_sparsest.svg",
        "partition_results.md",
    ),
    (
        "Growth",
        "Straight lines at the right end: time grows in proportion to the graph.",
        "Seconds of a fit over the number of nodes, of edges and of features, by engine",
        "growth.svg",
        "performance.md",
    ),
    (
        "Updates",
        "The more changes are made at once, the less time each takes.",
        "Changes per second over how many come at once, for each graph and model",
        "updates.svg",
        "performance.md#updates-of-a-graph-that-changes",
    ),
    (
        "One GPU",
        "A bar that ends to the left of its line meets its target.",
        "Milliseconds of a fit on one GPU for five sizes, beside their targets and plain torch",
        "gpu.svg",
        "performance.md#one-gpu",
    ),
    (
        "A cluster",
        "Both plans grow in proportion to the graph; the plan by columns moves fewer bytes here.",
        "Seconds and MiB moved of a fit on two workers over the number of nodes, for both plans",
        "cluster.svg",
        "scaling.md",
    ),
)


def render_glance(
    cells: list[Cell], pages: Mapping[str, tuple[str, ...]], read: Callable[[str], dict[str, Any] | None], drawn: set[str]
) -> str:
    """The page; `pages` has the files of results behind each page, `drawn` the pictures that there are."""
    counts = count_wins(cells)
    parts = [INTRODUCTION]
    for title, sentence, alt, picture, page in PICTURES:
        if picture in drawn:
            parts.append(f"## {title}\n\n{sentence.format(**counts)} [The numbers]({page}).\n\n![{alt}](images/{picture})\n")
    lines = ["| measured | targets met | missed | the missed |", "|---|---:|---:|---|"]
    for page, names in pages.items():
        for name in names:
            result = read(name)
            if result is None:
                continue
            met, missed = _judged(result)
            if met or missed:
                shown = "; ".join(missed[:NAMED]) + (f"; {len(missed) - NAMED} more" if len(missed) > NAMED else "")
                lines.append(f"| [{result['title']}]({page}) | {met} | {len(missed)} | {shown or '–'} |")
    parts.append("## Every target\n\nA target is a figure that the project has set itself.\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _judged(result: dict[str, Any]) -> tuple[int, list[str]]:
    """How many figures meet their target, and the rows that do not, by their words."""
    met, missed = 0, []
    for table in result["tables"]:
        if "met" not in table["columns"]:
            continue
        place = table["columns"].index("met")
        for row in table["rows"]:
            if row[place] is False:
                words = [cell for cell in row[:3] if isinstance(cell, str)]
                missed.append(", ".join(words).replace("|", "\\|") or table["caption"].split(",")[0].split(":")[0])
            elif row[place] is not None:
                met += 1
    return met, missed

"""docs/at_a_glance.md, performance.md, scaling.md, the results pages of cuts and links, beyond.md and the README's table.

    python benchmarks/render.py

Each file has a title, what was run, tables, notes and the stamp of its machine (`results_file.py`). A file that is not there
leaves no trace on the page. Beyond the paper, results are cells (`cells.py`), and `beyond_tables.py` draws them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from beyond import NAME
from beyond_tables import render_page
from glance import render_glance
from readme_table import put_table
from result_pictures import draw_pictures, drawn_pictures
from sparsecut.lab.paper.code_stamp import is_todays
from sparsecut.lab.paper.results import Results

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"
README = DOCS.parent / "README.md"
PAGE, CUTS_PAGE, BEYOND_PAGE = DOCS / "performance.md", DOCS / "partition_results.md", DOCS / "beyond.md"
SCALING_PAGE = DOCS / "scaling.md"
LINKS_PAGE = DOCS / "links_results.md"
KINDS_PAGE = DOCS / "kinds_results.md"
GLANCE_PAGE = DOCS / "at_a_glance.md"
SECTIONS = (
    "front_door",
    "gpu_front_door",
    "gpu_panels",
    "smoothing",
    "whole_fit",
    "wide",
    "against_dgi",
    "import_time",
    "checks",
    "from_files",
    "read_edges",
    "matrix_files",
    "gpu",
    "disk",
    "compare_engines",
    "growth",
    "growth_cuda",
    "growth_disk",
    "growth_structure",
    "updates",
    "forgetting",
    "at_sizes",
    "peers",
    "search",
    "layout",
    "report_page",
    "cluster",
)
INTRODUCTION = """# Performance

How much time and memory the library takes. Every figure is drawn by `python benchmarks/render.py` from the data under
`benchmarks/results`; nothing here is typed by hand. Each section names the command that measures it again and the machine it
was measured on. A target is a figure that the project has set itself. Where it is missed, the table says so.
"""
BEYOND = ("channels", "misses")
LINKS = ("links", "link_calibration", "recommend", "why_near")
LINKS_INTRODUCTION = """# Links, measured

How well [Links](guides/recommendations.md) ranks new links and items, compared with the methods that people use today. Every
figure is drawn by `python benchmarks/render.py` from the data under `benchmarks/results`; nothing here is typed by hand.
"""
KINDS = ("movielens_story", "relations", "typed_cost", "timed", "signed")
KINDS_INTRODUCTION = """# Types, times and signs, measured

What the vectors of graphs with [types](guides/typed_graph.md), [two sides](guides/ratings.md),
[times](guides/transfers_with_dates.md) and [signs](guides/friends_and_enemies.md) are worth. Every figure is drawn by
`python benchmarks/render.py` from the data under `benchmarks/results`; nothing here is typed by hand. On Bitcoin OTC an AUC
of 94.5 for signs is the aim. With directions it is reached; without them it is missed: ratings that a person gave and got
are then counted together.
"""
CUTS = ("partition_parts", "partition")
CUTS_INTRODUCTION = """# Cuts and partitions, measured

The cuts that [sparsest_cut, partition and hierarchy](partition.md) find, compared with the programs that people use today.
Every figure is drawn by `python benchmarks/render.py` from the data under `benchmarks/results`; nothing here is typed by
hand.

![A mesh around an airfoil in eight parts of equal size, drawn by Partition.draw](images/airfoil_parts.png)
"""
SCALING = ("cluster_scale", "scaling", "estimate")
SCALING_INTRODUCTION = """# Scaling

How the time, traffic and memory of a fit grow with the graph and with the [cluster](cluster.md). They were measured on one
machine. A model fitted to these measurements predicts them for a graph of 10⁹ nodes and 10¹¹ edges. Every figure is drawn by
`python benchmarks/render.py` from the data under `benchmarks/results`; nothing below is typed by hand.

## The model

The graph has n nodes, m entries of the neighbour lists (two for every undirected edge) and f features. A fit makes k hops
on w workers. The columns of a hop are processed in p panels, as few as a worker's memory allows.

| | columns first | rows with a halo |
|---|---|---|
| memory for lists, in each worker | 12·n + 4·m (8·m from 2³¹ entries on) | 4·m/w |
| memory for rows, in each worker | 12·n·f/p (8·n·f/p for powers of P), and 8·n·f/w | (12·h + 16·n)/w·f/p, and 8·n·f/w |
| the same, hops through files | 4·n·f/p | 4·(n + h)/w·f/p |
| bytes between workers | 8·n·f·(1 − 1/w), however many hops (see below) | 4·h·f·k, and 4·h once |
| seconds of cores, in all | k·(n + m)·(p·α + f·β) + δ·n·f | the same, with a δ of its own |
| bytes of files that hops pass through | 4·f·n·(2·(k − 1 + p) + k) | 4·f·((2·n + h)·(k − 1 + p) + k·n) |
| seconds of connections, in all | γ · bytes between workers | the same |

h is the number of rows that workers need from other workers. If edges join nodes at random, each worker needs n·(1 −
e^(−m/(w·n))) rows, and a share of 1 − 1/w of them lies on other workers: h = (w − 1)·n·(1 − e^(−m/(w·n))). While a worker
has more entries than there are nodes, h is close to (w − 1)·n. More workers then move more bytes, and "columns first",
which moves the features only twice, is better as long as its lists fit. Up to 8 workers read the columns that they smooth
from the file of the features, which halves its bytes.

Where a worker has no room for its share of the rows, hops pass through files and workers send nothing. A byte that is read
or written there takes φ. Every panel reads the features again, and the lists that are not held: 4·m·k·p bytes.

The seconds of a fit are c + ρ·tasks + u·(hops + φ·bytes of files + rows + ε·bytes sent)/(w·cores) + the larger of
u·transfers/w and bytes/(w·network). c does not grow with the graph, ρ is what the driver takes for each task, ε what a
worker takes beside its tasks to pack a byte that it sends, and the factor u stands for the time that workers wait for
each other. `python benchmarks/scaling.py` fits α, β, γ, δ, ε, φ, ρ, c and u.
"""
# Pictures that `result_pictures.py` draws, by the title of their section, each with a sentence that says what to see.
PICTURES = {
    "Growth on the CPU": """Straight lines at the right end: time grows in proportion to the graph.

![Seconds of a fit over the number of nodes, of edges and of features, in memory, from disk and on a
GPU](images/growth.svg)""",
    "Growth without features, whatever the degrees": """Left of the line at 1, a graph that is ten times as large takes less
than ten times as much.

![Slopes of time and peak memory with their intervals, for every size that grows and every class of
graphs](images/growth_slopes.svg)""",
    "Peers at three sizes": """To the left is quicker, higher is better. What is not drawn took too long, as the table says.

![Accuracy over the seconds of a fit on Cora, Pubmed and a generated graph of a million nodes, by sparsecut and by what
people use today](images/at_sizes.svg)""",
    "One GPU": """A bar that ends to the left of its line meets its target.

![Milliseconds of a fit on one GPU for five sizes, beside their targets and plain torch](images/gpu.svg)""",
    "Against size": """Straight lines: seconds and bytes grow in proportion to the graph, for both plans.

![Seconds and MiB moved of a fit on two workers over the number of nodes, for both plans](images/cluster.svg)""",
    "Cuts and partitions": """Left of the line, our cut is sparser than the best cut of the other programs.

![The value of the sparsest cut found over that of the best other program, per graph](images/cuts_sparsest.svg)""",
    "Probabilities of links": """On the line, as many pairs are links as predicted.

![The share of pairs that are links, found over predicted, for each graph and bin](images/link_calibration.svg)""",
    "Updates of a graph that changes": """The more changes are made at once, the less time each takes.

![Changes per second over how many come at once, for each graph and model](images/updates.svg)""",
}
HARDWARE = ("cpu", "cores", "gpu")


def render(folder: Path = RESULTS, sections: tuple[str, ...] = SECTIONS, introduction: str = INTRODUCTION) -> str:
    """A whole page."""
    results = [result for name in sections if (result := read_result(name, folder)) is not None]
    judged = [row for result in results for row in _judged(result)]
    n_met = sum(row for row in judged)
    count = f"Of {len(judged)} figures with a target, {n_met} meet it.\n" if judged else ""
    return "\n".join([introduction, count, *(_section(result) for result in results)]).rstrip() + "\n"


def read_result(name: str, folder: Path = RESULTS) -> dict[str, Any] | None:
    """What a benchmark of a section left, or None."""
    path = folder / f"{name}.json"
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else None


def render_beyond(folder: Path = RESULTS) -> str:
    """The page of the default: its cells, the choice of its channels, and what is behind the targets that are missed."""
    return render_page(folder) + render(folder, sections=BEYOND, introduction="")


def _judged(result: dict[str, Any]) -> list[bool]:
    """Whether each figure that has a target meets it."""
    judged = []
    for table in result["tables"]:
        for position, column in enumerate(table["columns"]):
            if column == "met":
                judged += [row[position] for row in table["rows"] if row[position] is not None]
    return judged


def _section(result: dict[str, Any]) -> str:
    parts = [f"## {result['title']}", result["about"]]
    if "command" in result:
        parts.append(f"Measured by `{result['command']}` on {_machine(result['environment'])}.")
    else:
        parts.append(f"Measured on {_machine(result['environment'])}.")
    if not is_todays(result):
        parts.append("Measured with an earlier version of the code.")
    if (picture := PICTURES.get(result["title"])) is not None:
        parts.append(picture)
    for table in result["tables"]:
        where = f" Measured on {_machine(table['environment'])}." if "environment" in table else ""
        parts += [f"{table['caption']}{where}", _table(table["columns"], table["rows"])]
    if result.get("notes"):
        parts.append("\n".join(f"- {note}" for note in result["notes"]))
    return "\n\n".join(parts) + "\n"


def _machine(stamp: dict[str, Any]) -> str:
    """The machine, the versions and the day of a stamp, in words."""
    hardware = ", ".join(f"{stamp[key]} cores" if key == "cores" else str(stamp[key]) for key in HARDWARE if stamp.get(key))
    versions = ", ".join(f"{key} {value}" for key, value in stamp.items() if key not in (*HARDWARE, "date"))
    return f"{hardware} ({versions}), {stamp['date']}"


def _table(columns: list[str], rows: list[list[Any]]) -> str:
    is_number = [all(row[position] is None or _is_number(row[position]) for row in rows) for position in range(len(columns))]
    lines = [_line(columns), _line(["---:" if number else "---" for number in is_number])]
    # A target that is missed is to be seen.
    shown = [
        ["**no**" if column == "met" and cell is False else _shown(cell) for column, cell in zip(columns, row, strict=True)]
        for row in rows
    ]
    return "\n".join(lines + [_line(row) for row in shown])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _shown(cell: Any) -> str:
    """Three digits of a number, thousands apart; yes and no; a dash for nothing."""
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        if abs(cell) >= 100:
            return f"{cell:,.0f}"
        return f"{cell:#.3g}".rstrip(".") if cell else "0"
    return str(cell).replace("|", "\\|")


def main() -> None:
    PAGE.write_text(render(), "utf-8")
    CUTS_PAGE.write_text(render(sections=CUTS, introduction=CUTS_INTRODUCTION), "utf-8")
    LINKS_PAGE.write_text(render(sections=LINKS, introduction=LINKS_INTRODUCTION), "utf-8")
    KINDS_PAGE.write_text(render(sections=KINDS, introduction=KINDS_INTRODUCTION), "utf-8")
    BEYOND_PAGE.write_text(render_beyond(), "utf-8")
    SCALING_PAGE.write_text(render(sections=SCALING, introduction=SCALING_INTRODUCTION), "utf-8")
    cells = list(Results(RESULTS, NAME).cells)
    pages = {"partition_results.md": CUTS, "performance.md": SECTIONS, "scaling.md": SCALING, "links_results.md": LINKS}
    GLANCE_PAGE.write_text(render_glance(cells, pages, read_result, set(drawn_pictures())), "utf-8")
    README.write_text(put_table(README.read_text("utf-8")), "utf-8")
    draw_pictures()
    print(GLANCE_PAGE, PAGE, CUTS_PAGE, LINKS_PAGE, BEYOND_PAGE, SCALING_PAGE, README)


if __name__ == "__main__":
    main()

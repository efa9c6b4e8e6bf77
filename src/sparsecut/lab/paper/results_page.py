"""The results as pages, Markdown and HTML, from the data in a folder and nothing else: the same data, the same pages.

The HTML page is one file: style and figure are in it, and it asks the network for nothing.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from sparsecut.io.files import write_whole
from sparsecut.lab.paper.code_stamp import ABOUT_EARLIER
from sparsecut.lab.paper.coverage import graph_table, missing_remarks
from sparsecut.lab.paper.experiments import EXPERIMENTS
from sparsecut.lab.paper.open_settings import open_table
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.shown import (
    AHEAD,
    ALONE,
    BEHIND,
    EMPTY,
    MET,
    MISSED,
    WITHIN,
    ResultsTable,
    Shown,
    without_empty_columns,
)

SYMBOLS = {AHEAD: "▲", WITHIN: "≈", BEHIND: "▼", MET: "✓", MISSED: "✗", ALONE: "", EMPTY: ""}
LEGEND = {
    AHEAD: "ahead of the paper by more than a standard deviation",
    WITHIN: "within one standard deviation",
    BEHIND: "behind by more than a standard deviation",
}
TITLE = "The paper, reproduced"
INTRODUCTION = (
    "The five experiments of the paper (accuracy, the loss, training time, unseen nodes, accuracy against time), run again "
    "by `sparsecut reproduce` where their data was at hand: our figure first, the paper's beside it. What is missing and "
    "why, and which settings the paper leaves open, is listed below the tables. The standard deviation that judges is the "
    "paper's over splits, or ours where it published none. Every figure and every comparison is drawn from the data by that "
    "command."
)
LONG = 40  # characters: a cell with more of them is prose and may break
MISSING_ABOUT = "Of the paper's experiments, this page does not show:"
FIGURE_ABOUT = (
    "Accuracy on the test nodes after every epoch of one training run, mean over the published splits, against the seconds "
    "since the graph was in memory. The paper published the picture without its figures."
)

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1d2329; background: #fff; margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.2rem; margin-top: 2.4rem; }
nav ol { columns: 18rem; padding-left: 1.4rem; } a { color: #0b5394; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; }
th, td { border: 1px solid #d5dae0; padding: .35rem .38rem; text-align: right; vertical-align: top; white-space: nowrap; }
th:first-child { text-align: left; white-space: normal; min-width: 5rem; position: sticky; left: 0; background: #fff; }
thead th, thead th:first-child { background: #f3f5f7; white-space: normal; }
td.words { white-space: normal; text-align: left; max-width: 32rem; }
td small { display: block; color: #4a5560; } td small.remark { white-space: normal; }
.ahead { background: #d3eeda; } .within { background: #fdf3cf; } .behind { background: #f8d5d0; }
.alone { background: #fff; }
.empty { white-space: normal; min-width: 7rem; color: #77818b; font-style: italic; background: #f8f9fa; }
.legend span { display: inline-block; padding: .15rem .6rem; margin-right: .5rem; border: 1px solid #d5dae0; }
svg { max-width: 100%; height: auto; } footer { margin-top: 3rem; color: #4a5560; font-size: 13px; }
"""


def write_pages(folder: Path) -> list[Path]:
    """The pages beside the folder, by its name: docs/results gives docs/results.md and docs/results.html."""
    home = folder if folder.name not in ("", "..") else folder.resolve()
    pages = {
        home.with_name(f"{home.name}.md"): render_markdown(home),
        home.with_name(f"{home.name}.html"): render_html(home),
    }
    for path, text in pages.items():
        with write_whole(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return list(pages)


def read_results(folder: Path) -> dict[str, Results]:
    """The results of every experiment in a folder, in the order of the page."""
    return {name: experiment.results(folder) for name, experiment in EXPERIMENTS.items()}


def tables_of(results: dict[str, Results]) -> list[ResultsTable]:
    """The tables of some experiments' results, in their order."""
    return [table for name, found in results.items() for table in EXPERIMENTS[name].module().tables(found)]


def render_markdown(folder: Path) -> str:
    results = read_results(folder)
    tables = tables_of(results)
    parts = [f"# {TITLE}", INTRODUCTION, f"{legend_markdown(LEGEND)} In brackets: the paper.", ABOUT_EARLIER]
    parts += [markdown_table(without_empty_columns(table)) for table in tables]
    parts += ["## Accuracy against time", FIGURE_ABOUT]
    if (folder / "figure.png").exists():
        parts.append(f"![Accuracy against seconds, a panel per graph]({folder.name}/figure.png)")
    else:
        parts.append("Not drawn yet.")
    missing = "\n".join(f"- {line}" for line in missing_remarks(tables, results["inductive"], results["figure"]))
    parts += ["## What is missing", MISSING_ABOUT, missing]
    parts += [markdown_table(table) for table in (open_table(), graph_table())]
    parts += ["## Where it ran", environments_markdown(results)]
    return "\n\n".join(parts) + "\n"


def legend_markdown(legend: dict[str, str]) -> str:
    """What the symbols of some verdicts mean, in a sentence."""
    return "; ".join(f"{SYMBOLS[name]} {words}" for name, words in legend.items()) + "."


def markdown_table(table: ResultsTable) -> str:
    """A table with its heading, what it shows and its remarks."""
    header = ["| | " + " | ".join(table.columns) + " |", "|---|" + "---|" * len(table.columns)]
    lines = [f"| {name} | " + " | ".join(_markdown_cell(shown) for shown in row) + " |" for name, row in table.rows]
    return "\n\n".join([f"## {table.title}", table.about, "\n".join([*header, *lines]), *table.remarks])


def environments_markdown(results: dict[str, Results]) -> str:
    return "\n".join(f"- {line}" for line in environments(results))


def render_html(folder: Path) -> str:
    results = read_results(folder)
    legend = "".join(f'<span class="{name}">{SYMBOLS[name]} {escape(words)}</span>' for name, words in LEGEND.items())
    tables = tables_of(results)
    sections: list[str] = []
    for number, table in enumerate(tables):
        sections += _html_section(without_empty_columns(table), number)
    sections += [_heading("Accuracy against time"), f"<p>{escape(FIGURE_ABOUT)}</p>", _inline_figure(folder)]
    missing = _html_list(missing_remarks(tables, results["inductive"], results["figure"]))
    sections += [_heading("What is missing"), f"<p>{escape(MISSING_ABOUT)}</p>", missing]
    for number, table in enumerate((open_table(), graph_table()), start=len(tables)):
        sections += _html_section(table, number)
    sections.append(f"<footer>{_heading('Where it ran')}{_html_list(environments(results))}</footer>")
    body = [f"<h1>{TITLE}</h1>", f"<p>{_prose(INTRODUCTION)}</p>", f'<p class="legend">{legend}</p>']
    body.append(f"<p>{_prose(ABOUT_EARLIER)}</p>")
    body += [_contents("\n".join(sections)), *sections]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        # An empty icon, in the page: a browser would otherwise ask for one.
        f'<title>{TITLE}</title><link rel="icon" href="data:,"><style>{STYLE}</style>'
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n' + "\n".join(body) + "\n</body></html>\n"


def environments(results: dict[str, Results]) -> list[str]:
    """What the cells of each experiment ran on, each machine and day once, with the seeds that ran there."""
    seeds: dict[tuple[str, str], set[int]] = {}
    for name, experiment in results.items():
        for cell in experiment.cells:
            stamp = dict(cell["environment"])
            machine = f"{stamp.pop('gpu', '')} {stamp.pop('cpu')}".strip()
            cores, threads, date = stamp.pop("cores"), stamp.pop("threads", "?"), stamp.pop("date")
            versions = ", ".join(f"{package} {version}" for package, version in stamp.items())
            place = f"{name}: {date}, {machine}, {cores} cores, torch threads: {threads}"
            seeds.setdefault((place, versions), set()).add(cell["seed"])
    lines = [f"{place}, {_seeds(ran)}; {versions}" for (place, versions), ran in seeds.items()]
    return lines or ["Nothing has been run yet."]


def _seeds(ran: set[int]) -> str:
    return f"seed {min(ran)}" if len(ran) == 1 else f"seeds {', '.join(map(str, sorted(ran)))}"


def _markdown_cell(shown: Shown) -> str:
    paper = f" ({shown.paper})" if shown.paper else ""
    remark = f"; {shown.remark}" if shown.remark else ""
    ours = f"*{shown.ours}*" if shown.verdict == EMPTY else f"{SYMBOLS[shown.verdict]} {shown.ours}".strip()
    return f"{ours}{paper}{remark}"


def _html_section(table: ResultsTable, number: int) -> list[str]:
    parts = [_heading(table.title), f"<p>{_prose(table.about)}</p>", _html_table(table, number)]
    return parts + [f"<p>{escape(remark)}</p>" for remark in table.remarks]


def _heading(title: str) -> str:
    anchor = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
    return f'<h2 id="{anchor}">{escape(title)}</h2>'


def _contents(sections: str) -> str:
    """The list of the headings, each leading to its section."""
    headings = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', sections)
    items = "".join(f'<li><a href="#{anchor}">{title}</a></li>' for anchor, title in headings)
    return f'<nav aria-label="Contents"><ol>{items}</ol></nav>'


def _html_list(lines: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _html_table(table: ResultsTable, number: int) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in table.columns)
    lines = []
    for name, row in table.rows:
        cells = "".join(_html_cell(shown) for shown in row)
        lines.append(f"<tr><th>{escape(name)}</th>{cells}</tr>")
    rows = "\n".join(lines)
    thead = f"<thead><tr><th></th>{head}</tr></thead>"
    return f'<div class="wide"><table id="table-{number}">{thead}\n<tbody>{rows}</tbody></table></div>'


def _html_cell(shown: Shown) -> str:
    paper = f"<small>paper {escape(shown.paper)}</small>" if shown.paper else ""
    remark = f'<small class="remark">{escape(shown.remark)}</small>' if shown.remark else ""
    ours = f"{SYMBOLS[shown.verdict]} {escape(shown.ours)}".strip()
    style = f"{shown.verdict} words" if len(shown.ours) > LONG else shown.verdict
    return f'<td class="{style}">{ours}{paper}{remark}</td>'


def _inline_figure(folder: Path) -> str:
    """The drawing itself, without the lines that make it a file of its own."""
    path = folder / "figure.svg"
    if not path.exists():
        return "<p>Not drawn yet.</p>"
    text = path.read_text("utf-8")
    return re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)


def _prose(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))

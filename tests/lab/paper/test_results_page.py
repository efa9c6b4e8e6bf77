"""The pages: the paper's figure beside ours, judged by a rule, drawn from data alone, and opened in a browser."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from browser import open_browser
from sparsecut.lab.paper import inductive, loss, table1, timing
from sparsecut.lab.paper.coverage import WITHOUT_FIGURES, graph_table
from sparsecut.lab.paper.experiments import EXPERIMENTS
from sparsecut.lab.paper.open_settings import open_table
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.results_page import environments, render_html, render_markdown, tables_of, write_pages
from sparsecut.lab.paper.shown import ResultsTable
from sparsecut.lab.paper.table1_rows import UNSUPERVISED
from stamps import TODAY

DOCS = Path(__file__).parents[3] / "docs"
STAMP = {"date": "2026-01-01", "cpu": "Abacus", "cores": 2, "threads": 1, "python": "3.11"}
CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)


def cell(method: str, dataset: str, mean: float, **more: Any) -> dict[str, Any]:
    spread = {"mean": mean, "std": 1.0, "accuracies": [mean - 1, mean + 1]}
    probes = {"scores": dict.fromkeys(("paper", "tuned"), spread)}
    return {"method": method, "dataset": dataset, **spread, **probes, "seed": 0, "environment": STAMP, "code": TODAY, **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Results in which one cell is ahead, one within and one behind, and the losses rank otherwise than in the paper."""
    folder = tmp_path / "results"
    folder.mkdir()
    table = Results(folder, "table1")
    table.add([cell("SCE", "cora", mean, per_class=count) for mean, count in ((78.0, 5), (80.0, 20))])
    table.add([cell("MoSCE", "cora", 60.0, per_class=5)])
    table.mark_absent({"method": "DGI", "dataset": "cora", "per_class": 5}, "not in <this> version")
    losses = Results(folder, "loss")
    losses.add(
        [cell(name, "cora", mean, per_class=20) for name, mean in (("none", 79.5), ("negative", 78.9), ("inverse", 80.2))]
    )
    losses.add(
        [cell(name, "pubmed", mean, per_class=20) for name, mean in (("none", 76.0), ("negative", 65.0), ("inverse", 75.0))]
    )
    times = Results(folder, "time")
    times.add([cell("SCE", "cora", 0, seconds=0.5, run=0), cell("DGI", "cora", 0, seconds=25.0, run=0)])
    unseen = Results(folder, "inductive")
    runs = {"n_runs": 10, "seconds": 2.0, "seconds_std": 0.1, "transform_seconds": 0.1, "seen_nodes": 5, "seen_edges": 7}
    unseen.add([cell("SCE", "facebook", 80.0, settings={"dimension": 512}, **runs)])
    unseen.add([cell("smoothed-features", "facebook", 82.5, settings={"order": 2}, **runs)])
    return folder


def tables_in(folder: Path, experiment: str) -> list[ResultsTable]:
    return tables_of({experiment: Results(folder, experiment)})


def shown(folder: Path, experiment: str, row: str, column: str, *, part: int = 0) -> Any:
    table = tables_in(folder, experiment)[part]
    return dict(table.rows)[row][table.columns.index(column)]


def test_cells_show_both_figures_and_the_verdict(folder: Path) -> None:
    ahead = shown(folder, "table1", "SCE", "cora, 5")
    assert (ahead.ours, ahead.paper, ahead.verdict) == ("78.0 ± 1.0", "74.3 ± 2.7", "ahead")
    assert shown(folder, "table1", "SCE", "cora, 20").verdict == "within"
    assert shown(folder, "table1", "MoSCE", "cora, 5").verdict == "behind"
    empty = shown(folder, "table1", "DGI", "cora, 5")
    assert (empty.ours, empty.paper, empty.verdict) == ("not in <this> version", "72.9 ± 4.0", "empty")
    assert shown(folder, "table1", "GAT", "cora, 5").ours == "not run"


def test_times_show_the_ratio_to_sce(folder: Path) -> None:
    dgi = shown(folder, "time", "DGI", "cora")
    assert dgi.ours == "25.00 s, ratio 50"
    assert dgi.paper == "15.7 s, ratio 157"
    assert dgi.verdict == "behind"


def test_where_nothing_learned_is_better_the_page_says_so(folder: Path) -> None:
    f1, seconds = tables_in(folder, "inductive")
    assert "SCE scores less than what learns nothing: smoothed-features on facebook (by 2.5 points)." in f1.remarks
    assert shown(folder, "inductive", "SCE", "facebook").verdict == "alone"
    assert shown(folder, "inductive", "SCE", "facebook").remark == "10 runs, 512 columns"
    assert shown(folder, "inductive", "smoothed-features", "facebook").remark == "10 runs, 4,714 columns"
    assert shown(folder, "inductive", "SCE", "reddit").paper == "94.6"
    trained = shown(folder, "inductive", "SCE", "facebook", part=1)
    assert (trained.ours, trained.remark) == ("2.00 s", "5 nodes, 7 edges; transform 0.10 s")
    assert "smoothed-features" not in dict(seconds.rows)


class Cells(HTMLParser):
    """The cells of a page's tables by their class, and every address the page would fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.classes: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag == "td":
            self.classes.append(values["class"] or "")
        self.addresses += [values[name] or "" for name in ("src", "href", "xlink:href") if name in values]


# The rows of each table, in the order of the page.
N_ROWS = (
    *(len(table1.ROWS), len(UNSUPERVISED), len(UNSUPERVISED) - 1, len(loss.ROWS), len(timing.ROWS)),
    *(len(inductive.ROWS), len(inductive.ROWS) - len(inductive.UNTRAINED)),
)
# Its columns where nothing has been run, and in the fixture: those with a figure alone.
ALL_COLUMNS = (8, 8, 8, 4, 4, len(inductive.COLUMNS), len(inductive.COLUMNS))
FILLED_COLUMNS = (2, 2, 1, 2, 1, 1, 1)


def count_cells(columns: tuple[int, ...]) -> int:
    always = sum(len(table.rows) * len(table.columns) for table in (open_table(), graph_table()))
    return sum(rows * n_columns for rows, n_columns in zip(N_ROWS, columns, strict=True)) + always


def test_the_html_page_is_whole_escaped_and_asks_the_network_for_nothing(folder: Path) -> None:
    (folder / "figure.svg").write_text('<?xml version="1.0"?>\n<svg><use xlink:href="#here"/></svg>')
    text = render_html(folder)
    cells = Cells(text)
    assert len(cells.classes) == count_cells(FILLED_COLUMNS)
    # One of each in Table 1; of the losses two are ahead (none), the others within; of the times two are behind.
    assert (cells.classes.count("ahead"), cells.classes.count("behind")) == (3, 3)
    assert "not in &lt;this&gt; version" in text
    assert "<svg><use" in text
    assert all(address.startswith(("#", "data:")) for address in cells.addresses)
    assert "http" not in re.sub(r'xmlns[^ ]*="[^"]*"', "", text)
    assert "Abacus" in text


def test_markdown_marks_with_symbols(folder: Path) -> None:
    text = render_markdown(folder)
    counts = "2 splits, 1 seed"
    assert f"| ▲ 78.0 ± 1.0 (74.3 ± 2.7); {counts} | ≈ 80.0 ± 1.0 (80.2 ± 1.1); {counts} |" in text
    assert "▼ 60.0 ± 1.0 (74.6 ± 2.9)" in text
    assert "Not drawn yet." in text


def test_both_pages_say_what_is_missing_and_what_was_left_open(folder: Path) -> None:
    for text in (render_markdown(folder), html.unescape(render_html(folder))):
        empty = "Table 1: accuracy: DGI (cora, 5); Table 1 with the tuned probe: DGI (cora, 5)."
        assert f"2 cells are empty: not in <this> version. {empty}" in text
        assert WITHOUT_FIGURES[0] in text
        assert "choices were made in view of test scores" in text
        assert "57 million edges of GraphSAGE's release" in text
        assert "Every experiment" not in text


def test_the_seeds_of_a_machine_are_on_one_line(folder: Path) -> None:
    table = EXPERIMENTS["table1"].results(folder)
    table.add([cell("SCE", "cora", 78.0, per_class=5, seed=seed) for seed in (1, 2)])
    (line,) = (line for line in environments({"table1": table}))
    assert line == "table1: 2026-01-01, Abacus, 2 cores, torch threads: 1, seeds 0, 1, 2; python 3.11"


def test_pages_are_named_after_the_folder(folder: Path) -> None:
    assert [path.name for path in write_pages(folder)] == ["results.md", "results.html"]
    assert (folder.parent / "results.md").read_text("utf-8") == render_markdown(folder)


def test_pages_of_an_empty_folder(tmp_path: Path) -> None:
    assert "Nothing has been run yet." in render_markdown(tmp_path)
    assert len(Cells(render_html(tmp_path)).classes) == count_cells(ALL_COLUMNS)


def test_the_contents_lead_to_every_section(folder: Path) -> None:
    text = render_html(folder)
    contents = re.search(r"<nav.*?</nav>", text, re.DOTALL)
    assert contents is not None
    anchors = re.findall(r'href="#([^"]+)"', contents.group())
    assert anchors == re.findall(r'<h2 id="([^"]+)"', text)
    assert len(anchors) == len(set(anchors)) == text.count("<h2")
    assert anchors[0] == "table-1-accuracy"
    assert '<meta name="viewport"' in text


@pytest.mark.parametrize(("name", "render"), [("results.md", render_markdown), ("results.html", render_html)])
def test_the_committed_pages_are_drawn_from_the_committed_data(name: str, render: Any) -> None:
    assert (DOCS / name).read_text("utf-8") == render(DOCS / "results"), "run: sparsecut reproduce page"


def test_committed_cells_are_stamped() -> None:
    for path in (DOCS / "results").glob("*.json"):
        for committed in json.loads(path.read_text("utf-8"))["cells"]:
            assert {"date", "cpu", "cores", "threads", "python", "sparsecut", "torch"} <= set(committed["environment"])
            assert {"seed", "settings"} <= set(committed), path


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH to open the page in")
def test_the_committed_page_opens_in_a_browser(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--v=0",
        "--virtual-time-budget=2000",
    ]
    page = (DOCS / "results.html").as_uri()
    done = subprocess.run(
        [CHROMIUM, *flags, f"--user-data-dir={tmp_path}", "--window-size=1400,2000", "--dump-dom", page],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "CONSOLE" not in done.stderr, done.stderr
    dom = Cells(done.stdout)
    committed = Cells((DOCS / "results.html").read_text("utf-8"))
    assert dom.classes == committed.classes
    sce = next(row for row in re.findall(r"<tr>.*?</tr>", done.stdout, re.DOTALL) if "<th>SCE</th>" in row)
    assert re.findall(r"paper ([\d.]+) ±", sce)[:2] == ["74.3", "80.2"]
    assert "<svg" in done.stdout


@pytest.mark.browser
def test_the_committed_page_fits_a_window_and_its_tables_scroll_alone_on_a_phone() -> None:
    with open_browser() as browser:
        for width, is_phone in ((1280, False), (390, True)):
            page = browser.new_page(viewport={"width": width, "height": 800})
            page.goto((DOCS / "results.html").as_uri())
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width
            tables = page.evaluate("() => [...document.querySelectorAll('.wide')].map((e) => e.scrollWidth - e.clientWidth)")
            assert len(tables) == len(N_ROWS) + 2
            assert is_phone or max(tables) <= 0

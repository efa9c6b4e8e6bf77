"""What a notebook shows: escaped, sortable in a browser, and a bar in the cell of a real kernel."""

from __future__ import annotations

import html
import re

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import sparsecut as sc
from browser import open_browser
from sparsecut.base.notebook import Cell, Lines, facts_html, in_notebook, table_html
from sparsecut.evaluation import Scores, compare_scores

EVIL = "<script>alert('x')</script>\"&"


def test_every_text_is_escaped() -> None:
    for shown in (
        table_html([EVIL, "b"], [[EVIL, Cell(EVIL, 2.0)]], caption=EVIL),
        facts_html(EVIL, [(EVIL, EVIL)], [EVIL]),
        Lines(EVIL)._repr_html_(),
        sc.Graph(np.ones((2, 2)), labels=[EVIL, "b"], node_ids=[EVIL, "b"], notes=(EVIL,))._repr_html_(),
        sc.SCE(weighting=EVIL)._repr_html_(),
    ):
        assert "<script>" not in shown
        assert html.escape(EVIL) in shown or html.escape(repr(EVIL)) in shown


def test_lines_are_text_that_shows_as_lines() -> None:
    lines = Lines("One.\nTwo.")
    assert lines == "One.\nTwo."
    assert repr(lines) == "One.\nTwo."
    assert lines._repr_html_().count("<li>") == 2


def cells_of(shown: str) -> list[str]:
    return [html.unescape(text) for text in re.findall(r"<t[dh](?: [^>]*)?>(.*?)</t[dh]>", shown)]


def test_an_estimator_shows_its_parameters_and_what_it_chose() -> None:
    model = sc.SCE(dimension=3)
    cells = cells_of(model._repr_html_())
    assert cells[cells.index("dimension") + 1 :][:2] == ["3", "'auto'"]
    assert "SCE, not fitted" in model._repr_html_()
    graph = sc.Graph(np.ones((5, 5)) - np.eye(5), features=np.random.default_rng(0).normal(size=(5, 4)))
    shown = model.fit(graph)._repr_html_()
    assert "SCE, fitted" in shown
    assert "5 × 3" in cells_of(shown)
    for line in model.explain().splitlines():
        assert html.escape(line) in shown


def test_scores_show_every_split_and_are_a_frame() -> None:
    scores = Scores({"accuracy": np.array([80.0, 82.0, 84.0]), "macro_f1": np.array([70.0, 71.0, 72.0])})
    cells = cells_of(scores._repr_html_())
    assert cells[:2] == ["accuracy, percent", "82.0 ± 1.6, 95 % interval 77.0 to 87.0"]
    assert cells[-3:] == ["2", "84.00", "72.00"]
    frame = scores.to_pandas()
    assert frame["accuracy"].tolist() == [80, 82, 84]
    assert frame["macro_f1"].tolist() == [70, 71, 72]
    assert frame.index.name == "split"
    tuned = Scores({"accuracy": np.array([80.0, 82.0])}, choices=({"C": 1}, {"C": 10})).to_pandas()
    assert tuned["C"].tolist() == [1, 10]
    alone = Scores({"accuracy": np.array([80.0])})._repr_html_()
    assert "interval" not in alone
    assert "+2.00 points" in html.unescape(compare_scores(scores, Scores({"accuracy": scores.accuracies - 2}))._repr_html_())


@pytest.mark.browser
def test_a_click_on_a_head_sorts_by_value_and_a_second_one_the_other_way() -> None:
    rows = [["b", Cell("1,200", 1200)], ["a", Cell("9", 9)], ["c", ""], ["d", Cell("80.5 ± 1", 80.5)]]
    with open_browser() as browser:
        page = browser.new_page()
        page.set_content(table_html(["name", "size"], rows, "A table"))

        def names() -> list[str]:
            return page.locator("tbody tr td:first-child").all_inner_texts()

        assert names() == ["b", "a", "c", "d"]
        page.click("th:nth-child(2)")
        assert names() == ["a", "d", "b", "c"]  # what has no value comes last
        page.click("th:nth-child(2)")
        assert names() == ["b", "d", "a", "c"]
        page.click("th:nth-child(1)")
        assert names() == ["a", "b", "c", "d"]


CELL = """
import sys
from sparsecut.base.progress import ProgressBar
seconds = [0.0]
with ProgressBar(clock=lambda: seconds[0]) as bar:
    for epoch in (1, 2, 3):
        seconds[0] += 5
        bar("training", epoch, 4)
import numpy as np, sparsecut as sc
sc.SCE(dimension=2).fit(sc.Graph(np.ones((4, 4)), features=np.eye(4))).explain()
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the notebook's own libraries
def test_a_kernel_shows_a_bar_and_an_explanation_in_its_cell() -> None:
    assert not in_notebook()
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    messages: list[dict] = []

    class Client(NotebookClient):
        def process_message(self, message, cell, index):
            messages.append(message)
            return super().process_message(message, cell, index)

    Client(notebook, timeout=120, kernel_name="python3").execute()
    drawn = [
        message["content"]["data"]["text/html"]
        for message in messages
        if message["msg_type"] in ("display_data", "update_display_data")
    ]
    assert '<progress value="1" max="4"></progress> training: 1 of 4 epochs' in drawn[0]
    assert '<progress value="3" max="4"></progress>' in drawn[2]
    assert drawn[-1] == ""  # the bar goes away
    bar, explained = notebook.cells[0].outputs
    assert bar["data"]["text/html"] == ""
    assert "<li>Features are weighted by tf-idf" in explained["data"]["text/html"]
    assert explained["data"]["text/plain"].startswith("Features are weighted by tf-idf")

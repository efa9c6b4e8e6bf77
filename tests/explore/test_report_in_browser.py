"""The report in a real browser: everything a person does with it, on small maps whose answers are known by hand."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from browser import GRID, ReportPage, make_report, open_browser

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def grid_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_report(tmp_path_factory.mktemp("report") / "grid.html")


@pytest.fixture
def grid(browser: Any, grid_report: Path) -> Iterator[ReportPage]:
    page = ReportPage(browser, grid_report)
    yield page
    page.close()


def node_at(column: int, row: int) -> int:
    return row * GRID + column


def test_hover_shows_id_label_and_attributes(grid: ReportPage) -> None:
    grid.mouse.move(*grid.place_of(node_at(2, 3)))
    grid.wait_for_selector("#tooltip:not([hidden])")
    text = grid.text("#tooltip")
    assert "node-20" in text
    assert "west" in text
    assert "motto of 20" in text
    grid.mouse.move(5, 5)
    grid.wait_for_selector("#tooltip", state="hidden")


def test_a_click_lists_the_nearest_neighbours_and_draws_lines_to_them(grid: ReportPage) -> None:
    here, there = grid.place_of(node_at(2, 3)), grid.place_of(node_at(3, 3))
    middle = ((here[0] + there[0]) / 2, (here[1] + there[1]) / 2)
    assert len(grid.colors_at(*middle)) == 1  # nothing but the background
    grid.mouse.click(*here)
    grid.wait_for_selector(".neighbors")
    listed = set(re.findall(r"node-\d+", grid.text(".neighbors")))
    assert listed == {f"node-{node_at(*place)}" for place in ((1, 3), (3, 3), (2, 2), (2, 4))}
    assert "euclidean" in grid.text("#details")
    grid.mouse.move(5, 5)
    grid.settle()
    assert len(grid.colors_at(*middle)) > 1
    grid.click(".neighbors button >> nth=0")
    grid.wait_for_function("() => document.querySelector('.node-id').textContent !== 'node-20'")
    assert grid.text(".node-id") in listed


def test_search_by_id_and_by_attribute_with_the_keyboard_alone(grid: ReportPage) -> None:
    grid.focus("#search")
    grid.keyboard.type("node-7")
    # What the first letters find is shown before the last one is typed.
    grid.wait_for_function("() => document.querySelector('#results [role=option]')?.textContent.startsWith('node-7')")
    assert grid.get_attribute("#search", "aria-expanded") == "true"
    grid.keyboard.press("ArrowDown")
    assert grid.get_attribute("#search", "aria-activedescendant") == "result-0"
    grid.keyboard.press("Enter")
    grid.wait_for_selector(".node-id")
    assert grid.text(".node-id") == "node-7"
    grid.fill("#search", "motto of 31")
    grid.wait_for_function("() => document.getElementById('results').textContent === 'node-31motto: motto of 31'")
    grid.keyboard.press("Enter")
    grid.wait_for_function("() => document.querySelector('.node-id').textContent === 'node-31'")
    grid.fill("#search", "nobody")
    grid.wait_for_function("() => document.getElementById('results').textContent.includes('Nothing found')")


AT_ONCE = """([query, ...keys]) => {
    const box = document.getElementById("search");
    box.value = query;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    for (const key of keys) box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
}"""  # in one turn of the page: no pause in which the search could have run


@pytest.mark.parametrize("keys", [["Enter"], ["ArrowDown", "Enter"]])
def test_a_pasted_id_and_enter_at_once_open_that_node_and_not_the_previous_query_s(
    grid: ReportPage, keys: list[str]
) -> None:
    grid.focus("#search")
    grid.keyboard.type("node-7")
    grid.wait_for_function("() => document.querySelector('#results [role=option]')?.textContent.startsWith('node-7')")
    grid.evaluate(AT_ONCE, ["node-31", *keys])  # the list of node-7 is still open
    grid.wait_for_selector(".node-id")
    assert grid.text(".node-id") == "node-31"
    assert grid.get_attribute("#search", "aria-expanded") == "false"
    grid.evaluate(AT_ONCE, ["node-12", *keys])  # the list is closed, and answers node-31
    grid.wait_for_function("() => document.querySelector('.node-id').textContent !== 'node-31'")
    assert grid.text(".node-id") == "node-12"


def test_keys_pressed_before_the_search_has_run_act_on_its_list_in_their_order(grid: ReportPage) -> None:
    grid.evaluate(AT_ONCE, ["node-3", "ArrowDown", "ArrowDown", "ArrowDown", "Enter"])
    grid.wait_for_selector(".node-id")
    assert grid.text(".node-id") == "node-31"  # node-3, node-30, node-31


def test_enter_after_a_query_without_results_leaves_the_chosen_node(grid: ReportPage) -> None:
    grid.evaluate(AT_ONCE, ["node-7", "Enter"])
    grid.wait_for_selector(".node-id")
    grid.evaluate(AT_ONCE, ["nobody", "Enter"])
    grid.wait_for_function("() => document.getElementById('results').textContent.includes('Nothing found')")
    assert grid.text(".node-id") == "node-7"


def test_another_column_colours_the_map_and_its_legend_filters(grid: ReportPage) -> None:
    west, east = grid.place_of(node_at(0, 0)), grid.place_of(node_at(5, 0))
    assert grid.colors_at(*west, 3) != grid.colors_at(*east, 3)
    grid.select_option("#color-by", label="row")
    grid.wait_for_selector("#legend >> text=Hide all")
    grid.settle()
    assert grid.colors_at(*west, 3) == grid.colors_at(*east, 3)  # one row, one colour
    before = grid.colors_at(*west, 3)
    grid.uncheck("#legend li[data-code='1'] input")  # the row 0
    assert grid.text("#shown") == "30 of 36 nodes shown"
    grid.settle()
    assert grid.colors_at(*west, 3) != before
    assert len(grid.colors_at(*west, 3)) == 1
    grid.mouse.move(*west)
    grid.wait_for_timeout(100)
    assert grid.is_hidden("#tooltip")  # what is not shown cannot be hovered
    grid.select_option("#color-by", label="height")
    grid.fill("[aria-label='Smallest height shown']", "30")
    grid.keyboard.press("Tab")
    grid.wait_for_function("() => document.getElementById('shown').textContent.startsWith('18 of 36')")
    grid.click("#clear-filters")
    assert grid.text("#shown") == ""


@pytest.mark.parametrize("how", ["button", "shift"])
def test_the_lasso_lists_and_exports_exactly_the_nodes_inside(grid: ReportPage, how: str, tmp_path: Path) -> None:
    (x0, y0), (x1, y1) = grid.place_of(node_at(1, 4)), grid.place_of(node_at(3, 2))
    if how == "button":
        grid.click("#lasso")
        assert grid.get_attribute("#lasso", "aria-pressed") == "true"
    else:
        grid.keyboard.down("Shift")
    corners = [(x0 - 9, y0 - 9), (x1 + 9, y0 - 9), (x1 + 9, y1 + 9), (x0 - 9, y1 + 9)]
    grid.mouse.move(*corners[0])
    grid.mouse.down()
    for corner in corners[1:]:
        grid.mouse.move(*corner, steps=4)
    grid.mouse.up()
    grid.keyboard.up("Shift")
    grid.wait_for_selector("#selection .ids")
    inside = {f"node-{node_at(column, row)}" for column in (1, 2, 3) for row in (2, 3, 4)}
    assert grid.text("#selection .total") == "9 nodes selected"
    assert set(grid.text("#selection .ids").split()) == inside
    with grid.expect_download() as waiting:
        grid.click("text=Export CSV")
    waiting.value.save_as(tmp_path / "out.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text("utf-8-sig"))))
    assert {row["id"] for row in rows} == inside
    assert next(row for row in rows if row["id"] == "node-20")["motto"] == "motto of 20"
    assert next(row for row in rows if row["id"] == "node-20")["height"] == "30.5"


def test_pan_zoom_and_back(grid: ReportPage) -> None:
    start = grid.place_of(14)
    box = grid.locator("#overlay").bounding_box()
    middle = (box["x"] + box["width"] / 2 + 40, box["y"] + box["height"] / 2 + 40)
    grid.mouse.move(*middle)
    grid.mouse.down()
    grid.mouse.move(middle[0] + 80, middle[1] + 30, steps=4)
    grid.mouse.up()
    moved = grid.place_of(14)
    assert (moved[0] - start[0], moved[1] - start[1]) == pytest.approx((80, 30), abs=1)
    grid.mouse.wheel(0, -300)
    grid.wait_for_function("() => window.sparsecut.scene.view.zoom > 1.2")
    grid.focus("#overlay")
    grid.keyboard.press("0")
    assert grid.place_of(14) == pytest.approx(start, abs=0.5)
    grid.keyboard.press("ArrowRight")
    assert grid.place_of(14)[0] == pytest.approx(start[0] - 60, abs=0.5)
    grid.keyboard.press("Enter")
    grid.wait_for_selector(".node-id")


def test_webgl_draws_what_pixels_set_by_hand_draw(browser: Any, grid_report: Path) -> None:
    seen = {}
    for how in ("webgl", "canvas"):
        page = ReportPage(browser, grid_report, f"?draw={how}")
        page.uncheck("#names")
        page.settle()
        assert page.evaluate("window.sparsecut.scene.renderer.constructor.name").lower().startswith(how)
        seen[how] = [page.colors_at(*page.place_of(node), 3) for node in (0, 5, 17, 35)]
        page.uncheck("#legend li[data-code='1'] input")
        page.settle()
        seen[how] += [page.colors_at(*page.place_of(node), 3) for node in (0, 5)]
        page.context.close()  # WebGL without a GPU may warn; the other tests look at complaints
    assert seen["webgl"] == seen["canvas"]


def test_many_nodes_are_density_first_and_points_on_zoom(browser: Any, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    xy = generator.normal(size=(300_000, 2)).astype(np.float32)
    path = sc.report(xy, tmp_path / "many.html", xy=xy, n_neighbors=0)
    page = ReportPage(browser, path)
    page.settle()
    assert page.evaluate("window.sparsecut.scene.isDensity")
    assert page.evaluate("window.sparsecut.scene.drawn") == 0
    box = page.locator("#overlay").bounding_box()
    assert len(page.colors_at(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 15)) > 1
    page.evaluate("window.sparsecut.scene.view.zoomAt(40, 300, 300); window.sparsecut.scene.moved()")
    page.settle()
    assert not page.evaluate("window.sparsecut.scene.isDensity")
    assert 0 < page.evaluate("window.sparsecut.scene.drawn") < 250_000
    page.close()

"""The report's graph in a real browser: edges, groups, filters, recommendations, a tree, two embeddings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from browser import ReportPage, open_browser

pytestmark = pytest.mark.browser

SIDE = 5  # nodes of each of two cliques, which one edge joins
PLACES = np.array([[number % SIDE, number // SIDE] for number in range(2 * SIDE)], dtype=float) * [1, 3]


def two_cliques() -> np.ndarray:
    A = np.kron(np.eye(2), np.ones((SIDE, SIDE)) - np.eye(SIDE))
    A[0, SIDE] = A[SIDE, 0] = 1
    return A


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def page_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two cliques far apart on the map, with features that tell them apart, links and a tree."""
    group = np.arange(2 * SIDE) // SIDE
    features = np.column_stack([group, 1 - group, np.arange(2 * SIDE) % 2])
    names = [f"n{number}" for number in range(2 * SIDE)]
    graph = sc.Graph(two_cliques(), features=features, feature_names=["blue", "red", "odd"], node_ids=names)
    return sc.report(
        np.column_stack([PLACES, np.ones(2 * SIDE)]), tmp_path_factory.mktemp("report") / "r.html", graph=graph, xy=PLACES,
        metric="euclidean", n_neighbors=2, links=sc.Links(np.eye(2 * SIDE), graph), cut=sc.hierarchy(graph),
    )  # fmt: skip


@pytest.fixture
def page(browser: Any, page_path: Path) -> Iterator[ReportPage]:
    opened = ReportPage(browser, page_path)
    yield opened
    opened.close()


def middle(page: ReportPage, one: int, two: int) -> tuple[float, float]:
    here, there = page.place_of(one), page.place_of(two)
    return (here[0] + there[0]) / 2, (here[1] + there[1]) / 2


def names_in(page: ReportPage, selector: str) -> list[str]:
    return [str(text) for text in page.locator(selector).all_inner_texts()]


def test_a_chosen_node_shows_its_edges_on_the_map_and_by_name(page: ReportPage) -> None:
    bridge = middle(page, 0, SIDE)
    assert len(page.colors_at(*bridge)) == 1
    page.mouse.click(*page.place_of(0))
    page.wait_for_selector(".edges")
    assert names_in(page, ".edges button > bdi") == ["n1", "n2", "n3", "n4", "n5"]
    page.mouse.move(5, 5)
    page.settle()
    assert len(page.colors_at(*bridge)) > 1
    page.click(".edges button >> nth=4")
    page.wait_for_function("() => document.querySelector('.node-id').textContent === 'n5'")
    assert names_in(page, ".edges button > bdi") == ["n0", "n6", "n7", "n8", "n9"]


def test_shared_neighbours_are_named_beside_each_neighbour(page: ReportPage) -> None:
    page.evaluate("window.sparsecut.pick(0, false)")
    page.wait_for_selector(".neighbors")
    lines = names_in(page, "ol[aria-label='Nearest neighbours'] .why")
    assert lines[0] == "Linked, 3 shared neighbours: n2, n3, n4."


def test_neighbours_are_said_with_those_through_which_they_come(browser: Any, tmp_path: Path) -> None:
    graph = sc.datasets.load("digits").subgraph(positions=range(0, 1797, 6))
    model = sc.SCE(dimension=8).fit(graph)
    page = ReportPage(
        browser,
        sc.report(model.embedding_, tmp_path / "r.html", graph=graph, model=model, layout_method="pca", n_neighbors=3),
    )
    try:
        page.evaluate("window.sparsecut.pick(4, false)")
        page.wait_for_selector("ol[aria-label='Nearest neighbours']")
        first, *_ = sc.Nearness(model, most_edges=10**6).why(graph.node_ids[4], k=1)
        expected = [
            f"{name}{' itself' if name in first.nodes else ''} ({value / abs(first.score):.0%})"
            for name, value in zip(first.neighbors.names.tolist(), first.neighbors.values.tolist(), strict=True)
        ]
        lines = names_in(page, "ol[aria-label='Nearest neighbours'] > li:first-child .why")
        assert lines[-1] == f"It comes through {', '.join(expected[:3])}."
        button = "ol[aria-label='Nearest neighbours'] > li:first-child .why button >> nth=0"
        name = page.text(button)
        page.click(button)
        page.wait_for_function(f"() => document.querySelector('.node-id').textContent === '{name}'")
        assert page.complaints == []
    finally:
        page.close()


def test_recommendations_are_nodes_that_are_not_linked(page: ReportPage) -> None:
    page.evaluate("window.sparsecut.pick(0, false)")
    page.wait_for_selector("ol[aria-label='Recommended nodes']")
    found = names_in(page, "ol[aria-label='Recommended nodes'] button > bdi")
    assert set(found) == {"n6", "n7", "n8", "n9"}
    assert "Probability" in page.text("ol[aria-label='Recommended nodes'] .why >> nth=0")


def test_a_lassoed_group_is_compared_with_the_others_and_with_a_group_that_was_kept(page: ReportPage) -> None:
    page.keyboard.down("Shift")
    corners = [page.place_of(number) for number in (0, SIDE - 1)]
    (left, y), (right, _) = corners
    page.mouse.move(left - 15, y - 15)
    page.mouse.down()
    for corner in ((right + 15, y - 15), (right + 15, y + 15), (left - 15, y + 15)):
        page.mouse.move(*corner, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    page.wait_for_selector(".comparison")
    assert page.text("#selection .total") == "5 nodes selected"
    rows = [text.split("\t") for text in names_in(page, ".comparison tr")]
    assert ["blue", "0", "1"] in rows
    assert ["red", "1", "0"] in rows
    assert not any(row[0] == "odd" for row in rows)
    assert ["within the group", "4", "4"] in rows
    assert ["to the other group", "0.2", "0.2"] in rows
    page.click("text=Keep as group A")
    page.evaluate("window.sparsecut.select([7, 8, 9])")
    page.wait_for_selector(".comparison")
    assert "Selection and group A (5 nodes)" in page.text("#selection")
    assert ["to all others", "2", "0.2"] in [text.split("\t") for text in names_in(page, ".comparison tr")]


def test_edges_between_both_sides_are_drawn_on_the_way_down_the_tree(page: ReportPage) -> None:
    assert page.text("#tree p").startswith("The whole graph: 10 nodes")
    page.click("text=Larger side: 5 nodes")
    page.wait_for_function("() => document.querySelector('#tree p').textContent.startsWith('Step 1: 5 nodes')")
    page.click("#tree >> text=Up")
    page.mouse.move(5, 5)
    page.settle()
    assert len(page.colors_at(*middle(page, 0, SIDE))) > 1
    assert page.evaluate("window.sparsecut.scene.marks.edges.length") == 1
    assert page.accessibility_errors() == []


def test_edges_are_filtered_by_type_time_and_sign(browser: Any, tmp_path: Path) -> None:
    edges = {
        ("author", "writes", "paper"): {"author_id": [1, 2], "paper_id": [10, 10], "at": ["2024-01-02", "2024-02-02"]},
        ("author", "reads", "paper"): {"author_id": [1, 1], "paper_id": [10, 11], "at": ["2024-01-03", "2024-03-04"]},
    }
    graph = sc.from_tables(edges=edges, time="at", half_life="10d")
    path = sc.report(np.eye(4), tmp_path / "r.html", graph=graph, layout_method="pca", n_neighbors=1)
    page = ReportPage(browser, path)
    node = graph.node_ids.tolist().index("author:1")
    page.evaluate("node => window.sparsecut.pick(node, false)", node)
    page.wait_for_selector(".edges")
    assert names_in(page, ".edges .why") == [
        "author writes paper, 2024-01-02", "author reads paper, 2024-01-03", "author reads paper, 2024-03-04",
    ]  # fmt: skip
    page.uncheck("[data-kind='1']")
    assert names_in(page, ".edges .why") == ["author writes paper, 2024-01-02"]
    page.check("[data-kind='1']")
    page.fill("[aria-label='Earliest time shown']", "2024-02-02")
    page.locator("[aria-label='Earliest time shown']").blur()
    assert page.text("#edges [role=status]") == "2 of 4 edges"
    assert names_in(page, ".edges .why") == ["author reads paper, 2024-03-04"]
    page.check("#linked-only")
    assert page.text("#shown") == ""  # every node has one of the two
    page.uncheck("[data-kind='1']")
    assert page.text("#shown") == "2 of 4 nodes shown"
    page.click("#clear-filters")
    assert page.text("#edges [role=status]") == "4 edges"
    page.close()

    signed = sc.Graph(np.array([[0, 1, -1], [1, 0, 0], [-1, 0, 0]]), signed=True)
    page = ReportPage(browser, sc.report(np.eye(3), tmp_path / "s.html", graph=signed, layout_method="pca", n_neighbors=1))
    page.evaluate("window.sparsecut.pick(0, false)")
    page.wait_for_selector(".edges")
    page.select_option("#edge-sign", "apart")
    assert names_in(page, ".edges button > bdi") == ["2"]
    assert names_in(page, ".edges .why") == ["asks for distance"]
    page.close()


def test_two_embeddings_move_and_are_marked_together(browser: Any, tmp_path: Path) -> None:
    Z = np.random.default_rng(1).normal(size=(40, 3))
    earlier = Z.copy()
    earlier[3] = -Z[3] * 4
    page = ReportPage(browser, sc.report(Z, tmp_path / "r.html", before=earlier, layout_method="pca"))
    assert page.is_visible("#before-frame")
    places = page.evaluate(
        """() => { const { scene, before } = window.sparsecut;
          return [3, 4].map((node) => Math.hypot(scene.x[node] - before.x[node], scene.y[node] - before.y[node])); }"""
    )
    assert places[0] > 4 * places[1]
    page.click("#zoom-in")
    page.settle()
    assert page.evaluate("window.sparsecut.scene.view === window.sparsecut.before.view")
    page.evaluate("window.sparsecut.pick(3, false)")
    page.wait_for_selector(".node-id")
    spot = page.evaluate(
        """() => { const { before } = window.sparsecut;
          const box = document.getElementById("before-overlay").getBoundingClientRect();
          const [left, top] = before.view.toScreen(before.x[3], before.y[3]);
          return [box.left + left, box.top + top]; }"""
    )
    page.mouse.click(*spot)
    page.wait_for_function("() => document.querySelector('.node-id').textContent === '3'")
    assert page.accessibility_errors() == []
    page.close()

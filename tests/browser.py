"""Headless Chromium for the tests of the report, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from marks import require_mark

AXE = Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"
GRID = 6  # nodes on a side of the map whose places are known

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--enable-unsafe-swiftshader"),
)


def find_chromium() -> str:
    """Where Chromium is; a test that needs it skips without, or fails where it has been promised."""
    found = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
    if found is None:
        reason = "there is no chromium on this machine (Debian: apt-get install chromium)"
        if os.environ.get("SPARSECUT_REQUIRE_BROWSER"):
            pytest.fail(f"SPARSECUT_REQUIRE_BROWSER is set, but {reason}")
        pytest.skip(reason)
    return found


@contextmanager
def open_browser() -> Iterator[Any]:
    require_mark("browser")
    path = find_chromium()
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


class ReportPage:
    """An open report, with everything the browser complained of or asked the network for."""

    def __init__(self, browser: Any, path: Path, query: str = "", **context: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1300, "height": 850}, **context})
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(f"dialog {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri() + query)
        self.page.wait_for_selector("html[data-loaded=true]", timeout=30_000)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.page, name)

    def place_of(self, node: int) -> tuple[float, float]:
        """Where a node is on the screen."""
        return tuple(
            self.page.evaluate(
                """(node) => {
                  const { scene } = window.sparsecut;
                  const box = document.getElementById("overlay").getBoundingClientRect();
                  const [left, top] = scene.view.toScreen(scene.x[node], scene.y[node]);
                  return [box.left + left, box.top + top];
                }""",
                node,
            )
        )

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def accessibility_errors(self) -> list[str]:
        """What axe-core finds wrong with the page as it stands, each with the first element it is about."""
        if not AXE.exists():
            reason = "axe-core is not installed (npm --prefix web ci)"
            if os.environ.get("SPARSECUT_REQUIRE_BROWSER"):
                pytest.fail(f"SPARSECUT_REQUIRE_BROWSER is set, but {reason}")
            pytest.skip(reason)
        self.page.evaluate(AXE.read_text("utf-8"))
        found = self.page.evaluate("axe.run(document)")
        assert len(found["passes"]) > 20
        return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]

    def settle(self) -> None:
        """Wait until the map rests and has been drawn."""
        self.page.wait_for_function(
            "() => !window.sparsecut.scene.isMoving && !window.sparsecut.scene.requested", timeout=10_000
        )

    def colors_at(self, left: float, top: float, size: int = 9) -> set[tuple[int, int, int]]:
        """The colours of the pixels around a point of the screen, from a screenshot."""
        import io

        from PIL import Image

        clip = {"x": left - size / 2, "y": top - size / 2, "width": size, "height": size}
        image = Image.open(io.BytesIO(self.page.screenshot(clip=clip))).convert("RGB")
        return {color for _, color in image.getcolors(size * size * 4)}

    def close(self) -> None:
        """Close, having made no complaint and asked for nothing but the file itself."""
        self.context.close()
        assert not self.complaints, self.complaints
        assert len(self.requests) == 1, self.requests


def make_report(path: Path) -> Path:
    """36 nodes on a grid, in two classes by column; the vectors are the places, so that neighbours are neighbours."""
    x, y = (values.ravel().astype(np.float32) for values in np.meshgrid(np.arange(GRID), np.arange(GRID)))
    xy = np.column_stack([x, y])
    nodes = {
        "row": y,
        "height": y * 10 + 0.5,
        "motto": [f"motto of {number}" for number in range(GRID * GRID)],
    }
    ids = [f"node-{number}" for number in range(GRID * GRID)]
    labels = np.where(x < 3, "west", "east")
    return sc.report(
        np.column_stack([xy, np.ones(len(xy))]), path, ids=ids, labels=labels, nodes=nodes, xy=xy,
        metric="euclidean", n_neighbors=4, title="A grid", command="sparsecut report grid.parquet",
    )  # fmt: skip

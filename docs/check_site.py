"""Check the built site: `python docs/check_site.py build/site`.

Every link inside it leads to a page and to a heading that is there; no page loads anything from the network; every public
name has its page. Where there is a Chromium, also from the file system: the search finds a page, no page is wider than a
phone, light and dark differ, and axe-core (`npm --prefix web ci`) finds no error in some pages of each kind.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}
SEARCH = "sharpness"
PHONE = 390
AXE = Path(__file__).parents[1] / "web" / "node_modules" / "axe-core" / "axe.min.js"
ACCESSIBLE = ("index", "quickstart", "at_a_glance", "performance", "api", "guides/fraud", "guides/typed_graph")
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor"


class Page(HTMLParser):
    """What a page links to, what it loads, and the anchors it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in LOADS and LOADS[tag] in values and values.get("rel") != "canonical":
            self.loads.append(values[LOADS[tag]])


def problems_of(site: Path) -> Iterator[str]:
    """What is wrong with the pages of a site, read without a browser."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for address in page.loads + page.links:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in page.loads and parts.scheme != "data":
                    yield f"{name} loads {address} from the network"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                yield f"{name}: {address} does not exist"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                yield f"{name}: {address} has no such anchor"


def missing_names(site: Path) -> Iterator[str]:
    """The public names that the reference does not describe."""
    import sparsecut

    anchors = {anchor for path in (site / "api").glob("*.html") for anchor in Page(path).anchors}
    anchors |= Page(site / "api.html").anchors
    covered = {name for name in sparsecut.__all__ if f"sparsecut.{name}" in anchors}
    covered |= {"datasets"} if "sparsecut.datasets.load" in anchors else set()
    yield from (f"the reference does not have sparsecut.{name}" for name in sparsecut.__all__ if name not in covered)


def problems_in_browser(site: Path, chromium: str) -> Iterator[str]:
    """What only a browser can tell, with pages opened as files."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        page = browser.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto((site / "search.html").resolve().as_uri() + f"?q={SEARCH}")
        try:
            page.wait_for_selector("#search-results ul.search li a", timeout=20_000)
        except Exception as error:
            yield f"the search for {SEARCH!r} finds nothing: {error}"
        yield from (f"the search page complains: {text}" for text in complaints)
        colours = set()
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": PHONE, "height": 844}, color_scheme=scheme)
            page.goto((site / "index.html").resolve().as_uri())
            colours.add(page.evaluate(BACKGROUND))
        if len(colours) != 2:
            yield f"light and dark have the same background, {colours}"
        for path in sorted(site.glob("*.html")) + sorted(site.glob("guides/*.html")) + [site / "api/sparsecut.SCE.html"]:
            page.goto(path.resolve().as_uri())
            width = page.evaluate("() => document.documentElement.scrollWidth")
            if width > PHONE:
                yield f"{path.relative_to(site)} is {width} pixels wide on a phone of {PHONE}"
        if AXE.exists():
            yield from _inaccessible(browser, site)
        browser.close()


def _inaccessible(browser: Any, site: Path) -> Iterator[str]:
    """What axe-core finds in some pages, in light and in dark."""
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme)
        for name in ACCESSIBLE:
            path = site / f"{name}.html"
            if not path.exists():
                continue
            page.goto(path.resolve().as_uri())
            page.evaluate(AXE.read_text("utf-8"))
            for found in page.evaluate("axe.run(document)")["violations"]:
                node = found["nodes"][0]["html"][:160]
                yield f"{name}, {scheme}: {found['id']}, {found['help']} ({len(found['nodes'])} times): {node}"


def main() -> int:
    site = Path(sys.argv[1])
    problems = [*problems_of(site), *missing_names(site)]
    chromium = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if chromium is not None:
        problems += problems_in_browser(site, chromium)
    elif os.environ.get("SPARSECUT_REQUIRE_BROWSER"):
        problems.append("SPARSECUT_REQUIRE_BROWSER is set, but there is no chromium")
    n_pages = len(list(site.rglob("*.html")))
    print(
        "\n".join(problems)
        or f"{n_pages} pages, all links lead somewhere{'' if chromium else '; no browser to open them in'}"
    )
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

"""The report on a phone, in the dark, without motion, by keyboard and screen reader, and with hostile or odd data."""

from __future__ import annotations

import csv
import io
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from browser import ReportPage, make_report, open_browser

pytestmark = pytest.mark.browser

CONTRASTS = """() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const over = ([r, g, b, a = 1], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const light = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const ground = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) layers.unshift(parse(getComputedStyle(at).backgroundColor));
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility()) continue;
    if (node.closest(".off-screen, script, style")) continue;
    const style = getComputedStyle(node);
    if (node.closest("svg")) { if (node.classList.contains("on-cell")) continue; }
    const ink = parse(node.closest("svg") ? style.fill : style.color);
    found.push([ratio(over(ink, ground(node)), ground(node)), walker.currentNode.textContent.trim().slice(0, 40)]);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def digits_report(tmp_path_factory: pytest.TempPathFactory, digits: sc.Graph) -> Path:
    model = sc.SCE(dimension=16, solver=sc.Adam(epochs=5))
    Z = model.fit_transform(digits)
    path = tmp_path_factory.mktemp("report") / "digits.html"
    return sc.report(Z, path, graph=digits, model=model, layout_method="pca", command="sparsecut demo")


def test_every_section_is_there(browser: Any, digits_report: Path) -> None:
    page = ReportPage(browser, digits_report)
    titles = page.locator("#sections h2").all_inner_texts()
    assert titles == [
        "Spectrum and effective rank",
        "What was chosen, and why",
        "Training",
        "Classes: separation and confusion",
        "Clusters",
        "Degree against length",
        "How to repeat this",
    ]
    assert page.locator("#sections svg").count() == 5
    assert "sparsecut demo" in page.text("pre")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_can_be_read(browser: Any, digits_report: Path, scheme: str) -> None:
    page = ReportPage(browser, digits_report, color_scheme=scheme)
    page.fill("#search", "17")
    page.wait_for_selector("#results [role=option]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".neighbors")
    for details in page.locator("details").all():
        details.evaluate("node => { node.open = true; }")
    found = page.evaluate(CONTRASTS)
    assert len(found) > 200
    too_faint = [(round(ratio, 2), text) for ratio, text in found if ratio < 4.5]
    assert too_faint == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) < 200) == (scheme == "dark")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_error(browser: Any, digits_report: Path, scheme: str) -> None:
    page = ReportPage(browser, digits_report, color_scheme=scheme)
    page.evaluate("window.sparsecut.pick(17, false)")
    page.wait_for_selector(".neighbors")
    page.evaluate("window.sparsecut.select([3, 4, 5, 6])")
    page.fill("#search", "17")
    page.wait_for_selector("#results [role=option]")
    assert page.accessibility_errors() == []
    page.evaluate("document.getElementById('summary').setAttribute('role', 'nothing')")
    assert len(page.accessibility_errors()) == 1  # it would find one
    page.close()


def test_charts_cover_none_of_their_words(browser: Any, tmp_path: Path) -> None:
    """Twelve dimensions: the first bar leaves the axis alone, the last the frame; captions are not cut."""
    generator = np.random.default_rng(0)
    labels = np.arange(200) % 5
    Z = generator.normal(size=(200, 12)) + 3 * np.eye(12)[labels]
    page = ReportPage(browser, sc.report(Z, tmp_path / "r.html", labels=labels, layout_method="pca"))
    clashes = page.evaluate(
        """() => [...document.querySelectorAll("#sections svg")].flatMap((chart) => {
          const frame = chart.getBoundingClientRect();
          const [texts, bars] = ["text", "rect.mark"].map((name) => [...chart.querySelectorAll(name)]);
          const box = (node) => node.getBoundingClientRect();
          const isOut = (b) => b.left < frame.left - 1 || b.right > frame.right + 1 || b.bottom > frame.bottom + 1;
          const across = (a, b) => a.left < b.right - 1 && b.left < a.right - 1;
          const meet = (a, b) => across(a, b) && a.top < b.bottom - 1 && b.top < a.bottom - 1;
          const out = [...texts, ...bars].filter((node) => isOut(box(node)));
          const hit = texts.filter((text) => bars.some((bar) => meet(box(text), box(bar))));
          return [...out, ...hit].map((node) => node.outerHTML.slice(0, 90));
        })"""
    )
    assert clashes == []
    spectrum = page.locator("section[aria-labelledby=section-spectrum] svg")
    assert spectrum.locator("rect.mark").count() == 12
    assert spectrum.locator(".second-axis").all_text_contents() == ["0%", "50%", "100%"]
    page.close()


def test_the_theme_can_be_chosen(browser: Any, digits_report: Path) -> None:
    page = ReportPage(browser, digits_report, color_scheme="light")
    place = page.place_of(0)
    before = page.colors_at(*place, 3)
    assert page.text("#theme") == "Dark theme"
    page.click("#theme")
    assert page.text("#theme") == "Light theme"
    page.settle()
    assert page.colors_at(*place, 3) != before
    page.close()


def test_focus_goes_through_everything_in_the_order_of_reading(browser: Any, digits_report: Path) -> None:
    page = ReportPage(browser, digits_report)
    seen = []
    for _ in range(14):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate("(({ id, className, textContent }) => id || className || textContent)(document.activeElement)")
        )
        outlined = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outlined != "none", seen[-1]
    wanted = ["skip", "theme", "search", "color-by", "names", "lasso", "overlay", "zoom-in", "zoom-out", "zoom-fit"]
    assert seen[:10] == wanted
    page.close()


def test_a_screen_reader_finds_names_for_everything(browser: Any, digits_report: Path) -> None:
    page = ReportPage(browser, digits_report)
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, canvas, [role=img], a, summary, section")]
          .filter((node) => !node.closest("[hidden]") && node.getAttribute("aria-hidden") !== "true")
          .filter((node) => !(node.getAttribute("aria-label") || node.getAttribute("aria-labelledby")
            || node.textContent.trim() || node.labels?.length))
          .map((node) => node.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    assert page.locator("h1").count() == 1
    assert page.get_attribute("html", "lang") == "en"
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((node) => node.id)")
    assert len(ids) == len(set(ids))
    page.fill("#search", "no such node")
    page.wait_for_function("() => document.getElementById('announcer').textContent === 'Nothing found.'")
    page.close()


def test_on_a_phone_nothing_is_cut_off_and_fingers_work(browser: Any, tmp_path: Path) -> None:
    path = make_report(tmp_path / "grid.html")
    page = ReportPage(browser, path, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    x, y = page.place_of(14)
    page.touchscreen.tap(x, y)
    page.wait_for_selector(".node-id")
    assert page.text(".node-id") == "node-14"
    page.set_viewport_size({"width": 844, "height": 390})  # turned
    # The page hears of its new size some time later.
    fits = "() => window.sparsecut.scene.view.height === document.getElementById('overlay').parentElement.clientHeight"
    page.wait_for_function(fits)
    page.settle()
    box = page.locator("#overlay").bounding_box()
    places = [page.place_of(node) for node in (0, 5, 30, 35)]
    assert all(box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"] for x, y in places)
    page.close()


def test_reduced_motion_jumps_and_motion_glides(browser: Any, tmp_path: Path) -> None:
    path = make_report(tmp_path / "grid.html")
    for motion, is_instant in (("reduce", True), ("no-preference", False)):
        page = ReportPage(browser, path, reduced_motion=motion)
        scales = page.evaluate(
            """async () => {
              const { scene } = window.sparsecut;
              const seen = [];
              window.sparsecut.pick(0, true);
              for (let frame = 0; frame < 60; frame += 1) {
                await new Promise(requestAnimationFrame);
                seen.push(scene.view.scale);
              }
              return seen;
            }"""
        )
        assert (len(set(scales)) <= 2) == is_instant, motion
        page.close()


HOSTILE = (
    "<script>document.title='owned'</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    "\"'`&lt;&amp;",
    "🦊👩‍👩‍👧‍👦",
    "שלום עולם ‮txt",
    "x" * 10_000,
    "=HYPERLINK(\"http://example.org\",\"a\")",
    "+1+cmd|' /C calc'!A0",
    "@SUM(1)",
    "{{payload}}",
    "line\nbreak\ttab",
    "\u2028\u2029\x07",
)  # fmt: skip


def test_hostile_ids_labels_and_attributes_are_text(browser: Any, tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    n = len(HOSTILE)
    Z = generator.normal(size=(2 * n, 4))
    words = list(HOSTILE) + [f"plain {number}" for number in range(n)]
    marks = [HOSTILE[number % n] for number in range(2 * n)]
    path = sc.report(
        Z, tmp_path / "hostile.html", ids=words, labels=np.array(marks, dtype=object), xy=generator.random((2 * n, 2)),
        nodes={"<b>column</b>": words, "=class": marks}, title="</title><script>alert(3)</script>",
        command="<script>alert(4)</script>",
    )  # fmt: skip
    page = ReportPage(browser, path)
    assert page.title() == "</title><script>alert(3)</script>"
    assert page.text("h1") == "</title><script>alert(3)</script>"
    for node, word in enumerate(HOSTILE):
        page.evaluate("(node) => window.sparsecut.pick(node, false)", node)
        page.wait_for_function("(word) => document.querySelector('.node-id')?.textContent === word", arg=word)
        assert page.evaluate("document.querySelector('#details dd').textContent") == word
        page.evaluate("([x, y, node]) => window.sparsecut.hover(node, x, y)", [50, 50, node])
        box = page.locator("#tooltip").bounding_box()
        assert box["width"] <= 330
        assert box["height"] < 700
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("window.sparsecut.select(window.sparsecut.shownNodes())")
    page.wait_for_selector("#selection .ids")
    with page.expect_download() as waiting:
        page.click("text=Export CSV")
    text = Path(waiting.value.path()).read_bytes().decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == 2 * n + 1
    for word, row in zip(words, rows[1:], strict=True):
        assert row[0] == (f"'{word}" if word[0] in "=+@" else word)
        assert not any(cell[:1] in ("=", "+", "@") for cell in row)
    assert page.locator("#sections script, #panel script, #panel img").count() == 0
    page.close()


def test_the_policy_lets_nothing_else_run_and_nothing_in(browser: Any, tmp_path: Path) -> None:
    path = make_report(tmp_path / "grid.html")
    page = ReportPage(browser, path)
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(0.5)
    blocked = page.evaluate(
        """async (address) => {
          const violations = [];
          document.addEventListener("securitypolicyviolation", (event) => violations.push(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.wasRun = true";
          document.body.append(script);
          const image = document.createElement("img");
          image.src = `${address}/x.png`;
          document.body.append(image);
          await fetch(address).catch(() => {});
          setTimeout("window.wasRun = true", 0);
          await new Promise((done) => setTimeout(done, 200));
          return [violations, window.wasRun === true];
        }""",
        f"http://127.0.0.1:{server.getsockname()[1]}",
    )
    assert not blocked[1]
    assert {"script-src-elem", "script-src", "img-src", "connect-src"} <= set(blocked[0])
    with pytest.raises(TimeoutError):
        server.accept()  # nothing has knocked
    server.close()
    page.context.close()


def column(values: Any) -> np.ndarray:
    return np.asarray(values, dtype=np.float32)[:, None]


ODD = {
    "one node": ([[1.0, 2.0]], {}),
    "two nodes": ([[1.0, 2.0], [3.0, 4.0]], {"labels": ["a", "b"]}),
    "all vectors equal": (np.ones((40, 8)), {"labels": np.arange(40) % 3}),
    "one dimension": (column(np.arange(30)), {}),
    "no label at all": (np.random.default_rng(0).normal(size=(50, 4)), {"labels": np.full(50, -1)}),
    "one class": (np.random.default_rng(0).normal(size=(50, 4)), {"labels": np.zeros(50, dtype=int)}),
    "500 classes": (np.random.default_rng(0).normal(size=(3000, 8)), {"labels": np.arange(3000) % 500}),
    "every label its own": (np.random.default_rng(0).normal(size=(60, 4)), {"labels": np.arange(60)}),
    "200 columns": (
        np.random.default_rng(0).normal(size=(80, 4)),
        {"nodes": {f"column {number}": np.arange(80) * (number + 0.5) for number in range(200)}},
    ),
    "NaN rows": (np.where(np.arange(60)[:, None] % 7 == 3, np.nan, np.random.default_rng(0).normal(size=(60, 4))), {}),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_embeddings_give_a_useful_page(browser: Any, tmp_path: Path, name: str) -> None:
    Z, options = ODD[name]
    path = sc.report(Z, tmp_path / "odd.html", layout_method="pca", **options)
    page = ReportPage(browser, path)
    page.settle()
    n_shown = page.evaluate("window.sparsecut.count")
    assert n_shown == np.isfinite(np.asarray(Z)).all(axis=1).sum()
    x, y = page.place_of(0)
    page.mouse.click(x, y)
    page.wait_for_selector(".node-id")
    assert page.locator("#sections h2").count() >= 2
    if name == "NaN rows":
        assert "NaN or infinite numbers" in page.text("#warnings")
    if name == "all vectors equal":
        assert "Collapsed to a point" in page.text("#warnings")
    if name == "500 classes":
        assert page.locator("#legend li").count() == 500
        page.fill("#legend input[type=search]", "499")
        assert page.locator("#legend li:visible").count() == 1
    if name == "200 columns":
        assert page.locator("#color-by option").count() >= 200
    page.close()


def test_a_broken_page_says_so(browser: Any, tmp_path: Path) -> None:
    path = make_report(tmp_path / "grid.html")
    text = path.read_text("utf-8")
    start = text.index('data-block="meta">') + len('data-block="meta">')
    path.write_text(text[:start] + "AAAA" + text[start + 4 :], "utf-8")
    context = browser.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[role=alert]")
    assert "could not be shown" in page.inner_text("[role=alert]")
    context.close()
